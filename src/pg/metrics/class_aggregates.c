/*
 * class_aggregates.c - aggregates over labels and predictions: accuracy, metrics of the table of both, mean losses.
 *
 * accuracy needs no table: its state is a float8[] that is changed in place. The others keep an internal state in
 * the aggregate's memory, which parallel workers send as bytes.
 */
#include "pg/metrics/metric_state.h"
#include "core/metrics/class_metrics.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* ---- accuracy ---- */

#define ACCURACY_SIZE 2 /* weight of all rows, and of the right ones */

static double *accuracy_state(FunctionCallInfo fcinfo, int argument)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
    double *state = (double *)ARR_DATA_PTR(array);

    if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != ACCURACY_SIZE || ARR_HASNULL(array) ||
        ARR_ELEMTYPE(array) != FLOAT8OID || !(state[0] >= 0) || !(state[1] >= 0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("this is not the state of an accuracy")));
    return state;
}

/* Also outside an aggregate the state is only read, where it is a copy. */
static Datum accuracy_give(const double *state)
{
    return PointerGetDatum((char *)state - ARR_OVERHEAD_NONULLS(1));
}

PG_FUNCTION_INFO_V1(pgfit_accuracy_step);
PGDLLEXPORT Datum pgfit_accuracy_step(PG_FUNCTION_ARGS)
{
    MetricSite *site = metric_site(fcinfo, NULL, 2);
    double *state, weight;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = accuracy_state(fcinfo, 0);
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        return accuracy_give(state);
    weight = metric_weight(site, fcinfo);
    if (!(weight >= 0) || isinf(weight))
        env_fail(host_env(), ERROR_DATA, "Weights are finite and not negative; a row of weight 0 is not used.",
                 "weight is %g", weight);
    state[0] += weight;
    if (value_same_label(site->actual, PG_GETARG_DATUM(1), site->predicted, PG_GETARG_DATUM(2)))
        state[1] += weight;
    return accuracy_give(state);
}

PG_FUNCTION_INFO_V1(pgfit_accuracy_merge);
PGDLLEXPORT Datum pgfit_accuracy_merge(PG_FUNCTION_ARGS)
{
    double *state, *other;

    step_require_aggregate(fcinfo);
    state = accuracy_state(fcinfo, 0);
    other = accuracy_state(fcinfo, 1);
    state[0] += other[0];
    state[1] += other[1];
    return accuracy_give(state);
}

PG_FUNCTION_INFO_V1(pgfit_accuracy_final);
PGDLLEXPORT Datum pgfit_accuracy_final(PG_FUNCTION_ARGS)
{
    double *state = accuracy_state(fcinfo, 0);

    if (state[0] == 0)
        PG_RETURN_NULL();
    if (isinf(state[0]))
        env_fail(host_env(), ERROR_RANGE, NULL, "value out of range: overflow");
    PG_RETURN_FLOAT8(state[1] / state[0]);
}

/* ---- the table of labels and predictions ---- */

typedef struct TableState {
    MemoryContext context; /* of everything in it */
    MetricOptions options;
    Contingency *table;
} TableState;

static TableState *table_state_new(MemoryContext context)
{
    MemoryContext caller = MemoryContextSwitchTo(context);
    TableState *state = palloc0(sizeof(TableState));

    state->context = context;
    state->table = contingency_new(host_env());
    MemoryContextSwitchTo(caller);
    return state;
}

static ContingencyLabel label_of(ValueReader *reader, Datum datum)
{
    ContingencyLabel label = {.has_key = value_has_order(reader)};

    label.bytes = value_label(reader, datum, &label.length, &label.key);
    return label;
}

