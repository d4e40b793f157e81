-- Least squares at its edges: too few rows, dependent and constant terms, extreme values, wide rows.
SET search_path = public, test, pgfit;

-- as many rows as coefficients fit exactly, without tests; fewer are an error, or no model by option
SELECT round(predict(m, ARRAY[1, 2])::numeric, 6) AS fitted, (SELECT count(std_error) FROM coefficients(m)) AS std_errors
FROM (SELECT linear_regression(y, x) AS m FROM (VALUES (1.0, ARRAY[1, 2]), (2, ARRAY[2, 1]), (4, ARRAY[5, 3])) AS t(y, x)) f;
SELECT try($$SELECT linear_regression(y, x) FROM (VALUES (1.0, ARRAY[1, 2, 3]), (2, ARRAY[4, 5, 7])) AS t(y, x)$$);
SELECT linear_regression(y, x, '{"too_few_rows": "null"}') IS NULL AS no_model FROM (VALUES (1.0, ARRAY[1, 2, 3]), (2, ARRAY[4, 5, 7])) AS t(y, x);
SELECT g, linear_regression(y, x, '{"too_few_rows": "null"}') IS NULL AS no_model
FROM (SELECT i % 3 AS g, i * 2.0 AS y, i AS x FROM generate_series(1, 30) AS i UNION ALL SELECT 9, 1, 1) AS t GROUP BY g ORDER BY g;
SELECT try($$SELECT linear_regression(y, x, '{"too_few_rows": "skip"}') FROM (VALUES (1.0, 1)) AS t(y, x)$$);

-- standardize leaves the equation as it is, and gives the coefficients of variables that were standardized by hand
SELECT near_all(estimates(linear_regression(i * 2.0 + sin(i), i, '{"standardize": true}')), estimates(linear_regression(i * 2.0 + sin(i), i)), 1e-15) AS same FROM generate_series(1, 9) AS i;
CREATE TABLE units AS SELECT i * 2.0 + 9 * sin(i) AS y, 1000 * cos(i) + 7 AS a, sin(3 * i) / 50 AS b, i % 3 = 0 AS third, 1 + i % 2 AS w FROM generate_series(1, 30) AS i;
SELECT weighted, (SELECT bool_and(near(s.estimate, c.estimate, 1e-12) AND near(s.std_error, c.std_error, 1e-12) AND near(s.conf_low, c.conf_low, 1e-12) AND near(s.conf_high, c.conf_high, 1e-12))
                  FROM standardized_coefficients(m) AS s JOIN coefficients(by_hand) AS c USING (term)) AS same, (SELECT count(*) FROM standardized_coefficients(m)) AS terms
FROM unnest(ARRAY[false, true]) AS weighted,
     LATERAL (SELECT linear_regression(y, f, '{"standardize": true}', v) AS m FROM units, LATERAL (SELECT a, b, third) AS f, LATERAL (SELECT CASE WHEN weighted THEN w ELSE 1 END::float8 AS v) AS o) AS x,
     LATERAL (SELECT sum(v) AS n, sum(v * y) / sum(v) AS my, sum(v * a) / sum(v) AS ma, sum(v * b) / sum(v) AS mb, sum(v * third::int) / sum(v) AS mc FROM units, LATERAL (SELECT CASE WHEN weighted THEN w ELSE 1 END::float8 AS v) AS o) AS e,
     LATERAL (SELECT sqrt(sum(v * (y - my) ^ 2) / n) AS sy, sqrt(sum(v * (a - ma) ^ 2) / n) AS sa, sqrt(sum(v * (b - mb) ^ 2) / n) AS sb, sqrt(sum(v * (third::int - mc) ^ 2) / n) AS sc
              FROM units, LATERAL (SELECT CASE WHEN weighted THEN w ELSE 1 END::float8 AS v) AS o) AS d,
     LATERAL (SELECT linear_regression((y - my) / sy, f, '{}', v) AS by_hand FROM units, LATERAL (SELECT CASE WHEN weighted THEN w ELSE 1 END::float8 AS v) AS o,
              LATERAL (SELECT (a - ma) / sa AS a, (b - mb) / sb AS b, (third::int - mc) / sc AS third) AS f) AS h;
-- dropped terms and levels; a target that does not vary; models without the option, or of another method
SELECT term, round(estimate::numeric, 4) AS estimate FROM standardized_coefficients((SELECT linear_regression(y, f, '{"standardize": true}') FROM units, LATERAL (SELECT a, 7 AS seven, third::text AS third) AS f));
SELECT * FROM standardized_coefficients((SELECT linear_regression(3, a, '{"standardize": true}') FROM units));
SELECT try($$SELECT standardized_coefficients(linear_regression(y, a)) FROM units$$);
SELECT try($$SELECT standardized_coefficients(centroid(a)) FROM units$$);

