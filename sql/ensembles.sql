-- Ensembles: models made of fitted models of one task.
SET search_path = public, test, pgfit;
SET client_min_messages = warning;
CREATE TABLE points AS SELECT i, i % 13 AS a, i * 5 % 7 AS b, (ARRAY['p', 'q', 'r'])[1 + i % 3] AS c, i % 13 + 3 * (i % 3) + hashint4(i) % 3 AS y, CASE WHEN i % 13 + 2 * (i % 3) > 8 THEN 'hi' ELSE 'lo' END AS l FROM generate_series(1, 400) i;
CREATE TABLE numbers AS SELECT ridge_regression(y, f, 1) AS ridge, boosted_trees_regression(y, f, '{"n_trees": 20}') AS boosted, knn_regression(y, g, 5) AS near_by FROM points, LATERAL (SELECT a, b, c) f, LATERAL (SELECT points.b, points.a) g;
-- means of the members, found by name in any order, from columns of which each member has its own
SELECT bool_and(near(predict(e, f), (predict(ridge, f) + predict(boosted, f) + predict(near_by, f)) / 3)) AS mean FROM points, LATERAL (SELECT c, b, a) f, numbers, ensemble(ridge, boosted, near_by) e;
SELECT bool_and(near(predict(e, f), predict(ridge, f) / 4 + predict(boosted, f) * 3 / 4)) AS weighted FROM points, LATERAL (SELECT a, b, c) f, numbers, ensemble(ARRAY[ridge, boosted], '{"model_weights": [1, 3]}') e;
SELECT bool_and(near(predict(e, f), predict(boosted, f))) AS alone FROM points, LATERAL (SELECT a, b, c) f, numbers, ensemble(ARRAY[boosted]) e;
SELECT info(e) ->> 'estimator' AS estimator, info(e) -> 'statistics' AS statistics, (SELECT array_agg(x ->> 'name') FROM jsonb_array_elements(info(e) -> 'features') x) AS features FROM numbers, ensemble(near_by, ridge) e;
-- one model of every group: levels that a member does not know are unseen to it
SELECT count(*) AS models, bool_and(near(predict(e, f), mean)) AS groups FROM (SELECT array_agg(m) AS ms, ensemble(array_agg(m)) AS e FROM (SELECT boosted_trees_regression(y, f, '{"n_trees": 5}') AS m FROM points, LATERAL (SELECT a, CASE WHEN i % 2 = 0 OR c <> 'r' THEN c ELSE 's' END AS c) f GROUP BY i % 2) g) h,
    (SELECT a, c FROM points UNION SELECT 3, 's') f, LATERAL (SELECT avg(predict(m, f)) AS mean FROM unnest(ms) m) n;
