-- perceptron with a kernel: known answers, averages and votes, several classes, weights, refusals.
CREATE TABLE xor (id int, a float8, b float8, y int);
INSERT INTO xor VALUES (1, 0, 0, -1), (2, 0, 1, 1), (3, 1, 0, 1), (4, 1, 1, -1);
CREATE TABLE xor_fitted AS SELECT pgfit.perceptron(y, f, '{"kernel": "polynomial", "degree": 2, "coef0": 1, "mistakes": true}'::jsonb ORDER BY id) AS m FROM xor, LATERAL (SELECT a, b) AS f;
SELECT pgfit.parameter(m, 'mistakes') AS mistakes, pgfit.parameter(m, 'multipliers') AS multipliers, pgfit.info(m) -> 'statistics' AS statistics, pgfit.info(m) -> 'converged' AS converged FROM xor_fitted;
SELECT id, y, pgfit.decision(m, (a, b)) AS decision, pgfit.classify(m, (a, b)) AS class, pgfit.predict(m, (a, b)) AS predicted FROM xor_fitted, xor ORDER BY id;
SELECT v.* FROM xor_fitted, pgfit.support_vectors(m) AS v;
SELECT pgfit.summary(m) FROM xor_fitted;
SELECT m OPERATOR(pgfit.=) m::text::pgfit.model AS text, m OPERATOR(pgfit.=) (m::jsonb)::pgfit.model AS json FROM xor_fitted;
-- degree 1 and coef0 1 make the same mistakes as the linear perceptron, which has a constant; and the same scores
CREATE TABLE clouds AS SELECT i AS id, i % 2 AS y, i % 3 AS class, cos(i * 2.4) + 1.8 * (i % 2) AS a, sin(i * 2.4) + 0.9 * (i % 3) AS b, 1 + i % 2 AS w FROM generate_series(1, 120) AS i;
SELECT average, pgfit.parameter(k, 'mistakes') = pgfit.parameter(l, 'mistakes') AS mistakes, bool_and(test.near(pgfit.decision(k, (a, b)), pgfit.decision(l, (a, b)), 1e-9)) AS decisions
FROM (VALUES ('false'::jsonb), ('true'), ('"voted"')) AS v(average),
    LATERAL (SELECT pgfit.perceptron(y, (a, b), '{"kernel": "polynomial", "degree": 1, "coef0": 1, "mistakes": true, "max_iter": 30}'::jsonb || jsonb_build_object('average', average), w ORDER BY id) AS k,
        pgfit.perceptron(y, (a, b), '{"mistakes": true, "max_iter": 30}'::jsonb || jsonb_build_object('average', average), w ORDER BY id) AS l FROM clouds) AS fit, clouds
GROUP BY average, k, l ORDER BY average;
-- voters: the mistakes in order, and how many rows each perceptron survived
SELECT pgfit.parameter(m, 'vote_rows') AS rows, pgfit.parameter(m, 'vote_counts') AS counts, pgfit.decision(m, (0, 1)) AS decision, m OPERATOR(pgfit.=) m::text::pgfit.model AS text
FROM (SELECT pgfit.perceptron(y, (a, b), '{"kernel": "polynomial", "degree": 2, "coef0": 1, "averaged": "voted"}'::jsonb ORDER BY id) AS m FROM xor) AS fit;
-- several classes, which share their rows; only rows that were mistakes are kept
SELECT multiclass, (pgfit.info(m) -> 'converged')::boolean AS converged, pgfit.info(m) -> 'implementation' -> 'arrays' -> 'multipliers' -> 'shape' -> 0 AS problems,
    (pgfit.info(m) -> 'statistics' -> 'support_vectors')::int < 120 AS fewer_rows, avg((pgfit.predict(m, (a, b)) = class)::int) > 0.95 AS right
