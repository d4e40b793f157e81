-- Tables of bench/lasso_regression.py: features that share a factor, and a target that a few of them explain.
SELECT setseed(0.75) AS seed \gset

SELECT format('CREATE TABLE lasso_50 AS SELECT i %% 10 AS fold, x[1] - 2 * x[11] + x[21] + 0.5 * x[31] + 4 * random() AS y, x '
              'FROM (SELECT i, ARRAY[%s] AS x FROM (SELECT i, random() AS u FROM generate_series(1, %s) AS i OFFSET 0) f OFFSET 0) g',
              (SELECT string_agg('random() + u', ', ') FROM generate_series(1, 50)), :rows) \gexec

SELECT format('CREATE TABLE lasso_1000 AS SELECT (SELECT sum(v * sin(j) * (j %% 20 = 0)::int) FROM unnest(x) WITH ORDINALITY AS t(v, j)) '
              '+ 4 * random() AS y, x FROM (SELECT ARRAY[%s] AS x FROM (SELECT random() AS u FROM generate_series(1, %s) AS i OFFSET 0) f OFFSET 0) g',
              (SELECT string_agg('random() + u', ', ') FROM generate_series(1, 1000)), greatest(2000, (20000 * :scale)::int)) \gexec

CREATE TABLE lasso_few AS SELECT y, x FROM lasso_50 LIMIT greatest(2000, :rows / 10);

CREATE TABLE lasso_moments AS
SELECT 50 AS d, pgfit.moments(y, x, '{"folds": 10}') AS folded, pgfit.moments(y, x) AS e FROM lasso_50;
INSERT INTO lasso_moments SELECT 1000, NULL, pgfit.moments(y, x) FROM lasso_1000;
