-- Linear support vector machines by steps: where they begin, steps, states, errors.
SET search_path = public, test, pgfit, pgfit_textbook;
CREATE TABLE machines AS SELECT i, sin(i) AS a, 1000 * cos(i * 3) + 5000 AS b, (ARRAY['left', 'middle', 'right'])[1 + i * i % 7 % 3] AS side, 1 + i % 3 AS w,
    3 * sin(i) + 2 * cos(i * 3) + sin(i * 11) > 0.3 AS yes, (ARRAY['north', 'south', 'west'])[1 + (abs(3 * sin(i) + 2 * cos(i * 5)))::int % 3] AS home,
    7 * sin(i) + 2 * cos(i * 3) + 3 * sin(i * 11) AS y
FROM generate_series(1, 2000) AS i;
ALTER TABLE machines SET (parallel_workers = 2);
ANALYZE machines;

-- steps until they have converged: the model of the aggregate
CREATE FUNCTION test.passes(target text, moments text, options jsonb) RETURNS model LANGUAGE plpgsql AS $$
DECLARE
    m model;
BEGIN
    EXECUTE format('SELECT pgfit_textbook.svm_start(pgfit.%I(%s, f), $1) FROM public.machines, LATERAL (SELECT a, b, side) AS f', moments, target) INTO m USING options;
    FOR pass IN 1 .. 50 LOOP
        EXECUTE format('SELECT pgfit_textbook.svm_step(%s, f, $1) FROM public.machines, LATERAL (SELECT a, b, side) AS f', target) INTO m USING m;
        EXIT WHEN (pgfit.info(m) -> 'converged')::boolean;
    END LOOP;
    RETURN m;
END $$;
SELECT options, near_all(estimates(p), estimates(m), 1e-6) AS same_end, info(p) -> 'rows' AS rows, info(p) #> '{statistics,support_vectors}' = info(m) #> '{statistics,support_vectors}' AS same_support,
    (info(p) ->> 'iterations')::int BETWEEN 1 AND 12 AS few_passes
FROM (VALUES ('{"loss": "squared_hinge"}'::jsonb), ('{"loss": "squared_hinge", "C": 100}'), ('{"loss": "squared_hinge", "C": 0.001, "standardize": true}'),
    ('{"loss": "squared_hinge", "C": 0.01, "penalty": "l1", "standardize": true}'), ('{"loss": "squared_hinge", "penalty": "elastic_net", "class_weight": {"true": 3, "false": 1}}'),
    ('{"loss": "squared_hinge", "intercept": false, "class_weight": "balanced", "positive": false}')) AS t(options),
    LATERAL (SELECT passes('yes', 'class_moments', options) AS p) AS s, LATERAL (SELECT svm_classifier(yes, f, options) AS m FROM machines, LATERAL (SELECT a, b, side) AS f) AS l;
SELECT options, near_all(estimates(p), estimates(m), 1e-6) AS same_end, info(p) -> 'rows' AS rows, info(p) #> '{statistics,support_vectors}' = info(m) #> '{statistics,support_vectors}' AS same_support
FROM (VALUES ('{"loss": "squared_hinge"}'::jsonb), ('{"loss": "squared_hinge", "multiclass": "ovo", "C": 10}'), ('{"loss": "squared_hinge", "multiclass": "ecoc"}'), ('{"loss": "squared_hinge", "class_weight": {"north": 5, "south": 1, "west": 0.1}}')) AS t(options),
    LATERAL (SELECT passes('home', 'class_moments', options) AS p) AS s, LATERAL (SELECT svm_classifier(home, f, options) AS m FROM machines, LATERAL (SELECT a, b, side) AS f) AS l;
SELECT options, near_all(estimates(p), estimates(m), 1e-6) AS same_end, info(p) -> 'rows' AS rows, info(p) #> '{statistics,support_vectors}' = info(m) #> '{statistics,support_vectors}' AS same_support
FROM (VALUES ('{"loss": "squared_epsilon_insensitive"}'::jsonb), ('{"loss": "squared_epsilon_insensitive", "epsilon": 4, "C": 10}'), ('{"loss": "squared_epsilon_insensitive", "epsilon": 0, "standardize": true}'),
    ('{"loss": "squared_epsilon_insensitive", "epsilon": 1, "intercept": false}'), ('{"loss": "squared_epsilon_insensitive", "epsilon": 3, "penalty": "l1", "C": 0.01, "standardize": true}')) AS t(options),
    LATERAL (SELECT passes('y', 'moments', options) AS p) AS s, LATERAL (SELECT svm_regression(y, f, options) AS m FROM machines, LATERAL (SELECT a, b, side) AS f) AS l;

