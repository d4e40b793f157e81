-- the constraint form of penalties: lambda from a penalty_budget; the penalties of a path
SET search_path = public, test, pgfit;
CREATE TABLE budgets AS SELECT i, sin(i * 1.7) * 3 AS a, cos(i * 0.9) AS b, sin(i * 0.3 + 1) + cos(i * 0.9) / 2 AS c,
    6 * sin(i * 1.7) - cos(i * 0.9) + sin(i * 5.1) AS y, i % 3 = 0 AS label FROM generate_series(1, 60) AS i;

-- the penalty of the model is the budget
WITH fits AS (
    SELECT 'ridge' AS method, budget, ridge_regression(y, (a, b, c), jsonb_build_object('penalty_budget', budget)) AS m
    FROM budgets, unnest('{1e-6, 0.5, 3, 4.9}'::float8[]) AS budget GROUP BY budget
    UNION ALL
    SELECT 'ridge standardized', budget, ridge_regression(y, (a, b, c), jsonb_build_object('penalty_budget', budget, 'standardize', true, 'loss', 'mean'))
    FROM budgets, unnest('{0.5, 10}'::float8[]) AS budget GROUP BY budget
    UNION ALL
    SELECT 'ridge constant too', budget, ridge_regression(y, (a, b, c), jsonb_build_object('penalty_budget', budget, 'penalize_intercept', true))
    FROM budgets, unnest('{0.5, 3}'::float8[]) AS budget GROUP BY budget
    UNION ALL
    SELECT 'lasso', budget, lasso_regression(y, (a, b, c), jsonb_build_object('penalty_budget', budget))
    FROM budgets, unnest('{1e-6, 0.5, 2.5, 3}'::float8[]) AS budget GROUP BY budget
    UNION ALL
    SELECT 'elastic net', budget, elastic_net(y, (a, b, c), jsonb_build_object('penalty_budget', budget, 'alpha', 0.3))
    FROM budgets, unnest('{1e-6, 0.5, 3, 4}'::float8[]) AS budget GROUP BY budget
    UNION ALL
    SELECT 'elastic net, ridge', budget, elastic_net(y, (a, b, c), jsonb_build_object('penalty_budget', budget, 'alpha', 0))
    FROM budgets, unnest('{3}'::float8[]) AS budget GROUP BY budget)
