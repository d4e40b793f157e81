-- lasso and elastic net: forms, options, paths, errors
CREATE TEMP TABLE people(height float8, weight float8);
INSERT INTO people SELECT * FROM unnest('{160,165,170,172,178,180,183,188,192,200}'::float8[],
                                        '{57,62,66,70,74,71,80,79,88,91}'::float8[]);
CREATE TEMP TABLE sample AS
SELECT i AS id, i % 4 AS g, x1, x2, x3, x4, CASE WHEN i % 3 = 0 THEN 'red' WHEN i % 3 = 1 THEN 'green' ELSE 'blue' END AS color,
       5 + 3 * x1 - 2 * x2 + (i % 3) + sin(i * 7.0) AS y
FROM generate_series(1, 400) AS i,
     LATERAL (SELECT sin(i * 1.0) AS x1, cos(i * 2.0) AS x2, sin(i * 3.0) AS x3, cos(i * 5.0) AS x4) AS f;
-- a fit from one value of stored moments
CREATE FUNCTION pg_temp.lasso(e pgfit.model, lambda float8) RETURNS pgfit.model LANGUAGE sql AS
$$ SELECT pgfit.fit('lasso_regression', pgfit.merge(q.e), jsonb_build_object('lambda', lambda)) FROM (SELECT e) q $$;

-- every form
SELECT round(estimate::numeric, 6) FROM pgfit.coefficients((SELECT pgfit.lasso_regression(weight, height, 10) FROM people));
SELECT test.same_fit(pgfit.lasso_regression(weight, height, 10), pgfit.lasso_regression(weight, height, '{"lambda": 10}'::jsonb)),
       test.same_fit(pgfit.lasso_regression(weight, height, 10), pgfit.lasso_regression(weight, height, 10, '{}')),
       test.same_fit(pgfit.lasso_regression(weight, height, 10), pgfit.lasso_regression(weight, height, 10, '{}', 1)),
       test.same_fit(pgfit.lasso_regression(weight, height, 10), pgfit.lasso_regression(weight, height, '{"lambda": 10}'::jsonb, 1)),
       test.same_fit(pgfit.lasso_regression(weight, height, 10), pgfit.elastic_net(weight, height, 10, 1)),
       test.same_fit(pgfit.elastic_net(weight, height, 10, 0.5), pgfit.elastic_net(weight, height, '{"lambda": 10}'::jsonb)),
       test.same_fit(pgfit.ridge_regression(weight, height, 10), pgfit.elastic_net(weight, height, 10, 0)),
       test.same_fit(pgfit.linear_regression(weight, height), pgfit.lasso_regression(weight, height, 0))
FROM people;
SELECT test.same_fit(pg_temp.lasso(e, 10), m) AS from_moments
FROM (SELECT pgfit.moments(weight, height) AS e, pgfit.lasso_regression(weight, height, 10) AS m FROM people) s;

-- no tests under a penalty, terms with coefficient 0 are listed, and the mean loss has another scale of lambda
SELECT term, round(estimate::numeric, 4) AS estimate, std_error, p_value
FROM pgfit.coefficients((SELECT pgfit.lasso_regression(y, f, 300) FROM sample, LATERAL (SELECT x1, x2, x3, x4, color) f));
SELECT test.same_fit(pgfit.lasso_regression(y, f, 300), pgfit.lasso_regression(y, f, 300 / 400.0, '{"reduction": "mean"}'), 1e-9)
FROM sample, LATERAL (SELECT x1, x2, x3, x4, color) f;
SELECT pgfit.summary(pgfit.lasso_regression(round(y::numeric, 3), f, 300)) FROM sample, LATERAL (SELECT x1, x2, x3) f;

-- standardize is a fit on standardized features
WITH s AS (SELECT avg(x1) AS a, stddev_pop(x1) AS d FROM sample)
SELECT test.near(b.estimate, c.estimate / d, 1e-9)
FROM s, pgfit.coefficients((SELECT pgfit.lasso_regression(y, f, 50, '{"standardize": true}') FROM sample, LATERAL (SELECT x1) f)) b,
     pgfit.coefficients((SELECT pgfit.lasso_regression(y, f, 50) FROM sample, s, LATERAL (SELECT (x1 - a) / d AS x1) f)) c
WHERE b.term = 'x1' AND c.term = 'x1';

