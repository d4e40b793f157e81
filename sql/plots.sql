-- data for plots: grids, ranges, ellipses, Voronoi cells, histograms of scores
SET search_path = public, test, pgfit;
SET client_min_messages = warning;
CREATE TABLE flowers AS SELECT i, CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' ELSE 'c' END AS kind, (i % 3) * 2 + sin(i * 1.7) AS u,
    (i % 3) * (i % 3) + cos(i * 2.3) + 0.3 * sin(i * 1.7) AS v, i % 5 AS w, CASE WHEN i % 4 < 2 THEN 'red' ELSE 'blue' END AS color
FROM generate_series(1, 90) AS i;
CREATE TABLE models(name text, m model);
INSERT INTO models
SELECT name, v.m FROM (SELECT qda(kind, (SELECT f FROM (SELECT u, v) AS f)) AS qda, knn_classifier(kind, (SELECT f FROM (SELECT u, v) AS f)) AS knn,
        tree_classifier(kind, (SELECT f FROM (SELECT u, v) AS f)) AS tree, logistic_regression(kind, (SELECT f FROM (SELECT u, v) AS f), '{"lambda": 0.1}') AS logistic,
        logistic_regression(kind = 'a', (SELECT f FROM (SELECT u, v) AS f), '{"lambda": 0.1}') AS logistic_of_two,
        svm_classifier(kind, (SELECT f FROM (SELECT u, v) AS f), '{"kernel": "rbf", "standardize": true}') AS svm,
        nearest_centroid(kind, (SELECT f FROM (SELECT u, v) AS f)) AS nearest_centroid, perceptron(kind = 'a', (SELECT f FROM (SELECT u, v) AS f)) AS perceptron,
        logistic_regression(kind = 'a', f, '{"formula": "poly(u, 2) + v", "lambda": 0.1}') AS formula
      FROM flowers AS f) AS t, LATERAL (VALUES ('qda', qda), ('knn_classifier', knn), ('tree_classifier', tree), ('logistic_regression', logistic),
        ('logistic_regression of two', logistic_of_two), ('svm_classifier', svm), ('nearest_centroid', nearest_centroid), ('perceptron', perceptron),
        ('a formula that learns', formula)) AS v(name, m);
INSERT INTO models SELECT 'pipeline', pipeline(s, (SELECT qda(kind, transform_row(s, f)) FROM flowers AS f))
FROM (SELECT standard_scaler((SELECT f FROM (SELECT u, v) AS f)) AS s FROM flowers) AS t;

-- each label is what classify says of the point, and each score what probability or decision says
SELECT name, count(*), bool_and(g.label = classify(m, p)) AS classified, count(DISTINCT label) AS labels,
       bool_and(g.score IS NOT DISTINCT FROM
                CASE WHEN name IN ('logistic_regression of two', 'a formula that learns') THEN probability(m, p)
                     WHEN name = 'perceptron' THEN decision(m, p)
                     WHEN name IN ('svm_classifier', 'nearest_centroid') THEN (SELECT max(d) FROM unnest(decisions(m, p)) AS d)
                     ELSE (SELECT max(d) FROM unnest(probabilities(m, p)) AS d) END) AS scored
FROM models, decision_grid(m, 'u', 'v', 7, '{-2, 6}', '{-2, 6}') AS g, jsonb_build_object('u', g.x, 'v', g.y) AS p
GROUP BY name ORDER BY name;
-- the axes of a formula are its inputs
SELECT bool_and(g.label = classify(m, jsonb_build_object('u', g.x, 'v', exp(g.y) - 5))) AS classified
FROM (SELECT logistic_regression(kind, f, '{"formula": "u + log(v + 5)", "lambda": 0.1}') AS m FROM flowers AS f) AS t, decision_grid(m, 'u', 'log(v + 5)', 7, '{-2, 6}', '{1, 2}') AS g;
-- order of the points, and their ends
SELECT x, y, label FROM decision_grid((SELECT m FROM models WHERE name = 'qda'), 'v', 'u', 3, '{0, 4}', '{-1, 0.5}');
-- numbers and clusters
SELECT bool_and(g.score = predict(m, p)) AS predicted, bool_and(g.label IS NULL) AS no_label
FROM (SELECT linear_regression(w, f, '{"features": ["u", "v"]}') AS m FROM flowers AS f) AS t,
     decision_grid(m, 'u', 'v', 5, '{0, 1}', '{0, 1}') AS g, jsonb_build_object('u', g.x, 'v', g.y) AS p;
