-- svm_classifier and svm_regression with kernels: known answers, optimality, weights, several classes, probabilities, refusals.
CREATE TABLE svm_few (id int, y int, a float8, b float8);
INSERT INTO svm_few VALUES (1, -1, 1, 2), (2, -1, -1, 2), (3, 1, -1, -2), (4, 1, 3, 1);
-- exclusive or, by a polynomial of degree 2: the multipliers are 1/8
CREATE TABLE svm_xor (id int, y int, a float8, b float8);
INSERT INTO svm_xor VALUES (1, -1, -1, -1), (2, 1, -1, 1), (3, 1, 1, -1), (4, -1, 1, 1);
CREATE TABLE svm_machine AS
SELECT pgfit.svm_classifier(y, f, '{"kernel": "polynomial", "degree": 2, "coef0": 1, "C": 10}'::jsonb ORDER BY id) AS m FROM svm_xor, LATERAL (SELECT a, b) AS f;
SELECT class, row, round(multiplier::numeric, 9) AS multiplier, on_margin FROM svm_machine, pgfit.support_vectors(m);
SELECT id, round(pgfit.decision(m, f)::numeric, 9) AS decision, pgfit.classify(m, f), pgfit.predict(m, f), pgfit.classify(m, f, NULL::int) FROM svm_machine, svm_xor, LATERAL (SELECT b, a) AS f ORDER BY id;
SELECT round(pgfit.decision(m, (0.5, 0.5))::numeric, 9) AS center, round(pgfit.decision(m, (2, -1))::numeric, 9) AS outside,
    pgfit.decision(m, (NULL::float8, 1)) IS NULL AS nothing FROM svm_machine;
SELECT pgfit.info(m) -> 'implementation' -> 'arrays' AS arrays, round((pgfit.info(m) -> 'statistics' ->> 'objective')::numeric, 9) AS objective,
    round((pgfit.info(m) -> 'statistics' ->> 'margin')::numeric, 6) AS margin, pgfit.info(m) -> 'converged' AS converged FROM svm_machine;
SELECT m OPERATOR(pgfit.=) m::text::pgfit.model AS text, m OPERATOR(pgfit.=) (m::jsonb)::pgfit.model AS json FROM svm_machine;
-- a polynomial of degree 1 is the linear kernel: the textbook's multipliers
SELECT c, array_agg(round(abs(multiplier)::numeric, 6) ORDER BY row) AS multipliers, array_agg(row ORDER BY row) AS rows, array_agg(on_margin ORDER BY row) AS on_margin
FROM (VALUES ('"hard"'), ('2'), ('0.3125'), ('0.1')) AS v(c),
    LATERAL (SELECT pgfit.svm_classifier(y, (a, b), format('{"kernel": "polynomial", "degree": 1, "C": %s}', c)::jsonb ORDER BY id) AS m FROM svm_few) AS fit, pgfit.support_vectors(m)
GROUP BY c ORDER BY c;
-- rows of three overlapping clouds
CREATE TABLE svm_clouds AS
SELECT id, (ARRAY['low', 'mid', 'high'])[1 + id % 3] AS label, id % 3 + 0.9 * sin(id * 12.9898) AS a, (id % 3) ^ 2 - 1.4 * cos(id * 78.233) AS b,
    CASE WHEN (id * 7 + id % 3) % 5 < 2 THEN 'x' ELSE 'y' END AS c, 1 + id % 2 AS w FROM generate_series(1, 90) AS id;
-- KKT: y f >= 1 without a multiplier, = 1 on the margin, <= 1 at the bound; the signed multipliers add up to 0
CREATE FUNCTION svm_kkt(options jsonb) RETURNS TABLE (vectors bigint, kept boolean, balanced boolean, gap boolean) LANGUAGE sql AS $$
    WITH rows AS (SELECT row_number() OVER (ORDER BY id) AS row, id, CASE label WHEN 'mid' THEN 1 ELSE -1 END AS y, a, b FROM svm_clouds WHERE label <> 'high'),
        fit AS MATERIALIZED (SELECT pgfit.svm_classifier(y, (a, b), options ORDER BY row) AS m FROM rows),
        margins AS (SELECT row, y * pgfit.decision(m, (a, b)) AS margin, coalesce(multiplier * y, 0) AS alpha, on_margin
                    FROM fit, rows LEFT JOIN (SELECT v.* FROM fit, pgfit.support_vectors(m) AS v) AS v USING (row))
    SELECT count(*) FILTER (WHERE alpha > 0), bool_and(CASE WHEN alpha = 0 THEN margin >= 1 - 1e-6 WHEN on_margin THEN abs(margin - 1) < 1e-6 ELSE margin <= 1 + 1e-6 END AND alpha >= 0),
        abs((SELECT sum(multiplier) FROM fit, pgfit.support_vectors(m))) < 1e-9, (SELECT (pgfit.info(m) -> 'statistics' ->> 'gap')::float8 < 1e-9 FROM fit) FROM margins
