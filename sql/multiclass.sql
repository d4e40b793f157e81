-- Several classes by binary problems, over every method that has them; real rows with text and NULLs.
SET search_path = public, test, pgfit;
CREATE TABLE points AS SELECT i, sin(i * 1.7) + (i % 5) * 1.5 AS a, cos(i * 2.3) + (i % 5 - 2) ^ 2 * 0.9 AS b, 'c' || i % 5 AS label FROM generate_series(1, 80) AS i;
SET client_min_messages = error; -- perceptrons do not separate these
CREATE TABLE strategies AS
SELECT method, strategy, m FROM unnest(ARRAY['ovr', 'ovo', 'ecoc']) AS strategy,
    LATERAL (SELECT 'least_squares' AS method, least_squares_classifier(label, f, jsonb_build_object('multiclass', strategy)) AS m FROM points, LATERAL (SELECT a, b, a * b AS c, a * a AS d, b * b AS e) AS f
             UNION ALL SELECT 'perceptron', perceptron(label, f, jsonb_build_object('multiclass', strategy, 'average', true, 'max_iter', 50) ORDER BY i) FROM points, LATERAL (SELECT a, b, a * b AS c, a * a AS d, b * b AS e) AS f
             UNION ALL SELECT 'logistic', logistic_regression(label, f, jsonb_build_object('multiclass', strategy, 'lambda', 0.1)) FROM points, LATERAL (SELECT a, b, a * b AS c, a * a AS d, b * b AS e) AS f) x;
RESET client_min_messages;
SELECT method, strategy, (SELECT count(*) FROM unnest(parameter(m, 'intercept'))) AS problems, avg((classify(m, f) = label)::int) > 0.7 AS fits, bool_and(cardinality(decisions(m, f)) = 5) AS a_score_a_class,
    bool_and(classify(m, f) = (classes(m))[(SELECT n FROM unnest(decisions(m, f)) WITH ORDINALITY AS u(d, n) ORDER BY d DESC, n LIMIT 1)]) AS largest
FROM strategies, points, LATERAL (SELECT a, b, a * b AS c, a * a AS d, b * b AS e) AS f GROUP BY method, strategy, m ORDER BY method, strategy;
-- what pairs and codes decode to, from the equations
CREATE TABLE scores AS
SELECT method, strategy, i, array_agg(s ORDER BY n) AS s
FROM (SELECT method, strategy, i, class, min(n) AS n, sum(estimate * CASE term WHEN 'a' THEN a WHEN 'b' THEN b WHEN 'c' THEN a * b WHEN 'd' THEN a * a WHEN 'e' THEN b * b ELSE 1 END) AS s
      FROM strategies, coefficients(m) WITH ORDINALITY AS c(class, term, estimate, e, t, p, l, h, n), points WHERE strategy <> 'ovr' GROUP BY method, strategy, i, class) q GROUP BY method, strategy, i;
SELECT method, bool_and(near_all(decisions(m, f), (SELECT array_agg(votes + sum / (3 * (abs(sum) + 1)) ORDER BY c) FROM (
        SELECT c, count(*) FILTER (WHERE (c = j) = (s > 0)) AS votes, sum(CASE WHEN c = j THEN s ELSE -s END) AS sum
        FROM unnest(x.s) WITH ORDINALITY AS u(s, n) JOIN (SELECT row_number() OVER (ORDER BY i, j) AS n, i, j FROM generate_series(1, 5) AS i, generate_series(1, 5) AS j WHERE i < j) AS pair USING (n), generate_series(1, 5) AS c WHERE c IN (i, j) GROUP BY c) v), 1e-7)) AS votes
FROM strategies JOIN scores AS x USING (method, strategy) JOIN points AS p ON p.i = x.i, LATERAL (SELECT p.a, p.b, p.a * p.b AS c, p.a * p.a AS d, p.b * p.b AS e) AS f WHERE strategy = 'ovo' GROUP BY method ORDER BY method;
SELECT method, bool_and(near_all(decisions(m, f), (SELECT array_agg(-d ORDER BY c) FROM (
        SELECT c, sqrt(sum((CASE method WHEN 'logistic' THEN 1 / (1 + exp(-s)) - (book > 0)::int ELSE s - book END) ^ 2)) AS d
        FROM generate_series(1, 5) AS c, unnest(x.s) WITH ORDINALITY AS u(s, n), LATERAL (SELECT books[c][n] AS book) k GROUP BY c) v), 1e-7)) AS distances
FROM (SELECT *, parameter(m, 'code_book') AS books FROM strategies WHERE strategy = 'ecoc' OFFSET 0) st JOIN scores AS x USING (method, strategy) JOIN points AS p ON p.i = x.i, LATERAL (SELECT p.a, p.b, p.a * p.b AS c, p.a * p.a AS d, p.b * p.b AS e) AS f WHERE strategy = 'ecoc' GROUP BY method ORDER BY method;
-- probabilities where the method has them add up to 1
SELECT strategy, bool_and(near((SELECT sum(p) FROM unnest(probabilities(m, f)) AS p), 1, 1e-12)) AS add_up FROM strategies, points, LATERAL (SELECT a, b, a * b AS c, a * a AS d, b * b AS e) AS f WHERE method = 'logistic' GROUP BY strategy ORDER BY strategy;

