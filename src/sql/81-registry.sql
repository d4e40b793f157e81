-- the registry: names, their versions, who may use them, and which version serves

-- Functions read the tables by the position of their columns and write to them as their owner. So the tables belong to the role that runs this script, which is
-- the bootstrap superuser if a role without superuser rights installs the extension, and have no code of their own: no check, default, trigger, rule or policy.
-- What a role may see is decided by may_use, in the views that everybody reads.
CREATE TABLE pgfit_internal.model_names (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    owner text NOT NULL,
    scorers text[] NOT NULL,
    readers text[] NOT NULL,
    active int,
    earlier int[] NOT NULL,
    last_version int NOT NULL
) USING heap;
COMMENT ON TABLE pgfit_internal.model_names IS
'The models of the registry, one row per name; pgfit.model_names shows them to their users. Written by train, promote and their like.';

CREATE TABLE pgfit_internal.registry (
    name text COLLATE "C" NOT NULL, -- of model_names, without a foreign key: pg_restore with several jobs may load this table first
    version int NOT NULL,
    model pgfit.model,
    estimator text NOT NULL,
    source text NOT NULL,
    formula text,
    options jsonb NOT NULL,
    query text,
    metrics jsonb,
    evaluation jsonb,
    rows bigint,
    duration interval,
    trained_at timestamptz NOT NULL,
    trained_by text NOT NULL,
    status text NOT NULL,
    message text,
    PRIMARY KEY (name, version)
) USING heap;
COMMENT ON TABLE pgfit_internal.registry IS
'The versions of models, one row each; pgfit.registry shows them to their users. Written by train.';

CREATE FUNCTION pgfit_internal.may_use(privilege text, owner text, scorers text[], readers text[]) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_may_use' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.may_use(text, text, text[], text[]) IS
'Returns whether the current user may ''score'' by a name, or ''read'' its models: whether he has the privileges of its owner, or of one of the roles it is granted to, where public is everybody, or may read all rows of pgfit_internal.model_names. Roles that do not exist count for nobody.';

CREATE VIEW pgfit.model_names WITH (security_barrier) AS
SELECT n.name, n.owner, n.scorers, n.readers, n.active, n.earlier, n.last_version
FROM pgfit_internal.model_names AS n WHERE pgfit_internal.may_use('score', n.owner, n.scorers, n.readers);
COMMENT ON VIEW pgfit.model_names IS
'The models that the user may score with, one row per name: the role that owns it, the roles that may score with it, those that may also read it, the active version (NULL: none), the versions that served before, last one last, and the highest version so far.';

CREATE VIEW pgfit.registry WITH (security_barrier) AS
SELECT r.name, r.version, CASE WHEN n.readable THEN r.model END AS model, r.estimator, CASE WHEN n.readable THEN r.source END AS source,
       CASE WHEN n.readable THEN r.formula END AS formula, CASE WHEN n.readable THEN r.options END AS options, CASE WHEN n.readable THEN r.query END AS query,
       r.metrics, CASE WHEN n.readable THEN r.evaluation END AS evaluation, r.rows, r.duration, r.trained_at, r.trained_by, r.status,
       CASE WHEN n.readable THEN r.message END AS message
FROM pgfit_internal.registry AS r
JOIN (SELECT m.name, pgfit_internal.may_use('read', m.owner, m.scorers, m.readers) AS readable
      FROM pgfit_internal.model_names AS m WHERE pgfit_internal.may_use('score', m.owner, m.scorers, m.readers)) AS n ON n.name = r.name;
COMMENT ON VIEW pgfit.registry IS
'The versions of the models that the user may score with, one row each: the model, what it was trained by (estimator, source, formula, options and the query that was run), metrics on rows that it was not fitted to and how they were chosen, rows used, duration, when, by whom, and whether it succeeded. Model, source, formula, options, query, evaluation and message, which may quote a row, are NULL for those who may not read the model.';

-- Whoever installs the extension administers the registry: that role may do with all models what their owners may, and can dump and restore them.
REVOKE ALL ON pgfit_internal.model_names, pgfit_internal.registry FROM PUBLIC;
GRANT USAGE ON SCHEMA pgfit_internal TO @extowner@;
GRANT SELECT, INSERT, UPDATE, DELETE ON pgfit_internal.model_names, pgfit_internal.registry TO @extowner@;
GRANT SELECT ON pgfit.model_names, pgfit.registry TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('pgfit_internal.model_names', '');
SELECT pg_catalog.pg_extension_config_dump('pgfit_internal.registry', '');

-- ---- which version serves ----

CREATE FUNCTION pgfit.promote(name text, version int) RETURNS void
AS 'MODULE_PATHNAME', 'pgfit_promote' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION pgfit.promote(text, int) IS
'Lets a version of a model serve under its name, from the next statement on. Fails with undefined_object for a name or version that is not there, object_not_in_prerequisite_state for a version whose training failed, insufficient_privilege for a model of another role.';

CREATE FUNCTION pgfit.rollback(name text) RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_rollback' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION pgfit.rollback(text) IS
'Lets the version serve that served before the current one, and returns its number; called again, it goes back further. Fails with undefined_object for a name that is not there, object_not_in_prerequisite_state if no version served before, insufficient_privilege for a model of another role.';