$$;
SELECT options, svm_kkt.* FROM (VALUES ('{"kernel": "rbf", "gamma": 0.5}'), ('{"kernel": "rbf", "gamma": 0.5, "C": 100}'), ('{"kernel": "rbf", "gamma": 5, "C": 0.01}'),
    ('{"kernel": "rbf", "sigma": 0.5, "C": 10, "shrinking": false}'), ('{"kernel": "polynomial", "coef0": 1, "gamma": 0.3}'), ('{"kernel": "rbf", "gamma": 20, "C": "hard"}')) AS v(options), svm_kkt(options::jsonb);
-- several classes: pairs by default, each against the others, and output codes
SELECT strategy, pgfit.accuracy(label, pgfit.classify(m, (a, b))) > 0.8 AS good, cardinality(pgfit.decisions(m, (0, 0))) AS decisions,
    (SELECT array_agg(DISTINCT class ORDER BY class) FROM pgfit.support_vectors(m)) AS problems, (pgfit.info(m) -> 'implementation' -> 'arrays' -> 'multipliers' -> 'shape' -> 0) AS machines
FROM svm_clouds, (SELECT strategy, pgfit.svm_classifier(label, (a, b), options::jsonb) AS m FROM svm_clouds,
    (VALUES ('default', '{"kernel": "rbf"}'), ('ovo', '{"kernel": "rbf", "multiclass": "ovo"}'), ('ovr', '{"kernel": "rbf", "multiclass": "ovr"}'), ('ecoc', '{"kernel": "rbf", "multiclass": "ecoc"}')) AS v(strategy, options) GROUP BY strategy, options) AS fits
GROUP BY strategy, m ORDER BY strategy;
-- weights count as repeated rows; class weights multiply C
CREATE FUNCTION svm_scores(m pgfit.model) RETURNS float8[] LANGUAGE sql AS $$ SELECT array_agg(s ORDER BY id) FROM (SELECT id, pgfit.decision(m, (a, b)) AS s FROM svm_clouds) AS t $$;
CREATE FUNCTION svm_near_scores(m1 pgfit.model, m2 pgfit.model, tolerance float8 DEFAULT 1e-7) RETURNS boolean LANGUAGE sql AS $$
    SELECT bool_and(abs(x - y) < tolerance) FROM unnest(svm_scores(m1), svm_scores(m2)) AS t(x, y)
$$;
SELECT svm_near_scores(weighted, repeated) AS weights, svm_near_scores(classes, by_rows) AS class_weights, NOT svm_near_scores(plain, balanced) AS balanced_differs
FROM (SELECT pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "gamma": 0.5}'::jsonb, w) AS weighted, pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "gamma": 0.5}'::jsonb) AS plain,
        pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "gamma": 0.5, "class_weight": {"true": 3}}'::jsonb) AS classes,
        pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "gamma": 0.5, "class_weight": "balanced"}'::jsonb) AS balanced,
        pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "gamma": 0.5}'::jsonb, CASE label WHEN 'mid' THEN 3 ELSE 1 END) AS by_rows FROM svm_clouds) AS f,
    (SELECT pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "gamma": 0.5}'::jsonb) AS repeated FROM svm_clouds, generate_series(1, w)) AS r;
