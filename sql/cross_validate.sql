-- judging any method on rows that it was not fitted to
SET search_path = public, pgfit, test;
CREATE TABLE judged AS
SELECT i AS id, 1 + i % 4 AS fold, i % 7 AS shop, timestamp '2024-01-01' + i * interval '1 hour' AS at, sin(i) AS a, cos(i * i) AS b, CASE i % 3 WHEN 0 THEN 'x' WHEN 1 THEN 'y' ELSE 'z' END AS c,
       2 * sin(i) - cos(i * i) + (i % 3) * 0.5 + 0.1 * sin(i * 7) AS y, CASE WHEN sin(i) + cos(i * i) + 0.4 * sin(i * 7) > 0.3 THEN 'yes' ELSE 'no' END AS l, 1 + i % 2 AS w
FROM generate_series(1, 120) AS i;
-- the result, and one query that shows the means
SELECT metric, fold, value > 0 AS positive, std_error IS NULL AS no_error, rows FROM (SELECT (unnest(cross_validate(y, f, 'ridge_regression', '{"fold_column": "fold"}'))).* FROM judged, LATERAL (SELECT a, b, c, fold) AS f) AS s;
SELECT metric, round(value::numeric, 4) AS mean, round(std_error::numeric, 4) AS error FROM (SELECT (unnest(cross_validate(l, f, 'logistic_regression', '{"stratified": true, "options": {"lambda": 1}}'))).* FROM judged, LATERAL (SELECT a, b, c) AS f) AS s WHERE fold IS NULL;
-- the same as a fit of each training part by hand
WITH parts AS MATERIALIZED (SELECT k, ridge_regression(y, f, 1) FILTER (WHERE fold <> k) AS m FROM judged, LATERAL (SELECT a, b, c) AS f, generate_series(1, 4) AS k GROUP BY k),
     hand AS (SELECT k, rmse(y, predict(m, f)) AS value FROM parts, judged, LATERAL (SELECT a, b, c) AS f WHERE fold = k GROUP BY k)
SELECT bool_and(near(h.value, s.value, 1e-12)) AS as_by_hand FROM hand AS h, (SELECT (unnest(cross_validate(y, f, 'ridge_regression', '{"fold_column": "fold", "metrics": ["rmse"], "options": {"lambda": 1}}'))).* FROM judged, LATERAL (SELECT a, b, c, fold) AS f) AS s WHERE s.fold = h.k;
WITH parts AS MATERIALIZED (SELECT k, lda(l, f, '{}', w) FILTER (WHERE fold <> k) AS m FROM judged, LATERAL (SELECT a, b, c) AS f, generate_series(1, 4) AS k GROUP BY k),
     hand AS (SELECT k, accuracy(l, classify(m, f), w) AS accuracy, brier_score(l, probability(m, f), '{}', w) AS brier_score, f1_score(l, classify(m, f), '{}', w) AS f1_score, roc_auc(l, decision(m, f), '{}', w) AS roc_auc, log_loss(l, probability(m, f), '{}', w) AS log_loss,
                     average_precision(l, decision(m, f), '{}', w) AS average_precision, recall_score(l, classify(m, f), '{"average": "macro"}', w) AS recall_macro, cohen_kappa(l, classify(m, f), w) AS cohen_kappa FROM parts, judged, LATERAL (SELECT a, b, c) AS f WHERE fold = k GROUP BY k)
