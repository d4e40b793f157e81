#!/bin/bash
# make torture finds planted faults, and the same ones for the same seed.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_torture || exit 1
trap 'psql -X -q -d postgres -c "DROP DATABASE IF EXISTS pgfit_torture" 2>/dev/null' EXIT
sql "CREATE FUNCTION pgfit.planted_internal() RETURNS text LANGUAGE plpgsql AS
         'BEGIN RAISE EXCEPTION ''planted'' USING ERRCODE = ''XX001''; END';
     CREATE FUNCTION pgfit.planted_deaf() RETURNS text LANGUAGE plpgsql AS
         'BEGIN LOOP BEGIN PERFORM count(*) FROM generate_series(1, 100000); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END';
     CREATE FUNCTION pgfit.planted_large() RETURNS bigint LANGUAGE sql AS
         'SELECT sum(length(t)) FROM (SELECT array_agg(repeat(''x'', 1000) || i) AS a FROM generate_series(1, 300000) AS i) AS s, unnest(a) AS t';
     CREATE FUNCTION pgfit.planted_sound() RETURNS text LANGUAGE sql AS 'SELECT ''sound''';" || exit 1
torture() { python3 "$repo/test/torture/torture.py" --seed 3 --each 1 --seconds 2 --overrun 0.3 --megabytes 150 --out "$PGFIT_SCRATCH/torture" "$@" 2>&1; }

output=$(torture --functions '^planted_(internal|sound)$')
is "$?" 1 'a finding is a failing run'
is "$(grep '^FINDING' <<<"$output")" 'FINDING seed 3, statement 0: internal error' 'an error of class XX'
script=$(sed -n 's/^ *all of it: //p' <<<"$output")
matches "$(tail -n 1 "$script")" '^SELECT .*planted_internal' 'its script ends with the statement'
again=$(torture --functions '^planted_(internal|sound)$')
is "$(grep -A1 '^FINDING' <<<"$again")" "$(grep -A1 '^FINDING' <<<"$output")" 'a seed repeats what it found'
output=$(torture --functions '^planted_(deaf|large)$')
matches "$output" 'FINDING seed 3, statement 0: goes on' 'a statement that goes on after a cancel'
matches "$output" 'FINDING seed 3, statement 1: memory' 'a backend that grows'
output=$(torture --functions '^(planted_sound|kmeans|predict|centroids)$')
is "$? $(grep -c FINDING <<<"$output")" '0 0' 'sound functions are no findings'
[ -n "${output##*FINDING*}" ] || echo "$output"
matches "$(tail -n 1 <<<"$output")" '^seed 3, numbers 0 to [0-9]+: [1-9][0-9]* statements, [1-9][0-9]* done' 'statements succeed'
