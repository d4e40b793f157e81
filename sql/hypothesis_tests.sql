-- statistical tests: forms, groups, windows, merging, stored moments, and what the rows do not define; the numbers are golden cases
CREATE TEMP TABLE trial AS
SELECT i, CASE WHEN i % 3 = 0 THEN 'b' ELSE 'a' END AS arm, 'site ' || i % 4 AS site, i % 2 AS half,
       100000 + (i * 7919 % 101) / 10.0 + (i % 3) AS y, (i * 104729 % 97) / 7.0 AS x, i / 30 AS day
FROM generate_series(1, 90) AS i;
-- whether two results are the same up to rounding
CREATE FUNCTION pg_temp.same(a pgfit.test_result, b pgfit.test_result) RETURNS boolean LANGUAGE sql AS $$
    SELECT a.test = b.test AND a.rows = b.rows AND a.estimated IS NOT DISTINCT FROM b.estimated AND bool_and(x IS NOT DISTINCT FROM y OR test.near(x, y, 1e-9))
    FROM unnest(ARRAY[a.statistic, a.df, a.df_2, a.p_value, a.estimate, a.std_error, a.conf_low, a.conf_high, a.effect_size],
                ARRAY[b.statistic, b.df, b.df_2, b.p_value, b.estimate, b.std_error, b.conf_low, b.conf_high, b.effect_size]) AS u(x, y)
$$;

-- names, and the first group is the first label: by number, by declared order, by text
SELECT (t).test, (t).estimated, (t).effect, (t).alternative, (t).rows FROM (SELECT pgfit.t_test(y, arm) AS t FROM trial) q;
SELECT (pgfit.t_test(y, half * 10 - 5, '{"equal_variance": true}')).estimated FROM trial;
SELECT (pgfit.variance_test(y, arm)).estimated, (pgfit.oneway_test(y, site)).test, (pgfit.oneway_test(y, site, '{"equal_variance": true}')).test,
       (pgfit.one_sample_t_test(y)).test, (pgfit.correlation_test(x, y)).test FROM trial;
SELECT (pgfit.t_test(y, arm)).estimate = (pgfit.t_test(-y, arm)).estimate * -1 AS sign FROM trial;
-- limits without a bound, and a direction
SELECT (t).conf_low, (t).conf_high < 0 AS below, round((t).p_value::numeric, 3) AS p
FROM (SELECT pgfit.one_sample_t_test(y - 100010, '{"alternative": "less", "level": 0.9}') AS t FROM trial) q;
-- NULLs are left out
SELECT pg_temp.same(pgfit.t_test(CASE WHEN i % 5 > 0 THEN y END, CASE WHEN i % 7 > 0 THEN arm END), pgfit.t_test(y, arm) FILTER (WHERE i % 5 > 0 AND i % 7 > 0)) FROM trial;
SELECT pgfit.t_test(y, arm), pgfit.one_sample_t_test(y), pgfit.correlation_test(x, y) FROM trial WHERE false;
-- many groups, with long labels too
SELECT (pgfit.oneway_test(y, i % 30)).df, (pgfit.oneway_test(y, repeat('long label ', 5) || i % 30)).df_2 = (pgfit.oneway_test(y, i % 30)).df_2 AS same FROM trial;

-- partial states merge
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
CREATE TABLE many_trials AS SELECT t.* FROM trial AS t, generate_series(1, 40);
ANALYZE many_trials;
CREATE TEMP TABLE of_workers AS SELECT pgfit.t_test(y, arm) AS a, pgfit.oneway_test(y, site) AS b, pgfit.correlation_test(x, y) AS c, pgfit.one_sample_t_test(y) AS d,
    pgfit.variance_test(y, arm) AS e, pgfit.mann_whitney_test(y, arm) AS f, pgfit.jarque_bera_test(y) AS g, pgfit.correlation_test(x, y, '{"method": "spearman"}') AS h,
    pgfit.chi_square_test(arm, site) AS k FROM many_trials;
