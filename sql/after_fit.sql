-- wald_test, linear_combinations, margins and marginal_means. Their numbers are compared with R in test/golden/after_fit.json.
CREATE TABLE plots AS
SELECT i AS id, round((sin(i) * 3)::numeric, 3)::float8 AS a, round(cos(i * 1.7)::numeric, 3)::float8 AS b, (ARRAY['u', 'v', 'w'])[1 + i % 3] AS g, i % 4 < 2 AS s, 1 + i % 4 AS w,
       i % 7 AS c, round((1 + 2 * sin(i) + cos(i * 1.7) + sin(i * i))::numeric, 3)::float8 AS y
FROM generate_series(1, 60) AS i;
CREATE TABLE fits AS
SELECT pgfit.linear_regression(y, p, 'y ~ a * g + b + s') AS m, pgfit.logistic_regression(y > 1, p, 'a + b + g') AS l, pgfit.linear_regression(y, p, '{"formula": "a + b + s", "vcov": "HC3"}') AS robust,
       pgfit.linear_regression(y, p, '{"formula": "a + b", "vcov": "CR2", "cluster": "c"}') AS clustered, pgfit.logistic_regression(y > 1, p, '{"formula": "a + b", "vcov": "CR1", "cluster": "c"}') AS clusters,
       pgfit.ridge_regression(y, p, 1, 'y ~ a + b') AS ridge, pgfit.logistic_regression(y > 1, p, '{"formula": "a + b", "lambda": 1}') AS penalized,
       pgfit.logistic_regression(g, p, 'a + b') AS three, pgfit.linear_regression(y, ARRAY[a, b]) AS nameless, pgfit.linear_regression(y, p, '{"formula": "a + g", "absorb": "c"}') AS absorbed,
       pgfit.linear_regression(y, p, 'a + g', w) AS weighted, pgfit.linear_regression(y, p, 'a + I(a * 2) + g') AS dropped, pgfit.linear_regression(y, p, 'log(a + 4) * g + poly(b, 2)') AS curved
FROM plots AS p;

-- one restriction is the square of the test of coefficients, all of them the F test of the model
SELECT test.near(w.statistic, c.statistic ^ 2) AS t, test.near(w.p_value, c.p_value) AS p, w.test, w.df, w.df_2, w.rows FROM fits, pgfit.coefficients(m) AS c, pgfit.wald_test(m, 'b = 0') AS w WHERE term = 'b';
SELECT test.near((pgfit.wald_test(pgfit.linear_regression(y, p, 'a + b'), 'a, b')).statistic, (pgfit.glance(pgfit.linear_regression(y, p, 'a + b'))).statistic) AS f FROM plots AS p;
SELECT test.near(w.statistic, c.statistic ^ 2) AS z, test.near(w.p_value, c.p_value) AS p, w.test, w.df, w.df_2 FROM fits, pgfit.coefficients(l) AS c, pgfit.wald_test(l, 'b') AS w WHERE term = 'b';
-- robust ones, and clusters, of which each coefficient has its own degrees of freedom under CR2
SELECT w.test, w.df, w.df_2, v.test AS clustered, v.df_2 AS clusters, u.test AS logistic, u.df_2 FROM fits, pgfit.wald_test(robust, 'a = 2 * b') AS w, pgfit.wald_test(clustered, 'a = 1, b = 1') AS v, pgfit.wald_test(clusters, 'a = b') AS u;
SELECT test.near(w.p_value, c.p_value) AS own FROM fits, pgfit.wald_test(clustered, 'a') AS w, pgfit.coefficients(clustered) AS c WHERE term = 'a';
-- sums, products, names in any case and quotes, constants on both sides
SELECT l.combination, test.near(l.estimate, v) AS same FROM fits, LATERAL (SELECT array_agg(estimate ORDER BY n) AS e FROM pgfit.coefficients(m) WITH ORDINALITY AS c (class, term, estimate, std_error, statistic, p_value, low, high, n)) AS c,
     LATERAL (VALUES ('a - b', e[2] - e[5]), ('2*A + b/4', 2 * e[2] + e[5] / 4), ('"g=v" - `g=w`', e[3] - e[4]), ('-(intercept + 1) * 3', -3 * e[1] - 3), ('"(intercept)" + 2 * (b - (a - "s"))', e[1] + 2 * (e[5] - e[2] + e[6])),
     ('"a:g=v" * (2 + 1) / 6', e[7] / 2), (' + a - -1', NULL)) AS t (text, v), LATERAL pgfit.linear_combinations(m, text) AS l WHERE v IS NOT NULL;
