#!/bin/bash
# Values near the limits of 1 GB: a model just below is stored, scores and is read and written; what would pass them is an error with numbers, and no backend
# takes 4 GB or ends.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_large || exit 1
memory_function || exit 1

# Runs a statement in a session of its own, and prints the rows and the error, then fails if its backend had 4 GB or the server restarted.
began=$(sql 'SELECT pg_postmaster_start_time()')
large() {
    PGOPTIONS="-c pgfit.fit_mem=3GB -c client_min_messages=warning -c max_parallel_workers_per_gather=0" psql -X -q -A -t -v VERBOSITY=verbose \
        -c "$1" -c "SELECT CASE WHEN peak() > 4000 THEN 'peak ' || round(peak()) || ' MB' END" 2>&1 | grep -v '^$\|^LOCATION'
}
rows() { printf "pgfit.neighbors(i, array_fill(i::float8, ARRAY[1500]), '{\"index\": \"brute\"}'::jsonb) AS m FROM generate_series(1, %s) AS i" "$1"; }

matches "$(large "SELECT $(rows 100000)")" '^ERROR:  54000: a model of neighbors keeps its rows: 100000 rows of 1500 numbers would take 1601 MB as text, but at most 1000 are allowed.HINT: [^
]*$' 'rows whose model would pass the limit: an error with both numbers'
is "$(large "CREATE TABLE large AS SELECT $(rows 60000)")" '' 'a model of 720 MB is stored'
is "$(large "SELECT pg_column_size(m) / 1000000 FROM large")" 720 'so many it has'
is "$(large "SELECT string_agg(n.id, ' ') FROM large, pgfit.nearest(m, array_fill(7.2::float8, ARRAY[1500]), 2) AS n")" '7 8' 'it finds the nearest rows'
is "$(large "SELECT length(pgfit_internal.model_send(m)) / 1000000 FROM large")" 720 'it has a binary form'
is "$(large "SELECT length(m::text) / 1000000 FROM large")" 960 'and a text of 960 MB'
matches "$(large "SELECT m::jsonb IS NULL FROM large")" '^ERROR:  54000: string too long to represent as jsonb string' "but no jsonb, whose strings have at most 256 MB"
is "$(large "SELECT length(pgfit.info(m)::text) > 100, pgfit.summary(m) ~ '60,?000' FROM large")" 't|t' 'it has info and a summary'
matches "$(large "SELECT pgfit.neighbors(i, repeat(md5(i::text), 32000), '{\"metric\": \"damerau\"}'::jsonb) IS NULL FROM generate_series(1, 1100) AS i")" \
    '^ERROR:  54000: a dictionary of [0-9]+ bytes is too large: at most 1000000000 are allowed' 'texts of 1.1 GB: an error with numbers'
matches "$(large "SELECT pgfit.neighbors(i, repeat('x', 260000000), '{\"metric\": \"damerau\"}'::jsonb) IS NULL FROM generate_series(1, 2) AS i")" \
    '^ERROR:  54000: a level of 260000000 bytes is too long: at most 250000000 are allowed' 'texts of 260 MB: an error with numbers'
is "$(large "SELECT count(*), min(length(e.id)) FROM (SELECT pgfit.linear_regression(i * 2 + i % 2, s, 'i') AS m FROM (SELECT i FROM generate_series(1, 9) AS i) AS s) AS f,
    pgfit.partial_dependence(m, 'SELECT i, repeat(''x'', 4200000) || i AS name FROM generate_series(1, 260) AS i', 'i', '{\"kind\": \"ice\", \"id\": \"name\", \"values\": [1]}') AS e")" \
    '260|4200001' 'ids of 1.1 GB in one block of curves were a text that is too long'
is "$(sql 'SELECT pg_postmaster_start_time()')" "$began" 'the server is the same'
is "$(grep -c 'was terminated by signal' "$PGFIT_LOG")" 0 'no backend crashed'
