-- Summaries of features, and how far they have moved.
SET search_path = public, test, pgfit;
SET extra_float_digits = 0;
CREATE FUNCTION test.rounded(x float8) RETURNS numeric LANGUAGE sql AS 'SELECT round($1::numeric, 6)';
CREATE TABLE past WITH (parallel_workers = 0) AS SELECT i AS id, (i * 7919 % 1000) / 10.0 AS a, CASE WHEN i % 50 > 0 THEN (ARRAY['x', 'y', 'z'])[i % 3 + 1] END AS c, i % 2 = 0 AS b,
    date '2026-01-01' + i % 7 AS d, i % 11 + sin(i) AS y FROM generate_series(1, 3000) AS i;
CREATE TABLE today AS SELECT i AS id, (i * 7919 % 1000) / 10.0 + CASE WHEN i % 4 = 0 THEN 30 ELSE 0 END AS a,
    CASE WHEN i % 20 > 0 THEN (ARRAY['x', 'y', 'z', 'new', 'newer'])[i % 4 + CASE WHEN i % 100 = 7 THEN 2 ELSE 1 END] END AS c, i % 3 = 0 AS b,
    date '2026-01-01' + i % 7 AS d, 0 AS y FROM generate_series(1, 2000) AS i;
-- a summary
SELECT jsonb_pretty(feature_summary(f)) FROM (VALUES (1, 'x'), (NULL, 'y'), (4, 'x'), (1, NULL), ('NaN'::float8, 'x')) AS f (a, c);
SELECT feature_summary(p) FROM past AS p WHERE false;
SELECT feature_summary(f) FROM (SELECT 0::float8 AS a UNION ALL SELECT '-0' UNION ALL SELECT 'Infinity') AS f;
-- any order, parts merged, and parallel workers: the same; means within rounding
CREATE FUNCTION test.exact(s jsonb) RETURNS jsonb LANGUAGE sql AS
    $$SELECT jsonb_agg(f - 'mean' - 'm2' || jsonb_build_object('mean', to_char((f->>'mean')::float8 + 0, '9.99999EEEE'), 'm2', to_char((f->>'m2')::float8, '9.99999EEEE')) ORDER BY n) FROM jsonb_array_elements(s->'features') WITH ORDINALITY AS e (f, n)$$;
CREATE TABLE wide AS SELECT (sin(i) * 10)::float8 AS a, exp(sin(i * 1.7) * 20) AS b, 1e9 + i % 5000 AS c, (i % 40)::text AS d FROM generate_series(1, 20000) AS i;
CREATE TABLE whole AS SELECT feature_summary(w) AS s FROM wide AS w;
SELECT exact(feature_summary(w ORDER BY b DESC)) = exact((SELECT s FROM whole)) AS any_order FROM wide AS w;
SELECT exact(merge_summaries(part)) = exact((SELECT s FROM whole)) AS merged
FROM (SELECT feature_summary(w) AS part FROM (SELECT row_number() OVER () % 7 AS k, * FROM wide) AS n, LATERAL (SELECT n.a, n.b, n.c, n.d) AS w GROUP BY k) AS p;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS off) SELECT feature_summary(w) FROM wide AS w;
SELECT exact(feature_summary(w)) = exact((SELECT s FROM whole)) AS parallel FROM wide AS w;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
SELECT f->>'name' AS feature, jsonb_array_length(f->'counts') <= 1024 AS bounded, (f->>'shift')::int > 0 AS widened, (SELECT sum(n::int) FROM jsonb_array_elements_text(f->'counts') AS n) AS rows
FROM whole, jsonb_array_elements(s->'features') AS f;
-- a model keeps it, and scores the same
CREATE TABLE fitted AS SELECT linear_regression(y, p, 'a + c + b') AS m FROM past AS p;
CREATE TABLE watched AS SELECT with_summary(m, (SELECT feature_summary(f) FROM (SELECT a, c, b, d FROM past) AS f)) AS m FROM fitted;
SELECT count(*) AS differ FROM past AS p, fitted, watched WHERE predict(fitted.m, p) IS DISTINCT FROM predict(watched.m, p) AND c IS NOT NULL;
SELECT m::text::model = m AND m::jsonb::text::model = m AS again, training_summary(m) = (SELECT feature_summary(f) FROM (SELECT a, c, b, d FROM past) AS f) AS kept,
    with_summary(m, training_summary(m)) = m AS same FROM watched;
