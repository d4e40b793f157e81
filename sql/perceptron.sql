-- Perceptrons: steps in the order of the rows, continuing from a model, averages, weights, several classes, edges.
SET search_path = public, test, pgfit;
CREATE TABLE six AS SELECT * FROM (VALUES (1, 1.0, 1.0, -1), (2, 2, 1.5, -1), (3, 1, 3, -1), (4, 3, 3, 1), (5, 4, 2, 1), (6, 4, 4, 1)) AS t(i, a, b, y);

-- a run by hand: 17 passes, 43 mistakes; in another order another model
SELECT parameter(m, 'intercept') AS w0, parameter(m, 'coef') AS w, info(m) -> 'iterations' AS passes, info(m) -> 'converged' AS converged, info(m) -> 'statistics' ->> 'updates' AS updates, parameter(m, 'mistakes') AS mistakes
FROM (SELECT perceptron(y, (a, b), '{"mistakes": true}' ORDER BY i) AS m FROM six) f;
SELECT parameter(perceptron(y, (a, b) ORDER BY i DESC), 'coef') <> parameter(perceptron(y, (a, b) ORDER BY i), 'coef') AS order_matters FROM six;
-- the dual view: w is the sum of rate y count x
SELECT near(parameter[1], sum) AS dual FROM (SELECT parameter(m, 'coef'), parameter(m, 'mistakes') AS counts FROM (SELECT perceptron(y, (a, b), '{"mistakes": true, "learning_rate": 0.5}' ORDER BY i) AS m FROM six) f) p,
    LATERAL (SELECT sum(0.5 * y * counts[i] * a) FROM six) s;
-- from 0 the rate only scales
SELECT near_all(estimates(perceptron(y, (a, b), '{"learning_rate": 0.25}' ORDER BY i)), ARRAY(SELECT e / 4 FROM unnest(estimates(perceptron(y, (a, b) ORDER BY i))) AS e)) AS scaled FROM six;
-- a zero score is a mistake: the first row always is one
SELECT parameter(perceptron(y, x, '{"max_iter": 1, "mistakes": true}' ORDER BY i), 'mistakes') AS mistakes FROM (VALUES (1, 1, 0), (2, -1, 0)) AS t(i, y, x);
-- the basic linear classifier as the start: of separated classes that it separates, it is the result
SELECT near_all(estimates(p), estimates(c)) AS basic, info(p) -> 'statistics' ->> 'updates' AS updates
FROM (SELECT perceptron(y, x, '{"init": "basic_linear"}' ORDER BY x) AS p, nearest_centroid(y, x) AS c FROM (VALUES (false, -2), (false, -1), (true, 1), (true, 2)) AS t(y, x)) f;

-- not separable: a WARNING and the flag; a single pass is what was asked for
CREATE TABLE crossed AS SELECT * FROM (VALUES (1, 0, 0, false), (2, 0, 1, true), (3, 1, 0, true), (4, 1, 1, false)) AS t(i, a, b, y);
SELECT info(m) -> 'converged' AS converged, info(m) -> 'iterations' AS passes, info(m) -> 'statistics' ->> 'updates' AS updates, estimates(m) FROM (SELECT perceptron(y, (a, b), '{"max_iter": 5}' ORDER BY i) AS m FROM crossed) f;
SELECT info(m) -> 'converged' AS converged FROM (SELECT perceptron(y, (a, b), '{"max_iter": 1}' ORDER BY i) AS m FROM crossed) f;
-- the average of the coefficients after each row
WITH RECURSIVE run AS (
    SELECT 0 AS n, 0.0::float8 AS w0, 0.0::float8 AS w, 0.0::float8 AS sum0, 0.0::float8 AS sum
    UNION ALL
    SELECT n + 1, w0 + s, w + s * x, sum0 + w0 + s, sum + w + s * x
    FROM run, LATERAL (SELECT n % 5 AS x, CASE WHEN n % 5 IN (1, 3) THEN 1 ELSE -1 END AS y) r, LATERAL (SELECT CASE WHEN y * (w0 + w * x) <= 0 THEN y ELSE 0 END AS s) d WHERE n < 15)
