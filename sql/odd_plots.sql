-- Pictures of rows with odd values, by options at the edges of what pgfit.options('plot') allows: each is a refusal, nothing for no rows, or well-formed SVG without
-- coordinates that are none, JSON or text.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
-- values of a type: usual ones, or odd ones
CREATE FUNCTION test.odd_values(type text, odd text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT quote_literal(CASE WHEN type IN ('double precision', 'real') THEN CASE odd WHEN 'usual' THEN '{0,0.1,0.25,0.5,0.75,0.9,1}' WHEN 'same' THEN '{3}' WHEN 'null' THEN '{NULL}' ELSE '{0,-1,NULL,NaN,1e300,-1e300,1e-310,Infinity,-Infinity,2,1e15}' END
        WHEN type = 'bigint' THEN CASE odd WHEN 'usual' THEN '{1,2,3,4,5}' WHEN 'same' THEN '{1}' WHEN 'null' THEN '{NULL}' ELSE '{0,-1,NULL,9223372036854775807,7,-9223372036854775808}' END
        WHEN type = 'integer' THEN CASE odd WHEN 'usual' THEN '{1,2,3,4,5}' WHEN 'same' THEN '{1}' WHEN 'null' THEN '{NULL}' ELSE '{0,-1,NULL,2147483647,7}' END
        WHEN type = 'boolean' THEN CASE odd WHEN 'same' THEN '{t}' WHEN 'null' THEN '{NULL}' ELSE '{t,f,NULL}' END
        WHEN type LIKE 'timestamp%' OR type = 'date' THEN CASE odd WHEN 'usual' THEN '{2024-01-01,2024-01-02,2024-03-31,2025-12-31,1969-07-20}' WHEN 'same' THEN '{2024-02-29}' WHEN 'null' THEN '{NULL}' ELSE '{4713-01-01 BC,Infinity,-Infinity,NULL,2024-01-01,5874-01-01,0001-01-01}' END
        WHEN type = 'text' THEN CASE odd WHEN 'usual' THEN '{u,v,w,x}' WHEN 'same' THEN '{a}' WHEN 'null' THEN '{NULL}'
                                         ELSE format('{"",NULL,"%s","a\tb\nc\rd","<&>\"''","%s","1","01","-2.5","e%s%s","(intercept)"}', repeat('long ', 60), U&'\2028\2029\FFFE\0001', U&'\0301', repeat(U&'\6F22', 40)) END
        WHEN type ~ '(int|integer)\[\]$' THEN '{"{1,2}","{3}"}' WHEN type LIKE '%[]' THEN CASE odd WHEN 'usual' THEN '{"{1,2}","{0.5,0.5}"}' WHEN 'same' THEN '{"{1,2}"}' WHEN 'null' THEN '{NULL}' ELSE '{NULL,"{}","{NULL,1}","{1,2,3}"}' END END)
$$;
-- a query of rows: columns are 'name type'
CREATE FUNCTION test.odd_rows(columns text[], rows int, key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT format('SELECT %s FROM generate_series(1, %s) AS i', string_agg(
        CASE WHEN substr(c, strpos(c, ' ') + 1) LIKE '%[]' THEN format('(SELECT e::text::%s FROM unnest(%s::text[]) WITH ORDINALITY AS u(e, n) ORDER BY (n * 7919 + i * %s) %% 11 LIMIT 1)', substr(c, strpos(c, ' ') + 1), v, n)
             ELSE format('(%s::%s[])[1 + abs(hashint4(i * 31 + %s)) %% cardinality(%1$s::%2$s[])]', v, substr(c, strpos(c, ' ') + 1), n) END || format(' AS %I', split_part(c, ' ', 1)), ', ' ORDER BY n), rows)
    FROM unnest(columns) WITH ORDINALITY AS u(c, n), LATERAL (SELECT odd_values(substr(c, strpos(c, ' ') + 1), pick('{usual, usual, usual, odd, odd, same, null}', key || n))) AS t(v) WHERE v IS NOT NULL
$$;
CREATE FUNCTION test.odd_picture(call text, form text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE said text;
BEGIN
    EXECUTE call INTO said;
    IF form = 'svg' THEN PERFORM said::xml; END IF;
    IF form = 'vega' THEN PERFORM said::jsonb; END IF;
    RETURN CASE WHEN said = '' THEN 'empty' WHEN form = 'svg' THEN coalesce((regexp_match(said, '[a-z0-9]+="[^"<>]*\m-?(?:nan|inf)\M[^"]*"'))[1], 'drawn') WHEN said IS NOT NULL THEN 'drawn' END; -- texts may tell of such values
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN SQLSTATE ~ '^(22[^P]|42809|42883|54)' THEN 'refused' ELSE SQLSTATE || ' ' || SQLERRM END;
END $$;
-- rows with columns of any name, and rows as each function of pgfit returns them
CREATE TABLE odd_sources AS
SELECT NULL AS source, '{a double precision, b double precision, t timestamp, d date, g text, h text, n integer, f boolean, z double precision}'::text[] AS columns, 80 AS draws
UNION ALL
SELECT p.proname, p.columns, 6 FROM (SELECT DISTINCT proname, ARRAY(SELECT n || ' ' || format_type(a, NULL) FROM unnest(proallargtypes, proargmodes, proargnames) AS u(a, m, n) WHERE m IN ('o', 't')) AS columns
                                     FROM pg_proc WHERE pronamespace = 'pgfit'::regnamespace AND proargmodes IS NOT NULL) AS p WHERE cardinality(columns) > 1
UNION ALL
SELECT t.typname, ARRAY(SELECT attname || ' ' || format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0 ORDER BY attnum), 1
FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid WHERE t.typnamespace = 'pgfit'::regnamespace AND c.relkind = 'c';
CREATE TABLE odd_pictures AS
SELECT source, form, call FROM odd_sources, generate_series(1, draws * coalesce(current_setting('odd.walks', true), '1')::int) AS draw,
    LATERAL (SELECT coalesce(source, '') || draw) AS k(key), LATERAL (SELECT pick('{svg, text, vega}', key || 'as')) AS f(form),
    LATERAL (SELECT jsonb_strip_nulls(jsonb_build_object('as', form, 'width', pick('{NULL, NULL, 100, 700, 20000}', key || 1)::int, 'height', pick('{NULL, NULL, 100, 300, 20000}', key || 2)::int,
        'title', pick('{NULL, NULL, "", "<&>", "a rather long title of a picture, which does not fit into a narrow one at all, whatever is left out of it"}', key || 3), 'top', pick('{NULL, NULL, 2, 5, 10000}', key || 4)::int)
        || CASE WHEN source IS NULL THEN jsonb_build_object('x', pick('{a, b, t, d, g, n, f}', key || 5), 'color', pick('{NULL, NULL, g, h, n, f, t}', key || 6), 'label', pick('{NULL, NULL, h, a, t}', key || 7), 'mark', pick('{NULL, NULL, point, line, bar}', key || 8),
            'low', pick('{NULL, NULL, z}', key || 9), 'high', pick('{NULL, NULL, z, b}', key || 9), 'log_x', pick('{NULL, NULL, true}', key || 10)::boolean, 'log_y', pick('{NULL, NULL, true}', key || 11)::boolean,
            'y', pick('{"\"b\"", "\"a\"", "\"t\"", "\"g\"", "\"f\"", "[\"a\", \"b\"]", "[\"z\", \"n\", \"b\"]"}', key || 12)::jsonb)
          ELSE jsonb_build_object('color', pick('{NULL, NULL, NULL, class, model, feature}', key || 6), 'level', pick('{NULL, NULL, 0.5}', key || 7)::float8,
            'cost', pick('{NULL, NULL, NULL, "{\"false_positive\": 1, \"false_negative\": 0}"}', key || 8)::jsonb) END)) AS o(options),
    LATERAL (SELECT format('SELECT plot(r, %L::jsonb) FROM (%s) AS r', options, odd_rows(columns, pick('{0, 1, 2, 7, 40, 40, 900}', key || 13)::int, key))) AS c(call);
CREATE TABLE odd_results AS SELECT source, form, call, test.odd_picture(call, form) AS result FROM odd_pictures;
SELECT coalesce(result, 'nothing') AS result, count(*) > 20 AS many FROM odd_results WHERE result IN ('drawn', 'refused') OR result IS NULL GROUP BY 1 ORDER BY 1;
SELECT source, form, result, count(*), left(min(call), 400) AS call FROM odd_results WHERE result NOT IN ('drawn', 'refused') GROUP BY source, form, result ORDER BY source, form, result;
DROP TABLE odd_sources, odd_pictures, odd_results;
DROP FUNCTION test.odd_values, test.odd_rows, test.odd_picture;
