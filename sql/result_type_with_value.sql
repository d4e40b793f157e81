-- an argument that only names the type of the result has a value: an error, because the value would have no effect
SET search_path = public, pgfit;
CREATE TEMP TABLE fitted AS
SELECT logistic_regression(x > 5, x, '{"lambda": 1}') AS m, neighbors(x, x) AS near, hierarchical(x, x) AS tree
FROM generate_series(1, 10) AS x;
SELECT test.try('SELECT classify(m, 9, 0.3)::text FROM fitted');
SELECT test.try('SELECT classify(m, 9, ''0.3''::text) FROM fitted');
SELECT test.try('SELECT n.id FROM fitted, nearest(near, 9, 2, 1) AS n');
SELECT test.try('SELECT n.id FROM fitted, neighbor_graph(near, 2, 1) AS n');
SELECT test.try('SELECT n.id FROM fitted, radius_graph(near, 2, 1::bigint) AS n');
SELECT test.try('SELECT n.id FROM fitted, cut(tree, 2, 1) AS n');
SELECT test.try('SELECT n.id FROM fitted, cut_height(tree, 2, 1) AS n');
SELECT test.try('SELECT classify(m, x, CASE WHEN x > 5 THEN true END)::text FROM fitted, generate_series(1, 10) AS x');
-- NULL of the type is how it is meant, by name as well
SELECT classify(m, 9, NULL::boolean), classify(m, 9, result_type => NULL::text) FROM fitted;
SELECT n.id FROM fitted, nearest(near, 9, 2, result_type => NULL::int) AS n;
SELECT count(*) FROM fitted, cut(tree, 2, NULL::int) AS n WHERE n.id + n.cluster > 0;
