-- scores of whole rows, for which the planner passes columns instead of rows: the same scores, errors and NULLs
SET search_path = public, test, pgfit;
SET max_parallel_workers_per_gather = 0;
CREATE TYPE grade AS ENUM ('low', 'mid', 'high');
CREATE TABLE whole_rows (id int, gone text, x float8, cut text, n numeric, k int, g grade, v float8[], day date, long text, sold bool);
INSERT INTO whole_rows
SELECT i, 'gone', i * 0.5, 'c' || i % 3, i % 7, i % 5, (ARRAY['low', 'mid', 'high'])[1 + i % 3]::grade, ARRAY[i % 4, i % 6], date '2024-01-01' + i % 9,
       CASE WHEN i % 2 = 0 THEN repeat('a', 9000) || i % 4 ELSE 'short' END, i % 2 = 0
FROM generate_series(1, 60) AS i;
UPDATE whole_rows SET x = NULL WHERE id % 17 = 0;
ALTER TABLE whole_rows ALTER COLUMN long SET STORAGE EXTERNAL, DROP COLUMN gone, ADD COLUMN late int DEFAULT 3, ADD COLUMN later float8;
UPDATE whole_rows SET long = long || '', late = 1 WHERE id % 2 = 0;
CREATE TABLE whole_models AS
SELECT name, linear_regression(id * 2 + k, d, '{"formula": "x + cut + n + k + g + v + day + sold + late"}') AS m FROM whole_rows AS d, unnest('{columns}'::text[]) AS t(name) GROUP BY name
UNION ALL SELECT 'expressions', linear_regression(id, d, 'log(x + 1) + factor(k) + I(n * k) + cut') FROM whole_rows AS d
UNION ALL SELECT 'learned', linear_regression(id, d, 'cut * x + poly(n, 2)') FROM whole_rows AS d
UNION ALL SELECT 'toasted', linear_regression(id, d, 'long + k') FROM whole_rows AS d
UNION ALL SELECT 'imputed', linear_regression(id, d, '{"formula": "x + k + cut", "nulls": "impute"}') FROM whole_rows AS d
UNION ALL SELECT 'array', linear_regression(id, ARRAY[x, k]) FROM whole_rows AS d;
CREATE FUNCTION planned_by_columns(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        IF line ~ '_columns\(' THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END
$$;
CREATE TYPE whole_pair AS (x float8, k int);
CREATE VIEW whole_view AS SELECT * FROM whole_rows;
CREATE VIEW whole_scores AS SELECT id, predict(m, d) AS score FROM whole_models, whole_rows AS d WHERE name = 'columns';
SELECT query, planned_by_columns(query) FROM (VALUES
    (1, 'SELECT predict(m, d) FROM whole_models, whole_rows AS d'), (2, 'SELECT cluster(m, d), distance(m, d), classify(m, d), probability(m, d) FROM whole_models, whole_rows AS d'),
    (3, 'SELECT predict(m, d) FROM whole_models, whole_view AS d'), (4, 'SELECT predict(m, d) FROM whole_models LEFT JOIN whole_rows AS d ON true'),
    (5, 'SELECT predict(m, f) FROM whole_models, whole_rows AS d, LATERAL (SELECT d.x, d.cut OFFSET 0) AS f'), (6, 'SELECT score FROM whole_scores'),
    (7, 'SELECT probability(m, d, 1) FROM whole_models, whole_rows AS d'), (8, 'SELECT predict(m, (x, k)) FROM whole_models, whole_rows'),
    (9, 'SELECT predict(m, f) FROM whole_models, whole_rows AS d, LATERAL (SELECT d.x + 1 AS x, d.cut) AS f'), (10, 'SELECT predict(m, (x, k)::whole_pair) FROM whole_models, whole_rows'),
    (11, 'SELECT predict(m, f) FROM whole_models, whole_rows AS d, LATERAL (SELECT d.x, d.k) AS f GROUP BY m, f'),
    (12, 'SELECT predict(m, f) FROM whole_models LEFT JOIN (SELECT x, k FROM whole_rows) AS f ON true'),
    (13, 'SELECT predict(m, (1, 2)) FROM whole_models')) AS q(i, query) ORDER BY i;

-- the same bits as of rows that are made
SELECT name, count(predict(m, d)) AS scores, bool_and(predict(m, d) IS NOT DISTINCT FROM predict(m, f)) AS same
FROM whole_models, whole_rows AS d, LATERAL (SELECT d.* OFFSET 0) AS f WHERE name <> 'array' GROUP BY name ORDER BY name;
SELECT count(*) AS rows, bool_and(score IS NOT DISTINCT FROM predict(m, f)) AS same
FROM whole_scores JOIN whole_rows AS d USING (id), whole_models, LATERAL (SELECT d.* OFFSET 0) AS f WHERE name = 'columns';
-- rows of expressions: with names, without, of a type, with constants, parameters, repeated names, NULLs and sets
SELECT name, count(predict(m, f)) AS scores, bool_and(predict(m, f) IS NOT DISTINCT FROM predict(m, (ARRAY[d])[1])) AS same
FROM whole_models, whole_rows AS d, LATERAL (SELECT k, later, sold, day, cut, x, v, g, late, n, long) AS f WHERE name <> 'array' GROUP BY name ORDER BY name;
SELECT count(predict(m, (x, k))) AS scores, bool_and(predict(m, (x, k)) IS NOT DISTINCT FROM predict(m, ARRAY[x, k])) AS by_position,
       bool_and(predict(m, (x, k)::whole_pair) IS NOT DISTINCT FROM predict(m, (ARRAY[(x, k)])[1])) AS of_a_type,
       bool_and(predict(m, (x::numeric, k::text::float4)) IS NOT DISTINCT FROM predict(m, (x, k))) AS of_other_types
FROM whole_models, whole_rows WHERE name = 'array';
SELECT predict(m, (1, 2)) = predict(m, ARRAY[1, 2]) AS constants, predict(m, (NULL::float8, 2)) IS NULL AS missing, predict(m, (SELECT (1.0, 2))) = predict(m, (1, 2)) AS row_of_query
FROM whole_models WHERE name = 'array';
SELECT predict(m, (generate_series(1, 2), 2)) - predict(m, ARRAY[1, 2]) > 0 AS later FROM whole_models WHERE name = 'array';
SELECT count(*) AS groups, bool_and(same) AS same FROM (
    SELECT predict(m, f) IS NOT DISTINCT FROM min(predict(m, f)) AS same FROM whole_models, whole_rows AS d, LATERAL (SELECT x, k) AS f WHERE name = 'array' GROUP BY f, m) AS t;
SELECT count(DISTINCT score) AS scores FROM (SELECT predict(m, (k + 1, k)) AS score FROM whole_models, whole_rows WHERE name = 'array' GROUP BY m, k + 1, k ORDER BY predict(m, (k + 1, k))) AS t;
SELECT try($$SELECT predict(m, (x, k, 1)) FROM whole_models, whole_rows WHERE name = 'array'$$);
SELECT try($$SELECT predict(m, f) FROM whole_models, whole_rows AS d, LATERAL (SELECT x, cut, n, k, g, v, day, sold) AS f WHERE name = 'columns'$$);
SELECT try($$SELECT predict(m, f) FROM whole_models, whole_rows AS d, LATERAL (SELECT x, k AS x, cut) AS f WHERE name = 'expressions'$$);
PREPARE rows_of (float8, int) AS SELECT predict(m, ($1, $2)) = predict(m, ARRAY[$1, $2]) AS same FROM whole_models WHERE name = 'array';
SET plan_cache_mode = force_generic_plan;
EXECUTE rows_of (1.5, 3);
RESET plan_cache_mode;
EXECUTE rows_of (1.5, 3);
DEALLOCATE rows_of;
-- a row that an outer join leaves out is NULL, not a row of NULLs
SELECT count(*) AS rows, count(predict(m, d)) AS scores FROM whole_models LEFT JOIN whole_rows AS d ON d.id = 100 WHERE name = 'imputed';
SELECT count(*) AS rows, count(predict(m, d)) AS scores FROM whole_models JOIN whole_rows AS d ON d.id = 17 WHERE name = 'imputed';
SELECT predict(NULL::model, d) IS NULL AS no_model FROM whole_rows AS d LIMIT 1;
-- grouped rows, and rows of groups, windows and sets
SELECT count(*) AS groups, bool_and(same) AS same FROM (
    SELECT predict(m, d) IS NOT DISTINCT FROM min(predict(m, d)) AS same FROM whole_models, whole_rows AS d WHERE name = 'columns' GROUP BY d, m) AS t;
SELECT count(*) AS groups FROM (SELECT round(predict(m, d)) AS score, count(*) FROM whole_models, whole_rows AS d WHERE name = 'columns'
                                GROUP BY round(predict(m, d)) HAVING round(predict(m, d)) IS NOT NULL ORDER BY round(predict(m, d))) AS t;
SELECT cut, count(predict(m, d)) AS scores FROM whole_models, whole_rows AS d WHERE name = 'columns' AND predict(m, d) > 10 GROUP BY cut ORDER BY cut;
SELECT count(*) AS rows FROM (SELECT DISTINCT predict(m, d) AS score, sum(predict(m, d)) OVER (PARTITION BY d.cut ORDER BY d.id) AS s
                              FROM whole_models, whole_rows AS d WHERE name = 'columns' UNION SELECT predict(m, d), 1 FROM whole_models, whole_rows AS d WHERE name = 'columns') AS t;
SELECT count(*) AS rows FROM whole_rows AS d WHERE EXISTS (SELECT FROM whole_models WHERE name = 'columns' AND predict(m, d) > 10);
-- errors
SELECT try($$SELECT predict(m, d) FROM whole_models, whole_rows AS d WHERE name = 'array'$$);
SELECT try($$SELECT predict(e.m, d) FROM whole_models AS d, whole_models AS e WHERE e.name = 'columns'$$);
SELECT try($$SELECT classify(m, d) FROM whole_models, whole_rows AS d WHERE name = 'columns'$$);
SELECT try($$SELECT pgfit_internal.predict_columns(m, NULL::oid, 1) FROM whole_models$$);
SELECT try($$SELECT pgfit_internal.predict_columns(m, 'whole_rows'::regtype, VARIADIC ARRAY[1, 2]) FROM whole_models$$);
SELECT try($$SELECT pgfit_internal.predict_columns(m, 'whole_rows'::regtype, 1, 2) FROM whole_models WHERE name = 'columns'$$);
SELECT try($$SELECT pgfit_internal.predict_columns(m, 'integer'::regtype, 1, 2) FROM whole_models WHERE name = 'columns'$$);
SELECT try($$SELECT pgfit_internal.predict_columns(m, 'whole_rows'::regtype, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13) FROM whole_models WHERE name = 'columns'$$);
SELECT try($$SELECT pgfit_internal.predict_columns(m, ARRAY['x', 'k'], 1) FROM whole_models WHERE name = 'array'$$);
SELECT try($$SELECT pgfit_internal.predict_columns(m, ARRAY['x', NULL], 1, 2) FROM whole_models WHERE name = 'array'$$);
SELECT try($$SELECT pgfit_internal.predict_columns(m, NULL::text[], 1, 2) FROM whole_models WHERE name = 'array'$$);
SELECT try($$SELECT pgfit_internal.predict_columns(m, ARRAY['x', 'k'], VARIADIC ARRAY[1, 2]) FROM whole_models WHERE name = 'array'$$);
SELECT pgfit_internal.predict_columns(m, ARRAY['x', 'k'], 1, 2) = predict(m, (1, 2)) AS by_hand FROM whole_models WHERE name = 'array';
-- prepared, in a loop, over partitions, after the table changed, for users without rights
PREPARE scores AS SELECT count(predict(m, d)) FROM whole_models, whole_rows AS d WHERE name = 'expressions';
EXECUTE scores;
ALTER TABLE whole_rows ADD COLUMN z int;
EXECUTE scores;
DEALLOCATE scores;
CREATE TABLE whole_parts (LIKE whole_rows) PARTITION BY HASH (id);
CREATE TABLE whole_part_0 PARTITION OF whole_parts FOR VALUES WITH (modulus 2, remainder 0);
CREATE TABLE whole_part_1 (z int, sold bool, long text, day date, v float8[], g grade, k int, n numeric, cut text, x float8, id int, late int, later float8);
ALTER TABLE whole_parts ATTACH PARTITION whole_part_1 FOR VALUES WITH (modulus 2, remainder 1);
INSERT INTO whole_parts SELECT * FROM whole_rows;
SELECT count(*) AS rows, bool_and(predict(m, p) IS NOT DISTINCT FROM predict(m, d)) AS same FROM whole_parts AS p JOIN whole_rows AS d USING (id), whole_models WHERE name = 'columns';
CREATE ROLE whole_user;
GRANT SELECT ON whole_rows, whole_models TO whole_user;
SET ROLE whole_user;
SELECT count(pgfit.predict(m, d)) AS scores FROM whole_models, whole_rows AS d WHERE name = 'columns';
RESET ROLE;
REVOKE EXECUTE ON FUNCTION pgfit.predict(pgfit.model, "any") FROM PUBLIC;
SET ROLE whole_user;
SELECT count(pgfit.predict(m, d)) AS scores FROM whole_models, whole_rows AS d WHERE name = 'columns';
RESET ROLE;
GRANT EXECUTE ON FUNCTION pgfit.predict(pgfit.model, "any") TO PUBLIC;
DROP OWNED BY whole_user;
DROP ROLE whole_user;
DROP VIEW whole_view, whole_scores;
DROP FUNCTION planned_by_columns(text);
DROP TABLE whole_rows, whole_models, whole_parts;
DROP TYPE grade, whole_pair;
