-- Nearest neighbors: votes, means, retrieval, blocks, the choice of k, joins of several models, refusals, forged models.
SET search_path = public, test, pgfit;
CREATE TABLE six AS SELECT * FROM (VALUES (1, 0.0, 0.0, 'a', 1.0), (2, 1, 0, 'a', 2), (3, 0, 2, 'b', 3), (4, 3, 3, 'b', 10), (5, 4, 3, 'b', 12), (6, 3, 5, 'c', 20)) AS t(id, x, y, label, value);

-- known answers
SELECT classify(knn_classifier(label, (x, y), 1), (3, 4)), classify(knn_classifier(label, (x, y), 3), (1, 1)) FROM six;
SELECT predict(knn_regression(value, (x, y), 3), (1.0, 1.0)) AS uniform, round(predict(knn_regression(value, (x, y), 3, '{"weights": "distance"}'), (3.0, 4.0))::numeric, 8) AS distance,
    round(predict(knn_regression(value, (x, y), '{"k": "all", "weights": "gaussian"}'::jsonb), (1.0, 1.0))::numeric, 8) AS gaussian,
    round(predict(knn_regression(value, (x, y), '{"k": 6, "weights": "gaussian", "sigma": 0.7071067811865476}'::jsonb), (1.0, 1.0))::numeric, 8) AS by_sigma FROM six;
SELECT near_all(probabilities(knn_classifier(label, (x, y), '{"k": "all"}'::jsonb), (9, 9)), ARRAY[2 / 6.0, 3 / 6.0, 1 / 6.0]) AS prior, classes(knn_classifier(label, (x, y), 2)), round(distance(knn_classifier(label, (x, y), 2), (9, 9))::numeric, 6) AS nearest FROM six;
SELECT probability(knn_classifier(label, (x, y), 4), (3, 4), 'c'), predict(knn_classifier(id % 2 = 0, (x, y), 1), (3, 4)) AS of_booleans FROM six;
-- with weights by distance, a row of the model is predicted by itself alone
SELECT id, predict(m, (x, y)) FROM six, (SELECT knn_regression(value, (x, y), 5, '{"weights": "distance"}') AS m FROM six) fit ORDER BY id;
-- within a radius, with or without its boundary; NULL if no row is there
SELECT predict(m, (0.0, 0.0)) AS strict, predict(i, (0.0, 0.0)) AS inclusive, predict(m, (10.0, 10.0)) IS NULL AS nobody, classify(c, (10, 10)) IS NULL AS no_class, probabilities(c, (10, 10)) IS NULL AS no_probabilities, round(distance(c, (10, 10))::numeric, 4) AS distance
FROM (SELECT knn_regression(value, (x, y), '{"radius": 2}'::jsonb) AS m, knn_regression(value, (x, y), '{"radius": 2, "radius_inclusive": true}'::jsonb) AS i, knn_classifier(label, (x, y), '{"radius": 2}'::jsonb) AS c FROM six) fit;
-- votes that tie: the first class, or that of the nearest neighbor
SELECT classify(knn_classifier(l, v, 2), 0.9) AS first, classify(knn_classifier(l, v, 2, '{"tie": "nearest"}'), 0.9) AS nearest FROM (VALUES ('b', 0), ('a', 2), ('a', 4)) AS t(l, v);

