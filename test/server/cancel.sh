#!/bin/bash
# Nothing runs on for more than 100 ms after a cancel, by statement_timeout in each phase of each fit. The best of five
# tries counts, and of ten more with a second between them, so that a busy machine is not mistaken for a slow answer: a
# phase that does not poll fails all of them.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_cancel || exit 1

sql "CREATE TABLE wide AS SELECT i AS id, (SELECT array_agg(sin(i * 31.7 + j * 7.3 + sin(i::float8 * j))) FROM generate_series(1, 600) AS j) AS x
     FROM generate_series(1, 3000) AS i;
     CREATE TABLE moments AS SELECT id % 8 AS part, pgfit.moments(id, x) AS e FROM wide GROUP BY 1;
     CREATE TABLE deep AS SELECT i AS id, ARRAY[sin(i), cos(i * 1.7), sin(i * 0.3)] AS x FROM generate_series(1, 1000000) AS i;
     CREATE VIEW many AS $(printf 'SELECT * FROM deep UNION ALL %.0s' $(seq 15)) SELECT * FROM deep;
     CREATE TABLE thousand AS SELECT pgfit.feature_moments(x) AS e
         FROM (SELECT (SELECT array_agg(sin(i * 3.7 + j * 7.3 + sin(i::float8 * j))) FROM generate_series(1, 1000) AS j) AS x FROM generate_series(1, 1500) AS i) q;
     CREATE TABLE model AS SELECT pgfit.linear_regression(id, x) AS m FROM wide;" || exit 1

# Prints the milliseconds from a cancel, $1 ms after the start, to the end of the statement $2 under the settings $3.
# Measured in the server: statement_timeout cancels a statement inside a DO block, which catches the error.
overrun() {
    psql -X -q -A -t -d "$PGDATABASE" <<SQL 2>&1 | grep -oE '^NOTICE:  -?[0-9]+|^ERROR.*' | sed 's/^NOTICE:  //'
${3:-}
SET jit = off; -- compiling answers no cancel
SET client_min_messages = notice;
SET statement_timeout = $1;
DO \$\$
BEGIN
    PERFORM set_config('client_min_messages', 'error', true);
    PERFORM * FROM ($2) AS t;
    PERFORM set_config('client_min_messages', 'notice', true);
    RAISE NOTICE '-1000';
EXCEPTION WHEN query_canceled THEN
    PERFORM set_config('client_min_messages', 'notice', true);
    RAISE NOTICE '%', round(extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000) - $1;
END \$\$;
SQL
}
# A machine so fast that the statement ends before $2 ms cancels it after half of that, and so on.
check() {
    local name=$1 after=$2 statement=$3 settings=${4:-} best=999999 ms= try
    for try in {1..15}; do
        [ "$try" -le 5 ] || sleep 1
        while ms=$(overrun "$after" "$statement" "$settings" | tail -n 1) && [ "$ms" = -1000 ] && [ "$after" -gt 10 ]; do
            after=$((after / 2))
        done
        [[ $ms =~ ^-?[0-9]+$ ]] || break
        [ "$ms" -ge "$best" ] || best=$ms
        [ "$best" -gt 100 ] || break
    done
    if ! [[ $ms =~ ^-?[0-9]+$ ]] || [ "$best" -lt 0 ]; then
        echo "not ok - $name ends before the cancel after $after ms ($ms)"
    else
        [ "$best" -le 100 ]
        ok $? "$name stops $best ms after a cancel"
    fi
}

