-- Labels are the same text whatever the session's settings, and equal values are one label.
SET search_path = public, pgfit;
CREATE TYPE pair AS (at timestamptz, span interval);
CREATE TABLE shapes AS
SELECT i AS id, i % 7 AS x,
    CASE i % 5 WHEN 0 THEN interval '24:00' WHEN 1 THEN interval '1 day' WHEN 2 THEN interval '1 mon -2 days 03:04:05.25' WHEN 3 THEN interval '-36:00' ELSE interval '-0.5' END AS span,
    decode(CASE WHEN i % 2 = 0 THEN '00ff27' ELSE '5c41' END, 'hex') AS bytes, ((i % 3 - 1) * 1234.5)::numeric::money AS price,
    ARRAY[timestamptz '2020-02-03 04:05:06+00' + (i % 2) * interval '1 day'] AS moments, tsrange('2021-03-04', timestamp '2021-03-05' + i % 2 * interval '1 day') AS stretch,
    row(timestamptz '2020-02-03 04:05:06+00' + (i % 2) * interval '1 day', '36:00')::pair AS pair,
    point(0.1::float8 + 0.2::float8, i % 2) AS point, CASE WHEN i % 2 = 0 THEN 'pg_catalog.pg_class' ELSE 'public.shapes' END::regclass AS relation,
    inet '10.0.0.1' + i % 2 AS address
FROM generate_series(1, 60) AS i;
CREATE FUNCTION fitted() RETURNS TABLE (kind text, m model) LANGUAGE sql AS $$
    SELECT kind, m FROM (
        SELECT naive_bayes(span, x) AS span, naive_bayes(bytes, x) AS bytes, naive_bayes(price, x) AS price, naive_bayes(moments, x) AS moments,
               naive_bayes(stretch, x) AS stretch, naive_bayes(pair, x) AS pair, naive_bayes(point::text, x) AS point, naive_bayes(relation, x) AS relation,
               naive_bayes(address, x) AS address
        FROM shapes) AS f,
    LATERAL (VALUES ('span', span), ('bytes', bytes), ('price', price), ('moments', moments), ('stretch', stretch), ('pair', pair), ('relation', relation),
                    ('address', address)) AS v (kind, m)
$$;
CREATE FUNCTION label(span interval) RETURNS text LANGUAGE sql AS $$
    SELECT pgfit.info(pgfit.naive_bayes(s, x)) #>> '{classes,0}' FROM (VALUES (span, 1), (span, 2), (span + '9999 days', 3), (span + '9999 days', 4)) AS v (s, x)
$$;
CREATE TABLE before AS SELECT * FROM fitted();
SELECT kind, label FROM before, jsonb_array_elements_text(info(m) -> 'classes') WITH ORDINALITY AS l (label, n) ORDER BY kind, n;

-- fitted and evaluated under other settings: the same models, the same answers
SET intervalstyle = 'iso_8601';
SET bytea_output = 'escape';
SET datestyle = 'German';
SET timezone = 'Asia/Tokyo';
SET extra_float_digits = -5;
SET search_path = pg_catalog, pgfit, public;
SET lc_monetary = 'C';
SET quote_all_identifiers = on;
SELECT naive_bayes((id % 2)::text, x)::jsonb #>> '{schema,class_type,text,0}' AS text, naive_bayes('2020-01-01'::date + id % 2, x)::jsonb #>> '{schema,class_type,text,0}' AS date FROM public.shapes;
SELECT kind, a.m = b.m AS same FROM before AS a JOIN fitted() AS b USING (kind) ORDER BY kind;
SELECT accuracy(span, classify(m, x)) = accuracy(label, classify(m, x)) AS span, accuracy(span, label) AS read
FROM public.before, public.shapes, LATERAL (VALUES (CASE WHEN id % 5 IN (0, 1) THEN '1 day' WHEN id % 5 = 2 THEN '28 days 03:04:05.25' WHEN id % 5 = 3 THEN '-1 days -12:00:00' ELSE '-00:00:00.5' END)) AS t (label)
WHERE kind = 'span';
-- the session's settings are unchanged afterwards
SELECT current_setting('intervalstyle') AS intervalstyle, current_setting('bytea_output') AS bytea_output, current_setting('timezone') AS timezone, current_setting('extra_float_digits') AS digits;
-- canonical text reads back as an equal value, in every style
CREATE TABLE public.spans AS SELECT DISTINCT span, public.label(span) AS label FROM public.shapes;
SET intervalstyle = 'postgres';
SELECT bool_and(label::interval = span) AS equal FROM public.spans;
SET intervalstyle = 'postgres_verbose';
SELECT bool_and(label::interval = span) AS equal FROM public.spans;
SET intervalstyle = 'sql_standard';
SELECT bool_and(label::interval = span) AS equal FROM public.spans;
RESET ALL;
SET search_path = public, pgfit;

-- equal intervals are one label, in whatever form each comes first; other numbers are not
SELECT span, label(span) FROM (VALUES (interval '1 year'), ('12 mons'), ('360 days'), ('11 mons 29 days 24:00'), ('8640:00')) AS v (span);
SELECT info(naive_bayes(span, x)) -> 'classes' AS classes
FROM (VALUES (interval '1 mon', 1), ('30 days', 2), ('720:00', 3), ('31 days', 4), ('31 days', 5.5), ('0', 7), ('1 day -24:00', 8), ('-1 mon 29 days', 9), ('-24:00', 11)) AS v (span, x);
SELECT info(naive_bayes(span, x)) -> 'classes' AS extremes
FROM (SELECT unnest(ARRAY[interval '178000000 years', '-178000000 years', '106751991 days 04:00:54.775807', '-00:00:00.000001']) AS span, 1 AS x UNION ALL
      SELECT unnest(ARRAY[interval '178000000 years', '-178000000 years', '106751991 days 04:00:54.775807', '-00:00:00.000001']), 3) AS v;
-- ids
SELECT n.id FROM (SELECT neighbors(span, x) AS m FROM shapes WHERE id = 2) AS f, nearest(m, 3) AS n;

-- workers of a parallel query do the same
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE shapes SET (parallel_workers = 2);
SET timezone = 'Asia/Tokyo';
SELECT a.kind, a.m = b.m AS same
FROM before AS a JOIN (SELECT 'moments' AS kind, naive_bayes(moments, x) AS m FROM shapes UNION ALL SELECT 'span', naive_bayes(span, x) FROM shapes) AS b USING (kind) ORDER BY kind;
RESET ALL;
DROP TABLE shapes, before, spans;
DROP FUNCTION fitted, label;
DROP TYPE pair;
