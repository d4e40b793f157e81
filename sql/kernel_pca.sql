-- kernel_pca: known answers, new rows, weights, preimages, reports, refusals.
CREATE TABLE kpca (id int, a float8, b float8, w int);
INSERT INTO kpca VALUES (1, 2.5, 2.4, 1), (2, 0.5, 0.7, 2), (3, 2.2, 2.9, 1), (4, 1.9, 2.2, 3), (5, 3.1, 3, 1), (6, 2.3, 2.7, 1), (7, 2, 1.6, 2),
    (8, 1, 1.1, 1), (9, 1.5, 1.6, 1), (10, 1.1, 0.9, 2);
CREATE FUNCTION kpca_sizes(numbers float8[]) RETURNS float8[] LANGUAGE sql AS $$
    SELECT array_agg(abs(x) ORDER BY n) FROM unnest(numbers) WITH ORDINALITY AS t(x, n)
$$;
-- with a linear kernel it is pca, up to signs, which make the largest score positive
SELECT test.near_all(kpca_sizes(pgfit.transform(k, (a, b))), kpca_sizes(pgfit.transform(p, (a, b))), 1e-9) AS scores
FROM (SELECT pgfit.kernel_pca((a, b), '{"kernel": "linear"}'::jsonb) AS k, pgfit.pca((a, b), '{}'::jsonb) AS p FROM kpca) AS fit, kpca ORDER BY id;
SELECT test.near_all(pgfit.parameter(k, 'variances'), pgfit.parameter(p, 'variances'), 1e-9) AS variances,
    test.near((pgfit.info(k) -> 'statistics' ->> 'total_variance')::float8, (pgfit.info(p) -> 'statistics' ->> 'total_variance')::float8, 1e-12) AS total
FROM (SELECT pgfit.kernel_pca((a, b), '{"kernel": "linear", "standardize": true}'::jsonb) AS k, pgfit.pca((a, b), '{"standardize": true}'::jsonb) AS p FROM kpca) AS fit;
-- scores of the training rows have mean 0, the variances that are reported, and no correlation
CREATE TABLE kpca_fitted AS SELECT pgfit.kernel_pca((a, b), 3, '{"gamma": 0.5}'::jsonb ORDER BY id) AS m FROM kpca;
SELECT abs(sum(s[1])) < 1e-12 AS centered, test.near(avg(s[1] ^ 2), (pgfit.parameter(m, 'variances'))[1], 1e-12) AS variance,
    test.near(avg(s[3] ^ 2), (pgfit.parameter(m, 'variances'))[3], 1e-10) AS third, abs(sum(s[1] * s[2])) < 1e-12 AS uncorrelated, max(s[1]) > -min(s[1]) AS sign
