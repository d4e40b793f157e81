/*
 * trusted_functions.c - decides which functions and types may run because data name them, and keeps the setting pgfit.trusted_functions.
 *
 * Whether the setting counts depends on who made it: a role must not widen what runs when it calls a function of somebody else with SECURITY DEFINER.
 * PostgreSQL keeps the role with each value of a setting, restores it with the value when a transaction ends, and hands both to parallel workers.
 */
#include "pg/server/trusted_functions.h"
#include "pg/server/local_settings.h"

#include "access/parallel.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/scansup.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

#define SETTING "pgfit.trusted_functions"

static char *trusted_functions;
static uint64 generation = 1;

static void on_change(Datum argument, int cache, uint32 hash)
{
    generation++;
}

uint64 trust_generation(void)
{
    return generation;
}

/* ---- signatures ---- */

/* Cuts the next one off a list: up to a comma outside quotes and parentheses. */
static char *next_signature(char **list)
{
    char *first = *list, *c, *end;
    bool quoted = false;
    int depth = 0;

    while (scanner_isspace(*first))
        first++;
    for (c = first; *c != '\0' && (*c != ',' || quoted || depth > 0); c++) {
        quoted ^= *c == '"';
        depth += quoted ? 0 : (*c == '(') - (*c == ')');
    }
    for (end = c; end > first && scanner_isspace(end[-1]);)
        end--;
    *list = *c != '\0' ? c + 1 : c;
    *end = '\0';
    return first;
}

/* Finds the names of schema and function in a signature, which it changes. Returns false if it is none, or has no schema, or a wildcard. */
static bool signature_names(char *signature, char **schema, char **function)
{
    bool quoted = false;
    List *names;
    char *c;

    for (c = signature; *c != '\0' && (*c != '(' || quoted); c++) {
        if (*c == '*' && !quoted)
            return false;
        quoted ^= *c == '"';
    }
    if (*c == '\0' || c[strlen(c) - 1] != ')')
        return false;
    *c = '\0';
    if (!SplitIdentifierString(signature, '.', &names) || list_length(names) != 2)
        return false;
    *schema = linitial(names);
    *function = lsecond(names);
    return true;
}

Oid find_qualified_function(const char *signature)
{
    static const char *const path[][2] = {{"search_path", "pg_catalog, pg_temp"}};
    int level = local_settings_begin(path, lengthof(path));
    Oid found = compat_find_procedure(signature);

    local_settings_end(level);
    return found;
}

/* ---- the setting ---- */

#if PG_VERSION_NUM < 150000
/* 14 does not keep the role: here it goes with the value, but not into parallel workers, nor back to what was set before the library was loaded. */
static bool loading;
static Oid setting_role;

static bool keep_role(void **extra, GucSource source)
{
    Oid *role = malloc(sizeof *role);

    if (role == NULL)
        return false;
    *role = source >= PGC_S_INTERACTIVE && !loading && !InitializingParallelWorker ? GetUserId() : InvalidOid;
    *extra = role;
    return true;
}
#endif

/* A GucStringCheckHook. */
static bool check_setting(char **value, void **extra, GucSource source)
{
    char *list = pstrdup(*value), *end = list + strlen(list);

    while (scanner_isspace(*list))
        list++;
    while (list < end) {
        char *signature = next_signature(&list), *shown = pstrdup(signature), *schema, *function;

        if (!signature_names(signature, &schema, &function)) {
            GUC_check_errdetail("\"%s\" is not the signature of one function with its schema.", shown);
            GUC_check_errhint("Write each as in my_schema.my_distance(text,text), and separate them by commas. There are no wildcards.");
            return false;
        }
    }
#if PG_VERSION_NUM < 150000
    return keep_role(extra, source);
#else
    return true;
#endif
}

/* A GucStringAssignHook. */
static void assign_setting(const char *value, void *extra)
{
#if PG_VERSION_NUM < 150000
    setting_role = extra != NULL ? *(const Oid *)extra : InvalidOid;
#endif
    generation++;
}

/* Returns the role that answers for the setting as it is now; InvalidOid: none that is known. */
static Oid setting_setter(void)
{
    const struct config_generic *setting = compat_find_setting(SETTING);

    switch (setting->source) {
    case PGC_S_DEFAULT:
    case PGC_S_DYNAMIC_DEFAULT:
    case PGC_S_ENV_VAR:
    case PGC_S_FILE:
    case PGC_S_ARGV:
    case PGC_S_GLOBAL: /* ALTER ROLE ALL */
        return BOOTSTRAP_SUPERUSERID;
    case PGC_S_USER: /* ALTER ROLE, at the role's own login */
    case PGC_S_DATABASE_USER:
    case PGC_S_CLIENT: /* options of the connection */
        return GetAuthenticatedUserId();
    case PGC_S_INTERACTIVE:
    case PGC_S_SESSION: /* SET, set_config, SET of a function, which follows the change to its owner */
#if PG_VERSION_NUM < 150000
        return setting_role;
#else
        return setting->srole;
#endif
    default: /* ALTER DATABASE: an owner of a database does not choose for those who connect to it */
        return InvalidOid;
    }
}

