-- Option standardize of methods that compare rows: the same results as on rows that were standardized by hand, with models that take
-- and report the units of the data.
BEGIN;
SELECT plan(84);
\ir tap/properties.sql
SET LOCAL client_min_messages = error;

-- features in unlike units, one of them constant; x and z: the same rows as they come and standardized by hand, with weights and without
CREATE TABLE raw AS SELECT id, label, y, w::float8 AS w, a / 7 AS p, 1000 * b + 5e4 AS q, 7::float8 AS c FROM rows;
CREATE FUNCTION pg_temp.hand(weighted boolean) RETURNS TABLE (id int, label text, y float8, w float8, x float8[], z float8[], scales float8[]) LANGUAGE sql AS $$
    WITH u AS (SELECT *, CASE WHEN weighted THEN w ELSE 1 END AS v FROM raw),
         means AS (SELECT sum(v * p) / sum(v) AS mp, sum(v * q) / sum(v) AS mq, sum(v) AS n FROM u),
         s AS (SELECT mp, mq, 1 / sqrt(sum(v * (p - mp) ^ 2) / n) AS sp, 1 / sqrt(sum(v * (q - mq) ^ 2) / n) AS sq FROM u, means GROUP BY mp, mq, n)
    SELECT id, label, y, v, ARRAY[p, q, c], ARRAY[(p - mp) * sp, (q - mq) * sq, 0], ARRAY[sp, sq, 1] FROM u, s
$$;
CREATE TABLE hand AS SELECT * FROM pg_temp.hand(false);
CREATE TABLE weighted AS SELECT * FROM pg_temp.hand(true);
-- rows to score: those of the fit, and some with another constant
CREATE FUNCTION pg_temp.probes(source regclass) RETURNS TABLE (id int, x float8[], z float8[]) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT id, x, z FROM %1$s UNION ALL SELECT -id, x[1:2] || (x[3] + 2), z[1:2] || (z[3] + 2) FROM %1$s WHERE id <= 9', source);
END
$$;
-- compares what a scorer says of the two models: shift is added to that of the standardized rows
CREATE FUNCTION pg_temp.same(name text, scorer text, of_x model, of_z model, source regclass DEFAULT 'hand', shift float8 DEFAULT 0) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    same boolean;
BEGIN
    EXECUTE format('SELECT count(*) = 309 AND bool_and(pg_temp.near_all(ARRAY[]::float8[] || %1$I($1, x), (SELECT array_agg(v + $3) FROM unnest(ARRAY[]::float8[] || %1$I($2, z)) AS v), 1e-9)) FROM pg_temp.probes($4)', scorer)
    INTO same USING of_x, of_z, shift, source;
    RETURN ok(same, name || ': ' || scorer || ' as by hand');
END
$$;
CREATE FUNCTION pg_temp.fact(m model, name text) RETURNS float8 LANGUAGE sql AS $$ SELECT (info(m) -> 'statistics' ->> name)::float8 $$;
CREATE FUNCTION pg_temp.log_scale(source regclass) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    total float8;
BEGIN
    EXECUTE format('SELECT sum(ln(v)) FROM (SELECT scales FROM %s LIMIT 1) AS t, unnest(scales) AS v', source) INTO total;
    RETURN total;
END
$$;

-- k-means, with starting centroids in the units of the data
CREATE TABLE k AS
SELECT 'kmeans' AS name, (SELECT kmeans(x, 3, '{"standardize": true, "n_init": 50}') FROM hand) AS mx, (SELECT kmeans(z, 3, '{"n_init": 50}') FROM hand) AS mz, 'hand'::regclass AS source
UNION ALL SELECT 'kmeans of weighted rows', (SELECT kmeans(x, 3, '{"standardize": true, "n_init": 50}', w) FROM weighted), (SELECT kmeans(z, 3, '{"n_init": 50}', w) FROM weighted), 'weighted'
UNION ALL SELECT 'kmeans from centroids', (SELECT kmeans(x, jsonb_build_object('standardize', true, 'init', (SELECT jsonb_agg(to_jsonb(x) ORDER BY id) FROM hand WHERE id <= 3))) FROM hand),
                 (SELECT kmeans(z, jsonb_build_object('init', (SELECT jsonb_agg(to_jsonb(z) ORDER BY id) FROM hand WHERE id <= 3))) FROM hand), 'hand';
