-- Table of bench/ridge_loo.py: a tenth of the rows of other tables, because the fit keeps all rows.
SELECT setseed(0.25) AS seed \gset

SELECT format('CREATE TABLE ridge_loo_50 AS SELECT x[1] - 2 * x[11] + x[21] + 4 * random() AS y, x '
              'FROM (SELECT ARRAY[%s] AS x FROM (SELECT random() AS u FROM generate_series(1, %s) AS i OFFSET 0) f OFFSET 0) g',
              (SELECT string_agg('random() + u', ', ') FROM generate_series(1, 50)), greatest(1000, :rows / 10)) \gexec
