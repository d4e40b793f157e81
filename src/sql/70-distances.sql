-- distances and kernels between two rows: plain functions

CREATE FUNCTION pgfit.euclidean_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_euclidean_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.euclidean_distance("any", "any") IS
'Returns the straight-line distance of two rows: the square root of the sum of squared differences. a, b: arrays of numbers, rows, jsonb objects or numbers of one shape; categories differ by 0 if equal, else by 1. NULL if either contains a NULL. Fails with data_exception for different lengths or names, NaN, infinities or empty arrays, numeric_value_out_of_range for a distance above 1.8e308.';

CREATE FUNCTION pgfit.squared_euclidean_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_squared_euclidean_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.squared_euclidean_distance("any", "any") IS
'Returns the sum of squared differences of two rows. Not a metric: the triangle inequality does not hold. a, b and errors as in euclidean_distance.';

CREATE FUNCTION pgfit.manhattan_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_manhattan_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.manhattan_distance("any", "any") IS
'Returns the sum of absolute differences of two rows (city blocks). a, b and errors as in euclidean_distance.';

CREATE FUNCTION pgfit.chebyshev_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_chebyshev_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.chebyshev_distance("any", "any") IS
'Returns the largest absolute difference of two rows (moves of a chess king). a, b and errors as in euclidean_distance.';

