-- Distances of amounts, sets, mixed rows and places: canberra, bray_curtis, jaccard, dice, gower, haversine, correlation.
SET search_path = public, test, pgfit, pgfit_textbook;
SET client_min_messages = error;
-- against their definitions, over all pairs; 0/0 is 0
CREATE TABLE amounts AS SELECT i, (i * 7 % 5)::float8 AS a, (i * i % 7)::float8 AS b, CASE WHEN i % 3 = 0 THEN 0 ELSE i / 4.0 END::float8 AS c FROM generate_series(1, 12) AS i;
INSERT INTO amounts VALUES (13, 0, 0, 0), (14, 0, 0, 0);
SELECT count(*), bool_and(near(canberra_distance((p.a, p.b, p.c), (q.a, q.b, q.c)), canberra)) AS canberra, bool_and(near(bray_curtis_distance((p.a, p.b, p.c), (q.a, q.b, q.c)), bray_curtis)) AS bray_curtis,
    bool_and(near(jaccard_distance((p.a, p.b, p.c), (q.a, q.b, q.c)), coalesce(differ / nullif(differ + shared, 0), 0))) AS jaccard, bool_and(near(dice_distance((p.a, p.b, p.c), (q.a, q.b, q.c)), coalesce(differ / nullif(differ + 2 * shared, 0), 0))) AS dice,
    bool_and(near(gower_distance((p.a, p.b, p.c), (q.a, q.b, q.c), ARRAY[4, 6, 3]), (abs(p.a - q.a) / 4 + abs(p.b - q.b) / 6 + abs(p.c - q.c) / 3) / 3)) AS gower
FROM amounts p, amounts q, LATERAL (SELECT sum(coalesce(abs(x - y) / nullif(abs(x) + abs(y), 0), 0)) AS canberra, coalesce(sum(abs(x - y)) / nullif(sum(abs(x + y)), 0), 0) AS bray_curtis,
    sum(((x <> 0) <> (y <> 0))::int)::float8 AS differ, sum((x <> 0 AND y <> 0)::int)::float8 AS shared FROM unnest(ARRAY[p.a, p.b, p.c], ARRAY[q.a, q.b, q.c]) AS t(x, y)) AS d;
-- booleans, bit strings and arrays are the same sets; numbers below 0 are in a set too
SELECT round(jaccard_distance((true, true, false, false), (false, true, true, false))::numeric, 6) AS booleans, round(jaccard_distance(B'1100', B'0110')::numeric, 6) AS bits, round(jaccard_distance(ARRAY[2, -1, 0, 0], ARRAY[0, 5, 0.1, 0])::numeric, 6) AS numbers,
    dice_distance(B'1100', B'0110') AS dice, jaccard_distance(B'', B'') AS empty, dice_distance(B'000', B'000') AS zeros, distance(ARRAY[1, 0], ARRAY[1, 1], 'binary') AS "binary";
-- names and options; categories count 0 or 1 in canberra and gower
SELECT distance(ARRAY[1.0, 2], ARRAY[2.0, 2], 'seuclidean', '{"variances": [4, 1]}') AS seuclidean, canberra_distance((1, 'u'::text), (3, 'v'::text)) AS canberra, round(distance((1, 'u'::text, true), (3, 'v'::text, false), 'gower', '{"ranges": [4, 1]}')::numeric, 6) AS gower,
    near(correlation_distance(ARRAY[1, 2, 4], ARRAY[3, 1, 0]), 1 - (SELECT corr(x, y) FROM (VALUES (1, 3), (2, 1), (4, 0)) AS t(x, y))) AS correlation, correlation_distance(ARRAY[1, 2, 3], ARRAY[20, 40, 60]) AS same, correlation_distance(ARRAY[1, 2, 3], ARRAY[3, 2, 1]) AS opposite;
