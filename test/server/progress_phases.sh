#!/bin/bash
# Another session sees what each long fit is at: a phase of its own with units done or a loss, not "fitting" alone. Fits in closed form show the rows
# that they read. Every estimator is in one of the two lists.
. "$(dirname "$0")/lib.sh"
folder=$PGFIT_SCRATCH/phases
socket=$PGFIT_SCRATCH/h
mkdir "$folder" "$socket"
[ "$(id -u)" -ne 0 ] || chown "$PGFIT_SERVER_USER" "$folder" "$socket"
control() { as_server "$PGFIT_BINDIR/pg_ctl" -D "$folder/data" -w "$@" >/dev/null 2>&1; }
trap 'control -m immediate stop; rm -rf "$folder" "$socket"' EXIT
as_server "$PGFIT_BINDIR/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null 2>&1 || exit 1
control -o "-k $socket -c listen_addresses='' -p 5438 -c fsync=off -c shared_preload_libraries=pgfit -c max_parallel_workers_per_gather=0" -l "$folder/log" start ||
    { cat "$folder/log"; exit 1; }
export PGHOST=$socket PGPORT=5438 PGDATABASE=postgres PGUSER=postgres PGOPTIONS="-c client_min_messages=error -c pgfit.fit_mem=1GB -c jit=off"
sql "CREATE EXTENSION pgfit;
     CREATE TABLE deep AS SELECT i AS id, ARRAY[sin(i), cos(i * 1.7), sin(i * 0.3)] AS x FROM generate_series(1, 300000) AS i;
     CREATE TABLE few AS SELECT * FROM deep WHERE id <= 6000;
     CREATE TABLE wide AS SELECT i AS id, (SELECT array_agg(sin(i * 31.7 + j * 7.3 + sin(i::float8 * j))) FROM generate_series(1, 300) AS j) AS x FROM generate_series(1, 600) AS i;
     CREATE TABLE given AS SELECT pgfit.distance_matrix(a, b, abs(sin(a * 7.1 + b))) AS m FROM generate_series(1, 1000) AS a, generate_series(1, 1000) AS b WHERE a < b;
     -- What a running fit shows while it runs: its phase, once it is another one than the general ones (rows: once it has read some). Cancels it then.
     CREATE FUNCTION seen(of text, rows boolean) RETURNS text LANGUAGE plpgsql AS \$\$
     DECLARE report record; other boolean := false;
     BEGIN
         FOR i IN 1 .. 4000 LOOP
             SELECT * INTO report FROM pgfit.progress WHERE estimator = of;
             other := other OR report IS NOT NULL;
             IF (CASE WHEN rows THEN report.rows_read >= 1024 ELSE report.phase NOT IN ('reading rows', 'fitting', 'fitted') AND (report.done > 0 OR report.total > 0 OR report.loss IS NOT NULL) END) THEN
                 PERFORM pg_cancel_backend(report.pid);
                 RETURN report.phase;
             END IF;
             EXIT WHEN other AND report IS NULL;
             PERFORM pg_sleep(0.002);
         END LOOP;
         PERFORM pg_cancel_backend(report.pid);
         RETURN 'nothing but ' || coalesce(report.phase, 'the end');
     END \$\$" || exit 1

