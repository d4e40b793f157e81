-- Models in and out: formats, names, refusals.
SET search_path = public, test, pgfit;
SET client_min_messages = warning;
CREATE TABLE line AS SELECT linear_regression(y, x) AS m FROM (VALUES (1, 1), (2, 3), (3, 5)) AS t(x, y);

-- formats that there are, and those that there are not
SELECT export_model(m, 'sql') = to_sql(m) AS sql FROM line;
SELECT try($$SELECT export_model(m, 'odd') FROM line$$);
SELECT try($$SELECT import_model('{}'::text)$$);
SELECT try($$SELECT import_model('{}'::jsonb, 'odd')$$);
SELECT import_model(NULL::text) IS NULL AS none;

-- names that the user gives
SELECT try($$SELECT import_model('{}'::text, options => '{"levels": {"a": 1}}')$$);
SELECT try($$SELECT import_model('{}'::text, options => '{"levels": {"a": [1]}}')$$);
SELECT try($$SELECT import_model('{}'::text, options => '{"feature": ["a"]}')$$);

-- documents of XGBoost: stumps on feature 0, to which the rest of a document is added
CREATE FUNCTION stump(condition float8, low float8, high float8, missing_left boolean DEFAULT true) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('left_children', '[1, -1, -1]'::jsonb, 'right_children', '[2, -1, -1]'::jsonb, 'split_indices', '[0, 0, 0]'::jsonb,
        'split_conditions', jsonb_build_array(condition, low, high), 'default_left', jsonb_build_array(missing_left::int, 0, 0), 'sum_hessian', '[4, 1, 3]'::jsonb, 'loss_changes', '[2, 0, 0]'::jsonb)
$$;
CREATE FUNCTION xgboost(objective text, trees jsonb, base text DEFAULT '5E-1', features jsonb DEFAULT '["a", "b"]', classes int DEFAULT 0, groups jsonb DEFAULT NULL, types jsonb DEFAULT '[]', attributes jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('version', '[1, 7, 4]'::jsonb, 'learner', jsonb_build_object('attributes', attributes, 'feature_names', features, 'feature_types', types,
        'learner_model_param', jsonb_build_object('base_score', base, 'num_class', classes::text, 'num_feature', '2', 'num_target', '1'), 'objective', jsonb_build_object('name', objective),
        'gradient_booster', jsonb_build_object('name', 'gbtree', 'model', jsonb_build_object('gbtree_model_param', '{"num_parallel_tree": "1"}'::jsonb, 'trees', trees,
            'tree_info', coalesce(groups, (SELECT jsonb_agg(0) FROM jsonb_array_elements(trees)))))))
$$;
CREATE TABLE boosted_rows AS SELECT a, 0 AS b FROM (VALUES (0.25::float8), (0.5 - 1e-9), (0.5), (NULL)) AS t(a);
-- XGBoost rounds to floats: a number just below the condition is not below it
SELECT r.a, predict(m, r) FROM boosted_rows r, import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1)), '2')) m;
SELECT r.a, predict(m, r) FROM boosted_rows r, import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1, false)), '2')::text) m;
-- and sums floats from the base score on: 1 + 1e-8 + 1e-8 is 1
SELECT predict(m, ROW(0::float8, 0)) = 1 AS single, round(sum(contribution)::numeric, 6) AS explained FROM import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1e-8, 0), stump(0.5, 1e-8, 0)), '1', '[]')) m, explain(m, ROW(0::float8, 0)) GROUP BY m;
CREATE FUNCTION written(m model) RETURNS float8[] LANGUAGE plpgsql AS $$ DECLARE s float8[]; BEGIN EXECUTE 'SELECT array_agg(' || to_sql(m) || ' ORDER BY a) FROM boosted_rows' INTO s; RETURN s; END $$;
SELECT written(m) = (SELECT array_agg(predict(m, r) ORDER BY a) FROM boosted_rows r) AS sql FROM (SELECT import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 0.1, 0.3), stump(0.3, 1e-8, 7), stump(0.1, 1, 0.7)), '0.3')) AS m) t;
SELECT feature, importance FROM importance(import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1)))));
SELECT info(m) -> 'statistics' AS statistics, info(m) -> 'rows' AS rows FROM import_model(xgboost('reg:gamma', jsonb_build_array(stump(0.5, 1, -1)))) m;