-- names of other tools, which the option took and the functions refused
SELECT distance(ARRAY[1, 2], ARRAY[3, 5], 'cityblock') AS cityblock, distance(ARRAY[1, 2], ARRAY[3, 5], 'l1') AS l1, kernel_distance(ARRAY[1, 0], ARRAY[1, 0], 'poly') AS poly;
-- R's daisy(metric = "gower") of a number, an ordered factor and a factor
CREATE TYPE shirt AS ENUM ('s', 'm', 'l', 'xl');
CREATE TABLE shirts (id int, price float8, size shirt, color text);
INSERT INTO shirts VALUES (1, 1, 's', 'p'), (2, 2, 'l', 'q'), (3, 4, 'm', 'p');
SELECT a.id, b.id, round(gower_distance((a.price, a.size, a.color), (b.price, b.size, b.color), ARRAY[3, 2])::numeric, 7) AS pair, round(g.distance::numeric, 7) AS learned
FROM shirts a JOIN shirts b ON a.id < b.id JOIN (SELECT (radius_graph(neighbors(id, f, '{"metric": "gower"}'), 'Infinity', NULL::int)).* FROM shirts, LATERAL (SELECT price, size, color) AS f) AS g ON g.id = a.id AND g.neighbor_id = b.id ORDER BY 1, 2;
-- mixed takes an ordered enum as a number as well: by its rank, in standard deviations
SELECT a.id, b.id, near(g.distance, sqrt((a.price - b.price) ^ 2 / v.p + (a.rank - b.rank) ^ 2 / v.r + (a.color <> b.color)::int)) AS mixed
FROM (SELECT *, CASE size WHEN 's' THEN 1 WHEN 'm' THEN 2 ELSE 3 END AS rank FROM shirts) a JOIN (SELECT *, CASE size WHEN 's' THEN 1 WHEN 'm' THEN 2 ELSE 3 END AS rank FROM shirts) b ON a.id < b.id
    JOIN (SELECT (radius_graph(neighbors(id, f, '{"metric": "mixed"}'), 'Infinity', NULL::int)).* FROM shirts, LATERAL (SELECT price, size, color) AS f) AS g ON g.id = a.id AND g.neighbor_id = b.id,
    (SELECT var_pop(price) AS p, 2.0 / 3 AS r FROM shirts) AS v ORDER BY 1, 2;
-- a level that no row had keeps its place; the range is that of the rows, which new rows may leave; a constant number counts nothing
SELECT v.size, round(distance(m, f)::numeric, 6) AS distance FROM (SELECT medoid(f, '{"metric": "gower"}') AS m FROM shirts, LATERAL (SELECT price, size, 7.5 AS constant) AS f) AS fit, unnest(enum_range(NULL::shirt)) AS v(size), LATERAL (SELECT 2.0::float8 AS price, v.size, 9.0 AS constant) AS f ORDER BY 1;
-- places: Berlin, Paris, Suva and Apia across the date line, the poles, antipodes
CREATE TABLE places (name text, latitude float8, longitude float8);
INSERT INTO places VALUES ('Berlin', 52.52, 13.405), ('Paris', 48.8566, 2.3522), ('Suva', -18.1416, 178.4419), ('Apia', -13.8333, -171.7667), ('north', 90, 0), ('also north', 90, 120), ('south', -90, 0), ('opposite Berlin', -52.52, -166.595);
SELECT p.name, q.name, round(haversine_distance((p.latitude, p.longitude), (q.latitude, q.longitude))::numeric, 3) AS kilometers FROM places p JOIN places q ON (p.name, q.name) IN (('Berlin', 'Paris'), ('Suva', 'Apia'), ('north', 'also north'), ('north', 'south'), ('Berlin', 'opposite Berlin')) ORDER BY 1, 2;
SELECT bool_and(near(haversine_distance((p.latitude, p.longitude), (q.latitude, q.longitude), 1), h, 1e-9)) AS formula, bool_and(near(distance((radians(p.latitude), radians(p.longitude)), (radians(q.latitude), radians(q.longitude)), 'haversine', '{"angle_unit": "radians", "sphere_radius": 1}'), h, 1e-9)) AS radians,
    bool_and(near(haversine_distance((p.latitude, p.longitude + 360), (q.latitude, q.longitude), 2), 2 * h, 1e-9)) FILTER (WHERE p.longitude <= 0) AS turned
