-- machines of margins

CREATE FUNCTION pgfit.support_vectors(model pgfit.model, OUT class text, OUT "row" bigint, OUT multiplier float8, OUT on_margin boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.support_vectors(pgfit.model) IS
'Returns the support vectors of a model, one row per binary problem and row whose multiplier is not 0: class (the problem, such as b / a; NULL if there is one), row (its place among the fitted rows, in order of arrival, from 1), multiplier (negative for negative classes), and on_margin: true if the row lies on the margin, false if its multiplier is as large as it may be, so that the row is inside the margin, wrong, or just on it. Fails with wrong_object_type for a model without support vectors.';
