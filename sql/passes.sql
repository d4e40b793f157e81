-- Fits by passes over the source: the models of the aggregates, rows, plans, errors.
SET search_path = public, test, pgfit, pgfit_textbook;
CREATE TABLE measured AS
SELECT i AS id, sin(i) AS a, 1000 * cos(i * 3) + 5000 AS b, (ARRAY['left', 'middle', 'right'])[1 + i % 7 % 3] AS side,
    CASE WHEN i % 50 > 0 THEN cos(i * 1.1) END AS c, 1 + i % 3 AS w, sin(i) + cos(i * 3) + 2 * sin(i * 11) > 0.3 AS yes,
    (ARRAY['north', 'south', 'west'])[1 + (abs(3 * sin(i) + 2 * cos(i * 5)))::int % 3] AS home,
    i % 4 * 10 + sin(i * 5) AS u, i % 2 * 8 + cos(i * 7) AS v
FROM generate_series(1, 3000) AS i;
ALTER TABLE measured SET (parallel_workers = 2);
ANALYZE measured;

-- centroids or means as numbers in order
CREATE FUNCTION test.sorted_centers(m model) RETURNS float8[] LANGUAGE sql AS $$
    SELECT array_agg(n::float8 ORDER BY n::float8) FROM jsonb_array_elements_text(coalesce(m::jsonb #> '{arrays,centroids,f64}', m::jsonb #> '{arrays,means,f64}')) AS n
$$;

-- the query of a pass
SELECT fit_sql('logistic_regression', 'measured', 'yes ~ a + b', '{"passes": true, "weight": "w"}');
SELECT fit_sql('kmeans', 'SELECT a, b FROM measured', NULL, '{"passes": true, "k": 3}');
SELECT fit_sql('linear_regression', 'measured', 'a ~ b', '{"passes": true}') AS one_pass_already, fit_sql('kmeans', 'measured', '~ a', '{"passes": false, "k": 2}') AS not_wanted;

-- logistic_regression: the model of the aggregate
SELECT formula, options, near_all(estimates(p), estimates(m), 1e-6) AS same, (info(p) -> 'options') = (info(m) -> 'options') AS same_options,
    info(p) -> 'rows' = info(m) -> 'rows' AND info(p) -> 'skipped' = info(m) -> 'skipped' AND info(p) -> 'weight' = info(m) -> 'weight' AS same_rows,
    info(p) -> 'converged' AS converged,
    (SELECT bool_and(near(value::float8, (info(m) #>> ARRAY['statistics', key])::float8, 1e-6)) FROM jsonb_each_text(info(p) -> 'statistics')) AS same_statistics
FROM (VALUES ('yes ~ a + b', '{}'::jsonb), ('yes ~ a + b + side', '{"weight": "w"}'), ('home ~ a + b + side + c', '{}'), ('yes ~ log(b) + I(a^2) + side + c', '{"nulls": "impute"}'),
    ('home ~ a + c', '{"nulls": "impute", "lambda": 1, "weight": "w"}'), ('yes ~ a + b', '{"lambda": 3, "penalty": "l1", "standardize": true}'),
    ('yes ~ a + side', '{"class_weight": "balanced", "intercept": false}'), ('yes ~ . - id - w', '{"lambda": 2}')) AS t(formula, options),
    LATERAL (SELECT fit('logistic_regression', 'measured', formula, options || '{"passes": true}') AS p, fit('logistic_regression', 'measured', formula, options) AS m) AS f;

-- generalized linear models: the model of the aggregate
SELECT estimator, formula, options, near_all(estimates(p), estimates(m), 1e-9) AS same, near_all((SELECT array_agg(std_error) FROM coefficients(p)), (SELECT array_agg(std_error) FROM coefficients(m)), 1e-9) AS same_errors,
    (info(p) -> 'options') = (info(m) -> 'options') AS same_options, info(p) -> 'rows' = info(m) -> 'rows' AND info(p) -> 'skipped' = info(m) -> 'skipped' AND info(p) -> 'weight' = info(m) -> 'weight' AS same_rows,
    info(p) -> 'converged' AS converged, (SELECT count(*) FROM jsonb_object_keys(info(p) -> 'statistics')) = (SELECT count(*) FROM jsonb_object_keys(info(m) -> 'statistics')) AS same_keys,
    (SELECT bool_and(near(value::float8, (info(m) #>> ARRAY['statistics', key])::float8, 1e-9)) FROM jsonb_each_text((info(p) -> 'statistics') - 'dropped_terms' - 'pseudo_r_squared')) AS same_statistics
FROM (VALUES ('poisson_regression', 'w ~ a + b + side', '{}'::jsonb), ('poisson_regression', 'w ~ log(b) + I(a^2) + side + c', '{"nulls": "impute"}'), ('negative_binomial_regression', 'w ~ a + side + c', '{"theta": 3}'),
    ('gamma_regression', 'b ~ a + side', '{"weight": "w"}'), ('tweedie_regression', 'b ~ . - id - yes - home', '{"power": 1.3}'), ('glm', 'a ~ b + side', '{"weight": "w", "weight_kind": "frequency"}'),
    ('glm', 'w ~ a + c', '{"family": "poisson", "link": "identity", "weight": "w"}'), ('glm', 'b ~ a + c', '{"family": "inverse_gaussian", "link": "log"}'), ('glm', 'w ~ side + a', '{"family": "quasipoisson", "intercept": false}'),
    ('glm', 'late ~ a + side', '{"family": "binomial", "link": "cloglog"}'), ('glm', 'late ~ a + 1', '{"family": "quasibinomial", "link": "probit", "weight": "w"}'), ('glm', 'b ~ 1', '{"family": "gamma"}'),
    ('negative_binomial_regression', 'varied ~ a + side + c', '{}'), ('glm', 'varied ~ side', '{"family": "negative_binomial", "link": "sqrt", "weight": "w", "weight_kind": "frequency"}'), ('negative_binomial_regression', 'varied ~ side', '{"intercept": false, "weight": "w"}'),
    ('poisson_regression', 'w ~ 0 + side + a', '{}'), ('gamma_regression', 'b ~ side - 1', '{}'),
    ('poisson_regression', 'varied ~ a * u + side + offset(ln(b)) + offset(c)', '{}'), ('negative_binomial_regression', 'varied ~ side + offset(ln(b))', '{}'), ('negative_binomial_regression', 'varied ~ 0 + side + offset(ln(b))', '{"theta": 2}'),
    ('gamma_regression', 'b ~ factor(side, ref = ''middle'') + offset(log(w))', '{"weight": "w"}'), ('tweedie_regression', 'varied ~ a + offset(c)', '{"power": 1.3, "nulls": "impute"}'), ('glm', 'late ~ a + c + offset(u / 10)', '{"family": "binomial"}'),
    ('glm', 'a ~ b + offset(v)', '{"weight": "w", "weight_kind": "frequency"}'), ('glm', 'varied ~ a + offset(c / 10)', '{"family": "negative_binomial", "link": "sqrt"}'), ('poisson_regression', 'varied ~ offset(ln(b))', '{}'),
    ('negative_binomial_regression', 'varied ~ 0 + side + offset(c / 10)', '{}')) AS t(estimator, formula, options),
    LATERAL (SELECT fit(estimator, q, formula, options || '{"passes": true}') AS p, fit(estimator, q, formula, options) AS m FROM (VALUES ('SELECT *, yes::int AS late, (w * (id % 5) ^ 2)::int AS varied FROM measured')) AS s(q)) AS f;
-- a formula that leaves the intercept out
SELECT near_all(estimates(fit('logistic_regression', 'measured', 'yes ~ 0 + a + side', '{"passes": true}')), estimates(fit('logistic_regression', 'measured', 'yes ~ 0 + a + side')), 1e-9) AS through_0;
SELECT fit_sql('gamma_regression', 'measured', 'b ~ a', '{"passes": true, "weight": "w"}');
-- a later step changes nothing; states are values that merge
CREATE TABLE of_passes AS SELECT fit('poisson_regression', 'measured', 'w ~ a + side', '{"passes": true}') AS m;
SELECT near_all(estimates(glm_step(w, d, m)), estimates(m), 1e-9) AS further, m::text::model = m AS text, m::jsonb::model = m AS jsonb FROM measured AS d, of_passes GROUP BY m;
CREATE AGGREGATE test.glm_sums(target "any", features "any", m model) (SFUNC = pgfit_internal.glm_step_step, STYPE = pgfit.model);
CREATE AGGREGATE test.glm_of_sums(sums model) (SFUNC = pgfit_internal.step_combine, STYPE = pgfit.model, FINALFUNC = pgfit_internal.step_final);
SELECT near_all(estimates(glm_of_sums(sums::model)), (SELECT estimates(m) FROM of_passes), 1e-9) AS from_parts FROM (SELECT glm_sums(w, d, m)::text AS sums FROM measured AS d, of_passes GROUP BY id % 7) AS parts;
SELECT summary(glm_start(moments(w, d, '{"formula": "a + side"}'), '{"link": "sqrt"}', 'poisson_regression')) AS began FROM measured AS d;
SELECT try(format('SELECT fit(%L, %L, %L, %L)', estimator, source, formula, options || '{"passes": true}')) AS refused
FROM (VALUES ('glm', 'measured', 'w ~ a', '{"power": 1.2}'::jsonb), ('glm', 'measured', 'w ~ a', '{"theta": 2}'), ('poisson_regression', 'measured', 'w ~ poly(a, 2) + offset(c)', '{}'),
    ('poisson_regression', 'measured', 'u - 1000 ~ a', '{}'), ('poisson_regression', 'SELECT a, 1 - w AS w FROM measured', 'w ~ a', '{}'), ('poisson_regression', 'SELECT a, 2 - w AS w FROM measured', 'w ~ a', '{}'),
    ('poisson_regression', 'SELECT a, 0 AS w FROM measured', 'w ~ a', '{}'), ('glm', 'measured', 'b ~ a', '{"family": "gamma", "link": "identity", "intercept": false}'), ('glm', 'measured', 'b ~ a', '{"max_iter": 0}'),
    ('poisson_regression', 'measured', 'w ~ a + 1', '{"intercept": false}')) AS t(estimator, source, formula, options);
SELECT options, info(fit('poisson_regression', 'SELECT id < 100 AS early, CASE WHEN id < 100 THEN 0 ELSE w END AS w FROM measured', 'w ~ early', options)) #> '{statistics,separated}' AS separated FROM (VALUES ('{"passes": true}'::jsonb), ('{}')) AS t(options);
-- theta that grows without bound, and what steps need of it
SELECT info(fit('negative_binomial_regression', 'SELECT a, 3 + id % 2 AS w FROM measured', 'w ~ a', '{"passes": true}')) #> '{statistics,theta}' AS stopped;
SELECT array_agg(DISTINCT try(format('SELECT glm_step(w, d, %L) FROM measured AS d', CASE value WHEN '' THEN m #- '{facts,theta}' ELSE jsonb_set(m, '{facts,theta}', value::jsonb) END))) AS refused
FROM (SELECT negative_binomial_regression(w, d, 'a')::jsonb AS m FROM measured AS d) AS f, unnest('{"",0,-1}'::text[]) AS value;
SELECT try($$SELECT glm_start(moments(w, a), '{}', 'lasso_regression') FROM measured$$);
SELECT try($$SELECT glm_start(class_moments(yes, a)) FROM measured$$);
-- offsets in steps by hand: from moments that sum them, of parts, and from a fit to some of the rows
CREATE FUNCTION test.steps(m model) RETURNS model LANGUAGE plpgsql AS $$
BEGIN
    WHILE m IS NOT NULL AND NOT (info(m) ->> 'converged')::boolean LOOP
        m := (SELECT glm_step(w, d, m) FROM measured AS d);
    END LOOP;
    RETURN m;
END $$;
CREATE TABLE begun AS SELECT method, formula, fit(method, 'measured', 'w ~ ' || formula, '{"max_iter": 200}') AS fitted, glm_start(moments(w, d, jsonb_build_object('formula', formula)), '{}', method) AS began,
    fit(method, 'SELECT * FROM measured WHERE id < 500', 'w ~ ' || formula) AS of_some, NULL::model AS of_parts
FROM measured AS d, (VALUES ('poisson_regression', 'a + side + offset(c)'), ('negative_binomial_regression', 'a + offset(u / 5)')) AS t(method, formula) GROUP BY method, formula;
UPDATE begun SET of_parts = (SELECT glm_start(merge(part), '{}', method) FROM (SELECT moments(w, d, jsonb_build_object('formula', formula)) AS part FROM measured AS d GROUP BY id % 3) AS parts),
    of_some = (SELECT glm_step(w, d, of_some) FROM measured AS d);
SELECT method, formula, same_fit(steps(began), fitted, 1e-9) AS same, same_fit(steps(of_parts), fitted, 1e-9) AS of_parts, same_fit(steps(of_some), fitted, 1e-9) AS of_some FROM begun ORDER BY method;
SELECT passes, try(format('SELECT fit(''poisson_regression'', ''SELECT a, w, id - 7 AS people FROM measured WHERE id >= %s'', ''w ~ a + offset(ln(people))'', %L)', first, jsonb_build_object('passes', passes))) AS refused
FROM unnest(ARRAY[7, 1]) AS first, unnest(ARRAY[false, true]) AS passes;
SELECT try(format('SELECT pgfit.fit(%L, (SELECT moments(w, d, ''a + offset(c)'') FROM measured AS d))', method)) AS refused FROM unnest(ARRAY['linear_regression', 'total_least_squares']) AS method;
SELECT try($$SELECT svm_start(moments(w, d, 'a + offset(c)'), '{"loss": "squared_epsilon_insensitive"}') FROM measured AS d$$);
-- an offset that the text of moments writes in another way is refused as well; moments that keep rows for a formula have nothing to start from
SELECT formula, try(format('SELECT pgfit.fit(''linear_regression'', %L::pgfit.model)', replace(moments(w, d, 'a + offset(c)')::text, '"a + offset(c)"', formula))) AS refused FROM measured AS d, unnest(ARRAY['"a + offset (c)"', '"a + OFFSET(c)"']) AS formula GROUP BY formula ORDER BY formula COLLATE "C";
SELECT try($$SELECT glm_start(moments(w, d, '{"formula": "poly(a, 2)", "keep_rows": true}')) FROM measured AS d$$);
SELECT try($$SELECT fit('svm_regression', 'measured', 'w ~ a + offset(c)', '{"passes": true, "loss": "squared_epsilon_insensitive"}')$$);
SELECT try($$SELECT fit('logistic_regression', 'measured', 'yes ~ a + offset(c)', '{"passes": true}')$$);
-- more zeros than the fit expects: the NOTICE of a fit of the rows, unless weights are no counts
SET client_min_messages = notice;
SELECT count(*) AS zeros FROM (VALUES ('{}'::jsonb), ('{"passes": true}'), ('{"passes": true, "weight": "w", "weight_kind": "frequency"}'), ('{"passes": true, "weight": "w"}')) AS t(options),
    LATERAL (SELECT info(fit('poisson_regression', 'SELECT a, w, CASE WHEN id % 3 > 0 THEN id % 7 ELSE 0 END AS y FROM measured', 'y ~ a', options)) -> 'statistics' AS s) AS f WHERE s ? 'zeros_z';
SET client_min_messages = warning;
SELECT try($$SELECT glm_step(w, d, (SELECT linear_regression(w, e, 'a') FROM measured AS e)) FROM measured AS d$$);
SELECT try($$SELECT glm_step(-w, d, m) FROM measured AS d, of_passes$$);

-- support vector machines: the model of the aggregate
SELECT estimator, formula, options, near_all(estimates(p), estimates(m), 1e-6) AS same, (info(p) -> 'options') = (info(m) -> 'options') AS same_options,
    info(p) -> 'rows' = info(m) -> 'rows' AND info(p) -> 'skipped' = info(m) -> 'skipped' AND info(p) -> 'weight' = info(m) -> 'weight' AS same_rows,
    info(p) -> 'converged' AS converged,
    (SELECT bool_and(near(value::float8, (info(m) #>> ARRAY['statistics', key])::float8, 1e-6)) FROM jsonb_each_text((info(p) -> 'statistics') - 'gap')) AS same_statistics
FROM (VALUES ('svm_classifier', 'yes ~ a + b', '{"loss": "squared_hinge"}'::jsonb), ('svm_classifier', 'yes ~ a + b + side', '{"loss": "squared_hinge", "weight": "w", "C": 0.01, "standardize": true}'),
    ('svm_classifier', 'home ~ a + log(b) + side + c', '{"loss": "squared_hinge", "C": 10}'), ('svm_classifier', 'home ~ a + side + c', '{"loss": "squared_hinge", "nulls": "impute", "multiclass": "ovo", "weight": "w"}'),
    ('svm_classifier', 'yes ~ a + side', '{"loss": "squared_hinge", "class_weight": "balanced", "intercept": false, "max_iter": 20}'),
    ('svm_classifier', 'yes ~ a + b + side', '{"loss": "squared_hinge", "penalty": "l1", "C": 1, "standardize": true}'),
    ('svm_regression', 'v ~ a + b + side + u', '{"loss": "squared_epsilon_insensitive", "epsilon": 4}'), ('svm_regression', 'u ~ a + side + c', '{"loss": "squared_epsilon_insensitive", "epsilon": 2, "weight": "w"}'),
    ('svm_regression', 'v ~ . - id - w', '{"loss": "squared_epsilon_insensitive", "nulls": "impute", "standardize": true, "epsilon": 0.5}')) AS t(estimator, formula, options),
    LATERAL (SELECT fit(estimator, 'measured', formula, options || '{"passes": true}') AS p, fit(estimator, 'measured', formula, options) AS m) AS f;
SELECT fit_sql('svm_regression', 'measured', 'v ~ a + b', '{"passes": true, "weight": "w", "loss": "squared_epsilon_insensitive"}');
SELECT info(fit('svm_regression', 'measured', 'v ~ a + b', '{"passes": true, "loss": "squared_epsilon_insensitive", "epsilon": 4, "max_iter": 1}')) -> 'converged' AS converged;

-- kmeans and gaussian_mixture: that of the aggregate where the rows or the options leave no choice of the start
SELECT estimator, options, near_all(sorted_centers(p), sorted_centers(m), 1e-3) AS same, info(p) -> 'converged' AS converged,
    info(p) -> 'rows' AS rows, info(p) -> 'skipped' = info(m) -> 'skipped' AS same_skipped, info(p) -> 'options' = info(m) -> 'options' AS same_options,
    near(coalesce(info(p) #>> '{statistics,inertia}', info(p) #>> '{statistics,log_likelihood}')::float8, coalesce(info(m) #>> '{statistics,inertia}', info(m) #>> '{statistics,log_likelihood}')::float8, 1e-4) AS same_loss
FROM (VALUES ('kmeans', '{"k": 4}'::jsonb), ('kmeans', '{"k": 4, "weight": "w", "standardize": true}'), ('kmeans', '{"init": [[0, 0], [10, 8], [20, 0], [30, 8]], "tolerance": 1e-6}'),
    ('gaussian_mixture', '{"k": 4}'), ('gaussian_mixture', '{"k": 4, "standardize": true, "weight": "w", "covariance_type": "diagonal"}'),
    ('gaussian_mixture', '{"init": [[0, 0], [10, 8], [20, 0], [30, 8]]}')) AS t(estimator, options),
    LATERAL (SELECT fit(estimator, 'measured', '~ u + v', options || '{"passes": {"sample": 500}}') AS p, fit(estimator, 'measured', '~ u + v', options) AS m) AS f;
SELECT near_all(sorted_centers(p), sorted_centers(m), 1e-3) AS imputed, info(p) -> 'rows' AS rows
FROM (SELECT fit('kmeans', 'measured', '~ u + c', '{"k": 4, "nulls": "impute", "passes": {"sample": 300}}') AS p, fit('kmeans', 'measured', '~ u + c', '{"k": 4, "nulls": "impute"}') AS m) AS f;
-- the same sample each time, and the same bits of serial sums
SET max_parallel_workers_per_gather = 0;
SELECT fit('kmeans', 'measured', '~ a + b', '{"k": 5, "passes": {"sample": 100}, "seed": 1}') = fit('kmeans', 'measured', '~ a + b', '{"k": 5, "passes": {"sample": 100}, "seed": 1}') AS same;
RESET max_parallel_workers_per_gather;

-- the result is as good as any: scores, text, a further step
SELECT m::text::model = m AS text, near_all(estimates(logistic_step(yes, d, m)), estimates(m), 1e-6) AS further
FROM measured AS d, (SELECT fit('logistic_regression', 'measured', 'yes ~ a + b', '{"passes": true}') AS m OFFSET 0) AS f GROUP BY m;

-- parallel workers and none
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
CREATE TABLE parallel AS SELECT fit('logistic_regression', 'measured', 'yes ~ a + b', '{"passes": true}') AS m;
SET max_parallel_workers_per_gather = 0;
SELECT near_all(estimates(m), estimates(fit('logistic_regression', 'measured', 'yes ~ a + b', '{"passes": true}')), 1e-9) AS parallel FROM parallel;
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;

-- no row is kept: nothing in temporary files, of which none is allowed here
SET pgfit.fit_mem = '1MB'; SET temp_file_limit = 0;
CREATE VIEW many AS SELECT i % 4 * 10 + sin(i) AS a, cos(i * 3) AS b, sin(i) + 2 * sin(i * 11) > 0.3 AS yes FROM (SELECT generate_series(1, 100000) AS i) AS s;
SELECT try($$SELECT fit('logistic_regression', 'many', 'yes ~ a + b')$$) ~ 'temp_file_limit' AS rows_are_kept;
SELECT info(fit('logistic_regression', 'many', 'yes ~ a + b', '{"passes": true}')) -> 'rows' AS rows;
SELECT info(fit('kmeans', 'many', '~ a + b', '{"k": 4, "passes": {"sample": 1000}}')) -> 'rows' AS rows;
SELECT info(fit('gaussian_mixture', 'many', '~ a + b', '{"k": 4, "passes": {"sample": 1000}}')) -> 'rows' AS rows;
RESET pgfit.fit_mem; RESET temp_file_limit;
DROP VIEW many;

-- passes that end too early, classes that are separated
SELECT info(fit('logistic_regression', 'measured', 'yes ~ a', '{"passes": true, "max_iter": 1}')) -> 'converged' AS converged;
SELECT info(fit('kmeans', 'measured', '~ a + b', '{"passes": {"sample": 50}, "max_iter": 1, "k": 5}')) -> 'iterations' AS iterations;
SELECT info(fit('gaussian_mixture', 'measured', '~ a + b', '{"passes": {"sample": 50}, "max_iter": 2, "k": 2}')) -> 'iterations' AS iterations;
SELECT info(fit('logistic_regression', 'SELECT *, id < 100 AS early FROM measured', 'early ~ id', '{"passes": true}')) -> 'converged' AS converged;

-- trained by name; held out by hash, not by folds
SELECT version, rows FROM train('passes', 'logistic_regression', 'measured', 'yes ~ a + b', '{"passes": true, "holdout": {"key": "id"}}');
SELECT try($$SELECT train('passes', 'logistic_regression', 'measured', 'yes ~ a + b', '{"passes": true, "holdout": {"folds": 3}}')$$);
SELECT drop_model('passes');

-- sources that are refused
SELECT try($$SELECT fit('kmeans', 'SELECT a, random() AS r FROM measured', NULL, '{"passes": true, "k": 2}')$$);
SELECT try($$SELECT fit('kmeans', 'SELECT a, b FROM measured TABLESAMPLE bernoulli (50)', NULL, '{"passes": true, "k": 2}')$$);
SELECT try($$SELECT fit('kmeans', 'SELECT a, b FROM (SELECT * FROM measured TABLESAMPLE system (50)) AS q', NULL, '{"passes": true, "k": 2}')$$);
SELECT info(fit('kmeans', 'SELECT u FROM measured TABLESAMPLE bernoulli (50) REPEATABLE (1)', NULL, '{"passes": true, "k": 4}')) -> 'converged' AS repeatable;
SELECT try($$SELECT fit('kmeans', 'SELECT a, b FROM measured WHERE false', NULL, '{"passes": true, "k": 2}')$$);
SELECT try($$SELECT fit('logistic_regression', 'SELECT * FROM measured WHERE false', 'yes ~ a', '{"passes": true}')$$);
SELECT try($$SELECT fit('logistic_regression', 'SELECT yes, NULL::float8 AS a FROM measured', 'yes ~ a', '{"passes": true}')$$);
SELECT try($$SELECT fit('logistic_regression', 'SELECT true AS yes, a FROM measured', 'yes ~ a', '{"passes": true}')$$);
SELECT try($$SELECT fit('logistic_regression', 'SELECT a / (id - 3000) AS a, yes FROM measured', 'yes ~ a', '{"passes": true}')$$);
SELECT try($$SELECT fit('logistic_regression', 'nowhere', 'yes ~ a', '{"passes": true}')$$);

-- features and formulas that are refused
SELECT try($$SELECT fit('kmeans', 'measured', '~ a + side', '{"passes": true, "k": 2}')$$);
SELECT try($$SELECT fit('kmeans', 'measured', '~ a + scale(b)', '{"passes": true, "k": 2}')$$);
SELECT try($$SELECT fit('logistic_regression', 'measured', 'yes ~ poly(a, 2)', '{"passes": true}')$$);
SELECT try($$SELECT fit('logistic_regression', 'measured', 'yes ~ a * side', '{"passes": true}')$$);
SELECT try($$SELECT fit('logistic_regression', 'measured', 'yes ~ a + nothing', '{"passes": true}')$$);

-- options that are refused
SELECT try($$SELECT fit('knn_classifier', 'measured', 'yes ~ a', '{"passes": true, "k": 3}')$$);
SELECT try($$SELECT fit('kmeans', 'measured', '~ a', '{"passes": 3, "k": 2}')$$);
SELECT try($$SELECT fit('kmeans', 'measured', '~ a', '{"passes": [], "k": 2}')$$);
SELECT try($$SELECT fit('kmeans', 'measured', '~ a', '{"passes": {"rows": 3}, "k": 2}')$$);
SELECT try($$SELECT fit('kmeans', 'measured', '~ a', '{"passes": {"sample": 0.5}, "k": 2}')$$);
SELECT try($$SELECT fit('kmeans', 'measured', '~ a', '{"passes": {"sample": "all"}, "k": 2}')$$);
SELECT try($$SELECT fit('kmeans', 'measured', '~ a', '{"passes": {"sample": 1}, "k": 200}')$$) ~ 'sample|rows' AS sample_too_small;
SELECT option, try(format('SELECT fit(%L, ''measured'', %L, %L)', estimator, CASE WHEN estimator = 'logistic_regression' THEN 'yes ~ a' ELSE '~ a' END, option || '{"passes": true}')) AS refused
FROM (VALUES ('kmeans', '{"k": [2, 4]}'::jsonb), ('kmeans', '{"k": "auto"}'), ('kmeans', '{"k": 2, "batch_size": 100}'), ('kmeans', '{"k": 2, "history": true}'),
    ('kmeans', '{"k": 2, "on_failure": "null"}'), ('kmeans', '{"k": 2, "max_iter": 0}'), ('kmeans', '{}'), ('kmeans', '{"k": 2, "clusters": 2}'),
    ('gaussian_mixture', '{"k": [1, 2]}'), ('gaussian_mixture', '{"k": 2, "history": true}'),
    ('logistic_regression', '{"lambda": "cv"}'), ('logistic_regression', '{"lambda": [1, 2]}'), ('logistic_regression', '{"lambda": 1, "reduction": "mean"}'), ('logistic_regression', '{"folds": 5, "lambda": 1}')) AS t(estimator, option);
SELECT try($$SELECT fit('logistic_regression', 'measured', 'home ~ a', '{"passes": true, "multiclass": "ovr"}')$$);
SELECT option, try(format('SELECT fit(%L, ''measured'', ''yes ~ a'', %L)', 'svm_classifier', option || '{"passes": true}')) AS refused
FROM (VALUES ('{}'::jsonb), ('{"loss": "hinge"}'), ('{"loss": "squared_hinge", "kernel": "rbf"}'), ('{"loss": "squared_hinge", "keep_support": true}'), ('{"loss": "squared_hinge", "C": "hard"}'),
    ('{"nu": 0.1}'), ('{"loss": "squared_hinge", "on_failure": "null"}')) AS t(option);
SELECT try($$SELECT fit('svm_regression', 'measured', 'a ~ b', '{"passes": true}')$$);
SELECT try($$SELECT fit('svm_classifier', 'measured', 'yes ~ poly(a, 2)', '{"passes": true, "loss": "squared_hinge"}')$$);
SELECT try($$SELECT fit('svm_regression', 'measured', 'b ~ poly(a, 2)', '{"passes": true, "loss": "squared_epsilon_insensitive"}')$$);
SELECT try($$SELECT fit('svm_regression', 'SELECT * FROM measured WHERE false', 'b ~ a', '{"passes": true, "loss": "squared_epsilon_insensitive"}')$$);
SELECT try($$SELECT fit('svm_regression', 'measured', 'side ~ a', '{"passes": true, "loss": "squared_epsilon_insensitive"}')$$);

-- a role without rights in pgfit_internal starts from a sample, too: sample_row was written by its name
CREATE ROLE pgfit_passes_user;
GRANT SELECT ON measured TO pgfit_passes_user;
CREATE TABLE hidden AS SELECT true AS yes, 1 AS a;
-- columns of any name, an array among them, and more of them than a call has arguments: all are read by the names of the model
SELECT near_all(estimates(fit('svm_regression', q, 'Y ~ .', '{"passes": true, "loss": "squared_epsilon_insensitive"}')), estimates(fit('svm_regression', q, 'Y ~ .', '{"loss": "squared_epsilon_insensitive"}')), 1e-6) AS names
FROM (VALUES ('SELECT u AS "Y", a AS "a b", b AS "SELECT", ARRAY[v, w] AS "x""y" FROM measured')) AS t(q);
SELECT near_all(estimates(fit('svm_classifier', q, 'yes ~ .', o || '{"passes": true}')), estimates(fit('svm_classifier', q, 'yes ~ .', o)), 1e-6) AS many_columns
FROM (SELECT 'SELECT yes, ' || string_agg(format('sin(id * %s) AS c%s', j, j), ', ') || ' FROM measured' AS q, '{"loss": "squared_hinge", "C": 0.01}'::jsonb AS o FROM generate_series(1, 120) AS j) AS s;
SET ROLE pgfit_passes_user;
SELECT info(fit('kmeans', 'public.measured', '~ u + v', '{"passes": {"sample": 300}, "k": 4}')) -> 'rows' AS rows;
SELECT info(fit('gaussian_mixture', 'public.measured', '~ u + v', '{"passes": {"sample": 1000}, "k": 2, "max_iter": 200}')) -> 'rows' AS rows;
SELECT info(fit('logistic_regression', 'public.measured', 'yes ~ a + b', '{"passes": true}')) -> 'rows' AS rows, info(fit('svm_classifier', 'public.measured', 'yes ~ a + b', '{"passes": true, "loss": "squared_hinge"}')) -> 'rows' AS rows;
SELECT try($$SELECT fit('svm_classifier', 'public.hidden', 'yes ~ a', '{"passes": true, "loss": "squared_hinge"}')$$);
RESET ROLE;
DROP TABLE hidden;
DROP FUNCTION test.sorted_centers(model);
DROP TABLE measured, parallel;
DROP ROLE pgfit_passes_user;
