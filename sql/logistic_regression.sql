-- Logistic regression: fits and their results, penalties, several classes, options, edges, errors.
SET search_path = public, test, pgfit, pgfit_textbook;
CREATE TABLE titanic (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    survived int, pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text, class text,
    who text, adult_male boolean, deck text, embark_town text, alive text, alone boolean);
\copy titanic (survived, pclass, sex, age, sibsp, parch, fare, embarked, class, who, adult_male, deck, embark_town, alive, alone) FROM PROGRAM 'sed ''1d;$d'' examples/titanic.sql' WITH (FORMAT csv, HEADER)
ANALYZE titanic;

-- raw columns with texts and NULLs in one query
CREATE TABLE survival AS SELECT logistic_regression(alive, f) AS m FROM titanic, LATERAL (SELECT sex, age, fare, class, embarked) AS f;
SELECT summary(m) FROM survival;
SELECT round(odds_ratio::numeric, 4) AS odds_ratio, round(conf_low::numeric, 3) AS conf_low, round(conf_high::numeric, 3) AS conf_high, p_value < 0.05 AS significant, class IS NULL AS one_equation, term
FROM survival, odds_ratios(m);
SELECT info(m) -> 'options' AS options, info(m) -> 'classes' AS classes, info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped, info(m) -> 'converged' AS converged FROM survival;
SELECT key, round(value::text::numeric, 3) AS value FROM survival, jsonb_each(info(m) -> 'statistics') WHERE jsonb_typeof(value) = 'number' AND key <> 'iterations' ORDER BY key;
-- the same from dummies made by hand
CREATE VIEW dummies AS SELECT *, (sex = 'male')::int AS male, (class = 'Second')::int AS second, (class = 'Third')::int AS third, (embarked = 'Q')::int AS q, (embarked = 'S')::int AS s FROM titanic;
CREATE TABLE by_hand AS SELECT logistic_regression(survived, f) AS m FROM dummies, LATERAL (SELECT male, age, fare, second, third, q, s) AS f;
SELECT near_all(estimates(s.m), estimates(h.m), 1e-9) AS estimates, near_all(s.errors, h.errors, 1e-9) AS errors
FROM (SELECT m, (SELECT array_agg(std_error) FROM coefficients(m)) AS errors FROM survival) s, (SELECT m, (SELECT array_agg(std_error) FROM coefficients(m)) AS errors FROM by_hand) h;
SELECT count(p), bool_and(near(p, q, 1e-9)) AS probabilities
FROM (SELECT probability(s.m, f) AS p, probability(h.m, g) AS q FROM survival s, by_hand h, dummies d, LATERAL (SELECT d.sex, d.age, d.fare, d.class, d.embarked) AS f, LATERAL (SELECT d.male, d.age, d.fare, d.second, d.third, d.q, d.s) AS g WHERE d.embarked IS NOT NULL) t;
DROP VIEW dummies;
DROP TABLE by_hand;

-- scores agree with each other and with the expression
SELECT count(*), bool_and(near(probability(m, f), logistic(decision(m, f)))) AS logistic, bool_and(near(probabilities[1] + probabilities[2], 1)) AS sum_one,
       bool_and(classify(m, f) = CASE WHEN decision(m, f) > 0 THEN 'yes' ELSE 'no' END) AS by_decision,
       bool_and(near(distance(m, f) * norm, decision(m, f), 1e-9)) AS distance
FROM survival, titanic, LATERAL (SELECT sex, age, fare, class, embarked) AS f, LATERAL (SELECT probabilities(m, f)) AS p,
     (SELECT sqrt(sum(estimate ^ 2)) AS norm FROM survival, coefficients(m) WHERE term <> '(intercept)') n
WHERE probability(m, f) IS NOT NULL;
SELECT probability(m, f) IS NULL AS no_age, classify(m, f) IS NULL AS no_class FROM survival, titanic AS t, LATERAL (SELECT t.sex, t.age, t.fare, t.class, t.embarked) AS f WHERE t.age IS NULL LIMIT 1;
SELECT to_sql(m) AS expression FROM survival \gset
SELECT count(e), bool_and(near(p, e, 1e-12) OR (p IS NULL AND e IS NULL)) AS expression_agrees
FROM (SELECT probability(m, f) AS p, (SELECT :expression FROM (SELECT (f).*) AS own) AS e FROM survival, titanic AS t, LATERAL (SELECT t.sex, t.age, t.fare, t.class, t.embarked) AS f) AS scores;
SELECT round((SELECT sum((classify(m, f) = alive)::int)::numeric FROM titanic, LATERAL (SELECT sex, age, fare, class, embarked) AS f) / 712, 4) AS accuracy FROM survival;

