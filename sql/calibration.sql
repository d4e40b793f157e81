-- calibrations: probabilities from scores
CREATE TEMP TABLE scored (y int, s float8);
INSERT INTO scored SELECT * FROM unnest('{0,0,1,0,1,1,0,1,1,0}'::int[], '{0.1,0.2,0.3,0.35,0.5,0.55,0.6,0.7,0.8,0.15}'::float8[]);

-- logistic: gamma and d0 from the means and the variance of the scores
SELECT round((i->>'gamma')::numeric, 9) AS gamma, round((i->>'d0')::numeric, 9) AS d0, round((i->>'variance')::numeric, 9) AS variance
FROM (SELECT pgfit.info(pgfit.logistic_calibration(y, s)) -> 'statistics' AS i FROM scored) m;
WITH f AS (SELECT avg(s) FILTER (WHERE y = 1) AS p, avg(s) FILTER (WHERE y = 0) AS n FROM scored),
     v AS (SELECT p, n, sum((s - CASE y WHEN 1 THEN p ELSE n END) ^ 2) AS ss FROM scored, f GROUP BY p, n),
     m AS (SELECT pgfit.logistic_calibration(y, s) AS a, pgfit.logistic_calibration(y, s, '{"ddof": 2, "class_ratio": 3}') AS b,
                  pgfit.logistic_calibration(y, s, '{"positive": 0}') AS c, pgfit.logistic_calibration(y, -s) AS d FROM scored)
SELECT x, test.near(pgfit.probability(a, x), 1 / (1 + exp(-(p - n) / (ss / 10) * (x - (p + n) / 2)))) AS plain,
       test.near(pgfit.probability(b, x), 1 / (1 + exp(-(p - n) / (ss / 8) * (x - (p + n) / 2)) / 3)) AS options,
       test.near(pgfit.probability(c, x), 1 - pgfit.probability(a, x)) AS other,
       test.near(pgfit.probability(d, -x), pgfit.probability(a, x)) AS falling, pgfit.classify(a, x) AS class
FROM m, v, (VALUES (-2), (0.3), (0.425), (0.5), (2)) t(x);
-- from moments, merged; weights as repetition
SELECT test.near_all(pgfit.parameter(pgfit.fit('logistic_calibration', pgfit.merge(e)), 'map'), pgfit.parameter(pgfit.logistic_calibration(y, s), 'map'), 1e-14) AS moments
FROM scored, (SELECT pgfit.class_moments(y, s) AS e FROM scored) c GROUP BY e;

-- the first rows of a window ended the query
SELECT array_agg(m IS NOT NULL ORDER BY s) AS fitted FROM (SELECT s, pgfit.logistic_calibration(y, s) OVER (ORDER BY s) AS m FROM scored) w;
-- maximum likelihood: the gradient is 0, without smoothing the mean probability is the share of the class
SELECT test.near(avg(pgfit.probability(m, s)), 0.5, 1e-12) AS mean, test.near(avg(pgfit.probability(m, s) * s), avg(y * s), 1e-12) AS score,
       bool_and((pgfit.info(m) ->> 'converged')::boolean) AS converged
FROM scored, (SELECT pgfit.platt_calibration(y, s, '{"smoothing": false}') AS m FROM scored) f;
WITH f AS (SELECT pgfit.platt_calibration(y, s) AS m, pgfit.platt_calibration(y, 1e9 + s * 1e-3) AS moved FROM scored)
SELECT test.near(avg(pgfit.probability(m, s)), 0.5) AS mean, test.near(avg(pgfit.probability(m, s) * s), avg(CASE y WHEN 1 THEN 6 / 7.0 ELSE 1 / 7.0 END * s)) AS score,
       bool_and(test.near(pgfit.probability(m, s), pgfit.probability(moved, 1e9 + s * 1e-3), 1e-3)) AS offset
FROM scored, f;
SELECT round(pgfit.probability(pgfit.platt_calibration(y, s), 2)::numeric, 6) AS separable FROM (VALUES (0, 0), (0, 1), (1, 2), (1, 3)) r(y, s);
-- scores that separate the classes, also where they meet in one score, gave a steep curve without a word if smoothing was off
SELECT round(gap * 2) AS gap, (pgfit.info(pgfit.platt_calibration(y, s, '{"smoothing": false}')) ->> 'converged')::boolean AS converged
FROM generate_series(-0.5, 0.5, 0.5) AS gap, LATERAL (VALUES (0, 0.0), (0, 1), (1, 1 + gap), (1, 3)) AS r(y, s) GROUP BY gap ORDER BY gap;
SELECT (pgfit.info(pgfit.platt_calibration(y, s, '{"max_iter": 1}')) ->> 'converged')::boolean AS one_step FROM scored;