FROM kpca_fitted, kpca, LATERAL (SELECT pgfit.transform(m, (a, b)) AS s) AS t GROUP BY m;
SELECT (SELECT array_agg(round(x::numeric, 6)) FROM unnest(pgfit.transform(m, (1, 2))) AS x) AS new_row FROM kpca_fitted;
SELECT component, round(variance::numeric, 5) AS variance, round(share::numeric, 4) AS share, round(cumulative::numeric, 4) AS cumulative, term, loading FROM kpca_fitted, pgfit.components(m);
SELECT pgfit.summary(m) FROM kpca_fitted;
SELECT m OPERATOR(pgfit.=) m::text::pgfit.model AS text, m OPERATOR(pgfit.=) (m::jsonb)::pgfit.model AS json FROM kpca_fitted;
-- weights are copies; without centering; a share of the variance
SELECT test.near_all(pgfit.transform(w, (1, 2)), pgfit.transform(r, (1, 2)), 1e-9) AS scores, test.near_all(pgfit.parameter(w, 'variances'), pgfit.parameter(r, 'variances'), 1e-9) AS variances
FROM (SELECT pgfit.kernel_pca((a, b), 3, '{"gamma": 0.5}'::jsonb, w) AS w FROM kpca) AS w, (SELECT pgfit.kernel_pca((a, b), 3, '{"gamma": 0.5}'::jsonb) AS r FROM kpca, generate_series(1, w)) AS r;
SELECT cardinality(pgfit.parameter(m, 'variances')) AS components, pgfit.info(m) -> 'implementation' -> 'arrays' -> 'intercept' IS NULL AS no_intercept
FROM (SELECT pgfit.kernel_pca((a, b), '{"gamma": 0.5, "center": false, "explained": 0.999}'::jsonb) AS m FROM kpca) AS fit;
SELECT e, cardinality(pgfit.parameter(m, 'variances')) AS components, (pgfit.info(m) -> 'statistics' -> 'cumulative_ratio' ->> -1)::float8 >= e AS enough
FROM (VALUES (0.5), (0.9), (0.99), (1)) AS v(e), LATERAL (SELECT pgfit.kernel_pca((a, b), jsonb_build_object('gamma', 0.5, 'explained', e)) AS m FROM kpca) AS fit;
SELECT cardinality(pgfit.parameter(pgfit.kernel_pca((a, b), '{}'::jsonb), 'variances')) AS all_of_them FROM kpca;
-- many rows: the leading components are found without the others, and agree with them
CREATE TABLE kpca_many AS SELECT i AS id, cos(i * 2.4) * (1 + i % 3) + sin(i * 1.7) / 9 AS a, sin(i * 2.4) * (1 + i % 3) + cos(i * 0.3) / 9 AS b FROM generate_series(1, 500) AS i;
SELECT test.near_all(pgfit.parameter(few, 'variances'), (pgfit.parameter(every, 'variances'))[1:6], 1e-9) AS variances,
    bool_and(test.near_all(pgfit.transform(few, (a, b)), (pgfit.transform(every, (a, b)))[1:6], 1e-6)) AS scores
FROM (SELECT pgfit.kernel_pca((a, b), 6, '{"gamma": 0.7}'::jsonb) AS few, pgfit.kernel_pca((a, b), '{"gamma": 0.7, "explained": 0.97}'::jsonb) AS every FROM kpca_many) AS fit, kpca_many
GROUP BY few, every;
-- the distance from the span of the components: with a linear kernel that of pca; far rows are far
SELECT bool_and(test.near(pgfit.distance(k, (a, b)), pgfit.distance(p, (a, b)), 1e-7)) AS linear, bool_and(test.near(pgfit.distance(kw, (a, b)), pgfit.distance(kr, (a, b)), 1e-7)) AS weights
FROM (SELECT pgfit.kernel_pca((a, b), 1, '{"kernel": "linear"}'::jsonb) AS k, pgfit.pca((a, b), 1) AS p, pgfit.kernel_pca((a, b), 1, '{"gamma": 0.5}'::jsonb, w) AS kw FROM kpca) AS fit,
    (SELECT pgfit.kernel_pca((a, b), 1, '{"gamma": 0.5}'::jsonb) AS kr FROM kpca, generate_series(1, w)) AS r, kpca;
SELECT round(pgfit.distance(m, (2, 2))::numeric, 3) AS near, round(pgfit.distance(m, (50, -50))::numeric, 3) AS far,
    test.near(pgfit.distance(u, (50, -50)), 1, 1e-12) AS not_centered, round(pgfit.distance(u, (2, 2))::numeric, 3) AS near_not_centered
FROM kpca_fitted, (SELECT pgfit.kernel_pca((a, b), 3, '{"gamma": 0.5, "center": false}'::jsonb) AS u FROM kpca) AS fit;
-- preimages: the way back is near the rows, in their own units
SELECT max(abs(back[1] - a)) < 0.01 AS a, max(abs(back[2] - 100 * b)) < 1 AS b
FROM (SELECT pgfit.kernel_pca((a, 100 * b), 6, '{"gamma": 0.7, "standardize": true, "preimages": true, "preimage_lambda": 1e-6}'::jsonb) AS m FROM kpca_many) AS fit, kpca_many,
    LATERAL (SELECT pgfit.inverse_transform(m, pgfit.transform(m, (a, 100 * b))) AS back) AS t;