# estimator|what is fitted. The fits take seconds; they are canceled as soon as they have shown what they are at.
long='boosted_trees_classifier|id % 3, x FROM deep
boosted_trees_regression|id, x FROM deep
cox_regression|id, d, {"event": "event"} FROM deep, LATERAL (SELECT x, id % 3 = 0 AS event) AS d, generate_series(1, 3)
dbscan|id, x, {"radius": 0.1} FROM deep
distance_histogram|x FROM few, generate_series(1, 2)
elastic_net|id, x, {"lambda": "cv", "path": 1000} FROM wide
extra_trees_classifier|id % 3, x FROM deep
extra_trees_regression|id, x FROM deep
forest_classifier|id % 3, x FROM deep
forest_regression|id, x FROM deep
gaussian_mixture|x, 20 FROM deep
geometric_median|x FROM deep, generate_series(1, 3)
hdbscan|id, x FROM deep
hierarchical|id, x FROM few, generate_series(1, 2)
hierarchical|m FROM given, generate_series(1, 20)
huber_regression|sin(id * 7), x FROM deep, generate_series(1, 5)
isolation_forest|x, {"n_trees": 5000, "contamination": 0.1} FROM deep
isotonic_regression|id % 7919, x[1] FROM deep
kernel_kmeans|x, 5 FROM few WHERE id <= 3000
kernel_kmeans|x, 9, {"approximation": "nystroem"} FROM deep WHERE id <= 20000
kernel_pca|x, 9 FROM few
kernel_ridge|id, x FROM few
kernel_ridge|id, x, {"lambda": "cv", "approximation": "nystroem"} FROM deep
kmeans|x, 50 FROM deep
kmedoids|x, 20 FROM few
kmedoids|m, 100, {"n_init": 20} FROM given
knn_classifier|id % 3, x, {"k": "loo"} FROM deep
knn_regression|id, x FROM deep, generate_series(1, 3)
lasso_regression|id, x, {"lambda": "path", "path": 5000, "path_ratio": 1e-6} FROM wide
least_squares_classifier|id % 300, x FROM wide, generate_series(1, 5)
local_outlier_factor|id, x FROM deep
logistic_regression|sin(id * 7) > 0, x FROM deep, generate_series(1, 5)
mds|id, x FROM few WHERE id <= 3000
mean_shift|x FROM deep
medoid|x FROM deep
mixed_regression|y, f, {"formula": "a + (a | g) + (1 | h)"} FROM (SELECT id AS y, x[1] AS a, id % 900 AS g, id % 800 AS h FROM deep) AS f
nearest_exemplar|id % 3, x FROM deep
neighbors|id, x FROM deep, generate_series(1, 3)
one_class_svm|x FROM deep
optics|id, x FROM deep
perceptron|id % 3 = 0, x FROM deep
perceptron_regression|sin(id * 7), x FROM deep
platt_calibration|id % 2 = 0, x[1] FROM deep, generate_series(1, 5)
quantile_bins|x FROM deep, generate_series(1, 3)
gamma_regression|2 + sin(id * 7), x FROM deep, generate_series(1, 5)
glm|id % 2, x, {"link": "probit", "family": "binomial"} FROM deep, generate_series(1, 5)
negative_binomial_regression|id % 17, x FROM deep
poisson_regression|id % 17, x FROM deep, generate_series(1, 5)
tweedie_regression|id % 17, x FROM deep, generate_series(1, 5)
multiple_quantile_regression|sin(id * 7), x FROM deep
quantile_regression|sin(id * 7), x FROM deep, generate_series(1, 3)
ridge_regression|id, x, {"lambda": "path", "path": 10000} FROM wide
robust_scaler|x FROM deep, generate_series(1, 3)
svm_classifier|sin(id * 7) > 0, x FROM deep
svm_classifier|sin(id * 7) > 0, x, {"kernel": "rbf"} FROM deep WHERE id <= 20000
svm_classifier|id % 2, x, {"loss": "squared_hinge", "penalty": "l1", "C": 0.01} FROM wide, generate_series(1, 5)
svm_regression|sin(id * 7), x FROM deep
theil_sen|sin(id), x[1] FROM deep
tree_classifier|id % 3, x FROM deep, generate_series(1, 3)
tree_regression|id % 7919, x FROM deep, generate_series(1, 3)
tree_regression|id % 7919, x, {"criterion": "mae"} FROM deep'
closed='bayesian_regression|id, x
centroid|x
distance_matrix|id, id + 1, 1
isotonic_calibration|id % 2 = 0, x[1]
lda|id % 3, x
linear_regression|id, x
logistic_calibration|id % 2 = 0, x[1]
minmax_scaler|x
multivariate_normal|x
multivariate_regression|id, x
naive_bayes|id % 3, x
nearest_centroid|id % 3, x
one_hot|ROW(id % 9)
pca|x
polynomial_features|x
qda|id % 3, x
standard_scaler|x
target_encoder|id, ROW(id % 9)
total_least_squares|id, x'

