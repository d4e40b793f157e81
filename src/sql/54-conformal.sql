-- conformal scores of held-out rows, which are stored with the model: limits around any prediction, sets of classes

CREATE FUNCTION pgfit_internal.conformalize_step(state internal, model pgfit.model, target "any", features "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_conformalize_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.conformalize_step(internal, pgfit.model, "any", "any") IS 'Adds a row to a state of conformalize. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.conformalize_step(state internal, model pgfit.model, target "any", features "any", options pgfit.call_options) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_conformalize_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.conformalize_step(internal, pgfit.model, "any", "any", pgfit.call_options) IS 'Adds a row to a state of conformalize. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.conformalize_final(state internal) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_conformalize_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit_internal.conformalize_final(internal) IS 'Returns the result of conformalize from a state. Fails outside an aggregate.';

CREATE AGGREGATE pgfit.conformalize(model pgfit.model, target "any", features "any") (
    SFUNC = pgfit_internal.conformalize_step, STYPE = internal, SSPACE = 32768, FINALFUNC = pgfit_internal.conformalize_final, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.conformalize(pgfit.model, "any", "any") IS
'Returns the model with the conformal scores of rows that it was not fitted to, for predict_interval and prediction_set: of a regression the absolute residuals, of a classifier 1 - the probability of the true class. Rows with a NULL are left out; NULL without rows. Fails with wrong_object_type for a model that predicts neither numbers nor probabilities, data_exception if no row has a score, invalid_parameter_value for several models.';
CREATE AGGREGATE pgfit.conformalize(model pgfit.model, target "any", features "any", options pgfit.call_options) (
    SFUNC = pgfit_internal.conformalize_step, STYPE = internal, SSPACE = 32768, FINALFUNC = pgfit_internal.conformalize_final, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.conformalize(pgfit.model, "any", "any", pgfit.call_options) IS
'Returns the model with the conformal scores of rows that it was not fitted to. options: group (a column of the row: levels hold for each of its values), score (lac or aps) and by_class of classifiers. Fails as conformalize(model, target, features) does, and with invalid_parameter_value for options that do not fit.';

CREATE FUNCTION pgfit.conformalize(model pgfit.model, folds pgfit.model[]) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_conformalize_folds' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.conformalize(pgfit.model, pgfit.model[]) IS
'Returns the model with limits or sets by CV+: from models that were fitted without one fold each, and given the conformal scores of that fold. NULL takes all conformal scores out of the model. Fails with invalid_parameter_value for fewer than two models, models without scores, or scores of different kinds.';

CREATE FUNCTION pgfit.prediction_set(model pgfit.model, features "any", level float8 DEFAULT NULL) RETURNS text[]
AS 'MODULE_PATHNAME', 'pgfit_prediction_set' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.prediction_set(pgfit.model, "any", float8) IS
'Returns the classes, in the order of classes(model), among which is the class of a new row with probability level, a number between 0 and 1; 0.95 without it. Needs conformal scores: option conformal of fit, or conformalize. features as in predict; NULL if a feature is NULL. Fails with invalid_parameter_value for a level out of range, wrong_object_type for a model without classes or conformal scores.';
