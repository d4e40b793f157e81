-- mixed regression: random effects in formulas, predictions with and without groups, tables, edges and refusals
CREATE TABLE mixed_rows AS
SELECT i AS id, 'g' || i % 17 AS g, i % 17 AS number, i % 5 AS h, (ARRAY['x', 'y', 'z'])[1 + i / 17 % 3] AS c, i * 37 % 101 / 10.0::float8 AS a, 1 + i % 3 AS w,
       10 + 2 * (i * 37 % 101 / 10.0::float8) + sin(i % 17 * 7) * 3 + cos(i % 17 * 5) * (i * 37 % 101 / 10.0::float8) + 2 * sin(i % 5 * 3) + sin(i * i) AS y
FROM generate_series(1, 340) AS i;
CREATE FUNCTION test.criterion(m pgfit.model) RETURNS float8 LANGUAGE sql AS
$$SELECT coalesce(pgfit.info(m) -> 'statistics' ->> 'reml_criterion', pgfit.info(m) -> 'statistics' ->> 'deviance')::float8$$;
CREATE FUNCTION test.formula_of(m pgfit.model) RETURNS text LANGUAGE sql AS $$SELECT substring(pgfit.summary(m) FROM ': ([^\n]*)')$$;

SELECT pgfit.summary(pgfit.mixed_regression(y, r, 'a + c + (a | g)')) FROM mixed_rows AS r;
SELECT grouping, term, other_term, round(variance::numeric, 4) AS variance, round(std_dev::numeric, 4) AS std_dev, round(correlation::numeric, 4) AS correlation
FROM pgfit.random_variances((SELECT pgfit.mixed_regression(y, r, '{"formula": "a + (a | g) + (1 | h)", "reml": false}') FROM mixed_rows AS r));
SELECT grouping, level, term, round(estimate::numeric, 4) AS estimate, round(std_error::numeric, 4) AS std_error
FROM pgfit.random_effects((SELECT pgfit.mixed_regression(y, r, 'a + (a | g) + (1 | h)') FROM mixed_rows AS r)) WHERE grouping <> 'g' OR level IN ('g0', 'g16');
-- a known group adds its effects to the equation of the population, any other gives the population
CREATE TABLE mixed_model AS SELECT pgfit.mixed_regression(y, r, 'a + (a | g)') AS m FROM mixed_rows AS r;
SELECT test.near(pgfit.predict(m, '{"a": 3, "g": "g4"}'::jsonb), pop + e.estimate + 3 * f.estimate, 1e-12) AS group_known,
       test.near(pgfit.predict(m, '{"a": 3, "g": "new"}'::jsonb), pop, 1e-12) AS group_new, pgfit.predict(m, '{"a": 3, "g": null}'::jsonb) AS group_null
FROM mixed_model, LATERAL (SELECT i.estimate + 3 * s.estimate AS pop FROM pgfit.coefficients(m) AS i, pgfit.coefficients(m) AS s WHERE i.term = '(intercept)' AND s.term = 'a') AS p,
     pgfit.random_effects(m) AS e, pgfit.random_effects(m) AS f WHERE e.level = 'g4' AND f.level = 'g4' AND e.term = '(intercept)' AND f.term = 'a';
CREATE TABLE mixed_sql AS SELECT pgfit.mixed_regression(y, r, 'a + c + (a | g) + (c | h) + (1 | g:h)') AS m FROM mixed_rows AS r;
-- the effects add up to 0 in each bar; predictions leave the residuals of the fit
SELECT bool_and(abs(total) < 1e-8) AS centered FROM (SELECT sum(estimate) AS total FROM mixed_model, pgfit.random_effects(m) GROUP BY grouping, term) AS t;
-- degrees of freedom: a balanced mean of groups has one less than groups; none of tests by the normal distribution
SELECT df, CASE df WHEN 'satterthwaite' THEN round((pgfit.parameter(m, 'coefficient_df'))[1]::numeric, 4) END AS intercept, c.p_value < 1e-12 AS small,
       test.near((c.conf_high - c.estimate) / c.std_error, CASE df WHEN 'asymptotic' THEN 1.959964 ELSE 2.119905 END, 1e-5) AS limits
