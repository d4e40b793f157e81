-- every form of features, through every public function that takes them
SET max_parallel_workers_per_gather = 0;
CREATE TYPE test.pair AS (a float8, b float8);
CREATE TYPE test.mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN test.amount AS float8 CHECK (VALUE >= 0);
CREATE DOMAIN test.amounts AS float8[];
CREATE DOMAIN test.pair_domain AS test.pair;
CREATE DOMAIN test.mood_domain AS test.mood;
CREATE TABLE test.points AS
SELECT i AS id, i AS a, i * 7 % 13 AS b, 3 + 2 * i + (i * 7 % 13) / 2.0 + i % 5 AS y, i % 3 AS label
FROM generate_series(1, 60) AS i;

-- terms and estimates of a model, rounded
CREATE FUNCTION test.terms(model pgfit.model) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(term || ' ' || round(estimate::numeric, 4), ', ' ORDER BY n)
    FROM pgfit.coefficients(model) WITH ORDINALITY AS c(class, term, estimate, se, t, p, low, high, n)
$$;

-- the forms, as SQL over points(id, a, b, y, label); m is a linear regression, med a median
CREATE TABLE test.forms (n serial, form text, expression text);
INSERT INTO test.forms (form, expression) VALUES
('float8[]', 'ARRAY[a, b]::float8[]'),
('real[]', 'ARRAY[a, b]::real[]'),
('smallint[]', 'ARRAY[a, b]::smallint[]'),
('integer[]', 'ARRAY[a, b]'),
('bigint[]', 'ARRAY[a, b]::bigint[]'),
('numeric[]', 'ARRAY[a, b]::numeric[]'),
('array of a domain', 'ARRAY[a, b]::test.amount[]'),
('domain over an array', 'ARRAY[a, b]::test.amounts'),
('lower bound 0', '(''[0:1]={'' || a || '','' || b || ''}'')::float8[]'),
('anonymous row', '(a, b)'),
('row of other types', '(a::numeric(10,3), b::real)'),
('row of domains', '(a::test.amount, b::test.amount)'),
('named row', '(SELECT f FROM (SELECT a, b) AS f)'),
('composite', '(a, b)::test.pair'),
('domain over a composite', '(a, b)::test.pair::test.pair_domain'),
('jsonb', 'jsonb_build_object(''a'', a, ''b'', b)'),
('untyped literal', '''{1,2}'''),
('NULL', 'NULL'),
('typed NULL', 'NULL::float8[]');

CREATE FUNCTION test.every_function(expression text) RETURNS TABLE (function text, outcome text) LANGUAGE plpgsql AS $$
DECLARE
    call text;
BEGIN
    FOREACH call IN ARRAY ARRAY[
        'test.near_all(pgfit.parameter(pgfit.linear_regression(y, X), ''coef''), pgfit.parameter(pgfit.linear_regression(y, R), ''coef''))',
        'test.near_all(pgfit.parameter(pgfit.ridge_regression(y, X, 0.5), ''coef''), pgfit.parameter(pgfit.ridge_regression(y, R, 0.5), ''coef''))',
        'test.near_all(pgfit.parameter(pgfit.moments(y, X), ''means''), pgfit.parameter(pgfit.moments(y, R), ''means''))',
        'test.near_all(pgfit.parameter(pgfit.class_moments(label, X), ''means''), pgfit.parameter(pgfit.class_moments(label, R), ''means''))',
        'test.near_all(pgfit.parameter(pgfit.feature_moments(X), ''means''), pgfit.parameter(pgfit.feature_moments(R), ''means''))',
        'test.near_all(pgfit.parameter(pgfit.geometric_median(X), ''center''), pgfit.parameter(pgfit.geometric_median(R), ''center''))',
        'bool_and(test.near(pgfit.predict(m, X), pgfit.predict(m, R)))',
        'bool_and(test.near((pgfit.predict_interval(m, X)).upper, (pgfit.predict_interval(m, R)).upper))',
        'bool_and(test.near((pgfit.predict_interval(m, X, 0.9)).lower, (pgfit.predict_interval(m, R, 0.9)).lower))',
        'bool_and(test.near(pgfit.distance(med, X), pgfit.distance(med, R)))',
        'test.near(pgfit.rmse(y, pgfit.predict(m, X)), pgfit.rmse(y, pgfit.predict(m, R)))'] LOOP
        function = (regexp_match(call, 'pgfit\.((?!parameter)\w+)'))[1];
        outcome = test.try('SELECT ' ||
            regexp_replace(regexp_replace(call, '\mX\M', expression, 'g'), '\mR\M', 'ARRAY[a, b]::float8[]', 'g') ||
            ' FROM test.points, (SELECT pgfit.linear_regression(y, ARRAY[a, b]) AS m, pgfit.geometric_median(ARRAY[a, b]) AS med FROM test.points) AS fitted');
        RETURN NEXT;
    END LOOP;
