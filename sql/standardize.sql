-- Option standardize at its edges: refusals, constant features, one row, huge and tiny numbers, NULLs, spilled rows, windows.
SET search_path = public, test, pgfit;
CREATE TABLE garden AS SELECT i AS id, 1000 * sin(i) + 7000 AS a, cos(i * i) / 90 AS b, 3 AS c, i % 2 = 0 AS even, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS kind, sin(i) + i % 2 AS y FROM generate_series(1, 120) AS i;

-- which methods have it, and which metrics refuse it
SELECT string_agg(name, ' ' ORDER BY name) AS methods FROM estimators() WHERE 'standardize' = ANY (options);
SELECT metric, try(format('SELECT pgfit.medoid((a, b), ''{"standardize": true, "metric": "%s"%s}''::jsonb) IS NOT NULL FROM garden', metric, CASE metric WHEN 'elliptical' THEN ', "matrix": [[1, 0], [0, 1]]' ELSE '' END)) AS result
FROM unnest(ARRAY['euclidean', 'squared_euclidean', 'manhattan', 'chebyshev', 'minkowski', 'cosine', 'angular', 'kernel', 'hamming', 'standardized_euclidean', 'mahalanobis', 'elliptical', 'mixed']) AS metric;
SELECT metric, try(format('SELECT pgfit.nearest_centroid(kind, (a, b), ''{"standardize": true, "metric": "%s"}''::jsonb) IS NOT NULL FROM garden', metric)) AS result
FROM unnest(ARRAY['euclidean', 'manhattan', 'chebyshev', 'cosine', 'standardized_euclidean', 'mahalanobis']) AS metric;
SELECT try($$SELECT pgfit.kernel_kmeans(kind, 2, '{"standardize": true, "kernel": "spectrum"}'::jsonb) FROM garden$$);
SELECT try($$SELECT pgfit.kmeans((a, b), 2, '{"standardize": "yes"}'::jsonb) FROM garden$$);
SELECT try($$SELECT pgfit.kmeans((a, kind), 2, '{"standardize": true}'::jsonb) FROM garden$$);

-- a constant feature has scale 1; rows to score may differ in it
SELECT parameter(m, 'feature_scale')::numeric(12, 6)[] AS scale, parameter(m, 'feature_center')::numeric(12, 6)[] AS center, near(distance(m, (7000, 0, 5)) ^ 2 - distance(m, (7000, 0, 3)) ^ 2, 4, 1e-9) AS differs
FROM (SELECT kmeans((a, b, c), 2, '{"standardize": true}'::jsonb) AS m FROM garden) AS fit;
SELECT distance(m, (7000, 0, 5))::numeric(8, 6) AS distance, parameter(m, 'metric_scales')::numeric(12, 6)[] AS scale FROM (SELECT medoid((a, b, c), '{"standardize": true}'::jsonb) AS m FROM garden) AS fit;
-- one row, equal rows, no rows
SELECT distance(kmeans((a, b), 1, '{"standardize": true}'::jsonb), (a + 3, b - 4))::numeric(8, 6) AS one FROM garden WHERE id = 1 GROUP BY a, b;
SELECT distance(medoid((c, c), '{"standardize": true}'::jsonb), (3, 4)) AS equal, distance(geometric_median((c, c), '{"standardize": true}'::jsonb), (3, 4)) AS median FROM garden;
SELECT kmeans((a, b), 1, '{"standardize": true}'::jsonb) IS NULL AS none FROM garden WHERE false;
-- numbers whose squares are out of range: too large for a variance, and too small to matter without the option
SELECT try($$SELECT pgfit.kmeans(x, 2, '{"standardize": true}'::jsonb) FROM (VALUES (1e300), (-1e300), (5e299)) AS t(x)$$);
SELECT try($$SELECT pgfit.medoid(x, '{"standardize": true}'::jsonb) FROM (VALUES (1e300), (-1e300), (5e299)) AS t(x)$$);
SELECT (SELECT array_agg(round((1e140 * v)::numeric, 9) ORDER BY v) FROM unnest(parameter(kmeans(x, 2, '{"standardize": true}'::jsonb), 'centroids')) AS v) AS centroids FROM (VALUES (1e-140), (2e-140), (9e-140)) AS t(x);
SELECT pgfit.parameter(kmeans((x, y), 2, '{"standardize": true}'::jsonb), 'sizes') AS sizes FROM (VALUES (1e150, 1e-100), (1.1e150, 1.1e-100), (-3e150, 8e-100)) AS t(x, y);

