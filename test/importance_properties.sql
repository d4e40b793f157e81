-- partial_dependence, accumulated_effects and permutation_importance are what SQL gives by brute force: scores of copies of the rows with a changed column.
BEGIN;
SELECT plan(62);
\ir tap/properties.sql
CREATE TABLE shown AS SELECT id, a, CASE WHEN id % 11 = 0 THEN NULL ELSE b END AS b, CASE WHEN id % 13 = 0 THEN NULL ELSE c END AS c, abs(a) + 1 AS s, ARRAY[a, b] AS v, w, y, yes, label FROM rows WHERE id <= 120;
CREATE TABLE shown_models (name text, score text, m model);
INSERT INTO shown_models
SELECT 'a linear regression of learned terms', 'predict', linear_regression(y, r, 'log(s) * c + poly(a, 2) + b + offset(a / 10)') FROM shown AS r
UNION ALL SELECT 'a ridge regression of texts that are compared', 'predict', ridge_regression(y, r, 1, 'a * s + I(c == ''x'') + factor(c) + s') FROM shown AS r
UNION ALL SELECT 'a lasso that replaces NULLs', 'predict', lasso_regression(y, r, 0.1, '{"formula": "a + b + c", "nulls": "impute"}') FROM shown AS r
UNION ALL SELECT 'neighbors', 'predict', knn_regression(y, r, 5, 'a + b + s') FROM shown AS r
UNION ALL SELECT 'neighbors of categories', 'predict', knn_regression(y, r, 5, '{"features": ["a", "c"], "metric": "gower"}') FROM shown AS r
UNION ALL SELECT 'a support vector machine', 'predict', svm_regression(y, r, '{"formula": "a + b + c", "kernel": "rbf"}') FROM shown AS r
UNION ALL SELECT 'a forest in which NULLs branch', 'predict', forest_regression(y, r, '{"formula": "a + b + c", "n_trees": 10}') FROM shown AS r
UNION ALL SELECT 'boosted trees', 'probability', boosted_trees_classifier(yes, r, '{"formula": "a + b + c", "n_trees": 10}') FROM shown AS r
UNION ALL SELECT 'naive Bayes', 'probability', naive_bayes(yes, r, 'a + b + c') FROM shown AS r
UNION ALL SELECT 'a logistic regression', 'probability', logistic_regression(yes, r, 'a * c + s') FROM shown AS r
UNION ALL SELECT 'a classifier without probabilities', 'decision', svm_classifier(yes, r, 'a + b') FROM shown AS r;
INSERT INTO shown_models
SELECT 'a pipeline', 'predict', pipeline(scaler, linear_regression(y, transform_row(scaler, r)))
FROM (SELECT standard_scaler(r, 'a + b + log(s)') AS scaler FROM shown AS r) AS f, shown AS r WHERE b IS NOT NULL GROUP BY scaler
UNION ALL SELECT 'an ensemble', 'predict', ensemble(a.m, b.m) FROM shown_models AS a, shown_models AS b WHERE a.name LIKE 'a lasso%' AND b.name LIKE 'a forest%'
UNION ALL SELECT 'calibrated probabilities', 'probability', calibrate(m, logistic_calibration(yes, decision(m, r))) FROM shown_models, shown AS r WHERE name LIKE 'a classifier%' GROUP BY m;

ALTER TABLE shown_models ADD columns text[];
UPDATE shown_models SET columns = ARRAY(SELECT feature FROM permutation_importance(m, 'shown', CASE score WHEN 'predict' THEN 'y' ELSE 'yes' END, '{"repeats": 1}'));

