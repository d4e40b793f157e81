-- scores by the name of a model in the registry; each is its sibling of a model value with the active version

CREATE FUNCTION pgfit_internal.predict_columns(name text, row_type oid, VARIADIC columns "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.predict_columns(text, oid, "any") IS
'Returns predict(name, features) for the row of these columns. Called by the planner alone.';

CREATE FUNCTION pgfit_internal.classify_columns(name text, row_type oid, VARIADIC columns "any") RETURNS text
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.classify_columns(text, oid, "any") IS
'Returns classify(name, features) for the row of these columns. Called by the planner alone.';

CREATE FUNCTION pgfit_internal.probability_columns(name text, row_type oid, VARIADIC columns "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.probability_columns(text, oid, "any") IS
'Returns probability(name, features) for the row of these columns. Called by the planner alone.';

CREATE FUNCTION pgfit_internal.cluster_columns(name text, row_type oid, VARIADIC columns "any") RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.cluster_columns(text, oid, "any") IS
'Returns cluster(name, features) for the row of these columns. Called by the planner alone.';

CREATE FUNCTION pgfit_internal.distance_columns(name text, row_type oid, VARIADIC columns "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_score_columns' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.distance_columns(text, oid, "any") IS
'Returns distance(name, features) for the row of these columns. Called by the planner alone.';

CREATE FUNCTION pgfit.predict(name text, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_predict' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.predict(text, "any") IS
'Returns what predict returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as predict(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.predict_interval(name text, features "any", level float8 DEFAULT NULL, OUT fit float8, OUT lower float8, OUT upper float8)
AS 'MODULE_PATHNAME', 'pgfit_predict_interval' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.predict_interval(text, "any", float8) IS
'Returns what predict_interval returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as predict_interval(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.survival(name text, features "any", "time" float8, stratum text DEFAULT NULL) RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_survival' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.survival(text, "any", float8, text) IS
'Returns what survival returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as survival(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.survival_interval(name text, features "any", "time" float8, level float8 DEFAULT NULL, stratum text DEFAULT NULL, OUT survival float8, OUT lower float8, OUT upper float8)
AS 'MODULE_PATHNAME', 'pgfit_survival_interval' LANGUAGE C STABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.survival_interval(text, "any", float8, float8, text) IS
'Returns what survival_interval returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as survival_interval(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.prediction_set(name text, features "any", level float8 DEFAULT NULL) RETURNS text[]
AS 'MODULE_PATHNAME', 'pgfit_prediction_set' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.prediction_set(text, "any", float8) IS
'Returns what prediction_set returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as prediction_set(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.classify(name text, features "any", result_type anyelement DEFAULT NULL::text) RETURNS anyelement
AS 'MODULE_PATHNAME', 'pgfit_classify' LANGUAGE C STABLE PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.classify(text, "any", anyelement) IS
'Returns what classify returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as classify(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.probability(name text, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_probability' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.probability(text, "any") IS
'Returns what probability returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as probability(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.probability(name text, features "any", label "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_probability' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.probability(text, "any", "any") IS
'Returns what probability returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as probability(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.probabilities(name text, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_probabilities' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.probabilities(text, "any") IS
'Returns what probabilities returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as probabilities(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.decision(name text, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_decision' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.decision(text, "any") IS
'Returns what decision returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as decision(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.decisions(name text, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_decisions' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.decisions(text, "any") IS
'Returns what decisions returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as decisions(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.cluster(name text, features "any") RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_cluster' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.cluster(text, "any") IS
'Returns what cluster returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as cluster(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.distance(name text, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_distance' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20 SUPPORT pgfit_internal.score_support;
COMMENT ON FUNCTION pgfit.distance(text, "any") IS
'Returns what distance returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as distance(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.distances(name text, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_distances' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.distances(text, "any") IS
'Returns what distances returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as distances(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.transform(name text, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_transform' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.transform(text, "any") IS
'Returns what transform returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as transform(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.design(name text, features "any") RETURNS float8[]
AS 'MODULE_PATHNAME', 'pgfit_design' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.design(text, "any") IS
'Returns what design returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as design(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.tail_probability(name text, features "any") RETURNS float8
AS 'MODULE_PATHNAME', 'pgfit_tail_probability' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit.tail_probability(text, "any") IS
'Returns what tail_probability returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as tail_probability(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.transform_row(name text, features "any") RETURNS jsonb
AS 'MODULE_PATHNAME', 'pgfit_transform_row' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION pgfit.transform_row(text, "any") IS
'Returns what transform_row returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as transform_row(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.explain(name text, features "any", OUT class text, OUT term text, OUT contribution float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pgfit_explain' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION pgfit.explain(text, "any") IS
'Returns what explain returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, and as explain(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.nearest(name text, features "any", k bigint DEFAULT NULL, OUT id text, OUT distance float8, OUT target text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_nearest' LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.nearest(text, "any", bigint) IS
'Returns what nearest returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, insufficient_privilege for a model that the user may not read, and as nearest(pgfit.model, ...) does.';

CREATE FUNCTION pgfit.nearest(name text, features "any", k bigint, result_type anyelement, OUT id anyelement, OUT distance float8, OUT target text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pgfit_nearest' LANGUAGE C STABLE PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION pgfit.nearest(text, "any", bigint, anyelement) IS
'Returns what nearest returns for the active version of a model in the registry. The name is looked up once per query. Fails with undefined_object for a name that is not there, insufficient_privilege for a model that the user may not read, and as nearest(pgfit.model, ...) does.';

-- ---- what a model says, by name: for those who may read it ----

CREATE FUNCTION pgfit.info(name text)
RETURNS jsonb LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 1000
BEGIN ATOMIC
    SELECT pgfit.info(pgfit.get_model($1));
END;
COMMENT ON FUNCTION pgfit.info(text) IS
'Returns what info returns for the active version of a model in the registry. Fails as get_model and info(pgfit.model) do.';

CREATE FUNCTION pgfit.summary(name text)
RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 1000
BEGIN ATOMIC
    SELECT pgfit.summary(pgfit.get_model($1));
END;
COMMENT ON FUNCTION pgfit.summary(text) IS
'Returns what summary returns for the active version of a model in the registry. Fails as get_model and summary(pgfit.model) do.';

CREATE FUNCTION pgfit.coefficients(name text, OUT class text, OUT term text, OUT estimate float8, OUT std_error float8, OUT statistic float8, OUT p_value float8, OUT conf_low float8, OUT conf_high float8)
RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
    SELECT t.* FROM pgfit.coefficients(pgfit.get_model($1)) AS t;
END;
COMMENT ON FUNCTION pgfit.coefficients(text) IS
'Returns what coefficients returns for the active version of a model in the registry. Fails as get_model and coefficients(pgfit.model) do.';

CREATE FUNCTION pgfit.importance(name text, OUT feature text, OUT importance float8)
RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
    SELECT t.* FROM pgfit.importance(pgfit.get_model($1)) AS t;
END;
COMMENT ON FUNCTION pgfit.importance(text) IS
'Returns what importance returns for the active version of a model in the registry. Fails as get_model and importance(pgfit.model) do.';
