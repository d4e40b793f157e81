-- nearest neighbors of a row, and scoring many rows together

CREATE TYPE pgfit.neighbor AS (id text, distance float8, target text);
COMMENT ON TYPE pgfit.neighbor IS
'A row of a model near another row: its id (models of neighbors, else NULL), its distance by the model''s metric, and its target or class (models of knn_regression and knn_classifier, else NULL).';

CREATE FUNCTION pgfit.nearest(model pgfit.model, features "any", k bigint DEFAULT NULL, OUT id text, OUT distance float8, OUT target text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_nearest' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.nearest(pgfit.model, "any", bigint) IS
'Returns the k rows of a model nearest to a row, nearest first: id (of neighbors), distance by the model''s metric, target (the class or number of knn models); ids and targets as text. Without k, the neighbors that the model was fitted to find: its k nearest rows or all rows within its radius. features as in predict; no rows if a feature is NULL. Fails with invalid_parameter_value for k below 1 or above the number of rows, wrong_object_type for a model without neighbors.';

CREATE FUNCTION pgfit.nearest(model pgfit.model, features "any", k bigint, result_type anyelement, OUT id anyelement, OUT distance float8, OUT target text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_nearest' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.nearest(pgfit.model, "any", bigint, anyelement) IS
'Returns the k rows of a model nearest to a row, with ids in the type of the last argument, which is NULL: nearest(m, x, 10, NULL::int). Fails with invalid_parameter_value if that has a value, and if an id cannot be read as this type.';

CREATE FUNCTION pgfit.neighbor_graph(model pgfit.model, k bigint, OUT id text, OUT neighbor_id text, OUT distance float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_neighbor_graph' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION pgfit.neighbor_graph(pgfit.model, bigint) IS
'Returns the graph of the k nearest neighbors of each row of a model among its other rows: id, neighbor_id and their distance, for each row nearest first; ids as text. A row is never its own neighbor, but another row with equal features may be at distance 0. model: of neighbors. Fails with invalid_parameter_value for k below 1 or not below the number of rows, wrong_object_type for a model without neighbors or without ids.';

CREATE FUNCTION pgfit.neighbor_graph(model pgfit.model, k bigint, result_type anyelement, OUT id anyelement, OUT neighbor_id anyelement, OUT distance float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_neighbor_graph' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION pgfit.neighbor_graph(pgfit.model, bigint, anyelement) IS
'Returns the same graph with ids in the type of the last argument, which is NULL: neighbor_graph(m, 10, NULL::int). Fails with invalid_parameter_value if that has a value, and if an id cannot be read as this type.';

CREATE FUNCTION pgfit.radius_graph(model pgfit.model, radius float8, OUT id text, OUT neighbor_id text, OUT distance float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_radius_graph' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION pgfit.radius_graph(pgfit.model, float8) IS
'Returns all pairs of different rows of a model that are at most radius apart, each pair in both directions: id, neighbor_id and their distance; ids as text. model: of neighbors. radius: Infinity gives all pairs. Fails with invalid_parameter_value for a negative radius, wrong_object_type for a model without neighbors or without ids.';

CREATE FUNCTION pgfit.radius_graph(model pgfit.model, radius float8, result_type anyelement, OUT id anyelement, OUT neighbor_id anyelement, OUT distance float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_radius_graph' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION pgfit.radius_graph(pgfit.model, float8, anyelement) IS
'Returns the same pairs with ids in the type of the last argument, which is NULL: radius_graph(m, 1.5, NULL::int). Fails with invalid_parameter_value if that has a value, and if an id cannot be read as this type.';

CREATE FUNCTION pgfit.search_statistics(model pgfit.model, features "any", k bigint, OUT index text, OUT rows bigint, OUT distances bigint, OUT nodes bigint)
AS 'MODULE_PATHNAME', 'pgfit_search_statistics' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.search_statistics(pgfit.model, "any", bigint) IS
'Returns what it took to find the k rows of a model nearest to a row: the index, the rows of the model, the number of distances computed, and the number of tree nodes visited. Fails with wrong_object_type for a model without neighbors.';

-- ---- many rows together: window functions, which may look ahead ----

CREATE FUNCTION pgfit.predict_batch(model pgfit.model, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_predict_batch' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.predict_batch(pgfit.model, "any") IS
'Works like predict, as a window function: predict_batch(m, x) OVER () returns for each row the number that predict returns, bit for bit, and scores rows in blocks if that is faster (models of neighbors with about ten features or more). NULL if an argument is NULL.';

CREATE FUNCTION pgfit.classify_batch(model pgfit.model, features "any") RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_classify_batch' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.classify_batch(pgfit.model, "any") IS
'Works like classify, as a window function: classify_batch(m, x) OVER () returns for each row the class that classify returns and scores rows in blocks if that is faster. NULL if an argument is NULL.';

CREATE FUNCTION pgfit.probabilities_batch(model pgfit.model, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_probabilities_batch' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.probabilities_batch(pgfit.model, "any") IS
'Works like probabilities, as a window function: probabilities_batch(m, x) OVER () returns for each row the probabilities of all classes and scores rows in blocks if that is faster. NULL if an argument is NULL.';

CREATE FUNCTION pgfit.nearest_batch(model pgfit.model, features "any", k bigint) RETURNS pgfit.neighbor[]
AS 'MODULE_PATHNAME', 'pgfit_nearest_batch' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION pgfit.nearest_batch(pgfit.model, "any", bigint) IS
'Works like nearest, as a window function: nearest_batch(m, x, k) OVER () returns for each row its k nearest rows of the model as an array, nearest first, and searches for many rows together if that is faster. NULL if an argument is NULL. Fails as nearest does.';
