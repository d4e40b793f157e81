-- Tables of bench/boosting.py: numbers that depend on five of ten features, and labels.
SELECT setseed(0.5) AS seed \gset
CREATE TABLE boosting AS
SELECT 10 * sin(pi() * x[1] * x[2]) + 20 * (x[3] - 0.5) ^ 2 + 10 * x[4] + 5 * x[5] + bench_normal() AS y, x
FROM (SELECT ARRAY[random(), random(), random(), random(), random(), random(), random(), random(), random(), random()] AS x FROM generate_series(1, :rows)) AS t;
CREATE TABLE boosting_labels AS SELECT (y + 3 * bench_normal() > 14)::int::float8 AS y, x FROM boosting;
SET pgfit.fit_mem = '1GB';
CREATE TABLE boosting_model AS
SELECT pgfit.boosted_trees_regression(y, x, '{"max_depth": 6, "min_samples_leaf": 1}') AS m FROM (SELECT y, x FROM boosting LIMIT 100000) AS t;