-- categories are 0 and 1; standardize sees the same svm_machine in any unit, and positive turns the sign
SELECT pgfit.accuracy(label = 'mid', pgfit.predict(m, (a, b, c)) = 1) > 0.8 AS good, pgfit.decision(m, (1, 1, 'z')) IS NOT NULL AS unseen, pgfit.info(m) -> 'implementation' -> 'arrays' -> 'rows' -> 'shape' -> 1 AS terms
FROM svm_clouds, (SELECT pgfit.svm_classifier(label = 'mid', (a, b, c), '{"kernel": "rbf", "standardize": true}'::jsonb) AS m FROM svm_clouds) AS fit GROUP BY m;
SELECT svm_near_scores(plain, negative) IS FALSE AS differ, bool_and(abs(pgfit.decision(plain, (a, b)) - pgfit.decision(scaled, (1000 * a + 7, b / 50))) < 1e-7) AS units,
    bool_and(abs(pgfit.decision(plain, (a, b)) + pgfit.decision(negative, (a, b))) < 1e-9) AS positive
FROM svm_clouds, (SELECT pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "standardize": true}'::jsonb) AS plain,
    pgfit.svm_classifier(label = 'mid', (1000 * a + 7, b / 50), '{"kernel": "rbf", "standardize": true}'::jsonb) AS scaled,
    pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "standardize": true, "positive": "false"}'::jsonb) AS negative FROM svm_clouds) AS fit GROUP BY plain, negative;
-- nu bounds the shares of margin errors and of support vectors
SELECT nu, (s ->> 'bounded')::int <= nu * 90 + 1e-9 AS errors, (s ->> 'support_vectors')::int >= nu * 90 - 1e-9 AS vectors
FROM (VALUES (0.2), (0.4), (0.6)) AS v(nu), LATERAL (SELECT pgfit.info(pgfit.svm_classifier(label = 'mid', (a, b), jsonb_build_object('kernel', 'rbf', 'nu', nu))) -> 'statistics' AS s FROM svm_clouds) AS fit;
-- the C that nu stands for gives the same svm_machine: 1 / C is the margin that the nu svm_machine divided by
SELECT svm_near_scores(n, c, 1e-6) AS same FROM (SELECT pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "gamma": 1, "nu": 0.4}'::jsonb) AS n FROM svm_clouds) AS nu,
    LATERAL (SELECT max(abs(multiplier)) AS bound FROM pgfit.support_vectors(n)) AS b, LATERAL (SELECT pgfit.svm_classifier(label = 'mid', (a, b), jsonb_build_object('kernel', 'rbf', 'gamma', 1, 'C', bound)) AS c FROM svm_clouds) AS fit;
-- with a linear kernel nu makes linear equations: those of the same kernel by another name
CREATE TABLE svm_lines AS SELECT id, id / 10.0 AS x, (id * 7 % 13) / 5.0 AS z, 'l' || id % 3 AS level, id / 20.0 + 0.4 * cos(id * 78.233) + (id % 3 = 1)::int AS y, 1 + id % 2 AS w FROM generate_series(1, 60) AS id;
SELECT options, bool_and(abs(pgfit.predict(line, (x, z)) - pgfit.predict(rows, (x, z))) < 1e-9) AS predict, bool_and(abs(pgfit.decision(hyperplane, (x, y)) - pgfit.decision(vectors, (x, y))) < 1e-9) AS decision
FROM svm_lines, (SELECT options, pgfit.svm_regression(y, (x, z), o) AS line, pgfit.svm_regression(y, (x, z), o || k) AS rows, pgfit.svm_classifier(level = 'l1', (x, y), o) AS hyperplane, pgfit.svm_classifier(level = 'l1', (x, y), o || k) AS vectors
    FROM svm_lines, (SELECT options, options::jsonb AS o, '{"kernel": "polynomial", "degree": 1, "coef0": 0, "gamma": 1}'::jsonb AS k FROM (VALUES ('{"nu": 0.31}'), ('{"nu": 0.53}'), ('{"nu": 0.47, "standardize": true}'), ('{"nu": 0.53, "shrinking": false}')) AS v(options)) AS v GROUP BY options) AS fits
GROUP BY options ORDER BY options;
-- the epsilon and the C that nu stands for give the same equation; categories lack their first level
SELECT array_agg(c.term) AS terms, bool_and(abs(c.estimate - e.estimate) < 1e-8) AS same
FROM (SELECT pgfit.svm_regression(y, (x, level), '{"nu": 0.31}'::jsonb) AS m FROM svm_lines) AS nu, LATERAL (SELECT pgfit.svm_regression(y, (x, level), jsonb_build_object('epsilon', pgfit.info(m) -> 'statistics' -> 'epsilon')) AS by_epsilon FROM svm_lines) AS eps,
    LATERAL pgfit.coefficients(m) AS c, LATERAL pgfit.coefficients(by_epsilon) AS e WHERE c.term = e.term;