SELECT near_all(estimates(m), ARRAY[sum0 / 15, sum / 15]) AS average FROM run,
    (SELECT perceptron(CASE WHEN x IN (1, 3) THEN 1 ELSE -1 END, x, '{"max_iter": 3, "averaged": true}' ORDER BY x) AS m FROM generate_series(0, 4) AS x) f WHERE n = 15;

-- every vector votes with the rows that it survived: by hand, in two passes; in another order others
CREATE TABLE votes AS SELECT perceptron(y, x, '{"averaged": "voted", "max_iter": 2, "standardize": false}' ORDER BY i) AS m FROM (VALUES (1, 2, true), (2, 1, false), (3, -1, false)) AS t(i, x, y);
SELECT parameter(m, 'intercept') AS w0, parameter(m, 'coef') AS w, parameter(m, 'survived') AS survived FROM votes;
SELECT x, near(decision(m, x), expected) AS decision, classify(m, x) FROM votes, (VALUES (1, 2 / 6.0), (-0.25, -4 / 6.0), (0, -1 / 6.0)) AS t(x, expected);
SELECT parameter(perceptron(y, (a, b), '{"averaged": "voted"}' ORDER BY i DESC), 'survived') <> parameter(perceptron(y, (a, b), '{"averaged": "voted"}' ORDER BY i), 'survived') AS order_matters FROM six;
-- the average is that of the vectors, by their votes
SELECT near((parameter(a, 'intercept'))[1], sum(c * w) / sum(c)) AS average FROM (SELECT perceptron(y, (a, b), '{"averaged": "voted", "standardize": true}' ORDER BY i) AS m, perceptron(y, (a, b), '{"averaged": true, "standardize": true}' ORDER BY i) AS a FROM six) f,
    unnest(parameter(m, 'intercept'), parameter(m, 'survived')) AS v(w, c) GROUP BY a;
-- one vector: the plain perceptron
SELECT parameter(m, 'survived') AS survived, array_agg(decision(m, x) ORDER BY x) AS decisions FROM (SELECT perceptron(y, x, '{"init": "basic_linear", "averaged": "voted"}' ORDER BY x) AS m FROM (VALUES (false, -2), (false, -1), (true, 1), (true, 2)) AS t(y, x)) f, (VALUES (-1), (0), (1)) AS t(x) GROUP BY m;
SELECT summary(perceptron(y, f, '{"averaged": "voted"}' ORDER BY i)) FROM six, LATERAL (SELECT a, b) AS f;
SELECT m::text::model = m AS text, m::jsonb::model = m AS json FROM votes;
SELECT try($$SELECT distance(m, 1) FROM votes$$);
SELECT try($$SELECT coefficients(m) FROM votes$$);
SELECT try($$SELECT to_sql(m) FROM votes$$);
SELECT try($$SELECT explain(m, 1) FROM votes$$);
SELECT try($$SELECT perceptron(i, a, '{"averaged": "voted"}') FROM six$$);
SELECT try($$SELECT perceptron(y, x, jsonb_build_object('start', m::jsonb)) FROM votes, (VALUES (1, true)) AS t(x, y)$$);
SELECT try($$SELECT perceptron(y, (a, b), jsonb_build_object('average', 'voted', 'start', (SELECT perceptron(y, (a, b) ORDER BY i)::jsonb FROM six))) FROM six$$);
SELECT try($$SELECT perceptron(y, a, '{"average": "median"}') FROM six$$);
SELECT try(format('SELECT %L::model', replace(m::text, '"survived":{"i64":[1', '"survived":{"i64":[0'))) FROM votes;
SET pgfit.fit_mem = '1MB';
SELECT try($$SELECT perceptron(i % 2, i, '{"averaged": "voted"}' ORDER BY i) FROM generate_series(1, 2000) AS i$$);
RESET pgfit.fit_mem;
DROP TABLE votes;

