-- metrics of predicted numbers
CREATE TEMP TABLE pair (y float8, p float8, w float8);
INSERT INTO pair VALUES (3, 2.5, 1), (-0.5, 0, 1), (2, 2, 1), (7, 8, 1);
SELECT pgfit.mse(y, p) = 0.375 AS mse, test.near(pgfit.rmse(y, p), 0.612372435695794) AS rmse,
       pgfit.mae(y, p) = 0.5 AS mae, test.near(pgfit.r_squared(y, p), 0.948608137044968) AS r_squared
FROM pair;

-- integers, numerics and windows
SELECT pgfit.mae(y, p) FROM (VALUES (1, 2::numeric), (3, 5)) t(y, p);
SELECT y, pgfit.mae(y, p) OVER (ORDER BY y ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM pair ORDER BY y;
SELECT y > 2 AS large, pgfit.mae(y, p), pgfit.mae(y, p) FILTER (WHERE y < 5) AS small FROM pair GROUP BY 1 ORDER BY 1;

-- a weight counts as repetition does; 0 and NULL leave the row out
SELECT pgfit.mse(y, p, w) = pgfit.mse(y, p, w * 10) AS scale_free,
       test.near(pgfit.mse(y, p, w), (2 * 1 + 3 * 4) / 5.0) AS mse,
       test.near(pgfit.mae(y, p, w), (2 * 1 + 3 * 2) / 5.0) AS mae,
       test.near(pgfit.rmse(y, p, w), sqrt(2.8)) AS rmse,
       test.near(pgfit.r_squared(y, p, w), 1 - 14.0 / 1.2) AS r_squared
FROM (VALUES (1.0, 2.0, 2.0), (2, 4, 3), (5, 100, 0), (5, 100, NULL), (NULL, 1, 1), (1, NULL, 1)) t(y, p, w);

-- no rows, and a constant target
SELECT pgfit.mse(y, p), pgfit.rmse(y, p), pgfit.mae(y, p), pgfit.r_squared(y, p) FROM pair WHERE y > 100;
SELECT pgfit.mse(NULL, 1) IS NULL AS all_null, pgfit.mse(1, 1, 0) IS NULL AS all_zero_weight;
SELECT pgfit.r_squared(0.1, p) IS NULL AS constant, pgfit.mae(0.1, p) > 0 AS mae FROM generate_series(1, 1000) p;
SELECT pgfit.r_squared(y, y) FROM pair;

-- the ends of double precision, and a large offset
SELECT test.near(pgfit.rmse(y * 1e300, p * 1e300) / 1e300, 0.612372435695794) AS large,
       test.near(pgfit.rmse(y * 1e-300, p * 1e-300) * 1e300, 0.612372435695794) AS small,
       test.near(pgfit.r_squared(y * 1e300, p * 1e300), 0.948608137044968) AS large_r_squared,
       test.near(pgfit.r_squared(y * 1e-300, p * 1e-300), 0.948608137044968) AS small_r_squared,
       test.near(pgfit.r_squared(y + 1e12, p + 1e12), 0.948608137044968) AS offset_r_squared
FROM pair;

-- refused
SELECT test.try('SELECT pgfit.mse(''NaN''::float8, 1)');
SELECT test.try('SELECT pgfit.mae(1, ''-Infinity''::float8)');
SELECT test.try('SELECT pgfit.rmse(1, 1, ''Infinity''::float8)');
SELECT test.try('SELECT pgfit.r_squared(1, 1, -2)');
SELECT test.try('SELECT pgfit.mse(1e200, 0)');
SELECT test.try('SELECT pgfit.mae(1e308, -1e308)');

-- serial and parallel agree, and the plan is partial
CREATE TABLE metric_rows AS
SELECT sin(i) * 100 AS y, sin(i) * 100 + cos(i * 7.0) AS p, 1 + i % 3 AS w FROM generate_series(1, 20000) i;
ANALYZE metric_rows;
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE serial AS
SELECT pgfit.mse(y, p), pgfit.rmse(y, p), pgfit.mae(y, p, w), pgfit.r_squared(y, p, w) FROM metric_rows;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION pg_temp.plan(statement text) RETURNS SETOF text LANGUAGE plpgsql AS
$$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS off) ' || statement; END $$;
SELECT bool_or(line LIKE '%Partial Aggregate%') AS partial
FROM pg_temp.plan('SELECT pgfit.mse(y, p), pgfit.r_squared(y, p, w) FROM metric_rows') AS line;
SELECT test.near(s.mse, m.mse, 1e-14) AS mse, test.near(s.rmse, m.rmse, 1e-14) AS rmse,
       test.near(s.mae, m.mae, 1e-14) AS mae, test.near(s.r_squared, m.r_squared, 1e-13) AS r_squared
