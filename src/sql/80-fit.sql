-- one call to fit: the aggregate of an estimator over a table, a view or a query

CREATE FUNCTION pgfit.fit(estimator text, source text, formula text DEFAULT NULL, options pgfit.call_options DEFAULT '{}') RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_fit' LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION pgfit.fit(text, text, text, pgfit.call_options) IS
'Fits an estimator, given by name, to the rows of a source: the name of a table or view, or a query. formula: ''target ~ features'', ''target ~ .'' for all other columns, ''~ features'' or NULL where there is no target; text that begins with a brace is options instead. options: those of the estimator, whose "formula" may name the target; "weight" and "id", the names of columns; "summary": true, which keeps a summary of the features in the model for drift, at the cost of one more scan (train does so by default); "passes": true, which fits by passes over the source that keep no rows; and "distributed", which uses the forms of the extension pgfit_distributed (true for sources that read a table that Citus distributes). Uses passes, if asked to, for boosted_trees_classifier and boosted_trees_regression with max_depth, gaussian_mixture, glm and its families, kmeans, logistic_regression, svm_classifier and svm_regression. Runs the query that fit_sql returns, with the rights of the caller. Fails with undefined_column for a column that the source does not have, data_exception if no row can be used, and as the aggregate does.';

CREATE FUNCTION pgfit.fit_sql(estimator text, source text, formula text DEFAULT NULL, options pgfit.call_options DEFAULT '{}') RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_fit_sql' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION pgfit.fit_sql(text, text, text, pgfit.call_options) IS
'Returns the query that fit runs for these arguments: one SELECT of the aggregate; by passes that of one pass, from the model $1. Fails where fit does, except for what the rows bring up.';
