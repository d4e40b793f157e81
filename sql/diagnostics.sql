-- influence, augment, glance and vif. Their numbers are compared with R in test/golden/diagnostics.json.
CREATE TABLE measured_plots AS
SELECT i AS id, round((sin(i) * 3)::numeric, 3)::float8 AS a, round(cos(i * 1.7)::numeric, 3)::float8 AS b, (ARRAY['u', 'v', 'w'])[1 + i % 3] AS g, 1 + i % 4 AS w,
       round((1 + 2 * sin(i) + cos(i * 1.7) + sin(i * i))::numeric, 3)::float8 AS y
FROM generate_series(1, 60) AS i;
CREATE TABLE fits AS
SELECT pgfit.linear_regression(y, p, 'y ~ a * g + poly(b, 2)') AS m, pgfit.linear_regression(y, p, 'a + b', w) AS weighted,
       pgfit.linear_regression(y, p, '{"formula": "a + b", "weight_kind": "frequency"}', w) AS counted, pgfit.logistic_regression(y > 1, p, 'a + b') AS classes,
       pgfit.ridge_regression(y, p, 1, 'y ~ a + b') AS ridge, pgfit.logistic_regression(y > 1, p, '{"formula": "a + b", "lambda": 1}') AS penalized,
       pgfit.logistic_regression(y > 1, p, '{"formula": "a + b", "class_weight": "balanced"}') AS balanced, pgfit.linear_regression(y, p, '{"formula": "a + b", "vcov": "HC3"}') AS robust
FROM measured_plots AS p;

-- leverages add up to the coefficients, and a fit without the row has the studentized residual
SELECT test.near(sum(i.leverage), 8) AS leverage, abs(sum(i.residual)) < 1e-9 AS residual, test.near(sum(i.deviance_residual ^ 2), max(g.deviance)) AS deviance
FROM fits, measured_plots AS p, LATERAL pgfit.influence(m, y, p) AS i, pgfit.glance(m) AS g;
SELECT test.near(i.residual / (1 - i.leverage), 2.375 - pgfit.predict(pgfit.linear_regression(q.y, q, 'a + b') FILTER (WHERE id <> 7), '{"a": 1, "b": 2}'::jsonb)) AS left_out
FROM (SELECT id, a + 0 AS a, b, CASE WHEN id = 7 THEN 2.375 ELSE y END AS y FROM (SELECT id, CASE WHEN id = 7 THEN 1 ELSE a END AS a, CASE WHEN id = 7 THEN 2 ELSE b END AS b, y FROM measured_plots) AS r) AS q,
     LATERAL (SELECT i.* FROM (SELECT pgfit.linear_regression(y, r, 'a + b') AS m
                               FROM (SELECT CASE WHEN id = 7 THEN 1 ELSE a END AS a, CASE WHEN id = 7 THEN 2 ELSE b END AS b, CASE WHEN id = 7 THEN 2.375 ELSE y END AS y FROM measured_plots) AS r) AS f,
              pgfit.influence(f.m, 2.375, '{"a": 1, "b": 2}'::jsonb) AS i) AS i