-- weights are repeated rows; groups, parallel plans and windows
SELECT test.near_all(test.estimates(a.m), test.estimates(b.m), 1e-9)
FROM (SELECT pgfit.lasso_regression(y, ARRAY[x1, x2], 30, '{"weight_kind": "frequency"}', 1 + id % 3) AS m FROM sample) a,
     (SELECT pgfit.lasso_regression(y, ARRAY[x1, x2], 30, '{"weight_kind": "frequency"}', 1) AS m FROM sample, generate_series(1, 1 + id % 3)) b;
SELECT g, test.same_fit(pgfit.elastic_net(y, f, 5, 0.5), pgfit.elastic_net(y, f, '{"lambda": 5, "alpha": 0.5}'::jsonb), 1e-9)
FROM sample, LATERAL (SELECT x1, x2, color) f GROUP BY g ORDER BY g;
SELECT bool_and(test.near_all(test.estimates(w), test.estimates(again), 1e-7))
FROM (SELECT id, pgfit.lasso_regression(y, ARRAY[x1, x2, x3], 5) OVER (ORDER BY id ROWS 50 PRECEDING) AS w FROM sample) a
JOIN LATERAL (SELECT pgfit.lasso_regression(s.y, ARRAY[s.x1, s.x2, s.x3], 5) AS again FROM sample s WHERE s.id BETWEEN a.id - 50 AND a.id) b ON true
WHERE id % 40 = 0;

-- scores: what the SQL expression gives
CREATE TEMP TABLE net AS SELECT pgfit.elastic_net(y, f, 20, 0.7) AS m FROM sample, LATERAL (SELECT x1, x2, x3, color) f;
DO $$
DECLARE
    same boolean;
BEGIN
    EXECUTE 'SELECT bool_and(test.near(pgfit.predict(m, f), ' || (SELECT pgfit.to_sql(m) FROM net) ||
        ')) FROM net, (SELECT x1, x2, x3, color FROM sample) f' INTO same;
    RAISE INFO 'expression and score agree: %', same;
END
$$;
SELECT lower IS NULL AND upper IS NULL AND fit IS NOT NULL FROM net, pgfit.predict_interval(m, (0.1, 0.2, 0.3, 'red'::text), 0.9);
SELECT m::text::pgfit.model OPERATOR(pgfit.=) m AND m::jsonb::pgfit.model OPERATOR(pgfit.=) m FROM net;

-- paths
CREATE TEMP TABLE path AS
SELECT pgfit.lasso_regression(y, f, '{"lambda": "path", "path": 20}'::jsonb) AS m, pgfit.moments(y, f) AS e
FROM sample, LATERAL (SELECT x1, x2, x3, x4, color) f;
SELECT count(*), min(lambda) = (SELECT min(lambda) FROM pgfit.lambda_path(m) WHERE chosen) AS least_chosen,
       test.near(max(lambda), 1000 * min(lambda)) AS ratio, min(nonzero), max(nonzero), count(mean_error), count(criterion)
FROM path, pgfit.lambda_path(m) GROUP BY m;
SELECT bool_and(test.near_all(estimates, test.estimates(pg_temp.lasso(e, lambda)), 1e-6)) AS path_is_its_fits
FROM (SELECT e, lambda, array_agg(estimate ORDER BY n) AS estimates FROM path, pgfit.coefficient_path(m) WITH ORDINALITY AS c(lambda, term, estimate, class, n) GROUP BY lambda, e) p;
SELECT bool_and(test.same_fit(pgfit.at_lambda(m, lambda), pg_temp.lasso(e, lambda), 1e-6)) AS at_lambda_is_its_fit,
       bool_and(pgfit.at_lambda(m, lambda)::text::pgfit.model OPERATOR(pgfit.=) pgfit.at_lambda(m, lambda)) AS round_trip
FROM path, pgfit.lambda_path(m);
SELECT bool_and(test.near(pgfit.predict(pgfit.at_lambda(m, lambda), f), pgfit.predict(pg_temp.lasso(e, lambda), f), 1e-6)) AS scores_too
FROM path, pgfit.lambda_path(m), sample, LATERAL (SELECT x1, x2, x3, x4, color) f WHERE id <= 3;
SELECT array_agg(key ORDER BY key) FROM path, jsonb_object_keys(pgfit.info(pgfit.at_lambda(m, (SELECT max(lambda) FROM pgfit.lambda_path(m)))) -> 'options') AS key;
SELECT pgfit.info(pgfit.fit('lasso_regression', pgfit.merge(e), '{"lambda": [1, 30, 3], "select": "bic"}'::jsonb)) -> 'statistics' -> 'lambda' AS by_bic,
       pgfit.info(pgfit.fit('lasso_regression', pgfit.merge(e), '{"lambda": 7, "path": 5}')) -> 'statistics' -> 'lambda' AS beside,
       (SELECT count(*) FROM path, pgfit.lambda_path(pg_temp.lasso(e, 7))) AS alone