-- as SQL: the class
SELECT format('CREATE TABLE by_sql AS SELECT i, %s FROM (SELECT i, a, b, a * b AS c, a * a AS d, b * b AS e FROM points) p', string_agg(format('%s AS %I', to_sql(m), method || '_' || strategy), ', ')) AS statement FROM strategies
\gset
:statement;
SELECT method, strategy, bool_and((to_jsonb(s) ->> (method || '_' || strategy)) = classify(m, f)) AS same FROM strategies, by_sql AS s JOIN points AS p USING (i), LATERAL (SELECT a, b, a * b AS c, a * a AS d, b * b AS e) AS f GROUP BY method, strategy ORDER BY method, strategy;
SELECT summary(perceptron(label, a, '{"multiclass": "ovo", "max_iter": 1}' ORDER BY i)) FROM points WHERE label < 'c2' OR label = 'c4';

SELECT split_part(summary(least_squares_classifier(label, a, '{"multiclass": "ecoc"}')), E'\n', 3) AS strategy FROM points;
SELECT try($$SELECT least_squares_classifier(i, ARRAY[i, i % 7, i % 11, i % 13], '{"multiclass": "ovo", "max_levels": 3000}') FROM generate_series(1, 3000) AS i$$);
SELECT try($$SELECT perceptron(i, ARRAY[i, i % 7, i % 11, i % 13], '{"multiclass": "ovo", "max_levels": 3000}') FROM generate_series(1, 3000) AS i$$);

-- code books: a seed picks one, a longer one tells the classes better apart, a given one is taken
SELECT parameter(o, 'code_book') = parameter(same, 'code_book') AS same, parameter(o, 'code_book') <> parameter(other, 'code_book') AS another, array_dims(parameter(o, 'code_book')) AS default_size, array_dims(parameter(short, 'code_book')) AS short
FROM (SELECT least_squares_classifier(label, a, '{"multiclass": "ecoc"}') AS o, least_squares_classifier(label, a, '{"multiclass": "ecoc", "seed": 0}') AS same, least_squares_classifier(label, a, '{"multiclass": "ecoc", "seed": 5}') AS other,
    least_squares_classifier(label, a, '{"multiclass": "ecoc", "code_length": 3}') AS short FROM points) f;
SELECT parameter(least_squares_classifier(label, a, '{"multiclass": "ecoc", "code_book": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}'), 'code_book') AS book FROM points WHERE label < 'c3';
SELECT try($$SELECT least_squares_classifier(label, a, '{"multiclass": "ecoc", "code_book": [[1, 1], [1, -1], [1, 1]]}') FROM points WHERE label < 'c3'$$);
SELECT try($$SELECT least_squares_classifier(label, a, '{"multiclass": "ecoc", "code_book": [[1, 1], [1, -1], [1, 0]]}') FROM points WHERE label < 'c3'$$);
SELECT try($$SELECT perceptron(label, a, '{"multiclass": "ecoc", "code_book": [[1, 1, 1], [1, -1, 1], [1, 1, -1]]}') FROM points WHERE label < 'c3'$$);
SELECT try($$SELECT perceptron(label, a, '{"multiclass": "ecoc", "code_book": [[1, -1], [-1, 1], [-1, -1], [1, 1]]}') FROM points WHERE label < 'c3'$$);
SELECT try($$SELECT perceptron(label, a, '{"multiclass": "ecoc", "code_book": [[1, -1, -1], [-1, 1, 1], [-1, -1, -1]]}') FROM points WHERE label < 'c3'$$);
SELECT try($$SELECT perceptron(label, a, '{"multiclass": "ecoc", "code_book": [[1, -1], [-1, 1, 1], [-1, -1]]}') FROM points WHERE label < 'c3'$$);
SELECT try($$SELECT perceptron(label, a, '{"multiclass": "ecoc", "code_book": [[1, 0.5], [-1, 1], [-1, -1]]}') FROM points WHERE label < 'c3'$$);
SELECT try($$SELECT perceptron(label, a, '{"multiclass": "ecoc", "code_book": [1, -1]}') FROM points WHERE label < 'c3'$$);
SELECT try($$SELECT perceptron(label, a, '{"multiclass": "ecoc", "code_length": 2}') FROM points$$);
SELECT try($$SELECT perceptron(label, a, '{"code_length": 4}') FROM points$$);
SELECT try($$SELECT perceptron(label, a, '{"multiclass": "ovo", "code_book": [[1], [-1]]}') FROM points$$);
SELECT try($$SELECT perceptron(label, a, '{"multiclass": "pairs"}') FROM points$$);
-- two classes need no strategy
SELECT strategy, near_all(estimates(least_squares_classifier(label, (a, b), jsonb_build_object('multiclass', strategy))), (SELECT estimates(least_squares_classifier(label, (a, b))) FROM points WHERE label < 'c2')) AS same
FROM points, unnest(ARRAY['ovr', 'ovo', 'ecoc']) AS strategy WHERE label < 'c2' GROUP BY strategy ORDER BY strategy;