# how fast the machine answers now
check 'count(x)' 200 'SELECT count(x) FROM many' 'SET max_parallel_workers_per_gather = 0;'
# each phase of the fits: reading rows, flushing blocks, merging, solving, iterating, scoring
check 'linear_regression, rows' 200 'SELECT pgfit.linear_regression(id, x) FROM many' 'SET max_parallel_workers_per_gather = 0;'
check 'linear_regression, rows in workers' 200 'SELECT pgfit.linear_regression(id, x) FROM many'
check 'linear_regression, 600 columns' 150 'SELECT pgfit.linear_regression(id, x) FROM wide, generate_series(1, 20)'
check 'merging moments of 600 columns' 150 'SELECT pgfit.merge(e) FROM moments, generate_series(1, 1000)'
check 'feature_summary' 200 'SELECT pgfit.feature_summary(f) FROM (SELECT id, x[1] AS a, x[2] AS b FROM many) AS f'
check 'class_moments' 200 'SELECT pgfit.class_moments(id % 7, x) FROM wide, generate_series(1, 100)'
check 'feature_moments' 200 'SELECT pgfit.feature_moments(x) FROM wide, generate_series(1, 100)'
check 'a moving window' 200 'SELECT count(m) FROM (SELECT pgfit.linear_regression(id, x) OVER (ORDER BY id ROWS 999 PRECEDING) AS m FROM deep) AS w' 'SET client_min_messages = error;'
# terms that are learned: rows kept by moments, rows in a file; learning, computing the terms, summing them
for after in 250 450; do
    check "a formula that learns, after $after ms" $after "SELECT pgfit.linear_regression(id, f, 'poly(a, 3) * b + ns(b, 4)') FROM (SELECT id, x[1] AS a, x[2] AS b FROM deep) AS f" "SET pgfit.fit_mem = '1GB'; SET max_parallel_workers_per_gather = 0;"
done
check 'a formula that learns, in workers' 350 "SELECT pgfit.linear_regression(id, f, 'scale(a) * c') FROM (SELECT id, x[1] AS a, 'l' || id % 20 AS c FROM deep) AS f" "SET pgfit.fit_mem = '1GB';"
check 'a formula that learns, rows in a file' 1000 "SELECT pgfit.logistic_regression(id % 2, f, 'bs(a, 6) * c') FROM (SELECT id, x[1] AS a, 'l' || id % 4 AS c FROM deep) AS f" "SET pgfit.fit_mem = '20MB';"
check 'a formula of 8,000 columns' 300 "SELECT pgfit.ridge_regression(id, f, 1, 'a:c:e') FROM (SELECT id, x[1] AS a, 'l' || id % 90 AS c, 'e' || id % 91 AS e FROM deep) AS f" "SET pgfit.fit_mem = '1GB';"
for after in 400 1500; do
    check "mixed_regression, crossed groups, after $after ms" $after "SELECT pgfit.mixed_regression(id, f, 'a + (a | g) + (1 | h)') FROM (SELECT id, x[1] AS a, id % 900 AS g, id * 7 % 997 AS h FROM deep) AS f" "SET pgfit.fit_mem = '1GB';"
