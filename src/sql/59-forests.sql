-- forests

CREATE FUNCTION pgfit.oob_curve(model pgfit.model, OUT trees int, OUT error float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100;
COMMENT ON FUNCTION pgfit.oob_curve(pgfit.model) IS
'Returns the out-of-bag error of a forest after 1, 2, 3 ... trees: the share of wrong classes, or the mean squared error, of the rows that at least one of these trees has not seen. NULL where there is no such row. Fails with wrong_object_type for a model without out-of-bag errors.';
