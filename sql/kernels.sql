-- kernels of texts, sums and products, and Gram matrices as features: functions, fits, scores, refusals. distances.sql has the simple kernels.
SET search_path = public, pgfit, pgfit_textbook;
-- the textbook: cat and car share c-a, in windows of two characters and with gaps
SELECT spectrum_kernel('cat', 'car', 2, false) AS spectrum, spectrum_kernel('cat', 'car', 2) AS normalized, spectrum_kernel('cat', 'car') AS of_three,
    subsequence_kernel('cat', 'car', 2, 0.5, false) = 0.5 ^ 4 AS subsequence, test.near(subsequence_kernel('cat', 'car', 2, 0.5), 1 / (2 + 0.5 ^ 2)) AS normalized,
    subsequence_kernel('cat', 'cat', 2, 0.5, false) = 2 * 0.5 ^ 4 + 0.5 ^ 6 AS self;
SELECT spectrum_kernel('abab', 'abc', 2, false) AS twice, spectrum_kernel('', 'abc') AS empty, spectrum_kernel('ab', 'ab') AS short, spectrum_kernel('äöü', 'xäöü', length => 2, normalized => false) AS characters,
    subsequence_kernel('a-b-c', 'abc', 3, 1, false) AS gaps, subsequence_kernel('abcabc', 'abc', 3, 1, false) AS occurrences, spectrum_kernel(NULL, 'a') AS nothing;
-- the same through kernel, with distances, angles and Gram matrices
SELECT kernel('cat'::text, 'car'::text, 'spectrum', '{"length": 2}') AS kernel, kernel_distance('cat'::text, 'car'::text, 'spectrum', '{"length": 2}') AS distance,
    test.near(kernel_cosine('cat'::text, 'car'::text, 'subsequence', '{"length": 2, "normalized": false}'), kernel('cat'::text, 'car'::varchar, 'subsequence', '{"length": 2}')) AS cosine;
SELECT gram_matrix(s, 'spectrum', '{"length": 1, "normalized": false}' ORDER BY i) FROM (VALUES (1, 'abc'), (2, 'cab'), (3, 'aaa'), (4, NULL)) AS v(i, s);
-- sums and products; a text takes part where a kernel of texts does
SELECT kernel(ARRAY[1, 2], ARRAY[3, 4], '{"sum": [{"kernel": "linear", "weight": 2}, {"product": [{"kernel": "linear"}, {"kernel": "polynomial", "degree": 2}]}]}') = 2 * 11 + 11 ^ 3 AS nested,
    test.near(kernel(ROW('cat'::text, 1, 2), ROW('car'::text, 1, 4), '{"product": [{"kernel": "spectrum", "length": 2}, {"kernel": "rbf", "gamma": 0.5}]}'), 0.5 * exp(-2)) AS mixed,
    test.near(kernel(ROW(1, 'cat'::text, 2), ROW(1, 'car'::text, 4), '{"sum": [{"kernel": "spectrum", "length": 2}, {"kernel": "linear", "weight": 0.1}]}'), 0.5 + 0.9) AS between,
    kernel(ARRAY[1], ARRAY[2], '{"kernel": "linear", "weight": 5}') AS weighted, kernel('{"s": "ab", "n": 1}'::jsonb, '{"s": "ab", "n": 2}'::jsonb, '{"sum": [{"kernel": "spectrum", "length": 2}, {"kernel": "linear"}]}') AS jsonb;
SELECT test.near_all((SELECT array_agg(x) FROM unnest(gram_matrix(r, '{"sum": [{"kernel": "rbf"}, {"kernel": "linear", "weight": 2}]}')) x),
                     (SELECT array_agg(x + 2 * y ORDER BY n) FROM unnest(gram_matrix(r, 'rbf'), gram_matrix(r, 'linear')) WITH ORDINALITY AS t(x, y, n))) AS sum_of_matrices
