-- lambda of logistic regression: lists, paths, cross-validation
SET search_path = public, pgfit, test, pgfit_textbook;
CREATE TABLE odds AS
SELECT i AS id, 1 + i % 5 AS fold, sin(i) AS a, 10 + 3 * cos(i * i) AS b, CASE i % 3 WHEN 0 THEN 'x' WHEN 1 THEN 'y' ELSE 'z' END AS c,
       CASE WHEN sin(i) + cos(i * i) + 0.9 * sin(i * 7) > 0.3 THEN 'yes' ELSE 'no' END AS l, CASE WHEN sin(i) + 0.5 * sin(i * 5) > 0.4 THEN 'u' WHEN cos(i * i) + 0.5 * sin(i * 3) > 0 THEN 'v' ELSE 'w' END AS k, 1 + i % 2 AS w
FROM generate_series(1, 150) AS i;
CREATE TABLE paths AS
SELECT logistic_regression(l, f, '{"penalty": "l1", "lambda": "cv", "path": 20, "standardize": true}') AS l1, logistic_regression(l, f, '{"lambda": [0.1, 10, 1]}') AS list, logistic_regression(l, f, '{"lambda": "path", "path": 5}') AS l2,
       logistic_regression(k, f, '{"penalty": "elastic_net", "alpha": 0.5, "lambda": "cv", "path": 10, "select": "1se", "reduction": "mean"}', w) AS softmax FROM odds, LATERAL (SELECT a, b, c) AS f;
SELECT count(*) AS lambdas, min(nonzero) AS least, max(nonzero) AS most, count(*) FILTER (WHERE chosen) AS chosen, bool_and(cardinality(fold_errors) = 10) AS folds, bool_and(criterion IS NULL) AS none FROM paths, lambda_path(l1);
-- the first lambda is the least that makes all coefficients 0
SELECT (SELECT bool_and(estimate = 0) FROM coefficients(logistic_regression(l, f, jsonb_build_object('penalty', 'l1', 'standardize', true, 'lambda', first * 1.0001))) WHERE term <> '(intercept)') AS none,
       (SELECT bool_or(estimate <> 0) FROM coefficients(logistic_regression(l, f, jsonb_build_object('penalty', 'l1', 'standardize', true, 'lambda', first * 0.999))) WHERE term <> '(intercept)') AS some
FROM odds, LATERAL (SELECT a, b, c) AS f, (SELECT (info(l1) -> 'statistics' ->> 'lambda_max')::float8 AS first FROM paths) AS p GROUP BY first;
-- each solution is that of a fit with this lambda alone, and so is at_lambda
SELECT lambda, bool_and(abs(p.estimate - c.estimate) < 1e-6) AS as_alone, bool_and(abs(p.estimate - t.estimate) < 1e-12) AS at_lambda
FROM (SELECT q.lambda, logistic_regression(l, f, jsonb_build_object('lambda', q.lambda)) AS m FROM odds, LATERAL (SELECT a, b, c) AS f, unnest('{0.1,1,10}'::float8[]) AS q (lambda) GROUP BY 1) AS alone, paths,
     LATERAL coefficients(m) AS c, LATERAL (SELECT * FROM coefficient_path(list) AS p WHERE p.lambda = alone.lambda AND p.term = c.term) AS p (other, term, estimate, class), LATERAL (SELECT estimate FROM coefficients(at_lambda(list, alone.lambda)) AS t WHERE t.term = c.term) AS t
