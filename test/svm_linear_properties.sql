-- Properties of linear support vector machines: svm_classifier, svm_regression.
BEGIN;
SELECT plan(40);
\ir tap/properties.sql

SELECT pg_temp.rows_properties('svm_classifier', target, options, scorer)
FROM (VALUES ('yes', '{}'::jsonb, 'decision'), ('label', '{"C": 0.3, "loss": "squared_hinge", "standardize": true}', 'decisions')) AS t(target, options, scorer);
SELECT pg_temp.rows_properties('svm_regression', 'y', options, 'predict')
FROM unnest(ARRAY['{"epsilon": 0.2}'::jsonb, '{"loss": "squared_epsilon_insensitive", "penalty": "l1", "C": 0.1}']) AS options;

-- 24 random problems, with weights: the conditions of Karush, Kuhn and Tucker
CREATE TEMP TABLE problems AS
SELECT p, jsonb_build_object('C', 10 ^ (5 * pg_temp.uniform(p, 12) - 3), 'keep_support', true, 'intercept', p % 5 <> 0) AS options, 10 ^ (5 * pg_temp.uniform(p, 12) - 3) AS bound FROM generate_series(1, 24) AS p;
CREATE TEMP TABLE cases AS
SELECT p, row_number() OVER (PARTITION BY p ORDER BY i) AS row, CASE WHEN x[1] - 2 * x[2] + (x[3] + p % 3 * 50 - 10) / 30 + pg_temp.uniform(i, 20 + p) - 0.5 > 0.3 THEN 1 ELSE -1 END AS label,
       x[1] - x[2] + 2 * pg_temp.uniform(i, 20 + p) + 7 AS target, CASE WHEN p % 4 = 0 THEN 1 + i % 3 ELSE 1 END AS w, x
FROM generate_series(1, 24) AS p, generate_series(1, 90) AS i,
     LATERAL (SELECT ARRAY[3 * pg_temp.uniform(i, 60 + p) - 1.5, 3 * pg_temp.uniform(i, 100 + p) - 1.5, 20 * pg_temp.uniform(i, 140 + p) - (p % 3) * 50] AS x) AS f;
CREATE TEMP TABLE machines AS
SELECT p, bound, svm_classifier(label, x, options, w ORDER BY row) AS c, svm_regression(target, x, options || '{"epsilon": 0.2}', w ORDER BY row) AS r
FROM problems JOIN cases USING (p) GROUP BY p, options, bound;
CREATE TEMP TABLE conditions AS
SELECT p, row, x, label, w * bound AS bound, label * decision(c, x) AS margin, coalesce(v.multiplier * label, 0) AS alpha, v.on_margin AS c_free,
       target - predict(r, x) AS error, coalesce(u.multiplier, 0) AS beta, u.on_margin AS r_free
FROM machines JOIN cases USING (p) LEFT JOIN (SELECT p, v.* FROM machines, support_vectors(c) AS v) AS v USING (p, row) LEFT JOIN (SELECT p, v.* FROM machines, support_vectors(r) AS v) AS u USING (p, row);
SELECT ok(bool_and((info(c) ->> 'converged')::boolean AND (info(r) ->> 'converged')::boolean), 'all converge') FROM machines;
SELECT ok(bool_and(alpha >= 0 AND alpha <= bound * (1 + 1e-9)), 'svm_classifier: multipliers stay in the box'),
       ok(bool_and(margin >= 1 - 1e-7) FILTER (WHERE alpha = 0), 'svm_classifier: rows without a multiplier are outside the margin'),
       ok(bool_and(abs(margin - 1) < 1e-7) FILTER (WHERE c_free), 'svm_classifier: rows with a free multiplier are on the margin'),
       ok(bool_and(margin <= 1 + 1e-7 AND abs(alpha - bound) <= 1e-6 * bound) FILTER (WHERE NOT c_free), 'svm_classifier: rows at the bound are inside the margin or wrong'),
       ok(bool_and(abs(beta) <= bound * (1 + 1e-9) AND beta * error >= 0), 'svm_regression: multipliers stay in the box and have the sign of the error'),
       ok(bool_and(abs(error) <= 0.2 + 1e-7) FILTER (WHERE beta = 0), 'svm_regression: rows without a multiplier are inside the tube'),
       ok(bool_and(abs(abs(error) - 0.2) < 1e-7) FILTER (WHERE r_free), 'svm_regression: rows with a free multiplier are on the border of the tube'),
       ok(bool_and(abs(error) >= 0.2 - 1e-7 AND abs(abs(beta) - bound) <= 1e-6 * bound) FILTER (WHERE NOT r_free), 'svm_regression: rows at the bound are outside the tube')
