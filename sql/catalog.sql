-- Rules that hold for every object of the extension; what breaks one is printed.
CREATE VIEW test.members AS
SELECT d.classid, d.objid, pg_describe_object(d.classid, d.objid, 0) AS object, obj_description(d.objid, d.classid::regclass::name) AS comment
FROM pg_depend d, pg_extension e
WHERE e.extname = 'pgfit' AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e';
CREATE VIEW test.functions AS
SELECT p.*, m.object, n.nspname AS schema, l.lanname AS language, coalesce(p.proargnames, '{}') AS names,
       ARRAY(SELECT t::regtype::text FROM unnest(p.proargtypes) AS t) AS types, p.proargnames[1:p.pronargs] AS inputs
FROM test.members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang;
-- aggregates that fit: their arguments without the numbers, such as k, between features and options
CREATE VIEW test.forms AS
SELECT f.proname::text AS name, f.object, f.inputs, f.inputs[cardinality(f.inputs)] AS last, f.types,
       ARRAY(SELECT i FROM unnest(f.inputs) WITH ORDINALITY AS u(i, n) WHERE i IN ('target', 'label', 'id', 'features', 'moments', 'options', 'weight') ORDER BY n) AS plain
FROM test.functions f WHERE f.prokind = 'a' AND f.schema = 'pgfit' AND f.proname IN (SELECT name FROM pgfit.estimators());

