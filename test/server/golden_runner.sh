#!/bin/bash
# The golden runner fails at wrong values, unknown keys, refusals and NaN, and skips other files.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_golden || exit 1
runner=$(dirname "$0")/../golden/run.py
folder=$PGFIT_SCRATCH/golden
mkdir -p "$folder/data"
printf 'id,a,b,kind,y\n1,1,2,p,1.5\n2,2,1,q,2\n3,3,5,p,7\n4,4,4,q,6\n5,6,3,p,9\n6,8,9,p,15\n' >"$folder/data/points.csv"
cat >"$folder/cases.json" <<'JSON'
{"schema": 1, "title": "compared", "count": 9, "cases": [
{"id": "right", "method": "ols", "input": {"x": [1, 2, 3, 4], "y": [3, 5, 7, 9]}, "expected": {"slope": 2, "intercept": 1}, "tolerance": {"rtol": 1e-9, "atol": 1e-9}},
{"id": "wrong", "method": "ols", "input": {"x": [1, 2, 3, 4], "y": [3, 5, 7, 9]}, "expected": {"slope": 2.0001, "intercept": 1}, "tolerance": {"rtol": 1e-9, "atol": 1e-9}},
{"id": "unknown_key", "method": "ols", "input": {"x": [1, 2, 3, 4], "y": [3, 5, 7, 9]}, "expected": {"slope": 2, "color": 1}, "tolerance": {"rtol": 1e-9, "atol": 1e-9}},
{"id": "no_error", "method": "ols", "input": {"x": [1, 2, 3, 4], "y": [3, 5, 7, 9]}, "expected": {"behaviour": "error"}, "tolerance": {"rtol": 1e-9, "atol": 1e-9}},
{"id": "refused", "method": "ols", "input": {"X": [[1], ["NaN"], [3]], "y": [1, 2, 3]}, "expected": {"behaviour": "error"}, "tolerance": {"rtol": 1e-9, "atol": 1e-9}},
{"id": "refused_wrongly", "method": "ols", "input": {"X": [[1], ["NaN"], [3]], "y": [1, 2, 3]}, "expected": {"slope": 1}, "tolerance": {"rtol": 1e-9, "atol": 1e-9}},
{"id": "of_a_file", "method": "ridge", "data": {"file": "data/points.csv", "features": ["a", "b"], "target": "y", "train": "kind = 'p'", "n_train": 4, "test": "kind = 'q'"}, "params": {"lambda": 0.5}, "expected": {"test_pred": {"2": 1e9, "7": 0}}, "tolerance": {"rtol": 1e-9, "atol": 1e-9}},
{"id": "digits", "method": "ols_nist", "input": {"x": [[1], [2], [3], [4], [5], [6], [7], [8]], "y": [2, 4, 6, 8, 10, 12, 14, 16.0]}, "params": {"degree": 1, "intercept": true}, "expected": {"coefficients": [0.5, 2]}, "tolerance": {"min_lre_coefficients": 3, "row_orders": 2}},
{"id": "later", "method": "method_of_another_day", "input": {}, "expected": {"value": 1}, "tolerance": {"rtol": 0, "atol": 0}}
]}
JSON
echo '{"tools": {}}' >"$folder/verification.json"
output=$(python3 "$runner" "$folder" 2>&1)
is "$?" 1 'a failing case is a failing run'
is "$(grep -c '^skipped file: .*verification.json' <<<"$output")" 1 'a file without schema 1 is named and skipped'
is "$(tail -n 1 <<<"$output")" '2 passed, 6 failed, 1 skipped' 'the closing line counts'
is "$(grep -o '^FAIL [a-z_]*' <<<"$output" | sort -u | tr '\n' ' ')" \
    'FAIL digits FAIL no_error FAIL of_a_file FAIL refused_wrongly FAIL unknown_key FAIL wrong ' 'each wrong case is named'
is "$(grep -c '^FAIL unknown_key (ols) color: got unchecked key' <<<"$output")" 1 'a key that nothing checks is a failure'
is "$(grep -c '^FAIL digits (ols_nist) coefficients' <<<"$output")" 3 'digits are compared serial, in workers and merged'
is "$(grep -c 'method_of_another_day: 1' <<<"$output")" 1 'what is not built is skipped by name'
python3 - "$folder" <<'PY'
import json, sys
path = sys.argv[1] + "/cases.json"
cases = json.load(open(path))
cases["cases"] = [c for c in cases["cases"] if c["id"] in ("right", "refused")]
json.dump(cases, open(path, "w"))
PY
output=$(python3 "$runner" "$folder" 2>&1)
is "$? $(tail -n 1 <<<"$output")" '0 2 passed, 0 failed, 0 skipped' 'cases that agree pass'
