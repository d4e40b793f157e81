-- what features were in training, and how far they have moved

CREATE FUNCTION pgfit_internal.feature_summary_step(state internal, row_ record) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_feature_summary_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.feature_summary_step(internal, record) IS 'Adds a row to a state of feature_summary. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.merge_summaries_step(state internal, summary jsonb) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_merge_summaries_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit_internal.merge_summaries_step(internal, jsonb) IS 'Adds a summary to a state of feature_summary. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.feature_summary_combine(state internal, other internal) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_feature_summary_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit_internal.feature_summary_combine(internal, internal) IS 'Merges two states of feature_summary. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.feature_summary_serialize(state internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'pgfit_feature_summary_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit_internal.feature_summary_serialize(internal) IS 'Writes a state of feature_summary. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.feature_summary_deserialize(bytes bytea, unused internal) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_feature_summary_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit_internal.feature_summary_deserialize(bytea, internal) IS 'Reads a state of feature_summary. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.feature_summary_final(state internal) RETURNS jsonb
AS 'MODULE_PATHNAME', 'pgfit_feature_summary_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit_internal.feature_summary_final(internal) IS 'Returns the result of feature_summary from a state. Fails outside an aggregate.';

CREATE AGGREGATE pgfit.feature_summary(row_ record) (
    SFUNC = pgfit_internal.feature_summary_step, STYPE = internal, SSPACE = 32768, FINALFUNC = pgfit_internal.feature_summary_final,
    COMBINEFUNC = pgfit_internal.feature_summary_combine, SERIALFUNC = pgfit_internal.feature_summary_serialize,
    DESERIALFUNC = pgfit_internal.feature_summary_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.feature_summary(record) IS
'Returns what the values of each column were: missing ones (NULL, NaN and infinite), mean, sum of squared deviations and a histogram of numbers, counts of levels of text. The histogram is exact up to 1,024 different values; past that its buckets widen relative to the value. Runs in parallel; NULL without rows. Fails with datatype_mismatch for a column that is neither a number nor text, program_limit_exceeded past 10,000 different levels of a column.';
CREATE AGGREGATE pgfit.merge_summaries(summary jsonb) (
    SFUNC = pgfit_internal.merge_summaries_step, STYPE = internal, SSPACE = 32768, FINALFUNC = pgfit_internal.feature_summary_final,
    COMBINEFUNC = pgfit_internal.feature_summary_combine, SERIALFUNC = pgfit_internal.feature_summary_serialize,
    DESERIALFUNC = pgfit_internal.feature_summary_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.merge_summaries(jsonb) IS
'Returns the summary of all rows behind these summaries: what feature_summary would return for them, with means within rounding. NULLs count as no rows. Fails with data_exception for summaries of different columns.';

CREATE FUNCTION pgfit.with_summary(model pgfit.model, summary jsonb) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_with_summary' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.with_summary(pgfit.model, jsonb) IS
'Returns the model with a summary of its training rows, from feature_summary, for drift; NULL takes it out. Scores stay the same. Fails with invalid_parameter_value if it is no such summary, wrong_object_type for moments.';
CREATE FUNCTION pgfit.training_summary(model pgfit.model) RETURNS jsonb
AS 'MODULE_PATHNAME', 'pgfit_training_summary' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.training_summary(pgfit.model) IS 'Returns the summary of its training rows that the model keeps, or NULL.';

CREATE FUNCTION pgfit.drift(training jsonb, summary jsonb, OUT feature text, OUT verdict text, OUT psi float8, OUT ks float8, OUT ks_error float8, OUT unseen bigint,
    OUT unseen_share float8, OUT unseen_examples text[], OUT null_share_then float8, OUT null_share_now float8, OUT mean_then float8, OUT mean_now float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_drift_summaries' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.drift(jsonb, jsonb) IS
'Compares two summaries of the same columns, one row per column: see drift(pgfit.model, text).';

CREATE FUNCTION pgfit.drift(model pgfit.model, summary jsonb, OUT feature text, OUT verdict text, OUT psi float8, OUT ks float8, OUT ks_error float8, OUT unseen bigint,
    OUT unseen_share float8, OUT unseen_examples text[], OUT null_share_then float8, OUT null_share_now float8, OUT mean_then float8, OUT mean_now float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_drift_summary' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.drift(pgfit.model, jsonb) IS
'Compares a summary of rows with the training summary that the model keeps: see drift(pgfit.model, text).';

CREATE FUNCTION pgfit.drift(model pgfit.model, source text, OUT feature text, OUT verdict text, OUT psi float8, OUT ks float8, OUT ks_error float8, OUT unseen bigint,
    OUT unseen_share float8, OUT unseen_examples text[], OUT null_share_then float8, OUT null_share_now float8, OUT mean_then float8, OUT mean_now float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_drift' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION pgfit.drift(pgfit.model, text) IS
'Compares the rows of a table, view or query with those that the model was trained on, one row per feature. Columns: the population stability index (psi) over the deciles of training or its levels (a number that is a tenth of training has a bin of its own), and a verdict on it (stable below 0.1, moderate below 0.25, large); the Kolmogorov-Smirnov statistic (ks) of a number, and by how much it may be too small; of levels that training did not have, how many values, their share and the five most frequent; the shares of missing values and the means then and now. Uses the rights of the caller to run the query. Fails with wrong_object_type for a model that keeps no summary, undefined_column for a feature that the source lacks, data_exception for a source without rows or a number that is now text.';

CREATE FUNCTION pgfit.drift(name text, source text, OUT feature text, OUT verdict text, OUT psi float8, OUT ks float8, OUT ks_error float8, OUT unseen bigint,
    OUT unseen_share float8, OUT unseen_examples text[], OUT null_share_then float8, OUT null_share_now float8, OUT mean_then float8, OUT mean_now float8)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE COST 100000 ROWS 10
BEGIN ATOMIC
    SELECT d.* FROM pgfit.drift(pgfit.get_model($1), $2) AS d;
END;
COMMENT ON FUNCTION pgfit.drift(text, text) IS
'Compares with the training rows of the active version of a model. See drift(pgfit.model, text) and get_model.';

CREATE FUNCTION pgfit.drift(name text, summary jsonb, OUT feature text, OUT verdict text, OUT psi float8, OUT ks float8, OUT ks_error float8, OUT unseen bigint,
    OUT unseen_share float8, OUT unseen_examples text[], OUT null_share_then float8, OUT null_share_now float8, OUT mean_then float8, OUT mean_now float8)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
    SELECT d.* FROM pgfit.drift(pgfit.get_model($1), $2) AS d;
END;
COMMENT ON FUNCTION pgfit.drift(text, jsonb) IS
'Compares with the training rows of the active version of a model. See drift(pgfit.model, jsonb) and get_model.';
