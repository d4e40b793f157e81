-- Every function that takes a source reads it with the rights of its caller: the rows that a policy or view gives him, and no others.
CREATE ROLE source_owner;
CREATE ROLE source_reader;
CREATE SCHEMA sources AUTHORIZATION source_owner;
GRANT USAGE ON SCHEMA sources TO source_reader;
SET ROLE source_owner;
CREATE TABLE sources.all_rows AS SELECT i % 2 = 0 AS mine, i AS id, i % 11 + CASE WHEN i % 2 = 0 THEN 0 ELSE sin(i) * 99 END AS a, 'g' || i % 3 AS g, i % 5 > 1 AS c,
    (i % 11) * (1 + i % 3) + i % 7 * (1 + i % 2) + sin(i) AS y FROM generate_series(1, 400) AS i;
CREATE TABLE sources.mine AS SELECT * FROM sources.all_rows WHERE mine;
CREATE TABLE sources.under_policy AS TABLE sources.all_rows;
ALTER TABLE sources.under_policy ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON sources.under_policy USING (mine);
CREATE VIEW sources.barrier WITH (security_barrier) AS SELECT * FROM sources.all_rows WHERE mine;
CREATE TABLE sources.columns AS TABLE sources.mine;
CREATE TABLE sources.closed AS TABLE sources.mine;
CREATE TABLE sources.models AS SELECT pgfit.linear_regression(y, r, 'a + g') AS m FROM sources.mine AS r;
GRANT SELECT ON sources.under_policy, sources.barrier, sources.mine, sources.models TO source_reader;
GRANT SELECT (id, a, g, c, y) ON sources.columns TO source_reader;
RESET ROLE;
CREATE TABLE test.calls (function text, call text);
INSERT INTO test.calls VALUES
    ('fit', 'SELECT pgfit.fit(''linear_regression'', %L, ''y ~ a + g'')'),
    ('fit', 'SELECT pgfit.fit(''kmeans'', %L, ''~ a + y'', ''{"passes": true, "k": 2}'')'),
    ('fit', 'SELECT pgfit.fit(''ridge_regression'', %L, ''y ~ a + g'', ''{"conformal": {"method": "cv+", "folds": 3}, "summary": true}'')'),
    ('evaluate', 'SELECT string_agg(e::text, '' '') FROM pgfit.evaluate(''linear_regression'', %L, ''y ~ a + g'', ''{"folds": 3}'') AS e'),
    ('search', 'SELECT string_agg(format(''%%s %%s'', options, value), '' '') FROM pgfit.search(''ridge_regression'', %L, ''y ~ a + g'', ''{"lambda": [0, 9]}'')'),
    ('automl', 'SELECT string_agg(estimator || '' '' || value, '' '') FROM pgfit.automl(%L, ''y'', ''{"features": "a + g", "estimators": ["ridge_regression"]}'')'),
    ('train', 'SELECT metrics || to_jsonb(rows) FROM pgfit.train(''of rights'', ''linear_regression'', %L, ''y ~ a + g'', ''{"holdout": {"key": "id"}}'')'),
    ('compare', 'SELECT string_agg(c::text, '' '') FROM sources.models, pgfit.compare(m, m, %L, ''{"target": "y"}'') AS c'),
    ('drift', 'SELECT string_agg(d::text, '' '') FROM (SELECT pgfit.fit(''linear_regression'', ''sources.mine'', ''y ~ a + g'', ''{"summary": true}'') AS m) AS f, pgfit.drift(m, %L) AS d'),
    ('report', 'SELECT replace(pgfit.report(m, %1$L, ''{"target": "y"}''), replace(%1$L, '''''''', ''&#39;''), '''') FROM sources.models'),
    ('augment', 'SELECT string_agg(a::text, '' '' ORDER BY data ->> ''id'') FROM sources.models, pgfit.augment(m, %L, ''{"target": "y"}'') AS a'),
    ('margins', 'SELECT string_agg(e::text, '' '') FROM (SELECT pgfit.linear_regression(y, r, ''y ~ a * g'') AS m FROM sources.mine AS r) AS f, pgfit.margins(m, %L, ''a'') AS e'),
    ('marginal_means', 'SELECT string_agg(e::text, '' '') FROM sources.models, pgfit.marginal_means(m, %L, ''g'', ''{"weights": "proportional"}'') AS e'),
    ('permutation_importance', 'SELECT string_agg(i::text, '' '') FROM sources.models, pgfit.permutation_importance(m, %L, ''y'', ''{"repeats": 2}'') AS i'),
    ('partial_dependence', 'SELECT string_agg(d::text, '' '') FROM sources.models, pgfit.partial_dependence(m, %L, ''a'') AS d'),
    ('accumulated_effects', 'SELECT string_agg(e::text, '' '') FROM sources.models, pgfit.accumulated_effects(m, %L, ''a'') AS e');
GRANT SELECT ON test.calls TO source_reader, source_owner;
-- each such function is listed, but for those that only write the query
SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pgfit'::regnamespace AND prokind = 'f' AND 'source' = ANY (proargnames[1:pronargs]) AND proname NOT IN ('fit_sql', 'search_sql')
EXCEPT SELECT function FROM test.calls;
-- what a call says of a source, without the number of its version
CREATE FUNCTION test.said(call text, source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE said text;
BEGIN
    EXECUTE format(call, source) INTO said;
    PERFORM pgfit.drop_model(name) FROM pgfit.model_names WHERE name = 'of rights';
    RETURN md5(said);
EXCEPTION WHEN insufficient_privilege THEN
    RETURN SQLSTATE;
END $$;
CREATE FUNCTION test.said_by_owner(call text, source text) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT test.said(call, source)';
CREATE FUNCTION test.said_by_reader(call text, source text) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT test.said(call, source)';
ALTER FUNCTION test.said_by_owner OWNER TO source_owner;
ALTER FUNCTION test.said_by_reader OWNER TO source_reader;
GRANT USAGE ON SCHEMA test TO source_reader, source_owner;
SET client_min_messages = error;
SET ROLE source_reader;
SELECT function, u.said = v.said AS policy, b.said = v.said AS barrier, q.said = v.said AS query, c.said <> '42501' AS columns, d.said AS closed, o.said <> v.said AS owner
FROM test.calls, LATERAL (SELECT test.said(call, 'sources.mine') AS said) AS v, LATERAL (SELECT test.said(call, 'sources.under_policy') AS said) AS u,
     LATERAL (SELECT test.said(call, 'sources.barrier') AS said) AS b, LATERAL (SELECT test.said(call, 'SELECT * FROM sources.under_policy') AS said) AS q,
     LATERAL (SELECT test.said(call, 'SELECT id, a, g, c, y FROM sources.columns') AS said) AS c, LATERAL (SELECT test.said(call, 'sources.closed') AS said) AS d,
     LATERAL (SELECT test.said_by_owner(call, 'sources.under_policy') AS said) AS o;
-- of columns that are granted, those that read whole rows say no
SELECT string_agg(function, ' ') AS closed FROM test.calls WHERE test.said(call, 'sources.columns') = '42501';
RESET ROLE;
-- and a superuser who calls a function of the reader gets what the reader gets
SELECT string_agg(function, ' ') AS differ FROM test.calls WHERE test.said_by_reader(call, 'sources.under_policy') <> test.said_by_reader(call, 'sources.mine') OR test.said_by_reader(call, 'sources.closed') <> '42501';
RESET client_min_messages;
DROP FUNCTION test.said, test.said_by_owner, test.said_by_reader;
DROP TABLE test.calls;
REVOKE USAGE ON SCHEMA test FROM source_reader, source_owner;
DROP SCHEMA sources CASCADE;
DROP ROLE source_owner, source_reader;
