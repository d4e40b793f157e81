-- A class_weight of 0 means what row weights of 0 mean: the rows of the class are left out, and so is the class.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TEMP TABLE sample AS
SELECT i, (ARRAY['a', 'b', 'c'])[1 + (i * 7 % 11) % 3] AS label, (i * 37 % 101) / 10.0::float8 AS x, (i * 53 % 97) / 10.0::float8 AS z
FROM generate_series(1, 200) AS i;
CREATE TEMP TABLE fitted AS
SELECT 'logistic_regression' AS method, logistic_regression(label, f, '{"class_weight": {"c": 0, "a": 2}}'::jsonb) AS left_out,
       logistic_regression(label, f, '{"class_weight": {"a": 2}}'::jsonb) FILTER (WHERE label <> 'c') AS filtered,
       logistic_regression(label, f, '{"class_weight": {"a": 2}}'::jsonb, (label <> 'c')::int::float8) AS weighted
FROM sample, LATERAL (SELECT x, z) AS f
UNION ALL
SELECT 'least_squares_classifier', least_squares_classifier(label, f, '{"class_weight": {"c": 0, "a": 2}}'::jsonb),
       least_squares_classifier(label, f, '{"class_weight": {"a": 2}}'::jsonb) FILTER (WHERE label <> 'c'),
       least_squares_classifier(label, f, '{"class_weight": {"a": 2}}'::jsonb, (label <> 'c')::int::float8)
FROM sample, LATERAL (SELECT x, z) AS f
UNION ALL
SELECT 'perceptron', perceptron(label, f, '{"class_weight": {"c": 0, "a": 2}}'::jsonb ORDER BY i),
       perceptron(label, f, '{"class_weight": {"a": 2}}'::jsonb ORDER BY i) FILTER (WHERE label <> 'c'),
       perceptron(label, f, '{"class_weight": {"a": 2}}'::jsonb, (label <> 'c')::int::float8 ORDER BY i)
FROM sample, LATERAL (SELECT x, z) AS f;
SELECT method, classes(left_out), parameter(left_out, 'coef') = parameter(filtered, 'coef') AS as_filtered,
       parameter(left_out, 'coef') = parameter(weighted, 'coef') AS as_weighted,
       (info(left_out) ->> 'skipped')::int = (SELECT count(*) FROM sample WHERE label = 'c') AS counted
FROM fitted ORDER BY method COLLATE "C";
-- stored moments hold the class already
SELECT try('SELECT fit(''least_squares_classifier'', merge(e), ''{"class_weight": {"c": 0}}''::jsonb) FROM (SELECT class_moments(label, row(x, z)) AS e FROM sample) AS s');
SELECT try('SELECT logistic_regression(label, x, ''{"class_weight": {"d": 2}}''::jsonb) FROM sample');
SELECT try('SELECT logistic_regression(label, x, ''{"class_weight": {"b": 0, "c": 0}}''::jsonb) FROM sample');
DROP TABLE sample, fitted;
