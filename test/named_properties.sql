-- Properties of distances by name, neighbors with weights of their own, nearest_exemplar, theil_sen and isotonic_regression.
BEGIN;
SELECT plan(66);
\ir tap/properties.sql

SELECT pg_temp.rows_properties('nearest_exemplar', 'label', options, 'distances')
FROM unnest(ARRAY['{}'::jsonb, '{"exemplar": "mean", "metric": "mahalanobis"}', '{"exemplar": "geometric_median", "standardize": true}', '{"metric": "canberra"}']) AS options;
SELECT pg_temp.rows_properties('knn_regression', 'y', options, 'predict') FROM unnest(ARRAY['{"k": 4, "weights": "exp(-distance)", "metric": "gower"}'::jsonb, '{"radius": "Infinity", "weights": "1 / (1 + distance^2)"}']) AS options;
SELECT pg_temp.rows_properties('knn_classifier', 'label', '{"radius": 0.5, "outlier_label": "most_frequent"}', 'probabilities');

-- axioms over all triples of awkward rows: what is_metric says
CREATE TEMP TABLE points AS SELECT i, ARRAY[(random() - 0.5) * 50, (random() - 0.5) * 50, (i % 3)::float8] AS x FROM generate_series(1, 20) AS i;
INSERT INTO points SELECT 21, x FROM points WHERE i = 1;
INSERT INTO points VALUES (22, '{0,0,0}'), (23, '{0,50,0}'), (24, '{1e-300,0,0}'), (25, '{-25,25,0}');
SELECT ok(bool_and(ab = ba AND aa = 0 AND ab >= 0), m || ': symmetric, 0 of itself'), ok(NOT triangle OR bool_and(ac <= (ab + bc) * (1 + 1e-12)), m || ': triangle')
FROM (VALUES ('canberra', '{}'::jsonb), ('bray_curtis', '{}'), ('jaccard', '{}'), ('dice', '{}'), ('gower', '{"ranges": [50, 50, 2]}'), ('haversine', '{}')) AS v(m, o), LATERAL is_metric(m),
    LATERAL (SELECT distance(a, b, m, o) AS ab, distance(b, a, m, o) AS ba, distance(a, a, m, o) AS aa, distance(a, c, m, o) AS ac, distance(b, c, m, o) AS bc
             FROM (SELECT p.x[1:n] AS a, q.x[1:n] AS b, r.x[1:n] AS c FROM points p, points q, points r, (SELECT CASE m WHEN 'haversine' THEN 2 ELSE 3 END AS n) AS s WHERE m <> 'bray_curtis' OR p.i <= 20 AND q.i <= 20 AND r.i <= 20) AS t) AS d GROUP BY m, o, triangle ORDER BY m;
SELECT ok(EXISTS (SELECT FROM (VALUES ('{1,0}'::float8[], '{1,1}'::float8[], '{0,1}'::float8[])) AS t(a, b, c) WHERE distance(a, c, m) > distance(a, b, m) + distance(b, c, m)), m || ' breaks the triangle inequality') FROM unnest('{bray_curtis,dice}'::text[]) AS m;
-- amounts in another unit, more zeros, another day's longitudes, moved and stretched rows
SELECT ok(bool_and(canberra_distance(u, v) = canberra_distance(p.x, q.x) AND bray_curtis_distance(u, v) = bray_curtis_distance(p.x, q.x)), 'amounts have no unit'),
       ok(bool_and(jaccard_distance(p.x || '{0,0}'::float8[], q.x || '{0,0}') = jaccard_distance(p.x, q.x)), 'what neither has does not count'),
       ok(bool_and(pg_temp.near(correlation_distance((SELECT array_agg(3 * w + 7) FROM unnest(p.x) AS w), q.x), correlation_distance(p.x, q.x), 1e-9)), 'correlations do not depend on unit and origin'),
       ok(bool_and(pg_temp.near(haversine_distance(p.x[1:2], q.x[1:2]), haversine_distance(ARRAY[p.x[1], p.x[2] + 100], ARRAY[q.x[1], q.x[2] + 100]), 1e-9)), 'places turn')
FROM points p, points q, LATERAL (SELECT array_agg(4 * w) AS u FROM unnest(p.x) AS w) AS s, LATERAL (SELECT array_agg(4 * w) AS v FROM unnest(q.x) AS w) AS t WHERE p.i <= 20 AND q.i < p.i;
-- the graph is that of the distances, symmetric where it is by radius
SELECT ok(bool_and(d = distance) AND count(*) = (SELECT count(*) FROM points p, points q WHERE p.i <> q.i AND canberra_distance(p.x, q.x) <= 1.5), 'radius_graph: all pairs within the radius')
FROM (SELECT neighbors(i, x, '{"metric": "canberra"}') AS m FROM points) AS f, radius_graph(m, 1.5, NULL::int) AS g JOIN points p ON p.i = g.id JOIN points q ON q.i = g.neighbor_id, LATERAL canberra_distance(p.x, q.x) AS d;
SELECT ok(bool_and(n = 5 AND farthest <= rest), 'neighbor_graph: the nearest k of each row') FROM (SELECT g.id, count(*) AS n, max(g.distance) AS farthest, (SELECT min(euclidean_distance(p.x, q.x)) FROM points p, points q WHERE p.i = g.id AND q.i <> g.id AND q.i <> ALL (array_agg(g.neighbor_id))) AS rest
    FROM (SELECT neighbors(i, x) AS m FROM points) AS f, neighbor_graph(m, 5, NULL::int) AS g GROUP BY g.id) AS t;

-- isotonic regressions: of one number
SET LOCAL property.features = 'a';
SELECT pg_temp.rows_properties('theil_sen', 'y', '{}', 'predict');
SELECT pg_temp.rows_properties('isotonic_regression', 'y', options, 'predict') FROM unnest(ARRAY['{}'::jsonb, '{"direction": "decreasing", "interpolation": "step", "out_of_bounds": "null"}']) AS options;
SELECT ok(bool_and(p >= before), 'isotonic_regression: rises'), ok(pg_temp.near(avg(p), avg(y), 1e-9), 'isotonic_regression: right on average'), ok(sum((y - p) ^ 2) <= min(line), 'isotonic_regression: no rising line fits better'),
       ok(abs(sum((y - p) * p)) <= 1e-7 * sum(y * y), 'isotonic_regression: errors are orthogonal to the fit')
FROM (SELECT y, p, lag(p, 1, '-Infinity') OVER (ORDER BY a) AS before, (SELECT sum((r.y - i.b - l.s * r.a) ^ 2) FROM rows AS r, (SELECT greatest(regr_slope(y, a), 0) AS s FROM rows) AS l, LATERAL (SELECT avg(y - l.s * a) AS b FROM rows) AS i) AS line
      FROM rows, (SELECT isotonic_regression(y, a) AS m FROM rows) AS f, LATERAL predict(m, a) AS p) AS t;
SELECT ok(bool_and(pg_temp.near(predict(u, a), -predict(v, -a), 1e-9)), 'isotonic_regression: turned twice'), ok(bool_and(pg_temp.near(predict(u, a), predict(e, exp(a)), 1e-9)), 'isotonic_regression: an increasing map of the number does not matter at the rows')
FROM rows, (SELECT isotonic_regression(y, a) AS u, isotonic_regression(-y, -a) AS v, isotonic_regression(y, exp(a)) AS e FROM rows) AS f;
SELECT * FROM finish();
ROLLBACK;
