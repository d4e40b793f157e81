/*
 * registry.c - promote, rollback, drop_model, grant_model, revoke_model, reassign_model: which version of a model serves, and who may use it.
 */
#include "pg/operations/registry_statements.h"
#include "pg/server/local_settings.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"

#define NAMES "pgfit_internal.model_names"
#define VERSIONS "pgfit_internal.registry"

/* ---- statements ---- */

/* Opens both tables, which so stay as they are until the transaction ends. Returns their owner. */
static Oid lock_tables(void)
{
    Oid owner = InvalidOid;

    for (RegistryTable table = REGISTRY_NAMES; table <= REGISTRY_VERSIONS; table++) {
        Relation relation = registry_open(table, RowExclusiveLock);

        owner = relation->rd_rel->relowner;
        table_close(relation, NoLock);
    }
    return owner;
}

uint64 registry_run(const char *sql, int count, Oid *types, Datum *values, const char *nulls)
{
    static const char *const path[][2] = {{"search_path", "pg_catalog, pg_temp"}};
    Oid owner, user;
    int context, settings, result;

    PreventCommandIfReadOnly("a change of the registry");
    owner = lock_tables();
    /* an error restores both with its transaction */
    GetUserIdAndSecContext(&user, &context);
    SetUserIdAndSecContext(owner, context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
    settings = local_settings_begin(path, lengthof(path));
    result = SPI_execute_with_args(sql, count, types, values, nulls, false, 0);
    local_settings_end(settings);
    SetUserIdAndSecContext(user, context);
    if (result < 0)
        elog(ERROR, "a statement on the registry failed: %s", SPI_result_code_string(result));
    return SPI_processed;
}

uint64 registry_run_name(const char *sql, const char *name)
{
    Oid types[] = {TEXTOID};
    Datum values[] = {CStringGetTextDatum(name)};

    return registry_run(sql, 1, types, values, NULL);
}

static uint64 registry_run_version(const char *sql, const char *name, int32 version)
{
    Oid types[] = {TEXTOID, INT4OID};
    Datum values[] = {CStringGetTextDatum(name), Int32GetDatum(version)};

    return registry_run(sql, 2, types, values, NULL);
}

int32 registry_number(int column)
{
    bool isnull;
    Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);

    return isnull ? 0 : DatumGetInt32(value);
}

void registry_fail_owner(const char *name)
{
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be owner of model \"%s\"", name),
                    errhint("Only its owner and the members of that role train, promote, roll back and drop it.")));
}

bool registry_find(const char *name, const char *lock, RegistryRight *right)
{
    if (registry_run_name(psprintf("SELECT * FROM " NAMES " WHERE name = $1 %s", lock), name) == 0)
        return false;
    *right = registry_right(SPI_tuptable->vals[0], SPI_tuptable->tupdesc);
    return true;
}

void registry_own(const char *name, const char *lock)
{
    /* asked twice: nobody waits for the lock of a name that he does not own, and who owned it may have lost it while he waited */
    const char *const locks[] = {"", lock};

    for (size_t i = 0; i < lengthof(locks); i++) {
        RegistryRight right;

        if (!registry_find(name, locks[i], &right) || right == RIGHT_NONE)
            registry_fail_name(name);
        if (right < RIGHT_OWN)
            registry_fail_owner(name);
    }
}

/* ---- which version serves ---- */

void registry_promote(const char *name, int32 version)
{
    registry_own(name, "FOR NO KEY UPDATE");
    if (registry_run_version("SELECT (status = 'failed')::int FROM " VERSIONS " WHERE name = $1 AND version = $2", name, version) == 0)
        registry_fail_version(name, version);
    if (registry_number(1) != 0)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("version %d of model \"%s\" failed in training", version, name),
                        errhint("Its message in pgfit.history(name) says why. Promote another version.")));
    registry_run_version("UPDATE " NAMES " SET active = $2, earlier = CASE WHEN active IS NULL OR active = $2 THEN earlier ELSE earlier || active END WHERE name = $1", name,
                         version);
}

/* promote(name, version) */
PG_FUNCTION_INFO_V1(pgfit_promote);
PGDLLEXPORT Datum pgfit_promote(PG_FUNCTION_ARGS)
{
    SPI_connect();
    registry_promote(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_INT32(1));
    SPI_finish();
    PG_RETURN_VOID();
}

/* rollback(name) */
PG_FUNCTION_INFO_V1(pgfit_rollback);
PGDLLEXPORT Datum pgfit_rollback(PG_FUNCTION_ARGS)
{
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    int32 version;

    SPI_connect();
    registry_own(name, "FOR NO KEY UPDATE");
    if (registry_run_name("UPDATE " NAMES " SET active = earlier[cardinality(earlier)], earlier = trim_array(earlier, 1) WHERE name = $1 AND cardinality(earlier) > 0 "
                          "RETURNING active",
                          name) == 0)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("no version of model \"%s\" served before this one", name),
                        errhint("Choose one with pgfit.promote(name, version).")));
    version = registry_number(1);
    SPI_finish();
    PG_RETURN_INT32(version);
}

