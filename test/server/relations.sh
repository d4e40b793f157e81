#!/bin/bash
# Metamorphic relations of every estimator over a few random tables; make relations has more. The runner finds what is planted.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_relations || exit 1
relations() { "$(find_client_python)" "$repo/test/relations/run.py" "$@" 2>&1; }

output=$(relations --tables 2)
ok $? "$(tail -n 2 <<<"$output" | head -n 1)"
grep -A3 '^FINDING' <<<"$output"
is "$(grep '^no call: ' <<<"$output")" 'no call: none' 'every estimator of the registry was called'
output=$(relations --tables 1 --estimators '^(linear_regression|kmeans|tree_classifier)$' --plant)
is "$? $(grep -c '^failed .*: names of columns' <<<"$output")" '1 3' 'another model than the relation says is a finding'