FROM (SELECT df, pgfit.mixed_regression(y, r, jsonb_build_object('formula', '(1 | g)', 'df', df)) AS m FROM mixed_rows AS r, unnest(ARRAY['satterthwaite', 'asymptotic']) AS df GROUP BY df) AS t, pgfit.coefficients(m) AS c ORDER BY df DESC;
-- limits of a new group add the variances of all effects, those of a known one the conditional ones
SELECT test.near((n.upper - n.lower) / 2 / 1.6448536269514722, sqrt(a.new), 1e-9) AS new, test.near((k.upper - k.lower) / 2 / 1.6448536269514722, sqrt(b.fixed + e.known), 1e-9) AS known
FROM (SELECT pgfit.mixed_regression(y, r, '(1 | g) + (1 | h)') AS m FROM mixed_rows AS r) AS t, pgfit.coefficients(m) AS c, pgfit.predict_interval(m, '{"g": "new", "h": -1}'::jsonb, 0.9) AS n,
     pgfit.predict_interval(m, '{"g": "g3", "h": 2}'::jsonb, 0.9) AS k, LATERAL (SELECT c.std_error ^ 2 + sum(variance) FROM pgfit.random_variances(m)) AS a(new),
     LATERAL (SELECT c.std_error ^ 2 + sum(variance) FROM pgfit.random_variances(m) WHERE grouping = '(residual)') AS b(fixed), LATERAL (SELECT sum(std_error ^ 2) FROM pgfit.random_effects(m) WHERE level IN ('g3', '2')) AS e(known);
-- they do not depend on where a predictor is 0
SELECT id, test.near(k.upper - k.lower, l.upper - l.lower, 1e-6) AS known, test.near(n.upper - n.lower, o.upper - o.lower, 1e-6) AS new, n.upper - n.lower > k.upper - k.lower AS wider
FROM mixed_rows AS r, mixed_model, (SELECT pgfit.mixed_regression(y, q, 'a + (a | g)') AS shifted FROM (SELECT y, a + 5 AS a, g FROM mixed_rows) AS q) AS t,
     pgfit.predict_interval(m, r) AS k, pgfit.predict_interval(shifted, jsonb_build_object('a', a + 5, 'g', g)) AS l,
     pgfit.predict_interval(m, jsonb_build_object('a', a, 'g', 'new')) AS n, pgfit.predict_interval(shifted, jsonb_build_object('a', a + 5, 'g', 'new')) AS o WHERE id IN (2, 100) ORDER BY id;
-- contributions add up to the prediction
SELECT term, round(contribution::numeric, 4) AS contribution, test.near(sum(contribution) OVER (), pgfit.predict(m, r), 1e-12) AS whole
FROM (SELECT pgfit.mixed_regression(y, r, 'a + (a | g) + (1 | h:c)') AS m FROM mixed_rows AS r) AS t, mixed_rows AS r, pgfit.explain(m, r) WHERE id = 5;
-- SQL that computes the same, also of groups that the model does not know, and of NULLs
SELECT format('SELECT count(*) AS rows, count(p) AS predicted, bool_and(test.near(p, s, 1e-12) OR (p IS NULL AND s IS NULL)) AS same FROM (SELECT pgfit.predict(m, r) AS p, %s AS s FROM mixed_sql, (SELECT a, g, h, c FROM mixed_rows UNION ALL VALUES (3, ''new'', 1, ''x''), (3, NULL, 1, ''x''), (3, ''g1'', NULL, ''y''), (NULL, ''g1'', 1, ''y'')) AS r) AS t', pgfit.to_sql(m)) AS query
FROM mixed_sql \gset
:query;
-- round trips, order of the rows, parts in workers
SELECT m::text::pgfit.model::text = m::text AS text, m::jsonb::pgfit.model::text = m::text AS json, pgfit.predict(m::text::pgfit.model, r) = pgfit.predict(m, r) AS bits FROM mixed_model, mixed_rows AS r WHERE id = 5;
SELECT test.near(test.criterion(m), test.criterion(o), 1e-10) AS order FROM mixed_model, (SELECT pgfit.mixed_regression(y, r, 'a + (a | g)' ORDER BY md5(id::text)) AS o FROM mixed_rows AS r) AS t;
-- what formulas say in several ways
SELECT test.formula_of(m) AS formula, round(test.criterion(m)::numeric, 5) AS criterion, info -> 'statistics' -> 'singular' AS singular
FROM (SELECT f, pgfit.mixed_regression(y, r, f) AS m FROM (SELECT id, y, a, c, g, h, number FROM mixed_rows) AS r, unnest(ARRAY['a + (1 + a | g)', 'a + (a | number)', 'a + (a || g)', 'a + (1 | g) + (0 + a | g)', 'a + (a - 1 | g)',
      'a + (1 | h / g)', 'a + (1 | h) + (1 | h:g)', 'a + (1|h) + (1|g:h)', 'a + (0 + c | g)', 'a + c + (c | g)', '(a | g)', '0 + a + (1 | g)', 'poly(a, 2) * c + (poly(a, 2) | g)', 'a + (1 | (g + h))',
      'a + offset(2 * a) + (1 | g)', 'a + (I(a > 3) | "g")']) AS f GROUP BY f) AS t, pgfit.info(m) AS info ORDER BY f COLLATE "C";
