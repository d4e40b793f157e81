-- centroids of a model

CREATE FUNCTION pgfit.centroids(model pgfit.model, OUT centroid int, OUT class text, OUT term text, OUT value float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.centroids(pgfit.model) IS
'Returns the centroids of a model, one row per centroid and term. Columns: centroid from 1, the class whose mean it is (NULL for a cluster), term (a feature, or feature=level), and value in the unit of the feature (for a level: its share of the rows). Fails with wrong_object_type for a model without centroids.';
