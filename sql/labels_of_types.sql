-- A label of any type is the class of its own text, whatever was read before it: in the same order, in other groups, frames and processes.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
-- 60 classes in runs of ten rows, so that they come late, and then in turns
CREATE TABLE labeled AS
SELECT i, CASE WHEN i <= 600 THEN (i - 1) / 10 ELSE i * 7 % 60 END AS k, i % 2 AS side FROM generate_series(1, 1200) AS i;
ALTER TABLE labeled ADD COLUMN x float8[];
UPDATE labeled SET x = ARRAY[k * 10 + side, -k];
CREATE FUNCTION each_row_has_its_class(expression text, label_text text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    result boolean;
BEGIN
    EXECUTE format($q$
        WITH d AS MATERIALIZED (SELECT %1$s AS label, %2$s AS own, k, side, x FROM labeled ORDER BY i),
            m AS (SELECT nearest_centroid(label, x) AS own, nearest_centroid(own, x) AS text FROM d),
            g AS (SELECT side, nearest_centroid(label, x) AS m FROM d GROUP BY side)
        SELECT (SELECT bool_and(classify(m.own, x) = d.own AND classify(m.text, x) = d.own) FROM d, m) AND
            (SELECT bool_and(classify(m, x) = own) FROM d JOIN g USING (side)) AND
            (SELECT info(m.own) ->> 'rows' = count(d.own)::text AND jsonb_array_length(info(m.own) -> 'classes') = count(DISTINCT d.own) FROM d, m GROUP BY m.own)$q$,
        expression, label_text) INTO result;
    RETURN result;
END $$;
SELECT kind, each_row_has_its_class(expression, coalesce(text, expression || '::text')) AS same
FROM (VALUES ('smallint', '(k - 150)::int2', NULL),
             ('integer', '(k * 7000000)', NULL),
             ('bigint of equal doubles', '(9007199254740992 + k)', NULL),
             ('with NULLs', 'nullif(k, 5)', NULL),
             ('text', '(''class '' || k)', NULL),
             ('varchar', '(repeat(''long '', k % 3 + 1) || k)::varchar', NULL),
             ('char', '(''c'' || k)::char(6)', 'trim((''c'' || k)::char(6))'),
             ('numeric', '(k / 4.00)::numeric(9, 2)', 'trim_scale(k / 4.0)::text'),
             ('double precision', '(k / 8.0)::float8', NULL),
             ('real', '(k / 8.0)::float4', NULL),
             ('date', '(date ''2020-01-01'' + k)', 'to_char(date ''2020-01-01'' + k, ''YYYY-MM-DD'')'),
             ('timestamp', '(timestamp ''2020-01-01'' + k * interval ''1 hour'')', 'to_char(timestamp ''2020-01-01'' + k * interval ''1 hour'', ''YYYY-MM-DD"T"HH24:MI:SS'')'),
             ('"char"', 'chr(33 + k / 4)::"char"', 'chr(33 + k / 4)'),
             ('enum', '(enum_range(NULL::mood))[1 + k / 20]', NULL),
             ('boolean', '(k >= 30)', NULL)) AS t (kind, expression, text);
-- a zero has no sign
SELECT info(naive_bayes(y, x)) -> 'classes' AS classes FROM (VALUES ('-0'::float8, 1), (0, 2), (1, 2), (1, 3)) AS v (y, x);

-- rows that are kept, frames that move, and processes
SELECT bool_and(classify(m, x) = k::text) AS perceptron
FROM labeled, (SELECT perceptron(k, x, '{"max_iter": 200, "standardize": true, "multiclass": "ovo"}' ORDER BY i) AS m FROM labeled WHERE k < 4) AS f WHERE k < 4;
SELECT bool_and(classify(m, x) = k::text) AS frames, count(m) AS models
FROM (SELECT k, x, nearest_centroid(k, x) OVER (ORDER BY i ROWS BETWEEN 40 PRECEDING AND CURRENT ROW) AS m FROM labeled WHERE i > 600) AS f;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
SELECT bool_and(classify(m, x) = k::text) AS processes FROM labeled, (SELECT nearest_centroid(k, x) AS m FROM labeled) AS f;
COMMIT;
-- the metrics read labels by the same reader
SELECT accuracy(k, k::text) AS same, accuracy(k, (k + 1)::text) AS other, accuracy(k % 2 = 0, k % 2 = 0) AS booleans FROM labeled;
-- labels whose cast to text is not the text of their class were wrong in every row for compare, and had an infinite log loss in train
SET timezone = 'Asia/Tokyo';
SET datestyle = 'German';
CREATE FUNCTION compared_and_trained(expression text, OUT losses numeric[], OUT log_losses numeric[]) LANGUAGE plpgsql AS $$
DECLARE
    source text := format('SELECT (%s) AS label, x[1] AS a, side * i %% 7 AS b FROM labeled', expression);
    one pgfit.model := fit('logistic_regression', source, 'label ~ a + b', '{"lambda": 0.001}');
    other pgfit.model := fit('logistic_regression', source, 'label ~ b', '{"lambda": 0.001}');
BEGIN
    SELECT ARRAY[value_a, value_b]::numeric(9, 4)[] INTO losses FROM compare(one, other, source, '{"target": "label"}');
    SELECT ARRAY[(metrics ->> 'log_loss')::numeric] INTO log_losses
    FROM train('of a type', 'logistic_regression', source, 'label ~ a + b', '{"lambda": 0.001, "holdout": {"key": "a"}, "refit": false}');
    SELECT (log_losses || value_a::numeric)::numeric(9, 4)[] INTO log_losses
    FROM compare(get_model('of a type'), other, source || ' WHERE NOT split(x[1], 0.8)', '{"target": "label", "metrics": "log_loss"}');
    PERFORM drop_model('of a type');
END $$;
SELECT count(*) AS types, count(DISTINCT c) AS results, min(losses[1]) < min(losses[2]) AS better, max(log_losses[1]) AS trained, max(log_losses[2]) AS compared
FROM (VALUES ('k >= 30'), ('(k >= 30)::int4'), ('(k >= 30)::int4::numeric(6, 2)'), ('0.1::float4 * (k >= 30)::int4'), ('date ''2026-01-01'' + (k >= 30)::int4'),
             ('timestamp ''2026-01-01'' + (k >= 30)::int4 * interval ''1 day'''), ('timestamptz ''2026-01-01 12:00Z'' + (k >= 30)::int4 * interval ''1 day'''),
             ('(k >= 30)::int4 * interval ''26 hours'''), ('(k >= 30)::int4::money'), ('inet ''10.0.0.1'' + (k >= 30)::int4'),
             ('decode(''0'' || (k >= 30)::int4, ''hex'')')) AS t (expression), compared_and_trained(expression) AS c;
DROP FUNCTION compared_and_trained;
RESET timezone;
RESET datestyle;
DROP FUNCTION each_row_has_its_class;
DROP TABLE labeled;
DROP TYPE mood;
