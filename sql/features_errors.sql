-- what features, targets and labels cannot be: SQLSTATE, message, hint
SET max_parallel_workers_per_gather = 0;
CREATE TABLE test.t AS SELECT i AS id, i::float8 AS a, i * 7 % 5 AS b, 'level ' || i % 4 AS c, date '2024-01-01' + i * i AS d, i * 2.0 AS y FROM generate_series(1, 20) AS i;
CREATE TABLE test.m AS
SELECT pgfit.linear_regression(y, f) AS m, pgfit.linear_regression(y, ARRAY[f.a, f.b]) AS plain, pgfit.linear_regression(y, f, '{"unseen": "error"}') AS strict,
       pgfit.linear_regression(y, (f.a, ARRAY[f.b, f.a * f.a])) AS run
FROM test.t, LATERAL (SELECT t.a, t.b % 3 AS b, t.c, t.d) AS f;
CREATE FUNCTION test.fitted_as(features text, options text DEFAULT '{}', source text DEFAULT 'test.t') RETURNS text LANGUAGE sql AS $$
    SELECT test.try(format('SELECT pgfit.linear_regression(y, %s, %L::jsonb) FROM %s', features, options, source))
$$;
CREATE FUNCTION test.score(model text, features text) RETURNS text LANGUAGE sql AS $$
    SELECT test.try(format('SELECT pgfit.predict(%s, %s) FROM test.m', model, features))
$$;

