/*
 * evaluate.c - evaluate(estimator, source, formula, options): how well a method predicts, one row per metric.
 */
#include "pg/operations/json_options.h"
#include "pg/operations/evaluation.h"
#include "pg/operations/search_options.h"
#include "pg/type/result_rows.h"

#include "executor/spi.h"

/* evaluate(estimator, source, formula, options) */
PG_FUNCTION_INFO_V1(pgfit_evaluate);
PGDLLEXPORT Datum pgfit_evaluate(PG_FUNCTION_ARGS)
{
    static const char *const names[] = {"estimator", "source", NULL, "options"};
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    SearchOptions options;
    EvaluationMetrics choice;
    Evaluation evaluation;

    require_arguments(fcinfo, "evaluate", names, lengthof(names));
    options = evaluate_options(PG_GETARG_JSONB_P(3));
    SPI_connect();
    choice = evaluation_metrics_named(fit_query(text_to_cstring(PG_GETARG_TEXT_PP(0)), source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(1))),
                                                PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2)), options.fit),
                                      options.metrics);
    evaluation = evaluate_by_folds(&choice, options.folds, NULL, NULL, NULL);
    for (int i = 0; i < choice.count; i++) {
        bool nulls[5] = {false};
        Datum values[] = {CStringGetTextDatum(evaluation_metric(&choice, i)), number_or_null(evaluation.values[i], &nulls[1]),
                          number_or_null(evaluation.errors[i], &nulls[2]), numbers_or_null(evaluation.folds[i], evaluation.fold_count, &nulls[3]),
                          Int64GetDatum(evaluation.rows)};

        tuplestore_putvalues(store, description, values, nulls);
    }
    SPI_finish();
    return (Datum)0;
}