FROM places p, places q, LATERAL (SELECT 2 * asin(least(1, sqrt(sin(radians(p.latitude - q.latitude) / 2) ^ 2 + cos(radians(p.latitude)) * cos(radians(q.latitude)) * sin(radians(p.longitude - q.longitude) / 2) ^ 2))) AS h) AS f WHERE p.name < q.name AND p.name <> 'Berlin';
SELECT n.id, round(n.distance::numeric, 1) AS kilometers FROM (SELECT neighbors(name, (latitude, longitude), '{"metric": "haversine"}') AS m FROM places) AS fit, nearest(m, (50.0, 8.0), 3) AS n;
-- axioms
SELECT name, (is_metric(name)).* FROM unnest('{canberra,bray_curtis,jaccard,binary,dice,gower,haversine,correlation,seuclidean,mahalanobis}'::text[]) AS name;
-- every method that takes a metric takes these, and mahalanobis and seuclidean by name; the models can be read again, and score their rows
CREATE TABLE spots AS SELECT i AS id, i % 2 AS label, (i * 37 % 41)::float8 AS a, (i * i % 43)::float8 AS b, (i % 3)::float8 AS c, (i * 11 % 7)::float8 AS d FROM generate_series(1, 60) AS i;
CREATE FUNCTION by_metric(method text, metric text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    m model;
    features text = CASE metric WHEN 'haversine' THEN 'row(a, b)' ELSE 'row(a, b, c, d)' END;
    options jsonb = jsonb_build_object('metric', metric) || (CASE method WHEN 'kmedoids' THEN '{"k": 2}' WHEN 'dbscan' THEN '{"radius": 0.2}' WHEN 'local_outlier_factor' THEN '{"k": 5}' ELSE '{}' END)::jsonb;
    target text = CASE WHEN method ~ '^(neigh|hier|db|hdb|opt|local)' THEN 'id, ' WHEN method ~ '^(knn|nearest)' THEN 'label, ' ELSE '' END;
    scored bigint = 0;
BEGIN
    EXECUTE format('SELECT %I(%s%s, $1) FROM spots', method, target, features) INTO m USING options;
    IF method !~ '^(hier|dist|hdb|opt|local|db)' THEN
        EXECUTE format('SELECT count(distance($1, %s)) FROM spots', features) INTO scored USING m;
    END IF;
    RETURN CASE WHEN m::text::model = m AND scored IN (0, 60) THEN method ELSE method || ': another model, ' || scored END;
END
$$;
SELECT metric, string_agg(by_metric(method, metric), ' ' ORDER BY method) AS methods
FROM unnest('{canberra,bray_curtis,jaccard,binary,dice,gower,haversine,correlation,seuclidean,mahalanobis}'::text[]) AS metric, unnest('{neighbors,knn_classifier,knn_regression,kmedoids,hierarchical,medoid,dbscan,hdbscan,optics,local_outlier_factor,distance_histogram,nearest_exemplar}'::text[]) AS method
GROUP BY metric ORDER BY metric;
SELECT metric, near(silhouette(label, CASE metric WHEN 'haversine' THEN ARRAY[a, b] ELSE ARRAY[a, b, c, d] END, jsonb_build_object('metric', metric)), (
    SELECT avg((other - own) / nullif(greatest(own, other), 0)) FROM (SELECT avg(dist) FILTER (WHERE p.label = q.label AND p.id <> q.id) AS own, avg(dist) FILTER (WHERE p.label <> q.label) AS other
        FROM spots p, spots q, LATERAL (SELECT distance(CASE metric WHEN 'haversine' THEN ARRAY[p.a, p.b] ELSE ARRAY[p.a, p.b, p.c, p.d] END, CASE metric WHEN 'haversine' THEN ARRAY[q.a, q.b] ELSE ARRAY[q.a, q.b, q.c, q.d] END, metric) AS dist) AS d GROUP BY p.id) AS s), 1e-9) AS silhouette
FROM spots, unnest('{canberra,bray_curtis,jaccard,haversine}'::text[]) AS metric GROUP BY metric ORDER BY metric;
-- trees find what a look at all rows finds; where they cannot, they are refused
SELECT metric, string_agg(DISTINCT info(m) -> 'statistics' ->> 'index', ' ' ORDER BY info(m) -> 'statistics' ->> 'index') AS indexes, count(DISTINCT found) AS answers
FROM unnest('{canberra,jaccard,dice,gower,haversine,correlation}'::text[]) AS metric, unnest('{brute,kd_tree,ball_tree}'::text[]) AS index, LATERAL (SELECT neighbors(i, CASE metric WHEN 'haversine' THEN ARRAY[x, y] ELSE ARRAY[x, y, z] END, jsonb_build_object('metric', metric, 'index', index)) AS m
    FROM (SELECT i, i * 37 % 61 - 30.0 AS x, i * i % 83 - 40.0 AS y, greatest(0, i * 11 % 17 - 8.0) AS z FROM generate_series(1, 400) AS i) AS t) AS f,
    LATERAL (SELECT array_agg(n ORDER BY q, n.distance, n.id) AS found FROM generate_series(1, 20) AS q, LATERAL nearest(m, CASE metric WHEN 'haversine' THEN ARRAY[q * 1.5, q * 7.0] ELSE ARRAY[q * 1.5, q * 7.0 - 50, greatest(0, q - 10)] END, 5) AS n) AS s GROUP BY metric ORDER BY metric;
SELECT try($$SELECT neighbors(id, (a, b), '{"metric": "bray_curtis", "index": "ball_tree"}') FROM spots$$);
-- very large and very small numbers
SELECT canberra_distance(ARRAY[1.7e308, 1e-310], ARRAY[-1.7e308, 3e-310]) AS canberra, bray_curtis_distance(ARRAY[1.5e308, 1.5e308], ARRAY[0.5e308, 1.5e308]) AS bray_curtis, near(correlation_distance(ARRAY[1e308, -1e308, 0], ARRAY[1e-300, 0, 2e-300]), 1) AS correlation;
SELECT near(distance, 1.0 / 7) AS scaled FROM nearest((SELECT neighbors(i, ARRAY[i * 1e305, i * 3e305], '{"metric": "bray_curtis"}') FROM generate_series(2, 4) AS i), ARRAY[3e305, 9e305], 2) AS n WHERE distance > 0;
-- refusals
SELECT try(s) FROM unnest(ARRAY['SELECT haversine_distance((113.4, 52.5), (1, 2))', 'SELECT haversine_distance((13.4, 452.5), (1, 2))', 'SELECT haversine_distance((1, 2, 3), (1, 2, 3))', 'SELECT haversine_distance((1, 2), (1, 2), 0)', $$SELECT haversine_distance((1, 2), (1, 2), 'NaN')$$, $$SELECT haversine_distance(('a'::text, 2), ('b'::text, 2))$$,
    'SELECT bray_curtis_distance(ARRAY[1], ARRAY[-1])', $$SELECT bray_curtis_distance((1, 'a'::text), (2, 'a'::text))$$, $$SELECT jaccard_distance((1, 'a'::text), (2, 'a'::text))$$, $$SELECT jaccard_distance(B'11', B'110')$$, 'SELECT correlation_distance(ARRAY[0.1, 0.1, 0.1], ARRAY[1, 2, 3])',
    'SELECT correlation_distance(ARRAY[5], ARRAY[3])', 'SELECT gower_distance((1, 2), (3, 4), ARRAY[1])', 'SELECT gower_distance((1, 2), (3, 4), ARRAY[1, 0])', $$SELECT gower_distance(row('s'::shirt), row('s'::text), ARRAY[1])$$, $$SELECT distance((1, 2), (3, 4), 'gower')$$, $$SELECT distance((1, 2), (3, 4), 'canberra', '{"p": 2}')$$,
    $$SELECT distance((1, 2), (3, 4), 'euclidean', '{"sphere_radius": 2}')$$, $$SELECT distance((1, 2), (3, 4), 'haversine', '{"angle_unit": "gon"}')$$, $$SELECT distance((1, 2), (3, 4), 'haversine', '{"sphere_radius": 0}')$$, $$SELECT distance((2, 2), (3, 4), 'haversine', '{"angle_unit": "radians"}')$$, $$SELECT distance((1, 2), (3, 4), 'cranberra')$$]) AS s;
SELECT try(format($$SELECT medoid((a, b), '{"metric": "%s", "standardize": true}') IS NOT NULL FROM spots$$, metric)) FROM unnest('{canberra,bray_curtis,jaccard,dice,gower,haversine,correlation}'::text[]) AS metric;
SELECT try($$SELECT neighbors(id, (a + 60, b), '{"metric": "haversine"}') FROM spots$$);
SELECT try($$SELECT neighbors(id, (a, b, c), '{"metric": "haversine"}') FROM spots$$);
SELECT try($$SELECT neighbors(id, (label, a), '{"metric": "correlation"}') FROM spots WHERE a = label$$);
SELECT try($$SELECT medoid(ARRAY[x], '{"metric": "gower"}') FROM (VALUES (1e308), (-1e308)) AS t(x)$$);
-- a row without distances gets none; models from outside
SELECT distance(m, (95, 0)) IS NULL AS no_place FROM (SELECT neighbors(id, (a, b), '{"metric": "haversine"}') AS m FROM spots) AS f;
SELECT what, try(format('SELECT %L::pgfit.model IS NOT NULL', jsonb_set(m::jsonb, '{arrays,metric}', value))) FROM (SELECT neighbors(id, (a, b), '{"metric": "haversine"}') AS m FROM spots WHERE id < 4) AS f,
    (VALUES ('angle', '[25, 2, 1, 6371]'::jsonb), ('radius', '[25, 1, 1, 0]'), ('kind', '[19, 2, 1, 0]'), ('kind', '[27, 2, 1, 0]'), ('gower', '[24, 2, 1, 0]'), ('canberra', '[20, 2, 1, 0]')) AS v(what, value);
DROP TABLE amounts, shirts, places, spots;
DROP FUNCTION by_metric(text, text);
DROP TYPE shirt;
