-- Tables of bench/hierarchical.py: rows about 50 centers.
SELECT setseed(0.5) AS seed \gset
CREATE TABLE hierarchical_10 AS
SELECT i AS id, 0::float8 AS y, ARRAY(SELECT (i * j) % 50 / 5.0 + bench_normal() FROM generate_series(1, 10) j) AS x
FROM generate_series(1, :rows / 100) i;
CREATE TABLE hierarchical_2 AS
SELECT i AS id, ARRAY[i % 50 / 5.0 + bench_normal(), i % 7 + bench_normal()] AS x FROM generate_series(1, :rows / 10) i;
