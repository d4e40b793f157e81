-- docs/defaults.md: with the options that it names, fits have the numbers of scikit-learn 1.2 and of R (MASS, glmnet, stats).
SET search_path = public, test, pgfit;
CREATE TABLE lines AS SELECT a, b, y, (y > 4)::int AS k, i * i % 3 + (a > 6)::int AS k3, i
FROM (SELECT i, a, b, a - 0.5 * b + i * i % 7 AS y FROM (SELECT i, (i * 7 % 13)::float8 AS a, i * 5 % 11 * 2.0 AS b FROM generate_series(1, 30) AS i) AS n) AS m;
CREATE FUNCTION fit(call text) RETURNS model LANGUAGE plpgsql AS $$ DECLARE m model; BEGIN EXECUTE format('SELECT pgfit.%s FROM lines', call) INTO m; RETURN m; END $$;
CREATE TABLE tools (name text, call text, theirs float8[]);
INSERT INTO tools VALUES
    ('scikit-learn: LogisticRegression()', $$logistic_regression(k, (a, b), '{"lambda": 0.5}')$$, '{1.19040837940201,0.58347177591638,-0.617645256625181}'),
    ('R: glm(binomial)', $$logistic_regression(k, (a, b))$$, '{-0.0418142543552172,0.844305167751565,-0.685932583238542}'),
    ('R: glmnet(binomial, lambda = 0.1, alpha = 0)', $$logistic_regression(k, (a, b), '{"lambda": 1.5}')$$, '{1.75136049844521,0.418241948495092,-0.548390576015446}'),
    ('scikit-learn: Ridge()', $$ridge_regression(y, (a, b), 1)$$, '{2.0143964178257,0.984783837081496,-0.489823671477694}'),
    ('scikit-learn: Lasso(0.3)', $$lasso_regression(y, (a, b), 0.6, '{"reduction": "mean"}')$$, '{2.22624544696137,0.958001237888262,-0.495188540510755}'),
    ('R: glmnet(lambda = 0.3)', $$lasso_regression(y, (a, b), 0.6, '{"reduction": "mean", "standardize": true}')$$, '{1.94120641546193,0.944722895128586,-0.460816380431113}'),
    -- a = 0.3, r = 0.4: lambda alpha = 2 a r = 0.24, lambda (1 - alpha) = a (1 - r) = 0.18
    ('scikit-learn: ElasticNet(0.3, l1_ratio = 0.4)', $$elastic_net(y, (a, b), 0.42, 0.24::float8 / 0.42, '{"reduction": "mean"}')$$, '{2.32643764264202,0.951046925148568,-0.500871184351618}');
SELECT name, near_all(estimates(fit(call)), theirs, 1e-6) AS same FROM tools ORDER BY name COLLATE "C";
-- classifiers, by the probabilities of one row
SELECT name, near_all(probabilities(fit(call), ROW(5, 7)), theirs, 1e-12) AS same, near_all(probabilities(fit(replace(call, ', ''{"ddof": 1}''', '')), ROW(5, 7)), theirs, 1e-3) AS same_without_option
FROM (VALUES ('scikit-learn: LinearDiscriminantAnalysis(); R: MASS::lda', $$lda(k3, (a, b), '{"ddof": 1}')$$, '{0.165841953546224,0.500237047835992,0.333920998617784}'::float8[]),
             ('scikit-learn: LinearDiscriminantAnalysis("lsqr")', $$lda(k3, (a, b))$$, '{0.165691145189111,0.49651078720913,0.337798067601759}'),
             ('scikit-learn: QuadraticDiscriminantAnalysis(); R: MASS::qda', $$qda(k3, (a, b), '{"ddof": 1}')$$, '{0.0168805213125269,0.981931571551704,0.00118790713576903}'),
             ('scikit-learn: GaussianNB()', $$naive_bayes(k3, (a, b))$$, '{0.0523874915793972,0.838972569291936,0.108639939128667}')) AS v (name, call, theirs) ORDER BY name COLLATE "C";
-- kernels and components
SELECT near(predict(fit($$kernel_ridge(y, (a, b), '{"gamma": 0.5, "lambda": 1}'::jsonb)$$), ROW(5, 7)), 0.735334349437198) AS kernel_ridge,
       near(decision(fit($$svm_classifier(k, (a, b), '{"kernel": "rbf", "tolerance": 1e-9}')$$), ROW(5, 7)), 0.0960103099290898, 1e-6) AS svc,
       near_all(ARRAY(SELECT v::float8 FROM jsonb_array_elements_text(info(fit($$pca((a, b), '{"ddof": 1}'::jsonb)$$)) #> '{statistics,explained_variance}') AS v), '{49.4780146962595,4.04842208534967}') AS pca;
-- information criteria
SELECT near((s ->> 'aic')::float8, 114.239220106938) AS aic, near((s ->> 'bic')::float8, 119.844009633587) AS bic, near((g ->> 'aic')::float8, 14.7235039845958, 1e-9) AS glm
FROM (SELECT info(linear_regression(y, (a, b))) -> 'statistics' AS s, info(logistic_regression(k, (a, b))) -> 'statistics' AS g FROM lines) AS f;
-- defaults that the page states
SELECT o.name, method, default_value FROM (VALUES ('logistic_regression', 'lambda'), ('svm_classifier', 'kernel'), ('svm_regression', 'epsilon'), ('lda', 'ddof'), ('qda', 'ddof'), ('pca', 'ddof'),
    ('multivariate_normal', 'ddof'), ('naive_bayes', 'level_smoothing'), ('kernel_ridge', 'kernel'), ('kernel_pca', 'kernel'), ('gaussian_mixture', 'tolerance'), ('gaussian_mixture', 'max_iter'), ('kmeans', 'tolerance'),
    ('hierarchical', 'linkage'), ('knn_classifier', 'tie'), ('boosted_trees_regression', 'early_stopping'), ('forest_regression', 'max_features'), ('forest_regression', 'n_trees'), ('forest_regression', 'oob'),
    ('tree_regression', 'prune'), ('lasso_regression', 'folds'), ('least_squares_classifier', 'lambda')) AS v (method, option), options(method) AS o WHERE o.name = option ORDER BY method COLLATE "C", o.name;
DROP TABLE lines, tools;
DROP FUNCTION fit(text);
