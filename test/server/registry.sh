#!/bin/bash
# The registry of models between sessions and roles: trainings of one name wait for each other, a failed or canceled one leaves everything
# as it was, promotions show at once in sessions that have the model in use, roles see what they own or were granted, dumps keep all of it.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_registry || exit 1
sql "DROP EXTENSION pgfit" || exit 1
roles='pgfit_installer pgfit_maker pgfit_colleague pgfit_reader pgfit_stranger'
for role in $roles; do sql "CREATE ROLE $role LOGIN" || exit 1; done
trap 'for database in pgfit_registry pgfit_restored; do psql -X -q -d postgres -c "DROP DATABASE IF EXISTS $database WITH (FORCE)" 2>/dev/null; done
      psql -X -q -d postgres -c "DROP ROLE IF EXISTS ${roles// /, }"' EXIT
sql "ALTER DATABASE pgfit_registry OWNER TO pgfit_installer; GRANT pgfit_maker TO pgfit_colleague" || exit 1
as() { # as ROLE STATEMENT: prints the rows, or the SQLSTATE of the error
    psql -X -q -A -t -v ON_ERROR_STOP=1 -v VERBOSITY=sqlstate -U "$1" -c "SET client_min_messages = error" -c "${@:2:1}" "${@:3}" 2>&1
}
waits() { # waits WHAT: until a session waits for a lock, or says that none does
    local i
    for i in $(seq 100); do
        [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE datname = 'pgfit_registry' AND wait_event_type = 'Lock'")" -gt 0 ] && break
        sleep 0.05
    done
    [ "$i" -lt 100 ]
    ok $? "$1"
}

# ---- installed by a role without superuser rights, used by others ----

