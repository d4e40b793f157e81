-- trees of hierarchical clustering

CREATE FUNCTION pgfit.dendrogram_merges(model pgfit.model, OUT merge bigint, OUT a bigint, OUT b bigint, OUT id_a text, OUT id_b text, OUT height float8, OUT size bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.dendrogram_merges(pgfit.model) IS
'Returns the merges of a model of hierarchical, in order. Each joins two parts, a row (its id in id_a, id_b) or the result of an earlier merge (its number in a, b), at a height (the distance of the parts by the linkage), to a cluster of size rows. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.cut(model pgfit.model, k bigint, OUT id text, OUT cluster int) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_cut' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.cut(pgfit.model, bigint) IS
'Returns the clusters of a model of hierarchical after undoing its last k - 1 merges: each row''s id as text and its cluster, 1 to k, the largest first. Fails with invalid_parameter_value for k below 1 or above the number of rows, wrong_object_type for another model.';

CREATE FUNCTION pgfit.cut(model pgfit.model, k bigint, result_type anyelement, OUT id anyelement, OUT cluster int) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_cut' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.cut(pgfit.model, bigint, anyelement) IS
'Works like cut, with ids in the type of the last argument, which is NULL: cut(m, 3, NULL::int). Fails with invalid_parameter_value if that has a value, and if an id cannot be read as this type.';

CREATE FUNCTION pgfit.cut_height(model pgfit.model, height float8, OUT id text, OUT cluster int) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_cut_height' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.cut_height(pgfit.model, float8) IS
'Returns the clusters of a model of hierarchical after undoing all merges above a height: each row''s id as text and its cluster, the largest first. Fails with invalid_parameter_value for a negative height or a tree whose heights decrease, as those of centroid linkage may, wrong_object_type for another model.';

CREATE FUNCTION pgfit.cut_height(model pgfit.model, height float8, result_type anyelement, OUT id anyelement, OUT cluster int) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_cut_height' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.cut_height(pgfit.model, float8, anyelement) IS
'Works like cut_height, with ids in the type of the last argument, which is NULL: cut_height(m, 1.5, NULL::int). Fails with invalid_parameter_value if that has a value, and if an id cannot be read as this type.';

CREATE FUNCTION pgfit.cophenetic(model pgfit.model, OUT a text, OUT b text, OUT height float8) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10000;
COMMENT ON FUNCTION pgfit.cophenetic(pgfit.model) IS
'Returns the height at which each pair of rows first shares a cluster of a model of hierarchical: n (n - 1) / 2 rows with both ids. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.dendrogram(model pgfit.model, clusters bigint DEFAULT 20) RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_dendrogram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.dendrogram(pgfit.model, bigint) IS
'Returns the tree of a model of hierarchical as lines of text, down to this many clusters (1 to 1000): a merge as its height and rows, a row as its id. Fails with wrong_object_type for another model.';
