-- Robust standard errors: option vcov of linear_regression, logistic_regression and generalized linear models. Their numbers are compared with R in test/golden/vcov.json.
CREATE TABLE sales AS
SELECT i AS id, i % 17 AS firm, 'y' || i % 5 AS year, date '2020-01-01' + i AS day, round((sin(i) * 3)::numeric, 3) AS a, round(cos(i * 1.7)::numeric, 3) AS b,
       (ARRAY['u', 'v', 'w'])[1 + i % 3] AS g, round((1 + 2 * sin(i) + cos(i * 1.7) + sin(i * i) * (1 + i % 17 / 9.0))::numeric, 3)::float8 AS y
FROM generate_series(1, 300) AS i;
CREATE FUNCTION errors(m pgfit.model) RETURNS float8[] LANGUAGE sql AS 'SELECT array_agg(std_error) FROM pgfit.coefficients(m)';
CREATE FUNCTION errors(options text, target text DEFAULT 'y', method text DEFAULT 'linear_regression') RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    result float8[];
BEGIN
    EXECUTE format('SELECT errors(pgfit.%I(%s, s, %L)) FROM sales AS s', method, target, options) INTO result;
    RETURN result;
END $$;

-- what users see
SELECT pgfit.summary(pgfit.linear_regression(y, s, '{"formula": "a + b + g", "vcov": "CR2", "cluster": "firm"}')) FROM sales AS s;
SELECT pgfit.summary(pgfit.linear_regression(y, s, '{"formula": "a + b", "vcov": "NW", "order": "day"}')) FROM sales AS s;
SELECT pgfit.summary(pgfit.logistic_regression(y > 1, s, '{"formula": "a + b", "vcov": "CR1", "cluster": ["firm", "year"]}')) FROM sales AS s;
SELECT info -> 'statistics' -> 'vcov' AS vcov, info -> 'statistics' -> 'clusters' AS clusters, info -> 'statistics' ? 'f_statistic' AS f
FROM (SELECT pgfit.info(pgfit.linear_regression(y, s, '{"formula": "a + b", "vcov": "CR1S", "cluster": ["firm", "year"]}')) FROM sales AS s) AS fitted (info);

-- by hand: HC0 of a mean, and the clusters of a mean
SELECT test.near((errors('{"formula": "1", "vcov": "HC0"}'))[1], sqrt(sum((y - mean) ^ 2)) / count(*)) AS hc0 FROM sales, (SELECT avg(y) AS mean FROM sales) AS m;
SELECT test.near((errors('{"formula": "1", "vcov": "CR1", "cluster": "firm"}'))[1], sqrt(17.0 / 16 * sum(total ^ 2)) / 300) AS cr1
FROM (SELECT sum(y - mean) AS total FROM sales, (SELECT avg(y) AS mean FROM sales) AS m GROUP BY firm) AS firms;
-- a cluster per row is HC; NW without lags is HC0
SELECT test.near_all(errors('{"formula": "a + b", "vcov": "CR0", "cluster": "id"}'), errors('{"formula": "a + b", "vcov": "HC0"}')) AS cr0,
       test.near_all(errors('{"formula": "a + b", "vcov": "CR2", "cluster": "id"}'), errors('{"formula": "a + b", "vcov": "HC2"}')) AS cr2,
       test.near_all(errors('{"formula": "a + b", "vcov": "NW", "order": "id", "lag": 0}'), errors('{"formula": "a + b", "vcov": "HC0"}')) AS nw;
SELECT test.near_all(errors('{"formula": "a + b", "vcov": "CR2", "cluster": "id"}', 'y > 1', 'logistic_regression'),
                     errors('{"formula": "a + b", "vcov": "HC2"}', 'y > 1', 'logistic_regression'), 1e-10) AS cr2,
       test.near_all(errors('{"formula": "a + b", "vcov": "NW", "order": "id", "lag": 0}', 'y > 1', 'logistic_regression'),
                     errors('{"formula": "a + b", "vcov": "HC0"}', 'y > 1', 'logistic_regression')) AS nw;
