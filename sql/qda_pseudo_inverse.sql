-- Classes with singular covariances: qda with "singular": "pseudo_inverse".
SET search_path = public, test, pgfit;

-- a class on a line, by hand: mean (1, 2), covariance ((1, 2), (2, 4)), whose eigenvalue other than 0 is 5
CREATE TABLE line AS SELECT * FROM (VALUES ('a', 0.0, 0.0), ('a', 2, 4), ('b', 10, 0), ('b', 12, 0), ('b', 10, 2), ('b', 12, 2)) AS v (class, x, y);
CREATE TABLE line_model AS SELECT qda(class, (x, y), '{"singular": "pseudo_inverse"}') AS m FROM line;
SELECT info(m) #> '{statistics,rank}' AS rank, abs((info(m) #>> '{statistics,log_determinant,0}')::float8 - ln(5::float8)) < 1e-14 AS determinant,
    (info(m) #>> '{statistics,log_determinant,1}')::float8 = 0 AS regular FROM line_model;
SELECT abs((distances(m, ARRAY[3, 6]))[1] - 2) < 1e-14 AS on_the_line, abs((distances(m, ARRAY[1, 4]))[1] - 0.5) < 1e-14 AS off_it, abs((distances(m, ARRAY[3, 6]))[2] - sqrt(89)) < 1e-13 AS from_the_other,
    abs((decisions(m, ARRAY[3, 6]))[1] - (ln(2.0 / 6) - (4 + ln(2 * pi()) + ln(5::float8)) / 2)) < 1e-14 AS decision,
    abs((decisions(m, ARRAY[3, 6]))[2] - (ln(4.0 / 6) - (89 + 2 * ln(2 * pi())) / 2)) < 1e-13 AS other_decision
FROM line_model;
SELECT summary(m) FROM line_model;

-- a feature that is a sum of others, and one that is constant, change nothing that compares the classes
CREATE TABLE sums AS
SELECT class, x, y, x + 2 * y AS z, 7 AS c, d FROM (SELECT i % 3 AS class, sin(i * 1.3) * (1 + i % 3) + i % 3 AS x, cos(i * 0.7) * (2 - i % 2) + sin(i) AS y, i % 5 AS d FROM generate_series(1, 90) AS i) AS s;
CREATE TABLE sums_models AS
SELECT qda(class, (x, y)) AS plain, qda(class, (x, y, z, c), '{"singular": "pseudo_inverse"}') AS pseudo, qda(class, (x, y), '{"singular": "pseudo_inverse"}') AS regular FROM sums;
SELECT max(abs(a - b)) < 1e-10 AS distances FROM sums, sums_models, unnest(distances(plain, (x, y)), distances(pseudo, (x, y, z, c))) AS v (a, b);
SELECT max(abs(a - b - ln(6::float8) / 2)) < 1e-10 AS decisions FROM sums, sums_models, unnest(decisions(plain, (x, y)), decisions(pseudo, (x, y, z, c))) AS v (a, b);
SELECT bool_and(classify(plain, (x, y)) = classify(pseudo, (x, y, z, c))) AS classes, max(abs(probability(plain, (x, y), '1') - probability(pseudo, (x, y, z, c), '1'))) < 1e-10 AS probability FROM sums, sums_models;
SELECT bool_and(decisions(plain, (x, y)) = decisions(regular, (x, y))) AS same_bits, bool_and(NOT (regular::jsonb -> 'arrays') ? 'whitening') AS nothing_stored FROM sums, sums_models;
-- units do not matter
SELECT bool_and(classify(pseudo, (x, y, z, c)) = classify(scaled, (x * 1000, y, z / 1000, c))) AS classes,
    max(abs((distances(pseudo, (x, y, z + 1, c)))[2] - (distances(scaled, (x * 1000, y, (z + 1) / 1000, c)))[2])) < 1e-9 AS off_the_span
FROM sums, sums_models, (SELECT qda(class, (x * 1000, y, z / 1000, c), '{"singular": "pseudo_inverse"}') AS scaled FROM sums) AS s;
-- explanations add up; SQL gives the same classes; every form reads back
SELECT max(abs(decision - s)) < 1e-9 AS explained FROM sums, sums_models, LATERAL (SELECT sum(contribution) AS s FROM explain(pseudo, (x, y, z, c)) WHERE class = '1') AS e, LATERAL (SELECT (decisions(pseudo, (x, y, z, c)))[2] AS decision) AS f;
SELECT pseudo::text::model::text = pseudo::text AS text, (pseudo::jsonb)::text::model::text = pseudo::text AS jsonb FROM sums_models;
SELECT format('SELECT bool_and(classify((SELECT qda(class, (x, y, z, c), ''{"singular": "pseudo_inverse"}'') FROM sums), (x, y, z, c)) = %s) AS as_sql FROM sums', to_sql(m)) AS query
FROM (SELECT qda(class, f, '{"singular": "pseudo_inverse"}') AS m FROM sums, LATERAL (SELECT x, y, z, c) AS f) AS q \gset
:query;
-- more features than rows of a class; pooled, shrunk and from moments
SELECT bool_and(classify(m, w) = class::text) AS wide FROM (SELECT i % 2 AS class, ARRAY[sin(i), cos(i), sin(2 * i), cos(3 * i), i % 2 * 50 + sin(i * i)] AS w FROM generate_series(1, 8) AS i) AS r,
    (SELECT qda(i % 2, ARRAY[sin(i), cos(i), sin(2 * i), cos(3 * i), i % 2 * 50 + sin(i * i)], '{"singular": "pseudo_inverse"}') AS m FROM generate_series(1, 8) AS i) AS q;
SELECT NOT (qda(class, (x, y, z), '{"singular": "pseudo_inverse", "regularization": 0.1}')::jsonb -> 'arrays') ? 'whitening' AS regularized,
    qda(class, (x, y, z), '{"singular": "pseudo_inverse"}')::text = (SELECT fit('qda', merge(e), '{"singular": "pseudo_inverse"}')::text FROM (SELECT class_moments(class, (x, y, z)) AS e FROM sums) AS s) AS stored
FROM sums;

-- a class without any variance
SELECT try($$SELECT qda(class, (x, y), '{"singular": "pseudo_inverse"}') FROM line WHERE class = 'a' OR x = 12 AND y = 2$$);
SELECT qda(class, (x, y), '{"singular": "pseudo_inverse", "too_few_rows": "null"}') IS NULL AS passed_over FROM line WHERE class = 'a' OR x = 12 AND y = 2;
SELECT try($$SELECT qda(class, (x, y)) FROM line$$);
SELECT try($$SELECT qda(class, (x, y), '{"singular": "none"}') FROM line$$);
-- forged
SELECT what, try(format('SELECT %L::pgfit.model', forged)) FROM line_model, LATERAL (VALUES
    ('too many rows', jsonb_set(m::jsonb, '{arrays,whitening_rows}', '{"i64": [1, 1]}')),
    ('below 0', jsonb_set(m::jsonb, '{arrays,whitening_rows}', '{"i64": [-1, 2]}')),
    ('beyond the features', jsonb_set(m::jsonb, '{arrays,whitening_rows}', '{"i64": [3, -2]}')),
    ('one class', jsonb_set(m::jsonb, '{arrays,whitening_rows}', '{"i64": [1]}')),
    ('no rows', m::jsonb #- '{arrays,whitening_rows}'),
    ('no whitening', m::jsonb #- '{arrays,whitening}'),
    ('of another class', jsonb_set(m::jsonb, '{arrays,whitening_rows}', '{"i64": [0, 1]}')),
    ('zeros', jsonb_set(m::jsonb, '{arrays,whitening,f64}', '[0, 0]'))) AS v (what, forged);
DROP TABLE line, line_model, sums, sums_models;