SELECT training_summary(m) IS NULL AS none FROM fitted;
SELECT with_summary(w.m, NULL) = f.m AS taken_out, with_summary(f.m, NULL) = f.m AS had_none, with_summary(NULL, training_summary(w.m)) IS NULL AS no_model FROM watched AS w, fitted AS f;
CREATE VIEW drifted AS SELECT d.* FROM watched, drift(m, 'today') AS d;
SELECT feature, verdict, rounded(psi) AS psi, rounded(ks) AS ks, ks_error, unseen, rounded(unseen_share) AS unseen_share, unseen_examples FROM drifted;
SELECT feature, rounded(null_share_then) AS null_then, rounded(null_share_now) AS null_now, rounded(mean_then) AS mean_then, rounded(mean_now) AS mean_now FROM drifted;
-- Kolmogorov-Smirnov as its definition says
SELECT rounded(max(abs(p - q))) AS ks FROM (SELECT x, (SELECT avg((a <= x)::int) FROM past) AS p, (SELECT avg((a <= x)::int) FROM today) AS q
    FROM (SELECT a AS x FROM past UNION SELECT a FROM today) AS u) AS f;
-- the index of levels as its definition says: an empty bin counts as a share of 0.0001
SELECT rounded(sum((q - p) * ln(q / p))) AS psi FROM (SELECT greatest(avg((c = l)::int), 0.0001) AS p, (SELECT greatest(avg((CASE WHEN c LIKE 'new%' THEN 'unseen' ELSE c END = l)::int), 0.0001) FROM today) AS q
    FROM past, unnest(ARRAY['x', 'y', 'z', 'unseen']) AS l GROUP BY l) AS bins;
-- nothing has moved; no values
SELECT feature, verdict, psi, ks, ks_error, unseen FROM watched, drift(m, 'past');
SELECT feature, verdict, psi, ks, null_share_now, rounded(mean_now) AS mean_now FROM watched, drift(m, 'SELECT a, NULL::text AS c, NULL::int AS b, d FROM past');
-- past 1,024 different values the true statistic lies between ks and ks + ks_error
SELECT ks <= truth + 1e-9 AND truth <= ks + ks_error + 1e-9 AS between, ks_error < 0.04 AS close FROM
    (SELECT d.* FROM drift((SELECT feature_summary(f) FROM (SELECT a FROM wide) AS f), (SELECT feature_summary(f) FROM (SELECT a * 1.1 + 0.5 AS a FROM wide) AS f)) AS d) AS d,
    (SELECT max(abs(p - q)) AS truth FROM (SELECT sum(t) OVER w / 20000.0 AS p, sum(1 - t) OVER w / 20000.0 AS q
        FROM (SELECT a, 1 AS t FROM wide UNION ALL SELECT a * 1.1 + 0.5, 0 FROM wide) AS u WINDOW w AS (ORDER BY a)) AS f) AS k;
-- stored summaries, by day
SELECT day, feature, verdict FROM watched, (SELECT id % 2 AS day, feature_summary(f) AS s FROM today AS t, LATERAL (SELECT t.a, t.c, t.b, t.d) AS f GROUP BY 1) AS days, drift(m, s) ORDER BY day, feature;
-- fit and train keep it; by name
SELECT feature, verdict FROM drift(fit('linear_regression', 'past', 'y ~ log(a + 1) + c', '{"summary": true}'), 'today');
SELECT feature, verdict FROM drift(fit('logistic_regression', 'SELECT *, i > 3 AS more FROM past, LATERAL (SELECT id % 7 AS i) AS n', 'more ~ a', '{"passes": true, "summary": true}'), 'today');
SELECT (train('moving', 'linear_regression', 'past', 'y ~ a + c', '{"holdout": false}')).version;
-- train keeps a summary by default: of all rows if it is fitted to them, else of those that are not held out; not for arrays, and not if it cannot
SELECT (train('kept', 'linear_regression', 'past', 'y ~ a + c')).active;
SELECT training_summary(get_model('kept')) = (SELECT feature_summary(f) FROM (SELECT a, c FROM past) AS f) AS of_all;
SELECT (train('kept', 'linear_regression', 'past', 'y ~ a + c', '{"refit": false}')).active;
SELECT training_summary(get_model('kept')) = (SELECT feature_summary(f) FROM past AS p, LATERAL (SELECT p.a, p.c) AS f WHERE split(p, 0.8)) AS of_the_others;
SELECT (train('kept', 'linear_regression', 'past', 'y ~ a + c', '{"holdout": false, "summary": false}')).active;
SELECT training_summary(get_model('kept')) IS NULL AS none;
SELECT (train('kept', 'linear_regression', 'SELECT y, ARRAY[a] AS x FROM past', 'y ~ x', '{"holdout": false}')).active;
SELECT training_summary(get_model('kept')) IS NULL AS none;
SELECT (train('kept', 'target_encoder', 'SELECT i AS y, md5(i::text) AS k FROM generate_series(1, 10001) AS i', 'y ~ k', '{"holdout": false, "max_levels": 20000}')).active;
SELECT try('SELECT train(''kept'', ''target_encoder'', ''SELECT i AS y, md5(i::text) AS k FROM generate_series(1, 10001) AS i'', ''y ~ k'', ''{"holdout": false, "max_levels": 20000, "summary": true}'')');
SELECT try('SELECT drift(''kept'', ''past'')');
SELECT drop_model('kept');
-- constants, flags and a value that most rows have
SELECT d.feature, round(d.psi::numeric, 4) AS psi, d.verdict, d.ks
FROM drift((SELECT feature_summary(f) FROM (SELECT 1 AS same, i % 20 > 0 AS flag, CASE WHEN i % 5 > 0 THEN 0 ELSE i END AS mostly_0 FROM generate_series(1, 100) AS i) AS f),
    (SELECT feature_summary(f) FROM (SELECT CASE WHEN i % 2 = 0 THEN 0 ELSE 2 END AS same, i % 2 > 0 AS flag, i AS mostly_0 FROM generate_series(1, 100) AS i) AS f)) AS d;