/* Drops a version that does not serve. */
static void drop_version(const char *name, int32 version)
{
    /* with the lock of the row nobody promotes the version meanwhile */
    registry_own(name, "FOR NO KEY UPDATE");
    if (registry_number(NAMES_ACTIVE) == version)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE), errmsg("version %d of model \"%s\" serves", version, name),
                        errhint("Promote another version first, or drop the whole model: pgfit.drop_model(name).")));
    if (registry_run_version("DELETE FROM " VERSIONS " WHERE name = $1 AND version = $2", name, version) == 0)
        registry_fail_version(name, version);
    registry_run_version("UPDATE " NAMES " SET earlier = array_remove(earlier, $2) WHERE name = $1", name, version);
}

/* drop_model(name, version) */
PG_FUNCTION_INFO_V1(pgfit_drop_model);
PGDLLEXPORT Datum pgfit_drop_model(PG_FUNCTION_ARGS)
{
    char *name = PG_ARGISNULL(0) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(0));

    if (name == NULL)
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the name of the model is null")));
    SPI_connect();
    if (!PG_ARGISNULL(1)) {
        drop_version(name, PG_GETARG_INT32(1));
    } else {
        registry_own(name, "FOR UPDATE"); /* and nobody adds a version meanwhile */
        registry_run_name("DELETE FROM " VERSIONS " WHERE name = $1", name);
        registry_run_name("DELETE FROM " NAMES " WHERE name = $1", name);
    }
    SPI_finish();
    PG_RETURN_VOID();
}

/* ---- who may use a model ---- */

/* Runs a statement that changes the name of argument 0 for the role of argument 1. */
static void change_name(FunctionCallInfo fcinfo, const char *sql)
{
    Oid types[] = {TEXTOID, TEXTOID};
    Datum values[] = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)};

    registry_run(psprintf("UPDATE " NAMES " SET %s WHERE name = $1", sql), 2, types, values, NULL);
}

/* Takes the name of argument 0, and reads the privilege of argument 2. Returns whether it is 'read'. */
static bool own_privilege(FunctionCallInfo fcinfo)
{
    const char *privilege = text_to_cstring(PG_GETARG_TEXT_PP(2));

    if (strcmp(privilege, "score") != 0 && strcmp(privilege, "read") != 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no privilege \"%s\" on models", privilege),
                        errhint("Privileges are score and read.")));
    SPI_connect();
    registry_own(text_to_cstring(PG_GETARG_TEXT_PP(0)), "FOR NO KEY UPDATE");
    return privilege[0] == 'r';
}

#define ADDED(readers) readers " = array_append(array_remove(" readers ", $2), $2)"
#define REMOVED(readers) readers " = array_remove(" readers ", $2)"

/* grant_model(name, role, privilege): who may read may score */
PG_FUNCTION_INFO_V1(pgfit_grant_model);
PGDLLEXPORT Datum pgfit_grant_model(PG_FUNCTION_ARGS)
{
    const char *role = text_to_cstring(PG_GETARG_TEXT_PP(1));
    bool read = own_privilege(fcinfo);

    if (strcmp(role, "public") != 0)
        (void)get_role_oid(role, false); /* fails with undefined_object */
    change_name(fcinfo, read ? ADDED("scorers") ", " ADDED("readers") : ADDED("scorers"));
    SPI_finish();
    PG_RETURN_VOID();
}

/* revoke_model(name, role, privilege) */
PG_FUNCTION_INFO_V1(pgfit_revoke_model);
PGDLLEXPORT Datum pgfit_revoke_model(PG_FUNCTION_ARGS)
{
    change_name(fcinfo, own_privilege(fcinfo) ? REMOVED("readers") : REMOVED("scorers") ", " REMOVED("readers"));
    SPI_finish();
    PG_RETURN_VOID();
}

/* reassign_model(name, role) */
PG_FUNCTION_INFO_V1(pgfit_reassign_model);
PGDLLEXPORT Datum pgfit_reassign_model(PG_FUNCTION_ARGS)
{
    const char *role = text_to_cstring(PG_GETARG_TEXT_PP(1));

    SPI_connect();
    registry_own(text_to_cstring(PG_GETARG_TEXT_PP(0)), "FOR NO KEY UPDATE");
    (void)get_role_oid(role, false); /* fails with undefined_object */
    if (!registry_has_role(role) && !registry_administers())
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be member of role \"%s\"", role),
                        errhint("Hand models to roles that you are a member of.")));
    change_name(fcinfo, "owner = $2");
    SPI_finish();
    PG_RETURN_VOID();
}