END
$$;
SELECT form, string_agg(DISTINCT outcome, '; ') AS outcome, count(*)
FROM test.forms, test.every_function(expression) WHERE form NOT IN ('untyped literal', 'NULL') GROUP BY n, form ORDER BY n;
SELECT form, function, outcome
FROM test.forms, test.every_function(expression) WITH ORDINALITY AS e(function, outcome, i) WHERE form IN ('untyped literal', 'NULL') ORDER BY n, i;

-- one value of each kind, alone
SELECT test.terms(pgfit.linear_regression(y, a)), test.terms(pgfit.linear_regression(y, a::numeric)),
       test.terms(pgfit.linear_regression(y, a > 30)) FROM test.points;
SELECT test.terms(pgfit.linear_regression(y, label::text)) FROM test.points;
SELECT test.terms(pgfit.linear_regression(y, (ARRAY['sad', 'ok', 'happy']::test.mood[])[label + 1])) FROM test.points;
SELECT test.terms(pgfit.linear_regression(y, ARRAY[a > 30, b > 6])) FROM test.points;

-- names: of a subquery, a CTE, VALUES, a whole row, a composite; none for expressions and repeated columns
SELECT test.terms(pgfit.linear_regression(y, f)) FROM test.points, LATERAL (SELECT a AS carat, b AS "the depth") AS f;
WITH f AS (SELECT a, b FROM test.points) SELECT test.terms(pgfit.linear_regression(a + b, f)) FROM f;
SELECT test.terms(pgfit.linear_regression(y, f)) FROM test.points, LATERAL (VALUES (a, b)) AS f(left_side, right_side);
SELECT test.terms(pgfit.linear_regression(y, points, '{"features": ["b", "a"]}')) FROM test.points;
SELECT test.terms(pgfit.linear_regression(y, f)) FROM test.points, LATERAL (SELECT a * 2, b + 1) AS f;
SELECT test.terms(pgfit.linear_regression(y, f)) FROM test.points, LATERAL (SELECT a, b, label AS a) AS f;
SELECT test.terms(pgfit.linear_regression(y, f)) FROM test.points, LATERAL (SELECT a, b + 1) AS f;
SELECT test.terms(pgfit.linear_regression(y, ARRAY[a, b], '{"features": ["carat", "depth"]}')) FROM test.points;
SELECT test.terms(pgfit.linear_regression(y, (a, b), '{"features": ["carat", "depth"]}')) FROM test.points;
SELECT test.terms(pgfit.linear_regression(y, a, '{"features": ["carat"]}')) FROM test.points;
SELECT test.terms(pgfit.linear_regression(y, jsonb_build_object('b', b, 'long name', label, 'a', a), '{"features": ["a", "long name"]}')) FROM test.points;

-- scores go by name in any order and among other columns, by position without names
CREATE TABLE test.fitted AS
SELECT pgfit.linear_regression(y, f) AS named, pgfit.linear_regression(y, ARRAY[f.a, f.b]) AS unnamed
FROM test.points, LATERAL (SELECT points.a, points.b) AS f;
SELECT bool_and(test.near(pgfit.predict(named, f), pgfit.predict(named, ARRAY[a1, b1]))) AS permuted,
       bool_and(test.near(pgfit.predict(named, points), pgfit.predict(named, (a1, b1)))) AS whole_row,
       bool_and(test.near(pgfit.predict(named, to_jsonb(points)), pgfit.predict(named, (a1, b1)::test.pair))) AS object,
       bool_and(test.near(pgfit.predict(unnamed, g), pgfit.predict(named, f))) AS by_position,
       bool_and(test.near(pgfit.predict(unnamed, h), pgfit.predict(named, f))) AS by_default_names
