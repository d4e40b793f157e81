-- Preparation: scalers, bins, polynomials, encoders; names of outputs, rows under these names, and the way back.
SET search_path = public, test, pgfit;
CREATE TABLE t AS SELECT i, sin(i) * 10 + 100 AS a, (i * 7919 % 101)::float8 AS b, 5.0::float8 AS c, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS g, (ARRAY['no', 'yes'])[1 + i % 2] AS h, sin(i) * 20 + i % 3 AS y FROM generate_series(1, 200) i;

-- ---- scalers: what they promise about the training rows ----
SELECT near(avg(v[1]), 0, 1e-9) AS mean, near(stddev_pop(v[1]), 1) AS deviation, min(v[3]) AS constant FROM (SELECT transform(s, f) AS v FROM t, (SELECT standard_scaler(f) AS s FROM t, LATERAL (SELECT a, b, c) f) m, LATERAL (SELECT a, b, c) f) x;
SELECT near(stddev_samp(v[1]), 1) AS ddof FROM (SELECT transform(s, f) AS v FROM t, (SELECT standard_scaler(f, '{"ddof": 1}') AS s FROM t, LATERAL (SELECT a, b) f) m, LATERAL (SELECT a, b) f) x;
SELECT min(v[1]), max(v[1]), min(v[3]) AS constant FROM (SELECT transform(s, f) AS v FROM t, (SELECT minmax_scaler(f, '{"range": [-1, 3]}') AS s FROM t, LATERAL (SELECT a, b, c) f) m, LATERAL (SELECT a, b, c) f) x;
SELECT transform(minmax_scaler(b), 1e3) AS outside, transform(minmax_scaler(b, '{"clip": true}'), 1e3) AS clipped, transform(minmax_scaler(b, '{"clip": true}'), -7) AS below FROM t;
SELECT near(percentile_cont(0.5) WITHIN GROUP (ORDER BY v[1]), 0) AS median, near(percentile_cont(0.75) WITHIN GROUP (ORDER BY v[1]) - percentile_cont(0.25) WITHIN GROUP (ORDER BY v[1]), 1) AS range FROM (SELECT transform(s, f) AS v FROM t, (SELECT robust_scaler(f) AS s FROM t, LATERAL (SELECT a, b) f) m, LATERAL (SELECT a, b) f) x;
SELECT name, s.feature, round(s.shift::numeric, 6) AS shift, round(s.scale::numeric, 6) AS scale FROM (SELECT 'standard' AS name, standard_scaler(f) AS m FROM t, LATERAL (SELECT a, b, c) f UNION ALL SELECT 'minmax', minmax_scaler(f) FROM t, LATERAL (SELECT a, b, c) f UNION ALL SELECT 'robust', robust_scaler(f) FROM t, LATERAL (SELECT a, b, c) f) x, scaling(m) s ORDER BY name, feature;
-- options that leave a part out
SELECT near_all(transform(standard_scaler(f, '{"center": false, "scale": false}'), ROW(1.5, 2)), '{1.5,2}') AS neither, near_all(transform(robust_scaler(f, '{"center": false, "scale": false}'), ROW(1.5, 2)), '{1.5,2}') AS robust FROM t, LATERAL (SELECT a, b) f;
-- by name in any order, as a row, object or array; NULL in, NULL out
CREATE TABLE scalers AS SELECT standard_scaler(f) AS s FROM t, LATERAL (SELECT a, b, c) f;
SELECT transform(s, f) = transform(s, e) AS rows, transform(s, f) = transform(s, jsonb_build_object('c', t.c, 'a', t.a, 'b', t.b, 'more', 1)) AS objects, transform(s, ROW(1, NULL::float8, 2)) IS NULL AS nulls, transform_row(s, ROW(1, NULL::float8, 2)) IS NULL AS null_rows FROM scalers, t, LATERAL (SELECT t.a, t.b, t.c) f, LATERAL (SELECT t.c, t.b, t.a) e WHERE i = 1;
SELECT output_names(s) AS names, (SELECT bool_and((transform_row(s, f) ->> (output_names(s))[k])::float8 = (transform(s, f))[k]) FROM generate_series(1, 3) k) AS bits FROM scalers, t, LATERAL (SELECT a, b, c) f WHERE i = 7;
SELECT near_all(inverse_transform(s, transform(s, f)), ARRAY[t.a, t.b, t.c]) AS back, jsonb_object_keys(inverse_transform_row(s, transform(s, f))) FROM scalers, t, LATERAL (SELECT a, b, c) f WHERE i = 7;
SELECT bool_and(near_all(inverse_transform(m, transform(m, f)), ARRAY[t.a, t.b])) AS minmax FROM (SELECT minmax_scaler(f, '{"range": [5, 6]}') AS m FROM t, LATERAL (SELECT a, b) f) x, t, LATERAL (SELECT a, b) f;
SELECT output_names(standard_scaler(ARRAY[a, b])) AS unnamed, output_names(standard_scaler(f)) AS wide FROM t, LATERAL (SELECT ARRAY[a, b] AS v, c) f;
SELECT output_names(pca(f, 2)) AS pca, output_names(lda(g, f)) AS lda FROM t, LATERAL (SELECT a, b) f;

