-- metrics of predictions of several targets, each the mean over the targets, and models of several targets judged by them
CREATE TABLE judged_arrays AS SELECT i AS id, i % 5 AS part, 1 + i % 3 AS w, x, c, ARRAY[3 * x + sin(i), -x + (c = 'b')::int + cos(i * 7), 100 * sin(i * 3.7)] AS y
FROM (SELECT i, (i * 37 % 101) / 10.0::float8 AS x, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS c FROM generate_series(1, 120) AS i) AS q;
CREATE TABLE predicted_arrays AS SELECT id, part, w, y, pgfit.transform(m, d) AS p FROM (SELECT pgfit.multivariate_regression(y, d, 'x + c') AS m FROM judged_arrays AS d) AS f, judged_arrays AS d;

-- sklearn.metrics with multioutput='uniform_average', version 1.2.1: y of four rows and two targets, without and with weights
SELECT round(pgfit.mse(y, p)::numeric, 10) AS mse, round(pgfit.rmse(y, p)::numeric, 10) AS rmse, round(pgfit.mae(y, p)::numeric, 10) AS mae, round(pgfit.r_squared(y, p)::numeric, 10) AS r_squared,
       round(pgfit.mse(y, p, w)::numeric, 10) AS mse_w, round(pgfit.rmse(y, p, w)::numeric, 10) AS rmse_w, round(pgfit.mae(y, p, w)::numeric, 10) AS mae_w, round(pgfit.r_squared(y, p, w)::numeric, 10) AS r_squared_w
FROM (VALUES (ARRAY[0.5, 1], ARRAY[0.0, 2], 1), ('{-1,1}', '{-1,2}', 2), ('{7,-6}', '{8,-5}', 3), ('{2.5,4}', '{2,3.5}', 0.5)) AS v(y, p, w);
-- the mean of the metrics of each target
SELECT test.near(pgfit.rmse(y, p), (pgfit.rmse(y[1], p[1]) + pgfit.rmse(y[2], p[2]) + pgfit.rmse(y[3], p[3])) / 3) AS rmse, test.near(pgfit.mse(y, p, w), (pgfit.mse(y[1], p[1], w) + pgfit.mse(y[2], p[2], w) + pgfit.mse(y[3], p[3], w)) / 3) AS mse,
       test.near(pgfit.mae(y, p), (pgfit.mae(y[1], p[1]) + pgfit.mae(y[2], p[2]) + pgfit.mae(y[3], p[3])) / 3) AS mae, test.near(pgfit.r_squared(y, p), (pgfit.r_squared(y[1], p[1]) + pgfit.r_squared(y[2], p[2]) + pgfit.r_squared(y[3], p[3])) / 3) AS r_squared,
       pgfit.rmse(y[1:1], p[1:1]) = pgfit.rmse(y[1], p[1]) AS of_one FROM predicted_arrays;
-- windows, groups; NULLs and weight 0 leave a row out; other types; constant targets; no rows
SELECT bool_and(test.near(a, (b + c) / 2)) AS windows FROM (SELECT pgfit.mae(y[1:2], p[1:2]) OVER w AS a, pgfit.mae(y[1], p[1]) OVER w AS b, pgfit.mae(y[2], p[2]) OVER w AS c FROM predicted_arrays WINDOW w AS (ORDER BY id ROWS 10 PRECEDING)) AS s;
SELECT count(*), bool_and(test.near(pgfit_mse, by_hand)) AS groups FROM (SELECT part, pgfit.mse(y, p) AS pgfit_mse, (pgfit.mse(y[1], p[1]) + pgfit.mse(y[2], p[2]) + pgfit.mse(y[3], p[3])) / 3 AS by_hand FROM predicted_arrays GROUP BY part) AS g;
SELECT pgfit.mae(y, p) AS mae, pgfit.mae(y, p, w) AS weighted
FROM (VALUES ('{1,2}'::int[], '{2,4}'::numeric[], 1), (NULL, '{1,2}', 1), ('{1,2}', NULL, 1), ('{1,NULL}', '{5,5}', 1), ('{1,2}', '{NULL,5}', 1), ('{1,2}', '{1,2}', 0), ('{1,2}', '{1,2}', NULL)) AS v(y, p, w);
SELECT pgfit.r_squared(y, p) AS constant, pgfit.rmse(y, p) AS exact FROM (VALUES ('{1,2}'::float8[], '{1,2}'::float8[]), ('{2,2}', '{2,2}')) AS v(y, p);
SELECT pgfit.rmse(y, p) AS no_rows, pgfit.rmse(y, p, 0) AS no_weight FROM predicted_arrays WHERE id < 0;
SELECT round((pgfit.rmse(y, p) / 1e300)::numeric, 9) AS huge, round(pgfit.r_squared(y, p)::numeric, 9) AS r_squared FROM (VALUES (ARRAY[1e300, 0], ARRAY[0, 1e299]), (ARRAY[-1e300, 1e299], ARRAY[0, 0])) AS v(y, p);
SELECT pgfit.mse(y, p) / 1e308 BETWEEN 1.68 AND 1.7 AS mean_of_huge FROM (VALUES (ARRAY[1.3e154, 1.3e154], '{0,0}'::float8[])) AS v(y, p);
-- parts of parallel plans, of which some have no rows
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT test.near(a, b) AS parallel FROM (SELECT pgfit.rmse(y, p, w) AS a FROM predicted_arrays WHERE id > 100) AS x, (SELECT (pgfit.rmse(y[1], p[1], w) + pgfit.rmse(y[2], p[2], w) + pgfit.rmse(y[3], p[3], w)) / 3 AS b FROM predicted_arrays WHERE id > 100) AS y;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
-- refused
SELECT test.try(format('SELECT pgfit.mse(%s) FROM predicted_arrays', call)) FROM unnest(ARRAY['y, p[1:2]', 'y[1:1 + id % 2], p[1:1 + id % 2]', 'y[9:10], p[9:10]', 'ARRAY[''NaN''::float8], ARRAY[1.0]', 'ARRAY[1.0], ARRAY[''infinity''::float8]', 'y, p, -1', 'y, p[1]', 'ARRAY[1e200], ARRAY[0.0]']) AS call;
SELECT test.try('SELECT pgfit_internal.errors_targets_step(''{0,0}'', ''{1}'', ''{1}'')');