-- isotonic: blocks, steps, lines, falling, ties
SELECT pgfit.info(m) #>> '{statistics,blocks}' AS blocks,
       (SELECT array_agg(round(p::numeric, 6)) FROM unnest(pgfit.parameter(m, 'map')) p) AS map
FROM (SELECT pgfit.isotonic_calibration(y, s) AS m FROM scored) f;
WITH m AS (SELECT pgfit.isotonic_calibration(y, s) AS step, pgfit.isotonic_calibration(y, s, '{"interpolation": "linear"}') AS line,
                  pgfit.isotonic_calibration(y, -s, '{"direction": "decreasing"}') AS falling,
                  pgfit.isotonic_calibration(y, -s, '{"direction": "auto"}') AS automatic FROM scored)
SELECT x, round(pgfit.probability(step, x)::numeric, 6) AS step, round(pgfit.probability(line, x)::numeric, 6) AS line,
       round(pgfit.probability(falling, -x)::numeric, 6) AS falling, falling::text = replace(automatic::text, '"auto"', '"decreasing"') AS automatic
FROM m, (VALUES (-5), (0.1), (0.2), (0.25), (0.3), (0.4), (0.6), (0.65), (0.75), (5)) t(x);
SELECT pgfit.probability(pgfit.isotonic_calibration(y, s), 1) AS constant FROM (VALUES (0, 1), (1, 1), (1, 1), (0, 1)) r(y, s);
SELECT bool_and(p >= before) AS rising, test.near(avg(p), avg(y)) AS mean
FROM (SELECT y, pgfit.probability(m, s) AS p, coalesce(lag(pgfit.probability(m, s)) OVER (ORDER BY s), 0) AS before
      FROM (SELECT i * 7919 % 17 % 3 % 2 AS y, sin(i) AS s FROM generate_series(1, 500) i) r,
           (SELECT pgfit.isotonic_calibration(i * 7919 % 17 % 3 % 2, sin(i)) AS m FROM generate_series(1, 500) i) f) x;

-- refused
SELECT test.try('SELECT pgfit.logistic_calibration(1, s) FROM scored');
SELECT test.try('SELECT pgfit.isotonic_calibration(1, s) FROM scored');
SELECT test.try('SELECT pgfit.platt_calibration(1, s) FROM scored');
SELECT test.try('SELECT pgfit.logistic_calibration(y, 0.1) FROM scored');
SELECT test.try('SELECT pgfit.logistic_calibration(y, y / 10.0) FROM scored');
-- a class with almost no weight once gave a model that could not be read back
SELECT test.try('SELECT pgfit.platt_calibration(y, s, ''{}'', CASE y WHEN 1 THEN 1e20 ELSE 1 END) FROM scored');
SELECT test.try('SELECT pgfit.isotonic_calibration(y, s, ''{}'', CASE y WHEN 1 THEN 1e20 ELSE 1 END) FROM scored');
SELECT test.try('SELECT pgfit.logistic_calibration(y, s, ''{"class_ratio": 1e20}'') FROM scored');
SELECT test.try('SELECT pgfit.platt_calibration(y, 0.1) FROM scored');
SELECT test.try('SELECT pgfit.logistic_calibration(y, s, ''{"ddof": 2}'') FROM (VALUES (0, 1), (1, 2)) r(y, s)');
SELECT test.try('SELECT pgfit.isotonic_calibration(round(s * 10), s) FROM scored');
SELECT test.try('SELECT pgfit.isotonic_calibration(y, (s, s)) FROM scored');
SELECT test.try('SELECT pgfit.logistic_calibration(y, ''a''::text) FROM scored');
SELECT test.try('SELECT pgfit.isotonic_calibration(y, ''NaN''::float8) FROM scored');
SELECT test.try('SELECT pgfit.logistic_calibration(y, s, ''{"class_ratio": 0}'') FROM scored');
SELECT test.try('SELECT pgfit.isotonic_calibration(y, s, ''{"positive": 2}'') FROM scored');
SELECT pgfit.isotonic_calibration(y, s) IS NULL AS none, pgfit.logistic_calibration(y, s) IS NULL AS no_moments, pgfit.platt_calibration(NULL::int, s) IS NULL AS no_label
FROM scored WHERE s > 5;
SELECT pgfit.probability(pgfit.isotonic_calibration(y, s), NULL::float8) IS NULL AS no_score FROM scored;

