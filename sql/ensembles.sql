-- Ensembles: models made of fitted models of one task.
SET search_path = public, test, pgfit;
SET client_min_messages = warning;
CREATE TABLE points AS SELECT i, i % 13 AS a, i * 5 % 7 AS b, (ARRAY['p', 'q', 'r'])[1 + i % 3] AS c, i % 13 + 3 * (i % 3) + hashint4(i) % 3 AS y, CASE WHEN i % 13 + 2 * (i % 3) > 8 THEN 'hi' ELSE 'lo' END AS l FROM generate_series(1, 400) i;
CREATE TABLE numbers AS SELECT ridge_regression(y, f, 1) AS ridge, boosted_trees_regression(y, f, '{"n_trees": 20}') AS boosted, knn_regression(y, g, 5) AS near_by FROM points, LATERAL (SELECT a, b, c) f, LATERAL (SELECT points.b, points.a) g;
-- means of the members, found by name in any order, from columns of which each member has its own
SELECT bool_and(near(predict(e, f), (predict(ridge, f) + predict(boosted, f) + predict(near_by, f)) / 3)) AS mean FROM points, LATERAL (SELECT c, b, a) f, numbers, ensemble(ridge, boosted, near_by) e;
SELECT bool_and(near(predict(e, f), predict(ridge, f) / 4 + predict(boosted, f) * 3 / 4)) AS weighted FROM points, LATERAL (SELECT a, b, c) f, numbers, ensemble(ARRAY[ridge, boosted], '{"weights": [1, 3]}') e;
SELECT bool_and(near(predict(e, f), predict(boosted, f))) AS alone FROM points, LATERAL (SELECT a, b, c) f, numbers, ensemble(ARRAY[boosted]) e;
SELECT info(e) ->> 'estimator' AS estimator, info(e) -> 'statistics' AS statistics, (SELECT array_agg(x ->> 'name') FROM jsonb_array_elements(info(e) -> 'features') x) AS features FROM numbers, ensemble(near_by, ridge) e;
-- one model of every group: levels that a member does not know are unseen to it
SELECT count(*) AS models, bool_and(near(predict(e, f), mean)) AS groups FROM (SELECT array_agg(m) AS ms, ensemble(array_agg(m)) AS e FROM (SELECT boosted_trees_regression(y, f, '{"n_trees": 5}') AS m FROM points, LATERAL (SELECT a, CASE WHEN i % 2 = 0 OR c <> 'r' THEN c ELSE 's' END AS c) f GROUP BY i % 2) g) h,
    (SELECT a, c FROM points UNION SELECT 3, 's') f, LATERAL (SELECT avg(predict(m, f)) AS mean FROM unnest(ms) m) n;
