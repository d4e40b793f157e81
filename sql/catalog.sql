-- Every object of the extension has a comment, a parallel label, a cost; nothing is left out.
CREATE VIEW test.members AS
SELECT d.classid, d.objid FROM pg_depend d, pg_extension e
WHERE e.extname = 'pgfit' AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e';
-- objects without a comment (a class's or family's parts are not members; arrays and the rows of tables and views are since PostgreSQL 18)
SELECT pg_describe_object(classid, objid, 0) FROM test.members
WHERE coalesce(obj_description(objid, classid::regclass::name), '') = '' AND classid <> 'pg_cast'::regclass AND classid <> 'pg_opfamily'::regclass
    AND NOT EXISTS (SELECT FROM pg_type AS t LEFT JOIN pg_class AS c ON c.oid = t.typrelid WHERE classid = 'pg_type'::regclass AND t.oid = objid AND (typcategory = 'A' OR relkind <> 'c'))
ORDER BY pg_describe_object(classid, objid, 0) COLLATE "C";
SELECT pg_describe_object(classid, objid, 0) FROM test.members
WHERE classid IN ('pg_cast'::regclass, 'pg_opfamily'::regclass) AND obj_description(objid, classid::regclass::name) IS NULL ORDER BY pg_describe_object(classid, objid, 0) COLLATE "C";
-- functions and aggregates outside the schemas, without a parallel label, volatile without a reason (those that fit by a query or write to the registry)
SELECT p.oid::regprocedure FROM test.members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
WHERE p.pronamespace NOT IN ('pgfit'::regnamespace, 'pgfit_internal'::regnamespace) OR p.proparallel <> 's' OR p.provolatile = 'v' ORDER BY 1;
-- C functions with the default cost are those that cost a single operation
SELECT count(*) > 20 AS many, count(*) FILTER (WHERE p.procost <= 0) AS without FROM test.members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid;
-- aggregates: final functions that only read, a size of the state where it is internal
SELECT a.aggfnoid::regprocedure FROM pg_aggregate a JOIN test.members m ON m.objid = a.aggfnoid AND m.classid = 'pg_proc'::regclass
WHERE a.aggfinalmodify <> 'r' OR a.aggtranstype = 'internal'::regtype AND a.aggtransspace = 0 OR a.aggmtranstype = 'internal'::regtype AND a.aggmtransspace = 0 ORDER BY 1;
-- aggregates over moments: states that are values, partial and moving (steps of iterative fits are not)
SELECT a.aggfnoid::regprocedure FROM pg_aggregate a JOIN test.members m ON m.objid = a.aggfnoid AND m.classid = 'pg_proc'::regclass
WHERE a.aggtranstype = 'pgfit.model'::regtype AND a.aggfnoid::text !~ '_step' AND (a.aggcombinefn = 0 OR a.aggmtransfn = 0 OR a.aggminvtransfn = 0) ORDER BY 1;
-- the list of estimators and the list of aggregates are the same
SELECT name FROM pgfit.estimators() EXCEPT SELECT proname::text FROM pg_proc WHERE pronamespace = 'pgfit'::regnamespace AND prokind = 'a';
-- every form of the list
SELECT p.oid::regprocedure AS form FROM pg_proc p JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE pronamespace = 'pgfit'::regnamespace AND prorettype = 'pgfit.model'::regtype ORDER BY proname COLLATE "C", p.oid::regprocedure::text COLLATE "C";
-- no C symbol of a public function has two meanings, except those behind all tables of a model and all fits to given distances
SELECT prosrc FROM pg_proc WHERE pronamespace = 'pgfit'::regnamespace AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') AND prosrc NOT IN ('pgfit_table', 'pgfit_fit_distances')
GROUP BY prosrc HAVING count(DISTINCT proname) > 1;
DROP VIEW test.members;
