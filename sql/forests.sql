-- forest_classifier, forest_regression, extra_trees_*, isolation_forest, merge: what users see, edges, refusals
SET search_path = public, test, pgfit;
CREATE TYPE plot AS (a float8, b float8, c text, d boolean);
CREATE TABLE plots WITH (parallel_workers = 0) AS
SELECT i, ROW(a, b, c, d)::plot AS f, a, b, a * 2 + coalesce(b, 3) + CASE c WHEN 'north' THEN 4 WHEN 'south' THEN -4 ELSE 0 END AS y,
    CASE WHEN a * 2 + coalesce(b, 3) > 12 THEN 'high' WHEN c = 'north' THEN 'cold' ELSE 'low' END AS label, a + coalesce(b, 0) > 6 AS yes, 1 + i % 3 AS w
FROM generate_series(1, 240) AS i, LATERAL (SELECT i * 37 % 101 / 10.0::float8 AS a, CASE WHEN i % 9 > 0 THEN i * 53 % 97 / 12.0::float8 END AS b,
    CASE i % 5 WHEN 0 THEN 'north' WHEN 1 THEN 'south' WHEN 2 THEN 'east' WHEN 3 THEN 'west' END AS c, i % 7 > 2 AS d) AS s;

CREATE TABLE fits AS
SELECT 'forest' AS name, forest_classifier(label, f, '{"n_trees": 30}') AS m FROM plots
UNION ALL SELECT 'pairs', forest_classifier(yes, f, '{"n_trees": 30, "importance": "permutation"}') FROM plots
UNION ALL SELECT 'votes', forest_classifier(label, f, '{"n_trees": 30, "voting": "hard"}') FROM plots
UNION ALL SELECT 'extra', extra_trees_classifier(label, f, '{"n_trees": 30}') FROM plots
UNION ALL SELECT 'numbers', forest_regression(y, f, '{"n_trees": 30}') FROM plots
UNION ALL SELECT 'extra numbers', extra_trees_regression(y, f, '{"n_trees": 30}') FROM plots;
SELECT name, info(m) ->> 'estimator' AS estimator, info(m) -> 'statistics' ->> 'trees' AS trees, (info(m) -> 'statistics' ->> 'nodes')::int > 300 AS grown,
    info(m) -> 'statistics' ? 'oob_error' AS out_of_bag FROM fits ORDER BY name;
SELECT name, regexp_replace(summary(m), '[0-9.]+', '#', 'g') AS summary FROM fits WHERE name IN ('forest', 'numbers') ORDER BY name;
-- the rows of the fit, almost without errors; of those out of the bag, few
SELECT name, avg((classify(m, f) = CASE WHEN name = 'pairs' THEN yes::text ELSE label END)::int) > 0.99 AS fitted, (info(m) -> 'statistics' ->> 'oob_error')::float8 < 0.2 AS out_of_bag
FROM fits, plots WHERE name NOT LIKE '%numbers' GROUP BY name, m ORDER BY name;
SELECT name, r_squared(y, predict(m, f)) > 0.95 AS fitted, (info(m) -> 'statistics' ->> 'oob_error')::float8 < var_pop(y) / 5 AS out_of_bag FROM fits, plots WHERE name LIKE '%numbers' GROUP BY name, m ORDER BY name;
-- the error falls as trees are added; its last value is the fact
SELECT name, count(*) AS trees, min(error) FILTER (WHERE trees > 25) < max(error) FILTER (WHERE trees < 4) AS falls,
    max(error) FILTER (WHERE trees = 30) = max((info(m) -> 'statistics' ->> 'oob_error')::float8) AS last FROM fits, oob_curve(m) WHERE name NOT LIKE 'extra%' GROUP BY name ORDER BY name;
SELECT try($$SELECT oob_curve(m) FROM fits WHERE name = 'extra'$$);
SELECT info(forest_regression(y, f, '{"n_trees": 3, "oob": false}')) -> 'statistics' ? 'oob_error' AS asked FROM plots;
-- importance: shares of the decrease of impurity, or errors by permutation; d decides nothing
SELECT name, near(sum(importance), 1) AS shares, max(importance) FILTER (WHERE feature = 'a') > max(importance) FILTER (WHERE feature = 'b') AS a_leads,
    max(importance) FILTER (WHERE feature = 'd') < 0.1 AS d_last FROM fits, importance(m) GROUP BY name ORDER BY name;
SELECT try($$SELECT importance(forest_classifier(label, f, '{"n_trees": 2, "importance": "none"}')) FROM plots$$);
SELECT count(*) > 60 AS nodes, count(DISTINCT tree) AS trees FROM fits, tree_nodes(m) WHERE name = 'forest';

