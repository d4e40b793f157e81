-- SQL functions as metrics: rights, changes after the fit, functions that are no metrics, hostile models
CREATE SCHEMA pairs;
CREATE SCHEMA metric_functions;
SET search_path = metric_functions, public;
CREATE TABLE points AS SELECT i AS id, i::float8 AS x FROM generate_series(1, 12) AS i;
CREATE FUNCTION pairs.apart(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN abs(a - b); END';
CREATE FUNCTION pairs.fits(name text) RETURNS text LANGUAGE sql AS $$
    SELECT test.try(format('SELECT length(pgfit.neighbors(id, x, ''{"metric": "pairs.%s"}'')::text) > 0 FROM points', name)) $$;
SELECT pairs.fits('apart(float8,float8)');

-- functions that ask for the types of their arguments
SELECT pgfit.distance(pgfit.neighbors(id, 'a' || x, '{"metric": "pgfit.edit_distance(text,text)"}'), 'a12b'::text) AS edits FROM points;

-- functions that cannot be metrics
CREATE FUNCTION pairs.one(a float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION pairs.three(a float8, b float8, c float8 DEFAULT 0) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION pairs.two_types(a float8, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION pairs.any_type(a anyelement, b anyelement) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT 1.0';
CREATE FUNCTION pairs.a_text(a float8, b float8) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT a::text';
CREATE FUNCTION pairs.several(a float8, b float8) RETURNS SETOF float8 LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION pairs.restless(a float8, b float8) RETURNS float8 LANGUAGE sql AS 'SELECT abs(a - b)';
CREATE AGGREGATE pairs.total(a float8, b float8) (SFUNC = float8_regr_accum, STYPE = float8[], INITCOND = '{0,0,0,0,0,0}');
SELECT name, pairs.fits(name) FROM unnest('{one(float8),"three(float8,float8,float8)","two_types(float8,int)","any_type(anyelement,anyelement)","a_text(float8,float8)","several(float8,float8)",
    "restless(float8,float8)","total(float8,float8)","missing(float8,float8)","apart(float8,missing)",apart(,"apart(float8,float8) x"}'::text[]) AS name;
SELECT left(test.try($$SELECT pgfit.neighbors(id, x, '{"metric": "apart"}') FROM points$$), 60);
SELECT test.try($$SELECT pgfit.neighbors(id, (x, id), '{"metric": "pairs.apart(float8,float8)"}') FROM points$$);
SELECT test.try($$SELECT pgfit.neighbors(id, 'a' || x, '{"metric": "pairs.apart(float8,float8)"}') FROM points$$);
SELECT test.try($$SELECT pgfit.neighbors(id, x, '{"metric": "pairs.apart(float8,float8)", "standardize": true}') FROM points$$);

-- functions that are declared as metrics and are none
CREATE FUNCTION pairs.a_null(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN a + b < 23 THEN abs(a - b) END';
CREATE FUNCTION pairs.a_nan(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$SELECT CASE WHEN a + b < 23 THEN abs(a - b) ELSE 'NaN' END$$;
CREATE FUNCTION pairs.negative(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN a + b < 23 THEN abs(a - b) ELSE -0.5 END';
CREATE FUNCTION pairs.directed(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT greatest(a - b, 2 * (b - a))';
CREATE FUNCTION pairs.never_same(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(a - b) + 1';
CREATE FUNCTION pairs.failing(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN IF a + b > 20 THEN RAISE 'no way from % to %', a, b; END IF; RETURN abs(a - b); END$$;
CREATE FUNCTION pairs.zero(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$SELECT '-0'::float8$$;
SELECT name, test.try(format('SELECT round(pgfit.silhouette(id %% 2, x, ''{"metric": "pairs.%s(float8,float8)"}'')::numeric, 3) FROM points', name)) FROM unnest('{a_null,a_nan,negative,directed,never_same,failing,zero}'::text[]) AS name;
-- what a function raises is no failure of the rows; what it returns is
SELECT test.try($$SELECT pgfit.kmedoids(x, 2, '{"metric": "pairs.failing(float8,float8)", "on_failure": "null"}') FROM points$$);
SELECT test.try($$SELECT pgfit.kmedoids(x, 2, '{"metric": "pairs.negative(float8,float8)", "on_failure": "null"}') IS NULL FROM points$$);
CREATE FUNCTION pairs.core_error(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN pgfit.euclidean_distance(ARRAY[a], CASE WHEN a + b > 20 THEN ARRAY[b, b] ELSE ARRAY[b] END); END$$;
SELECT test.try($$SELECT pgfit.kmedoids(x, 2, '{"metric": "pairs.core_error(float8,float8)", "on_failure": "null"}') FROM points$$);
-- new rows that the function cannot compare
SELECT pgfit.knn_regression(id, x, '{"k": 1, "metric": "pairs.failing(float8,float8)"}') AS m FROM points WHERE x < 8 \gset
SELECT pgfit.predict(:'m'::pgfit.model, 3.2) AS near;
SELECT test.try(format('SELECT pgfit.predict(%L::pgfit.model, 30)', :'m'));
SELECT test.try(format('SELECT pgfit.predict(%L::pgfit.model, ''x''::text)', :'m'));
SELECT pgfit.knn_regression(id, x, '{"k": 1, "metric": "pairs.negative(float8,float8)"}') AS m FROM points WHERE x < 8 \gset
SELECT test.try(format('SELECT pgfit.predict(%L::pgfit.model, 30)', :'m'));

-- STABLE functions read tables, so no value chooses them: whoever scores lists them
SET pgfit.trusted_functions = 'pairs.scored(text,text), pairs.recursing(text,text), pairs.peeking(float8,float8), pairs.trusted(float8,float8)';
-- a function that scores rows itself, with texts of its own
CREATE FUNCTION pairs.scored(a text, b text) RETURNS float8 LANGUAGE plpgsql STABLE AS $$
BEGIN RETURN abs(pgfit.predict((SELECT m FROM inner_model), a) - pgfit.predict((SELECT m FROM inner_model), b)); END$$;
CREATE TABLE inner_model AS SELECT pgfit.knn_regression(length(t), t, '{"k": 1, "metric": "edit"}') AS m FROM unnest('{a,bbb,ccccc,ddddddd}'::text[]) AS t;
SELECT pgfit.predict(m, 'xxxx'::text) AS outer_score FROM (SELECT pgfit.knn_regression(length(t), t, '{"k": 1, "metric": "pairs.scored(text,text)"}') AS m FROM unnest('{a,bb,cccc,dddddddd}'::text[]) AS t) AS fit;

-- a function that scores a row by the model that it is the metric of: refused, as it took the row that was scored
CREATE FUNCTION pairs.recursing(a text, b text) RETURNS float8 LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF a LIKE 'again%' THEN PERFORM pgfit.predict('recursing', repeat('x', 40)); END IF;
    RETURN abs(length(a) - length(b));
END$$;
INSERT INTO pgfit_internal.model_names VALUES ('recursing', current_user, '{}', '{}', NULL, '{}', 1);
INSERT INTO pgfit_internal.registry (name, version, model, estimator, source, options, trained_at, trained_by, status)
SELECT 'recursing', 1, pgfit.knn_regression(length(t), t, '{"k": 1, "metric": "pairs.recursing(text,text)"}'), 'knn_regression', 'texts', '{}', now(), current_user, 'trained' FROM unnest('{a,bb,cccc,dddddddd}'::text[]) AS t;
SELECT pgfit.promote('recursing', 1);
SELECT test.try($$SELECT pgfit.predict('recursing', 'again' || ' and again')$$);
SELECT pgfit.predict('recursing', 'xxx xxxxx'::text) AS not_recursing;
SELECT pgfit.drop_model('recursing');

-- dropped, renamed, moved and changed after the fit
CREATE TABLE kept WITH (parallel_workers = 0) AS SELECT pgfit.neighbors(id, x, '{"metric": "pairs.apart(float8,float8)"}') AS m FROM points;
SELECT array_agg(id) AS nearest FROM kept, LATERAL pgfit.nearest(m, 4.1, 2);
ALTER FUNCTION pairs.apart(float8, float8) RENAME TO away;
SELECT test.try($$SELECT count(*) FROM kept, LATERAL pgfit.nearest(m, 4.1, 2)$$);
ALTER FUNCTION pairs.away(float8, float8) RENAME TO apart;
CREATE OR REPLACE FUNCTION pairs.apart(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN abs(a - b) / 2; END';
SELECT min(distance) AS half FROM kept, LATERAL pgfit.nearest(m, 4.5, 2);
ALTER FUNCTION pairs.apart(float8, float8) VOLATILE;
SELECT test.try($$SELECT count(*) FROM kept, LATERAL pgfit.nearest(m, 4.1, 2)$$);
DROP FUNCTION pairs.apart(float8, float8);
SELECT test.try($$SELECT count(*) FROM kept, LATERAL pgfit.nearest(m, 4.1, 2)$$);
CREATE FUNCTION pairs.apart(a float8, b float8) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT abs(a - b)::text';
SELECT test.try($$SELECT count(*) FROM kept, LATERAL pgfit.nearest(m, 4.1, 2)$$);
DROP FUNCTION pairs.apart(float8, float8);
-- the model itself stays readable without its function
SELECT m::text::pgfit.model OPERATOR(pgfit.=) m AS same, pgfit.info(m) -> 'rows' AS rows FROM kept;
CREATE FUNCTION pairs.apart(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN abs(a - b); END';
-- within one call site, between rows
DO $$
DECLARE
    model pgfit.model := (SELECT pgfit.knn_regression(id, x, '{"k": 1, "metric": "pairs.apart(float8,float8)"}') FROM points);
    step int;
    score float8;
BEGIN
    FOR step IN 1 .. 4 LOOP
        IF step = 2 THEN CREATE OR REPLACE FUNCTION pairs.apart(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 100 - abs(a - b); END'; END IF;
        IF step = 3 THEN DROP FUNCTION pairs.apart(float8, float8); END IF;
        IF step = 4 THEN CREATE FUNCTION pairs.apart(a float8, b float8) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT abs(a - b)::int'; END IF;
        BEGIN
            score := pgfit.predict(model, 3.1);
            RAISE INFO '%: %', step, score;
        EXCEPTION WHEN undefined_function THEN
            RAISE INFO '%: %', step, SQLERRM;
        END;
    END LOOP;
END $$;

-- rights: of whoever fits or scores
CREATE ROLE regress_metric_user;
GRANT USAGE ON SCHEMA pairs, metric_functions, pgfit TO regress_metric_user;
GRANT SELECT ON points, kept TO regress_metric_user;
REVOKE EXECUTE ON FUNCTION pairs.apart(float8, float8) FROM PUBLIC;
CREATE TABLE hidden AS SELECT 10.0::float8 AS factor;
CREATE FUNCTION pairs.peeking(a float8, b float8) RETURNS float8 LANGUAGE sql STABLE AS 'SELECT abs(a - b) * factor FROM hidden';
CREATE FUNCTION pairs.trusted(a float8, b float8) RETURNS float8 LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT abs(a - b) * factor FROM hidden';
SET ROLE regress_metric_user;
SELECT test.try($$SELECT pgfit.neighbors(id, x, '{"metric": "pairs.apart(float8,float8)"}') FROM points$$);
SELECT test.try($$SELECT count(*) FROM kept, LATERAL pgfit.nearest(m, 4.1, 2)$$);
SELECT test.try($$SELECT pgfit.neighbors(id, x, '{"metric": "pairs.peeking(float8,float8)"}') FROM points$$);
SELECT min(distance) FROM (SELECT pgfit.neighbors(id, x, '{"metric": "pairs.trusted(float8,float8)"}') AS m FROM points) AS f, LATERAL pgfit.nearest(m, 4.25, 2);
RESET ROLE;
REVOKE ALL ON SCHEMA pairs, metric_functions, pgfit FROM regress_metric_user;
REVOKE ALL ON points, kept FROM regress_metric_user;
DROP ROLE regress_metric_user;

-- parallel workers call only functions that are parallel safe
CREATE TABLE many AS SELECT i AS id, (i % 100)::float8 AS x FROM generate_series(1, 20000) AS i;
ALTER TABLE many SET (parallel_workers = 2);
ANALYZE many;
CREATE FUNCTION pairs.unsafe(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN abs(a - b); END';
CREATE FUNCTION pairs.safe(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN abs(a - b); END';
CREATE TABLE two AS SELECT f, pgfit.knn_regression(id, x, jsonb_build_object('k', 1, 'metric', f)) AS m FROM points, unnest('{"pairs.unsafe(float8,float8)","pairs.safe(float8,float8)"}'::text[]) AS f WHERE x <= 2 GROUP BY f;
SELECT m AS unsafe FROM two WHERE f LIKE '%unsafe%' \gset
SELECT m AS safe FROM two WHERE f NOT LIKE '%unsafe%' \gset
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT count(*) AS scored FROM many WHERE pgfit.predict(:'safe'::pgfit.model, x) = 2;
SELECT test.try(format('SELECT count(*) FROM many WHERE pgfit.predict(%L::pgfit.model, x) = 2', :'unsafe'));
RESET parallel_leader_participation;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;

-- models from outside
CREATE FUNCTION pairs.with(change jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT test.try(format('SELECT count(*) FROM pgfit.nearest(%L::pgfit.model, 1.0, 2)', jsonb_set(m::text::jsonb, '{arrays}', (m::text::jsonb -> 'arrays') || change)::text))
    FROM (SELECT pgfit.neighbors(id, x, '{"metric": "pairs.safe(float8,float8)"}') AS m FROM points WHERE x <= 3) AS f $$;
SELECT pairs.with('{}') AS as_it_is;
SELECT change, pairs.with(change::jsonb) FROM unnest(ARRAY['{"metric_function": {"text": ["pairs.restless(float8,float8)"]}}', '{"metric_function": {"text": ["pg_catalog.dsqrt(float8)"]}}',
    '{"metric_function": {"text": [""]}}', '{"metric_function": {"text": ["a", "b"]}}', '{"metric_function": {"text": ["pairs.gone(float8,float8)"]}}', '{"texts": {"text": ["1", "x", "3"]}}',
    '{"texts": {"text": ["1", "2"]}}', '{"metric": {"f64": [45, 2, 1, 0]}}', '{"metric": {"f64": [41, 2, 1, 0]}}', '{"metric": {"f64": [20.5, 2, 1, 0]}}', '{"metric": {"f64": [1, 2, 1, 0]}}',
    '{"exemplars": {"shape": [3, 1], "f64": [0, 1, 3]}}', '{"exemplars": {"shape": [3, 1], "f64": [0, 1, -1]}}', '{"exemplars": {"shape": [3, 1], "f64": [0, 1, 0.5]}}']) AS change;

-- a session kept reading rows of a type as they were before the type changed
CREATE TYPE pairs.place AS (x float8, y float8);
CREATE FUNCTION pairs.blocks(a pairs.place, b pairs.place) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT abs(a.x - b.x) + abs(a.y - b.y)';
SELECT version FROM pgfit.train('places', 'knn_classifier', $$SELECT i % 2 = 0 AS even, format('(%s,%s)', i, -i) AS place FROM generate_series(1, 9) AS i$$, 'even ~ place', '{"holdout": false, "k": 1, "options": {"metric": "pairs.blocks(pairs.place,pairs.place)"}}');
SELECT pgfit.classify('places', r) AS even FROM (SELECT text '(4,-4)' AS place) AS r;
ALTER TYPE pairs.place ADD ATTRIBUTE z float8;
SELECT test.try($$SELECT pgfit.classify('places', r) FROM (SELECT text '(4,-4,0)' AS place) AS r$$);
ALTER TYPE pairs.place DROP ATTRIBUTE z;
SELECT test.try($$SELECT pgfit.classify('places', r) FROM (SELECT text '(4,-4)' AS place) AS r$$);
-- the check of a domain ran with the rights of whoever scored, for each value that a model keeps
CREATE FUNCTION pairs.is_tag(v text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE INFO 'checks %', v; RETURN true; END $$;
CREATE DOMAIN pairs.tag AS text CHECK (pairs.is_tag(VALUE));
CREATE TYPE pairs.tagged AS (tag pairs.tag);
CREATE FUNCTION pairs.tags(a pairs.tagged, b pairs.tagged) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(length(a.tag) - length(b.tag))::float8';
CREATE FUNCTION pairs.tags(a pairs.tag, b pairs.tag) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(length(a) - length(b))::float8';
SELECT pairs.fits('tags(pairs.tagged,pairs.tagged)');
SELECT pairs.fits('tags(pairs.tag,pairs.tag)');
-- a function that a session did not list, and one of a name without a schema
RESET pgfit.trusted_functions;
SELECT test.try($$SELECT pgfit.neighbors(id, x, '{"metric": "pairs.peeking(float8,float8)"}') FROM points$$);
SELECT pairs.with('{"metric_function": {"text": ["safe(float8,float8)"]}}');
SELECT test.try(format('SET pgfit.trusted_functions = %L', list)) FROM unnest('{*,"safe(float8,float8)","pairs.*(float8,float8)","pairs.safe"}'::text[]) AS list;
SHOW pgfit.trusted_functions;
-- a session that had called the function as one role went on calling it as another that must not
CREATE ROLE pairs_reader;
GRANT USAGE ON SCHEMA pairs, test TO pairs_reader;
SELECT pgfit.grant_model('places', 'pairs_reader');
REVOKE EXECUTE ON FUNCTION pairs.blocks FROM PUBLIC;
SELECT test.try($$SELECT pgfit.classify('places', r) FROM (SELECT text '(4,-4)' AS place) AS r$$);
SET ROLE pairs_reader;
SELECT test.try($$SELECT pgfit.classify('places', r) FROM (SELECT text '(4,-4)' AS place) AS r$$);
RESET ROLE;
SELECT test.try($$SELECT pgfit.classify('places', r) FROM (SELECT text '(4,-4)' AS place) AS r$$);
SELECT pgfit.drop_model('places');
REVOKE USAGE ON SCHEMA pairs, test FROM pairs_reader;
DROP ROLE pairs_reader;
