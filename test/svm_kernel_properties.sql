-- Properties of support vector machines with kernels: svm_classifier, svm_regression, one_class_svm.
BEGIN;
SELECT plan(32);
\ir tap/properties.sql

SELECT pg_temp.rows_properties('svm_classifier', 'yes', '{"kernel": "rbf", "gamma": 0.3}', 'decision');
SELECT pg_temp.rows_properties('svm_classifier', 'label', '{"kernel": "polynomial", "degree": 2, "coef0": 1, "gamma": 0.1}', 'decisions');
SELECT pg_temp.rows_properties('svm_regression', 'y', '{"kernel": "rbf", "gamma": 0.3, "C": 5}', 'predict');
SELECT pg_temp.rows_properties('svm_regression', 'y', '{"kernel": "rbf", "gamma": 0.3, "nu": 0.4}', 'predict');
SELECT pg_temp.rows_properties('one_class_svm', '', '{"nu": 0.2}', 'decision');

-- 24 random problems, with weights: the conditions of Karush, Kuhn and Tucker
CREATE TEMP TABLE problems AS
SELECT p, jsonb_build_object('kernel', CASE WHEN p % 3 = 0 THEN 'polynomial' ELSE 'rbf' END, 'gamma', 0.05 + 2 * pg_temp.uniform(p, 11), 'C', 10 ^ (4 * pg_temp.uniform(p, 12) - 2),
                             'shrinking', p % 2 = 0) || CASE WHEN p % 3 = 0 THEN '{"coef0": 1, "degree": 2}'::jsonb ELSE '{}' END AS options
FROM generate_series(1, 24) AS p;
CREATE TEMP TABLE cases AS
SELECT p, row_number() OVER (PARTITION BY p ORDER BY i) AS row, CASE WHEN x[1] * x[2] + 0.8 * (pg_temp.uniform(i, 20 + p) - 0.5) > 0 THEN 1 ELSE -1 END AS label,
       x[1] * x[1] - x[2] + pg_temp.uniform(i, 20 + p) AS target, CASE WHEN p % 4 = 0 THEN 1 + i % 3 ELSE 1 END AS w, x
FROM generate_series(1, 24) AS p, generate_series(1, 80) AS i, LATERAL (SELECT ARRAY[3 * pg_temp.uniform(i, 60 + p) - 1.5, 3 * pg_temp.uniform(i, 100 + p) - 1.5] AS x) AS f;
CREATE TEMP TABLE machines AS
SELECT p, options, (options ->> 'C')::float8 AS bound, svm_classifier(label, x, options, w ORDER BY row) AS c, svm_regression(target, x, options || '{"epsilon": 0.2}', w ORDER BY row) AS r
FROM problems JOIN cases USING (p) GROUP BY p, options;

CREATE TEMP TABLE conditions AS
SELECT p, label, w * bound AS bound, label * decision(c, x) AS margin, coalesce(v.multiplier * label, 0) AS alpha, v.on_margin AS c_free,
       target - predict(r, x) AS error, coalesce(u.multiplier, 0) AS beta, u.on_margin AS r_free
FROM machines JOIN cases USING (p) LEFT JOIN (SELECT p, v.* FROM machines, support_vectors(c) AS v) AS v USING (p, row) LEFT JOIN (SELECT p, v.* FROM machines, support_vectors(r) AS v) AS u USING (p, row);
SELECT ok(bool_and(alpha >= 0 AND alpha <= bound * (1 + 1e-12)), 'svm_classifier: multipliers stay in the box'),
       ok(bool_and(margin >= 1 - 1e-5) FILTER (WHERE alpha = 0), 'svm_classifier: rows without a multiplier are outside the margin'),
       ok(bool_and(abs(margin - 1) < 1e-5) FILTER (WHERE c_free), 'svm_classifier: rows with a free multiplier are on the margin'),
       ok(bool_and(margin <= 1 + 1e-5 AND abs(alpha - bound) <= 1e-9 * bound) FILTER (WHERE NOT c_free), 'svm_classifier: rows at the bound are inside the margin or wrong'),
       ok(bool_and(abs(beta) <= bound * (1 + 1e-12) AND beta * error >= 0), 'svm_regression: multipliers stay in the box and have the sign of the error'),
       ok(bool_and(abs(error) <= 0.2 + 1e-5) FILTER (WHERE beta = 0), 'svm_regression: rows without a multiplier are inside the tube'),
       ok(bool_and(abs(abs(error) - 0.2) < 1e-5) FILTER (WHERE r_free), 'svm_regression: rows with a free multiplier are on the border of the tube'),
       ok(bool_and(abs(error) >= 0.2 - 1e-5 AND abs(abs(beta) - bound) <= 1e-9 * bound) FILTER (WHERE NOT r_free), 'svm_regression: rows at the bound are outside the tube')
FROM conditions;
SELECT ok(bool_and(abs(a) < 1e-6 * bound AND abs(b) < 1e-6 * bound), 'signed multipliers add up to 0')
FROM (SELECT sum(alpha * label) AS a, sum(beta) AS b, max(bound) AS bound FROM conditions GROUP BY p) AS s;
-- the primal and the dual objective are equal: |w|^2 / 2 + the losses against the one that the model states
SELECT ok(bool_and(abs(primal - stated) <= 1e-6 * stated), 'svm_classifier: the objective is 1 / (2 margin^2) plus the losses')
FROM (SELECT p, 0.5 / (info(c) -> 'statistics' ->> 'margin')::float8 ^ 2 + l.losses AS primal, (info(c) -> 'statistics' ->> 'objective')::float8 AS stated
      FROM machines JOIN (SELECT p, sum(bound * greatest(0, 1 - margin)) AS losses FROM conditions GROUP BY p) AS l USING (p)) AS t;
-- shrinking changes nothing
SELECT ok(bool_and(pg_temp.near(decision(a, x), decision(b, x), 1e-5)), 'shrinking does not change the machine')
FROM (SELECT p, svm_classifier(label, x, options || '{"shrinking": true}') AS a, svm_classifier(label, x, options || '{"shrinking": false}') AS b FROM problems JOIN cases USING (p) WHERE p <= 6 GROUP BY p, options) AS m JOIN cases USING (p);
-- translations do not change an rbf, nor does scaling with gamma
SELECT ok(bool_and(pg_temp.near(decision(p, f), decision(q, ARRAY[4 * a - 50, 4 * b + 3]), 1e-6)), 'an rbf machine moves with its rows')
FROM (SELECT svm_classifier(yes, ARRAY[a, b], '{"kernel": "rbf", "gamma": 0.32}'::jsonb) AS p, svm_classifier(yes, ARRAY[4 * a - 50, 4 * b + 3], '{"kernel": "rbf", "gamma": 0.02}'::jsonb) AS q FROM rows) AS m, rows, LATERAL (SELECT ARRAY[a, b] AS f) AS f;
SELECT * FROM finish();
ROLLBACK;