SELECT pg_temp.same(name, 'distance', mx, mz, source) FROM k ORDER BY name;
SELECT ok(pg_temp.near(pg_temp.fact(mx, 'inertia'), pg_temp.fact(mz, 'inertia'), 1e-9), name || ': inertia as by hand') FROM k ORDER BY name;
SELECT pg_temp.same(name, 'cluster', mx, mz, source) FROM k WHERE name = 'kmeans from centroids';
SELECT ok(bool_and(pg_temp.near(value, mean, 1e-9)), k.name || ': centroids are the means of the rows as they come')
FROM k, LATERAL (SELECT centroid, array_agg(value ORDER BY term) AS values FROM centroids(mx) GROUP BY centroid) AS c,
     LATERAL (SELECT ARRAY[sum(w * x[1]), sum(w * x[2]), sum(w * x[3])] AS sums, sum(w) AS n FROM (SELECT * FROM weighted WHERE k.source = 'weighted'::regclass UNION ALL SELECT * FROM hand WHERE k.source = 'hand'::regclass) AS r WHERE cluster(mx, x) = centroid) AS s,
     LATERAL unnest(c.values, s.sums) AS u(value, total), LATERAL (SELECT total / n AS mean) AS v GROUP BY k.name ORDER BY k.name;
-- a step of k-means keeps the scale
SELECT ok(pg_temp.near(pg_temp.fact(a, 'inertia'), pg_temp.fact(b, 'inertia'), 1e-9), 'kmeans_step: inertia as by hand'), pg_temp.same('kmeans_step', 'distances', a, b)
FROM (SELECT (SELECT kmeans_step(x, mx) FROM hand, k WHERE name = 'kmeans from centroids') AS a, (SELECT kmeans_step(z, mz) FROM hand, k WHERE name = 'kmeans from centroids') AS b) AS t;

-- mixtures: every form of covariance, from means in the units of the data; densities are those of the data
CREATE TABLE g AS
SELECT form, (SELECT gaussian_mixture(x, jsonb_build_object('standardize', true, 'covariance', form, 'regularization', 1e-3, 'init', (SELECT jsonb_agg(to_jsonb(x) ORDER BY id) FROM weighted WHERE id <= 3)), w) FROM weighted) AS mx,
             (SELECT gaussian_mixture(z, jsonb_build_object('covariance', form, 'regularization', 1e-3, 'init', (SELECT jsonb_agg(to_jsonb(z) ORDER BY id) FROM weighted WHERE id <= 3)), w) FROM weighted) AS mz
FROM unnest(ARRAY['full', 'tied', 'diagonal', 'spherical']) AS form;
SELECT pg_temp.same('gaussian_mixture ' || form, 'probabilities', mx, mz, 'weighted'), pg_temp.same('gaussian_mixture ' || form, 'distances', mx, mz, 'weighted'),
       pg_temp.same('gaussian_mixture ' || form, 'decision', mx, mz, 'weighted', pg_temp.log_scale('weighted')) FROM g ORDER BY form;
SELECT ok(pg_temp.near(pg_temp.fact(mx, 'mean_log_likelihood'), pg_temp.fact(mz, 'mean_log_likelihood') + pg_temp.log_scale('weighted'), 1e-9) AND pg_temp.fact(mx, 'parameters') = pg_temp.fact(mz, 'parameters'),
          'gaussian_mixture ' || form || ': likelihood and parameters') FROM g ORDER BY form;
SELECT pg_temp.same('mixture_step ' || form, 'decision', a, b, 'weighted', pg_temp.log_scale('weighted'))
FROM g, LATERAL (SELECT (SELECT mixture_step(x, mx, w) FROM weighted) AS a, (SELECT mixture_step(z, mz, w) FROM weighted) AS b) AS t ORDER BY form;
SELECT pg_temp.same('gaussian_mixture ' || form || ' continued', 'decision', a, b, 'weighted', pg_temp.log_scale('weighted'))
FROM g, LATERAL (SELECT (SELECT gaussian_mixture(x, jsonb_build_object('standardize', true, 'covariance', form, 'max_iter', 3, 'tolerance', 0, 'start', mx::jsonb), w) FROM weighted) AS a,
                        (SELECT gaussian_mixture(z, jsonb_build_object('covariance', form, 'max_iter', 3, 'tolerance', 0, 'start', mz::jsonb), w) FROM weighted) AS b) AS t ORDER BY form;

