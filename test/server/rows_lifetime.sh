#!/bin/bash
# Rows of a fit: their temporary file is deleted with the statement, however it ends, no file descriptor stays open, and
# memory stays within pgfit.fit_mem. FULL=1 uses the sizes that the manual promises.
. "$(dirname "$0")/lib.sh"
fresh_database pgfit_rows || exit 1

session_functions && sql "
CREATE FUNCTION descriptors() RETURNS bigint LANGUAGE sql VOLATILE AS
    \$\$ SELECT count(*) FROM pg_ls_dir('/proc/self/fd') \$\$;
CREATE FUNCTION row_of(i int) RETURNS float8[] LANGUAGE sql IMMUTABLE AS
    \$\$ SELECT ARRAY[i % 97, i % 89 * 1.5, i % 83 * 0.1, i % 79, i % 73, i % 71, i % 67, i % 61, i % 59, (i % 53)::float8] \$\$;
CREATE TABLE points AS SELECT i AS id, row_of(i) AS x FROM generate_series(1, 30000) AS i;
CREATE INDEX ON points (id);
ANALYZE points;" || exit 1

if [ "${FULL:-}" = 1 ]; then
    rescans=10000 streamed=1000000 groups=2000 group_rows=5000 budget=16MB
else
    rescans=400 streamed=200000 groups=500 group_rows=600 budget=2MB
fi

session <<SQL
SET pgfit.fit_mem = '16kB';
SELECT pgfit.geometric_median(x) IS NULL FROM points WHERE id < 0 \g /dev/null
SET work_mem = '64MB'; -- sorts have no files of their own

-- one file while a statement runs, none after it
BEGIN;
DECLARE c CURSOR FOR SELECT m FROM generate_series(1, 3) AS i, LATERAL
    (SELECT pgfit.geometric_median(x) AS m FROM points WHERE id BETWEEN i AND i + 900) AS fit;
FETCH 1 FROM c \g /dev/null
SELECT ok(files() = 1, 'rows past the budget go to one file');
FETCH 1 FROM c \g /dev/null
SELECT ok(files() = 1, 'a rescan has a file of its own, the last one is gone');
CLOSE c;
SELECT ok(files() = 0, 'a cursor closed early leaves none');
COMMIT;

SELECT ok(count(m) = $rescans AND files() <= 1, '$rescans rescans of a LATERAL subquery')
FROM generate_series(1, $rescans) AS i, LATERAL
    (SELECT pgfit.geometric_median(x) AS m FROM points WHERE id BETWEEN i AND i + 300) AS fit;
SELECT ok(files() = 0, 'no file after them');

-- two aggregates of one node share a file; each node has its own
BEGIN;
DECLARE c CURSOR FOR SELECT id % 7, pgfit.geometric_median(x), pgfit.geometric_median(x[1:3]) FROM points GROUP BY 1;
FETCH 1 FROM c \g /dev/null
SELECT ok(files() = 1, 'all groups and aggregates of a node share one file');
CLOSE c;
DECLARE c CURSOR FOR SELECT * FROM (SELECT id % 7, pgfit.geometric_median(x) FROM points GROUP BY 1) AS a,
    (SELECT id % 5, pgfit.geometric_median(x) FROM points GROUP BY 1 OFFSET 0) AS b;
FETCH 1 FROM c \g /dev/null
SELECT ok(files() BETWEEN 1 AND 2, 'each node has its own');
COMMIT;
SELECT ok(files() = 0, 'the end of the transaction leaves none');

-- savepoints
BEGIN;
SAVEPOINT a;
DECLARE c CURSOR FOR SELECT id % 7, pgfit.geometric_median(x) FROM points GROUP BY 1;
FETCH 1 FROM c \g /dev/null
SELECT ok(files() = 1, 'a file inside a savepoint');
ROLLBACK TO a;
SELECT ok(files() = 0, 'none after rolling back to it');
DECLARE c CURSOR FOR SELECT id % 7, pgfit.geometric_median(x) FROM points GROUP BY 1;
SAVEPOINT b;
FETCH 1 FROM c \g /dev/null
SELECT ok(files() = 1, 'an outer cursor read inside a savepoint');
ROLLBACK TO b;
SELECT pgfit.geometric_median(x) IS NULL FROM points \g /dev/null
COMMIT;
SELECT ok(files() = 0, 'none after the transaction');

-- errors while reading rows, in the fit, and of the file
SELECT ok(try('SELECT pgfit.geometric_median(ARRAY[1 / (id - 20000), id]) FROM points') = '22012', 'an error in a row');
SELECT ok(files() = 0, 'leaves no file, also while its transaction goes on');
SELECT ok(try('SELECT pgfit.geometric_median((x[1], id::text), ''{"max_levels": 100000}'') FROM points WHERE id < 20000') = '22000',
    'an error of the fit');
SELECT ok(files() = 0, 'leaves no file');
SET temp_file_limit = '512kB';
SELECT ok(try('SELECT pgfit.geometric_median(x) FROM points') = '53400', 'temp_file_limit stops a fit');
SELECT ok(try('SELECT pgfit.geometric_median(x) OVER () FROM points') = '53400', 'and a window');
RESET temp_file_limit;
SELECT ok(files() = 0, 'and leaves no file');

