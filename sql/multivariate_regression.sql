-- An array of targets: one equation for each from one factor of the features, the same as one regression per target.
SET search_path = public, test, pgfit;
CREATE TABLE cars AS
SELECT i AS id, i % 3 AS g, 10 * sin(i) + 1e6 AS a, cos(i * i) AS b, (ARRAY['x', 'y', 'z'])[i % 3 + 1] AS c, 1 + i % 4 AS w,
       3 * sin(i) + i % 7 AS y, i % 3 + cos(i * 1.7) AS z, ARRAY[3 * sin(i) + i % 7, i % 3 + cos(i * 1.7)] AS pair
FROM generate_series(1, 200) AS i;
-- each equation, with its tests, against a regression of its target
CREATE FUNCTION test.differs(m model, target text, alone model) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM (SELECT * FROM coefficients(m) WHERE class = target) AS x FULL JOIN coefficients(alone) AS o USING (term)
    WHERE NOT coalesce(near(x.estimate, o.estimate, 1e-9) AND near(x.std_error, o.std_error, 1e-9) AND near(x.p_value, o.p_value, 1e-7)
                       AND near(x.conf_low, o.conf_low, 1e-7), x.estimate IS NULL AND o.estimate IS NULL AND x.class IS NOT NULL AND o.term IS NOT NULL)
$$;
SELECT options, differs(m, 'target[1]', f.y), differs(m, 'target[2]', f.z), near_all(transform(m, r), ARRAY[predict(f.y, r), predict(f.z, r)], 1e-9) AS same, differs(m, 'target[1]', f.z) > 0 AS told_apart
FROM unnest(ARRAY['a + b', 'a + b + c', 'a * c + poly(b, 2)', '0 + b + c', 'a + b + a:b + log(a)']) AS options,
     LATERAL (SELECT linear_regression(ARRAY[y, z], d, options) AS m, linear_regression(y, d, options) AS y, linear_regression(z, d, options) AS z FROM cars AS d) AS f,
     (SELECT * FROM cars WHERE id = 7) AS r;
SELECT options, differs(m, 'target[1]', y) + differs(m, 'target[2]', z) AS differ
FROM unnest(ARRAY['{"formula": "a + c"}'::jsonb, '{"formula": "a + c", "weight_kind": "frequency", "level": 0.8}', '{"formula": "a + b", "nulls": "impute"}']) AS options,
     LATERAL (SELECT linear_regression(ARRAY[y, z], d, options, w) AS m, linear_regression(y, d, options, w) AS y, linear_regression(z, d, options, w) AS z
              FROM (SELECT id, a, CASE WHEN id % 9 > 0 THEN b END AS b, c, w, y, z FROM cars) AS d) AS f;
-- a column of arrays of any numeric type, the name of the method, the names of the targets, one target alone
SELECT x = m AS column_of_arrays, same_fit(x, n) AS other_types FROM (SELECT linear_regression(pair, (a, b)) AS x, linear_regression(ARRAY[y, z], (a, b)) AS m,
    multivariate_regression(ARRAY[y::numeric, z::numeric], (a, b)) AS n FROM cars) AS f;