-- a copy of a feature, a constant, a combination: dropped in order, named, and predictions as without them
CREATE TABLE dependent AS SELECT i, sin(i) AS a, cos(i * 2) AS b, 2 + sin(i) - 3 * cos(i * 2) + sin(i * 7) / 10 AS y FROM generate_series(1, 40) AS i;
SELECT info(linear_regression(y, f)) -> 'statistics' -> 'dropped_terms' AS dropped FROM dependent, LATERAL (SELECT a, a AS copy, b, 7 AS seven, a + b AS total) AS f;
SELECT bool_and(near(predict(m, (a, a, b, 7, a + b)), predict(plain, (a, b)), 1e-11)) FROM dependent,
    (SELECT linear_regression(y, (a, a, b, 7, a + b)) AS m, linear_regression(y, (a, b)) AS plain FROM dependent) f;
SELECT term, round(estimate::numeric, 2) AS estimate, std_error IS NULL AS no_error FROM (SELECT linear_regression(y, (a, a, b)) AS m FROM dependent) f, coefficients(m);
-- without an intercept the constant is a term as any other
SELECT near_all(estimates(linear_regression(y, ARRAY[1, a, b], '{"intercept": false}')), estimates(linear_regression(y, ARRAY[a, b])), 1e-11) FROM dependent;

-- a constant target has a fit and no R squared
SELECT round(predict(m, 7)::numeric, 9) AS fitted, info(m) -> 'statistics' ? 'r_squared' AS r_squared FROM (SELECT linear_regression(5, i) AS m FROM generate_series(1, 9) AS i) f;
-- the target among the features
SELECT linear_regression(y, (a, y)) IS NOT NULL AS fitted FROM dependent;

-- one row, identical rows
SELECT try($$SELECT linear_regression(1, 1) FROM (VALUES (1)) AS t$$);
SELECT near(predict(linear_regression(y, x), 3), 2) FROM (VALUES (2.0, 3), (2, 3), (2, 3)) AS t(y, x);

-- a large offset keeps its digits; large and small scales do too; what passes double precision is refused by name
SELECT near(estimates[2], 1.1, 1e-9) AS slope FROM (SELECT estimates(linear_regression(y, x)) FROM (VALUES (1, 1000000001), (3, 1000000002), (2, 1000000003), (5, 1000000004)) AS t(y, x)) e;
SELECT near(e[2], 2e150, 1e-12) AS large FROM (SELECT estimates(linear_regression(i * 2e300 / 1e150, i * 1.0)) AS e FROM generate_series(1, 9) AS i) f;
SELECT near(e[2], 2, 1e-12) AS small FROM (SELECT estimates(linear_regression(i * 2e-300, i * 1e-300)) AS e FROM generate_series(1, 9) AS i) f;
SELECT try($$SELECT linear_regression(i, ARRAY[i * 1e307, i % 2]) FROM generate_series(1, 17) AS i$$) ~ '^(ok|22003)' AS fitted_or_refused;
SELECT try($$SELECT linear_regression(i, CASE i % 2 WHEN 0 THEN 1.7e308 ELSE -1.7e308 END) FROM generate_series(1, 90) AS i$$);
SELECT try($$SELECT linear_regression(1, 'NaN'::float8)$$);
SELECT try($$SELECT linear_regression('Infinity'::float8, 1)$$);

-- 1,600 features of 1,610 rows; an array of 10,000 is more than moments keep
SELECT near(predict(m, x), y, 1e-8) AS fitted FROM
    (SELECT linear_regression(y, x) AS m FROM (SELECT i, 3.0 + sin(i) AS y, (SELECT array_agg(CASE WHEN j = 1 THEN sin(i) ELSE sin(i * 0.7 + j * j * 0.31 * i) END ORDER BY j) FROM generate_series(1, 1600) AS j) AS x FROM generate_series(1, 1610) AS i) t) f,
    (SELECT 3.0 + sin(5) AS y, (SELECT array_agg(CASE WHEN j = 1 THEN sin(5) ELSE sin(5 * 0.7 + j * j * 0.31 * 5) END ORDER BY j) FROM generate_series(1, 1600) AS j) AS x) probe;
SELECT try($$SELECT linear_regression(1, (SELECT array_agg(j) FROM generate_series(1, 10000) AS j))$$);
DROP TABLE dependent;
