-- Pipelines: models one after the other, as one value.
SET search_path = public, test, pgfit;
CREATE TABLE t AS SELECT i, sin(i) * 10 + 100 AS a, (i * 7919 % 101)::float8 AS b, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS g, sin(i) * 20 + i % 3 AS y, CASE WHEN i * 7919 % 101 + 10 * sin(i) > 50 THEN 'hi' ELSE 'lo' END AS l FROM generate_series(1, 150) i;
-- fitted stage by stage: each model sees the rows that the one before makes
CREATE TABLE prepared AS SELECT standard_scaler(f) AS s FROM t, LATERAL (SELECT a, b) f;
ANALYZE t, prepared;
CREATE TABLE models AS SELECT s, linear_regression(y, r) AS linear, lda(l, r) AS lda, logistic_regression(l, r) AS logistic, kmeans(r, 3) AS kmeans, knn_regression(y, r, 3) AS knn, knn_classifier(l, r, 3) AS knn_classes, gaussian_mixture(r, 2) AS mixture, tree_regression(y, r) AS tree, forest_classifier(l, r, '{"n_trees": 5}') AS forest, one_class_svm(r) AS svm, pca(r, 1) AS pca, multivariate_normal(r) AS normal, naive_bayes(l, r) AS bayes, hierarchical(i, r) AS hierarchical, neighbors(i, r) AS neighbors
FROM prepared, t, LATERAL (SELECT a, b) f, LATERAL (SELECT transform_row(s, f)) q (r) GROUP BY s;

-- a score of the pipeline of the row is that of the last model of the transformed row, bit for bit
SELECT bool_and(predict(pipeline(s, linear), f) = predict(linear, r)) AS predict, bool_and(predict_interval(pipeline(s, linear), f) = predict_interval(linear, r)) AS intervals, bool_and(classify(pipeline(s, lda), f) = classify(lda, r)) AS classify, bool_and(probabilities(pipeline(s, logistic), f) = probabilities(logistic, r)) AS probabilities, bool_and(probability(pipeline(s, bayes), f) = probability(bayes, r)) AS probability, bool_and(decision(pipeline(s, logistic), f) = decision(logistic, r)) AS decision, bool_and(decisions(pipeline(s, lda), f) = decisions(lda, r)) AS decisions
FROM models, t, LATERAL (SELECT t.b, t.a) f, LATERAL (SELECT transform_row(s, f)) q (r);
SELECT bool_and(cluster(pipeline(s, kmeans), f) = cluster(kmeans, r)) AS cluster, bool_and(distance(pipeline(s, kmeans), f) = distance(kmeans, r)) AS distance, bool_and(distances(pipeline(s, kmeans), f) = distances(kmeans, r)) AS distances, bool_and(predict(pipeline(s, knn), f) = predict(knn, r)) AS knn, bool_and(probabilities(pipeline(s, mixture), f) = probabilities(mixture, r)) AS mixture, bool_and(predict(pipeline(s, tree), f) = predict(tree, r)) AS tree, bool_and(classify(pipeline(s, forest), f) = classify(forest, r)) AS forest, bool_and(classify(pipeline(s, svm), f) = classify(svm, r)) AS svm, bool_and(transform(pipeline(s, pca), f) = transform(pca, r)) AS pca, bool_and(tail_probability(pipeline(s, normal), f) = tail_probability(normal, r)) AS tail
FROM models, t, LATERAL (SELECT t.b, t.a) f, LATERAL (SELECT transform_row(s, f)) q (r);
SELECT bool_and((SELECT array_agg(n) FROM nearest(pipeline(s, neighbors), f, 2) n) = (SELECT array_agg(n) FROM nearest(neighbors, r, 2) n)) AS nearest FROM models, t, LATERAL (SELECT t.b, t.a) f, LATERAL (SELECT transform_row(s, f)) q (r) WHERE i < 20;
SELECT bool_and(batch = predict(p, f)) AS batch FROM (SELECT f, pipeline(s, knn) AS p, predict_batch(pipeline(s, knn), f) OVER () AS batch FROM models, t, LATERAL (SELECT t.a, t.b) f) x;
SELECT bool_and(batch = classify(p, f)) AS batch_classes FROM (SELECT f, pipeline(s, knn_classes) AS p, classify_batch(pipeline(s, knn_classes), f) OVER () AS batch FROM models, t, LATERAL (SELECT t.a, t.b) f) x;

