-- kernel_ridge: known answers, leave-one-out, choice of lambda and gamma, weights, reports, refusals.
CREATE TABLE krr (id int, a float8, b float8, y float8, w int);
INSERT INTO krr VALUES (1, 2.5, 2.4, 1, 1), (2, 0.5, 0.7, 0, 2), (3, 2.2, 2.9, 2, 1), (4, 1.9, 2.2, 1.5, 3), (5, 3.1, 3, 3, 1),
    (6, 2.3, 2.7, 2.2, 1), (7, 2, 1.6, 1.7, 2), (8, 1, 1.1, 0.4, 1), (9, 1.5, 1.6, 1.1, 1), (10, 1.1, 0.9, 0.3, 2);
CREATE FUNCTION krr_rounded(numbers float8[]) RETURNS numeric[] LANGUAGE sql AS $$
    SELECT array_agg(round(x::numeric, 6) ORDER BY n) FROM unnest(numbers) WITH ORDINALITY AS t(x, n)
$$;
SELECT krr_rounded(pgfit.parameter(m, 'multipliers')) AS multipliers, round(pgfit.predict(m, (1, 1))::numeric, 6) AS predicted
FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"gamma": 0.5, "lambda": 0.1}'::jsonb ORDER BY id) AS m FROM krr) AS fit;
-- with a linear kernel it is ridge regression without a constant; centering the target and the features gives one
SELECT test.near_all(ARRAY(SELECT estimate FROM pgfit.coefficients(k)), ARRAY(SELECT estimate FROM pgfit.coefficients(r)), 1e-9) AS coefficients,
    test.near(pgfit.predict(k, (1, 7)), pgfit.predict(r, (1, 7)), 1e-9) AS predicted
FROM (SELECT pgfit.kernel_ridge(y, f, '{"kernel": "linear", "lambda": 0.7}'::jsonb) AS k, pgfit.ridge_regression(y, f, 0.7, '{"intercept": false}'::jsonb) AS r
      FROM krr, LATERAL (SELECT a, b) AS f) AS fit;
SELECT test.near_all(ARRAY(SELECT estimate FROM pgfit.coefficients(k)), ARRAY(SELECT estimate FROM pgfit.coefficients(r)), 1e-9) AS coefficients
FROM (SELECT pgfit.kernel_ridge(y, f, '{"kernel": "linear", "lambda": 0.7, "standardize": true, "intercept": true}'::jsonb) AS k,
        pgfit.ridge_regression(y, f, 0.7, '{"standardize": true}'::jsonb) AS r FROM krr, LATERAL (SELECT a, b) AS f) AS fit;
-- leave-one-out errors are those of fits without each row
CREATE FUNCTION left_out(options jsonb) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    result float8[] := '{}';
    one float8;
BEGIN
    FOR i IN 1 .. 10 LOOP
        SELECT t.y - pgfit.predict(m, (t.a, t.b)) INTO one
        FROM krr AS t, (SELECT pgfit.kernel_ridge(y, (a, b), options, w) AS m FROM krr WHERE id <> i) AS fit WHERE id = i;
        result := result || one;
    END LOOP;
    RETURN result;
END
$$;
SELECT o, test.near_all(pgfit.parameter(m, 'loo_residuals'), left_out(o), 1e-8) AS residuals,
    test.near((pgfit.info(m) -> 'statistics' ->> 'loo_mse')::float8, (SELECT sum(w * r ^ 2) / sum(w) FROM krr, unnest(left_out(o)) WITH ORDINALITY AS u(r, n) WHERE n = id), 1e-8) AS mean
FROM (VALUES ('{"gamma": 0.5, "lambda": 0.1}'::jsonb), ('{"gamma": 0.5, "lambda": 0.1, "intercept": true}'), ('{"kernel": "polynomial", "degree": 2, "coef0": 1, "lambda": 2}')) AS v(o),
    LATERAL (SELECT pgfit.kernel_ridge(y, (a, b), o || '{"loo": true}', w ORDER BY id) AS m FROM krr) AS fit;
