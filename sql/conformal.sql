-- conformal scores: limits of any regression and sets of any classifier, from rows that the model was not fitted to
CREATE TEMP TABLE line AS
SELECT i, 2.0 * i + 10 * sin(i * 7.0) AS y, i::float8 AS x, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS g, CASE WHEN sin(i * 3.0) + i / 60.0 > 1.5 THEN 'in' ELSE 'out' END AS t
FROM generate_series(1, 180) i;
CREATE TEMP TABLE held AS SELECT * FROM line WHERE i % 3 <> 0;
CREATE TEMP TABLE model AS SELECT pgfit.tree_regression(y, l, '{"formula": "x", "max_depth": 3}') AS m FROM line AS l WHERE i % 3 = 0;
CREATE TEMP TABLE scored AS SELECT pgfit.conformalize(m, y, h) AS m FROM model, held AS h;

-- split: the ceil((n + 1) level)-th smallest residual, at any level; what the model is otherwise stays
WITH r AS (SELECT array_agg(abs(y - pgfit.predict(m, h)) ORDER BY abs(y - pgfit.predict(m, h))) AS r FROM model, held AS h)
SELECT l, bool_and(test.near(upper - fit, r[ceil(121 * l - 1e-9)]) AND test.near(fit - lower, upper - fit) AND fit = pgfit.predict(model.m, h)) AS exact
FROM scored, model, r, held AS h, unnest('{0.01, 0.5, 0.8, 0.9, 0.95, 0.99}'::float8[]) AS l, pgfit.predict_interval(scored.m, h, l) GROUP BY l ORDER BY l;
SELECT i.lower, i.upper FROM scored, pgfit.predict_interval(m, '{"x": 5}'::jsonb, 0.999) AS i;
SELECT pgfit.info(m) -> 'conformal' AS info, substring(pgfit.summary(m) FROM 'conformal.*') AS summary FROM scored;
SELECT count(*) FROM scored, model, pgfit.tree_nodes(scored.m) AS n;
SELECT (i.lower, i.upper) = (j.lower, j.upper) AS default_level FROM scored, pgfit.predict_interval(m, '{"x": 5}'::jsonb) AS i, pgfit.predict_interval(m, '{"x": 5}'::jsonb, 0.95) AS j;
-- the order of the rows does not matter; scores are replaced, and taken out
SELECT (SELECT pgfit.conformalize(m, y, h ORDER BY i DESC) FROM model, held AS h)::text = m::text AS order, pgfit.conformalize(m, NULL)::text = (SELECT m::text FROM model) AS out FROM scored;
SELECT (SELECT pgfit.conformalize(scored.m, y, h) FROM scored, held AS h)::text = m::text AS again FROM scored;
-- NULLs
SELECT i.fit IS NULL AND i.lower IS NULL AND i.upper IS NULL AS null_feature, pgfit.predict_interval(NULL::pgfit.model, '{"x": 1}'::jsonb) IS NULL AS null_model FROM scored, pgfit.predict_interval(m, '{"y": 1, "x": null}'::jsonb) AS i;
SELECT (pgfit.info(pgfit.conformalize(m, CASE WHEN i % 2 = 0 THEN y END, h)) -> 'conformal' -> 'rows')::int AS with_target FROM model, held AS h;
SELECT pgfit.conformalize(m, y, h) FROM model, held AS h WHERE false;

SELECT test.try('SELECT pgfit.conformalize(c.m, ARRAY[s.m, s.m]) FROM scored AS s, (SELECT pgfit.knn_classifier(t, l, 7, ''{"formula": "x"}'') AS m FROM line AS l) AS c');

