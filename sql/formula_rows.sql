-- fits to whole rows with a formula: the planner passes only the columns that it names, and the models are the same
SET search_path = public, test, pgfit;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE wide (id int, gone text, y float8, a float8, cut text, n numeric, "Two Words" float8, day date, v float8[], w float8, grp int, holes float8);
INSERT INTO wide
SELECT i, 'gone', i * 0.5 + i % 7 + (i % 3 = 1)::int, (i * 37) % 101, 'c' || i % 3, i % 11, (i * 13) % 17, date '2024-01-01' + i % 9, ARRAY[i % 4, i % 6], 1 + i % 2, i % 5,
       nullif(i % 8, 0)
FROM generate_series(1, 200) AS i;
ALTER TABLE wide DROP COLUMN gone, ADD COLUMN late int DEFAULT 3;
UPDATE wide SET late = id % 13 WHERE id % 2 = 0;
CREATE VIEW wide_view AS SELECT id AS key, y, a AS first, cut FROM wide;
CREATE VIEW wide_barrier WITH (security_barrier) AS SELECT * FROM wide WHERE grp <> 4;
CREATE TABLE wide_child (extra float8) INHERITS (wide);
INSERT INTO wide_child SELECT w.*, 1 FROM ONLY wide AS w WHERE id < 50;

-- what a plan computes of the row: nothing but the columns
CREATE FUNCTION planned_row(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        IF line ~ 'linear_regression|kmeans|cross_validate' THEN
            RETURN coalesce(substring(line FROM '(?:ROW|row_columns)\([^)]*\)'), 'whole row');
        END IF;
    END LOOP;
END
$$;
SET pgfit.plan_rows = off;
SELECT planned_row($$SELECT linear_regression(y, d, 'a + n') FROM wide AS d$$) AS as_written;
SET pgfit.plan_rows = on;
SELECT query, planned_row(query) FROM (VALUES
    (1, $$SELECT linear_regression(y, d, 'a + n') FROM wide AS d$$),
    (2, $$SELECT linear_regression(y, d, 'log(A + 1) * CUT + poly(n, 2) + "Two Words"') FROM wide AS d$$),
    (3, $$SELECT linear_regression(y, d, '{"features": ["n", "a"], "nulls": "impute"}') FROM wide AS d$$),
    (4, $$SELECT linear_regression(y, d, '{"formula": "a + cut", "reference": {"cut": "c1"}}'::jsonb, w) FROM wide AS d$$),
    (5, $$SELECT kmeans(d, 3, '{"features": ["a", "n"], "id_column": "id"}') FROM wide AS d$$),
    (6, $$SELECT (cross_validate(y, d, 'linear_regression', '{"options": {"formula": "a"}, "group_column": "grp"}')) FROM wide AS d$$),
    (7, $$SELECT linear_regression(y, d, 'a + n') OVER (ORDER BY id ROWS 20 PRECEDING) FROM wide AS d$$),
    (8, $$SELECT linear_regression(y, d, 'first') FROM wide_view AS d$$),
    (9, $$SELECT linear_regression(y, d, 'a') FROM wide_barrier AS d$$),
    (10, $$SELECT linear_regression(y, d, 'a + s') FROM (SELECT y, a, n + 1 AS s, cut FROM wide LIMIT 100) AS d$$),
    (11, $$WITH d AS MATERIALIZED (SELECT * FROM wide) SELECT linear_regression(y, d, 'a') FROM d$$),
    (12, $$SELECT linear_regression(y, d, 'a') FROM (VALUES (1, 2.0, 'x'), (2, 3.0, 'y')) AS d(y, a, c)$$),
    (13, $$SELECT linear_regression(d.y, d, 'a') FROM wide AS d LEFT JOIN wide AS e USING (id)$$)) AS q(i, query) ORDER BY i;
-- the row stays where something else might come out, or an error would say less
SELECT query, planned_row(query) FROM (VALUES
    (1, $$SELECT linear_regression(y, d) FROM wide AS d$$),
    (2, $$SELECT linear_regression(y, d, 'a + .') FROM wide AS d$$),
    (3, $$SELECT linear_regression(y, d, 'a + nothing') FROM wide AS d$$),
    (4, $$SELECT linear_regression(y, d, 'a + ') FROM wide AS d$$),
    (5, $$SELECT linear_regression(y, d, '{"formula": "a", "features": ["a"]}') FROM wide AS d$$),
    (6, $$SELECT linear_regression(y, d, '{"nulls": "impute"}') FROM wide AS d$$),
    (8, $$SELECT kmeans(d, 3, '{"features": ["a", "n"], "id_column": "ids"}') FROM wide AS d$$),
    (9, $$SELECT linear_regression(e.y, d, 'a') FROM wide AS e LEFT JOIN wide AS d USING (id)$$),
    (10, $$SELECT linear_regression(DISTINCT y, d, 'a') FROM wide AS d$$),
    (11, $$SELECT linear_regression(y, d, 'a' ORDER BY d) FROM wide AS d$$),
    (12, $$SELECT linear_regression(y, d, CASE WHEN random() > 2 THEN 'a' ELSE 'n' END) FROM wide AS d$$),
    (13, $$SELECT linear_regression(1, d, 'f2') FROM (SELECT 1.0 AS f1, 2.0 AS f2) AS d$$),
    (14, $$SELECT linear_regression(1, d, 'f1 + f2') FROM (SELECT 1.0 AS y, 1.0 AS f1, 2.0 AS f2) AS d$$),
    (15, $$SELECT linear_regression(1, d, 'a') FROM (SELECT 1.0 AS a, 1.0 + 1, 2.0 * 2) AS d$$),
    (16, $$SELECT linear_regression(y, d, 'a') FROM jsonb_to_recordset('[]') AS d(y float8, a float8, b float8)$$),
    (17, $$SELECT linear_regression(max(a), d, 'a') OVER () FROM wide AS d GROUP BY d$$)) AS q(i, query) ORDER BY i;
RESET pgfit.plan_rows;

-- the models are the same, byte for byte, as those of rows that the planner cannot look into
CREATE FUNCTION same_model(query text) RETURNS TABLE (models bigint, same boolean) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT count(x.m), bool_and(x.m IS NOT DISTINCT FROM z.m) FROM (SELECT row_number() OVER (), m::text FROM (%s) AS q(m)) AS x '
                                'FULL JOIN (SELECT row_number() OVER (), m::text FROM (%s) AS q(m)) AS z USING (row_number)',
                                query, replace(query, ', d,', ', (ARRAY[d])[1],'));
