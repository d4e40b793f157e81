-- total least squares: forms, merging, refusals
CREATE TEMP TABLE people(height float8, weight float8);
INSERT INTO people SELECT * FROM unnest('{160,165,170,172,178,180,183,188,192,200}'::float8[],
                                        '{57,62,66,70,74,71,80,79,88,91}'::float8[]);
CREATE TEMP TABLE sample AS
SELECT i AS id, i % 3 AS g, a + 0.3 * sin(i * 91.0) AS x1, b + 0.3 * sin(i * 37.0) AS x2, 2 * a - b + 0.3 * cos(i * 53.0) AS y
FROM generate_series(1, 500) AS i, LATERAL (SELECT sin(i * 1.0) * 3 AS a, cos(i * 2.0) * 2 AS b) AS t;

SELECT term, round(estimate::numeric, 6) AS estimate, std_error FROM pgfit.coefficients((SELECT pgfit.total_least_squares(weight, height) FROM people));
SELECT round((pgfit.info(m) -> 'statistics' ->> 'orthogonal_rss')::numeric, 6) AS orthogonal_rss, round(pgfit.predict(m, 175)::numeric, 6) AS at_175
FROM (SELECT pgfit.total_least_squares(weight, height) AS m FROM people) s;
SELECT pgfit.summary(pgfit.total_least_squares(weight, height)) FROM people;
-- features and target are alike: the line is the same whichever is called the target
SELECT test.near(1, a * b) AS same_line
FROM (SELECT (test.estimates(pgfit.total_least_squares(weight, height)))[2] AS a, (test.estimates(pgfit.total_least_squares(height, weight)))[2] AS b FROM people) s;
-- distances from the plane, summed by hand
SELECT test.near((pgfit.info(m) -> 'statistics' ->> 'orthogonal_rss')::float8,
                 sum((y - pgfit.predict(m, f)) ^ 2) / (1 + (test.estimates(m))[2] ^ 2 + (test.estimates(m))[3] ^ 2), 1e-9)
FROM (SELECT pgfit.total_least_squares(y, f) AS m FROM sample, LATERAL (SELECT x1, x2) f) s, sample, LATERAL (SELECT x1, x2) f GROUP BY m;
SELECT test.same_fit(pgfit.total_least_squares(y, f), pgfit.total_least_squares(y, f, '{}', 1), 1e-9) AS weighted,
       test.same_fit(pgfit.total_least_squares(y, f, '{"standardize": true}'), pgfit.total_least_squares(y, f), 1e-3) AS standardized_is_another
FROM sample, LATERAL (SELECT x1, x2) f;
SELECT test.near((test.estimates(a))[2], 100 * (test.estimates(b))[2], 1e-9) AS standardized_is_unit_free
FROM (SELECT pgfit.total_least_squares(y, ARRAY[x1, x2], '{"standardize": true}') AS a, pgfit.total_least_squares(y, ARRAY[100 * x1, x2], '{"standardize": true}') AS b FROM sample) s;
SELECT test.same_fit(pgfit.fit('total_least_squares', pgfit.merge(e)), (SELECT pgfit.total_least_squares(y, f) FROM sample, LATERAL (SELECT x1, x2) f), 1e-9) AS merged
FROM (SELECT pgfit.moments(y, f) AS e FROM sample, LATERAL (SELECT x1, x2) f GROUP BY g) s;
SELECT test.near_all(test.estimates(w), test.estimates(again), 1e-7) AS window
FROM (SELECT id, pgfit.total_least_squares(y, ARRAY[x1, x2]) OVER (ORDER BY id ROWS BETWEEN 99 PRECEDING AND CURRENT ROW) AS w FROM sample WHERE id > 200) a,
     (SELECT pgfit.total_least_squares(y, ARRAY[x1, x2]) AS again FROM sample WHERE id > 300 AND id <= 400) b WHERE id = 400;
SELECT m::text::pgfit.model OPERATOR(pgfit.=) m AS text, fit IS NOT NULL AND lower IS NULL AS no_interval
FROM (SELECT pgfit.total_least_squares(weight, height) AS m FROM people) s, pgfit.predict_interval(m, 175, 0.9);
SELECT pgfit.total_least_squares(NULL::float8, height) IS NULL AS no_rows FROM people;

SELECT test.try('SELECT pgfit.total_least_squares(y, x) FROM (VALUES (0, 1), (1, 0), (0, -1), (-1, 0)) v(y, x)');
SELECT test.try('SELECT pgfit.total_least_squares(y, x) FROM (VALUES (1, 0), (0, 0.1), (-1, 0), (0, -0.1)) v(y, x)');
SELECT test.try($$SELECT pgfit.total_least_squares(weight, (height, 'a'::text)) FROM people$$);
SELECT test.try($$SELECT pgfit.total_least_squares(weight, height, '{"lambda": 1}') FROM people$$);
SELECT pgfit.total_least_squares(weight, (height, height)) IS NOT NULL AS dropped FROM people;
