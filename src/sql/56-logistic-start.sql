-- logistic regression one iteration at a time, without keeping rows: the first model

CREATE FUNCTION pgfit_textbook.logistic_start(moments pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_logistic_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_textbook.logistic_start(pgfit.model, pgfit.call_options) IS
'Returns the logistic_regression that logistic_step starts from, from class_moments of the rows; options are those of logistic_regression (penalty, lambda, class_weight ...), which all steps follow. NULL without rows. Fails with wrong_object_type for other moments, data_exception for a single class, invalid_parameter_value for options that do not fit or binary strategies with several classes.';