-- classes: means of probabilities, or votes
CREATE TABLE labels AS SELECT lda(l, f) AS lda, boosted_trees_classifier(l, f, '{"n_trees": 20}') AS boosted, perceptron(l, f, '{"max_iter": 3}' ORDER BY i) AS perceptron FROM points, LATERAL (SELECT a, b) f;
SELECT bool_and(near(probability(e, f), (probability(lda, f) + probability(boosted, f)) / 2)) AS mean, bool_and(classify(e, f) = CASE WHEN probability(e, f) > 0.5 THEN 'lo' ELSE 'hi' END) AS classes FROM points, LATERAL (SELECT a, b) f, labels, ensemble(lda, boosted) e;
SELECT bool_and(classify(e, f) = (SELECT mode() WITHIN GROUP (ORDER BY v) FROM unnest(ARRAY[classify(lda, f), classify(boosted, f), classify(perceptron, f)]) v)) AS majority, array_agg(DISTINCT round(probability(e, f)::numeric, 3)) <@ ARRAY[0, 0.333, 0.667, 1] AS thirds FROM points, LATERAL (SELECT a, b) f, labels, ensemble(ARRAY[lda, boosted, perceptron], '{"voting": "hard"}') e;
-- summaries
SELECT summary(ensemble(ARRAY[ridge, near_by, boosted], '{"model_weights": [1, 2, 1]}'::jsonb)) FROM numbers;
SELECT summary(ensemble(lda, boosted)) FROM labels;
SELECT substring(summary(ensemble(ARRAY[lda, perceptron], '{"voting": "hard"}'::jsonb)) FROM 'the models[^\n]*') AS vote FROM labels;
-- NULLs are what each member makes of them: a tree has an answer, a ridge regression has none
SELECT predict(ensemble(ARRAY[boosted]), f) IS NOT NULL AS tree, predict(ensemble(boosted, ridge), f) IS NULL AS ridge FROM numbers, LATERAL (SELECT NULL::int AS a, 1 AS b, 'p' AS c) f;
SELECT near(predict(ensemble(ARRAY[m]), f), predict(m, f)) AS imputed FROM (SELECT ridge_regression(y, f, 1, '{"nulls": "impute"}') AS m FROM points, LATERAL (SELECT nullif(a, 3) AS a, nullif(c, 'q') AS c) f) g, LATERAL (SELECT NULL::int AS a, NULL::text AS c) f;
-- text, jsonb and calibration keep working
SELECT e::text::model = e AS text, e::jsonb::model = e AS jsonb, near(predict(e::text::model, f), predict(e, f)) AS score FROM numbers, ensemble(ridge, boosted) e, LATERAL (SELECT 3 AS a, 1 AS b, 'p' AS c) f;
SELECT classify(decision_rule(ensemble(lda, boosted), '{"threshold": 0.0001}'), f) AS rule FROM labels, LATERAL (SELECT 9 AS a, 1 AS b) f;
-- models without names go by position
SELECT near(predict(ensemble(a, b), ARRAY[1, 2]), (predict(a, ARRAY[1, 2]) + predict(b, ARRAY[1, 2])) / 2) AS places FROM (SELECT ridge_regression(y, ARRAY[p.a, p.b], 1) AS a, linear_regression(y, ARRAY[p.a, p.b]) AS b FROM points p) f;
-- contributions and SQL are weighted sums of those of the members, whatever the order of their features
CREATE TABLE explained AS SELECT ensemble(ARRAY[ridge, boosted, forest], '{"model_weights": [1, 2, 5]}') AS e, ridge, boosted, forest FROM numbers, (SELECT forest_regression(y, g, '{"n_trees": 5}') AS forest FROM points, LATERAL (SELECT points.c, points.a) g) t;
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
SELECT 3 AS classes, ensemble(ARRAY[t, f, x]) AS mean, ensemble(ARRAY[t, f, x, b], '{"voting": "hard", "model_weights": [1, 2, 2, 1.5]}') AS vote, ensemble(ARRAY[b, t]) AS boosted
FROM (SELECT tree_classifier(three, r, '{"max_depth": 3}') AS t, forest_classifier(three, r, '{"n_trees": 4, "max_depth": 4}') AS f, extra_trees_classifier(three, r, '{"n_trees": 4, "voting": "hard", "max_depth": 4}') AS x, boosted_trees_classifier(three, r, '{"n_trees": 2}') AS b FROM classified, LATERAL (SELECT a, b, c) r) m
UNION ALL SELECT 2, ensemble(ARRAY[t, f, x]), ensemble(ARRAY[t, f, x, b], '{"voting": "hard", "model_weights": [1, 2, 2, 1.5]}'), ensemble(ARRAY[b, t])
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

