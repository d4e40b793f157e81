-- kmedoids: known answers, searches, metrics, mixed rows, weights, scores, refusals.
CREATE TABLE few (id int, a float8, b float8);
INSERT INTO few VALUES (1, 1, 1), (2, 1.5, 2), (3, 3, 3.75), (4, 5, 7), (5, 3.5, 5), (6, 4.5, 5), (7, 3.5, 4.5);
CREATE FUNCTION rounded(numbers float8[]) RETURNS numeric[] LANGUAGE sql AS $$
    SELECT array_agg(round(x::numeric, 4) ORDER BY n) FROM unnest(numbers) WITH ORDINALITY AS t(x, n)
$$;
SELECT metric, algorithm, pgfit.parameter(m, 'medoids') AS medoids, pgfit.parameter(m, 'sizes') AS sizes, rounded(pgfit.parameter(m, 'history')) AS history,
    pgfit.info(m) -> 'converged' AS converged
FROM (VALUES ('euclidean', 'alternate', '[[1, 1], [5, 7]]'), ('manhattan', 'alternate', '[[1, 1], [5, 7]]'), ('squared_euclidean', 'alternate', '[[1, 1], [5, 7]]'),
    ('euclidean', 'pam', '[[1, 1], [1.5, 2]]'), ('manhattan', 'pam', '[[1, 1], [1.5, 2]]'), ('chebyshev', 'pam', '[[1, 1], [1.5, 2]]')) AS v(metric, algorithm, init),
    LATERAL (SELECT pgfit.kmedoids((a, b), 2, jsonb_build_object('metric', metric, 'algorithm', algorithm, 'init', init::jsonb, 'swap', 'best', 'history', true)) AS m FROM few) AS fit
ORDER BY metric, algorithm;
-- using it
CREATE TABLE fitted AS SELECT pgfit.kmedoids(f, 2) AS m FROM few, LATERAL (SELECT a, b) AS f;
SELECT id, pgfit.cluster(m, f) = pgfit.predict(m, f) AS same, round(pgfit.distance(m, f)::numeric, 4) AS distance, rounded(pgfit.distances(m, f)) AS distances
FROM fitted, few, LATERAL (SELECT b, a) AS f ORDER BY id;
SELECT test.near(sum(pgfit.distance(m, (a, b))), (pgfit.info(m) -> 'statistics' ->> 'cost')::float8, 1e-12) AS cost FROM fitted, few GROUP BY m;
SELECT m OPERATOR(pgfit.=) m::text::pgfit.model AS same FROM fitted;
-- rows with categories, by the mixed metric; a row without a direction has no cluster
SELECT pgfit.cluster(m, (2.0, 'a')) <> pgfit.cluster(m, (9.0, 'b')) AS apart, pgfit.cluster(m, (2.1, 'never seen')) IS NOT NULL AS unseen,
    cardinality(pgfit.parameter(m, 'sizes')) AS k
FROM (SELECT pgfit.kmedoids((x, c), 2, '{"metric": "mixed"}'::jsonb) AS m FROM (VALUES (1.0, 'a'), (2.0, 'a'), (2.5, 'a'), (9.0, 'b'), (10.0, 'b')) AS v(x, c)) AS fit;
SELECT pgfit.cluster(m, (0, 0)) IS NULL AS none, pgfit.distance(m, (0, 0)) IS NULL AS no_distance, pgfit.predict(m, (0, 0)) IS NULL AS no_number, pgfit.cluster(m, (2, 4)) AS some
FROM (SELECT pgfit.kmedoids((a, b), 2, '{"metric": "cosine"}'::jsonb) AS m FROM few) AS fit;
-- searches over more rows: clara near pam, groups, windows, weights
CREATE TABLE blobs AS
SELECT i AS id, i % 4 AS blob, (i % 4) * 10 + sin(i * 12.9898) * 2 AS x, (i % 2) * 10 + cos(i * 78.233) * 2 AS y FROM generate_series(1, 1000) AS i;
CREATE TABLE searches AS
SELECT name, pgfit.kmedoids((x, y), 4, options) AS m
FROM blobs, (VALUES ('pam', '{}'::jsonb), ('best', '{"swap": "best"}'), ('lab', '{"init": "lab"}'), ('alternate', '{"algorithm": "alternate"}'),
    ('clara', '{"algorithm": "clara", "samples": 10}'), ('random', '{"init": "random", "n_init": 5}')) AS v(name, options) GROUP BY name;
