-- Logistic regression by passes: where it begins, steps, plans, errors.
SET search_path = public, test, pgfit, pgfit_textbook;
CREATE TABLE people AS SELECT i, sin(i) AS a, 1000 * cos(i * 3) + 5000 AS b, (ARRAY['left', 'middle', 'right'])[1 + i * i % 7 % 3] AS side,
    sin(i) + cos(i * 3) + 2 * sin(i * 11) > 0.3 AS yes, (ARRAY['north', 'south', 'west'])[1 + (abs(3 * sin(i) + 2 * cos(i * 5)))::int % 3] AS home
FROM generate_series(1, 2000) AS i;
ALTER TABLE people SET (parallel_workers = 2);
ANALYZE people;

-- passes until it has converged
CREATE FUNCTION test.passes(target text, options jsonb) RETURNS model LANGUAGE plpgsql AS $$
DECLARE
    m model;
BEGIN
    EXECUTE format('SELECT pgfit_textbook.logistic_start(pgfit.class_moments(%s, f), $1) FROM public.people, LATERAL (SELECT a, b, side) AS f', target) INTO m USING options;
    FOR pass IN 1 .. 50 LOOP
        EXECUTE format('SELECT pgfit_textbook.logistic_step(%s, f, $1) FROM public.people, LATERAL (SELECT a, b, side) AS f', target) INTO m USING m;
        EXIT WHEN (pgfit.info(m) -> 'converged')::boolean;
    END LOOP;
    RETURN m;
END $$;
SELECT target, options, near_all(estimates(passes(target, options)), (CASE target WHEN 'yes' THEN y ELSE h END), 1e-4) AS same_end, info(passes(target, options)) -> 'rows' AS rows
FROM (VALUES ('yes', '{}'::jsonb), ('yes', '{"lambda": 2}'), ('yes', '{"lambda": 3, "penalty": "l1"}'), ('home', '{}'), ('home', '{"lambda": 1}')) AS t(target, options),
     LATERAL (SELECT estimates(logistic_regression(yes, f, options)) AS y, estimates(logistic_regression(home, f, options)) AS h FROM people, LATERAL (SELECT a, b, side) AS f) l;
SELECT summary(passes('yes', '{}'));

-- the first model says the shares of the classes; a step adds to iterations
CREATE TABLE began AS SELECT logistic_start(class_moments(yes, f)) AS m FROM people, LATERAL (SELECT a, b, side) AS f;
SELECT near(probability(m, (0, 5000, 'left')), share) AS share, info(m) -> 'iterations' AS iterations, info(m) -> 'converged' AS converged FROM began, (SELECT avg(yes::int)::float8 AS share FROM people) s;
CREATE TABLE stepped AS SELECT logistic_step(yes, f, m) AS m FROM people, LATERAL (SELECT a, b, side) AS f, began;
SELECT info(m) -> 'iterations' AS iterations, info(m) -> 'converged' AS converged, m = m::text::model AS text, m = m::jsonb::model AS jsonb FROM stepped;

-- parallel and serial, any order of the rows, weights as repeated rows, filters, groups
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
CREATE TABLE parallel AS SELECT logistic_step(yes, f, (SELECT m FROM began)) AS m FROM people, LATERAL (SELECT a, b, side) AS f;
SET max_parallel_workers_per_gather = 0;
SELECT near_all(estimates(s.m), estimates(p.m), 1e-9) AS parallel, near_all(estimates(s.m), estimates(o.m), 1e-9) AS ordered
FROM stepped s, parallel p, (SELECT logistic_step(yes, f, began.m ORDER BY i DESC) AS m FROM people, LATERAL (SELECT a, b, side) AS f, began) o;
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SELECT near_all(estimates(logistic_step(yes, f, m, 2.0)), estimates(logistic_step(yes, f, m)), 1e-9) AS twice, info(logistic_step(yes, f, m, (i % 2)::float8)) -> 'rows' AS rows, info(logistic_step(yes, f, m) FILTER (WHERE i <= 100)) -> 'rows' AS filtered
FROM people, LATERAL (SELECT a, b, side) AS f, began;
SELECT p.side, info(logistic_step(yes, f, m)) -> 'rows' AS rows FROM people AS p, LATERAL (SELECT p.a, p.b, p.side) AS f, began GROUP BY p.side ORDER BY p.side;
SELECT logistic_step(yes, f, m) IS NULL AS no_rows FROM people, LATERAL (SELECT a, b, side) AS f, began WHERE false;
SELECT info(logistic_step(CASE WHEN i > 5 THEN yes END, f, m)) -> 'skipped' AS skipped FROM people, LATERAL (SELECT a, b, CASE WHEN i < 1990 THEN side END AS side) AS f, began;
SELECT logistic_step(NULL::boolean, f, m) IS NULL AS no_labels FROM people, LATERAL (SELECT a, b, side) AS f, began;

