-- kernel_approximation: landmarks and random frequencies in place of a kernel, in all kernel methods; edges and refusals.
CREATE TABLE waves AS
SELECT i AS id, 4 * (i * 0.6180339887 % 1) AS a, 4 * (i * 0.7548776662 % 1) AS b FROM generate_series(1, 300) AS i;
ALTER TABLE waves ADD y float8, ADD c text, ADD g text;
UPDATE waves SET y = sin(2 * a) + b / 2, c = CASE WHEN sin(2 * a) + cos(3 * b) > 0.2 THEN 'up' ELSE 'down' END, g = 'g' || id % 3;
-- with all rows as landmarks the model is that of the exact method
CREATE TABLE approximated AS
WITH w (method, options) AS (VALUES
    ('kernel_ridge', '{"lambda": 0.1, "gamma": 0.5, "intercept": true, "standardize": true}'::jsonb),
    ('svm_classifier', '{"kernel": "rbf", "gamma": 0.5, "tolerance": 1e-9}'), ('svm_regression', '{"kernel": "rbf", "gamma": 0.5, "tolerance": 1e-9}'),
    ('one_class_svm', '{"nu": 0.2, "gamma": 0.5, "tolerance": 1e-9}'), ('kernel_pca', '{"k": 3, "gamma": 0.5}'),
    ('kernel_kmeans', (SELECT jsonb_build_object('k', 4, 'gamma', 0.5, 'init', jsonb_agg(1 + id % 4 ORDER BY id)) FROM waves)), ('perceptron', '{"kernel": "rbf", "gamma": 2, "max_iter": 500, "averaged": true}'))
SELECT method, approximation, CASE method
    WHEN 'kernel_ridge' THEN (SELECT pgfit.kernel_ridge(y, f, o ORDER BY id) FROM waves, LATERAL (SELECT a, b, g) AS f)
    WHEN 'svm_classifier' THEN (SELECT pgfit.svm_classifier(c, f, o ORDER BY id) FROM waves, LATERAL (SELECT a, b, g) AS f)
    WHEN 'svm_regression' THEN (SELECT pgfit.svm_regression(y, f, o ORDER BY id) FROM waves, LATERAL (SELECT a, b, g) AS f)
    WHEN 'one_class_svm' THEN (SELECT pgfit.one_class_svm(f, o ORDER BY id) FROM waves, LATERAL (SELECT a, b, g) AS f)
    WHEN 'kernel_pca' THEN (SELECT pgfit.kernel_pca(f, o ORDER BY id) FROM waves, LATERAL (SELECT a, b, g) AS f)
    WHEN 'kernel_kmeans' THEN (SELECT pgfit.kernel_kmeans(f, o ORDER BY id) FROM waves, LATERAL (SELECT a, b) AS f)
    WHEN 'perceptron' THEN (SELECT pgfit.perceptron(c, f, o ORDER BY id) FROM waves, LATERAL (SELECT a, b) AS f) END AS m
FROM w, (VALUES ('none', '{}'::jsonb), ('all', '{"approximation": "nystroem", "landmarks": 300}'), ('some', '{"approximation": "nystroem", "landmarks": 150}'),
    ('fourier', '{"approximation": "fourier", "frequencies": 500}')) AS v (approximation, more), LATERAL (SELECT options || more AS o) AS o;
CREATE FUNCTION score(m pgfit.model, f record) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE pgfit.info(m) ->> 'estimator' WHEN 'kernel_ridge' THEN pgfit.predict(m, f) WHEN 'svm_regression' THEN pgfit.predict(m, f)
        WHEN 'kernel_pca' THEN abs((pgfit.transform(m, f))[1]) WHEN 'kernel_kmeans' THEN pgfit.distance(m, f) ELSE pgfit.decision(m, f) END;
END
$$;
CREATE TABLE differences AS
SELECT e.method, x.approximation, sqrt(avg((score(x.m, f) - score(e.m, f)) ^ 2)) / stddev_pop(score(e.m, f)) AS difference
FROM approximated AS e JOIN approximated AS x USING (method), waves, LATERAL (SELECT a, b, g) AS f
WHERE e.approximation = 'none' AND x.approximation <> 'none' AND id % 3 = 0 GROUP BY 1, 2;
SELECT method, bool_and(difference < 1e-5) FILTER (WHERE approximation = 'all') AS with_all_rows,
    bool_and(difference < 0.6) FILTER (WHERE approximation = 'some') AS with_some, bool_and(difference < 0.6) FILTER (WHERE approximation = 'fourier') AS with_frequencies
