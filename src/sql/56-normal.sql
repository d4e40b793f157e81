-- textbook functions of normal distributions and Bayes' theorem

CREATE FUNCTION pgfit_textbook.normal_density(x float8, mean float8, sd float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_normal_density' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit_textbook.normal_density(float8, float8, float8) IS
'Returns the density at x of the normal distribution with this mean and standard deviation. Fails with invalid_parameter_value for a standard deviation of 0 or less or a number that is not finite.';

CREATE FUNCTION pgfit_textbook.normal_density(x float8[], mean float8[], covariance float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_normal_density_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit_textbook.normal_density(float8[], float8[], float8[]) IS
'Returns the density at the point x of the normal distribution with this mean (p numbers) and covariance (p by p). NULL if a number is NULL. Fails with data_exception for different sizes or a covariance that is not symmetric and positive definite.';

CREATE FUNCTION pgfit_textbook.normal_log_density(x float8, mean float8, sd float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_normal_log_density' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit_textbook.normal_log_density(float8, float8, float8) IS
'Returns the natural logarithm of normal_density, which does not underflow far from the mean.';

CREATE FUNCTION pgfit_textbook.normal_log_density(x float8[], mean float8[], covariance float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_normal_log_density_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit_textbook.normal_log_density(float8[], float8[], float8[]) IS
'Returns the natural logarithm of normal_density in p dimensions, which does not underflow far from the mean: minus half of the sum of the squared Mahalanobis distance and log |2 pi covariance|.';

CREATE FUNCTION pgfit_textbook.likelihood_ratio(x float8, mean_positive float8, sd_positive float8, mean_negative float8, sd_negative float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_likelihood_ratio' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit_textbook.likelihood_ratio(float8, float8, float8, float8, float8) IS
'Returns the density at x of one normal distribution divided by that of another: above 1 if the first is more likely. Fails with numeric_value_out_of_range for a ratio above 1e308 (subtract values of normal_log_density instead).';

CREATE FUNCTION pgfit_textbook.likelihood_ratio(x float8[], mean_positive float8[], covariance_positive float8[], mean_negative float8[], covariance_negative float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_likelihood_ratio_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_textbook.likelihood_ratio(float8[], float8[], float8[], float8[], float8[]) IS
'Returns the density at the point x of one normal distribution of p dimensions divided by that of another. NULL if a number is NULL. Fails with data_exception as normal_density does.';

CREATE FUNCTION pgfit_textbook.normal_thresholds(mean_positive float8, sd_positive float8, mean_negative float8, sd_negative float8, prior_positive float8 DEFAULT 0.5) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_normal_thresholds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit_textbook.normal_thresholds(float8, float8, float8, float8, float8) IS
'Returns where prior times density of two normal distributions are equal, in ascending order: one threshold if the standard deviations are equal (halfway between the means if the priors are), otherwise two, between which the narrower distribution is more likely, or none if one class is more probable everywhere or the distributions are the same. prior_positive is the probability of the first, between 0 and 1.';

CREATE FUNCTION pgfit_textbook.posterior(likelihoods float8[], priors float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_posterior' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_textbook.posterior(float8[], float8[]) IS
'Returns the probabilities of classes by Bayes'' theorem: each likelihood times its prior, divided by their sum. NULL if a number is NULL or all products are 0. Fails with invalid_parameter_value for priors that do not add up to 1, data_exception for different sizes or negative numbers.';

CREATE FUNCTION pgfit_textbook.bayes_class(likelihoods float8[]) RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_bayes_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit_textbook.bayes_class(float8[]) IS
'Returns the position, from 1, of the largest likelihood (maximum likelihood), the first of equal ones.';

CREATE FUNCTION pgfit_textbook.bayes_class(likelihoods float8[], weights float8[]) RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_bayes_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit_textbook.bayes_class(float8[], float8[]) IS
'Returns the position, from 1, of the largest likelihood times weight, the first of equal ones: with priors as weights the most probable class (maximum a posteriori); other weights shift the decision, as costs do.';
