-- Tables of bench/glm.py: counts and amounts whose logarithm of the mean is linear in ten features.
CREATE TABLE glm_10 AS SELECT floor(-ln(u) * m * 1.5)::float8 AS y, -ln(u) * m AS amount, x
FROM (SELECT x, exp(0.5 + 0.3 * x[1] - 0.2 * x[2] + 0.1 * x[3]) AS m, random() * 0.999998 + 0.000001 AS u
      FROM (SELECT ARRAY[bench_normal(), bench_normal(), bench_normal(), bench_normal(), bench_normal(), bench_normal(), bench_normal(), bench_normal(), bench_normal(), bench_normal()] AS x
            FROM generate_series(1, :rows)) AS r OFFSET 0) AS f;
CREATE VIEW glm_amounts AS SELECT amount AS y, x FROM glm_10;
