-- Groups in a hash table keep their moments in memory of their own: the same results as sorted groups have.
SET search_path = public, test, pgfit;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE crowd AS
SELECT i, (i * 7919::bigint % 100003)::int % 1000 AS g, ARRAY[sin(i), cos(i * 1.5), sin(i * 2.25) * 10] AS x,
       2 * sin(i) - 3 * cos(i * 1.5) + sin(i * 2.25) + cos(i * 3) + 1000 AS y, 1 + i % 3 AS w
FROM generate_series(1, 40000) AS i;
-- in the order of the groups, so that both plans see a group's rows in the same order
CREATE TABLE ordered AS SELECT * FROM crowd ORDER BY g, i;
ANALYZE crowd;
ANALYZE ordered;
CREATE FUNCTION test.plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Strategy';
END
$$;
-- the models of all groups, hashed and sorted: are the values the same, byte for byte?
CREATE FUNCTION test.hashed_is_sorted(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text := 'SELECT g, ' || call || ' AS m FROM ordered GROUP BY g';
    hashed text;
    sorted text;
    same bigint;
BEGIN
    SET LOCAL enable_sort = off;
    hashed := test.plan_of(query);
    EXECUTE 'CREATE TEMP TABLE of_hash AS ' || query;
    SET LOCAL enable_hashagg = off;
    SET LOCAL enable_sort = on;
    sorted := test.plan_of(query);
    EXECUTE 'CREATE TEMP TABLE of_sort AS ' || query;
    SET LOCAL enable_hashagg = on;
    SELECT count(*) INTO same FROM of_hash AS a JOIN of_sort AS b USING (g)
    WHERE a.m OPERATOR(pgfit.=) b.m OR (a.m IS NULL AND b.m IS NULL);
    DROP TABLE of_hash, of_sort;
    RETURN hashed || ' = ' || sorted || ' in ' || same;
END
$$;
SELECT call, hashed_is_sorted(call) FROM (VALUES
    ('linear_regression(y, x)'),
    ('moments(y, x)'),
    ('feature_moments(x)'),
    ('linear_regression(y, (x[1], x[2]))'),
    ('linear_regression(y, x, ''{"level": 0.9}'')'),
    ('ridge_regression(y, x, 0.5)'),
    ('linear_regression(y, x, NULL, w)'),
    ('moments(y, x, ''{"weight_kind": "frequency"}'', w)'),
    ('pca(x, 2)'),
    -- skipped rows, first and later
    ('moments(y, CASE WHEN i % 3 > 0 THEN x END)'),
    ('moments(CASE WHEN i % 2 > 0 THEN y END, x)'),
    ('moments(y, x) FILTER (WHERE g % 2 = 0)'),
    ('moments(y, ARRAY[x[1], CASE WHEN i % 3 > 0 THEN x[2] END])'),
    -- states that cannot be such groups
    ('moments(y, (x[1], i % 3 = 0, (i % 2)::text))'),
    ('moments(y, (x[1], nullif(w, 2)), ''{"nulls": "impute"}'')'),
    ('moments(y, x, ''{"folds": 3}'')'),
    ('moments(y, x, ''{"keep_rows": true}'')'),
    ('ridge_regression(y, x, ''{"lambda": "loo"}''::jsonb)'),
    ('class_moments(w, x)')) AS calls (call);
-- features, options and counts that differ between groups, not within
SELECT call, hashed_is_sorted(call) FROM (VALUES
    ('moments(y, x[1:1 + g % 3])'),
    ('linear_regression(y, x, jsonb_build_object(''level'', 0.5 + g % 4 / 10.0))'),
    ('moments(y, CASE WHEN g % 2 = 0 THEN jsonb_build_object(''a'', x[1]) ELSE jsonb_build_object(''b'', x[1]) END)')) AS calls (call);
-- more groups than the caches hold: more rows are buffered, and added in the order of their groups in memory
CREATE TABLE multitude AS
SELECT i, (i * 7919::bigint % 100003)::int % 15000 AS g, ARRAY[sin(i), cos(i * 1.5), sin(i * 2.25) * 10] AS x, cos(i * 3) AS y
FROM generate_series(1, 90000) AS i;
CREATE TABLE of_sort AS SELECT g, moments(y, x ORDER BY i) AS m FROM multitude GROUP BY g;
SET work_mem = '64MB';
SET enable_sort = off;
CREATE TABLE of_hash AS SELECT g, moments(y, x) AS m FROM (SELECT * FROM multitude ORDER BY i OFFSET 0) q GROUP BY g;
SELECT count(*), bool_and(a.m OPERATOR(pgfit.=) b.m) AS same, sum((info(a.m) -> 'rows')::int) AS rows
FROM of_hash AS a JOIN of_sort AS b USING (g);
RESET work_mem;
RESET enable_sort;
DROP TABLE multitude, of_sort, of_hash;
-- and within
SELECT test.try('SELECT count(m) FROM (SELECT moments(y, x[1:1 + i % 2]) AS m FROM ordered WHERE g < 20 GROUP BY g) q');
SELECT test.try('SELECT count(m) FROM (SELECT linear_regression(y, x, jsonb_build_object(''level'', 0.5 + i % 4 / 10.0)) AS m FROM ordered WHERE g < 20 GROUP BY g) q');
SELECT test.try('SELECT count(m) FROM (SELECT moments(y, ARRAY[x[1] * 1.5e308, x[2]]) AS m FROM ordered WHERE g < 20 GROUP BY g) q');
SELECT test.try('SELECT count(m) FROM (SELECT moments(y, ARRAY[x[1], CASE WHEN i = 30000 THEN ''NaN'' ELSE x[2] END]) AS m FROM ordered GROUP BY g) q');
-- in the order of the table rows of a group are far from each other
SELECT count(*), bool_and(same_fit(a.m, b.m, 1e-9)) AS same
FROM (SELECT g, linear_regression(y, x) AS m FROM crowd GROUP BY g) AS a
JOIN (SELECT g, linear_regression(y, x) AS m FROM ordered GROUP BY g) AS b USING (g);
-- a table that does not fit is spilled and read again, batch by batch
SET work_mem = '64kB';
SET enable_sort = off;
SELECT count(*), bool_and(same_fit(a.m, b.m, 1e-9)) AS same, plan_of('SELECT g, moments(y, x) FROM crowd GROUP BY g') AS plan
FROM (SELECT g, linear_regression(y, x) AS m FROM crowd GROUP BY g) AS a
JOIN (SELECT g, linear_regression(y, x ORDER BY i) AS m FROM ordered GROUP BY g) AS b USING (g);
RESET work_mem;
RESET enable_sort;
-- several aggregates, grouping sets, a rescan for each row of another table, a cursor that stops midway
SELECT bool_and((info(a) -> 'rows')::int = n AND (info(b) -> 'rows')::int = n AND (info(c) -> 'rows')::int = n) AS counts
FROM (SELECT g, moments(y, x) AS a, moments(y, x[1:2]) AS b, moments(y, x) AS c, count(*) AS n FROM crowd GROUP BY g) q;
SELECT plan_of('SELECT g % 10, g % 7, moments(y, x) FROM crowd GROUP BY GROUPING SETS ((1), (2), ())') AS plan;
SELECT a, b, (info(m) -> 'rows')::int = n AS rows, same_fit(fit('linear_regression', merge(m)), fit('linear_regression', merge(merge(m, NULL)))) AS fit
FROM (SELECT g % 3 AS a, g % 2 AS b, moments(y, x) AS m, count(*) AS n FROM crowd
      GROUP BY GROUPING SETS ((g % 3), (g % 2), ())) q
GROUP BY a, b, n, m ORDER BY a, b;
SELECT k, q.groups, q.rows FROM generate_series(1, 3) AS k,
    LATERAL (SELECT count(m) AS groups, sum((info(m) -> 'rows')::int) AS rows
             FROM (SELECT moments(y, x) AS m FROM crowd WHERE g % 3 < k GROUP BY g OFFSET 0) s) q;
BEGIN;
DECLARE few CURSOR FOR SELECT g, (info(moments(y, x)) -> 'rows')::int > 0 AS rows FROM crowd GROUP BY g;
MOVE 10 IN few;
ROLLBACK;
-- an aggregate of one's own over the step: its states are values wherever they go
CREATE AGGREGATE test.raw_state(float8, float8[]) (SFUNC = pgfit_internal.moments_step, STYPE = pgfit.model);
CREATE TABLE raws AS SELECT g, test.raw_state(y, x) AS raw, moments(y, x) AS finished FROM ordered GROUP BY g;
SELECT bool_and(raw::text::model OPERATOR(pgfit.=) raw) AS text, bool_and(same_fit(a, b, 1e-9)) AS fits
FROM (SELECT raw, (SELECT fit('linear_regression', merge(q)) FROM (SELECT raw AS q) s) AS a,
             (SELECT fit('linear_regression', merge(q)) FROM (SELECT finished AS q) s) AS b FROM raws) r;
SELECT count(*) AS groups, sum((info(raw) -> 'rows')::int) AS rows, count(*) FILTER (WHERE pg_column_size(raw) > 1064) AS large FROM raws;
SELECT same_fit(fit('linear_regression', merge(raw)), (SELECT linear_regression(y, x) FROM ordered), 1e-9) AS merged FROM raws;
DROP TABLE raws;
-- parallel workers hand their groups over as values
SELECT set_config(name, value, false) FROM (VALUES ('max_parallel_workers_per_gather', '2'), ('parallel_setup_cost', '0'),
    ('parallel_tuple_cost', '0'), ('min_parallel_table_scan_size', '0'), ('parallel_leader_participation', 'off')) AS s (name, value);
CREATE TABLE parts AS SELECT g, linear_regression(y, x) AS m FROM crowd GROUP BY g;
SELECT count(*), bool_and(same_fit(a.m, b.m, 1e-9)) AS same
FROM parts AS a JOIN (SELECT g, linear_regression(y, x ORDER BY i) AS m FROM ordered GROUP BY g) AS b USING (g);
CREATE FUNCTION test.mentions(query text, what text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan::text LIKE '%' || what || '%';
END
$$;
SELECT mentions('SELECT g, linear_regression(y, x) FROM crowd GROUP BY g', '"Partial Mode": "Partial"') AS partial;
DROP TABLE crowd, ordered, parts;