-- tables and reports are those of the last model; features are those of the first
CREATE TABLE p AS SELECT pipeline(s, linear) AS linear, pipeline(s, logistic) AS logistic, pipeline(s, kmeans) AS kmeans, pipeline(s, tree) AS tree, pipeline(s, pca) AS pca, pipeline(s, hierarchical) AS hierarchical, pipeline(s, lda) AS lda FROM models;
SELECT term, round(estimate::numeric, 6) AS estimate FROM p, coefficients(linear);
SELECT name, kind FROM p, features(linear);
SELECT stage, estimator, inputs, outputs FROM p, stages(pca);
SELECT count(*) AS centroids FROM p, centroids(kmeans);
SELECT classes(logistic) AS classes, tree_rules(tree) = (SELECT tree_rules(m.tree) FROM models m) AS rules, (SELECT count(*) FROM cut(hierarchical, 3)) AS cut, parameter(linear, 'coef') = (SELECT parameter(m.linear, 'coef') FROM models m) AS parameter FROM p;
SELECT summary(linear) FROM p;
SELECT info(linear) ->> 'estimator' AS estimator, info(linear) -> 'rows' AS rows, (SELECT array_agg(x ->> 'name') FROM jsonb_array_elements(info(linear) -> 'features') x) AS features, (SELECT array_agg(x ->> 'estimator') FROM jsonb_array_elements(info(linear) -> 'stages') x) AS stages FROM p;
SELECT stage(p.linear, 1) = s AS first, stage(p.linear, 2) = m.linear AS last FROM p, models m;
SELECT output_names(pca) AS names, transform_row(pca, f) ?& output_names(pca) AS row FROM p, t, LATERAL (SELECT t.a, t.b) f WHERE i = 1;

-- the way back through all stages
SELECT max(abs((inverse_transform(q, transform(q, f)))[1] - t.a)) < 1e-9 AS back, max(abs((inverse_transform_row(q, transform(q, f)) ->> 'b')::float8 - t.b)) < 1e-9 AS back_row FROM t, (SELECT pipeline(s, m) AS q FROM prepared, (SELECT pca(transform_row(s, f), 2) AS m FROM prepared, t, LATERAL (SELECT a, b) f) x) y, LATERAL (SELECT t.a, t.b) f;

-- contributions under the names of the columns, that add up
SELECT bool_and(near(total, predict(linear, f))) AS adds_up, bool_and(terms = ARRAY['(base)', 'a', 'b']) AS terms FROM p, t, LATERAL (SELECT t.a, t.b) f, LATERAL (SELECT sum(contribution) AS total, array_agg(term ORDER BY term) AS terms FROM explain(linear, f)) x;
-- calibrations and decision rules belong to the last stage
SELECT classify(decision_rule(lda, '{"threshold": 0.0001}'), f) AS rule, stage(decision_rule(lda, '{"threshold": 0.0001}'), 1) = s AS stage FROM p, prepared, (VALUES (100.0::float8, 90.0::float8)) f (a, b);
SELECT try($$SELECT pipeline(decision_rule(lda, '{"threshold": 0.1}'), linear) FROM models$$);
SELECT info(stage(at_lambda(pipeline(s, m), (SELECT lambda FROM lambda_path(m) OFFSET 50 LIMIT 1)), 2)) ->> 'estimator' AS at_lambda FROM prepared, (SELECT lasso_regression(y, transform_row(s, f), '{"lambda": "path"}'::jsonb) AS m FROM prepared, t, LATERAL (SELECT a, b) f) x;

