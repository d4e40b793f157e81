-- Table of bench/density.py: rows about 20 centers.
SELECT setseed(0.5) AS seed \gset
CREATE TABLE density_8 AS
SELECT i AS id, 0::float8 AS y, ARRAY(SELECT sin(i % 20 * (j + 1) * 1.7) * 8 + bench_normal() * 2 FROM generate_series(1, 8) j) AS x
FROM generate_series(1, :rows / 10) i;
