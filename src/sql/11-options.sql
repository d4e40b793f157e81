-- the type options: what the options of a call are, from JSON or from a formula

CREATE TYPE pgfit.call_options;

CREATE FUNCTION pgfit_internal.options_in(cstring) RETURNS pgfit.call_options
AS 'MODULE_PATHNAME', 'pgfit_options_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.options_in(cstring) IS
'Reads options: a JSON object, or a formula, which becomes {"formula": ...}.';

CREATE FUNCTION pgfit_internal.options_out(pgfit.call_options) RETURNS cstring
AS 'jsonb_out' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pgfit_internal.options_out(pgfit.call_options) IS 'Returns options as a JSON object.';

CREATE FUNCTION pgfit_internal.options_recv(internal) RETURNS pgfit.call_options
AS 'MODULE_PATHNAME', 'pgfit_options_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.options_recv(internal) IS 'Reads options from their text.';

CREATE FUNCTION pgfit_internal.options_send(pgfit.call_options) RETURNS bytea
AS 'MODULE_PATHNAME', 'pgfit_options_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.options_send(pgfit.call_options) IS 'Returns the text of options.';

-- Not named options: pgfit.options('kmeans'), a call of the function, would be a cast to the type then.
-- Stored as jsonb is. A string type: an untyped literal becomes options in any call that takes them.
CREATE TYPE pgfit.call_options (
    INPUT = pgfit_internal.options_in,
    OUTPUT = pgfit_internal.options_out,
    RECEIVE = pgfit_internal.options_recv,
    SEND = pgfit_internal.options_send,
    LIKE = jsonb,
    CATEGORY = 'S'
);
COMMENT ON TYPE pgfit.call_options IS
'The options of a call: a JSON object. A text that does not begin with a brace is a formula, short for {"formula": ...}.';

CREATE FUNCTION pgfit_internal.options_from_text(text) RETURNS pgfit.call_options
AS 'MODULE_PATHNAME', 'pgfit_options_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.options_from_text(text) IS 'Reads options from text, as a literal.';

CREATE FUNCTION pgfit_internal.options_from_jsonb(jsonb) RETURNS pgfit.call_options
AS 'MODULE_PATHNAME', 'pgfit_options_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.options_from_jsonb(jsonb) IS 'Returns jsonb as options. Fails unless it is an object.';

CREATE CAST (text AS pgfit.call_options) WITH FUNCTION pgfit_internal.options_from_text(text) AS IMPLICIT;
COMMENT ON CAST (text AS pgfit.call_options) IS 'Reads options from a JSON object, or a formula, in text.';
CREATE CAST (varchar AS pgfit.call_options) WITH FUNCTION pgfit_internal.options_from_text(text) AS IMPLICIT;
COMMENT ON CAST (varchar AS pgfit.call_options) IS 'Reads options from a JSON object, or a formula, in text.';
CREATE CAST (jsonb AS pgfit.call_options) WITH FUNCTION pgfit_internal.options_from_jsonb(jsonb) AS IMPLICIT;
COMMENT ON CAST (jsonb AS pgfit.call_options) IS 'Checks that a jsonb value is an object, and takes it as options.';
-- and back: options compare and sort as jsonb does, for DISTINCT
CREATE CAST (pgfit.call_options AS jsonb) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (pgfit.call_options AS jsonb) IS 'Returns options as a jsonb object.';
