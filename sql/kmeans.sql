-- kmeans: known answers, starts, choice of k, weights, groups, windows, memory, scores, refusals.
CREATE FUNCTION facts(m pgfit.model) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('k', s -> 'k', 'inertia', round((s ->> 'inertia')::numeric, 6), 'between', round((s ->> 'between_scatter')::numeric, 6),
        'total', round((s ->> 'total_scatter')::numeric, 6), 'iterations', i -> 'iterations', 'converged', i -> 'converged')
    FROM (SELECT pgfit.info(m) AS i, pgfit.info(m) -> 'statistics' AS s) AS f
$$;
CREATE FUNCTION rounded(numbers float8[]) RETURNS numeric[] LANGUAGE sql AS $$
    SELECT array_agg(round(x::numeric, 4) ORDER BY n) FROM unnest(numbers) WITH ORDINALITY AS t(x, n)
$$;
CREATE TABLE few (id int, a float8, b float8);
INSERT INTO few VALUES (1, 1, 1), (2, 1.5, 2), (3, 3, 3.75), (4, 5, 7), (5, 3.5, 5), (6, 4.5, 5), (7, 3.5, 4.5);

-- known answers
SELECT facts(m), rounded(pgfit.parameter(m, 'centroids')) AS centroids, pgfit.parameter(m, 'sizes') AS sizes, rounded(pgfit.parameter(m, 'history')) AS history
FROM (SELECT pgfit.kmeans((a, b), 2, '{"init": [[1, 1], [5, 7]], "history": true}'::jsonb) AS m FROM few) AS fit;
SELECT facts(pgfit.kmeans(x, 2, '{"n_init": 25}'::jsonb)) FROM (VALUES (8), (44), (50), (58), (84)) AS v(x);
SELECT facts(pgfit.kmeans(x, 1)) FROM (VALUES (8), (44), (50), (58), (84)) AS v(x);
SELECT facts(pgfit.kmeans((a, b), '{"init": [[1, 1], [5, 7]]}'::jsonb)) FROM few;

-- using it
CREATE TABLE fitted AS SELECT pgfit.kmeans(f, 2, '{"init": [[1, 1], [5, 7]]}'::jsonb) AS m FROM few, LATERAL (SELECT a, b) AS f;
SELECT id, pgfit.cluster(m, (a, b)), pgfit.predict(m, (a, b)), round(pgfit.distance(m, (a, b))::numeric, 4) AS distance, rounded(pgfit.distances(m, (a, b))) AS distances
FROM few, fitted ORDER BY id;
SELECT pgfit.cluster(m, f) FROM fitted, LATERAL (SELECT 4 AS b, 4 AS a) AS f;
SELECT pgfit.distance(m, ARRAY[1e300, 0]) > 9e299 AS far, pgfit.cluster(m, ARRAY[NULL, 1]) IS NULL AS missing FROM fitted;
SELECT centroid, class, term, round(value::numeric, 4) AS value FROM fitted, pgfit.centroids(m) ORDER BY centroid, term;
SELECT m OPERATOR(pgfit.=) m::text::pgfit.model AND m OPERATOR(pgfit.=) m::jsonb::pgfit.model AS same FROM fitted;

-- blobs for what follows
CREATE TABLE blobs AS
SELECT i AS id, i % 4 AS blob, (i % 4) * 10 + sin(i * 12.9898) * 2 AS x, (i % 2) * 10 + cos(i * 78.233) * 2 AS y FROM generate_series(1, 2000) AS i;

-- every start finds them
CREATE TABLE starts AS SELECT init, pgfit.kmeans((x, y), 4, jsonb_build_object('init', init, 'n_init', 5)) AS m
FROM blobs, unnest('{k-means++,k-means||,random,partition}'::text[]) AS init GROUP BY init;
SELECT init, (array_agg(facts(m) - 'iterations'))[1] AS facts, pgfit.adjusted_rand_index(blob, pgfit.cluster(m, (x, y))) AS agreement
FROM blobs, starts GROUP BY init ORDER BY init;
SELECT test.try($$SELECT pgfit.kmeans((x, y), 4, '{"algorithm": "elkan"}') FROM blobs$$);
-- the same clusters whatever the order of the rows, and from one megabyte as from more
CREATE TABLE shuffled AS SELECT * FROM blobs ORDER BY md5(id::text);
SELECT test.near_all(pgfit.parameter(a, 'centroids'), pgfit.parameter(b, 'centroids'), 1e-12) AS same
FROM (SELECT pgfit.kmeans((x, y), 7) AS a FROM blobs) AS a, (SELECT pgfit.kmeans((x, y), 7) AS b FROM shuffled) AS b;
CREATE TABLE many WITH (parallel_workers = 0) AS SELECT ARRAY[sin(i * 12.9898), cos(i * 78.233), sin(i * 3.3), cos(i * 0.7)] AS x FROM generate_series(1, 60000) AS i;
SET pgfit.fit_mem = '1MB';
CREATE TABLE little AS SELECT pgfit.kmeans(x, 5, '{"max_iter": 10, "tolerance": 0.001}'::jsonb) AS m FROM many;
RESET pgfit.fit_mem;
SELECT pgfit.parameter(m, 'centroids') = pgfit.parameter(l, 'centroids') AS same
FROM (SELECT pgfit.kmeans(x, 5, '{"max_iter": 10, "tolerance": 0.001}'::jsonb) AS m FROM many) AS fit, (SELECT m AS l FROM little) AS little;
SELECT (pgfit.info(m) -> 'statistics' ->> 'inertia')::float8 < 1.2 * (pgfit.info(f) -> 'statistics' ->> 'inertia')::float8 AS near
FROM (SELECT pgfit.kmeans((x, y), 4, '{"batch_size": 100}'::jsonb) AS m, pgfit.kmeans((x, y), 4) AS f FROM blobs) AS fits;

