-- Traps of names: calls that once fitted or scored something else than they said. Each test is named after what was seen.
SET search_path = public, test, pgfit;
CREATE TABLE traps AS
SELECT i AS id, 3.0 * i + (i * 7 % 11) AS price, i::float8 AS carat, (i * 7 % 11)::float8 AS depth, i % 2 = 0 AS sold, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS cut,
       (i * 5 % 9)::float8 AS f
FROM generate_series(1, 30) AS i;

-- "the names in option features went to the wrong columns": an unnamed row that is named by the option is matched by position
-- ever after, so what can be told apart is: number of columns, numbers from strings, and booleans from numbers
CREATE TABLE by_place AS
SELECT linear_regression(price, ROW(carat, sold, cut), '{"features": ["carat", "sold", "cut"]}') AS m FROM traps;
SELECT bool_and(near(predict(m, ROW(carat, sold, cut)), predict(m, t))) AS same FROM by_place, traps AS t;
SELECT try('SELECT predict(m, ' || r || ') FROM by_place, (SELECT * FROM traps LIMIT 1) AS t')
FROM unnest(ARRAY['ROW(sold, carat, cut)', 'ROW(cut, sold, carat)', 'ROW(carat, sold)', 'ROW(carat, carat, cut)', 'ROW(carat, sold, cut, depth)', 'ARRAY[carat, depth, depth]']) AS r;
-- and in training, where rows change
SELECT try($$SELECT linear_regression(y, r, '{"features": ["a", "b"]}') FROM (VALUES (1, ROW(1.5, 'x'::text)), (2, ROW('x'::text, 1.5))) AS v(y, r)$$);

-- "the model of all columns was a model of one": the alias of a row loses to a column of the same name
SELECT jsonb_path_query_array(info(linear_regression(price, f)), '$.features[*].name') AS features FROM traps AS f;
SELECT jsonb_path_query_array(info(linear_regression(f.price, f.*)), '$.features[*].name') AS whole_row
FROM (SELECT price, carat, f FROM traps) AS f;
SELECT jsonb_path_query_array(info(linear_regression(t.price, f)), '$.features[*].name') AS features FROM traps AS t, LATERAL (SELECT t.carat, t.depth) AS f;
SELECT kmeans(f, 2) IS NULL AS no_model FROM traps AS f;
-- a table named like its column
CREATE TABLE price AS SELECT price, carat FROM traps;
SELECT linear_regression(carat, price) IS NULL AS no_model FROM price;
SELECT jsonb_path_query_array(info(linear_regression(d.carat, d, 'price')), '$.features[*].name') AS features FROM price AS d;
-- "the features are the column unnest alone": a function without an alias gives its name to its row and to its column; nobody means the row
SELECT kmeans(unnest, 2) IS NOT NULL AS ordinality FROM unnest(ARRAY[1, 2, 9]) WITH ORDINALITY;
SELECT kmeans(s.unnest, 2) IS NOT NULL AS qualified FROM (SELECT unnest(ARRAY[1, 2, 9])) AS s, unnest(ARRAY[1]) WITH ORDINALITY;
SELECT (SELECT kmeans(unnest, 2) IS NOT NULL FROM unnest(ARRAY[1, 2, 9])) AS elsewhere, (SELECT count(*) FROM unnest(ARRAY[1], ARRAY[2])) AS rows;
SELECT kmeans(unnest, 2) IS NOT NULL AS alias FROM unnest(ARRAY[1, 2, 9]) WITH ORDINALITY AS unnest;
-- and scored: the number of features says so
SELECT try($$SELECT predict(m, f) FROM by_place, traps AS f$$);
SELECT try($$SELECT predict(m, f) FROM (SELECT linear_regression(price, d, 'carat + depth') AS m FROM traps AS d) AS t, traps AS f$$);
-- columns that are meant, and rows that nothing hides, raise nothing
SELECT kmeans(x, 2) IS NULL AS no_model FROM generate_series(1, 10) AS x;
SELECT kmeans(ARRAY[f], 2) IS NULL AS arrays, kmeans(carat, 2) IS NULL AS columns, kmeans(d, 2, 'carat') IS NULL AS rows FROM traps AS d;

