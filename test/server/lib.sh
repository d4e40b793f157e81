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