SELECT test.near(a.statistic, b.statistic) AS same FROM fits, pgfit.wald_test(m, 'a + 1 = b * 2 - 3') AS a, pgfit.wald_test(m, '2 * b - a == 4') AS b;
-- a restriction times any number is the same restriction
SELECT test.near(a.statistic, b.statistic) AS same FROM fits, pgfit.wald_test(m, '1e200 * a = 1e200, 1e-200 * b') AS a, pgfit.wald_test(m, 'a = 1, b') AS b;
SELECT test.near(l.conf_high - l.conf_low, 2 * 1.674689 * l.std_error, 1e-5) AS narrow, l.p_value < 0.001 AS small FROM fits, pgfit.linear_combinations(m, 'a', '{"level": 0.9}') AS l;
SELECT exp(l.estimate) > 1 AS odds, test.near(l.statistic, l.estimate / l.std_error) AS z FROM fits, pgfit.linear_combinations(l, '2 * a') AS l;
-- names that hold quotes
SELECT c.combination FROM (SELECT pgfit.linear_regression(y, q, 'y ~ "it""s" + b') AS m FROM (SELECT y, b, a AS "it""s" FROM plots) AS q) AS f, pgfit.linear_combinations(m, '"it""s" - b') AS c;
-- what is refused
SELECT test.try(format('SELECT pgfit.wald_test(m, %L) FROM fits', text)) FROM (VALUES (''), ('a ='), ('= a'), ('a, '), ('a b'), ('aa'), ('a:g=v'), ('a * b'), ('1 / a'), ('a / 0'), ('1 = 1'), ('a - a'), ('a = 1, b = 2, a + b = 3'),
     ('a = 1, b = 2, a + b = 4'), ('a = 0, a = 0'), ('"a'), ('a ~ b'), ('(a'), ('a = b = 0'), ('1e400 * a'), ('1e300 * 1e300 * a'), ('log(a)'), ('''a''')) AS t (text);
SELECT test.try($$SELECT pgfit.wald_test(m, repeat('(', 200) || 'a') FROM fits$$);
SELECT test.try($$SELECT pgfit.wald_test(m, repeat('a + ', 300000) || 'a') FROM fits$$);
SELECT test.near(w.statistic, v.statistic) AS long FROM fits, pgfit.wald_test(m, repeat('a + ', 9999) || 'a') AS w, pgfit.wald_test(m, 'a') AS v;
SELECT test.try('SELECT pgfit.linear_combinations(m, ''a = 1'') FROM fits');
SELECT test.try('SELECT pgfit.linear_combinations(m, ''a'', ''{"level": 1}'') FROM fits');
SELECT test.try(format('SELECT pgfit.wald_test(%s, ''a'') FROM fits', x)) FROM unnest(ARRAY['ridge', 'penalized', 'three', 'nameless']) AS x;
SELECT test.try('SELECT pgfit.wald_test(pgfit.moments(y, a), ''a'') FROM plots');
SELECT test.try('SELECT pgfit.wald_test(pgfit.kmeans(a, 2), ''a'') FROM plots');
SELECT test.try('SELECT pgfit.wald_test(dropped, ''"I(a * 2)" = a'') FROM fits');
SELECT (pgfit.wald_test(nameless, 'f1 = f2')).df FROM fits;
SELECT pgfit.wald_test(NULL, 'a') IS NULL AS no_model, pgfit.wald_test(m, NULL) IS NULL AS no_text FROM fits;
-- without degrees of freedom there is no test
SELECT test.try('SELECT pgfit.wald_test(pgfit.linear_regression(y, q, ''x''), ''x'') FROM (VALUES (1, 0), (2, 1)) AS q (y, x)');