GROUP BY i.residual, i.leverage;
SELECT test.near(sum(i.leverage), 3) AS weighted FROM fits, measured_plots AS p, LATERAL pgfit.influence(weighted, y, p, w) AS i;
SELECT test.near(sum(i.leverage * w), 3) AS counted FROM fits, measured_plots AS p, LATERAL pgfit.influence(counted, y, p) AS i;
SELECT test.near(sum(i.leverage), 3, 1e-8) AS classes, test.near(sum(i.deviance_residual ^ 2), max(g.deviance)) AS deviance, bool_and(test.near(i.fitted, pgfit.probability(classes, p))) AS fitted
FROM fits, measured_plots AS p, LATERAL pgfit.influence(classes, y > 1, p) AS i, pgfit.glance(classes) AS g;
-- what other models have
SELECT i.fitted = pgfit.predict(ridge, p) AS fitted, i.residual = y - i.fitted AS residual, i.leverage, i.standardized FROM fits, measured_plots AS p, LATERAL pgfit.influence(ridge, y, p) AS i WHERE id = 1;
SELECT i.deviance_residual IS NOT NULL AS deviance, i.leverage, b.deviance_residual IS NOT NULL AS balanced_deviance, b.leverage AS balanced
FROM fits, measured_plots AS p, LATERAL pgfit.influence(penalized, y > 1, p) AS i, LATERAL pgfit.influence(balanced, y > 1, p) AS b WHERE id = 1;
SELECT test.near((pgfit.influence(pgfit.tree_regression(y, a), 1, 0)).residual + (pgfit.influence(pgfit.tree_regression(y, a), 1, 0)).fitted, 1) AS tree FROM measured_plots;
-- a row that alone determines a coefficient; a perfect fit; one degree of freedom
SELECT i.leverage, round(i.fitted::numeric, 6) AS fitted, i.standardized, i.cooks_distance FROM (SELECT pgfit.linear_regression(y, r, 'x') AS m FROM (VALUES (1, 0), (3, 0), (7, 1)) AS r (y, x)) AS f, pgfit.influence(m, 7, 1) AS i;
SELECT i.residual, i.leverage FROM (SELECT pgfit.linear_regression(y, r, 'x') AS m FROM (VALUES (1, 0), (2, 1)) AS r (y, x)) AS f, pgfit.influence(m, 2, 1) AS i;
SELECT i.standardized IS NOT NULL AS standardized, i.studentized FROM (SELECT pgfit.linear_regression(y, r, 'x') AS m FROM (VALUES (1, 0), (2, 1), (5, 2)) AS r (y, x)) AS f, pgfit.influence(m, 2, 1) AS i;
-- NULLs, weight 0
SELECT i IS NULL AS features, n.fitted IS NOT NULL AS fitted, n.residual, z.leverage AS no_weight, (v).fitted IS NOT NULL AS null_weight, (v).residual
FROM fits, LATERAL pgfit.influence(m, 1, '{"a": 1, "b": null, "g": "u"}'::jsonb) AS i, LATERAL pgfit.influence(m, NULL::float8, '{"a": 1, "b": 1, "g": "u"}'::jsonb) AS n,
     LATERAL pgfit.influence(weighted, 1, '{"a": 1, "b": 1}'::jsonb, 0) AS z, LATERAL (SELECT pgfit.influence(weighted, 1, '{"a": 1, "b": 1}'::jsonb, nullif(id, 1)) FROM measured_plots WHERE id = 1) AS n1 (v);
-- refusals
SELECT test.try('SELECT pgfit.influence(weighted, y, p) FROM fits, measured_plots AS p');
SELECT test.try('SELECT pgfit.influence(m, y, p, 2) FROM fits, measured_plots AS p');
SELECT test.try('SELECT pgfit.influence(weighted, y, p, -1) FROM fits, measured_plots AS p');
SELECT test.try('SELECT pgfit.influence(robust, y, p) FROM fits, measured_plots AS p');
SELECT test.try('SELECT pgfit.influence(classes, y, p) FROM fits, measured_plots AS p');
SELECT test.try($$SELECT pgfit.influence(m, 'NaN'::float8, p) FROM fits, measured_plots AS p$$);
SELECT test.try('SELECT pgfit.influence(pgfit.logistic_regression(g, p, ''a''), ''u''::text, 1) FROM measured_plots AS p');
SELECT test.try('SELECT pgfit.influence(pgfit.kmeans(a, 2), 1, 1) FROM measured_plots');
SELECT test.try('SELECT pgfit.influence(pgfit.moments(y, a), 1, 1) FROM measured_plots');
SELECT test.try('SELECT pgfit.vif(robust) FROM fits');
SELECT test.try('SELECT pgfit.vif(ridge) FROM fits');
SELECT test.try('SELECT pgfit.glance(pgfit.kmeans(a, 2)) FROM measured_plots');