-- groups: scores of the rows of each value; none, or too few, give infinite limits, a NULL gives NULL
CREATE TEMP TABLE grouped AS SELECT pgfit.conformalize(m, y, h, '{"group": "g"}') AS m FROM model, held AS h;
SELECT h.g, bool_and(test.near(upper - fit, (SELECT (array_agg(abs(o.y - pgfit.predict(model.m, o)) ORDER BY abs(o.y - pgfit.predict(model.m, o))))[ceil(61 * 0.8)] FROM held AS o WHERE o.g = h.g))) AS exact
FROM grouped, model, held AS h, pgfit.predict_interval(grouped.m, h, 0.8) GROUP BY h.g ORDER BY h.g;
SELECT g, lower, upper FROM grouped, unnest(ARRAY['a', 'never', NULL]) AS g, pgfit.predict_interval(m, jsonb_build_object('x', 5, 'g', g), 0.9999) ORDER BY g;
SELECT test.try('SELECT pgfit.predict_interval(m, ''{"x": 5}''::jsonb) FROM grouped');
SELECT test.try('SELECT pgfit.conformalize(m, y, h, ''{"group": "h"}'') FROM model, held AS h');

-- classifiers
CREATE TEMP TABLE classifier AS SELECT pgfit.knn_classifier(t, l, 7, '{"formula": "x"}') AS m FROM line AS l WHERE i % 3 = 0;
CREATE TEMP TABLE classes AS
SELECT o, pgfit.conformalize(m, t, h, o::pgfit.call_options) AS m FROM classifier, held AS h, unnest(ARRAY['{}', '{"score": "aps"}', '{"by_class": true}', '{"by_class": true, "group": "g", "score": "aps"}']) AS o GROUP BY o;
SELECT o, count(*), bool_and(h.t = ANY (pgfit.prediction_set(m, h, 0.9999))) AS all, sum((h.t = ANY (pgfit.prediction_set(m, h, 0.8)))::int) >= 96 AS enough,
       bool_and(pgfit.prediction_set(m, h, 0.5) <@ pgfit.prediction_set(m, h, 0.8)) AS nested
FROM classes, held AS h GROUP BY o ORDER BY o;
SELECT o, pgfit.info(m) -> 'conformal' AS info FROM classes ORDER BY o;
WITH s AS (SELECT array_agg(1 - pgfit.probability(m, h, t) ORDER BY 1 - pgfit.probability(m, h, t)) AS s FROM classifier, held AS h)
SELECT bool_and((k = ANY (pgfit.prediction_set(c.m, h, 0.8))) = (1 - pgfit.probability(c.m, h, k) <= s[97])) AS lac FROM s, classes AS c, held AS h, unnest('{in,out}'::text[]) AS k WHERE o = '{}';
-- a label that the model does not know counts as one of probability 0
SELECT pgfit.prediction_set(pgfit.conformalize(m, 'other', h), '{"x": 1}'::jsonb, 0.5) FROM classifier, held AS h;
SELECT test.try('SELECT pgfit.conformalize(m, ''other'', h, ''{"by_class": true}'') FROM classifier, held AS h');
-- other probabilities have other scores
SELECT test.try('SELECT pgfit.prediction_set(pgfit.decision_rule(m, ''{"threshold": 0.3}''), ''{"x": 1}''::jsonb) FROM classes WHERE o = ''{}''');

-- cv+: order statistics of predictions without the row's fold and its residual, as in Barber et al.
CREATE TEMP TABLE folds AS
SELECT k, (SELECT pgfit.tree_regression(y, l, '{"formula": "x", "max_depth": 3}') FROM line AS l WHERE pgfit.fold(l.i, 4) <> k) AS m FROM generate_series(1, 4) AS k;
CREATE TEMP TABLE plus AS
SELECT pgfit.conformalize((SELECT pgfit.tree_regression(y, l, '{"formula": "x", "max_depth": 3}') FROM line AS l),
                          (SELECT array_agg(m) FROM (SELECT pgfit.conformalize(m, y, l) AS m FROM folds, line AS l WHERE pgfit.fold(l.i, 4) = k GROUP BY k) AS f)) AS m;
