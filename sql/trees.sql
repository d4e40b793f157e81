-- tree_classifier, tree_regression: what users see, edges, refusals
SET search_path = public, test, pgfit, pgfit_textbook;
CREATE TABLE play (day int, outlook text, temperature float8, humidity float8, windy boolean, play text);
INSERT INTO play VALUES
    (1, 'sunny', 85, 85, false, 'no'), (2, 'sunny', 80, 90, true, 'no'), (3, 'overcast', 83, 78, false, 'yes'), (4, 'rain', 70, 96, false, 'yes'), (5, 'rain', 68, 80, false, 'yes'),
    (6, 'rain', 65, 70, true, 'no'), (7, 'overcast', 64, 65, true, 'yes'), (8, 'sunny', 72, 95, false, 'no'), (9, 'sunny', 69, 70, false, 'yes'), (10, 'rain', 75, 80, false, 'yes'),
    (11, 'sunny', 75, 70, true, 'yes'), (12, 'overcast', 72, 90, true, 'yes'), (13, 'overcast', 81, 75, false, 'yes'), (14, 'rain', 71, 80, true, 'no');
CREATE TYPE weather AS (outlook text, temperature float8, humidity float8, windy boolean);
CREATE TYPE cooler AS (outlook text, humidity float8, windy boolean);
CREATE VIEW plays AS SELECT day, play, temperature, ROW(outlook, temperature, humidity, windy)::weather AS f, ROW(outlook, humidity, windy)::cooler AS g FROM play;
CREATE TABLE fits AS SELECT tree_classifier(play, f) AS m, tree_regression(temperature, g, '{"max_depth": 2}') AS r FROM plays;
SELECT tree_rules(m) FROM fits;
SELECT summary(m) FROM fits;
SELECT to_sql(m) FROM fits;
SELECT tree, node, parent, depth, feature, threshold, levels, missing, weight, round(impurity::numeric, 4) AS impurity, round(gain::numeric, 4) AS gain, value FROM fits, tree_nodes(m);
SELECT feature, round(importance::numeric, 4) AS importance FROM fits, importance(m);
SELECT sum(importance) AS one FROM fits, importance(m);
SELECT info(m) -> 'statistics' AS statistics, info(r) -> 'statistics' AS of_regression FROM fits;
SELECT tree_rules(r) FROM fits;
SELECT day, classify(m, f), probabilities(m, f), round(predict(r, g)::numeric, 4) AS predict FROM plays, fits ORDER BY day LIMIT 4;

-- the SQL gives what the model does, for rows that training did not see as well
CREATE TABLE others AS SELECT o.outlook, t.temperature, h.humidity, w.windy
FROM unnest('{sunny,rain,overcast,fog,NULL}'::text[]) o(outlook), unnest('{60,70.5,77,NULL}'::float8[]) t(temperature), unnest('{65,77.5,80,99,NULL}'::float8[]) h(humidity), unnest('{true,false,NULL}'::boolean[]) w(windy);
CREATE TABLE scored (rows bigint, classes bigint, numbers bigint, skipping bigint, complete bigint);
DO $$
DECLARE
    m model = (SELECT f.m FROM fits f);
    r model = (SELECT f.r FROM fits f);
    skipping model = (SELECT tree_classifier(play, f, '{"nulls": "skip"}') FROM plays);
BEGIN
    EXECUTE format('INSERT INTO scored SELECT count(*), count(*) FILTER (WHERE classify($1, f) IS DISTINCT FROM %s), count(*) FILTER (WHERE predict($2, g) IS DISTINCT FROM %s),
                    count(*) FILTER (WHERE classify($3, f) IS DISTINCT FROM %s), count(classify($3, f)) FROM (SELECT *, ROW(outlook, temperature, humidity, windy)::weather AS f, ROW(outlook, humidity, windy)::cooler AS g FROM others) o',
                   to_sql(m), to_sql(r), to_sql(skipping)) USING m, r, skipping;
END
$$;
SELECT rows, classes AS other_classes, numbers AS other_numbers, skipping AS other_where_nulls_skip, complete FROM scored;