-- augment: tables, queries and views, with the rights of the caller
SELECT count(*), bool_and(a.data ->> 'g' = p.g) AS data, bool_and(test.near(a.cooks_distance, i.cooks_distance)) AS same
FROM fits, pgfit.augment(m, 'measured_plots') AS a, measured_plots AS p, LATERAL pgfit.influence(m, y, p) AS i WHERE (a.data ->> 'id')::int = p.id;
SELECT count(*), count(a.leverage) AS weighted FROM fits, pgfit.augment(weighted, 'SELECT p.*, nullif(w, 1) AS v FROM measured_plots AS p -- all', '{"target": "y", "weight": "v"}') AS a;
SELECT a.data, a.fitted, a.residual FROM fits, pgfit.augment(ridge, 'SELECT 1 AS a, NULL::float8 AS b, 2 AS y') AS a;
SELECT count(*) FROM fits, pgfit.augment(m, 'SELECT * FROM measured_plots WHERE false') AS a;
SELECT count(*) FROM pgfit.augment(NULL, 'measured_plots') AS a;
CREATE ROLE diagnostics_owner;
CREATE ROLE diagnostics_reader;
CREATE SCHEMA theirs AUTHORIZATION diagnostics_owner;
GRANT USAGE ON SCHEMA theirs TO PUBLIC;
SET ROLE diagnostics_owner;
CREATE TYPE theirs.mood AS ENUM ('sad', 'ok');
CREATE TABLE theirs.notes (a int, b int, y float8, mood theirs.mood, d text);
INSERT INTO theirs.notes VALUES (1, 2, 3, 'ok', 'x');
CREATE FUNCTION theirs.planted(theirs.mood) RETURNS json LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted'; END$$;
CREATE CAST (theirs.mood AS json) WITH FUNCTION theirs.planted(theirs.mood);
RESET ROLE;
GRANT SELECT ON fits TO diagnostics_reader;
SET ROLE diagnostics_reader;
SELECT test.try('SELECT pgfit.augment(ridge, ''theirs.notes'') FROM fits');
RESET ROLE;
GRANT SELECT ON theirs.notes TO diagnostics_reader;
SET ROLE diagnostics_reader;
SELECT a.data, a.residual IS NOT NULL AS residual FROM fits, pgfit.augment(ridge, 'theirs.notes') AS a;
RESET ROLE;
SELECT test.try('SELECT pgfit.augment(weighted, ''measured_plots'') FROM fits');
SELECT test.try('SELECT pgfit.augment(weighted, ''measured_plots'', ''{"target": "y"}'') FROM fits');
SELECT test.try('SELECT pgfit.augment(m, ''measured_plots'', ''{"target": "why"}'') FROM fits');
SELECT test.try('SELECT pgfit.augment(pgfit.fit(''kmeans'', ''measured_plots'', ''~ y'', ''{"k": 2}''), ''measured_plots'')');
SELECT test.try('SELECT pgfit.augment(m, ''measured_plots'', ''{"goal": "y"}'') FROM fits');
SELECT test.try('SELECT pgfit.augment(m, ''DELETE FROM measured_plots'') FROM fits');
SELECT test.try('SELECT pgfit.augment(m, ''SELECT 1 AS y'') FROM fits');

-- vif: terms of formulas, and of columns; dependent terms
SELECT v.term, round(v.vif::numeric, 3) AS vif, v.df, round(v.scaled::numeric, 3) AS scaled FROM fits, pgfit.vif(m) AS v;
SELECT v.term, round(v.vif::numeric, 3) AS vif, v.df FROM (SELECT pgfit.linear_regression(y, (SELECT q FROM (SELECT p.a, p.g, ARRAY[p.b, p.b * p.a] AS pair) AS q)) AS m FROM measured_plots AS p) AS f, pgfit.vif(m) AS v;
SELECT v.term, round(v.vif::numeric, 3) AS vif FROM (SELECT pgfit.linear_regression(y, q, 'a + twice + b') AS m FROM (SELECT *, 2 * a AS twice FROM measured_plots) AS q) AS f, pgfit.vif(m) AS v;
SELECT v.* FROM (SELECT pgfit.linear_regression(y, p, 'a') AS m FROM measured_plots AS p) AS f, pgfit.vif(m) AS v;
SELECT count(*) FROM (SELECT pgfit.linear_regression(y, p, '1') AS m FROM measured_plots AS p) AS f, pgfit.vif(m) AS v;
SELECT v.term, v.df FROM fits, pgfit.vif(classes) AS v;

-- glance, and the condition number in summary and info
SELECT g.rows, g.df, g.df_residual, test.near(g.r_squared, (i -> 'r_squared')::float8) AS r_squared, test.near(g.deviance, (i -> 'rss')::float8) AS deviance
FROM fits, pgfit.glance(m) AS g, LATERAL (SELECT pgfit.info(m) -> 'statistics') AS s (i);
SELECT g.rows, g.r_squared, test.near(g.deviance, -2 * g.log_lik) AS deviance FROM fits, pgfit.glance(classes) AS g;
SELECT round((pgfit.info(m) -> 'statistics' -> 'condition_number')::numeric, 3) AS condition_number, substring(pgfit.summary(m) FROM 'condition number[^\n]*') AS summary FROM fits;
SELECT substring(pgfit.summary(pgfit.linear_regression(y, q, '0 + a + near')) FROM 'condition number[^\n]*') AS summary FROM (SELECT *, a * (1 + 1e-9 * b) AS near FROM measured_plots) AS q;
DROP TABLE measured_plots, fits;