CREATE FUNCTION pgfit.minkowski_distance(a "any", b "any", p float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_minkowski_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.minkowski_distance("any", "any", float8) IS
'Returns the distance of order p: the p-th root of the sum of absolute differences to the power p. p: any number above 0; Infinity is chebyshev_distance; below 1 the triangle inequality does not hold. a, b and errors as in euclidean_distance. Also fails with invalid_parameter_value if p is 0 or less, or NaN.';

CREATE FUNCTION pgfit.hamming_distance(a "any", b "any") RETURNS bigint
AS 'MODULE_PATHNAME', 'pgfit_hamming_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.hamming_distance("any", "any") IS
'Returns the number of positions that differ, of two strings (by character), bit strings, arrays or rows of the same length. NULL if either contains a NULL. Fails with data_exception for different lengths; the message gives both.';

CREATE FUNCTION pgfit.edit_distance(a text, b text) RETURNS bigint
AS 'MODULE_PATHNAME', 'pgfit_edit_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.edit_distance(text, text) IS
'Returns the least number of insertions, deletions and substitutions of one character that turn a into b (Levenshtein), for strings of any length.';

CREATE FUNCTION pgfit.damerau_distance(a text, b text) RETURNS bigint
AS 'MODULE_PATHNAME', 'pgfit_damerau_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.damerau_distance(text, text) IS
'Returns the least number of insertions, deletions and substitutions of one character and exchanges of two adjacent ones that turn a into b (Damerau-Levenshtein), where exchanged characters may be edited further.';

CREATE FUNCTION pgfit.jaro_winkler_distance(a text, b text, prefix_weight float8 DEFAULT 0.1) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_jaro_winkler_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.jaro_winkler_distance(text, text, float8) IS
'Returns 1 minus the Jaro-Winkler similarity of two strings, from 0 for equal ones to 1 for those without a character in common. prefix_weight, from 0 to 0.25: what each of the first four characters adds where they are equal; 0 gives the Jaro distance. Fails with invalid_parameter_value for a weight out of range.';

CREATE FUNCTION pgfit.standardized_euclidean_distance(a "any", b "any", variances float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_standardized_euclidean_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.standardized_euclidean_distance("any", "any", float8[]) IS
'Returns the distance of two rows with each feature divided by its standard deviation. variances: one per feature, above 0. a, b and errors as in euclidean_distance. Also fails with invalid_parameter_value for another number of variances or a variance of 0.';

CREATE FUNCTION pgfit.elliptical_distance(a "any", b "any", matrix float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_elliptical_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.elliptical_distance("any", "any", float8[]) IS
'Returns the square root of (a-b)''M(a-b). matrix: M, symmetric and positive definite, with one row and one column per feature. a, b and errors as in euclidean_distance, without categories. Also fails with invalid_parameter_value for a matrix of another size, not symmetric or not positive definite.';

CREATE FUNCTION pgfit.mahalanobis_distance(a "any", b "any", covariance float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_mahalanobis_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.mahalanobis_distance("any", "any", float8[]) IS
'Returns the square root of (a-b)''S^-1(a-b). covariance: S, symmetric and positive definite (the covariance matrix, not its inverse), with one row and one column per feature. a, b and errors as in euclidean_distance, without categories. Also fails with invalid_parameter_value for a matrix of another size, not symmetric or singular.';

CREATE FUNCTION pgfit.mahalanobis_distance(a "any", b "any", moments pgfit.model) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_mahalanobis_distance_moments' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.mahalanobis_distance("any", "any", pgfit.model) IS
'Returns the square root of (a-b)''S^-1(a-b), where S is the covariance (divisor n) of stored moments. moments: of feature_moments; features are matched by name if both have names. a, b and errors as in euclidean_distance, without categories. Also fails with invalid_parameter_value for a singular covariance, wrong_object_type for other moments or a fitted model.';

CREATE FUNCTION pgfit.cosine_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_cosine_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.cosine_distance("any", "any") IS
'Returns 1 minus the cosine of the angle between two rows, 0 to 2. Not a metric: the triangle inequality does not hold (it does for angular_distance). a, b and errors as in euclidean_distance, without categories. Also fails with data_exception for a row of zeros.';

CREATE FUNCTION pgfit.cosine_similarity(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_cosine_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.cosine_similarity("any", "any") IS
'Returns the cosine of the angle between two rows, -1 to 1. a, b and errors as in cosine_distance.';

CREATE FUNCTION pgfit.angular_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_angular_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.angular_distance("any", "any") IS
'Returns the angle between two rows in radians, 0 to pi. a, b and errors as in cosine_distance.';

CREATE FUNCTION pgfit.correlation_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_correlation_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.correlation_distance("any", "any") IS
'Returns 1 minus the correlation of the numbers of two rows, 0 to 2: cosine_distance after the mean of each row is subtracted. Not a metric. a, b and errors as in euclidean_distance, without categories. Also fails with data_exception for a row of equal numbers.';

CREATE FUNCTION pgfit.canberra_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_canberra_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.canberra_distance("any", "any") IS
'Returns the sum of |a-b| / (|a|+|b|) over the features, as scipy does; 0/0 is 0. a, b and errors as in euclidean_distance.';

CREATE FUNCTION pgfit.bray_curtis_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_bray_curtis_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.bray_curtis_distance("any", "any") IS
'Returns the sum of |a-b| divided by the sum of |a+b|: the share of two samples'' amounts that they do not have in common; 0/0 is 0. Not a metric: the triangle inequality does not hold. a, b and errors as in euclidean_distance, without categories. Also fails with numeric_value_out_of_range where all sums are 0 and rows differ.';

CREATE FUNCTION pgfit.jaccard_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.jaccard_distance("any", "any") IS
'Returns the share of features that are not 0 (true, 1) in only one of two rows, among those that are not 0 in either; 0 if there are none. This is method binary of dist() in R. a, b: as in euclidean_distance, without categories; or bit strings of one length. Errors as in euclidean_distance.';

CREATE FUNCTION pgfit.dice_distance(a "any", b "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_dice_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.dice_distance("any", "any") IS
'Returns the number of features that are not 0 in only one of two rows, divided by the sum of the numbers of features that are not 0 in each; 0 if there are none. Not a metric: the triangle inequality does not hold. a, b and errors as in jaccard_distance.';

CREATE FUNCTION pgfit.gower_distance(a "any", b "any", ranges float8[]) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_gower_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.gower_distance("any", "any", float8[]) IS
'Returns Gower''s distance of two rows: the mean over the features of |a-b| / range for numbers and ordered enums, and 0 or 1 for other categories. ranges: one per number or enum, above 0. a, b and errors as in euclidean_distance. Also fails with invalid_parameter_value for another number of ranges or a range of 0.';

CREATE FUNCTION pgfit.haversine_distance(a "any", b "any", radius float8 DEFAULT 6371.0088) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_haversine_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.haversine_distance("any", "any", float8) IS
'Returns the great-circle distance of two places on a sphere, in the unit of its radius: 6371.0088 for kilometers on the earth, 3958.7613 for miles, 1 for the angle in radians. a, b: rows of latitude and longitude in degrees, in this order. Fails as euclidean_distance does, and with data_exception for a latitude beyond 90 or a longitude beyond 360 degrees, or another number of features, invalid_parameter_value for a radius of 0 or less.';

CREATE FUNCTION pgfit.distance(a "any", b "any", metric text, options pgfit.call_options DEFAULT '{}') RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_distance_metric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.distance("any", "any", text, pgfit.call_options) IS
'Returns the distance of two rows by the name of a metric. The metric is angular, bray_curtis, canberra, chebyshev, correlation, cosine, damerau, dice, edit, elliptical, euclidean, gower, hamming, haversine, jaccard, jaro_winkler, kernel, mahalanobis, manhattan, minkowski, mixed, squared_euclidean or standardized_euclidean. Options: p (minkowski, mixed; 2), variances (standardized_euclidean, mixed), ranges (gower), angle_unit and sphere_radius (haversine), matrix (elliptical), covariance (mahalanobis), kernel and its gamma, sigma, degree, coef0 (kernel). mixed: numbers and ordered enums are scaled by the variances, other categories differ by 0 or 1; gower: the mean of such differences, scaled by the ranges. Fails with invalid_parameter_value for an unknown name or options that the metric does not take.';

CREATE FUNCTION pgfit_textbook.norm(x "any", p float8) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_norm' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_textbook.norm("any", float8) IS
'Returns the p-norm of a row of numbers: its distance of order p from zero. p = 0 counts the numbers that are not 0 (not a norm); Infinity is the largest absolute value. x and errors as in minkowski_distance.';

CREATE FUNCTION pgfit_textbook.is_metric(name text, p float8 DEFAULT 2, OUT metric boolean, OUT zero boolean, OUT positivity boolean, OUT symmetry boolean, OUT triangle boolean)
AS 'MODULE_PATHNAME', 'pgfit_is_metric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_textbook.is_metric(text, float8) IS
'Returns which axioms a metric of this name satisfies: zero (d(x,x) = 0), positivity (d(x,y) > 0 if x and y differ), symmetry (d(x,y) = d(y,x)), triangle (d(x,z) <= d(x,y) + d(y,z)); metric: all four. p: the order, of minkowski and mixed. Fails with invalid_parameter_value for an unknown name or p of 0 or less.';

-- ---- kernels ----

CREATE FUNCTION pgfit.kernel(a "any", b "any", kernel text, options pgfit.call_options DEFAULT '{}') RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_kernel' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.kernel("any", "any", text, pgfit.call_options) IS
'Returns a kernel of two rows by its name. Kernels: linear ab, polynomial (gamma ab + coef0)^degree, rbf exp(-gamma |a-b|^2) with gamma or sigma (gamma = 1 / (2 sigma^2), never both), sigmoid tanh(gamma ab + coef0); or of two texts: spectrum and subsequence, with length, decay and normalized as in spectrum_kernel and subsequence_kernel. kernel may also be an object, as in kernel(a, b, ''{"sum": [{"kernel": "rbf", "gamma": 1}, {"kernel": "linear", "weight": 0.5}]}''). Defaults: gamma 1 (rbf: none), coef0 0, degree 3. a, b and errors as in euclidean_distance, without categories. Also fails with invalid_parameter_value for options that the kernel does not take.';

CREATE FUNCTION pgfit.spectrum_kernel(a text, b text, length integer DEFAULT 3, normalized boolean DEFAULT true) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_spectrum_kernel' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.spectrum_kernel(text, text, integer, boolean) IS
'Returns the spectrum kernel of two texts. It sums how often each string of length adjacent characters occurs in one times how often it occurs in the other, summed; with normalized divided by the square root of both texts'' kernels with themselves, so from 0 to 1, and 1 for equal texts. 0 for a text shorter than length. length: 1 to 100. Fails with invalid_parameter_value for another length.';

CREATE FUNCTION pgfit.subsequence_kernel(a text, b text, length integer DEFAULT 3, decay float8 DEFAULT 0.5, normalized boolean DEFAULT true) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_subsequence_kernel' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION pgfit.subsequence_kernel(text, text, integer, float8, boolean) IS
'Returns the gap-weighted subsequence kernel of two texts: the strings of length characters that both have in this order, with gaps or without; a pair of occurrences that span m and n characters counts decay^(m + n). normalized as in spectrum_kernel. length: 1 to 100; decay: above 0 and at most 1. Takes time in proportion to length and to the product of the texts'' lengths. Fails with invalid_parameter_value for another length or decay, numeric_value_out_of_range if the sum overflows.';

CREATE FUNCTION pgfit.kernel_distance(a "any", b "any", kernel text, options pgfit.call_options DEFAULT '{}') RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_kernel_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.kernel_distance("any", "any", text, pgfit.call_options) IS
'Returns the distance of two rows in the kernel''s space: the square root of k(a,a) - 2 k(a,b) + k(b,b), 0 if rounding makes that negative. A metric only if the kernel distinguishes all rows. kernel, options, a, b and errors as in kernel.';

CREATE FUNCTION pgfit.kernel_cosine(a "any", b "any", kernel text, options pgfit.call_options DEFAULT '{}') RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_kernel_cosine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.kernel_cosine("any", "any", text, pgfit.call_options) IS
'Returns the cosine of two rows in the kernel''s space: k(a,b) / sqrt(k(a,a) k(b,b)). kernel, options, a, b and errors as in kernel. Also fails with data_exception if k(a,a) or k(b,b) is not above 0.';
