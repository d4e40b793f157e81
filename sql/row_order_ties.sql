-- Whole numbers tie, and the order of the rows must not decide: not by the last digits of a scale, of a mean or of a sum of kernel values.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE answers AS
SELECT s, i, i % 5 + s % 3 AS a, (i * i + s) % 7 AS b, i * s % 11 AS y, i % 3 > 0 AS k, hashint8(i * 1000 + s) AS other
FROM generate_series(1, 40) AS s, generate_series(1, 25) AS i;

-- a scale that the rows have learned in another order made other neighbors of equally distant rows
SELECT metric, count(*) AS tables, count(*) FILTER (WHERE one = another) AS same_bits
FROM (VALUES ('{"standardize": true}'), ('{"metric": "standardized_euclidean"}'), ('{"metric": "gower"}'), ('{"metric": "manhattan"}')) AS m(metric),
     LATERAL (SELECT s, knn_regression(y, (SELECT f FROM (SELECT a, b) AS f), 3, metric::jsonb ORDER BY i) AS one,
                     knn_regression(y, (SELECT f FROM (SELECT a, b) AS f), 3, metric::jsonb ORDER BY other) AS another FROM answers GROUP BY s) AS fits
GROUP BY metric ORDER BY metric;
SELECT count(*) AS tables, count(*) FILTER (WHERE NOT differ) AS same_factors
FROM (SELECT s, bool_or(abs(x.factor - z.factor) > 1e-9) AS differ
      FROM (SELECT s, local_outlier_factor(i, (SELECT f FROM (SELECT a, b) AS f), '{"k": 4, "standardize": true}' ORDER BY i) AS one,
                   local_outlier_factor(i, (SELECT f FROM (SELECT a, b) AS f), '{"k": 4, "standardize": true}' ORDER BY other) AS another FROM answers GROUP BY s) AS fits,
           outlier_factors(one) AS x JOIN LATERAL outlier_factors(another) AS z USING (id) GROUP BY s) AS compared;

