-- Ridge regression that chooses lambda by leaving out each row, and moments that keep their rows.
SET search_path = public, test, pgfit;
CREATE TABLE points AS
SELECT i, i % 7 AS day, i % 3 AS g, u, v, w, 2 * u - v + 0.5 * w + (i * 31 % 17) / 3.0 AS y,
       CASE i % 3 WHEN 0 THEN 'low' WHEN 1 THEN 'mid' ELSE 'top' END AS level, 1 + i % 3 AS weight
FROM (SELECT i, (i * 7919::bigint % 1009) / 100.0::float8 AS u, (i * 104729::bigint % 397) / 50.0::float8 AS v,
             (i * 65537::bigint % 991) / 300.0::float8 AS w FROM generate_series(1, 60) AS i) q;
-- mean squared errors along the path
CREATE FUNCTION test.curve(m pgfit.model) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg(criterion ORDER BY lambda) FROM pgfit.lambda_path(m)
$$;
-- by fits that each miss a row
CREATE FUNCTION test.missing_each(extra jsonb, features text, weighted boolean DEFAULT false) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE result float8[];
BEGIN
    EXECUTE format($q$
        SELECT array_agg(error ORDER BY lambda) FROM (
            SELECT lambda, sum(o.weight * (o.y - pgfit.predict(m, o.f)) ^ 2) / sum(o.weight) AS error
            FROM (SELECT o.i, lambda, pgfit.ridge_regression(y, f, lambda, $1, weight) AS m
                  FROM (SELECT i FROM points) AS o, unnest('{0.1,10,1000}'::float8[]) AS lambda,
                       (SELECT i, y, CASE WHEN %1$s THEN weight ELSE 1 END AS weight, f FROM points, LATERAL (SELECT %2$s) AS f) AS r
                  WHERE r.i <> o.i GROUP BY o.i, lambda) AS fits
            JOIN (SELECT i, y, CASE WHEN %1$s THEN weight ELSE 1 END AS weight, f FROM points, LATERAL (SELECT %2$s) AS f) AS o USING (i)
            GROUP BY lambda) AS errors $q$, CASE WHEN weighted THEN 'true' ELSE 'false' END, features) INTO result USING extra;
    RETURN result;
