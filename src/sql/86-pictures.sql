-- pictures

CREATE FUNCTION pgfit.plot(model pgfit.model, figure text DEFAULT NULL, options pgfit.call_options DEFAULT '{}') RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_plot_model' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.plot(pgfit.model, text, pgfit.call_options) IS
'Draws a model as SVG that stands alone, as a specification of Vega-Lite or as plain text. figure: coefficients, path, lambda, importance, tree, dendrogram, elbow, scree, loadings; without one, what fits the model. Options: as (svg, vega, text), width, height, title, top, tree. Fails with wrong_object_type for a figure that the model does not have.';

CREATE FUNCTION pgfit.plot(name text, figure text DEFAULT NULL, options pgfit.call_options DEFAULT '{}') RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
    SELECT pgfit.plot(pgfit.get_model($1), $2, $3);
END;
COMMENT ON FUNCTION pgfit.plot(text, text, pgfit.call_options) IS
'Draws the active version of a model. See plot(pgfit.model, text, pgfit.call_options) and get_model.';

CREATE FUNCTION pgfit.plot(rows anyarray, options pgfit.call_options DEFAULT '{}') RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_plot_array' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit.plot(anyarray, pgfit.call_options) IS
'Draws an array of rows, such as the result of roc_curve, precision_recall_curve, calibration_curve, confusion_matrix, score_histogram, gain_curve, silhouettes or kaplan_meier: plot(roc_curve(label, score)). Options as of plot(record), and cost of a ROC curve. NULL without rows.';

CREATE FUNCTION pgfit_internal.plot_step(state internal, "row" record) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_plot_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit_internal.plot_step(internal, record) IS 'Adds a row to a picture. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.plot_step(state internal, "row" record, options pgfit.call_options) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_plot_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2;
COMMENT ON FUNCTION pgfit_internal.plot_step(internal, record, pgfit.call_options) IS 'Adds a row to a picture. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.plot_final(state internal) RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_plot_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgfit_internal.plot_final(internal) IS 'Draws the rows of a state.';

CREATE AGGREGATE pgfit.plot("row" record) (
    SFUNC = pgfit_internal.plot_step, STYPE = internal, SSPACE = 1024,
    FINALFUNC = pgfit_internal.plot_final, FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.plot(record) IS
'Draws rows that a function of pgfit returned, known by their columns: of augment, decision_grid, drift, explain, partial_dependence, accumulated_effects, permutation_importance, ellipses, voronoi, and of the tables of models. Keeps the rows in memory, at most pgfit.fit_mem.';

CREATE AGGREGATE pgfit.plot("row" record, options pgfit.call_options) (
    SFUNC = pgfit_internal.plot_step, STYPE = internal, SSPACE = 1024,
    FINALFUNC = pgfit_internal.plot_final, FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.plot(record, pgfit.call_options) IS
'Draws rows: those of a function of pgfit, or any rows whose columns options x and y name. Options: as (svg, vega, text), width, height, title, figure, x, y, color, label, low, high, mark, log_x, log_y, top.';

CREATE FUNCTION pgfit_internal.plot_step(state internal, model pgfit.model, "row" record) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_plot_beside_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.plot_step(internal, pgfit.model, record) IS 'Adds a row and what a model says about it to a picture. Fails outside an aggregate.';

CREATE FUNCTION pgfit_internal.plot_step(state internal, model pgfit.model, "row" record, options pgfit.call_options) RETURNS internal
AS 'MODULE_PATHNAME', 'pgfit_plot_beside_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.plot_step(internal, pgfit.model, record, pgfit.call_options) IS 'Adds a row and what a model says about it to a picture. Fails outside an aggregate.';

CREATE AGGREGATE pgfit.plot(model pgfit.model, "row" record) (
    SFUNC = pgfit_internal.plot_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = pgfit_internal.plot_final, FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.plot(pgfit.model, record) IS
'Draws rows beside what a model says: the regions of a classifier or of clusters with two features, or the scores and loadings of components. See plot(pgfit.model, record, pgfit.call_options).';

CREATE AGGREGATE pgfit.plot(model pgfit.model, "row" record, options pgfit.call_options) (
    SFUNC = pgfit_internal.plot_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = pgfit_internal.plot_final, FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE);
COMMENT ON AGGREGATE pgfit.plot(pgfit.model, record, pgfit.call_options) IS
'Draws rows beside what a model says. figure: fit (a regression with the limits of its predictions; y names the observed column, x a feature, else the axis has the predictions), decision (the regions of classes or clusters, or the surface of a regression, over two features x and y; color names the labels), biplot (scores of rows and loadings of two components); without one, what fits the model. Options: as of plot(record, pgfit.call_options), and level of the limits. Fails with wrong_object_type for a model that has no such figure, invalid_parameter_value for several models in one group and for columns that are missing.';

CREATE FUNCTION pgfit.report(model pgfit.model, source text DEFAULT NULL, options pgfit.call_options DEFAULT '{}') RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_report_model' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION pgfit.report(pgfit.model, text, pgfit.call_options) IS
'Returns an HTML page about a model that stands alone: what it is, features, metrics, caveats, pictures, coefficients or importance, and the summary of the fit. source: a table, view or query with whose rows the model is evaluated, read with the rights of the caller. Options: target (its column, where the fit did not name it), title. Fails with wrong_object_type for moments, and with a source for models that have no metrics.';

CREATE FUNCTION pgfit.report(name text, source text DEFAULT NULL, options pgfit.call_options DEFAULT '{}') RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_report' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION pgfit.report(text, text, pgfit.call_options) IS
'Returns the page about the active version of a model, with what the registry knows: version, source, query, and the metrics of its training unless a source is given, with whose rows it is evaluated anew. See report(pgfit.model, text, pgfit.call_options). Fails as get_model does.';
