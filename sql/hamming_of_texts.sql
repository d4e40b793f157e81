-- metric hamming over one text or bit string counts positions that differ, in every method as in hamming_distance
SET search_path = public, pgfit;
CREATE TEMP TABLE codes AS
SELECT id, code, code::varbit AS bits, code::bit(6) AS fixed, substr(code, 1, 3) AS head, substr(code, 4) AS tail, id <= 3 AS label
FROM unnest('{101100,101101,100101,011101,011001,010010}'::text[]) WITH ORDINALITY AS c(code, id);
SELECT hamming_distance('101100'::text, '011101'::text), distance('101100'::text, '011101'::text, 'hamming');
-- every method with a metric gives what it gives for the distances of the function
CREATE FUNCTION hamming_by_hand(a text, b text) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT hamming_distance(a, b)::float8';
CREATE TEMP TABLE results AS
SELECT metric, ARRAY[
    (SELECT string_agg(n.id || ':' || n.distance, ' ' ORDER BY n.id::int) FROM (SELECT neighbors(id, code, options) AS m FROM codes) AS f, nearest(m, '101100'::text, 6) AS n),
    (SELECT string_agg(classify(m, code), ' ' ORDER BY id) FROM codes, (SELECT knn_classifier(label, code, options || '{"k": 3}') AS m FROM codes) AS f),
    (SELECT string_agg(cluster(m, code)::text, ' ' ORDER BY id) FROM codes, (SELECT kmedoids(code, 2, options::text) AS m FROM codes) AS f),
    (SELECT string_agg(distance(m, code)::text, ' ' ORDER BY id) FROM codes, (SELECT medoid(code, options) AS m FROM codes) AS f),
    (SELECT string_agg(cluster(m, code)::text, ' ' ORDER BY id) FROM codes, (SELECT dbscan(id, code, options || '{"radius": 1, "min_samples": 2}') AS m FROM codes) AS f),
    (SELECT string_agg(c.cluster::text, ' ' ORDER BY c.id::int) FROM (SELECT hierarchical(id, code, options || '{"linkage": "average"}') AS m FROM codes) AS f, cut(m, 2) AS c),
    (SELECT round(silhouette(label, code, options)::numeric, 9)::text FROM codes),
    (SELECT round((info(distance_histogram(code, options)) #>> '{statistics,mean}')::numeric, 9)::text FROM codes)] AS found
FROM (VALUES ('hamming', '{"metric": "hamming"}'::jsonb), ('function', '{"metric": "hamming_by_hand(text,text)"}')) AS o(metric, options);
SELECT found FROM results WHERE metric = 'hamming';
SELECT a.found = b.found AS same FROM results AS a, results AS b WHERE a.metric < b.metric;
-- bit strings, rows of one column, formulas, jsonb: the same
SELECT form, (SELECT distance FROM nearest(m, '011101'::text)) AS of_text, (SELECT distance FROM nearest(m, B'011101')) AS of_bits FROM
    (SELECT 'bits' AS form, neighbors(code, bits, '{"k": 1, "metric": "hamming"}') AS m FROM codes WHERE id = 1
     UNION ALL SELECT 'fixed', neighbors(code, fixed, '{"k": 1, "metric": "hamming"}') FROM codes WHERE id = 1
     UNION ALL SELECT 'row', neighbors(code, codes, '{"k": 1, "metric": "hamming", "features": ["bits"]}') FROM codes WHERE id = 1
     UNION ALL SELECT 'formula', neighbors(code, codes, '{"k": 1, "metric": "hamming", "formula": "code"}') FROM codes WHERE id = 1
     UNION ALL SELECT 'formula of bits', neighbors(code, codes, '{"k": 1, "metric": "hamming", "formula": "bits"}') FROM codes WHERE id = 1
     UNION ALL SELECT 'jsonb', neighbors(code, jsonb_build_object('code', code), '{"k": 1, "metric": "hamming"}') FROM codes WHERE id = 1) AS f;
SELECT bool_and(distance(m, code) = distance(m, bits) AND distance(m, code) = distance(m, fixed)) AS same FROM codes, (SELECT medoid(bits, '{"metric": "hamming"}') AS m FROM codes) AS f;
SELECT distance(m::text::model, B'011101') AS stored FROM (SELECT medoid(bits, '{"metric": "hamming"}') AS m FROM codes WHERE id = 1) AS f;
-- several columns are categories, which differ by 0 or 1, and so is a column that is no string
SELECT distance(m, ROW('101'::text, '100'::text)) AS none, distance(m, ROW('100'::text, '101'::text)) AS two
FROM (SELECT medoid((head, tail), '{"metric": "hamming"}') AS m FROM (VALUES ('101', '100'), ('101', '100'), ('100', '101')) AS c(head, tail)) AS f;
SELECT distance(m, false) FROM (SELECT medoid(label, '{"metric": "hamming"}') AS m FROM codes WHERE id = 1) AS f;
SELECT info(medoid(c, '{"metric": "hamming", "nulls": "impute"}')) -> 'rows' AS imputed FROM (SELECT head, nullif(tail, '100') AS tail FROM codes) AS c;
-- other lengths
SELECT test.try('SELECT hamming_distance(''10''::text, ''101''::text)');
SELECT test.try('SELECT hamming_distance(B''10'', B''101'')');
SELECT test.try('SELECT distance(''10''::text, ''101''::text, ''hamming'')');
SELECT test.try(format('SELECT %s FROM unnest(''{10,101,011}''::text[]) AS code', call))
FROM unnest(ARRAY['medoid(code, ''{"metric": "hamming"}'')', 'kmedoids(code, 2, ''{"metric": "hamming"}'')', 'silhouette(code, code, ''{"metric": "hamming"}'')']) AS call;
SELECT test.try('SELECT distance(m, ''0111010''::text) FROM (SELECT medoid(code, ''{"metric": "hamming"}'') AS m FROM codes) AS f');
SELECT test.try('SELECT distance(m, 7) FROM (SELECT medoid(bits, ''{"metric": "hamming"}'') AS m FROM codes) AS f');
SELECT test.try('SELECT medoid(bits, ''{"metric": "edit"}'') FROM codes');
SELECT test.try('SELECT medoid(code, ''{"metric": "hamming", "nulls": "impute"}'') FROM codes');
