-- The type of options: every call takes a JSON object or a formula, as a literal, jsonb, text, varchar or parameter.
SET search_path = public, test, pgfit;
CREATE TEMP TABLE d AS
SELECT i AS id, 2 * a + b AS y, i % 3 AS label, a, b, 1 + i % 2 AS w, '{"formula": "a + b"}'::jsonb AS as_jsonb, 'a + b'::text AS as_text, 'a + b'::varchar AS as_varchar
FROM (SELECT i, sin(i) AS a, cos(i * i) AS b FROM generate_series(1, 40) AS i) AS s;
CREATE TEMP TABLE summaries AS SELECT pgfit.moments(y, d, 'a + b') AS m, pgfit.feature_moments(d, 'a + b') AS f FROM d;
CREATE TEMP TABLE given AS SELECT pgfit.distance_matrix(x.id, z.id, pgfit.euclidean_distance(ARRAY[x.a, x.b], ARRAY[z.a, z.b])) AS m FROM d AS x JOIN d AS z ON x.id < z.id AND z.id <= 12;

-- ---- call shapes: what each says is the same ----
CREATE TEMP TABLE shapes (number serial, shape text, call text);
INSERT INTO shapes (shape, call) VALUES
    ('formula', $$kmeans(d, 3, 'a + b') FROM d$$),
    ('formula', $$kmeans(d, 3, 'a + b'::text) FROM d$$),
    ('formula', $$kmeans(d, 3, 'a + b'::varchar) FROM d$$),
    ('formula', $$kmeans(d, 3, as_text) FROM d$$),
    ('formula', $$kmeans(d, 3, as_varchar) FROM d$$),
    ('formula', $$kmeans(d, 3, as_jsonb) FROM d$$),
    ('formula', $$kmeans(d, 3, ' {"formula": "a + b"}') FROM d$$),
    ('formula', $$kmeans(d, 3, '{"formula": "a + b"}'::jsonb) FROM d$$),
    ('formula', $$kmeans(d, 3, '{"formula": "a + b"}'::pgfit.call_options) FROM d$$),
    ('formula', $$kmeans(d, 3, jsonb_build_object('formula', 'a + b')) FROM d$$),
    ('formula', $$kmeans(d, 3, format('%s + %s', 'a', 'b')) FROM d$$),
    ('formula', $$kmeans(d, 3, format('{"formula": "%s"}', as_text)) FROM d$$),
    ('formula', $$kmeans(d, 3, 'a' || ' + b') FROM d$$),
    ('formula', $$kmeans(d, 3, (SELECT string_agg(c, ' + ') FROM unnest(ARRAY['a', 'b']) AS c)) FROM d$$),
    ('formula', $$kmeans(d, 3::smallint, CASE WHEN random() < 2 THEN 'a + b' END) FROM d$$),
    ('formula', $$kmeans(d, 3, 'a + b' ORDER BY id) FROM d$$),
    ('formula', $$kmeans(DISTINCT d, 3, 'a + b') FROM d$$),
    ('formula', $$kmeans(d, 3, 'a + b') FILTER (WHERE id > 0) FROM d$$),
    ('formula', $$kmeans(d, '{"k": 3, "formula": "a + b"}') FROM d$$),
    ('formula', $$kmeans(d, format('{"k": 3, "formula": "%s"}', as_text)) FROM d$$),
    ('no options', $$kmeans(ARRAY[a, b], 3) FROM d$$),
    ('no options', $$kmeans(ARRAY[a, b], 3, NULL) FROM d$$),
    ('no options', $$kmeans(ARRAY[a, b], 3, '{}') FROM d$$),
    ('no options', $$kmeans(ARRAY[a, b], '{"k": 3}') FROM d$$),
    ('weight', $$kmeans(d, 3, 'a + b', w) FROM d$$),
    ('weight', $$kmeans(d, 3, '{"formula": "a + b"}'::jsonb, w::float8) FROM d$$),
    ('weight', $$kmeans(d, '{"k": 3, "formula": "a + b"}', w) FROM d$$),
    ('number first', $$ridge_regression(y, d, 0.5, 'a + b') FROM d$$),
    ('number first', $$ridge_regression(y, d, 0.5::numeric, as_text) FROM d$$),
    ('number first', $$ridge_regression(y, d, '{"lambda": 0.5, "formula": "a + b"}') FROM d$$),
    ('number first', $$ridge_regression(y, d, format('{"lambda": %s, "formula": "a + b"}', 0.5)) FROM d$$),
    ('number first', $$fit('ridge_regression', merge(m), '{"lambda": 0.5}') FROM summaries$$),
    ('number first', $$fit('ridge_regression', m, '{"lambda": 0.5}'::jsonb) FROM summaries$$),
    ('number first', $$fit('ridge_regression'::text, m, format('{"lambda": %s}', 0.5)) FROM summaries$$),
    ('number first', $$fit(moments => m, options => '{"lambda": 0.5}'::varchar, estimator => 'ridge_regression') FROM summaries$$),
    ('two numbers', $$elastic_net(y, d, 0.1, 0.5, 'a + b') FROM d$$),
    ('two numbers', $$elastic_net(y, d, 0.1, 0.5, as_jsonb) FROM d$$),
    ('two numbers', $$fit('elastic_net', merge(m), '{"lambda": 0.1, "alpha": 0.5}') FROM summaries$$),
    ('stored moments', $$fit('linear_regression', merge(m)) FROM summaries$$),
    ('stored moments', $$fit('linear_regression', m, NULL) FROM summaries$$),
    ('stored moments', $$fit('linear_regression', merge(m), '{"level": 0.95}'::text) FROM summaries$$),
    ('stored moments', $$linear_regression(y, d, 'a + b') FROM d$$),
    ('a number or options', $$fit('pca', merge(f), '{"k": 2}') FROM summaries$$),
    ('a number or options', $$pca(d, 2, 'a + b') FROM d$$),
    ('given distances', $$mds(m, 2) FROM given$$),
    ('given distances', $$mds(m) FROM given$$),
    ('given distances', $$mds(m, '{"k": 2}') FROM given$$),
    ('given distances', $$mds(m, 2, '{}'::text) FROM given$$),
    ('given medoids', $$kmedoids(m, 3) FROM given$$),
    ('given medoids', $$kmedoids(m, '{"k": 3}') FROM given$$),
    ('given medoids', $$kmedoids(m, 3, '{}'::jsonb) FROM given$$);
