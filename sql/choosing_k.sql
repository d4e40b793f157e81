-- "k": "auto" and ranges of k for kmeans and gaussian_mixture, and elbow, which shows what the choice was made from.
CREATE SCHEMA choosing;
SET search_path = choosing, test, pgfit;
-- four round clusters, one long cloud, and 30 rows with 3 distinct values
CREATE TABLE four AS SELECT i, 10 * (i % 2) + sin(i * i) AS x, 10 * (i / 2 % 2) + cos(3 * i * i) AS y FROM generate_series(0, 199) AS i;
CREATE TABLE one AS SELECT id, features[1] AS x, features[2] AS y FROM sample_numbers((SELECT multivariate_normal(ARRAY[a, a + b]) FROM (SELECT 10 * sin(i) AS a, cos(7 * i) AS b FROM generate_series(1, 50) AS i) AS line), 300, 4);
CREATE TABLE three AS SELECT i, i % 3 AS x, (i % 3) ^ 2 AS y FROM generate_series(1, 30) AS i;

SELECT name, criterion, info(m) -> 'statistics' -> 'k' AS k, cardinality(parameter(m, 'k_tried')) AS tried
FROM unnest(ARRAY['silhouette', 'calinski_harabasz', 'gap']) WITH ORDINALITY AS c(criterion, o),
     LATERAL (SELECT 'four' AS name, kmeans((x, y), jsonb_build_object('k', 'auto', 'criterion', criterion)) AS m FROM four
              UNION ALL SELECT 'one', kmeans((x, y), jsonb_build_object('k', 'auto', 'criterion', criterion)) FROM one
              UNION ALL SELECT 'three', kmeans((x, y), jsonb_build_object('k', 'auto', 'criterion', criterion)) FROM three) AS fits ORDER BY name, o;
SELECT name, criterion, cardinality(parameter(m, 'weights')) AS k, parameter(m, 'k_tried') AS tried
FROM unnest(ARRAY['bic', 'aic']) WITH ORDINALITY AS c(criterion, o),
     LATERAL (SELECT 'four' AS name, gaussian_mixture((x, y), jsonb_build_object('k', 'auto', 'criterion', criterion, 'max_k', 6, 'covariance', 'tied')) AS m FROM four
              UNION ALL SELECT 'one', gaussian_mixture((x, y), jsonb_build_object('k', 'auto', 'criterion', criterion, 'max_k', 3)) FROM one) AS fits ORDER BY name, o;
-- the model is that of the chosen k alone; the box of the features, standardized features, weights, mini-batches, groups
SELECT parameter(a, 'centroids') = parameter(f, 'centroids') AS kmeans, parameter(g, 'means') = parameter(h, 'means') AS mixture
FROM (SELECT kmeans((x, y), '{"k": "auto"}'::jsonb) AS a, kmeans((x, y), 4) AS f, gaussian_mixture((x, y), '{"k": [3, 5], "covariance_type": "tied"}'::jsonb) AS g, gaussian_mixture((x, y), 4, '{"covariance_type": "tied"}'::jsonb) AS h FROM four) AS fits;
SELECT info(kmeans((x, y), '{"k": "auto", "gap_reference": "box"}'::jsonb)) -> 'statistics' -> 'k' AS box, info(kmeans((x, 100 * y), '{"k": "auto", "standardize": true}'::jsonb)) -> 'statistics' -> 'k' AS standardized,
       info(kmeans((x, y), '{"k": "auto", "weight_kind": "frequency"}'::jsonb, 1 + i % 3)) -> 'statistics' -> 'k' AS weighted, info(kmeans(x, '{"k": "auto"}'::jsonb)) -> 'statistics' -> 'k' AS one_feature FROM four;
SELECT cardinality(parameter(gaussian_mixture((x, 100 * y), '{"k": "auto", "max_k": 3, "standardize": true}'::jsonb), 'weights')) AS standardized FROM one;
SELECT i % 2 AS part, info(kmeans((x, y), '{"k": "auto"}'::jsonb)) -> 'statistics' -> 'k' AS k FROM four GROUP BY 1 ORDER BY 1;

-- seven clusters all around do not fall into two halves, but are more than one
SELECT criterion, info(m) -> 'statistics' -> 'k' AS k, (SELECT g.gap >= h.gap - h.gap_error FROM elbow(m) AS g, elbow(m) AS h WHERE g.k = 1 AND h.k = 2) AS two_no_better
FROM unnest(ARRAY['silhouette', 'calinski_harabasz']) AS criterion,
     LATERAL (SELECT kmeans((x, y), jsonb_build_object('k', 'auto', 'criterion', criterion)) AS m
              FROM (SELECT CASE WHEN i % 7 = 6 THEN 0 ELSE 10 * cosd(i % 7 * 60) END + sin(i * i) AS x, CASE WHEN i % 7 = 6 THEN 0 ELSE 10 * sind(i % 7 * 60) END + cos(3 * i * i) AS y
                    FROM generate_series(0, 209) AS i) AS seven) AS fit;