FROM (VALUES ('ovr'), ('ovo'), ('ecoc')) AS v(multiclass),
    LATERAL (SELECT pgfit.perceptron(class, (a, b), jsonb_build_object('kernel', 'rbf', 'gamma', 2, 'multiclass', multiclass, 'max_iter', 200) ORDER BY id) AS m FROM (SELECT id, class, 3 * class + a AS a, b FROM clouds) AS t) AS fit,
    (SELECT class, 3 * class + a AS a, b FROM clouds) AS t
GROUP BY multiclass, m ORDER BY multiclass;
-- categories, standardized features, class weights, learning rate
SELECT pgfit.classify(m, ('x', 1)) AS x, pgfit.classify(m, ('y', 1)) AS y
FROM (SELECT pgfit.perceptron(l, (c, a), '{"kernel": "rbf"}'::jsonb ORDER BY a) AS m FROM (VALUES ('x', 1, 'p'), ('x', 2, 'p'), ('y', 3, 'q'), ('y', 4, 'q')) AS v(c, a, l)) AS fit;
SELECT test.near(pgfit.decision(s, (10 * 0.3, 0.5 + 7)), pgfit.decision(p, (0.3, 0.5)), 1e-9) AS standardized, test.near(pgfit.decision(h, (10 * 0.3, 0.5 + 7)), pgfit.decision(s, (10 * 0.3, 0.5 + 7)) / 2, 1e-12) AS half_the_rate
FROM (SELECT pgfit.perceptron(y, (a, b), '{"kernel": "rbf", "gamma": 1, "standardize": true, "max_iter": 5}'::jsonb ORDER BY id) AS p,
        pgfit.perceptron(y, (10 * a, b + 7), '{"kernel": "rbf", "gamma": 1, "standardize": true, "max_iter": 5}'::jsonb ORDER BY id) AS s,
        pgfit.perceptron(y, (10 * a, b + 7), '{"kernel": "rbf", "gamma": 1, "standardize": true, "max_iter": 5, "learning_rate": 0.5}'::jsonb ORDER BY id) AS h FROM clouds) AS fit;
