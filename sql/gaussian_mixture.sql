-- Gaussian mixtures: what a user sees.
SET search_path = public, test, pgfit, pgfit_textbook;
CREATE FUNCTION test.rounded(numbers float8[], digits int DEFAULT 5) RETURNS numeric[] LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg(round(v::numeric, digits) ORDER BY o) FROM unnest(numbers) WITH ORDINALITY AS u(v, o)
$$;
CREATE FUNCTION test.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query;
END
$$;
-- three clouds of 300, 200 and 100 rows
CREATE TABLE stars AS
SELECT i, cloud, i % 2 AS half, 1 + i % 2 AS weight, 10 * cloud + (1 + cloud) * u AS a, 6 * (cloud % 2) + v + 0.5 * u AS b
FROM (SELECT i, CASE WHEN i % 6 < 3 THEN 0 WHEN i % 6 < 5 THEN 1 ELSE 2 END AS cloud,
             ((i * 7919::bigint) % 1009 + (i * 104729::bigint) % 1013 + (i * 65537::bigint) % 997 - 1509) / 500.0::float8 AS u,
             ((i * 31337::bigint) % 1019 + (i * 27644437::bigint) % 991 + (i * 514229::bigint) % 983 - 1496) / 500.0::float8 AS v
      FROM generate_series(1, 600) AS i) q;
CREATE TABLE sky AS SELECT gaussian_mixture(f, 3) AS m FROM stars, LATERAL (SELECT a, b) AS f;
SELECT round(weight::numeric, 2) AS weight, rounded(mean, 1) AS mean, rounded(covariance, 1) AS covariance
FROM sky, distributions(m) ORDER BY mean;
-- clusters are the clouds
SELECT count(DISTINCT cluster), count(*), round(max(wrong)) AS wrong
FROM (SELECT cloud, cluster, 100 - 100 * count(*) / sum(count(*)) OVER (PARTITION BY cloud) AS wrong
      FROM (SELECT cloud, cluster(m, (a, b)) AS cluster FROM sky, stars) q GROUP BY 1, 2) q WHERE wrong < 50;
SELECT predict(m, (a, b)) = cluster(m, (a, b)) AS same, count(*) FROM sky, stars GROUP BY 1;
-- soft clusters: shares that add up to 1, the largest is the cluster
SELECT bool_and(near((SELECT sum(p) FROM unnest(probabilities(m, (a, b))) p), 1, 1e-12)) AS sums,
       bool_and((probabilities(m, (a, b)))[cluster(m, (a, b))] = (SELECT max(p) FROM unnest(probabilities(m, (a, b))) p)) AS largest,
       bool_and(probabilities(m, (a, b)) = transform(m, (a, b))) AS transform FROM sky, stars;
-- the log likelihood is the sum of the log densities; rows far out have small ones
SELECT near(sum(decision(m, (a, b))), max((info(m) -> 'statistics' ->> 'log_likelihood')::float8), 1e-9) AS sum,
       min(decision(m, (a, b))) > max(decision(m, (-50, 50))) AS outlier FROM sky, stars;
SELECT cardinality(decisions(m, (1, 2))), cardinality(distances(m, (1, 2))), near(distance(m, (1, 2)), (SELECT min(d) FROM unnest(distances(m, (1, 2))) d))
FROM sky;
SELECT decision(m, (NULL::float8, 1)) IS NULL FROM sky;
-- what info shows
SELECT info(m) -> 'converged' AS converged, info(m) -> 'rows' AS rows,
       info(m) -> 'statistics' -> 'parameters' AS parameters,
       near((info(m) -> 'statistics' ->> 'aic')::float8, 34 - 2 * (info(m) -> 'statistics' ->> 'log_likelihood')::float8) AS aic,
       near((info(m) -> 'statistics' ->> 'bic')::float8, 17 * ln(600) - 2 * (info(m) -> 'statistics' ->> 'log_likelihood')::float8, 1e-9) AS bic
