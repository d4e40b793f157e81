-- Estimators that keep their rows, by geometric_median: values, groups, NULLs, weights, windows, spilling, refusals.
CREATE FUNCTION center(m pgfit.model) RETURNS numeric[] LANGUAGE sql AS $$
    SELECT array_agg(round(c::numeric, 6) ORDER BY n) FROM unnest(pgfit.parameter(m, 'center')) WITH ORDINALITY AS t(c, n)
$$;
CREATE FUNCTION facts(m pgfit.model) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_object_agg(key, value) FROM jsonb_each(pgfit.info(m))
    WHERE key IN ('estimator', 'rows', 'skipped', 'weight', 'converged')
$$;
CREATE TABLE ten (id int, a float8, b float8);
INSERT INTO ten VALUES (1, 1.0, 1.0), (2, 1.5, 2.2), (3, 2.0, 1.4), (4, 2.4, 2.9), (5, 2.8, 2.1),
    (6, 3.1, 3.3), (7, 1.2, 2.8), (8, 2.2, 3.6), (9, 3.4, 2.5), (10, 9.0, -4.0);

-- known answers
SELECT center(pgfit.geometric_median(x)) FROM (VALUES (1), (2), (3), (50), (100)) AS v(x);
SELECT center(pgfit.geometric_median((x, y))) FROM (VALUES (0, 0), (0, 0), (1, 0), (0, 1), (-1, -1)) AS v(x, y);
SELECT round((pgfit.info(pgfit.geometric_median((x, y))) -> 'statistics' ->> 'objective')::numeric, 10)
FROM (VALUES (0, 0), (1, 1), (2, 2), (7, 7)) AS v(x, y);
SELECT center(m), facts(m), round((pgfit.info(m) -> 'statistics' ->> 'objective')::numeric, 8) AS objective
FROM (SELECT pgfit.geometric_median((a, b)) AS m FROM ten) AS fit;
SELECT center(pgfit.geometric_median((a, b))) FROM ten WHERE id = 3;
SELECT pgfit.geometric_median((a, b)) IS NULL AS nothing FROM ten WHERE id > 10;
SELECT center(pgfit.geometric_median(ARRAY[0.1, 0.2])) FROM ten;
SELECT test.near_all(pgfit.parameter(huge, 'center'), ARRAY[2.39227339239694e300, 2.4090075495908e300], 1e-9) AS huge,
    test.near_all(pgfit.parameter(tiny, 'center'), ARRAY[2.39227339239694e-300, 2.4090075495908e-300], 1e-9) AS tiny
FROM (SELECT pgfit.geometric_median(ARRAY[a * 1e300, b * 1e300]) AS huge, pgfit.geometric_median(ARRAY[a * 1e-300, b * 1e-300]) AS tiny FROM ten) AS fits;

-- every form of features, one answer
SELECT form, center(m) FROM (
    SELECT 'float8[]' AS form, pgfit.geometric_median(ARRAY[a, b]) AS m FROM ten
    UNION ALL SELECT 'real[]', pgfit.geometric_median(ARRAY[a, b]::real[]) FROM ten
    UNION ALL SELECT 'numeric[]', pgfit.geometric_median(ARRAY[a, b]::numeric[]) FROM ten
    UNION ALL SELECT 'row', pgfit.geometric_median(ROW(a, b)) FROM ten
    UNION ALL SELECT 'named row', pgfit.geometric_median(f) FROM ten, LATERAL (SELECT a, b) AS f
    UNION ALL SELECT 'whole row, selected', pgfit.geometric_median(t, '{"features": ["a", "b"]}') FROM ten AS t
    UNION ALL SELECT 'jsonb', pgfit.geometric_median(jsonb_build_object('a', a, 'b', b)) FROM ten) AS forms
ORDER BY form;

-- using it: distances, by name in any order
SELECT round(pgfit.distance(m, (4.0, 6.0))::numeric, 6) AS apart, pgfit.distance(m, (1.0, 2.0)) AS here
FROM (SELECT pgfit.geometric_median((1.0, 2.0)) AS m) AS fit;
SELECT round(pgfit.distance(m, g)::numeric, 6) AS by_name
FROM (SELECT pgfit.geometric_median(f) AS m FROM ten, LATERAL (SELECT a, b) AS f) AS fit, LATERAL (SELECT 2.4090075496 AS b, 5.3922733724 AS a) AS g;
SELECT test.near_all(pgfit.parameter(m, 'center'), pgfit.parameter(m::text::pgfit.model, 'center'), 0) AS text_keeps_it, m::jsonb::pgfit.model OPERATOR(pgfit.=) m AS equal
FROM (SELECT pgfit.geometric_median((a, b)) AS m FROM ten) AS fit;

