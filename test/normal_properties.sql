-- Properties of the normal family: naive_bayes, lda, qda, multivariate_normal.
BEGIN;
SELECT plan(80);
\ir tap/properties.sql

SELECT pg_temp.moments_properties(estimator, 'label', options, 'probabilities')
FROM (VALUES ('naive_bayes', '{}'::jsonb), ('naive_bayes', '{"variance": "shared", "priors": "uniform"}'), ('lda', '{}'), ('lda', '{"shrinkage": 0.2}'),
             ('qda', '{}'), ('qda', '{"pooling": 0.3, "regularization": 0.1}')) AS t(estimator, options);
SELECT pg_temp.moments_properties('multivariate_normal', '', options, 'distance') FROM unnest(ARRAY['{}'::jsonb, '{"shrinkage": 0.1, "ddof": 1}']) AS options;

-- probabilities add up to 1; the class is the most probable one
SELECT ok(bool_and(abs((SELECT sum(p) FROM unnest(ps) p) - 1) < 1e-12), estimator || ': probabilities add up to 1'),
       ok(bool_and(classify(m, f) = (SELECT c FROM unnest(classes(m), ps) AS u(c, p) ORDER BY p DESC LIMIT 1)), estimator || ': the class is the most probable one')
FROM unnest(ARRAY['naive_bayes', 'lda', 'qda']) AS estimator, LATERAL pg_temp.fit(estimator || '(label, f)') AS m, rows, LATERAL (SELECT a, b) AS f, LATERAL probabilities(m, f) AS ps GROUP BY estimator;

-- lda, qda and Mahalanobis distances follow any linear map of the features
SELECT ok(bool_and(pg_temp.near_all(probabilities(x, ARRAY[a, b]), probabilities(z, ARRAY[2 * a + b, 100 - b]), 1e-8)), 'lda: a linear map of the features leaves the probabilities')
FROM (SELECT lda(label, ARRAY[a, b]) AS x, lda(label, ARRAY[2 * a + b, 100 - b]) AS z FROM rows) AS m, rows;
SELECT ok(bool_and(pg_temp.near_all(probabilities(x, ARRAY[a, b]), probabilities(z, ARRAY[2 * a + b, 100 - b]), 1e-8)), 'qda: a linear map of the features leaves the probabilities')
FROM (SELECT qda(label, ARRAY[a, b]) AS x, qda(label, ARRAY[2 * a + b, 100 - b]) AS z FROM rows) AS m, rows;
SELECT ok(bool_and(pg_temp.near(distance(x, ARRAY[a, b]), distance(z, ARRAY[2 * a + b, 100 - b]), 1e-8)), 'multivariate_normal: a linear map of the features leaves the distances')
FROM (SELECT multivariate_normal(ARRAY[a, b]) AS x, multivariate_normal(ARRAY[2 * a + b, 100 - b]) AS z FROM rows) AS m, rows;
-- the mean squared Mahalanobis distance of the rows themselves is the number of features
SELECT ok(pg_temp.near(avg(distance(m, f) ^ 2), 2, 1e-9), 'multivariate_normal: the mean squared distance is the number of features')
FROM pg_temp.fit('multivariate_normal(f)') AS m, rows, LATERAL (SELECT a, b) AS f;

-- a million rows have the moments of the model, within five standard errors
SELECT ok(abs(avg(v[1]) - mean[1]) < 5 * sqrt(c[1][1] / 1e6) AND abs(avg(v[2]) - mean[2]) < 5 * sqrt(c[2][2] / 1e6), method || ': the means of a million sampled rows'),
       ok(abs(var_pop(v[1]) - c[1][1]) < 5 * c[1][1] * sqrt(2 / 1e6) AND abs(var_pop(v[2]) - c[2][2]) < 5 * c[2][2] * sqrt(2 / 1e6), method || ': their variances'),
       ok(abs(covar_pop(v[1], v[2]) - c[1][2]) < 5 * sqrt((c[1][1] * c[2][2] + c[1][2] ^ 2) / 1e6), method || ': their covariance')
FROM (SELECT 'multivariate_normal' AS method, m, 1 AS seed, NULL AS class, parameter(m, 'means') AS mean, parameter(m, 'covariance') AS c FROM (SELECT multivariate_normal(ARRAY[a, b]) AS m FROM rows) AS n
      UNION ALL SELECT 'lda', m, 2, (classes(m))[1], ARRAY[(parameter(m, 'means'))[1][1], (parameter(m, 'means'))[1][2]], parameter(m, 'covariance') FROM (SELECT lda(label, ARRAY[a, b]) AS m FROM rows) AS l) AS fit,
     LATERAL (SELECT features AS v FROM sample_numbers(m, 1000000, seed, class)) AS s GROUP BY method, mean, c;

SELECT * FROM finish();
ROLLBACK;
