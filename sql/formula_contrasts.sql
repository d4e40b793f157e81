-- C(x, sum), helmert and poly in formulas. Their design matrices are compared with R and patsy in test/golden/formula_designs.json.
CREATE TABLE yarn AS
SELECT i AS id, (ARRAY['A', 'B', 'C', 'D'])[1 + i % 4] AS wool, i % 3 AS tension, i * i % 11 AS speed, round((20 + i % 4 * i % 3 + 3 * sin(i))::numeric, 3)::float8 AS breaks
FROM generate_series(1, 60) AS i;
CREATE FUNCTION by_sql(m pgfit.model, row_id int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    result float8;
BEGIN
    EXECUTE format('SELECT %s FROM yarn WHERE id = %s', pgfit.to_sql(m), row_id) INTO result;
    RETURN result;
END $$;
CREATE FUNCTION terms(formula text, which text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    EXECUTE format('SELECT array_agg(c.term) FROM (SELECT pgfit.linear_regression(breaks, y, %L) AS m FROM yarn AS y WHERE %s) AS f, pgfit.coefficients(m) AS c', formula, which) INTO result;
    RETURN result;
END $$;

-- a coefficient of sum is how far a mean is from the mean of the means; of helmert, from the mean of those before it; of poly, a trend
SELECT c.term, test.near(c.estimate, CASE c.term WHEN '(intercept)' THEN middle WHEN 'C(wool, sum)=A' THEN a - middle WHEN 'C(wool, sum)=B' THEN b - middle ELSE c_mean - middle END) AS as_means
FROM (SELECT pgfit.linear_regression(breaks, y, 'C(wool, sum)') AS m FROM yarn AS y) AS f, pgfit.coefficients(m) AS c,
     (SELECT a, b, c_mean, (a + b + c_mean + d) / 4 AS middle FROM (SELECT avg(breaks) FILTER (WHERE wool = 'A') AS a, avg(breaks) FILTER (WHERE wool = 'B') AS b,
      avg(breaks) FILTER (WHERE wool = 'C') AS c_mean, avg(breaks) FILTER (WHERE wool = 'D') AS d FROM yarn) AS means) AS means;
SELECT c.term, test.near(c.estimate, CASE c.term WHEN '(intercept)' THEN (a + b + c_mean + d) / 4 WHEN 'C(wool, helmert)1' THEN (b - a) / 2
                                         WHEN 'C(wool, helmert)2' THEN (c_mean - (a + b) / 2) / 3 ELSE (d - (a + b + c_mean) / 3) / 4 END) AS as_means
FROM (SELECT pgfit.linear_regression(breaks, y, 'C(wool, contr.helmert)') AS m FROM yarn AS y) AS f, pgfit.coefficients(m) AS c,
     (SELECT avg(breaks) FILTER (WHERE wool = 'A') AS a, avg(breaks) FILTER (WHERE wool = 'B') AS b, avg(breaks) FILTER (WHERE wool = 'C') AS c_mean, avg(breaks) FILTER (WHERE wool = 'D') AS d FROM yarn) AS means;
SELECT c.term, test.near(c.estimate, CASE c.term WHEN '(intercept)' THEN (a + b + d) / 3 WHEN 'C(tension, poly)1' THEN (d - a) / sqrt(2) ELSE (a - 2 * b + d) / sqrt(6) END) AS as_means
FROM (SELECT pgfit.linear_regression(breaks, y, 'C(tension, Poly)') AS m FROM yarn AS y) AS f, pgfit.coefficients(m) AS c,
     (SELECT avg(breaks) FILTER (WHERE tension = 0) AS a, avg(breaks) FILTER (WHERE tension = 1) AS b, avg(breaks) FILTER (WHERE tension = 2) AS d FROM yarn) AS means;

-- the same predictions as by treatment contrasts, also as SQL, after a round trip and for products
SELECT f AS formula, bool_and(test.near(pgfit.predict(m, y), pgfit.predict(plain, y), 1e-9)) AS predictions, bool_and(m::text::pgfit.model::text = m::text) AS round_trip,
       bool_and(test.near(pgfit.predict(m, y), by_sql(m, y.id), 1e-9)) AS sql
FROM (VALUES ('C(wool, sum)', 'wool'), ('C(wool, helmert) * speed', 'wool * speed'), ('C(wool, poly) + C(tension, sum)', 'wool + C(tension)'),
             ('0 + C(wool, sum) + C(tension, helmert)', '0 + wool + C(tension)'), ('C(wool, sum) : C(tension, poly) : speed', 'wool : C(tension) : speed - 1 + 1'),
             ('C(wool, treatment)', 'wool')) AS l(f, p),
     LATERAL (SELECT pgfit.ridge_regression(breaks, r, 0, f) AS m, pgfit.ridge_regression(breaks, r, 0, p) AS plain FROM yarn AS r) AS fitted, yarn AS y
WHERE y.id <= 12 GROUP BY f ORDER BY f;
-- levels that the fit has not seen count as the first; NULL; one level, and two
SELECT w.wool, array_agg(round(v::numeric, 3) ORDER BY n) AS design
FROM (SELECT pgfit.linear_regression(breaks, y, 'C(wool, sum) + C(tension, helmert)') AS m FROM yarn AS y) AS f, (VALUES ('A', 0), ('D', 2), ('new', 9)) AS w(wool, tension),
     LATERAL (SELECT w.wool, w.tension) AS row, unnest(pgfit.design(m, row)) WITH ORDINALITY AS d(v, n) GROUP BY w.wool ORDER BY w.wool;
SELECT pgfit.predict(m, '{"wool": null}'::jsonb) IS NULL AS unknown FROM (SELECT pgfit.linear_regression(breaks, y, 'C(wool, sum)') AS m FROM yarn AS y) AS f;
SELECT terms('C(wool, sum) + speed', 'wool = ''A''') AS one, terms('C(wool, poly)', 'wool < ''C''') AS two;
-- any order of rows, and parts that merge
SELECT test.near_all(pgfit.parameter(pgfit.fit('linear_regression', pgfit.merge(part)), 'coef'), (SELECT pgfit.parameter(pgfit.linear_regression(breaks, y, 'C(wool, sum) * speed'), 'coef') FROM yarn AS y), 1e-9) AS merged
FROM (SELECT pgfit.moments(breaks, y, '{"formula": "C(wool, sum) * speed", "keep_rows": true}') AS part FROM yarn AS y GROUP BY wool = 'C') AS parts;

-- refusals
SELECT left(test.try(format('SELECT pgfit.linear_regression(breaks, y, %L) FROM yarn AS y', formula)), 180)
FROM unnest(ARRAY['C(wool, sdif)', 'C(wool, sum(2))', 'C(wool, sum, ref = ''B'')', 'C(wool, )']) AS formula;
SELECT test.try($$SELECT pgfit.linear_regression(n, y, '{"formula": "C(id, poly)", "max_levels": 200}') FROM generate_series(1, 96) AS g(n), LATERAL (SELECT n AS id) AS y$$);
SELECT test.try($$SELECT pgfit.linear_regression(breaks, y, '{"formula": "C(wool, sum)", "reference": {"wool": "B"}}') FROM yarn AS y$$);
DROP TABLE yarn;
DROP FUNCTION by_sql(pgfit.model, int);
DROP FUNCTION terms(text, text);
-- a category of one level: its contrasts are no columns, and as SQL a row without it had a prediction
SELECT test.try($$SELECT pgfit.to_sql(pgfit.linear_regression(y, d, 'C(g, sum) + x')) FROM (VALUES (1, 'u', 1), (2, 'u', 2), (4, 'u', 3)) AS d(y, g, x)$$);