SELECT x, l, test.near(upper, (SELECT (array_agg(s ORDER BY s))[ceil(181 * l - 1e-9)] FROM (SELECT pgfit.predict(f.m, point) + abs(line.y - pgfit.predict(f.m, line)) AS s FROM line, folds AS f WHERE pgfit.fold(line.i, 4) = f.k) AS u)) AS upper,
       test.near(lower, (SELECT (array_agg(s ORDER BY s DESC))[ceil(181 * l - 1e-9)] FROM (SELECT pgfit.predict(f.m, point) - abs(line.y - pgfit.predict(f.m, line)) AS s FROM line, folds AS f WHERE pgfit.fold(line.i, 4) = f.k) AS u)) AS lower
FROM plus, unnest('{0.2,60,111}'::float8[]) AS x, unnest('{0.1,0.8,0.95}'::float8[]) AS l, LATERAL (SELECT jsonb_build_object('x', x) AS point) AS p, pgfit.predict_interval(m, point, l) ORDER BY x, l;
SELECT pgfit.info(m) -> 'conformal' AS info FROM plus;
SELECT test.try('SELECT pgfit.conformalize(m, ARRAY[m]) FROM scored');
SELECT test.try('SELECT pgfit.conformalize(m, ARRAY[m, m]) FROM model');
SELECT test.try('SELECT pgfit.conformalize(m, ARRAY[m, m]) FROM plus');
SELECT test.try('SELECT pgfit.conformalize(s.m, ARRAY[s.m, g.m]) FROM scored AS s, grouped AS g');

-- fit: the same by hand
SET client_min_messages = error;
CREATE TABLE conformal_line AS SELECT * FROM line;
SELECT pgfit.fit('tree_regression', 'conformal_line', 'y ~ x', '{"max_depth": 3, "conformal": {"share": 0.4, "group": "g", "seed": 3}}')::text =
       (SELECT pgfit.conformalize(m, y, l, '{"group": "g"}')::text FROM conformal_line AS l, (SELECT pgfit.tree_regression(y, l, '{"formula": "y ~ x", "max_depth": 3}') AS m FROM conformal_line AS l WHERE pgfit.split(l, 0.6, 3)) AS f WHERE NOT pgfit.split(l, 0.6, 3)) AS split;
SELECT pgfit.info(pgfit.fit(e, 'conformal_line', f, o::jsonb)) -> 'conformal' AS conformal
FROM (VALUES ('forest_regression', 'y ~ x + g', '{"n_trees": 5, "conformal": true}'),
             ('forest_regression', 'y ~ x + g', '{"n_trees": 5, "conformal": {"normalize": "linear_regression"}}'),
             ('forest_regression', 'y ~ . - i - t', '{"n_trees": 5, "conformal": {"normalize": {"tree_regression": {"max_depth": 2}}, "group": "g", "share": 0.5}}'),
             ('linear_regression', 'y ~ poly(x, 2) + g', '{"conformal": {"method": "cv+", "folds": 3, "key": "i"}}'),
             ('boosted_trees_regression', 'y ~', '{"n_trees": 5, "conformal": 0.3, "prepare": [{"standard_scaler": {"formula": "x"}}]}'),
             ('naive_bayes', 't ~ x + g', '{"conformal": {"score": "aps", "by_class": true}}'),
             ('logistic_regression', 't ~ x', '{"conformal": {"method": "cv+"}, "passes": true, "lambda": 1}'),
             ('linear_regression', 'y ~ x', '{"conformal": false}')) AS c(e, f, o);
SELECT pgfit.fit_sql('forest_regression', 'conformal_line', 'y ~ x', '{"conformal": {"normalize": "linear_regression"}}');
SELECT pgfit.fit_sql('forest_regression', 'conformal_line', 'y ~ x', '{"conformal": {"method": "cv+"}}');

-- normalized: residuals in units of what another model expects; a pipeline; a formula that learned; text, jsonb and dump keep all
CREATE TEMP TABLE kept AS SELECT n, pgfit.fit(e, 'conformal_line', f, o::jsonb) AS m
FROM (VALUES (1, 'knn_regression', 'y ~ x', '{"conformal": {"normalize": "linear_regression", "share": 0.5}}'), (2, 'linear_regression', 'y ~ poly(x, 2) + g', '{"conformal": {"method": "cv+", "group": "g"}}'),
             (3, 'forest_regression', 'y ~', '{"n_trees": 5, "conformal": true, "prepare": [{"standard_scaler": {"formula": "x"}}]}')) AS c(n, e, f, o);
