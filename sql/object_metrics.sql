-- metrics of texts (edit, damerau, jaro_winkler) and SQL functions as metrics, in every method with a metric
CREATE SCHEMA object_metrics;
SET search_path = object_metrics, public;
CREATE TABLE words (id int, word text, kind text, size float8);
INSERT INTO words VALUES (1, 'kitten', 'animal', 1), (2, 'sitting', 'act', 2), (3, 'mitten', 'cloth', 1.5), (4, 'hammer', 'tool', 7), (5, 'hamster', 'animal', 3),
    (6, 'hummer', 'tool', 8), (7, 'übermut', 'act', 9), (8, '', 'none', 0), (9, 'mitten', 'cloth', 1.5);
-- published values of the distances between two texts: Winkler (1990, 2006), Lowrance & Wagner (1975)
SELECT a, b, pgfit.edit_distance(a, b) AS edit, pgfit.damerau_distance(a, b) AS damerau, round(1 - pgfit.jaro_winkler_distance(a, b)::numeric, 4) AS winkler,
    round(1 - pgfit.jaro_winkler_distance(a, b, 0)::numeric, 4) AS jaro, pgfit.jaro_winkler_distance(a, b) = pgfit.jaro_winkler_distance(b, a) AS symmetric
FROM (VALUES ('MARTHA', 'MARHTA'), ('DWAYNE', 'DUANE'), ('DIXON', 'DICKSONX'), ('JONES', 'JOHNSON'), ('MASSEY', 'MASSIE'), ('CA', 'ABC'), ('', 'abc'), ('', ''),
    ('naïve', 'naive'), ('中文', '文中')) AS v(a, b);
SELECT pgfit.damerau_distance(repeat('ab', 5000), repeat('ba', 5000)) AS long_damerau, pgfit.jaro_winkler_distance(repeat('ab', 5000), repeat('ab', 5000)) AS long_equal;
SELECT metric, round(pgfit.distance('MARTHA'::text, 'MARHTA'::text, metric)::numeric, 4) AS distance FROM unnest('{edit,damerau,jaro_winkler}'::text[]) AS metric;
SELECT round(pgfit.distance('MARTHA'::text, 'MARHTA'::text, 'jaro_winkler', '{"prefix_weight": 0}')::numeric, 4) AS jaro;
SELECT test.try($$SELECT pgfit.jaro_winkler_distance('a', 'b', 0.3)$$);
SELECT test.try($$SELECT pgfit.distance(1, 2, 'damerau')$$);
SELECT left(test.try($$SELECT pgfit.distance('a'::text, 'b'::text, 'edit_distance(text,text)')$$), 60);
SELECT name, a.* FROM unnest('{edit,damerau,jaro_winkler}'::text[]) AS name, pgfit_textbook.is_metric(name) AS a;

-- every metric of texts in every method, against the distances themselves; all models are read back
CREATE TABLE models AS
SELECT metric, pgfit.neighbors(id, word, o) AS neighbors, pgfit.knn_classifier(kind, word, o || '{"k": 3}') AS classes, pgfit.knn_regression(size, word, o || '{"k": 2}') AS numbers,
    pgfit.kmedoids(word, 3, o) AS medoids, pgfit.medoid(word, o) AS medoid, pgfit.dbscan(id, word, o || '{"radius": 2.5, "min_samples": 2}') AS dbscan,
    pgfit.hdbscan(id, word, o || '{"min_samples": 2, "min_cluster_size": 2}') AS hdbscan, pgfit.local_outlier_factor(id, word, o || '{"k": 3}') AS outliers,
    pgfit.optics(id, word, o || '{"min_samples": 2}') AS optics, pgfit.hierarchical(id, word, o) AS tree, pgfit.distance_histogram(word, o) AS histogram,
    pgfit.silhouette(kind, word, o) AS silhouette
FROM words, unnest('{edit,damerau,jaro_winkler}'::text[]) AS metric, LATERAL (SELECT jsonb_build_object('metric', metric)) AS t(o) GROUP BY metric, o;
SELECT metric, query, array_agg(n.id ORDER BY n.distance, n.id::int) AS ids,
    bool_and(test.near(n.distance, pgfit.distance(query, (SELECT word FROM words AS w WHERE w.id::text = n.id), metric))) AS distances
