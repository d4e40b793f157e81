#!/bin/bash
# make asan-check: the whole library built with the address and undefined-behaviour sanitizers, loaded into a
# private server, through the regression tests. A finding ends the backend, so tests fail, and is printed.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
scripts/setup.sh test || exit 1
config=$(find_pg_config) || exit 1
PGFIT_APART=1
# The runtimes come with the library: preloaded into the server, libasan deadlocks in bindtextdomain. So what malloc
# hands out is not watched here (the unit tests and fuzzers of the core do that); stack, globals and undefined
# behaviour are.
PGFIT_WRAP="env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1"
PGFIT_WRAP+=" UBSAN_OPTIONS=print_stacktrace=1"
private_server_start "max_parallel_workers_per_gather = 2"
status=0
run scripts/run-regress "$config" "$@" || status=$?
if grep -qE 'AddressSanitizer|runtime error' "$PGFIT_LOG"; then
    grep -E -A30 'AddressSanitizer|runtime error' "$PGFIT_LOG" | head -n 120
    status=1
fi
[ $status -eq 0 ] && say "no sanitizer finding"
exit $status
