-- Properties of linear and prototype classifiers: least_squares_classifier, nearest_centroid, logistic_regression, perceptron.
BEGIN;
SELECT plan(71);
\ir tap/properties.sql

SELECT pg_temp.moments_properties('least_squares_classifier', target, options, 'decisions')
FROM (VALUES ('label', '{}'::jsonb), ('yes', '{"lambda": 2}'), ('label', '{"multiclass": "ovo"}')) AS t(target, options);
SELECT pg_temp.moments_properties('nearest_centroid', 'label', options, 'distances') FROM unnest(ARRAY['{}'::jsonb, '{"metric": "standardized_euclidean"}']) AS options;
SELECT pg_temp.rows_properties('logistic_regression', target, options, 'decisions') FROM (VALUES ('yes', '{"lambda": 1}'::jsonb), ('label', '{"lambda": 1}')) AS t(target, options);
SELECT pg_temp.rows_properties('ordinal_regression', 'yes', '{}', 'probabilities');
SELECT pg_temp.keeps_bits(pg_temp.fit('perceptron(label, f, ''{"averaged": true, "max_iter": 20}''::jsonb ORDER BY id)'), 'decisions', 'perceptron');

-- maximum likelihood: residuals are orthogonal to everything in the equation; probabilities add up to 1
SELECT ok(abs(sum(yes::int - p)) < 1e-6, 'logistic: residuals add up to 0'), ok(abs(sum((yes::int - p) * a)) < 1e-6, 'logistic: residuals are orthogonal to a')
FROM (SELECT r.*, probability(m, f) AS p FROM pg_temp.fit('logistic_regression(yes, f)') AS m, rows AS r, LATERAL (SELECT a, b) AS f) AS t;
SELECT ok(bool_and(abs((SELECT sum(p) FROM unnest(probabilities(m, f)) p) - 1) < 1e-12), 'logistic: probabilities of classes add up to 1')
FROM pg_temp.fit('logistic_regression(label, f, ''{"lambda": 1}''::jsonb)') AS m, rows, LATERAL (SELECT a, b) AS f;
-- units do not matter, exchanged classes exchange probabilities, a repeated row is a weight
SELECT ok(bool_and(pg_temp.near(probability(x, ARRAY[a, b]), probability(z, ARRAY[1000 * a - 7, b / 3]), 1e-6)), 'logistic: units do not matter'),
       ok(bool_and(pg_temp.near(probability(x, ARRAY[a, b]), 1 - probability(n, ARRAY[a, b]), 1e-6)), 'logistic: exchanged classes exchange probabilities')
FROM (SELECT logistic_regression(yes, ARRAY[a, b]) AS x, logistic_regression(yes, ARRAY[1000 * a - 7, b / 3]) AS z, logistic_regression(NOT yes, ARRAY[a, b]) AS n FROM rows) AS m, rows;
SELECT ok(pg_temp.near_all(pg_temp.scores(x, 'decisions'), pg_temp.scores(z, 'decisions'), 1e-6), 'logistic: frequency weights are repeated rows')
FROM pg_temp.fit('logistic_regression(yes, f, ''{"weight_kind": "frequency"}''::jsonb, w::float8)') AS x,
     (SELECT logistic_regression(yes, f) AS z FROM rows, generate_series(1, w), LATERAL (SELECT a, b) AS f) AS r;
-- steps from the start arrive where the fit does
CREATE FUNCTION pg_temp.stepped() RETURNS model LANGUAGE plpgsql AS $$
DECLARE
    m model := pg_temp.fit('logistic_start(class_moments(yes, f), ''{"lambda": 1}'')');
BEGIN
    FOR i IN 1 .. 200 LOOP
        SELECT logistic_step(yes, f, m) INTO m FROM rows, LATERAL (SELECT a, b) AS f;
        EXIT WHEN (info(m) ->> 'converged')::boolean;
    END LOOP;
    RETURN m;
END
$$;
SELECT ok(pg_temp.near_all(pg_temp.scores(m, 'decisions'), pg_temp.scores(pg_temp.stepped(), 'decisions'), 1e-4), 'logistic: steps arrive where the fit does')
FROM pg_temp.fit('logistic_regression(yes, f, ''{"lambda": 1}''::jsonb)') AS m;

-- nearest_centroid: the class is that of the least distance, and distances turn with the features
SELECT ok(bool_and(classify(m, f) = (SELECT c FROM unnest(classes(m), distances(m, f)) AS u(c, d) ORDER BY d LIMIT 1)), 'nearest_centroid: the class of the least distance')
FROM pg_temp.fit('nearest_centroid(label, f)') AS m, rows, LATERAL (SELECT a, b) AS f;
SELECT ok(bool_and(pg_temp.near_all(distances(x, ARRAY[a, b]), distances(z, ARRAY[0.6 * a - 0.8 * b, 0.8 * a + 0.6 * b]), 1e-9)), 'nearest_centroid: distances turn')
FROM (SELECT nearest_centroid(label, ARRAY[a, b]) AS x, nearest_centroid(label, ARRAY[0.6 * a - 0.8 * b, 0.8 * a + 0.6 * b]) AS z FROM rows) AS m, rows;
-- perceptron: no mistake is left on classes that a line separates
SELECT ok(bool_and(classify(m, ARRAY[a, b]) = (a + b > 1)::text), 'perceptron: learns what a line separates')
FROM (SELECT perceptron(a + b > 1, ARRAY[a, b] ORDER BY id) AS m FROM rows WHERE abs(a + b - 1) > 0.2) AS fitted, rows WHERE abs(a + b - 1) > 0.2;


-- the kernel perceptron: its bits; a constant of the kernel is that of the linear one; the multipliers are the counts of mistakes; it ends without mistakes
SELECT pg_temp.keeps_bits(pg_temp.fit(call), 'decisions', call) FROM unnest(ARRAY['perceptron(label, f, ''{"kernel": "rbf", "max_iter": 20}''::jsonb ORDER BY id)', 'perceptron(yes, f, ''{"kernel": "rbf", "averaged": "voted", "max_iter": 3}''::jsonb ORDER BY id)']) AS call;
SELECT ok(bool_and(pg_temp.near(decision(k, f), decision(l, f), 1e-9)), 'a polynomial of degree 1 is the linear perceptron'),
       ok(pg_temp.near_all((SELECT array_agg(abs(v) ORDER BY n) FROM unnest(parameter(k, 'multipliers')) WITH ORDINALITY AS u(v, n)), (SELECT array_agg(v ORDER BY n) FROM unnest(parameter(k, 'mistakes')) WITH ORDINALITY AS u(v, n) WHERE v > 0), 0), 'multipliers count mistakes')
FROM pg_temp.fit('perceptron(yes, f, ''{"kernel": "polynomial", "degree": 1, "coef0": 1, "max_iter": 10, "mistakes": true}''::jsonb ORDER BY id)') AS k,
     pg_temp.fit('perceptron(yes, f, ''{"max_iter": 10}''::jsonb ORDER BY id)') AS l, rows, LATERAL (SELECT a, b) AS f GROUP BY k;
SELECT ok(bool_and(classify(m, f)::boolean = yes), 'a perceptron that ended makes no mistake')
FROM pg_temp.fit('perceptron(yes, f, ''{"kernel": "rbf", "gamma": 300}''::jsonb ORDER BY id)') AS m, rows, LATERAL (SELECT a, b) AS f;

SELECT * FROM finish();
ROLLBACK;
