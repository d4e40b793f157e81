#!/bin/bash
# Training on a schedule: the statements of docs/schedule.md on a server of its own where pg_cron really runs the jobs, every minute instead
# of every night.
. "$(dirname "$0")/lib.sh"

[ -f "$("$PGFIT_BINDIR/pg_config" --sharedir)/extension/pg_cron.control" ] || { echo "not ok - pg_cron is installed (scripts/setup.sh test)"; exit 1; }
folder=$PGFIT_SCRATCH/cron
socket=$PGFIT_SCRATCH/c
mkdir "$folder" "$socket"
[ "$(id -u)" -ne 0 ] || chown "$PGFIT_SERVER_USER" "$folder" "$socket"
end() { as_server "$PGFIT_BINDIR/pg_ctl" -D "$folder/data" -w -m immediate stop >/dev/null 2>&1; rm -rf "$folder" "$socket"; }
trap end EXIT
as_server "$PGFIT_BINDIR/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null 2>&1 || exit 1
as_server sh -c "cat >>'$folder/data/postgresql.conf'" <<SETTINGS
shared_preload_libraries = 'pg_cron'
cron.database_name = 'shop'
cron.use_background_workers = on
listen_addresses = ''
unix_socket_directories = '$socket'
fsync = off
timezone = 'UTC'
cron.timezone = 'UTC'
SETTINGS
as_server "$PGFIT_BINDIR/pg_ctl" -D "$folder/data" -w -l "$folder/log" start >/dev/null 2>&1 || { cat "$folder/log"; exit 1; }
export PGHOST=$socket PGDATABASE=shop PGOPTIONS='-c client_min_messages=warning'
psql -X -q -d postgres -c 'CREATE DATABASE shop' &&
    (cd "$repo" && psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION pgfit' -f examples/load.sql) || exit 1

# waits until a query returns true, at most 100 seconds: a minute until the jobs start, and their time
becomes() {
    local i
    for i in $(seq 200); do
        [ "$(sql "$1")" = t ] && return 0
        sleep 0.5
    done
    return 1
}

# ---- the page ----

awk -v out="$PGFIT_SCRATCH/schedule" '/^```sql$/ { inside = 1; file = sprintf("%s-%02d.sql", out, ++n); next } /^```$/ { inside = 0 } inside { print > file }' "$repo/docs/schedule.md"
page() { psql -X -q -A -t -v ON_ERROR_STOP=1 -f "$PGFIT_SCRATCH/schedule-$1.sql"; }
for block in 01 03 04; do
    page "$block" >/dev/null
    ok $? "block $block of the page runs"
done
is "$(sql 'SELECT count(*) FROM cron.job')" 4 'it schedules four jobs'
sql "INSERT INTO sale SELECT current_date - 1 - id % 40, price, carat, cut FROM diamonds;
     INSERT INTO daily SELECT sold_on, pgfit.moments(price, d, 'carat + cut') FROM sale AS d WHERE sold_on < current_date - 2 GROUP BY sold_on" || exit 1
# a version to beat, ten that are old, a job that cannot succeed, and one that is canceled
sql "DO \$\$ BEGIN FOR i IN 1 .. 12 LOOP PERFORM pgfit.train('price', 'linear_regression', 'diamonds', 'price ~ depth', '{\"holdout\": {\"key\": \"id\"}, \"refit\": false}'); END LOOP; END \$\$" || exit 1
sql "SELECT cron.schedule('broken', '* * * * *', \$\$
         SELECT pgfit.train('broken', 'linear_regression', 'diamonds', 'price ~ caret', '{\"on_failure\": \"record\"}') \$\$),
     cron.schedule('raises', '* * * * *', \$\$ SELECT pgfit.train('raises', 'linear_regression', 'diamonds', 'price ~ caret') \$\$),
     cron.schedule('endless', '* * * * *', \$\$ SELECT pgfit.train('endless', 'knn_classifier', 'SELECT d.* FROM diamonds AS d, LATERAL pg_sleep(0.01 + 0 * d.id)', 'cut ~ carat + depth + x + y + z') \$\$)" >/dev/null || exit 1