FROM conditions;
SELECT ok(bool_and(abs(a) < 1e-6 * bound AND abs(b) < 1e-6 * bound), 'signed multipliers add up to 0')
FROM (SELECT sum(alpha * label) AS a, sum(beta) AS b, max(bound) AS bound FROM conditions WHERE p % 5 <> 0 GROUP BY p) AS s;
SELECT ok(bool_and(abs(c_is - c_from) < 1e-6 * (1 + abs(c_is)) AND abs(r_is - r_from) < 1e-6 * (1 + abs(r_is))), 'coefficients are the sums of the multipliers times the rows')
FROM (SELECT p, (parameter(c, 'coef'))[j] AS c_is, (parameter(r, 'coef'))[j] AS r_is, sum(alpha * label * x[j]) AS c_from, sum(beta * x[j]) AS r_from
      FROM machines JOIN conditions USING (p), generate_series(1, 3) AS j GROUP BY p, c, r, j) AS s;
SELECT ok(bool_and(abs(w2 / 2 + losses - stated) <= 1e-9 * stated), 'svm_classifier: the objective is |w|^2 / 2 plus the losses')
FROM (SELECT p, (SELECT sum(v * v) FROM unnest(parameter(c, 'coef')) AS v) AS w2, losses, (info(c) -> 'statistics' ->> 'objective')::float8 AS stated
      FROM machines JOIN (SELECT p, sum(bound * greatest(0, 1 - margin)) AS losses FROM conditions GROUP BY p) AS l USING (p)) AS t;
SELECT ok(bool_and(abs(w2 / 2 + losses - stated) <= 1e-9 * stated), 'svm_regression: the objective is |w|^2 / 2 plus the losses')
FROM (SELECT p, (SELECT sum(v * v) FROM unnest(parameter(r, 'coef')) AS v) AS w2, losses, (info(r) -> 'statistics' ->> 'objective')::float8 AS stated
      FROM machines JOIN (SELECT p, sum(bound * greatest(0, abs(error) - 0.2)) AS losses FROM conditions GROUP BY p) AS l USING (p)) AS t;
-- squared losses: multipliers are 2 C times the excess
SELECT ok(count(*) > 100 AND bool_and(abs(multiplier * label - greatest(0, 2 * 0.7 * w * (1 - label * decision(m, x)))) < 1e-7), 'squared hinge: multipliers are 2 C excess')
FROM (SELECT p, svm_classifier(label, x, '{"loss": "squared_hinge", "C": 0.7, "keep_support": true}', w ORDER BY row) AS m FROM cases WHERE p <= 6 GROUP BY p) AS f JOIN cases USING (p), support_vectors(m) AS v WHERE v.row = cases.row;
-- under an l1 penalty the gradient of the losses is -1 or 1 where a coefficient is not 0, and within [-1, 1] elsewhere
SELECT ok(count(*) FILTER (WHERE w = 0) > 3 AND bool_and(CASE WHEN w = 0 THEN abs(slope) <= 1 + 1e-6 ELSE abs(slope - sign(w)) < 1e-6 END), 'l1: the subgradient is 0')
FROM (SELECT p, (parameter(m, 'coef'))[j] AS w, sum(v.multiplier * x[j]) AS slope
      FROM (SELECT p, svm_classifier(label, x, '{"loss": "squared_hinge", "penalty": "l1", "C": 0.02, "keep_support": true}' ORDER BY row) AS m FROM cases GROUP BY p) AS f JOIN cases USING (p), support_vectors(m) AS v, generate_series(1, 3) AS j
      WHERE v.row = cases.row GROUP BY p, m, j) AS s;

