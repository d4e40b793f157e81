-- permutation_importance, partial_dependence and accumulated_effects: what users see, and edges. Numbers are compared with scikit-learn in test/golden, and
-- with SQL in test/importance_properties.sql.
CREATE TABLE seen AS
SELECT i AS id, round((sin(i) * 3)::numeric, 3)::float8 AS a, round(cos(i * 1.7)::numeric, 3)::float8 AS b, (ARRAY['u', 'v', 'w'])[1 + i % 3] AS g, 1 + i % 4 AS w, i % 5 = 0 AS flag,
       round((1 + 2 * sin(i) + cos(i * 1.7) + (i % 3) * 0.5)::numeric, 3)::float8 AS y, (ARRAY['no', 'yes', 'maybe'])[1 + (i * 7) % 3] AS l
FROM generate_series(1, 60) AS i;
CREATE TABLE seen_models AS
SELECT pgfit.linear_regression(y, s, 'a * g + log(b + 2) + flag') AS line, pgfit.tree_classifier(g, s, 'a + b') AS several, pgfit.logistic_regression(y > 1, s, '{"formula": "a + b", "lambda": 1}') AS two,
       pgfit.linear_regression(y, ARRAY[s.a, s.b]) AS arrays, pgfit.linear_regression(y, jsonb_build_object('a', s.a, 'g', g)) AS objects, pgfit.linear_regression(y, s, 'I(g == ''u'') + a') AS compared,
       pgfit.linear_regression(y, s, '{"formula": "a + g", "unseen": "error"}') AS strict, pgfit.linear_regression(y, t, 'v + a') AS wide, pgfit.svm_classifier(g, s, 'a + b') AS margins
FROM seen AS s, LATERAL (SELECT s.a, ARRAY[s.b, s.y * 0.1 + s.id] AS v) AS t;

-- columns of the source, not terms or levels
SELECT i.feature, round(i.importance::numeric, 3) AS importance, i.std_error >= 0 AS error FROM seen_models, pgfit.permutation_importance(line, 'seen', 'y') AS i ORDER BY 2 DESC;
SELECT i.feature, i.importance > 0.1 AS important FROM seen_models, pgfit.permutation_importance(line, 'seen', 'y', '{"metric": "r_squared", "groups": {"both": ["a", "g"]}, "repeats": 3, "seed": 7, "weight": "w"}') AS i ORDER BY 1;
SELECT i.feature, i.importance >= 0 AS positive, i.std_error FROM seen_models, pgfit.permutation_importance(several, 'SELECT * FROM seen', 'g', '{"repeats": 1}') AS i ORDER BY 1;
SELECT i.feature, i.importance > 0 AS positive FROM seen_models, pgfit.permutation_importance(two, 'SELECT *, y > 1 AS big FROM seen', 'big', '{"metric": "roc_auc"}') AS i ORDER BY 1;
SELECT i.feature, i.importance > 0 AS positive FROM seen_models, pgfit.permutation_importance(arrays, 'SELECT y, a, b FROM seen', 'y') AS i ORDER BY 1;
SELECT i.feature, i.importance > 0 AS positive FROM seen_models, pgfit.permutation_importance(arrays, 'SELECT id, y, ARRAY[a, b] AS x FROM seen', 'y', '{"features": "x"}') AS i ORDER BY 1;
SELECT i.feature, i.importance > 0 AS positive FROM seen_models, pgfit.permutation_importance(objects, 'SELECT y, jsonb_build_object(''a'', a, ''g'', g) AS data FROM seen', 'y') AS i ORDER BY 1;
SELECT i.feature, i.importance > 0 AS positive FROM seen_models, pgfit.permutation_importance(compared, 'seen', 'y') AS i ORDER BY 1;
SELECT i.feature FROM seen_models, pgfit.permutation_importance(wide, 'SELECT y, a, ARRAY[b, y * 0.1 + id] AS v FROM seen', 'y') AS i ORDER BY 1;
-- a number of an array in a group ended the server process
SELECT i.feature, i.importance > 0.01 AS important
FROM seen_models, pgfit.permutation_importance(wide, 'SELECT *, ARRAY[b, y * 0.1 + id] AS v FROM seen', 'y', '{"groups": {"second": ["v[2]", "a"]}}') AS i ORDER BY 1;
-- a column that is the same everywhere, levels that the model does not know, labels that it does not know
SELECT i.* FROM seen_models, pgfit.permutation_importance(strict, 'SELECT 1.5 AS a, ''u'' AS g, y FROM seen', 'y') AS i;
SELECT i.feature, i.importance = 0 AS zero FROM seen_models, pgfit.permutation_importance(line, 'SELECT a, b, flag, ''new'' AS g, y FROM seen', 'y') AS i ORDER BY 1;
SELECT i.feature, i.importance FROM seen_models, pgfit.permutation_importance(several, 'SELECT a, b, ''other'' AS g FROM seen', 'g') AS i ORDER BY 1;