-- the first model; a step adds to iterations; text and jsonb keep all
CREATE TABLE began AS SELECT svm_start(class_moments(yes, f), '{"loss": "squared_hinge", "C": 10}') AS m, svm_start(moments(y, f), '{"loss": "squared_epsilon_insensitive", "epsilon": 4}') AS r
FROM machines, LATERAL (SELECT a, b, side) AS f;
SELECT info(m) -> 'iterations' AS iterations, info(m) -> 'converged' AS converged, near_all(estimates(r), estimates(ridge), 1e-6) AS least_squares
FROM began, (SELECT ridge_regression(y, f, 0.5) AS ridge FROM machines, LATERAL (SELECT a, b, side) AS f) AS l;
CREATE TABLE stepped AS SELECT svm_step(yes, f, m) AS m, svm_step(y, f, r) AS r FROM machines, LATERAL (SELECT a, b, side) AS f, began;
SELECT info(m) -> 'iterations' AS iterations, info(m) -> 'converged' AS converged, m = m::text::model AS text, m = m::jsonb::model AS jsonb, r = r::text::model AS text, r = r::jsonb::model AS jsonb FROM stepped;
-- from a model of the aggregate: it has converged already
SELECT info(svm_step(yes, f, m)) -> 'converged' AS converged, near_all(estimates(svm_step(yes, f, m)), estimates(m), 1e-9) AS same
FROM machines, LATERAL (SELECT a, b) AS f, (SELECT svm_classifier(q.yes, (q.a, q.b), '{"loss": "squared_hinge", "keep_support": false}') AS m FROM machines AS q) AS l GROUP BY m;

-- parallel and serial, any order of the rows, weights as repeated rows, filters, groups, NULLs
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
CREATE TABLE parallel AS SELECT svm_step(yes, f, (SELECT m FROM began)) AS m, svm_step(y, f, (SELECT r FROM began)) AS r FROM machines, LATERAL (SELECT a, b, side) AS f;
SET max_parallel_workers_per_gather = 0;
SELECT near_all(estimates(s.m), estimates(p.m), 1e-9) AS parallel, near_all(estimates(s.r), estimates(p.r), 1e-9) AS parallel, near_all(estimates(s.m), estimates(o.m), 1e-9) AS ordered
FROM stepped s, parallel p, (SELECT svm_step(yes, f, began.m ORDER BY i DESC) AS m FROM machines, LATERAL (SELECT a, b, side) AS f, began) o;
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SELECT near_all(estimates(svm_step(yes, f, m, w)), estimates((SELECT svm_step(q.yes, (q.a, q.b, q.side), m) FROM machines AS q, generate_series(1, q.w))), 1e-9) AS repeated,
    info(svm_step(yes, f, m, (i % 2)::float8)) -> 'rows' AS rows, info(svm_step(yes, f, m) FILTER (WHERE i <= 100)) -> 'rows' AS filtered
FROM machines, LATERAL (SELECT a, b, side) AS f, began GROUP BY m;
SELECT p.side, info(svm_step(y, f, r)) -> 'rows' AS rows FROM machines AS p, LATERAL (SELECT p.a, p.b, p.side) AS f, began GROUP BY p.side ORDER BY p.side;
SELECT svm_step(yes, f, m) IS NULL AS no_rows FROM machines, LATERAL (SELECT a, b, side) AS f, began WHERE false;
SELECT info(svm_step(CASE WHEN i > 5 THEN yes END, f, m)) -> 'skipped' AS skipped, info(svm_step(CASE WHEN i > 5 THEN y END, f, r)) -> 'skipped' AS skipped
FROM machines, LATERAL (SELECT a, b, CASE WHEN i < 1990 THEN side END AS side) AS f, began;
SELECT svm_step(NULL::boolean, f, m) IS NULL AS no_labels FROM machines, LATERAL (SELECT a, b, side) AS f, began;

-- states are values that merge
CREATE AGGREGATE test.step_sums(label "any", features "any", m model) (SFUNC = pgfit_internal.svm_step_step, STYPE = pgfit.model);
CREATE AGGREGATE test.step_of_sums(sums model) (SFUNC = pgfit_internal.step_combine, STYPE = pgfit.model, FINALFUNC = pgfit_internal.step_final);
CREATE TABLE daily AS SELECT i % 7 AS day, step_sums(yes, f, m)::text AS sums, step_sums(y, f, r)::text AS numbers FROM machines, LATERAL (SELECT a, b, side) AS f, began GROUP BY 1;
SELECT near_all(estimates(step_of_sums(sums::model)), (SELECT estimates(m) FROM stepped), 1e-9) AS from_parts, near_all(estimates(step_of_sums(numbers::model)), (SELECT estimates(r) FROM stepped), 1e-9) AS from_parts FROM daily;
SELECT try($$SELECT step_of_sums(s::model) FROM (SELECT sums AS s FROM daily UNION ALL SELECT numbers FROM daily) AS u$$);

