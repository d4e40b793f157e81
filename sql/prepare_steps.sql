-- Option "prepare": what its steps may be told, the target that '.' must not bring in, fits without a model, and pipelines that are judged and compared.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE steps WITH (parallel_workers = 0) AS
SELECT i, i % 4 AS part, sin(i) AS a, cos(i * 1.7) * 100 AS b, 1 + i % 2 AS w, 3 * sin(i) + hashint4(i) % 100 / 100.0::float8 AS y, sin(i) + cos(i * 7.3) / 2 > 0 AS yes, i = 7 AS rare
FROM generate_series(1, 120) AS i;

-- '.' of a step without a target has all columns but the target, wherever the formula stands; so does the left side
CREATE FUNCTION pg_temp.inputs(formula text, options text) RETURNS text LANGUAGE sql AS
$$SELECT inputs FROM stages(fit('linear_regression', 'SELECT a, b, y FROM steps', formula, options)) LIMIT 1$$;
SELECT pg_temp.inputs('y ~ .', '{"prepare": ["standard_scaler"]}') AS formula, pg_temp.inputs('y ~', '{"prepare": ["standard_scaler"], "formula": "."}') AS option,
       pg_temp.inputs('y ~', '{"prepare": ["standard_scaler"], "formula": "y ~ ."}') AS with_target, pg_temp.inputs('y ~', '{"prepare": [{"standard_scaler": {"formula": "."}}]}') AS of_step,
       pg_temp.inputs('y ~', '{"prepare": ["target_encoder"], "formula": "."}') AS supervised, pg_temp.inputs('y ~', '{"prepare": ["standard_scaler"], "features": ["b"]}') AS features;
-- an id is no argument of later steps
SELECT estimator FROM stages(fit('dbscan', 'SELECT i, a, b FROM steps', '~ .', '{"id": "i", "radius": 1, "prepare": ["minmax_scaler", {"pca": {"k": 1}}]}'));

-- nothing is given twice, and nothing that a step is told is ignored
SELECT call, try(format('SELECT pgfit.fit(''linear_regression'', ''steps'', %s)', call)) AS error FROM unnest(ARRAY[
    $$'y ~ a', '{"prepare": [{"standard_scaler": {"formula": "b"}}]}'$$, $$'y ~ a', '{"prepare": [{"standard_scaler": {"features": ["b"]}}]}'$$,
    $$'y ~', '{"formula": "a", "prepare": [{"standard_scaler": {"formula": "b"}}]}'$$, $$'y ~', '{"formula": "b ~ a", "prepare": ["standard_scaler"]}'$$,
    $$'y ~', '{"formula": 3, "prepare": ["standard_scaler"]}'$$, $$'y ~ a', '{"nulls": "skip", "prepare": [{"standard_scaler": {"nulls": "error"}}]}'$$,
    $$'y ~ a', '{"prepare": [{"standard_scaler": {"prepare": ["minmax_scaler"]}}]}'$$, $$'y ~ a', '{"prepare": [{"pca": {"k": 1, "passes": true}}]}'$$,
    $$'y ~ a', '{"prepare": ["minmax_scaler", {"standard_scaler": {"weight": "w"}}]}'$$, $$'y ~ a', '{"prepare": ["standard_scaler"], "distributed": true}'$$]) AS call;
SELECT call, try('SELECT * FROM pgfit.' || call) AS error FROM unnest(ARRAY[
    $$evaluate('ridge_regression', 'steps', 'y ~ a', '{"metrics": ["rmse", 3]}')$$, $$evaluate('ridge_regression', 'steps', 'y ~ a', '{"lambda": 1, "options": {"lambda": 2}}')$$,
    $$search('ridge_regression', 'steps', 'y ~ a', '{"lambda": [1]}', '{"weight": "w", "options": {"weight": "a"}}')$$,
    $$evaluate('ridge_regression', 'steps', 'y ~ a', '{"prepare": ["standard_scaler"], "seed": 1.5}')$$, $$evaluate('ridge_regression', 'steps', 'y ~ a', '{"prepare": ["standard_scaler"], "seed": 1e300}')$$,
    $$evaluate('logistic_regression', 'steps', 'yes ~ a', '{"prepare": ["standard_scaler"], "metrics": "precision_score", "positive": "no"}')$$,
    $$compare((SELECT linear_regression(y, t, 'a') FROM steps AS t), (SELECT linear_regression(y, t, 'b') FROM steps AS t), 'steps', '{"target": "b", "formula": "y ~ a"}')$$]) AS call;

