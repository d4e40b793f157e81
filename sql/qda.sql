-- Quadratic discriminant analysis: what a user sees.
CREATE SCHEMA quadratic;
SET search_path = quadratic, test, pgfit, pgfit_textbook;
CREATE TABLE beaks (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    species text, island text, length float8, depth float8, flipper float8, mass float8, sex text);
\copy beaks (species, island, length, depth, flipper, mass, sex) FROM PROGRAM 'sed ''1d;$d'' examples/penguins.sql' WITH (FORMAT csv, HEADER)
CREATE TABLE qda_model AS SELECT qda(species, f) AS m FROM beaks, LATERAL (SELECT length, depth, mass) f;
SELECT summary(m) FROM qda_model;
SELECT info(m) -> 'rows' AS rows, (SELECT array_agg(round(v::numeric, 4)) FROM jsonb_array_elements_text(info(m) -> 'statistics' -> 'log_determinant') v) AS log_determinants FROM qda_model;
SELECT count(*) FILTER (WHERE classify(m, b) <> species) AS errors, count(classify(m, b)) AS scored FROM qda_model, beaks b;
-- the joint logarithm is log prior + log density of the class
SELECT bool_and(near((decisions(m, b))[3], ln((parameter(m, 'priors'))[3]) + normal_log_density(ARRAY[length, depth, mass], ARRAY[a, d, w], ARRAY[[aa, ad, aw], [ad, dd, dw], [aw, dw, ww]]), 1e-9)) AS same,
       bool_and(near((distances(m, b))[3] ^ 2, -2 * (normal_log_density(ARRAY[length, depth, mass], ARRAY[a, d, w], ARRAY[[aa, ad, aw], [ad, dd, dw], [aw, dw, ww]])
           - normal_log_density(ARRAY[a, d, w], ARRAY[a, d, w], ARRAY[[aa, ad, aw], [ad, dd, dw], [aw, dw, ww]])), 1e-8)) AS distance
FROM qda_model, beaks b, (SELECT avg(length) AS a, avg(depth) AS d, avg(mass) AS w, covar_pop(length, length) AS aa, covar_pop(length, depth) AS ad, covar_pop(length, mass) AS aw,
       covar_pop(depth, depth) AS dd, covar_pop(depth, mass) AS dw, covar_pop(mass, mass) AS ww FROM beaks WHERE species = 'Gentoo') q WHERE mass IS NOT NULL;
SELECT to_sql(m) FROM qda_model \gset
SELECT bool_and(classify(m, b) IS NOT DISTINCT FROM :to_sql) AS same FROM qda_model, beaks b;
SELECT to_sql(qda(species, f, '{"shrinkage": 0.1}')) FROM beaks, LATERAL (SELECT depth, sex) f \gset
SELECT bool_and(classify(m, b) IS NOT DISTINCT FROM :to_sql) AS with_categories FROM beaks b, (SELECT qda(species, f, '{"shrinkage": 0.1}') AS m FROM beaks, LATERAL (SELECT depth, sex) f) q;
-- what each feature adds
SELECT bool_and(near(d, e, 1e-9)) AS adds_up FROM qda_model, beaks b, LATERAL (SELECT (decisions(m, b))[1] AS d, (SELECT sum(contribution) FROM explain(m, b) WHERE class = 'Adelie') AS e) q WHERE mass IS NOT NULL;
-- pooling leads to lda, priors and rules as in the other normal classifiers
SELECT bool_and(near_all(decisions(a, x), decisions(b, x), 1e-10)) AS pooled, bool_and(classify(c, x) = classify(d, x)) AS ml_is_uniform
FROM beaks, LATERAL (SELECT ARRAY[length, depth] AS x) f,
     (SELECT qda(species, ARRAY[length, depth], '{"pooling": 1}') AS a, lda(species, ARRAY[length, depth]) AS b, qda(species, ARRAY[length, depth], '{"rule": "ml"}') AS c,
             qda(species, ARRAY[length, depth], '{"priors": "uniform"}') AS d FROM beaks) q WHERE depth IS NOT NULL;
-- moments of thirteen days, parallel workers, text and back, windows
SELECT bool_and(near_all(decisions(m, b), decisions(n, b)) AND near_all(distances(m, b), distances(n, b))) AS scores,
       bool_and(near_all(parameter(m, 'means')::float8[], parameter(n, 'means')::float8[])
                AND near_all(parameter(m, 'covariances_packed')::float8[], parameter(n, 'covariances_packed')::float8[])) AS parameters
