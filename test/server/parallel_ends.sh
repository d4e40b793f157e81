#!/bin/bash
# Parallel fits that end badly: after kill -9 of a worker or of the process of the fit no segment of shared memory remains; without free processes, as
# another role, and in a worker of a parallel query the fit is done alone.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_parallel_ends || exit 1
session_functions

sql "CREATE TABLE points AS SELECT i AS id, ARRAY[sin(i), cos(i * 1.7), (i * 7919::bigint) % 1000] AS x FROM generate_series(1, 20000) AS i;
     ALTER DATABASE pgfit_parallel_ends SET pgfit.fit_mem = '1GB';
     CREATE FUNCTION hash(few int) RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS \$\$
     BEGIN
         RETURN (SELECT md5(pgfit.local_outlier_factor(id::text, x, '{\"metric\": \"canberra\"}')::text) FROM points WHERE id <= few);
     END \$\$;
     CREATE ROLE pgfit_parallel_guest; GRANT SELECT ON points TO pgfit_parallel_guest;" || exit 1
long="SET max_parallel_workers_per_gather = 2; SELECT pgfit.mean_shift(x, '{\"bandwidth\": 900}') IS NOT NULL FROM points"

# Prints the process of the fit and a worker of it.
processes() {
    local found
    for _ in $(seq 400); do
        found=$(psql -X -q -A -t -F ' ' -d postgres -c "SELECT leader_pid, pid FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND leader_pid IS NOT NULL LIMIT 1" 2>/dev/null)
        [ -z "$found" ] || { echo "$found"; return; }
        sleep 0.02
    done
    return 1
}
# Waits until the server answers.
recovered() {
    for _ in $(seq 400); do
        psql -X -q -A -t -d postgres -c 'SELECT 1' >/dev/null 2>&1 && return
        sleep 0.05
    done
    return 1
}

for victim in worker leader; do
    sql "$long" >"$PGFIT_SCRATCH/parallel_ends" 2>&1 &
    read -r leader worker < <(processes)
    segments=$(as_server grep -ho '/dev/shm/PostgreSQL[^ ]*' "/proc/$leader/maps" | sort -u)
    [ -n "$segments" ]
    ok $? "a fit whose $victim will die has segments"
    as_server kill -9 "${!victim}"
    wait
    sleep 0.3
    recovered
    ok $? "the server is back after the death of the $victim"
    left=0
    for segment in $segments; do [ ! -e "$segment" ] || left=$((left + 1)); done
    is "$left" 0 "no segment is left after the death of the $victim"
    is "$(temporary_files)" 0 "no temporary file is left after the death of the $victim"
done

session <<'SQL'
SET max_parallel_workers_per_gather = 0;
CREATE TABLE alone AS SELECT hash(4000) AS hash;
GRANT SELECT ON alone TO pgfit_parallel_guest;
SET max_parallel_workers_per_gather = 2;
SET ROLE pgfit_parallel_guest;
SELECT ok(hash(4000) = (SELECT hash FROM alone), 'under SET ROLE');
RESET ROLE;
BEGIN;
SAVEPOINT one;
SELECT ok(hash(4000) = (SELECT hash FROM alone), 'in a subtransaction');
RELEASE one;
COMMIT;
DO $$
DECLARE hash text;
BEGIN
    BEGIN
        hash := hash(4000);
    EXCEPTION WHEN division_by_zero THEN
        RAISE 'cannot be';
    END;
    CREATE TABLE caught AS SELECT hash;
END $$;
SELECT ok(caught.hash = alone.hash, 'in a block with an exception handler') FROM caught, alone;
-- in the worker of a parallel query
SET force_parallel_mode = on;
SELECT ok(hash(4000) = (SELECT hash FROM alone), 'in a worker of a parallel query');
RESET force_parallel_mode;
-- memory and segments of many groups
CREATE FUNCTION segments() RETURNS bigint LANGUAGE sql VOLATILE AS
    $$ SELECT count(DISTINCT line) FROM regexp_split_to_table(pg_read_file('/proc/self/maps', 0, 10000000), '\n') AS line WHERE line ~ '/dev/shm' $$;
CREATE TABLE before AS SELECT segments() AS segments;
CREATE FUNCTION groups(n int) RETURNS bigint LANGUAGE sql AS
    $$ SELECT count(m) FROM (SELECT pgfit.local_outlier_factor(id::text, x, '{"metric": "canberra"}') AS m FROM points, generate_series(1, n) AS g WHERE id <= 3000 GROUP BY g) AS t $$;
SELECT ok(groups(4) = 4, 'four groups');
CREATE TABLE grown AS SELECT peak() AS mb;
SELECT ok(groups(16) = 16, 'sixteen groups');
SELECT ok(peak() - mb < 24, 'their memory does not grow with their number: ' || round((peak() - mb)::numeric) || ' MB') FROM grown;
-- 20 groups had one each at least; the statistics of the server, which other sessions make grow, may have mapped one or two
SELECT ok(segments() - segments < 4, 'no segment is left mapped: ' || segments || ' before, ' || segments() || ' after') FROM before;
SQL

# all processes of the server are taken
for _ in 1 2 3; do
    sql "$long" >/dev/null 2>&1 &
done
processes >/dev/null
ok $? 'others have the workers'
is "$(sql 'SET max_parallel_workers_per_gather = 4; SELECT hash(4000) = hash FROM alone')" t 'a fit without free processes is done alone'
psql -X -q -A -t -d postgres -c "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ 'mean_shift' AND pid <> pg_backend_pid() AND backend_type = 'client backend'" >/dev/null
wait
is "$(psql -X -q -A -t -d postgres -c "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'")" 0 'no worker is left in the end'
sql "DROP OWNED BY pgfit_parallel_guest; DROP ROLE pgfit_parallel_guest"
