/*
 * registry.c - promote, rollback, drop_model, grant_model, revoke_model: which version of a model serves, and who may use it.
 *
 * Statements run with the rights of the caller and under his search_path, so they name every operator by its schema. A row that the caller sees but
 * that a statement does not change belongs to another role.
 */
#include "pg/operations/registry_statements.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#define EQ " OPERATOR(pg_catalog.=) "

/* ---- statements ---- */

uint64 registry_run(const char *sql, int count, Oid *types, Datum *values, const char *nulls)
{
    int result = SPI_execute_with_args(sql, count, types, values, nulls, false, 0);

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

uint64 registry_run_version(const char *sql, const char *name, int32 version)
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

static void require_name(const char *name)
{
    if (!registry_exists(name, 0, REGISTRY_NOW))
        registry_fail_name(name);
}

static void require_version(const char *name, int32 version)
{
    if (!registry_exists(name, version, REGISTRY_NOW))
        registry_fail_version(name, version);
}

/* ---- which version serves ---- */

void registry_promote(const char *name, int32 version)
{
    require_name(name);
    require_version(name, version);
    if (registry_run_version("SELECT FROM pgfit.registry WHERE name" EQ "$1 AND version" EQ "$2 AND status" EQ "'failed'", name, version) > 0)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("version %d of model \"%s\" failed in training", version, name),
                        errhint("Its message in pgfit.history(name) says why. Promote another version.")));
    if (registry_run_version("UPDATE pgfit.model_names SET active = $2, earlier = "
                             "CASE WHEN active IS NULL OR active" EQ "$2 THEN earlier ELSE earlier OPERATOR(pg_catalog.||) active END WHERE name" EQ "$1",
                             name, version) == 0)
        registry_fail_owner(name);
    /* once more under the lock of the row: the version may have been dropped while this waited for it */
    require_version(name, version);
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
    static const char *const has_earlier = " WHERE name" EQ "$1 AND pg_catalog.cardinality(earlier) OPERATOR(pg_catalog.>) 0";
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    int32 version;

    SPI_connect();
    require_name(name);
    if (registry_run_name(psprintf("UPDATE pgfit.model_names SET active = earlier[pg_catalog.cardinality(earlier)], earlier = "
                                   "pg_catalog.trim_array(earlier, 1)%s RETURNING active",
                                   has_earlier),
                          name) == 0) {
        if (registry_run_name(psprintf("SELECT FROM pgfit.model_names%s", has_earlier), name) > 0)
            registry_fail_owner(name);
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("no version of model \"%s\" served before this one", name),
                        errhint("Choose one with pgfit.promote(name, version).")));
    }
    version = registry_number(1);
    SPI_finish();
    PG_RETURN_INT32(version);
}

/* Drops a version that does not serve. */
static void drop_version(const char *name, int32 version)
{
    registry_run_name("SELECT active FROM pgfit.model_names WHERE name" EQ "$1", name);
    if (SPI_processed > 0 && registry_number(1) == version)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE), errmsg("version %d of model \"%s\" serves", version, name),
                        errhint("Promote another version first, or drop the whole model: pgfit.drop_model(name).")));
    require_version(name, version);
    /* takes the lock of the row, so that nobody promotes the version meanwhile */
    if (registry_run_version("UPDATE pgfit.model_names SET earlier = pg_catalog.array_remove(earlier, $2) WHERE name" EQ "$1 "
                             "AND (active IS NULL OR active OPERATOR(pg_catalog.<>) $2)",
                             name, version) == 0 ||
        registry_run_version("DELETE FROM pgfit.registry WHERE name" EQ "$1 AND version" EQ "$2", name, version) == 0)
        registry_fail_owner(name);
}

/* drop_model(name, version) */
PG_FUNCTION_INFO_V1(pgfit_drop_model);
PGDLLEXPORT Datum pgfit_drop_model(PG_FUNCTION_ARGS)
{
    char *name = PG_ARGISNULL(0) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(0));

    if (name == NULL)
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the name of the model is null")));
    SPI_connect();
    require_name(name);
    if (!PG_ARGISNULL(1))
        drop_version(name, PG_GETARG_INT32(1));
    else if (registry_run_name("DELETE FROM pgfit.model_names WHERE name" EQ "$1", name) == 0)
        registry_fail_owner(name);
    SPI_finish();
    PG_RETURN_VOID();
}

/* ---- who may use a model ---- */

/* Changes the readers of a model. sql: an array of roles, from readers and the role $2. */
static void set_readers(const char *name, const char *role, const char *sql)
{
    Oid types[] = {TEXTOID, TEXTOID};
    Datum values[] = {CStringGetTextDatum(name), CStringGetTextDatum(role)};

    if (registry_run(psprintf("UPDATE pgfit.model_names SET readers = %s WHERE name" EQ "$1", sql), 2, types, values, NULL) == 0)
        registry_fail_owner(name);
}

/* grant_model(name, role) */
PG_FUNCTION_INFO_V1(pgfit_grant_model);
PGDLLEXPORT Datum pgfit_grant_model(PG_FUNCTION_ARGS)
{
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(0)), *role = text_to_cstring(PG_GETARG_TEXT_PP(1));

    SPI_connect();
    require_name(name);
    if (strcmp(role, "public") != 0)
        (void)get_role_oid(role, false); /* fails with undefined_object */
    set_readers(name, role, "pg_catalog.array_append(pg_catalog.array_remove(readers, $2), $2)");
    SPI_finish();
    PG_RETURN_VOID();
}

/* revoke_model(name, role) */
PG_FUNCTION_INFO_V1(pgfit_revoke_model);
PGDLLEXPORT Datum pgfit_revoke_model(PG_FUNCTION_ARGS)
{
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(0)), *role = text_to_cstring(PG_GETARG_TEXT_PP(1));

    SPI_connect();
    require_name(name);
    set_readers(name, role, "pg_catalog.array_remove(readers, $2)");
    SPI_finish();
    PG_RETURN_VOID();
}
