-- comparisons of variants: forms, options, merging, stored moments, windows, clusters, and what the rows do not define; the numbers are golden cases
CREATE TEMP TABLE trial AS
SELECT i, CASE WHEN i % 2 = 0 THEN 'new' ELSE 'old' END AS arm, i % 3 AS third, i % 5 = 0 AS bought, 1 + i % 4 AS visits, i / 30 AS day,
       1000 + (i * 7919 % 101) / 10.0 + (i % 2) + (i * 104729 % 97) AS y, (i * 104729 % 97) + (i * 31 % 17) / 7.0 AS x
FROM generate_series(1, 300) AS i;
-- whether two results are the same up to rounding
CREATE FUNCTION pg_temp.same(a pgfit.ab_test_result, b pgfit.ab_test_result) RETURNS boolean LANGUAGE sql AS $$
    SELECT a.test = b.test AND a.control = b.control AND a.treatment = b.treatment AND a.control_rows = b.control_rows AND a.treatment_rows = b.treatment_rows
           AND bool_and(x IS NOT DISTINCT FROM y OR test.near(x, y, 1e-9))
    FROM unnest(ARRAY[a.control_mean, a.treatment_mean, a.difference, a.std_error, a.conf_low, a.conf_high, a.lift, a.lift_low, a.lift_high, a.statistic, a.df,
                      a.p_value, a.theta, a.variance_reduction, a.sample_ratio_p_value],
                ARRAY[b.control_mean, b.treatment_mean, b.difference, b.std_error, b.conf_low, b.conf_high, b.lift, b.lift_low, b.lift_high, b.statistic, b.df,
                      b.p_value, b.theta, b.variance_reduction, b.sample_ratio_p_value]) AS u(x, y)
$$;

-- the control is the first label, or the one that is named; what is there of which test
SELECT (t).test, (t).control, (t).treatment, (t).control_rows, (t).treatment_rows, (t).theta IS NULL AS no_theta, (t).sample_ratio_p_value
FROM (SELECT pgfit.ab_test(y, arm) AS t FROM trial) q;
SELECT (a).control, (a).difference = -(b).difference AS sign, (c).control AS by_treatment, (n).control AS number, (n).treatment, (s).control AS bool
FROM (SELECT pgfit.ab_test(y, arm, '{"control": "old"}') AS a, pgfit.ab_test(y, arm) AS b, pgfit.ab_test(y, arm, '{"treatment": "new"}') AS c,
             pgfit.ab_test(y, third, '{"control": 2, "treatment": 0}') AS n, pgfit.ab_test(y, bought, '{"control": true}') AS s FROM trial) q;
SELECT (c).test, (c).theta > 0 AS theta, (c).variance_reduction > 0.9 AS reduced, (r).test AS ratio, (r).theta IS NULL AS no_theta
FROM (SELECT pgfit.ab_test(y, arm, x) AS c, pgfit.ab_test(y, arm, visits, '{"ratio": true}') AS r FROM trial) q;
-- outcomes are numbers of any type, or booleans; NULLs are left out
SELECT pg_temp.same(pgfit.ab_test(bought, arm), pgfit.ab_test(bought::int::numeric, arm)) AS bool, pg_temp.same(pgfit.ab_test(visits, arm), pgfit.ab_test(visits::real, arm)) AS real
FROM trial;
SELECT pg_temp.same(pgfit.ab_test(CASE WHEN i % 5 > 0 THEN y END, CASE WHEN i % 7 > 0 THEN arm END, CASE WHEN i % 11 > 0 THEN x END),
                    pgfit.ab_test(y, arm, x) FILTER (WHERE i % 5 > 0 AND i % 7 > 0 AND i % 11 > 0)) FROM trial;
SELECT pgfit.ab_test(y, arm), pgfit.ab_test(y, arm, x), pgfit.sample_ratio_test(arm) FROM trial WHERE false;
-- limits without a bound; a lift needs a control above 0
SELECT (t).conf_low, (t).lift_low, (t).p_value > 0.5 AS other_way FROM (SELECT pgfit.ab_test(y, arm, x, '{"alternative": "less"}') AS t FROM trial) q;
SELECT (t).lift IS NULL AS no_lift, (t).difference IS NULL AS no_difference FROM (SELECT pgfit.ab_test(-y, arm) AS t FROM trial) q;

