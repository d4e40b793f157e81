-- Distances as given: matrices of them, the methods that take them, and mds.
SET search_path = public, test, pgfit;
CREATE TEMP TABLE cloud AS SELECT i, ARRAY[sin(i * 7.1), cos(i * 3.3) * 2, sin(i * i)] AS x FROM generate_series(1, 60) i;
CREATE TEMP TABLE near AS SELECT a.i AS a, b.i AS b, euclidean_distance(a.x, b.x) AS d FROM cloud a, cloud b WHERE a.i < b.i;
CREATE TEMP TABLE given AS SELECT distance_matrix(a, b, d) AS m FROM near;
SELECT info(m) - 'implementation' AS info FROM given;
SELECT m = m::text::model AND m = m::jsonb::model AS round_trip FROM given;
-- the order of rows, the order of a pair, both orders, and zeros on the diagonal make no difference
SELECT parameter(o, 'distances') = parameter(m, 'distances') AS same FROM given, (SELECT distance_matrix(a, b, d ORDER BY md5(a || ' ' || b)) AS o FROM near) t;
SELECT parameter(o, 'distances') = parameter(m, 'distances') AS same FROM given, (SELECT distance_matrix(b, a, d) AS o FROM near) t;
SELECT parameter(o, 'distances') = parameter(m, 'distances') AS same FROM given, (SELECT distance_matrix(a, b, d) AS o FROM (SELECT a, b, d FROM near UNION ALL SELECT b, a, d FROM near UNION ALL SELECT i, i, 0 FROM cloud) u) t;
SELECT distance_matrix(a, b, d) IS NULL AS none FROM near WHERE false;
SELECT info(distance_matrix(a, b, d)) -> 'skipped' AS skipped FROM (SELECT a, b, d FROM near UNION ALL SELECT 1, NULL, 2 UNION ALL SELECT NULL, 2, 3 UNION ALL SELECT 1, 2, NULL) u;
SELECT distance_matrix('x'::text, 'x'::text, 0)::jsonb -> 'arrays' AS one;
SELECT b % 2 AS g, info(distance_matrix(a, b, d)) #> '{statistics,objects}' AS objects FROM near WHERE a % 2 = b % 2 GROUP BY 1 ORDER BY 1;
-- distances of rows, given, lead to the same results
SELECT l, bool_and(near(p.height, q.height, 1e-12)) AS heights, bool_and((p.size, p.a IS NULL, p.b IS NULL) = (q.size, q.a IS NULL, q.b IS NULL)) AS merges
FROM unnest(ARRAY['average', 'complete', 'mcquitty', 'single', 'ward', 'ward.D']) l, given, LATERAL (SELECT hierarchical(i, x, jsonb_build_object('linkage', l)) AS r FROM cloud) s, LATERAL (SELECT hierarchical(m, jsonb_build_object('linkage', l)) AS g) t,
     dendrogram_merges(r) p JOIN LATERAL dendrogram_merges(g) q USING (merge) GROUP BY l ORDER BY l;
