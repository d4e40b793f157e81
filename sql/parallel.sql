-- Parallel plans: the state is a value and merges.
SET search_path = public, test, pgfit;
CREATE TABLE many AS
SELECT i, i % 5 AS g, (i * 7919::bigint % 100003) / 100003.0::float8 AS a, (i * 104729::bigint % 99991) / 99991.0::float8 AS b,
       'level ' || i % 3 AS level, 1 + i % 2 AS w
FROM generate_series(1, 60000) AS i;
ALTER TABLE many ADD y float8;
UPDATE many SET y = 3 + 2 * a - b + i % 3 + (i * 65537::bigint % 10007) / 10007.0;
VACUUM ANALYZE many;
CREATE FUNCTION test.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query;
END
$$;
CREATE FUNCTION test.parallel(setting boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', CASE WHEN setting THEN '2' ELSE '0' END, false),
            set_config('parallel_setup_cost', '0', false), set_config('parallel_tuple_cost', '0', false),
            set_config('min_parallel_table_scan_size', '0', false), set_config('parallel_leader_participation', 'off', false);
END
$$;
CREATE TABLE queries (name text, query text);
INSERT INTO queries VALUES
    ('plain', 'SELECT linear_regression(y, ARRAY[a, b]) FROM many'),
    ('row', 'SELECT linear_regression(y, (a, b, level)) FROM many'),
    ('named', 'SELECT linear_regression(y, f) FROM many, LATERAL (SELECT a, b, level) f'),
    ('options', 'SELECT linear_regression(y, (a, b), ''{"level": 0.9}'') FROM many'),
    ('weights', 'SELECT linear_regression(y, (a, b), NULL, w) FROM many'),
    ('number', 'SELECT ridge_regression(y, (a, b), 0.5) FROM many'),
    ('impute', 'SELECT linear_regression(y, (nullif(a, b), nullif(level, ''level 1''), b), ''{"nulls": "impute"}'') FROM many'),
    ('nulls', 'SELECT linear_regression(CASE WHEN i % 4 > 0 THEN y END, (a, b)) FROM many'),
    ('groups', 'SELECT linear_regression(y, (a, b, level)) FROM many GROUP BY g ORDER BY g LIMIT 1');
-- partial aggregates everywhere, and the serial result
SELECT parallel(true);
SELECT name, bool_or(p LIKE '%Partial%Aggregate%') AS partial FROM queries, plan(query) AS p GROUP BY name ORDER BY name;
SELECT bool_or(p LIKE '%Partial%Aggregate%') AS moments FROM plan('SELECT moments(y, (a, b)) FROM many') AS p;
SELECT bool_or(p LIKE '%Partial%Aggregate%') AS class_moments FROM plan('SELECT class_moments(level, (a, b)) FROM many') AS p;
SELECT bool_or(p LIKE '%Partial%Aggregate%') AS feature_moments FROM plan('SELECT feature_moments((a, b)) FROM many') AS p;
-- DISTINCT and ORDER BY inside the call are the server's reasons to stay serial
SELECT bool_or(p LIKE '%Partial%') AS partial FROM plan('SELECT linear_regression(y, (a, b) ORDER BY i) FROM many') AS p;
CREATE FUNCTION test.run(query text) RETURNS pgfit.model LANGUAGE plpgsql AS $$
DECLARE m pgfit.model;
BEGIN
    EXECUTE query INTO m;
    RETURN m;
END
$$;
CREATE TABLE results AS SELECT name, test.run(query) AS parallel FROM queries;
SELECT parallel(false);
SELECT bool_or(p LIKE '%Partial%') AS partial FROM queries, plan(query) AS p;
SELECT name, same_fit(parallel, test.run(query), 1e-11) AS same FROM results JOIN queries USING (name) ORDER BY name;

-- workers that meet other levels, and the same levels in another order: each part is a worker's state
SELECT same_fit((SELECT fit('linear_regression', merge(e)) FROM (SELECT moments(y, (a, level)) AS e FROM many GROUP BY level) parts),
                (SELECT linear_regression(y, (a, level)) FROM many), 1e-10) AS disjoint;
SELECT same_fit((SELECT fit('linear_regression', merge(merge(m, n))) FROM
                    (SELECT moments(y, (a, level) ORDER BY level) AS m FROM many WHERE i % 2 = 0) x,
                    (SELECT moments(y, (a, level) ORDER BY level DESC) AS n FROM many WHERE i % 2 = 1) z),
                (SELECT linear_regression(y, (a, level)) FROM many), 1e-10) AS reversed;
CREATE TABLE by_level AS SELECT * FROM many ORDER BY level;
VACUUM ANALYZE by_level;
SELECT parallel(true);
SELECT bool_or(p LIKE '%Partial%') AS partial FROM plan('SELECT linear_regression(y, (a, level)) FROM by_level') AS p;
CREATE TABLE scattered AS SELECT linear_regression(y, (a, level)) AS m, class_moments(level, (a, b)) AS c FROM by_level;
SELECT parallel(false);
SELECT same_fit(m, (SELECT linear_regression(y, (a, level)) FROM many), 1e-10),
       info(c) -> 'rows' = (SELECT info(class_moments(level, (a, b))) -> 'rows' FROM many) FROM scattered;
-- options that differ between workers do not merge
SELECT parallel(true);
SELECT try($$SELECT ridge_regression(y, (a, b), i % 2) FROM many$$);
SELECT parallel(false);
RESET parallel_leader_participation; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
DROP TABLE many, queries, results, by_level, scattered;