-- margins of a plain number are its coefficient; differences of levels are those of the means of predictions
SELECT test.near(x.estimate, c.estimate) AS estimate, test.near(x.std_error, c.std_error) AS std_error, test.near(x.p_value, c.p_value) AS p, x.df FROM fits, pgfit.margins(m, 'plots', 'b') AS x, pgfit.coefficients(m) AS c WHERE term = 'b';
SELECT x.level, x.reference, test.near(x.estimate, (SELECT avg(pgfit.predict(m, q) - pgfit.predict(m, r)) FROM plots AS p, LATERAL (SELECT p.a, p.b, x.level AS g, p.s) AS q, LATERAL (SELECT p.a, p.b, x.reference AS g, p.s) AS r)) AS same
FROM fits, pgfit.margins(m, 'plots', 'g') AS x;
SELECT x.level, x.reference, test.near(x.estimate, c.estimate) AS same FROM fits, pgfit.margins(m, 'SELECT * FROM plots', 's') AS x, pgfit.coefficients(m) AS c WHERE term = 's';
-- where the source has 1 and 0 for a boolean of the model, its levels were no integers
SELECT x.level, x.reference, test.near(x.estimate, y.estimate) AS same, test.near(z.estimate, w.estimate) AS at
FROM fits, pgfit.margins(m, 'plots', 's') AS y,
     pgfit.margins(m, 'SELECT y, a, b, g, s::int::numeric(3, 1) AS s FROM plots', 's') AS x,
     pgfit.margins(m, 'plots', 'b', '{"at": {"s": true}}') AS z,
     pgfit.margins(m, 'SELECT y, a, b, g, s::int AS s FROM plots', 'b', '{"at": {"s": true}}') AS w;
SELECT x.variable, x.class, test.near(x.estimate, (SELECT avg(pgfit.probability(l, q) - pgfit.probability(l, r)) / 2e-6 FROM plots AS p, LATERAL (SELECT p.a + 1e-6 AS a, p.b, p.g) AS q, LATERAL (SELECT p.a - 1e-6 AS a, p.b, p.g) AS r), 1e-6) AS same
FROM fits, pgfit.margins(l, 'plots', 'a') AS x;
SELECT test.near(x.estimate, (SELECT avg(pgfit.predict(curved, q) - pgfit.predict(curved, r)) / 2e-6 FROM plots AS p, LATERAL (SELECT p.a + 1e-6 AS a, p.b, p.g) AS q, LATERAL (SELECT p.a - 1e-6 AS a, p.b, p.g) AS r), 1e-6) AS curved
FROM fits, pgfit.margins(curved, 'plots', 'a') AS x;
-- other columns, or the number itself, at a value; weights; NULLs and weight 0 are left out
SELECT test.near(x.estimate, c.estimate + d.estimate) AS at FROM fits, pgfit.margins(m, 'plots', 'a', '{"at": {"g": "v", "s": true}}') AS x, pgfit.coefficients(m) AS c, pgfit.coefficients(m) AS d WHERE c.term = 'a' AND d.term = 'a:g=v';
SELECT test.near(x.estimate, (SELECT avg(pgfit.predict(curved, q) - pgfit.predict(curved, r)) / 2e-6 FROM plots AS p, LATERAL (SELECT 1 + 1e-6 AS a, p.b, p.g) AS q, LATERAL (SELECT 1 - 1e-6 AS a, p.b, p.g) AS r), 1e-6) AS own
FROM fits, pgfit.margins(curved, 'plots', 'a', '{"at": {"a": 1}}') AS x;
SELECT test.near(x.estimate, z.estimate) AS weight, NOT test.near(x.estimate, y.estimate) AS matters
FROM fits, pgfit.margins(l, 'plots', 'a', '{"weight": "w"}') AS x, pgfit.margins(l, 'plots', 'a') AS y, pgfit.margins(l, 'SELECT p.* FROM plots AS p, generate_series(1, w)', 'a') AS z;
SELECT test.near(x.estimate, z.estimate) AS nulls FROM fits, pgfit.margins(l, 'SELECT * FROM plots UNION ALL SELECT id, nullif(a, a), b, g, s, w, c, y FROM plots UNION ALL SELECT id, a, b, nullif(g, g), s, w, c, y FROM plots', 'a') AS x, pgfit.margins(l, 'plots', 'a') AS z;
-- robust covariances, absorbed columns, frequency weights
SELECT test.near(x.std_error, c.std_error) AS robust FROM fits, pgfit.margins(robust, 'plots', 'a') AS x, pgfit.coefficients(robust) AS c WHERE term = 'a';
SELECT test.near(x.p_value, c.p_value) AS clustered, x.df < 6 AS few FROM fits, pgfit.margins(clustered, 'plots', 'a') AS x, pgfit.coefficients(clustered) AS c WHERE term = 'a';
SELECT x.level, test.near(x.estimate, c.estimate) AS absorbed FROM fits, pgfit.margins(absorbed, 'plots', 'g') AS x, pgfit.coefficients(absorbed) AS c WHERE term = 'g=' || level;
-- numbers far from 0, near 0, without spread, and of huge spread
SELECT k, test.near(x.estimate, c.estimate, 1e-7) AS same FROM (SELECT k, pgfit.linear_regression(p.y, q, 'x') AS m FROM (VALUES (1e9::float8), (1e-9), (1e-100), (1e100)) AS v (k), plots AS p, LATERAL (SELECT p.a * k + CASE WHEN k = 1e9 THEN 1e12 ELSE 0 END AS x) AS q GROUP BY k) AS f,
     pgfit.coefficients(m) AS c, pgfit.margins(m, format('SELECT a * %s + %s AS x FROM plots', k, CASE WHEN k = 1e9 THEN 1e12 ELSE 0 END), 'x') AS x WHERE term = 'x' ORDER BY k;