-- what must not matter: repeated rows and weights, the scale of C and weights, exchanged classes, translations; standardize makes units not matter
SELECT ok(pg_temp.near_all(pg_temp.scores(x, 'decision'), pg_temp.scores(z, 'decision'), 1e-7), 'svm_classifier: frequency weights are repeated rows')
FROM pg_temp.fit('svm_classifier(yes, f, ''{"weight_kind": "frequency"}''::jsonb, w::float8)') AS x, (SELECT svm_classifier(yes, f) AS z FROM rows, generate_series(1, w), LATERAL (SELECT a, b) AS f) AS r;
SELECT ok(pg_temp.near_all(pg_temp.scores(x, 'predict'), pg_temp.scores(z, 'predict'), 1e-7), 'svm_regression: frequency weights are repeated rows')
FROM pg_temp.fit('svm_regression(y, f, ''{"weight_kind": "frequency"}''::jsonb, w::float8)') AS x, (SELECT svm_regression(y, f) AS z FROM rows, generate_series(1, w), LATERAL (SELECT a, b) AS f) AS r;
SELECT ok(pg_temp.near_all(pg_temp.scores(x, 'decision'), pg_temp.scores(z, 'decision'), 1e-7), 'svm_classifier: C scales the weights')
FROM pg_temp.fit('svm_classifier(yes, f, ''{"C": 5}''::jsonb)') AS x, pg_temp.fit('svm_classifier(yes, f, ''{"C": 0.5}''::jsonb, 10)') AS z;
SELECT ok(bool_and(pg_temp.near(decision(x, ARRAY[a, b]), decision(z, ARRAY[a - 1000, b + 7]), 1e-7) AND pg_temp.near(decision(x, ARRAY[a, b]), -decision(n, ARRAY[a, b]), 1e-7)), 'svm_classifier: it moves with its rows, and classes may be exchanged'),
       ok(bool_and(pg_temp.near(decision(s, ARRAY[a, b]), decision(u, ARRAY[1000 * a, b / 3]), 1e-6)), 'svm_classifier: units do not matter to standardized features')
FROM (SELECT svm_classifier(yes, ARRAY[a, b]) AS x, svm_classifier(yes, ARRAY[a - 1000, b + 7]) AS z, svm_classifier(NOT yes, ARRAY[a, b]) AS n, svm_classifier(yes, ARRAY[a, b], '{"standardize": true}') AS s,
      svm_classifier(yes, ARRAY[1000 * a, b / 3], '{"standardize": true}') AS u FROM rows) AS m, rows;
SELECT ok(bool_and(pg_temp.near(2 * predict(x, ARRAY[a, b]) + 5, predict(z, ARRAY[a, b]), 1e-7)), 'svm_regression: it moves with the targets')
FROM (SELECT svm_regression(y, ARRAY[a, b], '{"C": 4, "epsilon": 0.1}') AS x, svm_regression(2 * y + 5, ARRAY[a, b], '{"C": 8, "epsilon": 0.2}') AS z FROM rows) AS m, rows;
SELECT ok(bool_and(decision(m, f) = decision(n, f)), 'svm_classifier: class weights are weights')
FROM pg_temp.fit('svm_classifier(yes, f, ''{"class_weight": {"true": 3}}''::jsonb)') AS m, pg_temp.fit('svm_classifier(yes, f, ''{}''::jsonb, CASE WHEN yes THEN 3 ELSE 1 END)') AS n, rows, LATERAL (SELECT a, b) AS f;
-- the hard margin is the limit of C
SELECT ok(pg_temp.near_all(pg_temp.scores(h, 'decision'), pg_temp.scores(s, 'decision'), 1e-6) AND pg_temp.near((info(h) -> 'statistics' ->> 'margin')::float8, least_margin, 1e-7), 'hard: the limit of C, and its margin is that of the nearest row')
FROM pg_temp.fit('svm_classifier(yes, f, ''{"C": "hard"}''::jsonb)', 'abs(rows.a + rows.b - 2) > 1 AND yes = (rows.a + rows.b > 2)') AS h, pg_temp.fit('svm_classifier(yes, f, ''{"C": 1e6}''::jsonb)', 'abs(rows.a + rows.b - 2) > 1 AND yes = (rows.a + rows.b > 2)') AS s,
     LATERAL (SELECT min(abs(distance(h, f))) AS least_margin FROM rows AS r, LATERAL (SELECT r.a, r.b) AS f WHERE abs(r.a + r.b - 2) > 1 AND yes = (r.a + r.b > 2)) AS l;
-- pairs and codes are binary problems
SELECT ok(pg_temp.near((parameter(m, 'coef'))[1 + k][1], (parameter(b, 'coef'))[1], 1e-8), 'svm_classifier: one-vs-one fits pairs')
FROM (SELECT svm_classifier(label, f, '{"multiclass": "ovo"}' ORDER BY id) AS m FROM rows, LATERAL (SELECT a, b) AS f) AS s,
     (SELECT 0 AS k, svm_classifier(label, f ORDER BY id) AS b FROM rows, LATERAL (SELECT a, b) AS f WHERE label IN ('high', 'low')) AS p;
SELECT * FROM finish();
ROLLBACK;