-- elbow
SELECT k, round(objective::numeric, 1) AS objective, criterion, round(value::numeric, 3) AS value, gap IS NOT NULL AS gap, gap_error > 0 AS error, chosen
FROM (SELECT kmeans((x, y), '{"k": "auto", "max_k": 5}'::jsonb) AS m FROM four) AS fit, elbow(m);
SELECT e.k, near(objective, (info(kmeans((x, y), e.k)) -> 'statistics' ->> 'inertia')::float8) AS inertia FROM (SELECT kmeans((x, y), '{"k": [1, 5]}'::jsonb) AS m FROM four) AS fit, elbow(m) AS e, four GROUP BY e.k, objective ORDER BY k;
SELECT k, value = gap AS same, gap_error > 0 AS error, chosen FROM (SELECT kmeans((x, y), '{"k": [3, 5], "select": "gap"}'::jsonb) AS m FROM four) AS fit, elbow(m);
SELECT e.k, near(objective, log_likelihood(m)) AS log_likelihood, near(value, bic(m)) AS bic, gap, chosen
FROM (SELECT gaussian_mixture((x, y), '{"k": [3, 5], "covariance_type": "tied"}'::jsonb) AS several FROM four) AS fit, elbow(several) AS e, LATERAL (SELECT gaussian_mixture((x, y), e.k, '{"covariance_type": "tied"}'::jsonb) AS m FROM four) AS own;
-- a perfect split ends the range
SELECT k, objective, value, gap, chosen FROM (SELECT kmeans((x, y), '{"k": "auto", "select": "gap", "n_init": 3}'::jsonb) AS m FROM three) AS fit, LATERAL (SELECT k, round(objective::numeric, 3) AS objective, value > 1000 AS value, gap > 1000 AS gap, chosen FROM elbow(m)) AS e;

-- gaps of the iris data as R's cluster::clusGap finds them (kmeans, nstart = 20, d.power = 2, B = 50), within three standard errors of the two means
CREATE TABLE iris (id int, sepal_length float8, sepal_width float8, petal_length float8, petal_width float8, species text);
\copy iris FROM 'test/golden/data/iris.csv' WITH (FORMAT csv, HEADER)
SELECT reference, bool_and(abs(e.gap - r.gap) < 3 * sqrt((gap_error ^ 2 + error ^ 2) / 50)) AS as_r, bool_and(gap_error BETWEEN error / 2 AND 2 * error) AS errors
FROM (VALUES ('box', 1, 0.08364532, 0.05046543), ('box', 2, 0.98405781, 0.03455334), ('box', 3, 1.43936501, 0.03586755), ('box', 4, 1.57836304, 0.0358693), ('box', 5, 1.64081786, 0.03668085),
             ('pca', 1, 0.08084932, 0.05242216), ('pca', 2, 0.59523512, 0.03667624), ('pca', 3, 0.87171786, 0.03572504), ('pca', 4, 1.0017288, 0.03901535), ('pca', 5, 1.04747319, 0.03617763)) AS r(reference, k, gap, error)
JOIN LATERAL (SELECT kmeans((sepal_length, sepal_width, petal_length, petal_width), jsonb_build_object('k', '[1, 5]'::jsonb, 'criterion', 'gap', 'gap_references', 50, 'gap_reference', reference)) AS m FROM iris) AS fit ON true
JOIN LATERAL elbow(m) AS e ON e.k = r.k GROUP BY reference ORDER BY reference;
SELECT info(kmeans(f, '{"k": "auto", "formula": "sepal_length + sepal_width + petal_length + petal_width"}')) -> 'statistics' -> 'k' AS kmeans,
       cardinality(parameter(gaussian_mixture(f, '{"k": "auto", "formula": "sepal_length + sepal_width + petal_length + petal_width"}'), 'weights')) AS mixture FROM iris AS f;

