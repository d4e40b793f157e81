-- what models of survival show

CREATE FUNCTION pgfit.hazard_ratios(model pgfit.model, OUT term text, OUT hazard_ratio float8, OUT conf_low float8, OUT conf_high float8, OUT p_value float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.hazard_ratios(pgfit.model) IS
'Returns the factors that one unit more of a feature multiplies the hazard by: exp of the coefficients of a cox_regression, one row per term, with confidence limits and p value as in coefficients.';

CREATE FUNCTION pgfit.baseline_hazard(model pgfit.model, OUT stratum text, OUT "time" float8, OUT cumulative_hazard float8, OUT survival float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.baseline_hazard(pgfit.model) IS
'Returns the cumulative hazard of a cox_regression, and exp of minus that, the survival, at each time with an event, for a row whose predict is 0: numeric features at their means, categories at their first level. Of another row the cumulative hazard is exp(predict(model, row)) times as high, and survival(model, row, time) is what it leaves. stratum is NULL without option strata.';

CREATE FUNCTION pgfit.survival(model pgfit.model, features "any", "time" float8, stratum text DEFAULT NULL) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_survival' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.survival(pgfit.model, "any", float8, text) IS
'Returns the probability that the event of a row comes after a time, by a cox_regression: exp(-cumulative hazard of the baseline until then x exp(predict(model, row))). After the last event it stays at what it was there. stratum: the value of the column of option strata, as text; required where the model has strata. features as in predict. NULL if the time or a feature is NULL. Fails with invalid_parameter_value for a time that is NaN, for a stratum that is missing or that the model does not have, wrong_object_type for a model without survival.';

CREATE FUNCTION pgfit.survival_interval(model pgfit.model, features "any", "time" float8, level float8 DEFAULT NULL, stratum text DEFAULT NULL, OUT survival float8, OUT lower float8, OUT upper float8)
AS 'MODULE_PATHNAME', 'pgfit_survival_interval' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.survival_interval(pgfit.model, "any", float8, float8, text) IS
'Returns survival(model, row, time) and its limits with confidence level, a number between 0 and 1; without it, the level of the fit (option level, 0.95). Limits come from the logarithm of survival, and count the errors of the coefficients and of the baseline. They are NULL if the model has no covariance; all are NULL if the time or a feature is NULL. Fails with invalid_parameter_value for a model fitted without option survival_limits, and as survival does.';
