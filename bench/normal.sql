-- Tables of bench/normal.py: classes with different means.
SELECT setseed(0.75) AS seed \gset

SELECT format('CREATE TABLE normal_%s AS SELECT y, ARRAY[%s] AS x FROM (SELECT (random() * %s)::int %% %s AS y, random() AS u '
              'FROM generate_series(1, %s) OFFSET 0) f', name,
              (SELECT string_agg(format('%s * u + %s * y + random() + random()', round(cos(j)::numeric, 3), round((sin(3 * j) / classes)::numeric, 3)), ', ')
               FROM generate_series(1, d) AS j), classes * 1000, classes, :rows)
FROM (VALUES ('2', 10, 2), ('10', 10, 10), ('50', 50, 2)) AS t (name, d, classes) \gexec

CREATE TABLE normal_text AS SELECT 'class ' || y AS y, x FROM normal_10;
CREATE TABLE normal_models AS
SELECT pgfit.naive_bayes(y, x) AS naive_bayes, pgfit.lda(y, x) AS lda, pgfit.qda(y, x) AS qda FROM normal_10;