-- text and jsonb give the same value; so do other plans
SELECT m = m::text::model AS text, m = m::jsonb::model AS jsonb FROM survival;
SET pgfit.fit_mem = '64kB';
SELECT s.m = logistic_regression(alive, f) AS same_when_spilled FROM survival s, titanic, LATERAL (SELECT sex, age, fare, class, embarked) AS f GROUP BY s.m;
RESET pgfit.fit_mem;
SELECT same_fit(s.m, logistic_regression(alive, f ORDER BY -id), 1e-9) AS same_in_another_order FROM survival s, titanic, LATERAL (SELECT sex, age, fare, class, embarked) AS f GROUP BY s.m;

-- imputed NULLs
SELECT (info(m) -> 'rows')::int AS rows, count(probability(m, f)) AS scored FROM (SELECT logistic_regression(alive, f, '{"nulls": "impute"}') AS m FROM titanic, LATERAL (SELECT sex, age, deck) AS f) t, titanic, LATERAL (SELECT sex, age, deck) AS f GROUP BY m;
SELECT to_sql(logistic_regression(alive, f, '{"nulls": "impute"}')) AS expression FROM titanic, LATERAL (SELECT sex, age, deck) AS f \gset
SELECT count(e), bool_and(near(p, e, 1e-12)) AS expression_agrees
FROM (SELECT probability(m, f) AS p, (SELECT :expression FROM (SELECT (f).*) AS own) AS e FROM (SELECT logistic_regression(alive, f, '{"nulls": "impute"}') AS m FROM titanic, LATERAL (SELECT sex, age, deck) AS f) fitted, titanic AS t, LATERAL (SELECT t.sex, t.age, t.deck) AS f) AS scores;

-- groups, filters, numbers and booleans as labels
SELECT class, round(e[2]::numeric, 4) AS slope_of_age FROM (SELECT class, estimates(logistic_regression(survived = 1, age)) AS e FROM titanic GROUP BY class) t ORDER BY class;
SELECT logistic_regression(alive, age) FILTER (WHERE sex = 'male') = (SELECT logistic_regression(alive, age) FROM titanic WHERE sex = 'male') AS same FROM titanic;
SELECT predict(m, 90), predict(m, 1), classify(m, 1, NULL::int) FROM (SELECT logistic_regression(survived, age, '{"lambda": 1}') AS m FROM titanic WHERE sex = 'male') t;
SELECT logistic_regression(alive, NULL::float8) IS NULL AS no_rows, logistic_regression(NULL::text, age) IS NULL AS no_labels FROM titanic;

-- the other class as the positive one, thresholds and ties
SELECT near_all((SELECT array_agg(-e) FROM unnest(estimates(s.m)) AS e), estimates(p.m), 1e-9) AS turned, bool_and(near(probability(s.m, f) + probability(p.m, f), 1)) AS complements
FROM survival s, (SELECT logistic_regression(alive, f, '{"positive": "no"}') AS m FROM titanic, LATERAL (SELECT sex, age, fare, class, embarked) AS f) p, titanic, LATERAL (SELECT sex, age, fare, class, embarked) AS f
WHERE probability(s.m, f) IS NOT NULL GROUP BY s.m, p.m;
SELECT bool_and((classify(m, f) = 'yes') = (probability(m, f) > 0.8)) AS threshold FROM (SELECT logistic_regression(alive, f, '{"threshold": 0.8}') AS m FROM titanic, LATERAL (SELECT sex, fare) AS f) t, titanic, LATERAL (SELECT sex, fare) AS f;
SELECT classify(logistic_regression(y, x, '{"intercept": false}'), 0) AS negative, classify(logistic_regression(y, x, '{"intercept": false, "tie": "positive"}'), 0) AS positive, classify(logistic_regression(y, x, '{"intercept": false, "tie": "null"}'), 0) IS NULL AS none
FROM (VALUES ('a', 1.0), ('a', 2), ('b', 1.5), ('b', 0.5), ('b', -1), ('a', 2)) AS t(y, x);

