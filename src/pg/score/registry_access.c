/*
 * registry_access.c - index scans of the registry, and who may see which name.
 */
#include "pg/score/registry_access.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/primnodes.h"
#include "miscadmin.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* ---- the tables ---- */

/* OIDs of the tables; InvalidOid: not known. Both go with their schema, so a change of any schema forgets them. */
static Oid table_oids[2];

static void forget_tables(Datum argument, int cache, uint32 hash)
{
    table_oids[REGISTRY_NAMES] = table_oids[REGISTRY_VERSIONS] = InvalidOid;
}

static Oid table_oid(RegistryTable table)
{
    static const char *const names[] = {"model_names", "registry"};
    static bool registered;

    if (!registered) {
        CacheRegisterSyscacheCallback(NAMESPACEOID, forget_tables, (Datum)0);
        registered = true;
    }
    if (!OidIsValid(table_oids[table]))
        table_oids[table] = get_relname_relid(names[table], get_namespace_oid("pgfit", false));
    if (!OidIsValid(table_oids[table]))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table pgfit.%s is missing", names[table]),
                        errhint("Create the extension again.")));
    return table_oids[table];
}

static Oid primary_key(Relation table)
{
    if (!table->rd_indexvalid)
        list_free(RelationGetIndexList(table));
    return table->rd_pkindex;
}

RegistryScan registry_scan(RegistryTable which, const char *name, int32 version)
{
    RegistryScan scan;
    ScanKeyData keys[2];
    Oid oid = table_oid(which);

    if (pg_class_aclcheck(oid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
        aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(oid));
    scan.table = table_open(oid, AccessShareLock);
    ScanKeyInit(&keys[0], NAMES_NAME, BTEqualStrategyNumber, F_TEXTEQ, CStringGetTextDatum(name));
    ScanKeyInit(&keys[1], REGISTRY_VERSION, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(version));
    scan.scan = systable_beginscan(scan.table, primary_key(scan.table), true, GetActiveSnapshot(), which == REGISTRY_NAMES ? 1 : 2, keys);
    return scan;
}

HeapTuple registry_next(RegistryScan *scan)
{
    return systable_getnext(scan->scan);
}

void registry_scan_end(RegistryScan *scan)
{
    systable_endscan(scan->scan);
    table_close(scan->table, NoLock);
}

void registry_fail_name(const char *name)
{
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no model \"%s\"", name),
                    errhint("pgfit.history() lists the models that you may use.")));
}

void registry_fail_version(const char *name, int32 version)
{
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("model \"%s\" has no version %d", name, version),
                    errhint("pgfit.history(name) lists its versions.")));
}

/* ---- rights ---- */

/* Tells whether the current user has the privileges of a role, by its name. */
static bool has_role(const char *name, Size length)
{
    char *copy = pnstrdup(name, length);
    Oid role = get_role_oid(copy, true);

    return OidIsValid(role) && has_privs_of_role(GetUserId(), role);
}

static bool has_some_role(ArrayType *roles)
{
    Datum *names;
    bool *nulls;
    int count;

    deconstruct_array(roles, TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &count);
    for (int i = 0; i < count; i++) {
        const text *name = nulls[i] ? NULL : DatumGetTextPP(names[i]);
        Size length = name != NULL ? VARSIZE_ANY_EXHDR(name) : 0;

        if (name != NULL && ((length == strlen("public") && memcmp(VARDATA_ANY(name), "public", length) == 0) ||
                             has_role(VARDATA_ANY(name), length)))
            return true;
    }
    return false;
}

/* is_member(owner, readers) */
PG_FUNCTION_INFO_V1(pgfit_is_member);
PGDLLEXPORT Datum pgfit_is_member(PG_FUNCTION_ARGS)
{
    const text *owner = PG_ARGISNULL(0) ? NULL : PG_GETARG_TEXT_PP(0);

    PG_RETURN_BOOL((owner != NULL && has_role(VARDATA_ANY(owner), VARSIZE_ANY_EXHDR(owner))) ||
                   (!PG_ARGISNULL(1) && has_some_role(PG_GETARG_ARRAYTYPE_P(1))));
}