SET max_parallel_workers_per_gather = 0;
SELECT pg_temp.same(w.a, t.a), pg_temp.same(w.b, t.b), pg_temp.same(w.c, t.c), pg_temp.same(w.d, t.d), pg_temp.same(w.e, t.e),
       pg_temp.same(w.f, t.f), pg_temp.same(w.g, t.g), pg_temp.same(w.h, t.h), pg_temp.same(w.k, t.k)
FROM of_workers AS w, (SELECT pgfit.t_test(y, arm) AS a, pgfit.oneway_test(y, site) AS b, pgfit.correlation_test(x, y) AS c, pgfit.one_sample_t_test(y) AS d,
                              pgfit.variance_test(y, arm) AS e, pgfit.mann_whitney_test(y, arm) AS f, pgfit.jarque_bera_test(y) AS g,
                              pgfit.correlation_test(x, y, '{"method": "spearman"}') AS h, pgfit.chi_square_test(arm, site) AS k FROM many_trials) AS t;
RESET max_parallel_workers_per_gather;
DROP TABLE many_trials;

-- from stored moments: per day, merged
CREATE TEMP TABLE daily AS SELECT day, pgfit.class_moments(arm, t, '{"features": ["y", "x"]}') AS arms, pgfit.feature_moments(t, '{"features": ["y", "x", "i"]}') AS all_rows
FROM trial AS t GROUP BY day;
SELECT pg_temp.same(pgfit.t_test(m, '{"feature": "y"}'), t) AS t, pg_temp.same(pgfit.variance_test(m, '{"feature": "y"}'), v) AS v,
       pg_temp.same(pgfit.oneway_test(m, '{"feature": "y", "equal_variance": true}'), o) AS o
FROM (SELECT pgfit.merge(arms) AS m FROM daily) AS d,
     (SELECT pgfit.t_test(y, arm) AS t, pgfit.variance_test(y, arm) AS v, pgfit.oneway_test(y, arm, '{"equal_variance": true}') AS o FROM trial) AS r;
SELECT pg_temp.same(pgfit.correlation_test(m, '{"features": ["y", "x"]}'), c) AS c, pg_temp.same(pgfit.one_sample_t_test(m, '{"feature": "x", "mu": 6}'), t) AS t
FROM (SELECT pgfit.merge(all_rows) AS m FROM daily) AS d, (SELECT pgfit.correlation_test(y, x) AS c, pgfit.one_sample_t_test(x, '{"mu": 6}') AS t FROM trial) AS r;
SELECT (pgfit.t_test(pgfit.class_moments(arm, y))).rows FROM trial; -- a single feature needs no name
-- features of long names are found, and the right one of two that begin alike
SELECT pg_temp.same(pgfit.correlation_test(pgfit.feature_moments(jsonb_build_object(name || 'y', y, name || 'i', i, 'x', x)), jsonb_build_object('features', jsonb_build_array(name || 'i', 'x'))),
                    pgfit.correlation_test(i, x)) AS same
FROM trial, repeat('long name ', 20) AS name GROUP BY name;
SELECT test.try('SELECT pgfit.t_test(pgfit.merge(arms)) FROM daily');
SELECT test.try('SELECT pgfit.t_test(pgfit.merge(arms), ''{"feature": "z"}'') FROM daily');
SELECT test.try('SELECT pgfit.correlation_test(pgfit.merge(all_rows), ''{"features": ["y"]}'') FROM daily');
SELECT test.try('SELECT pgfit.t_test(pgfit.merge(all_rows)) FROM daily');
SELECT test.try('SELECT pgfit.t_test(pgfit.class_moments(arm, y, ''{}'', 2)) FROM trial');
SELECT test.try('SELECT pgfit.one_sample_t_test(pgfit.feature_moments(site)) FROM trial');
SELECT (pgfit.t_test(pgfit.class_moments(arm, y, '{"weight_kind": "frequency"}', 2))).rows FROM trial;