-- methods with a metric: medoids, neighbors, hierarchical clustering
CREATE TABLE e AS
SELECT metric, (SELECT kmedoids(x, 3, on_ || metric || '{"init": "random", "n_init": 30}') FROM hand) AS px, (SELECT kmedoids(z, 3, metric || '{"init": "random", "n_init": 30}') FROM hand) AS pz,
       (SELECT medoid(x, on_ || metric) FROM hand) AS mx, (SELECT medoid(z, metric) FROM hand) AS mz,
       (SELECT knn_classifier(label, x, on_ || metric || '{"k": 7}', w) FROM weighted) AS cx, (SELECT knn_classifier(label, z, metric || '{"k": 7}', w) FROM weighted) AS cz,
       (SELECT knn_regression(y, x, on_ || metric || '{"k": 5, "weights": "distance"}') FROM hand) AS rx, (SELECT knn_regression(y, z, metric || '{"k": 5, "weights": "distance"}') FROM hand) AS rz,
       (SELECT neighbors(id, x, on_ || metric) FROM hand) AS nx, (SELECT neighbors(id, z, metric) FROM hand) AS nz,
       (SELECT hierarchical(id, x, on_ || metric || '{"linkage": "average"}') FROM hand) AS hx, (SELECT hierarchical(id, z, metric || '{"linkage": "average"}') FROM hand) AS hz
FROM unnest(ARRAY['{}', '{"metric": "manhattan"}', '{"metric": "cosine"}', '{"metric": "minkowski", "p": 3}', '{"metric": "kernel"}']::jsonb[]) AS metric, (SELECT '{"standardize": true}'::jsonb) AS o(on_);
SELECT pg_temp.same('kmedoids ' || metric::text, 'distance', px, pz), pg_temp.same('medoid ' || metric::text, 'distance', mx, mz), pg_temp.same('knn_classifier ' || metric::text, 'probabilities', cx, cz, 'weighted'),
       pg_temp.same('knn_regression ' || metric::text, 'predict', rx, rz) FROM e ORDER BY metric;
SELECT ok(bool_and(n.same), 'neighbors ' || metric::text || ': the nearest as by hand')
FROM e, LATERAL (SELECT array_agg(a.id ORDER BY a.distance, a.id) = array_agg(b.id ORDER BY b.distance, b.id) AND pg_temp.near_all(array_agg(a.distance ORDER BY a.distance), array_agg(b.distance ORDER BY b.distance), 1e-9) AS same
                 FROM hand AS h, LATERAL nearest(nx, h.x, 6) WITH ORDINALITY AS a, LATERAL nearest(nz, h.z, 6) WITH ORDINALITY AS b WHERE h.id <= 60 AND a.ordinality = b.ordinality GROUP BY h.id) AS n GROUP BY metric ORDER BY metric;
SELECT ok(pg_temp.near_all((SELECT array_agg(height ORDER BY height) FROM dendrogram_merges(hx)), (SELECT array_agg(height ORDER BY height) FROM dendrogram_merges(hz)), 1e-9), 'hierarchical ' || metric::text || ': heights as by hand') FROM e ORDER BY metric;
SELECT ok(bool_and(EXISTS (SELECT FROM hand WHERE x = c)), 'kmedoids ' || metric::text || ': medoids are rows as they came') FROM (SELECT metric, cluster, array_agg(value ORDER BY term) AS c FROM e, medoids(px) GROUP BY metric, cluster) AS t GROUP BY metric ORDER BY metric;

-- kernels: by all pairs and by landmarks
SELECT pg_temp.same('kernel_kmeans ' || o::text, 'distances', a, b), pg_temp.same('kernel_kmeans ' || o::text, 'cluster', a, b)
FROM unnest(ARRAY['{}', '{"assignment": "average_distance"}', '{"approximation": "nystroem", "landmarks": 300}']::jsonb[]) AS o, (SELECT jsonb_agg(1 + id % 3 ORDER BY id) AS clusters FROM hand) AS c,
     LATERAL (SELECT (SELECT kernel_kmeans(x, 3, jsonb_build_object('standardize', true, 'init', clusters) || o ORDER BY id) FROM hand) AS a,
                     (SELECT kernel_kmeans(z, 3, jsonb_build_object('init', clusters) || o ORDER BY id) FROM hand) AS b) AS t;

-- the geometric median, and centroids of classes
SELECT pg_temp.same('geometric_median', 'distance', a, b) FROM (SELECT geometric_median(x, '{"standardize": true}') AS a, geometric_median(z) AS b FROM hand) AS t;
SELECT pg_temp.same('nearest_centroid ' || metric, 'distances', a, b), pg_temp.same('nearest_centroid ' || metric, 'decisions', a, b)
FROM unnest(ARRAY['euclidean', 'manhattan', 'chebyshev']) AS metric,
     LATERAL (SELECT nearest_centroid(label, x, jsonb_build_object('standardize', true, 'metric', metric)) AS a, nearest_centroid(label, z, jsonb_build_object('metric', metric)) AS b FROM hand) AS t;

SELECT * FROM finish();
ROLLBACK;