/* Tells whether the setting has a function, whoever made it. */
static bool is_listed(Oid function)
{
    char *list = pstrdup(trusted_functions), *end = list + strlen(list);
    char *own_schema = get_namespace_name(get_func_namespace(function)), *own_name = get_func_name(function);

    while (list < end) {
        char *signature = next_signature(&list), *whole = pstrdup(signature), *schema, *name;

        if (signature_names(signature, &schema, &name) && strcmp(schema, own_schema) == 0 && strcmp(name, own_name) == 0 &&
            find_qualified_function(whole) == function)
            return true;
    }
    return false;
}

/* ---- functions ---- */

static bool is_trusted_role(Oid role)
{
    return role == GetUserId() || superuser_arg(role);
}

/* Returns an oid that a catalog has of an object. */
static Oid catalog_oid(int cache, Oid object, AttrNumber attribute)
{
    HeapTuple tuple = SearchSysCache1(cache, ObjectIdGetDatum(object));
    bool null;
    Oid oid;

    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "cache lookup failed for object %u", object);
    oid = DatumGetObjectId(SysCacheGetAttr(cache, tuple, attribute, &null));
    ReleaseSysCache(tuple);
    return oid;
}

static void __attribute__((noreturn)) fail_function(Oid function, const char *what, Oid owner, char volatility, bool immutable, bool listed)
{
    char *signature = format_procedure_qualified(function);
    bool own = is_trusted_role(owner);

    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    own ? errmsg("%s %s is not trusted: it is %s", what, signature, volatility == PROVOLATILE_STABLE ? "STABLE" : "VOLATILE")
                        : errmsg("%s %s is not trusted: its owner is \"%s\"", what, signature, GetUserNameFromId(owner, true)),
                    listed ? errdetail(SETTING " lists it, but was set neither by the current user nor by a superuser.") : errdetail("A function that the data name runs only if %sits owner is the current user or a superuser, or if " SETTING " lists it.", immutable ? "it is IMMUTABLE and " : ""),
                    own ? errhint("Declare it IMMUTABLE if its result depends on its arguments alone, or list it: SET " SETTING " = '%s'.", signature)
                        : errhint("If it may run with your rights, list it: SET " SETTING " = '%s'.", signature)));
}

void require_trusted_function(Oid function, const char *what, bool immutable)
{
    AclResult allowed = compat_function_aclcheck(function, GetUserId());
    char volatility = func_volatile(function);
    Oid owner = catalog_oid(PROCOID, function, Anum_pg_proc_proowner), setter;
    bool listed;

    if (allowed != ACLCHECK_OK)
        aclcheck_error(allowed, OBJECT_FUNCTION, get_func_name(function));
    if ((immutable && volatility != PROVOLATILE_IMMUTABLE) || !is_trusted_role(owner)) {
        listed = is_listed(function);
        setter = listed ? setting_setter() : InvalidOid;
        if (!OidIsValid(setter) || !is_trusted_role(setter))
            fail_function(function, what, owner, volatility, immutable, listed);
    }
    InvokeFunctionExecuteHook(function);
}

/* ---- types ---- */

static void __attribute__((noreturn)) fail_type(Oid type, Oid function, const char *why, const char *hint)
{
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("values of function %s are not read: %s %s", format_procedure_qualified(function), format_type_be_qualified(type), why),
                    errhint("%s", hint)));
}

/* Fails if somebody could change what reading a type runs: its owner, or that of a function that reads it. */
static void require_owner(Oid owner, Oid type, Oid function)
{
    if (!is_trusted_role(owner) && owner != catalog_oid(PROCOID, function, Anum_pg_proc_proowner))
        fail_type(type, function, psprintf("belongs to \"%s\"", GetUserNameFromId(owner, true)),
                  "Use types that the current user, a superuser or the owner of the function owns.");
}

static void require_columns(Oid type, Oid function)
{
    TupleDesc columns = lookup_rowtype_tupdesc_copy(type, -1);

    for (int i = 0; i < columns->natts; i++)
        if (!TupleDescAttr(columns, i)->attisdropped)
            (void)require_trusted_input(TupleDescAttr(columns, i)->atttypid, function);
    FreeTupleDesc(columns);
}