-- what the rows do not define: an error, NULL by option, NULL in a window frame
SELECT test.try('SELECT pgfit.t_test(y, site) FROM trial');
SELECT test.try('SELECT pgfit.t_test(y, 1) FROM trial');
SELECT test.try('SELECT pgfit.t_test(y, i = 7) FROM trial');
SELECT test.try('SELECT pgfit.t_test(7, arm) FROM trial');
SELECT test.try('SELECT pgfit.variance_test(half, half) FROM trial');
SELECT test.try('SELECT pgfit.one_sample_t_test(y) FROM trial WHERE i = 1');
SELECT test.try('SELECT pgfit.oneway_test(half, half) FROM trial');
SELECT test.try('SELECT pgfit.oneway_test(half, half, ''{"equal_variance": true}'') FROM trial');
SELECT test.try('SELECT pgfit.oneway_test(i, i) FROM trial');
SELECT test.try('SELECT pgfit.oneway_test(i, 1) FROM trial');
SELECT test.try('SELECT pgfit.correlation_test(x, 3) FROM trial');
SELECT test.try('SELECT pgfit.correlation_test(x, y) FROM trial WHERE i < 3');
SELECT test.try('SELECT pgfit.t_test(CASE i WHEN 7 THEN ''NaN'' ELSE y END, arm) FROM trial');
SELECT test.try('SELECT pgfit.one_sample_t_test(CASE i WHEN 7 THEN ''-Infinity'' ELSE y END) FROM trial');
SELECT test.try('SELECT pgfit.one_sample_t_test(x * 1e300) FROM trial');
SELECT test.try('SELECT pgfit.t_test(y, arm, ''{"level": 1}'') FROM trial');
SELECT test.try('SELECT pgfit.t_test(y, arm, ''{"alternative": "two.sided"}'') FROM trial');
SELECT test.try('SELECT pgfit.oneway_test(y, arm, ''{"level": 0.9}'') FROM trial');
SELECT test.try('SELECT pgfit.t_test(y, half) FROM trial GROUP BY site ORDER BY site');
SELECT site, pgfit.t_test(y, arm, '{"on_failure": "null"}') IS NULL AS null_there FROM trial WHERE site <> 'site 1' OR arm = 'a' GROUP BY site ORDER BY site;
SELECT i, (pgfit.t_test(y, arm) OVER (ORDER BY i)) IS NULL AS too_few FROM trial WHERE i < 8;
SELECT name, type, default_value FROM pgfit.options('t_test');

-- contingency tables: pre-counted cells are the rows that they stand for
CREATE TEMP TABLE cells AS SELECT arm, half, i % 4 AS grade, count(*) AS n FROM trial GROUP BY arm, half, grade;
SELECT pg_temp.same(c.a, r.a) AS chi, pg_temp.same(c.b, r.b) AS fisher, pg_temp.same(c.c, r.c) AS larger, pg_temp.same(c.d, r.d) AS proportions, pg_temp.same(c.e, r.e) AS mcnemar
FROM (SELECT pgfit.chi_square_test(arm, grade, '{}', n) AS a, pgfit.fisher_test(arm, half, '{}', n) AS b, pgfit.fisher_test(arm, grade, '{}', n) AS c,
             pgfit.proportion_test(half = 1, arm, '{}', n) AS d, pgfit.mcnemar_test(half, (grade > 1)::int, '{}', n) AS e FROM cells) AS c,
     (SELECT pgfit.chi_square_test(arm, i % 4) AS a, pgfit.fisher_test(arm, half) AS b, pgfit.fisher_test(arm, i % 4) AS c,
             pgfit.proportion_test(half = 1, arm) AS d, pgfit.mcnemar_test(half, (i % 4 > 1)::int) AS e FROM trial) AS r;
SELECT (t).test, (t).estimated, (t).effect FROM (SELECT pgfit.fisher_test(arm, half) AS t FROM trial) q;
SELECT (t).test, (t).estimated, (t).effect FROM (SELECT pgfit.mcnemar_test(half, i % 3 % 2) AS t FROM trial) q;
SELECT (t).test, (t).estimated, (t).effect FROM (SELECT pgfit.proportion_test(half = 1, arm) AS t FROM trial) q;
SELECT (pgfit.chi_square_test(arm, half)).test, (pgfit.chi_square_test(arm, grade, '{}', n)).test, (pgfit.mcnemar_test(grade, grade + 1, '{}', n)).test IS NULL AS none FROM cells WHERE false;
SELECT (t).estimate, round((t).conf_low::numeric, 4) AS low, (t).conf_high FROM (SELECT pgfit.fisher_test(a, a) AS t FROM (VALUES (1), (2), (2)) v(a)) q;
-- simulations depend on the seed alone, and agree with all tables
SELECT (t).test, abs((t).p_value - (e).p_value) < 0.05 AS near, t = r AS again
FROM (SELECT pgfit.fisher_test(arm, i % 5, '{"simulations": 2000, "seed": 3}') AS t, pgfit.fisher_test(arm, i % 5) AS e,
             pgfit.fisher_test(arm, i % 5, '{"simulations": 2000, "seed": 3}' ORDER BY -i) AS r FROM trial) q;
