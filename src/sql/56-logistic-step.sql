-- logistic regression by passes over rows that are kept nowhere

CREATE FUNCTION pgfit.logistic_start(evidence pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_logistic_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.logistic_start(pgfit.model) IS
'The logistic_regression that logistic_step begins from: features, classes and their shares, from class_moments of the rows; no coefficient yet. NULL without rows. wrong_object_type: other evidence; data_exception: one class.';

CREATE FUNCTION pgfit.logistic_start(evidence pgfit.model, options jsonb) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_logistic_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.logistic_start(pgfit.model, jsonb) IS
'The logistic_regression that logistic_step begins from, from class_moments of the rows; options are those of logistic_regression (penalty, lambda, class_weight ...), which all steps follow. NULL without rows. wrong_object_type: other evidence; data_exception: one class; invalid_parameter_value: options that do not fit, or binary strategies for several classes.';

CREATE FUNCTION pgfit.logistic_step_step(state pgfit.model, label "any", features "any", model pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_logistic_step_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.logistic_step_step(pgfit.model, "any", "any", pgfit.model) IS
'Support function of logistic_step: takes a row into the state. Fails outside an aggregate.';

CREATE FUNCTION pgfit.logistic_step_step(state pgfit.model, label "any", features "any", model pgfit.model, weight float8) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_logistic_step_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.logistic_step_step(pgfit.model, "any", "any", pgfit.model, float8) IS
'Support function of logistic_step: takes a row into the state. Fails outside an aggregate.';

CREATE FUNCTION pgfit.logistic_step_combine(state pgfit.model, other pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_logistic_step_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.logistic_step_combine(pgfit.model, pgfit.model) IS
'Support function of logistic_step: the sums of two states. Fails outside an aggregate.';

CREATE FUNCTION pgfit.logistic_step_final(state pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_logistic_step_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION pgfit.logistic_step_final(pgfit.model) IS
'Support function of logistic_step: the next model.';

CREATE AGGREGATE pgfit.logistic_step(label "any", features "any", model pgfit.model) (
    SFUNC = pgfit.logistic_step_step, STYPE = pgfit.model, SSPACE = 32768, FINALFUNC = pgfit.logistic_step_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit.logistic_step_combine, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.logistic_step("any", "any", pgfit.model) IS
'One step of logistic_regression over the rows from this model (of logistic_start or of an earlier step), the same for all rows: the next model, with the options of this one. Rows are not kept; parallel. Features as in scoring. info(model) says iterations, converged (the step in hand lowers the objective by less than the tolerance), and log_likelihood and objective of the model that it began from (once converged, of this one). NULL where no row is used. data_exception: a label that the model does not have; wrong_object_type: another kind of model.';

CREATE AGGREGATE pgfit.logistic_step(label "any", features "any", model pgfit.model, weight float8) (
    SFUNC = pgfit.logistic_step_step, STYPE = pgfit.model, SSPACE = 32768, FINALFUNC = pgfit.logistic_step_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit.logistic_step_combine, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.logistic_step("any", "any", pgfit.model, float8) IS
'One step of logistic_regression over the rows from this model (of logistic_start or of an earlier step), the same for all rows: the next model, with the options of this one. Rows count by weight. Rows are not kept; parallel. Features as in scoring. info(model) says iterations, converged (the step in hand lowers the objective by less than the tolerance), and log_likelihood and objective of the model that it began from (once converged, of this one). NULL where no row is used. data_exception: a label that the model does not have; wrong_object_type: another kind of model.';