-- formulas and pipelines: each member makes its own of the columns, which are read once
SET client_min_messages = error;
CREATE TABLE made (name text, m model);
INSERT INTO made SELECT 'expressions', linear_regression(y, p, 'log(a + 1) + sqrt(b) + I(a * b)') FROM points p
UNION ALL SELECT 'terms', linear_regression(y, p, 'c * a + poly(b, 2) + scale(a) + factor(b)') FROM points p
UNION ALL SELECT 'offset', linear_regression(y, p, 'b + offset(2 * a)') FROM points p
UNION ALL SELECT 'plain', ridge_regression(y, p, 1, 'a + c') FROM points p
UNION ALL SELECT 'imputed', linear_regression(y, f, '{"formula": "log(a + 1) + c", "nulls": "impute"}') FROM points, LATERAL (SELECT nullif(a, 3) AS a, nullif(c, 'q') AS c) f
UNION ALL SELECT 'imputed terms', linear_regression(y, f, '{"formula": "a * c", "nulls": "impute"}') FROM points, LATERAL (SELECT nullif(a, 3) AS a, nullif(c, 'q') AS c) f
UNION ALL SELECT 'tree', boosted_trees_regression(y, p, '{"formula": "log(a + 1) + factor(b)", "n_trees": 5}') FROM points p;
INSERT INTO made SELECT 'pipeline', pipeline(s, (SELECT linear_regression(y, transform_row(s, p)) FROM points p)) FROM (SELECT standard_scaler(p, 'a + b') AS s FROM points p) t
UNION ALL SELECT 'pipeline of terms', pipeline(s, (SELECT linear_regression(y, transform_row(s, p)) FROM points p)) FROM (SELECT standard_scaler(p, 'log(a + 1) + poly(b, 2)') AS s FROM points p) t;
SELECT count(*) AS rows, bool_and(near(predict(e, p), mean, 1e-9)) AS means, bool_and(near(predict(e::text::model, p), mean, 1e-9)) AS stored
FROM (SELECT ensemble(array_agg(m)) AS e FROM made) t, points p, LATERAL (SELECT avg(predict(m, p)) AS mean FROM made) n;
SELECT name, bool_and(near(predict(e, p), predict(m, p), 1e-12)) AS alone FROM made, ensemble(ARRAY[m]) e, points p GROUP BY name ORDER BY name;
SELECT info(ensemble(array_agg(m ORDER BY name))) ->> 'formula' AS formula FROM made;
SELECT summary(ensemble(array_agg(m ORDER BY name))) FROM made WHERE name IN ('terms', 'pipeline', 'expressions');
-- other columns in any order, objects; NULLs and unknown levels are what each member makes of them
SELECT bool_and(near(predict(e, f), predict(e, p), 1e-12)) AS columns, bool_and(near(predict(e, to_jsonb(p)), predict(e, p), 1e-12)) AS objects FROM (SELECT ensemble(array_agg(m)) AS e FROM made) t, points p, LATERAL (SELECT p.c, 1 AS z, p.b, p.a) f;
SELECT name, predict(e, f) IS NOT DISTINCT FROM predict(m, f) AS same, predict(e, f) IS NULL AS no_answer FROM made, ensemble(ARRAY[m]) e, LATERAL (SELECT NULL::int AS a, 2 AS b, NULL::text AS c) f ORDER BY name;
SELECT bool_and(near(predict(e, f), mean, 1e-9)) AS unknown_level FROM (SELECT ensemble(array_agg(m)) AS e FROM made) t, LATERAL (SELECT 3 AS a, 2 AS b, 'new' AS c) f, LATERAL (SELECT avg(predict(m, f)) AS mean FROM made) n;
SELECT try('SELECT predict(e, f) FROM (SELECT ensemble(array_agg(m)) AS e FROM made) t, LATERAL (SELECT -3 AS a, 2 AS b, ''p'' AS c) f');
-- as SQL; contributions of terms that a formula learned, or of the stages of a pipeline, are not those of columns
DO $$ DECLARE same boolean; BEGIN
SET LOCAL jit = off;
EXECUTE format('SELECT bool_and(near(score, predict(e, p), 1e-9)) FROM (SELECT ensemble(array_agg(m ORDER BY name)) AS e FROM made WHERE name !~ ''imputed'') t, (SELECT *, %s AS score FROM points OFFSET 0) p', (SELECT to_sql(ensemble(array_agg(m ORDER BY name))) FROM made WHERE name !~ 'imputed')) INTO same;
ASSERT same; END $$;
SELECT try('SELECT to_sql(ensemble(ARRAY[m])) FROM made WHERE name = ''imputed terms''');
SELECT term, near(contribution, (a.m + b.m) / 2) AS mean FROM points p, LATERAL (SELECT ensemble(x.m, z.m) AS e, x.m AS x, z.m AS z FROM made x, made z WHERE x.name = 'plain' AND z.name = 'expressions') t, explain(e, p) l,
    LATERAL (SELECT coalesce(sum(contribution), 0) AS m FROM explain(x, p) WHERE term = l.term) a, LATERAL (SELECT coalesce(sum(contribution), 0) AS m FROM explain(z, p) WHERE term = l.term) b WHERE i = 7 ORDER BY term COLLATE "C";
