-- Linear discriminant analysis: what a user sees.
CREATE SCHEMA discriminant;
SET search_path = discriminant, test, pgfit;
CREATE TABLE birds (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    species text, island text, bill_length_mm float8, bill_depth_mm float8, flipper_length_mm float8,
    body_mass_g float8, sex text);
\copy birds (species, island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) FROM PROGRAM 'sed ''1d;$d'' examples/penguins.sql' WITH (FORMAT csv, HEADER)
CREATE VIEW measured AS SELECT id, species, f.* FROM birds, LATERAL (SELECT bill_length_mm AS length, bill_depth_mm AS depth, flipper_length_mm AS flipper, body_mass_g AS mass) f;
CREATE TABLE lda_model AS SELECT lda(species, f) AS m FROM measured, LATERAL (SELECT length, depth, flipper, mass) f;
SELECT summary(m) FROM lda_model;
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped, info(m) -> 'statistics' ->> 'rank' AS rank,
       round((info(m) -> 'statistics' -> 'explained_ratio' ->> 0)::numeric, 4) AS first, round((info(m) -> 'statistics' ->> 'log_determinant')::numeric, 4) AS log_determinant FROM lda_model;
SELECT class, term, round(estimate::numeric, 6) AS estimate, num_nulls(std_error, statistic, p_value, conf_low, conf_high) FROM lda_model, coefficients(m);
-- classes are told apart by the linear scores, the logarithms of prior times density differ as they do
SELECT count(*) FILTER (WHERE classify(m, f) <> species) AS errors, count(classify(m, f)) AS scored FROM lda_model, measured AS f;
WITH w AS (SELECT class, max(estimate) FILTER (WHERE term = '(intercept)') AS w0, max(estimate) FILTER (WHERE term = 'length') AS a, max(estimate) FILTER (WHERE term = 'depth') AS b,
                  max(estimate) FILTER (WHERE term = 'flipper') AS c, max(estimate) FILTER (WHERE term = 'mass') AS d FROM lda_model, coefficients(m) GROUP BY class),
     s AS (SELECT id, array_agg(w0 + a * length + b * depth + c * flipper + d * mass ORDER BY class) AS s FROM w, measured WHERE mass IS NOT NULL GROUP BY id)
SELECT bool_and(near((decisions(m, f))[1] - (decisions(m, f))[3], s[1] - s[3], 1e-8)) AS same FROM s JOIN measured f USING (id), lda_model;
SELECT to_sql(m) FROM lda_model \gset
SELECT bool_and(classify(m, f) IS NOT DISTINCT FROM :to_sql) AS same FROM lda_model, measured AS f;
-- the projection: two directions, of unit variance within the species, uncorrelated
WITH t AS (SELECT species, transform(m, f) AS t FROM lda_model, measured AS f WHERE mass IS NOT NULL),
     c AS (SELECT t[1] - avg(t[1]) OVER (PARTITION BY species) AS a, t[2] - avg(t[2]) OVER (PARTITION BY species) AS b, t FROM t)
SELECT near(avg(a * a), 1, 1e-9), near(avg(b * b), 1, 1e-9), abs(avg(a * b)) < 1e-9 AS uncorrelated, abs(avg(t[1])) < 1e-9 AS centered FROM c;
SELECT cardinality(transform(m, (40, 18, 200, 4000))) FROM (SELECT lda(species, (length, depth, flipper, mass), '{"k": 1}') AS m FROM measured) q;
SELECT array_length(parameter(m, 'covariance'), 1) AS columns, near((parameter(m, 'covariance'))[1][1], (SELECT sum(v) / sum(n) FROM
       (SELECT count(length) AS n, var_pop(length) * count(length) AS v FROM measured GROUP BY species) q), 1e-10) AS pooled FROM lda_model;
