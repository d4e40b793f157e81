-- report: a page about a model, of what the model knows, of what the registry knows, and of rows that judge it
\pset format unaligned
\pset tuples_only on

CREATE TABLE herd AS
SELECT i AS id, (ARRAY['<b>cow</b>', 'goat & kid', 'sheep'])[1 + i % 3] AS kind, i % 2 = 0 AS fed, 10.0 + 4 * (i % 3) + i * 7 % 11 AS height, 50.0 + 9 * (i % 3) + i * 5 % 13 AS weight
FROM generate_series(1, 150) AS i;
UPDATE herd SET height = NULL WHERE id <= 4;
-- the sections, the facts and the items of a page, without markup
CREATE FUNCTION pg_temp.facts(page text) RETURNS SETOF text LANGUAGE sql AS $$
SELECT concat(m[1], m[2], m[3], ': ' || m[4]) FROM regexp_matches(regexp_replace(regexp_replace(page, '<style>.*?</style>', '', 'g'), '<svg.*?</svg>', '', 'g'),
    '<h[12]>([^<]*)</h[12]>|<(?:li|p)>([^<]*)</(?:li|p)>|<dt>([^<]*)</dt><dd>([^<]*)</dd>', 'g') AS m WHERE m[3] IS NULL OR m[3] NOT IN ('Fingerprint', 'Format', 'pgfit')
$$;

-- a model alone
SELECT pg_temp.facts(pgfit.report(pgfit.tree_classifier(kind, h, '{"formula": "height + weight + fed", "max_depth": 3}'))) FROM herd AS h;
-- a model of the registry, with the metrics of its training
SELECT active FROM pgfit.train('weigh <1>', 'linear_regression', 'herd', 'weight ~ height + kind', '{"holdout": {"fraction": 0.3, "key": "id"}}');
SELECT regexp_replace(fact, '^(mae|rmse|r_squared|Trained): .*', '\1') FROM pg_temp.facts(pgfit.report('weigh <1>')) AS fact;
-- rows that judge it
SELECT regexp_replace(fact, '^(mae|rmse|r_squared|Trained): .*', '\1')
FROM pg_temp.facts(pgfit.report('weigh <1>', 'SELECT * FROM herd WHERE id > 2', '{"title": "Herd"}')) AS fact WHERE fact !~ '^(Query|Formula|Source|Options)';
SELECT regexp_replace(fact, ': 0[.].*', '') FROM (SELECT pgfit.logistic_regression(fed, h, 'weight + height') AS m FROM herd AS h) AS t,
    pg_temp.facts(pgfit.report(m, 'SELECT * FROM herd WHERE fed OR id < 10', '{"target": "fed"}')) AS fact WHERE fact ~ '^(By|[0-9]+ of|Classes with|(log_loss|roc_auc|brier_score|precision_score): 0[.][0-9]+$)' ORDER BY fact ~ ': 0[.]';
SELECT count(*) FROM (SELECT pgfit.kmeans(h, '{"features": ["weight", "height"], "k": 3}') AS m FROM herd AS h) AS t, pg_temp.facts(pgfit.report(m, 'herd')) AS fact WHERE fact ~ '^inertia: [0-9.]+$';
-- the pictures: those of the model, and those of the rows
SELECT call, array_to_string(ARRAY(SELECT title[1] FROM regexp_matches(page, 'role="img"[^>]*aria-label="([^"]*)"', 'g') AS title), ', ') AS pictures FROM (
    SELECT 1 AS call, pgfit.report('weigh <1>', 'herd') AS page
    UNION ALL SELECT 2, pgfit.report(pgfit.logistic_regression(fed, h, 'weight'), 'herd', '{"target": "fed"}') FROM herd AS h
    UNION ALL SELECT 3, pgfit.report(pgfit.knn_classifier(kind, h, 'weight'), 'herd', '{"target": "kind"}') FROM herd AS h
    UNION ALL SELECT 4, pgfit.report(pgfit.lasso_regression(weight, h, '{"formula": "height + kind", "lambda": "cv"}')) FROM herd AS h
    UNION ALL SELECT 5, pgfit.report(pgfit.forest_regression(weight, h, '{"formula": "height + kind", "n_trees": 3}')) FROM herd AS h
    UNION ALL SELECT 6, pgfit.report(pgfit.pca(h, '{"features": ["height", "weight"]}')) FROM herd AS h
    UNION ALL SELECT 7, pgfit.report(pgfit.kmeans(h, '{"features": ["height", "weight"], "k": [1, 4]}')) FROM herd AS h
    UNION ALL SELECT 8, pgfit.report(pgfit.tree_classifier((id % 99)::text, h, '{"formula": "height + weight + fed", "min_samples_leaf": 1}')) FROM herd AS h) AS pages;

