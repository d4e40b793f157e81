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
'Returns the cumulative hazard of a cox_regression, and exp of minus that, the survival, at each time with an event, for a row whose predict is 0: numeric features at their means, categories at their first level. Of another row the cumulative hazard is exp(predict(model, row)) times as high. stratum is NULL without option strata.';