-- classes: means of probabilities, or votes
CREATE TABLE labels AS SELECT lda(l, f) AS lda, boosted_trees_classifier(l, f, '{"n_trees": 20}') AS boosted, perceptron(l, f, '{"max_iter": 3}' ORDER BY i) AS perceptron FROM points, LATERAL (SELECT a, b) f;
SELECT bool_and(near(probability(e, f), (probability(lda, f) + probability(boosted, f)) / 2)) AS mean, bool_and(classify(e, f) = CASE WHEN probability(e, f) > 0.5 THEN 'lo' ELSE 'hi' END) AS classes FROM points, LATERAL (SELECT a, b) f, labels, ensemble(lda, boosted) e;
SELECT bool_and(classify(e, f) = (SELECT mode() WITHIN GROUP (ORDER BY v) FROM unnest(ARRAY[classify(lda, f), classify(boosted, f), classify(perceptron, f)]) v)) AS majority, array_agg(DISTINCT round(probability(e, f)::numeric, 3)) <@ ARRAY[0, 0.333, 0.667, 1] AS thirds FROM points, LATERAL (SELECT a, b) f, labels, ensemble(ARRAY[lda, boosted, perceptron], '{"method": "vote"}') e;
-- summaries
SELECT summary(ensemble(ARRAY[ridge, near_by, boosted], '{"weights": [1, 2, 1]}'::jsonb)) FROM numbers;
SELECT summary(ensemble(lda, boosted)) FROM labels;
SELECT substring(summary(ensemble(ARRAY[lda, perceptron], '{"method": "vote"}'::jsonb)) FROM 'the models[^\n]*') AS vote FROM labels;
-- NULLs are what each member makes of them: a tree has an answer, a ridge regression has none
SELECT predict(ensemble(ARRAY[boosted]), f) IS NOT NULL AS tree, predict(ensemble(boosted, ridge), f) IS NULL AS ridge FROM numbers, LATERAL (SELECT NULL::int AS a, 1 AS b, 'p' AS c) f;
SELECT near(predict(ensemble(ARRAY[m]), f), predict(m, f)) AS imputed FROM (SELECT ridge_regression(y, f, 1, '{"nulls": "impute"}') AS m FROM points, LATERAL (SELECT nullif(a, 3) AS a, nullif(c, 'q') AS c) f) g, LATERAL (SELECT NULL::int AS a, NULL::text AS c) f;
-- text, jsonb and calibration keep working
SELECT e::text::model = e AS text, e::jsonb::model = e AS jsonb, near(predict(e::text::model, f), predict(e, f)) AS score FROM numbers, ensemble(ridge, boosted) e, LATERAL (SELECT 3 AS a, 1 AS b, 'p' AS c) f;
SELECT classify(decision_rule(ensemble(lda, boosted), '{"threshold": 0.0001}'), f) AS rule FROM labels, LATERAL (SELECT 9 AS a, 1 AS b) f;
-- models without names go by position
SELECT near(predict(ensemble(a, b), ARRAY[1, 2]), (predict(a, ARRAY[1, 2]) + predict(b, ARRAY[1, 2])) / 2) AS places FROM (SELECT ridge_regression(y, ARRAY[p.a, p.b], 1) AS a, linear_regression(y, ARRAY[p.a, p.b]) AS b FROM points p) f;
-- contributions and SQL are weighted sums of those of the members, whatever the order of their features
CREATE TABLE explained AS SELECT ensemble(ARRAY[ridge, boosted, forest], '{"weights": [1, 2, 5]}') AS e, ridge, boosted, forest FROM numbers, (SELECT forest_regression(y, g, '{"n_trees": 5}') AS forest FROM points, LATERAL (SELECT points.c, points.a) g) t;
SELECT bool_and(near(total, predict(e, f))) AS adds_up, bool_and(terms = ARRAY['(base)', 'a', 'b', 'c=' || points.c]) AS terms FROM explained, points, LATERAL (SELECT a, b, points.c) f, LATERAL (SELECT sum(contribution) AS total, array_agg(term ORDER BY term) AS terms FROM explain(e, f)) x;
SELECT bool_and(near(x.contribution, (SELECT sum(w * m.contribution) FROM (SELECT 1 / 8.0 AS w, * FROM explain(ridge, f) UNION ALL SELECT 2 / 8.0, * FROM explain(boosted, f) UNION ALL SELECT 5 / 8.0, * FROM explain(forest, g)) m WHERE m.term = x.term))) AS sums FROM explained, points, LATERAL (SELECT a, b, c) f, LATERAL (SELECT points.c, points.a) g, LATERAL explain(e, f) x WHERE i <= 20;
SELECT count(*) AS no_answer FROM explained, explain(e, ROW(NULL::int, 1, 'p')::record) x;
DO $$ DECLARE same boolean; BEGIN
SET LOCAL jit = off;
EXECUTE format('SELECT bool_and(near(score, predict(e, f))) FROM explained, (SELECT *, %s AS score FROM points OFFSET 0) p, LATERAL (SELECT a, b, c) f', (SELECT to_sql(e) FROM explained)) INTO same;
ASSERT same; END $$;
SELECT try('SELECT explain(ensemble(ridge, near_by), ROW(1, 1, ''p'')) FROM numbers');
SELECT try('SELECT to_sql(ensemble(ridge, near_by)) FROM numbers');
SELECT try('SELECT explain(ensemble(ARRAY[m]), ROW(1)) FROM (SELECT boosted_trees_regression(abs(y), a, ''{"loss": "poisson", "n_trees": 3}'') AS m FROM points) t');
-- the same for classifiers whose contributions add up to probabilities; votes are written, not explained
CREATE TABLE classified AS SELECT i, nullif(i % 17 + 0.5, 3.5) AS a, i * 7 % 23 AS b, (ARRAY['k', 'l', 'm', 'n'])[1 + i * 5 % 4] AS c, CASE WHEN i % 17 * 2 + i * 7 % 23 > 30 THEN 'yes' WHEN i % 5 = 0 THEN 'maybe' ELSE 'no' END AS three, i % 17 * 2 + i * 7 % 23 > 30 AS two FROM generate_series(1, 300) i;
CREATE TABLE joined AS
SELECT 3 AS classes, ensemble(ARRAY[t, f, x]) AS mean, ensemble(ARRAY[t, f, x, b], '{"method": "vote", "weights": [1, 2, 2, 1.5]}') AS vote, ensemble(ARRAY[b, t]) AS boosted
FROM (SELECT tree_classifier(three, r, '{"max_depth": 3}') AS t, forest_classifier(three, r, '{"n_trees": 4, "max_depth": 4}') AS f, extra_trees_classifier(three, r, '{"n_trees": 4, "voting": "hard", "max_depth": 4}') AS x, boosted_trees_classifier(three, r, '{"n_trees": 2}') AS b FROM classified, LATERAL (SELECT a, b, c) r) m
UNION ALL SELECT 2, ensemble(ARRAY[t, f, x]), ensemble(ARRAY[t, f, x, b], '{"method": "vote", "weights": [1, 2, 2, 1.5]}'), ensemble(ARRAY[b, t])
FROM (SELECT tree_classifier(two, r, '{"max_depth": 3, "positive": "false"}') AS t, forest_classifier(two, r, '{"n_trees": 4, "max_depth": 4, "tie": "null"}') AS f, extra_trees_classifier(two, r, '{"n_trees": 4, "voting": "hard", "max_depth": 4, "tie": "positive"}') AS x, boosted_trees_classifier(two, r, '{"n_trees": 2}') AS b FROM classified, LATERAL (SELECT a, b, c) r) m;
SELECT bool_and(near(total, probability(mean, f))) AS two FROM joined, classified p, LATERAL (SELECT p.a, p.b, p.c) f, LATERAL (SELECT sum(contribution) AS total FROM explain(mean, f)) x WHERE classes = 2;
SELECT bool_and(near(1 + total, 1 + p)) AS three FROM joined, classified r, LATERAL (SELECT r.a, r.b, r.c) f, LATERAL (SELECT class, sum(contribution) AS total FROM explain(mean, f) GROUP BY class) e, LATERAL (SELECT v AS p FROM unnest(classes(mean), probabilities(mean, f)) u(k, v) WHERE k = class) x WHERE classes = 3 AND i <= 60;
DO $$ DECLARE q record; same boolean; BEGIN
SET LOCAL jit = off;
FOR q IN SELECT classes, to_sql(mean) AS mean, to_sql(vote) AS vote, to_sql(boosted) AS boosted FROM joined LOOP
    EXECUTE format('SELECT bool_and(classify(j.mean, f) IS NOT DISTINCT FROM p.mean AND classify(j.vote, f) IS NOT DISTINCT FROM p.vote AND classify(j.boosted, f) IS NOT DISTINCT FROM p.boosted) FROM joined j, (SELECT *, %s AS mean, %s AS vote, %s AS boosted FROM classified OFFSET 0) p, LATERAL (SELECT a, b, c) f WHERE classes = %s', q.mean, q.vote, q.boosted, q.classes) INTO same;
    ASSERT same;
