-- Weights whose sum exceeds the range of doubles: 22003 that names the weights, for moments, fits from moments and steps by passes.
SET search_path = public, test, pgfit, pgfit_textbook;
SET client_min_messages = error;
CREATE TABLE heavy AS SELECT i, i % 2 AS c, i % 3 = 0 AS b, i::float8 AS x, sin(i) AS y, (ARRAY['u', 'v', 'w'])[i % 3 + 1] AS t FROM generate_series(1, 12) AS i;
CREATE TABLE begun AS
SELECT kmeans((x, y), 2, '{"max_iter": 1}') AS k, gaussian_mixture((x, y), 2, '{"max_iter": 1}') AS g,
    (SELECT logistic_start(e) FROM (SELECT class_moments(b, (x, y)) AS e FROM heavy) AS m) AS l FROM heavy;
CREATE FUNCTION test.heavy_fits() RETURNS TABLE (name text, call text) LANGUAGE sql AS $$
    VALUES ('moments', 'moments(y, (x, t), ''{}'', W)'), ('moments, imputing', 'moments(y, (x, t), ''{"nulls": "impute"}'', W)'), ('moments in folds', 'moments(y, (x, t), ''{"folds": 3}'', W)'),
        ('moments, rows kept', 'moments(y, (x, t), ''{"keep_rows": true}'', W)'), ('class_moments', 'class_moments(c, (x, t), ''{}'', W)'), ('class_moments, fourth', 'class_moments(c, (x, y), ''{"fourth_moments": true}'', W)'),
        ('feature_moments', 'feature_moments((x, t), ''{}'', W)'), ('nearest_centroid', 'nearest_centroid(c, (x, y), ''{}'', W)'), ('linear_regression', 'linear_regression(y, (x, t), ''{}'', W)'),
        ('multivariate_normal', 'multivariate_normal((x, y), ''{}'', W)'), ('kmeans_step', 'kmeans_step((x, y), k, W)'), ('mixture_step', 'mixture_step((x, y), g, W)'), ('logistic_step', 'logistic_step(b, (x, y), l, W)')
$$;
-- the results can be read back
CREATE FUNCTION test.heavy_try(call text, weight text, source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE problem text; hint text; good bool;
BEGIN
    EXECUTE format('SELECT s::text::pgfit.model::text = s::text AND s::jsonb::text::pgfit.model::text = s::text AND pgfit.info(s) IS NOT NULL AND pgfit.summary(s) IS NOT NULL FROM (SELECT %s AS s FROM %s GROUP BY k::text, g::text, l::text, k, g, l) AS q',
        replace(call, 'W', weight), source) INTO good;
    RETURN CASE WHEN good THEN 'reads back' ELSE 'differs' END;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ': ' || SQLERRM || '; ' || hint;
END $$;
SELECT name, heavy_try(call, '1e308', 'heavy, begun') AS summed FROM heavy_fits() ORDER BY name COLLATE "C";
-- merged from parts that are finite, a large part and a small one, and sums close to the limit and to 0
SELECT name, heavy_try(call, 'CASE i WHEN 1 THEN 1.7e308 WHEN 12 THEN 1e307 ELSE 1 END', 'heavy, begun') AS uneven FROM heavy_fits() ORDER BY name COLLATE "C";
SELECT count(*) FILTER (WHERE result = 'reads back' OR result ~ '^22003: |^22000: the covariance is singular') AS sound, count(*) FILTER (WHERE result LIKE '%XX%' OR result LIKE '22P02%') AS unreadable, count(*) AS tried
FROM heavy_fits(), unnest(ARRAY['1e307', '3e153', '1e-320', '1e-300', 'CASE i WHEN 1 THEN 1e308 ELSE 1e-308 END', '10 ^ (300 - 50 * i)']) AS weight, heavy_try(call, weight, 'heavy, begun') AS result;
SELECT try($$SELECT merge(e) FROM (SELECT moments(y, (x, t), '{}', 3e307) AS e FROM heavy WHERE i % 3 < 2 GROUP BY i % 3) AS parts$$), try($$SELECT merge(e) FROM (SELECT class_moments(c, (x, y), '{}', 3e307) AS e FROM heavy WHERE i < 9 GROUP BY i % 2) AS parts$$);
SELECT try($$SELECT linear_regression(y, x, '{}', 1e-320) FROM heavy$$) AS tiny;
-- naive_bayes took features for constant where the product of two weights has no double
SELECT w::text, max(abs(probability(m, (x, y)) - probability(light, (x, y)))) < 1e-12 AS as_light FROM heavy, unnest(ARRAY[1e160::float8, 1e300, 1e-300]) AS w,
    LATERAL (SELECT naive_bayes(c, (x, y), '{}', w) AS m, naive_bayes(c, (x, y)) AS light FROM heavy) AS f GROUP BY w ORDER BY w;
DROP FUNCTION test.heavy_fits, test.heavy_try;
DROP TABLE heavy, begun;
