-- Tests of nested models, with the numbers of R's anova.
SET search_path = public, pgfit;
CREATE TEMP TABLE tooth AS
SELECT supp, dose, len FROM (VALUES
    ('VC', 0.5, '{4.2,11.5,7.3,5.8,6.4,10,11.2,11.2,5.2,7}'::float8[]), ('VC', 1, '{16.5,16.5,15.2,17.3,22.5,17.3,13.6,14.5,18.8,15.5}'),
    ('VC', 2, '{23.6,18.5,33.9,25.5,26.4,32.5,26.7,21.5,23.3,29.5}'), ('OJ', 0.5, '{15.2,21.5,17.6,9.7,14.5,10,8.2,9.4,16.5,9.7}'),
    ('OJ', 1, '{19.7,23.3,23.6,26.4,20,25.2,25.8,21.2,14.5,27.3}'), ('OJ', 2, '{25.5,26.4,22.4,24.5,24.8,30.9,26.4,27.3,29.4,23}')) AS v(supp, dose, lens),
    unnest(lens) AS len;
CREATE TEMP TABLE fits AS
SELECT linear_regression(len, t, 'supp') AS supp, linear_regression(len, t, 'supp + factor(dose)') AS main, linear_regression(len, t, 'supp * factor(dose)') AS crossed,
       linear_regression(len, t, 'supp - 1') AS no_intercept, linear_regression(len + dose::float8, t, 'supp * dose') AS other,
       linear_regression(len, t, 'supp * dose') FILTER (WHERE dose < 2) AS fewer, ridge_regression(len, t, 1, 'supp * dose') AS ridge,
       logistic_regression(supp, t, 'len') AS logit, logistic_regression(supp, t, 'len * factor(dose)') AS logits,
       logistic_regression(supp, t, '{"formula": "len * factor(dose)", "lambda": 1}') AS penalized
FROM tooth AS t;
-- anova(lm(len ~ supp), lm(len ~ supp + factor(dose)), lm(len ~ supp * factor(dose))), each against the next
SELECT test, round(statistic::numeric, 5) AS statistic, df, df_residual, round(p_value::numeric, 7) AS p_value FROM fits, anova(main, crossed);
SELECT test, round(statistic::numeric, 5) AS statistic, df, df_residual, p_value < 1e-15 AS small FROM fits, anova(supp, main);
-- an intercept is a coefficient; here both models are the same, and so is the number of coefficients
SELECT test.try('SELECT anova(no_intercept, supp) FROM fits');
SELECT test, round(statistic::numeric, 4) AS statistic, df, df_residual, round(p_value::numeric, 6) AS p_value FROM fits, anova(logit, logits);
-- one term: the square of its t statistic
SELECT test.near(a.statistic, c.statistic ^ 2, 1e-9) AS f_is_t_squared, test.near(a.p_value, c.p_value, 1e-9) AS same_p
FROM (SELECT linear_regression(len, t, 'dose') AS small, linear_regression(len, t, 'dose + supp') AS large FROM tooth AS t) AS f,
     anova(small, large) AS a, coefficients(large) AS c WHERE c.term = 'supp=VC';
-- refusals
SELECT test.try('SELECT anova(crossed, main) FROM fits');
SELECT test.try('SELECT anova(main, main) FROM fits');
SELECT test.try('SELECT anova(supp, other) FROM fits');
SELECT test.try('SELECT anova(supp, fewer) FROM fits');
SELECT test.try('SELECT anova(supp, ridge) FROM fits');
SELECT test.try('SELECT anova(logit, penalized) FROM fits');
SELECT test.try('SELECT anova(supp, logits) FROM fits');
SELECT test.try('SELECT anova(supp, (SELECT moments(len, t, ''supp'') FROM tooth AS t)) FROM fits');
-- models that are not nested were compared: one with a column that the second lacks, and one that fits better
SELECT test.try('SELECT anova((SELECT linear_regression(len, t, ''supp'') FROM tooth AS t), (SELECT linear_regression(len, t, ''poly(dose, 2)'') FROM tooth AS t))');
SELECT test.try('SELECT anova((SELECT linear_regression(len, t, ''log(dose)'') FROM tooth AS t), (SELECT linear_regression(len, t, ''supp * I((dose - 1.25)^2)'') FROM tooth AS t))');
SELECT test.try('SELECT anova((SELECT linear_regression(len, t, ''{"formula": "supp"}''::jsonb, 2) FROM tooth AS t), (SELECT linear_regression(len, t, ''supp + dose'') FROM tooth AS t))');
-- a polynomial contains its column, whatever its terms are called
SELECT df, round(statistic::numeric, 4) AS statistic FROM anova((SELECT linear_regression(len, t, 'dose') FROM tooth AS t), (SELECT linear_regression(len, t, 'poly(dose, 2)') FROM tooth AS t));
SELECT anova(supp, NULL) IS NULL AS null_model FROM fits;
-- a perfect fit has no test
SELECT a.* FROM (SELECT linear_regression(y, t, 'x') AS small, linear_regression(y, t, 'x + z') AS large
                 FROM (VALUES (1, 1, 0), (3, 2, 1), (2, 3, -1), (4, 4, 0)) AS t(y, x, z)) AS f, anova(small, large) AS a;
-- robust errors of models known by their likelihood: chi-squared, as wald_test of the same coefficients; the F test of clusters alone
SELECT name, a.test, a.df, a.df_residual, test.near(a.statistic, w.statistic) AS statistic, test.near(a.p_value, w.p_value) AS p_value
FROM (SELECT 'logistic' AS name, logistic_regression(supp, t, '{"formula": "len", "vcov": "HC1"}') AS small, logistic_regression(supp, t, '{"formula": "len + dose + len:dose", "vcov": "HC1"}') AS large, 'dose, "len:dose"' AS terms FROM tooth AS t
      UNION ALL SELECT 'poisson', poisson_regression(floor(len), t, '{"formula": "len", "vcov": "HC0"}'), poisson_regression(floor(len), t, '{"formula": "len + dose + sqrt(dose)", "vcov": "HC0"}'), 'dose, "sqrt(dose)"' FROM tooth AS t
      UNION ALL SELECT 'cox', cox_regression(len, t, '{"formula": "dose", "event": "happened", "vcov": "HC0"}'), cox_regression(len, t, '{"formula": "dose + odd", "event": "happened", "vcov": "HC0"}'), 'odd'
                FROM (SELECT *, len <> floor(len) AS happened, mod(len::numeric, 3)::float8 AS odd FROM tooth) AS t
      UNION ALL SELECT 'clusters', logistic_regression(supp, t, '{"formula": "len", "vcov": "CR1", "cluster": "part"}'), logistic_regression(supp, t, '{"formula": "len + dose", "vcov": "CR1", "cluster": "part"}'), 'dose'
                FROM (SELECT *, floor(len)::int % 7 AS part FROM tooth) AS t) AS f, anova(small, large) AS a, wald_test(large, terms) AS w ORDER BY name;
DROP TABLE tooth, fits;
