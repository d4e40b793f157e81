-- offsets that are part of the score: of proportional hazards and of ordinal regression
CREATE TABLE offset_times AS
SELECT i AS id, x, z, exposure, i % 3 AS g, (ARRAY['a', 'b'])[1 + i % 2] AS c, 1 + i % 2 AS w, i * 13 % 11 > 2 AS died, 1 + floor(40 * exp(-x) * (1 + i * 7 % 13) / exposure) AS t, width_bucket(x + ln(exposure) + (i * 71 % 97) / 40.0 - 1.2, ARRAY[0.4, 1.3]) AS n
FROM (SELECT i, (i * 37 % 101) / 100.0::float8 AS x, (i * 53 % 89) / 30.0::float8 AS z, 1 + i % 5 AS exposure FROM generate_series(1, 240) AS i) AS q;
-- proportional hazards: the offset at a coefficient changes nothing else, by both treatments of ties, with strata, late entries and robust errors
CREATE FUNCTION pg_temp.cox(formula text, options jsonb DEFAULT '{}', m float8 DEFAULT 1) RETURNS pgfit.model LANGUAGE plpgsql AS $$
DECLARE
    result pgfit.model;
BEGIN
    EXECUTE format('SELECT pgfit.cox_regression(t, r, %L::jsonb) FROM (SELECT *, t / 3 AS entry FROM offset_times) AS r', jsonb_build_object('formula', formula, 'event', 'died', 'survival_limits', true) || options) INTO result;
    RETURN result;
END $$;
CREATE TABLE offset_fits AS
SELECT o, pg_temp.cox('x + z', o) AS free, pg_temp.cox(format('x + offset(%s * z)', (SELECT estimate FROM pgfit.coefficients(pg_temp.cox('x + z', o)) WHERE term = 'z')), o) AS fixed
FROM unnest(ARRAY['{}', '{"ties": "breslow"}', '{"strata": "c"}', '{"entry": "entry"}', '{"vcov": "HC0"}', '{"strata": "c", "entry": "entry", "ties": "breslow"}']::jsonb[]) AS o;
SELECT o, test.near(a.estimate, b.estimate, 1e-9) AS estimate, test.near(pgfit.log_likelihood(free), pgfit.log_likelihood(fixed), 1e-12) AS likelihood, test.near((pgfit.info(free) -> 'statistics' ->> 'concordance')::float8, (pgfit.info(fixed) -> 'statistics' ->> 'concordance')::float8, 1e-12) AS concordance,
       b.std_error < a.std_error * 1.0001 AS surer
FROM offset_fits, pgfit.coefficients(free) AS a, pgfit.coefficients(fixed) AS b WHERE a.term = 'x' AND b.term = 'x';
SELECT bool_and(test.near(pgfit.survival(free, r, s, CASE WHEN o ? 'strata' THEN r.c END), pgfit.survival(fixed, r, s, CASE WHEN o ? 'strata' THEN r.c END), 1e-9)) AS survival,
       bool_and((i).survival > (i).lower AND (i).survival < (i).upper) AS limits, count(*) AS rows
FROM offset_fits, offset_times AS r, unnest('{5,30,90}'::float8[]) AS s, LATERAL (SELECT pgfit.survival_interval(fixed, r, s, 0.9, CASE WHEN o ? 'strata' THEN r.c END) AS i) AS j WHERE id < 20 AND (i).survival < 1 AND (i).survival > 1e-6;
-- predict adds it, explain names it, SQL writes it; a formula may have nothing else; a huge one is an offset like any other
SELECT bool_and(test.near(pgfit.predict(m, r), pgfit.predict(m, s) + ln(r.exposure), 1e-12)) AS added, bool_and(test.near(pgfit.predict(m, r), (SELECT sum(contribution) FROM pgfit.explain(m, r)), 1e-12)) AS explained,
       bool_and((SELECT contribution FROM pgfit.explain(m, r) WHERE term = '(offset)') = ln(r.exposure)) AS named
