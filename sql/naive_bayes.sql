-- Naive Bayes: what a user sees. The functions of normal densities are at the end.
CREATE SCHEMA bayes;
SET search_path = bayes, test, pgfit, pgfit_textbook;
CREATE TABLE penguins (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    species text, island text, bill_length_mm float8, bill_depth_mm float8, flipper_length_mm float8,
    body_mass_g float8, sex text);
\copy penguins (species, island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) FROM PROGRAM 'sed ''1d;$d'' examples/penguins.sql' WITH (FORMAT csv, HEADER)

-- raw columns: numbers and categories together, rows with NULLs left out
CREATE TABLE bird_model AS
SELECT naive_bayes(species, f) AS m
FROM penguins, LATERAL (SELECT island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) AS f;
SELECT summary(m) FROM bird_model;
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped, classes(m) FROM bird_model;
SELECT species, classify(m, p) AS class, count(*) FROM penguins AS p, bird_model GROUP BY 1, 2 ORDER BY 1, 2;
-- means and variances are those of the server, and the shares of the levels with a row added to each
SELECT near_all((parameter(m, 'means'))[2:2][:], (SELECT ARRAY[[avg(bill_length_mm), avg(bill_depth_mm), avg(flipper_length_mm), avg(body_mass_g)]]
       FROM penguins WHERE species = 'Chinstrap' AND num_nulls(bill_length_mm, sex) = 0), 1e-12) AS means FROM bird_model;
SELECT near((parameter(m, 'variances'))[3][4] - (info(m) -> 'statistics' ->> 'added_variance')::float8,
       (SELECT var_pop(body_mass_g) FROM penguins WHERE species = 'Gentoo' AND num_nulls(body_mass_g, sex) = 0), 1e-10) AS variance,
       near((info(m) -> 'statistics' ->> 'added_variance')::float8, 1e-9 * (SELECT var_pop(body_mass_g)
       FROM penguins WHERE num_nulls(body_mass_g, sex) = 0), 1e-10) AS added FROM bird_model;
SELECT feature, level, round((parameter(m, 'level_probabilities'))[1][position]::numeric, 6) AS of_adelie
FROM bird_model, levels(m) WITH ORDINALITY AS l(feature, level, position);
SELECT round((count(*) FILTER (WHERE island = 'Biscoe') + 1) / (count(*) + 3.0), 6) AS biscoe, round((count(*) FILTER (WHERE sex = 'MALE') + 1) / (count(*) + 2.0), 6) AS male
FROM penguins WHERE species = 'Adelie' AND num_nulls(body_mass_g, sex) = 0;
-- scores agree with each other and with plain SQL
SELECT bool_and(near((SELECT sum(v) FROM unnest(probabilities(m, p)) v), 1)) AS sum_is_one,
       bool_and(classify(m, p) = (classes(m))[(SELECT o FROM unnest(decisions(m, p)) WITH ORDINALITY u(v, o) ORDER BY v DESC LIMIT 1)]) AS largest,
       bool_and(near(probability(m, p, 'Gentoo'), (probabilities(m, p))[3])) AS by_label,
       bool_and(near(distance(m, p), (SELECT min(v) FROM unnest(distances(m, p)) v))) AS distance
FROM penguins p, bird_model WHERE num_nulls(body_mass_g, sex) = 0;
SELECT try($$SELECT classify(m, '{"bill_length_mm": 40}'::jsonb) FROM bird_model$$);
SELECT classify(m, (SELECT p FROM penguins p WHERE id = 4)) IS NULL AS of_nulls FROM bird_model;
SELECT to_sql(naive_bayes(species, f)) FROM penguins, LATERAL (SELECT bill_depth_mm, sex) AS f \gset
SELECT count(*) AS rows, bool_and(classify(m, p) = :to_sql) AS same
FROM penguins p, (SELECT naive_bayes(species, f) AS m FROM penguins, LATERAL (SELECT bill_depth_mm, sex) AS f) q WHERE sex IS NOT NULL;
SELECT bool_and(:to_sql IS NULL) FROM penguins WHERE sex IS NULL;

