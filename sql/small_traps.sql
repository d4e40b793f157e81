-- Small traps, each under its symptom.
SET search_path = public, test, pgfit;
CREATE TABLE trap AS SELECT i AS id, i * 1.0::float8 AS x, (i * 7) % 13 + 0.5 * i AS y, 'c' || i % 3 AS c, i % 2 = 0 AS b FROM generate_series(1, 40) AS i;
CREATE TABLE trap_models AS SELECT logistic_regression(c = 'c1', d, 'x') AS m, regexp_replace(logistic_regression(c = 'c1', d, 'x')::text, '"class_type":{[^}]*},?', '')::model AS edited FROM trap AS d;
ANALYZE trap, trap_models;
-- an ensemble of classifiers that lost the type of their labels failed with internal_error
SELECT bool_and(classify(ensemble(edited, m), d) = classify(m, d)) AS first_edited, bool_and(classify(ensemble(ARRAY[edited, edited], '{"voting": "hard"}'), d) = classify(m, d)) AS all_edited,
       bool_and(near(probability(ensemble(edited, edited), d), probability(m, d), 1e-12)) AS probabilities FROM trap_models, trap AS d;
-- the hint about an unknown estimator listed some that cross_validate refuses
SELECT e AS listed_and_refused FROM (SELECT try($$SELECT cross_validate(y, d, 'linear_regresion') FROM trap AS d$$)) AS t(hint), unnest(ARRAY['dbscan', 'pca', 'medoids', 'one_hot', 'neighbors', 'hierarchical']) AS e WHERE hint ~ e;
SELECT try($$SELECT cross_validate(y, d, 'dbscan') FROM trap AS d$$);
-- cross_validate had no on_failure
SELECT c, cross_validate(y, d, 'knn_regression', '{"on_failure": "null", "options": {"k": 14, "formula": "x"}}') IS NULL AS failed FROM trap AS d GROUP BY c ORDER BY c;
SELECT b, cross_validate(y, d, 'knn_regression', '{"on_failure": "null", "options": {"k": 14, "formula": "x"}}') IS NULL AS failed FROM trap AS d GROUP BY b ORDER BY b;
SELECT c, cross_validate(y, d, 'knn_regression', '{"options": {"k": 14, "formula": "x", "on_failure": "null"}}') IS NULL AS failed FROM trap AS d GROUP BY c ORDER BY c;
SELECT try($$SELECT cross_validate(y, d, 'knn_regression', '{"on_failure": "error", "options": {"k": 14, "formula": "x", "on_failure": "null"}}') FROM trap AS d GROUP BY c ORDER BY c$$);
SELECT try($$SELECT cross_validate(y, d, 'knn_regression', '{"on_failure": "skip", "options": {"formula": "x"}}') FROM trap AS d$$);
-- fold and split could be neither in a generated column nor in an index
CREATE TABLE trap_keys (k text, fold int GENERATED ALWAYS AS (fold(k, 5)) STORED, test boolean GENERATED ALWAYS AS (split(k, 0.3, 7)) STORED);
INSERT INTO trap_keys SELECT 'key ' || i FROM generate_series(1, 1000) AS i;
CREATE INDEX trap_keys_split ON trap_keys (split(k, 0.5));
SELECT count(DISTINCT fold) AS folds, bool_and(fold = fold(k, 5)) AS same_fold, bool_and(test = split(k, 0.3, 7)) AS same_side, round(avg(test::int), 1) AS share FROM trap_keys;
SET timezone = 'Asia/Tokyo';
SELECT fold(timestamptz '2024-01-01 00:00:00+00', 1000) AS tokyo;
SET timezone = 'UTC';
SET datestyle = 'German';
SELECT fold(timestamptz '2024-01-01 00:00:00+00', 1000) AS utc;
RESET timezone;
RESET datestyle;
-- lda after one_hot did not say what to do about columns that add up to 1
SELECT try($$SELECT lda(b, r) FROM (SELECT b, transform_row(m, d) AS r FROM trap AS d, (SELECT one_hot(d, 'c') FROM trap AS d) AS q(m)) AS t$$);
SELECT lda(b, r) IS NOT NULL AS dropped FROM (SELECT b, transform_row(m, d) AS r FROM trap AS d, (SELECT one_hot(d, '{"formula": "c", "drop": "first"}') FROM trap AS d) AS q(m)) AS t;
-- a warning about a group whose key is a model printed the begin of its text
SELECT count(*) AS groups, count(k) AS fitted FROM (SELECT kmeans(d, 100, '{"formula": "x", "on_failure": "null"}') AS k FROM trap AS d, trap_models GROUP BY m) AS t;
SELECT count(*) AS groups, count(k) AS fitted FROM (SELECT kmeans(d, 100, '{"formula": "x", "on_failure": "null"}') AS k FROM trap AS d, (SELECT moments(y, d, 'x') FROM trap AS d) AS q(e) GROUP BY e) AS t;
DROP TABLE trap, trap_models, trap_keys;
