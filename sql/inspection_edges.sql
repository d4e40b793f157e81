-- What info, summary, to_sql and messages say at the edges: tiny and huge numbers, lists of one, odd names, no memory.
SET search_path = public, test, pgfit;
CREATE TABLE edge AS SELECT i, i::float8 AS y, sin(i) AS a, cos(i) AS b, CASE WHEN i % 2 = 0 THEN E'very\ngood' ELSE 'fair' END AS cut,
    CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END AS class FROM generate_series(1, 60) i;
-- info: numbers are numbers, whatever their size
SELECT jsonb_typeof(s -> 'rss') AS rss, jsonb_typeof(s -> 'tss') AS tss, (s ->> 'tss')::float8 < 1e-60 AS tiny
FROM (SELECT info(linear_regression(y * 1e-40, (a, b))) -> 'statistics' AS s FROM edge) t;
SELECT jsonb_typeof(s -> 'tss') AS tss, (s ->> 'tss')::float8 > 1e60 AS huge FROM (SELECT info(linear_regression(y * 1e40, (a, b))) -> 'statistics' AS s FROM edge) t;
SELECT jsonb_typeof(info(moments(y, a, NULL, 1e-35)) -> 'weight') AS weight FROM edge;
-- info: a list of one is a list, a single value is none
SELECT jsonb_typeof(info(m) -> 'statistics' -> 'explained_ratio') AS ratio, jsonb_typeof(info(m) -> 'statistics' -> 'log_determinant') AS one_determinant
FROM (SELECT lda(class, (a, b)) AS m FROM edge) t;
SELECT jsonb_typeof(s -> 'explained_variance') AS variance, jsonb_typeof(s -> 'explained_ratio') AS ratio, jsonb_typeof(s -> 'cumulative_ratio') AS cumulative
FROM (SELECT info(pca((a, b), 1)) -> 'statistics' AS s FROM edge) t;
SELECT info(linear_regression(y, f)) -> 'statistics' -> 'dropped_terms' AS one_dropped FROM edge, LATERAL (SELECT a, a AS again) AS f;
-- all of them are there, with their commas; the summary names ten
SELECT jsonb_array_length(d) AS dropped, d -> 0 AS first, d -> 11 AS last,
    split_part(s, 'linearly on others: ', 2) AS summary
FROM (SELECT info(m) -> 'statistics' -> 'dropped_terms' AS d, summary(m) AS s
      FROM (SELECT linear_regression(y, jsonb_build_object('a', a) || (SELECT jsonb_object_agg('a, ' || to_char(k, 'FM00'), a * k) FROM generate_series(1, 12) k)) AS m FROM edge) f) t;
SELECT m::text::model = m AS text_again, m::jsonb::text::model = m AS jsonb_again FROM (SELECT linear_regression(y, (a, a, b, b)) AS m FROM edge) t;
-- summary: a line break in a level, name or label does not break the table
SELECT replace(line, ' ', '_') ~ '^cut=very_good__' AS level FROM (SELECT regexp_split_to_table(summary(linear_regression(y, f)), '\n') AS line FROM edge, LATERAL (SELECT a, cut) AS f) t
WHERE line ~ 'very|good';
SELECT count(*) FILTER (WHERE line ~ 'very good') AS whole, count(*) FILTER (WHERE line ~ 'very$|^good') AS broken
FROM (SELECT m, regexp_split_to_table(summary(m), '\n') AS line
      FROM (SELECT logistic_regression(cut, (a, b)) AS m FROM edge UNION ALL SELECT lda(cut, (a, b)) FROM edge UNION ALL SELECT nearest_centroid(cut, (a, b)) FROM edge) f) t;
SELECT bool_and(c.term <> 'cut=very good') AS not_in_coefficients, count(*) FILTER (WHERE c.term = E'cut=very\ngood') AS kept
FROM (SELECT linear_regression(y, f) AS m FROM edge, LATERAL (SELECT cut) AS f) t, coefficients(m) AS c;
-- to_sql of a key that no column can have
SELECT try($$SELECT to_sql(linear_regression(y, jsonb_build_object('a', a, '', b))) FROM edge$$);
-- jsonb keys that are missing, or too many, are named
CREATE TABLE keyed AS SELECT linear_regression(y, jsonb_build_object('a', a, 'b', b)) AS m FROM edge;
SELECT try($$SELECT predict(m, '{}'::jsonb) FROM keyed$$);
SELECT try($$SELECT predict(m, '{"b": 1}'::jsonb) FROM keyed$$);
SELECT info(linear_regression(y, CASE WHEN i < 5 THEN jsonb_build_object('a', a, 'b', b) ELSE '{}' END))->'skipped' AS skipped FROM edge;
SELECT try($$SELECT linear_regression(y, CASE WHEN i < 5 THEN jsonb_build_object('a', a, 'b', b) ELSE jsonb_build_object('a', a, 'b', b, 'c', 1) END) FROM edge$$);
SELECT try($$SELECT lasso_regression(y, CASE WHEN i < 5 THEN jsonb_build_object('a', a, 'f', i % 3) ELSE jsonb_build_object('a', a) END, '{"lambda": "cv", "fold_column": "f"}'::jsonb) FROM edge$$);
SELECT try($$SELECT lasso_regression(y, CASE WHEN i < 5 THEN jsonb_build_object('a', a, 'f', i % 3) ELSE jsonb_build_object('a', a, 'f', 1, 'g', 1) END, '{"lambda": "cv", "fold_column": "f"}'::jsonb) FROM edge$$);
-- fits without memory say what they need
SET pgfit.fit_mem = 0;
SELECT try($$SELECT linear_regression(y, (a, b)) FROM edge$$) ~ '54000: this fit would need \d+ kB, and pgfit.fit_mem allows 0 kB' AS kilobytes;
RESET pgfit.fit_mem;
-- cross-validation keeps its path
CREATE TABLE validated AS SELECT lasso_regression(y, (a, b), '{"lambda": "cv", "folds": 3, "path": 20}'::jsonb) AS long, lasso_regression(y, (a, b), '{"lambda": "cv", "folds": 3}'::jsonb) AS m,
    lasso_regression(y, (a, b), '{"lambda": "path"}'::jsonb) AS path, ridge_regression(y, (a, b), '{"lambda": "gcv"}'::jsonb) AS gcv FROM edge;
SELECT (SELECT count(*) FROM coefficient_path(m)) AS cv, (SELECT count(*) FROM coefficient_path(long)) AS short, (SELECT count(*) FROM coefficient_path(gcv)) AS gcv,
    (SELECT bool_and(near(c.lambda, p.lambda, 1e-9) AND c.term = p.term AND abs(c.estimate - p.estimate) < 1e-8) FROM ROWS FROM (coefficient_path(m), coefficient_path(path)) AS c (lambda, term, estimate, class, other_lambda, other_term, other_estimate, other_class), LATERAL (SELECT c.other_lambda AS lambda, c.other_term AS term, c.other_estimate AS estimate) AS p) AS as_the_path,
    predict(at_lambda(m, (info(m) -> 'statistics' ->> 'lambda')::float8), (1, 2)) = predict(m, (1, 2)) AS at_chosen FROM validated;
DROP TABLE edge, keyed, validated;
