#!/bin/bash
# make test: runs all tests on a private server, also on a machine that has only make and apt.
# The last line is "N passed, N failed": regression files, pgTAP assertions, core checks, golden cases,
# documented examples, server tests. The status is not zero if any failed or none ran.
#
# usage: test.sh [STAGE...]      lint core regress tap golden docs server fuzz; default: all
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
[ "${CI:-}" != true ] || WERROR=1
export WERROR=${WERROR:-}

stages=${*:-lint core regress tap golden docs server fuzz}
passed=0 failed=0
summary=

# count NAME PASSED FAILED: adds to the total
count() {
    passed=$((passed + $2)) failed=$((failed + $3))
    summary+=$(printf '  %-10s %6d passed %5d failed %7ss' "$1" "$2" "$3" "$(($(date +%s) - began))")$'\n'
}

# Counts by the last "N passed, N failed" of a log. A status other than zero without a failure counts as one.
count_log() {
    local name=$1 log=$2 status=$3 line p f
    line=$(grep -oE '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    p=${line%% *}
    f=${line##*, }
    f=${f%% *}
    if [ "$status" -ne 0 ] && [ "${f:-0}" -eq 0 ]; then f=1; fi
    count "$name" "${p:-0}" "${f:-0}"
}

# stage NAME COMMAND...: runs, shows and counts one stage
stage() {
    local name=$1 log=$PGFIT_SCRATCH/stage-$1.log status=0
    shift
    case " $stages " in *" $name "*) ;; *) return 0 ;; esac
    began=$(date +%s)
    say "== $name"
    run show "$log" "$@" || status=$?
    count_log "$name" "$log" "$status"
}
show() {
    local log=$1
    shift
    "$@" 2>&1 | tee "$log"
    return "${PIPESTATUS[0]}"
}

make_here() { make -s --no-print-directory PG_CONFIG="$config" ${WERROR:+WERROR=1} "$@"; }

fuzz() {
    local clang
    clang=$(find_fuzz_clang) || clang=clang # without one, seeds and mutations run under gcc
    make_here FUZZ_CC="$clang" FUZZ_RUNS="${FUZZ_RUNS:-20000}" fuzzcheck
}

started=$(date +%s)
began=$started
scripts/setup.sh test || exit 1
config=$(find_pg_config) || exit 1
say "== build ($("$config" --version)), private server"
private_server_start "max_parallel_workers_per_gather = 2" "max_parallel_workers = 4" "max_worker_processes = 8"
say "   $(($(date +%s) - started))s"

stage lint scripts/lint
stage core make_here -j "$(processors)" corecheck
stage regress scripts/run-regress "$config"
stage tap scripts/run-pgtap test/*.sql
stage golden scripts/run-golden
stage docs scripts/docs.sh
stage server scripts/run-server-tests test/server/*.sh
stage fuzz fuzz

if [ "$failed" -gt 0 ] && grep -qE 'PANIC|was terminated by signal (6|7|8|11)' "$PGFIT_LOG"; then
    say "== from the log of the server:"
    grep -E -A5 'PANIC|was terminated by signal (6|7|8|11)' "$PGFIT_LOG" | tail -n 60
fi
say
printf '%s' "$summary"
say "in $(($(date +%s) - started)) s"
say "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
