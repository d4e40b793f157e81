-- metrics of classes: accuracy, scores, agreement, partitions, losses
CREATE TEMP TABLE judged (y int, t text, p int, s float8, w float8);
INSERT INTO judged SELECT y, CASE y WHEN 1 THEN 'yes' ELSE 'no' END, (s > 0.5)::int, s, 1 + i % 3
FROM unnest('{0,0,1,0,1,1,0,1,1,0}'::int[], '{0.1,0.2,0.3,0.35,0.5,0.55,0.6,0.7,0.8,0.15}'::float8[])
     WITH ORDINALITY AS r(y, s, i);
SELECT pgfit.accuracy(y, p), pgfit.balanced_accuracy(y, p), pgfit.precision_score(y, p), pgfit.recall_score(y, p),
       test.near(pgfit.f1_score(y, p), 2 / 3.0) AS f1, test.near(pgfit.matthews_correlation(y, p), 0.408248290463863) AS mcc,
       test.near(pgfit.cohen_kappa(y, p), 0.4) AS kappa
FROM judged;
SELECT * FROM unnest((SELECT pgfit.confusion_matrix(t, CASE p WHEN 1 THEN 'yes' ELSE 'no' END) FROM judged));

-- labels of different types are compared as text
SELECT pgfit.accuracy(y, p::text) AS int_text, pgfit.accuracy(y::numeric, p::float8) AS numeric_float,
       pgfit.accuracy(y >= 3, p >= 2) AS boolean, pgfit.accuracy(y = 1, (p = 1)::text) AS boolean_text,
       pgfit.accuracy(y::bigint, p::smallint) AS bigint_smallint, pgfit.f1_score(y, p::text) = pgfit.f1_score(y, p) AS f1
FROM judged;
SELECT pgfit.accuracy(d, to_char(d, 'YYYY-MM-DD')) AS dates, pgfit.accuracy('a'::char(3), 'a') AS padded, pgfit.accuracy(-0.0::float8, 0) AS zero
FROM (SELECT date '2026-01-31' AS d) x;

-- a boolean beside a number is 1 or 0: the accuracy of s > 0.5 was 0
SELECT pgfit.accuracy(y, s > 0.5) = pgfit.accuracy(y, p) AS accuracy, pgfit.f1_score(y, s > 0.5) = pgfit.f1_score(y, p) AS f1, pgfit.accuracy(y = 1, p::numeric) = pgfit.accuracy(y, p) AS turned,
       pgfit.cohen_kappa(y::float8, s > 0.5) = pgfit.cohen_kappa(y, p) AS kappa, pgfit.accuracy(2, true) AS two, pgfit.accuracy(date '2000-01-02', true) AS date
FROM judged;
SELECT label, predicted, rows FROM unnest((SELECT pgfit.confusion_matrix(y, s > 0.5) FROM judged));

-- averages over several classes, against sums by hand
CREATE TEMP TABLE many (y text, p text);
INSERT INTO many SELECT * FROM unnest('{a,a,a,b,b,c,c,c,c,d}'::text[], '{a,b,a,b,c,c,c,a,c,e}'::text[]);
WITH counts AS (
    SELECT c, count(*) FILTER (WHERE y = c AND p = c)::float8 AS right, count(*) FILTER (WHERE p = c) AS called,
           count(*) FILTER (WHERE y = c) AS there
    FROM many, (SELECT y AS c FROM many UNION SELECT p FROM many) k GROUP BY c
), hand AS (
    SELECT avg(coalesce("right" / nullif(called, 0), 0)) AS precision, avg(coalesce("right" / nullif(there, 0), 0)) AS recall,
           avg(2 * "right" / (called + there)) AS f1, sum("right" / nullif(there, 0) * there) / sum(there) AS weighted_recall
    FROM counts
)
SELECT test.near(pgfit.precision_score(y, p, '{"average": "macro"}'), h.precision) AS precision,
       test.near(pgfit.recall_score(y, p, '{"average": "macro"}'), h.recall) AS recall,
       test.near(pgfit.f1_score(y, p, '{"average": "macro"}'), h.f1) AS f1,
       test.near(pgfit.recall_score(y, p, '{"average": "weighted"}'), h.weighted_recall) AS weighted,
       test.near(pgfit.f1_score(y, p, '{"average": "micro"}'), pgfit.accuracy(y, p)) AS micro,
       test.near(pgfit.recall_score(y, p, '{"positive": "c"}'), 0.75) AS one
FROM many, hand h GROUP BY h.precision, h.recall, h.f1, h.weighted_recall;

