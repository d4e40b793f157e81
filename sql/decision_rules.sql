-- decision rules: other priors, thresholds, weights and costs for a fitted classifier
CREATE TEMP TABLE points AS
SELECT i, CASE WHEN sin(i) + cos(i * 3.0) / 2 > 0.1 THEN 'in' ELSE 'out' END AS t, sin(i) + sin(i * 5.0) / 3 AS a, cos(i * 3.0) AS b,
       (ARRAY['x', 'y', 'z'])[1 + (sin(i) > 0.2)::int + (cos(i * 3.0) > 0.5)::int] AS k
FROM generate_series(1, 300) i;
CREATE TEMP TABLE model AS
SELECT pgfit.lda(t, (a, b)) AS two, pgfit.lda(k, (a, b)) AS three, pgfit.naive_bayes(t, (a, b), '{"positive": "in"}') AS turned FROM points;

-- thresholds: strictly above, of the positive class
SELECT h, bool_and(pgfit.classify(pgfit.decision_rule(two, r), (a, b)) = CASE WHEN pgfit.probability(two, (a, b)) > h THEN 'out' ELSE 'in' END) AS last,
       bool_and(pgfit.classify(pgfit.decision_rule(turned, r), (a, b)) = CASE WHEN pgfit.probability(turned, (a, b)) > h THEN 'in' ELSE 'out' END) AS named,
       bool_and(pgfit.probabilities(pgfit.decision_rule(two, r), (a, b)) = pgfit.probabilities(two, (a, b))) AS probabilities
FROM points, model, unnest('{0.1,0.5,0.9}'::float8[]) h, LATERAL (SELECT jsonb_build_object('threshold', h) AS r) o GROUP BY h ORDER BY h;

-- other priors: p(k | x) times new / former, divided by the sum; the same as a fit with these priors
SELECT bool_and(test.near_all(pgfit.probabilities(pgfit.decision_rule(three, '{"priors": {"x": 0.1, "y": 0.1, "z": 0.8}}'), (a, b)),
                              pgfit.probabilities(refit, (a, b)), 1e-9)) AS as_refitted,
       bool_and(pgfit.classify(pgfit.decision_rule(three, '{"priors": {"x": 0.1, "y": 0.1, "z": 0.8}}'), (a, b)) = pgfit.classify(refit, (a, b))) AS class,
       bool_and(pgfit.classify(pgfit.decision_rule(three, '{"priors": "uniform"}'), (a, b)) = pgfit.classify(pgfit.decision_rule(three, '{"rule": "ml"}'), (a, b))) AS ml,
       bool_and(pgfit.probabilities(pgfit.decision_rule(three, '{"rule": "ml"}'), (a, b)) = pgfit.probabilities(three, (a, b))) AS ml_probabilities
FROM points, model, (SELECT pgfit.lda(k, (a, b), '{"priors": {"x": 0.1, "y": 0.1, "z": 0.8}}') AS refit FROM points) f;

-- a logistic regression holds the shares of its classes, as its class weights make them
SELECT bool_and(test.near(pgfit.probability(pgfit.decision_rule(m, '{"priors": "uniform"}'), (a, b)), 1 / (1 + exp(-pgfit.decision(m, (a, b))) * s / (1 - s)), 1e-9)) AS uniform,
       test.near_all(pgfit.parameter(balanced, 'priors'), '{0.5,0.5}') AS balanced
FROM points, (SELECT pgfit.logistic_regression(t, (a, b)) AS m, pgfit.logistic_regression(t, (a, b), '{"class_weight": "balanced"}') AS balanced,
                     avg((t = 'out')::int)::float8 AS s FROM points) f GROUP BY balanced;

