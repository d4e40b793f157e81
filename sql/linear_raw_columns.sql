-- real rows as they come, text and missing values and all: a fit from the raw columns is the fit on hand-made dummies
CREATE TEMP TABLE penguins(species text, island text, bill_length float8, bill_depth float8, flipper float8, mass float8, sex text);
\copy penguins FROM PROGRAM 'sed ''1d;$d'' examples/penguins.sql' WITH (FORMAT csv, HEADER)
CREATE TEMP TABLE titanic(survived int, pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text, class text,
    who text, adult_male boolean, deck text, embark_town text, alive text, alone boolean);
\copy titanic FROM PROGRAM 'sed ''1d;$d'' examples/titanic.sql' WITH (FORMAT csv, HEADER)
SELECT count(*) AS rows, count(bill_length) AS bills, count(sex) AS sexes FROM penguins;
SELECT count(*) AS rows, count(age) AS ages, count(embarked) AS embarked FROM titanic;

-- f: raw columns, d: dummies
\set birds 'penguins t, LATERAL (SELECT t.species, t.island, t.bill_length, t.bill_depth, t.flipper, t.sex) f, LATERAL (SELECT (t.species = \'Chinstrap\')::int AS chinstrap, (t.species = \'Gentoo\')::int AS gentoo, (t.island = \'Dream\')::int AS dream, (t.island = \'Torgersen\')::int AS torgersen, t.bill_length, t.bill_depth, t.flipper, (t.sex = \'MALE\')::int AS m) d'
\set people 'titanic t, LATERAL (SELECT t.age, t.sibsp, t.parch, t.sex, t.class, t.embarked, t.alone) f, LATERAL (SELECT t.age, t.sibsp, t.parch, (t.sex = \'male\')::int AS m, (t.class = \'Second\')::int AS s, (t.class = \'Third\')::int AS t, (t.embarked = \'Q\')::int AS q, (t.embarked = \'S\')::int AS o, t.alone) d'
CREATE TEMP TABLE fits AS
SELECT 'linear' AS method, pgfit.linear_regression(mass, f) AS raw, pgfit.linear_regression(mass, d) AS dummies FROM :birds
UNION ALL SELECT 'ridge', pgfit.ridge_regression(mass, f, '{"lambda": "gcv"}'::jsonb), pgfit.ridge_regression(mass, d, '{"lambda": "gcv"}'::jsonb) FROM :birds
UNION ALL SELECT 'lasso', pgfit.lasso_regression(fare, f, 3000), pgfit.lasso_regression(fare, d, 3000) FROM :people
UNION ALL SELECT 'elastic net', pgfit.elastic_net(fare, f, 100, 0.3, '{"standardize": true}'), pgfit.elastic_net(fare, d, 100, 0.3, '{"standardize": true}') FROM :people;
SELECT method, test.same_fit(raw, dummies, 1e-8) AS same, pgfit.info(raw) -> 'rows' AS rows, pgfit.info(raw) -> 'skipped' AS skipped FROM fits ORDER BY method;
SELECT round((pgfit.info(raw) -> 'statistics' ->> 'r_squared')::numeric, 4) AS r_squared, pgfit.info(raw) -> 'statistics' -> 'df_residual' AS df FROM fits WHERE method = 'linear';
SELECT term, round(estimate::numeric, 3) AS estimate FROM fits, pgfit.coefficients(raw) WHERE method = 'lasso';
SELECT count(p) AS scored, bool_and(test.near(p, q, 1e-8)) AS same
FROM (SELECT pgfit.predict(raw, f) AS p, pgfit.predict(dummies, d) AS q FROM fits, :birds WHERE method = 'ridge') s;

-- folds from a column beside the raw ones, compared with one fit per fold on hand-made dummies
SELECT test.near_all(errors, hand, 1e-7) AS folds
FROM (SELECT fold_errors AS errors FROM (SELECT pgfit.lasso_regression(fare, f, '{"lambda": [3000], "fold_column": "k"}'::jsonb) AS m
      FROM titanic t, LATERAL (SELECT t.age, t.sibsp, t.sex, t.class, t.pclass + t.sibsp % 2 AS k) f) s, pgfit.lambda_path(m)) a,
     (SELECT array_agg(error ORDER BY k) AS hand FROM (SELECT k, pgfit.mse(fare, pgfit.predict(m, d)) AS error
      FROM (SELECT o.k, pgfit.lasso_regression(fare, d, 3000) AS m FROM generate_series(1, 4) o(k), titanic t,
                   LATERAL (SELECT t.age, t.sibsp, (t.sex = 'male')::int AS male, (t.class = 'Second')::int AS s, (t.class = 'Third')::int AS t) d
            WHERE t.pclass + t.sibsp % 2 <> o.k GROUP BY o.k) fold,
           titanic t, LATERAL (SELECT t.age, t.sibsp, (t.sex = 'male')::int AS male, (t.class = 'Second')::int AS s, (t.class = 'Third')::int AS t) d
      WHERE t.pclass + t.sibsp % 2 = k GROUP BY k) e) b;
-- imputed NULLs: means, and a level of their own
SELECT test.near_all(test.estimates(a), test.estimates(b), 1e-8) AS imputed
FROM (SELECT pgfit.elastic_net(fare, f, 200, 0.5, '{"nulls": "impute"}') AS a, pgfit.elastic_net(fare, d, 200, 0.5) AS b
      FROM (SELECT *, (SELECT avg(age) FROM titanic) AS mean FROM titanic) t, LATERAL (SELECT t.age, t.embarked) f,
           LATERAL (SELECT coalesce(t.age, mean) AS age, coalesce((t.embarked = 'Q')::int, 0) AS q, coalesce((t.embarked = 'S')::int, 0) AS s, (t.embarked IS NULL)::int AS n) d) s;