SELECT bool_and(near(p.height, q.height)) AS cophenetic FROM given, (SELECT hierarchical(i, x) AS r FROM cloud) s, cophenetic(r) p JOIN LATERAL cophenetic(hierarchical(m)) q ON (least(p.a, p.b), greatest(p.a, p.b)) = (least(q.a, q.b), greatest(q.a, q.b)) WHERE p.a < '2';
SELECT near((info(hierarchical(m, '{"cophenetic": true}')) #>> '{statistics,cophenetic_correlation}')::float8, (info(r) #>> '{statistics,cophenetic_correlation}')::float8) AS correlation FROM given, (SELECT hierarchical(i, x, '{"cophenetic": true}') AS r FROM cloud) s;
SELECT k, s, near((info(kmedoids(m, k, o)) #>> '{statistics,cost}')::float8, (info(r) #>> '{statistics,cost}')::float8) AS cost
FROM given, unnest(ARRAY[1, 2, 5, 60]) k, unnest(ARRAY['best', 'eager']) s, LATERAL (SELECT jsonb_build_object('swap', s, 'n_init', 10) AS o) c, LATERAL (SELECT kmedoids(x, k, o) AS r FROM cloud) t ORDER BY 1, 2;
SELECT count(*) = 60 AS members, count(DISTINCT cluster) AS clusters, count(*) FILTER (WHERE kind = 'medoid') AS medoids FROM given, members(kmedoids(m, 4));
SELECT bool_and(near(c.d, o.d)) AS nearest FROM (SELECT kmedoids(m, 4) AS k FROM given) s, members(k) AS p, LATERAL (SELECT min(euclidean_distance(u.x, v.x)) FILTER (WHERE cluster = p.cluster) AS d, min(euclidean_distance(u.x, v.x)) AS o FROM cloud u, cloud v, medoids(k) w WHERE u.i = p.id::int AND v.i = w.id::int) c, LATERAL (SELECT c.o AS d) o;
SELECT bool_and(p.cluster IS NOT DISTINCT FROM q.cluster AND p.kind = q.kind) AS dbscan FROM given, (SELECT dbscan(i, x, '{"radius": 0.8}') AS r FROM cloud) s, members(r) p JOIN LATERAL members(dbscan(m, '{"radius": 0.8}')) q USING (id);
SELECT bool_and((p.cluster IS NULL) = (q.cluster IS NULL) AND near(p.probability, q.probability) AND near(p.outlier_score, q.outlier_score)) AS hdbscan FROM given, (SELECT hdbscan(i, x) AS r FROM cloud) s, members(r) p JOIN LATERAL members(hdbscan(m)) q USING (id);
SELECT bool_and(near(p.factor, q.factor)) AS factors FROM given, (SELECT local_outlier_factor(i, x) AS r FROM cloud) s, outlier_factors(r) p JOIN LATERAL outlier_factors(local_outlier_factor(m)) q USING (id);
SELECT count(*) AS places, bool_and(near(p.core_distance, q.core_distance)) AS core_distances FROM given, (SELECT optics(i, x) AS r FROM cloud) s, reachability(r) p JOIN LATERAL reachability(optics(m)) q USING (id);
SELECT (SELECT id::int FROM medoids(medoid(m))) = (SELECT i FROM cloud WHERE x = (SELECT parameter(medoid(x), 'center') FROM cloud)) AS medoid FROM given;
SELECT left(summary(hierarchical(m)), 44) FROM given;
-- silhouettes of clusters of given distances, with ids
CREATE TEMP TABLE clusters AS SELECT id::int, cluster FROM given, cut(hierarchical(m, '{"linkage": "complete"}'), 5);
SELECT near(silhouette(m, c), s) AS mean, near((SELECT avg(silhouette) FROM unnest(silhouettes(m, c))), s) AS mean_of_all FROM given, (SELECT jsonb_object_agg(id, cluster) AS c FROM clusters) j, (SELECT silhouette(cluster, x) AS s FROM clusters, cloud WHERE i = id) r;
SELECT count(*), bool_and(near(p.own, q.own) AND near(p.other, q.other) AND near(p.silhouette, q.silhouette) AND p.cluster = q.cluster) AS same FROM given, (SELECT jsonb_object_agg(id, cluster) AS c FROM clusters) j, unnest(silhouettes(m, c)) p
JOIN unnest((SELECT silhouettes(cluster, f, '{"id_column": "id"}') FROM (SELECT cluster, (SELECT r FROM (SELECT id, x[1] AS a, x[2] AS b, x[3] AS c) r) AS f FROM clusters, cloud WHERE i = id) t)) q USING (id);
SELECT count(*) AS labeled FROM given, unnest(silhouettes(m, '{"1": "a", "2": "b", "3": "a", "4": null}'));
SELECT silhouette(m, '{"1": "a", "2": "a"}') AS one_cluster, silhouette(m, '{}') AS none, silhouette(m, NULL) AS unknown FROM given;
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.silhouette(m, '{"99": 1}') FROM given$$,
    $$SELECT pgfit.silhouette(m, '[1, 2]') FROM given$$,
    $$SELECT pgfit.silhouette(m, '{"1": [1]}') FROM given$$,
    $$SELECT pgfit.silhouette(pgfit.medoid(x), '{"1": 1}') FROM cloud$$,
    $$SELECT pgfit.silhouettes(i % 2, (i, x), '{"id_column": "nr"}') FROM cloud$$]) AS s;
-- infinite distances: parts that nothing connects
CREATE TEMP TABLE islands AS SELECT distance_matrix(a, b, d, '{"missing_pairs": "infinity"}') AS m FROM (VALUES ('a'::text, 'b'::text, 1.0), ('b', 'c', 1.5), ('a', 'c', 2), ('d', 'e', 1), ('a', 'd', 'Infinity')) AS t(a, b, d);
SELECT info(m) -> 'statistics' AS statistics FROM islands;
SELECT l, t.* FROM islands, unnest(ARRAY['average', 'complete', 'single']) l, LATERAL (SELECT hierarchical(m, jsonb_build_object('linkage', l)) AS h) s, LATERAL (SELECT merge, a, b, id_a, id_b, height, size FROM dendrogram_merges(h)) t ORDER BY l, merge;
SELECT h = h::text::model AND h = h::jsonb::model AS round_trip FROM islands, LATERAL (SELECT hierarchical(m) AS h) s;
SELECT id, cluster FROM islands, cut_height(hierarchical(m), 1e6) ORDER BY 1;
SELECT id, cluster, kind FROM islands, members(kmedoids(m, 2)) ORDER BY 1;
SELECT cluster, id, term, value, level FROM islands, medoids(kmedoids(m, 2)) ORDER BY 1;
SELECT id, own, other, silhouette FROM islands, unnest(silhouettes(m, '{"a": 1, "b": 1, "c": 1, "d": 2, "e": 3}')) ORDER BY 1;
SELECT id, cluster, kind FROM islands, members(dbscan(m, '{"radius": 1.2, "min_samples": 2}')) ORDER BY 1;
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.kmedoids(m, 1) FROM islands$$,
    $$SELECT pgfit.mds(m) FROM islands$$,
    $$SELECT pgfit.hierarchical(m, '{"linkage": "mcquitty"}') FROM islands$$,
    $$SELECT pgfit.medoid(m) FROM islands$$]) AS s;