SELECT rule, object FROM (
    -- comments (arrays, rows of tables and parts of classes and families are members since PostgreSQL 18, and have none)
    SELECT 'has a comment', object FROM test.members m WHERE coalesce(comment, '') = '' AND classid <> 'pg_opfamily'::regclass
        AND NOT EXISTS (SELECT FROM pg_type AS t LEFT JOIN pg_class AS c ON c.oid = t.typrelid WHERE classid = 'pg_type'::regclass AND t.oid = objid AND (typcategory = 'A' OR relkind <> 'c'))
    UNION ALL SELECT 'the comment is a sentence', object FROM test.members WHERE comment !~ '^([A-Z]|k).*[.]$'
    UNION ALL SELECT 'the comment is one sentence', object FROM test.members WHERE comment ~ '[.] [A-Za-z"]'
    UNION ALL SELECT 'the comment is one line', object FROM test.members WHERE comment ~ '\n'
    -- where they are, and who may call them
    UNION ALL SELECT 'is in the schemas of the extension', object FROM test.functions WHERE schema !~ '^pgfit(_internal|_textbook)?$'
    UNION ALL SELECT 'everybody may call it', object FROM test.functions WHERE proacl IS NOT NULL
    UNION ALL SELECT 'runs with the rights of its caller', object FROM test.functions WHERE prosecdef
    UNION ALL SELECT 'looks up names as when it was made', object FROM test.functions WHERE language = 'plpgsql' AND proconfig IS DISTINCT FROM '{"search_path=pg_catalog, pg_temp"}'
    UNION ALL SELECT 'is C, or SQL that was parsed', object FROM test.functions
        WHERE prokind <> 'a' AND NOT (language IN ('c', 'internal') OR language = 'sql' AND prosqlbody IS NOT NULL OR language = 'plpgsql' AND schema = 'pgfit_internal')
    -- names of arguments
    UNION ALL SELECT 'every argument has a name', object FROM test.functions WHERE schema = 'pgfit' AND (cardinality(names) < pronargs OR '' = ANY (inputs)) AND pronargs > 1
    UNION ALL SELECT 'no C symbol has two meanings', prosrc FROM test.functions WHERE schema = 'pgfit' AND language = 'c' AND prosrc NOT IN ('pgfit_table', 'pgfit_fit_distances', 'pgfit_moments_test') -- all tables of models, fits to given distances, tests of moments
        GROUP BY prosrc HAVING count(DISTINCT proname) > 1
    -- costs, rows, volatility and parallel labels by kind
    UNION ALL SELECT 'a function that returns a set says how many rows', object FROM test.functions WHERE proretset AND prorows <= 0
    UNION ALL SELECT 'a table of a model costs at least 50', object FROM test.functions WHERE proretset AND procost < 50
    UNION ALL SELECT 'a score costs at least 20', object FROM test.functions WHERE prokind = 'f' AND schema = 'pgfit' AND inputs[1:2] = '{model,features}' AND procost < 20
    UNION ALL SELECT 'the end of a fit costs at least 500', object FROM test.functions WHERE language = 'c' AND proname ~ '_final$' AND proname !~ 'moments|^merge' AND prorettype = 'pgfit.model'::regtype AND procost < 500
    UNION ALL SELECT 'what runs a query costs at least 10000, runs in the leader and is not immutable', object FROM test.functions
        WHERE 'source' = ANY (inputs) AND (procost < 10000 OR proparallel = 's' OR provolatile = 'i')
    UNION ALL SELECT 'what reads the registry is not immutable', object FROM test.functions WHERE prokind = 'f' AND schema = 'pgfit' AND inputs[1:2] = '{name,features}' AND provolatile = 'i'
    UNION ALL SELECT 'what changes the registry or runs searches is volatile, and stays in the leader', object FROM test.functions
        WHERE (proname ~ '^(train|promote|rollback|search|automl)$|_model$' AND proname NOT IN ('export_model', 'get_model', 'import_model')) AND schema = 'pgfit' AND (provolatile <> 'v' OR proparallel <> 'u')
    UNION ALL SELECT 'what computes from its arguments alone is immutable and parallel safe', object FROM test.functions
        WHERE prokind <> 'a' AND types[1] = 'pgfit.model' AND NOT 'source' = ANY (inputs) AND (provolatile <> 'i' OR proparallel <> 's')
    UNION ALL SELECT 'is parallel safe or has a reason', object FROM test.functions
        WHERE proparallel <> 's' AND NOT 'source' = ANY (inputs) AND provolatile <> 'v'
    UNION ALL SELECT 'is volatile for a reason', object FROM test.functions WHERE provolatile = 'v' AND procost < 1000 AND NOT (schema = 'pgfit_internal' AND proparallel = 'r')
    -- aggregates
    UNION ALL SELECT 'a final function only reads, an internal state has a size', f.object FROM pg_aggregate a JOIN test.functions f ON f.oid = a.aggfnoid
        WHERE a.aggfinalmodify <> 'r' OR a.aggtranstype = 'internal'::regtype AND a.aggtransspace = 0 OR a.aggmtranstype = 'internal'::regtype AND a.aggmtransspace = 0
    UNION ALL SELECT 'a state that is a value is partial and moves (steps of iterations and sums of values do not)', f.object FROM pg_aggregate a JOIN test.functions f ON f.oid = a.aggfnoid
        WHERE a.aggtranstype = 'pgfit.model'::regtype AND f.proname !~ '_step$' AND (a.aggcombinefn = 0 OR a.aggmtransfn = 0 OR a.aggminvtransfn = 0)
    UNION ALL SELECT 'an aggregate is immutable and parallel safe', object FROM test.functions WHERE prokind = 'a' AND (provolatile <> 'i' OR proparallel <> 's')
    -- estimators and the forms of their aggregates
    UNION ALL SELECT 'an estimator has an aggregate with options', e.name FROM pgfit.estimators() AS e
        WHERE NOT EXISTS (SELECT FROM test.forms f WHERE f.name = e.name AND f.inputs[cardinality(f.inputs) - 1:] = '{features,options}')
    UNION ALL SELECT 'options go without a weight and with one', f.object FROM test.forms f
        WHERE f.last = 'options' AND NOT EXISTS (SELECT FROM test.forms g WHERE g.name = f.name AND g.inputs = f.inputs || 'weight'::text AND g.types[:cardinality(f.types)] = f.types)
    UNION ALL SELECT 'a weight goes with options', f.object FROM test.forms f
        WHERE f.last = 'weight' AND NOT EXISTS (SELECT FROM test.forms g WHERE g.name = f.name AND g.inputs || 'weight'::text = f.inputs AND f.types[:cardinality(g.types)] = g.types)
    UNION ALL SELECT 'numbers go without options', f.object FROM test.forms f
        WHERE f.last = 'options' AND f.inputs <> f.plain AND NOT EXISTS (SELECT FROM test.forms g WHERE g.name = f.name AND g.inputs || 'options'::text = f.inputs)
    UNION ALL SELECT 'numbers may be options instead', f.object FROM test.forms f
        WHERE f.last = 'options' AND NOT EXISTS (SELECT FROM test.forms g WHERE g.name = f.name AND g.inputs = f.plain AND g.types[cardinality(g.types)] = f.types[cardinality(f.types)])
    UNION ALL SELECT 'options are of one type', object FROM test.functions, unnest(inputs, types) AS a(input, type) WHERE input = 'options' AND type <> 'pgfit.call_options'
    UNION ALL SELECT 'an estimator has help, a source, options, and arrays of its models', e.name FROM pgfit.estimators() AS e
        WHERE coalesce(e.help, '') = '' OR coalesce(e.source, '') = '' OR NOT EXISTS (SELECT FROM pgfit.options(e.name)) OR e.name NOT IN (SELECT estimator FROM pgfit_internal.declared_arrays())
    UNION ALL SELECT 'a name of an estimator is sorted and listed once', max(name) FROM pgfit.estimators() HAVING array_agg(name) <> array_agg(name ORDER BY name COLLATE "C") OR count(*) > count(DISTINCT name)
    UNION ALL SELECT 'an option is listed once, with a type and help that is a sentence', e.name || '.' || o.name FROM pgfit.estimators() AS e, pgfit.options(e.name) AS o
        GROUP BY e.name, o.name HAVING count(*) > 1 OR NOT bool_and(o.type <> '' AND o.help ~ '[.]$')
) AS broken (rule, object) ORDER BY rule COLLATE "C", object COLLATE "C";

-- the rules look at something
SELECT count(*) > 500 AS functions, count(*) FILTER (WHERE prokind = 'a') > 100 AS aggregates, count(*) FILTER (WHERE proretset) > 30 AS tables,
       (SELECT count(*) > 200 FROM test.forms) AS forms, (SELECT count(*) > 30 FROM test.forms WHERE inputs <> plain) AS numbers FROM test.functions;
DROP VIEW test.forms, test.functions, test.members;
