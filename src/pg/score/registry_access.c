/*
 * registry_access.c - index scans of the registry, and who may use which name.
 */
#include "pg/score/registry_access.h"
#include "pg/host/backend_env.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/reltrigger.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* ---- the tables ---- */

#define SCHEMA "pgfit_internal"

typedef struct ColumnOfTable {
    const char *name;
    Oid type; /* InvalidOid: pgfit.model */
} ColumnOfTable;

/* A table, as src/sql/81-registry.sql declares it. */
typedef struct TableShape {
    const char *name;
    int count;
    ColumnOfTable columns[16];
} TableShape;

static const TableShape shapes[] = {
    {"model_names", 7,
     {{"name", TEXTOID}, {"owner", TEXTOID}, {"scorers", TEXTARRAYOID}, {"readers", TEXTARRAYOID}, {"active", INT4OID}, {"earlier", INT4ARRAYOID}, {"last_version", INT4OID}}},
    {"registry", 16,
     {{"name", TEXTOID}, {"version", INT4OID}, {"model", InvalidOid}, {"estimator", TEXTOID}, {"source", TEXTOID}, {"formula", TEXTOID}, {"options", JSONBOID},
      {"query", TEXTOID}, {"metrics", JSONBOID}, {"evaluation", JSONBOID}, {"rows", INT8OID}, {"duration", INTERVALOID}, {"trained_at", TIMESTAMPTZOID},
      {"trained_by", TEXTOID}, {"status", TEXTOID}, {"message", TEXTOID}}}};

/* What the session knows of a table until its relation cache entry, or any schema, changes. */
static struct {
    Oid oid; /* InvalidOid: not known */
    bool sound;
} tables[2];

static void forget_tables(Datum argument, int cache, uint32 hash)
{
    memset(tables, 0, sizeof(tables));
}

static void forget_table(Datum argument, Oid relation)
{
    if (!OidIsValid(relation) || relation == tables[REGISTRY_NAMES].oid || relation == tables[REGISTRY_VERSIONS].oid)
        forget_tables(argument, 0, 0);
}

static Oid table_oid(RegistryTable table)
{
    static bool registered;

    if (!registered) {
        CacheRegisterSyscacheCallback(NAMESPACEOID, forget_tables, (Datum)0);
        CacheRegisterRelcacheCallback(forget_table, (Datum)0);
        registered = true;
    }
    if (!OidIsValid(tables[table].oid))
        tables[table].oid = get_relname_relid(shapes[table].name, get_namespace_oid(SCHEMA, true));
    if (!OidIsValid(tables[table].oid))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("the registry of models is gone: there is no table " SCHEMA ".%s", shapes[table].name),
                        errhint("Create the extension again: CREATE EXTENSION pgfit.")));
    return tables[table].oid;
}

/* Returns what is wrong with the columns of a table; NULL: nothing. */
static char *column_fault(TupleDesc columns, const TableShape *shape)
{
    if (columns->natts < shape->count)
        return psprintf("it has %d columns, not %d", columns->natts, shape->count);
    for (int i = 0; i < columns->natts; i++) {
        Form_pg_attribute column = TupleDescAttr(columns, i);
        Oid type;

        if (i >= shape->count && column->attisdropped)
            continue;
        if (i >= shape->count)
            return psprintf("it has a column \"%s\" more", NameStr(column->attname));
        if (column->attisdropped || strcmp(NameStr(column->attname), shape->columns[i].name) != 0)
            return psprintf("its column %d is not \"%s\"", i + 1, shape->columns[i].name);
        type = OidIsValid(shape->columns[i].type) ? shape->columns[i].type : model_type_oid();
        if (column->atttypid != type)
            return psprintf("its column \"%s\" is of type %s, not %s", shape->columns[i].name, format_type_be(column->atttypid), format_type_be(type));
    }
    if (TupleDescAttr(columns, 0)->attcollation != C_COLLATION_OID)
        return "its column \"name\" has another collation";
    if (columns->constr != NULL && (columns->constr->num_check > 0 || columns->constr->num_defval > 0))
        return "it has check constraints or defaults";
    return NULL;
}

static bool has_user_trigger(const TriggerDesc *triggers)
{
    for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
        if (!triggers->triggers[i].tgisinternal) /* those of foreign keys are */
            return true;
    return false;
}

static Oid schema_owner(Oid schema)
{
    HeapTuple tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));
    Oid owner = HeapTupleIsValid(tuple) ? ((Form_pg_namespace)GETSTRUCT(tuple))->nspowner : InvalidOid;

    if (HeapTupleIsValid(tuple))
        ReleaseSysCache(tuple);
    return owner;
}

