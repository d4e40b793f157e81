-- Neighbors: weights by an expression of distance, the class of outliers, an infinite radius, and graphs of a model's own rows.
SET search_path = public, test, pgfit;
SET client_min_messages = error;
CREATE TABLE six (id int, x float8, y float8, label text, value float8);
INSERT INTO six VALUES (1, 0, 0, 'a', 1), (2, 1, 0, 'a', 2), (3, 0, 1, 'b', 3), (4, 5, 5, 'b', 4), (5, 6, 5, 'b', 5), (6, 1, 1, 'a', 7);
-- weights against their expression, computed by SQL
SELECT e, near(predict(m, (0.5, 0.1)), wanted) AS mean, near((probabilities(c, (0.5, 0.1)))[1], share) AS votes, m::text::model = m AS readable
FROM (VALUES ('1 / (1 + distance^2)'), ('exp(-distance)'), ('distance < 1'), ('2'), ('sqrt(distance)'), ('1 / distance'), ('abs(distance - 2) * 1e-300'), (' Exp( - distance**2 / 2 ) ')) AS w(e),
    LATERAL (SELECT knn_regression(value, (x, y), '{"k": "all"}'::jsonb || jsonb_build_object('weights', e)) AS m, knn_classifier(label, (x, y), '{"k": "all"}'::jsonb || jsonb_build_object('weights', e)) AS c FROM six WHERE e <> '2') AS f,
    LATERAL (SELECT sum(w * value) / sum(w) AS wanted, sum(w) FILTER (WHERE label = 'a') / sum(w) AS share FROM six, LATERAL (SELECT sqrt((x - 0.5) ^ 2 + (y - 0.1) ^ 2) AS d) AS s,
        LATERAL (SELECT CASE e WHEN '1 / (1 + distance^2)' THEN 1 / (1 + d ^ 2) WHEN 'exp(-distance)' THEN exp(-d) WHEN 'distance < 1' THEN (d < 1)::int WHEN 'sqrt(distance)' THEN sqrt(d) WHEN '1 / distance' THEN 1 / d WHEN 'abs(distance - 2) * 1e-300' THEN abs(d - 2) ELSE exp(-(d ^ 2) / 2) END AS w) AS v) AS s WHERE e <> '2';
-- the words still are words, and row weights multiply
SELECT near(predict(m, (0.5, 0.1)), predict(e, (0.5, 0.1))) AS distance, near(predict(g, (0.5, 0.1)), predict(h, (0.5, 0.1)), 1e-9) AS gaussian, near(predict(w, (0, 0)), (2 * 1 / 1.0 + 1 * 2 / 2 + 3 * 3 / 2.0) / (2 + 1 / 2.0 + 3 / 2.0) + 0, 1) AS weighted
FROM (SELECT knn_regression(value, (x, y), 4, '{"weights": "distance"}') AS m, knn_regression(value, (x, y), 4, '{"weights": "1 / distance"}') AS e, knn_regression(value, (x, y), 4, '{"weights": "gaussian", "gamma": 0.7}') AS g,
        knn_regression(value, (x, y), 4, '{"weights": "exp(-0.7 * distance^2)"}') AS h, knn_regression(value, (x, y), 3, '{"weights": "1 / (1 + distance)"}', id) AS w FROM six) AS f;
-- leave-one-out with an expression; no weight above 0: no number, no class
SELECT info(m) -> 'statistics' AS loo FROM (SELECT knn_regression(value, (x, y), '{"k": "loo", "weights": "1 / (1 + distance)"}'::jsonb) AS m FROM six) AS f;
SELECT predict(m, (0, 0)) AS number, classify(c, (0, 0)) AS class, probabilities(c, (0, 0)) AS shares, classify(o, (0, 0)) AS outlier
FROM (SELECT knn_regression(value, (x, y), 3, '{"weights": "distance > 100"}') AS m, knn_classifier(label, (x, y), 3, '{"weights": "distance > 100"}') AS c, knn_classifier(label, (x, y), 3, '{"weights": "distance > 100", "outlier_label": "b"}') AS o FROM six) AS f;
-- the class of outliers: by label, by number, the most frequent; NULL without it
SELECT p.x, classify(n, (p.x, p.x)) AS "null", classify(b, (p.x, p.x)) AS b, probabilities(b, (p.x, p.x)) AS shares, classify(m, (p.x, p.x)) AS most_frequent, classify(i, (p.x, p.x)) AS number, classify(t, (p.x, p.x)) AS truth
FROM (VALUES (0.5), (50)) AS p(x), (SELECT knn_classifier(label, (x, y), '{"radius": 2}'::jsonb) AS n, knn_classifier(label, (x, y), '{"radius": 2, "outlier_label": "b"}'::jsonb) AS b, knn_classifier(label, (x, y), '{"radius": 2, "outlier_label": "most_frequent"}'::jsonb) AS m,
    knn_classifier(id % 2, (x, y), '{"radius": 2, "outlier_label": 1}'::jsonb) AS i, knn_classifier(id > 3, (x, y), '{"radius": 2, "outlier_label": true}'::jsonb) AS t FROM six) AS f ORDER BY 1;
