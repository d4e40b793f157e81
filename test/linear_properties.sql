-- Mathematical properties of least squares, on data with noise, categories and weights.
BEGIN;
SELECT plan(102);
\ir tap/properties.sql
-- are two models the same equation with the same tests?
CREATE FUNCTION pg_temp.same(a model, b model, tolerance float8) RETURNS boolean LANGUAGE sql AS $$
    SELECT count(*) > 1 AND bool_and(coalesce(pg_temp.near(x.estimate, y.estimate, tolerance), false)
                                     AND pg_temp.near(x.std_error, y.std_error, tolerance))
    FROM coefficients(a) AS x FULL JOIN coefficients(b) AS y USING (term)
$$;

CREATE TEMP TABLE samples AS
SELECT i AS id, sin(i * 12.9898) * 3 AS a, cos(i * 78.233) * 5 + i / 400.0 AS b,
       (ARRAY['red', 'green', 'blue', 'Ärger'])[1 + i * 7 % 4] AS c, 0.5 + i % 3 AS w,
       2 + sin(i * 12.9898) * 6 - cos(i * 78.233) + (i * 7 % 4) + sin(i * i) AS y
FROM generate_series(1, 2000) AS i;
CREATE TEMP TABLE fitted AS
SELECT linear_regression(y, f) AS m, linear_regression(y, f, '{}'::jsonb, w) AS weighted, moments(y, f) AS e
FROM samples, LATERAL (SELECT a, b, c) AS f;

-- the normal equations: residuals are orthogonal to everything in the model
SELECT ok(abs(sum(y - p)) < 1e-8 * sum(abs(y)), 'residuals add up to 0'),
       ok(abs(sum((y - p) * a)) < 1e-8 * sum(abs(y * a)), 'residuals are orthogonal to a'),
       ok(abs(sum((y - p) * b)) < 1e-8 * sum(abs(y * b)), 'residuals are orthogonal to b'),
       ok(abs(sum(y - p) FILTER (WHERE c = 'green')) < 1e-8 * sum(abs(y)), 'residuals of a level add up to 0')
FROM (SELECT r.*, predict(m, f) AS p FROM fitted, samples AS r, LATERAL (SELECT r.a, r.b, r.c) AS f) AS t;
SELECT ok(abs(sum(w * (y - p))) < 1e-8 * sum(abs(w * y)), 'weighted residuals add up to 0'),
       ok(abs(sum(w * (y - p) * b)) < 1e-8 * sum(abs(w * y * b)), 'weighted residuals are orthogonal to b')
FROM (SELECT r.*, predict(weighted, f) AS p FROM fitted, samples AS r, LATERAL (SELECT r.a, r.b, r.c) AS f) AS t;

-- the same as the server's own functions, where they exist
SELECT ok(pg_temp.near((SELECT estimate FROM coefficients(linear_regression(y, a)) WHERE term = 'f1'), regr_slope(y, a), 1e-12), 'slope as regr_slope'),
       ok(pg_temp.near((SELECT estimate FROM coefficients(linear_regression(y, a)) WHERE term = '(intercept)'), regr_intercept(y, a), 1e-12), 'intercept as regr_intercept'),
       ok(pg_temp.near(r_squared(y, y - 1), 1 - count(*) / (var_pop(y) * count(*)), 1e-12), 'r_squared as its formula')
FROM samples;

-- merging is fitting the union, however the rows are cut
SELECT ok(pg_temp.same(m, (SELECT fit('linear_regression', merge(e)) FROM (SELECT moments(y, f) AS e FROM samples, LATERAL (SELECT a, b, c) AS f GROUP BY id % n) AS parts), 1e-10),
          format('merged from %s parts', n))
FROM fitted, unnest(ARRAY[2, 7, 400]) AS n;
SELECT ok(pg_temp.same(m, (SELECT fit('linear_regression', merge(e::text::model)) FROM (SELECT moments(y, f) AS e FROM samples, LATERAL (SELECT a, b, c) AS f GROUP BY samples.c) AS parts), 1e-10),
          'merged from parts of one level each, through text')
