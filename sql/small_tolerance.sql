-- platt_calibration gets more accurate as tolerance shrinks, never less
SET search_path = public, test, pgfit;
CREATE TABLE scored AS SELECT i, sin(i * 1.3) + CASE WHEN y THEN 0.7 ELSE -0.4 END AS s, y FROM generate_series(1, 3000) i, LATERAL (SELECT abs(sin(i * 12.9898)) * 43758.5453 - floor(abs(sin(i * 12.9898)) * 43758.5453) < 0.4 AS y) t;
-- the mean of target less probability, and of the same times the score: 0 at the minimum
CREATE FUNCTION test.gradient(tolerance float8, OUT worst float8, OUT converged boolean, OUT steps int) LANGUAGE sql AS $$
    WITH fit AS (SELECT platt_calibration(y, s, jsonb_build_object('tolerance', tolerance, 'smoothing', false)) AS m FROM scored),
         residual AS (SELECT s, y::int - (probabilities(m, s))[2] AS r FROM scored, fit)
    SELECT greatest(abs(avg(r)), abs(avg(r * s))), (SELECT (info(m) ->> 'converged')::boolean FROM fit), (SELECT (info(m) ->> 'iterations')::int FROM fit) FROM residual
$$;
SELECT tolerance, g.worst < 1e-14 AS exact, g.converged, g.steps < 20 AS soon FROM unnest(ARRAY['1e-12', '1e-14', '1e-16', '1e-20', '1e-30', '0']) AS tolerance, gradient(tolerance::float8) AS g;
-- scores of any unit and offset
SELECT unit, bool_and(abs((probabilities(a, s * scale + scale * 5))[2] - (probabilities(m, s))[2]) < 1e-12) AS same
FROM unnest(ARRAY['1e-6', '1', '1e9']) AS unit, LATERAL (SELECT unit::float8 AS scale) u,
     LATERAL (SELECT platt_calibration(y, s * scale + scale * 5, '{"tolerance": 0}'::jsonb) AS a, platt_calibration(y, s, '{"tolerance": 0}'::jsonb) AS m FROM scored) f, scored GROUP BY unit ORDER BY unit COLLATE "C";
DROP FUNCTION test.gradient;
DROP TABLE scored;
