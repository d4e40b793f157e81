-- complain if the script is sourced in psql rather than read by CREATE EXTENSION
\echo Use "CREATE EXTENSION pgfit" to load this file. \quit

-- The script makes the schema, rather than the control file: one that is there already belongs to somebody who could add
-- functions to it, so CREATE SCHEMA refuses it. As a member of the extension it comes and goes with it, also through pg_dump;
-- where a user without superuser rights installs, the bootstrap superuser owns it, as all that is in it.
CREATE SCHEMA pgfit;
GRANT USAGE ON SCHEMA pgfit TO PUBLIC;
COMMENT ON SCHEMA pgfit IS 'pgfit: classic machine learning in SQL';