-- the support functions as tables of sums would use them: states are values that merge
CREATE AGGREGATE test.step_sums(label "any", features "any", m model) (SFUNC = pgfit_internal.logistic_step_step, STYPE = pgfit.model);
CREATE AGGREGATE test.step_of_sums(sums model) (SFUNC = pgfit_internal.step_combine, STYPE = pgfit.model, FINALFUNC = pgfit_internal.step_final);
CREATE TABLE daily AS SELECT i % 7 AS day, step_sums(yes, f, m)::text AS sums FROM people, LATERAL (SELECT a, b, side) AS f, began GROUP BY 1;
SELECT near_all(estimates(step_of_sums(sums::model)), (SELECT estimates(m) FROM stepped), 1e-9) AS from_parts FROM daily;

-- separated and dependent
SELECT info(m) -> 'statistics' -> 'dropped_terms' AS dropped FROM (SELECT logistic_start(class_moments(yes, (a, a * 2, 3))) AS m FROM people) t;

-- refused
SELECT try($$SELECT logistic_start(moments(a, b)) FROM people$$);
SELECT try($$SELECT logistic_start(feature_moments(b)) FROM people$$);
SELECT try($$SELECT logistic_start(class_moments(true, a)) FROM people$$);
SELECT try($$SELECT logistic_start(class_moments(home, a), '{"multiclass": "ovr"}') FROM people$$);
SELECT try($$SELECT logistic_start(class_moments(home, a), '{"nulls": "impute"}') FROM people$$);
SELECT try($$SELECT logistic_start(class_moments(home, a), '{"lambda": -1}') FROM people$$);
SELECT try($$SELECT logistic_start(class_moments(home, a), '{"penalty": "l1"}') FROM people$$);
SELECT try($$SELECT logistic_step(yes, f, (SELECT linear_regression(a, b) FROM people)) FROM people, LATERAL (SELECT a, b, side) AS f$$);
SELECT try($$SELECT logistic_step(yes, f, (SELECT logistic_regression(q.home, (q.a, q.b), '{"multiclass": "ovo"}') FROM people AS q)) FROM people, LATERAL (SELECT a, b, side) AS f$$);
SELECT try($$SELECT logistic_step('perhaps', f, m) FROM people, LATERAL (SELECT a, b, side) AS f, began$$);
SELECT try($$SELECT logistic_step(yes, (1, 2), m) FROM people, began$$);
SELECT try($$SELECT logistic_step(yes, f, m, -1) FROM people, LATERAL (SELECT a, b, side) AS f, began$$);
SELECT try($$SELECT logistic_step(yes, f, m) FROM people, LATERAL (SELECT a, b, side) AS f, (SELECT m FROM began UNION ALL SELECT m FROM stepped) u$$);
-- the same in words where sums meet, as in a parallel plan whose workers meet one model each
SELECT try($$SELECT step_of_sums(s) FROM (SELECT step_sums(yes, f, m) AS s FROM people, LATERAL (SELECT a, b, side) AS f, (SELECT m FROM began UNION ALL SELECT m FROM stepped) u GROUP BY m) AS sums$$);
SELECT try($$SELECT pgfit_internal.step_final(m) FROM began$$);
SELECT try($$SELECT pgfit_internal.step_combine(m, m) FROM began$$);
-- a typed state with the sums of a model of fewer classes: only rows of its own classes are accepted
CREATE TABLE typed AS SELECT replace(two::text, substring(two::text FROM '"step_of":[^}]*}'), substring(three::text FROM '"step_of":[^}]*}')) AS state, m
FROM (SELECT m, step_sums(home, a, m) AS three FROM (SELECT logistic_start(class_moments(home, a)) AS m FROM people) AS t, people GROUP BY m) AS t,
    (SELECT step_sums(yes, a, m) AS two FROM (SELECT logistic_start(class_moments(yes, a)) AS m FROM people) AS t, people) AS u;
DO $$ BEGIN EXECUTE format('CREATE AGGREGATE test.typed_step("any", "any", model) (SFUNC = pgfit_internal.logistic_step_step, STYPE = pgfit.model, FINALFUNC = pgfit_internal.step_final, INITCOND = %L)', state) FROM public.typed; END $$;
SELECT try($$SELECT typed_step(home, a, m) FROM people, typed$$);
SELECT try($$SELECT typed_step(home, a, m) IS NOT NULL FROM people, typed WHERE home < 'west'$$) AS of_two_classes;
DROP AGGREGATE test.typed_step("any", "any", model);
DROP TABLE typed;
DROP AGGREGATE test.step_sums("any", "any", model);
DROP AGGREGATE test.step_of_sums(model);
DROP FUNCTION test.passes(text, jsonb);
DROP TABLE people, began, stepped, parallel, daily;