SELECT test.try('SELECT pgfit.chi_square_test(arm, 1) FROM trial');
SELECT test.try('SELECT pgfit.chi_square_test(arm, half, ''{}'', -n) FROM cells');
SELECT test.try('SELECT pgfit.fisher_test(arm, half, ''{}'', n / 2.0) FROM cells');
SELECT test.try('SELECT pgfit.mcnemar_test(half, half) FROM trial');
SELECT test.try('SELECT pgfit.mcnemar_test(1, 1) FROM trial');
SELECT test.try('SELECT pgfit.proportion_test(true, arm) FROM trial');
SET pgfit.fit_mem = '1MB';
SELECT test.try('SELECT pgfit.fisher_test(i % 20, i % 19) FROM generate_series(1, 500) i');
RESET pgfit.fit_mem;

-- ranks: exact for few numbers without ties, with limits; else about normal
SELECT (w).test, (w).estimated, (w).effect, (t).test AS tied, (t).conf_low < (t).estimate AND (t).estimate < (t).conf_high AS limits, (p).test AS plain
FROM (SELECT pgfit.mann_whitney_test(i * i, arm) FILTER (WHERE i < 20) AS w, pgfit.mann_whitney_test(i / 2, arm) AS t,
             pgfit.mann_whitney_test(i, arm, '{"correct": false, "exact": false}') AS p FROM trial) q;
SELECT (w).test, (w).estimated, (w).effect, (t).test AS tied, (k).test AS kruskal, (k).effect, (s).test AS spearman, (s).estimated, (s).conf_low
FROM (SELECT pgfit.signed_rank_test(i - 7.3) FILTER (WHERE i < 20) AS w, pgfit.signed_rank_test(x - y, '{"mu": -100000}') AS t, pgfit.kruskal_test(y, site) AS k,
             pgfit.correlation_test(x, y, '{"method": "spearman"}') AS s FROM trial) q;
-- limits for many numbers move with the numbers, and few numbers may not reach the level
SELECT (a).estimate + 5 = (b).estimate AND (a).conf_low + 5 = (b).conf_low AND (a).conf_high + 5 = (b).conf_high AS shifted, (s).estimate + 5 = (c).estimate AND (s).conf_high + 5 = (c).conf_high AS centered,
       (f).estimate, (f).conf_low IS NULL AS too_few, (o).conf_low, (o).conf_high, (h).estimate IS NULL AS no_range
FROM (SELECT pgfit.mann_whitney_test(i % 40, arm) AS a, pgfit.mann_whitney_test(i % 40 + CASE arm WHEN 'a' THEN 5 ELSE 0 END, arm) AS b, pgfit.signed_rank_test(i % 40 - 7.5) AS s, pgfit.signed_rank_test(i % 40 - 2.5) AS c,
             pgfit.signed_rank_test(i % 2 + 1) FILTER (WHERE i < 4) AS f, pgfit.mann_whitney_test(3 + (arm = 'b')::int, arm) FILTER (WHERE i < 8) AS o,
             pgfit.mann_whitney_test(CASE i WHEN 1 THEN -1e308 ELSE 1e308 END, arm) AS h FROM trial) q;
