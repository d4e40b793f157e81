-- Principal components and the multivariate normal: what a user sees.
SET search_path = public, test, pgfit;
CREATE TABLE points AS
SELECT i, i % 13 AS day, i % 4 AS g, 10 + u AS a, 5 + 0.8 * u + v AS b, 1000 + 0.3 * u - 0.5 * v + w AS c,
       CASE i % 3 WHEN 0 THEN 'low' WHEN 1 THEN 'mid' ELSE 'top' END AS level, 1 + i % 3 AS weight
FROM (SELECT i, (i * 7919::bigint % 1009) / 100.0::float8 AS u, (i * 104729::bigint % 997) / 300.0::float8 AS v,
             (i * 65537::bigint % 991) / 900.0::float8 AS w FROM generate_series(1, 2000) AS i) q;
-- rounded for the eye
CREATE FUNCTION test.rounded(numbers float8[], digits int DEFAULT 5) RETURNS numeric[] LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg(round(v::numeric, digits) ORDER BY o) FROM unnest(numbers) WITH ORDINALITY AS u(v, o)
$$;

-- ten points of a textbook
CREATE TABLE ten AS SELECT * FROM (VALUES (2.5, 2.4), (0.5, 0.7), (2.2, 2.9), (1.9, 2.2), (3.1, 3.0), (2.3, 2.7),
                                          (2.0, 1.6), (1.0, 1.1), (1.5, 1.6), (1.1, 0.9)) AS t(x, y);
CREATE TABLE ten_model AS SELECT pca(f, 2, '{"ddof": 1}') AS m FROM ten, LATERAL (SELECT x, y) AS f;
SELECT component, round(variance::numeric, 8) AS variance, round(share::numeric, 6) AS share,
       round(cumulative::numeric, 6) AS cumulative, term, round(loading::numeric, 8) AS loading
FROM ten_model, components(m);
SELECT rounded(transform(m, (2.5, 2.4)), 8), rounded(inverse_transform(m, transform(m, (2.5, 2.4))), 10),
       round(distance(m, (2.5, 2.4))::numeric, 10) AS distance FROM ten_model;
SELECT rounded(transform(m, (2.5, 2.4)), 8) AS score, rounded(inverse_transform(m, transform(m, (2.5, 2.4))), 6) AS nearest,
       round(distance(m, (2.5, 2.4))::numeric, 8) AS distance
FROM (SELECT pca((x, y), 1) AS m FROM ten) q;
SELECT summary(pca((x, y), 1)) FROM ten;
SELECT summary(pca(f, 3, '{"standardize": true}')) FROM points, LATERAL (SELECT a, b, c, level) AS f;
SELECT info(m) -> 'statistics' ? 'explained_ratio', info(m) ->> 'estimator' FROM ten_model;

-- components by number, by share, all; standardized and whitened
SELECT cardinality(transform(pca(f, 2), (1, 2, 3)::record)) FROM points, LATERAL (SELECT a, b, c) AS f;
SELECT cardinality(transform(m, (1, 2, 3))) FROM (SELECT pca((a, b, c), '{}'::jsonb) AS m FROM points) q;
SELECT cardinality(transform(m, (1, 2, 3))) FROM (SELECT pca((a, b, c), '{"explained": 0.9}'::jsonb) AS m FROM points) q;
SELECT cardinality(transform(m, (1, 2, 3))) FROM (SELECT pca((a, b, c), '{"explained": 1}'::jsonb) AS m FROM points) q;
WITH q AS (SELECT pca((a, b, c), '{"standardize": true, "whiten": true}'::jsonb) AS m FROM points),
     s AS (SELECT transform(m, (a, b, c)) AS s FROM q, points)
SELECT near(avg(s[1] ^ 2), 1, 1e-9), near(avg(s[2] ^ 2), 1, 1e-9), near(avg(s[3] ^ 2), 1, 1e-9),
       abs(avg(s[1] * s[2])) < 1e-9 AS uncorrelated FROM s;
