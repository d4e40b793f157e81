-- functions behind logistic models

CREATE FUNCTION pgfit.logistic(x float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_logistic' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit.logistic(float8) IS
'The logistic function 1 / (1 + exp(-x)): a probability from log odds. Between 0 and 1, accurate at both ends; never overflows.';

CREATE FUNCTION pgfit.softmax(scores float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_softmax' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.softmax(float8[]) IS
'exp(score) divided by the sum of all: probabilities that add up to 1, as many as scores; the same for scores that differ by a constant. numeric_value_out_of_range: an element that is not finite; null_value_not_allowed: a NULL element.';

CREATE FUNCTION pgfit.cross_entropy(probabilities float8[], class bigint) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_cross_entropy' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit.cross_entropy(float8[], bigint) IS
'The loss of one row, minus the natural logarithm of the probability of its true class (its place in the array, from 1); infinite where that is 0. invalid_parameter_value: no such class, or a number that is no probability.';

CREATE FUNCTION pgfit.odds_ratios(model pgfit.model, OUT class text, OUT term text, OUT odds_ratio float8, OUT conf_low float8, OUT conf_high float8, OUT p_value float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.odds_ratios(pgfit.model) IS
'What a unit more of a feature multiplies the odds by: exp of the coefficients of a logistic_regression without its intercept, a row a term, with confidence limits and p value as coefficients has them. class: NULL for two classes; of multinomial models without a penalty the odds are those against the first class. wrong_object_type: another kind of model.';
