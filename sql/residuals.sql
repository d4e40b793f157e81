-- influence and augment of times and of ordered classes: martingale, probability-scale and deviance residuals
CREATE TABLE observed AS SELECT i AS id, (i * 37 % 101) / 100.0::float8 AS x, (ARRAY['a', 'b'])[1 + i % 2] AS c, 'p' || i / 4 AS patient, i * 13 % 11 > 2 AS died, 1 + i * 7 % 9 AS t, (i % 4) / 5.0 AS entered, 1 + i % 3 AS w,
       i * 7 % 3 + (i % 5) / 4 AS grade, (ARRAY['low', 'mid', 'high'])[1 + (i * 37 % 101 + i * 11 % 40) / 50 % 3] AS name FROM generate_series(1, 60) AS i;
CREATE TABLE risks AS SELECT kind, options, pgfit.cox_regression(t, r, options) AS m
FROM observed AS r, (VALUES ('efron', '{"formula": "t ~ x + c", "event": "died"}'::jsonb), ('breslow', '{"formula": "t ~ x + c", "event": "died", "ties": "breslow"}'), ('late', '{"formula": "t ~ x", "event": "died", "entry": "entered", "strata": "c"}'),
     ('offset', '{"formula": "t ~ c + offset(x)", "event": "died"}'), ('clusters', '{"formula": "t ~ x", "event": "died", "vcov": "CR0", "cluster": "patient"}')) AS v(kind, options) GROUP BY kind, options;
-- residuals add up to 0; those of events are below 1; both have one sign
SELECT kind, count(*), abs(sum(i.residual)) < 1e-8 AS balanced, max(i.residual) < 1 AS below, bool_and(sign(i.residual) = sign(i.deviance_residual)) AS signs, test.near(sum(i.fitted), count(*) FILTER (WHERE died), 1e-9) AS events,
       count(i.standardized) + count(i.studentized) + count(i.leverage) + count(i.cooks_distance) + count(i.dffits) AS others
FROM risks, observed AS r, pgfit.influence(m, t, r) AS i GROUP BY kind ORDER BY kind;
-- by Breslow's method the hazard is that of the baseline; the deviance residual by its definition
SELECT bool_and(test.near(i.fitted, -ln(pgfit.survival(m, r, t)), 1e-9)) AS hazard, bool_and(test.near(i.residual, died::int - i.fitted)) AS residual,
       bool_and(test.near(i.deviance_residual, sign(i.residual) * sqrt(-2 * (i.residual + CASE WHEN died THEN ln(1 - i.residual) ELSE 0 END)), 1e-7)) AS deviance
FROM risks, observed AS r, pgfit.influence(m, t, r) AS i WHERE kind = 'breslow';
-- weights, rows as jsonb, augment, a row without its event, of weight 0, without a time, or entering after it
SELECT abs(sum(w * i.residual)) < 1e-8 AS balanced FROM (SELECT pgfit.cox_regression(t, r, '{"formula": "t ~ x", "event": "died"}', w) AS m FROM observed AS r) AS f, observed AS r, pgfit.influence(m, t, r, w) AS i;
SELECT bool_and(a = b) AS json FROM risks, observed AS r, pgfit.influence(m, t, r) AS a, pgfit.influence(m, t, to_jsonb(r)) AS b WHERE kind <> 'clusters';
SELECT kind, test.near_all(array_agg(a.residual ORDER BY r.id), array_agg(i.residual ORDER BY r.id)) AS augmented FROM risks, observed AS r, pgfit.influence(m, t, r) AS i, pgfit.augment(m, 'observed') AS a WHERE (a.data ->> 'id')::int = r.id GROUP BY kind ORDER BY kind;
SELECT what, i.fitted IS NOT NULL AS fitted, i.residual IS NOT NULL AS residual
FROM risks, (VALUES ('event', 3, '{"x": 0.5, "c": "a", "died": null, "entered": 0}'::jsonb), ('time', NULL, '{"x": 0.5, "c": "a", "died": true, "entered": 0}'), ('late', 3, '{"x": 0.5, "c": "a", "died": true, "entered": 3}'),
                     ('before', 0, '{"x": 0.5, "c": "a", "died": false, "entered": -1}'), ('all', 3, '{"x": 0.5, "c": "a", "died": true, "entered": 0}'), ('feature', 3, '{"x": null, "c": "a", "died": true, "entered": 0}')) AS v(what, t, r), pgfit.influence(m, t, r) AS i WHERE kind = 'late' ORDER BY what;