-- the adjusted difference is the coefficient of a regression; that of t_test is the difference of ab_test
SELECT test.near((t).difference, c.estimate, 1e-9) AS regression
FROM (SELECT pgfit.ab_test(y, arm, x, '{"control": "old"}') AS t, pgfit.linear_regression(y, ROW((arm = 'new')::int, x), '{"features": ["arm_new", "x"]}') AS m FROM trial) q, pgfit.coefficients(m) AS c WHERE c.term = 'arm_new';
SELECT (a).difference = -(t).estimate AND (a).std_error = (t).std_error AND test.near((a).p_value, (t).p_value, 1e-12) AND test.near((a).df, (t).df, 1e-12) AS welch
FROM (SELECT pgfit.ab_test(y, arm) AS a, pgfit.t_test(y, arm) AS t FROM trial) q;
-- rows that are events: a ratio per user has the standard error of clusters, up to n / (n - 1) users of each variant
SELECT test.near((t).difference, c.estimate, 1e-9) AS same_difference, test.near((t).std_error, c.std_error * sqrt(50 / 49.0), 1e-9) AS same_error
FROM (SELECT pgfit.ab_test(spent, variant, events, '{"ratio": true, "control": "old"}') AS t
      FROM (SELECT i % 100 AS customer, min(arm) AS variant, sum(y) AS spent, count(*)::float8 AS events FROM trial GROUP BY customer) AS per_customer) AS q,
     (SELECT pgfit.linear_regression(y, e, '{"formula": "arm_new", "vcov": "CR0", "cluster": "customer"}') AS m
      FROM (SELECT y, (arm = 'new')::int AS arm_new, i % 100 AS customer FROM trial) AS e) AS r, pgfit.coefficients(m) AS c WHERE c.term = 'arm_new';

-- at any time: never better than one look, and an estimate without a p-value below 5 % has limits around 0
SELECT (v).test, (v).df IS NULL AS no_df, (v).std_error = (t).std_error AS same_error, (v).p_value > (t).p_value AS p, (v).conf_low < (t).conf_low AND (v).lift_high > (t).lift_high AS wider,
       test.near((m).p_value, (v).p_value, 1e-9) AS default_mixture
FROM (SELECT pgfit.ab_test(y, arm, x) AS t, pgfit.ab_test(y, arm, x, '{"always_valid": true}') AS v FROM trial) q,
     LATERAL (SELECT pgfit.ab_test(y, arm, x, format('{"always_valid": true, "mixture": %s}', (0.1 * (t).std_error * sqrt(75.0))::text)::jsonb) AS m FROM trial) AS again;

-- partial states merge
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
CREATE TABLE many_trials AS SELECT t.* FROM trial AS t, generate_series(1, 40);
ALTER TABLE many_trials SET (parallel_workers = 3);
ANALYZE many_trials;
SELECT pgfit.ab_test(y, arm) AS a, pgfit.ab_test(y, third, x, '{"treatment": 2}') AS b, pgfit.ab_test(bought, arm, visits, '{"ratio": true}') AS c, pgfit.sample_ratio_test(third) AS d
FROM many_trials \gset p_
SET max_parallel_workers_per_gather = 0;
SELECT pg_temp.same(:'p_a', pgfit.ab_test(y, arm)), pg_temp.same(:'p_b', pgfit.ab_test(y, third, x, '{"treatment": 2}')),
       pg_temp.same(:'p_c', pgfit.ab_test(bought, arm, visits, '{"ratio": true}')), :'p_d' = pgfit.sample_ratio_test(third)::text FROM many_trials;
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
DROP TABLE many_trials;

-- stored moments: a value per day; days merge, and a window gives the result up to each day
CREATE TEMP TABLE daily AS SELECT day, pgfit.class_moments(arm, t, '{"features": ["y", "x", "visits"]}') AS m FROM trial AS t GROUP BY day;
SELECT pg_temp.same(pgfit.ab_test(m, '{"features": ["y"]}'), a) AS plain, pg_temp.same(pgfit.ab_test(m, '{"features": ["y", "x"], "control": "old"}'), b) AS adjusted,
       pg_temp.same(pgfit.ab_test(m, '{"features": ["y", "visits"], "ratio": true, "always_valid": true}'), c) AS ratio
