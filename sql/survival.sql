-- censored times: the Kaplan-Meier curve, its median, the log-rank test, and proportional hazards
CREATE TABLE remissions (weeks float8, relapsed boolean, treated boolean, male boolean, log_wbc float8);
INSERT INTO remissions VALUES
    (35, false, true, true, 1.45), (34, false, true, true, 1.47), (32, false, true, true, 2.20), (32, false, true, true, 2.53), (25, false, true, true, 1.78), (23, true, true, true, 2.57),
    (22, true, true, true, 2.32), (20, false, true, true, 2.01), (19, false, true, false, 2.05), (17, false, true, false, 2.16), (16, true, true, true, 3.60), (13, true, true, false, 2.88),
    (11, false, true, false, 2.60), (10, false, true, false, 2.70), (10, true, true, false, 2.96), (9, false, true, false, 2.80), (7, true, true, false, 4.43), (6, false, true, false, 3.20),
    (6, true, true, false, 2.31), (6, true, true, true, 4.06), (6, true, true, false, 3.28), (23, true, false, true, 1.97), (22, true, false, false, 2.73), (17, true, false, false, 2.95),
    (15, true, false, false, 2.30), (12, true, false, false, 1.50), (12, true, false, false, 3.06), (11, true, false, false, 3.49), (11, true, false, false, 2.12), (8, true, false, false, 3.52),
    (8, true, false, false, 3.05), (8, true, false, false, 2.32), (8, true, false, true, 3.26), (5, true, false, true, 3.49), (5, true, false, false, 3.97), (4, true, false, true, 4.36),
    (4, true, false, true, 2.42), (3, true, false, true, 4.01), (2, true, false, true, 4.91), (2, true, false, true, 4.48), (1, true, false, true, 2.80), (1, true, false, true, 5.00);

SELECT time, at_risk, events, censored, round(survival::numeric, 6) AS survival, round(std_error::numeric, 6) AS std_error, round(conf_low::numeric, 6) AS conf_low, round(conf_high::numeric, 6) AS conf_high
FROM (SELECT pgfit.kaplan_meier(weeks, relapsed) AS curve FROM remissions WHERE treated) AS c, unnest(curve);
SELECT treated, (pgfit.median_survival(weeks, relapsed)).*, (pgfit.median_survival(weeks, relapsed, '{"conf_type": "log-log", "level": 0.9}')).* FROM remissions GROUP BY treated ORDER BY treated;
SELECT test, round(statistic::numeric, 6) AS statistic, df, round(p_value::numeric, 9) AS p_value, rows, groups, group_rows, observed, array(SELECT round(e::numeric, 6) FROM unnest(expected) AS e) AS expected
FROM (SELECT (pgfit.log_rank_test(weeks, relapsed, treated)).* FROM remissions) AS t;
SELECT round(statistic::numeric, 6) AS statistic, df, label, seen, round(wanted::numeric, 6) AS wanted
FROM (SELECT (pgfit.log_rank_test(weeks, relapsed, floor(log_wbc))).* FROM remissions) AS t, unnest(groups, observed, expected) AS g(label, seen, wanted);
-- weights are copies; without censoring the curve is the share of the rows that are later; the order of the rows does not matter
SELECT bool_and(test.near(p.survival, q.survival) AND test.near(p.std_error, q.std_error) AND p.at_risk = q.at_risk) AS weights
FROM (SELECT pgfit.kaplan_meier(weeks, relapsed, '{}', 1 + log_wbc::int) AS a FROM remissions) AS s, (SELECT pgfit.kaplan_meier(weeks, relapsed) AS b FROM remissions, generate_series(1, 1 + log_wbc::int)) AS t,
     unnest(a) WITH ORDINALITY AS p(time, at_risk, events, censored, survival, std_error, l, h, n) JOIN unnest(b) WITH ORDINALITY AS q(time, at_risk, events, censored, survival, std_error, l, h, n) USING (n);
