-- Groups that cannot be fitted ("on_failure": "null"), warnings that come once per query, and errors that say which group.
SET search_path = public, test, pgfit;
SET enable_hashagg = off; -- so that the first group is always the same
CREATE TABLE shops AS
SELECT CASE WHEN i <= 40 THEN 'north' WHEN i <= 80 THEN 'south' WHEN i <= 82 THEN 'east' ELSE 'west' END AS region,
       CASE WHEN i > 83 OR i % 3 = 0 THEN 'closed' ELSE 'open' END AS label, i, sin(i) * 10 AS x, cos(i * 1.3) * 5 AS z, i * 0.5 + sin(i * 7) AS y, chr(97 + i % 4) AS level
FROM generate_series(1, 90) AS i;
ANALYZE shops; -- the order of the groups in a hash table, and so the first that fails, depends on how many are expected

-- one small group killed the query for all others
SELECT region, kmeans((x, z), 4) IS NOT NULL AS fitted FROM shops WHERE region LIKE 'east' GROUP BY region;
SELECT region, kmeans((x, z), 4, '{"on_failure": "null"}') IS NOT NULL AS fitted FROM shops GROUP BY region ORDER BY region;
SELECT region, lda(label, (x, z), '{"on_failure": "null"}') IS NOT NULL AS fitted FROM shops GROUP BY region ORDER BY region;
SELECT region, linear_regression(y, (x, z, x * z), '{"on_failure": "null"}') IS NOT NULL AS fitted FROM shops GROUP BY region ORDER BY region;
-- HAVING came too late, because every group is fitted before it is looked at; rows are kept out by a count in a window
SELECT try($$SELECT region, kmeans((x, z), 4) IS NOT NULL FROM shops GROUP BY region HAVING count(*) >= 4$$);
SELECT region, kmeans((x, z), 4) FILTER (WHERE n >= 4) IS NOT NULL AS fitted FROM (SELECT *, count(*) OVER (PARTITION BY region) AS n FROM shops) AS s GROUP BY region ORDER BY region;
SELECT region, kmeans((x, z), 4) IS NOT NULL AS fitted FROM (SELECT *, count(*) OVER (PARTITION BY region) AS n FROM shops) AS s WHERE n >= 4 GROUP BY region ORDER BY region;
-- the hint of a test advised HAVING all the same
SELECT try($$SELECT shapiro_test(x) FROM (VALUES (1), (2)) AS v(x)$$);

-- the error did not say which group: names of columns, values, several keys, NULL, expressions, rollup, long and odd values
SELECT region, svm_classifier(label, (x, z)) FROM shops WHERE label = 'open' GROUP BY region;
SELECT region, kmeans((x, z), 4) FROM shops WHERE region LIKE 'east' GROUP BY region, label IS NULL;
SELECT s.region AS area, kmeans((x, z), 4) FROM shops AS s WHERE region IN ('east', 'south') GROUP BY s.region ORDER BY area;
SELECT upper(region), kmeans((x, z), 4) FROM shops WHERE region = 'east' GROUP BY upper(region);
SELECT kmeans((x, z), 4) FROM (SELECT region AS r, x, z FROM shops WHERE region LIKE 'east') AS q GROUP BY r;
SELECT kmeans((x, z), 4) FROM shops WHERE region = 'east' GROUP BY nullif(region, 'east');
SELECT kmeans((x, z), 4) FROM shops WHERE region = 'east' GROUP BY repeat(region, 50);
SELECT kmeans((x, z), 4) FROM shops WHERE region = 'east' GROUP BY ROLLUP (region, i);
SELECT kmeans((x, z), 4) FROM shops WHERE region = 'east' GROUP BY GROUPING SETS ((i), ());
SELECT kmeans((x, z), 4) OVER (PARTITION BY region) FROM shops WHERE region LIKE 'east';
SELECT kmeans((x, z), 4) FROM shops WHERE region = 'east';
SELECT region, kmeans((x, z), 4) FROM shops JOIN (VALUES ('east'), ('none')) AS v (region) USING (region) GROUP BY region;
-- in a hash table, also one of several
BEGIN;
SET LOCAL enable_hashagg = on; SET LOCAL enable_sort = off;
SELECT region, kmeans((x, z), 4) FROM shops WHERE region LIKE 'east' GROUP BY region;
ROLLBACK;
BEGIN;
SET LOCAL enable_hashagg = on;
SELECT try($$SELECT count(*) FROM (SELECT kmeans((x, z), 4, '{"on_failure": "null"}') FROM shops GROUP BY GROUPING SETS ((region), (label, level), (region, level), ())) AS q$$);
ROLLBACK;
-- of moments, stored or not
SELECT region, qda(label, (x, z)) FROM shops WHERE region LIKE 'east' GROUP BY region;
SELECT region, fit('qda', merge(m)) FROM (SELECT region, class_moments(label, (x, z)) AS m FROM shops WHERE region = 'east' GROUP BY region) AS s GROUP BY region;