-- soft voting is the mean of the trees' shares, hard voting the share of their votes
CREATE TABLE ones AS SELECT s, extra_trees_classifier(label, f, jsonb_build_object('n_trees', 1, 'seed', s, 'max_depth', 3)) AS m FROM plots, generate_series(1, 5) AS s GROUP BY s;
SELECT bool_and(near_all(probabilities(w.m, f), p)) AS soft
FROM (SELECT merge(m ORDER BY s) AS m FROM ones) AS w, plots, LATERAL (SELECT array_agg(v ORDER BY k) AS p FROM (SELECT k, avg(v) AS v FROM ones, unnest(probabilities(ones.m, f)) WITH ORDINALITY AS u(v, k) GROUP BY k) AS g) AS t;
CREATE TABLE voters AS SELECT s, extra_trees_classifier(label, f, jsonb_build_object('n_trees', 1, 'seed', s, 'max_depth', 3, 'voting', 'hard')) AS m FROM plots, generate_series(1, 5) AS s GROUP BY s;
SELECT bool_and(near(probability(w.m, f, 'low'), v)) AS hard FROM (SELECT merge(m ORDER BY s) AS m FROM voters) AS w, plots, LATERAL (SELECT avg((classify(m, f) = 'low')::int) AS v FROM voters) AS t;
SELECT bool_and(classify(m, f) = (classes(m))[(SELECT k FROM unnest(probabilities(m, f)) WITH ORDINALITY AS u(v, k) ORDER BY v DESC, k LIMIT 1)]) AS most_votes FROM fits, plots WHERE name IN ('forest', 'votes');
-- a probability above the threshold
SELECT bool_and((classify(m, f) = 'true') = (probability(m, f) > 0.2)) AS threshold, bool_and((decision(m, f) > 0) = (probability(m, f) > 0.2)) AS decision
FROM (SELECT forest_classifier(yes, f, '{"n_trees": 10, "threshold": 0.2}') AS m FROM plots) AS t, plots;
SELECT bool_and(near(probability(n, f), 1 - probability(m, f))) AS positive
FROM (SELECT forest_classifier(yes, f, '{"n_trees": 10}') AS m, forest_classifier(yes, f, '{"n_trees": 10, "positive": "false"}') AS n FROM plots) AS t, plots;

-- one tree from all rows and features is the tree of tree_classifier and tree_regression
CREATE FUNCTION same_tree(a model, b model) RETURNS boolean LANGUAGE sql AS $$
    SELECT count(*) = count(x.node) AND count(*) = count(y.node) AND bool_and((x.feature, x.levels, x.missing, x.weight) IS NOT DISTINCT FROM (y.feature, y.levels, y.missing, y.weight)
        AND (x.threshold = y.threshold OR abs(x.threshold - y.threshold) < 1e-5 OR x.threshold IS NULL AND y.threshold IS NULL))
    FROM tree_nodes(a) AS x FULL JOIN tree_nodes(b) AS y USING (node) $$;
SELECT c, same_tree(forest_classifier(label, f, o || jsonb_build_object('criterion', c)), tree_classifier(label, f, jsonb_build_object('criterion', c))) AS classes,
    same_tree(forest_classifier(yes, f, o || jsonb_build_object('criterion', c)), tree_classifier(yes, f, jsonb_build_object('criterion', c))) AS pairs,
    same_tree(forest_classifier(yes, f, o || jsonb_build_object('criterion', c), w), tree_classifier(yes, f, jsonb_build_object('criterion', c), w)) AS weights
FROM plots, unnest('{gini,entropy,sqrt_gini,minority}'::text[]) AS c, (VALUES ('{"n_trees": 1, "bootstrap": false, "max_features": "all"}'::jsonb)) AS v(o) GROUP BY c ORDER BY c;
SELECT c, same_tree(forest_regression(y + 10, f, o || jsonb_build_object('criterion', c)), tree_regression(y + 10, f, jsonb_build_object('criterion', c, 'min_samples_leaf', 3))) AS numbers
FROM plots, unnest('{mse,mae,poisson}'::text[]) AS c, (VALUES ('{"n_trees": 1, "bootstrap": false, "max_features": "all", "min_samples_leaf": 3}'::jsonb)) AS v(o) GROUP BY c ORDER BY c;
SELECT same_tree(forest_classifier(label, f, '{"n_trees": 1, "bootstrap": false, "max_features": "all", "max_leaf_nodes": 6}'), tree_classifier(label, f, '{"max_leaf_nodes": 6}')) AS best_first,
    same_tree(forest_classifier(label, f, '{"n_trees": 1, "bootstrap": false, "max_features": "all", "min_impurity_decrease": 0.02, "max_depth": 4}'), tree_classifier(label, f, '{"min_impurity_decrease": 0.02, "max_depth": 4}')) AS stops,
    same_tree(forest_classifier(yes, f, '{"n_trees": 1, "bootstrap": false, "max_features": "all", "class_weight": "balanced"}'), tree_classifier(yes, f, '{"class_weight": "balanced"}')) AS balanced
FROM plots;

-- the same rows and seed: the same bits, in any order; another seed: another forest
SELECT forest_classifier(label, f, '{"n_trees": 5}' ORDER BY i) = forest_classifier(label, f, '{"n_trees": 5}' ORDER BY md5(i::text)) AS rows,
    extra_trees_regression(y, f, '{"n_trees": 5}' ORDER BY i) = extra_trees_regression(y, f, '{"n_trees": 5}' ORDER BY md5(i::text)) AS extra,
    isolation_forest(f, '{"n_trees": 5}' ORDER BY i) = isolation_forest(f, '{"n_trees": 5}' ORDER BY md5(i::text)) AS isolation,
    forest_classifier(label, f, '{"n_trees": 5}') <> forest_classifier(label, f, '{"n_trees": 5, "seed": 1}') AS seed FROM plots;
SELECT name, m::text::model = m AS text, m::jsonb::model = m AS json FROM fits ORDER BY name;

-- contributions add up, and the SQL gives what the model does
SELECT name, bool_and(near(100 + total, 100 + CASE WHEN name = 'pairs' THEN probability(m, f) ELSE predict(m, f) END)) AS add_up
FROM fits, plots, LATERAL (SELECT sum(contribution) AS total FROM explain(m, f)) AS e WHERE name IN ('pairs', 'numbers', 'extra numbers') AND i <= 40 GROUP BY name ORDER BY name;
SELECT bool_and(near_all(totals, ARRAY(SELECT 1 + p FROM unnest(probabilities(m, f)) AS p))) AS add_up FROM fits, plots, LATERAL (SELECT array_agg(1 + total ORDER BY class) AS totals FROM (SELECT class, sum(contribution) AS total FROM explain(m, f) GROUP BY class) AS t) AS e WHERE name = 'votes' AND i <= 40;
CREATE TABLE sql_of (what text, same boolean);
DO $$
DECLARE
    small record;
    same boolean;