-- few rows
SELECT n, info(m) -> 'statistics' -> 'k' AS k FROM generate_series(1, 4) AS n, LATERAL (SELECT kmeans((x, y), '{"k": "auto"}'::jsonb) AS m FROM four WHERE i < n) AS fit;
SELECT info(kmeans((1, 2), '{"k": "auto"}'::jsonb)) -> 'statistics' -> 'k' AS equal_rows FROM generate_series(1, 20);
SELECT n, cardinality(parameter(m, 'weights')) AS k FROM generate_series(1, 4) AS n, LATERAL (SELECT gaussian_mixture((x, y), '{"k": "auto"}'::jsonb) AS m FROM four WHERE i < n) AS fit;
SELECT kmeans((x, y), '{"k": "auto"}'::jsonb) IS NULL AS kmeans, gaussian_mixture((x, y), '{"k": "auto"}'::jsonb) IS NULL AS mixture FROM four WHERE i < 0;
SELECT try($$SELECT pgfit.kmeans((x, y), '{"k": "auto", "max_k": 5}'::jsonb) FROM four WHERE i < 3$$);
SELECT try($$SELECT pgfit.kmeans((x, y), '{"k": "auto", "max_k": 5}'::jsonb) FROM three$$);
SELECT try($$SELECT pgfit.gaussian_mixture((x, y), '{"k": "auto", "max_k": 5}'::jsonb) FROM four WHERE i < 3$$);
SELECT try($$SELECT pgfit.gaussian_mixture((x, y), '{"k": "auto", "max_k": 5}'::jsonb) FROM three$$);
SELECT try($$SELECT pgfit.gaussian_mixture((x, y), '{"k": [4, 5]}'::jsonb) FROM three$$);
-- options
SELECT try(format($$SELECT pgfit.%s IS NOT NULL FROM four$$, fit)) FROM unnest(ARRAY['kmeans((x, y), ''{"k": "some"}''::jsonb)', 'kmeans((x, y), 3, ''{"max_k": 5}''::jsonb)', 'kmeans((x, y), ''{"k": "auto", "max_k": 0}''::jsonb)', 'kmeans((x, y), ''{"k": "auto", "init": [[1, 2]]}''::jsonb)',
    'kmeans((x, y), ''{"k": "auto", "select": "bic"}''::jsonb)', 'kmeans((x, y), ''{"k": "auto", "gap_reference": "cube"}''::jsonb)', 'kmeans((x, y), ''{"k": [0, 3]}''::jsonb)', 'gaussian_mixture((x, y), ''{"k": "many"}''::jsonb)', 'gaussian_mixture((x, y), 3, ''{"max_k": 5}''::jsonb)',
    'gaussian_mixture((x, y), ''{"k": [3, 2]}''::jsonb)', 'gaussian_mixture((x, y), ''{"k": [1.5, 2]}''::jsonb)', 'gaussian_mixture((x, y), ''{"k": "auto", "init": [[1, 2]]}''::jsonb)', 'gaussian_mixture((x, y), ''{"k": "auto", "init_weights": [1]}''::jsonb)', 'gaussian_mixture((x, y), ''{"k": "auto", "select": "gap"}''::jsonb)']) AS fit;
SELECT try($$SELECT pgfit.elbow(pgfit.kmeans((x, y), 3)) FROM four$$);
SELECT try($$SELECT pgfit.elbow(pgfit.lda(i % 2, (x, y))) FROM four$$);

-- a mixture that starts with given weights or covariances, but no means
SELECT parameter(m, 'weights') AS weights, near_all(ARRAY[(parameter(m, 'means'))[1][1], (parameter(m, 'means'))[2][1]], ARRAY[(parameter(s, 'means'))[1][1], (parameter(s, 'means'))[2][1]]) AS means_of_kmeans
FROM (SELECT gaussian_mixture((x, y), '{"init_weights": [0.25, 0.75], "max_iter": 0, "n_init": 1}'::jsonb) AS m, gaussian_mixture((x, y), 2, '{"max_iter": 0, "n_init": 1}'::jsonb) AS s FROM four) AS fits;
SELECT parameter(m, 'covariances') AS covariances, parameter(m, 'weights') = parameter(s, 'weights') AS weights
FROM (SELECT gaussian_mixture((x, y), 2, '{"init_covariances": [[2, 0.5, 0.5, 3], [4, 0, 0, 5]], "max_iter": 0, "n_init": 1}'::jsonb) AS m, gaussian_mixture((x, y), 2, '{"max_iter": 0, "n_init": 1}'::jsonb) AS s FROM four) AS fits;
SELECT parameter(m, 'weights') AS weights, parameter(m, 'means') AS means FROM (SELECT gaussian_mixture((x, y), 2, '{"init": [[0, 0], [10, 10]], "init_weights": [0.3, 0.7], "max_iter": 0}'::jsonb) AS m FROM four) AS fit;
SELECT try($$SELECT pgfit.gaussian_mixture((x, y), 3, '{"init_weights": [0.5, 0.5]}') FROM four$$);
SELECT try($$SELECT pgfit.gaussian_mixture((x, y), 2, '{"init_covariances": [[1, 2], [3, 4]]}') FROM four$$);
DROP SCHEMA choosing CASCADE;
