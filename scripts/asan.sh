#!/bin/bash
# make asan-check: the whole library built with the address and undefined-behavior sanitizers, loaded into a
# private server, through the regression tests. A finding ends the backend, so tests fail, and is printed.
#
# usage: asan.sh [TEST...] | --run COMMAND...      default: all regression tests; --run: COMMAND with that server
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
scripts/setup.sh test || exit 1
config=$(find_pg_config) || exit 1
PGFIT_APART=1
# PGFIT_SANITIZED: redzones around each block of the core (src/pg/host/backend_env.c), and a check of every result before it is returned
PGFIT_MAKE=('OPTFLAGS=-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined -DPGFIT_SANITIZED'
    'LDFLAGS_SL=-fsanitize=address,undefined')
# The runtimes must be preloaded to see malloc and longjmp of the server; of its palloc they watch whole blocks.
# bindtextdomain deadlocks under libasan, and tests need no translations.
have gcc && cc=gcc || cc=cc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo 'char *bindtextdomain(const char *domain, const char *path) { return domain ? (char *)path : 0; }' |
    "$cc" -shared -fPIC -x c - -o "$folder/untranslated.so" || die "no C compiler"
chmod 755 "$folder"
PGFIT_WRAP="env LD_PRELOAD=$($cc -print-file-name=libasan.so):$($cc -print-file-name=libubsan.so):$folder/untranslated.so"
PGFIT_WRAP+=" ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1"
private_server_start "max_parallel_workers_per_gather = 2"
trap 'private_server_stop; rm -rf "$folder"' EXIT
symbols=$(nm -D "$(pg_config --pkglibdir)/pgfit.so")
[[ $symbols == *__ubsan_handle* && $symbols == *__asan_report* ]] || die "the library was built without sanitizers"
status=0
if [ "${1:-}" = --run ]; then
    shift
    run "$@" || status=$?
else
    run scripts/run-regress "$config" "$@" || status=$?
fi
if grep -qE 'AddressSanitizer|runtime error' "$PGFIT_LOG"; then
    grep -E -A30 'AddressSanitizer|runtime error' "$PGFIT_LOG" | head -n 120
    status=1
fi
[ $status -eq 0 ] && say "no sanitizer finding"
exit $status