SELECT test.formula_of(pgfit.mixed_regression(y, r, '. + (1 | g)')) AS dot FROM (SELECT y, a, c, g FROM mixed_rows) AS r;
-- frequency weights are copies
SELECT test.near(test.criterion(pgfit.mixed_regression(y, r, '{"formula": "a + (a | g)", "weight_kind": "frequency"}', w)),
                 (SELECT test.criterion(pgfit.mixed_regression(y, r, 'a + (a | g)')) FROM mixed_rows AS r, generate_series(1, w)), 1e-10) AS copies FROM mixed_rows AS r;
-- the unit of weights changes sigma alone
SELECT s, test.near(sigma * sigma / s, first_value(sigma * sigma) OVER first, 1e-8) AS sigma, test.near(variance, first_value(variance) OVER first, 1e-6) AS variance, test.near(criterion, first_value(criterion) OVER first, 1e-9) AS criterion
FROM (SELECT s, (pgfit.info(m) -> 'statistics' ->> 'sigma')::float8 AS sigma, test.criterion(m) AS criterion, (SELECT sum(variance) FROM pgfit.random_variances(m) WHERE grouping = 'g') AS variance
      FROM (SELECT s, pgfit.mixed_regression(y, r, 'a + (a | g) + (1 | h)', w * s) AS m FROM mixed_rows AS r, unnest('{1,1e-8,1e12,1e-300}'::float8[]) AS s GROUP BY s) AS f) AS t
WINDOW first AS (ORDER BY s <> 1, s) ORDER BY s;
-- numbers of any size; a predictor far from 0
SELECT round(((pgfit.info(m) -> 'statistics' ->> 'sigma')::float8 / s)::numeric, 6) AS sigma, pgfit.info(m) -> 'converged' AS converged,
       round((pgfit.parameter(m, 'coefficient_df'))[2]::numeric, 4) AS df FROM (SELECT s, pgfit.mixed_regression(y * s, r, 'a + (a | g) + (1 | h)') AS m
FROM mixed_rows AS r, unnest('{1,1e-150,1e150}'::float8[]) AS s GROUP BY s) AS t ORDER BY s;
SELECT s, t, test.near(test.criterion(m) - CASE WHEN s = 1 THEN 0 ELSE 2 * ln(s) END, test.criterion(o), 1e-9) AS same FROM (SELECT s, t, pgfit.mixed_regression(y, r, 'a + (a | g)') AS m
FROM (SELECT y, a * s + t AS a, g, s, t FROM mixed_rows, (VALUES (1e150::float8, 0), (1e-150::float8, 0), (1, 100000)) AS v(s, t)) AS r GROUP BY s, t) AS k, (SELECT m AS o FROM mixed_model) AS o ORDER BY s;
-- variances of 0, and effects that others say
SELECT variance = 0 AS none FROM (SELECT pgfit.mixed_regression(sin(id * 7), r, '1 + (1 | g)') AS m FROM mixed_rows AS r) AS t, pgfit.random_variances(m) WHERE grouping = 'g';
SELECT term, estimate IS NULL AS dropped FROM (SELECT pgfit.mixed_regression(y, r, 'a + I(2 * a) + I(a - a) + (1 | g)') AS m FROM mixed_rows AS r) AS t, pgfit.coefficients(m);
-- groups of an aggregate, frames of a window
SELECT w, test.criterion(m) > 0 AS fitted FROM (SELECT w, pgfit.mixed_regression(y, r, 'a + (1 | g)') AS m FROM mixed_rows AS r GROUP BY w) AS t ORDER BY w;
SELECT count(m), count(*) FROM (SELECT pgfit.mixed_regression(y, r, 'a + (1 | g)') OVER (ORDER BY id ROWS 39 PRECEDING) AS m FROM (SELECT * FROM mixed_rows WHERE id <= 60) AS r) AS t;
-- refusals
SELECT f, test.try(format('SELECT pgfit.mixed_regression(y, r, %L) FROM mixed_rows AS r', f)) FROM unnest(ARRAY['a', 'a * (1 | g)', 'a - (1 | g)', '(1 | g)^2', '((1 | g) | h)', '(1 | g | h)', 'a + 1 | g', '(0 | g)',
    '(1 | 1)', '(1 | log(a))', '(1 | .)', '(offset(a) | g)', '(c:a | g)', '(C(c, sum) | g)', '(cut(a, 3) | g)', '0 + cut(a, 4) + g + (1 | g)', '0 + C(c, helmert) + g + (1 | g)',
    '0 + C(g, sum) + c + (0 + c | g)', '(1 | (g - g))', '(1 | (0 + g))', '(1 | (g - 1))', '(1 | ', '(| g)', '(1 || g', '(1 | nobody)', 'a + (1 | id)', 'a + (a | c) + (1 | w / id)']) AS f;