FROM models, unnest('{hamster,bitten,zzz}'::text[]) AS query, LATERAL pgfit.nearest(neighbors, query, 4) AS n GROUP BY metric, query ORDER BY metric, query;
SELECT metric, pgfit.classify(classes, 'hamer'::text), pgfit.predict(numbers, 'bitten'::text), pgfit.cluster(medoids, 'humer'::text) = pgfit.cluster(medoids, 'hammer'::text) AS together,
    pgfit.cluster(dbscan, 'mittens'::text), pgfit.cluster(hdbscan, 'mittens'::text) IS NULL AS noise, pgfit.classify(outliers, 'quite another one'::text) AS outlier
FROM models ORDER BY metric;
SELECT metric, m.cluster, m.level FROM models, LATERAL pgfit.medoids(medoids) AS m ORDER BY metric, cluster;
SELECT metric, test.near(pgfit.distance(medoid, ''::text), pgfit.distance(''::text, best.word, metric)) AS medoid
FROM models, LATERAL (SELECT w.word FROM words AS w, words AS v GROUP BY w.word ORDER BY sum(pgfit.distance(w.word, v.word, metric)) / count(*) * 9, w.word COLLATE "C" LIMIT 1) AS best ORDER BY metric;
SELECT metric, test.near((pgfit.info(histogram) -> 'statistics' ->> 'mean')::float8, (SELECT avg(pgfit.distance(a.word, b.word, metric)) FROM words AS a, words AS b WHERE a.id < b.id)) AS mean,
    test.near((SELECT max(height) FROM pgfit.cophenetic(tree)), (pgfit.info(tree) -> 'statistics' ->> 'height')::float8) AS tree, round(silhouette::numeric, 4) AS silhouette
FROM models ORDER BY metric;
SELECT bool_and(m::text::pgfit.model OPERATOR(pgfit.=) m) AS read_back
FROM models, unnest(ARRAY[neighbors, classes, numbers, medoids, medoid, dbscan, hdbscan, outliers, optics, tree, histogram]) AS m;
-- the order of arrival does not matter, and a fit by columns of a row or an object is the same
SELECT pgfit.neighbors(id, word, '{"metric": "edit"}' ORDER BY id) OPERATOR(pgfit.=) pgfit.neighbors(id, word, '{"metric": "edit"}' ORDER BY id DESC) AS same FROM words;
SELECT pgfit.classify(m, '{"word": "hamer"}'::jsonb) AS object, pgfit.classify(m, w) AS row FROM (SELECT pgfit.knn_classifier(kind, w, '{"k": 1, "metric": "edit", "features": ["word"]}') AS m FROM words AS w) AS fit, words AS w WHERE id = 7;
SELECT pgfit.cross_validate(kind, word, 'knn_classifier', '{"folds": 3, "options": {"k": 1, "metric": "edit"}}'::jsonb) IS NOT NULL AS validated FROM words;
SELECT pgfit.info(pgfit.neighbors(id, word, '{"metric": "edit"}')) -> 'skipped' AS skipped FROM (SELECT id, nullif(word, '') AS word FROM words) AS w;
-- scores in blocks are those of single rows
SELECT metric, bool_and(one = block) AS predicted, bool_and(one_class IS NOT DISTINCT FROM block_class) AS classified, bool_and(near = array_length(found, 1) AND distance IS NOT DISTINCT FROM (found[1]).distance) AS found
FROM (SELECT metric, pgfit.predict(numbers, word) AS one, pgfit.predict_batch(numbers, word) OVER w AS block, pgfit.classify(classes, word) AS one_class, pgfit.classify_batch(classes, word) OVER w AS block_class,
        pgfit.distance(neighbors, word) AS distance, 2 AS near, pgfit.nearest_batch(neighbors, word, 2) OVER w AS found
    FROM models, words WINDOW w AS (PARTITION BY metric ORDER BY id)) AS scores GROUP BY metric ORDER BY metric;
