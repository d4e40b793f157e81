-- A model edited to have a text where a row has none sees no text of another row or query.
SET search_path = public, test, pgfit;
CREATE TABLE words AS SELECT i::float8 AS y, repeat(chr(97 + i % 5), 3 + i % 4) || i AS word FROM generate_series(1, 30) i;
CREATE TABLE fitted AS SELECT svm_regression(y, f, '{"kernel": "spectrum", "length": 2}'::jsonb) AS m FROM words, LATERAL (SELECT word) f;
CREATE TABLE edited AS SELECT jsonb_set(jsonb_set(m::jsonb, '{flags}', '["impute", "named"]'), '{schema,impute}', '[-1]')::model AS m FROM fitted;
SELECT predict(m, f) > 0 AS known FROM fitted, LATERAL (SELECT 'aaa5' AS word) f;
SELECT try($$SELECT predict(m, f) FROM edited, LATERAL (SELECT NULL::text AS word) f$$);
SELECT try($$SELECT predict(m, f) FROM edited, (VALUES ('aaa5'), (NULL)) v (word), LATERAL (SELECT v.word) f$$);
SELECT v.word, predict(e, f) > 0 AS known FROM (SELECT ensemble(m, m) AS e FROM edited) q, (VALUES ('aaa5'), (NULL)) v (word), LATERAL (SELECT v.word) f;
DROP TABLE words, fitted, edited;
