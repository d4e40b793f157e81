-- Tables of bench/logistic.py: labels drawn from logistic models, so that the classes overlap.
\set feature '(random() + random() + random() + random() - 2) * 1.7320508'
SELECT setseed(0.75) AS seed \gset

SELECT format('CREATE TABLE logistic_%s AS SELECT (0.3 + 0.8 * x[1] - 0.5 * x[2] + 0.4 * x[3] + ln(u / (1 - u)) > 0)::int AS y, '
              '(0.8 * x[1] + ln(u / (1 - u)) > 0)::int + (x[2] + 0.5 * x[3] - ln(-ln(v)) > 0.5)::int * 2 AS k, x '
              'FROM (SELECT ARRAY[%s] AS x, random() * 0.999998 + 0.000001 AS u, random() * 0.999998 + 0.000001 AS v FROM generate_series(1, %s) OFFSET 0) f', d,
              (SELECT string_agg('(random() + random() + random() + random() - 2) * 1.7320508', ', ') FROM generate_series(1, d)), (:rows * 10 / d)::bigint)
FROM unnest(ARRAY[10, 50, 100, 200]) AS d \gexec

SELECT format('CREATE VIEW logistic_%1$s_3 AS SELECT least(k, 2) AS y, x FROM logistic_%1$s', d) FROM unnest(ARRAY[50, 100, 200]) AS d \gexec

-- Groups, each with a model of its own, and models to score with.
CREATE TABLE logistic_groups AS SELECT (random() * :rows)::int % (:rows / 100) AS g, y, x[1:3] AS x FROM logistic_10;
CREATE TABLE logistic_models AS
SELECT pgfit.logistic_regression(y, x) AS two, pgfit.logistic_regression(k, x) AS four, pgfit_textbook.logistic_start(pgfit.class_moments(y, x)) AS started
FROM (SELECT * FROM logistic_10 LIMIT 10000) t;
