-- Principal components by a triangular factor: the same as by cross-products, and the small ones right.
SET search_path = public, test, pgfit;
CREATE TABLE points AS
SELECT i, i % 13 AS day, i % 4 AS g, u, v, u + v * 2.0 ^ -33 AS nearly, w,
       CASE i % 3 WHEN 0 THEN 'low' WHEN 1 THEN 'mid' ELSE 'top' END AS level, 1 + i % 3 AS weight
FROM (SELECT i, (i * 7919::bigint % 1009)::float8 AS u, (i * 104729::bigint % 397)::float8 AS v,
             (i * 65537::bigint % 991) / 900.0::float8 AS w FROM generate_series(1, 2000) AS i) q;
CREATE FUNCTION test.factor(options jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT options || '{"algorithm": "factor"}'
$$;
-- the first k components and their variances are the same, and so is what goes with them
CREATE FUNCTION test.same_components(m pgfit.model, n pgfit.model, tolerance float8 DEFAULT 1e-9) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT test.near_all(pgfit.parameter(m, 'variances'), pgfit.parameter(n, 'variances'), tolerance)
       AND test.near_all(pgfit.parameter(m, 'means'), pgfit.parameter(n, 'means'), tolerance)
       AND (SELECT bool_and(abs(x - y) <= tolerance) FROM unnest(pgfit.parameter(m, 'components'), pgfit.parameter(n, 'components')) AS u(x, y))
       AND pgfit.info(m) -> 'statistics' -> 'rank' = pgfit.info(n) -> 'statistics' -> 'rank'
$$;

-- where cross-products lose nothing both ways agree, with every option
SELECT o.options, same_components(pca(f, o.options), pca(f, factor(o.options))) AS features,
       same_components(pca(f, o.options, weight), pca(f, factor(o.options), weight)) AS weighted
FROM points, LATERAL (SELECT u, v, w) AS f,
     (VALUES ('{}'::jsonb), ('{"k": 2}'), ('{"explained": 0.9}'), ('{"standardize": true}'), ('{"standardize": true, "whiten": true}'),
             ('{"ddof": 1, "whiten": true}'), ('{"weight_kind": "frequency", "ddof": 1}')) AS o(options)
GROUP BY o.options ORDER BY o.options;
SELECT same_components(pca(f, 3), pca(f, 3, factor())) AS categories, bool_and(info(a) -> 'features' = info(b) -> 'features')
FROM (SELECT pca(f, 3) AS a, pca(f, 3, factor()) AS b FROM points, LATERAL (SELECT u, level, v) AS f) q,
     points, LATERAL (SELECT u, level, v) AS f;
SELECT same_components(pca(f, 2, '{"nulls": "impute"}'), pca(f, 2, factor('{"nulls": "impute"}'))) AS imputed
FROM points, LATERAL (SELECT CASE WHEN i % 5 > 0 THEN u END AS u, v) AS f;
SELECT near_all(transform(m, (NULL::float8, 7)), transform(m, ((parameter(m, 'means'))[1], 7)))
FROM (SELECT pca((CASE WHEN i % 5 > 0 THEN u END, v), 2, factor('{"nulls": "impute"}')) AS m FROM points) q;
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped
FROM (SELECT pca((nullif(u, 0), v), 2, factor()) AS m FROM points) q;

-- groups, windows, parallel workers
SELECT g, same_components(pca(f, 2), pca(f, 2, factor())) FROM points, LATERAL (SELECT u, v, w) AS f GROUP BY g ORDER BY g;
SET client_min_messages = error;
SELECT bool_and(same_components(w.m, r.m)) FROM
    (SELECT i, pca((u, v), 2, factor()) OVER (ORDER BY i ROWS 30 PRECEDING) AS m FROM points WHERE i <= 100) w,
    LATERAL (SELECT pca((u, v), 2) AS m FROM points p WHERE p.i BETWEEN w.i - 30 AND w.i) r WHERE w.i > 5;
SELECT i, pca((u, v), 1, factor()) OVER (ORDER BY i) IS NULL AS pca FROM points WHERE i <= 3;
RESET client_min_messages;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT same_components(m, n) FROM (SELECT pca((u, v, w), 3, factor()) AS m FROM points) q, (SELECT pca((u, v, w), 3 ORDER BY i) AS n FROM points) r;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

-- from moments of a regression: the target is left out, whatever it is; in folds too
SELECT same_components(fit('pca', merge(e), '{"k": 3}'), (SELECT pca((u, v, w), 3) FROM points)) AS parts, same_components(fit('pca', merge(t), '{"k": 3}'), (SELECT pca((u, v, w), 3) FROM points)) AS text,
       same_components(fit('pca', merge(folded), factor('{"k": 3}')), (SELECT pca((u, v, w), 3) FROM points)) AS folds
FROM (SELECT moments(u * 1e6 - day, (u, v, w)) AS e, moments(u - day, (u, v, w))::text::pgfit.model AS t,
             moments(u, (u, v, w), '{"folds": 3}') AS folded FROM points GROUP BY day) q;
SELECT same_components(fit('pca', merge(e), '{"k": 3}'), (SELECT pca((u, level, w), 3) FROM points)) AS categories FROM (SELECT moments(v, (u, level, w)) AS e FROM points GROUP BY day) q;
SELECT near_all(transform(m, f), transform(n, f), 1e-9)
FROM (SELECT fit('pca', merge(moments), '{"k": 2}') AS m FROM (SELECT moments(v, f) FROM points, LATERAL (SELECT u, w) AS f) q) a,
     (SELECT pca(f, 2) AS n FROM points, LATERAL (SELECT u, w) AS f) b, (SELECT u, w FROM points LIMIT 1) AS f;

-- u and u + v / 2^33: the second variance is the determinant of the covariances over the first, here in exact arithmetic.
-- Cross-products cannot tell it from rounding
CREATE TABLE exact AS
SELECT n, (n * sum(u * u) - sum(u) ^ 2) / n / n AS a, (n * sum(u * v) - sum(u) * sum(v)) / n / n AS b, (n * sum(v * v) - sum(v) ^ 2) / n / n AS c
FROM (SELECT i, u::numeric AS u, v::numeric AS v, count(*) OVER () AS n FROM points) q GROUP BY n;
SELECT near((parameter(m, 'variances'))[2], ((a * c - b * b) / 2::numeric ^ 66)::float8 / (parameter(m, 'variances'))[1], 1e-5) AS five_digits,
       (parameter(m, 'variances'))[2] / (parameter(m, 'variances'))[1] < 1e-20 AS small
FROM (SELECT pca((u, nearly), 2, factor()) AS m FROM points) q, exact;
SELECT cardinality(parameter(pca((u, nearly), 2), 'variances')) AS by_covariance FROM points;
SELECT near((parameter(fit('pca', merge(e), '{"k": 2}'), 'variances'))[2], (SELECT (parameter(pca((u, nearly), 2, factor()), 'variances'))[2] FROM points), 1e-5) AS merged
FROM (SELECT moments(i, (u, nearly)) AS e FROM points GROUP BY day) q;
-- features of very different size: each variance keeps its digits
SELECT near((parameter(m, 'variances'))[2] / 1e-24, (parameter(n, 'variances'))[1], 1e-9) AS small_feature,
       cardinality(parameter(m, 'variances')) AS count
FROM (SELECT pca((u, (v - 3 * u) * 1e-12), 2, factor()) AS m, pca((v - corr_slope * u, 0), 1, factor()) AS n
      FROM points, (SELECT regr_slope(v, u) AS corr_slope FROM points) s) q;
-- an offset of 1e9 costs the digits that the means lack, in the standard deviations, not in their squares
SELECT near((parameter(m, 'variances'))[2], (parameter(n, 'variances'))[2], 1e-4) AS three_digits,
       (parameter(m, 'variances'))[2] / (parameter(m, 'variances'))[1] < 1e-15 AS small
FROM (SELECT pca((x + 1e9, x + 1e9 + y / 2 ^ 8), 2, factor()) AS m, pca((x, x + y / 2 ^ 8), 2, factor()) AS n
      FROM (SELECT u * 4096 AS x, i % 2 AS y FROM points) p) q;
-- features that depend on others add no variance
SELECT cardinality(parameter(pca((u, v, u + v), 3, factor()), 'variances')) AS dependent, cardinality(parameter(pca((u, u), 2, factor()), 'variances')) AS equal FROM points;
SELECT cardinality(parameter(pca((u, 0.1), 2, factor()), 'variances')) AS with_constant FROM points;
SELECT cardinality(parameter(pca((u, v), 2, factor()), 'variances')) AS one_row FROM points WHERE i = 1;

-- refusals
SELECT try($$SELECT pgfit.pca((u, v), 1, '{"algorithm": "svd"}') FROM points$$);
SELECT try($$SELECT pgfit.pca((u, v), 3, '{"algorithm": "factor"}') FROM points$$);
SELECT pgfit.parameter(m, 'components')::numeric(8, 6)[] AS components, pgfit.info(m) -> 'statistics' -> 'rank' AS rank FROM (SELECT pgfit.pca((u, 0.1), '{"algorithm": "factor", "standardize": true}'::jsonb) AS m FROM points) AS fit;
SELECT try($$SELECT pgfit.fit('pca', pgfit.merge(e), '{"k": 1, "algorithm": "factor"}') FROM (SELECT pgfit.feature_moments((u, v)) AS e FROM points) q$$);
SELECT try($$SELECT pgfit.fit('pca', pgfit.merge(e), '{"k": 1, "algorithm": "covariance"}') FROM (SELECT pgfit.moments(w, (u, v)) AS e FROM points) q$$);
SELECT try($$SELECT pgfit.fit('pca', pgfit.merge(e), '{"k": 1}') FROM (SELECT pgfit.moments(w, (u, v)) AS e FROM points UNION ALL SELECT pgfit.feature_moments((u, v)) FROM points) q$$);
SELECT try($$SELECT pgfit.pca((u, v), 1, CASE WHEN i = 1 THEN '{}'::jsonb ELSE '{"algorithm": "factor"}' END) FROM points$$);
SELECT try($$SELECT pgfit.pca((1e308 * u, v), 1, '{"algorithm": "factor"}') FROM points$$);
SELECT try($$SELECT pgfit.pca((1e200 * u, v), 1, '{"algorithm": "factor"}') FROM points$$);
SET pgfit.fit_mem = '64kB';
SELECT try($$SELECT pgfit.pca(array_fill(u, ARRAY[80]), 1, '{"algorithm": "factor"}') FROM points$$);
RESET pgfit.fit_mem;
DROP TABLE points, exact;
DROP FUNCTION test.same_components(pgfit.model, pgfit.model, float8), test.factor(jsonb);
