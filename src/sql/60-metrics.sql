-- metrics of predicted numbers: aggregates over (actual, predicted [, weight])

CREATE FUNCTION pgfit_internal.metrics_add(state float8[], actual float8, predicted float8) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_metrics_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_add(float8[], float8, float8) IS
'Adds a row to a state of mse, rmse, mae or r_squared, in place. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.metrics_add(state float8[], actual float8, predicted float8, weight float8) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_metrics_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_add(float8[], float8, float8, float8) IS
'Adds a weighted row to a state of mse, rmse, mae or r_squared, in place. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.metrics_merge(state float8[], other float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_metrics_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_merge(float8[], float8[]) IS
'Merges two states of mse, rmse, mae or r_squared. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.metrics_mse(state float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_metrics_mse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_mse(float8[]) IS 'Returns the result of mse from a state.';

CREATE AGGREGATE pgfit.mse(actual float8, predicted float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_mse,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mse(float8, float8) IS
'Returns the mean squared error of predictions: the mean of the squared differences, in the squared unit of actual. Rows with a NULL are skipped. NULL without rows. Fails with data_exception for NaN or infinity.';

CREATE AGGREGATE pgfit.mse(actual float8, predicted float8, weight float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_mse,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mse(float8, float8, float8) IS
'Returns the weighted mean squared error of predictions: the mean of the squared differences, in the squared unit of actual. Rows with a NULL or weight 0 are skipped. NULL without rows. Fails with data_exception for NaN, infinity or a negative weight.';

CREATE FUNCTION pgfit_internal.metrics_rmse(state float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_metrics_rmse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_rmse(float8[]) IS 'Returns the result of rmse from a state.';

CREATE AGGREGATE pgfit.rmse(actual float8, predicted float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_rmse,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.rmse(float8, float8) IS
'Returns the root mean squared error of predictions: the square root of the mean of the squared differences, in the unit of actual. Rows with a NULL are skipped. NULL without rows. Fails with data_exception for NaN or infinity.';

CREATE AGGREGATE pgfit.rmse(actual float8, predicted float8, weight float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_rmse,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.rmse(float8, float8, float8) IS
'Returns the weighted root mean squared error of predictions: the square root of the mean of the squared differences, in the unit of actual. Rows with a NULL or weight 0 are skipped. NULL without rows. Fails with data_exception for NaN, infinity or a negative weight.';

CREATE FUNCTION pgfit_internal.metrics_mae(state float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_metrics_mae' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_mae(float8[]) IS 'Returns the result of mae from a state.';

CREATE AGGREGATE pgfit.mae(actual float8, predicted float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_mae,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mae(float8, float8) IS
'Returns the mean absolute error of predictions: the mean of the absolute differences, in the unit of actual. Rows with a NULL are skipped. NULL without rows. Fails with data_exception for NaN or infinity.';

CREATE AGGREGATE pgfit.mae(actual float8, predicted float8, weight float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_mae,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mae(float8, float8, float8) IS
'Returns the weighted mean absolute error of predictions: the mean of the absolute differences, in the unit of actual. Rows with a NULL or weight 0 are skipped. NULL without rows. Fails with data_exception for NaN, infinity or a negative weight.';

CREATE FUNCTION pgfit_internal.metrics_r_squared(state float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_metrics_r_squared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_r_squared(float8[]) IS 'Returns the result of r_squared from a state.';

CREATE AGGREGATE pgfit.r_squared(actual float8, predicted float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_r_squared,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.r_squared(float8, float8) IS
'Returns the coefficient of determination of predictions: 1 - (sum of squared differences) / (sum of squared differences of actual from its mean). 1 is perfect, 0 as good as the mean, below 0 worse. NULL if actual is constant. Rows with a NULL are skipped. NULL without rows. Fails with data_exception for NaN or infinity.';

CREATE AGGREGATE pgfit.r_squared(actual float8, predicted float8, weight float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_r_squared,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.r_squared(float8, float8, float8) IS
'Returns the weighted coefficient of determination of predictions: 1 - (sum of squared differences) / (sum of squared differences of actual from its mean). 1 is perfect, 0 as good as the mean, below 0 worse. NULL if actual is constant. Rows with a NULL or weight 0 are skipped. NULL without rows. Fails with data_exception for NaN, infinity or a negative weight.';