-- retrieval
SELECT n.id, round(n.distance::numeric, 6) AS distance, n.target IS NULL AS untargeted FROM (SELECT neighbors(id, (x, y)) AS m FROM six) fit, nearest(m, (1, 1), 4) WITH ORDINALITY AS n ORDER BY ordinality;
SELECT n.id + 100 AS id, pg_typeof(n.id), round(n.distance::numeric, 6) AS distance FROM (SELECT neighbors(id, (x, y)) AS m FROM six) fit, nearest(m, (3, 4), 2, NULL::int) AS n;
SELECT n.target, round(n.distance::numeric, 6) AS distance FROM (SELECT knn_classifier(label, (x, y), 2) AS m FROM six) fit, nearest(m, (3, 4)) AS n;
SELECT n.target::numeric, n.id IS NULL AS anonymous FROM (SELECT knn_regression(value, (x, y), '{"radius": 1.5}'::jsonb) AS m FROM six) fit, nearest(m, (3.0, 4.0)) AS n;
SELECT count(*) FROM (SELECT neighbors(id, (x, y)) AS m FROM six) fit, nearest(m, (NULL::float8, 1)) AS n;
SELECT count(*) FROM (SELECT neighbors(id, (x, y)) AS m FROM six) fit, nearest(NULL::model, (1, 1), 2) AS n;
SELECT count(*) FROM (SELECT neighbors(id, (x, y)) AS m FROM six) fit, nearest(m, (1, 1), NULL, NULL::int) AS n;
SELECT info(neighbors(id, (x, y))) -> 'statistics' AS statistics, info(neighbors(id, (x, y))) ->> 'id_type' AS id_type FROM six;
SELECT info(m) ->> 'id_type' AS id_type, (SELECT n.id FROM nearest(m, (1, 1), 1) AS n) FROM (VALUES ('date', (SELECT neighbors('2026-01-01'::date + id, (x, y)) AS m FROM six)), ('uuid', (SELECT neighbors(md5(id::text)::uuid, (x, y)) FROM six)),
    ('numeric', (SELECT neighbors(id + 0.50, (x, y)) FROM six)), ('name', (SELECT neighbors('row ' || id, (x, y)) FROM six)), ('float8', (SELECT neighbors(CASE WHEN id = 2 THEN 'NaN'::float8 ELSE id END, (x, y)) FROM six)),
    ('bigint[]', (SELECT neighbors(ARRAY[id, 9]::bigint[], (x, y)) FROM six)), ('jsonb', (SELECT neighbors(jsonb_build_object('id', id), (x, y)) FROM six))) AS t(name, m);
SELECT n.id FROM (SELECT neighbors('2026-01-01'::date + id, (x, y)) AS m FROM six) fit, nearest(m, (1, 1), 2, NULL::date) AS n;
SELECT try($$SELECT n.id FROM (SELECT neighbors('row ' || id, (x, y)) AS m FROM six) fit, nearest(m, (1, 1), 1, NULL::int) AS n$$);
-- an id that is NULL: like a target
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped FROM (SELECT neighbors(nullif(id, 3), (x, y)) AS m FROM six) fit;
SELECT try($$SELECT neighbors(nullif(id, 3), (x, y), '{"nulls": "error"}') FROM six$$);
SELECT info(neighbors(id, (x, y))) -> 'rows' AS rows, neighbors(id, (x, y)) FILTER (WHERE id > 6) IS NULL AS nothing FROM six;

-- categories: equal or not; a level that the model does not know is unlike all
CREATE TABLE coats AS SELECT i AS id, (ARRAY['red', 'green', 'blue'])[1 + i % 3] AS color, i % 7 / 7.0 AS size, i % 2 = 0 AS warm FROM generate_series(1, 300) AS i;
SELECT round(n.distance::numeric, 6) AS distance, count(*) FROM (SELECT neighbors(id, f) AS m FROM coats, LATERAL (SELECT color, size, warm) AS f) fit, nearest(m, (SELECT f FROM (SELECT true AS warm, 'green' AS color, 0 AS size) AS f), 300) AS n GROUP BY 1 ORDER BY 1 LIMIT 4;
SELECT round(min(n.distance)::numeric, 6) AS unseen FROM (SELECT neighbors(id, (color, size)) AS m FROM coats) fit, nearest(m, ('mauve', 0), 300) AS n;
SELECT bool_and(a.d = b.d) AS same FROM (SELECT c.id, array_agg(n.distance) AS d FROM coats c, (SELECT neighbors(id, (color, size, warm), '{"index": "kd_tree"}') AS m FROM coats) fit, nearest(m, (c.color, c.size, c.warm), 9) AS n GROUP BY c.id) a
    JOIN (SELECT c.id, array_agg(n.distance) AS d FROM coats c, (SELECT neighbors(id, (color, size, warm), '{"index": "brute"}') AS m FROM coats) fit, nearest(m, (c.color, c.size, c.warm), 9) AS n GROUP BY c.id) b USING (id);