-- with a single label, only true and numbers above 0 are positive
SELECT pgfit.precision_score(l, l) FROM (VALUES (false), (false)) r(l);
SELECT pgfit.precision_score(l, l) FROM (VALUES (true), (true)) r(l);
SELECT pgfit.recall_score(l, l), pgfit.recall_score(l, l, '{"positive": "no"}') FROM (VALUES ('no')) r(l);
SELECT pgfit.precision_score(y, 0), pgfit.recall_score(y, 0), pgfit.f1_score(y, 0), pgfit.matthews_correlation(y, 0) FROM judged;
SELECT pgfit.cohen_kappa(1, 1), pgfit.balanced_accuracy(1, 1), pgfit.adjusted_rand_index(1, 2), pgfit.normalized_mutual_information(1, 2);
SELECT pgfit.accuracy(y, p), pgfit.f1_score(y, p), pgfit.confusion_matrix(y, p), pgfit.log_loss(y, s), pgfit.roc_auc(y, s)
FROM judged WHERE y > 100;

-- partitions: names do not matter, similarity beyond chance
SELECT pgfit.adjusted_rand_index(y, c) AS same, pgfit.normalized_mutual_information(y, c) AS information
FROM (VALUES (1, 'x'), (1, 'x'), (2, 'y'), (2, 'y'), (3, 'z')) r(y, c);
SELECT test.near(pgfit.adjusted_rand_index(y, c), 0.242424242424242) AS rand,
       test.near(pgfit.normalized_mutual_information(y, c), 0.515803742979062) AS information
FROM (VALUES (0, 0), (0, 0), (0, 1), (1, 1), (1, 2), (1, 2)) r(y, c);
SELECT k, test.near(pgfit.normalized_mutual_information(y, c, jsonb_build_object('average', k)), v) AS information
FROM (VALUES (0, 0), (0, 0), (0, 1), (1, 1), (1, 2), (1, 2)) r(y, c),
     (VALUES ('min', 2 / 3.0), ('max', 0.420619835714305), ('geometric', (2 * ln(2) / 3) / sqrt(ln(2) * ln(3)))) a(k, v)
GROUP BY k, v ORDER BY k;

-- mean losses: the positive class is the last of two labels, in any order of rows, or named
SELECT test.near(pgfit.log_loss(y, s), 0.491287212533086) AS log_loss, test.near(pgfit.brier_score(y, s), 0.16275) AS brier,
       test.near(pgfit.hinge_loss(y, s), 0.855) AS hinge,
       pgfit.log_loss(t, s ORDER BY s) = pgfit.log_loss(y, s ORDER BY s) AS text_labels,
       test.near(pgfit.log_loss(y, 1 - s, '{"positive": 0}'), pgfit.log_loss(y, s)) AS mirrored,
       test.near(pgfit.log_loss(y, ARRAY[1 - s, s], '{0,1}'), pgfit.log_loss(y, s)) AS as_classes,
       test.near(pgfit.brier_score(y, ARRAY[1 - s, s], '{0,1}'), 2 * pgfit.brier_score(y, s)) AS brier_classes,
       test.near(pgfit.log_loss(y, s, '{}', w), sum(-w * ln(CASE y WHEN 1 THEN s ELSE 1 - s END)) / sum(w)) AS weighted
FROM judged;
SELECT pgfit.log_loss(true, 0), pgfit.log_loss(false, 0), test.near(pgfit.log_loss(true, 0, '{"min_probability": 1e-15}'), 34.5387763949107) AS clipped;
SELECT pgfit.log_loss(true, 0.25) = -ln(0.25) AS alone, pgfit.log_loss(1, 0.25) = -ln(0.25) AS one, pgfit.log_loss('a', 0.25) IS NULL AS unknown;

-- weights are repeated rows; NULLs and weights of 0 leave rows out
SELECT pgfit.accuracy(y, p, w) = pgfit.accuracy(y, p, w * 3) AS accuracy,
       test.near(max(f.f1), pgfit.f1_score(y, p, '{"average": "macro"}', w)) AS f1,
       test.near(max(f.brier), pgfit.brier_score(y, s, '{}', w)) AS brier, test.near(max(f.rand), pgfit.adjusted_rand_index(y, p, w)) AS rand
FROM judged, (SELECT pgfit.f1_score(y, p, '{"average": "macro"}') AS f1, pgfit.brier_score(y, s) AS brier, pgfit.adjusted_rand_index(y, p) AS rand
              FROM judged, generate_series(1, w::int)) f;
