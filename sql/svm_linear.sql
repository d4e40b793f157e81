-- Linear support vector machines: textbook answers, losses and penalties, hard margins, several classes, memory, edges and refusals.
SET search_path = public, test, pgfit;
CREATE TABLE few (id int, y int, a float8, b float8);
INSERT INTO few VALUES (1, -1, 1, 2), (2, -1, -1, 2), (3, 1, -1, -2), (4, 1, 3, 1);
-- Flach (2012), examples 7.5 and 7.6: coefficients, intercept, margin and multipliers as C grows
SELECT c, round((parameter(m, 'coef'))[1]::numeric, 8) AS a, round((parameter(m, 'coef'))[2]::numeric, 8) AS b, round((parameter(m, 'intercept'))[1]::numeric, 8) + 0.0 AS t,
    round((info(m) -> 'statistics' ->> 'margin')::numeric, 6) AS margin, round((info(m) -> 'statistics' ->> 'objective')::numeric, 8) AS objective,
    (SELECT array_agg(row ORDER BY row) FROM support_vectors(m)) AS vectors, (SELECT array_agg(round(multiplier::numeric, 6) ORDER BY row) FROM support_vectors(m)) AS multipliers
FROM (VALUES ('"hard"'), ('2'), ('0.5'), ('0.4'), ('0.3125'), ('0.1'), ('0.05')) AS v(c),
    LATERAL (SELECT svm_classifier(y, (a, b), format('{"C": %s, "keep_support": true}', c)::jsonb ORDER BY id) AS m FROM few) AS f;
CREATE TABLE machine AS SELECT svm_classifier(y, f, '{"C": 0.4, "keep_support": true}' ORDER BY id) AS m FROM few, LATERAL (SELECT a, b) AS f;
SELECT id, classify(m, f), round(decision(m, f)::numeric, 6) AS decision, round(distance(m, f)::numeric, 6) AS distance FROM machine, few, LATERAL (SELECT a, b) AS f ORDER BY id;
SELECT * FROM machine, support_vectors(m) LIMIT 0;
SELECT row, round(multiplier::numeric, 6) AS multiplier, on_margin FROM machine, support_vectors(m);
SELECT term, round(estimate::numeric, 6) AS estimate FROM machine, coefficients(m);
SELECT e.term, round(contribution::numeric, 6) AS contribution FROM machine, explain(m, (3, 1)) AS e;
SELECT regexp_replace(summary(m), 'iterations: \d+', 'iterations: n') AS summary FROM machine;
DO $$
DECLARE
    agrees boolean;
BEGIN
    EXECUTE format('SELECT bool_and(near(%s, decision(m, (a, b)), 1e-12)) FROM machine, few', (SELECT to_sql(m) FROM machine)) INTO agrees;
    RAISE INFO 'to_sql agrees: %', agrees;
END
$$;
SELECT m = m::text::model AS text, m = m::jsonb::model AS json FROM machine;
-- probabilities come from a calibration
SELECT try($$SELECT probability(m, (1, 2)) FROM machine$$);
SELECT round(probability(c, (3, 1))::numeric, 3) AS calibrated FROM machine, LATERAL (SELECT calibrate(m, platt_calibration(y, decision(m, (a, b)))) AS c FROM few) AS f;

-- regression: two points by hand; all targets within epsilon; a median; through the origin
SELECT round((parameter(m, 'coef'))[1]::numeric, 8) AS slope, round((parameter(m, 'intercept'))[1]::numeric, 8) + 0.0 AS intercept, (info(m) -> 'statistics' ->> 'objective')::numeric::numeric(12, 8) AS objective,
    (SELECT array_agg(round(multiplier::numeric, 6) ORDER BY row) FROM support_vectors(m)) AS multipliers
