#!/bin/bash
# pgfit.progress on a server that preloads pgfit: another session sees a fit and its rows grow; nothing is left after the end, a cancel, a
# terminated and a killed backend. Without preloading, before PostgreSQL 17, the view says what to set.
. "$(dirname "$0")/lib.sh"

version=$(psql -X -q -A -t -d postgres -c 'SHOW server_version_num')
fresh_database pgfit_progress || exit 1
unloaded=$(sql 'SELECT count(*) FROM pgfit.progress' 2>&1)
if [ "$version" -ge 170000 ]; then
    is "$unloaded" 0 'the view needs no preloading'
else
    matches "$unloaded" 'WARNING:  pgfit.progress is empty.*HINT:  Add pgfit to shared_preload_libraries.*0$' 'without preloading a WARNING says what to set'
    is "$(sql 'SELECT pgfit.linear_regression(i, i) IS NOT NULL FROM generate_series(1, 9) AS i' 2>&1 | tail -n 1)" t 'and fits run'
fi

folder=$PGFIT_SCRATCH/progress
socket=$PGFIT_SCRATCH/p
mkdir "$folder" "$socket"
[ "$(id -u)" -ne 0 ] || chown "$PGFIT_SERVER_USER" "$folder" "$socket"
run_there() { (cd "$folder" && if [ "$(id -u)" -eq 0 ]; then runuser -u "$PGFIT_SERVER_USER" -- "$@"; else "$@"; fi); }
stop_all() { run_there "$PGFIT_BINDIR/pg_ctl" -D "$folder/data" -w -m immediate stop >/dev/null 2>&1; rm -rf "$folder" "$socket"; }
trap stop_all EXIT
run_there "$PGFIT_BINDIR/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null 2>&1 || exit 1
settings="-k $socket -c listen_addresses='' -p 5436 -c fsync=off -c shared_preload_libraries=pgfit -c compute_query_id=on"
run_there "$PGFIT_BINDIR/pg_ctl" -D "$folder/data" -o "$settings" -w -l "$folder/log" start >/dev/null 2>&1 || { cat "$folder/log"; exit 1; }
export PGHOST=$socket PGPORT=5436 PGDATABASE=postgres PGOPTIONS='-c client_min_messages=warning'
sql 'CREATE EXTENSION pgfit; CREATE ROLE analyst LOGIN; CREATE ROLE other LOGIN; CREATE ROLE monitor LOGIN; GRANT pg_read_all_stats TO monitor;
     CREATE TABLE points AS SELECT sin(i) AS a, cos(i * 1.7) AS b FROM generate_series(1, 2000) AS i; GRANT SELECT ON points TO PUBLIC' || exit 1
is "$(sql 'SELECT count(*) FROM pgfit.progress')" 0 'nothing is running'

# Runs a statement in the background, as a role.
begin() { psql -X -q -A -t -U "$1" -c "$2" >"$folder/out" 2>&1 </dev/null & }
# Prints the result of a query once it has rows, for at most ten seconds.
await() {
    local result= i
    for i in $(seq 200); do
        result=$(sql "$1")
        [ -z "$result" ] || break
        sleep 0.05
    done
    printf '%s' "$result"
}
gone() { await "SELECT 'gone' WHERE NOT EXISTS (SELECT FROM pgfit.progress)"; }
endless="SELECT pgfit.kmeans(p, 300, '{\"n_init\": 10000}') FROM points AS p"

begin analyst "SET max_parallel_workers_per_gather = 0; SELECT pgfit.linear_regression(p.a, ARRAY[p.b]) FROM points AS p, generate_series(1, 1000000) AS i"
first=$(await "SELECT rows_read FROM pgfit.progress WHERE estimator = 'linear_regression' AND phase = 'reading rows' AND rows_read > 2000")
more=$(await "SELECT rows_read FROM pgfit.progress WHERE rows_read > ${first:-0}")
[ -n "$first" ] && [ "${more:-0}" -gt "$first" ]
ok $? 'another session sees the rows grow'
is "$(sql "SELECT p.pid = a.pid, p.datname, p.usename, p.query_id = a.query_id, p.fits, p.leader_pid IS NULL, p.loss IS NULL, p.elapsed > '0', p.started >= a.query_start
           FROM pgfit.progress AS p JOIN pg_stat_activity AS a USING (pid)")" 't|postgres|analyst|t|0|t|t|t|t' 'who fits what since when'
