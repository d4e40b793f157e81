-- Properties of forests: forest_classifier, forest_regression, extra_trees_classifier, extra_trees_regression, isolation_forest.
BEGIN;
SELECT plan(79);
\ir tap/properties.sql

SELECT pg_temp.rows_properties('forest_classifier', 'label', options, 'probabilities')
FROM unnest(ARRAY['{"n_trees": 12}'::jsonb, '{"n_trees": 8, "criterion": "entropy", "max_depth": 4, "voting": "hard"}', '{"n_trees": 6, "max_leaf_nodes": 6, "importance": "permutation"}']) AS options;
SELECT pg_temp.rows_properties('forest_regression', 'y', options, 'predict')
FROM unnest(ARRAY['{"n_trees": 12, "min_samples_leaf": 3}'::jsonb, '{"n_trees": 6, "criterion": "mae", "max_depth": 3}', '{"n_trees": 6, "max_features": 0.4, "max_samples": 0.5, "min_samples_leaf": 3}']) AS options;
SELECT pg_temp.rows_properties('forest_classifier', 'label', '{"n_trees": 8, "split": "binned"}', 'probabilities');
SELECT pg_temp.rows_properties('forest_regression', 'y', '{"n_trees": 6, "split": "binned", "monotone": {"a": 1}}', 'predict');
SELECT pg_temp.rows_properties('extra_trees_classifier', 'label', '{"n_trees": 12}', 'probabilities');
SELECT pg_temp.rows_properties('extra_trees_regression', 'y', '{"n_trees": 12, "min_samples_leaf": 3}', 'predict');
SELECT pg_temp.rows_properties('isolation_forest', '', options, 'decision') FROM unnest(ARRAY['{"n_trees": 12}'::jsonb, '{"n_trees": 12, "max_samples": 50, "contamination": 0.1}']) AS options;
SET LOCAL property.features = 'a, c, CASE WHEN id % 4 > 0 THEN b END AS b';
SELECT pg_temp.rows_properties('forest_classifier', 'yes', '{"n_trees": 12, "criterion": "sqrt_gini"}', 'probabilities');
SELECT pg_temp.rows_properties('extra_trees_classifier', 'label', '{"n_trees": 12}', 'probabilities');
SELECT pg_temp.rows_properties('isolation_forest', '', '{"n_trees": 12}', 'decision');
RESET property.features;

CREATE TABLE gaps AS SELECT id, label, yes, y, w, CASE WHEN id % 5 > 0 THEN a END AS a, CASE WHEN id % 7 > 0 THEN b END AS b, CASE WHEN id % 3 > 0 THEN c END AS c FROM rows;
CREATE TABLE models AS
SELECT 'classes' AS name, forest_classifier(label, f, '{"n_trees": 10}') AS m FROM gaps, LATERAL (SELECT a, b, c) AS f
UNION ALL SELECT 'extra classes', extra_trees_classifier(label, f, '{"n_trees": 10}') FROM gaps, LATERAL (SELECT a, b, c) AS f
UNION ALL SELECT 'two classes', forest_classifier(yes, f, '{"n_trees": 10}') FROM gaps, LATERAL (SELECT a, b, c) AS f
UNION ALL SELECT 'numbers', forest_regression(y, f, '{"n_trees": 10}') FROM gaps, LATERAL (SELECT a, b, c) AS f
UNION ALL SELECT 'extra numbers', extra_trees_regression(y, f, '{"n_trees": 10}') FROM gaps, LATERAL (SELECT a, b, c) AS f;

-- every tree has all rows of its sample
SELECT ok(bool_and(weight = 300), name || ': every tree has 300 rows') FROM models, LATERAL (SELECT tree, sum(weight) AS weight FROM tree_nodes(m) WHERE feature IS NULL GROUP BY tree) AS t GROUP BY name ORDER BY name;
SELECT ok(pg_temp.near((SELECT sum(importance) FROM importance(m)), 1, 1e-12), name || ': importances add up to 1') FROM models ORDER BY name;
-- the prediction is the mean of the leaves that the nodes describe
SELECT ok(bool_and(pg_temp.near(total, predict(m, f), 1e-6)), name || ': contributions add up') FROM models, gaps, LATERAL (SELECT a, b, c) AS f, LATERAL (SELECT sum(contribution) AS total FROM explain(m, f)) AS e WHERE name LIKE '%numbers' AND id <= 60 GROUP BY name ORDER BY name;
SELECT ok(bool_and(pg_temp.near(1 + total, 1 + probability(m, f), 1e-9)), 'two classes: contributions add up') FROM models, gaps, LATERAL (SELECT a, b, c) AS f, LATERAL (SELECT sum(contribution) AS total FROM explain(m, f)) AS e WHERE name = 'two classes' AND id <= 60;
SELECT ok(bool_and(pg_temp.near(sum, 1, 1e-12)), name || ': probabilities add up to 1') FROM models, gaps, LATERAL (SELECT a, b, c) AS f, LATERAL (SELECT sum(p) FROM unnest(probabilities(m, f)) AS p) AS s WHERE name LIKE '%classes' GROUP BY name ORDER BY name;
-- the sample, and the depth, of an isolation forest
SELECT ok(bool_and(weight = 64) AND max(depth) <= 6 AND count(*) = 20, 'isolation_forest: samples of 64 rows, trees of depth 6')
FROM (SELECT isolation_forest(ARRAY[a, b], '{"max_samples": 64, "n_trees": 20}') AS m FROM rows) AS t, LATERAL (SELECT tree, sum(weight) FILTER (WHERE feature IS NULL) AS weight, max(depth) AS depth FROM tree_nodes(m) GROUP BY tree) AS n;
-- scores by the published formula, from the leaves of single trees: depth + c(rows), c(64) of the sample
SELECT ok(bool_and(pg_temp.near(value[1], depth + CASE WHEN weight <= 1 THEN 0 WHEN weight <= 2 THEN 1 ELSE 2 * (ln(weight - 1) + 0.5772156649015329) - 2 * (weight - 1) / weight END, 1e-6)), 'isolation_forest: leaves hold path lengths')
FROM (SELECT isolation_forest(ARRAY[a, b], '{"max_samples": 64, "n_trees": 20}') AS m FROM rows) AS t, tree_nodes(m) WHERE feature IS NULL;
-- merged from parts, in any grouping
SELECT ok(merge(merge(a, b), c) = merge(a, merge(b, c)), 'merge is associative')
FROM (SELECT forest_classifier(label, f, '{"n_trees": 4, "seed": 1, "importance": "none"}') AS a, forest_classifier(label, f, '{"n_trees": 3, "seed": 2, "importance": "none"}') AS b, forest_classifier(label, f, '{"n_trees": 2, "seed": 3, "importance": "none"}') AS c FROM gaps, LATERAL (SELECT a, b, c) AS f) AS t;

SELECT * FROM finish();
ROLLBACK;