SELECT bool_and(test.near(p.survival, (SELECT avg((weeks > p.time)::int) FROM remissions))) AS shares FROM (SELECT pgfit.kaplan_meier(weeks, true) AS curve FROM remissions) AS c, unnest(curve) AS p;
SELECT count(DISTINCT curve) AS curves FROM (SELECT pgfit.kaplan_meier(weeks, relapsed ORDER BY weeks) AS curve FROM remissions UNION ALL SELECT pgfit.kaplan_meier(weeks, relapsed ORDER BY log_wbc) FROM remissions) AS c;
-- more rows than fit in memory, and rows of parallel workers
CREATE TABLE long_times AS SELECT i % 5 AS g, (i * 7919 % 1009) / 16.0::float8 AS t, i * 31 % 7 < 3 AS e FROM generate_series(1, 100000) AS i;
SET pgfit.fit_mem = '1MB';
SELECT md5(pgfit.kaplan_meier(t, e)::text) AS small FROM long_times WHERE g < 2 \gset
RESET pgfit.fit_mem;
SELECT md5(pgfit.kaplan_meier(t, e)::text) = :'small' AS same FROM long_times WHERE g < 2;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT statistic AS parallel FROM (SELECT (pgfit.log_rank_test(t, e, g)).* FROM long_times) AS s \gset
SELECT statistic AS strata FROM (SELECT (pgfit.log_rank_test(t, e, g, '{}', repeat('s', 19 + (t * 16)::int % 3))).* FROM long_times) AS s \gset
SET max_parallel_workers_per_gather = 0;
SELECT test.near(statistic, :parallel) AS same FROM (SELECT (pgfit.log_rank_test(t, e, g)).* FROM long_times) AS s;
SELECT test.near(statistic, :strata) AS same_strata FROM (SELECT (pgfit.log_rank_test(t, e, g, '{}', repeat('s', 19 + (t * 16)::int % 3))).* FROM long_times) AS s;
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
DROP TABLE long_times;
-- rows that enter late: at risk after their entry; entries at 0 change nothing; in any order, and as copies
SELECT time, at_risk, events, censored, round(survival::numeric, 6) AS survival, round(std_error::numeric, 6) AS std_error FROM (SELECT pgfit.kaplan_meier(weeks, (relapsed, weeks / 3)) AS curve FROM remissions WHERE treated) AS c, unnest(curve) WHERE events > 0;
SELECT pgfit.kaplan_meier(weeks, (relapsed, -1)) = pgfit.kaplan_meier(weeks, relapsed) AS same, pgfit.median_survival(weeks, (relapsed, weeks / 3)) AS median, pgfit.kaplan_meier(weeks, (relapsed, weeks / 3) ORDER BY weeks) = pgfit.kaplan_meier(weeks, (relapsed, weeks / 3) ORDER BY log_wbc DESC) AS any_order,
    (SELECT pgfit.median_survival(weeks, (relapsed, weeks / 3)) FROM remissions, generate_series(1, 3)) = pgfit.median_survival(weeks, (relapsed, weeks / 3), '{}', 3) AS copies FROM remissions;
SELECT time, at_risk, survival FROM (SELECT pgfit.kaplan_meier(t, (true, e)) AS curve FROM (VALUES (1, 0), (2, 1.5), (3, 1.5)) AS v(t, e)) AS c, unnest(curve);
SELECT test.try('SELECT pgfit.kaplan_meier(weeks, (relapsed, weeks)) FROM remissions');
SELECT test.try('SELECT pgfit.kaplan_meier(weeks, (relapsed, ''x''::text)) FROM remissions');
SELECT test.try('SELECT pgfit.kaplan_meier(weeks, (2, 1)) FROM remissions');
SELECT test.try('SELECT pgfit.median_survival(weeks, ROW(weeks)) FROM remissions');
SELECT test.try('SELECT pgfit.kaplan_meier(weeks, r) FROM remissions AS r');
SELECT test.try('SELECT pgfit.kaplan_meier(t, (true, e), ''{}'', w) FROM (VALUES (2, 0, 1), (3, 0, 1e-14), (7, 5, 1)) AS v(t, e, w)');
SELECT pgfit.kaplan_meier(weeks, (relapsed, NULL::float8)) IS NULL AS no_entries FROM remissions;
-- edges
SELECT pgfit.kaplan_meier(weeks, relapsed) AS curve, pgfit.median_survival(weeks, relapsed) AS median, pgfit.log_rank_test(weeks, relapsed, treated) AS test FROM remissions WHERE false;
SELECT pgfit.kaplan_meier(t, e) AS curve, pgfit.median_survival(t, e) AS median FROM (VALUES (3.0, true), (NULL, true), (4, NULL)) AS v(t, e);
SELECT pgfit.kaplan_meier(t, e) AS curve, pgfit.median_survival(t, e) AS median FROM (VALUES (3.0, false), (0, false)) AS v(t, e);
SELECT time, at_risk, events, survival, round((std_error / nullif(survival, 0))::numeric, 9) AS error FROM (SELECT pgfit.kaplan_meier(t, e, '{}', w) AS curve FROM (VALUES (1.0, true, 1e150), (0, true, 1e-150), (3, true, 2), (5, true, 0)) AS v(t, e, w)) AS c, unnest(curve);
SELECT pgfit.median_survival(t, true) AS flat_at_a_half FROM (VALUES (1.0), (2), (4), (7)) AS v(t);
SELECT weeks, (pgfit.median_survival(weeks, relapsed) OVER (ORDER BY weeks)).median FROM remissions WHERE weeks < 4 ORDER BY weeks;
SELECT test.try('SELECT pgfit.kaplan_meier(-weeks, relapsed) FROM remissions');
SELECT test.try('SELECT pgfit.kaplan_meier(''NaN'', relapsed) FROM remissions');
SELECT test.try('SELECT pgfit.median_survival(''Infinity'', relapsed) FROM remissions');
SELECT test.try('SELECT pgfit.kaplan_meier(weeks, relapsed, ''{"conf_type": "plain"}'') FROM remissions');
SELECT test.try('SELECT pgfit.kaplan_meier(weeks, relapsed, ''{}'', -1) FROM remissions');
SELECT test.try('SELECT pgfit.log_rank_test(-weeks, relapsed, treated) FROM remissions');
SELECT test.try('SELECT pgfit.log_rank_test(''Infinity'', relapsed, treated) FROM remissions');
SELECT test.try('SELECT pgfit.log_rank_test(weeks, false, treated) FROM remissions');
SELECT test.try('SELECT pgfit.log_rank_test(weeks, relapsed, 1) FROM remissions');
SELECT test.try('SELECT pgfit.log_rank_test(t, e, g) FROM (VALUES (1, false, ''a''), (5, true, ''b''), (7, true, ''b'')) AS v(t, e, g)');
-- strata: one of them is the test without, the others add what is expected in each, parallel workers merge pairs of groups and strata
SELECT round(statistic::numeric, 6) AS statistic, df, groups, group_rows, observed, array(SELECT round(e::numeric, 6) FROM unnest(expected) AS e) AS expected FROM (SELECT (pgfit.log_rank_test(weeks, relapsed, treated, '{}', male)).* FROM remissions) AS t;
SELECT a.statistic = b.statistic AND a.expected = b.expected AS one_stratum, test.near_all(c.expected, d.expected, 1e-12) AS sums FROM (SELECT (pgfit.log_rank_test(weeks, relapsed, floor(log_wbc), '{}', 'all'::text)).* FROM remissions) AS a, (SELECT (pgfit.log_rank_test(weeks, relapsed, floor(log_wbc))).* FROM remissions) AS b,
     (SELECT (pgfit.log_rank_test(weeks, relapsed, treated, '{}', male)).* FROM remissions) AS c, (SELECT array_agg(e ORDER BY label) AS expected FROM (SELECT label, sum(e) AS e FROM (SELECT (pgfit.log_rank_test(weeks, relapsed, treated)).* FROM remissions GROUP BY male) AS s, unnest(groups, expected) AS u(label, e) GROUP BY label) AS f) AS d;
