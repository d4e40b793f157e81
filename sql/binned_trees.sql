-- Trees over binned columns are the exact ones where every value has a bin; what bins cannot do is refused, or left to exact splits.
SET search_path = public, test, pgfit;
SET client_min_messages = warning;
CREATE TABLE few AS SELECT i, i % 17 + 0.5 AS a, i * 7 % 23 AS b, nullif(i * i % 31, 4) AS c, (ARRAY['k', 'l', 'm', 'n', NULL])[1 + i * 5 % 4 + i / 500] AS d,
    (i % 17) * 2 - (i * 7 % 23) + 5 * (i * 5 % 4) + (i * i % 31) / 3.0 + hashint4(i) % 5 AS y FROM generate_series(1, 600) i;
SELECT options, tree_rules(exact) = tree_rules(binned) AS same, (SELECT bool_and(near(x, z, 1e-9)) FROM unnest(parameter(exact, 'impurity'), parameter(binned, 'impurity')) u(x, z)) AS impurities, info(binned) -> 'statistics' ->> 'binned' AS binned FROM (
    SELECT o AS options, tree_regression(y, f, o || '{"split": "exact"}') AS exact, tree_regression(y, f, o || '{"split": "binned"}') AS binned
    FROM few, LATERAL (SELECT a, b, c, d) f, jsonb_array_elements('[{"max_depth": 4}, {}, {"max_leaf_nodes": 9}, {"min_samples_leaf": 10}, {"min_impurity_decrease": 0.5}, {"min_samples_split": 30}]') o GROUP BY o
    UNION ALL SELECT o, tree_regression(abs(y), f, o || '{"split": "exact"}', i % 3 + 1), tree_regression(abs(y), f, o || '{"split": "binned"}', i % 3 + 1)
    FROM few, LATERAL (SELECT a, b, c, d) f, jsonb_array_elements('[{"criterion": "poisson", "max_depth": 4}, {"criterion": "poisson", "max_leaf_nodes": 9}]') o GROUP BY o) t ORDER BY options::text COLLATE "C";
SELECT options, tree_rules(exact) = tree_rules(binned) AS same, (SELECT bool_and(near(x, z, 1e-9)) FROM unnest(parameter(exact, 'impurity'), parameter(binned, 'impurity')) u(x, z)) AS impurities FROM (
    SELECT o AS options, tree_classifier(y > 10, f, o || '{"split": "exact"}') AS exact, tree_classifier(y > 10, f, o || '{"split": "binned"}') AS binned
    FROM few, LATERAL (SELECT a, b, c, d) f, jsonb_array_elements('[{"max_depth": 4}, {}, {"max_leaf_nodes": 9}, {"criterion": "entropy"}, {"criterion": "sqrt_gini"}, {"criterion": "minority"}, {"class_weight": "balanced"}, {"min_impurity_decrease": 0.05}]') o GROUP BY o) t ORDER BY options::text COLLATE "C";
-- more than two classes; numbers of quarters, so that sums are exact
ALTER TABLE few ADD q float8, ADD k text, ADD w int;
UPDATE few SET q = floor(4 * y) / 4, k = floor(y / 8), w = 1 + i % 3;
SELECT options, tree_rules(exact) = tree_rules(binned) AS same, parameter(exact, 'impurity') = parameter(binned, 'impurity') AS impurities FROM (
    SELECT o AS options, tree_classifier(k, f, o || '{"split": "exact"}') AS exact, tree_classifier(k, f, o || '{"split": "binned"}') AS binned
    FROM few, LATERAL (SELECT a, b, c, d) f, jsonb_array_elements('[{"max_depth": 4}, {}, {"max_leaf_nodes": 9}, {"criterion": "entropy"}, {"criterion": "sqrt_gini"}, {"criterion": "minority"}, {"min_samples_leaf": 10}, {"min_impurity_decrease": 0.002}]') o GROUP BY o
    UNION ALL SELECT o, tree_classifier(k, f, o || '{"split": "exact"}', w), tree_classifier(k, f, o || '{"split": "binned"}', w)
    FROM few, LATERAL (SELECT a, b, c, d) f, jsonb_array_elements('[{"min_samples_split": 20}]') o GROUP BY o) t ORDER BY options::text COLLATE "C";