-- weights of equal strings, no rows, one row
SELECT pgfit.medoid(word, '{"metric": "edit"}') IS NULL AS none FROM words WHERE false;
SELECT pgfit.distance(pgfit.medoid(word, '{"metric": "edit"}'), 'kitty'::text) AS one FROM words WHERE id = 1;
SELECT pgfit.distance(pgfit.medoid(word, '{"metric": "edit"}'), NULL::text) IS NULL AS null_text FROM words;
-- refused
SELECT test.try($$SELECT pgfit.knn_classifier(kind, size, '{"metric": "edit"}'::jsonb) FROM words$$);
SELECT test.try($$SELECT pgfit.knn_classifier(kind, (word, kind), '{"metric": "edit"}'::jsonb) FROM words$$);
SELECT test.try($$SELECT pgfit.knn_classifier(kind, (word, size), '{"metric": "damerau"}'::jsonb) FROM words$$);
SELECT test.try($$SELECT pgfit.knn_classifier(kind, w, '{"metric": "edit", "formula": "factor(word)"}'::jsonb) FROM words AS w$$);
SELECT test.try($$SELECT pgfit.neighbors(id, word, '{"metric": "edit", "standardize": true}') FROM words$$);
SELECT test.try($$SELECT pgfit.neighbors(id, word, '{"metric": "edit", "prefix_weight": 0.1}') FROM words$$);
SELECT test.try($$SELECT pgfit.neighbors(id, word, '{"metric": "jaro_winkler", "prefix_weight": 0.5}') FROM words$$);
SELECT test.try($$SELECT pgfit.neighbors(id, word, '{"metric": "edit", "index": "ball_tree"}') FROM words$$);
SELECT test.try($$SELECT pgfit.neighbors(id, word, '{"metric": "edit", "nulls": "impute"}') FROM words$$);
SELECT test.try($$SELECT pgfit.hierarchical(id, word, '{"metric": "edit", "linkage": "ward"}') FROM words$$);
SELECT test.try($$SELECT pgfit.kmedoids(word, 2, '{"metric": "edit", "init": [[1], [2]]}') FROM words$$);

