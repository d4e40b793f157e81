-- Properties of metrics, calibrations and decision rules that hold by definition, on noisy data with ties and weights.
BEGIN;
SELECT plan(26);
\ir tap/near.sql
CREATE TEMP TABLE rows AS
SELECT id, sin(id * 12.9898) + noise > 0.3 AS y, round((sin(id * 12.9898) * 4)::numeric, 1)::float8 AS s, 1 + id % 3 AS w,
       (ARRAY['red', 'green', 'blue'])[1 + (sin(id * 12.9898) > -0.4)::int + (sin(id * 12.9898) + noise > 0.5)::int] AS k,
       (ARRAY['red', 'green', 'blue'])[1 + (sin(id * 12.9898) > -0.2)::int + (sin(id * 12.9898) > 0.6)::int] AS guess,
       sin(id * 12.9898) AS a, cos(id * 4.1414) AS b
FROM (SELECT id, sin(id * id * 0.7) * 0.8 AS noise FROM generate_series(1, 1200) AS id) AS r;

-- ranking
WITH pairs AS (
    SELECT avg(CASE WHEN p.s > n.s THEN 1.0 WHEN p.s = n.s THEN 0.5 ELSE 0 END) AS plain,
           sum(p.w * n.w * CASE WHEN p.s > n.s THEN 1.0 WHEN p.s = n.s THEN 0.5 ELSE 0 END) / sum(p.w * n.w) AS weighted
    FROM rows AS p, rows AS n WHERE p.y AND NOT n.y)
SELECT ok(pg_temp.near(roc_auc(y, s), max(plain), 1e-12), 'the area is the share of ordered pairs, ties half'),
       ok(pg_temp.near(roc_auc(y, s, '{}', w), max(weighted), 1e-12), 'also by weight'),
       ok(pg_temp.near(roc_auc(y, s, '{}', w), roc_auc(y, s, '{}', w * 7.5), 1e-12), 'a scale of the weights does not matter'),
       ok(roc_auc(y, s) = roc_auc(y, exp(s)), 'an increasing map of the scores does not matter'),
       ok(pg_temp.near(roc_auc(y, s) + roc_auc(y, -s), 1, 1e-12), 'negated scores have the rest of the area'),
       ok(roc_auc(y, s ORDER BY id) = roc_auc(y, s ORDER BY md5(id::text)), 'the order of rows does not matter')
FROM rows, pairs;
SELECT ok(pg_temp.near(whole, (SELECT roc_auc(y, s, '{}', w) FROM rows), 1e-12), 'weights are repeated rows')
FROM (SELECT roc_auc(y, s) AS whole FROM rows, generate_series(1, w)) AS r;
WITH points AS (SELECT p.*, lag(fpr) OVER o AS before_fpr, lag(tpr) OVER o AS before_tpr
                FROM unnest((SELECT roc_curve(y, s) FROM rows)) AS p WINDOW o AS (ORDER BY threshold DESC)),
     hull AS (SELECT fpr, tpr, (tpr - lag(tpr) OVER o) AS dy, (fpr - lag(fpr) OVER o) AS dx
              FROM points WHERE on_hull WINDOW o AS (ORDER BY threshold DESC)),
     slopes AS (SELECT dy, dx, lag(dy) OVER o AS before_dy, lag(dx) OVER o AS before_dx FROM hull WHERE dx IS NOT NULL WINDOW o AS (ORDER BY fpr, tpr))
SELECT ok((SELECT bool_and(fpr >= before_fpr AND tpr >= before_tpr) FROM points WHERE before_fpr IS NOT NULL), 'a curve never falls'),
       ok(pg_temp.near((SELECT sum((fpr - before_fpr) * (tpr + before_tpr) / 2) FROM points), (SELECT roc_auc(y, s) FROM rows), 1e-12), 'the area is under the points'),
       ok((SELECT bool_and(before_dy * dx > dy * before_dx) FROM slopes WHERE before_dy IS NOT NULL), 'the slopes of the hull fall'),
       ok((SELECT bool_and(h.tpr >= p.tpr - 1e-12) FROM points AS p, LATERAL (
           SELECT max(x.tpr + (p.fpr - x.fpr) * CASE WHEN n.fpr > x.fpr THEN (n.tpr - x.tpr) / (n.fpr - x.fpr) ELSE 0 END) AS tpr
           FROM (SELECT fpr, tpr, lead(fpr) OVER o AS nf, lead(tpr) OVER o AS nt FROM hull WINDOW o AS (ORDER BY fpr, tpr)) AS x,
                LATERAL (SELECT coalesce(x.nf, x.fpr) AS fpr, coalesce(x.nt, x.tpr) AS tpr) AS n
           WHERE p.fpr BETWEEN x.fpr AND n.fpr) AS h), 'no point lies above the hull'),
       ok((SELECT (operating_point(y, s, '{"cost": {"false_positive": 2.5}}')).cost FROM rows) =
          (SELECT min(2.5 * false_positives + (SELECT count(*) FROM rows WHERE y) - true_positives) FROM points), 'no threshold costs less');
