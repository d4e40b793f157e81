-- Labels that alternate give trees as deep as there are rows: nothing that reads them recurses, or takes the square of their size.
SET search_path = public, test, pgfit;
CREATE TABLE alternating AS SELECT i, i::float8 AS x, i % 2 = 0 AS y, power(0.998, i) AS w FROM generate_series(1, 20000) i;
CREATE TABLE chain AS SELECT tree_classifier(y, x, '{"split": "exact"}'::jsonb) AS m FROM alternating;
SELECT info(m) -> 'statistics' -> 'depth' AS depth, info(m) -> 'statistics' -> 'leaves' AS leaves FROM chain;
SELECT count(*) AS nodes, max(depth) AS depth, sum(weight) AS weights, sum(value[1]) AS negative, sum(value[2]) AS positive FROM chain, tree_nodes(m);
SELECT predict(m, 7) AS odd, predict(m, 10000) AS even FROM chain;
SELECT sum(contribution) AS share FROM chain, explain(m, 12345);
SELECT length(to_sql(m)) > 500000 AS long, length(summary(m)) < 5000 AS short FROM chain;
SELECT m::text::model = m AS again FROM chain;
-- the deepest splits are the weakest: each cut changes all the nodes above
SELECT info(m) -> 'statistics' -> 'leaves_before_pruning' AS leaves, count(*) > 4000 AS long_path, min(alpha) = 0 AS from_zero
FROM (SELECT tree_classifier(y, x, '{"split": "exact", "prune": "cost_complexity", "complexity": 0}'::jsonb, w) AS m FROM alternating WHERE i <= 5000) f, prune_path(m) GROUP BY m;
-- classes are summed node by node where the sums of all nodes would exceed the budget
SET pgfit.fit_mem = '64kB';
SELECT count(*) AS nodes, sum(weight) AS weights, sum(value[1]) AS negative, sum(value[2]) AS positive
FROM (SELECT forest_classifier(y, x, '{"n_trees": 1, "bootstrap": false, "oob": false}'::jsonb) AS m FROM alternating WHERE i <= 300) f, tree_nodes(m);
SELECT count(*) AS nodes FROM chain, tree_nodes(m) WHERE weight IS DISTINCT FROM value[1] + value[2];
RESET pgfit.fit_mem;
DROP TABLE alternating, chain;
