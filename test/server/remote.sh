#!/bin/bash
# Two servers and postgres_fdw: aggregates, and moments of each partition, are computed by the server that has the rows.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_remote || exit 1

[ -f "$("$PGFIT_BINDIR/pg_config" --sharedir)/extension/postgres_fdw.control" ] || { echo "ok - no postgres_fdw here # SKIP"; exit 0; }
folder=$PGFIT_SCRATCH/remote
socket=$PGFIT_SCRATCH/r
mkdir "$folder" "$socket"
[ "$(id -u)" -ne 0 ] || chown "$PGFIT_SERVER_USER" "$folder" "$socket"
trap 'as_server "$PGFIT_BINDIR/pg_ctl" -D "$folder/data" -w -m immediate stop >/dev/null 2>&1
      psql -X -q -d postgres -c "DROP DATABASE IF EXISTS pgfit_remote WITH (FORCE)"; rm -rf "$folder" "$socket"' EXIT
as_server "$PGFIT_BINDIR/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null 2>&1 || exit 1
as_server "$PGFIT_BINDIR/pg_ctl" -D "$folder/data" -o "-k $socket -c listen_addresses='' -p 5433 -c fsync=off" -w -l "$folder/log" start >/dev/null 2>&1 || exit 1
there() { PGOPTIONS='-c client_min_messages=warning' psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$socket" -p 5433 -d postgres -U postgres -c "$1"; }

rows="i, i % 4 AS part, i % 7 + sqrt(i) AS a, (i * 7 % 31)::float8 AS b, (ARRAY['x', 'y', 'z'])[i % 3 + 1] AS name, 3 * sqrt(i) + i % 7 + (i * 13 % 17) / 7.0::float8 AS y"
there "CREATE EXTENSION pgfit; CREATE TABLE remote_rows AS SELECT $rows FROM generate_series(1, 20000) AS i;
       CREATE VIEW part_1 AS SELECT * FROM remote_rows WHERE part = 1; CREATE VIEW part_2 AS SELECT * FROM remote_rows WHERE part = 2; CREATE VIEW part_3 AS SELECT * FROM remote_rows WHERE part = 3; ANALYZE remote_rows" || exit 1
PGOPTIONS='-c client_min_messages=warning' sql "CREATE EXTENSION postgres_fdw;
    CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$socket', port '5433', dbname 'postgres', extensions 'pgfit', use_remote_estimate 'true');
    CREATE USER MAPPING FOR CURRENT_USER SERVER other OPTIONS (user 'postgres');
    CREATE TABLE whole AS SELECT $rows FROM generate_series(1, 20000) AS i;
    CREATE TABLE parted (i int, part int, a float8, b float8, name text, y float8) PARTITION BY LIST (part);
    CREATE TABLE part_0 PARTITION OF parted FOR VALUES IN (0);
    INSERT INTO part_0 SELECT * FROM whole WHERE part = 0;
    CREATE FOREIGN TABLE part_1 PARTITION OF parted FOR VALUES IN (1) SERVER other OPTIONS (table_name 'part_1');
    CREATE FOREIGN TABLE part_2 PARTITION OF parted FOR VALUES IN (2) SERVER other OPTIONS (table_name 'part_2');
    CREATE FOREIGN TABLE part_3 PARTITION OF parted FOR VALUES IN (3) SERVER other OPTIONS (table_name 'part_3');
    CREATE FOREIGN TABLE all_rows (i int, part int, a float8, b float8, name text, y float8) SERVER other OPTIONS (table_name 'remote_rows');
    ANALYZE; ALTER DATABASE pgfit_remote SET enable_partitionwise_aggregate = on;
    CREATE FUNCTION near(a pgfit.model, b pgfit.model) RETURNS boolean LANGUAGE sql AS
        \$\$ SELECT coalesce(bool_and(abs(x - y) <= 1e-8 * (1 + abs(y))), false)
           FROM (SELECT (jsonb_path_query(a::jsonb, 'strict \$.**?(@.type() == \"number\")') #>> '{}')::float8 AS x,
                        (jsonb_path_query(b::jsonb, 'strict \$.**?(@.type() == \"number\")') #>> '{}')::float8 AS y) AS n \$\$" || exit 1

# ---- one server has all the rows: the aggregate runs there ----

ships() { # ships QUERY WHAT: the remote SQL has the aggregate
    matches "$(sql "EXPLAIN (VERBOSE, COSTS off) $1" | grep 'Remote SQL')" 'pgfit\.' "$2"
}
fit="SELECT pgfit.linear_regression(y, ARRAY[a, b]) FROM all_rows"
ships "$fit" 'an aggregate over an array runs there'
is "$(sql "SELECT near(($fit), (SELECT pgfit.linear_regression(y, ARRAY[a, b]) FROM whole))")" t 'and gives the same model'
ships "SELECT name, pgfit.naive_bayes(part, ARRAY[a, b]) FROM all_rows GROUP BY name" 'groups too'
ships "SELECT pgfit.rmse(y, 3 * a) FROM all_rows" 'and metrics'
fit="SELECT pgfit.linear_regression(y, d, 'a + log(b + 1) + name') FROM all_rows AS d"
is "$(sql "SELECT near(($fit), (SELECT pgfit.linear_regression(y, d, 'a + log(b + 1) + name') FROM whole AS d))")" t 'with rows and a formula the rows are fetched: the same model'
is "$(sql "EXPLAIN (VERBOSE, COSTS off) $fit" | grep 'Remote SQL' | grep -c 'pgfit\.')" 0 'as the plan says'

# ---- partitions on two servers: each computes the moments of its own, and these merge here ----

parts="SELECT part, pgfit.moments(y, ARRAY[a, b]) AS s FROM parted GROUP BY part"
plan=$(sql "EXPLAIN (VERBOSE, COSTS off) SELECT pgfit.fit('linear_regression', pgfit.merge(s)) FROM ($parts) AS p")
is "$(grep -c 'Remote SQL: SELECT part, pgfit.moments(y, ARRAY\[a, b\])' <<<"$plan")" 3 'the moments of three partitions are computed there'
while read -r method number options; do
    is "$(sql "SELECT near((SELECT pgfit.fit('$method', pgfit.merge(s), '$options') FROM ($parts) AS p), (SELECT pgfit.$method(y, ARRAY[a, b]$number) FROM whole))" 2>&1)" t \
        "$method of the merged moments is that of all rows"
done <<'END'
linear_regression ,'{}' {}
ridge_regression ,0.5 {"lambda": 0.5}
lasso_regression ,0.1 {"lambda": 0.1}
END
is "$(sql "SELECT near((SELECT pgfit.fit('lda', pgfit.merge(s)) FROM (SELECT part, pgfit.class_moments(name, ARRAY[a, b]) AS s FROM parted GROUP BY part) AS p), (SELECT pgfit.lda(name, ARRAY[a, b]) FROM whole))")" t 'lda of class moments'
is "$(sql "SELECT near((SELECT pgfit.fit('pca', pgfit.merge(s), '{\"k\": 2}') FROM (SELECT part, pgfit.feature_moments(ARRAY[a, b, y]) AS s FROM parted GROUP BY part) AS p), (SELECT pgfit.pca(ARRAY[a, b, y], 2) FROM whole))")" t 'pca of feature moments'
is "$(sql "SELECT octet_length(s::text) < 2000 FROM ($parts) AS p WHERE part = 1")" t 'of 5,000 rows less than 2 kB are sent'
for server in there sql; do
    $server "CREATE TABLE kept (s pgfit.model)" && $server "INSERT INTO kept SELECT pgfit.moments(y, ARRAY[a, b], '{\"folds\": 3}') FROM $([ $server = there ] && echo 'remote_rows WHERE part > 0' || echo part_0)" || exit 1
done
sql "CREATE FOREIGN TABLE kept_there (s pgfit.model) SERVER other OPTIONS (table_name 'kept')" || exit 1
is "$(sql "SELECT md5(s::text) FROM kept_there")" "$(there "SELECT md5(s::text) FROM kept")" 'moments kept on both servers cross bit for bit'
is "$(sql "SELECT near((SELECT pgfit.fit('linear_regression', pgfit.merge(s)) FROM (TABLE kept UNION ALL TABLE kept_there) AS k),
                       (SELECT pgfit.linear_regression(y, ARRAY[a, b]) FROM whole))")" t 'and merge'

# ---- scoring there ----

sql "CREATE TABLE model AS SELECT pgfit.linear_regression(y, ARRAY[a, b]) AS m FROM whole" || exit 1
is "$(sql "SELECT count(*) FROM all_rows AS r JOIN whole AS w USING (i), model WHERE pgfit.predict(m, ARRAY[r.a, r.b]) = pgfit.predict(m, ARRAY[w.a, w.b])")" 20000 'rows from there score the same bits'
model=$(sql "SELECT quote_literal(m::text) FROM model")
ships "SELECT avg(pgfit.predict($model::pgfit.model, ARRAY[a, b])) FROM all_rows" 'a model that is a constant is sent there, and scores there'
is "$(sql "SELECT md5(string_agg(pgfit.predict($model::pgfit.model, ARRAY[a, b])::text, ',' ORDER BY i)) FROM all_rows")" \
    "$(sql "SELECT md5(string_agg(pgfit.predict(m, ARRAY[a, b])::text, ',' ORDER BY i)) FROM whole, model")" 'the same bits'
