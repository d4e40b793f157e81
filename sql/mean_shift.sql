-- Clusters around modes: mean_shift.
SET search_path = public, test, pgfit;
CREATE TEMP TABLE u AS SELECT * FROM (VALUES (1, 1.0, 1.0), (2, 2.0, 1.0), (3, 1.0, 0.0), (4, 4.0, 7.0), (5, 3.0, 5.0), (6, 3.0, 6.0), (7, NULL, 1.0)) AS t(id, a, b);
CREATE TEMP TABLE shifted AS SELECT mean_shift((a, b), '{"bandwidth": 2}') AS m FROM u;
SELECT centroid, class, term, round(value::numeric, 6) AS value FROM shifted, centroids(m) AS c;
SELECT info(m) -> 'statistics' AS statistics, info(m) -> 'skipped' AS skipped, parameter(m, 'intensities') AS intensities, parameter(m, 'sizes') AS sizes FROM shifted;
SELECT id, cluster(m, (a, b)), round(distance(m, (a, b))::numeric, 6) AS distance FROM u, shifted ORDER BY id;
SELECT cluster(m, ROW(100, 100)), round(distance(m, ROW(100, 100))::numeric, 6) AS distance, round((distances(m, ROW(100, 100)))[2]::numeric, 6) AS second FROM shifted;
SELECT m = m::text::model AS text, m = m::jsonb::model AS jsonb FROM shifted;
-- rows far from all modes: in the nearest cluster, or noise
CREATE TEMP TABLE stray AS SELECT mean_shift((a, b), '{"bandwidth": 1.5, "cluster_all": false, "bin_seeding": true, "min_bin_weight": 2}') AS m FROM (SELECT a, b FROM u UNION ALL VALUES (20, 20)) AS t;
SELECT info(m) -> 'statistics' AS statistics, cluster(m, ROW(20, 20)), cluster(m, ROW(1, 1)) FROM stray;
-- the bandwidth as scikit-learn estimates it: of 10 rows the third nearest, itself included
SELECT info(mean_shift(x::float8)) -> 'statistics' ->> 'bandwidth' AS bandwidth, info(mean_shift(x::float8, '{"bandwidth_quantile": 0.5}'::jsonb)) -> 'statistics' ->> 'bandwidth' AS half,
       info(mean_shift(x::float8, '{"bandwidth_quantile": 1}'::jsonb)) -> 'statistics' ->> 'bandwidth' AS farthest,
       info(mean_shift(x::float8, '{"bandwidth_rows": 5}'::jsonb)) -> 'statistics' ->> 'bandwidth' AS of_five FROM generate_series(1, 10) AS x;
-- weights are counts
CREATE TEMP TABLE clouds AS SELECT i, 4 * (i % 3) + sin(i) AS a, cos(i * i) - 3 * (i % 3) AS b, 1 + i % 4 AS w FROM generate_series(1, 90) AS i;
SELECT max(abs(x - y)) < 1e-12 AS same_modes, (info(p) #>> '{statistics,bandwidth}')::float8 - (info(q) #>> '{statistics,bandwidth}')::float8 < 1e-12 AS same_bandwidth, count(*)
FROM (SELECT mean_shift((a, b), '{}'::jsonb, w) AS p FROM clouds) AS t, (SELECT mean_shift((a, b)) AS q FROM clouds, generate_series(1, w)) AS s,
     unnest(parameter(p, 'centroids'), parameter(q, 'centroids')) AS v(x, y) GROUP BY p, q;
-- the order of rows does not matter
SELECT count(DISTINCT m) FROM (SELECT mean_shift((a, b), '{"bandwidth": 1}' ORDER BY k * i % 97) AS m FROM clouds, generate_series(1, 5) AS k GROUP BY k) AS t;
-- min_bin_weight was ignored where each row has a cell of its own: lighter rows were seeds too
SELECT jsonb_path_query(info(mean_shift(x * 10, '{"bandwidth": 1, "bin_seeding": true, "min_bin_weight": 2, "cluster_all": false}', x % 3 + 1)), '$.**.k') AS k FROM generate_series(1, 9) AS x;
-- standardized: the clusters of rows scaled before
SELECT bool_and(cluster(p, (a, b * 1000)) = cluster(q, transform(s, (a, b * 1000)))) AS same, count(DISTINCT cluster(q, transform(s, (a, b * 1000)))) AS clusters
FROM (SELECT mean_shift((a, b * 1000), '{"standardize": true, "bandwidth": 0.6}') AS p, standard_scaler((a, b * 1000)) AS s FROM clouds) AS t,
     LATERAL (SELECT mean_shift(transform(s, (a, b * 1000)), '{"bandwidth": 0.6}') AS q FROM clouds) AS r, clouds;
-- edges: one row, equal rows, a constant feature, huge and tiny numbers
SELECT info(mean_shift(x)) -> 'statistics' AS statistics FROM (VALUES (7.0)) AS t(x);
SELECT info(mean_shift(ARRAY[3, 4])) -> 'statistics' AS statistics FROM generate_series(1, 50);
SELECT jsonb_path_query(info(mean_shift((i % 2 * 10 + i, 5), '{"bandwidth": 8}')), '$.**.k') AS k FROM generate_series(1, 6) AS i;
SELECT parameter(mean_shift(x * 1e299, '{"bandwidth": 3e299}'::jsonb), 'centroids') AS huge, parameter(mean_shift(x * 1e-300, '{"bandwidth": 3e-300}'::jsonb), 'sizes') AS tiny
FROM unnest(ARRAY[1.0, 2, 9, 10]) AS x;
SELECT mean_shift(x) IS NULL AS no_rows FROM generate_series(1, 0) AS x;
SELECT jsonb_path_query(info(mean_shift((a, b), '{"bandwidth": 1, "max_iter": 1}')), '$.**.k') > '1' AS stopped FROM clouds;
-- refusals
SET pgfit.fit_mem = '1MB';
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.mean_shift(i, '{"bandwidth": 0}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.mean_shift(i, '{"bandwidth": "wide"}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.mean_shift(i, '{"bandwidth_quantile": 1.5}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.mean_shift(i, '{"metric": "manhattan"}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.mean_shift(i, '{"bin_seeding": true, "bandwidth": 1, "min_bin_weight": 10}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.mean_shift(i % 2) FROM generate_series(1, 10) i$$,
    $$SELECT pgfit.mean_shift(ROW('x')) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.mean_shift('NaN'::float8) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.mean_shift(ARRAY[i, i]) FROM generate_series(1, 20000) i$$,
    $$SELECT pgfit.cluster(m, ROW(1, 2, 3)) FROM shifted$$,
    $$SELECT pgfit.predict(m, ROW(1, 2)) FROM shifted$$,
    $$SELECT pgfit.members(m) FROM shifted$$,
    $$SELECT replace(m::text, '"search":[2,', '"search":[-2,')::pgfit.model FROM shifted$$,
    $$SELECT regexp_replace(m::text, '"sizes":\[[^]]*\]', '"sizes":[1]')::pgfit.model FROM shifted$$,
    $$SELECT replace(m::text, '"intensities"', '"intensity"')::pgfit.model FROM shifted$$]) AS s;
RESET pgfit.fit_mem;
-- cells so narrow that their numbers overflow crashed the server
SELECT try($$SELECT pgfit.mean_shift((i * 1e150, i), '{"bin_seeding": true, "bandwidth": 1e-300, "min_bin_weight": 0}'::jsonb) FROM generate_series(1, 3) i$$);
