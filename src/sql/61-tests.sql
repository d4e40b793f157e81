-- statistical tests: their result, and tests from stored moments; the aggregates are in metrics.tsv

CREATE TYPE pgfit.test_result AS (
    test text, statistic float8, df float8, df_2 float8, p_value float8, estimate float8, estimated text, std_error float8,
    conf_low float8, conf_high float8, effect_size float8, effect text, alternative text, rows bigint);
COMMENT ON TYPE pgfit.test_result IS
'The result of a statistical test: what was computed, the statistic with its degrees of freedom and p-value, the estimate (and what it is of) with its standard error and limits, an effect size (and which), the alternative, and the rows; NULL where a test has no such thing.';

CREATE TYPE pgfit.ab_test_result AS (
    test text, control text, treatment text, control_rows bigint, treatment_rows bigint, control_mean float8, treatment_mean float8,
    difference float8, std_error float8, conf_low float8, conf_high float8, lift float8, lift_low float8, lift_high float8,
    statistic float8, df float8, p_value float8, theta float8, variance_reduction float8, sample_ratio_p_value float8);
COMMENT ON TYPE pgfit.ab_test_result IS
'The comparison of two variants: what was computed, the label, rows and mean of each, the difference treatment - control with its standard error and limits, the lift difference / mean of the control with limits by the delta method (NULL unless that mean is above 0), the statistic with its degrees of freedom and p-value, with a covariate its coefficient and the share of variance that it explains, and the p-value of the rows against the planned share of the treatment.';

CREATE FUNCTION pgfit.one_sample_t_test(moments pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.test_result
AS 'MODULE_PATHNAME', 'pgfit_moments_test' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.one_sample_t_test(pgfit.model, pgfit.call_options) IS
'Does the same as the aggregate from feature_moments. Option feature chooses one of several features. Fails with wrong_object_type for other values.';

CREATE FUNCTION pgfit.t_test(moments pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.test_result
AS 'MODULE_PATHNAME', 'pgfit_moments_test' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.t_test(pgfit.model, pgfit.call_options) IS
'Does the same as the aggregate from class_moments(groups, outcome). Option feature chooses one of several features. Fails with wrong_object_type for other values.';

CREATE FUNCTION pgfit.variance_test(moments pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.test_result
AS 'MODULE_PATHNAME', 'pgfit_moments_test' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.variance_test(pgfit.model, pgfit.call_options) IS
'Does the same as the aggregate from class_moments(groups, outcome). Option feature chooses one of several features. Fails with wrong_object_type for other values.';

CREATE FUNCTION pgfit.oneway_test(moments pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.test_result
AS 'MODULE_PATHNAME', 'pgfit_moments_test' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.oneway_test(pgfit.model, pgfit.call_options) IS
'Does the same as the aggregate from class_moments(groups, outcome). Option feature chooses one of several features. Fails with wrong_object_type for other values.';

CREATE FUNCTION pgfit.correlation_test(moments pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.test_result
AS 'MODULE_PATHNAME', 'pgfit_moments_test' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.correlation_test(pgfit.model, pgfit.call_options) IS
'Does the same as the aggregate by Pearson from feature_moments. Option features chooses two of several features. Fails with wrong_object_type for other values.';

CREATE FUNCTION pgfit.ab_test(moments pgfit.model, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.ab_test_result
AS 'MODULE_PATHNAME', 'pgfit_moments_test' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.ab_test(pgfit.model, pgfit.call_options) IS
'Does the same as the aggregate from class_moments(variant, outcome). Option features names the outcome and the covariate or denominator, of several features. Fails with wrong_object_type for other values.';

CREATE FUNCTION pgfit.adjust_p(p_values float8[], method text DEFAULT 'holm') RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_adjust_p' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.adjust_p(float8[], text) IS
'Returns p-values adjusted for the number of tests, in their order; NULLs stay NULL and do not count. Methods: holm, bonferroni, hochberg, BH, BY. Fails with data_exception for numbers outside 0 to 1.';
