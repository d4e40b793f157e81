-- one_class_svm: the share outside, scores, weights, refusals.
CREATE TABLE novelty_ring AS SELECT id, sin(id * 12.9898) * 3 AS a, cos(id * 78.233) * 2 + sin(id) AS b, CASE WHEN id % 3 = 0 THEN 'x' ELSE 'y' END AS c FROM generate_series(1, 200) AS id;
CREATE TABLE novelty_machine AS SELECT pgfit.one_class_svm(f, '{"nu": 0.1, "gamma": 0.5}'::jsonb ORDER BY id) AS m FROM novelty_ring, LATERAL (SELECT a, b) AS f;
-- at most a share nu is out, at least a share nu are support vectors; rows on the border are in
SELECT nu, count(*) FILTER (WHERE pgfit.classify(m, (a, b)) = 'out') <= nu * 200 AS outside, (pgfit.info(m) -> 'statistics' ->> 'support_vectors')::int >= nu * 200 AS vectors
FROM novelty_ring, (SELECT nu, pgfit.one_class_svm((a, b), jsonb_build_object('nu', nu)) AS m FROM novelty_ring, (VALUES (0.05), (0.1), (0.5), (0.9)) AS v(nu) GROUP BY nu) AS fits GROUP BY nu, m ORDER BY nu;
SELECT pgfit.classify(m, (0, 0)), pgfit.classify(m, (100, 0)) AS far, pgfit.decision(m, (0, 0)) > 0 AS inside, pgfit.decision(m, (100, 0)) < 0 AS outside, pgfit.classify(m, (NULL::float8, 0)) IS NULL AS nothing FROM novelty_machine;
-- the multipliers add up to nu times the rows; those of rows on the border are free
SELECT round(sum(multiplier)::numeric, 9) AS sum, bool_and(on_margin = (abs(pgfit.decision(m, (a, b))) < 1e-6) OR NOT on_margin) AS kept, bool_and(multiplier BETWEEN 0 AND 1) AS box, count(*) FILTER (WHERE class IS NOT NULL) AS classes
FROM novelty_machine, pgfit.support_vectors(m), novelty_ring WHERE id = row;
SELECT pgfit.info(m) -> 'implementation' -> 'arrays' AS arrays, pgfit.info(m) -> 'converged' AS converged FROM novelty_machine;
SELECT m OPERATOR(pgfit.=) m::text::pgfit.model AS text, m OPERATOR(pgfit.=) (m::jsonb)::pgfit.model AS json FROM novelty_machine;
SELECT pgfit.summary(pgfit.one_class_svm(x)) ~ 'support vectors: 4, multipliers at the bound' AS summary FROM (VALUES (1), (2), (3), (4)) AS v(x);
-- weights count as repeated rows; categories; standardized features; windows
SELECT bool_and(abs(pgfit.decision(weighted, (a, b)) - pgfit.decision(repeated, (a, b))) < 1e-7) AS weights
FROM novelty_ring, (SELECT pgfit.one_class_svm((a, b), '{"nu": 0.2, "gamma": 1}'::jsonb, 1 + id % 2) AS weighted FROM novelty_ring) AS w,
    (SELECT pgfit.one_class_svm((a, b), '{"nu": 0.2, "gamma": 1}'::jsonb) AS repeated FROM novelty_ring, generate_series(1, 1 + id % 2)) AS r;
SELECT bool_and(abs(pgfit.decision(plain, (a, b, c)) - pgfit.decision(scaled, (1000 * a + 7, b / 50, c))) < 1e-7) AS units
FROM novelty_ring, (SELECT pgfit.one_class_svm((a, b, c), '{"standardize": true}'::jsonb) AS plain, pgfit.one_class_svm((1000 * a + 7, b / 50, c), '{"standardize": true}'::jsonb) AS scaled FROM novelty_ring) AS fit;
SELECT count(m) AS windows FROM (SELECT pgfit.one_class_svm(a) OVER (ORDER BY id ROWS 5 PRECEDING) AS m FROM novelty_ring) AS w;
-- one row, equal rows, no rows
SELECT pgfit.classify(m, 1) AS same, pgfit.classify(m, 9) AS other FROM (SELECT pgfit.one_class_svm(1) AS m) AS fit;
SELECT pgfit.classify(m, 1) AS same, pgfit.classify(m, 9) AS other FROM (SELECT pgfit.one_class_svm(1, '{"gamma": 2}'::jsonb) AS m FROM generate_series(1, 9)) AS fit;
SELECT pgfit.one_class_svm(a) IS NULL AS nothing FROM novelty_ring WHERE false;
-- refused
SELECT test.try($$SELECT pgfit.one_class_svm(a, '{"nu": 0}') FROM novelty_ring$$);
SELECT test.try($$SELECT pgfit.one_class_svm(a, '{"nu": 1.5}') FROM novelty_ring$$);
SELECT test.try($$SELECT pgfit.one_class_svm(a, '{"gamma": -1}') FROM novelty_ring$$);
SELECT test.try($$SELECT pgfit.predict(m, (1, 2)) FROM novelty_machine$$);
SELECT test.try($$SELECT pgfit.classes(m) FROM novelty_machine$$);
SELECT test.try($$SELECT pgfit.probability(m, (1, 2)) FROM novelty_machine$$);
SELECT test.try($$SELECT pgfit.one_class_svm(x) FROM (VALUES ('Infinity'::float8)) AS v(x)$$);
DROP TABLE novelty_ring, novelty_machine;
