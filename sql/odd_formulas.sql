-- Random formulas over odd tables: a fit is refused, or its formula as info() has it gives the same fit, its SQL the same predictions, and no number is none.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE odd AS
SELECT 'two rows' AS c, i, i::float8 AS x, (3 - i)::float8 AS z, chr(116 + i) AS g, i AS y, i = 2 AS b, '2024-01-01'::timestamp + i * interval '1 day' AS t FROM generate_series(1, 2) AS i
UNION ALL SELECT 'constant', i, 2, 3, 'u', 1 + i * i * i % 17, true, '2024-01-01' FROM generate_series(1, 12) AS i
UNION ALL SELECT 'one known', i, CASE WHEN i = 3 THEN 1 END, CASE WHEN i = 3 THEN 1 END, CASE WHEN i = 3 THEN 'u' END, CASE WHEN i = 3 THEN 1 END, CASE WHEN i = 3 THEN true END, NULL FROM generate_series(1, 12) AS i
UNION ALL SELECT 'huge', i, (i - 5) * 1e150, (i % 4) * 1e-150, CASE WHEN i % 3 > 0 THEN repeat('long', 20) || i % 3 ELSE '' END, i * 7 % 13, i % 3 = 0, '0001-01-01'::timestamp + i * interval '100 years' FROM generate_series(1, 24) AS i
UNION ALL SELECT 'usual', i, i * 37 % 101 / 16.0, CASE WHEN i % 9 > 0 THEN cos(i * 7.3) END, CASE WHEN i % 11 > 0 THEN chr(116 + i % 4) END, 1 + i * 7919 % 12 + i / 10, i * 7919 % 12 + 3 * sin(i * 12.9) > 5, '2024-01-01'::timestamp + i * interval '7 hours' FROM generate_series(1, 60) AS i
UNION ALL SELECT 'known', i, i * 37 % 101 / 16.0 + 0.5, 1.5 + cos(i * 7.3), chr(116 + i % 4), 1 + i * 7919 % 12 + i / 10, i % 5 < 2, '2024-01-01'::timestamp + i * interval '7 hours' FROM generate_series(1, 60) AS i;
ANALYZE odd;
CREATE FUNCTION test.odd_atom(key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT pick(ARRAY['x', 'z', 'g', 'b', 'i', 't', '.', '1', '0', 'I(x / z)', 'I(x > 1)', 'I(g == ''u'')', 'I(g != ''u'' & x <= 2 | z == 3)', 'I(-x^2 + 2 * z - 1)', 'log(x)', 'exp(z)', 'sqrt(abs(z))', 'log1p(x)', 'sin(x) ', 'round(x)', 'factor(i)', 'factor(round(x))', 'C(g, ref = ''u'')',
        'C(g, ref = ''no'')', 'C(g, sum)', 'C(g, helmert)', 'C(g, poly)', 'scale(x)', 'center(z)', 'poly(x, 2)', 'poly(x, 2, raw = true)', 'bs(x, 4)', 'bs(x, 3, degree = 2)', 'bs(x, knots = c(1, 2.5))', 'ns(x, 2)', 'ns(x, knots = 3)', 'cut(x, 3)',
        'cut(x, breaks = c(-Inf, 0, 1.5, 9))', 'cut(z, breaks = c(-1, 0, 1))', 'offset(x)', 'offset(log(i))', 'I(x^0.5)', 'I(pi * x)', 'I(floor(x / 2))', 'poly(log(i), 3)', 'scale(I(x * z))', 'C(b, sum)', 'nosuch', 'poly(x)', 'cut(g, 2)', 'I(g)', 'x y', '"x"', '"no such"'], key) $$;
CREATE FUNCTION test.odd_formula(key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE pick('{1, 2, 2, 2, 3, 3, 4, 5}', key) WHEN '1' THEN odd_atom(key || 1) WHEN '2' THEN odd_atom(key || 1) || pick('{" + ", " + ", ":", " * ", " / ", " - ", " %in% "}', key || 'o') || odd_atom(key || 2)
        WHEN '3' THEN odd_atom(key || 1) || pick('{" + ", " * ", ":"}', key || 'o') || odd_atom(key || 2) || pick('{" + ", ":", " - ", " * "}', key || 'p') || odd_atom(key || 3)
        WHEN '4' THEN format('(%s + %s + %s)^%s', odd_atom(key || 1), odd_atom(key || 2), odd_atom(key || 3), pick('{2, 2, 1}', key || 'e'))
        ELSE format('%s * (%s + %s) - %s', odd_atom(key || 1), odd_atom(key || 2), odd_atom(key || 3), odd_atom(key || 2)) END $$;
CREATE FUNCTION test.odd_refit(name text, target text, formula text, c text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m model; again model; written text; said text; by_sql text; call text := format('SELECT %s(%sd, jsonb_build_object(''formula'', $1::text)) FROM odd AS d WHERE c = %L', name, target, c);
BEGIN
    EXECUTE call INTO m USING formula;
    IF m IS NULL THEN RETURN 'no rows'; END IF;
    written := info(m) ->> 'formula';
    IF m::text::model <> m THEN RETURN 'another model is read'; END IF;
    IF (info(m)::text || summary(m)) ~ '(?<![[:alnum:]_"])-?(nan|NaN|inf|Infinity)(?![[:alnum:]_])' THEN RETURN 'a number is none: ' || left(summary(m), 300); END IF;
    EXECUTE call INTO again USING written;
    IF jsonb_set(again::jsonb, '{options}', '{}') <> jsonb_set(m::jsonb, '{options}', '{}') THEN RETURN 'another fit by ' || written; END IF;
    IF name !~ 'kmeans|scaler' THEN
        EXECUTE format('SELECT string_agg(predict($1, d)::text, '','' ORDER BY i), string_agg((%s)::text, '','' ORDER BY i) FROM odd AS d WHERE c = %L', to_sql(m), c) INTO said, by_sql USING m;
        RETURN (SELECT format('SQL says %s, not %s', b, a) FROM string_to_table(said, ',') WITH ORDINALITY AS s(a, n) FULL JOIN string_to_table(by_sql, ',') WITH ORDINALITY AS t(b, n) USING (n)
                WHERE NOT coalesce(abs(a::float8 - b::float8) <= 1e-7 * abs(a::float8) + 1e-7, a IS NULL AND b IS NULL) LIMIT 1);
    END IF;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN m IS NULL AND SQLSTATE ~ '^(22|42|54)' THEN 'refused' WHEN SQLSTATE IN ('42809', '0A000') THEN 'not as SQL' ELSE SQLSTATE || ' ' || SQLERRM END;
END $$;
CREATE TABLE odd_fits AS
SELECT name, c, formula, odd_refit(name, CASE WHEN name ~ 'kmeans|scaler' THEN '' ELSE 'y, ' END, formula, c) AS outcome
FROM generate_series(1, 250 * coalesce(current_setting('odd.walks', true), '1')::int) AS number, LATERAL (SELECT pick('{linear_regression, linear_regression, poisson_regression, tree_regression, ridge_regression, standard_scaler, gamma_regression}', 'e' || number),
    pick('{two rows, constant, one known, huge, usual, usual, known, known, known}', 'c' || number), odd_formula('f' || number)) AS t(name, c, formula);
SELECT coalesce(outcome, 'the same') AS outcome, count(*) > 20 AS many FROM odd_fits WHERE outcome IS NULL OR outcome = 'refused' GROUP BY 1 ORDER BY 1;
SELECT name, c, formula, outcome FROM odd_fits WHERE outcome NOT IN ('refused', 'no rows', 'not as SQL') ORDER BY 1, 2, 3;
DROP TABLE odd, odd_fits;
DROP FUNCTION test.odd_atom, test.odd_formula, test.odd_refit;
