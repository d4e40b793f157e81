-- Properties of calibrations of one score: isotonic_calibration, logistic_calibration, platt_calibration.
BEGIN;
SELECT plan(24);
\ir tap/properties.sql
SET LOCAL property.features = 'a';

SELECT pg_temp.moments_properties('logistic_calibration', 'yes', '{}', 'probability');
SELECT pg_temp.rows_properties('platt_calibration', 'yes', '{}', 'probability');
SELECT pg_temp.rows_properties('isotonic_calibration', 'yes', '{"interpolation": "linear"}', 'probability');

-- probabilities rise with the score, and lie between 0 and 1
SELECT ok(bool_and(p BETWEEN 0 AND 1 AND (p >= before OR before IS NULL)), estimator || ': probabilities rise with the score')
FROM (SELECT estimator, p, lag(p) OVER (PARTITION BY estimator ORDER BY a) AS before
      FROM unnest(ARRAY['isotonic_calibration', 'logistic_calibration', 'platt_calibration']) AS estimator, LATERAL pg_temp.fit(estimator || '(yes, rows.a)') AS m, rows, LATERAL probability(m, a) AS p) AS t GROUP BY estimator ORDER BY estimator;
-- isotonic and unsmoothed Platt calibration are right on average
SELECT ok(pg_temp.near(avg(probability(m, a)), avg(yes::int), 1e-7), 'isotonic_calibration: right on average') FROM pg_temp.fit('isotonic_calibration(yes, rows.a)') AS m, rows;
SELECT ok(pg_temp.near(avg(probability(m, a)), avg(yes::int), 1e-7), 'platt_calibration: right on average') FROM pg_temp.fit('platt_calibration(yes, rows.a, ''{"smoothing": false}''::jsonb)') AS m, rows;
-- the unit of the score does not matter to Platt calibration, nor any increasing map of it to isotonic calibration
SELECT ok(bool_and(pg_temp.near(probability(x, a), probability(z, 100 * a + 7), 1e-7)), 'platt_calibration: the unit of the score does not matter'),
       ok(bool_and(pg_temp.near(probability(u, a), probability(v, exp(a)), 1e-9)), 'isotonic_calibration: an increasing map of the score does not matter')
FROM (SELECT platt_calibration(yes, a) AS x, platt_calibration(yes, 100 * a + 7) AS z, isotonic_calibration(yes, a) AS u, isotonic_calibration(yes, exp(a)) AS v FROM rows) AS m, rows;
-- unsmoothed Platt calibration is logistic regression on the score
SELECT ok(bool_and(pg_temp.near(probability(x, a), probability(z, a), 1e-6)), 'platt_calibration: logistic regression on the score')
FROM (SELECT platt_calibration(yes, a, '{"smoothing": false}'::jsonb) AS x, logistic_regression(yes, a) AS z FROM rows) AS m, rows;

SELECT * FROM finish();
ROLLBACK;