SELECT test.try('SELECT pgfit.mixed_regression(y, r, ''a + (1 | g)'') FROM mixed_rows AS r WHERE g = ''g1''');
SELECT test.try('SELECT pgfit.mixed_regression(y, r, ''a + (1 | g)'') FROM mixed_rows AS r WHERE id < 3');
SELECT test.try('SELECT pgfit.mixed_regression(7, r, ''a + (1 | g)'') FROM mixed_rows AS r');
SELECT test.try('SELECT pgfit.mixed_regression(sin(number), r, ''a + (1 | g)'') FROM mixed_rows AS r');
SELECT f, test.try(format('SELECT pgfit.mixed_regression(y, r, %L) FROM mixed_rows AS r', f)) FROM unnest(ARRAY['a + g + (1 | g)', 'a * factor(h) + (1 | g) + (a | h)']) AS f;
SELECT test.try('SELECT pgfit.mixed_regression(y, ROW(a)) FROM mixed_rows');
SELECT pgfit.mixed_regression(y, r, 'a + (1 | g)') IS NULL AS no_rows FROM mixed_rows AS r WHERE false;
SELECT pgfit.mixed_regression(y, r, '{"formula": "a + (1 | g)", "too_few_rows": "null"}') IS NULL AS too_few FROM mixed_rows AS r WHERE id < 3;
SELECT test.try('SELECT pgfit.linear_regression(y, r, ''a + (1 | g)'') FROM mixed_rows AS r');
SELECT test.try('SELECT pgfit.tree_classifier(c, r, ''a + (1 | g)'') FROM mixed_rows AS r');
SELECT test.try('SELECT pgfit.fit(''linear_regression'', (SELECT pgfit.moments(y, r, ''{"formula": "a + (1 | g)", "keep_rows": true}'') FROM mixed_rows AS r))');
SELECT test.try('SELECT pgfit.random_effects(pgfit.linear_regression(y, ROW(a))) FROM mixed_rows');
SET pgfit.fit_mem = '1MB';
SELECT test.try('SELECT pgfit.mixed_regression(y, r, ''a + (1 | g) + (1 | k)'') FROM (SELECT y, a, g, id / 2 AS k FROM mixed_rows UNION ALL SELECT i, i * i % 7, ''h'' || i % 300, i / 2 FROM generate_series(1000, 1600) AS i) AS r');
RESET pgfit.fit_mem;
-- values from outside are checked before they are an index or a size
SELECT array_name, test.try(format('SELECT pgfit.predict(jsonb_set(m::jsonb, %L, %L)::pgfit.model, r) FROM mixed_model, mixed_rows AS r WHERE id = 1', ARRAY['arrays', array_name], changed))
FROM (VALUES ('effect_bar', '{"i64": [0, -1]}'), ('effect_bar', '{"i64": [0]}'), ('effect_factor', '{"i64": [0, 1]}'), ('effect_factor', '{"i64": [1, 1]}'), ('effect_level', '{"i64": [-1, 17]}'), ('effect_slot', '{"i64": [-1, 2]}'),
      ('effect_slot', '{"i64": [-2, 0]}'), ('group_factor', '{"i64": [1]}'), ('group_levels', '{"i64": [16]}'), ('group_levels', '{"i64": [4294967313]}'), ('group_levels', '{"i64": [17, 0]}'), ('group_slot', '{"i64": [0]}'),
      ('group_slot', '{"i64": [7]}'), ('group_keys', '{"i64": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17]}'), ('group_keys', '{"i64": [1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]}'),
      ('group_keys', '{"i64": [0]}'), ('random_covariance', '[1, 2]'), ('random_covariance', '[-1, 0, 1]'), ('random_effects', '[1, 2, 3]'), ('random_errors', '[1]'), ('error_covariances', '[1]'), ('coefficient_df', '[1]'), ('coefficient_df', '[1, 0]'), ('fixed', '{"bool": [true]}')) AS v(array_name, changed);
