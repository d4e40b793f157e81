-- Tables of bench/neighbors.py: uniform numbers, the worst case for trees. Models have the rows of neighbors_D; those of
-- neighbors_D_queries ask for their neighbors.
SET pgfit.fit_mem = '2GB';
SELECT setseed(0.5) AS seed, (100000 * :scale)::int AS rows, (10000 * :scale)::int AS few \gset

SELECT format('CREATE TABLE neighbors_%s_all AS SELECT i AS id, random() AS y, ARRAY[%s] AS x FROM generate_series(1, %s) AS i', d,
              (SELECT string_agg('random()', ', ') FROM generate_series(1, d)), n)
FROM (VALUES (8, 2 * :rows), (64, :rows + :few)) AS t(d, n) \gexec
SELECT format('CREATE TABLE neighbors_3_%s AS SELECT i AS id, random() AS y, ARRAY[random(), random(), random()] AS x FROM generate_series(1, %s) AS i', size, n)
FROM (VALUES ('few', :few), ('some', :rows), ('many', 10 * :rows)) AS t (size, n) \gexec
SELECT format('CREATE TABLE neighbors_%1$s AS SELECT * FROM neighbors_%1$s_all WHERE id <= %2$s', d, :rows),
       format('CREATE TABLE neighbors_%1$s_queries AS SELECT id - %2$s AS id, x FROM neighbors_%1$s_all WHERE id > %2$s', d, :rows)
FROM unnest(ARRAY[8, 64]) AS d \gexec
ALTER TABLE neighbors_8_queries SET (parallel_workers = 2); -- below 8 MB, PostgreSQL plans none

CREATE TABLE neighbors_models AS
SELECT 'kd_8' AS name, pgfit.knn_regression(y, x, 10) AS m FROM neighbors_8
UNION ALL SELECT 'ball_8', pgfit.knn_regression(y, x, 10, '{"index": "ball_tree"}') FROM neighbors_8
UNION ALL SELECT 'brute_64', pgfit.neighbors(id, x) FROM neighbors_64
UNION ALL SELECT 'kd_3_few', pgfit.knn_regression(y, x, 10) FROM neighbors_3_few
UNION ALL SELECT 'kd_3_some', pgfit.knn_regression(y, x, 10) FROM neighbors_3_some
UNION ALL SELECT 'kd_3_many', pgfit.knn_regression(y, x, 10) FROM neighbors_3_many;