FROM differences GROUP BY method ORDER BY method;
-- the model says so
SELECT method, approximation, pgfit.info(m) -> 'statistics' -> 'approximation' AS fact, pgfit.info(m) -> 'statistics' -> 'landmarks' AS landmarks,
    pgfit.info(m) -> 'statistics' -> 'frequencies' AS frequencies, pgfit.summary(m) LIKE '%approximation%' AS summary,
    pgfit.info(m) -> 'implementation' -> 'arrays' -> 'rows' ->> 'shape' AS rows
FROM approximated WHERE approximation IN ('some', 'fourier') ORDER BY 1, 2;
SELECT method, bool_and(m OPERATOR(pgfit.=) m::text::pgfit.model) AS text, bool_and(m OPERATOR(pgfit.=) (m::jsonb)::pgfit.model) AS json FROM approximated GROUP BY method ORDER BY method;
-- whatever the order of the rows; another seed chooses other landmarks; equal rows count once; all rows if there are no more than landmarks
CREATE FUNCTION landmarks(m pgfit.model) RETURNS text LANGUAGE sql AS $$ SELECT md5(pgfit.parameter(m, 'rows')::text) $$;
SELECT landmarks(m) = landmarks(n) AS same, landmarks(m) <> landmarks(o) AS others, test.near(pgfit.predict(m, f), pgfit.predict(n, f), 1e-9) AS predicted
FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 20}' ORDER BY id) AS m,
    pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 20}' ORDER BY md5(id::text)) AS n,
    pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 20, "seed": 1}' ORDER BY id) AS o FROM waves) AS fit, (SELECT 1.0::float8 AS a, 2.0::float8 AS b) AS f;
SELECT pgfit.info(pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 20}')) -> 'statistics' -> 'landmarks' AS landmarks
FROM waves, generate_series(1, 5) WHERE id <= 7;
SELECT test.near(pgfit.predict(x, f), pgfit.predict(e, f), 1e-9) AS predicted, pgfit.info(x) -> 'statistics' -> 'landmarks' AS landmarks
FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem"}') AS x, pgfit.kernel_ridge(y, (a, b)) AS e FROM waves WHERE id <= 40) AS fit,
    (SELECT 1.0::float8 AS a, 2.0::float8 AS b) AS f;
-- one row; equal rows; a linear kernel has as many features as columns; weights
SELECT round(pgfit.predict(pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem"}'), (max(a), max(b)))::numeric, 4) AS half FROM (SELECT a, b, 2.0::float8 AS y FROM waves WHERE id = 1) AS one;
SELECT pgfit.info(m) -> 'statistics' -> 'landmarks' AS landmarks FROM (SELECT pgfit.kernel_ridge(id, (1, 2), '{"approximation": "nystroem"}') AS m FROM waves) AS fit;
SELECT pgfit.info(m) -> 'statistics' -> 'landmarks' AS landmarks FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "kernel": "linear"}') AS m FROM waves) AS fit;
SELECT test.near(pgfit.predict(w, f), pgfit.predict(r, f), 1e-9) AS weighted
FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 30, "gamma": 0.5}'::jsonb, 1 + id % 2) AS w FROM waves) AS w,
    (SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 30, "gamma": 0.5}') AS r FROM waves, generate_series(0, id % 2)) AS r, (SELECT 1.0::float8 AS a, 2.0::float8 AS b) AS f;
-- lambda and gamma by leave-one-out errors, in closed form
SELECT test.near((x ->> 'loo_mse')::float8, (e ->> 'loo_mse')::float8, 1e-7) AS loo, x -> 'lambda' = e -> 'lambda' AS lambda, test.near((x ->> 'gamma')::float8, (e ->> 'gamma')::float8) AS gamma, test.near((x ->> 'df')::float8, (e ->> 'df')::float8, 1e-6) AS df
FROM (SELECT pgfit.info(pgfit.kernel_ridge(y, (a, b), '{"lambda": [1, 0.1, 0.01], "gamma": [0.3, 1], "intercept": true, "approximation": "nystroem"}' ORDER BY id)) -> 'statistics' AS x,
    pgfit.info(pgfit.kernel_ridge(y, (a, b), '{"lambda": [1, 0.1, 0.01], "gamma": [0.3, 1], "intercept": true}' ORDER BY id)) -> 'statistics' AS e FROM waves) AS fit;
