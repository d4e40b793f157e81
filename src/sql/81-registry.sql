-- the registry: names, their versions, who may use them, and which version serves

-- All functions of this part run with the caller's rights.

CREATE FUNCTION pgfit_internal.is_member(owner text, readers text[] DEFAULT NULL) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_is_member' LANGUAGE C STABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit_internal.is_member(text, text[]) IS
'Returns whether the current user has the privileges of the role owner or of one of the roles readers, where public is everybody. Roles that do not exist count for nobody.';

CREATE FUNCTION pgfit_internal.is_visible(name text) RETURNS boolean
AS 'MODULE_PATHNAME', 'pgfit_is_visible' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pgfit_internal.is_visible(text) IS
'Returns whether row level security shows the current user the row of a name in pgfit.model_names.';

CREATE TABLE pgfit.model_names (
    name text COLLATE "C" NOT NULL PRIMARY KEY CHECK (name <> '' AND octet_length(name) <= 1000 AND name !~ '^\s*\{'),
    owner text NOT NULL DEFAULT CURRENT_USER,
    readers text[] NOT NULL DEFAULT '{}',
    active int,
    earlier int[] NOT NULL DEFAULT '{}',
    last_version int NOT NULL DEFAULT 0
) USING heap;
COMMENT ON TABLE pgfit.model_names IS
'The models of the registry, one row per name: the role that owns it, the roles that may use it beside the owner, the version that serves (NULL: none), the versions that served before, last one last, and the highest version so far. Row level security shows a model to the members of these roles, and lets those of the owner change it.';

CREATE TABLE pgfit.registry (
    name text COLLATE "C" NOT NULL REFERENCES pgfit.model_names ON DELETE CASCADE,
    version int NOT NULL CHECK (version > 0),
    model pgfit.model,
    estimator text NOT NULL,
    source text NOT NULL,
    formula text,
    options jsonb NOT NULL DEFAULT '{}',
    query text,
    metrics jsonb,
    evaluation jsonb,
    rows bigint,
    duration interval,
    trained_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    trained_by text NOT NULL DEFAULT CURRENT_USER,
    status text NOT NULL DEFAULT 'trained' CHECK (status IN ('trained', 'failed')),
    message text,
    PRIMARY KEY (name, version),
    CHECK ((status = 'trained') = (model IS NOT NULL))
) USING heap;
COMMENT ON TABLE pgfit.registry IS
'The versions of models, one row each: the model, what it was trained by (estimator, source, formula, options and the query that was run), metrics on rows that it was not fitted to and how they were chosen, rows used, duration, when, by whom, and whether it succeeded. Written by train. Row level security shows the versions of visible names.';

-- Whoever installs the extension administers the registry: that role sees all models, may change these grants, and can dump it.
ALTER TABLE pgfit.model_names OWNER TO @extowner@;
ALTER TABLE pgfit.registry OWNER TO @extowner@;
GRANT SELECT, INSERT, UPDATE, DELETE ON pgfit.model_names TO PUBLIC;
GRANT SELECT, INSERT, DELETE ON pgfit.registry TO PUBLIC;
ALTER TABLE pgfit.model_names ENABLE ROW LEVEL SECURITY;
ALTER TABLE pgfit.registry ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON pgfit.model_names FOR SELECT USING (pgfit_internal.is_member(owner, readers));
CREATE POLICY owner_inserts ON pgfit.model_names FOR INSERT WITH CHECK (pgfit_internal.is_member(owner));
CREATE POLICY owner_updates ON pgfit.model_names FOR UPDATE USING (pgfit_internal.is_member(owner)) WITH CHECK (pgfit_internal.is_member(owner));
CREATE POLICY owner_deletes ON pgfit.model_names FOR DELETE USING (pgfit_internal.is_member(owner));
CREATE POLICY readers ON pgfit.registry FOR SELECT USING (pgfit_internal.is_visible(name));
CREATE POLICY owner_inserts ON pgfit.registry FOR INSERT
    WITH CHECK (EXISTS (SELECT FROM pgfit.model_names AS n WHERE n.name = registry.name AND pgfit_internal.is_member(n.owner)));
-- the serving version stays: a name never serves a version that is not there
CREATE POLICY owner_deletes ON pgfit.registry FOR DELETE
    USING (EXISTS (SELECT FROM pgfit.model_names AS n
                   WHERE n.name = registry.name AND n.active IS DISTINCT FROM registry.version AND pgfit_internal.is_member(n.owner)));
SELECT pg_catalog.pg_extension_config_dump('pgfit.model_names', '');
SELECT pg_catalog.pg_extension_config_dump('pgfit.registry', '');

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
'Drops a version of a model, or without one the model with all its versions. Fails with undefined_object for a name or version that is not there, object_in_use for the version that serves, insufficient_privilege for a model of another role.';

-- ---- who may use a model ----

CREATE FUNCTION pgfit.grant_model(name text, role text) RETURNS void
AS 'MODULE_PATHNAME', 'pgfit_grant_model' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION pgfit.grant_model(text, text) IS
'Lets a role and its members use a model by its name and see its versions; ''public'' is everybody. Fails with undefined_object for a name or role that is not there, insufficient_privilege for a model of another role.';

CREATE FUNCTION pgfit.revoke_model(name text, role text) RETURNS void
AS 'MODULE_PATHNAME', 'pgfit_revoke_model' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION pgfit.revoke_model(text, text) IS
'Takes back what grant_model gave to a role. Fails with undefined_object for a name that is not there, insufficient_privilege for a model of another role.';

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
'Returns the versions of a model that the user may use, one row each, or without a name those of all such models: whether the version serves, whether its training succeeded, its metrics, rows, duration, when and by whom it was trained. No rows for a name that is not there.';

-- not called model: PostgreSQL would take model('x') as a cast to the type of this name
CREATE FUNCTION pgfit.get_model(name text, version int DEFAULT NULL) RETURNS pgfit.model
AS 'MODULE_PATHNAME', 'pgfit_get_model' LANGUAGE C STABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION pgfit.get_model(text, int) IS
'Returns a version of a model, or without one the version that serves. Fails with undefined_object for a name or version that is not there, object_not_in_prerequisite_state if no version serves or the training of this one failed.';

-- ---- training ----

CREATE FUNCTION pgfit.train(name text, estimator text, source text|regclass, formula text DEFAULT NULL, options jsonb DEFAULT '{}',
    OUT version int, OUT active boolean, OUT metrics jsonb, OUT rows bigint, OUT message text)
AS 'MODULE_PATHNAME', 'pgfit_train' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION pgfit.train(text, text, text|regclass, text, jsonb) IS
'Trains the next version of a model: fits as fit does, judges the model on rows that are held out, stores it in pgfit.registry and lets it serve if the promotion rule allows. Options: holdout ({"fraction": 0.2, "key": column, "seed": n}, {"time": column, "fraction" or "after": value}, {"folds": 5} or false), refit (the stored model is fitted to all rows), promote (always, if_better, never), metric, margin, "summary" (by default the version keeps a summary of its training rows, for drift; false: none), "on_failure": "record"; others, and those under "options", are options of fit. Returns the version, whether it serves, its metrics, the rows it was fitted to, and what was decided. If it fails the version that serves stays. Fails as fit does, and with insufficient_privilege for a model of another role.';