SELECT feature, verdict FROM drift('moving', 'today');
SELECT feature, verdict FROM drift('moving', 'today');
SELECT count(*) FROM drift('moving', (SELECT feature_summary(f) FROM (SELECT a, c FROM today) AS f));
SELECT drop_model('moving');
-- decision rules and calibrations keep it, and it keeps them
SELECT predict(m, p) FROM (SELECT with_summary(decision_rule(logistic_regression(b, ARRAY[y]), '{"threshold": 0.3}'), '{"rows": 0, "features": []}') AS m FROM past) AS f, past AS p LIMIT 0;
SELECT classify(m, ARRAY[5]) = classify(decision_rule(plain, '{"threshold": 0.3}'), ARRAY[5]) AS same FROM
    (SELECT decision_rule(with_summary(l, '{"rows": 0, "features": []}'), '{"threshold": 0.3}') AS m, l AS plain FROM (SELECT logistic_regression(b, ARRAY[y]) AS l FROM past) AS l) AS f;
-- merged forests keep the summary of both, or none
CREATE TABLE forests AS SELECT seed, with_summary(f, (SELECT feature_summary(x) FROM (SELECT c, b FROM past) AS x)) AS m, f
FROM generate_series(1, 2) AS seed, LATERAL (SELECT forest_regression(y, p, format('{"formula": "c + b", "n_trees": 2, "seed": %s}', seed)::jsonb) AS f FROM past AS p) AS g;
SELECT training_summary(merge(a.m, b.m)) = (SELECT merge_summaries(s) FROM (VALUES (training_summary(a.m)), (training_summary(b.m))) AS v (s)) AS both_kept, training_summary(merge(a.m, b.f)) IS NULL AS one
FROM forests AS a, forests AS b WHERE a.seed = 1 AND b.seed = 2;
SELECT training_summary(merge(m)) -> 'rows' AS rows FROM forests;
DROP TABLE forests;
-- a column that was a date in training and is a timestamp now, or the other way round, drifted by the unit of its numbers
CREATE TABLE timed AS SELECT i % 7 AS y, date '2026-01-01' + i % 50 AS d, timestamptz '2026-01-01 00:00Z' + i % 50 * interval '1 day' AS "T" FROM generate_series(1, 300) AS i;
SELECT formula, feature, verdict, psi, ks, rounded(mean_then) = rounded(mean_now) AS same_mean
FROM (VALUES ('y ~ d + "T"'), ('y ~ scale("T") + sin(d)'), ('y ~ log(d) + sin("T")')) AS f (formula),
     drift(fit('ridge_regression', 'timed', formula, '{"lambda": 1, "summary": true}'), 'SELECT d::timestamp AS d, ("T" AT TIME ZONE ''UTC'')::date AS "T" FROM timed')
