-- fits to rows, for which finished plans pass columns instead of rows: the same models, errors and NULLs as of rows that are made
SET search_path = public, test, pgfit, pgfit_textbook;
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error; -- features without names, terms that depend on others
CREATE TYPE shade AS ENUM ('low', 'mid', 'high');
CREATE TABLE passed (id int, gone text, y float8, a float8, b float4, k int2, n numeric, big int8, cut text, pad char(4), g shade, day date, at timestamptz, took interval, v float8[],
    long text, u uuid, sold bool, w float8, grp int, big_numbers numeric);
INSERT INTO passed
SELECT i, 'gone', i * 0.5 + i % 7, nullif((i * 37) % 101, 5), (i % 13) / 3.0, i % 11, (i % 17) / 7.0, i * 10000000000, 'c' || i % 3, 'p' || i % 4, (ARRAY['low', 'mid', 'high'])[1 + i % 3]::shade,
       date '2024-01-01' + i % 9, timestamptz '2024-01-01 00:00+0' + i % 8 * interval '1 hour', i % 6 * interval '1 day', ARRAY[i % 4, i % 6],
       CASE WHEN i % 2 = 0 THEN repeat('a', 9000) || i % 4 ELSE 'short' END, ('00000000-0000-0000-0000-00000000000' || i % 5)::uuid, i % 2 = 0, 1 + i % 2, i % 5, 10::numeric ^ (i % 40)
FROM generate_series(1, 300) AS i;
ALTER TABLE passed ALTER COLUMN long SET STORAGE EXTERNAL, DROP COLUMN gone, ADD COLUMN late int DEFAULT 3;
UPDATE passed SET late = id % 13, long = long || '' WHERE id % 2 = 0;
CREATE TYPE passed_pair AS (a float8, k int2);
CREATE VIEW passed_view AS SELECT a, k, cut FROM passed;
CREATE FUNCTION passed_as(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        IF line ~ '(regression|kmeans|validate|_step)\(' THEN
            RETURN coalesce(substring(line FROM '(?:ROW|row_columns)\([^)]*\)'), 'whole row');
        END IF;
    END LOOP;
END
$$;
SELECT linear_regression(y, a) IS NULL AS library_loaded FROM passed WHERE false;
SET pgfit.plan_rows = on;
SELECT query, passed_as(query) FROM (VALUES
    (1, 'SELECT linear_regression(y, (a, k)) FROM passed'),
    (2, 'SELECT linear_regression(y, f) FROM passed, LATERAL (SELECT a, k + 1 AS k) AS f'),
    (3, 'SELECT linear_regression(y, (a, k)::passed_pair) FROM passed'),
    (4, 'SELECT linear_regression(y, p) FROM (SELECT y, q AS p FROM passed, LATERAL (SELECT a, k) AS q) AS t'),
    (5, 'SELECT kmeans(d, 2, ''{"nulls": "skip"}'') FROM (SELECT a, k FROM passed) AS d'),
    (6, 'SELECT kmeans(d, 2) FROM passed_view AS d'),
    (7, 'SELECT (cross_validate(y, (a, k), ''linear_regression'')) FROM passed'),
    (8, 'SELECT linear_regression(y, (a, k)) FROM passed GROUP BY grp HAVING linear_regression(y, (a, k, 1)) IS NOT NULL'),
    (9, 'SELECT linear_regression(y, (a, k)) FROM passed GROUP BY ROLLUP (grp, cut)'),
    (10, 'SELECT kmeans_step((a, k), m) FROM passed, (SELECT kmeans((a, k), 2) AS m FROM passed) AS q'),
    -- rows that outlive a call, or that a call has no room for
    (11, 'SELECT linear_regression(y, (a, k) ORDER BY id) FROM passed'),
    (12, 'SELECT linear_regression(DISTINCT y, (a, k)) FROM passed'),
    (13, 'SELECT linear_regression(y, (a, k)) OVER () FROM passed')) AS q(i, query) ORDER BY i;
SELECT passed_as(format('SELECT linear_regression(y, (%s)) FROM passed', string_agg('a', ','))) LIKE 'row_columns%' AS columns FROM generate_series(1, 65) AS i
UNION ALL SELECT passed_as(format('SELECT linear_regression(y, (%s)) FROM passed', string_agg('a', ','))) LIKE 'row_columns%' FROM generate_series(1, 64) AS i;
RESET pgfit.plan_rows;

-- the models are the same, byte for byte, as those of rows that a plan makes: @ marks the row
CREATE FUNCTION same_rows(query text) RETURNS TABLE (models bigint, same boolean) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT count(x.m), bool_and(x.m IS NOT DISTINCT FROM z.m) FROM (SELECT row_number() OVER (), m::text FROM (%s) AS q(m)) AS x '
                                'FULL JOIN (SELECT row_number() OVER (), m::text FROM (%s) AS q(m)) AS z USING (row_number)',
                                regexp_replace(query, '@(\w+)', '\1', 'g'), regexp_replace(query, '@(\w+)', '(ARRAY[\1])[1]', 'g'));
