-- Huber's M-estimates: equations, their errors, outliers, edges and refusals
CREATE TABLE huber_rows AS
SELECT i AS id, 1 + i % 3 AS w, i % 4 AS g, (i * 7919 % 1009) / 100.0::float8 AS a, (ARRAY['x', 'y', 'z'])[1 + i * 31 % 3] AS c,
       2 + 3 * (i * 7919 % 1009) / 100.0::float8 + ((i * 3571 % 2003) / 1000.0::float8 - 1) ^ 3 + (i * 31 % 3) AS y
FROM generate_series(1, 400) AS i;

SELECT pgfit.summary(pgfit.huber_regression(y, h, 'a + c')) FROM huber_rows AS h;
-- the estimating equations: residuals, cut at k scale, add up to 0 with each feature; the scale is the median of their sizes
SELECT scale, abs(sum(psi)) < 1e-7 AND abs(sum(psi * a)) < 1e-7 AND abs(sum(psi) FILTER (WHERE c = 'y')) < 1e-7 AS orthogonal,
       scale = 'proposal2' OR test.near(percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(r)) / 0.6745, s, 1e-9) AS mad
FROM (SELECT h.*, scale, s, r, greatest(-1.345 * s, least(1.345 * s, r)) AS psi
      FROM (SELECT scale, m, (pgfit.info(m) -> 'statistics' ->> 'scale')::float8 AS s
            FROM (SELECT scale, pgfit.huber_regression(y, h, jsonb_build_object('formula', 'a + c', 'scale', scale)) AS m FROM huber_rows AS h, unnest('{mad,proposal2}'::text[]) AS scale GROUP BY scale) AS t) AS f,
           huber_rows AS h, LATERAL (SELECT y - pgfit.predict(m, h) AS r) AS e) AS u
GROUP BY scale, s ORDER BY scale;
-- the estimate moves and scales with the target; a large k is least squares; rows far off move it little, and not further the farther they are
SELECT test.near_all(test.estimates(pgfit.huber_regression(1000 * y + 5, ROW(a))), (SELECT array_agg(1000 * e + CASE n WHEN 1 THEN 5 ELSE 0 END ORDER BY n)
       FROM unnest(test.estimates(pgfit.huber_regression(y, ROW(a)))) WITH ORDINALITY AS u(e, n)), 1e-8) AS equivariant,
       test.near_all(test.estimates(pgfit.huber_regression(y, ROW(a), '{"tuning": 1e6}')), test.estimates(pgfit.linear_regression(y, ROW(a))), 1e-9) AS least_squares,
       test.near_all(test.estimates(pgfit.huber_regression(y + CASE WHEN id % 10 = 0 THEN 1e6 ELSE 0 END, ROW(a))),
                     test.estimates(pgfit.huber_regression(y + CASE WHEN id % 10 = 0 THEN 1e9 ELSE 0 END, ROW(a))), 1e-4) AS bounded
FROM huber_rows;
-- weights that count rows are copies, in the errors too
SELECT test.near_all(array_agg(f.estimate ORDER BY f.term), array_agg(c.estimate ORDER BY f.term), 1e-8) AS estimates,
       test.near_all(array_agg(f.std_error ORDER BY f.term), array_agg(c.std_error ORDER BY f.term), 1e-8) AS errors
FROM (SELECT pgfit.huber_regression(y, h, '{"formula": "a + c", "weight_kind": "frequency"}', w) AS m FROM huber_rows AS h) AS t, pgfit.coefficients(m) AS f,
     (SELECT pgfit.huber_regression(y, h, 'a + c') AS n FROM huber_rows AS h, generate_series(1, w)) AS u, pgfit.coefficients(n) AS c WHERE f.term = c.term;
-- ways to give rows and options
SELECT count(DISTINCT (SELECT array_agg(round(e::numeric, 6)) FROM unnest(test.estimates(m)) AS e)) AS models FROM (
    SELECT pgfit.huber_regression(y, ARRAY[a]) AS m FROM huber_rows UNION ALL SELECT pgfit.huber_regression(y, h, 'a') FROM huber_rows AS h
    UNION ALL SELECT pgfit.huber_regression(y, to_jsonb(h), '{"formula": "a"}') FROM huber_rows AS h UNION ALL SELECT pgfit.huber_regression(y, a) FROM huber_rows) AS ways;