-- a cluster that is as near as the first one is not nearer
SELECT count(*) AS tables, count(*) FILTER (WHERE abs(inertia - other_inertia) < 1e-9) AS same_clusters
FROM (SELECT s, (info(kernel_kmeans((SELECT f FROM (SELECT x, z) AS f), 2, '{}' ORDER BY i)) #>> '{statistics,inertia}')::float8 AS inertia,
             (info(kernel_kmeans((SELECT f FROM (SELECT x, z) AS f), 2, '{}' ORDER BY -i)) #>> '{statistics,inertia}')::float8 AS other_inertia
      FROM generate_series(1, 60) AS s, generate_series(1, 40) AS i, LATERAL (SELECT hashint4(i * 31 + s) % 4 AS x, hashint4(i * 17 + s * 7 + 3) % 3 AS z) AS r GROUP BY s) AS fits;

-- classes with equal mean scores are refused in any order of the rows
SELECT n, test.try(format('SELECT logistic_calibration(k, score ORDER BY score * %s) FROM (VALUES (true, 0.1), (true, 0.2), (true, 0.6), (false, 0.2), (false, 0.4)) AS v(k, score)', n))
FROM unnest(ARRAY[1, -1]) AS n;
-- a class that no hyperplane divides better than none: coefficients were rounding errors, and distances up to 1e20
SELECT count(*) FILTER (WHERE flat) AS flat, bool_and(NOT flat OR zero) AS exactly_0, bool_and(coalesce(farthest < 1000, true)) AS distances
FROM (SELECT s, bool_and(abs(c.estimate) < 1e-12) AS flat, bool_and(c.estimate = 0) AS zero FROM
          (SELECT s, svm_classifier(i * 7 % 11 < 2, (SELECT f FROM (SELECT a, b) AS f)) AS m FROM answers GROUP BY s) AS fits, coefficients(m) AS c WHERE term <> '(intercept)' GROUP BY s) AS one
     JOIN (SELECT s, max(abs(distance(m, ROW(7, 8)))) AS farthest FROM (SELECT s, svm_classifier(i * 7 % 11 < 2, (SELECT f FROM (SELECT a, b) AS f)) AS m FROM answers GROUP BY s) AS fits GROUP BY s) AS far USING (s);
-- what the tolerance left of such coefficients: distances of a weight of 2 and of two rows differed by 0.5
SELECT count(*) AS tables, count(*) FILTER (WHERE classes = same AND coalesce(farthest, 0) < 1e-6) AS same_distances
FROM (SELECT s, max(abs(distance(one, f) - distance(another, f))) AS farthest, count(*) AS classes, count(*) FILTER (WHERE classify(one, f) = classify(another, f)) AS same
      FROM (SELECT s, svm_classifier(k3, (SELECT f FROM (SELECT a, b) AS f), '{"tolerance": 1e-10, "weight_kind": "frequency"}', w) AS one FROM answers, LATERAL (SELECT i * 7 % 11 % 3 AS k3, 1 + i % 3 AS w) AS l GROUP BY s) AS m1
           JOIN (SELECT s, svm_classifier(k3, (SELECT f FROM (SELECT a, b) AS f), '{"tolerance": 1e-10, "weight_kind": "frequency"}') AS another
                 FROM answers, LATERAL (SELECT i * 7 % 11 % 3 AS k3, 1 + i % 3 AS w) AS l, generate_series(1, w) GROUP BY s) AS m2 USING (s) JOIN answers USING (s), LATERAL (SELECT a, b) AS f GROUP BY s) AS fits;
-- starts that are drawn by features of a kernel, which have all digits of its width
SELECT count(*) AS tables, count(*) FILTER (WHERE abs(inertia - other_inertia) < 1e-9) AS same_clusters
FROM (SELECT s, (info(kernel_kmeans((SELECT f FROM (SELECT x, z) AS f), 3, o ORDER BY i)) #>> '{statistics,inertia}')::float8 AS inertia,
             (info(kernel_kmeans((SELECT f FROM (SELECT x, z) AS f), 3, o ORDER BY other)) #>> '{statistics,inertia}')::float8 AS other_inertia
      FROM answers, LATERAL (SELECT a + i / 7.0 AS x, b * 1.1 + 0.3 AS z, '{"approximation": "nystroem", "n_init": 1}'::jsonb AS o) AS r GROUP BY s) AS fits;
-- the sign of a component whose largest scores are opposite: the first row had a positive one
SELECT count(DISTINCT (SELECT array_agg(round((transform(m, ROW(x)))[1]::numeric, 9) ORDER BY x) FROM generate_series(-3, 3) AS x)) AS components
FROM unnest(ARRAY[1, -1, 2, -2]) AS n, LATERAL (SELECT kernel_pca(ROW(x), '{"k": 1}' ORDER BY x * n % 7) AS m FROM generate_series(-3, 3) AS x) AS fits;
-- a mixture whose component has hardly any variance, so that the likelihoods of starts that end in it differ by more than rounding: the components had other numbers
SELECT count(*) AS orders, count(*) FILTER (WHERE (parameter(m, 'weights'))[1] > 0.5) AS same_numbers
FROM (SELECT gaussian_mixture((a, b), 2, '{"tolerance": 1e-10, "max_iter": 20000}' ORDER BY hashint8(i * 1000 + s)) AS m
      FROM unnest('{2,1,3,2,-4,-2,2,2,2,2,-1,1,0,1,3,0,1,2,3,-2,0,-2,-1,-2,3,1,0,6,7,-3,3,2,2,-1,0,-1,-1,-1,2,1}'::int[],
                  '{-1,0,2,0,-3,0,0,2,-1,-2,1,1,3,0,1,-1,1,0,0,0,-1,-2,-1,0,0,0,-2,-1,0,1,-2,0,-1,2,1,0,0,-2,-1,0}'::int[]) WITH ORDINALITY AS r(a, b, i), generate_series(1, 20) AS s GROUP BY s) AS fits;
DROP TABLE answers;