FROM (SELECT pg_temp.cox('x + c + offset(log(exposure))') AS m) AS f, offset_times AS r, LATERAL (SELECT r.x, r.c, 1 AS exposure) AS s;
SELECT test.try(format('SELECT bool_and(test.near(pgfit.predict(m, r), %s, 1e-12)) FROM (SELECT %L::pgfit.model AS m) AS f, offset_times AS r', pgfit.to_sql(m), m)) AS to_sql FROM (SELECT pg_temp.cox('x + c + offset(log(exposure))') AS m) AS f;
SELECT bool_and(test.near(pgfit.predict(m, r), ln(exposure))) AS alone, bool_and(test.near((pgfit.info(m) -> 'statistics' ->> 'null_log_likelihood')::float8, pgfit.log_likelihood(m))) AS null FROM (SELECT pg_temp.cox('offset(log(exposure))') AS m) AS f, offset_times AS r;
SELECT test.near_all(test.estimates(pg_temp.cox('x + offset(z)')), test.estimates(pg_temp.cox('x + offset(z + 250)')), 1e-8) AS shifted, a.statistic > 0 AS anova FROM pgfit.anova(pg_temp.cox('offset(z)'), pg_temp.cox('x + offset(z)')) AS a;
-- limits of survival, whose variances are of twice the size: as those of near offsets, or none
SELECT count(*) AS rows, bool_and(test.near((i).lower, (j).lower, 1e-9) AND test.near((i).upper, (j).upper, 1e-9) AND (i).lower < (i).upper) AS far_limits
FROM (SELECT pg_temp.cox('x + offset(z)') AS m, pg_temp.cox('x + offset(z + 290)') AS far) AS f, offset_times AS r, LATERAL (SELECT pgfit.survival_interval(m, r, 20) AS i, pgfit.survival_interval(far, r, 20) AS j) AS l WHERE id < 9;
SELECT test.try(format('SELECT pg_temp.cox(''x + offset(z + %s)'')', shift)) ~ 'the variance of the hazard of a row without one exceeds' AS no_variance, pgfit.info(pg_temp.cox(format('x + offset(z + %s)', shift), '{"survival_limits": false}')) -> 'rows' AS rows FROM unnest(ARRAY[-400, 400]) AS shift;
SELECT test.try('SELECT pg_temp.cox(''x + offset(1e4 * z)'')') ~ 'weights and offsets of the rows at risk' AS too_far, test.try('SELECT pg_temp.cox(''x + offset(z + 1e6)'')') ~ 'the offsets of cox_regression have a mean of' AS no_baseline;
SELECT test.try('SELECT pgfit.predict(m, r) FROM (SELECT pg_temp.cox(''x + offset(log(exposure))'') AS m) AS f, (SELECT 1.0 AS x, 0 AS exposure) AS r');
SELECT count(pgfit.predict(m, r)) AS scored FROM (SELECT pgfit.fit('cox_regression', 'offset_times', 't ~ x + offset(log(exposure))', '{"event": "died"}') AS m) AS f, (SELECT x, nullif(exposure, 2) AS exposure FROM offset_times) AS r;

-- ordinal regression: the same, where a larger offset makes higher classes more probable
CREATE FUNCTION pg_temp.ordered(formula text, link text) RETURNS pgfit.model LANGUAGE sql AS $$SELECT pgfit.ordinal_regression(n, r, jsonb_build_object('formula', formula, 'link', link)) FROM offset_times AS r$$;
SELECT link, bool_and(test.near(a.estimate, b.estimate, 1e-7)) AS estimates, test.near(pgfit.log_likelihood(free), pgfit.log_likelihood(fixed), 1e-10) AS likelihood, (SELECT bool_and(test.near_all(pgfit.probabilities(free, r), pgfit.probabilities(fixed, r), 1e-6)) FROM offset_times AS r) AS probabilities
FROM (SELECT link, free, pg_temp.ordered(format('x + offset(%s * z)', (SELECT estimate FROM pgfit.coefficients(free) WHERE term = 'z')), link) AS fixed FROM unnest('{logit,probit}'::text[]) AS link, LATERAL (SELECT pg_temp.ordered('x + z', link) AS free) AS g) AS f,
     pgfit.coefficients(free) AS a JOIN pgfit.coefficients(fixed) AS b USING (term) GROUP BY link, free, fixed ORDER BY link;