-- ---- as SQL ----
CREATE FUNCTION test.as_sql(m model) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE same boolean; BEGIN
    SET LOCAL jit = off;
    EXECUTE format('SELECT bool_and(written IS NOT DISTINCT FROM score OR near(written, score, 1e-9)) FROM (SELECT %s AS written, predict($1, whole) AS score FROM (SELECT t AS whole, * FROM (SELECT a, b, g FROM t UNION ALL VALUES (NULL, 1, ''x''), (1, NULL, ''x''), (1, 2, NULL), (3, 4, ''new'')) t OFFSET 0) x) y', to_sql(m)) INTO same USING m;
    RETURN same; END $$;
SELECT regexp_replace(to_sql(pipeline(stage(linear, 1), m)), '-?\d+\.\d+', '0', 'g') AS written FROM p, (SELECT ridge_regression(y, ARRAY[a, b], 1) AS m FROM t) x;
SELECT as_sql(p.linear) AS linear, as_sql(p.tree) AS tree, as_sql(pipeline(m.s, ensemble(m.linear, n, m.tree))) AS ensemble FROM p, models m, (SELECT linear_regression(y, r) AS n FROM prepared, t, LATERAL (SELECT t.a, t.b) f, LATERAL (SELECT transform_row(s, f) AS x) q, LATERAL (SELECT (x ->> 'b')::float8 AS b) r) z;
CREATE TABLE hot AS SELECT one_hot(f) AS h FROM t, LATERAL (SELECT a, b, g) f;
CREATE TABLE hot2 AS SELECT h, polynomial_features(r, '{"include_bias": false, "interaction_only": true, "features": ["a", "b", "g=x", "g=y"]}') AS p FROM hot, t, LATERAL (SELECT a, b, g) f, LATERAL (SELECT transform_row(h, f)) q (r) GROUP BY h;
CREATE TABLE hot3 AS SELECT h, p, linear_regression(y, transform_row(pipeline(h, p), f)) AS l, ridge_regression(y, transform_row(pipeline(h, p), f), 0.1) AS r FROM hot2, t, LATERAL (SELECT a, b, g) f GROUP BY h, p;
SELECT as_sql(pipeline(h, p, l)) AS interactions, as_sql(pipeline(h, p, r)) AS ridge, to_sql(pipeline(h, p, l)) ~ '^CASE WHEN ROW\("a", "b", "g"\) IS NOT NULL' AS unused_outputs FROM hot3;
SELECT as_sql(pipeline(m, stage(linear, 1), stage(linear, 2))) AS imputed FROM p, (SELECT target_encoder(y, f, '{"nulls": "impute"}') AS m FROM t, LATERAL (SELECT nullif(a, 3) AS a, b, g) f) x;
SELECT as_sql(pipeline(e, r)) AS encoded FROM (SELECT e, linear_regression(y, transform_row(e, f)) AS r FROM t, (SELECT target_encoder(y, f) AS e FROM t, LATERAL (SELECT a, b, g) f) x, LATERAL (SELECT a, b, g) f GROUP BY e) y;
SELECT as_sql(pipeline(s, c, l)) AS pca FROM (SELECT s, c, linear_regression(y, transform(pipeline(s, c), f)) AS l FROM t, (SELECT s, pca(transform(s, f), 2) AS c FROM prepared, t, LATERAL (SELECT a, b) f GROUP BY s) x, LATERAL (SELECT a, b) f GROUP BY s, c) y;
SELECT as_sql(pipeline(q, l)) AS bins FROM (SELECT q, linear_regression(y, transform_row(q, f)) AS l FROM t, (SELECT quantile_bins(f, '{"output": "onehot", "bins": 3}') AS q FROM t, LATERAL (SELECT a, b) f) x, LATERAL (SELECT a, b) f GROUP BY q) y;
SELECT try('SELECT to_sql(pipeline(s, knn)) FROM models');
SELECT try('SELECT to_sql(pipeline(m, n)) FROM (SELECT m, linear_regression(y, transform(m, a)) AS n FROM t, (SELECT kernel_pca(a, 2) AS m FROM t) x GROUP BY m) y');
SELECT try('SELECT to_sql(decision_rule(lda, ''{"threshold": 0.1}'')) FROM p');