-- most frequent by weight; a class of that name comes first; other classes are a matter of coalesce
SELECT classify(w, (50, 50)) AS heaviest, classify(n, (50, 50)) AS named, coalesce(classify(o, (50, 50)), 'outlier') AS other FROM (SELECT knn_classifier(label, (x, y), '{"radius": 1, "outlier_label": "most_frequent"}'::jsonb, id) AS w,
    knn_classifier(CASE id WHEN 1 THEN 'most_frequent' ELSE label END, (x, y), '{"radius": 1, "outlier_label": "most_frequent"}'::jsonb) AS n, knn_classifier(label, (x, y), '{"radius": 1}'::jsonb) AS o FROM six) AS f;
-- an infinite radius: all rows
SELECT near(predict(m, (9, 9)), 22.0 / 6) AS mean, (SELECT count(*) FROM nearest(n, (9, 9))) AS rows, n::text::model = n AS readable
FROM (SELECT knn_regression(value, (x, y), '{"radius": "Infinity"}'::jsonb) AS m, neighbors(id, (x, y), '{"radius": "Infinity", "metric": "haversine"}') AS n FROM six) AS f;
-- graphs: each row's nearest others, and all pairs within a radius, boundary included
SELECT id, array_agg((neighbor_id, round(distance::numeric, 6)) ORDER BY distance, neighbor_id) AS neighbors FROM neighbor_graph((SELECT neighbors(id, (x, y)) FROM six), 2, NULL::int) AS g GROUP BY id ORDER BY id;
SELECT id, array_agg(neighbor_id ORDER BY neighbor_id) AS within FROM radius_graph((SELECT neighbors(id, (x, y)) FROM six), 1) AS g GROUP BY id ORDER BY id;
SELECT pg_typeof(id) AS id, pg_typeof(neighbor_id) AS neighbor_id, count(*) FROM radius_graph((SELECT neighbors(id, (x, y)) FROM six), 'Infinity', NULL::bigint) AS g GROUP BY 1, 2;
-- equal rows are neighbors at distance 0, a row is not its own; every index gives the same graph
CREATE TABLE many AS SELECT i AS id, (i * 37 % 53)::float8 AS x, (i * i % 59)::float8 AS y FROM generate_series(1, 300) AS i UNION ALL SELECT 301, 37, 1;
SELECT index, count(*) AS pairs, count(*) FILTER (WHERE distance = 0) AS equal, count(*) FILTER (WHERE id = neighbor_id) AS selves, md5(string_agg(id || ' ' || neighbor_id || ' ' || distance, ',' ORDER BY id, distance, neighbor_id)) = lag(md5(string_agg(id || ' ' || neighbor_id || ' ' || distance, ',' ORDER BY id, distance, neighbor_id))) OVER (ORDER BY index) AS same
FROM unnest('{ball_tree,brute,kd_tree}'::text[]) AS index, LATERAL (SELECT neighbors(id, (x, y), jsonb_build_object('index', index)) AS m FROM many) AS f, LATERAL radius_graph(m, 6, NULL::int) AS g GROUP BY index ORDER BY index;
SELECT bool_and(g.distance = n.distance) AS as_nearest FROM (SELECT neighbors(id, (x, y)) AS m FROM many) AS f, many AS p, LATERAL (SELECT distance, row_number() OVER (ORDER BY distance) AS place FROM nearest(m, (p.x, p.y), 5) WHERE id <> p.id::text) AS n
    JOIN LATERAL (SELECT distance, row_number() OVER (ORDER BY distance) AS place FROM neighbor_graph(m, 4) AS h WHERE h.id = p.id::text) AS g USING (place) WHERE p.id % 50 = 7;