SELECT bool_and(g.label = cluster(m, p)::text) AS clustered, bool_and(g.score = distance(m, p)) AS distance
FROM (SELECT kmeans((SELECT f FROM (SELECT u, v) AS f), 3) AS m FROM flowers) AS t,
     decision_grid(m, 'u', 'v', 5) AS g, jsonb_build_object('u', g.x, 'v', g.y) AS p;
SELECT bool_and(g.label = cluster(m, p)::text) AS clustered, bool_and(g.score = (SELECT max(d) FROM unnest(probabilities(m, p)) AS d)) AS share
FROM (SELECT gaussian_mixture((SELECT f FROM (SELECT u, v) AS f), '{"k": 2}'::jsonb) AS m FROM flowers) AS t,
     decision_grid(m, 'u', 'v', 5) AS g, jsonb_build_object('u', g.x, 'v', g.y) AS p;
SELECT bool_and(g.score = decision(m, p)) AS density, count(label) AS labels
FROM (SELECT multivariate_normal((SELECT f FROM (SELECT u, v) AS f)) AS m FROM flowers) AS t,
     decision_grid(m, 'u', 'v', 5) AS g, jsonb_build_object('u', g.x, 'v', g.y) AS p;
SELECT bool_and(g.label = classify(m, p)) AS outliers, bool_and(g.score = decision(m, p)) AS decision
FROM (SELECT isolation_forest(f, '{"features": ["u", "v"], "n_trees": 20}') AS m FROM flowers AS f) AS t,
     decision_grid(m, 'u', 'v', 5) AS g, jsonb_build_object('u', g.x, 'v', g.y) AS p;
-- the other features: typical values, or those of "at"; categories, arrays
SELECT bool_and(g.label = classify(m, p)) AS classified
FROM (SELECT naive_bayes(kind, f, '{"features": ["u", "v", "w", "color"]}') AS m FROM flowers AS f) AS t,
     decision_grid(m, 'u', 'v', 5, at => '{"color": "red", "w": 3}') AS g,
     jsonb_build_object('u', g.x, 'v', g.y, 'color', 'red', 'w', 3) AS p;
SELECT bool_and(g.score = predict(m, p)) AS predicted
FROM (SELECT linear_regression(w, f, '{"features": ["u", "v", "i"]}') AS m FROM flowers AS f) AS t,
     decision_grid(m, 'u', 'v', 3, '{0, 1}', '{0, 1}') AS g,
     (SELECT typical FROM flowers, LATERAL (SELECT NULL) AS x, (SELECT avg(i)::float8 AS typical FROM flowers) AS a LIMIT 1) AS a,
     jsonb_build_object('u', g.x, 'v', g.y, 'i', a.typical) AS p;
SELECT bool_and(g.label = classify(m, ARRAY[g.x, 2, g.y])) AS by_position
FROM (SELECT lda(kind, ARRAY[u, w, v]) AS m FROM flowers) AS t, decision_grid(m, 'f1', 'f3', 4, at => '{"f2": 2}') AS g;
SELECT bool_and(g.label = classify(m, (SELECT f FROM (SELECT ARRAY[g.x, 2, g.y] AS e) AS f))) AS elements
FROM (SELECT lda(kind, (SELECT f FROM (SELECT ARRAY[u, w, v] AS e) AS f)) AS m FROM flowers) AS t, decision_grid(m, 'e[1]', 'e[3]', 4, at => '{"e": [1, 2, 3]}') AS g;
SELECT count(*) FROM decision_grid(NULL, 'u', 'v');
SELECT count(*) FROM decision_grid((SELECT m FROM models WHERE name = 'qda'), 'u', 'v');

