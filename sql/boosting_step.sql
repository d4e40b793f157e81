-- Boosted trees by passes: the trees of the aggregate, parallel workers, steps by hand, refusals.
SET search_path = public, test, pgfit;
CREATE TABLE grove AS SELECT i, (i * 79 % 101)::float8 AS a, CASE WHEN i % 11 > 0 THEN (i * 47 % 53) / 4.0::float8 END AS b, (ARRAY['u', 'v', 'w'])[1 + i * i % 7 % 3] AS c, 1 + i % 3 AS w,
    5 * sin(i * 79 % 101) + coalesce((i * 47 % 53) / 4.0, 3) + i * i % 7 % 3 + sin(i * 11) AS y, (i * 79 % 101) + 30 * sin(i * 7) > 50 AS yes,
    (ARRAY['k', 'l', 'm'])[1 + (abs(3 * sin(i * 79 % 101) + sin(i * 3)))::int % 3] AS home, (i * 79 % 101) / 20 + i % 3 AS n
FROM generate_series(1, 6000) AS i;
ALTER TABLE grove SET (parallel_workers = 2);
ANALYZE grove;

-- the trees of the aggregate, where each value has a bin
CREATE TABLE grown AS SELECT id, method, formula, options, fit(method, 'grove', formula, options) AS f, fit(method, 'grove', formula, options || '{"passes": true}') AS p
FROM (VALUES (1, 'boosted_trees_regression', 'y ~ a + b + c', '{"max_depth": 3, "n_trees": 4}'::jsonb),
    (2, 'boosted_trees_regression', 'y ~ a + b + c', '{"max_depth": 4, "n_trees": 3, "weight": "w", "lambda": 2, "monotone": {"b": 1}}'),
    (3, 'boosted_trees_regression', 'n ~ a + b + c', '{"max_depth": 3, "n_trees": 3, "loss": "poisson", "learning_rate": 0.5}'),
    (4, 'boosted_trees_regression', 'y ~ a + b + c', '{"max_depth": 3, "n_trees": 3, "nulls": "skip", "min_samples_leaf": 100}'),
    (5, 'boosted_trees_classifier', 'yes ~ a + b + c', '{"max_depth": 3, "n_trees": 4}'),
    (6, 'boosted_trees_classifier', 'home ~ a + b + c', '{"max_depth": 3, "n_trees": 3, "class_weight": "balanced"}'),
    (7, 'boosted_trees_classifier', 'home ~ a + log(a + 1)', '{"max_depth": 0, "n_trees": 2}')) AS v (id, method, formula, options);
