-- one pass of k-means over any number of rows: parallel, and without keeping them

CREATE FUNCTION pgfit.kmeans_step_step(state pgfit.model, features "any", model pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_kmeans_step_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.kmeans_step_step(pgfit.model, "any", pgfit.model) IS
'Support function of kmeans_step: takes a row into the state. Fails outside an aggregate.';

CREATE FUNCTION pgfit.kmeans_step_step(state pgfit.model, features "any", model pgfit.model, weight float8) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_kmeans_step_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.kmeans_step_step(pgfit.model, "any", pgfit.model, float8) IS
'Support function of kmeans_step: takes a row into the state. Fails outside an aggregate.';

CREATE FUNCTION pgfit.kmeans_step_combine(state pgfit.model, other pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_kmeans_step_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.kmeans_step_combine(pgfit.model, pgfit.model) IS
'Support function of kmeans_step: the sums of two states. Fails outside an aggregate.';

CREATE FUNCTION pgfit.kmeans_step_final(state pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_kmeans_step_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION pgfit.kmeans_step_final(pgfit.model) IS
'Support function of kmeans_step: the next model.';

CREATE AGGREGATE pgfit.kmeans_step(features "any", model pgfit.model) (
    SFUNC = pgfit.kmeans_step_step, STYPE = pgfit.model, SSPACE = 32768, FINALFUNC = pgfit.kmeans_step_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit.kmeans_step_combine, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.kmeans_step("any", pgfit.model) IS
'One pass of kmeans over the rows from this model, the same for all rows: each row goes to its nearest centroid, and the next model has the means. Rows are not kept; parallel. Features as in scoring. info(model) says iterations, converged (the centroids moved by no more than the tolerance) and inertia; a cluster without rows keeps its centroid. NULL where no row is used. wrong_object_type: another kind of model.';

CREATE AGGREGATE pgfit.kmeans_step(features "any", model pgfit.model, weight float8) (
    SFUNC = pgfit.kmeans_step_step, STYPE = pgfit.model, SSPACE = 32768, FINALFUNC = pgfit.kmeans_step_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit.kmeans_step_combine, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.kmeans_step("any", pgfit.model, float8) IS
'One pass of kmeans over the rows, which count by weight, from this model, the same for all rows: each row goes to its nearest centroid, and the next model has the means. Rows are not kept; parallel. Features as in scoring. info(model) says iterations, converged (the centroids moved by no more than the tolerance) and inertia; a cluster without rows keeps its centroid. NULL where no row is used. wrong_object_type: another kind of model.';
