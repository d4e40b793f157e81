-- Classifiers by least squares: equations, options, several classes, moments, edges.
SET search_path = public, test, pgfit;
CREATE TABLE points AS
SELECT i, sin(i * 1.7) * 2 + CASE i % 3 WHEN 0 THEN 1 WHEN 1 THEN -1 ELSE 0 END AS a, cos(i * 2.3) + (i % 3) * 0.8 AS b,
    (ARRAY['low', 'mid', 'top'])[i % 3 + 1] AS three, i % 3 = 0 AS two, (ARRAY['u', 'v', 'w', 'x'])[i % 4 + 1] AS k, 1 + i % 2 AS w
FROM generate_series(1, 120) AS i;

-- two classes: the regression of 1 and -1, whatever the labels are
SELECT near_all(estimates(least_squares_classifier(two, (a, b))), estimates(linear_regression(CASE WHEN two THEN 1 ELSE -1 END, (a, b))), 1e-12) AS regression FROM points;
SELECT near_all(estimates(least_squares_classifier(two, (a, k), NULL, w)), estimates(linear_regression(CASE WHEN two THEN 1 ELSE -1 END, (a, k), NULL, w)), 1e-12) AS weighted FROM points;
SELECT near_all(estimates(least_squares_classifier(two, (a, k), '{"intercept": false}')), estimates(linear_regression(CASE WHEN two THEN 1 ELSE -1 END, (a, k), '{"intercept": false}')), 1e-11) AS through_zero FROM points;
SELECT near_all(estimates(least_squares_classifier(two, (a, b), '{"lambda": 3.5}')), estimates(ridge_regression(CASE WHEN two THEN 1 ELSE -1 END, (a, b), 3.5)), 1e-12) AS ridge FROM points;
SELECT classes(m), bool_and(near(decision(m, (a, b)), predict(r, (a, b)), 1e-10)) AS scores, bool_and((predict(m, (a, b)) = 1) = (decision(m, (a, b)) > 0)) AS classes,
    bool_and(near(distance(m, (a, b)), decision(m, (a, b)) / sqrt((parameter(m, 'coef'))[1] ^ 2 + (parameter(m, 'coef'))[2] ^ 2), 1e-12)) AS distances
FROM points, (SELECT least_squares_classifier(two, (a, b)) AS m, linear_regression(CASE WHEN two THEN 1 ELSE -1 END, (a, b)) AS r FROM points) f GROUP BY m;
SELECT replace(summary(least_squares_classifier(two, f)), '-0.', '-.') ~ 'classes: false, true \(positive\)' AS summary FROM points, LATERAL (SELECT a, k) AS f;

-- the other class as the positive one: the signs turn, the classes stay
SELECT near_all(estimates(n), ARRAY(SELECT -e FROM unnest(estimates(p)) AS e)) AS turned, bool_and(classify(n, (a, b)) = classify(p, (a, b))) AS same,
    bool_and(near(decision(n, (a, b)), -decision(p, (a, b)))) AS scores
FROM points, (SELECT least_squares_classifier(two, (a, b), '{"positive": false}') AS n, least_squares_classifier(two, (a, b)) AS p FROM points) f GROUP BY n, p;
SELECT try($$SELECT least_squares_classifier(three, a, '{"positive": "top"}') FROM points$$);
SELECT try($$SELECT least_squares_classifier(two, a, '{"positive": "yes"}') FROM points$$);

-- on the boundary: the negative class, the positive one, or none
SELECT t, classify(m, 0), predict(m, 0) FROM unnest(ARRAY['negative', 'positive', 'null']) AS t,
    LATERAL (SELECT least_squares_classifier(y, x, jsonb_build_object('tie', t)) AS m FROM (VALUES (false, -1), (true, 1)) AS v(y, x)) f;

-- several classes: indicators add up to 1, and ovr has the same boundaries; each indicator is a regression
SELECT bool_and(near(d[1] + d[2] + d[3], 1, 1e-12)) AS add_up, bool_and(near(o[2], 2 * d[2] - 1, 1e-9)) AS ovr, bool_and(classify(m, (a, b)) = classify(r, (a, b))) AS classes,
    bool_and(near(d[3], predict(g, (a, b)), 1e-9)) AS regression
FROM points, (SELECT least_squares_classifier(three, (a, b)) AS m, least_squares_classifier(three, (a, b), '{"multiclass": "ovr"}') AS r, linear_regression((three = 'top')::int, (a, b)) AS g FROM points) f,
    LATERAL (SELECT decisions(m, (a, b)) AS d, decisions(r, (a, b)) AS o) s;
-- a pair of classes is the classifier of their rows
SELECT class, near_all(array_agg(c.estimate ORDER BY term COLLATE "C"), (SELECT array_agg(e.estimate ORDER BY e.term COLLATE "C") FROM coefficients(alone) e), 1e-11) AS same
FROM (SELECT least_squares_classifier(three, (a, b, k), '{"multiclass": "ovo"}') AS m FROM points) f, coefficients(m) c,
    LATERAL (SELECT least_squares_classifier(three, (a, b, k)) AS alone FROM points WHERE three IN (split_part(class, ' / ', 1), split_part(class, ' / ', 2))) p
