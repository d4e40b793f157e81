-- Clusters and outliers by density: dbscan, hdbscan, optics, local_outlier_factor.
SET search_path = public, test, pgfit;
CREATE TEMP TABLE u AS SELECT * FROM (VALUES (1, 0.0, 0.0), (2, 0.5, 0.0), (3, 0.0, 0.5), (4, 0.9, 0.3), (5, 5.0, 5.0), (6, 5.0, 5.5), (7, 5.5, 5.0), (8, 5.4, 5.4), (9, 9.0, 0.0), (10, 6.2, 5.4), (11, NULL, 1.0)) AS t(id, a, b);
CREATE TEMP TABLE dense AS SELECT dbscan(id, (a, b), '{"radius": 0.8, "min_samples": 3}'::jsonb) AS m FROM u;
SELECT b.* FROM dense, members(m) b ORDER BY b.id::int;
SELECT jsonb_path_query(info(m), '$.**.core_rows') AS core, jsonb_path_query(info(m), '$.**.noise_rows') AS noise, jsonb_path_query(info(m), '$.**.k') AS k, info(m) -> 'skipped' AS skipped FROM dense;
-- new rows: within the radius of a core row, or NULL; the distance from the nearest core row
SELECT q, cluster(m, q), round(distance(m, q)::numeric, 6) AS distance FROM dense, (VALUES (ARRAY[0.2, 0.2]), (ARRAY[5.1, 5.1]), (ARRAY[6.3, 5.4]), (ARRAY[3.0, 3.0]), (ARRAY[9.0, 0.0])) AS v(q);
-- every row of the fit that is core is in its own cluster as a new row
SELECT bool_and(b.cluster = cluster(m, (a, b2))) FROM dense, members(m) b JOIN (SELECT id, a, b AS b2 FROM u) u ON u.id = b.id::int WHERE kind = 'core';
-- exactly at the radius counts
SELECT string_agg(id || ':' || kind, ' ' ORDER BY id) FROM (SELECT dbscan(i, i, '{"radius": 1, "min_samples": 3}'::jsonb) AS m FROM unnest(ARRAY[1, 2, 3, 5]) i) s, members(m);
SELECT string_agg(id || ':' || kind, ' ' ORDER BY id) FROM (SELECT dbscan(i, i, '{"radius": 0.999, "min_samples": 3}'::jsonb) AS m FROM unnest(ARRAY[1, 2, 3, 5]) i) s, members(m);
-- all noise, all equal, one row
SELECT count(*), count(cluster), min(kind), max(kind) FROM (SELECT dbscan(i, ARRAY[i, i * i], '{"radius": 0.5, "min_samples": 2}'::jsonb) AS m FROM generate_series(1, 20) i) s, members(m);
SELECT cluster(m, ARRAY[1, 1]), distance(m, ARRAY[1, 1]) FROM (SELECT dbscan(i, ARRAY[i, i * i], '{"radius": 0.5, "min_samples": 2}'::jsonb) AS m FROM generate_series(1, 20) i) s;
SELECT count(*), count(DISTINCT cluster), min(kind), max(kind) FROM (SELECT dbscan(i, ARRAY[7, 7], '{"radius": 0.5}'::jsonb) AS m FROM generate_series(1, 300) i) s, members(m);
SELECT b.* FROM (SELECT dbscan(1, 7, '{"radius": 0.5, "min_samples": 1}'::jsonb) AS m) s, members(m) b;
SELECT dbscan(id, (a, b), '{"radius": 1}'::jsonb) IS NULL FROM u WHERE false;
-- weights count as rows: two rows of weight 2 are four rows
SELECT string_agg(id || ':' || kind, ' ' ORDER BY id) FROM (SELECT dbscan(i, i * 0.1, '{"radius": 0.15, "min_samples": 4}'::jsonb, 2) AS m FROM generate_series(1, 2) i) s, members(m);
SELECT string_agg(id || ':' || kind, ' ' ORDER BY id) FROM (SELECT dbscan(i, i * 0.1, '{"radius": 0.15, "min_samples": 4}'::jsonb) AS m FROM generate_series(1, 2) i) s, members(m);
-- any metric, categories, groups, any order of the rows, text and jsonb
SELECT metric, count(*), count(cluster), max(cluster) FROM unnest(ARRAY['manhattan', 'chebyshev', 'cosine', 'mahalanobis', 'hamming']) metric,
       LATERAL (SELECT dbscan(i, ARRAY[i % 7, (i * i) % 5, i % 3 + 1], jsonb_build_object('metric', metric, 'radius', 0.7, 'min_samples', 4)) AS m FROM generate_series(1, 100) i) s, members(m) GROUP BY metric ORDER BY metric;