SELECT s.metric, bool_and(near((to_jsonb(h) ->> s.metric)::float8, s.value, 1e-12)) AS as_by_hand
FROM hand AS h, (SELECT (unnest(cross_validate(l, f, 'lda', '{"fold_column": "fold", "metrics": ["accuracy", "brier_score", "f1_score", "roc_auc", "log_loss", "average_precision", "recall_macro", "cohen_kappa"]}', w))).* FROM judged, LATERAL (SELECT a, b, c, fold) AS f) AS s WHERE s.fold = h.k GROUP BY 1 ORDER BY 1;
-- scores of one equation, of texts and of methods without probabilities rank rows too
SELECT metric, value > 0.9 AS good FROM (SELECT (unnest(cross_validate(l, f, 'svm_classifier', '{"metrics": ["roc_auc", "average_precision"]}'))).* FROM judged, LATERAL (SELECT a, b) AS f) AS s WHERE fold IS NULL;
SELECT metric, value > 0.9 AS good FROM (SELECT (unnest(cross_validate(l, f, 'svm_classifier', '{"metrics": ["roc_auc", "accuracy"], "positive": "no", "options": {"kernel": "spectrum", "length": 2}}'))).* FROM judged, LATERAL (SELECT c || l || id % 25 AS s) AS f) AS s WHERE fold IS NULL;
-- folds: by hash, groups, time, classes; only some of a column
SELECT count(*) AS folds, sum(rows) AS rows FROM (SELECT (unnest(cross_validate(y, f, 'linear_regression', '{"folds": 6, "metrics": ["mae"]}'))).* FROM judged, LATERAL (SELECT a, b) AS f) AS s WHERE fold IS NOT NULL;
SELECT array_agg(rows ORDER BY fold) AS groups FROM (SELECT (unnest(cross_validate(y, f, 'linear_regression', '{"folds": 3, "metrics": ["mae"], "group_column": "shop"}'))).* FROM judged, LATERAL (SELECT a, b, shop) AS f) AS s WHERE fold IS NOT NULL;
SELECT array_agg(rows ORDER BY fold) AS times FROM (SELECT (unnest(cross_validate(y, f, 'linear_regression', '{"folds": 3, "metrics": ["mae"], "time_column": "at"}'))).* FROM judged, LATERAL (SELECT a, b, at) AS f) AS s WHERE fold IS NOT NULL;
SELECT array_agg(rows ORDER BY fold) AS classes FROM (SELECT (unnest(cross_validate(l, f, 'lda', '{"folds": 5, "metrics": "accuracy", "stratified": true}'))).* FROM judged, LATERAL (SELECT a, b) AS f) AS s WHERE fold IS NOT NULL;
-- stratified folds of rows that repeat were uneven: equal rows were dealt in turn, however many they were
SELECT array_agg(rows ORDER BY fold) AS rows, array_agg(round(value * rows) ORDER BY fold) AS of_the_larger_class
FROM (SELECT (unnest(cross_validate(y, f, 'tree_classifier', '{"folds": 4, "metrics": "accuracy", "stratified": true, "options": {"max_depth": 0}}'))).*
      FROM (SELECT i % 3 = 0 AS y, floor(sqrt(i)) AS x FROM generate_series(1, 240) AS i) AS t, LATERAL (SELECT x) AS f) AS s WHERE fold IS NOT NULL;
