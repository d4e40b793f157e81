-- areas, curves and points of scores
CREATE TEMP TABLE scored (y int, s float8, w float8);
INSERT INTO scored SELECT y, s, 1 + i % 3
FROM unnest('{0,0,1,0,1,1,0,1,1,0}'::int[], '{0.1,0.2,0.3,0.35,0.5,0.55,0.6,0.7,0.8,0.15}'::float8[])
     WITH ORDINALITY AS r(y, s, i);
SELECT pgfit.roc_auc(y, s) AS auc, test.near(pgfit.average_precision(y, s), 0.852857142857143) AS precision,
       test.near(pgfit.roc_auc(y, s, '{"positive": 0}'), 0.16) AS mirrored, pgfit.roc_auc(y, -s) + pgfit.roc_auc(y, s) AS both
FROM scored;
SELECT * FROM unnest((SELECT pgfit.roc_curve(y, s) FROM scored));
SELECT fpr, tpr FROM unnest((SELECT pgfit.roc_curve(y, s, '{"points": "hull"}') FROM scored));
SELECT threshold, round("precision"::numeric, 6) AS precision, recall, false_positives, true_positives
FROM unnest((SELECT pgfit.precision_recall_curve(y, s) FROM scored));
SELECT lower, upper, rows, round(mean_predicted::numeric, 6) AS mean, round(positive_share::numeric, 6) AS share
FROM unnest((SELECT pgfit.calibration_curve(y, s, '{"bins": 4}') FROM scored));
SELECT lower, upper, rows, round(mean_predicted::numeric, 6) AS mean, round(positive_share::numeric, 6) AS share
FROM unnest((SELECT pgfit.calibration_curve(y, s, '{"bins": 3, "strategy": "quantile"}') FROM scored));
-- probabilities on the limits of bins are in the bin that begins there
SELECT bins, count(*) AS outside
FROM (SELECT bins, k / bins::float8 AS p, pgfit.calibration_curve(y, k / bins::float8, jsonb_build_object('bins', bins)) AS curve
      FROM unnest('{49, 100, 1000}'::int[]) AS bins, generate_series(0, bins) AS k, unnest('{true, false}'::boolean[]) AS y GROUP BY bins, k) AS c, unnest(curve) AS b
WHERE NOT (p >= b.lower AND (p < b.upper OR p = 1 AND b.upper = 1)) GROUP BY bins;
SELECT c, round((o).threshold::numeric, 6) AS threshold, (o).cost, (o).fpr, (o).tpr, (o).true_positives, (o).false_positives, (o).false_negatives, (o).true_negatives
FROM (SELECT c, pgfit.operating_point(y, s, jsonb_build_object('cost', jsonb_build_object('false_positive', c))) AS o FROM scored, unnest('{0.2,1,5}'::float8[]) c GROUP BY c) AS points ORDER BY c;

-- the area is the share of ordered pairs, ties half, with weights too
CREATE TABLE pairs_of AS SELECT i, (i * 7919 % 1000) % 3 = 0 AS y, round((sin(i * 1.7) * 5 - (i * 7919 % 1000) % 3)::numeric, 1)::float8 AS s,
                                1 + i % 4 AS w FROM generate_series(1, 600) i;
WITH pairs AS (
    SELECT sum(p.w * n.w * CASE WHEN p.s > n.s THEN 1 WHEN p.s = n.s THEN 0.5 ELSE 0 END) / sum(p.w * n.w) AS weighted,
           avg(CASE WHEN p.s > n.s THEN 1 WHEN p.s = n.s THEN 0.5 ELSE 0 END) AS plain
    FROM pairs_of p, pairs_of n WHERE p.y AND NOT n.y)
SELECT test.near(pgfit.roc_auc(y, s), plain) AS plain, test.near(pgfit.roc_auc(y, s, '{}', w), weighted) AS weighted,
       pgfit.roc_auc(y, s ORDER BY i) = pgfit.roc_auc(y, s ORDER BY s DESC, y) AS any_order,
       pgfit.roc_auc(y, exp(s)) = pgfit.roc_auc(y, s) AS monotone,
       pgfit.roc_auc(CASE WHEN y THEN 'b' ELSE 'a' END, s) = pgfit.roc_auc(y, s) AS labels
FROM pairs_of, pairs GROUP BY plain, weighted;
-- under the hull lies the curve; its slopes fall
WITH hull AS (
    SELECT fpr, tpr, fpr - lag(fpr) OVER o AS dx, tpr - lag(tpr) OVER o AS dy
    FROM unnest((SELECT pgfit.roc_curve(y, s, '{"points": "hull"}') FROM pairs_of)) WINDOW o AS (ORDER BY threshold DESC)
), slopes AS (SELECT dy, dx, lag(dy) OVER o AS before_dy, lag(dx) OVER o AS before_dx FROM hull WHERE dx IS NOT NULL WINDOW o AS (ORDER BY fpr, tpr))
SELECT bool_and(before_dy * dx > dy * before_dx) AS convex FROM slopes WHERE before_dy IS NOT NULL;
SELECT test.near(sum((fpr - before_fpr) * (tpr + before_tpr) / 2), max(auc)) AS area_under_points
FROM (SELECT fpr, tpr, lag(fpr) OVER o AS before_fpr, lag(tpr) OVER o AS before_tpr
      FROM unnest((SELECT pgfit.roc_curve(y, s) FROM pairs_of)) WINDOW o AS (ORDER BY threshold DESC)) c,
     (SELECT pgfit.roc_auc(y, s) AS auc FROM pairs_of) a;