-- contributions add up
SELECT count(*) AS rows, bool_and(near(total, probability(m, f))) AS add_up
FROM others, LATERAL (SELECT outlook, temperature, humidity, windy) f, fits, LATERAL (SELECT sum(contribution) AS total FROM explain(m, f)) e;
SELECT count(*) AS rows, bool_and(near(total, predict(r, f))) AS add_up
FROM others, LATERAL (SELECT outlook, humidity, windy) f, fits, LATERAL (SELECT sum(contribution) AS total FROM explain(r, f)) e;
SELECT term, round(contribution::numeric, 4) AS contribution FROM fits, plays, explain(m, f) WHERE day = 11;

-- NULL is a value: each split learns where it goes; or rows are skipped; or refused
CREATE TABLE gaps AS SELECT i, CASE WHEN i % 3 > 0 THEN i % 7 END AS a, CASE WHEN i % 4 > 0 THEN chr(97 + i % 3) END AS b, (i % 3 = 0 OR i % 7 > 4)::int AS y FROM generate_series(1, 84) AS i;
SELECT tree_rules(tree_classifier(y, f)) FROM gaps, LATERAL (SELECT a, b) f;
SELECT info(tree_classifier(y, f)) -> 'skipped' AS skipped, info(tree_classifier(y, f, '{"nulls": "skip"}')) -> 'skipped' AS by_option FROM gaps, LATERAL (SELECT a, b) f;
SELECT bool_and(classify(m, f)::int = y) AS all_right FROM gaps, LATERAL (SELECT a, b) f, (SELECT tree_classifier(y, f) AS m FROM gaps, LATERAL (SELECT a, b) f) fit;
SELECT test.try('SELECT tree_classifier(y, f, ''{"nulls": "error"}'') FROM gaps, LATERAL (SELECT a, b) f');
SELECT test.try('SELECT tree_classifier(y, f, ''{"nulls": "impute"}'') FROM gaps, LATERAL (SELECT a, b) f');
SELECT test.try('SELECT kmeans(f, 2, ''{"nulls": "branch"}'') FROM gaps, LATERAL (SELECT a) f');
-- as objects, arrays and single values; a NULL in an array inside a row
SELECT classify(m, jsonb_build_object('a', NULL, 'b', 'a')) AS null_a, classify(m, '{"a": 5, "b": null}'::jsonb) AS null_b, classify(m, '{"a": 1, "b": "new"}'::jsonb) AS new_level
FROM (SELECT tree_classifier(y, jsonb_build_object('b', b, 'a', a)) AS m FROM (SELECT * FROM gaps ORDER BY a IS NULL OR b IS NULL, i) g) fit;
SELECT predict(m, ARRAY[NULL, 1]::float8[]) AS first, predict(m, ARRAY[1, NULL]::float8[]) AS second, predict(m, ARRAY[NULL, NULL]::float8[]) AS both
FROM (SELECT tree_regression(y, ARRAY[a, a * i % 5]::float8[]) AS m FROM gaps) fit;
SELECT predict(m, NULL::float8) IS NULL AS no_features, tree_rules(m) FROM (SELECT tree_regression(i, a::float8) AS m FROM gaps WHERE i < 5) fit;
SELECT tree_rules(m), classify(m, ROW(ARRAY[NULL, 1]::float8[], 'x'::text)) FROM (SELECT tree_classifier(y, (ARRAY[a, 1]::float8[], b)) AS m FROM gaps) fit;
SELECT tree_rules(tree_regression(i, f)) FROM (SELECT i, NULL::float8 AS x, NULL::text AS t FROM generate_series(1, 3) i) r, LATERAL (SELECT x, t) f;

-- categories: for numbers and two classes no other subset is better
CREATE TABLE levels AS SELECT i, chr(97 + (i * 7) % 6) AS t, hashint4(i) % 2 = 0 AS c, ((hashint4(i * 31) % 1000) + 1000) / 10.0 AS y FROM generate_series(1, 90) AS i;
WITH subsets AS (SELECT s, array_agg(chr(97 + k)) AS members FROM generate_series(1, 62) s, generate_series(0, 5) k WHERE s >> k & 1 = 1 GROUP BY s),
     sums AS (SELECT s, sum(c.n1) FILTER (WHERE l) AS a1, sum(c.n0) FILTER (WHERE l) AS a0, sum(c.n1) FILTER (WHERE NOT l) AS b1, sum(c.n0) FILTER (WHERE NOT l) AS b0
              FROM subsets, LATERAL (SELECT t = ANY (members) AS l, count(*) FILTER (WHERE c) AS n1, count(*) FILTER (WHERE NOT c) AS n0 FROM levels GROUP BY t) c GROUP BY s)