-- the same clusters under other names, and twice the same column
SELECT test.near_all(errors(pgfit.linear_regression(y, s, '{"features": ["a", "b"], "vcov": "CR2", "cluster": "c"}')), errors('{"formula": "a + b", "vcov": "CR2", "cluster": "firm"}')) AS renamed
FROM (SELECT *, 'firm ' || firm AS c FROM sales) AS s;
SELECT test.near_all(errors('{"formula": "a", "vcov": "CR1", "cluster": ["firm", "firm"]}'), errors('{"formula": "a", "vcov": "CR1", "cluster": "firm"}')) AS twice;
-- "." leaves clusters out, by rows and by source; jsonb rows; formulas that learn; clusters that are features too
SELECT jsonb_path_query_array(pgfit.info(pgfit.linear_regression(y, s, '{"formula": ".", "vcov": "CR0", "cluster": ["firm", "year"]}')), '$.features[*].name') AS rows,
       jsonb_path_query_array(pgfit.info(pgfit.fit('linear_regression', '(SELECT a, g, day, y FROM sales)', 'y ~ .', '{"vcov": "NW", "order": "day"}')), '$.features[*].name') AS source FROM (SELECT y, a, b, firm, year FROM sales) AS s;
SELECT test.near_all(errors(pgfit.linear_regression(y, to_jsonb(s), '{"formula": "a + b", "vcov": "CR2", "cluster": "firm"}')), errors('{"formula": "a + b", "vcov": "CR2", "cluster": "firm"}')) AS jsonb
FROM sales AS s;
SELECT test.near_all((errors('{"formula": "center(a) + b", "vcov": "CR2", "cluster": "firm"}'))[2:], (errors('{"formula": "a + b", "vcov": "CR2", "cluster": "firm"}'))[2:]) AS learned;
SELECT array_length(errors('{"formula": "a + C(firm)", "vcov": "CR1", "cluster": "firm"}'), 1) AS fixed_effects;
-- weights: counts are rows, precision is as in R
SELECT test.near_all(errors(pgfit.linear_regression(y, s, format('{"formula": "a + b", "weight_kind": "frequency", "vcov": "%s"%s}', vcov, more)::jsonb, 2)),
                     (SELECT errors(pgfit.linear_regression(y, s, format('{"formula": "a + b", "vcov": "%s"%s}', vcov, more)::jsonb)) FROM (SELECT * FROM sales UNION ALL SELECT * FROM sales) AS s), 1e-11) AS same, vcov
FROM sales AS s, (VALUES ('HC0', ''), ('HC1', ''), ('HC3', ''), ('CR1', ', "cluster": "firm"'), ('CR2', ', "cluster": "firm"')) AS kinds (vcov, more) GROUP BY vcov, more ORDER BY vcov;
-- moments that keep their rows, merged
SELECT test.near_all(errors(pgfit.fit('linear_regression', pgfit.merge(part), '{"vcov": "HC3"}')), errors('{"formula": "a + b", "vcov": "HC3"}'), 1e-11) AS merged
FROM (SELECT pgfit.moments(y, s, '{"formula": "a + b", "keep_rows": true}') AS part FROM sales AS s GROUP BY id % 3) AS parts;
-- a NULL cluster skips the row
SELECT pgfit.info(pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "CR1", "cluster": "c"}')) -> 'skipped' AS skipped FROM (SELECT *, CASE WHEN id > 7 THEN firm END AS c FROM sales) AS s;
SELECT pgfit.info(pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "NW", "order": "c"}')) -> 'skipped' AS skipped FROM (SELECT *, CASE WHEN id > 7 THEN id END AS c FROM sales) AS s;
-- ties in the order are put in the order of their scores, whatever the order of the rows
SELECT test.near_all(errors(pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "NW", "order": "firm"}' ORDER BY id)), errors(pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "NW", "order": "firm"}' ORDER BY y)), 1e-11) AS ties
FROM sales AS s;
-- intervals of prediction contain the variance of the residuals as before
SELECT (robust).fit = (plain).fit AS fit, abs((robust).lower - (plain).lower) < 0.1 AS near, (robust).lower <> (plain).lower AS other
FROM (SELECT pgfit.predict_interval(pgfit.linear_regression(y, s, '{"formula": "a + b", "vcov": "HC3"}'), (SELECT t FROM sales AS t WHERE id = 1)) AS robust,
             pgfit.predict_interval(pgfit.linear_regression(y, s, '{"formula": "a + b"}'), (SELECT t FROM sales AS t WHERE id = 1)) AS plain FROM sales AS s) AS i;