FROM (SELECT ARRAY[i, i % 3] AS r FROM generate_series(1, 20) AS i) AS v;
-- fits over a text; words of two kinds
CREATE TABLE names (id int, name text, n int);
INSERT INTO names VALUES (1, 'the quick brown fox', 1), (2, 'the quick brown dog', 2), (3, 'quick brown foxes', 1), (4, 'lorem ipsum dolor', 2), (5, 'lorem ipsum dolores', 3),
    (6, 'ipsum dolor sit', 2), (7, 'lorem ipsum dolor', 1), (8, NULL, 1);
CREATE TABLE by_name AS SELECT kernel_kmeans(name, 2, '{"kernel": "spectrum"}' ORDER BY id) AS m FROM names;
SELECT name, cluster(m, name), round(distance(m, name)::numeric, 4) AS distance FROM names, by_name ORDER BY id;
-- the model has each text once, rows that are scored bring their own, and no dictionary is kept
SELECT info(m) -> 'features' AS features, info(m) -> 'skipped' AS skipped, cardinality(ARRAY(SELECT jsonb_array_elements_text(m::jsonb #> '{arrays,texts,text}'))) AS texts, m::jsonb -> 'schema' AS schema FROM by_name;
SELECT s, cluster(m, s), test.near(distance(m, s) ^ 2, (1 - 2 * (SELECT avg(spectrum_kernel(name, s)) FROM names, LATERAL (SELECT cluster(m, name) AS c) AS x WHERE c = cluster(m, s))
        + (SELECT avg(spectrum_kernel(a.name, b.name)) FROM names a, names b WHERE cluster(m, a.name) = cluster(m, s) AND cluster(m, b.name) = cluster(m, s))), 1e-9) AS distance
FROM by_name, (VALUES ('a quick brown cat'), ('dolores'), ('lorem ipsum dolor')) AS v(s);
SELECT m OPERATOR(pgfit.=) m::text::model AS text, m OPERATOR(pgfit.=) (m::jsonb)::model AS json, test.near_all(distances(m, 'ipsum'::text), distances(m::text::model, 'ipsum'::text), 0) AS scores FROM by_name;
-- by name and by position, as rows, jsonb, varchar and domains; with numbers beside the text
CREATE DOMAIN label AS varchar(30);
SELECT cluster(m, name::label) = cluster(m, name) AND cluster(m, ROW(name)) = cluster(m, name) AND cluster(m, name::char(30)) = cluster(m, name) AS same FROM names, by_name WHERE id = 2;
CREATE TABLE mixed AS SELECT kernel_kmeans(f, 2, '{"kernel": {"sum": [{"kernel": "subsequence", "length": 2}, {"kernel": "rbf", "weight": 0.1}]}}' ORDER BY id) AS m FROM names, LATERAL (SELECT n, name) AS f;
SELECT cluster(m, f) AS by_name, cluster(m, jsonb_build_object('name', f.name, 'n', f.n)) AS jsonb FROM names, mixed, LATERAL (SELECT names.name, names.n) AS f ORDER BY id;
SELECT m::jsonb #> '{arrays,kernel}' AS kernel, m::jsonb #> '{arrays,kernel_parts,shape}' AS parts, info(m) #> '{options,kernel}' AS option FROM mixed;
-- more texts than max_levels, groups, windows
SELECT info(kernel_kmeans(md5(i::text), 2, '{"kernel": "spectrum", "max_levels": 10}')) -> 'rows' AS rows FROM generate_series(1, 100) AS i;
SELECT n, info(kernel_kmeans(name, 1, '{"kernel": "spectrum"}')) -> 'rows' AS rows FROM names WHERE name IS NOT NULL GROUP BY n ORDER BY n;
SELECT count(DISTINCT cluster(m, name)) FROM (SELECT name, kernel_kmeans(name, 2, '{"kernel": "spectrum"}') OVER () AS m FROM names WHERE id < 8) AS w;
-- Gram rows are the features: the same clusters as from the rows themselves
CREATE TABLE points AS SELECT i, CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END AS c, ARRAY[sin(i), cos(i * i)] AS f FROM generate_series(1, 30) AS i;
CREATE TABLE gram AS SELECT a.i, a.c, a.f, array_agg(kernel(a.f, b.f, 'rbf', '{"gamma": 2}') ORDER BY b.i) AS g FROM points a, points b GROUP BY a.i, a.c, a.f;
SELECT parameter(k, 'clusters') = parameter(p, 'clusters') AS clusters, test.near((info(k) #>> '{statistics,inertia}')::float8, (info(p) #>> '{statistics,inertia}')::float8) AS inertia,
    (SELECT bool_and(cluster(k, f) = cluster(p, g)) FROM gram) AS scores, (SELECT count(distance(p, g)) FROM gram) AS distances, p::jsonb #> '{arrays,rows,shape}' AS rows
FROM (SELECT kernel_kmeans(f, 3, '{"gamma": 2, "init": "random"}' ORDER BY i) AS a FROM gram) AS x, (SELECT kernel_kmeans(f, 3, jsonb_build_object('gamma', 2, 'init', init) ORDER BY i) AS k, kernel_kmeans(g, 3, jsonb_build_object('kernel', 'precomputed', 'init', init) ORDER BY i) AS p
    FROM gram, (SELECT jsonb_agg(1 + i % 3 ORDER BY i) AS init FROM gram) AS s) AS fit;
-- refused: options, columns, Gram matrices
SELECT test.try(format('SELECT pgfit.kernel(%s, %s)', a, k)) FROM (VALUES
    ('ARRAY[1], ARRAY[2]', '''spectrum'''), ('''a''::text, ''b''::text', '''linear'''), ('''a''::text, ''b''::text', '''spectrum'', ''{"gamma": 1}'''),
    ('''a''::text, ''b''::text', '''spectrum'', ''{"length": 0}'''), ('''a''::text, ''b''::text', '''subsequence'', ''{"decay": 0}'''), ('''a''::text, ''b''::text', '''spectrum'', ''{"decay": 0.5}'''),
    ('ROW(''a''::text, 1), ROW(''b''::text, 2)', '''spectrum'''), ('ROW(''a''::text, ''b''::text), ROW(''b''::text, ''c''::text)', '''spectrum'''),
    ('''a''::text, ''b''::text', '''{"sum": [{"kernel": "spectrum"}, {"kernel": "linear"}]}'''), ('ARRAY[1], ARRAY[2]', '''precomputed'''),
    ('ARRAY[1], ARRAY[2]', '''{"sum": []}'''), ('ARRAY[1], ARRAY[2]', '''{"sum": [{"kernel": "linear"}, {}]}'''), ('ARRAY[1], ARRAY[2]', '''{"sum": [{"kernel": "precomputed"}]}'''),
    ('ARRAY[1], ARRAY[2]', '''{"sum": [{"kernel": "linear", "weight": 0}]}'''), ('ARRAY[1], ARRAY[2]', '''{"sum": [{"kernel": "linear", "gamma": 1}]}'''), ('ARRAY[1], ARRAY[2]', '''{"sum": [{"kernel": "rbf"}]}'''),
    ('ARRAY[1], ARRAY[2]', '''{"sum": [{"kernel": "linear"}], "gamma": 1}'''), ('ARRAY[1], ARRAY[2]', '''{"sum": [{"kernel": "linear"}]}'', ''{"gamma": 1}'''), ('ARRAY[1], ARRAY[2]', '''{"total": [{"kernel": "linear"}]}'''),
    ('ARRAY[1], ARRAY[2]', '''{"sum": "linear"}'''), ('ARRAY[1], ARRAY[2]', '''{"sum": [{"sum": [{"sum": [{"sum": [{"sum": [{"kernel": "linear"}]}]}]}]}]}''')) AS v(a, k);
SELECT test.try(s) FROM unnest(ARRAY['SELECT pgfit.spectrum_kernel(''a'', ''b'', 0)', 'SELECT pgfit.spectrum_kernel(''a'', ''b'', 101)', 'SELECT pgfit.subsequence_kernel(''a'', ''b'', 2, 1.5)', 'SELECT pgfit.subsequence_kernel(''a'', ''b'', 2, ''NaN'')',
    'SELECT pgfit.distance(ARRAY[1], ARRAY[2], ''kernel'', ''{"kernel": "spectrum"}'')', 'SELECT pgfit.kernel_kmeans(i, 1, ''{"kernel": "spectrum"}'') FROM generate_series(1, 3) AS i',
    'SELECT pgfit.kernel_kmeans(''a''::text, 1, ''{"kernel": "rbf"}'')', 'SELECT pgfit.kernel_kmeans(''a''::text, 1, ''{"kernel": "spectrum", "nulls": "impute"}'')',
    'SELECT pgfit.kernel_kmeans(ROW(''a''::text, 1), 1, ''{"kernel": "spectrum"}'')', 'SELECT pgfit.kernel_kmeans((''a''::text, ''b''::text), 1, ''{"kernel": "spectrum"}'')', 'SELECT pgfit.kernel_kmeans(ROW(''a''::text), 1, ''{"kernel": {"sum": [{"kernel": "spectrum"}, {"kernel": "rbf"}]}}'')',
    'SELECT pgfit.cluster(m, 1) FROM by_name', 'SELECT pgfit.cluster(m, ARRAY[1]) FROM by_name', 'SELECT pgfit.cluster(m, ''{"s": 1}''::jsonb) FROM by_name',
    'SELECT pgfit.kernel_kmeans(f, 1, ''{"gamma": 0}'') FROM points', 'SELECT pgfit.kernel_kmeans(f, 1, ''{"kernel": "polynomial", "degree": 0}'') FROM points',
    'SELECT pgfit.kernel_kmeans(g, 2, ''{"kernel": "precomputed"}'' ORDER BY i) FROM gram WHERE i < 30', 'SELECT pgfit.kernel_kmeans(g, 2, ''{"kernel": "precomputed", "assignment": "average_distance"}'' ORDER BY i) FROM gram',
    'SELECT pgfit.kernel_kmeans(g, 2, ''{"kernel": "precomputed"}'' ORDER BY i) FROM (VALUES (1, ARRAY[1, 0.5, 0]), (2, ARRAY[0.25, 1, 0]), (3, ARRAY[0, 0, 1])) AS v(i, g)',
    'SELECT pgfit.kernel_kmeans(g, 2, ''{"kernel": "precomputed", "gamma": 1}'') FROM gram', 'SELECT pgfit.kernel_kmeans(g, 2, ''{"kernel": "precomputed"}'') FROM (VALUES (ARRAY[1, ''NaN''::float8]), (ARRAY[0, 1])) AS v(g)']) AS s;
SET pgfit.fit_mem = '1MB';
SELECT test.try('SELECT pgfit.kernel_kmeans(repeat(i::text, 1000), 2, ''{"kernel": "spectrum"}'') FROM generate_series(1, 100) AS i');
SELECT test.try('SELECT pgfit.spectrum_kernel(repeat(''a'', 100000), ''a'')'), test.try('SELECT pgfit.subsequence_kernel(repeat(''a'', 100000), repeat(''b'', 100), 5)');
RESET pgfit.fit_mem;
-- warned: what is not positive semi-definite, once per fit
SELECT parameter(kernel_kmeans(g, 1, '{"kernel": "precomputed"}' ORDER BY i), 'sizes') AS sizes FROM (VALUES (1, ARRAY[1, 2, 0]), (2, ARRAY[2, 1, 0]), (3, ARRAY[0, 0, 1])) AS v(i, g);
SELECT parameter(kernel_kmeans(g, 1, '{"kernel": "precomputed"}' ORDER BY i), 'sizes') AS sizes FROM (VALUES (1, ARRAY[1, 0.9, 0.9]), (2, ARRAY[0.9, 1, -0.9]), (3, ARRAY[0.9, -0.9, 1])) AS v(i, g);
SELECT parameter(kernel_kmeans(g, 1, '{"kernel": "precomputed"}' ORDER BY i), 'sizes') AS sizes FROM (VALUES (1, ARRAY[-1, 0]), (2, ARRAY[0, 1])) AS v(i, g);
SELECT parameter(kernel_kmeans(f, 1, '{"kernel": "sigmoid", "gamma": 3, "coef0": -1}'), 'sizes') AS sizes FROM points;
SELECT parameter(kernel_kmeans(f, 1, '{"kernel": "polynomial", "degree": 2, "coef0": -1}'), 'sizes') AS sizes FROM points;
-- forged models: numbers of texts and rows, parts, kinds of features
SELECT what, test.try(format('SELECT (%L::jsonb)::text::pgfit.model IS NULL', forged)) FROM by_name, LATERAL (VALUES
    ('no text', jsonb_set(m::jsonb, '{arrays,rows,f64,0}', '6')), ('between texts', jsonb_set(m::jsonb, '{arrays,rows,f64,0}', '0.5')), ('a text of the row', jsonb_set(m::jsonb, '{arrays,rows,f64,0}', '-1')),
    ('no texts', m::jsonb #- '{arrays,texts}'), ('a number', jsonb_set(m::jsonb, '{schema,field_kinds,i64}', '[1]')), ('a category', jsonb_set(m::jsonb, '{schema,field_kinds,i64}', '[3]')),
    ('another kernel', jsonb_set(m::jsonb, '{arrays,kernel}', '[10, 1, 0, 1]')), ('length 0', jsonb_set(m::jsonb, '{arrays,kernel}', '[6, 1, 1, 0]')), ('precomputed', jsonb_set(m::jsonb, '{arrays,kernel}', '[5, 1, 0, 1]'))) AS v(what, forged);
SELECT what, test.try(format('SELECT (%L::jsonb)::text::pgfit.model IS NULL', forged)) FROM mixed, LATERAL (VALUES
    ('sound', m::jsonb), ('no parts', m::jsonb #- '{arrays,kernel_parts}'), ('too many parts', jsonb_set(m::jsonb, '{arrays,kernel_parts,f64,5}', '3')), ('weight 0', jsonb_set(m::jsonb, '{arrays,kernel_parts,f64,20}', '0')),
    ('no text column', jsonb_set(m::jsonb, '{arrays,kernel,2}', '0')), ('a column too many', jsonb_set(m::jsonb, '{arrays,kernel,2}', '3')), ('the other column', jsonb_set(m::jsonb, '{arrays,kernel,2}', '1'))) AS v(what, forged);
DROP TABLE names, by_name, mixed, points, gram;
DROP DOMAIN label;

-- gamma that is not given: a row of weight 2 counts as two, from all pairs of rows and from landmarks
CREATE TABLE counted AS SELECT x, 1 + x % 3 AS w FROM generate_series(1, 20) AS x;
SELECT o AS options, test.near((pgfit.info(a) -> 'statistics' ->> 'gamma')::float8, (pgfit.info(b) -> 'statistics' ->> 'gamma')::float8) AS same, test.near((pgfit.info(c) -> 'statistics' ->> 'gamma')::float8, (pgfit.info(b) -> 'statistics' ->> 'gamma')::float8) AS as_without
FROM unnest(ARRAY['{}', '{"standardize": true}', '{"approximation": "nystroem", "landmarks": 20}']::jsonb[]) AS o,
     LATERAL (SELECT pgfit.kernel_ridge(x, (x, x * x), o, w) AS a, pgfit.kernel_ridge(x, (x, x * x), o) AS c FROM counted) AS p, LATERAL (SELECT pgfit.kernel_ridge(x, (x, x * x), o) AS b FROM counted, generate_series(1, w)) AS q;
DROP TABLE counted;
-- a Gram matrix of as many categories as rows failed with an internal error
SELECT test.try(format('SELECT pgfit.%s(%sd, ''{"kernel": "precomputed"}'') FROM (SELECT i, chr(96 + i) AS g FROM generate_series(1, 3) AS i) AS r, LATERAL (SELECT g) AS d', name, target))
FROM (VALUES ('kernel_ridge', 'i, '), ('kernel_pca', ''), ('one_class_svm', '')) AS v(name, target);
