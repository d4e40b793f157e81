-- evaluate(estimator, source, formula, options): metrics by cross-validation as rows, and steps of preparation that are fitted without each fold.
SET search_path = public, test, pgfit;
CREATE TABLE things AS
SELECT i, 'id' || i / 2 AS key, CASE WHEN i % 3 = 0 THEN 'u' WHEN i % 3 = 1 THEN 'v' ELSE 'w' END AS level, sin(i) AS a, cos(i * 1.7) * 100 AS b, 1 + i % 2 AS w,
       hashint4(i) % 1000 / 1000.0::float8 AS noise, 3 * sin(i) + i % 3 * 2 + hashint4(i) % 100 / 500.0::float8 AS y
FROM generate_series(1, 300) AS i;
-- the numbers of cross_validate
SELECT e.metric, e.value = c.value AS value, e.std_error = c.std_error AS std_error, cardinality(e.fold_values) AS folds, e.rows
FROM evaluate('ridge_regression', 'things', 'y ~ a + b', '{"lambda": 2, "folds": 4, "seed": 3, "weight": "w"}') AS e
JOIN (SELECT (unnest(cross_validate(y, t, 'ridge_regression', '{"folds": 4, "seed": 3, "options": {"formula": "a + b", "lambda": 2}}', w))).* FROM things AS t) AS c ON c.metric = e.metric AND c.fold IS NULL
ORDER BY e.metric COLLATE "C";
SELECT metric, round(value::numeric, 2) AS value FROM evaluate('tree_classifier', 'things', 'level ~ y', '{"metrics": ["f1_macro", "accuracy"], "options": {"max_depth": 3}}');
SELECT metric FROM evaluate('kmeans', 'SELECT a, b FROM things', NULL, '{"k": 3, "metrics": "inertia"}');
-- nothing of the rows that are judged is known to the preparation: an encoder of a random key is worth nothing, although its encodings tell the target of the rows that it saw
SET client_min_messages = error;
SELECT metric, value < 0.1 AS chance
FROM evaluate('linear_regression', 'things', 'noise ~ key', '{"prepare": [{"target_encoder": {"smoothing": 0}}], "metrics": "r_squared"}');
RESET client_min_messages;
SELECT c.value > 0.4 AS leaked
FROM (SELECT cross_validate(noise, transform_row((SELECT target_encoder(noise, t, '{"formula": "key", "smoothing": 0}') FROM things AS t), t), 'linear_regression', '{"metrics": "r_squared"}') AS c FROM things AS t) AS v,
     unnest(v.c) AS c WHERE c.fold IS NULL;
-- several steps, with options; the last is the estimator
SELECT metric, value < 0.2 AS small, cardinality(fold_values) AS folds, rows
FROM evaluate('ridge_regression', 'things', 'y ~ a + level', '{"lambda": 0, "prepare": [{"one_hot": {"drop": "first"}}, {"standard_scaler": {"center": false}}], "metrics": "rmse", "folds": 4, "weight": "w"}');
SELECT m = pipeline(s, o) AS same, abs(predict(m, t) - y) < 0.3 AS near
FROM things AS t, (SELECT fit('linear_regression', 'things', 'y ~ a + b', '{"prepare": ["standard_scaler"]}') AS m, standard_scaler(t, 'a + b') AS s FROM things AS t) AS f,
     LATERAL (SELECT linear_regression(y, transform_row(f.s, t)) AS o FROM things AS t) AS g LIMIT 1;
SELECT fit_sql('linear_regression', 'things', 'y ~ .', '{"prepare": ["one_hot", {"pca": {"k": 2}}]}');
-- '.' has neither the target nor the id
SELECT output_names(stage(fit('linear_regression', 'SELECT a, b, y FROM things', 'y ~ .', '{"prepare": ["minmax_scaler"]}'), 1)) AS target,
       output_names(stage(fit('dbscan', 'SELECT i, a, b FROM things', '~ .', '{"id": "i", "radius": 1, "prepare": ["minmax_scaler"]}'), 1)) AS id;
