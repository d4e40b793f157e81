#!/bin/bash
# make valgrind-check [TESTS="name ..."]: a private server under valgrind through some of the regression tests.
# Fails where valgrind reports an error with a frame of pgfit in it. Slow: minutes.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
have valgrind || die "valgrind is not installed"
scripts/setup.sh test || exit 1
config=$(find_pg_config) || exit 1
PGFIT_APART=1
PGFIT_MAKE=('OPTFLAGS=-g')
# with the server's own log folder, which exists when the server starts
PGFIT_WRAP='valgrind --quiet --trace-children=yes --log-file="${0%%/usr/*}"/log/valgrind.%p --num-callers=30'
private_server_start "max_parallel_workers_per_gather = 1" "autovacuum = off"
status=0
run scripts/run-regress "$config" setup ${TESTS:-$(make -s PG_CONFIG="$config" print-regress | tr ' ' '\n' | grep -v '^setup$')} || status=$?
for log in "$PGFIT_SCRATCH"/log/valgrind.*; do
    awk 'BEGIN { RS = "" } /pgfit/' "$log"
done >"$PGFIT_SCRATCH/findings"
if [ -s "$PGFIT_SCRATCH/findings" ]; then
    head -n 120 "$PGFIT_SCRATCH/findings"
    exit 1
fi
say "valgrind: no error in pgfit"
exit $status