END
$$;
CREATE TABLE passed_queries (i int, query text);
INSERT INTO passed_queries VALUES
    (1, $$SELECT linear_regression(y, @f) FROM passed, LATERAL (SELECT a, k, b) AS f$$),
    (2, $$SELECT linear_regression(y, @f) FROM passed, LATERAL (SELECT cut, a, k, b, n, big, pad, g, day, at, took, v, u, sold, late) AS f$$),
    (3, $$SELECT linear_regression(y, @f, '{"nulls": "impute"}', w) FROM passed, LATERAL (SELECT a, cut, nullif(k, 3) AS k, nullif(cut, 'c1') AS holes) AS f$$),
    (4, $$SELECT tree_regression(y, @f) FROM passed, LATERAL (SELECT nullif(a, 7), nullif(cut, 'c2'), n) AS f$$),
    (5, $$SELECT linear_regression(y, @f) FROM passed, LATERAL (SELECT long, n) AS f WHERE id < 30$$),
    (6, $$SELECT linear_regression(y, @f) FROM passed, LATERAL (SELECT a, big_numbers) AS f$$),
    (7, $$SELECT linear_regression(y, @f, 'log(a + 1) * cut + poly(n, 2) + factor(k) + v') FROM passed, LATERAL (SELECT a, cut, n, k, v) AS f$$),
    (8, $$SELECT kmedoids(@f, 3, '{"id_column": "id"}') FROM passed, LATERAL (SELECT id, a, k) AS f$$),
    (9, $$SELECT lasso_regression(y, @f, '{"lambda": "cv", "fold_column": "grp"}') FROM passed, LATERAL (SELECT grp, a, k) AS f$$),
    (10, $$SELECT linear_regression(y, @f) FROM passed, LATERAL (SELECT a, k) AS f GROUP BY grp ORDER BY grp$$),
    (11, $$SELECT linear_regression(y, @f) FILTER (WHERE n > 1) FROM passed, LATERAL (SELECT a, k, cut) AS f GROUP BY ROLLUP (grp, sold) ORDER BY grp, sold$$),
    (12, $$SELECT logistic_regression(y > 75, @f, '{"lambda": 1}') FROM passed, LATERAL (SELECT a, cut) AS f$$),
    (13, $$SELECT linear_regression(y, @f, '{"reference": {"cut": "c1"}, "features": ["cut", "a"]}') FROM passed, LATERAL (SELECT a, k, cut) AS f$$),
    (14, $$SELECT tree_regression(k, @d) FROM passed_view AS d$$),
    (15, $$SELECT linear_regression(y, @f) FROM passed, LATERAL (SELECT (a, k)::passed_pair AS f OFFSET 0) AS e$$),
    (16, $$SELECT linear_regression(y, @f, '{"on_failure": "null"}') FROM passed, LATERAL (SELECT a, k) AS f GROUP BY id / 4 ORDER BY id / 4$$),
    (17, $$SELECT linear_regression(p.y, @f, 'a + k', p.w) FROM passed AS p, LATERAL (SELECT p.y, p.a, p.k, p.w) AS f$$),
    (18, $$SELECT knn_classifier(g, @f) FROM passed, LATERAL (SELECT a, k, cut) AS f$$),
    (19, $$SELECT kmeans_step(@f, m) FROM passed, (SELECT kmeans((a, k), 2) AS m FROM passed) AS q, LATERAL (SELECT a, k) AS f$$),
    (20, $$SELECT unnest(cross_validate(y, @f, 'linear_regression', '{"group_column": "grp"}'))::text FROM passed, LATERAL (SELECT a, k, grp) AS f$$),
    (21, $$SELECT unnest(cross_validate(y, @f, 'linear_regression', '{"time_column": "day"}'))::text FROM passed, LATERAL (SELECT a, k, day) AS f$$),
    (22, $$SELECT (SELECT linear_regression(p.y, @f) FROM passed AS p, LATERAL (SELECT p.a, p.k + g.i AS k) AS f WHERE p.grp = g.i) FROM generate_series(0, 4) AS g(i)$$),
    (23, $$SELECT ridge_regression(1, @f, 1) FROM (SELECT 1 AS a, 2 AS b) AS d, LATERAL (SELECT 1 AS x, d.b) AS f$$),
    (24, $$SELECT linear_regression(y, @f) FROM passed, LATERAL (SELECT v, ARRAY[a, k] AS more) AS f$$),
    (25, $$SELECT standard_scaler(@f) FROM passed, LATERAL (SELECT a, k) AS f$$),
    (26, $$SELECT linear_regression(y, @f) FROM passed, LATERAL (SELECT a, (SELECT max(n) FROM passed) - k AS k) AS f$$),
    (27, $$SELECT hierarchical(id, @f) FROM passed, LATERAL (SELECT a, k) AS f WHERE id < 40$$);
