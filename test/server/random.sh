#!/bin/bash
# A short run of make random, with sessions that change what others read; and it finds what is planted.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_random || exit 1
trap 'psql -X -q -d postgres -c "DROP DATABASE IF EXISTS pgfit_random" 2>/dev/null' EXIT
random() { python3 "$repo/test/random/run.py" --out "$PGFIT_SCRATCH/random" "$@" 2>&1; }

output=$(random --statements 6000 --minutes 0.2 --seed 11)
ok $? "$(grep '^seed' <<<"$output")"
grep -A3 '^FINDING' <<<"$output"
matches "$(tail -n 2 <<<"$output")" '00000 [1-9][0-9][0-9]' 'statements succeed'
sql "DROP SCHEMA torture CASCADE" 2>/dev/null
sql "CREATE FUNCTION pgfit.planted_internal() RETURNS text LANGUAGE plpgsql AS
         'BEGIN RAISE EXCEPTION ''planted'' USING ERRCODE = ''XX001''; END';
     CREATE FUNCTION pgfit.planted_deaf() RETURNS text LANGUAGE plpgsql AS
         'BEGIN FOR i IN 1..30 LOOP BEGIN PERFORM count(*) FROM generate_series(1, 1000000); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; RETURN 1; END';
     CREATE FUNCTION pgfit.planted_leak() RETURNS text LANGUAGE sql AS
         'SELECT set_config(''planted.leak'' || floor(random() * 1e9)::bigint, repeat(''x'', 100000), false) IS NULL'" || exit 1
for planted in '(internal|leak)' deaf; do
    output+=$(random --statements 3000 --minutes 0.1 --sessions 1 --functions "^planted_$planted\$" --overrun 0.2 --megabytes 20)
    is "$?" 1 "what is planted is found: $planted"
    sql "DROP SCHEMA torture CASCADE" 2>/dev/null
done
for finding in 'internal error' 'goes on after its timeout' 'memory of a session'; do
    matches "$output" "FINDING.*: $finding" "a finding: $finding"
done