SELECT try(format('SELECT explain(%L::model, p) FROM points p LIMIT 1', ensemble(ARRAY[m]))) FROM made WHERE name IN ('terms', 'pipeline') ORDER BY name;
-- classifiers
CREATE TABLE voters AS SELECT logistic_regression(l, p, '{"formula": "log(a + 1) * c", "lambda": 1}') AS terms, lda(l, p, 'a + b') AS plain, tree_classifier(l, p, '{"formula": "I(a - b)", "max_depth": 2}') AS tree FROM points p;
ALTER TABLE voters ADD COLUMN pipe model;
UPDATE voters SET pipe = (SELECT pipeline(s, m) FROM (SELECT s, (SELECT lda(l, transform_row(s, p)) FROM points p) AS m FROM (SELECT minmax_scaler(p, 'a + b') AS s FROM points p) t) u);
SELECT bool_and(near(probability(e, p), (probability(terms, p) + probability(plain, p) + probability(tree, p) + probability(pipe, p)) / 4)) AS mean,
       bool_and(near(probability(v, p), ((classify(terms, p) = 'lo')::int + (classify(plain, p) = 'lo')::int + (classify(pipe, p) = 'lo')::int) / 3.0)) AS votes
FROM voters, ensemble(terms, plain, tree, pipe) e, ensemble(ARRAY[terms, plain, pipe], '{"voting": "hard"}') v, points p;
SELECT try('SELECT to_sql(ensemble(plain, pipe)) FROM voters');
-- an ensemble with pipelines may end a pipeline, whose rows it takes; then it cannot be a member again
CREATE TABLE deep AS SELECT pipeline(s, ensemble(direct, through)) AS m, s, direct, through
FROM (SELECT s, (SELECT linear_regression(y, transform_row(s, p)) FROM points p) AS direct, (SELECT pipeline(z, (SELECT ridge_regression(y, transform_row(z, transform_row(s, p)), 1) FROM points p)) FROM (SELECT standard_scaler(transform_row(s, p)) AS z FROM points p) t) AS through
      FROM (SELECT minmax_scaler(p, 'a + b') AS s FROM points p) t) u;
SELECT bool_and(near(predict(m, p), (predict(direct, transform_row(s, p)) + predict(through, transform_row(s, p))) / 2, 1e-9)) AS deep FROM deep, points p;
SELECT try('SELECT ensemble(ARRAY[m]) FROM deep');
SELECT try('SELECT ensemble(ARRAY[s]) FROM deep');
-- what cannot be read from one row
SELECT try('SELECT ensemble(m, n) FROM made, (SELECT linear_regression(y, f, ''a + b'') AS n FROM points p, LATERAL (SELECT p.i > 7 AS a, p.b) f) t WHERE name = ''expressions''');
SELECT try('SELECT ensemble(m, n) FROM made, (SELECT linear_regression(y, f) AS n FROM points, LATERAL (SELECT a AS "log(a + 1)") f) t WHERE name = ''expressions''');
SELECT try('SELECT ensemble(m, n) FROM made, (SELECT linear_regression(y, ARRAY[a, b]) AS n FROM points) t WHERE name = ''expressions''');
-- names with quotes; dates in expressions
SELECT bool_and(near(predict(ensemble(m, n), f), (predict(m, f) + predict(n, f)) / 2)) AS quoted FROM (SELECT linear_regression(y, f, 'log(`a "b"` + 1) + `c d`') AS m, linear_regression(y, f, '`c d`') AS n FROM points p, LATERAL (SELECT p.a AS "a ""b""", p.b AS "c d") f) t, points p, LATERAL (SELECT p.a AS "a ""b""", p.b AS "c d") f;
SELECT bool_and(near(predict(ensemble(m, n), f), (predict(m, f) + predict(n, f)) / 2)) AS dates FROM (SELECT linear_regression(y, f, 'sqrt(d) + b') AS m, linear_regression(y, f, 'd') AS n FROM points p, LATERAL (SELECT date '2024-01-01' + p.a AS d, p.b) f) t, points p, LATERAL (SELECT date '2024-01-01' + p.a AS d, p.b) f;
DROP TABLE made, voters, deep;
SET client_min_messages = warning;

