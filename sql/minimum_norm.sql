-- least squares of minimum norm: option solution of linear_regression
CREATE TABLE wide AS SELECT i AS id, i % 2 AS g, 1 + i % 3 AS w, sin(i * 1.0) AS a, cos(i * 2.0) AS b, sin(i * 5.0) + 1 AS c, cos(i * 7.0) * i AS d, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS level, sin(i * i * 1.0) AS y
FROM generate_series(1, 40) AS i;

SELECT pgfit.summary(pgfit.linear_regression(y, f, '{"solution": "minimum_norm"}')) FROM wide AS t, LATERAL (SELECT a, b, c, d, level) AS f WHERE id <= 3;
-- it passes through all rows, and is what ridge regression comes to
SELECT bool_and(test.near(pgfit.predict(m, t), y, 1e-12)) AS meets_rows, test.near_all(test.estimates(m), (SELECT test.estimates(pgfit.ridge_regression(y, s, 1e-11, 'a + b + c + d + level')) FROM wide AS s WHERE id <= 3), 1e-8) AS ridge
FROM (SELECT pgfit.linear_regression(y, s, '{"formula": "a + b + c + d + level", "solution": "minimum_norm"}') AS m FROM wide AS s WHERE id <= 3) AS f, wide AS t WHERE id <= 3 GROUP BY m;
-- dependent terms share the weight; constant ones have none; nothing is dropped
SELECT term, round(estimate::numeric, 6) AS estimate, std_error FROM (SELECT pgfit.linear_regression(y, s, '{"formula": "a + I(2 * a) + b + I(0 * b)", "solution": "minimum_norm"}') AS m FROM wide AS s) AS f, pgfit.coefficients(m);
-- without dependent terms it is least squares
SELECT test.same_fit(pgfit.linear_regression(y, s, '{"formula": "a + b + level", "solution": "minimum_norm"}'::jsonb || o, w), pgfit.linear_regression(y, s, '{"formula": "a + b + level"}'::jsonb || o, w), 1e-10) AS least_squares
FROM wide AS s, unnest('{"{}","{\"intercept\": false}","{\"weight_kind\": \"frequency\"}"}'::jsonb[]) AS o GROUP BY o;
SELECT test.same_fit(pgfit.fit('linear_regression', pgfit.merge(e), '{"solution": "minimum_norm"}'), (SELECT pgfit.linear_regression(y, s, '{"formula": "a + b + I(a + b)", "solution": "minimum_norm"}') FROM wide AS s), 1e-10) AS merged
FROM (SELECT pgfit.moments(y, s, 'a + b + I(a + b)') AS e FROM wide AS s GROUP BY g) AS t;
SELECT count(*) AS fits FROM (SELECT pgfit.linear_regression(y, ARRAY[a, b, c], '{"solution": "minimum_norm"}') OVER (ORDER BY id ROWS 4 PRECEDING) AS m FROM wide) AS f WHERE m IS NOT NULL;
SELECT round(e::numeric, 6) AS estimate FROM (SELECT pgfit.linear_regression(y, f, '{"solution": "minimum_norm", "absorb": "level"}') AS m FROM wide, LATERAL (SELECT a, 2 * a AS a2, level) f) AS t, unnest(test.estimates(m)) AS e;
-- one row, equal targets, huge numbers
SELECT array_agg(estimate ORDER BY term) AS one_row FROM (SELECT pgfit.linear_regression(3, ROW(1.0, 2.0), '{"solution": "minimum_norm"}') AS m) AS f, pgfit.coefficients(m);
SELECT array_agg(round(estimate::numeric, 6) ORDER BY term) AS through_0 FROM (SELECT pgfit.linear_regression(5, ROW(1.0, 2.0), '{"solution": "minimum_norm", "intercept": false}') AS m) AS f, pgfit.coefficients(m);
SELECT test.near_all((test.estimates(pgfit.linear_regression(y * s, ROW(a * s, 3 * a * s), '{"solution": "minimum_norm"}')))[2:], (test.estimates(pgfit.linear_regression(y, ROW(a, 3 * a), '{"solution": "minimum_norm"}')))[2:], 1e-12) AS scaled
FROM wide, unnest('{1e-140,1e140}'::float8[]) AS s GROUP BY s;
-- refusals
SELECT test.try($$SELECT pgfit.linear_regression(y, a, '{"solution": "minimum_norm", "vcov": "HC1"}') FROM wide$$);
SELECT test.try($$SELECT pgfit.linear_regression(y, a, '{"solution": "minimum_norm", "lower": 0}') FROM wide$$);
SELECT test.try($$SELECT pgfit.linear_regression(y, a, '{"solution": "least"}') FROM wide$$);
DROP TABLE wide;