-- penalties: the derivative of the objective is 0 at the coefficients (in absolute value at most lambda where they are 0)
CREATE FUNCTION test.slopes(m model) RETURNS float8[] LANGUAGE sql AS $$
    SELECT ARRAY[sum(p - y), sum((p - y) * x[1]), sum((p - y) * x[2]), sum((p - y) * x[3])]
    FROM (SELECT survived AS y, x, pgfit.probability(m, x) AS p FROM public.titanic, LATERAL (SELECT ARRAY[age / 10, fare / 100, parch] AS x) t WHERE age IS NOT NULL) t $$;
CREATE VIEW small AS SELECT survived, ARRAY[age / 10, fare / 100, parch] AS x FROM titanic;
SELECT o, round(g[1]::numeric, 5) + 0 AS intercept, (SELECT array_agg(round((g[i + 1] + 2 * l2 * b[i] + l1 * sign(b[i]))::numeric, 4) + 0) FROM generate_series(1, 3) AS i WHERE b[i] <> 0) AS slopes,
       (SELECT bool_and(abs(g[i + 1]) <= l1) FROM generate_series(1, 3) AS i WHERE b[i] = 0) AS zeros
FROM (VALUES ('{"lambda": 3}', 0, 3), ('{"lambda": 3, "penalty": "l2"}', 0, 3), ('{"lambda": 20, "penalty": "l1"}', 20, 0), ('{"lambda": 8, "penalty": "elastic_net", "alpha": 0.75}', 6, 2), ('{"penalty": "none"}', 0, 0)) AS t(o, l1, l2),
     LATERAL (SELECT logistic_regression(survived, x, o::jsonb) AS m FROM small) f, LATERAL (SELECT parameter(m, 'coef') AS b, slopes(m) AS g) s;
SELECT penalty, count(std_error) AS errors, count(*) AS terms, info -> 'objective' IS NOT NULL AS objective, info -> 'aic' IS NOT NULL AS aic
FROM (VALUES ('{}'), ('{"lambda": 1}'), ('{"class_weight": "balanced"}')) AS t(penalty), LATERAL (SELECT logistic_regression(survived, x, penalty::jsonb) AS m FROM small) f, LATERAL (SELECT info(m) -> 'statistics' AS info) i, coefficients(m) GROUP BY penalty, info ORDER BY 1;
-- standardized: the same whatever the units
SELECT near(e[2], 10 * d[2], 1e-9) AS same FROM (SELECT estimates(logistic_regression(survived, age / 10, '{"lambda": 5, "standardize": true}')) AS e, estimates(logistic_regression(survived, age, '{"lambda": 5, "standardize": true}')) AS d FROM titanic) t;
-- weights: rows twice, class weights
SELECT same_fit(logistic_regression(survived, x), logistic_regression(survived, x, '{}', 1.0), 1e-9) AS ones, near_all(estimates(logistic_regression(survived, x, '{}', CASE survived WHEN 1 THEN 2.5 ELSE 1 END)), estimates(logistic_regression(survived, x, '{"class_weight": {"1": 2.5}}')), 1e-9) AS class_weight FROM small;
SELECT (info(m) -> 'rows')::int AS rows FROM (SELECT logistic_regression(survived, x, '{}', (parch = 0)::int) AS m FROM titanic, LATERAL (SELECT ARRAY[age, fare] AS x) f) t;
-- starting from a model: fewer iterations, the same result
SELECT near_all(estimates(a), estimates(b), 1e-9) AS same, (info(b) -> 'iterations')::int <= 2 AS fewer, info(b) -> 'options' ? 'start' AS kept
FROM (SELECT logistic_regression(survived, x, '{"lambda": 1}') AS a FROM small) f, LATERAL (SELECT logistic_regression(survived, x, jsonb_build_object('lambda', 1, 'start', a::jsonb)) AS b FROM small) g;

