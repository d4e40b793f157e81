-- Candidates that skip rows with a NULL are compared with others by the rows that all of them score.
SET search_path = test, pgfit, public;
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = notice;
-- rows with a NULL in b are noisy, so a candidate that skips them looks better than it is
CREATE TABLE gaps AS
SELECT i, sin(i) AS a, CASE WHEN i % 2 = 0 THEN cos(i) END AS b, CASE WHEN i % 10 <> 0 THEN ARRAY[sin(i * 2), cos(i * 2)] WHEN i % 20 = 0 THEN ARRAY[sin(i), NULL] END AS c,
       sin(i) + CASE WHEN i % 2 = 0 THEN 0.1 ELSE 500 END * sin(i * i) AS y, CASE WHEN sin(i) > 0 THEN 'p' ELSE 'n' END AS k, 1 + i % 2 AS w, i % 5 AS part
FROM generate_series(1, 400) AS i;
SELECT options, value < 1 AS small, rows, scorable, message FROM search('linear_regression', 'gaps', 'y ~', '{"formula": ["a", "a + b"]}') ORDER BY options;
SELECT options, value < 1 AS small, rows, scorable, message FROM search('ridge_regression', 'gaps', 'y ~ a + b', '{"nulls": ["skip", "impute"], "lambda": [1]}') ORDER BY options;
-- columns of both, and NULLs inside arrays; weights
SELECT options, rows, scorable FROM search('linear_regression', 'gaps', 'y ~', '{"formula": ["a", "a + b", "a + c"]}', '{"weight": "w"}') ORDER BY options;
-- rows that are not judged are fitted: the mean of y over all rows, not over those that both score
SELECT options, rows, round(value::numeric, 6) = (SELECT round(sqrt(avg((y - m) ^ 2))::numeric, 6)
                                                  FROM gaps, (SELECT avg(y) AS m FROM gaps WHERE part <> 1) AS mean WHERE part = 1 AND b IS NOT NULL) AS is_so
FROM search('tree_regression', 'gaps', 'y ~ a + b', '{"nulls": ["branch", "skip"], "max_depth": [0]}', '{"fold_column": "part", "test_folds": [1]}') WHERE options @> '{"nulls": "branch"}';
-- groups, folds of a column, classes, halving and outer folds
SELECT estimator, options, rows, scorable FROM search('tree_classifier', 'gaps', 'k ~ a + b', '{"nulls": ["branch", "skip"]}', '{"group_column": "part"}') ORDER BY options;
SELECT estimator, options, rows, scorable FROM search('tree_classifier', 'gaps', 'k ~ a + b', '{"nulls": ["branch", "skip"]}', '{"stratified": true, "nested": 2}') ORDER BY options;
SELECT count(DISTINCT rows) AS fractions, bool_and(rows <= 200) AS common
FROM search('tree_classifier', 'gaps', 'k ~ a + b', '{"nulls": ["branch", "skip"], "max_depth": [1, 2, 3]}', '{"method": "halving", "eta": 2}');
-- automl: trees take NULLs, other methods skip them
SELECT estimator, rows, scorable FROM automl('gaps', 'k', '{"features": "a + b", "estimators": ["naive_bayes", "tree_classifier"]}') ORDER BY estimator, options;
-- where there is no difference, the query is that of one cross_validate
SELECT search_sql('ridge_regression', 'gaps', 'y ~ a + b', '{"lambda": [1, 2]}');
SELECT search_sql('linear_regression', 'SELECT a, b, y FROM gaps WHERE b IS NOT NULL', 'y ~', '{"formula": ["a", "a + b"]}') ~ ', 1, d' AS conditional;
SELECT search_sql('linear_regression', 'gaps', 'y ~', '{"formula": ["a", "a + b"]}');
-- the row's own query gives its value
CREATE TEMP TABLE found AS SELECT sql, value FROM search('linear_regression', 'gaps', 'y ~', '{"formula": ["a", "a + b"]}');
SELECT sql ~ 'cross_validate\(d.y, d, .*, 1, d.a IS NOT NULL AND d.b IS NOT NULL\)' AS conditional FROM found;
-- a winner that scores fewer rows than another is named, stored or not
CREATE TABLE better AS SELECT i, sin(i) AS a, CASE WHEN i % 4 > 0 THEN cos(i) END AS b, sin(i) + 3 * cos(i) AS y FROM generate_series(1, 200) AS i;
SELECT rank, options, rows, scorable, message FROM search('linear_regression', 'better', 'y ~', '{"formula": ["a", "a + b"]}');
SELECT rank, options, message FROM search('linear_regression', 'better', 'y ~', '{"formula": ["a", "a + b"]}', '{"store": "gaps_winner"}');
-- equal values: the one that scores more rows comes first
SELECT rank, options, scorable FROM search('tree_classifier', 'SELECT i % 10 = 0 AS rare, b FROM better', 'rare ~ b', '{"nulls": ["skip", "branch"], "max_depth": [0]}');
-- no row that all can score
SELECT options, rows FROM search('linear_regression', 'SELECT y, a, CASE WHEN i % 2 = 1 THEN a END AS odd, b AS even FROM gaps', 'y ~', '{"formula": ["odd", "even"]}') ORDER BY options;
-- columns that a formula takes out are not read, so their NULLs keep no row from being scored
SELECT options, rows, scorable FROM search('linear_regression', 'SELECT y, a, b, i FROM gaps', 'y ~', '{"formula": [". - b", "a + i", "a + log(i) - factor(b)", "a + a:b - a:b"]}') ORDER BY options;
SELECT options, rows, scorable FROM search('linear_regression', 'SELECT y, a, b, i FROM gaps', 'y ~', '{"formula": [". - i", "a:b", "I(b * 2) + a", ". - b"]}') ORDER BY options;
-- a formula that is wrong is the failure of its candidate alone
SELECT options, message FROM search('linear_regression', 'gaps', 'y ~', '{"formula": ["a", "a + ", "a + b"]}') ORDER BY options;