-- ---- how stages find each other ----
-- by name in any order, of which the next may take a part; by position if it has no names, and then it gets them
SELECT predict(pipeline(s, m), f) = predict(m, transform_row(s, f)) AS by_name FROM prepared, (SELECT linear_regression(y, r) AS m FROM prepared, t, LATERAL (SELECT a, b) f, LATERAL (SELECT transform_row(s, f) AS x) z, LATERAL (SELECT (x ->> 'b')::float8 AS b, (x ->> 'a')::float8 AS a) r) x, (VALUES (1.0, 2.0)) f (a, b);
SELECT predict(pipeline(s, m), f) = predict(m, transform(s, f)) AS by_position, (SELECT array_agg(term) FROM coefficients(pipeline(s, m))) AS terms FROM prepared, (SELECT linear_regression(y, transform(s, f)) AS m FROM prepared, t, LATERAL (SELECT a, b) f) x, (VALUES (1.0, 2.0)) f (a, b);
-- pipelines among the models give their stages; one model is itself
SELECT array_agg(estimator ORDER BY stage) AS flat FROM prepared, (SELECT linear_regression(y, ARRAY[a, b]) AS m FROM t) x, stages(pipeline(pipeline(s, s), pipeline(s, m)));
SELECT pipeline(linear) = linear AS one, pipeline(pipeline(s, linear)) = pipeline(s, linear) AS one_pipeline FROM models;
-- the first stage decides about NULLs and unknown levels
SELECT predict(linear, ROW(NULL::float8, 1)) IS NULL AS nulls FROM p;
SELECT predict(pipeline(h, p, l), f) IS NOT NULL AS unseen FROM hot3, (VALUES (1.0, 2.0, 'new')) f (a, b, g);
SELECT try($$SELECT predict(pipeline(h, l), ROW(1, 2, 'new'::text)) FROM (SELECT h, linear_regression(y, transform_row(h, f)) AS l FROM (SELECT one_hot(f, '{"unseen": "error"}') AS h FROM t, LATERAL (SELECT a, b, g) f) x, t, LATERAL (SELECT a, b, g) f GROUP BY h) y$$);
SELECT predict(pipeline(m, linear), ROW(NULL::float8, 1)) = predict(linear, transform_row(m, ROW(NULL::float8, 1))) AS imputed FROM models, (SELECT standard_scaler(f, '{"nulls": "impute"}') AS m FROM t, LATERAL (SELECT CASE WHEN i > 5 THEN a END AS a, b) f) x;
SELECT try($$SELECT predict(linear, jsonb_build_object('a', 1)) FROM p$$);
-- an ensemble may end a pipeline; see ensembles for pipelines among its members
SELECT near(predict(pipeline(s, ensemble(m, m)), ARRAY[101.0, 20]), predict(m, transform(s, ARRAY[101.0, 20]))) AS without_names FROM (SELECT standard_scaler(ARRAY[a, b]) AS s FROM t) u, LATERAL (SELECT linear_regression(y, transform(s, ARRAY[a, b])) AS m FROM t) v;
SELECT near(predict(pipeline(s, ensemble(linear, tree)), f), (predict(pipeline(s, linear), f) + predict(pipeline(s, tree), f)) / 2) AS ensemble FROM models, (VALUES (101.0, 20.0)) f (a, b);

