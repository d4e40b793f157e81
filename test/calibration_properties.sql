-- Properties of calibrations of one score, isotonic_calibration, logistic_calibration and platt_calibration, and of conformal scores.
BEGIN;
SELECT plan(30);
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

-- conformal scores: over 300 random tables, the share of new rows that are right is the level, within three standard errors, or more where scores tie
CREATE TEMP TABLE random_rows AS
SELECT t, i, x, 3 * x + (CASE WHEN x > 0.5 THEN 4 ELSE 1 END) * ln(1 / (0.0001 + e)) AS y, (ARRAY['a', 'b'])[1 + (x > 0.5)::int] AS g, (ARRAY['u', 'v', 'w'])[1 + (x + e > 0.8)::int + (x + e > 1.4)::int] AS c
FROM generate_series(1, 300) AS t, generate_series(1, 121) AS i, LATERAL (SELECT md5(t || ':' || i) AS m) AS h, LATERAL (SELECT ('x' || substr(m, 1, 7))::bit(28)::int / 2.0 ^ 28 AS x, ('x' || substr(m, 8, 7))::bit(28)::int / 2.0 ^ 28 AS e) AS u;
CREATE TEMP TABLE random_fits AS
SELECT t, tree_regression(y, r, '{"formula": "x", "max_depth": 2}') FILTER (WHERE i <= 41) AS m, tree_classifier(c, r, '{"formula": "x", "max_depth": 2}') FILTER (WHERE i <= 41) AS k FROM random_rows AS r GROUP BY t;
CREATE FUNCTION pg_temp.near_level(share numeric, level numeric, rows bigint) RETURNS boolean LANGUAGE sql AS $$ SELECT abs(share - level) <= 3 * sqrt(level * (1 - level) / rows) $$;
CREATE TEMP TABLE random_scores AS
SELECT t, conformalize(m, y, r) AS split, conformalize(m, y, r, '{"group": "g"}') AS each, conformalize(k, c, r) AS lac, conformalize(k, c, r, '{"score": "aps"}') AS aps FROM random_fits JOIN random_rows AS r USING (t) WHERE i BETWEEN 42 AND 120 GROUP BY t;
SELECT ok(pg_temp.near_level(avg((y BETWEEN i80.lower AND i80.upper)::int), 0.8, count(*)), 'conformal: split at 0.8'), ok(pg_temp.near_level(avg((y BETWEEN i90.lower AND i90.upper)::int), 0.9, count(*)), 'conformal: split at 0.9')
FROM random_scores JOIN random_rows AS r USING (t), predict_interval(split, r, 0.8) AS i80, predict_interval(split, r, 0.9) AS i90 WHERE r.i = 121;
SELECT ok(bool_and(share >= 0.8 - 3 * sqrt(0.16 / n)), 'conformal: each group at 0.8') FROM (SELECT avg((y BETWEEN lower AND upper)::int) AS share, count(*) AS n FROM random_scores JOIN random_rows AS r USING (t), predict_interval(each, r, 0.8) WHERE r.i = 121 GROUP BY g) AS s;
SELECT ok(avg((c = ANY (prediction_set(lac, r, 0.8)))::int) >= 0.8 - 3 * sqrt(0.16 / 300), 'conformal: lac at 0.8'), ok(avg((c = ANY (prediction_set(aps, r, 0.8)))::int) >= 0.8 - 3 * sqrt(0.16 / 300), 'conformal: aps at 0.8')
FROM random_scores JOIN random_rows AS r USING (t) WHERE r.i = 121;
CREATE TEMP TABLE random_folds AS
SELECT t, conformalize(whole, array_agg(m)) AS m FROM (SELECT f.t, f.k, conformalize(f.m, y, r) AS m
      FROM (SELECT r.t, k, tree_regression(y, r, '{"formula": "x", "max_depth": 2}') FILTER (WHERE i % 4 <> k) AS m FROM random_rows AS r, generate_series(0, 3) AS k WHERE i <= 120 AND r.t <= 100 GROUP BY r.t, k) AS f
      JOIN random_rows AS r ON r.t = f.t AND r.i % 4 = f.k AND r.i <= 120 GROUP BY f.t, f.k) AS s
JOIN (SELECT t, tree_regression(y, r, '{"formula": "x", "max_depth": 2}') FILTER (WHERE i <= 120) AS whole FROM random_rows AS r WHERE t <= 100 GROUP BY t) AS w USING (t) GROUP BY t, whole;
SELECT ok(avg((y BETWEEN lower AND upper)::int) >= 0.8 - 3 * sqrt(0.16 / 100), 'conformal: cv+ at 0.8') FROM random_folds JOIN random_rows AS r USING (t), predict_interval(m, r, 0.8) WHERE r.i = 121;

SELECT * FROM finish();
ROLLBACK;