-- Mahalanobis distances: nearest for equal priors
SELECT bool_and(classify(m, f) = (classes(m))[(SELECT o FROM unnest(distances(m, f)) WITH ORDINALITY u(v, o) ORDER BY v LIMIT 1)]) AS nearest,
       bool_and(near(distance(m, f), (SELECT min(v) FROM unnest(distances(m, f)) v))) AS distance
FROM measured AS f, (SELECT lda(species, f, '{"priors": "uniform"}') AS m FROM measured, LATERAL (SELECT length, depth, flipper, mass) f) q WHERE mass IS NOT NULL;
-- moments of thirteen days, parallel workers, text and back, weights that are counts, windows, groups
SELECT bool_and(near_all(decisions(m, f), decisions(n, f)) AND near_all(distances(m, f), distances(n, f))) AS scores,
       bool_and((SELECT bool_and(abs(a - b) <= 1e-12 * greatest(1, abs(a))) FROM unnest(transform(m, f), transform(n, f)) u(a, b))) AS projected,
       bool_and(near_all(parameter(m, 'means')::float8[], parameter(n, 'means')::float8[]) AND near_all(parameter(m, 'covariance')::float8[], parameter(n, 'covariance')::float8[])) AS parameters
FROM lda_model, measured AS f, (SELECT fit('lda', merge(e)) AS n FROM (SELECT class_moments(species, f) AS e FROM measured, LATERAL (SELECT length, depth, flipper, mass) f GROUP BY id % 13) d) q WHERE mass IS NOT NULL;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
ALTER TABLE birds SET (parallel_workers = 2);
SELECT bool_and(near_all(decisions(m, f), decisions(n, f), 1e-10)) AS parallel
FROM lda_model, measured AS f, (SELECT lda(species, f) AS n FROM measured, LATERAL (SELECT length, depth, flipper, mass) f) q WHERE mass IS NOT NULL;
COMMIT;
SELECT m::text::model = m AS text, m::jsonb::model = m AS json, pg_column_size(m) < 1500 AS small FROM lda_model;
SELECT near_all(decisions(a, x), decisions(b, x), 1e-10) AS counts FROM (SELECT ARRAY[40, 18]::float8[] AS x) x,
       (SELECT lda(species, (length, depth), '{"weight_kind": "frequency", "ddof": 1}', 1 + id % 3) AS a FROM measured) p,
       (SELECT lda(species, (length, depth), '{"ddof": 1}') AS b FROM measured, generate_series(0, id % 3)) q;
SELECT count(*) AS frames, count(m) AS models, bool_and((m IS NULL) = (again IS NULL) AND (m IS NULL OR near_all(decisions(m, (40, 17)), decisions(again, (40, 17)), 1e-6))) AS same
FROM (SELECT lda(species, (length, depth)) OVER w AS m,
             (SELECT lda(species, (length, depth), '{"too_few_rows": "null"}') FROM measured q WHERE q.id BETWEEN p.id - 30 AND p.id) AS again
      FROM measured p WINDOW w AS (ORDER BY id ROWS 30 PRECEDING)) f;
SELECT island, classes(m) FROM (SELECT island, lda(species, (bill_length_mm, bill_depth_mm), '{"too_few_rows": "null"}') AS m FROM birds GROUP BY island) q ORDER BY island;
-- categories are coded as in linear models; NULLs as their means
SELECT count(DISTINCT term), min(term) FILTER (WHERE term LIKE 'sex%') AS coded FROM (SELECT lda(species, f) AS m FROM birds, LATERAL (SELECT bill_length_mm, sex) f) q, coefficients(m);
SELECT info(m) -> 'rows' AS rows, classify(m, (NULL::float8, 15.0)) FROM (SELECT lda(species, (length, depth), '{"nulls": "impute"}') AS m FROM measured) q;

