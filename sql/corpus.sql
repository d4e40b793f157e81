-- Values that an earlier pgfit stored can be read, come back as they were, and score the same bits: those of test/corpus, whose README says what is frozen.
SET client_min_messages = error; -- many probes have levels that the models have not seen
SET search_path = public, test, pgfit;
\set ECHO none
\i test/corpus/bits.sql
\set ECHO all
CREATE TABLE stored (name text PRIMARY KEY, features text, m text);
CREATE TABLE stored_binary (name text PRIMARY KEY, m pgfit.model);
CREATE TABLE stored_bits (name text, function text, bits text, PRIMARY KEY (name, function));
\copy stored FROM 'test/corpus/0.1.0/values.tsv'
\copy stored_binary FROM 'test/corpus/0.1.0/values.bin' WITH (FORMAT binary)
\copy pgfit_internal.model_names (name, owner, scorers, readers, active, earlier, last_version) FROM 'test/corpus/0.1.0/model_names.tsv'
\copy pgfit_internal.registry (name, version, model, estimator, source, formula, options, query, metrics, evaluation, rows, duration, trained_at, trained_by, status, message) FROM 'test/corpus/0.1.0/registry.tsv'
\copy stored_bits FROM 'test/corpus/0.1.0/bits.tsv'
-- every value can be read; it is written back byte for byte and goes through jsonb
CREATE TABLE stored_read AS SELECT name, try(format('SELECT (%L::model) IS NOT NULL', m)) AS outcome FROM stored;
SELECT name, outcome AS unreadable FROM stored_read WHERE outcome <> 'ok: true' ORDER BY name COLLATE "C";
CREATE TABLE stored_value AS SELECT name, features, m::model FROM stored JOIN stored_read USING (name) WHERE outcome = 'ok: true';
SELECT name AS not_through_jsonb FROM stored_value WHERE m::jsonb::model <> m ORDER BY name COLLATE "C";
SELECT name AS written_otherwise FROM stored_value v JOIN stored s USING (name) WHERE v.m::text <> s.m ORDER BY name COLLATE "C";
-- the binary form is read as the same value
SELECT name, b.m = v.m AS same FROM stored_binary b LEFT JOIN stored_value v USING (name) WHERE (b.m = v.m) IS NOT TRUE ORDER BY name COLLATE "C";
-- the scores: what differs, is gone or is new
CREATE TABLE bits_now AS SELECT name, b.* FROM stored_value, bits(m, features) AS b WHERE features <> '';
INSERT INTO bits_now SELECT 'served corpus_line', 'predict', string_agg(encode(float8send(predict('corpus_line', (SELECT f FROM (SELECT a, b, c) f))), 'hex'), ' ' ORDER BY i) FROM probe;
INSERT INTO bits_now SELECT 'served corpus_class', 'probability', string_agg(encode(float8send(probability('corpus_class', (SELECT f FROM (SELECT a, b, c) f))), 'hex'), ' ' ORDER BY i) FROM probe;
SELECT name, function, CASE WHEN n.name IS NULL THEN 'gone' WHEN s.name IS NULL THEN 'new' ELSE 'other bits' END AS differs
FROM stored_bits s FULL JOIN bits_now n USING (name, function) WHERE n.name IS NULL OR s.name IS NULL OR s.bits IS DISTINCT FROM n.bits ORDER BY name COLLATE "C", function COLLATE "C";
-- each estimator has a model as text and one in binary form, with the bits of its scores; test/corpus/make adds what is missing
SELECT e.name AS missing, bool_or(v.name IS NOT NULL) AS as_text, bool_or(b.name IS NOT NULL) AS binary, bool_or(s.name IS NOT NULL) AS scores
FROM estimators() AS e LEFT JOIN stored_value AS v ON v.m::jsonb ->> 'estimator' = e.name AND v.m::jsonb ->> 'kind' = 'model'
     LEFT JOIN stored_binary AS b ON b.name = v.name LEFT JOIN stored_bits AS s ON s.name = v.name AND s.bits IS NOT NULL
GROUP BY e.name HAVING NOT (bool_or(v.name IS NOT NULL) AND bool_or(b.name IS NOT NULL) AND bool_or(s.name IS NOT NULL OR e.name = 'distance_histogram')) ORDER BY e.name COLLATE "C";
-- every fitted model has a report, but those of kmeans with the option "algorithm", which is gone
SELECT name, outcome FROM (SELECT name, try(format('SELECT report(m) LIKE ''%%</html>%%'' FROM stored_value WHERE name = %L', name)) AS outcome FROM stored_value WHERE m::jsonb ->> 'kind' = 'model') AS reports
WHERE outcome <> 'ok: true' AND outcome !~ 'kmeans has no option "algorithm"' ORDER BY name COLLATE "C";
-- a fit from stored moments is the stored model of the same rows
SELECT fit.name, near(predict(fit.m, (SELECT f FROM (SELECT a, b, c) f)), predict(model.m, (SELECT f FROM (SELECT a, b, c) f)), 1e-9) AS same
FROM (SELECT name, fit('linear_regression', merge(m)) AS m FROM stored_value WHERE name IN ('moments', 'moments merged') GROUP BY name) fit, stored_value model, probe
WHERE model.name = 'linear_regression' AND probe.i < 4 ORDER BY fit.name, probe.i;
SELECT bool_and(near_all(probabilities(fit.m, f), probabilities(model.m, f), 1e-9)) AS naive_bayes
FROM (SELECT fit('naive_bayes', merge(m)) AS m FROM stored_value WHERE name = 'class_moments') fit, stored_value model, probe, LATERAL (SELECT a, b, c) f WHERE model.name = 'naive_bayes';
SELECT bool_and(near(distance(fit.m, ARRAY[a, b]), distance(model.m, ARRAY[a, b]), 1e-9)) AS multivariate_normal
FROM (SELECT fit('multivariate_normal', merge(m)) AS m FROM stored_value WHERE name = 'feature_moments numbers') fit, stored_value model, probe WHERE model.name = 'multivariate_normal';
-- the registry goes on with the rows of a dump
SELECT name, active, last_version FROM model_names WHERE name LIKE 'corpus%' ORDER BY name;
SELECT name, version, estimator, status, duration IS NOT NULL AS timed FROM registry WHERE name LIKE 'corpus%' ORDER BY name, version;
SELECT pgfit.rollback('corpus_line'), put_model('corpus_class', (SELECT m FROM stored_value WHERE name = 'logistic_regression binary'));
SELECT drop_model(name) FROM model_names WHERE name LIKE 'corpus%' ORDER BY name;
DROP TABLE probe, stored, stored_binary, stored_bits, stored_read, stored_value, bits_now;
DROP FUNCTION test.bits, test.all_bits;