-- "the score of an object with a misspelled key was that of another row": a key that is not there is a NULL
CREATE TABLE by_key AS SELECT linear_regression(price, to_jsonb(d), 'carat + depth') AS m FROM traps AS d;
SELECT predict(m, '{"carat": 2, "depth": 3}'::jsonb) IS NULL AS both, predict(m, '{"carat": 2}'::jsonb) AS missing, predict(m, '{"carat": 2, "depht": 3}'::jsonb) AS misspelled FROM (
    SELECT linear_regression(price, jsonb_build_object('carat', carat, 'depth', depth), '{"missing": "null"}') AS m FROM traps) AS t;
SELECT predict(m, '{"carat": 2}'::jsonb) IS NULL AS missing FROM by_key;
SELECT info(linear_regression(price, CASE WHEN id % 5 > 0 THEN jsonb_build_object('carat', carat, 'depth', depth) ELSE jsonb_build_object('carat', carat) END ORDER BY id))->'skipped' AS skipped
FROM traps;
SELECT info(linear_regression(price, o, 'carat + depth' ORDER BY id))->'skipped' AS skipped
FROM traps, LATERAL (SELECT CASE WHEN id > 2 THEN jsonb_build_object('carat', carat, 'depth', depth) ELSE jsonb_build_object('carat', carat) END AS o) AS d;
SELECT info(linear_regression(price, o, '{"features": ["carat", "depth"]}' ORDER BY id))->'skipped' AS skipped
FROM traps, LATERAL (SELECT CASE WHEN id > 2 THEN jsonb_build_object('carat', carat, 'depth', depth) ELSE jsonb_build_object('carat', carat) END AS o) AS d;
SELECT linear_regression(price, to_jsonb(d), 'carat + detph') AS misspelled FROM traps AS d;
SELECT try($$SELECT linear_regression(price, to_jsonb(d), '{"formula": "carat + detph", "nulls": "impute"}') FROM traps AS d$$);
-- refused by option, in training and in scoring, also by stored models
SELECT try($$SELECT linear_regression(price, jsonb_strip_nulls(jsonb_build_object('carat', carat, 'depth', nullif(depth, 5))), '{"missing": "error"}') FROM traps$$);
SELECT try($$SELECT linear_regression(price, jsonb_build_object('carat', carat), '{"formula": "carat + depth", "missing": "error"}') FROM traps$$);
CREATE TABLE strict AS
SELECT linear_regression(price, to_jsonb(d), '{"formula": "carat + log(depth + 1)", "missing": "error"}') AS m FROM traps AS d
UNION ALL SELECT linear_regression(price, jsonb_build_object('carat', carat, 'depth', depth), '{"missing": "error"}') FROM traps
UNION ALL SELECT linear_regression(price, to_jsonb(d), '{"formula": "carat + depth", "missing": "error"}') AS m FROM traps AS d;
SELECT try(format('SELECT predict(%L::pgfit.model, %L::jsonb)', m, '{"carat": 2, "depht": 3}')) FROM strict;
SELECT predict(m, '{"carat": 2, "depth": null}'::jsonb) IS NULL AS null_is_null FROM strict;
-- imputed where NULLs are
SELECT predict(m, '{"carat": 2}'::jsonb) = predict(m, '{"carat": 2, "depth": null}'::jsonb) AS imputed
FROM (SELECT linear_regression(price, to_jsonb(d), '{"formula": "carat + depth", "nulls": "impute"}') AS m FROM traps AS d) AS t;
-- "the hint of an unnamed row in another order was to cast", of a row with names for a model without any there was none, nor of a number in quotes, and that of
-- json did not name jsonb
SELECT try(format('SELECT predict(%L::pgfit.model, ROW(cut, carat)) FROM traps', linear_regression(price, t, 'carat + cut'))) FROM traps AS t;
SELECT try(format('SELECT predict(%L::pgfit.model, ROW(cut, carat)) FROM traps', linear_regression(price, ROW(carat, cut)))) FROM traps AS t;
SELECT try(format('SELECT predict(%L::pgfit.model, t) FROM traps AS t', linear_regression(price, ROW(carat, cut)))) FROM traps AS t;
SELECT try(format('SELECT predict(%L::pgfit.model, %L::jsonb)', linear_regression(price, t, 'carat + cut'), row)) FROM traps AS t, (VALUES ('{"carat": "2", "cut": "a"}'), ('{"carat": 2, "cut": 1}')) AS v(row) GROUP BY row ORDER BY row;
SELECT try($$SELECT linear_regression(price, to_json(t), 'carat + cut') FROM traps AS t$$);
-- a name that unquoted SQL had made lower case, and misspelled names, were listed without the nearest one
CREATE TABLE cased AS SELECT tree_regression(price, r) AS m FROM traps, LATERAL (SELECT carat AS "CARATperStone", depth) AS r;
SELECT try('SELECT predict(m, r) FROM cased, (SELECT 1 AS CARATperStone, 2 AS depth) AS r');
SELECT try($$SELECT linear_regression(price, t, '{"features": ["carrat"]}') FROM traps AS t$$);
SELECT try($$SELECT cross_validate(price, t, 'linear_regression', '{"group_column": "cutt", "options": {"formula": "carat"}}') FROM traps AS t$$);
DROP TABLE cased;
-- "could not determine the type of the target" for a formula in its place
SELECT try($$SELECT linear_regression('price ~ carat', t) FROM traps AS t$$);
-- "the dot left out columns whose names occur twice"
SELECT try($$SELECT linear_regression(price, j, '.') FROM (SELECT a.price, a.carat, a.depth, b.depth FROM traps AS a JOIN traps AS b USING (id)) AS j$$);
SELECT try($$SELECT linear_regression(price, j, 'carat + depth') FROM (SELECT a.price, a.carat, a.depth, b.depth FROM traps AS a JOIN traps AS b USING (id)) AS j$$);
SELECT try($$SELECT linear_regression(price, j, 'carat') FROM (SELECT price, carat, depth + 1, depth + 2 FROM traps) AS j$$) IS NOT NULL AS others_do_not_matter;
-- "an object cannot give a date": the hint has the way
CREATE TEMP TABLE dated AS SELECT date '2026-01-01' + i AS day, i AS y FROM generate_series(1, 9) AS i;
SELECT try($$SELECT predict(m, '{"day": "2026-01-03"}'::jsonb) FROM (SELECT linear_regression(y, d, 'day') AS m FROM dated AS d) AS f$$);
SELECT round(predict(m, jsonb_populate_record(NULL::dated, '{"day": "2026-01-03"}'))) AS y FROM (SELECT linear_regression(y, d, 'day') AS m FROM dated AS d) AS f;
-- "the last number looked like lambda or k and was taken as a weight": said now, where it is a constant
SELECT lasso_regression(price, t, 'carat', 0.1) IS NOT NULL AS fitted FROM traps AS t;
SELECT knn_regression(price, t, 'carat', 1) IS NOT NULL AS fitted FROM traps AS t;
SELECT knn_regression(price, t, 1, 'carat') IS NOT NULL AS fitted FROM traps AS t;
SELECT lasso_regression(price, t, 0.1, 'carat', 2) IS NOT NULL AS fitted, linear_regression(price, t, 'carat', 2) IS NOT NULL AS without_numbers FROM traps AS t;
-- of every aggregate, with the option that may have been meant
SELECT forest_classifier(sold, t, 'carat + depth', 50) IS NOT NULL AS fitted FROM traps AS t;
SELECT isolation_forest(t, 'carat', 0.01) IS NOT NULL AS fitted, isolation_forest(t, 'carat', 20) IS NOT NULL AS trees FROM traps AS t;
SELECT svm_classifier(sold, t, 'carat', 10) IS NOT NULL AS fitted FROM traps AS t;
SELECT moments(price, t, 'carat', 2) IS NOT NULL AS moments FROM traps AS t;
-- not where it is a column or an expression, or comes after options that have names
SELECT forest_classifier(sold, t, 'carat + depth', t.id) IS NOT NULL AS fitted, linear_regression(price, t, 'carat', 1 + 0 * t.id) IS NOT NULL AS computed,
       forest_classifier(sold, t, '{"formula": "carat + depth", "seed": 1}', 3) IS NOT NULL AS after_options FROM traps AS t;
