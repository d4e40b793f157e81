-- A user without privileges fits, stores, merges and scores; the extension's objects stay the owner's.
CREATE ROLE pgfit_plain_user;
GRANT CREATE ON SCHEMA public TO pgfit_plain_user;
SET ROLE pgfit_plain_user;
SET search_path = public, test, pgfit;
CREATE TABLE mine AS SELECT i, i % 2 AS g, i % 7 + 0.5 AS a, 'l' || i % 3 AS level, 2.0 * (i % 7) + i % 3 + i % 11 AS y FROM generate_series(1, 100) i;
CREATE TABLE models AS SELECT g, linear_regression(y, (a, level)) AS m FROM mine GROUP BY g;
SELECT count(*), bool_and(predict(m, (a, level)) IS NOT NULL) FROM mine JOIN models USING (g);
SELECT count(*) FROM models, coefficients(m);
SELECT bool_and(summary(m) <> '') FROM models;
CREATE TABLE moments AS SELECT g, moments(y, (a, level)) AS e FROM mine GROUP BY g;
SELECT info(fit('linear_regression', merge(e))) -> 'rows' AS rows FROM moments;
SELECT rmse(y, predict(m, (a, level))) > 0 FROM mine JOIN models USING (g);
SELECT geometric_median(ARRAY[a, y]) IS NOT NULL FROM mine;
SET pgfit.fit_mem = '8MB';
SHOW pgfit.fit_mem;
SET pgfit.log_progress = off;
SELECT split_part(try('SET pgfit.fit_mem = -2'), ' (', 1) AS try; -- the range has units since PostgreSQL 18
SELECT try('DROP AGGREGATE pgfit.merge(pgfit.model)');
SELECT try('CREATE TABLE pgfit.squatter (a int)');
-- nothing in the schemas is closed to the public, and nothing runs with its owner's rights
SELECT count(*) FROM pg_proc WHERE pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^pgfit') AND (NOT has_function_privilege(oid, 'EXECUTE') OR prosecdef);
-- and the public reads the views of the registry, not its tables
SELECT nspname, relname, relkind, has_table_privilege(c.oid, 'SELECT') AS read, has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') AS more
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE nspname ~ '^pgfit' AND relkind NOT IN ('c', 'i') ORDER BY nspname COLLATE "C", relname COLLATE "C";
SELECT has_schema_privilege('pgfit', 'USAGE'), has_schema_privilege('pgfit', 'CREATE');
SELECT has_schema_privilege('pgfit_internal', 'USAGE') AS usage, has_schema_privilege('pgfit_internal', 'CREATE') AS create;
DROP TABLE mine, models, moments;
RESET ROLE;
RESET pgfit.fit_mem;
REVOKE CREATE ON SCHEMA public FROM pgfit_plain_user;
DROP ROLE pgfit_plain_user;
