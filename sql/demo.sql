-- The tour of examples/demo.sql in short: what it shows is true.
CREATE SCHEMA demo;
SET search_path = demo, pgfit, public;
CREATE TABLE diamonds (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    carat float8, cut text, color text, clarity text, depth float8, "table" float8, price int,
    x float8, y float8, z float8);
\copy diamonds (carat, cut, color, clarity, depth, "table", price, x, y, z) FROM PROGRAM 'sed ''1d;$d'' examples/diamonds.sql' WITH (FORMAT csv, HEADER)
ANALYZE diamonds;
CREATE VIEW stones AS
SELECT *, (hashtextextended(d::text, 0) & 1023) < 205 AS held_out FROM diamonds AS d;
SELECT held_out, count(*) FROM stones GROUP BY held_out ORDER BY held_out;

CREATE TABLE price_model AS
SELECT linear_regression(price, s, 'carat + depth + "table" + cut + color + clarity') AS model
FROM stones AS s WHERE NOT held_out;
-- every level but the first has its term; prices rise with weight and clarity, fall toward color J
SELECT count(*), count(*) FILTER (WHERE p_value < 0.001), min(term COLLATE "C"), max(term COLLATE "C") FROM price_model, coefficients(model);
SELECT term FROM price_model, coefficients(model) WHERE term LIKE 'color=%' ORDER BY estimate DESC;
SELECT bool_and(conf_low < estimate AND estimate < conf_high AND test.near(statistic, estimate / std_error))
FROM price_model, coefficients(model);

CREATE TABLE cut_model AS
SELECT cut, linear_regression(price, s, 'log(carat) * clarity + poly(carat, 3) + color') AS model
FROM stones AS s WHERE NOT held_out GROUP BY cut;
SELECT cut, info(model)->>'rows' AS rows FROM cut_model ORDER BY cut;

CREATE TABLE scored AS
SELECT s.id, s.cut, s.price, s.held_out,
       predict(p.model, s) AS overall, predict(c.model, s) AS per_cut
FROM stones AS s CROSS JOIN price_model AS p JOIN cut_model AS c USING (cut);
SELECT count(*), count(overall), count(per_cut) FROM scored;
-- residuals of a fit with an intercept add up to 0
SELECT abs(avg(price - overall)) < 1e-6, abs(avg(price - per_cut)) < 1e-6 FROM scored WHERE NOT held_out;
-- on rows that no fit has seen
SELECT round(r_squared(price, overall)::numeric, 3) AS overall, round(r_squared(price, per_cut)::numeric, 3) AS per_cut,
       rmse(price, per_cut) < rmse(price, overall) AS a_model_per_cut_is_better
FROM scored WHERE held_out;

-- nine of ten stones lie between the limits
SELECT avg((price BETWEEN lower AND upper)::int)::numeric(3, 2) BETWEEN 0.88 AND 0.96 AS covered
FROM stones AS s CROSS JOIN price_model, predict_interval(model, s, 0.9)
WHERE held_out;

-- stored summaries of days give the fit of all rows
CREATE TABLE moments AS
SELECT date '2026-01-01' + (id - 1) / 1800 AS day, moments(price, d, 'carat + depth + "table" + cut + color + clarity') AS rows
FROM diamonds AS d GROUP BY day;
SELECT count(*) FROM moments;
WITH merged AS (SELECT fit('linear_regression', merge(rows)) AS m FROM moments),
     direct AS (SELECT linear_regression(price, d, 'carat + depth + "table" + cut + color + clarity') AS m FROM diamonds AS d)
SELECT count(*), bool_and(test.near(a.estimate, b.estimate, 1e-9)), bool_and(test.near(a.std_error, b.std_error, 1e-9))
FROM merged, coefficients(merged.m) AS a, direct, coefficients(direct.m) AS b WHERE a.term = b.term;

-- a rolling window is the fit of its rows
SET client_min_messages = error; -- the first windows have too few rows for tests, and say so
CREATE TABLE rolling AS
SELECT id, linear_regression(price, carat) OVER (ORDER BY id ROWS 999 PRECEDING) AS model
FROM diamonds WHERE id <= 5000;
RESET client_min_messages;
SELECT r.id, bool_and(test.near(a.estimate, b.estimate, 1e-9))
FROM rolling AS r, coefficients(r.model) AS a,
     LATERAL (SELECT linear_regression(price, carat) AS m FROM diamonds AS d WHERE d.id BETWEEN r.id - 999 AND r.id) AS direct,
     coefficients(direct.m) AS b
