-- Tables of bench/distances.py.
SELECT setseed(0.5) AS seed \gset
CREATE TABLE distances_10 AS
SELECT ARRAY(SELECT random() FROM generate_series(1, 10) WHERE i = i) AS a, ARRAY(SELECT random() FROM generate_series(1, 10) WHERE i = i) AS b
FROM generate_series(1, :rows) i;
SELECT 'CREATE TABLE distances_columns AS SELECT ' || string_agg(format('a[%s] AS a%s, b[%s] AS b%s', i, i, i, i), ', ') || ' FROM distances_10' FROM generate_series(1, 10) i \gexec
CREATE TABLE distances_names AS
SELECT md5(i::text) AS a, substr(md5(i::text), 3) || substr(md5((i + 1)::text), 1, 5) AS b FROM generate_series(1, :rows / 5) i;
CREATE TABLE distances_64 AS
SELECT 0::float8 AS y, ARRAY(SELECT random() FROM generate_series(1, 64) WHERE i = i) AS x FROM generate_series(1, :rows / 250) i;
