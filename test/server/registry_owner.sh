#!/bin/bash
# The tables of the registry, whose columns are read by number, in a database where a role without superuser rights has installed the extension: that role
# cannot change them, tables that somebody has changed are refused before a field is read, and no code on them runs as the role that trains.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_registry_owner || exit 1
sql "DROP EXTENSION pgfit" || exit 1
roles='pgfit_installer pgfit_victim'
for role in $roles; do sql "CREATE ROLE $role LOGIN" || exit 1; done
trap 'psql -X -q -d postgres -c "DROP DATABASE IF EXISTS pgfit_registry_owner WITH (FORCE)" -c "DROP ROLE IF EXISTS ${roles// /, }" 2>/dev/null' EXIT
sql "ALTER DATABASE pgfit_registry_owner OWNER TO pgfit_installer" || exit 1
as() { # as ROLE STATEMENT...: prints the rows, or the SQLSTATE of errors, in one line
    local role=$1 statements=()
    shift
    for statement in "$@"; do statements+=(-c "$statement"); done
    psql -X -q -A -t -v VERBOSITY=sqlstate -U "$role" -c "SET client_min_messages = error" "${statements[@]}" 2>&1 | tr '\n' ' ' | sed 's/ $//'
}
as pgfit_installer "CREATE EXTENSION pgfit" "CREATE SCHEMA plans" "GRANT USAGE ON SCHEMA plans TO PUBLIC" \
    "CREATE FUNCTION plans.who() RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'code of the installer runs as %', current_user; END \$\$" \
    "CREATE FUNCTION plans.planted() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN PERFORM plans.who(); RETURN NEW; END \$\$" >/dev/null
sql "CREATE TABLE public.stone AS SELECT i AS id, i % 40 / 10.0 AS carat, 100.0 * (i % 40) + i % 7 AS price FROM generate_series(1, 400) AS i; GRANT SELECT ON public.stone TO PUBLIC" || exit 1
train="SELECT version > 0 FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat', '{\"holdout\": false}')"
score="SELECT round(pgfit.predict('price', d) - 1000) BETWEEN -9 AND 9 FROM (SELECT 1.0 AS carat) AS d"
value="SELECT length(pgfit.get_model('price')::text) > 100"
is "$(as pgfit_victim "$train" "$score" "$value")" 't t t' 'a user trains and scores'

# ---- the installer does not own the tables ----

is "$(sql "SELECT string_agg(DISTINCT relowner::regrole::text, ' ') FROM pg_class WHERE relnamespace IN ('pgfit'::regnamespace, 'pgfit_internal'::regnamespace)")" postgres \
    'all relations belong to the role that ran the script'
for relation in pgfit_internal.model_names pgfit_internal.registry pgfit.model_names pgfit.registry; do
    for change in "ALTER COLUMN name TYPE bigint USING 1234567" "ADD COLUMN more int" "DROP COLUMN name CASCADE" "RENAME COLUMN name TO other" "ADD CHECK (plans.who())" \
        "ALTER COLUMN name SET DEFAULT plans.who()::text" "ENABLE ROW LEVEL SECURITY" "OWNER TO pgfit_installer" "RENAME TO other" "SET SCHEMA plans"; do
        is "$(as pgfit_installer "ALTER TABLE $relation $change")" 'ERROR:  42501' "the installer may not: ALTER TABLE $relation $change"
    done
    for change in "CREATE TRIGGER planted BEFORE INSERT ON $relation FOR EACH STATEMENT EXECUTE FUNCTION plans.planted()" "CREATE RULE planted AS ON INSERT TO $relation DO ALSO SELECT plans.who()" \
        "DROP TABLE IF EXISTS $relation CASCADE" "TRUNCATE $relation" "ALTER EXTENSION pgfit DROP TABLE $relation"; do
        matches "$(as pgfit_installer "$change")" '^ERROR:  (42501|42809)$' "nor: $change"
    done
done
for relation in pgfit_internal.model_names pgfit_internal.registry; do
    for change in "CREATE POLICY planted ON $relation USING (plans.who())" "CREATE INDEX ON $relation ((plans.who()))" "CREATE TABLE plans.child () INHERITS ($relation)"; do
        is "$(as pgfit_installer "$change")" 'ERROR:  42501' "nor: $change"
    done
done
is "$(as pgfit_installer "ALTER TABLE pgfit.registry ALTER COLUMN model TYPE bigint USING 1234567") $(as pgfit_victim "$value" "$score" "$train")" 'ERROR:  42501 t t t' \
    'a column that is read by number keeps its type'

# ---- tables that a superuser has changed ----