BEGIN
    FOR small IN SELECT 'labels' AS what, forest_classifier(label, f, '{"n_trees": 4, "max_depth": 3}') AS m FROM plots UNION ALL SELECT 'pairs', extra_trees_classifier(yes, f, '{"n_trees": 4, "max_depth": 3}') FROM plots UNION ALL SELECT 'numbers', forest_regression(y, f, '{"n_trees": 4, "max_depth": 3}') FROM plots LOOP
        EXECUTE format('SELECT bool_and(CASE WHEN $2 = ''numbers'' THEN near(predict($1, f), (%1$s)::text::float8) ELSE classify($1, f) = (%1$s)::text END) FROM plots, LATERAL (SELECT (f).*) AS g(a, b, c, d)',
                       replace(replace(replace(replace(to_sql(small.m), '"a"', 'g.a'), '"b"', 'g.b'), '"c"', 'g.c'), '"d"', 'g.d'))
            INTO same USING small.m, small.what;
        INSERT INTO sql_of VALUES (small.what, same);
    END LOOP;
END $$;
SELECT * FROM sql_of ORDER BY what;

-- the SQL of two classes has no label where a NULL leaves the row without a score
CREATE TABLE pairs_of AS SELECT CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END AS l, CASE WHEN i % 4 > 0 THEN i % 8 END AS u, i % 2 AS v FROM generate_series(1, 64) AS i;
DO $$
DECLARE
    choice record;
    wrong int;
BEGIN
    FOR choice IN SELECT o, forest_classifier(l, f, ('{"n_trees": 2, "max_depth": 2, "voting": "hard", ' || o || '}')::jsonb) AS m
                  FROM unnest(ARRAY['"nulls": "skip"', '"nulls": "branch"', '"nulls": "skip", "positive": "x"', '"nulls": "skip", "threshold": 0.7']) AS o, pairs_of, LATERAL (SELECT u, v) AS f GROUP BY o LOOP
        EXECUTE format('SELECT count(*) FILTER (WHERE classify($1, (SELECT r FROM (SELECT u, v) AS r)) IS DISTINCT FROM (%s)::text) FROM pairs_of', to_sql(choice.m)) INTO wrong USING choice.m;
        INSERT INTO sql_of VALUES (choice.o, wrong = 0);
    END LOOP;
END $$;
SELECT * FROM sql_of ORDER BY what;
DROP TABLE pairs_of;
-- leaves keep targets that are far from 0
SELECT r_squared(1e9 + x % 5, predict(m, x % 5)) > 0.999 AS far, r_squared(1e9 + x % 5, predict(e, x % 5)) > 0.999 AS extra
FROM (SELECT forest_regression(1e9 + x % 5, x % 5, '{"n_trees": 9}') AS m, extra_trees_regression(1e9 + x % 5, x % 5, '{"n_trees": 9}') AS e FROM generate_series(1, 100) AS x) AS f, generate_series(1, 100) AS x GROUP BY m, e;