FROM (SELECT svm_regression(x, x, '{"C": 10, "epsilon": 0.5, "keep_support": true}' ORDER BY x) AS m FROM unnest(ARRAY[0, 4]) AS x) AS f;
SELECT estimates(m), info(m) -> 'converged' AS converged, info(m) -> 'statistics' -> 'objective' AS objective FROM (SELECT svm_regression(x, x, '{"epsilon": 5}') AS m FROM unnest(ARRAY[0, 4]) AS x) AS f;
SELECT round(predict(svm_regression(y, 1, '{"epsilon": 0}'), 1)::numeric, 8) AS median FROM unnest(ARRAY[7, 4, 5, 100, -3]) AS y;
SELECT round((parameter(svm_regression(y, x, '{"epsilon": 0, "intercept": false, "C": 1000}'), 'coef'))[1]::numeric, 6) AS slope FROM (VALUES (1, 2), (2, 4), (3, 17)) AS t(x, y);

-- two overlapping clouds and a number
CREATE TABLE clouds AS
SELECT id, id % 2 = 0 AS yes, (ARRAY['low', 'mid', 'high'])[1 + id % 3] AS label, id % 2 + 0.8 * sin(id * 12.9898) AS a, 3 * (id % 3) - cos(id * 78.233) AS b, cos(id) AS c,
    CASE WHEN (id * 7 + id % 3) % 5 < 2 THEN 'x' ELSE 'y' END AS d, 1 + id % 2 AS w, id % 2 + id % 3 + sin(id) AS y FROM generate_series(1, 120) AS id;
-- |w|^2 / 2 + C sum of losses, and that no coordinate can be moved to make it smaller
CREATE FUNCTION objective(e float8[], loss text, penalty text, bound float8) RETURNS float8 LANGUAGE sql AS $$
    SELECT CASE penalty WHEN 'l2' THEN (e[2] ^ 2 + e[3] ^ 2 + e[4] ^ 2) / 2 WHEN 'l1' THEN abs(e[2]) + abs(e[3]) + abs(e[4])
               ELSE 0.3 * (abs(e[2]) + abs(e[3]) + abs(e[4])) + 0.7 * (e[2] ^ 2 + e[3] ^ 2 + e[4] ^ 2) / 2 END +
           bound * sum(CASE loss WHEN 'hinge' THEN hinge WHEN 'squared_hinge' THEN hinge ^ 2 WHEN 'epsilon_insensitive' THEN tube ELSE tube ^ 2 END)
    FROM clouds, LATERAL (SELECT e[1] + e[2] * a + e[3] * b + e[4] * c AS f) AS f, LATERAL (SELECT greatest(0, 1 - CASE WHEN yes THEN f ELSE -f END) AS hinge, greatest(0, abs(y - f) - 0.25) AS tube) AS l
$$;
CREATE FUNCTION fitted(loss text, penalty text, bound float8) RETURNS model LANGUAGE plpgsql AS $$
DECLARE
    m model;
    o jsonb := jsonb_build_object('C', bound, 'loss', loss, 'penalty', penalty) || CASE penalty WHEN 'elastic_net' THEN '{"alpha": 0.3}'::jsonb ELSE '{}' END;
BEGIN
    IF loss LIKE '%hinge' THEN
        SELECT svm_classifier(yes, f, o) INTO m FROM clouds, LATERAL (SELECT a, b, c) AS f;
    ELSE
        SELECT svm_regression(y, f, o || '{"epsilon": 0.25}') INTO m FROM clouds, LATERAL (SELECT a, b, c) AS f;
    END IF;
    RETURN m;
END
$$;
SELECT loss, penalty, bound, near(objective(w, loss, penalty, bound), (info(m) -> 'statistics' ->> 'objective')::float8, 1e-9) AS stated, info(m) -> 'converged' AS converged,
    (SELECT bool_and(objective(ARRAY[w[1] + CASE j WHEN 1 THEN h ELSE 0 END, w[2] + CASE j WHEN 2 THEN h ELSE 0 END, w[3] + CASE j WHEN 3 THEN h ELSE 0 END, w[4] + CASE j WHEN 4 THEN h ELSE 0 END], loss, penalty, bound)
                     >= objective(w, loss, penalty, bound) * (1 - 1e-12)) FROM generate_series(1, 4) AS j, unnest(ARRAY[-1e-3, -1e-5, 1e-5, 1e-3]) AS h) AS least