# methods that neither list names
others=$(sql "SELECT name || CASE task WHEN 'regression' THEN '|sin(id * 7), x' WHEN 'classification' THEN '|id % 3, x' ELSE '|x' END || ' FROM deep'
              FROM pgfit.estimators()" | grep -vE "^($(printf '%s\n' "$long" "$closed" | cut -d '|' -f 1 | sort -u | paste -sd '|'))\|")
[ -z "$others" ] || long+=$'\n'$others
begin() { psql -X -q -A -t -c "SELECT pgfit.$1" >"$folder/out" 2>&1 </dev/null & }
# Prints what another session sees of a fit, which begins when that session looks.
observe() {
    sql "SELECT seen('$1', $2)" >"$folder/seen" 2>&1 &
    psql -X -q -A -t -c "SELECT pgfit.$3" >"$folder/out" 2>&1 </dev/null
    wait
    cat "$folder/seen"
}
while IFS='|' read -r name call; do
    [[ $call =~ ^(.*)(\{.*\})(.*)$ ]] && call="${BASH_REMATCH[1]}'${BASH_REMATCH[2]}'::jsonb${BASH_REMATCH[3]}"
    phase=$(observe "$name" false "$name(${call/ FROM /) FROM }")
    [[ $phase != 'nothing but'* && -n $phase ]]
    ok $? "$name shows its phase: $phase$(grep -v 'canceling statement' "$folder/out" | grep '^ERROR' | head -n 1)"
done <<<"$long"
while IFS='|' read -r name call; do
    is "$(observe "$name" true "$name($call) FROM deep, generate_series(1, 30)")" 'reading rows' "$name shows the rows it reads"
done <<<"$closed"
is "$(sql 'SELECT count(*) FROM pgfit.progress')" 0 'nothing is left'

# operations that run one query after another
begin "fit('logistic_regression', 'SELECT id % 2 AS y, x FROM deep, generate_series(1, 3)', 'y ~ x', '{\"passes\": true, \"tolerance\": 1e-300}') IS NULL"
for i in $(seq 400); do
    pass=$(sql "SELECT operation, step > 1, steps >= step, loss IS NOT NULL, pg_cancel_backend(pid) FROM pgfit.progress WHERE operation = 'pass' AND step > 1")
    [ -z "$pass" ] || break
done
wait
is "$pass" 'pass|t|t|t|t' 'a fit by passes shows the pass and the loss after the one before'
begin "train('t', 'boosted_trees_regression', 'deep', 'id ~ x') IS NULL"
for i in $(seq 400); do
    step=$(sql "SELECT operation, step, steps, estimator, pg_cancel_backend(pid) FROM pgfit.progress WHERE operation = 'training' AND estimator IS NOT NULL")
    [ -z "$step" ] || break
done
wait
is "$step" 'training|1|3|boosted_trees_regression|t' 'a training shows its step, and the fit in it'
psql -X -q -A -t -c "SELECT count(*) FROM pgfit.search('boosted_trees_regression', 'deep', 'id ~ x', '{\"max_depth\": [5, 10], \"n_trees\": [20, 40]}')" >"$folder/out" 2>&1 </dev/null &
for i in $(seq 400); do
    step=$(sql "SELECT operation, step >= 1, steps, pg_cancel_backend(pid) FROM pgfit.progress WHERE operation = 'candidate' AND estimator IS NOT NULL")
    [ -z "$step" ] || break
done
wait
is "$step" 'candidate|t|4|t' 'a search shows which candidate it is at'
is "$(sql 'SELECT count(*) FROM pgfit.progress')" 0 'nothing is left of them'
