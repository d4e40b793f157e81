-- Generalized, robust, quantile, survival and mixed regressions in the functions of models: what works, and what is refused with which words.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE observed AS
SELECT i AS id, x, z, g, s, 1 + i % 4 AS w, 1 + i % 5 AS exposure, i % 2 AS part, 1 + floor((1 + i % 5) * exp(0.3 + x) + 3 * abs(sin(i * 7)) + i % 8 / 4.0) AS y,
       1 + i * 11 % 17 % 3 AS grade, (i * 7 % 10 < 4 + 4 * x)::int AS yes, i * 13 % 11 > 2 AS relapsed
FROM (SELECT i, (i * 37 % 101) / 100.0::float8 AS x, (i * 53 % 89) / 30.0::float8 AS z, substr('abc', i * 5 % 7 % 3 + 1, 1) AS g, 's' || i % 8 AS s FROM generate_series(1, 160) AS i) AS q;
-- score: what explain adds up to, from the prediction p
CREATE TABLE methods (place serial, name text, estimator text, target text, options jsonb DEFAULT '{}', formula text DEFAULT 'x + g', tail text DEFAULT '', score text DEFAULT 'p');
INSERT INTO methods (name, estimator, target, options, score) VALUES
    ('linear', 'linear_regression', 'y', '{}', 'p'), ('bounded', 'linear_regression', 'y', '{"lower": 0}', 'p'), ('lasso', 'lasso_regression', 'y', '{"lambda": 0.1, "lower": 0}', 'p'),
    ('gaussian', 'glm', 'y', '{}', 'p'), ('binomial', 'glm', 'yes', '{"family": "binomial"}', 'ln(p / (1 - p))'), ('inverse gaussian', 'glm', 'y', '{"family": "inverse_gaussian", "link": "log"}', 'ln(p)'),
    ('quasipoisson', 'glm', 'y', '{"family": "quasipoisson"}', 'ln(p)'), ('quasibinomial', 'glm', 'yes', '{"family": "quasibinomial"}', 'ln(p / (1 - p))'),
    ('poisson', 'poisson_regression', 'y', '{}', 'ln(p)'), ('gamma', 'gamma_regression', 'y', '{}', 'ln(p)'), ('negative binomial', 'negative_binomial_regression', 'y', '{"theta": 20}', 'ln(p)'),
    ('tweedie', 'tweedie_regression', 'y', '{}', 'ln(p)'), ('ordinal', 'ordinal_regression', 'grade', '{}', 'NULL'), ('cox', 'cox_regression', 'y', '{"event": "relapsed"}', 'p'),
    ('quantile', 'quantile_regression', 'y', '{"quantile": 0.3}', 'p'), ('huber', 'huber_regression', 'y', '{}', 'p'), ('mm', 'mm_regression', 'y', '{}', 'p'),
    ('theil_sen', 'theil_sen', 'y', '{}', 'p'), ('multivariate', 'multivariate_regression', 'ARRAY[y, z]', '{}', 'p'), ('mixed', 'mixed_regression', 'y', '{}', 'p'), ('bayesian', 'bayesian_regression', 'y', '{}', 'p');
UPDATE methods SET formula = 'x' WHERE name = 'theil_sen';
UPDATE methods SET tail = ' + (1 | s)' WHERE name = 'mixed';
DO $$ BEGIN EXECUTE (SELECT string_agg(format('CREATE VIEW %I AS SELECT %s AS t, id, x, z, g, s, w, exposure, part, relapsed FROM observed;', 'rows of ' || name, target), '') FROM methods); END $$;

CREATE FUNCTION fit_of(m methods, formula text DEFAULT NULL, extra jsonb DEFAULT '{}', condition text DEFAULT 'true', weight text DEFAULT '', source text DEFAULT NULL) RETURNS model LANGUAGE plpgsql AS $$
DECLARE
    result model;