SELECT count(*) AS vectors, abs(sum(multiplier)) < 1e-9 AS balanced, bool_and(abs(pgfit.decision(m, (x, y)) - pgfit.decision(c, (x, y))) < 1e-8) AS same, max(multiplier) = max(bound) AS bound
FROM (SELECT pgfit.svm_classifier(level = 'l1', (x, y), '{"nu": 0.53, "keep_support": true}'::jsonb ORDER BY id) AS m FROM svm_lines) AS nu, LATERAL (SELECT max(abs(multiplier)) AS bound FROM pgfit.support_vectors(m)) AS b,
    LATERAL (SELECT pgfit.svm_classifier(level = 'l1', (x, y), jsonb_build_object('C', bound)) AS c FROM svm_lines) AS c, LATERAL pgfit.support_vectors(m) AS v, svm_lines WHERE id = v.row;
SELECT count(DISTINCT class) AS machines, pgfit.accuracy(level, pgfit.classify(m, (x, z + (level = 'l1')::int * 9, (level = 'l2')::int))) > 0.5 AS good
FROM svm_lines, (SELECT pgfit.svm_classifier(level, (x, z + (level = 'l1')::int * 9, (level = 'l2')::int), '{"nu": 0.9}'::jsonb) AS m FROM svm_lines) AS fit, pgfit.coefficients(m) GROUP BY m;
SELECT bool_and(abs(pgfit.predict(weighted, (x, z)) - pgfit.predict(repeated, (x, z))) < 1e-8) AS weights
FROM svm_lines, (SELECT pgfit.svm_regression(y, (x, z), '{"nu": 0.31}'::jsonb, w) AS weighted FROM svm_lines) AS w, (SELECT pgfit.svm_regression(y, (x, z), '{"nu": 0.31}'::jsonb) AS repeated FROM svm_lines, generate_series(1, w)) AS r;
SELECT m OPERATOR(pgfit.=) m::text::pgfit.model AS text, pgfit.to_sql(m) ~ 'x\[1\]' AS to_sql, pgfit.info(m) -> 'implementation' -> 'arrays' AS arrays FROM (SELECT pgfit.svm_regression(y, (x, z), '{"nu": 0.31, "keep_support": true}'::jsonb) AS m FROM svm_lines) AS fit;
-- probabilities by a calibration of the decisions
SELECT bool_and(pgfit.probability(calibrated, (a, b)) BETWEEN 0 AND 1) AS shares, corr(pgfit.probability(calibrated, (a, b)), pgfit.decision(calibrated, (a, b))) > 0.9 AS follow,
    pgfit.accuracy(label = 'mid', pgfit.predict(calibrated, (a, b)) = 1) > 0.8 AS good
