#!/bin/bash
# Classes and levels that make moments grow count against pgfit.fit_mem: above it the fit fails, saying what it needs. The
# memory of the backend stays within a few times the limit, because states grow by copying and the executor copies them again.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_moments_memory || exit 1

outcome_functions && sql "
CREATE FUNCTION row_of(i int) RETURNS float8[] LANGUAGE sql IMMUTABLE AS
    \$\$ SELECT ARRAY[i % 97, i % 89 * 1.5, i % 83 * 0.1, i % 79, i % 73, i % 71, i % 67, i % 61, i % 59, i % 53,
                     i % 47, i % 43, i % 41, i % 37, i % 31, i % 29, i % 23, i % 19, i % 17, (i % 13)::float8] \$\$;
CREATE TABLE many AS SELECT i, row_of(i) AS x FROM generate_series(1, 40000) AS i;
-- 4 MB each, with different classes
CREATE TABLE pieces AS SELECT i / 2000 AS part, pgfit.class_moments(i, x, '{\"max_levels\": 1000000}'::jsonb) AS e
    FROM many GROUP BY 1;
CREATE TABLE halves AS SELECT part / 3 AS half, pgfit.merge(e) AS e FROM pieces WHERE part < 6 GROUP BY 1;
ANALYZE;" || exit 1

warm='SELECT count(*) FROM many WHERE x[1] > 0;'
# $1: name; $2: how the statement $3 ends (refused, done); $4: more settings
check() { within "$1" "$2" 112 "$3" "SET pgfit.fit_mem = '16MB'; ${4:-}"; }
all='{"max_levels": 1000000}'
for estimator in naive_bayes nearest_centroid class_moments; do
    check "$estimator of 40,000 classes" refused "SELECT pgfit.$estimator(i, x, '$all'::jsonb) FROM many"
    check "$estimator of 5,000 classes" done "SELECT pgfit.$estimator(i % 5000, x, '$all'::jsonb) FROM many"
done
check 'naive_bayes of 300,000 classes of one feature' refused "SELECT pgfit.naive_bayes(i, row(i), '$all'::jsonb) FROM generate_series(1, 300000) AS i"
check 'classes of long labels' refused "SELECT pgfit.naive_bayes(repeat(chr(64 + i), 1000000), row(i)) FROM generate_series(1, 59) AS i"
for estimator in linear_regression moments; do
    check "$estimator over 59 levels of 10 MB" refused "SELECT pgfit.$estimator(i, row(repeat(chr(64 + i), 10000000))) FROM generate_series(1, 59) AS i"
done
check 'feature_moments over 59 levels of 10 MB' refused "SELECT pgfit.feature_moments(row(repeat(chr(64 + i), 10000000))) FROM generate_series(1, 59) AS i"
check 'kmeans over 59 levels of 10 MB' refused "SELECT pgfit.kmeans(row(i, repeat(chr(64 + i), 10000000)), 2) FROM generate_series(1, 59) AS i"
check 'long levels with imputing' refused "SELECT pgfit.linear_regression(i, row(nullif(i, 7), repeat(chr(64 + i), 10000000)), '{\"nulls\": \"impute\"}'::jsonb) FROM generate_series(1, 59) AS i"
check 'merging moments of 40,000 classes' refused "SELECT pgfit.fit('naive_bayes', pgfit.merge(e)) FROM pieces"
check 'merging moments of 4,000 classes' done "SELECT pgfit.fit('naive_bayes', pgfit.merge(e)) FROM pieces WHERE part < 2"
check 'merging two by two' refused "SELECT pgfit.merge(a.e, b.e) FROM halves AS a, halves AS b WHERE a.half < b.half"
# how much the leader has of its own rows when the states of the workers arrive is up to chance: 94 to 111 MB
within 'parallel workers' refused 160 "SELECT pgfit.naive_bayes(i, x, '$all'::jsonb) FROM many" \
    'SET pgfit.fit_mem = '"'16MB'"'; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;'
check '40 groups in a hash table, of 1,000 classes each' refused "SELECT i % 40, pgfit.class_moments(i, x, '$all'::jsonb) FROM many GROUP BY 1" 'SET enable_sort = off;'
check '40 groups one after the other' done "SELECT i % 40, pgfit.class_moments(i, x, '$all'::jsonb) FROM many GROUP BY 1" 'SET enable_hashagg = off;'
check '7 groups of three pieces of moments each' refused "SELECT part % 7, pgfit.fit('naive_bayes', pgfit.merge(e)) FROM pieces GROUP BY 1" \
    'SET enable_sort = off;'
check 'a window over 1,000 classes' refused "SELECT pgfit.class_moments(i % 1000, x[1:8], '{\"max_levels\": 100000}'::jsonb) OVER (ORDER BY i ROWS 1500 PRECEDING) FROM many WHERE i < 3000"
check 'a window over 20 classes' done "SELECT pgfit.naive_bayes(i % 20, x[1:3], '{\"too_few_rows\": \"null\"}'::jsonb) OVER (ORDER BY i ROWS 300 PRECEDING) FROM many WHERE i < 2000"
check 'raising pgfit.fit_mem lets it through' done "SELECT pgfit.naive_bayes(i % 10000, x, '$all'::jsonb) FROM many" "SET pgfit.fit_mem = '64MB';"
