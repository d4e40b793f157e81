#!/bin/bash
# Models and moments keep their bits through pg_dump and restore, plain and custom, and through COPY in text and binary.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_dump || exit 1

sql "CREATE TABLE model AS
     SELECT g, pgfit.linear_regression(x * g + sqrt(x), f) AS m, pgfit.moments(x * g + sqrt(x), f) AS e
     FROM generate_series(1, 2000) AS x, generate_series(1, 5) AS g,
          LATERAL (SELECT x / 7.0 AS a, ln(x) AS b, CASE x % 3 WHEN 0 THEN 'Ünïcode \"q\"' WHEN 1 THEN E'tab\\t' ELSE '' END AS c) AS f
     GROUP BY g;
     CREATE VIEW score AS
     SELECT g, x, pgfit.predict(m, f) AS p FROM model, generate_series(1, 50) AS x,
            LATERAL (SELECT x / 3.0 AS a, ln(x) AS b, CASE x % 2 WHEN 0 THEN '' ELSE E'tab\\t' END AS c) AS f;
     CREATE TABLE every (name text, m pgfit.model);
     CREATE INDEX ON model (m); CREATE INDEX ON model USING hash (e);
     CREATE MATERIALIZED VIEW refit AS SELECT g, pgfit.fit('ridge_regression', pgfit.merge(e), '{\"lambda\": 0.5}') AS m FROM model GROUP BY g;" || exit 1

# a model of every estimator, from rows with levels if it accepts them
while IFS='|' read -r estimator task; do
    target= features='ARRAY[a, b]' options='{}'
    [ "$estimator" != mixed_regression ] || continue # by a formula, below
    case $task in
    regression) target='y,' features='f' ;;
    classification) target='label,' features='f' ;;
    calibration) target='label,' features='a' ;;
    esac
    case $estimator in
    boosted_trees_*) options='{"n_trees": 5}' ;;
    target_encoder) target='y,' features='f' ;;
    one_hot | isolation_forest) features='f' ;;
    cox_regression) target='abs(y),' features='t' options='{"event": "label", "features": ["a", "b"]}' ;;
    isotonic_regression | theil_sen) features='a' ;;
    gamma_regression | negative_binomial_regression | poisson_regression | tweedie_regression) target='1 + abs(y),' ;;
    total_least_squares) features='ARRAY[a, b]' ;;
    neighbors | hierarchical | hdbscan | mds | optics | local_outlier_factor) target='id,' ;;
    dbscan) target='id,' options='{"radius": 2}' ;;
    esac
    case $estimator in
    logistic_regression) options='{"penalty": "l1", "lambda": "cv", "path": 5, "standardize": true}' ;;
    lasso_regression | elastic_net | ridge_regression) options='{"lambda": "cv", "path": 5, "standardize": true}' ;;
    kernel_ridge) options='{"lambda": "cv", "gamma": "cv", "loo": true}' ;;
    tree_classifier) options='{"prune": "cost_complexity", "smoothing": 1}' ;;
    tree_regression) options='{"min_samples_leaf": 5}' ;;
    svm_classifier | svm_regression) options='{"keep_support": true}' ;;
    forest_* | extra_trees_*) options='{"n_trees": 5}' ;;
    isolation_forest) options='{"n_trees": 5, "contamination": 0.1}' ;;
    kernel_pca) options='{"k": 3, "preimages": true}' ;;
    mean_shift) options='{"cluster_all": false, "standardize": true}' ;;
    kmeans | kmedoids | kernel_kmeans | gaussian_mixture) options='{"k": 3}' ;;
    esac
    sql "INSERT INTO every SELECT '$estimator', pgfit.$estimator($target $features, '$options'::jsonb ORDER BY id)
         FROM (SELECT id, id % 11 + sin(id) AS a, cos(id * id) AS b, 3 * sin(id) + id % 11 AS y, id % 11 + 4 * sin(id) > 6 AS label,
                      ROW(id % 11 + sin(id), cos(id * id), 'l' || id % 3) AS f FROM generate_series(1, 90) AS id) AS t"
