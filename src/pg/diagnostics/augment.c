/*
 * augment.c - augment(model, source, options): the rows of a source with their residuals and their influence on a fit.
 */
#include "pg/diagnostics/kept_source.h"
#include "pg/type/json_options.h"
#include "pg/operations/source.h"
#include "pg/server/trusted_functions.h"
#include "pg/type/result_rows.h"

#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

/* Returns the row as jsonb, in SQL. Values of a type whose owner could have it run a cast of his become text. */
static char *row_sql(const Source *source)
{
    StringInfoData columns;
    bool trusted = true;

    initStringInfo(&columns);
    for (int i = 0; i < source->columns->natts; i++) {
        Form_pg_attribute column = TupleDescAttr(source->columns, i);
        bool own = is_trusted_throughout(getBaseType(column->atttypid));
        char *value = source_column_sql(source, i);

        appendStringInfo(&columns, "%s%s AS %s", i > 0 ? ", " : "", own ? value : source_text_sql(value, column->atttypid),
                         quote_identifier(NameStr(column->attname)));
        trusted = trusted && own;
    }
    return trusted ? psprintf("pg_catalog.to_jsonb(%s)", source->alias)
                   : psprintf("(SELECT pg_catalog.to_jsonb(r) FROM (SELECT %s) AS r)", columns.data);
}

static char *augment_sql(const Source *source, const Model *model, Jsonb *options)
{
    char *weight = json_options_string(options, "weight");

    return psprintf("SELECT %s, i.fitted, i.residual, i.standardized, i.studentized, i.deviance_residual, i.leverage, i.cooks_distance, i.dffits\n"
                    "FROM %s AS %s, LATERAL pgfit.influence($1, %s, %s%s%s) AS i",
                    row_sql(source), source->from, source->alias, source_column_sql(source, source_target(source, model, json_options_string(options, "target"))), source->alias,
                    weight != NULL ? ", " : "",
                    weight != NULL ? source_number_sql(source, "weight", source_column(source, "weight", weight)) : "");
}

PG_FUNCTION_INFO_V1(pgfit_augment);
PGDLLEXPORT Datum pgfit_augment(PG_FUNCTION_ARGS)
{
    static const char *const names[] = {"target", "weight"};
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    Jsonb *options = json_options_known(PG_GETARG_JSONB_P(2), "augment", names, lengthof(names), "");
    SPIExecuteOptions how = {.read_only = true};
    SPIPlanPtr plan;
    Oid type = model_type_oid();
    ParamListInfo parameters = makeParamList(1);

    parameters->params[0] = (ParamExternData){.value = PG_GETARG_DATUM(0), .pflags = PARAM_FLAG_CONST, .ptype = type};
    SPI_connect();
    plan = SPI_prepare(augment_sql(source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(1))), model, options), 1, &type);
    if (plan == NULL)
        elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
    how.params = parameters;
    how.dest = CreateTuplestoreDestReceiver();
    SetTuplestoreDestReceiverParams(how.dest, store, ((ReturnSetInfo *)fcinfo->resultinfo)->econtext->ecxt_per_query_memory, false, NULL, NULL);
    if (SPI_execute_plan_extended(plan, &how) != SPI_OK_SELECT)
        elog(ERROR, "the query of augment failed: %s", SPI_result_code_string(SPI_result));
    SPI_finish();
    return (Datum)0;
}
