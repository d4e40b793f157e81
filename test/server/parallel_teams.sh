#!/bin/bash
# Boosted trees and clusters with parallel workers in each iteration: the same bits for any number of workers; errors, cancels and ends of workers
# leave nothing.
# Where there is one processor, no fit has workers; in the sanitizer build as many as the setting says.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_parallel_teams || exit 1
session_functions

sql "CREATE TYPE features AS (a float8, b text, d float8);
     CREATE TABLE points AS SELECT i AS id, ARRAY[sin(i), cos(i * 1.7), (i * 7919::bigint) % 1000] AS x, ROW(sin(i), 'l' || i % 23, CASE WHEN i % 5 > 0 THEN cos(i * 3.1) END)::features AS f,
         sin(i) * 3 + i % 7 AS y, i * 31 % 3 AS c, i % 4 + 0.5 AS w FROM generate_series(1, 50000) AS i;
     ALTER DATABASE pgfit_parallel_teams SET pgfit.fit_mem = '1GB';
     -- the hash of a fit with so many workers
     CREATE FUNCTION fitted(call text, workers int) RETURNS text LANGUAGE plpgsql AS \$\$
     DECLARE result text;
     BEGIN
         PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
         EXECUTE 'SELECT md5((' || call || ')::text) FROM points' INTO result;
         RETURN result;
     END \$\$;" || exit 1

