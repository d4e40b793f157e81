-- Properties of single trees: tree_classifier, tree_regression.
BEGIN;
SELECT plan(89);
\ir tap/properties.sql

SELECT pg_temp.rows_properties('tree_classifier', 'label', options, 'probabilities')
FROM unnest(ARRAY['{}'::jsonb, '{"criterion": "entropy", "max_depth": 4, "smoothing": "laplace"}', '{"max_leaf_nodes": 6}', '{"max_features": 1, "seed": 3}',
                  '{"prune": "cost_complexity"}', '{"prune": "reduced_error"}']) AS options;
SELECT pg_temp.rows_properties('tree_regression', 'y', options, 'predict')
FROM unnest(ARRAY['{"max_depth": 4}'::jsonb, '{"criterion": "mae", "max_depth": 3}', '{"monotone": {"a": 1}, "min_samples_leaf": 5}']) AS options;
SELECT pg_temp.rows_properties('tree_classifier', 'label', options, 'probabilities')
FROM unnest(ARRAY['{"split": "binned"}'::jsonb, '{"split": "binned", "prune": "cost_complexity"}']) AS options;
SELECT pg_temp.rows_properties('tree_regression', 'y', '{"split": "binned", "monotone": {"a": 1}, "max_leaf_nodes": 9}', 'predict');
SET LOCAL property.features = 'a, c, CASE WHEN id % 4 > 0 THEN b END AS b';
SELECT pg_temp.rows_properties('tree_classifier', 'label', '{"split": "binned", "criterion": "entropy"}', 'probabilities');
SELECT pg_temp.rows_properties('tree_classifier', 'yes', '{"criterion": "sqrt_gini"}', 'probabilities');
RESET property.features;

CREATE TABLE gaps AS SELECT id, label, yes, y, w, CASE WHEN id % 5 > 0 THEN a END AS a, CASE WHEN id % 7 > 0 THEN b END AS b, CASE WHEN id % 3 > 0 THEN c END AS c FROM rows;
CREATE TABLE models AS
SELECT 'classes' AS name, tree_classifier(label, f) AS m FROM gaps, LATERAL (SELECT a, b, c) AS f
UNION ALL SELECT 'two classes', tree_classifier(yes, f, '{"min_samples_leaf": 4}') FROM gaps, LATERAL (SELECT a, b, c) AS f
UNION ALL SELECT 'numbers', tree_regression(y, f, '{"min_samples_leaf": 3}') FROM gaps, LATERAL (SELECT a, b, c) AS f;

-- rows are where the nodes say that they are
SELECT ok((SELECT sum(weight) FROM tree_nodes(m) WHERE feature IS NULL) = 300 AND (SELECT weight FROM tree_nodes(m) WHERE node = 1) = 300, name || ': the leaves have all rows') FROM models ORDER BY name;
SELECT ok(bool_and(pg_temp.near(p.weight, l.weight + r.weight, 1e-12) AND (p.gain IS NULL) = (p.feature IS NULL)), name || ': children have the rows of their parent')
FROM models, LATERAL tree_nodes(m) AS p, LATERAL (SELECT * FROM tree_nodes(m) AS n WHERE n.parent = p.node ORDER BY node LIMIT 1) AS l, LATERAL (SELECT * FROM tree_nodes(m) AS n WHERE n.parent = p.node ORDER BY node DESC LIMIT 1) AS r
GROUP BY name ORDER BY name;
SELECT ok(bool_and(near), name || ': the impurity is that of the values') FROM models, LATERAL (SELECT pg_temp.near(impurity, impurity(value), 1e-12) AS near FROM tree_nodes(m)) AS n WHERE name <> 'numbers' GROUP BY name ORDER BY name;
SELECT ok((SELECT count(*) FROM tree_nodes(m) WHERE gain < -1e-12) = 0, name || ': no split loses') FROM models ORDER BY name;
SELECT ok(pg_temp.near((SELECT sum(importance) FROM importance(m)), 1, 1e-12), name || ': importances add up to 1') FROM models ORDER BY name;
-- the mean squared error of the training rows is the impurity of the leaves
SELECT ok(pg_temp.near(mse(y, predict(m, f)), (SELECT sum(weight * impurity) / 300 FROM tree_nodes(m) WHERE feature IS NULL), 1e-9), 'numbers: the training error is the impurity of the leaves')
FROM models, gaps, LATERAL (SELECT a, b, c) AS f WHERE name = 'numbers' GROUP BY m;

-- contributions add up
SELECT ok(bool_and(pg_temp.near(total, predict(m, f), 1e-9)), 'numbers: contributions add up') FROM models, gaps, LATERAL (SELECT a, b, c) AS f, LATERAL (SELECT sum(contribution) AS total FROM explain(m, f)) AS e WHERE name = 'numbers';
SELECT ok(bool_and(pg_temp.near(total, probability(m, f), 1e-9)), 'two classes: contributions add up') FROM models, gaps, LATERAL (SELECT a, b, c) AS f, LATERAL (SELECT sum(contribution) AS total FROM explain(m, f)) AS e WHERE name = 'two classes';
SELECT ok(bool_and(pg_temp.near_all(totals, probabilities(m, f), 1e-9)), 'classes: contributions add up')
FROM models, gaps, LATERAL (SELECT a, b, c) AS f, LATERAL (SELECT array_agg(total ORDER BY class) AS totals FROM (SELECT class, sum(contribution) AS total FROM explain(m, f) GROUP BY class) AS t) AS e WHERE name = 'classes' AND id <= 60;

