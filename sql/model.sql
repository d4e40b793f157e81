-- The type: text, binary and jsonb forms, equality, order and hash, malformed input.
CREATE TABLE model_kinds (name text PRIMARY KEY, m pgfit.model);
CREATE TABLE model_rows AS
SELECT i, i * 0.25 + i % 5 AS y, ARRAY[i, i % 7]::float8[] AS x, i % 3 AS g,
       (ARRAY['red', 'green', 'blau "x" \', 'grün'])[1 + i % 4] AS color, 1 + i % 2 AS w
FROM generate_series(1, 100) AS i;
INSERT INTO model_kinds
SELECT 'linear', pgfit.linear_regression(y, x) FROM model_rows
UNION ALL SELECT 'linear levels', pgfit.linear_regression(y, f) FROM model_rows, LATERAL (SELECT i, color) AS f
UNION ALL SELECT 'ridge', pgfit.ridge_regression(y, x, 0.1) FROM model_rows
UNION ALL SELECT 'moments', pgfit.moments(y, x) FROM model_rows
UNION ALL SELECT 'moments few', pgfit.moments(y, x) FROM model_rows WHERE i < 3
UNION ALL SELECT 'moments weighted', pgfit.moments(y, f, '{"nulls":"impute"}'::jsonb, w) FROM model_rows,
    LATERAL (SELECT nullif(i, 5) AS i, color) AS f
UNION ALL SELECT 'class moments', pgfit.class_moments(color, x) FROM model_rows
UNION ALL SELECT 'feature moments', pgfit.feature_moments(f) FROM model_rows, LATERAL (SELECT i, g, color) AS f
UNION ALL SELECT 'geometric median', pgfit.geometric_median(x) FROM model_rows
UNION ALL SELECT 'wide', pgfit.feature_moments(ARRAY(SELECT (i * j % 101)::float8 FROM generate_series(1, 60) AS j))
FROM model_rows;

-- the operators live in schema pgfit; DISTINCT, UNION, GROUP BY and ORDER BY find them without it in the path
SELECT count(DISTINCT m) FROM model_kinds;
SET search_path = public, pgfit;

-- every form gives the same model back
SELECT name, m::text::pgfit.model = m AS text, m::jsonb::pgfit.model = m AS jsonb,
       m::jsonb::text::jsonb::pgfit.model = m AS jsonb_text, m::text::jsonb::pgfit.model = m AS text_jsonb,
       m::text::pgfit.model::text = m::text AS same_text
FROM model_kinds ORDER BY name COLLATE "C";
SELECT name, jsonb_typeof(m::jsonb) AS type, m::jsonb ->> 'kind' AS kind, m::jsonb ->> 'estimator' AS estimator,
       m::jsonb ->> 'rows' AS rows, m::jsonb -> 'flags' AS flags
FROM model_kinds ORDER BY name COLLATE "C";

-- binary COPY out and in
\set file `mktemp`
\set copy_in '\\copy model_copy from ' :file ' binary'
CREATE TABLE model_copy (LIKE model_kinds);
COPY model_kinds TO STDOUT (FORMAT binary) \g :file
:copy_in
\set ignored `rm -f :'file'`
SELECT count(*), bool_and(a.m = b.m) AS equal, bool_and(a.m::text = b.m::text) AS same_text
FROM model_kinds AS a JOIN model_copy AS b USING (name);

-- assignment casts
CREATE TABLE model_casts (m pgfit.model, j jsonb);
INSERT INTO model_casts SELECT m::jsonb, m FROM model_kinds;
SELECT count(*), bool_and(m = j::pgfit.model) AS equal FROM model_casts;

-- equality and order by content
SELECT count(*) AS rows, count(DISTINCT m) AS distinct_models
FROM (SELECT m FROM model_kinds UNION ALL SELECT m FROM model_copy) AS u;
SELECT count(*) FROM (SELECT m FROM model_kinds UNION SELECT m FROM model_copy) AS u;
SELECT count(*) FROM (SELECT m FROM model_kinds GROUP BY m) AS u;
SELECT bool_and((a.m < b.m) = (b.m > a.m)) AS lt, bool_and((a.m <= b.m) = (b.m >= a.m)) AS le,
       bool_and((a.m = b.m) = (a.name = b.name)) AS eq, bool_and((a.m <> b.m) = (a.name <> b.name)) AS ne,
       bool_and((a.m < b.m) = NOT (a.m >= b.m)) AS lt_ge,
       bool_and((pgfit_internal.model_cmp(a.m, b.m) < 0) = (a.m < b.m)) AS cmp,
       bool_and((pgfit_internal.model_hash(a.m) = pgfit_internal.model_hash(b.m)) = (a.m = b.m)) AS hash,
       bool_and((pgfit_internal.model_hash_extended(a.m, 7) = pgfit_internal.model_hash_extended(b.m, 7)) = (a.m = b.m)) AS hash_7,
       bool_and((pgfit_internal.model_hash_extended(a.m, 0) & 4294967295) = (pgfit_internal.model_hash(a.m)::bigint & 4294967295)) AS hash_0,
       bool_and(pgfit_internal.model_hash_extended(a.m, 0) <> pgfit_internal.model_hash_extended(a.m, 7)) AS seeds
FROM model_kinds AS a, model_kinds AS b;
SELECT bool_and(m >= before) AS sorted FROM (SELECT m, lag(m) OVER (ORDER BY m) AS before FROM model_kinds) AS s;

CREATE FUNCTION pg_temp.joined(setting text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found bigint;
    line text;
    plan text := '';
    join_node text := CASE setting WHEN 'hash' THEN 'Hash Join' ELSE 'Merge Join' END;
BEGIN
    PERFORM set_config('enable_hashjoin', (setting = 'hash')::text, true), set_config('enable_nestloop', 'off', true),
            set_config('enable_mergejoin', (setting = 'merge')::text, true);
    FOR line IN EXPLAIN SELECT * FROM model_kinds AS a JOIN model_copy AS b ON a.m = b.m LOOP
        plan := plan || line;
    END LOOP;
    IF position(join_node IN plan) = 0 THEN
        RAISE 'no % in %', join_node, plan;
    END IF;
    SELECT count(*) INTO found FROM model_kinds AS a JOIN model_copy AS b ON a.m = b.m;
    RETURN found;
END
$$;
SELECT pg_temp.joined('hash') AS hash, pg_temp.joined('merge') AS merge;
CREATE TABLE model_partitions (m pgfit.model) PARTITION BY HASH (m);
CREATE TABLE model_partition_0 PARTITION OF model_partitions FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE model_partition_1 PARTITION OF model_partitions FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO model_partitions SELECT m FROM model_kinds;
SELECT count(*) FROM model_partitions AS p JOIN model_kinds AS k ON p.m = k.m;
CREATE INDEX ON model_copy USING hash (m);
SET enable_seqscan = off;
SELECT count(*) FROM model_copy WHERE m = (SELECT m FROM model_kinds WHERE name = 'linear');
DROP INDEX model_copy_m_idx;
CREATE UNIQUE INDEX ON model_copy (m) WHERE name <> 'wide';
SELECT count(*) FROM model_copy WHERE m = (SELECT m FROM model_kinds WHERE name = 'ridge') AND name <> 'wide';
RESET enable_seqscan;
SELECT test.try($$INSERT INTO model_copy SELECT 'again', m FROM model_kinds WHERE name = 'linear'$$) LIKE '23505: %' AS refused;

-- stored out of line, or compressed, it is the same
SELECT attstorage FROM pg_attribute WHERE attrelid = 'model_kinds'::regclass AND attname = 'm';
CREATE TABLE model_compressed (m pgfit.model);
ALTER TABLE model_compressed ALTER m SET STORAGE main;
INSERT INTO model_compressed SELECT m FROM model_kinds WHERE name = 'wide';
SELECT k.m = c.m AS equal, octet_length(pgfit_internal.model_send(c.m)) > 8000 AS large
FROM model_kinds AS k, model_compressed AS c WHERE name = 'wide';

-- numbers that decimals and jsonb do not keep
CREATE FUNCTION pg_temp.median(arrays text, facts text DEFAULT '{}', more text DEFAULT '') RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT '{"pgfit":1,"min_reader":1,"kind":"model","estimator":"geometric_median","fields":1,"slots":1,'
        || '"rows":3,"skipped":0,"weight":3,"facts":' || facts || ',"arrays":' || arrays || more || '}'
$$;
SELECT (v.m::jsonb::pgfit.model)::text = v.m::text AS same, left((v.m::jsonb -> 'facts' -> 'x')::text, 12) AS x
FROM (VALUES ('0'), ('-0'), ('"-0x0p+0"'), ('"inf"'), ('"-inf"'), ('"nan:7ff8000000000000"'),
             ('"nan:fff0000000000001"'), ('"0x1p-1074"'), ('1e-320'), ('1e308'), ('"0x1.fffffffffffffp+1023"'), ('0.1'), ('1e30'),
             ('[1,2]'), ('{"i64":9223372036854775807}'), ('{"bool":[true,false]}'), ('true'),
             ('{"text":"a\u00e9\ud83d\ude00\"\\"}'), ('{"f64":[1,2,3,4],"shape":[2,2]}')) AS t(x),
     LATERAL (SELECT pg_temp.median('{"center":[1]}', '{"x":' || x || '}')::pgfit.model AS m) AS v;
SELECT pg_temp.median('{"center":[1]}', '{"x":"-0x0p+0"}')::pgfit.model = pg_temp.median('{"center":[1]}', '{"x":0}')::pgfit.model
    AS zeros_are_equal;

-- malformed text and jsonb
SELECT test.try(format('SELECT %L::pgfit.model', t)) FROM (VALUES
    (1, ''), (2, '5'), (3, '{'), (4, '{"pgfit":1}'), (5, '{"pgfit":1,"min_reader":9}'), (6, 'null'),
    (7, pg_temp.median('{"center":[1]}') || ' '), (8, pg_temp.median('{"center":[1]}') || '}'),
    (9, pg_temp.median('{"center":[1]}', more => ',"rows":4')),
    (10, pg_temp.median('{"center":[1]}', more => ',"color":4')),
    (11, pg_temp.median('{"center":[1,2]}')), (12, pg_temp.median('{"center":{"i64":[1]}}')), (13, pg_temp.median('{}')),
    (14, pg_temp.median('{"center":["inf"]}')), (15, pg_temp.median('{"center":[1e400]}')),
    (16, pg_temp.median('{"center":{"f64":"AAAA"}}')), (17, pg_temp.median('{"center":[1],"a b":[1]}')),
    (18, replace(pg_temp.median('{"center":[1]}'), 'geometric_median', 'crystal_ball')),
    (19, replace(pg_temp.median('{"center":[1]}'), '"weight":3', '"weight":-3')),
    (20, replace(pg_temp.median('{"center":[1]}'), '"slots":1', '"slots":1000000000')),
    (21, replace(pg_temp.median('{"center":[1]}'), '"kind":"model"', '"kind":"moments"')),
    (22, repeat('[', 100)), (23, '{"a":"\u0000"}'), (24, '{"a":"\ud800"}')) AS v(n, t)
ORDER BY n;
SELECT test.try($$SELECT '{"pgfit":1,"min_reader":2}'::jsonb::pgfit.model$$);
SELECT test.try($$SELECT '[]'::jsonb::pgfit.model$$);
SELECT test.try($$SELECT 5::pgfit.model$$);
-- only COPY reaches the binary input
\set file `f=$(mktemp) && printf 'PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\001\0\0\0\004oops\377\377' >"$f" && echo "$f"`
\set copy_in '\\copy model_compressed from ' :file ' binary'
\set VERBOSITY terse
:copy_in
\set VERBOSITY default
\set ignored `rm -f :'file'`

-- every object of the type says what it is
SELECT count(*) >= 15 AS all_there, count(*) FILTER (WHERE obj_description(oid, 'pg_proc') IS NULL) AS without_comment,
       bool_and(provolatile = 'i' AND proparallel = 's' AND proisstrict) AS labels
FROM pg_proc WHERE pronamespace = 'pgfit_internal'::regnamespace AND proname LIKE 'model\_%';
SELECT count(*), count(obj_description(oid, 'pg_operator')) AS commented
FROM pg_operator WHERE oprnamespace = 'pgfit'::regnamespace;
SELECT count(*), count(obj_description(oid, 'pg_opclass')) AS commented
FROM pg_opclass WHERE opcnamespace = 'pgfit'::regnamespace;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcnamespace = 'pgfit'::regnamespace;

DROP TABLE model_kinds, model_rows, model_copy, model_casts, model_partitions, model_compressed;