SELECT criterion, near(max(split_gain(ARRAY[ARRAY[a0, a1], ARRAY[b0, b1]]::float8[], criterion)), (SELECT gain FROM tree_nodes((SELECT tree_classifier(c, f, json_build_object('criterion', criterion, 'max_depth', 1)::jsonb) FROM levels, LATERAL (SELECT t) f)) WHERE node = 1)) AS best
FROM sums, unnest('{gini,entropy,sqrt_gini}'::text[]) criterion GROUP BY criterion ORDER BY 1;
WITH subsets AS (SELECT s, array_agg(chr(97 + k)) AS members FROM generate_series(1, 62) s, generate_series(0, 5) k WHERE s >> k & 1 = 1 GROUP BY s),
     gains AS (SELECT s, (SELECT var_pop(y) FROM levels) - sum(v * n) / 90 AS gain FROM subsets, LATERAL (SELECT var_pop(y) AS v, count(*) AS n FROM levels GROUP BY t = ANY (members)) g GROUP BY s)
SELECT near(max(gain)::float8, (SELECT gain FROM tree_nodes((SELECT tree_regression(y, f, '{"max_depth": 1}') FROM levels, LATERAL (SELECT t) f)) WHERE node = 1), 1e-9) AS best FROM gains;
SELECT tree_rules(tree_classifier(t, f, '{"max_depth": 2}')) FROM (SELECT chr(97 + i % 6) AS u, chr(97 + i % 3) AS t FROM generate_series(1, 60) i) r, LATERAL (SELECT u) f;

-- a chain: every split takes one row, which is moved within the other features' lists; counts or weights give the same tree
SELECT criterion, tree_rules(counted) = tree_rules(weighted) AS same, info(counted) -> 'statistics' -> 'depth' AS depth,
    (SELECT bool_and(classify(counted, f) = (g % 3)::text) FROM generate_series(1, 700) g, LATERAL (SELECT g AS i, -g / 3 AS b, nullif(g % 11, 4) AS c, g * 7919 % 701 AS d) f) AS right FROM (
    SELECT criterion, tree_classifier(y, f, json_build_object('criterion', criterion)::jsonb) AS counted, tree_classifier(y, f, json_build_object('criterion', criterion)::jsonb, 1) AS weighted
    FROM (SELECT (i % 3)::text AS y, i, -i / 3 AS b, nullif(i % 11, 4) AS c, i * 7919 % 701 AS d FROM generate_series(1, 700) i) r, LATERAL (SELECT i, b, c, d) f, unnest('{gini,entropy,sqrt_gini,minority}'::text[]) criterion GROUP BY criterion) t ORDER BY criterion;

-- weights: 3 is like three rows, whatever the criterion; class weights multiply them
CREATE TABLE weighted AS SELECT i % 13 + i % 4 * 2.5 AS y, i * 7 % 23 AS x, i % 11 AS z, 1 + i % 3 AS w FROM generate_series(1, 60) i;
SELECT criterion, (SELECT string_agg(feature || threshold, ',' ORDER BY node) FROM tree_nodes(weighted)) = (SELECT string_agg(feature || threshold, ',' ORDER BY node) FROM tree_nodes(repeated)) AS same_splits
FROM unnest('{mse,mae,poisson}'::text[]) criterion,
     LATERAL (SELECT tree_regression(y, ARRAY[x, z], json_build_object('criterion', criterion, 'max_depth', 3)::jsonb, w) AS weighted FROM weighted) a,
     LATERAL (SELECT tree_regression(y, ARRAY[x, z], json_build_object('criterion', criterion, 'max_depth', 3)::jsonb) AS repeated FROM weighted, generate_series(1, w)) b;
SELECT criterion, (SELECT string_agg(feature || threshold, ',' ORDER BY node) FROM tree_nodes(weighted)) = (SELECT string_agg(feature || threshold, ',' ORDER BY node) FROM tree_nodes(repeated)) AS same_splits
FROM unnest('{gini,entropy,sqrt_gini,minority}'::text[]) criterion,
     LATERAL (SELECT tree_classifier(y > 9, ARRAY[x, z], json_build_object('criterion', criterion, 'max_depth', 3)::jsonb, w) AS weighted FROM weighted) a,
     LATERAL (SELECT tree_classifier(y > 9, ARRAY[x, z], json_build_object('criterion', criterion, 'max_depth', 3)::jsonb) AS repeated FROM weighted, generate_series(1, w)) b;
