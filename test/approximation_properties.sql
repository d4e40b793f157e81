-- Properties of approximated kernels: order, plans, windows, bits; the exact method in the limit; norms and errors that only fall.
BEGIN;
SELECT no_plan();
\ir tap/properties.sql

SELECT pg_temp.rows_properties('kernel_ridge', 'y', options, 'predict')
FROM unnest(ARRAY['{"gamma": 0.1, "approximation": "nystroem", "landmarks": 20}'::jsonb, '{"gamma": 0.1, "approximation": "fourier", "frequencies": 20, "intercept": true}']) AS options;
SELECT pg_temp.rows_properties('svm_classifier', 'yes', '{"kernel": "rbf", "gamma": 0.1, "approximation": "nystroem", "landmarks": 20, "tolerance": 1e-9}', 'decision');
SELECT pg_temp.rows_properties('svm_regression', 'y', '{"kernel": "rbf", "gamma": 0.1, "approximation": "nystroem", "landmarks": 20, "tolerance": 1e-9}', 'predict');
SELECT pg_temp.rows_properties('kernel_kmeans', '', '{"k": 3, "gamma": 0.1, "approximation": "nystroem", "landmarks": 20}', 'distances');

-- with landmarks everywhere the predictions tend to those of the exact method, and reach them with all rows
SELECT ok(bool_and(difference < before OR before < 1e-7) AND bool_or(difference < 1e-7), 'kernel_ridge: tends to the exact method')
FROM (SELECT landmarks, difference, lag(difference, 1, 'Infinity') OVER (ORDER BY landmarks) AS before
      FROM unnest(ARRAY[5, 20, 80, 300]) AS landmarks, pg_temp.fit('kernel_ridge(y, f, ''{"gamma": 0.3, "lambda": 0.01}''::jsonb)') AS exact,
           LATERAL pg_temp.fit(format('kernel_ridge(y, f, ''{"gamma": 0.3, "lambda": 0.01, "approximation": "nystroem", "landmarks": %s}''::jsonb)', landmarks)) AS m,
           LATERAL (SELECT max(abs(predict(m, f) - predict(exact, f))) AS difference FROM rows, LATERAL (SELECT a, b) AS f) AS d) AS t;
-- the gap bounds how far the objective is above the exact one, which it never undercuts
SELECT ok(o - e <= gap + 1e-9 * e AND o >= e * (1 - 1e-9), 'svm: the gap is a bound, tolerance ' || tolerance)
FROM unnest(ARRAY['1e-2', '1e-4', '1e-6']) AS tolerance,
     LATERAL (SELECT (s ->> 'objective')::float8 AS o, (s ->> 'gap')::float8 AS gap
              FROM pg_temp.fit(format('svm_classifier(yes, f, ''{"kernel": "rbf", "gamma": 0.1, "approximation": "nystroem", "landmarks": 300, "tolerance": %s}''::jsonb)', tolerance)) AS m, LATERAL (SELECT info(m) -> 'statistics') AS i(s)) AS x,
     LATERAL (SELECT (info(m) -> 'statistics' ->> 'objective')::float8 AS e FROM pg_temp.fit('svm_classifier(yes, f, ''{"kernel": "rbf", "gamma": 0.1, "tolerance": 1e-9}''::jsonb)') AS m) AS y;
-- a share nu of the rows, or fewer, is outside
SELECT ok(avg((decision(m, f) < 0)::int) <= nu AND avg((decision(m, f) < 0)::int) > nu - 0.1, 'one_class_svm: nu bounds the rows outside: ' || nu)
FROM unnest(ARRAY[0.1, 0.3, 0.6]) AS nu, LATERAL pg_temp.fit(format('one_class_svm(f, ''{"nu": %s, "gamma": 0.1, "approximation": "nystroem", "landmarks": 40, "tolerance": 1e-9}''::jsonb)', nu)) AS m, rows, LATERAL (SELECT a, b) AS f
GROUP BY nu;
-- scores of components are centered and uncorrelated, and vary as the model says
SELECT ok(abs(avg(s[1])) < 1e-9 AND abs(corr(s[1], s[2])) < 1e-7 AND pg_temp.near(var_pop(s[1]), (parameter(m, 'variances'))[1], 1e-9), 'kernel_pca: ' || approximation)
FROM unnest(ARRAY['nystroem", "landmarks": 40', 'fourier", "frequencies": 40']) AS approximation,
     LATERAL pg_temp.fit(format('kernel_pca(f, ''{"k": 2, "gamma": 0.1, "approximation": "%s}''::jsonb)', approximation)) AS m, rows, LATERAL (SELECT a, b) AS f, LATERAL transform(m, f) AS s
GROUP BY approximation, m;
SELECT * FROM finish();
ROLLBACK;
