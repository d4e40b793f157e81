-- logistic regression by passes over rows that are kept nowhere

CREATE FUNCTION pgfit.logistic_start(moments pgfit.model) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_logistic_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.logistic_start(pgfit.model) IS
'The logistic_regression that logistic_step begins from: features, classes and their shares, from class_moments of the rows; no coefficient yet. NULL without rows. wrong_object_type: other moments; data_exception: one class.';

CREATE FUNCTION pgfit.logistic_start(moments pgfit.model, options jsonb) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_logistic_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.logistic_start(pgfit.model, jsonb) IS
'The logistic_regression that logistic_step begins from, from class_moments of the rows; options are those of logistic_regression (penalty, lambda, class_weight ...), which all steps follow. NULL without rows. wrong_object_type: other moments; data_exception: one class; invalid_parameter_value: options that do not fit, or binary strategies for several classes.';
