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
-- many features: rounding of the sum of weights decided by the order of the rows, not of their distances, which rows are core
SELECT width, count(*) FILTER (WHERE kind = 'core') AS core FROM unnest(ARRAY[3, 20]) AS width,
       LATERAL (SELECT dbscan(i, array_fill(i % 4 * 0.1, ARRAY[width]), '{"radius": 9, "min_samples": 1}', (ARRAY[0.1, 0.2, 0.3, 0.4])[1 + i % 4]) AS m FROM generate_series(1, 4) i) s, members(m) GROUP BY 1 ORDER BY 1;
-- many features: equal rows were noise where squares of differences underflow
SELECT kind, count(*), count(DISTINCT cluster) FROM (SELECT dbscan(i * 256 + j, (SELECT array_append(array_agg(CASE WHEN (bit % 3 > 0) = (i % 2 = 0) THEN 3.4e-162 ELSE 0 END), 1) FROM generate_series(1 + i / 2, 40 + i / 2) bit), '{"radius": 3.5e-162, "min_samples": 4}') AS m FROM generate_series(0, 31) i, generate_series(1, 8) j) s, members(m) GROUP BY 1;
-- many features: products take no room that the budget does not have
SET pgfit.fit_mem = '8MB';
SELECT kind, count(*) FROM (SELECT dbscan(i, (SELECT array_agg(i * j % 97) FROM generate_series(1, 4000) j), '{"radius": 1600}') AS m FROM generate_series(1, 60) i) s, members(m) GROUP BY 1;
RESET pgfit.fit_mem;
-- hdbscan finds clusters of different densities that no radius of dbscan separates
CREATE TEMP TABLE uneven AS SELECT i AS id, CASE WHEN i <= 60 THEN ARRAY[sin(i * 7.1) * 0.2, cos(i * 3.3) * 0.2] WHEN i <= 120 THEN ARRAY[1.5 + sin(i * 7.1) * 0.2, cos(i * 3.3) * 0.2] ELSE ARRAY[20 + sin(i * 7.1) * 6, cos(i * 3.3) * 6] END AS x, (i - 1) / 60 AS g FROM generate_series(1, 180) i;
CREATE TEMP TABLE varied AS SELECT hdbscan(id, x, '{"min_cluster_size": 10, "min_samples": 5}'::jsonb) AS m FROM uneven;
SELECT g, cluster, kind, count(*), round(min(probability)::numeric, 3) AS least, round(max(outlier_score)::numeric, 3) AS most FROM varied, members(m) b JOIN uneven ON uneven.id = b.id::int GROUP BY 1, 2, 3 ORDER BY 1, 2;
SELECT t.part, t.parent, round(t.distance::numeric, 6) AS distance, t.size, round(t.stability::numeric, 4) AS stability, t.cluster FROM varied, cluster_tree(m) t ORDER BY part;
SELECT q, cluster(m, q) FROM varied, (VALUES (ARRAY[0.0, 0.0]), (ARRAY[1.5, 0.1]), (ARRAY[20.0, 1.0]), (ARRAY[0.75, 0.0]), (ARRAY[100.0, 0.0])) AS v(q);
SELECT bool_and(cluster(m, x) IS NOT DISTINCT FROM b.cluster) FROM varied, members(m) b JOIN uneven ON uneven.id = b.id::int WHERE probability > 0.5;
SELECT o, max(cluster), count(cluster) FROM unnest(ARRAY['{}', '{"cluster_selection": "leaf"}', '{"radius": 2}', '{"single_cluster": true}', '{"min_samples": 20}', '{"min_cluster_size": 100}', '{"min_cluster_size": 100, "single_cluster": true}']::jsonb[]) WITH ORDINALITY AS p(o, n),
       LATERAL (SELECT hdbscan(id, x, '{"min_cluster_size": 10, "min_samples": 5}'::jsonb || o) AS m FROM uneven) s, members(m) GROUP BY o, n ORDER BY n;