END
$$;
SELECT query, t.* FROM (VALUES
    (1, $$SELECT linear_regression(y, d, 'a + n') FROM wide AS d$$),
    (2, $$SELECT linear_regression(y, d, 'n + late + a') FROM ONLY wide AS d$$),
    (3, $$SELECT linear_regression(y, d, 'log(A + 1) * CUT + poly(n, 2) + `Two Words` + day + v') FROM wide AS d$$),
    (4, $$SELECT linear_regression(y, d, '{"features": ["n", "holes", "a"], "nulls": "impute"}') FROM wide AS d$$),
    (5, $$SELECT linear_regression(y, d, '{"formula": "a + cut", "reference": {"cut": "c1"}}'::jsonb, w) FROM wide AS d$$),
    (6, $$SELECT neighbors(id, d, '{"features": ["n", "a"]}') FROM wide AS d$$),
    (7, $$SELECT lasso_regression(y, d, '{"formula": "a + holes", "lambda": "cv", "fold_column": "grp"}') FROM wide AS d$$),
    (8, $$SELECT linear_regression(y, d, 'a + holes') FROM wide AS d GROUP BY grp ORDER BY grp$$),
    (9, $$SELECT linear_regression(y, d, 'a + holes' ORDER BY a, id) FILTER (WHERE n > 2) FROM wide AS d GROUP BY cut HAVING linear_regression(y, d, 'a + holes') IS NOT NULL ORDER BY cut$$),
    (10, $$SELECT linear_regression(y, d, 'a + n') OVER (PARTITION BY cut ORDER BY id ROWS 20 PRECEDING) FROM ONLY wide AS d$$),
    (11, $$SELECT linear_regression(y, d, 'first + cut') FROM wide_view AS d$$),
    (12, $$SELECT linear_regression(y, d, 'a + n') FROM wide_barrier AS d$$),
    (13, $$SELECT linear_regression(y, d, 'a + s') FROM (SELECT y, a, n + 1 AS s, cut FROM wide ORDER BY id LIMIT 100) AS d$$),
    (14, $$SELECT linear_regression(y, d, 'a') FROM (SELECT sum(y) AS y, a, max(n) FROM wide GROUP BY a ORDER BY a) AS d$$),
    (15, $$WITH d AS MATERIALIZED (SELECT * FROM wide) SELECT linear_regression(y, d, 'a') FROM d$$),
    (16, $$SELECT linear_regression(y, d, 'a + c') FROM (VALUES (1, 2.0, 'x'), (2, 3.5, 'y'), (4, 4.0, 'x')) AS d(y, a, c)$$),
    (17, $$SELECT linear_regression(d.y, d, 'a') FROM wide AS d LEFT JOIN wide AS e ON e.id = d.id + 100$$),
    (18, $$SELECT linear_regression(e.y, d, '{"formula": "a", "nulls": "impute"}') FROM wide AS e LEFT JOIN wide AS d ON d.id = e.id + 100$$),
    (19, $$SELECT linear_regression(d.y, d, 'a') FROM wide AS d FULL JOIN wide AS e ON e.id = d.id + 100$$),
    (20, $$SELECT linear_regression(t, d, 'first') FROM wide_view AS d(k, t, u, c)$$),
    (21, $$SELECT (SELECT linear_regression(e.y, d, 'a') FROM wide AS e WHERE e.grp = d.grp) FROM ONLY wide AS d WHERE id < 4 ORDER BY id$$),
    (22, $$SELECT logistic_regression(y > 50, d, '{"formula": "a + cut", "lambda": 1}') FROM wide AS d$$)) AS q(i, query), LATERAL same_model(query) AS t ORDER BY i;
