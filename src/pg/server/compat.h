/*
 * compat.h - what differs between PostgreSQL 14 and 18, in one place.
 */
#ifndef PGFIT_COMPAT_H
#define PGFIT_COMPAT_H

#include "postgres.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc_tables.h"

#if PG_VERSION_NUM < 140000
#error "pgfit needs PostgreSQL 14 or newer"
#endif

#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h" /* VARDATA and friends moved here */
#endif

#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* Before 16 neither a module's functions nor its magic block are marked for export. */
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(name_)                                   \
    extern PGDLLEXPORT Datum name_(PG_FUNCTION_ARGS);                \
    extern PGDLLEXPORT const Pg_finfo_record *pg_finfo_##name_(void); \
    const Pg_finfo_record *pg_finfo_##name_(void)                    \
    {                                                                \
        static const Pg_finfo_record record = {1};                   \
        return &record;                                              \
    }                                                                \
    extern int no_such_variable
#endif

/* 18: a name and a version in the magic block */
#if PG_VERSION_NUM >= 180000
#define PGFIT_MODULE_MAGIC(version_) PG_MODULE_MAGIC_EXT(.name = "pgfit", .version = version_)
#else
#define PGFIT_MODULE_MAGIC(version_) PG_MODULE_MAGIC
#endif

/* 16: one check for the rights on any object */
#if PG_VERSION_NUM >= 160000
#define compat_function_aclcheck(function_, user_)                                                 \
    object_aclcheck(ProcedureRelationId, function_, user_, ACL_EXECUTE)
#else
#define compat_function_aclcheck(function_, user_) pg_proc_aclcheck(function_, user_, ACL_EXECUTE)
#endif

/* Returns the record of a setting, which exists. 16: get_guc_variables() takes an argument, and find_option() can be called. */
static inline const struct config_generic *compat_find_setting(const char *name)
{
#if PG_VERSION_NUM >= 160000
    return find_option(name, false, false, ERROR);
#else
    int i = 0;

    while (strcmp(get_guc_variables()[i]->name, name) != 0)
        i++;
    return get_guc_variables()[i];
#endif
}

/* Returns the function of a signature; InvalidOid: there is none. 16: to_regprocedure() no longer raises errors of the signature itself. */
static inline Oid compat_find_procedure(const char *signature)
{
#if PG_VERSION_NUM >= 160000
    ErrorSaveContext trouble = {.type = T_ErrorSaveContext, .details_wanted = true};
    Datum found;

    if (DirectInputFunctionCallSafe(regprocedurein, pstrdup(signature), InvalidOid, -1, (Node *)&trouble, &found))
        return DatumGetObjectId(found);
    if (trouble.error_data->sqlerrcode != ERRCODE_UNDEFINED_FUNCTION)
        ThrowErrorData(trouble.error_data);
    return InvalidOid;
#else
    LOCAL_FCINFO(call, 1);
    Datum found;

    InitFunctionCallInfoData(*call, NULL, 1, InvalidOid, NULL, NULL);
    call->args[0] = (NullableDatum){.value = PointerGetDatum(cstring_to_text(signature)), .isnull = false};
    found = to_regprocedure(call);
    return call->isnull ? InvalidOid : DatumGetObjectId(found);
#endif
}

#endif
