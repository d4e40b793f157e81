-- support vector machines one iteration at a time, without keeping rows: the first model

CREATE FUNCTION pgfit_textbook.svm_start(moments pgfit.model, options pgfit.call_options) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_svm_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_textbook.svm_start(pgfit.model, pgfit.call_options) IS
'Returns the model that svm_step starts from: a svm_classifier from class_moments of the rows, a svm_regression from moments. options are those of the estimator, which all steps follow; loss must be squared_hinge, or squared_epsilon_insensitive for a regression. NULL without rows. Fails with wrong_object_type for other moments, data_exception for a single class, invalid_parameter_value for other losses and kernels, nu, and keep_support.';