-- edges: one row, equal labels, constant features, duplicates with different labels, no rows, all NULL, no depth
SELECT classify(m, 3) AS one_row, probabilities(m, 3), info(m) -> 'statistics' ->> 'nodes' AS nodes FROM (SELECT forest_classifier(l, x, '{"n_trees": 7}') AS m FROM (VALUES ('only', 1)) AS t(l, x)) AS f;
SELECT classify(m, 3) AS equal_labels, info(m) -> 'statistics' ->> 'nodes' AS nodes FROM (SELECT extra_trees_classifier('only', x, '{"n_trees": 7}') AS m FROM generate_series(1, 9) AS x) AS f;
SELECT near_all(probabilities(m, 1), '{0.25,0.75}') AS constant FROM (SELECT extra_trees_classifier(x > 2, 1, '{"n_trees": 7}') AS m FROM generate_series(1, 8) AS x) AS f;
SELECT near(predict(m, 1), 2.5) AS duplicates, near(predict(m, 2), 7) AS other FROM (SELECT extra_trees_regression(y, x, '{"n_trees": 7}') AS m FROM (VALUES (1, 2), (1, 3), (2, 7)) AS t(x, y)) AS f;
SELECT forest_classifier(label, f) IS NULL AS no_rows FROM plots WHERE false;
SELECT info(m) ->> 'rows' AS all_null, classify(m, ARRAY[NULL::float8]) FROM (SELECT forest_classifier(i % 2, ARRAY[NULL::float8], '{"n_trees": 3, "seed": 4}') AS m FROM generate_series(1, 9) AS i) AS f;
SELECT info(forest_classifier(label, f, '{"n_trees": 3, "nulls": "skip"}')) ->> 'skipped' AS skipped FROM plots;
SELECT near(predict(m, 5), 2) AS no_depth FROM (SELECT extra_trees_regression(x, x, '{"n_trees": 3, "max_depth": 0}') AS m FROM generate_series(1, 3) AS x) AS f;
SELECT count(DISTINCT predict(m, f)) > 1 AS large FROM (SELECT forest_regression(y * 1e150, ARRAY[a * 1e300, b * 1e-300], '{"n_trees": 3}') AS m FROM plots) AS t, LATERAL (SELECT ARRAY[a * 1e300, b * 1e-300] AS f FROM plots) AS u;
-- of targets whose squares have no double, all forests were constants, without a word
SELECT try('SELECT forest_regression(1e160 * y, ARRAY[a, b]) FROM plots'), try('SELECT extra_trees_regression(1e160 * y, ARRAY[a, b]) FROM plots') ~ '^22003' AS extra_trees, try('SELECT tree_regression(1e160 * y, ARRAY[a, b]) FROM plots') ~ '^22003' AS tree;
-- large targets that are near each other were refused although squares of their differences have doubles
SELECT count(DISTINCT predict(m, ARRAY[i])) AS groups FROM (SELECT tree_regression(1e155 + 1e148 * (i % 10), ARRAY[i % 10]) AS m FROM generate_series(1, 100) AS i) AS fit, generate_series(0, 9) AS i;
SELECT count(*) AS sample FROM tree_nodes((SELECT forest_regression(i, i, '{"n_trees": 1, "max_samples": 0.1}') FROM generate_series(1, 30) AS i)) WHERE parent IS NULL AND weight = 3;
-- many classes, levels and features
SELECT avg((classify(m, ARRAY[x, x % 7]) = k::text)::int) > 0.9 AS classes FROM (SELECT extra_trees_classifier(x % 500, ARRAY[x, x % 7], '{"n_trees": 3}') AS m FROM generate_series(1, 1000) AS x) AS f, LATERAL (SELECT x, x % 500 AS k FROM generate_series(1, 1000) AS x) AS r;
SELECT r_squared(k % 10, predict(m, ROW('l' || k))) > 0.9 AS levels FROM (SELECT forest_regression(k % 10, ROW('l' || k), '{"n_trees": 5, "max_levels": 10000}') AS m FROM generate_series(1, 10000) AS k, generate_series(1, 2)) AS f, generate_series(1, 500) AS k;
SELECT avg((classify(m, x) = y::text)::int) = 1 AS features FROM (SELECT forest_classifier(y, x, '{"n_trees": 20}') AS m FROM (SELECT i % 2 AS y, ARRAY(SELECT (i * j * j % 1009 + CASE WHEN j % 100 = 0 THEN 600 * (i % 2) ELSE 0 END)::float8 FROM generate_series(1, 1000) AS j) AS x FROM generate_series(1, 60) AS i) AS t) AS f,
    LATERAL (SELECT i % 2 AS y, ARRAY(SELECT (i * j * j % 1009 + CASE WHEN j % 100 = 0 THEN 600 * (i % 2) ELSE 0 END)::float8 FROM generate_series(1, 1000) AS j) AS x FROM generate_series(1, 60) AS i) AS r;
SELECT avg((classify(m, ROW(c, i)) = (i % 2)::text)::int) > 0.9 AS long_level FROM (SELECT forest_classifier(i % 2, ROW(CASE WHEN i % 2 = 0 THEN repeat('x', 1000000) ELSE 'y' END, i), '{"n_trees": 3, "max_features": "all"}') AS m FROM generate_series(1, 20) AS i) AS f, generate_series(1, 20) AS i, LATERAL (SELECT CASE WHEN i % 2 = 0 THEN repeat('x', 1000000) ELSE 'y' END AS c) AS l;
-- a level that training did not see goes where a NULL goes
SELECT predict(m, ROW(1, 'new')) = predict(m, ROW(1, NULL::text)) AS unseen FROM (SELECT forest_regression(y, ROW(a, (f).c), '{"n_trees": 5}') AS m FROM plots) AS t;

-- refusals
SELECT try($$SELECT forest_classifier(label, f, '{"n_trees": 0}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"max_depth": -1}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"max_leaf_nodes": 1}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"min_samples_leaf": 0}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"max_features": 0}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"max_features": "half"}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"criterion": "mse"}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"voting": "loud"}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"max_samples": 241}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"max_samples": 1.5}') FROM plots$$);
SELECT try($$SELECT extra_trees_classifier(label, f, '{"max_samples": 0.5}') FROM plots$$);
SELECT try($$SELECT extra_trees_classifier(label, f, '{"importance": "permutation"}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"monotone": {"c": 1}}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"class_weight": {"lost": 2}}') FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"threshold": 0.3}') FROM plots$$);
SELECT try($$SELECT forest_regression(y - 100, f, '{"criterion": "poisson"}') FROM plots$$);
SELECT try($$SELECT forest_regression(0, a, '{"criterion": "poisson"}') FROM plots$$);
SELECT try($$SELECT forest_regression(label, f) FROM plots$$);
SELECT try($$SELECT forest_regression(y, 'Infinity'::float8) FROM plots$$);
SELECT try($$SELECT forest_classifier(label, f, '{"nulls": "error"}') FROM plots$$);
SELECT try($$SELECT predict(m, f) FROM fits, plots WHERE name = 'forest'$$);
SELECT try($$SELECT classify(m, f) FROM fits, plots WHERE name = 'numbers'$$);
-- too large, before the work
SET pgfit.fit_mem = '1MB';
SELECT try($$SELECT forest_classifier(i % 2, i) FROM generate_series(1, 20000) AS i$$);
SET pgfit.fit_mem = '100MB';
SELECT regexp_replace(try($$SELECT forest_regression(i * 7919 % 10007, i, '{"n_trees": 10000}') FROM generate_series(1, 2000) AS i$$), '[0-9.]+ (nodes|MB)', '# \1', 'g') AS memory;
SET pgfit.fit_mem = '1000GB';
SELECT regexp_replace(try($$SELECT forest_regression(i * 7919 % 10007, i, '{"n_trees": 1000000}') FROM generate_series(1, 2000) AS i$$), '[0-9.]+ (nodes|MB)', '# \1', 'g') AS size;
RESET pgfit.fit_mem;

