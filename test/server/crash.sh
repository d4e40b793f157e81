#!/bin/bash
# A backend is killed in the middle of a fit: the server recovers by itself, and stored models are intact.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_crash || exit 1
sql "CREATE TABLE model AS SELECT 1 AS id, pgfit.linear_regression(x * 2, x) AS m FROM generate_series(1, 100) AS x;
     CHECKPOINT" || exit 1

# Starts a statement in the background, waits until it runs, and sets the pid of its backend.
start() {
    PGAPPNAME=victim psql -X -q -A -t -c "$1" >/dev/null 2>&1 &
    pid=
    for _ in $(seq 600); do
        pid=$(psql -X -A -t -d postgres -c "SELECT pid FROM pg_stat_activity WHERE application_name = 'victim'
              AND backend_type = 'client backend' AND state = 'active' AND clock_timestamp() - query_start > interval '0.3 s'" 2>/dev/null)
        [ -z "$pid" ] || return 0
        sleep 0.1
    done
    return 1
}
# Waits until the server accepts connections again.
recovered() {
    for _ in $(seq 300); do
        psql -X -q -d postgres -c 'SELECT 1' >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    return 1
}

declare -A fit=(
    [linear_regression]="SELECT pgfit.linear_regression(x, ARRAY[x, sqrt(x), sin(x)]) FROM generate_series(1, 100000000) AS x"
    [geometric_median]="SET pgfit.fit_mem = '1MB'; SELECT pgfit.geometric_median(ARRAY[x, sqrt(x), sin(x)]) FROM generate_series(1, 100000000) AS x"
    [train]="SELECT pgfit.train('kept', 'linear_regression', '(SELECT x, 5 * x AS y FROM generate_series(1, 100000000) AS x)', 'y ~ x')"
)
sql "SELECT pgfit.train('kept', 'linear_regression', '(SELECT x, 5 * x AS y FROM generate_series(1, 100) AS x)', 'y ~ x')" >/dev/null || exit 1
for name in "${!fit[@]}"; do
    if start "${fit[$name]}"; then
        as_server sh -c "kill -9 $pid"
        ok $? "killed a backend in $name"
        wait
        sleep 0.5
        recovered
        ok $? "the server is back after the death of $name"
        is "$(sql "SELECT pgfit.predict(m, 21) BETWEEN 41.999 AND 42.001 FROM model")" t "a stored model scores after the death of $name"
        is "$(sql "SELECT pgfit.predict(pgfit.linear_regression(x * 3, x), 5) BETWEEN 14.999 AND 15.001 FROM generate_series(1, 50) AS x")" t "a fit works after the death of $name"
        is "$(sql "SELECT name, version, round(pgfit.predict('kept', ROW(7)))::int FROM pgfit.models() WHERE name = 'kept'")" 'kept|1|35' \
            "the registry is as before the death of $name"
        is "$(temporary_files)" 0 "no temporary file is left after the death of $name"
    else
        ok 1 "$name ran long enough to be killed"
        wait
    fi
done