SELECT b.id, b.cluster, b.kind FROM (SELECT dbscan(i, (c, v), '{"radius": 0.5, "min_samples": 2}'::jsonb) AS m FROM (VALUES (1, 'a'::text, 0.0), (2, 'b', 0.0), (3, 'a', 0.25)) AS t(i, c, v)) s, members(m) b ORDER BY 1;
SELECT count(*), count(DISTINCT m) FROM (SELECT dbscan(id, (a, b), '{"radius": 0.8, "min_samples": 3}'::jsonb ORDER BY k * id % 11) AS m FROM u, generate_series(1, 5) k GROUP BY k) s;
SELECT m = m::text::model, m = m::jsonb::model FROM dense;
-- hdbscan finds clusters of different densities that no radius of dbscan separates
CREATE TEMP TABLE uneven AS SELECT i AS id, CASE WHEN i <= 60 THEN ARRAY[sin(i * 7.1) * 0.2, cos(i * 3.3) * 0.2] WHEN i <= 120 THEN ARRAY[1.5 + sin(i * 7.1) * 0.2, cos(i * 3.3) * 0.2] ELSE ARRAY[20 + sin(i * 7.1) * 6, cos(i * 3.3) * 6] END AS x, (i - 1) / 60 AS g FROM generate_series(1, 180) i;
CREATE TEMP TABLE varied AS SELECT hdbscan(id, x, '{"min_cluster_size": 10, "min_samples": 5}'::jsonb) AS m FROM uneven;
SELECT g, cluster, kind, count(*), round(min(probability)::numeric, 3) AS least, round(max(outlier_score)::numeric, 3) AS most FROM varied, members(m) b JOIN uneven ON uneven.id = b.id::int GROUP BY 1, 2, 3 ORDER BY 1, 2;
SELECT t.part, t.parent, round(t.distance::numeric, 6) AS distance, t.size, round(t.stability::numeric, 4) AS stability, t.cluster FROM varied, cluster_tree(m) t ORDER BY part;
SELECT q, cluster(m, q) FROM varied, (VALUES (ARRAY[0.0, 0.0]), (ARRAY[1.5, 0.1]), (ARRAY[20.0, 1.0]), (ARRAY[0.75, 0.0]), (ARRAY[100.0, 0.0])) AS v(q);
SELECT bool_and(cluster(m, x) IS NOT DISTINCT FROM b.cluster) FROM varied, members(m) b JOIN uneven ON uneven.id = b.id::int WHERE probability > 0.5;
SELECT o, max(cluster), count(cluster) FROM unnest(ARRAY['{}', '{"selection": "leaf"}', '{"radius": 2}', '{"single_cluster": true}', '{"min_samples": 20}', '{"min_cluster_size": 100}', '{"min_cluster_size": 100, "single_cluster": true}']::jsonb[]) WITH ORDINALITY AS p(o, n),
       LATERAL (SELECT hdbscan(id, x, '{"min_cluster_size": 10, "min_samples": 5}'::jsonb || o) AS m FROM uneven) s, members(m) GROUP BY o, n ORDER BY n;
SELECT count(*), count(DISTINCT m) FROM (SELECT hdbscan(id, x ORDER BY k * id % 181) AS m FROM uneven, generate_series(1, 5) k GROUP BY k) s;
SELECT w.cluster IS NOT DISTINCT FROM r.cluster AS same, count(*) FROM (SELECT hdbscan(id, x, '{"min_cluster_size": 20}'::jsonb, 2) AS m FROM uneven) s, members(m) w,
       (SELECT hdbscan(id * 2 + j, x, '{"min_cluster_size": 20}'::jsonb) AS m FROM uneven, generate_series(0, 1) j) t, members(t.m) r WHERE r.id::int / 2 = w.id::int GROUP BY 1;