-- k by a criterion
SELECT criterion, pgfit.info(m) -> 'statistics' -> 'k' AS k, cardinality(pgfit.parameter(m, 'k_criterion')) AS tried
FROM unnest('{silhouette,calinski_harabasz,gap}'::text[]) AS criterion,
    LATERAL (SELECT pgfit.kmeans((x, y), jsonb_build_object('k', '[2, 7]'::jsonb, 'criterion', criterion, 'n_init', 3)) AS m FROM blobs WHERE id <= 400) AS fit
ORDER BY criterion;
-- the criterion is what the aggregates say of the clusters, whatever the weights
SELECT kind, test.near((pgfit.parameter(m, 'k_criterion'))[3], pgfit.silhouette(pgfit.cluster(f, (x, y)), (x, y), jsonb_build_object('metric', 'squared_euclidean', 'weight_kind', kind), 1 + id % 3), 1e-9) AS silhouette,
    test.near((pgfit.parameter(c, 'k_criterion'))[3], pgfit.calinski_harabasz(pgfit.cluster(f, (x, y)), (x, y), jsonb_build_object('weight_kind', kind), 1 + id % 3), 1e-9) AS calinski_harabasz
FROM blobs, unnest('{frequency,precision}'::text[]) AS kind,
    LATERAL (SELECT pgfit.kmeans((x, y), 4, o, 1 + id % 3) AS f, pgfit.kmeans((x, y), o || '{"k": [2, 4]}', 1 + id % 3) AS m,
            pgfit.kmeans((x, y), o || '{"k": [2, 4], "select": "calinski_harabasz"}', 1 + id % 3) AS c
        FROM blobs, (SELECT jsonb_build_object('weight_kind', kind) AS o) AS o GROUP BY o) AS fits
GROUP BY kind, m, c ORDER BY kind;

-- weights, groups, frames
SELECT test.near_all(pgfit.parameter(w, 'centroids'), pgfit.parameter(r, 'centroids'), 1e-10) AS same
FROM (SELECT pgfit.kmeans((x, y), 4, '{}'::jsonb, 1 + id % 2) AS w FROM blobs) AS w,
    (SELECT pgfit.kmeans((x, y), 4, '{}'::jsonb) AS r FROM blobs, generate_series(0, id % 2)) AS r;
SELECT blob, facts(pgfit.kmeans((x, y), 2)) -> 'k' AS k, count(*) FROM blobs GROUP BY blob ORDER BY blob;
SELECT count(DISTINCT cluster) AS clusters, count(DISTINCT m) AS models
FROM (SELECT m, pgfit.cluster(m, (x, y)) AS cluster FROM (SELECT x, y, pgfit.kmeans((x, y), 4) OVER () AS m FROM blobs) AS w) AS scored;
SELECT pgfit.kmeans((x, y), 2) IS NULL AS nothing FROM blobs WHERE false;
SELECT pgfit.info(pgfit.kmeans((x, y), 1)) -> 'skipped' AS skipped FROM (VALUES (1, 2), (NULL, 3), (4, 5)) AS v(x, y);

-- fewer values than clusters, too few passes
SELECT facts(pgfit.kmeans(x, 3)) FROM (VALUES (1), (1), (1), (2)) AS v(x);
SELECT facts(pgfit.kmeans((x, y), 6, '{"max_iter": 1}'::jsonb)) -> 'converged' AS converged FROM blobs;
SELECT facts(pgfit.kmeans(x, 3, '{"init": [[0.5], [1.5], [1000]]}'::jsonb)) AS reseeded FROM (VALUES (0), (1), (2), (100)) AS v(x);

