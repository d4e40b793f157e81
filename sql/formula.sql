-- formulas in models: what is kept, shown and refused (golden cases compare the terms with R and patsy)
CREATE TEMP TABLE cars AS
SELECT i AS id, 1.5 + i % 11 AS weight, 60 + i * 7 % 90 AS power, (ARRAY['diesel', 'petrol', 'electric'])[1 + i % 3] AS fuel,
       4 + 2 * (i % 3) AS cylinders, i % 5 = 0 AS automatic, 40 - 2 * (1.5 + i % 11) + sin(i) AS mpg
FROM generate_series(1, 120) AS i;
CREATE TEMP TABLE fitted AS
SELECT pgfit.linear_regression(mpg, c, 'log(weight) * fuel + poly(power, 2)') AS m, pgfit.linear_regression(mpg, c, 'weight + power') AS plain,
       pgfit.tree_regression(mpg, c, 'scale(weight) + fuel') AS tree, pgfit.linear_regression(mpg, c, 'weight * fuel + offset(power / 10)') AS shifted,
       pgfit.linear_regression(mpg, c, 'log(weight) + power') AS direct
FROM cars AS c;

-- what the model shows: the formula, the columns of the row, the terms
SELECT pgfit.info(m) -> 'formula' AS formula, pgfit.info(m) -> 'terms' AS terms, pgfit.info(m) -> 'features' AS features FROM fitted;
SELECT pgfit.info(plain) -> 'formula' AS formula, pgfit.info(plain) -> 'terms' AS terms FROM fitted;
SELECT split_part(pgfit.summary(m), E'\n', 1), split_part(pgfit.summary(plain), E'\n', 1), split_part(pgfit.summary(tree), E'\n', 1) FROM fitted;
SELECT f.* FROM fitted, pgfit.features(m) AS f;
SELECT l.* FROM fitted, pgfit.levels(m) AS l;
SELECT unnest(pgfit.terms(m)) FROM fitted;
SELECT pgfit.terms(plain), pgfit.terms(tree), pgfit.terms(shifted) FROM fitted;
SELECT term FROM fitted, pgfit.coefficients(m);
SELECT cardinality(pgfit.design(m, c)) = cardinality(pgfit.terms(m)) AS same, (pgfit.design(m, c))[1] FROM fitted, cars AS c WHERE id = 1;
SELECT regexp_replace(pgfit.to_sql(pgfit.ridge_regression(mpg, c, 1, 'log(weight) + fuel:power')), '''-?\d+\.\d+(e-\d+)?''', '#', 'g') FROM cars AS c;

-- the columns are found by name, whatever else the row has; the row may have any order
SELECT test.near(pgfit.predict(m, c), pgfit.predict(m, f)) AS any_order, test.near(pgfit.predict(m, c), pgfit.predict(m, to_jsonb(c))) AS jsonb
FROM fitted, cars AS c, LATERAL (SELECT fuel, power, weight) AS f WHERE id = 5;
SELECT test.try('SELECT pgfit.predict(m, f) FROM fitted, LATERAL (SELECT 1.0 AS weight, 2.0 AS power) AS f');
SELECT test.try('SELECT pgfit.predict(m, ARRAY[1.0, 2, 3]) FROM fitted');
SELECT test.try('SELECT pgfit.predict(m, ROW(1.0, ''petrol'', 3)) FROM fitted');
SELECT test.try('SELECT pgfit.predict(m, f) FROM fitted, LATERAL (SELECT -1.0 AS weight, 2.0 AS power, ''petrol'' AS fuel) AS f');
SELECT test.try('SELECT pgfit.predict(m, f) FROM fitted, LATERAL (SELECT NULL::float8 AS weight, 2.0 AS power, ''petrol'' AS fuel) AS f');
-- an unknown level is the reference level, or refused
SELECT test.near(pgfit.predict(m, f), pgfit.predict(m, g)) FROM fitted, LATERAL (SELECT 3.0 AS weight, 70 AS power, 'steam' AS fuel) AS f,
    LATERAL (SELECT 3.0 AS weight, 70 AS power, 'diesel' AS fuel) AS g;
SELECT test.try('SELECT pgfit.predict(m, f) FROM (SELECT pgfit.linear_regression(mpg, c, ''{"formula": "weight * fuel", "unseen": "error"}'') AS m FROM cars AS c) AS t,
                 LATERAL (SELECT 3.0 AS weight, ''steam'' AS fuel) AS f');

-- offset: only methods whose prediction is a sum
SELECT test.near((SELECT sum(contribution) FROM pgfit.explain(shifted, c)), pgfit.predict(shifted, c), 1e-9) AS explained FROM fitted, cars AS c WHERE id = 3;
SELECT test.try('SELECT pgfit.tree_regression(mpg, c, ''weight + offset(power)'') FROM cars AS c');
SELECT test.try('SELECT pgfit.lda(fuel, c, ''weight + offset(power)'') FROM cars AS c');
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''weight:offset(power)'') FROM cars AS c');

