-- Fits are aggregates: what composes with them, options, weights, NULLs, moments.
SET search_path = public, test, pgfit;
CREATE TABLE points AS
SELECT i, i % 4 AS g, i % 7 AS part, (i * 7919 % 1009) / 1009.0::float8 AS a, (i * 104729 % 997) / 997.0::float8 AS b,
       (i * 31 % 113) / 113.0::float8 AS c, (ARRAY['low', 'mid', 'high'])[1 + i % 3] AS level, i % 3 AS w
FROM generate_series(1, 600) AS i;
ALTER TABLE points ADD y float8;
UPDATE points SET y = 3 + 2 * a - b + 0.5 * c + (level = 'mid')::int + ((i * 65537 % 211) / 211.0 - 0.5) / 10;

-- the simplest fit is PostgreSQL's own
SELECT near_all(estimates(linear_regression(y, a)), ARRAY[regr_intercept(y, a), regr_slope(y, a)], 1e-12) FROM points;
SELECT near_all(estimates(linear_regression(y, ARRAY[a])), ARRAY[regr_intercept(y, a), regr_slope(y, a)], 1e-12) FROM points;

-- a group's model is the model of the group's rows
SELECT count(*), bool_and(same_fit(m, (SELECT linear_regression(y, (a, b, level)) FROM points q WHERE q.g = p.g)))
FROM (SELECT g, linear_regression(y, (a, b, level)) AS m FROM points GROUP BY g) p;
SELECT count(*), bool_and(same_fit(m, (SELECT linear_regression(y, (a, b)) FROM points q
    WHERE (p.g IS NULL OR q.g = p.g) AND (p.w IS NULL OR q.w = p.w))))
FROM (SELECT g, w, linear_regression(y, (a, b)) AS m FROM points GROUP BY GROUPING SETS ((g), (w), ())) p;
SELECT count(*) FROM (SELECT g, w, linear_regression(y, (a, b)) AS m FROM points GROUP BY ROLLUP (g, w)) p WHERE m IS NOT NULL;
SELECT same_fit(linear_regression(y, (a, b)) FILTER (WHERE g = 1), (SELECT linear_regression(y, (a, b)) FROM points WHERE g = 1)) FROM points;
SELECT same_fit(linear_regression(DISTINCT y, ARRAY[a, b]), (SELECT linear_regression(y, ARRAY[a, b]) FROM points))
FROM (SELECT * FROM points UNION ALL SELECT * FROM points) twice;
SELECT same_fit(linear_regression(y, (a, b) ORDER BY i DESC), linear_regression(y, (a, b) ORDER BY i), 1e-11) FROM points;
SELECT g, info(linear_regression(y, (a, b))) -> 'rows' AS rows FROM points GROUP BY g HAVING linear_regression(y, (a, b)) IS NOT NULL ORDER BY g;
-- hashed and sorted groups alike
SET enable_sort = off;
CREATE TABLE hashed AS SELECT part, linear_regression(y, (a, b, level)) AS m FROM points GROUP BY part;
RESET enable_sort;
SET enable_hashagg = off;
CREATE TABLE sorted AS SELECT part, linear_regression(y, (a, b, level)) AS m FROM points GROUP BY part;
RESET enable_hashagg;
SELECT count(*), bool_and(same_fit(h.m, s.m)) FROM hashed h JOIN sorted s USING (part);
-- levels that come late, one group after the other and interleaved
SELECT same_fit(linear_regression(y, (a, level) ORDER BY level), linear_regression(y, (a, level) ORDER BY level DESC), 1e-10) FROM points;

