#!/bin/bash
# Work in parallel workers whose tasks are blocks of rows, binary problems or passes over rows: the same bits for any number of workers; timeouts leave nothing.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_parallel_methods || exit 1

sql "CREATE TYPE features AS (a float8, b text, d float8);
     CREATE TABLE points AS SELECT i AS id, ARRAY[sin(i), cos(i * 1.7), (i * 7919::bigint) % 1000] AS x, ROW(sin(i), 'l' || i % 23, CASE WHEN i % 5 > 0 THEN cos(i * 3.1) END)::features AS f,
         sin(i) * 3 + i % 7 AS y, i * 31 % 3 AS c, i % 4 + 0.5 AS w FROM generate_series(1, 20000) AS i;
     ALTER DATABASE pgfit_parallel_methods SET pgfit.fit_mem = '1GB';
     -- the hash of a fit with so many workers
     CREATE FUNCTION fitted(call text, rows int, workers int) RETURNS text LANGUAGE plpgsql AS \$\$
     DECLARE result text;
     BEGIN
         PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
         EXECUTE 'SELECT md5((' || call || ')::text) FROM points WHERE id <= ' || rows INTO result;
         RETURN result;
     END \$\$;
     CREATE FUNCTION ended(call text) RETURNS text LANGUAGE plpgsql AS \$\$
     BEGIN
         EXECUTE 'SELECT ' || call || ' FROM points';
         RETURN 'done';
     EXCEPTION WHEN query_canceled THEN
         RETURN 'canceled';
     END \$\$;" || exit 1

while read -r rows call; do
    alone=$(sql "SELECT fitted(\$\$$call\$\$, $rows, 0)" 2>&1)
    [[ $alone =~ ^[0-9a-f]{32}$ ]]
    ok $? "fitted alone: ${call#pgfit.}"
    is "$(sql "SELECT count(*) FROM unnest(ARRAY[2, 4]) AS w WHERE fitted(\$\$$call\$\$, $rows, w) = '$alone'" 2>&1)" 2 "the same bits with 0, 2 and 4 workers"
done <<'CALLS'
20000 pgfit.local_outlier_factor(id::text, x)
8000 pgfit.local_outlier_factor(id::text, f, '{"metric": "gower", "k": 9}')
20000 pgfit.optics(id::text, x, '{"radius": 0.1, "min_samples": 40, "standardize": true}')
3000 pgfit.hdbscan(id::text, x, '{"metric": "canberra", "min_samples": 20}')
10000 pgfit.hierarchical(id::text, x, '{"connectivity": 20, "standardize": true}')
20000 pgfit.dbscan(id::text, x, '{"radius": 0.2, "min_samples": 30, "standardize": true}', w)
6000 pgfit.dbscan(id::text, x, '{"radius": 0.05, "min_samples": 9, "metric": "bray_curtis"}')
2000 pgfit.mean_shift(x, '{"standardize": true, "bandwidth_quantile": 0.1}', w)
4000 pgfit.mean_shift(x, '{"bandwidth": 20}')
2000 pgfit.mean_shift(x, '{"standardize": true, "bandwidth_quantile": 0.1}', 0.1)
20000 pgfit.knn_classifier(c, x, '{"k": "loo", "standardize": true}', w)
2000 pgfit.svm_classifier(id % 7, f, '{"kernel": "rbf", "standardize": true}', w)
900 pgfit.svm_classifier(c, x, '{"kernel": "rbf", "standardize": true, "multiclass": "ovr", "class_weight": "balanced"}')
900 pgfit.svm_classifier(c, x, '{"kernel": "polynomial", "standardize": true, "multiclass": "ecoc", "tolerance": 0.01}')
5000 pgfit.knn_regression(y, x, '{"k": "loo", "metric": "canberra", "max_k": 90}')
12000 pgfit.silhouettes(c, x)
6000 pgfit.silhouettes(id % 9, f, '{"metric": "gower", "own": "all"}', w)
20000 pgfit.isolation_forest(f, '{"contamination": 0.02, "n_trees": 900, "seed": 4}')
20000 pgfit.isolation_forest(x, '{"contamination": 0.01, "n_trees": 300, "max_samples": 1000}', w)
9000 pgfit.silhouette(id % 70, x, '{"metric": "canberra"}', w)
CALLS

# effects of columns by models that each process opens: trees, learned terms, stages, members, neighbors; by metrics of numbers, classes and ranks
sql "CREATE TABLE models AS
     SELECT pgfit.forest_regression(y, s, '{\"features\": [\"a\", \"b\", \"d\"], \"n_trees\": 20, \"nulls\": \"branch\"}') AS forest, pgfit.linear_regression(y, s, '{\"formula\": \"ns(a, 5) * b + log(w)\"}') AS terms,
            pgfit.pipeline(pgfit.standard_scaler(ARRAY[a, w]), pgfit.knn_classifier(c, ARRAY[a, w])) AS stages, pgfit.boosted_trees_classifier(c > 0, s, '{\"features\": [\"a\", \"w\"], \"n_trees\": 30}') AS boosted,
            pgfit.ensemble(pgfit.tree_regression(y, s, '{\"features\": [\"a\", \"b\"]}'), pgfit.knn_regression(y, s, '{\"features\": [\"a\", \"b\"], \"metric\": \"gower\"}')) AS members
     FROM (SELECT y, c, w, (f).* FROM points WHERE id <= 3000) AS s;
     CREATE VIEW seen AS SELECT y, c, c > 0 AS positive, w, (f).*, ARRAY[(f).a, w] AS x FROM points WHERE id <= 6000;
     CREATE FUNCTION explained(call text, workers int) RETURNS text LANGUAGE plpgsql AS \$\$
     DECLARE result text;
     BEGIN
         PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
         EXECUTE 'SELECT md5(array_agg(i)::text) FROM models, pgfit.' || call || ' AS i' INTO result;
         RETURN result;
     END \$\$;" || exit 1
