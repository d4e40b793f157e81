-- Features are matched by the names that they have: a feature is never silently taken for one of another name.
SET search_path = public, test, pgfit;
SET client_min_messages = notice;
CREATE TABLE points AS SELECT i AS id, i % 3 AS part, i::float8 AS a, (i * 7 % 5)::float8 AS b, (i * 3 % 11)::float8 AS c, i + 10 * (i * 7 % 5) + 100.0 * (i * 3 % 11) AS y FROM generate_series(1, 60) AS i;

-- a fit over a row without names says so, once in a query
SELECT part, linear_regression(y, (a, b, c)) IS NOT NULL AS fitted FROM points GROUP BY part ORDER BY part;
SELECT linear_regression(y, f) IS NOT NULL AS fitted FROM points, LATERAL (SELECT a + 0, b + 0, c + 0) AS f;
SELECT knn_regression(y, (a, b, c), 3) IS NOT NULL AS rows, kmeans((a, b, c), 2) IS NOT NULL AS unsupervised, moments(y, (a, b, c)) IS NOT NULL AS moments FROM points;
SELECT count(m) AS windows FROM (SELECT linear_regression(y, (a, b)) OVER (ORDER BY id ROWS 9 PRECEDING) AS m FROM points) AS w;
SELECT count(m) AS fits FROM points AS p, LATERAL (SELECT ridge_regression(y, (a, b), 0.1) AS m FROM points AS q WHERE q.part = p.part) AS f WHERE id <= 6;
-- in parallel too
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
ALTER TABLE points SET (parallel_workers = 2);
SELECT linear_regression(y, (a, b, c)) IS NOT NULL AS fitted FROM points;
COMMIT;
-- some names
SELECT linear_regression(y, f) IS NOT NULL AS fitted FROM points, LATERAL (SELECT a, b * 1, c) AS f;
-- no NOTICE: features that cannot have names, all named, named by option, moments, no fit
SELECT linear_regression(y, ARRAY[p.a, p.b]) IS NOT NULL AS arrays, linear_regression(y, p.a) IS NOT NULL AS numbers, linear_regression(y, jsonb_build_object('a', p.a)) IS NOT NULL AS objects,
       linear_regression(y, f) IS NOT NULL AS names, linear_regression(y, (p.a, p.b), '{"features": ["a", "b"]}') IS NOT NULL AS option
FROM points AS p, LATERAL (SELECT p.a, p.b) AS f;
SELECT fit('linear_regression', merge(m)) IS NOT NULL AS moments FROM (SELECT moments(y, f) AS m FROM points, LATERAL (SELECT a, b) AS f) AS e;
SELECT linear_regression(y, (a, b)) IS NULL AS no_rows FROM points WHERE id < 0;

SET client_min_messages = warning;
CREATE TABLE named AS SELECT linear_regression(y, f) AS m FROM points, LATERAL (SELECT a, b, c) AS f;
CREATE TABLE partly AS SELECT linear_regression(y, f) AS m FROM points, LATERAL (SELECT a, b + 0, c) AS f;
CREATE TABLE nameless AS SELECT linear_regression(y, (a, b, c)) AS m FROM points;
SELECT info(m) -> 'features' AS features FROM partly;
-- a = 1, b = 2, c = 3 is 321; every way to give the row, to a model of all names, of some and of none
CREATE FUNCTION scored(row_of text) RETURNS TABLE (named text, partly text, nameless text) LANGUAGE sql AS $$
    SELECT try(format('SELECT round(predict(m, f)) FROM named, LATERAL (%s) AS f', row_of)),
           try(format('SELECT round(predict(m, f)) FROM partly, LATERAL (%s) AS f', row_of)),
           try(format('SELECT round(predict(m, f)) FROM nameless, LATERAL (%s) AS f', row_of))
$$;
SELECT row_of, named, partly, nameless
FROM (VALUES ('SELECT 1 AS a, 2 AS b, 3 AS c'), ('SELECT 1 AS a, 2, 3 AS c'), ('SELECT 3 AS c, 2, 1 AS a'), ('SELECT 1 AS a, 2, 3'), ('SELECT 1, 2, 3'),
             ('SELECT 1 AS f1, 2 AS f2, 3 AS f3'), ('SELECT 1 AS a, 2 AS other, 3 AS c')) AS r (row_of), scored(row_of);
-- contradictions
\x
SELECT row_of, named, partly
FROM (VALUES ('SELECT 3 AS c, 1 AS a, 2'), ('SELECT 1 AS z, 2, 3 AS c'), ('SELECT 1 AS z, 2 AS b, 3 AS c'), ('SELECT 1 AS a, 2, 3 AS c, 4 AS d'), ('SELECT 2 AS b, 1, 3')) AS r (row_of), scored(row_of);
\x
-- more columns than features do not matter if each feature has its name
SELECT named FROM scored('SELECT 9 AS z, 3 AS c, 7, 2 AS b, 1 AS a');
-- a column may be called f2
SELECT round(predict(m, f)) AS own_name FROM (SELECT linear_regression(y, f) AS m FROM points, LATERAL (SELECT a AS f2, b + 0, c) AS f) AS t, LATERAL (SELECT 1 AS f2, 2, 3 AS c) AS f;
SELECT round(predict(m, f)) AS moved FROM (SELECT linear_regression(y, f) AS m FROM points, LATERAL (SELECT a AS f2, b AS f1, c) AS f) AS t, LATERAL (SELECT 2 AS f1, 1 AS f2, 3 AS c) AS f;