-- types that cannot be features
SELECT test.fitted_as('''{1,2}''');
SELECT test.fitted_as('NULL');
SELECT test.fitted_as('ARRAY[c]');
SELECT test.fitted_as('ARRAY[d]');
SELECT test.fitted_as('json_build_object(''a'', a)');
SELECT test.fitted_as('point(1, 2)');
SELECT test.fitted_as('int4range(1, 2)');
SELECT test.fitted_as('(a, point(1, 2))');
SELECT test.fitted_as('(a, ROW(a, b))');
SELECT test.fitted_as('(a, ARRAY[c])');
SELECT test.fitted_as('(a, ''{"a": 1}''::jsonb)');
SELECT test.fitted_as('ARRAY[ROW(a)]');
SELECT test.fitted_as('ARRAY[[a, b], [b, a]]');
SELECT test.fitted_as('(a, ARRAY[[a, b], [b, a]])');
SELECT test.fitted_as('''{}''::float8[]');
SELECT test.fitted_as('(a, ''{}''::float8[])');
SELECT test.fitted_as('ROW()');
SELECT test.fitted_as('''{}''::jsonb');
SELECT test.fitted_as('''[1, 2]''::jsonb');
SELECT test.fitted_as('''1''::jsonb');
SELECT test.fitted_as('''{"a": [1, 2]}''::jsonb');
SELECT test.fitted_as('''{"a": {"b": 1}}''::jsonb');

-- rows that differ
SELECT test.fitted_as('CASE WHEN id < 9 THEN ARRAY[1, 2] ELSE ARRAY[1, 2, 3] END');
SELECT test.fitted_as('(a, CASE WHEN id < 9 THEN ARRAY[1, 2] ELSE ARRAY[1, 2, 3] END)');
SELECT test.fitted_as('CASE WHEN id < 9 THEN ROW(a, b) ELSE ROW(a, b, b) END');
SELECT test.fitted_as('CASE WHEN id < 9 THEN ROW(a, b) ELSE ROW(a, c) END');
SELECT test.fitted_as('CASE WHEN id < 9 THEN ROW(a, c) ELSE ROW(a, b) END');
SELECT test.fitted_as('CASE WHEN id < 9 THEN (SELECT f FROM (SELECT a, b) AS f) ELSE (SELECT f FROM (SELECT a, c) AS f) END');
SELECT test.fitted_as('CASE WHEN id < 9 THEN (SELECT f FROM (SELECT a, b) AS f) ELSE (SELECT f FROM (SELECT a, b, c) AS f) END');
SELECT test.fitted_as('CASE WHEN id < 9 THEN ''{"a": 1}''::jsonb ELSE ''{"b": 1}'' END');
SELECT test.fitted_as('CASE WHEN id < 9 THEN ''{"a": 1}''::jsonb ELSE ''{"a": 1, "b": 1}'' END');
SELECT test.fitted_as('CASE WHEN id < 9 THEN ''{"a": 1}''::jsonb ELSE ''{"a": "1"}'' END');
SELECT test.fitted_as('CASE WHEN id < 9 THEN ''{"a": "1"}''::jsonb ELSE ''{"a": 1}'' END');
SELECT test.fitted_as('CASE WHEN id < 9 THEN ''{"a": "1"}''::jsonb ELSE ''{"a": true}'' END');

-- NaN, infinities, too large; without the row's content
SELECT test.fitted_as('ARRAY[a, CASE WHEN id = 9 THEN ''NaN'' ELSE a END]');
SELECT test.fitted_as('ARRAY[a, CASE WHEN id = 9 THEN ''-Infinity'' ELSE a END]::real[]');
SELECT test.fitted_as('(a, CASE WHEN id = 9 THEN ''Infinity'' ELSE a END)');
SELECT test.fitted_as('f', '{}', 'test.t, LATERAL (SELECT a AS "the size", ''NaN''::numeric AS price) AS f');
SELECT test.fitted_as('f', '{}', 'test.t, LATERAL (SELECT a AS size, ARRAY[a, ''NaN'']::numeric[] AS run) AS f');
SELECT test.fitted_as('ARRAY[a, 1e309]::numeric[]');
SELECT test.fitted_as('(a, -1e309::numeric)');
SELECT test.fitted_as('''{"a": 1e400}''::jsonb');
SELECT test.fitted_as('(a, date ''infinity'')');
SELECT test.fitted_as('(a, timestamp ''-infinity'')');
SELECT test.fitted_as('timestamptz ''infinity''');
SELECT test.score('plain', 'ARRAY[1, ''NaN''::float8]');
SELECT test.score('plain', '(1, ''Infinity''::real)');
-- a NULL among them wins: the row is skipped
SELECT test.fitted_as('ARRAY[NULL, ''NaN''::float8]'), test.fitted_as('(''NaN''::float8, NULL::int)');

-- NULLs refused, and a first row whose NULL leaves a kind or length unknown
SELECT test.fitted_as('ARRAY[a, nullif(b, 3)]', '{"nulls": "error"}');
SELECT test.fitted_as('(a, nullif(c, ''level 1''))', '{"nulls": "error"}');
SELECT test.fitted_as('nullif(a, 3)', '{"nulls": "error"}');
SELECT test.fitted_as('(a, ARRAY[a, nullif(b, 3)])', '{"nulls": "error"}');
SELECT test.fitted_as('jsonb_build_object(''a'', nullif(a, 3))', '{"nulls": "error"}');
SELECT test.fitted_as('''{"a": null}''::jsonb', '{"nulls": "impute"}');
SELECT test.fitted_as('(a, NULL::float8[])', '{"nulls": "impute"}');

-- too many levels, and features
SELECT test.fitted_as('(a, id::text)', '{"max_levels": 5}');
SELECT test.fitted_as('f', '{"max_levels": 5}', 'test.t, LATERAL (SELECT a, md5(id::text)::uuid AS customer) AS f');
SELECT test.fitted_as('(a, ''x'' || id)', '{}', '(SELECT i AS id, i AS a, i AS y FROM generate_series(1, 1001) AS i) AS s');
-- the target, label or id left out, because the formula names it or nobody thought of it
SELECT test.try('SELECT pgfit.linear_regression(d, ''y ~ x'') FROM (SELECT 1 AS x, 2 AS y) AS d');
SELECT test.try('SELECT pgfit.tree_classifier(d, ''{"formula": "x"}'') FROM (SELECT 1 AS x, 2 AS y) AS d');
SELECT test.try('SELECT pgfit.local_outlier_factor(d, ''x + y'') FROM (SELECT 1 AS x, 2 AS y) AS d');
SELECT test.try('SELECT pgfit.geometric_median(array_fill(0, ARRAY[1000001]))');

-- option features
SELECT test.fitted_as('t', '{"features": ["a", "weight"]}');
SELECT test.fitted_as('t', '{"features": ["a", "b", "a"]}');
SELECT test.fitted_as('t', '{"features": []}');
SELECT test.fitted_as('ARRAY[a, b]', '{"features": ["x"]}');
SELECT test.fitted_as('(a, b)', '{"features": ["x", "y", "z"]}');
SELECT test.fitted_as('a', '{"features": ["x", "y"]}');
SELECT test.fitted_as('f', '{"features": ["a"]}', 'test.t, LATERAL (SELECT a, point(1, 2) AS p) AS f') LIKE 'ok%' AS not_selected;

-- scores: counts, names, kinds, levels
SELECT test.score('plain', 'ARRAY[1, 2, 3]');
SELECT test.score('plain', '(1, 2, 3)');
SELECT test.score('plain', '1.5');
SELECT test.score('plain', '''{1,2}''');
SELECT test.score('m', 'ARRAY[1, 2, 3, 4]');
SELECT test.score('m', '(1, 2)');
SELECT test.score('m', '(SELECT f FROM (SELECT 1 AS a, 2 AS b, ''level 1'' AS cc, current_date AS d) AS f)');
SELECT test.score('m', '''{"a": 1, "c": "level 1"}''::jsonb');
SELECT test.score('m', '(1, 2, 3, date ''2024-01-01'')');
SELECT test.score('m', '(1, ''2'', ''level 1'', date ''2024-01-01'')');
SELECT test.score('m', '(1, 2, ''level 1'', 5)');
SELECT test.score('m', '(1, 2, ''level 1'', time ''10:00'')');
SELECT test.score('m', '(1, ARRAY[2], ''level 1'', date ''2024-01-01'')') LIKE 'ok%' AS run_of_one;
SELECT test.score('m', '(1, ARRAY[2, 3], ''level 1'', date ''2024-01-01'')');
SELECT test.score('m', '''{"a": 1, "b": 2, "c": "level 1", "d": "2024-01-01"}''::jsonb');
SELECT test.score('m', '''{"a": 1, "b": 2, "c": 3, "d": null}''::jsonb');
SELECT test.score('m', '(1, 2, ''level 1'', date ''infinity'')');
SELECT test.score('run', '(1, 2)');
SELECT test.score('run', '(1, ARRAY[1])');
SELECT test.score('strict', '(1, 2, ''level 9'', date ''2024-01-01'')');
SELECT test.score('strict', '(1, 2, ''' || repeat('ä', 100) || ''', date ''2024-01-01'')');

-- targets and labels
SELECT test.try('SELECT pgfit.linear_regression(c, a) FROM test.t');
SELECT test.try('SELECT pgfit.linear_regression(d, a) FROM test.t');
SELECT test.try('SELECT pgfit.linear_regression(''1'', a) FROM test.t');
SELECT test.try('SELECT pgfit.linear_regression(''NaN''::float8, a) FROM test.t');
SELECT test.try('SELECT pgfit.linear_regression(''Infinity''::real, a) FROM test.t');
SELECT test.try('SELECT pgfit.linear_regression(1e400::numeric, a) FROM test.t');
SELECT test.try('SELECT pgfit.class_moments(''NaN''::float8, a) FROM test.t');
SELECT test.try('SELECT pgfit.class_moments(date ''infinity'', a) FROM test.t');
SELECT test.try('SELECT pgfit.class_moments(id, a, ''{"max_levels": 7}'') FROM test.t');

-- a cast that the user may not call
CREATE ROLE features_guest;
SET client_min_messages = error;
CREATE TYPE test.secret;
CREATE FUNCTION test.secret_in(cstring) RETURNS test.secret LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION test.secret_out(test.secret) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE test.secret (INPUT = test.secret_in, OUTPUT = test.secret_out);
CREATE FUNCTION test.secret_array(test.secret) RETURNS real[] LANGUAGE sql IMMUTABLE AS 'SELECT ''{1,2}''::real[]';
CREATE CAST (test.secret AS real[]) WITH FUNCTION test.secret_array(test.secret);
REVOKE EXECUTE ON FUNCTION test.secret_array(test.secret) FROM PUBLIC;
GRANT SELECT ON test.t TO features_guest;
SELECT test.fitted_as('''x''::test.secret') LIKE 'ok%' AS allowed;
SET ROLE features_guest;
SELECT test.fitted_as('''x''::test.secret');
SELECT test.fitted_as('(a, ''x''::test.secret)');
RESET ROLE;
RESET client_min_messages;
REVOKE ALL ON test.t FROM features_guest;
DROP ROLE features_guest;