-- objectives
SELECT objective, round(predict(import_model(xgboost(objective, jsonb_build_array(stump(0.5, 1, -1)), '0.25')), f)::numeric, 6) AS predict
FROM unnest('{reg:squarederror,reg:squaredlogerror,reg:absoluteerror,reg:pseudohubererror,reg:quantileerror,rank:pairwise,rank:ndcg,rank:map,reg:logistic,count:poisson,reg:gamma,reg:tweedie}'::text[]) objective, (SELECT 0.1 AS a, 0 AS b) f;
SELECT objective, classify(m, f), round(decision(m, f)::numeric, 6) AS decision, round(probability(m, f)::numeric, 6) AS probability, classes(m) FROM unnest('{binary:logistic,binary:logitraw}'::text[]) objective, import_model(xgboost(objective, jsonb_build_array(stump(0.5, 1, -1)), '0.25')) m, (SELECT 0.7 AS a, 0 AS b) f;
SELECT classify(m, f), decisions(m, f), round(probability(m, f, 'w')::numeric, 6) AS probability FROM import_model(xgboost('multi:softprob', jsonb_build_array(stump(0.5, 1, -1), stump(0.5, 2, 0), stump(0.5, 0, 3)), '0.5', classes => 3, groups => '[0, 1, 2]'), options => '{"classes": ["u", "w", "v"]}') m, (SELECT 0.1 AS a, 0 AS b) f;
-- trees of a class that stand together; a base score per class, as newer versions write
SELECT decisions(m, f) FROM import_model(xgboost('multi:softmax', jsonb_build_array(stump(0.5, 1, 0), stump(0.5, 2, 0), stump(0.5, 4, 0), stump(0.5, 8, 0)), '[1E0,-1E0]', classes => 2, groups => '[0, 0, 1, 1]')) m, (SELECT 0.1 AS a, 0 AS b) f;
-- the interface of scikit-learn predicts with the best iteration, a booster with all
SELECT name, predict(m, f) FROM (VALUES ('booster', '{"best_iteration": "0"}'::jsonb), ('estimator', '{"best_iteration": "0", "scikit_learn": "{}"}')) AS t(name, attributes), import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1), stump(0.5, 10, -1)), attributes => attributes)) m, (SELECT 0.1 AS a, 0 AS b) f;

-- names: the document's, the user's, or positions
SELECT try($$SELECT predict(import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1)))), f) FROM (SELECT 1 AS a, 2 AS z) f$$);
SELECT predict(m, f) AS by_name, predict(n, ARRAY[0, 9]) AS by_position FROM import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1))), options => '{"features": ["the \"first\" one", "x\ny"]}') m, import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1)), features => '[]')) n, (SELECT 9 AS "x
y", 0 AS "the ""first"" one") f;
SELECT try($$SELECT import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1))), options => '{"features": ["a"]}')$$);
SELECT try($$SELECT import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1)), features => '["a", "a"]'))$$);
SELECT try($$SELECT import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1))), options => '{"classes": ["a", "b"]}')$$);
SELECT try($$SELECT import_model(xgboost('binary:logistic', jsonb_build_array(stump(0.5, 1, -1))), options => '{"classes": ["a", "a"]}')$$);