SELECT metric, fold, rows FROM (SELECT (unnest(cross_validate(y, f, 'linear_regression', '{"fold_column": "fold", "test_folds": [2], "metrics": ["mae"]}'))).* FROM judged, LATERAL (SELECT a, b, fold) AS f) AS s;
SELECT metric, fold, rows FROM (SELECT (unnest(cross_validate(y, f, 'linear_regression', '{"fold_column": "test", "test_folds": 1, "metrics": "mae"}'))).* FROM judged, LATERAL (SELECT a, b, id > 100 AS test) AS f) AS s;
-- no assignment depends on the order of the rows, and each hash depends on its seed
SELECT o.options, cross_validate(l, f, 'lda', o.options ORDER BY id) = cross_validate(l, f, 'lda', o.options ORDER BY judged.b) AS any_order, cross_validate(l, f, 'lda', o.options) <> cross_validate(l, f, 'lda', o.options || '{"seed": 5}') AS by_seed
FROM judged, unnest('{"{\"metrics\": \"accuracy\"}", "{\"metrics\": \"accuracy\", \"stratified\": true}"}'::jsonb[]) AS o (options), LATERAL (SELECT a, b) AS f GROUP BY 1 ORDER BY 1;
-- levels and classes that the training part lacks: unknown to the fit, wrong to the metric; NULLs are replaced by means of the training part
SELECT fold, round(value::numeric, 3) AS accuracy FROM (SELECT (unnest(cross_validate(c, f, 'naive_bayes', '{"fold_column": "fold", "metrics": ["accuracy"]}'))).* FROM (SELECT *, CASE c WHEN 'x' THEN 1 ELSE 2 + id % 2 END AS part FROM judged) AS j, LATERAL (SELECT a, b, part AS fold) AS f) AS s;
SELECT try($$SELECT cross_validate(y, f, 'linear_regression', '{"fold_column": "fold", "options": {"unseen": "error"}}') FROM judged, LATERAL (SELECT a, c, (c = 'x')::int AS fold) AS f$$);
WITH gaps AS (SELECT *, CASE WHEN id % 5 > 0 THEN a END AS g FROM judged), parts AS MATERIALIZED (SELECT k, linear_regression(y, f, '{"nulls": "impute"}'::jsonb) FILTER (WHERE fold <> k) AS m FROM gaps, LATERAL (SELECT g, b) AS f, generate_series(1, 4) AS k GROUP BY k),
     hand AS (SELECT k, rmse(y, predict(m, f)) AS value FROM parts, gaps, LATERAL (SELECT g, b) AS f WHERE fold = k GROUP BY k)
SELECT bool_and(near(h.value, s.value, 1e-12)) AS as_by_hand FROM hand AS h, (SELECT (unnest(cross_validate(y, f, 'linear_regression', '{"fold_column": "fold", "metrics": "rmse", "options": {"nulls": "impute"}}'))).* FROM gaps, LATERAL (SELECT g, b, fold) AS f) AS s WHERE s.fold = h.k;
-- methods without a target, formulas, no rows, groups, windows' frames
SELECT DISTINCT metric, value IS NOT NULL AS scored FROM unnest('{kmeans,gaussian_mixture}'::text[]) AS e, LATERAL (SELECT (unnest(cross_validate(NULL, f, e, '{"options": {"k": 2}}'))).* FROM judged, LATERAL (SELECT a, b) AS f) AS s ORDER BY 1;
SELECT count(*) FROM (SELECT (unnest(cross_validate(y, judged, 'ridge_regression', 'scale(a) * c + poly(b, 2)'))).* FROM judged) AS s;
SELECT cross_validate(y, f, 'lda') IS NULL AS no_rows FROM judged, LATERAL (SELECT a, b) AS f WHERE false;
SELECT shop % 2 AS odd, cardinality(cross_validate(y, f, 'tree_regression', '{"metrics": ["mae"]}')) AS scores FROM judged, LATERAL (SELECT a, b) AS f GROUP BY 1 ORDER BY 1;
-- nested: the lambda of each fold is chosen from its training rows alone
WITH parts AS MATERIALIZED (SELECT k, lasso_regression(y, f, '{"lambda": "cv", "folds": 3}'::jsonb) FILTER (WHERE fold <> k) AS m FROM judged, LATERAL (SELECT a, b, c) AS f, generate_series(1, 4) AS k GROUP BY k),
     hand AS (SELECT k, rmse(y, predict(m, f)) AS value FROM parts, judged, LATERAL (SELECT a, b, c) AS f WHERE fold = k GROUP BY k)