-- weights that are counts: one copy is left out, and copies give the same model
SELECT test.near(pgfit.predict(w, (1, 2)), pgfit.predict(r, (1, 2)), 1e-9) AS predicted,
    test.near((pgfit.info(w) -> 'statistics' ->> 'loo_mse')::float8, (pgfit.info(r) -> 'statistics' ->> 'loo_mse')::float8, 1e-9) AS loo_mse,
    test.near((pgfit.info(w) -> 'statistics' ->> 'df')::float8, (pgfit.info(r) -> 'statistics' ->> 'df')::float8, 1e-9) AS df
FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"loo": true, "intercept": true, "gamma": 1, "weight_kind": "frequency"}'::jsonb, w) AS w FROM krr) AS w,
    (SELECT pgfit.kernel_ridge(y, (a, b), '{"loo": true, "intercept": true, "gamma": 1}'::jsonb) AS r FROM krr, generate_series(1, w)) AS r;
-- lambda and gamma are chosen by them; the eigendecomposition and the factors of each lambda agree
SELECT round(gamma::numeric, 4) AS gamma, round(lambda::numeric, 4) AS lambda, round(loo_mse::numeric, 6) AS loo_mse, chosen,
    test.near(loo_mse, (SELECT (pgfit.info(pgfit.kernel_ridge(y, (a, b), jsonb_build_object('gamma', p.gamma, 'lambda', p.lambda, 'loo', true))) -> 'statistics' ->> 'loo_mse')::float8 FROM krr), 1e-9) AS same
FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"gamma": [0.1, 1], "lambda": [1, 0.1, 0.01, 1]}'::jsonb) AS m FROM krr) AS fit, pgfit.kernel_path(m) AS p;
SELECT count(*) AS tried, count(DISTINCT lambda) AS lambdas, count(DISTINCT gamma) AS gammas, sum(chosen::int) AS chosen, min(loo_mse) = min(loo_mse) FILTER (WHERE chosen) AS best
FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"gamma": "cv", "lambda": "loo"}'::jsonb) AS m FROM krr) AS fit, pgfit.kernel_path(m);
SELECT count(*) AS tried FROM (SELECT pgfit.kernel_ridge(y, (a, b)) AS m FROM krr) AS fit, pgfit.kernel_path(m);
SELECT pgfit.summary(pgfit.kernel_ridge(y, f, '{"gamma": 0.5, "lambda": [0.1, 1]}'::jsonb)) FROM krr, LATERAL (SELECT a, b) AS f;
-- a linear kernel: explain and to_sql add up to predictions
CREATE TABLE krr_linear AS SELECT pgfit.kernel_ridge(y, f, '{"kernel": "linear", "standardize": true, "intercept": true}'::jsonb) AS m
FROM krr, LATERAL (SELECT a, b, CASE WHEN id % 3 = 0 THEN 'x' ELSE 'y' END AS c) AS f;
SELECT test.near(sum(contribution), pgfit.predict(m, (SELECT f FROM (SELECT 1 AS a, 2 AS b, 'x' AS c) AS f)), 1e-12) AS adds_up, array_agg(term) AS terms
FROM krr_linear, LATERAL (SELECT 1 AS a, 2 AS b, 'x' AS c) AS f, pgfit.explain(m, f) GROUP BY m;
CREATE FUNCTION krr_by_sql(m pgfit.model) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    result float8;
BEGIN
    EXECUTE format('SELECT %s FROM (SELECT 1 AS a, 2 AS b, ''x'' AS c) AS t', pgfit.to_sql(m)) INTO result;
    RETURN result;