-- two classes: log odds, the positive class, labels of any type
CREATE TABLE two AS SELECT species = 'Gentoo' AS gentoo, CASE species WHEN 'Gentoo' THEN 7 ELSE -2 END AS number, f.*
FROM penguins, LATERAL (SELECT bill_length_mm AS a, bill_depth_mm AS b) f WHERE bill_depth_mm IS NOT NULL;
SELECT bool_and(near(decision(m, (a, b)), ln(probability(m, (a, b)) / (1 - probability(m, (a, b)))), 1e-6)) AS log_odds,
       bool_and(near(decision(m, (a, b)), -decision(o, (a, b)))) AS other_way,
       bool_and(predict(m, (a, b)) = (classify(m, (a, b)))::bool::int) AS predicted,
       bool_and(classify(n, (a, b), NULL::int) = CASE classify(m, (a, b)) WHEN 'true' THEN 7 ELSE -2 END) AS typed
FROM two, (SELECT naive_bayes(gentoo, (a, b)) AS m, naive_bayes(gentoo, (a, b), '{"positive": false}') AS o, naive_bayes(number, (a, b)) AS n FROM two) q
WHERE probability(m, (a, b)) BETWEEN 1e-9 AND 1 - 1e-9;
-- what each feature adds
SELECT class, term, round(contribution::numeric, 3) FROM (SELECT naive_bayes(gentoo, f) AS m FROM two, LATERAL (SELECT a, b) f) q, explain(m, (46, 15));
-- the rule decides, the probabilities stay; calibration and decision rules apply to any classifier
WITH q AS (SELECT naive_bayes(gentoo, (a, b), '{"priors": {"true": 0.01, "false": 0.99}}') AS map,
                  naive_bayes(gentoo, (a, b), '{"priors": {"true": 0.01, "false": 0.99}, "rule": "ml"}') AS ml,
                  naive_bayes(gentoo, (a, b), '{"priors": {"true": 0.01, "false": 0.99}, "rule": {"true": 100}}') AS recalibrated,
                  naive_bayes(gentoo, (a, b), '{"priors": "uniform"}') AS uniform FROM two)
SELECT count(*) FILTER (WHERE classify(map, x) = 'true') < count(*) FILTER (WHERE classify(ml, x) = 'true') AS priors_count,
       count(*) FILTER (WHERE classify(ml, x) = 'true') < count(*) FILTER (WHERE classify(recalibrated, x) = 'true') AS weights_count,
       bool_and(near(probability(map, x), probability(ml, x))) AS same_probability, bool_and(classify(ml, x) = classify(uniform, x)) AS ml_is_uniform
FROM two, LATERAL (SELECT ARRAY[a, b] AS x) f, q;

-- moments: thirteen stored days, merged, are all rows; parallel workers; a window; text and back; groups
CREATE TABLE days AS SELECT id % 13 AS day, class_moments(species, f) AS e
FROM penguins, LATERAL (SELECT island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) AS f GROUP BY 1;
CREATE FUNCTION test.same_scores(a pgfit.model, b pgfit.model, tolerance float8) RETURNS boolean LANGUAGE sql AS $$
    SELECT bool_and(test.near_all(pgfit.decisions(a, p), pgfit.decisions(b, p), tolerance)) FROM bayes.penguins p
$$;
SELECT same_scores(m, n, 1e-12) AS merged, parameter(m, 'priors') = parameter(n, 'priors') AS priors,
       info(m) -> 'skipped' = info(n) -> 'skipped' AS skipped
FROM bird_model, (SELECT fit('naive_bayes', merge(e)) AS n FROM days) q;
SELECT same_scores(fit('naive_bayes', merge(e), '{"variance": "class", "priors": "uniform"}'), (SELECT naive_bayes(species, f, '{"variance": "class", "priors": "uniform"}')
       FROM penguins, LATERAL (SELECT island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) AS f), 1e-12) AS with_options FROM days;
SELECT m::text::model = m AS text, m::jsonb::model = m AS json FROM bird_model;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
ALTER TABLE penguins SET (parallel_workers = 2);
SELECT same_scores(m, n, 1e-11) AS parallel
FROM bird_model, (SELECT naive_bayes(species, f) AS n FROM penguins, LATERAL (SELECT island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) AS f) q;
COMMIT;
SELECT count(*) AS frames, count(m) AS models, bool_and(m IS NULL OR near_all(decisions(m, (40, 17)), decisions(again, (40, 17)), 1e-9)) AS same
FROM (SELECT naive_bayes(species, (bill_length_mm, bill_depth_mm)) OVER w AS m, id,
             (SELECT naive_bayes(species, (bill_length_mm, bill_depth_mm), '{"too_few_rows": "null"}') FROM penguins q WHERE q.id BETWEEN p.id - 40 AND p.id) AS again
      FROM penguins p WINDOW w AS (ORDER BY id ROWS 40 PRECEDING)) f;