functions=("$score" "$value" "SELECT length(pgfit.get_model('price', 1)::text) > 100" "$train" "SELECT pgfit.promote('price', 1)" "SELECT pgfit.grant_model('price', 'public')" "SELECT pgfit.drop_model('price', 1)")
refused() { # refused TABLE CHANGE UNDO: every function refuses the table in a session that has used it before, and takes it back
    local table=$1 change=$2 undo=$3 wanted= statement
    for statement in "${functions[@]}"; do wanted+=' ERROR:  55000'; done
    is "$(as postgres 'SET allow_system_table_mods = on' "$score" "$change" "${functions[@]}" "$undo" "$score" "$train")" "t$wanted t t" "refused: $change"
}
type() { echo "UPDATE pg_attribute SET atttypid = '$3'::regtype WHERE attrelid = '$1'::regclass AND attname = '$2'"; }
refused names "$(type pgfit_internal.model_names owner bigint)" "$(type pgfit_internal.model_names owner text)"
refused names "$(type pgfit_internal.model_names scorers text)" "$(type pgfit_internal.model_names scorers text[])"
for table in pgfit_internal.model_names pgfit_internal.registry; do
    refused $table "ALTER TABLE $table RENAME COLUMN name TO other" "ALTER TABLE $table RENAME COLUMN other TO name"
    refused $table "ALTER TABLE $table ADD COLUMN more int" "ALTER TABLE $table DROP COLUMN more"
    refused $table "ALTER TABLE $table ADD CONSTRAINT planted CHECK (plans.who()) NOT VALID" "ALTER TABLE $table DROP CONSTRAINT planted"
    refused $table "ALTER TABLE $table ALTER COLUMN name SET DEFAULT plans.who()::text" "ALTER TABLE $table ALTER COLUMN name DROP DEFAULT"
    refused $table "CREATE TRIGGER planted BEFORE INSERT OR UPDATE ON $table FOR EACH ROW EXECUTE FUNCTION plans.planted()" "DROP TRIGGER planted ON $table"
    refused $table "CREATE RULE planted AS ON UPDATE TO $table DO ALSO SELECT plans.who()" "DROP RULE planted ON $table"
    refused $table "ALTER TABLE $table ENABLE ROW LEVEL SECURITY" "ALTER TABLE $table DISABLE ROW LEVEL SECURITY"
    refused $table "ALTER TABLE $table OWNER TO pgfit_installer" "ALTER TABLE $table OWNER TO postgres"
    refused $table "ALTER TABLE $table RENAME TO aside; CREATE VIEW $table AS SELECT * FROM pgfit_internal.aside" "DROP VIEW $table; ALTER TABLE pgfit_internal.aside RENAME TO ${table#*.}"
done
# the versions alone: names are looked up before
functions=("$score" "$value" "$train" "SELECT pgfit.promote('price', 1)")
refused versions "$(type pgfit_internal.registry model bigint)" "$(type pgfit_internal.registry model pgfit.model)"
matches "$(psql -X -A -t -c "BEGIN" -c "ALTER TABLE pgfit_internal.registry ENABLE ROW LEVEL SECURITY" -c "$score" 2>&1)" 'table pgfit_internal.registry is not as the extension made it: it has row level security' \
    'the message says what is wrong'
is "$(as pgfit_victim "$score" "$train")" 't t' 'afterwards all is as before'

# ---- statements on the tables run by the caller's settings no more than by his rights ----

as pgfit_victim "GRANT ALL ON SCHEMA plans TO pgfit_victim" >/dev/null
sql "GRANT ALL ON SCHEMA plans TO pgfit_victim" || exit 1
as pgfit_victim "CREATE FUNCTION plans.equal(text, text) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'code of the caller runs as %', current_user; END \$\$" \
    "CREATE OPERATOR plans.= (LEFTARG = text, RIGHTARG = text, FUNCTION = plans.equal)" "CREATE OPERATOR plans.|| (LEFTARG = int[], RIGHTARG = int, FUNCTION = array_append)" >/dev/null
is "$(as pgfit_victim "SET search_path = plans, pg_catalog" "$train" "SELECT pgfit.promote('price', 1)" "SELECT pgfit.rollback('price') > 0" "SELECT current_user, current_setting('search_path')")" \
    't  t pgfit_victim|plans, pg_catalog' 'operators on the search_path of the caller do not run as the owner of the tables'
is "$(as pgfit_victim "SET search_path = plans, pg_catalog" "BEGIN" "SAVEPOINT s" "SELECT pgfit.promote('price', 99)" "ROLLBACK TO s" "SELECT current_user, current_setting('search_path')")" \
    'ERROR:  42704 pgfit_victim|plans, pg_catalog' 'an error leaves user and settings as they were'
as pgfit_victim "CREATE FUNCTION plans.reading() RETURNS SETOF public.stone LANGUAGE plpgsql AS \$\$ BEGIN IF current_user <> 'pgfit_victim' THEN RAISE EXCEPTION 'runs as %', current_user; END IF; RETURN QUERY SELECT * FROM public.stone; END \$\$" >/dev/null
is "$(as pgfit_victim "SELECT version > 0 FROM pgfit.train('price', 'linear_regression', 'SELECT * FROM plans.reading()', 'price ~ carat')")" t 'a source runs as the caller'
