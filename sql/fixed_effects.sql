-- Fixed effects: option absorb of linear_regression. Its numbers are compared with R in test/golden/absorb.json.
CREATE TABLE visits AS
SELECT i AS id, i % 17 AS firm, 'y' || i % 5 AS year, i * i % 7 AS city, round((sin(i) * 3)::numeric, 3) AS a, round(cos(i * 1.7)::numeric, 3) AS b,
       (ARRAY['u', 'v', 'w'])[1 + i % 3] AS g, round((1 + 2 * sin(i) + cos(i * 1.7) + i % 17 + sin(i * i) * (1 + i % 17 / 9.0))::numeric, 3)::float8 AS y, 1 + i % 3 AS w
FROM generate_series(1, 300) AS i;
CREATE FUNCTION slopes(m pgfit.model, VARIADIC terms text[]) RETURNS float8[] LANGUAGE sql AS
    'SELECT array_agg(n ORDER BY term, k) FROM pgfit.coefficients(m), unnest(ARRAY[estimate, std_error, statistic, p_value, conf_low, conf_high]) WITH ORDINALITY AS u(n, k) WHERE term = ANY (terms)';
CREATE FUNCTION statistics(m pgfit.model) RETURNS float8[] LANGUAGE sql AS
    'SELECT array_agg((pgfit.info(m) -> ''statistics'' ->> s)::float8 ORDER BY s) FROM unnest(ARRAY[''r_squared'', ''adjusted_r_squared'', ''sigma'', ''df_residual'', ''aic'', ''bic'', ''rss'', ''tss'']) AS s';

-- what users see
SELECT pgfit.summary(pgfit.linear_regression(y, v, '{"formula": "a + b + g", "absorb": ["firm", "year"], "vcov": "CR1", "cluster": ["firm", "city"]}')) FROM visits AS v;
SELECT jsonb_path_query_array(info, '$.statistics.absorbed_levels[*]') AS levels, info -> 'statistics' -> 'absorbed_df' AS df, info -> 'statistics' -> 'df_residual' AS df_residual,
       jsonb_path_query_array(info, '$.features[*].name') AS features
FROM (SELECT pgfit.info(pgfit.linear_regression(y, v, '{"formula": ".", "absorb": ["firm", "year"]}')) FROM (SELECT y, a, b, firm, year FROM visits) AS v) AS fitted (info);

-- one coefficient per level gives the same
SELECT test.near_all(slopes(m, 'a', 'b'), slopes(n, 'a', 'b'), 1e-9) AS slopes, test.near_all(statistics(m), statistics(n), 1e-9) AS statistics
FROM (SELECT pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": "firm"}') AS m, pgfit.linear_regression(y, v, 'a + b + C(firm)') AS n FROM visits AS v) AS fitted;
SELECT test.near_all(slopes(m, 'a', 'b'), slopes(n, 'a', 'b'), 1e-9) AS slopes, test.near_all(statistics(m), statistics(n), 1e-9) AS statistics
FROM (SELECT pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": ["firm", "year", "city"], "vcov": "HC1"}', w) AS m,
             pgfit.linear_regression(y, v, '{"formula": "a + b + C(firm) + year + C(city)", "vcov": "HC1"}', w) AS n FROM visits AS v) AS fitted;
SELECT test.near_all(slopes(m, 'a', 'b'), slopes(n, 'a', 'b'), 1e-9) AS slopes, test.near_all(statistics(m), statistics(n), 1e-9) AS statistics
FROM (SELECT pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": ["firm", "year"], "weight_kind": "frequency"}', w) AS m,
             pgfit.linear_regression(y, v, '{"formula": "a + b + C(firm) + year", "weight_kind": "frequency"}', w) AS n FROM visits AS v) AS fitted;
-- firms of two regions that share no year: one dependency for each region
SELECT test.near_all(slopes(m, 'a'), slopes(n, 'a'), 1e-9) AS slopes, pgfit.info(m) -> 'statistics' -> 'absorbed_df' AS df
FROM (SELECT pgfit.linear_regression(y, v, '{"formula": "a", "absorb": ["firm", "own"]}') AS m, pgfit.linear_regression(y, v, 'a + C(firm) + own') AS n
      FROM (SELECT *, year || firm % 2 AS own FROM visits) AS v) AS fitted;
-- levels of a single row change no slope and no classical or CR0 error; each is a cluster that CR1 counts
SELECT test.near_all(slopes(m, 'a', 'b'), slopes(n, 'a', 'b'), 1e-9) AS classical, test.near((slopes(c, 'a'))[2], (slopes(d, 'a'))[2], 1e-9) AS cr0, pgfit.info(c) -> 'statistics' -> 'clusters' AS clusters,
       pgfit.info(d) -> 'statistics' -> 'clusters' AS without
FROM (SELECT pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": "firm"}') AS m, pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": "firm"}') FILTER (WHERE firm > 0) AS n,
             pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": "firm", "vcov": "CR0", "cluster": "firm"}') AS c,
             pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": "firm", "vcov": "CR0", "cluster": "firm"}') FILTER (WHERE firm > 0) AS d
      FROM (SELECT y, a, b, CASE WHEN id > 290 THEN -id ELSE firm + 1 END AS firm FROM visits) AS v) AS fitted;
