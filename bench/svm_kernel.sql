-- Tables of bench/svm_kernel.py: overlapping classes and noisy numbers of ten features, and images of digits.
SELECT setseed(0.75) AS seed \gset
SELECT format('CREATE TABLE svm_10 AS SELECT CASE WHEN f + bench_normal() / 2 > 0 THEN 1 ELSE -1 END AS y, f + 0.3 * bench_normal() AS t, x FROM (SELECT sin(1.5 * x[1]) + x[2] * x[3] + x[4] / 2 AS f, x '
    'FROM (SELECT ARRAY[%s] AS x FROM generate_series(1, greatest(1000, (20000 * %s)::int)) AS i OFFSET 0) AS r OFFSET 0) AS f',
    (SELECT string_agg('bench_normal()', ', ') FROM generate_series(1, 10)), :scale) \gexec
CREATE TABLE svm_numbers AS SELECT t AS y, x FROM svm_10 LIMIT 5000;
CREATE TABLE svm_train AS SELECT y, x FROM svm_10 LIMIT 2600;
CREATE TABLE svm_models AS SELECT pgfit.svm_classifier(y, x, '{"kernel": "rbf", "gamma": 0.1, "C": 100}'::jsonb) AS m FROM svm_train;
\set pixels `for i in $(seq 64); do printf 'p%d int, ' $i; done`
CREATE TABLE svm_pixels (id int, :pixels y int);
\copy svm_pixels FROM 'test/golden/data/digits.csv' WITH (FORMAT csv, HEADER)
SELECT 'CREATE TABLE svm_digits AS SELECT y, ARRAY[' || (SELECT string_agg('p' || i || ' / 16.0', ', ' ORDER BY i) FROM generate_series(1, 64) AS i) || ']::float8[] AS x FROM svm_pixels' \gexec
