-- One name for one thing: earlier names of options are still read, values of other tools are known, and every option says its default.
SET search_path = public, test, pgfit;
SET client_min_messages = notice;
CREATE TABLE blobs AS SELECT i, i % 3 AS class, i % 3 * 4 + i % 7 * 0.25 AS a, i % 5 + i % 3 * 0.5 AS b, i * 7 % 11 * 1.0 AS y FROM generate_series(1, 60) AS i;
CREATE FUNCTION fitted(method text, given jsonb) RETURNS model LANGUAGE plpgsql AS $$
DECLARE m model; first text := CASE (SELECT task FROM estimators() WHERE name = method) WHEN 'regression' THEN 'y, ' WHEN 'classification' THEN 'class, ' ELSE '' END;
BEGIN
    IF method = 'hdbscan' THEN first := 'i, '; END IF;
    EXECUTE format('SELECT pgfit.%I(%s(a, b), $1) FROM blobs', method, first) INTO m USING given;
    RETURN m;
END $$;
-- a NOTICE names the new one, and the model keeps that
SELECT fitted('distance_histogram', '{"buckets": 4}') = fitted('distance_histogram', '{"bins": 4}') AS same;
SET client_min_messages = warning;
CREATE TABLE renamed (method text, earlier jsonb, now jsonb);
INSERT INTO renamed VALUES
    ('boosted_trees_regression', '{"subsample": 0.5}', '{"max_samples": 0.5}'), ('distance_histogram', '{"sample": 40}', '{"sample_size": 40}'), ('lda', '{"components": 1}', '{"k": 1}'),
    ('kmeans', '{"k": [2, 4], "criterion": "calinski_harabasz"}', '{"k": [2, 4], "select": "calinski_harabasz"}'), ('gaussian_mixture', '{"k": 2, "covariance": "tied"}', '{"k": 2, "covariance_type": "tied"}'),
    ('hdbscan', '{"selection": "leaf"}', '{"cluster_selection": "leaf"}'), ('ridge_regression', '{"loss": "mean"}', '{"reduction": "mean"}'), ('logistic_regression', '{"lambda": 1, "loss": "mean"}', '{"lambda": 1, "reduction": "mean"}'),
    ('least_squares_classifier', '{"matrix": "diagonal"}', '{"gram_matrix": "diagonal"}'), ('perceptron', '{"average": true}', '{"averaged": true}'), ('mean_shift', '{"quantile": 0.2}', '{"bandwidth_quantile": 0.2}'),
    ('naive_bayes', '{"smoothing": 0.1}', '{"var_smoothing": 0.1}');
SELECT method, fitted(method, earlier) = fitted(method, now) AS same, info(fitted(method, earlier)) -> 'options' @> now AS kept FROM renamed ORDER BY method COLLATE "C";
-- of functions
SELECT normalized_mutual_information(class, y, '{"average": "max"}') = normalized_mutual_information(class, y, '{"average_method": "max"}') AS information,
       log_loss(true, 0, '{"clip": 0.1}') = log_loss(true, 0, '{"min_probability": 0.1}') AS losses FROM blobs;
SELECT ensemble(ARRAY[a, b], '{"method": "average", "weights": [1, 2]}') = ensemble(ARRAY[a, b], '{"voting": "soft", "model_weights": [1, 2]}') AS joined,
       decision_rule(a, '{"weights": {"1": 2}}') = decision_rule(a, '{"rule": {"1": 2}}') AS ruled
FROM (SELECT fitted('naive_bayes', '{}') AS a, fitted('lda', '{}') AS b) AS f;
SELECT distance_matrix(1, 2, 'Infinity', '{"missing": "infinity"}') = distance_matrix(1, 2, 'Infinity', '{"missing_pairs": "infinity"}') AS pairs;
SET client_min_messages = notice;
SELECT DISTINCT metric FROM search('ridge_regression', 'blobs', 'y ~ a + b', '{"lambda": [1]}', '{"metric": "mae", "clip": 0.1, "folds": 3}');
SELECT count(*) FROM automl('blobs', 'y', '{"name": "renamed", "estimators": ["ridge_regression"]}');
SELECT drop_model('renamed');
-- but not twice
SELECT try($$SELECT fitted('distance_histogram', '{"bins": 4, "buckets": 4}')$$);
SELECT try($$SELECT search('ridge_regression', 'blobs', 'y ~ a', '{"lambda": [1]}', '{"metric": "mae", "metrics": "mae"}')$$);

-- values of other tools: the model keeps ours
SELECT method, given, fitted(method, given) = fitted(method, ours) AS same
FROM (VALUES ('svm_classifier', '{"kernel": "poly"}'::jsonb, '{"kernel": "polynomial"}'::jsonb), ('svm_classifier', '{"kernel": "radial"}', '{"kernel": "rbf"}'),
             ('logistic_regression', '{"penalty": "elasticnet", "lambda": 1}', '{"penalty": "elastic_net", "lambda": 1}'), ('logistic_regression', '{"penalty": "None"}', '{"penalty": "none"}'),
             ('tree_regression', '{"criterion": "absolute_error"}', '{"criterion": "mae"}'), ('forest_regression', '{"criterion": "squared_error", "n_trees": 3}', '{"criterion": "mse", "n_trees": 3}'),
             ('tree_classifier', '{"criterion": "log_loss"}', '{"criterion": "entropy"}'), ('boosted_trees_regression', '{"loss": "absolute_error"}', '{"loss": "absolute"}'),
             ('knn_classifier', '{"metric": "l1", "weights": "distance"}', '{"metric": "manhattan", "weights": "distance"}'), ('medoid', '{"metric": "cityblock"}', '{"metric": "manhattan"}'),
             ('medoid', '{"metric": "l2"}', '{"metric": "euclidean"}'), ('gaussian_mixture', '{"k": 2, "covariance_type": "diag"}', '{"k": 2, "covariance_type": "diagonal"}')) AS v (method, given, ours);
SELECT try($$SELECT fitted('logistic_regression', '{"solver": "lbfgs"}')$$) ~ 'HINT.*leave it out' AS solver, try($$SELECT fitted('svm_classifier', '{"kernel": "quintic"}')$$) ~ 'polynomial' AS other;
SELECT try($$SELECT fitted('poisson_regression', '{"exposure": "a"}')$$) ~ 'HINT.*offset\(ln\(exposure\)\)' AS exposure,
       try($$SELECT operating_point(true, 1, '{"false_negative": 5}')$$) ~ 'HINT.*"cost": \{' AS costs;

-- all options of all methods: a default or why there is none, help of one sentence, and names that mean one thing
CREATE VIEW every AS SELECT e.name AS method, o.* FROM (SELECT name FROM estimators() UNION SELECT unnest(ARRAY['cross_validate', 'decision_rule', 'ensemble', 'operating_point', 'score_histogram', 'roc_auc', 'log_loss', 'f1_score'])) AS e, options(e.name) AS o;
SELECT method, name FROM every WHERE default_value IS NULL OR default_value IN ('', '()') OR help !~ '\.$' OR help ~ '\. [A-Z0-9]';
SELECT name, count(DISTINCT regexp_replace(type, ' of .*', '')) FROM every WHERE name IN ('metric', 'criterion', 'matrix', 'weights', 'loss', 'covariance', 'sample', 'subsample', 'buckets', 'components', 'hold_out', 'select') GROUP BY name ORDER BY name;
DROP VIEW every;
DROP TABLE blobs, renamed;
DROP FUNCTION fitted;