SELECT test.near(pgfit.predict(m, h), a.estimate + b.estimate * h.a + h.g, 1e-9) AS with_offset FROM (SELECT pgfit.huber_regression(y, h, 'a + offset(g)') AS m FROM huber_rows AS h) AS f, huber_rows AS h,
     pgfit.coefficients(m) AS a, pgfit.coefficients(m) AS b WHERE h.id = 7 AND a.term = '(intercept)' AND b.term = 'a';
SELECT pgfit.to_sql(pgfit.huber_regression(y, h, 'a - 1')) ~ '"a"' AS sql FROM huber_rows AS h WHERE g = 0;
SELECT term, round(estimate::numeric, 9) AS estimate FROM (SELECT pgfit.huber_regression(v, t, '1') AS m FROM (VALUES (1.0), (2.0), (3.0), (100.0)) AS t(v)) AS f, pgfit.coefficients(m);
SELECT name, help ~ 'Huber' AS found FROM pgfit.estimators() WHERE name = 'huber_regression';
SELECT test.try($$SELECT pgfit.fit('rlm', 'huber_rows', 'y ~ a')$$) ~ 'Did you mean "huber_regression"' AS synonym;
-- edges
SELECT round(estimate::numeric, 9) AS estimate, std_error FROM (SELECT pgfit.huber_regression(5, ROW(a)) AS m FROM huber_rows) AS f, pgfit.coefficients(m);
SELECT round(estimate::numeric, 9) AS estimate, std_error FROM (SELECT pgfit.huber_regression(y, ROW(x)) AS m FROM (VALUES (1.0, 1), (3.0, 2)) AS t(y, x)) AS f, pgfit.coefficients(m);
SELECT round(estimate::numeric, 6) AS exact, std_error FROM (SELECT pgfit.huber_regression(CASE WHEN id % 30 = 0 THEN id ELSE a END, ROW(a)) AS m FROM huber_rows) AS f, pgfit.coefficients(m);
SELECT test.near_all(test.estimates(pgfit.huber_regression(y * s, ROW(a))), (SELECT array_agg(e * s ORDER BY n) FROM unnest(test.estimates(pgfit.huber_regression(y, ROW(a)))) WITH ORDINALITY AS u(e, n)), 1e-8) AS scaled
FROM huber_rows, unnest('{1e-290,1e290}'::float8[]) AS s GROUP BY s;
SELECT pgfit.huber_regression(y, ROW(a)) IS NULL AS no_rows FROM huber_rows WHERE false;
SELECT term, estimate IS NULL AS dropped FROM (SELECT pgfit.huber_regression(y, ROW(a, 2 * a, 7)) AS m FROM huber_rows) AS f, pgfit.coefficients(m);
-- three quarters of the targets are 3: the scale goes to 0, and no errors of the size of rounding are left
SELECT round(estimate::numeric, 6) AS estimate, std_error FROM (SELECT pgfit.huber_regression(CASE WHEN id % 4 = 2 THEN id * id % 17 ELSE 3 END, f) AS m
      FROM generate_series(1, 28) AS id, LATERAL (SELECT id * 7 % 13 AS x, chr(97 + id % 3) AS g) AS f) AS t, pgfit.coefficients(m);
-- the residuals of a constant are still before their scale is: 4 of size 1 and 2 that are cut give sqrt(4 / (6 E - 2 k^2))
SELECT round((pgfit.info(pgfit.huber_regression(y, r, '{"formula": "1", "scale": "proposal2"}')) -> 'statistics' ->> 'scale')::numeric, 6) AS scale
FROM (SELECT unnest('{-10,-1,-1,0,1,1,10}'::float8[]) AS y) AS r;
SELECT pgfit.info(pgfit.huber_regression(y, ROW(a), '{"max_iter": 2}')) -> 'converged' AS converged FROM huber_rows;
SELECT test.try('SELECT pgfit.huber_regression(y, ROW(a, id * id % 7, w)) FROM huber_rows WHERE id < 3') ~ 'dropped|ok' AS few_rows;
SELECT test.try('SELECT pgfit.huber_regression(y, ROW(a), ''{"tuning": 0}'') FROM huber_rows');
SELECT test.try('SELECT pgfit.huber_regression(y, ROW(a), ''{"scale": "mean"}'') FROM huber_rows');
SELECT test.try('SELECT pgfit.predict_interval(pgfit.huber_regression(y, ROW(a)), ROW(1.0)) FROM huber_rows');
DROP TABLE huber_rows;