SELECT bool_and(near(h.value, s.value, 1e-9)) AS as_by_hand FROM hand AS h, (SELECT (unnest(cross_validate(y, f, 'lasso_regression', '{"fold_column": "fold", "metrics": "rmse", "options": {"lambda": "cv", "folds": 3}}'))).* FROM judged, LATERAL (SELECT a, b, c, fold) AS f) AS s WHERE s.fold = h.k;
-- refusals
SELECT regexp_replace(try('SELECT cross_validate(' || call || ') FROM judged, LATERAL (SELECT a, b, c, fold, shop, at) AS f'), '(Estimators|Valid options) are .*', '...') AS try FROM unnest(ARRAY[
    $$y, f, 'ridge_regresion'$$, $$y, f, NULL$$, $$y, f, 'ensemble_regression'$$, $$y, f, 'ridge_regression', '{"fold": 5}'$$, $$y, f, 'ridge_regression', '{"options": {"lamda": 1}}'$$, $$y, f, 'ridge_regression', '{"options": {"lambda": -1}}'$$,
    $$y, f, 'ridge_regression', '{"folds": 1}'$$, $$y, f, 'ridge_regression', '{"folds": 121}'$$, $$y, f, 'ridge_regression', '{"folds": 120, "time_column": "at"}'$$, $$y, f, 'ridge_regression', '{"folds": 8, "group_column": "shop"}'$$,
    $$y, f, 'ridge_regression', '{"folds": 5, "fold_column": "fold"}'$$, $$y, f, 'ridge_regression', '{"group_column": "shop", "fold_column": "fold"}'$$, $$y, f, 'ridge_regression', '{"fold_column": "part"}'$$, $$y, f, 'ridge_regression', '{"fold_column": "a"}'$$,
    $$y, f, 'ridge_regression', '{"time_column": "c"}'$$, $$y, f, 'ridge_regression', '{"stratified": true}'$$, $$y, f, 'ridge_regression', '{"test_folds": [1]}'$$, $$y, f, 'ridge_regression', '{"fold_column": "fold", "test_folds": [9]}'$$,
    $$y, f, 'ridge_regression', '{"metrics": ["rmse", "accuracy"]}'$$, $$y, f, 'ridge_regression', '{"metrics": ["r2"]}'$$, $$l, f, 'lda', '{"metrics": ["rmse"]}'$$, $$l, f, 'svm_classifier', '{"metrics": ["log_loss"]}'$$, $$judged.c, ARRAY[f.a, f.b], 'naive_bayes', '{"metrics": ["roc_auc"]}'$$,
    $$judged.c, ARRAY[f.a, f.b], 'naive_bayes', '{"metrics": ["f1_score"]}'$$, $$judged.c, ARRAY[f.a, f.b], 'naive_bayes', '{"metrics": ["f1_score"], "positive": "w"}'$$, $$id, f, 'neighbors'$$, $$NULL, ARRAY[f.a, f.b], 'pca', '{"options": {"k": 1}}'$$, $$y, f, CASE WHEN id = 7 THEN 'lasso_regression' ELSE 'ridge_regression' END$$,
    $$y, f, 'ridge_regression', CASE WHEN id = 7 THEN '{"folds": 4}' ELSE '{}' END::jsonb$$, $$y, f, 'lasso_regression', '{"options": {"fold_column": "fold"}}'$$, $$l, f, 'lda', '{"fold_column": "fold", "options": {"priors": {"yes": 1}}}'$$, $$y, f, 'kmeans', 'folds + 5'$$,
    $$l, ARRAY[f.a, f.b], 'lda', '{"fold_column": "fold"}'$$]) AS call;