static bool require_range(Oid type, Oid function)
{
    Oid canonical = lookup_type_cache(type, TYPECACHE_RANGE_INFO)->rng_canonical_finfo.fn_oid;

    require_owner(catalog_oid(TYPEOID, type, Anum_pg_type_typowner), type, function);
    if (OidIsValid(canonical))
        require_owner(catalog_oid(PROCOID, canonical, Anum_pg_proc_proowner), type, function);
    return require_trusted_input(get_range_subtype(type), function);
}

static void require_input_function(Oid type, Oid function)
{
    Oid input, parameter;

    getTypeInputInfo(type, &input, &parameter);
    require_owner(catalog_oid(PROCOID, input, Anum_pg_proc_proowner), type, function);
}

bool require_trusted_input(Oid type, Oid function)
{
    Oid element = get_element_type(type);

    check_stack_depth();
    if (OidIsValid(element))
        return require_trusted_input(element, function);
    switch (get_typtype(type)) {
    case TYPTYPE_ENUM:
        return false;
    case TYPTYPE_BASE:
        require_input_function(type, function);
        return false;
    case TYPTYPE_RANGE:
        return require_range(type, function);
    case TYPTYPE_MULTIRANGE:
        return require_trusted_input(get_multirange_range(type), function);
    case TYPTYPE_COMPOSITE:
        require_owner(catalog_oid(TYPEOID, type, Anum_pg_type_typowner), type, function);
        require_columns(type, function);
        return true;
    case TYPTYPE_DOMAIN:
        fail_type(type, function, "is a domain, whose checks could run anything", "Take its base type instead.");
    default:
        fail_type(type, function, "is a pseudo-type", "Take a type that columns can have.");
    }
}

bool is_trusted_type(Oid type)
{
    return is_trusted_role(catalog_oid(TYPEOID, type, Anum_pg_type_typowner));
}

/* Returns a type that is not trusted: this one, or one that it is made of; InvalidOid: there is none. */
static Oid untrusted_part(Oid type)
{
    Oid element = get_element_type(type), found = InvalidOid;
    TupleDesc columns;

    check_stack_depth();
    if (OidIsValid(element))
        return untrusted_part(element);
    if (!is_trusted_type(type))
        return type;
    switch (get_typtype(type)) {
    case TYPTYPE_DOMAIN:
        return untrusted_part(catalog_oid(TYPEOID, type, Anum_pg_type_typbasetype));
    case TYPTYPE_RANGE:
        return untrusted_part(get_range_subtype(type));
    case TYPTYPE_MULTIRANGE:
        return untrusted_part(get_multirange_range(type));
    case TYPTYPE_COMPOSITE:
        columns = lookup_rowtype_tupdesc_copy(type, -1);
        for (int i = 0; i < columns->natts && !OidIsValid(found); i++)
            if (!TupleDescAttr(columns, i)->attisdropped)
                found = untrusted_part(TupleDescAttr(columns, i)->atttypid);
        FreeTupleDesc(columns);
        return found;
    default:
        return InvalidOid;
    }
}

bool is_trusted_throughout(Oid type)
{
    return !OidIsValid(untrusted_part(type));
}

void require_trusted_result(Oid type)
{
    Oid part = untrusted_part(type);

    if (OidIsValid(part))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("type %s of the result is not trusted: %s belongs to \"%s\"", format_type_be_qualified(type),
                               part == type ? "it" : format_type_be_qualified(part), GetUserNameFromId(catalog_oid(TYPEOID, part, Anum_pg_type_typowner), true)),
                        errhint("Take a built-in type or one of your own, and cast the result.")));
}

void trusted_functions_init(void)
{
    CacheRegisterSyscacheCallback(PROCOID, on_change, (Datum)0);
    CacheRegisterSyscacheCallback(TYPEOID, on_change, (Datum)0);
    CacheRegisterSyscacheCallback(AUTHOID, on_change, (Datum)0);
#if PG_VERSION_NUM < 150000
    loading = true;
#endif
    DefineCustomStringVariable(SETTING, "Functions of other roles that may run because a model, an option or a type of the data names them.",
                               "A list of signatures with schemas. Counts while the current user is the role that set it, or if a superuser set it.", &trusted_functions, "",
                               PGC_USERSET, GUC_LIST_INPUT, check_setting, assign_setting, NULL);
#if PG_VERSION_NUM < 150000
    loading = false;
#endif
}
