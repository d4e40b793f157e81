-- Tables of bench/neighbors.py: uniform numbers, the worst of cases for trees. Of the rows of near_D those up to near_rows are a model's, the
-- others ask for their neighbors. psql variable: scale.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET pgfit.fit_mem = '2GB';
SELECT setseed(0.5) AS seed, (100000 * :scale)::int AS rows, (10000 * :scale)::int AS few \gset

SELECT format('CREATE TABLE near_%s AS SELECT i AS id, random() AS y, ARRAY[%s] AS x FROM generate_series(1, %s) AS i', d,
              (SELECT string_agg('random()', ', ') FROM generate_series(1, d)), n)
FROM (VALUES (8, 2 * :rows), (64, :rows + :few)) AS t(d, n) \gexec
SELECT format('CREATE TABLE near_3_%s AS SELECT i AS id, random() AS y, ARRAY[random(), random(), random()] AS x FROM generate_series(1, %s) AS i', n, n)
FROM unnest(ARRAY[:few, :rows, 10 * :rows]) AS n \gexec

CREATE TABLE near_models AS
SELECT 'kd_8' AS name, pgfit.knn_regression(y, x, 10) AS m FROM near_8 WHERE id <= :rows
UNION ALL SELECT 'ball_8', pgfit.knn_regression(y, x, 10, '{"index": "ball_tree"}') FROM near_8 WHERE id <= :rows
UNION ALL SELECT 'brute_64', pgfit.neighbors(id, x) FROM near_64 WHERE id <= :rows;
SELECT format('INSERT INTO near_models SELECT ''kd_3_%s'', pgfit.knn_regression(y, x, 10) FROM near_3_%s', n, n)
FROM unnest(ARRAY[:few, :rows, 10 * :rows]) AS n \gexec
CREATE TABLE near_asked_8 AS SELECT id, x FROM near_8 WHERE id > :rows;
CREATE TABLE near_asked_64 AS SELECT id, x FROM near_64 WHERE id > :rows;
CREATE TABLE near_64_columns AS SELECT id, x FROM near_64 WHERE id <= :rows;
CREATE VIEW near_sizes AS SELECT unnest(ARRAY[:few, :rows, 10 * :rows]) AS rows;
VACUUM ANALYZE;
