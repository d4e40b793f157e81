-- evaluating methods: cross-validation, folds and splits by key

CREATE FUNCTION pgfit.split(key "any", fraction float8, seed bigint DEFAULT 0) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_split' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit.split("any", float8, bigint) IS
'Returns true for this fraction of keys, chosen by a hash of the key''s text, which no setting changes: the same keys on every machine, and equal keys on the same side. A larger fraction keeps the keys of a smaller one. key has any type; NULL gives NULL. Independent of fold with the same seed. Fails with invalid_parameter_value for a fraction outside 0 to 1.';

CREATE FUNCTION pgfit.fold(key "any", k int, seed bigint DEFAULT 0) RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_fold' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit.fold("any", int, bigint) IS
'Returns the fold of a key, 1 to k, by a hash of its text, which no setting changes: the same on every machine, and the same for equal keys, so rows with one key stay together. key has any type; NULL gives NULL. Fails with invalid_parameter_value for fewer than 2 folds.';

CREATE FUNCTION pgfit.bootstrap_weight(key "any", sample int, seed bigint DEFAULT 0) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_bootstrap_weight' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit.bootstrap_weight("any", int, bigint) IS
'Returns how often a bootstrap sample, given by its number, has the rows of a key: 0, 1, 2, ..., a Poisson number of mean 1 by a hash of the key''s text, the same on every machine. Give it as the weight of any metric or fit, for as many samples as you like. key has any type; rows with one key are drawn together; NULL gives NULL.';

CREATE TYPE pgfit.fold_score AS (metric text, fold bigint, value float8, std_error float8, rows bigint);
COMMENT ON TYPE pgfit.fold_score IS
'A row of cross_validate: the value of a metric in the rows of a fold; where fold is NULL, its mean over the folds and the standard error of that mean. rows: how many were scored.';

CREATE FUNCTION pgfit_internal.cross_validate_final(state internal) RETURNS pgfit.fold_score[]
AS 'MODULE_PATHNAME', 'pgfit_cross_validate_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit_internal.cross_validate_final(internal) IS 'Returns the scores of the folds of the rows that a state keeps.';

CREATE FUNCTION pgfit_internal.cross_validate_step(state internal, target "any", features "any", estimator text) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_cross_validate_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.cross_validate_step(internal, "any", "any", text) IS 'Keeps a row for cross_validate. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.cross_validate_step(state internal, target "any", features "any", estimator text, options pgfit.call_options) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_cross_validate_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.cross_validate_step(internal, "any", "any", text, pgfit.call_options) IS 'Keeps a row for cross_validate. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.cross_validate_step(state internal, target "any", features "any", estimator text, options pgfit.call_options, weight float8) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_cross_validate_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.cross_validate_step(internal, "any", "any", text, pgfit.call_options, float8) IS 'Keeps a row for cross_validate. Fails outside an aggregate.';
CREATE FUNCTION pgfit_internal.cross_validate_step(state internal, target "any", features "any", estimator text, options pgfit.call_options, weight float8, scored boolean) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_cross_validate_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.cross_validate_step(internal, "any", "any", text, pgfit.call_options, float8, boolean) IS 'Keeps a row for cross_validate. Fails outside an aggregate.';

CREATE AGGREGATE pgfit.cross_validate(target "any", features "any", estimator text) (
    SFUNC = pgfit_internal.cross_validate_step, STYPE = internal, SSPACE = 1024, FINALFUNC = pgfit_internal.cross_validate_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.cross_validate("any", "any", text) IS
'Evaluates an estimator, given by name, on rows that it was not fitted to: fits it to all folds but one and scores that one, for each of 5 folds. Returns an array of metric, fold, value, std_error, rows to unnest; a row without a fold has the mean over the folds and its standard error. Options: folds, fold_column, group_column, time_column, stratified, hold_out, seed, metrics, positive, and under "options" those of the estimator. For methods without a target pass NULL. Rows with a NULL are skipped. NULL without rows. Fails with invalid_parameter_value for an unknown estimator, option or metric, data_exception for rows that cannot be split or fitted (the message names the fold), wrong_object_type for a method without scores.';
CREATE AGGREGATE pgfit.cross_validate(target "any", features "any", estimator text, options pgfit.call_options) (
    SFUNC = pgfit_internal.cross_validate_step, STYPE = internal, SSPACE = 1024, FINALFUNC = pgfit_internal.cross_validate_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
CREATE AGGREGATE pgfit.cross_validate(target "any", features "any", estimator text, options pgfit.call_options, weight float8) (
    SFUNC = pgfit_internal.cross_validate_step, STYPE = internal, SSPACE = 1024, FINALFUNC = pgfit_internal.cross_validate_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.cross_validate("any", "any", text, pgfit.call_options) IS
'Evaluates an estimator, given by name, on rows that it was not fitted to: fits it to all folds but one and scores that one, for each of 5 folds. Returns an array of metric, fold, value, std_error, rows to unnest; a row without a fold has the mean over the folds and its standard error. Options: folds, fold_column, group_column, time_column, stratified, hold_out, seed, metrics, positive, and under "options" those of the estimator. For methods without a target pass NULL. Rows with a NULL are skipped. NULL without rows. Fails with invalid_parameter_value for an unknown estimator, option or metric, data_exception for rows that cannot be split or fitted (the message names the fold), wrong_object_type for a method without scores.';
CREATE AGGREGATE pgfit.cross_validate(target "any", features "any", estimator text, options pgfit.call_options, weight float8, scored boolean) (
    SFUNC = pgfit_internal.cross_validate_step, STYPE = internal, SSPACE = 1024, FINALFUNC = pgfit_internal.cross_validate_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.cross_validate("any", "any", text, pgfit.call_options, float8, boolean) IS
'Evaluates an estimator, given by name, on rows that it was not fitted to: fits it to all folds but one and scores that one, for each of 5 folds. Returns an array of metric, fold, value, std_error, rows to unnest; a row without a fold has the mean over the folds and its standard error. Options: folds, fold_column, group_column, time_column, stratified, hold_out, seed, metrics, positive, and under "options" those of the estimator. For methods without a target pass NULL. Rows with a NULL are skipped. NULL without rows. Fails with invalid_parameter_value for an unknown estimator, option or metric, data_exception for rows that cannot be split or fitted (the message names the fold), wrong_object_type for a method without scores. Rows count by weight, in fits and in metrics. Only rows where scored is true are scored; the others are fitted all the same.';
COMMENT ON AGGREGATE pgfit.cross_validate("any", "any", text, pgfit.call_options, float8) IS
'Evaluates an estimator, given by name, on rows that it was not fitted to: fits it to all folds but one and scores that one, for each of 5 folds. Returns an array of metric, fold, value, std_error, rows to unnest; a row without a fold has the mean over the folds and its standard error. Options: folds, fold_column, group_column, time_column, stratified, hold_out, seed, metrics, positive, and under "options" those of the estimator. For methods without a target pass NULL. Rows with a NULL are skipped. NULL without rows. Fails with invalid_parameter_value for an unknown estimator, option or metric, data_exception for rows that cannot be split or fitted (the message names the fold), wrong_object_type for a method without scores. Rows count by weight, in fits and in metrics.';
