-- without an intercept the first categorical column has all its levels as terms, in every method that has the option
CREATE TEMP TABLE cells AS
SELECT i, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS t, (ARRAY['p', 'q'])[1 + i / 2 % 2] AS u, sin(i * 1.3) AS x, (i % 3) * 2 + 1 + sin(i) AS y,
       (i % 3 = 0) <> (i % 7 = 0) AS two, (ARRAY['k', 'l', 'm'])[1 + (i * i + i / 5) % 3] AS three
FROM generate_series(1, 90) AS i;
CREATE FUNCTION pg_temp.terms(method text, target text, features text, options jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format($f$SELECT string_agg(DISTINCT term, ' ')
                      FROM (SELECT pgfit.%s(%s, f, %L::jsonb) AS m FROM cells, LATERAL (SELECT %s) AS f) s, pgfit.coefficients(m)$f$,
                   method, target, options || '{"intercept": false}', features) INTO result;
    RETURN result;
END
$$;
SET client_min_messages = error;
SELECT method, target, pg_temp.terms(method, target, 't', options) AS alone, pg_temp.terms(method, target, 'x, t, u', options) AS with_others
FROM (VALUES ('linear_regression', 'y', '{}'::jsonb), ('ridge_regression', 'y', '{"lambda": 1}'), ('ridge_regression', 'y', '{"lambda": "cv"}'),
             ('lasso_regression', 'y', '{"lambda": 0.01}'), ('elastic_net', 'y', '{"lambda": 0.01}'), ('perceptron_regression', 'y', '{}'),
             ('logistic_regression', 'two', '{}'), ('logistic_regression', 'two', '{"lambda": 1}'), ('logistic_regression', 'three', '{}'),
             ('logistic_regression', 'three', '{"multiclass": "ovr"}'), ('least_squares_classifier', 'two', '{}'),
             ('least_squares_classifier', 'three', '{}'), ('perceptron', 'two', '{}')) AS v(method, target, options);
RESET client_min_messages;
-- each level is predicted by its own rows: the mean, the share, those of stored moments too
SELECT level.t, test.near(pgfit.predict(linear, r), mean) AS mean, test.near(pgfit.predict(stored, r), mean) AS stored_mean,
       test.near(pgfit.probability(logistic, r, 'true'), share) AS share
FROM (SELECT pgfit.linear_regression(y, f, '{"intercept": false}'::jsonb) AS linear, pgfit.logistic_regression(two, f, '{"intercept": false}'::jsonb) AS logistic
      FROM cells, LATERAL (SELECT t) AS f) fits,
     (SELECT pgfit.fit('linear_regression', pgfit.merge(e), '{"intercept": false}'::jsonb) AS stored
      FROM (SELECT pgfit.moments(y, f) AS e FROM cells, LATERAL (SELECT t) AS f GROUP BY cells.t) parts) merged,
     (SELECT t, avg(y) AS mean, avg(two::int)::float8 AS share FROM cells GROUP BY t) AS level, LATERAL (SELECT level.t) AS r
ORDER BY level.t;

-- the interval of a fit with weights is that of a new row of weight 1: the error's part grows with the weights, that of the coefficients does not
SELECT test.near((nine ^ 2 - one ^ 2) / (four ^ 2 - one ^ 2), 8.0 / 3, 1e-9) AS weight_one
FROM (SELECT max(i.upper - i.lower) FILTER (WHERE times = 1) AS one, max(i.upper - i.lower) FILTER (WHERE times = 4) AS four,
             max(i.upper - i.lower) FILTER (WHERE times = 9) AS nine
      FROM (SELECT times, pgfit.linear_regression(y, x, '{}'::jsonb, times * (1 + i % 4)) AS m FROM cells, unnest('{1,4,9}'::int[]) AS times GROUP BY times) f,
           pgfit.predict_interval(m, 0.3::float8) AS i) w;
