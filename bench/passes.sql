-- Table of bench/passes.py: 10,000,000 rows of ten features and two classes.
SELECT setseed(0.5) AS seed \gset
CREATE TABLE passes AS
SELECT a - b + c / 2 + ln(u / (1 - u)) > 0 AS y, a, b, c, d, e, f, g, h, i, j
FROM (SELECT random() AS a, random() AS b, random() AS c, random() AS d, random() AS e, random() AS f, random() AS g, random() AS h, random() AS i,
             random() AS j, 0.000001 + 0.999998 * random() AS u FROM generate_series(1, :rows * 10)) AS r;
ALTER TABLE passes SET (parallel_workers = 2);