-- weights multiply the steps, as class weights do; a row of weight 0 is none
SELECT near_all(estimates(perceptron(y, (a, b), '{"max_iter": 7}', 2.5 ORDER BY i)), ARRAY(SELECT e * 2.5 FROM unnest(estimates(perceptron(y, (a, b), '{"max_iter": 7}' ORDER BY i))) AS e)) AS scaled,
    near_all(estimates(perceptron(y, (a, b), '{"max_iter": 7, "class_weight": {"1": 3}}' ORDER BY i)), estimates(perceptron(y, (a, b), '{"max_iter": 7}', CASE y WHEN 1 THEN 3 ELSE 1 END ORDER BY i))) AS class_weight,
    near_all(estimates(perceptron(y, (a, b), NULL, (i <> 3)::int ORDER BY i)), estimates(perceptron(y, (a, b) ORDER BY i) FILTER (WHERE i <> 3))) AS left_out FROM six;
SELECT cardinality(estimates(perceptron(y, (a, b), '{"intercept": false, "max_iter": 1}' ORDER BY i))) AS no_constant FROM six;

-- standardized: as if the features were, the coefficients in their units; far from 0 too
SELECT near_all(ARRAY[e[1] + e[2] * 3.1 + e[3] * 2], ARRAY[h[1] + h[2] * (3.1 - ma) / sa + h[3] * (2 - mb) / sb], 1e-12) AS by_hand, bool_and(near(decision(f, (o + 3.1, 2)), decision(s, (3.1, 2)), 1e-5)) AS far
FROM (SELECT estimates(perceptron(y, (a, b), '{"standardize": true}' ORDER BY i)) AS e, perceptron(y, (a, b), '{"standardize": true}' ORDER BY i) AS s, perceptron(y, (a + o, b), '{"standardize": true}' ORDER BY i) AS f, o,
          estimates(perceptron(y, ((a - ma) / sa, (b - mb) / sb) ORDER BY i)) AS h, ma, mb, sa, sb
      FROM six, (SELECT avg(a) AS ma, avg(b) AS mb, stddev_pop(a) AS sa, stddev_pop(b) AS sb FROM six) m, (VALUES (1e9)) AS far(o) GROUP BY o, ma, mb, sa, sb) q GROUP BY e, h, ma, mb, sa, sb;
SELECT near_all(estimates(perceptron(y, (a, b, 7), '{"standardize": true}' ORDER BY i)), estimates(perceptron(y, (a, b), '{"standardize": true}' ORDER BY i)) || 0.0::float8) AS constant,
    cardinality(estimates(perceptron(y, (a, b), '{"standardize": true, "intercept": false, "max_iter": 1}' ORDER BY i))) AS scaled_alone FROM six;
SELECT try($$SELECT perceptron(y, (a, b), jsonb_build_object('standardize', true, 'start', (SELECT perceptron(y, (a, b) ORDER BY i)::jsonb FROM six))) FROM six$$);

-- text, NULLs, missing levels, more rows than memory: the same model
SET client_min_messages = error; -- how many mistakes there are is not the point
CREATE TABLE many AS SELECT i, sin(i * 1.3) * 3 AS a, CASE WHEN i % 11 = 0 THEN NULL ELSE cos(i * 0.7) END AS b, (ARRAY['u', 'v', 'w'])[i % 3 + 1] AS k, sin(i * 1.3) * 3 + (i % 3) > 1 AS y FROM generate_series(1, 30000) AS i;
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped, array_agg(term) AS terms FROM (SELECT perceptron(y, f, '{"max_iter": 2}' ORDER BY i) AS m FROM many, LATERAL (SELECT a, b, k) AS f) q, coefficients(m) GROUP BY m;
SET pgfit.fit_mem = '1MB';
CREATE TABLE little AS SELECT perceptron(y, f, '{"max_iter": 20, "averaged": true}' ORDER BY i) AS m FROM many, LATERAL (SELECT a, b, k) AS f;
RESET pgfit.fit_mem;
SELECT m = (SELECT perceptron(y, f, '{"max_iter": 20, "averaged": true}' ORDER BY i) FROM many, LATERAL (SELECT a, b, k) AS f) AS same FROM little;
SELECT avg((classify(m, f)::boolean = y)::int) > 0.95 AS fits FROM little, many, LATERAL (SELECT a, b, k) AS f;