-- ---- edges ----
SELECT standard_scaler(a) IS NULL AS no_rows, robust_scaler(a) IS NULL AS robust, quantile_bins(a) IS NULL AS bins, one_hot(f) IS NULL AS one_hot, target_encoder(y, f) IS NULL AS encoder, polynomial_features(a) IS NULL AS polynomial FROM t, LATERAL (SELECT g) f WHERE false;
SELECT transform(standard_scaler(a), 3) AS one_row, transform(standard_scaler(a, '{"ddof": 1}'), 3) AS ddof, transform(minmax_scaler(a), 3) AS minmax, transform(robust_scaler(a), 3) AS robust FROM (VALUES (2.0)) v (a);
SELECT scale FROM scaling((SELECT standard_scaler(x) FROM unnest(ARRAY[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]) x));
SELECT shift, round(scale::numeric, 9) AS scale FROM scaling((SELECT standard_scaler(x) FROM unnest(ARRAY[1e12, 1e12 + 1, 1e12 + 2]) x));
SELECT try($$SELECT minmax_scaler(x) FROM unnest(ARRAY[-1e308, 1e308]) x$$);
SELECT try($$SELECT transform(robust_scaler(x), 1e308) FROM unnest(ARRAY[1e-300, 2e-300, 3e-300, 4e-300]) x$$);
SELECT try($$SELECT robust_scaler(x) FROM unnest(ARRAY[-1.5e308, -1e308, 1e308, 1.5e308]) x$$);
SELECT round(s.shift::numeric, 4) AS imputed FROM (SELECT standard_scaler(f, '{"nulls": "impute"}') AS m FROM t, LATERAL (SELECT nullif(b, 3) AS b) f) x, scaling(m) s;
SELECT transform(m, ROW(NULL::float8)) AS imputed, to_sql(m) ~ 'coalesce' AS sql FROM (SELECT standard_scaler(f, '{"nulls": "impute"}') AS m FROM t, LATERAL (SELECT nullif(b, 3) AS b) f) x;
-- dates are numbers
SELECT near_all(transform(s, ROW(d0)), '{0}') AS date FROM (SELECT standard_scaler(f) AS s FROM generate_series(1, 3) i, LATERAL (SELECT DATE '2020-01-01' + i AS d) f) x, (SELECT DATE '2020-01-03' AS d0) y;
-- weights: whole ones repeat rows, others only compare rows
CREATE TABLE w AS SELECT i, sin(i * 1.3) * 5 AS a, (1 + i % 4)::float8 AS w FROM generate_series(1, 31) i;
SELECT near_all(parameter(x, 'shift') || parameter(x, 'scale'), parameter(r, 'shift') || parameter(r, 'scale')) AS robust_repeats FROM (SELECT robust_scaler(a, '{"weight_kind": "frequency"}', w) AS x FROM w) x, (SELECT robust_scaler(a) AS r FROM w, generate_series(1, w::int)) r;
SELECT near_all(parameter(x, 'edges'), parameter(r, 'edges')) AS bins_repeat FROM (SELECT quantile_bins(a, '{"weight_kind": "frequency", "bins": 4}', w) AS x FROM w) x, (SELECT quantile_bins(a, '{"bins": 4}') AS r FROM w, generate_series(1, w::int)) r;
SELECT near_all(parameter(x, 'edges'), parameter(r, 'edges')) AS equal_weights, near_all(parameter(y, 'edges'), parameter(z, 'edges')) AS scaled_weights FROM (SELECT quantile_bins(a, '{}', 7) AS x, quantile_bins(a) AS r, quantile_bins(a, '{}', w) AS y, quantile_bins(a, '{}', w / 10) AS z FROM w) x;
SELECT near_all(parameter(x, 'shift') || parameter(x, 'scale'), parameter(r, 'shift') || parameter(r, 'scale')) AS standard_repeats FROM (SELECT standard_scaler(a, '{}', w) AS x FROM w) x, (SELECT standard_scaler(a) AS r FROM w, generate_series(1, w::int)) r;
-- a column that does not fit the budget is refused; columns that do not fit together are read in turns
SET pgfit.fit_mem = '1MB';
SELECT try($$SELECT robust_scaler(i) FROM generate_series(1, 100000) i$$);
SELECT near_all(parameter(m, 'shift'), '{10000.5,-10000.5,20001,40002}') AS in_turns FROM (SELECT robust_scaler(ARRAY[i, -i, 2 * i, 4 * i]) AS m FROM generate_series(1, 20000) i) x;
RESET pgfit.fit_mem;

