-- A row that cannot be read gives up its group where on_failure is "null", as a fit that fails does; without the option it is an error.
SET search_path = public, test, pgfit;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE failing AS
SELECT i AS id, 'g' || i % 4 AS g, CASE WHEN i % 4 = 1 AND i = 21 THEN -3 ELSE i END::float8 AS x, CASE WHEN i % 4 = 2 AND i = 2 THEN float8 'NaN' ELSE i * i END AS z, i + i % 3 AS y, 'c' || i % 2 AS c
FROM generate_series(1, 80) AS i;
ANALYZE failing; -- the first group that fails depends on how many are expected
-- moments, rows, class moments, feature moments, cross-validation; the failure first, in the middle, and in two of the groups
SELECT g, linear_regression(y, d, '{"formula": "log(x) + z", "on_failure": "null"}') IS NULL AS failed FROM failing AS d GROUP BY g ORDER BY g;
SELECT g, knn_regression(y, d, 2, '{"formula": "log(x) + z", "on_failure": "null"}') IS NULL AS failed FROM failing AS d GROUP BY g ORDER BY g;
SELECT g, linear_regression(y, d, '{"formula": "poly(log(x), 2)", "on_failure": "null"}') IS NULL AS failed FROM failing AS d GROUP BY g ORDER BY g;
SELECT g, naive_bayes(id > 40, d, '{"formula": "sqrt(x)", "on_failure": "null"}') IS NULL AS failed FROM failing AS d GROUP BY g ORDER BY g;
SELECT g, pca(d, 1, '{"features": ["x", "z"], "on_failure": "null"}') IS NULL AS failed FROM failing AS d GROUP BY g ORDER BY g;
SELECT g, cross_validate(y, d, 'linear_regression', '{"folds": 3, "on_failure": "null", "options": {"formula": "log(x)"}}') IS NULL AS failed FROM failing AS d GROUP BY g ORDER BY g;
SELECT linear_regression(y, d, '{"formula": "log(x)", "on_failure": "null"}') IS NULL AS failed FROM failing AS d;
-- the other groups have the models that they have alone
SELECT count(*) AS scores, bool_and(near(predict(m, d), predict(n, d), 1e-12)) AS same FROM failing AS d, (SELECT g, linear_regression(y, d, '{"formula": "log(x) + z", "on_failure": "null"}') AS m FROM failing AS d GROUP BY g) AS a
JOIN (SELECT g, linear_regression(y, d, 'log(x) + z') AS n FROM failing AS d WHERE g IN ('g0', 'g3') GROUP BY g) AS b USING (g) WHERE d.g = 'g0';
-- sorted groups, many groups in a hash table, workers, windows that grow
SET enable_hashagg = off;
SELECT g, linear_regression(y, d, '{"formula": "log(x) + z", "on_failure": "null"}') IS NULL AS failed FROM failing AS d GROUP BY g ORDER BY g;
RESET enable_hashagg;
SET enable_sort = off;
SELECT count(*) AS groups, count(m) AS models FROM (SELECT i / 10 AS g, linear_regression(y, f, '{"formula": "log(x) + v", "on_failure": "null"}') AS m
    FROM generate_series(0, 19999) AS i, LATERAL (SELECT i % 7 AS y, CASE WHEN i % 1000 = 500 + i / 1000 % 10 THEN -1 ELSE 1 + i % 13 END AS x, i % 5 AS v) AS f GROUP BY i / 10) AS t;
RESET enable_sort;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT g, linear_regression(y, d, '{"formula": "log(x) + z", "on_failure": "null"}') IS NULL AS failed FROM failing AS d GROUP BY g ORDER BY g;
SET max_parallel_workers_per_gather = 0;
-- PostgreSQL 14 moves each frame, even one that only grows, unless an argument is volatile
SELECT count(*) AS frames, count(m) AS models FROM (SELECT linear_regression(CASE WHEN random() < 2 THEN y END, d, '{"formula": "log(x)", "on_failure": "null"}') OVER (ORDER BY id) AS m FROM failing AS d) AS t;
-- refused as before: without the option, with "error", for other errors, for frames that move
SELECT try($$SELECT linear_regression(y, d, 'log(x)') FROM failing AS d$$);
SELECT try($$SELECT linear_regression(y, d, '{"formula": "log(x)", "on_failure": "error"}') FROM failing AS d$$);
SELECT try($$SELECT linear_regression(y, d, '{"formula": "log(nothing)", "on_failure": "null"}') FROM failing AS d$$);
SELECT try($$SELECT linear_regression(y, f, '{"formula": "w", "on_failure": "null"}') FROM failing AS d, LATERAL (SELECT 1 / (id - 40) AS w) AS f$$);
SELECT try($$SELECT linear_regression(y, d, '{"formula": "log(x)", "on_failure": "null"}') OVER (ORDER BY id ROWS 5 PRECEDING) FROM failing AS d$$);
SELECT linear_regression(y, d, '{"formula": "log(x)", "on_failure": "null"}') IS NOT NULL AS filtered FROM failing AS d WHERE x > 0;
DROP TABLE failing;