SELECT fact FROM (SELECT pgfit.tree_classifier(id::text, h, '{"formula": "height + weight + fed", "min_samples_leaf": 1}') AS m FROM herd AS h) AS t, pg_temp.facts(pgfit.report(m)) AS fact WHERE fact ~ 'nodes';
-- every method has a page: here one of each kind of input that a table can feed
SELECT estimator, left(pgfit.report(m), 15) FROM (
    SELECT 'naive_bayes' AS estimator, pgfit.naive_bayes(kind, h, 'height + weight + fed') AS m FROM herd AS h
    UNION ALL SELECT 'svm_classifier', pgfit.svm_classifier(kind, h, 'height + weight') FROM herd AS h
    UNION ALL SELECT 'standard_scaler', pgfit.standard_scaler(h, '{"features": ["height", "weight"]}') FROM herd AS h
    UNION ALL SELECT 'isolation_forest', pgfit.isolation_forest(h, '{"features": ["height", "weight"]}') FROM herd AS h
    UNION ALL SELECT 'hierarchical', pgfit.hierarchical(id, h, '{"features": ["height", "weight"]}') FROM herd AS h WHERE id > 4) AS models;
SELECT pg_temp.facts(pgfit.report(m)) FROM (SELECT m FROM (SELECT pgfit.fit('ridge_regression', 'herd', 'weight ~ height', '{"prepare": ["standard_scaler"]}') AS m) AS t) AS t LIMIT 5;

-- the page stands alone: no markup of the data, no script, nothing from elsewhere, the same bytes again
SELECT page LIKE '%<title>weigh &lt;1&gt;</title>%' AS escaped, page !~ '<b>' AS no_markup, page !~* '<script|<link|<img|<iframe|url\(|@import| on[a-z]+=|https?:(?!//www.w3.org/2000/svg)' AS alone,
       page LIKE '%default-src ''none''%' AS policy, page = pgfit.report('weigh <1>', 'herd') AS same
FROM (SELECT pgfit.report('weigh <1>', 'herd') AS page) AS t;

-- caveats of the fit
SELECT fact FROM (SELECT pgfit.logistic_regression(fed, h, '{"formula": "weight + height + kind", "lambda": 0.001, "max_iter": 1, "nulls": "impute"}') AS m FROM herd AS h WHERE id BETWEEN 5 AND 12) AS t,
    pg_temp.facts(pgfit.report(m)) AS fact WHERE fact ~ 'converged|coefficients|means of the training';
SELECT fact FROM (SELECT pgfit.linear_regression(weight, h, 'height + I(height * 2) + I(height + weight / 1e4)') AS m FROM herd AS h) AS t, pg_temp.facts(pgfit.report(m)) AS fact WHERE fact ~ 'collinear|dropped';

-- what is refused
SELECT test.try('SELECT pgfit.report(''nobody'')');
SELECT test.try('SELECT pgfit.report(NULL::pgfit.model)');
SELECT test.try('SELECT pgfit.report(pgfit.moments(1, ARRAY[2]))');
SELECT test.try('SELECT pgfit.report(''weigh <1>'', options => ''{"target": "kind"}'')');
SELECT test.try('SELECT pgfit.report(''weigh <1>'', options => ''{"titel": "kind"}'')');
SELECT test.try('SELECT pgfit.report(''weigh <1>'', ''no_table'')');
SELECT test.try('SELECT pgfit.report(''weigh <1>'', ''herd); DROP TABLE herd; --'')');
SELECT test.try('SELECT pgfit.report(''weigh <1>'', ''herd'', ''{"target": "kind"}'')');
SELECT test.try('SELECT pgfit.report(pgfit.linear_regression(weight, h, ''height''), ''herd'') FROM herd AS h');
SELECT test.try('SELECT pgfit.report(pgfit.standard_scaler(h, ''{"features": ["height"]}''), ''herd'') FROM herd AS h');
SELECT pgfit.drop_model('weigh <1>') IS NOT NULL;
DROP TABLE herd;
-- classes that a model has not seen made its Brier score infinite: theirs is the one of probability 0, as in cross-validation
CREATE TABLE kinds AS SELECT chr(96 + k) AS kind, k + 0.8 * sin(i) AS x FROM generate_series(1, 30) AS i, LATERAL (SELECT i % 3 + 1) AS t(k);
SELECT seen, judged, substring(pgfit.report(m, format('SELECT * FROM kinds WHERE kind <= %L', judged), '{"target": "kind"}'), 'brier_score</dt><dd>(.*?)<')::numeric AS reported,
       (SELECT round((sum((p - (class = kind)::int) ^ 2) / count(DISTINCT x) / CASE judged WHEN 'b' THEN 2 ELSE 1 END)::numeric, 5)
        FROM kinds AS k, LATERAL (SELECT classes || CASE WHEN kind = ANY (classes) THEN '{}' ELSE ARRAY[kind] END, pgfit.probabilities(m, k) || 0.0::float8 FROM pgfit.classes(m) AS classes) AS s(c, q), unnest(c, q) AS u(class, p)
        WHERE kind <= judged AND class IS NOT NULL) AS by_hand
FROM (VALUES ('a', 'b'), ('b', 'b'), ('b', 'c'), ('c', 'c')) AS t(seen, judged), LATERAL (SELECT pgfit.tree_classifier(kind, k, '{"features": ["x"], "max_depth": 2, "min_samples_leaf": 4}') AS m FROM kinds AS k WHERE kind <= seen) AS f ORDER BY seen, judged;
DROP TABLE kinds;
