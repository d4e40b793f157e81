/*
 * fit.c - fit(estimator, source, formula, options) and fit_sql, which shows the query that fit runs.
 */
#include "pg/operations/conformal_fit.h"
#include "pg/type/json_options.h"

#include "executor/spi.h"

/* Makes the query of arguments (estimator, source, formula, options), of which only the formula may be NULL. */
static FitQuery *query_of_arguments(FunctionCallInfo fcinfo)
{
    static const char *const names[] = {"estimator", "source", NULL, "options"};

    char *formula;
    Jsonb *options;

    require_arguments(fcinfo, "fit", names, lengthof(names));
    formula = fit_formula_argument(fcinfo, 2, &options);
    return fit_query_with_features(fit_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(1))), formula, options));
}

/* fit(estimator, source, formula, options) */
PG_FUNCTION_INFO_V1(pgfit_fit);
PGDLLEXPORT Datum pgfit_fit(PG_FUNCTION_ARGS)
{
    MemoryContext caller = CurrentMemoryContext, spi;
    Model *model;

    SPI_connect();
    model = fit_run(query_of_arguments(fcinfo), NULL);
    if (model != NULL) {
        spi = MemoryContextSwitchTo(caller);
        model = model_copy(model);
        MemoryContextSwitchTo(spi);
    }
    SPI_finish();
    if (model == NULL)
        PG_RETURN_NULL();
    PG_RETURN_MODEL(model);
}

/* fit_sql(estimator, source, formula, options) */
PG_FUNCTION_INFO_V1(pgfit_fit_sql);
PGDLLEXPORT Datum pgfit_fit_sql(PG_FUNCTION_ARGS)
{
    Datum result;

    SPI_connect();
    result = SPI_datumTransfer(CStringGetTextDatum(fit_text(query_of_arguments(fcinfo), NULL)), false, -1);
    SPI_finish();
    return result;
}
