-- inspecting a model
CREATE TABLE house AS
SELECT i AS id, i * 0.5 AS size, sin(i) * 3 AS "Floor ""x""", (ARRAY['north', 'it''s', NULL, 'center'])[1 + i % 4] AS area,
       i % 7 = 0 AS garden, date '2020-01-01' + i AS built, 3 + i * 1.0 - 4.5 * sin(i) + (i % 4) * 10 + cos(i * 3) AS price
FROM generate_series(1, 200) AS i;
CREATE TABLE kept AS
SELECT pgfit.linear_regression(price, f) AS linear, pgfit.ridge_regression(price, f, 0.5, '{"standardize": true}'::jsonb) AS ridge,
       pgfit.linear_regression(price, f, '{"nulls": "impute", "level": 0.9}'::jsonb) AS imputed, pgfit.moments(price, f) AS moments
FROM house, LATERAL (SELECT size, "Floor ""x""", area, garden) AS f;

-- ---- coefficients ----
SELECT class, term, round(estimate::numeric, 3) AS estimate, std_error > 0 AS std_error, test.near(statistic, estimate / std_error) AS statistic,
       p_value BETWEEN 0 AND 1 AS p_value, conf_low < estimate AND estimate < conf_high AS inside
FROM kept, pgfit.coefficients(linear);
-- under a penalty there are no tests
SELECT term, estimate IS NOT NULL AS estimate, std_error, statistic, p_value, conf_low, conf_high FROM kept, pgfit.coefficients(ridge);
-- the level of the fit is that of the limits; t(0.95, 3) = 2.35336, t(0.975, 3) = 3.18245
SELECT level, round((conf_high - estimate)::numeric / std_error::numeric, 4) AS t
FROM (VALUES (0.9), (0.95)) AS l(level),
     LATERAL (SELECT pgfit.linear_regression(y, x, jsonb_build_object('level', level)) AS m
              FROM (VALUES (1, 2.0), (2, 4.1), (3, 5.9), (4, 8.2), (5, 9.8)) AS t(x, y)) AS s,
     pgfit.coefficients(m) WHERE term <> '(intercept)' ORDER BY level;
SELECT count(*) FROM kept, LATERAL (SELECT (pgfit.coefficients(linear)).*) AS c;
SELECT count(*) FROM pgfit.coefficients(NULL);
SELECT test.try('SELECT pgfit.coefficients(moments) FROM kept');
SELECT test.try('SELECT pgfit.coefficients(pgfit.geometric_median(size)) FROM house');

-- ---- features and levels ----
SELECT f.* FROM kept, pgfit.features(linear) AS f;
SELECT f.* FROM kept, pgfit.levels(linear) AS f;
SELECT f.* FROM kept, pgfit.levels(imputed) AS f;
SELECT f.* FROM kept, pgfit.levels(moments) AS f;
SELECT f.* FROM (SELECT pgfit.linear_regression(price, (ARRAY[size, id], built)) AS m FROM house) AS s, pgfit.features(m) AS f;

-- ---- info ----
SELECT pgfit.info(linear) - 'statistics' - 'implementation' - 'weight' - 'features' - 'options' AS head FROM kept;
SELECT jsonb_pretty(pgfit.info(linear)->'features') AS features FROM kept;
SELECT pgfit.info(linear)->'options' AS linear, pgfit.info(ridge)->'options' AS ridge FROM kept;
SELECT jsonb_object_agg(key, value->'shape') AS shapes FROM kept, jsonb_each(pgfit.info(linear) -> 'implementation' -> 'arrays');
SELECT (pgfit.info(linear)->'statistics'->>'n')::int AS n, (pgfit.info(linear)->'statistics'->>'df_residual')::int AS df,
       test.near((pgfit.info(linear)->'statistics'->>'r_squared')::float8, r.r_squared, 1e-10) AS r_squared,
       test.near((pgfit.info(linear)->'statistics'->>'rmse')::float8, r.rmse, 1e-10) AS rmse,
       (pgfit.info(linear)->'statistics'->>'f_p_value')::float8 < 1e-100 AS tiny
FROM kept, (SELECT pgfit.r_squared(price, pgfit.predict(linear, f)), pgfit.rmse(price, pgfit.predict(linear, f))
            FROM kept, house, LATERAL (SELECT size, "Floor ""x""", area, garden) AS f) AS r;
SELECT pgfit.info(m)->'skipped' AS skipped, pgfit.info(m)->'weight' AS weight, pgfit.info(m)->'weighted' AS weighted
FROM (SELECT pgfit.linear_regression(price, size, '{}', id % 3) AS m FROM house) AS s;
SELECT pgfit.info(m)->'converged' AS converged, pgfit.info(m)->'iterations' IS NOT NULL AS iterations,
       pgfit.info(m)->'estimator' AS estimator, pgfit.info(m)->'kind' AS kind
FROM (SELECT pgfit.geometric_median(ARRAY[size, price]) AS m FROM house) AS s;
SELECT pgfit.info(e)->'kind' AS kind, pgfit.info(e)->'estimator' AS estimator, pgfit.info(e)->'classes' AS classes,
       pgfit.info(e)->'class_type' AS type, pgfit.info(e)->'features' AS features
FROM (SELECT pgfit.class_moments(area, size) AS e FROM house) AS s;
SELECT pgfit.info(NULL) IS NULL AS info, pgfit.summary(NULL) IS NULL AS summary, pgfit.to_sql(NULL) IS NULL AS to_sql;