-- a test of nested models is that of Wald; one of a single term is the square of its t
SELECT (test).test, (test).df, (test).df_residual, test.near((test).statistic, c.statistic ^ 2, 1e-10) AS square, test.near((test).p_value, c.p_value, 1e-8) AS same
FROM (SELECT pgfit.anova(pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "HC1"}'), pgfit.linear_regression(y, s, '{"formula": "a + b", "vcov": "HC1"}')) AS test,
             pgfit.linear_regression(y, s, '{"formula": "a + b", "vcov": "HC1"}') AS m FROM sales AS s) AS t, pgfit.coefficients(m) AS c WHERE c.term = 'b';
SELECT (test).test, (test).df, (test).df_residual FROM (SELECT pgfit.anova(pgfit.logistic_regression(y > 1, s, 'a'), pgfit.logistic_regression(y > 1, s, '{"formula": "a + b", "vcov": "HC0"}')) AS test FROM sales AS s) AS t;
SELECT (test).test, (test).df, (test).df_residual FROM (SELECT pgfit.anova(pgfit.linear_regression(y, s, 'a'), pgfit.linear_regression(y, s, '{"formula": "a + b", "vcov": "CR2", "cluster": "firm"}')) AS test FROM sales AS s) AS t;
-- cross-validation needs no standard errors, but "." would take the columns of their clusters
SELECT metric, value > 0 AS value FROM pgfit.evaluate('linear_regression', 'sales', 'y ~ a + b', '{"metrics": "rmse", "folds": 3, "options": {"vcov": "HC3"}}');
SELECT metric, test.near(value, (SELECT value FROM pgfit.evaluate('linear_regression', 'sales', 'y ~ a + b', '{"metrics": "rmse"}'))) AS same
FROM pgfit.evaluate('linear_regression', 'sales', 'y ~ a + b', '{"metrics": "rmse", "vcov": "CR1", "cluster": "firm"}');
SELECT test.try($$SELECT pgfit.evaluate('linear_regression', 'sales', 'y ~ .', '{"vcov": "CR1", "cluster": "firm"}')$$);
SELECT test.try($$SELECT pgfit.evaluate('linear_regression', 'sales', 'y ~ 0 + a', '{"vcov": "NW", "order": "day"}')$$) !~ 'HINT' AS series;
-- the scale of precision weights and of features changes no standard error of the others, and no lag
SELECT vcov, bool_and(test.near_all(errors(m), errors(n), 1e-10)) AS weights
FROM (SELECT vcov, scale, pgfit.linear_regression(y, s, o, (1 + id % 3) * scale) AS m, pgfit.linear_regression(y, s, o, 1 + id % 3) AS n
      FROM sales AS s, unnest(ARRAY[1e-300, 1e170, 1e300]) AS scale,
           (VALUES ('CR2', '{"formula": "a", "vcov": "CR2", "cluster": "firm"}'::jsonb), ('NW', '{"formula": "a", "vcov": "NW", "order": "day"}')) AS k (vcov, o)
      GROUP BY vcov, scale) AS fitted GROUP BY vcov ORDER BY vcov;
SELECT bool_and(test.near_all(errors(m), errors(n), 1e-10)) AS logistic
FROM (SELECT pgfit.logistic_regression(y > 1, s, '{"formula": "a", "vcov": "CR2", "cluster": "firm"}', (1 + id % 3) * scale) AS m,
             pgfit.logistic_regression(y > 1, s, '{"formula": "a", "vcov": "CR2", "cluster": "firm"}', 1 + id % 3) AS n
      FROM sales AS s, unnest(ARRAY[1e-200, 1e300]) AS scale GROUP BY scale) AS fitted;