-- without rows or classes there is no model, and no pipeline
SELECT try($$SELECT fit('linear_regression', 'SELECT * FROM steps WHERE i < 0', 'y ~ a', '{"prepare": ["standard_scaler", "minmax_scaler"]}')$$);
SELECT fit('logistic_regression', 'SELECT * FROM steps WHERE i > 7', 'rare ~ a', '{"prepare": ["standard_scaler"], "on_failure": "null"}') IS NULL AS no_model;
SELECT metric, value IS NULL AS no_value, cardinality(fold_values) AS folds FROM evaluate('logistic_regression', 'steps', 'rare ~ a', '{"prepare": ["standard_scaler"], "on_failure": "null", "metrics": "accuracy"}');
-- each step is fitted once
CREATE TEMP TABLE plan (line text);
DO $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || pgfit.fit_sql('linear_regression', 'steps', 'y ~ a', '{"prepare": ["standard_scaler", "minmax_scaler"]}') LOOP
        INSERT INTO plan VALUES (line);
    END LOOP;
END $$;
SELECT count(*) FILTER (WHERE line LIKE '%minmax_scaler(%') AS minmax, count(*) FILTER (WHERE line LIKE '%linear_regression(%') AS linear FROM plan;

-- a pipeline serves, and is compared with what comes after it
SELECT message FROM train('prepared', 'ridge_regression', 'steps', 'y ~ b', '{"prepare": ["standard_scaler"]}');
SELECT left(message, 8) AS message FROM train('prepared', 'ridge_regression', 'steps', 'y ~ a', '{"holdout": {"fraction": 0.3}, "promote": "if_better"}');
SELECT left(message, 8) AS message FROM train('prepared', 'ridge_regression', 'steps', 'y ~ a + b', '{"prepare": ["standard_scaler"], "holdout": {"fraction": 0.3}, "promote": "always"}');
SELECT left(message, 12) AS message FROM train('prepared', 'ridge_regression', 'steps', 'y ~ b', '{"prepare": ["minmax_scaler"], "holdout": {"fraction": 0.3}, "promote": "if_better"}');
SELECT version FROM train('plain', 'linear_regression', 'steps', 'y ~ b');
SELECT metric, rows, left(verdict, 26) AS verdict FROM compare('prepared', 'plain', 'steps');
SELECT try($$SELECT metric FROM pgfit.compare('plain', 'prepared', 'steps', '{"folds": 3}')$$);
-- not by a metric in the units of what the steps made of their rows
SELECT version FROM train('clusters', 'kmeans', 'steps', '~ a + b', '{"k": 3, "prepare": ["standard_scaler"]}');
SELECT message FROM train('clusters', 'kmeans', 'steps', '~ a + b', '{"k": 3, "prepare": ["minmax_scaler"], "holdout": {"fraction": 0.3}, "promote": "if_better"}');
-- a name with a ~ in it is one name
SELECT version FROM train('tilde', 'linear_regression', 'SELECT y AS "x ~ y", a, b FROM steps', ' "x ~ y" ~ a + b');
SELECT name, target FROM models() WHERE name IN ('tilde', 'plain', 'clusters');
-- "prepare" with "time_column", "fold_column" and "stratified" was refused: a step that changes nothing leaves what cross_validate finds, and a scaler too, as least squares have no scale
CREATE TEMP TABLE ways AS
SELECT n, o || '{"metrics": "rmse"}' AS o, source FROM (VALUES
    (1, '{"time_column": "i", "folds": 4}'::jsonb, 'steps'), (2, '{"time_column": "part", "folds": 6}', 'steps'), (3, '{"fold_column": "part"}', 'steps'), (4, '{"fold_column": "part", "test_folds": [3, 1]}', 'steps'),
    (5, '{"fold_column": "yes", "test_folds": 1}', 'steps'), (6, '{"time_column": "day", "folds": 3}', 'SELECT *, date ''2026-01-01'' + nullif(i, 5) / 3 AS day FROM steps'),
    (7, '{"time_column": "at", "folds": 3}', 'SELECT *, timestamptz ''2026-01-01'' - i * interval ''1 hour'' AS at FROM steps')) AS w (n, o, source);