GROUP BY class, alone ORDER BY class;
-- the distance of several classes is to the boundary with the next best one; a vote has no such thing
SELECT bool_and(distance(m, (a, b)) >= 0) AS not_negative, bool_and(distance(v, (a, b)) IS NULL) AS none
FROM points, (SELECT least_squares_classifier(three, (a, b)) AS m, least_squares_classifier(three, (a, b), '{"multiclass": "ovo"}') AS v FROM points) f;

-- classes that count more: as if their rows had those weights
SELECT near_all(estimates(least_squares_classifier(three, (a, b), '{"class_weight": {"top": 5}}')), estimates(least_squares_classifier(three, (a, b), NULL, CASE three WHEN 'top' THEN 5 ELSE 1 END)), 1e-11) AS named,
    near_all(estimates(least_squares_classifier(k, (a, b), '{"class_weight": "balanced"}')), estimates(least_squares_classifier(k, (a, b), NULL, 120.0 / 4 / (SELECT count(*) FROM points p WHERE p.k = points.k))), 1e-10) AS balanced FROM points;
SELECT try($$SELECT least_squares_classifier(three, a, '{"class_weight": {"none": 5}}') FROM points$$);
SELECT try($$SELECT least_squares_classifier(three, a, '{"class_weight": {"top": -1}}') FROM points$$);

-- a simpler matrix: as if the features were uncorrelated; also of equal variance, which changes nothing for one feature
SELECT near_all(estimates(least_squares_classifier(two, (a, b), '{"gram_matrix": "diagonal"}')), estimates(linear_regression(CASE WHEN two THEN 1 ELSE -1 END, (a, b), '{"decompose": true}')), 1e-12) AS diagonal,
    near_all(estimates(least_squares_classifier(two, a, '{"gram_matrix": "identity"}')), estimates(least_squares_classifier(two, a)), 1e-12) AS one FROM points;
-- ... points along the difference of the means
SELECT near(i[1] / i[2], c[1] / c[2], 1e-12) AS direction FROM (SELECT parameter(least_squares_classifier(two, (a, b), '{"gram_matrix": "identity"}'), 'coef') AS i, parameter(nearest_centroid(two, (a, b)), 'coef') IS NULL AS none,
    (SELECT array_agg(estimate) FROM coefficients(nearest_centroid(two, (a, b))) WHERE term <> '(intercept)') AS c FROM points) f;

-- dependent and constant terms are dropped in order and named; a penalty shares the weight
SELECT term, estimate IS NULL AS dropped FROM (SELECT least_squares_classifier(two, (a, a, 7, a + b)) AS m FROM points) f, coefficients(m);
SELECT info(m) -> 'statistics' ->> 'dropped_terms' AS dropped, bool_and(near(decision(m, (a, a, 7, b)), decision(p, (a, b)), 1e-9)) AS as_without
FROM points, (SELECT least_squares_classifier(two, (a, a, 7, b)) AS m, least_squares_classifier(two, (a, b)) AS p FROM points) f GROUP BY m;
SELECT near(e[2], e[3], 1e-9) AS shared FROM (SELECT estimates(least_squares_classifier(two, (a, a), '{"lambda": 1}')) AS e FROM points) f;
SELECT count(*) FROM (SELECT least_squares_classifier(i % 2, ARRAY[i, i * i, i * i * i, sin(i), cos(i), i % 3, i % 5]) AS m FROM generate_series(1, 4) AS i) f, coefficients(m) WHERE estimate IS NULL;

-- the same from merged moments, groups, parallel workers, windows, any order of the rows, counts as weights
SELECT same_fit((SELECT least_squares_classifier(three, (a, k)) FROM points), (SELECT fit('least_squares_classifier', merge(e)) FROM (SELECT class_moments(three, (a, k)) AS e FROM points GROUP BY i % 7) p), 1e-9) AS merged,
    same_fit((SELECT least_squares_classifier(three, (a, b)) FROM points), (SELECT least_squares_classifier(three, (a, b) ORDER BY b) FROM points), 1e-9) AS order_free;
