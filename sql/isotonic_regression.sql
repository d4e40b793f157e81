-- isotonic_regression: the monotone function of one number with the least squared error.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE FUNCTION rounded(a float8[]) RETURNS numeric[] LANGUAGE sql AS 'SELECT array_agg(round(v::numeric, 6)) FROM unnest(a) AS v';
CREATE TABLE points (i int, x float8, y float8, w float8);
INSERT INTO points VALUES (1, 1, 1, 1), (2, 2, 3, 2), (3, 3, 2, 1), (4, 4, 4, 1), (5, 4, 8, 1), (6, 6, 5, 2), (7, 7, 9, 1);
-- blocks, and values in, between and beyond them: by lines and by steps
SELECT rounded(parameter(m, 'blocks')) AS blocks, rounded(parameter(w, 'blocks')) AS weighted FROM (SELECT isotonic_regression(y, x) AS m, isotonic_regression(y, x, '{}'::jsonb, w) AS w FROM points) AS f;
SELECT v, round(predict(linear, v)::numeric, 6) AS linear, round(predict(step, v)::numeric, 6) AS step, round(predict(bounded, v)::numeric, 6) AS bounded, round(predict(cut, v)::numeric, 6) AS cut
FROM unnest('{-5,1,1.5,2,2.5,3,3.5,4,5,6,6.5,7,99}'::float8[]) AS v, (SELECT isotonic_regression(y, x) AS linear, isotonic_regression(y, x, '{"interpolation": "step"}') AS step, isotonic_regression(y, x, '{"out_of_bounds": "null"}') AS bounded,
    isotonic_regression(y, x, '{"interpolation": "step", "y_min": 2, "y_max": 6}') AS cut FROM points) AS f ORDER BY v;
-- falling, and as the rows have it
SELECT rounded(parameter(d, 'blocks')) AS decreasing, parameter(a, 'blocks') = parameter(d, 'blocks') AS auto_falls, info(a) -> 'statistics' AS falls, info(r) -> 'statistics' AS rises
FROM (SELECT isotonic_regression(-y, x, '{"direction": "decreasing"}') AS d, isotonic_regression(-y, x, '{"direction": "auto"}') AS a, isotonic_regression(y, x, '{"direction": "auto"}') AS r FROM points) AS f;
SELECT info(isotonic_regression(5, x, '{"direction": "auto"}')) -> 'statistics' AS constant FROM points;
-- least squares: no other blocks of neighbors are better; the mean is kept; weights are repeated rows; the order does not matter
SELECT near(avg(predict(m, x)), avg(y)) AS mean_kept, bool_and(predict(m, x) >= before) AS rises, near(min(predict(r, 3.3)), min(predict(m2, 3.3))) AS repeated, bool_and(o = m) AS any_order
FROM (SELECT x, y, m, r, m2, o, lag(predict(m, x), 1, '-Infinity') OVER (ORDER BY x) AS before FROM points, (SELECT isotonic_regression(y, x) AS m, isotonic_regression(y, x, '{}'::jsonb, w) AS m2 FROM points) AS f,
    (SELECT isotonic_regression(y, x) AS r FROM points, generate_series(1, w::int)) AS g, (SELECT isotonic_regression(y, x ORDER BY y DESC) AS o FROM points) AS h) AS t;
-- calibration is the same method: shares of the positive class
SELECT bool_and(near(probability(c, x, 'true'), predict(r, x))) AS as_calibration FROM points, (SELECT isotonic_calibration(y > 3, x) AS c, isotonic_regression((y > 3)::int, x, '{"interpolation": "step"}') AS r FROM points) AS f;
-- one row, equal numbers, a date as the number, NULLs, text and binary
SELECT predict(isotonic_regression(3.5, 2), 99) AS one_row;
SELECT round(predict(isotonic_regression(y, 1.0), 1)::numeric, 6) AS equal, predict(isotonic_regression(y, 1.0, '{"out_of_bounds": "null"}'), 1.1) AS beside FROM points;
SELECT round(predict(isotonic_regression(y, DATE '2020-01-01' + i), DATE '2020-01-04')::numeric, 6) AS date FROM points;
SELECT info(isotonic_regression(CASE WHEN i < 6 THEN y END, nullif(x, 1))) -> 'skipped' AS skipped FROM points;
SELECT m::text::model = m AS text, m::jsonb::model = m AS jsonb FROM (SELECT isotonic_regression(y, x) AS m FROM points) AS f;
SELECT isotonic_regression(y, x) IS NULL AS no_rows FROM points WHERE false;
-- 100,000 rows of which most violate the order
SELECT near(predict(m, 50000), avg, 0.01) AS large FROM (SELECT isotonic_regression(x + 30000 * sin(x * 12.9898), x) AS m FROM generate_series(1, 100000) AS x) AS f, (SELECT 50000.0 AS avg) AS a;
SELECT summary(isotonic_regression(y, f)) FROM points, LATERAL (SELECT x AS age) AS f;
-- refusals
SELECT try(s) FROM unnest(ARRAY['SELECT isotonic_regression(y, (x, w)) FROM points', $$SELECT isotonic_regression(y, 'a'::text) FROM points$$, $$SELECT isotonic_regression(y, x, '{"y_min": 5, "y_max": 1}') FROM points$$, $$SELECT isotonic_regression(y, x, '{"direction": "up"}') FROM points$$,
    'SELECT isotonic_regression(y * 1e200, x) FROM points', 'SELECT isotonic_regression(y * 1e-200, x) FROM points', $$SELECT isotonic_regression(y, x, '{}'::jsonb, 1e200) FROM points$$, $$SELECT isotonic_regression('NaN'::float8, x) FROM points$$, $$SELECT isotonic_regression(y, x, '{"increasing": true}') FROM points$$]) AS s;
SELECT what, try(format('SELECT %L::pgfit.model IS NOT NULL', jsonb_set(m::jsonb, path, value))) FROM (SELECT isotonic_regression(y, x) AS m FROM points) AS f,
    (VALUES ('overlap', '{arrays,blocks}'::text[], '{"f64": [1, 2, 0, 2, 3, 1], "shape": [2, 3]}'::jsonb), ('both ways', '{arrays,blocks}', '{"f64": [1, 2, 0, 3, 3, 1, 4, 4, 0.5], "shape": [3, 3]}'), ('backward', '{arrays,blocks}', '{"f64": [1, 0, 0], "shape": [1, 3]}'), ('two numbers', '{arrays,blocks}', '{"f64": [1, 0], "shape": [1, 2]}'), ('behavior', '{arrays,behavior}', '{"i64": [2, 0]}'), ('sound', '{arrays,blocks}', '{"f64": [1, 2, -7, 3, 3, 1e+300], "shape": [2, 3]}')) AS v(what, path, value);
DROP TABLE points;
DROP FUNCTION rounded(float8[]);
