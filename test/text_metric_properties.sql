-- Properties of metrics of texts and of functions: axioms on random texts, and models that do not depend on how a metric is given.
BEGIN;
SELECT plan(13);
CREATE TEMP TABLE texts AS
SELECT i AS id, (SELECT string_agg(substr('abcdé', 1 + (hashint8(i * 100 + j) & 1023) % 5, 1), '') FROM generate_series(1, (hashint4(i) & 1023) % 9) AS j) AS t FROM generate_series(1, 40) AS i;
UPDATE texts SET t = '' WHERE t IS NULL;
CREATE FUNCTION pg_temp.pairs(metric text, OUT a text, OUT b text, OUT d float8) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT x.t, y.t, pgfit.distance(x.t, y.t, metric) FROM texts AS x, texts AS y $$;
SELECT ok(bool_and((d = 0) = (a = b)), metric || ': 0 exactly between equal texts') FROM unnest('{edit,damerau,jaro_winkler}'::text[]) AS metric, pg_temp.pairs(metric) GROUP BY metric ORDER BY metric;
SELECT ok(bool_and(d = pgfit.distance(b, a, metric)), metric || ' is symmetric') FROM unnest('{edit,damerau,jaro_winkler}'::text[]) AS metric, pg_temp.pairs(metric) GROUP BY metric ORDER BY metric;
SELECT ok((SELECT bool_and(ab.d <= ac.d + cb.d) FROM pg_temp.pairs(metric) AS ab, pg_temp.pairs(metric) AS ac, pg_temp.pairs(metric) AS cb WHERE ab.a = ac.a AND ac.b = cb.a AND cb.b = ab.b),
    metric || ' keeps the triangle inequality') FROM unnest('{edit,damerau}'::text[]) AS metric ORDER BY metric;
SELECT ok(bool_and(pgfit.damerau_distance(a, b) <= pgfit.edit_distance(a, b) AND pgfit.edit_distance(a, b) <= 2 * pgfit.damerau_distance(a, b)), 'an exchange is one step instead of two') FROM pg_temp.pairs('edit');
SELECT ok(bool_and(d BETWEEN 0 AND 1 AND d <= pgfit.jaro_winkler_distance(a, b, 0)), 'a common prefix brings texts nearer') FROM pg_temp.pairs('jaro_winkler');
CREATE FUNCTION pg_temp.order_of(m pgfit.model) RETURNS float8[] LANGUAGE sql AS $$ SELECT array_agg(pgfit.distance(m, t || 'x') ORDER BY id) FROM texts $$;
SELECT is(pg_temp.order_of(pgfit.neighbors(id, t, '{"metric": "pgfit.damerau_distance(text,text)"}')), pg_temp.order_of(pgfit.neighbors(id, t, '{"metric": "damerau"}')), 'by function as by name') FROM texts;
SELECT is(pgfit.silhouette(id % 3, t, '{"metric": "pgfit.edit_distance(text,text)"}'), pgfit.silhouette(id % 3, t, '{"metric": "edit"}'), 'silhouettes by function as by name') FROM texts;
SELECT ok(pgfit.kmedoids(t, 3, '{"metric": "edit"}'::jsonb ORDER BY id) OPERATOR(pgfit.=) pgfit.kmedoids(t, 3, '{"metric": "edit"}'::jsonb ORDER BY hashint4(id)), 'the order of rows does not matter') FROM texts;
SELECT * FROM finish();
ROLLBACK;
