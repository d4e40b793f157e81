-- Table of bench/validation.py: a number, whose halves are two classes that overlap, and 10 features; a tenth of the rows of other tables.
SELECT setseed(0.25) AS seed \gset

SELECT format('CREATE TABLE validation_10 AS SELECT x[1] - 2 * x[5] + x[9] + random() AS y, x '
              'FROM (SELECT i, ARRAY[%s] AS x FROM generate_series(1, %s) AS i OFFSET 0) g',
              (SELECT string_agg('random()', ', ') FROM generate_series(1, 10)), greatest(1000, :rows / 10)) \gexec
