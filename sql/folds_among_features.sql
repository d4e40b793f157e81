-- a column that deals rows to folds was a feature of the model that search, automl and train stored, and none of those that they evaluated
SET search_path = public, test, pgfit;
CREATE TABLE visits AS
SELECT 'p' || i % 12 AS "Patient no.", DATE '2026-01-01' + i AS day, i % 4 + 1 AS part, sin(i * 1.7) AS a, cos(i * 0.3) AS b, sin(i * 1.7) + (i % 12) * 0.3 + sin(i * 7.7) AS y FROM generate_series(1, 96) AS i;
BEGIN;
SELECT o AS options, s.value = e.value AS same
FROM unnest('{group_column,time_column,fold_column}'::text[], '{Patient no.,day,part}'::text[]) WITH ORDINALITY AS v(key, name, n), jsonb_build_object(key, name) AS o,
     LATERAL search('ridge_regression', 'visits', 'y ~ .', '{"lambda": [1]}', o || jsonb_build_object('store', 'visit ' || n)) AS s,
     LATERAL evaluate('ridge_regression', 'visits', 'y ~ ' || array_to_string(array_remove('{"\"Patient no.\"",day,part,a,b}', CASE n WHEN 1 THEN '"Patient no."' ELSE name END), ' + '),
                      o || '{"metrics": "rmse", "lambda": 1}') AS e ORDER BY n;
SELECT formula, (SELECT array_agg(f ->> 'name') FROM jsonb_array_elements(info(get_model(name)) -> 'features') AS f) AS features FROM registry WHERE name LIKE 'visit _' ORDER BY name;
-- of several formulas, and of options
SELECT options, message FROM search('ridge_regression', 'visits', 'y ~', '{"formula": [". - day", "a * ."], "lambda": 1}', '{"group_column": "Patient no.", "store": "visit of formulas"}') ORDER BY rank LIMIT 1;
SELECT count(*) FILTER (WHERE f ->> 'name' = 'Patient no.') AS patients FROM jsonb_array_elements(info(get_model('visit of formulas')) -> 'features') AS f;
SELECT message FROM automl('visits', 'y', '{"group_column": "Patient no.", "estimators": ["ridge_regression"], "store": "visit of automl"}') ORDER BY rank LIMIT 1;
SELECT version FROM train('visit of train', 'ridge_regression', 'visits', 'y ~ . - part', '{"holdout": {"folds": 4, "group_column": "Patient no."}}');
SELECT version FROM train('visit of clusters', 'kmeans', 'SELECT a, b, day FROM visits', NULL, '{"k": 2, "holdout": {"folds": 4, "time_column": "day"}}');
SELECT name, formula FROM registry WHERE name IN ('visit of automl', 'visit of train', 'visit of clusters') ORDER BY name;
-- steps that are fitted without each fold
SELECT abs(x.value - z.value) < 1e-12 AS same FROM evaluate('ridge_regression', 'visits', 'y ~ . - day', '{"group_column": "Patient no.", "metrics": "rmse", "prepare": ["standard_scaler"]}') AS x,
     evaluate('ridge_regression', 'visits', 'y ~ part + a + b', '{"group_column": "Patient no.", "metrics": "rmse", "prepare": ["standard_scaler"]}') AS z;
-- a dot that is no dot stays, and so does the message about a column that is not there
SELECT value IS NOT NULL AS evaluated FROM evaluate('ridge_regression', 'SELECT y, a, b AS "b.", day FROM visits', 'y ~ I(a * 0.5) + "b." + cut(a, breaks = c(-.5, .5))', '{"time_column": "day", "metrics": "rmse"}');
SELECT test.try($$SELECT evaluate('ridge_regression', 'visits', 'y ~ .', '{"group_column": "nobody"}')$$);
-- the hint says how such a column can be a feature, too
SELECT test.try(format('SELECT evaluate(%s)', a)) FROM unnest(ARRAY[$$'mixed_regression', 'visits', 'y ~ a + (1 | "Patient no.")', '{"group_column": "Patient no."}'$$, $$'ridge_regression', 'visits', 'y ~ day', '{"time_column": "day"}'$$]) AS a;
SELECT value IS NOT NULL AS evaluated FROM evaluate('mixed_regression', 'SELECT *, "Patient no." AS patient FROM visits', 'y ~ a + (1 | patient)', '{"group_column": "Patient no.", "metrics": "rmse"}');
ROLLBACK;
DROP TABLE visits;
