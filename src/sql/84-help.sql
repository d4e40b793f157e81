-- what there is and how to call it

CREATE FUNCTION pgfit_internal.has_options(name text, known boolean) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_has_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.has_options(text, boolean) IS
'Tells whether pgfit.options knows a name; fails if it does not and the name is not known otherwise.';

-- Describes nothing itself: names, tasks and sentences are those of the descriptors, forms and other functions those of the catalog, options those of options(),
-- and an example is the arguments that the line of aggregates.tsv has or implies, so that it is said once, beside the forms of the call, and a test runs them all. Rows of text,
-- not one text: clients show them as they are, and an example can be copied.
CREATE FUNCTION pgfit.help(about text DEFAULT NULL) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 30
BEGIN ATOMIC
    WITH method AS (
        SELECT e.name, e.task, e.help, e.options FROM pgfit.estimators() AS e
    ), form AS ( -- those of stored moments last
        SELECT row_number() OVER (ORDER BY p.proargnames[1] IS NOT DISTINCT FROM 'moments', p.pronargs, p.oid) AS line, obj_description(p.oid, 'pg_proc') AS comment,
               format('(%s) -> %s', pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)) AS form
        FROM pg_proc AS p WHERE p.pronamespace = 'pgfit'::regnamespace AND p.proname = about
    ), described AS (
        SELECT coalesce((SELECT m.help FROM method AS m WHERE m.name = about), (SELECT f.comment FROM form AS f WHERE f.line = 1)) AS text
    ), option AS ( -- fails for an unknown name; the hint has the name of a method that is near
        SELECT o.ordinality AS line, o.name, o.help, coalesce(o.default_value, o.type) AS value,
               o.name = ANY (SELECT c.name FROM pgfit.options('centroid') AS c WHERE NOT EXISTS (SELECT FROM method AS m WHERE m.name IN ('centroid', about) AND c.name = ANY (m.options))) AS common
        FROM (SELECT about AS name FROM described AS d WHERE about IS NOT NULL AND pgfit_internal.has_options(about, d.text IS NOT NULL) OFFSET 0) AS a,
             LATERAL pgfit.options(a.name) WITH ORDINALITY AS o(name, type, default_value, range, help, ordinality)
    )
    SELECT v.text FROM (
        SELECT 1 AS part, m.task AS heading, m.name COLLATE "C" AS name, 0::bigint AS line, format('  %s: %s', m.name, rtrim(split_part(m.help, '. ', 1), '.')) AS text FROM method AS m WHERE about IS NULL
        UNION ALL SELECT DISTINCT 1, m.task, '', 0, m.task FROM method AS m WHERE about IS NULL
        UNION ALL SELECT 2, '', '', f.line, f.text FROM (VALUES (1, ''), (2, 'One of them, or any function of pgfit: SELECT pgfit.help(''kmeans'');')) AS f(line, text) WHERE about IS NULL
        UNION ALL SELECT 3, '', '', 0, d.text FROM described AS d WHERE d.text IS NOT NULL
        UNION ALL SELECT 4, '', '', 0, '' FROM form AS f WHERE f.line = 1
        UNION ALL SELECT 5, '', '', f.line, 'pgfit.' || about || replace(replace(replace(f.form, ' "any"', ''), 'pgfit.', ''), 'double precision', 'float8') FROM form AS f
        UNION ALL SELECT 6, '', '', f.line, f.text FROM (VALUES (1, ''), (2, format('Options; more of each: SELECT * FROM pgfit.options(''%s'');', about))) AS f(line, text) WHERE EXISTS (SELECT FROM option)
        UNION ALL SELECT 7, '', '', o.line, format('  "%s" = %s: %s', o.name, o.value, o.help) FROM option AS o WHERE NOT o.common
        UNION ALL SELECT 8, '', '', 0, '  and those of every method: ' || string_agg(format('"%s"', o.name), ', ' ORDER BY o.line) FROM option AS o WHERE o.common HAVING count(*) > 0
        UNION ALL SELECT 9, '', '', t.line, t.text FROM pgfit_internal.examples() AS e,
            LATERAL unnest(ARRAY['', 'An example, over rows that are made up:'] || string_to_array(e.rows, E'\n') || ARRAY[e.example]) WITH ORDINALITY AS t(text, line) WHERE e.name = about
    ) AS v ORDER BY v.part, v.heading, v.name, v.line;
END;
COMMENT ON FUNCTION pgfit.help(text) IS
'Returns what a method or another function of pgfit is for, how it is called, its options with their defaults, and of a method an example that runs as it is, one line per row; without a name, lists the methods by task. Fails with invalid_parameter_value for an unknown name; the hint lists the names of methods.';
