-- a formula without terms, such as 1, is the intercept alone: it fits, scores, shows itself, and is compared with larger models
SET search_path = public, pgfit; -- for comparisons of models
CREATE TABLE looms AS
SELECT i AS id, (i * i % 17 + i / 3.0)::float8 AS breaks, (ARRAY['A', 'B', 'C'])[1 + i % 3] AS wool, (i * 7 % 11)::float8 AS tension, 1 + i % 4 AS w
FROM generate_series(1, 40) AS i;
CREATE TABLE nulls AS
SELECT e AS estimator, p.m FROM
    (SELECT pgfit.linear_regression(breaks, l, '1') AS "linear", pgfit.ridge_regression(breaks, l, 3, '1') AS "ridge",
            pgfit.lasso_regression(breaks, l, 3, '1') AS "lasso", pgfit.elastic_net(breaks, l, 3, 0.5, '1') AS "net",
            pgfit.linear_regression(breaks, l, 'tension - tension') AS "removed",
            pgfit.linear_regression(breaks, l, '{"formula": "1", "nulls": "impute"}') AS "imputed",
            pgfit.linear_regression(breaks, l, '{"formula": "1", "decompose": true}') AS "decomposed",
            pgfit.linear_regression(breaks, to_jsonb(l), '1') AS "objects" FROM looms AS l) AS f,
    LATERAL (VALUES ('linear', f."linear"), ('ridge', ridge), ('lasso', lasso), ('net', net), ('removed', removed), ('imputed', imputed),
                    ('decomposed', decomposed), ('objects', objects)) AS p(e, m);
-- the score of any row is the mean of the target; a model without features passes every form
SELECT estimator, pgfit.terms(m) AS terms, (SELECT count(*) FROM pgfit.features(m)) AS features,
       test.near(pgfit.predict(m, l), mean, 1e-14) AND test.near(pgfit.predict(m, to_jsonb(l)), mean, 1e-14) AND (estimator = 'removed' OR test.near(pgfit.predict(m, ROW(1, 'x')), mean, 1e-14)) AS mean,
       m = m::text::pgfit.model AND m = m::jsonb::pgfit.model AS kept,
       (SELECT bool_and(test.near(estimate, mean, 1e-14)) FROM pgfit.coefficients(m)) AS coefficients, pgfit.design(m, l) AS design
FROM nulls, looms AS l, (SELECT avg(breaks) AS mean FROM looms) AS a WHERE id = 1 ORDER BY estimator;
SELECT pgfit.summary(m) FROM nulls WHERE estimator = 'linear';
SELECT pgfit.info(m) -> 'formula' AS formula, pgfit.info(m) -> 'features' AS features, pgfit.info(m) #> '{statistics,df_residual}' AS df_residual FROM nulls WHERE estimator = 'linear';
-- as R has them: mean, standard error, interval of a prediction, anova
SELECT test.near(c.std_error, s / sqrt(40), 1e-14) AS std_error, test.near(i.upper - i.fit, t * s * sqrt(1 + 1 / 40.0), 1e-12) AS interval,
       test.near((pgfit.explain(m, l)).contribution, mean, 1e-14) AS base
FROM nulls, pgfit.coefficients(m) AS c, looms AS l, pgfit.predict_interval(m, l) AS i, (SELECT avg(breaks) AS mean, stddev(breaks) AS s FROM looms) AS a,
     (VALUES (2.022690920036762)) AS q(t) WHERE estimator = 'linear' AND l.id = 1;