FROM sky;
-- the log likelihood never falls; with fewer parameters it is smaller
CREATE TABLE forms AS
SELECT form, gaussian_mixture((a, b), 3, jsonb_build_object('covariance', form, 'history', true, 'regularization', 0, 'tolerance', 1e-12)) AS m
FROM stars, unnest('{full,tied,diagonal,spherical}'::text[]) AS form GROUP BY form;
SELECT form, bool_and(h >= before - 1e-7) AS rising, count(*) > 2 AS several
FROM (SELECT form, h, lag(h, 1, h) OVER (PARTITION BY form ORDER BY o) AS before
      FROM forms, unnest(parameter(m, 'history')) WITH ORDINALITY AS u(h, o)) q GROUP BY form ORDER BY form;
SELECT form, info(m) -> 'statistics' -> 'parameters' AS parameters FROM forms ORDER BY 2 DESC;
SELECT bool_and((info(f.m) -> 'statistics' ->> 'log_likelihood')::float8 <= (info(g.m) -> 'statistics' ->> 'log_likelihood')::float8 + 1e-6)
FROM forms f, forms g WHERE g.form = 'full';
-- the order of the rows does not matter; weights are repeated rows
CREATE FUNCTION test.same_mixture(m pgfit.model, n pgfit.model, tolerance float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT bool_and(near_all(a.mean, b.mean, tolerance) AND near(a.weight, b.weight, tolerance))
    FROM (SELECT *, row_number() OVER (ORDER BY mean) AS r FROM pgfit.distributions(m)) a JOIN
         (SELECT *, row_number() OVER (ORDER BY mean) AS r FROM pgfit.distributions(n)) b USING (r)
$$;
SELECT same_mixture(m, (SELECT gaussian_mixture((a, b), 3 ORDER BY b DESC) FROM stars), 1e-9) FROM sky;
SELECT same_mixture(m, n, 1e-3) FROM
    (SELECT gaussian_mixture((a, b), 3, '{"tolerance": 1e-9}', weight) AS m FROM stars) p,
    (SELECT gaussian_mixture((a, b), 3, '{"tolerance": 1e-9}') AS n FROM stars, generate_series(1, weight)) q;
SELECT near((info(gaussian_mixture((a, b), 3, '{"weight_kind": "frequency"}', 2)) -> 'statistics' ->> 'log_likelihood')::float8,
            2 * (info(gaussian_mixture((a, b), 3)) -> 'statistics' ->> 'log_likelihood')::float8, 1e-9) FROM stars;
-- starts: random ones, seeds, by means, by a model
SELECT same_mixture(m, (SELECT gaussian_mixture((a, b), 3, '{"init": "random", "n_init": 5, "tolerance": 1e-8}') FROM stars), 0.01),
       same_mixture(m, (SELECT gaussian_mixture((a, b), 3, '{"init": "k-means++", "seed": 7, "tolerance": 1e-8}') FROM stars), 0.01),
       same_mixture(m, (SELECT gaussian_mixture((a, b), '{"init": [[0, 0], [10, 6], [20, 0]], "tolerance": 1e-8}'::jsonb) FROM stars), 0.01)
FROM sky;
SELECT info(gaussian_mixture(f, jsonb_build_object('start', (SELECT m::jsonb FROM sky), 'max_iter', 0))) -> 'iterations' AS iterations
FROM stars, LATERAL (SELECT a, b) AS f;
SELECT rounded(parameter(m, 'weights')), rounded(parameter(m, 'covariances'))
FROM (SELECT gaussian_mixture(a, '{"init": [[0], [9]], "init_weights": [0.25, 0.75], "init_covariances": [[2], [3]], "max_iter": 0}'::jsonb) AS m
      FROM stars) q;
-- groups; a budget of 1 MB
SELECT half, count(d.cluster) FROM (SELECT half, gaussian_mixture((a, b), 2) AS m FROM stars GROUP BY half) q, distributions(m) d GROUP BY half ORDER BY half;
CREATE TABLE wide AS SELECT a + k / 97.0 AS a, b + k / 89.0 AS b, a - b + k % 7 AS c FROM stars, generate_series(1, 100) AS k;
SET pgfit.fit_mem = '1MB';
CREATE TABLE small AS SELECT gaussian_mixture((a, b, c), 3, '{"max_iter": 5, "tolerance": 0, "init": [[0, 0, 0], [10, 6, 4], [20, 0, 20]]}') AS m FROM wide;
RESET pgfit.fit_mem;
SELECT same_mixture(s.m, g.m, 1e-9) FROM small s,
    (SELECT gaussian_mixture((a, b, c), 3, '{"max_iter": 5, "tolerance": 0, "init": [[0, 0, 0], [10, 6, 4], [20, 0, 20]]}') AS m FROM wide) g;
-- text, jsonb, summary
SELECT m::text::pgfit.model OPERATOR(pgfit.=) m, m::jsonb::pgfit.model OPERATOR(pgfit.=) m FROM sky;
SELECT summary(gaussian_mixture(f, '{"init": [[0, 0], [10, 6], [20, 0]]}'::jsonb)) FROM stars, LATERAL (SELECT a, b) AS f;
-- NULLs
SELECT info(m) -> 'skipped' AS skipped, info(m) -> 'rows' AS rows FROM (SELECT gaussian_mixture((CASE WHEN i > 50 THEN a END, b), 3) AS m FROM stars) q;
SELECT info(m) -> 'rows' AS rows, decision(m, (NULL::float8, 3)) IS NOT NULL AS imputed
FROM (SELECT gaussian_mixture((CASE WHEN i > 50 THEN a END, b), 3, '{"nulls": "impute"}') AS m FROM stars) q;

-- one iteration as an aggregate: three of them are three iterations of the fit
CREATE TABLE steps AS SELECT 0 AS step, gaussian_mixture(f, '{"init": [[0, 0], [10, 6], [20, 0]], "max_iter": 0}'::jsonb) AS m FROM stars, LATERAL (SELECT a, b) AS f;
INSERT INTO steps SELECT step + 1, (SELECT mixture_step(f, m) FROM stars, LATERAL (SELECT a, b) AS f) FROM steps WHERE step = 0;
INSERT INTO steps SELECT step + 1, (SELECT mixture_step(f, m, 2) FROM stars, LATERAL (SELECT b, a) AS f) FROM steps WHERE step = 1;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT bool_or(p LIKE '%Partial Aggregate%') AS partial FROM plan('SELECT mixture_step((a, b), (SELECT m FROM steps WHERE step = 2)) FROM stars') AS p;
INSERT INTO steps SELECT 3, mixture_step((a, b), (SELECT m FROM steps WHERE step = 2)) FROM stars;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
SET client_min_messages = error;
CREATE TABLE three AS SELECT gaussian_mixture(f, '{"init": [[0, 0], [10, 6], [20, 0]], "max_iter": 3, "tolerance": 0, "history": true}'::jsonb) AS m FROM stars, LATERAL (SELECT a, b) AS f;
RESET client_min_messages;
SELECT near_all(parameter(s.m, 'means'), parameter(t.m, 'means'), 1e-11) AS means, near_all(parameter(s.m, 'covariances'), parameter(t.m, 'covariances'), 1e-10) AS covariances,
       info(s.m) -> 'iterations' AS iterations, info(s.m) -> 'converged' AS converged, info(s.m) -> 'rows' AS rows,
       near((info(s.m) -> 'statistics' ->> 'log_likelihood')::float8, (parameter(t.m, 'history'))[3], 1e-9) AS before
FROM steps s, three t WHERE step = 3;
SELECT info(mixture_step(f, m)) -> 'converged' AS converged
FROM (SELECT mixture_step(f, m) AS m FROM sky, stars, LATERAL (SELECT a, b) AS f) q, stars, LATERAL (SELECT a, b) AS f;
-- by groups, each from its model; NULLs and weights of 0 are skipped
SELECT g, info(n) -> 'rows' AS rows, info(n) -> 'skipped' AS skipped
FROM (SELECT i % 2 AS g, mixture_step((nullif(a, (SELECT a FROM stars WHERE i = 2)), b), m, CASE WHEN i > 10 THEN 1.5 ELSE 0 END) AS n
      FROM stars, (SELECT m FROM steps WHERE step = 1) q GROUP BY 1) q ORDER BY g;
SELECT mixture_step((a, b), m) IS NULL AS none FROM stars, steps WHERE false;
SELECT mixture_step((a, b), NULL::pgfit.model) IS NULL AS none FROM stars;
SELECT try($$SELECT pgfit_textbook.mixture_step((a, b), m) FROM stars, steps WHERE step < 2$$);
SELECT try($$SELECT pgfit_textbook.mixture_step((a, b), (SELECT pgfit.pca((a, b), 1) FROM stars)) FROM stars$$);
SELECT try($$SELECT pgfit_textbook.mixture_step((a, b), m, -1) FROM stars, sky$$);
SELECT try($$SELECT pgfit_textbook.mixture_step((a, b, a), m) FROM stars, sky$$);
SELECT try($$SELECT pgfit_textbook.mixture_step((a, 'NaN'::float8), m) FROM stars, sky$$);
SELECT try($$SELECT pgfit_textbook.mixture_step((a * 1e300, b), m) FROM stars, sky$$);
SELECT try($$SELECT pgfit_internal.mixture_step_step(NULL, (1, 2), m) FROM sky$$);
SELECT try($$SELECT pgfit_internal.step_combine(m, m) FROM sky$$);
SELECT try($$SELECT pgfit_internal.step_final(m) FROM sky$$);
-- a forged state in an aggregate of one's own
CREATE AGGREGATE test.own_step("any", pgfit.model) (SFUNC = pgfit_internal.mixture_step_step, STYPE = pgfit.model,
    INITCOND = '{"pgfit":1,"min_reader":1,"kind":"model","estimator":"gaussian_mixture","slots":2,"fields":2,"rows":0,"skipped":0,"weight":0,"arrays":{"means":{"f64":[0,0],"shape":[1,2]},"weights":[1],"covariances":{"f64":[1,0,1],"shape":[1,3]}}}');
SELECT try($$SELECT test.own_step((a, b), m) FROM stars, sky$$);
DROP AGGREGATE test.own_step("any", pgfit.model);
DROP TABLE steps, three;

-- refusals
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), 0) FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), '{}'::jsonb) FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), 4) FROM stars WHERE i <= 3$$);
SELECT try($$SELECT pgfit.gaussian_mixture((1, 2), 2) FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, 1), 2, '{"regularization": 0}') FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, 'x'), 2) FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), 2) FROM stars WHERE false$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), 2, '{"covariance_type": "diagonals"}') FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), 2, '{"init": [[1, 2]]}') FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), 2, '{"init_weights": [0.5, 0.6]}') FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), 2, '{"init": [[1, 2], [3, 4]], "init_weights": [0.5]}') FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), 2, '{"init": [[1, 2], [3, 4]], "init_covariances": [[1, 2], [3, 4]]}') FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), 2, '{"init": [[1, 2], [3, 4]], "init_covariances": [[1, 0.5, 0.4, 1], [1, 0, 0, 1]]}') FROM stars$$);
-- covariances that are symmetric but for rounding, as other programs compute them, were refused
SELECT bool_and(near((probabilities(m, (a, b)))[2], (probabilities(n, (a, b)))[2], 1e-9)) AS same
FROM stars, (SELECT gaussian_mixture((a, b), 2, '{"init": [[1, 2], [3, 4]], "max_iter": 1, "init_covariances": [[1, 0.5000000000000001, 0.5, 1], [1, 0, 0, 1]]}') AS m,
                    gaussian_mixture((a, b), 2, '{"init": [[1, 2], [3, 4]], "max_iter": 1, "init_covariances": [[1, 0.5, 0.5, 1], [1, 0, 0, 1]]}') AS n FROM stars) AS f;