-- ---- bins ----
SELECT bin, count(*) FROM (SELECT (transform(m, b))[1] AS bin FROM t, (SELECT quantile_bins(b) AS m FROM t) x) y GROUP BY bin ORDER BY bin;
SELECT * FROM bin_edges((SELECT quantile_bins(x) FROM generate_series(0, 10) x));
SELECT x, transform(m, x) AS bin FROM (SELECT quantile_bins(x) AS m FROM generate_series(0, 10) x) m, unnest(ARRAY[-5, 0, 1.99, 2, 9.9, 10, 99]) x;
SET client_min_messages = warning;
\set VERBOSITY terse
SELECT parameter(m, 'edges') AS edges, transform(m, 0) AS zero, transform(m, 1) AS one FROM (SELECT quantile_bins(x) AS m FROM unnest(ARRAY[0, 0, 0, 0, 0, 1, 1, 1, 1, 2]) x) y;
SELECT parameter(m, 'edges') AS constant, transform(m, 5) AS bin, transform(m, 7) AS above FROM (SELECT quantile_bins(5.0) AS m FROM t) y;
SELECT output_names(m) AS names, transform(m, ROW(0, 0)) AS first, transform(m, ROW(9, 99)) AS last FROM (SELECT quantile_bins(f, '{"bins": 3, "output": "onehot"}') AS m FROM generate_series(1, 20) i, LATERAL (SELECT i AS a, i * i AS b) f) y;

-- ---- polynomials ----
SELECT output_names(m) AS names, transform(m, ROW(2, 3)) AS v FROM (SELECT polynomial_features(f, '{"degree": 3}') AS m FROM t, LATERAL (SELECT a, b) f) y;
SELECT output_names(m) AS interactions, transform(m, ROW(2, 3, 5)) AS v FROM (SELECT polynomial_features(f, '{"degree": 3, "interaction_only": true, "include_bias": false}') AS m FROM t, LATERAL (SELECT a, b, c) f) y;
SELECT output_names(polynomial_features(a, '{"degree": 1}')) AS one FROM t;
SELECT output_names(polynomial_features(f, '{"degree": 4, "interaction_only": true}')) AS fewer_features_than_degree FROM t, LATERAL (SELECT a, b) f;
SELECT try($$SELECT polynomial_features(f, '{"degree": 8}') FROM t, LATERAL (SELECT array_fill(a, ARRAY[60]) AS v) f WHERE i < 5$$);
SELECT try($$SELECT transform(polynomial_features(a, '{"degree": 3}'), 1e200) FROM t$$);
SELECT try($$SELECT output_names(polynomial_features(f)) FROM t, LATERAL (SELECT a, b AS "a^2") f$$);
SELECT try($$SELECT transform_row(m, ROW(1, 2)) FROM (SELECT polynomial_features(f) AS m FROM t, LATERAL (SELECT a, b AS "a^2") f) x$$);