-- costs: the least expected one
SELECT bool_and(pgfit.classify(pgfit.decision_rule(two, '{"cost": {"false_positive": 4}}'), (a, b)) = CASE WHEN pgfit.probability(two, (a, b)) > 0.8 THEN 'out' ELSE 'in' END) AS two,
       bool_and(pgfit.classify(pgfit.decision_rule(two, '{"cost": [[0, 4], [1, 0]]}'), (a, b)) = pgfit.classify(pgfit.decision_rule(two, '{"cost": {"false_positive": 4}}'), (a, b))) AS matrix,
       bool_and(pgfit.classify(pgfit.decision_rule(three, '{"cost": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}'), (a, b)) = pgfit.classify(three, (a, b))) AS equal,
       count(DISTINCT pgfit.classify(pgfit.decision_rule(three, '{"cost": [[0, 9, 9], [0, 1, 9], [0, 9, 1]]}'), (a, b))) AS always_x
FROM points, model;

-- likelihoods with weights, under whatever priors: posteriors 0.6, 0.25, 0.15 and 0.65, 0.04, 0.31 under priors 0.6, 0.1, 0.3
CREATE TEMP TABLE posterior (s float8, a float8, b float8, c float8);
INSERT INTO posterior VALUES (0, 0.6, 0.25, 0.15), (1, 0.649819494584837, 0.036101083032491, 0.314079422382671);
CREATE TEMP TABLE ruled AS
WITH m AS (SELECT pgfit.nearest_centroid(l, s) AS m FROM (VALUES ('a', 0), ('b', 1), ('c', 3)) r(l, s)),
     c AS (SELECT n, pgfit.isotonic_calibration(positive, (pgfit.decisions(m, s))[n], '{"direction": "auto"}', CASE WHEN positive THEN p ELSE 1 - p END) AS c
           FROM m, posterior, unnest(ARRAY[a, b, c]) WITH ORDINALITY u(p, n), (VALUES (true), (false)) l(positive) GROUP BY n)
SELECT pgfit.calibrate((SELECT m FROM m), (SELECT array_agg(c ORDER BY n) FROM c)) AS m;
SELECT r, array_agg(pgfit.classify(pgfit.decision_rule(m, r || '{"trained_priors": {"a": 0.6, "b": 0.1, "c": 0.3}}'), s) ORDER BY s) AS classes
FROM ruled, posterior, (VALUES ('{"rule": "map"}'::jsonb), ('{"rule": "ml"}'), ('{"weights": {"b": 0.5, "c": 4}}'), ('{"priors": "uniform"}'),
                               ('{"priors": {"a": 0.1, "b": 0.1, "c": 0.8}, "weights": {"b": 0.5, "c": 4}}')) v(r) GROUP BY r ORDER BY r;

-- a rule replaces the previous one, an empty one removes it; the result is a value like any other
SELECT pgfit.decision_rule(pgfit.decision_rule(two, '{"threshold": 0.2}'), '{"priors": "uniform"}')::text = pgfit.decision_rule(two, '{"priors": "uniform"}')::text AS replaced,
       pgfit.decision_rule(pgfit.decision_rule(two, '{"threshold": 0.2}'), '{}')::text = two::text AS removed,
       pgfit.decision_rule(two, '{"priors": "data"}')::text = two::text AS nothing,
       pgfit.info(pgfit.decision_rule(two, '{"threshold": 0.2, "priors": "uniform"}')) -> 'decision_rule' AS info,
       pgfit.decision_rule(two, '{"cost": [[0, 1], [2, 0]]}')::text::pgfit.model::text = pgfit.decision_rule(two, '{"cost": [[0, 1], [2, 0]]}')::text AS text,
       pgfit.decision_rule(two, '{"threshold": 0.2}')::jsonb::pgfit.model::text = pgfit.decision_rule(two, '{"threshold": 0.2}')::text AS jsonb
FROM model;
-- predict follows classify; models by join, prepared ones too
SELECT bool_and(pgfit.predict(m, (a, b)) = pgfit.classify(m, (a, b))::int) AS predict
FROM points, (SELECT pgfit.decision_rule(pgfit.lda((t = 'in')::int, (a, b)), '{"threshold": 0.9}') AS m FROM points) f;
SELECT h, count(*) FILTER (WHERE pgfit.classify(m, (a, b)) = 'out') > count(*) FILTER (WHERE t = 'out') AS more
FROM points, (SELECT h, pgfit.decision_rule(pgfit.knn_classifier(t, (a, b), 9), jsonb_build_object('threshold', h)) AS m
              FROM points, unnest('{0.1}'::float8[]) h GROUP BY h) f GROUP BY h;

