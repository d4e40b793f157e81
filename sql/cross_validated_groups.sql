-- Groups too small for cross-validation do not kill a query with GROUP BY: with "too_few_rows": "null" they give NULL.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE batch AS
SELECT 'one' AS g, 1::float8 AS y, 2::float8 AS x, 3::float8 AS z, 1 AS part
UNION ALL SELECT 'two', i, i, i * i, i FROM generate_series(1, 2) AS i
UNION ALL SELECT 'three', i * i, i, sin(i), 2 FROM generate_series(1, 3) AS i
UNION ALL SELECT 'equal', 5, 2, 1, 3 FROM generate_series(1, 20)
UNION ALL SELECT 'constant features', i, 2, 1, i FROM generate_series(1, 20) AS i
UNION ALL SELECT 'constant target', 7, i, sin(i), i % 3 FROM generate_series(1, 20) AS i
UNION ALL SELECT 'no target', NULL, 2, 1, 1
UNION ALL SELECT 'good', 3 * i + sin(i * i), i, cos(i), i % 5 FROM generate_series(1, 30) AS i;
-- with some seeds some of these groups give NULL; every other one gives a model
CREATE FUNCTION test.models(fit text, options jsonb) RETURNS TABLE (g text, fitted bool) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT g, pgfit.%I(y, f, %L::jsonb) IS NOT NULL FROM batch, LATERAL (SELECT x, z, part) AS f GROUP BY g', fit, '{"too_few_rows": "null"}'::jsonb || options);
END $$;
SELECT name, g, count(*) AS fits, CASE WHEN g IN ('two', 'three') THEN bool_or(NOT fitted) ELSE bool_and(fitted) END AS some_null_or_all_fitted
FROM unnest(ARRAY['elastic_net', 'lasso_regression', 'ridge_regression']) AS name, generate_series(0, 19) AS seed,
    (VALUES ('{"folds": 2}'::jsonb), ('{}'), ('{"folds": 3, "standardize": true, "intercept": false}')) AS v (extra), models(name, extra || jsonb_build_object('lambda', 'cv', 'seed', seed))
GROUP BY 1, 2 ORDER BY name COLLATE "C", g COLLATE "C";
SELECT name, string_agg(g, ', ' ORDER BY g) FILTER (WHERE NOT fitted) AS without_model
FROM unnest(ARRAY['elastic_net', 'lasso_regression', 'ridge_regression']) AS name, models(name, '{"lambda": "cv", "fold_column": "part"}') GROUP BY name ORDER BY name COLLATE "C";
SELECT string_agg(g, ', ' ORDER BY g) FILTER (WHERE NOT fitted) AS loo_without_model FROM models('ridge_regression', '{"lambda": "loo"}');
-- stored moments too
SELECT g, fit('ridge_regression', merge(e), '{"lambda": "cv", "too_few_rows": "null"}'::jsonb) IS NULL AS passed_over FROM (SELECT g, moments(y, (x, z), '{"folds": 5}') AS e FROM batch WHERE g IN ('equal', 'good') GROUP BY g) AS m GROUP BY g ORDER BY g;
-- without the option such a group is an error that names it, and a lambda that is given needs no folds
SELECT try($$SELECT ridge_regression(y, (x, z), '{"lambda": "cv"}'::jsonb) FROM batch WHERE g = 'equal'$$);
SELECT try($$SELECT lasso_regression(y, f, '{"lambda": "cv", "fold_column": "k"}'::jsonb) FROM batch, LATERAL (SELECT x, 1 AS k) AS f WHERE g = 'two'$$);
SELECT try($$SELECT ridge_regression(y, (x, z), '{"lambda": "loo"}'::jsonb) FROM batch WHERE g = 'one'$$);
SELECT try($$SELECT ridge_regression(y, (x, z), '{"too_few_rows": "skip"}'::jsonb) FROM batch$$);
SELECT ridge_regression(y, (x, z), '{"lambda": 1, "too_few_rows": "null"}'::jsonb) IS NOT NULL AS given FROM batch WHERE g = 'one';

-- ridge with lambda 0 is least squares: dependent terms are dropped, and the hint is one that ridge_regression can follow
RESET client_min_messages;
SELECT info(ridge_regression(y, f, 0)) #> '{statistics,dropped_terms}' AS dropped FROM batch, LATERAL (SELECT x, 2 * x AS twice) AS f WHERE g = 'good';
SELECT info(linear_regression(y, f)) #> '{statistics,dropped_terms}' AS dropped FROM batch, LATERAL (SELECT x, 2 * x AS twice) AS f WHERE g = 'good';
DROP FUNCTION test.models;
DROP TABLE batch;
