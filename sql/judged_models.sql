-- Versions of clusterings, densities and calibrations, judged by rows that they were not fitted to.
SET search_path = public, test, pgfit;
CREATE TABLE dots AS
SELECT i AS id, 10 * (i % 3) + sin(i * 1.7) AS a, 5 * (i % 2) + cos(i * 0.9) AS b, 1 + i % 2 AS w, sin(i) * 2 + cos(i * 7.3) AS score, sin(i) * 2 + cos(i * 1.7) * 1.5 > 0 AS label
FROM generate_series(1, 600) AS i;
CREATE FUNCTION trained(name text, estimator text, formula text, options jsonb) RETURNS TABLE (version int, active boolean, metrics text[], message text) LANGUAGE sql AS $$
    SELECT version, active, ARRAY(SELECT key FROM jsonb_object_keys(metrics) AS key ORDER BY key),
           regexp_replace(message, '-?[0-9]+\.[0-9]+', '#', 'g')
    FROM pgfit.train(name, estimator, 'SELECT * FROM public.dots', formula, '{"holdout": {"key": "id"}}'::jsonb || options) $$;

-- kmeans: inertia, the less the better; more clusters have less
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 3}');
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 2, "promote": "if_better"}');
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 6, "promote": "if_better"}');
-- scores by which clusterings of different numbers of clusters can be compared, each in its direction
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 12, "promote": "if_better", "metrics": "silhouette"}');
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 12, "promote": "if_better", "metrics": "calinski_harabasz"}');
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 12, "promote": "if_better", "metrics": "davies_bouldin"}');
SELECT promote('groups', 2);
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 6, "promote": "if_better", "metrics": "davies_bouldin"}');
-- the metrics are those of rows that were held out
SELECT near((r.metrics ->> 'inertia')::float8, m.inertia, 1e-12) AS inertia, near((r.metrics ->> 'mean_distance')::float8, m.distance, 1e-12) AS mean_distance,
       near((r.metrics ->> 'davies_bouldin')::float8, m.davies_bouldin, 1e-12) AS davies_bouldin, (r.evaluation ->> 'rows')::int = m.n AS rows, r.evaluation #>> '{active,version}' AS active
FROM registry AS r, LATERAL (SELECT avg(distance(r.model, d) ^ 2) AS inertia, avg(distance(r.model, d)) AS distance, davies_bouldin(cluster(r.model, d), ARRAY[a, b]), count(*) AS n
                             FROM dots AS d WHERE NOT split(id, 0.8)) AS m
WHERE r.name = 'groups' AND r.version = 7;
-- weights, folds
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 6, "promote": "never", "weight": "w", "refit": false}');
SELECT near((r.metrics ->> 'inertia')::float8, (SELECT sum(w * distance(r.model, d) ^ 2) / sum(w) FROM dots AS d WHERE NOT split(id, 0.8)), 1e-12) AS weighted
FROM registry AS r WHERE r.name = 'groups' AND r.version = 8;
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 8, "promote": "if_better", "holdout": {"folds": 4}}');
SELECT try($$SELECT trained('groups', 'kmeans', '~ a + b', '{"k": 8, "metrics": "silhouette", "holdout": {"folds": 4}}')$$);
-- other features, or other units, give other distances: not comparable, so not promoted
SELECT * FROM trained('groups', 'kmeans', '~ a', '{"k": 6, "promote": "if_better"}');
SELECT * FROM trained('groups', 'kmeans', '~ a + b', '{"k": 6, "promote": "if_better", "standardize": true}');
SELECT * FROM trained('groups', 'multivariate_normal', '~ a + b', '{"promote": "if_better"}');
-- other clusterings: the mean distance from the nearest cluster
SELECT estimator, t.metrics FROM (VALUES ('kmedoids', '{"k": 3}'::jsonb), ('kernel_kmeans', '{"k": 3}'), ('mean_shift', '{"bandwidth": 3}')) AS v (estimator, options),
     LATERAL trained(v.estimator, v.estimator, '~ a + b', options) AS t;
SELECT * FROM trained('kmedoids', 'kmedoids', '~ a + b', '{"k": 6, "promote": "if_better"}');
SELECT * FROM trained('kmedoids', 'kmedoids', '~ a + b', '{"k": 2, "promote": "if_better"}');

