-- twenty clusters that overlap, 8 features; psql variable: scale
SELECT setseed(0.25);
CREATE FUNCTION clustering_normal() RETURNS float8 LANGUAGE sql VOLATILE AS 'SELECT sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())';
CREATE TABLE clustering_centers AS
SELECT g, ARRAY(SELECT random() * 10 FROM generate_series(1, 8) WHERE g = g) AS c FROM generate_series(0, 19) AS g;
SELECT format('CREATE TABLE clustering_%s AS SELECT g::float8 AS y, ARRAY[%s] AS x FROM generate_series(1, (%s * %s)::int) AS i JOIN clustering_centers ON g = i %% 20', n,
    (SELECT string_agg(format('c[%s] + 2 * clustering_normal()', j), ', ') FROM generate_series(1, 8) AS j), n, :scale)
FROM unnest(ARRAY[2000, 10000, 20000, 100000]) AS n \gexec