done
check 'mixed_regression from moments of 90,000 groups' 900 "SELECT pgfit.fit('mixed_regression', m, 'y ~ a + b + (a + b | g)') FROM (SELECT pgfit.class_moments(g, f, '{\"formula\": \"y + a + b\", \"max_levels\": 100000}') AS m FROM (SELECT sin(id::bigint * id) AS y, x[1] AS a, x[2] AS b, id % 90000 AS g FROM deep) AS f) AS t" "SET pgfit.fit_mem = '1GB';"
check 'geometric_median, rows in memory' 300 'SELECT pgfit.geometric_median(x) FROM many' "SET pgfit.fit_mem = '1GB';"
check 'geometric_median, rows in a file' 1500 'SELECT pgfit.geometric_median(x) FROM many' "SET pgfit.fit_mem = '1MB';"
check 'pca, all components of 1,000 columns' 150 "SELECT g, pgfit.fit('pca', e, '{\"k\": 1000}') FROM thousand, generate_series(1, 50) AS g" "SET pgfit.fit_mem = '1GB';"
check 'pca, 20 components of 1,000 columns' 150 "SELECT g, pgfit.fit('pca', e, '{\"k\": 20}') FROM thousand, generate_series(1, 200) AS g" "SET pgfit.fit_mem = '1GB';"
check 'multivariate_normal, 1,000 columns' 150 "SELECT g, pgfit.fit('multivariate_normal', e) FROM thousand, generate_series(1, 200) AS g" "SET pgfit.fit_mem = '1GB';"
check 'gaussian_mixture, starts' 800 'SELECT pgfit.gaussian_mixture(x, 200) FROM deep'
check 'gaussian_mixture, iterations' 1500 "SELECT pgfit.gaussian_mixture(x, 50, '{\"init\": \"random\", \"tolerance\": 0}') FROM deep"
check 'gaussian_mixture, 600 columns' 500 "SELECT pgfit.gaussian_mixture(x, 4, '{\"init\": \"random\", \"tolerance\": 0}') FROM wide"
check 'gaussian_mixture, k of its own choice' 1500 "SELECT pgfit.gaussian_mixture(x, '{\"k\": \"auto\", \"max_k\": 60}'::jsonb) FROM deep"
check 'kmeans, references of the gap statistic' 1500 "SELECT pgfit.kmeans(x, '{\"k\": [1, 5], \"select\": \"gap\", \"n_init\": 1, \"gap_references\": 1000}'::jsonb) FROM deep"
for after in 300 1500; do
    check "fit by passes, after $after ms" $after "SELECT pgfit.fit('logistic_regression', 'SELECT id % 2 AS y, x FROM many', 'y ~ x', '{\"passes\": true}')"
done
check 'fit by passes, a support vector machine' 900 "SELECT pgfit.fit('svm_classifier', 'SELECT id % 2 AS y, x FROM many', 'y ~ x', '{\"passes\": true, \"loss\": \"squared_hinge\"}')"
check 'svm_step, 600 columns' 600 "SELECT pgfit_textbook.svm_step(id % 9, x, m) FROM wide, (SELECT pgfit_textbook.svm_start(pgfit.class_moments(id % 9, x), '{\"loss\": \"squared_hinge\"}') AS m FROM wide) AS s" "SET pgfit.fit_mem = '1GB';"
check 'fit by passes, from a sample' 3000 "SELECT pgfit.fit('kmeans', 'SELECT x FROM many', '~ x', '{\"passes\": true, \"k\": 20}')"
check 'sample' 500 'SELECT count(*) FROM pgfit.sample((SELECT pgfit.multivariate_normal(x) FROM deep), 100000000)'
check 'sample_numbers, 1,000 columns' 300 "SELECT count(*) FROM pgfit.sample_numbers((SELECT pgfit.fit('multivariate_normal', e, '{\"shrinkage\": 0.1}') FROM thousand), 1000000)" "SET pgfit.fit_mem = '1GB';"
check 'cross_validate, reading rows' 300 "SELECT pgfit.cross_validate(id, x, 'ridge_regression') FROM many" "SET pgfit.fit_mem = '1GB';"
check 'cross_validate, moments of folds' 450 "SELECT pgfit.cross_validate(id, x, 'ridge_regression') FROM deep, generate_series(1, 2)" "SET pgfit.fit_mem = '1GB';"
check 'cross_validate, fits of rows' 900 "SELECT pgfit.cross_validate(id % 2 = 0, x, 'forest_classifier') FROM deep" "SET pgfit.fit_mem = '1GB';"
check 'cross_validate, scores' 900 "SELECT pgfit.cross_validate(id, x, 'knn_regression', '{\"options\": {\"k\": 50}}') FROM deep" "SET pgfit.fit_mem = '1GB';"
check 'cross_validate, groups' 500 "SELECT pgfit.cross_validate(deep.id, f, 'linear_regression', '{\"group_column\": \"id\"}') FROM deep, LATERAL (SELECT x[1] AS a, deep.id) AS f" "SET pgfit.fit_mem = '1GB';"
check 'logistic_regression, cross-validation' 900 "SELECT pgfit.logistic_regression(id % 3 = 0, x, '{\"lambda\": \"cv\"}') FROM deep" "SET pgfit.fit_mem = '1GB';"
check 'lasso_regression, a path of 600 terms' 300 "SELECT pgfit.fit('lasso_regression', pgfit.merge(e), '{\"lambda\": \"path\", \"path\": 5000, \"path_ratio\": 1e-5}') FROM moments"
check 'ridge_regression, a path of 600 terms' 300 "SELECT pgfit.fit('ridge_regression', pgfit.merge(e), '{\"lambda\": \"path\", \"path\": 10000}') FROM moments"
check 'cross-validation of 600 terms' 600 "SELECT pgfit.elastic_net(id, x, '{\"lambda\": \"cv\", \"path\": 1000}'::jsonb) FROM wide"
# 30 MB of factors: copied, merged, and merged again for each fold that is held out
sql "SET pgfit.fit_mem = '1GB'; CREATE TABLE folded AS SELECT pgfit.moments(x[1], x[2:600] || x, '{\"folds\": 5}') AS e FROM wide" || exit 1
for after in 20 60 120 200; do
    check "cross-validation of 1,199 terms from moments, after $after ms" $after "SELECT pgfit.fit('ridge_regression', e, '{\"lambda\": \"cv\"}') FROM folded" "SET pgfit.fit_mem = '1GB';"