-- merges along given pairs alone: a path of objects
CREATE TEMP TABLE path AS SELECT distance_matrix(i, i + 1, d, '{"missing_pairs": "infinity"}') AS m FROM (VALUES (1, 1.0), (2, 2.5), (3, 1.25), (4, 4), (5, 0.5), (7, 1)) AS t(i, d);
SELECT l, t.merge, t.a, t.b, t.id_a, t.id_b, t.height FROM path, unnest(ARRAY['average', 'complete', 'single']) l, LATERAL (SELECT hierarchical(m, jsonb_build_object('linkage', l, 'connectivity', 'given')) AS h) s, dendrogram_merges(h) t ORDER BY l, t.merge;
SELECT bool_and(near(p.height, q.height)) AS all_are_neighbors FROM given, LATERAL (SELECT hierarchical(m, '{"connectivity": "given"}') AS s, hierarchical(m, '{"connectivity": 59}') AS t) f, dendrogram_merges(s) p JOIN LATERAL dendrogram_merges(t) q USING (merge);
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.hierarchical(m, '{"connectivity": "given", "linkage": "ward"}') FROM path$$,
    $$SELECT pgfit.hierarchical(m, '{"connectivity": "given", "cophenetic": true}') FROM path$$]) AS s;
-- lists that are no matrix
SELECT try(format($$SELECT pgfit.distance_matrix(a, b, d, %L::jsonb) FROM (VALUES %s) AS t(a, b, d)$$, o, v)) FROM (VALUES
    ('{}', '(1, 2, 1.0), (1, 2, 1.0)'), ('{}', '(1, 2, 1.0), (2, 1, 1.0), (2, 1, 1.0)'), ('{}', '(1, 2, 1.0), (2, 1, 1.5)'), ('{}', '(1, 2, 1.0), (2, 2, 0), (2, 2, 0)'),
    ('{}', '(1, 2, -1.0)'), ('{}', $$(1, 2, 'NaN'::float8)$$), ('{}', $$(1, 2, 'Infinity'::float8)$$), ('{"missing_pairs": "infinity"}', $$(1, 2, '-Infinity'::float8)$$), ('{}', '(1, 1, 0.5)'),
    ('{}', '(1, 2, 1.0), (2, 3, 1.0)'), ('{}', '(1, 2, 1.0), (3, 3, 0)'), ('{"missing_pairs": "infinity"}', '(1, 2, 1.0), (3, 3, 0)'),
    ('{"missing": "zero"}', '(1, 2, 1.0)'), ('{"mising": "error"}', '(1, 2, 1.0)')) AS t(o, v);
