-- Rows drawn from models, densities of rows, criteria of a fit.
CREATE SCHEMA sampling;
SET search_path = sampling, test, pgfit;
CREATE TABLE flowers AS
SELECT i AS id, (ARRAY['a', 'b', 'c'])[1 + (i % 6 >= 3)::int + (i % 6 = 5)::int] AS class, sin(i) + (i % 6) AS x, 10 * cos(i * i) + i % 7 AS y,
       (ARRAY['red', 'green', 'blue'])[1 + i * i % 11 % 3] AS color, i % 4 = 0 AS even, date '2020-01-01' + i % 50 AS day
FROM generate_series(1, 300) AS i;
CREATE TABLE models AS
SELECT naive_bayes(class, f, '{"formula": "x + y + color"}') AS bayes, lda(class, f, 'x + y') AS lda, qda(class, f, 'x + y') AS qda, multivariate_normal(f, 'x + y') AS normal,
       gaussian_mixture(f, 2, 'x + y') AS mixture FROM flowers AS f;

-- a row has an id, a label where the model has classes or components, and its features by name
SELECT 'bayes' AS model, s.id, label, features - '{x, y}'::text[] AS rest, jsonb_typeof(features -> 'x') AS x FROM models, sample(bayes, 3, 1) AS s;
SELECT 'normal' AS model, s.id, label, (SELECT string_agg(key, ' ' ORDER BY key) FROM jsonb_object_keys(features) AS key) AS keys FROM models, sample(normal, 2) AS s;
SELECT bool_and(label IN ('1', '2')) AS components FROM models, sample(mixture, 100) AS s;
SELECT count(*), bool_and(label = 'c') AS one FROM models, sample(qda, 50, class => 'c') AS s;
SELECT count(*), bool_and(label = '2') AS one FROM models, sample(mixture, 50, 3, '2') AS s;
-- the same seed gives the same rows, the first ones of a longer sample too; arrays hold the same numbers
SELECT count(*) AS rows, bool_and(a.features = b.features AND a.label = b.label) AS same FROM models, sample(lda, 20, 5) AS a JOIN models AS m ON true JOIN sample(m.lda, 100, 5) AS b ON a.id = b.id;
SELECT count(*) AS rows, bool_or(a.features = b.features) AS same FROM models, sample(lda, 20, 5) AS a JOIN models AS m ON true JOIN sample(m.lda, 20, 6) AS b ON a.id = b.id;
SELECT bool_and((a.features ->> 'x')::float8 = b.features[1] AND (a.features ->> 'y')::float8 = b.features[2]) AS same
FROM models, sample(mixture, 50, 7) AS a JOIN models AS m ON true JOIN sample_numbers(m.mixture, 50, 7) AS b ON a.id = b.id;
-- rows can be scored, and another model fitted to them, in one statement
SELECT bool_and(classify(bayes, features) IS NOT NULL AND log_density(bayes, features) < 0) AS scored FROM models, sample(bayes, 100) AS s;
SELECT near_all((SELECT array_agg(m ORDER BY i) FROM unnest(parameter(again, 'means')) WITH ORDINALITY AS u(m, i)), (SELECT array_agg(m ORDER BY i) FROM unnest(parameter(qda, 'means')) WITH ORDINALITY AS u(m, i)), 0.2) AS means
FROM models, LATERAL (SELECT qda(label, features) AS again FROM sample(qda, 20000, 1)) AS fit;
SELECT near((parameter(again, 'means'))[1], (parameter(normal, 'means'))[1], 0.02) AS mean FROM models, LATERAL (SELECT multivariate_normal(features) AS again FROM sample_numbers(normal, 20000, 1)) AS fit;
SELECT count(*), count(x) AS x, count(color) AS color FROM models, sample(bayes, 10) AS s, jsonb_populate_record(NULL::flowers, features) AS row;
-- a model whose rows have no names
SELECT bool_and(classify(m, s.features) = classify(m, n.features)) AS same FROM (SELECT lda(class, ARRAY[x, y]) AS m FROM flowers) AS fit, sample(m, 20) AS s JOIN LATERAL sample_numbers(m, 20) AS n ON n.id = s.id;
-- booleans and dates are numbers to these models
SELECT jsonb_typeof(features -> 'even') AS even, jsonb_typeof(features -> 'day') AS day FROM (SELECT multivariate_normal(f, 'x + even + day') AS m FROM flowers AS f) AS fit, sample(m, 1) AS s;
-- no rows; a NULL argument
SELECT count(*) FROM models, sample(qda, 0) AS s;
SELECT (SELECT count(*) FROM sample(NULL, 5)) AS model, (SELECT count(*) FROM models, sample(qda, NULL)) AS n, (SELECT count(*) FROM models, sample(qda, 5, NULL)) AS seed;

-- standardized mixtures are in the units of the data; pipelines of scalers are taken back
SELECT round(avg(features[2])) = round((SELECT avg(y) FROM flowers)) AS standardized FROM (SELECT gaussian_mixture(f, '{"formula": "x + y", "k": 2, "standardize": true}') AS m FROM flowers AS f) AS fit, sample_numbers(m, 20000) AS s;
SELECT near(avg((features ->> 'x')::float8), (SELECT avg(x) FROM flowers), 0.02) AS x, near(stddev_pop((features ->> 'y')::float8), (SELECT stddev_pop(y) FROM flowers), 0.02) AS y
FROM (SELECT pipeline(scaler, multivariate_normal(transform(scaler, f))) AS m FROM flowers AS f, (SELECT standard_scaler(f, 'x + y') AS scaler FROM flowers AS f) AS s GROUP BY scaler) AS fit, sample(m, 20000, 2) AS s;
-- singular covariances
SELECT bool_and(near((features ->> 'twice')::float8, 2 * (features ->> 'x')::float8, 1e-9)) AS line
FROM (SELECT lda(class, f, '{"singular": "pseudo_inverse"}') AS m FROM flowers, LATERAL (SELECT x, 2 * x AS twice) AS f) AS fit, sample(m, 100) AS s;