SELECT tree_rules(tree_classifier(play, f, '{"class_weight": {"no": 10}, "max_depth": 1}')) FROM plays;
SELECT tree_rules(tree_classifier(play, f, '{"class_weight": "balanced", "max_depth": 1}')) FROM plays;

-- stops
SELECT option, value, (SELECT count(*) FROM tree_nodes(m) WHERE feature IS NULL) AS leaves, (SELECT max(depth) FROM tree_nodes(m)) AS depth, (SELECT min(weight) FROM tree_nodes(m)) AS smallest
FROM (VALUES ('max_depth', '0'), ('max_depth', '3'), ('min_samples_split', '30'), ('min_samples_leaf', '9'), ('max_leaf_nodes', '2'), ('max_leaf_nodes', '7'), ('min_impurity_decrease', '20'),
             ('max_features', '1'), ('max_features', '0.5'), ('max_features', '"sqrt"')) o(option, value),
     LATERAL (SELECT tree_regression(y, f, jsonb_build_object(option, value::jsonb)) AS m FROM levels, LATERAL (SELECT t, i AS n, i * i % 17 AS k) f) fit;
-- the best leaf first: a smaller limit is the same tree cut off
SELECT bool_and(near(near_gain, gain)) AS nested FROM (SELECT tree_regression(y, f, '{"max_leaf_nodes": 5}') AS five, tree_regression(y, f, '{"max_leaf_nodes": 6}') AS six FROM levels, LATERAL (SELECT i AS n) f) s,
     LATERAL (SELECT gain, (SELECT max(b.gain) FROM tree_nodes(six) b WHERE b.threshold = a.threshold) AS near_gain FROM tree_nodes(five) a WHERE feature IS NOT NULL) g;

-- pruning
SELECT leaves, round(alpha::numeric, 5) AS alpha, round(impurity::numeric, 5) AS impurity, round(cv_error::numeric, 5) AS cv_error, chosen
FROM prune_path((SELECT tree_classifier(play, f, '{"prune": "cost_complexity", "folds": 5}') FROM plays));
SELECT alpha, (SELECT count(*) FROM tree_nodes(m) WHERE feature IS NULL) = (SELECT leaves FROM prune_path(m) p WHERE p.alpha <= a.alpha ORDER BY p.alpha DESC LIMIT 1) AS as_the_path_says,
       (SELECT count(*) FROM tree_nodes(m) WHERE feature IS NULL) = (SELECT sum(leaves) FROM prune_path(m) WHERE chosen) AS as_chosen
FROM unnest('{0,0.01,0.05,0.08,0.12,1}'::float8[]) a(alpha), LATERAL (SELECT tree_classifier(play, f, json_build_object('prune', 'cost_complexity', 'complexity', alpha)::jsonb) AS m FROM plays) fit;
SELECT info(tree_regression(y, f, '{"prune": "cost_complexity"}')) #> '{statistics,leaves}' AS least_error, info(tree_regression(y, f, '{"prune": "cost_complexity", "complexity": "1se"}')) #> '{statistics,leaves}' AS one_se
FROM (SELECT i, i % 4 * 10 + hashint4(i) % 5 AS y, i % 4 AS a, i % 29 AS b FROM generate_series(1, 200) i) r, LATERAL (SELECT a, b) f;
SELECT tree_rules(tree_classifier(play, f, '{"prune": "reduced_error", "holdout_column": "held"}')) FROM play, LATERAL (SELECT outlook, humidity, windy, day > 9 AS held) f;
SELECT (info(m) -> 'statistics') - 'holdout_error' AS statistics FROM (SELECT tree_classifier(c, f, '{"prune": "reduced_error", "holdout": 0.4, "seed": 3}') AS m FROM levels, LATERAL (SELECT t, i AS n) f) s;
SELECT prune, tree_rules(tree_classifier(c, ARRAY[x], jsonb_build_object('prune', prune))) FROM unnest('{none,merge}'::text[]) prune, (VALUES (1, 'a'), (1, 'a'), (1, 'b'), (2, 'a'), (3, 'b')) r(x, c) GROUP BY prune ORDER BY prune DESC;
SELECT test.try(format('SELECT tree_classifier(play, f, %L) FROM plays', o)) FROM unnest(ARRAY['{"holdout": 0.5}', '{"prune": "merge", "complexity": 1}', '{"prune": "reduced_error", "holdout_column": "nowhere"}', '{"prune": "reduced_error", "holdout": 1e-9}']) o;
-- the message said that the column holds the ids
SELECT test.try('SELECT tree_classifier(play, f, ''{"formula": "outlook + windy", "prune": "reduced_error", "holdout_column": "windy"}'') FROM plays');
SELECT test.try('SELECT prune_path(tree_classifier(play, f)) FROM plays');