-- NULLs: their means do not change the center; categories differ by 0 or 1, numbers in standard deviations
SELECT near((parameter(m, 'feature_center'))[1], mean, 1e-12) AS center FROM (SELECT kmeans((CASE WHEN id % 5 > 0 THEN a END, b), 2, '{"standardize": true, "nulls": "impute"}'::jsonb) AS m FROM garden) AS fit, (SELECT avg(a) AS mean FROM garden WHERE id % 5 > 0) AS g;
SELECT round(avg((x.distance - z.distance)::numeric), 9) AS difference, bool_and(x.id = z.id) AS same
FROM (SELECT neighbors(id, (a, kind), '{"standardize": true}'::jsonb) AS m, avg(a) AS mean, stddev_pop(a) AS sd FROM garden) AS f,
     LATERAL (SELECT neighbors(id, ((a - mean) / sd, kind)) AS hand FROM garden) AS h, garden AS g,
     LATERAL nearest(m, (g.a, g.kind), 4) WITH ORDINALITY AS x, LATERAL nearest(hand, ((g.a - mean) / sd, g.kind), 4) WITH ORDINALITY AS z WHERE x.ordinality = z.ordinality;

-- rows in the temporary file, a window, groups and merged order give what rows in memory give
CREATE FUNCTION fits() RETURNS TABLE (name text, m model) LANGUAGE sql AS $$
    SELECT 'kmeans', (SELECT kmeans((a, b), 3, '{"standardize": true}'::jsonb) FROM garden, generate_series(1, 40))
    UNION ALL SELECT 'gaussian_mixture', (SELECT gaussian_mixture((a, b), 2, '{"standardize": true, "n_init": 1}'::jsonb) FROM garden, generate_series(1, 40))
    UNION ALL SELECT 'geometric_median', (SELECT geometric_median((a, b), '{"standardize": true}'::jsonb) FROM garden, generate_series(1, 40))
$$;
CREATE TABLE in_memory AS SELECT * FROM fits();
SET pgfit.fit_mem = '128kB';
SELECT f.name, f.m::jsonb -> 'arrays' = i.m::jsonb -> 'arrays' AS same FROM fits() AS f JOIN in_memory AS i USING (name);
RESET pgfit.fit_mem;
SELECT bool_and(near((parameter(m, 'feature_center'))[1], mean, 1e-12)) AS windows
FROM (SELECT kmeans((a, b), 1, '{"standardize": true}'::jsonb) OVER w AS m, avg(a) OVER w AS mean FROM garden WHERE id <= 30 WINDOW w AS (ORDER BY id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) OFFSET 5) AS slid;
-- exemplars are in the units of the data
SELECT e.features FROM (SELECT geometric_median(f, '{"standardize": true}'::jsonb) AS m FROM (VALUES (1, 10), (2, 30), (2, 30), (2, 30), (9, 20)) AS t(a, b), LATERAL (SELECT a, b) AS f) AS fit, exemplars(m) AS e;
SELECT try($$SELECT pgfit.exemplars(pgfit.kmeans((a, b), 2, '{"standardize": true}'::jsonb)) FROM garden$$);
SELECT try($$SELECT pgfit.exemplars(pgfit.kernel_pca((a, b), '{"standardize": true, "k": 1}'::jsonb)) FROM garden$$);
-- values from outside
SELECT try(format('SELECT %L::pgfit.model', jsonb_set(m::jsonb, '{arrays,feature_scale}', '[1, -1]'))) AS negative, try(format('SELECT %L::pgfit.model', jsonb_set(m::jsonb, '{arrays,feature_scale}', '[1]'))) AS short
FROM in_memory WHERE name = 'kmeans';
SELECT try(format('SELECT %L::pgfit.model', m::jsonb #- '{arrays,metric_origin}')) AS lacking FROM (SELECT medoid((a, b), '{"standardize": true}'::jsonb) AS m FROM garden) AS f;