-- what cannot be sampled
SELECT try($$SELECT count(*) FROM models, pgfit.sample(qda, -1) AS s$$);
SELECT try($$SELECT count(*) FROM models, pgfit.sample(qda, 1000000001) AS s$$);
SELECT try($$SELECT count(*) FROM models, pgfit.sample_numbers(qda, -1) AS s$$);
SELECT try($$SELECT count(*) FROM (SELECT pgfit.kmeans((x, y), 2) AS m FROM flowers) AS f, pgfit.sample(m, 1) AS s$$);
SELECT try($$SELECT count(*) FROM (SELECT pgfit.class_moments(class, (x, y)) AS m FROM flowers) AS f, pgfit.sample(m, 1) AS s$$);
SELECT try($$SELECT count(*) FROM models, pgfit.sample(qda, 1, class => 'd') AS s$$);
SELECT try(format($$SELECT count(*) FROM models, pgfit.sample(mixture, 1, class => %L) AS s$$, component)) FROM unnest(ARRAY['0', '3', 'a', '', '99999999999']) AS component;
SELECT try($$SELECT count(*) FROM models, pgfit.sample(normal, 1, class => '1') AS s$$);
SELECT try($$SELECT count(*) FROM models, pgfit.sample_numbers(bayes, 1) AS s$$);
SELECT try(format($$SELECT count(*) FROM (SELECT pgfit.%s AS m FROM flowers AS f) AS q, pgfit.sample(m, 1) AS s$$, fit))
FROM unnest(ARRAY['lda(class, f, ''x + color'')', 'qda(class, f, ''x + y + color'')', 'multivariate_normal(f, ''x + color'')', 'gaussian_mixture(f, 2, ''x + exp(x)'')', 'qda(class, f, ''x + I(y * y)'')', 'lda(class, f, ''x + ns(y, 3)'')']) AS fit;
SELECT try($$SELECT count(*) FROM (SELECT pgfit.pipeline(t, pgfit.multivariate_normal(pgfit.transform(t, f), '{"regularization": 1}')) AS m FROM flowers AS f, (SELECT pgfit.polynomial_features(f, 'x + y') AS t FROM flowers AS f) AS s GROUP BY t) AS q, pgfit.sample(m, 1) AS s$$);

-- densities
SELECT bool_and(near(log_density(mixture, f), decision(mixture, f)) AND near(log_density(normal, f), decision(normal, f))) AS as_decision,
       bool_and(near(log_density(qda, f), (SELECT ln(sum(exp(d))) FROM unnest(decisions(qda, f)) AS d))) AS qda,
       bool_and(near(log_density(lda, f), (SELECT ln(sum(exp(d))) FROM unnest(decisions(lda, f)) AS d))) AS lda,
       bool_and(near(log_density(bayes, f), (SELECT ln(sum(exp(d))) FROM unnest(decisions(bayes, f)) AS d))) AS bayes FROM models, flowers AS f;
-- of all components, pca is a normal distribution; of fewer, the others have the mean of the rest; a linear map of a feature moves the density by its scale
SELECT bool_and(near(log_density(p, f), log_density(n, f), 1e-10)) AS normal, bool_and(near(log_density(s, f), log_density(n, f), 1e-10)) AS standardized
FROM flowers AS f, (SELECT pca(f, 'x + y + I(x * y)') AS p, pca(f, '{"formula": "x + y + I(x * y)", "standardize": true}') AS s, multivariate_normal(f, 'x + y + I(x * y)') AS n FROM flowers AS f) AS fit;
SELECT bool_and(near(log_density(p, (x, y)), -0.5 * (2 * ln(2 * pi()) + ln(v) + ln(rest) + (transform(p, (x, y)))[1] ^ 2 / v + distance(p, (x, y)) ^ 2 / rest), 1e-10)) AS probabilistic
FROM (SELECT pca((x, y), 1) AS p, var_pop(x) + var_pop(y) AS total FROM flowers) AS fit, LATERAL (SELECT (parameter(p, 'variances'))[1] AS v) AS a, LATERAL (SELECT total - v AS rest) AS b, flowers;
SELECT log_density(qda, NULL::flowers) IS NULL AS of_null FROM models;
SELECT try($$SELECT pgfit.log_density(pgfit.pca((x, 2 * x), 1), (1, 2)) FROM flowers$$);
SELECT try($$SELECT pgfit.log_density(pgfit.kmeans((x, y), 2), (1, 2)) FROM flowers$$);
-- criteria
SELECT aic(mixture) = (info(mixture) -> 'statistics' ->> 'aic')::float8 AS aic, bic(mixture) = (info(mixture) -> 'statistics' ->> 'bic')::float8 AS bic,
       near(log_likelihood(mixture), (SELECT sum(log_density(mixture, f)) FROM flowers AS f), 1e-9) AS log_likelihood FROM models;
SELECT near(aic(m), 2 * 4 - 2 * log_likelihood(m)) AS linear FROM (SELECT linear_regression(y, (x, even)) AS m FROM flowers) AS fit;
SELECT try($$SELECT pgfit.bic(pgfit.kmeans((x, y), 2)) FROM flowers$$);
SELECT try($$SELECT pgfit.aic(pgfit.class_moments(class, (x, y))) FROM flowers$$);
DROP SCHEMA sampling CASCADE;
