-- choosing the number of clusters

CREATE FUNCTION pgfit.elbow(model pgfit.model, OUT k int, OUT objective float8, OUT criterion text, OUT value float8, OUT gap float8, OUT gap_error float8, OUT chosen boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.elbow(pgfit.model) IS
'Returns the numbers of clusters from which a fit of kmeans or gaussian_mixture with "k": "auto" or a range of k chose, one row each. Columns: k, objective (the inertia of kmeans, the log likelihood of gaussian_mixture), the criterion and its value, the gap statistic and its standard error where they were computed, and whether this k was chosen. Unknown values are NULL. Fails with wrong_object_type for a model of a single k.';