RESET client_min_messages;

-- continuing: passes in two calls are passes in one; a call of one row is the online form
SELECT near_all(estimates(perceptron(y, (a, b), '{"max_iter": 5}'::jsonb || jsonb_build_object('start', m::jsonb) ORDER BY i)), (SELECT estimates(perceptron(y, (a, b), '{"max_iter": 12}' ORDER BY i)) FROM six)) AS seven_and_five
FROM six, (SELECT perceptron(y, (a, b), '{"max_iter": 7}' ORDER BY i) AS m FROM six) s GROUP BY m;
CREATE TABLE online AS SELECT 0 AS n, perceptron(y, (a, b), '{"max_iter": 1}' ORDER BY i) AS m FROM six WHERE i IN (1, 4);
DO $$ BEGIN
    FOR k IN 1 .. 5 LOOP
        UPDATE online SET n = k, m = (SELECT pgfit.perceptron(y, (a, b), jsonb_build_object('start', m::jsonb, 'max_iter', 1)) FROM six WHERE i = k);
    END LOOP;
END $$;
SELECT near_all(estimates(m), (SELECT estimates(perceptron(y, (a, b), '{"max_iter": 1}' ORDER BY o)) FROM (SELECT y, a, b, row_number() OVER (ORDER BY o) AS o FROM (SELECT i AS o, * FROM six WHERE i IN (1, 4) UNION ALL SELECT 10 + i, * FROM six WHERE i < 6) u) q)) AS online, pg_column_size(m) < 1500 AS small FROM online;
-- rows that lack classes and levels, or have new levels; the start is not kept in the options
SELECT term, a.estimate AS before, b.estimate AS after FROM (SELECT perceptron(y, (k, x) ORDER BY x) AS m FROM (VALUES ('p', 'u', 1), ('q', 'v', 2), ('p', 'u', 3), ('q', 'w', 4)) AS t(y, k, x)) f,
    LATERAL (SELECT perceptron(p, ('z'::text, -9), jsonb_build_object('start', m::jsonb, 'max_iter', 1)) AS n FROM (VALUES ('p')) AS one(p)) g, LATERAL coefficients(n) b LEFT JOIN LATERAL coefficients(m) a USING (term) ORDER BY term COLLATE "C";
SELECT info(m) -> 'options' ? 'start' AS kept FROM online;
SELECT try($$SELECT perceptron(y, (a, b, a), jsonb_build_object('start', m::jsonb)) FROM six, online$$);
SELECT try($$SELECT perceptron(y, f, jsonb_build_object('start', m::jsonb)) FROM six, online, LATERAL (SELECT a, b) AS f$$);
SELECT try($$SELECT perceptron(y + 9, (a, b), jsonb_build_object('start', m::jsonb)) FROM six, online$$);
SELECT try($$SELECT perceptron(y::text, (a, b), jsonb_build_object('start', m::jsonb)) FROM six, online$$);
SELECT try($$SELECT perceptron(y, (a, b), jsonb_build_object('start', m::jsonb, 'class_weight', 'balanced')) FROM six, online WHERE y = 1$$);
SELECT perceptron(y, (a, b), jsonb_build_object('start', m::jsonb, 'class_weight', '{"1": 2}'::jsonb)) IS NOT NULL AS one_class FROM six, online WHERE y = 1;
SELECT try($$SELECT perceptron(y, (a, b), jsonb_build_object('start', m::jsonb, 'intercept', false)) FROM six, online$$);
SELECT try($$SELECT perceptron(y, (a, b), jsonb_build_object('start', (SELECT moments(y, (a, b))::jsonb FROM six))) FROM six$$);
SELECT try($$SELECT perceptron(y, (a, b), jsonb_build_object('start', m::jsonb, 'positive', -1)) FROM six, online$$);
SELECT try($$SELECT perceptron(y, (a, b), jsonb_build_object('start', (SELECT linear_regression(y, (a, b))::jsonb FROM six))) FROM six$$);
SELECT try($$SELECT perceptron(y, (a, b), '{"start": {"pgfit": 1}}') FROM six$$);
SELECT try($$SELECT perceptron(y, (a, b), '{"start": 7}') FROM six$$);