-- ---- one_hot ----
CREATE TABLE hot AS SELECT one_hot(f) AS none, one_hot(f, '{"drop": "first"}') AS first, one_hot(f, '{"drop": "if_binary"}') AS if_binary FROM t, LATERAL (SELECT a, g, h) f;
SELECT output_names(none) AS none, output_names(first) AS first, output_names(if_binary) AS if_binary FROM hot;
SELECT transform_row(none, f) AS none, transform_row(first, f) AS first FROM hot, (VALUES (1.5, 'y', 'no')) f (a, g, h);
SELECT transform(none, f) AS unseen, inverse_transform_row(none, transform(none, f)) AS back, inverse_transform_row(first, transform(first, f)) AS reference FROM hot, (VALUES (1.5, 'what', 'no')) f (a, g, h);
SELECT bool_and(inverse_transform_row(none, transform(none, f)) = to_jsonb(f) AND inverse_transform_row(first, transform(first, f)) = to_jsonb(f) AND inverse_transform_row(if_binary, transform(if_binary, f)) = to_jsonb(f)) AS round_trip FROM hot, t, LATERAL (SELECT b AS a, g, h) f;
SELECT try($$SELECT transform(m, ROW('what'::text)) FROM (SELECT one_hot(f, '{"unseen": "error"}') AS m FROM t, LATERAL (SELECT g) f) x$$);
SELECT output_names(one_hot(f, '{"nulls": "impute"}')) AS null_level, transform(one_hot(f, '{"nulls": "impute"}'), ROW(NULL::text)) AS of_null FROM t, LATERAL (SELECT nullif(g, 'x') AS g) f;
SELECT transform(m, ROW('x'::text, 1)) AS single_level, transform(n, ROW('x'::text)) AS no_output FROM (SELECT one_hot(f, '{"drop": "first"}') AS m, one_hot(e, '{"drop": "first"}') AS n FROM t, LATERAL (SELECT t.g, t.a) f, LATERAL (SELECT t.g) e WHERE t.g = 'x') x;
SELECT output_names(one_hot(ARRAY[a, b])) AS numbers_pass, inverse_transform_row(one_hot(ARRAY[a, b], '{"drop": "first"}'), '{1,2}') AS back FROM t;
SELECT try($$SELECT inverse_transform(none, transform(none, ROW(1, 'x'::text, 'no'::text))) FROM hot$$);
-- its own sums hold no columns of levels: the same model as from feature_moments, and as many levels as there are
SELECT one_hot(f) = (SELECT fit('one_hot', merge(feature_moments)) FROM (SELECT feature_moments(f) FROM t, LATERAL (SELECT a, g, h) f) e) AS same FROM t, LATERAL (SELECT a, g, h) f;
SELECT cardinality(output_names(one_hot(f, '{"max_levels": 5000}'))) AS outputs FROM generate_series(1, 10000) AS i, LATERAL (SELECT i AS a, 'l' || i % 4000 AS g) f;
SELECT try($$SELECT one_hot(f, '{"max_levels": 2}') FROM t, LATERAL (SELECT g) f$$);
SELECT try($$SELECT one_hot(f, '{"drop": "last"}') FROM t, LATERAL (SELECT g) f$$);

-- ---- target_encoder ----
SELECT feature, level, rows, round(encoding::numeric, 8) AS encoding FROM encodings((SELECT target_encoder(y, f) FROM t, LATERAL (SELECT a, g, h) f));
SELECT near((transform(m, ROW('y'::text)))[1], (SELECT (sum(y) + 10 * avg_all) / (count(*) + 10) FROM t, (SELECT avg(y) AS avg_all FROM t) z WHERE g = 'y' GROUP BY avg_all)) AS mixed, near((transform(m, ROW('what'::text)))[1], (SELECT avg(y) FROM t)) AS unknown FROM (SELECT target_encoder(y, f, '{"smoothing": 10}') AS m FROM t, LATERAL (SELECT g) f) x;
SELECT near((transform(m, ROW('y'::text)))[1], avg(y)) AS unsmoothed FROM t, (SELECT target_encoder(y, f, '{"smoothing": 0}') AS m FROM t, LATERAL (SELECT g) f) x WHERE g = 'y' GROUP BY m;
SELECT transform(target_encoder(3.0, f), ROW('x'::text)) AS constant_target, transform(target_encoder((t.g = 'x')::int, f), ROW('x'::text)) AS separated FROM t, LATERAL (SELECT t.g) f;
SELECT near_all(parameter(x, 'encoding'), parameter(r, 'encoding')) AS weights_repeat, near_all(parameter(y, 'encoding'), parameter(z, 'encoding')) AS scaled_weights
FROM (SELECT target_encoder(a, f, '{"weight_kind": "frequency"}', w) AS x, target_encoder(a, f, '{}', w) AS y, target_encoder(a, f, '{}', w * 8) AS z FROM w, LATERAL (SELECT 'l' || i % 3 AS g) f) x, (SELECT target_encoder(a, f) AS r FROM w, LATERAL (SELECT 'l' || i % 3 AS g) f, generate_series(1, w::int)) r;
SELECT try($$SELECT inverse_transform(m, ARRAY[1.0]) FROM (SELECT target_encoder(y, f) AS m FROM t, LATERAL (SELECT g) f) x$$);
SELECT try($$SELECT target_encoder(y, f, '{"smoothing": -1}') FROM t, LATERAL (SELECT g) f$$);
SELECT try($$SELECT target_encoder(y, f, '{"smoothing": "some"}') FROM t, LATERAL (SELECT g) f$$);