SELECT classify(knn_classifier(color, (color, size), 5), ('blue', 0.3)) FROM coats;
-- imputed NULLs
SELECT predict(m, (NULL::float8, 3.0)) = predict(m, (avg, 3.0)) AS imputed FROM (SELECT knn_regression(value, (nullif(x, 4), y), 2, '{"nulls": "impute"}') AS m, avg(nullif(x, 4)::float8) AS avg FROM six) fit;

-- every index and metric gives what ORDER BY gives
CREATE TABLE points AS SELECT i AS id, ARRAY[sin(i * 12.9898), cos(i * 78.233) * 2, sin(i * i * 0.001), i % 17] AS v, i % 4 AS label, sin(i * 0.37) AS target FROM generate_series(1, 3000) AS i;
CREATE TABLE asked AS SELECT i AS id, ARRAY[sin(i * 3.1) * 2, cos(i * 7.7), sin(i), i % 19] AS v FROM generate_series(1, 20) AS i;
CREATE TABLE options_of (o jsonb, f text);
INSERT INTO options_of VALUES ('{}', 'euclidean'), ('{"metric": "manhattan"}', 'manhattan'), ('{"metric": "chebyshev"}', 'chebyshev'), ('{"metric": "minkowski", "p": 3}', 'minkowski'), ('{"metric": "cosine"}', 'cosine');
CREATE TABLE kept AS SELECT f, i, neighbors(id, v, o || jsonb_build_object('index', i)) AS m FROM points, options_of, unnest('{kd_tree,ball_tree,brute}'::text[]) AS i GROUP BY f, i;
SELECT f, i, info(m) -> 'statistics' ->> 'index' AS index, bool_and(near_all(found, wanted)) AS as_by_order FROM kept, asked, LATERAL (SELECT array_agg(n.distance ORDER BY n.ordinality) AS found FROM nearest(m, v, 7, NULL::int) WITH ORDINALITY AS n) AS f1,
    LATERAL (SELECT array_agg(d ORDER BY d) AS wanted FROM (SELECT p.id, CASE f WHEN 'euclidean' THEN euclidean_distance(p.v, asked.v) WHEN 'manhattan' THEN manhattan_distance(p.v, asked.v) WHEN 'chebyshev' THEN chebyshev_distance(p.v, asked.v)
        WHEN 'minkowski' THEN minkowski_distance(p.v, asked.v, 3) ELSE cosine_distance(p.v, asked.v) END AS d FROM points p ORDER BY d LIMIT 7) AS s) AS f2 GROUP BY f, i, m ORDER BY f, i;
SELECT count(DISTINCT d) AS answers, count(*) AS models FROM (SELECT f, i, array_agg(n.distance ORDER BY a.id, n.distance) AS d FROM kept, asked a, nearest(m, v, 12) AS n WHERE f = 'euclidean' GROUP BY f, i) AS t;
-- distances in a kernel's space: rbf and linear by trees, the others by looking at all rows
CREATE TABLE kernel_of (o jsonb, f text);
INSERT INTO kernel_of VALUES ('{"kernel": "rbf", "sigma": 2}', 'rbf'), ('{"kernel": "linear"}', 'linear'), ('{"kernel": "polynomial", "degree": 2, "coef0": 1}', 'polynomial'), ('{"kernel": "sigmoid", "gamma": 0.1}', 'sigmoid');
SELECT f, info(m) -> 'statistics' ->> 'index' AS index, bool_and(near_all(found, wanted, 1e-7)) AS as_by_order FROM (SELECT f, o, neighbors(id, v, o || '{"metric": "kernel"}') AS m FROM points, kernel_of GROUP BY f, o) AS k, asked,
    LATERAL (SELECT array_agg(n.distance ORDER BY n.ordinality) AS found FROM nearest(m, v, 7, NULL::int) WITH ORDINALITY AS n) AS f1,
    LATERAL (SELECT array_agg(d ORDER BY d) AS wanted FROM (SELECT kernel_distance(p.v, asked.v, f, o - 'kernel') AS d FROM points p ORDER BY d LIMIT 7) AS s) AS f2 GROUP BY f, m ORDER BY f;
