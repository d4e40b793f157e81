-- glm: families and links; the families that are methods of their own
CREATE TABLE glm_rows AS
SELECT i AS id, x, g, w, c AS copies, e AS exposure, floor(e * exp(0.3 + x) + 3 * abs(sin(i * 7))) AS count, round((1 + x + abs(cos(i * 3)))::numeric, 3)::float8 AS amount,
       (i * i % 11 < 2 + 6 * x)::int AS yes, m AS trials, floor(m * (0.2 + 0.5 * x + 0.2 * abs(sin(i)))) / m AS share
FROM (SELECT i, (i * 37 % 101) / 100.0::float8 AS x, 'abc'::text AS a, substr('abc', i % 3 + 1, 1) AS g, 0.5 + i % 4 AS w, 1 + i % 3 AS c, 1 + i % 5 AS e, 2 + i % 6 AS m
      FROM generate_series(1, 120) AS i) AS s;

SELECT pgfit.summary(pgfit.glm(count, d, '{"family": "poisson", "formula": "x + g + offset(ln(exposure))"}')) FROM glm_rows AS d;
SELECT pgfit.summary(pgfit.negative_binomial_regression(count, d, 'x + g')) FROM glm_rows AS d;
SELECT pgfit.summary(pgfit.gamma_regression(amount, d, '{"formula": "x", "intercept": false}')) FROM glm_rows AS d;

-- the mean of each family is that of the targets: the intercept alone, and the score equations of canonical links
SELECT family, test.near(pgfit.predict(m, ROW(1.0)), mean, 1e-9) AS mean
FROM (SELECT family, avg(amount / 5) AS mean, pgfit.glm(amount / 5, d, jsonb_build_object('family', family, 'formula', '1')) AS m
      FROM glm_rows AS d, unnest(ARRAY['gaussian', 'binomial', 'poisson', 'gamma', 'inverse_gaussian', 'negative_binomial', 'tweedie', 'quasipoisson', 'quasibinomial']) AS family
      GROUP BY family) AS f ORDER BY 1;
SELECT family, bool_and(abs(mean - target) < 1e-8) AS totals
FROM (SELECT family, m, i FROM (SELECT family, pgfit.glm(CASE WHEN family LIKE '%binomial' THEN share ELSE count + 1 END, d, jsonb_build_object('family', family, 'formula', 'x + g')) AS m
      FROM glm_rows AS d, unnest(ARRAY['gaussian', 'binomial', 'poisson', 'gamma', 'inverse_gaussian', 'quasipoisson', 'quasibinomial']) AS family GROUP BY family) AS f, generate_series(0, 1) AS i) AS f,
     LATERAL (SELECT avg(pgfit.predict(m, d) * x ^ i) AS mean, avg(CASE WHEN family LIKE '%binomial' THEN share ELSE count + 1 END * x ^ i) AS target FROM glm_rows AS d) AS s
GROUP BY family ORDER BY 1;

-- a method of its own is the family with the log link
SELECT test.near_all(test.estimates(pgfit.poisson_regression(count, d, 'x + g')), (SELECT test.estimates(pgfit.glm(count, d, '{"family": "poisson", "formula": "x + g"}')) FROM glm_rows AS d), 1e-14) AS poisson,
       test.near_all(test.estimates(pgfit.gamma_regression(amount, d, 'x + g')), (SELECT test.estimates(pgfit.glm(amount, d, '{"family": "gamma", "link": "log", "formula": "x + g"}')) FROM glm_rows AS d), 1e-14) AS gamma,
       test.near_all(test.estimates(pgfit.tweedie_regression(amount, d, '{"formula": "x + g", "power": 1.3}')), (SELECT test.estimates(pgfit.glm(amount, d, '{"family": "tweedie", "power": 1.3, "formula": "x + g"}')) FROM glm_rows AS d), 1e-14) AS tweedie,
       test.near_all(test.estimates(pgfit.negative_binomial_regression(count, d, 'x + g')), (SELECT test.estimates(pgfit.glm(count, d, '{"family": "negative_binomial", "formula": "x + g"}')) FROM glm_rows AS d), 1e-14) AS negative_binomial
FROM glm_rows AS d;
-- gaussian with link identity is least squares, binomial with logit logistic regression
SELECT test.near_all(test.estimates(pgfit.glm(amount, d, 'x * g', w)), (SELECT test.estimates(pgfit.linear_regression(amount, d, 'x * g', w)) FROM glm_rows AS d), 1e-9) AS least_squares,
       test.near_all(test.estimates(pgfit.glm(yes, d, '{"family": "binomial", "formula": "x * g"}')), (SELECT test.estimates(pgfit.logistic_regression(yes, d, 'x * g')) FROM glm_rows AS d), 1e-6) AS logistic
FROM glm_rows AS d;

-- an offset is inside the score: an exposure twice as large doubles the mean, and what is inside may be written as SQL
SELECT bool_and(test.near(pgfit.predict(m, d), pgfit.predict(m, e) / 2, 1e-12)) AS doubled,
       bool_and(test.near(ln(pgfit.predict(m, d)), (SELECT sum(contribution) FROM pgfit.explain(m, d)), 1e-12)) AS explained
