-- rows about 50 centers
SELECT setseed(0.5);
CREATE FUNCTION bench_gauss() RETURNS float8 LANGUAGE sql VOLATILE AS 'SELECT sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())';
CREATE TABLE tree_20k AS
SELECT i AS id, 0::float8 AS y, ARRAY(SELECT (i * j) % 50 / 5.0 + bench_gauss() FROM generate_series(1, 10) j) AS x
FROM generate_series(1, :rows / 50) i;
CREATE TABLE tree_100k AS
SELECT i AS id, ARRAY[i % 50 / 5.0 + bench_gauss(), i % 7 + bench_gauss()] AS x FROM generate_series(1, :rows / 10) i;