SELECT try($$SELECT cross_validate(y, f, 'ridge_regression', '{"fold_column": "fold"}') FROM judged, LATERAL (SELECT a, 3 AS fold) AS f$$);
SELECT try($$SELECT cross_validate(l, f, 'lda', '{"fold_column": "fold"}') FROM judged, LATERAL (SELECT a, (l = 'no')::int AS fold) AS f$$);
SELECT try($$SELECT cross_validate(y, f, 'linear_regression', '{"folds": 2}') FROM (SELECT 1 AS y, 2 AS a FROM generate_series(1, 9)) AS t, LATERAL (SELECT a) AS f$$);
SET pgfit.fit_mem = '64kB';
SELECT try($$SELECT cross_validate(l, f, 'knn_classifier') FROM judged, generate_series(1, 200), LATERAL (SELECT a, b, c) AS f$$);
SELECT cardinality(cross_validate(l, f, 'logistic_regression', '{"folds": 2, "options": {"lambda": 1}}')) AS spilled FROM judged, generate_series(1, 60), LATERAL (SELECT a, b, id % 17 AS d) AS f;
RESET pgfit.fit_mem;
-- a metric that a fold does not have
SELECT fold, value FROM (SELECT (unnest(cross_validate(l, f, 'lda', '{"fold_column": "fold", "metrics": ["roc_auc"]}'))).* FROM judged, LATERAL (SELECT a, b, CASE WHEN id < 60 THEN 1 WHEN l = 'no' AND id % 2 = 0 THEN 2 ELSE 3 END AS fold) AS f) AS s WHERE value IS NULL;

-- folds and splits by key
SELECT fold(id, 5) = fold(id::text, 5) AND split(id, 0.5) = split(id::bigint, 0.5) AS by_text, fold(NULL::int, 5) IS NULL AND split(NULL::text, 0.5) IS NULL AS null_of_null FROM judged WHERE id = 3;
SELECT array_agg(fold(g, 4) ORDER BY g) AS folds, array_agg(fold(g, 4, 1) ORDER BY g) AS others, array_agg(split(g, 0.5)::int ORDER BY g) AS split FROM generate_series(1, 12) AS g;
SELECT fold('a', 10), fold(date '2024-02-29', 10), fold(1.50, 10) = fold(1.5, 10) AS numeric_value, fold(ARRAY[1, 2], 10), fold(true, 10), fold(timestamptz '2024-01-01 12:00 UTC', 1000000);
SET timezone = 'Asia/Kathmandu'; SET datestyle = 'German';
SELECT fold(date '2024-02-29', 10), fold(timestamptz '2024-01-01 12:00 UTC', 1000000);
RESET timezone; RESET datestyle;
-- uniform (chi squared of 9 degrees of freedom is below 28 but once in a thousand times), and independent of seed and use
SELECT kind, sum((n - 10000)^2 / 10000) < 28 AS uniform FROM (SELECT kind, k, count(*) AS n FROM generate_series(1, 100000) AS g, LATERAL (VALUES ('integers', fold(g, 10)), ('texts', fold('user-' || g, 10)), ('seed', fold(g, 10, 99)), ('big', fold(g * 1048576::bigint, 10))) AS v (kind, k) GROUP BY 1, 2) AS t GROUP BY 1 ORDER BY 1;
SELECT abs(avg(split(g, 0.8)::int) - 0.8) < 0.005 AS share, bool_and(split(g, 0.8) OR NOT split(g, 0.5)) AS nested, abs(corr(split(g, 0.8)::int, (fold(g, 2) = 1)::int)) < 0.02 AS of_fold, abs(corr(split(g, 0.5)::int, split(g, 0.5, 1)::int)) < 0.02 AS of_seed,
       bool_and(split(g, 1)) AS always, bool_or(split(g, 0)) AS never FROM generate_series(1, 40000) AS g;
