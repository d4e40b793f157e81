-- ordinal regression: cuts and coefficients, the order of the classes, edges and refusals
CREATE TYPE grade AS ENUM ('poor', 'fair', 'good');
CREATE TABLE graded AS
SELECT i AS id, 1 + i % 3 AS w, i % 2 AS g, a, c, width_bucket(a / 4 + (c = 'y')::int + e, ARRAY[0.7, 1.9]) AS n, (ARRAY['poor', 'fair', 'good']::grade[])[1 + width_bucket(a / 4 + (c = 'y')::int + e, ARRAY[0.7, 1.9])] AS grade
FROM (SELECT i, (i * 7919 % 1009) / 200.0::float8 AS a, (ARRAY['x', 'y'])[1 + i * 31 % 2] AS c, (i * 3571 % 2003) / 1000.0::float8 - 1 AS e FROM generate_series(1, 600) AS i) AS t;

SELECT pgfit.summary(pgfit.ordinal_regression(grade, t, 'a + c')) FROM graded AS t;
-- an enum, its numbers, and texts with "levels" are one model; the reverse order turns the signs
SELECT test.near_all(test.estimates(pgfit.ordinal_regression(grade, t, 'a + c')), test.estimates(pgfit.ordinal_regression(n, t, 'a + c')), 1e-12) AS numbers,
       test.near_all(test.estimates(pgfit.ordinal_regression(grade, t, 'a + c')), test.estimates(pgfit.ordinal_regression(grade::text, t, '{"formula": "a + c", "levels": ["poor", "fair", "good", "best"]}')), 1e-12) AS texts,
       test.near_all(test.estimates(pgfit.ordinal_regression(-n, t, 'a + c')), (SELECT array_agg(-e ORDER BY CASE WHEN o < 3 THEN o ELSE 10 - o END) FROM unnest(test.estimates(pgfit.ordinal_regression(n, t, 'a + c'))) WITH ORDINALITY AS u(e, o)), 1e-9) AS reversed
FROM graded AS t;
-- of two classes it is logistic regression, in estimates and errors
SELECT test.near(o.estimate, l.estimate, 1e-9) AS estimate, test.near(o.std_error, l.std_error, 1e-9) AS error
FROM (SELECT pgfit.ordinal_regression(n > 0, t, 'a + c') AS m, pgfit.logistic_regression(n > 0, t, 'a + c') AS r FROM graded AS t) AS f, pgfit.coefficients(m) AS o, pgfit.coefficients(r) AS l WHERE o.term = l.term;
-- the likelihood is that of the probabilities, and no shift of a coefficient or a cut raises it
SELECT link, test.near(sum(ln(p[n + 1])), (s ->> 'log_likelihood')::float8, 1e-10) AS likelihood, bool_and(test.near(p[1] + p[2] + p[3], 1)) AS sum, bool_and(p[1] > 0 AND p[2] > 0 AND p[3] > 0) AS positive
FROM (SELECT link, n, pgfit.probabilities(m, t) AS p, pgfit.info(m) -> 'statistics' AS s FROM (SELECT link, pgfit.ordinal_regression(n, t, jsonb_build_object('formula', 'a + c', 'link', link)) AS m FROM graded AS t, unnest('{logit,probit}'::text[]) AS link GROUP BY link) AS f, graded AS t) AS u GROUP BY link, s ORDER BY link;
SELECT bool_and(best > other) AS greatest FROM (SELECT e, sum(ln(1 / (1 + exp(e[1] * a + e[2] * y - e[n + 3])) - CASE n WHEN 0 THEN 0 ELSE 1 / (1 + exp(e[1] * a + e[2] * y - e[n + 2])) END)) AS best
      FROM (SELECT test.estimates(pgfit.ordinal_regression(n, t, 'a + c')) || 500.0::float8 AS e FROM graded AS t) AS f, (SELECT *, (c = 'y')::int AS y FROM graded) AS t GROUP BY e) AS b,
     LATERAL (SELECT i, sum(ln(1 / (1 + exp(s[1] * a + s[2] * y - s[n + 3])) - CASE n WHEN 0 THEN 0 ELSE 1 / (1 + exp(s[1] * a + s[2] * y - s[n + 2])) END)) AS other
      FROM generate_series(1, 4) AS i, unnest('{-1e-3,1e-3}'::float8[]) AS d, LATERAL (SELECT array_agg(v + CASE WHEN o = i THEN d ELSE 0 END ORDER BY o) AS s FROM unnest(e) WITH ORDINALITY AS u(v, o)) AS shifted,
           (SELECT *, (c = 'y')::int AS y FROM graded) AS t GROUP BY i, d) AS others;
