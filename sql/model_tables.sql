-- every table function on models of every kind: rows, or a message that names the tables that the model has
CREATE TEMP TABLE points AS SELECT i, (i * 7 % 11)::float8 AS a, (i * 5 % 13)::float8 AS b, 'c' || i % 3 AS c, i % 2 AS side FROM generate_series(1, 40) AS i;
CREATE TEMP TABLE models AS
SELECT m.name, m.model FROM (SELECT
    pgfit.moments(i, (a, b)) AS moments,
    pgfit.linear_regression(i, (a, b, c)) AS linear_regression,
    pgfit.lasso_regression(i, (a, b), '{"lambda": [0.5, 0.1]}'::jsonb) AS lasso_regression,
    pgfit.logistic_regression(side, (a, b)) AS logistic_regression,
    pgfit.nearest_centroid(c, (a, b)) AS nearest_centroid,
    pgfit.pca((a, b), 2) AS pca,
    pgfit.multivariate_normal((a, b)) AS multivariate_normal,
    pgfit.gaussian_mixture((a, b), 2) AS gaussian_mixture,
    pgfit.kmeans((a, b), 3) AS kmeans,
    pgfit.kmedoids((a, b), 3) AS kmedoids,
    pgfit.hierarchical(i, (a, b)) AS hierarchical,
    pgfit.geometric_median((a, b)) AS geometric_median FROM points) AS fit,
LATERAL (VALUES ('moments', moments), ('linear_regression', linear_regression), ('lasso_regression', lasso_regression),
    ('logistic_regression', logistic_regression), ('nearest_centroid', nearest_centroid), ('pca', pca), ('multivariate_normal', multivariate_normal),
    ('gaussian_mixture', gaussian_mixture), ('kmeans', kmeans), ('kmedoids', kmedoids), ('hierarchical', hierarchical), ('geometric_median', geometric_median)) AS m(name, model);
CREATE TEMP TABLE tables AS
SELECT p.proname::text AS name FROM pg_proc AS p WHERE p.prosrc = 'pgfit_table' AND p.pronamespace = 'pgfit'::regnamespace;
SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") AS tables FROM tables;
-- rows of each table
SELECT m.name AS model, string_agg(t.name || ' ' || substr(r.tried, 5), ', ' ORDER BY t.name COLLATE "C") AS rows
FROM models AS m, tables AS t, LATERAL (SELECT test.try(format('SELECT count(*) FROM pgfit.%I((SELECT model FROM models WHERE name = %L))', t.name, m.name)) AS tried) AS r
WHERE r.tried LIKE 'ok: %' GROUP BY m.name ORDER BY m.name COLLATE "C";
-- a model that has no such table: the hint names those that it has, exactly
SELECT m.name AS model, count(*) > 0 AND bool_and(r.tried LIKE '42809: ' || t.name || ' %') AS refused,
       m.name = 'moments' OR bool_and((SELECT string_agg(h.name, ' ' ORDER BY h.name COLLATE "C") FROM (SELECT btrim(unnest(string_to_array(substring(r.tried FROM 'Read such a model with (.*), summary'), ','))) AS name) AS h)
                = (SELECT string_agg(o.name, ' ' ORDER BY o.name COLLATE "C") FROM tables AS o WHERE test.try(format('SELECT count(*) FROM pgfit.%I((SELECT model FROM models WHERE name = %L))', o.name, m.name)) LIKE 'ok: %')) AS named
FROM models AS m, tables AS t, LATERAL (SELECT test.try(format('SELECT count(*) FROM pgfit.%I((SELECT model FROM models WHERE name = %L))', t.name, m.name)) AS tried) AS r
WHERE r.tried NOT LIKE 'ok: %' GROUP BY m.name ORDER BY m.name COLLATE "C";
-- a table of another model in each row, from one call site
SELECT m.name, count(*) FROM models AS m, LATERAL pgfit.features(m.model) AS f GROUP BY m.name ORDER BY m.name COLLATE "C";
-- a function that declares fewer columns than its table shows the first ones, a type that its cells are not of is an internal error, another name no table
CREATE FUNCTION pg_temp.features(model pgfit.model, OUT "position" int, OUT name text) RETURNS SETOF record AS '$libdir/pgfit', 'pgfit_table' LANGUAGE C STRICT;
CREATE FUNCTION pg_temp.components(model pgfit.model, OUT component int, OUT variance text) RETURNS SETOF record AS '$libdir/pgfit', 'pgfit_table' LANGUAGE C STRICT;
CREATE FUNCTION pg_temp.nothing(model pgfit.model, OUT feature text, OUT level text) RETURNS SETOF record AS '$libdir/pgfit', 'pgfit_table' LANGUAGE C STRICT;
SELECT test.try($$SELECT pg_temp.features(model) FROM models WHERE name = 'pca'$$);
SELECT test.try($$SELECT pg_temp.components(model) FROM models WHERE name = 'pca'$$);
SELECT test.try($$SELECT pg_temp.nothing(model) FROM models WHERE name = 'pca'$$);
-- the levels of a formula are those of the columns of a row, and of the terms that make levels of numbers
CREATE TABLE leveled AS SELECT i % 13 AS a, i * 5 % 7 AS b, i * i % 11 AS d, (ARRAY['z', 'x', 'y'])[1 + i % 3] AS c, (ARRAY['r', 's'])[1 + i % 2] AS e, i % 13 + 3 * (i % 3) + i * i % 3 AS y FROM generate_series(1, 60) AS i;
SELECT formula, string_agg(feature || ': ' || level, ', ' ORDER BY n) AS levels
FROM unnest(ARRAY['log(a + 1) + e + c:b + poly(b, 2)', 'e:c + a', 'a + factor(d):b']) AS formula, LATERAL (SELECT pgfit.ridge_regression(y, p, 1, formula) AS m FROM leveled AS p) AS f, pgfit.levels(m) WITH ORDINALITY AS l(feature, level, n) GROUP BY formula ORDER BY formula;
DROP TABLE leveled;