SELECT n, count(*), bool_and(i.upper >= i.fit AND i.lower <= i.fit) AS around, count(DISTINCT round((i.upper - i.lower)::numeric, 6)) > 1 AS several_widths,
       bool_and((i.lower, i.upper) = (j.lower, j.upper)) AS from_text, bool_and((i.lower, i.upper) = (b.lower, b.upper)) AS from_jsonb
FROM kept, conformal_line AS l, pgfit.predict_interval(m, l, 0.9) AS i, LATERAL (SELECT lower, upper FROM pgfit.predict_interval(m::text::pgfit.model, l, 0.9)) AS j, LATERAL (SELECT lower, upper FROM pgfit.predict_interval(m::jsonb::pgfit.model, l, 0.9)) AS b WHERE l.i % 20 = 0 GROUP BY n ORDER BY n;
-- a linear regression with both has the conformal limits
SELECT bool_and(test.near(c.upper - c.fit, x.width)) AS conformal, bool_and(c.upper <> o.upper) AS not_normal
FROM (SELECT pgfit.fit('linear_regression', 'conformal_line', 'y ~ x', '{"conformal": true}') AS m) AS f, LATERAL (SELECT upper - fit AS width FROM pgfit.predict_interval(m, '{"x": 1}'::jsonb)) AS x,
     conformal_line AS l, pgfit.predict_interval(m, l) AS c, pgfit.predict_interval(pgfit.conformalize(m, NULL), l) AS o;

-- a constant target, a perfect fit, one class
SELECT round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper FROM (SELECT pgfit.linear_regression(7.0, (x)) AS m FROM line) AS f, LATERAL (SELECT pgfit.conformalize(m, 7.0, (x)) AS c FROM held) AS h, pgfit.predict_interval(c, 3.0, 0.9);
SELECT round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper FROM pgfit.predict_interval(pgfit.fit('knn_regression', 'SELECT 7.0 AS y, x FROM conformal_line', 'y ~ x', '{"conformal": {"normalize": "linear_regression"}}'), 3.0, 0.9);
SELECT pgfit.prediction_set(pgfit.conformalize(m, 'one', (x)), 3.0) FROM (SELECT pgfit.tree_classifier('one', (x)) AS m FROM line) AS f, line GROUP BY m;
-- few rows: infinite limits, and a NOTICE
RESET client_min_messages;
SET client_min_messages = notice;
SELECT lower, upper FROM pgfit.predict_interval(pgfit.fit('tree_regression', 'SELECT y, x FROM conformal_line WHERE i <= 30', 'y ~ x', '{"conformal": {"share": 0.3}}'), 3.0);
SELECT pgfit.info(pgfit.fit('tree_regression', 'SELECT * FROM conformal_line WHERE i <= 90', 'y ~ x', '{"conformal": {"share": 0.3, "group": "g"}}')) -> 'conformal' -> 'groups' AS groups;
SET client_min_messages = error;

-- ensembles and merged forests have no scores but their own
SELECT test.try('SELECT pgfit.predict_interval(pgfit.ensemble(m, m), 3.0) FROM scored');
SELECT (pgfit.predict_interval(pgfit.conformalize(pgfit.ensemble(s.m, s.m), y, h), '{"x": 5}'::jsonb)).upper = (SELECT (pgfit.predict_interval(m, '{"x": 5}'::jsonb)).upper FROM scored) AS ensemble FROM scored AS s, held AS h GROUP BY s.m;
SELECT test.try('SELECT pgfit.predict_interval(pgfit.merge(m, n), ''{"x": 5}''::jsonb) FROM (SELECT pgfit.fit(''forest_regression'', ''conformal_line'', ''y ~ x'', ''{"n_trees": 3, "conformal": true}'') AS m, pgfit.fit(''forest_regression'', ''conformal_line'', ''y ~ x'', ''{"n_trees": 3, "conformal": true, "seed": 1}'') AS n) AS f');
SELECT pgfit.info(pgfit.at_lambda(m, lambda)) -> 'conformal' AS at_lambda FROM (SELECT pgfit.fit('lasso_regression', 'conformal_line', 'y ~ x', '{"path": 5, "conformal": true}') AS m) AS f, pgfit.lambda_path(m) AS p LIMIT 1;