-- ---- as SQL ----
CREATE TABLE written AS SELECT * FROM (SELECT standard_scaler(f) AS m FROM t, LATERAL (SELECT a, b) f UNION ALL SELECT minmax_scaler(f, '{"range": [-1, 1], "clip": true}') FROM t, LATERAL (SELECT a, b) f WHERE i < 150 UNION ALL SELECT robust_scaler(f) FROM t, LATERAL (SELECT a, b) f UNION ALL SELECT quantile_bins(f) FROM t, LATERAL (SELECT a, b) f UNION ALL SELECT quantile_bins(f, '{"output": "onehot"}') FROM t, LATERAL (SELECT a, b) f
    UNION ALL SELECT polynomial_features(f) FROM t, LATERAL (SELECT a, b) f UNION ALL SELECT one_hot(f) FROM t, LATERAL (SELECT a, g, h) f UNION ALL SELECT target_encoder(y, f) FROM t, LATERAL (SELECT a, g, h) f UNION ALL SELECT quantile_bins(f) FROM t, LATERAL (SELECT a, c) f UNION ALL SELECT one_hot(f, '{"nulls": "impute"}') FROM t, LATERAL (SELECT a, nullif(g, 'x') AS g, h) f) x;
CREATE FUNCTION test.as_sql(m model) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE same boolean; BEGIN
    SET LOCAL jit = off;
    EXECUTE format('SELECT bool_and(near_all(written, transform($1, whole))) FROM (SELECT %s AS written, t AS whole FROM t OFFSET 0) x', to_sql(m)) INTO same USING m;
    RETURN same; END $$;
SELECT info(m) ->> 'estimator' AS estimator, as_sql(m) FROM written ORDER BY 1;
SELECT regexp_replace((regexp_match(to_sql(m), '^[^\n]*'))[1], '\d+\.\d+', '0') AS begins FROM written WHERE info(m) ->> 'estimator' IN ('polynomial_features', 'one_hot') ORDER BY 1;

-- ---- inspection and round trips ----
SELECT summary(s) FROM scalers;
SELECT info(m) ->> 'estimator' AS estimator, m::text::model = m AS text, m::jsonb::model = m AS jsonb FROM written ORDER BY 1;
SELECT name, task, input FROM estimators() WHERE task = 'preparation' ORDER BY name;
-- moments and parallel parts give the same
SELECT near_all(parameter(fit('standard_scaler', merge(m)), 'scale'), parameter(s, 'scale')) AS moments FROM (SELECT feature_moments(f) AS m FROM t, LATERAL (SELECT a, b, c) f) x, scalers GROUP BY s;
SELECT count(*) AS windows, bool_and(near((parameter(s, 'shift'))[1], mean)) AS window_means FROM (SELECT standard_scaler(a) OVER w AS s, avg(a) OVER w AS mean FROM t WINDOW w AS (ORDER BY i ROWS 9 PRECEDING)) x;