SELECT test.near((errors(pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "NW", "order": "day"}')))[1], (errors('{"formula": "a", "vcov": "NW", "order": "day"}'))[1], 1e-11) AS lag
FROM (SELECT y, a * 1e200 AS a, day FROM sales) AS s;
-- variances out of range leave a model that can be read, without standard errors
SELECT errors(m::text::pgfit.model) FROM (SELECT pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "CR1", "cluster": "firm"}') AS m FROM (SELECT y, a * 1e-200 AS a, firm FROM sales) AS s) AS fitted;
-- the difference of two clusterings is negative for the intercept
SELECT term, std_error IS NULL AS none, statistic, p_value, conf_low
FROM (SELECT pgfit.linear_regression(cos(i * i), v, '{"formula": "a", "vcov": "CR0", "cluster": ["f", "g"]}') AS m
      FROM generate_series(1, 12) AS i, LATERAL (SELECT i % 3 AS f, i % 4 AS g, sin(i) AS a) AS v) AS fitted, pgfit.coefficients(m)
WHERE term = '(intercept)';
-- CR2 of logistic regression leaves out what single clusters determine; its degrees of freedom exist
SELECT round((pgfit.parameter(m, 'coefficient_df'))[3]::numeric, 6) AS df
FROM (SELECT pgfit.logistic_regression(y = 1, v, '{"formula": "x + z", "vcov": "CR2", "cluster": "z"}', w) AS m
      FROM (VALUES (0.26, 0, 1, 2), (-1.01, 1, 1, 1), (0.51, 0, 0, 2), (-1.14, 1, 0, 4), (0.04, 1, 0, 2), (0.9, 1, 0, 4), (0.99, 1, 1, 1), (0.49, 1, 1, 1)) AS v (x, z, y, w)) AS fitted;
-- generalized linear models: the dispersion drops out, logistic regression is one of them, and copies of rows are weights
SELECT pgfit.summary(pgfit.gamma_regression(exp(y), s, '{"formula": "a + b", "vcov": "CR2", "cluster": "firm"}')) FROM sales AS s;
SELECT vcov, test.near_all(errors(pgfit.glm((y > 1)::int, s, format('{"family": "binomial", "formula": "a + b", "vcov": "%s"%s}', vcov, more)::jsonb)),
                           errors(pgfit.logistic_regression(y > 1, s, format('{"formula": "a + b", "vcov": "%s"%s}', vcov, more)::jsonb)), 1e-9) AS logistic,
       test.near_all(errors(pgfit.glm(y, s, format('{"formula": "a + b", "vcov": "%s"%s}', vcov, more)::jsonb)),
                     errors(pgfit.linear_regression(y, s, format('{"formula": "a + b", "vcov": "%s"%s}', vcov, more)::jsonb)), 1e-9) AS linear,
       test.near_all(errors(pgfit.glm(abs(y), s, format('{"family": "poisson", "formula": "a + b", "vcov": "%s"%s}', vcov, more)::jsonb)),
                     errors(pgfit.glm(abs(y), s, format('{"family": "quasipoisson", "formula": "a + b", "vcov": "%s"%s}', vcov, more)::jsonb)), 1e-12) AS dispersion
FROM sales AS s, (VALUES ('HC1', ''), ('HC3', ''), ('CR1', ', "cluster": "firm"'), ('CR2', ', "cluster": "firm"'), ('NW', ', "order": "day"')) AS kinds (vcov, more) GROUP BY vcov, more ORDER BY vcov;
SELECT vcov, test.near_all(errors(pgfit.poisson_regression(round(exp(y)), s, format('{"formula": "a + b", "weight_kind": "frequency", "vcov": "%s"%s}', vcov, more)::jsonb, 2)),
                           (SELECT errors(pgfit.poisson_regression(round(exp(y)), s, format('{"formula": "a + b", "vcov": "%s"%s}', vcov, more)::jsonb)) FROM (SELECT * FROM sales UNION ALL SELECT * FROM sales) AS s), 1e-9) AS same
FROM sales AS s, (VALUES ('HC0', ''), ('HC3', ''), ('CR1', ', "cluster": "firm"')) AS kinds (vcov, more) GROUP BY vcov, more ORDER BY vcov;
-- amounts in any unit, and an offset that is all of the score
SELECT bool_and(test.near_all((errors(m))[2:], (errors(n))[2:], 1e-8)) AS units
FROM (SELECT pgfit.gamma_regression(exp(y) * unit, s, '{"formula": "a + b", "vcov": "CR2", "cluster": "firm"}') AS m, pgfit.gamma_regression(exp(y), s, '{"formula": "a + b", "vcov": "CR2", "cluster": "firm"}') AS n
      FROM sales AS s, unnest(ARRAY[1e-140, 1e-9, 1e140]) AS unit GROUP BY unit) AS fitted;
SELECT test.near_all(errors(m), errors(n), 1e-8) AS offsets
FROM (SELECT pgfit.poisson_regression(exp(y) * id, s, '{"formula": "a + offset(ln(id))", "vcov": "HC3"}') AS m, pgfit.poisson_regression(exp(y), s, '{"formula": "a", "vcov": "HC3"}', id) AS n FROM sales AS s) AS fitted;
-- tests of them
SELECT w.test, w.df, round(w.statistic::numeric, 4) AS statistic FROM (SELECT pgfit.poisson_regression(round(exp(y)), s, '{"formula": "a + b", "vcov": "CR1", "cluster": "firm"}') AS m FROM sales AS s) AS fitted, pgfit.wald_test(m, 'a, b') AS w;
SELECT a.test, a.df, round(a.statistic::numeric, 4) AS statistic
FROM (SELECT pgfit.poisson_regression(round(exp(y)), s, '{"formula": "a"}') AS small, pgfit.poisson_regression(round(exp(y)), s, '{"formula": "a + b", "vcov": "HC1"}') AS large FROM sales AS s) AS fitted, pgfit.anova(small, large) AS a;
SELECT test.try($$SELECT pgfit.poisson_regression(round(exp(y)), s, '{"formula": "a", "vcov": "CR2", "cluster": "firm", "weight_kind": "frequency"}', 2) FROM sales AS s$$);
SELECT test.try($$SELECT pgfit.poisson_regression(round(exp(y)), s, '{"formula": "a", "vcov": "CR1"}') FROM sales AS s$$);
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{arrays,coefficient_df}', '[3, -1]')))
FROM (SELECT pgfit.gamma_regression(exp(y), s, '{"formula": "a", "vcov": "CR2", "cluster": "firm"}')::jsonb AS j FROM sales AS s) AS stored;
SELECT errors(pgfit.poisson_regression(id, s, '{"formula": "a", "vcov": "HC1"}')) AS no_rows_left FROM sales AS s WHERE id < 3;
-- CR2 of clusters of whole blocks of rows
SELECT test.near_all(errors(pgfit.linear_regression(y, s, '{"formula": "a + b", "vcov": "CR2", "cluster": "c"}')), errors(pgfit.linear_regression(y, s, '{"formula": "a + b", "vcov": "CR2", "cluster": "c"}', 1 + 0 * id)), 1e-11) AS blocks
FROM (SELECT *, id % 25 AS c FROM sales WHERE id <= 225) AS s;
-- values from outside
CREATE TABLE stored AS SELECT pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "CR2", "cluster": "firm"}')::jsonb AS j FROM sales AS s;
SELECT j::pgfit.model::jsonb = j AS same FROM stored;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{arrays,coefficient_df}', '[3]'))) FROM stored;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{arrays,coefficient_df}', '[3, 0]'))) FROM stored;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{facts,vcov}', '{"text": "CR9"}'))) FROM stored;
SELECT test.try(format('SELECT %L::pgfit.model', jsonb_set(j, '{facts,clusters}', '{"i64": 1}'))) FROM stored;
SELECT test.try(format('SELECT %L::pgfit.model', j #- '{facts,vcov}')) FROM stored;
SELECT test.try(format('SELECT %L::pgfit.model', j #- '{arrays,covariance_packed}')) FROM stored;
-- refusals
SELECT test.try(format('SELECT pgfit.linear_regression(y, s, %L) FROM (SELECT *, 1 AS one FROM sales) AS s', options))
FROM (VALUES ('{"formula": "a", "vcov": "HC4"}'), ('{"formula": "a", "vcov": "CR2"}'), ('{"formula": "a", "cluster": "firm"}'), ('{"formula": "a", "vcov": "HC1", "cluster": "firm"}'),
             ('{"formula": "a", "vcov": "NW"}'), ('{"formula": "a", "vcov": "CR1", "cluster": "firm", "lag": 2}'), ('{"formula": "a", "vcov": "NW", "order": "g"}'),
             ('{"formula": "a", "vcov": "NW", "order": "id", "lag": 300}'), ('{"formula": "a", "vcov": "CR1", "cluster": "nothing"}'), ('{"formula": "a", "vcov": "CR1", "cluster": []}'),
             ('{"formula": "a", "vcov": "CR2", "cluster": ["firm", "year"]}'), ('{"formula": "a", "vcov": "CR1", "cluster": "one"}'), ('{"formula": "a", "vcov": "HC1", "decompose": true}'),
             ('{"formula": "a + C(id)", "vcov": "CR1", "cluster": "firm"}')) AS o (options);
SELECT test.try($$SELECT pgfit.linear_regression(y, s, '{"formula": "a + C(single)", "vcov": "HC3"}') FROM (SELECT *, id = 1 AS single FROM sales) AS s$$);
SELECT test.try($$SELECT pgfit.fit('linear_regression', m, '{"vcov": "HC1"}') FROM (SELECT pgfit.moments(y, s, 'a') AS m FROM sales AS s) AS t$$);
SELECT test.try($$SELECT pgfit.fit('linear_regression', m, '{"vcov": "CR1", "cluster": "firm"}') FROM (SELECT pgfit.moments(y, s, 'a') AS m FROM sales AS s) AS t$$);
SELECT test.try($$SELECT pgfit.linear_regression(y, s, '{"formula": "a", "weight_kind": "frequency", "vcov": "NW", "order": "id"}', 2) FROM sales AS s$$);
SELECT test.try($$SELECT max(pgfit.info(m) ->> 'rows') FROM (SELECT pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "HC1"}') OVER (ORDER BY id ROWS 20 PRECEDING) AS m FROM sales AS s) AS t$$);
SELECT test.try($$SELECT pgfit.logistic_regression(y > 1, s, '{"formula": "a", "vcov": "HC1", "lambda": 1}') FROM sales AS s$$);
SELECT test.try($$SELECT pgfit.logistic_regression(g, s, '{"formula": "a", "vcov": "HC1"}') FROM sales AS s$$);
SELECT test.try($$SELECT pgfit.logistic_regression(y > 1, s, '{"formula": "a", "vcov": "HC1", "class_weight": "balanced"}') FROM sales AS s$$);
SELECT test.try($$SELECT pgfit.ridge_regression(y, s, 1, '{"formula": "a", "vcov": "HC1"}') FROM sales AS s$$);
SET pgfit.fit_mem = '64kB';
SELECT test.try($$SELECT pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "HC1"}') FROM sales AS s, generate_series(1, 20)$$);
RESET pgfit.fit_mem;
-- too few rows, and none
SELECT errors(pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "HC1"}')) FROM sales AS s WHERE id < 3;
SELECT pgfit.linear_regression(y, s, '{"formula": "a", "vcov": "CR1", "cluster": "firm"}') FROM sales AS s WHERE false;
DROP TABLE sales, stored;
DROP FUNCTION errors(pgfit.model);
DROP FUNCTION errors(text, text, text);