done < <(sql 'SELECT name, task FROM pgfit.estimators()')
sql "INSERT INTO every SELECT 'ensemble', pgfit.ensemble(b.m, r.m) FROM every AS b, every AS r WHERE b.name = 'boosted_trees_regression' AND r.name = 'ridge_regression'"
sql "INSERT INTO every SELECT 'pipeline', pgfit.pipeline(o.m, s.m, s.m) FROM every AS o, (SELECT pgfit.standard_scaler(pgfit.transform_row(m, ROW(1, 2, 'l' || id))) AS m FROM every, generate_series(0, 2) AS id WHERE name = 'one_hot') AS s WHERE o.name = 'one_hot'"
# texts, and values of a function that models name, which a restore does not call
sql "CREATE FUNCTION apart(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT abs(a - b) + 0 * (SELECT count(*) FROM model)';
     INSERT INTO every SELECT 'texts', pgfit.neighbors(id, 'é' || id, '{\"metric\": \"damerau\"}'::jsonb ORDER BY id) FROM generate_series(1, 30) AS id;
     INSERT INTO every SELECT 'function', pgfit.kmedoids(id::float8, 3, '{\"metric\": \"apart(float8,float8)\"}'::jsonb ORDER BY id) FROM generate_series(1, 30) AS id"
sql "INSERT INTO every SELECT 'conformal ' || length(o), pgfit.fit('tree_regression', 'SELECT sin(id) AS a, cos(id) AS y, id % 3 AS g FROM generate_series(1, 90) AS id', 'y ~ a', ('{\"conformal\": ' || o || '}')::jsonb)
     FROM unnest(ARRAY['{\"method\": \"cv+\", \"folds\": 2, \"group\": \"g\"}', '{\"normalize\": \"linear_regression\"}']) AS o"
sql "INSERT INTO every SELECT 'distance_matrix', pgfit.distance_matrix(i, j, i * j % 7 + 1) FROM generate_series(1, 20) AS i, generate_series(1, 20) AS j WHERE i < j"
sql "INSERT INTO every SELECT n || ' of distances', CASE n WHEN 'hierarchical' THEN pgfit.hierarchical(m) WHEN 'kmedoids' THEN pgfit.kmedoids(m, 3) WHEN 'mds' THEN pgfit.mds(m) WHEN 'medoid' THEN pgfit.medoid(m) ELSE pgfit.dbscan(m, '{\"radius\": 2}') END FROM every, unnest('{hierarchical,kmedoids,mds,medoid,dbscan}'::text[]) AS n WHERE name = 'distance_matrix'"
# terms that were learned, from moments and from rows, and rows that wait for their formula
sql "CREATE VIEW colors AS SELECT id, 1 + id % 11 AS a, 2 + sin(id) AS b, 'l' || id % 3 AS c, 3 * sin(id) + id % 11 AS y FROM generate_series(1, 90) AS id;
     INSERT INTO every SELECT 'formula', pgfit.linear_regression(y, f, 'log(a) * c + poly(b, 2) + offset(a)') FROM colors AS f;
     INSERT INTO every SELECT 'mixed_regression', pgfit.mixed_regression(y * b, f, 'a + (1 | c)') FROM colors AS f;
     INSERT INTO every SELECT 'mixed_regression of moments', pgfit.fit('mixed_regression', pgfit.class_moments(c, f, 'a + b'), 'b ~ a + (a | c)') FROM colors AS f;
     INSERT INTO every SELECT 'formula of a tree', pgfit.tree_regression(y, f, 'scale(a):c + cut(b, 3)') FROM colors AS f;
     INSERT INTO every SELECT 'formula of rows', pgfit.moments(y, f, '{\"formula\": \"a * c\", \"keep_rows\": true}') FROM colors AS f" || exit 1
is "$(sql "SELECT string_agg(e.name, ' ') FROM pgfit.estimators() AS e LEFT JOIN every AS v ON v.name = e.name AND pgfit.info(m) ->> 'estimator' = e.name WHERE v.name IS NULL")" \
    '' 'there is a model of every estimator'