-- refusals
SELECT try('SELECT ensemble(ridge, lda) FROM numbers, labels');
SELECT try('SELECT ensemble(ensemble(ARRAY[ridge]), ridge) FROM numbers');
SELECT try('SELECT ensemble(ARRAY[ridge, NULL]) FROM numbers');
SELECT try('SELECT ensemble(''{}''::model[])');
SELECT try('SELECT ensemble(ARRAY[moments(y, a)]) FROM points');
SELECT try('SELECT ensemble(ARRAY[kmeans(a, 2)]) FROM points');
SELECT try('SELECT ensemble(lda, perceptron) FROM labels');
SELECT try('SELECT ensemble(ARRAY[ridge], ''{"voting": "hard"}'') FROM numbers');
SELECT try('SELECT ensemble(ARRAY[ridge, boosted], ''{"model_weights": [1]}'') FROM numbers');
SELECT try('SELECT ensemble(ARRAY[ridge, boosted], ''{"model_weights": [1, 0]}'') FROM numbers');
SELECT try('SELECT ensemble(ridge, m) FROM numbers, (SELECT ridge_regression(y, f, 1) AS m FROM points, LATERAL (SELECT a::text) f) g');
SELECT try('SELECT ensemble(ridge, m) FROM numbers, (SELECT ridge_regression(y, ARRAY[a, b], 1) AS m FROM points) g');
SELECT try('SELECT ensemble(m, n) FROM (SELECT ridge_regression(y, ARRAY[a, b], 1) AS m, ridge_regression(y, ARRAY[a], 1) AS n FROM points) g');
SELECT try('SELECT ensemble(lda, m) FROM labels, (SELECT lda(c, f) AS m FROM points, LATERAL (SELECT a, b) f) g');
-- a value from outside whose members were changed is refused
SELECT try(format('SELECT %L::model', replace(e::text, '"member_bytes":{"i64":[', '"member_bytes":{"i64":[9'))) ~ 'member' AS lengths FROM numbers, ensemble(ridge, boosted) e;
-- two models that are sound, of which someone wrote one: the order of its classes is not that of the other
SELECT try(format('SELECT ensemble(%L::model, lda) FROM labels', regexp_replace(lda::text, '("class_key":\[)0', '\11'))) FROM labels;
DROP TABLE points, numbers, labels;
-- members with arrays at other places
CREATE TABLE places AS SELECT i, ARRAY[i % 13, i * 5 % 7, i * i % 11] AS v, (ARRAY['p', 'q'])[1 + i % 2] AS c, i % 13 + i * 5 % 7 * 2 + i % 2 AS y FROM generate_series(1, 60) AS i;
SELECT bool_and(near(predict(ensemble(m, n), f), (predict(m, f) + predict(n, f)) / 2)) AS mean, bool_and(near(predict(ensemble(n, m), g), (predict(m, f) + predict(n, f)) / 2)) AS turned
FROM (SELECT ridge_regression(y, f, 1) AS m, ridge_regression(y, g, 5) AS n FROM places AS p, LATERAL (SELECT p.v, p.c) AS f, LATERAL (SELECT p.c, p.v) AS g) AS t, places AS p, LATERAL (SELECT p.v, p.c) AS f, LATERAL (SELECT p.c, p.v) AS g;
-- a term out of range is one of the first stage of a pipeline, however few the last stage has
SELECT try(format('SELECT predict(%L::model, p) FROM (SELECT 1 AS a, 2 AS b, 1e200 AS d) AS p', ensemble(ARRAY[m])))
FROM (SELECT pipeline(s, (SELECT linear_regression(y, transform_row(s, p)) FROM places AS q, LATERAL (SELECT v[1] AS a, v[2] AS b, v[3] AS d) AS p)) AS m
      FROM (SELECT pca(p, '{"formula": "a + poly(b, 2) + poly(d, 2)", "k": 1}') AS s FROM places, LATERAL (SELECT v[1] AS a, v[2] AS b, v[3] AS d) AS p) AS t) AS u;
DROP TABLE places;