-- grids: few different values, quantiles, levels, booleans, given ones, two features
SELECT round(p.value::numeric, 3) AS value, p.level, round(p.estimate::numeric, 3) AS estimate FROM seen_models, pgfit.partial_dependence(line, 'seen', 'a', '{"grid": 3}') AS p;
SELECT p.value, p.level, round(p.estimate::numeric, 3) AS estimate FROM seen_models, pgfit.partial_dependence(line, 'seen', 'a', '{"grid": 3, "percentiles": [0, 1], "centered": true}') AS p;
SELECT p.value, p.level, round(p.estimate::numeric, 3) AS estimate FROM seen_models, pgfit.partial_dependence(line, 'seen', 'g') AS p;
SELECT p.value, p.level, p.estimate IS NOT NULL AS estimated FROM seen_models, pgfit.partial_dependence(line, 'seen', 'flag') AS p;
SELECT p.value, p.by_level, round(p.estimate::numeric, 3) AS estimate FROM seen_models, pgfit.partial_dependence(line, 'seen', 'a', '{"values": [0, 1], "by": "g", "by_values": ["w", "u"]}') AS p;
SELECT p.value, p.class, round(p.estimate::numeric, 3) AS estimate FROM seen_models, pgfit.partial_dependence(several, 'seen', 'a', '{"values": [-1, 1]}') AS p;
SELECT p.value, p.class, round(p.estimate::numeric, 3) AS estimate FROM seen_models, pgfit.partial_dependence(two, 'seen', 'a', '{"values": [-1, 1]}') AS p;
SELECT p.value, p.class, round(p.estimate::numeric, 3) AS estimate FROM seen_models, pgfit.partial_dependence(two, 'seen', 'a', '{"values": [-1, 1], "class": "false"}') AS p;
SELECT p.id, p.value, round(p.estimate::numeric, 3) AS estimate FROM seen_models, pgfit.partial_dependence(line, 'SELECT * FROM seen WHERE id < 3', 'a', '{"values": [-1, 1], "kind": "ice", "id": "id", "centered": true}') AS p ORDER BY 1, 2;
SELECT p.value, count(*), bool_and(p.estimate IS NULL) AS unknown FROM seen_models, pgfit.partial_dependence(line, 'SELECT id, a, b, flag, NULL::text AS g FROM seen', 'a', '{"values": [1], "kind": "ice", "id": "id"}') AS p GROUP BY p.value;
SELECT p.value, p.estimate IS NOT NULL AS estimated FROM seen_models, pgfit.partial_dependence(line, 'SELECT NULL::float8 AS a, b, flag, g FROM seen', 'a', '{"values": [1]}') AS p;
SELECT p.value, p.estimate IS NOT NULL AS estimated FROM seen_models, pgfit.partial_dependence(wide, 'SELECT a, ARRAY[b, y * 0.1 + id] AS v FROM seen', 'v[2]', '{"values": [1]}') AS p;

