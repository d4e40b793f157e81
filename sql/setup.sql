-- What the other tests lean on: try() runs a statement and tells in one line how it ended.
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
GRANT USAGE ON SCHEMA test TO PUBLIC;
SELECT test.try('SELECT 1');
SELECT test.try('SELECT 1 / 0');
SELECT test.try('SELECT NULL::int');
SELECT test.near(1, 1 + 1e-13), test.near(1, 1 + 1e-11), test.near_all('{1,2}', '{1,2}'), test.near_all('{1,2}', '{1}');