SELECT id, (SELECT count(*) FROM tree_nodes(p)) AS nodes,
    (SELECT count(*) FROM (SELECT tree, node, feature, threshold FROM tree_nodes(p) EXCEPT SELECT tree, node, feature, threshold FROM tree_nodes(f)) AS d) AS other_splits,
    info(p) -> 'rows' = info(f) -> 'rows' AS rows, info(p) -> 'options' = info(f) -> 'options' AS options,
    near((info(p) #>> '{statistics,training_loss}')::float8, (info(f) #>> '{statistics,training_loss}')::float8, 1e-9) AS loss, info(p) #> '{implementation,arrays}' = info(f) #> '{implementation,arrays}' AS arrays
FROM grown ORDER BY id;
SELECT id, bool_and(near(predict(p, g), predict(f, g), 1e-9)) AS predictions FROM grown, grove AS g WHERE method LIKE '%regression' GROUP BY id ORDER BY id;
SELECT id, bool_and(classify(p, g) = classify(f, g)) AS classes FROM grown, grove AS g WHERE method LIKE '%classifier' GROUP BY id ORDER BY id;

-- parallel workers and one process give the same bits
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
CREATE TABLE parallel_grown AS SELECT fit('boosted_trees_regression', 'grove', 'y ~ a + b + c', '{"max_depth": 3, "n_trees": 4, "passes": true}') AS p;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SELECT q.p = g.p AS same FROM parallel_grown AS q, grown AS g WHERE g.id = 1;

-- bins of a sample: other thresholds, a fit about as good
SELECT (info(s) #>> '{statistics,training_loss}')::float8 < 1.1 * (info(f) #>> '{statistics,training_loss}')::float8 AS close, info(s) -> 'rows' AS rows
FROM grown, LATERAL (SELECT fit('boosted_trees_regression', 'grove', formula, options || '{"passes": {"sample": 500}}') AS s) AS l WHERE id = 1;

-- steps by hand
CREATE TABLE begun_trees AS SELECT boosted_trees_regression(y, f, '{"bins_only": true, "max_depth": 2, "n_trees": 1}') AS m, boosted_trees_classifier(home, f, '{"bins_only": true, "max_depth": 2, "n_trees": 1}') AS h
FROM grove, LATERAL (SELECT a, b, c) AS f;
CREATE FUNCTION test.step_trees(INOUT m model, passes int) LANGUAGE plpgsql AS $$
BEGIN
    FOR pass IN 1 .. passes LOOP
        SELECT boosting_step(y, f, step_trees.m) INTO m FROM public.grove, LATERAL (SELECT a, b, c) AS f;
    END LOOP;
END $$;
SELECT passes, info(s) -> 'iterations' AS iterations, info(s) #> '{statistics,trees}' AS trees, s = s::text::model AS text, s = s::jsonb::model AS jsonb, info(s) #> '{implementation,arrays,step_place}' IS NOT NULL AS goes_on
FROM begun_trees, generate_series(0, 5) AS passes, LATERAL (SELECT step_trees(m, passes) AS s) AS l ORDER BY passes;
SELECT boosting_step(y, f, m) IS NULL AS no_rows FROM grove, LATERAL (SELECT a, b, c) AS f, begun_trees WHERE false;
SELECT info(boosting_step(CASE WHEN i > 5 THEN y END, f, m)) -> 'skipped' AS skipped FROM grove, LATERAL (SELECT a, b, c) AS f, begun_trees;
SELECT try('SELECT fit(''boosted_trees_regression'', ''SELECT * FROM public.grove WHERE false'', ''y ~ a'', ''{"max_depth": 2, "passes": true}'')') AS empty;

-- refusals
SELECT name, try(statement) FROM (VALUES
    ('finished', 'SELECT boosting_step(y, f, p) FROM grove, LATERAL (SELECT a, b, c) AS f, grown WHERE id = 1'),
    ('class', 'SELECT boosting_step(''x'', f, h) FROM grove, LATERAL (SELECT a, b, c) AS f, begun_trees'),
    ('other model', 'SELECT boosting_step(y, f, (SELECT ridge_regression(y, row(a)) FROM grove)) FROM grove, LATERAL (SELECT a, b, c) AS f'),
    ('other rows', 'SELECT boosting_step(y, f, step_trees(m, 2)) FROM grove, LATERAL (SELECT a, b, c) AS f, begun_trees WHERE i < 100 GROUP BY m'),
    ('depth', 'SELECT fit(''boosted_trees_regression'', ''grove'', ''y ~ a'', ''{"passes": true}'')'),
    ('memory', 'SET pgfit.fit_mem = ''4MB''; SELECT fit(''boosted_trees_regression'', ''grove'', ''y ~ a + b + c'', ''{"passes": true, "max_depth": 30, "min_samples_leaf": 1}'')'),
    ('weight', 'SELECT boosting_step(y, f, m, ''Infinity'') FROM grove, LATERAL (SELECT a, b, c) AS f, begun_trees')) AS v (name, statement);
SELECT option, try(format('SELECT fit(''boosted_trees_regression'', ''grove'', ''y ~ a'', ''{"passes": true, "max_depth": 3, %s}'')', option))
FROM unnest('{"\"loss\": \"absolute\"","\"loss\": \"quantile\"","\"subsample\": 0.5","\"early_stopping\": 5","\"max_features\": 1","\"max_leaf_nodes\": 8","\"growth\": \"depth\"","\"weight_kind\": \"frequency\"","\"bins_only\": true"}'::text[]) AS option;
SELECT try('SELECT fit(''boosted_trees_classifier'', ''grove'', ''home ~ a'', ''{"passes": true, "max_depth": 3, "class_weight": {"k": 0, "l": 1, "m": 1}}'')');
SELECT try('SELECT boosted_trees_regression(y, row(a), ''{"bins_only": true}'') FROM grove');
DROP TABLE grove, grown, parallel_grown, begun_trees;