BEGIN
    EXECUTE format('SELECT pgfit.%I(t, r, %L::jsonb%s) FROM %s AS r WHERE %s', m.estimator, m.options || extra || jsonb_build_object('formula', coalesce(formula, m.formula) || m.tail), weight,
                   coalesce(source, quote_ident('rows of ' || m.name)), condition) INTO result;
    RETURN result;
END $$;
-- whether a model and its SQL score the rows of a source alike, NULLs included
CREATE FUNCTION same_sql(m model, source text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    same boolean;
BEGIN
    EXECUTE format(CASE WHEN info(m) ->> 'estimator' = 'multivariate_regression' THEN 'SELECT bool_and(near_all(transform($1, r), %s, 1e-12)) FROM %s AS r'
                        ELSE 'SELECT bool_and(near(predict($1, r), (%s)::float8, 1e-12) OR num_nonnulls(predict($1, r), (%1$s)::float8) = 0) FROM %s AS r' END, to_sql(m), source) INTO same USING m;
    RETURN same;
END $$;

-- $1: the method, $2: its model, SOURCE: its rows; a call that works gives true
CREATE TABLE calls (number serial, name text, statement text);
INSERT INTO calls (name, statement) VALUES
    ('summary', 'SELECT length(summary($2)) > 50'),
    ('coefficients', 'SELECT bool_and(estimate IS NOT NULL) FROM coefficients($2)'),
    ('standard errors', 'SELECT bool_and(std_error > 0 AND conf_low < estimate AND estimate < conf_high) FROM coefficients($2)'),
    ('predict', 'SELECT count(predict($2, r)) = 160 FROM SOURCE AS r'),
    ('predict_interval', 'SELECT bool_and(lower < fit AND fit < upper) FROM SOURCE AS r, predict_interval($2, r, 0.9)'),
    ('conformalize', 'SELECT bool_and(lower <= fit AND fit <= upper) FROM (SELECT conformalize($2, t, r) AS c FROM SOURCE AS r) AS f, SOURCE AS r, predict_interval(c, r, 0.9)'),
    ('prediction_set', 'SELECT bool_and(cardinality(prediction_set(c, r)) BETWEEN 0 AND 3) FROM (SELECT conformalize($2, t, r) AS c FROM SOURCE AS r) AS f, SOURCE AS r'),
    ('explain', 'SELECT count(*) >= 320 FROM SOURCE AS r, explain($2, r)'),
    ('explained score', 'SELECT bool_and(near(SCORE, (SELECT sum(contribution) FROM explain($2, r)), 1e-9)) FROM SOURCE AS r, predict($2, r) AS p'),
    ('to_sql', 'SELECT same_sql($2, ''SOURCE'')'),
    ('drift', 'SELECT count(*) > 0 FROM drift(fit($1.estimator, ''SOURCE'', ''t ~ '' || $1.formula || $1.tail, $1.options || ''{"summary": true}''), ''SOURCE'')'),
    ('fit', 'SELECT bool_and(predict(f, r) = predict($2, r)) FROM fit($1.estimator, ''SOURCE'', ''t ~ '' || $1.formula || $1.tail, $1.options) AS f, SOURCE AS r'),
    ('train', 'SELECT version = 1 FROM train($1.name, $1.estimator, ''SOURCE'', ''t ~ '' || $1.formula || $1.tail, $1.options)'),
    ('train with holdout', 'SELECT version > 0 FROM train($1.name, $1.estimator, ''SOURCE'', ''t ~ '' || $1.formula || $1.tail, $1.options || ''{"holdout": {"fraction": 0.3}}'')'),
    ('predict by name', 'SELECT count(predict($1.name, r)) = 160 FROM SOURCE AS r'),
    ('drift by name', 'SELECT count(*) > 0 FROM drift($1.name, ''SOURCE'')'),
    ('evaluate', 'SELECT count(*) > 0 FROM evaluate($1.estimator, ''SOURCE'', ''t ~ '' || $1.formula || $1.tail, $1.options || ''{"folds": 3}'')'),
    ('search', 'SELECT count(*) = 2 FROM search($1.estimator, ''SOURCE'', ''t ~ '' || $1.formula || $1.tail, ''{"level": [0.9, 0.95]}'', jsonb_build_object(''folds'', 3, ''options'', $1.options))'),
    ('cross_validate', 'SELECT cardinality(cross_validate(t, r, $1.estimator, jsonb_build_object(''folds'', 3, ''options'', $1.options || jsonb_build_object(''formula'', $1.formula || $1.tail)))) > 0 FROM SOURCE AS r'),
    ('ensemble', 'SELECT count(predict(e, r)) = 160 FROM ensemble($2, $2) AS e, SOURCE AS r'),
    ('wald_test', 'SELECT near(w.statistic, c.statistic ^ 2, 1e-9) AND near(w.p_value, c.p_value, 1e-9) FROM wald_test($2, ''x = 0'') AS w, coefficients($2) AS c WHERE c.term = ''x'''),
    ('linear_combinations', 'SELECT near(l.conf_low, c.conf_low, 1e-9) AND near(l.p_value, c.p_value, 1e-9) FROM linear_combinations($2, ''x'') AS l, coefficients($2) AS c WHERE c.term = ''x'''),
    ('margins', 'SELECT std_error > 0 FROM margins($2, ''SOURCE'', ''x'')'),
    ('marginal_means', 'SELECT count(std_error) = 3 FROM marginal_means($2, ''SOURCE'', ''g'')'),
    ('anova', 'SELECT p_value BETWEEN 0 AND 1 FROM anova(fit_of($1, ''x'', OTHERS), fit_of($1, ''x + g'', OTHERS))'),
    ('vif', 'SELECT bool_and(vif >= 1) FROM vif($2)'),
    ('glance', 'SELECT rows = 160 FROM glance($2)'),
    ('aic', 'SELECT aic($2) IS NOT NULL AND bic($2) IS NOT NULL AND log_likelihood($2) IS NOT NULL'),
    ('influence', 'SELECT count((i).residual) = 160 FROM SOURCE AS r, LATERAL (SELECT influence($2, t, r) AS i) AS q'),
    ('augment', 'SELECT count(*) = 160 FROM augment($2, ''SOURCE'', ''{"target": "t"}'')'),
    ('permutation_importance', 'SELECT count(*) > 0 FROM permutation_importance($2, ''SOURCE'', ''t'')'),
    ('partial_dependence', 'SELECT count(*) > 0 FROM partial_dependence($2, ''SOURCE'', ''x'')'),
    ('round trips', 'SELECT $2::text::model = $2 AND $2::jsonb::model = $2'),
    ('groups', 'SELECT bool_and(grouped.m = alone.m) FROM (SELECT part, fit_of($1, NULL, ''{}'', ''part = '' || part) AS m FROM generate_series(0, 1) AS part) AS alone JOIN GROUPED AS grouped USING (part)'),
    ('weights', 'SELECT fit_of($1, NULL, ''{}'', ''true'', '', w'') <> $2'),
    ('frequency weights', 'SELECT fit_of($1, NULL, ''{"weight_kind": "frequency"}'', ''true'', '', w'') <> $2'),
    ('vcov', 'SELECT bool_and(std_error > 0) FROM coefficients(fit_of($1, NULL, ''{"vcov": "HC0"}''))'),
    ('C(g, sum)', 'SELECT same_sql(fit_of($1, ''x + C(g, sum)''), ''SOURCE'')'),
    ('bs(x)', 'SELECT same_sql(fit_of($1, ''bs(x, df=4)''), ''SOURCE'')'),
    ('poly(x)', 'SELECT same_sql(fit_of($1, ''poly(x, 2) + g''), ''SOURCE'')'),
    ('x * g', 'SELECT same_sql(fit_of($1, ''x * g''), ''SOURCE'')'),
    ('offset(...)', 'SELECT same_sql(fit_of($1, ''x + offset(log(exposure))''), ''SOURCE'')'),
    ('.', 'SELECT same_sql(fit_of($1, ''.'', ''{}'', ''true'', '''', ''(SELECT t, x, g, s, relapsed FROM SOURCE)''), ''SOURCE'')'),
    ('new levels', 'SELECT same_sql($2, ''(SELECT x, ''''new''''::text AS g, ''''new''''::text AS s, exposure FROM SOURCE)'')'),
    ('NULLs', 'SELECT same_sql($2, ''(SELECT nullif(x, 0.5) AS x, nullif(g, ''''b'''') AS g, nullif(s, ''''s1'''') AS s FROM SOURCE)'')'),
    ('rows with NULLs', 'SELECT (info(fit_of($1, NULL, ''{}'', ''true'', '''', ''(SELECT t, nullif(x, 0.5) AS x, g, s, relapsed FROM SOURCE)'')) ->> ''skipped'')::int = (SELECT count(*) FROM SOURCE WHERE x = 0.5)'),
    ('no rows', 'SELECT fit_of($1, NULL, ''{}'', ''false'') IS NULL'),
    ('one row', 'SELECT fit_of($1, NULL, ''{}'', ''id = 7'') IS NOT NULL'),
    ('a constant feature', 'SELECT fit_of($1, ''z'', ''{}'', ''true'', '''', ''(SELECT t, s, relapsed, 1.5 AS z FROM SOURCE)'') IS NOT NULL');

CREATE TABLE results (place int, number int, result text);
DO $$
DECLARE
    own methods;
    c record;
    m model;
    got boolean;
    source text;
    statement text;
    hint text;
    message text;
BEGIN
    FOR own IN SELECT * FROM methods ORDER BY place LOOP
        m = fit_of(own);
        source = quote_ident('rows of ' || own.name);
        FOR c IN SELECT * FROM calls ORDER BY number LOOP
            BEGIN
                statement = replace(replace(c.statement, 'SOURCE', source), 'SCORE', own.score);
                statement = replace(statement, 'OTHERS', CASE own.name WHEN 'mixed' THEN '''{"reml": false}''' ELSE '''{}''' END);
                statement = replace(statement, 'GROUPED', format('(SELECT part, pgfit.%I(t, r, %L::jsonb) AS m FROM %s AS r GROUP BY part)', own.estimator,
                                                                 own.options || jsonb_build_object('formula', own.formula || own.tail), source));
                EXECUTE statement INTO got USING own, m;
                INSERT INTO results VALUES (own.place, c.number, CASE WHEN got THEN 'works' ELSE coalesce(got::text, 'NULL') END);
            EXCEPTION WHEN OTHERS THEN
                GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
                INSERT INTO results VALUES (own.place, c.number, replace(replace(SQLSTATE || ': ' || message || ' HINT: ' || hint, own.estimator, 'METHOD'), '"' || own.name || '"', 'NAME'));
            END;
        END LOOP;
    END LOOP;
END $$;
SELECT c.name, count(*) AS methods FROM calls AS c JOIN results AS r USING (number) WHERE result = 'works' GROUP BY c.number, c.name ORDER BY c.number;
-- all refusals; hints that list options or functions of a method are cut
\pset format unaligned
SELECT c.name AS call, regexp_replace(r.result, '(Valid options are|Read such a model with|Such a model supports) .*', '\1 ...') AS refusal, string_agg(m.name, ', ' ORDER BY m.place) AS methods
FROM results AS r JOIN methods AS m USING (place) JOIN calls AS c USING (number) WHERE r.result <> 'works' GROUP BY c.number, c.name, 2 ORDER BY c.number, min(m.place);
\pset format aligned
SELECT count(drop_model(name)) > 0 AS dropped FROM models() WHERE name IN (SELECT name FROM methods);
DROP TABLE methods, calls, results, observed CASCADE;
DROP FUNCTION same_sql(model, text);
