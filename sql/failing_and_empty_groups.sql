-- groups of which no row can be used are NULL too: the WARNING about failing groups counts them
SET search_path = public, pgfit;
SET enable_hashagg = off;
CREATE TEMP TABLE grouped AS
SELECT g, i, CASE WHEN g <= 3 THEN i::float8 END AS y, CASE WHEN g = 1 THEN i % 4 ELSE 1 END AS x, CASE WHEN g = 1 OR i = 1 THEN i % 2 END AS label
FROM generate_series(1, 10) AS g, generate_series(1, 6) AS i;
SELECT count(m) AS fitted, count(*) AS groups FROM (SELECT g, lda(label, ARRAY[x, y], '{"on_failure": "null"}') AS m FROM grouped GROUP BY g) AS f;
SELECT count(m) AS fitted, count(*) AS groups FROM (SELECT g, knn_classifier(label, ARRAY[x, y], '{"k": 5, "on_failure": "null"}') AS m FROM grouped GROUP BY g) AS f;
SELECT count(m) AS fitted, count(*) AS groups FROM (SELECT g, lda(label, ARRAY[x, y], '{"on_failure": "null"}') AS m FROM grouped WHERE g <= 3 GROUP BY g) AS f;
-- no failure, no WARNING
SELECT count(m) AS fitted, count(*) AS groups FROM (SELECT g, ridge_regression(y, x, '{"on_failure": "null"}') AS m FROM grouped GROUP BY g) AS f;