-- the exact p-value of 3 against 2 numbers, all above: 1 of 10 orders
SELECT (t).statistic, round((t).p_value::numeric, 10) AS p, (t).conf_low, (t).conf_high
FROM (SELECT pgfit.mann_whitney_test(x, g, '{"alternative": "greater", "level": 0.8}') AS t FROM (VALUES (3.0, 'a'), (4, 'a'), (5, 'a'), (1, 'b'), (2.5, 'b')) v(x, g)) q;
-- the distribution functions of 3 against 2 numbers, all above: 1 of 10 orders in one direction, 2 in both; ties leave fewer; exact and its limit agree for many
SELECT (l).test, (l).statistic, round((l).p_value::numeric, 10) AS less, round((t).p_value::numeric, 10) AS two_sided, (o).statistic AS other, (o).p_value AS other_p,
       (c).statistic AS constant, (c).p_value AS constant_p
FROM (SELECT pgfit.ks_test(x, g, '{"alternative": "less"}') AS l, pgfit.ks_test(x, g) AS t, pgfit.ks_test(x, g, '{"alternative": "greater"}') AS o, pgfit.ks_test(1, g) AS c
      FROM (VALUES (3.0, 'a'), (4, 'a'), (5, 'a'), (1, 'b'), (2.5, 'b')) v(x, g)) q;
SELECT (e).test AS exact, (a).test AS limit, abs((e).p_value - (a).p_value) < 0.02 AS near, (e).statistic = (a).statistic AS same_distance
FROM (SELECT pgfit.ks_test(sin(i) + (i % 2) * 0.05, i % 2, '{"exact": true}') AS e, pgfit.ks_test(sin(i) + (i % 2) * 0.05, i % 2) AS a FROM generate_series(1, 2000) i) q;
-- rank correlations: exact for few numbers without ties; 4 numbers in order are 1 of 24 orders
SELECT (k).test, (k).statistic, round((k).p_value::numeric, 10) AS kendall, (s).test AS spearman_test, (s).statistic AS distance, round((s).p_value::numeric, 10) AS spearman
FROM (SELECT pgfit.correlation_test(i, i * i, '{"method": "kendall", "alternative": "greater"}') AS k, pgfit.correlation_test(i, i * i, '{"method": "spearman", "alternative": "greater"}') AS s FROM generate_series(1, 4) i) q;
SELECT (k).test, (k).estimated, (k).df IS NULL AS no_df, (m).test AS middle, (m).df IS NULL AS series, (t).test AS tied, (t).df, (f).p_value > 0 AND (f).p_value < 1e-30 AS far_tail, (f).df AS by_t
FROM (SELECT pgfit.correlation_test(x, y, '{"method": "kendall"}') AS k, pgfit.correlation_test(sin(i), cos(i), '{"method": "spearman"}') AS m, pgfit.correlation_test(half, y, '{"method": "spearman"}') AS t,
             pgfit.correlation_test(i, i + 9 * sin(i), '{"method": "spearman"}') AS f FROM trial) q;
-- Kendall's by counting all pairs
-- a perfect correlation is 1, not a digit more
SELECT (pgfit.correlation_test(x, x, '{"method": "kendall"}')).estimate = 1 AS one FROM generate_series(1, 100) AS x;
SELECT test.near((t).estimate, naive, 1e-12) AS tau FROM (SELECT pgfit.correlation_test(i % 13, i * 7919 % 29, '{"method": "kendall"}') AS t FROM trial) q,
    (SELECT sum(sign(a.i % 13 - b.i % 13) * sign(a.i * 7919 % 29 - b.i * 7919 % 29)) / sqrt(sum(abs(sign(a.i % 13 - b.i % 13))) * sum(abs(sign(a.i * 7919 % 29 - b.i * 7919 % 29)))) AS naive FROM trial AS a JOIN trial AS b ON a.i < b.i) AS n;