SELECT ok(bool_and(of_scores = cost), 'a threshold of least cost costs the same with > and with >='),
       ok(bool_and(of_rule = cost), 'and as a decision rule')
FROM (SELECT cost, sum(CASE WHEN y AND NOT p > threshold THEN missed WHEN NOT y AND p >= threshold THEN 1 ELSE 0 END) AS of_scores,
             sum(CASE WHEN y AND NOT said THEN missed WHEN NOT y AND said THEN 1 ELSE 0 END) AS of_rule
      FROM (SELECT missed, (o).cost, (o).threshold, y, probability(m, r) AS p, classify(decision_rule(m, jsonb_build_object('threshold', (o).threshold)), r)::bool AS said
            FROM (SELECT m, missed, operating_point(y, probability(m, r), jsonb_build_object('cost', jsonb_build_object('false_negative', missed))) AS o
                  FROM rows AS r, (SELECT logistic_regression(y, r, 'a + b') AS line, tree_classifier(y, r, '{"formula": "a + b", "max_depth": 4}') AS tree FROM rows AS r) AS f,
                       unnest(ARRAY[line, tree]) AS m, unnest(ARRAY[0.5, 1, 5]) AS missed GROUP BY m, missed) AS best, rows AS r) AS scored
      GROUP BY cost, threshold, missed) AS costs;

-- classes
SELECT ok(accuracy(k, guess) = avg((k = guess)::int)::float8, 'accuracy is a mean'),
       ok(pg_temp.near(f1_score(k, guess, '{"positive": "red"}'), 2 / (1 / precision_score(k, guess, '{"positive": "red"}') + 1 / recall_score(k, guess, '{"positive": "red"}')), 1e-12),
          'F1 is the harmonic mean'),
       ok(pg_temp.near(matthews_correlation(y, s > 0.5), corr(y::int, (s > 0.5)::int), 1e-12), 'Matthews correlation of two classes is corr'),
       ok(pg_temp.near(adjusted_rand_index(k, guess), adjusted_rand_index(guess, md5(k)), 1e-12), 'the adjusted Rand index is symmetric and ignores names')
FROM rows;

-- calibrations
CREATE TEMP TABLE fitted AS
SELECT isotonic_calibration(y, s) AS iso, logistic_calibration(y, s) AS log, platt_calibration(y, s, '{"smoothing": false}') AS ml, lda(k, (a, b)) AS m FROM rows;
SELECT ok(bool_and(p >= before), 'an isotonic calibration never falls') FROM (
    SELECT probability(iso, s) AS p, coalesce(lag(probability(iso, s)) OVER (ORDER BY s), 0) AS before FROM rows, fitted) AS x;
SELECT ok(bool_and(pg_temp.near(p, share, 1e-12)), 'a block has the share of its rows') FROM (
    SELECT p, avg(y::int)::float8 AS share FROM (SELECT probability(iso, s) AS p, y FROM rows, fitted) AS x GROUP BY p) AS x;
SELECT ok(brier_score(y, probability(iso, s)) <= min(best), 'no increasing map of the scores has a smaller Brier score')
FROM rows, fitted, (SELECT brier_score(y, probability(log, s)) AS best FROM rows, fitted) AS other;
SELECT ok(log_loss(y, probability(ml, s)) <= least(log_loss(y, probability(log, s)), log_loss(y, 1 / (1 + exp(-(1.01 * (info(ml) #>> '{statistics,gamma}')::float8) * (s - (info(ml) #>> '{statistics,d0}')::float8))))),
          'no logistic curve has a smaller log loss than the most likely one')
FROM rows, fitted;

-- decision rules
SELECT ok(bool_and((probability(decision_rule(iso, '{"threshold": 0.35}'), s) > 0.35) = (classify(decision_rule(iso, '{"threshold": 0.35}'), s) = 'true')), 'a threshold cuts the probability'),
       ok(bool_and(classify(decision_rule(m, '{"priors": "uniform"}'), (a, b)) = classify(decision_rule(m, '{"rule": "ml"}'), (a, b))), 'equal priors are maximum likelihood'),
       ok(bool_and(pg_temp.near((SELECT sum(p) FROM unnest(probabilities(decision_rule(m, '{"priors": {"blue": 0.7, "green": 0.2, "red": 0.1}}'), (a, b))) AS p), 1, 1e-12)), 'probabilities add up to 1')
FROM rows, fitted;
WITH given AS (
    SELECT classify(r, (a, b)) AS class, probabilities(r, (a, b)) AS p, classes(r) AS names
    FROM rows, fitted, decision_rule(m, '{"cost": [[0, 1, 4], [2, 0, 1], [9, 3, 0]]}') AS r
), costs AS (
    SELECT class, names, ARRAY[2 * p[2] + 9 * p[3], p[1] + 3 * p[3], 4 * p[1] + p[2]] AS of FROM given)
SELECT ok(bool_and(of[array_position(names, class)] <= least(of[1], of[2], of[3]) * (1 + 1e-12)), 'no other class is cheaper') FROM costs;
SELECT * FROM finish();
ROLLBACK;