FROM qda_model, beaks b, (SELECT fit('qda', merge(e)) AS n FROM (SELECT class_moments(species, f) AS e FROM beaks, LATERAL (SELECT length, depth, mass) f GROUP BY id % 13) d) q WHERE mass IS NOT NULL;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
ALTER TABLE beaks SET (parallel_workers = 2);
SELECT bool_and(near_all(decisions(m, b), decisions(n, b), 1e-10)) AS parallel FROM qda_model, beaks b, (SELECT qda(species, f) AS n FROM beaks, LATERAL (SELECT length, depth, mass) f) q WHERE mass IS NOT NULL;
COMMIT;
SELECT m::text::model = m AS text, m::jsonb::model = m AS json FROM qda_model;
SELECT count(*) AS frames, count(m) AS models, bool_and((m IS NULL) = (again IS NULL) AND (m IS NULL OR near_all(decisions(m, (40, 17)), decisions(again, (40, 17)), 1e-6))) AS same
FROM (SELECT qda(species, (length, depth)) OVER w AS m,
             (SELECT qda(species, (length, depth), '{"too_few_rows": "null"}') FROM beaks q WHERE q.id BETWEEN p.id - 60 AND p.id) AS again
      FROM beaks p WINDOW w AS (ORDER BY id ROWS 60 PRECEDING)) f;

-- refusals, and what helps
SELECT try($$SELECT qda(species, (length, depth)) FROM beaks WHERE species = 'Gentoo' OR id <= 2$$);
SELECT try($$SELECT qda(species, (length, depth)) FROM beaks WHERE species = 'Gentoo' OR id = 1$$);
SELECT (SELECT string_agg(classify(m, (39.1, 18.7)), ' ') FROM (VALUES (a), (b), (c)) AS v (m)) AS helped
FROM (SELECT qda(species, (length, depth), '{"pooling": 0.5}') AS a, qda(species, (length, depth), '{"regularization": 0.5}') AS b, qda(species, (length, depth), '{"pooling": 0.1, "shrinkage": "oas"}') AS c
      FROM beaks WHERE species = 'Gentoo' OR id = 1) q;
SELECT try($$SELECT qda(species, (length, depth), '{"shrinkage": 0.5}') FROM beaks WHERE species = 'Gentoo' OR id = 1$$);
SELECT try($$SELECT qda(species, f) FROM beaks, LATERAL (SELECT length, 3 * length AS thrice) f$$);
SELECT try($$SELECT qda(species, f) FROM beaks, LATERAL (SELECT length, CASE species WHEN 'Gentoo' THEN 1 ELSE depth END AS odd) f$$);
-- "the hint named the option that was given"
SELECT try($$SELECT qda(species, f, '{"pooling": 0.5}') FROM beaks, LATERAL (SELECT length, 1 AS one) f$$);
SELECT try($$SELECT qda(species, (length, depth)) FROM beaks WHERE species = 'Gentoo'$$);
SELECT try($$SELECT qda(species, length, '{"pooling": 2}') FROM beaks$$);
SELECT try($$SELECT qda(species, length, '{"regularization": -1}') FROM beaks$$);
SELECT try($$SELECT qda(species, length, '{"singular": "none"}') FROM beaks$$);
SELECT try($$SELECT qda(species, length, '{"priors": {"Adelie": 0.5, "Chinstrap": 0.5, "Gentoo": 0.5}}') FROM beaks$$);
SELECT try($$SELECT coefficients(m) FROM qda_model$$);
SELECT try($$SELECT transform(m, (1, 2, 3)) FROM qda_model$$);
SELECT try($$SELECT classify('{"pgfit":1,"min_reader":1,"kind":"model","estimator":"qda","fields":1,"slots":1,"rows":3,"skipped":0,"weight":3,
    "schema":{"class_key":[0,0],"class_sorted":{"i64":[0,1]},"class_text":{"text":["a","b"]},"class_type":{"text":["text"]}},
    "arrays":{"counts":[1,2],"covariances_packed":{"f64":[1,-1],"shape":[2,1]},"means":{"f64":[0,1],"shape":[2,1]},"priors":[0.5,0.5]}}'::model, 1)$$);
