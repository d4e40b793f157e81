-- using a model: scoring rows, and inspecting the model

-- ---- rows that are passed as their columns: see src/pg/planner/row_columns.h ----

CREATE FUNCTION pgfit_internal.row_columns(names text[], VARIADIC columns "any") RETURNS record
AS 'MODULE_PATHNAME', 'pgfit_row_columns' LANGUAGE C STABLE PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.row_columns(text[], "any") IS
'Passes the columns with these names to the step of an aggregate as one row. Called by plans alone.';
CREATE FUNCTION pgfit_internal.row_columns(row_type regtype, VARIADIC columns "any") RETURNS record
AS 'MODULE_PATHNAME', 'pgfit_row_columns' LANGUAGE C STABLE PARALLEL SAFE COST 1;
COMMENT ON FUNCTION pgfit_internal.row_columns(regtype, "any") IS
'Passes the columns of a row of this type to the step of an aggregate. Called by plans alone.';

-- ---- scores of rows by their columns: see src/pg/score/column_scoring.c ----

CREATE FUNCTION pgfit_internal.score_support(request internal) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_score_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit_internal.score_support(internal) IS
'Lets the planner pass the columns of a row to a score, so that the executor need not make the row.';

CREATE FUNCTION pgfit_internal.predict_columns(model pgfit.model, row_type oid, VARIADIC columns "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.predict_columns(pgfit.model, oid, "any") IS
'Returns predict(model, features) for the row of these columns. Called by the planner alone.';
CREATE FUNCTION pgfit_internal.predict_columns(model pgfit.model, names text[], VARIADIC columns "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.predict_columns(pgfit.model, text[], "any") IS
'Returns predict(model, features) for the row of columns with these names. Called by the planner alone.';

CREATE FUNCTION pgfit_internal.classify_columns(model pgfit.model, row_type oid, VARIADIC columns "any") RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.classify_columns(pgfit.model, oid, "any") IS
'Returns classify(model, features) for the row of these columns. Called by the planner alone.';
CREATE FUNCTION pgfit_internal.classify_columns(model pgfit.model, names text[], VARIADIC columns "any") RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.classify_columns(pgfit.model, text[], "any") IS
'Returns classify(model, features) for the row of columns with these names. Called by the planner alone.';

CREATE FUNCTION pgfit_internal.probability_columns(model pgfit.model, row_type oid, VARIADIC columns "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.probability_columns(pgfit.model, oid, "any") IS
'Returns probability(model, features) for the row of these columns. Called by the planner alone.';
CREATE FUNCTION pgfit_internal.probability_columns(model pgfit.model, names text[], VARIADIC columns "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.probability_columns(pgfit.model, text[], "any") IS
'Returns probability(model, features) for the row of columns with these names. Called by the planner alone.';

CREATE FUNCTION pgfit_internal.cluster_columns(model pgfit.model, row_type oid, VARIADIC columns "any") RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.cluster_columns(pgfit.model, oid, "any") IS
'Returns cluster(model, features) for the row of these columns. Called by the planner alone.';
CREATE FUNCTION pgfit_internal.cluster_columns(model pgfit.model, names text[], VARIADIC columns "any") RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.cluster_columns(pgfit.model, text[], "any") IS
'Returns cluster(model, features) for the row of columns with these names. Called by the planner alone.';

CREATE FUNCTION pgfit_internal.distance_columns(model pgfit.model, row_type oid, VARIADIC columns "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.distance_columns(pgfit.model, oid, "any") IS
'Returns distance(model, features) for the row of these columns. Called by the planner alone.';
CREATE FUNCTION pgfit_internal.distance_columns(model pgfit.model, names text[], VARIADIC columns "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.distance_columns(pgfit.model, text[], "any") IS
'Returns distance(model, features) for the row of columns with these names. Called by the planner alone.';

-- ---- scores ----

CREATE FUNCTION pgfit.predict(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_predict' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.predict(pgfit.model, "any") IS
'Returns the number that a model predicts for a row. Regressions return the target, in its unit; classifiers the class, if classes are numbers or booleans (1 true, 0 false); clusterings the cluster, 1 to k. features is a row or a jsonb object (matched by name if both model and row have names), an array or a number (matched by position). NULL if a feature is NULL. Fails with data_exception for a missing name or a different number of features, wrong_object_type for a model that predicts no number.';

CREATE FUNCTION pgfit.predict_interval(model pgfit.model, features "any", level float8 DEFAULT NULL, OUT fit float8, OUT lower float8, OUT upper float8)
AS 'MODULE_PATHNAME', 'pgfit_predict_interval' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.predict_interval(pgfit.model, "any", float8) IS
'Returns the prediction for a row and the limits that contain a new observation. level is the confidence, a number between 0 and 1; without it, the level of the fit applies (option level, 0.95). The new row counts with weight 1 if the fit had weights. features as in predict. Uses conformal scores where the model has them (option conformal of fit, or conformalize); such limits are infinite where too few rows were held out. lower and upper are NULL if no residual degrees of freedom are left, or if the column of the conformal groups is NULL. All are NULL if a feature is NULL. Fails with invalid_parameter_value for a level out of range, wrong_object_type for a model without intervals.';

CREATE FUNCTION pgfit.classify(model pgfit.model, features "any", result_type anyelement DEFAULT NULL::text) RETURNS anyelement
AS 'MODULE_PATHNAME', 'pgfit_classify' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.classify(pgfit.model, "any", anyelement) IS
'Returns the class of a row, as text or in the type of the third argument, which is NULL: classify(m, x, NULL::int). features as in predict; NULL if a feature is NULL. Fails with wrong_object_type for a model without classes, invalid_parameter_value if the third argument has a value or the label cannot be read as its type.';

CREATE FUNCTION pgfit.probability(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.probability(pgfit.model, "any") IS
'Returns the probability, 0 to 1, of the positive class (the last of two) for a row. features as in predict. Fails with wrong_object_type for a model without probabilities or with more than two classes.';

CREATE FUNCTION pgfit.probability(model pgfit.model, features "any", label "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.probability(pgfit.model, "any", "any") IS
'Returns the probability, 0 to 1, of the class label for a row. features as in predict. Fails with invalid_parameter_value for a label that is not a class of the model, wrong_object_type for a model without probabilities.';

CREATE FUNCTION pgfit.probabilities(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_probabilities' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.probabilities(pgfit.model, "any") IS
'Returns the probabilities of all classes for a row, in the order of classes(model). features as in predict. Fails with wrong_object_type for a model without probabilities.';

CREATE FUNCTION pgfit.decision(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_decision' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.decision(pgfit.model, "any") IS
'Returns the signed score of a row: above 0 for the positive class; the log odds for normal classifiers. features as in predict. Fails with wrong_object_type for a model without scores, or with one score per class (call decisions).';

CREATE FUNCTION pgfit.decisions(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_decisions' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.decisions(pgfit.model, "any") IS
'Returns the scores of a row, one per class in the order of classes(model), or a single one if two classes share one equation; for normal classifiers the logarithms of prior times density. features as in predict. Fails with wrong_object_type for a model without scores.';

CREATE FUNCTION pgfit.cluster(model pgfit.model, features "any") RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_cluster' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.cluster(pgfit.model, "any") IS
'Returns the cluster of a row, 1 to k. features as in predict. Fails with wrong_object_type for a model without clusters.';

CREATE FUNCTION pgfit.distance(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.distance(pgfit.model, "any") IS
'Returns the distance of a row from the center, the nearest centroid or exemplar, or the boundary of a model. It is in the unit of the features. The boundary is that of a linear classifier (for two classes signed, above 0 on the positive side; NULL if there is no such boundary). features as in predict. Fails with wrong_object_type for a model without distances.';

CREATE FUNCTION pgfit.distances(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_distances' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.distances(pgfit.model, "any") IS
'Returns the distances of a row from each of the centroids or exemplars of a model; for normal classifiers the Mahalanobis distances from the class means. features as in predict. Fails with wrong_object_type for a model with one center or none.';

CREATE FUNCTION pgfit.transform(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_transform' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.transform(pgfit.model, "any") IS
'Returns a row in the coordinates of the model, such as principal components. features as in predict. Fails with wrong_object_type for a model that does not transform.';

-- ---- inspecting a model ----

CREATE FUNCTION pgfit.classes(model pgfit.model) RETURNS text[]
AS 'MODULE_PATHNAME', 'pgfit_classes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.classes(pgfit.model) IS
'Returns the classes of a classifier as text, in their order; the last of two is the positive class. Fails with wrong_object_type for a model without classes.';

CREATE FUNCTION pgfit.coefficients(model pgfit.model, OUT class text, OUT term text, OUT estimate float8, OUT std_error float8, OUT statistic float8, OUT p_value float8, OUT conf_low float8, OUT conf_high float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.coefficients(pgfit.model) IS
'Returns the coefficients of a linear model, one row per term. Columns: class (NULL if there is one equation), term (a feature, feature=level, or (intercept)), estimate in units of the target per unit of the feature, its standard error, test statistic and p value, and the limits of its confidence interval at the level of the fit. Unknown values are NULL. Fails with wrong_object_type for a model without coefficients.';

CREATE FUNCTION pgfit.features(model pgfit.model, OUT "position" int, OUT name text, OUT kind text, OUT width int, OUT levels int)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit.features(pgfit.model) IS
'Returns the features of a model or of moments, one row each. Columns: position from 1, name, kind (numeric, categorical, ...), width (the length of an array inside a row, else 1), and the number of levels of a categorical feature, else NULL.';

CREATE FUNCTION pgfit.levels(model pgfit.model, OUT feature text, OUT level text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit.levels(pgfit.model) IS
'Returns the levels of the categorical features of a model or of moments, in their order; a NULL level stands for NULLs. The first level of a feature is the reference level of linear models.';

CREATE FUNCTION pgfit.info(model pgfit.model) RETURNS jsonb
AS 'MODULE_PATHNAME', 'pgfit_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.info(pgfit.model) IS
'Returns what a model or moments contain: kind, estimator, rows used, rows skipped, weight, target, features with kinds and levels, classes, options as used, iterations and converged of an iterative fit, other results of the fit under statistics, and under implementation how it is stored: format, bytes, and arrays with their shapes. An unknown number is null; infinities are strings.';

CREATE FUNCTION pgfit.summary(model pgfit.model) RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_summary' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.summary(pgfit.model) IS
'Returns a model or moments as text for a terminal: rows, options, the first coefficients with their tests, centroids or classes, and the statistics of the fit.';

CREATE FUNCTION pgfit.parameter(model pgfit.model, name text) RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_parameter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.parameter(pgfit.model, text) IS
'Returns a stored array of a model or of moments by its name, a matrix as a two-dimensional array; info(model) lists them. Fails with invalid_parameter_value for an unknown name (the hint lists the names) or an array of text.';

CREATE FUNCTION pgfit.to_sql(model pgfit.model) RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_to_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pgfit.to_sql(pgfit.model) IS
'Returns the prediction of a model as a plain SQL expression over columns named like its features (over an array x if they have no names), for servers without pgfit. The expression is NULL if a feature is NULL. Fails with wrong_object_type for a model that has no such expression.';

-- ---- what is available ----

CREATE FUNCTION pgfit.estimators(OUT name text, OUT task text, OUT input text, OUT options text[], OUT help text, OUT source text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_estimators' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit.estimators() IS
'Returns the estimators of this version of pgfit, one row each. Columns: name, task, input of a fit (moments: one pass in constant memory, parallel and mergeable; rows: the rows themselves), the names of its own options, what it does, and the source of the method.';

CREATE FUNCTION pgfit_internal.declared_arrays(OUT estimator text, OUT name text, OUT type text, OUT shape text, OUT present text, OUT elements text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_declared_arrays' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 200;
COMMENT ON FUNCTION pgfit_internal.declared_arrays() IS
'Returns the arrays that models of each estimator may have, and their facts, one row each. Columns: estimator, name, element type, shape, when it is there (fact: sometimes, and info shows it), and what its elements must be. The reference is written from it.';

CREATE FUNCTION pgfit.options(estimator text, OUT name text, OUT type text, OUT default_value text, OUT range text, OUT help text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_options' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION pgfit.options(text) IS
'Returns the options of an estimator, of moments, class_moments or feature_moments, of a metric, or of decision_rule, its own first: name, type, default as JSON (in parentheses what holds without one), range or choices, and meaning. Fails with invalid_parameter_value for an unknown name; the hint lists the names.';