SELECT test.near(statistic, (pgfit.info(m) -> 'statistics' ->> 'score_statistic')::float8, 1e-10) AS score_test FROM (SELECT pgfit.cox_regression(t, f, '{"formula": "treated", "event": "relapsed", "strata": "male"}') AS m, (pgfit.log_rank_test(t, relapsed, treated, '{}', male)).* FROM
     (SELECT weeks + row_number() OVER () / 100.0 AS t, treated, male, relapsed FROM remissions) AS f) AS g;
SELECT rows FROM (SELECT (pgfit.log_rank_test(weeks, relapsed, treated, '{}', nullif(male, false))).* FROM remissions) AS t;
SELECT test.try('SELECT pgfit.log_rank_test(weeks, relapsed, treated, ''{}'', treated) FROM remissions');
SELECT treated, pgfit.log_rank_test(weeks, relapsed, treated, '{"on_failure": "null"}') IS NULL AS failed FROM remissions GROUP BY treated ORDER BY treated;

-- ---- proportional hazards ----

\set options '{"formula": "treated + log_wbc", "event": "relapsed"}'
SELECT pgfit.summary(pgfit.cox_regression(weeks, r, :'options')) FROM remissions AS r;
CREATE TABLE hazards AS SELECT pgfit.cox_regression(weeks, r, :'options') AS m, pgfit.cox_regression(weeks, r, '{"formula": "treated + log_wbc", "event": "relapsed", "ties": "breslow"}') AS breslow,
    pgfit.cox_regression(weeks, r, '{"formula": "log_wbc", "event": "relapsed", "strata": "treated"}') AS strata FROM remissions AS r;
SELECT term, round(estimate::numeric, 6) AS estimate, round(std_error::numeric, 6) AS std_error, round(statistic::numeric, 4) AS z, round(conf_low::numeric, 6) AS conf_low FROM hazards, pgfit.coefficients(breslow);
SELECT term, round(hazard_ratio::numeric, 4) AS hazard_ratio, round(conf_low::numeric, 4) AS conf_low, round(conf_high::numeric, 4) AS conf_high FROM hazards, pgfit.hazard_ratios(m);
SELECT stratum, time, round(cumulative_hazard::numeric, 6) AS cumulative_hazard, round(survival::numeric, 6) AS survival FROM hazards, pgfit.baseline_hazard(strata) WHERE time > 10;
SELECT round(statistic::numeric, 4) AS wald, df FROM hazards, pgfit.wald_test(m, 'treated = 0, log_wbc = 1');
SELECT combination, round(estimate::numeric, 6) AS estimate, round(std_error::numeric, 6) AS std_error FROM hazards, pgfit.linear_combinations(m, 'log_wbc - treated');
SELECT term, round(vif::numeric, 6) AS vif FROM hazards, pgfit.vif(m);
-- without features the cumulative hazard is the sum of events / at risk; one feature of two values: the score test is the log-rank test but for ties
SELECT bool_and(test.near(h.cumulative_hazard, (SELECT sum(p.events / p.at_risk) FROM unnest(curve) AS p WHERE p.time <= h.time))) AS nelson_aalen
FROM (SELECT pgfit.cox_regression(weeks, r, '{"formula": "1", "event": "relapsed", "ties": "breslow"}') AS m, pgfit.kaplan_meier(weeks, relapsed) AS curve FROM remissions AS r) AS f, pgfit.baseline_hazard(m) AS h;
SELECT test.near((pgfit.info(m) -> 'statistics' ->> 'score_statistic')::float8, statistic, 1e-10) AS log_rank
FROM (SELECT pgfit.cox_regression(t, f, '{"formula": "treated", "event": "relapsed"}') AS m, (pgfit.log_rank_test(t, relapsed, treated)).* FROM
     (SELECT weeks + row_number() OVER () / 100.0 AS t, treated, relapsed FROM remissions) AS f) AS g;