SELECT q.i, t.* FROM passed_queries AS q, LATERAL same_rows(query) AS t ORDER BY i;
-- names by position, and a notice of them, as before
SELECT term FROM (SELECT linear_regression(y, (a, k)) FROM passed) AS q(m), coefficients(m);
SELECT linear_regression(y, f) = linear_regression(y, (ARRAY[f])[1]) AS both_in_one_query FROM passed, LATERAL (SELECT a, k) AS f;
-- compiled expressions
SET jit = on;
SET jit_above_cost = 0;
SET jit_inline_above_cost = 0;
SET jit_optimize_above_cost = 0;
SELECT bool_and(t.same) AS same FROM passed_queries AS q, LATERAL same_rows(query) AS t WHERE i IN (1, 7, 10);
SET jit = off;
-- groups in a hash table that spills, groups one after the other, workers, partitions
SET work_mem = '64kB';
SET enable_sort = off;
SELECT t.* FROM same_rows($$SELECT linear_regression(i % 1000, @f) FROM generate_series(1, 6000) AS g(i), LATERAL (SELECT i % 7 AS a, i % 11 AS b) AS f GROUP BY i % 500 ORDER BY i % 500$$) AS t;
SET enable_hashagg = off;
RESET enable_sort;
SELECT t.* FROM same_rows($$SELECT linear_regression(i % 1000, @f) FROM generate_series(1, 6000) AS g(i), LATERAL (SELECT i % 7 AS a, i % 11 AS b) AS f GROUP BY i % 500 ORDER BY i % 500$$) AS t;
RESET enable_hashagg;
RESET work_mem;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT t.* FROM same_rows($$SELECT round(estimate::numeric, 9) FROM (SELECT linear_regression(y, @f) FROM passed, LATERAL (SELECT a, cut, k) AS f) AS q(m), coefficients(m)$$) AS t;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE passed_parts (y float8, a float8, k int) PARTITION BY HASH (k);
CREATE TABLE passed_part_0 PARTITION OF passed_parts FOR VALUES WITH (modulus 2, remainder 0);
CREATE TABLE passed_part_1 (k int, a float8, y float8);
ALTER TABLE passed_parts ATTACH PARTITION passed_part_1 FOR VALUES WITH (modulus 2, remainder 1);
INSERT INTO passed_parts SELECT y, a, k FROM passed;
SET enable_partitionwise_aggregate = on;
SELECT t.* FROM same_rows($$SELECT linear_regression(y, @f) FROM passed_parts AS p, LATERAL (SELECT p.k, p.a) AS f GROUP BY p.k ORDER BY p.k$$) AS t;
SELECT t.* FROM same_rows($$SELECT round(estimate::numeric, 9) FROM (SELECT linear_regression(y, @f) FROM passed_parts, LATERAL (SELECT k, a) AS f) AS q(m), coefficients(m)$$) AS t;
RESET enable_partitionwise_aggregate;
-- prepared statements before and after the table and the extension's functions change; functions; cursors
SET plan_cache_mode = force_generic_plan;
PREPARE passing (int) AS SELECT pgfit.terms(linear_regression(d.y, (d.a, d.k + $1))), info(linear_regression(d.y, f, 'a + late')) -> 'rows' AS rows FROM passed AS d, LATERAL (SELECT d.*) AS f WHERE d.id < $1;
EXECUTE passing (50);
ALTER TABLE passed ALTER COLUMN late TYPE numeric, DROP COLUMN big_numbers;
EXECUTE passing (60);
-- a prepared fit to rows of a type that gets and loses attributes
CREATE TYPE passed_grows AS (a float8, k int2);
PREPARE growing AS SELECT pgfit.terms(linear_regression(y, (a, k)::passed_grows)) FROM passed;
EXECUTE growing;
ALTER TYPE passed_grows ADD ATTRIBUTE more int;
EXECUTE growing;
ALTER TYPE passed_grows DROP ATTRIBUTE more, DROP ATTRIBUTE k;
EXECUTE growing;
ALTER TYPE passed_grows ALTER ATTRIBUTE a TYPE numeric;
SELECT try('EXECUTE growing');
DEALLOCATE growing;
RESET plan_cache_mode;
DEALLOCATE passing;
CREATE FUNCTION fitted(below int) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    m model;
BEGIN
    SELECT linear_regression(y, (a, k)) INTO m FROM passed WHERE id < below;
    RETURN pgfit.terms(m);
