-- cross-validation from one scan: folds, the curve, moments in folds
CREATE TEMP TABLE sample AS
SELECT i AS id, i % 5 AS k, i % 3 AS g, x1, x2, x3, x4, x5,
       CASE WHEN i % 4 = 0 THEN 'red' WHEN i % 4 = 1 THEN 'green' ELSE 'blue' END AS color,
       5 + 3 * x1 - 2 * x2 + (i % 4) + 4 * sin(i * 7.0) AS y
FROM generate_series(1, 300) AS i,
     LATERAL (SELECT sin(i * 1.0) AS x1, cos(i * 2.0) AS x2, sin(i * 3.0) AS x3, cos(i * 5.0) AS x4,
                     sin(i * 1.0) + cos(i * 11.0) AS x5) AS f;

-- folds from a column: compared with one fit and one score per fold
CREATE TEMP TABLE cv AS
SELECT 'lasso' AS method, pgfit.lasso_regression(y, f, '{"lambda": [100, 30, 10, 1], "fold_column": "k"}'::jsonb) AS m
FROM sample, LATERAL (SELECT x1, x2, x3, x4, x5, color, k) f
UNION ALL
SELECT 'ridge', pgfit.ridge_regression(y, f, '{"lambda": [100, 30, 10, 1], "fold_column": "k"}'::jsonb)
FROM sample, LATERAL (SELECT x1, x2, x3, k, x4, x5, color) f
UNION ALL
SELECT 'net', pgfit.elastic_net(y, f, '{"lambda": [100, 30, 10, 1], "fold_column": "k", "standardize": true}'::jsonb)
FROM sample, LATERAL (SELECT x1, x2, x3, x4, x5, color, k) f;
CREATE TEMP TABLE by_hand AS
SELECT method, lambda, f.k, pgfit.mse(y, pgfit.predict(m, r)) AS error
FROM (SELECT method, lambda, out.k,
             CASE method WHEN 'lasso' THEN pgfit.lasso_regression(y, r, lambda)
                         WHEN 'ridge' THEN pgfit.ridge_regression(y, r, lambda)
                         ELSE pgfit.elastic_net(y, r, lambda, 0.5, '{"standardize": true}') END AS m
      FROM unnest('{100,30,10,1}'::float8[]) AS lambda, generate_series(0, 4) AS out(k), unnest('{lasso,ridge,net}'::text[]) AS method,
           sample, LATERAL (SELECT x1, x2, x3, x4, x5, color) r
      WHERE sample.k <> out.k GROUP BY method, lambda, out.k) f
JOIN sample USING (k), LATERAL (SELECT x1, x2, x3, x4, x5, color) r GROUP BY method, lambda, f.k;
SELECT method, count(*), bool_and(test.near_all(fold_errors, errors, 1e-7)) AS folds, bool_and(test.near(mean_error, mean, 1e-7)) AS mean,
       bool_and(test.near(std_error, sd / sqrt(5), 1e-6)) AS std_error
FROM cv, pgfit.lambda_path(m) JOIN LATERAL (SELECT array_agg(error ORDER BY k) AS errors, avg(error) AS mean, stddev_samp(error) AS sd
      FROM by_hand h WHERE h.method = cv.method AND test.near(h.lambda, lambda_path.lambda)) h ON true
GROUP BY method ORDER BY method;
-- the model is the one of the best lambda, fitted on all rows; the column is no feature
SELECT method, lambda = (SELECT l.lambda FROM pgfit.lambda_path(m) l ORDER BY mean_error LIMIT 1) AS best,
       (pgfit.info(m) -> 'statistics' ->> 'lambda_min')::float8 = lambda AS fact,
       (pgfit.info(m) -> 'statistics' ->> 'lambda_1se')::float8 >= lambda AS one_se