-- densities: the mean log likelihood, the more the better, between methods as well
SELECT * FROM trained('density', 'multivariate_normal', '~ a + b', '{}');
SELECT * FROM trained('density', 'gaussian_mixture', '~ a + b', '{"k": 6, "promote": "if_better", "seed": 1}');
SELECT * FROM trained('density', 'multivariate_normal', '~ a + b', '{"promote": "if_better"}');
SELECT * FROM trained('density', 'gaussian_mixture', '~ a + b', '{"k": 2, "promote": "if_better", "holdout": {"folds": 3}}');
SELECT near((r.metrics ->> 'log_likelihood')::float8, (SELECT avg(decision(r.model, d)) FROM dots AS d WHERE NOT split(id, 0.8)), 1e-12) AS log_likelihood
FROM registry AS r WHERE r.name = 'density' AND r.version = 2;
SELECT rank, options FROM search('multivariate_normal', 'dots', '~ a + b', '{"shrinkage": [0, 0.9]}', '{"folds": 3}');

-- calibrations: the log loss of their probabilities
SELECT * FROM trained('calibration', 'isotonic_calibration', 'label ~ score', '{}');
SELECT * FROM trained('calibration', 'platt_calibration', 'label ~ score', '{"promote": "if_better"}');
SELECT * FROM trained('calibration', 'logistic_calibration', 'label ~ score', '{"promote": "if_better", "metrics": "brier_score"}');
SELECT * FROM trained('calibration', 'platt_calibration', 'label ~ score', '{"promote": "if_better", "margin": 0.1, "holdout": {"folds": 4}}');
-- the same score by rows and by folds
SELECT near((metrics ->> 'brier_score')::float8, (SELECT brier_score(label, probability(r.model, d)) FROM dots AS d WHERE NOT split(id, 0.8)), 1e-12) AS brier_score,
       near((metrics ->> 'log_loss')::float8, (SELECT log_loss(label, probability(r.model, d)) FROM dots AS d WHERE NOT split(id, 0.8)), 1e-12) AS log_loss
FROM registry AS r WHERE name = 'calibration' AND version = 2;
SELECT abs((a.metrics ->> 'brier_score')::float8 / (b.metrics ->> 'brier_score')::float8 - 1) < 0.4 AS alike
FROM train('brier', 'lda', 'dots', 'label ~ score', '{"metrics": "brier_score", "holdout": {"key": "id"}}') AS a,
     train('brier', 'lda', 'dots', 'label ~ score', '{"metrics": "brier_score", "holdout": {"folds": 3}}') AS b;

-- what cannot be judged says so
SELECT estimator, try(format($$SELECT train('none', %L, 'dots', '~ a + b', '%s'::jsonb || '{"promote": "if_better"}')$$, estimator, options)) AS promoted,
       try(format($$SELECT (train('none', %L, 'dots', '~ a + b', %L)).metrics$$, estimator, options)) AS trained
FROM (VALUES ('pca', '{"k": 1}'), ('dbscan', '{"id": "id", "radius": 2}'), ('standard_scaler', '{}'), ('isolation_forest', '{}')) AS v (estimator, options);
SELECT try($$SELECT train('none', 'pca', 'dots', '~ a + b', '{"holdout": 0.2}')$$);
SELECT try($$SELECT train('none', 'pca', 'dots', '~ a + b', '{"metrics": "inertia"}')$$);
SELECT try($$SELECT train('none', 'kmedoids', 'dots', '~ a + b', '{"k": 2, "holdout": {"folds": 3}}')$$);
SELECT try($$SELECT train('none', 'kmeans', 'dots', '~ a + b', '{"k": 2, "metrics": "rmse"}')$$);
-- a regression of booleans, which are 0 and 1
SELECT metrics ->> 'rmse' IS NOT NULL AS judged FROM train('flags', 'linear_regression', 'dots', 'label ~ score');
SELECT rows, verdict FROM compare('flags', 'flags', 'dots', '{}');
-- labels that become numbers have no class in common with those before, whose accuracy would be 0
CREATE VIEW numbered AS SELECT id, label::int AS label, score FROM dots;
SELECT active FROM train('changed', 'lda', 'dots', 'label ~ score', '{"promote": "if_better"}');
SELECT active, message FROM train('changed', 'lda', 'numbered', 'label ~ score', '{"promote": "if_better"}');
DROP VIEW numbered;
SELECT count(drop_model(name)) AS dropped FROM model_names;
DROP FUNCTION trained;
DROP TABLE dots;
