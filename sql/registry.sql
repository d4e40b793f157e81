-- One call to fit, the registry of models, and scores by name.
SET search_path = public, test, pgfit;
CREATE TABLE stone AS
SELECT i AS id, 1 + i % 40 / 10.0 AS carat, (ARRAY['fair', 'good', 'ideal'])[1 + i % 3] AS cut, i % 5 > 1 AS sold, DATE '2026-01-01' + i / 10 AS day,
       1 + i % 2 AS w, 100 * (1 + i % 40 / 10.0) + 20 * (i % 3) + i % 7 AS price
FROM generate_series(1, 400) AS i;

-- ---- fit: the query that a user would write ----

SELECT fit_sql('linear_regression', 'stone', 'price ~ log(carat) + cut');
SELECT fit_sql('ridge_regression', 'SELECT * FROM stone WHERE id > 7; -- a comment', ' "price"~.', '{"lambda": 0.5, "weight": "w"}');
SELECT fit_sql('kmeans', 'stone'::regclass::text, '~ carat + price', '{"k": 3}');
SELECT fit_sql('kmeans', 'stone', NULL, '{"k": 3, "features": ["carat", "price"]}');
SELECT fit_sql('dbscan', 'TABLE stone', 'carat + price', '{"id": "id", "radius": 2}');
SELECT left(try($$SELECT fit_sql('feature_moments', 'stone')$$), 70);
SELECT fit_sql('linear_regression', 'VALUES (1, 2), (2, 3), (3, 5)', 'column1 ~ column2');
SELECT fit_sql('linear_regression', 'WITH s AS (SELECT * FROM stone) SELECT carat, price AS "it''s ""it""" FROM s', '"it''s ""it"""~carat');
-- an alias that is no column of the source
SELECT fit_sql('linear_regression', 'SELECT id AS d, price AS d1 FROM stone', 'd1 ~ d');
-- the same model as the query gives
SELECT fit('linear_regression', 'stone', 'price ~ log(carat) + cut') = (SELECT linear_regression(d.price, d, 'price ~ log(carat) + cut') FROM stone AS d) AS same;
SELECT fit('ridge_regression', 'SELECT * FROM stone WHERE id > 7', 'price ~ carat', '{"lambda": 0.5, "weight": "w"}')
     = (SELECT ridge_regression(d.price, d, '{"lambda": 0.5, "formula": "price ~ carat"}'::jsonb, d.w) FROM stone AS d WHERE id > 7) AS same;
SELECT fit('logistic_regression', 'stone', 'sold ~ carat + cut') = (SELECT logistic_regression(sold, d, 'sold ~ carat + cut') FROM stone AS d) AS same;
SELECT info(fit('dbscan', 'stone', 'carat + price', '{"id": "id", "radius": 2}')) ->> 'rows' AS rows;
-- Unquoted names fall back to lower case
SELECT fit_sql('linear_regression', 'stone', 'Price ~ carat');
SELECT fit('linear_regression', 'stone', 'price ~ carat', '{"on_failure": "null"}') IS NOT NULL AS fitted,
       fit('linear_regression', 'SELECT 1 AS price, 2 AS carat WHERE false', 'price ~ carat', '{"on_failure": "null"}') IS NULL AS nothing;
-- a function of the caller may fit, in the snapshot of its statement
CREATE FUNCTION pg_temp.refit() RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE m pgfit.model;
BEGIN
    INSERT INTO stone (id, carat, cut, price) VALUES (401, 2, 'good', 250);
    m := pgfit.fit('linear_regression', 'stone', 'price ~ carat');
    RETURN (pgfit.info(m) ->> 'rows')::float8;
END $$;
SELECT pg_temp.refit();
DELETE FROM stone WHERE id = 401;

