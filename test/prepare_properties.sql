-- Properties of preparation and of pipelines.
BEGIN;
SELECT plan(76);
\ir tap/properties.sql

SELECT pg_temp.moments_properties('standard_scaler', '', options, 'transform') FROM unnest(ARRAY['{}'::jsonb, '{"ddof": 1, "center": false}']) AS options;
SELECT pg_temp.moments_properties('polynomial_features', '', '{"degree": 3}', 'transform');
SELECT pg_temp.rows_properties('minmax_scaler', '', '{"range": [-1, 2]}', 'transform');
SELECT pg_temp.rows_properties('robust_scaler', '', '{}', 'transform');
SELECT pg_temp.rows_properties('quantile_bins', '', options, 'transform') FROM unnest(ARRAY['{"bins": 4}'::jsonb, '{"bins": 3, "output": "onehot"}']) AS options;
SET LOCAL property.features = 'a, b, c';
SELECT pg_temp.moments_properties('one_hot', '', options, 'transform') FROM unnest(ARRAY['{}'::jsonb, '{"drop": "first"}']) AS options;
SELECT pg_temp.rows_properties('target_encoder', 'y', options, 'transform') FROM unnest(ARRAY['{}'::jsonb, '{"smoothing": 5}']) AS options;
SET LOCAL property.features = '';

-- units: a scaled row does not depend on them, and neither does a model of scaled rows
SELECT ok(bool_and(pg_temp.near_all(transform(s, ARRAY[a, b]), transform(t, ARRAY[1000 * a + 5, b / 8 - 1]), 1e-9)), name || ' does not depend on units')
FROM (SELECT 'standard_scaler' AS name, standard_scaler(ARRAY[a, b]) AS s, standard_scaler(ARRAY[1000 * a + 5, b / 8 - 1]) AS t FROM rows
      UNION ALL SELECT 'minmax_scaler', minmax_scaler(ARRAY[a, b]), minmax_scaler(ARRAY[1000 * a + 5, b / 8 - 1]) FROM rows
      UNION ALL SELECT 'robust_scaler', robust_scaler(ARRAY[a, b]), robust_scaler(ARRAY[1000 * a + 5, b / 8 - 1]) FROM rows
      UNION ALL SELECT 'quantile_bins', quantile_bins(ARRAY[a, b]), quantile_bins(ARRAY[1000 * a + 5, b / 8 - 1]) FROM rows) AS m, rows GROUP BY name;
-- the inverse gives the rows back
SELECT ok(bool_and(pg_temp.near_all(inverse_transform(m, transform(m, ARRAY[a, b])), ARRAY[a, b], 1e-9)), info(m) ->> 'estimator' || ' gives the rows back')
FROM (SELECT standard_scaler(ARRAY[a, b]) AS m FROM rows UNION ALL SELECT minmax_scaler(ARRAY[a, b], '{"range": [3, 5]}') FROM rows UNION ALL SELECT robust_scaler(ARRAY[a, b]) FROM rows) AS m, rows GROUP BY m;
-- one_hot and a linear model without an intercept are the model of the categories themselves
SELECT ok(bool_and(pg_temp.near(predict(pipeline(h, l), f), predict(m, f), 1e-9)), 'a model of one_hot columns is a model of the categories')
FROM (SELECT h, m, linear_regression(y, transform_row(h, f)) AS l FROM rows, LATERAL (SELECT a, c) AS f, (SELECT one_hot(f, '{"drop": "first"}') AS h, linear_regression(y, f) AS m FROM rows, LATERAL (SELECT a, c) AS f) AS o GROUP BY h, m) AS t, rows, LATERAL (SELECT rows.a, rows.c) AS f;
-- a linear model does not change when its features are scaled; a neighbor model of scaled rows does not depend on units
SELECT ok(bool_and(pg_temp.near(predict(pipeline(s, l), f), predict(m, f), 1e-9)), 'a linear model of scaled rows predicts the same')
FROM (SELECT s, m, linear_regression(y, transform_row(s, f)) AS l FROM rows, LATERAL (SELECT a, b) AS f, (SELECT robust_scaler(f) AS s, linear_regression(y, f) AS m FROM rows, LATERAL (SELECT a, b) AS f) AS o GROUP BY s, m) AS t, rows, LATERAL (SELECT rows.a, rows.b) AS f;
-- text, jsonb and nesting keep the bits of a pipeline's scores
SELECT pg_temp.keeps_bits((SELECT pipeline(s, m) FROM (SELECT s, kmeans(transform_row(s, f), 3) AS m FROM rows, LATERAL (SELECT a, b) AS f, (SELECT standard_scaler(f) AS s FROM rows, LATERAL (SELECT a, b) AS f) AS o GROUP BY s) AS t), 'distances', 'a pipeline');
SELECT ok(pipeline(pipeline(s, s), s) = pipeline(s, pipeline(s, s)) AND pipeline(pipeline(s, s), s) = pipeline(s, s, s), 'nesting does not matter') FROM (SELECT standard_scaler(ARRAY[a, b]) AS s FROM rows) AS t;

SELECT * FROM finish();
ROLLBACK;
