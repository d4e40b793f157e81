-- Hierarchical clustering: trees, cuts, drawings.
SET search_path = public, test, pgfit;
CREATE TEMP TABLE u AS SELECT * FROM (VALUES (1, ARRAY[0.0, 0.0]), (2, ARRAY[0.5, 0.0]), (3, ARRAY[5.0, 5.0]), (4, ARRAY[5.0, 6.0]), (5, ARRAY[9.0, 2.0]), (6, NULL)) AS t(i, x);
SELECT l, m.merge, m.a, m.b, m.id_a, m.id_b, round(m.height::numeric, 6) AS height, m.size
FROM unnest(ARRAY['single', 'complete', 'average', 'mcquitty', 'centroid', 'median', 'ward', 'ward.D']) l, LATERAL (SELECT hierarchical(i, x, jsonb_build_object('linkage', l)) AS t FROM u) s, dendrogram_merges(t) m ORDER BY l, m.merge;
SELECT info(hierarchical(i, x)) -> 'rows', info(hierarchical(i, x)) -> 'skipped', info(hierarchical(i, x)) -> 'options' ->> 'linkage', info(hierarchical(i, x)) ->> 'id_type' FROM u;
SELECT dendrogram(hierarchical(i, x, '{"linkage":"complete"}')) FROM u WHERE i <> 5;
SELECT dendrogram(hierarchical('row ' || i, x, '{"linkage":"single"}'), 2) FROM u WHERE i <> 5;
SELECT summary(hierarchical(i, x)) FROM u;
SELECT right(summary(hierarchical(i, x)), length(dendrogram(hierarchical(i, x)))) = dendrogram(hierarchical(i, x)) FROM u;
SELECT dendrogram(hierarchical(i, x)) FROM u WHERE i = 1;
SELECT hierarchical(i, x) IS NULL FROM u WHERE false;
-- cuts; ids as text or typed
CREATE TEMP TABLE tree AS SELECT hierarchical(i, x, '{"linkage":"complete"}') AS t FROM u;
SELECT k, string_agg(id || ':' || cluster, ' ' ORDER BY id) FROM tree, generate_series(1, 5) k, cut(t, k) GROUP BY k ORDER BY k;
SELECT h, string_agg(id || ':' || cluster, ' ' ORDER BY id) FROM tree, unnest(ARRAY[0, 0.5, 0.9, 1, 100]) h, cut_height(t, h) GROUP BY h ORDER BY h;
SELECT u.i, c.cluster FROM tree, u, cut(t, 2, NULL::int) c WHERE u.i = c.id ORDER BY 1;
SELECT u.i, c.cluster FROM tree, u, cut_height(t, 3, NULL::int) c WHERE u.i = c.id ORDER BY 1;
SELECT count(*) FROM tree, cut(t, NULL);
SELECT a, b, round(height::numeric, 6) AS height FROM tree, cophenetic(t) ORDER BY least(a, b), greatest(a, b) LIMIT 4;
-- the correlation of distances and heights
CREATE TEMP TABLE cloud AS SELECT i, ARRAY[sin(i * 7.1), cos(i * 3.3) * 2, sin(i * i)] AS x FROM generate_series(1, 150) i;
SELECT l, near((info(t) #>> '{statistics,cophenetic_correlation}')::float8, corr(c.height, euclidean_distance(p.x, q.x)), 1e-9), count(*)
FROM unnest(ARRAY['single', 'complete', 'average', 'ward']) l, LATERAL (SELECT hierarchical(i, x, jsonb_build_object('linkage', l, 'cophenetic', true)) AS t FROM cloud) s, cophenetic(t) c, cloud p, cloud q
WHERE p.i = c.a::int AND q.i = c.b::int GROUP BY l, t ORDER BY l;
-- other names of two linkages
SELECT a, b, array_agg(p.height ORDER BY p.merge) = array_agg(q.height ORDER BY q.merge) AS equal
FROM (VALUES ('weighted', 'mcquitty'), ('ward.D2', 'ward')) AS t(a, b), LATERAL (SELECT hierarchical(i, x, jsonb_build_object('linkage', a)) AS s, hierarchical(i, x, jsonb_build_object('linkage', b)) AS t FROM cloud) f,
     dendrogram_merges(s) p JOIN LATERAL dendrogram_merges(t) q USING (merge) GROUP BY a, b ORDER BY a;
-- any metric, categories, weights as repeated rows, groups, any order of the rows
SELECT m, round(max(height)::numeric, 6) FROM unnest(ARRAY['manhattan', 'cosine', 'angular', 'mahalanobis', 'hamming']) m, LATERAL (SELECT hierarchical(i, x, jsonb_build_object('metric', m)) AS t FROM cloud) s, dendrogram_merges(t) GROUP BY m ORDER BY m;
SELECT m.id_a, m.id_b, round(m.height::numeric, 6) FROM (SELECT hierarchical(i, (c, v), '{"linkage":"single"}') AS t FROM (VALUES (1, 'a'::text, 0.0), (2, 'b', 0.0), (3, 'a', 0.25)) AS t(i, c, v)) s, dendrogram_merges(t) m;
SELECT l, bool_and(near(a.height, b.height, 1e-12)) FROM unnest(ARRAY['single', 'complete', 'average', 'mcquitty', 'median', 'ward', 'ward.D']) l,
     LATERAL (SELECT hierarchical(i, x, jsonb_build_object('linkage', l), 1 + i % 3) AS t FROM cloud) w, LATERAL (SELECT hierarchical(i * 10 + j, x, jsonb_build_object('linkage', l)) AS t FROM cloud, generate_series(0, i % 3) j) r,
     LATERAL (SELECT height, row_number() OVER (ORDER BY height DESC) AS n FROM dendrogram_merges(w.t)) a JOIN LATERAL (SELECT height, row_number() OVER (ORDER BY height DESC) AS n FROM dendrogram_merges(r.t)) b USING (n) GROUP BY l ORDER BY l;
SELECT count(*), count(DISTINCT t) FROM (SELECT hierarchical(i, x ORDER BY k * i % 151) AS t FROM cloud, generate_series(1, 5) k GROUP BY k) s;
SELECT g, count(*), max(size) FROM (SELECT i % 3 AS g, hierarchical(i, x) AS t FROM cloud GROUP BY 1) s, dendrogram_merges(t) GROUP BY g ORDER BY g;
SELECT t = t::text::model, t = t::jsonb::model FROM tree;
-- heights of centroid linkage may decrease: they are kept and reported, and the tree cannot be cut by height
CREATE TEMP TABLE falling AS SELECT hierarchical(i, x, '{"linkage":"centroid"}') AS t FROM (VALUES (1, ARRAY[0, 0]), (2, ARRAY[1, 0]), (3, ARRAY[0.5, 0.9])) AS t(i, x);
SELECT info(t) -> 'statistics' ->> 'monotone', array_agg(round(height::numeric, 6) ORDER BY merge) FROM falling, dendrogram_merges(t) GROUP BY t;
SELECT string_agg(id || ':' || cluster, ' ' ORDER BY id) FROM falling, cut(t, 2);
-- only neighbors merge: a ring of rows is cut along the ring, not across
CREATE TEMP TABLE ring AS SELECT i, ARRAY[cos(i * 0.21), 0.05 * sin(i * 0.21), i % 2 * 0.001] AS x FROM generate_series(1, 30) i;
SELECT l, count(*) AS merges, max(size) AS size, bool_and(height >= 0) AS sound, info(t) #> '{options,connectivity}' AS connectivity FROM unnest(ARRAY['average', 'complete', 'single', 'ward']) l, LATERAL (SELECT hierarchical(i, x, jsonb_build_object('linkage', l, 'connectivity', 2)) AS t FROM ring) s, dendrogram_merges(t) GROUP BY l, t ORDER BY l;
SELECT bool_and(near(p.height, q.height)) AS all_are_neighbors FROM unnest(ARRAY['average', 'complete', 'single', 'ward']) l, LATERAL (SELECT hierarchical(i, x, jsonb_build_object('linkage', l, 'connectivity', 29)) AS s, hierarchical(i, x, jsonb_build_object('linkage', l)) AS t FROM ring) f, dendrogram_merges(s) p JOIN LATERAL dendrogram_merges(t) q USING (merge);
SELECT count(DISTINCT t) AS trees FROM (SELECT hierarchical(i, x, '{"connectivity": 3}' ORDER BY k * i % 31) AS t FROM ring, generate_series(1, 4) k GROUP BY k) s;
SELECT t.merge, t.a, t.b, t.id_a, t.id_b, round(t.height::numeric, 6) AS height FROM (SELECT hierarchical(i, x, '{"connectivity": 1, "linkage": "single"}') AS h FROM (VALUES (1, 0.0), (2, 1), (3, 10), (4, 11.5), (5, 30), (6, 32)) v(i, x)) s, dendrogram_merges(h) t;
SELECT l, bool_and(near(a.height, b.height, 1e-9)) AS weights FROM unnest(ARRAY['average', 'ward']) l,
     LATERAL (SELECT hierarchical(i, x, jsonb_build_object('linkage', l, 'connectivity', 59), 1 + i % 2) AS t FROM ring) w, LATERAL (SELECT hierarchical(i * 10 + j, x, jsonb_build_object('linkage', l, 'connectivity', 59)) AS t FROM ring, generate_series(0, i % 2) j) r,
     LATERAL (SELECT height, row_number() OVER (ORDER BY height DESC) AS n FROM dendrogram_merges(w.t)) a JOIN LATERAL (SELECT height, row_number() OVER (ORDER BY height DESC) AS n FROM dendrogram_merges(r.t)) b USING (n) GROUP BY l ORDER BY l;
SELECT dendrogram(hierarchical(i, x, '{"connectivity": 5}')) FROM ring WHERE i = 1;
-- single linkage of rows that no matrix of distances would fit
SET pgfit.fit_mem = '64MB';
SELECT count(*), max(size) FROM (SELECT hierarchical(i, ARRAY[sin(i * 1.7), cos(i * 2.3)], '{"linkage":"single"}') AS t FROM generate_series(1, 20000) i) s, dendrogram_merges(t);
SET pgfit.fit_mem = '1MB';
-- refusals
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.hierarchical(i, ARRAY[i, sin(i)]) FROM generate_series(1, 2000) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i, sin(i)], '{"linkage":"ward"}') FROM generate_series(1, 20000) i$$,
    $$SELECT pgfit.hierarchical(repeat('id', 2000) || i, i, '{"linkage":"single"}') FROM generate_series(1, 300) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i], '{"linkage":"middle"}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i], '{"linkage":"median","metric":"manhattan"}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i, sin(i)], '{"linkage":"ward.D"}') FROM generate_series(1, 2000) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i], '{"linkage":"ward","metric":"manhattan"}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i], '{"connectivity": 2, "linkage": "median"}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i], '{"connectivity": 2, "linkage": "ward", "metric": "manhattan"}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i], '{"connectivity": "given"}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i], '{"connectivity": 0}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i, sin(i)], '{"connectivity": 30}') FROM generate_series(1, 3000) i$$,
    $$SELECT pgfit.hierarchical(i, ('a'::text, i), '{"linkage":"centroid"}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[0, 0], '{"metric":"cosine"}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY['NaN'::float8]) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, CASE WHEN i = 2 THEN ARRAY[1] ELSE ARRAY[1, 2] END) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.hierarchical(i, ARRAY[i * 1.7e308]) FROM (VALUES (1), (-1)) AS t(i)$$,
    $$SELECT pgfit.cut(t, 0) FROM tree$$,
    $$SELECT pgfit.cut(t, 6) FROM tree$$,
    $$SELECT pgfit.cut(t, 2, NULL::boolean) FROM tree$$,
    $$SELECT pgfit.cut_height(t, -1) FROM tree$$,
    $$SELECT pgfit.cut_height(t, 'NaN') FROM tree$$,
    $$SELECT pgfit.cut_height(t, 0.95) FROM falling$$,
    $$SELECT pgfit.dendrogram(t, 0) FROM tree$$,
    $$SELECT pgfit.dendrogram_merges(pgfit.centroid(ARRAY[i])) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.cut(pgfit.feature_moments(ARRAY[i]), 2) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.cluster(t, ARRAY[1, 2]) FROM tree$$,
    $$SELECT replace(t::text, '"merges"', '"mergers"')::pgfit.model FROM tree$$]) AS s;
RESET pgfit.fit_mem;
