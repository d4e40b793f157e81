-- Tables of bench/classify.py: classes that overlap.
SELECT setseed(0.5) AS seed \gset

-- y has two classes, k has ten; neither are separable by hyperplanes.
SELECT format('CREATE TABLE classify_%s AS SELECT i, x, (x[1] + x[2] + x[3] + random() > 2)::int AS y, (10 * (x[1] + x[2]) / 2)::int %% 10 AS k '
              'FROM (SELECT i, ARRAY[%s] AS x FROM generate_series(1, %s) AS i OFFSET 0) f', d,
              (SELECT string_agg('random()', ', ') FROM generate_series(1, d)), (:rows * 10 / d)::bigint)
FROM unnest(ARRAY[10, 100]) AS d \gexec

CREATE TABLE classify_models AS
SELECT pgfit.nearest_centroid(y, x) AS centroid, pgfit.nearest_centroid(k, x) AS centroids, pgfit.least_squares_classifier(y, x) AS line,
    pgfit.least_squares_classifier(k, x, '{"multiclass": "ovo"}') AS pairs FROM classify_10 WHERE i <= 10000;
