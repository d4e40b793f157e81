-- regressions at large offsets: numbers that differ by little give the estimates that they give around 0
CREATE TABLE offset_rows AS
SELECT i, i % 7 AS part, 1 + i % 3 AS w, ((i * 7919) % 1009) / 64.0::float8 AS x1, ((i * 3571) % 2003) / 128.0::float8 AS x2,
       CASE WHEN i > 9 AND i % 5 > 0 THEN (i * 31 % 97)::float8 END AS z, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS t, (i * i % 13)::float8 AS e
FROM generate_series(1, 1000) AS i;
-- slopes and R squared of a statement in x1, x2, z, y, at an offset and at 0
CREATE FUNCTION pg_temp.slopes(expression text, shift float8, source text DEFAULT 'shifted') RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    result float8[];
BEGIN
    EXECUTE format($f$WITH shifted AS (SELECT i, part, w, t, x1 + %1$L::float8 AS x1, x2 - 3 * %1$L::float8 AS x2, z + %1$L::float8 AS z,
                                              2 * x1 - x2 + coalesce(z, 40) / 8 + e + %1$L::float8 AS y FROM offset_rows ORDER BY i)
                      SELECT array_agg(estimate ORDER BY term) || max((pgfit.info(m) -> 'statistics' ->> 'rss')::float8)
                      FROM (SELECT %2$s AS m FROM %3$s) f, pgfit.coefficients(m) WHERE term <> '(intercept)'$f$, shift, expression, source) INTO result;
    RETURN result;
END
$$;
CREATE TEMP TABLE way(name text, expression text, source text);
INSERT INTO way VALUES
    ('few rows', 'pgfit.linear_regression(y, ARRAY[x1, x2])', '(SELECT * FROM shifted WHERE i * i % 1009 < 14) s'),
    ('plain', 'pgfit.linear_regression(y, ARRAY[x1, x2])', 'shifted'),
    ('weights', 'pgfit.linear_regression(y, ARRAY[x1, x2], ''{}''::jsonb, w)', 'shifted'),
    ('categories', 'pgfit.linear_regression(y, ROW(x1, t, x2))', 'shifted'),
    ('wide', 'pgfit.linear_regression(y, ARRAY[x1, x2, i % 2, i % 3, i % 5, i % 11, i % 13, i % 17, i % 19, i % 23, i % 29, i % 31, i % 37, i % 41, i % 43, i % 47, i % 53, i % 59, i % 61, i % 67, i % 71])', 'shifted'),
    ('imputed', 'pgfit.linear_regression(y, ROW(x1, z, x2), ''{"nulls": "impute"}''::jsonb)', 'shifted'),
    ('merged', 'pgfit.fit(''linear_regression'', pgfit.merge(m))', '(SELECT pgfit.moments(y, ARRAY[x1, x2]) AS m FROM shifted GROUP BY part) s'),
    ('merged, few rows each', 'pgfit.fit(''linear_regression'', pgfit.merge(m))', '(SELECT pgfit.moments(y, ARRAY[x1, x2]) AS m FROM shifted GROUP BY i / 5) s'),
    ('merged, imputed', 'pgfit.fit(''linear_regression'', pgfit.merge(m))',
     '(SELECT pgfit.moments(y, ROW(x1, z, x2, t), ''{"nulls": "impute"}''::jsonb) AS m FROM shifted GROUP BY CASE WHEN z IS NULL THEN part / 3 ELSE part END) s'),
    ('merged as text', 'pgfit.fit(''linear_regression'', pgfit.merge(m::text::pgfit.model))', '(SELECT pgfit.moments(y, ROW(x1, t, x2)) AS m FROM shifted GROUP BY part) s'),
    ('folds, merged', 'pgfit.fit(''ridge_regression'', pgfit.merge(m), ''{"lambda": [1]}''::jsonb)', '(SELECT pgfit.moments(y, ROW(x1, x2, part AS p)) AS m FROM shifted GROUP BY i / 50) s'),
    ('window', '(SELECT pgfit.linear_regression(y, ARRAY[x1, x2]) OVER (ORDER BY i ROWS 400 PRECEDING) AS m FROM shifted ORDER BY i DESC LIMIT 1)', '(SELECT) s'),
    ('lasso', 'pgfit.lasso_regression(y, ARRAY[x1, x2], ''{"lambda": 3, "tolerance": 1e-12}''::jsonb)', 'shifted');
UPDATE way SET expression = 'pgfit.fit(''ridge_regression'', pgfit.merge(m), ''{"lambda": [1]}''::jsonb)',
    source = '(SELECT pgfit.moments(y, f, ''{"fold_column": "part"}''::jsonb) AS m FROM shifted s, LATERAL (SELECT s.x1, s.x2, s.part) AS f GROUP BY i / 50) s'
WHERE name = 'folds, merged';
SET client_min_messages = error; -- the first frames have few rows
SELECT name, bool_and(cardinality(near) = cardinality(far)) AS terms, max((SELECT max(abs(a - b) / abs(a)) FROM unnest(near, far) AS u(a, b))) < 1e-12 AS exact
FROM way, unnest('{1073741824,-34359738368}'::float8[]) AS shift, pg_temp.slopes(expression, 0, source) AS near, pg_temp.slopes(expression, shift, source) AS far
GROUP BY name ORDER BY name;
RESET client_min_messages;
-- many groups of one statement; the errors of held-out rows; intercepts and imputed means are at the offset
SELECT count(*) AS groups, bool_and(test.near_all(a, b, 1e-12)) AS exact
FROM (SELECT part, (test.estimates(pgfit.linear_regression(e + 2 * x1 - x2, ARRAY[x1, x2])))[2:] AS a,
             (test.estimates(pgfit.linear_regression(e + 2 * x1 - x2 + 1073741824, ARRAY[x1 - 1073741824, x2 + 1073741824])))[2:] AS b
      FROM offset_rows GROUP BY part) g;
SELECT bool_and(test.near_all(a.fold_errors, b.fold_errors, 1e-9)) AS fold_errors
FROM (SELECT pgfit.ridge_regression(e + s.x1, n, '{"lambda": [100, 1], "fold_column": "part"}'::jsonb) AS near,
             pgfit.ridge_regression(e + s.x1 + 1073741824, f, '{"lambda": [100, 1], "fold_column": "part"}'::jsonb) AS far
      FROM offset_rows s, LATERAL (SELECT s.x1, s.z IS NULL AS x2, s.part) AS n, LATERAL (SELECT s.x1 + 1073741824 AS x1, s.z IS NULL AS x2, s.part) AS f) m,
     pgfit.lambda_path(near) AS a JOIN LATERAL pgfit.lambda_path(far) AS b ON a.lambda = b.lambda;
SELECT test.near(pgfit.predict(m, ROW(NULL::float8)), avg, 1e-15) AS imputed, test.near(pgfit.predict(m, ROW(mean)), avg, 1e-15) AS mean
FROM (SELECT pgfit.linear_regression(e + 1e9, ROW(z + 1e9), '{"nulls": "impute"}'::jsonb) AS m, avg(e + 1e9) AS avg, avg(z + 1e9) AS mean FROM offset_rows WHERE z IS NOT NULL) f;

-- a parallel plan
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT test.near_all((test.estimates(near))[2:], (test.estimates(far))[2:], 1e-12) AS parallel
FROM (SELECT pgfit.linear_regression(e + 2 * x1, ARRAY[x1, x2]) AS near,
             pgfit.linear_regression(e + 2 * x1 + 1073741824, ARRAY[x1 + 1073741824, x2 + 1073741824]) AS far FROM offset_rows) f;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
DROP TABLE offset_rows;