FROM (SELECT pgfit.merge(m) AS m FROM daily) AS d,
     (SELECT pgfit.ab_test(y, arm) AS a, pgfit.ab_test(y, arm, x, '{"control": "old"}') AS b, pgfit.ab_test(y, arm, visits, '{"ratio": true, "always_valid": true}') AS c FROM trial) AS r;
SELECT bool_and(pg_temp.same(running, at_once)) AS same, count(*) AS days
FROM (SELECT day, pgfit.ab_test(pgfit.merge(m) OVER (ORDER BY day), '{"features": ["y", "x"]}') AS running FROM daily) AS w
JOIN LATERAL (SELECT pgfit.ab_test(y, arm, x) AS at_once FROM trial WHERE trial.day <= w.day) AS r ON true;
SELECT (pgfit.ab_test(pgfit.class_moments(arm, y))).treatment, pgfit.ab_test(NULL::pgfit.model) IS NULL AS none FROM trial;
SELECT test.try('SELECT pgfit.ab_test(pgfit.merge(m)) FROM daily');
SELECT test.try('SELECT pgfit.ab_test(pgfit.merge(m), ''{"features": ["y", "x", "visits"]}'') FROM daily');
SELECT test.try('SELECT pgfit.ab_test(pgfit.merge(m), ''{"features": ["z"]}'') FROM daily');
SELECT test.try('SELECT pgfit.ab_test(pgfit.merge(m), ''{"features": ["y"], "ratio": true}'') FROM daily');
SELECT test.try('SELECT pgfit.ab_test(pgfit.feature_moments(y)) FROM trial');
-- a window of rows
SELECT i, (pgfit.ab_test(y, arm) OVER (ORDER BY i)) IS NULL AS too_few FROM trial WHERE i < 6;

-- several variants: each against the control
SELECT treatment, (pgfit.ab_test(m, jsonb_build_object('control', 0, 'treatment', treatment))).treatment_rows
FROM (SELECT pgfit.class_moments(third, y) AS m FROM trial) AS s, generate_series(1, 2) AS treatment ORDER BY treatment;

-- shares
SELECT (t).test, (t).statistic, (t).df, (t).effect, round((s).statistic) AS scaled, (s).p_value = (o).p_value AS same_shares, (z).df AS missing_variant
FROM (SELECT pgfit.sample_ratio_test(arm) AS t, pgfit.sample_ratio_test(third, '{"shares": {"0": 2, "1": 1, "2": 1}}') AS s,
             pgfit.sample_ratio_test(third, '{"shares": {"2": 0.25, "0": 0.5, "1": 0.25}}') AS o, pgfit.sample_ratio_test(arm, '{"shares": {"old": 1, "new": 1, "newer": 1}}') AS z FROM trial) q;
SELECT test.try('SELECT pgfit.sample_ratio_test(1) FROM trial');
SELECT test.try('SELECT pgfit.sample_ratio_test(third, ''{"shares": {"0": 0.5, "1": 0.5}}'') FROM trial');
SELECT test.try('SELECT pgfit.sample_ratio_test(arm, ''{"shares": {"old": 0.5, "new": 0}}'') FROM trial');

-- what the rows do not define, and options that are wrong
SELECT test.try('SELECT pgfit.ab_test(y, 1) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, i % 7) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, ''{"control": "oldest"}'') FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, ''{"control": "old", "treatment": "old"}'') FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, i = 7) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(7, arm) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, 3) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, visits - 3, ''{"ratio": true}'') FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, ''{"ratio": true}'') FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, ''{"always_valid": true, "alternative": "less"}'') FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, ''{"always_valid": true, "mixture": 0}'') FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, ''{"treatment_share": 1}'') FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, ''{"covariate": "x"}'') FROM trial');
SELECT test.try('SELECT pgfit.ab_test(arm, arm) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(CASE i WHEN 7 THEN ''NaN'' ELSE y END, arm) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, CASE i WHEN 7 THEN ''Infinity'' ELSE x END) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y * 1e300, arm) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y, arm, x * 1e300) FROM trial');
SELECT test.try('SELECT pgfit.ab_test(y * 1e150, arm, x * 1e-150) FROM trial');
-- long labels: whole in the result, cut in messages
SELECT length((t).control), (t).control = (m).control AS same FROM (SELECT pgfit.ab_test(y, repeat('variant ', 60) || arm) AS t, pgfit.ab_test(pgfit.class_moments(repeat('variant ', 60) || arm, y)) AS m FROM trial) q;
SELECT test.try('SELECT pgfit.ab_test(y, i % 7 || repeat('' variant'', 60)) FROM trial');
-- a mixture far from the data makes limits wide, not undefined
SELECT (t).p_value, (t).conf_high > 1e100 AS wide, (u).p_value AS large, (u).conf_high > 0 AND (u).conf_high < 1e6 AS finite
FROM (SELECT pgfit.ab_test(y, arm, '{"always_valid": true, "mixture": 1e-200}') AS t, pgfit.ab_test(y, arm, '{"always_valid": true, "mixture": 1e300}') AS u FROM trial) q;
SELECT third, pgfit.ab_test(y, arm, '{"on_failure": "null"}') IS NULL AS null_there FROM trial WHERE third > 0 OR arm = 'old' GROUP BY third ORDER BY third;
SELECT name, type, default_value FROM pgfit.options('ab_test');

