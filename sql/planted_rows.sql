-- Functions of other roles that have the names of those that the planner knows.
CREATE ROLE row_planter;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO row_planter', current_database()); END $$;
SET ROLE row_planter;
CREATE SCHEMA pgfit_distributed;
CREATE FUNCTION pgfit_distributed.named_row(int, int) RETURNS record LANGUAGE plpgsql AS 'BEGIN RETURN ROW($2::float8); END';
CREATE FUNCTION pgfit_distributed.named_row(bytea, int) RETURNS record LANGUAGE plpgsql AS 'BEGIN RETURN ROW($2::float8); END';
CREATE FUNCTION pgfit_distributed.named_row(int[], int) RETURNS record LANGUAGE plpgsql AS 'BEGIN RETURN ROW($2::float8); END';
CREATE FUNCTION pgfit_distributed.named_row(text[], int) RETURNS record LANGUAGE plpgsql AS 'BEGIN RETURN ROW($2::float8); END';
CREATE FUNCTION pgfit_distributed.whole_row(int, int) RETURNS record LANGUAGE plpgsql AS 'BEGIN RETURN ROW($2::float8); END';
CREATE FUNCTION pgfit_distributed.whole_row() RETURNS record LANGUAGE plpgsql AS 'BEGIN RETURN ROW(1::float8); END';
-- the first argument of the one is not always an array of names
SET client_min_messages = error;
SELECT pgfit.features(pgfit.kmeans(pgfit_distributed.named_row(5, i), 1)) AS number FROM generate_series(1, 3) AS i;
SELECT pgfit.features(pgfit.kmeans(pgfit_distributed.named_row('\x0000000100000000'::bytea, i), 1)) AS bytes FROM generate_series(1, 3) AS i;
SELECT pgfit.features(pgfit.kmeans(pgfit_distributed.named_row('{7}'::int[], i), 1)) AS numbers FROM generate_series(1, 3) AS i;
SELECT pgfit.features(pgfit.kmeans(pgfit_distributed.named_row('{a}'::text[], i), 1)) AS names FROM generate_series(1, 3) AS i;
SELECT pgfit.features(pgfit.kmeans(pgfit_distributed.whole_row(i, i), 1)) AS whole, pgfit.features(pgfit.kmeans(pgfit_distributed.whole_row(), 1)) AS nothing FROM generate_series(1, 3) AS i;
RESET ROLE;
DROP OWNED BY row_planter;
DROP ROLE row_planter;