/* Returns what is wrong with a table; NULL: nothing. */
static char *table_fault(Relation table, const TableShape *shape)
{
    if (table->rd_rel->relkind != RELKIND_RELATION || table->rd_rel->relam != HEAP_TABLE_AM_OID)
        return "it is not an ordinary table";
    if (table->rd_rel->relowner != schema_owner(RelationGetNamespace(table)))
        return psprintf("it belongs to %s, unlike its schema", GetUserNameFromId(table->rd_rel->relowner, true));
    if (table->rd_rules != NULL)
        return "it has rules";
    if (has_user_trigger(table->trigdesc))
        return "it has triggers";
    if (table->rd_rel->relrowsecurity)
        return "it has row level security";
    return column_fault(RelationGetDescr(table), shape);
}

Relation registry_open(RegistryTable which, LOCKMODE lock)
{
    Relation table;
    const char *fault;

    while ((table = try_relation_open(table_oid(which), lock)) == NULL)
        tables[which].oid = InvalidOid; /* dropped while this waited for the lock: look again */
    if (likely(tables[which].sound))
        return table;
    fault = table_fault(table, &shapes[which]);
    if (fault != NULL)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("table " SCHEMA ".%s is not as the extension made it: %s", shapes[which].name, fault), errhint("Undo the change of the table.")));
    tables[which].oid = RelationGetRelid(table);
    tables[which].sound = true;
    return table;
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
    Oid index;

    scan.table = registry_open(which, AccessShareLock);
    index = primary_key(scan.table);
    ScanKeyInit(&keys[0], NAMES_NAME, BTEqualStrategyNumber, F_TEXTEQ, CStringGetTextDatum(name));
    ScanKeyInit(&keys[1], REGISTRY_VERSION, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(version));
    scan.scan = systable_beginscan(scan.table, index, OidIsValid(index), GetActiveSnapshot(), which == REGISTRY_NAMES ? 1 : 2, keys);
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
    if (name[strspn(name, " \t\r\n\v\f")] == '{')
        ereport(ERROR, (errcode(ERRCODE_INVALID_NAME), errmsg("the name of a model cannot begin with a brace"),
                        errhint("To score with the text of a model, cast it: '...'::pgfit.model.")));
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no model \"%s\"", name),
                    errhint("pgfit.models() lists those that you may use.")));
}

void registry_fail_version(const char *name, int32 version)
{
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("model \"%s\" has no version %d", name, version),
                    errhint("pgfit.history(name) lists its versions.")));
}

/* ---- rights ---- */

bool registry_has_role(const char *name)
{
    Oid role = get_role_oid(name, true);

    return OidIsValid(role) && has_privs_of_role(GetUserId(), role);
}

static bool has_some_role(ArrayType *roles)
{
    Datum *names;
    bool *nulls;
    int count;

    deconstruct_array(roles, TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &count);
    for (int i = 0; i < count; i++) {
        const char *name = nulls[i] ? NULL : TextDatumGetCString(names[i]);

        if (name != NULL && (strcmp(name, "public") == 0 || registry_has_role(name)))
            return true;
    }
    return false;
}

static bool has_privilege(AclMode privilege)
{
    return pg_class_aclcheck(table_oid(REGISTRY_NAMES), GetUserId(), privilege) == ACLCHECK_OK;
}

bool registry_administers(void)
{
    return has_privilege(ACL_UPDATE);
}

/* The columns owner, scorers and readers of a name. */
typedef struct Grants {
    Datum values[3];
    bool nulls[3];
} Grants;

static RegistryRight right_of(const Grants *grants)
{
    if ((!grants->nulls[0] && registry_has_role(TextDatumGetCString(grants->values[0]))) || registry_administers())
        return RIGHT_OWN;
    if (has_privilege(ACL_SELECT)) /* may read the rows as they are */
        return RIGHT_READ;
    if (grants->nulls[1] || !has_some_role(DatumGetArrayTypeP(grants->values[1])))
        return RIGHT_NONE;
    return grants->nulls[2] || !has_some_role(DatumGetArrayTypeP(grants->values[2])) ? RIGHT_SCORE : RIGHT_READ;
}

RegistryRight registry_right(HeapTuple row, TupleDesc columns)
{
    Grants grants;

    for (int i = 0; i < 3; i++)
        grants.values[i] = heap_getattr(row, NAMES_OWNER + i, columns, &grants.nulls[i]);
    return right_of(&grants);
}

/* may_use(privilege, owner, scorers, readers) */
PG_FUNCTION_INFO_V1(pgfit_may_use);
PGDLLEXPORT Datum pgfit_may_use(PG_FUNCTION_ARGS)
{
    Grants grants;

    for (int i = 0; i < 3; i++) {
        grants.values[i] = PG_GETARG_DATUM(i + 1);
        grants.nulls[i] = PG_ARGISNULL(i + 1);
    }
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    PG_RETURN_BOOL(right_of(&grants) >= (strcmp(text_to_cstring(PG_GETARG_TEXT_PP(0)), "score") == 0 ? RIGHT_SCORE : RIGHT_READ));
}