-- past the budget the scores are sorted in the temporary file
CREATE TABLE many_scores AS SELECT (i * 7919::bigint % 100003) % 3 = 0 AS y, sin(i) * 10 ^ (i % 7) AS s FROM generate_series(1, 60000) i;
CREATE TEMP TABLE in_memory AS SELECT pgfit.roc_auc(y, s) AS auc, cardinality(pgfit.roc_curve(y, round(s::numeric / 1000)::float8)) AS points FROM many_scores;
SET pgfit.fit_mem = '1MB';
SELECT m.auc = pgfit.roc_auc(y, s) AS spilled, m.points = cardinality(pgfit.roc_curve(y, round(s::numeric / 1000)::float8, '{}')) AS points
FROM many_scores, in_memory m GROUP BY m.auc, m.points;
SELECT test.try('SELECT cardinality(pgfit.roc_curve(y, s)) FROM many_scores');
SELECT pgfit.roc_auc(y, 1) AS constant, pgfit.roc_auc(y, CASE WHEN s > 5e5 THEN s ELSE 0 END) > 0.4 AS mostly_constant FROM many_scores;
RESET pgfit.fit_mem;

-- undefined: NULL, one class or no row
SELECT pgfit.roc_auc(y, s), pgfit.average_precision(y, s), pgfit.roc_curve(y, s), pgfit.precision_recall_curve(y, s),
       pgfit.operating_point(y, s) IS NULL AS point, pgfit.calibration_curve(y, s)
FROM scored WHERE y = 1;
SELECT pgfit.roc_auc(y, s), pgfit.roc_auc(y, s) FILTER (WHERE y IS NULL) FROM scored WHERE y > 1;
SELECT pgfit.roc_auc(y, s) FROM (VALUES (NULL, 1), (0, NULL), (0, 1), (1, 2)) r(y, s);
SELECT y / 2 AS g, pgfit.roc_auc(y, s) FROM scored GROUP BY g;
SELECT pgfit.roc_auc(y, s, '{}', w) FROM (VALUES (0, 1, 0), (0, 2, 1), (1, 1.5, 1), (1, 3, NULL)) r(y, s, w);
SELECT pgfit.roc_auc(k, s, '{"positive": "c"}') AS one_against_rest FROM (VALUES ('a', 1), ('b', 2), ('c', 3)) r(k, s);

-- windows and groups
SELECT array_agg(round(a::numeric, 4)) FROM (SELECT pgfit.roc_auc(y, s) OVER (ORDER BY s) AS a FROM scored) x;
SELECT g, round(pgfit.roc_auc(y, s)::numeric, 6) AS auc FROM (SELECT i % 3 AS g, y, s FROM pairs_of) p GROUP BY g ORDER BY g;

-- options are listed as an estimator's are
SELECT m, (SELECT string_agg(name, ', ') FROM pgfit.options(m)) AS options FROM unnest(ARRAY['roc_curve', 'calibration_curve', 'f1_score', 'log_loss', 'decision_rule']) AS m;

-- refused; NaN as a score was said to be in feature "f1"
SELECT test.try('SELECT pgfit.roc_auc(i % 3, s) FROM pairs_of');
SELECT test.try('SELECT pgfit.roc_auc(y, ''NaN''::float8) FROM scored');
SELECT test.try('SELECT pgfit.roc_auc(y, ''Infinity''::float8) FROM scored');
SELECT test.try('SELECT pgfit.score_histogram(y, ''NaN''::float8) FROM scored');
SELECT test.try('SELECT pgfit.median_absolute_error(y, ''NaN''::float8) FROM scored');
SELECT test.try('SELECT pgfit.roc_auc(y, s, ''{}'', -1) FROM scored');
SELECT test.try('SELECT pgfit.roc_auc(y, s, ''{"positif": 1}'') FROM scored');
SELECT test.try('SELECT pgfit.roc_auc(y, s, jsonb_build_object(''positive'', y)) FROM scored');
SELECT test.try('SELECT pgfit.calibration_curve(y, s * 2) FROM scored');
SELECT test.try('SELECT pgfit.calibration_curve(y, s, ''{"bins": 0}'') FROM scored');
SELECT test.try('SELECT pgfit.operating_point(y, s, ''{"cost": {"false": 1}}'') FROM scored');
-- a step by hand: which error depends on the server, since 15.20 and its sisters no constant is of type internal
SELECT left(test.try('SELECT pgfit_internal.roc_auc_step(NULL, y, s) FROM scored'), 5) IN ('42883', '0A000') AS refused;