-- the mean of what the model says of the changed rows: margins of either class, NULLs that a mean or a level replaces, levels in comparisons and terms
CREATE TABLE said AS
SELECT pgfit.svm_classifier(y > 1, s, 'a + b') AS margin, pgfit.linear_regression(y, s, '{"formula": "a + g", "nulls": "impute"}') AS imputes,
       pgfit.linear_regression(y, s, '{"formula": "log(b + 2) + a", "nulls": "impute"}') AS terms, pgfit.linear_regression(y, s, '{"formula": "a + g", "nulls": "impute", "unseen": "error"}') AS strict,
       pgfit.linear_regression(y, s, '{"formula": "a + g + I(g != ''v'') * b"}') AS levels, pgfit.tree_regression(y, s, 'a + flag + I(g == ''w'')') AS tree FROM seen AS s;
CREATE TABLE gaps AS SELECT id, CASE WHEN id % 4 > 0 THEN a END AS a, CASE WHEN id % 3 > 0 THEN b END AS b, CASE WHEN id % 5 > 0 THEN g END AS g, flag FROM seen;
SELECT class, test.near(p.estimate, sign * avg(pgfit.decision(margin, f)), 1e-12) AS same
FROM said, seen AS s, LATERAL (SELECT 1 AS a, s.b) AS f, (VALUES ('true', 1), ('false', -1)) AS c(class, sign),
     LATERAL pgfit.partial_dependence(margin, 'seen', 'a', jsonb_build_object('values', '[1]'::jsonb, 'class', class)) AS p(value, level, by_value, by_level, id, kind, estimate) GROUP BY class, sign, p.estimate ORDER BY class;
SELECT test.near(p.estimate, avg(pgfit.predict(imputes, f)), 1e-12) AS numbers FROM said, gaps AS s, LATERAL (SELECT s.a, 'v' AS g) AS f, pgfit.partial_dependence(imputes, 'gaps', 'g', '{"values": ["v"]}') AS p GROUP BY p.estimate;
SELECT test.near(p.estimate, avg(pgfit.predict(imputes, f)), 1e-12) AS levels FROM said, gaps AS s, LATERAL (SELECT 2 AS a, s.g) AS f, pgfit.partial_dependence(imputes, 'gaps', 'a', '{"values": [2]}') AS p GROUP BY p.estimate;
SELECT test.near(p.estimate, avg(pgfit.predict(terms, f)), 1e-12) AS terms FROM said, gaps AS s, LATERAL (SELECT 2 AS a, s.b) AS f, pgfit.partial_dependence(terms, 'gaps', 'a', '{"values": [2]}') AS p GROUP BY p.estimate;
SELECT test.near(p.estimate, avg(pgfit.predict(levels, f)), 1e-12) AS compared FROM said, seen AS s, LATERAL (SELECT s.a, 'w' AS g, s.b) AS f, pgfit.partial_dependence(levels, 'seen', 'g', '{"values": ["w"]}') AS p GROUP BY p.estimate;
SELECT test.near(p.estimate, avg(pgfit.predict(tree, f)), 1e-12) AS tree FROM said, gaps AS s, LATERAL (SELECT s.a, true AS flag, s.g) AS f, pgfit.partial_dependence(tree, 'gaps', 'flag', '{"values": [1]}') AS p GROUP BY p.estimate;
SELECT test.try($$SELECT pgfit.partial_dependence(strict, 'gaps', 'a') FROM said$$);
SELECT test.try($$SELECT pgfit.partial_dependence(tree, 'seen', 'flag', '{"values": [2]}') FROM said$$);
SELECT test.try($$SELECT pgfit.partial_dependence(levels, 'seen', 'g', '{"values": ["x"]}') FROM said$$);
SELECT test.try($$SELECT pgfit.partial_dependence(levels, 'seen', 'a', '{"values": []}') FROM said$$);
SELECT test.try($$SELECT pgfit.partial_dependence(levels, 'SELECT NULL::float8 AS a, b, g FROM seen', 'a') FROM said$$);
SELECT test.try($$SELECT pgfit.accumulated_effects(levels, 'SELECT * FROM seen WHERE false', 'a') FROM said$$);
SELECT test.try($$SELECT pgfit.accumulated_effects(levels, 'SELECT a, NULL::text AS g, b FROM seen', 'a') FROM said$$);
DROP TABLE said, gaps;