-- several classes
CREATE TABLE ports AS SELECT logistic_regression(embarked, f) AS m, logistic_regression(embarked, f, '{"lambda": 1}') AS penalized, logistic_regression(embarked, f, '{"multiclass": "ovr"}') AS ovr, logistic_regression(embarked, f, '{"multiclass": "ovo"}') AS ovo, logistic_regression(embarked, f, '{"multiclass": "ecoc"}') AS ecoc
FROM titanic, LATERAL (SELECT class, fare, sex) AS f;
SELECT summary(m) FROM ports;
SELECT class, term, round(estimate::numeric, 4) AS estimate, std_error IS NULL AS no_error FROM ports, coefficients(penalized);
SELECT round(sum(estimate)::numeric, 9) + 0 AS sum, term FROM ports, coefficients(penalized) GROUP BY term ORDER BY term;
SELECT DISTINCT class FROM ports, coefficients(ovo) ORDER BY 1;
SELECT class, count(*) FROM ports, odds_ratios(m) GROUP BY class ORDER BY class;
SELECT name, round(sum(p[i])::numeric, 6) AS sum_of_probabilities, count(DISTINCT c) AS classes, max(cardinality(d)) AS decisions
FROM (VALUES ('m'), ('penalized'), ('ovr'), ('ovo'), ('ecoc')) AS n(name), ports, LATERAL (SELECT CASE name WHEN 'm' THEN m WHEN 'penalized' THEN penalized WHEN 'ovr' THEN ovr WHEN 'ovo' THEN ovo ELSE ecoc END AS k) AS k,
     (SELECT class, fare, sex, id FROM titanic WHERE id % 40 = 1) r, LATERAL (SELECT class, fare, sex) AS f, LATERAL (SELECT probabilities(k, f) AS p, classify(k, f) AS c, decisions(k, f) AS d) s, generate_series(1, 3) AS i
GROUP BY name ORDER BY name;
-- the multinomial intercepts reproduce the shares of the classes
SELECT name, round(avg(probability(k, f, name))::numeric, 6) = round(avg((embarked = name)::int), 6) AS shares FROM ports, LATERAL (SELECT m AS k) AS k, titanic, LATERAL (SELECT class, fare, sex) AS f, unnest(classes(k)) AS name WHERE embarked IS NOT NULL GROUP BY name ORDER BY name;
SELECT to_sql(m) AS expression FROM ports \gset
SELECT count(e), bool_and(c = e) AS expression_agrees
FROM (SELECT classify(m, f) AS c, (SELECT :expression FROM (SELECT (f).*) AS own) AS e FROM ports, titanic AS t, LATERAL (SELECT t.class, t.fare, t.sex) AS f) AS scores;
-- two classes by softmax: each class has half of every coefficient if lambda is doubled
SELECT near(s[4], b[1] / 2, 1e-9) AS half, near(s[1], -b[1] / 2, 1e-9) AS minus_half
FROM (SELECT parameter(logistic_regression(survived, x, '{"lambda": 1}'), 'coef') AS b, parameter(logistic_regression(survived, x, '{"lambda": 2, "multiclass": "multinomial"}'), 'coef') AS q FROM small) f,
     LATERAL (SELECT array_agg(v) AS s FROM unnest(q) AS v) u;

-- separable classes, terms that depend on others, fits that stop early
SELECT info(logistic_regression(x > 2, x)) -> 'converged' AS converged FROM generate_series(1, 4) AS x;
SELECT info(logistic_regression(y, f)) -> 'statistics' -> 'separated' AS separated FROM (SELECT sex, survived AS y, CASE WHEN survived = 1 AND id % 2 = 0 THEN 'only survivors' ELSE 'mixed' END AS place FROM titanic) t, LATERAL (SELECT sex, place) AS f;
SELECT info(logistic_regression(x > 2, x, '{"lambda": 0.1}')) -> 'converged' AS converged FROM generate_series(1, 4) AS x;
SELECT term, estimate IS NULL AS dropped FROM (SELECT logistic_regression(survived, (age, age * 2 + 1, 7)) AS m FROM titanic) t, coefficients(m);
SELECT info(logistic_regression(survived, x, '{"max_iter": 1}')) -> 'converged' AS converged FROM small;