SELECT name, pgfit.adjusted_rand_index(blob, pgfit.cluster(m, (x, y))) AS agreement,
    min((pgfit.info(m) -> 'statistics' ->> 'cost')::float8) < 1.1 * (SELECT (pgfit.info(m) -> 'statistics' ->> 'cost')::float8 FROM searches WHERE name = 'pam') AS near
FROM searches, blobs GROUP BY name ORDER BY name;
SELECT pgfit.parameter(a, 'medoids') = pgfit.parameter(b, 'medoids') AS same
FROM (SELECT pgfit.kmedoids((x, y), 6) AS a FROM blobs) AS a, (SELECT pgfit.kmedoids((x, y), 6) AS b FROM (SELECT * FROM blobs ORDER BY md5(id::text)) AS s) AS b;
SELECT test.near((pgfit.info(w) -> 'statistics' ->> 'cost')::float8, (pgfit.info(r) -> 'statistics' ->> 'cost')::float8, 1e-12) AS weights
FROM (SELECT pgfit.kmedoids((x, y), 4, '{}'::jsonb, 1 + id % 2) AS w FROM blobs) AS w, (SELECT pgfit.kmedoids((x, y), 4) AS r FROM blobs, generate_series(0, id % 2)) AS r;
SELECT blob, cardinality(pgfit.parameter(pgfit.kmedoids((x, y), 2), 'sizes')) AS k FROM blobs GROUP BY blob ORDER BY blob;
SELECT count(DISTINCT pgfit.cluster(m, (x, y))) AS clusters FROM (SELECT x, y, pgfit.kmedoids((x, y), 4) OVER () AS m FROM blobs) AS w;
SELECT pgfit.kmedoids((a, b), 2) IS NULL AS nothing FROM few WHERE false;
-- equal rows, too few rounds
SELECT pgfit.parameter(pgfit.kmedoids(x, 3), 'sizes') AS sizes FROM (VALUES (1), (1), (1), (2)) AS v(x);
SELECT pgfit.info(pgfit.kmedoids((x, y), 4, '{"init": "random", "seed": 3, "n_init": 1, "max_iter": 1, "swap": "best"}'::jsonb)) -> 'converged' AS converged FROM blobs;
-- seeds of neighboring numbers start from other rows: the random numbers of one were those of the other, shifted by one
SET client_min_messages = error; -- no rounds
CREATE TABLE started AS SELECT s, ARRAY(SELECT e FROM unnest(pgfit.parameter(m, 'medoids')) AS e) AS medoids
FROM generate_series(1, 6) AS s, LATERAL (SELECT pgfit.kmedoids(i::float8, 40, jsonb_build_object('init', 'random', 'seed', s, 'n_init', 1, 'max_iter', 0)) AS m FROM generate_series(1, 1000) AS i) AS t;
RESET client_min_messages;
SELECT max((SELECT count(*) FROM unnest(x.medoids) AS e WHERE e = ANY (y.medoids))) < 10 AS other_rows FROM started AS x JOIN started AS y ON x.s < y.s;
DROP TABLE started;
-- ids of the medoids: columns of any type, keys of jsonb, rows that are equal, rows without an id
CREATE FUNCTION ids(m pgfit.model) RETURNS jsonb LANGUAGE sql AS $$ SELECT m::jsonb -> 'arrays' -> 'ids' -> 'text' $$;
CREATE TABLE named AS SELECT pgfit.kmedoids(f, 2, '{"id_column": "id"}'::jsonb) AS m FROM few, LATERAL (SELECT id, a, b) AS f;
SELECT d.* FROM named, pgfit.medoids(m) AS d;
SELECT ids(m) AS ids, pgfit.info(m) -> 'id_type' AS type, jsonb_array_length(pgfit.info(m) -> 'features') AS features, pgfit.parameter(m, 'medoids') = pgfit.parameter(o, 'medoids') AS same,
    pgfit.cluster(m, ROW(few.*)::few) = pgfit.cluster(o, (f.a, f.b)) AS whole_row, pgfit.cluster(m, f) = pgfit.cluster(o, (f.a, f.b)) AS features_alone, m OPERATOR(pgfit.=) (m::text)::pgfit.model AS text, m OPERATOR(pgfit.=) (m::jsonb)::pgfit.model AS json
