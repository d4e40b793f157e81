#!/bin/bash
# examples/load.sql: from any folder, run twice, and with a table in the way.
cd "$(dirname "$0")" || exit 1
. ./lib.sh
export PGOPTIONS='-c client_min_messages=warning'
psql -X -q -d postgres -c 'DROP DATABASE IF EXISTS examples' -c 'CREATE DATABASE examples' || exit 1
export PGDATABASE=examples
counts() { sql "SELECT count(*), max(id) FROM $1"; }

cd / || exit 1
psql -X -q -f "$repo/examples/load.sql"
is "$? $(counts diamonds) $(counts penguins) $(counts titanic)" '0 53940|53940 344|344 891|891' 'the examples load from another folder'
(cd "$repo/examples" && psql -X -q -f load.sql)
is "$? $(counts diamonds) $(counts penguins) $(counts titanic)" '0 53940|53940 344|344 891|891' 'the examples load twice without doubling the tables'
is "$(psql -X -q -A -t -c "\\i $repo/examples/load.sql" -c '\echo :ON_ERROR_STOP')" off 'loading leaves the settings of the session alone'

# the made-up tables are the same rows everywhere, and what the pages find is in them
is "$(counts shop.customers) $(counts shop.products) $(counts shop.orders)" '2000|2000 360|360 9388|9388' 'the shop has its rows'
is "$(sql "SELECT md5(string_agg(o::text, ',' ORDER BY id)) FROM shop.orders AS o")" f94e3f899fa14b55f3c0ce63673be784 'the shop has the same orders on every machine'
sql 'COMMENT ON SCHEMA shop IS NULL'
psql -X -q -f "$repo/examples/load.sql" >"$PGFIT_SCRATCH/examples.log" 2>&1
is "$? $(counts shop.orders)" '3 9388|9388' 'a schema shop of somebody else stays as it is'
matches "$(cat "$PGFIT_SCRATCH/examples.log")" 'the schema "shop" does not hold the examples of pgfit' 'which the error says'
sql "COMMENT ON SCHEMA shop IS 'made-up customers and orders for the examples of pgfit'"

sql 'DROP TABLE titanic; CREATE TABLE titanic (name text); INSERT INTO titanic VALUES (1); DELETE FROM diamonds WHERE id > 7'
psql -X -q -f "$repo/examples/load.sql" >"$PGFIT_SCRATCH/examples.log" 2>&1
is "$? $(counts diamonds) $(sql 'SELECT count(*) FROM titanic')" '3 7|7 1' 'a load that fails changes no table'
matches "$(cat "$PGFIT_SCRATCH/examples.log")" 'column "survived" of relation "titanic" does not exist' 'a load that fails says why'
