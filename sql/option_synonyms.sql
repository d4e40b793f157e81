-- Options under the names of other tools: the HINT says what they are called here.
SET search_path = public, test, pgfit;
CREATE FUNCTION meant(method text, option text) RETURNS text LANGUAGE sql AS $$
    SELECT (regexp_match(try(format('SELECT pgfit.%I(%s ARRAY[i, i * i], %L::jsonb) FROM generate_series(1, 9) AS i', method,
        CASE WHEN method IN ('kmeans', 'gaussian_mixture', 'pca', 'isolation_forest') THEN '' ELSE 'i,' END, jsonb_build_object(option, 1))),
        'Did you mean "([^"]+)"'))[1]
$$;
SELECT method, option, meant(method, option)
FROM (VALUES ('forest_classifier', 'n_estimators'), ('forest_regression', 'ntree'), ('forest_classifier', 'mtry'), ('forest_regression', 'min.node.size'), ('boosted_trees_regression', 'max_iter'),
             ('boosted_trees_classifier', 'l2_regularization'), ('boosted_trees_classifier', 'reg_lambda'), ('boosted_trees_regression', 'eta'), ('boosted_trees_regression', 'gamma'), ('boosted_trees_regression', 'num_leaves'),
             ('boosted_trees_regression', 'early_stopping_rounds'), ('tree_classifier', 'ccp_alpha'), ('tree_regression', 'cp'), ('tree_classifier', 'minsplit'), ('tree_classifier', 'minbucket'),
             ('logistic_regression', 'C'), ('logistic_regression', 'l1_ratio'), ('logistic_regression', 'fit_intercept'), ('logistic_regression', 'multi_class'), ('ridge_regression', 'alpha'),
             ('lasso_regression', 'alpha'), ('elastic_net', 'l1_ratio'), ('elastic_net', 'nfolds'), ('svm_classifier', 'cost'), ('svm_regression', 'tol'), ('knn_classifier', 'n_neighbors'), ('knn_regression', 'distance'),
             ('kmeans', 'n_clusters'), ('kmeans', 'centers'), ('kmeans', 'nstart'), ('kmeans', 'iter.max'), ('kmeans', 'random_state'), ('gaussian_mixture', 'n_components'), ('gaussian_mixture', 'covariance_type'), ('kmeans', 'K.max'), ('gaussian_mixture', 'means_init'), ('gaussian_mixture', 'weights_init'), ('gaussian_mixture', 'precisions_init'),
             ('gaussian_mixture', 'reg_covar'), ('pca', 'n_components'), ('lda', 'n_components'), ('qda', 'reg_param'), ('lda', 'prior'), ('naive_bayes', 'var_smoothing'), ('naive_bayes', 'laplace'), ('naive_bayes', 'alpha'),
             ('hierarchical', 'method'), ('hierarchical', 'affinity'), ('isolation_forest', 'n_estimators'), ('linear_regression', 'on_error'), ('ridge_regression', 'na.action'), ('ridge_regression', 'handle_unknown'),
             ('svm_classifier', 'class_weights')) AS v (method, option);
-- a note where the numbers differ; names that mean nothing here; long and odd ones
SELECT try($$SELECT logistic_regression(i, ARRAY[i], '{"C": 1}'::jsonb) FROM generate_series(1, 3) AS i$$) ~ 'lambda is 0.5 / C' AS noted;
SELECT left(option, 20), meant('forest_regression', option) FROM (VALUES ('n_jobs'), (''), (repeat('n_estimators', 50)), ('N-ESTIMATORS'), ('n.estimators'), ('é')) AS v (option);
DROP FUNCTION meant;