-- pruned, and with monotone constraints
SELECT options, tree_rules(exact) = tree_rules(binned) AS same, near((info(exact) -> 'statistics' ->> 'alpha')::float8, (info(binned) -> 'statistics' ->> 'alpha')::float8) AS alpha, info(exact) -> 'statistics' -> 'holdout_rows' = info(binned) -> 'statistics' -> 'holdout_rows' AS held FROM (
    SELECT o AS options, tree_classifier(k, f, o || '{"split": "exact"}') AS exact, tree_classifier(k, f, o || '{"split": "binned"}') AS binned
    FROM few, LATERAL (SELECT a, b, c, d) f, jsonb_array_elements('[{"prune": "merge"}, {"prune": "reduced_error"}, {"prune": "cost_complexity"}, {"prune": "cost_complexity", "complexity": "1se", "folds": 3}]') o GROUP BY o
    UNION ALL SELECT o, tree_classifier(q > 10, f, o || '{"split": "exact"}'), tree_classifier(q > 10, f, o || '{"split": "binned"}')
    FROM few, LATERAL (SELECT a, b, c, d) f, jsonb_array_elements('[{"monotone": {"a": 1}}, {"monotone": {"c": -1, "b": 1}, "max_leaf_nodes": 20, "criterion": "entropy"}, {"monotone": {"a": -1, "c": 1}, "criterion": "minority"}]') o GROUP BY o
    UNION ALL SELECT o, tree_regression(abs(q), f, o || '{"split": "exact"}'), tree_regression(abs(q), f, o || '{"split": "binned"}')
    FROM few, LATERAL (SELECT a, b, c, d) f, jsonb_array_elements('[{"monotone": {"a": 1, "b": 1}}, {"monotone": {"a": -1, "c": 1}, "criterion": "poisson"}, {"prune": "cost_complexity"}]') o GROUP BY o) t ORDER BY options::text COLLATE "C";
SELECT bool_and(step >= 0) AS rises FROM (SELECT predict(m, ARRAY[x, z]) - lag(predict(m, ARRAY[x, z])) OVER (PARTITION BY z ORDER BY x) AS step
    FROM (SELECT tree_regression(q, ARRAY[a, b], '{"split": "binned", "monotone": {"f1": 1}}') AS m FROM few) t, generate_series(-1, 18) x, generate_series(0, 22, 3) z) t;
-- with weights that are frequencies, the least sizes count them
SELECT options, tree_rules(weighted) = tree_rules(repeated) AS same, tree_rules(plain) = tree_rules(weighted) AS without FROM jsonb_array_elements('[{"min_samples_leaf": 25, "split": "exact"}, {"min_samples_leaf": 25, "split": "binned"}, {"min_samples_split": 100, "split": "exact"}, {"min_samples_split": 100, "split": "binned"}]') options,
    LATERAL (SELECT tree_classifier(k, f, options || '{"weight_kind": "frequency"}', w) AS weighted, tree_classifier(k, f, options, w) AS plain FROM few, LATERAL (SELECT a, b, c, d) f) x,
    LATERAL (SELECT tree_classifier(k, f, options) AS repeated FROM few, generate_series(1, w), LATERAL (SELECT a, b, c, d) f) z;
SELECT options, tree_rules(weighted) = tree_rules(repeated) AS same, tree_rules(plain) = tree_rules(weighted) AS without FROM jsonb_array_elements('[{"min_samples_leaf": 25, "split": "exact"}, {"min_samples_leaf": 25, "split": "binned"}, {"min_samples_leaf": 30, "criterion": "mae"}]') options,
    LATERAL (SELECT tree_regression(q, f, options || '{"weight_kind": "frequency"}', w) AS weighted, tree_regression(q, f, options, w) AS plain FROM few, LATERAL (SELECT a, b, c, d) f) x,
    LATERAL (SELECT tree_regression(q, f, options) AS repeated FROM few, generate_series(1, w), LATERAL (SELECT a, b, c, d) f) z;
