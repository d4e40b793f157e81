-- An edited model means the same everywhere, or is refused: coefficients that scores would not follow.
SET search_path = public, test, pgfit;
CREATE TABLE house AS SELECT i, sin(i) * 3 + 10 AS a, cos(i * 1.7) + 1e6 AS b, (ARRAY['x', 'y', 'z'])[i % 3 + 1] AS c, i % 7 + sin(i) AS y, i % 2 = 0 OR sin(i) > 0.5 AS yes FROM generate_series(1, 80) i;
CREATE TABLE plain AS
    SELECT 'linear' AS name, linear_regression(y, (a, b, c)) AS m FROM house
    UNION ALL SELECT 'linear numbers', linear_regression(y, (a, b)) FROM house
    UNION ALL SELECT 'linear no intercept', linear_regression(y, (a, c), '{"intercept": false}') FROM house
    UNION ALL SELECT 'dropped', linear_regression(y, (a, a * 2, c)) FROM house
    UNION ALL SELECT 'ridge', ridge_regression(y, (a, b, c), '{"lambda": 3}'::jsonb) FROM house
    UNION ALL SELECT 'ridge penalized intercept', ridge_regression(y, (a, b, c), '{"lambda": 3, "penalize_intercept": true}'::jsonb) FROM house
    UNION ALL SELECT 'lasso', lasso_regression(y, (a, b, c), '{"lambda": "cv", "folds": 3}'::jsonb) FROM house
    UNION ALL SELECT 'lasso at lambda', at_lambda(m, (SELECT lambda FROM lambda_path(m) OFFSET 50 LIMIT 1)) FROM (SELECT lasso_regression(y, (a, b, c), '{"lambda": "path"}'::jsonb) AS m FROM house) f
    UNION ALL SELECT 'ridge at lambda', at_lambda(m, (SELECT lambda FROM lambda_path(m) OFFSET 50 LIMIT 1)) FROM (SELECT ridge_regression(y, (a, b, c), '{"lambda": "path", "penalize_intercept": true}'::jsonb) AS m FROM house) f
    UNION ALL SELECT 'elastic net', elastic_net(y, (a, b, c), '{"lambda": 0.1}'::jsonb) FROM house
    UNION ALL SELECT 'total least squares', total_least_squares(y, (a, b)) FROM house
    UNION ALL SELECT 'imputed', linear_regression(y, (CASE WHEN i % 9 > 0 THEN a END, b, c), '{"nulls": "impute"}') FROM house
    UNION ALL SELECT 'logistic', logistic_regression(yes, (a, b, c)) FROM house
    UNION ALL SELECT 'softmax', logistic_regression(c, (a, b)) FROM house
    UNION ALL SELECT 'least squares', least_squares_classifier(c, (a, b)) FROM house;
-- untouched models come back as they are
SELECT name, m::text::model = m AND m::jsonb::text::model = m AS again FROM plain ORDER BY name COLLATE "C";
-- one number of an array is changed: accepted if only scores depend on it, otherwise refused
CREATE FUNCTION test.edited(m pgfit.model, array_name text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN old IS NULL THEN NULL ELSE regexp_replace(test.try(format('SELECT (%L::pgfit.model) IS NOT NULL',
        jsonb_set(m::jsonb, ARRAY['arrays', array_name] || CASE WHEN jsonb_typeof(old) = 'array' THEN ARRAY['0'] ELSE ARRAY['f64', '0'] END, '12.5'))), '^22P02: malformed model: ', '') END
    FROM (SELECT m::jsonb #> ARRAY['arrays', array_name] AS old) o
$$;
SELECT name, array_name, edited(m, array_name) FROM plain, unnest(ARRAY['coef', 'intercept', 'level_means', 'offset', 'center']) AS array_name WHERE edited(m, array_name) IS NOT NULL ORDER BY name COLLATE "C", array_name;
-- the list of categorical features, and a level that is no term
SELECT place, value, try(format('SELECT %L::model', jsonb_set(m::jsonb, place::text[], value::jsonb))) AS edited
FROM plain, (VALUES ('{arrays,level_slots,i64,0}', '7'), ('{arrays,level_slots,i64,0}', '1'), ('{arrays,coef,3}', '7')) AS edit (place, value) WHERE name = 'linear';
DROP FUNCTION test.edited;
DROP TABLE house, plain;