-- what cannot be learned
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''poly(cylinders, 3)'') FROM cars AS c');
-- the hint listed the levels in the order of the rows
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''C(fuel, ref = "steam")'') FROM cars AS c');
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''scale(weight)'') FROM cars AS c WHERE id = 1');
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''weight *'') FROM cars AS c');
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''wieght'') FROM cars AS c');
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''log(weight - 2)'') FROM cars AS c');
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''log(fuel)'') FROM cars AS c');
SET pgfit.fit_mem = '1GB';
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''factor(id):factor(power):factor(weight):fuel'') FROM cars AS c');
RESET pgfit.fit_mem;
SELECT test.try('SELECT pgfit.tree_regression(mpg, c, ''factor(id):factor(power):factor(weight):fuel:factor(cylinders)'') FROM cars AS c');
-- one level, no rows, one row, constant columns
SELECT pgfit.terms(pgfit.linear_regression(mpg, c, 'weight * fuel')) FROM cars AS c WHERE fuel = 'petrol';
SELECT pgfit.linear_regression(mpg, c, 'weight * fuel') IS NULL AS no_rows FROM cars AS c WHERE false;
SELECT pgfit.tree_regression(mpg, c, 'weight * fuel') IS NULL AS no_rows FROM cars AS c WHERE false;
SELECT pgfit.predict(pgfit.tree_regression(mpg, c, 'weight * fuel'), (SELECT d FROM cars AS d WHERE id = 9)) = (SELECT mpg FROM cars WHERE id = 1) AS one_row FROM cars AS c WHERE id = 1;
SELECT test.try('SELECT pgfit.linear_regression(mpg, f, ''scale(x)'') FROM (SELECT mpg, 1 AS x FROM cars) AS f');
-- NULLs: every row, some rows
SELECT pgfit.linear_regression(mpg, f, 'scale(x)') IS NULL AS all_null FROM (SELECT mpg, NULL::float8 AS x FROM cars) AS f;
SELECT test.try('SELECT pgfit.linear_regression(mpg, f, ''{"formula": "scale(x)", "nulls": "error"}'') FROM (SELECT mpg, nullif(weight, 2.5) AS x FROM cars) AS f');
SELECT test.try('SELECT pgfit.linear_regression(mpg, f, ''{"formula": "scale(x)", "nulls": "impute"}'') FROM (SELECT mpg, NULL::float8 AS x FROM cars) AS f');
SELECT test.try('SELECT pgfit.to_sql(pgfit.linear_regression(mpg, f, ''{"formula": "scale(x)", "nulls": "impute"}'')) FROM (SELECT mpg, nullif(weight, 2.5) AS x FROM cars) AS f');
-- NULLs as values of trees
SELECT pgfit.predict(m, f) IS NOT NULL AS scored
FROM (SELECT pgfit.boosted_trees_regression(mpg, f, '{"formula": "x * fuel", "nulls": "branch", "n_trees": 3}') AS m FROM (SELECT mpg, nullif(weight, 2.5) AS x, fuel FROM cars) AS f) AS t,
     LATERAL (SELECT NULL::float8 AS x, NULL AS fuel) AS f;

-- rows are kept until the fit: a moving window and stored moments do without them
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''weight * fuel'') OVER (ORDER BY id ROWS 30 PRECEDING) FROM cars AS c');
SELECT test.try('SELECT count(pgfit.predict(m, c)) FROM (SELECT c, pgfit.linear_regression(mpg, c, ''log(weight) + fuel'') OVER (ORDER BY id ROWS 30 PRECEDING) AS m FROM cars AS c) AS t');
SELECT test.try('SELECT pgfit.moments(mpg, c, ''weight * fuel'') FROM cars AS c');
SELECT test.try('SELECT pgfit.class_moments(fuel, c, ''poly(weight, 2)'') FROM cars AS c');
SELECT test.same_fit((SELECT pgfit.fit('linear_regression', pgfit.merge(e)) FROM (SELECT pgfit.moments(mpg, c, '{"formula": "weight * fuel", "keep_rows": true}') AS e FROM cars AS c GROUP BY automatic) AS parts),
                     (SELECT pgfit.linear_regression(mpg, c, 'weight * fuel') FROM cars AS c));
SELECT test.try('SELECT pgfit.merge((SELECT pgfit.moments(mpg, c, ''weight'') FROM cars AS c), (SELECT pgfit.moments(mpg, c, ''log(weight)'') FROM cars AS c))');
SET pgfit.fit_mem = '1MB';
SELECT test.try('SELECT pgfit.linear_regression(mpg, c, ''weight * fuel'') FROM cars AS c, generate_series(1, 500)');
-- rows of other methods go to a file instead
SELECT pgfit.info(pgfit.logistic_regression(automatic, c, '{"formula": "weight * fuel", "lambda": 1}')) -> 'rows' AS rows FROM cars AS c, generate_series(1, 500);
RESET pgfit.fit_mem;