SELECT f, count(DISTINCT d) AS answers, count(*) AS models FROM (SELECT f, i, array_agg((n.id, n.distance) ORDER BY a.id, n.ordinality) AS d FROM asked a, (SELECT f, i, neighbors(id, v, o || jsonb_build_object('metric', 'kernel', 'index', i)) AS m FROM points, kernel_of, unnest('{kd_tree,ball_tree,brute}'::text[]) AS i WHERE f IN ('rbf', 'linear') GROUP BY f, i) AS k,
    nearest(m, v, 12) WITH ORDINALITY AS n GROUP BY f, i) AS t GROUP BY f ORDER BY f;
SELECT f, bool_and(one = many) AS same FROM (SELECT f, predict(m, v) AS one, predict_batch(m, v) OVER (PARTITION BY f) AS many FROM asked, (SELECT f, knn_regression(target, v, 5, o || '{"metric": "kernel", "weights": "distance"}') AS m FROM points, kernel_of GROUP BY f, o) AS k) AS t GROUP BY f ORDER BY f;
SELECT knn_classifier(label, v, 3, '{"metric": "kernel", "kernel": "polynomial"}')::text::model = knn_classifier(label, v, 3, '{"metric": "kernel", "kernel": "polynomial"}') AS through_text, (SELECT bool_and(classify(k, a.v) = classify(e, a.v)) FROM asked a, (SELECT knn_classifier(label, v, 3, '{"metric": "kernel"}') AS k, knn_classifier(label, v, 3) AS e FROM points) fit) AS rbf_as_euclidean FROM points;
DROP TABLE kernel_of;
-- the same model whatever the order of the rows, serial or by workers; through text; by groups
SELECT knn_classifier(label, v, 3 ORDER BY id) = knn_classifier(label, v, 3 ORDER BY v[2]) AS any_order, knn_classifier(label, v, 3)::text::model = knn_classifier(label, v, 3) AS through_text, neighbors(id, v)::jsonb::model = neighbors(id, v) AS through_json FROM points;
SELECT label, predict(m, '{0.5,0.5,0.5,3}'::float8[]) = (SELECT predict(knn_regression(target, p.v, 4), '{0.5,0.5,0.5,3}'::float8[]) FROM points p WHERE p.label = g.label) AS same FROM (SELECT label, knn_regression(target, v, 4) AS m FROM points GROUP BY label) g ORDER BY label;
-- weights multiply votes; frequency weights are repeated rows
SELECT classify(knn_classifier(l, v, 3, '{}', w), 0) FROM (VALUES ('a', 0, 1), ('b', 1, 0.4), ('b', 2, 0.5)) AS t(l, v, w);
SELECT round(predict(knn_regression(y, v, 3, '{"weight_kind": "frequency"}', w), 0.0)::numeric, 8) AS counted, (SELECT round(predict(knn_regression(y, v, 3), 0.0)::numeric, 8) FROM (VALUES (1, 0), (2, 1), (2, 1), (4, 2)) AS r(y, v)) AS repeated FROM (VALUES (1, 0, 1), (2, 1, 2), (4, 2, 1)) AS t(y, v, w);
SELECT round(predict(knn_regression(y, v, '{"k": "all", "weight_kind": "frequency"}'::jsonb, w), 0.0)::numeric, 8) AS counted, (SELECT round(predict(knn_regression(y, v, '{"k": "all"}'::jsonb), 0.0)::numeric, 8) FROM (VALUES (1, 0), (2, 1), (2, 1), (4, 2)) AS r(y, v)) AS repeated FROM (VALUES (1, 0, 1), (2, 1, 2), (4, 2, 1)) AS t(y, v, w);
SELECT try($$SELECT knn_regression(y, v, 1, '{"weight_kind": "frequency"}', w) FROM (VALUES (1, 0, 1), (2, 1, 2.5)) AS t(y, v, w)$$);