SELECT try($$SELECT pgfit.gaussian_mixture((a, b), jsonb_build_object('start', (SELECT pgfit.pca((a, b), 1) FROM stars)::jsonb)) FROM stars$$);
SELECT try($$SELECT pgfit.gaussian_mixture(f, 4, jsonb_build_object('start', m::jsonb)) FROM sky, stars, LATERAL (SELECT a, b) AS f$$);
SELECT try($$SELECT pgfit.gaussian_mixture(f, jsonb_build_object('start', m::jsonb, 'covariance', 'tied')) FROM sky, stars, LATERAL (SELECT a, b) AS f$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a, b, a), jsonb_build_object('start', m::jsonb)) FROM stars, sky$$);
SELECT try($$SELECT pgfit.gaussian_mixture((a * 1e300, b), 2, '{"init": [[1, 2], [3, 4]], "init_covariances": [[1, 0, 0, 1], [1, 0, 0, 1]]}') FROM stars$$);
SET pgfit.fit_mem = '1MB';
SELECT try($$SELECT pgfit.gaussian_mixture(x, 200) FROM (SELECT ARRAY(SELECT sin(i * j) FROM generate_series(1, 40) AS j) AS x FROM generate_series(1, 300) AS i) q$$);
SELECT try($$SELECT pgfit.pca(x, 2) FROM (SELECT ARRAY(SELECT sin(i * j) FROM generate_series(1, 300) AS j) AS x FROM generate_series(1, 20) AS i) q$$);
SELECT try($$SELECT pgfit.multivariate_normal(x) FROM (SELECT ARRAY(SELECT sin(i * j) FROM generate_series(1, 300) AS j) AS x FROM generate_series(1, 20) AS i) q$$);
RESET pgfit.fit_mem;
SELECT info(gaussian_mixture((a, b), 3, '{"max_iter": 1, "tolerance": 0}')) -> 'converged' AS converged FROM stars;
-- the only component has every weight, however its sum is rounded
SELECT n, (SELECT parameter(gaussian_mixture((x % 10, x % 7), 1, '{}', sqrt(x)), 'weights') FROM generate_series(1, n) AS x) AS weights FROM generate_series(401, 404) AS n;
SELECT try($$SELECT pgfit.classify(m, (1, 2)) FROM sky$$);
SELECT try($$SELECT pgfit.probability(m, (1, 2)) FROM sky$$);
SELECT try($$SELECT pgfit.distributions(pgfit.pca((a, b), 1)) FROM stars$$);
SELECT try($$SELECT pgfit.decision(m, (1e200, 2)) FROM sky$$);
DROP TABLE stars, sky, forms, wide, small;
DROP FUNCTION test.plan(text), test.rounded(float8[], int), test.same_mixture(pgfit.model, pgfit.model, float8);
-- given starts of each form with standardize are those of the standardized features: means in the units of the features, one variance in standard deviations
CREATE TABLE scaled AS SELECT i, a, b, (a - avg(a) OVER ()) / stddev_pop(a) OVER () AS za, (b - avg(b) OVER ()) / stddev_pop(b) OVER () AS zb
FROM (SELECT i, sin(i * 1.7) + 4 * (i % 2) AS a, 30 * cos(i * 2.3) + 100 * (i % 3) AS b FROM generate_series(1, 60) AS i) AS r;
SELECT form, bool_and(test.near_all(pgfit.probabilities(m, ROW(a, b)), pgfit.probabilities(n, ROW(za, zb)), 1e-9)) AS same
FROM (SELECT stddev_pop(a) AS sa, stddev_pop(b) AS sb, avg(a) AS ma, avg(b) AS mb FROM scaled) AS s,
    LATERAL (VALUES ('full', jsonb_build_array(ARRAY[sa * sa, 0.3 * sa * sb, 0.3 * sa * sb, sb * sb], ARRAY[sa * sa, 0, 0, 0.5 * sb * sb]), '[[1, 0.3, 0.3, 1], [1, 0, 0, 0.5]]'::jsonb),
        ('tied', jsonb_build_array(ARRAY[sa * sa, 0.3 * sa * sb, 0.3 * sa * sb, sb * sb]), '[[1, 0.3, 0.3, 1]]'), ('diagonal', jsonb_build_array(ARRAY[sa * sa, sb * sb], ARRAY[sa * sa, 0.5 * sb * sb]), '[[1, 1], [1, 0.5]]'),
        ('spherical', '[[1], [0.5]]', '[[1], [0.5]]')) AS v(form, own, standard),
    LATERAL (SELECT jsonb_build_object('covariance_type', form, 'init_weights', ARRAY[0.4, 0.6], 'max_iter', 3, 'tolerance', 0) AS o) AS options,
    LATERAL (SELECT pgfit.gaussian_mixture(ROW(a, b), o || jsonb_build_object('standardize', true, 'init', ARRAY[[ma - sa, mb - sb], [ma + sa, mb + sb]], 'init_covariances', own)) AS m,
                    pgfit.gaussian_mixture(ROW(za, zb), o || jsonb_build_object('init', ARRAY[[-1, -1], [1, 1]], 'init_covariances', standard)) AS n FROM scaled) AS f, scaled GROUP BY form ORDER BY form;
DROP TABLE scaled;
