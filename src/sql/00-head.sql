-- complain if the script is sourced in psql rather than read by CREATE EXTENSION
\echo Use "CREATE EXTENSION pgfit" to load this file. \quit

-- The script creates the schemas itself, because CREATE SCHEMA refuses one that exists: its owner could add functions to it.
-- As members of the extension they come and go with it, also through pg_dump. If a user without superuser rights installs
-- the extension, the bootstrap superuser owns the schemas and everything in them.
CREATE SCHEMA pgfit;
GRANT USAGE ON SCHEMA pgfit TO PUBLIC;
COMMENT ON SCHEMA pgfit IS 'Classic machine learning in SQL: methods that fit models, functions that score them, metrics and tests.';

-- Formulas of textbooks, and methods one iteration at a time: for learning, not needed to fit, score, evaluate or cluster.
CREATE SCHEMA pgfit_textbook;
GRANT USAGE ON SCHEMA pgfit_textbook TO PUBLIC;
COMMENT ON SCHEMA pgfit_textbook IS 'Formulas of textbooks, and methods one iteration at a time, for learning.';

-- What aggregates, operators, casts and the types call. PostgreSQL finds these by OID, so nobody needs USAGE here,
-- except to declare aggregates of their own over them.
CREATE SCHEMA pgfit_internal;
COMMENT ON SCHEMA pgfit_internal IS 'Support functions of the aggregates, operators and types of pgfit, which users need not call.';