see() { psql -X -q -A -t -U "$1" -c 'SELECT pid IS NOT NULL, usename, estimator, phase, rows_read IS NOT NULL, started IS NOT NULL, query_id IS NOT NULL FROM pgfit.progress'; }
is "$(see analyst)" 't|analyst|linear_regression|reading rows|t|t|t' 'the role itself sees its fit'
is "$(see monitor)" 't|analyst|linear_regression|reading rows|t|t|t' 'so does pg_read_all_stats'
is "$(see other)" 't|analyst|||f|f|f' 'others see who fits'
is "$(sql "SELECT count(pg_cancel_backend(pid)) FROM pgfit.progress")" 1 'a cancel by its pid'
is "$(gone)" gone 'leaves nothing'
wait

begin analyst "$endless"
is "$(await "SELECT estimator, phase, rows_read >= 1000, done >= 0 FROM pgfit.progress WHERE phase NOT IN ('reading rows', 'fitting')" | sed 's/|[a-z ]*|/|phase|/')" \
    'kmeans|phase|t|t' 'the phase of a fit'
matches "$(await "SELECT loss FROM pgfit.progress WHERE loss > 0")" '^[0-9]' 'the loss'
is "$(await "SELECT DISTINCT percent BETWEEN 0 AND 100, percent = round(100.0 * done / total, 1), remaining >= '0' FROM pgfit.progress WHERE remaining IS NOT NULL")" 't|t|t' \
    'how much of the phase is done, and how long the rest takes'
sql 'SELECT pg_terminate_backend(pid) FROM pgfit.progress' >/dev/null
is "$(gone)" gone 'a terminated backend leaves nothing'
wait

begin analyst 'SELECT pgfit.linear_regression(p.a, ARRAY[p.b]), pg_sleep(1000) FROM points AS p GROUP BY a > 0'
is "$(await "SELECT fits, phase FROM pgfit.progress WHERE fits > 0")" '1|fitted' 'fits that ended are counted while the query runs'
pid=$(sql 'SELECT pid FROM pgfit.progress')
is "$(sql 'SELECT pgfit.linear_regression(a, ARRAY[b]) IS NOT NULL FROM points')$(sql 'SELECT count(*) FROM pgfit.progress')" t1 'a fit in another session comes and goes'
run_there kill -9 "$pid"
wait
for i in $(seq 200); do
    sql 'SELECT 1' >/dev/null 2>&1 && break
    sleep 0.05
done
is "$(sql 'SELECT count(*) FROM pgfit.progress')" 0 'a killed backend leaves nothing after the restart'

begin analyst "SET max_parallel_workers_per_gather = 0; SELECT pgfit_textbook.kmeans_step(ARRAY[p.a, p.b], m)
               FROM points AS p, generate_series(1, 1000000) AS i, (SELECT pgfit.kmeans(ARRAY[q.a, q.b], 3) AS m FROM points AS q) AS k"
is "$(await "SELECT estimator, phase FROM pgfit.progress WHERE rows_read > 5000")" 'kmeans|reading rows' 'a pass over the rows showed none of them'
sql 'SELECT pg_cancel_backend(pid) FROM pgfit.progress' >/dev/null
is "$(gone)" gone 'and leaves nothing'
wait

sql "CREATE TABLE many AS SELECT p.* FROM points AS p, generate_series(1, 200)"
begin postgres "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
                SELECT pgfit.linear_regression(p.a, ARRAY[p.b]) FROM many AS p, generate_series(1, 10000) AS i"
is "$(await "SELECT DISTINCT p.leader_pid = a.pid, p.estimator FROM pgfit.progress AS p JOIN pg_stat_activity AS a ON a.pid = p.leader_pid")" \
    't|linear_regression' 'parallel workers have rows of their own'
sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SET parallel%'" >/dev/null
is "$(gone)" gone 'and leave nothing'
wait

is "$(sql "BEGIN; SAVEPOINT s; SELECT pgfit.linear_regression(a, ARRAY[b]) IS NOT NULL FROM points; ROLLBACK TO s; SELECT count(*) FROM pgfit.progress; COMMIT")" $'t\n0' \
    'nothing outlives its statement'
is "$(sql "DECLARE c CURSOR WITH HOLD FOR SELECT pgfit.linear_regression(a, ARRAY[b]) FROM points; SELECT count(*) FROM pgfit.progress" 2>&1)" 0 'nor its cursor'
is "$(sql 'SELECT (SELECT p.phase FROM pgfit.progress AS p WHERE f.m IS NOT NULL) FROM (SELECT pgfit.linear_regression(a, ARRAY[b]) AS m FROM points) AS f')" fitted \
    'a query sees its own fits'