-- a WARNING per group flooded the client
SELECT count(m) FROM (SELECT kmeans((x, z), 4, '{"max_iter": 1}') AS m FROM shops WHERE i <= 80 GROUP BY region) AS q;
SELECT count(m) FROM (SELECT linear_regression(y, (x, x * 2)) AS m FROM shops WHERE i <= 80 GROUP BY region) AS q;
SELECT count(m) FROM (SELECT linear_regression(y, (x, x * 2)) OVER (ORDER BY i ROWS 9 PRECEDING) AS m FROM shops) AS q;
SELECT count(linear_regression) FROM (SELECT linear_regression(y, (x, x * 2)) FROM shops WHERE i <= 40) AS q;
-- and one per execution of a LATERAL subquery
SELECT count(m) FROM generate_series(1, 5) AS n, LATERAL (SELECT kmeans((x, z), n * 30, '{"on_failure": "null"}') AS m FROM shops) AS q;

-- moments, stored moments, windows, moving windows, parallel plans
CREATE TABLE stored AS SELECT region, i % 2 AS part, moments(y, (x, z)) AS m, class_moments(label, (x, z)) AS c FROM shops GROUP BY region, i % 2;
ANALYZE stored;
SELECT region, fit('linear_regression', merge(m), '{"on_failure": "null"}') IS NOT NULL AS fitted FROM stored GROUP BY region ORDER BY region;
SELECT region, fit('qda', merge(c), '{"on_failure": "null"}') IS NOT NULL AS fitted FROM stored GROUP BY region ORDER BY region;
SELECT count(m), count(*) FROM (SELECT qda(label, (x, z), '{"on_failure": "null"}') OVER (PARTITION BY region ORDER BY i ROWS 5 PRECEDING) AS m FROM shops) AS q;
SELECT count(m), count(*) FROM (SELECT kmeans((x, z), 4, '{"on_failure": "null"}') OVER (PARTITION BY region ORDER BY i ROWS 5 PRECEDING) AS m FROM shops) AS q;
SELECT count(m), count(*) FROM (SELECT fit('total_least_squares', merge(m) OVER (ORDER BY region, part), '{"on_failure": "null"}') AS m FROM stored) AS q;
BEGIN;
SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0; SET LOCAL min_parallel_table_scan_size = 0;
SELECT region, lda(label, (x, z), '{"on_failure": "null"}') IS NOT NULL AS fitted FROM shops GROUP BY region ORDER BY region;
COMMIT;
-- metrics that need rows
SELECT region, roc_auc(label, x, '{"on_failure": "null", "positive": "open"}') IS NOT NULL AS given FROM shops GROUP BY region ORDER BY region;

-- options that do not fit the rows of one group
SELECT region, svm_classifier(label, (x, z), '{"class_weight": {"open": 2}, "on_failure": "null"}') IS NOT NULL AS fitted FROM shops WHERE label = 'closed' OR region <> 'south' GROUP BY region ORDER BY region;
SELECT forest_regression(y, (x, z), '{"max_samples": 10, "on_failure": "null", "n_trees": 2}') IS NOT NULL AS fitted FROM shops GROUP BY region ORDER BY 1;
-- terms of a formula that are learned from the rows of the group
SELECT region, linear_regression(y, s, '{"formula": "poly(i, 3)", "on_failure": "null"}') IS NOT NULL AS fitted FROM shops AS s GROUP BY region ORDER BY region;
-- other errors are raised: wrong options, rows that cannot be read, errors in the arguments
SELECT try($$SELECT kmeans((x, z), 4, '{"on_failure": "skip"}') FROM shops GROUP BY region$$);
SELECT try($$SELECT kmeans((x, z), 4, '{"on_failure": "null", "init": [[1, 2]]}') FROM shops GROUP BY region$$);
SELECT try($$SELECT kmeans((x, 'NaN'::float8), 4, '{"on_failure": "null"}') FROM shops GROUP BY region$$);
SELECT try($$SELECT kmeans((x, 1 / (i - 5)), 4, '{"on_failure": "null"}') FROM shops GROUP BY region$$);
SELECT try($$SELECT kmeans((x, z), 4, '{"on_failure": "null", "nulls": "error"}') FROM (SELECT region, x, nullif(z, max(z) OVER ()) AS z FROM shops) AS s GROUP BY region$$);
-- a model does not keep the option
SELECT info(kmeans((x, z), 4, '{"on_failure": "null"}')) -> 'options' ? 'on_failure' AS kept, kmeans((x, z), 4, '{"on_failure": "null"}') = kmeans((x, z), 4) AS same FROM shops;
-- too_few_rows still works, silently and for too few rows alone
SELECT region, linear_regression(y, (x, z, x * z), '{"too_few_rows": "null"}') IS NOT NULL AS fitted FROM shops GROUP BY region ORDER BY region;

