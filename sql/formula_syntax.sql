-- formulas as R has them: comparisons with texts, logic, pi, logarithms to a base, knots, breaks, contrasts, names f1 and f2, offsets
SET search_path = public, pgfit; -- for comparisons of models
CREATE TABLE weaves AS
SELECT i AS id, (i * i % 17 + i / 3.0)::float8 AS y, (ARRAY['A', 'B', 'it''s', NULL])[1 + i % 4] AS wool, i % 5 AS n, (i * 7 % 11)::float8 AS f1, (i * i % 13)::float8 AS f2
FROM generate_series(1, 40) AS i;
-- a comparison is a number, 0 or 1, of texts too; a NULL skips the row; scores are those of the column, to the bit, and SQL says the same
CREATE FUNCTION test.formula(formula text, expression text) RETURNS TABLE (rows bigint, skipped bigint, same_scores boolean, same_design boolean, same_sql boolean, kept boolean) LANGUAGE plpgsql AS $$
DECLARE
    m pgfit.model;
    plain pgfit.model;
BEGIN
    EXECUTE format('SELECT pgfit.ridge_regression(y, w, 1, %L ORDER BY id), pgfit.ridge_regression(y, ROW(%s), 1 ORDER BY id) FROM weaves AS w', formula, expression) INTO m, plain;
    RETURN QUERY EXECUTE format('SELECT count(p), count(*) - count(p), bool_and(p IS NOT DISTINCT FROM q), bool_and(test.near((pgfit.design($1, w))[2], x, 1e-14) IS NOT false), '
        'bool_and(test.near(p, %s, 1e-13) IS NOT false) AND count(p) = count(%1$s), $1 = $1::text::pgfit.model AND $1 = $1::jsonb::pgfit.model '
        'FROM (SELECT w, %s AS x, pgfit.predict($1, w) AS p, pgfit.predict($2, ROW(%2$s)) AS q, w.* FROM weaves AS w) AS t', pgfit.to_sql(m), expression) USING m, plain;
END $$;
SELECT formula, f.* FROM (VALUES (1, 'I(wool == ''A'')', '(wool = ''A'')::int::float8'), (3, 'I(wool != ''it''''s'')', '(wool <> ''it''''s'')::int::float8'),
    (4, 'I(wool == ''A'' & n > 2)', '(wool = ''A'')::int * (n > 2)::int::float8'), (5, 'I(wool == ''A'' | n > 2)', '(((wool = ''A'')::int + (n > 2)::int) > 0)::int::float8'),
    (6, 'I(!(wool == ''A'' | n > 2))', '(((wool = ''A'')::int + (n > 2)::int) = 0)::int::float8'), (7, 'I(3 * (wool == ''B'') - (n >= 1))', '3 * (wool = ''B'')::int::float8 - (n >= 1)::int'),
    (8, 'exp(wool == ''A'')', 'exp((wool = ''A'')::int::float8)'), (9, 'cos(2 * pi * n / 5)', 'cos(2 * pi() * n / 5)'), (10, 'log(n + 1, 3)', 'ln(n + 1::float8) / ln(3::float8)'))
    AS v(number, formula, expression), test.formula(formula, expression) AS f ORDER BY number;
