-- clusters and outliers by density

CREATE FUNCTION pgfit.members(model pgfit.model, OUT id text, OUT cluster int, OUT kind text, OUT probability float8, OUT outlier_score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.members(pgfit.model) IS
'Returns the rows of a model of dbscan or hdbscan with their clusters. Columns: id, cluster from 1 (the largest first; NULL for noise), kind (core, border or noise; of hdbscan member or noise), and of hdbscan the probability, 0 to 1, how firmly the row belongs to its cluster, and the outlier score, 0 to 1 (GLOSH). Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.cluster_tree(model pgfit.model, OUT part bigint, OUT parent bigint, OUT distance float8, OUT size float8, OUT stability float8, OUT cluster int)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.cluster_tree(pgfit.model) IS
'Returns the condensed tree of a model of hdbscan, one row per part. Columns: the part, the part that it splits off from, the distance at which it does (NULL for all rows), its weight then, its stability, and its cluster where it is one. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.reachability(model pgfit.model, OUT place bigint, OUT id text, OUT reachability float8, OUT core_distance float8, OUT predecessor text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.reachability(pgfit.model) IS
'Returns the rows of a model of optics in its order. Columns: place from 1, id, the distance at which the rows before reach it (NULL for the first of a part), its core distance (NULL where too few rows are within the radius), and the row that reaches it. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.outlier_factors(model pgfit.model, OUT id text, OUT factor float8, OUT label text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.outlier_factors(pgfit.model) IS
'Returns the rows of a model of local_outlier_factor: id, local outlier factor among the others (about 1 inside a cluster, larger for outliers), and label (out or in). Fails with wrong_object_type for another model.';