-- groups, filters, DISTINCT, ORDER BY
SELECT id % 2 AS odd, center(pgfit.geometric_median((a, b))), center(pgfit.geometric_median(a) FILTER (WHERE id < 7)) AS early FROM ten GROUP BY 1 ORDER BY 1;
SELECT center(pgfit.geometric_median(DISTINCT ARRAY[a, b])) = center(pgfit.geometric_median(ARRAY[a, b] ORDER BY id DESC)) AS same FROM ten;
SELECT id % 3 AS third, id % 2 AS odd, facts(pgfit.geometric_median((a, b))) ->> 'rows' AS rows FROM ten GROUP BY GROUPING SETS ((1), (2), ()) ORDER BY 1, 2;

-- NULLs
SELECT facts(pgfit.geometric_median((CASE WHEN id > 2 THEN a END, b))) FROM ten;
SELECT facts(pgfit.geometric_median((NULL::float8, b))) FROM ten;
SELECT center(m), facts(m) FROM (SELECT pgfit.geometric_median((CASE WHEN id <> 1 THEN a END, b), '{"nulls": "impute"}') AS m FROM ten WHERE id < 4) AS fit;
SELECT center(pgfit.geometric_median((coalesce(a, 1.75), b))) FROM (SELECT nullif(a, 1.0) AS a, b FROM ten WHERE id < 4) AS t;
SELECT round(pgfit.distance(m, (NULL::float8, 2.2))::numeric, 6) AS imputed, round(pgfit.distance(m, (1.75, 2.2))::numeric, 6) AS given
FROM (SELECT pgfit.geometric_median((nullif(a, 1.0), b), '{"nulls": "impute"}') AS m FROM ten WHERE id < 4) AS fit;
SELECT test.try($$SELECT pgfit.geometric_median((nullif(a, 1.0), b), '{"nulls": "error"}') FROM ten$$);
SELECT test.try($$SELECT pgfit.geometric_median((NULL::float8, b), '{"nulls": "impute"}') FROM ten$$);
-- fits from moments took 0 for the mean of a feature that is NULL in every row, where fits to rows fail
SELECT call, test.try(format('SELECT pgfit.%s, ''{"nulls": "impute"}'') FROM ten', call)) AS error
FROM unnest('{"linear_regression(a, (NULL::float8, b)","ridge_regression(a, (b, NULL::float8), 1","naive_bayes(a > 5, (NULL::float8, b)","standard_scaler((NULL::float8, b)","logistic_regression(a > 5, (NULL::float8, b)"}'::text[]) AS call;
-- but frames that begin with such rows, as those of a lagged feature do, have no model yet; nor have groups of too few rows one, by option
SELECT id, m IS NULL AS none FROM (SELECT id, pgfit.linear_regression(a, (nullif(greatest(id, 4), 4)::float8, b), '{"nulls": "impute"}') OVER (ORDER BY id) AS m FROM ten) AS w WHERE id < 7 ORDER BY id;
SELECT id > 1 AS several, pgfit.linear_regression(a, (CASE WHEN id > 2 THEN b END, id), '{"nulls": "impute", "too_few_rows": "null"}') IS NULL AS none FROM ten GROUP BY 1 ORDER BY 1;

-- weights: as rows repeated, whatever their scale; zero and NULL leave a row out
SELECT test.near_all(pgfit.parameter(pgfit.geometric_median((a, b), NULL, 1 + id % 3), 'center'),
    (SELECT pgfit.parameter(pgfit.geometric_median((a, b)), 'center') FROM ten, generate_series(0, id % 3)), 1e-8) AS repeated,
    test.near_all(pgfit.parameter(pgfit.geometric_median((a, b), '{}', (1 + id % 3) * 1e200), 'center'),
    pgfit.parameter(pgfit.geometric_median((a, b), '{}', 1 + id % 3), 'center'), 1e-8) AS scaled FROM ten;
SELECT center(m), facts(m) FROM (SELECT pgfit.geometric_median(id, '{}', CASE WHEN id < 3 THEN 0 WHEN id > 5 THEN NULL ELSE 1 END) AS m FROM ten) AS fit;
SELECT test.try($$SELECT pgfit.geometric_median((a, b), '{}', -1) FROM ten$$);
SELECT test.try($$SELECT pgfit.geometric_median((a, b), '{}', 'NaN') FROM ten$$);

-- windows
SELECT id, center(pgfit.geometric_median(a) OVER (ORDER BY id)) AS so_far, center(pgfit.geometric_median(a) OVER (ORDER BY id ROWS 2 PRECEDING)) AS of_three,
    center(pgfit.geometric_median(a) OVER ()) AS of_all, center(pgfit.geometric_median(a) OVER (PARTITION BY id % 2)) AS of_part FROM ten ORDER BY id;

