-- summary called every target "target". A formula names it left of the ~.
SET search_path = public, test, pgfit;
\pset tuples_only on
CREATE TABLE test.gem WITH (parallel_workers = 0) AS SELECT i AS id, 1000 + 50 * (i % 17) + 300 * (i % 3) + (i * 7919) % 101 AS price, 1 + i % 17 / 10.0 AS carat, chr(97 + i % 3) AS cut,
    (i * 31) % 13 AS depth, i % 5 = 0 AS sold, 1.0 + i % 2 AS w, i % 4 AS part FROM generate_series(1, 200) AS i;
-- what a summary says first, and info about the target
CREATE FUNCTION test.named(model) RETURNS text LANGUAGE sql AS $$SELECT concat_ws(' | ', split_part(summary($1), E'\n', 1), info($1) ->> 'target', info($1) ->> 'formula')$$;

SELECT named(linear_regression(price, d, 'price ~ carat + cut')) FROM gem AS d;
SELECT named(linear_regression(price, d, '{"formula": "price~log(carat) * cut", "nulls": "error"}'::jsonb)) FROM gem AS d;
SELECT named(linear_regression(ln(price), d, ' ln( price )~carat + cut - 1')) FROM gem AS d;
SELECT named(ridge_regression(price, d, '{"formula": "price ~ carat", "lambda": 1}'::jsonb, w)) FROM gem AS d;
SELECT named(forest_classifier(sold, d, '{"formula": "sold ~ carat + cut", "n_trees": 3}'::jsonb)) FROM gem AS d;
SELECT named(logistic_regression(sold, d, 'sold ~ carat')) FROM gem AS d;
SELECT named(linear_regression("a ~ b", d, '"a ~ b" ~ carat')), named(linear_regression("a ~ b", d, '`a ~ b` ~ carat')) FROM (SELECT price AS "a ~ b", carat FROM gem) AS d;
SELECT named(linear_regression(price, d, 'PRICE ~ carat')), named(linear_regression(price, d, '~ carat')), named(linear_regression(price, d, 'carat')), named(linear_regression(price, ARRAY[carat])) FROM gem AS d;

-- casts and names of what is computed are taken; names of anything else are not
SELECT named(linear_regression(price::float8, d, 'price ~ carat')), named(linear_regression(price::text::numeric, d, 'price ~ carat')),
       named(linear_regression(ln(price), d, 'log_price ~ carat')), named(linear_regression(extract(day FROM date '2026-01-01' + price), d, 'day ~ carat')), named(linear_regression(price, to_jsonb(d), 'price ~ carat')) FROM gem AS d;
SELECT named(linear_regression(g.price, d, 'price ~ c')) FROM gem AS g, LATERAL (SELECT g.price AS p, g.carat AS c) AS d;
SELECT named(linear_regression(y, d, 'y ~ .')) FROM (SELECT ln(price) AS y, carat, cut FROM gem) AS d;
SELECT named(logistic_regression(yes, d, 'yes ~ carat')) FROM (SELECT price > 1500 AS yes, carat FROM gem) AS d;
SELECT named(linear_regression(b.price, d, 'price ~ carat + depth')) FROM gem AS d JOIN (SELECT id, price FROM gem) AS b USING (id, price);
SELECT test.try(format('SELECT pgfit.linear_regression(%s, d, %L) FROM gem AS d', target, formula))
FROM (VALUES ('price', 'carat ~ depth'), ('price', 'prise ~ carat'), ('price::float8', 'prise ~ carat'), ('price', '"Price" ~ carat'), ('price + depth', 'carat ~ depth'), ('ln(price)', 'ln(carat) ~ depth'),
      ('price', 'carat ~ .'), ('price', '1 ~ carat'), ('price', 'price::int ~ carat'), ('price', 'price + ~ carat'), ('price', 'price ~ carat ~ cut'), ('price', 'price ~'), ('price', '~'),
      ('price', 'C(price) ~ carat'), ('price', 'cbind(price, depth) ~ carat'), ('price', '"" ~ carat')) AS v(target, formula);

-- log(price) left of the ~ and price as the argument fitted price
SELECT test.try(format('SELECT pgfit.info(pgfit.linear_regression(%s, d, %L)) ->> ''target'' FROM gem AS d', target, formula))
FROM (VALUES ('price', 'log(price) ~ carat'), ('price::float8', 'price / 1000 ~ carat'), ('ln(price)', 'ln(price) ~ carat'), ('-price', 'price ~ carat')) AS v(target, formula);

-- "." leaves out what is named, also where the target is computed
SELECT named(linear_regression(price, d, 'price ~ . - id')), named(linear_regression(ln(price), d, 'ln(price) ~ . - id')) FROM gem AS d;
SELECT named(linear_regression(1e3 * carat, d, 'log(price * depth) ~ . - id')) FROM (SELECT price + 0 AS price, depth + 0 AS depth, carat, cut, id FROM gem) AS d;

-- methods without a target
SELECT test.try(format('SELECT pgfit.%s', call)) FROM unnest(ARRAY['kmeans(d, ''price ~ carat'') FROM gem AS d', 'pca(d, ''{"formula": "price ~ carat"}''::jsonb) FROM gem AS d',
    'isolation_forest(d, ''price ~ carat'') FROM gem AS d', 'neighbors(id, d, ''id ~ carat'') FROM gem AS d', 'feature_moments(d, ''price ~ carat'') FROM gem AS d',
    'cross_validate(NULL::int, d, ''kmeans'', ''price ~ carat'') FROM gem AS d', 'fit(''kmeans'', ''gem'', ''price ~ carat'')']) AS call;