SELECT a.test, a.df, a.df_residual, test.near(a.statistic, 0.53397844666032446, 1e-12) AS statistic, test.near(a.p_value, 0.46942084219451896, 1e-10) AS p_value
FROM (SELECT pgfit.linear_regression(breaks, l, '1') AS small, pgfit.linear_regression(breaks, l, 'tension') AS large FROM looms AS l) AS m, pgfit.anova(small, large) AS a;
SELECT a.test, a.df, test.near(a.statistic, (pgfit.info(small) #>> '{statistics,null_deviance}')::float8 - (pgfit.info(large) #>> '{statistics,deviance}')::float8, 1e-12) AS statistic
FROM (SELECT pgfit.logistic_regression(wool = 'A', l, '1') AS small, pgfit.logistic_regression(wool = 'A', l, 'tension') AS large FROM looms AS l) AS m, pgfit.anova(small, large) AS a;
SELECT test.near((pgfit.probabilities(m, l))[2], share, 1e-14) AS share, pgfit.classify(m, l) AS class, m = m::text::pgfit.model AS kept, (SELECT count(*) FROM pgfit.coefficients(m)) AS coefficients
FROM (SELECT pgfit.logistic_regression(wool = 'A', l, '1') AS m, avg((wool = 'A')::int) AS share FROM looms AS l) AS f, looms AS l WHERE id = 1;
-- SQL says the same
SELECT pgfit.to_sql(m) AS sql FROM nulls WHERE estimator = 'linear' \gset
SELECT test.near(:sql, avg(breaks), 1e-14) AS to_sql FROM looms;
-- groups, weights, windows, moments that merge, parallel plans, prepared statements, fit and train
SELECT bool_and(test.near(pgfit.predict(m, ROW()), mean, 1e-13)) AS groups FROM (SELECT pgfit.linear_regression(breaks, l, '1') AS m, avg(breaks) AS mean FROM looms AS l GROUP BY wool) AS g;
SELECT test.near(pgfit.predict(m, ROW()), mean, 1e-13) AS weights FROM (SELECT pgfit.linear_regression(breaks, l, '1', w) AS m, sum(breaks * w) / sum(w) AS mean FROM looms AS l) AS g;
SELECT bool_and(test.near(pgfit.predict(m, ROW()), mean, 1e-13)) AS windows
FROM (SELECT id, pgfit.linear_regression(breaks, l, '1') OVER f AS m, avg(breaks) OVER f AS mean FROM looms AS l WINDOW f AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING)) AS g;
SELECT test.near(pgfit.predict(pgfit.fit('linear_regression', pgfit.merge(e)), ROW()), avg(mean), 1e-13) AS merged, test.near(pgfit.predict(pgfit.fit('ridge_regression', pgfit.merge(e::text::pgfit.model), '{"lambda": 1}'), ROW()), avg(mean), 1e-13) AS from_text
FROM (SELECT pgfit.moments(breaks, l, '1') AS e, id % 4, (SELECT avg(breaks) FROM looms) AS mean FROM looms AS l GROUP BY id % 4) AS parts;
SELECT pgfit.info(pgfit.merge((SELECT pgfit.moments(breaks, l, '1') FROM looms AS l WHERE id < 9), (SELECT pgfit.moments(breaks, l, '1') FROM looms AS l WHERE false))) -> 'rows' AS with_none;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT test.near(pgfit.predict(pgfit.linear_regression(breaks, l, '1'), ROW()), avg(breaks), 1e-13) AS parallel FROM looms AS l;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
PREPARE null_model(text) AS SELECT array_agg(term) AS terms FROM (SELECT pgfit.linear_regression(breaks, l, $1) AS m FROM looms AS l) AS f, pgfit.coefficients(m);
EXECUTE null_model('1');
EXECUTE null_model('tension');
DEALLOCATE null_model;
SELECT test.near(pgfit.predict(pgfit.fit('linear_regression', 'looms', 'breaks ~ 1'), ROW()), avg(breaks), 1e-14) AS fitted FROM looms;
SELECT pgfit.linear_regression(breaks, l, '1') IS NULL AS no_rows FROM looms AS l WHERE false;
-- an offset alone
SELECT test.near(pgfit.predict(m, l), mean + tension, 1e-13) AS offset, m = m::text::pgfit.model AS kept, pgfit.terms(m) AS terms
FROM (SELECT pgfit.linear_regression(breaks, l, 'offset(tension)') AS m, avg(breaks - tension) AS mean FROM looms AS l) AS f, looms AS l WHERE id = 5;
-- what needs a feature says so
SELECT test.try(format('SELECT pgfit.%s FROM looms AS l', call)) FROM unnest(ARRAY[
    'lasso_regression(breaks, l, ''{"formula": "1", "lambda": 0.1, "penalty_budget": 1}'')',
    'lasso_regression(breaks, l, ''{"formula": "1", "lambda": 0.1, "path": 5}'')',
    'kmeans(l, ''{"formula": "1", "k": 2}'')', 'tree_regression(breaks, l, ''1'')', 'svm_regression(breaks, l, ''1'')', 'total_least_squares(breaks, l, ''1'')',
    'lda(wool, l, ''1'')', 'class_moments(wool, l, ''1'')', 'feature_moments(l, ''{"formula": "1"}'')', 'logistic_regression(wool, l, ''1'')', 'logistic_regression(wool = ''A'', l, ''{"formula": "1", "multiclass": "multinomial"}'')',
    'poisson_regression(breaks, l, ''{"formula": "1", "lambda": 1, "folds": 2}'')', 'logistic_regression(wool = ''A'', l, ''{"formula": "1", "lambda": 1, "fold_column": "id"}'')',
    'ridge_regression(breaks, l, ''{"formula": "1", "lambda": "cv"}'')', 'lasso_regression(breaks, l, ''{"formula": "offset(tension)", "lambda": [1, 2]}'')',
    'logistic_regression(wool = ''A'', l, ''{"formula": "1", "path": 5}'')', 'linear_regression(breaks, l, ''0'')', 'linear_regression(breaks, ARRAY[tension], ''1'')',
    'linear_regression(breaks, l, ''{"formula": "1", "intercept": false}'')']) AS call;
SELECT test.try('SELECT pgfit.predict(m, ARRAY[1.0]) FROM nulls WHERE estimator = ''linear''');
SELECT test.try('SELECT pgfit.ensemble(m, m) FROM nulls WHERE estimator = ''linear''');
SELECT test.near(pgfit.predict(pgfit.ensemble(m, other), l), (pgfit.predict(m, l) + pgfit.predict(other, l)) / 2, 1e-13) AS ensemble
FROM nulls, (SELECT pgfit.linear_regression(breaks, l, 'tension') AS other FROM looms AS l) AS o, looms AS l WHERE estimator = 'linear' AND id = 3;
-- values from outside: features are missing without a formula, or there are more of them than the formula has
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', replace(m::text, ',"formula":{"text":["1"]}', ''))) FROM nulls WHERE estimator = 'linear';
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', replace(m::text, '"formula":{"text":["1"]}', '"formula":{"text":["tension"]}'))) FROM nulls WHERE estimator = 'linear';
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', replace(m::text, '"coef":[]', '"coef":[1]'))) FROM nulls WHERE estimator = 'linear';
SELECT test.try(format('SELECT %L::pgfit.model IS NULL', replace(m::text, '"estimator":"linear_regression"', '"estimator":"tree_regression"'))) FROM nulls WHERE estimator = 'linear';
DROP TABLE looms, nulls;
RESET search_path;