SELECT try(call) FROM unnest(ARRAY['SELECT fold(1, 1)', 'SELECT split(1, 1.5)', $$SELECT split(1, 'NaN')$$, 'SELECT fold(1, 5, NULL)']) AS call;
-- settings were set and reset for the hash of each whole row; it is still that of the row's text in any session
CREATE TYPE key_pair AS (a int, t timestamptz);
CREATE TABLE key_rows AS
SELECT i, (i * 7)::smallint AS s, i * 10000000000 AS l, (i * 0.37)::real AS f4, sin(i) AS f8, CASE WHEN i % 7 > 0 THEN chr(32 + i % 90) || E'a\\b"c, d' END AS words, '' AS nothing, 'x'::char(4) AS padded,
       i % 2 = 0 AS even, date '2020-01-01' + i AS day, timestamp '2020-01-01 01:02:03.45' + i * interval '1 day 3 s' AS at, timestamptz '0044-03-15 01:02:03.4 BC' + i * interval '400 days' AS zoned,
       (i * 0.10)::numeric(10, 2) AS price, i * interval '25:00' AS span, ARRAY[sin(i), 2.5] AS numbers, '\xdead'::bytea AS bytes, jsonb_build_object('a', i / 3.0) AS object, ROW(i, 'epoch')::key_pair AS pair,
       time '01:02:03.5' AS clock, float8 'NaN' AS bad, float8 '-0' AS zero, date 'infinity' AS never, timestamptz '-infinity' AS ever, ARRAY[date '2024-02-29'] AS days, 1 AS gone
FROM generate_series(1, 200) AS i;
ALTER TABLE key_rows DROP COLUMN gone;
ALTER TABLE key_rows ADD COLUMN later float8 DEFAULT 2.5;
INSERT INTO key_rows (i) VALUES (0);
SET timezone = 'GMT'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres';
CREATE TABLE row_texts AS SELECT i, k::text AS whole, k.numbers::text AS numbers, ROW(f8, zoned, words)::text AS part FROM key_rows AS k;
SELECT count(*), bool_and(fold(k, 1000000) = fold(whole, 1000000)) AS whole, bool_and(fold(ROW(f8, zoned, words), 1000000) = fold(part, 1000000)) AS part FROM key_rows AS k JOIN row_texts USING (i);
SET timezone = 'Asia/Kathmandu'; SET datestyle = 'German'; SET extra_float_digits = 0; SET intervalstyle = 'iso_8601'; SET bytea_output = 'escape';
SELECT count(*), bool_and(fold(k, 1000000) = fold(whole, 1000000)) AS whole, bool_and(fold(ROW(f8, zoned, words), 1000000) = fold(part, 1000000)) AS part,
       bool_and(k.numbers IS NULL OR fold(k.numbers, 1000000) = fold(r.numbers, 1000000)) AS arrays FROM key_rows AS k JOIN row_texts AS r USING (i);
RESET timezone; RESET datestyle; RESET extra_float_digits; RESET intervalstyle; RESET bytea_output;
ALTER TABLE key_rows ALTER COLUMN later TYPE int;
SELECT bool_and(fold(k, 1000000) = fold(k::text, 1000000)) AS after_a_change FROM (SELECT later, i, words FROM key_rows) AS k;
DROP TABLE key_rows, row_texts;
DROP TYPE key_pair;
-- candidates: one row of the result each, the same as by a call of their own
SELECT kind, array_dims(together) AS dims, bool_and(ARRAY(SELECT t::text FROM unnest(together[i:i]) AS t) = ARRAY(SELECT o::text FROM unnest(one) AS o)) AS same
FROM (VALUES ('ridge_regression', '[{"lambda": 0.1}, {"lambda": 30}, {}]'::jsonb, '{"formula": "a + b + c", "lambda": 2}'::jsonb), ('lasso_regression', '[{"lambda": 1}, {"lambda": 30}]', '{"formula": "a + log(2 + b)"}'),
             ('elastic_net', '[{"lambda": 1, "alpha": 0.1}, {"lambda": 30}]', '{"formula": "a + b", "standardize": true}'), ('tree_regression', '[{"max_depth": 1}, {"max_depth": 3}]', '{"formula": "a + b + c"}'),
             ('knn_regression', '[{"k": 1}, {"k": 7}]', '{"formula": "a + b", "standardize": true}'), ('ridge_regression', '[{"lambda": 1}]', '{"formula": "scale(a) + b"}'),
             ('ridge_regression', '[{"lambda": 1}, {"lambda": 2}]', '{"formula": "scale(a) + b"}')) AS v (kind, candidates, options),
     LATERAL (SELECT cross_validate(y, j, kind, jsonb_build_object('folds', 4, 'metrics', '["rmse", "mae"]'::jsonb, 'options', options, 'candidates', candidates)) AS together FROM judged AS j) AS t,
     LATERAL (SELECT i, cross_validate(y, j, kind, jsonb_build_object('folds', 4, 'metrics', '["rmse", "mae"]'::jsonb, 'options', options || (candidates -> (i - 1)))) AS one
              FROM judged AS j, generate_series(1, jsonb_array_length(candidates)) AS i GROUP BY i) AS o