-- ---- formulas: the first stage may have one of any kind, whose terms are named; the others read the outputs before them ----
CREATE TABLE formulas AS SELECT standard_scaler(t, 'log(a) + I(b + 1)') AS direct, standard_scaler(t, 'poly(a, 2) + g:b') AS learned, one_hot(t, 'a + g') AS categories FROM t;
SELECT output_names(direct) AS direct, output_names(learned) AS learned, output_names(categories) AS categories FROM formulas;
CREATE TABLE of_formulas AS SELECT direct, learned, linear_regression(y, transform_row(direct, t)) AS d, linear_regression(y, transform_row(learned, t)) AS l FROM formulas, t GROUP BY direct, learned;
SELECT bool_and(predict(pipeline(direct, d), t) = predict(d, transform_row(direct, t))) AS direct, bool_and(predict(pipeline(learned, o.l), t) = predict(o.l, transform_row(learned, t))) AS learned FROM of_formulas o, t;
SELECT info(pipeline(learned, l)) ->> 'formula' AS formula, pipeline(learned, l)::text::model = pipeline(learned, l) AS text FROM of_formulas;
SELECT try('SELECT pipeline(s, m) FROM models, (SELECT linear_regression(y, t, ''log(a) + b'') AS m FROM t) x');
SELECT try('SELECT pipeline(s, m) FROM models, (SELECT linear_regression(y, t, ''poly(a, 2) + b'') AS m FROM t) x');
SELECT predict(pipeline(s, m), f) = predict(m, transform_row(s, f)) AS plain_columns FROM models, (SELECT linear_regression(y, x, 'a + b') AS m FROM models, t, LATERAL (SELECT a, b) f, LATERAL (SELECT transform_row(s, f) AS x) q) z, (VALUES (1.0, 2.0)) f (a, b);

-- ---- round trips ----
SELECT linear::text::model = linear AS text, linear::jsonb::model = linear AS jsonb, predict(linear::text::model, f) = predict(linear, f) AS bits FROM p, (VALUES (101.0, 20.0)) f (a, b);
CREATE TABLE copies (LIKE p);
INSERT INTO copies SELECT * FROM p;
SELECT copies.linear = p.linear AS stored, predict(copies.linear, f) = predict(p.linear, f) AS bits FROM copies, p, (VALUES (101.0, 20.0)) f (a, b);
-- many models in one query
SELECT count(DISTINCT m) AS models, bool_and(near(predict(m, f), predict(stage(m, 2), transform(stage(m, 1), f)))) AS groups FROM (SELECT g, pipeline(s, linear_regression(y, transform(s, f))) AS m FROM t, prepared, LATERAL (SELECT a, b) f GROUP BY g, s) x, t, LATERAL (SELECT t.a, t.b) f WHERE x.g = t.g;

