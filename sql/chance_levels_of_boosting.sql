-- Boosted trees told each level of a node apart, however few rows it had, so a category of many levels without any effect, such as a state, made predictions of new rows worse.
SET search_path = test, pgfit, public;
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;
CREATE TABLE states AS
SELECT i, sin(i) AS a, cos(i * i) AS b, 'state ' || abs(hashint4(i)) % 50 AS state, 2 * sin(i) + cos(i * i) + sin(i * 7.3) + sin(i * 11.7) AS y, sin(i) + sin(i * 7.3) > 0.5 AS k
FROM generate_series(1, 3000) AS i;
CREATE FUNCTION apart(formula text) RETURNS TABLE (numbers float8, classes float8) LANGUAGE SQL AS $$
    SELECT rmse(y, predict(n, s)), log_loss(k, probability(c, s))
    FROM (SELECT boosted_trees_regression(y, s, formula) AS n, boosted_trees_classifier(k, s, formula) AS c FROM states AS s WHERE i <= 2000) AS f, states AS s WHERE i > 2000$$;
SELECT w.numbers < 1.03 * o.numbers AS numbers, w.classes < 1.05 * o.classes AS classes FROM apart('a + b + state') AS w, apart('a + b') AS o;
-- levels of fewer than 10 rows of a node, or than its leaves must have, go one way: of 8 rows each they do not split, of 10 they do
CREATE FUNCTION leaves(each int, options jsonb) RETURNS bigint LANGUAGE SQL AS $$
    SELECT count(*) FILTER (WHERE feature IS NULL)
    FROM (SELECT boosted_trees_regression(i % 6, ROW('level ' || i % 6), options || '{"n_trees": 1}') AS m FROM generate_series(0, 6 * each - 1) AS i) AS f, tree_nodes(m)$$;
SELECT each, leaves(each, '{}') AS leaves, leaves(each, '{"min_samples_leaf": 8}') AS eight, leaves(each, '{"min_samples_leaf": 1}') AS one FROM (VALUES (8), (9), (10), (20)) AS v(each) ORDER BY each;
-- a level of many rows beside rare ones: these are one level, whose mean they share, and NULL is rare like any other
SELECT level, round(predict(m, ROW(level))::numeric, 3) AS predicted
FROM (SELECT boosted_trees_regression(CASE WHEN i <= 60 THEN 0 ELSE i % 2 END, ROW(CASE WHEN i <= 60 THEN 'many' WHEN i > 95 THEN NULL ELSE 'rare ' || i / 5 END),
                                      '{"n_trees": 1, "learning_rate": 1, "min_samples_leaf": 10}') AS m FROM generate_series(1, 100) AS i) AS f,
     (VALUES ('many'), ('rare 13'), ('rare 14'), (NULL)) AS v(level) ORDER BY level;
