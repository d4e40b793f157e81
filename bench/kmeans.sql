-- Tables of bench/kmeans.py: ten clusters that overlap or are well separated, and one hundred in 64 dimensions.
SELECT setseed(0.5) AS seed \gset
CREATE TABLE kmeans_centers AS
SELECT g, ARRAY(SELECT random() * 10 FROM generate_series(1, 64) WHERE g = g) AS c FROM generate_series(0, 99) AS g;
SELECT format('CREATE TABLE %s AS SELECT 0::float8 AS y, ARRAY[%s] AS x FROM generate_series(1, %s) AS i JOIN kmeans_centers ON g = i %% %s', name,
    (SELECT string_agg(format('c[%s] + %s * bench_normal()', j, spread), ', ') FROM generate_series(1, dims) AS j), n, clusters)
FROM (VALUES ('kmeans_separated', 8, 10, 0.5, :rows), ('kmeans_overlapping', 8, 10, 4.0, :rows), ('kmeans_wide', 64, 100, 3.0, :rows / 10)) AS t(name, dims, clusters, spread, n) \gexec
CREATE TABLE kmeans_starts AS
SELECT 'kmeans_separated' AS name, 10 AS k, (SELECT jsonb_agg(x) FROM (SELECT x FROM kmeans_separated LIMIT 10) s) AS init
UNION ALL SELECT 'kmeans_overlapping', 10, (SELECT jsonb_agg(x) FROM (SELECT x FROM kmeans_overlapping LIMIT 10) s)
UNION ALL SELECT 'kmeans_overlapping', 100, (SELECT jsonb_agg(x) FROM (SELECT x FROM kmeans_overlapping LIMIT 100) s)
UNION ALL SELECT 'kmeans_wide', 100, (SELECT jsonb_agg(x) FROM (SELECT x FROM kmeans_wide LIMIT 100) s);