SELECT pgfit.accuracy(y, p, w), pgfit.brier_score(y, s, '{}', w), pgfit.f1_score(y, p, NULL, w)
FROM (VALUES (1, 1, 0.5, 1), (1, 1, 0.5, 0), (NULL, 1, 0.5, 1), (1, NULL, NULL, 1), (1, 1, 0.5, NULL)) r(y, p, s, w);

-- single predictions
SELECT pgfit_textbook.loss(1, 0.25, 'hinge') AS hinge, test.near(pgfit_textbook.loss(1, -1.5, 'logistic'), 1.70141327798275) AS logistic,
       pgfit_textbook.loss(-1, 800, 'logistic') AS large, pgfit_textbook.loss(-1, 0.5, 'zero_one') AS zero_one, pgfit_textbook.loss(1, 3, 'squared') AS squared,
       pgfit_textbook.loss(1, 3, 'absolute') AS absolute, pgfit_textbook.loss(-2, 1, 'epsilon_insensitive', 0.5) AS insensitive;

-- refused
SELECT test.try('SELECT pgfit.accuracy(''NaN''::float8, 1)');
SELECT test.try('SELECT pgfit.accuracy(1, 1, -1)');
SELECT test.try('SELECT pgfit_internal.accuracy_step(''{0,0}'', 1, 1)');
SELECT test.try('SELECT pgfit_internal.mean_final(''{1}'')');
SELECT test.try('SELECT pgfit.f1_score(y, p) FROM many');
SELECT test.try('SELECT pgfit.f1_score(y, p, ''{"average": "mean"}'') FROM many');
SELECT test.try('SELECT pgfit.f1_score(y, p, ''{"averages": "macro"}'') FROM many');
SELECT test.try('SELECT pgfit.f1_score(y, p, jsonb_build_object(''positive'', y)) FROM many');
SELECT test.try('SELECT pgfit.log_loss(y, 0.5) FROM many');
SELECT test.try('SELECT pgfit.log_loss(true, 1.5)');
SELECT test.try('SELECT pgfit.brier_score(true, ''NaN'')');
SELECT test.try('SELECT pgfit.hinge_loss(true, ''Infinity'')');
SELECT test.try('SELECT pgfit.log_loss(1, ARRAY[0.5, 0.6], ''{0,1}'')');
SELECT test.try('SELECT pgfit.log_loss(1, ARRAY[0.5, 0.5], ''{0,2}'')');
SELECT test.try('SELECT pgfit.log_loss(1, ARRAY[0.5, 0.5], ''{0}'')');
SELECT test.try('SELECT pgfit.log_loss(1, ARRAY[0.5, 0.5], ''{0,NULL}'')');
SELECT test.try('SELECT pgfit_textbook.loss(0, 1, ''hinge'')');
SELECT test.try('SELECT pgfit_textbook.loss(1, 1, ''huge'')');
SELECT test.try('SELECT pgfit_textbook.loss(1, ''NaN'', ''squared'')');
SELECT test.try('SELECT pgfit_textbook.loss(1, 1, ''epsilon_insensitive'', -1)');
SELECT test.try('SELECT pgfit_textbook.loss(1e200, -1e200, ''squared'')');

-- serial, parallel and grouped agree, and the plans are partial
CREATE TABLE class_rows AS
SELECT i % 7 AS g, CASE WHEN sin(i) > 0.3 THEN 'yes' ELSE 'no' END AS y, CASE WHEN sin(i + 0.2) > 0.2 THEN 'yes' ELSE 'no' END AS p,
       i % 5 AS k, (i * 7) % 11 % 5 AS c, 0.5 + sin(i + 0.2) / 2.1 AS s, 1 + i % 3 AS w
FROM generate_series(1, 20000) i;
ANALYZE class_rows;
CREATE FUNCTION pg_temp.metrics() RETURNS float8[] LANGUAGE sql AS $$
    SELECT ARRAY[pgfit.accuracy(y, p), pgfit.accuracy(y, p, w), pgfit.f1_score(y, p), pgfit.precision_score(k, c, '{"average": "weighted"}', w),
                 pgfit.matthews_correlation(k, c), pgfit.cohen_kappa(k, c), pgfit.adjusted_rand_index(k, c),
                 pgfit.normalized_mutual_information(k, c), pgfit.log_loss(y, s), pgfit.log_loss(y, s, '{"positive": "no"}'),
                 pgfit.brier_score(y, s, '{}', w), pgfit.hinge_loss(y, s), pgfit.log_loss(y, ARRAY[1 - s, s], '{no,yes}'),
                 pgfit.brier_score(y, ARRAY[1 - s, s], '{no,yes}', w)]
    FROM class_rows