-- part of the area, its limits, the distance of the classes, gains, the calibration error
SELECT test.near(pgfit.roc_auc(y, s, '{"max_fpr": 1}'), pgfit.roc_auc(y, s)) AS whole,
       test.near((pgfit.roc_auc_interval(y, s)).auc, pgfit.roc_auc(y, s)) AS area,
       test.near((pgfit.roc_auc_interval(y, s)).std_error, (pgfit.roc_auc_interval(NOT y, -s)).std_error) AS mirrored,
       test.near((pgfit.roc_auc_interval(y, s, '{}', w)).conf_low, (SELECT (pgfit.roc_auc_interval(y, s)).conf_low FROM pairs_of, generate_series(1, w))) AS weights,
       test.near(pgfit.ks_statistic(y, s), (SELECT max(tpr - fpr) FROM unnest((SELECT pgfit.roc_curve(y, s) FROM pairs_of)))) AS distance,
       test.near(pgfit.ks_statistic(y, s), pgfit.ks_statistic(NOT y, s)) AS either_way FROM pairs_of;
-- weights whose products overflow or vanish
SELECT v, test.near(pgfit.roc_auc(y, s, '{}', v), pgfit.roc_auc(y, s)) AS area, test.near(pgfit.roc_auc(y, s, '{"max_fpr": 0.3}', v), pgfit.roc_auc(y, s, '{"max_fpr": 0.3}')) AS part,
       test.near((pgfit.roc_auc_interval(y, s, '{}', v)).auc, pgfit.roc_auc(y, s)) AS with_limits, (pgfit.roc_auc_interval(y, s, '{}', v)).std_error < 1e-70 AS certain,
       test.near(pgfit.average_precision(y, s, '{}', v), pgfit.average_precision(y, s)) AS precision FROM pairs_of AS p, unnest('{5e-324,1e-200,1e200,1e305}'::float8[]) AS weights(v) GROUP BY v ORDER BY v;
SELECT (pgfit.roc_auc_interval(y, s)).* FROM (VALUES (0, 1), (1, 2)) r(y, s);
SELECT (pgfit.roc_auc_interval(y, s)).* FROM (VALUES (0, 1), (0, 1.5), (1, 2), (1, 3)) r(y, s);
SELECT pgfit.roc_auc_interval(y, s) AS interval, pgfit.ks_statistic(y, s) AS ks, pgfit.gain_curve(y, s) AS gains, pgfit.expected_calibration_error(y, s) AS error FROM (VALUES (0, 1), (0, 0)) r(y, s);
SELECT bin, threshold, rows, weight, positive_share, share, gain, round(lift::numeric, 6) AS lift FROM unnest((SELECT pgfit.gain_curve(y, s, '{"bins": 5}') FROM scored));
SELECT bin, threshold, rows, gain FROM unnest((SELECT pgfit.gain_curve(y, round(s::numeric), '{"bins": 5}') FROM scored));
SELECT test.near(max(gain), 1) AS all, sum(rows) AS rows, bool_and(test.near(lift, gain / share)) AS lifts FROM unnest((SELECT pgfit.gain_curve(y, s, '{}', w) FROM pairs_of));
SELECT test.near(pgfit.expected_calibration_error(y, s, '{"bins": 4, "strategy": "quantile"}'),
                 (SELECT sum(weight * abs(mean_predicted - positive_share)) / sum(weight) FROM unnest((SELECT pgfit.calibration_curve(y, s, '{"bins": 4, "strategy": "quantile"}') FROM scored)))) AS calibration FROM scored;
SELECT test.try('SELECT pgfit.roc_auc(y, s, ''{"max_fpr": 0}'') FROM scored');
SELECT test.try('SELECT pgfit.roc_auc_interval(y, s, ''{"level": 1}'') FROM scored');
SELECT test.try('SELECT pgfit.gain_curve(y, s, ''{"bins": 0}'') FROM scored');
SELECT test.try('SELECT pgfit.expected_calibration_error(y, s + 1) FROM scored');

-- several classes, by queries: scikit-learn 1.2.1 has 0.634920634921 (ovr), 0.649305555556 (ovo)
CREATE TABLE scores_of AS SELECT c, ARRAY[a, b, 1 - a - b] AS p FROM (VALUES ('x', 0.6, 0.1), ('x', 0.3, 0.3), ('y', 0.2, 0.6), ('y', 0.4, 0.4), ('z', 0.3, 0.4), ('z', 0.1, 0.2), ('x', 0.2, 0.7), ('y', 0.3, 0.1), ('y', 0.5, 0.25)) AS v(c, a, b);
SELECT test.near(avg(auc), 0.634920634920635) AS ovr FROM (SELECT pgfit.roc_auc(c = class, s::float8) AS auc FROM scores_of, unnest(p, '{x,y,z}'::text[]) AS u(s, class) GROUP BY class) AS classes;
SELECT test.near(avg(auc), 0.64930555555555558) AS ovo FROM (SELECT pgfit.roc_auc(c = class, s::float8) AS auc FROM scores_of, unnest(p, '{x,y,z}'::text[]) AS u(s, class), unnest('{x,y,z}'::text[]) AS other WHERE class <> other AND c IN (class, other) GROUP BY class, other) AS pairs;

DROP TABLE pairs_of, many_scores, scores_of;
