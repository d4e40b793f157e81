-- Table of bench/survival.py: times of which a third are censored; the first of x tells whether the event happened.
SELECT setseed(0.25) AS seed \gset

CREATE TABLE survival_10 AS
SELECT ceil(least(t, c) * 1000) AS y, ARRAY[(t <= c)::int, x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10]] AS x
FROM (SELECT x, -ln(1 - random()) * exp(x[1] - x[2] + x[3] / 2) AS t, -2 * ln(1 - random()) AS c
      FROM (SELECT (SELECT array_agg(random() + (i + j) * 0) FROM generate_series(1, 10) AS j) AS x FROM generate_series(1, greatest(1000, :rows / 10)) AS i OFFSET 0) AS f OFFSET 0) AS g;
CREATE VIEW survival_rows AS SELECT y, x[1] > 0 AS event, x[2] AS a, x[3] AS b, x[4] AS c, x[5] AS d, x[6] AS e, x[7] AS f, x[8] AS g, x[9] AS h, x[10] AS i, x[11] AS j FROM survival_10;
