-- Moments of categories alone: until the first rows are flushed there is no column.
SET search_path = public, test, pgfit;
CREATE TABLE public.words AS SELECT i, chr(97 + i % 3) AS a, chr(65 + i * i % 5) AS b, i % 4 AS label FROM generate_series(1, 200) i;
CREATE TABLE public.word_moments AS
SELECT feature_moments(row(a)) AS one, feature_moments((a, b)) AS two, class_moments(label, (a, b)) AS classes,
       feature_moments(row(a)) FILTER (WHERE i <= 4) AS few, class_moments(label, row(a)) FILTER (WHERE i <= 4) AS few_classes FROM public.words;
SELECT info(one) -> 'rows' AS one, info(two) -> 'rows' AS two, info(classes) -> 'rows' AS classes, info(few) -> 'rows' AS few FROM public.word_moments;
-- the share of each level, in the order in which the levels came
SELECT near_all(parameter(one, 'means'), ARRAY[67 / 200.0, 67 / 200.0, 66 / 200.0]::float8[]) AS shares FROM public.word_moments;
SELECT near((parameter(one, 'scatter'))[1][1], (67 * (1 - 67 / 200.0))::float8, 1e-11) AS scatter FROM public.word_moments;
-- text, jsonb and back
SELECT one = one::text::model AND two = two::jsonb::model AND classes = classes::text::model AND few = few::text::model
       AND few_classes = few_classes::text::model AS same FROM public.word_moments;
-- merged from parts: few rows, many, many and few, and none of the levels in common
SELECT near_all(estimates, whole) AS parts FROM (
    SELECT (SELECT array_agg(s ORDER BY s) FROM unnest(parameter(merge(part), 'means')) s) AS estimates FROM (
        SELECT feature_moments(row(a)) AS part FROM public.words GROUP BY i / 4 % 9) p) q,
    (SELECT array_agg(s ORDER BY s) AS whole FROM public.word_moments, unnest(parameter(one, 'means')) s) w;
SELECT info(merge(merge(few_classes, few_classes), few_classes)) -> 'rows' AS rows, info(merge(few, one)) -> 'rows' AS mixed, info(merge(one, few)) -> 'rows' AS turned
FROM public.word_moments;
SELECT info(merge(part)) -> 'rows' AS rows, cardinality(levels) AS classes
FROM (SELECT class_moments(label, row(a)) AS part FROM public.words GROUP BY label) p, LATERAL (SELECT array_agg(c) AS levels FROM generate_series(1, 4) c) l GROUP BY levels;
-- one after the other in a window
SELECT count(*) AS frames, count(m) AS full FROM (SELECT feature_moments((a, b)) OVER (ORDER BY i ROWS 20 PRECEDING) AS m FROM public.words) f;
-- sums where there are no columns
SELECT try(format('SELECT %L::pgfit.model', regexp_replace(few::text, '("means":\{"f64":\[)0', '\11'))) FROM public.word_moments;
DROP TABLE public.words, public.word_moments;