SELECT count(*), count(cluster) FROM (SELECT hdbscan(i, ARRAY[7, 7]) AS m FROM generate_series(1, 300) i) s, members(m);
SELECT count(*), count(cluster) FROM (SELECT hdbscan(i, ARRAY[7, 7], '{"single_cluster": true}'::jsonb) AS m FROM generate_series(1, 300) i) s, members(m);
SELECT m = m::text::model, m = m::jsonb::model FROM varied;
-- optics: the valleys of the curve are the clusters; a cut at a radius finds those of dbscan
SELECT r.place, r.id, round(r.reachability::numeric, 6) AS reachability, round(r.core_distance::numeric, 6) AS core_distance, r.predecessor FROM (SELECT optics(id, (a, b), '{"min_samples": 3}'::jsonb) AS m FROM u) s, reachability(m) r ORDER BY place;
SELECT count(*) FILTER (WHERE reachability IS NULL) AS parts, count(*) FILTER (WHERE core_distance IS NULL) AS without FROM (SELECT optics(id, (a, b), '{"min_samples": 3, "radius": 0.8}'::jsonb) AS m FROM u) s, reachability(m);
WITH o AS (SELECT r.id, sum(CASE WHEN coalesce(reachability > 0.8, true) THEN 1 ELSE 0 END) OVER (ORDER BY place) AS part FROM (SELECT optics(id, (a, b), '{"min_samples": 3}'::jsonb) AS m FROM u) s, reachability(m) r)
SELECT b.cluster, count(DISTINCT part), count(*) FROM dense, members(m) b JOIN o USING (id) WHERE kind = 'core' GROUP BY 1 ORDER BY 1;
SELECT count(*), count(DISTINCT m) FROM (SELECT optics(id, x ORDER BY k * id % 181) AS m FROM uneven, generate_series(1, 5) k GROUP BY k) s;
-- local outlier factors
CREATE TEMP TABLE odd AS SELECT local_outlier_factor(id, x, '{"k": 10}'::jsonb) AS m FROM (SELECT id, x FROM uneven UNION ALL VALUES (999, ARRAY[0.75, 0.9])) s;
SELECT f.id, round(f.factor::numeric, 4) AS factor, f.label FROM odd, outlier_factors(m) f ORDER BY f.factor DESC LIMIT 3;
SELECT label, count(*) FROM odd, outlier_factors(m) GROUP BY 1 ORDER BY 1;
SELECT q, round(decision(m, q)::numeric, 4) AS factor, classify(m, q) FROM odd, (VALUES (ARRAY[0.0, 0.0]), (ARRAY[0.75, -0.9]), (ARRAY[20.0, 1.0])) AS v(q);
SELECT label, count(*) FROM (SELECT local_outlier_factor(id, x, '{"k": 10, "contamination": 0.1}'::jsonb) AS m FROM uneven) s, outlier_factors(m) GROUP BY 1 ORDER BY 1;
SELECT min(factor), max(factor) FROM (SELECT local_outlier_factor(i, ARRAY[7, 7]) AS m FROM generate_series(1, 300) i) s, outlier_factors(m);
SELECT count(*) FROM (SELECT local_outlier_factor(i, i) AS m FROM generate_series(1, 2) i) s, outlier_factors(m);
SELECT m = m::text::model, m = m::jsonb::model FROM odd;
-- refusals
SET pgfit.fit_mem = '1MB';
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.dbscan(i, i) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.dbscan(i, i, '{"radius": 0}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.dbscan(i, i, '{"radius": -1}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.dbscan(i, i, '{"radius": 1, "min_samples": 0}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.dbscan(i, ARRAY[0, 0], '{"metric": "cosine", "radius": 1}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.dbscan(i, ARRAY['NaN'::float8], '{"radius": 1}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.dbscan(i, ARRAY[i, i], '{"radius": 1}'::jsonb) FROM generate_series(1, 20000) i$$,
    $$SELECT pgfit.hdbscan(i, i, '{"min_cluster_size": 1}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hdbscan(i, i) FROM generate_series(1, 4) i$$,
    $$SELECT pgfit.hdbscan(i, i, '{"selection": "best"}'::jsonb) FROM generate_series(1, 9) i$$,
    $$SELECT pgfit.optics(i, i, '{"radius": 0}'::jsonb) FROM generate_series(1, 9) i$$,
    $$SELECT pgfit.local_outlier_factor(i, i, '{"k": 3}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.local_outlier_factor(i, i) FROM generate_series(1, 1) i$$,
    $$SELECT pgfit.local_outlier_factor(i, i, '{}'::jsonb, 2) FROM generate_series(1, 5) i$$,
    $$SELECT pgfit.local_outlier_factor(i, i, '{"contamination": 0.9}'::jsonb) FROM generate_series(1, 5) i$$,
    $$SELECT * FROM dense, pgfit.cluster_tree(m)$$,
    $$SELECT * FROM varied, pgfit.reachability(m)$$,
    $$SELECT pgfit.cluster(m, ARRAY[1, 2, 3]) FROM dense$$,
    $$SELECT pgfit.predict(m, ARRAY[1, 2]) FROM dense$$,
    $$SELECT replace(m::text, '"core"', '"cord"')::pgfit.model FROM dense$$,
    $$SELECT replace(m::text, '"core":{"u8":[1,', '"core":{"u8":[0,')::pgfit.model FROM dense$$,
    $$SELECT replace(m::text, '"core":{"u8":[1,', '"core":{"u8":[7,')::pgfit.model FROM dense$$,
    $$SELECT replace(m::text, '"clusters":{"i32":[0,', '"clusters":{"i32":[2,')::pgfit.model FROM dense$$,
    $$SELECT regexp_replace(m::text, '"search":.0.8,3.', '"search":[-0.8,3]')::pgfit.model FROM dense$$,
    $$SELECT replace(m::text, '"shape":[15,4]', '"shape":[12,5]')::pgfit.model FROM varied$$]) AS s;
RESET pgfit.fit_mem;

-- "standardize" of features in different units: what rows standardized by hand give, new rows included; metrics that scale refuse it
CREATE TEMP TABLE units AS SELECT id, x[1] * 1000 + 7 AS a, x[2] / 90 AS b, 1 + id % 3 AS w,
       (x[1] * 1000 - avg(x[1] * 1000) OVER ()) / stddev_pop(x[1] * 1000) OVER () AS sa, (x[2] - avg(x[2]) OVER ()) / stddev_pop(x[2]) OVER () AS sb FROM uneven;
SELECT bool_and(x.cluster IS NOT DISTINCT FROM z.cluster AND x.kind = z.kind) AS rows, count(x.cluster) AS clustered, bool_and(cluster(m, (a, b)) IS NOT DISTINCT FROM cluster(hand, (sa, sb)) AND near(distance(m, (a, b)), distance(hand, (sa, sb)), 1e-9)) AS scores
FROM (SELECT dbscan(id, (a, b), '{"radius": 0.2, "standardize": true}'::jsonb) AS m, dbscan(id, (sa, sb), '{"radius": 0.2}'::jsonb) AS hand FROM units) f, members(m) x JOIN members(hand) z USING (id) JOIN units ON units.id = x.id::int;
SELECT bool_and(x.cluster IS NOT DISTINCT FROM z.cluster AND near(x.probability, z.probability, 1e-9) AND near(x.outlier_score, z.outlier_score, 1e-9)) AS rows, count(x.cluster) > 100 AS clustered, bool_and(cluster(m, (a, b)) IS NOT DISTINCT FROM cluster(hand, (sa, sb))) AS scores
FROM (SELECT hdbscan(id, (a, b), '{"min_cluster_size": 9, "standardize": true}'::jsonb) AS m, hdbscan(id, (sa, sb), '{"min_cluster_size": 9}'::jsonb) AS hand FROM units) f, members(m) x JOIN members(hand) z USING (id) JOIN units ON units.id = x.id::int;
SELECT bool_and(near(x.core_distance, z.core_distance, 1e-9)) AS rows
FROM (SELECT optics(id, (a, b), '{"standardize": true}'::jsonb) AS m, optics(id, (sa, sb), '{}'::jsonb) AS hand FROM units) f, reachability(m) x JOIN reachability(hand) z USING (id);
SELECT bool_and(near(x.factor, z.factor, 1e-9) AND x.label = z.label) AS rows, bool_and(near(decision(m, (a + 1, b)), decision(hand, (sa + 1 / sd, sb)), 1e-6)) AS scores
FROM (SELECT local_outlier_factor(id, (a, b), '{"k": 9, "standardize": true}'::jsonb) AS m, local_outlier_factor(id, (sa, sb), '{"k": 9}'::jsonb) AS hand, stddev_pop(a) AS sd FROM units) f, outlier_factors(m) x JOIN outlier_factors(hand) z USING (id) JOIN units ON units.id = x.id::int;
-- weights count in the mean and the standard deviation, as the rows that they stand for
SELECT parameter(weighted, 'metric_scales')::numeric(12, 6)[] = parameter(repeated, 'metric_scales')::numeric(12, 6)[] AS scales, parameter(weighted, 'metric_scales')::numeric(12, 6)[] <> parameter(plain, 'metric_scales')::numeric(12, 6)[] AS weighted
FROM (SELECT dbscan(id, (a, b), '{"radius": 0.2, "standardize": true}'::jsonb, w) AS weighted, dbscan(id, (a, b), '{"radius": 0.2, "standardize": true}'::jsonb) AS plain FROM units) f,
     (SELECT dbscan(id, (a, b), '{"radius": 0.2, "standardize": true}'::jsonb) AS repeated FROM units, generate_series(1, w)) r;
SELECT try($$SELECT hdbscan(id, (a, b), '{"standardize": true, "metric": "standardized_euclidean"}'::jsonb) FROM units$$);
