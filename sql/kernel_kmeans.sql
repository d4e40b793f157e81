-- kernel_kmeans: known answers, shapes, starts, weights, scores, refusals.
CREATE TABLE few (id int, a float8, b float8);
INSERT INTO few VALUES (1, 1, 1), (2, 1.5, 2), (3, 3, 3.75), (4, 5, 7), (5, 3.5, 5), (6, 4.5, 5), (7, 3.5, 4.5);
CREATE FUNCTION rounded(numbers float8[]) RETURNS numeric[] LANGUAGE sql AS $$
    SELECT array_agg(round(x::numeric, 4) ORDER BY n) FROM unnest(numbers) WITH ORDINALITY AS t(x, n)
$$;
-- with the linear kernel the objective is that of k-means
SELECT kernel, assignment, pgfit.parameter(m, 'sizes') AS sizes, round((pgfit.info(m) -> 'statistics' ->> 'inertia')::numeric, 6) AS inertia, pgfit.info(m) -> 'converged' AS converged
FROM (VALUES ('linear'), ('rbf'), ('polynomial')) AS v(kernel), (VALUES ('centroid'), ('average_distance')) AS w(assignment),
    LATERAL (SELECT pgfit.kernel_kmeans((a, b), 2, jsonb_build_object('kernel', kernel, 'assignment', assignment, 'init', '[1, 1, 1, 2, 2, 2, 2]'::jsonb) ORDER BY id) AS m FROM few) AS fit
ORDER BY kernel, assignment;
SELECT test.near((pgfit.info(kernel) -> 'statistics' ->> 'inertia')::float8, (pgfit.info(means) -> 'statistics' ->> 'inertia')::float8, 1e-12) AS inertia,
    test.near_all(pgfit.distances(kernel, f), pgfit.distances(means, f), 1e-9) AS distances
FROM (SELECT pgfit.kernel_kmeans((a, b), 2, '{"kernel": "linear", "init": [1, 1, 1, 2, 2, 2, 2]}'::jsonb ORDER BY id) AS kernel,
        pgfit.kmeans((a, b), '{"init": [[1.8, 2.25], [4.125, 5.375]]}'::jsonb) AS means FROM few) AS fit, (SELECT 4 AS a, 2 AS b) AS f;
-- using it: training rows are in the cluster that they were fitted into, new ones in the nearest
CREATE TABLE fitted AS SELECT pgfit.kernel_kmeans(f, 2, '{"gamma": 0.1}'::jsonb ORDER BY id) AS m FROM few, LATERAL (SELECT a, b) AS f;
SELECT id, pgfit.cluster(m, f) = pgfit.predict(m, f) AS same, pgfit.cluster(m, f) - 1 = (pgfit.parameter(m, 'clusters'))[id] AS own,
    round(pgfit.distance(m, f)::numeric, 4) AS distance, rounded(pgfit.distances(m, f)) AS distances
FROM fitted, few, LATERAL (SELECT b, a) AS f ORDER BY id;
SELECT test.near(sum(pgfit.distance(m, (a, b)) ^ 2), (pgfit.info(m) -> 'statistics' ->> 'inertia')::float8, 1e-12) AS inertia FROM fitted, few GROUP BY m;
SELECT pgfit.cluster(m, (0, 0)) = pgfit.cluster(m, (1, 1)) AS near, round(pgfit.distance(m, (1000, 1000))::numeric, 4) AS far, pgfit.cluster(m, (NULL::float8, 1)) IS NULL AS nothing FROM fitted;
SELECT m OPERATOR(pgfit.=) m::text::pgfit.model AS text, m OPERATOR(pgfit.=) (m::jsonb)::pgfit.model AS json FROM fitted;
SELECT pgfit.info(m) -> 'implementation' -> 'arrays' AS arrays, pgfit.info(m) -> 'statistics' -> 'kernel_evaluations' AS evaluations FROM fitted;
-- rings, which k-means cannot separate
CREATE TABLE rings AS
SELECT i AS id, i % 2 AS ring, (1 + 9 * (i % 2)) * cos(i * 2.399963) / 2 AS x, (1 + 9 * (i % 2)) * sin(i * 2.399963) / 2 AS y FROM generate_series(1, 400) AS i;
SELECT pgfit.adjusted_rand_index(ring, pgfit.cluster(kernel, (x, y))) AS kernel, pgfit.adjusted_rand_index(ring, pgfit.cluster(means, (x, y))) < 0.5 AS means
FROM rings, (SELECT pgfit.kernel_kmeans((x, y), 2, '{"sigma": 1}'::jsonb) AS kernel, pgfit.kmeans((x, y), 2) AS means FROM rings) AS fit;
-- whatever the order of the rows; weights; groups; windows
SELECT test.near((pgfit.info(a) -> 'statistics' ->> 'inertia')::float8, (pgfit.info(b) -> 'statistics' ->> 'inertia')::float8, 1e-12) AS inertia,
    pgfit.parameter(a, 'sizes') = pgfit.parameter(b, 'sizes') AS sizes
FROM (SELECT pgfit.kernel_kmeans((x, y), 5, '{"init": "random"}'::jsonb) AS a FROM rings) AS a,
    (SELECT pgfit.kernel_kmeans((x, y), 5, '{"init": "random"}'::jsonb) AS b FROM (SELECT * FROM rings ORDER BY md5(id::text)) AS s) AS b;
