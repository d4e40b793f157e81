-- what a kernel method tried to choose its options

CREATE FUNCTION pgfit.kernel_path(model pgfit.model, OUT gamma float8, OUT lambda float8, OUT loo_mse float8, OUT cv_mse float8, OUT chosen boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.kernel_path(pgfit.model) IS
'Returns the values of gamma and lambda that a fit of kernel_ridge tried, the greatest first, with the mean squared error of leaving out each row, or instead cv_mse, of leaving out fold by fold (both NULL: the kernel matrix plus lambda is not positive definite), and whether the model has them. No rows if both options were numbers. gamma is NULL for a kernel without it. Fails with wrong_object_type for models of other methods.';
