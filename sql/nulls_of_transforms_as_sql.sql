-- to_sql of a model that transforms rows: where transform is NULL as a whole, so is the expression
SET search_path = public, test, pgfit;
CREATE TABLE t AS SELECT i, sin(i * 1.7) * 5 AS a, i * i % 13 / 3.0::float8 AS b, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS g FROM generate_series(1, 60) i;
CREATE TABLE rows AS SELECT a, b, g FROM t WHERE i < 6 UNION ALL VALUES (NULL, 1.5, 'x'), (1.5, NULL, 'y'), (0.5, 0.25, NULL), (0.5, 0.25, 'new'), (NULL, NULL, NULL);
CREATE TABLE fitted AS
SELECT 'standard_scaler' AS name, standard_scaler(t, 'a + b') AS m FROM t UNION ALL SELECT 'minmax_scaler', minmax_scaler(t, '{"formula": "a + b", "clip": true}') FROM t
UNION ALL SELECT 'robust_scaler', robust_scaler(t, 'a + b') FROM t UNION ALL SELECT 'quantile_bins', quantile_bins(t, 'a + b') FROM t
UNION ALL SELECT 'quantile_bins onehot', quantile_bins(t, '{"formula": "a + b", "output": "onehot"}') FROM t
UNION ALL SELECT 'polynomial_features', polynomial_features(t, 'a + b') FROM t UNION ALL SELECT 'one_hot', one_hot(t, 'a + g') FROM t
UNION ALL SELECT 'target_encoder', target_encoder(b, t, 'a + g') FROM t UNION ALL SELECT 'pca', pca(t, 'a + b + g') FROM t
UNION ALL SELECT 'imputed', pca(t, '{"formula": "a + b", "nulls": "impute"}') FROM t
UNION ALL SELECT 'multivariate_regression', multivariate_regression(ARRAY[a, b], t, 'a + g') FROM t
UNION ALL SELECT 'quantiles', multiple_quantile_regression(a, t, '{"formula": "b + g", "quantile": [0.25, 0.75]}') FROM t
UNION ALL SELECT 'quantiles rearranged', multiple_quantile_regression(a, t, '{"formula": "b + g", "quantile": [0.25, 0.75], "rearrange": true}') FROM t
UNION ALL SELECT 'pipeline', pipeline(s, pca(transform_row(s, t), 1)) FROM t, (SELECT standard_scaler(t, 'a + b') AS s FROM t) x GROUP BY s;
CREATE FUNCTION test.same(m model) RETURNS text LANGUAGE plpgsql AS $$ DECLARE said text; BEGIN
    EXECUTE format('SELECT format(''%%s of %%s, %%s NULL'', count(*) FILTER (WHERE written IS NULL AND score IS NULL OR near_all(written, score, 1e-9)), count(*), count(*) FILTER (WHERE score IS NULL))
        FROM (SELECT %s AS written, transform($1, whole) AS score FROM (SELECT r AS whole, * FROM rows r OFFSET 0) y) x', to_sql(m)) INTO said USING m;
    RETURN said; END $$;
SELECT name, same(m) FROM fitted ORDER BY name COLLATE "C";
-- more features than one ROW can have
SELECT (SELECT sum(length(w[1])) FROM regexp_matches(to_sql(m), 'ROW\(', 'g') w) AS rows FROM (SELECT standard_scaler(array_fill(i, ARRAY[1700])) AS m FROM generate_series(1, 3) i) f;