-- by name, and the rows that judge
SELECT version, active, metrics ? 'rmse' AS judged FROM pgfit.train('conformal', 'forest_regression', 'conformal_line', 'y ~ x + g', '{"n_trees": 5, "conformal": true}');
SELECT version, active FROM pgfit.train('conformal', 'forest_regression', 'conformal_line', 'y ~ x + g', '{"n_trees": 5, "conformal": {"method": "cv+"}, "promote": "if_better", "margin": 1000}');
SELECT count(*) AS limits FROM conformal_line AS l, pgfit.predict_interval('conformal', l, 0.8) WHERE lower < upper;
SELECT query FROM pgfit.registry WHERE name = 'conformal' AND version = 2;
SELECT test.try('SELECT version FROM pgfit.train(''conformal'', ''forest_regression'', ''conformal_line'', ''y ~ x'', ''{"holdout": {"seed": 5}, "conformal": {"seed": 5}}'')');
SELECT count(*) FROM pgfit.train('sets', 'tree_classifier', 'conformal_line', 't ~ x + g', '{"conformal": true}');
SELECT pgfit.prediction_set('sets', l, 0.9999) FROM conformal_line AS l WHERE i = 3;
SELECT pgfit.drop_model('conformal'), pgfit.drop_model('sets');

-- refused
SELECT test.try('SELECT pgfit.predict_interval(m, ''{"x": 5}''::jsonb) FROM model');
SELECT test.try('SELECT pgfit.predict_interval(m, ''{"x": 5}''::jsonb) FROM classifier');
SELECT test.try('SELECT pgfit.prediction_set(m, ''{"x": 5}''::jsonb) FROM classifier');
SELECT test.try('SELECT pgfit.prediction_set(m, ''{"x": 5}''::jsonb) FROM scored');
SELECT l, test.try(format('SELECT pgfit.predict_interval(m, ''{"x": 5}''::jsonb, %L) FROM scored', l)) FROM unnest('{0,1,-1,NaN,2}'::float8[]) AS l;
SELECT test.try('SELECT pgfit.prediction_set(m, ''{"x": 5}''::jsonb, 1) FROM classes WHERE o = ''{}''');
SELECT o, test.try(format('SELECT pgfit.fit(%L, ''conformal_line'', %L, %L)', e, f, o))
FROM (VALUES ('tree_regression', 'y ~ x', '{"conformal": "split"}'), ('tree_regression', 'y ~ x', '{"conformal": {"methd": "split"}}'), ('tree_regression', 'y ~ x', '{"conformal": 1}'),
             ('tree_regression', 'y ~ x', '{"conformal": {"folds": 3}}'), ('tree_regression', 'y ~ x', '{"conformal": {"method": "cv+", "share": 0.5}}'),
             ('tree_regression', 'y ~ x', '{"conformal": {"method": "cv+", "normalize": "linear_regression"}}'), ('tree_regression', 'y ~ x', '{"conformal": {"normalize": "tree_classifier"}}'),
             ('tree_regression', 'y ~ x', '{"conformal": {"normalize": {"a": {}, "b": {}}}}'), ('tree_regression', 'y ~ x', '{"conformal": {"score": "aps"}}'), ('tree_classifier', 't ~ x', '{"conformal": {"normalize": "linear_regression"}}'),
             ('tree_regression', 'y ~ x', '{"conformal": {"group": "gg"}}'), ('tree_regression', 'y ~ x', '{"conformal": true, "weight": "x"}'), ('kmeans', '~ x', '{"conformal": true, "k": 2}'),
             ('tree_regression', 'y ~ x', '{"conformal": {"share": 0.0001}}'), ('tree_regression', 'y ~ x', '{"conformal": {"method": "cv+", "folds": 900}}')) AS c(e, f, o);
