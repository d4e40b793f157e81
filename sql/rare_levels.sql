-- a rare class and a level in which nearly all rows are of it: steps from the null model must not jump past the maximum to where nothing leads back
CREATE TABLE overlapping AS
SELECT (i <= 9)::int AS y, 0 AS flag FROM generate_series(1, 1343) AS i UNION ALL SELECT (i <= 22)::int, 1 FROM generate_series(1, 24) AS i;
CREATE TABLE expected AS SELECT ln(9 / 1334.0) AS base, ln(22 / 2.0) - ln(9 / 1334.0) AS slope;
SELECT method, (pgfit.info(m) ->> 'converged')::bool AS converged, (pgfit.info(m) ->> 'iterations')::int <= 20 AS quick, abs(c.estimate - slope) < 1e-6 AS right
FROM (SELECT pgfit.logistic_regression(y, o, 'flag') AS plain, pgfit.logistic_regression(y, o, '{"formula": "flag", "lambda": 1e-9, "penalty": "l1"}') AS lasso,
             pgfit.ordinal_regression(y, o, 'flag') AS ordinal, pgfit.glm(y, o, '{"formula": "flag", "family": "binomial"}') AS binomial,
             pgfit.fit('logistic_regression', 'overlapping', 'y ~ flag', '{"passes": true}') AS passes,
             pgfit.fit('glm', 'overlapping', 'y ~ flag', '{"passes": true, "family": "binomial"}') AS glm_passes
      FROM overlapping AS o) AS f,
     LATERAL (VALUES (1, 'logistic', plain), (2, 'l1', lasso), (3, 'ordinal', ordinal), (4, 'binomial', binomial), (5, 'passes', passes), (6, 'binomial, passes', glm_passes)) AS v(i, method, m),
     LATERAL pgfit.coefficients(m) AS c, expected WHERE c.term = 'flag' ORDER BY i;
-- the same among many columns, where gradients lead near the maximum; and where the level has one class
CREATE TABLE wide AS
SELECT *, ARRAY[flag] || (SELECT array_agg(sin(n * k)) FROM generate_series(1, 30) AS k) AS x
FROM (SELECT *, row_number() OVER (ORDER BY y, flag) AS n FROM overlapping, generate_series(1, 2)) AS o;
SET client_min_messages = error;
SELECT (pgfit.info(steps) ->> 'converged')::bool AS converged, abs(c.estimate - d.estimate) < 1e-6 AS as_by_glm, (pgfit.info(one) ->> 'converged')::bool AS one_class_converged
FROM (SELECT pgfit.logistic_regression(y, x) AS steps, pgfit.glm(y, x, '{"family": "binomial"}') AS other, pgfit.logistic_regression(greatest(y, flag), x) AS one FROM wide) AS f,
     pgfit.coefficients(steps) AS c, pgfit.coefficients(other) AS d WHERE c.term = 'f1' AND d.term = 'f1';
RESET client_min_messages;
DROP TABLE wide;

-- maxima that look like none: one far value makes the curvature of its column at the start; three classes, of which few rows have the level; and an amount of nearly 0
SELECT (pgfit.info(m) ->> 'converged')::bool AS converged, round((pgfit.info(m) -> 'statistics' ->> 'log_likelihood')::numeric, 3) AS log_likelihood, count(c.std_error) AS errors
FROM (SELECT pgfit.logistic_regression(CASE WHEN i = 7 THEN true ELSE (i * 7919 % 1000) / 1000.0 < 1 / (1 + exp(-(i % 21 - 10) / 4.0)) END,
                                       ARRAY[CASE WHEN i = 7 THEN 99999999 ELSE i % 21 - 10 END]) AS m FROM generate_series(1, 1000) AS i) AS f,
     pgfit.coefficients(m) AS c GROUP BY m;
SELECT (pgfit.info(m) ->> 'converged')::bool AS converged, round((pgfit.info(m) -> 'statistics' ->> 'log_likelihood')::numeric, 3) AS log_likelihood
FROM (SELECT pgfit.logistic_regression(y, ARRAY[a, c]) AS m
      FROM (VALUES (0, 0, -1, 1), (0, 0, 0, 5), (0, 0, 1, 5), (0, 0, 2, 3), (0, 1, -2, 1), (0, 1, -1, 3), (0, 1, 0, 2), (0, 1, 1, 3), (0, 1, 2, 2), (1, 0, -3, 1), (1, 0, -1, 2), (1, 0, 1, 2),
                   (1, 1, -4, 1), (1, 1, -3, 39), (1, 1, -2, 407), (1, 1, -1, 962), (1, 1, 0, 19), (1, 1, 1, 2), (1, 1, 2, 2), (2, 0, 1, 2), (2, 1, -2, 1), (2, 1, -1, 748), (2, 1, 0, 2471),
                   (2, 1, 1, 1629), (2, 1, 2, 385), (2, 1, 3, 44)) AS cells (y, a, c, n), generate_series(1, n)) AS f;
