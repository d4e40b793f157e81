-- Searches for options, automl, and paired tests of two models.
SET search_path = public, test, pgfit;
CREATE TABLE field AS
SELECT i AS id, sin(i * 1.7) AS a, cos(i * 0.3) AS b, 1 + i % 3 AS w, i % 8 AS part, DATE '2026-01-01' + i / 8 AS day,
       3 * sin(i * 1.7) - cos(i * 0.3) + sin(i * 7.77) AS y, CASE WHEN sin(i * 1.7) + 0.5 * sin(i * 9.1) > 0 THEN 'yes' ELSE 'no' END AS k
FROM generate_series(1, 400) AS i;
CREATE FUNCTION pg_temp.show(s float8) RETURNS numeric LANGUAGE sql AS 'SELECT round($1::numeric, 4)';

-- ---- search ----

SELECT rank, estimator, options, metric, pg_temp.show(value) AS value, pg_temp.show(std_error) AS std_error, cardinality(fold_values) AS folds, rows, message
FROM search('ridge_regression', 'field', 'y ~ a + b', '{"lambda": [1000, 0.1, 1], "standardize": [true, false]}');
-- the same numbers as the query by hand, whatever shares the scan
SELECT bool_and(abs(s.value - c.value) < 1e-12 AND abs(s.std_error - c.std_error) < 1e-12 AND abs(s.std_dev / sqrt(5) - s.std_error) < 1e-12) AS same
FROM search('ridge_regression', 'field', 'y ~ a + b', '{"lambda": [0.1, 10]}', '{"weight": "w", "metrics": "mae", "seed": 3, "per_scan": 1}') AS s,
     LATERAL (SELECT (unnest(cross_validate(d.y, d, 'ridge_regression', jsonb_build_object('seed', 3, 'metrics', 'mae', 'options',
                  s.options || '{"formula": "a + b"}'), d.w))).* FROM field AS d) AS c
WHERE c.fold IS NULL;
SELECT search_sql('ridge_regression', 'field', 'y ~ a + b', '{"lambda": [0.1, 10]}', '{"folds": 4}');
SELECT sql FROM search('ridge_regression', 'field', 'y ~ a + b', '{"lambda": [0.1, 10]}', '{"folds": 4}') WHERE rank = 2;
-- a list of grids, an option that does not vary, options of all candidates
SELECT options FROM search('tree_classifier', 'field', 'k ~ a + b', '[{"max_depth": [2, 3]}, {"max_depth": 4, "criterion": ["gini", "entropy"]}]',
                           '{"options": {"min_samples_leaf": 5}, "stratified": true}') ORDER BY options::text;