FROM (SELECT *, fitted(loss, penalty, bound) AS m FROM (VALUES ('hinge', 'l2'), ('squared_hinge', 'l2'), ('squared_hinge', 'l1'), ('squared_hinge', 'elastic_net'), ('epsilon_insensitive', 'l2'),
    ('squared_epsilon_insensitive', 'l2'), ('squared_epsilon_insensitive', 'l1'), ('squared_epsilon_insensitive', 'elastic_net')) AS v(loss, penalty), unnest(ARRAY[0.01, 10]) AS bound) AS f,
    LATERAL (SELECT estimates(m) AS w) AS e ORDER BY loss, penalty, bound;
-- l1 leaves coefficients out
SELECT info(m) -> 'statistics' -> 'nonzero' AS nonzero, (SELECT count(*) FROM coefficients(m) WHERE estimate <> 0 AND term <> '(intercept)') AS counted FROM (SELECT fitted('squared_hinge', 'l1', 0.01) AS m) AS f;
-- categories, weights, NULLs, class weights and the positive class
SELECT term, estimate IS NOT NULL AS estimated FROM (SELECT svm_classifier(yes, f, '{}', w) AS m FROM clouds, LATERAL (SELECT a, CASE WHEN id % 10 <> 0 THEN d END AS d) AS f) AS f, coefficients(m);
SELECT same_fit(svm_classifier(yes, (a, b), '{"class_weight": {"true": 2}}'), svm_classifier(yes, (a, b), '{}', CASE WHEN yes THEN 2 ELSE 1 END), 1e-7) AS class_weight,
    near_all(estimates(svm_classifier(yes, (a, b))), ARRAY(SELECT -e FROM unnest(estimates(svm_classifier(yes, (a, b), '{"positive": "false"}'))) AS e), 1e-7) AS positive FROM clouds;
-- several classes
SELECT strategy, accuracy(label, classify(m, (a, b))) > 0.9 AS good, cardinality(decisions(m, (0, 0))) AS decisions, (SELECT count(DISTINCT class) FROM coefficients(m)) AS machines, (SELECT count(DISTINCT class) FROM support_vectors(m)) AS with_vectors
FROM clouds, (SELECT strategy, svm_classifier(label, (a, b), jsonb_build_object('multiclass', strategy, 'keep_support', true)) AS m FROM clouds, unnest(ARRAY['ovr', 'ovo', 'ecoc']) AS strategy GROUP BY strategy) AS f GROUP BY strategy, m ORDER BY strategy;

-- rows beyond the budget are read block by block; the state of the solver counts against it
CREATE TABLE many AS SELECT i, sin(i * 0.7) + cos(i) / 2 > 0 AS yes, ARRAY[sin(i * 0.7), cos(i * 1.3), sin(i * 2.1), cos(i * 0.11), sin(i * 3.7), cos(i * 5.3), sin(i * 0.9), cos(i * 7.7)] AS x FROM generate_series(1, 20000) AS i;
SET pgfit.fit_mem = '1200kB';
CREATE TEMP TABLE small AS SELECT svm_classifier(yes, x ORDER BY i) AS hinge, svm_classifier(yes, x, '{"loss": "squared_hinge"}' ORDER BY i) AS squared FROM many;
SET pgfit.fit_mem = '64MB';
SELECT same_fit(hinge, svm_classifier(yes, x ORDER BY i), 1e-9) AS hinge, same_fit(squared, svm_classifier(yes, x, '{"loss": "squared_hinge"}' ORDER BY i), 1e-9) AS squared FROM many, small GROUP BY hinge, squared;
SET pgfit.fit_mem = '700kB';
SELECT try($$SELECT svm_classifier(yes, x) FROM many$$);
SELECT try($$SELECT svm_classifier(yes, x, '{"loss": "squared_hinge"}') IS NOT NULL FROM many$$);
RESET pgfit.fit_mem;