-- scores are x coef from the means, which to_sql writes and explain splits; survival of a row by its score
SELECT bool_and(test.near(pgfit.predict(m, r), a.estimate * (r.treated::int - 0.5) + b.estimate * (log_wbc - mean), 1e-12)) AS scores, bool_and(test.near(pgfit.predict(m, r), (SELECT sum(contribution) FROM pgfit.explain(m, r)), 1e-12)) AS explained
FROM hazards, remissions AS r, (SELECT avg(log_wbc) AS mean FROM remissions) AS c, pgfit.coefficients(m) AS a, pgfit.coefficients(m) AS b WHERE a.term = 'treated' AND b.term = 'log_wbc';
SELECT test.try(format('SELECT bool_and(pgfit.predict(m, r) = %s) FROM hazards, remissions AS r', pgfit.to_sql(m))) AS to_sql FROM hazards;
-- survival of a row: by the baseline of its stratum, before the first event and after the last one, with limits
SELECT bool_and(test.near(pgfit.survival(m, r, b.time), exp(-b.cumulative_hazard * exp(pgfit.predict(m, r))))) AS survival, bool_and(pgfit.survival(strata, r, s.time, s.stratum) = pgfit.survival(strata, r, s.time + 0.5, treated::text)) AS of_strata
FROM hazards, remissions AS r, pgfit.baseline_hazard(m) AS b, pgfit.baseline_hazard(strata) AS s WHERE s.stratum = treated::text AND s.time IN (12, 22, 23);
SELECT pgfit.survival(m, r, t) = 1 AS before, pgfit.survival(m, r, 'Infinity') = pgfit.survival(m, r, 23) AS after, pgfit.survival(m, r, NULL) AS no_time, pgfit.survival(m, (SELECT x FROM (SELECT NULL::boolean AS treated, 1.0 AS log_wbc) AS x), 9) AS no_feature
FROM hazards, remissions AS r, unnest('{-1,0.5,-Infinity}'::float8[]) AS t WHERE r.weeks = 35;
CREATE TABLE limits AS SELECT pgfit.cox_regression(weeks, r, '{"formula": "treated + log_wbc", "event": "relapsed", "survival_limits": true}') AS m, pgfit.cox_regression(weeks, r, '{"formula": "1", "event": "relapsed", "survival_limits": true, "ties": "breslow"}') AS none FROM remissions AS r;
SELECT t, round(survival::numeric, 6) AS survival, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper FROM limits, remissions AS r, unnest('{0,5,12,30}'::float8[]) AS t, pgfit.survival_interval(m, r, t, 0.9) WHERE r.weeks = 16;
SELECT bool_and(test.near(lower, survival * exp(-1.9599639845400545 * error), 1e-9) AND test.near(upper, least(1, survival * exp(1.9599639845400545 * error)), 1e-9)) AS of_the_baseline
FROM (SELECT s.*, sqrt((SELECT sum(p.events / p.at_risk / p.at_risk) FROM unnest(curve) AS p WHERE p.time <= t)) AS error FROM limits, (SELECT pgfit.kaplan_meier(weeks, relapsed) AS curve FROM remissions) AS c, remissions AS r, unnest('{3,8,20}'::float8[]) AS t, pgfit.survival_interval(none, r, t) AS s WHERE r.weeks = 16) AS f;
SELECT m::text::pgfit.model::text = m::text AND m::jsonb::pgfit.model::text = m::text AS round_trip FROM limits;
SELECT test.try('SELECT pgfit.survival(m, r, ''NaN'') FROM hazards, remissions AS r');
SELECT test.try('SELECT pgfit.survival(m, r, 7, ''true'') FROM hazards, remissions AS r');
SELECT test.try('SELECT pgfit.survival(strata, r, 7) FROM hazards, remissions AS r');
SELECT test.try('SELECT pgfit.survival(strata, r, 7, ''maybe'') FROM hazards, remissions AS r');
SELECT test.try('SELECT pgfit.survival_interval(m, r, 7) FROM hazards, remissions AS r');
SELECT test.try('SELECT pgfit.survival_interval(m, r, 7, 1.5) FROM limits, remissions AS r');
SELECT test.try('SELECT pgfit.survival(pgfit.linear_regression(weeks, log_wbc), 1, 7) FROM remissions');
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', m::jsonb #- '{arrays,baseline_mean}')) FROM limits;
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', jsonb_set(m::jsonb, '{arrays,baseline_variance,0}', '-1'))) FROM limits;
SELECT round(s.survival::numeric, 6) AS survival, s.lower, s.upper FROM limits, remissions AS r, pgfit.survival_interval((m::jsonb #- '{arrays,covariance_packed}')::pgfit.model, r, 7) AS s WHERE weeks = 16;
-- rows that enter late: each time adds events / rows at risk then, and that over the rows at risk to the variance
SELECT bool_and(test.near(s.survival, exp(-hazard), 1e-12) AND test.near(s.lower, exp(-hazard - 1.9599639845400545 * sqrt(variance)), 1e-9)) AS late_entries
FROM (SELECT pgfit.cox_regression(stop, l, '{"formula": "1", "event": "e", "entry": "start", "ties": "breslow", "survival_limits": true}') AS m FROM (SELECT weeks / 3 AS start, weeks AS stop, relapsed AS e FROM remissions) AS l) AS f,
     unnest('{2,7,12,22}'::float8[]) AS t, LATERAL (SELECT sum(d / n) AS hazard, sum(d / n / n) AS variance FROM (SELECT sum(relapsed::int) AS d, (SELECT count(*)::float8 FROM remissions WHERE weeks >= r.weeks AND weeks / 3 < r.weeks) AS n
     FROM remissions AS r WHERE weeks <= t GROUP BY weeks) AS u) AS v, LATERAL (SELECT 1 AS x) AS row, pgfit.survival_interval(m, row, t) AS s;
SELECT pgfit.cox_regression(weeks, r, '{"formula": "log_wbc", "event": "relapsed", "vcov": "CR0", "cluster": "treated"}') OVER (ORDER BY weeks DESC, log_wbc ROWS UNBOUNDED PRECEDING) IS NULL AS one_cluster FROM remissions AS r LIMIT 1;
DROP TABLE limits;
-- robust standard errors: rows in pieces are the rows, their subjects are clusters, whatever the weights are multiplied by
CREATE TABLE pieces AS SELECT weeks * 0.37 * p AS start, CASE p WHEN 0 THEN weeks * 0.37 ELSE weeks END AS stop, relapsed AND p = 1 AS relapsed, treated, log_wbc, log_wbc::text || weeks AS patient FROM remissions, generate_series(0, 1) AS p;
SELECT pgfit.summary(pgfit.cox_regression(stop, r, '{"formula": "treated + log_wbc", "event": "relapsed", "entry": "start", "vcov": "CR0", "cluster": "patient"}')) FROM pieces AS r;
SELECT count(DISTINCT (SELECT array_agg(round(std_error::numeric, 9)) FROM pgfit.coefficients(m))) AS kinds FROM (
    SELECT pgfit.cox_regression(stop, r, '{"formula": "treated + log_wbc", "event": "relapsed", "entry": "start", "vcov": "CR0", "cluster": "patient"}') AS m FROM pieces AS r
    UNION ALL SELECT pgfit.cox_regression(stop, r, '{"formula": "treated + log_wbc", "event": "relapsed", "entry": "start", "vcov": "CR0", "cluster": "patient"}', 7 ORDER BY start DESC, stop) FROM pieces AS r
    UNION ALL SELECT pgfit.cox_regression(weeks, r, '{"formula": "treated + log_wbc", "event": "relapsed", "vcov": "HC0"}') FROM remissions AS r) AS f;
SELECT round(statistic::numeric, 4) AS wald, df, df_2, test.near(statistic, (pgfit.info(m) -> 'statistics' ->> 'wald_statistic')::float8) AS of_info
FROM (SELECT pgfit.cox_regression(stop, r, '{"formula": "treated + log_wbc", "event": "relapsed", "entry": "start", "vcov": "CR0", "cluster": "patient"}') AS m FROM pieces AS r) AS f, pgfit.wald_test(m, 'treated = 0, log_wbc = 0');
SELECT term, std_error IS NULL AS dropped FROM (SELECT pgfit.cox_regression(weeks, r, '{"formula": "log_wbc + twice", "event": "relapsed", "vcov": "HC0"}') AS m FROM (SELECT *, 2 * log_wbc AS twice FROM remissions) AS r) AS f, pgfit.coefficients(m);
SELECT test.try('SELECT pgfit.cox_regression(stop, r, ''{"event": "relapsed", "entry": "start", "vcov": "CR0"}'') FROM pieces AS r');
SELECT test.try('SELECT pgfit.cox_regression(stop, r, ''{"event": "relapsed", "entry": "start", "cluster": "patient"}'') FROM pieces AS r');
SELECT test.try('SELECT pgfit.cox_regression(stop, r, ''{"event": "relapsed", "vcov": "CR2", "cluster": "patient"}'') FROM pieces AS r');
SELECT test.try('SELECT pgfit.cox_regression(stop, r, ''{"event": "relapsed", "formula": "log_wbc", "vcov": "CR0", "cluster": "one"}'') FROM (SELECT *, 1 AS one FROM pieces) AS r');
SELECT test.try('SELECT pgfit.cox_regression(stop, r, ''{"event": "relapsed", "formula": "log_wbc", "vcov": "CR0", "cluster": "nobody"}'') FROM pieces AS r');
SELECT test.try('SELECT pgfit.cox_regression(stop, r, ''{"event": "relapsed", "formula": "log_wbc + patient", "vcov": "CR0", "cluster": "patient"}'') FROM pieces AS r');
DROP TABLE pieces;
-- ways to give rows and options, weights as copies without ties, the order of the rows, strata as fits of their own, entries at 0
SELECT count(DISTINCT (SELECT array_agg(round(e::numeric, 9)) FROM unnest(test.estimates(m)) AS e)) AS models FROM (
    SELECT m FROM hazards UNION ALL SELECT pgfit.cox_regression(weeks, to_jsonb(r), :'options') FROM remissions AS r UNION ALL SELECT pgfit.cox_regression(weeks, r, :'options' ORDER BY log_wbc) FROM remissions AS r
    UNION ALL SELECT pgfit.cox_regression(weeks, f, '{"event": "e"}') FROM (SELECT weeks, treated, log_wbc, relapsed::int AS e FROM remissions) AS r, LATERAL (SELECT treated, log_wbc, e) AS f
    UNION ALL SELECT pgfit.cox_regression(weeks, r, '{"features": ["treated", "log_wbc"], "event": "relapsed"}', 3) FROM remissions AS r
    UNION ALL SELECT pgfit.fit('cox_regression', 'remissions', 'weeks ~ treated + log_wbc', '{"event": "relapsed"}')
    UNION ALL SELECT pgfit.cox_regression(weeks, f, '{"formula": "treated + log_wbc", "event": "relapsed", "entry": "zero"}') FROM (SELECT *, 0 AS zero FROM remissions) AS f) AS ways;
SELECT test.near_all(test.estimates(pgfit.cox_regression(t, f, '{"event": "e", "ties": "breslow"}', w)), (SELECT test.estimates(pgfit.cox_regression(t, f, '{"event": "e", "ties": "breslow"}')) FROM
    (SELECT weeks AS t, treated, log_wbc, relapsed AS e FROM remissions, generate_series(1, 1 + log_wbc::int)) AS r, LATERAL (SELECT treated, log_wbc, e) AS f), 1e-9) AS weights
FROM (SELECT weeks AS t, treated, log_wbc, relapsed AS e, 1 + log_wbc::int AS w FROM remissions) AS r, LATERAL (SELECT treated, log_wbc, e) AS f;
SELECT test.near((pgfit.info(strata) -> 'statistics' ->> 'null_log_likelihood')::float8, (SELECT sum((pgfit.info(m) -> 'statistics' ->> 'log_likelihood')::float8)
    FROM (SELECT pgfit.cox_regression(weeks, r, '{"formula": "1", "event": "relapsed"}') AS m FROM remissions AS r GROUP BY treated) AS f)) AS strata FROM hazards;
-- a row at risk in pieces: (0, a] without the event and (a, time] with it; a feature may change between them
SELECT test.near_all(test.estimates(pgfit.cox_regression(stop, f, '{"event": "e", "entry": "start"}')), (SELECT test.estimates(m) FROM hazards), 1e-9) AS pieces
FROM remissions AS r, LATERAL (SELECT 0 AS start, weeks * 0.37 AS stop, false AS e UNION ALL SELECT weeks * 0.37, weeks, relapsed) AS p, LATERAL (SELECT r.treated, r.log_wbc, p.e, p.start) AS f;
-- rows that enter after the last event are at risk at none, wherever they stand among the others
SELECT o AS direction, pgfit.info(m) -> 'statistics' -> 'concordance' AS concordance FROM (SELECT o, pgfit.cox_regression(time, l, '{"formula": "x", "event": "event", "entry": "entry"}' ORDER BY i * o) AS m
FROM (VALUES (1, 0.3, 1, 0, true), (2, -0.5, 2, 0, true), (3, 0.9, 3, 1.5, false), (4, 0.1, 3, 1.2, false), (5, 0.4, 3, 1.1, false), (6, -1.2, 3, 2.5, false), (7, 1.3, 3, 2.2, false)) AS l(i, x, time, entry, event), unnest('{1,-1}'::int[]) AS o GROUP BY o) AS f ORDER BY o;
SELECT treated, term, round(estimate::numeric, 4) AS estimate FROM (SELECT treated, pgfit.cox_regression(weeks, r, '{"formula": "log_wbc", "event": "relapsed"}') AS m FROM remissions AS r GROUP BY treated) AS f, pgfit.coefficients(m) ORDER BY treated;
SELECT bool_and((n < 6) = (m IS NULL)) AS window_begins_without_events
FROM (SELECT row_number() OVER w AS n, pgfit.cox_regression(weeks, r, '{"formula": "log_wbc", "event": "relapsed"}') OVER w AS m FROM remissions AS r WINDOW w AS (ORDER BY weeks DESC, log_wbc)) AS t WHERE n < 7;
SELECT m::text::pgfit.model::text = m::text AND m::jsonb::pgfit.model::text = m::text AS round_trip FROM hazards;
-- edges: nothing to fit, coefficients without end, dependent terms, terms that do not vary within strata, far and huge numbers, weights of any size
SELECT pgfit.cox_regression(weeks, r, :'options') IS NULL AS no_rows FROM remissions AS r WHERE false;
SELECT pgfit.info(pgfit.cox_regression(weeks, r, '{"formula": "log_wbc", "event": "relapsed"}')) ->> 'skipped' AS skipped FROM (SELECT weeks, log_wbc, nullif(relapsed, weeks > 20) AS relapsed FROM remissions) AS r;
SELECT term, std_error IS NULL AS dropped, estimate < -10 AS endless FROM (SELECT pgfit.cox_regression(weeks, r, '{"formula": "a + b + log_wbc", "event": "relapsed"}') AS m
     FROM (SELECT *, weeks > 24 AS a, 2 * log_wbc AS b FROM remissions) AS r) AS f, pgfit.coefficients(m);
SELECT term, std_error IS NULL AS dropped FROM (SELECT pgfit.cox_regression(weeks, r, '{"formula": "t + log_wbc", "event": "relapsed", "strata": "treated"}') AS m FROM (SELECT *, treated::int AS t FROM remissions) AS r) AS f, pgfit.coefficients(m);
SELECT scale, test.near(estimate * scale, (SELECT estimate FROM hazards, pgfit.coefficients(m) WHERE term = 'log_wbc'), 1e-9) AS scaled FROM (SELECT scale, pgfit.cox_regression(weeks * scale, f, :'options') AS m
     FROM remissions AS r, unnest('{1e-150,1e150}'::float8[]) AS scale, LATERAL (SELECT treated, log_wbc * scale AS log_wbc, relapsed) AS f GROUP BY scale) AS g, pgfit.coefficients(m) WHERE term = 'log_wbc';
SELECT test.near_all(test.estimates(pgfit.cox_regression(weeks, f, :'options')), (SELECT test.estimates(m) FROM hazards), 1e-6) AS far FROM remissions AS r, LATERAL (SELECT treated, log_wbc + 1e7 AS log_wbc, relapsed) AS f;
SELECT w, test.near_all(test.estimates(pgfit.cox_regression(weeks, r, :'options', w)), (SELECT test.estimates(m) FROM hazards), 1e-12) AS weighed FROM remissions AS r, unnest('{1e-200,1e200}'::float8[]) AS w GROUP BY w;
SELECT bool_and(std_error IS NULL) AS alone FROM (SELECT pgfit.cox_regression(weeks, r, :'options') AS m FROM remissions AS r WHERE weeks = 7) AS f, pgfit.coefficients(m);
SELECT pgfit.info(pgfit.cox_regression(weeks, r, '{"formula": "log_wbc", "event": "relapsed", "max_iter": 1}')) ->> 'converged' AS stopped FROM remissions AS r;
SELECT test.try('SELECT pgfit.cox_regression(weeks, r) FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(weeks, r, ''{"event": "relapsed"}'') FROM remissions AS r WHERE NOT relapsed');
SELECT test.try('SELECT pgfit.cox_regression(weeks, r, ''{"event": "nobody"}'') FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(weeks, r, ''{"event": "weeks"}'') FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(weeks, r, ''{"event": "e"}'') FROM (SELECT *, relapsed::text AS e FROM remissions) AS r');
SELECT test.try('SELECT pgfit.cox_regression(weeks, ARRAY[log_wbc], ''{"event": "relapsed"}'') FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(weeks, r, ''{"event": "relapsed", "formula": "relapsed + log_wbc"}'') FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(weeks, r, ''{"event": "relapsed", "strata": "male", "features": ["log_wbc", "male"]}'') FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(-weeks, r, ''{"event": "relapsed"}'') FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(''NaN''::float8, r, ''{"event": "relapsed"}'') FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(weeks, r, ''{"event": "relapsed", "entry": "weeks"}'') FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(weeks, r, ''{"event": "relapsed", "entry": "e"}'') FROM (SELECT *, ''NaN''::float8 AS e FROM remissions) AS r');
SELECT test.try('SELECT pgfit.cox_regression(weeks, r, ''{"event": "relapsed", "weight_kind": "frequency"}'', 2) FROM remissions AS r');
SELECT test.try('SELECT pgfit.cox_regression(time, l, ''{"formula": "x", "event": "event", "entry": "entry"}'', w) FROM (VALUES (1, 2, 0, true, 1), (4, 3, 0, true, 1e-14), (1, 7, 5, true, 1), (2, 8, 5, false, 1)) AS l(x, time, entry, event, w)');
SELECT test.try('SELECT pgfit.predict_interval(m, r) FROM hazards, remissions AS r');
SELECT test.near(e.estimate, c.estimate) AS effect_on_the_score FROM hazards, pgfit.margins(m, 'remissions', 'log_wbc') AS e, pgfit.coefficients(m) AS c WHERE c.term = 'log_wbc';
-- forged models
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', jsonb_set(strata::jsonb, '{arrays,stratum_end,i64,0}', '7000'))) FROM hazards;
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', strata::jsonb #- '{arrays,stratum_end}')) FROM hazards;
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', m::jsonb #- '{arrays,baseline_time}')) FROM hazards;
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', m::jsonb #- '{arrays,risk_center}')) FROM hazards;
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', jsonb_set(m::jsonb, '{arrays,baseline_hazard,3}', '-1'))) FROM hazards;
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', jsonb_set(m::jsonb, '{arrays,intercept}', '[1]'))) FROM hazards;
SELECT (pgfit.info(jsonb_set(m::jsonb, '{facts,df_model}', '1e300')::pgfit.model) -> 'statistics' ->> 'wald_p_value')::float8 AS p_of_forged_terms FROM hazards;
-- nested fits: the likelihood ratio, also against no features, Wald's test with robust errors, and refusals
CREATE TABLE nested AS
SELECT pgfit.cox_regression(weeks, r, '{"event": "relapsed", "formula": "1"}') AS nothing, pgfit.cox_regression(weeks, r, '{"event": "relapsed", "formula": "treated"}') AS fewer,
       pgfit.cox_regression(weeks, r, '{"event": "relapsed", "formula": "treated + log_wbc"}') AS more, pgfit.cox_regression(weeks, r, '{"event": "relapsed", "formula": "treated + log_wbc", "vcov": "HC0"}') AS robust,
       pgfit.cox_regression(weeks, s, '{"event": "late", "formula": "treated + log_wbc"}') AS other FROM remissions AS r, LATERAL (SELECT r.treated, r.log_wbc, r.relapsed AND r.weeks > 5 AS late) AS s;
SELECT test.near(a.statistic, (s ->> 'likelihood_ratio')::float8, 1e-9) AS all_terms, a.df, b.test, b.df AS one, test.near(b.statistic, 2 * (pgfit.log_likelihood(more) - pgfit.log_likelihood(fewer)), 1e-9) AS ratio,
       c.test AS robust_test, test.near(c.statistic, w.statistic ^ 2, 1e-9) AS wald
FROM nested, pgfit.anova(nothing, more) AS a, pgfit.anova(fewer, more) AS b, pgfit.anova(fewer, robust) AS c, LATERAL (SELECT pgfit.info(more) -> 'statistics' AS s) AS i, pgfit.coefficients(robust) AS w WHERE w.term = 'log_wbc';
SELECT test.try(format('SELECT pgfit.anova(%s) FROM nested', models)) FROM unnest('{"fewer, other","more, more","robust, fewer"}'::text[]) AS models;
DROP TABLE nested;
-- a level whose first row alone has the first event has no finite coefficient; the others reach their maximum, which is that of coxph
CREATE TABLE unbounded AS SELECT * FROM (VALUES (0.31,true,'a','u',1.0,0.65),(0.45,true,'a','u',1,-0.45),(0.69,true,'a','u',1,-0.6),(0.48,true,'a','u',2,-0.69),(0.15,true,'a','u',1,0.22),(0.04,true,'a','u',1,-0.36),
    (0.14,true,'a','v',2,-0.1),(0.5,true,'a','u',1,-0.06),(0.455,true,'a','u',2,-0.78),(0.65,true,'b','v',0.5,-0.14),(0.01,true,'c','u',1,-0.86),(0.642,true,'c','v',0.5,0.34),(0.26,true,'a','v',1,0.38),
    (1.32,true,'a','u',2,0.39),(0.636,true,'c','v',1,-0.25),(0.24,true,'b','u',2,0.18),(3.28,false,'b','v',1,0.38),(1.06,true,'a','u',0.5,0.4),(1.14,true,'b','v',10,0.43)) AS v(t, e, f, g, w, o);
SELECT pgfit.info(m) ->> 'converged' AS converged, round((pgfit.info(m) -> 'statistics' ->> 'log_likelihood')::numeric, 4) AS likelihood, c.terms
FROM (SELECT pgfit.cox_regression(t, d, '{"formula": "f * g + offset(o)", "event": "e", "ties": "breslow"}', w) AS m FROM unbounded AS d) AS q,
     LATERAL (SELECT array_agg(term || ' ' || round(estimate::numeric, 4)) AS terms FROM pgfit.coefficients(m) WHERE term IN ('f=b', 'g=v', 'f=b:g=v')) AS c;
DROP TABLE unbounded;
-- a likelihood without a maximum whose scores leave double precision first, and a row as far from the others
SELECT pgfit.info(pgfit.cox_regression(t, d, '{"formula": "x1 + x2 + x3", "event": "e", "ties": "breslow"}')) ->> 'converged' AS converged
FROM (VALUES (4, true, 0.047, -3.145, 0.811), (9, false, 4.888, -0.149, -0.141), (5, true, -1.766, -4.462, -1.395), (11, false, 2.322, -5.373, 1.288), (2, true, -0.181, -4.409, 0.049)) AS d(t, e, x1, x2, x3);
SELECT pgfit.info(pgfit.cox_regression(t, d, '{"formula": "x", "event": "e"}')) ->> 'converged' AS converged
FROM (SELECT i AS t, true AS e, CASE WHEN i = 50 THEN -1e7 ELSE (i * 7 % 13) - i / 3.0 END AS x FROM generate_series(1, 50) AS i) AS d;
-- a curvature that is no number, because risks of some rows are 0 beside others, once kept a fit running for ever
SELECT pgfit.info(pgfit.cox_regression(t, d, '{"formula": "x1 + x2 + f", "event": "e"}', w)) ->> 'converged' AS converged
FROM (VALUES (1.31, false, 1881.079, 0, 'c', 10), (0.31, false, 2622.905, 0, 'e', 10), (2.51, false, 770.7923, 0, 'e', 1),
    (0.11, false, 3432.994, 0, 'd', 10), (0.31, false, 4687.233, 0, 'b', 2), (0.11, false, 2163.040, 1, 'c', 10),
    (0.31, false, 455.7989, 0, 'e', 2), (1.81, false, 2703.919, 1, 'a', 1), (2.71, true, 2884.550, 0, 'b', 2),
    (0.81, false, 1978.041, 0, 'c', 10), (0.31, false, 1601.923, 1, 'c', 1), (0.01, true, 4311.144, 0, 'e', 0.5),
    (0.21, false, 3073.172, 1, 'd', 1), (1.11, false, 1734.025, 0, 'c', 1), (7.51, true, 2683.388, 0, 'a', 0.5),
    (8.61, false, 1792.031, 0, 'b', 2), (0.01, false, 2973.438, 0, 'd', 1), (0.11, true, 3721.408, 1, 'a', 0.5),
    (0.11, false, 3964.534, 1, 'c', 2), (5.71, false, 1416.342, 0, 'a', 0.5), (30.51, true, 1051.572, 0, 'a', 2),
    (0.41, false, 3660.540, 0, 'b', 0.5), (3.01, true, 3103.178, 0, 'a', 10), (0.01, false, 3085.592, 1, 'e', 2),
    (0.61, false, 2238.330, 1, 'b', 10), (1.61, false, 586.4864, 0, 'd', 10), (1.61, false, 3208.986, 1, 'a', 1),
    (0.61, false, 1881.612, 1, 'e', 0.5), (0.11, true, 2669.819, 1, 'e', 2), (0.31, false, 1122.761, 1, 'd', 10)) AS d(t, e, x1, x2, f, w);
DROP TABLE hazards;
DROP TABLE remissions;