-- categories: the codes of a split go right, all others left
CREATE TABLE category AS SELECT xgboost('reg:squarederror', jsonb_build_array(stump(0, 1, -1, false) || '{"split_type": [1, 0, 0], "categories": [1, 3], "categories_nodes": [0], "categories_segments": [0], "categories_sizes": [2]}'), '0', types => '["c", "float"]') AS document;
SELECT t.a, predict(m, f) FROM category, import_model(document, options => '{"levels": {"a": ["p", "q", "r", "s", "t"]}}') m, unnest('{p,q,r,s,t,new,NULL}'::text[]) AS t(a), LATERAL (SELECT t.a, 0 AS b) f;
SELECT try($$SELECT import_model(document) FROM category$$);
SELECT try($$SELECT import_model(document, options => '{"levels": {"a": ["p", "q", "r"]}}') FROM category$$);
SELECT try($$SELECT import_model(document, options => '{"levels": {"a": ["p", "q", "r", "p"]}}') FROM category$$);
SELECT try($$SELECT import_model(document, options => '{"levels": {"b": ["p"]}}') FROM category$$);
SELECT try($$SELECT import_model(document #- '{learner,feature_names}') FROM category$$);

-- XGBoost 3.1 and later keep the categories of a frame: texts as bytes, numbers with their type
CREATE FUNCTION with_cats(document jsonb, VARIADIC enc jsonb[]) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_set(jsonb_set(document, '{version}', '[3, 4, 1]'), '{learner,gradient_booster,model,cats}', jsonb_build_object('enc', to_jsonb(enc), 'feature_segments', '[]'::jsonb, 'sorted_idx', '[]'::jsonb))
$$;
CREATE TABLE cats AS SELECT kind, with_cats(document, enc, '{"offsets": [], "values": []}') AS document
FROM category, (VALUES ('texts', '{"offsets": [0, 0, 1, 3, 7], "values": [113, -61, -68, 32, 10, 34, 39]}'::jsonb), ('bytes', '{"offsets": [0, 0, 1, 3, 7], "values": [113, 195, 188, 32, 10, 34, 39]}'), ('numbers', '{"type": 13, "values": [7, -2, 0, 1000000]}'),
    ('short', '{"type": 9, "values": [-1, 0, 1, 2]}'), ('bit-copied', '{"type": 10, "values": [-1, 0, 1, 2]}'), ('wide', '{"type": 16, "values": [9007199254740991, 0, 1, 2]}'), ('more', '{"type": 11, "values": [1, 2, 3, 4, 5, 6]}')) AS t(kind, enc);
SELECT kind, to_json(array_agg(level ORDER BY n)) AS levels, array_agg(predict(m, f) ORDER BY n) AS scores FROM cats, import_model(document) m, levels(m) WITH ORDINALITY AS l(feature, level, n), LATERAL (SELECT level AS a, 0 AS b) f GROUP BY kind ORDER BY kind;
SELECT array_agg(predict(m, f)) AS numbers FROM cats, import_model(document) m, unnest('{1000000,-2,7,0}'::int[]) AS a, LATERAL (SELECT a::text, 0 AS b) f WHERE kind = 'numbers';
-- names that the user gives come first; floats have no texts of their own, so the user gives them
SELECT array_agg(level) AS levels FROM cats, levels(import_model(document, options => '{"levels": {"a": ["p", "q", "r", "s"]}}')) WHERE kind = 'texts';
SELECT kind, try(format('SELECT import_model(%L::jsonb)', with_cats(document, VARIADIC enc || rest))) FROM category, (VALUES ('floats', '{"type": 8, "values": [0.5, 1.5, 2, 3]}'::jsonb, '{"{}"}'::jsonb[]), ('wide', '{"type": 15, "values": [9007199254740992, 0, 1, 2]}', '{"{}"}'),
    ('type', '{"type": 17, "values": [1, 2, 3, 4]}', '{"{}"}'), ('fraction', '{"type": 15, "values": [1, 2, 3, 4.5]}', '{"{}"}'), ('twice', '{"type": 15, "values": [1, 2, 3, 3]}', '{"{}"}'), ('few', '{"type": 15, "values": [1, 2, 3]}', '{"{}"}'), ('features', '{}', '{}'),
    ('no array', '{"type": 15, "values": "x"}', '{"{}"}'), ('backward', '{"offsets": [0, 2, 1, 3, 3], "values": [1, 2, 3]}', '{"{}"}'), ('beyond', '{"offsets": [0, 1, 2, 3, 4], "values": [65, 66, 67]}', '{"{}"}'), ('half', '{"offsets": [0, 0.5], "values": [65]}', '{"{}"}'),
    ('no text', '{"offsets": [0, 1, 2, 3, 4], "values": [65, 66, 67, -61]}', '{"{}"}'), ('zero', '{"offsets": [0, 1, 2, 3, 4], "values": [65, 66, 67, 0]}', '{"{}"}'), ('no byte', '{"offsets": [0, 1, 2, 3, 4], "values": [65, 66, 67, 256]}', '{"{}"}')) AS t(kind, enc, rest);
SELECT try(format('SELECT import_model(%L::jsonb)', with_cats(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1))), '{"type": 9, "values": [1]}', '{}')));
SELECT try(format('SELECT import_model(%L::text)', replace(document::text, '"cats":', '"cats": {}, "cats":'))) FROM cats WHERE kind = 'texts';