-- few distances are computed
SELECT max(distances) < 3000 / 2 AS fewer, max(nodes) > 0 AS by_nodes, min(rows) AS rows, min(index) AS index FROM kept, asked, search_statistics(m, v, 5) WHERE f = 'euclidean' AND i = 'kd_tree';
SELECT max(distances) AS all_of_them, max(nodes) AS nodes FROM kept, asked, search_statistics(m, v, 5) WHERE f = 'euclidean' AND i = 'brute';

-- ---- blocks: the same numbers, bit for bit ----
CREATE TABLE wide AS SELECT i AS id, (SELECT array_agg(sin(i * j * 0.7) + (i % 3) ORDER BY j) FROM generate_series(1, 20) AS j) AS v, i % 5 AS label FROM generate_series(1, 2500) AS i;
CREATE TABLE wide_model AS SELECT knn_regression(label, v, 7, '{"weights": "distance"}') AS r, knn_classifier(label, v, 7) AS c, neighbors(id, v, '{"metric": "standardized_euclidean"}') AS n, knn_regression(label, v, '{"radius": 3}'::jsonb) AS radius, knn_classifier(label, v, 3, '{"metric": "manhattan"}') AS manhattan FROM wide;
SELECT count(*), bool_and(predict(r, x) = br) AS predict, bool_and(classify(c, x) = bc) AS classify, bool_and(probabilities(c, x) = bp) AS probabilities, bool_and(predict(radius, x) IS NOT DISTINCT FROM bradius) AS radius, bool_and(classify(manhattan, x) = bm) AS manhattan
FROM wide_model, (SELECT x, predict_batch(r, x) OVER () AS br, classify_batch(c, x) OVER () AS bc, probabilities_batch(c, x) OVER () AS bp, predict_batch(radius, x) OVER () AS bradius, classify_batch(manhattan, x) OVER () AS bm
    FROM wide_model, wide, LATERAL (SELECT array_agg(u * 1.01 ORDER BY o) AS x FROM unnest(v) WITH ORDINALITY AS t(u, o)) q WHERE wide.id <= 1100) b;
SELECT bool_and(found = ARRAY(SELECT (n.id, n.distance, n.target)::neighbor FROM nearest(n, v, 4) AS n)) AS nearest FROM wide_model, (SELECT v, nearest_batch(n, v, 4) OVER (ORDER BY wide.id % 7, wide.id) AS found FROM wide_model, wide WHERE wide.id <= 1100) b;
SELECT b.id, f.id AS neighbor, round(f.distance::numeric, 6) AS distance FROM (SELECT wide.id, nearest_batch(n, v, 2) OVER () AS found FROM wide_model, wide WHERE wide.id IN (5, 700)) b, unnest(found) AS f ORDER BY 1, 3;
-- NULLs, k by row, partitions, a model that changes from row to row, models without blocks
SELECT id, predict_batch(r, x) OVER (ORDER BY id) IS NULL AS nothing FROM (SELECT id, CASE WHEN id = 3 THEN NULL ELSE r END AS r, CASE WHEN id = 2 THEN NULL WHEN id = 4 THEN array_append(v[1:19], NULL) ELSE v END AS x FROM wide, wide_model WHERE id < 6) t ORDER BY id;
SELECT id, cardinality(nearest_batch(n, v, nullif(id, 3)) OVER (ORDER BY id)) AS found FROM wide, wide_model WHERE id < 6 ORDER BY id;
SELECT count(*) AS differ FROM (SELECT predict(m, v) AS a, predict_batch(m, v) OVER (ORDER BY id) AS b FROM wide, LATERAL (SELECT CASE WHEN id % 3 = 0 THEN r ELSE radius END AS m FROM wide_model) AS w WHERE id < 60) t WHERE a IS DISTINCT FROM b;
SELECT count(*) AS differ FROM (SELECT predict(m, v) AS a, predict_batch(m, v) OVER (PARTITION BY label) AS b FROM wide JOIN (SELECT label, knn_regression(id, v, 2) AS m FROM wide GROUP BY label) AS w USING (label) WHERE id < 1500) t WHERE a IS DISTINCT FROM b;
SELECT count(*) AS differ FROM (SELECT predict(m, v[1]) AS a, predict_batch(m, v[1]) OVER () AS b FROM wide, (SELECT linear_regression(label, v[1]) AS m FROM wide) AS w) t WHERE a <> b;
SELECT try('SELECT nearest_batch(m, 1.0, 1) OVER () FROM (SELECT geometric_median(v[1]) AS m FROM wide) AS w');
SELECT try('SELECT nearest_batch(n, v, 0) OVER () FROM wide, wide_model');
SELECT try('SELECT nearest_batch(n, v, 2501) OVER () FROM wide, wide_model');

