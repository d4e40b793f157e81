-- step(model): terms chosen by AIC or BIC from the fit alone. Its numbers are compared with step() of R in test/golden/step.json.
CREATE TABLE yields AS
SELECT i AS id, i % 7 AS a, (i * i) % 11 AS b, i % 5 AS c, (ARRAY['u', 'v', 'w'])[1 + i % 3] AS g, i % 13 AS "odd name", round((i % 7 + i % 3 * (i * i % 11) + 2 * sin(i))::numeric, 3)::float8 AS y
FROM generate_series(1, 200) AS i;
CREATE TABLE chosen_from AS SELECT pgfit.linear_regression(y, p, 'a + b * g + c + "odd name"') AS m FROM yields AS p;

SELECT s.step, s.action, s.term, s.df, s.chosen, s.formula FROM chosen_from, pgfit.step(m) AS s;
SELECT s.step, s.action, s.term, s.df, s.chosen, s.formula FROM chosen_from, pgfit.step(m, '{"direction": "forward", "select": "bic"}') AS s;
SELECT s.df, s.chosen, s.formula FROM chosen_from, pgfit.step(m, '{"direction": "all"}') AS s;
SELECT name, default_value, range FROM pgfit.options('step');
-- each row's formula, chosen_from, has its sum of squares and criterion
CREATE FUNCTION fit_of(formula text) RETURNS pgfit.model LANGUAGE sql AS 'SELECT pgfit.fit(''linear_regression'', ''yields'', ''y ~ '' || formula)';
SELECT d AS direction, bool_and(test.near(s.rss, (pgfit.info(fit_of(s.formula)) -> 'statistics' ->> 'rss')::float8, 1e-9)) AS rss,
       bool_and(test.near(s.criterion, (pgfit.info(fit_of(s.formula)) -> 'statistics' ->> 'aic')::float8, 1e-9)) AS aic
FROM chosen_from, (VALUES ('both'), ('backward'), ('forward'), ('all')) AS l(d), pgfit.step(m, format('{"direction": "%s"}', d)::jsonb) AS s WHERE s.df > 0 GROUP BY d ORDER BY d;
-- from stored moments, per group, without an intercept, with an offset, with absorbed levels, with columns that are no formula
SELECT s.formula FROM (SELECT pgfit.fit('linear_regression', pgfit.merge(part)) AS m FROM (SELECT pgfit.moments(y, p, 'a + b + c') AS part FROM yields AS p GROUP BY id % 3) AS parts) AS f, pgfit.step(m) AS s WHERE chosen;
SELECT g, s.formula FROM (SELECT g, pgfit.linear_regression(y, p, 'a + b + c') AS m FROM yields AS p GROUP BY g) AS f, pgfit.step(m) AS s WHERE chosen ORDER BY g;
SELECT s.formula FROM (SELECT pgfit.linear_regression(y, p, '0 + a + poly(b, 2) + c + offset(log(id))') AS m FROM yields AS p) AS f, pgfit.step(m) AS s ORDER BY step;
SELECT s.formula FROM (SELECT pgfit.linear_regression(y, p, '{"formula": "a + b + c", "absorb": "g"}') AS m FROM yields AS p) AS f, pgfit.step(m) AS s WHERE chosen;
SELECT s.formula FROM (SELECT pgfit.linear_regression(y, f) AS m FROM yields, LATERAL (SELECT a, b, "odd name") AS f) AS f, pgfit.step(m, '{"direction": "backward"}') AS s ORDER BY step;
-- a product keeps its parts; terms that are dropped never come back
SELECT count(*) FILTER (WHERE formula ~ 'b:g' AND formula !~ 'b \+.*g') AS orphans FROM chosen_from, pgfit.step(m, '{"direction": "all"}');
SELECT s.formula FROM (SELECT pgfit.linear_regression(y, p, 'a + I(2 * a) + b') AS m FROM yields AS p) AS f, pgfit.step(m) AS s WHERE chosen;
-- refusals
SELECT test.try($$SELECT count(*) FROM (SELECT pgfit.linear_regression(y, p, '{"formula": "a + b", "vcov": "HC1"}') AS m FROM yields AS p) AS f, pgfit.step(m)$$);
SELECT test.try($$SELECT count(*) FROM (SELECT pgfit.logistic_regression(y > 5, p, 'a + b') AS m FROM yields AS p) AS f, pgfit.step(m)$$);
SELECT test.try($$SELECT count(*) FROM (SELECT pgfit.ridge_regression(y, p, 1, 'a + b') AS m FROM yields AS p) AS f, pgfit.step(m)$$);
SELECT test.try($$SELECT count(*) FROM (SELECT pgfit.linear_regression(2 * a, p, 'a + b') AS m FROM yields AS p) AS f, pgfit.step(m)$$);
SELECT test.try($$SELECT count(*) FROM (SELECT pgfit.linear_regression(y, p, 'a + b') AS m FROM yields AS p WHERE id < 4) AS f, pgfit.step(m)$$);
SELECT test.try($$SELECT count(*) FROM chosen_from, pgfit.step(m, '{"direction": "sideways"}')$$);
SELECT test.try($$SELECT count(*) FROM chosen_from, pgfit.step(m, '{"criterion": "aic"}')$$);
SELECT test.try(format('SELECT count(*) FROM (SELECT pgfit.linear_regression(y, p, %L) AS m FROM yields AS p) AS f, pgfit.step(m, ''{"direction": "all"}'')', (SELECT string_agg(format('I(a ^ %s)', 1 + i / 10.0), ' + ') FROM generate_series(1, 21) AS i)));
-- values from outside: a covariance that is none
SELECT test.try(format('SELECT count(*) FROM pgfit.step(%L)', jsonb_set(m::jsonb, '{arrays,covariance_packed,4}', '1e10'))) AS forged FROM chosen_from;
SELECT test.try(format('SELECT count(*) FROM pgfit.step(%L)', jsonb_set(m::jsonb, '{facts,rss}', '-1'))) AS forged FROM chosen_from;
DROP TABLE yields, chosen_from;
DROP FUNCTION fit_of(text);
