#!/bin/bash
# Security: a schema that existed before the extension, names that shadow others on the search_path, and a role without
# privileges that calls every function with edited values.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_security || exit 1
sql "DROP EXTENSION pgfit" || exit 1
for role in pgfit_attacker pgfit_installer pgfit_caller; do
    sql "CREATE ROLE $role LOGIN" || exit 1
done
trap 'for database in pgfit_security pgfit_restored; do psql -X -q -d postgres -c "DROP DATABASE IF EXISTS $database" 2>/dev/null; done
      psql -X -q -d postgres -c "DROP ROLE IF EXISTS pgfit_attacker, pgfit_installer, pgfit_caller"' EXIT
sql "GRANT CREATE ON DATABASE pgfit_security TO pgfit_attacker; ALTER DATABASE pgfit_security OWNER TO pgfit_installer" || exit 1
as() { # as ROLE STATEMENT: prints the rows, or the SQLSTATE of the error
    psql -X -q -A -t -v ON_ERROR_STOP=1 -v VERBOSITY=sqlstate -U "$1" -c "$2" 2>&1
}

# a schema owned by somebody else, who could add functions that users take for those of the extension
as pgfit_attacker "CREATE SCHEMA pgfit; CREATE FUNCTION pgfit.predict(pgfit.nothing) RETURNS int LANGUAGE sql AS 'SELECT 1'" >/dev/null
as pgfit_attacker "CREATE SCHEMA pgfit" >/dev/null
is "$(sql "SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'pgfit'")" pgfit_attacker 'the schema is the attacker'"'"'s'
is "$(as postgres 'CREATE EXTENSION pgfit')" 'ERROR:  42P06' 'a superuser does not install into a schema of somebody else'
is "$(as pgfit_installer 'CREATE EXTENSION pgfit')" 'ERROR:  42P06' 'nor does the owner of the database'
is "$(sql "SELECT count(*) FROM pg_proc WHERE pronamespace = 'pgfit'::regnamespace")" 0 'nothing of it is left there'
is "$(as postgres 'CREATE EXTENSION pgfit SCHEMA public')" 'ERROR:  0A000' 'no other schema can be asked for'
sql 'DROP SCHEMA pgfit' || exit 1
as pgfit_attacker "CREATE SCHEMA pgfit_internal" >/dev/null
is "$(as postgres 'CREATE EXTENSION pgfit')" 'ERROR:  42P06' 'nor into a schema of support functions that somebody else owns'
is "$(sql "SELECT count(*) FROM pg_namespace WHERE nspname = 'pgfit'")" 0 'nothing of it is left'
sql 'DROP SCHEMA pgfit_internal' || exit 1

# installed without superuser rights: the extension belongs to the installer, but not its schema, so that nobody adds to it
is "$(as pgfit_installer 'CREATE EXTENSION pgfit')" '' 'the owner of a database installs it'
is "$(sql "SELECT extowner::regrole FROM pg_extension WHERE extname = 'pgfit'")" pgfit_installer 'and owns the extension'
for role in pgfit_installer pgfit_attacker pgfit_caller; do
    is "$(as $role 'CREATE FUNCTION pgfit.predict(int) RETURNS int LANGUAGE sql AS $$SELECT 1$$')" 'ERROR:  42501' "$role cannot add functions to it"
    is "$(as $role 'CREATE FUNCTION pgfit_internal.moments_step(int) RETURNS int LANGUAGE sql AS $$SELECT 1$$')" 'ERROR:  42501' "nor, as $role, to the support functions"
done
is "$(sql "SELECT count(*) FROM pg_depend AS d, LATERAL pg_identify_object(classid, objid, 0) AS o
           WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pgfit') AND coalesce(o.schema, 'pgfit') NOT IN ('pgfit', 'pgfit_textbook', 'pgfit_internal')")" \
    0 'all that it has is in its schemas'
as pgfit_installer "CREATE TABLE public.models AS SELECT pgfit.linear_regression(2.0 * i, (i, sin(i))) AS m FROM generate_series(1, 20) AS i" >/dev/null
pg_dump -f "$PGFIT_SCRATCH/security.dump" -d pgfit_security
psql -X -q -d postgres -c 'DROP DATABASE IF EXISTS pgfit_restored' -c 'CREATE DATABASE pgfit_restored' 2>/dev/null
psql -X -q -v ON_ERROR_STOP=1 -d pgfit_restored -f "$PGFIT_SCRATCH/security.dump" >/dev/null
ok $? 'a superuser restores the dump of such a database'
is "$(PGDATABASE=pgfit_restored sql 'SELECT round(pgfit.predict(m, (3, sin(3)))) FROM public.models')" 6 'with its models'
is "$(as pgfit_installer 'SET client_min_messages = warning; DROP EXTENSION pgfit CASCADE')" '' 'the installer drops it'
is "$(sql "SELECT count(*) FROM pg_namespace WHERE nspname IN ('pgfit', 'pgfit_textbook', 'pgfit_internal')")" 0 'and its schemas go with it'
sql 'CREATE EXTENSION pgfit' || exit 1

