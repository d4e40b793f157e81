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
-- more values than bins: thresholds at quantiles, errors nearly those of the exact tree
SELECT round((sqrt(avg((y - predict(binned, x)) ^ 2)) / sqrt(avg((y - predict(exact, x)) ^ 2)))::numeric, 1) AS ratio FROM (SELECT tree_regression(y, x, '{"split": "exact", "max_leaf_nodes": 20}') AS exact, tree_regression(y, x, '{"split": "binned", "max_leaf_nodes": 20}') AS binned
    FROM (SELECT sqrt(i) AS x, sin(i / 300.0) AS y FROM generate_series(1, 3000) i) r) m, (SELECT sqrt(i) AS x, sin(i / 300.0) AS y FROM generate_series(1, 3000) i) r;
-- auto bins above 50,000 rows, where it can
SELECT n, info(tree_regression(i % 7, i, '{"max_depth": 3}')) -> 'statistics' ->> 'binned' AS binned, info(tree_classifier(i % 3, i, '{"max_depth": 3}')) -> 'statistics' ->> 'binned' AS three_classes FROM unnest('{50000,50001}'::int[]) n, generate_series(1, n) i GROUP BY n ORDER BY n;
-- one class, and one value
SELECT classify(m, 3) AS only FROM (SELECT tree_classifier('x'::text, i, '{"split": "binned"}') AS m FROM generate_series(1, 10) i) t;
SELECT predict(m, 3) AS mean FROM (SELECT tree_regression(i, 1, '{"split": "binned"}') AS m FROM generate_series(1, 10) i) t;

SELECT try($$SELECT tree_regression(y, a, '{"split": "binned", "criterion": "mae"}') FROM few$$);
SELECT try($$SELECT tree_classifier(d, a, '{"split": "binned"}') FROM few$$);
SELECT try($$SELECT tree_regression(y, a, '{"split": "binned", "monotone": {"f1": 1}}') FROM few$$);
SELECT try($$SELECT tree_regression(y, a, '{"split": "binned", "prune": "cost_complexity"}') FROM few$$);
SELECT try($$SELECT tree_regression(i, 'l' || i, '{"split": "binned"}') FROM few$$);
DROP TABLE few;
