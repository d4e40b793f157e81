-- Models of LightGBM: what each form says, names and levels, refusals, damage.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
-- a document of one tree: a split on a, and below it one on c, of which codes 0 and 3 go left
CREATE FUNCTION lightgbm(objective text DEFAULT 'regression', threshold text DEFAULT '0.5', decision text DEFAULT '2', infos text DEFAULT '[-1:1] 0:3:1', tail text DEFAULT '', trees int DEFAULT 1, head text DEFAULT '', classes int DEFAULT 1) RETURNS text LANGUAGE sql AS $$
    SELECT format(E'tree\nversion=v4\nnum_class=%s\nnum_tree_per_iteration=%1$s\nlabel_index=0\nmax_feature_idx=1\n%s%sfeature_names=a c\nfeature_infos=%s\n\n%send of trees\n\nfeature_importances:\na=1\n%s', classes, 'objective=' || objective || E'\n', head, infos,
        (SELECT string_agg(format(E'Tree=%s\nnum_leaves=3\nnum_cat=1\nsplit_feature=0 1\nsplit_gain=2 1\nthreshold=%s 0\ndecision_type=%s 1\nleft_child=-1 -2\nright_child=1 -3\nleaf_value=1 2 4\nleaf_weight=1 1 1\nleaf_count=1 2 3\ninternal_value=0 0\ninternal_weight=0 0\ninternal_count=6 5\ncat_boundaries=0 1\ncat_threshold=9\nis_linear=0\nshrinkage=1\n\n\n', i, threshold, decision), '') FROM generate_series(0, trees - 1) i), tail)
$$;
CREATE TABLE lightgbm_rows AS SELECT row_number() OVER () AS i, a, c FROM unnest('{0.5,0.50000001,1,1,1,1,1,NULL}'::float8[], '{0,0,0,1,3,9,NULL,0}'::text[]) AS t(a, c);
SELECT array_agg(predict(m, r) ORDER BY i) AS predict FROM lightgbm_rows r, import_model(lightgbm()) m GROUP BY m;
SELECT i, predict(m, r) FROM lightgbm_rows r, import_model(replace(lightgbm(), E'\n', E'\r\n')) m WHERE i IN (2, 4) ORDER BY i;
SELECT info(m) -> 'statistics' AS statistics, info(m) -> 'iterations' AS iterations FROM import_model(lightgbm(trees => 2)) m;
SELECT feature, importance::numeric(6, 4) FROM importance(import_model(lightgbm()));
SELECT term, round(contribution::numeric, 6) AS contribution FROM explain(import_model(lightgbm()), (SELECT r FROM lightgbm_rows r WHERE i = 4));
SELECT node, parent, feature, threshold, levels, missing, weight FROM tree_nodes(import_model(lightgbm()));
-- what is missing: nothing (NULL is 0), zeros as well, NaN alone; with the default to the left or the right
SELECT decision, array_agg(predict(m, f) ORDER BY n) AS "below, 0, NULL, above" FROM unnest('{0,2,8,10}'::int[]) AS decision, import_model(lightgbm(decision => decision::text)) m, unnest('{-1,0,NULL,1}'::float8[]) WITH ORDINALITY AS t(a, n), LATERAL (SELECT t.a, '0' AS c) f GROUP BY decision ORDER BY decision;
SELECT decision, array_agg(predict(m, f) ORDER BY n) AS "below, 0, NULL, above" FROM unnest('{4,6}'::int[]) AS decision, import_model(lightgbm(threshold => '1e-36', decision => decision::text)) m, unnest('{-1,0,NULL,1}'::float8[]) WITH ORDINALITY AS t(a, n), LATERAL (SELECT t.a, '0' AS c) f GROUP BY decision ORDER BY decision;
SELECT try($$SELECT import_model(lightgbm(decision => '4'))$$);
SELECT try($$SELECT import_model(lightgbm(threshold => '-0.5', decision => '6'))$$);
SELECT import_model(lightgbm(threshold => '-0.5', decision => '4')) IS NOT NULL AS held;
-- numbers within 1e-35 of 0 are 0
SELECT k AS threshold, array_agg(predict(m, f) ORDER BY n) AS "-2e-35, -1e-36, 0, 1e-36, 2e-35" FROM unnest('{-1.0000000180025095e-35,-1e-36,0,1e-37,1.0000000180025095e-35}'::text[]) WITH ORDINALITY AS h(threshold, k), import_model(lightgbm(threshold => threshold)) m, unnest('{-2e-35,-1e-36,0,1e-36,2e-35}'::float8[]) WITH ORDINALITY AS t(a, n), LATERAL (SELECT t.a, '0' AS c) f GROUP BY k ORDER BY k;