-- monotone constraints
SELECT name, count(*) FILTER (WHERE predict < before) AS falls, count(*) FILTER (WHERE predict > before) > 0 AS rises
FROM (VALUES ('mse', '{}'), ('mae', '{}'), ('poisson', '{}'), ('best first', '{"max_leaf_nodes": 9}')) o(name, options),
     LATERAL (SELECT tree_regression(y, f, options::jsonb || jsonb_build_object('monotone', '{"x": 1}'::jsonb) || CASE WHEN name = 'best first' THEN '{}' ELSE jsonb_build_object('criterion', name) END) AS m
              FROM (SELECT i % 20 + hashint4(i) % 9 + 10 AS y, i % 20 AS x, i % 7 AS z FROM generate_series(1, 200) i) r, LATERAL (SELECT x, z) f) fit,
     LATERAL (SELECT predict(m, f) AS predict, lag(predict(m, f)) OVER (PARTITION BY b ORDER BY a) AS before FROM generate_series(0, 20) a, generate_series(0, 7) b, LATERAL (SELECT a AS x, b AS z) f) p
GROUP BY name ORDER BY name;
SELECT count(*) FILTER (WHERE p > before) AS rises, count(*) FILTER (WHERE p < before) > 0 AS falls
FROM (SELECT tree_classifier(y, f, '{"monotone": {"x": -1}}') AS m FROM (SELECT (hashint4(i) % 20 > i % 20) AS y, i % 20 AS x, i % 7 AS z FROM generate_series(1, 400) i) r, LATERAL (SELECT x, z) f) fit,
     LATERAL (SELECT probability(m, f) AS p, lag(probability(m, f)) OVER (PARTITION BY b ORDER BY a) AS before FROM generate_series(0, 20) a, generate_series(0, 7) b, LATERAL (SELECT a AS x, b AS z) f) q;
SELECT test.try(format('SELECT tree_classifier(play, f, %L) FROM plays', o)) FROM unnest(ARRAY['{"monotone": {"outlook": 1}}', '{"monotone": {"nothing": 1}}', '{"monotone": {"humidity": 0.5}}', '{"monotone": {"humidity": 2}}']) o;
SELECT test.try('SELECT tree_classifier(outlook, ARRAY[humidity], ''{"monotone": {"f1": 1}}'') FROM play');
-- to the last bit, where leaves of any weights end at one bound, pruned or not
CREATE TABLE slopes AS SELECT i, a, b, w, a * 0.7 + sin(a * 3) * 1.5 + cos(b * 2) * b / 3 + hashint4(i) % 1000 / 700.0 > 4 AS yes, ARRAY[a, b] AS f
FROM generate_series(1, 1000) AS i, LATERAL (SELECT i * 7919 % 1009 / 100.0::float8 AS a, i * 10473 % 977 / 120.0::float8 AS b, 0.1 + i % 7 / 3.0::float8 AS w) AS v;
SELECT o AS options, count(*) FILTER (WHERE falls) AS falls
FROM (SELECT o, probability(m, ARRAY[x, z]) < lag(probability(m, ARRAY[x, z])) OVER (PARTITION BY o, z ORDER BY x) OR probability(m, ARRAY[z, x]) > lag(probability(m, ARRAY[z, x])) OVER (PARTITION BY o, z ORDER BY x) AS falls
      FROM (SELECT o, tree_classifier(yes, f, o::jsonb || '{"monotone": {"f1": 1, "f2": -1}}', w) AS m
            FROM slopes, unnest(ARRAY['{}', '{"split": "binned"}', '{"class_weight": "balanced"}', '{"prune": "cost_complexity"}', '{"prune": "cost_complexity", "split": "binned"}', '{"prune": "reduced_error"}', '{"criterion": "minority", "max_leaf_nodes": 30}']) AS o GROUP BY o) AS t,
           generate_series(0, 10, 0.25) AS x, generate_series(0, 8, 0.5) AS z) AS s GROUP BY o ORDER BY o COLLATE "C";