SELECT bool_and(x = z) AS same FROM
    (SELECT array_agg(t::text) FROM (SELECT (s).* FROM (SELECT unnest(cross_validate(y, d, 'linear_regression', '{"options": {"formula": "a"}, "group_column": "grp"}')) AS s FROM wide AS d) AS q) AS t) AS l(x),
    (SELECT array_agg(t::text) FROM (SELECT (s).* FROM (SELECT unnest(cross_validate(y, (ARRAY[d])[1], 'linear_regression', '{"options": {"formula": "a"}, "group_column": "grp"}')) AS s FROM wide AS d) AS q) AS t) AS r(z);
-- alias names of columns: the row keeps the names of its type
SELECT try($$SELECT linear_regression(t, d, 'u') FROM wide_view AS d(k, t, u, c)$$);
SELECT term FROM (SELECT linear_regression(t, d, 'first') FROM wide_view AS d(k, t, u, c)) AS q(m), coefficients(m);
-- errors are those of the whole row
SELECT try($$SELECT linear_regression(y, d, 'a + nothing') FROM wide AS d$$);
SELECT try($$SELECT linear_regression(y, d, '{"features": ["a", "b"]}') FROM wide AS d$$);
SELECT try($$SELECT linear_regression(y, d, 'a + ') FROM wide AS d$$);
SELECT try($$SELECT linear_regression(y, d, '{"formula": "a"') FROM wide AS d$$);
SELECT linear_regression(y, d, 'a + ') IS NULL AS no_rows FROM wide AS d WHERE false;
SELECT try($$SELECT linear_regression(y, d, 'log(holes - 4)') FROM wide AS d$$);
-- workers
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT same FROM same_model($$SELECT round(rmse::numeric, 9)::text FROM (SELECT linear_regression(y, d, 'a + cut') FROM wide AS d) AS q(m), LATERAL (SELECT (info(m) ->> 'residual_std')::float8) AS i(rmse)$$);
RESET max_parallel_workers_per_gather;
SET max_parallel_workers_per_gather = 0;
-- partitions with other orders of columns; prepared statements, before and after the table changes
CREATE TABLE wide_parts (id int, y float8, a float8, b float8) PARTITION BY HASH (id);
CREATE TABLE wide_part_0 PARTITION OF wide_parts FOR VALUES WITH (modulus 2, remainder 0);
CREATE TABLE wide_part_1 (b float8, a float8, y float8, id int);
ALTER TABLE wide_parts ATTACH PARTITION wide_part_1 FOR VALUES WITH (modulus 2, remainder 1);
INSERT INTO wide_parts SELECT id, y, a, n FROM ONLY wide;
SELECT t.* FROM same_model($$SELECT linear_regression(y, d, 'b + a') FROM wide_parts AS d$$) AS t;
SET enable_partitionwise_aggregate = on;
SELECT t.* FROM same_model($$SELECT round(estimate::numeric, 9) FROM (SELECT linear_regression(y, d, 'b + a') FROM wide_parts AS d) AS q(m), coefficients(m)$$) AS t;
RESET enable_partitionwise_aggregate;
SET plan_cache_mode = force_generic_plan;
PREPARE fits (int) AS SELECT info(linear_regression(y, d, 'a + n')) -> 'rows' AS rows, pgfit.terms(linear_regression(y, d, 'a + n')) FROM ONLY wide AS d WHERE id < $1;
EXECUTE fits (50);
ALTER TABLE wide DROP COLUMN holes CASCADE, ALTER COLUMN late TYPE float8;
EXECUTE fits (60);
ALTER TABLE wide RENAME n TO m;
SELECT try('EXECUTE fits (60)');
ALTER TABLE wide RENAME m TO n;
EXECUTE fits (70);
PREPARE options_given (text) AS SELECT pgfit.terms(linear_regression(y, d, $1)) FROM ONLY wide AS d;
EXECUTE options_given ('a + n');
RESET plan_cache_mode;
EXECUTE options_given ('a + late');
DEALLOCATE ALL;
-- rights on all columns are needed as before; policies hold
CREATE ROLE wide_user;
GRANT SELECT (y, a, n) ON wide TO wide_user;
GRANT SELECT ON wide_parts TO wide_user;
ALTER TABLE wide_parts ENABLE ROW LEVEL SECURITY;
CREATE POLICY even ON wide_parts USING (id % 2 = 0);
SET ROLE wide_user;
SELECT try($$SELECT pgfit.linear_regression(y, d, 'a + n') FROM ONLY wide AS d$$);
SELECT pgfit.info(pgfit.linear_regression(y, d, 'a + b')) -> 'rows' AS even_rows FROM wide_parts AS d;
RESET ROLE;
DROP OWNED BY wide_user;
DROP ROLE wide_user;
DROP TABLE wide_parts;
DROP VIEW wide_view;
DROP TABLE wide, wide_child;
DROP FUNCTION planned_row(text), same_model(text);