-- objectives
SELECT objective, round(predict(m, f)::numeric, 6) AS predict FROM unnest('{regression,regression_l1,huber,fair,quantile,mape,lambdarank,rank_xendcg,poisson,gamma,tweedie,cross_entropy}'::text[]) AS objective, import_model(lightgbm(objective)) m, (SELECT 1 AS a, '0' AS c) f;
SELECT objective, classify(m, f), decision(m, f), round(probability(m, f)::numeric, 6) AS probability, classes(m) FROM unnest('{binary sigmoid:1,binary sigmoid:0.25}'::text[]) AS objective, import_model(lightgbm(objective)) m, (SELECT 1 AS a, '0' AS c) f;
SELECT classify(m, f), decisions(m, f), classes(m) FROM import_model(lightgbm('multiclass num_class:2', classes => 2, trees => 4), options => '{"classes": ["no", "yes"]}') m, (SELECT 1 AS a, '0' AS c) f;
-- the mean of the trees, in SQL and explanations as well
CREATE TABLE lightgbm_mean AS SELECT import_model(lightgbm('poisson', head => E'average_output\n', trees => 3)) AS m;
SELECT round(predict(m, f)::numeric, 6) AS predict, round(sum(contribution)::numeric, 6) AS explained FROM lightgbm_mean, (SELECT 1 AS a, '0' AS c) f, explain(m, f) GROUP BY m, f;
SELECT to_sql(m) FROM lightgbm_mean;
SELECT near(predict(import_model(export_model(m, 'xgboost')), f), predict(m, f), 1e-6) AS xgboost, length(export_onnx(m)) > 100 AS onnx FROM lightgbm_mean, (SELECT 1 AS a, '0' AS c) f;
SELECT try($$SELECT import_model(lightgbm('$$ || objective || $$', classes => $$ || classes || '))') FROM (VALUES ('multiclassova num_class:3 sigmoid:1', 3), ('cross_entropy_lambda', 1), ('regression sqrt', 1), ('binary sigmoid:0', 1), ('binary sigmoid:x', 1), ('regression sigmoid:2', 1), ('multiclass num_class:3', 1), ('regression', 2), ('mine', 1), ('', 1)) AS t(objective, classes);
SELECT try($$SELECT import_model(replace(lightgbm(classes => 3), E'objective=regression\n', ''))$$);
SELECT predict(import_model(replace(lightgbm(), E'objective=regression\n', '')), f) AS "without objective" FROM (SELECT 1 AS a, '0' AS c) f;
SELECT try(format('SELECT import_model(%L)', replace(lightgbm(), 'version=v4', 'version=' || version))) FROM unnest('{v2,v5}'::text[]) AS version;
SELECT try($$SELECT import_model(replace(lightgbm(), 'is_linear=0', 'is_linear=1'))$$);

-- levels: numbers, those of pandas, those of the user
SELECT feature, level FROM levels(import_model(lightgbm()));
SELECT feature, level FROM levels(import_model(lightgbm(tail => E'pandas_categorical:[["p", "q \\"x\\"", 3, 4.5, true]]\n')));
SELECT feature, level FROM levels(import_model(lightgbm(), options => '{"levels": {"c": ["p", "q", "r", "s", "t"]}}'));
-- with a category that no row used, the parameters tell which features the lists are of
CREATE FUNCTION lightgbm_of_two(tail text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(replace(lightgbm(infos => 'none 0:3:1', threshold => '1', decision => '1', tail => tail), 'split_feature=0', 'split_feature=1'), 'num_cat=1', 'num_cat=2'), E'=0 1\ncat_threshold=9', E'=0 1 2\ncat_threshold=9 2')
$$;
SELECT feature, level FROM levels(import_model(lightgbm_of_two(E'[categorical_feature: 0,1]\n\npandas_categorical:[["u"], ["p", "q", "r", "s"]]\n')));
SELECT try($$SELECT import_model(lightgbm_of_two(E'[categorical_feature: name:a]\n\npandas_categorical:[["u"], ["p", "q", "r", "s"]]\n'))$$);
SELECT try($$SELECT import_model(lightgbm(tail => E'pandas_categorical:[["u"], ["p", "q", "r", "s"]]\n'))$$);
SELECT try($$SELECT import_model(lightgbm(tail => E'pandas_categorical:[["p", "q", "r"]]\n'))$$);
SELECT try($$SELECT import_model(lightgbm(tail => E'pandas_categorical:[["p", "q", "r", null]]\n'))$$);
SELECT try($$SELECT import_model(lightgbm(tail => E'pandas_categorical:[["p", "q", "r", "p"]]\n'))$$);
SELECT try($$SELECT import_model(lightgbm(infos => '[0:1] 2', decision => '1'))$$);
SELECT predict(m, f) FROM import_model(lightgbm(), options => '{"features": ["x y", "=z"]}') m, (SELECT 1 AS "x y", '3' AS "=z") f;

-- a dump nested deeper than any list of another document, as leaves are split one after the other
CREATE FUNCTION lightgbm_deep(depth int) RETURNS text LANGUAGE sql AS $$
    SELECT '{"name":"tree","version":"v4","num_class":1,"num_tree_per_iteration":1,"max_feature_idx":0,"objective":"regression","average_output":false,"feature_names":["a"],"feature_infos":{"a":{"min_value":0,"max_value":1,"values":[]}},"tree_info":[{"tree_index":0,"tree_structure":'
        || (SELECT string_agg(format('{"split_feature":0,"threshold":%s,"decision_type":"<=","default_left":true,"missing_type":"None","right_child":{"leaf_value":%s,"leaf_count":1},"left_child":', -i, i), '' ORDER BY i) FROM generate_series(1, depth) i)
        || '{"leaf_value":0,"leaf_count":1}' || repeat('}', depth) || '}]}'
$$;
SELECT array_agg(predict(m, f) ORDER BY t.a) AS deep FROM import_model(lightgbm_deep(3000)) m, unnest('{-3001,-3000,-2999.5,-17,0}'::float8[]) AS t(a), LATERAL (SELECT t.a) f;
SELECT try($$SELECT import_model(left(lightgbm_deep(100), 10000))$$);

-- damage
CREATE FUNCTION lightgbm_damaged(was text, becomes text) RETURNS text LANGUAGE sql AS $$ SELECT try(format('SELECT import_model(%L::text)', replace(lightgbm(), was, becomes))) $$;
SELECT lightgbm_damaged(was, becomes) FROM (VALUES ('num_leaves=3', 'num_leaves=4'), ('num_leaves=3', 'num_leaves=1000000000'), ('num_leaves=3', 'num_leaves=0'), ('num_leaves=3', 'x=3'), ('left_child=-1', 'left_child=0'), ('left_child=-1', 'left_child=-3'), ('left_child=-1', 'left_child=2'),
    ('left_child=-1', 'left_child=1.5'), ('split_feature=0', 'split_feature=2'), ('leaf_value=1', 'leaf_value=nan'), ('leaf_value=1', 'leaf_value=1 1'), ('leaf_value=1', 'leaf_value=x'), ('leaf_count=1', 'leaf_count=-1'), ('threshold=0.5', 'threshold=nan'), ('threshold=0.5 0', 'threshold=0.5 1'),
    ('decision_type=2', 'decision_type=1'), ('decision_type=2', 'decision_type=14'), ('decision_type=2', 'decision_type=16'), ('cat_boundaries=0 1', 'cat_boundaries=0 2'), ('cat_boundaries=0 1', 'cat_boundaries=1 0'), ('cat_threshold=9', 'cat_threshold=4294967296'), ('right_child', 'left_child'), ('leaf_count', 'leaf_counts'),
    ('max_feature_idx=1', 'max_feature_idx=2'), ('max_feature_idx=1', 'max_feature_idx=1000000'), ('feature_infos', 'infos'), ('version', 'num_class'), ('end of trees', 'end'), ('feature_names=a c', 'feature_names=a a'), ('0.5', repeat('1', 70)), ('num_cat=1', 'num_cat=0'), (E'label_index=0\n', E'tree_sizes=1 2\n'), (E'\n\nTree', E'\n\nBush')) AS t(was, becomes);
SELECT try(format('SELECT import_model(%L::text)', replace(lightgbm_deep(1), was, becomes))) FROM (VALUES ('"threshold":-1', '"threshold":"1"'), ('"<="', '"=="'), ('"<="', '">"'), ('"None"', '"Some"'), ('"default_left":true', '"default_left":1'), ('"leaf_value":1', '"leaf_value":1,"leaf_value":1'), ('"leaf_value":1', '"leaf_values":1'),
    ('"leaf_value":1', '"leaf_coeff":[1],"leaf_value":1'), ('"tree_structure"', '"structure"'), ('"a":{', '"b":{'), ('"values":[]', '"values":[1]'), ('"tree_index":0,', '"tree_structure":{"leaf_value":1},'), ('"tree_info"', '"trees"'), ('"threshold":-1,"decision_type":"<="', '"threshold":"1||","decision_type":"=="'),
    ('"threshold":-1,"decision_type":"<="', '"threshold":"1||99999","decision_type":"=="')) AS t(was, becomes);
SELECT try($$SELECT import_model('tree'::text, 'lightgbm')$$);
SELECT try($$SELECT import_model('\x74726565'::bytea)$$);
-- a number with a zero byte in it
SELECT try(format('SELECT import_model(%L::bytea)', overlay(document PLACING '\x00'::bytea FROM position('.5 0'::bytea IN document)))) FROM convert_to(lightgbm(), 'UTF8') AS document;
SELECT try($$SELECT import_model('{}'::jsonb, 'lightgbm')$$);
