-- the type model: a fitted model, or mergeable moments, as one value

CREATE TYPE pgfit.model;

CREATE FUNCTION pgfit_internal.model_in(cstring) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_model_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_internal.model_in(cstring) IS
'Reads a model from its text form, one JSON object, and checks all of it.';

CREATE FUNCTION pgfit_internal.model_out(pgfit.model) RETURNS cstring
AS 'MODULE_PATHNAME', 'pgfit_model_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_internal.model_out(pgfit.model) IS
'Returns the text form of a model: one JSON object that keeps every bit.';

CREATE FUNCTION pgfit_internal.model_recv(internal) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_model_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_internal.model_recv(internal) IS 'Reads a model from its binary form.';

CREATE FUNCTION pgfit_internal.model_send(pgfit.model) RETURNS bytea
AS 'MODULE_PATHNAME', 'pgfit_model_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_internal.model_send(pgfit.model) IS 'Returns the binary form of a model.';

-- EXTERNAL: numbers hardly compress, so do not try
CREATE TYPE pgfit.model (
    INPUT = pgfit_internal.model_in,
    OUTPUT = pgfit_internal.model_out,
    RECEIVE = pgfit_internal.model_recv,
    SEND = pgfit_internal.model_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = double,
    STORAGE = external
);
COMMENT ON TYPE pgfit.model IS
'A fitted model, or mergeable moments that models are fitted from. Its text form is one JSON object that keeps every bit.';

-- casts

CREATE FUNCTION pgfit_internal.model_to_jsonb(pgfit.model) RETURNS jsonb
AS 'MODULE_PATHNAME', 'pgfit_model_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_internal.model_to_jsonb(pgfit.model) IS
'Returns the model as jsonb; the cast back gives the same model.';
CREATE CAST (pgfit.model AS jsonb) WITH FUNCTION pgfit_internal.model_to_jsonb(pgfit.model) AS ASSIGNMENT;
COMMENT ON CAST (pgfit.model AS jsonb) IS 'Returns the model as jsonb, bit for bit.';

CREATE FUNCTION pgfit_internal.model_from_jsonb(jsonb) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_model_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_internal.model_from_jsonb(jsonb) IS
'Returns the model that a jsonb value describes, after checking all of it.';
CREATE CAST (jsonb AS pgfit.model) WITH FUNCTION pgfit_internal.model_from_jsonb(jsonb) AS ASSIGNMENT;
COMMENT ON CAST (jsonb AS pgfit.model) IS 'Returns the model that the jsonb describes, once it has been checked.';

-- equality, order and hash by content, for DISTINCT, UNION, GROUP BY, joins and replica identity full

CREATE FUNCTION pgfit_internal.model_eq(pgfit.model, pgfit.model) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_model_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.model_eq(pgfit.model, pgfit.model) IS 'Implements operator =: equal, by content.';

CREATE FUNCTION pgfit_internal.model_ne(pgfit.model, pgfit.model) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_model_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.model_ne(pgfit.model, pgfit.model) IS
'Implements operator <>: not equal, by content.';

CREATE FUNCTION pgfit_internal.model_lt(pgfit.model, pgfit.model) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_model_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.model_lt(pgfit.model, pgfit.model) IS
'Implements operator <: less than, by content.';

CREATE FUNCTION pgfit_internal.model_le(pgfit.model, pgfit.model) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_model_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.model_le(pgfit.model, pgfit.model) IS
'Implements operator <=: less than or equal, by content.';

CREATE FUNCTION pgfit_internal.model_gt(pgfit.model, pgfit.model) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_model_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.model_gt(pgfit.model, pgfit.model) IS
'Implements operator >: greater than, by content.';

CREATE FUNCTION pgfit_internal.model_ge(pgfit.model, pgfit.model) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_model_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.model_ge(pgfit.model, pgfit.model) IS
'Implements operator >=: greater than or equal, by content.';

CREATE FUNCTION pgfit_internal.model_cmp(pgfit.model, pgfit.model) RETURNS integer
AS 'MODULE_PATHNAME', 'pgfit_model_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.model_cmp(pgfit.model, pgfit.model) IS
'Compares two models by content: negative, 0 or positive if the first is less than, equal to or greater than the second.';

CREATE FUNCTION pgfit_internal.model_hash(pgfit.model) RETURNS integer
AS 'MODULE_PATHNAME', 'pgfit_model_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.model_hash(pgfit.model) IS
'Returns a hash of the content, the same on every platform.';