-- refused
SELECT try($$SELECT svm_start(class_moments(yes, a), '{}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(yes, a), '{"loss": "hinge"}') FROM machines$$);
SELECT try($$SELECT svm_start(moments(y, a), '{}') FROM machines$$);
SELECT try($$SELECT svm_start(moments(y, a), '{"loss": "squared_hinge"}') FROM machines$$);
SELECT try($$SELECT svm_start(feature_moments(b), '{"loss": "squared_hinge"}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(true, a), '{"loss": "squared_hinge"}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(yes, a), '{"loss": "squared_hinge", "kernel": "rbf"}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(yes, a), '{"loss": "squared_hinge", "nu": 0.5}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(yes, a), '{"loss": "squared_hinge", "keep_support": true}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(yes, a), '{"loss": "squared_hinge", "C": "hard"}') FROM machines$$);
SELECT try($$SELECT svm_start(moments(y, a), '{"loss": "squared_epsilon_insensitive", "C": "hard"}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(yes, a), '{"loss": "squared_hinge", "alpha": 0.1}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(yes, a), '{"loss": "squared_hinge", "class_weight": {"true": 0}}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(yes, a), '{"loss": "squared_hinge", "C": -1}') FROM machines$$);
SELECT try($$SELECT svm_start(class_moments(yes, a), '{"loss": "squared_hinge", "C": 1e308}') FROM machines$$) IS NOT NULL AS ended;
SELECT try($$SELECT svm_step(yes, f, (SELECT svm_classifier(q.yes, (q.a, q.b, q.side)) FROM machines AS q)) FROM machines, LATERAL (SELECT a, b, side) AS f$$);
SELECT try($$SELECT svm_step(yes, f, (SELECT svm_classifier(q.yes, (q.a, q.b), '{"kernel": "rbf"}') FROM machines AS q WHERE i < 50)) FROM machines, LATERAL (SELECT a, b) AS f$$);
SELECT try($$SELECT svm_step(yes, f, (SELECT svm_classifier(q.yes, (q.a, q.b), '{"loss": "squared_hinge", "standardize": true}') FROM machines AS q)) FROM machines, LATERAL (SELECT a, b) AS f$$);
SELECT try($$SELECT svm_step(yes, f, (SELECT svm_classifier(q.yes, (q.a, q.b), '{"loss": "squared_hinge", "class_weight": "balanced"}') FROM machines AS q)) FROM machines, LATERAL (SELECT a, b) AS f$$);
SELECT try($$SELECT svm_step(yes, f, (SELECT linear_regression(a, b) FROM machines)) FROM machines, LATERAL (SELECT a, b, side) AS f$$);
SELECT try($$SELECT svm_step('perhaps', f, m) FROM machines, LATERAL (SELECT a, b, side) AS f, began$$);
SELECT try($$SELECT svm_step('perhaps'::text, f, r) FROM machines, LATERAL (SELECT a, b, side) AS f, began$$);
SELECT try($$SELECT svm_step('Infinity'::float8, f, r) FROM machines, LATERAL (SELECT a, b, side) AS f, began$$);
SELECT try($$SELECT svm_step(yes, (1, 2), m) FROM machines, began$$);
SELECT try($$SELECT svm_step(yes, f, m, -1) FROM machines, LATERAL (SELECT a, b, side) AS f, began$$);
SELECT try($$SELECT svm_step(yes, f, m) FROM machines, LATERAL (SELECT a, b, side) AS f, (SELECT m FROM began UNION ALL SELECT m FROM stepped) u$$);
SELECT try($$SELECT svm_step(y, f, CASE WHEN i = 1 THEN r ELSE m END ORDER BY i) FROM machines, LATERAL (SELECT a, b, side) AS f, began$$);
SELECT try($$SELECT pgfit_internal.step_final(m) FROM began$$);
SELECT try($$SELECT pgfit_internal.step_combine(m, m) FROM began$$);
-- too many numbers: 80 classes of 400 features
CREATE TABLE wide AS SELECT i % 80 AS c, array_agg(sin(i * j)) AS f FROM generate_series(1, 160) AS i, generate_series(1, 400) AS j GROUP BY i;
SELECT try($$SELECT svm_step(c, f, m) FROM wide, (SELECT svm_start(class_moments(c, f), '{"loss": "squared_hinge"}') AS m FROM wide) AS s$$);
DROP TABLE wide;
DROP AGGREGATE test.step_sums("any", "any", model);
DROP AGGREGATE test.step_of_sums(model);
DROP FUNCTION test.passes(text, text, jsonb);
DROP TABLE machines, began, stepped, parallel, daily;
