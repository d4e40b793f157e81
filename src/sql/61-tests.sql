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

CREATE TYPE pgfit.log_rank_result AS (
    test text, statistic float8, df float8, p_value float8, rows bigint, groups text[], group_rows bigint[], observed float8[], expected float8[]);
COMMENT ON TYPE pgfit.log_rank_result IS
'The result of log_rank_test: what was computed, the statistic with its degrees of freedom and p-value, the rows, and per group, in the order of the labels, its label, its rows, its events, and the events that were to be expected if all groups survived alike; unnest(groups, observed, expected) shows them as rows.';

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

CREATE FUNCTION pgfit.power(effect float8, rows float8, options pgfit.call_options DEFAULT '{}') RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_power' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.power(float8, float8, pgfit.call_options) IS
'Returns the probability that a test finds an effect. effect: the difference of means, in the unit of option sd, or of shares from option baseline. rows: of the control, of the only sample, or pairs. Options: test (two_sample, one_sample, paired, proportions), sd (1: the effect is Cohen''s d), baseline (without: Cohen''s h), allocation (1), alternative, level (0.95). Fails with invalid_parameter_value for fewer than 2 rows and for impossible shares.';

CREATE FUNCTION pgfit.sample_size(effect float8, options pgfit.call_options DEFAULT '{}') RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_sample_size' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.sample_size(float8, pgfit.call_options) IS
'Returns the rows of the control, of the only sample, or the pairs that a test needs to find an effect, not rounded, at least 2. Options as for power, and power (0.8). Fails with invalid_parameter_value for an effect of 0 or in the other direction, and past 1e15 rows.';

CREATE FUNCTION pgfit.detectable_effect(rows float8, options pgfit.call_options DEFAULT '{}') RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_detectable_effect' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.detectable_effect(float8, pgfit.call_options) IS
'Returns the least effect that a test finds with so many rows (of the control, of the only sample, or pairs): below 0 with alternative less, else above. Options as for power, and power (0.8). Fails with invalid_parameter_value where no share has this power.';

CREATE FUNCTION pgfit.adjust_p(p_values float8[], method text DEFAULT 'holm') RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_adjust_p' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.adjust_p(float8[], text) IS
'Returns p-values adjusted for the number of tests, in their order; NULLs stay NULL and do not count. Methods: holm, bonferroni, hochberg, BH, BY. Fails with data_exception for numbers outside 0 to 1.';