FROM cv, pgfit.lambda_path(m) WHERE chosen ORDER BY method;
SELECT string_agg(name, ',' ORDER BY position) FROM cv, pgfit.features(m) WHERE method = 'ridge';
SELECT test.same_fit(m, pgfit.lasso_regression(y, r, lambda), 1e-7)
FROM cv, pgfit.lambda_path(m), sample, LATERAL (SELECT x1, x2, x3, x4, x5, color) r WHERE method = 'lasso' AND chosen GROUP BY m, lambda;

-- weights, categories without an intercept, the mean as loss, a penalized intercept
CREATE TEMP TABLE variant(name text, options jsonb);
INSERT INTO variant VALUES ('no intercept', '{"intercept": false}'), ('mean', '{"reduction": "mean", "standardize": true}'), ('penalized', '{"penalize_intercept": true}');
CREATE FUNCTION pg_temp.ridge(options jsonb, held int) RETURNS pgfit.model LANGUAGE plpgsql AS $$
DECLARE
    m pgfit.model;
BEGIN
    EXECUTE format('SELECT pgfit.ridge_regression(y, f, %L::jsonb, 1 + id %% 3) FROM sample s, LATERAL (SELECT s.x1, s.x3, s.color %s) f WHERE %s',
                   options, CASE WHEN held IS NULL THEN ', s.k' ELSE '' END, CASE WHEN held IS NULL THEN 'true' ELSE 's.k <> ' || held END) INTO m;
    RETURN m;
END
$$;
SELECT name, test.near_all(errors, hand, 1e-8) AS folds, test.near(pooled_error, pooled, 1e-8) AS pooled
FROM (SELECT name, v.options, l.fold_errors AS errors, l.pooled_error
      FROM variant v, LATERAL pgfit.lambda_path(pg_temp.ridge(v.options || '{"lambda": [3], "fold_column": "k"}', NULL)) l) a
JOIN LATERAL (SELECT array_agg(error ORDER BY k) AS hand, sum(error * w) / sum(w) AS pooled
              FROM (SELECT s.k, pgfit.mse(y, pgfit.predict(pg_temp.ridge(a.options || '{"lambda": 3}', s.k), f), 1 + id % 3) AS error, sum(1 + id % 3) AS w
                    FROM sample s, LATERAL (SELECT s.x1, s.x3, s.color) f GROUP BY s.k) e) b ON true ORDER BY name;

-- folds by content: the order of rows, their storage and the plan do not matter; equal rows share a fold
CREATE TEMP TABLE hashed AS
SELECT pgfit.lasso_regression(y, f, '{"lambda": "cv", "path": 30}'::jsonb) AS m FROM sample, LATERAL (SELECT x1, x2, x3, x4, x5, color) f;
CREATE FUNCTION pg_temp.curve(m pgfit.model) RETURNS float8[] LANGUAGE sql AS
$$ SELECT array_agg(mean_error ORDER BY lambda) || array_agg(std_error ORDER BY lambda) || array_agg(pooled_error ORDER BY lambda) FROM pgfit.lambda_path(m) $$;
SELECT test.near_all(pg_temp.curve(m), pg_temp.curve(again), 1e-9) AS order_of_rows, test.near_all(test.estimates(m), test.estimates(again), 1e-9)
FROM hashed, (SELECT pgfit.lasso_regression(y, f, '{"path": 30, "lambda": "cv"}'::jsonb ORDER BY md5(id::text)) AS again
              FROM sample, LATERAL (SELECT x1, x2, x3, x4, x5, color) f) s;
SELECT count(*), max(cardinality(fold_errors)), bool_and(mean_error > 0 AND std_error > 0) FROM hashed, pgfit.lambda_path(m);
SELECT NOT test.near_all(pg_temp.curve(m), pg_temp.curve(other), 1e-3) AS seed_matters
FROM hashed, (SELECT pgfit.lasso_regression(y, f, '{"path": 30, "lambda": "cv", "seed": 1}'::jsonb) AS other
              FROM sample, LATERAL (SELECT x1, x2, x3, x4, x5, color) f) s;
