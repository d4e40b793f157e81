-- Centroid, medoid, distances of all pairs, scatter and Gram matrices.
SET search_path = public, test, pgfit, pgfit_textbook;
CREATE TEMP TABLE ten AS SELECT * FROM (VALUES (1, ARRAY[1, 1]), (2, ARRAY[1.5, 2.2]), (3, ARRAY[2, 1.4]), (4, ARRAY[2.4, 2.9]), (5, ARRAY[2.8, 2.1]), (6, ARRAY[3.1, 3.3]),
    (7, ARRAY[1.2, 2.8]), (8, ARRAY[2.2, 3.6]), (9, ARRAY[3.4, 2.5]), (10, ARRAY[9, -4])) AS t(i, x);
-- the mean; the same from moments, from its parts, and in a frame
SELECT near_all(parameter(m, 'center'), '{2.86,1.78}'), near((info(m) #>> '{statistics,scatter}')::float8, 90.38), distance(m, ARRAY[2.86, 1.78]) < 1e-15
FROM (SELECT centroid(x) AS m FROM ten) s;
SELECT parameter(centroid(x), 'center') = parameter(fit('centroid', merge(e)), 'center') FROM ten, (SELECT feature_moments(x) AS e FROM ten) s GROUP BY e;
SELECT near_all(parameter(fit('centroid', merge(e)), 'center'), '{2.86,1.78}') FROM (SELECT feature_moments(x) AS e FROM ten GROUP BY i % 3) s;
SELECT i, near_all(parameter(centroid(x) OVER (ORDER BY i ROWS 1 PRECEDING), 'center'), ARRAY[avg(x[1]) OVER w, avg(x[2]) OVER w]::float8[]) FROM ten WINDOW w AS (ORDER BY i ROWS 1 PRECEDING) ORDER BY i LIMIT 3;
SELECT near_all(parameter(centroid(x, '{}', i), 'center'), ARRAY[sum(i * x[1]) / sum(i), sum(i * x[2]) / sum(i)]::float8[]) FROM ten;
SELECT centroid(x) IS NULL, medoid(x) IS NULL, distance_histogram(x, 3) IS NULL FROM ten WHERE false;
-- medoids
SELECT m, (SELECT i FROM ten WHERE x = parameter(model, 'center')::numeric[]) AS row, round((info(model) #>> '{statistics,objective}')::numeric, 9) AS objective
FROM (VALUES ('euclidean'), ('squared_euclidean'), ('manhattan'), ('chebyshev'), ('cosine')) AS metrics(m), LATERAL (SELECT medoid(x, jsonb_build_object('metric', m)) AS model FROM ten) s;
-- compared with all sums of distances, for every metric; in any order of the rows
CREATE TEMP TABLE cloud AS SELECT i, ARRAY[sin(i * 7.1), cos(i * 3.3) * 2, sin(i * i)] AS x FROM generate_series(1, 400) i;
CREATE FUNCTION test.medoid_by_sums(metric text, options jsonb) RETURNS float8[] LANGUAGE sql AS $$
    SELECT a.x FROM cloud a, cloud b GROUP BY a.i, a.x ORDER BY sum(pgfit.distance(a.x, b.x, metric, options - 'metric')) LIMIT 1
$$;
SELECT o, parameter(medoid(x, o), 'center') = test.medoid_by_sums(coalesce(o ->> 'metric', 'euclidean'), o)
FROM cloud, unnest(ARRAY['{}', '{"metric":"manhattan"}', '{"metric":"squared_euclidean"}', '{"metric":"cosine"}', '{"metric":"angular"}', '{"metric":"minkowski","p":3}', '{"metric":"minkowski","p":0.5}',
    '{"metric":"kernel","gamma":0.5}', '{"metric":"kernel","kernel":"polynomial","degree":2}', '{"metric":"elliptical","matrix":[[2,1,0],[1,2,0],[0,0,1]]}']::jsonb[]) o GROUP BY o ORDER BY o;
SELECT medoid(x ORDER BY i) = medoid(x ORDER BY i DESC), medoid(x ORDER BY i) = medoid(x ORDER BY x) FROM cloud;
-- far fewer distances than all
SELECT (info(medoid(ARRAY[tan(sin(i * 7.1)), cos(i * 3.3)])) #>> '{statistics,distance_evaluations}')::int < 4000 * 4000 / 5 FROM generate_series(1, 4000) i;
-- weights are repeated rows
SELECT parameter(medoid(x, '{}', 1 + i % 3), 'center') = (SELECT parameter(medoid(x), 'center') FROM ten, generate_series(0, i % 3)) FROM ten;
-- categories, groups, the far row of a model
SELECT g, info(m) -> 'rows' AS rows, round(distance(m, ('b'::text, 5))::numeric, 6) FROM (SELECT i % 2 AS g, medoid((CASE WHEN i % 5 = 0 THEN 'b' ELSE 'a' END, i)) AS m FROM generate_series(1, 21) i GROUP BY 1) s ORDER BY g;
SELECT distance(m, ('z'::text, 1)) FROM (SELECT medoid(('a'::text, 1)) AS m) s;
SELECT distance(m, ARRAY[0, 0]) IS NULL, distance(m, ARRAY[2, 2]) = 0 FROM (SELECT medoid(x, '{"metric":"cosine"}') AS m FROM (VALUES (ARRAY[1, 1])) AS t(x)) s;
SELECT m = m::text::model, m = m::jsonb::model FROM (SELECT medoid(x, '{"metric":"mahalanobis"}') AS m FROM cloud) s;
-- the row itself, which can be passed as features again
SELECT e.*, distance(m, e.features) FROM (SELECT medoid(f) AS m FROM (VALUES ('a"b'::text, 1.5, true), ('c', 2.5, false), ('a"b', 2.25, true)) AS t(name, x, flag), LATERAL (SELECT name, x, flag) f) s, exemplars(m) e;
SELECT e.exemplar, e.features FROM (SELECT centroid(x) AS m FROM ten WHERE i IN (1, 3)) s, exemplars(m) e;
SELECT e.exemplar, e.features FROM (SELECT medoid((ARRAY[1, 2], NULL::text), '{"nulls":"impute"}') AS m) s, exemplars(m) e;
SELECT e.exemplar, e.features FROM (SELECT kmedoids(x, 2) AS m FROM (VALUES (ARRAY[1, 1]), (ARRAY[1, 1]), (ARRAY[9, 9]), (ARRAY[9, 9])) AS t(x)) s, exemplars(m) e ORDER BY features;
-- distances of all pairs
SELECT info(m) -> 'statistics' ->> k AS value, k FROM (SELECT distance_histogram(x, 4) AS m FROM (VALUES (ARRAY[0, 0]), (ARRAY[3, 4]), (ARRAY[3, 4]), (ARRAY[6, 8])) AS t(x)) s,
     unnest(ARRAY['pairs', 'zero_pairs', 'min', 'max', 'compared', 'outside']) k;
SELECT h.*, parameter(m, 'quantiles') FROM (SELECT distance_histogram(x, '{"bins":2,"quantiles":[0,0.5,0.9,1]}'::jsonb) AS m FROM (VALUES (ARRAY[0, 0]), (ARRAY[3, 4]), (ARRAY[3, 4]), (ARRAY[6, 8])) AS t(x)) s, histogram(m) h;
SELECT near((info(m) #>> '{statistics,mean}')::float8, avg(d)), near((info(m) #>> '{statistics,sd}')::float8, stddev_pop(d), 1e-11), near_all(parameter(m, 'quantiles'), q, 1e-13)
FROM (SELECT distance_histogram(x, 7) AS m FROM cloud) s,
     LATERAL (SELECT array_agg(d) AS ds, percentile_cont(ARRAY[0.05, 0.25, 0.5, 0.75, 0.95]) WITHIN GROUP (ORDER BY d) AS q FROM (SELECT euclidean_distance(a.x, b.x) AS d FROM cloud a, cloud b WHERE a.i < b.i) p) p, unnest(ds) d GROUP BY m, q;
SELECT sum(h.count) = 400 * 399 / 2, count(*) FROM (SELECT distance_histogram(x, 7) AS m FROM cloud) s, histogram(m) h;
SELECT info(m) #>> '{statistics,outside}' AS outside, (SELECT sum(count) FROM histogram(m)) AS inside FROM (SELECT distance_histogram(x, '{"low":1,"high":2}'::jsonb) AS m FROM cloud) s;
-- a sample only on request; it is the same in any order of rows, and info shows its size
SELECT info(a) #>> '{statistics,compared}' AS compared, a = b, a <> c FROM (SELECT distance_histogram(x, 5, '{"sample_size":50}' ORDER BY i) AS a, distance_histogram(x, 5, '{"sample_size":50}' ORDER BY x) AS b, distance_histogram(x, 5, '{"sample_size":50,"seed":1}') AS c FROM cloud) s;
SELECT info(distance_histogram(x, 5, '{"sample_size":5000}')) #>> '{statistics,compared}' FROM cloud;
SET pgfit.fit_mem = '1MB';
SELECT try($$SELECT pgfit.distance_histogram(ARRAY[i, sin(i)], 5) FROM generate_series(1, 5000) i$$);
SELECT try($$SELECT pgfit.medoid(ARRAY[i, sin(i), cos(i)]) FROM generate_series(1, 50000) i$$);
SELECT info(distance_histogram(ARRAY[i, sin(i)], '{"sample_size":100}'::jsonb)) #>> '{statistics,pairs}' FROM generate_series(1, 5000) i;
RESET pgfit.fit_mem;
-- in many dimensions all distances are about equal
SELECT a < 0.2, b > 0.5 FROM (SELECT (info(distance_histogram(ARRAY[sin(i * 7.0)], 5)) #>> '{statistics,nearest_farthest}')::float8 AS a FROM generate_series(1, 100) i) s,
     (SELECT (info(distance_histogram((SELECT array_agg(sin(i * 7.0 + j * j * 1.3 * i)) FROM generate_series(1, 200) j), 5)) #>> '{statistics,nearest_farthest}')::float8 AS b FROM generate_series(1, 100) i) t;
-- scatter and its parts
CREATE TEMP TABLE parts AS SELECT * FROM (VALUES (1, ARRAY[0, 3]), (1, ARRAY[3, 3]), (2, ARRAY[3, 0]), (2, ARRAY[-2, -4]), (2, ARRAY[-4, -2])) AS t(k, x);
SELECT scatter_matrix(e), scatter_matrix(c), within_scatter(c), near_all((SELECT array_agg(v) FROM unnest(between_scatter(c)) v), '{7.5,15,15,30}'), scatter(e), scatter(c) FROM (SELECT feature_moments(x) AS e, class_moments(k, x) AS c FROM parts) s;
SELECT covariance_matrix(e), covariance_matrix(e, true) = ARRAY[[9.5, 6.25], [6.25, 9.5]]::float8[], near((correlation_matrix(e))[1][2], 25 / 38.0) FROM (SELECT feature_moments(x) AS e FROM parts) s;
SELECT array_agg(round(v::numeric, 12)::float8) FROM (SELECT feature_moments(ARRAY[i, 2 * i, -i, 5]) AS e FROM generate_series(1, 3) i) s, unnest(correlation_matrix(e)) v;
SELECT near((correlation_matrix(e))[1][2], corr(a, b), 1e-6), near((covariance_matrix(e, true))[1][2], covar_samp(a, b), 1e-6), near((covariance_matrix(e))[1][2], covar_pop(a, b), 1e-6)
FROM (SELECT feature_moments(ARRAY[1e9 + sin(i), cos(i * i) + sin(i)]) AS e, array_agg(1e9 + sin(i)) AS aa, array_agg(cos(i * i) + sin(i)) AS bb FROM generate_series(1, 90) i) s, unnest(aa, bb) AS t(a, b) GROUP BY e;
SELECT covariance_matrix(feature_moments(x), true) IS NULL, covariance_matrix(feature_moments(x)) FROM ten WHERE i = 1;
-- Gram matrices
SELECT gram_matrix(x, 'linear' ORDER BY i) FROM (VALUES (1, ARRAY[1, 2]), (2, ARRAY[-1, 2]), (3, NULL), (4, ARRAY[-1, -2])) AS t(i, x);
SELECT bool_and(near(g[a.i][b.i], kernel(a.x, b.x, k, o), 1e-12)) FROM (VALUES ('linear', '{}'::jsonb), ('polynomial', '{"degree":2,"coef0":1}'), ('rbf', '{"gamma":0.3}'), ('sigmoid', '{"gamma":0.1}')) AS kernels(k, o),
     LATERAL (SELECT gram_matrix(x, k, o ORDER BY i) AS g FROM ten) s, ten a, ten b;
SELECT near(sum(v), 0) OR abs(sum(v)) < 1e-12 FROM (SELECT center_gram(gram_matrix(x, 'rbf', '{"sigma":1}')) AS c FROM ten) s, unnest(c) v;
SELECT gram_matrix(x, 'rbf') IS NULL FROM ten WHERE false;
-- refusals
SELECT try(s) FROM unnest(ARRAY[
    $$SELECT pgfit.centroid(('a'::text, i)) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.medoid(x, '{"metric":"euclid"}'::jsonb) FROM (VALUES (ARRAY[1])) AS t(x)$$,
    $$SELECT pgfit.medoid(x, '{"metric":"cosine"}'::jsonb) FROM (VALUES (ARRAY[1, 1]), (ARRAY[0, 0])) AS t(x)$$,
    $$SELECT pgfit.medoid(x, '{"metric":"mahalanobis"}'::jsonb) FROM (VALUES (ARRAY[1, 1]), (ARRAY[2, 2])) AS t(x)$$,
    $$SELECT pgfit.medoid(x, '{"metric":"standardized_euclidean"}'::jsonb) FROM (VALUES (ARRAY[1, 1]), (ARRAY[1, 2])) AS t(x)$$,
    $$SELECT pgfit.medoid(x, '{"metric":"minkowski","p":0}'::jsonb) FROM (VALUES (ARRAY[1, 1])) AS t(x)$$,
    $$SELECT pgfit.medoid(x, '{"metric":"kernel","gamma":1,"sigma":1}'::jsonb) FROM (VALUES (ARRAY[1, 1])) AS t(x)$$,
    $$SELECT pgfit.medoid(('a'::text, i), '{"metric":"cosine"}'::jsonb) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.medoid(x) FROM (VALUES (ARRAY[1.7e308, 0]), (ARRAY[-1.7e308, 0])) AS t(x)$$,
    $$SELECT pgfit.distance_histogram(ARRAY[i], 0) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.distance_histogram(ARRAY[i], 5, '{"low":3,"high":1}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.distance_histogram(ARRAY[i], 5, '{"quantiles":[2]}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.distance_histogram(ARRAY[i], 5, '{"quantiles":[]}') FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.distance_histogram(ARRAY[i], 5, '{}', 2.0) FROM generate_series(1, 3) i$$,
    $$SELECT count(*) FROM (SELECT pgfit.centroid(ARRAY[i]) AS m FROM generate_series(1, 3) i) s, pgfit.histogram(m)$$,
    $$SELECT pgfit.exemplars(pgfit.hierarchical(i, ARRAY[i])) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.exemplars(pgfit.feature_moments(ARRAY[i])) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit_textbook.scatter_matrix(pgfit.moments(i, ARRAY[i])) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit_textbook.scatter(pgfit.centroid(ARRAY[i])) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit_textbook.within_scatter(pgfit.feature_moments(ARRAY[i])) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit.correlation_matrix(pgfit.feature_moments(('a'::text, i))) FROM generate_series(1, 3) i$$,
    $$SELECT pgfit_textbook.gram_matrix(x, 'linear') FROM (VALUES (ARRAY[1, 1]), (ARRAY[1])) AS t(x)$$,
    $$SELECT pgfit_textbook.gram_matrix(('a'::text, 1), 'linear')$$,
    $$SELECT pgfit_textbook.gram_matrix(ARRAY[1], k) FROM (VALUES ('linear'), ('polynomial')) AS t(k)$$,
    $$SELECT pgfit_textbook.gram_matrix(ARRAY[1], NULL)$$,
    $$SELECT pgfit_textbook.gram_matrix(ARRAY[1e200], 'linear')$$,
    $$SELECT pgfit_textbook.center_gram('{{1,2}}')$$,
    $$SELECT pgfit_textbook.center_gram('{{1,NULL},{2,3}}')$$,
    $$SELECT pgfit_textbook.center_gram('{}')$$]) AS s;