-- more features than rows within the classes: refused, shrunk, or with the pseudo-inverse
CREATE TABLE wide AS SELECT i, i % 2 AS c, (SELECT array_agg(sin(i * k)::float8 + (i % 2) * k / 10.0) FROM generate_series(1, 30) k) AS x FROM generate_series(1, 20) i;
SELECT try('SELECT lda(c, x) FROM wide');
SELECT bool_and(classify(a, x) = c::text) AS shrunk, bool_and(classify(b, x) = c::text) AS estimated, bool_and(classify(p, x) = c::text) AS pseudo,
       min((info(p) -> 'statistics' ->> 'rank')::int) AS rank, bool_and((info(b) -> 'statistics' ->> 'shrinkage')::float8 BETWEEN 0.01 AND 1) AS share
FROM wide, (SELECT lda(c, x, '{"shrinkage": 0.5}') AS a, lda(c, x, '{"shrinkage": "oas"}') AS b, lda(c, x, '{"singular": "pseudo_inverse"}') AS p FROM wide) q;
-- a column twice, a constant
SELECT try('SELECT lda(species, f) FROM measured, LATERAL (SELECT length, depth, 2 * length AS twice) f');
SELECT try('SELECT lda(species, f) FROM measured, LATERAL (SELECT length, 5 AS five) f');
SELECT bool_and(near_all(probabilities(m, ARRAY[length, depth]), probabilities(n, ARRAY[length, depth, 2 * length - depth, 5]), 1e-6)) AS same
FROM measured AS f, (SELECT lda(species, ARRAY[length, depth]) AS m, lda(species, ARRAY[length, depth, 2 * length - depth, 5], '{"singular": "pseudo_inverse"}') AS n FROM measured WHERE depth IS NOT NULL) p
WHERE depth IS NOT NULL;

-- refusals
SELECT try($$SELECT lda(species, (length, depth), '{"k": 3}') FROM measured$$);
SELECT try($$SELECT lda(species, length, '{"k": 2}') FROM measured$$);
-- a class with almost no weight once gave a model that could not be read back
SELECT try($$SELECT qda(species, length, '{}', CASE species WHEN 'Adelie' THEN 1e-308 ELSE 1e290 END) FROM measured$$);
SELECT try($$SELECT lda(species, (length, depth), '{"k": 0}') FROM measured$$);
SELECT try($$SELECT lda(species, (length, depth)) FROM measured WHERE species = 'Gentoo'$$);
SELECT try($$SELECT lda(species, (length, depth)) FROM measured WHERE id IN (1, 2, 300)$$);
SELECT try($$SELECT lda(species, (length, depth), '{"ddof": 1}') FROM measured WHERE id IN (1, 300)$$);
SELECT try($$SELECT lda(species, ROW(island)) FROM birds WHERE island = 'Biscoe'$$);
SELECT try($$SELECT lda(species, length, '{"shrinkage": "ledoit"}') FROM measured$$);
SELECT try($$SELECT lda(species, length, '{"shrinkage": 1.5}') FROM measured$$);
SELECT try($$SELECT lda(species, length, '{"shrinkage_target": "mean"}') FROM measured$$);
SELECT try($$SELECT lda(species, length, '{"singular": "drop"}') FROM measured$$);
SELECT try($$SELECT lda(species, length, '{"ddof": 2}') FROM measured$$);
SELECT try($$SELECT lda(species, length, '{"prior": 1}') FROM measured$$);
SELECT try($$SELECT lda(species, length, '{"priors": {"Adelie": 1, "Chinstrap": 1, "Gentoo": 1}}') FROM measured$$);
SELECT try($$SELECT lda(species, ARRAY[length, 'Infinity']) FROM measured$$);
SELECT try($$SELECT classify(m, (1, 2)) FROM lda_model$$);
SELECT try($$SELECT predict(m, (1, 2, 3, 4)) FROM lda_model$$);
SELECT try($$SELECT probability(m, (1, 2, 3, 4)) FROM lda_model$$);
SELECT try($$SELECT probability(m, (1, 2, 3, 4), 'Emperor') FROM lda_model$$);