GROUP BY 1, 2, candidates, options ORDER BY 1, 2;
-- with little memory they are fitted a few at a time
SET pgfit.fit_mem = '64kB';
SELECT array_dims(c) AS dims
FROM (SELECT cross_validate(y, j, 'ridge_regression', '{"metrics": "rmse", "options": {"formula": "a + b"}, "candidates": [{"lambda": 1}, {"lambda": 2}, {"lambda": 3}, {"lambda": 4}, {"lambda": 5}, {"lambda": 6}, {"lambda": 7}]}') AS c FROM judged AS j) AS t;
RESET pgfit.fit_mem;
SELECT try($$SELECT cross_validate(y, j, 'ridge_regression', '{"options": {"formula": "a"}, "candidates": $$ || candidates || $$}') FROM judged AS j$$)
FROM unnest(ARRAY['[]', '{}', '[1]', '[{"lambda": "cv"}]', '[{"lamda": 1}]', '[{"lambda": -1}]', '[{"formula": "b"}]', '[{"max_levels": 3}]', '[{"folds": 3}]', '[{"standardize": true}]']) AS candidates;
-- options of the estimator among those of cross_validate
SELECT try(call) FROM unnest(ARRAY[$$SELECT cross_validate(y, j, 'ridge_regression', '{"folds": 2, "formula": "a"}') FROM judged AS j$$, $$SELECT cross_validate(y, j, 'ridge_regression', '{"lambda": 2}') FROM judged AS j$$]) AS call;
DROP TABLE judged;
-- an option of the estimator among those of cross_validate: the hint did not say where it stands
SELECT test.try($$SELECT pgfit.cross_validate(x, r, 'ridge_regression', '{"lambda": 1}') FROM (VALUES (1.0, 2.0), (2, 3)) AS r(x, y)$$);
SELECT test.try($$SELECT pgfit.cross_validate(x, r, 'ridge_regression', '{"formula": "y"}') FROM (VALUES (1.0, 2.0), (2, 3)) AS r(x, y)$$);
-- neighbors by a metric of texts are asked row by row, each with its own text
CREATE TABLE judged_words AS SELECT i, 1 + i % 3 AS fold, (ARRAY['ash', 'birch', 'elm', 'hornbeam'])[1 + i / 3 % 4] || repeat('s', i % 3) AS word, 10 * (i / 3 % 4) + i % 3 AS y FROM generate_series(0, 23) AS i;
WITH parts AS MATERIALIZED (SELECT k, knn_regression(y, f, '{"k": 3, "metric": "edit"}') FILTER (WHERE fold <> k) AS m FROM judged_words, LATERAL (SELECT word) AS f, generate_series(1, 3) AS k GROUP BY k),
     hand AS (SELECT k, rmse(y, predict(m, f)) AS value FROM parts, judged_words, LATERAL (SELECT word) AS f WHERE fold = k GROUP BY k)
SELECT count(*) AS folds, bool_and(near(h.value, s.value, 1e-12)) AS as_by_hand FROM hand AS h, (SELECT (unnest(cross_validate(y, f, 'knn_regression', '{"fold_column": "fold", "metrics": ["rmse"], "options": {"k": 3, "metric": "edit"}}'))).* FROM judged_words, LATERAL (SELECT word, fold) AS f) AS s WHERE s.fold = h.k;
DROP TABLE judged_words;