ORDER BY formula, feature;
DROP TABLE timed;
-- refusals
SELECT try('SELECT drift(m, ''today'') FROM fitted');
SELECT try('SELECT drift(m, ''nowhere'') FROM watched');
SELECT try('SELECT drift(m, ''SELECT a, c FROM today'') FROM watched');
SELECT try('SELECT drift(m, ''SELECT a::text, c, b, d FROM today'') FROM watched');
SELECT try('SELECT drift(m, ''SELECT a, c, b, d FROM today WHERE false'') FROM watched');
SELECT try('SELECT drift(m, ''DELETE FROM today'') FROM watched');
SELECT try('SELECT drift(''nobody'', ''today'')');
SELECT try('SELECT feature_summary(f) FROM (SELECT ARRAY[1] AS a) AS f');
SELECT try('SELECT feature_summary(f) FROM (SELECT i::text AS a FROM generate_series(1, 10001) AS i) AS f');
SELECT try('SELECT merge_summaries(s) FROM (SELECT feature_summary(f) AS s FROM (SELECT 1 AS a) AS f UNION ALL SELECT feature_summary(f) FROM (SELECT 1 AS b) AS f) AS s');
SELECT try('SELECT with_summary(moments(y, ARRAY[a]), ''{"rows": 0, "features": []}'') FROM past');
SELECT try('SELECT fit(''linear_regression'', ''past'', ''y ~ a'', ''{"summary": 1}'')');
-- not what feature_summary returns
SELECT s, try(format('SELECT with_summary(m, %L) IS NOT NULL FROM fitted', s)) FROM (VALUES ('[]'), ('{}'), ('{"rows": -1, "features": []}'), ('{"rows": 1, "features": [1]}'),
    ('{"rows": 1, "features": [{"name": "a"}]}'), ('{"rows": 1, "features": [{"name": "a", "nulls": 2, "levels": [], "counts": []}]}'),
    ('{"rows": 1, "features": [{"name": "a", "nulls": 0, "levels": [], "counts": []}]}'), ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "levels": ["x", "x"], "counts": [1, 1]}]}'),
    ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "levels": ["x", 1], "counts": [1, 1]}]}'), ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "levels": ["x"], "counts": [3]}]}'),
    ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "mean": 1, "m2": -1, "shift": 0, "edges": [1], "counts": [2]}]}'),
    ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "mean": 1, "m2": 0, "shift": 64, "edges": [1], "counts": [2]}]}'),
    ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "mean": 1, "m2": 0, "shift": 51, "edges": [1.1], "counts": [2]}]}'),
    ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "mean": 1, "m2": 0, "shift": 0, "edges": [2, 1], "counts": [1, 1]}]}'),
    ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "mean": 1, "m2": 0, "shift": 0, "edges": [1e999], "counts": [2]}]}'),
    ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "mean": 1, "m2": 0, "shift": 0, "edges": [1, 2], "counts": [2]}]}'),
    ('{"rows": 2, "features": [{"name": "a", "nulls": 0, "mean": 1, "m2": 0, "shift": 0, "edges": [1, 2], "counts": [0, 2]}]}'),
    ('{"rows": 4611686018427387905, "features": []}')) AS v (s);
-- a stored model with another summary is read only if it is sound
SELECT edit, try(format('SELECT %L::model IS NOT NULL', jsonb_set(m::jsonb, '{arrays,training_summary}', edit::jsonb))) FROM watched, (VALUES
    ('{"text": ["{}"]}'), ('{"text": ["x", "y"]}'), ('{"text": []}'), ('[1]'), ('{"text": ["{\"rows\":0,\"features\":[]}"]}'), ('{"text": ["{\"rows\":0,\"features\":[{\"name\":\"a\",\"nulls\":1,\"levels\":[],\"counts\":[]}]}"]}')) AS e (edit);
SELECT try(format('SELECT %L::model IS NOT NULL', jsonb_set(moments(y, ARRAY[a])::jsonb, '{arrays,training_summary}', '{"text": ["{}"]}'))) FROM past;
DROP VIEW drifted;
DROP TABLE past, today, wide, whole, fitted, watched;
DROP FUNCTION test.exact, test.rounded;
-- a feature whose name is that of the rows in the query
CREATE TABLE test.flags AS SELECT i AS id, i % 2 = 0 AS f, i % 3 AS y FROM generate_series(1, 60) AS i;
SELECT pgfit.training_summary(pgfit.fit('tree_regression', 'test.flags', 'y ~ f', '{"summary": true}')) IS NOT NULL AS kept;
DROP TABLE test.flags;