-- ---- summary: the lines that a reader looks for ----
SELECT pgfit.summary(linear) LIKE '%linear_regression%' AS name, pgfit.summary(linear) LIKE '%150%' AS rows,
       pgfit.summary(linear) LIKE '%area=it''s%' AS term, pgfit.summary(ridge) LIKE '%options: lambda 0.5, standardize true' AS options,
       pgfit.summary(moments) LIKE 'moments: moments%from 4 features%150 rows, 50 skipped%' AS moments
FROM kept;
SELECT pgfit.summary(pgfit.geometric_median(id)) FROM generate_series(1, 3) AS id;

-- ---- parameter ----
SELECT array_dims(pgfit.parameter(linear, 'coef')) AS vector, array_dims(pgfit.parameter(linear, 'covariance')) AS matrix,
       pgfit.parameter(linear, 'level_slots') AS integers, array_length(pgfit.parameter(moments, 'means'), 1) AS moments
FROM kept;
-- a symmetric matrix is stored packed, by columns, and read in full
SELECT bool_and(p.full_matrix[i][j] = p.full_matrix[j][i] AND p.full_matrix[i][j] = p.packed[j * (j - 1) / 2 + i]) AS same,
       array_length(p.packed, 1) AS packed, count(*) AS pairs
FROM (SELECT pgfit.parameter(linear, 'covariance') AS full_matrix, pgfit.parameter(linear, 'covariance_packed') AS packed FROM kept) AS p,
     generate_series(1, 6) AS j, generate_series(1, j) AS i GROUP BY p.packed;
-- facts that follow from others are in info() alone
SELECT (SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(linear::jsonb -> 'facts') AS key) AS stored,
       (SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(pgfit.info(linear) -> 'statistics') AS key) AS shown FROM kept;
-- a fit of ten features stays below the size that PostgreSQL moves out of line
SELECT pg_column_size(pgfit.linear_regression(i, ARRAY[sin(i), cos(i), sin(2 * i), cos(2 * i), sin(3 * i), cos(3 * i), sin(5 * i), cos(5 * i),
                                                       sin(7 * i), cos(7 * i)])) < 1700 AS small FROM generate_series(1, 50) AS i;
SELECT bool_and(test.near(sqrt((pgfit.parameter(linear, 'covariance'))[n][n]), std_error)) AS standard_errors
FROM kept, pgfit.coefficients(linear) WITH ORDINALITY AS c(class, term, estimate, std_error, statistic, p_value, low, high, n);
SELECT test.try('SELECT pgfit.parameter(ridge, ''beta'') FROM kept') LIKE '22023: the model has no array "beta"%HINT: Its arrays are center, coef, %' AS unknown;
SELECT test.try('SELECT pgfit.parameter(linear, ''field_names'') FROM kept') LIKE '22023: the model has no array "field_names"%' AS schema;
SELECT test.try('SELECT pgfit.parameter(linear, repeat(''x'', 100)) FROM kept') LIKE '22023: the model has no array "xxx%' AS long;
SELECT pgfit.parameter(NULL, 'coef') IS NULL AND pgfit.parameter(linear, NULL) IS NULL AS null FROM kept;

-- ---- estimators and options: catalog.sql has the rules that hold for all ----
SELECT name, task, input, options @> '{intercept,level}' AS options FROM pgfit.estimators() WHERE name = 'linear_regression';
SELECT name, type, default_value, range FROM pgfit.options('ridge_regression') WHERE name IN ('intercept', 'level', 'weight_kind');
SELECT count(*) > 0 AS shared FROM pgfit.options('moments') WHERE name = 'nulls';
SELECT test.try('SELECT pgfit.options(''ridge_regresion'')') LIKE '22023: there is no estimator "ridge_regresion"%Did you mean "ridge_regression"? Estimators are %' AS misspelled;
SELECT test.try('SELECT pgfit.options(''xyz'')') LIKE '22023: there is no estimator "xyz"%HINT: Estimators are %' AS unknown;
SELECT count(*) FROM pgfit.options(NULL);
-- the arrays and facts that models of an estimator may have; any other is refused
SELECT name, type, shape, present, elements FROM pgfit_internal.declared_arrays() WHERE estimator = 'kmeans' AND name IN ('centroids', 'sum_squares', 'feature_scale', 'iterations');
SELECT test.try('SELECT jsonb_set(pgfit.centroid(size)::jsonb, ''{arrays,other}'', ''[1]'')::pgfit.model FROM house');
SELECT test.try(format('SELECT jsonb_set(pgfit.centroid(size)::jsonb, ''{facts,%s}'', %L)::pgfit.model FROM house', name, value)) AS error
FROM (VALUES ('other', '1'), ('scatter', '[1, 2]'), ('scatter', '{"i64": 1}')) AS v (name, value);

-- ---- options that a fit refuses ----
SELECT test.try(format('SELECT pgfit.linear_regression(price, size, %L::jsonb) FROM house', o)) AS error
FROM unnest(ARRAY['{"intercpt": true}', '{"intercept": 1}', '{"level": 1.5}', '{"nulls": "drop"}', '{"features": []}',
                  '{"max_levels": 0}', '{"level": null}', '[1]', '{"weight_kind": ["x"]}']) AS o;
SELECT test.try('SELECT pgfit.ridge_regression(price, size, 1, ''{"lambda": 2}''::jsonb) FROM house');
SELECT test.try('SELECT pgfit.ridge_regression(price, size, -1) FROM house');
SELECT test.try('SELECT pgfit.ridge_regression(price, size, ''Infinity''::float8) FROM house');
SELECT test.try('SELECT pgfit.ridge_regression(price, size, ''NaN''::float8) FROM house');
DROP TABLE house, kept;
