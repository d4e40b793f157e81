#!/bin/bash
# ALTER EXTENSION pgfit UPDATE: a database that began with an earlier version has, after the update, the objects of a new one, and keeps models, registry and grants.
#
# Versions that were released are those of src/sql/upgrade. Before the first of them, and besides, a version 0.0.0 is made here of the current script: without put_model,
# and with another definition of a view. Its update to 0.0.1 is what a release that adds and changes such objects would contain; that to the current version adds nothing, so
# that the test goes through a chain of two, as from all releases but the last.
. "$(dirname "$0")/lib.sh"

folder=$("$PGFIT_BINDIR/pg_config" --sharedir)/extension
version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" "$folder/pgfit.control")
added='pgfit--0.0.*.sql'
for script in "$repo"/src/sql/upgrade/pgfit--*.sql; do # the scripts of earlier versions, which nobody else needs
    [ -f "$script" ] && [ ! -f "$folder/$(basename "$script")" ] && cp "$script" "$folder" && added="$added $(basename "$script")"
done
trap '(cd "$folder" && rm -f $added)' EXIT
statements() { awk -v name="$1" '/^(CREATE|COMMENT ON) (FUNCTION|VIEW) /{ if (index($0, name)) keep = 1 } keep { print } /;$/ && !/^ / { keep = 0 }' "$folder/pgfit--$version.sql"; }
echo '-- nothing new' >"$folder/pgfit--0.0.1--$version.sql"
statements 'pgfit.put_model(' >"$folder/pgfit--0.0.0--0.0.1.sql"
{
    echo "CREATE OR REPLACE VIEW pgfit.model_names WITH (security_barrier) AS"
    sed -n '/^CREATE VIEW pgfit.model_names /,/;$/p' "$folder/pgfit--$version.sql" | tail -n +2
} >>"$folder/pgfit--0.0.0--0.0.1.sql"
awk '/^(CREATE|COMMENT ON) FUNCTION pgfit.put_model\(/ { skip = 1 } !skip { print } skip && /;$/ { skip = 0 }' "$folder/pgfit--$version.sql" |
    sed 's/^SELECT n.name, n.owner, n.scorers, n.readers, n.active, n.earlier, n.last_version$/SELECT n.name, n.owner, n.scorers, n.readers, n.active, n.earlier, n.last_version + 0 AS last_version/' \
        >"$folder/pgfit--0.0.0.sql"
ok "$(($(grep -c 'FUNCTION pgfit.put_model' "$folder/pgfit--0.0.0--0.0.1.sql") != 2 || $(grep -c 'put_model' "$folder/pgfit--0.0.0.sql") > 0))" 'an earlier version without a function, and its update'

# Prints the objects of the extension with definitions, rights, comments and dump marks.
objects() {
    {
    sql "SELECT d.classid::regclass, pg_describe_object(d.classid, d.objid, 0), obj_description(d.objid, d.classid::regclass::name) FROM pg_depend AS d
         WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pgfit') AND d.deptype = 'e'"
    sql "SELECT p.oid::regprocedure, p.proacl, md5(pg_get_functiondef(p.oid)) FROM pg_proc AS p WHERE p.pronamespace IN ('pgfit'::regnamespace, 'pgfit_internal'::regnamespace) AND p.prokind <> 'a'"
    sql "SELECT c.oid::regclass, c.relkind, c.relacl, CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END FROM pg_class AS c WHERE c.relnamespace IN ('pgfit'::regnamespace, 'pgfit_internal'::regnamespace)"
    sql "SELECT unnest(extconfig)::regclass, unnest(extcondition) FROM pg_extension WHERE extname = 'pgfit'"
    } | LC_ALL=C sort
}

