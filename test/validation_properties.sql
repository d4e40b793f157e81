-- Properties of cross_validate, split, fold and logistic paths that hold by definition.
BEGIN;
SELECT plan(17);
\ir tap/near.sql
CREATE TEMP TABLE rows AS
SELECT id, 1 + id % 4 AS fold, id % 9 AS shop, sin(id * 12.9898) AS a, cos(id * 4.1414) AS b, (ARRAY['red', 'green', 'blue'])[1 + id % 3] AS c, 1 + id % 3 AS w,
       2 * sin(id * 12.9898) + (id % 3) * 0.3 + 0.2 * sin(id * id) AS y, sin(id * 12.9898) + 0.8 * sin(id * id * 0.7) > 0.3 AS l
FROM generate_series(1, 240) AS id;
CREATE FUNCTION pg_temp.means(scores pgfit.fold_score[]) RETURNS float8[] LANGUAGE sql AS 'SELECT array_agg(value ORDER BY metric) FROM unnest(scores) WHERE fold IS NULL';
CREATE FUNCTION pg_temp.close(a float8[], b float8[], tolerance float8) RETURNS boolean LANGUAGE sql AS
'SELECT cardinality(a) > 0 AND bool_and(pg_temp.near(x, y, tolerance)) FROM unnest(a, b) AS t(x, y)';

-- every method: a part fitted by hand gives the score of its fold
SELECT ok(pg_temp.near((SELECT value FROM unnest(scores) WHERE fold = 2), hand, 1e-9), 'the score of a fold is that of a fit of the others: ' || name)
FROM (SELECT 'linear_regression' AS name, cross_validate(y, f, 'linear_regression', '{"fold_column": "fold", "metrics": "mae"}') AS scores FROM rows, LATERAL (SELECT a, b, c, fold) AS f
      UNION ALL SELECT 'tree_regression', cross_validate(y, f, 'tree_regression', '{"fold_column": "fold", "metrics": "mae"}') FROM rows, LATERAL (SELECT a, b, c, fold) AS f
      UNION ALL SELECT 'svm_regression', cross_validate(y, f, 'svm_regression', '{"fold_column": "fold", "metrics": "mae", "options": {"kernel": "rbf"}}') FROM rows, LATERAL (SELECT a, b, fold) AS f) AS s
JOIN (SELECT 'linear_regression' AS name, mae(y, predict(m, f)) AS hand FROM (SELECT linear_regression(y, f) AS m FROM rows, LATERAL (SELECT a, b, c) AS f WHERE fold <> 2) AS t, rows, LATERAL (SELECT a, b, c) AS f WHERE fold = 2
      UNION ALL SELECT 'tree_regression', mae(y, predict(m, f)) FROM (SELECT tree_regression(y, f) AS m FROM rows, LATERAL (SELECT a, b, c) AS f WHERE fold <> 2) AS t, rows, LATERAL (SELECT a, b, c) AS f WHERE fold = 2
      UNION ALL SELECT 'svm_regression', mae(y, predict(m, f)) FROM (SELECT svm_regression(y, f, '{"kernel": "rbf"}') AS m FROM rows, LATERAL (SELECT a, b) AS f WHERE fold <> 2) AS t, rows, LATERAL (SELECT a, b) AS f WHERE fold = 2) AS h USING (name);

SELECT ok(pg_temp.close(pg_temp.means(cross_validate(y, f, 'ridge_regression', options ORDER BY rows.id)), pg_temp.means(cross_validate(y, f, 'ridge_regression', options ORDER BY md5(rows.id::text))), 1e-11), 'the order of the rows does not matter: ' || options::text)
FROM rows, LATERAL (SELECT a, b, c, fold, shop, id) AS f, unnest(ARRAY['{}', '{"fold_column": "fold"}', '{"group_column": "shop"}', '{"time_column": "id"}']::jsonb[]) AS options GROUP BY options;
SELECT ok(pg_temp.close(pg_temp.means(cross_validate(y, f, 'ridge_regression', '{"fold_column": "fold"}', w)), pg_temp.means(cross_validate(y, f, 'ridge_regression', '{"fold_column": "fold"}', w * 1)), 1e-12), 'weights of one scale agree') FROM rows, LATERAL (SELECT a, b, c, fold) AS f;
SELECT ok(pg_temp.close((SELECT pg_temp.means(cross_validate(y, f, 'linear_regression', '{"fold_column": "fold"}', w)) FROM rows, LATERAL (SELECT a, b, c, fold) AS f),
                        (SELECT pg_temp.means(cross_validate(y, f, 'linear_regression', '{"fold_column": "fold"}')) FROM rows, LATERAL (SELECT a, b, c, fold) AS f, generate_series(1, w)), 1e-10), 'weights are repeated rows');
SELECT ok(bool_and(m.value BETWEEN s.least AND s.most AND pg_temp.near(m.value, s.mean, 1e-12) AND pg_temp.near(m.std_error, s.error, 1e-9) AND m.rows = 240), 'the last row has mean and standard error of the folds')
FROM (SELECT cross_validate(l, f, 'lda') AS v FROM rows, LATERAL (SELECT a, b) AS f) AS t, unnest(v) AS m,
     LATERAL (SELECT min(value) AS least, max(value) AS most, avg(value) AS mean, stddev(value) / sqrt(count(*)) AS error FROM unnest(v) AS x WHERE x.metric = m.metric AND x.fold IS NOT NULL) AS s WHERE m.fold IS NULL;
SELECT ok(max(n) - min(n) <= 3, 'stratified folds have equal shares of each class: ' || metric)
FROM (SELECT metric, rows AS n FROM (SELECT (unnest(cross_validate(l, f, 'lda', '{"stratified": true}'))).* FROM rows, LATERAL (SELECT a, b) AS f) AS s WHERE fold IS NOT NULL) AS t GROUP BY metric;
SELECT ok(count(*) = 3, 'equal rows share a fold: nothing can be learned by heart') FROM (SELECT (unnest(cross_validate(md5(rows.a::text), f, 'knn_classifier', '{"metrics": "accuracy", "folds": 2, "options": {"k": 1}}'))).* FROM rows, generate_series(1, 3), LATERAL (SELECT a) AS f) AS s WHERE value = 0;
SELECT ok(bool_and(n = 1), 'a key has one fold and one side') FROM (SELECT count(DISTINCT (fold(shop, 3), split(shop, 0.5))) AS n FROM rows GROUP BY shop) AS t;
SELECT ok(pg_temp.close(pg_temp.means(cross_validate(l, f, 'logistic_regression', '{"options": {"lambda": 1}}')), pg_temp.means(cross_validate(l, f, 'logistic_regression', '{"options": {"lambda": [1]}}')), 1e-7), 'a path of one lambda is that lambda') FROM rows, LATERAL (SELECT a, b, c) AS f;
-- a target that is random can be predicted by no method, whatever it chooses inside
SELECT ok(value < 0.65, 'choosing inside does not leak') FROM (SELECT (unnest(cross_validate(md5(id::text) > '8', x, 'logistic_regression', '{"metrics": "balanced_accuracy", "options": {"lambda": "cv", "path": 10, "folds": 3}}'))).*
    FROM (SELECT id, (SELECT array_agg(sin(id * j * j * 1.37)) FROM generate_series(1, 12) AS j) AS x FROM rows) AS r) AS s WHERE fold IS NULL;
SELECT * FROM finish();
ROLLBACK;
