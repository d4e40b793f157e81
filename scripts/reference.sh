#!/bin/bash
# make reference: writes docs/reference.md anew, from a private server.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
scripts/setup.sh demo
private_server_start
psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION pgfit'
scripts/make-reference >"$PGFIT_SCRATCH/reference.md"
cp "$PGFIT_SCRATCH/reference.md" docs/reference.md
