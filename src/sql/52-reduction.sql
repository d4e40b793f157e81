-- projections and distributions

CREATE FUNCTION pgfit.components(model pgfit.model, OUT component int, OUT variance float8, OUT share float8, OUT cumulative float8, OUT term text, OUT loading float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION pgfit.components(pgfit.model) IS
'The components of a projection, a row a component and term: component from 1, the variance of its scores, its share of the variance of all features and that of the components up to it, term (a feature, or feature=level), and loading, the term''s entry in the unit vector of the component. wrong_object_type: a model without components.';

CREATE FUNCTION pgfit.inverse_transform(model pgfit.model, scores float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_inverse_transform' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.inverse_transform(pgfit.model, float8[]) IS
'The features that scores stand for: of what transform(model, features) gives the nearest point that the components can express, in units of the features and in the order of the terms of components(model). NULL for a NULL score. data_exception: another number of scores than components; wrong_object_type: a model that has no way back.';

CREATE FUNCTION pgfit.tail_probability(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_tail_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.tail_probability(pgfit.model, "any") IS
'The probability that a row of the model''s distribution lies as far from its center as this one, or farther: small for outliers. features as in predict. wrong_object_type: a model without such a distribution.';

CREATE FUNCTION pgfit.distributions(model pgfit.model, OUT cluster int, OUT weight float8, OUT mean float8[], OUT covariance float8[])
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.distributions(pgfit.model) IS
'The normal distributions that a model is made of, a row each (one of multivariate_normal): cluster from 1, weight (its share of the rows), mean, and covariance as a matrix, whatever the form of the covariances. wrong_object_type: a model that is not made of distributions.';