FROM fitted;
SELECT ok(pg_temp.same(m, fit('linear_regression', merge(e)), 1e-10), 'moments holds all that the fit needs') FROM fitted GROUP BY m;

-- the order of rows does not matter
SELECT ok(pg_temp.same(m, (SELECT linear_regression(y, f ORDER BY id DESC) FROM samples, LATERAL (SELECT a, b, c) AS f), 1e-10), 'backwards'),
       ok(pg_temp.same(m, (SELECT linear_regression(y, f ORDER BY md5(id::text)) FROM samples, LATERAL (SELECT a, b, c) AS f), 1e-10), 'shuffled')
FROM fitted;

-- text and jsonb keep every bit
SELECT ok(m = m::text::model AND e = e::text::model, 'through text'),
       ok(m = m::jsonb::model AND e = e::jsonb::model, 'through jsonb'),
       ok(predict(m::jsonb::model, f) = predict(m, f), 'scores are the same bits')
FROM fitted, LATERAL (SELECT 1.5 AS a, -2.25 AS b, 'blue' AS c) AS f;

-- units: the target times 1000 and moved, a feature in other units
SELECT ok(pg_temp.near(predict(n.m, f), 1000 * predict(fitted.m, f) + 5, 1e-9), 'the target scaled and moved scales and moves the scores')
FROM fitted, (SELECT linear_regression(1000 * y + 5, f) AS m FROM samples, LATERAL (SELECT a, b, c) AS f) AS n, LATERAL (SELECT 0.7 AS a, 3.0 AS b, 'red' AS c) AS f;
SELECT ok(pg_temp.near(predict(n.m, g), predict(fitted.m, f), 1e-9), 'a feature in other units leaves the scores')
FROM fitted, (SELECT linear_regression(y, f) AS m FROM samples, LATERAL (SELECT a, b * 1e6 - 77 AS b, c) AS f) AS n,
     LATERAL (SELECT 0.7 AS a, 3.0 AS b, 'red' AS c) AS f, LATERAL (SELECT 0.7 AS a, 3.0 * 1e6 - 77 AS b, 'red' AS c) AS g;

-- a weight of 2 is a row twice, a weight of 0 no row
SELECT ok(pg_temp.same(
    (SELECT linear_regression(y, f, '{"weight_kind": "frequency"}'::jsonb, (1 + id % 2)::float8) FROM samples, LATERAL (SELECT a, b, c) AS f),
    (SELECT linear_regression(y, f) FROM (SELECT * FROM samples UNION ALL SELECT * FROM samples WHERE id % 2 = 1) AS r, LATERAL (SELECT a, b, c) AS f), 1e-10), 'frequency weights are repeated rows');
SELECT ok(pg_temp.same(
    (SELECT linear_regression(y, f, '{}'::jsonb, (id % 2)::float8) FROM samples, LATERAL (SELECT a, b, c) AS f),
    (SELECT linear_regression(y, f) FROM samples, LATERAL (SELECT a, b, c) AS f WHERE id % 2 = 1), 1e-10), 'rows of weight 0 do not count');

-- ridge: 0 is least squares, the norm of the coefficients falls with the penalty
SELECT ok(pg_temp.same(m, (SELECT fit('ridge_regression', merge(e), '{"lambda": 0}') FROM fitted), 1e-9), 'ridge with lambda 0 is least squares') FROM fitted;
SELECT ok(bool_and(norm < before), 'a larger penalty gives smaller coefficients')
FROM (SELECT lambda, norm, lag(norm) OVER (ORDER BY lambda) AS before
      FROM unnest(ARRAY[0, 1, 10, 100, 10000]::float8[]) AS lambda,
           LATERAL (SELECT sum(estimate ^ 2) AS norm FROM (SELECT fit('ridge_regression', merge(e), jsonb_build_object('lambda', lambda)) AS m FROM fitted) AS r, coefficients(r.m) WHERE term <> '(intercept)') AS n) AS t
WHERE before IS NOT NULL;


