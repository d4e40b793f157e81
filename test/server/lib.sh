# Functions for tests of a whole server. Source it from bash. scripts/run-server-tests runs the tests on a private
# server: PGHOST, PGPORT and PGUSER lead to it; PGFIT_BINDIR, PGFIT_DATA, PGFIT_LOG, PGFIT_SCRATCH and
# PGFIT_SERVER_USER describe it (scripts/private-server.sh).
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
. "$repo/scripts/private-server.sh"

# Creates a database for this test, with the extension.
fresh_database() {
    export PGDATABASE=$1
    PGOPTIONS="-c client_min_messages=warning" psql -X -q -d postgres -v ON_ERROR_STOP=1 -c "DROP DATABASE IF EXISTS $1" -c "CREATE DATABASE $1" &&
        sql 'CREATE EXTENSION pgfit'
}

# Runs statements and prints the rows unaligned; the status is that of psql.
sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

ok() {
    if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; fi
}
# is GOT WANTED WHAT
is() {
    if [ "$1" = "$2" ]; then
        echo "ok - $3"
    else
        echo "not ok - $3"
        printf '  got:    %s\n  wanted: %s\n' "$1" "$2"
    fi
}
# matches GOT PATTERN WHAT
matches() {
    if [[ $1 =~ $2 ]]; then
        echo "ok - $3"
    else
        echo "not ok - $3"
        printf '  got:     %s\n  pattern: %s\n' "$1" "$2"
    fi
}
# Prints the number of temporary files of the server. No file outlives its statement.
temporary_files() { as_server find "$PGFIT_DATA/base" -path '*pgsql_tmp/*' -type f | wc -l; }

# Creates the function peak(): the largest memory of the backend so far, in MB.
memory_function() {
    sql "$(cat <<'SQL'
CREATE FUNCTION peak() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s*(\d+)'))[1]::float8 / 1024 $$;
SQL
)"
}
# Creates the function outcome(statement) beside: how a statement ends: done, refused because of pgfit.fit_mem with what it needs, or its error.
outcome_functions() {
    memory_function && sql "$(cat <<'SQL'
CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
    EXECUTE 'SELECT count(t) FROM (' || statement || ') AS t'; -- computed, and not kept
    RETURN 'done';
EXCEPTION WHEN program_limit_exceeded THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    IF SQLERRM ~ ' needs? [0-9.]+ MB.*pgfit.fit_mem allows [0-9.]+ MB' AND hint ~ 'pgfit.fit_mem' THEN
        RETURN 'refused';
    END IF;
    RETURN SQLERRM;
END $$;
SQL
)"
}
# within NAME HOW MB STATEMENT [SETTINGS]: tests how a statement ends (done, refused), and that the memory of the backend grows by less than MB. In a
# new session, because VmHWM never falls; $warm are statements that read its tables first, because pages of shared memory count.
within() {
    local output
    output=$(psql -X -q -A -t -d "$PGDATABASE" <<SQL 2>&1
SET jit = off; -- the compiler is larger than what is measured
SET work_mem = '4MB';
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;
${5:-}
\o /dev/null
$warm
\o
CREATE TEMP TABLE before AS SELECT peak() AS mb;
CREATE TEMP TABLE result AS SELECT outcome(\$q\$$4\$q\$) AS how;
SELECT CASE WHEN how = '$2' AND peak() - mb < $3 THEN 'ok' ELSE 'not ok' END || ' - $1: ' || how || ', memory grows by '
    || round((peak() - mb)::numeric) || ' MB of $3' FROM before, result;
SQL
)
    echo "$output"
    [[ $output =~ ok\ -\  ]] || echo "not ok - $1"
}
# Creates functions for scripts of session: ok prints a test, files counts temporary files, try returns the SQLSTATE with which a statement ends.
session_functions() {
    memory_function && sql "$(cat <<'SQL'
CREATE FUNCTION ok(fine boolean, what text) RETURNS text LANGUAGE sql AS
    $$ SELECT CASE WHEN fine THEN 'ok - ' ELSE 'not ok - ' END || what $$;
CREATE FUNCTION files() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT count(*) FROM pg_ls_tmpdir()';
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN '00000';
EXCEPTION WHEN OTHERS OR query_canceled THEN
    RETURN SQLSTATE;
END $$;
SQL
)"
}
# Runs a script in one session; rows that begin with ok or not ok are its tests.
session() {
    local output
    output=$(psql -X -q -A -t -d "$PGDATABASE" 2>&1)
    grep -E '^(not )?ok - ' <<<"$output"
    grep -vE '^(not )?ok - |^\(|^$|^DETAIL|^HINT' <<<"$output" | sed 's/^/  /'
}
# Waits until there are workers; prints how many at most.
workers() {
    local most=0 now
    for _ in $(seq 1000); do
        now=$(psql -X -q -A -t -d postgres -c "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'")
        [ "$now" -le "$most" ] || most=$now
        [ "$most" -eq 0 ] || break
        sleep 0.02
    done
    echo "$most"
}