static Datum table_step(FunctionCallInfo fcinfo, const Estimator *metric)
{
    MetricSite *site = metric_site(fcinfo, metric, 2);
    TableState *state = PG_ARGISNULL(0) ? table_state_new(metric_context(fcinfo)) : (TableState *)PG_GETARG_POINTER(0);
    ContingencyLabel actual, predicted;
    MemoryContext caller;

    metric_options_read(&state->options, site, fcinfo, state->context);
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        PG_RETURN_POINTER(state);
    actual = label_of(site->actual, PG_GETARG_DATUM(1));
    predicted = label_of(site->predicted, PG_GETARG_DATUM(2));
    caller = MemoryContextSwitchTo(state->context);
    contingency_add(host_env(), state->table, actual, predicted, metric_weight(site, fcinfo));
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

static Datum table_merge(FunctionCallInfo fcinfo)
{
    MemoryContext context = metric_context(fcinfo), caller;
    TableState *state = PG_ARGISNULL(0) ? table_state_new(context) : (TableState *)PG_GETARG_POINTER(0);
    const TableState *other = PG_ARGISNULL(1) ? NULL : (TableState *)PG_GETARG_POINTER(1);

    if (other == NULL)
        PG_RETURN_POINTER(state);
    metric_options_merge(&state->options, &other->options, state->context);
    caller = MemoryContextSwitchTo(state->context);
    contingency_merge(host_env(), state->table, other->table);
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

static Datum table_send(FunctionCallInfo fcinfo)
{
    const TableState *state;
    uint8_t *bytes;
    size_t size;

    step_require_aggregate(fcinfo);
    state = (TableState *)PG_GETARG_POINTER(0);
    bytes = contingency_bytes(host_env(), state->table, &size);
    return metric_send(&state->options, bytes, size);
}

static Datum table_receive(FunctionCallInfo fcinfo)
{
    TableState *state;
    const char *rest;
    size_t size;

    step_require_aggregate(fcinfo);
    state = palloc0(sizeof(TableState));
    state->context = CurrentMemoryContext;
    rest = metric_receive(&state->options, PG_GETARG_BYTEA_PP(0), &size);
    state->table = contingency_of_bytes(host_env(), (const uint8_t *)rest, size);
    PG_RETURN_POINTER(state);
}

/* Two steps: metrics with the options of class_score share one, the others another. */
static const Estimator class_scores = {.name = "a score of classes", .options = OPTION_TABLES(class_score_options)},
                       mutual_information = {.name = "normalized_mutual_information",
                                             .options = OPTION_TABLES(mutual_information_options)};

#define TABLE_STEP(name, metric)                                                                   \
    PG_FUNCTION_INFO_V1(pgfit_##name##_step);                                                      \
    PGDLLEXPORT Datum pgfit_##name##_step(PG_FUNCTION_ARGS)                                        \
    {                                                                                              \
        return table_step(fcinfo, metric);                                                         \
    }                                                                                              \
    PG_FUNCTION_INFO_V1(pgfit_##name##_merge);                                                     \
    PGDLLEXPORT Datum pgfit_##name##_merge(PG_FUNCTION_ARGS)                                       \
    {                                                                                              \
        return table_merge(fcinfo);                                                                \
    }                                                                                              \
    PG_FUNCTION_INFO_V1(pgfit_##name##_send);                                                      \
    PGDLLEXPORT Datum pgfit_##name##_send(PG_FUNCTION_ARGS)                                        \
    {                                                                                              \
        return table_send(fcinfo);                                                                 \
    }                                                                                              \
    PG_FUNCTION_INFO_V1(pgfit_##name##_receive);                                                   \
    PGDLLEXPORT Datum pgfit_##name##_receive(PG_FUNCTION_ARGS)                                     \
    {                                                                                              \
        return table_receive(fcinfo);                                                              \
    }
TABLE_STEP(contingency, NULL)
TABLE_STEP(class_score, &class_scores)
TABLE_STEP(mutual_information, &mutual_information)

static const TableState *table_argument(FunctionCallInfo fcinfo)
{
    step_require_aggregate(fcinfo);
    return PG_ARGISNULL(0) ? NULL : (TableState *)PG_GETARG_POINTER(0);
}

typedef bool (*TableMetric)(const ConfusionTable *table, double *result);

static Datum table_metric(FunctionCallInfo fcinfo, TableMetric metric)
{
    const TableState *state = table_argument(fcinfo);
    double result;

    if (state == NULL || !metric(contingency_table(host_env(), state->table), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

static Datum score_metric(FunctionCallInfo fcinfo, ClassScore score)
{
    const TableState *state = table_argument(fcinfo);
    double result;

    if (state == NULL || !class_score(contingency_table(host_env(), state->table), score,
                                      metric_options(&state->options, &class_scores), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

static Datum information_metric(FunctionCallInfo fcinfo)
{
    const TableState *state = table_argument(fcinfo);
    double result;

    if (state == NULL ||
        !class_mutual_information(contingency_table(host_env(), state->table),
                                  metric_options(&state->options, &mutual_information), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

#define METRIC_RESULT(name, body)                                                                  \
    PG_FUNCTION_INFO_V1(pgfit_##name##_final);                                                     \
    PGDLLEXPORT Datum pgfit_##name##_final(PG_FUNCTION_ARGS)                                       \
    {                                                                                              \
        return body;                                                                               \
    }
METRIC_RESULT(balanced_accuracy, table_metric(fcinfo, class_balanced_accuracy))
METRIC_RESULT(matthews_correlation, table_metric(fcinfo, class_matthews))
METRIC_RESULT(cohen_kappa, table_metric(fcinfo, class_kappa))
METRIC_RESULT(adjusted_rand_index, table_metric(fcinfo, class_adjusted_rand))
METRIC_RESULT(normalized_mutual_information, information_metric(fcinfo))
METRIC_RESULT(precision_score, score_metric(fcinfo, SCORE_PRECISION))
METRIC_RESULT(recall_score, score_metric(fcinfo, SCORE_RECALL))
METRIC_RESULT(f1_score, score_metric(fcinfo, SCORE_F1))

static Datum label_text(const ConfusionTable *table, uint32_t k)
{
    return PointerGetDatum(cstring_to_text_with_len(table->labels[k], (int)table->lengths[k]));
}

/* An array of pgfit.confusion_cell: label, predicted, rows, weight. */
static Datum confusion_matrix(FunctionCallInfo fcinfo)
{
    const TableState *state = table_argument(fcinfo);
    Oid type = get_element_type(get_fn_expr_rettype(fcinfo->flinfo));
    const ConfusionTable *table;
    TupleDesc description;
    Datum *cells;

    if (state == NULL)
        PG_RETURN_NULL();
    table = contingency_table(host_env(), state->table);
    if (table->cell_count == 0)
        PG_RETURN_NULL();
    if (table->cell_count > MaxAllocSize / 128)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("a confusion matrix of " UINT64_FORMAT " cells is larger than an array can be",
                               table->cell_count)));
    description = BlessTupleDesc(lookup_rowtype_tupdesc_copy(type, -1));
    cells = palloc_extended((Size)table->cell_count * sizeof(Datum), MCXT_ALLOC_HUGE);
    for (uint64 i = 0; i < table->cell_count; i++) {
        const ContingencyCell *cell = &table->cells[i];
        Datum values[] = {label_text(table, cell->actual), label_text(table, cell->predicted),
                          Int64GetDatum((int64)cell->rows), Float8GetDatum(cell->weight)};
        bool nulls[4] = {false};

        cells[i] = HeapTupleGetDatum(heap_form_tuple(description, values, nulls));
    }
    return PointerGetDatum(construct_array(cells, (int)table->cell_count, type, -1, false, TYPALIGN_DOUBLE));
}
METRIC_RESULT(confusion_matrix, confusion_matrix(fcinfo))
