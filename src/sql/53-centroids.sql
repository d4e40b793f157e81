
CREATE FUNCTION pgfit.centroids(model pgfit.model, OUT centroid int, OUT class text, OUT term text, OUT value float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.centroids(pgfit.model) IS
'The centroids of a model, a row a centroid and term: centroid from 1, the class that it is the mean of (NULL: a cluster), term (a feature, or feature=level), and value in the unit of the feature (of a level: its share of the rows). wrong_object_type: a model without centroids.';