-- weights are copies
SELECT test.near_all(test.estimates(pgfit.ordinal_regression(n, t, 'a + c', w)), (SELECT test.estimates(pgfit.ordinal_regression(n, t, 'a + c')) FROM graded AS t, generate_series(1, w)), 1e-9) AS weights FROM graded AS t;
-- ways to give rows
SELECT count(DISTINCT (SELECT array_agg(round(e::numeric, 9)) FROM unnest(test.estimates(m)) AS e)) AS models FROM (
    SELECT pgfit.ordinal_regression(n, ARRAY[a]) AS m FROM graded UNION ALL SELECT pgfit.ordinal_regression(n, t, 'a') FROM graded AS t
    UNION ALL SELECT pgfit.ordinal_regression(n, to_jsonb(t), '{"formula": "a"}') FROM graded AS t UNION ALL SELECT pgfit.ordinal_regression(n, a) FROM graded) AS ways;
SELECT g, count(*) AS lines FROM (SELECT g, pgfit.ordinal_regression(n, t, 'a') AS m FROM graded AS t GROUP BY g) AS f, pgfit.coefficients(m) GROUP BY g ORDER BY g;
SELECT array_agg(round(p::numeric, 6)) AS shares FROM (SELECT pgfit.ordinal_regression(v, t, '1') AS m FROM (VALUES (1), (2), (2), (3)) AS t(v)) AS f, unnest(pgfit.probabilities(m, '{}'::float8[])) AS p;
SELECT pgfit.classify(m, ROW(a)) AS class FROM (SELECT pgfit.ordinal_regression(grade, ROW(a)) AS m FROM graded) AS f, unnest('{-1e300,1,2,1e300}'::float8[]) AS a ORDER BY a;
-- as SQL: labels whose order is not that of their names, scores out of range of exp, NULLs
SELECT pgfit.to_sql(m) AS sql FROM (SELECT pgfit.ordinal_regression(grade::text, t, '{"formula": "a + c", "levels": ["poor", "fair", "good"]}') AS m FROM graded AS t) AS f \gset
SELECT count(DISTINCT label) AS labels, bool_and(label = pgfit.classify(m, r) OR num_nonnulls(label, pgfit.classify(m, r)) = 0) AS same
FROM (SELECT pgfit.ordinal_regression(grade::text, t, '{"formula": "a + c", "levels": ["poor", "fair", "good"]}') AS m FROM graded AS t) AS f,
     (SELECT a, c FROM unnest('{-1e300,-30,-3,-1,0,1,2,3,30,1e300,NULL}'::float8[]) AS a, unnest('{x,y,new,NULL}'::text[]) AS c) AS r, LATERAL (SELECT :sql AS label) AS l;
SELECT pgfit.to_sql(m) AS sql FROM (SELECT pgfit.ordinal_regression(grade::text, t, '{"formula": "a + c", "levels": ["poor", "fair", "good"], "link": "probit"}') AS m FROM graded AS t) AS f \gset
SELECT count(DISTINCT label) AS labels, bool_and(label = pgfit.classify(m, r) OR num_nonnulls(label, pgfit.classify(m, r)) = 0) AS same
FROM (SELECT pgfit.ordinal_regression(grade::text, t, '{"formula": "a + c", "levels": ["poor", "fair", "good"], "link": "probit"}') AS m FROM graded AS t) AS f,
     (SELECT a, c FROM unnest('{-1e300,-30,-3,-1,0,1,2,3,30,1e300,NULL}'::float8[]) AS a, unnest('{x,y,new,NULL}'::text[]) AS c) AS r, LATERAL (SELECT :sql AS label) AS l;
-- as SQL, a class that is nowhere the most probable, at the scores where classes begin
SELECT link, pgfit.to_sql(m) ~ 'width_bucket' AS by_score, (SELECT count(DISTINCT pgfit.classify(m, ROW(x))) FROM generate_series(-30, 30) AS x) AS seen
FROM (SELECT link, pgfit.ordinal_regression(n, ROW(x), jsonb_build_object('link', link)) AS m FROM unnest('{logit,probit}'::text[]) AS link, (SELECT i % 29 AS x, CASE WHEN i % 97 = 0 THEN 1 WHEN (i * 31) % 41 < i % 29 THEN 2 ELSE 0 END AS n FROM generate_series(1, 800) AS i) AS t GROUP BY link) AS f ORDER BY link;
-- tests of coefficients from the covariance that the model keeps: of two classes those of logistic regression, but for the constant
SELECT test.near(w.statistic, v.statistic, 1e-8) AS wald, w.df, test.near(a.std_error, b.std_error, 1e-9) AS combination, (SELECT bool_and(test.near(x.vif, y.vif, 1e-8)) FROM pgfit.vif(m) AS x JOIN pgfit.vif(r) AS y USING (term)) AS vif
FROM (SELECT pgfit.ordinal_regression(n > 0, t, 'a + c') AS m, pgfit.logistic_regression(n > 0, t, 'a + c') AS r FROM graded AS t) AS f, pgfit.wald_test(m, 'a = 0.3, "c=y" = 1') AS w, pgfit.wald_test(r, 'a = 0.3, "c=y" = 1') AS v,
     pgfit.linear_combinations(m, 'a - "c=y"') AS a, pgfit.linear_combinations(r, 'a - "c=y"') AS b;