while read -r call; do
    name=${call#pgfit.}
    alone=$(sql "SELECT fitted(\$\$$call\$\$, 0)")
    is "$(sql "SELECT count(*) FROM unnest(ARRAY[1, 2, 4]) AS w WHERE fitted(\$\$$call\$\$, w) = '$alone'")" 3 "the same bits with 0, 1, 2 and 4 workers: $name"
done <<'CALLS'
pgfit.boosted_trees_regression(y, x, '{"n_trees": 60}')
pgfit.boosted_trees_regression(y, f, '{"n_trees": 30, "max_depth": 7, "max_samples": 0.6}', w)
pgfit.boosted_trees_regression(y, f, '{"n_trees": 60, "early_stopping": 5, "max_leaf_nodes": 12, "growth": "depth"}')
pgfit.boosted_trees_regression(y, f, '{"n_trees": 20, "monotone": {"a": 1}, "min_samples_leaf": 1, "max_leaf_nodes": 2500}')
pgfit.boosted_trees_regression(y, x, '{"n_trees": 20, "loss": "absolute"}', w)
pgfit.boosted_trees_regression(y + 3, x, '{"n_trees": 40, "loss": "poisson"}')
pgfit.boosted_trees_regression(y * 1e-30, x, '{"n_trees": 40}')
pgfit.boosted_trees_classifier(c > 0, x, '{"n_trees": 40}')
pgfit.boosted_trees_classifier(c, f, '{"n_trees": 20, "class_weight": "balanced", "max_features": 2}', w)
pgfit.boosted_trees_classifier(c, x, '{"n_trees": 20, "max_samples": 0.5, "early_stopping": 3}')
pgfit.kmeans(x, 1500, '{"n_init": 1, "max_iter": 30, "init": "random", "history": true}')
pgfit.kmeans(x, 1000, '{"n_init": 3, "max_iter": 9, "init": "random", "standardize": true}', w)
pgfit.gaussian_mixture(x, 60, '{"n_init": 1, "max_iter": 30, "init": "random", "history": true}')
pgfit.gaussian_mixture(x, 30, '{"n_init": 2, "max_iter": 30, "tolerance": 0, "covariance_type": "tied", "init": "k-means++", "standardize": true}', w)
pgfit.gaussian_mixture(x, 60, '{"n_init": 1, "max_iter": 40, "tolerance": 0, "covariance_type": "diagonal", "init": "random"}', w)
CALLS

if [ "$(nproc)" -gt 1 ]; then
    for long in "pgfit.kmeans(x, 9000, '{\"n_init\": 1, \"max_iter\": 100000, \"init\": \"random\"}')" \
        "pgfit.gaussian_mixture(x, 100, '{\"n_init\": 1, \"max_iter\": 100000, \"tolerance\": 0, \"init\": \"random\", \"standardize\": true}')"; do
        sql "SET statement_timeout = '60s'; SELECT $long IS NOT NULL FROM points" >"$PGFIT_SCRATCH/parallel_team" 2>&1 &
        [ "$(workers)" -gt 0 ]
        ok $? "a long fit has workers: ${long%%(*}"
        sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ 'max_iter' AND backend_type = 'client backend' AND pid <> pg_backend_pid()" >/dev/null
        wait
        matches "$(cat "$PGFIT_SCRATCH/parallel_team")" 'canceling statement due to user request' 'a cancel ends it'
    done
    long="pgfit.boosted_trees_regression(y, x, '{\"n_trees\": 100000}')"
    sql "SELECT $long IS NOT NULL FROM points" >"$PGFIT_SCRATCH/parallel_team" 2>&1 &
    [ "$(workers)" -gt 0 ]
    ok $? 'a long fit has workers'
    sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'parallel worker'" >/dev/null
    wait
    matches "$(cat "$PGFIT_SCRATCH/parallel_team")" 'ERROR:.*(terminating|lost connection)' 'the end of a worker is an error of the fit'
    sql "SELECT $long IS NOT NULL FROM points" >"$PGFIT_SCRATCH/parallel_team" 2>&1 &
    [ "$(workers)" -gt 0 ]
    ok $? 'the next fit has workers'
    sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ 'n_trees' AND backend_type = 'client backend' AND pid <> pg_backend_pid()" >/dev/null
    wait
    matches "$(cat "$PGFIT_SCRATCH/parallel_team")" 'canceling statement due to user request' 'a cancel of the fit ends it'
    is "$(psql -X -q -A -t -d postgres -c "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'")" 0 'no worker is left'
fi

session <<'SQL'
SET max_parallel_workers_per_gather = 2;
\set call 'pgfit.boosted_trees_regression(y, x, ''{"n_trees": 40}'')'
CREATE TABLE alone AS SELECT fitted('pgfit.boosted_trees_regression(y, x, ''{"n_trees": 40}'')', 0) AS hash;
BEGIN;
CREATE TABLE gone AS SELECT :call AS m FROM points;
SELECT ok(md5(m::text) = (SELECT hash FROM alone), 'in a transaction that has written') FROM gone;
ROLLBACK;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'after its rollback') FROM points;
SET statement_timeout = '1s';
SELECT ok(try('SELECT pgfit.boosted_trees_regression(y, x, ''{"n_trees": 100000}'') FROM points') = '57014', 'a timeout in a block with an exception handler');
SET statement_timeout = 0;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'the fit after it') FROM points;
SELECT ok(bool_and(hash = (SELECT hash FROM alone)), 'one fit per group') FROM (SELECT md5((:call)::text) AS hash FROM points, generate_series(1, 3) AS g GROUP BY g) AS t;
SET pgfit.fit_mem = '8MB';
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'without room for workers in the budget') FROM points;
RESET pgfit.fit_mem;
SET max_parallel_workers = 0;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'without a worker that is free') FROM points;
RESET max_parallel_workers;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT ok(md5((:call)::text) = (SELECT hash FROM alone), 'in a parallel plan') FROM points;
SELECT ok(count(DISTINCT md5(m::text)) = 1, 'folds within a cross-validation are fitted alone')
FROM (SELECT pgfit.cross_validate(y, x, 'boosted_trees_regression', '{"folds": 3, "options": {"n_trees": 30}}') AS m FROM points, generate_series(1, 2) AS g GROUP BY g) AS t;
SQL
is "$(psql -X -q -A -t -d postgres -c "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'")" 0 'no worker is left in the end'
is "$(temporary_files)" 0 'no temporary file is left'