-- what has no equal here is refused by name
CREATE FUNCTION refused(path text[], value jsonb) RETURNS text LANGUAGE sql AS $$ SELECT try(format('SELECT import_model(%L::jsonb)', jsonb_set(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1))), path, value))) $$;
SELECT refused(path, value) FROM (VALUES ('{learner,gradient_booster,name}'::text[], '"dart"'::jsonb), ('{learner,gradient_booster,name}', '"gblinear"'), ('{learner,objective,name}', '"survival:cox"'), ('{learner,objective,name}', '"my_loss"'),
    ('{learner,learner_model_param,num_target}', '"2"'), ('{learner,learner_model_param,num_class}', '"3"'), ('{learner,gradient_booster,model,tree_info}', '[1]'), ('{learner,learner_model_param,base_score}', '"[5E-1,5E-1]"')) AS t(path, value);
SELECT refused('{learner,learner_model_param,base_score}', '"x"');
-- a booster that drops trees names itself gbtree since version 3.3; weights of 1 are those of any booster
SELECT refused(('{learner,gradient_booster,' || place || '}')::text[], weights) FROM (VALUES ('weight_drop', '[0.5]'::jsonb), ('model,weight_drop', '[0.5]')) AS t(place, weights);
SELECT predict(import_model(jsonb_set(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1))), '{learner,gradient_booster,model,weight_drop}', '[1]')), f) FROM (SELECT 0.1 AS a, 0 AS b) f;
-- more trees of an iteration than 32 bits count divide nothing by zero
SELECT summary(import_model(jsonb_set(document, '{learner,gradient_booster,model,gbtree_model_param,num_parallel_tree}', '"16777216"'))) LIKE '%trees: 256,%' AS read
FROM (SELECT xgboost('multi:softprob', jsonb_agg(stump(0.5, 1, -1)), classes => 256, groups => jsonb_agg(i)) AS document FROM generate_series(0, 255) i) t;
-- codes that two splits share would be read again for each
SELECT try(format('SELECT import_model(%L::jsonb)', jsonb_set(document, '{learner,gradient_booster,model,trees,0}', document #> '{learner,gradient_booster,model,trees,0}' || '{"categories_nodes": [0, 0], "categories_segments": [0, 0], "categories_sizes": [2, 2]}'))) FROM category;
-- damaged trees
SELECT refused(('{learner,gradient_booster,model,trees,0,' || name || '}')::text[], value) FROM (VALUES ('left_children', '[0, -1, -1]'::jsonb), ('left_children', '[2, -1, -1]'), ('left_children', '[7, -1, -1]'), ('left_children', '[1.5, -1, -1]'), ('right_children', '[2, -1]'),
    ('split_indices', '[2, 0, 0]'), ('left_children', '[]'), ('left_children', '"x"'), ('sum_hessian', '[1, -1, 2]'), ('split_conditions', '[1, 1e999, 1]'), ('split_type', '[1, 0, 0]'), ('default_left', '[1, [], 0]'), ('categories_nodes', '[0]')) AS t(name, value);
SELECT try(format('SELECT import_model(%L::text)', left(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1)))::text, cut))) FROM (VALUES (20), (100), (400), (560)) AS t(cut);
SELECT try($$SELECT import_model('{"learner": {"objective": {"name": "reg:gamma"}, "objective": {"name": "reg:gamma"}}}'::text)$$);
SELECT try($$SELECT import_model('{"learner": {}}'::text)$$);
SELECT try($$SELECT import_model('{"learner": {} } x'::text)$$);
SELECT try($$SELECT import_model('\x7b4c0000000000000007'::bytea || 'learner{'::bytea)$$);
SELECT try($$SELECT import_model('\x7b4cffffffffffffffff'::bytea || 'learner{'::bytea, 'xgboost')$$);