-- joined to a classifier
CREATE TEMP TABLE points AS
SELECT i, CASE WHEN sin(i) + cos(i * 3.0) / 2 > 0.1 THEN 'in' ELSE 'out' END AS t, sin(i) + sin(i * 5.0) / 3 AS a, cos(i * 3.0) AS b,
       (ARRAY['x', 'y', 'z'])[1 + i % 3] AS k
FROM generate_series(1, 300) i;
CREATE TEMP TABLE joined AS
WITH m AS (SELECT pgfit.nearest_centroid(t, (a, b)) AS m FROM points),
     c AS (SELECT m, pgfit.logistic_calibration(t, pgfit.decision(m, (a, b))) AS logistic, pgfit.isotonic_calibration(t, pgfit.decision(m, (a, b))) AS isotonic,
                  pgfit.platt_calibration(t, pgfit.decision(m, (a, b))) AS platt FROM points, m GROUP BY m)
SELECT kind, m, calibration, pgfit.calibrate(m, calibration) AS j
FROM c, LATERAL (VALUES ('logistic', logistic), ('isotonic', isotonic), ('platt', platt)) k(kind, calibration);
SELECT kind, bool_and(pgfit.probability(j, (a, b)) = pgfit.probability(calibration, pgfit.decision(m, (a, b)))) AS probability,
       bool_and(pgfit.decision(j, (a, b)) = pgfit.decision(m, (a, b))) AS decision,
       bool_and(pgfit.classify(j, (a, b)) = CASE WHEN pgfit.probability(j, (a, b)) > 0.5 THEN 'out' ELSE 'in' END) AS class,
       pgfit.log_loss(t, pgfit.probability(j, (a, b))) < 0.6 AS useful
FROM joined, points GROUP BY kind ORDER BY kind;
-- a calibrated model is a value like any other
SELECT kind, j::text::pgfit.model::text = j::text AS text, j::jsonb::pgfit.model::text = j::text AS jsonb, pgfit.info(j) ->> 'calibrated' AS calibrated,
       pgfit.calibrate(j, calibration)::text = j::text AS again, pgfit.decision_rule(j, '{}')::text = j::text AS no_rule
FROM joined ORDER BY kind;
-- several classes: one calibration per class, divided by their sum; of probabilities if a model has no decisions
WITH m AS (SELECT pgfit.nearest_centroid(k, (a, b)) AS m FROM points),
     c AS (SELECT m, ARRAY[pgfit.isotonic_calibration(k = 'x', (pgfit.decisions(m, (a, b)))[1]), pgfit.isotonic_calibration(k = 'y', (pgfit.decisions(m, (a, b)))[2]),
                           pgfit.isotonic_calibration(k = 'z', (pgfit.decisions(m, (a, b)))[3])] AS cs FROM points, m GROUP BY m)
SELECT bool_and(test.near((SELECT sum(p) FROM unnest(pgfit.probabilities(j, (a, b))) p), 1)) AS sums,
       bool_and((pgfit.classes(j))[1 + (SELECT count(*) FROM unnest((pgfit.probabilities(j, (a, b)))[1:2]) WITH ORDINALITY u(p, n)
                 WHERE (n = 1 AND p < greatest((pgfit.probabilities(j, (a, b)))[2], (pgfit.probabilities(j, (a, b)))[3]))
                    OR (n = 2 AND (pgfit.probabilities(j, (a, b)))[1] < (pgfit.probabilities(j, (a, b)))[3] AND p < (pgfit.probabilities(j, (a, b)))[3]))]
                = pgfit.classify(j, (a, b))) AS class
FROM points, c, LATERAL (SELECT pgfit.calibrate(m, cs) AS j) x;
WITH m AS (SELECT pgfit.knn_classifier(t, (a, b), 15) AS m FROM points),
     c AS (SELECT m, pgfit.isotonic_calibration(t, pgfit.probability(m, (a, b))) AS c FROM points, m GROUP BY m)
