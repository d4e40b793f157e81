#!/bin/bash
# Fits in parallel workers: the same bits for any number of workers, wherever a statement may stand; errors, cancels and ends of workers leave nothing.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_parallel_fits || exit 1
session_functions

sql "CREATE TYPE features AS (a float8, b text, d float8);
     CREATE TABLE points AS SELECT i AS id, ARRAY[sin(i), cos(i * 1.7), (i * 7919::bigint) % 1000] AS x, ROW(sin(i), 'l' || i % 23, CASE WHEN i % 5 > 0 THEN cos(i * 3.1) END)::features AS f,
         sin(i) * 3 + i % 7 AS y, i * 31 % 3 AS c, i % 4 + 0.5 AS w FROM generate_series(1, 60000) AS i;
     ALTER DATABASE pgfit_parallel_fits SET pgfit.fit_mem = '1GB';
     CREATE TABLE few AS SELECT * FROM points WHERE id <= 8000;
     -- the hash of a fit with so many workers
     CREATE FUNCTION fitted(call text, workers int) RETURNS text LANGUAGE plpgsql AS \$\$
     DECLARE result text;
     BEGIN
         PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
         EXECUTE 'SELECT md5((' || call || ')::text) FROM ' || CASE WHEN call ~ 'exact' THEN 'few' ELSE 'points' END INTO result;
         RETURN result;
     END \$\$;" || exit 1