SELECT count, test.try(format('SELECT pgfit.predict((m::jsonb || jsonb_build_object(''arrays'', m::jsonb -> ''arrays'' || %L))::pgfit.model, r) FROM mixed_model, mixed_rows AS r WHERE id = 1',
                              jsonb_build_object('group_slot', jsonb_build_object('i64', array_fill(1, ARRAY[count])), 'group_factor', jsonb_build_object('i64', array_fill(0, ARRAY[count])))))
FROM unnest('{2,10001}'::int[]) AS count;

-- tests of fixed effects: a number with random effects alone has none, and several coefficients have the fewest of their degrees of freedom
CREATE TABLE mixed_tests AS
SELECT pgfit.mixed_regression(y, r, 'c + h + (a || g)') AS m, pgfit.mixed_regression(y, r, '{"formula": "c + h + (a || g)", "df": "asymptotic"}') AS z,
       pgfit.mixed_regression(y, r, '{"formula": "c + (a || g)", "reml": false}') AS fewer, pgfit.mixed_regression(y, r, '{"formula": "c + h + (a || g)", "reml": false}') AS more FROM mixed_rows AS r;
SELECT test.near(t.df_2, (SELECT min(d) FROM unnest((pgfit.parameter(m, 'coefficient_df'))[2:3]) AS d)) AS fewest, t.test, u.test AS asymptotic, u.df_2 IS NULL AS normal, test.near(u.statistic, 2 * t.statistic, 1e-9) AS statistic
FROM mixed_tests, pgfit.wald_test(m, '"c=y", "c=z"') AS t, pgfit.wald_test(z, '"c=y", "c=z"') AS u;
SELECT test.try('SELECT pgfit.wald_test(m, ''a'') FROM mixed_tests');
SELECT array_agg(term) AS terms, bool_and(vif >= 1) AS vif FROM mixed_tests, pgfit.vif(m);
SELECT e.level, test.near(e.estimate, (SELECT sum(c.estimate * CASE c.term WHEN '(intercept)' THEN 1 WHEN 'h' THEN mean ELSE (c.term = 'c=' || e.level)::int END) FROM pgfit.coefficients(m) AS c), 1e-9) AS mean
FROM mixed_tests, (SELECT avg(h) AS mean FROM mixed_rows) AS h, pgfit.marginal_means(m, 'mixed_rows', 'c') AS e ORDER BY 1;
-- columns of random effects alone have no effect, and do not multiply the grid of means
SELECT test.try(format('SELECT * FROM mixed_tests, pgfit.%s(m, ''mixed_rows'', ''g'')', f)) FROM unnest('{margins,marginal_means}'::text[]) AS f;
SELECT weights, bool_and(test.near(e.estimate, f.estimate, 1e-9) AND test.near(e.std_error, f.std_error, 1e-9)) AS same
FROM unnest('{equal,proportional}'::text[]) AS weights, (SELECT pgfit.mixed_regression(y, r, 'c + a + (1 | factor(number)) + (1 | h)') AS m FROM mixed_rows AS r) AS q,
     pgfit.marginal_means(m, 'mixed_rows', 'c', jsonb_build_object('weights', weights)) AS e JOIN LATERAL pgfit.marginal_means(m, 'mixed_rows', 'c', '{"at": {"number": 3, "h": 2}}') AS f USING (level) GROUP BY weights ORDER BY weights;