FROM path;

-- errors
SELECT test.try('SELECT pgfit.lasso_regression(weight, height, -1) FROM people');
SELECT test.try('SELECT pgfit.elastic_net(weight, height, 1, 1.5) FROM people');
SELECT test.try('SELECT pgfit.elastic_net(weight, height, 1, -0.5) FROM people');
SELECT test.try($$SELECT pgfit.lasso_regression(weight, height, '{"lambda": "best"}'::jsonb) FROM people$$);
SELECT test.try($$SELECT pgfit.lasso_regression(weight, height, 1, '{"lambda": 2}') FROM people$$);
SELECT test.try($$SELECT pgfit.lasso_regression(weight, height, '{"lambda": [1, 2], "path": 3}'::jsonb) FROM people$$);
SELECT test.try($$SELECT pgfit.lasso_regression(weight, height, 1, '{"select": "bic"}') FROM people$$);
SELECT test.try($$SELECT pgfit.ridge_regression(weight, height, '{"lambda": "gcv", "select": "aic"}'::jsonb) FROM people$$);
SELECT test.try('SELECT pgfit.at_lambda(m, 1) FROM net');
SELECT test.try('SELECT count(*) FROM (SELECT pgfit.coefficient_path(m) FROM net) s');
SELECT regexp_replace(test.try('SELECT pgfit.at_lambda(m, 1e6) FROM path'), '[0-9.]{6,}', 'N', 'g');
SELECT test.try('SELECT pgfit.at_lambda(pgfit.linear_regression(weight, height), 1) FROM people');
SELECT test.try('SELECT pgfit.at_lambda(pgfit.moments(weight, height), 1) FROM people');
SELECT pgfit.lasso_regression(NULL::float8, height, 1) IS NULL AS no_rows FROM people;
-- a target that leaves no residuals: criteria are finite, and the model reads back
SELECT rule, bool_and(m::text::pgfit.model::text = m::text) AS again FROM unnest(ARRAY['aic', 'bic']) AS rule, LATERAL (SELECT pgfit.lasso_regression(7, ARRAY[i], jsonb_build_object('lambda', ARRAY[0, 1, 2], 'select', rule)) AS m FROM generate_series(1, 20) AS i) f GROUP BY rule ORDER BY rule;
-- errors of folds whose squares are out of range had a standard error of infinity or 0, by which rule 1se chose
SELECT unit, bool_and(test.near(std_error / mean_error, (SELECT stddev_samp(e / mean_error) / sqrt(count(*)) FROM unnest(fold_errors) AS e))) AS by_hand
FROM unnest(ARRAY[1e90, 1, 1e-90]::float8[]) AS unit, LATERAL (SELECT pgfit.lasso_regression(unit * (x + sin(i * 7)), ARRAY[x, cos(i * 3)], '{"lambda": "cv", "select": "1se"}') AS m FROM generate_series(1, 30) AS i, LATERAL (SELECT sin(i)) AS t(x)) AS t, pgfit.lambda_path(m) GROUP BY unit ORDER BY unit;
-- the degrees of freedom of an elastic net are the trace of the hat matrix of the columns with coefficients, with the share of the squared penalty on its diagonal
SELECT test.near((m::jsonb #>> '{facts,df_model}')::float8, 2 - l * (p + q + 2 * l) / ((p + l) * (q + l) - r * r)) AS trace, (pgfit.parameter(m, 'coef'))[3] = 0 AS left_out
FROM (SELECT pgfit.elastic_net(i % 13 + 3 * (i % 3) + i * i % 3, f, 90, 0.4, '{"formula": "a + b + d"}') AS m, 90 * 0.6 AS l, regr_sxx(a, a) AS p, regr_sxx(b, b) AS q, regr_sxy(a, b) AS r
      FROM generate_series(1, 60) AS i, LATERAL (SELECT i % 13 AS a, i % 13 + i * 5 % 7 AS b, i * i % 11 AS d) AS f) AS s;
