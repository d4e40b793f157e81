-- Paths over a design without columns, as a single level gives: intercepts alone, and no read past the end of an array.
-- (Without an intercept the level has a column.)
SET search_path = public, test, pgfit;
CREATE TABLE one_level AS SELECT y, 'a'::text AS t FROM unnest('{1,2,4,5,8}'::float8[]) y;
CREATE TABLE paths AS
SELECT j AS options, lasso_regression(y, row(t), j) AS lasso, elastic_net(y, row(t), j) AS net, ridge_regression(y, row(t), j) AS ridge
FROM one_level, unnest('{"{\"path\": 3}","{\"path\": 10000}","{\"lambda\": [3, 2, 1]}","{\"lambda\": \"path\"}","{\"lambda\": \"path\", \"select\": \"aic\"}","{\"lambda\": [3, 1], \"intercept\": false}"}'::jsonb[]) j
GROUP BY j;
SELECT options, model, m::text::model = m AS text, m::jsonb::model = m AS jsonb,
       info(m) #> '{implementation,arrays,path_coef}' AS path_coef, near(predict(m, row(t)), 4) AS predicts_the_mean,
       (SELECT count(*) FROM coefficient_path(m)) AS coefficients, (SELECT count(*) FROM lambda_path(m)) AS lambdas
FROM paths, (SELECT 'a'::text AS t) t, LATERAL (VALUES ('elastic_net', net), ('lasso_regression', lasso), ('ridge_regression', ridge)) v (model, m) ORDER BY 1, 2;
SELECT near(predict(at_lambda(lasso, 2), row('a'::text)), 4) AS predicts,
       at_lambda(ridge, 2)::text::model = at_lambda(ridge, 2) AS text
FROM paths WHERE options = '{"lambda": [3, 2, 1]}';
-- a value as the first release wrote it is refused
SELECT try(format('SELECT %L::pgfit.model', replace(lasso::text, '"path_facts"', '"path_coef":[0,0,0],"path_facts"'))) ~ '^22P02' AS refused
FROM paths WHERE options = '{"path": 3}';
DROP TABLE one_level, paths;