while read -r call; do
    alone=$(sql "SELECT explained(\$\$$call\$\$, 0)" 2>&1)
    [[ $alone =~ ^[0-9a-f]{32}$ ]]
    ok $? "in one process: $call"
    is "$(sql "SELECT count(*) FROM unnest(ARRAY[1, 2, 4]) AS w WHERE explained(\$\$$call\$\$, w) = '$alone'" 2>&1)" 3 'the same bits with 1, 2 and 4 workers'
done <<'CALLS'
permutation_importance(forest, 'seen', 'y', '{"repeats": 9}')
permutation_importance(terms, 'seen', 'y', '{"metric": "mae", "repeats": 80, "weight": "w", "groups": {"both": ["a", "b"]}}')
permutation_importance(stages, 'seen', 'c', '{"features": "x", "metric": "log_loss", "min_probability": 0.01}')
permutation_importance(boosted, 'seen', 'positive', '{"metric": "roc_auc", "seed": 5, "repeats": 20}')
permutation_importance(members, 'seen', 'y', '{"repeats": 2}')
partial_dependence(forest, 'seen', 'a', '{"by": "b", "grid": 7, "weight": "w"}')
partial_dependence(terms, 'seen', 'a', '{"grid": 300}')
partial_dependence(stages, 'seen', 'f2', '{"features": "x", "class": "1"}')
partial_dependence(boosted, 'SELECT *, row_number() OVER () % 97 AS name FROM seen', 'w', '{"kind": "ice", "id": "name", "centered": true}')
partial_dependence(members, 'SELECT * FROM seen LIMIT 2000', 'b')
CALLS

while read -r call; do
    PGOPTIONS='-c statement_timeout=60s' sql "$call" >"$PGFIT_SCRATCH/parallel_method" 2>&1 &
    [ "$(workers)" -gt 0 ]
    ok $? "workers take part in ${call:0:60}"
    sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT.*pgfit' AND backend_type = 'client backend' AND pid <> pg_backend_pid()" >/dev/null
    wait
    matches "$(cat "$PGFIT_SCRATCH/parallel_method")" 'canceling statement due to user request' 'a cancel ends it'
done <<'CALLS'
SELECT count(*) FROM models, pgfit.permutation_importance(forest, 'SELECT y, (f).* FROM points', 'y', '{"repeats": 500}')
SELECT count(*) FROM models, pgfit.partial_dependence(forest, 'SELECT y, (f).* FROM points', 'a', '{"grid": 900}')
SELECT pgfit.isolation_forest(x, '{"contamination": 0.01, "n_trees": 9000}') FROM points, generate_series(1, 10)
SELECT pgfit.silhouette(c, x, '{"metric": "canberra"}') FROM points, generate_series(1, 10)
CALLS

while read -r call; do
    is "$(sql "SET max_parallel_workers_per_gather = 2; SET statement_timeout = '500ms'; SELECT ended(\$\$$call\$\$)")" canceled "a timeout ends ${call#pgfit.}"
done <<'CALLS'
pgfit.local_outlier_factor(id::text, x, '{"metric": "canberra"}')
pgfit.dbscan(id::text, x, '{"radius": 0.01, "min_samples": 9, "metric": "bray_curtis"}', w)
pgfit.mean_shift(x)
pgfit.svm_classifier(id % 7, x, '{"kernel": "rbf", "standardize": true}')
CALLS
is "$(psql -X -q -A -t -d postgres -c "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'")" 0 'no worker is left'

# an expression that is undefined in the changed rows of one column, the last; processes take its passes ahead of others
error="SET max_parallel_workers_per_gather = WORKERS;
    SELECT count(*) FROM (SELECT pgfit.linear_regression(y, s, 'a + b + sqrt(v - u)') AS m FROM mates AS s) AS fitted, pgfit.permutation_importance(m, 'mates', 'y', '{\"repeats\": 60}')"
sql "CREATE TABLE mates AS SELECT y, (f).a, (f).b, (f).a + 0.1 + sin(id * 3.3) * 0.05 AS v, (f).a AS u FROM points" || exit 1
alone=$(sql "${error/WORKERS/0}" 2>&1)
matches "$alone" 'sqrt.* is undefined in a changed row' 'an expression without a value is an error'
is "$(sql "${error/WORKERS/2}" 2>&1)" "$alone" 'with workers too'

# the error of the first problem that fails, whoever finds it
sql "CREATE FUNCTION refused(workers int) RETURNS text LANGUAGE plpgsql AS \$\$
     DECLARE hint text;
     BEGIN
         PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
         RETURN md5(pgfit.svm_classifier(CASE WHEN id % 100 > 5 THEN 6 ELSE id % 100 END, x, '{\"kernel\": \"rbf\", \"nu\": 0.1, \"standardize\": true}')::text)
         FROM points WHERE id <= 6000;
     EXCEPTION WHEN OTHERS THEN
         GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
         RETURN SQLSTATE || ' ' || SQLERRM || ' ' || hint;
     END \$\$" || exit 1
alone=$(sql 'SELECT refused(0)')
matches "$alone" '^22000 nu 0.1 is infeasible' 'a problem that has no solution is refused'
is "$(sql 'SELECT refused(2)')" "$alone" 'with workers too'