-- CTE, view, materialized view, CTAS, INSERT ... SELECT, subquery
WITH m AS MATERIALIZED (SELECT linear_regression(y, (a, b)) AS m FROM points)
SELECT cardinality(estimates(m)) FROM m;
CREATE VIEW fits AS SELECT g, linear_regression(y, (a, b)) AS m FROM points GROUP BY g;
CREATE MATERIALIZED VIEW stored_fits AS SELECT * FROM fits;
CREATE TABLE kept_fits AS SELECT * FROM fits WHERE g < 2;
INSERT INTO kept_fits SELECT * FROM fits WHERE g >= 2;
SELECT count(*), bool_and(same_fit(f.m, s.m)), bool_and(same_fit(f.m, k.m))
FROM fits f JOIN stored_fits s USING (g) JOIN kept_fits k USING (g);
SELECT count(*) FROM points p, LATERAL (SELECT linear_regression(q.y, (q.a)) AS m FROM points q WHERE q.part = p.part) f
WHERE p.i <= 7 AND f.m IS NOT NULL;
PREPARE fit(float8) AS SELECT ridge_regression(y, (a, b), $1) FROM points;
CREATE TABLE prepared AS EXECUTE fit(0.5);
SELECT same_fit(p.ridge_regression, (SELECT ridge_regression(y, (a, b), 0.5) FROM points)) FROM prepared p;

-- no rows
SELECT linear_regression(y, a) IS NULL, moments(y, a) IS NULL, ridge_regression(y, a, 1) IS NULL FROM points WHERE false;
SELECT count(*) FROM (SELECT g, linear_regression(y, a) FROM points WHERE false GROUP BY g) none;
SELECT linear_regression(NULL::float8, a) IS NULL, class_moments(NULL::text, a) IS NULL, feature_moments(NULL::float8[]) IS NULL FROM points;

-- options: the same in all rows of a group
SELECT try($$SELECT linear_regression(y, (a, b), jsonb_build_object('intercept', i > 1)) FROM points$$);
SELECT try($$SELECT ridge_regression(y, (a, b), i::float8) FROM points$$);
SELECT try($$SELECT ridge_regression(y, (a, b), CASE WHEN i < 9 THEN 1.0 END) FROM points$$);
SELECT count(*) FROM (SELECT g, ridge_regression(y, (a, b), g) AS m FROM points GROUP BY g) f WHERE m IS NOT NULL;
SELECT same_fit(linear_regression(y, (a, b), (CASE WHEN i % 2 = 0 THEN '{"level": 0.9, "intercept": true}' ELSE '{"intercept":true,"level":0.90}' END)::jsonb),
                linear_regression(y, (a, b), '{"level": 0.9, "intercept": true}')) FROM points;
SELECT same_fit(linear_regression(y, (a, b), NULL::jsonb), linear_regression(y, (a, b))), same_fit(linear_regression(y, (a, b), '{}'), linear_regression(y, (a, b))) FROM points;
SELECT same_fit(ridge_regression(y, (a, b), 0.5), ridge_regression(y, (a, b), '{"lambda": 0.5}'::jsonb)) FROM points;
SELECT try($$SELECT ridge_regression(y, (a, b), 0.5, '{"lambda": 0.5}') FROM points$$);
SELECT try($$SELECT ridge_regression(y, (a, b), 'NaN'::float8) FROM points$$);
SELECT try($$SELECT ridge_regression(y, (a, b), -1) FROM points$$);
SELECT try($$SELECT linear_regression(y, (a, b), '{"intercpt": true}') FROM points$$);
SELECT try($$SELECT linear_regression(y, (a, b), '[1]') FROM points$$);
SELECT try($$SELECT moments(y, (a, b), '{"lambda": 1}') FROM points$$);

-- weights: copies of a row, rows that do not count, refusals
SELECT near_all(estimates(linear_regression(y, (a, b), NULL, w)),
                (SELECT estimates(linear_regression(y, (a, b))) FROM points, generate_series(1, w)), 1e-11) FROM points;
