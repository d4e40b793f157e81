-- Estimates under an l2 penalty take the last step that needs no pass: these groups were off by 1e-7 at the default tolerance.
SET search_path = public, test, pgfit;
SET client_min_messages = warning;
SELECT g, bool_and(abs(u - v) <= 1e-9 * greatest(1e-3, abs(v))) AS exact, abs(o.objective - p.objective) < 1e-12 * o.objective AS objective
FROM (SELECT g, logistic_regression(c, (x, y), jsonb_build_object('penalty', 'l2', 'lambda', lambda)) AS m, logistic_regression(c, (x, y), jsonb_build_object('penalty', 'l2', 'lambda', lambda, 'tolerance', 1e-16)) AS n
      FROM (SELECT g, lambda, 1.5 * x - 0.7 * y + 2 * sin(i * 78.233 * (1 + g)) > 0 AS c, x, y
            FROM (SELECT g, lambda, i, 2 * sin(i * 12.9898 + g) AS x, 1.5 * cos(i * 4.1414 + g * g) AS y
                  FROM generate_series(1, 60) AS i, (VALUES (21, 10), (46, 0.1), (65, 0.1), (99, 10), (116, 10), (135, 0.1), (155, 0.1)) AS v (g, lambda)) AS r) AS q GROUP BY g, lambda) AS fits,
    unnest((SELECT array_agg(estimate) FROM coefficients(m)), (SELECT array_agg(estimate) FROM coefficients(n))) AS t (u, v),
    LATERAL (SELECT (info(m) #>> '{statistics,objective}')::float8 AS objective) AS o, LATERAL (SELECT (info(n) #>> '{statistics,objective}')::float8 AS objective) AS p
GROUP BY g, o.objective, p.objective ORDER BY g;
RESET client_min_messages;
