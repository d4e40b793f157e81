-- What follows a fit of few rows, of a constant, of separated classes, of one cluster and of clusters of one row: numbers, NULL, or a refusal that says why.
CREATE TABLE degenerate AS
SELECT 'one row' AS c, 1 AS i, 1.5::float8 AS x, 'u' AS g, 1 AS k, 2 AS y, true AS b
UNION ALL SELECT 'two rows', i, i, 'u', i, i, i = 2 FROM generate_series(1, 2) AS i
UNION ALL SELECT 'constant target', i, i % 5, (ARRAY['u', 'v'])[1 + i % 2], i % 4, 3, false FROM generate_series(1, 20) AS i
UNION ALL SELECT 'constant feature', i, 2, (ARRAY['u', 'v'])[1 + i % 2], i % 4, i * i * i % 17, i % 3 = 0 FROM generate_series(1, 20) AS i
UNION ALL SELECT 'separated', i, i, (ARRAY['u', 'v'])[1 + i % 2], i % 4, i * i % 11 + i, i > 10 FROM generate_series(1, 20) AS i
UNION ALL SELECT 'one cluster', i, i % 5, (ARRAY['u', 'v'])[1 + i % 2], 7, i * i % 11, i % 3 = 0 FROM generate_series(1, 20) AS i
UNION ALL SELECT 'clusters of one', i, i % 5, (ARRAY['u', 'v'])[1 + i % 2], i, i * i % 11, i % 3 = 0 FROM generate_series(1, 20) AS i;
ANALYZE degenerate;
SET client_min_messages = error; -- every refusal is in the result; separated classes would warn at each fit

-- errors of coefficients: how many there are, by kinds of covariance
SELECT c, estimator, string_agg(v, ' ' ORDER BY v) AS vcov, outcome
FROM (SELECT DISTINCT c FROM degenerate) AS cases, (VALUES ('linear_regression', 'y'), ('logistic_regression', 'b'), ('poisson_regression', 'y')) AS e (estimator, target),
     (VALUES ('HC0', ''), ('HC1', ''), ('HC2', ''), ('HC3', ''), ('CR0', ', "cluster": "k"'), ('CR1', ', "cluster": "k"'), ('CR1S', ', "cluster": "k"'), ('CR2', ', "cluster": "k"'), ('NW', ', "order": "i"')) AS k (v, more),
     LATERAL (SELECT replace(test.try(format('SELECT count(std_error) || '' of '' || count(*) FROM (SELECT pgfit.%s(%s, d, %L::jsonb) AS m FROM degenerate AS d WHERE c = %L) AS f, pgfit.coefficients(m)',
                                             estimator, target, format('{"formula": "x + g", "vcov": "%s"%s}', v, more), c)), '"' || v || '"', '...')) AS o (outcome)
WHERE NOT (c = 'constant target' AND estimator = 'poisson_regression') -- whose errors are 0 but for rounding
GROUP BY c, estimator, outcome ORDER BY c, estimator, vcov;

