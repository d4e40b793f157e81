-- Features of a type with a cast to an array of numbers: what the cast's function may do to the reader.
SET search_path = public;
CREATE TYPE span AS RANGE (subtype = float8);
CREATE FUNCTION span_numbers(span) RETURNS float8[] LANGUAGE sql AS
$$ SELECT CASE WHEN isempty($1) THEN NULL ELSE ARRAY[lower($1), upper($1), 1 / (upper($1) - 5)] END $$;
CREATE CAST (span AS float8[]) WITH FUNCTION span_numbers(span);
CREATE TABLE spans AS
SELECT i, i * 0.5 + i % 3 AS y, span(i, i * i / 10.0 + i + 0.25) AS s, CASE WHEN i IN (1, 4) THEN 'empty' ELSE span(i, i * i / 10.0 + i + 0.25) END AS gaps
FROM generate_series(1, 30) i;
CREATE TABLE span_models AS
SELECT pgfit.linear_regression(y, s) AS alone, pgfit.linear_regression(y, row(s)) AS inside FROM spans;

-- a cast that fails halfway, caught, then called again in the same transaction
DO $$
DECLARE good float8; again float8;
BEGIN
    SELECT pgfit.predict(inside, row(span(1, 7))) INTO good FROM span_models;
    FOR k IN 1..3 LOOP
        BEGIN
            SELECT pgfit.predict(inside, row(span(1, 5))) INTO again FROM span_models;
        EXCEPTION WHEN division_by_zero THEN
            RAISE INFO 'caught: %', sqlerrm;
        END;
        SELECT pgfit.predict(inside, row(span(1, 7))) INTO again FROM span_models;
        RAISE INFO 'the same: %', again = good;
    END LOOP;
END $$;

-- a cast that returns NULL: as if the features, or the column, were NULL
SELECT pgfit.predict(alone, 'empty'::span) IS NULL AS alone, pgfit.predict(inside, row('empty'::span)) IS NULL AS inside FROM span_models;
SELECT pgfit.info(pgfit.linear_regression(y, gaps ORDER BY i)) -> 'skipped' AS alone,
       pgfit.info(pgfit.linear_regression(y, row(gaps, y * 0 + i % 7) ORDER BY i DESC)) -> 'skipped' AS inside,
       pgfit.info(pgfit.geometric_median(gaps ORDER BY i)) -> 'skipped' AS of_rows
FROM spans;
SELECT count(*), count(m) FROM (SELECT pgfit.linear_regression(y, 'empty'::span) OVER (ORDER BY i ROWS 2 PRECEDING) AS m FROM spans) f;
SELECT test.try('SELECT pgfit.linear_regression(y, gaps, ''{"nulls": "error"}'' ORDER BY i) FROM spans');

-- a function replaced: the next query calls the new one; its array is one that grows in memory of its own
CREATE OR REPLACE FUNCTION span_numbers(span) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE numbers float8[] := '{}';
BEGIN
    FOR k IN 1..40 LOOP numbers[k] := sin(lower($1) * k); END LOOP;
    RETURN numbers;
END $$;
SELECT count(pgfit.predict(m, s)) AS scored
FROM spans, (SELECT pgfit.ridge_regression(y, s, 1.0) AS m FROM spans) f;

-- a cast that calls pgfit, and so itself
CREATE TABLE span_line AS SELECT pgfit.linear_regression(y, row(x)) AS m FROM (VALUES (1.0, 1.0), (3, 2), (5, 3), (8, 4)) v (y, x);
CREATE OR REPLACE FUNCTION span_numbers(span) RETURNS float8[] LANGUAGE sql AS $$
    SELECT CASE WHEN lower($1) >= 3 THEN ARRAY[1.0::float8]
                ELSE ARRAY[1 + (SELECT max(pgfit.predict(m, row(span(lower($1) + 1, 100)))) FROM span_line)] END $$;
SELECT round(pgfit.predict(m, row(span(k, 100)))::numeric, 6) AS deep FROM span_line, generate_series(0, 3) k;

DROP TABLE spans, span_models, span_line;
DROP TYPE span CASCADE;