-- folds: by a column as fits without it, by hash, in order of time, of groups; formulas that learn; weights; categories
CREATE FUNCTION pg_temp.held_out(metric text, formula text, weight text, fold int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    result float8;
BEGIN
    EXECUTE format('SELECT pgfit.%s(y, pgfit.transform(m, r), %s) FROM (SELECT pgfit.multivariate_regression(y, r, %L, %2$s) AS m FROM judged_arrays AS r WHERE part <> %4$s) AS f, judged_arrays AS r WHERE part = %4$s', metric, weight, formula, fold) INTO result;
    RETURN result;
END $$;
SELECT formula, weight, count(*), bool_and(test.near(value, pg_temp.held_out(metric, formula, weight, fold::int), 1e-10)) AS same, sum(rows) AS rows
FROM (SELECT formula, weight, (unnest(CASE WHEN weight <> 'w' THEN pgfit.cross_validate(y, r, 'multivariate_regression', o) ELSE pgfit.cross_validate(y, r, 'multivariate_regression', o, w) END)).*
      FROM judged_arrays AS r, (VALUES ('x + c', 'w - w + 1'), ('x + c', 'w'), ('bs(x, df = 4) + c', 'w - w + 1'), ('poly(x, 2)', 'w')) AS v(formula, weight),
      LATERAL jsonb_build_object('fold_column', 'part', 'metrics', '["rmse", "mae", "mse", "r_squared"]'::jsonb, 'options', jsonb_build_object('formula', formula)) AS o GROUP BY formula, weight) AS s
WHERE fold IS NOT NULL GROUP BY formula, weight ORDER BY formula, weight;
SELECT metric, round(value::numeric, 8) AS value, rows FROM (SELECT (unnest(pgfit.cross_validate(y, r, 'multivariate_regression', '{"folds": 4, "seed": 2, "options": {"formula": "x + c"}}'))).* FROM judged_arrays AS r) AS s WHERE fold IS NULL;
SELECT key, metric, round(value::numeric, 8) AS value, rows FROM (SELECT key, (unnest(pgfit.cross_validate(y, r, 'multivariate_regression', jsonb_build_object(key, 'id', 'folds', 3, 'metrics', 'r_squared', 'options', '{"formula": "x"}'::jsonb)))).*
    FROM judged_arrays AS r, unnest(ARRAY['group_column', 'time_column']) AS key GROUP BY key) AS s WHERE fold IS NULL;
-- an array of one target, and a row with a NULL inside of its array
SELECT bool_and(test.near(a.value, b.value)) AS one_target, count(*) FROM (SELECT (unnest(pgfit.cross_validate(y[1:1], r, 'multivariate_regression', '{"fold_column": "part", "options": {"formula": "x"}}'))).* FROM judged_arrays AS r) AS a
    JOIN (SELECT (unnest(pgfit.cross_validate(y[1], r, 'linear_regression', '{"fold_column": "part", "options": {"formula": "x"}}'))).* FROM judged_arrays AS r) AS b ON a.metric = b.metric AND a.fold = b.fold;
SELECT metric, rows FROM (SELECT (unnest(pgfit.cross_validate(CASE WHEN id = 7 THEN ARRAY[1, NULL, 2] WHEN id > 8 THEN y END, r, 'multivariate_regression', '{"folds": 3, "options": {"formula": "x"}}'))).* FROM judged_arrays AS r) AS s WHERE fold IS NULL;
SELECT test.try(format('SELECT pgfit.cross_validate(%s, ''{"folds": 3, "options": {"formula": "x"}}'') FROM judged_arrays AS r', call)) FROM unnest(ARRAY['CASE WHEN id < 5 THEN y[1:2] ELSE y END, r, ''multivariate_regression''', 'y, r, ''linear_regression''', 'y, r, ''ridge_regression''',
    'y[5:6], r, ''multivariate_regression''', 'ARRAY[''NaN''::float8], r, ''multivariate_regression''']) AS call;
SELECT test.try($$SELECT pgfit.cross_validate(y, r, 'multivariate_regression', '{"metrics": "accuracy"}') FROM judged_arrays AS r$$);

-- evaluate, search, train and compare
SELECT metric, round(value::numeric, 8) AS value, cardinality(fold_values) AS folds, rows FROM pgfit.evaluate('multivariate_regression', 'judged_arrays', 'y ~ x + c', '{"folds": 4, "seed": 2, "metrics": ["rmse", "mae", "mse", "r_squared"]}');
SELECT metric, value IS NOT NULL AS known FROM pgfit.evaluate('multivariate_regression', 'judged_arrays', 'y ~ x', '{"prepare": ["standard_scaler"]}');
SELECT rank, estimator, metric, round(value::numeric, 6) AS value FROM pgfit.search('multivariate_regression', 'judged_arrays', 'y ~ x', '{"intercept": [true, false]}');
SELECT version, active, rows, metrics ? 'rmse' AS rmse, message FROM pgfit.train('arrays', 'multivariate_regression', 'judged_arrays', 'y ~ x', '{"holdout": {"fraction": 0.3}}');
SELECT version, active, rows, round((metrics ->> 'rmse')::numeric, 6) AS rmse, regexp_replace(message, '\d+\.\d+', '#', 'g') AS message FROM pgfit.train('arrays', 'multivariate_regression', 'judged_arrays', 'y ~ x + c', '{"holdout": {"folds": 4}, "promote": "if_better"}');
SELECT version, active, message FROM pgfit.train('arrays', 'multivariate_regression', 'SELECT *, y[1:2] AS y2 FROM judged_arrays', 'y2 ~ x + c', '{"promote": "if_better"}');
SELECT version, active, message FROM pgfit.train('arrays', 'linear_regression', 'SELECT *, y[1] AS y1 FROM judged_arrays', 'y1 ~ x + c', '{"promote": "if_better"}');
SELECT metric, rows, round(value_a::numeric, 6) AS a, round(value_b::numeric, 6) AS b, test.near(value_a, pgfit_mse) AS same
FROM (SELECT pgfit.multivariate_regression(y, r, 'x') AS a, pgfit.multivariate_regression(y, r, 'x + c') AS b FROM judged_arrays AS r) AS f, pgfit.compare(a, b, 'judged_arrays', '{"target": "y"}'),
     LATERAL (SELECT pgfit.mse(y, pgfit.transform(a, r)) AS pgfit_mse FROM judged_arrays AS r) AS m;
SELECT test.try($$SELECT pgfit.compare(a, b, 'judged_arrays', '{"target": "y"}') FROM (SELECT pgfit.multivariate_regression(y, r, 'x') AS a, pgfit.linear_regression(y[1], r, 'x + c') AS b FROM judged_arrays AS r) AS f$$);
SELECT test.try($$SELECT * FROM pgfit.evaluate('linear_regression', 'judged_arrays', 'y ~ x')$$);
SELECT test.try($$SELECT * FROM pgfit.train('arrays', 'linear_regression', 'judged_arrays', 'y ~ x')$$);
SELECT test.try($$SELECT * FROM pgfit.train('arrays', 'multivariate_regression', 'judged_arrays', 'c ~ x')$$);
-- a target of one number failed with internal_error where the fit took it
SELECT version, active, rows, message FROM pgfit.train('single', 'multivariate_regression', 'SELECT *, y[1] AS y1 FROM judged_arrays', 'y1 ~ x');
SELECT test.near((regexp_match(pgfit.report('single', 'SELECT *, y[1] AS y1 FROM judged_arrays'), '<dt>rmse</dt><dd>([^<]*)<'))[1]::float8,
                 (SELECT pgfit.rmse(y[1], pgfit.predict(m, r)) FROM judged_arrays AS r, (SELECT pgfit.linear_regression(y[1], r, 'x') AS m FROM judged_arrays AS r) AS f), 1e-4) AS as_linear_regression;
SELECT pgfit.drop_model('single');
SELECT pgfit.drop_model('arrays');
SELECT test.try($$SELECT pgfit.rmse('{{1,2,3},{4,5,6}}'::float8[], '{{1,2},{3,4},{5,6}}'::float8[])$$);
DROP TABLE judged_arrays, predicted_arrays;
