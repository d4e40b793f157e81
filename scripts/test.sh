#!/bin/bash
# make test, make check-all: tests on private servers, also on a machine that has only make and apt. As many jobs at a
# time as there are processors. Prints one line per job as it ends, what failed, the seconds of each stage, and at last
# "N passed, N failed". The status is not zero if any failed, and a job that ran none failed.
#
# usage: test.sh [STAGE...]      test: the stages of make test; check-all: those of make check-all; or some of; tap.linear, server.dump: one file
#   lint core regress tap golden docs clients server         nothing in these depends on the speed of the machine
#   sanitizers fuzz plans client-checks server-long server-timed       server-timed: one after the other, after all others
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
[ "${CI:-}" != true ] || WERROR=1
export WERROR=${WERROR:-}

# Server tests that need minutes, and those that measure how fast something ends.
long_tests="parallel_methods parallel_teams faults large_values fit_memory moments_memory security schedule two_versions progress_phases failing_groups rows_lifetime dist pictures_rendered relations certificates random odd_options"
timed_tests="cancel cancel_conversions progress torture"
regress_parts=4

make_here() { make -s --no-print-directory PG_CONFIG="$PGFIT_CONFIG" ${WERROR:+WERROR=1} "$@"; }

# Prints the jobs of a stage, the long ones first.
jobs_of() {
    local name
    case $1 in
    regress) for ((name = 1; name <= regress_parts; name++)); do say "regress.$name"; done ;;
    docs) say "docs.1 docs.2 docs.3" ;;
    plans) for ((name = 1; name <= regress_parts; name++)); do say "plans.off.$name plans.loaded.$name"; done ;;
    server)
        for name in test/server/*.sh; do
            name=$(basename "$name" .sh)
            case " lib $long_tests $timed_tests " in *" $name "*) ;; *) say "server.$name" ;; esac
        done
        ;;
    server-long) printf 'server-long.%s\n' $long_tests ;;
    server-timed) printf 'server-timed.%s\n' $timed_tests ;;
    client-checks) say "client-checks.python client-checks.r" ;;
    *) say "$1" ;;
    esac
}

# Runs a command on a server of its own.
on_another_server() (
    another_server_start "$PGFIT_SCRATCH/$1" || exit
    trap another_server_stop EXIT
    "${@:2}"
)

# Runs a part of the regression tests without the planner hooks, or with them from the first statement on and with
# compiled expressions; in make test they begin with the second statement. Nobody may see the difference.
plans() {
    case $1 in
    off) export PGOPTIONS='-c pgfit.plan_rows=off' ;;
    loaded) export PGOPTIONS='-c session_preload_libraries=pgfit -c jit=on' ;;
    esac
    scripts/run-regress "$PGFIT_CONFIG" --part "$2/$regress_parts"
}

# Runs tests of the Python client, on a server that shows the progress of fits.
python_client() {
    psql -X -q -c "ALTER SYSTEM SET shared_preload_libraries = 'pgfit'"
    as_server "$PGFIT_BINDIR/pg_ctl" -D "$PGFIT_DATA" -l "$PGFIT_LOG" -w -t 180 restart >/dev/null 2>&1 || exit
    "$(find_client_python)" -m pytest -q -p no:cacheprovider -W ignore "$@"
}

# Runs one job.
job() {
    local part=${1#*.} clang
    case $1 in
    lint) scripts/lint ;;
    core) make_here -j "$(processors)" corecheck-fast ;;
    sanitizers) make_here -j "$(processors)" corecheck ;;
    regress.*) scripts/run-regress "$PGFIT_CONFIG" --part "$part/$regress_parts" ;;
    tap) scripts/run-pgtap test/*.sql ;;
    tap.*) scripts/run-pgtap "test/${part}_properties.sql" ;;
    golden) scripts/run-golden ;;
    docs.*) scripts/docs.sh --part "$part/3" ;;
    plans.*) on_another_server "$1" plans "${part%.*}" "${part#*.}" ;;
    clients) on_another_server "$1" python_client --ignore=clients/python/tests/test_sklearn_checks.py clients/python/tests ;;
    client-checks.python) on_another_server "$1" python_client clients/python/tests/test_sklearn_checks.py ;;
    client-checks.r) on_another_server "$1" clients/r/check ;;
    server*) scripts/run-server-tests "test/server/$part.sh" ;;
    fuzz)
        clang=$(find_fuzz_clang) || clang=clang # without one, seeds and mutations run under gcc
        make_here FUZZ_CC="$clang" FUZZ_RUNS="${FUZZ_RUNS:-20000}" fuzzcheck
        ;;
    *) die "there is no stage $1" ;;
    esac
}

# Runs one job and prints a line about it; its log, status and seconds stay in $PGFIT_SCRATCH/jobs.
if [ "${1:-}" = --job ]; then
    base=$PGFIT_SCRATCH/jobs/$2 status=0
    began=$(date +%s)
    job "$2" >"$base.log" 2>&1 </dev/null || status=$?
    seconds=$(($(date +%s) - began))
    say "$status $seconds" >"$base.status"
    say "   $2: $(tail -n 1 "$base.log") in $seconds s"
    exit 0
fi

started=$(date +%s)
wanted=${*:-test}
wanted=" $wanted "
wanted=${wanted/ test / lint core regress docs tap golden clients server }
wanted=${wanted/ check-all / sanitizers plans client-checks server-long fuzz server-timed }
scripts/setup.sh test || exit 1
export PGFIT_CONFIG
PGFIT_CONFIG=$(find_pg_config) || exit 1
say "== build ($("$PGFIT_CONFIG" --version)), private server"
private_server_start
say "   $(($(date +%s) - started)) s"
mkdir "$PGFIT_SCRATCH/jobs"
together= alone=
for stage in $wanted; do
    if [ "$stage" = server-timed ]; then alone=$(jobs_of "$stage"); else together+=$(jobs_of "$stage")$'\n'; fi
done
say "== tests, $(processors) at a time"
run_jobs() { printf '%s\n' $2 | run xargs -P "$1" -n 1 "$0" --job; }
[ -z "$together" ] || run_jobs "$(processors)" "$together"
[ -z "$alone" ] || run_jobs 1 "$alone"

# Prints what failed of a job and the counts "PASSED FAILED SECONDS", by the last "N passed, N failed" of its log. A
# status other than zero without a failure counts as one, and so does a job without tests.
count_job() {
    local base=$PGFIT_SCRATCH/jobs/$1 status=1 seconds=0 line p f
    [ ! -f "$base.status" ] || read -r status seconds <"$base.status"
    line=$(grep -oE '[0-9]+ passed, [0-9]+ failed' "$base.log" | tail -n 1)
    p=${line%% *} f=${line##*, }
    f=${f%% *}
    if [ "${f:-0}" -eq 0 ] && { [ "$status" -ne 0 ] || [ "${p:-0}" -eq 0 ]; }; then f=1; fi
    [ "${f:-0}" -eq 0 ] || { say "== $1:" && cat "$base.log"; } >&2
    say "${p:-0} ${f:-0} $seconds"
}
passed=0 failed=0 summary=
for stage in $wanted; do
    stage_passed=0 stage_failed=0 stage_seconds=0
    for job in $(jobs_of "$stage"); do
        read -r p f seconds < <(count_job "$job")
        stage_passed=$((stage_passed + p)) stage_failed=$((stage_failed + f)) stage_seconds=$((stage_seconds + seconds))
    done
    passed=$((passed + stage_passed)) failed=$((failed + stage_failed))
    summary+=$(printf '  %-12s %7d passed %5d failed %6d s' "$stage" "$stage_passed" "$stage_failed" "$stage_seconds")$'\n'
done
if [ "$failed" -gt 0 ] && grep -qE 'PANIC|was terminated by signal (6|7|8|11)' "$PGFIT_LOG"; then
    say "== from the log of the server:"
    grep -E -A5 'PANIC|was terminated by signal (6|7|8|11)' "$PGFIT_LOG" | tail -n 60
fi
say
printf '%s' "$summary"
say "in $(($(date +%s) - started)) s, of which several ran beside each other"
say "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