-- several classes: each of ovr is the perceptron of its class against the others
SET client_min_messages = error;
SELECT bool_and(near_all(e, CASE class WHEN 'u' THEN u WHEN 'v' THEN v ELSE w END)) AS one_each
FROM (SELECT class, array_agg(estimate) AS e FROM (SELECT perceptron(k, a, '{"max_iter": 3}' ORDER BY i) AS m FROM many) f, coefficients(m) GROUP BY class) r,
    (SELECT estimates(perceptron(k = 'u', a, '{"max_iter": 3}' ORDER BY i)) AS u, estimates(perceptron(k = 'v', a, '{"max_iter": 3}' ORDER BY i)) AS v, estimates(perceptron(k = 'w', a, '{"max_iter": 3}' ORDER BY i)) AS w FROM many) s;
RESET client_min_messages;
SELECT info(m) -> 'implementation' -> 'arrays' -> 'mistakes' ->> 'shape' AS mistakes FROM (SELECT perceptron(i, ARRAY[i, i * i], '{"multiclass": "ovo", "mistakes": true}' ORDER BY i) AS m FROM generate_series(1, 4) AS i) f;

-- bad input
SELECT try($$SELECT perceptron('one', a) FROM six$$);
SELECT perceptron('one', a, '{"too_few_rows": "null"}') IS NULL AS no_model FROM six;
SELECT perceptron(NULL::int, a) IS NULL AS all_null FROM six;
SELECT try($$SELECT perceptron(y, a, '{"learning_rate": 0}') FROM six$$);
SELECT try($$SELECT perceptron(y, a, '{"learning_rate": 1.5}') FROM six$$);
SELECT try($$SELECT perceptron(y, a, '{"learning_rate": -1}') FROM six$$);
SELECT try($$SELECT perceptron(y, a, '{"max_iter": 0}') FROM six$$);
SELECT try($$SELECT perceptron(y, a, '{"init": "random"}') FROM six$$);
SELECT try($$SELECT perceptron(i, a, '{"positive": 3}') FROM six$$);
SELECT try($$SELECT perceptron(y, 'NaN'::float8) FROM six$$);
SELECT try($$SELECT perceptron(y, 1.7e308 * y) FROM six$$) ~ '^(ok|22003)' AS fitted_or_refused;
SET pgfit.fit_mem = '1MB';
SELECT try($$SELECT perceptron(i % 200, i, '{"mistakes": true, "max_iter": 1}') FROM generate_series(1, 20000) AS i$$);
RESET pgfit.fit_mem;

-- perceptron regression: least mean squares, the printed step, going on, a bound on the residuals
CREATE TABLE line AS SELECT * FROM (VALUES (1, 1.0, 1), (2, 2, 3), (3, 3, 2)) AS t(i, x, y);
SELECT near_all(estimates(perceptron_regression(y, x, '{"max_iter": 3, "learning_rate": 0.05}' ORDER BY i)), ARRAY[0.36648459565625, 0.65592622634375]) AS lms,
    near_all(estimates(perceptron_regression(y, x, '{"max_iter": 1, "learning_rate": 1, "update": "squared"}' ORDER BY i)), ARRAY[5, 13]) AS squared FROM line;