export PGDATABASE=postgres
sql "CREATE ROLE update_owner LOGIN" && sql "CREATE ROLE update_guest" && sql "CREATE DATABASE pgfit_update_new OWNER update_owner" || exit 1
export PGDATABASE=pgfit_update_new
PGOPTIONS='-c role=update_owner' sql 'CREATE EXTENSION pgfit' || exit 1
objects >"$PGFIT_SCRATCH/new.$$"
# from each earlier version that scripts lead from, one after the other, by the role that owns the database
earlier="FROM pg_extension_update_paths('pgfit') WHERE target = '$version' AND path IS NOT NULL AND source <> '0.0.1'"
here="SELECT version FROM pg_available_extension_versions WHERE name = 'pgfit'"
is "$(sql "SELECT source $earlier AND source NOT IN ($here)")" '' 'the script of each earlier version is in src/sql/upgrade'
for old in $(sql "SELECT source $earlier AND source IN ($here) ORDER BY source"); do
    export PGDATABASE=postgres
    PGOPTIONS="-c client_min_messages=warning" sql "DROP DATABASE IF EXISTS pgfit_update" && sql "CREATE DATABASE pgfit_update OWNER update_owner" || exit 1
    export PGDATABASE=pgfit_update
    PGOPTIONS='-c role=update_owner' sql "CREATE EXTENSION pgfit VERSION '$old';
        CREATE TABLE kept AS SELECT pgfit.linear_regression(2 * i + 1, f) AS m, pgfit.moments(2 * i + 1, f) AS e FROM generate_series(1, 9) AS i, LATERAL (SELECT i AS a) AS f;
        CREATE VIEW score AS SELECT round(pgfit.predict(m, ARRAY[4])::numeric, 9)::float8 AS score FROM kept;
        SELECT FROM pgfit.train('line', 'linear_regression', 'SELECT i AS a, 2 * i + 1 AS y FROM generate_series(1, 9) AS i', 'y ~ a');
        SELECT pgfit.grant_model('line', 'update_guest')" >/dev/null
    ok $? "$old: extension, model, view and a model of the registry"
    before=$(sql "SELECT md5(m::text || e::text) FROM kept"; sql "SELECT md5(string_agg(r::text, '')) FROM pgfit_internal.registry AS r"; sql "SELECT md5(string_agg(n::text, '')) FROM pgfit_internal.model_names AS n")
    is "$(sql "SELECT extversion || (CASE WHEN '$old' = '0.0.0' AND to_regproc('pgfit.put_model') IS NOT NULL THEN ' with put_model' ELSE '' END) FROM pg_extension WHERE extname = 'pgfit'")" "$old" \
        "$old is what is installed"
    PGOPTIONS='-c role=update_owner' sql "ALTER EXTENSION pgfit UPDATE"
    ok $? "$old to $version by the owner of the database"
    is "$(sql "SELECT extversion FROM pg_extension WHERE extname = 'pgfit'")" "$version" "$old: the version"
    objects | diff "$PGFIT_SCRATCH/new.$$" -
    ok $? "$old: objects, definitions, comments, rights and dump marks are those of a new installation"
    is "$(sql "SELECT md5(m::text || e::text) FROM kept"; sql "SELECT md5(string_agg(r::text, '')) FROM pgfit_internal.registry AS r"; sql "SELECT md5(string_agg(n::text, '')) FROM pgfit_internal.model_names AS n")" "$before" \
        "$old: models, moments and the rows of the registry are as before"
    is "$(sql "SELECT score FROM score")|$(sql "SELECT round(pgfit.predict('line', ARRAY[4]))")|$(PGOPTIONS='-c role=update_guest' sql "SELECT round(pgfit.predict('line', ARRAY[4]))")" '9|9|9' \
        "$old: the view scores, and so does the model by its name, for a role that it was granted to"
    is "$(PGOPTIONS='-c role=update_owner' sql "SELECT pgfit.put_model('line', m) FROM kept")" 2 "$old: the new function works"
    is "$("$PGFIT_BINDIR/pg_dump" -a --extension=pgfit pgfit_update | grep -c '^line')" 3 "$old: a dump holds the name and both versions"
done
export PGDATABASE=pgfit_update
is "$(sql "ALTER EXTENSION pgfit UPDATE TO '0.0.0'" 2>&1 | grep -c 'no update path')" 1 'there is no way back'
export PGDATABASE=postgres
sql "DROP DATABASE pgfit_update" && sql "DROP DATABASE pgfit_update_new" && sql "DROP ROLE update_owner, update_guest"
