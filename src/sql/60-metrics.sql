-- metrics of predicted numbers: aggregates over (actual, predicted [, weight])

CREATE FUNCTION pgfit_internal.metrics_add(state float8[], actual float8, predicted float8) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_metrics_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_add(float8[], float8, float8) IS
'Support function of mse, rmse, mae and r_squared: adds a row to the state in place. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.metrics_add(state float8[], actual float8, predicted float8, weight float8) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_metrics_add_weighted' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_add(float8[], float8, float8, float8) IS
'Support function of the weighted mse, rmse, mae and r_squared: adds a row to the state in place. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.metrics_merge(state float8[], other float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_metrics_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_merge(float8[], float8[]) IS
'Support function of mse, rmse, mae and r_squared: puts two states together. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.metrics_mse(state float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_metrics_mse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_mse(float8[]) IS 'Support function of mse: the result of a state.';

CREATE AGGREGATE pgfit.mse(actual float8, predicted float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_mse,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mse(float8, float8) IS
'Mean squared error of predicted numbers. The mean of the squared differences, in the square of the unit of actual. Rows with a NULL are left out; no row: NULL; NaN and infinity: data_exception.';

CREATE AGGREGATE pgfit.mse(actual float8, predicted float8, weight float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_mse,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mse(float8, float8, float8) IS
'Weighted mean squared error of predicted numbers. The mean of the squared differences, in the square of the unit of actual. Rows with a NULL or the weight 0 are left out; no row: NULL; NaN, infinity and negative weights: data_exception.';

CREATE FUNCTION pgfit_internal.metrics_rmse(state float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_metrics_rmse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_rmse(float8[]) IS 'Support function of rmse: the result of a state.';

CREATE AGGREGATE pgfit.rmse(actual float8, predicted float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_rmse,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.rmse(float8, float8) IS
'Root mean squared error of predicted numbers. The square root of the mean of the squared differences, in the unit of actual. Rows with a NULL are left out; no row: NULL; NaN and infinity: data_exception.';

CREATE AGGREGATE pgfit.rmse(actual float8, predicted float8, weight float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_rmse,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.rmse(float8, float8, float8) IS
'Weighted root mean squared error of predicted numbers. The square root of the mean of the squared differences, in the unit of actual. Rows with a NULL or the weight 0 are left out; no row: NULL; NaN, infinity and negative weights: data_exception.';

CREATE FUNCTION pgfit_internal.metrics_mae(state float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_metrics_mae' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_mae(float8[]) IS 'Support function of mae: the result of a state.';

CREATE AGGREGATE pgfit.mae(actual float8, predicted float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_mae,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mae(float8, float8) IS
'Mean absolute error of predicted numbers. The mean of the absolute differences, in the unit of actual. Rows with a NULL are left out; no row: NULL; NaN and infinity: data_exception.';

CREATE AGGREGATE pgfit.mae(actual float8, predicted float8, weight float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_mae,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.mae(float8, float8, float8) IS
'Weighted mean absolute error of predicted numbers. The mean of the absolute differences, in the unit of actual. Rows with a NULL or the weight 0 are left out; no row: NULL; NaN, infinity and negative weights: data_exception.';

CREATE FUNCTION pgfit_internal.metrics_r_squared(state float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_metrics_r_squared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.metrics_r_squared(float8[]) IS 'Support function of r_squared: the result of a state.';

CREATE AGGREGATE pgfit.r_squared(actual float8, predicted float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_r_squared,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.r_squared(float8, float8) IS
'Coefficient of determination of predicted numbers. 1 - (sum of squared differences) / (sum of squared differences of actual from its mean): 1 is perfect, 0 as good as the mean, below 0 worse. NULL where actual is constant. Rows with a NULL are left out; no row: NULL; NaN and infinity: data_exception.';

CREATE AGGREGATE pgfit.r_squared(actual float8, predicted float8, weight float8) (
    SFUNC = pgfit_internal.metrics_add, STYPE = float8[], SSPACE = 128, FINALFUNC = pgfit_internal.metrics_r_squared,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = pgfit_internal.metrics_merge, INITCOND = '{0,0,0,0,0,0,0,0,0,0,0,0,0}', PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.r_squared(float8, float8, float8) IS
'Weighted coefficient of determination of predicted numbers. 1 - (sum of squared differences) / (sum of squared differences of actual from its mean): 1 is perfect, 0 as good as the mean, below 0 worse. NULL where actual is constant. Rows with a NULL or the weight 0 are left out; no row: NULL; NaN, infinity and negative weights: data_exception.';