-- diagnostics, tests, effects, terms and fixed effects
CREATE TABLE asked (n serial, name text, query text);
INSERT INTO asked (name, query) VALUES
('vif', 'SELECT string_agg(term || '' '' || coalesce(round(vif::numeric, 2)::text, ''none''), '', '') FROM (SELECT pgfit.linear_regression(y, d, ''x + g'') AS m FROM @) AS f, pgfit.vif(m)'),
('vif of classes', 'SELECT string_agg(term || '' '' || coalesce(round(vif::numeric, 2)::text, ''none''), '', '') FROM (SELECT pgfit.logistic_regression(b, d, ''x + g'') AS m FROM @) AS f, pgfit.vif(m)'),
('condition number', 'SELECT round((pgfit.info(pgfit.linear_regression(y, d, ''x + g'')) -> ''statistics'' ->> ''condition_number'')::numeric, 2) FROM @'),
('glance', 'SELECT (round(g.r_squared::numeric, 3), round(g.sigma::numeric, 3), round(g.statistic::numeric, 3), g.df, g.df_residual, g.rows)::text FROM (SELECT pgfit.linear_regression(y, d, ''x + g'') AS m FROM @) AS f, pgfit.glance(m) AS g'),
('influence', 'SELECT count(i.leverage) || '' leverages, '' || count(i.standardized) || '' standardized, '' || count(i.studentized) || '' studentized'' FROM (SELECT pgfit.linear_regression(y, d, ''x + g'') AS m FROM @) AS f, @ , LATERAL pgfit.influence(m, y, d) AS i'),
('augment of classes', 'SELECT count(*) || '' rows, '' || count(leverage) || '' leverages'' FROM (SELECT pgfit.logistic_regression(b, d, ''b ~ x + g'') AS m FROM @) AS f, pgfit.augment(m, ''SELECT * FROM degenerate WHERE c = '' || quote_literal(%1$L))'),
('durbin_watson_test', 'SELECT round((pgfit.durbin_watson_test(y - 3 ORDER BY i)).statistic::numeric, 3) FROM @'),
('ljung_box_test', 'SELECT round((pgfit.ljung_box_test(y, ''{"lags": 2}'' ORDER BY i)).statistic::numeric, 3) FROM @'),
('jarque_bera_test', 'SELECT round((pgfit.jarque_bera_test(y)).statistic::numeric, 3) FROM @'),
('breusch_pagan_test', 'SELECT round((pgfit.breusch_pagan_test(pgfit.linear_regression((y - 1) ^ 2, d, ''x''))).statistic::numeric, 3) FROM @'),
('wald_test', 'SELECT coalesce(round(w.statistic::numeric, 3)::text, ''no statistic'') FROM (SELECT pgfit.linear_regression(y, d, ''x'') AS m FROM @) AS f, pgfit.wald_test(m, ''x'') AS w'),
('linear_combinations', 'SELECT coalesce(round(l.std_error::numeric, 3)::text, ''no error'') FROM (SELECT pgfit.logistic_regression(b, d, ''x'') AS m FROM @) AS f, pgfit.linear_combinations(m, ''2 * x'') AS l'),
('margins', 'SELECT coalesce(round(x.std_error::numeric, 3)::text, ''no error'') FROM (SELECT pgfit.linear_regression(y, d, ''x + g'') AS m FROM @) AS f, pgfit.margins(m, ''SELECT * FROM degenerate WHERE c = '' || quote_literal(%1$L), ''x'') AS x'),
('marginal_means', 'SELECT count(e.estimate) || '' of '' || count(*) FROM (SELECT pgfit.logistic_regression(b, d, ''x + g'') AS m FROM @) AS f, pgfit.marginal_means(m, ''SELECT * FROM degenerate WHERE c = '' || quote_literal(%1$L), ''g'') AS e'),
('step', 'SELECT string_agg(s.formula, '' | '' ORDER BY s.step) FROM (SELECT pgfit.linear_regression(y, d, ''x + g'') AS m FROM @) AS f, pgfit.step(m) AS s'),
('all subsets', 'SELECT string_agg(s.formula, '' | '' ORDER BY s.step) FROM (SELECT pgfit.linear_regression(y, d, ''x + g'') AS m FROM @) AS f, pgfit.step(m, ''{"direction": "all"}'') AS s'),
('absorb', 'SELECT string_agg(term || CASE WHEN estimate IS NULL THEN '' dropped'' WHEN std_error IS NULL THEN '' without error'' ELSE '''' END, '', '') FROM (SELECT pgfit.linear_regression(y, d, ''{"formula": "x + g", "absorb": "k"}'') AS m FROM @) AS f, pgfit.coefficients(m)'),
('conformal limits', 'SELECT i.lower = ''-inf'' FROM (SELECT pgfit.conformalize(m, y, d) AS s FROM (SELECT pgfit.linear_regression(y, o, ''x'') AS m FROM degenerate AS o WHERE c = ''one cluster'') AS f, @) AS g, pgfit.predict_interval(s, ''{"x": 1}''::jsonb, 0.8) AS i'),
('conformal sets', 'SELECT pgfit.prediction_set(s, ''{"x": 1}''::jsonb, 0.8) FROM (SELECT pgfit.conformalize(m, b, d) AS s FROM (SELECT pgfit.logistic_regression(b, o, ''x'') AS m FROM degenerate AS o WHERE c = ''one cluster'') AS f, @) AS g'),
('importance', 'SELECT string_agg(p.feature || CASE WHEN p.importance = 0 THEN '' 0'' ELSE '''' END, '', '' ORDER BY p.feature) FROM (SELECT pgfit.linear_regression(y, o, ''x + g'') AS m FROM degenerate AS o WHERE c = ''one cluster'') AS f, pgfit.permutation_importance(m, ''SELECT * FROM degenerate WHERE c = '' || quote_literal(%1$L), ''y'') AS p'),
('dependence', 'SELECT count(p.estimate) || '' values'' FROM (SELECT pgfit.linear_regression(y, o, ''x + g'') AS m FROM degenerate AS o WHERE c = ''one cluster'') AS f, pgfit.partial_dependence(m, ''SELECT * FROM degenerate WHERE c = '' || quote_literal(%1$L), ''x'', ''{"grid": 4}'') AS p'),
('effects', 'SELECT count(e.effect) || '' values'' FROM (SELECT pgfit.linear_regression(y, o, ''x + g'') AS m FROM degenerate AS o WHERE c = ''one cluster'') AS f, pgfit.accumulated_effects(m, ''SELECT * FROM degenerate WHERE c = '' || quote_literal(%1$L), ''x'', ''{"intervals": 3}'') AS e');
SELECT name, string_agg(c, ', ' ORDER BY c) AS cases, outcome
FROM (SELECT DISTINCT c FROM degenerate) AS cases, asked, LATERAL (SELECT test.try(format(replace(query, '@', '(SELECT * FROM degenerate WHERE c = %1$L) AS d'), c))) AS o (outcome)
GROUP BY n, name, outcome ORDER BY n, cases;

-- NULL for the groups that have none, instead of the refusal of all
RESET client_min_messages;
SELECT c, g.df_residual, m IS NULL AS failed
FROM (SELECT c, pgfit.linear_regression(y, d, '{"formula": "x + g", "vcov": "CR1", "cluster": "k", "on_failure": "null"}') AS m FROM degenerate AS d GROUP BY c) AS f LEFT JOIN LATERAL pgfit.glance(m) AS g ON true ORDER BY c;
SELECT c, g.df_residual, m IS NULL AS failed
FROM (SELECT c, pgfit.logistic_regression(b, d, '{"formula": "x + g", "vcov": "CR2", "cluster": "k", "on_failure": "null"}') AS m FROM degenerate AS d WHERE c <> 'separated' GROUP BY c) AS f LEFT JOIN LATERAL pgfit.glance(m) AS g ON true ORDER BY c;
SELECT c, (t).statistic IS NOT NULL AS tested FROM (SELECT c, pgfit.jarque_bera_test(y, '{"on_failure": "null"}') AS t FROM degenerate GROUP BY c) AS f ORDER BY c;
DROP TABLE degenerate, asked;
-- a constant whose name is empty
SELECT pgfit.linear_regression(i, '{"": 1}'::jsonb) IS NOT NULL AS fitted FROM generate_series(1, 9) AS i;