FROM test.fitted, test.points, LATERAL (SELECT points.a AS a1, points.b AS b1) AS v, LATERAL (SELECT 'x' AS other, points.b, now() AS later, points.a) AS f,
     LATERAL (SELECT a1 AS x, b1 AS z) AS g, LATERAL (SELECT b1 AS f2, a1 AS f1) AS h;
-- rows of one column need not have one type
SELECT bool_and(test.near(pgfit.predict(named, r), pgfit.predict(named, ARRAY[a, b])))
FROM test.fitted, test.points, LATERAL (SELECT CASE WHEN id % 2 = 0 THEN (SELECT f FROM (SELECT b, a) AS f)
                                                    ELSE (SELECT f FROM (SELECT a, 0 AS c, b) AS f) END) AS x(r);

-- kinds
SELECT position, name, kind, width, levels FROM (SELECT pgfit.feature_moments(f) AS m FROM test.points, LATERAL (SELECT
    a, b::numeric AS n, a > 30 AS yes, date '2024-01-01' + id AS day, timestamp '2024-01-01' + id * interval '1 hour' AS moment,
    timestamptz '2024-01-01 00:00+02' + id * interval '1 hour' AS instant, time '01:00' + b * interval '1 minute' AS clock,
    timetz '01:00+02' AS zoned, b * interval '1 minute' AS span, label::text AS word, label::varchar(9) AS short, label::char(5) AS padded,
    'n'::name AS nm, 'q'::"char" AS letter, (ARRAY['sad', 'ok', 'happy']::test.mood[])[label + 1]::test.mood_domain AS mood,
    md5(label::text)::uuid AS id, ARRAY[a, b]::real[] AS run) AS f) AS t, pgfit.features(m);
-- what dates and times count as: one row is its own median
SELECT kind, value FROM (VALUES
    ('date', (SELECT pgfit.geometric_median(date '2000-01-03')), 2),
    ('timestamp', (SELECT pgfit.geometric_median(timestamp '2000-01-01 00:00:01.5')), 1.5),
    ('timestamptz', (SELECT pgfit.geometric_median(timestamptz '2000-01-01 01:00:01+01')), 1),
    ('time', (SELECT pgfit.geometric_median(time '01:00:00.25')), 3600.25),
    ('timetz', (SELECT pgfit.geometric_median(timetz '03:00+02')), 3600),
    ('interval', (SELECT pgfit.geometric_median(interval '3 years -2 mons 3 days 04:05:06')), extract(epoch FROM interval '3 years -2 mons 3 days 04:05:06')),
    ('boolean', (SELECT pgfit.geometric_median(true)), 1)) AS v(kind, model, number), LATERAL (SELECT pgfit.parameter(model, 'center') = ARRAY[number]::float8[]) AS e(value);
CREATE TABLE test.dates AS
SELECT pgfit.linear_regression(i, (date '2024-01-01' + i)) AS day, pgfit.linear_regression(i, timestamp '2024-01-01' + i * interval '1 day') AS moment,
       pgfit.linear_regression(i, timestamptz '2024-01-01 00:00+00' + i * interval '24 hours') AS instant,
       pgfit.linear_regression(i, time '00:00' + i * interval '1 minute') AS clock,
       pgfit.linear_regression(i, i * interval '1 month') AS span
