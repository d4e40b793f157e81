-- projections and distributions

CREATE FUNCTION pgfit.components(model pgfit.model, OUT component int, OUT variance float8, OUT share float8, OUT cumulative float8, OUT term text, OUT loading float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.components(pgfit.model) IS
'Returns the components of a projection, one row per component and term. Columns: component from 1, the variance of its scores, its share of the variance of all features, the share of all components up to it, term (a feature, or feature=level), and loading, the term''s element of the component''s unit vector. Fails with wrong_object_type for a model without components.';

CREATE FUNCTION pgfit.inverse_transform(model pgfit.model, scores float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_inverse_transform' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.inverse_transform(pgfit.model, float8[]) IS
'Returns the features that scores stand for: for the result of transform(model, features), the nearest point that the components can express, in units of the features and in the order of the terms of components(model). NULL if a score is NULL. Fails with data_exception for a number of scores other than that of components, wrong_object_type for a model without an inverse.';

CREATE FUNCTION pgfit.tail_probability(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_tail_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.tail_probability(pgfit.model, "any") IS
'Returns the probability that a row of the model''s distribution is as far from its center as this one, or farther: small for outliers. features as in predict. Fails with wrong_object_type for a model without such a distribution.';

CREATE FUNCTION pgfit.distributions(model pgfit.model, OUT cluster int, OUT weight float8, OUT mean float8[], OUT covariance float8[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.distributions(pgfit.model) IS
'Returns the normal distributions of a mixture, or the one of multivariate_normal, one row each. Columns: cluster from 1, weight (its share of the rows), mean, and covariance as a matrix, whatever the form of the covariances. Fails with wrong_object_type for a model without distributions.';