END
$$;
SELECT test.near(krr_by_sql(m), pgfit.predict(m, (SELECT f FROM (SELECT 1 AS a, 2 AS b, 'x' AS c) AS f)), 1e-12) AS same FROM krr_linear;
-- categories are coordinates of 0 and 1; what a model has never seen has none
SELECT round(pgfit.predict(m, ('x', 1))::numeric, 4) AS x, round(pgfit.predict(m, ('z', 1))::numeric, 4) AS z, round(pgfit.predict(m, ('q', 1))::numeric, 4) AS other
FROM (SELECT pgfit.kernel_ridge(y, (c, a), '{"lambda": 0.01}'::jsonb) AS m FROM (VALUES ('x', 1, 1), ('x', 2, 2), ('y', 1, 5), ('z', 1, 9)) AS v(c, a, y)) AS fit;
-- edges: no rows, one row, equal rows, constant target, NULLs, groups, windows
SELECT pgfit.kernel_ridge(y, (a, b)) IS NULL AS nothing FROM krr WHERE false;
SELECT round(pgfit.predict(pgfit.kernel_ridge(y, x), ARRAY[1, 2])::numeric, 9) AS one FROM (VALUES (4::float8, ARRAY[1, 2])) AS v(y, x);
SELECT round(pgfit.predict(pgfit.kernel_ridge(y, x), 7)::numeric, 6) AS equal FROM (VALUES (1, 7), (2, 7), (6, 7)) AS v(y, x);
SELECT pgfit.predict(pgfit.kernel_ridge(0, a), 7) AS zero FROM krr;
SELECT pgfit.info(pgfit.kernel_ridge(y, x)) -> 'skipped' AS skipped FROM (VALUES (1, 7), (NULL, 7), (6, NULL), (3, 4)) AS v(y, x);
SELECT id % 2 AS part, round(pgfit.predict(pgfit.kernel_ridge(y, (a, b)), (1, 1))::numeric, 4) AS predicted FROM krr GROUP BY part ORDER BY part;
SELECT count(DISTINCT pgfit.predict(m, (1, 1))) AS windows, count(c) AS chosen FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"lambda": "cv"}'::jsonb) OVER (ORDER BY id ROWS 4 PRECEDING) AS c, pgfit.kernel_ridge(y, (a, b)) OVER (ORDER BY id ROWS 4 PRECEDING) AS m FROM krr) AS w;
SELECT m OPERATOR(pgfit.=) m::text::pgfit.model AS text, m OPERATOR(pgfit.=) (m::jsonb)::pgfit.model AS json
FROM (SELECT pgfit.kernel_ridge(y, (a, b), '{"lambda": "cv", "loo": true}'::jsonb) AS m FROM krr) AS fit;
-- other kernels: Gram rows, texts, sums
CREATE TABLE krr_gram AS SELECT p.id, p.y, p.a, p.b, (ARRAY['banana', 'bandana', 'anna', 'cabana', 'orange', 'range', 'strange', 'grange'])[1 + p.id % 8] AS t,
    array_agg(pgfit.kernel((p.a, p.b), (q.a, q.b), 'rbf', '{"gamma": 0.5}') ORDER BY q.id) AS k FROM krr AS p, krr AS q GROUP BY p.id, p.y, p.a, p.b;