SELECT test.try('SELECT pgfit.wald_test(m, ''"0|1" = 0'') FROM (SELECT pgfit.ordinal_regression(n, t, ''a'') AS m FROM graded AS t) AS f');
SELECT test.try('SELECT pgfit.wald_test(m, ''intercept = 0'') FROM (SELECT pgfit.ordinal_regression(n, t, ''a'') AS m FROM graded AS t) AS f');
SELECT test.try('SELECT * FROM (SELECT pgfit.ordinal_regression(n, t, ''a'') AS m FROM graded AS t) AS f, pgfit.margins(m, ''graded'', ''a'')');
SELECT test.try(format('SELECT %L::jsonb::pgfit.model', jsonb_set(m::jsonb, '{arrays,covariance_packed}', '[1, 0]'))) FROM (SELECT pgfit.ordinal_regression(n, t, 'a') AS m FROM graded AS t) AS f;
-- scales: features far from 0 and of any size
SELECT test.near(e[1] * s, f[1], 1e-9) AS slope, test.near(e[2], f[2], 1e-9) AS cut FROM (SELECT s, test.estimates(pgfit.ordinal_regression(n, ROW(s * a))) AS e FROM graded, unnest('{1e-100,1e100}'::float8[]) AS s GROUP BY s) AS t,
     (SELECT test.estimates(pgfit.ordinal_regression(n, ROW(a))) AS f FROM graded) AS u;
SELECT test.near(e[1], f[1], 1e-6) AS far_from_0 FROM (SELECT test.estimates(pgfit.ordinal_regression(n, ROW(a + 1e8))) AS e, test.estimates(pgfit.ordinal_regression(n, ROW(a))) AS f FROM graded) AS t;
-- the order of the rows, in which they are summed
SELECT bool_and(test.near_all(test.estimates(forward), test.estimates(backward), 1e-12)) AS no_matter FROM (
    SELECT pgfit.ordinal_regression(n, ROW(a, b) ORDER BY i) AS forward, pgfit.ordinal_regression(n, ROW(a, b) ORDER BY i DESC) AS backward FROM (
        SELECT s, i, sin(i * 1.7 + s) AS a, cos(i * 0.3 * s) AS b, width_bucket(sin(i * 1.7 + s) + cos(i * 0.3 * s) + 2 * (i * 7919 * s % 1009) / 1009.0 - 1, -1, 1, 3) AS n
        FROM generate_series(1, 300) AS i, generate_series(1, 20) AS s) AS t GROUP BY s) AS u;
-- edges and refusals
SELECT pgfit.ordinal_regression(n, ROW(a)) IS NULL AS no_rows FROM graded WHERE false;
SELECT term, estimate IS NULL AS dropped FROM (SELECT pgfit.ordinal_regression(n, ROW(a, 2 * a, 7)) AS m FROM graded) AS f, pgfit.coefficients(m);
SELECT pgfit.info(pgfit.ordinal_regression(x > 2, ROW(x))) -> 'converged' AS separated FROM generate_series(1, 4) AS x;
SELECT test.try('SELECT pgfit.ordinal_regression(grade::text, t, ''a'') FROM graded AS t');
SELECT test.try('SELECT pgfit.ordinal_regression(grade::text, t, ''{"formula": "a", "levels": ["poor", "good"]}'') FROM graded AS t');
SELECT test.try('SELECT pgfit.ordinal_regression(grade::text, t, ''{"formula": "a", "levels": ["poor", "fair", "poor", "good"]}'') FROM graded AS t');
SELECT test.try('SELECT pgfit.ordinal_regression(1, t, ''a'') FROM graded AS t');
SELECT test.try('SELECT pgfit.ordinal_regression(n, t, ''{"formula": "a", "link": "cauchit"}'') FROM graded AS t');
SELECT test.try('SELECT pgfit.ordinal_regression(x, ROW(x), ''{}'', CASE x WHEN 2 THEN 1e-20 ELSE 1 END) FROM generate_series(1, 3) AS x');
SELECT test.try('SELECT pgfit.predict(pgfit.ordinal_regression(n, ROW(a)), ROW(1.0)) FROM graded');
-- values from outside: cuts that do not rise, ranks that are not a permutation, other lengths
SELECT test.try(format('SELECT %L::pgfit.model', replace(m::text, a, b))) ~ 'ordinal_regression|cuts|class_rank' AS refused
FROM (SELECT pgfit.ordinal_regression(v, ROW(x), '{"max_iter": 1}') AS m FROM (VALUES (1, 1), (2, 3), (3, 2), (1, 4), (2, 2)) AS t(v, x)) AS f,
     (VALUES ('"class_rank":{"i64":[0,1,2]}', '"class_rank":{"i64":[0,1,1]}'), ('"class_rank":{"i64":[0,1,2]}', '"class_rank":{"i64":[0,1,3]}'), ('"class_rank":{"i64":[0,1,2]}', '"class_rank":{"i64":[0,1]}'),
      ('"cuts":[', '"cuts":[1e300,'), ('"cuts":[', '"cuts":[9,8],"no":[')) AS v(a, b);
DROP TABLE graded;
DROP TYPE grade;
