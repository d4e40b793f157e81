-- the terms that add up to a score
CREATE TEMP TABLE points AS
SELECT i, sin(i) + i % 3 AS y, CASE WHEN sin(i) > 0.3 THEN 'b' ELSE 'a' END AS l, (ARRAY['p', 'q', 'r'])[1 + i % 3] AS c,
       1e6 + sin(i * 1.7) AS a, cos(i * 0.9) AS b, (ARRAY['u', 'v', 'w'])[1 + i * 7 % 3] AS k
FROM generate_series(1, 200) i;
CREATE TEMP TABLE explained (name text, m pgfit.model);
INSERT INTO explained
SELECT 'linear', pgfit.linear_regression(y, f) FROM points, LATERAL (SELECT a, b, k) f UNION ALL
SELECT 'no intercept', pgfit.linear_regression(y, f, '{"intercept": false}') FROM points, LATERAL (SELECT a, b, k) f UNION ALL
SELECT 'ridge', pgfit.ridge_regression(y, f, 3) FROM points, LATERAL (SELECT a, b, k) f UNION ALL
SELECT 'lasso', pgfit.lasso_regression(y, f, 0.5) FROM points, LATERAL (SELECT a, b, k) f UNION ALL
SELECT 'perceptron', pgfit.perceptron_regression(y, f ORDER BY i) FROM points, LATERAL (SELECT b, b * b AS bb, k) f;
INSERT INTO explained
SELECT 'logistic', pgfit.logistic_regression(l, f, '{"lambda": 1}') FROM points, LATERAL (SELECT a, b, k) f UNION ALL
SELECT 'least squares', pgfit.least_squares_classifier(l, f) FROM points, LATERAL (SELECT a, b, k) f UNION ALL
SELECT 'multinomial', pgfit.logistic_regression(c, f, '{"lambda": 1}') FROM points, LATERAL (SELECT a, b, k) f;
-- the terms add up to the prediction, the decision or the decisions
SELECT name, bool_and(test.near(total, pgfit.predict(m, f), 1e-9)) AS adds_up
FROM explained, points, LATERAL (SELECT a, b, b * b AS bb, k) f, LATERAL (SELECT sum(contribution) AS total FROM pgfit.explain(m, f)) e
WHERE pgfit.info(m) -> 'classes' IS NULL GROUP BY name ORDER BY name;
SELECT name, bool_and(test.near_all(totals, pgfit.decisions(m, f), 1e-9)) AS adds_up
FROM explained, points, LATERAL (SELECT a, b, k) f,
     LATERAL (SELECT array_agg(total ORDER BY class) AS totals FROM (SELECT class, sum(contribution) AS total FROM pgfit.explain(m, f) GROUP BY class) t) e
WHERE pgfit.info(m) -> 'classes' IS NOT NULL GROUP BY name ORDER BY name;
-- what the lines are: the base at the means and reference levels, a level by its name
SELECT e.class, e.term, e.contribution = 0 AS nothing FROM explained, pgfit.explain(m, '{"a": 1000000, "b": 0.5, "k": "u"}'::jsonb) e WHERE name = 'linear';
SELECT e.class, e.term FROM explained, pgfit.explain(m, '{"a": 1000000, "b": 0.5, "k": "other"}'::jsonb) e WHERE name = 'multinomial';
SELECT test.near(e.contribution, avg(pgfit.predict(m, (a, b, 'u'))), 1e-9) AS base
FROM explained, points, pgfit.explain(m, (0, 0, 'u')) e WHERE name = 'linear' AND e.term = '(base)' GROUP BY e.contribution;
SELECT term FROM pgfit.explain((SELECT pgfit.linear_regression(y, ARRAY[a, b]) FROM points), ARRAY[1.0, 2]);
-- one line in time: what a feature adds is its coefficient times the distance from the mean
SELECT bool_and(test.near(contribution, estimate * (points.b - mean), 1e-9)) AS slope
FROM explained, points, (SELECT avg(b) AS mean FROM points) s, LATERAL (SELECT a, b, k) f, pgfit.explain(m, f) e, pgfit.coefficients(m) c
WHERE name = 'linear' AND e.term = 'b' AND c.term = 'b';
-- NULLs, and models without terms
SELECT count(*) FROM explained, pgfit.explain(m, '{"a": null, "b": 0.5, "k": "u"}'::jsonb) WHERE name = 'linear';
SELECT count(*) FROM pgfit.explain(NULL, 1.0);
SELECT split_part(test.try('SELECT e.term FROM pgfit.explain((SELECT pgfit.knn_classifier(l, a, 3) FROM points), 1.0) e'), E'\n', 1) AS try;
SELECT test.try('SELECT e.term FROM explained, pgfit.explain(m, 1.0) e');
SELECT split_part(test.try('SELECT e.term FROM pgfit.explain((SELECT pgfit.moments(y, a) FROM points), 1.0) e'), E'\n', 1) AS try;
