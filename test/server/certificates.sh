#!/bin/bash
# Optimality of fits to small random problems; make certificates has more. Each check refuses a model that is not the optimum.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_certificates || exit 1
certificates() { "$(find_client_python)" "$repo/test/certificates/run.py" "$@" 2>&1; }

output=$(certificates --problems 4)
ok $? "$(tail -n 2 <<<"$output" | tr '\n' ' ')"
grep -A1 '^FINDING' <<<"$output"
is "$(grep -c "^0 passed" <<<"$output")" 0 'every call is checked'
output=$(certificates --problems 4 --plant)
is "$(grep -c ' passed, 0 failed, ' <<<"$output")" 0 'every check refuses a model that was altered'