SELECT bool_and(test.near(pgfit.predict(g, k), pgfit.predict(r, (a, b)), 1e-12)) AS gram_rows
FROM (SELECT pgfit.kernel_ridge(y, k, '{"kernel": "precomputed", "lambda": [0.1, 1]}'::jsonb ORDER BY id) AS g, pgfit.kernel_ridge(y, (a, b), '{"gamma": 0.5, "lambda": [0.1, 1]}'::jsonb ORDER BY id) AS r FROM krr_gram) AS fit, krr_gram;
SELECT round(pgfit.predict(m, 'bananas'::text)::numeric, 4) AS texts, m OPERATOR(pgfit.=) m::text::pgfit.model AS text
FROM (SELECT pgfit.kernel_ridge(y, t, '{"kernel": "spectrum", "length": 2, "lambda": [0.01, 0.1]}'::jsonb ORDER BY id) AS m FROM krr_gram) AS fit;
SELECT round(pgfit.predict(m, (1, 1, 'bananas'::text))::numeric, 4) AS sum
FROM (SELECT pgfit.kernel_ridge(y, (a, b, t), '{"kernel": {"sum": [{"kernel": "rbf", "gamma": 1}, {"kernel": "spectrum", "length": 2, "weight": 0.5}]}, "lambda": 0.1}'::jsonb ORDER BY id) AS m FROM krr_gram) AS fit;
SELECT test.try($$SELECT pgfit.kernel_ridge(y, k[1:9], '{"kernel": "precomputed"}'::jsonb ORDER BY id) FROM krr_gram$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, k, '{"kernel": "precomputed"}'::jsonb ORDER BY -id) FROM krr_gram$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, k, '{"kernel": "precomputed", "gamma": "cv"}'::jsonb ORDER BY id) FROM krr_gram$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, (a, b), '{"kernel": {"sum": [{"kernel": "rbf"}]}, "gamma": [1, 2]}'::jsonb) FROM krr_gram$$);
-- refused
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"lambda": 0}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"lambda": -1}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"lambda": [1, 0]}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"lambda": []}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"lambda": "best"}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"gamma": 0}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"gamma": -2}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"gamma": [1, 2], "sigma": 1}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"gamma": [1, 2], "kernel": "linear"}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"gamma": "cv", "kernel": "polynomial"}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"degree": 0, "kernel": "polynomial"}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(1, 2, '{"lambda": "cv"}'::jsonb)$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(1, 2, '{"loo": true}'::jsonb)$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a * 1e200, '{"kernel": "polynomial"}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.explain(m, 1) FROM (SELECT pgfit.kernel_ridge(y, a) AS m FROM krr) AS fit$$);
SELECT test.try($$SELECT pgfit.to_sql(pgfit.kernel_ridge(y, a)) FROM krr$$);
SELECT test.try($$SELECT count(*) FROM (SELECT pgfit.linear_regression(y, a) AS m FROM krr) AS fit, pgfit.kernel_path(m)$$);
-- a kernel that is not positive semi-definite is warned about, and refused where lambda does not make up for it
SELECT test.try($$SELECT round(pgfit.predict(pgfit.kernel_ridge(y, a, '{"kernel": "sigmoid", "gamma": 3, "coef0": -2, "lambda": 5}'::jsonb), 1)::numeric, 4) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"kernel": "sigmoid", "gamma": 3, "coef0": -2, "lambda": 0.01}'::jsonb) FROM krr$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(y, a, '{"kernel": "sigmoid", "gamma": 3, "coef0": -2, "lambda": [0.01, 0.02]}'::jsonb) FROM krr$$);
-- more rows than the kernel matrix has room for
SET pgfit.fit_mem = '1MB';
SELECT test.try($$SELECT pgfit.kernel_ridge(i, i) FROM generate_series(1, 400) AS i$$);
SELECT test.try($$SELECT pgfit.kernel_ridge(i, i, '{"lambda": "cv"}'::jsonb) FROM generate_series(1, 300) AS i$$);
RESET pgfit.fit_mem;
-- a model edited to have no arrays, which crashed the server
SELECT test.try($$SELECT ((m::jsonb - 'arrays')::pgfit.model) IS NULL FROM (SELECT pgfit.kernel_ridge(i * i, i, '{"lambda": 1}'::jsonb) AS m FROM generate_series(1, 5) i) f$$);
DROP TABLE krr, krr_linear, krr_gram;
DROP FUNCTION krr_rounded, krr_by_sql, left_out;

-- rounding errors of a very small lambda are worth a WARNING; another one, or rows apart, none
SELECT lambda < 1e-6 AS small, fitted FROM (VALUES (1e-12), (1e-3)) AS l(lambda), LATERAL (SELECT pgfit.kernel_ridge(y, x, jsonb_build_object('gamma', 1, 'lambda', lambda)) IS NOT NULL AS fitted FROM (VALUES (1, 1), (1, 1.1), (2, 0)) AS t(x, y)) AS f ORDER BY lambda;
SELECT pgfit.kernel_ridge(y, x, '{"gamma": 100, "lambda": 1e-12}') IS NOT NULL AS apart FROM (VALUES (1, 1), (2, 0)) AS t(x, y);