-- refusals name what is wrong
SELECT left(try($$SELECT fit('linear_regresion', 'stone', 'price ~ carat')$$), 110);
SELECT try($$SELECT fit('linear_regression', 'nosuch', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'public.stone.x.y', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', '', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'SELECT 1; SELECT 2', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'DELETE FROM stone RETURNING *', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'WITH x AS (DELETE FROM stone RETURNING *) SELECT * FROM x', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'SELECT * INTO t FROM stone', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'SELECT * FROM stone) AS d, (SELECT 1', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'SELECT * FROM stone WHERE id = $1', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'prise ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'price ~ carot')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'log(price) ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'price), pg_sleep(1 ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', '"price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'carat')$$);
SELECT try($$SELECT fit('linear_regression', 'stone')$$);
SELECT try($$SELECT fit('kmeans', 'stone', 'price ~ carat', '{"k": 2}')$$);
SELECT try($$SELECT fit('dbscan', 'stone', 'carat', '{"radius": 1}')$$);
SELECT try($$SELECT fit('dbscan', 'stone', 'id ~ carat', '{"radius": 1}')$$);
SELECT try($$SELECT fit('kmeans', 'stone', 'carat', '{"k": 2, "id": "id"}')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'price ~ carat', '{"weight": "cut"}')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'price ~ carat', '{"weight": "weight"}')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'price ~ carat', '{"weight": 1}')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'price ~ carat', '{"lamda": 1}')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'price ~ carat', '[]')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'price ~ carat', '{"formula": "cut"}')$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'price ~ carat', NULL)$$);
SELECT try($$SELECT fit('linear_regression', 'stone', 'cut ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'SELECT * FROM stone WHERE false', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'SELECT NULL::float8 AS carat, price FROM stone', 'price ~ carat')$$);
SELECT try($$SELECT fit('linear_regression', 'stone'::regclass, 'price ~ carat')$$);

-- ---- train: versions with metrics ----

SELECT version, active, rows, message, metrics ? 'rmse' AS rmse FROM train('price', 'linear_regression', 'stone', 'price ~ carat');
SELECT version, active, rows BETWEEN 300 AND 340 AS part, split_part(message, ' is', 1) AS message
FROM train('price', 'linear_regression', 'stone', 'price ~ carat + cut', '{"promote": "if_better", "holdout": {"key": "id", "seed": 1}}');
SELECT version, active, split_part(message, ' is', 1) AS message
FROM train('price', 'linear_regression', 'stone', 'price ~ cut', '{"promote": "if_better", "holdout": {"key": "id", "seed": 1}}');
-- better, but not by the margin
SELECT version, active, message LIKE 'not promoted: r_squared is 0.% (margin 0.5)%' AS message
FROM train('price', 'linear_regression', 'stone', 'price ~ carat * cut', '{"promote": "if_better", "metrics": "r_squared", "margin": 0.5}');
SELECT version, active, rows, (SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(metrics) AS key) AS metrics
FROM train('price', 'ridge_regression', 'stone', 'price ~ carat + cut', '{"promote": "never", "holdout": {"folds": 4}, "metrics": "mse", "lambda": 1}');
SELECT version, rows FROM train('price', 'linear_regression', 'stone', 'price ~ carat', '{"promote": "never", "holdout": {"time": "day", "after": "2026-01-20"}, "refit": false}');
SELECT version, rows FROM train('price', 'linear_regression', 'stone', 'price ~ carat', '{"promote": "never", "holdout": {"time": "day", "fraction": 0.25}, "refit": false}');
SELECT version, query FROM registry WHERE name = 'price' ORDER BY version;
SELECT version, active, status, estimator, rows, trained_by = current_user AS by_me, duration > '0' AS took FROM history('price');
SELECT version, evaluation - 'active' - 'std_error' AS evaluation FROM registry WHERE name = 'price' AND version IN (1, 2, 6, 7) ORDER BY version;
-- the metrics are those of the aggregates, on the rows that were held out
SELECT r.metrics ->> 'rmse' = m.rmse::text AS rmse, r.metrics ->> 'r_squared' = m.r_squared::text AS r_squared, (r.evaluation ->> 'rows')::int = m.n AS rows
FROM registry AS r, LATERAL (SELECT rmse(price, predict(r.model, d)), r_squared(price, predict(r.model, d)), count(*) AS n FROM stone AS d WHERE NOT split(id, 0.8, 1)) AS m
WHERE r.name = 'price' AND r.version = 2;
SELECT r.evaluation #>> '{active,metrics,rmse}' = m.rmse::text AS the_one_that_served
FROM registry AS r, LATERAL (SELECT rmse(price, predict(get_model('price', 2), d)) FROM stone AS d WHERE NOT split(id, 0.8, 1)) AS m
WHERE r.name = 'price' AND r.version = 3;
-- classifiers, with a class that only held-out rows have
SELECT version, active, (SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(metrics) AS key) AS metrics
FROM train('sold', 'logistic_regression', 'stone', 'sold ~ carat + cut', '{"metrics": "roc_auc", "weight": "w"}');
SELECT version, message, metrics ->> 'log_loss' AS log_loss
FROM train('cut', 'naive_bayes', 'SELECT *, CASE WHEN id = 400 THEN ''new'' ELSE cut END AS cut2 FROM stone', 'cut2 ~ carat + price',
           '{"holdout": {"time": "id", "after": "350"}, "refit": false}');
-- options of one name belong to train; those of the estimator may stand under "options"
SELECT version, metrics ? 'accuracy' AS accuracy FROM train('sold', 'knn_classifier', 'stone', 'sold ~ carat + price', '{"metrics": "accuracy", "k": 3, "options": {"metric": "manhattan"}, "promote": "never"}');
SELECT info(get_model('sold', 2)) #>> '{options,metric}' AS metric;
SELECT version, active, rows, message FROM train('groups', 'kmeans', 'stone', '~ carat + price', '{"k": 3}');

-- refusals; the active version stays
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ nosuch')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'SELECT * FROM stone WHERE id < 1', 'price ~ carat')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'SELECT id, price::text AS price, carat FROM stone', 'price ~ carat')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'SELECT price, carat::text || ''x'' AS carat FROM stone', 'price ~ log(carat)')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"promote": "maybe"}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"metrics": "accuracy"}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"margin": -1}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": 1}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": {"key": "idd"}}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": {"keys": "id"}}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": {"time": "day", "after": "2026-01-20", "fraction": 0.1}}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": {"time": "day", "after": "2036-01-20"}}')$$);
-- where all times are equal, or many rows have the last one, the message spoke of scores
SELECT try($$SELECT train('price', 'linear_regression', 'SELECT price, carat, 7 AS day FROM stone', 'price ~ carat', '{"holdout": {"time": "day"}}')$$);
SELECT try($$SELECT train('groups', 'kmeans', 'SELECT price, carat, least(id, 100) AS n FROM stone', '~ carat + price', '{"k": 3, "holdout": {"time": "n", "fraction": 0.1}}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": {"time": "day", "after": "2016-01-20"}}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": {"time": "day", "after": "soon"}}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'SELECT *, ''{}''::json AS note FROM stone', 'price ~ carat', '{"holdout": {"time": "note", "after": "{}"}}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": "none"}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": false, "promote": "if_better"}')$$);
SELECT try($$SELECT train('groups', 'pca', 'stone', '~ carat', '{"promote": "if_better"}')$$);
SELECT try($$SELECT train('groups', 'dbscan', 'stone', '~ carat', '{"radius": 2, "id": "id", "holdout": 0.5}')$$);
SELECT try($$SELECT train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": {"folds": 3}, "refit": false}')$$);
SELECT try($$SELECT train('{x', 'linear_regression', 'stone', 'price ~ carat')$$);
SELECT try($$SELECT train('', 'linear_regression', 'stone', 'price ~ carat')$$);
SELECT try($$SELECT train(NULL, 'linear_regression', 'stone', 'price ~ carat')$$);
SELECT active, last_version FROM model_names WHERE name = 'price';
-- recorded instead of raised
SELECT * FROM train('price', 'linear_regression', 'stone', 'price ~ nosuch', '{"on_failure": "record"}');
SELECT version, active, status, message FROM history('price') WHERE version = 8;
SELECT try($$SELECT promote('price', 8)$$);
SELECT try($$SELECT get_model('price', 8)$$);
-- the active version does not go with the new rows: it stays, and the message says why
SELECT version, active, message FROM train('price', 'linear_regression', 'SELECT price, carat AS weight FROM stone', 'price ~ weight', '{"promote": "if_better"}');

-- a version that leaves rows without a score that the serving one scores is not better, however good on the others
CREATE TABLE gaps AS SELECT id, price, CASE WHEN id % 10 = 0 THEN price END AS sometimes, CASE WHEN id % 2 = 0 THEN carat END AS half, carat, sold, cut FROM stone;
SELECT active, message FROM train('gaps', 'linear_regression', 'gaps', 'price ~ half', '{"holdout": {"key": "id"}}');
SELECT active, message FROM train('gaps', 'linear_regression', 'gaps', 'price ~ sometimes', '{"holdout": {"key": "id"}, "promote": "if_better"}');
SELECT active, message FROM train('gaps', 'linear_regression', 'gaps', 'price ~ sometimes', '{"holdout": {"folds": 3}, "promote": "if_better"}');
-- both are judged on the rows that both score: here the even ones
SELECT active, message FROM train('gaps', 'linear_regression', 'gaps', 'price ~ carat', '{"holdout": {"key": "id"}, "promote": "if_better"}');
SELECT evaluation -> 'rows' AS rows, evaluation #> '{active,rows}' AS rows_of_both FROM registry WHERE name = 'gaps' AND version = 4;
-- a version without probabilities is compared by what it has
SELECT active, message FROM train('bought', 'nearest_exemplar', 'gaps', 'sold ~ cut', '{"holdout": {"key": "id"}, "metrics": "balanced_accuracy", "exemplar": "medoid"}');
SELECT active, left(message, 14) AS message FROM train('bought', 'tree_classifier', 'gaps', 'sold ~ id', '{"holdout": {"key": "id"}, "promote": "if_better"}');
SELECT promote('bought', 1);
SELECT active, message FROM train('bought', 'tree_classifier', 'gaps', 'sold ~ id', '{"holdout": {"key": "id"}, "promote": "if_better", "metrics": "log_loss"}');
-- metrics of two classes are those of the positive class of the model
SELECT positive, round((metrics ->> 'roc_auc')::numeric, 4) AS roc_auc, round((by_hand).roc_auc::numeric, 4) AS roc_auc_by_hand
FROM (VALUES ('false'), ('true')) AS v (positive),
     LATERAL train('auc', 'logistic_regression', 'gaps', 'sold ~ price', jsonb_build_object('positive', positive, 'metric', 'roc_auc', 'refit', false, 'holdout', jsonb '{"key": "id"}')) AS t,
     LATERAL (SELECT roc_auc(sold, probability(m, g), jsonb_build_object('positive', positive)) AS roc_auc
              FROM (SELECT logistic_regression(sold, g, jsonb_build_object('formula', 'price', 'positive', positive)) AS m FROM gaps AS g WHERE split(id, 0.8)) AS fitted, gaps AS g
              WHERE NOT split(id, 0.8)) AS by_hand ORDER BY positive;
SELECT positive, t.metrics ->> 'recall_score' = r.recall::text AS same
FROM (VALUES ('false'), ('true')) AS v (positive),
     LATERAL train('auc', 'nearest_exemplar', 'gaps', 'sold ~ price', jsonb_build_object('positive', positive, 'metric', 'recall_score', 'refit', false, 'holdout', jsonb '{"key": "id"}')) AS t,
     LATERAL (SELECT recall_score(sold, classify(m, g), jsonb_build_object('positive', positive)) AS recall
              FROM (SELECT nearest_exemplar(sold, g, jsonb_build_object('formula', 'price', 'positive', positive)) AS m FROM gaps AS g WHERE split(id, 0.8)) AS fitted, gaps AS g
              WHERE NOT split(id, 0.8)) AS r ORDER BY positive;
SELECT count(DISTINCT metrics ->> 'recall_score') AS recalls
FROM (VALUES ('false'), ('true')) AS v (positive),
     LATERAL train('auc', 'logistic_regression', 'gaps', 'sold ~ price', jsonb_build_object('positive', positive, 'metric', 'recall_score', 'holdout', jsonb '{"folds": 3}')) AS t;
-- the active version has the other positive class: its scores are turned round
SELECT active, message FROM train('turned', 'nearest_exemplar', 'gaps', 'sold ~ price', '{"positive": "true", "metrics": "roc_auc", "holdout": {"key": "id"}, "refit": false}');
SELECT active, message FROM train('turned', 'nearest_exemplar', 'gaps', 'sold ~ price', '{"positive": "false", "metrics": "roc_auc", "holdout": {"key": "id"}, "promote": "if_better"}');
SELECT drop_model(name) FROM unnest(ARRAY['gaps', 'bought', 'auc', 'turned']) AS name;
DROP TABLE gaps;

-- ---- serving ----

SELECT predict('price', d) = predict(get_model('price', 2), d) AS same FROM stone AS d LIMIT 1;
SELECT promote('price', 1);
SELECT predict('price', d) = predict(get_model('price', 1), d) AS same FROM stone AS d LIMIT 1;
SELECT promote('price', 3), promote('price', 3);
SELECT active, earlier FROM model_names WHERE name = 'price';
SELECT rollback('price');
SELECT rollback('price');
SELECT rollback('price');
SELECT try($$SELECT rollback('price')$$);
SELECT promote('price', 2);
SELECT predict('price', d) = predict(get_model('price'), d) AS same FROM stone AS d LIMIT 1;
-- promoted in this transaction, rolled back to a savepoint
BEGIN;
PREPARE score AS SELECT (predict('price', d) = predict(get_model('price', 1), d)) AS is_1 FROM stone AS d WHERE id = 9;
EXECUTE score;
SAVEPOINT s;
SELECT promote('price', 1);
EXECUTE score;
ROLLBACK TO s;
EXECUTE score;
SELECT promote('price', 1);
EXECUTE score;
ROLLBACK;
EXECUTE score;
DEALLOCATE score;
-- PL/pgSQL keeps its expressions between statements
CREATE FUNCTION pg_temp.score() RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT round(pgfit.predict('price', d)::numeric, 6) FROM stone AS d WHERE id = 9); END $$;
SELECT pg_temp.score() AS with_2, promote('price', 1), pg_temp.score() AS with_1, promote('price', 2), pg_temp.score() AS again;
-- all siblings
SELECT classify('sold', d) = classify(m, d), classify('sold', d, NULL::boolean) = classify(m, d, NULL::boolean), probability('sold', d) = probability(m, d),
       probability('sold', d, true) = probability(m, d, true), probabilities('sold', d) = probabilities(m, d), decision('sold', d) = decision(m, d),
       decisions('sold', d) = decisions(m, d), design('sold', d) = design(m, d), distance('sold', d) = distance(m, d), predict('sold', d) = predict(m, d)
FROM stone AS d, get_model('sold') AS m WHERE id = 3;
SELECT predict_interval('price', d) = predict_interval(m, d), predict_interval('price', d, 0.5) = predict_interval(m, d, 0.5),
       (SELECT count(*) FROM explain('price', d)) AS terms FROM stone AS d, get_model('price') AS m WHERE id = 3;
SELECT cluster('groups', d) = cluster(m, d), distance('groups', d) = distance(m, d), distances('groups', d) = distances(m, d) FROM stone AS d, get_model('groups') AS m WHERE id = 3;
SELECT 'pca' AS name, active FROM train('pca', 'pca', 'stone', '~ carat + price', '{"k": 1}');
SELECT transform('pca', d) = transform(m, d) FROM stone AS d, get_model('pca') AS m WHERE id = 3;
SELECT active FROM train('scaler', 'standard_scaler', 'stone', '~ carat + price');
SELECT transform_row('scaler', d) = transform_row(m, d) FROM stone AS d, get_model('scaler') AS m WHERE id = 3;
SELECT active FROM train('near', 'neighbors', 'stone', '~ carat + price', '{"id": "id"}');
SELECT n.id FROM stone AS d, nearest('near', d, 2) AS n WHERE d.id = 3;
SELECT active FROM train('normal', 'multivariate_normal', 'stone', '~ carat + price');
SELECT tail_probability('normal', d) = tail_probability(m, d) FROM stone AS d, get_model('normal') AS m WHERE id = 3;
-- columns instead of rows, as with models
CREATE FUNCTION pg_temp.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query; END $$;
SELECT bool_or(line LIKE '%predict_columns(''price''%') AS columns FROM pg_temp.plan('SELECT predict(''price'', d) FROM stone AS d') AS line WHERE line LIKE '%Output%';
-- several names in one query, from a column
SELECT n.name, count(predict(n.name, d)) FROM stone AS d, (VALUES ('price'), ('groups'), ('sold')) AS n(name) GROUP BY 1 ORDER BY 1;
-- a name is not a model: text that begins with a brace is refused by every function of a name, and the hint shows the cast
SELECT predict(get_model('price')::text::pgfit.model, d) = predict('price', d) AS same FROM stone AS d WHERE id = 3;
SELECT try($$SELECT predict(get_model('price')::text, d) FROM stone AS d$$);
SELECT try($$SELECT predict('{"x": 1}', d) FROM stone AS d$$);
CREATE FUNCTION pg_temp.by_name(name text) RETURNS TABLE (call text, said text) LANGUAGE sql AS $$
    SELECT p.oid::regprocedure::text, split_part(test.try(format('SELECT pgfit.%I(%L%s)', proname, $1, (SELECT string_agg(CASE t WHEN '"any"'::regtype THEN ', ARRAY[1.0]' WHEN 'anyelement'::regtype THEN ', NULL::int' WHEN 'float8'::regtype THEN ', 0.5'
        WHEN 'jsonb'::regtype THEN ', ''{}''::jsonb' WHEN 'pgfit.call_options'::regtype THEN ', ''{}''' WHEN 'text'::regtype THEN ', ''public.stone''::text' ELSE ', 1' END, '' ORDER BY i)
        FROM unnest(proargtypes[1:pronargs - 1 - pronargdefaults]) WITH ORDINALITY AS a (t, i)))), E'\n', 1)
    FROM pg_proc AS p WHERE pronamespace = 'pgfit'::regnamespace AND proargnames[1] IN ('name', 'name_a') AND proname NOT IN ('is_metric', 'history') AND proargtypes[0] = 'text'::regtype
    ORDER BY 1
$$;
SELECT * FROM pg_temp.by_name(' {"pgfit":1}');
SELECT try($$SELECT predict('[1]', d) FROM stone AS d$$);
SELECT try($$SELECT predict('nosuch', d) FROM stone AS d$$);
SELECT try($$SELECT predict('', d) FROM stone AS d$$);
SELECT try($$SELECT classify('price', d) FROM stone AS d LIMIT 1$$);
SELECT try($$SELECT predict('price', ROW(1)) $$);
SELECT predict(NULL::text, d), get_model(NULL) FROM stone AS d LIMIT 1;
SELECT try($$SELECT get_model('nosuch')$$);
SELECT try($$SELECT pgfit.model('price')$$);
SELECT try($$SELECT get_model('price', 99)$$);
SELECT active FROM train('idle', 'linear_regression', 'stone', 'price ~ carat', '{"promote": "never"}');
SELECT try($$SELECT predict('idle', d) FROM stone AS d LIMIT 1$$);
-- honest volatility: not in what is stored for good
SELECT try($$CREATE INDEX ON stone (predict('price', stone))$$);
CREATE VIEW scored AS SELECT id, predict('price', d) AS estimate FROM stone AS d;
SELECT count(estimate) FROM scored;

-- ---- the rest of the life of a model ----

SELECT drop_model('price', 3);
SELECT try($$SELECT drop_model('price', 3)$$);
SELECT try($$SELECT drop_model('price', 2)$$);
SELECT version, active FROM history('price');
SELECT drop_model('price');
SELECT try($$SELECT count(estimate) FROM scored$$);
SELECT try($$SELECT drop_model('price')$$);
SELECT try($$SELECT promote('price', 1)$$);
SELECT try($$SELECT rollback('price')$$);
SELECT try($$SELECT promote('idle', 2)$$);
SELECT DISTINCT name FROM history() ORDER BY name;
-- a name that comes back begins anew
SELECT version, active FROM train('price', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": false}');
SELECT count(estimate) FROM scored;
SELECT drop_model(name) FROM model_names;
DROP VIEW scored;
-- rows are held out by the order of the type of the time, though another operator takes just this type
CREATE FUNCTION hostile(varchar, varchar) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hostile operator''; END';
CREATE OPERATOR <= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = hostile);
CREATE OPERATOR > (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = hostile);
SELECT metrics IS NOT NULL AS judged FROM train('price', 'linear_regression', 'SELECT price, carat, day::varchar AS day FROM stone', 'price ~ carat', '{"refit": false, "holdout": {"time": "day"}}');
SELECT query FROM registry WHERE name = 'price' ORDER BY version DESC LIMIT 1;
DROP FUNCTION hostile CASCADE;
-- seeds that were rounded or overflowed
SELECT seed, try(format('SELECT train(''price'', ''linear_regression'', ''stone'', ''price ~ carat'', ''{"holdout": {"key": "id", "seed": %s}}'')', seed)) FROM unnest(ARRAY['0.5', '1e300']) AS seed;
SELECT drop_model(name) FROM model_names;
-- a model that is there already
SELECT put_model('given', linear_regression(price, carat)) AS first FROM stone;
SELECT put_model('given', ridge_regression(price, carat, 1)) AS second FROM stone;
SELECT predict('given', ARRAY[1]) = predict(get_model('given', 2), ARRAY[1]) AS serves;
SELECT version, active, status, estimator, metrics, rows > 0 AS rows, message FROM history('given') ORDER BY version;
SELECT source, formula, options, query FROM registry WHERE name = 'given' AND version = 1;
SELECT rollback('given');
SELECT try($$SELECT put_model('{', linear_regression(price, carat)) FROM stone$$);
SELECT try($$SELECT put_model('given', moments(price, carat)) FROM stone$$);
SELECT put_model('given', NULL) IS NULL AS nothing;
SELECT drop_model(name) FROM model_names;
-- the active version is found after VACUUM FULL, which puts it where one that the session has seen in the same transaction was
VACUUM FULL pgfit_internal.model_names;
BEGIN;
SELECT active FROM train('a', 'linear_regression', 'stone', 'price ~ w', '{"holdout": false}');
SELECT predict('a', d) = predict(get_model('a', 1), d) AS first FROM stone AS d LIMIT 1;
SELECT count(*) FROM (VALUES ('b'), ('c')) AS n (name), train(n.name, 'linear_regression', 'stone', 'price ~ carat', '{"holdout": false}');
SELECT active FROM train('a', 'linear_regression', 'stone', 'price ~ carat', '{"holdout": false}');
COMMIT;
VACUUM FULL pgfit_internal.model_names;
SELECT predict('a', d) = predict(get_model('a', 2), d) AS second FROM stone AS d LIMIT 1;
SELECT drop_model(name) FROM model_names;
DROP TABLE stone;