$$;
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE serial AS SELECT pg_temp.metrics() AS m;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION pg_temp.plan(statement text) RETURNS SETOF text LANGUAGE plpgsql AS
$$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS off) ' || statement; END $$;
SELECT bool_or(line LIKE '%Partial Aggregate%') AS partial
FROM pg_temp.plan('SELECT pgfit.accuracy(y, p), pgfit.f1_score(y, p), pgfit.log_loss(y, s), pgfit.log_loss(y, ARRAY[1 - s, s], ''{no,yes}'') FROM class_rows') AS line;
SELECT test.near_all(m, pg_temp.metrics(), 1e-13) AS parallel FROM serial;
SELECT bool_and(a = b) AS grouped
FROM (SELECT g, pgfit.f1_score(y, p) FROM class_rows GROUP BY g) x(g, a)
JOIN (SELECT g, pgfit.f1_score(y, p) FILTER (WHERE true) FROM class_rows GROUP BY ROLLUP (g)) z(g, b) USING (g);
RESET max_parallel_workers_per_gather;

-- a moving frame
SELECT array_agg(a) = array_agg(b) AS frames
FROM (SELECT pgfit.accuracy(k, c) OVER f AS a, avg((k = c)::int::float8) OVER f AS b FROM class_rows WHERE s < 0.1
      WINDOW f AS (ORDER BY s ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)) x;
DROP TABLE class_rows;

-- predictions as text, as classify returns them, are in the order of the enum of the labels, also values that are no row's label
CREATE TYPE level AS ENUM ('low', 'mid', 'high');
CREATE TEMP TABLE levels AS SELECT * FROM unnest('{low,mid,low,low,mid}'::text[], '{mid,mid,high,low,low}'::text[]) AS r(y, p);
SELECT test.near(pgfit.weighted_kappa(y::level, p::level), -1 / 9.0) AS enums, test.near(pgfit.weighted_kappa(y::level, p), -1 / 9.0) AS enum_and_text,
       test.near(pgfit.weighted_kappa(p, y::level), -1 / 9.0) AS text_and_enum, pgfit.weighted_kappa(y::level, 'none'::text) = 0 AS unknown FROM levels;
DROP TABLE levels;
DROP TYPE level;

-- of labels in an order, with weights as repeated rows; two labels have one distance
CREATE TABLE grades AS SELECT i % 5 AS y, (i * 7 % 5 + i % 5) / 2 AS p, i % 4 AS w FROM generate_series(1, 200) AS i;
SELECT test.near(pgfit.weighted_kappa(y, p, '{"weighting": "quadratic"}'),
                 1 - avg((y - p) ^ 2) / (SELECT avg((a.y - b.p) ^ 2) FROM grades AS a, grades AS b)) AS quadratic,
       test.near(pgfit.weighted_kappa(y, p), 1 - avg(abs(y - p)) / (SELECT avg(abs(a.y - b.p)) FROM grades AS a, grades AS b)) AS linear,
       test.near(pgfit.weighted_kappa(y, p, '{}', w), (SELECT pgfit.weighted_kappa(y, p) FROM grades, generate_series(1, w))) AS weights,
       test.near(pgfit.weighted_kappa(y < 2, p < 2), pgfit.cohen_kappa(y < 2, p < 2)) AS two_labels,
       test.near(pgfit.f_beta_score(y, p, '{"average": "macro"}'), pgfit.f1_score(y, p, '{"average": "macro"}')) AS f1 FROM grades;
SELECT pgfit.weighted_kappa(y, y) AS same, pgfit.weighted_kappa(1, 1) AS one_label, pgfit.weighted_kappa(y, NULL::int) AS no_rows FROM grades;
SELECT b, round(pgfit.f_beta_score(y >= 3, p >= 2, jsonb_build_object('beta', b))::numeric, 6) AS f_beta FROM grades, unnest('{1e-150,0.5,2,1e150}'::float8[]) AS b GROUP BY b ORDER BY b;
SELECT round(pgfit.precision_score(y >= 3, p >= 2)::numeric, 6) AS precision, round(pgfit.recall_score(y >= 3, p >= 2)::numeric, 6) AS recall FROM grades;
SELECT test.try('SELECT pgfit.f_beta_score(y, p, ''{"beta": 0}'') FROM grades');
SELECT test.try('SELECT pgfit.weighted_kappa(y, p, ''{"weighting": "none"}'') FROM grades');
DROP TABLE grades;