-- edges: one class, equal rows, a constant feature, conflicting rows, more features than rows, huge and tiny C, huge and tiny numbers
SELECT try($$SELECT svm_classifier(1, (a, b)) FROM few$$);
SELECT near_all(estimates(m), '{1,0,0}') AS majority, info(m) -> 'statistics' -> 'margin' AS margin FROM (SELECT svm_classifier(y, (7, 7)) AS m FROM few WHERE id > 1) AS f;
SELECT try($$SELECT svm_classifier(y, (7, 7), '{"C": "hard"}') FROM few$$);
SELECT term, round(estimate::numeric, 6) AS estimate FROM (SELECT svm_classifier(y, (a, 5, b), '{"C": 0.4}') AS m FROM few) AS f, coefficients(m);
SELECT round((parameter(m, 'coef'))[1]::numeric, 6) AS slope, info(m) -> 'converged' AS converged FROM (SELECT svm_classifier(y, x) AS m FROM (VALUES (1, 1), (-1, 1), (-1, 0), (1, 2)) AS t(y, x)) AS f;
SELECT info(m) -> 'converged' AS converged, accuracy(y::text, classify(m, x)) AS accuracy FROM (SELECT id, y, ARRAY(SELECT sin(id * j) FROM generate_series(1, 50) AS j) AS x FROM few) AS r,
    (SELECT svm_classifier(y, ARRAY(SELECT sin(id * j) FROM generate_series(1, 50) AS j)) AS m FROM few) AS f GROUP BY m;
SELECT c < 1 AS tiny, info(m) -> 'converged' AS converged, near(a, b, 1e-6) AS as_expected FROM (VALUES (1e-12), (1e12)) AS v(c), LATERAL (SELECT svm_classifier(y, (a, b), jsonb_build_object('C', c)) AS m FROM few) AS f,
    LATERAL (SELECT (parameter(m, 'coef'))[1] AS a, CASE WHEN c < 1 THEN 2 * c ELSE 0.6 END AS b) AS e;
SELECT info(m) -> 'converged' AS converged, bool_and(y = sign(decision(m, (a * 1e140, b * 1e-140)))) AS right FROM few, (SELECT svm_classifier(y, (a * 1e140, b * 1e-140), '{"standardize": true}') AS m FROM few) AS f GROUP BY m;
SELECT round((parameter(m, 'coef'))[1]::numeric, 6) AS a FROM (SELECT svm_classifier(y, (a + 1e9, b), '{"C": 2}') AS m FROM few) AS f;
SELECT svm_classifier(y, (a, b)) IS NULL AS no_rows FROM few WHERE false;
SELECT estimates(svm_classifier(y, (0, 0), '{"intercept": false}')) AS zeros, estimates(svm_regression(y, (0, 0), '{"intercept": false}')) AS zeros_too FROM few;
-- a hard margin that does not exist, in one problem of several too
SELECT try($$SELECT svm_classifier(y, x, '{"C": "hard"}') FROM (VALUES (1, 0), (-1, 1), (1, 2)) AS t(y, x)$$);
SELECT try($$SELECT svm_classifier(y, x, '{"C": "hard"}') FROM (VALUES ('a', 0), ('b', 1), ('c', 2)) AS t(y, x)$$);
SELECT classify(svm_classifier(y, x, '{"C": "hard", "multiclass": "ovo"}'), 1.1) AS pairs FROM (VALUES ('a', 0), ('b', 1), ('c', 2)) AS t(y, x);
-- numbers out of range
SELECT try($$SELECT svm_classifier(y, (a, b), '{"C": 1e300}', 1e12) FROM few$$);
SELECT try($$SELECT svm_classifier(y, (a * 1e300, b)) FROM few$$);
-- a limit of iterations
SELECT info(svm_classifier(yes, (a, b), '{"max_iter": 3}')) -> 'converged' AS converged FROM clouds;
-- refusals
SELECT o, try(format('SELECT svm_classifier(y, (a, b), %L) FROM few', o)) FROM unnest(ARRAY['{"C": 0}', '{"C": -1}', '{"C": "soft"}', '{"tolerance": 0}', '{"loss": "logistic"}', '{"penalty": "l1"}', '{"penalty": "elastic_net", "loss": "hinge"}',
    '{"alpha": 0.5}', '{"penalty": "elastic_net", "loss": "squared_hinge", "alpha": 2}', '{"C": "hard", "loss": "squared_hinge"}', '{"gamma": 1}', '{"kernel": "rbf", "loss": "squared_hinge"}', '{"kernel": "rbf", "keep_support": true}',
    '{"multiclass": "all"}', '{"code_length": 5}', '{"positive": "2"}', '{"nu": 0.5, "C": 2}']) AS o;
