-- where no candidate had a value, the first of the grid won: it alone went on in a halving search, and was stored
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE walks AS SELECT i, i % 15 AS walker, sin(i * 1.7) AS a, cos(i * 2.3) AS b, floor(sin(i * 1.7) * 4) + cos(i * 2.3) AS y, sin(i * 0.9) > 0.99 AS rare FROM generate_series(1, 300) AS i;
-- a ninth of 15 groups is too little for 5 folds
SELECT rank, options, round(fraction::numeric, 2) AS fraction, value IS NOT NULL AS judged
FROM search('tree_regression', 'walks', 'y ~ a + b', '{"max_depth": [1, 2, 3, 4, 5, 6, 7, 8, 9]}', '{"method": "halving", "group_column": "walker"}') WHERE rank <= 4;
-- and a third of the rows has too few of a class for its area
SELECT bool_and(fraction = 1 AND value IS NOT NULL) AS judged, (array_agg(options ORDER BY rank))[1] = (array_agg(options ORDER BY value DESC, rank))[1] AS best
FROM search('knn_classifier', 'walks', 'rare ~ b', '{"k": [1, 2, 3, 50]}', '{"method": "halving", "metrics": "roc_auc", "folds": 3, "seed": 3}');
SELECT test.try($$SELECT search('tree_regression', 'SELECT a, 1.0 AS y FROM walks', 'y ~ a', '{"max_depth": [1, 3]}', '{"metrics": "r_squared", "store": "undefined"}')$$);
SELECT test.try($$SELECT automl('SELECT a, 1.5::float8 AS y FROM walks', 'y', '{"metrics": "r_squared", "store": "undefined", "estimators": ["tree_regression"]}')$$);
SELECT count(*) AS stored FROM model_names WHERE name = 'undefined';
SELECT rank, options, value, message IS NOT NULL AS nested FROM search('tree_regression', 'SELECT a, 1.0 AS y FROM walks', 'y ~ a', '{"max_depth": [1, 3]}', '{"metrics": "r_squared", "nested": 2}');
RESET client_min_messages;
DROP TABLE walks;