-- a chain of levels, of which neighbors share one row
SELECT test.near_all(slopes(m, 'a'), slopes(n, 'a'), 1e-8) AS slopes
FROM (SELECT pgfit.linear_regression(y, v, '{"formula": "a", "absorb": ["x", "z"]}') AS m, pgfit.linear_regression(y, v, 'a + C(x) + C(z)') AS n
      FROM (SELECT *, id / 3 AS x, (id + 1) / 3 AS z FROM visits) AS v) AS fitted;

-- every way to give rows
SELECT test.near_all(slopes(pgfit.linear_regression(y, to_jsonb(v), '{"formula": "a + b", "absorb": ["firm", "year"]}'), 'a', 'b'),
                     slopes(pgfit.fit('linear_regression', 'visits', 'y ~ a + b', '{"absorb": ["firm", "year"]}'), 'a', 'b'), 1e-11) AS jsonb,
       test.near_all(slopes(pgfit.linear_regression(y, v, '{"features": ["a", "b"], "absorb": ["firm", "year"]}'), 'a', 'b'),
                     slopes(pgfit.fit('linear_regression', '(SELECT y, a, b, firm, year FROM visits)', 'y ~ .', '{"absorb": ["firm", "year"]}'), 'a', 'b'), 1e-11) AS features,
       test.near_all((slopes(pgfit.linear_regression(y, v, '{"formula": "center(a) + b", "absorb": "firm"}'), 'b')), slopes(pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": "firm"}'), 'b'), 1e-11) AS learned,
       test.near_all((slopes(pgfit.linear_regression(y, v, '{"formula": "b + offset(a)", "absorb": "firm"}'), 'b')), slopes(pgfit.linear_regression(y - a, v, '{"formula": "b", "absorb": "firm"}'), 'b'), 1e-11) AS moved
FROM visits AS v;
SELECT count(DISTINCT firm) AS firms, bool_and(test.near_all(slopes(m, 'a'), slopes(n, 'a'), 1e-9)) AS same
FROM (SELECT firm, pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "city"}') AS m, pgfit.linear_regression(y, v, 'a + C(city)') AS n FROM visits AS v GROUP BY firm) AS fitted;
-- a column that is absorbed may hold the clusters, and be a feature, which is then dropped
SELECT pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "firm", "vcov": "CR1", "cluster": "firm"}') IS NOT NULL AS both FROM visits AS v;
SELECT pgfit.linear_regression(y, v, '{"absorb": "firm", "vcov": "CR1", "cluster": "firm"}') IS NOT NULL AS both FROM visits, LATERAL (SELECT a, firm) AS v;
SELECT c.term, c.estimate IS NULL AS dropped FROM (SELECT pgfit.linear_regression(y, v, '{"formula": "a + half", "absorb": "firm"}') AS m FROM (SELECT *, firm * 0.5 - 4 AS half FROM visits) AS v) AS fitted, pgfit.coefficients(m) AS c;
SELECT c.term, c.estimate IS NULL AS dropped FROM (SELECT pgfit.linear_regression(y, v, '{"formula": "both + a", "absorb": ["firm", "year"]}') AS m FROM (SELECT *, firm * 0.5 - right(year, 1)::int AS both FROM visits) AS v) AS fitted, pgfit.coefficients(m) AS c;
-- a NULL skips the row; predictions are those of an average level, without limits
SELECT pgfit.info(pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "c"}')) -> 'skipped' AS skipped FROM (SELECT *, CASE WHEN id > 7 THEN firm END AS c FROM visits) AS v;
SELECT test.near(avg(pgfit.predict(m, v)), avg(y), 1e-12) AS average, count((pgfit.predict_interval(m, v)).lower) AS limits
FROM visits AS v, (SELECT pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": ["firm", "year"]}') AS m FROM visits AS v) AS fitted;
SELECT test.try($$SELECT count(*) FROM visits AS v, (SELECT pgfit.linear_regression(y, w, '{"formula": "a", "absorb": "firm"}') AS m FROM visits AS w) AS f, LATERAL pgfit.influence(m, v.y, v)$$);
-- a target that the levels determine; a level per row; one level
SELECT round(c.estimate::numeric, 10) AS estimate, c.term FROM (SELECT pgfit.linear_regression(firm * 2.5, v, '{"formula": "a", "absorb": "firm"}') AS m FROM visits AS v) AS fitted, pgfit.coefficients(m) AS c WHERE term = 'a';
SELECT test.try($$SELECT pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "id"}') FROM visits AS v$$) ~ '^ok' AS fitted;
SELECT test.near_all(slopes(pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "one"}'), 'a', '(intercept)'), slopes(pgfit.linear_regression(y, v, 'a'), 'a', '(intercept)'), 1e-11) AS one FROM (SELECT *, 1 AS one FROM visits) AS v;
-- numbers whose squares leave the range of double precision: no term is dropped, and slopes keep their digits
SELECT power, test.near_all(slopes(m, 'b'), slopes(n, 'b'), 1e-11) AS b, test.near(power::float8 * (slopes(m, 'a'))[1], (slopes(n, 'a'))[1], 1e-11) AS a
FROM (SELECT power, pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": ["firm", "year"]}') AS m
      FROM unnest(ARRAY['1e200', '1e-100']) AS power, LATERAL (SELECT y, a * power::float8 AS a, b, firm, year FROM visits) AS v GROUP BY power) AS large,
     (SELECT pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": ["firm", "year"]}') AS n FROM visits AS v) AS plain
ORDER BY power;
SELECT test.near(1e200 * (slopes(pgfit.linear_regression(y * 1e-200, v, '{"formula": "a", "absorb": "firm"}'), 'a'))[1],
                 (slopes(pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "firm"}'), 'a'))[1], 1e-11) AS target FROM visits AS v;
-- nested models: those of a formula with a coefficient per level; what is not nested, or no robust covariance says, is refused
CREATE TABLE nested AS
SELECT pgfit.linear_regression(y, v, 'a') AS plain, pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "firm"}') AS few, pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": "firm"}') AS many,
       pgfit.linear_regression(y, v, 'a + C(firm)') AS levels, pgfit.linear_regression(y, v, 'a + b + C(firm)') AS more_levels, pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "year"}') AS years,
       pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": "firm", "vcov": "CR1", "cluster": "year"}') AS robust FROM visits AS v;
SELECT f.df, f.df_residual, test.near(f.statistic, l.statistic, 1e-9) AS same, test.near(p.statistic, q.statistic, 1e-9) AS effects, test.near(m.statistic, l.statistic, 1e-9) AS mixed, r.test
FROM nested, pgfit.anova(few, many) AS f, pgfit.anova(levels, more_levels) AS l, pgfit.anova(plain, many) AS p, pgfit.anova(plain, more_levels) AS q, pgfit.anova(few, more_levels) AS m,
     pgfit.anova(few, robust) AS r;
SELECT test.try('SELECT pgfit.anova(years, many) FROM nested');
SELECT test.try('SELECT pgfit.anova(plain, robust) FROM nested');
DROP TABLE nested;
-- values from outside
CREATE TABLE stored AS SELECT pgfit.linear_regression(y, v, '{"formula": "a", "absorb": ["firm", "year"]}')::jsonb AS j FROM visits AS v;
SELECT j::pgfit.model::jsonb = j AS same FROM stored;
SELECT test.try(format('SELECT pgfit.summary(%L::pgfit.model)', j #- '{facts,within_tss}')) ~ 'absorbed: 17' AS shown FROM stored;
SELECT test.try(format('SELECT pgfit.summary(%L::pgfit.model)', jsonb_set(j, '{facts,absorbed_levels}', '{"i64": [1, 2, 3, 4, 5, 6]}'))) ~ 'absorbed: 1 level of firm and 2 levels of year and 3 levels and' AS shown FROM stored;
SELECT test.try(format('SELECT pgfit.info(%L::pgfit.model) ? ''rows''', jsonb_set(j, '{facts,absorbed_df}', '{"f64": 1e300}'))) FROM stored;
-- refusals
SELECT test.try(format('SELECT pgfit.linear_regression(y, v, %L) FROM visits AS v', options))
FROM (VALUES ('{"formula": "a", "absorb": "nothing"}'), ('{"formula": "a", "absorb": []}'), ('{"formula": "a", "absorb": ["firm", "year", "city", "g", "id"]}'), ('{"formula": "a", "absorb": 3}'),
             ('{"formula": "a", "absorb": "firm", "vcov": "HC3"}'), ('{"formula": "a", "absorb": "firm", "vcov": "CR2", "cluster": "firm"}'), ('{"formula": "a", "absorb": "firm", "vcov": "NW", "order": "id"}'),
             ('{"formula": "a", "absorb": "firm", "decompose": true}'), ('{"formula": "a", "absorb": "firm", "standardize": true}'), ('{"formula": "0 + a", "absorb": "firm"}'),
             ('{"formula": "a", "absorb": "firm", "vcov": "CR1"}'), ('{"formula": "a", "absorb": "firm", "vcov": "CR1", "cluster": "nothing"}')) AS o (options);
SELECT test.try($$SELECT pgfit.linear_regression(y, ARRAY[a, b]::float8[], '{"absorb": "firm"}') FROM visits AS v$$);
SELECT test.try($$SELECT pgfit.ridge_regression(y, v, 1, '{"formula": "a", "absorb": "firm"}') FROM visits AS v$$);
SELECT test.try($$SELECT pgfit.fit('linear_regression', m, '{"absorb": "firm"}') FROM (SELECT pgfit.moments(y, v, 'a') AS m FROM visits AS v) AS t$$);
SELECT test.try($$SELECT pgfit.evaluate('linear_regression', 'visits', 'y ~ a', '{"absorb": "firm"}')$$);
SELECT pgfit.info(m) -> 'rows' AS rows FROM (SELECT id, pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "firm"}') OVER (ORDER BY id) AS m FROM visits AS v) AS t WHERE id = 200;
SELECT test.try($$SELECT max(pgfit.info(m) ->> 'rows') FROM (SELECT pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "firm"}') OVER (ORDER BY id ROWS 20 PRECEDING) AS m FROM visits AS v) AS t$$);
SET pgfit.fit_mem = '64kB';
SELECT test.try($$SELECT pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "firm"}') FROM visits AS v, generate_series(1, 20)$$);
RESET pgfit.fit_mem;
-- too few rows, and none
SELECT pgfit.linear_regression(y, v, '{"formula": "a", "absorb": "firm"}') IS NULL AS none FROM visits AS v WHERE false;
SELECT test.try($$SELECT pgfit.linear_regression(y, v, '{"formula": "a + b", "absorb": "firm"}') FROM visits AS v WHERE id < 3$$);
DROP TABLE visits, stored;
DROP FUNCTION slopes(pgfit.model, text[]);
DROP FUNCTION statistics(pgfit.model);
