-- Numbers that double precision cannot hold: an error that says so, never a value that is damaged.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
-- weights of 1e308: every method, from the catalog
CREATE TABLE heavy AS SELECT i, i % 3 + 0.0 AS y, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS c, (i * 5 % 7)::float8 AS x FROM generate_series(1, 8) i;
CREATE FUNCTION fit_heavily(method text, arguments text) RETURNS text LANGUAGE sql AS $$
    SELECT try(format('SELECT pgfit.%I(%s $j$%s$j$::jsonb, 1e308) FROM public.heavy', method,
        CASE split_part(arguments, ' ', 1) WHEN 'target' THEN 'y, row(x),' WHEN 'label' THEN 'c, row(x),' WHEN 'id' THEN 'i, row(x),' ELSE 'row(x),' END,
        CASE WHEN EXISTS (SELECT FROM options(method) o WHERE o.name = 'k') THEN '{"k": 1}' WHEN method = 'dbscan' THEN '{"radius": 1}' ELSE '{}' END))
$$;
SELECT p.proname, left(fit_heavily(p.proname, pg_get_function_arguments(p.oid)), 5) AS state
FROM pg_proc p WHERE p.pronamespace = 'pgfit'::regnamespace AND p.prokind = 'a' AND p.proname IN (SELECT e.name FROM estimators() e UNION SELECT unnest('{moments,class_moments,feature_moments}'::text[]))
  AND pg_get_function_arguments(p.oid) ~ '^((target|label|id) "any", )?features "any", options (pgfit\.)?call_options, weight'
  AND fit_heavily(p.proname, pg_get_function_arguments(p.oid)) !~ '^(22003.*HINT|22023.*(weight|random effects|option "event"|texts, which have no order))'
ORDER BY 1;
SELECT try($$SELECT pgfit.neighbors(i, row(x), '{"k": 1}'::jsonb, 1e308) FROM public.heavy$$);
-- features and targets from 1e-320 to 1.7e308: no method makes a value that cannot be read again
CREATE FUNCTION fit_scaled(method text, arguments text, scale text) RETURNS text LANGUAGE sql AS $$
    SELECT try(format('SELECT pgfit.%I(%s ARRAY[sin(i * 1.3) * %3$s, cos(i * 0.7) * %3$s], $j$%4$s$j$::jsonb) FROM generate_series(1, 30) AS i', method,
        CASE split_part(arguments, ' ', 1) WHEN 'target' THEN 'sin(i * 0.9) * ' || scale || ',' WHEN 'label' THEN 'i % 2,' WHEN 'id' THEN 'i,' END, scale,
        CASE WHEN EXISTS (SELECT FROM options(method) o WHERE o.name = 'n_trees') THEN '{"n_trees": 3}' WHEN method = 'kernel_pca' THEN '{"kernel": "linear"}'
             WHEN method = 'dbscan' THEN '{"radius": 1e300}' WHEN method ~ '^(kmeans|kmedoids|kernel_kmeans|gaussian_mixture)$' THEN '{"k": 2}' ELSE '{}' END))
$$;
SELECT p.proname, scale, left(fitted, 100) AS fitted FROM pg_proc p, unnest('{1e-320,1e-300,1e-160,1e154,1e155,1e300,1.7e308}'::text[]) AS scale,
    LATERAL fit_scaled(p.proname, pg_get_function_arguments(p.oid), scale) AS fitted
WHERE p.pronamespace = 'pgfit'::regnamespace AND p.prokind = 'a' AND p.proname IN (SELECT e.name FROM estimators() e)
  AND pg_get_function_arguments(p.oid) ~ '^((target|label|id) "any", )?features "any", options (pgfit\.)?call_options$' AND fitted ~ '^XX'
ORDER BY 1, 2;
SELECT count(*) > 50 AS methods, count(*) FILTER (WHERE fit_scaled(p.proname, pg_get_function_arguments(p.oid), '1') ~ '^ok') > 40 AS fitted FROM pg_proc p
WHERE p.pronamespace = 'pgfit'::regnamespace AND p.prokind = 'a' AND p.proname IN (SELECT e.name FROM estimators() e)
  AND pg_get_function_arguments(p.oid) ~ '^((target|label|id) "any", )?features "any", options (pgfit\.)?call_options$';
