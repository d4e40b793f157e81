#!/bin/bash
# make demo: installs what is missing, builds pgfit, starts a private server in a temporary folder, takes the
# tour in examples/demo.sql and deletes the server again. It neither uses nor changes the PostgreSQL of the system.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh

started=$(date +%s)
scripts/setup.sh demo
say "Building pgfit and starting a private server ..."
private_server_start "max_parallel_workers_per_gather = 2"
psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION pgfit'
say "PostgreSQL $(psql -X -A -t -c 'SHOW server_version'), in $PGFIT_SCRATCH"
cd examples
run psql -X -v ON_ERROR_STOP=1 -f demo.sql
say
say "Done in $(($(date +%s) - started)) s, set-up and build included. The server and its data are deleted again."
say "The tour is examples/demo.sql; the manual begins at docs/index.md."
