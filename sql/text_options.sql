-- options as text: an untyped literal is taken as text in every form of every aggregate; text is JSON if it begins with a
-- brace, else a formula
CREATE TEMP TABLE rows_of_calls AS
SELECT i AS id, 2 * a + b AS y, i % 3 AS label, a, b
FROM (SELECT i, sin(i) AS a, cos(i * i) AS b FROM generate_series(1, 40) AS i) AS s;
CREATE TEMP TABLE summaries AS SELECT pgfit.moments(y, ARRAY[a, b]) AS m FROM rows_of_calls;

-- a call of each form: numbers as numbers, options as an untyped literal
CREATE TEMP TABLE calls AS
SELECT p.oid, p.proname, p.proargnames @> '{options}' AS optional, p.proargtypes::oid[] @> ARRAY['jsonb'::regtype::oid] AS is_json,
       format('SELECT pgfit.%I(%s) AS result FROM %s', p.proname,
              (SELECT string_agg(CASE name WHEN 'target' THEN 'd.y' WHEN 'label' THEN 'd.label' WHEN 'id' THEN 'd.id'
                                 WHEN 'cluster' THEN 'd.label' WHEN 'predicted' THEN 'd.label' WHEN 'features' THEN 'd'
                                 WHEN 'moments' THEN 'd.m' WHEN 'estimator' THEN '''linear_regression''' WHEN 'options' THEN '''{}''' WHEN 'weight' THEN '1'
                                 WHEN 'lambda' THEN '0.5' WHEN 'alpha' THEN '0.5' WHEN 'k' THEN '2' WHEN 'buckets' THEN '3'
                                 WHEN 'score' THEN 'd.a' WHEN 'a' THEN 'd.id' WHEN 'b' THEN 'd.id' WHEN 'distance' THEN '1' WHEN 'probability' THEN '0.5' WHEN 'probabilities' THEN 'ARRAY[0.5, 0.5]'
                                 WHEN 'classes' THEN 'ARRAY[''0'', ''1'']' END, ', ' ORDER BY place)
               FROM unnest(p.proargnames) WITH ORDINALITY AS n(name, place)),
              CASE WHEN p.proargnames @> '{moments}' THEN 'summaries' ELSE 'rows_of_calls' END || ' AS d') AS call
FROM pg_proc AS p JOIN pg_aggregate AS a ON a.aggfnoid = p.oid
WHERE p.pronamespace = 'pgfit'::regnamespace AND p.proargnames @> '{options}' AND NOT p.proargnames @> '{kernel}';

-- Returns the type that the literal got, from the definition of a view.
CREATE FUNCTION pg_temp.literal_type(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'CREATE OR REPLACE TEMP VIEW tried AS ' || replace(call, 'SELECT pgfit', 'SELECT 1 WHERE EXISTS (SELECT pgfit') || ')';
    RETURN substring(pg_get_viewdef('tried') FROM '''\{\}''::(\w+)');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT literal, count(*) > 0 AS found, count(DISTINCT proname) > 20 AS many,
       CASE WHEN literal NOT IN ('text', 'jsonb') THEN min(call) END AS wrong
FROM (SELECT pg_temp.literal_type(call) AS literal, proname, call FROM calls) AS t GROUP BY literal ORDER BY literal;
-- where there is a form with text, it is the one
SELECT call, pg_temp.literal_type(call) FROM calls AS c
WHERE NOT is_json AND pg_temp.literal_type(call) IS DISTINCT FROM 'text' ORDER BY call;
-- each form with jsonb of an estimator has one with text, and each with text one with jsonb
SELECT proname, count(*) FILTER (WHERE is_json) AS jsonb, count(*) FILTER (WHERE NOT is_json) AS text
FROM calls WHERE proname IN (SELECT name FROM pgfit.estimators()) GROUP BY proname
HAVING count(*) FILTER (WHERE is_json) <> count(*) FILTER (WHERE NOT is_json);
DROP VIEW tried;