-- monotone in units: any growing function of a feature gives the same tree
SELECT ok(bool_and(predict(x, ARRAY[a, b]) = predict(z, ARRAY[exp(a), b ^ 3])), 'numbers: growing functions of the features change nothing')
FROM (SELECT tree_regression(y, ARRAY[a, b], '{"min_samples_leaf": 4}') AS x, tree_regression(y, ARRAY[exp(a), b ^ 3], '{"min_samples_leaf": 4}') AS z FROM rows) AS m, rows;
-- the target's unit and offset
SELECT ok(bool_and(pg_temp.near(predict(z, ARRAY[a, b]), 1e6 - 3 * predict(x, ARRAY[a, b]), 1e-9)), criterion || ': unit and offset of the target')
FROM unnest(ARRAY['mse', 'mae']) AS criterion, LATERAL (SELECT tree_regression(y, ARRAY[a, b], jsonb_build_object('criterion', criterion, 'max_depth', 4)) AS x, tree_regression(1e6 - 3 * y, ARRAY[a, b], jsonb_build_object('criterion', criterion, 'max_depth', 4)) AS z FROM rows) AS m, rows
GROUP BY criterion ORDER BY criterion;
-- weights: whole numbers are repeated rows, a common factor changes nothing
SELECT ok(bool_and(pg_temp.near_all(probabilities(x, ARRAY[a, b]), probabilities(z, ARRAY[a, b]), 1e-12)), criterion || ': weights are repeated rows')
FROM unnest(ARRAY['gini', 'entropy', 'sqrt_gini', 'minority']) AS criterion, LATERAL (SELECT tree_classifier(label, ARRAY[a, b], jsonb_build_object('criterion', criterion, 'max_depth', 3), w) AS x FROM rows) AS t,
     LATERAL (SELECT tree_classifier(label, ARRAY[a, b], jsonb_build_object('criterion', criterion, 'max_depth', 3)) AS z FROM rows, generate_series(1, w)) AS u, rows GROUP BY criterion ORDER BY criterion;
SELECT ok(bool_and(pg_temp.near(predict(x, ARRAY[a, b]), predict(z, ARRAY[a, b]), 1e-9)), 'numbers: a common factor of the weights changes nothing')
FROM (SELECT tree_regression(y, ARRAY[a, b], '{"max_depth": 5}', w) AS x, tree_regression(y, ARRAY[a, b], '{"max_depth": 5}', w * 1e-3) AS z FROM rows) AS m, rows;
-- the square root of Gini does not change its mind when a class is inflated (two classes)
SELECT ok((SELECT string_agg(feature || threshold, ' ' ORDER BY node) FROM tree_nodes(x) WHERE depth = 0) = (SELECT string_agg(feature || threshold, ' ' ORDER BY node) FROM tree_nodes(z) WHERE depth = 0), 'sqrt_gini: inflating a class keeps the split')
FROM (SELECT tree_classifier(yes, ARRAY[a, b], '{"criterion": "sqrt_gini", "max_depth": 1}') AS x, tree_classifier(yes, ARRAY[a, b], '{"criterion": "sqrt_gini", "max_depth": 1, "class_weight": {"true": 50}}') AS z FROM rows) AS m;

-- over bins that suffice, the exact tree, of however many classes, weights and NULLs
SELECT ok(tree_rules(x) = tree_rules(z), criterion || ': bins that suffice give the exact tree')
FROM unnest(ARRAY['gini', 'entropy', 'sqrt_gini', 'minority']) AS criterion, LATERAL (SELECT tree_classifier(label, f, jsonb_build_object('criterion', criterion, 'split', 'exact'), w) AS x, tree_classifier(label, f, jsonb_build_object('criterion', criterion, 'split', 'binned'), w) AS z
    FROM (SELECT label, w, round(a::numeric, 1)::float8 AS a, round(b::numeric, 1)::float8 AS b, c FROM gaps) AS g, LATERAL (SELECT g.a, g.b, g.c) AS f) AS m ORDER BY criterion;
-- frequencies are repeated rows, least sizes included
SELECT ok(tree_rules(x) = tree_rules(z), split || ': frequencies are repeated rows')
FROM unnest(ARRAY['exact', 'binned']) AS split, LATERAL (SELECT tree_classifier(label, ARRAY[round(a::numeric, 1), round(b::numeric, 1)], jsonb_build_object('split', split, 'min_samples_leaf', 12, 'weight_kind', 'frequency'), w) AS x FROM rows) AS t,
     LATERAL (SELECT tree_classifier(label, ARRAY[round(a::numeric, 1), round(b::numeric, 1)], jsonb_build_object('split', split, 'min_samples_leaf', 12)) AS z FROM rows, generate_series(1, w)) AS u ORDER BY split;

SELECT * FROM finish();
ROLLBACK;