SELECT info(linear_regression(y, (a, b), NULL, w)) -> 'rows' AS rows, info(linear_regression(y, (a, b), NULL, w)) -> 'skipped' AS skipped FROM points;
SELECT near_all(estimates(linear_regression(y, (a, b), NULL, 3)), estimates(linear_regression(y, (a, b))), 1e-11) FROM points;
SELECT info(linear_regression(y, a, NULL, CASE WHEN i > 10 THEN 1 END)) -> 'skipped' AS skipped FROM points;
SELECT try($$SELECT linear_regression(y, a, NULL, -1) FROM points$$);
SELECT try($$SELECT linear_regression(y, a, NULL, 'NaN') FROM points$$);
SELECT try($$SELECT linear_regression(y, a, NULL, 'Infinity') FROM points$$);
SELECT linear_regression(y, a, NULL, 0) IS NULL FROM points;

-- NULLs: skipped and counted, also before the first usable row; refused; imputed
SELECT info(linear_regression(y, ARRAY[a, b] ORDER BY i)) -> 'skipped' AS skipped,
       info(linear_regression(y, ARRAY[a, b] ORDER BY i)) -> 'rows' AS rows
FROM (SELECT i, CASE WHEN i > 3 THEN y END AS y, CASE WHEN i NOT IN (5, 6) THEN a END AS a, b FROM points WHERE i <= 100) p;
SELECT info(linear_regression(y, CASE WHEN i > 9 THEN ARRAY[a, b] END ORDER BY i)) -> 'skipped' AS skipped FROM points;
SELECT try($$SELECT linear_regression(CASE WHEN i <> 5 THEN y END, a, '{"nulls": "error"}') FROM points$$);
SELECT try($$SELECT linear_regression(y, (a, nullif(b, b)), '{"nulls": "error"}') FROM points$$);
SELECT try($$SELECT linear_regression(y, nullif(a, a), '{"nulls": "error"}') FROM points$$);
SELECT try($$SELECT linear_regression(y, a, '{"nulls": "error"}', NULL) FROM points$$);
SELECT info(linear_regression(y, (CASE WHEN i % 5 > 0 THEN a END, b), '{"nulls": "impute"}')) -> 'rows' AS rows FROM points;
SELECT near_all(estimates(linear_regression(y, (CASE WHEN i % 5 > 0 THEN a END, b), '{"nulls": "impute"}')),
                (SELECT estimates(linear_regression(y, (coalesce(CASE WHEN i % 5 > 0 THEN a END, mean), b)))
                 FROM points, (SELECT avg(a) AS mean FROM points WHERE i % 5 > 0) m), 1e-11) FROM points;

-- moments: seven stored parts merge to the fit of all rows
CREATE TABLE parts AS SELECT part, moments(y, (a, b, level)) AS e FROM points GROUP BY part;
SELECT same_fit(fit('linear_regression', merge(e)), (SELECT linear_regression(y, (a, b, level)) FROM points), 1e-11) FROM parts;
SELECT same_fit(fit('ridge_regression', merge(e), '{"lambda": 0.1}'), (SELECT ridge_regression(y, (a, b, level), 0.1) FROM points), 1e-11) FROM parts;
SELECT same_fit(fit('ridge_regression', merge(e), '{"lambda": 0.1, "standardize": true}'), (SELECT ridge_regression(y, (a, b, level), 0.1, '{"standardize": true}') FROM points), 1e-11) FROM parts;
SELECT same_fit(fit('linear_regression', merge(e), '{"intercept": false}'), (SELECT linear_regression(y, (a, b, level), '{"intercept": false}') FROM points), 1e-11) FROM parts;
SELECT same_fit((SELECT fit('linear_regression', merge(m)) FROM (SELECT merge(e) AS m FROM parts) x), fit('linear_regression', merge(e)), 1e-11) FROM parts;
SELECT same_fit((SELECT fit('linear_regression', merge(a.e, b.e)) FROM parts a, parts b WHERE a.part = 0 AND b.part = 1),
                (SELECT linear_regression(y, (a, b, level)) FROM points WHERE part < 2), 1e-11);