-- merge: the trees of both, whatever the rows; their rows add up unless they are the same
CREATE TABLE halves AS
SELECT 'a' AS name, forest_classifier(label, f, '{"n_trees": 6, "seed": 1}') AS m FROM plots
UNION ALL SELECT 'b', forest_classifier(label, f, '{"n_trees": 9, "seed": 2}') FROM plots
UNION ALL SELECT 'c', forest_classifier(label, f, '{"n_trees": 5, "seed": 1}') FROM plots WHERE i > 20
UNION ALL SELECT 'd', forest_classifier(label, f, '{"n_trees": 5, "seed": 3, "max_depth": 3}') FROM plots
UNION ALL SELECT 'e', forest_classifier(label, a, '{"n_trees": 5, "seed": 3}') FROM plots
UNION ALL SELECT 'f', extra_trees_classifier(label, f, '{"n_trees": 5, "seed": 3}') FROM plots
UNION ALL SELECT 'g', forest_classifier(label, f, '{"n_trees": 5, "seed": 3}') FROM plots WHERE label <> 'cold';
SELECT info(m) -> 'statistics' ->> 'trees' AS trees, info(m) ->> 'rows' AS rows, info(m) -> 'options' ->> 'n_trees' AS n_trees, parameter(m, 'seeds') AS seeds, info(m) -> 'statistics' ? 'oob_error' AS oob
FROM (SELECT merge(a.m, b.m) AS m FROM halves a, halves b WHERE (a.name, b.name) IN (('a', 'b'), ('b', 'c'))) AS t ORDER BY 2;
SELECT bool_and(near_all(probabilities(m, f), ARRAY(SELECT (6 * x + 9 * y) / 15 FROM unnest(probabilities(first, f), probabilities(second, f)) AS u(x, y)))) AS mean
FROM (SELECT merge(a.m, b.m) AS m, a.m AS first, b.m AS second FROM halves a, halves b WHERE a.name = 'a' AND b.name = 'b') AS t, plots;
SELECT bool_and(near(i, (6 * x + 9 * y) / 15)) AS importance
FROM halves a, halves b, unnest(parameter(merge(a.m, b.m), 'importance'), parameter(a.m, 'importance'), parameter(b.m, 'importance')) AS v(i, x, y) WHERE a.name = 'a' AND b.name = 'b';
SELECT merge(a.m, NULL) = a.m AS null_b, merge(NULL, a.m) = a.m AS null_a, merge(a.m, b.m)::text::model = merge(a.m, b.m) AS text FROM halves a, halves b WHERE a.name = 'a' AND b.name = 'b';
SELECT (SELECT merge(m ORDER BY name) FROM halves WHERE name IN ('a', 'b')) = merge(a.m, b.m) AS aggregate FROM halves a, halves b WHERE a.name = 'a' AND b.name = 'b';
SELECT merge(m) IS NULL AS nothing FROM halves WHERE false;
SELECT merge(NULL::model) IS NULL AS null FROM halves;
SELECT try($$SELECT merge(m, m) FROM halves WHERE name = 'a'$$);
SELECT b.name, try(format('SELECT merge(a.m, b.m) FROM halves a, halves b WHERE a.name = ''a'' AND b.name = %L', b.name)) FROM halves b WHERE name IN ('d', 'e', 'f', 'g') ORDER BY 1;
SELECT try($$SELECT merge(m, moments(y, f)) FROM halves, plots WHERE name = 'a' GROUP BY m$$);
SELECT try($$SELECT merge(moments(y, f), m) FROM halves, plots WHERE name = 'a' GROUP BY m$$);
SELECT info(merge(x)) ->> 'rows' AS moments FROM (SELECT moments(y, a) AS x FROM plots) AS t;
SELECT try($$SELECT merge(x) FROM (SELECT linear_regression(y, a) AS x FROM plots) AS t$$);
SELECT try($$SELECT merge(x, x) FROM (SELECT linear_regression(y, a) AS x FROM plots) AS t$$);

-- forged models
SELECT try(format('SELECT %L::model', replace(m::text, '"seeds"', '"weeds"'))) FROM halves WHERE name = 'a';
SELECT try(format('SELECT %L::model', jsonb_set(m::jsonb, '{arrays,oob_curve}', '{"f64": [0.5]}'))) FROM halves WHERE name = 'a';
SELECT try(format('SELECT %L::model', jsonb_set(m::jsonb, '{arrays,tree_nodes}', '{"i32": [1]}'))) FROM halves WHERE name = 'a';