-- what models know of their features
SELECT name, feature, round(low::numeric, 4) AS low, round(high::numeric, 4) AS high, round(typical::numeric, 4) AS typical, source
FROM models, feature_ranges(m) ORDER BY name COLLATE "C", feature;
SELECT bool_and(low = least AND high = greatest AND abs(typical - mean) < 1e-12) AS rows
FROM models, feature_ranges(m), (SELECT min(u) AS least, max(u) AS greatest, avg(u) AS mean FROM flowers) AS t WHERE name = 'knn_classifier' AND feature = 'u';
SELECT bool_and(abs(low - (mean - 3 * sd)) < 1e-12 AND abs(high - (mean + 3 * sd)) < 1e-12) AS standardized
FROM feature_ranges((SELECT standard_scaler((SELECT f FROM (SELECT u, v) AS f)) FROM flowers)), (SELECT avg(u) AS mean, stddev_pop(u) AS sd FROM flowers) AS t WHERE feature = 'u';
SELECT feature, low, high, typical, source FROM feature_ranges((SELECT minmax_scaler((SELECT f FROM (SELECT i, w) AS f), '{"range": [-1, 3]}') FROM flowers));
SELECT feature, round(low::numeric, 6) AS low, high, source FROM feature_ranges((SELECT forest_classifier(kind, f, '{"features": ["w", "color"], "n_trees": 3}') FROM flowers AS f));

-- an ellipse goes through the points whose tail probability is what it leaves out
SELECT name, level, bool_and(abs(tail_probability(m, jsonb_build_object('u', e.x + semi_major * cos(radians(angle)) * cos(t) - semi_minor * sin(radians(angle)) * sin(t),
        'v', e.y + semi_major * sin(radians(angle)) * cos(t) + semi_minor * cos(radians(angle)) * sin(t))) - (1 - level)) < 1e-12) AS on_it
FROM (SELECT 'both' AS name, multivariate_normal((SELECT f FROM (SELECT u, v) AS f)) AS m FROM flowers
      UNION ALL SELECT 'upright', multivariate_normal((SELECT f FROM (SELECT -u AS u, 3 * v AS v) AS f)) FROM flowers) AS n,
     unnest('{0.5, 0.95}'::float8[]) AS level, ellipses(m, level) AS e, generate_series(0, 6.2, 0.7) AS t
GROUP BY name, level ORDER BY name, level;
-- two of three features: the same as a fit to these two
SELECT bool_and(abs(a.x - b.x) + abs(a.y - b.y) + abs(a.semi_major - b.semi_major) + abs(a.semi_minor - b.semi_minor) + abs(a.angle - b.angle) < 1e-9) AS marginal
FROM ellipses((SELECT qda(kind, f, '{"features": ["u", "w", "v"]}') FROM flowers AS f), 0.9, 'v', 'u') AS a
JOIN ellipses((SELECT qda(kind, f, '{"features": ["v", "u"]}') FROM flowers AS f), 0.9) AS b USING (class);
SELECT class, cluster, round(x::numeric, 4) AS x, round(y::numeric, 4) AS y, round(semi_major::numeric, 4) AS major, round(semi_minor::numeric, 4) AS minor, round(angle::numeric, 3) AS angle
FROM (SELECT 1 AS n, lda(kind, (u, v)) AS m FROM flowers UNION ALL SELECT 2, naive_bayes(kind, (u, v)) FROM flowers
      UNION ALL SELECT 3, gaussian_mixture((u, v), '{"k": 2, "covariance_type": "diagonal"}'::jsonb) FROM flowers) AS t, ellipses(m) ORDER BY n, class, cluster;
-- a round one, and one without width
SELECT abs(semi_major - semi_minor) < 1e-12 AS round, angle FROM ellipses((SELECT multivariate_normal(ARRAY[x, y]) FROM (VALUES (1, 0), (-1, 0), (0, 1), (0, -1)) AS t(x, y)));
SELECT count(*) FROM ellipses(NULL);

-- Voronoi cells: each vertex inside the box is as far from its own point as from the points of the other cells that it is in
CREATE TABLE cells AS SELECT 'kmeans' AS name, c.*, m FROM (SELECT kmeans((SELECT f FROM (SELECT u, v) AS f), 7) AS m FROM flowers) AS t, voronoi(m, '{-3, 7}', '{-3, 7}') AS c
    UNION ALL SELECT 'standardized', c.*, m FROM (SELECT kmeans((SELECT f FROM (SELECT u * 100 AS u, v) AS f), 7, '{"standardize": true}') AS m FROM flowers) AS t, voronoi(m) AS c
    UNION ALL SELECT 'kmedoids', c.*, m FROM (SELECT kmedoids((SELECT f FROM (SELECT u, v) AS f), 5) AS m FROM flowers) AS t, voronoi(m, '{-3, 7}', '{-3, 7}') AS c;
