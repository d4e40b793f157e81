-- Tables of bench/trees.py: two classes that follow from three of ten features with noise, and a number from four.
SELECT setseed(0.5) AS seed, (200000 * :scale)::int AS rows \gset
CREATE TABLE trees_10 AS
SELECT i AS id, ((x[1] + x[2] * x[3] + 0.3 * random()) > 0.8)::int::float8 AS y, 3 * x[1] + sin(6 * x[2]) + x[3] * x[4] + random() AS v, x
FROM (SELECT i, ARRAY[random(), random(), random(), random(), random(), random(), random(), random(), random(), random()] AS x FROM generate_series(1, :rows) AS i) AS r;
CREATE TABLE trees_numbers AS SELECT id, v AS y, x FROM trees_10;
SET pgfit.fit_mem = '4GB';
CREATE TABLE trees_model AS SELECT pgfit.tree_classifier(y::int, x, '{"min_samples_leaf": 20}') AS m FROM trees_10;