-- kernel ridge: a linear kernel is ridge regression; large penalties shrink to the mean, small ones meet the rows; a convex loss has its optimality condition
SELECT pg_temp.moments_properties('bayesian_regression', 'y', '{}', 'predict');
SELECT pg_temp.moments_properties('linear_regression', 'ARRAY[y, w - id % 5]', '{}', 'transform');
SELECT pg_temp.moments_properties('linear_regression', 'y', options, 'predict') FROM unnest(ARRAY['{"lower": 0, "upper": 1}'::jsonb, '{"solution": "minimum_norm"}']) AS options;
SELECT pg_temp.rows_properties('quantile_regression', 'y', '{"quantile": 0.3}', 'predict');
SELECT pg_temp.rows_properties('multiple_quantile_regression', 'y', '{"rearrange": true}', 'transform');
SET LOCAL property.features = 'a, b, c';
SELECT pg_temp.rows_properties('mixed_regression', 'y', '{"formula": "a + b + (1 | c)"}', 'predict');
RESET property.features;
SELECT pg_temp.rows_properties(name, target, options, 'predict')
FROM (VALUES ('glm', 'y', '{}'::jsonb), ('poisson_regression', 'abs(y)', '{"formula": "a + offset(b / 10)"}'), ('negative_binomial_regression', 'floor(abs(y))', '{"theta": 2}')) AS t(name, target, options);
SELECT pg_temp.rows_properties('huber_regression', 'y', '{"tuning": 1}', 'predict');
SELECT pg_temp.rows_properties('mm_regression', 'y', '{"n_init": 50}', 'predict');
SELECT pg_temp.rows_properties('kernel_ridge', 'y', options, 'predict') FROM unnest(ARRAY['{"gamma": 0.1}'::jsonb, '{"lambda": "cv", "gamma": [0.1, 1], "intercept": true, "standardize": true}']) AS options;
SELECT ok(bool_and(pg_temp.near(predict(k, f), predict(r, f), 1e-9)), 'kernel ridge with a linear kernel is ridge regression')
FROM pg_temp.fit('kernel_ridge(y, f, ''{"kernel": "linear", "standardize": true, "intercept": true, "lambda": 3}''::jsonb)') AS k,
     pg_temp.fit('ridge_regression(y, f, 3, ''{"standardize": true}''::jsonb)') AS r, rows, LATERAL (SELECT a, b) AS f;
SELECT ok(bool_and(abs(predict(large, f) - mean) < 1e-6), 'a large penalty leaves the mean'), ok(bool_and(abs(predict(small, f) - y) < 1e-4), 'a small penalty meets the rows')
FROM pg_temp.fit('kernel_ridge(y, f, ''{"gamma": 50, "intercept": true, "lambda": 1e12}''::jsonb)') AS large,
     pg_temp.fit('kernel_ridge(y, f, ''{"gamma": 50, "intercept": true, "lambda": 1e-9}''::jsonb)') AS small, (SELECT avg(y) AS mean FROM rows) AS t, rows, LATERAL (SELECT a, b) AS f;
SELECT ok(bool_and(pg_temp.near(0.5 * multiplier, y - predict(m, f), 1e-8)), 'residuals are lambda times the multipliers')
FROM (SELECT kernel_ridge(y, (a, b), '{"gamma": 0.1, "lambda": 0.5}'::jsonb ORDER BY id) AS m FROM rows) AS t, unnest(parameter(m, 'multipliers')) WITH ORDINALITY AS u(multiplier, n)
     JOIN rows ON id = n, LATERAL (SELECT a, b) AS f;
SELECT ok(bool_and(pg_temp.near(predict(weighted, f), predict(r, f), 1e-9)), 'weights of kernel ridge are repeated rows')
FROM pg_temp.fit('kernel_ridge(y, f, ''{"gamma": 0.1}''::jsonb, w)') AS weighted, (SELECT kernel_ridge(y, f, '{"gamma": 0.1}'::jsonb) AS r FROM rows, generate_series(1, w), LATERAL (SELECT a, b) AS f) AS r, rows,
     LATERAL (SELECT a, b) AS f;

SELECT * FROM finish();
ROLLBACK;