GROUP BY 1 ORDER BY 1;
SELECT class, count(*) AS lines, count(DISTINCT lambda) AS lambdas FROM paths, coefficient_path(softmax) GROUP BY 1 ORDER BY 1;
SELECT bool_and(near_all(probabilities(at_lambda(softmax, (info(softmax) -> 'statistics' ->> 'lambda')::float8), f), probabilities(softmax, f), 1e-6)) AS same_scores, min(info(softmax) -> 'statistics' ->> 'lambda') = min(info(softmax) -> 'statistics' ->> 'lambda_1se') AS one_se FROM paths, odds, LATERAL (SELECT a, b, c) AS f;
SELECT l1::text::model = l1 AND softmax::text::model = softmax AS round_trip FROM paths;
SELECT round(lambda::numeric, 3) AS lambda, chosen, nonzero, mean_error FROM paths, lambda_path(l2);
-- folds: of a column, or of the content; neither order nor weights matter
SELECT array_agg(DISTINCT cardinality(fold_errors)) AS folds, sum(chosen::int) AS chosen FROM (SELECT logistic_regression(l, f, '{"lambda": [0.1, 1], "fold_column": "fold"}') AS m FROM odds, LATERAL (SELECT a, b, c, fold) AS f) AS t, lambda_path(m);
SELECT bool_and(near_all(x.fold_errors, y.fold_errors, 1e-9)) AS any_order FROM (SELECT logistic_regression(l, f, '{"lambda": [0.5, 2], "folds": 4}' ORDER BY id) AS a, logistic_regression(l, f, '{"lambda": [0.5, 2], "folds": 4}' ORDER BY f.b) AS b FROM odds, LATERAL (SELECT a, b, c) AS f) AS t,
     lambda_path(a) AS x, lambda_path(b) AS y WHERE x.lambda = y.lambda;
-- the errors of a fold by hand
WITH parts AS MATERIALIZED (SELECT g, q.lambda, logistic_regression(l, f, jsonb_build_object('lambda', q.lambda), w) FILTER (WHERE fold <> g) AS m FROM odds, LATERAL (SELECT a, b, c) AS f, generate_series(1, 5) AS g, unnest('{0.1,1}'::float8[]) AS q (lambda) GROUP BY 1, 2),
     hand AS (SELECT lambda, g, log_loss(l, probability(m, f), '{}', w) AS value FROM parts, odds, LATERAL (SELECT a, b, c) AS f WHERE fold = g GROUP BY 1, 2)
SELECT bool_and(abs(p.fold_errors[h.g] - h.value) < 1e-8) AS as_by_hand FROM hand AS h, (SELECT logistic_regression(l, f, '{"lambda": [0.1, 1], "fold_column": "fold"}', w) AS m FROM odds, LATERAL (SELECT a, b, c, fold) AS f) AS t, lambda_path(m) AS p WHERE p.lambda = h.lambda;
-- refusals
SELECT try('SELECT logistic_regression(' || call || ') FROM odds, LATERAL (SELECT a, b, fold) AS f') FROM unnest(ARRAY[
    $$l, f, '{"lambda": [0, 1]}'$$, $$l, f, '{"lambda": "gcv"}'$$, $$l, f, '{"lambda": 0, "folds": 5}'$$, $$l, f, '{"lambda": 1, "select": "min"}'$$, $$l, f, '{"lambda": "cv", "penalty": "none"}'$$, $$l, f, '{"lambda": [1, 2], "path": 5}'$$,
    $$k, f, '{"lambda": "cv", "multiclass": "ovr"}'$$, $$l, f, '{"lambda": "cv", "folds": 1}'$$, $$l, f, '{"lambda": "cv", "fold_column": "a"}'$$, $$l, f, '{"lambda": "cv", "fold_column": "part"}'$$, $$l, (f.a, 1), '{"lambda": "cv", "fold_column": "fold"}'$$]) AS call;
SELECT try($$SELECT logistic_regression(l, f, '{"lambda": "cv", "fold_column": "fold"}') FROM odds, LATERAL (SELECT a, 1 AS fold) AS f$$);
SELECT try($$SELECT logistic_regression(l, f, '{"lambda": "cv", "fold_column": "fold"}') FROM odds, LATERAL (SELECT a, (l = 'no')::int AS fold) AS f$$);
SELECT try('SELECT ' || call || ' FROM paths') FROM unnest(ARRAY['at_lambda(list, 7)', $$logistic_start(NULL::model, '{"lambda": "cv"}')$$]) AS call;
SELECT try($$SELECT logistic_start(class_moments(l, a), '{"lambda": "cv"}') FROM odds$$);
DROP TABLE odds, paths;