-- two models
SELECT version FROM train('gaps_a', 'linear_regression', 'better', 'y ~ a', '{"holdout": false}');
SELECT version FROM train('gaps_ab', 'linear_regression', 'better', 'y ~ a + b', '{"holdout": false}');
SELECT rows, rows_a, rows_b, regexp_replace(verdict, 'lower by .*\)', 'lower') AS verdict FROM compare('gaps_a', 'gaps_ab', 'better');
SELECT rows, rows_a, rows_b, regexp_replace(verdict, 'lower by .*\)', 'lower') AS verdict FROM compare('gaps_a', 'gaps_ab', 'better', '{"folds": 5}');

-- cross_validate by hand: how many are judged
SELECT metric, rows FROM (SELECT (unnest(cross_validate(y, b, 'tree_regression', '{"metrics": "mae", "seed": 1}', 1, i > 100))).* FROM better) AS s WHERE fold IS NULL;

-- a column of terms that the formula takes away again is not read
SELECT options, rows, scorable FROM search('linear_regression', 'gaps', 'y ~', '{"formula": ["a", "a + I(b + 1) - I(b + 1)", ". - b - c - k", "a + I(k == ''p'')"]}') ORDER BY options;
-- automl leaves out what a unique index makes different in every row, and says so
CREATE TABLE keyed (dropped int, id int PRIMARY KEY, "Code" text UNIQUE, half int, part uuid, share float8 UNIQUE, x float8, y float8);
ALTER TABLE keyed DROP COLUMN dropped;
CREATE UNIQUE INDEX ON keyed (half) WHERE half < 20;
CREATE UNIQUE INDEX ON keyed (half, id);
INSERT INTO keyed SELECT i, 'c' || i, i / 2 + 20, NULL, sin(i), cos(i), cos(i) + sin(i * 3) FROM generate_series(1, 60) AS i;
SELECT estimator, sql ~ '[.] - [^ ]*id[^ ]* - [^ ]*Code' AS without FROM automl('keyed', 'y', '{"estimators": ["linear_regression"], "options": {"nulls": "impute"}}');
SELECT estimator FROM automl('keyed', 'y', '{"estimators": ["linear_regression"], "features": "id + x"}');
SELECT estimator FROM automl('SELECT id, x, y FROM keyed', 'y', '{"estimators": ["linear_regression"]}');
SELECT drop_model('gaps_winner'), drop_model('gaps_a'), drop_model('gaps_ab');
DROP TABLE gaps, better, keyed, found;