SELECT test.near_all(pg_temp.curve(a.m), pg_temp.curve(b.m), 1e-9) AS weights_are_repeated_rows
FROM (SELECT pgfit.ridge_regression(y, ARRAY[x1, x2, x5], '{"lambda": "cv", "path": 9, "weight_kind": "frequency"}'::jsonb, 1 + id % 3) AS m FROM sample) a,
     (SELECT pgfit.ridge_regression(y, ARRAY[x1, x2, x5], '{"lambda": "cv", "path": 9, "weight_kind": "frequency"}'::jsonb, 1) AS m
      FROM sample, generate_series(1, 1 + id % 3)) b;
SELECT pgfit.info(one) -> 'statistics' -> 'lambda' = pgfit.info(one) -> 'statistics' -> 'lambda_1se' AS one_se_chosen,
       (SELECT count(*) FROM pgfit.lambda_path(alone)) AS lambdas, (SELECT count(mean_error) FROM pgfit.lambda_path(alone)) AS judged
FROM (SELECT pgfit.elastic_net(y, f, '{"lambda": "cv", "select": "1se", "folds": 5}'::jsonb) AS one,
             pgfit.elastic_net(y, f, 7, 0.5, '{"folds": 5}'::jsonb) AS alone FROM sample, LATERAL (SELECT x1, x2, x3, x4, x5, color) f) s;

-- a parallel plan
CREATE TABLE wide_sample AS SELECT * FROM sample;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT pgfit.lasso_regression(y, ROW(x1, x2, x3, x4, x5, color), '{"lambda": "cv", "path": 30}'::jsonb) FROM wide_sample;
SELECT test.near_all(pg_temp.curve(m), pg_temp.curve(again), 1e-9) AS parallel
FROM hashed, (SELECT pgfit.lasso_regression(y, ROW(x1, x2, x3, x4, x5, color), '{"lambda": "cv", "path": 30}'::jsonb) AS again FROM wide_sample) s;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
DROP TABLE wide_sample;

-- moments in folds: a value like any other
CREATE TEMP TABLE moments AS
SELECT g, pgfit.moments(y, f, '{"folds": 10}') AS e FROM sample, LATERAL (SELECT x1, x2, x3, x4, x5, color) f GROUP BY g;
SELECT bool_and(e::text::pgfit.model OPERATOR(pgfit.=) e), bool_and(e::jsonb::pgfit.model OPERATOR(pgfit.=) e) FROM moments;
SELECT test.near_all(pg_temp.curve(hashed.m), pg_temp.curve(s.m), 1e-9) AS merged, test.near_all(test.estimates(hashed.m), test.estimates(s.m), 1e-9),
       test.near_all(pg_temp.curve(hashed.m), pg_temp.curve(s.through_text), 1e-9) AS through_text
FROM hashed, (SELECT pgfit.fit('lasso_regression', pgfit.merge(e), '{"lambda": "cv", "path": 30}'::jsonb) AS m,
                     pgfit.fit('lasso_regression', pgfit.merge(e::text::pgfit.model), '{"lambda": "cv", "path": 30}'::jsonb) AS through_text FROM moments) s, LATERAL (SELECT 1) t;