SELECT near_all(estimates(least_squares_classifier(two, (a, b), '{"weight_kind": "frequency"}', w)), (SELECT estimates(least_squares_classifier(two, (a, b))) FROM points, generate_series(1, w)), 1e-11) AS repeated FROM points;
SELECT k, near_all(estimates(m), (SELECT estimates(least_squares_classifier(two, (a, b))) FROM points p WHERE p.k = g.k)) AS own FROM (SELECT k, least_squares_classifier(two, (a, b)) AS m FROM points GROUP BY k) g ORDER BY k;
SELECT bool_and(CASE WHEN rolling IS NULL THEN i < 3 ELSE near_all(estimates(rolling), (SELECT estimates(least_squares_classifier(two, (a, b))) FROM points p WHERE p.i BETWEEN r.i - 20 AND r.i), 1e-8) END) AS rolling, count(*) FILTER (WHERE rolling IS NULL) AS too_few
FROM (SELECT i, least_squares_classifier(two, (a, b)) OVER (ORDER BY i ROWS 20 PRECEDING) AS rolling FROM points) r;
CREATE TABLE serial AS SELECT least_squares_classifier(three, (a, k)) AS m, nearest_centroid(three, (a, b), '{"metric": "mahalanobis"}') AS c FROM points;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT same_fit((SELECT least_squares_classifier(three, (a, k)) FROM points), m, 1e-9) AS least_squares, near_all((SELECT parameter(nearest_centroid(three, (a, b), '{"metric": "mahalanobis"}'), 'covariance') FROM points), parameter(c, 'covariance'), 1e-11) AS centroid FROM serial;
DO $$ DECLARE line text; BEGIN
    FOR line IN EXPLAIN (COSTS OFF) SELECT pgfit.least_squares_classifier(three, (a, k)) FROM points LOOP
        IF line LIKE '%Partial Aggregate%' THEN RAISE INFO 'in parallel'; END IF;
    END LOOP;
END $$;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
SELECT m::text::model = m AS text, m::jsonb::model = m AS json FROM (SELECT least_squares_classifier(three, (a, k), '{"multiclass": "ecoc"}') AS m FROM points) f;
SELECT try($$SELECT fit('least_squares_classifier', merge(e)) FROM (SELECT moments(1.0, a) AS e FROM points) AS m$$);

-- to_sql says what classify and decision say
SELECT to_sql(m) AS expression FROM (SELECT least_squares_classifier(two, f) AS m FROM (VALUES (true, 2, 'u'), (false, 1, 'v'), (true, 1, 'u'), (false, 0, 'v'), (true, 3, 'v')) AS t(two, a, k), LATERAL (SELECT a, k) AS f) q
\gset
CREATE TABLE probe AS SELECT * FROM (VALUES (2.5, 'u'), (-1, 'v'), (0, 'w'), (NULL, 'u')) AS t(a, k);
SELECT bool_and(near(score, decision(m, f), 1e-12) OR (score IS NULL AND decision(m, f) IS NULL)) AS same
FROM (SELECT least_squares_classifier(two, f) AS m FROM (VALUES (true, 2, 'u'), (false, 1, 'v'), (true, 1, 'u'), (false, 0, 'v'), (true, 3, 'v')) AS t(two, a, k), LATERAL (SELECT a, k) AS f) q,
    (SELECT a, k, :expression AS score FROM probe) p, LATERAL (SELECT a, k) AS f;

-- features that say nothing: the more frequent class, and no boundary
SET client_min_messages = error;
SELECT classify(l, k), distance(l, k) IS NULL AS no_boundary, classify(p, k) AS perceptron, classify(c, k) AS centroid FROM (VALUES ('u')) AS one(k),
    (SELECT least_squares_classifier(y, k) AS l, perceptron(y, k, '{"max_iter": 2, "averaged": true}' ORDER BY i) AS p, nearest_centroid(y, k) AS c FROM (VALUES (1, 'a', 'u'), (2, 'b', 'u'), (3, 'b', 'u')) AS v(i, y, k)) f;
SELECT classify(least_squares_classifier(y, x), 1) AS same_rows FROM (VALUES ('a', 1), ('b', 1)) AS v(y, x);
RESET client_min_messages;

-- bad input
SELECT try($$SELECT least_squares_classifier('one', a) FROM points$$);
SELECT least_squares_classifier('one', a, '{"too_few_rows": "null"}') IS NULL AS no_model FROM points;
SELECT least_squares_classifier(NULL::text, a) IS NULL AS all_null FROM points;
SELECT least_squares_classifier(three, a) IS NULL AS no_rows FROM points WHERE false;
SELECT try($$SELECT least_squares_classifier(three, a, '{"lambda": -1}') FROM points$$);
SELECT try($$SELECT least_squares_classifier(three, a, '{"matrix": "all"}') FROM points$$);
SELECT try($$SELECT least_squares_classifier(three, 'NaN'::float8) FROM points$$);
SELECT split_part(try($$SELECT probability(least_squares_classifier(three, a), 1) FROM points$$), E'\n', 1);
SELECT try($$SELECT decision(least_squares_classifier(three, a), 1) FROM points$$);
SELECT try($$SELECT predict(least_squares_classifier(three, a), 1) FROM points$$);
-- large offsets and scales
SELECT near(e[2], 1.2, 1e-6) AS offset_kept FROM (SELECT estimates(least_squares_classifier(y, x)) AS e FROM (VALUES (0, 1e9), (0, 1e9 + 0.5), (1, 1e9 + 2), (1, 1e9 + 1.5)) AS t(y, x)) q;
SELECT try($$SELECT least_squares_classifier(i % 2, i * 1e300) FROM generate_series(1, 20) AS i$$) ~ '^(ok|22003)' AS fitted_or_refused;
SELECT try($$SELECT least_squares_classifier(i % 2, i * 1e-300) FROM generate_series(1, 20) AS i$$) ~ '^(ok|22003)' AS fitted_or_refused;
DROP TABLE points, probe, serial;
