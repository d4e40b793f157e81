-- Table of bench/kernel_approximation.py: a smooth function of ten features.
SELECT setseed(0.5) AS seed \gset
SELECT format('CREATE TABLE kernel_many AS SELECT sin(3 * x[1]) + x[2] * x[3] + bench_normal() / 10 AS y, x FROM (SELECT ARRAY[%s] AS x FROM generate_series(1, greatest(2000, (200000 * %s)::int)) AS i OFFSET 0) AS f',
    (SELECT string_agg('bench_normal()', ', ') FROM generate_series(1, 10)), :scale) \gexec