DROP TABLE slopes;
SELECT test.try('SELECT tree_classifier(play = ''yes'', ARRAY[humidity], ''{"monotone": {"f1": 1}, "smoothing": "laplace"}'') FROM play');
SELECT probability(tree_classifier(play = 'yes', ARRAY[humidity], '{"monotone": {"f1": 0}, "smoothing": 1, "max_depth": 0}'), ARRAY[1]) AS no_constraint FROM play;

-- smoothing, ranking and operating points
SELECT smoothing, probabilities(tree_classifier(play, f, jsonb_build_object('smoothing', smoothing)), (SELECT f FROM plays WHERE day = 3))::numeric(5,4)[] FROM plays, unnest('{0,1,"\"laplace\"",2.5}'::jsonb[]) smoothing(smoothing) GROUP BY smoothing ORDER BY smoothing::text;
SELECT round(roc_auc(play, probability(m, f))::numeric, 4) AS auc FROM plays, (SELECT tree_classifier(play, f, '{"max_depth": 2, "criterion": "sqrt_gini", "smoothing": "laplace"}') AS m FROM plays) fit;
SELECT cost, count(*) FILTER (WHERE classify(m, f) = 'yes') AS yes FROM unnest('{0.2,1,5}'::float8[]) cost,
     LATERAL (SELECT decision_rule(tree_classifier(play, f, '{"max_depth": 1}'), jsonb_build_object('cost', jsonb_build_object('false_positive', cost))) AS m FROM plays) fit, plays GROUP BY cost ORDER BY cost;
SELECT threshold, count(*) FILTER (WHERE classify(m, f) = 'yes') AS yes FROM unnest('{0.3,0.5,0.7}'::float8[]) threshold,
     LATERAL (SELECT tree_classifier(play, f, jsonb_build_object('max_depth', 1, 'threshold', threshold)) AS m FROM plays) fit, plays GROUP BY threshold ORDER BY threshold;

-- nothing to split: one class, constant features, the same row with several labels, one row, no rows
SELECT tree_rules(tree_classifier('only'::text, f)) AS one_class FROM plays;
SELECT tree_rules(tree_classifier(play, ARRAY[1, 2])) AS constant_features FROM play;
SELECT tree_rules(tree_regression(temperature, ('x'::text, true))) AS constant_features FROM play;
SELECT tree_rules(tree_classifier(c, ARRAY[x])) AS same_rows, probabilities(tree_classifier(c, ARRAY[x]), ARRAY[1])::numeric(5,4)[] FROM (VALUES (1, 'b'), (1, 'a'), (1, 'b')) r(x, c);
SELECT tree_rules(tree_regression(7, ARRAY[1, 2])) AS one_row;
SELECT tree_rules(tree_regression(5, ARRAY[i])) AS constant_target FROM generate_series(1, 9) i;
SELECT tree_regression(1, ARRAY[1]) IS NULL AS no_rows WHERE false;
SELECT tree_regression(i, ARRAY[i]) IS NULL AS no_rows FROM generate_series(1, 0) i;
-- neighbors in double precision, large midpoints
SELECT tree_rules(tree_regression(i, x)) FROM (VALUES (1, 1::float8), (2, 1.0000000000000002), (3, 1e308), (4, 1.7e308), (5, -1.7e308)) r(i, x);
SELECT predict(m, 1::float8), predict(m, 1.0000000000000002::float8) FROM (SELECT tree_regression(i, x) AS m FROM (VALUES (1, 1::float8), (2, 1.0000000000000002)) r(i, x)) fit;
SELECT predict(m, 0::float8), predict(m, '-0'::float8) FROM (SELECT tree_regression(i, x) AS m FROM (VALUES (1, 0::float8), (1, '-0'), (5, 1)) r(i, x)) fit;

-- refusals
SELECT test.try(format('SELECT tree_classifier(play, f, %L) FROM plays', o))
FROM unnest(ARRAY['{"max_depth": -1}', '{"max_leaf_nodes": 1}', '{"smoothing": -0.5}', '{"min_samples_leaf": 0}', '{"min_samples_split": 1}', '{"min_impurity_decrease": -1}', '{"max_features": 0}',
                  '{"criterion": "mse"}', '{"prune": "hard"}', '{"folds": 1, "prune": "cost_complexity"}', '{"prune": "cost_complexity", "complexity": -1}', '{"unseen": "reference"}']) o;
