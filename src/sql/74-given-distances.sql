-- distances as given: a matrix of them, and methods fitted to it

CREATE FUNCTION pgfit_internal.distance_matrix_final(state internal) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_distance_matrix_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit_internal.distance_matrix_final(internal) IS 'Returns the matrix of the pairs that a state keeps.';

CREATE FUNCTION pgfit_internal.distance_matrix_step(state internal, a "any", b "any", distance float8, options pgfit.call_options) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_distance_matrix_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.distance_matrix_step(internal, "any", "any", float8, pgfit.call_options) IS 'Keeps a pair for distance_matrix. Fails outside an aggregate.';

CREATE AGGREGATE pgfit.distance_matrix(a "any", b "any", distance float8, options pgfit.call_options) (
    SFUNC = pgfit_internal.distance_matrix_step, STYPE = internal, SSPACE = 4096, FINALFUNC = pgfit_internal.distance_matrix_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.distance_matrix("any", "any", float8, pgfit.call_options) IS
'Returns the distances of all pairs of objects, from rows of two ids and their distance, as a model that methods which compare rows can be fitted to: hierarchical(distances, options). Each pair comes once, or once in each order with the same distance; the distance of an id from itself is 0 and may be left out. Options: missing (error), what a pair without a distance is: an error, or infinitely far apart (infinity). NULL without pairs. Fails with data_exception for a pair that is given twice, with two distances or not at all, for an id without any other, and for a negative distance or NaN.';

CREATE FUNCTION pgfit_internal.distance_matrix_step(state internal, a "any", b "any", distance float8) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_distance_matrix_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.distance_matrix_step(internal, "any", "any", float8) IS 'Keeps a pair for distance_matrix. Fails outside an aggregate.';

CREATE AGGREGATE pgfit.distance_matrix(a "any", b "any", distance float8) (
    SFUNC = pgfit_internal.distance_matrix_step, STYPE = internal, SSPACE = 4096, FINALFUNC = pgfit_internal.distance_matrix_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.distance_matrix("any", "any", float8) IS
'Returns the distances of all pairs of objects, from rows of two ids and their distance, as a model that methods which compare rows can be fitted to: hierarchical(distances, options). Each pair comes once, or once in each order with the same distance; the distance of an id from itself is 0 and may be left out. Options: missing (error), what a pair without a distance is: an error, or infinitely far apart (infinity). NULL without pairs. Fails with data_exception for a pair that is given twice, with two distances or not at all, for an id without any other, and for a negative distance or NaN.';

CREATE FUNCTION pgfit.hierarchical(distances pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.hierarchical(pgfit.model, pgfit.call_options) IS
'Fits hierarchical to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.kmedoids(distances pgfit.model, options pgfit.call_options) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.kmedoids(pgfit.model, pgfit.call_options) IS
'Fits kmedoids to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.kmedoids(distances pgfit.model, k bigint, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.kmedoids(pgfit.model, bigint, pgfit.call_options) IS
'Fits kmedoids to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.dbscan(distances pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.dbscan(pgfit.model, pgfit.call_options) IS
'Fits dbscan to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.hdbscan(distances pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.hdbscan(pgfit.model, pgfit.call_options) IS
'Fits hdbscan to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.optics(distances pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.optics(pgfit.model, pgfit.call_options) IS
'Fits optics to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.local_outlier_factor(distances pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.local_outlier_factor(pgfit.model, pgfit.call_options) IS
'Fits local_outlier_factor to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.medoid(distances pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.medoid(pgfit.model, pgfit.call_options) IS
'Fits medoid to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.mds(distances pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.mds(pgfit.model, pgfit.call_options) IS
'Fits mds to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.mds(distances pgfit.model, k bigint, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.mds(pgfit.model, bigint, pgfit.call_options) IS
'Fits mds to given distances (distance_matrix), with the options of the aggregate that do not concern rows or metrics. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.coordinates(model pgfit.model, OUT id text, OUT coordinates float8[]) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.coordinates(pgfit.model) IS
'Returns the rows of a model of mds: id as text, and coordinates. Fails with wrong_object_type for another model.';

CREATE FUNCTION pgfit.silhouette(distances pgfit.model, clusters jsonb) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_silhouette_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.silhouette(pgfit.model, jsonb) IS
'Returns the mean silhouette of clusters of given distances (distance_matrix): {"id": cluster, ...}, as of jsonb_object_agg(id, cluster). Ids without a cluster, or with null, are left out. NULL if there is only one cluster. Fails with data_exception for an id that has no distances, wrong_object_type for another model.';

CREATE FUNCTION pgfit.silhouettes(distances pgfit.model, clusters jsonb) RETURNS pgfit.silhouette_row[]
AS 'MODULE_PATHNAME', 'pgfit_silhouettes_distances' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.silhouettes(pgfit.model, jsonb) IS
'Returns the silhouettes of clusters of given distances, in order of the ids: an array of number, cluster, own, other, silhouette, id to unnest. Arguments as in silhouette.';
