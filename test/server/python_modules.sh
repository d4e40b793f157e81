#!/bin/bash
# Models as modules of Python: each method scores in numpy as it does here, and no name, row or type does harm (test/exchange/python_modules.py).
. "$(dirname "$0")/lib.sh"
python=$(find_client_python) || { echo "ok - no numpy, pandas and psycopg here # SKIP"; exit 0; }
fresh_database pgfit_python || exit 1
PGDATABASE=pgfit_python psql -X -q -v ON_ERROR_STOP=1 -f "$repo/examples/load.sql" || exit 1
PGDATABASE=pgfit_python "$python" "$repo/test/exchange/python_modules.py"
