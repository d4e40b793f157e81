/*
 * fit_call.c - calls of aggregates over the rows of a fit, on one server or on those of a distributed table.
 */
#include "pg/operations/fit_query.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* Returns the column of a target or label with the type that a form of pgfit_distributed has for it. */
static char *typed_column(const FitQuery *query, int column)
{
    Oid type = getBaseType(TupleDescAttr(query->source->columns, column)->atttypid);
    const char *sql = source_column_sql(query->source, column);
    Oid wanted = query->estimator->task == TASK_REGRESSION || query->estimator->task == TASK_SURVIVAL || query->estimator->input == INPUT_MOMENTS ? FLOAT8OID
                 : type == BOOLOID || type == INT4OID || type == TEXTOID                                  ? type
                 : type == INT2OID                                                                        ? INT4OID
                                                                                                          : TEXTOID;

    if (type == wanted && type == TupleDescAttr(query->source->columns, column)->atttypid)
        return psprintf("%s", sql);
    return wanted == TEXTOID     ? source_text_sql(sql, type)
           : wanted == FLOAT8OID ? source_number_sql(query->source, "target", column)
                                 : psprintf("%s::%s", sql, format_type_extended(wanted, -1, FORMAT_TYPE_FORCE_QUALIFY));
}

/*
 * Returns the row of a source as a value of type record. The row of a table has its names on every server; that of a view or a query would arrive
 * as ROW(), without them.
 */
static char *typed_row(const Source *source)
{
    char kind = OidIsValid(source->relation) ? get_rel_relkind(source->relation) : '\0';
    int count = source->columns->natts;
    Datum *names = palloc(count * sizeof(Datum));
    StringInfoData columns;

    if (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE || count >= FUNC_MAX_ARGS)
        return psprintf("pgfit_distributed.whole_row(%s)", source->alias);
    initStringInfo(&columns);
    for (int i = 0; i < count; i++) {
        names[i] = CStringGetTextDatum(NameStr(TupleDescAttr(source->columns, i)->attname));
        appendStringInfo(&columns, ", %s", source_column_sql(source, i));
    }
    return psprintf("pgfit_distributed.named_row(%s::pg_catalog.text[]%s)",
                    quote_literal_cstr(OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT)))),
                    columns.data);
}

char *fit_typed_arguments(const FitQuery *query, bool target, const char *options)
{
    StringInfoData arguments;

    if (!OidIsValid(get_extension_oid("pgfit_distributed", true)))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("a distributed fit needs the extension pgfit_distributed"),
                        errhint("Run CREATE EXTENSION pgfit_distributed.")));
    initStringInfo(&arguments);
    if (target)
        appendStringInfo(&arguments, "%s, ", typed_column(query, query->target));
    appendStringInfo(&arguments, "%s, %s", typed_row(query->source), options == NULL ? "'{}'" : options);
    if (query->weight >= 0)
        appendStringInfo(&arguments, ", %s", source_number_sql(query->source, "weight", query->weight));
    return arguments.data;
}

char *fit_call(const FitQuery *query, const char *schema, const char *name, bool target, const char *row, const char *options)
{
    const Source *source = query->source;

    if (query->distributed)
        return psprintf("pgfit_distributed.%s(%s)", name, fit_typed_arguments(query, target, options));
    return psprintf("%s.%s(%s%s%s, %s%s%s)", schema, name, target ? source_column_sql(source, query->target) : "", target ? ", " : "", row,
                    options, query->weight >= 0 ? ", " : "", query->weight >= 0 ? source_column_sql(source, query->weight) : "");
}