-- lambda and gamma chosen by folds of a column: errors are those of fits without each fold
CREATE TEMP TABLE grouped AS
SELECT i, i % 4 AS grp, i % 7 * 1.0 + (i % 4) AS x, sin(i % 7) + (i % 4) * 0.5 + i * 0.01 AS y FROM generate_series(1, 40) AS i;
CREATE TEMP TABLE by_group AS
SELECT pgfit.kernel_ridge(y, row(x, grp), '{"formula": "f1", "lambda": [2, 0.5, 0.1], "gamma": 0.3, "intercept": true, "fold_column": "f2"}') AS m FROM grouped;
SELECT lambda, loo_mse IS NULL AS no_loo, chosen,
       test.near(cv_mse, (SELECT s.value FROM (SELECT unnest(pgfit.cross_validate(y, row(x, grp), 'kernel_ridge',
           format('{"fold_column": "f2", "metrics": ["mse"], "options": {"formula": "f1", "lambda": %s, "gamma": 0.3, "intercept": true}}', lambda)::jsonb)) AS s FROM grouped) AS c
           CROSS JOIN LATERAL (SELECT (c.s).value, (c.s).fold) AS s WHERE s.fold IS NULL), 1e-9) AS near
FROM by_group, pgfit.kernel_path(m) ORDER BY lambda DESC;
SELECT jsonb_path_exists(pgfit.info(m), '$.statistics.cv_mse') AS cv_mse, pgfit.info(m) -> 'statistics' -> 'folds' AS folds,
       jsonb_path_exists(pgfit.info(m), '$.statistics.loo_mse') AS loo_mse FROM by_group;
-- rows in another order, and folds by a hash
SELECT test.near((pgfit.info((SELECT m FROM by_group)) -> 'statistics' ->> 'cv_mse')::float8, (pgfit.info(
    pgfit.kernel_ridge(y, row(x, grp), '{"formula": "f1", "lambda": [2, 0.5, 0.1], "gamma": 0.3, "intercept": true, "fold_column": "f2"}' ORDER BY -i)) -> 'statistics' ->> 'cv_mse')::float8, 1e-9) AS same
FROM grouped;
SELECT pgfit.info(pgfit.kernel_ridge(y, x, '{"lambda": "cv", "gamma": 0.3, "folds": 5}')) -> 'statistics' -> 'folds' AS folds FROM grouped;
-- in order of time: the last fold is predicted from the others
WITH later AS (SELECT pgfit.kernel_ridge(y, row(x, (i > 30)::int), '{"formula": "f1", "lambda": [2, 1], "gamma": 0.3, "fold_column": "f2", "expanding": true}') AS m FROM grouped),
     fits AS (SELECT lambda, (SELECT pgfit.kernel_ridge(y, x, format('{"lambda": %s, "gamma": 0.3}', lambda)::jsonb) FROM grouped WHERE i <= 30) AS earlier
              FROM unnest(ARRAY[2, 1]) AS lambda)
SELECT p.lambda, test.near(p.cv_mse, (SELECT avg((y - pgfit.predict(f.earlier, x)) ^ 2) FROM grouped WHERE i > 30), 1e-9) AS near
FROM later, pgfit.kernel_path(m) AS p JOIN fits AS f USING (lambda) ORDER BY 1;
-- refusals
SELECT test.try('SELECT pgfit.kernel_ridge(y, x, ''{"folds": 5}'') FROM grouped');
SELECT test.try('SELECT pgfit.kernel_ridge(y, x, ''{"lambda": "loo", "folds": 5}'') FROM grouped');
SELECT test.try('SELECT pgfit.kernel_ridge(y, x, ''{"lambda": "cv", "folds": 5, "approximation": "nystroem"}'') FROM grouped');
SELECT test.try('SELECT pgfit.kernel_ridge(y, x, ''{"lambda": "cv", "folds": 5, "expanding": true}'') FROM grouped');
SELECT test.try('SELECT pgfit.kernel_ridge(y, row(x, 1), ''{"formula": "f1", "lambda": "cv", "fold_column": "f2"}'') FROM grouped');
-- one lambda is judged by its folds, too
SELECT (statistics ->> 'cv_mse')::float8 > (statistics ->> 'mse')::float8 AS judged FROM (SELECT pgfit.info(pgfit.kernel_ridge(sin(i), ARRAY[i * 0.1, cos(i)], '{"lambda": [1], "folds": 3}')) -> 'statistics' AS statistics FROM generate_series(1, 40) AS i) AS s;