END
$$;
SELECT i, fitted(i * 20) FROM generate_series(1, 7) AS i;
-- errors are those of rows that are made
SELECT try($$SELECT linear_regression(y, f, 'a + nothing') FROM passed, LATERAL (SELECT a, k) AS f$$);
SELECT try($$SELECT linear_regression(y, (a, 'NaN'::float8)) FROM passed$$);
SELECT try($$SELECT linear_regression(y, ('Infinity'::float8, a)) FROM passed$$);
SELECT try($$SELECT linear_regression(y, (k, 'NaN'::numeric)) FROM passed$$);
SELECT try($$SELECT linear_regression(y, (a, 10::numeric ^ 400)) FROM passed$$);
SELECT try($$SELECT linear_regression(y, f, '{"nulls": "error"}') FROM passed, LATERAL (SELECT k, a) AS f$$);
SELECT try($$SELECT linear_regression(y, (a, point(1, 2))) FROM passed$$);
SELECT try($$SELECT linear_regression(y, (a, (k, k))) FROM passed$$);
SELECT try($$SELECT linear_regression(y, ROW()) FROM passed$$);
SELECT try($$SELECT linear_regression(y, (1, v[1:id % 2 + 1])) FROM passed$$);
SELECT try($$SELECT linear_regression(y, f, '{"max_levels": 2}') FROM passed, LATERAL (SELECT a, cut) AS f$$);
DO $$
BEGIN
    CREATE COLLATION same_letters (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN OTHERS THEN -- built without ICU
    CREATE COLLATION same_letters FROM "C";
END
$$;
SELECT try($$SELECT linear_regression(y, (cut COLLATE same_letters, a)) FROM passed$$) ~ 'collation "same_letters" is not deterministic' OR collprovider <> 'i' AS refused
FROM pg_collation WHERE collname = 'same_letters';
DROP COLLATION same_letters;
-- nobody but a plan calls the function
SELECT try($$SELECT pgfit_internal.row_columns(ARRAY['a'], 1)$$);
SELECT try($$SELECT pgfit_internal.row_columns(NULL::text[], 1)$$);
SELECT try($$SELECT pgfit_internal.row_columns('passed_pair'::regtype, 1, 2)$$);
SELECT try($$SELECT * FROM pgfit_internal.row_columns(ARRAY['a'], 1) AS t(a int)$$);
SELECT try($$SELECT linear_regression(y, pgfit_internal.row_columns(ARRAY['a'], a)) FROM passed$$);
SELECT try($$SELECT linear_regression(y, pgfit_internal.row_columns(ARRAY['a'], VARIADIC ARRAY[a])) FROM passed$$);
CREATE FUNCTION test.row_columns(VARIADIC "any") RETURNS record AS '$libdir/pgfit', 'pgfit_row_columns' LANGUAGE C;
SELECT try($$SELECT linear_regression(y, test.row_columns(ARRAY['a'], a)) FROM passed$$);
DROP FUNCTION test.row_columns("any");
-- without the right to call it, and with the rights of rows alone
CREATE ROLE passed_user;
GRANT SELECT (y, a) ON passed TO passed_user;
SET ROLE passed_user;
SELECT try($$SELECT pgfit.terms(pgfit.linear_regression(y, (a, 1))) FROM passed$$);
SELECT try($$SELECT pgfit.terms(pgfit.linear_regression(y, (a, k))) FROM passed$$);
RESET ROLE;
BEGIN;
REVOKE EXECUTE ON FUNCTION pgfit_internal.row_columns(text[], "any") FROM PUBLIC;
-- by the plan of a role that may call all functions
PREPARE of_owner AS SELECT pgfit.terms(pgfit.linear_regression(y, (a, 1))) FROM passed;
EXECUTE of_owner;
SET ROLE passed_user;
EXECUTE of_owner;
SELECT try($$SELECT pgfit.terms(pgfit.linear_regression(y, (a, 1))) FROM passed$$);
ROLLBACK;
DROP OWNED BY passed_user;
DROP ROLE passed_user;
DROP TABLE passed, passed_parts CASCADE;
DEALLOCATE of_owner;
DROP TYPE passed_pair, passed_grows, shade;
DROP TABLE passed_queries;
DROP FUNCTION passed_as(text), same_rows(text), fitted(int);
