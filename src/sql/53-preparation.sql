-- preparing rows for other models

CREATE FUNCTION pgfit.pipeline(VARIADIC models pgfit.model[]) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_pipeline' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.pipeline(pgfit.model[]) IS
'Returns one model that takes a row through fitted models: each but the last transforms it (as transform does) for the next. It reads the row that the first model takes, and has the scores, tables and reports of the last. Stages are matched by the names of outputs and features, or by position where the features of a stage have no names. Pipelines among the models give their stages; one model is returned as it is. Fails with wrong_object_type for moments and for a model before the last that does not transform, invalid_parameter_value for models that do not fit each other, NULL or no models.';

CREATE FUNCTION pgfit.stage(model pgfit.model, number int) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_stage' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.stage(pgfit.model, int) IS
'Returns a model of a pipeline by its number from 1. Fails with wrong_object_type for a model that is no pipeline, invalid_parameter_value for a number that it does not have.';

CREATE FUNCTION pgfit.stages(model pgfit.model, OUT stage int, OUT estimator text, OUT inputs jsonb, OUT outputs jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 3;
COMMENT ON FUNCTION pgfit.stages(pgfit.model) IS
'Returns the stages of a pipeline, one row each. Columns: number, estimator, the names of its features, and the names of its outputs as arrays; outputs is NULL for a last stage that does not transform. Fails with wrong_object_type for a model that is no pipeline.';

CREATE FUNCTION pgfit.output_names(model pgfit.model) RETURNS text[]
AS 'MODULE_PATHNAME', 'pgfit_output_names' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.output_names(pgfit.model) IS
'Returns the names of the numbers that transform(model, features) returns, in their order. Fails with wrong_object_type for a model that does not transform, data_exception if two names are equal.';

CREATE FUNCTION pgfit.transform_row(model pgfit.model, features "any") RETURNS jsonb
AS 'MODULE_PATHNAME', 'pgfit_transform_row' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.transform_row(pgfit.model, "any") IS
'Returns what transform returns, as an object with the names of output_names: a row that other models can be fitted to by name. NULL if a feature is NULL. Fails as transform and output_names do.';

CREATE FUNCTION pgfit.inverse_transform_row(model pgfit.model, scores float8[]) RETURNS jsonb
AS 'MODULE_PATHNAME', 'pgfit_inverse_transform_row' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.inverse_transform_row(pgfit.model, float8[]) IS
'Returns what inverse_transform returns, as an object with the names of the features; of one_hot the levels that the numbers stand for. NULL if a score is NULL. Fails as inverse_transform does.';

CREATE FUNCTION pgfit.scaling(model pgfit.model, OUT feature text, OUT shift float8, OUT scale float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit.scaling(pgfit.model) IS
'Returns what a scaler does, one row per feature. Columns: shift, which is subtracted (the mean, the minimum, the median), and scale, by which the difference is divided; minmax_scaler adds the lower end of its range. Fails with wrong_object_type for a model that is no scaler.';

CREATE FUNCTION pgfit.bin_edges(model pgfit.model, OUT feature text, OUT bin int, OUT lower float8, OUT upper float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 50;
COMMENT ON FUNCTION pgfit.bin_edges(pgfit.model) IS
'Returns the bins of quantile_bins, one row each: feature, bin from 0, and its edges. A number on an edge belongs to the bin above, numbers outside all bins to the first or the last. Fails with wrong_object_type for a model without bins.';

CREATE FUNCTION pgfit.encodings(model pgfit.model, OUT feature text, OUT level text, OUT rows float8, OUT encoding float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 50;
COMMENT ON FUNCTION pgfit.encodings(pgfit.model) IS
'Returns the numbers that target_encoder puts in place of levels, one row per level: feature, level (NULL stands for NULLs), rows (the sum of their weights, if rows had any), and encoding. Fails with wrong_object_type for a model without encodings.';
