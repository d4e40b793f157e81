-- using a model: scores of rows, and what the model holds

-- ---- scores ----

CREATE FUNCTION pgfit.predict(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_predict' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION pgfit.predict(pgfit.model, "any") IS
'The number that a model predicts for a row: of a regression the target, in its unit; of a classifier the class where classes are numbers or booleans (1 true, 0 false); of a clustering the cluster, 1 to k. features: a row or a jsonb object (found by name where model and row have names), an array or a number (by position). NULL for a NULL feature. data_exception: a missing name or another number of features; wrong_object_type: a model that predicts no number.';

CREATE FUNCTION pgfit.predict_interval(model pgfit.model, features "any", OUT fit float8, OUT lower float8, OUT upper float8)
AS 'MODULE_PATHNAME', 'pgfit_predict_interval' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.predict_interval(pgfit.model, "any") IS
'The prediction for a row, and the limits between which a new observation lies with the confidence that the model was fitted with (option level, 0.95). The new row has weight 1 where the fit had weights. features as in predict. lower and upper are NULL where no residual degrees of freedom are left; all are NULL for a NULL feature. wrong_object_type: a model without intervals.';

CREATE FUNCTION pgfit.predict_interval(model pgfit.model, features "any", level float8, OUT fit float8, OUT lower float8, OUT upper float8)
AS 'MODULE_PATHNAME', 'pgfit_predict_interval_level' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.predict_interval(pgfit.model, "any", float8) IS
'The prediction for a row, and the limits between which a new observation lies with the confidence level, a number between 0 and 1. The new row has weight 1 where the fit had weights. features as in predict. invalid_parameter_value: a level outside; wrong_object_type: a model without intervals.';

CREATE FUNCTION pgfit.classify(model pgfit.model, features "any") RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_classify' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.classify(pgfit.model, "any") IS
'The class of a row, as text. features as in predict; NULL for a NULL feature. wrong_object_type: a model without classes.';

CREATE FUNCTION pgfit.classify(model pgfit.model, features "any", sample anyelement) RETURNS anyelement
AS 'MODULE_PATHNAME', 'pgfit_classify_as' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.classify(pgfit.model, "any", anyelement) IS
'The class of a row in the type of the third argument, whose value does not matter: classify(m, x, NULL::int). features as in predict. A label that is not of this type is an error that names it.';

CREATE FUNCTION pgfit.probability(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.probability(pgfit.model, "any") IS
'The probability, 0 to 1, of the positive class (the last of two) for a row. features as in predict. wrong_object_type: a model without probabilities or with more classes than two.';

CREATE FUNCTION pgfit.probability(model pgfit.model, features "any", label "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_probability_label' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.probability(pgfit.model, "any", "any") IS
'The probability, 0 to 1, of the class label for a row. features as in predict. invalid_parameter_value: a label that is no class of the model; wrong_object_type: a model without probabilities.';

CREATE FUNCTION pgfit.probabilities(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_probabilities' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.probabilities(pgfit.model, "any") IS
'The probabilities of all classes for a row, in the order of classes(model). features as in predict. wrong_object_type: a model without probabilities.';

CREATE FUNCTION pgfit.decision(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_decision' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.decision(pgfit.model, "any") IS
'The signed score of a row: above 0 for the positive class; of normal classifiers the log odds. features as in predict. wrong_object_type: a model without scores, or with one a class (call decisions).';

CREATE FUNCTION pgfit.decisions(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_decisions' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.decisions(pgfit.model, "any") IS
'The scores of a row, one a class in the order of classes(model), or one alone where two classes have one equation; of normal classifiers the logarithms of prior times density. features as in predict. wrong_object_type: a model without scores.';

CREATE FUNCTION pgfit.cluster(model pgfit.model, features "any") RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_cluster' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.cluster(pgfit.model, "any") IS
'The cluster of a row, 1 to k. features as in predict. wrong_object_type: a model without clusters.';

CREATE FUNCTION pgfit.distance(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.distance(pgfit.model, "any") IS
'The distance of a row from what the model describes, in the unit of the features: its center, the nearest of its centroids or exemplars, or of a linear classifier the boundary (of two classes signed, above 0 on the positive side; NULL where there is no such boundary). features as in predict. wrong_object_type: a model without distances.';

CREATE FUNCTION pgfit.distances(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_distances' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.distances(pgfit.model, "any") IS
'The distances of a row from each of the centroids or exemplars of a model; of normal classifiers the Mahalanobis distances from the means of the classes. features as in predict. wrong_object_type: a model with one center or none.';

CREATE FUNCTION pgfit.transform(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_transform' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.transform(pgfit.model, "any") IS
'A row in the coordinates of the model, such as principal components. features as in predict. wrong_object_type: a model that transforms nothing.';

-- ---- what a model holds ----

CREATE FUNCTION pgfit.classes(model pgfit.model) RETURNS text[]
AS 'MODULE_PATHNAME', 'pgfit_classes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.classes(pgfit.model) IS
'The classes of a classifier as text, in their order; the last of two is the positive one. wrong_object_type: a model without classes.';

CREATE FUNCTION pgfit.coefficients(model pgfit.model, OUT class text, OUT term text, OUT estimate float8, OUT std_error float8, OUT statistic float8, OUT p_value float8, OUT conf_low float8, OUT conf_high float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.coefficients(pgfit.model) IS
'The coefficients of a linear model, a row a term: class (NULL where there is one equation), term (a feature, feature=level, or (intercept)), estimate in units of the target a unit of the feature, its standard error, test statistic, p value, and the limits of its confidence interval at the level of the fit. What is not known is NULL. wrong_object_type: a model without coefficients.';

CREATE FUNCTION pgfit.features(model pgfit.model, OUT "position" int, OUT name text, OUT kind text, OUT width int, OUT levels int)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit.features(pgfit.model) IS
'The features of a model or of moments, a row each: position from 1, name, kind (numeric, categorical, ...), width (numbers of an array inside a row, else 1), and the number of levels of a categorical feature, else NULL.';

CREATE FUNCTION pgfit.levels(model pgfit.model, OUT feature text, OUT level text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit.levels(pgfit.model) IS
'The levels of the categorical features of a model or of moments, in their order; a NULL level is the one of NULLs. The first of a feature is the reference level of linear models.';

CREATE FUNCTION pgfit.info(model pgfit.model) RETURNS jsonb
AS 'MODULE_PATHNAME', 'pgfit_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.info(pgfit.model) IS
'What a model or moments says about itself: kind, estimator, format, rows used, rows skipped, weight, target, features with kinds and levels, classes, options as used, iterations and converged of an iterative fit, the other results of the fit under statistics, arrays with their shapes, and bytes. A number that is not known is null; infinities are strings.';

CREATE FUNCTION pgfit.summary(model pgfit.model) RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_summary' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.summary(pgfit.model) IS
'A model or moments as text for a terminal: rows, options, the first 100 coefficients with their tests, and the statistics of the fit.';

CREATE FUNCTION pgfit.parameter(model pgfit.model, name text) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_parameter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.parameter(pgfit.model, text) IS
'A stored array of a model or of moments by its name, a matrix as a two-dimensional array; info(model) lists them. invalid_parameter_value: an unknown name (the hint lists the names), or an array of text.';

CREATE FUNCTION pgfit.to_sql(model pgfit.model) RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_to_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.to_sql(pgfit.model) IS
'The prediction of a model as a plain SQL expression over columns with the names of its features (over an array x where they have none), for places without pgfit. NULL features give NULL. wrong_object_type: a model that has no such expression.';

-- ---- what there is ----

CREATE FUNCTION pgfit.estimators(OUT name text, OUT task text, OUT input text, OUT options text[], OUT help text, OUT source text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_estimators' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit.estimators() IS
'The estimators of this pgfit, a row each: name, task, the moments that a fit consumes (moments: one pass in constant memory, parallel and mergeable; rows: the rows themselves), the names of its own options, what it does, and where the method is from.';

CREATE FUNCTION pgfit.options(estimator text, OUT name text, OUT type text, OUT default_value text, OUT range text, OUT help text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_options' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit.options(text) IS
'The options of an estimator (or of moments, class_moments, feature_moments, a metric, decision_rule), its own first: name, type, default as JSON (NULL: none), range or choices, and meaning. invalid_parameter_value: an unknown name; the hint lists the names.';