-- formulas are options, too
SELECT rank, options, pg_temp.show(value) AS value FROM search('linear_regression', 'field', 'y ~', '{"formula": ["a", "a + b", "a * b"]}');
-- groups and time
SELECT rank, pg_temp.show(value) AS value, cardinality(fold_values) AS folds
FROM search('knn_regression', 'field', 'y ~ a + b', '{"k": [3, 9]}', '{"group_column": "part", "folds": 4}');
SELECT rank, pg_temp.show(value) AS value, rows FROM search('knn_regression', 'field', 'y ~ a + b', '{"k": [3, 9]}', '{"time_column": "day"}');
-- outer folds are found by the operator of PostgreSQL, whatever comes first in the search path
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.never(int, int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hostile operator''; END';
CREATE OPERATOR hostile.= (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.never);
CREATE OPERATOR hostile.<> (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.never);
SET search_path = hostile, pg_catalog;
SELECT count(*) FROM pgfit.search('ridge_regression', 'public.field', 'y ~ a + b', '{"lambda": [0.1, 1]}', '{"folds": 3, "nested": 2}');
SET search_path = public, test, pgfit;
DROP SCHEMA hostile CASCADE;
-- without a target
SELECT rank, options, metric, value > 0 AS positive FROM search('kmeans', 'field', '~ a + b', '{"k": [2, 5]}');

-- a candidate that cannot be fitted is a row
SELECT rank, options, message FROM search('ridge_regression', 'field', 'y ~ a + b', '{"lambda": [-1, 1, 2]}');
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a + b', '{"lambda": [-1]}')$$);

-- draws: the same for a seed, each once, all of a grid that has fewer
SELECT options FROM search('ridge_regression', 'field', 'y ~ a + b', '{"lambda": {"min": 0.001, "max": 1000, "scale": "log"}}', '{"method": "random", "n": 4}') ORDER BY 1;
SELECT count(*), count(DISTINCT options), bool_and((options ->> 'max_depth')::int BETWEEN 2 AND 9) AS inside
FROM search('tree_regression', 'field', 'y ~ a + b', '{"max_depth": {"min": 2, "max": 9, "integer": true}, "min_samples_leaf": [1, 5, 10]}',
            '{"method": "random", "n": 12, "seed": 5}');
SELECT count(*) FROM search('tree_regression', 'field', 'y ~ a + b', '{"max_depth": [2, 3]}', '{"method": "random", "n": 12}');

-- halving: few rows first
SELECT fraction, count(*), min(rank), max(rank), bool_and(rows <= 400 * fraction * 1.4) AS few
FROM (SELECT round(fraction::numeric, 3) AS fraction, rank, rows
      FROM search('tree_regression', 'field', 'y ~ a + b', '{"max_depth": [1, 2, 3, 4, 5, 6, 7, 8, 9]}', '{"method": "halving"}')) AS s GROUP BY fraction ORDER BY fraction;
SELECT search_sql('ridge_regression', 'field', 'y ~ a', '{"lambda": [1, 2, 3]}', '{"method": "halving", "eta": 2, "group_column": "part"}');

-- nested: the last row judges the procedure
SELECT rank, options, pg_temp.show(value) AS value, cardinality(fold_values) AS folds, rows, message
FROM search('knn_regression', 'field', 'y ~ a + b', '{"k": [3, 9]}', '{"nested": 4}');
-- outer folds have the positive class of the inner ones
SELECT positive, value < 0.5 AS low FROM (VALUES ('false'), ('true')) AS v (positive),
     LATERAL search('tree_classifier', 'SELECT i, i % 4 = 0 AS rare FROM generate_series(1, 400) AS i', 'rare ~ i', '{"max_depth": [1]}',
                    jsonb_build_object('nested', 3, 'metric', 'recall_score', 'positive', positive)) WHERE rank IS NULL OR message LIKE 'nested%' ORDER BY positive;

-- the best is trained
SELECT rank, message FROM search('ridge_regression', 'field', 'y ~ a + b', '{"lambda": [100, 0.1]}', '{"store": "searched", "folds": 4, "weight": "w"}');
SELECT version, active, estimator, rows, metrics ? 'rmse' AS judged FROM history('searched');
SELECT info(get_model('searched')) -> 'options' ->> 'lambda' AS lambda;

-- refusals
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '[]')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '[1]')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '3')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": []}')$$);
SELECT left(try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lamda": [1]}')$$), 90);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"metrics": "accuracy"}')$$);
SELECT left(try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"fold": 5}')$$), 90);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"method": "bayes"}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"n": 5}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"eta": 5}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"method": "halving", "eta": 1}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"per_scan": 0}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"nested": 1}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"nested": 3, "time_column": "day"}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"group_column": "nobody"}')$$);
SELECT try($$SELECT search('kmeans', 'field', '~ a', '{"k": [2]}', '{"nested": 3}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": {"min": 1, "max": 2}}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": {"min": 0, "max": 2, "scale": "log"}}', '{"method": "random"}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [1]}', '{"method": "random", "n": 1000000}')$$);
SELECT try(format('SELECT search(%L, %L, %L, %L)', 'elastic_net', 'field', 'y ~ a',
                  jsonb_build_object('lambda', (SELECT jsonb_agg(i) FROM generate_series(1, 1000) AS i), 'tolerance', (SELECT jsonb_agg(i) FROM generate_series(1, 1000) AS i))));
