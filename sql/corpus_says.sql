-- What each stored value of test/corpus says: its summary as text, and a hash of each table, picture and document, so that none of them changes unnoticed.
-- Numbers of tables count to 9 digits, because the last ones depend on the processor.
SET client_min_messages = error;
SET search_path = public, test, pgfit;
SET extra_float_digits = -6;
CREATE TABLE stored (name text PRIMARY KEY, features text, m pgfit.model);
\copy stored FROM 'test/corpus/0.1.0/values.tsv'
CREATE FUNCTION test.said(m model, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE said text;
BEGIN
    EXECUTE 'SELECT ' || query INTO said USING m;
    RETURN said;
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN SQLSTATE !~ '^(22|42809|42883|54|55000|0A)' THEN SQLSTATE || ' ' || SQLERRM END; -- the others: not asked of this kind of model
END $$;
\pset format unaligned
\pset tuples_only on
SELECT '== ' || name || E'\n' || regexp_replace(summary(m), '(\.\d{9})\d+', '\1', 'g') FROM stored WHERE said(m, 'summary($1)') IS NOT NULL ORDER BY name COLLATE "C";
\pset tuples_only off
SELECT name, p.proname AS function, left(md5(said), 8) AS hash FROM stored, pg_proc AS p,
    said(m, format('count(*) || string_agg(t::text, ''|'' ORDER BY t::text COLLATE "C") FROM pgfit.%I($1) AS t', p.proname)) AS said
WHERE p.pronamespace = 'pgfit'::regnamespace AND p.pronargs - p.pronargdefaults <= 1 AND p.proargtypes[0] = 'pgfit.model'::regtype AND p.prokind = 'f' AND p.proname !~ '^(export_|summary|report|plot|to_sql)' AND said IS NOT NULL
ORDER BY name COLLATE "C", p.oid::regprocedure::text COLLATE "C";
SELECT name, figure, form, left(md5(said), 8) AS hash FROM stored, figures_of(m) AS figure, unnest(ARRAY['svg', 'text', 'vega']) AS form, said(m, format('plot($1, %L, %L)', figure, jsonb_build_object('as', form))) AS said
WHERE said IS NOT NULL ORDER BY name COLLATE "C", figure COLLATE "C", form COLLATE "C";
SELECT name, form, left(md5(replace(said, extversion, '')), 8) AS hash FROM stored, pg_extension, unnest(ARRAY['export_onnx($1)', 'export_model($1, ''pmml'')', 'export_model($1, ''xgboost'')', 'export_model($1, ''python'')', 'to_sql($1)']) AS form, said(m, form || '::text') AS said
WHERE extname = 'pgfit' AND said IS NOT NULL ORDER BY name COLLATE "C", form COLLATE "C";
DROP TABLE stored;
DROP FUNCTION test.said;
