-- A copy of the target, the target in another form, and identifiers among the features are named by every supervised estimator.
SET search_path = test, pgfit, public;
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = notice;
CREATE TABLE leaks AS
SELECT i, sin(i) + (i % 3) AS y, sin(i) + (i % 3) AS copy, 2.5 * (sin(i) + (i % 3)) - 1 AS other_unit, 'k' || i % 3 AS k, 'code ' || (i % 3 + 4) AS code,
       10 * (i % 3) AS number, cos(i * 1.3) AS x, cos(i * 0.7) AS z
FROM generate_series(1, 240) AS i;
-- a column equal to the target, one that is an affine function of it, and the number of the row
DO $$
DECLARE
    e record;
    features text;
BEGIN
    FOR e IN SELECT name, task = 'classification' AS labels FROM estimators() WHERE task IN ('regression', 'classification') AND name NOT LIKE 'ensemble%' ORDER BY name COLLATE "C" LOOP
        RAISE NOTICE '%', e.name;
        features := CASE WHEN e.name IN ('isotonic_regression', 'theil_sen') THEN 'copy' WHEN e.labels THEN 'number + x' ELSE 'x + copy' END;
        BEGIN
            EXECUTE format('SELECT %I(%s, l, %L) FROM leaks AS l', e.name, CASE WHEN e.labels THEN 'k' ELSE 'y' END,
                           jsonb_strip_nulls(jsonb_build_object('formula', features, 'lambda', CASE WHEN e.name ~ '^(ridge|lasso|elastic|logistic|kernel)' THEN 1 END,
                                                                'n_trees', CASE WHEN e.name ~ 'trees|forest' THEN 2 END,
                                                                'shrinkage', CASE WHEN e.name IN ('lda', 'qda') THEN 0.1 END)));
        EXCEPTION WHEN OTHERS THEN
            RAISE NOTICE '%', SQLERRM;
        END;
    END LOOP;
END $$;
-- forms of the target: from rows, and from moments alone
SELECT tree_regression(y, l, 'x + other_unit') IS NULL AS failed FROM leaks AS l;
SELECT ridge_regression(y, l, '{"formula": "x + other_unit", "lambda": 1}') IS NULL AS failed FROM leaks AS l;
SELECT tree_classifier(k, l, 'x + code + number') IS NULL AS failed FROM leaks AS l;
SELECT naive_bayes(k, l, 'x + code + number') IS NULL AS failed FROM leaks AS l;
SELECT tree_regression(number, l, 'x + code') IS NULL AS failed FROM leaks AS l;
SELECT linear_regression(number, l, 'x + code') IS NULL AS failed FROM leaks AS l;
-- the identifier, in any order of the rows
SELECT tree_regression(y, l, 'x + z + i') IS NULL AS failed FROM (SELECT * FROM leaks ORDER BY x) AS l;
SELECT linear_regression(y, l, 'x + z + i') IS NULL AS failed FROM (SELECT * FROM leaks ORDER BY x) AS l;
SELECT lda(k, l, 'x + z + i') IS NULL AS failed FROM leaks AS l;
SELECT tree_classifier(k, l, 'x + name') IS NULL AS failed FROM (SELECT *, 'row ' || i AS name FROM leaks) AS l;
SELECT naive_bayes(k, l, 'x + name') IS NULL AS failed FROM (SELECT *, 'row ' || i AS name FROM leaks) AS l;

-- no false alarm: too few rows, distinct numbers, a threshold, repetitions, unequal gaps, few exceptions, constants, a weak category
SELECT tree_classifier(k, l, 'x + number') IS NULL AS failed FROM leaks AS l WHERE i <= 12;
SELECT tree_regression(y, l, 'x + e') IS NULL AS failed FROM (SELECT *, exp(y) AS e FROM leaks) AS l;
SELECT tree_classifier(x > 0, l, 'x + z') IS NULL AS failed FROM leaks AS l;
SELECT tree_regression(y, l, 'x + j') IS NULL AS failed FROM (SELECT *, i / 2 AS j FROM leaks) AS l;
SELECT tree_regression(y, l, 'x + j') IS NULL AS failed FROM (SELECT *, 1000003 * i % 10000019 AS j FROM leaks) AS l;
SELECT naive_bayes(k, l, 'x + code + number') IS NULL AS failed
FROM (SELECT i, x, k, CASE WHEN i = 7 THEN 'code 4' ELSE code END AS code, CASE WHEN i = 7 THEN 0 ELSE number END AS number FROM leaks) AS l;
SELECT tree_classifier(k, l, 'x + code + number') IS NULL AS failed
FROM (SELECT i, x, k, CASE WHEN i = 7 THEN 'code 4' ELSE code END AS code, CASE WHEN i = 7 THEN 0 ELSE number END AS number FROM leaks) AS l;
SELECT linear_regression(0.0, l, 'x + code') IS NULL AS failed FROM leaks AS l;
SELECT tree_classifier(i = 100, l, 'x + c') IS NULL AS failed FROM (SELECT *, 'c' || i % 100 AS c FROM leaks WHERE i < 200) AS l;
-- without a target, identifiers are named where rows are compared, and chosen elements and single columns are not
SELECT kmeans(l, 2, 'x + z + i') IS NULL AS failed FROM (SELECT * FROM leaks ORDER BY x) AS l;
SELECT isolation_forest(l, '{"formula": "x + name", "n_trees": 2}') IS NULL AS failed FROM (SELECT *, 'row ' || i AS name FROM leaks) AS l;
SELECT local_outlier_factor(i, l, '{"formula": "x + z + i", "standardize": true}') IS NULL AS failed FROM leaks AS l;
SELECT neighbors(i, l, '{"formula": "x + i", "nulls": "skip"}') IS NULL AS failed FROM (SELECT i, nullif(x, x) AS x FROM leaks UNION ALL SELECT i, x FROM leaks) AS l;
SELECT kmeans(ARRAY[x, i], 2) IS NULL AS failed FROM leaks;
SELECT kmeans(l, 2, 'i') IS NULL AS failed FROM leaks AS l;
SELECT dbscan(i, l, '{"formula": "x + j", "radius": 1}') IS NULL AS failed FROM (SELECT *, i / 2 AS j FROM leaks) AS l;
-- nothing is said of windows, and of moments without a target
SELECT count(m) FROM (SELECT linear_regression(y, copy) OVER (ORDER BY i ROWS 9 PRECEDING) AS m FROM leaks WHERE i <= 40) AS w;
SELECT pca(l, 'x + z + i') IS NULL AS failed FROM leaks AS l;

