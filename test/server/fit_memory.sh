#!/bin/bash
# The memory of a fit of rows stays within pgfit.fit_mem: the rows that are kept and what the fit takes, counted together, may pass it by a
# quarter and 16 MB. A fit that needs more fails, saying what it needs. The process may hold 16 MB more, which malloc keeps or moves.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_fit_memory || exit 1

outcome_functions && sql "
CREATE TABLE words AS SELECT i AS id, i % 3 AS y, md5(i::text) || md5((i + 1)::text) AS word FROM generate_series(1, 60000) AS i;
CREATE TABLE numbers AS SELECT i AS id, i % 3 AS y, ARRAY[sin(i), cos(i * 1.7), sin(i * 0.3), sin(i * 0.77), cos(i * 0.123)] AS x
    FROM generate_series(1, 200000) AS i;
CREATE TABLE many_levels AS SELECT 'level ' || i % 8000 AS level FROM generate_series(1, 100000) AS i;
CREATE TABLE wide AS SELECT i % 7 AS y, (SELECT array_agg(sin(i * 31.7 + j * 7.3 + sin(i::float8 * j))) FROM generate_series(1, 600) AS j) AS x
    FROM generate_series(1, 700) AS i;
ANALYZE;" || exit 1

warm="SELECT count(*) FROM words WHERE word > '';
SELECT count(*) FROM numbers WHERE x[1] > 0;
SELECT count(*) FROM many_levels WHERE level > '';
SELECT pgfit.tree_classifier(y, x) FROM numbers WHERE id < 1000;"
# $1: name; $2: pgfit.fit_mem in MB; $3: how the statement $4 ends; $5: MB that its memory may grow by, else as above
check() { within "$1 within $2 MB" "$3" "${5:-$(($2 * 5 / 4 + 32))}" "$4" "SET pgfit.fit_mem = '$2MB';"; }
check 'one_hot of 8,000 levels' 8 done "SELECT pgfit.one_hot(row(level), '{\"max_levels\": 10000}') FROM many_levels" 16
check 'knn_classifier of texts' 32 done "SELECT pgfit.knn_classifier(y, word, '{\"metric\": \"edit\"}') FROM words WHERE id <= 30000" 64
check 'knn_classifier of more texts' 8 refused "SELECT pgfit.knn_classifier(y, word, '{\"metric\": \"edit\"}') FROM words"
check 'svm_classifier with a text kernel' 8 refused "SELECT pgfit.svm_classifier(y = 1, word, '{\"kernel\": \"spectrum\"}') FROM words WHERE id <= 3000"
check 'kernel_ridge with a text kernel' 32 done "SELECT pgfit.kernel_ridge(y, word, '{\"kernel\": \"spectrum\"}') FROM words WHERE id <= 600"
check 'kmedoids' 16 done "SELECT pgfit.kmedoids(x, 3) FROM numbers WHERE id <= 20000"
check 'kmedoids of texts' 16 done "SELECT pgfit.kmedoids(word, 3, '{\"metric\": \"edit\"}') FROM words WHERE id <= 300"
check 'tree_classifier' 16 done "SELECT pgfit.tree_classifier(y, x) FROM numbers WHERE id <= 50000"
check 'tree_classifier of noise' 16 done "SELECT pgfit.tree_classifier(hashint4(id) % 2 = 0, x) FROM numbers"
check 'tree_regression with a leaf per row' 16 done "SELECT pgfit.tree_regression(hashint4(id), x) FROM numbers WHERE id <= 100000"
check 'tree_classifier of more noise' 10 done "SELECT pgfit.tree_classifier(hashint4(id) % 2 = 0, x) FROM numbers" 21
check 'tree_regression of more rows' 8 refused "SELECT pgfit.tree_regression(hashint4(id), x) FROM numbers"
check 'forest_classifier' 16 done "SELECT pgfit.forest_classifier(y, x, '{\"n_trees\": 2, \"max_depth\": 8}') FROM numbers WHERE id <= 100000"
check 'forest_regression' 16 refused "SELECT pgfit.forest_regression(id, x, '{\"n_trees\": 50, \"min_samples_leaf\": 1}') FROM numbers"
check 'search' 16 done "SELECT * FROM pgfit.search('tree_regression', 'SELECT * FROM numbers WHERE id <= 100000', 'id ~ x', '{\"max_depth\": [5, 8]}')" 32
check 'cross_validate' 12 done "SELECT pgfit.cross_validate(id, x, 'tree_regression', '{\"folds\": 2}') FROM numbers WHERE id <= 150000" 24
check 'train' 16 done "SELECT * FROM pgfit.train('tree', 'tree_regression', 'SELECT * FROM numbers WHERE id <= 100000', 'id ~ x', '{\"max_depth\": 8}')" 32
check 'train of a name that serves' 20 done "SELECT t.* FROM generate_series(1, 2) AS i, LATERAL pgfit.train('noise', 'tree_regression', 'SELECT hashint4(id) AS y, x FROM numbers', 'y ~ x', ('{\"seed\": ' || i || '}')::jsonb) AS t" 64
check 'exact splits' 16 refused "SELECT pgfit.tree_regression(sin(id), x, '{\"split\": \"exact\"}') FROM numbers"
check 'ridge_regression of 600 columns, from moments' 16 refused "SELECT pgfit.ridge_regression(y, x, '{\"lambda\": \"cv\"}') FROM wide" 84
check 'ridge_regression of 600 columns, from moments' 64 done "SELECT pgfit.ridge_regression(y, x, '{\"lambda\": \"cv\"}') FROM wide"
