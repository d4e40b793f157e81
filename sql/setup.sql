-- What the other tests use: try() runs a statement and returns in one line how it ended.
CREATE SCHEMA test;
CREATE FUNCTION test.try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    message text;
    hint text;
BEGIN
    EXECUTE statement INTO result;
    RETURN 'ok: ' || coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ': ' || message || CASE WHEN hint = '' THEN '' ELSE E'\nHINT: ' || hint END;
END
$$;
-- a and b agree to a relative tolerance
CREATE FUNCTION test.near(a float8, b float8, tolerance float8 DEFAULT 1e-12) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT a = b OR abs(a - b) <= tolerance * greatest(abs(a), abs(b))
$$;
CREATE FUNCTION test.near_all(a float8[], b float8[], tolerance float8 DEFAULT 1e-12) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT cardinality(a) = cardinality(b) AND bool_and(test.near(x, y, tolerance))
    FROM unnest(a, b) AS t(x, y)
$$;
-- a fit's estimates in the order of its terms, and whether two fits are the same up to rounding
CREATE FUNCTION test.estimates(m pgfit.model) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg(estimate ORDER BY position) FROM pgfit.coefficients(m)
    WITH ORDINALITY AS c(class, term, estimate, e, s, p, l, h, position)
$$;
CREATE FUNCTION test.same_fit(a pgfit.model, b pgfit.model, tolerance float8 DEFAULT 1e-11) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT test.near_all(test.estimates(a), test.estimates(b), tolerance)
       AND pgfit.info(a) -> 'rows' = pgfit.info(b) -> 'rows'
       AND pgfit.info(a) -> 'skipped' = pgfit.info(b) -> 'skipped'
$$;
-- means and mean squares of the first features of moments without weights, pending rows included
-- the figures of a model, from the hint of plot
CREATE FUNCTION test.figures_of(m pgfit.model) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
    PERFORM pgfit.plot(m, 'none');
EXCEPTION WHEN wrong_object_type THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN QUERY SELECT unnest(string_to_array(substring(hint, 'Figures of this model: (.*);'), ', '));
END $$;
CREATE FUNCTION test.feature_facts(m pgfit.model, features int) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
    WITH parts AS (
        SELECT pgfit.parameter(m, 'means') AS means, pgfit.parameter(m, 'scatter') AS scatter,
               coalesce((pgfit.parameter(m, 'counts'))[1], 0) AS n, pgfit.parameter(m, 'pending') AS pending
    ), facts AS (
        SELECT j, n * means[j] + coalesce(p.total, 0) AS total,
               scatter[j * (j + 1) / 2] + n * means[j] ^ 2 + coalesce(p.squares, 0) AS squares
        FROM parts, generate_series(1, features) AS j,
             LATERAL (SELECT sum(v) AS total, sum(v ^ 2) AS squares FROM unnest(pending) WITH ORDINALITY AS u(v, k)
                      WHERE (k - 1) % features + 1 = j) p
    )
    SELECT array_agg(total / r ORDER BY j) || array_agg(squares / r ORDER BY j)
    FROM facts, (SELECT (pgfit.info(m) -> 'rows')::float8 AS r) rows
$$;
GRANT USAGE ON SCHEMA test TO PUBLIC;
SELECT test.try('SELECT 1');
SELECT test.try('SELECT 1 / 0');
SELECT test.try('SELECT NULL::int');
SELECT test.near(1, 1 + 1e-13), test.near(1, 1 + 1e-11), test.near_all('{1,2}', '{1,2}'), test.near_all('{1,2}', '{1}');
-- most fits of these tests are over rows without names, and a NOTICE says so each time: row_names.sql is about it
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET client_min_messages = warning', current_database()); END $$;
-- what fits are refused for depends on the memory they may take, which is maintenance_work_mem by default
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET maintenance_work_mem = ''64MB''', current_database()); END $$;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = ''4MB''', current_database()); END $$;
-- one of the choices, by a key alone
CREATE FUNCTION test.pick(choices text[], key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT choices[1 + abs(hashtextextended(key, 0) % cardinality(choices))] $$;
-- values of an option at the edges of its range, as JSON
CREATE FUNCTION test.edges(name text, type text, range text) RETURNS text[] LANGUAGE sql STABLE AS $$
    WITH bounds AS (SELECT coalesce((regexp_match(range, '([0-9.e+-]+) <=? x'))[1], (regexp_match(range, 'x >=? ([0-9.e+-]+)'))[1])::float8 AS low, (regexp_match(range, 'x <=? ([0-9.e+-]+)'))[1]::float8 AS high)
    SELECT array_agg(v) FROM bounds, (
        SELECT to_json(m[1])::text FROM regexp_matches(range, '"([^"]+)"', 'g') AS m WHERE m[1] <> 'rank' -- limits of few rows have no bounds
        UNION ALL SELECT unnest('{true,false}'::text[]) WHERE type ~ 'boolean'
        UNION ALL SELECT unnest(CASE WHEN name IN ('n_trees', 'samples', 'gap_references', 'n_init', 'landmarks', 'trials', 'length', 'code_length', 'frequencies') THEN '{1,2,7}' ELSE '{0,1,2,3,5,40,2147483647}'::text[] END) WHERE type ~ '^integer'
        UNION ALL SELECT unnest('{0,1e-300,1e-9,0.1,0.5,0.9,1,2,30,1e9,1e300,-1}'::text[]) WHERE type ~ '(^| or )number'
        UNION ALL SELECT unnest(ARRAY[low, high])::text FROM bounds WHERE type ~ '(^| or )number'
        UNION ALL SELECT unnest('{[],[1],"[0.5, 0.25]","[1, 2, 3]","[0.1, 0.5, 0.9]","[0, 1]","[1e300, -1e300]"}'::text[]) WHERE type ~ 'array of numbers'
        UNION ALL SELECT unnest('{[[1]],"[[1, 0], [0, 1]]","[[2, 1], [1, 2]]","[[1, 2], [2, 1]]","[[0, 0]]","[[1, 2], [3, 4], [5, 6]]","[[1, -1]]"}'::text[]) WHERE type ~ 'array of equally'
        UNION ALL SELECT unnest('{"{\"x\": 1}","{\"x\": -1, \"z\": 0.5}","{\"u\": 1}","{\"true\": 2, \"false\": 1}","{\"u\": 0.3, \"v\": 0.7}","{\"nosuch\": 1}","{\"x\": 0}","{}"}'::text[]) WHERE type ~ 'object of numbers'
        UNION ALL SELECT unnest('{"{\"g\": \"u\"}","{\"g\": \"v\"}","{\"g\": \"no\"}"}'::text[]) WHERE type ~ 'object of strings'
        UNION ALL SELECT unnest('{"[\"x\"]","[\"z\", \"x\"]","[\"nosuch\"]","[]","[\"u\", \"v\", \"w\"]","[\"true\", \"false\"]","[\"1\", \"2\", \"3\"]"}'::text[]) WHERE type ~ 'array of strings'
        UNION ALL SELECT unnest('{"\"x\"","\"i\"","\"g\"","\"b\"","\"w\"","\"nosuch\"","\"\""}'::text[]) WHERE type ~ 'string' AND (range IS NULL OR range !~ '"')) AS t(v)
    WHERE v !~ '^-?[0-9.]+(e[0-9+-]+)?$' OR NOT (v::float8 < low) IS TRUE AND NOT (v::float8 > high) IS TRUE
$$;