-- power, rows and effect are three views of one equation; the numbers are golden cases
SELECT o, test.near(pgfit.power(e, pgfit.sample_size(e, o), o - 'power'), (o->>'power')::float8, 1e-10) AS rows, test.near(pgfit.power(pgfit.detectable_effect(n, o), n, o - 'power'), (o->>'power')::float8, 1e-10) AS effect
FROM (VALUES ('{"power": 0.9}'::jsonb, 0.3, 70), ('{"power": 0.8, "allocation": 0.2, "sd": 4}', 0.3, 70), ('{"power": 0.8, "test": "paired"}', -0.1, 12), ('{"power": 0.7, "test": "one_sample", "alternative": "less"}', -0.1, 12),
             ('{"power": 0.9, "test": "proportions"}', 0.05, 900), ('{"power": 0.9, "test": "proportions", "baseline": 0.1, "allocation": 0.1}', 0.01, 9000),
             ('{"power": 0.6, "test": "proportions", "baseline": 0.1, "alternative": "less"}', -0.01, 900), ('{"power": 0.999, "level": 0.999999}', 1e-6, 2000)) AS v(o, e, n);
-- without an effect, power is the significance level; few rows find a large effect; far tails are no NaN
SELECT test.near(pgfit.power(0, 10), 0.05, 1e-12) AS nothing, pgfit.sample_size(100) AS least, pgfit.sample_size(9, '{"allocation": 0.1}') AS least_of_control, pgfit.power(1e6, 1e6) > 1 - 1e-12 AS large, pgfit.power(-1e9, 2, '{"alternative": "greater"}') AS wrong_way,
       pgfit.power(1e-300, 1e15) > 0.05 - 1e-9 AS small, pgfit.power(NULL, 3) AS none;
SELECT test.try('SELECT pgfit.power(0.5, 1)');
SELECT test.try('SELECT pgfit.power(0.5, 5, ''{"allocation": 0.1}'')');
SELECT test.try('SELECT pgfit.power(''NaN'', 9)');
SELECT test.try('SELECT pgfit.power(0.5, ''Infinity'')');
SELECT test.try('SELECT pgfit.power(0.5, 9, ''{"power": 0.8}'')');
SELECT test.try('SELECT pgfit.power(0.5, 9, ''{"baseline": 0.5}'')');
SELECT test.try('SELECT pgfit.power(0.5, 9, ''{"baseline": 0.5, "test": "proportions"}'')');
SELECT test.try('SELECT pgfit.power(0.5, 9, ''{"sd": 2, "test": "proportions"}'')');
SELECT test.try('SELECT pgfit.power(0.5, 9, ''{"allocation": 2, "test": "paired"}'')');
SELECT test.try('SELECT pgfit.sample_size(0)');
SELECT test.try('SELECT pgfit.sample_size(-0.1, ''{"alternative": "greater"}'')');
SELECT test.try('SELECT pgfit.sample_size(1e-9)');
SELECT test.try('SELECT pgfit.sample_size(0.1, ''{"power": 0.04}'')');
SELECT test.try('SELECT pgfit.sample_size(0.1, ''{"test": "two-sample"}'')');
SELECT test.try('SELECT pgfit.detectable_effect(5, ''{"test": "proportions", "baseline": 0.9}'')');
SELECT name, default_value FROM pgfit.options('detectable_effect');
