#!/bin/bash
# Fits in parallel workers whose tasks are blocks of rows or binary problems: the same bits for any number of workers; timeouts leave nothing.
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
