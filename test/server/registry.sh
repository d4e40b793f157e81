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
    for i in $(seq 1000); do
        [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE datname = 'pgfit_registry' AND wait_event_type = 'Lock'")" -gt 0 ] && break
        sleep 0.05
    done
    [ "$i" -lt 1000 ]
    ok $? "$1"
}

# ---- installed by a role without superuser rights, used by others ----

is "$(as pgfit_installer 'CREATE EXTENSION pgfit')" '' 'the owner of a database installs the extension'
is "$(sql "SELECT string_agg(relname || ' ' || relowner::regrole, ', ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'pgfit_internal'::regnamespace AND relkind = 'r'")" \
    'model_names postgres, registry postgres' 'but does not own the tables of the registry'
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
is "$(as pgfit_stranger "SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')")" 'ERROR:  42710' 'the name is taken'
# a name that a role does not see answers as one that is not there, but for the name itself
message() { psql -X -q -A -t -U pgfit_stranger -c "$1" 2>&1 | sed "s/$2/NAME/g"; }
for call in "promote('NAME', 1)" "promote('NAME', 9)" "rollback('NAME')" "drop_model('NAME')" "drop_model('NAME', 1)" "grant_model('NAME', 'pgfit_stranger')" "grant_model('NAME', 'nobody')" \
    "grant_model('NAME', 'pgfit_stranger', 'read')" "revoke_model('NAME', 'public')" "reassign_model('NAME', 'pgfit_stranger')" "reassign_model('NAME', 'nobody')" "get_model('NAME')" "get_model('NAME', 1)" \
    "predict('NAME', ARRAY[1])" "nearest('NAME', ARRAY[1])" "history('NAME')" "compare('NAME', 'NAME', 'public.stone')" "drift('NAME', 'public.stone')" "drift('NAME', '{}'::jsonb)"; do
    is "$(message "SELECT pgfit.${call//NAME/price}" price)" "$(message "SELECT pgfit.${call//NAME/nosuch}" nosuch)" "a stranger cannot tell by $call that a model is there"
done
is "$(as pgfit_maker "SELECT pgfit.grant_model('price', 'pgfit_reader')")" '' 'its owner grants it'
is "$(as pgfit_reader "$score")" t 'the other role uses it'
is "$(as pgfit_reader "SELECT version, trained_by FROM pgfit.history('price')")" '1|pgfit_maker' 'and sees where it comes from'
for statement in "SELECT pgfit.promote('price', 1)" "SELECT pgfit.rollback('price')" "SELECT pgfit.drop_model('price')" "SELECT pgfit.grant_model('price', 'public')" \
    "SELECT pgfit.revoke_model('price', 'pgfit_reader')" "SELECT pgfit.reassign_model('price', 'pgfit_reader')" "SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')" \
    "UPDATE pgfit.model_names SET owner = 'pgfit_reader'" "DELETE FROM pgfit.model_names" "INSERT INTO pgfit.model_names (name) VALUES ('planted')" \
    "TABLE pgfit_internal.model_names" "UPDATE pgfit_internal.registry SET message = 'x'" "TRUNCATE pgfit_internal.model_names CASCADE"; do
    is "$(as pgfit_reader "$statement")" 'ERROR:  42501' "but may not: $statement"
done
for statement in "UPDATE pgfit.registry SET message = 'x'" "DELETE FROM pgfit.registry" "INSERT INTO pgfit.registry (name, version) VALUES ('price', 7)"; do
    is "$(as pgfit_reader "$statement")" 'ERROR:  55000' "nor write to a view of two tables: $statement"
done
matches "$(psql -X -U pgfit_reader -c "SELECT pgfit.rollback('price')" 2>&1)" 'must be owner of model "price"' 'who may score and rolls back is told that he is not the owner'
is "$(as pgfit_stranger "$score")" 'ERROR:  42704' 'a third role still does not see it'
is "$(as pgfit_maker "SELECT pgfit.grant_model('price', 'public')")$(as pgfit_stranger "$score")" t 'granted to everybody, it does'
is "$(as pgfit_maker "SELECT pgfit.revoke_model('price', 'public'), pgfit.revoke_model('price', 'pgfit_reader')")$(as pgfit_stranger "$score") $(as pgfit_reader "$score")" \
    '|ERROR:  42704 ERROR:  42704' 'revoked, neither does'
is "$(as pgfit_maker "SELECT pgfit.train('secret', 'linear_regression', 'public.secret', 'price ~ carat')")" 'ERROR:  42501' 'a fit reads with the rights of the caller'
is "$(as pgfit_maker "SELECT pgfit.fit('linear_regression', 'public.secret', 'price ~ carat')")" 'ERROR:  42501' 'also without a name'
is "$(as pgfit_installer "SELECT count(*) FROM pgfit.history()")" 1 'the installer sees all models'
is "$(as pgfit_installer "SELECT pgfit.get_model('price') IS NULL, pgfit.grant_model('price', 'pgfit_stranger'), pgfit.revoke_model('price', 'pgfit_stranger'), pgfit.promote('price', 1)")" 'f|||' \
    'and administers them'
is "$(as pgfit_installer "UPDATE pgfit_internal.model_names SET owner = 'pgfit_maker' RETURNING name")" price 'also by its table'
sql "CREATE FUNCTION public.as_owner() RETURNS boolean LANGUAGE sql SECURITY DEFINER AS \$\$ $score \$\$; ALTER FUNCTION public.as_owner OWNER TO pgfit_maker" || exit 1
is "$(as pgfit_reader 'SELECT public.as_owner()')" t 'a function of the owner serves to others'
is "$(psql -X -q -A -t -U pgfit_installer -c "SET ROLE pgfit_installer" -c "SELECT public.as_owner() FROM pgfit.get_model('price')" -c "SET client_min_messages = error")" t \
    'a session may use the model under two roles'
# another role becomes the owner: one that the owner is a member of
is "$(as pgfit_maker "SELECT pgfit.reassign_model('price', 'pgfit_stranger')") $(as pgfit_maker "SELECT pgfit.reassign_model('price', 'nobody')")" 'ERROR:  42501 ERROR:  42704' 'nobody hands a model to just anybody'
is "$(as pgfit_colleague "SELECT pgfit.reassign_model('price', 'pgfit_colleague')")$(as pgfit_maker "$score") $(as pgfit_colleague "$score") $(as pgfit_colleague "SELECT pgfit.reassign_model('price', 'pgfit_maker')")$(as pgfit_maker "$score")" \
    'ERROR:  42704 t t' 'but to a role of his own'
train_functions="pgfit.train"
sql "REVOKE EXECUTE ON FUNCTION $train_functions FROM PUBLIC; GRANT EXECUTE ON FUNCTION $train_functions TO pgfit_maker" || exit 1
is "$(as pgfit_stranger "SELECT pgfit.train('mine', 'linear_regression', 'public.stone', 'price ~ carat')")" 'ERROR:  42501' 'a superuser may say who trains'
is "$(as pgfit_maker "SELECT version FROM pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat', '{\"promote\": \"never\"}')")" 2 'and others still do'
sql "GRANT EXECUTE ON FUNCTION $train_functions TO PUBLIC; REVOKE EXECUTE ON FUNCTION $train_functions FROM pgfit_maker" || exit 1

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
is "$(sql "$score")" t 'while the active version goes on'
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

for call in "promote('gone', 1)" "rollback('gone')" "drop_model('gone', 1)" "grant_model('gone', 'public')" "drop_model('gone')"; do
    as pgfit_maker "SELECT pgfit.train('gone', 'linear_regression', 'public.stone', 'price ~ carat')" >/dev/null
    ask "BEGIN; SELECT pgfit.drop_model('gone') IS NULL;" >/dev/null
    as pgfit_maker "SELECT pgfit.$call" >"$PGFIT_SCRATCH/second" &
    second=$!
    waits "$call waits for a drop of the name"
    ask "COMMIT; SELECT 'done';" >/dev/null
    wait $second
    is "$(cat "$PGFIT_SCRATCH/second")" 'ERROR:  42704' 'and says that there is none'
done

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
content="SELECT md5(string_agg(r::text, E'\\n' ORDER BY name, version)) FROM pgfit_internal.registry AS r UNION ALL SELECT md5(string_agg(n::text, E'\\n' ORDER BY name)) FROM pgfit_internal.model_names AS n"
before=$(sql "$content")
exact="SELECT md5(string_agg(encode(float8send(pgfit.predict('price', d)), 'hex'), '' ORDER BY i)) FROM generate_series(1, 99) AS i, LATERAL (SELECT i / 7.0 AS carat) AS d"
scores=$(as pgfit_reader "$exact")
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
    is "$(PGDATABASE=pgfit_restored as pgfit_reader "$exact")" "$scores" 'whose scores are the same bits'
    is "$(PGDATABASE=pgfit_restored as pgfit_maker "SELECT pgfit.drop_model('price')")$(PGDATABASE=pgfit_restored as pgfit_maker "SELECT pgfit.history('price')")" '' 'and its owner still owns it'
done
ask '\q' >/dev/null

# ---- the extension is dropped meanwhile ----

coproc OWNER { psql -X -q -A -t -U pgfit_installer 2>&1; }
for statement in "$score" "SELECT pgfit.get_model('price', 1)" "SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')" "SELECT pgfit.promote('price', 1)"; do
    printf '%s\n' "BEGIN; LOCK TABLE pgfit_internal.model_names, pgfit_internal.registry; SELECT 'locked';" >&"${OWNER[1]}"
    read -r -t 20 answer <&"${OWNER[0]}"
    psql -X -q -A -t -v VERBOSITY=sqlstate -U pgfit_maker -c "$statement" >"$PGFIT_SCRATCH/second" 2>&1 &
    second=$!
    waits "a statement waits for the drop of the extension: $statement"
    printf '%s\n' "DROP EXTENSION pgfit; COMMIT; SELECT 'dropped';" >&"${OWNER[1]}"
    read -r -t 20 answer <&"${OWNER[0]}"
    wait $second
    is "$answer $(cat "$PGFIT_SCRATCH/second")" 'dropped ERROR:  42P01' 'and then says that the registry is gone'
    as pgfit_installer "CREATE EXTENSION pgfit" >/dev/null
    as pgfit_maker "SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat')" >/dev/null
done
printf '\\q\n' >&"${OWNER[1]}"
is "$(sql "SELECT string_agg(proname, ' ') FROM pg_proc WHERE pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace, 'pgfit_internal'::regnamespace) AND prosecdef")" '' \
    'no function runs with the rights of its owner'