SELECT try($$SELECT pgfit.distance_matrix(1, 'x'::text, 2)$$);
SELECT try($$SELECT pgfit.distance_matrix(repeat('é', 50) || i, 'b'::text, -i) FROM generate_series(1, 1) i$$);
SET pgfit.fit_mem = '1MB';
SELECT try($$SELECT pgfit.distance_matrix(i, 0, 1, '{"missing_pairs": "infinity"}') FROM generate_series(1, 600) i$$);
SELECT try($$SELECT pgfit.hierarchical(m) FROM (SELECT pgfit.distance_matrix(i, 0, 1, '{"missing_pairs": "infinity"}') AS m FROM generate_series(1, 400) i) t$$);
RESET pgfit.fit_mem;
-- what given distances have no use for
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.hierarchical(m, '{"linkage": "centroid"}') FROM given$$,
    $$SELECT pgfit.hierarchical(m, '{"metric": "manhattan"}') FROM given$$,
    $$SELECT pgfit.kmedoids(m, 3, '{"standardize": true}') FROM given$$,
    $$SELECT pgfit.kmedoids(m, 3, 'a + b') FROM given$$,
    $$SELECT pgfit.kmedoids(m, 3, '{"init": [[1], [2], [3]]}') FROM given$$,
    $$SELECT pgfit.kmedoids(m, 3, '{"k": 4}') FROM given$$,
    $$SELECT pgfit.kmedoids(m, 61) FROM given$$,
    $$SELECT pgfit.dbscan(m, '{}') FROM given$$,
    $$SELECT pgfit.hierarchical(pgfit.medoid(x)) FROM cloud$$,
    $$SELECT pgfit.hierarchical(pgfit.feature_moments(x)) FROM cloud$$,
    $$SELECT pgfit.cluster(pgfit.kmedoids(m, 3), 1) FROM given$$,
    $$SELECT pgfit.transform(pgfit.mds(m), 1) FROM given$$,
    $$SELECT pgfit.members(pgfit.kmedoids(x, 3)) FROM cloud$$,
    $$SELECT pgfit.predict(m, 1) FROM given$$]) AS s;
SELECT pgfit.hierarchical(NULL::pgfit.model) IS NULL AND pgfit.kmedoids(NULL::pgfit.model, 3) IS NULL AS nulls;
-- values typed by hand
SELECT try(format('SELECT %L::pgfit.model', jsonb_set(m::jsonb, '{arrays,distances}', d::jsonb))) FROM (SELECT distance_matrix(a, b, d) AS m FROM (VALUES (1, 2, 1.0), (1, 3, 2.0), (2, 3, 1.5)) AS t(a, b, d)) t, unnest(ARRAY['[1, 2]', '[1, 2, -1]', '[1, 2, "nan"]', '[1, 2, "inf"]']) d;
SELECT try(format('SELECT %L::pgfit.model', jsonb_set(m::jsonb, '{arrays,ids,text}', d::jsonb))) FROM (SELECT distance_matrix(a, b, d) AS m FROM (VALUES (1, 2, 1.0), (1, 3, 2.0), (2, 3, 1.5)) AS t(a, b, d)) t, unnest(ARRAY['["1", "2"]', '["1", "1", "2"]', '["3", "2", "1"]']) d;
-- a matrix of more than 8 MB, which is read from its table slice by slice
CREATE TEMP TABLE large AS SELECT m, md5(m::text) AS hash FROM (SELECT distance_matrix(a, b, b - a) AS m FROM generate_series(1, 1460) AS a, generate_series(a + 1, 1460) AS b) AS t;
SELECT pg_column_size(m) > 8 << 20 AS large, md5(m::text) = hash AS same FROM large;

