-- decision rules and calibrations, which are stored with the model

CREATE FUNCTION pgfit.decision_rule(model pgfit.model, options pgfit.call_options) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_decision_rule' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.decision_rule(pgfit.model, pgfit.call_options) IS
'Returns the same classifier with another decision rule, which classify and predict follow. options: one of threshold (0 to 1, on the probability of the positive of two classes), cost ({"false_positive": c, "false_negative": c} or a matrix), weights ({"label": factor} of the likelihoods) and rule (map, ml); and priors (uniform or {"label": probability}), which also change probability and probabilities; trained_priors if the model does not store its own. A rule replaces the previous one, {} removes it. Fails with invalid_parameter_value for options that do not fit, wrong_object_type for a model without classes or probabilities.';

CREATE FUNCTION pgfit.calibrate(model pgfit.model, calibration pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_calibrate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.calibrate(pgfit.model, pgfit.model) IS
'Returns the same classifier of two classes with calibrated probabilities. Fit calibration (logistic_calibration, platt_calibration or isotonic_calibration) on the classifier''s decision, or on its probability if it has no decision. classify then returns the more probable class; a decision rule of the model is removed. Fails with wrong_object_type for a model without scores or a value that is not a calibration, invalid_parameter_value for more than two classes or a different positive class.';

CREATE FUNCTION pgfit.calibrate(model pgfit.model, calibrations pgfit.model[]) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_calibrate_classes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.calibrate(pgfit.model, pgfit.model[]) IS
'Returns the same classifier with calibrated probabilities, from one calibration per class in the order of classes(model), each fitted on (label = class, that class''s element of decisions, or of probabilities if the model has no decisions); their results are divided by their sum. Fails with wrong_object_type for a model without scores or a value that is not a calibration, invalid_parameter_value for another number of calibrations.';