-- effects of numbers and levels
SELECT e.value, round(e.effect::numeric, 3) AS effect FROM seen_models, pgfit.accumulated_effects(line, 'seen', 'b', '{"intervals": 2}') AS e;
SELECT e.level, round(e.effect::numeric, 3) AS effect FROM seen_models, pgfit.accumulated_effects(line, 'seen', 'g', '{"order": ["w", "u", "v"], "weight": "w"}') AS e;
SELECT e.level, e.effect IS NOT NULL AS effect FROM seen_models, pgfit.accumulated_effects(line, 'seen', 'g') AS e ORDER BY 1;
-- levels that other columns do not tell apart were in an order that rounding decided; shares of u are 2, 4, 3, 3 and 2 of 4, so the distances are those of points on a line
CREATE TABLE alike AS SELECT l AS level, CASE WHEN i <= shares[ascii(l) - 96] THEN 'u' ELSE 'v' END AS other, 0 AS same, ascii(l) + i + 0.1 * i * ascii(l) AS y
FROM unnest(ARRAY['a', 'b', 'c', 'd', 'e']) AS l, generate_series(1, 4) AS i, (VALUES (ARRAY[2, 4, 3, 3, 2])) AS s(shares);
SELECT formula, string_agg(e.level, ' ' ORDER BY n) AS levels FROM unnest(ARRAY['level + other', 'level + other + same', 'level', 'level + same']) AS formula,
    LATERAL (SELECT pgfit.ridge_regression(y, r, jsonb_build_object('formula', formula)) AS m FROM alike AS r) AS f, pgfit.accumulated_effects(m, 'alike', 'level') WITH ORDINALITY AS e(value, level, class, effect, n)
GROUP BY formula ORDER BY formula;
DROP TABLE alike;
SELECT e.value, e.class, round(e.effect::numeric, 3) AS effect FROM seen_models, pgfit.accumulated_effects(several, 'seen', 'a', '{"intervals": 1}') AS e;
SELECT e.* FROM seen_models, pgfit.accumulated_effects(line, 'SELECT 1 AS a, b, flag, g FROM seen', 'a') AS e;

-- refusals
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen', 'z') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen', 'y', '{"metric": "acuracy"}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen', 'y', '{"repeat": 3}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen', 'y', '{"groups": {"x": ["a", "c"]}}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen', 'y', '{"groups": {"x": ["a", "b"], "z": ["b"]}}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen', 'y', '{"groups": {"x": "a"}}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen', 'g') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'SELECT * FROM seen WHERE false', 'y') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'SELECT NULL::float8 AS a, b, g, flag, y FROM seen', 'y') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'SELECT a, b, flag, y FROM seen', 'y') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen; DROP TABLE seen', 'y') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen', 'y', '{"weight": "v"}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'SELECT *, -1 AS v FROM seen', 'y', '{"weight": "v"}') FROM seen_models$$);
-- weights that add up to more than a number holds are not rows without a score
SELECT test.try(format($$SELECT %s FROM seen_models$$, f)) FROM unnest(ARRAY[$$pgfit.partial_dependence(line, 'SELECT *, 1e308 AS v FROM seen', 'a', '{"weight": "v"}')$$, $$pgfit.accumulated_effects(line, 'SELECT *, 1e308 AS v FROM seen', 'a', '{"weight": "v"}')$$,
    $$pgfit.accumulated_effects(line, 'SELECT *, 1e306 AS v FROM seen', 'a', '{"weight": "v", "intervals": 1}')$$, $$pgfit.permutation_importance(line, 'SELECT *, 1e308 AS v FROM seen', 'y', '{"weight": "v"}')$$]) AS f;
