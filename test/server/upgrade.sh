#!/bin/bash
# pg_upgrade of a cluster in which a role without superuser rights created the extension: schema, models, moments and views survive.
. "$(dirname "$0")/lib.sh"

[ -x "$PGFIT_BINDIR/pg_upgrade" ] || { echo "ok - no pg_upgrade here # SKIP"; exit 0; }
folder=$PGFIT_SCRATCH/upgrade
socket=$PGFIT_SCRATCH/u
mkdir "$folder" "$socket"
[ "$(id -u)" -ne 0 ] || chown "$PGFIT_SERVER_USER" "$folder" "$socket"

run_there() { (cd "$folder" && if [ "$(id -u)" -eq 0 ]; then runuser -u "$PGFIT_SERVER_USER" -- "$@"; else "$@"; fi); }
begin() { run_there "$PGFIT_BINDIR/pg_ctl" -D "$folder/$1" -o "-k $socket -c listen_addresses='' -p 5433 -c fsync=off" -w -l "$folder/$1.log" start >/dev/null 2>&1; }
end() { run_there "$PGFIT_BINDIR/pg_ctl" -D "$folder/$1" -w -m fast stop >/dev/null 2>&1; }
there() { PGOPTIONS='-c client_min_messages=warning' psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$socket" -p 5433 -d "$1" -U "$2" -c "$3"; }
stop_all() { end old; end new; rm -rf "$folder" "$socket"; }
trap stop_all EXIT

for cluster in old new; do
    run_there "$PGFIT_BINDIR/initdb" -D "$folder/$cluster" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null 2>&1 || exit 1
done
begin old || exit 1
there postgres postgres 'CREATE ROLE analyst LOGIN'
there postgres postgres 'CREATE DATABASE fits OWNER analyst'
there fits analyst "CREATE EXTENSION pgfit;
    CREATE TABLE kept AS SELECT pgfit.linear_regression(2 * i + 1, f) AS m, pgfit.moments(2 * i + 1, f) AS e FROM generate_series(1, 9) AS i, LATERAL (SELECT i AS a) AS f;
    CREATE VIEW score AS SELECT round(pgfit.predict(m, ARRAY[4])::numeric, 9)::float8 AS score FROM kept;
    SELECT FROM pgfit.train('line', 'linear_regression', 'SELECT i AS a, 2 * i + 1 AS y FROM generate_series(1, 9) AS i', 'y ~ a')"
ok $? 'a role without superuser rights makes the extension, a model, moments, a view and a model of the registry'
facts="SELECT md5(m::text || e::text) || ' ' || (SELECT nspowner::regrole || ' ' || has_schema_privilege('public', oid, 'USAGE') FROM pg_namespace WHERE nspname = 'pgfit') FROM kept"
before=$(there fits analyst "$facts")
end old

run_there "$PGFIT_BINDIR/pg_upgrade" -b "$PGFIT_BINDIR" -B "$PGFIT_BINDIR" -d "$folder/old" -D "$folder/new" -U postgres -s "$socket" -p 5434 -P 5435 >"$folder/upgrade.log" 2>&1
ok $? 'pg_upgrade'
begin new || { tail -20 "$folder/upgrade.log"; exit 1; }
is "$(there fits analyst "$facts")" "$before" 'models, moments, and the owner and grants of the schema are as before'
is "$(there fits analyst 'SELECT score FROM score')" 9 'the view scores'
is "$(there fits analyst "SELECT count(*) FROM pg_depend WHERE classid = 'pg_namespace'::regclass AND objid = 'pgfit'::regnamespace AND deptype = 'e'")" 1 'the schema is still a part of the extension'
is "$(there fits analyst "SELECT round(pgfit.predict('line', ARRAY[4])) FROM pgfit.train('line', 'linear_regression', 'SELECT i AS a, 3 * i + 1 AS y FROM generate_series(1, 9) AS i', 'y ~ a', '{\"promote\": \"never\"}')")" 9 \
    'the model of the registry scores by its name, and the role trains the next version'
is "$(there fits analyst "SELECT string_agg(relowner::regrole || ' ' || (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')), ' ') FROM pg_class WHERE relnamespace = 'pgfit_internal'::regnamespace AND relkind = 'r'")" \
    'postgres true postgres true' 'the tables of the registry have their owner, and the role may still dump and restore them'
# pg_upgrade creates the extension again, as the superuser
is "$(there fits postgres "DROP VIEW score; DROP TABLE kept; DROP EXTENSION pgfit; SELECT count(*) FROM pg_namespace WHERE nspname = 'pgfit'")" 0 'which takes it along when it is dropped'
there fits analyst 'CREATE EXTENSION pgfit'
ok $? 'and can be made again'
