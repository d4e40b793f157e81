-- A prior of 0: the class is never predicted. A class weight of 0: its rows do not count, or the message says what to do.
SET search_path = public, test, pgfit;
CREATE TABLE flower AS SELECT i, (ARRAY['a', 'b', 'c'])[i % 3 + 1] AS class, i % 3 + sin(i) AS x, i % 3 * 2 + cos(i * 1.7) AS y FROM generate_series(1, 150) i;
CREATE TABLE without AS
    SELECT 'lda' AS name, lda(class, (x, y), '{"priors": {"a": 0, "b": 0.25, "c": 0.75}}') AS m, lda(class, (x, y), '{"priors": {"a": 0.5, "b": 0.125, "c": 0.375}}') AS full_one FROM flower
    UNION ALL SELECT 'qda', qda(class, (x, y), '{"priors": {"a": 0, "b": 0.25, "c": 0.75}}'), qda(class, (x, y), '{"priors": {"a": 0.5, "b": 0.125, "c": 0.375}}') FROM flower
    UNION ALL SELECT 'naive_bayes', naive_bayes(class, (x, y), '{"priors": {"a": 0, "b": 0.25, "c": 0.75}}'), naive_bayes(class, (x, y), '{"priors": {"a": 0.5, "b": 0.125, "c": 0.375}}') FROM flower
    UNION ALL SELECT 'nearest_centroid', nearest_centroid(class, (x, y), '{"priors": {"a": 0, "b": 0.25, "c": 0.75}}'), nearest_centroid(class, (x, y), '{"priors": {"a": 0.5, "b": 0.125, "c": 0.375}}') FROM flower
    UNION ALL SELECT 'decision_rule', decision_rule(qda(class, (x, y)), '{"priors": {"a": 0, "b": 0.25, "c": 0.75}}'), qda(class, (x, y), '{"priors": {"a": 0.5, "b": 0.125, "c": 0.375}}') FROM flower;
SELECT name, count(*) FILTER (WHERE classify(m, (x, y)) = 'a') AS never, bool_and(name = 'nearest_centroid' OR classify(full_one, (x, y)) = 'a' OR classify(m, (x, y)) = classify(full_one, (x, y))) AS as_between_the_others,
    m::text::model = m AS again, summary(m) IS NOT NULL AND info(m) IS NOT NULL AS reports FROM without, flower GROUP BY name, m ORDER BY name COLLATE "C";
SELECT name, bool_and(p[1] = 0 AND near(p[2] / p[3], q[2] / q[3], 1e-9) AND near(p[2] + p[3], 1)) AS probabilities
FROM without, flower, LATERAL (SELECT probabilities(m, (x, y)) AS p, probabilities(full_one, (x, y)) AS q) t WHERE name <> 'nearest_centroid' GROUP BY name ORDER BY name COLLATE "C";
SELECT bool_and(CASE WHEN abs(d) < 1e299 THEN false ELSE d > 0 END) AS decided FROM (SELECT decision(m, (x, y)) AS d FROM (SELECT lda(class, (x, y), '{"priors": {"a": 0, "b": 1}}') AS m FROM flower WHERE class <> 'c') f, flower) t;
-- still refused: a class without a prior, a sum that is not 1, a rule that divides by a prior of 0
SELECT try($$SELECT lda(class, (x, y), '{"priors": {"b": 0.25, "c": 0.75}}') FROM flower$$);
SELECT try($$SELECT lda(class, (x, y), '{"priors": {"a": 0, "b": 0, "c": 0}}') FROM flower$$);
SELECT try($$SELECT lda(class, (x, y), '{"priors": {"a": -0.5, "b": 0.75, "c": 0.75}}') FROM flower$$);
SELECT try($$SELECT qda(class, (x, y), '{"priors": {"a": 0, "b": 0.25, "c": 0.75}, "rule": "ml"}') FROM flower$$);
SELECT try($$SELECT decision_rule(m, '{"rule": "ml"}') FROM without WHERE name = 'qda'$$);
SELECT try($$SELECT decision_rule(decision_rule(m, '{"priors": "uniform"}'), '{"rule": "ml"}') IS NOT NULL FROM without WHERE name = 'decision_rule'$$);
-- class_weight of 0: zero_class_weight.sql
SELECT try($$SELECT logistic_regression(class, (x, y), '{"class_weight": {"a": -1}}') FROM flower$$);
DROP TABLE flower, without;