while read -r call; do
    name=${call#pgfit.}
    alone=$(sql "SELECT fitted(\$\$$call\$\$, 0)")
    is "$(sql "SELECT count(*) FROM unnest(ARRAY[1, 4]) AS w WHERE fitted(\$\$$call\$\$, w) = '$alone'")" 2 "the same bits with 0, 1 and 4 workers: $name"
done <<'CALLS'
pgfit.forest_regression(y, x, '{"n_trees": 30}')
pgfit.forest_regression(y, f, '{"n_trees": 20, "importance": "permutation"}', w)
pgfit.forest_regression(y, f, '{"n_trees": 150, "split": "exact", "monotone": {"a": 1}}')
pgfit.forest_regression(y, x, '{"n_trees": 20, "bootstrap": false, "max_features": 1}', w)
pgfit.forest_regression(y * 1e-30, x, '{"n_trees": 20}')
pgfit.forest_classifier(c, f, '{"n_trees": 20, "class_weight": "balanced", "voting": "hard"}')
pgfit.forest_classifier(c > 0, x, '{"n_trees": 150, "split": "exact", "max_samples": 0.3}')
pgfit.extra_trees_classifier(c, x, '{"n_trees": 20}', w)
pgfit.extra_trees_regression(y, f, '{"n_trees": 20, "bootstrap": true}')
pgfit.kmeans(x, 8, '{"standardize": true, "history": true}', w)
pgfit.kmeans(x, 8, '{"init": "partition"}')
pgfit.kmeans(x, 9, '{"batch_size": 500, "init": "random"}')
pgfit.kmeans(x, '{"k": [2, 5], "init": "k-means||"}')
pgfit.gaussian_mixture(x, 3, '{"standardize": true}', w)
pgfit.gaussian_mixture(x, 4, '{"covariance_type": "diagonal", "init": "random", "max_iter": 30}')
CALLS

# scores of a cross-validation, also of fits that fail or warn
sql "CREATE FUNCTION outcome(call text, workers int) RETURNS text LANGUAGE plpgsql AS \$\$
     DECLARE result text; detail text; hint text;
     BEGIN
         PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
         EXECUTE 'SELECT md5((' || call || ')::text) FROM points WHERE id <= 12000' INTO result;
         RETURN result;
     EXCEPTION WHEN OTHERS THEN
         GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
         RETURN SQLSTATE || ' ' || SQLERRM || ' ' || detail || ' ' || hint;
     END \$\$;" || exit 1
while read -r call; do
    name=${call#pgfit.}
    alone=$(sql "SELECT outcome(\$\$$call\$\$, 0)" 2>&1)
    is "$(sql "SELECT outcome(\$\$$call\$\$, 2)" 2>&1)" "$alone" "the same outcome with and without workers: ${name:0:110}"
done <<'CALLS'
pgfit.cross_validate(c, f, 'boosted_trees_classifier', '{"folds": 8, "options": {"n_trees": 30}}', w)
pgfit.cross_validate(y, x, 'forest_regression', '{"options": {"n_trees": 40}}')
pgfit.cross_validate(c > 0, f, 'tree_classifier', '{"stratified": true, "folds": 9, "metrics": ["roc_auc", "log_loss"], "min_probability": 1e-9, "candidates": [{"max_depth": 3}, {"max_depth": 9}, {"max_depth": 20}]}')
pgfit.cross_validate(y, x, 'knn_regression', '{"folds": 6, "options": {"k": 40}}')
pgfit.cross_validate(c > 0, x, 'svm_classifier', '{"folds": 6, "options": {"kernel": "rbf", "max_iter": 300}}')
pgfit.cross_validate(CASE WHEN id <> 11000 THEN c ELSE -1 END, x, 'boosted_trees_regression', '{"folds": 7, "options": {"loss": "poisson"}}')
pgfit.cross_validate(y, f, 'quantile_regression', '{"folds": 7, "options": {"formula": "ns(a, 6) * b", "unseen": "error"}}')
pgfit.cross_validate(id, f, 'forest_regression', '{"group_column": "b", "options": {"n_trees": 30}}')
CALLS

# folds 20 to 39 fail, each with a message of its own; processes take them in any order
sql "CREATE TABLE leveled AS SELECT y, (f).a, CASE WHEN id % 40 >= 20 AND id > 19900 THEN 'only' || id % 40 ELSE (f).b END AS b, id % 40 AS fold
     FROM points WHERE id <= 20000" || exit 1
errors=$(for workers in 2 3 2 3 2 3; do
    sql "SET max_parallel_workers_per_gather = $workers;
         SELECT pgfit.cross_validate(y, f, 'boosted_trees_regression', '{\"fold_column\": \"fold\", \"options\": {\"unseen\": \"error\", \"n_trees\": 40}}')
         FROM (SELECT y, f FROM leveled, LATERAL (SELECT a, b, fold) AS f) AS t" 2>&1 | grep ERROR
done | sort | uniq -c)
is "$errors" '      6 ERROR:  while fold 20 was held out: level "only20" of feature "b" was not seen in training' 'where several folds fail, the error is that of the first'

long="pgfit.forest_regression(y, x, '{\"n_trees\": 2000, \"max_depth\": 9}')"
sql "SELECT $long IS NOT NULL FROM points" >"$PGFIT_SCRATCH/parallel_fit" 2>&1 &
[ "$(workers)" -gt 0 ]
ok $? 'a long fit has workers'
sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'parallel worker'" >/dev/null
wait
matches "$(cat "$PGFIT_SCRATCH/parallel_fit")" 'ERROR:.*(terminating|lost connection)' 'the end of a worker is an error of the fit'
sql "SELECT $long IS NOT NULL FROM points" >"$PGFIT_SCRATCH/parallel_fit" 2>&1 &
[ "$(workers)" -gt 0 ]
ok $? 'the next fit has workers'
sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ 'n_trees' AND backend_type = 'client backend' AND pid <> pg_backend_pid()" >/dev/null
wait
matches "$(cat "$PGFIT_SCRATCH/parallel_fit")" 'canceling statement due to user request' 'a cancel of the fit ends it'
is "$(psql -X -q -A -t -d postgres -c "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'")" 0 'no worker is left'

session <<'SQL'
SET max_parallel_workers_per_gather = 2;
\set call 'pgfit.forest_regression(y, x, ''{"n_trees": 30}'')'
CREATE TABLE alone AS SELECT fitted('pgfit.forest_regression(y, x, ''{"n_trees": 30}'')', 0) AS hash;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'in a query') FROM points;
BEGIN;
CREATE TABLE made AS SELECT * FROM points;
INSERT INTO made SELECT * FROM points WHERE false;
SAVEPOINT one;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'in a transaction that has written') FROM made;
CREATE TABLE models AS SELECT :call AS m FROM made;
ROLLBACK TO one;
CREATE TABLE models AS SELECT :call AS m FROM made;
COMMIT;
SELECT ok(md5(m::text) = (SELECT hash FROM alone), 'in CREATE TABLE AS after a rollback to a savepoint') FROM models;
INSERT INTO models SELECT :call FROM points;
SELECT ok(count(DISTINCT md5(m::text)) = 1, 'in INSERT') FROM models;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'in a serializable transaction') FROM points;
COMMIT;
BEGIN;
DECLARE c CURSOR FOR SELECT g, md5((:call)::text) FROM points, generate_series(1, 2) AS g GROUP BY g;
SELECT ok(true, 'a cursor is open');
\o /dev/null
FETCH 2 FROM c;
\o
COMMIT;
SELECT ok(bool_and(hash = (SELECT hash FROM alone)), 'one fit per group') FROM (SELECT md5((:call)::text) AS hash FROM points, generate_series(1, 3) AS g GROUP BY g) AS t;
-- a fit that fails in a block, and one after it
SET statement_timeout = '700ms';
SELECT ok(try('SELECT pgfit.forest_regression(y, x, ''{"n_trees": 2000, "max_depth": 9}'') FROM points') = '57014', 'a timeout in a block with an exception handler');
SET statement_timeout = 0;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'the fit after it') FROM points;
-- a metric that is a function with a block, which begins a subtransaction
CREATE FUNCTION public.apart(a text, b text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    RETURN abs(length(a) / (ascii(a) - ascii(b)) - length(b));
EXCEPTION WHEN division_by_zero THEN
    RETURN 0;
END $$;
SELECT ok(try($$SELECT pgfit.cross_validate(c, 'l' || id, 'knn_classifier', '{"folds": 6, "options": {"k": 3, "metric": "public.apart(text,text)"}}') FROM points WHERE id <= 400$$) = '00000',
          'a metric that is a function with an exception handler');
-- a group that fails in parallel fits, and those after it
SELECT ok(count(*) = 2 AND count(s) = 1, 'a group that fails gives NULL')
FROM (SELECT pgfit.cross_validate(CASE WHEN g = 2 AND id = 9000 THEN -1 ELSE c END, x, 'boosted_trees_regression',
                                  '{"folds": 8, "options": {"loss": "poisson", "on_failure": "null"}}') AS s
      FROM points, generate_series(1, 2) AS g WHERE id <= 12000 GROUP BY g) AS t;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'a fit after it') FROM points;