-- through text, through binary-coercible copies, merged the other way round
SELECT bool_and(e = e::text::model) FROM parts;
SELECT bool_and(merge(a.e, b.e) = merge(a.e::text::model, b.e::text::model)) FROM parts a, parts b;
SELECT fit('linear_regression', merge(e ORDER BY part)) = fit('linear_regression', merge(e::text::model ORDER BY part)) FROM parts;
SELECT same_fit(fit('linear_regression', merge(e ORDER BY part)), fit('linear_regression', merge(e ORDER BY part DESC)), 1e-10) FROM parts;
SELECT merge(NULL, NULL) IS NULL, merge(e, NULL) = e, merge(NULL, e) = e FROM parts WHERE part = 0;
SELECT fit('linear_regression', merge(NULL::model)) IS NULL, fit('linear_regression', merge(e) FILTER (WHERE false)) IS NULL FROM parts;
SELECT info(moments(y, a)) -> 'skipped' AS skipped FROM (SELECT CASE WHEN i % 2 = 0 THEN y END AS y, a FROM points) p;

-- class moments and feature moments
SELECT info(class_moments(level, (a, b))) -> 'classes' AS classes, info(class_moments(w, (a, b))) -> 'classes' AS numbers, info(class_moments(a > 0.5, (a, b))) -> 'classes' AS booleans FROM points;
SELECT near_all(feature_facts(whole, 3), ARRAY[avg(a), avg(b), avg(c), avg(a ^ 2), avg(b ^ 2), avg(c ^ 2)]), near_all(feature_facts(merged, 3), feature_facts(whole, 3))
FROM points, (SELECT merge(e) AS merged FROM (SELECT feature_moments((a, b, c)) AS e FROM points GROUP BY part) p) m,
     (SELECT feature_moments((a, b, c)) AS whole FROM points) w GROUP BY whole, merged;
SELECT info(m) -> 'rows' AS rows, info(m) -> 'classes' AS classes
FROM (SELECT merge(e ORDER BY part DESC) AS m FROM (SELECT part, class_moments(level, (a, b, c)) AS e FROM points GROUP BY part) p) m;
SELECT try($$SELECT class_moments(i, a, '{"max_levels": 10}') FROM points$$);

-- the wrong kind, other features, other options
SELECT try($$SELECT fit('linear_regression', merge(e)) FROM (SELECT feature_moments((a, b)) AS e FROM points) p$$);
SELECT try($$SELECT fit('linear_regression', merge(m)) FROM (SELECT linear_regression(y, a) AS m FROM points) p$$);
SELECT try($$SELECT fit('linear_regression', e) FROM (SELECT class_moments(level, a) AS e FROM points) p$$);
SELECT try($$SELECT fit('linear_regression', linear_regression(y, a)) FROM points$$);
SELECT try($$SELECT merge(m, m) FROM (SELECT linear_regression(y, a) AS m FROM points) p$$);
SELECT try($$SELECT merge(a, b) FROM (SELECT moments(y, a) AS a, feature_moments(a) AS b FROM points) p$$);
SELECT try($$SELECT merge(m, n) FROM (SELECT moments(y, (a, b)) AS m, moments(y, (a, b, c)) AS n FROM points) p$$);
SELECT try($$SELECT merge(m, n) FROM (SELECT moments(y, (a, b)) AS m, moments(y, (a, level)) AS n FROM points) p$$);
SELECT try($$SELECT merge(m, n) FROM (SELECT moments(y, a) AS m, moments(y, a, '{"max_levels": 3}') AS n FROM points) p$$);
SELECT try($$SELECT merge(m, n) FROM (SELECT moments(y, a) AS m, moments(y, a, NULL, w) AS n FROM points) p$$);
SELECT try($$SELECT fit('linear_regression', merge(e), '{"nulls": "impute"}') FROM parts$$);
SELECT try($$SELECT fit('linear_regression', merge(e), '{"unseen": "error"}') FROM parts$$);
SELECT try($$SELECT merge(m) FROM (SELECT moments(y, a) AS m FROM points UNION ALL SELECT moments(y, a, '{"max_levels": 3}') FROM points) p$$);