done
check 'total_least_squares, 600 columns' 150 "SELECT pgfit.fit('total_least_squares', pgfit.merge(e)) FROM moments, generate_series(1, 100) AS g GROUP BY g"
check 'neighbors, the order of the rows' 700 "SELECT g, pgfit.neighbors(id, x) FROM deep, generate_series(1, 3) AS g GROUP BY g" "SET pgfit.fit_mem = '1GB'; SET enable_sort = off;"
check 'perceptron, vectors that vote' 600 "SELECT pgfit.perceptron(id % 3 = 0, x, '{\"averaged\": \"voted\"}'::jsonb) FROM deep" "SET pgfit.fit_mem = '1GB';"
# passes of an interior point over many rows, in memory and in a file, and over many columns; Newton's steps
for after in 400 900; do
    check "svm_classifier, linear, after $after ms" $after "SELECT pgfit.svm_classifier(sin(id * 7) > 0, x) FROM deep" "SET pgfit.fit_mem = '1GB';"
done
check 'svm_regression, linear, rows in a file' 500 "SELECT pgfit.svm_regression(sin(id * 7), x) FROM deep" "SET pgfit.fit_mem = '100MB';"
check 'svm_classifier, linear, 600 columns' 300 "SELECT pgfit.svm_classifier(id % 2, x) FROM wide, generate_series(1, 5) AS g"
check 'svm_classifier, squared hinge and l1' 300 "SELECT pgfit.svm_classifier(id % 2, x, '{\"loss\": \"squared_hinge\", \"penalty\": \"l1\", \"C\": 0.01}') FROM wide, generate_series(1, 5) AS g"
# few rows of the matrix fit; all of them; rows set aside and computed again; the last digits
check 'svm_classifier, a small cache' 600 "SELECT pgfit.svm_classifier(id % 3 = 0, x, '{\"kernel\": \"rbf\", \"gamma\": 3}'::jsonb) FROM deep WHERE id <= 200000" "SET pgfit.fit_mem = '100MB';"
for after in 150 400 900; do
    check "svm_classifier with a kernel, after $after ms" $after "SELECT pgfit.svm_classifier(sin(id * 7) > 0, x, '{\"kernel\": \"rbf\", \"gamma\": 3, \"C\": 100}'::jsonb) FROM deep WHERE id <= 60000" "SET pgfit.fit_mem = '1GB';"