-- windows show no columns, so that any name stands; groups, parallel workers and moments keep it
SELECT DISTINCT named(linear_regression(price, d, 'value ~ carat') OVER ()) FROM gem AS d;
SELECT count(*), bool_and(named(m) = 'linear_regression: price ~ carat | price | carat') FROM (SELECT linear_regression(price, d, 'price ~ carat') AS m FROM gem AS d GROUP BY part) AS g;
SELECT named(fit('linear_regression', merge(m))), (array_agg(named(m)))[1] FROM (SELECT moments(price, d, 'price ~ carat') AS m FROM gem AS d) AS f;
SELECT named(fit('lda', merge(m))) FROM (SELECT merge(m) AS m FROM (SELECT class_moments(cut, d, 'cut ~ carat + depth') AS m FROM gem AS d GROUP BY part) AS parts) AS f;
SELECT test.try('SELECT pgfit.merge(m) FROM (SELECT pgfit.moments(price, d, ''price ~ carat'') AS m FROM gem AS d UNION ALL SELECT pgfit.moments(price, d, ''carat'') FROM gem AS d) AS f');
SELECT named(m::text::model), m::text::model = m, m::jsonb::model = m FROM (SELECT linear_regression(price, d, 'price ~ log(carat) * cut') AS m FROM gem AS d) AS f;

-- scores and equations are the same with and without it
SELECT bool_and(predict(m, d) = predict(n, d)), bool_and(to_sql(m) = to_sql(n)), bool_and(m <> n)
FROM gem AS d, (SELECT linear_regression(price, d, 'price ~ log(carat) + cut') AS m, linear_regression(price, d, 'log(carat) + cut') AS n FROM gem AS d) AS f;
SELECT count(*), bool_and(a.value = b.value) FROM (SELECT cross_validate(price, d, 'linear_regression', 'price ~ carat') AS a, cross_validate(price, d, 'linear_regression', 'carat') AS b FROM gem AS d) AS f, unnest(a) AS a JOIN unnest(b) AS b USING (metric, fold);

-- an ensemble has the name that its members agree on
SELECT named(ensemble(array_agg(m))), named(ensemble(array_agg(n))) FROM (SELECT linear_regression(price, d, 'price ~ carat') AS m, linear_regression(ln(price), d, 'log_price ~ carat') AS n FROM gem AS d
    UNION ALL SELECT ridge_regression(price, d, '{"formula": "price ~ depth", "lambda": 1}'::jsonb), linear_regression(price, d, 'price ~ depth') FROM gem AS d) AS f;

-- fit and train write the name of the column into the query that they run and store
SELECT fit_sql('linear_regression', 'gem', 'PRICE ~ carat + cut'), fit_sql('linear_regression', 'gem', 'price ~', '{"formula": "carat"}'), fit_sql('linear_regression', 'gem', 'price ~', '{"features": ["carat"]}');
-- a formula that ended at its ~ had all other columns, as if it ended in "."
SELECT test.try(call) FROM unnest(ARRAY[$$SELECT fit_sql('linear_regression', 'gem', 'price ~')$$, $$SELECT fit_sql('pca', 'gem', ' ~ ')$$,
    $$SELECT fit_sql('linear_regression', 'gem', 'price ~', '{"prepare": ["standard_scaler"]}')$$, $$SELECT count(*) FROM automl('gem', 'price ~')$$]) AS call;
SELECT named(fit('linear_regression', 'SELECT price AS "Price", carat, cut FROM gem', 'Price ~ .'));
SELECT named(fit('svm_regression', 'gem', 'price ~ carat', '{"passes": true, "loss": "squared_epsilon_insensitive"}'));
SELECT version FROM train('gems', 'linear_regression', 'gem', 'price ~ carat + cut', '{"holdout": false, "summary": false}');
SELECT named(get_model('gems')), get_model('gems') = (SELECT linear_regression(d.price, d, 'price ~ carat + cut') FROM gem AS d);
SELECT drop_model('gems');

-- values from outside: a formula that is stored has no target of its own, and a name is only a text
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', jsonb_set(m::jsonb, '{schema,formula,text,0}', '"price ~ log(carat)"'))),
       split_part(summary(jsonb_set(m::jsonb, '{schema,target_name,text,0}', '"x\n; DROP ~"')::model), E'\n', 1)
FROM (SELECT linear_regression(price, d, 'price ~ log(carat)') AS m FROM gem AS d) AS f;
SELECT m::jsonb -> 'schema' FROM (SELECT linear_regression(price, d, 'price ~ log(carat)') AS m FROM gem AS d) AS f;
\pset tuples_only off
DROP FUNCTION test.named(model);
DROP TABLE test.gem;
-- columns that differ in case alone: a name is the column that is written so, and in lower case only where there is none
CREATE TABLE test.cases AS SELECT id % 7 AS "Yy", sin(id) AS yy, cos(id) AS b FROM generate_series(1, 40) AS id;
SELECT info(fit('linear_regression', 'test.cases', '"Yy" ~ .')) -> 'features' AS features, info(fit('linear_regression', 'test.cases', '"Yy" ~ .')) ->> 'target' AS target;
SELECT try('SELECT pgfit.linear_regression(d.yy, d, ''Yy ~ .'') FROM test.cases AS d');
SELECT info(linear_regression(d.yy, d, 'YY ~ .')) -> 'features' AS features FROM test.cases AS d;
-- a subquery may call it anew, whether or not the planner merges it
SELECT info(linear_regression(s.price, s.d, 'price ~ b')) ->> 'target' AS merged FROM (SELECT yy AS price, d FROM test.cases AS d) AS s;
SELECT info(linear_regression(s.price, s.d, 'price ~ b')) ->> 'target' AS apart FROM (SELECT yy AS price, d FROM test.cases AS d OFFSET 0) AS s;
DROP TABLE test.cases;