-- "weigth was no option, and weight not suggested"
SELECT try($$SELECT fit('linear_regression', 'traps', 'price ~ carat', '{"weigth": "depth"}')$$);
SELECT try($$SELECT train('t', 'linear_regression', 'traps', 'price ~ carat', '{"weigths": "depth"}')$$);
SELECT try($$SELECT fit('hierarchical', 'traps', '~ carat', '{"id": "id", "distibuted": true}')$$);
SELECT try($$SELECT linear_regression(price, t, '{"formula": "carat", "weight": "depth"}') FROM traps AS t$$);
SELECT try($$SELECT linear_regression(price, t, '{"formula": "carat", "weight_knd": "depth"}') FROM traps AS t$$);

-- "a model of a boolean scored the number 7 as seven coefficients": true, false, 1 and 0 are all that a boolean can be
CREATE TABLE by_boolean AS
SELECT linear_regression(carat, (sold)) AS one, linear_regression(carat, t, 'sold') AS named, linear_regression(carat, t, 'sold * depth') AS product,
       linear_regression(carat, (sold, depth)) AS two, linear_regression(carat, t, '{"formula": "sold", "nulls": "impute"}') AS imputed FROM traps AS t;
SELECT near(predict(one, 1), predict(one, true)) AND near(predict(one, 0.0), predict(one, false)) AND near(predict(named, '{"sold": 1}'::jsonb), predict(one, true)) AND
       near(predict(two, ARRAY[1, 5]), predict(two, ROW(true, 5.0))) AND near(predict(product, '{"sold": true, "depth": 2}'::jsonb), predict(product, '{"sold": 1, "depth": 2}'::jsonb)) AS same,
       predict(imputed, '{"sold": null}'::jsonb) IS NOT NULL AS imputed FROM by_boolean;
