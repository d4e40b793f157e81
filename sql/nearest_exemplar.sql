-- nearest_exemplar: medoids, means and geometric medians of classes, by any metric.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
-- given exemplars, as classes of one row: by euclidean and manhattan distance the regions differ
CREATE TABLE given (label int, x float8, y float8);
INSERT INTO given VALUES (1, 0, 0), (2, 4, 1), (3, 1, 5);
SELECT metric, string_agg(classify(m, (x, y)), ' ' ORDER BY n) AS classes FROM unnest('{euclidean,manhattan,chebyshev}'::text[]) AS metric, LATERAL (SELECT nearest_exemplar(label, (x, y), jsonb_build_object('metric', metric)) AS m FROM given) AS f,
    (VALUES (1, 2.0, 1.0), (2, 2.2, 0.4), (3, 1, 2.6), (4, 3, 3), (5, 1.5, 2.9)) AS q(n, x, y) GROUP BY metric ORDER BY metric;
-- the exemplars are those of medoid, geometric_median and centroid for each class alone
CREATE TABLE rows AS SELECT i, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS label, (i * 7919 % 101) / 10.0 + i % 3 * 8 AS x, (i * 104729 % 97) / 10.0 + i % 3 * 3 + CASE WHEN i % 50 = 0 THEN 400 ELSE 0 END AS y, 1 + i % 2 AS w FROM generate_series(1, 150) AS i;
SELECT e, metric, bool_and(CASE WHEN e = 'medoid' THEN exemplar = alone ELSE near(exemplar[1], alone[1], 1e-7) AND near(exemplar[2], alone[2], 1e-7) END) AS same
FROM (VALUES ('medoid', 'euclidean'), ('medoid', 'manhattan'), ('medoid', 'canberra'), ('medoid', 'cosine'), ('geometric_median', 'euclidean'), ('mean', 'euclidean')) AS v(e, metric),
    LATERAL (SELECT parameter(nearest_exemplar(label, (x, y), jsonb_build_object('exemplar', e, 'metric', metric)), 'exemplars') AS all_of FROM rows) AS f,
    LATERAL (SELECT row_number() OVER (ORDER BY label) AS place, CASE e WHEN 'medoid' THEN parameter(medoid((x, y), jsonb_build_object('metric', metric)), 'center') WHEN 'mean' THEN parameter(centroid((x, y)), 'center') ELSE parameter(geometric_median((x, y)), 'center') END AS alone FROM rows GROUP BY label) AS s,
    LATERAL (SELECT ARRAY[all_of[place][1], all_of[place][2]] AS exemplar) AS t GROUP BY e, metric ORDER BY 1, 2;
-- outliers move means, not medians and medoids: that of b
SELECT e, round((parameter(m, 'exemplars'))[2][2]::numeric, 2) AS y, sum((classify(m, (x, y)) = label)::int) AS right FROM rows, unnest('{mean,medoid,geometric_median}'::text[]) AS e, LATERAL (SELECT nearest_exemplar(label, (x, y), jsonb_build_object('exemplar', e)) AS m FROM rows) AS f GROUP BY 1, 2 ORDER BY 1;
-- means by euclidean distance are nearest_centroid, standardized or not; weights are repeated rows; the order of rows does not matter
SELECT bool_and(classify(a, (x, y)) = classify(b, (x, y)) AND near((distances(a, (x, y)))[2], (distances(b, (x, y)))[2], 1e-9)) AS as_nearest_centroid, bool_and(near((distances(s, (x, y)))[3], (distances(t, (x, y)))[3], 1e-9)) AS standardized
FROM rows, (SELECT nearest_exemplar(label, (x, y), '{"exemplar": "mean"}') AS a, nearest_centroid(label, (x, y)) AS b, nearest_exemplar(label, (x, y), '{"exemplar": "mean", "standardize": true}') AS s, nearest_centroid(label, (x, y), '{"standardize": true}') AS t FROM rows) AS f;
SELECT e, bool_and(near((parameter(w, 'exemplars'))[1][1], (parameter(r, 'exemplars'))[1][1], 1e-7)) AS weights, bool_and(o = p) AS any_order FROM unnest('{mean,medoid,geometric_median}'::text[]) AS e, LATERAL (SELECT nearest_exemplar(label, (x, y), jsonb_build_object('exemplar', e), w) AS w FROM rows) AS f,
    LATERAL (SELECT nearest_exemplar(label, (x, y), jsonb_build_object('exemplar', e)) AS r FROM rows, generate_series(1, w)) AS g, LATERAL (SELECT nearest_exemplar(label, (x, y), '{"exemplar": "medoid"}' ORDER BY i) AS o, nearest_exemplar(label, (x, y), '{"exemplar": "medoid"}' ORDER BY y DESC) AS p FROM rows) AS h GROUP BY e ORDER BY e;
