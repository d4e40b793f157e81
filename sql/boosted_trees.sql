-- Boosted trees: steps by hand, losses, weights, NULLs and categories, early stopping, constraints, seeds, reading, refusals.
SET search_path = public, test, pgfit;
SET client_min_messages = warning;
CREATE TABLE four AS SELECT * FROM (VALUES (1, 1.0, 2.0, false), (2, 2, 4, false), (3, 3, 9, true), (4, 4, 13, false)) AS t(i, x, y, l);
CREATE FUNCTION stump(more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$ SELECT '{"n_trees": 1, "max_depth": 1, "learning_rate": 1, "min_samples_leaf": 1}'::jsonb || more $$;

-- squared loss: one tree of two leaves at rate 1 predicts their means; shrinkage steps from the mean towards them
SELECT array_agg(predict(m, x) ORDER BY i) AS means FROM four, (SELECT boosted_trees_regression(y, x, stump()) AS m FROM four) f;
SELECT array_agg(predict(m, x) ORDER BY i) AS half FROM four, (SELECT boosted_trees_regression(y, x, stump('{"learning_rate": 0.5}')) AS m FROM four) f;
SELECT array_agg(round(predict(m, x)::numeric, 6) ORDER BY i) AS two FROM four, (SELECT boosted_trees_regression(y, x, stump('{"learning_rate": 0.5, "n_trees": 2}')) AS m FROM four) f;
-- lambda: the sum of the residuals over rows + lambda
SELECT array_agg(predict(m, x) ORDER BY i) AS shrunken FROM four, (SELECT boosted_trees_regression(y, x, stump('{"lambda": 2}')) AS m FROM four) f;
-- absolute and quantile loss: the leaves are medians, or quantiles
SELECT array_agg(predict(m, x) ORDER BY x) AS medians FROM generate_series(1, 6) x, (SELECT boosted_trees_regression(y, x, stump('{"loss": "absolute"}')) AS m FROM (VALUES (1, 1), (2, 2), (3, 30), (4, 100), (5, 101), (6, 190)) AS t(x, y)) f;
SELECT array_agg(predict(m, x) ORDER BY x) AS thirds FROM generate_series(1, 6) x, (SELECT boosted_trees_regression(y, x, stump('{"loss": "quantile", "quantile": 0.3}')) AS m FROM (VALUES (1, 1), (2, 2), (3, 30), (4, 100), (5, 101), (6, 190)) AS t(x, y)) f;
-- poisson: from log 4, a newton step of (sum y - sum p) / sum p
SELECT near(predict(m, 1), 4 * exp(-6 / 8.0)) AS low, near(predict(m, 4), 4 * exp(6 / 8.0)) AS high, near((parameter(m, 'baseline'))[1], ln(4)) AS baseline
FROM (SELECT boosted_trees_regression(y, x, stump('{"loss": "poisson"}')) AS m FROM (VALUES (1, 0), (2, 2), (3, 6), (4, 8)) AS t(x, y)) f;
-- two classes: from log odds log(1 / 3), a newton step of sum(y - p) / sum p (1 - p)
SELECT near(decision(m, 1), ln(1 / 3.0) - 0.5 / 0.375, 1e-6) AS low, near(decision(m, 4), ln(1 / 3.0) + 0.5 / 0.375, 1e-6) AS high, near(probability(m, 4), 1 / (1 + 3 * exp(-0.5 / 0.375)), 1e-6) AS probability, classify(m, 4)
FROM (SELECT boosted_trees_classifier(l, x, stump()) AS m FROM four) f;
SELECT near(probability(a, 4), 1 - probability(b, 4)) AS turned FROM (SELECT boosted_trees_classifier(l, x, stump()) AS a, boosted_trees_classifier(l, x, stump('{"positive": false}')) AS b FROM four) f;
-- three classes: one tree per class and iteration
CREATE TABLE three AS SELECT i, i % 10 AS x, (ARRAY['u', 'v', 'w'])[1 + (i % 10) / 4] AS l FROM generate_series(1, 200) i;
SELECT info(m) -> 'statistics' ->> 'trees' AS trees, bool_and(classify(m, x) = l) AS learned, bool_and(near((SELECT sum(p) FROM unnest(probabilities(m, x)) p), 1)) AS sums, min(cardinality(decisions(m, x))) AS scores
FROM three, (SELECT boosted_trees_classifier(l, x, '{"n_trees": 20}') AS m FROM three) f GROUP BY m;

-- weights: a row of weight 2 is two rows
SELECT bool_and(near(predict(a, x), predict(b, x))) AS twice FROM four, (SELECT boosted_trees_regression(y, x, stump(), i) AS a FROM four) f, (SELECT boosted_trees_regression(y, x, stump()) AS b FROM four, generate_series(1, i)) g;
SELECT near((parameter(m, 'baseline'))[1], 0) AS balanced FROM (SELECT boosted_trees_classifier(l, x, stump('{"class_weight": "balanced"}')) AS m FROM four) f;

-- NULLs are values: they go where the loss falls most; a level that training did not see, and a NULL where there was none, go with the larger child
CREATE TABLE holes AS SELECT i, CASE WHEN i % 3 > 0 THEN i % 3 END AS x, (ARRAY['a', 'b', 'c', NULL])[1 + i % 4] AS c, CASE i % 3 WHEN 0 THEN 10 ELSE i % 3 END + CASE WHEN i % 4 IN (0, 3) THEN 100 ELSE 0 END AS y FROM generate_series(1, 240) i;
SELECT bool_and(near(predict(m, f), y, 1e-4)) AS exact FROM holes, LATERAL (SELECT x, c) f, (SELECT boosted_trees_regression(y, f, '{"n_trees": 200}') AS m FROM holes, LATERAL (SELECT x, c) f) g;
SELECT t.c, round(predict(m, f)::numeric) AS predict FROM (VALUES ('a'), ('b'), ('new'), (NULL)) AS t(c), LATERAL (SELECT t.c) f, (SELECT boosted_trees_regression(y, f, stump()) AS m FROM (VALUES ('a', 0), ('b', 10), ('b', 10)) AS t(c, y), LATERAL (SELECT c) f) g ORDER BY 1;
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped FROM (SELECT boosted_trees_regression(y, f, '{"nulls": "skip"}') AS m FROM holes, LATERAL (SELECT x, c) f) g;
SELECT try($$SELECT boosted_trees_regression(y, f, '{"nulls": "error"}') FROM holes, LATERAL (SELECT x, c) f$$);

-- the same rows in another order give the same trees, with random choices too; another seed gives others
CREATE TABLE wide AS SELECT i, i % 17 + 0.5 AS a, i * 7 % 23 AS b, i * i % 31 AS c, (ARRAY['k', 'l', 'm', 'n'])[1 + i * 5 % 4] AS d, (i % 17) * 2 - (i * 7 % 23) + 5 * (i * 5 % 4) + (i * i % 31) / 3.0 + hashint4(i) % 5 AS y FROM generate_series(1, 600) i;
CREATE FUNCTION same_in_any_order(options jsonb) RETURNS boolean LANGUAGE sql AS $$
    SELECT (SELECT array_agg(predict(m, f) ORDER BY i) FROM wide, LATERAL (SELECT a, b, c, d) f, (SELECT boosted_trees_regression(y, f, options ORDER BY i) AS m FROM wide, LATERAL (SELECT a, b, c, d) f) g)
         = (SELECT array_agg(predict(m, f) ORDER BY i) FROM wide, LATERAL (SELECT a, b, c, d) f, (SELECT boosted_trees_regression(y, f, options ORDER BY hashint4(i)) AS m FROM wide, LATERAL (SELECT a, b, c, d) f) g)
$$;
SELECT same_in_any_order('{}') AS plain, same_in_any_order('{"max_samples": 0.5}') AS sampled, same_in_any_order('{"max_features": 2}') AS features, same_in_any_order('{"early_stopping": 3}') AS stopped, same_in_any_order('{"loss": "absolute"}') AS medians;
SELECT count(DISTINCT (predict(m, f) * 1e9)::bigint) AS seeds FROM (SELECT a, b, c, d FROM wide WHERE i = 1) f,
    (SELECT boosted_trees_regression(y, f, jsonb_build_object('subsample', 0.5, 'seed', s)) AS m FROM wide, LATERAL (SELECT a, b, c, d) f, generate_series(0, 2) s GROUP BY s) g;

-- early stopping: the trees up to the best iteration, and the losses of the held-out rows from before the first tree on
SELECT (s ->> 'trees')::int = (s ->> 'best_iteration')::int AS best, (s ->> 'best_iteration')::int BETWEEN 1 AND 499 AS early, jsonb_array_length(s -> 'validation_losses') = (info(m) ->> 'iterations')::int + 1 AS curve,
       (info(m) ->> 'iterations')::int - (s ->> 'best_iteration')::int AS patience, (s ->> 'validation_loss')::float8 = (SELECT min(v::float8) FROM jsonb_array_elements_text(s -> 'validation_losses') v) AS least, (s ->> 'held_out')::int BETWEEN 60 AND 190 AS held
FROM (SELECT boosted_trees_regression(y, f, '{"early_stopping": 4, "tolerance": 0, "n_trees": 500, "holdout": 0.2}') AS m FROM wide, LATERAL (SELECT a, b, c, d) f) g, LATERAL (SELECT info(m) -> 'statistics' AS s) t;
-- nothing to learn: a tree that adds nothing
SELECT info(m) -> 'statistics' ->> 'trees' AS trees, info(m) -> 'statistics' ->> 'best_iteration' AS best FROM (SELECT boosted_trees_regression(7, x, '{"early_stopping": 2, "holdout": 0.5}') AS m FROM generate_series(1, 50) x) f;

-- a monotone constraint holds, and costs what it must
SELECT count(*) FILTER (WHERE free < lag_free) > 0 AS free_falls, count(*) FILTER (WHERE bound < lag_bound) AS bound_falls FROM (
    SELECT predict(f.free, x) AS free, lag(predict(f.free, x)) OVER w AS lag_free, predict(bound, x) AS bound, lag(predict(bound, x)) OVER w AS lag_bound
    FROM (SELECT boosted_trees_regression(y, x, '{"min_samples_leaf": 5}') AS free, boosted_trees_regression(y, x, '{"min_samples_leaf": 5, "monotone": {"f1": 1}}') AS bound FROM (SELECT i AS x, i / 10 + hashint4(i) % 9 AS y FROM generate_series(1, 300) i) r) f, generate_series(1, 300) x
    WINDOW w AS (ORDER BY x)) t;
SELECT try($$SELECT boosted_trees_regression(y, f, '{"monotone": {"d": 1}}') FROM wide, LATERAL (SELECT a, d) f$$);
SELECT try($$SELECT boosted_trees_classifier(l, x, '{"monotone": {"f1": 1}}') FROM three$$);

-- growth: leaves are limited, best first or level by level
SELECT count(*) FILTER (WHERE g = 'leaf' AND leaf) AS best_first, count(*) FILTER (WHERE g = 'depth' AND leaf) AS by_level FROM unnest('{leaf,depth}'::text[]) g,
    LATERAL (SELECT boosted_trees_regression(y, f, jsonb_build_object('n_trees', 1, 'max_leaf_nodes', 8, 'growth', g)) AS m FROM wide, LATERAL (SELECT a, b, c, d) f) h, LATERAL (SELECT n.feature IS NULL AS leaf FROM tree_nodes(m) n) t;

-- what a model says adds up: explanations, SQL, importance
CREATE TABLE boosted AS SELECT boosted_trees_regression(y, f, '{"n_trees": 10}') AS m FROM wide, LATERAL (SELECT a, b, c, d) f;
SELECT bool_and(near((SELECT sum(contribution) FROM explain(m, f)), predict(m, f))) AS adds_up FROM wide, LATERAL (SELECT a, b, c, d) f, boosted WHERE i < 20;
SELECT feature, importance > 0 AS used FROM boosted, importance(m);
CREATE FUNCTION sql_score(expression text) RETURNS TABLE (i int, score float8) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT i, ' || expression || ' FROM wide'; END $$;
SELECT bool_and(near(score, predict(m, f))) AS sql FROM boosted, sql_score(to_sql(m)) s JOIN wide USING (i), LATERAL (SELECT a, b, c, d) f;
SELECT bool_and(near(score, probability(m, f))) AS sql FROM (SELECT boosted_trees_classifier(y > 10, f, '{"n_trees": 5}') AS m FROM wide, LATERAL (SELECT a, b, c, d) f) g, sql_score(to_sql(m)) s JOIN wide USING (i), LATERAL (SELECT a, b, c, d) f;
SELECT summary(m) FROM boosted;
SELECT tree_rules(boosted_trees_regression(y, x, stump())) FROM four;

-- edges: one row, two rows, equal rows, a constant target, one class, a constant feature, a feature of NULLs, huge numbers
SELECT near(predict(m, 3), 7) AS one FROM (SELECT boosted_trees_regression(7, 3) AS m) f;
SELECT boosted_trees_regression(y, x) IS NULL AS none FROM four WHERE i > 9;
SELECT predict(m, 1) AS mean FROM (SELECT boosted_trees_regression(y, x, '{"min_samples_leaf": 1}') AS m FROM (VALUES (1, 1), (1, 3)) AS t(x, y)) f;
SELECT near(predict(m, 5), 7) AS constant, count(*) AS nodes FROM (SELECT boosted_trees_regression(7, x, '{"n_trees": 1}') AS m FROM generate_series(1, 100) x) f, tree_nodes(m) GROUP BY m;
SELECT classify(m, 3), probabilities(m, 3) FROM (SELECT boosted_trees_classifier('only'::text, x) AS m FROM generate_series(1, 100) x) f;
SELECT predict(m, f) AS null_feature FROM (SELECT boosted_trees_regression(y, f, stump()) AS m FROM four, LATERAL (SELECT NULL::float8 AS a, x) f) g, LATERAL (SELECT NULL::float8 AS a, 4 AS x) f;
SELECT near(predict(m, 1), 1e30, 1e20) AS low, near(predict(m, 2), 3e30, 1e20) AS high FROM (SELECT boosted_trees_regression(x * 2e30 - 1e30, x, stump()) AS m FROM (VALUES (1), (2)) AS t(x)) f;
SELECT try('SELECT boosted_trees_regression(x * 1e300, x, stump()) FROM (VALUES (1), (2)) AS t(x)');

-- more levels than bins: the rarest share one, with a WARNING
SET client_min_messages = notice;
SELECT predict(m, f) > 90 AS frequent FROM (SELECT boosted_trees_regression(CASE WHEN i % 2 = 0 THEN 100 ELSE i % 300 / 300.0 END, f) AS m FROM generate_series(1, 3000) i, LATERAL (SELECT CASE WHEN i % 2 = 0 THEN 'often' ELSE 'l' || i % 600 END AS c) f) g, LATERAL (SELECT 'often' AS c) f;
SET client_min_messages = warning;

-- refusals
SELECT try($$SELECT boosted_trees_regression(y, x, '{"learning_rate": 0}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"n_trees": 0}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"loss": "quantile", "quantile": 0}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"loss": "quantile", "quantile": 1}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"quantile": 0.5}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y - 5, x, '{"loss": "poisson"}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(0, x, '{"loss": "poisson"}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"holdout": 0.5}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"early_stopping": 5, "holdout": 0.000001}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"max_samples": 0}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"monotone": {"g": 1}}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"max_depth": -1}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"max_leaf_nodes": 1}') FROM four$$);
SELECT try($$SELECT boosted_trees_regression(y, x, '{"lambda": -1}') FROM four$$);
SET pgfit.fit_mem = '1MB';
SELECT regexp_replace(try('SELECT boosted_trees_regression(x, x) FROM generate_series(1, 100000) x'), '[0-9.]+ MB', 'MB', 'g');
RESET pgfit.fit_mem;
DROP TABLE four, three, holes, wide, boosted;

-- rows that weigh too little beside the others to be counted are worth a WARNING
SELECT weight, boosted_trees_regression(i % 2, i, '{"n_trees": 1}', CASE WHEN i = 1 THEN weight ELSE 1 END) IS NOT NULL AS fitted FROM generate_series(1, 50) AS i, (VALUES (1e6::float8), (1e12)) AS w(weight) GROUP BY weight ORDER BY weight;

-- poisson of tiny targets is poisson of ordinary ones; targets that are merely small do not reach min_child_weight
SELECT size, bool_and(near(predict(m, x) / size, predict(o, x), 1e-6)) AS same, near((info(m) -> 'statistics' ->> 'training_loss')::float8 / size + avg(y) * ln(size), (info(o) -> 'statistics' ->> 'training_loss')::float8, 1e-6) AS loss
FROM (SELECT i % 20 AS x, i % 20 / 4 + i % 3 AS y FROM generate_series(1, 200) i) AS r,
     (SELECT size, boosted_trees_regression(y * size, x, '{"loss": "poisson", "n_trees": 20}') AS m, boosted_trees_regression(y, x, '{"loss": "poisson", "n_trees": 20}') AS o
      FROM (SELECT i % 20 AS x, i % 20 / 4 + i % 3 AS y FROM generate_series(1, 200) i) AS t, unnest('{1e-30,1e-150,1e-300}'::float8[]) AS size GROUP BY size) AS f
GROUP BY size, m, o ORDER BY size DESC;
SELECT count(DISTINCT predict(m, x)) AS predictions FROM generate_series(1, 9) x, (SELECT boosted_trees_regression(i * 1e-9, i, '{"loss": "poisson"}') AS m FROM generate_series(1, 200) i) f;

-- start: continues from a model; the same rows give the model of one fit with all iterations, and rows may lack levels
CREATE TYPE both_kinds AS (a int, c text);
CREATE TABLE part AS SELECT i, sin(i) * i AS y, ROW(nullif(i % 17, 3), 'k' || i % 5)::both_kinds AS f, (ARRAY['u', 'v', 'w'])[1 + i % 3] AS l FROM generate_series(1, 300) i;
CREATE FUNCTION more(start model, more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$ SELECT '{"n_trees": 9}'::jsonb || more || jsonb_build_object('start', start::jsonb) $$;
CREATE TABLE begun AS SELECT boosted_trees_regression(y, f, '{"n_trees": 4}') AS m, boosted_trees_classifier(l, f, '{"n_trees": 4}') AS c, boosted_trees_classifier(l = 'u', f, '{"n_trees": 4, "class_weight": "balanced"}') AS d FROM part;
SELECT (SELECT boosted_trees_regression(y, f, more(m)) FROM part) = (SELECT boosted_trees_regression(y, f, '{"n_trees": 9}') FROM part) AS numbers,
       (SELECT boosted_trees_classifier(l, f, more(c)) FROM part) = (SELECT boosted_trees_classifier(l, f, '{"n_trees": 9}') FROM part) AS classes,
       (SELECT boosted_trees_classifier(l = 'u', f, more(d, '{"class_weight": "balanced"}')) FROM part) = (SELECT boosted_trees_classifier(l = 'u', f, '{"n_trees": 9, "class_weight": "balanced"}') FROM part) AS pair
FROM begun;
SELECT (SELECT jsonb_agg(level ORDER BY level) FROM levels(more)) AS levels, info(more) -> 'rows' AS rows, info(more) -> 'iterations' AS iterations, info(more) -> 'options' -> 'start' AS start
FROM (SELECT m, (SELECT boosted_trees_regression(y, f, more(m)) FROM part WHERE (f).c IN ('k1', 'k4')) AS more FROM begun) t;
SELECT try('SELECT boosted_trees_regression(y, ROW(1, ''new'')::both_kinds, more(m)) FROM part, begun GROUP BY m');
SELECT try('SELECT boosted_trees_regression(y, g, more(m)) FROM part, begun, LATERAL (SELECT 1 AS a, 2 AS c) g GROUP BY m');
SELECT try('SELECT boosted_trees_regression(y, f, more(c)) FROM part, begun GROUP BY c');
SELECT try('SELECT boosted_trees_classifier(l, f, more(c)) FROM part, begun WHERE l < ''w'' GROUP BY c');
SELECT try('SELECT boosted_trees_classifier(i % 4, f, more(c)) FROM part, begun GROUP BY c');
SELECT try(format('SELECT boosted_trees_regression(y, f, more(m, %L)) FROM part, begun GROUP BY m', o))
FROM unnest(ARRAY['{"loss": "absolute"}', '{"seed": 1}', '{"early_stopping": 5}', '{"monotone": {"a": 1}}', '{"n_trees": 4}', '{"n_trees": 3}']) AS o;
SELECT try($$SELECT boosted_trees_regression(y, f, '{"start": 1}') FROM part$$);
SELECT try($$SELECT boosted_trees_regression(y, f, '{"start": {"model": "pgfit"}}') FROM part$$);
DROP TABLE part, begun;
DROP TYPE both_kinds;