SELECT class, term, round(estimate::numeric, 4) AS estimate FROM (SELECT multivariate_regression(ARRAY[y, z], d, '{"formula": "b", "targets": ["speed", "dist"]}') AS m FROM cars AS d) AS f, coefficients(m);
SELECT class, term, round(estimate::numeric, 4) AS estimate FROM (SELECT fit('linear_regression', 'SELECT * FROM cars', 'pair ~ b') AS m) AS f, coefficients(m);
SELECT same_fit(m, s) AND same_fit(m, o) AS alone, output_names(m), info(m) ->> 'estimator' AS estimator
FROM (SELECT multivariate_regression(y, (a, b)) AS m, linear_regression(y, (a, b)) AS s, linear_regression(ARRAY[y], (a, b)) AS o FROM cars) AS f;
SELECT moments(ARRAY[y], (a, b), o) = moments(y, (a, b), o) AS folds, linear_regression(ARRAY[y], d, robust) = linear_regression(y, d, robust) AS clusters
FROM cars AS d, (VALUES ('{"folds": 3}'::jsonb, '{"formula": "a + b", "vcov": "CR1", "cluster": "g"}'::jsonb)) AS v (o, robust) GROUP BY o, robust;
-- reports
CREATE TABLE fitted AS SELECT linear_regression(ARRAY[y, z], d, 'b + c') AS m FROM cars AS d;
SELECT summary(m) FROM fitted;
SELECT output_names(m), info(m) -> 'statistics' ? 'r_squared' AS r_squared, jsonb_array_length(info(m) -> 'statistics' -> 'sigma') AS sigmas FROM fitted;
SELECT term, class, round(contribution::numeric, 4) AS contribution FROM fitted, explain(m, ROW(0.5, 'y')::record) ORDER BY class, term;
SELECT bool_and(near_all(transform(m, d), computed)) AS to_sql FROM fitted, cars AS d,
    LATERAL (SELECT test.try(format('SELECT %s FROM cars WHERE id = %s', to_sql(m), d.id)) AS text) AS t, LATERAL (SELECT replace(text, 'ok: ', '')::float8[] AS computed) AS n;
-- sums of products of residuals
SELECT near_all(parameter(m, 'residual_products'), ARRAY[sum(u * u), sum(u * v), sum(u * v), sum(v * v)], 1e-9) AS products
FROM fitted, cars AS d, LATERAL (SELECT transform(m, d) AS p) AS t, LATERAL (SELECT y - p[1] AS u, z - p[2] AS v) AS r GROUP BY m;
-- groups, windows, stored moments, parts
SELECT g, differs(m, 'target[2]', z) AS differ FROM (SELECT g, linear_regression(ARRAY[y, z], (a, b)) AS m, linear_regression(z, (a, b)) AS z FROM cars GROUP BY g) AS f ORDER BY g;
SELECT bool_and(near_all(transform(m, (a, b)), ARRAY[predict(y, (a, b)), predict(z, (a, b))], 1e-7)) AS windows
FROM (SELECT id, a, b, linear_regression(ARRAY[y, z], (a, b)) OVER w AS m, linear_regression(y, (a, b)) OVER w AS y, linear_regression(z, (a, b)) OVER w AS z
      FROM cars WINDOW w AS (ORDER BY id ROWS 20 PRECEDING)) AS f WHERE id > 5;
SELECT same_fit(whole, parts) AND same_fit(whole, kept) AS merged
FROM (SELECT linear_regression(ARRAY[y, z], (a, c)) AS whole FROM cars) AS w,
     (SELECT fit('linear_regression', merge(m)) AS parts, fit('multivariate_regression', merge(m::text::model)) AS kept FROM (SELECT moments(ARRAY[y, z], (a, c)) AS m FROM cars GROUP BY g) AS p) AS f;
SELECT m = m::text::model AND m = m::jsonb::model AS round_trip FROM fitted;
-- rows that are skipped
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped FROM (SELECT linear_regression(t, (a, b)) AS m
    FROM (SELECT a, b, pair FROM cars UNION ALL VALUES (1, 2, NULL), (1, 2, ARRAY[1, NULL]), (NULL, 2, ARRAY[1, 2])) AS r (a, b, t)) AS f;