-- constants of an offset move the cuts, and far ones lose no digits
SELECT link, test.near(a[1], b[1], 1e-8) AS slope, test.near(a[2] + 1000, b[2], 1e-8) AS cut, test.near(pgfit.log_likelihood(m), pgfit.log_likelihood(far), 1e-10) AS likelihood, test.near((pgfit.info(m) -> 'statistics' ->> 'null_deviance')::float8, (pgfit.info(far) -> 'statistics' ->> 'null_deviance')::float8, 1e-10) AS null
FROM (SELECT link, pg_temp.ordered('x + offset(log(exposure))', link) AS m, pg_temp.ordered('x + offset(log(exposure) + 1000)', link) AS far FROM unnest('{logit,probit}'::text[]) AS link) AS f, LATERAL (SELECT test.estimates(m) AS a, test.estimates(far) AS b) AS e;
SELECT link, bool_and(test.near_all(pgfit.probabilities(m, r), pgfit.probabilities(m, s), 1e-9)) AS as_the_score, bool_and(pgfit.probability(m, r, '2') <= pgfit.probability(m, more, '2')) AS higher,
       bool_and(test.near((SELECT sum(contribution) FROM pgfit.explain(m, r) WHERE term = '(offset)'), ln(r.exposure))) AS named, bool_and(pgfit.classify(m, r) IN ('0', '1', '2')) AS classes
FROM (SELECT link, pg_temp.ordered('x + offset(log(exposure))', link) AS m FROM unnest('{logit,probit}'::text[]) AS link) AS f, pgfit.coefficients(m) AS c, offset_times AS r,
     LATERAL (SELECT r.x + ln(r.exposure) / c.estimate AS x, 1 AS exposure) AS s, LATERAL (SELECT r.x, r.exposure + 1 AS exposure) AS more WHERE c.term = 'x' GROUP BY link ORDER BY link;
SELECT test.try(format('SELECT count(DISTINCT %1$s) = 3 AND bool_and(pgfit.classify(m, r) = %1$s) FROM (SELECT %2$L::pgfit.model AS m) AS f, offset_times AS r', pgfit.to_sql(m), m)) AS to_sql FROM unnest('{logit,probit}'::text[]) AS link, LATERAL (SELECT pg_temp.ordered('x + c + offset(log(exposure))', link) AS m) AS f;
SELECT count(*) AS folds, bool_and(value > 0.4) AS good FROM (SELECT (unnest(pgfit.cross_validate(n, r, 'ordinal_regression', '{"folds": 3, "metrics": "accuracy", "options": {"formula": "x + offset(log(exposure))"}}'))).* FROM offset_times AS r) AS s;
SELECT (SELECT count(*) FROM pgfit.search('ordinal_regression', 'offset_times', 'n ~ x + offset(log(exposure))', '{"link": ["logit", "probit"]}', '{"folds": 3}')) AS searched,
       (SELECT metrics ? 'accuracy' FROM pgfit.train('offset grades', 'ordinal_regression', 'offset_times', 'n ~ x + offset(log(exposure))', '{"holdout": 0.3}')) AS judged;
SELECT pgfit.drop_model('offset grades') AS dropped;
SELECT bool_and(test.near_all(pgfit.probabilities(e, r), pgfit.probabilities(m, r), 1e-12)) AS of_an_ensemble, bool_and(pgfit.classify(d, r) = '2') AS of_a_rule
FROM (SELECT m, pgfit.ensemble(m, m) AS e, pgfit.decision_rule(m, '{"rule": {"0": 1e-9, "1": 1e-9, "2": 1}, "trained_priors": "uniform"}') AS d FROM (SELECT pg_temp.ordered('x + offset(log(exposure))', 'logit') AS m) AS f) AS g, offset_times AS r;
SELECT test.try('SELECT pg_temp.ordered(''x + offset(1e5 * z)'', ''probit'')');
DROP TABLE offset_fits, offset_times;