CREATE FUNCTION pgfit.drop_model(name text, version int DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME', 'pgfit_drop_model' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION pgfit.drop_model(text, int) IS
'Drops a version of a model, or without one the model with all its versions. Fails with undefined_object for a name or version that is not there, object_in_use for the active version, insufficient_privilege for a model of another role.';

-- ---- who may use a model ----

CREATE FUNCTION pgfit.grant_model(name text, role text, privilege text DEFAULT 'score') RETURNS void
AS 'MODULE_PATHNAME', 'pgfit_grant_model' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION pgfit.grant_model(text, text, text) IS
'Lets a role and its members score with a model by its name and see its metrics; with privilege ''read'' also read the model itself, its source and query. ''public'' is everybody. Fails with undefined_object for a name or role that is not there, invalid_parameter_value for another privilege, insufficient_privilege for a model of another role.';

CREATE FUNCTION pgfit.revoke_model(name text, role text, privilege text DEFAULT 'score') RETURNS void
AS 'MODULE_PATHNAME', 'pgfit_revoke_model' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION pgfit.revoke_model(text, text, text) IS
'Takes back what grant_model gave to a role: with privilege ''read'' the right to read the model, else all. Fails with undefined_object for a name that is not there, invalid_parameter_value for another privilege, insufficient_privilege for a model of another role.';

CREATE FUNCTION pgfit.reassign_model(name text, role text) RETURNS void
AS 'MODULE_PATHNAME', 'pgfit_reassign_model' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION pgfit.reassign_model(text, text) IS
'Makes a role the owner of a model. The user must be a member of that role, or administer the registry. Fails with undefined_object for a name or role that is not there, insufficient_privilege for a model of another role.';

-- ---- reading the registry ----

CREATE FUNCTION pgfit.history(name text DEFAULT NULL, OUT name text, OUT version int, OUT active boolean, OUT status text, OUT estimator text,
    OUT metrics jsonb, OUT rows bigint, OUT duration interval, OUT trained_at timestamptz, OUT trained_by text, OUT message text)
RETURNS SETOF record LANGUAGE sql STABLE PARALLEL SAFE COST 100 ROWS 10
BEGIN ATOMIC
    SELECT r.name, r.version, r.version IS NOT DISTINCT FROM n.active, r.status, r.estimator, r.metrics, r.rows, r.duration, r.trained_at, r.trained_by,
           r.message
    FROM pgfit.registry AS r JOIN pgfit.model_names AS n ON n.name = r.name
    WHERE $1 IS NULL OR r.name = $1
    ORDER BY r.name, r.version;
END;
COMMENT ON FUNCTION pgfit.history(text) IS
'Returns the versions of a model that the user may score with, one row each, or without a name those of all such models: whether the version serves, whether its training succeeded, its metrics, rows, duration, when and by whom it was trained. The message is for those who may read the model. No rows for a name that is not there.';

CREATE FUNCTION pgfit.models(OUT name text, OUT version int, OUT estimator text, OUT target text, OUT metric text, OUT value float8, OUT rows bigint, OUT trained_at timestamptz)
RETURNS SETOF record LANGUAGE sql STABLE PARALLEL SAFE COST 100 ROWS 10
BEGIN ATOMIC
    SELECT r.name, r.version, r.estimator, nullif(regexp_replace(btrim(substring(r.formula FROM '^((?:"[^"]*"|`[^`]*`|[^~"`])*)~')), '^(["`])(.*)\1$', '\2'), ''), r.evaluation ->> 'metric',
           (r.metrics ->> (r.evaluation ->> 'metric'))::float8, r.rows, r.trained_at
    FROM pgfit.registry AS r JOIN pgfit.model_names AS n ON n.name = r.name AND n.active = r.version
    WHERE r.source IS NOT NULL
    ORDER BY r.name;
END;
COMMENT ON FUNCTION pgfit.models() IS
'Returns the models that serve and that the user may score with, one row each, with the metric that decides and its value on held-out rows. history has all versions.';

-- not called model: PostgreSQL would take model('x') as a cast to the type of this name
CREATE FUNCTION pgfit.get_model(name text, version int DEFAULT NULL) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_get_model' LANGUAGE C STABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.get_model(text, int) IS
'Returns a version of a model, or without one the active version. Fails with undefined_object for a name or version that is not there, insufficient_privilege for a model that the user may not read, object_not_in_prerequisite_state if no version serves or the training of this one failed.';

-- ---- training ----

CREATE FUNCTION pgfit.train(name text, estimator text, source text, formula text DEFAULT NULL, options pgfit.call_options DEFAULT '{}',
    OUT version int, OUT active boolean, OUT metrics jsonb, OUT rows bigint, OUT message text)
AS 'MODULE_PATHNAME', 'pgfit_train' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION pgfit.train(text, text, text, text, pgfit.call_options) IS
'Trains the next version of a model and promotes it if the promotion rule allows. It fits as fit does, evaluates the model on held-out rows, and stores it in pgfit.registry. Options: holdout ({"fraction": 0.2, "key": column, "seed": n}, {"time": column, "fraction" or "after": value}, {"folds": 5} or false), refit (the stored model is fitted to all rows), promote (always, if_better, never), metrics, margin, "summary" (by default the version keeps a summary of its training rows, for drift; false: none), "on_failure": "record"; others, and those under "options", are options of fit. Returns the version, whether it is active, its metrics, the rows it was fitted to, and what was decided. If it fails, the active version stays. Fails as fit does, and with insufficient_privilege for a model of another role, duplicate_object for a name that a model has which the user does not see.';

CREATE FUNCTION pgfit.put_model(name text, model pgfit.model) RETURNS int
AS 'MODULE_PATHNAME', 'pgfit_put_model' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION pgfit.put_model(text, pgfit.model) IS
'Stores a fitted or imported model as the next version of a name, makes it active, and returns the number of the version, which has no source, query or metrics. Fails with wrong_object_type for moments, insufficient_privilege for a model of another role, duplicate_object for a name that a model has which the user does not see.';
