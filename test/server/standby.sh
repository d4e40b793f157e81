#!/bin/bash
# Models on other servers than that of their fit: a physical standby, which only reads, and a subscriber of logical replication score the same bits.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_subscriber || exit 1

folder=$PGFIT_SCRATCH/standby
socket=$PGFIT_SCRATCH/s
mkdir "$folder" "$socket"
[ "$(id -u)" -ne 0 ] || chown "$PGFIT_SERVER_USER" "$folder" "$socket"
control() { as_server "$PGFIT_BINDIR/pg_ctl" -D "$folder/$1" -w "${@:2}" >/dev/null 2>&1; }
begin() { control "$1" -o "-k $socket -c listen_addresses='' -p $2 -c fsync=off -c wal_level=logical -c shared_buffers=16MB" -l "$folder/$1.log" start; }
at() { PGOPTIONS='-c client_min_messages=warning' psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$socket" -p "$1" -d postgres -U postgres -c "$2"; }
trap 'psql -X -q -d pgfit_subscriber -c "ALTER SUBSCRIPTION models DISABLE" -c "ALTER SUBSCRIPTION models SET (slot_name = NONE)" -c "DROP SUBSCRIPTION models" >/dev/null 2>&1
      control copy -m immediate stop; control first -m immediate stop; psql -X -q -d postgres -c "DROP DATABASE IF EXISTS pgfit_subscriber WITH (FORCE)"; rm -rf "$folder" "$socket"' EXIT
as_server "$PGFIT_BINDIR/initdb" -D "$folder/first" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null 2>&1 || exit 1
begin first 5433 || { cat "$folder/first.log"; exit 1; }
at 5433 "CREATE EXTENSION pgfit; CREATE TABLE stone AS SELECT i AS id, i % 40 / 10.0 AS carat, (ARRAY['Fair', 'Good', 'Ideal'])[i % 3 + 1] AS cut, 100.0 * (i % 40) + i % 7 AS price FROM generate_series(1, 400) AS i;
         ALTER TABLE stone ADD PRIMARY KEY (id); CREATE TABLE models (name text PRIMARY KEY, m pgfit.model);
         INSERT INTO models SELECT 'price', pgfit.linear_regression(price, d, 'log(carat + 1) + cut') FROM stone AS d" || exit 1
as_server "$PGFIT_BINDIR/pg_basebackup" -h "$socket" -p 5433 -U postgres -D "$folder/copy" -R -X stream -c fast --no-sync >/dev/null 2>&1 && begin copy 5434
ok $? 'a standby begins'

# ---- what is fitted, trained and dropped after the copy ----

at 5433 "INSERT INTO models SELECT 'cut', pgfit.lda(cut, d, 'carat + price') FROM stone AS d;
         INSERT INTO models SELECT 'forest', pgfit.forest_classifier(cut, d, '{\"formula\": \"carat + price\", \"n_trees\": 20}') FROM stone AS d;
         INSERT INTO models SELECT 'moments', pgfit.moments(price, d, 'carat + cut') FROM stone AS d;
         SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat + cut')" >/dev/null || exit 1
caught_up() { # until the standby has replayed what the first server has written
    local at_end
    at_end=$(at 5433 'SELECT pg_current_wal_insert_lsn()')
    for _ in $(seq 1000); do
        [ "$(at 5434 "SELECT pg_last_wal_replay_lsn() >= '$at_end'")" = t ] && return 0
        sleep 0.05
    done
    return 1
}
caught_up
ok $? 'and follows'
scores="SELECT md5(string_agg(concat_ws(' ', pgfit.predict(p.m, d), pgfit.probabilities(c.m, d), pgfit.classify(f.m, d), pgfit.predict('price', d)), ',' ORDER BY id))
        FROM stone AS d, models AS p, models AS c, models AS f WHERE p.name = 'price' AND c.name = 'cut' AND f.name = 'forest'"
bits="SELECT md5(string_agg(m::text, ',' ORDER BY name)) FROM models"
is "$(at 5434 'SELECT pg_is_in_recovery()')" t 'the standby only reads'
is "$(at 5434 "$bits")" "$(at 5433 "$bits")" 'it has the same models'
is "$(at 5434 "$scores")" "$(at 5433 "$scores")" 'scores the same bits, also by name'
is "$(at 5434 "SELECT pgfit.linear_regression(price, d, 'log(carat + 1) + cut')::text = m::text FROM stone AS d, models WHERE name = 'price' GROUP BY m::text" 2>&1)" t 'and fits the same model'
is "$(at 5434 "SELECT version, estimator FROM pgfit.history('price')")" '1|linear_regression' 'it shows the history of a name'
matches "$(at 5434 "SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')" 2>&1)" 'ERROR:.*(read-only|recovery)' 'a training there is refused'
before=$(at 5434 "SELECT round(pgfit.predict('price', d)::numeric, 3) FROM stone AS d WHERE id = 7")
at 5433 "SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ cut')" >/dev/null || exit 1
caught_up
after=$(at 5434 "SELECT round(pgfit.predict('price', d)::numeric, 3) FROM stone AS d WHERE id = 7")
is "$([ "$before" != "$after" ] && echo other)" other 'a new version serves there too'
is "$after" "$(at 5433 "SELECT round(pgfit.predict('price', d)::numeric, 3) FROM stone AS d WHERE id = 7")" 'as on the first server'

# a session of the standby that has the model in use
held=$(psql -X -q -A -t -h "$socket" -p 5434 -d postgres -U postgres 2>&1 <<END
SELECT round(pgfit.predict('price', d)::numeric, 3) = $after FROM stone AS d WHERE id = 7;
\! psql -X -q -h "$socket" -p 5433 -d postgres -U postgres -c "SELECT pgfit.promote('price', 1)" >/dev/null
SELECT pg_sleep(0.5);
SELECT round(pgfit.predict('price', d)::numeric, 3) = $before FROM stone AS d WHERE id = 7;
END
)
is "$(tr -d '\n' <<<"$held")" tt 'and in a session that has used the old one'

# ---- logical replication ----

at 5433 'CREATE PUBLICATION models FOR TABLE models, stone' || exit 1
sql "CREATE TABLE stone (id int PRIMARY KEY, carat numeric, cut text, price numeric); CREATE TABLE models (name text PRIMARY KEY, m pgfit.model)" || exit 1
for binary in false true; do
    sql "TRUNCATE stone, models" && sql "CREATE SUBSCRIPTION models CONNECTION 'host=$socket port=5433 user=postgres dbname=postgres' PUBLICATION models WITH (binary = $binary)" 2>/dev/null || exit 1
    at 5433 "DELETE FROM models WHERE name = 'late'; INSERT INTO models SELECT 'late', pgfit.qda(cut, d, 'carat + price') FROM stone AS d" || exit 1
    for _ in $(seq 1000); do
        [ "$(sql 'SELECT (SELECT count(*) FROM models) || $$ $$ || (SELECT count(*) FROM stone)')" = '5 400' ] && break
        sleep 0.05
    done
    is "$(sql "$bits")" "$(at 5433 "$bits")" "a subscriber has the same models (binary = $binary)"
    unnamed=${scores/, pgfit.predict(\'price\', d)/}
    is "$(sql "$unnamed")" "$(at 5433 "$unnamed")" 'and scores the same bits'
    sql 'DROP SUBSCRIPTION models' 2>/dev/null
done

# ---- the standby takes over ----

control copy promote
is "$(at 5434 "SELECT pg_is_in_recovery()")" f 'promoted'
is "$(at 5434 "SELECT version FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat + cut')")" 3 'it trains the next version'