FROM generate_series(1, 20) AS i;
SET timezone = 'America/New_York';
SELECT round(pgfit.predict(day, date '2024-01-11')::numeric, 6) AS day, round(pgfit.predict(day, timestamp '2024-01-11 12:00')::numeric, 6) AS day_by_moment,
       round(pgfit.predict(day, timestamptz '2024-01-11 12:00+00')::numeric, 6) AS day_by_instant,
       round(pgfit.predict(moment, date '2024-01-11')::numeric, 6) AS moment_by_day, round(pgfit.predict(moment, timestamptz '2024-01-11 00:00+00')::numeric, 6) AS moment_by_instant,
       round(pgfit.predict(instant, timestamptz '2024-01-11 12:00+00')::numeric, 6) AS instant, round(pgfit.predict(instant, date '2024-01-11')::numeric, 6) AS instant_by_day,
       round(pgfit.predict(clock, timetz '01:07+01')::numeric, 6) AS clock, round(pgfit.predict(span, interval '30 days')::numeric, 6) AS span
FROM test.dates;
RESET timezone;

-- numeric reads as the cast does, to the last bit
SELECT bool_and(pgfit.parameter(m, 'center') = ARRAY[n::float8]) AS exact, count(*) > 300 AS many
FROM (SELECT n, pgfit.geometric_median(ARRAY[n]) AS m
      FROM (SELECT (sign * round(mantissa * power(10::numeric, e), digits))::numeric AS n
            FROM generate_series(-30, 30, 3) AS e, (VALUES (1), (-1)) AS s(sign), (VALUES (0), (4), (15), (40)) AS d(digits),
                 (VALUES (1::numeric), (0.1), (9007199254740993), (123456789.123456789), (0.999999999999999), (1234567890123456789012345678901234567890),
                         (3.14159265358979323846), (4503599627370497.5)) AS v(mantissa)) AS numbers GROUP BY n) AS fits;
SELECT pgfit.parameter(pgfit.geometric_median(ARRAY[1e-400::numeric]), 'center') = '{0}' AS underflow,
       pgfit.parameter(pgfit.geometric_median(ARRAY[1.7976931348623157e308::numeric]), 'center') = '{1.7976931348623157e308}' AS greatest;

