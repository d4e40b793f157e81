-- Tables of bench/svm_linear.py: overlapping classes and noisy numbers, of 10 and 200 features.
SELECT setseed(0.5) AS seed \gset
SELECT format('CREATE TABLE svm_deep AS SELECT CASE WHEN f + 2 * bench_normal() > 0 THEN 1 ELSE -1 END AS y, f + bench_normal() AS t, x FROM (SELECT x[1] - 2 * x[2] + x[3] / 2 + x[10] AS f, x '
    'FROM (SELECT ARRAY[%s] AS x FROM generate_series(1, greatest(1000, (200000 * %s)::int)) AS i OFFSET 0) AS r OFFSET 0) AS f',
    (SELECT string_agg('bench_normal()', ', ') FROM generate_series(1, 10)), :scale) \gexec
SELECT format('CREATE TABLE svm_broad AS SELECT CASE WHEN x[1] - 2 * x[2] + x[3] / 2 + x[200] + 2 * bench_normal() > 0 THEN 1 ELSE -1 END AS y, x '
    'FROM (SELECT ARRAY[%s] AS x FROM generate_series(1, greatest(1000, (20000 * %s)::int)) AS i OFFSET 0) AS r',
    (SELECT string_agg('bench_normal()', ', ') FROM generate_series(1, 200)), :scale) \gexec
CREATE TABLE svm_deep_numbers AS SELECT t AS y, x FROM svm_deep;
CREATE TABLE svm_few AS SELECT y, x FROM svm_deep LIMIT 10000;
CREATE TABLE svm_few_numbers AS SELECT t AS y, x FROM svm_deep LIMIT 10000;
