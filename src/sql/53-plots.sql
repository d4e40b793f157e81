-- what a plot of a model needs

CREATE FUNCTION pgfit.feature_ranges(model pgfit.model, OUT feature text, OUT low float8, OUT high float8, OUT typical float8, OUT source text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_feature_ranges' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.feature_ranges(pgfit.model) IS
'Returns where the features of a model lie, as far as the model knows, one row per number of a row. Columns: low and high, from what source says (rows: the least and the greatest; splits: the thresholds of trees and a tenth of their range further; mean and standard deviation: 3 standard deviations to both sides; centers: centroids or medoids and half of their range further; ends: those of minmax_scaler), and typical, the mean of the rows. What the model does not keep is NULL.';

CREATE FUNCTION pgfit.decision_grid(model pgfit.model, f1 text, f2 text, steps int DEFAULT 50, range1 float8[] DEFAULT NULL, range2 float8[] DEFAULT NULL, at jsonb DEFAULT NULL, OUT x float8, OUT y float8, OUT label text, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_decision_grid' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 2500;
COMMENT ON FUNCTION pgfit.decision_grid(pgfit.model, text, text, int, float8[], float8[], jsonb) IS
'Returns what a model says at steps x steps points over two numeric features. Columns: label, the class or the number of the cluster; and score: of two classes the probability of the positive one, or decision where the model has no probabilities; of more classes or clusters the greatest probability, or the greatest decision; of other clusters the distance; of a regression the prediction; of a density or of outliers decision. Ranges that are not given are those of feature_ranges. Other features have the values in at, an object, or their typical value. Fails with wrong_object_type for a model without scores, invalid_parameter_value for a feature that the model has not, a range that it does not know and a feature without a typical value.';

CREATE FUNCTION pgfit.ellipses(model pgfit.model, level float8 DEFAULT 0.95, f1 text DEFAULT NULL, f2 text DEFAULT NULL, OUT class text, OUT cluster int, OUT x float8, OUT y float8, OUT semi_major float8, OUT semi_minor float8, OUT angle float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_ellipses' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 5;
COMMENT ON FUNCTION pgfit.ellipses(pgfit.model, float8, text, text) IS
'Returns for each class or component of a model made of normal distributions (lda, qda, naive_bayes, multivariate_normal, gaussian_mixture) the ellipse over two numeric features that holds this share of it: center, semi-axes, and the angle of the major axis against the x axis in degrees, above -90 to 90. Features need no names where the model has just two numbers. Fails with wrong_object_type for other models, invalid_parameter_value for a level outside 0 to 1 and for other features.';

CREATE FUNCTION pgfit.voronoi(model pgfit.model, range1 float8[] DEFAULT NULL, range2 float8[] DEFAULT NULL, OUT cluster int, OUT class text, OUT vertex int, OUT x float8, OUT y float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_voronoi' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50;
COMMENT ON FUNCTION pgfit.voronoi(pgfit.model, float8[], float8[]) IS
'Returns the Voronoi cells of a model of two numeric features, the polygons of all points that are nearest to one centroid or medoid: the vertices of each, counterclockwise from vertex 1, clipped to the ranges (those of feature_ranges if not given). A cell outside them has no rows. Fails with wrong_object_type for models other than kmeans, kmedoids and nearest_centroid, for more features, and for metrics and priors whose borders are not straight lines halfway between two points.';