SELECT test.near((pgfit.info(w) -> 'statistics' ->> 'inertia')::float8, (pgfit.info(r) -> 'statistics' ->> 'inertia')::float8, 1e-12) AS inertia,
    test.near_all(pgfit.distances(w, (1, 2)), pgfit.distances(r, (1, 2)), 1e-9) AS distances
FROM (SELECT pgfit.kernel_kmeans((x, y), 2, '{"gamma": 0.5}'::jsonb, 1 + id % 2) AS w FROM rings) AS w,
    (SELECT pgfit.kernel_kmeans((x, y), 2, '{"gamma": 0.5}'::jsonb) AS r FROM rings, generate_series(0, id % 2)) AS r;
SELECT ring, cardinality(pgfit.parameter(pgfit.kernel_kmeans((x, y), 2), 'sizes')) AS k FROM rings GROUP BY ring ORDER BY ring;
SELECT count(DISTINCT pgfit.cluster(m, (x, y))) AS clusters FROM (SELECT x, y, pgfit.kernel_kmeans((x, y), 3) OVER () AS m FROM rings) AS w;
SELECT pgfit.kernel_kmeans((a, b), 2) IS NULL AS nothing FROM few WHERE false;
SELECT pgfit.info(pgfit.kernel_kmeans((x, y), 1)) -> 'skipped' AS skipped FROM (VALUES (1, 2), (NULL, 3), (4, 5)) AS v(x, y);
-- equal rows, too few rounds
SELECT pgfit.parameter(pgfit.kernel_kmeans(x, 3), 'sizes') AS sizes FROM (VALUES (1), (1), (1), (2)) AS v(x);
SELECT pgfit.info(pgfit.kernel_kmeans((x, y), 4, '{"init": "random", "n_init": 1, "max_iter": 1}'::jsonb)) -> 'converged' AS converged FROM rings;
-- refused
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 0) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 8) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, '{}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 2, '{"init": [1, 2]}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 2, '{"init": [1, 2, 3, 1, 1, 1, 1]}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 2, '{"init": [1, 1.5, 2, 1, 1, 1, 1]}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 2, '{"init": "nowhere"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 2, '{"gamma": 1, "sigma": 2}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 2, '{"kernel": "linear", "gamma": 1}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 2, '{"kernel": "rbff"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a, 2, '{"assignment": "median"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans((a, id::text), 2) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(a * 1e200, 2, '{"kernel": "polynomial"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans(x, 2) FROM (VALUES ('NaN'::float8), (2)) AS v(x)$$);
SET pgfit.fit_mem = '64kB';
SELECT test.try($$SELECT pgfit.kernel_kmeans((x, y), 40) FROM rings$$);
RESET pgfit.fit_mem;
SELECT test.try($$SELECT pgfit.classify(m, (1, 2)) FROM fitted$$);
-- values typed by hand
SELECT test.try(format($$SELECT %L::pgfit.model$$, replace(m::text, '"clusters"', '"groups"'))) FROM fitted;
SELECT test.try(format($$SELECT %L::pgfit.model$$, jsonb_set(m::jsonb, '{arrays,clusters}', '[0, 0, 0, 1, 1, 1, 2]'))) FROM fitted;
SELECT test.try(format($$SELECT %L::pgfit.model$$, jsonb_set(m::jsonb, '{arrays,clusters}', '[0, 1]'))) FROM fitted;
SELECT test.try(format($$SELECT %L::pgfit.model$$, jsonb_set(m::jsonb, '{arrays,kernel}', '[9, 1, 0, 1]'))) FROM fitted;
SELECT test.try(format($$SELECT %L::pgfit.model$$, jsonb_set(m::jsonb, '{arrays,offsets}', '[0]'))) FROM fitted;
SELECT test.try(format($$SELECT pgfit.cluster(%L::pgfit.model, (1, 1))$$, jsonb_set(m::jsonb, '{arrays,sizes}', '[0, -1]'))) FROM fitted;
DROP TABLE few, fitted, rings;
DROP FUNCTION rounded;
-- a cluster that "init" gives no rows begins at the mean of another one, as one of k-means with equal starts, and not where a third of the other rows are
CREATE TABLE starts AS SELECT i, CASE WHEN i <= 24 THEN -i / 2.0 ELSE i END AS x, i % 2 AS y, CASE WHEN i <= 24 THEN 1 ELSE 3 END AS c FROM generate_series(1, 60) AS i;
SELECT test.near((pgfit.info(m) -> 'statistics' ->> 'inertia')::float8, (pgfit.info(k) -> 'statistics' ->> 'inertia')::float8, 1e-9) AS inertia, (pgfit.info(m) -> 'statistics' ->> 'k')::int AS k
FROM (SELECT jsonb_agg(c ORDER BY i) AS init, jsonb_build_array(avg(x) FILTER (WHERE c = 1), avg(y) FILTER (WHERE c = 1)) AS low, jsonb_build_array(avg(x) FILTER (WHERE c = 3), avg(y) FILTER (WHERE c = 3)) AS high FROM starts) AS s,
    LATERAL (SELECT pgfit.kernel_kmeans((x, y), 3, jsonb_build_object('kernel', 'linear', 'approximation', 'nystroem', 'init', init) ORDER BY i) AS m, pgfit.kmeans((x, y), jsonb_build_object('init', jsonb_build_array(low, low, high))) AS k FROM starts) AS f;
DROP TABLE starts;
