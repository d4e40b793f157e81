-- Tables of bench/perceptron.py: classes that overlap. psql variable: rows.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SELECT setseed(0.5) AS seed \gset

-- y: two classes, k: ten of them, neither separable by hyperplanes
SELECT format('CREATE TABLE percept_%s AS SELECT i, x, (x[1] + x[2] + x[3] + random() > 2)::int AS y, (10 * (x[1] + x[2]) / 2)::int %% 10 AS k '
              'FROM (SELECT i, ARRAY[%s] AS x FROM generate_series(1, %s) AS i OFFSET 0) f', d,
              (SELECT string_agg('random()', ', ') FROM generate_series(1, d)), (:rows * 10 / d)::bigint)
FROM unnest(ARRAY[10, 100]) AS d \gexec

CREATE TABLE percept_models AS
SELECT pgfit.nearest_centroid(y, x) AS centroid, pgfit.nearest_centroid(k, x) AS centroids, pgfit.least_squares_classifier(y, x) AS line,
    pgfit.least_squares_classifier(k, x, '{"multiclass": "ovo"}') AS pairs FROM percept_10 WHERE i <= 10000;
VACUUM ANALYZE;