SELECT test.try('SELECT tree_regression(i - 3, ARRAY[i], ''{"criterion": "poisson"}'') FROM generate_series(1, 9) i');
SELECT test.try('SELECT tree_regression(0, ARRAY[i], ''{"criterion": "poisson"}'') FROM generate_series(1, 9) i');
SELECT test.try('SELECT tree_regression(i, ARRAY[i, ''NaN''::float8]) FROM generate_series(1, 9) i');
SELECT test.try('SELECT classify(m, ROW(''fog'', 1, 1, true)::weather) FROM (SELECT tree_classifier(play, f, ''{"unseen": "error"}'') AS m FROM plays) fit');
SELECT test.try('SELECT tree_classifier(NULL::text, f, ''{"nulls": "error"}'') FROM plays');
SELECT test.try('SELECT tree_rules(kmeans(ARRAY[i], 2)) FROM generate_series(1, 9) i');
SELECT test.try('SELECT tree_nodes(kmeans(ARRAY[i], 2)) FROM generate_series(1, 9) i');
BEGIN;
SET LOCAL pgfit.fit_mem = '1MB';
SELECT test.try('SELECT tree_regression(i, ARRAY[i, i % 7, i % 11]) FROM generate_series(1, 20000) i') LIKE '54000: tree_regression would need % MB, and pgfit.fit_mem allows 1.0 MB%Set pgfit.fit_mem higher%' AS refused;
ROLLBACK;

-- targets of any size: what counts as pure is a share of the root's impurity; rounding errors are no reason to split
SELECT criterion, size, info(tree_regression(size * (1 + i % 4), ARRAY[i % 4], jsonb_build_object('criterion', criterion))) #> '{statistics,leaves}' AS leaves
FROM unnest('{mse,mae,poisson}'::text[]) criterion, unnest('{1,1e-8,1e-100,1e100}'::float8[]) size, generate_series(1, 40) i GROUP BY 1, 2 ORDER BY 1, 2;
SELECT criterion, info(tree_regression(CASE WHEN i % 2 = 0 THEN 0.3 ELSE 0.1::float8 + 0.2::float8 END, ARRAY[i % 2], jsonb_build_object('criterion', criterion))) #> '{statistics,leaves}' AS rounded
FROM unnest('{mse,mae,poisson}'::text[]) criterion, generate_series(1, 40) i GROUP BY 1 ORDER BY 1;

-- wide and long: 1,000 features, 500 classes, 10,000 levels, a level of 1 MB
SELECT (SELECT string_agg(feature, ' ') FROM tree_nodes(m)) AS splits FROM (SELECT tree_classifier(i % 2, (SELECT array_agg(CASE WHEN k = 777 THEN i % 2 ELSE i * k % 13 % 2 END) FROM generate_series(1, 1000) k)) AS m FROM generate_series(1, 40) i) fit;
SELECT info(m) #> '{statistics,leaves}' AS leaves, count(*) FILTER (WHERE classify(m, ARRAY[i]) <> (i % 500)::text) AS wrong FROM (SELECT tree_classifier(i % 500, ARRAY[i]) AS m FROM generate_series(1, 1500) i) fit, generate_series(1, 1500) i GROUP BY 1;
SELECT info(m) #> '{statistics,leaves}' AS leaves, count(*) FILTER (WHERE predict(m, ROW('l' || i)) <> i % 3) AS wrong
FROM (SELECT tree_regression(i % 10000 % 3, ROW('l' || i % 10000), '{"max_levels": 10000}') AS m FROM generate_series(1, 20000) i) fit, generate_series(0, 9999, 7) i GROUP BY 1;
SELECT test.try('SELECT tree_regression(i, ROW(''l'' || i)) FROM generate_series(1, 1001) i');
SELECT length(tree_rules(m)), classify(m, ROW(repeat('x', 1000000))) AS long, classify(m, ROW(repeat('x', 999999))) AS shorter FROM (SELECT tree_classifier(i % 2, ROW(repeat('x', 1000000 - i % 2))) AS m FROM generate_series(1, 4) i) fit;