-- ---- k by leave-one-out ----
SELECT info(m) -> 'statistics' -> 'k' AS k, cardinality(parameter(m, 'loo_errors')) AS tried, (SELECT array_agg(round(e::numeric, 4)) FROM unnest((parameter(m, 'loo_errors'))[1:6]) AS e) AS errors, round((info(m) -> 'statistics' ->> 'loo_error')::numeric, 4) AS least
FROM (SELECT knn_regression(target, v, '{"k": "loo"}'::jsonb) AS m FROM points WHERE id <= 400) fit;
SELECT near((parameter(m, 'loo_errors'))[4], (SELECT avg(((SELECT avg(n.target::float8) FROM (SELECT * FROM nearest(m, p.v, 5) WITH ORDINALITY AS n OFFSET 1) AS n) - p.target) ^ 2) FROM points p WHERE p.id <= 300), 1e-9) AS by_hand
FROM (SELECT knn_regression(target, v, '{"k": "loo", "max_k": 4}'::jsonb) AS m FROM points WHERE id <= 300) fit;
SELECT info(m) -> 'statistics' AS statistics, predict(m, 0.4) FROM (SELECT knn_regression(y, v, '{"k": "loo"}'::jsonb) AS m FROM (VALUES (1, 0), (2, 1), (2, 2), (4, 4)) AS r(y, v)) fit;

-- ---- many models in one query, with little memory for them ----
CREATE TABLE per_label AS SELECT label, knn_regression(target, v, 3) AS m FROM points GROUP BY label;
SELECT sum(n) AS rows, bool_and(s IS NOT NULL) AS scored FROM (SELECT p.label, count(*) AS n, sum(predict(m, p.v)) AS s FROM points p JOIN per_label l USING (label) GROUP BY 1) t;
CREATE TABLE sums AS SELECT p.label, sum(predict(m, p.v)) AS s FROM points p JOIN per_label l USING (label) GROUP BY 1;
SET work_mem = '64kB';
SELECT bool_and(near(t.s, sums.s, 1e-10)) AS same FROM (SELECT p.label, sum(predict(m, p.v)) AS s FROM points p JOIN per_label l USING (label) WHERE p.id <= 3000 GROUP BY 1) t JOIN sums USING (label);
RESET work_mem;
-- models by a CTE, a subquery, a variable, a prepared statement
WITH f AS MATERIALIZED (SELECT knn_regression(target, v, 3) AS m FROM points) SELECT near(sum(predict(m, v)), (SELECT sum(predict((SELECT knn_regression(target, v, 3) FROM points), v)) FROM asked)) AS same FROM f, asked;
CREATE FUNCTION test.summed(m model) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE result float8 = 0; x float8[];
BEGIN
    FOR x IN SELECT v FROM asked LOOP result := result + predict(m, x); END LOOP;
    RETURN round(result::numeric, 8);