-- monotone constraints: the prediction, and the probability of the last class, never fall
CREATE TABLE hills AS SELECT i, i % 20 AS a, i * 7 % 11 AS b, (i % 20) * 0.3 + sin(i % 20) * 2 + cos(i * 7 % 11) + (hashint4(i) % 100) / 50.0 AS y FROM generate_series(1, 400) i;
CREATE TABLE risen AS SELECT 'forest' AS name, forest_regression(y, ARRAY[a, b], '{"n_trees": 8, "monotone": {"f1": 1}}') AS m FROM hills
UNION ALL SELECT 'bins', forest_regression(y, ARRAY[a, b], '{"n_trees": 8, "monotone": {"f1": 1}, "split": "binned"}') FROM hills
UNION ALL SELECT 'extra', extra_trees_regression(y, ARRAY[a, b], '{"n_trees": 8, "monotone": {"f1": 1}}') FROM hills
UNION ALL SELECT 'none', forest_regression(y, ARRAY[a, b], '{"n_trees": 8}') FROM hills;
SELECT name, bool_and(step >= 0) AS rises FROM (SELECT name, predict(m, ARRAY[x, z]) - lag(predict(m, ARRAY[x, z])) OVER (PARTITION BY name, z ORDER BY x) AS step FROM risen, generate_series(-1, 20) x, generate_series(0, 10, 2) z) t GROUP BY name ORDER BY name;
SELECT name, bool_and(step <= 0) AS falls FROM (SELECT name, probability(m, ARRAY[x, z]) - lag(probability(m, ARRAY[x, z])) OVER (PARTITION BY name, z ORDER BY x) AS step
    FROM (SELECT 'forest' AS name, forest_classifier(y > 3, ARRAY[a, b], '{"n_trees": 8, "monotone": {"f1": -1}}') AS m FROM hills UNION ALL SELECT 'bins', forest_classifier(y > 3, ARRAY[a, b], '{"n_trees": 8, "monotone": {"f1": -1}, "split": "binned"}') FROM hills
        UNION ALL SELECT 'extra', extra_trees_classifier(y > 3, ARRAY[a, b], '{"n_trees": 8, "monotone": {"f1": -1}, "criterion": "entropy"}') FROM hills UNION ALL SELECT 'votes', forest_classifier(y > 3, ARRAY[a, b], '{"n_trees": 8, "monotone": {"f1": -1}, "voting": "hard"}') FROM hills) u,
    generate_series(-1, 20) x, generate_series(0, 10, 2) z) t GROUP BY name ORDER BY name;
SELECT try($$SELECT forest_classifier(i % 3, ARRAY[a, b], '{"monotone": {"f1": 1}}') FROM hills$$);
SELECT try($$SELECT extra_trees_regression(y, ARRAY[a, b], '{"split": "binned"}') FROM hills$$);
SELECT try($$SELECT forest_regression(y, ARRAY[a, b], '{"split": "binned", "criterion": "mae"}') FROM hills$$);
-- ties of two classes: half of the trees vote for each
SELECT tie, classify(m, ARRAY[1, 1]) AS class, (SELECT to_sql(m)) ~ 'WHEN 0' AS in_sql FROM unnest(ARRAY['negative', 'positive', 'null']) tie,
    LATERAL (SELECT forest_classifier(i % 2 = 0, ARRAY[1, 1], jsonb_build_object('tie', tie, 'n_trees', 3, 'bootstrap', false)) AS m FROM generate_series(1, 10) i) f;
SELECT classify(m, ARRAY[1, 1]) IS NULL AS no_class FROM (SELECT extra_trees_classifier(i % 2 = 0, ARRAY[1, 1], '{"tie": "null", "n_trees": 3}') AS m FROM generate_series(1, 10) i) f;
-- frequencies count in the least sizes of leaves
SELECT name, min(weight) FILTER (WHERE feature IS NULL) >= 30 AS "frequencies" FROM (SELECT 'frequency' AS name, forest_regression(y, ARRAY[a, b], '{"n_trees": 2, "bootstrap": false, "weight_kind": "frequency", "min_samples_leaf": 30}', 3) AS m FROM hills
    UNION ALL SELECT 'bins', forest_regression(y, ARRAY[a, b], '{"n_trees": 2, "bootstrap": false, "weight_kind": "frequency", "min_samples_leaf": 30, "split": "binned"}', 3) FROM hills) t, tree_nodes(m) GROUP BY name ORDER BY name;
SELECT tree_rules(w) = tree_rules(r) AS same, tree_rules(w) = tree_rules(p) AS without FROM (SELECT extra_trees_regression(y, ARRAY[a, b], '{"n_trees": 1, "max_depth": 1, "weight_kind": "frequency", "min_samples_leaf": 150}', 3) AS w, extra_trees_regression(y, ARRAY[a, b], '{"n_trees": 1, "max_depth": 1, "min_samples_leaf": 50}', 3) AS r,
    extra_trees_regression(y, ARRAY[a, b], '{"n_trees": 1, "max_depth": 1, "min_samples_leaf": 150}', 3) AS p FROM hills) t;
-- tiny targets are not constant
SELECT e, count(DISTINCT predict(f, ARRAY[a, b])) > 50 AS forest, bool_and(near(predict(s, ARRAY[a, b]) / t, predict(o, ARRAY[a, b]), 1e-9)) AS tree, (info(f) -> 'statistics' ->> 'oob_error')::float8 / t / t BETWEEN 0.5 AND 6 AS oob
FROM unnest('{-40, -150}'::int[]) e, LATERAL (SELECT 10::float8 ^ e AS t) p, LATERAL (SELECT forest_regression(y * t, ARRAY[a, b], '{"n_trees": 5}') AS f, tree_regression(y * t, ARRAY[a, b], '{"max_depth": 5, "split": "binned"}') AS s, tree_regression(y::float8, ARRAY[a, b], '{"max_depth": 5}') AS o FROM hills) m, hills GROUP BY e, t, f ORDER BY e;
DROP TABLE hills, risen;

