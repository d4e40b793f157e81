#!/bin/bash
# make psql [PSQL="-c 'SELECT ...'"]: psql on a private server that has pgfit and the example tables (diamonds,
# penguins, titanic). Server and data are deleted when psql ends.
set -euo pipefail
arguments=("$@")
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
scripts/setup.sh demo
private_server_start "max_parallel_workers_per_gather = 2"
psql -X -q -v ON_ERROR_STOP=1 -f examples/load.sql -c 'ALTER DATABASE postgres SET search_path = public, pgfit'
if [ -t 0 ]; then
    say "Tables: diamonds, penguins, titanic, and those of a shop, which \\dt shop.* lists. pgfit's functions are on the search path; \\df pgfit.* lists them."
fi
trap : INT # psql handles an interrupt by canceling its statement
env -u PSQLRC -u PSQL_PAGER -u PAGER psql "${arguments[@]}"