CREATE FUNCTION pg_temp.model_of(call text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    result pgfit.model;
BEGIN
    EXECUTE 'SELECT pgfit.' || call INTO result;
    RETURN (pgfit.info(result) - ARRAY['skipped', 'target', 'options', 'formula', 'implementation']) || jsonb_build_object('options', (pgfit.info(result) -> 'options') - ARRAY['formula', 'max_levels', 'nulls', 'unseen', 'weight_kind']);
EXCEPTION WHEN OTHERS THEN
    RETURN to_jsonb(SQLERRM);
END $$;
SELECT shape, call, first #>> '{}' AS expected, model #>> '{}' AS found
FROM (SELECT *, pg_temp.model_of(call) AS model, first_value(pg_temp.model_of(call)) OVER (PARTITION BY shape ORDER BY number) AS first FROM shapes) AS t
WHERE model <> first OR jsonb_typeof(model) = 'string' ORDER BY number;
SELECT count(*) FROM shapes;

-- a literal becomes options in every form of every aggregate
CREATE TEMP TABLE calls AS
SELECT p.oid, p.proname,
       format('SELECT pgfit.%I(%s) AS result FROM %s', p.proname,
              (SELECT string_agg(CASE name WHEN 'target' THEN 'd.y' WHEN 'label' THEN 'd.label' WHEN 'id' THEN 'd.id'
                                 WHEN 'cluster' THEN 'd.label' WHEN 'actual' THEN '1.5' WHEN 'predicted' THEN CASE WHEN p.proargnames @> '{actual}' THEN '1.5' ELSE 'd.label' END WHEN 'features' THEN 'd'
                                 WHEN 'model' THEN 'NULL::pgfit.model' WHEN 'row' THEN 'd' WHEN 'estimator' THEN '''linear_regression''' WHEN 'options' THEN '''{}''' WHEN 'weight' THEN '1'
                                 WHEN 'lambda' THEN '0.5' WHEN 'alpha' THEN '0.5' WHEN 'k' THEN '2' WHEN 'buckets' THEN '3' WHEN 'scored' THEN 'true'
                                 WHEN 'score' THEN 'd.a' WHEN 'x' THEN 'd.a' WHEN 'residual' THEN 'd.a' WHEN 'y' THEN 'd.a' WHEN 'outcome' THEN 'd.a' WHEN 'groups' THEN 'd.label' WHEN 'variant' THEN 'd.label' WHEN 'covariate' THEN 'd.a' WHEN 'success' THEN 'true' WHEN 'time' THEN 'd.id' WHEN 'event' THEN 'true' WHEN 'observed' THEN '(true, d.id)'
                                 WHEN 'a' THEN 'd.id' WHEN 'b' THEN 'd.id' WHEN 'distance' THEN '1' WHEN 'probability' THEN '0.5' WHEN 'probabilities' THEN 'ARRAY[0.5, 0.5]'
                                 WHEN 'classes' THEN 'ARRAY[''0'', ''1'']' END, ', ' ORDER BY place)
               FROM unnest(p.proargnames) WITH ORDINALITY AS n(name, place)),
              'd AS d') AS call
FROM pg_proc AS p JOIN pg_aggregate AS a ON a.aggfnoid = p.oid
WHERE p.pronamespace = 'pgfit'::regnamespace AND p.proargnames @> '{options}' AND NOT p.proargnames @> '{kernel}';
CREATE FUNCTION pg_temp.literal_type(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'CREATE OR REPLACE TEMP VIEW tried AS ' || replace(call, 'SELECT pgfit', 'SELECT 1 WHERE EXISTS (SELECT pgfit') || ')';
    RETURN substring(pg_get_viewdef('tried') FROM '''\{\}''::([\w.]+)');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT literal, count(DISTINCT proname) > 60 AS many FROM (SELECT pg_temp.literal_type(call) AS literal, proname FROM calls) AS t GROUP BY literal;
DROP VIEW tried;
-- and no form takes options as anything else
SELECT p.oid::regprocedure FROM pg_proc AS p, unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) AS a(name, type)
WHERE pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace, 'pgfit_internal'::regnamespace) AND name = 'options' AND type <> 'pgfit.call_options'::regtype;

-- parameters, with and without types
PREPARE untyped AS SELECT pgfit.info(pgfit.kmeans(d, 2, $1)) #>> '{options,formula}' FROM d;
PREPARE options_alone AS SELECT pgfit.info(pgfit.kmeans(d, $1)) #>> '{options,k}' FROM d;
PREPARE weighted AS SELECT pgfit.info(pgfit.linear_regression(y, d, $1, $2 * w)) #>> '{weight}' FROM d;
PREPARE of_moments AS SELECT pgfit.info(pgfit.fit('ridge_regression', pgfit.merge(m), $1)) #>> '{options,lambda}' FROM summaries;
PREPARE typed(bigint, text, jsonb, varchar) AS SELECT pgfit.kmeans(d, $1, $2) = pgfit.kmeans(d, $1, $3), pgfit.kmeans(d, $1, $2) = pgfit.kmeans(d, $1, $4) FROM d;
SELECT name, parameter_types FROM pg_prepared_statements WHERE name <> 'typed' ORDER BY name;
EXECUTE untyped('a');
EXECUTE untyped('{"formula": "a + b"}');
EXECUTE options_alone('{"k": 4, "formula": "a"}');
EXECUTE weighted('a + b', 2);
EXECUTE of_moments('{"lambda": 3}');
EXECUTE typed(2, 'a + b', '{"formula": "a + b"}', 'a + b');
SET plan_cache_mode = force_generic_plan;
EXECUTE untyped('b');
EXECUTE typed(2, 'a + b', '{"formula": "a + b"}', '{"formula":"a + b"}');
RESET plan_cache_mode;
DEALLOCATE ALL;
DO $$
DECLARE
    formula text := 'a + b';
    json jsonb := '{"formula": "a + b"}';
    options pgfit.call_options := 'a + b';
    same boolean;
BEGIN
    SELECT pgfit.kmeans(d, 2, formula) = pgfit.kmeans(d, 2, json) AND pgfit.kmeans(d, 2, formula) = pgfit.kmeans(d, 2, options) INTO same FROM d;
    RAISE WARNING 'variables: %', same;
    EXECUTE 'SELECT pgfit.kmeans(d, 2, $1) = pgfit.kmeans(d, 2, $2) FROM d' INTO same USING formula, json;
    RAISE WARNING 'parameters: %', same;
END $$;

-- functions, by name too
SELECT pgfit.kernel(ARRAY[1, 2], ARRAY[2, 3], 'rbf', '{"gamma": 0.5}') = pgfit.kernel(ARRAY[1, 2], ARRAY[2, 3], 'rbf', '{"gamma": 0.5}'::jsonb) AS kernel,
       pgfit.distance(ARRAY[1, 2], ARRAY[2, 3], 'minkowski', format('{"p": %s}', 3)) = pgfit.distance(ARRAY[1, 2], ARRAY[2, 3], 'minkowski', options => '{"p": 3}') AS distance;
SELECT pgfit.info(pgfit.fit('kmeans', 'SELECT * FROM d', '~ a + b', '{"k": 2}'::text)) #> '{options,k}' AS from_text,
       pgfit.info(pgfit.fit('kmeans', 'SELECT * FROM d', '~ a + b', '{"k": 2}'::jsonb)) #> '{options,k}' AS from_jsonb,
       pgfit.info(pgfit.fit('kmeans', 'SELECT * FROM d', options => '{"k": 2, "formula": "a"}')) #> '{options,k}' AS by_name;
SELECT fold, rows FROM (SELECT (unnest(pgfit.cross_validate(y, d, 'ridge_regression', 'a + b'))).* FROM d) AS s WHERE fold IS NULL AND metric = 'rmse';
SELECT round(pgfit.silhouette(label, d, 'a + b')::numeric, 6) = round(pgfit.silhouette(label, d, '{"formula": "a + b"}'::jsonb)::numeric, 6) AS silhouette,
       pgfit.precision_score(label > 0, label > 1, '{"average": "macro"}') = pgfit.precision_score(label > 0, label > 1, format('{"average": "%s"}', 'macro')) AS precision FROM d;
SELECT test.try($$SELECT pgfit.cross_validate(a, b, 'isotonic_regression', 'a + b') FROM d$$);

-- the text of a row decides: groups with formulas of their own, one group with two
SELECT f, pgfit.info(pgfit.linear_regression(y, d, f)) #>> '{options,formula}' AS formula FROM d, unnest(ARRAY['a', 'b', 'a + b']) AS f GROUP BY f ORDER BY f;
SELECT test.try($$SELECT pgfit.linear_regression(y, d, CASE WHEN id < 9 THEN 'a' ELSE 'b' END) FROM d$$);
SELECT ARRAY['a', 'b', '{"k": 1}', 'a']::text[]::pgfit.call_options[] AS formulas;

-- ---- the type ----
SELECT o, o = o::text::pgfit.call_options AS text, o::jsonb::pgfit.call_options = o AS jsonb
FROM (VALUES ('log(a) * b'::pgfit.call_options), ('{"k": 3}'), ('{}'), (E'\n\t {"formula": "a"} '), ('C(x, ref = ''l"\u00e9\\'')'), ('"a b" + c')) AS v(o);
CREATE TEMP TABLE kept (o pgfit.call_options);
INSERT INTO kept VALUES ('a + b'), ('{"k": 3, "formula": "a"}'), (NULL), (jsonb_build_object('lambda', 0.1)), ('a'::varchar);
SELECT DISTINCT o FROM kept ORDER BY o;
SELECT o -> 'k' AS k FROM kept WHERE o ? 'k';
CREATE TEMP VIEW fits AS SELECT pgfit.linear_regression(y, d, 'a + b') AS m FROM d;
SELECT replace(pg_get_viewdef('fits'), '(d.y', '(y') AS fits; -- since PostgreSQL 18 without the name of a single table
-- refused: what no JSON object is, with the place
SELECT test.try(format('SELECT %L::pgfit.call_options', o)) FROM unnest(ARRAY['[1]', '{"k": 1, "k": 2}', '{"k" 1}', '{', '{"k": 1} 2', '{"a": {"b": 1, "b": 2}}', '{"k": 01}', '{"k": "\ud800"}']) AS o;
SELECT test.try(format('SELECT pgfit.linear_regression(y, d, %L::%s) FROM d', o, type))
FROM (VALUES ('[1]', 'jsonb'), ('3', 'jsonb'), ('"a"', 'jsonb'), ('null', 'jsonb'), ('true', 'jsonb'), ('[1]', 'text'), ('', 'text'), (' ', 'text'), ('3', 'text'), ('{"formula": "a", "formula": "b"}', 'text')) AS v(o, type);
SELECT test.try($$SELECT pgfit.kernel(1, 2, 'rbf', '[1]'::jsonb)$$), test.try($$SELECT pgfit.mds(m, '[1]'::jsonb) FROM given$$), test.try($$SELECT pgfit.fit('kmeans', 'SELECT 1', '~ a', '3'::jsonb)$$),
       test.try($$SELECT pgfit.cross_validate(y, d, 'ridge_regression', '3'::jsonb) FROM d$$), test.try($$SELECT pgfit.precision_score(label, label, '[]'::jsonb) FROM d$$), test.try($$SELECT pgfit.mds(m, 'a + b') FROM given$$);
SELECT test.try($$SELECT pgfit.kmeans(d, 3, 4) FROM d$$), test.try($$SELECT pgfit.kmeans(d, 3, now()) FROM d$$);
-- what no object is does not become options through jsonb either: a dump of it could not be read
SELECT test.try(format('SELECT %L::jsonb::pgfit.call_options', o)) FROM unnest(ARRAY['5', '"a"', '[1]', 'null', 'true', '{"a": ' || repeat('[', 90) || repeat(']', 90) || '}']) AS o;
SELECT test.try($$INSERT INTO kept VALUES ('"a + b"'::jsonb)$$), test.try($$SELECT '{"[]"}'::jsonb[]::pgfit.call_options[]$$);
SELECT o, '{"a": 1}'::jsonb::pgfit.call_options = o AS same FROM (SELECT (jsonb_build_object('a', i / 2))::pgfit.call_options AS o FROM generate_series(0, 3) AS i) AS v;
-- fit, train and evaluate take options where the formula stands, and a target from option "formula"
SELECT test.try(format('SELECT pgfit.fit_sql(%s)', a)) FROM unnest(ARRAY[$$'kmeans', 'd', '{"k": 3}'$$, $$'ridge_regression', 'd', ' {"formula": "y ~ a + b", "lambda": 1}'$$,
    $$'ridge_regression', 'd', NULL, '{"formula": "y ~ a + b", "lambda": 1}'$$, $$'ridge_regression', 'd', '{"formula": "a"}'$$, $$'ridge_regression', 'd', '{"lambda": 1}', '{"formula": "y ~ a"}'$$,
    $$'ridge_regression', 'd', '{"lambda": 1'$$, $$'ridge_regression', 'd', 'y ~ a', '{"formula": "y ~ b"}'$$]) AS a;
SELECT pgfit.fit('ridge_regression', 'd', '{"formula": "y ~ a + b", "lambda": 1}') = pgfit.fit('ridge_regression', 'd', 'y ~ a + b', '{"lambda": 1}') AS same,
       (SELECT array_agg(e.value) FROM pgfit.evaluate('ridge_regression', 'd', '{"formula": "y ~ a + b", "metrics": "rmse"}') AS e) =
       (SELECT array_agg(e.value) FROM pgfit.evaluate('ridge_regression', 'd', 'y ~ a + b', '{"metrics": "rmse"}') AS e) AS evaluated;
BEGIN;
SELECT active FROM pgfit.train('options of train', 'ridge_regression', 'd', '{"formula": "y ~ a + b", "lambda": 1, "holdout": false}');
SELECT formula, options FROM pgfit.registry WHERE name = 'options of train';
ROLLBACK;