SELECT test.try('SELECT pgfit.conformalize(m, y, h, ''{"score": "lac"}'') FROM model, held AS h');
SELECT test.try('SELECT pgfit.conformalize(m, y, h) FROM (SELECT pgfit.moments(y, (x)) AS m FROM line) AS f, held AS h');
SELECT test.try('SELECT pgfit.conformalize(m, y, h) FROM (SELECT pgfit.kmeans((x), 2) AS m FROM line) AS f, held AS h');
SELECT test.try('SELECT pgfit.conformalize(f.m, y, h) FROM (SELECT m FROM model UNION ALL SELECT m FROM folds) AS f, held AS h');
SELECT test.try('SELECT pgfit.conformalize(m, NULL::float8, h) FROM model, held AS h');
SELECT test.try('SELECT pgfit_internal.conformalize_final(NULL)') ~ '^(0A000|42883): ' AS refused; -- which of them differs between minor releases

-- values from outside are checked
CREATE TEMP TABLE forged AS
SELECT name, what, test.try(format('SELECT %L::jsonb::pgfit.model IS NOT NULL', jsonb_set(v.j, ARRAY['arrays', array_], replacement::jsonb, create_))) AS result
FROM (SELECT 'split' AS name, pgfit.conformalize(m, y, h)::jsonb AS j FROM model, held AS h WHERE i < 10
      UNION ALL SELECT 'group', pgfit.conformalize(m, y, h, '{"group": "g"}')::jsonb FROM model, held AS h WHERE i < 10
      UNION ALL SELECT 'class', pgfit.conformalize(m, t, h, '{"by_class": true}')::jsonb FROM classifier, held AS h WHERE i < 10
      UNION ALL SELECT 'size', m::jsonb FROM kept WHERE n = 1) AS v,
     (VALUES ('unsorted', 'conformal_scores', '{"f64": [3, 2, 1, 1, 1, 1]}', true, 'split,group,class'), ('negative', 'conformal_scores', '{"f64": [-1, 1, 1, 1, 1, 1]}', true, 'split'), ('infinite', 'conformal_scores', '{"f64": [1, 1, 1, 1, 1, "Infinity"]}', true, 'split'),
             ('NaN', 'conformal_scores', '{"f64": [1, 1, 1, 1, 1, "NaN"]}', true, 'split'), ('fewer', 'conformal_scores', '{"f64": [1]}', true, 'split,group'), ('texts', 'conformal_scores', '{"text": ["a"]}', true, 'split'),
             ('past the end', 'conformal_ends', '{"i64": [700]}', true, 'split'), ('falling', 'conformal_ends', '{"i64": [5, 6]}', true, 'group'), ('too many', 'conformal_ends', '{"i64": [1, 2, 3, 6]}', true, 'split,group,class'), ('backward', 'conformal_ends', '{"i64": [6, 3]}', true, 'class'),
             ('unknown', 'conformal_score', '{"i64": [9]}', true, 'split'), ('of classes', 'conformal_score', '{"i64": [2]}', true, 'split'), ('of numbers', 'conformal_score', '{"i64": [0]}', true, 'class'), ('normalized', 'conformal_score', '{"i64": [1]}', true, 'split'), ('not normalized', 'conformal_score', '{"i64": [0]}', true, 'size'),
             ('by class', 'conformal_by_class', '{"bool": [true]}', true, 'split'), ('in disorder', 'conformal_levels', '{"text": ["b", "a"]}', true, 'group'), ('twice', 'conformal_levels', '{"text": ["a", "a"]}', true, 'group'), ('levels alone', 'conformal_levels', '{"text": ["a"]}', true, 'split'),
             ('no name', 'conformal_group', '{"text": [""]}', true, 'group'), ('no floor', 'conformal_floor', '{"f64": [0]}', true, 'size'), ('floor alone', 'conformal_floor', '{"f64": [1]}', true, 'split'), ('bytes', 'conformal_models', '{"u8": [1, 2, 3]}', true, 'size'), ('lengths', 'conformal_bytes', '{"i64": [1]}', true, 'size')) AS f(what, array_, replacement, create_, names)