SELECT test.try($$SELECT pgfit.permutation_importance(two, 'SELECT *, true AS big FROM seen', 'big', '{"metric": "roc_auc"}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(arrays, 'SELECT y, a, b, id FROM seen', 'y') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(strict, 'SELECT a, ''new'' AS g, y FROM seen', 'y') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.permutation_importance(pgfit.kmeans(a, 2), 'seen', 'y') FROM seen$$);
SELECT test.try($$SELECT pgfit.permutation_importance(pgfit.isolation_forest(a), 'seen', 'y') FROM seen$$);
SELECT test.try($$SELECT pgfit.permutation_importance(pgfit.moments(y, a), 'seen', 'y') FROM seen$$);
SELECT test.try($$SELECT pgfit.permutation_importance(pgfit.linear_regression(y, s, 'log(a / b)'), 'SELECT * FROM seen WHERE a / b > 0', 'y') FROM seen AS s WHERE a / b > 0$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'A') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'id') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(compared, 'seen', 'g') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(wide, 'SELECT a, ARRAY[b, 1] AS v FROM seen', 'v') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'SELECT NULL::float8 AS a, b, g, flag FROM seen', 'a') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'a', '{"kind": "ice"}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'a', '{"id": "id"}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'a', '{"by": "a"}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'a', '{"by_values": [1]}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'a', '{"values": []}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'a', '{"values": ["u"]}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'g', '{"values": ["x"]}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'flag', '{"values": [2]}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'a', '{"percentiles": [0.9, 0.1]}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'SELECT i AS a, i / 3000.0 AS b, true AS flag, ''u'' AS g FROM generate_series(1, 2000) AS i', 'a', '{"grid": 2000, "by": "b"}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'b', '{"values": [-3]}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'seen', 'a', '{"class": "yes"}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(several, 'seen', 'a', '{"class": "yes"}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.accumulated_effects(line, 'seen', 'a', '{"order": ["u"]}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.accumulated_effects(line, 'seen', 'g', '{"order": ["u", "v"]}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.accumulated_effects(line, 'seen', 'g', '{"order": ["u", "v", "u"]}') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.accumulated_effects(line, 'seen', 'g', '{"intervals": 3}') FROM seen_models$$);
-- decisions of classifiers without probabilities
SELECT p.class, count(*), count(p.estimate) FROM seen_models, pgfit.partial_dependence(margins, 'seen', 'a') AS p GROUP BY 1 ORDER BY 1;
-- names are quoted, sources are read with the rights of the caller
CREATE TABLE "odd ""table" AS SELECT a AS "x""; DROP TABLE seen; --", y, w AS "the weight", l FROM seen;
SELECT i.feature, i.importance > 0 AS positive FROM (SELECT pgfit.linear_regression(y, o, '{"features": ["x\"; DROP TABLE seen; --"]}') AS m FROM "odd ""table" AS o) AS f,
     pgfit.permutation_importance(m, '"odd ""table"', 'y', '{"weight": "the weight"}') AS i;
CREATE ROLE importance_reader;
GRANT SELECT ON seen_models TO importance_reader;
SET ROLE importance_reader;
SELECT test.try($$SELECT pgfit.permutation_importance(line, 'seen', 'y') FROM seen_models$$);
SELECT test.try($$SELECT pgfit.partial_dependence(line, 'SELECT * FROM public.seen', 'a') FROM seen_models$$);
RESET ROLE;
DROP TABLE "odd ""table", seen_models, seen;
DROP ROLE importance_reader;
