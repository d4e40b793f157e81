
CREATE FUNCTION pgfit.medoids(model pgfit.model, OUT cluster int, OUT id text, OUT term text, OUT value float8, OUT level text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.medoids(pgfit.model) IS
'The medoids of a model of kmedoids, a row a medoid and feature: cluster from 1, id (option id_column of the fit; NULL: it had none), term (the feature), and its value in the medoid''s row: value of a number, level of a category. wrong_object_type: a model without medoids.';