SELECT sex, cardinality(classes(m)) AS classes, info(m) -> 'rows' AS rows FROM (SELECT sex, naive_bayes(species, body_mass_g) AS m FROM penguins GROUP BY sex) q ORDER BY sex;
SELECT island, m IS NULL AS passed_over FROM (SELECT island, naive_bayes(species, body_mass_g, '{"too_few_rows": "null"}') AS m FROM penguins GROUP BY island) q ORDER BY island;
SELECT naive_bayes(species, body_mass_g) IS NULL AS nothing FROM penguins WHERE false;
-- NULLs as a level and as the mean; levels that were not seen
SELECT info(m) -> 'rows' AS rows, round((parameter(m, 'level_probabilities'))[1][3]::numeric, 4) AS unknown_sex, classify(m, ('FEMALE', NULL::float8)), classify(m, (NULL::text, 5000.0))
FROM (SELECT naive_bayes(species, (sex, body_mass_g), '{"nulls": "impute"}') AS m FROM penguins) q;
SELECT near_all(decisions(m, ('nowhere', 4000)), decisions(n, 4000), 1e-9) AS adds_nothing
FROM (SELECT naive_bayes(species, (island, body_mass_g)) AS m, naive_bayes(species, body_mass_g) AS n FROM penguins WHERE sex IS NOT NULL) q;
-- categories alone
SELECT classify(m, ROW('Torgersen'::text)), distances(m, ROW('Torgersen'::text)) FROM (SELECT naive_bayes(species, ROW(island)) AS m FROM penguins) q;

-- refusals
SELECT try($$SELECT naive_bayes(species, body_mass_g) FROM penguins WHERE species = 'Gentoo'$$);
-- the hint is not to smooth by a share of nothing, as the default does already
SELECT try($$SELECT naive_bayes(species, f) FROM penguins, LATERAL (SELECT 5 AS five) f$$);
SELECT try($$SELECT naive_bayes(species, f, '{"var_smoothing": 0}') FROM penguins, LATERAL (SELECT 5 AS five, bill_depth_mm) f$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"var_smoothing": 0}') FROM penguins WHERE species = 'Gentoo' OR id = 1$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"var_smoothing": 0, "variance": "class"}') FROM penguins WHERE species = 'Gentoo' OR id = 1$$);
SELECT try($$SELECT classify(naive_bayes(species, bill_depth_mm), 18) FROM penguins WHERE species = 'Gentoo' OR id = 1$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"priors": {"Adelie": 0.5, "Gentoo": 0.2, "Chinstrap": 0.2}}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"priors": {"Adelie": 0.5, "Gentoo": 0.5}}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"priors": {"Adelie": 0.5, "Gentoo": 0.5, "Emperor": 0.1}}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"priors": {"Adelie": -1, "Gentoo": 0.5, "Chinstrap": 0.5}}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"rule": {"Emperor": 2}}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"rule": "bayes"}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"var_smoothing": -1}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"level_smoothing": 0}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"variance": "own"}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, bill_depth_mm, '{"positive": "Gentoo"}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(id, bill_depth_mm, '{"max_levels": 100}') FROM penguins$$);
SELECT try($$SELECT naive_bayes(species, 'NaN'::float8) FROM penguins$$);
SELECT try($$SELECT fit('naive_bayes', merge(e)) FROM (SELECT feature_moments(body_mass_g) AS e FROM penguins) q$$);
SELECT try($$SELECT decision(m, p) FROM bird_model, penguins p LIMIT 1$$);
SELECT try($$SELECT transform(m, p) FROM bird_model, penguins p LIMIT 1$$);
SELECT try($$SELECT parameter(m, 'variance') FROM bird_model$$);

-- densities, ratios, thresholds, decisions
SELECT near(normal_density(1.3, 0.5, 2), 0.184135070151662) AS density, near(normal_log_density(-4, 0.5, 2), -4.14333571376462) AS log_density,
       near(normal_density(ARRAY[3, 2], ARRAY[1, -1], '{{2, 0.6}, {0.6, 1}}'), 0.00136388189673832) AS of_two,
       near(likelihood_ratio(0, 2, 1, 0, 2), 0.270670566473225) AS ratio,
       near(likelihood_ratio(ARRAY[1, 2], ARRAY[1, 1], '{{2, 0.5}, {0.5, 1}}', ARRAY[-1, 0], '{{1, -0.2}, {-0.2, 3}}'), 14.358342637519, 1e-10) AS of_points;
