/*
 * composites.c - named composites, and arrays of them.
 */
#include "pg/type/composites.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

TupleDesc composites_type(FunctionCallInfo fcinfo, int columns, Oid *type)
{
    Oid array = get_fn_expr_rettype(fcinfo->flinfo), element;
    TupleDesc description;

    if (!OidIsValid(array)) /* Citus calls final functions without an expression */
        array = get_func_rettype(fcinfo->flinfo->fn_oid);
    element = get_element_type(array);
    *type = OidIsValid(element) ? element : array;
    description = lookup_rowtype_tupdesc_copy(*type, -1);
    if (description->natts != columns)
        elog(ERROR, "%s has %d columns instead of %d", format_type_be(*type), description->natts, columns);
    return BlessTupleDesc(description);
}

Datum composite_result(FunctionCallInfo fcinfo, int columns, Datum *values, const bool *nulls, MemoryContext caller)
{
    Oid type;
    TupleDesc description = composites_type(fcinfo, columns, &type);
    HeapTuple tuple = heap_form_tuple(description, values, (bool *)nulls);

    MemoryContextSwitchTo(caller);
    return heap_copy_tuple_as_datum(tuple, description);
}

CompositeList composites(FunctionCallInfo fcinfo, int columns, uint64 capacity, const char *what)
{
    CompositeList list = {.fcinfo = fcinfo, .what = what};

    list.description = composites_type(fcinfo, columns, &list.type);
    env_require_memory(host_env(), capacity * 2 * (MAXALIGN(SizeofHeapTupleHeader) + (Size)columns * sizeof(double)),
                       psprintf("%s as an array", what));
    list.rows = palloc_extended((Size)Max(capacity, 1) * sizeof(Datum), MCXT_ALLOC_HUGE);
    return list;
}

void composites_add(CompositeList *list, Datum *values, const bool *nulls)
{
    list->rows[list->count++] =
        HeapTupleGetDatum(heap_form_tuple(list->description, values, (bool *)nulls));
    if (list->count % 4096 == 0)
        CHECK_FOR_INTERRUPTS();
}

static void require_size(const CompositeList *list, const char *hint)
{
    Size each = list->count > 0 ? VARSIZE_ANY(DatumGetPointer(list->rows[0])) + MAXIMUM_ALIGNOF : 0;

    if (list->count > INT_MAX || list->count * each > MaxAllocSize)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("%s of " UINT64_FORMAT " rows is larger than an array can be", list->what, list->count),
                        errhint("%s", hint)));
}

Datum composites_matrix(const CompositeList *list, int height, MemoryContext caller, const char *hint)
{
    int sizes[] = {height, (int)(list->count / height)}, bounds[] = {1, 1};

    require_size(list, hint);
    MemoryContextSwitchTo(caller);
    return PointerGetDatum(construct_md_array(list->rows, NULL, 2, sizes, bounds, list->type, -1, false, TYPALIGN_DOUBLE));
}

Datum composites_array(const CompositeList *list, MemoryContext caller, const char *hint)
{
    require_size(list, hint);
    MemoryContextSwitchTo(caller);
    return PointerGetDatum(construct_array(list->rows, (int)list->count, list->type, -1, false, TYPALIGN_DOUBLE));
}
