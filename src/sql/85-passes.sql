-- fits by passes over the source

CREATE FUNCTION pgfit_internal.sample_row(fraction float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_sample_row' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1;
COMMENT ON FUNCTION pgfit_internal.sample_row(float8) IS
'Tells whether a row is one of a random sample of about this share of the rows. Depends only on the place of the row in the order of calls.';