END
$$;
SET plan_cache_mode = force_generic_plan;
SELECT bool_and(summed(m) = (SELECT round(sum(predict(m, v))::numeric, 8) FROM asked)) AS same, count(DISTINCT summed(m)) AS models FROM per_label;
PREPARE by_label (int) AS SELECT round(sum(predict(m, v))::numeric, 8) = (SELECT summed(m) FROM per_label WHERE label = $1) AS same FROM asked, per_label WHERE label = $1;
EXECUTE by_label (1);
EXECUTE by_label (3);
RESET plan_cache_mode;

-- ---- refusals ----
SELECT try('SELECT knn_regression(value, (x, y), 0) FROM six');
SELECT try('SELECT knn_regression(value, (x, y), 7) FROM six');
SELECT try('SELECT knn_classifier(label, (x, y), 2) FROM six WHERE id < 3');
SELECT try($$SELECT neighbors(id, (x, y), '{"k": 9}') FROM six$$);
SELECT try($$SELECT neighbors(id, (x, y), '{"radius": -1}') FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), 2, '{"radius": 1}') FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"weights": "heavy"}'::jsonb) FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"gamma": 2}'::jsonb) FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"weights": "gaussian", "gamma": 2, "sigma": 1}'::jsonb) FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"weights": "gaussian", "sigma": 0}'::jsonb) FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"radius_inclusive": true}'::jsonb) FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"max_k": 3}'::jsonb) FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"k": "loo", "max_k": 6}'::jsonb) FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"k": "loo"}'::jsonb) FROM six WHERE id = 1$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"k": "best"}'::jsonb) FROM six$$);
SELECT try($$SELECT neighbors(id, (x, y), '{"k": "loo"}') FROM six$$);
SELECT try($$SELECT neighbors(id, (x, y), '{"index": "kd_tree", "metric": "minkowski", "p": 0.5}') FROM six$$);
SELECT try($$SELECT neighbors(id, (x, y), '{"index": "ball_tree", "metric": "minkowski", "p": 0.5}') FROM six$$);
SELECT info(neighbors(id, (x, y), '{"metric": "minkowski", "p": 0.5}')) -> 'statistics' ->> 'index' AS p_below_1 FROM six;
SELECT try($$SELECT neighbors(id, (x, y), '{"metric": "cosine"}') FROM six$$);
SELECT try($$SELECT neighbors(id, (x, y), '{"index": "kd_tree", "metric": "kernel", "kernel": "sigmoid"}') FROM six$$);
SELECT try($$SELECT neighbors(id, (x, y), '{"gamma": 2}') FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"degree": 2}'::jsonb) FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, y), '{"metric": "kernel", "weights": "gaussian", "sigma": 2}'::jsonb) FROM six$$);
SELECT try($$SELECT neighbors(id, (label, x), '{"metric": "kernel"}') FROM six$$);
SELECT try($$SELECT neighbors(id, (x * 1e200, y), '{"metric": "kernel", "kernel": "polynomial"}') FROM six$$);
SELECT try($$SELECT knn_regression(value, (x, 'NaN'::float8), 1) FROM six$$);
SELECT try($$SELECT knn_regression('NaN'::float8, (x, y), 1) FROM six$$);
SELECT try('SELECT knn_regression(value, CASE id WHEN 3 THEN ARRAY[1.0] ELSE ARRAY[x, y] END, 1) FROM six');
CREATE TABLE fitted AS SELECT neighbors(id, (x, y)) AS n, knn_regression(value, (x, y), 2) AS r, geometric_median((x, y)) AS l FROM six;
SELECT try('SELECT predict(r, 1.0) FROM fitted');
SELECT try('SELECT predict(n, (1.0, 1.0)) FROM fitted');
SELECT try('SELECT classify(r, (1.0, 1.0)) FROM fitted');
SELECT try('SELECT count(*) FROM fitted, nearest(l, (1.0, 1.0), 1)');
SELECT try('SELECT count(*) FROM fitted, nearest(n, (1.0, 1.0), 0)');
SELECT try('SELECT count(*) FROM fitted, nearest(n, (1.0, 1.0), -3)');
SELECT try('SELECT count(*) FROM fitted, nearest(n, (1.0, 1.0), 7)');
SELECT try('SELECT count(*) FROM fitted, nearest(n, (1.0, ''NaN''::float8), 2)');
SELECT try('SELECT search_statistics(l, (1.0, 1.0), 1) FROM fitted');
SELECT try('SELECT search_statistics(n, (1.0, 1.0), 70) FROM fitted');
SET pgfit.fit_mem = '64kB';
SELECT try('SELECT neighbors(id, v) FROM points');
RESET pgfit.fit_mem;