-- categories are coordinates of 0 and 1
SELECT cardinality(pgfit.parameter(m, 'rows')) AS numbers, cardinality(pgfit.transform(m, ('x', 1))) AS scores
FROM (SELECT pgfit.kernel_pca((c, a), 2) AS m FROM (VALUES ('x', 1), ('x', 2), ('y', 1), ('z', 1)) AS v(c, a)) AS fit;
-- other kernels: Gram rows, texts, products
CREATE TABLE kpca_gram AS SELECT p.id, p.a, p.b, (ARRAY['banana', 'bandana', 'anna', 'cabana', 'orange', 'range', 'strange', 'grange'])[1 + p.id % 8] AS t,
    array_agg(pgfit.kernel((p.a, p.b), (q.a, q.b), 'rbf', '{"gamma": 0.5}') ORDER BY q.id) AS k FROM kpca AS p, kpca AS q GROUP BY p.id, p.a, p.b;
SELECT bool_and(test.near_all(pgfit.transform(g, k), pgfit.transform(m, (a, b)), 1e-9)) AS gram_rows, bool_and(pgfit.distance(g, k) IS NULL) AS no_distance
FROM kpca_fitted, (SELECT pgfit.kernel_pca(k, 3, '{"kernel": "precomputed"}'::jsonb ORDER BY id) AS g FROM kpca_gram) AS fit, kpca_gram;
SELECT (SELECT array_agg(round(x::numeric, 4)) FROM unnest(pgfit.transform(m, 'bananas'::text)) AS x) AS texts
FROM (SELECT pgfit.kernel_pca(t, 2, '{"kernel": "subsequence", "length": 2}'::jsonb ORDER BY id) AS m FROM kpca_gram) AS fit;
SELECT (SELECT array_agg(round(x::numeric, 2)) FROM unnest(pgfit.inverse_transform(m, pgfit.transform(m, (2.5, 2.4)))) AS x) AS back
FROM (SELECT pgfit.kernel_pca((a, b), 4, '{"kernel": {"product": [{"kernel": "rbf", "gamma": 0.2}, {"kernel": "polynomial", "coef0": 1}]}, "preimages": true, "preimage_lambda": 1e-6}'::jsonb ORDER BY id) AS m FROM kpca_gram) AS fit;
SELECT test.try($$SELECT pgfit.kernel_pca(k, 3, '{"kernel": "precomputed", "preimages": true}'::jsonb ORDER BY id) FROM kpca_gram$$);
SELECT test.try($$SELECT pgfit.kernel_pca(k[1:4], 3, '{"kernel": "precomputed"}'::jsonb ORDER BY id) FROM kpca_gram$$);
-- edges: no rows, NULLs, groups
SELECT pgfit.kernel_pca((a, b), 2) IS NULL AS nothing FROM kpca WHERE false;
SELECT pgfit.info(pgfit.kernel_pca(x, 1)) -> 'skipped' AS skipped FROM (VALUES (7), (NULL), (6), (3)) AS v(x);
SELECT id % 2 AS part, cardinality(pgfit.parameter(pgfit.kernel_pca((a, b), 2), 'variances')) AS components FROM kpca GROUP BY part ORDER BY part;
SELECT count(m) AS models FROM (SELECT pgfit.kernel_pca((a, b), 3) OVER (ORDER BY id ROWS 4 PRECEDING) AS m FROM kpca) AS w;
-- fewer components than asked for, with a WARNING
SELECT cardinality(pgfit.parameter(pgfit.kernel_pca(x, 2, '{"kernel": "linear"}'::jsonb), 'variances')) AS components FROM (VALUES (0), (1), (2)) AS v(x);
SELECT cardinality(pgfit.parameter(pgfit.kernel_pca(x, 3), 'variances')) AS components FROM (VALUES (0), (1), (1), (1)) AS v(x);
SELECT cardinality(pgfit.parameter(pgfit.kernel_pca((a, b), 4, '{"kernel": "sigmoid", "gamma": 3, "coef0": -2}'::jsonb), 'variances')) AS components FROM kpca;
-- refused
SELECT test.try($$SELECT pgfit.kernel_pca((a, b), 0) FROM kpca$$);
SELECT test.try($$SELECT pgfit.kernel_pca((a, b), 11) FROM kpca$$);
SELECT test.try($$SELECT pgfit.kernel_pca((a, b), 2, '{"explained": 0.5}'::jsonb) FROM kpca$$);
SELECT test.try($$SELECT pgfit.kernel_pca((a, b), 2, '{"gamma": 0}'::jsonb) FROM kpca$$);
SELECT test.try($$SELECT pgfit.kernel_pca((a, b), 2, '{"gamma": 1, "sigma": 1}'::jsonb) FROM kpca$$);
SELECT test.try($$SELECT pgfit.kernel_pca((a, b), 2, '{"preimages": true, "preimage_lambda": 0}'::jsonb) FROM kpca$$);
SELECT test.try($$SELECT pgfit.kernel_pca((1, 2), 1) FROM kpca$$);
SELECT test.try($$SELECT pgfit.kernel_pca((1, 2), 1)$$);
SELECT test.try($$SELECT pgfit.kernel_pca(a * 1e200, 2, '{"kernel": "polynomial"}'::jsonb) FROM kpca$$);
SELECT test.try($$SELECT pgfit.inverse_transform(m, ARRAY[1, 2, 3]) FROM kpca_fitted$$);
SELECT test.try($$SELECT pgfit.predict(m, (1, 2)) FROM kpca_fitted$$);
SELECT test.try($$SELECT pgfit.distance(pgfit.kernel_pca((a, b), 2, '{"approximation": "nystroem", "landmarks": 5}'::jsonb), (1, 2)) FROM kpca$$);
SET pgfit.fit_mem = '1MB';
SELECT test.try($$SELECT pgfit.kernel_pca(i, 2) FROM generate_series(1, 400) AS i$$);
RESET pgfit.fit_mem;
DROP TABLE kpca, kpca_fitted, kpca_many, kpca_gram;
DROP FUNCTION kpca_sizes;
-- a linear kernel far from the origin finds as many components as the rows span, with the same variances
SELECT far, jsonb_array_length(to_jsonb(pgfit.parameter(m, 'variances'))) AS components, test.near((pgfit.parameter(m, 'variances'))[1], 4.5, 1e-9) AS first, test.near((pgfit.parameter(m, 'variances'))[2], 0.5, 1e-9) AS second,
    test.near(abs((pgfit.transform(m, ARRAY[far + 3, far + 2]))[1]), 5 / sqrt(2), 1e-9) AS score
