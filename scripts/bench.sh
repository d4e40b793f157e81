#!/bin/bash
# make bench [BENCH="--only WORD ..."]: the measurements of bench/ on a private server with memory settings for measurements; those of bench/growth
# with BENCH="growth ...".
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
scripts/setup.sh test
private_server_start "shared_buffers = 2GB" "work_mem = 256MB" "maintenance_work_mem = 1GB" "max_wal_size = 8GB" \
    "checkpoint_timeout = 30min" "max_parallel_workers_per_gather = 2" "max_parallel_workers = 2" \
    "effective_cache_size = 12GB" "random_page_cost = 1.1" "autovacuum = off" "wal_level = minimal" "max_wal_senders = 0"
psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION pgfit'
program=run
if [ "${1:-}" = growth ]; then
    program=growth
    shift
fi
run "bench/$program" "$@"
