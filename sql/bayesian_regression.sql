-- Bayesian regression: posteriors, the evidence, forms, edges and refusals
CREATE TABLE bayes_rows AS
SELECT i AS id, 1 + i % 3 AS w, i % 4 AS g, (i * 7919 % 1009) / 100.0::float8 AS a, (i * 3571 % 997) / 50.0::float8 AS b, (ARRAY['x', 'y', 'z'])[1 + i * 31 % 3] AS c,
       2 + 3 * (i * 7919 % 1009) / 100.0::float8 + (i * 31 % 3) + ((i * 2741 % 2003) / 1000.0::float8 - 1) * 4 AS y
FROM generate_series(1, 300) AS i;

SELECT pgfit.summary(pgfit.bayesian_regression(y, r, 'a + b + c')) FROM bayes_rows AS r;
SELECT pgfit.summary(pgfit.bayesian_regression(y, r, '{"formula": "a + b", "prior_precision": 4, "noise_shape": 2, "noise_rate": 3}')) FROM bayes_rows AS r;
-- the means are the coefficients of ridge regression at the lambda that info shows
SELECT prior, test.near_all(test.estimates(m), test.estimates(ridge), 1e-10) AS ridge
FROM (SELECT prior, pgfit.bayesian_regression(y, r, '{"formula": "a + b + c"}'::jsonb || prior) AS m
      FROM bayes_rows AS r, (VALUES ('{}'::jsonb), ('{"standardize": true}'), ('{"prior_precision": 30}'), ('{"intercept": false}'), ('{"prior_precision": 30, "standardize": true}')) AS p(prior) GROUP BY prior) AS f,