done
check 'svm_regression with a kernel' 600 "SELECT pgfit.svm_regression(sin(id * 7), x, '{\"kernel\": \"rbf\", \"nu\": 0.5}'::jsonb) FROM deep WHERE id <= 20000" "SET pgfit.fit_mem = '1GB';"
check 'one_class_svm' 600 "SELECT pgfit.one_class_svm(x) FROM deep" "SET pgfit.fit_mem = '1GB';"
# texts: one pair of long ones, n-grams of a long one, all pairs; a large Gram matrix as features
check 'subsequence_kernel' 200 "SELECT pgfit.subsequence_kernel(repeat('abc', 20000), repeat('acb', 20000))"
check 'spectrum_kernel' 200 "SELECT pgfit.spectrum_kernel(string_agg(md5(g::text), ''), 'abc') FROM generate_series(1, 300000) AS g"
check 'gram_matrix of texts' 400 "SELECT pgfit_textbook.gram_matrix(md5(g::text) || md5((g + 1)::text), 'subsequence') FROM generate_series(1, 3000) AS g" "SET pgfit.fit_mem = '1GB';"
check 'kernel_kmeans over texts' 600 "SELECT pgfit.kernel_kmeans(md5(g::text), 3, '{\"kernel\": \"subsequence\"}'::jsonb) FROM generate_series(1, 3000) AS g" "SET pgfit.fit_mem = '1GB';"
check 'perceptron with a kernel' 600 "SELECT pgfit.perceptron(id % 3 = 0, x, '{\"kernel\": \"rbf\"}'::jsonb) FROM deep WHERE id <= 30000" "SET pgfit.fit_mem = '1GB';"
# 5,000 rows: the kernel matrix, its factor, the inverse, one eigendecomposition after the other, products with the matrix
for after in 150 500 1200 2500; do
    check "kernel_ridge, after $after ms" $after "SELECT pgfit.kernel_ridge(id, x, '{\"lambda\": [0.1, 1, 10]}'::jsonb) FROM deep WHERE id <= 5000" "SET pgfit.fit_mem = '1GB';"
done
for after in 100 700 2000; do
    check "kernel_ridge, 1,500 landmarks, after $after ms" $after "SELECT pgfit.kernel_ridge(id, x, '{\"lambda\": \"cv\", \"approximation\": \"nystroem\", \"landmarks\": 1500}'::jsonb) FROM deep" "SET pgfit.fit_mem = '1GB';"
done
check 'svm_classifier, landmarks' 1500 "SELECT pgfit.svm_classifier(sin(id * 7) > 0, x, '{\"kernel\": \"rbf\", \"approximation\": \"nystroem\"}'::jsonb) FROM deep" "SET pgfit.fit_mem = '1GB';"
check 'kernel_kmeans, frequencies' 1500 "SELECT pgfit.kernel_kmeans(x, 20, '{\"approximation\": \"fourier\"}'::jsonb) FROM deep" "SET pgfit.fit_mem = '1GB';"
check 'kernel_ridge, eigenvalues' 800 "SELECT pgfit.kernel_ridge(id, x, '{\"lambda\": \"cv\", \"gamma\": \"cv\"}'::jsonb) FROM deep WHERE id <= 1000" "SET pgfit.fit_mem = '1GB';"
for after in 150 400 700; do
    check "kernel_pca, after $after ms" $after "SELECT pgfit.kernel_pca(x || x, 20, '{\"gamma\": 3, \"preimages\": true}'::jsonb) FROM deep WHERE id <= 5000" "SET pgfit.fit_mem = '1GB';"
