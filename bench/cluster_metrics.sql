-- Tables of bench/cluster_metrics.py: twenty clusters that overlap.
SELECT setseed(0.25) AS seed \gset
CREATE TABLE cluster_metrics_centers AS
SELECT g, ARRAY(SELECT random() * 10 FROM generate_series(1, 8) WHERE g = g) AS c FROM generate_series(0, 19) AS g;
SELECT format('CREATE TABLE %s AS SELECT g::float8 AS y, ARRAY[%s] AS x FROM generate_series(1, greatest(200, (%s * %s)::int)) AS i JOIN cluster_metrics_centers ON g = i %% 20', name,
    (SELECT string_agg(format('c[%s] + 2 * bench_normal()', j), ', ') FROM generate_series(1, 8) AS j), n, :scale)
FROM (VALUES ('cluster_metrics_few', 20000), ('cluster_metrics_many', 100000)) AS t (name, n) \gexec