SELECT test.same_fit(pgfit.fit('linear_regression', pgfit.merge(e)), (SELECT pgfit.linear_regression(y, f) FROM sample, LATERAL (SELECT x1, x2, x3, x4, x5, color) f), 1e-9) AS other_fits
FROM moments;
SELECT test.near_all(test.estimates(pgfit.fit('ridge_regression', pgfit.merge(pgfit.merge(a.e, b.e)), '{"lambda": 1}')), test.estimates(pgfit.fit('ridge_regression', pgfit.merge(c.e), '{"lambda": 1}')), 1e-9) AS merge
FROM moments a, moments b, (SELECT pgfit.merge(e) AS e FROM moments WHERE g <> 2) c WHERE a.g = 0 AND b.g = 1;
-- groups, and frames of a window
SELECT g, pgfit.info(pgfit.ridge_regression(y, f, '{"lambda": "cv", "folds": 3}'::jsonb)) -> 'statistics' ? 'lambda_min' AS chosen
FROM sample, LATERAL (SELECT x1, x2, x3) f GROUP BY g ORDER BY g;
SELECT bool_and(test.near_all(pg_temp.curve(w), pg_temp.curve(again), 1e-7)) AS frames, bool_and(test.near_all(pg_temp.curve(c), pg_temp.curve(again_c), 1e-7)) AS frames_by_column
FROM (SELECT id, pgfit.ridge_regression(y, ARRAY[f.x1, f.x2], '{"lambda": [1, 10], "folds": 3}'::jsonb) OVER w AS w,
             pgfit.ridge_regression(y, f, '{"lambda": [1, 10], "fold_column": "k"}'::jsonb) OVER w AS c
      FROM sample, LATERAL (SELECT x1, x2, k) f WINDOW w AS (ORDER BY id ROWS 60 PRECEDING)) a
JOIN LATERAL (SELECT pgfit.ridge_regression(s.y, ARRAY[s.x1, s.x2], '{"lambda": [1, 10], "folds": 3}'::jsonb) AS again,
                     pgfit.ridge_regression(s.y, f, '{"lambda": [1, 10], "fold_column": "k"}'::jsonb) AS again_c
              FROM sample s, LATERAL (SELECT s.x1, s.x2, s.k) f WHERE s.id BETWEEN a.id - 60 AND a.id) b ON true
WHERE id > 60 AND id % 40 = 0;
-- jsonb rows, NULL folds, imputed features
SELECT test.near_all(pg_temp.curve(a), pg_temp.curve(b), 1e-9) AS jsonb
FROM (SELECT pgfit.ridge_regression(y, jsonb_build_object('x1', f.x1, 'x2', f.x2, 'k', f.k), '{"lambda": [1], "fold_column": "k"}'::jsonb) AS a,
             pgfit.ridge_regression(y, f, '{"lambda": [1], "fold_column": "k"}'::jsonb) AS b FROM sample, LATERAL (SELECT x1, x2, k) f) s;
SELECT pgfit.info(pgfit.ridge_regression(y, f, '{"lambda": [1], "fold_column": "k"}'::jsonb)) -> 'skipped' AS null_folds_skipped
FROM sample, LATERAL (SELECT x1, x2, nullif(k, 3) AS k) f;
SELECT test.near(mean_error, hand, 1e-7) AS imputed_by_the_training_rows
FROM (SELECT pgfit.ridge_regression(y, f, '{"lambda": [2], "fold_column": "k", "nulls": "impute"}'::jsonb) AS m
      FROM sample, LATERAL (SELECT CASE WHEN id % 7 > 0 THEN x1 END AS x1, x2, k) f) a, pgfit.lambda_path(m),
     (SELECT avg(error) AS hand FROM (SELECT pgfit.mse(y, pgfit.predict(m, r)) AS error
      FROM (SELECT o.k, pgfit.ridge_regression(y, r, 2, '{"nulls": "impute"}') AS m FROM generate_series(0, 4) o(k), sample,
                   LATERAL (SELECT CASE WHEN id % 7 > 0 THEN x1 END AS x1, x2) r WHERE sample.k <> o.k GROUP BY o.k) f
      JOIN sample USING (k), LATERAL (SELECT CASE WHEN id % 7 > 0 THEN x1 END AS x1, x2) r GROUP BY f.k) e) h;

