-- Models as ONNX documents. That their operators compute what the models do is tested by scripts/exchange-check-onnx, with onnxruntime.
SET search_path = public, test, pgfit;
SET client_min_messages = warning;
CREATE TABLE points AS
SELECT i, i % 7 AS a, i % 5 AS b, (ARRAY['red', 'green', 'blue'])[i % 3 + 1] AS color, 2 * (i % 7) - (i % 5) + (i % 3) AS y, (i % 7 > 3) AS late,
       i % 3 AS third, ARRAY[i % 7, i % 5] AS v FROM generate_series(1, 105) i;

-- what a document has, in order: the operators of its nodes, and its inputs and outputs
CREATE FUNCTION operators(document bytea) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(o[1], ' ' ORDER BY n)
    FROM regexp_matches(encode(document, 'escape'), E'"[\\x01-\\x1f]([A-Z][A-Za-z]+):', 'g') WITH ORDINALITY AS r(o, n)
$$;
CREATE FUNCTION ends(document bytea) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(CASE o[1] WHEN 'Z' THEN 'in ' ELSE 'out ' END || o[2], ', ' ORDER BY n)
    FROM regexp_matches(encode(document, 'escape'), E'([Zb])[\\x01-\\x7f]\\n[\\x01-\\x3f]([a-zA-Z_ ]+)\\x12[\\x01-\\x1f]\\n', 'g') WITH ORDINALITY AS r(o, n)
$$;
CREATE FUNCTION shown(name text, model model) RETURNS TABLE (method text, ends_ text, operators_ text) LANGUAGE sql AS $$
    SELECT name, ends(export_onnx(model)), operators(export_onnx(model))
$$;

-- each row: a model, its inputs and outputs, its operators
\pset format unaligned
\pset tuples_only on
SELECT s.* FROM (SELECT linear_regression(y, v) AS m FROM points) AS f, shown('an array', m) AS s;
SELECT s.* FROM (SELECT linear_regression(y, p, '{"features": ["a", "color"]}') AS m FROM points p) AS f, shown('a row', m) AS s;
SELECT s.* FROM (SELECT linear_regression(y, p, '{"features": ["a", "color"], "nulls": "impute"}') AS m FROM points p) AS f, shown('means for NULLs', m) AS s;
SELECT s.* FROM (SELECT logistic_regression(late, p, '{"features": ["b", "color"], "lambda": 1}') AS m FROM points p) AS f, shown('two classes', m) AS s;
SELECT s.* FROM (SELECT logistic_regression(third, p, '{"features": ["a", "b"], "lambda": 1}') AS m FROM points p) AS f, shown('three classes', m) AS s;
SELECT s.* FROM (SELECT svm_regression(y, v, '{"kernel": "rbf", "gamma": 1}'::jsonb) AS m FROM points) AS f, shown('a kernel', m) AS s;
SELECT s.* FROM (SELECT tree_regression(y, p, '{"features": ["a", "color"]}') AS m FROM points p) AS f, shown('a tree', m) AS s;
SELECT s.* FROM (SELECT forest_classifier(color, v, '{"n_trees": 3}'::jsonb) AS m FROM points) AS f, shown('a forest', m) AS s;
SELECT s.* FROM (SELECT lda(third, v) AS m FROM points) AS f, shown('lda', m) AS s;
SELECT s.* FROM (SELECT kmeans(v, 2) AS m FROM points) AS f, shown('clusters', m) AS s;
SELECT s.* FROM (SELECT one_hot(p, '{"features": ["color", "a"]}') AS m FROM points p) AS f, shown('levels', m) AS s;
SELECT s.* FROM (SELECT standard_scaler(v) AS m FROM points) AS f, LATERAL (SELECT pipeline(m, ridge_regression(y, transform(m, v), 1)) AS p FROM points) AS g,
    shown('a pipeline', p) AS s;
-- features that have the names of outputs
SELECT ends(export_onnx(linear_regression(y, f))) FROM (SELECT y, (SELECT r FROM (SELECT a AS prediction, b AS "prediction_") r) AS f FROM points) AS t;
\pset format aligned
\pset tuples_only off

-- a document that onnxruntime ran as the model predicts: the same bytes
SELECT length(export_onnx(m)) AS bytes, md5(export_onnx(m)) AS document
FROM (SELECT tree_regression(y, p, '{"features": ["a", "color"], "max_depth": 3}') AS m FROM points p) AS f;

-- what ONNX cannot say is refused by name
SELECT try($$SELECT export_onnx(knn_regression(y, v, 3)) FROM points$$);
SELECT try($$SELECT export_onnx(moments(y, v)) FROM points$$);
SELECT try($$SELECT export_onnx(linear_regression(y, p, 'log(a + 1) + color')) FROM points p$$);
SELECT try($$SELECT export_onnx(poisson_regression(y + 5, p, 'a + offset(b)')) FROM points p$$);
SELECT try($$SELECT export_onnx(glm(late::int, v, '{"family": "binomial", "link": "probit"}'::jsonb)) FROM points$$);
SELECT try($$SELECT export_onnx(svm_classifier(late, v, '{"tie": "null"}'::jsonb)) FROM points$$);
SELECT try($$SELECT export_onnx(logistic_regression(third, v, '{"multiclass": "ecoc", "lambda": 1}'::jsonb)) FROM points$$);
SELECT try($$SELECT export_onnx(decision_rule(naive_bayes(late, v), '{"threshold": 0.7}')) FROM points$$);
SELECT try($$SELECT export_onnx(perceptron(late, v, '{"averaged": "voted"}'::jsonb)) FROM points$$);
SELECT try($$SELECT export_model(linear_regression(y, v), 'onnx') FROM points$$);
SELECT export_onnx(NULL) IS NULL AS none;
-- many levels of many classes need memory in proportion to both
CREATE TABLE many_levels AS SELECT naive_bayes(i % 150, f) AS m FROM generate_series(1, 6000) AS i, LATERAL (SELECT 'a' || i % 200 AS a, 'b' || i % 230 AS b, 'c' || i % 310 AS c) AS f;
SET pgfit.fit_mem = '1MB';
SELECT try('SELECT export_onnx(m) FROM many_levels');
RESET pgfit.fit_mem;
DROP TABLE many_levels;