-- impurities as functions
SELECT criterion, round(impurity('{3,1,6}', criterion)::numeric, 6) AS impurity, round(split_gain('{{15,5},{5,25}}', criterion)::numeric, 6) AS gain, relative_impurity('{{15,5},{5,25}}', criterion)::numeric(8,6)[] AS relative
FROM unnest('{gini,entropy,sqrt_gini,minority}'::text[]) criterion;
SELECT round(impurity('{1,2,2,3,10}', 'mse')::numeric, 6) AS mse, impurity('{1,2,2,3,10}', 'mae') AS mae, round(impurity('{1,2,2,3,10}', 'poisson')::numeric, 6) AS poisson, impurity('{2,2}') AS by_default, impurity('{}') IS NULL AS nothing, impurity('{0,0}') IS NULL AS no_rows,
       split_gain('{}') IS NULL AS no_split, relative_impurity('{{1,0},{2,0}}') IS NULL AS pure, split_gain('{{1,0},{0,0}}') AS empty_child;
SELECT test.try(s) FROM unnest(ARRAY['SELECT impurity(''{1,-1}'')', 'SELECT impurity(''{1,NULL}'')', 'SELECT impurity(''{1,NaN}'')', 'SELECT impurity(''{1}'', ''giny'')', 'SELECT split_gain(''{1,2}'')', 'SELECT split_gain(''{{1,2}}'', ''mse'')', 'SELECT impurity(''{{1,2}}'')', 'SELECT impurity(''{-1}'', ''poisson'')']) s;
SELECT impurity('{-1,1}', 'mse') AS of_any_numbers;
DROP TABLE play, fits, others, gaps, levels, scored, weighted CASCADE;
DROP TYPE weather, cooler;
CREATE TABLE odd_targets AS SELECT i AS x, CASE WHEN i % 4 = 0 THEN 1000 ELSE i * i % 17 + 100 * (i > 6)::int END AS y FROM generate_series(1, 12) AS i;
-- the value of a node is what it would predict as a leaf: under mae the median, inside as in leaves
SELECT criterion, bool_and(near(n.value[1], CASE criterion WHEN 'mae' THEN (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY y) FROM odd_targets) ELSE (SELECT avg(y) FROM odd_targets) END, 1e-12)) FILTER (WHERE parent IS NULL) AS root,
    bool_and(near(n.value[1], predict(m, x), 1e-12)) FILTER (WHERE n.feature IS NULL) AS leaves
FROM (SELECT criterion, tree_regression(y, x, jsonb_build_object('criterion', criterion, 'max_depth', 1)) AS m FROM odd_targets, unnest('{mse,mae}'::text[]) AS criterion GROUP BY criterion) AS f,
     tree_nodes(m) AS n LEFT JOIN (VALUES (2, 1), (3, 12)) AS v(node, x) USING (node) GROUP BY criterion ORDER BY criterion;
DROP TABLE odd_targets;
-- weights of any size grow the same tree: sums of tiny ones are not small enough to be no split
SELECT round(log(weight)) AS size, pgfit.info(m) -> 'statistics' ->> 'leaves' AS leaves FROM (
    SELECT weight, pgfit.tree_regression(i % 7 + i % 3, ARRAY[i % 7, i % 5, i], '{"criterion": "poisson", "min_samples_leaf": 5}'::jsonb, weight) AS m
    FROM generate_series(1, 200) AS i, unnest(ARRAY[1, 1e-100, 1e-170, 1e-300]) AS weight GROUP BY weight) AS t ORDER BY weight DESC;
-- levels of a rule after the first twelve are counted, be it one
SELECT n, substring(summary(m) FROM 'c in [^:]*l and[^:]*:|c in [^:]*l\):') AS rule
FROM generate_series(12, 14) AS n, LATERAL (SELECT tree_regression((i < n)::int, f, '{"max_depth": 1}') AS m FROM generate_series(0, 27) AS i, LATERAL (SELECT chr(97 + i) AS c) AS f) AS t ORDER BY n;
-- a node without weight, as trees of other programs have, has the mean of its two sides
SELECT node, value[1] = (SELECT avg(c.value[1]) FROM tree_nodes(m) AS c WHERE c.parent = n.node) AS between
FROM (SELECT jsonb_set(t::jsonb, '{arrays,leaf_cover}', '[0, 0, 14, 12]')::model AS m FROM (SELECT tree_regression(i % 13 + i % 2, f, '{"max_depth": 2}') AS t FROM generate_series(1, 60) AS i, LATERAL (SELECT i % 13 AS a, i % 7 AS b) AS f) AS f) AS g, tree_nodes(m) AS n WHERE weight = 0 AND feature IS NOT NULL;
