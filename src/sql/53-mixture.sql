-- one iteration of a mixture over any number of rows: parallel, and without keeping them

CREATE FUNCTION pgfit.mixture_step_step(state pgfit.model, features "any", model pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_mixture_step_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.mixture_step_step(pgfit.model, "any", pgfit.model) IS
'Support function of mixture_step: takes a row into the state. Fails outside an aggregate.';

CREATE FUNCTION pgfit.mixture_step_step(state pgfit.model, features "any", model pgfit.model, weight float8) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_mixture_step_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.mixture_step_step(pgfit.model, "any", pgfit.model, float8) IS
'Support function of mixture_step: takes a row into the state. Fails outside an aggregate.';

CREATE FUNCTION pgfit.mixture_step_combine(state pgfit.model, other pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_mixture_step_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.mixture_step_combine(pgfit.model, pgfit.model) IS
'Support function of mixture_step: the sums of two states. Fails outside an aggregate.';

CREATE FUNCTION pgfit.mixture_step_final(state pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_mixture_step_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION pgfit.mixture_step_final(pgfit.model) IS
'Support function of mixture_step: the next model.';

CREATE AGGREGATE pgfit.mixture_step(features "any", model pgfit.model) (
    SFUNC = pgfit.mixture_step_step, STYPE = pgfit.model, SSPACE = 32768, FINALFUNC = pgfit.mixture_step_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit.mixture_step_combine, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mixture_step("any", pgfit.model) IS
'One iteration of gaussian_mixture over the rows from this model, the same for all rows: the next model, with the options of this one. Rows are not kept; parallel. Features as in scoring. info(model) says iterations, converged (the log likelihood a row changed by at most the tolerance), and log_likelihood, of the model that it began from. NULL where no row is used. wrong_object_type: another kind of model.';

CREATE AGGREGATE pgfit.mixture_step(features "any", model pgfit.model, weight float8) (
    SFUNC = pgfit.mixture_step_step, STYPE = pgfit.model, SSPACE = 32768, FINALFUNC = pgfit.mixture_step_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit.mixture_step_combine, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mixture_step("any", pgfit.model, float8) IS
'One iteration of gaussian_mixture over the rows, which count by weight, from this model, the same for all rows: the next model, with the options of this one. Rows are not kept; parallel. Features as in scoring. info(model) says iterations, converged (the log likelihood a row changed by at most the tolerance), and log_likelihood, of the model that it began from. NULL where no row is used. wrong_object_type: another kind of model.';
