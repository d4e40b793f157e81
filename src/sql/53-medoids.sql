-- medoids of a model

CREATE FUNCTION pgfit.medoids(model pgfit.model, OUT cluster int, OUT id text, OUT term text, OUT value float8, OUT level text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.medoids(pgfit.model) IS
'Returns the medoids of a model of kmedoids, one row per medoid and feature. Columns: cluster from 1, id (option id_column of the fit; NULL without it), term (the feature), and its value in the medoid''s row: value of a number, level of a category. Fails with wrong_object_type for a model without medoids.';
