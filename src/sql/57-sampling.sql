-- distributions that models describe: rows drawn from them, densities of rows, criteria of a fit

CREATE FUNCTION pgfit.sample(model pgfit.model, n bigint, seed bigint DEFAULT 0, class text DEFAULT NULL, OUT id bigint, OUT label text, OUT features jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_sample' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.sample(pgfit.model, bigint, bigint, text) IS
'Returns n rows drawn at random from the distribution that a model describes. The model is one of gaussian_mixture, lda, multivariate_normal, naive_bayes or qda. Columns: id from 1, label (the class of a classifier, drawn by the priors of the model; the number of the component of a mixture, drawn by its weights; else NULL), and the row as a jsonb object in the units of the data, which can be passed as features again. The same seed gives the same rows, whatever n. class: draw only rows of this class or component. Fails with wrong_object_type for a model without such a distribution, invalid_parameter_value for a negative n, one above 1000000000, or a class that the model does not have.';

CREATE FUNCTION pgfit.sample_numbers(model pgfit.model, n bigint, seed bigint DEFAULT 0, class text DEFAULT NULL, OUT id bigint, OUT label text, OUT features float8[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_sample_numbers' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pgfit.sample_numbers(pgfit.model, bigint, bigint, text) IS
'Returns the rows of sample as arrays of numbers in the order of features(model), which is faster. Fails as sample does, and with wrong_object_type for a model with categorical features.';

CREATE FUNCTION pgfit.log_density(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_log_density' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.log_density(pgfit.model, "any") IS
'Returns the natural logarithm of the probability density of a row under a model. This is the density for gaussian_mixture and multivariate_normal; of lda, qda and naive_bayes the sum of prior times density over the classes, of pca that of probabilistic principal components. Low for outliers. features as in predict; NULL if a feature is NULL. Fails with wrong_object_type for a model without a density.';

CREATE FUNCTION pgfit.log_likelihood(model pgfit.model) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_log_likelihood' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.log_likelihood(pgfit.model) IS
'Returns the log likelihood of the rows that a model was fitted to, as info shows it. Fails with wrong_object_type for a model that has none.';

CREATE FUNCTION pgfit.aic(model pgfit.model) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_aic' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.aic(pgfit.model) IS
'Returns Akaike''s information criterion of a fit, 2 parameters - 2 log likelihood, as info shows it: the lower, the better among models of the same rows. Fails with wrong_object_type for a model that has none.';

CREATE FUNCTION pgfit.bic(model pgfit.model) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_bic' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.bic(pgfit.model) IS
'Returns the Bayesian information criterion of a fit, log(rows) parameters - 2 log likelihood, as info shows it: the lower, the better among models of the same rows. Fails with wrong_object_type for a model that has none.';