-- ---- refusals ----
SELECT try($$SELECT standard_scaler(f) FROM t, LATERAL (SELECT a, g) f$$);
SELECT try($$SELECT robust_scaler(f) FROM t, LATERAL (SELECT g) f$$);
SELECT try($$SELECT minmax_scaler(a, '{"range": [1]}') FROM t$$);
SELECT try($$SELECT minmax_scaler(a, '{"range": [1, 1]}') FROM t$$);
SELECT try($$SELECT robust_scaler(a, '{"quantiles": [0.8, 0.2]}') FROM t$$);
SELECT try($$SELECT robust_scaler(a, '{"quantiles": [0.8]}') FROM t$$);
SELECT try($$SELECT robust_scaler(a, '{"quantiles": [0, 1], "unit_variance": true}') FROM t$$);
SELECT try($$SELECT robust_scaler(a, '{"quantiles": [0.2, 1], "unit_variance": true}') FROM t$$);
SELECT try($$SELECT quantile_bins(a, '{"bins": 1}') FROM t$$);
SELECT try($$SELECT polynomial_features(a, '{"degree": 0}') FROM t$$);
SELECT try($$SELECT predict(s, ROW(1, 2, 3)) FROM scalers$$);
SELECT try($$SELECT inverse_transform(s, '{1,2}') FROM scalers$$);
SELECT try($$SELECT inverse_transform_row(s, '{1,2,Infinity}') FROM scalers$$);
SELECT inverse_transform(s, '{1,NULL,3}') IS NULL AS null_back, inverse_transform_row(s, '{1,NULL,3}') IS NULL AS null_row FROM scalers;
SELECT try($$SELECT output_names(m) FROM (SELECT linear_regression(y, a) AS m FROM t) x$$);
SELECT try($$SELECT transform_row(m, 1) FROM (SELECT linear_regression(y, a) AS m FROM t) x$$);
SELECT try($$SELECT output_names(feature_moments(a)) FROM t$$);
SELECT try($$SELECT scaling(m) FROM (SELECT one_hot(f) AS m FROM t, LATERAL (SELECT g) f) x$$);
SELECT try($$SELECT inverse_transform(m, '{1}') FROM (SELECT quantile_bins(a) AS m FROM t) x$$);
SELECT try($$SELECT inverse_transform_row(m, '{1,2,3}') FROM (SELECT polynomial_features(a) AS m FROM t) x$$);
-- values from outside
CREATE FUNCTION test.forged(m model, path text, value text) RETURNS text LANGUAGE sql AS $$ SELECT try(format('SELECT transform(%L::model, ROW(1, 2))', jsonb_set(m::jsonb, path::text[], value::jsonb))) $$;
SELECT path, value, forged(m, path, value) FROM (SELECT standard_scaler((a, b)) AS m FROM t) x, (VALUES ('{arrays,scale,0}', '0'), ('{arrays,scale,0}', '-1'), ('{arrays,shift}', '[1]'), ('{arrays,range}', '[0, 1]')) v (path, value);
SELECT path, value, forged(m, path, value) FROM (SELECT minmax_scaler((a, b)) AS m FROM t) x, (VALUES ('{arrays,range}', '[1, 0]'), ('{arrays,range}', '[1]'), ('{arrays,clip,bool}', '[true, true]')) v (path, value);
SELECT path, value, forged(m, path, value) FROM (SELECT quantile_bins((a, b), '{"bins": 2}') AS m FROM t) x, (VALUES ('{arrays,bins,i64,0}', '0'), ('{arrays,bins,i64,0}', '1'), ('{arrays,bins,i64,0}', '1000000000'), ('{arrays,bins,i64,1}', '3'), ('{arrays,edges,0}', '1e9'), ('{arrays,edges}', '[1, 2]'), ('{arrays,onehot,bool}', '[]')) v (path, value);
SELECT path, value, forged(m, path, value) FROM (SELECT polynomial_features((a, b)) AS m FROM t) x, (VALUES ('{arrays,factors,i32,0}', '2'), ('{arrays,factors,i32,0}', '-2'), ('{arrays,factors,shape}', '[12, 2]'), ('{arrays,factors}', '{"i32": [1, 1]}')) v (path, value);
SELECT path, value, try(format('SELECT transform(%L::model, ROW(1, ''x''::text))', jsonb_set(m::jsonb, path::text[], value::jsonb))) FROM (SELECT one_hot(f, '{"drop": "first"}') AS m FROM t, LATERAL (SELECT a, g) f) x, (VALUES ('{arrays,reference,i64,0}', '3'), ('{arrays,column_slot,i64,0}', '2'), ('{arrays,column_level,i64,1}', '9'), ('{arrays,reference,i64}', '[]')) v (path, value);
SELECT path, value, try(format('SELECT transform(%L::model, ROW(1, ''x''::text))', jsonb_set(m::jsonb, path::text[], value::jsonb))) FROM (SELECT target_encoder(y, f) AS m FROM t, LATERAL (SELECT a, g) f) x, (VALUES ('{arrays,encoding}', '[1]'), ('{arrays,target_mean}', '[]'), ('{arrays,level_rows,0}', '-1')) v (path, value);
DROP FUNCTION test.as_sql, test.forged;
DROP TABLE t, scalers, w, hot, written;
