-- automl with "nulls": "impute", as its own hint says, refused every tree, forest and booster, which take a NULL as a value, and named a best of the others.
SET search_path = test, pgfit, public;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE holey AS
SELECT sin(i) AS a, CASE WHEN i % 3 > 0 THEN cos(i) END AS b, CASE WHEN sin(i) > 0 THEN 'p' ELSE 'n' END AS k, sin(i) + i % 3 AS y FROM generate_series(1, 200) AS i;
SELECT estimator, options, value IS NOT NULL AS evaluated, rows, scorable, message
FROM automl('holey', 'k ~ a + b', '{"options": {"nulls": "impute"}, "estimators": ["naive_bayes", "tree_classifier", "boosted_trees_classifier", "forest_classifier", "extra_trees_classifier"]}')
ORDER BY estimator, options;
SELECT estimator, options, value IS NOT NULL AS evaluated, scorable FROM automl('holey', 'y ~ a + b', '{"options": {"nulls": "impute"}, "estimators": ["ridge_regression", "forest_regression"]}')
ORDER BY estimator, options;
-- what is stored is what was evaluated, and the query of a row is its own
SELECT message FROM automl('holey', 'y ~ a + b', '{"options": {"nulls": "impute"}, "estimators": ["forest_regression"], "store": "holey"}');
SELECT info(get_model('holey')) #>> '{options,nulls}' AS nulls;
-- other options of all candidates are as they were: "skip" is skip, and steps of preparation have NULLs of their own
SELECT estimator, options, scorable FROM automl('holey', 'y ~ a + b', '{"options": {"nulls": "skip"}, "estimators": ["tree_regression", "linear_regression"]}') ORDER BY estimator, options;
SELECT estimator, options, scorable, message FROM automl('holey', 'y ~ a + b', '{"options": {"nulls": "impute"}, "prepare": ["standard_scaler"], "estimators": ["forest_regression", "linear_regression"]}')
ORDER BY estimator, options;
SELECT drop_model('holey');