SELECT test.try('SELECT pgfit.correlation_test(i, half, ''{"method": "kendall", "exact": true}'') FROM trial');
SELECT test.try('SELECT pgfit.correlation_test(i, -i, ''{"method": "kendall", "exact": true}'') FROM generate_series(1, 201) i');
SELECT test.try('SELECT pgfit.correlation_test(i, 3, ''{"method": "kendall"}'') FROM trial');
SELECT test.try('SELECT pgfit.correlation_test(i, 3, ''{"method": "kendall"}'') FROM trial WHERE i = 1');
SELECT test.try('SELECT pgfit.correlation_test(x, y, ''{"exact": true}'') FROM trial');
-- states merge; the order of rows does not matter but to series
SELECT pg_temp.same(r.a, s.a), pg_temp.same(r.b, s.b), pg_temp.same(r.c, s.c), pg_temp.same(r.d, s.d), pg_temp.same(r.e, s.e), pg_temp.same(r.f, s.f), pg_temp.same(r.k, s.k), (r.g).statistic = (s.g).statistic AS series
FROM (SELECT pgfit.mann_whitney_test(y, arm) AS a, pgfit.kruskal_test(y, site) AS b, pgfit.ks_test(y, arm) AS k, pgfit.signed_rank_test(x - 6) AS c, pgfit.shapiro_test(y) AS d,
             pgfit.jarque_bera_test(y) AS e, pgfit.correlation_test(x, y, '{"method": "spearman"}') AS f, pgfit.durbin_watson_test(x - 6 ORDER BY i) AS g FROM trial) r,
     (SELECT pgfit.mann_whitney_test(y, arm) AS a, pgfit.kruskal_test(y, site) AS b, pgfit.ks_test(y, arm) AS k, pgfit.signed_rank_test(x - 6) AS c, pgfit.shapiro_test(y) AS d,
             pgfit.jarque_bera_test(y) AS e, pgfit.correlation_test(x, y, '{"method": "spearman"}') AS f, pgfit.durbin_watson_test(x - 6 ORDER BY y, i) AS g
      FROM (SELECT * FROM trial ORDER BY x, i) o) s;
SELECT (d).test, (d).p_value IS NULL AS no_p, (d).estimated, (l).test, (l).df, (j).test, (s).test
FROM (SELECT pgfit.durbin_watson_test(x - 6 ORDER BY i) AS d, pgfit.ljung_box_test(x, '{"lags": 5, "model_parameters": 2}' ORDER BY i) AS l, pgfit.jarque_bera_test(y) AS j,
             pgfit.shapiro_test(y) AS s FROM trial) q;
SELECT pgfit.kruskal_test(y, site), pgfit.signed_rank_test(y), pgfit.shapiro_test(y), pgfit.ljung_box_test(y ORDER BY i) FROM trial WHERE false;
-- limits at the last level below 1 were those of level 1: the extremes of all differences, or none
SELECT conf_low BETWEEN -17.7 AND -17.4 AND conf_high BETWEEN 14.9 AND 15.2 AS differences, (s).conf_low BETWEEN -7.7 AND -7.5 AS means
FROM (SELECT (pgfit.mann_whitney_test(y, g, '{"level": 0.9999999999999999}')).*, pgfit.signed_rank_test(y, '{"level": 0.9999999999999999}') AS s FROM (SELECT i % 2 AS g, sin(i * 1.3) * 10 + i % 2 AS y FROM generate_series(1, 120) AS i) AS t) AS q;
SELECT test.try('SELECT pgfit.mann_whitney_test(i / 2, arm, ''{"exact": true}'') FROM trial');
SELECT test.try('SELECT pgfit.mann_whitney_test(1, arm) FROM trial');
SELECT test.try('SELECT pgfit.mann_whitney_test(y, site) FROM trial');
SELECT test.try('SELECT pgfit.ks_test(y, site) FROM trial');
SELECT test.try('SELECT pgfit.ks_test(i, i % 2, ''{"exact": true}'') FROM generate_series(1, 70000) i');
SELECT test.try('SELECT pgfit.signed_rank_test(0) FROM trial');
SELECT test.try('SELECT pgfit.signed_rank_test(i, ''{"exact": true}'') FROM generate_series(1, 2000) i');
SELECT test.try('SELECT pgfit.kruskal_test(y, 1) FROM trial');
SELECT test.try('SELECT pgfit.shapiro_test(i) FROM generate_series(1, 5001) i');
SELECT test.try('SELECT pgfit.shapiro_test(i) FROM generate_series(1, 2) i');
SELECT test.try('SELECT pgfit.shapiro_test(3) FROM trial');
SELECT test.try('SELECT pgfit.jarque_bera_test(3) FROM trial');
SELECT test.try('SELECT pgfit.jarque_bera_test(1e-140 * i) FROM generate_series(1, 9) AS i');
SELECT test.try('SELECT pgfit.ljung_box_test(y, ''{"lags": 90}'' ORDER BY i) FROM trial');
SELECT test.try('SELECT pgfit.ljung_box_test(y, ''{"lags": 2, "model_parameters": 2}'' ORDER BY i) FROM trial');
SELECT test.try('SELECT pgfit.durbin_watson_test(0 ORDER BY i) FROM trial');
SET pgfit.fit_mem = '1MB';
SELECT test.try('SELECT pgfit.kruskal_test(i, i % 3) FROM generate_series(1, 200000) i');
RESET pgfit.fit_mem;

