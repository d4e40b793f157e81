#!/bin/bash
# A fit by passes while others write: every pass reads the snapshot of the query. Nothing of a cancelled fit remains.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_passes || exit 1

sql "CREATE TABLE written AS SELECT i AS id, sin(i) AS a, cos(i * 3) AS b, sin(i) + 2 * sin(i * 11) > 0.3 AS y FROM generate_series(1, 200000) AS i;
     CREATE TABLE result (name text, rows int, m pgfit.model);" || exit 1
settings="SET max_parallel_workers_per_gather = 0; SET synchronize_seqscans = off;"
fit() { echo "INSERT INTO result SELECT '$1', (pgfit.info(m) ->> 'rows')::int, m FROM pgfit.fit('$2', 'written', '$3', '$4') AS m"; }
all() {
    fit "$1 logistic" logistic_regression 'y ~ a + b' '{"passes": true}'
    echo ';'
    fit "$1 machine" svm_classifier 'y ~ a + b' '{"passes": true, "loss": "squared_hinge", "C": 10}'
    echo ';'
    fit "$1 clusters" kmeans '~ a + b' '{"passes": {"sample": 1000}, "k": 7, "n_init": 1}'
}
sql "$settings $(all quiet)" >/dev/null

# others insert, update and delete rows without a pause
touch "$PGFIT_SCRATCH/writing"
while [ -e "$PGFIT_SCRATCH/writing" ]; do
    sql "INSERT INTO written SELECT -i, 100 * sin(i), -100, i % 2 = 0 FROM generate_series(1, 2000) AS i; UPDATE written SET a = a + 1 WHERE id % 997 = $((RANDOM % 997)); DELETE FROM written WHERE id % 991 = 5" >/dev/null
done &
writer=$!
sleep 0.5
busy=$(sql "$settings BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM written; SELECT (pgfit.info(pgfit.fit('logistic_regression', 'written', 'y ~ a + b', '{\"passes\": true}')) ->> 'rows');
      SELECT (pgfit.info(pgfit.fit('svm_classifier', 'written', 'y ~ a + b', '{\"passes\": true, \"loss\": \"squared_hinge\", \"C\": 10}')) ->> 'rows');
      SELECT pg_sleep(0.3); SELECT count(*) FROM written; COMMIT" | grep -E '^[0-9]+$' | sort -u | wc -l)
is "$busy" 1 'all passes of a transaction see the same rows'
# read committed: one snapshot per query, so the model is that of the aggregate over the rows that this query sees
same=$(sql "$settings SELECT bool_and(abs(p.estimate - a.estimate) < 1e-6 * abs(a.estimate)) FROM
    (SELECT pgfit.fit('logistic_regression', 'written', 'y ~ a + b', '{\"passes\": true}') AS p, (SELECT pgfit.logistic_regression(y, w, 'a + b') FROM written AS w) AS a OFFSET 0) AS f,
    LATERAL pgfit.coefficients(f.p) AS p JOIN LATERAL pgfit.coefficients(f.a) AS a USING (term)")
is "$same" t 'passes of one query see the rows that the query sees'
rm "$PGFIT_SCRATCH/writing"
wait $writer

# cancel in mid-training: no row of the result, no temporary file
sql "SET statement_timeout = 700; $(fit late kmeans '~ a + b' '{"passes": {"sample": 1000}, "k": 100, "max_iter": 1000, "tolerance": 0}')" >/dev/null 2>&1
is "$(sql "SELECT count(*) FROM result WHERE name = 'late'")" 0 'a cancelled fit leaves no model'
is "$(temporary_files)" 0 'a cancelled fit leaves no file'
is "$(sql "SELECT count(*), min(rows) FROM result")" '3|200000' 'the models before it stand'