END LOOP; END $$;
SELECT try('SELECT explain(vote, ROW(1, 2, ''k'')) FROM joined WHERE classes = 2');
SELECT try('SELECT explain(boosted, ROW(1, 2, ''k'')) FROM joined WHERE classes = 2');
DROP TABLE classified, joined;
SELECT try('SELECT explain(ensemble(lda, boosted), ROW(1, 1)) FROM labels');
SELECT try('SELECT to_sql(ensemble(lda, boosted)) FROM labels');
DROP TABLE explained;

-- refusals
SELECT try('SELECT ensemble(ridge, lda) FROM numbers, labels');
SELECT try('SELECT ensemble(ensemble(ARRAY[ridge]), ridge) FROM numbers');
SELECT try('SELECT ensemble(ARRAY[ridge, NULL]) FROM numbers');
SELECT try('SELECT ensemble(''{}''::model[])');
SELECT try('SELECT ensemble(ARRAY[moments(y, a)]) FROM points');
SELECT try('SELECT ensemble(ARRAY[kmeans(a, 2)]) FROM points');
SELECT try('SELECT ensemble(lda, perceptron) FROM labels');
SELECT try('SELECT ensemble(ARRAY[ridge], ''{"method": "vote"}'') FROM numbers');
SELECT try('SELECT ensemble(ARRAY[ridge, boosted], ''{"weights": [1]}'') FROM numbers');
SELECT try('SELECT ensemble(ARRAY[ridge, boosted], ''{"weights": [1, 0]}'') FROM numbers');
SELECT try('SELECT ensemble(ridge, m) FROM numbers, (SELECT ridge_regression(y, f, 1) AS m FROM points, LATERAL (SELECT a::text) f) g');
SELECT try('SELECT ensemble(ridge, m) FROM numbers, (SELECT ridge_regression(y, ARRAY[a, b], 1) AS m FROM points) g');
SELECT try('SELECT ensemble(m, n) FROM (SELECT ridge_regression(y, ARRAY[a, b], 1) AS m, ridge_regression(y, ARRAY[a], 1) AS n FROM points) g');
SELECT try('SELECT ensemble(lda, m) FROM labels, (SELECT lda(c, f) AS m FROM points, LATERAL (SELECT a, b) f) g');
-- a value from outside whose members were changed is refused
SELECT try(format('SELECT %L::model', replace(e::text, '"member_bytes":{"i64":[', '"member_bytes":{"i64":[9'))) ~ 'member' AS lengths FROM numbers, ensemble(ridge, boosted) e;
DROP TABLE points, numbers, labels;
