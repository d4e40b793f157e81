-- Table of bench/kernel_kmeans.py: twenty clusters that overlap.
SELECT setseed(0.25) AS seed \gset
CREATE TABLE kernel_kmeans_centers AS
SELECT g, ARRAY(SELECT random() * 10 FROM generate_series(1, 8) WHERE g = g) AS c FROM generate_series(0, 19) AS g;
SELECT format('CREATE TABLE %s AS SELECT g::float8 AS y, ARRAY[%s] AS x FROM generate_series(1, greatest(200, (%s * %s)::int)) AS i JOIN kernel_kmeans_centers ON g = i %% 20', name,
    (SELECT string_agg(format('c[%s] + 2 * bench_normal()', j), ', ') FROM generate_series(1, 8) AS j), n, :scale)
FROM (VALUES ('kernel_kmeans_8', 2000)) AS t (name, n) \gexec
