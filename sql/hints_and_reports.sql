-- Hints and reports that once misled.
SET search_path = public, test, pgfit;
CREATE TABLE points AS SELECT i, sin(i) * 3 AS x, cos(i * 1.7) AS z, CASE WHEN sin(i) > 0 THEN 'up' ELSE 'down' END AS label, chr(97 + i % 3) AS c FROM generate_series(1, 60) AS i;

-- a WARNING told users of one_class_svm to lower C, which it does not have
SELECT one_class_svm((x, z), '{"approximation": "nystroem", "max_iter": 1}') IS NOT NULL AS fitted FROM points;
SELECT svm_classifier(label, (x, z), '{"approximation": "nystroem", "kernel": "rbf", "max_iter": 1}') IS NOT NULL AS fitted FROM points;

-- one of a thing was counted as several: "1 rows for 1 coefficients"
SELECT linear_regression(1.0, 2.0::float8, '{"intercept": false}') IS NOT NULL AS fitted;
SELECT try($$SELECT kmeans(x, 2, '{"init": [[1]]}') FROM points$$), try($$SELECT minmax_scaler(x, '{"range": [1]}') FROM points$$);

-- a machine with an rbf kernel was said to support distance and explain, which refused it
SELECT try('SELECT cluster(svm_classifier(label, (x, z), ''{"kernel": "rbf"}''), (1, 2)) FROM points');
SELECT try('SELECT cluster(svm_classifier(label, (x, z)), (1, 2)) FROM points');
SELECT try('SELECT cluster(svm_regression(x, z, ''{"kernel": "rbf"}''), 2) FROM points');
SELECT try('SELECT cluster(perceptron(label, (x, z), ''{"kernel": "rbf"}''), (1, 2)) FROM points');
SELECT try('SELECT cluster(kernel_ridge(x, z, ''{"lambda": 1}''::jsonb), 2) FROM points');
SELECT try('SELECT cluster(kernel_ridge(x, z, ''{"lambda": 1, "kernel": "linear"}''::jsonb), 2) FROM points');

-- a damaged member of an ensemble that was read from text had the code of binary input
SELECT changed, try(format('SELECT %L::model IS NULL', jsonb_set(e::jsonb, '{arrays,members}', e::jsonb #> '{arrays,members}' || changed))) AS text,
       try(format('SELECT %L::jsonb::model IS NULL', jsonb_set(e::jsonb, '{arrays,members}', e::jsonb #> '{arrays,members}' || changed))) AS json
FROM (SELECT ensemble(linear_regression(x, z), ridge_regression(x, z, 1)) AS e FROM points) AS f, (VALUES ('{"u8": "AAAA"}'::jsonb)) AS v (changed);
SELECT left(try(format('SELECT %L::model IS NULL', jsonb_set(e::jsonb, '{arrays,members,u8}', to_jsonb(translate(encode(set_byte(m, place, get_byte(m, place) # 255), 'base64'), E'\n', ''))))), 23) AS damaged, count(*)
FROM (SELECT e, decode(e::jsonb #>> '{arrays,members,u8}', 'base64') AS m FROM (SELECT ensemble(linear_regression(x, z), ridge_regression(x, z, 1)) AS e FROM points) AS f) AS g,
     (VALUES (0), (7), (8), (12), (40), (60), (100)) AS v (place) GROUP BY 1 ORDER BY 1;

-- info had hashes among its statistics, and how the model is stored beside what it says
SELECT key FROM jsonb_object_keys((SELECT info(forest_regression(x, z, '{"n_trees": 2}')) FROM points)) AS key;
SELECT info(m) -> 'statistics' ? 'rows_hash' AS hash_in_statistics, info(m) -> 'implementation' ? 'rows_hash' AS hash, (SELECT array_agg(k ORDER BY k) FROM jsonb_object_keys(info(m) -> 'implementation') AS k) AS implementation
FROM (SELECT forest_regression(x, z, '{"n_trees": 2}') AS m FROM points) AS f;

-- the summary of kmeans had no centroids, that of naive_bayes no categories, and that of hierarchical no header
SELECT regexp_replace(summary(kmeans(f, 2)), '-?\d+\.\d+', '#', 'g') FROM points AS p, LATERAL (SELECT p.x, p.z) AS f;
SELECT regexp_replace(summary(kmeans(f, 2, '{"max_iter": 0}', 2)), ' *-?\d+(\.\d+)?', ' #', 'g') FROM points AS p, LATERAL (SELECT p.x, p.z, p.x * 2 AS a_feature_with_a_long_name) AS f;
SELECT split_part(summary(kmeans(a, 31)), E'\n', 35) AS more FROM (SELECT ARRAY[x, z, i, i, i, i, i, i, i] AS a FROM points) AS p;
SELECT regexp_replace(summary(naive_bayes(label, f)), '-?\d+\.\d+', '#', 'g') FROM points AS p, LATERAL (SELECT p.c, p.x) AS f;
SELECT substring(summary(naive_bayes(label, (x, 'level ' || i))) FROM '\.\.\. and[^\n]*') AS more FROM points;
SELECT split_part(summary(hierarchical(i, (x, z), '{"linkage": "ward"}')), E'\n\n', 1) AS header FROM points;
-- AIC did not say what it counts
SELECT substring(summary(linear_regression(x, z)) FROM 'AIC[^\n]*') ~ 'error variance' AS stated FROM points;
DROP TABLE points;