-- search chooses steps as it chooses options, and train stores a pipeline
SELECT rank, options, rows, cardinality(fold_values) AS folds
FROM search('ridge_regression', 'things', 'y ~ a + level', '{"lambda": [0, 1000], "prepare": [[{"one_hot": {"drop": "first"}}], ["target_encoder", "standard_scaler"]]}', '{"folds": 3, "store": "prepared"}');
-- or takes them for all candidates, as automl does
SELECT options
FROM search('ridge_regression', 'things', 'y ~ a + level', '{"lambda": [0, 1000]}', '{"folds": 3, "store": "prepared_all", "prepare": ["target_encoder"]}');
SELECT estimator FROM stages(get_model('prepared_all'));
SELECT count(*), bool_and(sql LIKE '%target_encoder%') FROM automl('things', 'y ~ a + level', '{"prepare": ["target_encoder"], "estimators": ["ridge_regression", "tree_regression"]}');
SELECT name, version, estimator, target, metric, value < 0.2 AS value, rows, trained_at IS NOT NULL AS trained FROM models();
SELECT left(summary('prepared'), 42) AS summary, info('prepared') ->> 'estimator' AS info, abs(predict('prepared', t) - y) < 0.5 AS near FROM things AS t LIMIT 1;
SELECT version FROM train('linear', 'linear_regression', 'things', 'y ~ a + level', '{"prepare": [{"one_hot": {"drop": "first"}}], "holdout": {"folds": 3}}');
SELECT version FROM train('linear', 'linear_regression', 'things', 'y ~ a + level', '{"holdout": {"fraction": 0.3}, "promote": "if_better"}');
SELECT version FROM train('trees', 'tree_regression', 'things', 'y ~ a', '{"max_depth": 2}');
SELECT term, abs(estimate - 3) < 0.1 AS three FROM coefficients('linear') WHERE term = 'a';
SELECT feature, importance FROM importance('trees');
SELECT count(*) AS terms FROM explain('linear', (SELECT t FROM things AS t LIMIT 1));
-- those who may not read a model do not see it
CREATE ROLE evaluate_reader;
GRANT SELECT ON things TO evaluate_reader;
GRANT USAGE ON SCHEMA test TO evaluate_reader;
SELECT grant_model('linear', 'evaluate_reader'), grant_model('trees', 'evaluate_reader', 'read');
SET ROLE evaluate_reader;
SELECT name FROM models();
SELECT try('SELECT pgfit.summary(''linear'')');
SELECT try('SELECT pgfit.info(''nobody'')');
RESET ROLE;
SELECT drop_model(name) FROM models();
-- a formula where a target was: automl, compare
SELECT DISTINCT options ->> 'lambda' AS lambda, value < 2 AS small FROM automl('things', 'y ~ a + level', '{"estimators": ["ridge_regression"]}') WHERE rank = 1;
SELECT rank FROM automl('SELECT a, b, y FROM things', 'y ~ .', '{"estimators": ["linear_regression"]}');
SELECT metric, rows FROM compare((SELECT linear_regression(y, t, 'a') FROM things AS t), (SELECT linear_regression(y, t, 'a + level') FROM things AS t), 'things', 'y ~ .');
-- refusals
SELECT call, regexp_replace(try('SELECT * FROM pgfit.' || call), 'Estimators are .*', 'Estimators are ...') AS error FROM unnest(ARRAY[
    $$evaluate('ridge_regression', 'things', 'y ~ a', '{"metrics": "accuracy"}')$$, $$evaluate('ridge_regression', 'things', 'y ~ a', '{"metrics": 3}')$$, $$evaluate('pca', 'things', '~ a')$$,
    $$evaluate('ridge_regression', 'things', 'y ~ a', '{"lamda": 1}')$$, $$evaluate('ridge_regression', NULL)$$,
    $$evaluate('ridge_regression', 'things', 'y ~ a', '{"prepare": "one_hot"}')$$, $$evaluate('ridge_regression', 'things', 'y ~ a', '{"prepare": [["one_hot"]]}')$$,
    $$evaluate('ridge_regression', 'things', 'y ~ a', '{"prepare": ["ridge_regression"]}')$$, $$evaluate('ridge_regression', 'things', 'y ~ a', '{"prepare": ["one_cold"]}')$$,
    $$evaluate('ridge_regression', 'things', 'y ~ a', '{"prepare": [{"one_hot": {"dropp": "first"}}]}')$$, $$evaluate('ridge_regression', 'things', 'y ~ a', '{"prepare": ["one_hot"], "min_probability": 0.1}')$$,
    $$evaluate('ridge_regression', 'things', 'y ~ a', '{"prepare": ["one_hot"], "folds": 1}')$$, $$fit('kmeans', 'things', '~ a', '{"k": 2, "prepare": ["target_encoder"]}')$$,
    $$fit('kmeans', 'things', '~ a', '{"k": 2, "prepare": ["standard_scaler"], "passes": true}')$$, $$search_sql('ridge_regression', 'things', 'y ~ a', '{"prepare": [["one_hot"]]}')$$,
    $$automl('things', 'y ~ a', '{"features": "b"}')$$, $$automl('things', 'nothing ~ a')$$]) AS call;
DROP TABLE things;
DROP OWNED BY evaluate_reader;
DROP ROLE evaluate_reader;
