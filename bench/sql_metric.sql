-- Tables of bench/sql_metric.py.
CREATE TABLE sql_metric_words AS SELECT i AS id, substr(md5(i::text), 1, 5 + i % 12) AS word FROM generate_series(1, 1000) AS i;
CREATE FUNCTION sql_metric_lengths(a text, b text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN abs(length(a) - length(b)); END';
CREATE TABLE sql_metric_models AS
SELECT metric, pgfit.neighbors(id, word, jsonb_build_object('metric', metric)) AS m
FROM sql_metric_words, unnest('{edit,"pgfit.edit_distance(text,text)","public.sql_metric_lengths(text,text)"}'::text[]) AS metric GROUP BY metric;