SELECT bool_and(pgfit.probability(pgfit.calibrate(m, c), (a, b)) = pgfit.probability(c, pgfit.probability(m, (a, b)))) AS prepared,
       pgfit.info(pgfit.calibrate(m, c)) ->> 'calibrated' AS calibrated
FROM points, c WHERE i < 40 GROUP BY m, c;
-- a row without a score has no probability either
SELECT pgfit.decision(f.m, (0.0, 0.0)) IS NULL AS no_decision, pgfit.probability(c.c, (0.0, 0.0)) IS NULL AS no_probability, pgfit.classify(c.c, (0.0, 0.0)) IS NULL AS no_class
FROM (SELECT pgfit.nearest_centroid(t, (a, b), '{"metric": "cosine"}') AS m FROM points) f, joined, pgfit.calibrate(f.m, calibration) AS c(c) WHERE kind = 'platt';

-- refused
SELECT test.try('SELECT pgfit.calibrate(calibration, m) FROM joined');
SELECT test.try('SELECT pgfit.calibrate(m, m) FROM joined');
SELECT test.try('SELECT pgfit.calibrate(calibration, calibration) FROM joined');
SELECT test.try('SELECT pgfit.calibrate(m, ARRAY[calibration, calibration]) FROM joined');
SELECT test.try('SELECT pgfit.calibrate(m, ARRAY[NULL]::pgfit.model[]) FROM joined');
SELECT test.try('SELECT pgfit.calibrate(m, (SELECT pgfit.isotonic_calibration(t, a, ''{"positive": "in"}'') FROM points)) FROM joined');
SELECT test.try('SELECT pgfit.calibrate((SELECT pgfit.linear_regression(a, b) FROM points), calibration) FROM joined');
SELECT test.try('SELECT pgfit.calibrate((SELECT pgfit.class_moments(t, b) FROM points), calibration) FROM joined');
SELECT test.try('SELECT pgfit.calibrate((SELECT pgfit.nearest_centroid(k, a) FROM points), calibration) FROM joined');
-- forged
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j::jsonb, '{arrays,calibration_maps}', '[1, 3, 1, 0]'))) FROM joined WHERE kind = 'logistic';
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j::jsonb, '{arrays,calibration_maps}', '[2, 3, 1, 0, 0.5]'))) FROM joined WHERE kind = 'logistic';
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j::jsonb, '{arrays,calibration_maps}', '[2, 3, 0, 1, 1.5]'))) FROM joined WHERE kind = 'logistic';
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j::jsonb, '{arrays,calibration_of}', '[1]'))) FROM joined WHERE kind = 'logistic';
SELECT test.try(format('SELECT %L::pgfit.model', j::jsonb #- '{arrays,calibration_maps}')) FROM joined WHERE kind = 'logistic';
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(calibration::jsonb, '{arrays,map}', '[2, 6, 0, 1, 0.5, 1, 2, 0.6]'))) FROM joined WHERE kind = 'logistic';
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(calibration::jsonb, '{arrays,map}', '[9, 1, 0]'))) FROM joined WHERE kind = 'logistic';
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(calibration::jsonb, '{arrays,priors}', '[1, 0]'))) FROM joined WHERE kind = 'logistic';
-- scores with the same mean in both classes have no center d0: it was infinite
SELECT pgfit.info(m) -> 'statistics' ->> 'gamma' AS gamma, pgfit.info(m) -> 'statistics' ? 'd0' AS d0, test.near(pgfit.probability(m, 2.0), (2.0 / 3 + 2 * 1.0 / 4) / 3, 1e-12) AS mean_of_smoothed_targets
FROM (SELECT pgfit.platt_calibration(s = 2, s) AS m FROM unnest(ARRAY[1.0::float8, 2, 3]) AS s) AS t;
-- scores whose mean is a number, but whose deviations from it are none
SELECT test.try($$SELECT pgfit.platt_calibration(i % 2 = 0, CASE i WHEN 1 THEN 1.2e308 WHEN 2 THEN 0 WHEN 3 THEN 0 WHEN 4 THEN 0 ELSE -0.75e308 END ORDER BY i) FROM generate_series(1, 60) AS i$$);