CREATE FUNCTION pgfit_internal.model_hash_extended(pgfit.model, bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'pgfit_model_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.model_hash_extended(pgfit.model, bigint) IS
'Returns a hash of the content with a seed, for hash partitions.';

CREATE OPERATOR pgfit.= (
    LEFTARG = pgfit.model, RIGHTARG = pgfit.model, FUNCTION = pgfit_internal.model_eq,
    COMMUTATOR = OPERATOR(pgfit.=), NEGATOR = OPERATOR(pgfit.<>),
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR pgfit.= (pgfit.model, pgfit.model) IS 'Tells whether two models are equal, by content.';

CREATE OPERATOR pgfit.<> (
    LEFTARG = pgfit.model, RIGHTARG = pgfit.model, FUNCTION = pgfit_internal.model_ne,
    COMMUTATOR = OPERATOR(pgfit.<>), NEGATOR = OPERATOR(pgfit.=),
    RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR pgfit.<> (pgfit.model, pgfit.model) IS 'Tells whether two models differ, by content.';

CREATE OPERATOR pgfit.< (
    LEFTARG = pgfit.model, RIGHTARG = pgfit.model, FUNCTION = pgfit_internal.model_lt,
    COMMUTATOR = OPERATOR(pgfit.>), NEGATOR = OPERATOR(pgfit.>=),
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR pgfit.< (pgfit.model, pgfit.model) IS 'Tells whether the first model comes before the second in the order by content.';

CREATE OPERATOR pgfit.<= (
    LEFTARG = pgfit.model, RIGHTARG = pgfit.model, FUNCTION = pgfit_internal.model_le,
    COMMUTATOR = OPERATOR(pgfit.>=), NEGATOR = OPERATOR(pgfit.>),
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR pgfit.<= (pgfit.model, pgfit.model) IS 'Tells whether the first model comes before the second in the order by content, or equals it.';

CREATE OPERATOR pgfit.> (
    LEFTARG = pgfit.model, RIGHTARG = pgfit.model, FUNCTION = pgfit_internal.model_gt,
    COMMUTATOR = OPERATOR(pgfit.<), NEGATOR = OPERATOR(pgfit.<=),
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR pgfit.> (pgfit.model, pgfit.model) IS 'Tells whether the first model comes after the second in the order by content.';

CREATE OPERATOR pgfit.>= (
    LEFTARG = pgfit.model, RIGHTARG = pgfit.model, FUNCTION = pgfit_internal.model_ge,
    COMMUTATOR = OPERATOR(pgfit.<=), NEGATOR = OPERATOR(pgfit.<),
    RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR pgfit.>= (pgfit.model, pgfit.model) IS 'Tells whether the first model comes after the second in the order by content, or equals it.';

CREATE OPERATOR FAMILY pgfit.model_ops USING btree;
COMMENT ON OPERATOR FAMILY pgfit.model_ops USING btree IS 'Orders models by content.';
CREATE OPERATOR CLASS pgfit.model_ops DEFAULT FOR TYPE pgfit.model USING btree FAMILY pgfit.model_ops AS
    OPERATOR 1 pgfit.<, OPERATOR 2 pgfit.<=, OPERATOR 3 pgfit.=, OPERATOR 4 pgfit.>=, OPERATOR 5 pgfit.>,
    FUNCTION 1 pgfit_internal.model_cmp(pgfit.model, pgfit.model);
COMMENT ON OPERATOR CLASS pgfit.model_ops USING btree IS 'Orders models by content, for DISTINCT, GROUP BY and indexes.';

CREATE OPERATOR FAMILY pgfit.model_ops USING hash;
COMMENT ON OPERATOR FAMILY pgfit.model_ops USING hash IS 'Hashes models by content.';
CREATE OPERATOR CLASS pgfit.model_ops DEFAULT FOR TYPE pgfit.model USING hash FAMILY pgfit.model_ops AS
    OPERATOR 1 pgfit.=,
    FUNCTION 1 pgfit_internal.model_hash(pgfit.model),
    FUNCTION 2 pgfit_internal.model_hash_extended(pgfit.model, bigint);
COMMENT ON OPERATOR CLASS pgfit.model_ops USING hash IS 'Hashes models by content, for hash joins and hash aggregates.';
