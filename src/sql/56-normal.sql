-- normal densities, likelihood ratios, thresholds, decisions

CREATE FUNCTION pgfit.normal_density(x float8, mean float8, sd float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_normal_density' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.normal_density(float8, float8, float8) IS
'The density at x of the normal distribution with this mean and standard deviation. invalid_parameter_value: a standard deviation that is not above 0, a number that is not finite.';

CREATE FUNCTION pgfit.normal_density(x float8[], mean float8[], covariance float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_normal_density_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.normal_density(float8[], float8[], float8[]) IS
'The density at the point x of the normal distribution of p dimensions with this mean (p numbers) and covariance (p by p). NULL for a NULL among the numbers. data_exception: other sizes, a covariance that is not symmetric and positive definite.';

CREATE FUNCTION pgfit.normal_log_density(x float8, mean float8, sd float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_normal_log_density' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.normal_log_density(float8, float8, float8) IS
'The natural logarithm of normal_density, which does not vanish far from the mean.';

CREATE FUNCTION pgfit.normal_log_density(x float8[], mean float8[], covariance float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_normal_log_density_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.normal_log_density(float8[], float8[], float8[]) IS
'The natural logarithm of normal_density of p dimensions, which does not vanish far from the mean: minus half of the squared Mahalanobis distance plus log |2 pi covariance|.';

CREATE FUNCTION pgfit.likelihood_ratio(x float8, mean_positive float8, sd_positive float8, mean_negative float8, sd_negative float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_likelihood_ratio' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.likelihood_ratio(float8, float8, float8, float8, float8) IS
'The density at x of one normal distribution over that of another: above 1 the first is the likelier one. numeric_value_out_of_range: a ratio above 1e308 (take the difference of normal_log_density).';

CREATE FUNCTION pgfit.likelihood_ratio(x float8[], mean_positive float8[], covariance_positive float8[], mean_negative float8[], covariance_negative float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_likelihood_ratio_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.likelihood_ratio(float8[], float8[], float8[], float8[], float8[]) IS
'The density at the point x of one normal distribution of p dimensions over that of another. NULL for a NULL among the numbers. data_exception as in normal_density.';

CREATE FUNCTION pgfit.normal_thresholds(mean_positive float8, sd_positive float8, mean_negative float8, sd_negative float8) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_normal_thresholds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.normal_thresholds(float8, float8, float8, float8) IS
'Where the densities of two normal distributions are equal, rising: one threshold, halfway between the means, where the standard deviations are equal, else two, between which the narrower distribution is the likelier one; none where both are the same distribution.';

CREATE FUNCTION pgfit.normal_thresholds(mean_positive float8, sd_positive float8, mean_negative float8, sd_negative float8, prior_positive float8) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_normal_thresholds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.normal_thresholds(float8, float8, float8, float8, float8) IS
'Where prior times density of two normal distributions are equal, rising: one threshold where the standard deviations are equal, else two, or none where one class is the more probable one everywhere. prior_positive: the probability of the first, between 0 and 1.';

CREATE FUNCTION pgfit.posterior(likelihoods float8[], priors float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_posterior' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.posterior(float8[], float8[]) IS
'The probabilities of classes by Bayes: each likelihood times its prior, divided by their sum. NULL where a number is NULL or all products are 0. invalid_parameter_value: priors that do not add up to 1; data_exception: other sizes, numbers below 0.';

CREATE FUNCTION pgfit.bayes_class(likelihoods float8[]) RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_bayes_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.bayes_class(float8[]) IS
'The position, from 1, of the largest likelihood (maximum likelihood), the first of equal ones.';

CREATE FUNCTION pgfit.bayes_class(likelihoods float8[], weights float8[]) RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_bayes_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.bayes_class(float8[], float8[]) IS
'The position, from 1, of the largest likelihood times weight, the first of equal ones: with priors as weights the most probable class (maximum a posteriori), with others a recalibrated decision.';
