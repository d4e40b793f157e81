-- Of equally good splits, which most are in nodes of a few rows, every extremely randomized tree took that of the first column, so the trees erred together: on real
-- tables the error was up to 2 % larger, and the importance that of the order of the columns.
SET search_path = test, pgfit, public;
-- two rows that differ in all columns: any of them splits
CREATE TABLE alike AS SELECT * FROM (VALUES (0, 0, 'x', 1), (1, 1, 'y', 2)) AS v(p, q, r, y);
SELECT 'regression' AS of, feature, importance BETWEEN 0.2 AND 0.5 AS a_third FROM (SELECT extra_trees_regression(y, t, 'p + q + r') AS m FROM alike AS t) AS f, importance(m)
UNION ALL SELECT 'classifier', feature, importance BETWEEN 0.2 AND 0.5 FROM (SELECT extra_trees_classifier(y, t, 'p + q + r') AS m FROM alike AS t) AS f, importance(m)
UNION ALL SELECT 'all', feature, importance BETWEEN 0.2 AND 0.5 FROM (SELECT extra_trees_classifier(y, t, '{"formula": "p + q + r", "max_features": "all"}') AS m FROM alike AS t) AS f, importance(m)
ORDER BY 1, 2;
-- one tree takes the best of its random thresholds all the same
SELECT feature, round(importance::numeric, 2) AS importance
FROM (SELECT extra_trees_regression(i % 2, t, '{"formula": "a + b", "n_trees": 1, "max_depth": 1}') AS m FROM (SELECT i, sin(i) AS a, (i % 2) + sin(i * 5) / 1000 AS b FROM generate_series(1, 100) AS i) AS t) AS f, importance(m);