-- mds: the tables of R's cmdscale(eurodist) and of distances that no points have
CREATE TEMP TABLE cities AS SELECT distance_matrix(a, b, d) AS m FROM (VALUES ('Athens'::text, 'Geneva'::text, 2610), ('Athens', 'Lisbon', 4532), ('Athens', 'Rome', 817), ('Athens', 'Vienna', 1991), ('Geneva', 'Lisbon', 1878), ('Geneva', 'Rome', 995), ('Geneva', 'Vienna', 1019), ('Lisbon', 'Rome', 2587), ('Lisbon', 'Vienna', 2937), ('Rome', 'Vienna', 1168)) AS t(a, b, d);
SELECT id, ARRAY(SELECT round(c::numeric, 3) FROM unnest(coordinates) c) AS coordinates FROM cities, coordinates(mds(m)) ORDER BY 1;
SELECT jsonb_object_agg(key, round(value::numeric, 6)) AS statistics, (SELECT array_agg(round(v::numeric, 3)) FROM cities, unnest(parameter(mds(m), 'eigenvalues')) v) AS eigenvalues FROM cities, jsonb_each_text(info(mds(m)) -> 'statistics');
SELECT summary(mds(m)) FROM cities;
-- coordinates of rows keep their distances, where the rows have no more dimensions
CREATE TEMP TABLE scaled AS SELECT mds(i, x, 3) AS m, mds(i, x, 2) AS plane FROM cloud;
SELECT bool_and(near(euclidean_distance(p.coordinates, q.coordinates), d, 1e-9)) AS distances FROM scaled, coordinates(m) p, coordinates(m) q, near WHERE p.id::int = a AND q.id::int = b;
SELECT max(abs(t - c)) < 1e-12 AS transformed FROM scaled, coordinates(plane) p, cloud, LATERAL unnest(transform(plane, x), p.coordinates) u (t, c) WHERE i = p.id::int;
-- a new row is placed at its distances from the others
SELECT max(abs(euclidean_distance(transform(m, y), p.coordinates) - euclidean_distance(y, x))) < 1e-12 AS placed FROM scaled, coordinates(m) p, cloud, (VALUES (ARRAY[0.3, 0.1, -0.7])) AS v(y) WHERE i = p.id::int;
-- weights count as repeated rows; the order of rows makes no difference; any metric; categories
SELECT max(abs(a - b)) < 1e-10 AS weights FROM (SELECT mds(i, x, '{}', 1 + i % 3) AS w FROM cloud) s, (SELECT mds(i || '-' || j, x) AS r FROM cloud, generate_series(0, i % 3) j) t, coordinates(w) p, coordinates(r) q, LATERAL unnest(p.coordinates, q.coordinates) u (a, b) WHERE q.id = p.id || '-0';
SELECT max(abs(a - b)) < 1e-12 AS placed FROM (SELECT mds(i, x, '{}', 1 + i % 3) AS w FROM cloud) s, coordinates(w) p, cloud, LATERAL unnest(transform(w, x), p.coordinates) u (a, b) WHERE i = p.id::int;
SELECT count(DISTINCT m) AS models FROM (SELECT mds(i, x ORDER BY k * i % 61) AS m FROM cloud, generate_series(1, 4) k GROUP BY k) s;
SELECT info(m) #> '{statistics,k}' AS k, (info(m) #>> '{statistics,negative_eigenvalues}')::int > 0 AS negative FROM (SELECT mds(i, x, 2, '{"metric": "manhattan"}') AS m FROM cloud) s;
SELECT count(*) FROM coordinates((SELECT mds(i, (i % 3, ('v' || i % 5)), '{"metric": "mixed"}') FROM cloud));
SELECT m = m::text::model AND m = m::jsonb::model AS round_trip FROM scaled;
SELECT mds(i, x) IS NULL AS none FROM cloud WHERE false;
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.mds(i, x, 60) FROM cloud$$,
    $$SELECT pgfit.mds(i, x) FROM cloud WHERE i = 1$$,
    $$SELECT pgfit.mds(i, ARRAY[1, 2]) FROM cloud$$,
    $$SELECT (pgfit.info(pgfit.mds(i, ARRAY[i, 2])) #> '{statistics,k}')::text FROM cloud$$,
    $$SELECT pgfit.mds(i, x, 0) FROM cloud$$,
    $$SELECT pgfit.mds(i, ARRAY[i * 1e200]) FROM cloud$$,
    $$SELECT pgfit.mds(i, ARRAY[0, 0], '{"metric": "cosine"}') FROM cloud$$,
    $$SELECT pgfit.coordinates(pgfit.medoid(x)) FROM cloud$$]) AS s;
SET pgfit.fit_mem = '1MB';
SELECT try($$SELECT pgfit.mds(i, ARRAY[i, sin(i)]) FROM generate_series(1, 1000) i$$);
RESET pgfit.fit_mem;
SELECT try(format('SELECT %L::pgfit.model', jsonb_set(m::jsonb, '{arrays,eigenvalues}', '[1, 1]'))) FROM (SELECT mds(i, x) AS m FROM cloud WHERE i < 4) t;
SELECT try(format('SELECT %L::pgfit.model', m::jsonb #- '{arrays,points}')) FROM (SELECT mds(i, x) AS m FROM cloud WHERE i < 4) t;
