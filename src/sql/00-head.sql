-- complain if the script is sourced in psql rather than read by CREATE EXTENSION
\echo Use "CREATE EXTENSION pgfit" to load this file. \quit

GRANT USAGE ON SCHEMA @extschema@ TO PUBLIC;
COMMENT ON SCHEMA @extschema@ IS 'pgfit: classic machine learning in SQL';

