#!/bin/bash
# Conversions and reports of large values end within 100 ms of processor time after a cancel. The time of the backend
# (/proc/PID/schedstat) is read when the cancel is sent and when the session is idle again, so that other processes do
# not count; freeing memory and files does.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_cancel_conversions || exit 1

never=$(mktemp -u) && mkfifo "$never" && trap 'rm -f "$never"' EXIT # nothing is ever written to it

# Starts a session: $input and $output lead to it, $backend is its process.
begin_session() {
    coproc SESSION { exec psql -X -q -A -t -d "$PGDATABASE" 2>&1; }
    session=$SESSION_PID
    exec {output}<&"${SESSION[0]}" {input}>&"${SESSION[1]}" # subshells close those of a coprocess
    echo "SET jit = off; SET max_parallel_workers_per_gather = 0; SET client_min_messages = error; SELECT 'backend ' || pg_backend_pid();" >&"$input"
    while read -r line <&"$output"; do
        case $line in 'backend '*) backend=${line#backend } && break ;; esac
    done
}
end_session() {
    echo '\q' >&"$input"
    wait "$session" 2>/dev/null
}
# Prints the processor time of the backend in nanoseconds.
spent() { read -r nanoseconds _ </proc/"$backend"/schedstat && echo "$nanoseconds"; }
# Waits until it has used $2 ms more than $1, or the statement has ended.
until_spent() {
    while [ $(($(spent) - $1)) -lt $(($2 * 1000000)) ] && ! read -r -t 0 <&"$output"; do
        read -r -t 0.001 <>"$never"
    done
}
# Prints the ms of processor time that statement $2 uses after a cancel, sent after $1 ms of it; -1 if it succeeded
# before, which on a fast machine it may; 999999 if it failed.
overrun() {
    local start before after answer=
    start=$(spent)
    printf 'SELECT %s \\g /dev/null\n\\echo idle :SQLSTATE\n' "$2" >&"$input"
    until_spent "$start" "$1"
    before=$(spent)
    kill -INT "$backend"
    while read -r line <&"$output"; do
        case $line in 'idle '*) answer=${line#idle } && break ;; esac
    done
    after=$(spent)
    case $answer in
        57014) echo $(((after - before) / 1000000)) ;;
        00000) echo -1 ;;
        *) echo 999999 ;;
    esac
}
# Cancels statement $1 after each of $2 .. ms of processor time. The best of three tries counts, because counters lag,
# and of six more with a second between them, because a virtual machine counts time in which it did not run.
# Times after its end are skipped. A whole statement shorter than the limit cannot outlive a cancel by more.
check() {
    local name=$1 statement=$2 worst=-1 best ms try
    shift 2
    for after in "$@"; do
        best=999999
        for try in {1..9}; do
            [ "$try" -le 3 ] || sleep 1
            ms=$(overrun "$after" "$statement")
            [ "$ms" -ge "$best" ] || best=$ms
            [ "$best" -gt 100 ] || break
        done
        [ "$best" -le "$worst" ] || worst=$best
        [ "$best" -ge 0 ] || break
    done
    if [ "$worst" -lt 0 ]; then # $after is the first: all three tries ended before it
        [ "$after" -le 100 ]
        ok $? "$name takes less than $after ms of processor time"
    else
        [ "$worst" -le 100 ]
        ok $? "$name stops at most $worst ms of processor time after a cancel"
    fi
}
if ! [ -r /proc/self/schedstat ]; then
    echo 'ok - # skip: the system does not count processor time'
    exit 0
fi

sql "SET pgfit.fit_mem = '1GB';
     CREATE TABLE wide AS SELECT (SELECT array_agg(sin(i * 31.7 + j * 7.3 + sin(i::float8 * j))) FROM generate_series(1, 1500) AS j) AS x
         FROM generate_series(1, 2000) AS i;
     CREATE TABLE points AS SELECT i AS id, ARRAY[sin(i), cos(i * 1.7), sin(i * 0.3)] AS x FROM generate_series(1, 500000) AS i;
     CREATE TABLE models (name text, m pgfit.model);
     ALTER TABLE models ALTER m SET STORAGE external;
     -- 64 MB in one array; 17 MB with half a million ids
     INSERT INTO models SELECT 'moments', pgfit.feature_moments(x) FROM (
         SELECT (SELECT array_agg(sin(i * 3.7 + j * 7.3 + sin(i::float8 * j))) FROM generate_series(1, 4000) AS j) AS x
         FROM generate_series(1, 20) AS i) AS q;
     INSERT INTO models SELECT 'neighbors', pgfit.neighbors(id, x, '{\"index\": \"brute\"}') FROM points;
     INSERT INTO models SELECT 'tree', pgfit.hierarchical(id, x) FROM points WHERE id <= 4000;
     CREATE TABLE texts AS SELECT name, m::text AS t FROM models;" || exit 1

begin_session
echo "SET pgfit.fit_mem = '1GB';" >&"$input"
check 'distance_histogram of 1,500 columns' 'pgfit.distance_histogram(x, 10) FROM wide' 50 150 300 500
check 'distance_histogram of 40 million pairs' 'pgfit.distance_histogram(x, 10) FROM points WHERE id <= 9000' 100 150 200 250 300 400 500 600 700 800 900
check 'cophenetic of 4,000 rows' "count(*) FROM models, LATERAL pgfit.cophenetic(m) WHERE name = 'tree'" 100 500
for matrix in pgfit.correlation_matrix pgfit.covariance_matrix pgfit_textbook.scatter_matrix; do
    check "${matrix#*.} of 4,000 columns" "cardinality($matrix(m)) FROM models WHERE name = 'moments'" 40 100 150 200 300 400 500
done
for name in moments neighbors; do
    from="FROM models WHERE name = '$name'"
    check "text of $name" "octet_length(m::text) $from" 20 60 100 150
    check "$name from text" "(t::pgfit.model) IS NULL FROM texts WHERE name = '$name'" 20 60 100 150
    check "jsonb of $name, until the server reads it" "pg_column_size(m::jsonb) $from" 20
    # quick ones many times, so that they last until the cancel
    many="FROM models, generate_series(1, 20) WHERE name = '$name'"
    check "20 binary forms of $name" "sum(octet_length(pgfit_internal.model_send(m))) $many" 10 60 100 150
    check "20 infos of $name" "count(pgfit.info(m)) $many" 10 30 60
    check "20 summaries of $name" "count(pgfit.summary(m)) $many" 10 30 60
    check "20 hashes of $name" "sum(pgfit_internal.model_hash(m)) $many" 10 30 60
done
end_session
is "$(temporary_files)" 0 'no temporary file is left'
