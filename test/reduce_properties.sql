-- Properties of principal components.
BEGIN;
SELECT plan(44);
\ir tap/properties.sql

SELECT pg_temp.moments_properties('pca', '', options, 'transform') FROM unnest(ARRAY['{"k": 2}'::jsonb, '{"k": 1, "standardize": true, "whiten": true}']) AS options;
SELECT pg_temp.keeps_bits(pg_temp.fit('pca(f, ''{"k": 2, "algorithm": "factor"}''::jsonb)'), 'transform', 'pca of a factor');

-- scores are centered, uncorrelated, and vary as the components say
SELECT ok(abs(avg(s[1])) < 1e-12 AND abs(avg(s[2])) < 1e-12, 'scores are centered'), ok(abs(corr(s[1], s[2])) < 1e-9, 'scores are uncorrelated'),
       ok(pg_temp.near(var_pop(s[1]), (SELECT variance FROM components(m) WHERE component = 1 LIMIT 1), 1e-9), 'the variance of the first scores is that of the component')
FROM pg_temp.fit('pca(f, 2)') AS m, rows, LATERAL (SELECT a, b) AS f, LATERAL transform(m, f) AS s GROUP BY m;
-- all components keep everything; distances between rows are kept
SELECT ok(bool_and(pg_temp.near_all(inverse_transform(m, transform(m, f)), ARRAY[rows.a, rows.b], 1e-9)), 'all components give the rows back')
FROM pg_temp.fit('pca(f, 2)') AS m, rows, LATERAL (SELECT a, b) AS f;
SELECT ok(bool_and(pg_temp.near(euclidean_distance(transform(m, ARRAY[p.a, p.b]), transform(m, ARRAY[q.a, q.b])), euclidean_distance(ARRAY[p.a, p.b], ARRAY[q.a, q.b]), 1e-9)), 'all components keep distances')
FROM (SELECT pca(ARRAY[a, b], 2) AS m FROM rows) AS t, rows AS p, rows AS q WHERE p.id < 20 AND q.id < p.id;
-- moved rows have the same scores, scaled rows scaled ones; a standardized fit does not depend on units
SELECT ok(bool_and(pg_temp.near_all(transform(x, ARRAY[a, b]), transform(z, ARRAY[a + 1e4, b - 5]), 1e-7)), 'moved rows have the same scores'),
       ok(bool_and(pg_temp.near_all((SELECT array_agg(4 * v) FROM unnest(transform(x, ARRAY[a, b])) AS v), transform(s, ARRAY[4 * a, 4 * b]), 1e-9)), 'scaled rows have scaled scores'),
       ok(bool_and(pg_temp.near_all(transform(u, ARRAY[a, b]), transform(v, ARRAY[100 * a, b / 8]), 1e-9)), 'a standardized fit does not depend on units')
FROM (SELECT pca(ARRAY[a, b], 2) AS x, pca(ARRAY[a + 1e4, b - 5], 2) AS z, pca(ARRAY[4 * a, 4 * b], 2) AS s, pca(ARRAY[a, b], 2, '{"standardize": true}') AS u,
             pca(ARRAY[100 * a, b / 8], 2, '{"standardize": true}') AS v FROM rows) AS m, rows;


-- kernel principal components: scores are centered, uncorrelated, and vary as the components say; moved rows have the same scores
SELECT pg_temp.rows_properties('kernel_pca', '', options, 'transform') FROM unnest(ARRAY['{"k": 2, "gamma": 0.1}'::jsonb, '{"k": 3, "kernel": "polynomial", "degree": 2, "coef0": 1, "standardize": true}']) AS options;
SELECT ok(abs(avg(s[1])) < 1e-12 AND abs(avg(s[2])) < 1e-12, 'kernel scores are centered'), ok(abs(corr(s[1], s[2])) < 1e-9, 'kernel scores are uncorrelated'),
       ok(pg_temp.near(var_pop(s[1]), (SELECT variance FROM components(m) WHERE component = 1), 1e-9), 'the variance of the first kernel scores is that of the component')
FROM pg_temp.fit('kernel_pca(f, 2)') AS m, rows, LATERAL (SELECT a, b) AS f, LATERAL transform(m, f) AS s GROUP BY m;
SELECT ok(bool_and(pg_temp.near_all(transform(x, ARRAY[a, b]), transform(z, ARRAY[a + 1e4, b - 5]), 1e-6)), 'moved rows have the same kernel scores'),
       ok(bool_and(pg_temp.near_all(transform(x, ARRAY[a, b]), transform(s, ARRAY[4 * a, 4 * b]), 1e-9)), 'gamma follows the unit of the features')
FROM (SELECT kernel_pca(ARRAY[a, b], 2) AS x, kernel_pca(ARRAY[4 * a, 4 * b], 2) AS s FROM rows) AS m,
     LATERAL (SELECT kernel_pca(ARRAY[a + 1e4, b - 5], 2, jsonb_build_object('gamma', info(x) -> 'statistics' -> 'gamma')) AS z FROM rows) AS n, rows;

-- multidimensional scaling: coordinates of rows have the distances of the rows, where these have as many dimensions; transform places the rows where they are
SELECT ok(bool_and(pg_temp.near(euclidean_distance(p.coordinates, q.coordinates), sqrt((s.a - t.a)^2 + (s.b - t.b)^2), 1e-9)), 'mds: coordinates have the distances of the rows'),
       ok(bool_and(pg_temp.near_all(transform(m, ROW(s.a, s.b)), p.coordinates, 1e-9)), 'mds: transform returns the coordinates of the rows'), ok(bool_and(m::text::model = m AND m::jsonb::model = m), 'mds: text and jsonb keep the model')
FROM pg_temp.fit('mds(id, f, 2)', 'id <= 40') AS m, coordinates(m) AS p, coordinates(m) AS q, rows AS s, rows AS t WHERE s.id = p.id::int AND t.id = q.id::int;
SELECT ok(pg_temp.near_all(parameter(m, 'eigenvalues'), parameter(o, 'eigenvalues'), 1e-9) AND (SELECT array_agg(c ORDER BY c.id) FROM coordinates(m) AS c) = (SELECT array_agg(c ORDER BY c.id) FROM coordinates(o) AS c), 'mds: the order of rows does not matter')
FROM pg_temp.fit('mds(id, f, 2)', 'id <= 40') AS m, pg_temp.fit('mds(id, f, 2 ORDER BY md5(id::text))', 'id <= 40') AS o;
SELECT ok(bool_and(pg_temp.near_all(parameter(r, 'eigenvalues'), parameter(g, 'eigenvalues'), 1e-9)), 'mds: distances of rows, given, have the same eigenvalues')
FROM unnest(ARRAY['euclidean', 'manhattan', 'chebyshev']) AS metric, LATERAL (SELECT mds(id, (a, b), 1, jsonb_build_object('metric', metric)) AS r FROM rows WHERE id <= 30) AS x,
     LATERAL (SELECT mds(distance_matrix(s.id, t.id, distance((s.a, s.b), (t.a, t.b), metric)), 1) AS g FROM rows AS s, rows AS t WHERE s.id < t.id AND t.id <= 30) AS y;

SELECT * FROM finish();
ROLLBACK;