-- start: continues a forest; the same rows give the forest of one fit with all trees, with its out-of-bag error and importance
CREATE FUNCTION continued(method text, target text, o jsonb, weight text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    whole model;
    more model;
BEGIN
    EXECUTE format('SELECT %I(%s, f, $1 || ''{"n_trees": 9}'', %s) FROM plots', method, target, weight) INTO whole USING o;
    EXECUTE format('SELECT %1$I(%2$s, f, $1 || ''{"n_trees": 9}'' || jsonb_build_object(''start'', (SELECT %1$I(%2$s, f, $1 || ''{"n_trees": 4}'', %3$s)::jsonb FROM plots)), %3$s) FROM plots', method, target, weight) INTO more USING o;
    RETURN more = whole;
END $$;
SELECT method, target, count(*) AS options, bool_and(continued(method, target, o, '1') AND continued(method, target, o, 'w + 0.1')) AS same
FROM (VALUES ('forest_classifier', 'label'), ('forest_classifier', 'yes'), ('extra_trees_classifier', 'label'), ('forest_regression', 'y'), ('forest_regression', 'y * 1e-30'), ('forest_regression', 'y + 1e9'), ('extra_trees_regression', 'y')) AS m(method, target),
    unnest('{"{}","{\"bootstrap\": true, \"importance\": \"permutation\", \"seed\": 7}","{\"max_leaf_nodes\": 6, \"importance\": \"none\"}","{\"max_depth\": 4, \"nulls\": \"skip\", \"bootstrap\": true, \"max_samples\": 0.5}"}'::jsonb[]) AS o GROUP BY method, target ORDER BY method, target;
SELECT bool_and(continued('forest_classifier', 'label', o, 'w')) AS classes, bool_and(continued('forest_regression', 'y', o - 'voting' - 'class_weight', 'w')) AS numbers
FROM unnest('{"{\"split\": \"binned\"}","{\"split\": \"binned\", \"max_depth\": 3, \"importance\": \"permutation\"}","{\"voting\": \"hard\", \"class_weight\": \"balanced\"}"}'::jsonb[]) AS o;
-- other rows are added to those of the forest, as merge does it, and may lack levels; so do more trees for merged forests
CREATE FUNCTION and_more(start model, more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$ SELECT '{"n_trees": 9}'::jsonb || more || jsonb_build_object('start', start::jsonb) $$;
CREATE TABLE begun AS SELECT forest_regression(y, f, '{"n_trees": 4}') AS m, forest_classifier(label, f, '{"n_trees": 4}') AS c FROM plots;
SELECT (SELECT jsonb_agg(level ORDER BY level) FROM levels(more)) AS levels, info(more) -> 'rows' AS rows, info(more) -> 'statistics' ->> 'trees' AS trees, info(more) -> 'options' -> 'start' AS start, info(more) -> 'statistics' ? 'oob_error' AS out_of_bag,
    near((SELECT sum(importance) FROM importance(more)), 1) AS shares, (SELECT count(*) FROM tree_nodes(more) AS x JOIN tree_nodes(m) AS z ON (x.tree, x.node, x.feature, x.threshold, x.value) IS NOT DISTINCT FROM (z.tree, z.node, z.feature, z.threshold, z.value)) = (SELECT count(*) FROM tree_nodes(m)) AS begins_with_it
FROM (SELECT m, (SELECT forest_regression(y, f, and_more(m)) FROM plots WHERE i <= 90 AND (f).c <> 'north') AS more FROM begun) AS t;
SELECT info(more) -> 'rows' AS rows, info(more) -> 'statistics' ->> 'trees' AS trees, info(more) -> 'statistics' ? 'oob_error' AS out_of_bag, more::jsonb #> '{arrays,seeds}' AS seeds
FROM (SELECT forest_regression(y, f, and_more((SELECT merge(m, (SELECT forest_regression(y, f, '{"n_trees": 3, "seed": 5}') FROM plots)) FROM begun))) AS more FROM plots) AS t;
-- merge knows the trees again
SELECT try('SELECT merge(forest_regression(y, f, and_more(m)), m) FROM plots, begun GROUP BY m');
SELECT try('SELECT forest_regression(y, ROW(1, 2, ''new'', true)::plot, and_more(m)) FROM plots, begun GROUP BY m');
SELECT try('SELECT forest_regression(y, g, and_more(m)) FROM plots, begun, LATERAL (SELECT 1 AS a, 2 AS c) AS g GROUP BY m');
SELECT try('SELECT forest_regression(y, f, and_more(c)) FROM plots, begun GROUP BY c');
SELECT try('SELECT extra_trees_regression(y, f, and_more(m)) FROM plots, begun GROUP BY m');
SELECT try('SELECT forest_classifier(label, f, and_more(c)) FROM plots, begun WHERE label < ''low'' GROUP BY c');
SELECT try(format('SELECT forest_regression(y, f, and_more(m, %L)) FROM plots, begun GROUP BY m', o)) FROM unnest(ARRAY['{"seed": 1}', '{"max_depth": 5}', '{"n_trees": 4}', '{"n_trees": 3}']) AS o;
SELECT try($$SELECT forest_regression(y, f, '{"start": 1}') FROM plots$$);
SELECT try($$SELECT forest_regression(y, f, '{"start": {"model": "pgfit"}}') FROM plots$$);
DROP TABLE begun;
DROP FUNCTION continued, and_more;

-- isolation_forest: what lies apart scores high
CREATE TABLE crowd AS SELECT i, ARRAY[i % 20, i / 20 % 20] || CASE WHEN i % 5 > 0 THEN (i % 3)::float8 END AS x FROM generate_series(0, 399) AS i UNION ALL SELECT 1000, '{60,-30,1}' UNION ALL SELECT 1001, '{9,80,NULL}';
CREATE TABLE isolated AS SELECT isolation_forest(x) AS m, isolation_forest(x, '{"contamination": 0.05, "n_trees": 50}') AS n, isolation_forest(x, '{"contamination": 0.05}', 1 + i % 2) AS w FROM crowd;
SELECT info(m) -> 'statistics' AS statistics, info(m) -> 'options' ->> 'max_samples' AS max_samples FROM isolated;
SELECT array_agg(i ORDER BY decision(m, x) DESC) FILTER (WHERE i >= 1000) AS apart, min(decision(m, x)) FILTER (WHERE i >= 1000) > max(decision(m, x)) FILTER (WHERE i < 1000) AS first, min(decision(m, x)) > 0 AND max(decision(m, x)) < 1 AS scores,
    array_agg(DISTINCT classify(m, x)) AS labels, bool_and((classify(m, x) = 'out') = (decision(m, x) > 0.5)) AS auto, count(*) FILTER (WHERE classify(n, x) = 'out') BETWEEN 15 AND 20 AS share, count(*) FILTER (WHERE classify(w, x) = 'out') BETWEEN 10 AND 25 AS weighted FROM isolated, crowd;
SELECT classify(m, ROW('new', 1)) IS NOT NULL AS categories, classify(m, ROW(NULL::text, NULL::int)) IS NOT NULL AS nulls FROM (SELECT isolation_forest(ROW(CASE WHEN i = 3 THEN 'odd' ELSE 'usual' END, i)) AS m FROM generate_series(1, 100) AS i) AS t;
SELECT decision(m, 1) = decision(m, 2) AS constant FROM (SELECT isolation_forest(1) AS m FROM generate_series(1, 10)) AS t;
SELECT decision(m, ARRAY[1, 2]) = decision(m, ARRAY[NULL, 3]::int[]) AS all_null FROM (SELECT isolation_forest(ARRAY[NULL, NULL]::int[]) AS m FROM generate_series(1, 10)) AS t;
SELECT try('SELECT isolation_forest(1)');
SELECT isolation_forest(1) IS NULL AS no_rows WHERE false;
SELECT try($$SELECT isolation_forest(x, '{"contamination": 0.6}') FROM crowd$$);
SELECT try($$SELECT isolation_forest(x, '{"contamination": 0}') FROM crowd$$);
SELECT try($$SELECT isolation_forest(x, '{"contamination": "some"}') FROM crowd$$);
SELECT try($$SELECT isolation_forest(x, '{"max_samples": 1}') FROM crowd$$);
SELECT try($$SELECT isolation_forest(x, '{"n_trees": 0}') FROM crowd$$);
SELECT try($$SELECT probability(m, x) FROM isolated, crowd$$);
SELECT try($$SELECT merge(m, n) FROM isolated$$);
SELECT m::text::model = m AS text FROM isolated;
-- class weights of labels that are called like options stay as they are
SELECT m::jsonb #> '{options,class_weight}' AS weights, m::jsonb #> '{options,n_trees}' AS trees
FROM (SELECT merge(forest_classifier(label, i, '{"n_trees": 2, "seed": 1, "class_weight": {"seed": 2, "n_trees": 3, "x": 1}}'::jsonb),
    forest_classifier(label, i, '{"n_trees": 2, "seed": 2, "class_weight": {"seed": 2, "n_trees": 3, "x": 1}}'::jsonb)) AS m
    FROM generate_series(1, 60) AS i, LATERAL (SELECT (ARRAY['seed', 'n_trees', 'x'])[i % 3 + 1] AS label) AS l) AS f;
DROP TABLE plots, fits, ones, voters, sql_of, halves, crowd, isolated;
DROP FUNCTION same_tree;
DROP TYPE plot;
SELECT regexp_replace(summary(isolation_forest((x, x * x), '{"n_trees": 7}'::jsonb)), 'per tree: [0-9.]+', 'per tree: #', 'g') AS summary FROM generate_series(1, 300) AS x;
-- rows that nothing separates score 0.5 exactly, and none of them is out
SELECT n, count(*) FILTER (WHERE classify(m, (7, 7)) = 'out') AS out, min(decision(m, (7, 7))) = 0.5 AS half
FROM (VALUES (2), (37), (300), (1000)) AS v(n), LATERAL (SELECT isolation_forest((7, 7)) AS m FROM generate_series(1, n)) AS f GROUP BY n ORDER BY n;
SELECT classify(isolation_forest((7, 7), '{"contamination": 0.2}'), (7, 7)) AS label FROM generate_series(1, 50);
-- a text that is NULL in all rows crashed extra trees
SELECT pgfit.predict(pgfit.extra_trees_regression(i * 2, ROW(i, NULL::text, i % 3), '{"n_trees": 3}'), ROW(5, NULL::text, 2)) BETWEEN 2 AND 18 AS number,
       pgfit.extra_trees_classifier(i % 2 = 0, ROW(NULL::text)) IS NOT NULL AS nothing FROM generate_series(1, 9) AS i;
-- leaves of trees with drawn thresholds hold enough rows, of which a weight that counts them says how many there are
SELECT kind, min(weight) >= 6 AS enough, min(weight) < 9 AS no_more FROM unnest(ARRAY['frequency', 'precision']) AS kind,
    LATERAL (SELECT extra_trees_regression(i * i % 17 + i % 7 + i % 3, f, jsonb_build_object('weight_kind', kind, 'min_samples_leaf', 6, 'n_trees', 20), 1 + i % 3) AS m FROM generate_series(1, 200) AS i, LATERAL (SELECT i * i % 17 AS a, i % 7 AS b) AS f) AS t,
    tree_nodes(m) WHERE feature IS NULL GROUP BY kind ORDER BY kind;