SELECT name, count(DISTINCT cluster) AS cells, max(abs(own - nearest)) < 1e-9 AS nearest
FROM (SELECT c.name, c.cluster, c.vertex, max(d) FILTER (WHERE k = c.cluster) AS own, min(d) AS nearest
      FROM cells AS c, unnest(distances(m, jsonb_build_object('u', x, 'v', y))) WITH ORDINALITY AS u(d, k) GROUP BY 1, 2, 3) AS t GROUP BY name ORDER BY name;
-- the cells fill the box, and are convex
SELECT name, round(sum(area)::numeric, 6) AS area, bool_and(convex) AS convex
FROM (SELECT name, cluster, sum(x * next_y - next_x * y) / 2 AS area, bool_and((next_x - x) * (after_y - next_y) - (next_y - y) * (after_x - next_x) > -1e-9) AS convex
      FROM (SELECT *, coalesce(lead(x) OVER w, first_value(x) OVER w) AS next_x, coalesce(lead(y) OVER w, first_value(y) OVER w) AS next_y,
                   coalesce(lead(x, 2) OVER w, CASE WHEN lead(x) OVER w IS NULL THEN nth_value(x, 2) OVER f ELSE first_value(x) OVER w END) AS after_x,
                   coalesce(lead(y, 2) OVER w, CASE WHEN lead(y) OVER w IS NULL THEN nth_value(y, 2) OVER f ELSE first_value(y) OVER w END) AS after_y
            FROM cells WINDOW w AS (PARTITION BY name, cluster ORDER BY vertex),
                              f AS (PARTITION BY name, cluster ORDER BY vertex ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) AS t
      GROUP BY name, cluster) AS t WHERE name <> 'standardized' GROUP BY name ORDER BY name;
-- points of a cell belong to its class; a polygon of PostgreSQL has the point of its cluster
SELECT class, count(*) AS vertices FROM models, voronoi(m, '{-3, 7}', '{-3, 7}') WHERE name = 'nearest_centroid' GROUP BY class ORDER BY class;
SELECT bool_and(polygon @> point(cx, cy)) AS inside
FROM (SELECT cluster, ('(' || string_agg(format('(%s,%s)', x, y), ',' ORDER BY vertex) || ')')::polygon AS polygon FROM cells WHERE name = 'kmeans' GROUP BY cluster) AS p
JOIN (SELECT centroid, max(value) FILTER (WHERE term = 'u') AS cx, max(value) FILTER (WHERE term = 'v') AS cy
      FROM centroids((SELECT DISTINCT ON (name) m FROM cells WHERE name = 'kmeans')) GROUP BY centroid) AS c ON c.centroid = p.cluster;
-- one point has the whole box; a box away from all points, where one cell is left; equal medoids
SELECT cluster, vertex, x, y FROM voronoi((SELECT kmeans((u, v), 1) FROM flowers), '{0, 1}', '{0, 2}');
SELECT cluster, count(*) FROM voronoi((SELECT kmeans(ARRAY[x, x], 2) FROM (VALUES (0), (10)) AS t(x)), '{20, 21}', '{20, 21}') GROUP BY cluster;
-- many cells that meet in one point
SELECT count(*) AS cells, max(n) AS most FROM (SELECT cluster, count(*) AS n FROM voronoi((SELECT kmeans(ARRAY[cos(t), sin(t)], 40)
    FROM generate_series(0, 6.28, 3.14159265358979 / 20) AS t), '{-2, 2}', '{-2, 2}') GROUP BY cluster) AS t;
-- far from 0, and huge: the same cells
SELECT bool_and(abs(a.x + 1e6 - b.x) < 1e-6 AND abs(a.y - b.y) < 1e-6) AS moved, bool_and(abs(a.x / 4 - c.x / 4e200) < 1e-12) AS scaled, count(*)
FROM voronoi((SELECT kmedoids(ARRAY[u, v], 3) FROM flowers), '{0, 4}', '{0, 4}') AS a
JOIN voronoi((SELECT kmedoids(ARRAY[u + 1e6, v], 3) FROM flowers), '{1000000, 1000004}', '{0, 4}') AS b USING (vertex)
JOIN voronoi((SELECT kmedoids(ARRAY[u * 1e200, v * 1e200], 3) FROM flowers), '{0, 4e200}', '{0, 4e200}') AS c USING (vertex)
WHERE abs(a.x + 1e6 - b.x) + abs(a.y - b.y) < 1e-3 AND abs(a.x / 4 - c.x / 4e200) + abs(a.y / 4 - c.y / 4e200) < 1e-3;
SELECT count(*) FROM voronoi(NULL);

-- histograms of scores
SELECT class, bin, low, high, rows, weight, round(share::numeric, 4) AS share FROM unnest((SELECT score_histogram(kind, w, '{"bins": 2}') FROM flowers));
SELECT class, bin, low, high, rows, round(share::numeric, 4) AS share
FROM unnest((SELECT score_histogram(i % 2 = 0, i, '{"bins": 3, "low": 10, "high": 40}') FROM flowers));
-- every row is in one bin: the edges decide
SELECT bool_and(b.rows = n) AS same
FROM unnest((SELECT score_histogram(kind, u, '{"bins": 13}') FROM flowers)) AS b,
     LATERAL (SELECT count(*) AS n FROM flowers WHERE kind = b.class AND u >= b.low AND (u < b.high OR u = b.high AND b.bin = 13)) AS t;
-- with a given range, the histograms of parts add up
SELECT bool_and(whole.rows = parts.rows AND whole.weight = parts.weight) AS merged
FROM unnest((SELECT score_histogram(kind, u, '{"bins": 5, "low": 0, "high": 4}') FROM flowers)) AS whole
JOIN (SELECT class, bin, sum(rows) AS rows, sum(weight) AS weight
      FROM (SELECT score_histogram(kind, u, '{"bins": 5, "low": 0, "high": 4}') AS h FROM flowers GROUP BY i % 7) AS t, unnest(h) GROUP BY class, bin) AS parts USING (class, bin);
SELECT score_histogram(kind, u, '{"bins": 1}', w)::text = score_histogram(kind, u, '{"bins": 1}', w::float8)::text AS weighted, score_histogram(kind, u) FILTER (WHERE false) IS NULL AS empty FROM flowers;
SELECT * FROM unnest((SELECT score_histogram('one', 5, '{"bins": 2}') FROM flowers));
SELECT sum(rows) FROM unnest((SELECT score_histogram('one', s, '{"bins": 3}') FROM unnest('{-1.7e308, 0, 1.7e308, NULL}'::float8[]) AS s));

-- refused
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'z') WHERE name = 'qda'$$);
-- the HINT names the first 20 features
SELECT try(format($$SELECT count(*) FROM (SELECT naive_bayes(kind, array_fill(u, ARRAY[%s])) AS m FROM flowers) AS fits, decision_grid(m, 'z', 'f1')$$, features)) FROM unnest('{20, 21}'::int[]) AS features;
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'u') WHERE name = 'qda'$$);
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'v', 1) WHERE name = 'qda'$$);
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'v', 5001) WHERE name = 'qda'$$);
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'v', 5) WHERE name = 'logistic_regression'$$);
-- features that are computed from the column of an axis
SELECT try($$SELECT count(*) FROM (SELECT logistic_regression(kind, f, '{"formula": "u * v", "lambda": 0.1}') AS m FROM flowers AS f) AS t, decision_grid(m, 'u', 'v', 5, '{0, 1}', '{0, 1}')$$);
SELECT try($$SELECT count(*) FROM (SELECT logistic_regression(kind, f, '{"formula": "u + v + log(v + 5)", "lambda": 0.1}') AS m FROM flowers AS f) AS t, decision_grid(m, 'u', 'log(v + 5)', 5, '{0, 1}', '{0, 1}')$$);
SELECT count(*) FROM (SELECT logistic_regression(kind, f, '{"formula": "u + v + log(w + 5)", "lambda": 0.1}') AS m FROM flowers AS f) AS t, decision_grid(m, 'u', 'v', 5, '{0, 1}', '{0, 1}', '{"log(w + 5)": 2}');
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'v', 5, '{1, 0}') WHERE name = 'qda'$$);
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'v', 5, '{0, NaN}') WHERE name = 'qda'$$);
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'v', 5, '{0, 1, 2}') WHERE name = 'qda'$$);
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'v', 5, '{NULL, 1}') WHERE name = 'qda'$$);
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'v', 5, at => '{"z": 1}') WHERE name = 'qda'$$);
SELECT try($$SELECT count(*) FROM models, decision_grid(m, 'u', 'v', 5, at => '[1]') WHERE name = 'qda'$$);
SELECT try($$SELECT count(*) FROM decision_grid((SELECT tree_classifier(kind, f, '{"features": ["u", "v", "w"]}') FROM flowers AS f), 'u', 'v', 5, '{0, 1}', '{0, 1}')$$);
SELECT try($$SELECT count(*) FROM decision_grid((SELECT naive_bayes(kind, f, '{"features": ["u", "v", "color"]}') FROM flowers AS f), 'u', 'v', 5)$$);
SELECT try($$SELECT count(*) FROM decision_grid((SELECT naive_bayes(kind, f, '{"features": ["u", "v", "color"]}') FROM flowers AS f), 'u', 'v', 5, at => '{"color": "green"}')$$);
SELECT try($$SELECT count(*) FROM decision_grid((SELECT naive_bayes(kind, f, '{"features": ["u", "v", "color"]}') FROM flowers AS f), 'u', 'color', 5)$$);
SELECT try($$SELECT count(*) FROM decision_grid((SELECT naive_bayes(kind, f, '{"features": ["u", "v", "w"]}') FROM flowers AS f), 'u', 'v', 5, at => '{"w": "x"}')$$);
SELECT try($$SELECT count(*) FROM decision_grid((SELECT centroid((u, v)) FROM flowers), 'f1', 'f2', 5, '{0, 1}', '{0, 1}')$$);
SELECT try($$SELECT count(*) FROM decision_grid((SELECT moments(u, (v, w)) FROM flowers), 'f1', 'f2', 5, '{0, 1}', '{0, 1}')$$);
SELECT try($$SELECT feature_ranges((SELECT moments(u, (v, w)) FROM flowers))$$);
SELECT try($$SELECT ellipses(m) FROM models WHERE name = 'knn_classifier'$$);
SELECT try($$SELECT ellipses(m, 1) FROM models WHERE name = 'qda'$$);
SELECT try($$SELECT ellipses(m, 'NaN') FROM models WHERE name = 'qda'$$);
SELECT try($$SELECT ellipses(m, 0.9, 'u') FROM models WHERE name = 'qda'$$);
SELECT try($$SELECT ellipses(m, 0.9, 'u', 'u') FROM models WHERE name = 'qda'$$);
SELECT try($$SELECT ellipses((SELECT lda(kind, (u, v, w)) FROM flowers))$$);
SELECT try($$SELECT ellipses((SELECT lda(kind, f, '{"features": ["u", "v", "color"]}') FROM flowers AS f), 0.9, 'u', 'color=red')$$);
SELECT try($$SELECT voronoi(m) FROM models WHERE name = 'qda'$$);
SELECT try($$SELECT voronoi((SELECT kmeans((u, v, w), 2) FROM flowers))$$);
SELECT try($$SELECT voronoi((SELECT kmedoids((u, v), 2, '{"metric": "manhattan"}') FROM flowers))$$);
SELECT try($$SELECT voronoi((SELECT nearest_centroid(kind, (u, v), '{"metric": "manhattan"}') FROM flowers))$$);
SELECT try($$SELECT voronoi((SELECT kmeans((u, v), 2) FROM flowers), '{2, 1}')$$);
SELECT try($$SELECT score_histogram(kind, u, '{"bins": 0}') FROM flowers$$);
SELECT try($$SELECT score_histogram(kind, u, '{"low": 3, "high": 2}') FROM flowers$$);
SELECT try($$SELECT score_histogram(kind, u, '{"low": 100}') FROM flowers$$);
SELECT try($$SELECT score_histogram(kind, 'NaN') FROM flowers$$);
DROP TABLE flowers, models, cells;