SELECT n, p.rows, cardinality(p.fold_values) AS folds, p.rows = c.rows AND near(p.value, c.value) AND coalesce(near(p.std_error, c.std_error), cardinality(p.fold_values) = 1) AND (SELECT bool_and(near(x, y)) FROM unnest(p.fold_values, c.fold_values) AS v (x, y)) AS same
FROM ways, evaluate('linear_regression', source, 'y ~ a + b', o) AS c, evaluate('linear_regression', source, 'y ~ a + b', o || '{"prepare": ["standard_scaler", {"pca": {"k": 2}}]}') AS p ORDER BY n;
-- rows without a target, as the days to come, are no part of the time: they took two of the four folds
SELECT p.rows = c.rows AND near(p.value, c.value) AS same, cardinality(p.fold_values) AS folds
FROM (VALUES ('SELECT *, CASE WHEN i <= 150 THEN y END AS z FROM steps')) AS s (source), evaluate('linear_regression', source, 'z ~ a + b', '{"time_column": "i", "folds": 4, "metrics": "rmse"}') AS c,
     evaluate('linear_regression', source, 'z ~ a + b', '{"time_column": "i", "folds": 4, "metrics": "rmse", "prepare": ["standard_scaler"]}') AS p;
-- each fold has its share of each class, and rare ones are in different folds; equal rows share one
CREATE VIEW classed AS SELECT s.i, a, b, w, CASE WHEN s.i % 10 < 5 THEN 'half' WHEN s.i % 10 < 9 THEN 'more' WHEN s.i < 50 THEN 'rare' ELSE 'some' END AS class FROM steps AS s;
SELECT m.metric, abs(m.value - 0.5) < 0.01 AS share, bool_and(abs(v - 0.5) < 0.04) AS shares, count(*) AS folds, m.rows FROM evaluate('tree_classifier', 'classed', 'class ~ a', '{"prepare": ["standard_scaler"], "stratified": true, "metrics": "accuracy", "max_depth": 0}') AS m, unnest(fold_values) AS v GROUP BY 1, 2, m.rows;
SELECT m.rows, cardinality(m.fold_values) AS folds FROM evaluate('tree_classifier', 'SELECT 1 AS a, class FROM classed', 'class ~ a', '{"prepare": ["standard_scaler"], "stratified": true, "metrics": "accuracy", "max_depth": 0}') AS m;
SELECT rank, options, cardinality(fold_values) AS folds FROM search('tree_classifier', 'classed', 'class ~ a + b', '{"prepare": [["standard_scaler"], ["minmax_scaler"]], "max_depth": [3]}', '{"stratified": true, "folds": 3, "nested": 2}');
-- nothing of later rows is known to the preparation of earlier ones: with time, an encoder of the day is worth nothing
SELECT value < 0.1 AS chance FROM evaluate('linear_regression', 'SELECT i, ''k'' || i / 2 AS key, hashint4(i) % 1000 / 1000.0::float8 AS noise FROM generate_series(1, 300) AS i', 'noise ~ key', '{"prepare": [{"target_encoder": {"smoothing": 0}}], "metrics": "r_squared", "time_column": "i"}');
SELECT call, try(format('SELECT pgfit.evaluate(''linear_regression'', ''steps'', ''y ~ a'', ''{"prepare": ["standard_scaler"], %s}'')', call)) AS error FROM unnest(ARRAY[
    '"stratified": true', '"stratified": true, "time_column": "i"', '"fold_column": "a"', '"fold_column": "part", "folds": 3', '"fold_column": "part", "test_folds": [9]', '"test_folds": [1]', '"time_column": "none"',
    '"time_column": "part", "folds": 1000']) AS call;
SELECT call, try(format('SELECT pgfit.evaluate(''linear_regression'', ''SELECT *, i::text AS word, CASE WHEN i = 3 THEN ''''NaN'''' ELSE i::float8 END AS nan FROM steps'', ''y ~ a'', ''{"prepare": ["standard_scaler"], %s}'')', call)) AS error FROM unnest(ARRAY['"time_column": "word"', '"fold_column": "word"', '"time_column": "nan"', '"fold_column": "nan"']) AS call;
SELECT try($$SELECT pgfit.evaluate('linear_regression', 'SELECT *, 1 AS t FROM steps', 'y ~ a', '{"prepare": ["standard_scaler"], "time_column": "t"}')$$);
DROP VIEW classed;
SELECT count(drop_model(name)) FROM models();
DROP TABLE steps;