-- any value, by a function of its type
CREATE SCHEMA own;
CREATE FUNCTION own.apart(a int, b int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT abs(a - b)';
CREATE FUNCTION own.apart(a numeric, b numeric) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN abs(a - b); END';
CREATE FUNCTION own.apart(a point, b point) RETURNS real LANGUAGE sql IMMUTABLE AS 'SELECT (a <-> b)::real';
CREATE FUNCTION own.apart(a float8[], b float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT pgfit.manhattan_distance(a, b)';
CREATE FUNCTION own.apart(a date, b date) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT abs(a - b)::bigint';
CREATE TYPE own.level AS ENUM ('low', 'middle', 'high');
CREATE FUNCTION own.apart(a own.level, b own.level) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT abs(array_position(enum_range(NULL::own.level), a) - array_position(enum_range(NULL::own.level), b))::smallint $$;
CREATE FUNCTION own.apart(a text, b text) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT pgfit.edit_distance(lower(a), lower(b))';
CREATE TABLE mixed AS SELECT i AS id, i * i AS whole, i * i + 0.5 AS d, point(i, -i) AS p, ARRAY[i, -i]::float8[] AS a, date '2020-01-01' + i * i AS day,
    (enum_range(NULL::own.level))[1 + i % 3] AS level FROM generate_series(1, 6) AS i;
SELECT array_agg(x ORDER BY distance, x::int) AS n FROM (SELECT pgfit.neighbors(id, whole, '{"metric": "own.apart(int,int)"}') AS m FROM mixed) AS f, LATERAL pgfit.nearest(m, 10, 3) AS n(x, distance);
SELECT array_agg(x ORDER BY distance, x::int) AS d FROM (SELECT pgfit.neighbors(id, d, '{"metric": "own.apart(numeric,numeric)"}') AS m FROM mixed) AS f, LATERAL pgfit.nearest(m, 10.1, 3) AS n(x, distance);
SELECT array_agg(x ORDER BY distance, x::int) AS p FROM (SELECT pgfit.neighbors(id, p, '{"metric": "own.apart(point,point)"}') AS m FROM mixed) AS f, LATERAL pgfit.nearest(m, point(3.1, -3), 3) AS n(x, distance);
SELECT array_agg(x ORDER BY distance, x::int) AS p FROM (SELECT pgfit.neighbors(id, t, '{"metric": "own.apart(point,point)", "features": ["p"]}') AS m FROM mixed AS t) AS f, mixed AS t, LATERAL pgfit.nearest(m, t, 3) AS n(x, distance) WHERE t.id = 5;
SELECT array_agg(x ORDER BY distance, x::int) AS a FROM (SELECT pgfit.neighbors(id, a, '{"metric": "own.apart(float8[],float8[])"}') AS m FROM mixed) AS f, LATERAL pgfit.nearest(m, '{3.1,-3}'::float8[], 3) AS n(x, distance);
SELECT array_agg(x ORDER BY distance, x::int) AS day FROM (SELECT pgfit.neighbors(id, day, '{"metric": "own.apart(date,date)"}') AS m FROM mixed) AS f, LATERAL pgfit.nearest(m, date '2020-01-10', 3) AS n(x, distance);
SELECT array_agg(x ORDER BY distance, x::int) AS level FROM (SELECT pgfit.neighbors(id, level, '{"metric": "own.apart(own.level,own.level)"}') AS m FROM mixed) AS f, LATERAL pgfit.nearest(m, 'low'::own.level, 4) AS n(x, distance);
SELECT array_agg(x ORDER BY distance, x::int) AS json FROM (SELECT pgfit.neighbors(id, jsonb_build_object('n', whole), '{"metric": "own.apart(int,int)"}') AS m FROM mixed) AS f, LATERAL pgfit.nearest(m, '{"n": 10}'::jsonb, 3) AS n(x, distance);
-- the same results as the metric that the function computes, whatever the settings of the session
SELECT pgfit.neighbors(id, word, '{"metric": "own.apart(text,text)"}') AS by_function, pgfit.neighbors(id, lower(word), '{"metric": "edit"}') AS by_name FROM words \gset
SELECT bool_and(a = b) AS same FROM pgfit.nearest(:'by_function'::pgfit.model, 'Hamster'::text, 9) WITH ORDINALITY AS a(id, distance, target, n) JOIN pgfit.nearest(:'by_name'::pgfit.model, 'hamster'::text, 9) WITH ORDINALITY AS b(id, distance, target, n) USING (n);
-- the model has the function's name with its schema, so that the search path does not matter later
SET search_path = own, object_metrics, public;
SELECT pgfit.neighbors(id, word, '{"metric": "apart(text,text)"}') AS m FROM words \gset
SET search_path = object_metrics, public;
SELECT :'m'::jsonb -> 'arrays' -> 'metric_function' AS stored;
SELECT count(*) AS found FROM pgfit.nearest(:'m'::pgfit.model, 'x'::text, 2);

-- chess pieces: the bishop never reaches a square of the other color
CREATE TABLE squares AS SELECT chr(96 + file) || rank AS square, CASE (file + rank) % 2 WHEN 0 THEN 'dark' ELSE 'light' END AS color, file, rank FROM generate_series(1, 8) AS file, generate_series(1, 8) AS rank;
CREATE FUNCTION own.bishop(a text, b text) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN a = b THEN 0 WHEN (files + ranks) % 2 = 1 THEN float8 'infinity' WHEN files = ranks THEN 1 ELSE 2 END
    FROM (SELECT abs(ascii(a) - ascii(b)), abs(right(a, 1)::int - right(b, 1)::int)) AS d(files, ranks) $$;
CREATE TABLE knight_moves AS
WITH RECURSIVE walk(a, b, moves) AS (
    SELECT square, square, 0 FROM squares
  UNION
    SELECT w.a, t.square, moves + 1 FROM walk AS w JOIN squares AS s ON s.square = w.b JOIN squares AS t ON abs(s.file - t.file) * abs(s.rank - t.rank) = 2 WHERE moves < 6)
SELECT a, b, min(moves) AS moves FROM walk GROUP BY a, b;
CREATE UNIQUE INDEX ON knight_moves (a, b);
SET pgfit.trusted_functions = 'own.knight(text,text)';
CREATE FUNCTION own.knight(a text, b text) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT moves FROM knight_moves AS k WHERE k.a = knight.a AND k.b = knight.b); END';
SELECT distance, count(*), string_agg(id, ' ' ORDER BY id) FILTER (WHERE distance < 2) AS squares
FROM (SELECT pgfit.neighbors(square, square, '{"metric": "own.bishop(text,text)"}') AS m FROM squares) AS f, LATERAL pgfit.nearest(m, 'd4'::text, 64) GROUP BY distance ORDER BY distance;
SELECT distance, count(*) FROM (SELECT pgfit.neighbors(square, square, '{"metric": "own.knight(text,text)"}') AS m FROM squares) AS f, LATERAL pgfit.nearest(m, 'a1'::text, 64) GROUP BY distance ORDER BY distance;
SELECT pgfit.classify(m, 'c6'::text) AS reached, pgfit.classify(m, 'c7'::text) IS NULL AS unreachable
FROM (SELECT pgfit.knn_classifier(file::text, square, '{"k": 3, "metric": "own.bishop(text,text)"}') AS m FROM squares WHERE color = 'light') AS f;
SELECT pgfit.predict(m, 'c6'::text) IS NOT NULL AS reached, pgfit.predict(m, 'c7'::text) IS NULL AS unreachable
FROM (SELECT pgfit.knn_regression(file, square, '{"k": 3, "metric": "own.bishop(text,text)"}') AS m FROM squares WHERE color = 'light') AS f;
SELECT cluster, color, count(*) FROM (SELECT pgfit.dbscan(square, square, '{"metric": "own.bishop(text,text)", "radius": 1, "min_samples": 3}') AS m FROM squares) AS f, LATERAL pgfit.members(m) JOIN squares ON square = id GROUP BY 1, 2 ORDER BY 2;
SELECT cluster, color, count(*) FROM (SELECT pgfit.hdbscan(square, square, '{"metric": "own.bishop(text,text)", "min_cluster_size": 5}') AS m FROM squares) AS f, LATERAL pgfit.members(m) JOIN squares ON square = id GROUP BY 1, 2 ORDER BY 2;
SELECT pgfit.silhouette(color, square, '{"metric": "own.bishop(text,text)"}') AS by_color, pgfit.silhouette(file % 2, square, '{"metric": "own.bishop(text,text)"}') AS by_file FROM squares;
SELECT count(*) AS rows, count(reachability) AS reached FROM (SELECT pgfit.optics(square, square, '{"metric": "own.bishop(text,text)", "min_samples": 3}') AS m FROM squares) AS f, LATERAL pgfit.reachability(m);
SELECT test.try($$SELECT pgfit.medoid(square, '{"metric": "own.bishop(text,text)"}') FROM squares$$);
SELECT test.try($$SELECT pgfit.distance_histogram(square, '{"metric": "own.bishop(text,text)"}') FROM squares$$);
SELECT test.try($$SELECT pgfit.local_outlier_factor(square, square, '{"k": 40, "metric": "own.bishop(text,text)"}') FROM squares$$);
-- medoids must reach every row; trees join what cannot be reached at an infinite height
SELECT cluster, level AS medoid FROM (SELECT pgfit.kmedoids(square, 2, '{"metric": "own.bishop(text,text)"}') AS m FROM squares) AS f, LATERAL pgfit.medoids(m);
SELECT color, count(DISTINCT pgfit.cluster(m, square)) AS clusters, sum(pgfit.distance(m, square)) AS cost FROM (SELECT pgfit.kmedoids(square, 2, '{"metric": "own.bishop(text,text)", "algorithm": "clara"}') AS m FROM squares) AS f, squares GROUP BY color ORDER BY color;
SELECT test.try($$SELECT pgfit.kmedoids(square, 1, '{"metric": "own.bishop(text,text)"}') FROM squares$$);
SELECT linkage, max(height) AS height, (SELECT count(DISTINCT (c.cluster, color)) FROM pgfit.cut(m, 2) AS c JOIN squares ON square = c.id) AS parts
FROM (SELECT linkage, pgfit.hierarchical(square, square, jsonb_build_object('metric', 'own.bishop(text,text)', 'linkage', linkage)) AS m FROM squares, unnest('{average,complete,single}'::text[]) AS linkage GROUP BY linkage) AS f,
    LATERAL pgfit.cophenetic(m) GROUP BY linkage, m ORDER BY linkage;
SELECT test.try($$SELECT pgfit.hierarchical(square, square, '{"metric": "own.bishop(text,text)", "linkage": "mcquitty"}') FROM squares$$);
