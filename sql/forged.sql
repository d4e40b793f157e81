-- Values that users type, steps called by hand, aggregates of a user's own over the steps: errors, no crash.
SET search_path = public, test, pgfit;
CREATE TABLE few AS SELECT i, i % 5 + 0.25 AS a, i % 3 + 0.0 AS b, 'l' || i % 2 AS level, 2.0 * i AS y FROM generate_series(1, 40) i;
CREATE TABLE forged AS SELECT moments(y, (a, b)) AS m, moments(y, (a, level)) AS l, moments(y, a, NULL, 2) AS w, moments(y, (a, b), '{"nulls": "impute"}') AS n,
    class_moments(level, (a, b)) AS c, feature_moments((a, b)) AS f, linear_regression(y, (a, b)) AS fit FROM few;
-- steps outside their aggregate
SELECT try($$SELECT pgfit_internal.linear_regression_step(m, 1.0, ARRAY[1.0, 2.0]) FROM forged$$);
SELECT try($$SELECT pgfit_internal.linear_regression_step(NULL, 1.0, ARRAY[1.0, 2.0])$$);
SELECT try($$SELECT pgfit_internal.moments_step(m, 1.0, m) FROM forged$$);
-- a final function by hand is a fit of the moments
SELECT near_all(estimates(pgfit_internal.linear_regression_final(m)), estimates(fit), 1e-11) FROM forged;
SELECT try($$SELECT pgfit_internal.linear_regression_final(c) FROM forged$$);
SELECT try($$SELECT pgfit_internal.linear_regression_final(fit) FROM forged$$);
-- a user's aggregates over our functions, with all kinds of initial values
CREATE FUNCTION test.forge(value pgfit.model, call text, step text, arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('CREATE AGGREGATE test.forged_aggregate(%s) (SFUNC = %s, STYPE = pgfit.model, INITCOND = %L)', arguments, step, value);
    result := test.try('SELECT pgfit.info(test.forged_aggregate(' || call || ')) -> ''rows'' FROM public.few');
    EXECUTE format('DROP AGGREGATE test.forged_aggregate(%s)', arguments);
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || SQLERRM;
END
$$;
CREATE FUNCTION test.forge_all(call text, step text, arguments text) RETURNS TABLE (name text, result text) LANGUAGE sql AS $$
    SELECT v.name, CASE WHEN r LIKE 'ok%' THEN r ELSE left(r, 5) END
    FROM public.forged, LATERAL (VALUES ('m', m), ('l', l), ('w', w), ('n', n), ('c', c), ('f', f), ('fit', fit)) v (name, value), LATERAL test.forge(v.value, call, step, arguments) AS r
$$;
SELECT * FROM forge_all('y, (a, b)', 'pgfit_internal.linear_regression_step', '"any", "any"');
SELECT * FROM forge_all('y, (a, level)', 'pgfit_internal.linear_regression_step', '"any", "any"');
SELECT * FROM forge_all('y, ARRAY[a, b, y]', 'pgfit_internal.moments_step', '"any", "any"');
SELECT * FROM forge_all('level, (a, b)', 'pgfit_internal.class_moments_step', '"any", "any"');
SELECT * FROM forge_all('(a, b)', 'pgfit_internal.feature_moments_step', '"any"');
SELECT * FROM forge_all('y, (a, b), 0.5', 'pgfit_internal.ridge_regression_step', '"any", "any", float8');
SELECT * FROM forge_all('y, (a, b), ''{}'', 1', 'pgfit_internal.linear_regression_step', '"any", "any", pgfit.call_options, float8');
SELECT name, result FROM forge_all('(SELECT m FROM public.forged)', 'pgfit.merge', 'pgfit.model');
-- the initial value is not changed, and merging does not change a value in a table
SELECT info(m) -> 'rows' AS rows, m = (SELECT moments(y, (a, b)) FROM few) AS unchanged FROM forged;
SELECT count(*), info(merge(e)) -> 'rows' AS rows FROM (SELECT m AS e FROM forged, generate_series(1, 3)) e;
SELECT info(m) -> 'rows' AS rows, m = (SELECT moments(y, (a, b)) FROM few) AS unchanged FROM forged;
-- moments typed with other numbers
SELECT try($$SELECT replace(m::text, '"rows":40', '"rows":41')::model FROM forged$$);
-- repeated names without the flag for names: each column fills one feature, none is ignored
SELECT try($$SELECT predict(replace(replace(linear_regression(y, f)::text, '["a","b"]', '["a","a"]'), '"flags":["named"]', '"flags":[]')::model, g)
    FROM few, LATERAL (SELECT a, b) f, (SELECT 1.5 AS a, 2.5 AS b, 3.5 AS c) g GROUP BY g$$);
-- counters near their maximum are refused before they wrap around to a value that cannot be read back
SELECT try($$SELECT info(merge(b, b)) FROM (SELECT regexp_replace(m::text, '"skipped":\d+', '"skipped":4611686018427387904')::model AS b FROM forged) f$$);
SELECT try($$SELECT regexp_replace(m::text, '"skipped":\d+', '"skipped":4611686018427387905')::model FROM forged$$);
DROP TABLE few, forged;

-- a matrix of one number written as a list once grew into a value that could not be read
SELECT try($$SELECT '{"pgfit":1,"min_reader":1,"kind":"feature_moments","estimator":"feature_moments","fields":1,"slots":1,"columns":1,"rows":1,"skipped":0,"weight":1,"arrays":{"counts":{"f64":[1,1],"shape":[1,2]},"means":{"f64":[0],"shape":[1,1]},"pending":{"f64":[],"shape":[0,1]},"scatter":[0],"totals":[0]}}'::model$$);
SELECT try($$SELECT '{"pgfit":1,"min_reader":1,"kind":"feature_moments","estimator":"feature_moments","fields":1,"slots":1,"columns":1,"rows":1,"skipped":0,"weight":1,"arrays":{"counts":{"f64":[1,1],"shape":[1,2]},"means":{"f64":[0],"shape":[1,1]},"pending":{"f64":[],"shape":[0,1]},"scatter":{"f64":[0],"shape":[1,1]},"totals":[0]}}'::model$$) ~ '^ok' AS sound;
-- a classifier without classes, which classify once looked up in no list of them: the server crashed
SELECT try($$SELECT classify(replace(boosted_trees_regression(y, x)::text, 'boosted_trees_regression', 'boosted_trees_classifier')::model, 3)
    FROM (VALUES (1, 1), (2, 2), (3, 5), (4, 4)) AS t(x, y)$$);
