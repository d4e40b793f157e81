-- nearest neighbors: the rows of a model nearest to another row, and scores of many rows together

CREATE TYPE pgfit.neighbor AS (id text, distance float8, target text);
COMMENT ON TYPE pgfit.neighbor IS
'A row of a model near another row: its id (models of neighbors, else NULL), its distance by the model''s metric, and its target or class (models of knn_regression and knn_classifier, else NULL).';

CREATE FUNCTION pgfit.nearest(model pgfit.model, features "any", OUT id text, OUT distance float8, OUT target text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_nearest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.nearest(pgfit.model, "any") IS
'The neighbors of a row as the model was fitted to find them, its k nearest rows or all within its radius, nearest first: id (of neighbors), distance by the model''s metric, target (the class or number of knn models), ids and targets as text. features as in predict; no rows for a NULL feature. wrong_object_type: a model without neighbors.';

CREATE FUNCTION pgfit.nearest(model pgfit.model, features "any", k bigint, OUT id text, OUT distance float8, OUT target text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_nearest_k' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.nearest(pgfit.model, "any", bigint) IS
'The k rows of a model nearest to a row, nearest first: id (of neighbors), distance by the model''s metric, target (the class or number of knn models), ids and targets as text. features as in predict; no rows for a NULL feature. invalid_parameter_value: k below 1 or above the number of rows; wrong_object_type: a model without neighbors.';

CREATE FUNCTION pgfit.nearest(model pgfit.model, features "any", k bigint, sample anyelement, OUT id anyelement, OUT distance float8, OUT target text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_nearest_as' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.nearest(pgfit.model, "any", bigint, anyelement) IS
'The k rows of a model nearest to a row, with ids in the type of the last argument, whose value does not matter: nearest(m, x, 10, NULL::int). An id that is not of this type is an error that names it.';

CREATE FUNCTION pgfit.search_statistics(model pgfit.model, features "any", k bigint, OUT index text, OUT rows bigint, OUT distances bigint, OUT nodes bigint)
AS 'MODULE_PATHNAME', 'pgfit_search_statistics' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.search_statistics(pgfit.model, "any", bigint) IS
'What it took to find the k rows of a model nearest to a row: the index, the rows of the model, how many of their distances were computed, and how many nodes of the tree were looked at. wrong_object_type: a model without neighbors.';

-- ---- many rows together: window functions, which may look at the rows to come ----

CREATE FUNCTION pgfit.predict_batch(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_predict_batch' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.predict_batch(pgfit.model, "any") IS
'predict as a window function: predict_batch(m, x) OVER () gives each row the number that predict gives it, bit for bit, and scores rows in blocks where that is faster (models of neighbors with about ten features and more). NULL for a NULL argument.';

CREATE FUNCTION pgfit.classify_batch(model pgfit.model, features "any") RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_classify_batch' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.classify_batch(pgfit.model, "any") IS
'classify as a window function: classify_batch(m, x) OVER () gives each row the class that classify gives it, and scores rows in blocks where that is faster. NULL for a NULL argument.';

CREATE FUNCTION pgfit.probabilities_batch(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_probabilities_batch' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.probabilities_batch(pgfit.model, "any") IS
'probabilities as a window function: probabilities_batch(m, x) OVER () gives each row the probabilities of all classes, and scores rows in blocks where that is faster. NULL for a NULL argument.';

CREATE FUNCTION pgfit.nearest_batch(model pgfit.model, features "any", k bigint) RETURNS pgfit.neighbor[]
AS 'MODULE_PATHNAME', 'pgfit_nearest_batch' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.nearest_batch(pgfit.model, "any", bigint) IS
'nearest as a window function: nearest_batch(m, x, k) OVER () gives each row its k nearest rows of the model as an array, nearest first, and finds those of many rows together where that is faster. NULL for a NULL argument. Errors as in nearest.';