SELECT try($$SELECT search('ridge_regression', 'SELECT * FROM field WHERE false', 'y ~ a', '{"lambda": [1, 2]}')$$);
SELECT try($$SELECT search('ridge_regression', 'SELECT * FROM field WHERE id < 2', 'y ~ a', '{"lambda": [1, 2]}', '{"folds": 10}')$$);
SELECT try($$SELECT search('ridge_regression', 'SELECT * FROM field WHERE id < 8', 'y ~ a', '{"lambda": [1]}', '{"folds": 100, "store": "nothing"}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', 'z ~ a', '{"lambda": [1]}')$$);
SELECT try($$SELECT search('ridge_regression', 'field', '~ a', '{"lambda": [1]}')$$);
SELECT try($$SELECT search('ridge_regression', NULL, '~ a', '{"lambda": [1]}')$$);
SELECT left(try($$SELECT search('rich_regression', 'field', 'y ~ a', '{"lambda": [1]}')$$), 90);
SELECT try($$SELECT search('ridge_regression', 'field', 'y ~ a', '{"lambda": [-1, -1]}', '{"store": "nothing"}')$$);

-- ---- automl ----

SELECT bool_and(rank = place) AS ranked, count(DISTINCT estimator) AS estimators, min(metric) AS metric, bool_and(message IS NULL OR rank = 1) AS judged, bool_and(sql LIKE 'SELECT%') AS shown
FROM automl('field', 'y', '{"features": "a + b", "store": "automatic", "folds": 3}') WITH ORDINALITY AS t (rank, estimator, options, metric, value, std_error, std_dev, fold_values, rows, scorable, fraction, duration, message, sql, place);
SELECT version, active, rows FROM history('automatic');
SELECT estimator, options, metric, message FROM automl('field', 'k', '{"features": "a + b", "estimators": ["naive_bayes", "qda"], "stratified": true}') ORDER BY estimator;
-- whole numbers of few values are classes, if nobody says otherwise
SELECT estimator, metric FROM automl('SELECT a, b, part FROM field', 'part', '{"estimators": ["naive_bayes"]}');
SELECT estimator, metric FROM automl('SELECT a, b, part FROM field', 'part', '{"estimators": ["linear_regression"], "task": "regression"}');
-- the budget: no candidate but the first begins after it
SELECT rank, estimator, options, message FROM automl('field', 'y', '{"features": "a + b", "time_budget": "1 microsecond", "estimators": ["tree_regression"]}');
SELECT try($$SELECT automl('field', 'nobody')$$);
SELECT try($$SELECT automl('field', 'day')$$);
SELECT try($$SELECT automl('field', 'y', '{"task": "clustering"}')$$);
SELECT try($$SELECT automl('field', 'y', '{"time_budget": 0}')$$);
SELECT try($$SELECT automl('field', 'y', '{"estimators": ["naive_bayes"]}')$$);
SELECT try($$SELECT automl('field', 'y', '{"estimators": []}')$$);
SELECT try($$SELECT automl('field', 'y', '{"metrics": "accuracy"}')$$);
SELECT left(try($$SELECT automl('field', 'y', '{"method": "random"}')$$), 60);
SELECT try($$SELECT automl('SELECT * FROM field WHERE false', 'y', '{"estimators": ["ridge_regression"]}')$$);

-- ---- compare ----

-- Two models that return their features; expected numbers are those of scipy.stats.ttest_rel
CREATE TABLE pairs AS SELECT i AS id, i * 7 % 11 AS y, i * 3 % 7 AS a, (i * 5 % 13) / 2.0 AS b FROM generate_series(1, 40) AS i;
CREATE TABLE same AS SELECT fit('linear_regression', 'SELECT i AS y, i AS a FROM generate_series(1, 9) AS i', 'y ~ a') AS a,
                            fit('linear_regression', 'SELECT i AS y, i AS b FROM generate_series(1, 9) AS i', 'y ~ b') AS b;
