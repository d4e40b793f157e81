-- Formulas whose terms are learned: a fit with the formula is the fit on the columns that it stands for.
BEGIN;
SELECT plan(118);
\ir tap/properties.sql
SET LOCAL client_min_messages = error;
ALTER TABLE rows ADD COLUMN d float8;
UPDATE rows SET d = CASE WHEN id % 7 > 0 THEN exp(b / 2) END;
CREATE TEMP TABLE fits (estimator text, scorer text, first text, options text);
INSERT INTO fits VALUES
    ('linear_regression', 'predict', 'y', '{}'), ('ridge_regression', 'predict', 'y', '{"lambda": 0.5}'),
    ('ridge_regression', 'predict', 'y', '{"lambda": "cv"}'), ('ridge_regression', 'predict', 'y', '{"lambda": "loo"}'),
    ('lasso_regression', 'predict', 'y', '{"lambda": "cv", "folds": 5}'), ('elastic_net', 'predict', 'y', '{"lambda": 0.1}'),
    ('total_least_squares', 'predict', 'y', '{}'), ('quantile_regression', 'predict', 'y', '{}'), ('huber_regression', 'predict', 'y', '{}'), ('bayesian_regression', 'predict', 'y', '{}'), ('mm_regression', 'predict', 'y', '{}'), ('kernel_ridge', 'predict', 'y', '{"lambda": 1}'),
    ('knn_regression', 'predict', 'y', '{"k": 3}'), ('svm_regression', 'predict', 'y', '{}'),
    ('perceptron_regression', 'predict', 'y', '{}'), ('tree_regression', 'predict', 'y', '{}'),
    ('forest_regression', 'predict', 'y', '{"n_trees": 3}'), ('extra_trees_regression', 'predict', 'y', '{"n_trees": 3}'),
    ('boosted_trees_regression', 'predict', 'y', '{"n_trees": 5}'),
    ('lda', 'probabilities', 'label', '{}'), ('qda', 'probabilities', 'label', '{}'), ('naive_bayes', 'probabilities', 'label', '{}'),
    ('logistic_regression', 'probabilities', 'label', '{}'), ('ordinal_regression', 'probabilities', 'yes', '{}'), ('least_squares_classifier', 'decisions', 'label', '{}'),
    ('nearest_centroid', 'distances', 'label', '{}'), ('knn_classifier', 'probabilities', 'label', '{"k": 5}'),
    ('perceptron', 'decisions', 'label', '{}'), ('svm_classifier', 'decisions', 'yes', '{}'), ('tree_classifier', 'probabilities', 'label', '{}'),
    ('forest_classifier', 'probabilities', 'label', '{"n_trees": 3}'), ('boosted_trees_classifier', 'probabilities', 'yes', '{"n_trees": 3}'),
    ('kmeans', 'distances', '', '{"k": 3}'), ('gaussian_mixture', 'probabilities', '', '{"k": 2}'), ('kmedoids', 'distances', '', '{"k": 3}'),
    ('kernel_kmeans', 'cluster', '', '{"k": 2}'), ('pca', 'transform', '', '{"k": 2}'), ('kernel_pca', 'transform', '', '{"k": 2}'),
    ('one_class_svm', 'decision', '', '{}'), ('isolation_forest', 'decision', '', '{"n_trees": 3}'), ('multivariate_normal', 'distance', '', '{}'),
    ('geometric_median', 'distance', '', '{}'), ('neighbors', 'distance', 'id', '{}');
-- the model of a call over an order of the rows, and its scores, with the features as columns or by a formula
CREATE FUNCTION pg_temp.fit_of(fit fits, columns text, formula text) RETURNS model LANGUAGE plpgsql AS $$
DECLARE
    m model;
    options jsonb := fit.options::jsonb || CASE WHEN formula IS NULL THEN '{}' ELSE jsonb_build_object('formula', formula) END;
BEGIN
    EXECUTE format('SELECT %I(%s f, %L::jsonb ORDER BY id) FROM rows, LATERAL (SELECT %s) AS f', fit.estimator,
                   CASE fit.first WHEN '' THEN '' ELSE fit.first || ',' END, options, columns) INTO m;
    RETURN m;
