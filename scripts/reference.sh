#!/bin/bash
# make reference: writes docs/reference.md, docs/reference/ and the classes of the Python client anew, from a private server.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
scripts/setup.sh test
private_server_start
psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION pgfit'
scripts/make-reference "$PGFIT_SCRATCH"
rm -rf docs/reference
cp -r "$PGFIT_SCRATCH/reference.md" "$PGFIT_SCRATCH/reference" docs
"$(find_client_python)" clients/python/make_estimators
