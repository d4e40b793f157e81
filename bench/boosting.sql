-- Tables of bench/boosting.py: numbers that depend on five of ten features, and labels.
SELECT setseed(0.5) AS seed \gset
CREATE TABLE boosting AS
SELECT 10 * sin(pi() * x[1] * x[2]) + 20 * (x[3] - 0.5) ^ 2 + 10 * x[4] + 5 * x[5] + bench_normal() AS y, x
FROM (SELECT ARRAY[random(), random(), random(), random(), random(), random(), random(), random(), random(), random()] AS x FROM generate_series(1, :rows)) AS t;
CREATE TABLE boosting_labels AS SELECT (y + 3 * bench_normal() > 14)::int::float8 AS y, x FROM boosting;