SELECT try($$SELECT pgfit.kernel_pca(ARRAY[sin(i * 1.3) * 1e-160, cos(i * 0.7) * 1e-160], '{"kernel": "linear"}'::jsonb) FROM generate_series(1, 40) AS i$$) ~ '^ok' AS kernel_pca;
DROP FUNCTION fit_scaled(text, text, text);
-- a calibration of scores near 1e-310 has no slope that can be held
SELECT try($$SELECT pgfit.platt_calibration(s > 2e-310, s) FROM unnest('{1e-310,2e-310,3e-310,4e-310}'::float8[]) s$$);
SELECT try($$SELECT pgfit.logistic_calibration(s > 2e-310, s) FROM unnest('{1e-310,2e-310,3e-310,4e-310}'::float8[]) s$$);
-- moments near 1e308, few and many rows, merged, with fourth moments
CREATE TABLE vast AS SELECT i, CASE i % 3 WHEN 0 THEN 1.7e308 WHEN 1 THEN -1.7e308 ELSE i END::float8 AS x, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS c FROM generate_series(1, 200) i;
SELECT try('SELECT pgfit.moments(x, row(x)) FROM public.vast');
SELECT try('SELECT pgfit.feature_moments(row(x)) FROM public.vast');
SELECT try('SELECT pgfit.class_moments(c, row(x)) FROM public.vast');
SELECT try($$SELECT pgfit.class_moments(c, row(x * 1e-210), '{"fourth_moments": true}'::jsonb) FROM public.vast$$);
SELECT try($$SELECT pgfit.feature_moments(row(x * 1e-210), '{"fourth_moments": true}'::jsonb) FROM public.vast$$);
SELECT try('SELECT pgfit.merge(m) FROM (SELECT pgfit.feature_moments(row(x)) AS m FROM public.vast GROUP BY i % 60) s');
SELECT try('SELECT pgfit.merge(m, m) FROM (SELECT pgfit.feature_moments(row(x)) AS m FROM public.vast WHERE i < 3) s') ~ '^(ok|22003)' AS merged;
-- one step of an iteration over such rows
CREATE TABLE begun AS SELECT kmeans(row(x), 2, '{}'::jsonb) AS k, gaussian_mixture(row(x), 2, '{}'::jsonb) AS g, logistic_regression(c, row(x), '{"penalty": "l2", "lambda": 1}'::jsonb) AS l,
    svm_classifier(c, row(x), '{"loss": "squared_hinge"}'::jsonb) AS v, svm_regression(y, row(x), '{"loss": "squared_epsilon_insensitive"}'::jsonb) AS r
FROM heavy;
SELECT name, s AS result FROM begun, vast v0, LATERAL (VALUES ('kmeans_step', try('SELECT pgfit.cluster(pgfit_textbook.kmeans_step(row(x), k), row(1.0)) FROM public.vast, public.begun')),
    ('kmeans_step, weights', try('SELECT pgfit.cluster(pgfit_textbook.kmeans_step(row(x), k, 1e308), row(1.0)) FROM public.heavy, public.begun')),
    ('mixture_step', try('SELECT pgfit.cluster(pgfit_textbook.mixture_step(row(x), g), row(1.0)) FROM public.vast, public.begun')),
    ('mixture_step, weights', try('SELECT pgfit.cluster(pgfit_textbook.mixture_step(row(x), g, 1e308), row(1.0)) FROM public.heavy, public.begun')),
    ('logistic_step', try('SELECT pgfit.classify(pgfit_textbook.logistic_step(c, row(x), l), row(1.0)) FROM public.vast, public.begun')),
    ('logistic_step, weights', try('SELECT pgfit.classify(pgfit_textbook.logistic_step(c, row(x), l, 1e308), row(1.0)) FROM public.heavy, public.begun')),
    ('svm_step', try('SELECT pgfit.classify(pgfit_textbook.svm_step(c, row(x), v), row(1.0)) FROM public.vast, public.begun')),
    ('svm_step, weights', try('SELECT pgfit.classify(pgfit_textbook.svm_step(c, row(x), v, 1e308), row(1.0)) FROM public.heavy, public.begun')),
    ('svm_step, numbers', try('SELECT pgfit.predict(pgfit_textbook.svm_step(x, row(1), r), row(1.0)) FROM public.vast, public.begun')),
    ('svm_step, numbers, weights', try('SELECT pgfit.predict(pgfit_textbook.svm_step(y, row(x), r, 1e308), row(1.0)) FROM public.heavy, public.begun'))) s (name, s)
WHERE v0.i = 1;
-- limits of scores whose variance is out of range: none, or infinite ones, but not the score
SELECT method, count(fit) AS fits, count(*) FILTER (WHERE lower = fit OR upper = fit) AS without_width
FROM (SELECT 'linear' AS method, pgfit.linear_regression(i % 5 + i, ROW(i, i + sin(i))) AS m FROM generate_series(1, 20) AS i
      UNION ALL SELECT 'bayesian', pgfit.bayesian_regression(i % 5 + i, ROW(i, i + sin(i))) FROM generate_series(1, 20) AS i) AS f,
     unnest('{1e200,1.7e308}'::float8[]) AS x, pgfit.predict_interval(m, ROW(x, x)) GROUP BY method ORDER BY method;
DROP TABLE begun;
DROP FUNCTION fit_heavily(text, text);
DROP TABLE heavy, vast;
