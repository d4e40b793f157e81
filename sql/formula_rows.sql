-- formulas over whole rows: which columns and values they read; what they compute is compared with patsy and R elsewhere
SET search_path = public, test, pgfit;
CREATE TABLE formula_rows AS
SELECT i AS id, 3 + 2 * ln(i) + (i % 4) * 0.5 AS price, i::numeric(8, 2) AS carat, (i * 7 % 13)::int AS depth, i % 4 AS cyl,
       (ARRAY['Ideal', 'Good', 'Fair'])[1 + i % 3] AS cut, i % 2 = 0 AS sold, date '2024-01-01' + i AS day, ARRAY[i % 5, i % 7]::float8[] AS v,
       1 + i % 2 AS w, '{}'::json AS note
FROM generate_series(1, 60) AS i;
CREATE FUNCTION terms(m model) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s %s', term, round(estimate::numeric, 4)), ', ' ORDER BY place)
    FROM coefficients(m) WITH ORDINALITY AS c(class, term, estimate, a, b, p, l, u, place)
$$;
CREATE FUNCTION fitted(formula text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    m model;
BEGIN
    SELECT linear_regression(price, d, formula) INTO m FROM formula_rows AS d;
    RETURN terms(m);
END
$$;
CREATE FUNCTION failed(formula text) RETURNS text LANGUAGE sql AS $$
    SELECT try(format('SELECT linear_regression(price, d, %L) FROM formula_rows AS d', formula))
$$;

-- columns, expressions, categories, the same column several times
SELECT fitted('log(carat) + cyl');
SELECT fitted('log(carat) + factor(cyl)');
SELECT fitted('carat + log(carat) + I(carat^2) + sqrt(carat) + cut');
SELECT fitted('cut + C(cut, ref = ''Good'')') <> fitted('cut') AS both;
SELECT fitted('sold + v');
SELECT fitted('log(carat) + cyl - 1');
SELECT fitted('{"formula": "log(carat) + cyl", "intercept": false}');
SELECT fitted('1 + log(carat) + cyl') = fitted('log(carat) + cyl') AS with_one, fitted('0 + . - id - note - day - v') LIKE '(%' AS without;
SELECT failed('{"formula": "log(carat) - 1", "intercept": true}');
SELECT failed('{"formula": "log(carat) + 1", "intercept": false}');
-- the option and the argument say the same; so does a row of just these columns, and an object
SELECT count(DISTINCT terms(m)) AS models FROM (
    SELECT linear_regression(price, d, 'log(carat) + cut') FROM formula_rows AS d
    UNION ALL SELECT linear_regression(price, d, '{"formula": "log(carat) + cut"}') FROM formula_rows AS d
    UNION ALL SELECT linear_regression(price, d, '{"formula": "log(carat) + cut"}'::jsonb) FROM formula_rows AS d
    UNION ALL SELECT linear_regression(price, f, 'log(carat) + cut') FROM formula_rows, LATERAL (SELECT cut, carat) AS f
    UNION ALL SELECT linear_regression(price, to_jsonb(d), 'log(carat) + cut') FROM formula_rows AS d
    UNION ALL SELECT linear_regression(price, d, 'log(carat) + cut', 1) FROM formula_rows AS d
    UNION ALL SELECT ridge_regression(price, d, 0, 'log(carat) + cut') FROM formula_rows AS d) AS t(m);
-- scores: by whole rows, by other rows with the columns that are needed, by objects, from stored models
CREATE TABLE formula_models AS
SELECT linear_regression(price, d, 'log(carat + 1) * depth + factor(cyl) + sold + C(cut, ref = ''Good'')') AS m FROM formula_rows AS d;
SELECT count(*) AS rows, bool_and(predict(m, d) = predict(m, f)) AS same, bool_and(predict(m, d) = predict(m, j)) AS same_objects,
       bool_and(predict(m, d) = predict(m::text::model, d)) AS same_text
FROM formula_models, formula_rows AS d, LATERAL (SELECT cut, sold, cyl::float8, depth::int8, carat::float8) AS f,
     LATERAL (SELECT to_jsonb(d) - 'price' AS j) AS o;
-- a level of a number is its value, whatever its type
SELECT count(DISTINCT terms(m)) AS models FROM (
    SELECT linear_regression(price, f, 'factor(c)') FROM formula_rows, LATERAL (SELECT cyl AS c) AS f
    UNION ALL SELECT linear_regression(price, f, 'factor(c)') FROM formula_rows, LATERAL (SELECT cyl::numeric AS c) AS f
    UNION ALL SELECT linear_regression(price, f, 'factor(c)') FROM formula_rows, LATERAL (SELECT cyl::float8 AS c) AS f
    UNION ALL SELECT linear_regression(price, f, 'factor(c)') FROM formula_rows, LATERAL (SELECT jsonb_build_object('c', cyl) AS f) AS f) AS t(m);
SELECT levels(linear_regression(y, f, 'factor(n)')) FROM (SELECT i % 12 - 2 AS n, i AS y FROM generate_series(1, 60) AS i) AS f;
SELECT levels(linear_regression(y, f, 'factor(b) + factor(t)'))
FROM (SELECT i % 2 = 0 AS b, date '2024-01-09' + i % 3 AS t, i AS y FROM generate_series(1, 12) AS i) AS f;

-- "." is every column but target, id, weight and fold, whatever the expression they are in
SELECT count(*) AS columns FROM jsonb_array_elements((SELECT info(m)->'features' FROM (
    SELECT linear_regression(f.price, f, '. - id') AS m FROM (SELECT id, price, carat, cut FROM formula_rows) AS f) AS t));
SELECT jsonb_path_query_array(info(m), '$.features[*].name') AS features FROM (VALUES
    (1, (SELECT linear_regression(f.price, f, '.') FROM (SELECT price, carat, cut FROM formula_rows) AS f)),
    (2, (SELECT linear_regression(ln(f.price), f, '.') FROM (SELECT price, carat, cut FROM formula_rows) AS f)),
    (3, (SELECT linear_regression(f.price::float4, f, '.', f.w) FROM (SELECT price, carat, w FROM formula_rows) AS f)),
    (4, (SELECT neighbors(f.id, f, '.') FROM (SELECT id, carat, depth FROM formula_rows) AS f)),
    (5, (SELECT kmeans(f, 2, '. - cut') FROM (SELECT id, carat, cut FROM formula_rows) AS f)),
    (6, (SELECT ridge_regression(f.price, f, '{"formula": ".", "lambda": "cv", "fold_column": "cyl"}') FROM (SELECT price, carat, cyl FROM formula_rows) AS f)),
    (7, (SELECT linear_regression(p.price, f, '.') FROM (SELECT price, carat FROM formula_rows) AS f JOIN formula_rows AS p USING (price)))) AS t(n, m) ORDER BY n;
-- "." took the target in and left out what it was computed from where a subquery computed the target
SELECT n, terms(m) FROM (VALUES
    (1, (SELECT linear_regression(y, f, '.') FROM (SELECT ln(price) AS y, price, carat FROM formula_rows) AS f)),
    (2, (SELECT linear_regression(y, f, '.') FROM (SELECT ln(price) AS y, price, carat FROM formula_rows OFFSET 0) AS f)),
    (3, (SELECT linear_regression(y + 1, f, '.', w) FROM (SELECT ln(price) AS y, 1 AS one, price / 2 AS w, carat FROM formula_rows) AS f)),
    (4, (SELECT linear_regression(y, to_jsonb(f), '.') FROM (SELECT ln(price) AS y, carat, depth FROM formula_rows) AS f)),
    (5, (SELECT linear_regression(ln(d.price), f, '.') FROM formula_rows AS d, LATERAL (SELECT ln(d.price) AS y, d.carat) AS f)),
    (6, (SELECT linear_regression(y, f, '.') FROM (SELECT max(price) AS y, max(carat) AS carat FROM formula_rows GROUP BY id) AS f)),
    (7, (SELECT linear_regression(y, f, '.' ORDER BY carat) FROM (SELECT ln(price) AS y, carat, depth FROM formula_rows) AS f))) AS t(n, m) ORDER BY n;
SELECT try($$SELECT linear_regression(price, d, '.') OVER (ORDER BY id) FROM formula_rows AS d$$);
SELECT failed('.');
SELECT left(fitted('. - note - id - day - v'), 40);

-- what does not fit
SELECT failed(f) FROM unnest(ARRAY['log(carat', 'carta + cut', 'log(cut)', 'log(carat - 5)', 'log(day)', 'note', 'carat + "Carat"', '0', '1', '  ', 'sqrt(5 - carat)',
                                   'exp(carat^3)', '{"formula": "carat", "features": ["carat"]}', '{"formula": 3}', '["carat"]']) AS f;
SELECT try($$SELECT linear_regression(price, ARRAY[carat], 'carat') FROM formula_rows$$);
SELECT try($$SELECT linear_regression(price, ROW(carat, cut), 'f1') FROM formula_rows$$);
SELECT try($$SELECT linear_regression(price, carat, 'carat') FROM formula_rows$$);
SELECT try($$SELECT predict(m, ARRAY[1, 2, 3]) FROM formula_models$$);
SELECT try($$SELECT predict(m, ROW(1, 2, 3)) FROM formula_models$$);
SELECT try($$SELECT predict(m, 3.5) FROM formula_models$$);
SELECT try($$SELECT predict(m, f) FROM formula_models, LATERAL (SELECT 1 AS carat, 2 AS dept, 3 AS cyl, true AS sold, 'Good' AS cut) AS f$$);
SELECT try($$SELECT predict(m, f) FROM formula_models, LATERAL (SELECT 'x' AS carat, 2 AS depth, 3 AS cyl, true AS sold, 'Good' AS cut) AS f$$);
SELECT try($$SELECT predict(m, f) FROM formula_models, LATERAL (SELECT -1 AS carat, 2 AS depth, 3 AS cyl, true AS sold, 'Good' AS cut) AS f$$);
SELECT try($$SELECT predict(m, '{"carat": "x", "depth": 1, "cyl": 1, "sold": true, "cut": "Good"}'::jsonb) FROM formula_models$$);
SELECT try($$SELECT linear_regression(m, '{"formula": "carat"}') FROM (SELECT moments(price, d, 'carat') AS m FROM formula_rows AS d) AS t$$);

-- NULL: skipped and counted, imputed, an error; in expressions and levels as in columns
CREATE TABLE formula_nulls AS
SELECT price, nullif(carat, 7) AS carat, nullif(cut, 'Fair') AS cut, nullif(cyl, 3) AS cyl FROM formula_rows;
SELECT i->>'rows' AS rows, i->>'skipped' AS skipped FROM (SELECT info(linear_regression(price, d, 'log(carat) + factor(cyl)')) AS i FROM formula_nulls AS d) AS t;
SELECT terms(m), predict(m, '{"carat": null, "cyl": null, "cut": null}'::jsonb) IS NULL AS scored_null
FROM (SELECT linear_regression(price, d, '{"formula": "log(carat) + factor(cyl) + cut", "nulls": "impute"}') AS m FROM formula_nulls AS d) AS t;
SELECT predict(m, '{"carat": null, "cyl": 1}'::jsonb) AS unknown, predict(m, '{"cyl": 1}'::jsonb) AS missing
FROM (SELECT linear_regression(price, d, 'log(carat) + factor(cyl)') AS m FROM formula_nulls AS d) AS t;
SELECT try($$SELECT linear_regression(price, d, '{"formula": "log(carat)", "nulls": "error"}') FROM formula_nulls AS d$$);
SELECT try($$SELECT linear_regression(price, d, '{"formula": "factor(cyl)", "nulls": "error"}') FROM formula_nulls AS d$$);

-- reference levels
SELECT fitted('{"formula": "cut", "reference": {"cut": "Ideal"}}');
SELECT fitted('C(cut, ref = ''Ideal'')');
SELECT fitted('{"formula": "factor(cyl)", "reference": {"cyl": 2}}');
SELECT terms(linear_regression(price, f, '{"reference": {"cut": "Ideal"}}')) FROM formula_rows, LATERAL (SELECT cut, carat) AS f;
SELECT levels(linear_regression(price, f, '{"reference": {"cut": "Ideal"}}')) FROM formula_rows, LATERAL (SELECT cut, carat) AS f;
SELECT failed(f) FROM unnest(ARRAY['{"formula": "cut", "reference": {"cut": "Best"}}', '{"formula": "cut", "reference": {"cat": "Good"}}',
    '{"formula": "carat", "reference": {"carat": "1"}}', 'C(cut, ref = ''Best'')', '{"formula": "C(cut, ref = ''Good'')", "reference": {"cut": "Ideal"}}',
    '{"formula": "cut", "reference": {"cut": ["Good"]}}', '{"formula": "cut", "reference": "Good"}']) AS f;
-- merged states agree on the reference
SELECT terms(linear_regression(m)) FROM (
    SELECT moments(price, d, '{"formula": "log(carat) + cut", "reference": {"cut": "Ideal"}}') AS m FROM formula_rows AS d GROUP BY cyl) AS t;
SELECT try($$SELECT merge(moments(price, d, 'carat'), moments(price, d, 'log(carat)')) FROM formula_rows AS d$$);

-- windows, groups, parallel plans and metrics read formulas as well
SELECT count(*) AS rows, count(m) AS models FROM (SELECT linear_regression(price, d, 'log(carat)') OVER (ORDER BY id ROWS 9 PRECEDING) AS m FROM formula_rows AS d WHERE id > 50) AS t;
SELECT cut, terms(m) FROM (SELECT cut, linear_regression(price, d, 'log(carat)') AS m FROM formula_rows AS d GROUP BY cut) AS t ORDER BY cut;
SELECT round(silhouette(cyl, d, 'carat + depth')::numeric, 6) = round(silhouette(cyl, f)::numeric, 6) AS same
FROM formula_rows AS d, LATERAL (SELECT carat, depth) AS f;
DROP FUNCTION failed(text), fitted(text), terms(model);
DROP TABLE formula_rows, formula_models, formula_nulls;
