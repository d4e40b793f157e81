#!/bin/bash
# usage: run.sh PROGRAM   runs PROGRAM.py of this folder in a database of its own with the example data, on the server of PGHOST etc. PYTHON: which python3.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PGDATABASE=$1 PGOPTIONS="-c client_min_messages=warning"
psql -X -q -v ON_ERROR_STOP=1 -d postgres -c "DROP DATABASE IF EXISTS $1" -c "CREATE DATABASE $1"
psql -X -q -v ON_ERROR_STOP=1 -f examples/load.sql -c "ALTER DATABASE $1 SET search_path = public, pgfit"
"${PYTHON:-python3}" "test/exchange/$1.py"
