-- The tour of pgfit that `make demo` takes you on. To take it in a database of your own:
--     psql -c 'CREATE EXTENSION pgfit' -f examples/demo.sql
-- It works in a schema of its own, pgfit_demo, which you may drop afterwards.
\set QUIET on
\set ON_ERROR_STOP on
\pset pager off
\pset border 1
\pset null '-'
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS pgfit_demo CASCADE;
CREATE SCHEMA pgfit_demo;
SET search_path = pgfit_demo, pgfit, public;
SET client_min_messages = notice;

\echo
\echo '=== 1. Data: 53,940 diamonds, three of the columns are categories'
\echo
CREATE TABLE diamonds (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    carat float8, cut text, color text, clarity text, depth float8, "table" float8, price int,
    x float8, y float8, z float8);
\timing on
\ir diamonds.sql
\timing off
ANALYZE diamonds;
SELECT id, carat, cut, color, clarity, depth, price FROM diamonds ORDER BY id LIMIT 3;

\echo '=== 2. Hold every fifth stone out, picked by a hash of the row'
\echo
CREATE VIEW stones AS
SELECT *, (hashtextextended(d::text, 0) & 1023) < 205 AS held_out FROM diamonds AS d;
SELECT held_out, count(*) FROM stones GROUP BY held_out ORDER BY held_out;

\echo '=== 3. Fit: an aggregate over a target and the row, with a formula; text columns are taken as they are'
\echo
\echo 'CREATE TABLE price_model AS'
\echo 'SELECT linear_regression(price, s, ''carat + depth + "table" + cut + color + clarity'') AS model'
\echo 'FROM stones AS s WHERE NOT held_out;'
\timing on
CREATE TABLE price_model AS
SELECT linear_regression(price, s, 'carat + depth + "table" + cut + color + clarity') AS model
FROM stones AS s WHERE NOT held_out;
\timing off

\echo
\echo '=== 4. Read it'
\echo
SELECT summary(model) FROM price_model \g (tuples_only=on format=unaligned)
\echo
\echo 'The same as a table: SELECT c.* FROM price_model, coefficients(model) AS c'
SELECT term, round(estimate::numeric, 1) AS estimate, round(std_error::numeric, 2) AS std_error,
       round(statistic::numeric, 1) AS t, p_value < 0.001 AS "p < 0.001",
       round(conf_low::numeric, 1) AS conf_low, round(conf_high::numeric, 1) AS conf_high
FROM price_model, coefficients(model)
WHERE term LIKE 'clarity%' OR term IN ('carat', '(intercept)');

\echo '=== 5. A model for each cut: GROUP BY, and the models are values in a table'
\echo
\echo 'CREATE TABLE cut_model AS'
\echo 'SELECT cut, linear_regression(price, s, ''log(carat) * clarity + poly(carat, 3) + color'') AS model'
\echo 'FROM stones AS s WHERE NOT held_out GROUP BY cut;'
\timing on
CREATE TABLE cut_model AS
SELECT cut, linear_regression(price, s, 'log(carat) * clarity + poly(carat, 3) + color') AS model
FROM stones AS s WHERE NOT held_out GROUP BY cut;
\timing off
SELECT cut, (info(model)->>'rows')::int AS rows, pg_column_size(model) AS bytes,
       round((info(model)->'statistics'->>'r_squared')::numeric, 4) AS r_squared
FROM cut_model ORDER BY cut;

\echo '=== 6. Score every stone with both: predict() is a function of a model and a row'
\echo
-- a table of one model is guessed to have hundreds of rows until it is analysed, and the query worth compiling
ANALYZE price_model, cut_model;
\timing on
CREATE TABLE scored AS
SELECT s.id, s.cut, s.price, s.held_out,
       predict(p.model, s) AS overall, predict(c.model, s) AS per_cut
FROM stones AS s CROSS JOIN price_model AS p JOIN cut_model AS c USING (cut);
\timing off
SELECT count(*) AS scored FROM scored;