SELECT test.try(format('SELECT pgfit.terms(pgfit.linear_regression(y, w, %L)) FROM weaves AS w', formula))
FROM unnest(ARRAY['I(wool == ''A'') + I(n > 2 & wool != ''B'')', 'I(wool == "A")', 'I(n == ''3'')', 'I(wool < ''B'')', 'I(wool == wool)']) AS formula;
-- a term that was removed may come back, at the end
SELECT formula, pgfit.terms(pgfit.linear_regression(y, w, formula)) FROM weaves AS w, unnest('{n + f1 - n, n + f1 - n + n, n * f1 - n:f1 + n:f1 - n}'::text[]) AS formula GROUP BY formula ORDER BY formula COLLATE "C";
-- objects, and levels that scored rows have or lack
SELECT pgfit.terms(m) AS terms, (pgfit.design(m, '{"wool": "A"}'::jsonb))[2] AS a, (pgfit.design(m, '{"wool": "new"}'::jsonb))[2] AS new, pgfit.predict(m, '{"wool": null}'::jsonb) IS NULL AS "null"
FROM (SELECT pgfit.linear_regression(y, to_jsonb(w), 'I(wool == ''A'')') AS m FROM weaves AS w) AS f;
SELECT test.try('SELECT pgfit.predict(m, ''{"wool": 3}''::jsonb) FROM (SELECT pgfit.linear_regression(y, w, ''I(wool == ''''A'''')'') AS m FROM weaves AS w) AS f');
-- a product, a window, a model of several formulas
SELECT pgfit.terms(pgfit.linear_regression(y, w, 'f1:I(wool == ''A'') + I(wool == ''A'') + I(wool == ''B'')')) AS terms FROM weaves AS w;
SELECT test.near(pgfit.predict(pgfit.ensemble(a, b), w), (pgfit.predict(a, w) + pgfit.predict(b, w)) / 2, 1e-13) AS ensemble
FROM (SELECT pgfit.linear_regression(y, w, 'I(wool == ''A'')') AS a, pgfit.linear_regression(y, w, 'wool + I(wool == ''B'') + sin(pi * n)') AS b FROM weaves AS w) AS f, weaves AS w WHERE id = 4;

-- pi is a column where the row has one
SELECT pgfit.info(m) ->> 'formula' AS formula, pgfit.predict(m, w) = pgfit.predict(m::text::pgfit.model, w) AS kept, m::text LIKE '%2 * \\"pi\\"%' AS quoted
FROM (SELECT pgfit.linear_regression(y, w, 'exp(2 * pi)') AS m FROM (SELECT y, f1 / 10 AS pi FROM weaves) AS w) AS f, (SELECT 0.5 AS pi) AS w;
SELECT (pgfit.design(m, w))[2] = exp(2 * pi()) AS constant FROM (SELECT pgfit.ridge_regression(y, w, 1, 'exp(2 * pi)') AS m FROM weaves AS w) AS f, (SELECT 0.5 AS pi) AS w;
SELECT test.try('SELECT pgfit.linear_regression(y, w, ''pi'') FROM weaves AS w');

-- knots and breaks; a value outside of the breaks counts as NULL
SELECT pgfit.terms(pgfit.linear_regression(y, w, 'bs(f1, knots = c(3, 5.5), degree = 2) + ns(f2, knots = 6)')) AS terms FROM weaves AS w;
SELECT pgfit.terms(m) AS terms, pgfit.info(m) -> 'rows' AS rows, (SELECT count(*) FROM weaves WHERE f1 > 0 AND f1 <= 8) AS inside,
       (SELECT array_agg(DISTINCT f1 ORDER BY f1) FROM weaves AS w WHERE pgfit.predict(m, w) IS NULL) AS outside, m = m::text::pgfit.model AS kept
FROM (SELECT pgfit.linear_regression(y, w, 'cut(f1, breaks = c(0, 3, 5, 8))') AS m FROM weaves AS w) AS f;
SELECT pgfit.terms(pgfit.linear_regression(y, w, 'cut(f1, c(-Inf, 3, Inf))')) AS terms FROM weaves AS w;
SELECT test.near(pgfit.predict(m, w), pgfit.predict(same, w), 1e-12) AS as_comparisons
FROM (SELECT pgfit.linear_regression(y, w, 'cut(f1, c(-Inf, 3, 5, Inf))') AS m, pgfit.linear_regression(y, w, 'I(f1 > 3 & f1 <= 5) + I(f1 > 5)') AS same FROM weaves AS w) AS f, weaves AS w WHERE id = 7;
SELECT pgfit.to_sql(pgfit.linear_regression(y, w, 'cut(f1, c(0, 3, 5, 8))')) AS sql FROM weaves AS w \gset
SELECT bool_and(pgfit.predict(m, w) IS NOT DISTINCT FROM NULL AND :sql IS NULL OR test.near(pgfit.predict(m, w), :sql, 1e-12)) AS same_sql
FROM (SELECT pgfit.linear_regression(y, w, 'cut(f1, c(0, 3, 5, 8))') AS m FROM weaves AS w) AS f, weaves AS w;
SELECT test.near((pgfit.info(m) -> 'rows')::float8, 40) AS imputed FROM (SELECT pgfit.linear_regression(y, w, '{"formula": "cut(f1, c(0, 3, 8))", "nulls": "impute"}') AS m FROM weaves AS w) AS f;
SELECT count(*) > 0 AND bool_and(value IS NOT NULL) AS validated FROM (SELECT pgfit.cross_validate(y, w, 'linear_regression', '{"options": {"formula": "cut(f1, c(0, 3, 5, 8))"}}'::jsonb) AS s FROM weaves AS w) AS f, unnest(s) AS u;
SELECT test.try(format('SELECT pgfit.linear_regression(y, w, %L) FROM weaves AS w', formula))
FROM unnest(ARRAY['bs(f1, knots = c(3, 50))', 'bs(-f1, knots = 50)', 'ns(f1, knots = c(5, 3))', 'cut(f1, c(3))', 'cut(f1, c(20, 30, 40))', '{"formula": "cut(f1, c(0, 5))", "nulls": "error"}']) AS formula;