FROM svm_clouds, (SELECT pgfit.calibrate(m, p) AS calibrated FROM (SELECT pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf"}'::jsonb) AS m FROM svm_clouds WHERE id % 2 = 0) AS fit,
    LATERAL (SELECT pgfit.platt_calibration(label = 'mid', pgfit.decision(m, (a, b))) AS p FROM svm_clouds WHERE id % 2 = 1) AS c) AS k;
-- regression: zero inside the tube, free on its border, at the bound outside
CREATE TABLE svm_waves AS SELECT id, id / 10.0 AS x, sin(id / 10.0) + 0.2 * cos(id * 78.233) AS y FROM generate_series(1, 60) AS id;
WITH fit AS MATERIALIZED (SELECT pgfit.svm_regression(y, x, '{"kernel": "rbf", "gamma": 0.5, "epsilon": 0.1, "C": 2}'::jsonb ORDER BY id) AS m FROM svm_waves),
    errors AS (SELECT y - pgfit.predict(m, x) AS error, coalesce(multiplier, 0) AS beta, on_margin FROM fit, svm_waves LEFT JOIN (SELECT v.* FROM fit, pgfit.support_vectors(m) AS v) AS v ON row = id)
SELECT count(*) FILTER (WHERE beta = 0) AS inside, count(*) FILTER (WHERE on_margin) AS border, count(*) FILTER (WHERE NOT on_margin) AS outside,
    bool_and(CASE WHEN beta = 0 THEN abs(error) <= 0.1 + 1e-6 WHEN on_margin THEN abs(abs(error) - 0.1) < 1e-6 ELSE abs(error) >= 0.1 - 1e-6 AND abs(beta) = 2 END AND beta * error >= 0) AS kept, abs(sum(beta)) < 1e-9 AS balanced FROM errors;
SELECT round((pgfit.info(m) -> 'statistics' ->> 'epsilon')::numeric, 6) AS epsilon, (pgfit.info(m) -> 'statistics' ->> 'bounded')::int <= 0.3 * 60 AS errors, (pgfit.info(m) -> 'statistics' ->> 'support_vectors')::int >= 0.3 * 60 AS vectors,
    bool_and(abs(pgfit.predict(m, x) - pgfit.predict(e, x)) < 1e-6) AS same_epsilon
FROM svm_waves, (SELECT pgfit.svm_regression(y, x, '{"kernel": "rbf", "gamma": 0.5, "nu": 0.3}'::jsonb) AS m FROM svm_waves) AS nu,
    LATERAL (SELECT pgfit.svm_regression(y, x, jsonb_build_object('kernel', 'rbf', 'gamma', 0.5, 'epsilon', pgfit.info(m) -> 'statistics' -> 'epsilon')) AS e FROM svm_waves) AS eps GROUP BY m;
SELECT (pgfit.info(pgfit.svm_regression(y, x, '{"kernel": "rbf", "nu": 1}'::jsonb)) -> 'statistics' ->> 'epsilon')::float8 < 1e-12 AS no_tube FROM svm_waves;
-- a tube that holds every row needs no support vector
SELECT pgfit.info(m) -> 'statistics' -> 'support_vectors' AS vectors, pgfit.predict(m, 5) BETWEEN -1.3 AND 1.3 AS middle, (SELECT count(*) FROM pgfit.support_vectors(m)) AS rows
FROM (SELECT pgfit.svm_regression(y, x, '{"kernel": "rbf", "epsilon": 3}'::jsonb) AS m FROM svm_waves) AS fit;
-- NULLs, one row of each class, equal rows, groups, windows
SELECT pgfit.info(m) -> 'skipped' AS skipped, round(pgfit.decision(m, 1)::numeric, 9) AS a, round(pgfit.decision(m, 2)::numeric, 9) AS b
FROM (SELECT pgfit.svm_classifier(y, x, '{"kernel": "rbf", "C": "hard"}'::jsonb) AS m FROM (VALUES (0, 1), (1, 2), (1, NULL), (NULL, 1)) AS v(y, x)) AS fit;
SELECT round(pgfit.decision(m, 1)::numeric, 9) AS equal_rows FROM (SELECT pgfit.svm_classifier(y, 1, '{"kernel": "rbf"}'::jsonb) AS m FROM generate_series(0, 4) AS i, LATERAL (SELECT i % 2 AS y) AS t) AS fit;
SELECT pgfit.predict(m, 1) AS equal_rows FROM (SELECT pgfit.svm_regression(2, 1, '{"kernel": "rbf"}'::jsonb) AS m FROM generate_series(1, 5)) AS fit;
SELECT c, pgfit.info(pgfit.svm_classifier(label, (a, b), '{"kernel": "rbf"}'::jsonb)) -> 'rows' AS rows FROM svm_clouds GROUP BY c ORDER BY c;
SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf"}'::jsonb) IS NULL AS nothing FROM svm_few WHERE false;
SELECT count(DISTINCT round(pgfit.predict(m, 1)::numeric, 6)) AS windows FROM (SELECT pgfit.svm_regression(y, x, '{"kernel": "rbf"}'::jsonb) OVER (ORDER BY id ROWS 10 PRECEDING) AS m FROM svm_waves) AS w WHERE m IS NOT NULL;
-- indefinite: still ends
SELECT pgfit.info(pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "sigmoid", "gamma": 0.5, "coef0": -1}'::jsonb)) -> 'converged' AS converged FROM svm_clouds;
-- warned: too svm_few steps
\set VERBOSITY terse
SELECT pgfit.info(pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "max_iter": 3}'::jsonb)) -> 'converged' AS converged FROM svm_clouds;
SELECT pgfit.info(pgfit.svm_classifier(label, (a, b), '{"kernel": "rbf", "max_iter": 3}'::jsonb)) -> 'converged' AS converged FROM svm_clouds;
SELECT pgfit.info(pgfit.svm_regression(y, x, '{"kernel": "rbf", "max_iter": 3}'::jsonb)) -> 'converged' AS converged FROM svm_waves;
-- warned, after as many steps as rounding leads to: multipliers so large that steps change nothing
\set VERBOSITY sqlstate
SELECT (pgfit.info(m) ->> 'iterations')::int < 1000000 AS stopped, pgfit.info(m) -> 'converged' AS converged FROM (SELECT pgfit.svm_regression(id % 7, id % 13, '{"kernel": "rbf", "gamma": 0.1, "C": 1e300, "tolerance": 1e-300}'::jsonb ORDER BY id) AS m FROM svm_clouds WHERE id <= 30) AS fit;
\set VERBOSITY terse
-- refused
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf", "C": 0}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf", "C": -1}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf", "C": "soft"}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf", "gamma": 0}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "polynomial", "degree": 0}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "polynomial", "sigma": 1}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(1, (a, b), '{"kernel": "rbf"}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, 1, '{"kernel": "rbf", "C": "hard"}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, x, '{"kernel": "polynomial", "degree": 1, "C": "hard"}') FROM (VALUES (1, 0), (-1, 1), (1, 2)) AS v(y, x)$$);
SELECT test.try($$SELECT pgfit.svm_classifier(label = 'mid', (a, b), '{"kernel": "rbf", "nu": 0.9}') FROM svm_clouds$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf", "nu": 0}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf", "nu": 1.1}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf", "nu": 0.5, "C": 1}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"nu": 0.5, "C": 1}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"nu": 0.5, "intercept": false}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"nu": 0.5, "loss": "squared_hinge"}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_regression(y, (a, b), '{"nu": 0.5, "penalty": "l1"}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_regression(y, (a, b), '{"nu": 0.5, "epsilon": 1}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(label = 'mid', (a, b), '{"nu": 0.9}') FROM svm_clouds$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a * 1e200, b), '{"nu": 0.5}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"shrinking": false}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf", "loss": "squared_hinge"}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a, b), '{"kernel": "rbf", "intercept": false}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a * 1e20, b), '{"kernel": "polynomial"}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, (a * 1e160, b), '{"kernel": "rbf", "standardize": true}') FROM svm_few$$);
SELECT test.try($$SELECT pgfit.svm_classifier(y, x, '{"kernel": "rbf"}') FROM (VALUES (0, 'NaN'::float8), (1, 2)) AS v(y, x)$$);
SELECT test.try($$SELECT pgfit.svm_regression(y, x, '{"kernel": "rbf", "epsilon": -1}') FROM svm_waves$$);
SELECT test.try($$SELECT pgfit.svm_regression(y, x, '{"kernel": "rbf", "nu": 0.5, "epsilon": 1}') FROM svm_waves$$);
SELECT test.try($$SELECT pgfit.svm_regression(y, x, '{"kernel": "rbf", "C": "hard"}') FROM svm_waves$$);
SELECT test.try($$SELECT pgfit.to_sql(m) FROM svm_machine$$);
SELECT test.try($$SELECT pgfit.coefficients(m) FROM svm_machine$$);
SELECT test.try($$SELECT pgfit.explain(m, (1, 2)) FROM svm_machine$$);
SELECT test.try($$SELECT pgfit.probability(m, (1, 2)) FROM svm_machine$$);
SELECT test.try($$SELECT pgfit.support_vectors(pgfit.svm_classifier(y, (a, b))) FROM svm_few$$);
SET pgfit.fit_mem = '64kB';
SELECT test.try($$SELECT pgfit.svm_classifier(i % 2, (i, i * i), '{"kernel": "rbf"}') FROM generate_series(1, 2000) AS i$$);
SELECT test.try($$SELECT pgfit.one_class_svm((i, i * i), '{"nu": 0.1}') FROM generate_series(1, 700) AS i$$);
SET pgfit.fit_mem = '1MB';
SELECT pgfit.info(pgfit.svm_classifier(i % 2, (sin(i), cos(i * 7)), '{"kernel": "rbf"}')) -> 'converged' AS small_cache FROM generate_series(1, 2000) AS i;
RESET pgfit.fit_mem;
-- a regression edited to have two problems, whose names would be those of classes
SELECT test.try($$SELECT pgfit.support_vectors((jsonb_set(m::jsonb #- '{arrays,at_bound}' #- '{arrays,intercept}', '{arrays,multipliers}', '{"f64": [1,2,3,4,5,6,7,8], "shape": [2,4]}'))::pgfit.model)
    FROM (SELECT pgfit.svm_regression(i * i, i, '{"kernel": "rbf", "epsilon": 0.01}'::jsonb) AS m FROM generate_series(1, 5) i) f$$);
DROP TABLE svm_few, svm_xor, svm_machine, svm_clouds, svm_waves;

-- summaries: numbers that depend on rounding as #
SELECT regexp_replace(pgfit.summary(pgfit.svm_classifier(x / 4, (x, -x), '{"kernel": "rbf"}'::jsonb)), 'gap: [-+.e0-9]+', 'gap: #') AS summary FROM generate_series(1, 11) AS x;
SELECT regexp_replace(pgfit.summary(pgfit.svm_regression(x * x, x, '{"kernel": "polynomial", "degree": 2, "epsilon": 1, "C": 10}'::jsonb)), '(gap|objective|margin|iterations): [-+.e0-9]+', '\1: #', 'g') AS summary FROM generate_series(1, 11) AS x;
SELECT regexp_replace(pgfit.summary(pgfit.svm_classifier(x > 5, x, '{"kernel": "rbf", "approximation": "nystroem", "landmarks": 4}'::jsonb)), '(gap|objective|margin|iterations): [-+.e0-9]+', '\1: #', 'g') AS summary FROM generate_series(1, 11) AS x;
CREATE TABLE svm_five AS SELECT * FROM (VALUES (2, 3), (4, 8), (0, 10), (1, 5), (2, 10)) AS t(x, y);
-- nu of a regression: the objective is the least that any line has, also where nu leaves no tube (rows may share both sides)
SELECT nu, round((pgfit.info(m) #>> '{statistics,objective}')::numeric, 9) AS objective, round((pgfit.info(m) #>> '{statistics,epsilon}')::numeric, 9) AS epsilon,
    round((SELECT sum(s.w) + nu * 5 * (pgfit.info(m) #>> '{statistics,epsilon}')::float8 + (pgfit.parameter(m, 'coef'))[1] ^ 2 / 2
           FROM (SELECT greatest(0, abs(y - pgfit.predict(m, x)) - (pgfit.info(m) #>> '{statistics,epsilon}')::float8) AS w FROM svm_five) AS s)::numeric, 9) AS reached
FROM (VALUES (0.2), (0.5), (0.8), (0.95), (1)) AS v(nu), LATERAL (SELECT pgfit.svm_regression(y, x, jsonb_build_object('nu', nu)) AS m FROM svm_five) AS f ORDER BY nu;
-- nu of a classifier below the least that has a margin: an error, no margin of rounding errors
SELECT nu, test.try(format('SELECT pgfit.svm_classifier(y, x, %L) FROM (VALUES (1, 1), (1, 4), (1, 5), (0, 2), (0, 3), (0, 6)) AS t(y, x)', jsonb_build_object('nu', nu))) FROM (VALUES (0.05), (0.3), (0.5)) AS v(nu);
DROP TABLE svm_five;
-- scores that are lost in the rounding of products of 1e13 do not prove a solution
SET client_min_messages = error; -- the steps depend on the machine
SELECT pgfit.info(pgfit.svm_regression(y, x * 1e6, '{"C": 100, "nu": 0.97}')) -> 'converged' AS converged
FROM (VALUES (-2.75, -2.47), (-3.89, -3.36), (1.07, -0.22), (-1.04, -0.23), (2.49, 0.89), (-1.36, -1.89), (-2.14, -1.41), (1.74, 1.65), (1.31, -0.31)) AS t(y, x);
-- more features than other scorers have room for: such machines were fitted, and refused by their own reader
SELECT pgfit.classify(m, x) = y::text AS own_class, m::text::pgfit.model OPERATOR(pgfit.=) m AS read_again
FROM (SELECT pgfit.svm_classifier(y, x, '{"kernel": "rbf", "C": 100}') AS m FROM (SELECT i % 2 AS y, ARRAY(SELECT sin(i * j)::float8 FROM generate_series(1, 10001) AS j) AS x FROM generate_series(1, 6) AS i) AS r) AS f,
     (SELECT i % 2 AS y, ARRAY(SELECT sin(i * j)::float8 FROM generate_series(1, 10001) AS j) AS x FROM generate_series(5, 5) AS i) AS r;
