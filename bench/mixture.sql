-- Tables of bench/mixture.py: ten clusters.
SELECT setseed(0.5) AS seed \gset
\set noise '(random() + random() + random() + random() - 2) * 1.7320508'

SELECT format('CREATE TABLE mixture_8 AS SELECT 0.0::float8 AS y, ARRAY[%s] AS x FROM generate_series(1, %s) AS i',
              string_agg(format('6 * sin(i %% 10 * %s) + %s', j, :'noise'), ', '), :rows)
FROM generate_series(1, 8) AS j \gexec

CREATE TABLE mixture_model AS SELECT pgfit.gaussian_mixture(x, 10, '{"max_iter": 2}') AS m FROM mixture_8;