SELECT test, df, df_residual, test.near(statistic, 2 * (pgfit.log_likelihood(more) - pgfit.log_likelihood(fewer)), 1e-9) AS statistic FROM mixed_tests, pgfit.anova(fewer, more);
SELECT test.try(format('SELECT pgfit.anova(%s) FROM mixed_tests', models)) FROM unnest('{"more, fewer","m, more","more, (SELECT pgfit.linear_regression(y, r, ''c + h'') FROM mixed_rows AS r)"}'::text[]) AS models;
DROP TABLE mixed_tests;
-- a feature so small that the variance of its coefficient is out of range
SELECT count(c.estimate) AS estimates, count(c.std_error) AS errors, bool_and(i.fit IS NOT NULL) AS fits, count(i.lower) AS limits
FROM (SELECT pgfit.mixed_regression(y, ROW(a * 1e-170, g), '{"formula": "f1 + (1 | f2)"}') AS m FROM mixed_rows) AS f, pgfit.coefficients(m) AS c, pgfit.predict_interval(m, ROW(1e-170, 'g1'::text)) AS i;
-- deviances with several minima: a variance that is best at 0 or far from the start, as lmer has it where it starts well
CREATE TABLE minima AS SELECT row_number() OVER () AS i, * FROM (VALUES (0.26,NULL,'p','f',0.5), (-0.08,-1,'p','b',2), (0.92,0,'p','g',1), (-0.34,-2,'q','f',2), (-0.09,0,'q','b',1), (1.83,-1,'p','i',2), (0.79,-1,'p','d',1), (3.21,0,'r','e',1000), (-0.87,-1,'q','c',2),
    (1.8,1,'q','g',0.5), (-0.45,-1,'p','h',1000), (1.39,2,'q','g',1), (0.31,-2,'p','b',2), (1.5,-1,'q','f',1), (0.82,-1,'p','f',1), (0.93,0,'p','j',1), (0.08,0,'q','j',1), (0.86,-1,'q','j',1)) AS v(y, x, f, a, w);
SELECT round((pgfit.info(pgfit.mixed_regression(y, d, '{"formula": "x + f + (1 | a)", "reml": false}', w)) -> 'statistics' ->> 'deviance')::numeric, 3) AS far FROM minima AS d;
SELECT round((pgfit.info(pgfit.mixed_regression(y, d, 'f + (1 | a / b)')) -> 'statistics' ->> 'reml_criterion')::numeric, 3) AS zero
FROM (VALUES (0.29,'p','a','D'), (-0.38,'p','e','C'), (-1.37,'p','c','H'), (1.64,'p','b','B'), (0.97,'q','e','A'), (1.87,'p','d','E'), (0.41,'q','b','F'), (-0.43,'r','b','E'), (2.33,'p','c','C'), (-0.36,'q','b','D'), (2.05,'p','c','A'),
    (0.72,'q','a','G'), (0.43,'r','d','H'), (1.96,'p','a','B'), (0.78,'q','e','B'), (1.6,'p','e','H'), (0.05,'q','d','H'), (1.17,'p','b','C'), (0.42,'r','b','D'), (0.91,'q','d','H')) AS d(y, f, a, b);
DROP TABLE minima;
-- a correlated effect whose variance ends at 0, where the deviance falls only if several effects grow together
SELECT seed, f AS formula, round((pgfit.info(m) -> 'statistics' ->> 'reml_criterion')::numeric, 3) AS criterion, pgfit.info(m) -> 'converged' AS converged
FROM (VALUES (36, 'x + (x + z | g)'), (80, 'x + (x + z | g)'), (179, '(x | g) + (x | c)')) AS v(seed, f),
     LATERAL (SELECT pgfit.mixed_regression(y, d, f) AS m
              FROM (SELECT 'g' || i % 5 AS g, (ARRAY['p', 'q', 'r'])[1 + (i * i + seed) % 3] AS c, round(sin(i * 7.0 + seed)::numeric, 2) AS x, round(cos(i * i * 3.3)::numeric, 2) AS z,
                           round((sin(i * i * 1.7 + seed) * 2 + (i % 5 - 2) * 0.3 * sin(i * 7.0))::numeric, 1) AS y FROM generate_series(1, 20) AS i) AS d) AS fitted;
DROP TABLE mixed_rows, mixed_model, mixed_sql;
DROP FUNCTION test.criterion, test.formula_of;
-- random slopes of huge numbers have variances out of range: correlations were -inf, and columns of the summary had no space between them
SET client_min_messages = error;
SELECT unit, bool_or(line ~ 'inf') AS infinite, bool_or(line ~ 'e-\d{3}\d') AS joined
FROM unnest(ARRAY[1e120, 1e150, 1e155, 1e165]::float8[]) AS unit, LATERAL (SELECT pgfit.mixed_regression(i % 7, ROW((i - 5) * unit, chr(116 + i % 3)), '1 + (f1 | f2)') AS m FROM generate_series(1, 12) AS i) AS f, regexp_split_to_table(pgfit.summary(m), '\n') AS line GROUP BY unit ORDER BY unit;
RESET client_min_messages;
