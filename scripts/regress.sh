#!/bin/bash
# make regress [TEST="kmeans kmedoids"] [ACCEPT=1]: regression tests of sql/ on a private server, all of them by
# default. Prints how results differ from expected/. With ACCEPT, results that differ become the expected ones.
#
# usage: regress.sh [TEST...]
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
missing=() # tests without expected output
for test in "$@"; do
    [ -f "sql/$test.sql" ] || die "there is no sql/$test.sql"
    [ -f "expected/$test.out" ] || missing+=("expected/$test.out")
done
scripts/setup.sh test || exit 1
private_server_start
[ ${#missing[@]} -eq 0 ] || touch "${missing[@]}" # pg_regress stops if one is missing
status=0
if [ $# -gt 0 ]; then
    set -- setup $(printf '%s\n' "$@" | grep -vx setup)
fi
run scripts/run-regress "$(find_pg_config)" "$@" || status=$?
if [ -n "${ACCEPT:-}" ] && [ $status -ne 0 ]; then
    # the header of each difference names both files
    sed -nE 's,^\+\+\+ (.*/results/([a-z0-9_]+)\.out)\t.*,\1 \2,p' "$PGFIT_SCRATCH"/regress.*/regression.diffs |
        while read -r result test; do
            cp "$result" "expected/$test.out"
            say "accepted: expected/$test.out"
        done
else
    for file in "${missing[@]}"; do
        [ -s "$file" ] || rm -f "$file"
    done
fi
[ -n "${ACCEPT:-}" ] || exit $status
