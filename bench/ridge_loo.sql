-- Table of bench/leave_out.py: a tenth of the rows of the others, since they are kept. psql variables: rows, scale.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SELECT setseed(0.25) AS seed \gset

SELECT format('CREATE TABLE leave_out_50 AS SELECT x[1] - 2 * x[11] + x[21] + 4 * random() AS y, x '
              'FROM (SELECT ARRAY[%s] AS x FROM (SELECT random() AS u FROM generate_series(1, %s) AS i OFFSET 0) f OFFSET 0) g',
              (SELECT string_agg('random() + u', ', ') FROM generate_series(1, 50)), greatest(1000, :rows / 10)) \gexec
VACUUM ANALYZE;
