#!/bin/bash
# make valgrind-check [TESTS="name ..."]: runs regression tests on a private server under valgrind. Fails if valgrind
# reports an error with a frame of pgfit in it. Takes minutes per test.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
have valgrind || die "valgrind is not installed"
scripts/setup.sh test || exit 1
config=$(find_pg_config) || exit 1
PGFIT_APART=1
PGFIT_MAKE=('OPTFLAGS=-g')
# the log folder of the server exists when it starts
PGFIT_WRAP='valgrind --quiet --trace-children=yes --log-file="${0%%/usr/*}"/log/valgrind.%p --num-callers=30'
private_server_start "max_parallel_workers_per_gather = 1"
status=0
run scripts/run-regress "$config" setup ${TESTS:-$(make -s PG_CONFIG="$config" print-regress | tr ' ' '\n' | grep -v '^setup$')} || status=$?
# Findings are paragraphs. Ours have a file of pgfit, or the library, in a frame; the server has others, and the name of
# the folder contains "pgfit" too.
files=$(basename -a src/*/*.c src/*/*/*.c | sed 's/\.c$//' | paste -sd '|')
for log in "$PGFIT_SCRATCH"/log/valgrind.*; do
    awk -v ours="([(]($files)[.]c:[0-9]+[)]|/pgfit[.]so[)])" '
        function give() { if (found) printf "%s\n", paragraph; paragraph = ""; found = 0 }
        { line = $0; sub(/^==[0-9]+== */, "", line) }
        line == "" { give(); next }
        line ~ ours { found = 1 }
        { paragraph = paragraph $0 "\n" }
        END { give() }' "$log"
done >"$PGFIT_SCRATCH/findings"
if [ -s "$PGFIT_SCRATCH/findings" ]; then
    head -n 120 "$PGFIT_SCRATCH/findings"
    exit 1
fi
say "valgrind: no error in pgfit"
exit $status
