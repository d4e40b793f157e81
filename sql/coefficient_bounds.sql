-- bounds for coefficients: options lower and upper of linear_regression, ridge_regression, lasso_regression and elastic_net
CREATE TABLE bounded_rows AS
SELECT i AS id, i % 4 AS g, sin(i * 1.0) * 3 AS a, cos(i * 2.0) * 2 + 1 AS b, sin(i * 5.0) + cos(i) AS c, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS level,
       2 + sin(i * 1.0) * 3 - 2 * (cos(i * 2.0) * 2 + 1) + (i % 3) * 0.5 + sin(i * i * 1.0) AS y
FROM generate_series(1, 200) AS i;

-- the coefficients that a bound holds have it exactly; without errors, because the usual ones assume that no bound holds
SELECT term, round(estimate::numeric, 6) AS estimate, std_error, p_value, conf_low FROM (SELECT pgfit.linear_regression(y, r, '{"formula": "a + b + c + level", "lower": 0}') AS m FROM bounded_rows AS r) AS f, pgfit.coefficients(m);
SELECT term, round(estimate::numeric, 6) AS estimate FROM (SELECT pgfit.linear_regression(y, r, '{"formula": "a + b + c + level", "lower": {"b": -1.5}, "upper": {"a": 0.25, "level=z": 0.5}}') AS m FROM bounded_rows AS r) AS f, pgfit.coefficients(m);
SELECT pgfit.summary(pgfit.linear_regression(y, r, '{"formula": "a + b", "lower": 0}')) FROM bounded_rows AS r;
-- bounds that hold nothing: the fit without them
SELECT method, test.near_all(test.estimates(m), test.estimates(plain), 1e-9) AS same
FROM (VALUES ('linear_regression', '{}'::jsonb), ('ridge_regression', '{"lambda": 20}'), ('lasso_regression', '{"lambda": 20, "tolerance": 1e-14}'), ('elastic_net', '{"lambda": 20, "alpha": 0.3, "standardize": true, "tolerance": 1e-14}')) AS v(method, options),
LATERAL (SELECT pgfit.fit(method, pgfit.moments(y, r, 'a + b + c + level'), options || '{"lower": -100, "upper": {"a": 100}}') AS m, pgfit.fit(method, pgfit.moments(y, r, 'a + b + c + level'), options) AS plain FROM bounded_rows AS r) AS f;
-- a term held at a number is one that the target does not have
SELECT test.near_all((test.estimates(m))[1:2], test.estimates(o), 1e-10) AS held
FROM (SELECT pgfit.linear_regression(y, r, '{"formula": "a + b", "lower": {"b": 0.75}, "upper": {"b": 0.75}}') AS m, pgfit.linear_regression(y - 0.75 * b, r, 'a') AS o FROM bounded_rows AS r) AS f;
-- conditions of the optimum: the derivative by a coefficient is 0, or points out at its bound
SELECT method, bool_and(CASE WHEN estimate = 0 THEN slope < 1e-9 WHEN estimate = 1.5 THEN slope > -1e-9 ELSE abs(slope) < 1e-9 END) AS optimal, count(*) FILTER (WHERE estimate IN (0, 1.5)) AS held
FROM (VALUES ('linear_regression', '{}'::jsonb, 0, 0), ('ridge_regression', '{"lambda": 20}', 0, 20), ('lasso_regression', '{"lambda": 20}', 20, 0), ('elastic_net', '{"lambda": 20, "alpha": 0.25}', 5, 15)) AS v(method, options, l1, l2),
LATERAL (SELECT pgfit.fit(method, pgfit.moments(y, r, '{"formula": "a + b + c + I(a * c)"}'), options || '{"lower": 0, "upper": 1.5}') AS m FROM bounded_rows AS r) AS f, pgfit.coefficients(m) AS k,
LATERAL (SELECT sum((y - pgfit.predict(m, r)) * CASE k.term WHEN 'a' THEN a WHEN 'b' THEN b WHEN 'c' THEN c ELSE a * c END) - l1 / 2.0 - l2 * estimate AS slope FROM bounded_rows AS r) AS s
WHERE term <> '(intercept)' GROUP BY method ORDER BY method;
-- paths, cross-validation, criteria and budgets; groups, windows, merging
SELECT lambda, round((SELECT min(e) FROM unnest((test.estimates(pgfit.at_lambda(m, lambda)))[2:]) AS e)::numeric, 6) AS least
FROM (SELECT pgfit.lasso_regression(y, r, '{"formula": "a + b + c", "lambda": [1, 10, 100], "lower": 0}') AS m FROM bounded_rows AS r) AS f, unnest(ARRAY[1, 10, 100.0]) AS lambda;
SELECT options, (pgfit.info(m) #>> '{statistics,lambda}')::float8 > 0 AS chosen, (SELECT bool_and(e >= 0) FROM unnest((test.estimates(m))[2:]) AS e) AS bounded
FROM (SELECT options, pgfit.ridge_regression(y, r, '{"formula": "a + b + c + level", "lower": 0}'::jsonb || options) AS m
      FROM bounded_rows AS r, unnest('{"{\"lambda\": \"cv\"}","{\"lambda\": \"gcv\"}","{\"lambda\": \"path\", \"select\": \"bic\"}","{\"penalty_budget\": 0.2}"}'::jsonb[]) AS options GROUP BY options) AS f ORDER BY options::text;
SELECT test.same_fit(pgfit.fit('linear_regression', pgfit.merge(e), '{"lower": 0}'), (SELECT pgfit.linear_regression(y, f, '{"lower": 0}') FROM bounded_rows, LATERAL (SELECT a, b, c) f), 1e-9) AS merged
FROM (SELECT pgfit.moments(y, f) AS e FROM bounded_rows, LATERAL (SELECT a, b, c) f GROUP BY g) s;
SELECT count(*) AS fits, bool_and(e >= 0) AS bounded FROM (SELECT pgfit.linear_regression(y, ARRAY[a, b], '{"lower": 0}') OVER (ORDER BY id ROWS 9 PRECEDING) AS m FROM bounded_rows) AS f, unnest((test.estimates(m))[2:]) AS e;
SELECT round(e::numeric, 6) AS estimate FROM (SELECT pgfit.linear_regression(y, f, '{"lower": 0, "absorb": "level"}') AS m FROM bounded_rows, LATERAL (SELECT a, b, level) f) AS t, unnest(test.estimates(m)) AS e;
-- more terms than rows, terms that depend on each other, constants, huge bounds
SELECT count(*) AS terms, bool_and(estimate >= 0) AS bounded FROM (SELECT pgfit.linear_regression(y, (a, b, c, a * a, b * b, c * c, a * b), '{"lower": 0}') AS m FROM bounded_rows WHERE id < 5) AS f, pgfit.coefficients(m) WHERE term <> '(intercept)';
SELECT term, round(estimate::numeric, 6) AS estimate FROM (SELECT pgfit.linear_regression(y, r, '{"formula": "a + I(2 * a) + I(0 * a)", "lower": {"I(2 * a)": 0}, "upper": {"a": 0.5}}') AS m FROM bounded_rows AS r) AS f, pgfit.coefficients(m);
SELECT term, estimate FROM (SELECT pgfit.linear_regression(7, r, '{"formula": "a + b", "lower": 0}') AS m FROM bounded_rows AS r) AS f, pgfit.coefficients(m);
SELECT term, estimate FROM (SELECT pgfit.linear_regression(7, r, '{"formula": "a + b", "lower": {"a": 1}}') AS m FROM bounded_rows AS r) AS f, pgfit.coefficients(m) WHERE term = 'a';
SELECT test.near((test.estimates(m))[2], 1e100, 0) AS huge FROM (SELECT pgfit.linear_regression(y, r, '{"formula": "a", "lower": 1e100}') AS m FROM bounded_rows AS r) AS f;
SELECT test.try($$SELECT pgfit.linear_regression(y, r, '{"formula": "a", "lower": 1e300}') FROM bounded_rows AS r$$) ~ 'range of double precision' AS too_huge;
SELECT test.near((test.estimates(m))[2], 1e-200, 0) AS tiny FROM (SELECT pgfit.linear_regression(y * 1e-150, r, '{"formula": "a", "upper": 1e-200}') AS m FROM bounded_rows AS r) AS f;
SELECT term, estimate FROM (SELECT pgfit.linear_regression(y * 1e-200, r, '{"formula": "I(a * 1e150)", "lower": 0, "upper": 1e-300}') AS m FROM bounded_rows AS r) AS f, pgfit.coefficients(m) WHERE term <> '(intercept)';
-- a constant term that may not be 0: the intercept makes up for it
SELECT method, array_agg(round(estimate::numeric, 6) ORDER BY term) AS estimates
FROM unnest('{linear_regression,ridge_regression,lasso_regression}'::text[]) AS method, LATERAL (SELECT pgfit.fit(method, pgfit.moments(y, r, 'b + I(0 * a + 3)'), '{"lower": {"I(0 * a + 3)": 2}}') AS m FROM bounded_rows AS r) AS f, pgfit.coefficients(m) GROUP BY method ORDER BY method;
-- refusals
SELECT test.try($$SELECT pgfit.linear_regression(y, r, '{"formula": "a + b", "lower": {"A": 0}}') FROM bounded_rows AS r$$);
SELECT test.try($$SELECT pgfit.linear_regression(y, r, '{"formula": "a + b", "lower": {"(intercept)": 0}}') FROM bounded_rows AS r$$);
SELECT test.try($$SELECT pgfit.lasso_regression(y, r, '{"formula": "a + level", "lower": {"level=none": 0}}') IS NOT NULL FROM bounded_rows AS r$$) AS a_level_that_these_rows_lack;
SELECT test.try($$SELECT pgfit.linear_regression(y, r, '{"formula": "a + b", "lower": 1, "upper": {"b": 0.5}}') FROM bounded_rows AS r$$);
SELECT test.try($$SELECT pgfit.linear_regression(y, r, '{"formula": "a + b", "lower": "none"}') FROM bounded_rows AS r$$);
SELECT test.try($$SELECT pgfit.linear_regression(y, r, '{"formula": "a + b", "lower": 0, "vcov": "HC1"}') FROM bounded_rows AS r$$);
SELECT test.try($$SELECT pgfit.linear_regression(y, r, '{"formula": "a + b", "lower": 0, "decompose": true}') FROM bounded_rows AS r$$);
SELECT test.try($$SELECT pgfit.ridge_regression(y, r, '{"formula": "a + b", "lower": 0, "lambda": "loo"}') FROM bounded_rows AS r$$);
SELECT test.try($$SELECT pgfit.ridge_regression(y, r, '{"formula": "a + b", "lower": 0, "penalize_intercept": true}') FROM bounded_rows AS r$$);
DROP TABLE bounded_rows;
