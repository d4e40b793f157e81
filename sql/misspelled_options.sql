-- Misspelled options of train, search, automl and compare had no hint at the option that was meant, where those of estimators had one.
CREATE TABLE test.pebble AS SELECT i % 7 AS a, 2.0 * (i % 7) + i % 3 AS y FROM generate_series(1, 60) AS i;
SET search_path = public, test, pgfit;
SELECT options, split_part(split_part(test.try(format('SELECT pgfit.train(''pebble'', %L, ''pebble'', ''y ~ a'', %L)', estimator, options)), ' Valid options', 1), ' Write', 1) AS error
FROM (VALUES ('linear_regression', '{"holdot": false}'), ('linear_regression', '{"hold_out": 0.2}'), ('linear_regression', '{"promot": "never"}'), ('linear_regression', '{"refitt": false}'), ('linear_regression', '{"weigth": "a"}'),
             ('linear_regression', '{"holdout": {"fracton": 0.2}}'), ('linear_regression', '{"holdout": {"fold": 5}}'), ('linear_regression', '{"interceptt": false}'), ('forest_regression', '{"n_estimators": 3}'),
             ('knn_regression', '{"metrics": "l1"}')) AS v(estimator, options);
SELECT call, split_part(test.try('SELECT pgfit.' || call), ' Options are', 1) AS error
FROM unnest(ARRAY['search(''forest_regression'', ''pebble'', ''y ~ a'', ''{"n_tree": [3]}'')', 'search(''forest_regression'', ''pebble'', ''y ~ a'', ''{"n_jobs": [3]}'')',
                  'search(''forest_regression'', ''pebble'', ''y ~ a'', ''{"n_trees": [3]}'', ''{"metod": "grid"}'')', 'automl(''pebble'', ''y'', ''{"time_bugdet": 3}'')',
                  'compare(''a'', ''b'', ''pebble'', ''{"fold": 3}'')', 'compare(''a'', ''b'', ''pebble'', ''{"nothing_like_it": 3}'')']) AS call;
SELECT drop_model(name) FROM model_names WHERE name = 'pebble';
DROP TABLE test.pebble;