-- every estimator over groups too small or too uniform: none of them ends the query
CREATE TABLE tiny AS
SELECT 'one row' AS g, 'a' AS c, 1::float8 AS y, 2::float8 AS x, 3::float8 AS z
UNION ALL SELECT 'equal rows', 'a', 1, 2, 3 FROM generate_series(1, 5)
UNION ALL SELECT 'equal features', CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END, i, 2, 3 FROM generate_series(1, 5) AS i
UNION ALL SELECT 'one class', 'a', i, i, i * i FROM generate_series(1, 5) AS i
UNION ALL SELECT 'two rows', CASE i WHEN 1 THEN 'a' ELSE 'b' END, i, i, -i FROM generate_series(1, 2) AS i
UNION ALL SELECT 'huge', CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END, i * 1e307, i * 1e307, -i * 1e307 FROM generate_series(1, 9) AS i
UNION ALL SELECT 'dependent', CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END, i, i, i * 2 FROM generate_series(1, 5) AS i;
CREATE FUNCTION fits(name text, k int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    first text := (SELECT split_part(pg_get_function_arguments(p.oid), ' ', 1) FROM pg_proc p WHERE p.proname = name AND p.pronamespace = 'pgfit'::regnamespace
                   AND pg_get_function_arguments(p.oid) ~ '^((target|label|id) "any", )?features "any", options (pgfit\.)?call_options$');
    given jsonb := '{"on_failure": "null"}' || CASE WHEN EXISTS (SELECT FROM options(name) o WHERE o.name = 'k') THEN jsonb_build_object('k', k)
                                              WHEN EXISTS (SELECT FROM options(name) o WHERE o.name = 'radius') THEN '{"radius": 1}' ELSE '{}' END;
BEGIN
    RETURN (SELECT try(format('SELECT count(m) <= 7 FROM (SELECT g, pgfit.%I(%s%s, %L::jsonb) AS m FROM tiny GROUP BY g) AS q', name,
        CASE first WHEN 'features' THEN '' WHEN 'label' THEN 'c, ' ELSE 'y, ' END, CASE WHEN name ~ 'calibration' THEN 'x' ELSE '(x, z)' END, given)));
END $$;
SET client_min_messages = error;
SELECT e.name, k, fits(e.name, k) FROM estimators() e, (VALUES (1), (3), (50)) AS v (k) WHERE e.name NOT IN ('ensemble', 'mixed_regression', 'cox_regression', 'ordinal_regression') AND fits(e.name, k) <> 'ok: true';
RESET client_min_messages;

-- levels that the model has not seen were scored without a word
CREATE TABLE scored AS SELECT linear_regression(y, f) AS m, tree_regression(y, f) AS tree, knn_regression(y, f, 3) AS knn,
                              linear_regression(y, f, '{"unseen": "error"}') AS strict, linear_regression(y, f, '{"nulls": "impute"}') AS imputed
FROM shops AS s, LATERAL (SELECT s.level, s.region, s.x) AS f WHERE s.level <> 'd' AND s.region <> 'west';
SELECT count(predict(m, s)) FROM scored, shops AS s;
SELECT count(predict(tree, s)) FROM scored, shops AS s;
SELECT count(predict(knn, s)) FROM scored, shops AS s;
SELECT count(predict(m, s)) FROM scored, shops AS s WHERE i <= 2;
SELECT count(predict(m, s)) FROM scored, shops AS s WHERE i = 3;
SELECT count(predict(imputed, f)) FROM scored, shops AS s, LATERAL (SELECT nullif(s.level, 'a') AS level, s.region, s.x) AS f WHERE i <= 80;
-- calls in one query that score the same rows count them once
SELECT count(predict(m, s)), count((predict_interval(m, s, 0.9)).lower) FROM scored, shops AS s;
SELECT try('SELECT count(predict(strict, s)) FROM scored, shops AS s');
-- PL/pgSQL evaluates expressions outside of queries: the WARNING comes with the end of the block
DO $$
DECLARE m model := (SELECT m FROM scored); total float8 := 0;
BEGIN
    FOR i IN 1..5 LOOP total := total + predict(m, jsonb_build_object('level', 'z', 'region', 'north', 'x', i)); END LOOP;
END $$;
DROP TABLE shops, stored, tiny, scored;
DROP FUNCTION fits(text, int);
