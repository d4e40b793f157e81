-- The time up to which rows are fitted is a literal of the stored query, which gives the same rows in every session.
CREATE TABLE test.event AS SELECT timestamptz '2026-01-01 00:00+00' + i * interval '7 hours' AS at, interval '1 day' * i AS span, i::float8 / 4 AS f, date '2026-01-01' + i AS day, i AS a, 2.0 * i + i % 3 AS y
FROM generate_series(1, 50) AS i;
SET timezone = 'Asia/Tokyo';
SET datestyle = 'German';
SET intervalstyle = 'iso_8601';
SET extra_float_digits = -3;
SELECT t.version, rows FROM unnest(ARRAY['at', 'span', 'f', 'day']) AS time, pgfit.train('event ' || time, 'linear_regression', 'test.event', 'y ~ a', format('{"holdout": {"time": "%s"}, "refit": false, "summary": false}', time)::jsonb) AS t;
SET timezone = 'UTC';
SET datestyle = 'ISO, MDY';
SET intervalstyle = 'postgres';
SET extra_float_digits = 1;
SELECT name, regexp_replace(query, '.*<=\)? ', '', 'ns') AS up_to, evaluation ->> 'cut' AS cut FROM pgfit.registry WHERE name LIKE 'event %' ORDER BY name;
SELECT format('SELECT pgfit.get_model(%L) OPERATOR(pgfit.=) (%s) AS same', name, query) FROM pgfit.registry WHERE name LIKE 'event %' ORDER BY name \gexec
SELECT count(pgfit.drop_model(name)) FROM pgfit.model_names WHERE name LIKE 'event %';
-- train with a list of quantiles: its model is not judged, and the refusal of a hold-out names the way out
SELECT test.try('SELECT pgfit.train(''quantiles'', ''quantile_regression'', ''test.event'', ''y ~ a'', ''{"quantile": [0.1, 0.9], "holdout": 0.3}'')');
SELECT version, active, metrics FROM pgfit.train('quantiles', 'quantile_regression', 'test.event', 'y ~ a', '{"quantile": [0.1, 0.9]}');
SELECT metrics ? 'mae' AS judged FROM pgfit.train('quantiles', 'quantile_regression', 'test.event', 'y ~ a', '{"quantile": 0.9, "holdout": 0.3}');
SELECT pgfit.drop_model('quantiles');
-- the time of a column of numbers was refused as a number
SELECT rows FROM pgfit.train('numbers', 'linear_regression', 'test.event', 'y ~ a', '{"holdout": {"time": "f", "after": 7.5}, "refit": false}');
SELECT evaluation ->> 'cut' AS cut FROM pgfit.registry WHERE name = 'numbers';
SELECT pgfit.drop_model('numbers');
DROP TABLE test.event;
