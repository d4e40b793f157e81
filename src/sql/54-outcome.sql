-- what becomes of a classifier's scores: decision rules and calibrations that are stored with the model

CREATE FUNCTION pgfit.decision_rule(model pgfit.model, options jsonb) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_decision_rule' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.decision_rule(pgfit.model, jsonb) IS
'The same classifier with another decision rule, which classify and predict follow. options: one of threshold (0 to 1, of the probability of the positive of two classes), cost ({"false_positive": c, "false_negative": c} or a matrix), weights ({"label": factor} of the likelihoods) and rule (map, ml); and priors (uniform or {"label": probability}), which also change probability and probabilities; trained_priors where the model does not hold its own. A rule takes the place of the former one, {} removes it. invalid_parameter_value: options that do not fit; wrong_object_type: a model without classes or probabilities.';

CREATE FUNCTION pgfit.calibrate(model pgfit.model, calibration pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_calibrate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.calibrate(pgfit.model, pgfit.model) IS
'The same classifier of two classes with calibrated probabilities: calibration (of logistic_calibration, platt_calibration or isotonic_calibration) was fitted on its decision, or where it has none on its probability. classify then gives the more probable class. A decision rule of the model is removed. wrong_object_type: a model without scores, or no calibration; invalid_parameter_value: more than two classes, or the other class as the positive one.';

CREATE FUNCTION pgfit.calibrate(model pgfit.model, calibrations pgfit.model[]) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_calibrate_classes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.calibrate(pgfit.model, pgfit.model[]) IS
'The same classifier with calibrated probabilities: one calibration for each class, in the order of classes(model), each fitted on (label = class, that class''s element of decisions, or where the model has none of probabilities); their results are divided by their sum. wrong_object_type: a model without scores, or no calibration; invalid_parameter_value: another number of calibrations.';