-- a typed model with another code book
CREATE TABLE forged AS SELECT least_squares_classifier(label, a, '{"multiclass": "ecoc", "code_book": [[1, 1], [1, 0], [0, 1]]}')::text AS t FROM points WHERE label < 'c3';
SELECT try(format('SELECT classify(%L::model, 1)', t)) AS sound FROM forged;
SELECT try(format('SELECT %L::model', replace(t, '"multiclass":{"i64":[3]}', '"multiclass":{"i64":[2]}'))) FROM forged;
SELECT try(format('SELECT %L::model', replace(t, '"multiclass":{"i64":[3]}', '"multiclass":{"i64":[7]}'))) FROM forged;
SELECT try(format('SELECT %L::model', replace(t, '"multiclass":{"i64":[3]},', ''))) FROM forged;
SELECT try(format('SELECT %L::model', regexp_replace(t, '"code_book":\{"i64":\[[^]]*\]', '"code_book":{"i64":[1,1,1,2,-1,1]'))) FROM forged;
SELECT try(format('SELECT %L::model', regexp_replace(t, '("code_book":\{"i64":\[[^]]*\],"shape":)\[3,2\]', '\1[2,3]'))) FROM forged;

-- penguins: three species from raw columns, some missing, in one query; by hand with dummies it is the same
CREATE TABLE penguins (id int GENERATED ALWAYS AS IDENTITY, species text, island text, bill_length_mm float8, bill_depth_mm float8, flipper_length_mm float8, body_mass_g float8, sex text);
\copy penguins (species, island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) FROM PROGRAM 'sed ''1d;$d'' examples/penguins.sql' WITH (FORMAT csv, HEADER)
\set raw 'penguins, LATERAL (SELECT island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex) AS r'
CREATE VIEW by_hand AS SELECT id, species, ARRAY[(island = 'Dream')::int, (island = 'Torgersen')::int, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, (sex = 'MALE')::int] AS x FROM penguins;
SELECT strategy, same_fit((SELECT least_squares_classifier(species, r, jsonb_build_object('multiclass', strategy)) FROM :raw), (SELECT least_squares_classifier(species, x, jsonb_build_object('multiclass', strategy)) FROM by_hand), 1e-9) AS least_squares,
    near_all((SELECT estimates(perceptron(species, r, jsonb_build_object('multiclass', strategy, 'max_iter', 1) ORDER BY id)) FROM :raw), (SELECT estimates(perceptron(species, x, jsonb_build_object('multiclass', strategy, 'max_iter', 1) ORDER BY id)) FROM by_hand)) AS perceptron
FROM unnest(ARRAY['ovr', 'ovo', 'ecoc']) AS strategy;
SELECT metric, near_all((SELECT array_agg(decisions(m, r) ORDER BY id) FILTER (WHERE decisions(m, r) IS NOT NULL) FROM :raw, (SELECT nearest_centroid(species, r, jsonb_build_object('metric', metric)) AS m FROM :raw) f), (SELECT array_agg(decisions(m, x) ORDER BY id) FILTER (WHERE decisions(m, x) IS NOT NULL) FROM by_hand, (SELECT nearest_centroid(species, x, jsonb_build_object('metric', metric)) AS m FROM by_hand) f), 1e-9) AS centroids
FROM unnest(ARRAY['mahalanobis']) AS metric;
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped, round(avg((classify(m, r) = species)::int), 2) AS right
FROM :raw, (SELECT least_squares_classifier(species, r) AS m FROM :raw) f GROUP BY m;
-- missing values imputed: numbers by their mean, the sex as a level of its own
SELECT info(m) -> 'rows' AS rows, info(m) -> 'skipped' AS skipped, round(avg((classify(m, r) = species)::int), 2) AS right, string_agg(DISTINCT term, ', ') FILTER (WHERE term LIKE 'sex%') AS terms
FROM :raw, (SELECT least_squares_classifier(species, r, '{"nulls": "impute"}') AS m FROM :raw) f, coefficients(m) GROUP BY m;
SELECT island, count(m) AS models, round(avg((classify(m, r) = species)::int), 2) AS right FROM (SELECT island, nearest_centroid(species, f, '{"metric": "standardized_euclidean"}') AS m FROM penguins, LATERAL (SELECT bill_length_mm, bill_depth_mm) AS f WHERE island <> 'Torgersen' GROUP BY island) g JOIN penguins USING (island), LATERAL (SELECT bill_length_mm, bill_depth_mm) AS r GROUP BY island ORDER BY island;
DROP VIEW by_hand;
DROP TABLE points, strategies, scores, by_sql, forged, penguins;
