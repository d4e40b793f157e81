-- Table and models of bench/serving.py.
SELECT setseed(0.25) AS seed \gset

CREATE TABLE serving AS
SELECT i AS id, random() AS a, random() AS b, random() AS c, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS k, random() AS y FROM generate_series(1, 100000) AS i;
ALTER TABLE serving ADD PRIMARY KEY (id);
SELECT pgfit.train('line', 'linear_regression', 'serving', 'y ~ a + b + c + k') \g /dev/null
SELECT pgfit.train('trees', 'boosted_trees_regression', 'serving', 'y ~ a + b + c + k') \g /dev/null
CREATE TABLE serving_model AS SELECT pgfit.get_model('line') AS model;