-- models are merged only with models of the same formula and the same learned terms; ensembles take any
SELECT test.try('SELECT pgfit.merge((SELECT pgfit.forest_regression(mpg, c, ''{"formula": "scale(weight)", "n_trees": 2}'') FROM cars AS c WHERE id < 60),
                                    (SELECT pgfit.forest_regression(mpg, c, ''{"formula": "scale(weight)", "n_trees": 2, "seed": 1}'') FROM cars AS c WHERE id >= 60))');
SELECT pgfit.info(pgfit.merge((SELECT pgfit.forest_regression(mpg, c, '{"formula": "weight:fuel", "n_trees": 2}') FROM cars AS c WHERE id < 60),
                              (SELECT pgfit.forest_regression(mpg, c, '{"formula": "weight:fuel", "n_trees": 2, "seed": 1}') FROM cars AS c WHERE id >= 60))) -> 'formula' AS merged;
SELECT test.near(pgfit.predict(pgfit.ensemble(m, tree), c), (pgfit.predict(m, c) + pgfit.predict(tree, c)) / 2) AS ensemble FROM fitted, cars AS c WHERE id = 1;
SELECT pgfit.predict(pgfit.ensemble(plain, plain), c) = pgfit.predict(plain, c) AS ensemble FROM fitted, cars AS c WHERE id = 1;
-- a start from a model of the same terms, and of others
SELECT test.try(format('SELECT pgfit.info(pgfit.logistic_regression(automatic, c, %L::jsonb)) -> ''formula'' FROM cars AS c',
       jsonb_build_object('formula', 'scale(weight) + power', 'lambda', 1, 'start', (SELECT pgfit.logistic_regression(automatic, c, '{"formula": "scale(weight) + power", "lambda": 2}') FROM cars AS c)::jsonb)));
SELECT test.try(format('SELECT pgfit.info(pgfit.logistic_regression(automatic, c, %L::jsonb)) -> ''formula'' FROM cars AS c WHERE id > 10',
       jsonb_build_object('formula', 'scale(weight) + power', 'lambda', 1, 'start', (SELECT pgfit.logistic_regression(automatic, c, '{"formula": "scale(weight) + power", "lambda": 2}') FROM cars AS c)::jsonb)));

-- text, edited: what was learned no longer fits, or is another formula
SELECT test.try(format('SELECT pgfit.predict(%L::pgfit.model, c) FROM cars AS c WHERE id = 1', replace(m::text, '"log(weight):fuel=petrol"', '"log(weight):fuel=steam"'))) FROM fitted;
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', regexp_replace(m::text, '"formula_inputs":\{"u8":"....', '"formula_inputs":{"u8":"AAAA'))) FROM fitted;
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', regexp_replace(m::text, '"formula_parameters":\[[^,]*,', '"formula_parameters":['))) FROM fitted;
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', regexp_replace(m::text, '"formula_parameters":\[[^]]*\],', ''))) FROM fitted;
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', replace(direct::text, '"formula":{"text":["log(weight) + power"]}', '"formula":{"text":["log(weight) + log(power)"]}'))) FROM fitted;
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', replace(direct::text, '"formula":{"text":["log(weight) + power"]}', '"formula":{"text":["log(weight) + ("]}'))) FROM fitted;
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', replace(replace(shifted::text, '"linear_regression"', '"total_least_squares"'), '', ''))) FROM fitted;
-- hints where a formula was written as for another language
SELECT test.try(format('SELECT pgfit.linear_regression(v, r, %L) FROM (VALUES (1.0, 2.0, text ''a''), (2, 3, ''b''), (4, 1, ''a'')) AS r(v, x, c)', formula))
FROM unnest(ARRAY['x c', 'x, c', 'x; c', 'C(c, Treatment("b"))', '0']) AS formula;

-- rows unlike those of the fit: levels that it has not seen, with and without a reference level, and numbers outside its range
SELECT f AS formula, w.x, w.c, array_agg(round(v::numeric, 6) ORDER BY n) AS design
FROM unnest(ARRAY['c', 'c - 1', 'x:c - 1', 'cut(x, 3)', 'bs(x, 4)', 'ns(x, 2)']) WITH ORDINALITY AS l(f, p),
     LATERAL (SELECT pgfit.ridge_regression(y, r, 1, f) AS m FROM (SELECT i AS x, (ARRAY['k', 'l', 'm'])[1 + i % 3] AS c, sin(i) AS y FROM generate_series(1, 13) AS i) AS r) AS s,
     (VALUES (13.0, 'm'), (20.0, 'new'), (-20.0, 'a')) AS w(x, c), LATERAL (SELECT w.x, w.c) AS row, unnest(pgfit.design(m, row)) WITH ORDINALITY AS d(v, n)
GROUP BY p, f, w.x, w.c ORDER BY p, w.x DESC;