# names that shadow those of the system: functions in SQL call the same functions under any search_path of the caller
is "$(sql "SELECT proname FROM pg_proc WHERE pronamespace = 'pgfit'::regnamespace AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'sql') AND prosqlbody IS NULL")" \
    '' 'each function in SQL was parsed when it was made'
is "$(sql "SELECT string_agg(DISTINCT lanname, ' ') FROM pg_proc AS p JOIN pg_language AS l ON l.oid = prolang WHERE pronamespace = 'pgfit'::regnamespace AND lanname NOT IN ('c', 'internal')")" \
    sql 'others are in C'
is "$(sql "SELECT proname FROM pg_proc WHERE pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace, 'pgfit_internal'::regnamespace) AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')
           AND (proconfig IS NULL OR proconfig <> '{\"search_path=pg_catalog, pg_temp\"}' OR prosrc ~* 'execute')")" \
    '' 'each function in PL/pgSQL looks names up in pg_catalog alone and runs no text'
is "$(sql "SELECT proname FROM pg_proc WHERE pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace, 'pgfit_internal'::regnamespace) AND prosecdef")" \
    '' 'no function runs with the rights of its owner'
sql "CREATE SCHEMA hostile;
     CREATE TABLE hostile.called (what text);
     CREATE FUNCTION hostile.note(what text) RETURNS void LANGUAGE sql AS 'INSERT INTO hostile.called VALUES (what)';
     CREATE FUNCTION hostile.generate_series(int, int) RETURNS SETOF int LANGUAGE sql AS 'SELECT hostile.note(''generate_series''); SELECT 1';
     CREATE FUNCTION hostile.cardinality(anyarray) RETURNS int LANGUAGE sql AS 'SELECT hostile.note(''cardinality''); SELECT 1';
     CREATE FUNCTION hostile.parameter(pgfit.model, text) RETURNS float8[] LANGUAGE sql AS 'SELECT hostile.note(''parameter''); SELECT ''{1,2}''::float8[]';
     CREATE FUNCTION hostile.plus(int, int) RETURNS int LANGUAGE sql AS 'SELECT hostile.note(''plus''); SELECT 1';
     CREATE OPERATOR hostile.+ (FUNCTION = hostile.plus, LEFTARG = int, RIGHTARG = int);
     CREATE DOMAIN hostile.int8 AS text; CREATE DOMAIN hostile.float8 AS text; CREATE DOMAIN hostile.jsonb AS text;
     CREATE TABLE public.histogram AS SELECT pgfit.distance_histogram(ARRAY[i, i * i]::pg_catalog.float8[], 4) AS m FROM generate_series(1, 9) AS i" || exit 1
honest=$(sql 'SELECT md5(string_agg(h::text, chr(10))) FROM public.histogram, pgfit.histogram(m) AS h')
is "$(sql 'SET search_path = hostile, pg_catalog, pgfit; SELECT md5(string_agg(h::text, chr(10))) FROM public.histogram, pgfit.histogram(m) AS h')" "$honest" \
    'histogram() is the same on a hostile search_path'
is "$(sql 'SET search_path = hostile, pg_catalog; SELECT count(*) FROM generate_series(1, 1 + 1)')" 1 'a query of the caller'"'"'s calls the hostile names'
is "$(sql "SELECT string_agg(DISTINCT what, ' ' ORDER BY what) FROM hostile.called")" 'generate_series plus' 'and it alone does'

# every function, called with edited models by a role that owns nothing
output=$(python3 "$repo/test/torture/torture.py" --each 1 --role pgfit_caller --out "$PGFIT_SCRATCH/torture" 2>&1)
is "$? $(grep -c '^FINDING' <<<"$output")" '0 0' 'every function withstands edited models from a role without privileges'
[ -n "${output##*FINDING*}" ] || echo "$output"
matches "$(tail -n 1 <<<"$output")" '^seed 1, numbers 0 to [0-9]+: ([0-9]+) statements, [0-9]+ done' 'each was called'