SELECT o, try(format('SELECT svm_regression(y, (a, b), %L) FROM few', o)) FROM unnest(ARRAY['{"C": 0}', '{"C": "hard"}', '{"epsilon": -1}', '{"loss": "hinge"}', '{"penalty": "l1"}', '{"kernel": "rbf", "penalty": "l1"}']) AS o;
SELECT try($$SELECT svm_regression('a', (a, b)) FROM few$$);
SELECT try($$SELECT support_vectors(m) FROM (SELECT svm_classifier(y, (a, b)) AS m FROM few) AS f$$);
-- forged values
SELECT try(format('SELECT %L::model', replace(m::text, '"row_numbers":{"i64":[1', '"row_numbers":{"i64":[0'))) FROM machine;
SELECT try(format('SELECT %L::model', replace(m::text, '"at_bound":{"u8":[', '"at_bound":{"u8":[3,'))) FROM machine;
SELECT try(format('SELECT %L::model', replace(m::text, '"multipliers":[', '"multiplicands":['))) FROM machine;
DROP TABLE few, machine, clouds, many;
DROP FUNCTION objective(float8[], text, text, float8), fitted(text, text, float8);
-- frames of one class have no machine
SELECT count(m) AS fitted, count(*) AS frames FROM (SELECT pgfit.svm_classifier(i % 2, (i, i * i % 7)) OVER (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS m FROM generate_series(1, 10) AS i) AS t;
-- a machine without support vectors shows no row
SELECT count(v.row) AS vectors FROM (SELECT pgfit.svm_regression(y, x, '{"epsilon": 5, "keep_support": true}') AS m FROM (VALUES (0, 0), (1, 1.2), (4, 4)) AS t(x, y)) AS f LEFT JOIN LATERAL pgfit.support_vectors(m) AS v ON true;
-- a row on a hard margin may have multiplier 0; a small tolerance does not make rows inseparable
SELECT t, abs((pgfit.parameter(m, 'coef'))[1]) < 1e-12 AND abs((pgfit.parameter(m, 'coef'))[2] + 0.5) < 1e-12 AS exact, pgfit.info(m) -> 'statistics' -> 'support_vectors' AS vectors, pgfit.info(m) -> 'converged' AS converged
FROM (VALUES ('0.1'), ('1e-10'), ('1e-14')) AS v(t), LATERAL (SELECT pgfit.svm_classifier(y, (a, b), ('{"C": "hard", "tolerance": ' || t || '}')::jsonb) AS m FROM (VALUES (-1, 1, 2), (-1, -1, 2), (1, -1, -2)) AS r(y, a, b)) AS f;