SELECT count(*), count(DISTINCT m) FROM (SELECT hdbscan(id, x ORDER BY k * id % 181) AS m FROM uneven, generate_series(1, 5) k GROUP BY k) s;
SELECT w.cluster IS NOT DISTINCT FROM r.cluster AS same, count(*) FROM (SELECT hdbscan(id, x, '{"min_cluster_size": 20}'::jsonb, 2) AS m FROM uneven) s, members(m) w,
       (SELECT hdbscan(id * 2 + j, x, '{"min_cluster_size": 20}'::jsonb) AS m FROM uneven, generate_series(0, 1) j) t, members(t.m) r WHERE r.id::int / 2 = w.id::int GROUP BY 1;
-- a row as heavy as min_cluster_size lasted for ever, where as many equal rows fall apart at their core distance
SELECT o, count(*), count(DISTINCT (w.cluster, r.cluster)) FILTER (WHERE w.cluster > 0) = max(w.cluster) AND max(w.cluster) = max(r.cluster) AS same_clusters,
       bool_and((w.cluster IS NULL) = (r.cluster IS NULL) AND abs(w.probability - r.probability) < 1e-9 AND abs(w.outlier_score - r.outlier_score) < 1e-9) AS same_scores
FROM unnest(ARRAY['{"min_samples": 4, "min_cluster_size": 3}', '{"min_samples": 2, "min_cluster_size": 3}', '{"min_samples": 4, "min_cluster_size": 3, "cluster_selection": "leaf"}']::jsonb[]) AS o,
     LATERAL (SELECT hdbscan(id, x[1], o, 1 + id % 3) AS m FROM uneven WHERE id % 5 = 0) AS s, members(s.m) AS w,
     LATERAL (SELECT hdbscan(id * 3 + j, x[1], o) AS m FROM uneven, generate_series(0, id % 3) AS j WHERE id % 5 = 0) AS t, members(t.m) AS r
WHERE r.id::int / 3 = w.id::int GROUP BY o ORDER BY o;
-- cluster() counted rows, not their weights: rows of the fit itself came out as noise
SELECT count(*), count(cluster(s.m, x[1])) AS clustered, count(*) FILTER (WHERE (cluster(s.m, x[1]) IS NULL) <> (cluster(t.m, x[1]) IS NULL)) AS different, count(DISTINCT (cluster(s.m, x[1]), cluster(t.m, x[1]))) = 1 + max(cluster(t.m, x[1])) AS same
FROM (SELECT hdbscan(id, x[1], '{"min_samples": 4, "min_cluster_size": 6}', 1 + id % 3) AS m FROM uneven WHERE id % 5 = 0) AS s,
     (SELECT hdbscan(id * 3 + j, x[1], '{"min_samples": 4, "min_cluster_size": 6}') AS m FROM uneven, generate_series(0, id % 3) AS j WHERE id % 5 = 0) AS t, uneven;
SELECT m = m::text::model AS text, m = m::jsonb::model AS jsonb FROM (SELECT hdbscan(id, x, '{"min_cluster_size": 6}', 0.5 + id % 3) AS m FROM uneven) AS s;
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
-- a tree as deep as it has clusters: those that part below the radius join in one pass, which once took the square of their number
CREATE TEMP TABLE pairs AS SELECT 2 * p + j AS id, p::float8 * p / 2 + j * 0.3 AS x FROM generate_series(1, 60000) AS p, generate_series(0, 1) AS j;
SELECT jsonb_path_query(info(m), '$.**.k') AS k FROM (SELECT hdbscan(id, x, '{"min_cluster_size": 2, "min_samples": 1, "cluster_selection": "leaf", "radius": 1e9}'::jsonb) AS m FROM pairs) AS fit;
SELECT jsonb_path_query(info(m), '$.**.k') AS k FROM (SELECT hdbscan(id, x, '{"min_cluster_size": 2, "min_samples": 1, "cluster_selection": "leaf", "radius": 1000}'::jsonb) AS m FROM pairs) AS fit;
DROP TABLE pairs;
-- "standardize" was refused here, though every other method with a metric has it: the same clusters as of rows scaled before, in the fit and of new rows
CREATE TEMP TABLE scaled AS SELECT standard_scaler((a, b * 1000)) AS s FROM u WHERE a IS NOT NULL;
SELECT method, count(*), bool_and(x.cluster IS NOT DISTINCT FROM y.cluster AND x.kind = y.kind) AS same_members,
       bool_and(cluster(p.m, (a, b * 1000)) IS NOT DISTINCT FROM cluster(q.m, transform(s, (a, b * 1000)))) AS same_scores
