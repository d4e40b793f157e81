-- Tables of bench/reduce.py: numbers around a few common factors.
SELECT setseed(0.5) AS seed \gset

SELECT format('CREATE TABLE reduce_%s AS SELECT i %% 1000 AS g, 0.0::float8 AS y, ARRAY[%s] AS x FROM (SELECT i, random() AS u, random() AS v '
              'FROM generate_series(1, %s) AS i OFFSET 0) f', d,
              (SELECT string_agg(format('%s * u + %s * v + random()', round(cos(j)::numeric, 3), round(sin(3 * j)::numeric, 3)), ', ')
               FROM generate_series(1, d) AS j), :rows)
FROM unnest(ARRAY[8, 50, 200]) AS d \gexec

CREATE TABLE reduce_models AS
SELECT 50 AS d, pgfit.pca(x, 10) AS pca, pgfit.multivariate_normal(x) AS normal FROM reduce_50;
