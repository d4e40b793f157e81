#!/bin/bash
# make random RANDOM="--statements 100000 --seed 2": random SQL at scale against a private server (test/random/run.py --help). The status is not zero if anything
# was found. BUILD=assert takes a server with assertions, which is built where it is missing (test/random/assert-server.sh); BUILD=sanitized the library of
# scripts/asan.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
case ${BUILD:-plain} in
sanitized) exec scripts/asan.sh --run python3 test/random/run.py --megabytes 400 "$@" ;;
assert)
    PG_CONFIG=$(test/random/assert-server.sh)
    export PG_CONFIG
    PGFIT_APART=1 # objects of another server stay apart from those of this folder
    ;;
plain) ;;
*) die "BUILD is plain, assert or sanitized, not $BUILD" ;;
esac
. scripts/private-server.sh
scripts/setup.sh demo
# segments in files of the data folder, where what is left is seen
private_server_start "max_parallel_workers_per_gather = 2" "dynamic_shared_memory_type = mmap"
run python3 test/random/run.py "$@"