SELECT pgfit.info(pgfit.perceptron(y, (a, b), '{"kernel": "rbf", "gamma": 30, "class_weight": "balanced"}'::jsonb ORDER BY id)) -> 'converged' AS converged FROM clouds WHERE id % 4 <> 1;
-- other kernels: Gram rows, texts, sums
CREATE TABLE gram AS SELECT p.id, p.y, p.a, p.b, array_agg(pgfit.kernel((p.a, p.b), (q.a, q.b), 'polynomial', '{"degree": 2, "coef0": 1}') ORDER BY q.id) AS k FROM xor AS p, xor AS q GROUP BY p.id, p.y, p.a, p.b;
SELECT pgfit.parameter(m, 'mistakes') AS mistakes, pgfit.decision(m, ARRAY[1, 4, 1, 4]) AS decision
FROM (SELECT pgfit.perceptron(y, k, '{"kernel": "precomputed", "mistakes": true}'::jsonb ORDER BY id) AS m FROM gram) AS fit;
SELECT pgfit.classify(m, 'bananas'::text) AS bananas, pgfit.classify(m, 'arrange'::text) AS arrange, pgfit.info(m) -> 'statistics' AS statistics
FROM (SELECT pgfit.perceptron(y, t, '{"kernel": "spectrum", "length": 2}'::jsonb ORDER BY id) AS m FROM (VALUES (1, 'banana', 1), (2, 'range', -1), (3, 'cabana', 1), (4, 'strange', -1)) AS v(id, t, y)) AS fit;
SELECT pgfit.parameter(m, 'mistakes') AS sum FROM (SELECT pgfit.perceptron(y, (a, b), '{"kernel": {"sum": [{"kernel": "polynomial", "degree": 2}, {"kernel": "linear", "weight": 2}]}, "mistakes": true, "max_iter": 2}'::jsonb ORDER BY id) AS m FROM xor) AS fit;
SELECT test.try($$SELECT pgfit.perceptron(y, k[1:3], '{"kernel": "precomputed"}'::jsonb ORDER BY id) FROM gram$$);
-- little memory for kernel values changes nothing
SET pgfit.fit_mem = '64kB';
SELECT pgfit.parameter(pgfit.perceptron(y, (a, b), '{"kernel": "rbf", "gamma": 30, "mistakes": true}'::jsonb ORDER BY id), 'mistakes') AS little FROM clouds \gset
RESET pgfit.fit_mem;
SELECT pgfit.parameter(pgfit.perceptron(y, (a, b), '{"kernel": "rbf", "gamma": 30, "mistakes": true}'::jsonb ORDER BY id), 'mistakes') = :'little'::float8[] AS same FROM clouds;
-- edges
SELECT pgfit.perceptron(y, (a, b), '{"kernel": "rbf"}'::jsonb) IS NULL AS nothing FROM xor WHERE false;
SELECT test.try($$SELECT pgfit.perceptron(y, (a, b), '{"kernel": "rbf"}'::jsonb) FROM xor WHERE y = 1$$);
SELECT pgfit.perceptron(y, (a, b), '{"kernel": "rbf", "too_few_rows": "null"}'::jsonb) IS NULL AS nothing FROM xor WHERE y = 1;
SELECT pgfit.info(pgfit.perceptron(y, 1, '{"kernel": "rbf", "max_iter": 3}'::jsonb ORDER BY id)) -> 'converged' AS equal_rows FROM xor;
SELECT test.try($$SELECT pgfit.info(pgfit.perceptron(y, (a, b), '{"kernel": "sigmoid", "max_iter": 1}'::jsonb ORDER BY id)) -> 'converged' FROM xor$$);
-- refused
SELECT test.try($$SELECT pgfit.perceptron(y, (a, b), '{"gamma": 1}'::jsonb) FROM xor$$);
SELECT test.try($$SELECT pgfit.perceptron(y, (a, b), '{"kernel": "rbf", "gamma": 0}'::jsonb) FROM xor$$);
SELECT test.try($$SELECT pgfit.perceptron(y, (a, b), '{"kernel": "polynomial", "degree": 0}'::jsonb) FROM xor$$);
SELECT test.try($$SELECT pgfit.perceptron(y, (a, b), '{"kernel": "rbf", "intercept": true}'::jsonb) FROM xor$$);
SELECT test.try($$SELECT pgfit.perceptron(y, (a, b), '{"kernel": "rbf", "init": "basic_linear"}'::jsonb) FROM xor$$);
SELECT test.try($$SELECT pgfit.perceptron(y, (a, b), jsonb_build_object('kernel', 'rbf', 'start', (SELECT m::jsonb FROM xor_fitted))) FROM xor$$);
SELECT test.try($$SELECT pgfit.perceptron(y, (a, b), jsonb_build_object('start', (SELECT m::jsonb FROM xor_fitted))) FROM xor$$);
SELECT test.try($$SELECT pgfit.perceptron(class, (a, b), '{"kernel": "rbf", "averaged": "voted"}'::jsonb) FROM clouds$$);
SELECT test.try($$SELECT pgfit.perceptron(y, a * 1e200, '{"kernel": "polynomial"}'::jsonb) FROM clouds$$);
SELECT test.try($$SELECT pgfit.to_sql(m) FROM xor_fitted$$);
SELECT test.try($$SELECT count(*) FROM xor_fitted, pgfit.coefficients(m)$$);
SELECT test.try($$SELECT count(*) FROM xor_fitted, pgfit.explain(m, (1, 1))$$);
SELECT test.try($$SELECT pgfit.distance(m, (1, 1)) FROM xor_fitted$$);
SELECT test.try($$SELECT count(*) FROM (SELECT pgfit.perceptron(y, a) AS m FROM clouds WHERE id < 4) AS fit, pgfit.support_vectors(m)$$);
SET pgfit.fit_mem = '64kB';
SELECT test.try($$SELECT pgfit.perceptron(i % 2, i, '{"kernel": "rbf"}'::jsonb ORDER BY i) FROM generate_series(1, 2000) AS i$$);
RESET pgfit.fit_mem;
DROP TABLE xor, xor_fitted, clouds, gram;