-- ---- refusals ----
SELECT try('SELECT pipeline()');
SELECT try('SELECT pipeline(VARIADIC ''{}''::model[])');
SELECT try('SELECT pipeline(s, NULL) FROM models');
SELECT try('SELECT pipeline(NULL::model)');
SELECT try('SELECT pipeline(VARIADIC NULL::model[]) IS NULL');
SELECT try('SELECT pipeline(linear, s) FROM models');
SELECT try('SELECT pipeline(s, kmeans, linear) FROM models');
SELECT try('SELECT pipeline(feature_moments(a)) FROM t');
SELECT try('SELECT pipeline(s, m) FROM models, (SELECT moments(y, a) AS m FROM t) x');
SELECT try('SELECT pipeline(m, linear) FROM models, (SELECT feature_moments(a) AS m FROM t) x');
SELECT try('SELECT pipeline(s, m) FROM models, (SELECT linear_regression(y, f) AS m FROM t, LATERAL (SELECT a, b AS c) f) x');
SELECT try('SELECT pipeline(s, m) FROM models, (SELECT linear_regression(y, ARRAY[a, b, y]) AS m FROM t) x');
SELECT try('SELECT pipeline(s, m) FROM models, (SELECT linear_regression(y, ARRAY[a]) AS m FROM t) x');
SELECT try('SELECT pipeline(s, m) FROM models, (SELECT tree_regression(y, f) AS m FROM t, LATERAL (SELECT a, b, g) f) x');
SELECT try('SELECT pipeline(s, m, linear) FROM models, (SELECT pca(transform(s, f), 1) AS m FROM prepared, t, LATERAL (SELECT a, b) f) x');
SELECT try('SELECT pipeline(VARIADIC array_agg(s)) FROM models, generate_series(1, 101)');
SELECT try('SELECT predict(pipeline(s, s), ROW(1, 2)) FROM models');
SELECT try('SELECT transform_row(linear, ROW(1, 2)) FROM p');
SELECT try('SELECT inverse_transform(pipeline(m, s), ''{1,2}'') FROM models, (SELECT quantile_bins(f) AS m FROM t, LATERAL (SELECT a, b) f) x');
SELECT try('SELECT inverse_transform(pipeline(h, p), array_fill(0.0::float8, ARRAY[10])) FROM hot3');
SELECT try('SELECT stage(linear, 3) FROM p');
SELECT try('SELECT stage(linear, 0) FROM p');
SELECT try('SELECT stage(s, 1) FROM models');
SELECT try('SELECT stages(s) FROM models');
SELECT try('SELECT merge(linear, linear) FROM p');
SELECT try('SELECT predict(pipeline(m, linear), ROW(1e300, 1)) FROM models, (SELECT standard_scaler(f) AS m FROM t, LATERAL (SELECT a / 1e10 AS a, b) f) x');
-- values from outside: edited text, and stages that no pipeline would have
CREATE FUNCTION test.forge_stages(stages model[]) RETURNS text LANGUAGE sql AS $$
    SELECT jsonb_set(jsonb_set(p.linear::jsonb, '{arrays,stages}', coalesce(jsonb_build_object('u8', replace(encode(string_agg(pgfit_internal.model_send(m), '' ORDER BY k), 'base64'), E'\n', '')), '{"u8": []}')),
        '{arrays,stage_bytes,i64}', coalesce(jsonb_agg(length(pgfit_internal.model_send(m)) ORDER BY k) FILTER (WHERE m IS NOT NULL), '[]'))::text
    FROM public.p LEFT JOIN unnest(stages) WITH ORDINALITY u (m, k) ON true GROUP BY p.linear
$$;
SELECT place, try(format('SELECT predict(%L::model, ROW(1, 2))', replace(linear::text, place, other))) AS edited FROM p, (VALUES
    ('"stage_bytes":{"i64":[', '"stage_bytes":{"i64":[9'), ('"stage_bytes":{"i64":[', '"stage_bytes":{"i64":[5,'), ('"field_names":{"text":["a","b"]}', '"field_names":{"text":["b","a"]}'),
    ('"fields":2,"slots":2', '"fields":1,"slots":1'), ('"flags":["named"]', '"flags":["named","impute"]'), ('"estimator":"pipeline"', '"estimator":"ensemble_regression"')) v (place, other);
SELECT name, try(format('SELECT predict(%L::model, ROW(1, 2))', edited)) AS edited FROM (
    SELECT 'pipeline inside' AS name, forge_stages(ARRAY[linear, linear]) AS edited FROM p
    UNION ALL SELECT 'one stage', forge_stages(ARRAY[s]) FROM models UNION ALL SELECT 'no transform', forge_stages(ARRAY[linear, s]) FROM models
    UNION ALL SELECT 'no stages', forge_stages('{}')) x;
DROP FUNCTION test.as_sql, test.forge_stages;
DROP TABLE t, prepared, models, p, hot, hot2, hot3, copies, formulas, of_formulas;