-- correlations: those of the server
SELECT near((SELECT variance FROM components(m) LIMIT 1), 1 + r, 1e-9)
FROM (SELECT pca((a, b), 1, '{"standardize": true}') AS m, abs(corr(a, b)) AS r FROM points) q;
-- variances: those of the server; the mean squared distance is the variance that is left
SELECT near((info(m) -> 'statistics' ->> 'total_variance')::float8, v, 1e-9)
FROM (SELECT pca((a, b, c), 1) AS m, var_pop(a) + var_pop(b) + var_pop(c) AS v FROM points) q;
SELECT near(avg(distance(m, (a, b, c)) ^ 2), max((info(m) -> 'statistics' ->> 'residual_variance')::float8), 1e-8)
FROM (SELECT pca((a, b, c), 1) AS m FROM points) q, points;
-- turned and moved rows: the same variances
SELECT near_all(parameter(m, 'variances'), parameter(n, 'variances'), 1e-9)
FROM (SELECT pca((a, b), 2) AS m, pca((0.6 * a - 0.8 * b + 100, 0.8 * a + 0.6 * b - 7), 2) AS n FROM points) q;
-- by name, in any order; by position
SELECT near_all(transform(m, g), transform(m, ARRAY[1, 2, 1e9]), 1e-12)
FROM (SELECT pca(f, 3) AS m FROM points, LATERAL (SELECT a, b, c) AS f) q, LATERAL (SELECT 1e9 AS c, 2 AS b, 1 AS a) AS g;
-- categories have one term per level; NULLs are skipped or imputed
SELECT DISTINCT term COLLATE "C" AS term FROM (SELECT pca(f, 2) AS m FROM points, LATERAL (SELECT a, level) AS f) q, components(m) ORDER BY 1;
SELECT rounded(inverse_transform(m, transform(m, f)), 6) FROM (SELECT pca(f, '{}'::jsonb) AS m FROM points, LATERAL (SELECT a, level) AS f) q,
       LATERAL (SELECT 12.5 AS a, 'mid' AS level) AS f;
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped, transform(m, (NULL::float8, 2)) IS NULL AS score
FROM (SELECT pca((nullif(a, 10), b), 2) AS m FROM points) q;
WITH q AS (SELECT pca((CASE WHEN i % 5 > 0 THEN a END, b), 2, '{"nulls": "impute"}') AS m FROM points),
     r AS (SELECT pca((coalesce(x, mean), b), 2) AS m
           FROM (SELECT CASE WHEN i % 5 > 0 THEN a END AS x, avg(a) FILTER (WHERE i % 5 > 0) OVER () AS mean, b FROM points) p)
SELECT near_all(parameter(q.m, 'components'), parameter(r.m, 'components'), 1e-9),
       near_all(parameter(q.m, 'variances'), parameter(r.m, 'variances'), 1e-9),
       near_all(transform(q.m, (NULL::float8, 7)), transform(r.m, ((parameter(r.m, 'means'))[1], 7)), 1e-9) FROM q, r;
-- far from zero too: 2^30 is added without rounding, whatever the order of the rows and of the parts
CREATE TABLE far AS SELECT i, level, CASE WHEN i % 5 > 0 THEN round(a * 64) / 64 + o END AS x, CASE WHEN i % 7 > 1 THEN round(b * 64) / 64 - o END AS y, o FROM points, (VALUES (0), (2 ^ 30)) v (o);
CREATE FUNCTION test.covariance(m model) RETURNS float8[] LANGUAGE sql AS $$ SELECT (array_agg(v))::float8[] FROM unnest(pgfit.parameter(m, 'covariance')::float8[]) v $$;
WITH near AS (SELECT multivariate_normal((x, y), '{"nulls": "impute"}') AS m FROM far WHERE o = 0)
SELECT near_all(covariance(near.m), covariance(whole.m), 1e-7) AS whole, near_all(covariance(near.m), covariance(parts.m), 1e-7) AS parts
FROM near, (SELECT multivariate_normal((x, y), '{"nulls": "impute"}') AS m FROM far WHERE o > 0) whole,
     (SELECT fit('multivariate_normal', merge(e)) AS m FROM (SELECT feature_moments((x, y), '{"nulls": "impute"}') AS e FROM far WHERE o > 0 GROUP BY i % 13) d) parts;