CREATE TEMP TABLE searched (workers int, options jsonb, score float8);
SET max_parallel_workers_per_gather = 0;
INSERT INTO searched SELECT 0, options, value FROM pgfit.search('tree_classifier', 'SELECT c, x FROM points WHERE id <= 12000', 'c ~ x', '{"max_depth": [3, 9], "min_samples_leaf": [1, 5, 25]}');
SET max_parallel_workers_per_gather = 2;
INSERT INTO searched SELECT 2, options, value FROM pgfit.search('tree_classifier', 'SELECT c, x FROM points WHERE id <= 12000', 'c ~ x', '{"max_depth": [3, 9], "min_samples_leaf": [1, 5, 25]}');
SELECT ok(count(*) = 6, 'a search has the same scores') FROM searched AS a JOIN searched AS b USING (options, score) WHERE a.workers < b.workers;
SET max_parallel_workers = 0;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'without a worker that is free') FROM points;
RESET max_parallel_workers;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'in a parallel plan') FROM points;
SELECT ok(bool_and(hash = (SELECT hash FROM alone)), 'in a parallel plan of groups') FROM (SELECT md5((:call)::text) AS hash FROM points, generate_series(1, 2) AS g GROUP BY g) AS t;
SQL
is "$(psql -X -q -A -t -d postgres -c "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'")" 0 'no worker is left in the end'
is "$(temporary_files)" 0 'no temporary file is left'