SELECT count(*) AS of_null FROM neighbor_graph(NULL, 3), radius_graph(NULL, 3);
-- multiple targets: neighbors once, joined to as many columns as there are
SELECT avg(t.value) AS value, round(avg(t.x)::numeric, 6) AS x, predict(r, (0.4, 0.3)) AS one FROM (SELECT neighbors(id, (x, y)) AS m, knn_regression(value, (x, y), 3) AS r FROM six) AS f, nearest(m, (0.4, 0.3), 3, NULL::int) AS n JOIN six AS t ON t.id = n.id GROUP BY r;
-- refusals
SELECT try(format('SELECT knn_regression(value, (x, y), 3, %L) IS NOT NULL FROM six', jsonb_build_object('weights', w)))
FROM unnest('{heavy,1) + (distance,1 / (1 + dist,x * distance,distance + x,"",~ distance,poly(distance),log(2),distance + ''a'',DISTANCE}'::text[]) AS w;
SELECT try(format('SELECT predict(knn_regression(value, (x, y), 3, %L), (0, 0)) FROM six', jsonb_build_object('weights', w))) FROM unnest('{1 / distance,log(distance),distance - 1,-distance,sqrt(distance - 1)}'::text[]) AS w;
SELECT try(s) FROM unnest(ARRAY[$$SELECT knn_regression(value, (x, y), '{"k": "loo", "weights": "distance > 3"}'::jsonb) FROM six$$, $$SELECT knn_classifier(label, (x, y), 3, '{"outlier_label": "b"}') FROM six$$, $$SELECT knn_classifier(label, (x, y), '{"radius": 1, "outlier_label": "c"}'::jsonb) FROM six$$,
    $$SELECT knn_regression(value, (x, y), '{"radius": 1, "outlier_label": "b"}'::jsonb) FROM six$$, $$SELECT neighbors(id, (x, y), '{"radius": "infinite"}') FROM six$$, $$SELECT neighbors(id, (x, y), '{"radius": 1e309}') FROM six$$,
    'SELECT count(*) FROM neighbor_graph((SELECT neighbors(id, (x, y)) FROM six), 6)', 'SELECT count(*) FROM neighbor_graph((SELECT neighbors(id, (x, y)) FROM six), 0)', 'SELECT count(*) FROM radius_graph((SELECT neighbors(id, (x, y)) FROM six), -1)', $$SELECT count(*) FROM radius_graph((SELECT neighbors(id, (x, y)) FROM six), 'NaN')$$,
    'SELECT count(*) FROM neighbor_graph((SELECT knn_regression(value, (x, y)) FROM six), 2)', 'SELECT count(*) FROM neighbor_graph((SELECT linear_regression(value, (x, y)) FROM six), 2)', $$SELECT count(*) FROM neighbor_graph((SELECT neighbors('i' || id, (x, y)) FROM six), 2, NULL::int)$$]) AS s;
-- models from outside
SELECT what, try(format('SELECT %L::pgfit.model IS NOT NULL', jsonb_set(m::jsonb, path, value))) FROM (SELECT knn_classifier(label, (x, y), '{"radius": 1, "outlier_label": "b", "weights": "exp(-distance)"}'::jsonb) AS m FROM six) AS f,
    (VALUES ('outlier', '{arrays,outlier}'::text[], '{"i64": [2]}'::jsonb), ('expression', '{arrays,weight_expression}', '{"text": ["exp(-x)"]}'), ('expression', '{arrays,weight_expression}', '{"text": ["1) + (distance"]}'), ('two', '{arrays,weight_expression}', '{"text": ["distance", "distance"]}'),
            ('rule', '{arrays,search}', '[0, 1, 0, 1, 1, 0, 0]'), ('rule', '{arrays,search}', '[0, 1, 0, 4, 1, 0, 0]'), ('expression', '{arrays,weight_expression}', '{"text": ["2 * distance"]}')) AS v(what, path, value);
SELECT try(format('SELECT %L::pgfit.model IS NOT NULL', m::jsonb #- '{arrays,weight_expression}')) FROM (SELECT knn_classifier(label, (x, y), '{"radius": 1, "weights": "exp(-distance)"}'::jsonb) AS m FROM six) AS f;
DROP TABLE six, many;
-- rows that differ in their weights alone are kept in the order of these, in whichever they come
SELECT count(DISTINCT m::text) AS models FROM (VALUES (1), (7), (11), (13), (23)) AS o(step), LATERAL (SELECT knn_regression(y, f, '{"k": 3}', w ORDER BY i * step % 79) AS m FROM (SELECT i, i / 8 AS y, i * 7 % 8 + 1 AS w, i / 8 AS x FROM generate_series(0, 79) AS i) AS r, LATERAL (SELECT x) AS f) AS s;