-- past the budget rows go to a file, and the answer stays
CREATE TABLE many AS SELECT i AS id, ARRAY[sin(i * 12.9898), cos(i * 78.233) * 2, sin(i * i * 0.001), i % 17] AS x FROM generate_series(1, 40000) AS i;
CREATE TABLE answers AS SELECT id % 3 AS g, pgfit.geometric_median(x) AS m, pgfit.geometric_median(x, '{}', id % 5) AS w FROM many GROUP BY 1;
SET pgfit.fit_mem = '1MB';
SELECT g, test.near_all(pgfit.parameter(a.m, 'center'), pgfit.parameter(b.m, 'center'), 1e-8) AS same,
    test.near_all(pgfit.parameter(a.w, 'center'), pgfit.parameter(b.w, 'center'), 1e-8) AS same_by_weight
FROM answers AS a JOIN (SELECT id % 3 AS g, pgfit.geometric_median(x) AS m, pgfit.geometric_median(x, '{}', id % 5) AS w FROM many GROUP BY 1) AS b USING (g) ORDER BY g;
SELECT count(DISTINCT m) AS partitions FROM (SELECT pgfit.geometric_median(x) OVER (PARTITION BY id % 4) AS m FROM many) AS fits;
BEGIN;
DECLARE c CURSOR FOR SELECT 1 AS one, pgfit.geometric_median(x) FROM many;
FETCH 1 FROM c \g /dev/null
SELECT count(*) > 0 AS in_a_file FROM pg_ls_tmpdir();
COMMIT;
SELECT test.near_all(pgfit.parameter(m, 'center'), pgfit.parameter(back, 'center'), 1e-7) AS order_is_no_matter
FROM (SELECT pgfit.geometric_median(x ORDER BY id) AS m, pgfit.geometric_median(x ORDER BY id % 100, id DESC) AS back FROM many) AS fits;
SET pgfit.fit_mem = 0;
SELECT test.try('SELECT pgfit.geometric_median(array_fill(1.0, ARRAY[10000])) FROM many WHERE id < 5');
RESET pgfit.fit_mem;

-- few passes, and a limit on the steps (with a warning)
SELECT (pgfit.info(m) -> 'statistics' ->> 'distance_evaluations')::bigint BETWEEN 1 AND 30 * 40000 AS few_passes,
    (pgfit.info(m) ->> 'iterations')::int BETWEEN 1 AND 20 AS few_steps FROM (SELECT pgfit.geometric_median(x) AS m FROM many) AS fit;
SET client_min_messages = error;
SELECT facts(pgfit.geometric_median((a, b), '{"max_iter": 1}')) FROM ten WHERE id < 4;
RESET client_min_messages;

-- refusals
SELECT test.try($$SELECT pgfit.geometric_median((a, 'x' || id)) FROM ten$$);
SELECT test.try($$SELECT pgfit.geometric_median(f) FROM ten, LATERAL (SELECT a, 'x'::text AS shade) AS f$$);
SELECT test.try($$SELECT pgfit.geometric_median(ARRAY[a, 'NaN'::float8]) FROM ten$$);
SELECT test.try($$SELECT pgfit.geometric_median(f) FROM ten, LATERAL (SELECT a, 'infinity'::float8 AS far) AS f$$);
SELECT test.try($$SELECT pgfit.geometric_median(CASE WHEN id < 3 THEN ARRAY[a, b] ELSE ARRAY[a] END) FROM ten$$);
SELECT test.try($$SELECT pgfit.geometric_median('{1,2}') FROM ten$$);
SELECT test.try($$SELECT pgfit.geometric_median((a, b), '{"tolerance": -1}') FROM ten$$);
SELECT test.try($$SELECT pgfit.geometric_median((a, b), '{"max_iter": 0}') FROM ten$$);
SELECT test.try($$SELECT pgfit.geometric_median((a, b), '{"speed": 1}') FROM ten$$);
SELECT test.try($$SELECT pgfit.geometric_median((a, b), jsonb_build_object('max_iter', id)) FROM ten$$);
SELECT test.try($$SELECT pgfit.predict(pgfit.geometric_median((a, b)), (1, 2)) FROM ten$$);
SELECT test.try($$SELECT pgfit.distance(m, (1, 2, 3)) FROM (SELECT pgfit.geometric_median((a, b)) AS m FROM ten) AS fit$$);
DROP FUNCTION center(pgfit.model), facts(pgfit.model);
DROP TABLE ten, many, answers;
-- the covariance with a feature that has no value is 0, not NaN
SELECT pgfit.covariance_matrix(pgfit.feature_moments(f, '{"nulls": "impute"}')) = '{{1,0},{0,0}}' AS zero FROM generate_series(0, 2, 2) AS i, LATERAL (SELECT i::float8 AS a, NULL::float8 AS b) AS f;