-- windows
BEGIN;
DECLARE c CURSOR FOR SELECT id, pgfit.geometric_median(x) OVER (PARTITION BY id % 4) FROM points;
FETCH 1 FROM c \g /dev/null
SELECT ok(files() >= 1, 'a window keeps rows in a file');
CLOSE c;
SELECT ok(files() = 0, 'closed early it leaves none');
COMMIT;
SELECT ok(count(m) = 2000 AND files() <= 1, 'frames that begin anew every row')
FROM (SELECT pgfit.geometric_median(x) OVER (ORDER BY id ROWS 300 PRECEDING) AS m FROM points LIMIT 2000) AS fits;
SELECT ok(count(m) = 200, 'windows in rescans') FROM generate_series(1, 20) AS i, LATERAL
    (SELECT pgfit.geometric_median(x) OVER (PARTITION BY id % 2) AS m FROM points
     WHERE id BETWEEN i AND i + 400 LIMIT 10) AS fit;
SELECT ok(try('SELECT 1 / (20000 - id), pgfit.geometric_median(x) OVER (PARTITION BY id / 5000) FROM points') = '22012',
    'an error between two partitions');
SELECT ok(files() = 0, 'none of them leaves a file');

-- grouping sets have several contexts in one node
SELECT ok(count(m) = 1 + 7 + 5, 'grouping sets')
FROM (SELECT pgfit.geometric_median(x) AS m FROM points GROUP BY GROUPING SETS ((), (id % 7), (id % 5))) AS fits;
SET enable_hashagg = off;
SELECT ok(count(m) = 1 + 7 + 5, 'sorted grouping sets')
FROM (SELECT pgfit.geometric_median(x) AS m FROM points GROUP BY GROUPING SETS ((), (id % 7), (id % 5))) AS fits;
RESET enable_hashagg;
SELECT ok(files() = 0, 'leave no file');

-- a cancel
SET statement_timeout = 150;
SELECT ok(try('SELECT pgfit.geometric_median(x) FROM points, generate_series(1, 1000)') = '57014', 'a cancel');
RESET statement_timeout;
SELECT ok(files() = 0, 'statement_timeout leaves no file');
CREATE FUNCTION pg_temp.trouble(times int) RETURNS bigint LANGUAGE sql AS \$\$
    SELECT count(try(statement)) FROM generate_series(1, times), (VALUES
        ('SELECT pgfit.geometric_median(ARRAY[1 / (id - 28000), id]) FROM points WHERE id > 24000'),
        ('SELECT 1 / (id - 20001), pgfit.geometric_median(x) OVER (PARTITION BY id / 1000) FROM points WHERE id > 19000'),
        ('SELECT count(m) FROM generate_series(1, 5) AS i, LATERAL
            (SELECT pgfit.geometric_median(x) AS m FROM points WHERE id BETWEEN i AND i + 300 LIMIT 1) AS fit'))
        AS s (statement) \$\$;
CREATE TEMP TABLE before (open bigint);
INSERT INTO before SELECT 0;
SELECT pg_temp.trouble(2) FROM before \g /dev/null
UPDATE before SET open = descriptors();
SELECT pg_temp.trouble(50) \g /dev/null
SELECT ok(descriptors() <= open, 'no descriptor stays open: ' || descriptors() || ' after, ' || open || ' before') FROM before;
SQL

session <<SQL
SET pgfit.fit_mem = '1MB';
SET jit = off; -- the compiler is larger than what is measured
SELECT pgfit.geometric_median(x) IS NULL FROM points \g /dev/null
CREATE TEMP TABLE before AS SELECT peak() AS mb;
CREATE TEMP TABLE result AS SELECT pgfit.geometric_median(row_of(i)) AS m
    FROM (SELECT generate_series(1, $streamed) AS i OFFSET 0) AS s;
SELECT ok(peak() - mb < 16, '$streamed rows of 10 stream with pgfit.fit_mem = 1MB: memory grows by ' || round((peak() - mb)::numeric, 1) || ' MB')
FROM before;
SELECT ok((pgfit.info(m) ->> 'rows')::int = $streamed AND (pgfit.info(m) ->> 'converged')::boolean, 'and the fit converges') FROM result;
SQL

session <<SQL
SET pgfit.fit_mem = '$budget';
SET jit = off;
SET work_mem = '64MB'; -- all groups at once, in one file
SET max_parallel_workers_per_gather = 0;
SELECT pgfit.geometric_median(x) IS NULL FROM points GROUP BY id % 3 \g /dev/null
CREATE TEMP TABLE before AS SELECT peak() AS mb;
CREATE TEMP TABLE result (g int, m pgfit.model);
BEGIN;
DECLARE c CURSOR FOR SELECT i % $groups AS g, pgfit.geometric_median(row_of(i)) AS m
    FROM (SELECT generate_series(1, $groups * $group_rows) AS i OFFSET 0) AS s GROUP BY 1;
FETCH 1 FROM c \g /dev/null
SELECT ok(files() = 1, '$groups groups of $group_rows rows share one file');
CREATE FUNCTION pg_temp.rest() RETURNS bigint LANGUAGE plpgsql AS \$\$
DECLARE c refcursor := 'c'; r record; n bigint := 1; fine boolean := true;
BEGIN
    LOOP
        FETCH c INTO r;
        EXIT WHEN NOT FOUND;
        n := n + 1;
        fine := fine AND (pgfit.info(r.m) ->> 'rows')::int = $group_rows;
    END LOOP;
    RETURN CASE WHEN fine THEN n ELSE -1 END;
END \$\$;
SELECT ok(pg_temp.rest() = $groups, 'every group has its rows');
COMMIT;
SELECT ok(peak() - mb < 64, 'memory grows by ' || round((peak() - mb)::numeric, 1) || ' MB with pgfit.fit_mem = $budget')
FROM before;
SELECT ok(files() = 0, 'no file is left');
SQL
is "$(temporary_files)" 0 'no temporary file is left in the server'