FROM (SELECT pgfit.poisson_regression(count, d, 'x + g + offset(ln(exposure))') AS m FROM glm_rows AS d) AS f, glm_rows AS d, LATERAL (SELECT x, g, 2 * exposure AS exposure) AS e;
CREATE FUNCTION glm_written(link jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    largest float8;
    numbers bigint;
BEGIN
    EXECUTE format('CREATE TEMP TABLE glm_one ON COMMIT DROP AS SELECT pgfit.glm(share / 2 + 0.1, d, %L) AS m FROM glm_rows AS d', link || '{"formula": "x + g + offset(w / 100)"}');
    EXECUTE (SELECT format('SELECT max(abs(pgfit.predict(m, d) - (%s))) FROM glm_one, glm_rows AS d', pgfit.to_sql(m)) FROM glm_one) INTO largest;
    EXECUTE (SELECT format('SELECT count(%s) FROM (SELECT 0.5 AS x, ''a''::text AS g, NULL::float8 AS w) AS d', pgfit.to_sql(m)) FROM glm_one) INTO numbers;
    DROP TABLE glm_one;
    RETURN format('%s, %s', CASE WHEN largest < 1e-12 THEN 'the same' ELSE largest::text END, numbers);
END $$;
SELECT link, glm_written(jsonb_build_object('link', link)) AS "as SQL, numbers for a NULL" FROM unnest(ARRAY['identity', 'log', 'logit', 'cloglog', 'cauchit', 'inverse', 'inverse_squared', 'sqrt']) AS link;
SELECT power, glm_written(jsonb_build_object('link', 'power', 'link_power', power)) AS "as SQL, numbers for a NULL" FROM unnest('{0.3,3,-0.7}'::float8[]) AS power;
DROP FUNCTION glm_written(jsonb);
-- as SQL, small probabilities of the cauchit and cloglog links lost their digits: near 1e-8, half of them
CREATE FUNCTION glm_small(m pgfit.model, x float8) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE same boolean;
BEGIN
    EXECUTE format('SELECT abs((%s) / pgfit.predict($1, d) - 1) < 1e-14 FROM (SELECT $2 AS x) AS d', pgfit.to_sql(m)) INTO same USING m, x;
    RETURN same;
END $$;
SELECT link, x, glm_small(m, x) AS digits
    FROM (SELECT link, pgfit.glm(share / 2 + 0.1 * (x > 0)::int, r, jsonb_build_object('formula', 'x', 'link', link)) AS m FROM glm_rows AS r, unnest('{cauchit,cloglog}'::text[]) AS link GROUP BY link) AS f,
        unnest('{-1e9,-300,-10,0,2,40}'::float8[]) AS x WHERE link = 'cauchit' OR x > -1e9;
DROP FUNCTION glm_small;
-- as SQL, features of 1e10 and more: the mean or NULL where predict has none, not an error
CREATE FUNCTION glm_written_far(m pgfit.model) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT string_agg(CASE WHEN p IS NULL AND s IS NULL THEN ''no mean'' WHEN test.near(p, s, 1e-9) THEN ''the same'' WHEN s IS NULL AND p = 0 THEN ''0'' ELSE ''another'' END, '', '' ORDER BY x)
        FROM (SELECT x, pgfit.predict(%L::pgfit.model, d) AS p, %s AS s FROM unnest(''{-1e300,-5,0,1e-300,1,1e10,1e100,1e200,1e300}''::float8[]) AS d(x)) AS t', m, pgfit.to_sql(m)) INTO result;
    RETURN result;
END $$;
SELECT options, glm_written_far(m) AS means FROM (SELECT options, pgfit.gamma_regression(amount, d, '{"formula": "x"}'::jsonb || options) AS m
    FROM glm_rows AS d, unnest('{"{\"link\": \"sqrt\"}","{\"link\": \"power\", \"link_power\": 0.01}","{\"link\": \"power\", \"link_power\": -0.01}","{\"link\": \"power\", \"link_power\": 3}"}'::jsonb[]) AS options GROUP BY options) AS f ORDER BY options;
DROP FUNCTION glm_written_far(pgfit.model);
SELECT test.try($$SELECT pgfit.to_sql(pgfit.glm(yes, d, '{"family": "binomial", "link": "probit", "formula": "x"}')) FROM glm_rows AS d$$);

-- the offset in what scores rows
SELECT round(a.value::numeric, 1) AS rmse, round(b.value::numeric, 1) AS without
FROM (SELECT pgfit.cross_validate(count, d, 'poisson_regression', 'x + offset(ln(exposure))') AS a, pgfit.cross_validate(count, d, 'poisson_regression', 'x') AS b FROM glm_rows AS d) AS f,
     unnest(f.a) AS a, unnest(f.b) AS b WHERE a.metric = 'rmse' AND b.metric = 'rmse' AND a.fold IS NULL AND b.fold IS NULL;
SELECT bool_and(lower < fit AND fit < upper AND test.near(fit, pgfit.predict(m, d), 1e-12)) AS conformal
FROM (SELECT pgfit.conformalize(m, count, d) AS c, m FROM (SELECT pgfit.poisson_regression(count, d, 'x + offset(ln(exposure))') AS m FROM glm_rows AS d) AS f, glm_rows AS d GROUP BY m) AS f,
     glm_rows AS d, pgfit.predict_interval(c, d, 0.9) AS i;
SELECT test.near(avg(pgfit.predict(e, d)), avg((pgfit.predict(a, d) + pgfit.predict(b, d)) / 2), 1e-12) AS ensemble
FROM (SELECT a, b, pgfit.ensemble(a, b) AS e FROM (SELECT pgfit.poisson_regression(count, d, 'x + offset(ln(exposure))') AS a, pgfit.linear_regression(count, d, 'x') AS b FROM glm_rows AS d) AS f) AS f, glm_rows AS d;

-- link power: a score is a power of the mean; powers with a name of their own are that link, and a score of at most 0 has no mean
SELECT power, string_agg(DISTINCT substring(pgfit.summary(m) FROM 'link: ([^\n]*)'), ' ') AS link, bool_and(test.near(pgfit.predict(m, d) ^ power, (SELECT sum(contribution) FROM pgfit.explain(m, d)), 1e-12)) AS explained,
       bool_and((SELECT bool_and(test.near(a.estimate, slope, 1e-6)) FROM pgfit.margins(m, 'SELECT * FROM glm_rows', 'x') AS a,
           LATERAL (SELECT avg(pgfit.predict(m, ROW(x + 1e-4, g)) - pgfit.predict(m, ROW(x - 1e-4, g))) / 2e-4 AS slope FROM glm_rows) AS s)) AS slope, count(pgfit.predict(m, ROW(-100.0 * power, g))) AS numbers
FROM (SELECT power, pgfit.gamma_regression(amount, d, jsonb_build_object('link', 'power', 'link_power', power, 'formula', 'x + g')) AS m FROM glm_rows AS d, unnest('{-2,-1,-0.7,0.3,0.5,1,3}'::float8[]) AS power GROUP BY power) AS f,
     glm_rows AS d WHERE d.id <= 3 GROUP BY power ORDER BY power;
SELECT test.near(sum(leverage), 4, 1e-8) AS leverages, test.near(sum(deviance_residual ^ 2), (pgfit.info(m) -> 'statistics' ->> 'deviance')::float8, 1e-9) AS deviance,
       test.near_all(test.estimates(m), (SELECT test.estimates(pgfit.fit('poisson_regression', 'glm_rows', 'count ~ x + g', '{"passes": true, "link": "power", "link_power": 0.3}'))), 1e-8) AS passes,
       test.near_all(test.estimates(m), test.estimates(m::text::pgfit.model), 0) AS text
FROM (SELECT pgfit.poisson_regression(count, d, '{"link": "power", "link_power": 0.3, "formula": "x + g"}') AS m FROM glm_rows AS d) AS f, glm_rows AS d, pgfit.influence(m, count, d) GROUP BY m::text, m;
SELECT a.term, round((a.std_error / b.std_error)::numeric, 1) AS robust_to_classical
FROM (SELECT pgfit.poisson_regression(count, d, '{"link": "power", "link_power": 0.3, "formula": "x", "vcov": "HC3"}') AS m, pgfit.poisson_regression(count, d, '{"link": "power", "link_power": 0.3, "formula": "x"}') AS n FROM glm_rows AS d) AS f,
     pgfit.coefficients(m) AS a, pgfit.coefficients(n) AS b WHERE a.term = b.term;
SELECT test.try(format('SELECT pgfit.glm(amount, d, %L) FROM glm_rows AS d', options)) AS refused
FROM unnest(ARRAY['{"formula": "x", "link": "power"}', '{"formula": "x", "link": "power", "link_power": 0}', '{"formula": "x", "link": "log", "link_power": 2}', '{"formula": "x", "link_power": 2}',
    '{"formula": "x", "link": "power", "link_power": 1e300}', '{"formula": "x", "link": "power", "link_power": "NaN"}']) AS options;

-- weights: copies, trials, and precision
SELECT test.near_all(test.estimates(pgfit.glm(share, d, '{"family": "binomial", "formula": "x"}', trials)),
       (SELECT test.estimates(pgfit.glm(y, d, '{"family": "binomial", "formula": "x"}')) FROM glm_rows AS d, LATERAL (SELECT (i <= round(share * trials))::int AS y FROM generate_series(1, trials) AS i) AS one), 1e-9) AS trials,
       test.near_all(test.estimates(pgfit.glm(amount, d, '{"family": "gamma", "formula": "x", "weight_kind": "frequency"}', copies)),
       (SELECT test.estimates(pgfit.glm(amount, d, '{"family": "gamma", "formula": "x"}')) FROM glm_rows AS d, generate_series(1, copies)), 1e-9) AS copies
FROM glm_rows AS d;
SELECT bool_and(test.near((a.v)::text::float8, (b.v)::text::float8, 1e-9)) AS facts
FROM (SELECT pgfit.info(pgfit.glm(amount, d, '{"family": "gamma", "formula": "x", "weight_kind": "frequency"}', copies)) -> 'statistics' AS s FROM glm_rows AS d) AS f,
     (SELECT pgfit.info(pgfit.glm(amount, d, '{"family": "gamma", "formula": "x"}')) -> 'statistics' AS s FROM glm_rows AS d, generate_series(1, copies)) AS g,
     jsonb_each(f.s) AS a(k, v), jsonb_each(g.s) AS b(k, v) WHERE a.k = b.k AND jsonb_typeof(a.v) = 'number';

-- what follows a fit
SELECT test.near(a.statistic, (s ->> 'deviance')::float8 - (t ->> 'deviance')::float8, 1e-9) AS likelihood_ratio, a.test, a.df
FROM (SELECT pgfit.poisson_regression(count, d, 'x') AS m, pgfit.poisson_regression(count, d, 'x * g') AS n FROM glm_rows AS d) AS f, pgfit.anova(m, n) AS a,
     LATERAL (SELECT pgfit.info(m) -> 'statistics' AS s, pgfit.info(n) -> 'statistics' AS t) AS i;
SELECT test.near(a.statistic, ((s ->> 'deviance')::float8 - (t ->> 'deviance')::float8) / 4 / (t ->> 'dispersion')::float8, 1e-9) AS f, a.test, a.df, a.df_residual
FROM (SELECT pgfit.gamma_regression(amount, d, 'x') AS m, pgfit.gamma_regression(amount, d, 'x * g') AS n FROM glm_rows AS d) AS f, pgfit.anova(m, n) AS a,
     LATERAL (SELECT pgfit.info(m) -> 'statistics' AS s, pgfit.info(n) -> 'statistics' AS t) AS i;
SELECT test.try($$SELECT pgfit.anova(pgfit.poisson_regression(count, d, 'x'), pgfit.glm(count, d, '{"family": "poisson", "formula": "x + w"}')) FROM glm_rows AS d$$);
SELECT test.near(w.statistic, c.statistic ^ 2, 1e-9) AS wald, test.near(w.p_value, c.p_value, 1e-9) AS p, test.near(l.conf_high, c.conf_high, 1e-9) AS combination
FROM (SELECT name, CASE name WHEN 'poisson' THEN pgfit.poisson_regression(count, d, 'x + w') ELSE pgfit.gamma_regression(amount, d, 'x + w') END AS m
      FROM glm_rows AS d, unnest(ARRAY['gamma', 'poisson']) AS name GROUP BY name) AS f,
     pgfit.coefficients(m) AS c, pgfit.wald_test(m, 'x = 0') AS w, pgfit.linear_combinations(m, 'x') AS l WHERE c.term = 'x';
SELECT term, vif > 1 AS vif FROM (SELECT pgfit.poisson_regression(count, d, 'x + w') AS m FROM glm_rows AS d) AS f, pgfit.vif(m);
-- the average slope of a mean by its definition, exp for the log link and -1 / score^2 for the inverse, and the difference of two levels
SELECT test.near(a.estimate, b.estimate * mean, 1e-8) AS log_slope
FROM (SELECT pgfit.poisson_regression(count, d, 'x + g + offset(ln(exposure))') AS m FROM glm_rows AS d) AS f, pgfit.margins(m, 'SELECT * FROM glm_rows', 'x') AS a, pgfit.coefficients(m) AS b,
     LATERAL (SELECT avg(pgfit.predict(m, d)) AS mean FROM glm_rows AS d) AS s WHERE b.term = 'x';
SELECT test.near(a.estimate, -b.estimate * mean, 1e-8) AS inverse_slope
FROM (SELECT pgfit.glm(amount, d, '{"family": "gamma", "formula": "x + g"}') AS m FROM glm_rows AS d) AS f, pgfit.margins(m, 'SELECT * FROM glm_rows', 'x') AS a, pgfit.coefficients(m) AS b,
     LATERAL (SELECT avg(pgfit.predict(m, d) ^ 2) AS mean FROM glm_rows AS d) AS s WHERE b.term = 'x';
SELECT a.level, test.near(a.estimate, difference, 1e-8) AS difference
FROM (SELECT pgfit.glm(share, d, '{"family": "binomial", "link": "probit", "formula": "x + g"}', trials) AS m FROM glm_rows AS d) AS f, pgfit.margins(m, 'SELECT * FROM glm_rows', 'g') AS a,
     LATERAL (SELECT avg(pgfit.predict(m, ROW(x, a.level)) - pgfit.predict(m, ROW(x, 'a'::text))) AS difference FROM glm_rows) AS s ORDER BY 1;
SELECT a.level, test.near(a.estimate, pgfit.predict(m, ROW(mean, a.level)), 1e-8) AS mean, a.conf_low < a.estimate AND a.estimate < a.conf_high AS inside
FROM (SELECT pgfit.glm(amount, d, '{"family": "gamma", "formula": "x + g"}') AS m, avg(x) AS mean FROM glm_rows AS d) AS f, pgfit.marginal_means(m, 'SELECT * FROM glm_rows', 'g', '{"type": "response"}') AS a ORDER BY 1;
-- limits of scores on both sides of 0, the pole of inverse links and the least mean of sqrt
SELECT link, bool_and(a.conf_low = 0) AS from_nothing, bool_and(a.conf_high > a.estimate) AS above, bool_and(a.conf_low IS NULL AND a.conf_high IS NULL) AS unlimited
FROM (SELECT link, pgfit.glm(amount, d, jsonb_build_object('family', 'gaussian', 'link', link, 'formula', 'g', 'level', 1 - 1e-12)::text) AS m FROM glm_rows AS d, unnest('{inverse,sqrt}'::text[]) AS link WHERE id <= 12 GROUP BY link) AS f,
     pgfit.marginal_means(m, 'SELECT * FROM glm_rows', 'g', '{"type": "response"}') AS a GROUP BY link ORDER BY link;
SELECT test.near(residual, count - fitted, 1e-12) AS residual, leverage BETWEEN 0 AND 1 AS leverage FROM (SELECT pgfit.poisson_regression(count, d, 'x + offset(ln(exposure))') AS m FROM glm_rows AS d) AS f, glm_rows AS d,
     LATERAL (SELECT (pgfit.influence(m, count, d)).*) AS i LIMIT 1;

-- targets outside the family
SELECT test.try($$SELECT pgfit.poisson_regression(-count, d, 'x') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.gamma_regression(count - 5, d, 'x') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.glm(2 * share, d, '{"family": "binomial", "formula": "x"}', trials) FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.glm(0 * amount, d, '{"family": "inverse_gaussian", "formula": "x"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.poisson_regression(0 * count, d, 'x') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.glm(1, d, '{"family": "binomial", "formula": "x"}') FROM glm_rows AS d$$);
-- means outside their domain, wherever the steps go
SELECT test.try($$SELECT pgfit.glm(yes, d, '{"family": "binomial", "link": "inverse", "formula": "x - 1"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.poisson_regression(count + 1, d, '{"link": "logit", "formula": "x"}') FROM glm_rows AS d$$);
-- options
SELECT test.try($$SELECT pgfit.glm(count, d, '{"family": "poisson", "theta": 2, "formula": "x"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.glm(count, d, '{"family": "poisson", "power": 1.5, "formula": "x"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.glm(count, d, '{"family": "normal"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.glm(count, d, '{"link": "square"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.tweedie_regression(count, d, '{"power": 2}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.poisson_regression(count, d, 'x + offset(ln(exposure - 1))') FROM glm_rows AS d$$);

-- separation: a level whose counts are all 0, and classes that x separates
SELECT pgfit.info(pgfit.poisson_regression(CASE g WHEN 'a' THEN 0 ELSE count END, d, 'g')) @> '{"converged": false, "statistics": {"separated": true}}' AS separated FROM glm_rows AS d;
SELECT pgfit.info(pgfit.glm((x > 0.5)::int, d, '{"family": "binomial", "formula": "x"}')) @> '{"converged": false, "statistics": {"separated": true}}' AS separated FROM glm_rows AS d;
-- robust standard errors of separated classes were near 0 where plain ones were huge: there are none of either kind
SELECT v AS vcov, count(*) AS terms, count(std_error) AS errors
FROM (SELECT v, pgfit.glm((x > 0.5)::int, d, jsonb_build_object('family', 'binomial', 'formula', 'x', 'vcov', v)) AS m FROM glm_rows AS d, unnest('{classical,HC0,HC3}'::text[]) AS v GROUP BY v) AS f, pgfit.coefficients(m)
GROUP BY v ORDER BY v;
-- a row far from the others, whose mean is 1 to all digits, and counts over 18 orders of magnitude: the coefficients are finite and have standard errors
SELECT l AS link, r -> 'statistics' ? 'separated' AS separated, r -> 'converged' AS converged, g.std_error / abs(g.estimate) < 0.5 AS has_error, l <> 'logit' OR abs(g.std_error / b.std_error - 1) < 1e-6 AS as_logistic
FROM (SELECT l, pgfit.glm(up, d, jsonb_build_object('family', 'binomial', 'link', l)) AS m, pgfit.logistic_regression(up, d, '{"lambda": 0}') AS lm
      FROM (SELECT CASE i WHEN 1 THEN 300 ELSE (i * 37 % 41 - 20) / 10.0 END AS x, i FROM generate_series(1, 300) AS i) AS s, LATERAL (SELECT s.x) AS d,
           LATERAL (SELECT (i = 1 OR i * 7919 % 101 / 101.0 < 1 / (1 + exp(-s.x)))::int AS up) AS u, unnest('{logit,probit,cauchit}'::text[]) AS l GROUP BY l) AS f,
     LATERAL (SELECT pgfit.info(m) AS r) AS i, pgfit.coefficients(m) AS g, pgfit.coefficients(lm) AS b WHERE g.term = 'x' AND b.term = 'x' ORDER BY l;
SELECT abs(std_error / 0.0323 - 1) < 0.01 AS error FROM (SELECT pgfit.poisson_regression(floor(exp(x) + (i * 7919 % 101) / 101.0), d, 'x') AS m FROM (SELECT i, -45 + i / 6.0 AS x FROM generate_series(1, 300) AS i) AS d) AS f, pgfit.coefficients(m) WHERE term = 'x';
-- counts that vary less than Poisson's
SELECT (pgfit.info(pgfit.negative_binomial_regression(3 + id % 2, d, 'x')) -> 'statistics' ->> 'theta')::float8 >= 1e8 AS stopped FROM glm_rows AS d;
-- zeros of rows that are never above 0: seen by the fit and its summary; not where counts are Poisson's, nor where weights count no rows
CREATE TABLE glm_zeros AS SELECT x, copies, CASE WHEN i % 10 < 3 THEN 0 ELSE y END AS inflated, y FROM (SELECT i, x, 1 + i % 2 AS copies,
    (SELECT count(*) FROM generate_series(0, 15) AS k WHERE u > (SELECT sum(exp(-m) * m ^ j / factorial(j)) FROM generate_series(0, k) AS j)) AS y
    FROM (SELECT i, i % 101 / 100.0::float8 AS x, exp(0.5 + i % 101 / 100.0::float8) AS m, (i * 389 % 1009 + 0.5) / 1009 AS u FROM generate_series(1, 1000) AS i) AS s) AS t;
SET client_min_messages = notice;
SELECT pgfit.summary(pgfit.poisson_regression(inflated, d, 'x')) FROM glm_zeros AS d;
SELECT pgfit.info(pgfit.negative_binomial_regression(inflated, d, 'x')) -> 'statistics' -> 'zeros' AS still, pgfit.info(pgfit.poisson_regression(y, d, 'x')) -> 'statistics' -> 'zeros' AS as_expected FROM glm_zeros AS d;
-- amounts that are no counts were told that there are too many zeros
SELECT pgfit.info(pgfit.poisson_regression(inflated * 1.5, d, 'x')) -> 'statistics' ? 'zeros' AS zeros, pgfit.info(pgfit.fit('poisson_regression', 'SELECT x, inflated * 1.5 AS y FROM glm_zeros', 'y ~ x', '{"passes": true}')) -> 'statistics' ? 'zeros' AS of_passes FROM glm_zeros AS d;
RESET client_min_messages;
SELECT family, kind, s -> 'zeros' AS zeros, round((s ->> 'expected_zeros')::numeric, 3) AS expected, round((s ->> 'zeros_z')::numeric, 3) AS z
FROM (SELECT family, kind, pgfit.info(pgfit.glm(CASE kind WHEN 'inflated' THEN inflated ELSE y END, d, jsonb_strip_nulls(jsonb_build_object('family', family, 'formula', 'x', 'theta', theta)))) -> 'statistics' AS s
      FROM glm_zeros AS d, (VALUES ('poisson', NULL), ('negative_binomial', NULL), ('negative_binomial', 2), ('quasipoisson', NULL)) AS f(family, theta), unnest('{inflated,usual}'::text[]) AS kind GROUP BY family, theta, kind) AS f ORDER BY family, kind, 4;
SELECT bool_and(test.near((a.value)::text::float8, (b.value)::text::float8, 1e-9)) AS copies, (w ? 'zeros') AS weighted
FROM (SELECT pgfit.info(pgfit.poisson_regression(inflated, d, '{"formula": "x", "weight_kind": "frequency"}', copies)) -> 'statistics' AS f, pgfit.info(pgfit.poisson_regression(inflated, d, 'x', copies)) -> 'statistics' AS w FROM glm_zeros AS d) AS f,
     (SELECT pgfit.info(pgfit.poisson_regression(inflated, d, 'x')) -> 'statistics' AS r FROM glm_zeros AS d, generate_series(1, copies)) AS r, jsonb_each(f) AS a, jsonb_each(r) AS b WHERE a.key = b.key AND a.key LIKE '%zeros%' GROUP BY w;
-- the limit of steps
SELECT pgfit.info(pgfit.poisson_regression(count, d, '{"formula": "x", "max_iter": 1}')) ->> 'converged' AS converged FROM glm_rows AS d;

SELECT max_iter, bool_and((f ->> 'theta')::float8 > 0) AS theta, bool_and(test.near((f ->> 'aic')::float8, 2 * 3 - 2 * (f ->> 'log_likelihood')::float8)) AS theta_counts
FROM (SELECT max_iter, pgfit.info(pgfit.negative_binomial_regression(count, d, jsonb_build_object('formula', 'x', 'max_iter', max_iter)::text)) -> 'statistics' AS f FROM glm_rows AS d, generate_series(1, 2) AS max_iter GROUP BY max_iter) AS m GROUP BY max_iter ORDER BY max_iter;
SELECT test.near((f ->> 'aic')::float8, 2 * 2 - 2 * (f ->> 'log_likelihood')::float8) AS theta_given_counts_not
FROM (SELECT pgfit.info(pgfit.negative_binomial_regression(count, d, '{"formula": "x", "theta": 2}')) -> 'statistics' AS f FROM glm_rows AS d) AS m;

-- the offset in what writes queries: fit, train, evaluate, search, compare, of tables and views, and in prepared statements
CREATE VIEW glm_view AS SELECT count, x, g, exposure FROM glm_rows;
CREATE TABLE glm_ways AS SELECT 'fit' AS way, pgfit.fit('poisson_regression', 'glm_view', 'count ~ x + g + offset(ln(exposure))') AS m
    UNION ALL SELECT 'family', pgfit.fit('glm', 'SELECT * FROM glm_view', 'count ~ x + g + offset(ln(exposure))', '{"family": "poisson"}');
SELECT active, message FROM pgfit.train('glm_offset', 'poisson_regression', 'glm_view', 'count ~ x + g + offset(ln(exposure))');
INSERT INTO glm_ways SELECT 'train', pgfit.get_model('glm_offset');
PREPARE glm_fit(pgfit.call_options) AS INSERT INTO glm_ways SELECT 'prepared', pgfit.poisson_regression(count, d, $1) FROM glm_view AS d;
SET plan_cache_mode = force_generic_plan;
EXECUTE glm_fit('x + g + offset(ln(exposure))');
RESET plan_cache_mode;
DEALLOCATE glm_fit;
SELECT count(*) AS ways, count(DISTINCT (SELECT array_agg(round(estimate::numeric, 9)) FROM pgfit.coefficients(m))) AS models, bool_and(test.near(p, s, 1e-9)) AS totals
FROM (SELECT way, m::text::pgfit.model AS m, sum(pgfit.predict(m, d)) AS p, sum(count) AS s FROM glm_ways, glm_view AS d GROUP BY way, m::text, m) AS f;
SELECT bool_and(test.near(a.value, b.value, 1e-9)) AS evaluate, (SELECT bool_and(test.near(s.value, b.value, 1e-9)) FROM pgfit.search('poisson_regression', 'glm_view', 'count ~ x + g + offset(ln(exposure))', '{"max_iter": [50, 60]}') AS s) AS search
FROM pgfit.evaluate('poisson_regression', 'glm_view', 'count ~ x + g + offset(ln(exposure))') AS a, (SELECT c.* FROM (SELECT pgfit.cross_validate(count, d, 'poisson_regression', 'x + g + offset(ln(exposure))') AS v FROM glm_view AS d) AS f, unnest(v) AS c) AS b
WHERE a.metric = 'rmse' AND b.metric = 'rmse' AND b.fold IS NULL GROUP BY b.value;
SELECT test.near(c.value_a, v.a, 1e-9) AS compare FROM pgfit.compare((SELECT m FROM glm_ways WHERE way = 'fit'), (SELECT pgfit.fit('poisson_regression', 'glm_view', 'count ~ x')), 'glm_view', '{"target": "count"}') AS c,
    (SELECT avg((count - pgfit.predict(m, d)) ^ 2) AS a FROM glm_ways, glm_view AS d WHERE way = 'fit') AS v;
SELECT pgfit.drop_model('glm_offset');
DROP TABLE glm_ways;
DROP VIEW glm_view;
-- nothing but an offset is left
SELECT pgfit.info(m) ->> 'converged' AS converged, test.near((pgfit.info(m) -> 'statistics' ->> 'deviance')::float8, wanted, 1e-12) AS deviance
FROM (SELECT pgfit.poisson_regression(count, d, '0 + z + offset(ln(exposure))') AS m, sum(2 * (count * ln(greatest(count, 1) / exposure) - (count - exposure))) AS wanted FROM (SELECT *, 0 AS z FROM glm_rows) AS d) AS f;
SELECT pgfit.info(pgfit.negative_binomial_regression(count, d, '0 + z + offset(ln(exposure))')) ->> 'converged' AS converged FROM (SELECT *, 0 AS z FROM glm_rows) AS d;
SELECT test.try($$SELECT pgfit.gamma_regression(amount, d, '{"link": "inverse", "formula": "0 + z + offset(-exposure)"}') FROM (SELECT *, 0 AS z FROM glm_rows) AS d$$);
-- a theta without end is family poisson
SELECT theta, test.near((a ->> 'deviance')::float8, (b ->> 'deviance')::float8, 1e-9) AS deviance
FROM (SELECT theta, pgfit.info(pgfit.negative_binomial_regression(count, d, jsonb_build_object('formula', 'x', 'theta', theta)::text)) -> 'statistics' AS a, pgfit.info(pgfit.poisson_regression(count, d, 'x')) -> 'statistics' AS b
      FROM glm_rows AS d, unnest('{1e12,1e17,1e200}'::float8[]) AS theta GROUP BY theta) AS f ORDER BY theta;

-- influence: the sum of the leverages is the number of coefficients, and that of the squares of deviance residuals the deviance
SELECT family, test.near(sum(leverage), 4, 1e-8) AS leverages, test.near(sum(deviance_residual ^ 2), (pgfit.info(m) -> 'statistics' ->> 'deviance')::float8, 1e-9) AS deviance
FROM (SELECT family, pgfit.glm(count / 10 + 0.1, d, jsonb_build_object('family', family, 'link', 'log', 'formula', 'x + g + offset(ln(exposure))')) AS m
      FROM glm_rows AS d, unnest(ARRAY['gaussian', 'poisson', 'gamma', 'inverse_gaussian', 'negative_binomial', 'tweedie', 'quasipoisson']) AS family GROUP BY family) AS f,
     glm_rows AS d, pgfit.influence(m, count / 10 + 0.1, d) GROUP BY family, m::text, m ORDER BY family;
SELECT label, i.* IS NULL AS nothing, fitted IS NOT NULL AS fitted, residual IS NOT NULL AS residual, leverage IS NOT NULL AS leverage, deviance_residual IS NOT NULL AS deviance_residual
FROM (SELECT pgfit.glm(amount, d, '{"family": "gamma", "formula": "x"}') AS m FROM glm_rows AS d) AS f,
     (VALUES ('usual', 2, 0.5), ('0', 0, 0.5), ('negative', -1, 0.5), ('no target', NULL, 0.5), ('huge', 1e300, 0.5), ('huge x', 2, 1e300), ('no x', 2, NULL)) AS d(label, target, x), pgfit.influence(m, target, d) AS i;
SELECT leverage IS NULL AS penalized, deviance_residual IS NOT NULL AS residual
FROM (SELECT pgfit.poisson_regression(count, d, '{"formula": "x", "lambda": 1}') AS m FROM glm_rows AS d) AS f, glm_rows AS d, pgfit.influence(m, count, d) WHERE id = 1;

-- penalties: a tiny one changes nothing, a path has the fits of its lambdas, and dependent columns stay
SELECT test.near_all(test.estimates(pgfit.poisson_regression(count, d, '{"formula": "x + g", "lambda": 1e-12}')), (SELECT test.estimates(pgfit.poisson_regression(count, d, 'x + g')) FROM glm_rows AS d), 1e-9) AS tiny FROM glm_rows AS d;
SELECT penalty, link, bool_and(abs(a.estimate - b.estimate) < 1e-8) AS same, sum(nonzero) AS nonzero
FROM unnest(ARRAY['l1', 'l2', 'elastic_net']) AS penalty, unnest(ARRAY['log', 'inverse', 'identity']) AS link,
     LATERAL (SELECT pgfit.gamma_regression(amount, d, jsonb_build_object('formula', 'x * g + w', 'penalty', penalty, 'link', link, 'lambda', 'path', 'path', 5)) AS m FROM glm_rows AS d) AS f,
     LATERAL (SELECT lambda, nonzero FROM pgfit.lambda_path(m)) AS l,
     LATERAL (SELECT pgfit.gamma_regression(amount, d, jsonb_build_object('formula', 'x * g + w', 'penalty', penalty, 'link', link, 'lambda', l.lambda)) AS one FROM glm_rows AS d) AS o,
     LATERAL pgfit.coefficients(one) AS a, LATERAL pgfit.coefficients(pgfit.at_lambda(m, l.lambda)) AS b WHERE a.term = b.term GROUP BY penalty, link ORDER BY penalty, link;
SELECT term, round(estimate::numeric, 6) AS estimate FROM (SELECT pgfit.poisson_regression(count, d, '{"formula": "x + I(2 * x) + I(0 * x)", "lambda": 1}') AS m FROM glm_rows AS d) AS f, pgfit.coefficients(m);
SELECT pgfit.summary(pgfit.poisson_regression(count, d, '{"formula": "x + g + w + offset(ln(exposure))", "penalty": "l1", "lambda": [1, 10], "standardize": true}')) FROM glm_rows AS d;
SELECT pgfit.info(pgfit.at_lambda(m, 10)) -> 'statistics' ->> 'nonzero' AS nonzero, pgfit.info(pgfit.at_lambda(m, 10)) -> 'options' ->> 'lambda' AS lambda,
       test.near((pgfit.info(pgfit.at_lambda(m, 10)) -> 'statistics' ->> 'deviance')::float8, (pgfit.info(one) -> 'statistics' ->> 'deviance')::float8, 1e-9) AS deviance
FROM (SELECT pgfit.poisson_regression(count, d, '{"formula": "x + g", "penalty": "l1", "lambda": [1, 10]}') AS m, pgfit.poisson_regression(count, d, '{"formula": "x + g", "penalty": "l1", "lambda": 10}') AS one FROM glm_rows AS d) AS f;
SELECT pgfit.info(m) ->> 'converged' AS converged, (pgfit.info(m) -> 'statistics' ->> 'nonzero')::int < 20 AS fewer_than_rows
FROM (SELECT pgfit.poisson_regression(1 + i % 3, x, '{"lambda": 2, "penalty": "l1"}') AS m FROM generate_series(1, 20) AS i, LATERAL (SELECT array_agg(sin(i * j)) AS x FROM generate_series(1, 60) AS j) AS f) AS f;
SELECT test.try($$SELECT pgfit.negative_binomial_regression(count, d, '{"formula": "x", "lambda": 1}') FROM glm_rows AS d$$);
-- cross-validation: the errors of a path are half the mean deviances of each fold under fits to the others, also with offsets, weights and a level that one fold alone has
CREATE TABLE glm_folds AS SELECT *, id / 7 % 3 AS part, CASE WHEN id IN (9, 10) THEN 'd' ELSE g END AS h FROM glm_rows;
SELECT formula, kind, bool_and(test.near(a.mean_error, wanted, 1e-8)) AS errors, count(*) AS lambdas
FROM (VALUES ('x + h', 'l1', '{}'::jsonb, false), ('x + h + offset(ln(exposure))', 'elastic_net', '{"standardize": true}', false), ('x * h', 'l2', '{"reduction": "mean", "link": "sqrt"}', false), ('x + h - 1', 'l2', '{}', true)) AS o(formula, kind, options, weighted),
     LATERAL (SELECT options || jsonb_build_object('formula', formula, 'penalty', kind) AS given) AS g,
     LATERAL (SELECT pgfit.poisson_regression(count, d, given || '{"lambda": [5, 0.1], "fold_column": "part"}', CASE WHEN weighted THEN w ELSE 1 END) AS m FROM glm_folds AS d) AS f, LATERAL pgfit.lambda_path(m) AS a,
     LATERAL (SELECT avg(loss) AS wanted FROM generate_series(0, 2) AS k,
          LATERAL (SELECT pgfit.poisson_regression(count, d, given || jsonb_build_object('lambda', a.lambda), CASE WHEN weighted THEN w ELSE 1 END) AS n FROM (SELECT * FROM glm_folds WHERE part <> k) AS d) AS g,
          LATERAL (SELECT sum(v * (CASE WHEN count > 0 THEN count * ln(count / p) ELSE 0 END - (count - p))) / sum(v) AS loss
                   FROM glm_folds AS d, LATERAL (SELECT pgfit.predict(n, d) AS p, CASE WHEN weighted THEN w ELSE 1 END AS v) AS s WHERE part = k) AS l) AS t
GROUP BY formula, kind ORDER BY 1, 2;
SELECT s ->> 'lambda' = s ->> 'lambda_min' AS min, t ->> 'lambda' = t ->> 'lambda_1se' AS one_se, (t ->> 'lambda')::float8 > (s ->> 'lambda')::float8 AS greater, n AS lambdas, m::text = m::text::pgfit.model::text AS text
FROM (SELECT pgfit.gamma_regression(amount, d, '{"formula": "x + g + w", "lambda": "cv", "penalty": "l1", "folds": 5, "seed": 3}') AS m, pgfit.gamma_regression(amount, d, '{"formula": "x + g + w", "lambda": "cv", "penalty": "l1", "folds": 5, "seed": 3, "select": "1se"}') AS o FROM glm_rows AS d) AS f,
     LATERAL (SELECT pgfit.info(m) -> 'statistics' AS s, pgfit.info(o) -> 'statistics' AS t) AS i, LATERAL (SELECT count(*) AS n FROM pgfit.lambda_path(m)) AS l;
SELECT test.try(format('SELECT pgfit.poisson_regression(count, d, %L) FROM glm_folds AS d', options)) AS refused
FROM unnest(ARRAY['{"formula": "x", "folds": 3}', '{"formula": "x", "lambda": "cv", "fold_column": "g"}', '{"formula": "x", "lambda": 1, "select": "1se"}', '{"formula": "x", "lambda": "cv", "penalty": "none"}']) AS options;
SELECT test.try($$SELECT pgfit.poisson_regression(count, d, '{"formula": "x", "lambda": "cv", "fold_column": "part"}') FROM glm_folds AS d WHERE part = 1$$);
SELECT test.try($$SELECT pgfit.glm(greatest(1, 5 - 100 * x), d, '{"family": "gamma", "link": "identity", "formula": "x", "lambda": [1e-6], "fold_column": "far"}') FROM (SELECT *, (x > 0.045)::int AS far FROM glm_rows WHERE x < 0.09) AS d$$);
SELECT test.try($$SELECT pgfit.poisson_regression(count, d, '{"formula": "x", "lambda": [1, 0]}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.poisson_regression(count, d, '{"formula": "x", "penalty": "l1"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.gamma_regression(amount, d, '{"formula": "0 + x + w", "link": "inverse", "penalty": "l1", "lambda": "path"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.anova(pgfit.poisson_regression(count, d, '1'), pgfit.poisson_regression(count, d, '{"formula": "x", "lambda": 1}')) FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.poisson_regression(count, d, '{"formula": "1", "lambda": "path"}') FROM glm_rows AS d$$);

-- the power of tweedie by its profile: it does not depend on the unit, and given as a number has the same fit
SELECT test.near((pgfit.info(m) -> 'statistics' ->> 'power')::float8, (pgfit.info(huge) -> 'statistics' ->> 'power')::float8, 1e-8) AS of_any_unit,
       test.near_all(test.estimates(m), test.estimates(given), 1e-9) AS given, test.near((pgfit.info(m) -> 'statistics' ->> 'power')::float8, (pgfit.info(copies) -> 'statistics' ->> 'power')::float8, 1e-8) AS copies,
       pgfit.info(m) ->> 'converged' AS converged
FROM (SELECT pgfit.tweedie_regression(y, d, '{"formula": "x", "power": "profile"}') AS m, pgfit.tweedie_regression(1e150 * y, d, '{"formula": "x", "power": "profile"}') AS huge,
             pgfit.tweedie_regression(y, d, '{"formula": "x", "power": "profile", "weight_kind": "frequency"}', 3) AS copies FROM glm_rows AS d, LATERAL (SELECT greatest(0, amount - 2) AS y) AS t) AS f,
     LATERAL (SELECT pgfit.tweedie_regression(greatest(0, amount - 2), d, jsonb_build_object('formula', 'x', 'power', pgfit.info(m) -> 'statistics' -> 'power')) AS given FROM glm_rows AS d) AS g;
SELECT test.try($$SELECT pgfit.tweedie_regression(amount, d, '{"formula": "x", "power": "profile"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.tweedie_regression(1, d, '{"formula": "x", "power": "profile"}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.tweedie_regression(amount, d, '{"formula": "x", "power": "profile", "lambda": 1}') FROM glm_rows AS d$$);
SELECT test.try($$SELECT pgfit.glm(amount, d, '{"formula": "x", "power": "profile"}') FROM glm_rows AS d$$);
-- an exposure that has no logarithm
SELECT test.try($$SELECT pgfit.poisson_regression(count, d, 'x + offset(ln(e))') FROM (SELECT *, CASE WHEN id = 7 THEN 0 ELSE exposure END AS e FROM glm_rows) AS d$$);
SELECT test.try($$SELECT pgfit.poisson_regression(count, d, 'x + offset(ln(e))') FROM (SELECT *, CASE WHEN id = 7 THEN -2 ELSE exposure END AS e FROM glm_rows) AS d$$);

-- dependent and constant columns, few rows, equal targets, large and small numbers
SELECT term, estimate IS NULL AS dropped FROM (SELECT pgfit.poisson_regression(count, ROW(x, 2 * x, 7)) AS m FROM glm_rows) AS f, pgfit.coefficients(m);
SELECT test.try($$SELECT pgfit.poisson_regression(1 + i % 3, x || 2 * x[1]) FROM generate_series(1, 900) AS i, LATERAL (SELECT array_agg(sin(i * j)) AS x FROM generate_series(1, 801) AS j) AS f$$);
SELECT pgfit.poisson_regression(count, ROW(x)) IS NULL AS no_rows FROM glm_rows WHERE false;
SELECT term, round(estimate::numeric, 9) AS estimate, std_error FROM (SELECT pgfit.gamma_regression(2, ROW(x)) AS m FROM glm_rows WHERE id = 1) AS f, pgfit.coefficients(m);
SELECT round(estimate::numeric, 9) AS estimate FROM (SELECT pgfit.gamma_regression(3, ROW(x)) AS m FROM glm_rows) AS f, pgfit.coefficients(m);
SELECT test.near(pgfit.predict(pgfit.gamma_regression(amount * s, ROW(x)), ROW(0.3)), s * (SELECT pgfit.predict(pgfit.gamma_regression(amount, ROW(x)), ROW(0.3)) FROM glm_rows), 1e-8) AS scaled
FROM glm_rows, unnest(ARRAY[1e150, 1e-150]) AS s GROUP BY s;
-- tiny targets of families with zeros: their means are no zeros
SELECT method, passes, bool_and((pgfit.info(m) ->> 'converged')::boolean) AS converged
FROM unnest(ARRAY['tweedie_regression', 'poisson_regression']) AS method, unnest(ARRAY[false, true]) AS passes, unnest(ARRAY[1e-20, 1e-100]) AS s,
     LATERAL (SELECT pgfit.fit(method, format('SELECT x, g, %s * greatest(0, amount - 1.5) AS y FROM glm_rows', s), 'y ~ x + g', jsonb_build_object('passes', passes)) AS m) AS f GROUP BY method, passes ORDER BY method, passes;
-- counts that are all 0: an error where their mean is no mean of the family, else theta is not estimated
SELECT passes, test.try(format('SELECT pgfit.fit(''negative_binomial_regression'', ''SELECT x, 0 AS y FROM glm_rows'', ''y ~ x'', %L)', jsonb_build_object('link', 'sqrt', 'passes', passes))) AS refused FROM unnest(ARRAY[false, true]) AS passes;
SELECT passes, pgfit.info(pgfit.fit('negative_binomial_regression', 'SELECT x + 1 AS x, 0 AS y FROM glm_rows', 'y ~ 0 + x', jsonb_build_object('passes', passes))) -> 'statistics' -> 'theta' AS theta FROM unnest(ARRAY[false, true]) AS passes;
SELECT test.try($$SELECT pgfit.poisson_regression(count, ROW(x * 1e200)) FROM glm_rows$$);
SELECT pgfit.poisson_regression(count, ROW(nullif(x, 0.5), NULL::float8)) IS NULL AS all_null FROM glm_rows;
-- groups, arrays, jsonb
SELECT g, count(*) AS terms FROM (SELECT g, pgfit.poisson_regression(count, d, 'x + w') AS m FROM glm_rows AS d GROUP BY g) AS f, pgfit.coefficients(m) GROUP BY g ORDER BY g;
SELECT count(DISTINCT round(estimate::numeric, 9)) AS coefficients, count(*) FROM (
    SELECT pgfit.poisson_regression(count, ARRAY[x]) AS m FROM glm_rows UNION ALL SELECT pgfit.poisson_regression(count, d, 'x') FROM glm_rows AS d
    UNION ALL SELECT pgfit.poisson_regression(count, to_jsonb(d), '{"formula": "x"}') FROM glm_rows AS d) AS f, pgfit.coefficients(m);
-- models from outside
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', replace((pgfit.poisson_regression(count, ROW(x))::jsonb)::text, '"glm_link": {"i64": [1]}', '"glm_link": {"i64": [10]}'))) FROM glm_rows;
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', replace((pgfit.poisson_regression(count, ROW(x))::jsonb)::text, '"glm_link": {"i64": [1]}', '"glm_link": {"i64": [-1]}'))) FROM glm_rows;
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', replace((pgfit.poisson_regression(count, ROW(x))::jsonb)::text, '"glm_link": {"i64": [1]}', '"glm_link": {"i64": [9]}'))) FROM glm_rows;
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', m #- '{facts,link_power}')), test.try(format('SELECT %L::jsonb::pgfit.model', jsonb_set(m, '{facts,link_power}', '0'))),
       test.try(format('SELECT %L::jsonb::pgfit.model', jsonb_set(n, '{facts,link_power}', '2')))
FROM (SELECT pgfit.poisson_regression(count + 1, ROW(x), '{"link": "power", "link_power": 0.3}')::jsonb AS m, pgfit.poisson_regression(count + 1, ROW(x))::jsonb AS n FROM glm_rows) AS f;

-- a start: the same end in fewer steps, from other rows, other levels and another theta; models that do not fit
CREATE TABLE glm_starts AS SELECT pgfit.glm(share / 2 + 0.1, d, '{"family": "gamma", "formula": "x + g"}') AS gamma, pgfit.poisson_regression(count, d, 'x + g') AS poisson,
    pgfit.poisson_regression(count, d, 'x + g') FILTER (WHERE g <> (SELECT min(g) FROM glm_rows)) AS fewer, pgfit.negative_binomial_regression(count, d, '{"formula": "x + g", "theta": 0.5}') AS theta,
    pgfit.poisson_regression(1e6 * exp(-9 * x), d, 'x + g') AS far FROM glm_rows AS d;
SELECT test.same_fit(again, m, 1e-9) AS same, (pgfit.info(again) ->> 'iterations')::int < (pgfit.info(m) ->> 'iterations')::int AS faster, pgfit.info(again) -> 'options' = pgfit.info(m) -> 'options' AS same_options
FROM (SELECT gamma AS m, pgfit.glm(share / 2 + 0.1, d, jsonb_build_object('family', 'gamma', 'formula', 'x + g', 'start', gamma::jsonb)) AS again FROM glm_rows AS d, glm_starts GROUP BY gamma
      UNION ALL SELECT poisson, pgfit.poisson_regression(count, d, jsonb_build_object('formula', 'x + g', 'start', poisson::jsonb)) FROM glm_rows AS d, glm_starts GROUP BY poisson) AS f;
SELECT test.same_fit(fewer, m, 1e-9) AS fewer, test.same_fit(far, m, 1e-9) AS far, test.same_fit(theta, n, 1e-7) AS theta
FROM (SELECT poisson AS m, pgfit.poisson_regression(count, d, jsonb_build_object('formula', 'x + g', 'start', s.fewer::jsonb)) AS fewer, pgfit.poisson_regression(count, d, jsonb_build_object('formula', 'x + g', 'start', s.far::jsonb)) AS far,
      pgfit.negative_binomial_regression(count, d, jsonb_build_object('formula', 'x + g', 'start', s.theta::jsonb)) AS theta, pgfit.negative_binomial_regression(count, d, 'x + g') AS n FROM glm_rows AS d, glm_starts AS s GROUP BY poisson, s.fewer::jsonb, s.far::jsonb, s.theta::jsonb) AS f;
SELECT test.try(format('SELECT pgfit.%s FROM glm_rows AS d, glm_starts', call)) AS refused
FROM unnest(ARRAY['glm(count, d, jsonb_build_object(''formula'', ''x + g'', ''family'', ''poisson'', ''start'', gamma::jsonb))', 'glm(count + 1, d, jsonb_build_object(''formula'', ''x + g'', ''family'', ''gamma'', ''link'', ''log'', ''start'', gamma::jsonb))',
    'glm(count, d, jsonb_build_object(''formula'', ''x + g'', ''family'', ''poisson'', ''start'', poisson::jsonb))', 'poisson_regression(count, d, jsonb_build_object(''formula'', ''x'', ''start'', poisson::jsonb))',
    'poisson_regression(count, d, jsonb_build_object(''formula'', ''g + x'', ''start'', poisson::jsonb))', 'poisson_regression(count, d, ''{"formula": "x", "start": 7}'')']) AS call;

-- targets on an exact line: the usual start meets them, and steps end there, in memory and by passes
CREATE TABLE glm_line AS SELECT i AS x, 2.0 * i + 1 AS y, 0.1 * i + 0.3 AS rounded, 2 * i AS double, 1.0 / i AS inverse FROM generate_series(1, 20) AS i;
SELECT kind, (pgfit.info(m) ->> 'converged')::boolean AS converged, (pgfit.info(m) ->> 'iterations')::int < 5 AS soon
FROM (SELECT 'line' AS kind, pgfit.glm(y, d, 'x') AS m FROM glm_line AS d UNION ALL SELECT 'through 0', pgfit.glm(double, d, '0 + x') FROM glm_line AS d
      UNION ALL SELECT 'gamma', pgfit.glm(inverse, d, '{"family": "gamma", "formula": "x"}') FROM glm_line AS d UNION ALL SELECT 'passes', pgfit.fit('glm', 'glm_line', 'rounded ~ x', '{"passes": true}')) AS f;
-- counts that are all the same: no deviance is below 0
SELECT passes, theta, (pgfit.info(m) ->> 'converged')::boolean AS converged, (pgfit.info(m) ->> 'iterations')::int < 5 AS soon, test.near(std_error, 0.5 / sqrt(20 / (1 + 2 / coalesce(theta, 1e8))), 1e-7) AS std_error
FROM (SELECT passes, NULL::int AS theta, pgfit.fit('poisson_regression', 'SELECT 2 AS y FROM glm_line', 'y ~ 1', jsonb_build_object('link', 'sqrt', 'passes', passes)) AS m FROM unnest(ARRAY[false, true]) AS passes
      UNION ALL SELECT passes, 3, pgfit.fit('negative_binomial_regression', 'SELECT 2 AS y FROM glm_line', 'y ~ 1', jsonb_build_object('link', 'sqrt', 'passes', passes, 'theta', 3)) FROM unnest(ARRAY[false, true]) AS passes) AS f,
     pgfit.coefficients(m) ORDER BY theta, passes;

-- anova of models with a theta or a power of their own: by the likelihoods, whose ratio for counts is that of anova of glm.nb in R
CREATE TABLE glm_nested AS SELECT (i * 37 % 101) / 100.0::float8 AS a, (i * 53 % 97) / 97.0::float8 AS b, floor(exp(1 + 0.8 * ((i * 37 % 101) / 100.0)) * (0.2 + 2 * abs(sin(i * 7)) ^ 3)) AS y FROM generate_series(1, 300) AS i;
SELECT method, test, test.near(statistic, wanted, 1e-9) AS statistic, df, df_residual, p_value < 1e-5 AS small
FROM (SELECT 'theta' AS method, 25.3342809858::float8 AS wanted, (pgfit.anova(pgfit.negative_binomial_regression(y, d, 'b'), pgfit.negative_binomial_regression(y, d, 'a + b'))).* FROM glm_nested AS d
      UNION ALL SELECT 'power', 2 * ((pgfit.info(m) -> 'statistics' ->> 'log_likelihood')::float8 - (pgfit.info(n) -> 'statistics' ->> 'log_likelihood')::float8), (pgfit.anova(n, m)).*
      FROM (SELECT pgfit.tweedie_regression(y, d, '{"formula": "b", "power": "profile"}') AS n, pgfit.tweedie_regression(y, d, '{"formula": "a + b", "power": "profile"}') AS m FROM glm_nested AS d) AS f) AS f;
SELECT test.try('SELECT pgfit.anova(pgfit.negative_binomial_regression(y, d, ''{"formula": "b", "theta": 2}''), pgfit.negative_binomial_regression(y, d, ''a + b'')) FROM glm_nested AS d');
-- counts far above theta, and close to large means: the deviance and the likelihood keep their digits, so that rows and passes converge to one fit
CREATE TABLE large_counts AS SELECT id, x, o, floor(m * (0.2 + 1.6 * u)) AS spread, greatest(0, round(m + sqrt(m) * (2 * u - 1) * 1.7)) AS close
FROM (SELECT i AS id, x, o, (i * 7919 % 1000) / 1000.0::float8 AS u, exp(o + 0.5 * x) AS m FROM (SELECT i, (i * 37 % 101) / 100.0::float8 AS x, (i * 53 % 31) * 0.9::float8 AS o FROM generate_series(1, 400) AS i) AS q) AS r;
SELECT (pgfit.info(a) ->> 'converged')::boolean AS converged, (pgfit.info(a) ->> 'iterations')::int < 40 AS soon, test.near_all(test.estimates(a), test.estimates(b), 1e-9) AS passes, round((pgfit.info(a) -> 'statistics' ->> 'theta')::numeric, 6) AS theta,
       test.near((pgfit.info(a) -> 'statistics' ->> 'log_likelihood')::float8, (pgfit.info(b) -> 'statistics' ->> 'log_likelihood')::float8, 1e-12) AS likelihood
FROM (SELECT pgfit.negative_binomial_regression(spread, r, 'x + offset(o)') AS a, pgfit.fit('negative_binomial_regression', 'large_counts', 'spread ~ x + offset(o)', '{"passes": true}') AS b FROM large_counts AS r) AS f;
SELECT (pgfit.info(a) ->> 'converged')::boolean AS converged, test.near((pgfit.info(a) -> 'statistics' ->> 'deviance')::float8, (pgfit.info(b) -> 'statistics' ->> 'deviance')::float8, 1e-8) AS deviance
FROM (SELECT pgfit.poisson_regression(close, r, 'x + offset(o)') AS a, pgfit.fit('poisson_regression', 'large_counts', 'close ~ x + offset(o)', '{"passes": true}') AS b FROM large_counts AS r) AS f;
DROP TABLE large_counts;

-- deviances with several minima, or flat far away: by a link that is not the family's own, steps begin near the targets
SELECT kind, (pgfit.info(m) ->> 'converged')::boolean AS converged, round((pgfit.info(m) -> 'statistics' ->> 'deviance')::numeric, 4) AS deviance
FROM (SELECT pgfit.glm(30 * exp(sin(i)), r, '{"family": "inverse_gaussian", "link": "log", "intercept": false, "formula": "g"}') AS groups,
             pgfit.glm(70 * exp(sin(i)), r, '{"family": "inverse_gaussian", "link": "log", "intercept": false, "formula": "h"}') AS heights,
             pgfit.glm(CASE WHEN i <= 60 THEN 1 / (0.01 + 0.02 * i) + 0.05 * sin(7 * i) END, r, '{"family": "gaussian", "link": "inverse", "formula": "t"}') AS inverse
      FROM (SELECT i, 'g' || i % 3 AS g, 160 + i % 31 AS h, i / 10.0 AS t FROM generate_series(1, 400) AS i) AS r) AS f,
     LATERAL (VALUES (1, 'groups', groups), (2, 'heights', heights), (3, 'inverse', inverse)) AS v(i, kind, m) ORDER BY i;

-- a row of weight 1,000,000 hides no dependent column: the other rows have their own means by any method
CREATE TABLE heavy_row AS SELECT * FROM (VALUES (1, 4.0::float8, 'a', 'u', 1.0::float8), (2, 7, 'a', 'u', 0.5), (3, 2, 'c', 'v', 1e6), (4, 6, 'b', 'v', 0.5), (5, 4, 'a', 'u', 1)) AS v(id, y, f, g, w);
SELECT method, (pgfit.info(m) -> 'statistics' -> 'dropped_terms') AS dropped, array_agg(round(pgfit.predict(m, d)::numeric, 6) ORDER BY id) AS means
FROM (SELECT method, pgfit.glm(y, d, jsonb_build_object('formula', 'f * g', 'family', method), w) AS m FROM heavy_row AS d, unnest(ARRAY['gaussian', 'quasipoisson', 'gamma']) AS method GROUP BY method) AS f, heavy_row AS d
GROUP BY method, dropped ORDER BY method;
-- a level without successes is separated where a heavy row makes successes rare, too
SELECT link, pgfit.info(m) ->> 'converged' AS converged, pgfit.info(m) -> 'statistics' -> 'separated' AS separated
FROM (SELECT link, pgfit.glm(y, d, jsonb_build_object('formula', 'f', 'family', 'binomial', 'link', link), w) AS m
      FROM (VALUES (0, 'a', 1e6::float8), (1, 'a', 1), (0, 'b', 1), (0, 'b', 2)) AS d(y, f, w), unnest(ARRAY['logit', 'probit', 'cloglog']) AS link GROUP BY link) AS f ORDER BY link;
-- a mean of 0 by a link whose coefficients have bounds there
SELECT pgfit.info(pgfit.glm(y, d, '{"formula": "x + f", "family": "poisson", "link": "identity"}')) ->> 'converged' AS converged
FROM (VALUES (3, -0.2, 'a'), (8, 1.6, 'a'), (3, -0.1, 'b'), (8, 1.2, 'a'), (2, 0.3, 'b'), (0, -0.9, 'c'), (1, -0.3, 'a'), (2, 1.3, 'a')) AS d(y, x, f);
-- the deviance of family tweedie keeps its digits where means are close to the targets, and the fit ends
SELECT count(*) FILTER (WHERE (pgfit.info(m) ->> 'converged')::boolean) AS converged, count(*) AS fits
FROM (SELECT pgfit.tweedie_regression(exp(0.3 + 0.7 * x + 10.0 ^ -c * sin(g * 31 + i * 7)), r, 'x') AS m
      FROM generate_series(1, 40) AS g, generate_series(2, 8, 2) AS c, generate_series(1, 5) AS i, LATERAL (SELECT cos(g * 17 + i * 5) AS x) AS r GROUP BY g, c) AS f;
-- steps of a logistic fit are not halved for the rounding of a row of far more weight, whose share is near 1; one of these fits takes it to the last digits
SET client_min_messages = error;
SELECT count(*) FILTER (WHERE (pgfit.info(m) ->> 'converged')::boolean) >= count(*) - 1 AS converged
FROM (SELECT pgfit.glm(y, r, '{"formula": "x", "family": "binomial"}', w) AS m
      FROM generate_series(1, 40) AS g, generate_series(1, 12) AS i, LATERAL (SELECT sin(g * 7 + i * 5) AS x) AS r, LATERAL (SELECT (i % 5 = 0 OR cos(g * 3 + i * 11) < r.x)::int AS y, CASE i WHEN 5 THEN 1e5 ELSE 1 END AS w) AS q GROUP BY g) AS f
WHERE pgfit.info(m) -> 'statistics' -> 'separated' IS NULL;
RESET client_min_messages;
-- the deviance of family tweedie was 0 where the variance of its means has no double
SELECT power, (pgfit.info(m) -> 'statistics' ->> 'deviance')::float8 > 0 AS deviance FROM (SELECT power, pgfit.tweedie_regression(1e210 * (1 + i % 5), i % 7, jsonb_build_object('power', power)) AS m FROM generate_series(1, 100) AS i, unnest(ARRAY[1.5, 1.99]) AS power GROUP BY power) AS fit ORDER BY power;