SELECT linear_regression(ARRAY[y, z], (a, b)) IS NULL AS no_rows FROM cars WHERE false;
-- what does not go
SELECT try(format('SELECT %s FROM cars AS d', call)) FROM unnest(ARRAY[
    'linear_regression(CASE WHEN id < 5 THEN pair ELSE ARRAY[y] END, (a, b))', 'linear_regression(pair[5:6], (a, b))', 'linear_regression(pair, d, ''1'')', 'linear_regression(ARRAY[pair, pair], (a, b))',
    'linear_regression(ARRAY[y, ''NaN''], (a, b))', 'linear_regression(ARRAY[c, c], (a, b))', 'linear_regression(ARRAY[y, z * 1e200], (a, b))',
    'linear_regression(ARRAY[y, z], d, ''{"formula": "a", "vcov": "HC1"}'')', 'linear_regression(ARRAY[y, z], d, ''{"formula": "a", "absorb": "c"}'')',
    'linear_regression(ARRAY[y, z], d, ''a + offset(b)'')', 'multivariate_regression(pair, d, ''{"formula": "a", "targets": ["y"]}'')', 'multivariate_regression(pair, d, ''{"formula": "a", "targets": ["y", "y"]}'')',
    'ridge_regression(pair, (a, b), 1)', 'knn_regression(pair, (a, b), 1)', 'moments(pair, (a, b), ''{"folds": 3}'')', 'fit(''ridge_regression'', moments(pair, (a, b)))',
    'fit(''total_least_squares'', moments(pair, (a, b)))', 'linear_regression(pair, (a, b)) FILTER (WHERE id < 3)',
    'linear_regression(pair, (a, b), ''{"too_few_rows": "null"}'') FILTER (WHERE id < 3)', 'merge(m) FROM (SELECT moments(pair, b) AS m FROM cars UNION ALL SELECT moments(y, b) FROM cars) AS p --']) AS call;
SELECT try(format('SELECT %s FROM fitted, cars AS d', call)) FROM unnest(ARRAY['predict(m, d)', 'predict_interval(m, d)', 'classify(m, d)', 'decisions(m, d)', 'ensemble(m, m)']) AS call;
SELECT try($$SELECT evaluate('linear_regression', 'SELECT * FROM cars', 'pair ~ a')$$);
SELECT try($$SELECT train('several', 'linear_regression', 'SELECT * FROM cars', 'pair ~ a')$$);
-- exact fits, constant targets, collinear features, far and tiny numbers
SELECT round(coalesce(std_error, -1)::numeric, 9) AS std_error, class, term, round(estimate::numeric, 6) AS estimate
FROM (SELECT linear_regression(ARRAY[2 * b + 1, 5], ARRAY[b]) AS m FROM cars) AS f, coefficients(m);
SELECT count(*) FILTER (WHERE estimate IS NULL) AS dropped, count(*) FROM (SELECT linear_regression(ARRAY[y, z], (b, 2 * b, 1)) AS m FROM cars) AS f, coefficients(m);
SELECT near_all(estimates(m), ARRAY[e[1] * 1e150, e[2], e[3] * 1e-150, e[4] * 1e-300], 1e-9) AS scaled FROM
    (SELECT linear_regression(ARRAY[y * 1e150, z * 1e-150], ARRAY[b * 1e150]) AS m, array_cat(estimates(linear_regression(y, ARRAY[b])), estimates(linear_regression(z, ARRAY[b]))) AS e FROM cars) AS f;
-- edited models are refused
SELECT edit, try(format('SELECT transform(%L::model, ROW(1.0, ''x''))', jsonb_set(m::jsonb, place::text[], value::jsonb)))
FROM fitted, (VALUES ('product', '{arrays,residual_products,f64,0}', '-1'), ('products', '{arrays,residual_products}', '[1]'), ('total', '{arrays,total_products,0}', '-1'),
                     ('totals', '{arrays,total_products}', '[1]'), ('coef', '{arrays,coef,f64,0}', '7')) AS e (edit, place, value);
SELECT edit, try(format('SELECT fit(''linear_regression'', %L::model) IS NOT NULL', jsonb_set(m::jsonb, place::text[], value::jsonb)))
FROM (SELECT moments(pair, b) AS m FROM cars) AS f, (VALUES ('more', '{arrays,targets,i64,0}', '2'), ('none', '{arrays,targets,i64,0}', '0'), ('huge', '{arrays,targets,i64,0}', '4294967296'),
     ('order', '{arrays,column_slot,i64,1}', '-2'), ('features', '{arrays,column_slot,i64,2}', '0')) AS e (edit, place, value);
-- the names are the model's own, whatever its options say
SELECT output_names(jsonb_set(m::jsonb, '{options}', '{"nobody": 1}')::model) FROM (SELECT multivariate_regression(ARRAY[y, z], d, '{"formula": "b", "targets": ["speed", "dist"]}') AS m FROM cars AS d) AS f;
DROP FUNCTION test.differs;
DROP TABLE cars, fitted;