-- options, errors
SELECT name FROM pgfit.options('moments') WHERE name LIKE 'fold%' OR name = 'seed';
SELECT test.try($$SELECT pgfit.lasso_regression(1.0, 2.0::float8, '{"lambda": "cv"}'::jsonb) FROM sample$$);
SELECT test.try($$SELECT pgfit.lasso_regression(y, x1, '{"lambda": "cv", "fold_column": "k"}'::jsonb) FROM sample$$);
SELECT test.try($$SELECT pgfit.lasso_regression(y, f, '{"lambda": "cv", "fold_column": "q"}'::jsonb) FROM sample, LATERAL (SELECT x1, k) f$$);
SELECT test.try($$SELECT pgfit.lasso_regression(y, f, '{"lambda": "cv", "fold_column": "color"}'::jsonb) FROM sample, LATERAL (SELECT x1, color) f$$);
SELECT test.try($$SELECT pgfit.lasso_regression(y, f, '{"lambda": "cv", "fold_column": "x2"}'::jsonb) FROM sample, LATERAL (SELECT x1, x2) f$$);
SELECT test.try($$SELECT pgfit.lasso_regression(y, f, '{"lambda": "cv", "fold_column": "k", "features": ["x1", "k"]}'::jsonb) FROM sample, LATERAL (SELECT x1, k) f$$);
SELECT test.try($$SELECT pgfit.lasso_regression(y, f, '{"lambda": "cv", "fold_column": "k"}'::jsonb) FROM sample, LATERAL (SELECT x1, 1 AS k) f$$);
SELECT test.try($$SELECT pgfit.lasso_regression(y, f, '{"lambda": "cv", "fold_column": "k"}'::jsonb) FROM sample, LATERAL (SELECT k) f$$);
SELECT test.try($$SELECT pgfit.lasso_regression(y, f, '{"lambda": "cv", "fold_column": "id"}'::jsonb) FROM generate_series(1, 2000) id, LATERAL (SELECT 1.0 AS x, id) f, LATERAL (SELECT 1.0 AS y) y$$);
SELECT test.same_fit(pgfit.ridge_regression(y, f, '{"lambda": [3], "fold_column": "k"}'::jsonb),
                     pgfit.ridge_regression(y, ROW(f.x1, f.x2, f.k), '{"lambda": [3], "fold_column": "f3"}'::jsonb)) AS by_place
FROM sample, LATERAL (SELECT x1, x2, k) f;
SELECT test.try($$SELECT pgfit.lasso_regression(y, x1, '{"lambda": "cv", "folds": 1}'::jsonb) FROM sample$$);
SELECT test.try($$SELECT pgfit.fit('lasso_regression', pgfit.merge(e), '{"lambda": "cv", "folds": 5}'::jsonb) FROM moments$$);
SELECT test.try($$SELECT pgfit.fit('lasso_regression', pgfit.merge(e), '{"lambda": "cv"}'::jsonb) FROM (SELECT pgfit.moments(y, x1) AS e FROM sample) s$$);
SELECT test.try($$SELECT pgfit.merge(a, b) FROM (SELECT pgfit.moments(y, x1, '{"folds": 5}') AS a, pgfit.moments(y, x1) AS b FROM sample) s$$);
SELECT test.try($$SELECT pgfit.fit('linear_regression', pgfit.merge(e)) FROM (SELECT pgfit.moments(y, x1, '{"folds": 5}') AS e FROM sample UNION ALL SELECT pgfit.moments(y, x1, '{"folds": 6}') FROM sample) s$$);
-- a constant target, and a constant feature
SELECT m, (pgfit.info(v) -> 'statistics' -> 'nonzero')::int AS nonzero, round((test.estimates(v))[1]::numeric, 6) AS intercept
FROM (SELECT 'target' AS m, pgfit.lasso_regression(5, f, '{"lambda": "cv"}'::jsonb) AS v FROM sample, LATERAL (SELECT x1, x2) f
      UNION ALL SELECT 'feature', pgfit.lasso_regression(id % 50, 7.0::float8, '{"lambda": "path"}'::jsonb) FROM sample
      UNION ALL SELECT 'ridge', pgfit.ridge_regression(id % 50, 7.0::float8, '{"lambda": "cv", "folds": 3}'::jsonb) FROM sample) s;
