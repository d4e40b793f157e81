-- What tells rows apart may be small beside their numbers, and is not taken for rounding errors.
SET search_path = public, test, pgfit;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION noise(i int, j int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT hashint8extended(i, j)::float8 / 9223372036854775808.0 $$;
-- two columns that nearly agree, among 40: their difference is the target
SELECT d, count(*) FILTER (WHERE r < 0.999999) AS lost
FROM unnest('{1e-8,3e-9}'::float8[]) AS d, generate_series(1, 6) AS seed, LATERAL (
    SELECT r_squared(y, predict(m, x)) AS r
    FROM (SELECT noise(i, 1000 * seed) AS z, noise(i, 1000 * seed + 1) AS x0, (SELECT array_agg(noise(i, 1000 * seed + j)) FROM generate_series(2, 39) AS j) AS others
          FROM generate_series(1, 3000) AS i OFFSET 0) AS r,
         LATERAL (SELECT ARRAY[x0, x0 + d * z] || others AS x, ((x0 + d * z) - x0) / d AS y) AS row,
         (SELECT linear_regression(((x0 + d * z) - x0) / d, ARRAY[x0, x0 + d * z] || others) AS m
          FROM (SELECT noise(i, 1000 * seed) AS z, noise(i, 1000 * seed + 1) AS x0, (SELECT array_agg(noise(i, 1000 * seed + j)) FROM generate_series(2, 39) AS j) AS others
                FROM generate_series(1, 3000) AS i OFFSET 0) AS r) AS fitted) AS t
GROUP BY d ORDER BY d;
-- two clusters far from 0
SELECT far, (SELECT count(*) FILTER (WHERE cluster(m, far + j % 2) = cluster(m, far)) FROM generate_series(1, 40) AS j) AS in_the_first
FROM unnest('{0,1e5,1e6}'::float8[]) AS far, LATERAL (
    SELECT kernel_kmeans(far + i % 2 + 0.01 * noise(i, 1), '{"k": 2, "kernel": "linear"}') AS m FROM generate_series(1, 40) AS i) AS t ORDER BY far;
-- two classes of a feature on a small scale
SELECT scale, count(*) FILTER (WHERE classify(m, (i - 9.5) * scale) = (i >= 10)::text) AS right_ones
FROM unnest('{1,1e-8,1e-9,1e-10}'::float8[]) AS scale, generate_series(0, 19) AS i, LATERAL (
    SELECT svm_classifier(j >= 10, (j - 9.5) * scale) AS m FROM generate_series(0, 19) AS j) AS t
GROUP BY scale ORDER BY scale;
DROP FUNCTION noise;