SELECT (pgfit.info(m) ->> 'converged')::bool AS converged, round(c.estimate::numeric, 4) AS estimate
FROM (SELECT pgfit.gamma_regression(CASE WHEN i = 5 THEN 5.5e-17 ELSE exp(0.5 * sin(i) + sin(i * i)) END, ARRAY[sin(i), (i = 5)::int]) AS m FROM generate_series(1, 2000) AS i) AS f,
     pgfit.coefficients(m) AS c WHERE c.term = 'f2';

-- no overlap: there is no maximum, and no standard errors
CREATE TABLE one_class AS
SELECT rest, base, level, (i <= base)::int AS y, 0 AS flag FROM unnest('{100,400,5000}'::int[]) AS rest, unnest('{2,20}'::int[]) AS base, unnest('{1,2,10}'::int[]) AS level, generate_series(1, rest + base) AS i
UNION ALL SELECT rest, base, level, 1, 1 FROM unnest('{100,400,5000}'::int[]) AS rest, unnest('{2,20}'::int[]) AS base, unnest('{1,2,10}'::int[]) AS level, generate_series(1, level);
SET client_min_messages = error;
SELECT method, count(*) AS fits, count(*) FILTER (WHERE (pgfit.info(m) ->> 'converged')::bool) AS converged,
       count(*) FILTER (WHERE EXISTS (SELECT FROM pgfit.coefficients(m) WHERE std_error IS NOT NULL)) AS with_errors
FROM (SELECT pgfit.logistic_regression(y, o, 'flag') AS two, pgfit.logistic_regression(y + flag, o, 'flag') AS three, pgfit.ordinal_regression(y, o, 'flag') AS ordinal
      FROM one_class AS o GROUP BY rest, base, level) AS f,
     LATERAL (VALUES (1, 'two classes', two), (2, 'three classes', three), (3, 'ordinal', ordinal)) AS v(i, method, m)
GROUP BY i, method ORDER BY i;
RESET client_min_messages;
-- some rows of three classes: not all of them
SELECT pgfit.info(pgfit.logistic_regression(y + (i % 3), o, 'level')) -> 'converged' AS converged
FROM (SELECT i, (i % 7 > 2)::int AS y, CASE WHEN i % 3 = 2 THEN 'a' WHEN i % 2 = 0 THEN 'b' ELSE 'c' END AS level FROM generate_series(1, 200) AS i) AS o;

-- times until a rare event, of which a few rows have nearly all: the coefficient is where the likelihood is highest, and bounded
CREATE TABLE times AS
SELECT CASE WHEN i % 300 = 0 THEN i / 30 ELSE 1 + i * 7919 % 499 END AS time, i % 300 = 0 AS event, 0 AS flag FROM generate_series(1, 3000) AS i UNION ALL SELECT 2 + i, i <> 20, 1 FROM generate_series(1, 25) AS i;
SELECT (pgfit.info(m) ->> 'converged')::bool AS converged, c.std_error < 2 AS bounded, l.at > greatest(l.below, l.above) AS highest
FROM (SELECT pgfit.cox_regression(time, t, '{"formula": "flag", "event": "event", "ties": "breslow"}') AS m FROM times AS t) AS f, LATERAL pgfit.coefficients(m) AS c,
     LATERAL (SELECT sum(ones * b - events * ln(rest + level * exp(b))) FILTER (WHERE step = 0) AS at, sum(ones * b - events * ln(rest + level * exp(b))) FILTER (WHERE step < 0) AS below,
                     sum(ones * b - events * ln(rest + level * exp(b))) FILTER (WHERE step > 0) AS above
              FROM (SELECT count(*) FILTER (WHERE t.time = e.time AND t.event) AS events, count(*) FILTER (WHERE t.time = e.time AND t.event AND t.flag = 1) AS ones,
                           count(*) FILTER (WHERE t.flag = 0) AS rest, count(*) FILTER (WHERE t.flag = 1) AS level
                    FROM (SELECT DISTINCT time FROM times WHERE event) AS e JOIN times AS t ON t.time >= e.time GROUP BY e.time) AS risk,
                   LATERAL (SELECT step, c.estimate + step AS b FROM unnest('{-0.01,0,0.01}'::float8[]) AS step) AS steps) AS l;
DROP TABLE overlapping, expected, one_class, times;
