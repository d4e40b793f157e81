-- Mathematical properties of distances, medoids and trees, on random rows with categories and extreme values.
BEGIN;
SELECT plan(49);
\ir tap/near.sql
SELECT setseed(0.25) IS NULL AS seeded \gset
CREATE TEMP TABLE points AS
SELECT i, ARRAY[random() - 0.5, (random() - 0.5) * 100, random() * 1e-3, random()] AS x FROM generate_series(1, 24) i;
INSERT INTO points SELECT 25, x FROM points WHERE i = 1;                                            -- equal
INSERT INTO points SELECT 26, ARRAY[x[1] + 1e-9, x[2], x[3], x[4]] FROM points WHERE i = 2;         -- nearly equal
INSERT INTO points VALUES (27, ARRAY[1e300, -1e300, 0, 1]), (28, ARRAY[5e-324, 1e-310, 0, 2e-308]), (29, ARRAY[-1e300, 1e300, 1, 1]);
CREATE TEMP TABLE metrics (m text, o jsonb);
INSERT INTO metrics VALUES ('euclidean', '{}'), ('manhattan', '{}'), ('chebyshev', '{}'), ('hamming', '{}'), ('minkowski', '{"p":3}'), ('minkowski', '{"p":1.25}'),
    ('standardized_euclidean', '{"variances":[1,900,0.01,2]}'), ('elliptical', '{"matrix":[[2,1,0,0],[1,2,0,0],[0,0,1,0],[0,0,0,3]]}'), ('angular', '{}');

-- axioms, of every metric, over all triples
SELECT ok(bool_and(ab = ba), m || ' ' || o || ': symmetric'), ok(bool_and(aa <= CASE m WHEN 'angular' THEN 1e-7 ELSE 0 END), m || ' ' || o || ': 0 of itself'),
       ok(bool_and(same OR ab > 0 OR m = 'angular'), m || ' ' || o || ': above 0 otherwise'), ok(bool_and(ac <= (ab + bc) * (1 + 1e-12) + CASE m WHEN 'angular' THEN 1e-7 ELSE 0 END), m || ' ' || o || ': triangle')
FROM (SELECT m, o, a.x = b.x AS same, distance(a.x, b.x, m, o) AS ab, distance(b.x, a.x, m, o) AS ba, distance(a.x, a.x, m, o) AS aa, distance(a.x, c.x, m, o) AS ac, distance(b.x, c.x, m, o) AS bc
      FROM metrics, points a, points b, points c) v GROUP BY m, o ORDER BY m, o;

-- what is_metric does not call a metric breaks the triangle inequality
SELECT ok(NOT triangle AND EXISTS (SELECT FROM points a, points b, points c WHERE a.i < 25 AND b.i < 25 AND c.i < 25 AND distance(a.x, c.x, name, o) > 1.0001 * (distance(a.x, b.x, name, o) + distance(b.x, c.x, name, o))), name || ' breaks the triangle inequality')
FROM (VALUES ('squared_euclidean', 2.0, '{}'::jsonb), ('cosine', 2, '{}'), ('minkowski', 0.5, '{"p":0.5}')) AS t(name, p, o), LATERAL is_metric(name, p);

