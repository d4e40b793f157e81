-- textbook functions of logistic models

CREATE FUNCTION pgfit_textbook.logistic(x float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_logistic' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_textbook.logistic(float8) IS
'Returns the logistic function 1 / (1 + exp(-x)): a probability from log odds. Accurate at both ends; never overflows.';

CREATE FUNCTION pgfit_textbook.softmax(scores float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_softmax' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_textbook.softmax(float8[]) IS
'Returns exp(score) divided by the sum of all: as many probabilities as scores, which add up to 1. Adding a constant to all scores changes nothing. Fails with numeric_value_out_of_range for an element that is not finite, null_value_not_allowed for a NULL element.';

CREATE FUNCTION pgfit_textbook.cross_entropy(probabilities float8[], class bigint) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_cross_entropy' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit_textbook.cross_entropy(float8[], bigint) IS
'Returns the loss of one row: minus the natural logarithm of the probability of its true class (a position in the array, from 1); infinite if that probability is 0. Fails with invalid_parameter_value for a position out of range or a number that is not a probability.';

CREATE FUNCTION pgfit.odds_ratios(model pgfit.model, OUT class text, OUT term text, OUT odds_ratio float8, OUT conf_low float8, OUT conf_high float8, OUT p_value float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.odds_ratios(pgfit.model) IS
'Returns the factors that one unit more of a feature multiplies the odds by: exp of the coefficients of a logistic_regression without its intercept, one row per term, with confidence limits and p value as in coefficients. class is NULL for two classes; for multinomial models without a penalty the odds are those against the first class. Fails with wrong_object_type for another kind of model.';