-- ---- typed models ----
CREATE FUNCTION test.retyped(m model, old text, new text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN m::text = replace(m::text, old, new) THEN 'nothing changed' ELSE test.try(format('SELECT round(predict(%L::pgfit.model, (1.0, 1.0))::numeric, 4)', replace(m::text, old, new))) END
$$;
SELECT parameter(r, 'search') AS search, parameter(r, 'exemplars') AS exemplars, parameter(r, 'targets') AS targets FROM fitted;
SELECT retyped(r, '"search":[2,', '"search":[3,') AS k_3, retyped(r, '"search":[2,', '"search":[9,') AS k_of_all, retyped(r, '"search":[2,', '"search":[-2,') AS k_negative, retyped(r, '"search":[2,', '"search":[2.5,') AS k_broken, retyped(r, '"search":[2,', '"search":[') AS short FROM fitted;
SELECT retyped(r, ',1,0,0]', ',1,1,0]') AS tree, retyped(r, ',1,0,0]', ',1,2,0]') AS ball, retyped(r, ',1,0,0]', ',1,3,0]') AS no_index, retyped(r, ',1,0,0]', ',0,0,0]') AS no_gamma FROM fitted;
SELECT retyped(r, '"targets":[', '"targets":[7,') AS long, retyped(r, '"targets":[', '"goals":[') AS none, retyped(r, '"shape":[6,2]', '"shape":[4,3]') AS shape FROM fitted;
SELECT try(format('SELECT count(*) FROM pgfit.nearest(%L::pgfit.model, (1, 1), 2)', replace(n::text, '"ids":["', '"ids":["7","'))) AS ids, try(format('SELECT count(*) FROM pgfit.nearest(%L::pgfit.model, (1, 1), 2)', replace(n::text, '"ids":', '"names":'))) AS no_ids FROM fitted;
SELECT name, retyped(m, '"kernel":[10,0.5,0,1]', '"kernel":' || kernel) AS result FROM (SELECT knn_regression(value, (x, y), 2, '{"metric": "kernel", "gamma": 0.5, "index": "kd_tree"}') AS m FROM six) fit,
    (VALUES ('no kernel', '[99,0.5,0,1]'), ('polynomial', '[2,0.5,0,3]'), ('degree', '[2,0.5,0,1000]'), ('of before', '[3,0.5,0,1]'), ('gamma', '[10,0,0,1]'), ('short', '[10,0.5]')) v (name, kernel);
-- ids must have one text per row even if votes do not need them: nearest() reads them
SELECT name, try(format('SELECT count(*) FROM pgfit.nearest(%L::pgfit.model, (1, 1), 2)', replace(r::text, '"exemplars":', '"ids":' || ids || ',"exemplars":'))) AS result
FROM fitted, (VALUES ('numbers', '[1,2,3,4,5,6]'), ('one', '{"text":["a"]}'), ('all', '{"text":["a","b","c","d","e","f"]}')) v (name, ids);
DROP TABLE six, coats, points, asked, options_of, kept, wide, wide_model, per_label, sums, fitted;