END $$;
CREATE FUNCTION pg_temp.scores_of(m model, fit fits, columns text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    result float8[];
BEGIN
    EXECUTE format('SELECT array_agg(v ORDER BY id, o) FROM (SELECT id, v, o FROM rows, LATERAL (SELECT %s) AS f, LATERAL unnest(ARRAY[]::float8[] || %I($1, f)) '
                   'WITH ORDINALITY AS u(v, o) WHERE id <= 60) AS t', columns, fit.scorer) INTO result USING m;
    RETURN result;
END $$;
-- products of a number with a category are computed without rounding, so scores keep their bits
SELECT ok(pg_temp.scores_of(by_formula, fit, 'a, b, c') = pg_temp.scores_of(by_columns, fit, columns),
          format('%s %s: a formula is its columns', (fit).estimator, (fit).options))
FROM (SELECT f AS fit, columns, pg_temp.fit_of(f, 'a, b, c', 'a + b:c') AS by_formula, pg_temp.fit_of(f, columns, NULL) AS by_columns
      FROM fits AS f, (VALUES ('a, b * (c = ''x'')::int AS bx, b * (c = ''y'')::int AS byy, b * (c = ''z'')::int AS bz')) AS v(columns)) AS t;
-- text and jsonb keep the model and its scores
SELECT ok(m::text::model = m AND m::jsonb::model = m AND pg_temp.scores_of(m::text::model, fit, 'a, b, c') = pg_temp.scores_of(m, fit, 'c, b, a'),
          format('%s: text and jsonb keep a model with a formula', (fit).estimator))
FROM (SELECT f AS fit, pg_temp.fit_of(f, 'a, b, c', 'scale(a) + poly(b, 2)') AS m FROM fits AS f WHERE options NOT LIKE '%cv%' AND options NOT LIKE '%loo%') AS t;

-- terms that are learned, against what SQL computes
CREATE FUNCTION pg_temp.same(a model, b model, tolerance float8) RETURNS boolean LANGUAGE sql AS $$
    SELECT count(*) > 1 AND bool_and(coalesce(pg_temp.near(x.estimate, y.estimate, tolerance), false) AND pg_temp.near(x.std_error, y.std_error, tolerance))
    FROM (SELECT *, row_number() OVER () AS i FROM coefficients(a)) AS x FULL JOIN (SELECT *, row_number() OVER () AS i FROM coefficients(b)) AS y USING (i)
$$;
CREATE TEMP VIEW plain AS
SELECT rows.*, (a - avg(a) OVER ()) / stddev_samp(a) OVER () AS a_scaled, b - avg(b) OVER () AS b_centered FROM rows;
SELECT ok(pg_temp.same((SELECT linear_regression(y, f, 'scale(a) + center(b)') FROM rows AS f),
                       (SELECT linear_regression(y, f) FROM plain, LATERAL (SELECT a_scaled, b_centered) AS f), 1e-10), 'scale and center'),
       ok(pg_temp.same((SELECT linear_regression(y, f, 'log(a + 9) * b') FROM rows AS f),
                       (SELECT linear_regression(y, f) FROM rows, LATERAL (SELECT ln(a + 9) AS l, b, ln(a + 9) * b AS p) AS f), 1e-10), 'log and a product'),
       ok(pg_temp.near((SELECT sum(predict(m, f)) FROM rows AS f, (SELECT linear_regression(y, f, 'c * a') AS m FROM rows AS f) AS t),
                       (SELECT sum(y) FROM rows), 1e-10), 'predictions with a product add up to the targets');
SELECT ok(max(abs(predict(of_poly, r) - predict(of_powers, f))) < 1e-9, 'poly spans the powers')
FROM rows AS r, LATERAL (SELECT a, a ^ 2 AS a2, a ^ 3 AS a3) AS f, (SELECT linear_regression(y, r, 'poly(a, 3)') AS of_poly FROM rows AS r) AS p,
     (SELECT linear_regression(y, f) AS of_powers FROM rows, LATERAL (SELECT a, a ^ 2 AS a2, a ^ 3 AS a3) AS f) AS q;

-- an offset is subtracted from the target, and added to predictions
CREATE TEMP TABLE offsets AS
SELECT linear_regression(y, r, 'a * c + offset(log(a + 9))') AS m, linear_regression(y - ln(a + 9), r, 'a * c') AS plain FROM rows AS r;
SELECT ok(pg_temp.same(m, plain, 1e-12), 'offset: coefficients') FROM offsets;
SELECT ok(max(abs(predict(m, r) - predict(plain, r) - ln(a + 9))) < 1e-12, 'offset: predict'),
       ok(bool_and((predict_interval(m, r)).lower > (predict_interval(plain, r)).lower + ln(a + 9) - 1e-9), 'offset: predict_interval'),
       ok(max(abs(predict(m, r) - (SELECT sum(contribution) FROM explain(m, r)))) < 1e-9, 'offset: explain adds up')
FROM offsets, rows AS r;

-- the order of rows, workers, parts that were stored, groups, partitions of windows
SELECT ok(pg_temp.same((SELECT linear_regression(y, r, 'poly(a, 2) * c' ORDER BY id DESC) FROM rows AS r), (SELECT linear_regression(y, r, 'poly(a, 2) * c') FROM rows AS r), 1e-9), 'backwards');
CREATE FUNCTION pg_temp.plans_workers(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan text;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan LIKE '%Workers Planned%';
END $$;
CREATE TABLE many AS SELECT r.* FROM rows AS r, generate_series(1, 100);
ANALYZE many;
SET LOCAL max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE serial AS
SELECT linear_regression(y, r, 'poly(a, 2) * c + cut(b, 3)') AS m, lda(label, r, 'scale(a) + b:c') AS l, pca(r, 2, '{"formula": "scale(a) + a:b"}') AS p FROM many AS r;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT ok(pg_temp.plans_workers('SELECT linear_regression(y, r, ''poly(a, 2) * c'') FROM many AS r'), 'formulas that learn run in workers');
CREATE TEMP TABLE parallel AS
SELECT linear_regression(y, r, 'poly(a, 2) * c + cut(b, 3)') AS m, lda(label, r, 'scale(a) + b:c') AS l, pca(r, 2, '{"formula": "scale(a) + a:b"}') AS p FROM many AS r;
SELECT ok(pg_temp.same(s.m, p.m, 1e-9), 'linear_regression: workers are one process'),
       ok((SELECT max(abs(v - o)) < 1e-9 FROM rows AS r, LATERAL unnest(probabilities(s.l, r), probabilities(p.l, r)) AS u(v, o)), 'lda: workers are one process'),
       ok((SELECT max(abs(abs(v) - abs(o))) < 1e-9 FROM rows AS r, LATERAL unnest(transform(s.p, r), transform(p.p, r)) AS u(v, o)), 'pca: workers are one process')
FROM serial AS s, parallel AS p;
SET LOCAL max_parallel_workers_per_gather = 0;
SELECT ok(pg_temp.same((SELECT fit('linear_regression', merge(e)) FROM (SELECT moments(y, r, '{"formula": "poly(a, 2) * c", "keep_rows": true}') AS e FROM rows AS r GROUP BY id % 7) AS parts),
                       (SELECT linear_regression(y, r, 'poly(a, 2) * c') FROM rows AS r), 1e-9), 'moments that keep rows'),
       ok(pg_temp.same((SELECT fit('linear_regression', merge(e::text::model)) FROM (SELECT moments(y, r, '{"formula": "poly(a, 2) * c", "keep_rows": true}') AS e FROM rows AS r GROUP BY c) AS parts),
                       (SELECT linear_regression(y, r, 'poly(a, 2) * c') FROM rows AS r), 1e-9), 'and go through text');
SELECT ok(bool_and(pg_temp.same(m, (SELECT linear_regression(y, r, 'scale(a) * c') FROM rows AS r WHERE id % 5 = part), 1e-9)), 'groups')
FROM (SELECT id % 5 AS part, linear_regression(y, r, 'scale(a) * c') AS m FROM rows AS r GROUP BY 1) AS t;
SELECT ok(bool_and(pg_temp.same(m, (SELECT linear_regression(y, r, 'scale(a) * c') FROM rows AS r WHERE id % 5 = part), 1e-9)), 'partitions of a window')
FROM (SELECT DISTINCT ON (part) part, m FROM (SELECT id % 5 AS part, linear_regression(y, r, 'scale(a) * c') OVER (PARTITION BY id % 5) AS m FROM rows AS r) AS t) AS u;

-- weights, NULLs, unknown levels
SELECT ok(pg_temp.same((SELECT linear_regression(y, r, 'b:c', w) FROM rows AS r),
                       (SELECT linear_regression(y, f, '{}', w) FROM rows, LATERAL (SELECT b * (c = 'x')::int AS b1, b * (c = 'y')::int AS b2, b * (c = 'z')::int AS b3) AS f), 1e-10), 'weights'),
       ok((SELECT info(linear_regression(y, r, 'scale(d)')) @> '{"rows": 258, "skipped": 42}' FROM rows AS r), 'rows with a NULL are skipped'),
       ok((SELECT predict(linear_regression(y, r, 'scale(d) + a'), (SELECT s FROM rows AS s WHERE id = 7)) IS NULL FROM rows AS r), 'a NULL has no prediction');
SELECT ok(pg_temp.same((SELECT linear_regression(y, r, '{"formula": "a + d:c", "nulls": "impute"}') FROM rows AS r),
                       (SELECT linear_regression(y, f, 'a + d:c') FROM rows AS r, LATERAL (SELECT a, c, coalesce(d, (SELECT avg(d) FROM rows)) AS d) AS f), 1e-10), 'NULLs become the mean of the input');
SELECT ok(predict(m, f) = predict(m, g), 'a NULL is scored as the mean')
FROM (SELECT linear_regression(y, r, '{"formula": "a + d:c", "nulls": "impute"}') AS m FROM rows AS r) AS t,
     LATERAL (SELECT 1.5 AS a, 'y' AS c, NULL::float8 AS d) AS f, LATERAL (SELECT 1.5 AS a, 'y' AS c, (SELECT avg(d) FROM rows) AS d) AS g;
SELECT ok(predict(m, f) = predict(m, g), 'an unknown level is the reference, in products too')
FROM (SELECT linear_regression(y, r, 'a * c') AS m FROM rows AS r) AS t, LATERAL (SELECT 1.5 AS a, 'w' AS c) AS f, LATERAL (SELECT 1.5 AS a, 'x' AS c) AS g;

-- SQL, design and terms
CREATE FUNCTION pg_temp.by_sql(m model) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    result float8[];
BEGIN
    EXECUTE format('SELECT array_agg(%s ORDER BY id) FROM rows', to_sql(m)) INTO result;
    RETURN result;
END $$;
SELECT ok(pg_temp.near_all(pg_temp.by_sql(m), (SELECT array_agg(predict(m, r) ORDER BY id) FROM rows AS r), 1e-9), formula || ' as SQL')
FROM (SELECT formula, linear_regression(y, r, formula) AS m
      FROM rows AS r, unnest(ARRAY['log(a + 9) * c', 'poly(a, 3) + b', 'scale(a):b + factor(w)', 'bs(a, 4) * c', 'ns(b, 3)', 'cut(a, 3)', 'a + offset(b)', 'a + d + c']) AS formula
      GROUP BY formula) AS t;
SELECT ok(pg_temp.near_all((SELECT array_agg(predict(m, r) ORDER BY id) FROM rows AS r),
                           (SELECT array_agg((SELECT sum(x * estimate) FROM unnest(design(m, r), terms(m)) AS u(x, term) JOIN coefficients(m) USING (term)) ORDER BY id) FROM rows AS r), 1e-9),
          formula || ': coefficients times the design')
FROM (SELECT formula, linear_regression(y, r, formula) AS m FROM rows AS r, unnest(ARRAY['a * c', 'a:c - 1', 'poly(a, 2) + factor(w) * c', 'a + b']) AS formula GROUP BY formula) AS t;
SELECT * FROM finish();
ROLLBACK;