-- the order of the rows does not matter, whatever the weights
SELECT options, tree_rules(x) = tree_rules(z) AS rules, parameter(x, 'leaf_value') = parameter(z, 'leaf_value') AS "values", parameter(x, 'impurity') = parameter(z, 'impurity') AS impurities
FROM jsonb_array_elements('[{"split": "exact"}, {"split": "binned"}, {"split": "exact", "max_leaf_nodes": 7}]') options, LATERAL (SELECT tree_regression(y, f, options, w / 7.0 ORDER BY i) AS x, tree_regression(y, f, options, w / 7.0 ORDER BY hashint4(i)) AS z FROM few, LATERAL (SELECT a, b, c, d) f) t;
SELECT options, tree_rules(x) = tree_rules(z) AS rules, parameter(x, 'leaf_weight') = parameter(z, 'leaf_weight') AS weights, parameter(x, 'impurity') = parameter(z, 'impurity') AS impurities
FROM jsonb_array_elements('[{"split": "exact"}, {"split": "binned"}, {"split": "exact", "max_leaf_nodes": 7, "class_weight": "balanced"}, {"split": "binned", "max_leaf_nodes": 7, "class_weight": "balanced"}]') options,
    LATERAL (SELECT tree_classifier(k, f, options, w / 7.0 ORDER BY i) AS x, tree_classifier(k, f, options, w / 7.0 ORDER BY hashint4(i)) AS z FROM few, LATERAL (SELECT a, b, c, d) f) t;
-- forests over bins: from all features, the same trees
SELECT options, tree_rules(x) = tree_rules(z) AS same, info(x) -> 'statistics' ->> 'oob_error' = info(z) -> 'statistics' ->> 'oob_error' AS errors, info(x) -> 'statistics' -> 'binned' AS exact, info(z) -> 'statistics' -> 'binned' AS binned
FROM jsonb_array_elements('[{"n_trees": 3}, {"n_trees": 3, "min_samples_leaf": 5}, {"n_trees": 3, "max_leaf_nodes": 7, "importance": "permutation"}]') options,
    LATERAL (SELECT forest_classifier(k, f, options || '{"split": "exact", "max_features": "all"}') AS x, forest_classifier(k, f, options || '{"split": "binned", "max_features": "all"}') AS z FROM few, LATERAL (SELECT a, b, c, d) f) t;
SELECT options, tree_rules(x) = tree_rules(z) AS same, (SELECT bool_and(near(s, t, 1e-6)) FROM unnest(parameter(x, 'oob_curve'), parameter(z, 'oob_curve')) u(s, t)) AS errors
FROM jsonb_array_elements('[{"n_trees": 3}, {"n_trees": 3, "min_samples_leaf": 5}, {"n_trees": 3, "monotone": {"a": 1}}]') options,
    LATERAL (SELECT forest_regression(q, f, options || '{"split": "exact"}') AS x, forest_regression(q, f, options || '{"split": "binned"}') AS z FROM few, LATERAL (SELECT a, b, c, d) f) t;
SELECT accuracy(k, classify(m, f)) > 0.7 AS some_features FROM (SELECT forest_classifier(k, f, '{"n_trees": 20, "split": "binned"}') AS m FROM few, LATERAL (SELECT a, b, c, d) f) t, few, LATERAL (SELECT a, b, c, d) f;
-- more rows than the budget has room for: bins in the file, and the same models
CREATE TABLE many AS SELECT i, i % 7 AS k, sin(i) * 3 AS a, cos(i * 1.7) AS b, i % 101 AS c, sqrt(i) AS d, hashint4(i) / 1e9 AS e, hashint4(i + 7) / 1e9 AS f, nullif(i % 13, 5) AS g, (ARRAY['p', 'q', 'r'])[1 + i % 3] AS h FROM generate_series(1, 40000) i;
CREATE TABLE whole AS SELECT tree_classifier(k, x, '{"split": "binned", "max_depth": 9}') AS classes, tree_regression(many.a * many.e, x, '{"split": "binned", "min_samples_leaf": 5}') AS numbers, boosted_trees_regression(many.a * many.e, x, '{"n_trees": 8, "max_samples": 0.5}') AS boosted,
    boosted_trees_classifier(many.h, ARRAY[many.a, many.b, many.c, many.d, many.e, many.f], '{"n_trees": 3, "early_stopping": 2}') AS three FROM many, LATERAL (SELECT a, b, c, d, e, f, g, h) x;