-- a contrast is not taken for a level
SELECT test.try(format('SELECT pgfit.terms(pgfit.linear_regression(y, w, %L)) FROM weaves AS w', formula))
FROM unnest(ARRAY['C(wool, sum)', 'C(wool, contr.helmert)', 'C(wool, ''contr.sum'')', 'C(wool, Treatment("A"))', 'C(wool, A)', 'C(wool, ref = B)', 'C(wool, ''B'')']) AS formula;

-- columns that are called as PostgreSQL calls those of ROW()
SELECT pgfit.terms(m) AS terms, test.near(pgfit.predict(m, w), pgfit.predict(m, f), 1e-14) AS by_name
FROM (SELECT pgfit.linear_regression(y, f, 'f1 + log(F2 + 1)') AS m FROM weaves AS w, LATERAL (SELECT w.f1, w.f2) AS f) AS t, weaves AS w, LATERAL (SELECT w.f1, w.f2) AS f WHERE id = 3;
SELECT pgfit.terms(pgfit.linear_regression(y, ROW(n, f1), 'f1:f2')) AS of_a_row FROM weaves;
SELECT test.try('SELECT pgfit.linear_regression(y, ROW(n, f1), ''n + f1'') FROM weaves');
SELECT test.try('SELECT pgfit.linear_regression(y, f, ''.'') FROM weaves AS w, LATERAL (SELECT w.f1, w.f2) AS f');

-- offsets: hints that can be followed, and R-squared of the target less the offset (0.33936 if the offset counted as explained)
SELECT test.try(format('SELECT pgfit.%s FROM weaves AS w', call)) FROM unnest(ARRAY['logistic_regression(wool = ''A'', w, ''f1 + offset(f2)'')', 'forest_regression(y, w, ''f1 + offset(f2)'')']) AS call;
SELECT test.near(r_squared, 1.003417e-6, 1e-5) AS r_squared, test.near(f_statistic, 3.812987e-5, 1e-5) AS f_statistic,
       test.near(r_squared, regr_r2, 1e-9) AS as_sql, test.near(origin, 1 - rss / total, 1e-12) AS without_intercept
FROM (SELECT (pgfit.info(m) #>> '{statistics,r_squared}')::float8 AS r_squared, (pgfit.info(m) #>> '{statistics,f_statistic}')::float8 AS f_statistic,
             regr_r2(y - 2 * f2, f1), (pgfit.info(o) #>> '{statistics,r_squared}')::float8 AS origin, (pgfit.info(o) #>> '{statistics,rss}')::float8 AS rss, sum((y - 2 * f2) ^ 2) AS total
      FROM weaves, (SELECT pgfit.linear_regression(y, w, 'f1 + offset(2 * f2)') AS m, pgfit.linear_regression(y, w, 'f1 + offset(2 * f2) - 1') AS o FROM weaves AS w) AS f GROUP BY m, o) AS s;
DROP FUNCTION test.formula;
DROP TABLE weaves;
RESET search_path;