SELECT test.near(x.estimate, c.estimate) AS constant FROM fits, pgfit.margins(m, 'SELECT b, 0 AS a, g, s FROM plots', 'b') AS x, pgfit.coefficients(m) AS c WHERE term = 'b';
SELECT test.near(x.estimate, y.estimate) AS zero FROM fits, pgfit.margins(curved, 'SELECT 0 AS a, b, g FROM plots', 'a') AS x, pgfit.margins(curved, 'plots', 'a', '{"at": {"a": 0}}') AS y;

-- marginal means of a balanced table are means; differences are those of means
SELECT e.level, test.near(e.estimate, (SELECT avg(pgfit.predict(m, q)) FROM plots, LATERAL (SELECT (SELECT avg(a) FROM plots) AS a, (SELECT avg(b) FROM plots) AS b, e.level AS g, s) AS q)) AS same, e.df FROM fits, pgfit.marginal_means(m, 'plots', 'g') AS e;
SELECT d.level, d.reference, test.near(d.estimate, e.estimate - f.estimate) AS same, d.p_value < 1 AS tested FROM fits, pgfit.marginal_means(m, 'plots', 'g', '{"differences": true}') AS d, pgfit.marginal_means(m, 'plots', 'g') AS e, pgfit.marginal_means(m, 'plots', 'g') AS f
WHERE d.level = e.level AND d.reference = f.level;
SELECT r.class, r.level, test.near(r.estimate, 1 / (1 + exp(-e.estimate))) AS response, r.statistic FROM fits, pgfit.marginal_means(l, 'plots', 'g', '{"type": "response"}') AS r, pgfit.marginal_means(l, 'plots', 'g') AS e WHERE e.level = r.level;
SELECT e.level, NOT test.near(e.estimate, p.estimate) AS differs FROM fits, pgfit.marginal_means(m, 'SELECT * FROM plots WHERE NOT s OR id < 20', 'g') AS e, pgfit.marginal_means(m, 'SELECT * FROM plots WHERE NOT s OR id < 20', 'g', '{"weights": "proportional"}') AS p WHERE p.level = e.level;
SELECT e.level, test.near(e.estimate, pgfit.predict(weighted, q)) AS at FROM fits, pgfit.marginal_means(weighted, 'plots', 'g', '{"at": {"a": 2.5}}') AS e, LATERAL (SELECT 2.5 AS a, e.level AS g) AS q;
SELECT test.near(e.estimate, pgfit.predict(weighted, q)) AS weight FROM fits, pgfit.marginal_means(weighted, 'plots', 'g', '{"weight": "w"}') AS e, LATERAL (SELECT (SELECT sum(a * w) / sum(w) FROM plots) AS a, e.level AS g) AS q;
SELECT x.level, test.near(x.estimate, y.estimate) AS booleans FROM fits, pgfit.marginal_means(m, 'plots', 's') AS x, pgfit.marginal_means(m, 'SELECT *, 1 AS more FROM plots', 's') AS y WHERE x.level = y.level;
-- levels with quotes, numbers as levels
SELECT e.level FROM (SELECT pgfit.linear_regression(y, q, 'y ~ "the ""g"" '' of"') AS m FROM (SELECT y, g || ''' "' AS "the ""g"" ' of" FROM plots) AS q) AS f, pgfit.marginal_means(m, $$SELECT g || ''' "' AS "the ""g"" ' of" FROM plots$$, 'the "g" '' of') AS e;
SELECT e.level, test.near(e.estimate, pgfit.predict(m, q)) AS same FROM (SELECT pgfit.linear_regression(y, p, 'factor(c)') AS m FROM plots AS p) AS f, pgfit.marginal_means(m, 'plots', 'c') AS e, LATERAL (SELECT e.level::int AS c) AS q;
-- columns of the source with the names of the query's own
SELECT test.near(x.estimate, y.estimate) AS names FROM fits, pgfit.margins(m, 'SELECT *, 1 AS d, 2 AS high, 3 AS low, 4 AS levels, 5 AS number, 6 AS step, 7 AS ends, 8 AS v, 9 AS i FROM plots', 'a') AS x, pgfit.margins(m, 'plots', 'a') AS y;
-- effects that depend on dropped terms
SELECT test.near(x.estimate, y.estimate) AS slope, test.near(x.std_error, y.std_error) AS error
FROM fits, (SELECT pgfit.linear_regression(y, p, 'a + g') AS n FROM plots AS p) AS f, pgfit.margins(dropped, 'plots', 'a') AS x, pgfit.margins(n, 'plots', 'a') AS y;
SELECT e.level, e.estimate IS NULL AS no_rows FROM (SELECT pgfit.linear_regression(y, p, 'g * s') AS m FROM plots AS p WHERE NOT (g = 'w' AND s)) AS f, pgfit.marginal_means(m, 'plots', 'g') AS e;
-- no rows of the reference at one of the levels: another product is dropped, and means that the rows do not determine are NULL, as in emmeans
CREATE TEMP TABLE cells (g, h, y) AS VALUES ('a', 'u', 1.0), ('a', 'u', 2), ('b', 'v', 3), ('b', 'v', 5), ('c', 'u', 1.5), ('c', 'v', 4), ('c', 'u', 2), ('c', 'v', 4.5);
SELECT e.level, round(e.estimate::numeric, 4) AS mean, round(e.std_error::numeric, 4) AS error FROM (SELECT pgfit.linear_regression(y, c, 'g * h') AS m FROM cells AS c) AS f, pgfit.marginal_means(m, 'cells', 'g') AS e;
SELECT e.level, e.reference, round(e.estimate::numeric, 4) AS difference, round(e.std_error::numeric, 4) AS error
FROM (SELECT pgfit.linear_regression(y, c, 'h + g + I((g == ''b'') + 1)') AS m FROM cells AS c) AS f, pgfit.marginal_means(m, 'cells', 'g', '{"differences": true}') AS e;
SELECT e.level, round(e.estimate::numeric, 4) AS effect FROM (SELECT pgfit.linear_regression(y, c, 'g * h') AS m FROM cells AS c) AS f, pgfit.margins(m, 'SELECT * FROM cells WHERE g <> ''a''', 'h') AS e;
-- rows that do not tell what follows from what: the averages had numbers of no meaning in silence
SELECT e.level, round(e.estimate::numeric, 4) AS effect FROM (SELECT pgfit.linear_regression(y, c, 'g * h') AS m FROM cells AS c) AS f, pgfit.margins(m, 'SELECT * FROM cells WHERE h = ''u''', 'g') AS e;
-- a column that the formula reads in two ways is one column; a boolean as a category has its two levels
SELECT e.level, round(e.estimate::numeric, 4) AS mean FROM (SELECT pgfit.linear_regression(y, c, 'h + I(g == ''a'') + I(g == ''b'')') AS m FROM cells AS c) AS f, pgfit.marginal_means(m, 'cells', 'h', '{"at": {"g": "c"}}') AS e;
SELECT e.level, round(e.estimate::numeric, 4) AS mean FROM (SELECT pgfit.linear_regression(y, c, 'b + factor(b)') AS m FROM (SELECT *, h = 'u' AS b FROM cells) AS c) AS f,
     pgfit.marginal_means(m, 'SELECT *, h = ''u'' AS b FROM cells', 'b') AS e;
DROP TABLE cells;
-- a number at a break of cut(), or where a comparison changes: the step is no slope
SELECT round(a.estimate::numeric, 6) AS cut, test.near(b.estimate, x.estimate) AS compared, test.near(b.std_error, x.std_error) AS error
FROM (SELECT pgfit.linear_regression(y, c, 'cut(x, breaks = c(-1, 2, 9))') AS m, pgfit.linear_regression(y, c, 'x + I(x > 2) + floor(x)') AS n FROM (SELECT i % 7 / 2.0 AS x, i * i % 11 AS y FROM generate_series(1, 40) AS i) AS c) AS f,
     pgfit.margins(m, 'SELECT i / 1.0 AS x FROM generate_series(0, 3) AS i', 'x') AS a, pgfit.margins(n, 'SELECT i / 1.0 AS x FROM generate_series(0, 3) AS i', 'x') AS b, pgfit.coefficients(n) AS x WHERE x.term = 'x';
-- the logarithm of amounts, the least of which are far below the standard deviation
SELECT round((x.estimate / (e.estimate * inverse))::numeric, 5) AS slope FROM (SELECT pgfit.linear_regression(y, a, 'log(amount)') AS m, avg(1 / amount) AS inverse FROM (SELECT exp(i / 5.0 - 5) AS amount, i % 7 AS y FROM generate_series(0, 90) AS i) AS a) AS f,
     pgfit.margins(m, 'SELECT exp(i / 5.0 - 5) AS amount FROM generate_series(0, 90) AS i', 'amount') AS x, pgfit.coefficients(m) AS e WHERE e.term = 'log(amount)';
-- one level, no rows, rows without a feature
SELECT count(*) FROM (SELECT pgfit.linear_regression(y, p, 'a + g') AS m FROM plots AS p WHERE g = 'u') AS f, pgfit.margins(m, 'plots', 'g');
SELECT e.level, e.estimate IS NOT NULL AS mean FROM (SELECT pgfit.linear_regression(y, p, 'a + g') AS m FROM plots AS p WHERE g = 'u') AS f, pgfit.marginal_means(m, 'plots', 'g') AS e;
SELECT test.try(format('SELECT * FROM fits, pgfit.%s(m, %L, ''g'')', f, 'SELECT * FROM plots WHERE ' || w)) FROM unnest(ARRAY['margins', 'marginal_means']) AS f, unnest(ARRAY['false', 'a IS NULL']) AS w;
SELECT test.try('SELECT * FROM fits, pgfit.margins(m, ''SELECT a, b, g, s, 0 AS w FROM plots'', ''g'', ''{"weight": "w"}'')');
-- what is refused
SELECT test.try(format('SELECT * FROM fits, pgfit.margins(%s, ''plots'', ''a'')', x)) FROM unnest(ARRAY['ridge', 'penalized', 'three', 'nameless']) AS x;
SELECT test.try('SELECT * FROM fits, pgfit.marginal_means(absorbed, ''plots'', ''g'')');
SELECT test.try('SELECT * FROM fits, pgfit.marginal_means(m, ''plots'', ''a'')');
SELECT test.try('SELECT * FROM fits, pgfit.margins(m, ''plots'', ''x'')');
SELECT test.try('SELECT * FROM fits, pgfit.margins(m, ''SELECT a, b, g FROM plots'', ''a'')');
SELECT test.try('SELECT * FROM fits, pgfit.margins(m, ''SELECT a::text, b, g, s FROM plots'', ''a'')');
SELECT test.try('SELECT * FROM fits, pgfit.margins(m, ''no_plots'', ''a'')');
SELECT test.try('SELECT * FROM fits, pgfit.margins(m, ''DELETE FROM plots'', ''a'')');
SELECT test.try(format('SELECT * FROM fits, pgfit.margins(m, ''plots'', ''g'', %L)', o)) FROM unnest(ARRAY['{"at": {"g": "u"}}', '{"at": {"a": "many"}}', '{"at": {"x": 1}}', '{"at": 1}', '{"at": {"a": [1]}}', '{"at": {"a": null}}', '{"level": 1}', '{"weight": "x"}',
     '{"weight": "g"}', '{"how": 1}', '[]']) AS o;
SELECT test.try(format('SELECT * FROM fits, pgfit.marginal_means(l, ''plots'', ''g'', %L)', o)) FROM unnest(ARRAY['{"weights": "cells"}', '{"type": "odds"}', '{"differences": true, "type": "response"}', '{"differences": 1}', '{"at": {"g": "u"}}']) AS o;
SELECT test.try('SELECT * FROM fits, pgfit.margins(m, ''SELECT a, b, g, s, -1 AS w FROM plots'', ''g'', ''{"weight": "w"}'')');
SELECT test.try('SELECT * FROM fits, pgfit.margins(m, ''plots'', ''a'', ''{"at": {"g": "x"}}'')');
SELECT test.try('SELECT * FROM (SELECT pgfit.linear_regression(y, p, ''I(g == ''''u'''') + a'') AS m FROM plots AS p) AS f, pgfit.margins(m, ''plots'', ''g'')');
-- with the rights of the caller
CREATE ROLE after_fit_reader;
GRANT SELECT ON fits TO after_fit_reader;
SET ROLE after_fit_reader;
SELECT test.try('SELECT * FROM fits, pgfit.margins(m, ''plots'', ''a'')');
SELECT test.try('SELECT * FROM fits, pgfit.marginal_means(m, ''plots'', ''g'')');
SELECT count(*) FROM fits, pgfit.margins(m, 'SELECT 1 AS a, 2 AS b, ''u'' AS g, true AS s', 'a');
RESET ROLE;
REVOKE ALL ON fits FROM after_fit_reader;
DROP ROLE after_fit_reader;

-- models from outside
SELECT regexp_replace(test.try(format('SELECT pgfit.wald_test(%L::jsonb::pgfit.model, ''a'')', jsonb_set(m::jsonb, '{arrays,covariance_packed}', v))), ' at byte \d+', '') AS try FROM (SELECT robust AS m FROM fits) AS f, (VALUES ('[1]'::jsonb), ('[]'), ('[1,2,3,4,5,6,7,8,9,10,11]'), ('"x"')) AS t (v);
SELECT w.statistic, w.p_value, l.std_error, l.statistic AS t FROM (SELECT jsonb_set(robust::jsonb, '{arrays,covariance_packed}', '[0,0,0,0,0,0,0,0,0,0]')::pgfit.model AS m FROM fits) AS f, pgfit.wald_test(m, 'a = b, b = 1') AS w, pgfit.linear_combinations(m, 'a') AS l;
SELECT test.try(format('SELECT l.* FROM pgfit.linear_combinations(%L::jsonb::pgfit.model, ''a + b'') AS l', jsonb_set(robust::jsonb, '{arrays,covariance_packed}', '[1e308,0,1e308,0,0,1e308,0,0,0,1e308]'))) FROM fits;
SELECT l.std_error, l.p_value FROM (SELECT jsonb_set(robust::jsonb, '{arrays,covariance_packed}', '[1,0,-1,0,0,1,0,0,0,1]')::pgfit.model AS m FROM fits) AS f, pgfit.linear_combinations(m, 'a') AS l;
SELECT test.try(format('SELECT x.* FROM pgfit.margins(%L::jsonb::pgfit.model, ''plots'', ''a'') AS x', jsonb_set(robust::jsonb, '{arrays,coef}', '[1e308,1e308,1e308]'))) FROM fits;
-- the Breusch-Pagan test is n R squared of the regression of squared residuals, also per group and of merged moments
SELECT test.near((t).statistic, 60 * (pgfit.glance(s)).r_squared, 1e-9) AS statistic, (t).test, (t).df, (t).p_value BETWEEN 0 AND 1 AS p, (t).rows, test.near((t).statistic, (pgfit.breusch_pagan_test(merged)).statistic, 1e-9) AS merged
FROM (SELECT s, pgfit.breusch_pagan_test(s) AS t, merged FROM (SELECT pgfit.linear_regression(e, p, 'a + g') AS s, pgfit.fit('linear_regression', (SELECT pgfit.merge(o) FROM (SELECT pgfit.moments(e, q, 'a + g') AS o
      FROM (SELECT p.*, (y - pgfit.predict(f.m, p)) ^ 2 AS e FROM plots AS p, fits AS f) AS q GROUP BY w) AS parts)) AS merged FROM (SELECT p.*, (y - pgfit.predict(f.m, p)) ^ 2 AS e FROM plots AS p, fits AS f) AS p) AS u) AS v;
SELECT test.try(format('SELECT pgfit.breusch_pagan_test(%s) FROM %s', call, source)) FROM (VALUES ('l', 'fits'), ('ridge', 'fits'), ('weighted', 'fits'), ('absorbed', 'fits'), ('pgfit.linear_regression(y, p, ''a - 1'')', 'plots AS p'),
    ('pgfit.linear_regression(1, p, ''a'')', 'plots AS p'), ('pgfit.linear_regression(y, p, ''1'')', 'plots AS p'), ('pgfit.moments(y, a)', 'plots AS p')) AS c(call, source);
-- weights below 0 are refused, wherever they are summed
SELECT test.try('SELECT count(*) FROM fits, pgfit.marginal_means(m, ''SELECT *, 1 - id % 3 AS v FROM plots'', ''g'', ''{"weight": "v"}'')');
-- the averages of many levels are still there after the query
SELECT count(*) AS levels, bool_and(test.near(e.estimate, q.mean)) AS means, max(e.std_error) - min(e.std_error) < 1e-9 AS alike
FROM (SELECT pgfit.linear_regression(y, q, 'factor(c)') AS m FROM (SELECT i % 200 AS c, 10 + sin(i) AS y FROM generate_series(1, 2000) AS i) AS q) AS f, pgfit.marginal_means(m, 'SELECT generate_series(0, 199) AS c', 'c') AS e,
     LATERAL (SELECT avg(10 + sin(i)) AS mean FROM generate_series(1, 2000) AS i WHERE i % 200 = e.level::int) AS q;
CREATE TABLE holes AS SELECT id, CASE WHEN id % 5 > 0 THEN a END AS a, b, CASE WHEN id % 7 > 0 THEN g END AS g, y FROM plots;
-- NULLs that the model imputes count in means of numbers and as a level
SELECT e.level, test.near(e.estimate, pgfit.predict(m, q)) AS same
FROM (SELECT pgfit.linear_regression(y, p, '{"formula": "a + b + g", "nulls": "impute"}') AS m FROM holes AS p) AS f, pgfit.marginal_means(m, 'holes', 'g') AS e, LATERAL (SELECT (SELECT avg(a) FROM holes) AS a, (SELECT avg(b) FROM holes) AS b, e.level AS g) AS q;
-- weights that are no weights are refused, and a source without rows, also where "at" sets all numbers
SELECT w, test.try(format('SELECT string_agg(level, '' '') FROM (SELECT pgfit.linear_regression(y, p, ''a + g'') AS m FROM plots AS p) AS f,
    pgfit.marginal_means(m, ''SELECT *, CASE WHEN id %% 2 = 0 THEN %s ELSE %s END AS v FROM plots'', ''g'', ''{"weight": "v", "at": {"a": 1}}'')', w, other))
FROM (VALUES ('float8 ''''NaN''''', '1'), ('float8 ''''inf''''', '1'), ('-1', '1'), ('0', '0'), ('NULL', 'NULL::int'), ('0', '1')) AS v (w, other);
SELECT f, test.try(format('SELECT string_agg(level, '' '') FROM (SELECT pgfit.linear_regression(y, p, ''a + g'') AS m FROM plots AS p) AS f, pgfit.%s(m, ''SELECT * FROM plots WHERE false'', ''g'', ''{"at": {"a": 1}}'')', f))
FROM unnest(ARRAY['margins', 'marginal_means']) AS f;
-- a cast that the owner of an enum made does not run with the rights of others
CREATE ROLE after_fit_owner;
CREATE ROLE after_fit_reader;
CREATE SCHEMA after_fit_theirs AUTHORIZATION after_fit_owner;
GRANT USAGE ON SCHEMA after_fit_theirs TO after_fit_reader;
GRANT SELECT ON plots TO after_fit_owner;
SET ROLE after_fit_owner;
CREATE TYPE after_fit_theirs.letter AS ENUM ('u', 'v', 'w');
CREATE FUNCTION after_fit_theirs.planted(text) RETURNS after_fit_theirs.letter LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'runs as %', current_user; END$$;
CREATE TABLE after_fit_theirs.plots AS SELECT y, s, g::after_fit_theirs.letter AS g FROM plots;
CREATE CAST (text AS after_fit_theirs.letter) WITH FUNCTION after_fit_theirs.planted(text);
GRANT SELECT ON after_fit_theirs.plots TO after_fit_reader;
SET ROLE after_fit_reader;
SELECT e.level, test.near(e.estimate, (SELECT avg(pgfit.predict(m, q)) FROM after_fit_theirs.plots AS p, LATERAL (SELECT e.level::boolean AS s, p.g) AS q)) AS same
FROM (SELECT pgfit.linear_regression(y, p, 's + g') AS m FROM after_fit_theirs.plots AS p) AS f, pgfit.marginal_means(m, 'after_fit_theirs.plots', 's', '{"weights": "proportional"}') AS e;
RESET ROLE;
DROP SCHEMA after_fit_theirs CASCADE;
REVOKE SELECT ON plots FROM after_fit_owner;
DROP ROLE after_fit_owner, after_fit_reader;
DROP TABLE fits, plots, holes;
