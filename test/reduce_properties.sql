-- Properties of principal components.
BEGIN;
SELECT plan(39);
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

SELECT * FROM finish();
ROLLBACK;