-- features of another length in a later row, NaN, infinity: the feature is named
SELECT try($$SELECT linear_regression(y, CASE WHEN i < 100 THEN ARRAY[a, b] ELSE ARRAY[a] END ORDER BY i) FROM points$$);
SELECT try($$SELECT linear_regression(y, (a, CASE WHEN i = 77 THEN 'NaN' ELSE b END)) FROM points$$);
SELECT try($$SELECT linear_regression(CASE WHEN i = 77 THEN 'Infinity' ELSE y END, (a, b)) FROM points$$);

-- every form resolves, for every type of target and number
SELECT count(*) FROM points WHERE i < 0 HAVING
    linear_regression(i, a) IS NULL AND linear_regression(i::bigint, a) IS NULL AND linear_regression(y::numeric, a) IS NULL AND linear_regression(y::real, ARRAY[a]::real[]) IS NULL
    AND linear_regression(y, ARRAY[i]) IS NULL AND linear_regression(y, ARRAY[a::numeric]) IS NULL AND linear_regression(y, points) IS NULL
    AND linear_regression(y, (a, b), NULL) IS NULL AND linear_regression(y, (a, b), NULL::jsonb) IS NULL AND linear_regression(y, (a, b), '{}') IS NULL
    AND linear_regression(y, (a, b), '{}', i) IS NULL AND linear_regression(y, (a, b), '{}', 1.5) IS NULL AND linear_regression(y, (a, b), NULL, NULL) IS NULL
    AND ridge_regression(i, a, 1) IS NULL AND ridge_regression(i, a, 1::bigint) IS NULL AND ridge_regression(y, a, 0.1) IS NULL AND ridge_regression(y, a, 0.1::real) IS NULL
    AND ridge_regression(y, ARRAY[a]::real[], 1, '{}') IS NULL AND ridge_regression(y, a, 1, NULL, 2) IS NULL AND ridge_regression(y, a, NULL::jsonb) IS NULL
    AND ridge_regression(y, a, '{"lambda": 1}'::jsonb, 2) IS NULL AND ridge_regression(y, a, '{}', 2) IS NULL
    AND fit('ridge_regression', merge(NULL::model)) IS NULL AND fit('ridge_regression', merge(NULL::model), '{}') IS NULL AND fit('ridge_regression', NULL::model, NULL::jsonb) IS NULL
    AND moments(i, a) IS NULL AND moments(y, (a, b), '{}') IS NULL AND moments(y, (a, b), '{}', 1) IS NULL
    AND class_moments(level, a) IS NULL AND class_moments(level, (a, b), NULL) IS NULL AND class_moments(level, (a, b), NULL, 1) IS NULL
    AND feature_moments(a) IS NULL AND feature_moments((a, b), '{}'::jsonb) IS NULL AND feature_moments((a, b), '{}'::jsonb, 1) IS NULL;
-- an untyped literal is options, and the number has a default
SELECT same_fit(ridge_regression(y, a, '{}'), ridge_regression(y, a)), same_fit(ridge_regression(y, a), ridge_regression(y, a, 1)) FROM points;
DROP TABLE points CASCADE;
DROP TABLE hashed, sorted, kept_fits, prepared, parts;
-- options as a parameter are the same for all rows of an execution; those of the next may be at the same address
SELECT o, pgfit.info(m) -> 'options' -> 'lambda' AS lambda
FROM (VALUES ('{"lambda": 1}'::jsonb), ('{"lambda": 2}'), ('{"lambda": 3}')) AS v(o),
    LATERAL (SELECT pgfit.ridge_regression(y, x, o) AS m FROM (VALUES (1, 1), (2, 3), (3, 4)) AS t(y, x)) AS s;
-- weight_kind has no effect without weights: values that kept it could not be read back
SELECT pgfit.linear_regression(x, x * x, '{"weight_kind": "frequency"}')::text::pgfit.model IS NOT NULL AS fit,
       pgfit.moments(x, x * x, '{"weight_kind": "frequency"}')::text::pgfit.model IS NOT NULL AS moments
FROM generate_series(1, 5) AS x;