-- option "features" selects by the names there are, and never gives one to a column of another name
SELECT info(linear_regression(y, f, '{"features": ["c", "a"]}')) -> 'features' AS selected FROM points, LATERAL (SELECT a, b + 0, c) AS f;
SELECT round(predict(linear_regression(y, f, '{"features": ["c", "b", "a"]}'), (SELECT g FROM (SELECT 3 AS c, 2 AS b, 1 AS a) AS g))) AS "named" FROM points, LATERAL (SELECT a, b + 0, c) AS f;
SELECT try($$SELECT linear_regression(y, f, '{"features": ["a", "c", "d"]}') FROM points, LATERAL (SELECT a, b + 0, c) AS f$$);
-- rows of one fit, moments that merge, distances
SELECT try($$SELECT linear_regression(y, CASE WHEN id < 9 THEN (SELECT f FROM (SELECT a, b + 0, c) AS f) ELSE (SELECT f FROM (SELECT z AS z, b, c FROM (SELECT a AS z) AS q) AS f) END) FROM points$$);
SELECT near_all(estimates(linear_regression(y, CASE WHEN id < 9 THEN (SELECT f FROM (SELECT a, b + 0, c) AS f) ELSE (SELECT f FROM (SELECT c, b + 0, a) AS f) END)), (SELECT estimates(m) FROM named), 1e-9) AS moved FROM points;
SELECT try($$SELECT merge((SELECT moments(y, f) FROM points, LATERAL (SELECT a, b + 0) AS f), (SELECT moments(y, f) FROM points, LATERAL (SELECT c, b + 0) AS f))$$);
SELECT try($$SELECT merge((SELECT moments(y, f) FROM points, LATERAL (SELECT a, b + 0) AS f), (SELECT moments(y, (a, b)) FROM points))$$);
SELECT (info(merge((SELECT moments(y, f) FROM points, LATERAL (SELECT a, b + 0) AS f), (SELECT moments(y, f) FROM points, LATERAL (SELECT a, b + 1) AS f))) -> 'rows') AS merged;
SELECT euclidean_distance(x, y) AS distance FROM (SELECT 1 AS a, 2) AS x, (SELECT 4 AS a, 6) AS y;
SELECT try($$SELECT euclidean_distance(x, y) FROM (SELECT 1 AS a, 2) AS x, (SELECT 4 AS b, 6) AS y$$);
SELECT try($$SELECT mahalanobis_distance(x, y, (SELECT feature_moments(f) FROM points, LATERAL (SELECT a, b + 0) AS f)) FROM (SELECT 1 AS c, 2) AS x, (SELECT 4 AS c, 6) AS y$$);
SELECT near(mahalanobis_distance(x, y, (SELECT feature_moments(f) FROM points, LATERAL (SELECT a, b + 0) AS f)), mahalanobis_distance(ARRAY[1, 2], ARRAY[4, 6], (SELECT feature_moments(ARRAY[a, b]) FROM points))) AS same FROM (SELECT 1 AS a, 2) AS x, (SELECT 4 AS a, 6) AS y;
-- tables give whole names, however long
WITH long AS MATERIALIZED (SELECT y, jsonb_build_object(repeat('long ', 40) || 'a', a, repeat('long ', 40) || 'b', b) AS f FROM points),
     m AS MATERIALIZED (SELECT tree_regression(y, f) AS tree, kmedoids(f, 2) AS medoids, linear_regression(y, f) AS linear FROM long)
SELECT tables, array_agg(DISTINCT length(name)) AS lengths
FROM m, LATERAL (SELECT 'importance' AS tables, feature AS name FROM importance(tree) UNION ALL SELECT 'tree_nodes', feature FROM tree_nodes(tree) WHERE feature IS NOT NULL
                 UNION ALL SELECT 'medoids', term FROM medoids(medoids) UNION ALL SELECT 'feature_ranges', feature FROM feature_ranges(linear)
                 UNION ALL SELECT 'explain', term FROM explain(linear, (SELECT f FROM long LIMIT 1)) WHERE term LIKE 'long%') AS t
GROUP BY tables ORDER BY tables;
-- names that differ only after the length of a message
SELECT try($$SELECT mahalanobis_distance(x, y, (SELECT feature_moments(jsonb_build_object(repeat('long ', 40) || 'a', a, 'b', b)) FROM points))
FROM (SELECT jsonb_build_object(repeat('long ', 40) || 'c', 1, 'b', 2)) AS x(x), (SELECT jsonb_build_object(repeat('long ', 40) || 'c', 4, 'b', 6)) AS y(y)$$) LIKE '22000: the moments have no feature "long long %' AS refused;
DROP FUNCTION scored;
DROP TABLE points, named, partly, nameless;