FROM named, few, LATERAL (SELECT b, a) AS f, (SELECT pgfit.kmedoids((a, b), 2) AS o FROM few) AS o WHERE id = 4;
SELECT kind, ids(m) AS ids, pgfit.info(m) -> 'id_type' AS type
FROM (SELECT 1 AS n, 'text' AS kind, pgfit.kmedoids(f, 2, '{"id_column": "name"}'::jsonb) AS m FROM few, LATERAL (SELECT a, 'row ' || id AS name, b) AS f
    UNION ALL SELECT 2, 'uuid', pgfit.kmedoids(f, 2, '{"id_column": "u"}'::jsonb) FROM few, LATERAL (SELECT md5(id::text)::uuid AS u, a, b) AS f
    UNION ALL SELECT 3, 'numeric', pgfit.kmedoids(f, 2, '{"id_column": "n"}'::jsonb) FROM few, LATERAL (SELECT a, b, id + 0.50 AS n) AS f
    UNION ALL SELECT 4, 'date', pgfit.kmedoids(f, 2, '{"id_column": "d"}'::jsonb) FROM few, LATERAL (SELECT a, b, date '2024-01-01' + id AS d) AS f
    UNION ALL SELECT 5, 'array', pgfit.kmedoids(f, 2, '{"id_column": "d"}'::jsonb) FROM few, LATERAL (SELECT a, b, ARRAY[id, id + 1] AS d) AS f
    UNION ALL SELECT 6, 'jsonb number', pgfit.kmedoids(jsonb_build_object('a', a, 'b', b, 'id', id + 0.50), 2, '{"id_column": "id"}'::jsonb) FROM few
    UNION ALL SELECT 7, 'jsonb string', pgfit.kmedoids(jsonb_build_object('a', a, 'b', b, 'id', 'row ' || id), 2, '{"id_column": "id"}'::jsonb) FROM few
    UNION ALL SELECT 8, 'jsonb boolean', pgfit.kmedoids(jsonb_build_object('a', a, 'b', b, 'id', id = 4), 2, '{"id_column": "id"}'::jsonb) FROM few
    UNION ALL SELECT 9, 'chosen', pgfit.kmedoids(f, 2, '{"id_column": "id", "features": ["b", "a"]}'::jsonb) FROM few, LATERAL (SELECT id, 1 AS other, a, b) AS f
    UNION ALL SELECT 10, 'by place', pgfit.kmedoids((id, a, b), 2, '{"id_column": "f1"}'::jsonb) FROM few) AS fits ORDER BY n;
SELECT DISTINCT ids(pgfit.kmedoids(f, 1, '{"id_column": "id"}'::jsonb ORDER BY o)) AS least_id_of_equal_rows
FROM (VALUES (1), (-1)) AS direction(d), generate_series(7, 9) AS i, LATERAL (SELECT i AS id, 5 AS x) AS f, LATERAL (SELECT i * d AS o) AS ordered GROUP BY d;
SELECT ids(m) AS ids, pgfit.info(m) -> 'skipped' AS skipped FROM (SELECT pgfit.kmedoids(f, 1, '{"id_column": "id"}'::jsonb) AS m FROM (VALUES (NULL, 1), (2, 2), (3, NULL), (4, 2)) AS f(id, x)) AS fit;
SELECT d.* FROM (SELECT pgfit.kmedoids(f, 2, '{"metric": "mixed", "id_column": "id"}'::jsonb) AS m FROM (VALUES ('x', 1.0, 'a'), ('y', 2.0, 'a'), ('z', 2.5, 'a'), ('u', 9.0, 'b'), ('v', 10.0, 'b')) AS f(id, x, c)) AS fit, pgfit.medoids(m) AS d;
SELECT * FROM pgfit.medoids((SELECT pgfit.kmedoids(x, 1) FROM (VALUES (1), (2), (4)) AS v(x)));
SELECT ids(a) = ids(b) AS same
FROM (SELECT pgfit.kmedoids(f, 6, '{"id_column": "id"}'::jsonb) AS a FROM blobs, LATERAL (SELECT id, x, y) AS f) AS a,
    (SELECT pgfit.kmedoids(f, 6, '{"id_column": "id"}'::jsonb) AS b FROM (SELECT * FROM blobs ORDER BY md5(id::text)) AS s, LATERAL (SELECT x, y, id) AS f) AS b;
