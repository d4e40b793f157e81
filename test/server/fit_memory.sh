#!/bin/bash
# The memory of a fit of rows stays within pgfit.fit_mem: the rows that are kept and what the fit takes, counted together, may pass it by a
# quarter and 16 MB. A fit that needs more fails, saying what it needs. The process may hold 16 MB more, which malloc keeps or moves.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_fit_memory || exit 1

memory_function && sql "
-- how a statement ends: done, refused, or its error
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE hint text;
BEGIN
    EXECUTE 'SELECT count(t) FROM (' || statement || ') AS t'; -- computed, and not kept
    RETURN 'done';
EXCEPTION WHEN program_limit_exceeded THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    IF SQLERRM ~ ' needs? [0-9.]+ MB,? .*pgfit.fit_mem allows [0-9.]+ MB' AND hint ~ 'pgfit.fit_mem' THEN
        RETURN 'refused';
    END IF;
    RETURN SQLERRM;
END \$\$;
CREATE TABLE words AS SELECT i AS id, i % 3 AS y, md5(i::text) || md5((i + 1)::text) AS word FROM generate_series(1, 60000) AS i;
CREATE TABLE numbers AS SELECT i AS id, i % 3 AS y, ARRAY[sin(i), cos(i * 1.7), sin(i * 0.3), sin(i * 0.77), cos(i * 0.123)] AS x
    FROM generate_series(1, 200000) AS i;
CREATE TABLE many_levels AS SELECT 'level ' || i % 8000 AS level FROM generate_series(1, 100000) AS i;
ANALYZE;" || exit 1

# $1: name; $2: pgfit.fit_mem in MB; $3: how the statement $4 ends; $5: MB that its memory may grow by, else as above. Each in a new
# session, because VmHWM never falls; the tables are read first, because pages of shared memory count.
check() {
    local output most=${5:-$(($2 * 5 / 4 + 32))}
    output=$(psql -X -q -A -t -d "$PGDATABASE" <<SQL 2>&1
SET jit = off; -- the compiler is larger than what is measured
SET pgfit.fit_mem = '$2MB';
SET work_mem = '4MB';
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;
SELECT count(*) FROM words WHERE word > '' \g /dev/null
SELECT count(*) FROM numbers WHERE x[1] > 0 \g /dev/null
SELECT count(*) FROM many_levels WHERE level > '' \g /dev/null
SELECT pgfit.tree_classifier(y, x) FROM numbers WHERE id < 1000 \g /dev/null
CREATE TEMP TABLE before AS SELECT peak() AS mb;
CREATE TEMP TABLE result AS SELECT try(\$q\$$4\$q\$) AS how;
SELECT CASE WHEN how = '$3' AND peak() - mb < $most THEN 'ok' ELSE 'not ok' END || ' - $1 within $2 MB: ' || how || ', memory grows by '
    || round((peak() - mb)::numeric) || ' MB of $most' FROM before, result;
SQL
)
    echo "$output"
    [[ $output =~ ok\ -\  ]] || echo "not ok - $1"
}
check 'one_hot of 8,000 levels' 8 done "SELECT pgfit.one_hot(row(level), '{\"max_levels\": 10000}') FROM many_levels" 16
check 'knn_classifier of texts' 32 done "SELECT pgfit.knn_classifier(y, word, '{\"metric\": \"edit\"}') FROM words WHERE id <= 30000" 64
check 'knn_classifier of more texts' 8 refused "SELECT pgfit.knn_classifier(y, word, '{\"metric\": \"edit\"}') FROM words"
check 'svm_classifier with a text kernel' 8 refused "SELECT pgfit.svm_classifier(y = 1, word, '{\"kernel\": \"spectrum\"}') FROM words WHERE id <= 3000"
check 'kernel_ridge with a text kernel' 32 done "SELECT pgfit.kernel_ridge(y, word, '{\"kernel\": \"spectrum\"}') FROM words WHERE id <= 600"
check 'kmedoids' 16 done "SELECT pgfit.kmedoids(x, 3) FROM numbers WHERE id <= 20000"
check 'kmedoids of texts' 16 done "SELECT pgfit.kmedoids(word, 3, '{\"metric\": \"edit\"}') FROM words WHERE id <= 300"
check 'tree_classifier' 16 done "SELECT pgfit.tree_classifier(y, x) FROM numbers WHERE id <= 50000"
check 'tree_classifier of noise' 16 done "SELECT pgfit.tree_classifier(hashint4(id) % 2 = 0, x) FROM numbers"
check 'tree_regression with a leaf per row' 16 done "SELECT pgfit.tree_regression(hashint4(id), x) FROM numbers WHERE id <= 100000"
check 'tree_regression of more rows' 12 refused "SELECT pgfit.tree_regression(hashint4(id), x) FROM numbers"
check 'forest_classifier' 16 done "SELECT pgfit.forest_classifier(y, x, '{\"n_trees\": 2, \"max_depth\": 8}') FROM numbers WHERE id <= 100000"
check 'forest_regression' 16 refused "SELECT pgfit.forest_regression(id, x, '{\"n_trees\": 50, \"min_samples_leaf\": 1}') FROM numbers"
check 'search' 16 done "SELECT * FROM pgfit.search('tree_regression', 'SELECT * FROM numbers WHERE id <= 100000', 'id ~ x', '{\"max_depth\": [5, 8]}')" 64
check 'cross_validate' 12 done "SELECT pgfit.cross_validate(id, x, 'tree_regression', '{\"folds\": 2}') FROM numbers WHERE id <= 150000" 22
check 'train' 16 done "SELECT * FROM pgfit.train('tree', 'tree_regression', 'SELECT * FROM numbers WHERE id <= 100000', 'id ~ x', '{\"max_depth\": 8}')" 64
