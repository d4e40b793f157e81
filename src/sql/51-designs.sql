-- ---- what a formula makes of a row ----

CREATE FUNCTION pgfit.design(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_design' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.design(pgfit.model, "any") IS
'Returns the row of the design matrix that the model''s features or the terms of its formula give, in the order of terms(model): 1 for the intercept, numbers, and 0 or 1 for levels. features as in predict; NULL if a feature is NULL.';

CREATE FUNCTION pgfit.terms(model pgfit.model) RETURNS text[]
AS 'MODULE_PATHNAME', 'pgfit_terms' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.terms(pgfit.model) IS
'Returns the names of the columns of design(model, features): (intercept), carat, cut=Ideal, cut=Ideal:carat, poly(depth, 2)1. With an intercept the first level of each category has no column, as in R.';