-- compares curves and means with the scores of a copy of the table in which a column was updated
CREATE FUNCTION pg_temp.is_by_hand(model model, scorer text, feature text, given text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    shape jsonb;
    same boolean;
BEGIN
    CREATE TEMP TABLE changed AS SELECT * FROM shown;
    EXECUTE format('UPDATE changed SET %I = %L', feature, given);
    EXECUTE format('CREATE TEMP TABLE scored AS SELECT r.id, w, %I($1, r) AS score FROM changed AS r', scorer) USING model;
    shape := jsonb_build_object('values', jsonb_build_array(CASE feature WHEN 'c' THEN to_jsonb(given) ELSE to_jsonb(given::float8) END));
    SELECT count(*) = 120 AND count(p.estimate) > 90 AND bool_and(p.estimate IS NOT DISTINCT FROM s.score) INTO same
    FROM partial_dependence(model, 'shown', feature, (shape || '{"kind": "ice", "id": "id"}')::text::call_options) AS p JOIN scored AS s ON s.id = p.id::bigint;
    SELECT same AND pg_temp.near(p.estimate, s.mean, 1e-13) INTO same
    FROM partial_dependence(model, 'shown', feature, (shape || '{"weight": "w"}')::text::call_options) AS p, (SELECT sum(score * w) / sum(w) AS mean FROM scored WHERE score IS NOT NULL) AS s;
    DROP TABLE changed, scored;
    RETURN same;
END
$$;
SELECT ok(pg_temp.is_by_hand(m, score, feature, given), format('curves and means of %s are those of %s of changed rows: %s = %s', name, score, feature, given))
FROM shown_models, (VALUES ('a', '-0.3'), ('a', '1000'), ('s', '2.5'), ('c', 'x'), ('c', 'z')) AS f (feature, given) WHERE feature = ANY (columns) ORDER BY name, feature, given;
-- an array by position, a jsonb object, all columns of a query
SELECT ok(count(*) = 6 AND bool_and(pg_temp.near(one.estimate, other.estimate, 1e-15)), 'arrays, objects and queries give the same means')
FROM (SELECT linear_regression(y, v) AS arrays, linear_regression(y, jsonb_build_object('f1', a, 'f2', v[2])) AS objects FROM shown) AS f,
     LATERAL (SELECT * FROM partial_dependence(arrays, 'SELECT v FROM shown', 'f2', '{"values": [1, 2, 3]}')) AS one,
     LATERAL (SELECT * FROM partial_dependence(objects, 'SELECT jsonb_build_object(''f1'', a, ''f2'', v[2]) AS data FROM shown', 'f2', '{"values": [1, 2, 3]}')
              UNION ALL SELECT * FROM partial_dependence(arrays, 'SELECT v[2] AS second, id, a AS first FROM shown', 'f2', '{"values": [1, 2, 3], "features": ["first", "second"]}')) AS other
WHERE one.value = other.value;

-- effects of a linear term are a straight line, whatever the rows
SELECT ok(count(*) > 10 AND bool_and(abs(effect - least_effect - slope * (value - least)) < 1e-9), 'effects of a linear term are a straight line')
FROM (SELECT e.*, c.estimate AS slope, first_value(e.effect) OVER (ORDER BY e.value) AS least_effect, first_value(e.value) OVER (ORDER BY e.value) AS least
      FROM (SELECT linear_regression(y, r, 'a + b + c') AS m FROM shown AS r) AS f, accumulated_effects(m, 'shown', 'a') AS e, coefficients(m) AS c WHERE c.term = 'a') AS t;
-- effects of levels in a given order, by hand
SELECT ok(count(*) = 3 AND bool_and(pg_temp.near(e.effect, h.effect, 1e-12)), 'effects of levels are means of differences, summed up')
FROM (SELECT linear_regression(y, r, 'a * c') AS m FROM shown AS r WHERE c IS NOT NULL) AS f, accumulated_effects(m, 'SELECT * FROM shown WHERE c IS NOT NULL', 'c', '{"order": ["z", "x", "y"]}') AS e,
     LATERAL (SELECT avg(predict(m, (SELECT t FROM (SELECT r.a, 'x' AS c) AS t)) - predict(m, (SELECT t FROM (SELECT r.a, 'z' AS c) AS t))) FILTER (WHERE c IN ('z', 'x')) AS zx,
                     avg(predict(m, (SELECT t FROM (SELECT r.a, 'y' AS c) AS t)) - predict(m, (SELECT t FROM (SELECT r.a, 'x' AS c) AS t))) FILTER (WHERE c IN ('x', 'y')) AS xy,
                     avg((c = 'x')::int) AS px, avg((c = 'y')::int) AS py FROM shown AS r WHERE c IS NOT NULL) AS d,
     LATERAL (SELECT CASE e.level WHEN 'z' THEN 0 WHEN 'x' THEN zx ELSE zx + xy END - px * zx - py * (zx + xy) AS effect) AS h;

-- importance: the mean over all pairs of rows is what permutations tend to
SELECT ok(bool_and(abs(i.importance - (p.mse - b.mse)) < 5 * i.std_error AND i.std_error < 0.02 * i.importance), 'importance is the mean over pairs of rows')
FROM (SELECT linear_regression(y, r, 'a + s') AS m FROM shown AS r) AS f, permutation_importance(m, 'shown', 'y', '{"metric": "mse", "repeats": 400}') AS i,
     LATERAL (SELECT avg((r.y - predict(m, r)) ^ 2) AS mse FROM shown AS r) AS b,
     LATERAL (SELECT avg((r.y - predict(m, CASE i.feature WHEN 'a' THEN jsonb_build_object('a', o.a, 's', r.s) ELSE jsonb_build_object('a', r.a, 's', o.s) END)) ^ 2) AS mse FROM shown AS r, shown AS o) AS p;
SELECT ok(array_agg(one ORDER BY one.feature) = array_agg(other ORDER BY one.feature) AND count(*) = 4, 'the order of the rows does not matter: ' || name)
FROM shown_models, LATERAL permutation_importance(m, 'shown', 'y') AS one, LATERAL permutation_importance(m, 'SELECT * FROM shown ORDER BY md5(id::text)', 'y') AS other
WHERE one.feature = other.feature AND name LIKE '%learned terms' GROUP BY name;
SELECT ok(bool_and(i.importance = 0 AND i.std_error = 0), 'a column of one value has importance 0') FROM shown_models, permutation_importance(m, 'SELECT id, 1.5::float8 AS a, b, ''x'' AS c, 2::float8 AS s, y FROM shown', 'y') AS i
WHERE score = 'predict' AND i.feature IN ('a', 'c', 's');
SELECT ok(pg_temp.near(g.importance, a.importance, 1e-12), 'a group of one column is that column')
FROM (SELECT m FROM shown_models WHERE name = 'neighbors') AS f, permutation_importance(m, 'shown', 'y', '{"groups": {"alone": ["a"]}}') AS g, permutation_importance(m, 'shown', 'y') AS a WHERE g.feature = 'alone' AND a.feature = 'a';
SELECT ok(abs(g.importance) < 1e-9, 'all columns permuted together with a constant change nothing') FROM (SELECT linear_regression(y, r, 'a + s') AS m FROM shown AS r) AS f,
    permutation_importance(m, 'SELECT 1 AS a, 1 AS s, y FROM shown', 'y', '{"groups": {"all": ["a", "s"]}}') AS g;
CREATE TABLE by_memory AS SELECT m, p.* FROM (SELECT linear_regression(y, r, 'a + s') AS m FROM shown AS r) AS f, partial_dependence(m, 'SELECT a, s FROM shown, generate_series(1, 2000)', 's') AS p;
SET LOCAL maintenance_work_mem = '6MB';
SELECT ok(count(*) = 20 AND bool_and(p.estimate = m.estimate), 'rows in a file give the same as rows in memory') FROM by_memory AS m, partial_dependence(m, 'SELECT a, s FROM shown, generate_series(1, 2000)', 's') AS p WHERE p.value = m.value;
SELECT * FROM finish();
ROLLBACK;