done
check 'kernel_pca, all components' 700 "SELECT pgfit.kernel_pca(x, '{\"gamma\": 30}'::jsonb) FROM deep, generate_series(1, 20) AS g WHERE id <= 1000 GROUP BY g" "SET pgfit.fit_mem = '1GB';"
# the columns are sorted, then the levels of the tree follow one another, first large nodes, then many small ones
for after in 60 150 400 900; do
    check "tree_regression, after $after ms" $after 'SELECT pgfit.tree_regression(id % 7919, x) FROM deep, generate_series(1, 3)' "SET pgfit.fit_mem = '4GB';"
    check "tree_regression, absolute errors, after $after ms" $after "SELECT pgfit.tree_regression(id % 7919, x, '{\"criterion\": \"mae\"}') FROM deep" "SET pgfit.fit_mem = '4GB';"
done
check 'tree_classifier, categories and many classes' 800 "SELECT pgfit.tree_classifier(id % 200, ROW('l' || id % 997, 'm' || id % 499)) FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'tree_classifier, cross-validated pruning' 1500 "SELECT pgfit.tree_classifier(id % 3, x, '{\"prune\": \"cost_complexity\"}') FROM deep" "SET pgfit.fit_mem = '4GB';"
# large nodes first, then many small ones, then the rows out of the bag
for after in 100 400 1500; do
    check "forest_classifier, after $after ms" $after 'SELECT pgfit.forest_classifier(id % 3, x) FROM deep' "SET pgfit.fit_mem = '4GB';"
    check "forest_regression, after $after ms" $after "SELECT pgfit.forest_regression(id % 7919, x, '{\"importance\": \"permutation\"}') FROM deep" "SET pgfit.fit_mem = '4GB';"
    check "extra_trees_classifier, after $after ms" $after 'SELECT pgfit.extra_trees_classifier(id % 200, x) FROM deep' "SET pgfit.fit_mem = '4GB';"
done
# a model of 45 MB among the options: written as text, parsed, written in canonical form, hashed, read as a model. It is not compressed, because the server
# answers no cancel while it decompresses a value.
sql "SET pgfit.fit_mem = '4GB';
     CREATE TABLE begun (options jsonb);
     ALTER TABLE begun ALTER options SET STORAGE external;
     INSERT INTO begun SELECT jsonb_build_object('n_trees', 31, 'min_samples_leaf', 1, 'oob', false, 'start', m::jsonb)
     FROM (SELECT pgfit.extra_trees_regression(sin(id * 7.1), x, '{\"n_trees\": 30, \"min_samples_leaf\": 1, \"oob\": false}') AS m FROM deep WHERE id <= 100000) AS f;" || exit 1
for after in 100 250 400 550 700; do
    check "extra_trees_regression from a large model, after $after ms" $after 'SELECT pgfit.extra_trees_regression(sin(id * 7.1), x, options) FROM begun, deep' "SET pgfit.fit_mem = '4GB'; SET max_parallel_workers_per_gather = 0;"
done
sql "CREATE TABLE broad AS SELECT i AS id, (SELECT array_agg(sin(i * 31.7 + j * 7.3 + sin(i::float8 * j))) FROM generate_series(1, 800) AS j) AS x
     FROM generate_series(1, 4000) AS i" || exit 1
for after in 400 1500; do
    check "forest_regression, exact splits of 800 features, after $after ms" $after "SELECT pgfit.forest_regression(sin(id * 7.7), x, '{\"split\": \"exact\"}'::jsonb) FROM broad" "SET pgfit.fit_mem = '4GB';"