-- invariances
SELECT ok(bool_and(pg_temp.near(euclidean_distance(ARRAY[0.6 * a.x[1] - 0.8 * a.x[2], 0.8 * a.x[1] + 0.6 * a.x[2]], ARRAY[0.6 * b.x[1] - 0.8 * b.x[2], 0.8 * b.x[1] + 0.6 * b.x[2]]), euclidean_distance(a.x[1:2], b.x[1:2]), 1e-9) OR b.i = 26), 'euclidean distances turn'),
       ok(bool_and(pg_temp.near(minkowski_distance((SELECT array_agg(v + 16) FROM unnest(a.x) v), (SELECT array_agg(v + 16) FROM unnest(b.x) v), 3), minkowski_distance(a.x, b.x, 3), 1e-6) OR b.i = 26), 'minkowski distances shift'),
       ok(bool_and(manhattan_distance((SELECT array_agg(v * 4) FROM unnest(a.x) v), (SELECT array_agg(v * 4) FROM unnest(b.x) v)) = 4 * manhattan_distance(a.x, b.x)), 'manhattan distances scale'),
       ok(bool_and(pg_temp.near(cosine_distance((SELECT array_agg(v * 4) FROM unnest(a.x) v), b.x), cosine_distance(a.x, b.x), 1e-12)), 'cosines do not depend on lengths'),
       ok(bool_and(pg_temp.near(mahalanobis_distance(ARRAY[2 * a.x[1] + a.x[2], a.x[2]], ARRAY[2 * b.x[1] + b.x[2], b.x[2]], e2), mahalanobis_distance(a.x[1:2], b.x[1:2], e), 1e-9)), 'mahalanobis distances follow any linear map')
FROM points a, points b, (SELECT feature_moments(x[1:2]) AS e, feature_moments(ARRAY[2 * x[1] + x[2], x[2]]) AS e2 FROM points WHERE i < 25) s WHERE a.i < 25 AND b.i < a.i;

-- inequalities: distances decrease with p, edits are at most the differing characters
SELECT ok(bool_and(chebyshev_distance(a.x, b.x) <= minkowski_distance(a.x, b.x, 3) * (1 + 1e-14) AND minkowski_distance(a.x, b.x, 3) <= euclidean_distance(a.x, b.x) * (1 + 1e-14) AND euclidean_distance(a.x, b.x) <= manhattan_distance(a.x, b.x) * (1 + 1e-14)), 'distances fall with the order')
FROM points a, points b WHERE a.i < 25;
SELECT ok(bool_and(edit_distance(a, b) <= hamming_distance(a, b) AND edit_distance(a, b) <= edit_distance(a, c) + edit_distance(c, b)), 'edits: at most Hamming, triangle')
FROM (SELECT md5(i::text) AS a, md5((i * 7)::text) AS b, md5((i * 11)::text) AS c FROM generate_series(1, 200) i) t;

-- trees: the last height of complete linkage is at most the largest distance, of single linkage at least the least; cophenetic heights are ultrametric
SELECT ok(max(height) FILTER (WHERE l = 'complete') <= (SELECT max(euclidean_distance(a.x, b.x)) FROM points a, points b WHERE a.i < 25 AND b.i < 25) * (1 + 1e-15)
       AND min(height) FILTER (WHERE l = 'single') = (SELECT min(euclidean_distance(a.x, b.x)) FROM points a, points b WHERE a.i < b.i AND b.i < 25), 'heights within the distances')
FROM unnest(ARRAY['complete', 'single']) l, LATERAL (SELECT hierarchical(i, x, jsonb_build_object('linkage', l)) AS t FROM points WHERE i < 25) s, dendrogram_merges(t);
WITH h AS (SELECT c.* FROM (SELECT hierarchical(i, x) AS t FROM points WHERE i < 25) s, cophenetic(t) c), both_ways AS (SELECT a, b, height FROM h UNION ALL SELECT b, a, height FROM h)
SELECT ok(bool_and(p.height <= greatest(q.height, r.height)), 'cophenetic heights are ultrametric') FROM both_ways p, both_ways q, both_ways r WHERE p.a = q.a AND q.b = r.a AND r.b = p.b AND p.b <> q.b;

-- pgvector's type goes through its cast to real[], if the extension is available
SELECT count(*) > 0 AS pgvector FROM pg_available_extensions WHERE name = 'vector' \gset
\if :pgvector
CREATE EXTENSION vector;
SELECT ok(euclidean_distance('[1,2]'::vector, '[4,6]'::vector) = 5 AND manhattan_distance('[1,0]'::vector, ARRAY[2, 0]) = 1, 'distances of pgvector''s type');
\else
SELECT skip('pgvector is not installed', 1);
\endif
SELECT * FROM finish();
ROLLBACK;