bool registry_exists(const char *name, int32 version, RegistryMoment moment)
{
    Oid types[] = {TEXTOID, INT4OID};
    Datum values[] = {CStringGetTextDatum(name), Int32GetDatum(version)};
    bool exists;

    SPI_connect();
    if (version == 0)
        SPI_execute_with_args("SELECT FROM pgfit.model_names WHERE name OPERATOR(pg_catalog.=) $1", 1, types, values, NULL, moment == REGISTRY_AS_CALLER, 1);
    else
        SPI_execute_with_args("SELECT FROM pgfit.registry WHERE name OPERATOR(pg_catalog.=) $1 AND version OPERATOR(pg_catalog.=) $2", 2, types, values, NULL,
                              moment == REGISTRY_AS_CALLER, 1);
    exists = SPI_processed > 0;
    SPI_finish();
    return exists;
}

/* Tells whether this is a column of the table that has the policy. */
static bool is_column(const Node *node, AttrNumber column)
{
    return IsA(node, Var) && ((const Var *)node)->varattno == column;
}

/*
 * Tells whether this is the policy for reading that src/sql/81-registry.sql creates, for everybody: is_member(owner, readers) of names, is_visible(name) of
 * versions.
 */
static bool is_shipped(RegistryTable table, const RowSecurityPolicy *policy)
{
    const FuncExpr *call = (const FuncExpr *)policy->qual;
    const char *name;

    if (!policy->permissive || ArrayGetNItems(ARR_NDIM(policy->roles), ARR_DIMS(policy->roles)) != 1 ||
        *(const Oid *)ARR_DATA_PTR(policy->roles) != ACL_ID_PUBLIC || call == NULL || !IsA(call, FuncExpr))
        return false;
    if (table == REGISTRY_NAMES ? list_length(call->args) != 2 || !is_column(linitial(call->args), NAMES_OWNER) || !is_column(lsecond(call->args), NAMES_READERS)
                                : list_length(call->args) != 1 || !is_column(linitial(call->args), REGISTRY_NAME))
        return false;
    name = get_func_name(call->funcid);
    return name != NULL && strcmp(name, table == REGISTRY_NAMES ? "is_member" : "is_visible") == 0 &&
           get_func_namespace(call->funcid) == get_namespace_oid("pgfit_internal", true);
}

/* Tells whether nothing but the shipped policy says who may read rows of a table. */
static bool is_read_as_shipped(RegistryTable table, const RowSecurityDesc *security)
{
    int shipped = 0;
    ListCell *cell;

    if (security == NULL)
        return false;
    foreach (cell, security->policies) {
        const RowSecurityPolicy *policy = lfirst(cell);

        if (policy->polcmd != ACL_SELECT_CHR && policy->polcmd != '*')
            continue;
        if (!is_shipped(table, policy))
            return false;
        shipped++;
    }
    return shipped > 0;
}

/* Tells whether the user is the owner of a name or one of its readers. */
static bool is_of_user(HeapTuple tuple, TupleDesc columns)
{
    bool isnull;
    Datum owner = heap_getattr(tuple, NAMES_OWNER, columns, &isnull), readers;

    if (!isnull && has_role(VARDATA_ANY(DatumGetTextPP(owner)), VARSIZE_ANY_EXHDR(DatumGetTextPP(owner))))
        return true;
    readers = heap_getattr(tuple, NAMES_READERS, columns, &isnull);
    return !isnull && has_some_role(DatumGetArrayTypeP(readers));
}

bool registry_visible(const RegistryScan *scan, const char *name, int32 version, HeapTuple tuple, bool *lasting)
{
    RegistryTable table = version == 0 ? REGISTRY_NAMES : REGISTRY_VERSIONS;

    if (check_enable_rls(RelationGetRelid(scan->table), InvalidOid, false) != RLS_ENABLED)
        return true;
    if (!is_read_as_shipped(table, scan->table->rd_rsdesc)) {
        *lasting = false;
        return registry_exists(name, version, REGISTRY_AS_CALLER);
    }
    return table == REGISTRY_VERSIONS || is_of_user(tuple, RelationGetDescr(scan->table));
}

/* is_visible(name) */
PG_FUNCTION_INFO_V1(pgfit_is_visible);
PGDLLEXPORT Datum pgfit_is_visible(PG_FUNCTION_ARGS)
{
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    RegistryScan scan = registry_scan(REGISTRY_NAMES, name, 0);
    HeapTuple tuple = registry_next(&scan);
    bool lasting, visible = tuple != NULL && registry_visible(&scan, name, 0, tuple, &lasting);

    registry_scan_end(&scan);
    PG_RETURN_BOOL(visible);
}