SELECT try('SELECT predict(' || call || ') FROM by_boolean, LATERAL (SELECT 7 AS sold, 2.0::float8 AS depth) AS d')
FROM unnest(ARRAY['one, 7', 'one, 0.5::float8', 'one, ARRAY[7]', 'named, d', $$named, '{"sold": 7}'::jsonb$$, $$named, '{"sold": -0.25}'::jsonb$$, 'product, d', $$product, '{"sold": 7, "depth": 1}'::jsonb$$, 'two, ARRAY[7, 5]',
                        'imputed, d', $$imputed, '{"sold": 1e400}'::jsonb$$]) AS call;
DROP TABLE by_boolean;

-- "an open cursor advised to call the function that it called": its type was altered between two fetches
CREATE TYPE trap_pair AS (carat float8, depth float8);
BEGIN;
DECLARE scores CURSOR FOR SELECT round(predict(m, ROW(carat, depth)::trap_pair)) IS NOT NULL AS scored FROM traps AS t, (SELECT linear_regression(price, e, 'carat + depth') AS m FROM traps AS e) AS q;
FETCH scores;
ALTER TYPE trap_pair ALTER ATTRIBUTE depth TYPE text;
FETCH scores;
ROLLBACK;
DROP TYPE trap_pair;
DROP TABLE traps, by_place, by_key, strict, price;
-- a jsonb object has no order of its own: the server keeps shorter keys first
CREATE TABLE keyed AS SELECT i::float8 AS longer, (i % 3)::float8 AS s, (i * 2 + 100 * (i % 3))::float8 AS y FROM generate_series(1, 20) AS i;
SELECT test.try(format('SELECT round(pgfit.predict((SELECT pgfit.linear_regression(y, ARRAY[longer, s]) FROM keyed), %s)::numeric, 6)', o))
FROM unnest(ARRAY['''{"longer": 5, "s": 1}''::jsonb', '''{"f2": 1, "f1": 5}''::jsonb', 'ARRAY[5, 1]']) AS o;
DROP TABLE keyed;