SELECT test.try($$SELECT pgfit.kmedoids((a, b), 2, '{"id_column": "id"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids(a, 2, '{"id_column": "id"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids(ARRAY[a, b], 2, '{"id_column": "id"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids(f, 2, '{"id_column": "id"}'::jsonb) FROM few, LATERAL (SELECT id) AS f$$);
SELECT test.try($$SELECT pgfit.kmedoids(f, 2, '{"id_column": "a", "features": ["a", "b"]}'::jsonb) FROM few, LATERAL (SELECT a, b) AS f$$);
SELECT test.try($$SELECT pgfit.kmedoids(jsonb_build_object('a', a, 'id', '[1]'::jsonb), 2, '{"id_column": "id"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.medoids(m) FROM (SELECT pgfit.kmeans((a, b), 2) AS m FROM few) AS fit$$);
SELECT test.try(format($$SELECT %L::pgfit.model$$, jsonb_set(m::jsonb, '{arrays,ids,text}', '["1"]'))) FROM named;
-- several starts: the data of Ruspini (1970), where R's pam finds 1007 for 5 clusters by manhattan distances
SELECT swap, n_init, (pgfit.info(m) #>> '{statistics,cost}')::float8 AS cost
FROM unnest(ARRAY['eager', 'best']) swap, unnest(ARRAY[1, 10]) n_init, LATERAL (SELECT pgfit.kmedoids((x[i][1], x[i][2]), 5, jsonb_build_object('metric', 'manhattan', 'swap', swap, 'n_init', n_init)) AS m FROM generate_series(1, 75) i,
    (SELECT ARRAY[[4,53],[5,63],[10,59],[9,77],[13,49],[13,69],[12,88],[15,75],[18,61],[19,65],[22,74],[27,72],[28,76],[24,58],[27,55],[28,60],[30,52],[31,60],[32,61],[36,72],[28,147],[32,149],[35,153],[33,154],[38,151],[41,150],[38,145],[38,143],[32,143],[34,141],[44,156],[44,149],[44,143],[46,142],[47,149],[49,152],[50,142],[53,144],[52,152],[55,155],[54,124],[60,136],[63,139],[86,132],[85,115],[85,96],[78,94],[74,96],[97,122],[98,116],[98,124],[99,119],[99,128],[101,115],[108,111],[110,111],[108,116],[111,126],[115,117],[117,115],[70,4],[77,12],[83,21],[61,15],[69,15],[78,16],[66,18],[58,13],[64,20],[69,21],[66,23],[61,25],[76,27],[72,31],[64,30]] AS x) p) fit ORDER BY 1, 2;
-- refused
SELECT test.try($$SELECT pgfit.kmedoids(a, 0) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids(a, 8) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids(a, '{}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids(a, 2, '{"metric": "manhatan"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids((a, id::text), 2, '{"metric": "cosine"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids((a, b), 2, '{"init": [[1], [2]]}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids((a, b), 2, '{"init": [[1, 2]]}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids((a, b), 2, '{"init": [[1, 2], [2, 3]], "algorithm": "clara"}'::jsonb) FROM few$$);
SELECT test.try($$SELECT pgfit.kmedoids((a, b), 3, '{"sample_size": 2, "algorithm": "clara"}'::jsonb) FROM few$$);
SET pgfit.fit_mem = '64kB';
SELECT test.try($$SELECT pgfit.kmedoids((x, y), 4) FROM blobs$$);
RESET pgfit.fit_mem;
-- values typed by hand
SELECT test.try(format($$SELECT %L::pgfit.model$$, replace(m::text, '"medoids"', '"medoid"'))) FROM fitted;
SELECT test.try(format($$SELECT pgfit.cluster(%L::pgfit.model, ARRAY[1])$$, jsonb_set(m::jsonb, '{arrays,costs}', '[1, 2, 3]'))) FROM fitted;
-- moments with a fact of that name are not a model
SELECT test.try(format($$SELECT pgfit.medoids(%L::pgfit.model)$$, jsonb_set(e::jsonb, '{facts}', '{"medoids": {"f64": [2, 2], "shape": [1, 2]}}'))) LIKE '42809: medoids needs a fitted model%' AS refused FROM (SELECT pgfit.feature_moments((a, b)) AS e FROM few) t;
DROP TABLE few, fitted, named, blobs, searches;
DROP FUNCTION rounded, ids;
