-- Properties of nearest neighbors: knn_classifier, knn_regression, neighbors.
BEGIN;
SELECT plan(18);
\ir tap/properties.sql

SELECT pg_temp.rows_properties('knn_classifier', 'label', '{"k": 7}', 'probabilities');
SELECT pg_temp.rows_properties('knn_regression', 'y', options, 'predict') FROM unnest(ARRAY['{"k": 5}'::jsonb, '{"k": 4, "weights": "distance", "metric": "manhattan"}']) AS options;

-- every index finds what comparing all rows finds
SELECT ok(bool_and(n.ids = b.ids AND n.distances = b.distances), index || ': what comparing all rows finds')
FROM unnest(ARRAY['kd_tree', 'ball_tree']) AS index, LATERAL pg_temp.fit(format('neighbors(id, f, ''{"index": "%s"}''::jsonb)', index)) AS m, rows AS r, LATERAL (SELECT r.a, r.b) AS f,
     LATERAL (SELECT array_agg(id ORDER BY distance, id) AS ids, array_agg(distance ORDER BY distance) AS distances FROM nearest(m, f, 6)) AS n,
     LATERAL (SELECT array_agg(id ORDER BY d, id) AS ids, array_agg(d ORDER BY d) AS distances FROM (SELECT id::text, euclidean_distance(ARRAY[a, b], ARRAY[r.a, r.b]) AS d FROM rows ORDER BY d, id LIMIT 6) AS t) AS b
WHERE r.id <= 60 GROUP BY index ORDER BY index;
-- one neighbor of a stored row is the row itself; all rows vote for the mean
SELECT ok(bool_and(predict(m, f) = y), 'knn_regression: a stored row is its own nearest neighbor') FROM pg_temp.fit('knn_regression(y, f, 1)') AS m, rows, LATERAL (SELECT a, b) AS f;
SELECT ok(bool_and(pg_temp.near(predict(m, f), mean, 1e-12)), 'knn_regression: all rows as neighbors give the mean')
FROM pg_temp.fit('knn_regression(y, f, 300)') AS m, (SELECT avg(y) AS mean FROM rows) AS t, rows, LATERAL (SELECT a, b) AS f WHERE id < 20;
-- distances turn with the features, so predictions stay
SELECT ok(bool_and(pg_temp.near(predict(x, ARRAY[a, b]), predict(z, ARRAY[b + 5, 5 - a]), 1e-9)), 'knn_regression: turned and moved rows have the same neighbors')
FROM (SELECT knn_regression(y, ARRAY[a, b], 5) AS x, knn_regression(y, ARRAY[b + 5, 5 - a], 5) AS z FROM rows) AS m, rows;
SELECT ok(m::text::model = m AND m::jsonb::model = m, 'neighbors: text and jsonb keep the rows') FROM pg_temp.fit('neighbors(id, f)') AS m;

SELECT * FROM finish();
ROLLBACK;