SET pgfit.fit_mem = '2900kB';
SELECT classes = (SELECT tree_classifier(k, x, '{"split": "binned", "max_depth": 9}') FROM many, LATERAL (SELECT a, b, c, d, e, f, g, h) x) AS classes FROM whole;
SET pgfit.fit_mem = '1800kB';
SELECT numbers = (SELECT tree_regression(many.a * many.e, x, '{"split": "binned", "min_samples_leaf": 5}') FROM many, LATERAL (SELECT a, b, c, d, e, f, g, h) x) AS numbers FROM whole;
SET pgfit.fit_mem = '3500kB';
SELECT boosted = (SELECT boosted_trees_regression(many.a * many.e, x, '{"n_trees": 8, "max_samples": 0.5}') FROM many, LATERAL (SELECT a, b, c, d, e, f, g, h) x) AS boosted FROM whole;
SELECT three = (SELECT boosted_trees_classifier(h, ARRAY[a, b, c, d, e, f], '{"n_trees": 3, "early_stopping": 2}') FROM many) AS three FROM whole;
SET pgfit.fit_mem = '1MB';
SELECT try($$SELECT tree_regression(a, ARRAY[b, c], '{"split": "binned"}') FROM many$$);
RESET pgfit.fit_mem;
DROP TABLE many, whole;
-- more values than bins: thresholds at quantiles, errors nearly those of the exact tree
SELECT round((sqrt(avg((y - predict(binned, x)) ^ 2)) / sqrt(avg((y - predict(exact, x)) ^ 2)))::numeric, 1) AS ratio FROM (SELECT tree_regression(y, x, '{"split": "exact", "max_leaf_nodes": 20}') AS exact, tree_regression(y, x, '{"split": "binned", "max_leaf_nodes": 20}') AS binned
    FROM (SELECT sqrt(i) AS x, sin(i / 300.0) AS y FROM generate_series(1, 3000) i) r) m, (SELECT sqrt(i) AS x, sin(i / 300.0) AS y FROM generate_series(1, 3000) i) r;
-- auto bins above 50,000 rows, where it can
SELECT n, info(tree_regression(i % 7, i, '{"max_depth": 3}')) -> 'statistics' ->> 'binned' AS binned, info(tree_classifier(i % 3, i, '{"max_depth": 3}')) -> 'statistics' ->> 'binned' AS three_classes FROM unnest('{50000,50001}'::int[]) n, generate_series(1, n) i GROUP BY n ORDER BY n;
-- one class, and one value
SELECT classify(m, 3) AS only FROM (SELECT tree_classifier('x'::text, i, '{"split": "binned"}') AS m FROM generate_series(1, 10) i) t;
SELECT predict(m, 3) AS mean FROM (SELECT tree_regression(i, 1, '{"split": "binned"}') AS m FROM generate_series(1, 10) i) t;

SELECT try($$SELECT tree_regression(y, a, '{"split": "binned", "criterion": "mae"}') FROM few$$);
SELECT try($$SELECT tree_regression(i, 'l' || i, '{"split": "binned"}') FROM few$$);
DROP TABLE few;
CREATE TYPE wide_row AS (x float8, z float8, held boolean);
CREATE TABLE wide AS SELECT sin(x / 300) * 3 + cos(z / 40) + hashint4(i) % 100 / 100.0 AS y, ROW(x, z, i % 4 = 0)::wide_row AS f
FROM generate_series(1, 6000) AS i, LATERAL (SELECT i * 7919 % 10007 + CASE WHEN i % 3 = 0 THEN 0.37 ELSE 0 END AS x, i * 10473 % 7919 / 7.0 AS z) AS v;
-- the error of rows held out is that of the model on them, though they are known by their bins
SELECT prune, near((info(m) -> 'statistics' ->> 'holdout_error')::float8, error) AS same
FROM (SELECT prune, m, avg((y - predict(m, f)) ^ 2) AS error
      FROM (SELECT o ->> 'prune' AS prune, tree_regression(y, f, o || '{"split": "binned", "holdout_column": "held"}') AS m FROM wide, jsonb_array_elements('[{"prune": "reduced_error"}, {"prune": "reduced_error", "max_depth": 9}]') AS o GROUP BY o) AS t, wide
      WHERE (f).held GROUP BY prune, m) AS e;
DROP TABLE wide;
DROP TYPE wide_row;
