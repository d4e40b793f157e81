-- Properties of boosted trees and ensembles: boosted_trees_classifier, boosted_trees_regression, ensemble.
BEGIN;
SELECT plan(32);
\ir tap/properties.sql
SET LOCAL property.features = 'a, b, c';

SELECT pg_temp.rows_properties('boosted_trees_classifier', 'label', '{"n_trees": 10, "min_samples_leaf": 5}', 'probabilities');
SELECT pg_temp.rows_properties('boosted_trees_regression', 'y', options, 'predict')
FROM unnest(ARRAY['{"n_trees": 10, "min_samples_leaf": 5}'::jsonb, '{"n_trees": 10, "min_samples_leaf": 5, "loss": "quantile", "quantile": 0.8, "max_samples": 0.7, "max_features": 2}']) AS options;

-- trees depend on the order of values alone
SELECT ok(bool_and(pg_temp.near(predict(x, ARRAY[a, b]), predict(z, ARRAY[exp(a), b * b * b]), 1e-9)), 'boosted_trees_regression: monotone maps of the features change nothing')
FROM (SELECT boosted_trees_regression(y, ARRAY[a, b]) AS x, boosted_trees_regression(y, ARRAY[exp(a), b * b * b]) AS z FROM rows) AS m, rows;
-- a fit that continues from a model gives the model of one fit with all iterations
SELECT is((SELECT boosted_trees_regression(abs(y), f, '{"n_trees": 11}' || options || jsonb_build_object('start', start::jsonb), w) FROM rows, LATERAL (SELECT a, b, c) AS f),
          (SELECT boosted_trees_regression(abs(y), f, '{"n_trees": 11}' || options, w) FROM rows, LATERAL (SELECT a, b, c) AS f), 'boosted_trees_regression: continues with ' || options::text)
FROM unnest('{"{}","{\"loss\": \"absolute\"}","{\"loss\": \"quantile\", \"quantile\": 0.9}","{\"loss\": \"poisson\"}","{\"max_samples\": 0.6, \"max_features\": 2}","{\"early_stopping\": 3, \"learning_rate\": 0.5}"}'::jsonb[]) AS options,
     LATERAL (SELECT boosted_trees_regression(abs(y), f, '{"n_trees": 5}' || options, w) AS start FROM rows, LATERAL (SELECT a, b, c) AS f) AS s;
SELECT is((SELECT boosted_trees_classifier(label, f, '{"n_trees": 11}' || options || jsonb_build_object('start', start::jsonb)) FROM rows, LATERAL (SELECT a, b, c) AS f),
          (SELECT boosted_trees_classifier(label, f, '{"n_trees": 11}' || options) FROM rows, LATERAL (SELECT a, b, c) AS f), 'boosted_trees_classifier: continues with ' || options::text)
FROM unnest('{"{}","{\"class_weight\": \"balanced\", \"max_samples\": 0.6}","{\"early_stopping\": 3}"}'::jsonb[]) AS options,
     LATERAL (SELECT boosted_trees_classifier(label, f, '{"n_trees": 5}' || options) AS start FROM rows, LATERAL (SELECT a, b, c) AS f) AS s;
-- squared loss moves and scales with the target
SELECT ok(bool_and(pg_temp.near(predict(z, f), 16 + 4 * predict(x, f), 1e-5)), 'boosted_trees_regression: predictions move and scale with the target')
FROM (SELECT boosted_trees_regression(y, f) AS x, boosted_trees_regression(16 + 4 * y, f) AS z FROM rows, LATERAL (SELECT a, b, c) AS f) AS m, rows, LATERAL (SELECT a, b, c) AS f;
-- weights are numbers of rows, where every value has a bin
SELECT ok(bool_and(pg_temp.near(predict(x, f), predict(z, f), 1e-6)), 'boosted_trees_regression: a row of weight w is w rows')
FROM (SELECT boosted_trees_regression(y, f, '{"min_samples_leaf": 1, "max_leaf_nodes": 8, "n_trees": 20}', w) AS x FROM rows, LATERAL (SELECT a, b, c) AS f WHERE id <= 200) AS l,
     (SELECT boosted_trees_regression(y, f, '{"min_samples_leaf": 1, "max_leaf_nodes": 8, "n_trees": 20}') AS z FROM rows, generate_series(1, w), LATERAL (SELECT a, b, c) AS f WHERE id <= 200) AS m, rows, LATERAL (SELECT a, b, c) AS f;
-- more iterations fit the training rows better, and quantiles have their share of rows below them
SELECT ok(bool_and(better), 'boosted_trees_regression: the training loss falls') FROM (SELECT loss < lag(loss, 1, 'Infinity') OVER (ORDER BY n) AS better
    FROM (SELECT n, (info(boosted_trees_regression(y, f, jsonb_build_object('n_trees', n))) -> 'statistics' ->> 'training_loss')::float8 AS loss FROM unnest(ARRAY[1, 5, 20, 80]) AS n, rows, LATERAL (SELECT a, b, c) AS f GROUP BY n) AS t) AS s;
SELECT ok(avg((y <= predict(m, f))::int) BETWEEN 0.85 AND 0.95, 'boosted_trees_regression: nine tenths are below the quantile of 0.9')
FROM (SELECT boosted_trees_regression(y, f, '{"loss": "quantile", "quantile": 0.9}') AS m FROM rows, LATERAL (SELECT a, b, c) AS f) AS q, rows, LATERAL (SELECT a, b, c) AS f;
-- the mean prediction of logistic and squared loss is that of the target
SELECT ok(pg_temp.near(avg(probability(m, f)), avg(yes::int), 1e-2), 'boosted_trees_classifier: probabilities have the mean of the labels')
FROM (SELECT boosted_trees_classifier(yes, f) AS m FROM rows, LATERAL (SELECT a, b, c) AS f) AS q, rows, LATERAL (SELECT a, b, c) AS f;
SELECT ok(bool_and(pg_temp.near((SELECT sum(e.contribution) FROM explain(m, f) AS e), predict(m, f), 1e-9)), 'boosted_trees_regression: contributions add up to the prediction')
FROM pg_temp.fit('boosted_trees_regression(y, f)') AS m, rows, LATERAL (SELECT a, b, c) AS f WHERE id < 30;
-- an ensemble of a model with itself is the model; order and scale of the weights do not matter
SELECT ok(bool_and(pg_temp.near(predict(e, f), predict(m, f), 1e-12)), 'ensemble: of a model with itself')
FROM pg_temp.fit('boosted_trees_regression(y, f)') AS m, ensemble(m, m, m) AS e, rows, LATERAL (SELECT a, b, c) AS f;
SELECT ok(bool_and(pg_temp.near(predict(x, f), predict(z, f), 1e-12)), 'ensemble: order and scale of the weights do not matter')
FROM pg_temp.fit('boosted_trees_regression(y, f)') AS m, pg_temp.fit('ridge_regression(y, f, 1)') AS r, ensemble(ARRAY[m, r], '{"model_weights": [1, 3]}') AS x, ensemble(ARRAY[r, m], '{"model_weights": [30, 10]}') AS z, rows, LATERAL (SELECT a, b, c) AS f;
SELECT pg_temp.keeps_bits(ensemble(m, r), 'predict', 'ensemble') FROM pg_temp.fit('boosted_trees_regression(y, f)') AS m, pg_temp.fit('ridge_regression(y, f, 1)') AS r;

SELECT * FROM finish();
ROLLBACK;