-- one pass at a time: the steps of a fit, parallel as serial, through text, rows merged
CREATE TABLE steps AS SELECT 0 AS step, pgfit.kmeans((x, y), '{"init": [[0, 0], [10, 10], [20, 0], [30, 11]], "max_iter": 0}'::jsonb) AS m FROM blobs;
INSERT INTO steps SELECT 1, (SELECT pgfit_textbook.kmeans_step((x, y), m) FROM blobs) FROM steps WHERE step = 0;
INSERT INTO steps SELECT 2, (SELECT pgfit_textbook.kmeans_step((x, y), m) FROM blobs) FROM steps WHERE step = 1;
INSERT INTO steps SELECT 3, (SELECT pgfit_textbook.kmeans_step((x, y), m) FROM blobs) FROM steps WHERE step = 2;
SELECT step, pgfit.info(m) -> 'converged' AS converged, test.near_all(pgfit.parameter(m, 'centroids'), pgfit.parameter(f, 'centroids'), 1e-12) AS same,
    test.near((pgfit.info(m) -> 'statistics' ->> 'inertia')::float8, (pgfit.info(f) -> 'statistics' ->> 'inertia')::float8, 1e-12) AS inertia
FROM steps, (SELECT pgfit.kmeans((x, y), '{"init": [[0, 0], [10, 10], [20, 0], [30, 11]]}'::jsonb) AS f FROM blobs) AS fit WHERE step > 0 ORDER BY step;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
INSERT INTO steps SELECT 4, pgfit_textbook.kmeans_step((x, y), (SELECT m FROM steps WHERE step = 0)) FROM blobs;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
SELECT test.near_all(pgfit.parameter(a.m, 'centroids'), pgfit.parameter(b.m, 'centroids'), 1e-12) AS parallel FROM steps a, steps b WHERE a.step = 1 AND b.step = 4;
SELECT pgfit_textbook.kmeans_step((x, y), m) IS NULL AS none FROM blobs, steps WHERE false;
SELECT pgfit.info(pgfit_textbook.kmeans_step((nullif(x, x), y), m)) AS none FROM blobs, steps WHERE step = 0;
SELECT test.try($$SELECT pgfit_textbook.kmeans_step((x, y), m) FROM blobs, steps WHERE step < 2$$);
SELECT test.try($$SELECT pgfit_textbook.kmeans_step((x, y), (SELECT pgfit.pca((x, y), 1) FROM blobs)) FROM blobs$$);
SELECT test.try($$SELECT pgfit_textbook.kmeans_step((x, y), m, -1) FROM blobs, steps WHERE step = 0$$);
SELECT test.try($$SELECT pgfit_textbook.kmeans_step((x * 1e200, y), m) FROM blobs, steps WHERE step = 0$$);
SELECT test.try($$SELECT pgfit_internal.step_combine(m, m) FROM steps WHERE step = 0$$);

-- refused
SELECT test.try($$SELECT pgfit.kmeans(x, 0) FROM (VALUES (1), (2)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, 3) FROM (VALUES (1), (2)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, '{}'::jsonb) FROM (VALUES (1), (2)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, 2, '{"k": 2}'::jsonb) FROM (VALUES (1), (2)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, '{"k": [3, 2]}'::jsonb) FROM (VALUES (1), (2)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, 2, '{"init": [[1, 2], [3, 4]]}'::jsonb) FROM (VALUES (1), (2)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, 2, '{"init": [[1], [2], [3]]}'::jsonb) FROM (VALUES (1), (2)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, 1, '{"init": "nowhere"}'::jsonb) FROM (VALUES (1), (2)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans((x, t), 1) FROM (VALUES (1, 'a'), (2, 'b')) AS v(x, t)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, 2) FROM (VALUES (1e200), (-1e200)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, 2) FROM (VALUES (1e-160), (2e-160)) AS v(x)$$);
SELECT test.try($$SELECT pgfit.kmeans(x, 2) FROM (VALUES ('NaN'::float8), (2)) AS v(x)$$);
SET pgfit.fit_mem = '64kB';
SELECT test.try($$SELECT pgfit.kmeans(x, 2000) FROM many$$);
RESET pgfit.fit_mem;
SELECT test.try($$SELECT pgfit.classify(m, (1, 2)) FROM fitted$$);
-- values typed by hand: refused, or scored without harm
SELECT test.try(format($$SELECT %L::pgfit.model$$, replace(m::text, '"centroids"', '"centers"'))) FROM fitted;
SELECT test.try(format($$SELECT pgfit.cluster(%L::pgfit.model, ARRAY[1])$$, jsonb_set(m::jsonb, '{arrays,sizes}', '[1, 2, 3]'))) FROM fitted;
DROP TABLE few, fitted, blobs, shuffled, many, little, steps, starts;
DROP FUNCTION facts, rounded;