-- a target of whole numbers that are no classes, and classes that are whole numbers
SELECT tree_classifier(price, l, '{"formula": "x", "max_depth": 2}') IS NULL AS failed FROM (SELECT *, 300 + i * 7 % 160 AS price FROM leaks) AS l;
SELECT tree_classifier(grade, l, '{"formula": "x", "max_depth": 2}') IS NULL AS failed FROM (SELECT *, i * 7 % 20 AS grade FROM leaks) AS l;
-- numbers that are kept as text; codes, few levels, and levels that a formula makes are something else
SELECT tree_regression(y, l, 'x + amount') IS NULL AS failed FROM (SELECT *, (i % 120)::text AS amount FROM leaks) AS l;
SELECT linear_regression(y, l, 'amount') IS NULL AS failed FROM (SELECT *, (i % 120 - 60.5)::text AS amount FROM leaks) AS l;
SELECT tree_regression(y, l, 'x + amount') IS NULL AS failed FROM (SELECT *, '0' || (i % 120)::text AS amount FROM leaks) AS l;
SELECT tree_regression(y, l, 'x + amount') IS NULL AS failed FROM (SELECT *, (i % 50)::text AS amount FROM leaks) AS l;
SELECT tree_regression(y, l, 'x + amount') IS NULL AS failed
FROM (SELECT *, CASE WHEN i % 2 = 0 THEN '+' ELSE '-' END || i % 120 || CASE i % 3 WHEN 0 THEN '.' WHEN 1 THEN '.25' ELSE '' END AS amount FROM leaks) AS l;
SELECT tree_regression(y, l, 'x + amount') IS NULL AS failed -- one of them is none
FROM (SELECT *, i % 110 || CASE WHEN i = 7 THEN '.5 m' ELSE '.5' END AS amount FROM leaks) AS l;
SELECT tree_regression(y, l, 'x + amount') IS NULL AS failed
FROM (SELECT *, CASE i WHEN 7 THEN '' WHEN 8 THEN '-' WHEN 9 THEN '.' WHEN 10 THEN '5./' WHEN 11 THEN '5:' WHEN 12 THEN '/5' ELSE (i % 110)::text END AS amount FROM leaks) AS l;
SELECT tree_regression(y, l, 'x + C(amount)') IS NULL AS failed FROM (SELECT *, i % 120 AS amount FROM leaks) AS l;
-- scales: once, where they matter
SELECT knn_regression(y, l, 'x + large') IS NULL AS failed FROM (SELECT *, 5000 * z AS large FROM leaks) AS l;
SELECT kmeans(l, '{"k": 2, "formula": "x + large"}') IS NULL AS failed FROM (SELECT *, 5000 * z AS large FROM leaks) AS l;
SELECT svm_classifier(x > 0, l, 'z + large') IS NULL AS failed FROM (SELECT *, 5000 * x AS large FROM leaks WHERE abs(x) > 0.1) AS l;
SELECT nearest_centroid(k, l, 'x + large') IS NULL AS failed FROM (SELECT *, 5000 * z AS large FROM leaks) AS l;
SELECT knn_regression(y, l, '{"formula": "x + large", "standardize": true}') IS NULL AS failed FROM (SELECT *, 5000 * z AS large FROM leaks) AS l;
SELECT knn_regression(y, l, '{"formula": "x + large", "metric": "mahalanobis"}') IS NULL AS failed FROM (SELECT *, 5000 * z AS large FROM leaks) AS l;
SELECT knn_regression(y, l, 'x + large') IS NULL AS failed FROM (SELECT *, 500 * z AS large FROM leaks) AS l;
SELECT tree_regression(y, l, 'x + large') IS NULL AS failed FROM (SELECT *, 5000 * z AS large FROM leaks) AS l;
DROP TABLE leaks;
-- no NOTICE: the first row is far away and weighs nothing beside the others
SELECT knn_classifier(k, ARRAY[a, b], '{}', w) IS NULL AS failed
FROM (SELECT 0 AS k, 1e12 AS a, 0 AS b, 1e-30 AS w UNION ALL SELECT i % 2, sin(i), cos(i), 1 FROM generate_series(1, 2000) AS i) AS s;