SELECT c.metric, rows, round(t::numeric, 8) AS t, df, round(p_value::numeric, 8) AS p, pg_temp.show(conf_low) AS low, pg_temp.show(conf_high) AS high, verdict
FROM same, unnest(ARRAY['squared_error', 'absolute_error']) AS m, compare(same.a, same.b, 'pairs', jsonb_build_object('target', 'y', 'metric', m)) AS c;
-- each against itself
SELECT rows, difference, std_error, t, p_value, verdict FROM same, compare(same.a, same.a, 'pairs', '{"target": "y"}');
-- classifiers: 12 rows that one alone gets right, 2 and 10; scipy.stats.binomtest(2, 12).pvalue is 0.038574
CREATE TABLE votes AS SELECT i AS id, CASE WHEN i <= 40 THEN 'u' ELSE 'v' END AS k, CASE WHEN (i <= 40) = (i NOT IN (1, 2, 41)) THEN 'u' ELSE 'v' END AS a,
                             CASE WHEN (i <= 40) = (i NOT IN (1, 3, 4, 5, 6, 7, 50, 51, 52, 53, 54)) THEN 'u' ELSE 'v' END AS b FROM generate_series(1, 80) AS i;
SELECT version FROM train('votes_a', 'naive_bayes', 'SELECT k, a FROM votes', 'k ~ a', '{"holdout": false}');
SELECT version FROM train('votes_b', 'naive_bayes', 'SELECT k, b FROM votes', 'k ~ b', '{"holdout": false}');
SELECT metric, rows, pg_temp.show(value_a) AS a, pg_temp.show(value_b) AS b, only_a_right, only_b_right, round(mcnemar_p::numeric, 6) AS mcnemar, pg_temp.show(t) AS t, pg_temp.show(p_value) AS p, verdict
FROM compare('votes_a', 'votes_b', 'votes');
SELECT metric, value_a < value_b AS lower, only_a_right, round(mcnemar_p::numeric, 6) AS mcnemar FROM compare('votes_a', 'votes_b', 'votes', '{"metrics": "log_loss"}');
-- a class that a model has not seen costs the clip
SELECT round(value_a::numeric, 3) AS a FROM compare('votes_a', 'votes_b', 'SELECT ''w'' AS k, a, b FROM votes', '{"metrics": "log_loss", "min_probability": 0.001}');
-- folds: the standard error has 1/10 + 1/9 where ten independent differences have 1/10
SELECT version FROM train('flat', 'ridge_regression', 'field', 'y ~ a + b', '{"lambda": 300, "standardize": true}');
SELECT version FROM train('steep', 'ridge_regression', 'field', 'y ~ a + b', '{"options": {"lambda": 0.1}, "weight": "w"}');
WITH folds AS (
    SELECT fold, max(value) FILTER (WHERE l = 300) - max(value) FILTER (WHERE l <> 300) AS d
    FROM (SELECT 300 AS l, (unnest(cross_validate(y, f, 'ridge_regression', '{"fold_column": "fold_number", "metrics": "rmse", "options": {"lambda": 300, "standardize": true, "formula": "a + b"}}'))).*
          FROM (SELECT y, w, a, b, fold(d, 10, 0) AS fold_number FROM field AS d) AS f
          UNION ALL
          SELECT 1, (unnest(cross_validate(y, f, 'ridge_regression', '{"fold_column": "fold_number", "metrics": "rmse", "options": {"lambda": 0.1, "formula": "a + b"}}', w))).*
          FROM (SELECT y, w, a, b, fold(d, 10, 0) AS fold_number FROM field AS d) AS f) AS s
    WHERE fold IS NOT NULL GROUP BY fold)
SELECT c.metric, c.df, abs(c.difference - avg(d)) < 1e-9 AS mean, abs(c.t - avg(d) / sqrt(var_samp(d) * (1 / 10.0 + 1 / 9.0))) < 1e-6 AS corrected, c.p_value < 0.05 AS significant,
       c.mcnemar_p, left(c.verdict, 45) AS verdict