-- kernels of texts, sums
SELECT test.near(pgfit.predict(x, f), pgfit.predict(e, f), 1e-8) AS predicted
FROM (SELECT pgfit.kernel_ridge(y, f, '{"kernel": {"sum": [{"kernel": "spectrum", "length": 2}, {"kernel": "rbf"}]}, "approximation": "nystroem"}') AS x,
    pgfit.kernel_ridge(y, f, '{"kernel": {"sum": [{"kernel": "spectrum", "length": 2}, {"kernel": "rbf"}]}}') AS e FROM waves, LATERAL (SELECT md5((id % 9)::text) AS t, a, b) AS f) AS fit, (SELECT md5('3') AS t, 1.0::float8 AS a, 2.0::float8 AS b) AS f;
-- several classes; a window
SELECT pgfit.accuracy(g, pgfit.classify(m, (a, b, id % 3))) > 0.99 AS accurate
FROM waves, (SELECT pgfit.svm_classifier(g, (a, b, id % 3), '{"kernel": "rbf", "approximation": "nystroem", "landmarks": 50}') AS m FROM waves) AS fit GROUP BY m;
SELECT count(DISTINCT landmarks(m)) AS models FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 5}') OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS m FROM waves WHERE id <= 20) AS w;
-- refusals
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystrom"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 0}') FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 2.5}') FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (a, b), '{"landmarks": 5}') FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "frequencies": 5}') FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "fourier", "kernel": "polynomial"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, ARRAY[a, b], '{"approximation": "nystroem", "kernel": "precomputed"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (0, 0), '{"approximation": "nystroem", "kernel": "linear"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (a * 1e200, b), '{"approximation": "nystroem", "kernel": "polynomial"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.svm_classifier(c, (a, b), '{"approximation": "nystroem"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.svm_classifier(c, (a, b), '{"landmarks": 9}') FROM waves$$);
SELECT test.try($$SELECT pgfit.svm_classifier(c, (a, b), '{"kernel": "rbf", "approximation": "nystroem", "C": "hard"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.svm_classifier(c, (a, b), '{"kernel": "rbf", "approximation": "nystroem", "nu": 0.2}') FROM waves$$);
SELECT test.try($$SELECT pgfit.svm_regression(y, (a, b), '{"kernel": "rbf", "approximation": "fourier", "shrinking": true}') FROM waves$$);
SELECT test.try($$SELECT pgfit.perceptron(c, (a, b), '{"approximation": "nystroem"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.perceptron(c, (a, b), '{"kernel": "rbf", "approximation": "nystroem", "averaged": "voted"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.perceptron(c, (a, b), '{"kernel": "rbf", "approximation": "nystroem", "mistakes": true}') FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_pca((a, b), '{"approximation": "nystroem", "preimages": true}'::jsonb) FROM waves$$);
SELECT test.try($$SELECT pgfit.kernel_kmeans((a, b), 2, '{"approximation": "nystroem", "assignment": "average_distance"}') FROM waves$$);
SELECT test.try($$SELECT pgfit.support_vectors(m) FROM approximated WHERE method = 'svm_classifier' AND approximation = 'some'$$);
-- memory: what landmarks take is compared with the budget, and rows past it are read again and again
SET pgfit.fit_mem = '1MB';
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (a, b), '{"approximation": "nystroem", "landmarks": 300}') FROM waves$$);
-- the count of kernel values was larger with less memory, and so the model another one
RESET pgfit.fit_mem;
CREATE TEMP TABLE with_memory AS SELECT pgfit.kernel_kmeans((i % 101, i % 89), 3, '{"approximation": "nystroem", "landmarks": 20}') AS m FROM generate_series(1, 9000) AS i;
SET pgfit.fit_mem = '1MB';
SELECT m OPERATOR(pgfit.=) less AS same FROM with_memory, (SELECT pgfit.kernel_kmeans((i % 101, i % 89), 3, '{"approximation": "nystroem", "landmarks": 20}') AS less FROM generate_series(1, 9000) AS i) AS fit;
DROP TABLE with_memory;
SELECT pgfit.info(m) -> 'rows' AS rows, round(pgfit.predict(m, (1, 1))::numeric, 1) AS predicted
FROM (SELECT pgfit.kernel_ridge(sin(x) + y, (x, y), '{"approximation": "nystroem", "landmarks": 50, "lambda": 1e-3}') AS m
      FROM (SELECT i * 0.6180339887 % 1 * 3 AS x, i * 0.7548776662 % 1 AS y FROM generate_series(1, 60000) AS i) AS s) AS fit;
RESET pgfit.fit_mem;
SELECT test.try($$SELECT pgfit.svm_classifier(c, (a, b), '{"kernel": "rbf", "approximation": "nystroem", "max_iter": 2}') IS NOT NULL FROM waves$$);
DROP TABLE waves, approximated, differences;
