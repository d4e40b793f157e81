-- Tables of bench/formulas.py: a row of 20 columns, five of which a formula uses. psql variable: scale.
SELECT setseed(0.5) AS seed, (400000 * :scale)::int AS formula_rows \gset
SELECT 'CREATE TABLE formula_wide AS SELECT x1 + 2 * x2 - x3 + 0.5 * x4 + random() AS y, f.*, (ARRAY[''low'', ''middle'', ''high''])[1 + (random() * 3)::int % 3] AS level '
       'FROM (SELECT ' || string_agg(format('1 + random() + random() + random() AS x%s', i), ', ') || ' FROM generate_series(1, ' || :formula_rows || ') OFFSET 0) f'
FROM generate_series(1, 18) AS i \gexec
CREATE TABLE formula_five AS SELECT y, x1, x2, x3, x4, x5 FROM formula_wide;
CREATE TABLE formula_model AS
SELECT (SELECT pgfit.linear_regression(y, d, 'x1 + x2 + x3 + x4 + x5') FROM formula_wide AS d) AS plain,
       (SELECT pgfit.linear_regression(y, d, 'log(x1) + x2 * level + poly(x3, 2)') FROM formula_wide AS d) AS learned,
       (SELECT pgfit.linear_regression(y, f) FROM formula_wide, LATERAL (SELECT ln(x1) AS l, x2, (level = 'low')::int::float8 AS low, (level = 'middle')::int::float8 AS middle,
               x2 * (level = 'low')::int AS x2_low, x2 * (level = 'middle')::int AS x2_middle, x3, x3 * x3 AS x3_2) AS f) AS computed;