is "$(as pgfit_installer 'CREATE EXTENSION pgfit')" '' 'the owner of a database installs the extension'
is "$(sql "SELECT string_agg(relname || ' ' || relowner::regrole || ' ' || relrowsecurity, ', ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'pgfit'::regnamespace AND relkind = 'r'")" \
    'model_names pgfit_installer true, registry pgfit_installer true' 'and owns the tables of the registry, which have row level security'
sql "CREATE TABLE public.stone AS SELECT i AS id, i % 40 / 10.0 AS carat, 100.0 * (i % 40) + i % 7 AS price FROM generate_series(1, 400) AS i;
     GRANT SELECT ON public.stone TO pgfit_maker, pgfit_reader, pgfit_stranger;
     CREATE TABLE public.secret AS SELECT * FROM public.stone" || exit 1
is "$(as pgfit_maker "SELECT version, active FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')")" '1|t' 'a user trains a model'
score="SELECT round(pgfit.predict('price', d) - 1000) BETWEEN -9 AND 9 FROM (SELECT 1.0 AS carat) AS d"
is "$(as pgfit_maker "$score")" t 'and scores with it'
is "$(as pgfit_colleague "$score")" t 'so does a member of his role'
for role in pgfit_reader pgfit_stranger; do
    is "$(as $role "$score")" 'ERROR:  42704' "$role does not see it"
    is "$(as $role "SELECT count(*) FROM pgfit.history()")$(as $role "SELECT count(*) FROM pgfit.registry")$(as $role "SELECT count(*) FROM pgfit.model_names")" 000 "nor its rows"
done
is "$(as pgfit_stranger "SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')")" 'ERROR:  42501' 'the name is taken'
is "$(as pgfit_maker "SELECT pgfit.grant_model('price', 'pgfit_reader')")" '' 'its owner grants it'
is "$(as pgfit_reader "$score")" t 'the other role uses it'
is "$(as pgfit_reader "SELECT version, trained_by FROM pgfit.history('price')")" '1|pgfit_maker' 'and sees where it comes from'
for statement in "SELECT pgfit.promote('price', 1)" "SELECT pgfit.drop_model('price')" "SELECT pgfit.grant_model('price', 'public')" "SELECT pgfit.revoke_model('price', 'pgfit_reader')" \
    "SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')" "UPDATE pgfit.registry SET message = 'x'" \
    "INSERT INTO pgfit.registry (name, version, model, estimator, source) SELECT name, 7, model, estimator, source FROM pgfit.registry" \
    "INSERT INTO pgfit.model_names (name, owner) VALUES ('planted', 'pgfit_maker')" "TRUNCATE pgfit.model_names CASCADE"; do
    is "$(as pgfit_reader "$statement")" 'ERROR:  42501' "but may not: $statement"
done
is "$(as pgfit_reader "WITH d AS (DELETE FROM pgfit.registry RETURNING 1), n AS (DELETE FROM pgfit.model_names RETURNING 1), u AS (UPDATE pgfit.model_names SET active = NULL RETURNING 1)
                       SELECT count(*) FROM (TABLE d UNION ALL TABLE n UNION ALL TABLE u) AS changed")" 0 'nor change rows of the tables'
is "$(as pgfit_stranger "$score")" 'ERROR:  42704' 'a third role still does not see it'
is "$(as pgfit_maker "SELECT pgfit.grant_model('price', 'public')")$(as pgfit_stranger "$score")" t 'granted to everybody, it does'
is "$(as pgfit_maker "SELECT pgfit.revoke_model('price', 'public'), pgfit.revoke_model('price', 'pgfit_reader')")$(as pgfit_stranger "$score") $(as pgfit_reader "$score")" \
    '|ERROR:  42704 ERROR:  42704' 'revoked, neither does'
is "$(as pgfit_maker "SELECT pgfit.train('secret', 'linear_regression', 'public.secret', 'price ~ carat')")" 'ERROR:  42501' 'a fit reads with the rights of the caller'
is "$(as pgfit_maker "SELECT pgfit.fit('linear_regression', 'public.secret', 'price ~ carat')")" 'ERROR:  42501' 'also without a name'
is "$(as pgfit_installer "SELECT count(*) FROM pgfit.history()")" 1 'the installer sees all models'
sql "CREATE FUNCTION public.as_owner() RETURNS boolean LANGUAGE sql SECURITY DEFINER AS \$\$ $score \$\$; ALTER FUNCTION public.as_owner OWNER TO pgfit_maker" || exit 1
is "$(as pgfit_reader 'SELECT public.as_owner()')" t 'a function of the owner serves to others'
is "$(psql -X -q -A -t -U pgfit_installer -c "SET ROLE pgfit_installer" -c "SELECT public.as_owner() FROM pgfit.get_model('price')" -c "SET client_min_messages = error")" t \
    'a session may use the model under two roles'
# a policy of the administrator's is asked, too
as pgfit_installer "CREATE POLICY hours ON pgfit.model_names AS RESTRICTIVE FOR SELECT USING (current_setting('test.open', true) = 'yes')"
is "$(as pgfit_maker "$score") $(as pgfit_maker "SET test.open = 'yes'; $score")" 'ERROR:  42704 t' 'policies of the administrator hold for serving'
is "$(as pgfit_maker "SET test.open = 'yes'" -c "$score" -c "SET test.open = 'no'" -c "$score" | tr '\n' ' ')" 't ERROR:  42704 ' 'also when they change their mind within a session'
as pgfit_installer "DROP POLICY hours ON pgfit.model_names"
as pgfit_installer "ALTER POLICY readers ON pgfit.model_names USING (current_setting('test.open', true) = 'yes')"
is "$(as pgfit_maker "$score") $(as pgfit_maker "SET test.open = 'yes'; $score")" 'ERROR:  42704 t' 'and a policy of the extension that the administrator has changed'
sql "ALTER POLICY readers ON pgfit.model_names USING (pgfit_internal.is_member(owner, readers))"
is "$(as pgfit_maker "$score") $(as pgfit_stranger "$score")" 't ERROR:  42704' 'which is changed back'
# so is one on versions
for policy in "CREATE POLICY hours ON pgfit.registry AS RESTRICTIVE FOR SELECT USING (current_setting('test.open', true) = 'yes')" \
    "DROP POLICY hours ON pgfit.registry; ALTER POLICY readers ON pgfit.registry USING (version <> 1 OR current_setting('test.open', true) = 'yes')"; do
    as pgfit_installer "$policy"
    is "$(as pgfit_maker "$score") $(as pgfit_maker "SET test.open = 'yes'; $score")" 'ERROR:  42704 t' 'policies on versions hold for serving'
    is "$(as pgfit_maker "SELECT pgfit.get_model('price', 1) IS NULL") $(as pgfit_maker "SET test.open = 'yes'; SELECT pgfit.get_model('price', 1) IS NULL")" 'ERROR:  42704 f' 'and for versions by their number'
    is "$(as pgfit_maker "SET test.open = 'yes'" -c "$score" -c "SET test.open = 'no'" -c "$score" | tr '\n' ' ')" 't ERROR:  42704 ' 'also when they change their mind within a session'
    is "$(as pgfit_maker "SELECT pgfit.promote('price', 1)")" 'ERROR:  42704' 'and for promotions'
done
sql "ALTER POLICY readers ON pgfit.registry USING (pgfit_internal.is_visible(name))"
is "$(as pgfit_maker "$score") $(as pgfit_stranger "$score")" 't ERROR:  42704' 'until they are taken back'
# a policy that itself scores by names makes the session forget the name that it is asked for: each of these models fills most of the memory for models
for price in 1 2 3; do
    as pgfit_maker "SELECT pgfit.train('scores $price', 'knn_regression', 'SELECT $price AS price, carat + i AS carat FROM public.stone, generate_series(1, 2) AS i', 'price ~ carat', '{\"holdout\": false}')" >/dev/null
done
sql "CREATE FUNCTION public.scores_others(name text) RETURNS boolean LANGUAGE plpgsql AS \$\$
     DECLARE sum float8;
     BEGIN
         IF name <> 'scores 1' OR current_setting('test.inside', true) = 'yes' THEN RETURN true; END IF;
         PERFORM set_config('test.inside', 'yes', false);
         SELECT sum(pgfit.predict(n, d)) INTO sum FROM (VALUES ('scores 2'), ('scores 3')) AS n (n), (SELECT 1.0 AS carat) AS d;
         PERFORM set_config('test.inside', 'no', false);
         RETURN round(sum) = 5;
     END \$\$" || exit 1
as pgfit_installer "CREATE POLICY others ON pgfit.model_names AS RESTRICTIVE FOR SELECT USING (public.scores_others(name))"
three="SELECT string_agg(round(pgfit.predict(n, d))::text, ' ') FROM (VALUES ('scores 1'), ('scores 2'), ('scores 1'), ('scores 3'), ('scores 1')) AS n (n), (SELECT 1.0 AS carat) AS d"
is "$(as pgfit_maker "SET pgfit.fit_mem = '64kB'" -c "$three" -c "$three" | tr '\n' '.')" '1 2 1 3 1.1 2 1 3 1.' 'a policy that scores by other names changes no score'
as pgfit_installer "DROP POLICY others ON pgfit.model_names"
as pgfit_installer "REVOKE INSERT ON pgfit.model_names FROM PUBLIC; GRANT INSERT ON pgfit.model_names TO pgfit_maker"
is "$(as pgfit_stranger "SELECT pgfit.train('mine', 'linear_regression', 'public.stone', 'price ~ carat')")" 'ERROR:  42501' 'he may say who registers names'
is "$(as pgfit_maker "SELECT version FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat', '{\"promote\": \"never\"}')")" 2 'and others still train'

# ---- a session that goes on scoring sees promotions ----

coproc SESSION { psql -X -q -A -t -U pgfit_maker 2>&1; }
ask() { printf '%s\n' "$1" >&"${SESSION[1]}"; IFS= read -r -t 20 answer <&"${SESSION[0]}"; echo "$answer"; }
# the third version estimates about 5000
sql "SELECT version FROM pgfit.train('price', 'linear_regression', 'SELECT 5000.0 + id % 3 AS price, carat FROM public.stone', 'price ~ carat', '{\"promote\": \"never\", \"holdout\": false}')" >/dev/null
is "$(sql "SELECT owner FROM pgfit.model_names WHERE name = 'price'")" pgfit_maker 'trained by a superuser, it stays its owner'"'"'s'
ask "SET plan_cache_mode = force_generic_plan; PREPARE score AS SELECT round(pgfit.predict('price', d) / 1000) FROM (SELECT 1.0 AS carat) AS d; SELECT 'ready';" >/dev/null
is "$(ask 'EXECUTE score;')" 1 'a prepared statement scores'
sql "SELECT pgfit.promote('price', 3)" >/dev/null
is "$(ask 'EXECUTE score;')" 5 'and scores with the new version as soon as it is promoted'
sql "SELECT pgfit.rollback('price')" >/dev/null
is "$(ask 'EXECUTE score;')" 1 'and with the old one after a rollback'
ask "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 'begun';" >/dev/null
is "$(ask 'EXECUTE score;')" 1 'a transaction with one snapshot'
sql "SELECT pgfit.promote('price', 3)" >/dev/null
is "$(ask 'EXECUTE score;')" 1 'keeps the version that it has seen'
is "$(ask "COMMIT; EXECUTE score;")" 5 'until it ends'
ask "BEGIN; SELECT 'begun';" >/dev/null
is "$(ask 'EXECUTE score;')" 5 'a transaction that reads what is committed'
sql "SELECT pgfit.rollback('price')" >/dev/null
is "$(ask 'EXECUTE score;')" 1 'sees the rollback by its next statement'
ask "SELECT pgfit.promote('price', 3) IS NULL;" >/dev/null
is "$(ask 'EXECUTE score;')" 5 'and its own promotion at once'
is "$(sql "$score")" t 'which others do not see'
is "$(ask 'ROLLBACK; EXECUTE score;')" 1 'taken back, it is gone'
sql "SELECT pgfit.drop_model('price', 3); SELECT pgfit.drop_model('price', 2)" >/dev/null
is "$(ask 'EXECUTE score;')" 1 'dropping other versions does not matter'

# ---- concurrent trainings, drops, cancellation ----

ask "BEGIN; SELECT version FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat');" >/dev/null
as pgfit_colleague "SELECT version FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')" >"$PGFIT_SCRATCH/second" &
second=$!
waits 'a second training of the name waits for the first'
is "$(sql "$score")" t 'while the version that serves goes on'
ask "COMMIT; SELECT 'done';" >/dev/null
wait $second
is "$(cat "$PGFIT_SCRATCH/second")" 5 'and makes the next version'
ask "BEGIN; SELECT version FROM pgfit.train('fresh', 'linear_regression', 'public.stone', 'price ~ carat');" >/dev/null
as pgfit_maker "SELECT version FROM pgfit.train('fresh', 'linear_regression', 'public.stone', 'price ~ carat')" >"$PGFIT_SCRATCH/second" &
second=$!
waits 'two first trainings of a name'
ask "ROLLBACK; SELECT 'done';" >/dev/null
wait $second
is "$(cat "$PGFIT_SCRATCH/second")" 1 'one of which is taken back'
ask "BEGIN; SELECT version FROM pgfit.train('fresh', 'linear_regression', 'public.stone', 'price ~ carat');" >/dev/null
as pgfit_maker "SELECT pgfit.drop_model('fresh')" >"$PGFIT_SCRATCH/second" &
second=$!
waits 'a drop waits for a training'
ask "COMMIT; SELECT 'done';" >/dev/null
wait $second
is "$(cat "$PGFIT_SCRATCH/second") $(sql "SELECT count(*) FROM pgfit.history('fresh')")" ' 0' 'and takes its version along'
ask "BEGIN; SELECT pgfit.drop_model('price') IS NULL;" >/dev/null
as pgfit_maker "SELECT version FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')" >"$PGFIT_SCRATCH/second" &
second=$!
waits 'a training waits for a drop'
ask "ROLLBACK; SELECT 'done';" >/dev/null
wait $second
is "$(cat "$PGFIT_SCRATCH/second")" 6 'which is taken back'
version=$(sql "SELECT max(version) FROM pgfit.history('price') WHERE NOT active")
ask "BEGIN; SELECT pgfit.drop_model('price', $version) IS NULL;" >/dev/null
as pgfit_maker "SELECT pgfit.promote('price', $version)" >"$PGFIT_SCRATCH/second" &
second=$!
waits 'a promotion waits for the drop of its version'
ask "COMMIT; SELECT 'done';" >/dev/null
wait $second
is "$(cat "$PGFIT_SCRATCH/second") $(sql "SELECT count(*) FROM pgfit.model_names AS n JOIN pgfit.registry AS r ON r.name = n.name AND r.version = n.active WHERE n.name = 'price'")" \
    'ERROR:  42704 1' 'which leaves it no version to serve'

sql "GRANT TRUNCATE ON public.stone TO pgfit_maker" || exit 1 # which allows the lock
ask "BEGIN; LOCK TABLE public.stone; SELECT 'locked';" >/dev/null
is "$(as pgfit_maker "SET lock_timeout = 100; SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat', '{\"on_failure\": \"record\"}')")" 'ERROR:  55P03' \
    'a training that waits too long for a lock of its source is not recorded'
is "$(as pgfit_maker "SET lock_timeout = 100; SELECT count(*) FROM pgfit.search('ridge_regression', 'public.stone', 'price ~ carat', '{\"lambda\": [1, 2]}')")" 'ERROR:  55P03' 'nor ranked by a search'
ask "ROLLBACK; SELECT 'done';" >/dev/null
before=$(sql "SELECT active, last_version FROM pgfit.model_names WHERE name = 'price'")
for when in 30 100 300; do
    is "$(as pgfit_maker "SET statement_timeout = $when; SELECT pgfit.train('price', 'linear_regression', 'SELECT * FROM public.stone WHERE pg_sleep(0.002)::text = ''''', 'price ~ carat')")" 'ERROR:  57014' \
        "a training canceled after $when ms"
    is "$(as pgfit_maker "SET statement_timeout = $when; SELECT pgfit.train('price', 'linear_regression', 'SELECT * FROM public.stone WHERE pg_sleep(0.002)::text = ''''', 'price ~ carat', '{\"on_failure\": \"record\"}')")" 'ERROR:  57014' \
        'is canceled, not recorded'
done
is "$(sql "SELECT active, last_version FROM pgfit.model_names WHERE name = 'price'") $(sql "$score")" "$before t" 'the old state stands'
sql "ALTER ROLE pgfit_maker SET temp_file_limit = 64" || exit 1
is "$(as pgfit_maker "SET pgfit.fit_mem = '64kB'; SELECT pgfit.train('price', 'logistic_regression', 'SELECT s.*, price > 2000 AS high FROM public.stone AS s, generate_series(1, 1000)', 'high ~ carat')")" \
    'ERROR:  53400' 'so it does if there is no room for temporary files'
is "$(sql "SELECT active, last_version FROM pgfit.model_names WHERE name = 'price'") $(sql "$score")" "$before t" 'the old state stands'
is "$(as pgfit_maker "SET pgfit.fit_mem = '64kB'; SELECT pgfit.train('price', 'logistic_regression', 'SELECT s.*, price > 2000 AS high FROM public.stone AS s, generate_series(1, 1000)', 'high ~ carat', '{\"on_failure\": \"record\"}')")" \
    'ERROR:  53400' 'which is not recorded as a fault of the training'
is "$(as pgfit_maker "SET pgfit.fit_mem = '64kB'; SELECT count(*) FROM pgfit.search('logistic_regression', 'SELECT s.*, price > 2000 AS high FROM public.stone AS s, generate_series(1, 1000)', 'high ~ carat', '{\"lambda\": [1, 2]}')")" \
    'ERROR:  53400' 'and ends a search instead of ranking its candidates'
is "$(sql "SELECT active, last_version FROM pgfit.model_names WHERE name = 'price'") $(sql "$score")" "$before t" 'the old state still stands'
matches "$(psql -X -q -A -t -U pgfit_maker -c "SET pgfit.fit_mem = '64kB'" -c "SELECT pgfit.train('price', 'logistic_regression', 'SELECT s.*, price > 2000 AS high FROM public.stone AS s, generate_series(1, 1000)', 'high ~ carat')" 2>&1)" \
    'temporary file size exceeds temp_file_limit' 'the message says why'
is "$(temporary_files)" 0 'and no temporary file stays'
sql "ALTER ROLE pgfit_maker RESET temp_file_limit" || exit 1

# ---- dump and restore ----

as pgfit_maker "SELECT pgfit.grant_model('price', 'pgfit_reader')" >/dev/null
content="SELECT md5(string_agg(r::text, E'\\n' ORDER BY name, version)) FROM pgfit.registry AS r UNION ALL SELECT md5(string_agg(n::text, E'\\n' ORDER BY name)) FROM pgfit.model_names AS n"
before=$(sql "$content")
matches "$before" '^([0-9a-f]{32}.?){2}$' 'there is something to dump'
for format in plain custom; do
    psql -X -q -d postgres -c 'DROP DATABASE IF EXISTS pgfit_restored' -c 'CREATE DATABASE pgfit_restored OWNER pgfit_installer' 2>/dev/null
    pg_dump -U pgfit_installer -n pgfit -e pgfit -F $format -f "$PGFIT_SCRATCH/registry.dump" pgfit_registry
    ok $? "the installer dumps the registry without superuser rights, $format"
    if [ $format = plain ]; then
        psql -X -q -v ON_ERROR_STOP=1 -U pgfit_installer -d pgfit_restored -f "$PGFIT_SCRATCH/registry.dump" >/dev/null
    else
        pg_restore --exit-on-error -U pgfit_installer -d pgfit_restored "$PGFIT_SCRATCH/registry.dump"
    fi
    ok $? "and restores it, $format"
    is "$(PGDATABASE=pgfit_restored sql "$content")" "$before" 'with all rows'
    is "$(PGDATABASE=pgfit_restored as pgfit_reader "$score") $(PGDATABASE=pgfit_restored as pgfit_stranger "$score")" 't ERROR:  42704' 'and the same roles use the model'
    is "$(PGDATABASE=pgfit_restored as pgfit_stranger "SELECT pgfit.train('mine', 'linear_regression', 'VALUES (1, 2), (2, 3)', 'column1 ~ column2')")" 'ERROR:  42501' 'grants included'
done
ask '\q' >/dev/null
is "$(sql "SELECT string_agg(proname, ' ') FROM pg_proc WHERE pronamespace IN ('pgfit'::regnamespace, 'pgfit_internal'::regnamespace) AND prosecdef")" '' \
    'no function runs with the rights of its owner'
