-- Theil-Sen: the median of the slopes of all pairs, against all slopes; limits, edges and refusals
CREATE TABLE slope_rows AS
SELECT i AS id, i % 4 AS g, (i * 7919 % 1009) / 100.0::float8 AS a, 2 + 3 * (i * 7919 % 1009) / 100.0::float8 + (i * 3571 % 2003) / 500.0::float8 + CASE WHEN i % 5 = 0 THEN 1000 ELSE 0 END AS y, i % 6 AS few, i * 13 % 7 AS whole
FROM generate_series(1, 200) AS i;
CREATE FUNCTION all_slopes(column_name text, target text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    slope float8;
BEGIN
    EXECUTE format('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (q.%2$I - p.%2$I)::float8 / (q.%1$I - p.%1$I)::float8) FROM slope_rows AS p, slope_rows AS q WHERE p.%1$I < q.%1$I', column_name, target) INTO slope;
    RETURN slope;
END $$;

SELECT pgfit.summary(pgfit.theil_sen(y, s, 'a')) FROM slope_rows AS s;
SELECT test.near(b.estimate, all_slopes('a', 'y'), 1e-13) AS slope, test.near(a.estimate, (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY y) - b.estimate * percentile_cont(0.5) WITHIN GROUP (ORDER BY s.a) FROM slope_rows AS s), 1e-12) AS intercept,
       b.conf_low < b.estimate AND b.estimate < b.conf_high AS inside, a.conf_low IS NULL AND b.std_error IS NULL AS no_more, (pgfit.info(m) -> 'statistics' ->> 'pairs')::bigint = 200 * 199 / 2 AS pairs
FROM (SELECT pgfit.theil_sen(y, ARRAY[a]) AS m FROM slope_rows) AS f, pgfit.coefficients(m) AS a, pgfit.coefficients(m) AS b WHERE a.term = '(intercept)' AND b.term <> '(intercept)';
-- ties of the feature have no slope, ties of slopes count as often as they come
SELECT test.near(estimate, all_slopes('few', 'whole'), 1e-15) AS ties FROM (SELECT pgfit.theil_sen(whole, few) AS m FROM slope_rows) AS f, pgfit.coefficients(m) WHERE term <> '(intercept)';
SELECT estimate, conf_low, conf_high FROM (SELECT pgfit.theil_sen(3 * few + 1, few) AS m FROM slope_rows) AS f, pgfit.coefficients(m);
-- units and order of rows
SELECT s, bool_and(test.near(a.estimate * s * s, b.estimate, 1e-12) AND test.near(a.conf_low * s * s, b.conf_low, 1e-12)) AS scaled
FROM (SELECT s, pgfit.theil_sen(y, ARRAY[a]) AS m, pgfit.theil_sen(y * s, ARRAY[a / s] ORDER BY -id) AS n FROM slope_rows, unnest('{1e-140,1e140}'::float8[]) AS s GROUP BY s) AS f, pgfit.coefficients(m) AS a JOIN LATERAL pgfit.coefficients(n) AS b USING (term)
WHERE term <> '(intercept)' GROUP BY s ORDER BY s;
SELECT test.near(pgfit.predict(m, ROW(2.0)), a.estimate + 2 * b.estimate, 1e-12) AS predicts, m::text::pgfit.model::text = m::text AS text, pgfit.to_sql(m) ~ 'x\[1\]' AS sql
FROM (SELECT pgfit.theil_sen(y, ARRAY[a]) AS m FROM slope_rows) AS f, pgfit.coefficients(m) AS a, pgfit.coefficients(m) AS b WHERE a.term = '(intercept)' AND b.term <> '(intercept)';
SELECT g, count(*) AS terms FROM (SELECT g, pgfit.theil_sen(y, s, 'log(a + 1)') AS m FROM slope_rows AS s GROUP BY g) AS f, pgfit.coefficients(m) GROUP BY g ORDER BY g;
SELECT count(m) AS models FROM (SELECT pgfit.theil_sen(y, a) OVER (ORDER BY id ROWS 3 PRECEDING) AS m FROM slope_rows) AS f;
-- edges
SELECT term, estimate, conf_low, conf_high FROM (SELECT pgfit.theil_sen(y, x) AS m FROM (VALUES (1.0, 1.0), (3.0, 2.0)) AS t(y, x)) AS f, pgfit.coefficients(m);
SELECT term, estimate, conf_low, conf_high FROM (SELECT pgfit.theil_sen(5, a) AS m FROM slope_rows) AS f, pgfit.coefficients(m);
SELECT pgfit.theil_sen(y, a) IS NULL AS no_rows FROM slope_rows WHERE false;
SELECT test.try('SELECT pgfit.theil_sen(y, a) FROM slope_rows WHERE id = 1');
SELECT test.try('SELECT pgfit.theil_sen(y, 7) FROM slope_rows');
SELECT test.try('SELECT pgfit.theil_sen(y, ROW(a, few)) FROM slope_rows');
SELECT test.try('SELECT pgfit.theil_sen(y, a, ''{}'', few + 1) FROM slope_rows');
SELECT round(estimate::numeric, 4) AS with_huge_targets FROM (SELECT pgfit.theil_sen(CASE WHEN id = 1 THEN 1e308 WHEN id = 2 THEN -1e308 ELSE y END, a) AS m FROM slope_rows) AS f, pgfit.coefficients(m) WHERE term <> '(intercept)';
SELECT estimate AS of_two_targets FROM (SELECT pgfit.theil_sen(CASE WHEN id % 2 = 1 THEN 1.7e308 ELSE -1.7e308 END, a) AS m FROM slope_rows) AS f, pgfit.coefficients(m) WHERE term <> '(intercept)';
SELECT test.try('SELECT pgfit.theil_sen(y * 1e300, a * 1e-300) FROM slope_rows');
DROP FUNCTION all_slopes;
DROP TABLE slope_rows;
