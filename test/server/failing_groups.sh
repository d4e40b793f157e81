#!/bin/bash
# Groups that cannot be fitted, with "on_failure": "null": nothing leaks, and nothing but such failures is caught.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_failing || exit 1

session_functions && sql "
-- groups of two equal rows of one class, in order
CREATE TABLE few AS SELECT i / 2 AS g, ARRAY[1.0, 2.0]::float8[] AS x, 'one' AS label FROM generate_series(0, 199999) AS i;
CREATE TABLE points AS SELECT i AS id, ARRAY[i % 97, i % 89 * 1.5, i % 83 * 0.1]::float8[] AS x FROM generate_series(1, 30000) AS i;
CREATE INDEX ON points (id);
ANALYZE few, points;" || exit 1

session <<'SQL'
SET client_min_messages = error;
SET enable_hashagg = off;
SET max_parallel_workers_per_gather = 0;
-- memory of the sort, and shared buffers
SELECT count(m) FROM (SELECT pgfit.kmeans(x, 1) AS m FROM few GROUP BY g) AS q \g /dev/null
SELECT count(m) FROM (SELECT pgfit.multivariate_normal(x, '{"regularization": 1}') AS m FROM few GROUP BY g) AS q \g /dev/null
SELECT peak() AS before \gset
SELECT ok(count(*) = 100000 AND count(m) = 0, '100,000 groups of rows that fail are NULL')
    FROM (SELECT pgfit.kmeans(x, 3, '{"on_failure": "null"}') AS m FROM few GROUP BY g) AS q;
SELECT ok(peak() - :before < 4, 'and leave no memory behind');
SELECT ok(count(*) = 100000 AND count(m) = 0, '100,000 groups of moments that fail are NULL')
    FROM (SELECT pgfit.lda(label, x, '{"on_failure": "null"}') AS m FROM few GROUP BY g) AS q;
SELECT ok(peak() - :before < 4, 'and leave no memory behind');
SELECT ok(count(m) = 0, 'so do 100,000 failing rows of a window')
    FROM (SELECT pgfit.kmeans(x, 3, '{"on_failure": "null"}') OVER (ORDER BY g ROWS 1 PRECEDING) AS m FROM few WHERE g < 50000) AS q;
SELECT ok(peak() - :before < 64, 'and leave no memory behind');

-- rows in a temporary file
SET pgfit.fit_mem = '64kB';
SELECT ok(count(m) = 0 AND files() <= 1, 'fits of rows in a file that fail')
    FROM generate_series(1, 400) AS i, LATERAL (SELECT pgfit.svm_classifier('one', x, '{"on_failure": "null"}') AS m FROM points WHERE id BETWEEN i AND i + 3000) AS fit;
SELECT ok(files() = 0, 'leave no file behind');
SELECT ok(count(m) = 0, 'groups of one node that share a file and fail')
    FROM (SELECT pgfit.svm_classifier('one', x, '{"on_failure": "null"}') AS m FROM points GROUP BY id % 300) AS q;
SELECT ok(count(m) = 299, 'beside others that can still be read')
    FROM (SELECT pgfit.svm_classifier(id % 7 = 1 AND g > 0, x, '{"on_failure": "null", "max_iter": 2}') AS m FROM (SELECT id % 300 AS g, * FROM points) AS p GROUP BY g) AS q;
SELECT ok(files() = 0, 'leave no file behind');

SELECT ok(count(m) = 0, 'rows that cannot be read give up their groups')
    FROM (SELECT pgfit.kmeans(ARRAY['NaN'::float8], 3, '{"on_failure": "null"}') AS m FROM few GROUP BY g) AS q;
SELECT ok(count(m) = 0, 'also in sums')
    FROM (SELECT pgfit.linear_regression(g, ARRAY['NaN'::float8], '{"on_failure": "null"}') AS m FROM few GROUP BY g) AS q;

-- what is not caught
SELECT ok(try($$SELECT pgfit.kmedoids(x, 3, '{"on_failure": "null"}') FROM points$$) = '54000', 'a fit that needs more memory than allowed fails');
RESET pgfit.fit_mem;
SELECT ok(try($$SELECT pgfit.kmeans(ARRAY[1 / (g - 500)], 3, '{"on_failure": "null"}') FROM few GROUP BY g$$) = '22012', 'errors of the arguments are raised');
SELECT ok(try($$SELECT pgfit.kmeans(x, '{"on_failure": "null"}'::jsonb) FROM few GROUP BY g$$) = '22023', 'a missing k is an error');
SELECT ok(try($$SELECT pgfit.kmeans(x, 3, '{"on_failure": "nul"}') FROM few GROUP BY g$$) = '22023', 'so is a wrong option');
SET statement_timeout = '150ms';
SELECT ok(try($$SELECT count(m) FROM (SELECT pgfit.kmeans(x, 3, '{"on_failure": "null"}') AS m FROM few, generate_series(1, 50) AS i GROUP BY g, i) AS q$$) = '57014',
          'a cancel among failing groups ends the query');
SELECT ok(try($$SELECT pgfit.kernel_kmeans(x, 50, '{"on_failure": "null", "n_init": 1000}') FROM points WHERE id < 3000$$) = '57014', 'a cancel inside a fit ends the query');
RESET statement_timeout;
SELECT ok(pgfit.kmeans(x, 3, '{"on_failure": "null"}') IS NOT NULL, 'the session goes on') FROM points WHERE id < 100;
SQL

# an end of the backend inside a fit is not caught either
psql -X -q -c "SET application_name = 'doomed'" -c "SELECT pgfit.kernel_kmeans(x, 50, '{\"on_failure\": \"null\", \"n_init\": 10000}') FROM points WHERE id < 3000" >"$PGFIT_SCRATCH/doomed" 2>&1 &
for _ in $(seq 600); do
    [ "$(sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'doomed' AND state = 'active' AND query LIKE '%kernel_kmeans%'")" = 0 ] || break
    sleep 0.1
done
wait
matches "$(cat "$PGFIT_SCRATCH/doomed")" 'terminating connection due to administrator command' 'an end of the backend inside a fit'

# the executor's end under an error, a savepoint, a cursor: warnings of failed queries are dropped, others come once
count_warnings() { psql -X -q -A -t -d "$PGDATABASE" -c "$1" 2>&1 | grep -c '^WARNING'; }
failing="SELECT count(pgfit_m) FROM (SELECT pgfit.kmeans(x, 3, '{\"on_failure\": \"null\"}') AS pgfit_m FROM few WHERE g < 500 GROUP BY g) AS q"
is "$(count_warnings "$failing")" 1 'one WARNING per query'
is "$(count_warnings "SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; ${failing//kmeans(x, 3/lda(label, x}")" 1 'one WARNING of a parallel plan'
is "$(count_warnings "SELECT 1 / count(pgfit_m) FROM (${failing#*FROM (}")" 0 'none of a query that fails'
is "$(count_warnings "DO \$\$ BEGIN FOR i IN 1..3 LOOP BEGIN PERFORM 1 / count(pgfit_m) FROM (${failing#*FROM (}; EXCEPTION WHEN division_by_zero THEN END; END LOOP; END \$\$")" 0 'none of queries whose errors are caught'
is "$(count_warnings "DO \$\$ BEGIN FOR i IN 1..3 LOOP PERFORM count(pgfit_m) FROM (${failing#*FROM (}; END LOOP; END \$\$")" 3 'one for each query of a function'
is "$(count_warnings "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT pgfit_m FROM (${failing#*FROM (}; FETCH 3 FROM c; COMMIT; FETCH ALL FROM c")" 1 'one of a cursor that is held'
