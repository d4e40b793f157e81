-- Shrinkage by Ledoit and Wolf: the numbers are scikit-learn's of the same rows.
CREATE SCHEMA shrinkage;
SET search_path = shrinkage, test, pgfit;
CREATE TABLE birds (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    species text, island text, length float8, depth float8, flipper float8, mass float8, sex text);
\copy birds (species, island, length, depth, flipper, mass, sex) FROM PROGRAM 'sed ''1d;$d'' examples/penguins.sql' WITH (FORMAT csv, HEADER)
CREATE VIEW measured AS SELECT id, species, ARRAY[length, depth, flipper, mass] AS x, 1 + id % 3 AS n FROM birds WHERE mass IS NOT NULL;
-- upper triangles by columns
CREATE FUNCTION packed(m model, name text) RETURNS float8[] LANGUAGE sql AS $$
    SELECT array_agg(a[i][j] ORDER BY j, i) FROM (SELECT pgfit.parameter(m, name)::float8[] AS a) q, generate_series(1, array_length(a, 1)) j, generate_series(1, j) i
$$;
CREATE FUNCTION shares(m model) RETURNS float8[] LANGUAGE sql AS $$
    SELECT CASE jsonb_typeof(s) WHEN 'array' THEN (SELECT array_agg(v::float8 ORDER BY o) FROM jsonb_array_elements_text(s) WITH ORDINALITY u(v, o)) ELSE ARRAY[(s #>> '{}')::float8] END
    FROM (SELECT pgfit.info(m) -> 'statistics' -> 'shrinkage' AS s) q
$$;

-- lda: LinearDiscriminantAnalysis(solver='lsqr', shrinkage='auto'), also with priors
SELECT near_all(packed(m, 'covariance'), ARRAY[8.683883295321948, 1.6499543767039775, 1.24522609229776, 8.96909338738094, 3.4253221839180004,
           43.722973791291786, 758.0571399710054, 304.5630663637479, 1697.6372838568914, 211823.05033012392], 1e-10) AS covariance,
       near_all(shares(m), ARRAY[0.052356761307601044, 0.0750102949031848, 0.029337654934954882], 1e-10) AS shares,
       (SELECT round(avg((classify(m, x) = species)::int), 4) FROM measured) AS accuracy
FROM (SELECT lda(species, x, '{"shrinkage": "auto"}') AS m FROM measured) q;
SELECT near_all(packed(m, 'covariance'), ARRAY[9.415657746023006, 1.8528883016994273, 1.1526183772652185, 10.500114326793309, 3.9095364469970435,
           44.387534782646334, 806.9069198665109, 303.8673872679053, 1850.9662001916104, 211473.9457320671], 1e-10) AS covariance
FROM (SELECT lda(species, x, '{"shrinkage": "auto", "priors": {"Adelie": 0.2, "Chinstrap": 0.3, "Gentoo": 0.5}}') AS m FROM measured) q;
-- qda: the covariance of a class; multivariate_normal: of all rows, in units of the features and in standard deviations
SELECT near_all((parameter(m, 'covariances_packed')::float8[])[1:1][:], ARRAY[[7.046747072496822, 1.1978624129193838, 1.470433752905574, 632.9755839597515, 303.5119667133772,
           208890.28989956595]], 1e-10) AS covariance
FROM (SELECT qda(species, ARRAY[x[1], x[2], x[4]], '{"shrinkage": "auto"}') AS m FROM measured) q;
SELECT near_all(packed(m, 'covariance'), ARRAY[826.0413524160697, -2.5142745845674668, 800.3381487517953, 49.9790112472085, -16.085258953692104,
           992.6435327289603, 2585.0705539591077, -741.4838875933067, 9747.040030291626, 638862.315999481], 1e-10) AS covariance,
       near_all(shares(m), ARRAY[0.004966436320054434], 1e-10) AS share
FROM (SELECT multivariate_normal(x, '{"shrinkage": "ledoit_wolf"}') AS m FROM measured) q;
SELECT near_all(packed(m, 'covariance'), ARRAY[29.719899199753765, -2.5046475629913605, 3.888405064806265, 49.7876443127525, -16.02366936600152,
           197.15362846687876, 2575.1724584402364, -738.6447858388642, 9709.7191405007, 641250.5771006466], 1e-10) AS covariance,
       near_all(shares(m), ARRAY[0.008776366088780586], 1e-10) AS share
FROM (SELECT multivariate_normal(x, '{"shrinkage": "auto"}') AS m FROM measured) q;
-- with the diagonal as the target ledoit_wolf is the same as auto; with one feature nothing is shrunk
SELECT parameter(a, 'covariance') = parameter(b, 'covariance') AS same, shares(c) AS one
FROM (SELECT lda(species, x, '{"shrinkage": "auto"}') AS a, lda(species, x, '{"shrinkage": "ledoit_wolf", "shrinkage_target": "diagonal"}') AS b,
             lda(species, x[1:1], '{"shrinkage": "ledoit_wolf"}') AS c FROM measured) q;

-- moments of thirteen days, parallel workers, text and back, a window, counts as weights
CREATE TABLE days AS SELECT id % 13 AS day, class_moments(species, x, '{"fourth_moments": true}') AS e FROM measured GROUP BY 1;
CREATE TABLE fitted AS SELECT lda(species, x, '{"shrinkage": "auto"}') AS l, qda(species, x, '{"shrinkage": "ledoit_wolf"}') AS q FROM measured;
SELECT near_all(packed(l, 'covariance'), packed(m, 'covariance')) AS lda, near_all(shares(l), shares(m), 1e-11) AS shares, near_all(shares(q), shares(n), 1e-11) AS qda
FROM fitted, (SELECT fit('lda', merge(e), '{"shrinkage": "auto"}') AS m, fit('qda', merge(e), '{"shrinkage": "ledoit_wolf"}') AS n FROM (SELECT e::text::model AS e FROM days) t) d;
SELECT bool_and(e::text::model = e AND e::jsonb::model = e) AS text, bool_and(parameter(naive_bayes, 'counts') IS NOT NULL) AS others
FROM (SELECT e, fit('naive_bayes', merge(e) OVER (PARTITION BY day)) AS naive_bayes FROM days) d;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
ALTER TABLE birds SET (parallel_workers = 2);
SELECT near_all(packed(l, 'covariance'), packed(m, 'covariance')) AS parallel FROM fitted, (SELECT lda(species, x, '{"shrinkage": "auto"}') AS m FROM measured) p;
COMMIT;
SELECT near_all(packed(a, 'covariance'), packed(b, 'covariance')) AS counts, near_all(shares(a), shares(b), 1e-11) AS shares
FROM (SELECT multivariate_normal(x, '{"shrinkage": "ledoit_wolf", "weight_kind": "frequency"}', n) AS a FROM measured) a,
     (SELECT multivariate_normal(x, '{"shrinkage": "ledoit_wolf"}') AS b FROM measured, generate_series(1, n)) b;
SELECT count(m) AS frames, bool_and(near_all(shares(m), shares(again), 1e-9)) AS same
FROM (SELECT multivariate_normal(x, '{"shrinkage": "auto"}') OVER (ORDER BY id ROWS 40 PRECEDING) AS m,
             (SELECT multivariate_normal(x, '{"shrinkage": "auto", "too_few_rows": "null"}') FROM (SELECT x FROM measured q WHERE q.id <= p.id ORDER BY id DESC LIMIT 41) w) AS again
      FROM measured p WHERE id < 120) f WHERE again IS NOT NULL;
SELECT count(*) AS groups, bool_and((shares(m))[1] BETWEEN 0.001 AND 1) AS shares FROM (SELECT multivariate_normal(x, '{"shrinkage": "ledoit_wolf"}') AS m FROM measured GROUP BY id % 30) g;
-- far from zero, with levels, and with NULLs as their means
SELECT near_all(shares(a), shares(b), 1e-7) AS far, near_all(shares(c), shares(d), 1e-12) AS imputed, cardinality(shares(e)) AS levels
FROM (SELECT multivariate_normal(ARRAY[length, depth, flipper], '{"shrinkage": "auto"}') AS a,
             multivariate_normal(ARRAY[1e9 + length, 1e9 - depth, 1e9 + flipper], '{"shrinkage": "auto"}') AS b,
             multivariate_normal((length, CASE WHEN id % 4 > 0 THEN depth END, flipper), '{"shrinkage": "auto", "nulls": "impute"}') AS c,
             multivariate_normal((length, coalesce(CASE WHEN id % 4 > 0 THEN depth END, mean), flipper), '{"shrinkage": "auto"}') AS d,
             multivariate_normal((length, depth, sex), '{"shrinkage": "auto"}') AS e
      FROM birds, (SELECT avg(depth) AS mean FROM birds WHERE id % 4 > 0 AND mass IS NOT NULL) q WHERE mass IS NOT NULL) m;

-- refusals
SELECT try($$SELECT fit('lda', merge(e), '{"shrinkage": "auto"}') FROM (SELECT class_moments(species, x) AS e FROM measured) q$$);
SELECT try($$SELECT fit('qda', merge(e), '{"shrinkage": "ledoit_wolf"}') FROM (SELECT class_moments(species, x) AS e FROM measured) q$$);
SELECT try($$SELECT fit('multivariate_normal', merge(e), '{"shrinkage": "auto"}') FROM (SELECT feature_moments(x) AS e FROM measured) q$$);
SELECT try($$SELECT merge(class_moments(species, x), class_moments(species, x, '{"fourth_moments": true}')) FROM measured$$);
SELECT try($$SELECT fit('lda', merge(e)) FROM (SELECT e FROM days UNION ALL SELECT class_moments(species, x) FROM measured) q$$);
SELECT try($$SELECT lda(species, x, '{"shrinkage": "auto", "shrinkage_target": "identity"}') FROM measured$$);
SELECT try($$SELECT multivariate_normal(ARRAY[length * 1e80, depth], '{"shrinkage": "auto"}') FROM birds WHERE mass IS NOT NULL$$);
SELECT try($$SELECT multivariate_normal(ARRAY[length * 1e-80, depth], '{"shrinkage": "auto"}') FROM birds WHERE mass IS NOT NULL$$);
SELECT try($$SELECT moments(mass, x, '{"fourth_moments": true}') FROM (SELECT mass, ARRAY[length] AS x FROM birds) q$$);
SELECT name, type, help FROM options('class_moments') WHERE name = 'fourth_moments';