WITH near AS (SELECT qda(level, (x, y), '{"nulls": "impute"}') AS m FROM far WHERE o = 0)
SELECT near_all(parameter(near.m, 'covariances_packed')::float8[], parameter(whole.m, 'covariances_packed')::float8[], 1e-6) AS whole,
       near_all(parameter(near.m, 'covariances_packed')::float8[], parameter(parts.m, 'covariances_packed')::float8[], 1e-6) AS parts
FROM near, (SELECT qda(level, (x, y), '{"nulls": "impute"}') AS m FROM far WHERE o > 0) whole,
     (SELECT fit('qda', merge(e)) AS m FROM (SELECT class_moments(level, (x, y), '{"nulls": "impute"}') AS e FROM far WHERE o > 0 GROUP BY i % 13) d) parts;
SELECT near_all(parameter(a.m, 'components'), parameter(b.m, 'components'), 1e-9)
FROM (SELECT pca((a, b, c), 3, NULL, weight) AS m FROM points) a,
     (SELECT pca((a, b, c), 3) AS m FROM points, generate_series(1, weight)) b;

-- scores as SQL
CREATE FUNCTION test.same_by_sql(m pgfit.model, features text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE result boolean;
BEGIN
    EXECUTE format('SELECT bool_and(test.near_all(%s, pgfit.transform($1, f), 1e-9)) FROM (SELECT %s FROM points) AS f', pgfit.to_sql(m), features)
    INTO result USING m;
    RETURN result;
END
$$;
SELECT same_by_sql(pca(f, 2), 'a, b, c') AS plain, same_by_sql(pca(f, 3, '{"standardize": true, "whiten": true}'), 'a, b, c') AS whitened
FROM points, LATERAL (SELECT a, b, c) AS f;
SELECT same_by_sql(pca(f, 3), 'a, level, b') AS levels FROM points, LATERAL (SELECT a, level, b) AS f;
SELECT to_sql(pca((x, y), 1)) FROM (SELECT * FROM ten LIMIT 1) q;

-- from moments: thirteen days, merged, against all rows
CREATE TABLE days AS SELECT day, feature_moments((a, b, c)) AS e FROM points GROUP BY day;
CREATE FUNCTION test.same_model(m pgfit.model, n pgfit.model, arrays text[], tolerance float8 DEFAULT 1e-12) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT bool_and(sqrt(d) <= tolerance * sqrt(s)) FROM unnest(arrays) AS name,
           LATERAL (SELECT sum((x - y) ^ 2) AS d, sum(x ^ 2) AS s FROM unnest(pgfit.parameter(m, name), pgfit.parameter(n, name)) AS u(x, y)) q
$$;
SELECT same_model(fit('pca', merge(e), '{"k": 3}'), (SELECT pca((a, b, c), 3) FROM points), '{means,variances}') FROM days;
SELECT same_model(fit('pca', merge(e::text::pgfit.model), '{"k": 3, "whiten": true}'), (SELECT pca((a, b, c), 3) FROM points), '{means,variances}') FROM days;
SELECT same_model(fit('multivariate_normal', merge(e)), (SELECT multivariate_normal((a, b, c)) FROM points), '{means,covariance}') FROM days;
-- 1e9 costs its share of the digits of c, no more
SELECT same_model(pca((a, b, c), 3), pca((a, b, c + 1e9), 3), '{variances,components}', 1e-7) FROM points;
-- in groups, in windows
SELECT g, term, round(variance::numeric, 4) AS variance FROM (SELECT g, pca((a, b), 1) AS m FROM points GROUP BY g) q, components(m) ORDER BY g, term;
SET client_min_messages = error;
SELECT bool_and(same_model(w.m, r.m, '{means,variances}', 1e-9) AND same_model(w.n, r.n, '{means,covariance}', 1e-9))
FROM (SELECT i, pca((a, b), 2) OVER s AS m, multivariate_normal((a, b)) OVER s AS n FROM points WHERE i <= 200
      WINDOW s AS (ORDER BY i ROWS 30 PRECEDING)) w,
     LATERAL (SELECT pca((a, b), 2) AS m, multivariate_normal((a, b)) AS n FROM points p WHERE p.i BETWEEN w.i - 30 AND w.i) r
WHERE w.i > 12;
SELECT i, m IS NULL AS pca, n IS NULL AS normal
FROM (SELECT i, pca((a, b), 1) OVER s AS m, multivariate_normal((a, b)) OVER s AS n FROM points WHERE i <= 4 WINDOW s AS (ORDER BY i)) q;
RESET client_min_messages;
-- parallel
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT same_model(m, n, '{means,variances}') FROM (SELECT pca((a, b, c), 3) AS m FROM points) q, (SELECT pca((a, b, c), 3 ORDER BY i) AS n FROM points) r;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
-- text, jsonb
SELECT m::text::pgfit.model OPERATOR(pgfit.=) m, m::jsonb::pgfit.model OPERATOR(pgfit.=) m FROM ten_model;

-- the multivariate normal: an outlier is far out, and improbable
CREATE TABLE normal_model AS SELECT multivariate_normal((a, b, c)) AS m FROM points;
SELECT round(distance(m, (15, 10, 1e3))::numeric, 4) AS distance, round(decision(m, (15, 10, 1e3))::numeric, 4) AS log_density,
       round(tail_probability(m, (15, 10, 1e3))::numeric, 6) AS p,
       tail_probability(m, (15, 60, 1e3)) < 1e-100 AS outlier, tail_probability(m, (1e5, 60, 1e3)) AS far_out FROM normal_model;
-- the mean squared distance of the training rows is the number of features
SELECT near(avg(distance(m, (a, b, c)) ^ 2), 3, 1e-9) FROM normal_model, points;
SELECT tail_probability(m, (NULL::float8, 1, 1)) IS NULL FROM normal_model;
SELECT count(*) FROM normal_model, points WHERE tail_probability(m, (a, b, c)) < 1e-4;
SELECT near_all(parameter(m, 'covariance'), ARRAY[var_samp(a), covar_samp(a, b), covar_samp(a, b), var_samp(b)], 1e-9)
FROM (SELECT multivariate_normal((a, b), '{"ddof": 1}') AS m FROM points) q, points GROUP BY m;
SELECT rounded(parameter(m, 'covariance')::float8[], 4)
FROM (SELECT multivariate_normal((x, y), '{"shrinkage": 1, "regularization": 0.5}') AS m FROM ten) q;
SELECT round((info(m) -> 'statistics' ->> 'shrinkage')::numeric, 6) AS oas
FROM (SELECT multivariate_normal((x, y), '{"shrinkage": "oas"}') AS m FROM ten) q;
SELECT summary(m) FROM normal_model;
SELECT weight, rounded(mean, 4) AS mean, rounded(covariance, 4) AS covariance FROM normal_model, distributions(m);
-- a category has one term per level except its first
SELECT cardinality(parameter(m, 'means')) FROM (SELECT multivariate_normal((a, level)) AS m FROM points) q;

-- refusals
SELECT try($$SELECT pgfit.pca((x, y), 0) FROM ten$$);
SELECT try($$SELECT pgfit.pca((x, y), 3) FROM ten$$);
SELECT try($$SELECT pgfit.pca((x, y), 1, '{"k": 1}') FROM ten$$);
SELECT try($$SELECT pgfit.pca((x, y), 1, '{"explained": 0.5}') FROM ten$$);
SELECT try($$SELECT pgfit.pca((x, y), '{"explained": 0}'::jsonb) FROM ten$$);
SELECT try($$SELECT pgfit.pca((x, y), '{"whitening": true}'::jsonb) FROM ten$$);
-- a constant feature is centered only
SELECT pgfit.parameter(m, 'scale')::numeric(8, 6)[] AS scale, pgfit.parameter(m, 'components') AS components, pgfit.info(m) -> 'statistics' AS statistics FROM (SELECT pgfit.pca((x, 1), '{"standardize": true}'::jsonb) AS m FROM ten) AS fit;
SELECT pgfit.info(pgfit.pca((level), '{"standardize": true}'::jsonb)) -> 'statistics' AS statistics FROM (SELECT level FROM points WHERE level = 'low') q;
SELECT try($$SELECT pgfit.pca((x, 'NaN'::float8), 1) FROM ten$$);
SELECT try($$SELECT pgfit.pca((x, y), 1) FROM ten WHERE false$$);
SELECT try($$SELECT cardinality(pgfit.transform(pgfit.pca((1, 1), 2), (1, 1))) FROM ten$$);
SELECT cardinality(transform(pca((x, y), 2), (1, 1))) AS one_row, cardinality(transform(pca((x, y, x + y), 3), (1, 1, 1))) AS dependent
FROM (SELECT * FROM ten LIMIT 1) q;
SELECT cardinality(transform(pca((x, y, x + y), 3), (1, 1, 1))) AS dependent FROM ten;
SELECT try($$SELECT pgfit.fit('pca', pgfit.merge(e), '{"k": 1}') FROM (SELECT pgfit.class_moments(x::int, y) AS e FROM ten) q$$);
SELECT try($$SELECT pgfit.fit('multivariate_normal', pgfit.merge(m)) FROM ten_model$$);
SELECT try($$SELECT pgfit.inverse_transform(m, '{1,2,3}') FROM ten_model$$);
SELECT try($$SELECT pgfit.inverse_transform(m, '{{1,2}}') FROM ten_model$$);
SELECT try($$SELECT pgfit.inverse_transform(m, '{1,Infinity}') FROM ten_model$$);
SELECT try($$SELECT pgfit.inverse_transform(m, '{1,NULL}') FROM ten_model$$);
SELECT try($$SELECT pgfit.predict(m, (1, 2)) FROM ten_model$$);
SELECT try($$SELECT pgfit.tail_probability(m, (1, 2)) FROM ten_model$$);
SELECT try($$SELECT pgfit.probability(m, (1, 2, 3)) FROM normal_model$$);
SELECT try($$SELECT pgfit.components(m) FROM normal_model$$);
SELECT try($$SELECT pgfit.components(e) FROM days WHERE day = 1$$);
SELECT try($$SELECT pgfit.inverse_transform(m, '{1}') FROM normal_model$$);
SELECT try($$SELECT pgfit.multivariate_normal((x, y)) FROM (SELECT * FROM ten LIMIT 2) q$$);
SELECT try($$SELECT pgfit.multivariate_normal((x, y), '{"too_few_rows": "null"}') FROM (SELECT * FROM ten LIMIT 2) q$$);
SELECT try($$SELECT pgfit.multivariate_normal((x, 3)) FROM ten$$);
SELECT try($$SELECT pgfit.multivariate_normal((x, y, x + y)) FROM ten$$);
SELECT try($$SELECT pgfit.multivariate_normal((x, y, x + y), '{"shrinkage": 1.5}') FROM ten$$);
SELECT try($$SELECT pgfit.multivariate_normal((x, y, x + y), '{"shrinkage": "best"}') FROM ten$$);
SELECT try($$SELECT pgfit.multivariate_normal((x, y, x + y), '{"regularization": -1}') FROM ten$$);
SELECT distance(multivariate_normal((x, y, x + y), '{"regularization": 0.001}'), (1, 1, 2)) < 3 FROM ten;
DROP TABLE points, ten, ten_model, days, normal_model, far;
DROP FUNCTION test.same_by_sql(pgfit.model, text), test.rounded(float8[], int), test.same_model(pgfit.model, pgfit.model, text[], float8);