-- refused
SELECT try($$SELECT logistic_regression('yes', age) FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, age, '{"lambda": -1}') FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, age, '{"penalty": "elastic_net", "lambda": 1, "alpha": 1.5}') FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, age, '{"lambda": 1, "alpha": 0.5}') FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, age, '{"penalty": "l1"}') FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, age, '{"penalty": "none", "lambda": 1}') FROM titanic$$);
SELECT try($$SELECT logistic_regression(id, age, '{"max_levels": 100}') FROM titanic$$);
SELECT try($$SELECT logistic_regression(embarked, age, '{"positive": "S"}') FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, age, jsonb_build_object('start', (SELECT m::jsonb FROM survival))) FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, age, jsonb_build_object('start', (SELECT linear_regression(survived, age)::jsonb FROM titanic))) FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, 'NaN'::float8) FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, age * 1e300) FROM titanic$$);
SELECT try($$SELECT logistic_regression(alive, age * 1e-200) FROM titanic$$);
-- a class whose weight makes that of the others vanish once gave a model that could not be read back
SELECT try($$SELECT logistic_regression(survived, x, '{"lambda": 1}', CASE survived WHEN 1 THEN 1e-308 ELSE 1e290 END) FROM small$$);
SELECT try($$SELECT decision(m, f) FROM ports, titanic, LATERAL (SELECT class, fare, sex) AS f$$);
SELECT try($$SELECT odds_ratios(linear_regression(survived, age)) FROM titanic$$);

-- more than 800 columns of which fewer are left
SET client_min_messages = error;
SELECT info(logistic_regression(y, x)) ->> 'rows' AS rows
FROM (SELECT i % 3 = 0 AS y, (SELECT array_agg(CASE WHEN j <= 780 THEN 1 ELSE sin(i * j + j * j) END) FROM generate_series(1, 810) AS j) AS x FROM generate_series(1, 900) AS i) AS q;
RESET client_min_messages;

-- classes are separated, and the tolerance tiny: the last step, of which nothing but rounding was left, led to a likelihood below that of no features
SELECT tolerance, (info(m) #>> '{statistics,log_likelihood}')::float8 BETWEEN -5.9927030 AND -5.9927029 AS likely, info(m) #> '{statistics,separated}' AS separated
FROM unnest(ARRAY['1e-10', '1e-14']) AS tolerance, LATERAL (
    SELECT logistic_regression(k, (SELECT f FROM (SELECT a, b, c) AS f), jsonb_build_object('tolerance', tolerance::float8)) AS m
    FROM (VALUES ('w', 1.84375, 2.46484375, 'x'), ('v', -3.1435546875, -1.109375, 'y'), ('w', 3.9267578125, -1.3046875, 'z'), ('v', -1.7041015625, 1.2802734375, 'x'),
                 ('v', 2.5654296875, -1.1826171875, 'x'), ('u', -1.13671875, 0.3076171875, 'y'), ('u', -1.4052734375, 1.7001953125, 'y'), ('w', 6.818359375, -0.0546875, 'y'),
                 ('u', 0.6962890625, -3.0517578125, 'x'), ('v', 4.1201171875, -0.0888671875, 'y'), ('u', 1.9267578125, 2.2861328125, 'x'), ('u', 0.6923828125, -0.4765625, 'x')) AS v(k, a, b, c)) AS fits;
-- the functions behind it
SELECT logistic(0), logistic(-800), logistic(800), near(logistic(-40), 4.24835425529159e-18, 1e-14), logistic('NaN'), logistic('-Infinity');
SELECT softmax('{0,0}'), softmax('{1000,0}'), softmax('{}'), near_all(softmax('{2,1,-1}'), '{0.705384512698241,0.259496460342419,0.0351190269593397}', 1e-13);
SELECT near(cross_entropy('{0.7,0.2,0.1}', 1), 0.356674943938732, 1e-14), cross_entropy('{0,1}', 1), cross_entropy('{0,1}', 2);
SELECT try($$SELECT softmax('{1,NULL}')$$);
SELECT try($$SELECT softmax('{{1,2}}')$$);
SELECT try($$SELECT softmax('{1,Infinity}')$$);
SELECT try($$SELECT cross_entropy('{0.5,0.5}', 3)$$);
SELECT try($$SELECT cross_entropy('{0.5,1.5}', 2)$$);
DROP VIEW small CASCADE;
DROP TABLE titanic, survival, ports;
DROP FUNCTION test.slopes(model);