FROM serial s, (SELECT pgfit.mse(y, p), pgfit.rmse(y, p), pgfit.mae(y, p, w), pgfit.r_squared(y, p, w) FROM metric_rows) m;
SELECT test.near(s.mse, avg((y - p) ^ 2), 1e-13) AS mse, test.near(s.rmse, sqrt(avg((y - p) ^ 2)), 1e-13) AS rmse,
       test.near(s.mae, sum(w * abs(y - p)) / sum(w), 1e-13) AS mae,
       test.near(s.r_squared, 1 - sum(w * (y - p) ^ 2) / sum(w * (y - center) ^ 2), 1e-12) AS r_squared
FROM serial s, metric_rows, (SELECT sum(w * y) / sum(w) AS center FROM metric_rows) c
GROUP BY s.mse, s.rmse, s.mae, s.r_squared;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- states that a user makes up
SELECT test.try('SELECT pgfit_internal.errors_step(''{0,0,0,0,0,0,0,0,0,0,0,0,0}'', 1, 1)');
SELECT test.try('SELECT pgfit_internal.errors_merge(''{0}'', ''{0}'')');
SELECT test.try('SELECT pgfit_internal.mse_final(''{1,2,3}'')');
SELECT test.try('SELECT pgfit_internal.rmse_final(''{}'')');
SELECT test.try('SELECT pgfit_internal.mae_final(''{{0,0,0,0,0,0,0,0,0,0,0,0,0}}'')');
SELECT test.try('SELECT pgfit_internal.r_squared_final(''{0,0,0,0,0,0,0,0,0,0,0,0,NULL}'')');
SELECT test.try('SELECT pgfit_internal.mse_final(''{0,0,NaN,0,0,0,0,0,0,0,0,0,0}'')');
SELECT test.try('SELECT pgfit_internal.mse_final(''{1,-1,0,0,0,0,0,0,0,0,0,0,0}'')');
SELECT test.try('SELECT pgfit_internal.mse_final(''{1,1,0,0,0,0,0,3,1,1,0,0,0}'')');
SELECT pgfit_internal.mse_final('{0,0,0,0,0,0,0,0,0,0,0,0,0}') IS NULL AS empty;
CREATE AGGREGATE pg_temp.forged(float8, float8) (SFUNC = pgfit_internal.errors_step, STYPE = float8[], INITCOND = '{1,2}');
SELECT test.try('SELECT pg_temp.forged(1, 2)');
CREATE AGGREGATE pg_temp.stateless(float8, float8) (SFUNC = pgfit_internal.errors_step, STYPE = float8[]);
SELECT pg_temp.stateless(1, 2) IS NULL AS no_state;

-- percentage errors, quantiles and medians by their definitions, with weights as repeated rows, and merged
CREATE TABLE amounts AS SELECT i, 10 + (i * 37 % 101)::float8 AS y, 10 + (i * 37 % 101) + (i * 53 % 23) - 9.5 AS p, (i % 4)::float8 AS w FROM generate_series(1, 3001) AS i;
SELECT test.near(pgfit.mape(y, p), avg(abs(y - p) / y)) AS mape, test.near(pgfit.smape(y, p), avg(2 * abs(y - p) / (y + abs(p)))) AS smape,
       test.near(pgfit.pinball_loss(y, p, 0.9), avg(CASE WHEN y > p THEN 0.9 * (y - p) ELSE 0.1 * (p - y) END)) AS pinball,
       pgfit.median_absolute_error(y, p) = percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(y - p)) AS median FROM amounts;
SELECT test.near(a.mape, b.mape) AS mape, test.near(a.smape, b.smape) AS smape, test.near(a.pinball, b.pinball) AS pinball, a.median = b.median AS median
FROM (SELECT pgfit.mape(y, p, w), pgfit.smape(y, p, w), pgfit.pinball_loss(y, p, 0.2, w) AS pinball, pgfit.median_absolute_error(y, p, '{}', w) AS median FROM amounts) AS a,
     (SELECT pgfit.mape(y, p), pgfit.smape(y, p), pgfit.pinball_loss(y, p, 0.2) AS pinball, pgfit.median_absolute_error(y, p) AS median FROM amounts, generate_series(1, w::int)) AS b;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; ALTER TABLE amounts SET (parallel_workers = 2);