-- a table of many columns does not exhaust the stack, and its first nodes count as memory
SELECT test.try('SELECT pgfit.fisher_test(i % 2, i) FROM generate_series(1, 20000) AS i') ~ '^54000: the set of tables with these totals would need' AS refused;
SELECT round((pgfit.fisher_test(i, i)).p_value::numeric, 10) AS p FROM generate_series(1, 100) AS i;
-- numbers in the proportions of normal scores: W is 1, not more
SELECT (t).statistic <= 1 AS w, round((t).p_value::numeric, 10) AS p
FROM (SELECT pgfit.shapiro_test(x) AS t FROM unnest('{-1.996700828984854,-1.0437992450344364,-0.5778618956658677,-0.1863989408075786,0.1863989408075786,0.5778618956658677,1.0437992450344364,1.996700828984854}'::float8[]) AS x) q;
-- weights beyond any count: squares of them stay in range, and rows that no bigint holds are NULL
SELECT round((c).effect_size::numeric, 10) AS cramers_v, (c).p_value, (c).rows, (m).estimate, (m).rows AS other_rows
FROM (SELECT pgfit.chi_square_test(a, b, '{"correct": false}', w) AS c, pgfit.mcnemar_test(a, b, '{}', w) AS m FROM (VALUES (0, 0, 1e300), (0, 1, 2e300), (1, 0, 1e300), (1, 1, 1e300)) AS v (a, b, w)) q;
SELECT test.try('SELECT pgfit.fisher_test(a, b, ''{}'', w) FROM (VALUES (0, 0, 1e300), (0, 1, 2e300), (1, 0, 1e300), (1, 1, 1e300)) AS v (a, b, w)');

-- adjusted p-values; NULLs do not count
SELECT m, (SELECT array_agg(round(p::numeric, 6) ORDER BY i) FROM unnest(pgfit.adjust_p('{0.01,0.02,NULL,0.03,0.04,0.05,1e-10,0.5,0.04,1}', m)) WITH ORDINALITY AS u(p, i)) AS adjusted
FROM unnest('{bonferroni,holm,hochberg,BH,BY,fdr}'::text[]) AS m;
SELECT pgfit.adjust_p('{0.04,0.02}'), pgfit.adjust_p('{}'), pgfit.adjust_p('{NULL}'), pgfit.adjust_p(NULL);
SELECT test.try('SELECT pgfit.adjust_p(''{0.1,1.5}'')');
SELECT test.try('SELECT pgfit.adjust_p(''{0.1,NaN}'')');
SELECT test.try('SELECT pgfit.adjust_p(''{0.1}'', ''tukey'')');
-- degrees of freedom of numbers whose variances have no squares in double precision
SELECT x, test.near((t).df, 2.9411764705882355, 1e-12) AS df, test.near((t).p_value, 0.19136971845662715, 1e-12) AS p, test.near((b).df, 2.9411764705882355, 1e-12) AS ab
FROM (SELECT x, pgfit.t_test(v * x, g) AS t, pgfit.ab_test(v * x, g) AS b FROM (VALUES (1.0, 'a'), (2, 'a'), (4, 'a'), (3, 'b'), (5, 'b'), (9, 'b')) AS r(v, g), unnest('{1e-150,1e-100,1,1e100,1e150}'::float8[]) AS x GROUP BY x) AS tested ORDER BY x;
