-- censored times: the Kaplan-Meier curve, its median, and the log-rank test
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
SET max_parallel_workers_per_gather = 0;
SELECT test.near(statistic, :parallel) AS same FROM (SELECT (pgfit.log_rank_test(t, e, g)).* FROM long_times) AS s;
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
DROP TABLE long_times;
-- edges
SELECT pgfit.kaplan_meier(weeks, relapsed) AS curve, pgfit.median_survival(weeks, relapsed) AS median, pgfit.log_rank_test(weeks, relapsed, treated) AS test FROM remissions WHERE false;
SELECT pgfit.kaplan_meier(t, e) AS curve, pgfit.median_survival(t, e) AS median FROM (VALUES (3.0, true), (NULL, true), (4, NULL)) AS v(t, e);
SELECT pgfit.kaplan_meier(t, e) AS curve, pgfit.median_survival(t, e) AS median FROM (VALUES (3.0, false), (0, false)) AS v(t, e);
SELECT pgfit.kaplan_meier(t, e, '{}', w) AS curve FROM (VALUES (1.0, true, 1e150), (0, true, 1e-150), (3, true, 2), (5, true, 0)) AS v(t, e, w);
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
SELECT treated, pgfit.log_rank_test(weeks, relapsed, treated, '{"on_failure": "null"}') IS NULL AS failed FROM remissions GROUP BY treated ORDER BY treated;
DROP TABLE remissions;