SELECT normal_thresholds(2, 1.5, -1, 1.5) AS equal, (SELECT array_agg(round(v::numeric, 10)) FROM unnest(normal_thresholds(2, 1, 0, 2)) v) AS two,
       (SELECT array_agg(round(v::numeric, 10)) FROM unnest(normal_thresholds(2, 1, 0, 2, 0.3)) v) AS with_prior,
       normal_thresholds(1, 2, 1, 2) AS same, normal_thresholds(0, 1, 0, 2, 0.01) AS never;
SELECT near_all(posterior('{0.02, 0.05, 0.01}', '{0.6, 0.1, 0.3}'), '{0.6, 0.25, 0.15}') AS posterior, bayes_class('{0.02, 0.05, 0.01}') AS ml, bayes_class('{0.02, 0.05, 0.01}', '{0.6, 0.1, 0.3}') AS map,
       bayes_class('{1, 1}') AS tie, posterior('{0, 0}', '{0.5, 0.5}') AS impossible, posterior('{1e-320, 2e-320}', '{0.5, 0.5}') IS NOT NULL AS tiny;
SELECT normal_density(ARRAY[1, NULL], ARRAY[1, 1], '{{1, 0}, {0, 1}}') IS NULL AS of_null, normal_density(1, 0, 1e-300) = 0 AS far,
       normal_log_density(1e6, 0, 1) < -4e11 AS log_far;
SELECT try($$SELECT normal_density(0, 0, 0)$$);
SELECT try($$SELECT normal_density('NaN', 0, 1)$$);
SELECT try($$SELECT normal_density(ARRAY[1, 2], ARRAY[1], '{{1, 0}, {0, 1}}')$$);
SELECT try($$SELECT normal_density(ARRAY[1, 2], ARRAY[1, 1], '{{1}}')$$);
SELECT try($$SELECT normal_density(ARRAY[1, 2], ARRAY[1, 1], '{{1, 2}, {2, 1}}')$$);
SELECT try($$SELECT normal_density(ARRAY[1, 2], ARRAY[1, 1], '{{1, 0.5}, {0, 1}}')$$);
SELECT try($$SELECT normal_density(ARRAY[1, 2], ARRAY[1, 'Infinity'::float8], '{{1, 0}, {0, 1}}')$$);
SELECT try($$SELECT normal_density('{}'::float8[], '{}', '{}')$$);
SELECT try($$SELECT likelihood_ratio(1000, 1000, 1, 0, 1)$$);
SELECT try($$SELECT normal_thresholds(0, 1, 0, -1)$$);
SELECT try($$SELECT normal_thresholds(0, 1, 0, 1, 1)$$);
SELECT try($$SELECT posterior('{1, 2}', '{0.5, 0.6}')$$);
SELECT try($$SELECT posterior('{1, 2}', '{1}')$$);
SELECT try($$SELECT bayes_class('{1, -2}')$$);

-- many levels: no products of two of them are kept, and stored moments that have them give the same probabilities
SET pgfit.fit_mem = '1MB';
SELECT length(naive_bayes(i % 7 = 0, 'level ' || i % 1500, '{"max_levels": 1500}')::text) > 1500 * 16 AS fitted FROM generate_series(1, 3000) i;
RESET pgfit.fit_mem;
WITH t AS (SELECT i % 3 AS y, 'level ' || i * i % 40 AS l, nullif(sin(i), sin(7)) AS x FROM generate_series(1, 600) i),
     o(o) AS (VALUES ('{"nulls": "impute"}'::jsonb)), c AS (SELECT class_moments(y, (l, x), o) AS c FROM t, o),
     f AS (SELECT naive_bayes(y, (l, x), o) AS own, (SELECT fit('naive_bayes', c) FROM c) AS of_moments FROM t, o)
SELECT (SELECT bool_and(near(a, b)) AND count(*) > 2 FROM unnest(parameter(own, 'level_probabilities'), parameter(of_moments, 'level_probabilities')) u(a, b)) AS levels,
       (SELECT bool_and(near(a, b)) AND count(*) > 2 FROM unnest(parameter(own, 'means'), parameter(of_moments, 'means')) u(a, b)) AS means,
       (SELECT bool_and(near(a, b)) AND count(*) > 2 FROM unnest(parameter(own, 'variances'), parameter(of_moments, 'variances')) u(a, b)) AS variances FROM f;