FROM (VALUES (0::float8), (1e3), (1e7)) AS v(far), LATERAL (SELECT pgfit.kernel_pca(ARRAY[far + a, far + b], '{"kernel": "linear"}') AS m
      FROM (VALUES (2, 1), (1, 2), (-2, -1), (-1, -2)) AS t(a, b), generate_series(1, 4)) AS f ORDER BY far;
-- of another kernel, what rounding leaves is no component
SELECT far, jsonb_array_length(to_jsonb(pgfit.parameter(m, 'variances'))) AS components
FROM (VALUES (0::float8), (1e3)) AS v(far), LATERAL (SELECT pgfit.kernel_pca(far + i % 3, '{"kernel": "polynomial", "degree": 1, "gamma": 1, "coef0": 1}') AS m FROM generate_series(1, 20) AS i) AS f ORDER BY far;
-- all rows as landmarks are no approximation: without centering, and for a share of the variance
CREATE TEMP TABLE landmarks AS SELECT i, sin(i * 1.7) * 3 AS a, cos(i * 2.3) * 2 + i % 3 AS b FROM generate_series(1, 30) AS i;
SELECT o AS options, max(cardinality(pgfit.transform(m, d))) AS components, max(cardinality(pgfit.transform(n, d))) AS approximate, bool_and(abs(abs(x) - abs(y)) < 1e-12) AS same
FROM unnest(ARRAY['{"k": 3}', '{"k": 3, "center": false}', '{"explained": 0.8}', '{"explained": 0.8, "center": false}']::jsonb[]) AS o,
    LATERAL (SELECT pgfit.kernel_pca(d, o || '{"formula": "a + b", "gamma": 0.3}') AS m, pgfit.kernel_pca(d, o || '{"formula": "a + b", "gamma": 0.3, "approximation": "nystroem", "landmarks": 30}') AS n FROM landmarks AS d) AS f,
    landmarks AS d, unnest(pgfit.transform(m, d), pgfit.transform(n, d)) AS u(x, y) GROUP BY o ORDER BY o;
DROP TABLE landmarks;