SELECT near_all(estimates(perceptron_regression(y, x, '{"max_iter": 2, "learning_rate": 0.05}'::jsonb || jsonb_build_object('start', m::jsonb) ORDER BY i)), ARRAY[0.36648459565625, 0.65592622634375]) AS one_and_two
FROM line, (SELECT perceptron_regression(y, x, '{"max_iter": 1, "learning_rate": 0.05}' ORDER BY i) AS m FROM line) s GROUP BY m;
SELECT near(predict(m, 1004), 2009, 1e-6) AS standardized FROM (SELECT perceptron_regression(2 * x + 1, x, '{"standardize": true, "max_iter": 2000}' ORDER BY x) AS m FROM generate_series(1000, 1010) AS x) f;
SELECT near(predict(m, 10), 21, 1e-6) AS fitted, info(m) -> 'converged' AS converged, (info(m) -> 'iterations')::int < 5000 AS early, info(m) -> 'statistics' ? 'running_rss' AS residuals
FROM (SELECT perceptron_regression(2 * x + 1, x, '{"max_iter": 5000, "learning_rate": 0.05, "tolerance": 1e-16}' ORDER BY x) AS m FROM generate_series(-3, 3) AS x) f;
SELECT info(perceptron_regression(y, x, '{"max_iter": 3, "tolerance": 1e-9}' ORDER BY i)) -> 'converged' AS converged FROM line;
SELECT near(predict(m, f), CASE f.k WHEN 'u' THEN 5 ELSE 7 END, 1e-6) AS level FROM (SELECT perceptron_regression(CASE f.k WHEN 'u' THEN 5 ELSE 7 END, f, '{"max_iter": 500, "learning_rate": 0.1}' ORDER BY i) AS m FROM many, LATERAL (SELECT k) AS f WHERE i < 50) q, LATERAL (VALUES ('u'), ('v')) AS f(k);
SELECT term FROM (SELECT perceptron_regression(i, f, '{"max_iter": 1}' ORDER BY i) AS m FROM many, LATERAL (SELECT a, k) AS f WHERE i < 50) q, coefficients(m);
SELECT near_all(estimates(perceptron_regression(y, x, '{"max_iter": 3, "learning_rate": 0.05}', 2 ORDER BY i)), estimates(perceptron_regression(y, x, '{"max_iter": 3, "learning_rate": 0.1}' ORDER BY i))) AS weights FROM line;
SELECT to_sql(perceptron_regression(y, f, '{"max_iter": 1, "learning_rate": 1}' ORDER BY i)) FROM line, LATERAL (SELECT x) AS f;
SELECT summary(perceptron_regression(y, f, '{"max_iter": 1, "learning_rate": 1}' ORDER BY i)) FROM line, LATERAL (SELECT x) AS f;
SELECT try($$SELECT perceptron_regression(y, x, '{"learning_rate": 1, "max_iter": 500}' ORDER BY i) FROM line$$);
SELECT try($$SELECT perceptron_regression(y, x, '{"update": "squared", "max_iter": 500}' ORDER BY i) FROM line$$) ~ '^22003: perceptron_regression diverged.*squared residuals only ever push one way' AS diverged;
SELECT try($$SELECT perceptron_regression(y, x, '{"update": "cubed"}' ORDER BY i) FROM line$$);
SELECT try($$SELECT perceptron_regression(y, x, '{"learning_rate": 2}' ORDER BY i) FROM line$$);
SELECT split_part(try($$SELECT classify(perceptron_regression(y, x), 1) FROM line$$), E'\n', 1);
SELECT perceptron_regression(NULL::int, x) IS NULL AS all_null FROM line;
SELECT m::text::model = m AS text, m::jsonb::model = m AS json FROM (SELECT perceptron_regression(i, f, '{"max_iter": 1}' ORDER BY i) AS m FROM many, LATERAL (SELECT a, k) AS f WHERE i < 50) q;

-- typed models
SELECT try(format('SELECT %L::model', replace(m::text, '"coef":[', '"coef":[1,'))) FROM (SELECT perceptron(y, (a, b) ORDER BY i) AS m FROM six) f;
SELECT try(format('SELECT %L::model', regexp_replace(m::text, '"intercept":\[[^]]*\]', '"intercept":[1,2]'))) FROM (SELECT perceptron(y, (a, b) ORDER BY i) AS m FROM six) f;
SELECT try(format('SELECT %L::model', replace(m::text, '"coef":[', '"coef":[1,'))) FROM (SELECT perceptron_regression(y, x ORDER BY i) AS m FROM line) f;
SELECT try(format('SELECT %L::model', replace(m::text, '"arrays":{', '"arrays":{"link":{"i64":[1]},'))) FROM (SELECT perceptron_regression(y, x ORDER BY i) AS m FROM line) f;
DROP TABLE six, crossed, many, little, online, line;
