
-- the test of the additional terms of a model

CREATE FUNCTION pgfit.anova(smaller pgfit.model, larger pgfit.model, OUT test text, OUT statistic float8, OUT df float8, OUT df_residual float8, OUT p_value float8)
AS 'MODULE_PATHNAME', 'pgfit_anova' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.anova(pgfit.model, pgfit.model) IS
'Tests whether the additional terms of the second model improve the fit by more than chance. Both models must be fitted to the same rows without a penalty, and the terms of the first must be among those of the second, as for anova() of R. Uses the F test for linear_regression and for generalized models with a dispersion; the likelihood ratio for logistic_regression, other generalized models, cox_regression, ordinal_regression and mixed_regression by maximum likelihood; the Wald test if option vcov gave the second model robust standard errors. Returns the statistic, the number of additional coefficients, the residual degrees of freedom of the second model (of the F test), and the p-value. Statistic and p-value are NULL if the second model fits its rows perfectly. Fails with wrong_object_type for other models, invalid_parameter_value for models of other rows, weights or another target, and if the second model has no more coefficients, lacks a column of the first or fits worse.';