WHERE name = ANY (string_to_array(names, ','));
SELECT name, what, result FROM forged ORDER BY name, what;
-- another model that was made to have the fingerprint of the first one does not score the rows of its group
SELECT a OPERATOR(pgfit.<>) b AS differ, mixed OPERATOR(pgfit.=) own AS first_scores, mixed OPERATOR(pgfit.<>) other AS not_second
FROM (SELECT a, jsonb_set(jsonb_set(jsonb_set(a::jsonb, '{facts,tss}', '23163.24812595001'), '{arrays,coef,0}', '236'), '{arrays,intercept,0}', '-14.081763015440355')::pgfit.model AS b FROM (SELECT '{"pgfit":1,"min_reader":1,"kind":"model","estimator":"ridge_regression","fields":2,"slots":2,"rows":48,"skipped":12,"weight":48,"flags":["named"],"schema":{"field_names":{"text":["a","b"]}},"options":{"folds":10,"formula":"a + b","intercept":true,"lambda":1,"level":0.95,"max_levels":1000,"nulls":"skip","path_ratio":1e-08,"penalize_intercept":false,"reduction":"sum","seed":0,"standardize":false,"too_few_rows":"error","unseen":"reference","weight_kind":"precision"},"facts":{"condition_number":1.0598015683740247,"df_model":1.91925468784608,"objective":4.788252117474798,"penalty":4.585477836196772,"rss":0.2027742812780259,"tss":113.15457460367807},"arrays":{"center":[0.06445272885699416,0.003938375034547137],"coef":[1.9164115311387995,0.9554290551972002],"intercept":[1.0055630420153598],"offset":[1.1328438327485355]}}'::pgfit.model AS a) AS first) AS two,
     LATERAL (SELECT pgfit.conformalize(CASE WHEN i % 2 = 1 THEN two.a ELSE two.b END, y, r ORDER BY i) AS mixed, pgfit.conformalize(two.a, y, r ORDER BY i) AS own, pgfit.conformalize(two.b, y, r ORDER BY i) AS other
              FROM (SELECT i, sin(i) AS a, cos(i) AS b, 0.5 * i AS y FROM generate_series(1, 9) AS i) AS r) AS scored;
-- search and automl judge without scores; the model that they store has them
CREATE FUNCTION pg_temp.stored(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT string_agg(value::text, '' '') FROM pgfit.%s', call) INTO result;
    RETURN result || ' ' || (SELECT pgfit.predict_interval('kept scores', r, 0.8) FROM (SELECT 3 AS x) AS r)::text;
END $$;
SELECT split_part(a, '(', 1) = split_part(b, '(', 1) AS same_judgment, split_part(a, '(', 2) <> split_part(b, '(', 2) AS other_limits
FROM (VALUES ('search(''ridge_regression'', ''conformal_line'', ''y ~ x'', ''{"lambda": [1]}'', ''{"options": %s, "store": "kept scores"}'')'),
             ('automl(''conformal_line'', ''y'', ''{"features": "x", "estimators": ["ridge_regression"], "options": %s, "store": "kept scores"}'')')) AS c(call),
     LATERAL (SELECT pg_temp.stored(format(call, '{"level": 0.8, "conformal": {"method": "cv+", "folds": 4}}')) AS a, pg_temp.stored(format(call, '{"level": 0.8}')) AS b) AS said;
SELECT pgfit.drop_model('kept scores');
DROP TABLE conformal_line;
-- a classifier without probabilities has no conformal scores
CREATE TABLE conformal_sides AS SELECT i AS id, i % 7 AS x, i % 7 > 3 AS side FROM generate_series(1, 30) AS i;
SELECT test.try('SELECT pgfit.conformalize(m, side, s) FROM (SELECT pgfit.svm_classifier(side, s, ''x'') AS m FROM conformal_sides AS s) AS f, conformal_sides AS s GROUP BY f.m');
DROP TABLE conformal_sides;