-- out to Python: what test/server/python_modules.sh runs. The head, the functions, and names that would be programs
CREATE FUNCTION lines(m model) RETURNS SETOF text LANGUAGE sql AS $$ SELECT line FROM regexp_split_to_table(export_model(m, 'python'), '\n') line WHERE line ~ '^(METHOD|ORIGIN|FEATURES|CLASSES|_INPUTS|_NULLS_ARE_ERRORS) =|^def [a-z]' $$;
SELECT lines(m) FROM line;
SELECT lines(naive_bayes(l, f)) FROM (SELECT E'\\'' + "\n' || i % 3 || chr(233) AS l, (SELECT r FROM (SELECT i AS "it's", i % 2 = 0 AS b, date '2020-01-01' + i AS "day
", 'x' || i % 4 AS "\x27") r) AS f FROM generate_series(1, 40) i) t;
SELECT lines(kmeans(ARRAY[i % 5, i % 3], 2)) FROM generate_series(1, 30) i;
SELECT export_model(replace(m::text, '"2"', '"9-7"')::model, 'python') ~ '\nCLASSES = \(1, ''9-7'', \)' AS literal FROM (SELECT naive_bayes(i % 2 + 1, ARRAY[i, i * i]) AS m FROM generate_series(1, 9) i) t;
SELECT count(*) AS not_ascii FROM regexp_matches(export_model((SELECT naive_bayes('ü' || i % 2, ARRAY[i, i * i]) FROM generate_series(1, 9) i), 'python'), '[^\n -~]', 'g');
SELECT try(format('SELECT export_model(knn_regression(y, x, %L), ''python'') FROM (VALUES (1, 1), (2, 3)) AS t(x, y)', options)) FROM unnest('{"{\"metric\": \"canberra\"}","{\"weights\": \"1 / (1 + distance)\"}"}'::text[]) options;
SELECT try($$SELECT export_model(neighbors(i, i), 'python') FROM generate_series(1, 3) i$$);
-- members of an ensemble that could not be told apart from others
SELECT try($$SELECT export_model(ensemble(m, m), 'python') FROM (SELECT knn_classifier(i % 2, i) AS m FROM generate_series(1, 9) i) t$$);
SELECT try($$SELECT export_onnx(ensemble(m, m)) FROM (SELECT linear_regression(i, r, '{"unseen": "error"}') AS m FROM generate_series(1, 9) i, LATERAL (SELECT 'x' || i % 2 AS c) r) t$$);
SELECT try($$SELECT export_onnx(pipeline(s, ensemble(m, m))) FROM (SELECT s, linear_regression(i, transform(s, ARRAY[i])) AS m FROM generate_series(1, 9) i, (SELECT standard_scaler(ARRAY[i]) AS s FROM generate_series(1, 9) i) u GROUP BY s) t$$);
SELECT try($$SELECT export_model(moments(y, x), 'python') FROM (VALUES (1, 1), (2, 3)) AS t(x, y)$$);

-- out to XGBoost, and back: the same scores, names, labels and levels
CREATE TABLE train AS SELECT i, (i % 7)::real AS x, CASE WHEN i % 5 > 0 THEN (i * i % 11)::real END AS "odd ""name""", (ARRAY['p', 'q', 'r'])[1 + i % 3] AS c, i % 7 + 2 * (i % 3) + i % 2 AS y FROM generate_series(1, 200) i;
CREATE FUNCTION back(m model) RETURNS model LANGUAGE sql AS $$ SELECT import_model(export_model(m, 'xgboost')) $$;
SELECT bool_and(near(predict(m, f), predict(n, f), 1e-5)) AS numbers FROM train, LATERAL (SELECT x, "odd ""name""", c) f, (SELECT m, back(m) AS n FROM (SELECT boosted_trees_regression(y, f, '{"n_trees": 8}') AS m FROM train, LATERAL (SELECT x, "odd ""name""", c) f) t) g;
SELECT bool_and(near(predict(m, f), predict(n, f), 1e-5)) AS counts FROM train, LATERAL (SELECT x, "odd ""name""", c) f, (SELECT m, back(m) AS n FROM (SELECT boosted_trees_regression(y, f, '{"n_trees": 8, "loss": "poisson"}') AS m FROM train, LATERAL (SELECT x, "odd ""name""", c) f) t) g;
SELECT bool_and(classify(m, f) = classify(n, f) AND near(probability(m, f), probability(n, f), 1e-5)) AS two, classes(n) FROM train, LATERAL (SELECT x, "odd ""name""", c) f, (SELECT m, back(m) AS n FROM (SELECT boosted_trees_classifier(CASE WHEN y > 6 THEN 'high' ELSE 'low' END, f, '{"n_trees": 8}') AS m FROM train, LATERAL (SELECT x, "odd ""name""", c) f) t) g GROUP BY n;
SELECT bool_and(classify(m, f) = classify(n, f) AND near((probabilities(m, f))[2], (probabilities(n, f))[2], 1e-5)) AS three, classes(n) FROM train, LATERAL (SELECT x, "odd ""name""") f, (SELECT m, back(m) AS n FROM (SELECT boosted_trees_classifier(c, f, '{"n_trees": 8}') AS m FROM train, LATERAL (SELECT x, "odd ""name""") f) t) g GROUP BY n;
-- a split that sends all levels one way, and NULL the other
SELECT bool_and(near(predict(m, f), predict(n, f), 1e-5)) AS nulls_apart, min((d #> '{learner,gradient_booster,model,trees,1,categories}')::text) AS codes
FROM (SELECT m, back(m) AS n, export_model(m, 'xgboost')::jsonb AS d FROM (SELECT boosted_trees_regression((f.c IS NULL)::int, f, '{"n_trees": 1}') AS m FROM train, LATERAL (SELECT CASE WHEN i % 4 > 0 THEN c END AS c) f) t) g,
    unnest('{p,q,r,NULL}'::text[]) AS l(c), LATERAL (SELECT l.c) f;
-- what came in goes out with the same bits
SELECT bool_and(predict(m, r) = predict(back(m), r)) AS same FROM boosted_rows r, (SELECT import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 0.1, 0.3), stump(0.3, 1e-8, 7), stump(0, 1, 0.7)), '0.3')) AS m) t;
SELECT bool_and(predict(m, f) = predict(back(m), f)) AS same FROM (SELECT import_model(document, options => '{"levels": {"a": ["p", "q", "r", "s"]}}') AS m FROM category) t, unnest('{p,q,r,s,NULL}'::text[]) AS l(a), LATERAL (SELECT l.a, 0 AS b) f;
SELECT key, value FROM jsonb_each(export_model(import_model(xgboost('reg:squarederror', jsonb_build_array(stump(0.5, 1, -1)), '2')), 'xgboost')::jsonb #> '{learner,gradient_booster,model,trees,1}') ORDER BY key;
-- thresholds that XGBoost cannot tell apart are warned of
SET client_min_messages = notice;
SELECT export_model(boosted_trees_regression(y, x, '{"n_trees": 1, "min_samples_leaf": 1}'), 'xgboost') IS NOT NULL AS written FROM (VALUES (1 + 1e-12, 0), (1 + 2e-12, 1), (1 + 3e-12, 7)) AS t(x, y);
SET client_min_messages = warning;
-- what XGBoost cannot say is refused
SELECT try($$SELECT export_model(m, 'xgboost') FROM line$$);
SELECT try($$SELECT export_model(moments(y, x), 'xgboost') FROM (VALUES (1, 1), (2, 3)) AS t(x, y)$$);
SELECT try($$SELECT export_model(boosted_trees_regression(y, f, '{"nulls": "skip"}'), 'xgboost') FROM train, LATERAL (SELECT x, c) f$$);
SELECT try($$SELECT export_model(boosted_trees_regression(y, t, 'log(x + 1) + c'), 'xgboost') FROM train t$$);
SELECT try($$SELECT export_model(boosted_trees_regression(y, f), 'xgboost') FROM train, LATERAL (SELECT x AS "x[1]") f$$);
SELECT try($$SELECT export_model(boosted_trees_regression(y, f), 'xgboost') FROM train, LATERAL (SELECT date '2020-01-01' + i AS day) f$$);
SELECT try($$SELECT export_model(boosted_trees_regression(y, f), 'xgboost') FROM train, LATERAL (SELECT ARRAY[x, i] AS a, 1 AS b) f$$);
SELECT try($$SELECT export_model(decision_rule(boosted_trees_classifier(c, x), '{"weights": {"p": 2}}'), 'xgboost') FROM train$$);
SELECT try($$SELECT export_model(boosted_trees_classifier(y > 5, x, '{"threshold": 0.3}'), 'xgboost') FROM train$$);
SELECT try($$SELECT export_model(boosted_trees_classifier(y > 5, x, '{"positive": false}'), 'xgboost') FROM train$$);
-- where all levels go left and NULLs right, XGBoost gets a code of no level, for which the importer once wanted a text
SELECT bool_and(near(predict(m, f), predict(back(m), f), 1e-5)) AS same FROM (SELECT boosted_trees_regression(y, f, '{"nulls": "branch", "n_trees": 3, "max_depth": 1}') AS m
    FROM (SELECT nullif(i % 3, 0)::text AS c, 4 * (i % 3 = 0)::int + 1 AS y FROM generate_series(1, 60) i) t, LATERAL (SELECT c) f) m, (VALUES ('1'), ('2'), (NULL)) AS g(c), LATERAL (SELECT g.c) f;
-- a booster of one class could be exported, though neither XGBoost nor the importer takes it
SELECT try($$SELECT export_model(boosted_trees_classifier('same', x), 'xgboost') FROM train$$);