END
$$;
CREATE FUNCTION test.loo(extra jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT '{"lambda": [0.1, 10, 1000], "select": "loo"}' || extra
$$;
SELECT o.extra, near_all(curve(ridge_regression(y, f, loo(extra))), missing_each(extra, 'u, v, w'), 1e-9) AS rows,
       near_all(curve(ridge_regression(y, f, loo(extra), weight)), missing_each(extra, 'u, v, w', true), 1e-9) AS weighted
FROM points, LATERAL (SELECT u, v, w) AS f,
     (VALUES ('{}'::jsonb), ('{"intercept": false}'), ('{"penalize_intercept": true}'), ('{"reduction": "mean"}')) AS o(extra)
GROUP BY o.extra ORDER BY o.extra;
SELECT near_all(curve(ridge_regression(y, f, loo())), missing_each('{}', 'u, level, w'), 1e-9) AS categories FROM points, LATERAL (SELECT u, level, w) AS f;
-- weights that are counts: one of the rows that it counts for is left out
SELECT near_all(curve(a.m), curve(b.m), 1e-9)
FROM (SELECT ridge_regression(y, f, loo('{"weight_kind": "frequency"}'), weight) AS m FROM points, LATERAL (SELECT u, v) AS f) a,
     (SELECT ridge_regression(y, f, loo()) AS m FROM points, generate_series(1, weight), LATERAL (SELECT u, v) AS f) b;
-- standard deviations and imputed means stay those of all rows
SELECT near_all(curve(a.m), curve(b.m), 1e-9)
FROM (SELECT ridge_regression(y, f, loo('{"standardize": true}')) AS m FROM points, LATERAL (SELECT u, v) AS f) a,
     (SELECT ridge_regression(y, f, loo()) AS m FROM (SELECT y, u / stddev_pop(u) OVER () AS u, v / stddev_pop(v) OVER () AS v FROM points) p, LATERAL (SELECT u, v) AS f) b;
SELECT near_all(curve(a.m), curve(b.m), 1e-9)
FROM (SELECT ridge_regression(y, f, loo('{"nulls": "impute"}')) AS m FROM points, LATERAL (SELECT CASE WHEN g > 0 THEN u END AS u, v) AS f) a,
     (SELECT ridge_regression(y, f, loo()) AS m
      FROM (SELECT y, CASE WHEN g > 0 THEN u ELSE avg(u) FILTER (WHERE g > 0) OVER () END AS u, v FROM points) p, LATERAL (SELECT u, v) AS f) b;

-- the whole path; the least error is chosen, and the model is the one of that lambda
CREATE TABLE chosen AS SELECT ridge_regression(y, f, '{"lambda": "loo"}'::jsonb) AS m FROM points, LATERAL (SELECT u, v, w) AS f;
SELECT count(*), count(*) FILTER (WHERE chosen) AS chosen, bool_and(criterion >= least) AS least, bool_and((criterion = least) = chosen) AS the_one
FROM (SELECT *, min(criterion) OVER () AS least FROM chosen, lambda_path(m)) q;
SELECT near_all(estimates(c.m), estimates(r.m), 1e-9)
FROM chosen c, LATERAL (SELECT ridge_regression(y, f, (info(c.m) -> 'statistics' ->> 'lambda')::float8) AS m FROM points, LATERAL (SELECT u, v, w) AS f) r;
SELECT regexp_replace(summary(m), '[0-9]+\.[0-9]+', 'N', 'g') FROM (SELECT ridge_regression(y, f, loo()) AS m FROM points, LATERAL (SELECT u, v) AS f) q;
SELECT info(m) -> 'implementation' -> 'arrays' ? 'kept_rows' AS keeps FROM chosen;
SELECT m::text::pgfit.model OPERATOR(pgfit.=) m FROM chosen;
SELECT near_all(estimates(at_lambda(m, 10)), estimates(r), 1e-9)
FROM (SELECT ridge_regression(y, f, loo()) AS m, ridge_regression(y, f, 10) AS r FROM points, LATERAL (SELECT u, v) AS f) q;

-- moments that keep their rows: merged, through text, also with folds, and for other fits
CREATE TABLE days AS SELECT day, moments(y, f, '{"keep_rows": true}') AS e FROM points, LATERAL (SELECT u, level, w) AS f GROUP BY day;
CREATE TABLE whole AS SELECT ridge_regression(y, f, loo()) AS m FROM points, LATERAL (SELECT u, level, w) AS f;
SELECT near_all(curve(fit('ridge_regression', merge(e), loo())), curve(m)) AS merged, near_all(curve(fit('ridge_regression', merge(e::text::pgfit.model), loo())), curve(m)) AS text,
       near_all(curve(fit('ridge_regression', merge(e::jsonb::pgfit.model), loo())), curve(m)) AS jsonb
FROM days, whole GROUP BY m;
SELECT near_all(curve(fit('ridge_regression', merge(merge(a.e, b.e)), loo())), curve(r.m))
FROM days a, days b, (SELECT ridge_regression(y, f, loo()) AS m FROM points, LATERAL (SELECT u, level, w) AS f WHERE day IN (2, 5)) r
WHERE a.day = 2 AND b.day = 5 GROUP BY r.m;
SELECT near_all(curve(fit('ridge_regression', merge(moments), loo())), max(curve(m))) AS summary_of_summaries FROM (SELECT merge(e) AS moments FROM days) q, whole GROUP BY moments;
SELECT near_all(estimates(a.m), estimates(b.m), 1e-9) AS linear, near_all(parameter(a.p, 'variances'), parameter(b.p, 'variances'), 1e-9) AS pca
FROM (SELECT fit('linear_regression', merge(e)) AS m, fit('pca', merge(e), '{"k": 2}') AS p FROM days) a,
     (SELECT linear_regression(y, f) AS m, pca(f, 2) AS p FROM points, LATERAL (SELECT u, level, w) AS f) b;
SELECT near_all(curve(q.m), curve(whole.m)) AS folds_too
FROM (SELECT fit('ridge_regression', merge(e), loo()) AS m FROM (SELECT moments(y, f, '{"keep_rows": true, "folds": 3}') AS e FROM points, LATERAL (SELECT u, level, w) AS f) p) q, whole;
SELECT bool_and(mean_error > 0 AND criterion > 0) AS both
FROM (SELECT ridge_regression(y, f, '{"lambda": "loo", "folds": 3, "path": 4}'::jsonb) AS m FROM points, LATERAL (SELECT u, v) AS f) q, lambda_path(m);
SELECT info(e) -> 'implementation' -> 'arrays' -> 'kept_rows' AS kept, info(e) -> 'rows' AS rows FROM (SELECT merge(e) AS e FROM days) q;
SELECT model_check_text FROM (SELECT try(format('SELECT %L::pgfit.model IS NOT NULL', e)) AS model_check_text FROM days WHERE day = 1) q;
-- damaged: a wrong number of rows, and NaN
SELECT try(format('SELECT %L::pgfit.model', replace(e::text, '"rows":9', '"rows":8'))) FROM days WHERE day = 1;
SELECT try(format('SELECT %L::pgfit.model', jsonb_set(e::jsonb, '{rows}', '59'))) FROM (SELECT merge(e) AS e FROM days) q;
SELECT try(format('SELECT %L::pgfit.model', jsonb_set(e::jsonb, '{arrays,kept_rows}', '{"f64": [1, 2, 3, 4], "shape": [1, 4]}'))) FROM (SELECT merge(e) AS e FROM days) q;
SELECT try(format('SELECT %L::pgfit.model', jsonb_set(e::jsonb, '{arrays,kept_rows}', '{"f64": [1, 2, 3], "shape": [1, 3]}'))) FROM (SELECT merge(e) AS e FROM days) q;

-- groups, windows, parallel workers
SELECT g, near_all(curve(ridge_regression(y, f, loo())), curve(r.m)) FROM points, LATERAL (SELECT u, v) AS f,
    LATERAL (SELECT ridge_regression(p.y, q, loo() ORDER BY p.i DESC) AS m FROM points p, LATERAL (SELECT p.u, p.v) AS q WHERE p.g = points.g) r GROUP BY g, r.m ORDER BY g;
SELECT bool_and(near_all(curve(w.m), curve(r.m), 1e-9)), count(*) FILTER (WHERE w.m IS NULL) AS nulls
FROM (SELECT i, ridge_regression(y, (u, v), loo()) OVER (ORDER BY i ROWS 9 PRECEDING) AS m FROM points) w,
     LATERAL (SELECT ridge_regression(y, (u, v), loo()) AS m FROM points p WHERE w.i > 1 AND p.i BETWEEN w.i - 9 AND w.i) r;
CREATE TABLE many AS SELECT p.y + s % 5 AS y, u + s % 3 AS u, v FROM points p, generate_series(1, 300) AS s;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT near_all(curve(a.m), curve(b.m), 1e-10) FROM (SELECT ridge_regression(y, (u, v), '{"lambda": "loo", "path": 5}'::jsonb) AS m FROM many) a,
    (SELECT ridge_regression(y, (u, v), '{"lambda": "loo", "path": 5}'::jsonb ORDER BY y) AS m FROM many) b;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

-- the only row with a level determines its coefficient: no error at lambda 0, which is not chosen
SELECT lambda, chosen, criterion > 1e300 AS none
FROM (SELECT ridge_regression(y, f, '{"lambda": [0, 0.01], "select": "loo"}'::jsonb) AS m
      FROM points, LATERAL (SELECT u, CASE WHEN i = 5 THEN 'only' ELSE level END AS level) AS f) q, lambda_path(m);

-- refusals
SELECT try($$SELECT pgfit.fit('ridge_regression', pgfit.merge(e), '{"lambda": "loo"}'::jsonb) FROM (SELECT pgfit.moments(y, u) AS e FROM points) q$$);
SELECT try($$SELECT pgfit.ridge_regression(y, u, '{"lambda": "loo"}'::jsonb) FROM points WHERE i = 1$$);
SELECT try($$SELECT pgfit.ridge_regression(y, u, '{"lambda": "loo", "select": "aic"}'::jsonb) FROM points$$);
SELECT try($$SELECT pgfit.ridge_regression(y, u, 1, '{"select": "loo"}') FROM points$$);
SELECT try($$SELECT pgfit.lasso_regression(y, u, '{"lambda": "loo"}'::jsonb) FROM points$$);
SELECT try($$SELECT pgfit.ridge_regression(y, u, 1, '{"keep_rows": true}') FROM points$$);
SELECT try($$SELECT pgfit.class_moments(level, u, '{"keep_rows": true}') FROM points$$);
SELECT try($$SELECT pgfit.moments(e, '{"keep_rows": true}') FROM days$$);
SELECT try($$SELECT pgfit.merge(e, (SELECT pgfit.moments(y, f) FROM points, LATERAL (SELECT u, level, w) AS f)) FROM days WHERE day = 1$$);
SET pgfit.fit_mem = '64kB';
SELECT try($$SELECT pgfit.ridge_regression(y, (u, v), '{"lambda": "loo"}'::jsonb) FROM many$$);
RESET pgfit.fit_mem;
DROP TABLE points, chosen, days, whole, many;
DROP FUNCTION test.curve(pgfit.model), test.loo(jsonb), test.missing_each(jsonb, text, boolean);