CREATE TABLE amounts_parallel AS SELECT pgfit.mape(y, p), pgfit.smape(y, p), pgfit.pinball_loss(y, p, 0.9) AS pinball FROM amounts;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SELECT test.near(a.mape, b.mape) AS mape, test.near(a.smape, b.smape) AS smape, test.near(a.pinball, b.pinball) AS pinball
FROM amounts_parallel AS a, (SELECT pgfit.mape(y, p ORDER BY i), pgfit.smape(y, p ORDER BY i), pgfit.pinball_loss(y, p, 0.9 ORDER BY i) AS pinball FROM amounts) AS b;
SELECT pgfit.smape(0, 0) AS both_zero, pgfit.smape(0, 5) AS one_zero, pgfit.smape(1e308, -1e308) AS opposite, pgfit.mape(-2, -3) AS negative, pgfit.mape(1, NULL) AS none,
       pgfit.pinball_loss(1, 2, NULL) AS no_quantile, pgfit.median_absolute_error(1, NULL) AS no_row, pgfit.median_absolute_error(1e-300, 0) AS tiny;
SELECT pgfit.median_absolute_error(y, 0) AS median FROM unnest('{4,1,2,8}'::float8[]) AS y;
SELECT test.try('SELECT pgfit.mape(0, 1)');
SELECT test.try('SELECT pgfit.mape(1e-300, 1e300)');
SELECT test.try('SELECT pgfit.mape(1, 2, -1)');
SELECT test.try('SELECT pgfit.smape(1, ''NaN'')');
SELECT test.try('SELECT pgfit.pinball_loss(1, 2, 1.5)');
SELECT test.try('SELECT pgfit.pinball_loss(1e308, -1e308, 0.5)');
SELECT test.try('SELECT pgfit.median_absolute_error(1e308, -1e308)');
SELECT test.try('SELECT pgfit_internal.mean_final(''{1}'')');
SELECT test.try('SELECT pgfit_internal.mean_final(''{1,-1}'')');
SELECT test.try('SELECT pgfit_internal.mean_merge(''{0,0}'', ''{0,0}'')');
-- a step changes its state in place, which outside an aggregate would change a constant of the query
SELECT test.try(format('SELECT pgfit_internal.%s_step(''{0,0}'', 1, 2%s)', step, more)) FROM (VALUES ('mape', ''), ('smape', ''), ('pinball_loss', ', 0.5')) AS s(step, more);
-- a row of weight 0 is skipped, whatever its error
SELECT test.near(pgfit.mape(a, p, w), 0.5) AS mape FROM (VALUES (0.0, 1.0, 0), (5e-324::float8, 1e10, 0), (2, 3, 1)) AS r(a, p, w);

-- bootstrap samples: how often a key is drawn is Poisson with mean 1, by its text alone; the spread of a mean is what it should be
SELECT test.near(avg(pgfit.bootstrap_weight(i, 1)), 1, 0.02) AS mean, test.near(var_samp(pgfit.bootstrap_weight(i, 1)), 1, 0.05) AS variance,
       bool_and(pgfit.bootstrap_weight(i, 1) = pgfit.bootstrap_weight(i::text, 1, 0)) AS by_text,
       abs(corr(pgfit.bootstrap_weight(i, 1), pgfit.bootstrap_weight(i, 2))) < 0.03 AS samples_differ,
       abs(corr(pgfit.bootstrap_weight(i, 1), pgfit.bootstrap_weight(i, 1, 7))) < 0.03 AS seeds_differ FROM generate_series(1, 20000) AS i;
SELECT sum(pgfit.bootstrap_weight(i, 5)) AS drawn, pgfit.bootstrap_weight(NULL::int, 1) AS no_key FROM generate_series(1, 100) AS i;
SELECT test.near(stddev_samp(mae), max(expected), 0.2) AS spread
FROM (SELECT pgfit.mae(y, p, pgfit.bootstrap_weight(i, b)) AS mae FROM amounts, generate_series(1, 100) AS b GROUP BY b) AS samples,
     (SELECT stddev_samp(abs(y - p)) / sqrt(count(*)) AS expected FROM amounts) AS e;

DROP TABLE metric_rows, amounts, amounts_parallel;
