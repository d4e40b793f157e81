-- Tables of bench/named_distances.py: places, amounts with zeros, clusters, and a list of distances.
SELECT setseed(0.5) AS seed, (20000 * :scale)::int AS rows, (2000 * :scale)::int AS few \gset
SET pgfit.fit_mem = '2GB';
CREATE TABLE distances_places AS
SELECT i AS id, 0::float8 AS y, ARRAY[random() * 180 - 90, random() * 360 - 180] AS x FROM generate_series(1, :rows) AS i;
CREATE TABLE distances_amounts AS
SELECT i AS id, 0::float8 AS y, ARRAY(SELECT CASE WHEN random() < 0.7 THEN round(-20 * ln(1 - random())) ELSE 0 END FROM generate_series(1, 5) WHERE i = i) AS x
FROM generate_series(1, :rows) AS i;
CREATE TABLE distances_few AS
SELECT i AS id, 0::float8 AS y, ARRAY[i % 5 * 4 + bench_normal(), i % 3 * 4 + bench_normal(), bench_normal()] AS x FROM generate_series(1, :few) AS i;
CREATE TABLE distances_given AS
SELECT i AS id, 0::float8 AS y, ARRAY[i % 5 * 4 + bench_normal(), i % 3 * 4 + bench_normal(), bench_normal()] AS x FROM generate_series(1, (:few * 1.5)::int) AS i;
CREATE TABLE distances_pairs AS
SELECT a.id AS a, b.id AS b, pgfit.distance(a.x, b.x, 'euclidean') AS d FROM distances_given AS a JOIN distances_given AS b ON a.id < b.id;
CREATE TABLE distances_matrix AS SELECT pgfit.distance_matrix(a, b, d) AS m FROM distances_pairs;
CREATE TABLE distances_mixture AS SELECT pgfit.gaussian_mixture(x, 5) AS m FROM distances_few;