# and of the registry, with its grants
sql "SELECT FROM pgfit.train('price', 'ridge_regression', 'public.colors', 'y ~ a + b', '{\"lambda\": 0.5}'), pgfit.grant_model('price', 'public')" || exit 1

# a hash of everything that must not change
content="SELECT md5(string_agg(concat_ws(' ', g, x, encode(float8send(p), 'hex')), E'\\n' ORDER BY g, x)) FROM score
         UNION ALL SELECT md5(string_agg(m::text || e::text, E'\\n' ORDER BY g)) FROM model
         UNION ALL SELECT md5(string_agg(m::text, E'\\n' ORDER BY g)) FROM refit
         UNION ALL SELECT md5(string_agg(m::text || pgfit.summary(m), E'\\n' ORDER BY name)) FROM every
         UNION ALL SELECT md5(string_agg(n::text || r::text || encode(float8send(pgfit.predict(name, ROW(a, b))), 'hex'), '' ORDER BY id)) FROM pgfit.model_names AS n JOIN pgfit.registry AS r USING (name), colors"
before=$(sql "$content")
matches "$before" '^([0-9a-f]{32}.?){5}$' 'there is something to dump'

for format in plain custom directory; do
    dump=$PGFIT_SCRATCH/dump.$format
    pg_dump -F $format -f "$dump" pgfit_dump
    ok $? "pg_dump, $format"
    psql -X -q -d postgres -c 'DROP DATABASE IF EXISTS pgfit_restored' -c 'CREATE DATABASE pgfit_restored' 2>/dev/null
    if [ $format = plain ]; then
        psql -X -q -v ON_ERROR_STOP=1 -d pgfit_restored -f "$dump" >/dev/null
    elif [ $format = custom ]; then
        pg_restore --exit-on-error -d pgfit_restored "$dump"
    else # several tables at a time, in any order: the versions of a model may come before its name
        pg_restore --exit-on-error -j 2 -d pgfit_restored "$dump"
    fi
    ok $? "restored, $format"
    is "$(PGDATABASE=pgfit_restored sql "$content")" "$before" "scores, models, moments and refits are the same after a $format dump"
done

for form in text binary; do
    is "$(true \
        && psql -X -q -A -t -v ON_ERROR_STOP=1 -c "\\copy (SELECT * FROM model) TO '$PGFIT_SCRATCH/copy' WITH (FORMAT $form)" &&
        sql "CREATE TABLE copied (LIKE model)" &&
        psql -X -q -A -t -v ON_ERROR_STOP=1 -c "\\copy copied FROM '$PGFIT_SCRATCH/copy' WITH (FORMAT $form)" &&
        sql "SELECT count(*) FILTER (WHERE c.m OPERATOR(pgfit.=) d.m AND c.e OPERATOR(pgfit.=) d.e) FROM copied c JOIN model d USING (g)" && sql "DROP TABLE copied")" \
        5 "COPY in $form form gives the same models"
    is "$(true \
        && psql -X -q -A -t -v ON_ERROR_STOP=1 -c "\\copy every TO '$PGFIT_SCRATCH/copy' WITH (FORMAT $form)" &&
        sql "CREATE TABLE copied (LIKE every)" &&
        psql -X -q -A -t -v ON_ERROR_STOP=1 -c "\\copy copied FROM '$PGFIT_SCRATCH/copy' WITH (FORMAT $form)" &&
        sql "SELECT count(*) - count(*) FILTER (WHERE c.m OPERATOR(pgfit.=) e.m AND e.m::jsonb::pgfit.model OPERATOR(pgfit.=) e.m)
             FROM every AS e LEFT JOIN copied AS c USING (name)" && sql "DROP TABLE copied")" \
        0 "COPY in $form form and jsonb give the same models of every estimator"
done
is "$(sql "SELECT count(*) FROM (SELECT m FROM model UNION SELECT m::jsonb::pgfit.model FROM model) AS t")" 5 'jsonb gives the same models'
psql -X -q -d postgres -c 'DROP DATABASE pgfit_restored'