FROM folds, compare('flat', 'steep', 'field', '{"folds": 10}') AS c GROUP BY c.metric, c.df, c.difference, c.t, c.p_value, c.mcnemar_p, c.verdict;
SELECT metric, value_a < value_b AS lower FROM compare('flat', 'steep', 'field', '{"folds": 4, "metrics": "r_squared", "group_column": "part", "seed": 2}');

SELECT try($$SELECT compare('nobody', 'votes_b', 'votes')$$);
SELECT try($$SELECT compare('votes_a', 'flat', 'votes')$$);
SELECT try($$SELECT compare('votes_a', 'votes_b', 'field')$$);
SELECT try($$SELECT compare('votes_a', 'votes_b', 'SELECT * FROM votes WHERE false')$$);
SELECT try($$SELECT compare('votes_a', 'votes_b', 'votes', '{"metrics": "squared_error"}')$$);
SELECT try($$SELECT compare('votes_a', 'votes_b', 'votes', '{"target": "none"}')$$);
SELECT try($$SELECT compare('votes_a', 'votes_b', 'votes', '{"fold": 3}')$$);
SELECT try($$SELECT compare('votes_a', 'votes_b', 'votes', '{"seed": 3}')$$);
SELECT try($$SELECT compare('flat', 'steep', 'field', '{"folds": 1}')$$);
SELECT try($$SELECT compare('flat', 'steep', 'field', '{"folds": 3, "metrics": "accuracy"}')$$);
SELECT try($$SELECT compare('flat', 'steep', 'field', '{"target": "k"}')$$);
SELECT try($$SELECT compare('votes_a', 'votes_b', 'votes', '{"metrics": "log_loss", "min_probability": 1}')$$);
SELECT try($$SELECT compare(a, b, 'pairs') FROM same$$);
SELECT try($$SELECT compare(a, b, 'pairs', '{"target": "y", "folds": 3}') FROM same$$);
SELECT try($$SELECT compare((SELECT kmeans(f, 2) FROM (SELECT a, b FROM field) AS f), a, 'pairs', '{"target": "y"}') FROM same$$);
SELECT try($$SELECT compare('flat', NULL, 'field')$$);

-- with the rights of the caller
CREATE ROLE searcher;
GRANT USAGE ON SCHEMA pgfit TO searcher;
GRANT SELECT ON pairs TO searcher;
SET ROLE searcher;
SELECT rank, options FROM pgfit.search('ridge_regression', 'pairs', 'y ~ a + b', '{"lambda": [1, 2]}', '{"store": "of_searcher", "nested": 2}') WHERE rank = 1;
SELECT count(*) FROM pgfit.search('ridge_regression', 'pairs', 'y ~ a + b', '{"lambda": {"min": 1, "max": 2}}', '{"method": "random", "n": 3}');
SELECT p_value IS NULL AS same FROM pgfit.compare('of_searcher', 'of_searcher', 'pairs');
SELECT count(*) FROM pgfit.automl('pairs', 'y', '{"estimators": ["lda"], "task": "classification"}');
SELECT pgfit.search('ridge_regression', 'field', 'y ~ a + b', '{"lambda": [1, 2]}');
SELECT pgfit.compare('of_searcher', 'flat', 'pairs');
RESET ROLE;
SELECT drop_model('of_searcher');
DROP OWNED BY searcher;
DROP ROLE searcher;

-- ---- one scan of the source for all candidates ----

CREATE SEQUENCE reads;
CREATE VIEW counted AS SELECT y, a, b, CASE WHEN id = 1 THEN nextval('reads') END AS read FROM field;
SELECT count(*) FROM search('tree_regression', 'counted', 'y ~ a + b', '{"max_depth": [2, 3, 4, 5]}');
SELECT last_value, is_called FROM reads;
DROP VIEW counted;
DROP SEQUENCE reads;

DROP TABLE field, pairs, same, votes;
SELECT count(drop_model(name)::text) AS dropped FROM (SELECT DISTINCT name FROM history() AS h WHERE name IN ('searched', 'automatic', 'votes_a', 'votes_b', 'flat', 'steep')) AS s;