done
check 'forest_classifier, categories' 800 "SELECT pgfit.forest_classifier(id % 20, ROW('l' || id % 997, 'm' || id % 499)) FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'dbscan' 200 "SELECT pgfit.dbscan(id, x, '{\"radius\": 3}') FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'hdbscan' 300 "SELECT pgfit.hdbscan(id, x) FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'optics' 300 "SELECT pgfit.optics(id, x) FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'local_outlier_factor' 300 "SELECT pgfit.local_outlier_factor(id, x) FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'mean_shift, bandwidth' 300 'SELECT pgfit.mean_shift(x) FROM deep' "SET pgfit.fit_mem = '4GB';"
check 'mean_shift, seeds' 1000 "SELECT pgfit.mean_shift(x, '{\"bandwidth\": 3}') FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'nearest_exemplar, medoids' 900 "SELECT pgfit.nearest_exemplar(id % 3, x, '{\"metric\": \"bray_curtis\"}') FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'nearest_exemplar, geometric medians' 400 "SELECT pgfit.nearest_exemplar(id % 3, x, '{\"exemplar\": \"geometric_median\"}') FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'neighbor_graph' 2000 "SELECT count(*) FROM pgfit.neighbor_graph((SELECT pgfit.neighbors(id, x) FROM deep), 10)" "SET pgfit.fit_mem = '4GB';"
check 'isotonic_regression' 150 "SELECT pgfit.isotonic_regression(id % 7919, x[1]) FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'hierarchical, ward.D' 700 "SELECT pgfit.hierarchical(id, x, '{\"linkage\": \"ward.D\"}') FROM deep WHERE id <= 12000" "SET pgfit.fit_mem = '4GB';"
check 'hierarchical, neighbors' 700 "SELECT pgfit.hierarchical(id, x, '{\"linkage\": \"average\", \"connectivity\": 30}') FROM deep WHERE id <= 300000" "SET pgfit.fit_mem = '4GB';"
check 'mds' 700 "SELECT pgfit.mds(id, x) FROM deep WHERE id <= 4000" "SET pgfit.fit_mem = '4GB';"
check 'distance_matrix' 700 "SELECT pgfit.distance_matrix(a, b, 1) FROM generate_series(1, 5000) AS a, generate_series(1, 5000) AS b WHERE a < b" "SET pgfit.fit_mem = '4GB';"
sql "CREATE TABLE given AS SELECT pgfit.distance_matrix(a, b, abs(sin(a * 7.1 + b))) AS m FROM generate_series(1, 2000) AS a, generate_series(1, 2000) AS b WHERE a < b"
check 'kmedoids of given distances' 300 "SELECT pgfit.kmedoids(m, 200, '{\"n_init\": 20}') FROM given" "SET pgfit.fit_mem = '4GB';"
check 'isolation_forest' 300 "SELECT pgfit.isolation_forest(x, '{\"n_trees\": 5000, \"contamination\": 0.1}') FROM deep" "SET pgfit.fit_mem = '4GB';"
check 'knn_regression, leave-one-out' 1500 "SELECT pgfit.knn_regression(id, x, '{\"k\": \"loo\"}'::jsonb) FROM deep" "SET pgfit.fit_mem = '1GB';"
for after in 100 400 1200; do
    check "boosted_trees_regression, after $after ms" $after "SELECT pgfit.boosted_trees_regression(id, x) FROM deep" "SET pgfit.fit_mem = '1GB';"
    check "boosted_trees_classifier of many classes, after $after ms" $after "SELECT pgfit.boosted_trees_classifier(id % 50, x) FROM deep" "SET pgfit.fit_mem = '1GB';"
done
check 'boosted_trees_regression, medians' 800 "SELECT pgfit.boosted_trees_regression(id, x, '{\"loss\": \"absolute\"}') FROM deep" "SET pgfit.fit_mem = '1GB';"
sql "SET pgfit.fit_mem = '1GB';
     CREATE TABLE kept AS SELECT pgfit.neighbors(id, x, '{\"index\": \"ball_tree\", \"metric\": \"standardized_euclidean\"}') AS tree, pgfit.neighbors(id, x, '{\"index\": \"brute\"}') AS brute FROM deep;"