\echo '=== 7. Evaluate both on the stones that no fit has seen: metrics are aggregates too'
\echo
\timing on
SELECT coalesce(cut, 'all cuts') AS cut, count(*) AS stones,
       round(r_squared(price, overall)::numeric, 4) AS "R² overall",
       round(r_squared(price, per_cut)::numeric, 4) AS "R² per cut",
       round(rmse(price, overall)::numeric, 1) AS "RMSE overall",
       round(rmse(price, per_cut)::numeric, 1) AS "RMSE per cut"
FROM scored WHERE held_out GROUP BY ROLLUP (cut) ORDER BY scored.cut NULLS LAST;
\timing off

\echo '=== 8. How sure? A prediction interval for one stone; the row may be written by hand'
\echo
SELECT round(fit) AS fit, round(lower) AS lower, round(upper) AS upper
FROM price_model, predict_interval(model,
    jsonb '{"carat": 0.7, "depth": 61.5, "table": 56, "cut": "Ideal", "color": "E", "clarity": "VS2"}', 0.95);

\echo '=== 9. Moments: store one summary per day, fit any span of days from the summaries alone'
\echo '    (the stones have no dates, so pretend that 1,800 of them came in every day)'
\echo
\timing on
CREATE TABLE moments AS
SELECT date '2026-01-01' + (id - 1) / 1800 AS day, moments(price, d, 'carat + depth + "table" + cut + color + clarity') AS rows
FROM diamonds AS d GROUP BY day;
SELECT count(*) AS days, pg_size_pretty(sum(pg_column_size(rows))) AS stored,
       round((info(fit('ridge_regression', merge(rows), '{"lambda": 0.1}'))->'statistics'->>'r_squared')::numeric, 4) AS "ridge R², all days",
       round((info(fit('ridge_regression', merge(rows) FILTER (WHERE day >= '2026-01-24'), '{"lambda": 0.1}'))->'statistics'->>'r_squared')::numeric, 4)
           AS "last 7 days"
FROM moments;
\timing off
WITH merged AS (SELECT fit('linear_regression', merge(rows)) AS m FROM moments),
     direct AS (SELECT linear_regression(price, d, 'carat + depth + "table" + cut + color + clarity') AS m FROM diamonds AS d)
SELECT max(abs(a.estimate - b.estimate) / abs(b.estimate)) < 1e-8 AS "merged days = one fit of all rows"
FROM merged, coefficients(merged.m) AS a, direct, coefficients(direct.m) AS b WHERE a.term = b.term;

\echo '=== 10. A rolling regression: what a carat cost among the last 1,000 stones, at every stone'
\echo
SET client_min_messages = error; -- the first windows have too few rows for tests, and say so
\timing on
CREATE TABLE rolling AS
SELECT id, linear_regression(price, carat) OVER (ORDER BY id ROWS 999 PRECEDING) AS model FROM diamonds;
\timing off
SELECT id AS up_to_stone, round(estimate) AS "price of a carat"
FROM rolling, coefficients(model) WHERE id % 9000 = 0 AND term <> '(intercept)' ORDER BY id;

\echo '=== 11. A score without the extension: to_sql() writes the model as a plain expression'
\echo
SELECT to_sql(linear_regression(price, d, 'log(carat) + depth + cut')) FROM diamonds AS d
\g (tuples_only=on format=unaligned)

\echo '=== 12. A classifier: who survived the Titanic? Evaluated on the third of the passengers that it has not seen'
\echo
RESET client_min_messages;
CREATE TABLE titanic (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    survived int, pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text, class text,
    who text, adult_male boolean, deck text, embark_town text, alive text, alone boolean);
\ir titanic.sql
ANALYZE titanic;
\echo 'logistic_regression(survived, t, ''{"formula": "class * sex + age + sibsp + parch", "nulls": "impute", ...}''); missing ages are imputed'
\timing on
CREATE TABLE survival AS
SELECT logistic_regression(survived, t, '{"formula": "class * sex + age + sibsp + parch", "nulls": "impute", "lambda": 0.5, "standardize": true}') AS model
FROM titanic AS t WHERE id % 3 > 0;
\timing off
SELECT count(*) AS passengers, round(accuracy(survived, predict(model, t))::numeric, 3) AS accuracy,
       round(roc_auc(survived, probability(model, t))::numeric, 3) AS auc,
       round(log_loss(survived, probability(model, t))::numeric, 3) AS log_loss