SELECT i.fitted IS NOT NULL AS fitted, i.residual AS residual FROM (SELECT pgfit.cox_regression(t, r, '{"formula": "t ~ x", "event": "died"}', w) AS m FROM observed AS r) AS f, observed AS r, pgfit.influence(m, t, r, 0) AS i WHERE id = 1;
SELECT test.try(format('SELECT pgfit.influence(m, t, r%s) FROM risks, (SELECT id, x, c, patient, t, entered %s FROM observed) AS r WHERE kind = ''late''', weight, died))
FROM (VALUES (', 2', ', died'), ('', ''), ('', ', 7 AS died')) AS v(weight, died);
SELECT test.try($$SELECT pgfit.influence(m, t, (SELECT q FROM (SELECT x, 'z' AS c, died, entered) AS q)) FROM risks, observed WHERE kind = 'late'$$);
-- edited models are refused
SELECT test.try(format('SELECT pgfit.influence(%L::pgfit.model, 3, ''{"x": 1, "c": "a", "died": true}''::jsonb)', jsonb_set(m::jsonb, '{arrays,baseline_spared}', value::jsonb))) FROM risks, unnest(ARRAY['[1]', '[-1,0,0,0,0,0,0,0,0]']) AS value WHERE kind = 'efron';

-- ordered classes: the probability of the row's class, of a lower class less that of a higher one, and what the row adds to the deviance
CREATE TABLE grades AS SELECT link, pgfit.ordinal_regression(grade, r, jsonb_build_object('link', link, 'formula', 'grade ~ x + c')) AS m FROM observed AS r, unnest(ARRAY['logit', 'probit']) AS link GROUP BY link;
SELECT link, bool_and(test.near(i.fitted, pgfit.probability(m, r, grade))) AS fitted, test.near(sum(i.deviance_residual ^ 2), (pgfit.info(m) -> 'statistics' ->> 'deviance')::float8, 1e-9) AS deviance,
       bool_and(test.near(i.residual, (SELECT coalesce(sum(p) FILTER (WHERE k::int < grade), 0) - coalesce(sum(p) FILTER (WHERE k::int > grade), 0) FROM unnest(pgfit.classes(m), pgfit.probabilities(m, r)) AS q(k, p)), 1e-9)) AS residual, count(i.leverage) AS leverages
FROM grades, observed AS r, pgfit.influence(m, grade, r) AS i GROUP BY link, m ORDER BY link;
-- of two classes the residual is that of logistic regression; texts in an order; weights and offsets
SELECT bool_and(test.near(a.residual, b.residual, 1e-6)) AS residual, bool_and(test.near(a.deviance_residual, b.deviance_residual, 1e-6)) AS deviance
FROM (SELECT pgfit.ordinal_regression(died, r, 'x + c') AS o, pgfit.logistic_regression(died, r, 'x + c') AS l FROM observed AS r) AS f, observed AS r, pgfit.influence(o, died, r) AS a, pgfit.influence(l, died, r) AS b;
SELECT test.near(sum(i.deviance_residual ^ 2), (pgfit.info(m) -> 'statistics' ->> 'deviance')::float8, 1e-9) AS deviance, min(i.residual) >= -1 AND max(i.residual) <= 1 AS range, count(*)
FROM (SELECT pgfit.ordinal_regression(name, r, '{"formula": "name ~ c + offset(2 * x)", "levels": ["low", "mid", "high"]}', w) AS m FROM observed AS r) AS f, observed AS r, pgfit.influence(m, name, r, w) AS i GROUP BY m;
SELECT count(*), count(a.fitted) AS fitted, count(a.residual) AS residuals FROM grades, pgfit.augment(m, 'SELECT id, x, c, nullif(grade, 2) AS grade FROM observed') AS a WHERE link = 'logit';
SELECT test.try('SELECT pgfit.influence(m, 9, r) FROM grades, observed AS r');
SELECT test.try('SELECT pgfit.influence(m, grade, r) FROM (SELECT pgfit.logistic_regression(grade, r, ''x'') AS m FROM observed AS r) AS f, observed AS r');
DROP TABLE observed, risks, grades;