LATERAL (SELECT pgfit.ridge_regression(y, r, (pgfit.info(m) #>> '{statistics,lambda}')::float8, '{"formula": "a + b + c"}'::jsonb || (prior - 'prior_precision')) AS ridge FROM bayes_rows AS r) AS o
ORDER BY prior::text;
-- at the greatest evidence: noise variance = rss / (rows - effective degrees of freedom), prior variance = mean square of the coefficients
SELECT test.near((s ->> 'noise_variance')::float8, (s ->> 'rss')::float8 / ((s ->> 'n')::float8 - (s ->> 'effective_df')::float8), 1e-10) AS noise,
       test.near((s ->> 'prior_variance')::float8, (SELECT sum(e * e) FROM unnest((test.estimates(m))[2:]) AS e) / ((s ->> 'effective_df')::float8 - 1), 1e-10) AS prior
FROM (SELECT m, pgfit.info(m) -> 'statistics' AS s FROM (SELECT pgfit.bayesian_regression(y, r, 'a + b + c') AS m FROM bayes_rows AS r) AS t) AS f;
-- a weak prior: least squares, with a t distribution of 299 degrees of freedom where that has 296
SELECT test.near_all(test.estimates(m), test.estimates(l), 1e-8) AS estimates,
       bool_and(test.near(b.std_error, o.std_error * sqrt(296.0 / 297), 1e-8)) AS errors
FROM (SELECT pgfit.bayesian_regression(y, r, '{"formula": "a + b + I(a * b)", "prior_precision": 1e-9}') AS m, pgfit.linear_regression(y, r, 'a + b + I(a * b)') AS l FROM bayes_rows AS r) AS f,
     pgfit.coefficients(m) AS b, pgfit.coefficients(l) AS o WHERE b.term = o.term GROUP BY m, l;
-- the limits of a new target: those of its distribution
SELECT test.near((i.upper - i.lower) / 2, 1.959964 * sqrt((s ->> 'noise_variance')::float8 * (1 + 1 / 300.0) + (c.std_error * (5 - mean)) ^ 2), 1e-5) AS predictive
FROM (SELECT pgfit.bayesian_regression(y, ROW(a)) AS m, avg(a) AS mean FROM bayes_rows) AS f, pgfit.coefficients(m) AS c, pgfit.predict_interval(m, ROW(5.0), 0.95) AS i, LATERAL (SELECT pgfit.info(m) -> 'statistics' AS s) AS t
WHERE c.term = 'f1';
-- the evidence tells terms that matter from those that do not
SELECT features, round((pgfit.info(m) #>> '{statistics,log_evidence}')::numeric, 2) AS log_evidence
FROM (SELECT features, pgfit.bayesian_regression(y, r, features) AS m FROM bayes_rows AS r, unnest(ARRAY['a', 'b', 'a + b', 'a + b + c', '1']) AS features GROUP BY features) AS f ORDER BY log_evidence DESC;
-- weights, counts, moments, groups, windows, parameters of levels
SELECT test.same_fit(pgfit.bayesian_regression(y, f, '{}', 1), pgfit.bayesian_regression(y, f), 1e-12) AS weight_one,
       test.near_all(test.estimates(pgfit.bayesian_regression(y, f, '{"prior_precision": 3}', 2)), test.estimates(pgfit.bayesian_regression(y, f, '{"prior_precision": 1.5}')), 1e-12) AS weight_two
FROM bayes_rows, LATERAL (SELECT a, b) f;
SELECT test.near_all(test.estimates(counted), test.estimates(copies), 1e-10) AS counts,
       test.near((pgfit.info(counted) #>> '{statistics,log_evidence}')::float8, (pgfit.info(copies) #>> '{statistics,log_evidence}')::float8, 1e-10) AS evidence
FROM (SELECT pgfit.bayesian_regression(y, f, '{"weight_kind": "frequency"}', w) AS counted FROM bayes_rows, LATERAL (SELECT a, b) f) AS c,
     (SELECT pgfit.bayesian_regression(y, f) AS copies FROM bayes_rows, generate_series(1, w), LATERAL (SELECT a, b) f) AS d;
SELECT test.same_fit(pgfit.fit('bayesian_regression', pgfit.merge(e)), (SELECT pgfit.bayesian_regression(y, f) FROM bayes_rows, LATERAL (SELECT a, b) f), 1e-9) AS merged
FROM (SELECT pgfit.moments(y, f) AS e FROM bayes_rows, LATERAL (SELECT a, b) f GROUP BY g) s;
SELECT test.near_all(test.estimates(x), test.estimates(again), 1e-9) AS window
FROM (SELECT id, pgfit.bayesian_regression(y, ARRAY[a, b]) OVER (ORDER BY id ROWS BETWEEN 49 PRECEDING AND CURRENT ROW) AS x FROM bayes_rows) AS s,
     (SELECT pgfit.bayesian_regression(y, ARRAY[a, b]) AS again FROM bayes_rows WHERE id > 150 AND id <= 200) AS t WHERE id = 200;
SELECT m::text::pgfit.model OPERATOR(pgfit.=) m AS text, bool_and(statistic IS NULL AND p_value IS NULL) AS no_tests, to_sql ~ '"a"' AS to_sql
FROM (SELECT pgfit.bayesian_regression(y, r, 'a + b') AS m FROM bayes_rows AS r) AS f, pgfit.coefficients(m), pgfit.to_sql(m) AS to_sql GROUP BY m, to_sql;
SELECT test.near(pgfit.predict(m, r), c.estimate + d.estimate * r.a + r.g, 1e-9) AS with_offset FROM (SELECT pgfit.bayesian_regression(y, r, 'a + offset(g)') AS m FROM bayes_rows AS r) AS f, bayes_rows AS r,
     pgfit.coefficients(m) AS c, pgfit.coefficients(m) AS d WHERE r.id = 7 AND c.term = '(intercept)' AND d.term = 'a';
-- more columns than rows: terms that depend on each other share the weight, and those without a trace in the rows keep their prior
SELECT count(*) AS terms, bool_and(std_error > 0) AS errors FROM (SELECT pgfit.bayesian_regression(y, (a, b, a + b, a * a, b * b, a * b, sin(a), cos(b)), '{"prior_precision": 2}') AS m FROM bayes_rows WHERE id <= 5) AS f, pgfit.coefficients(m);
SELECT term, round(estimate::numeric, 6) AS estimate, round(std_error::numeric, 6) AS std_error
FROM (SELECT pgfit.bayesian_regression(y, r, '{"formula": "a + I(2 * a) + I(0 * a)", "prior_precision": 2, "noise_shape": 1, "noise_rate": 1}') AS m FROM bayes_rows AS r) AS f, pgfit.coefficients(m);
-- edges
SELECT term, estimate, std_error, conf_low FROM (SELECT pgfit.bayesian_regression(5, ROW(a)) AS m FROM bayes_rows) AS f, pgfit.coefficients(m);
SELECT pgfit.summary(pgfit.bayesian_regression(y, ROW(7.0))) FROM bayes_rows;
SELECT round(estimate::numeric, 9) AS estimate, std_error FROM (SELECT pgfit.bayesian_regression(y, x) AS m FROM (VALUES (1.0, 2), (2, 3), (3, 4)) AS t(y, x)) AS f, pgfit.coefficients(m);
SELECT round(estimate::numeric, 9) AS estimate, round(std_error::numeric, 9) AS std_error FROM (SELECT pgfit.bayesian_regression(y, x) AS m FROM (VALUES (1.0, 1), (2, 2), (1, 3), (2, 4), (1, 5)) AS t(y, x)) AS f, pgfit.coefficients(m);
SELECT round(estimate::numeric, 9) AS estimate, std_error, round(conf_high::numeric, 6) AS conf_high FROM (SELECT pgfit.bayesian_regression(y, x, '{"prior_precision": 1}') AS m FROM (VALUES (1.0, 2), (2, 4)) AS t(y, x)) AS f, pgfit.coefficients(m);
SELECT test.near_all(test.estimates(pgfit.bayesian_regression(y * s, ROW(a))), (SELECT array_agg(e * s ORDER BY n) FROM unnest(test.estimates(pgfit.bayesian_regression(y, ROW(a)))) WITH ORDINALITY AS u(e, n)), 1e-10) AS scaled
FROM bayes_rows, unnest('{1e-150,1e150}'::float8[]) AS s GROUP BY s;
SELECT pgfit.bayesian_regression(y, a) IS NULL AS no_rows FROM bayes_rows WHERE false;
SELECT test.try('SELECT pgfit.bayesian_regression(y, a) FROM bayes_rows WHERE id = 1');
SELECT pgfit.bayesian_regression(y, a, '{"too_few_rows": "null"}') IS NULL AS one_row FROM bayes_rows WHERE id = 1;
SELECT pgfit.bayesian_regression(y, a, '{"prior_precision": 1, "noise_shape": 1, "noise_rate": 1}') IS NOT NULL AS one_row_and_a_prior FROM bayes_rows WHERE id = 1;
SELECT test.try('SELECT pgfit.bayesian_regression(y, a, ''{"noise_shape": 1}'') FROM bayes_rows');
SELECT test.try('SELECT pgfit.bayesian_regression(y, a, ''{"prior_precision": 0}'') FROM bayes_rows');
SELECT test.try('SELECT pgfit.bayesian_regression(y, a, ''{"prior_precision": 1, "noise_rate": -1}'') FROM bayes_rows');
-- numbers that no fit stores give no limits
SELECT shape, bool_and(i.lower IS NULL AND i.upper IS NULL) AS no_limits, count(*) FILTER (WHERE std_error IS NULL) AS without
FROM (SELECT pgfit.bayesian_regression(y, ROW(a), '{"prior_precision": 1}')::text AS t FROM bayes_rows) AS f, unnest(ARRAY['-3', '0', '-1e300']) AS shape,
     LATERAL (SELECT regexp_replace(t, '"posterior_shape": *[-0-9.e+]+', '"posterior_shape": ' || shape)::pgfit.model AS m) AS e, pgfit.predict_interval(m, ROW(1.0), 0.95) AS i, pgfit.coefficients(m) GROUP BY shape ORDER BY shape;
DROP TABLE bayes_rows;