-- geometric medians of standardized features
SELECT near(exemplars[1][1], u.c[1], 1e-7) AS x, near(exemplars[1][2], u.c[2], 1e-7) AS y FROM (SELECT parameter(nearest_exemplar(label, (x, y), '{"exemplar": "geometric_median", "standardize": true}'), 'exemplars') AS exemplars FROM rows) AS f,
    (SELECT ARRAY[c[1] * s.sx + s.mx, c[2] * s.sy + s.my] AS c FROM (SELECT stddev_pop(x) AS sx, stddev_pop(y) AS sy, avg(x) AS mx, avg(y) AS my FROM rows) AS s, LATERAL (SELECT parameter(geometric_median(ARRAY[(x - mx) / sx, (y - my) / sy]), 'center') AS c FROM rows WHERE label = 'a') AS g) AS u;
-- categories and enums, scores of two classes, ties, a row without distances
SELECT classify(m, (3, 'q'::text)) AS mixed, (parameter(m, 'exemplars'))[1] IS NULL AS two_dimensions FROM (SELECT nearest_exemplar(label, (x, (ARRAY['p', 'q'])[1 + i % 2]), '{"metric": "gower"}') AS m FROM rows) AS f;
SELECT classify(p, 1.5) AS negative, classify(n, 1.5) AS positive, classify(z, 1.5) AS neither, decision(p, 1.0) AS decision, decisions(p, 1.0) AS decisions, distances(p, 1.0) AS distances, distance(p, 1.0) AS distance
FROM (SELECT nearest_exemplar(l, v) AS p, nearest_exemplar(l, v, '{"tie": "positive"}') AS n, nearest_exemplar(l, v, '{"tie": "null"}') AS z FROM (VALUES ('a', 1.0), ('b', 2.0)) AS t(l, v)) AS f;
SELECT classify(m, (0, 0)) IS NULL AS no_direction, distances(m, (0, 0)) IS NULL AS distances FROM (SELECT nearest_exemplar(label, (x, y), '{"metric": "cosine"}') AS m FROM rows WHERE x > 0) AS f;
SELECT summary(m) FROM (SELECT nearest_exemplar(label, f) AS m FROM rows, LATERAL (SELECT x, y) AS f) AS f;
SELECT m::text::model = m AS text, m::jsonb::model = m AS jsonb FROM (SELECT nearest_exemplar(label, (x, y), '{"metric": "mahalanobis"}') AS m FROM rows) AS f;
-- refusals
SELECT try(s) FROM unnest(ARRAY['SELECT nearest_exemplar(1, (x, y)) FROM rows', $$SELECT nearest_exemplar(label, (x, label), '{"exemplar": "mean"}') FROM rows$$, $$SELECT nearest_exemplar(label, (x, label), '{"exemplar": "geometric_median", "metric": "gower"}') FROM rows$$, $$SELECT nearest_exemplar(label, (x, y), '{"exemplar": "median"}') FROM rows$$,
    $$SELECT nearest_exemplar(l, v, '{"exemplar": "mean", "metric": "cosine"}') FROM (VALUES ('a', 1.0), ('a', -1.0), ('b', 2.0)) AS t(l, v)$$, $$SELECT nearest_exemplar(label, (x, y), '{"tie": "positive"}') FROM rows$$, $$SELECT nearest_centroid(label, (x, y), '{"exemplar": "medoid"}') FROM rows$$, $$SELECT nearest_centroid(label, (x, y), '{"exemplar": "mean"}') IS NOT NULL FROM rows$$]) AS s;
SELECT what, try(format('SELECT %L::pgfit.model IS NOT NULL', jsonb_set(m::jsonb, path, value))) FROM (SELECT nearest_exemplar(label, (x, y), '{"metric": "canberra"}') AS m FROM rows) AS f,
    (VALUES ('classes', '{arrays,exemplars}'::text[], '{"f64": [1, 2, 3, 4], "shape": [2, 2]}'::jsonb), ('slots', '{arrays,exemplars}', '{"f64": [1, 2, 3], "shape": [3, 1]}'), ('metric', '{arrays,metric}', '[99, 2, 1, 0]'), ('sound', '{arrays,exemplars}', '{"f64": [1, 2, 3, 4, 5, 6], "shape": [3, 2]}')) AS v(what, path, value);
DROP TABLE given, rows;
-- texts that come in another order than that of their bytes: the exemplars are the medoids of the classes
CREATE TABLE texts AS SELECT * FROM (VALUES (1, 'q', 'zzz'), (2, 'p', 'yyyy'), (3, 'q', 'zzzx'), (4, 'p', 'xyy'), (5, 'q', 'azzx'), (6, 'p', 'yy'), (7, 'p', 'ayyy'), (8, 'p', 'yyy')) AS v(i, label, word);
SELECT string_agg(word, ' ' ORDER BY n) AS exemplars, bool_and(a = b) AS any_order, bool_and(word = alone) AS medoids
FROM (SELECT nearest_exemplar(label, word, '{"metric": "edit"}' ORDER BY i) AS a, nearest_exemplar(label, word, '{"metric": "edit"}' ORDER BY i DESC) AS b FROM texts) AS f, jsonb_array_elements_text(a::jsonb #> '{arrays,texts,text}') WITH ORDINALITY AS t(word, n),
    LATERAL (SELECT medoid(texts.word, '{"metric": "edit"}')::jsonb #>> '{arrays,texts,text,0}' AS alone FROM texts WHERE label = (ARRAY['p', 'q'])[n]) AS m;
DROP TABLE texts;
