#!/bin/bash
# Models that cross from one PostgreSQL version to another by a dump score the same bits and have the same text there. Needs a second version with its
# files for building extensions: /usr/lib/postgresql/*, or the pg_config that PGFIT_SECOND_CONFIG names.
. "$(dirname "$0")/lib.sh"

here=$(psql -X -q -A -t -d postgres -c "SELECT current_setting('server_version_num')::int / 10000")
second=${PGFIT_SECOND_CONFIG:-}
for candidate in /usr/lib/postgresql/*/bin/pg_config /usr/pgsql-*/bin/pg_config; do
    [ -z "$second" ] && [ -x "$candidate" ] && pg_config_complete "$candidate" && [ "$(pg_major "$candidate")" -ne "$here" ] && second=$candidate
done
if [ -z "$second" ]; then
    echo "ok - no second PostgreSQL version beside $here is installed: that models score the same bits there is not tested # SKIP"
    exit 0
fi

fresh_database pgfit_two_versions || exit 1
folder=$PGFIT_SCRATCH/two
socket=$PGFIT_SCRATCH/w
mkdir "$folder" "$folder/source" "$folder/scratch" "$socket"
[ "$(id -u)" -ne 0 ] || chown "$PGFIT_SERVER_USER" "$folder" "$socket"
first_bindir=$PGFIT_BINDIR
(cd "$repo" && find Makefile pgfit.control pgfit_distributed.control src sql scripts -type f ! -name '*.o' ! -name '*.d' | tar -cf - -T -) | tar -xf - -C "$folder/source"
make -s -C "$folder/source" -j "$(processors)" PG_CONFIG="$second" all >"$folder/build.log" 2>&1 || { tail -n 20 "$folder/build.log"; exit 1; }
scratch=$PGFIT_SCRATCH
PGFIT_SCRATCH=$folder/scratch
private_installation "$second"
make -s -C "$folder/source" PG_CONFIG="$second" install DESTDIR="$PGFIT_SCRATCH" >"$folder/build.log" 2>&1 || { tail -n 20 "$folder/build.log"; exit 1; }
chmod -R a+rX "$folder/scratch"
second_bindir=$PGFIT_BINDIR
PGFIT_SCRATCH=$scratch PGFIT_BINDIR=$first_bindir
trap 'as_server "$second_bindir/pg_ctl" -D "$folder/data" -w -m immediate stop >/dev/null 2>&1; rm -rf "$folder" "$socket"' EXIT
as_server "$second_bindir/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null 2>&1 || exit 1
as_server "$second_bindir/pg_ctl" -D "$folder/data" -o "-k $socket -c listen_addresses='' -p 5439 -c fsync=off" -w -l "$folder/log" start >/dev/null 2>&1 || { cat "$folder/log"; exit 1; }
there() { PGOPTIONS='-c client_min_messages=warning' psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$socket" -p 5439 -d postgres -U postgres -c "$1"; }

# one model of each kind of score, from formulas, rows and moments, and a served one
sql "CREATE TABLE stone AS SELECT i AS id, i % 40 / 10.0::float8 AS carat, sin(i)::float8 AS depth, (ARRAY['Fair', 'Good', 'Ideal'])[i % 3 + 1] AS cut, 100.0 * (i % 40) + i % 7 + 9 * sin(i * 7) AS price
         FROM generate_series(1, 600) AS i;
     CREATE TABLE models (name text PRIMARY KEY, m pgfit.model);
     INSERT INTO models SELECT 'linear_regression', pgfit.linear_regression(price, d, 'log(carat + 1) * cut + ns(depth, 3)') FROM stone AS d;
     INSERT INTO models SELECT 'boosted_trees_regression', pgfit.boosted_trees_regression(price, d, '{\"formula\": \"carat + cut + depth\", \"n_trees\": 20}') FROM stone AS d;
     INSERT INTO models SELECT 'kernel_ridge', pgfit.kernel_ridge(price, d, '{\"formula\": \"carat + depth\"}') FROM (SELECT * FROM stone WHERE id <= 200) AS d;
     INSERT INTO models SELECT 'knn_regression', pgfit.knn_regression(price, d, '{\"formula\": \"carat + depth\"}') FROM stone AS d;
     INSERT INTO models SELECT 'svm_regression', pgfit.svm_regression(price, d, '{\"formula\": \"carat + cut\"}') FROM stone AS d;
     INSERT INTO models SELECT 'isotonic_regression', pgfit.isotonic_regression(price, d, '{\"formula\": \"carat\"}') FROM stone AS d;
     CREATE TABLE classifiers (name text PRIMARY KEY, m pgfit.model);
     INSERT INTO classifiers SELECT 'logistic_regression', pgfit.logistic_regression(cut, d, 'carat + depth + price') FROM stone AS d;
     INSERT INTO classifiers SELECT 'qda', pgfit.qda(cut, d, 'carat + depth') FROM stone AS d;
     INSERT INTO classifiers SELECT 'naive_bayes', pgfit.naive_bayes(cut, d, 'carat + depth') FROM stone AS d;
     INSERT INTO classifiers SELECT 'forest_classifier', pgfit.forest_classifier(cut, d, '{\"formula\": \"carat + price\", \"n_trees\": 20}') FROM stone AS d;
     CREATE TABLE clusters AS SELECT pgfit.gaussian_mixture(d, '{\"k\": 3, \"formula\": \"carat + depth\"}'::jsonb) AS m FROM stone AS d;
     CREATE TABLE moments AS SELECT pgfit.moments(price, d, 'carat + cut') AS m FROM stone AS d;
     SELECT pgfit.train('price', 'linear_regression', 'public.stone', 'price ~ carat + cut')" >/dev/null || exit 1
PGOPTIONS='-c client_min_messages=warning' "$first_bindir/pg_dump" -d pgfit_two_versions --no-owner >"$folder/dump.sql" 2>"$folder/dump.log" || { cat "$folder/dump.log"; exit 1; }
PGOPTIONS='-c client_min_messages=warning' psql -X -q -v ON_ERROR_STOP=1 -h "$socket" -p 5439 -d postgres -U postgres -f "$folder/dump.sql" >"$folder/restore.log" 2>&1
ok $? "a dump of PostgreSQL $here is restored on $(there "SHOW server_version") $(grep -m 1 ERROR "$folder/restore.log")"

hex() { printf "encode(float8send(%s), 'hex')" "$1"; }
compare() { is "$(there "$2")" "$(sql "$2")" "$1"; }
compare 'the models have the same text' "SELECT md5(string_agg(m::text, ',' ORDER BY m::text COLLATE \"C\")) FROM (SELECT m FROM models UNION ALL SELECT m FROM classifiers UNION ALL SELECT m FROM clusters UNION ALL SELECT m FROM moments) AS q"
for name in $(sql 'SELECT name FROM models ORDER BY 1'); do
    compare "$name scores the same bits" "SELECT md5(string_agg($(hex 'pgfit.predict(m, d)'), ',' ORDER BY id)) FROM stone AS d, models WHERE name = '$name'"
done
for name in $(sql 'SELECT name FROM classifiers ORDER BY 1'); do
    compare "$name gives the same classes, and probabilities of the same bits" "SELECT md5(string_agg(pgfit.classify(m, d) || pgfit.probabilities(m, d)::text, ',' ORDER BY id)) FROM stone AS d, classifiers WHERE name = '$name'"
done
compare 'gaussian_mixture has densities of the same bits' "SELECT md5(string_agg($(hex 'pgfit.log_density(m, d)'), ',' ORDER BY id)) FROM stone AS d, clusters"
compare 'a served model scores the same bits' "SELECT md5(string_agg($(hex "pgfit.predict('price', d)"), ',' ORDER BY id)) FROM stone AS d"
compare 'its training summary is the same' "SELECT md5(pgfit.training_summary(pgfit.get_model('price'))::text)"
compare 'moments give the same model' "SELECT md5(pgfit.fit('linear_regression', m)::text) FROM moments"
compare 'a fit of the same rows in the same order is the same model' "SELECT md5(pgfit.linear_regression(price, d, 'carat + cut' ORDER BY id)::text) FROM stone AS d"