SELECT regexp_replace(pgfit.summary(pgfit.decision_rule(two, '{"cost": {"false_positive": 2}}')), '.*\n', '', 'g') AS last_line FROM model;
SELECT regexp_replace(pgfit.summary(m), '.*\n', '', 'g') AS last_line FROM ruled;

-- refused
SELECT test.try('SELECT pgfit.to_sql(pgfit.decision_rule(pgfit.logistic_regression(t, a), ''{"threshold": 0.2}'')) FROM points');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"treshold": 0.2}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"threshold": 1}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"threshold": 0.2, "rule": "ml"}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(three, ''{"threshold": 0.2}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(three, ''{"cost": {"false_positive": 2}}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"cost": {"false": 2}}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"cost": [[0, 0], [0, 0]]}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(three, ''{"cost": [[0, 1], [1, 0]]}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"cost": [[0, -1], [1, 0]]}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"rule": {"in": 0, "out": 0}}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"rule": {"inside": 2}}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"priors": {"in": 0.5, "out": 0.6}}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"priors": {"in": 0.5}}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''{"priors": "uniform", "trained_priors": "data"}'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(two, ''[]'') FROM model');
SELECT test.try('SELECT pgfit.decision_rule(pgfit.knn_classifier(t, a, 3), ''{"rule": "ml"}'') FROM points');
SELECT test.try('SELECT pgfit.decision_rule(pgfit.nearest_centroid(t, a), ''{"threshold": 0.2}'') FROM points');
SELECT test.try('SELECT pgfit.decision_rule(pgfit.linear_regression(a, b), ''{"threshold": 0.2}'') FROM points');
SELECT test.try('SELECT pgfit.decision_rule(pgfit.class_moments(t, b), ''{"threshold": 0.2}'') FROM points');
-- a tree or forest of a single class
SELECT test.try('SELECT pgfit.calibrate(pgfit.extra_trees_classifier(1, ARRAY[a, b]), (SELECT pgfit.platt_calibration(a > 0, b) FROM points)) FROM points');
SELECT test.try('SELECT pgfit.decision_rule(pgfit.tree_classifier(1, ARRAY[a, b]), ''{"rule": {"1": 2}, "trained_priors": {"1": 1}}'') FROM points');
-- forged
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{arrays,rule_threshold}', '[1.5]'))) FROM (SELECT pgfit.decision_rule(two, '{"threshold": 0.2}')::jsonb AS j FROM model) m;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{arrays,rule_weights}', '[1, 1]'))) FROM (SELECT pgfit.decision_rule(two, '{"threshold": 0.2}')::jsonb AS j FROM model) m;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{arrays,rule_weights}', '[1]'))) FROM (SELECT pgfit.decision_rule(two, '{"rule": "ml"}')::jsonb AS j FROM model) m;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{arrays,rule_cost}', '[0, 1, 1]'))) FROM (SELECT pgfit.decision_rule(two, '{"cost": [[0, 1], [2, 0]]}')::jsonb AS j FROM model) m;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{arrays,rule_options,text}', '["{"]'))) FROM (SELECT pgfit.decision_rule(two, '{"threshold": 0.2}')::jsonb AS j FROM model) m;
SELECT test.try(format('SELECT %L::pgfit.model', j #- '{arrays,rule_threshold}')) FROM (SELECT pgfit.decision_rule(two, '{"threshold": 0.2}')::jsonb AS j FROM model) m;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{flags}', '["output"]'))) FROM (SELECT pgfit.class_moments(t, b)::jsonb AS j FROM points) m;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{flags}', '["output"]'))) FROM (SELECT pgfit.linear_regression(a, b)::jsonb AS j FROM points) m;