check 'neighbors, making a model ready' 150 'SELECT d FROM kept, deep, LATERAL (SELECT pgfit.distance(tree, x) AS d) AS t LIMIT 1'
sql "CREATE TABLE words AS SELECT i AS id, repeat(md5(i::text), 4) AS word, md5(i::text) AS short FROM generate_series(1, 4000) AS i;
     CREATE FUNCTION apart(a text, b text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN abs(length(a) - length(b)); END'"
for metric in edit damerau jaro_winkler 'public.apart(text,text)'; do
    check "silhouette by $metric" 300 "SELECT pgfit.silhouette(id % 3, word, '{\"metric\": \"$metric\"}') FROM words"
done
check 'damerau_distance of long texts' 150 "SELECT pgfit.damerau_distance(string_agg(short, ''), string_agg(word, '')) FROM words"
check 'jaro_winkler_distance of long texts' 150 "SELECT pgfit.jaro_winkler_distance(string_agg(short, ''), string_agg(word, '')) FROM words"
check 'neighbors, one model per row' 1000 'SELECT pgfit.distance(tree, x), pgfit.distance(brute, x) FROM kept, deep'
check 'neighbors of one row' 400 'SELECT count(pgfit.distance(brute, x)) FROM kept, deep'
check 'neighbors in blocks' 700 'SELECT count(n) FROM (SELECT pgfit.nearest_batch(brute, x, 10) OVER () AS n FROM kept, deep) AS t'
check 'search' 700 "SELECT * FROM pgfit.search('tree_regression', 'deep', 'id ~ x', '{\"max_depth\": [5, 10]}')" "SET pgfit.fit_mem = '4GB';"
check 'automl' 700 "SELECT * FROM pgfit.automl('deep', 'id', '{\"features\": \"x\", \"estimators\": [\"forest_regression\"]}')" "SET pgfit.fit_mem = '4GB';"
check 'predict' 200 'SELECT sum(pgfit.predict(m, x)) FROM model, wide, generate_series(1, 1000)'
# pictures: rows are read, sorted into colors, drawn, written and copied; each color is a layer of its own
for after in 200 600 1200; do
    check "plot, a color per row, after $after ms" $after "SELECT pgfit.plot(d, '{\"x\": \"a\", \"y\": \"b\", \"color\": \"c\"}') FROM (SELECT x[1] AS a, x[2] AS b, 'color ' || id AS c FROM deep WHERE id <= 300000) AS d" "SET pgfit.fit_mem = '4GB';"
done
check 'plot, 1,000,000 points as Vega-Lite' 500 "SELECT pgfit.plot(d, '{\"x\": \"id\", \"y\": \"b\", \"label\": \"id\", \"as\": \"vega\"}') FROM (SELECT id, x[2] AS b FROM deep) AS d" "SET pgfit.fit_mem = '4GB';"
check 'plot, a silhouette of a cluster per row' 600 "SELECT pgfit.plot(d) FROM (SELECT id AS number, 'c' || id AS cluster, x[1] AS own, x[2] AS other, x[1] AS silhouette, id AS id FROM deep WHERE id <= 300000) AS d" "SET pgfit.fit_mem = '4GB';"
check 'plot beside a model' 400 "SELECT pgfit.plot(m, d, '{\"y\": \"b\", \"color\": \"c\"}') FROM (SELECT x[1] AS a, x[2] AS b, 'color ' || id AS c FROM deep WHERE id <= 300000) AS d, (SELECT pgfit.linear_regression(x[2], e, 'a') AS m FROM (SELECT x, x[1] AS a FROM deep WHERE id <= 1000) AS e) AS f" "SET pgfit.fit_mem = '4GB';"
is "$(temporary_files)" 0 'no temporary file is left'
# at many moments of one fit
worst=0
for after in 20 60 110 170 240 320 410 510; do
    best=999999
    for _ in 1 2 3; do
        ms=$(overrun $after 'SELECT pgfit.linear_regression(id, x) FROM wide' | tail -n 1)
        [ "$ms" -ge "$best" ] || best=$ms
    done
    [ "$best" -le "$worst" ] || worst=$best
done
[ "$worst" -le 100 ]
ok $? "a fit of 600 columns stops at any moment (at most $worst ms after a cancel)"