before=$(sql "SELECT md5(model::text) FROM pgfit.registry WHERE name = 'price' AND version = 12")
sql "UPDATE cron.job SET schedule = '* * * * *'; SELECT cron.alter_job(jobid, schedule => '* * * * *') FROM cron.job" >/dev/null || exit 1

becomes "SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%endless%' AND backend_type = 'pg_cron' AND query NOT LIKE '%pg_stat_activity%'" ||
    becomes "SELECT count(*) >= 1 FROM cron.job_run_details AS d JOIN cron.job USING (jobid) WHERE jobname = 'endless' AND d.status = 'running'"
ok $? 'a training runs in a job'
sleep 0.5
sql "SELECT pg_cancel_backend(job_pid) FROM cron.job_run_details AS d JOIN cron.job USING (jobid) WHERE jobname = 'endless' AND d.status = 'running'" >/dev/null
becomes "SELECT count(DISTINCT jobname) >= 7 AND count(*) FILTER (WHERE d.status IN ('starting', 'running')) = 0 FROM cron.job_run_details AS d JOIN cron.job USING (jobid)"
ok $? 'each job has run'
sql "UPDATE cron.job SET active = false; SELECT cron.alter_job(jobid, active => false) FROM cron.job" >/dev/null

# the first run of each job: where the machine is slow, a second one may have begun and be canceled when the jobs end
is "$(sql "SELECT string_agg(jobname || ' ' || status || CASE status WHEN 'failed' THEN ' (' || split_part(return_message, E'\\n', 1) || ')' ELSE '' END, ', ' ORDER BY jobname)
           FROM (SELECT DISTINCT ON (jobid) jobname, d.status, d.return_message FROM cron.job_run_details AS d JOIN cron.job USING (jobid) ORDER BY jobid, runid) AS d")" \
    'broken succeeded, daily moments succeeded, drop old versions succeeded, endless failed (ERROR: canceling statement due to user request), raises failed (ERROR: the row has no column "caret", which the formula names), retrain price succeeded, rolling model succeeded' \
    'all succeed but the one that raises and the one that was canceled'
is "$(sql "SELECT version > 12, status, estimator, trained_by, message LIKE 'promoted: rmse is %' FROM pgfit.history('price') WHERE active")" \
    't|trained|linear_regression|postgres|t' 'the better version was promoted'
is "$(sql "SELECT count(*) FILTER (WHERE version <= 2), count(*) FILTER (WHERE version > 2) >= 10 FROM pgfit.history('price')")" '0|t' 'old versions were dropped'
is "$(sql "SELECT count(*) FILTER (WHERE md5(model::text) = '$before') FROM pgfit.registry WHERE name = 'price' AND version = 12")" 1 'others are as they were'
is "$(sql "SELECT DISTINCT status, active, message LIKE '%caret%' FROM pgfit.history('broken')")" 'failed|f|t' 'a failure is recorded with its message'
is "$(sql "SELECT count(*) FROM pgfit.history() WHERE name IN ('raises', 'endless')")" 0 'an error or a cancel leaves nothing'
is "$(sql "SELECT count(*) FROM daily")" 40 'moments of new days joined those that were there'
# both jobs ran at the same time, so again; day by day, and all rows at once
sql "$(sql "SELECT command FROM cron.job WHERE jobname = 'rolling model'")" || exit 1
is "$(sql "SELECT max(abs(a.estimate / b.estimate - 1)) < 1e-9
           FROM rolling, pgfit.coefficients(m) AS a JOIN
                (SELECT c.* FROM (SELECT pgfit.ridge_regression(price, d, 0.1, '{\"formula\": \"carat + cut\"}') AS m FROM sale AS d WHERE sold_on >= current_date - 30) AS whole,
                 pgfit.coefficients(whole.m) AS c) AS b USING (term)")" t 'the rolling model is the model of 30 days'
matches "$(page 05)" '^[0-9]+$' 'and scores'
matches "$(page 02 | head -1)" '^[0-9]+\|(trained|failed)\|' 'the page shows what happened'