SELECT method, budget, abs((info(m) #>> '{statistics,penalty}')::float8 / budget - 1) < 1e-10 AS spent,
       round((info(m) #>> '{statistics,lambda}')::numeric, 4) AS lambda
FROM fits ORDER BY method, budget;

-- a fit with this lambda is the same model, and so are fits from moments and in windows
WITH fit AS (SELECT lasso_regression(y, (a, b, c), '{"penalty_budget": 2.5}') AS m FROM budgets)
SELECT term, round(f.estimate::numeric, 8) AS estimate, f.estimate = g.estimate AS by_lambda, f.estimate = h.estimate AS from_moments
FROM fit, coefficients(m) AS f
JOIN coefficients((SELECT lasso_regression(y, (a, b, c), (SELECT (info(m) #>> '{statistics,lambda}')::float8 FROM fit)) FROM budgets)) AS g USING (term)
JOIN coefficients((SELECT fit('lasso_regression', merge(s), '{"penalty_budget": 2.5}') FROM (SELECT moments(y, (a, b, c)) AS s FROM budgets) AS t)) AS h USING (term);
SELECT count(m) FILTER (WHERE abs((info(m) #>> '{statistics,penalty}')::float8 - 1) < 1e-10)
FROM (SELECT ridge_regression(y, (a, b, c), '{"penalty_budget": 1}') OVER (ORDER BY i ROWS 20 PRECEDING) AS m, i FROM budgets) AS t WHERE i > 20;

-- what it says of itself
SELECT summary(ridge_regression(y, (a, b, c), '{"penalty_budget": 3}')) FROM budgets;
SELECT info(m) #> '{options,penalty_budget}' AS budget, info(m) #> '{options,lambda}' AS option, chosen, nonzero, round(penalty::numeric, 6) AS penalty
FROM (SELECT lasso_regression(y, (a, b, c), '{"penalty_budget": 2}') AS m FROM budgets) AS t, lambda_path(m);

-- a budget that does not bind: least squares
SELECT summary(lasso_regression(y, (a, b, c), '{"penalty_budget": 100}')) FROM budgets;
-- the penalty of least squares itself, and a constant target
SELECT info(ridge_regression(y, (a, b, c), jsonb_build_object('penalty_budget',
           (SELECT info(ridge_regression(y, (a, b, c), 0)) #> '{statistics,penalty}' FROM budgets)))) #> '{statistics,lambda}' AS lambda FROM budgets;
SELECT info(lasso_regression(1, (a, b, c), '{"penalty_budget": 1}')) #> '{statistics,lambda}' AS lambda FROM budgets;

-- dependent terms: least squares drops one, and a solution with less penalty is there
SELECT round((info(m) #>> '{statistics,penalty}')::numeric, 6) AS penalty, (info(m) #>> '{statistics,lambda}')::float8 BETWEEN 1e-15 AND 1e-8 AS nearly_0
FROM (SELECT ridge_regression(y, (a, a2), '{"penalty_budget": 3.5}') AS m FROM (SELECT y, a, a AS a2 FROM budgets) AS t) AS t;
SELECT abs((info(m) #>> '{statistics,penalty}')::float8 - 1.5) < 1e-10 AS spent
FROM (SELECT ridge_regression(y, (a, a2), '{"penalty_budget": 1.5}') AS m FROM (SELECT y, a, a AS a2 FROM budgets) AS t) AS t;
-- more terms than rows
SELECT abs((info(m) #>> '{statistics,penalty}')::float8 - 0.5) < 1e-10 AS spent
FROM (SELECT lasso_regression(y, ARRAY[a, b, c, a * b, a * c, b * c], '{"penalty_budget": 0.5}') AS m FROM budgets WHERE i < 5) AS t;

-- refused
SELECT try($$SELECT ridge_regression(y, (a, b, c), '{"penalty_budget": 0}') FROM budgets$$);
SELECT try($$SELECT lasso_regression(y, (a, b, c), '{"penalty_budget": -1}') FROM budgets$$);
SELECT try($$SELECT elastic_net(y, (a, b, c), '{"penalty_budget": "NaN"}') FROM budgets$$);
SELECT try($$SELECT lasso_regression(y, (a, b, c), '{"penalty_budget": [1, 2]}') FROM budgets$$);
SELECT try($$SELECT ridge_regression(y, (a, b, c), '{"penalty_budget": 1, "lambda": 2}') FROM budgets$$);
SELECT try($$SELECT ridge_regression(y, (a, b, c), 2, '{"penalty_budget": 1}') FROM budgets$$);
SELECT try($$SELECT lasso_regression(y, (a, b, c), '{"penalty_budget": 1, "lambda": "cv"}') FROM budgets$$);
SELECT try($$SELECT ridge_regression(y, (a, b, c), '{"penalty_budget": 1, "lambda": "loo"}') FROM budgets$$);
SELECT try($$SELECT lasso_regression(y, (a, b, c), '{"penalty_budget": 1, "folds": 5}') FROM budgets$$);
SELECT try($$SELECT lasso_regression(y, (a, b, c), '{"penalty_budget": 1, "path": 5}') FROM budgets$$);
SELECT try($$SELECT lasso_regression(y, (a, b, c), '{"penalty_budget": 1, "select": "min"}') FROM budgets$$);
SELECT try($$SELECT linear_regression(y, (a, b, c), '{"penalty_budget": 1}') FROM budgets$$);
SELECT try($$SELECT at_lambda(lasso_regression(y, (a, b, c), '{"penalty_budget": 1}'), 3) FROM budgets$$);

-- the penalties of paths: what the coefficients of each lambda say
WITH fits AS (
    SELECT 'ridge' AS method, ridge_regression(y, (a, b, c), '{"lambda": [0, 1, 100]}') AS m, 0 AS l1, 1 AS l2 FROM budgets
    UNION ALL SELECT 'lasso', lasso_regression(y, (a, b, c), '{"lambda": "path", "path": 4}'), 1, 0 FROM budgets
    UNION ALL SELECT 'elastic net', elastic_net(y, (a, b, c), '{"lambda": "cv", "path": 4, "alpha": 0.25, "folds": 3}'), 0.25, 0.75 FROM budgets
    UNION ALL SELECT 'logistic l2', logistic_regression(label, (a, b, c), '{"lambda": "path", "path": 4}'), 0, 1 FROM budgets
    UNION ALL SELECT 'logistic l1', logistic_regression(label, (a, b, c), '{"lambda": [0.5, 0.1], "penalty": "l1"}'), 1, 0 FROM budgets
    UNION ALL SELECT 'softmax', logistic_regression(i % 4, (a, b, c), '{"lambda": [2, 0.1], "penalty": "elastic_net", "alpha": 0.25}'), 0.25, 0.75 FROM budgets)
SELECT method, count(*), bool_and(abs(p.penalty - s.penalty) <= 1e-12 * (1 + s.penalty)) AS same,
       bool_or(p.chosen AND abs(p.penalty - (info(m) #>> '{statistics,penalty}')::float8) < 1e-6) AS own
FROM fits, lambda_path(m) AS p, LATERAL (SELECT sum(l1 * abs(estimate) + l2 * estimate ^ 2) AS penalty FROM coefficient_path(m) AS c
                                        WHERE c.lambda = p.lambda AND term <> '(intercept)') AS s
GROUP BY method ORDER BY method;
-- of one lambda, and of one of a path; standardized features count in standard deviations
SELECT round(penalty::numeric, 8) AS penalty FROM lambda_path((SELECT logistic_regression(label, (a, b, c), '{"lambda": 0.1, "standardize": true}') FROM budgets));
SELECT round(penalty::numeric, 8) AS penalty
FROM lambda_path((SELECT at_lambda(logistic_regression(label, (a, b, c), '{"lambda": [1, 0.1], "standardize": true}'), 0.1) FROM budgets));
SELECT round(sum((estimate * s) ^ 2)::numeric, 8) AS penalty
FROM coefficients((SELECT logistic_regression(label, (a, b, c), '{"lambda": 0.1, "standardize": true}') FROM budgets)),
     LATERAL (SELECT CASE term WHEN 'f1' THEN stddev_pop(a) WHEN 'f2' THEN stddev_pop(b) ELSE stddev_pop(c) END AS s FROM budgets) AS t WHERE term <> '(intercept)';
SELECT penalty IS NULL AS no_penalty FROM lambda_path((SELECT logistic_regression(label, (a, b, c)) FROM budgets));
DROP TABLE budgets;
