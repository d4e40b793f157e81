-- Models with covariances that are not positive definite are refused when they come in, not when they score.
SET search_path = public, test, pgfit;
CREATE TABLE cloud AS SELECT i % 3 AS class, sin(i) + i % 3 AS a, cos(i * 1.7) AS b, sin(i * 0.3) + i % 2 AS c FROM generate_series(1, 120) i;
CREATE TABLE sound AS
    SELECT 'lda' AS name, 'covariance_packed' AS array_name, lda(class, (a, b, c)) AS m FROM cloud
    UNION ALL SELECT 'lda whitened', 'whitening', lda(class, (a, b, c, a - b), '{"singular": "pseudo_inverse"}') FROM cloud
    UNION ALL SELECT 'qda', 'covariances_packed', qda(class, (a, b, c)) FROM cloud
    UNION ALL SELECT 'multivariate_normal', 'covariance_packed', multivariate_normal((a, b, c)) FROM cloud
    UNION ALL SELECT 'nearest_centroid', 'covariance_packed', nearest_centroid(class, (a, b, c), '{"metric": "mahalanobis"}') FROM cloud
    UNION ALL SELECT 'gaussian_mixture ' || f, 'covariances', gaussian_mixture((a, b, c), 2, jsonb_build_object('covariance', f)) FROM cloud, unnest(ARRAY['full', 'tied', 'diagonal', 'spherical']) AS f GROUP BY f;
-- the numbers of an array, all multiplied by -1, or all 0
CREATE FUNCTION test.forged(m pgfit.model, array_name text, factor float8) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE WHEN jsonb_typeof(old) = 'array' THEN jsonb_set(m::jsonb, ARRAY['arrays', array_name], new) ELSE jsonb_set(m::jsonb, ARRAY['arrays', array_name, 'f64'], new) END
    FROM (SELECT m::jsonb #> ARRAY['arrays', array_name] AS old) o,
         LATERAL (SELECT jsonb_agg(v::text::float8 * factor) AS new FROM jsonb_array_elements(CASE WHEN jsonb_typeof(old) = 'array' THEN old ELSE old -> 'f64' END) AS v) n
$$;
SELECT name, forged(m, array_name, 1)::text::model = m AS again, try(format('SELECT %L::pgfit.model', forged(m, array_name, -1))) AS negative FROM sound WHERE name <> 'lda whitened' ORDER BY name COLLATE "C";
SELECT name, try(format('SELECT %L::pgfit.model', forged(m, array_name, 0))) AS zero FROM sound ORDER BY name COLLATE "C";
-- calibrated, and with a decision rule, too
SELECT try(format('SELECT %L::pgfit.model', forged(decision_rule(m, '{"rule": {"0": 2}}'), array_name, -1))) AS ruled FROM sound WHERE name = 'qda';
DROP FUNCTION test.forged;
DROP TABLE cloud, sound;