FROM titanic AS t CROSS JOIN survival WHERE id % 3 = 0;
SELECT class, round(avg(probability(model, t)) FILTER (WHERE sex = 'female')::numeric, 2) AS women,
       round(avg(probability(model, t)) FILTER (WHERE sex = 'male')::numeric, 2) AS men
FROM titanic AS t CROSS JOIN survival GROUP BY class ORDER BY class;

\echo '=== 13. Clusters: k-means finds three kinds of penguins from measurements alone, without the species'
\echo
CREATE TABLE penguins (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    species text, island text, bill_length_mm float8, bill_depth_mm float8, flipper_length_mm float8,
    body_mass_g float8, sex text);
\ir penguins.sql
ANALYZE penguins;
\echo 'SELECT kmeans(p, 3, ''{"formula": "bill_length_mm + bill_depth_mm + flipper_length_mm", "standardize": true}'') AS model FROM penguins AS p'
\timing on
CREATE TABLE clustered AS
SELECT species, cluster(model, p) AS cluster
FROM penguins AS p, (SELECT kmeans(p, 3, '{"formula": "bill_length_mm + bill_depth_mm + flipper_length_mm", "standardize": true}') AS model
                     FROM penguins AS p) AS fitted
WHERE flipper_length_mm IS NOT NULL;
\timing off
SELECT coalesce(species, 'all species') AS species, count(*) FILTER (WHERE cluster = 1) AS "cluster 1",
       count(*) FILTER (WHERE cluster = 2) AS "cluster 2", count(*) FILTER (WHERE cluster = 3) AS "cluster 3"
FROM clustered GROUP BY ROLLUP (species) ORDER BY clustered.species NULLS LAST;
SELECT round(adjusted_rand_index(species, cluster)::numeric, 3) AS "agreement with the species (adjusted Rand index)" FROM clustered;

\echo '=== 14. Neighbors: the stones most like stone 100, its own first'
\echo
\echo 'SELECT neighbors(id, d, ''{"formula": "carat + depth + x + y + z", "standardize": true}'') AS model, then nearest(model, row, 4)'
\timing on
CREATE TABLE stone_search AS
SELECT neighbors(id, d, '{"formula": "carat + depth + x + y + z", "standardize": true}') AS model FROM diamonds AS d;
SELECT n.id, round(n.distance::numeric, 3) AS distance, d.carat, d.depth, d.x, d.y, d.z, d.price
FROM stone_search, diamonds AS q, nearest(model, q, 4, NULL::int) AS n
     JOIN diamonds AS d ON d.id = n.id
WHERE q.id = 100 ORDER BY n.distance, n.id;
\timing off

\echo '=== 15. In production: train by name, evaluate on rows that were held out, promote if better, score by the name'
\echo
\echo 'SELECT * FROM train(''demo_price'', ''linear_regression'', ''diamonds'', ''price ~ carat + cut + color + clarity'', ''{"holdout": {"key": "id"}, "promote": "if_better"}'')'
\timing on
SELECT version, active, round((metrics ->> 'rmse')::numeric) AS rmse, message
FROM train('demo_price', 'linear_regression', 'diamonds', 'price ~ carat + cut + color + clarity', '{"holdout": {"key": "id"}, "promote": "if_better"}');
SELECT version, active, round((metrics ->> 'rmse')::numeric) AS rmse, message
FROM train('demo_price', 'boosted_trees_regression', 'diamonds', 'price ~ carat + cut + color + clarity',
           '{"holdout": {"key": "id"}, "promote": "if_better", "n_trees": 30, "learning_rate": 0.3}');
\timing off
SELECT id, price, round(predict('demo_price', d)) AS estimate FROM diamonds AS d WHERE id % 15000 = 0 ORDER BY id;
SELECT drop_model('demo_price') \g /dev/null

\echo '=== 16. What else can be fitted'
\echo
SELECT task, string_agg(name, ', ' ORDER BY name) AS estimators FROM estimators() GROUP BY task ORDER BY task
\g (format=wrapped columns=120)