-- levels are ordered by bytes, enums by declaration; unusual strings stay distinct
CREATE TABLE test.odd (level text, y float8);
INSERT INTO test.odd SELECT level, ascii(level) + n + length(level) FROM unnest(ARRAY['', ' ', 'a', 'A', 'a ', 'ä', 'Z', '"', '''', '\', E'\n', E'\t', '=', 'NULL', '{}', '☃', repeat('x', 300), '日本', 'a=b']) AS level, generate_series(1, 3) AS n;
SELECT count(*) AS levels, array_agg(left(level, 4) ORDER BY n) = (SELECT array_agg(left(level, 4) ORDER BY level COLLATE "C") FROM (SELECT DISTINCT level FROM test.odd) AS d) AS by_bytes
FROM (SELECT pgfit.linear_regression(y, ROW(level)) AS m FROM test.odd) AS fit, pgfit.levels(m) WITH ORDINALITY AS l(feature, level, n);
SELECT bool_and(test.near(pgfit.predict(m, ROW(level)), mean, 1e-9)) AS every_level, bool_and(pgfit.predict(m, ROW(level)) = pgfit.predict(m::text::pgfit.model, ROW(level))) AS through_text
FROM (SELECT pgfit.linear_regression(y, ROW(level)) AS m FROM test.odd) AS fit, (SELECT level, avg(y) AS mean FROM test.odd GROUP BY level) AS means;
SELECT level FROM (SELECT pgfit.linear_regression(y, ROW((ARRAY['sad', 'ok', 'happy']::test.mood[])[label + 1])) AS m FROM test.points) AS fit, pgfit.levels(m);
-- trailing blanks of char(n) do not count, those of text do; literals are text
SELECT pgfit.predict(m, ROW('b'::char(9))) = pgfit.predict(m, ROW('b')) AS blank_free, pgfit.predict(m, ROW('b '::text)) = pgfit.predict(m, ROW('a'::text)) AS unseen_is_reference,
       pgfit.predict(m, ROW('zzz')) = pgfit.predict(m, ROW('a')) AS unseen_literal, pgfit.predict(m, ROW(NULL)) IS NULL AS null_literal
FROM (SELECT pgfit.linear_regression(i, ROW(chr(96 + i % 3 + 1)::char(3))) AS m FROM generate_series(1, 12) AS i) AS fit;
-- levels that come late, in another order, and in parts
SELECT test.near_all(pgfit.parameter(forwards, 'coef'), pgfit.parameter(backwards, 'coef'), 1e-8) AS any_order, test.near_all(pgfit.parameter(forwards, 'coef'), pgfit.parameter(merged, 'coef'), 1e-8) AS merged
FROM (SELECT pgfit.linear_regression(y, (a, w) ORDER BY id) AS forwards, pgfit.linear_regression(y, (a, w) ORDER BY id DESC) AS backwards,
             (SELECT pgfit.fit('linear_regression', pgfit.merge(e)) FROM (SELECT pgfit.moments(y, (a, 'w' || id / 6) ORDER BY id DESC) AS e FROM test.points GROUP BY id < 20) AS parts) AS merged
      FROM test.points, LATERAL (SELECT 'w' || id / 6) AS l(w)) AS fits;
-- a skipped row adds no level
SELECT array_agg(level) FROM (SELECT pgfit.linear_regression(y, (nullif(a, 9), CASE WHEN a = 9 THEN 'nine' ELSE label::text END)) AS m FROM test.points) AS fit, pgfit.levels(m);

-- NULL: skipped and counted; or replaced by the mean, or a level of its own
SELECT i->>'rows' AS rows, i->>'skipped' AS skipped FROM (SELECT pgfit.info(pgfit.linear_regression(y, ARRAY[nullif(a, 9), nullif(b, 4)])) AS i FROM test.points) AS t;
SELECT i->>'rows' AS rows, i->>'skipped' AS skipped FROM (SELECT pgfit.info(pgfit.linear_regression(y, (nullif(a, 9), nullif(b, 4), nullif(label::text, '2')))) AS i FROM test.points) AS t;
SELECT i->>'rows' AS rows, i->>'skipped' AS skipped FROM (SELECT pgfit.info(pgfit.linear_regression(y, jsonb_build_object('a', nullif(a, 1), 'b', b) ORDER BY id)) AS i FROM test.points) AS t;
SELECT pgfit.linear_regression(y, ARRAY[a, NULL]) IS NULL AS array_null, pgfit.linear_regression(y, (a, NULL)) IS NULL AS row_null, pgfit.linear_regression(y, NULL::test.pair) IS NULL AS no_row,
       pgfit.linear_regression(y, '{"a": null}'::jsonb) IS NULL AS json_null FROM test.points;
SELECT pgfit.predict(named, ARRAY[1, NULL]) IS NULL AND pgfit.predict(named, (1, NULL)) IS NULL AND pgfit.predict(named, '{"a": 1, "b": null}'::jsonb) IS NULL
       AND pgfit.predict(named, NULL::float8[]) IS NULL AS null_score FROM test.fitted;
SELECT test.terms(m), round(pgfit.predict(m, (NULL::int, '1'))::numeric, 4) AS without_a, round(pgfit.predict(m, (9, NULL::text))::numeric, 4) AS without_label
FROM (SELECT pgfit.linear_regression(y, (nullif(a, 9), nullif(label::text, '2')), '{"nulls": "impute"}') AS m FROM test.points) AS fit;
SELECT test.near(pgfit.predict(m, ARRAY[NULL, 3]), pgfit.predict(m, ARRAY[mean, 3])) AS array_mean, test.near(pgfit.predict(m, (NULL::int, 3)), pgfit.predict(m, (mean, 3))) AS row_mean
FROM (SELECT pgfit.linear_regression(y, ARRAY[nullif(a, 9), b], '{"nulls": "impute"}') AS m, avg(nullif(a, 9)) AS mean FROM test.points) AS fit;

-- arrays inside rows
SELECT test.terms(m), test.near(pgfit.predict(m, f), pgfit.predict(m, ARRAY[7, 2, 1])) AS as_array
FROM (SELECT pgfit.linear_regression(y, f) AS m FROM test.points, LATERAL (SELECT ARRAY[a, b]::real[] AS run, label AS one) AS f) AS fit, LATERAL (SELECT 1 AS one, ARRAY[7, 2]::numeric[] AS run) AS f;

-- columns that were dropped, added, changed; rows stored before
CREATE TABLE test.altered (gone text, a int, b int);
INSERT INTO test.altered SELECT 'x', a, b FROM test.points;
CREATE TABLE test.stored AS SELECT altered AS r, 2 * a + b AS y FROM test.altered;
SELECT test.terms(pgfit.linear_regression(y, r, '{"features": ["a", "b"]}')) FROM test.stored;
ALTER TABLE test.stored ALTER r TYPE text;
ALTER TABLE test.altered DROP gone;
SELECT test.terms(pgfit.linear_regression(2 * a + b, altered)) FROM test.altered;
ALTER TABLE test.altered ADD c float8 DEFAULT 5;
UPDATE test.altered SET c = a % 4 WHERE a > 40;
SELECT test.terms(pgfit.linear_regression(2 * a + b + 3 * c, altered)) FROM test.altered;
PREPARE score AS SELECT count(pgfit.predict(m, altered)), bool_and(test.near(pgfit.predict(m, altered), 2 * a + b, 1e-9)) FROM test.altered,
    (SELECT pgfit.linear_regression(2 * f.a + f.b, f) AS m FROM test.altered AS t, LATERAL (SELECT t.a, t.b) AS f) AS fit;
EXECUTE score;
ALTER TABLE test.altered ALTER a TYPE numeric;
EXECUTE score;
ALTER TYPE test.mood ADD VALUE 'glad' BEFORE 'happy';
SELECT level FROM (SELECT pgfit.linear_regression(a, ROW(mood)) AS m FROM test.points, unnest(enum_range(NULL::test.mood)) AS mood) AS fit, pgfit.levels(m);

-- values that are not flat: records and arrays of PL/pgSQL, short and compressed rows of a table
DO $$
DECLARE
    r record; t test.points; x float8[]; m pgfit.model; expected float8; sums float8[] = '{0,0,0}';
BEGIN
    SELECT named INTO m FROM test.fitted;
    SELECT sum(pgfit.predict(m, ARRAY[a, b])) INTO expected FROM test.points;
    FOR r IN SELECT b, a FROM test.points LOOP sums[1] = sums[1] + pgfit.predict(m, r); END LOOP;
    FOR t IN SELECT * FROM test.points LOOP sums[2] = sums[2] + pgfit.predict(m, t); END LOOP;
    FOR r IN SELECT a, b FROM test.points LOOP
        x = '{}'; x = x || r.a::float8; x = x || 0::float8; x[2] = r.b; sums[3] = sums[3] + pgfit.predict(m, x);
    END LOOP;
    RAISE INFO 'the same: %, %, %', test.near(sums[1], expected, 1e-9), test.near(sums[2], expected, 1e-9), test.near(sums[3], expected, 1e-9);
END
$$;
CREATE TYPE test.short AS (yes boolean, small smallint, padded char(3), n numeric, r real, d float8, u uuid, nm name);
CREATE TABLE test.shorts AS SELECT 'x'::"char" AS pad, (i % 2 = 0, i * i % 17, chr(97 + i % 3), i * i % 23 / 7.0, sqrt(i), i * i, md5((i % 5)::text)::uuid, 'n' || i % 4)::test.short AS v, i * i % 29 AS y FROM generate_series(1, 60) AS i;
CREATE TYPE test.long AS (word text, run float8[], z float8);
CREATE TABLE test.longs AS SELECT (repeat('abc', 1000 + i % 2), ARRAY(SELECT (i * j % 97)::float8 FROM generate_series(1, 300) AS j), i)::test.long AS v, i * i % 31 AS y FROM generate_series(1, 40) AS i;
SELECT bool_and(test.near(pgfit.predict(m, v), pgfit.predict(m, ((v).yes, (v).small, (v).padded, (v).n, (v).r, (v).d, (v).u, (v).nm)), 1e-9)) AS short FROM test.shorts, (SELECT pgfit.ridge_regression(y, v, 0.1) AS m FROM test.shorts) AS fit;
SELECT bool_and(test.near(pgfit.predict(m, v), pgfit.predict(m, ((v).word, (v).run, (v).z)), 1e-9)) AS long FROM test.longs, (SELECT pgfit.ridge_regression(y, v, 0.1) AS m FROM test.longs) AS fit;

-- a type with a cast to real[]
SET client_min_messages = warning;
CREATE TYPE test.blob;
CREATE FUNCTION test.blob_in(cstring) RETURNS test.blob LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION test.blob_out(test.blob) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE test.blob (INPUT = test.blob_in, OUTPUT = test.blob_out);
CREATE FUNCTION test.blob_array(test.blob) RETURNS real[] LANGUAGE sql IMMUTABLE AS $$ SELECT ('{' || test.blob_out($1)::text || '}')::real[] $$;
RESET client_min_messages;
CREATE CAST (test.blob AS real[]) WITH FUNCTION test.blob_array(test.blob);
SELECT test.terms(pgfit.linear_regression(y, test.blob_in(textout(a || ',' || b)))) AS alone,
       test.terms(pgfit.linear_regression(y, (label, test.blob_in(textout(a || ',' || b))))) AS inside FROM test.points;

-- large: 1,600 columns, an array of 10,000, a toasted array, a toasted jsonb
SELECT pgfit.info(m)->>'features' IS NOT NULL AS has_features, (SELECT count(*) FROM pgfit.features(m))
FROM (SELECT pgfit.feature_moments((SELECT array_agg(((i * j) % 7)::float8) FROM generate_series(1, 1600) AS j)) AS m FROM generate_series(1, 3) AS i) AS t;
DO $$
BEGIN
    EXECUTE 'CREATE TABLE test.wide (' || (SELECT string_agg('c' || i || ' smallint', ', ') FROM generate_series(1, 1600) AS i) || ')';
    FOR i IN 1..20 LOOP
        EXECUTE 'INSERT INTO test.wide VALUES (' || (SELECT string_agg((i * j % 11)::text, ', ') FROM generate_series(1, 1600) AS j) || ')';
    END LOOP;
END
$$;
SELECT cardinality(pgfit.parameter(pgfit.geometric_median(wide), 'center')) FROM test.wide;
SELECT cardinality(pgfit.parameter(m, 'center')), pgfit.distance(m, x) >= 0 AS scored
FROM (SELECT pgfit.geometric_median(x) AS m, min(x) AS x FROM (SELECT array_agg((i * j % 17)::float8) AS x FROM generate_series(1, 10000) AS j, generate_series(1, 5) AS i GROUP BY i) AS t) AS fit;
CREATE TABLE test.toasted (y float8, x float8[], o jsonb);
ALTER TABLE test.toasted ALTER x SET STORAGE EXTERNAL;
INSERT INTO test.toasted SELECT i, array_agg((i * j % 17)::float8 ORDER BY j), jsonb_object_agg('k' || j, i * j % 17) FROM generate_series(1, 4) AS i, generate_series(1, 600) AS j GROUP BY i;
SELECT bool_and(test.near(pgfit.distance(m, x), pgfit.distance(n, o))) FROM test.toasted, (SELECT pgfit.geometric_median(x) AS m, pgfit.geometric_median(o) AS n FROM test.toasted) AS fit;

-- each parallel worker finds row types and levels by itself
CREATE TABLE test.many AS SELECT i * 7919 % 20011 AS y, i % 1000 AS a, 'w' || i / 500 AS w, ARRAY[i % 7, i % 11] AS run FROM generate_series(1, 20000) AS i;
ALTER TABLE test.many SET (parallel_workers = 2);
ANALYZE test.many;
CREATE TABLE test.serial AS SELECT pgfit.linear_regression(y, f) AS m, pgfit.linear_regression(y, (many.w, many.a)) AS n FROM test.many, LATERAL (SELECT many.a, many.w, many.run) AS f;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION test.plan_text(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text = '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP plan = plan || line; END LOOP;
    RETURN plan;
END
$$;
SELECT test.plan_text('SELECT pgfit.linear_regression(y, f) FROM test.many, LATERAL (SELECT many.a, many.w, many.run) AS f') LIKE '%Partial Aggregate%' AS parallel;
SELECT test.near_all(pgfit.parameter(p, 'coef'), pgfit.parameter(m, 'coef'), 1e-8) AS named, test.near_all(pgfit.parameter(q, 'coef'), pgfit.parameter(n, 'coef'), 1e-8) AS anonymous FROM test.serial,
    (SELECT pgfit.linear_regression(y, f) AS p, pgfit.linear_regression(y, (many.w, many.a)) AS q FROM test.many, LATERAL (SELECT many.a, many.w, many.run) AS f) AS fit;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;
SET max_parallel_workers_per_gather = 0;

-- an array of any type, as a system view has it
SELECT pgfit.geometric_median(histogram_bounds) IS NOT NULL AS statistics FROM pg_stats WHERE schemaname = 'test' AND tablename = 'many' AND attname = 'y';

-- memory does not grow with the rows: a leak of the least that can be allocated, 16 bytes for each of 18,011 rows, is 288,176. Not counted
-- are the server's caches, which other sessions empty.
CREATE FUNCTION test.own_memory() RETURNS numeric LANGUAGE sql AS $$ -- a context has the name of its parent before PostgreSQL 18, and since then a path of numbers
    WITH contexts AS MATERIALIZED (SELECT to_jsonb(m) AS c FROM pg_backend_memory_contexts AS m), caches AS (SELECT c FROM contexts WHERE c ->> 'name' = 'CacheMemoryContext')
    SELECT sum((o.c ->> 'total_bytes')::numeric) FROM contexts AS o, caches AS k
    WHERE 'CacheMemoryContext' NOT IN (o.c ->> 'name', coalesce(o.c ->> 'parent', '')) AND NOT coalesce(o.c -> 'path' @> (k.c -> 'path' -> -1), false)
$$;
CREATE FUNCTION test.memory(features text, number int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE result numeric;
BEGIN
    EXECUTE format('SELECT CASE WHEN m IS NULL THEN NULL ELSE test.own_memory() END FROM (SELECT pgfit.moments(y, %s) AS m FROM test.many WHERE y < %s) AS fit', features, number) INTO result;
    RETURN result;
END
$$;
SELECT features, abs(test.memory(features, 20011) - test.memory(features, 2000)) < 200000 AS steady
FROM unnest(ARRAY['ARRAY[a, y]::float8[]', 'ARRAY[a, y]::numeric[]', '(a, y)', '((a % 9)::text::char(9), run)', '(a, md5((a % 9)::text)::uuid)', 'jsonb_build_object(''a'', a, ''w'', y % 7 || ''w'')', '(run, repeat(''w'', 3000 + a % 3))']) AS features;

-- the order of labels: by value, by bytes, by declaration
SELECT pgfit.classes(pgfit.class_moments(x, a)) FROM test.points, LATERAL (SELECT (label - 1) * 10) AS v(x);
SELECT pgfit.classes(pgfit.class_moments(x, a)) FROM test.points, LATERAL (SELECT (ARRAY[1.50, 10, 2.0])[label + 1]) AS v(x);
SELECT pgfit.classes(pgfit.class_moments(x, a)) FROM test.points, LATERAL (SELECT (ARRAY[1.5, -0.0, 1e100])[label + 1]::float8) AS v(x);
SELECT pgfit.classes(pgfit.class_moments(x, a)) FROM test.points, LATERAL (SELECT label = 1) AS v(x);
SELECT pgfit.classes(pgfit.class_moments(x, a)) FROM test.points, LATERAL (SELECT (ARRAY['b', 'a', '_'])[label + 1]) AS v(x);
SELECT pgfit.classes(pgfit.class_moments(x, a)) FROM test.points, LATERAL (SELECT (ARRAY['sad', 'ok', 'happy']::test.mood[])[label + 1]) AS v(x);
SET datestyle = 'German';
SELECT pgfit.classes(pgfit.class_moments(x, a)) FROM test.points, LATERAL (SELECT date '2024-01-31' + label) AS v(x);
RESET datestyle;
SELECT pgfit.classes(pgfit.class_moments(x, a)) FROM test.points, LATERAL (SELECT (ARRAY['10.0.0.1', '9.0.0.1', '::1']::inet[])[label + 1]) AS v(x);
SELECT pgfit.classes(pgfit.class_moments('only', a)) FROM test.points;
