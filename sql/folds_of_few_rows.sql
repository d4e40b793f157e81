-- cross-validation of few rows: folds that the hash leaves empty are skipped
CREATE FUNCTION pg_temp.few(n int) RETURNS TABLE (id int, y float8, x1 float8, x2 float8) LANGUAGE sql AS $$
    SELECT i, sin(i * 7.0) + i * 0.01, i * 0.1, cos(i * 3.0) FROM generate_series(1, n) AS i
$$;
-- what is wrong with the curve of a fit; NULL: nothing
CREATE FUNCTION pg_temp.wrong(m pgfit.model) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN m IS NULL THEN 'no model' WHEN count(*) = 0 THEN 'no curve'
                WHEN bool_or(cardinality(fold_errors) NOT BETWEEN 2 AND 10) THEN 'folds'
                WHEN NOT bool_and(test.near(mean_error, mean, 1e-9) AND test.near(std_error, sd, 1e-7)) THEN 'mean' END
    FROM pgfit.lambda_path(m), LATERAL (SELECT avg(e) AS mean, stddev_samp(e) / sqrt(count(*)) AS sd FROM unnest(fold_errors) AS e) f
$$;
-- 40 seeds of each number of rows, from rows and from stored moments in folds
CREATE TEMP TABLE outcome(method text, n int, seed int, wrong text);
DO $$
DECLARE
    method text;
    m pgfit.model;
BEGIN
    FOREACH method IN ARRAY '{ridge_regression,lasso_regression,elastic_net}'::text[] LOOP
        FOR n IN 5..60 LOOP
            FOR s IN 1..40 LOOP
                BEGIN
                    EXECUTE format($f$SELECT pgfit.%s(y, f, '{"lambda": "cv", "path": 4, "seed": %s}'::jsonb)
                                      FROM pg_temp.few(%s), LATERAL (SELECT x1, x2) AS f$f$, method, s, n) INTO m;
                    INSERT INTO outcome VALUES (method, n, s, pg_temp.wrong(m));
                    CONTINUE WHEN n % 11 > 0;
                    EXECUTE format($f$SELECT pgfit.fit(%L, pgfit.merge(e), '{"lambda": "cv", "path": 4}')
                                      FROM (SELECT pgfit.moments(y, f, '{"folds": 10, "seed": %s}') AS e
                                            FROM pg_temp.few(%s), LATERAL (SELECT x1, x2) AS f GROUP BY id %% 3) AS parts$f$, method, s, n) INTO m;
                    INSERT INTO outcome VALUES (method || ' of moments', n, s, pg_temp.wrong(m));
                EXCEPTION WHEN OTHERS THEN
                    INSERT INTO outcome VALUES (method, n, s, sqlerrm);
                END;
            END LOOP;
        END LOOP;
    END LOOP;
END
$$;
SELECT method, count(*), count(wrong) AS wrong, min(wrong) FROM outcome GROUP BY method ORDER BY method;

-- small groups; a frame of a window
SELECT count(*) AS groups, count(m) AS models, count(pg_temp.wrong(m)) AS wrong
FROM (SELECT pgfit.lasso_regression(y, f, '{"lambda": "cv", "path": 4}'::jsonb) AS m
      FROM pg_temp.few(3000), LATERAL (SELECT x1, x2) AS f GROUP BY (id - 1) / 10) s;
SELECT count(*) AS frames, count(m) AS models
FROM (SELECT pgfit.ridge_regression(y, f, '{"lambda": "cv", "path": 4}'::jsonb) OVER (ORDER BY id ROWS 11 PRECEDING) AS m
      FROM pg_temp.few(30), LATERAL (SELECT x1, x2) AS f) s;

-- one row per fold: the mean error is the one of leaving each row out, and cv_fold says which folds there are
CREATE TEMP TABLE one_each AS
SELECT pgfit.ridge_regression(y, f, '{"lambda": [10, 1, 0.1], "folds": 1000, "seed": 3}'::jsonb) AS hashed,
       pgfit.ridge_regression(y, g, '{"lambda": [10, 1, 0.1], "fold_column": "id"}'::jsonb) AS by_column
FROM pg_temp.few(20), LATERAL (SELECT x1, x2) AS f, LATERAL (SELECT f.x1, f.x2, id) AS g;
SELECT count(*) AS lambdas, min(cardinality(a.fold_errors)) AS folds, bool_and(test.near(a.mean_error, b.mean_error, 1e-9)) AS mean_error,
       bool_and(test.near(a.std_error, b.std_error, 1e-9)) AS std_error, bool_and(a.chosen = b.chosen) AS chosen
FROM one_each, pgfit.lambda_path(hashed) AS a JOIN LATERAL pgfit.lambda_path(by_column) AS b ON test.near(a.lambda, b.lambda);
SELECT count(*), count(DISTINCT fold), bool_and(fold = floor(fold) AND fold BETWEEN 0 AND 999) AS whole
FROM one_each, unnest(pgfit.parameter(hashed, 'cv_fold')) AS fold;

-- one fold alone is not enough
SELECT test.try($$SELECT pgfit.elastic_net(y, x1, '{"lambda": "cv"}'::jsonb) FROM pg_temp.few(1)$$);
SELECT test.try($$SELECT pgfit.ridge_regression(1.0, 2.0::float8, '{"lambda": "cv", "folds": 5}'::jsonb) FROM generate_series(1, 30)$$);
SELECT test.try($$SELECT pgfit.fit('lasso_regression', pgfit.merge(e), '{"lambda": "cv"}'::jsonb)
                  FROM (SELECT pgfit.moments(y, x1, '{"folds": 10}') AS e FROM pg_temp.few(1)) s$$);

-- folds by a hash of a group: those of evaluations with "prepare", and the outer ones of a nested search
CREATE TABLE few AS SELECT i, i % 6 AS part, f.* FROM generate_series(1, 60) AS i, LATERAL (SELECT sin(i * 1.3) AS y, cos(i * 2.1) AS a) AS f;
SELECT cardinality(fold_values) AS folds, rows, test.near(value, (SELECT avg(v) FROM unnest(fold_values) AS v)) AS mean
FROM pgfit.evaluate('ridge_regression', 'few', 'y ~ a', '{"prepare": ["standard_scaler"], "group_column": "part", "metrics": "rmse"}');
SELECT rank, cardinality(fold_values) AS folds, rows, test.near(value, (SELECT avg(v) FROM unnest(fold_values) AS v)) AS mean
FROM pgfit.search('ridge_regression', 'few', 'y ~ a', '{"lambda": [1, 10]}', '{"group_column": "part", "folds": 2, "nested": 5}');
SELECT test.try($$SELECT pgfit.evaluate('ridge_regression', 'SELECT y, nullif(part, part) AS part, a FROM few', 'y ~ a', '{"prepare": ["standard_scaler"], "group_column": "part"}')$$);
DROP TABLE few;