FROM (SELECT 'dbscan' AS method, dbscan(id, (a, b * 1000), '{"radius": 0.3, "min_samples": 3, "standardize": true}') AS m FROM u
      UNION ALL SELECT 'hdbscan', hdbscan(id, (a, b * 1000), '{"min_cluster_size": 3, "standardize": true}') FROM u) AS p
JOIN (SELECT 'dbscan' AS method, dbscan(id, transform(s, (a, b * 1000)), '{"radius": 0.3, "min_samples": 3}') AS m FROM u, scaled
      UNION ALL SELECT 'hdbscan', hdbscan(id, transform(s, (a, b * 1000)), '{"min_cluster_size": 3}') FROM u, scaled) AS q USING (method),
     scaled, members(p.m) AS x, members(q.m) AS y, u WHERE x.id = y.id AND u.id = x.id::int GROUP BY method ORDER BY method;
SELECT bool_and(abs(x.core_distance - y.core_distance) < 1e-9) AS same_distances, count(*)
FROM (SELECT optics(id, (a, b * 1000), '{"min_samples": 3, "standardize": true}') AS m FROM u) AS p,
     (SELECT optics(id, transform(s, (a, b * 1000)), '{"min_samples": 3}') AS m FROM u, scaled) AS q,
     reachability(p.m) AS x, reachability(q.m) AS y WHERE x.id = y.id;
SELECT bool_and(abs(x.factor - y.factor) < 1e-9) AS same_factors, bool_and(abs(decision(p.m, (a, b * 1000)) - decision(q.m, transform(s, (a, b * 1000)))) < 1e-9) AS same_scores
FROM (SELECT local_outlier_factor(id, (a, b * 1000), '{"k": 3, "standardize": true}') AS m FROM u) AS p,
     (SELECT local_outlier_factor(id, transform(s, (a, b * 1000)), '{"k": 3}') AS m FROM u, scaled) AS q,
     scaled, outlier_factors(p.m) AS x, outlier_factors(q.m) AS y, u WHERE x.id = y.id AND u.id = x.id::int;
SELECT m = m::text::model AS text, m = m::jsonb::model AS jsonb FROM (SELECT dbscan(id, (a, b * 1000), '{"radius": 0.3, "min_samples": 3, "standardize": true}') AS m FROM u) AS t;
SELECT test.try($$SELECT dbscan(id, (a, b), '{"radius": 1, "metric": "mahalanobis", "standardize": true}') FROM u$$);
-- local outlier factors do not depend on the unit
SELECT unit, round(max(factor)::numeric, 6) AS factor, count(*) FILTER (WHERE label = 'out') AS out
FROM (VALUES (1::float8), (1e-13), (1e13)) AS v(unit), LATERAL (SELECT local_outlier_factor(i, unit * CASE WHEN i = 21 THEN 60 ELSE i + 0.3 * sin(i) END, '{"k": 5}') AS m FROM generate_series(1, 21) AS i) AS f,
     outlier_factors(m) GROUP BY unit ORDER BY unit;
-- more than k equal rows are infinitely dense: factor 1 among themselves, huge next to them, and the same in any unit
SELECT unit, round(min(factor)::numeric, 6) AS least, count(*) FILTER (WHERE factor > 1e9) AS huge, classify(m, 7 * unit) AS equal, classify(m, 7.5 * unit) AS other
FROM (VALUES (1::float8), (1e-13)) AS v(unit), LATERAL (SELECT local_outlier_factor(i, unit * CASE WHEN i <= 8 THEN 7 ELSE i END, '{"k": 3}') AS m FROM generate_series(1, 12) AS i) AS f,
     outlier_factors(m) GROUP BY unit, m ORDER BY unit;
SELECT classify(m, 1e-13) AS equal, classify(m, 2e-13) AS other FROM (SELECT local_outlier_factor(i, 1e-13, '{"k": 3}') AS m FROM generate_series(1, 9) AS i) AS f;