WHERE a.term = b.term AND r.id % 1000 = 0 GROUP BY r.id ORDER BY r.id;

-- the model as SQL gives the model's scores
CREATE TABLE small AS SELECT linear_regression(price, d, 'log(carat) + depth + cut') AS m FROM diamonds AS d;
SELECT to_sql(m) AS expression FROM small \gset
SELECT count(*), bool_and(test.near(:expression, predict(m, f)))
FROM small, (SELECT carat, depth, cut FROM diamonds WHERE id % 100 = 0) AS f;

-- a classifier on passengers that it has not seen
CREATE TABLE titanic (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    survived int, pclass int, sex text, age float8, sibsp int, parch int, fare float8, embarked text, class text,
    who text, adult_male boolean, deck text, embark_town text, alive text, alone boolean);
\copy titanic (survived, pclass, sex, age, sibsp, parch, fare, embarked, class, who, adult_male, deck, embark_town, alive, alone) FROM PROGRAM 'sed ''1d;$d'' examples/titanic.sql' WITH (FORMAT csv, HEADER)
CREATE TABLE survival AS
SELECT logistic_regression(survived, t, '{"formula": "class * sex + age + sibsp + parch", "nulls": "impute", "lambda": 0.5, "standardize": true}') AS model
FROM titanic AS t WHERE id % 3 > 0;
SELECT count(*) AS passengers, round(accuracy(survived, predict(model, t))::numeric, 3) AS accuracy,
       round(roc_auc(survived, probability(model, t))::numeric, 3) AS auc
FROM titanic AS t CROSS JOIN survival WHERE id % 3 = 0;

-- clusters that are almost the species
CREATE TABLE penguins (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    species text, island text, bill_length_mm float8, bill_depth_mm float8, flipper_length_mm float8,
    body_mass_g float8, sex text);
\copy penguins (species, island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) FROM PROGRAM 'sed ''1d;$d'' examples/penguins.sql' WITH (FORMAT csv, HEADER)
CREATE TABLE clustered AS
SELECT species, cluster(model, p) AS cluster
FROM penguins AS p, (SELECT kmeans(p, 3, '{"formula": "bill_length_mm + bill_depth_mm + flipper_length_mm", "standardize": true}') AS model
                     FROM penguins AS p) AS fitted
WHERE flipper_length_mm IS NOT NULL;
SELECT count(DISTINCT cluster) AS clusters, count(*) AS gentoos FROM clustered WHERE species = 'Gentoo';
SELECT round(adjusted_rand_index(species, cluster)::numeric, 3) AS agreement FROM clustered;

-- the nearest rows are those that a sort by the distance finds
CREATE TABLE stone_search AS
SELECT neighbors(id, d, '{"formula": "carat + depth + x + y + z", "standardize": true}') AS model FROM diamonds AS d;
WITH scale AS (SELECT stddev(carat) AS c, stddev(depth) AS d, stddev(x) AS x, stddev(y) AS y, stddev(z) AS z FROM diamonds),
     sorted AS (SELECT array_agg(id ORDER BY distance, id) AS ids
                FROM (SELECT o.id, sqrt(((o.carat - q.carat) / s.c)^2 + ((o.depth - q.depth) / s.d)^2 + ((o.x - q.x) / s.x)^2
                                        + ((o.y - q.y) / s.y)^2 + ((o.z - q.z) / s.z)^2) AS distance
                      FROM scale AS s, diamonds AS q, diamonds AS o WHERE q.id = 100
                      ORDER BY distance, id LIMIT 4) AS t)
SELECT array_agg(n.id ORDER BY n.distance, n.id) = min(ids) AS same
FROM sorted, stone_search, diamonds AS q, nearest(model, q, 4, NULL::int) AS n
WHERE q.id = 100;

-- a version that predicts better is promoted
SELECT version, active FROM train('demo_price', 'linear_regression', 'diamonds', 'price ~ carat + cut + color + clarity', '{"holdout": {"key": "id"}, "promote": "if_better"}');
SELECT version, active, starts_with(message, 'promoted: rmse') AS promoted
FROM train('demo_price', 'boosted_trees_regression', 'diamonds', 'price ~ carat + cut + color + clarity',
           '{"holdout": {"key": "id"}, "promote": "if_better", "n_trees": 30, "learning_rate": 0.3}');
SELECT drop_model('demo_price');
SET client_min_messages = warning;
DROP SCHEMA demo CASCADE;
