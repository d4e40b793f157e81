/*
 * class_aggregates.c - metrics over labels and predictions: accuracy, and those of the contingency table of both.
 *
 * accuracy needs no table: its state is a float8[] that is changed in place. The others keep an internal state in the
 * aggregate's memory, which parallel workers send as bytes.
 */
#include "pg/type/composites.h"
#include "pg/metrics/hypothesis.h"
#include "pg/metrics/metric_state.h"
#include "core/metrics/class_metrics.h"

#include "utils/array.h"

/* ---- accuracy ---- */

PG_FUNCTION_INFO_V1(pgfit_accuracy_step);
PGDLLEXPORT Datum pgfit_accuracy_step(PG_FUNCTION_ARGS)
{
    MetricSite *site = call_site_find(fcinfo);
    WeightedMean *state;
    double weight;

    if (unlikely(site == NULL)) {
        SupportFunction function;

        support_function(fcinfo, "_step", &function);
        site = metric_site(&function, NULL, 2);
    }
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = mean_state(fcinfo, 0);
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        return mean_state_result(state);
    weight = site->weight_argument < 0 ? 1 : weight_argument(fcinfo, site->weight_argument);
    weighted_mean_add(state, value_same_label(site->actual, PG_GETARG_DATUM(1), site->predicted, PG_GETARG_DATUM(2)), weight);
    return mean_state_result(state);
}

/* ---- the contingency table of labels and predictions ---- */

typedef struct TableState {
    MetricState metric;
    Contingency *table;
} TableState;

static TableState *table_state(FunctionCallInfo fcinfo)
{
    TableState *state = metric_state(fcinfo, sizeof(TableState));
    MemoryContext caller = MemoryContextSwitchTo(state->metric.context);

    if (state->table == NULL)
        state->table = contingency_new(host_env());
    MemoryContextSwitchTo(caller);
    return state;
}

/* Reads a label. Text next to an enum, as classify returns it, has the order of the enum value that it names. */
static ContingencyLabel label_of(ValueReader *reader, Datum datum, const ValueReader *other)
{
    ContingencyLabel label = {.has_key = value_has_order(reader)};

    label.bytes = value_label(reader, datum, &label.length, &label.key);
    if (!label.has_key && value_has_order(other))
        label.has_key = value_order_of(other, label.bytes, label.length, &label.key);
    return label;
}

/* Steps by name, and the options of their metrics; those with the options of class_score share one. */
static const Estimator class_scores = {.name = "a score of classes", .options = OPTION_TABLES(class_score_options)},
                       f_beta = {.name = "f_beta_score", .options = OPTION_TABLES(class_score_options, f_beta_options)},
                       weighted_kappa = {.name = "weighted_kappa", .options = OPTION_TABLES(weighted_kappa_options)},
                       mutual_information = {.name = "normalized_mutual_information",
                                             .options = OPTION_TABLES(mutual_information_options)};
static const struct TableStep {
    const char *name;
    const Estimator *metric; /* NULL: no options */
} table_steps[] = {{"contingency", NULL}, {"class_score", &class_scores}, {"f_beta_score", &f_beta}, {"weighted_kappa", &weighted_kappa},
                   {"mutual_information", &mutual_information}};

static MetricSite *table_site(FunctionCallInfo fcinfo)
{
    MetricSite *site = call_site_find(fcinfo);
    const TableTest *test;
    SupportFunction function;

    if (likely(site != NULL))
        return site;
    support_function(fcinfo, "_step", &function);
    for (size_t i = 0; i < lengthof(table_steps); i++)
        if (strcmp(table_steps[i].name, function.aggregate) == 0)
            return metric_site(&function, table_steps[i].metric, 2);
    if ((test = table_test_find(function.aggregate)) != NULL)
        return metric_site(&function, test_estimator(fcinfo, test->name, test->options), 2);
    fail_support_function(fcinfo);
}

/* STEP_step(state, label, predicted [, options] [, weight]) */
PG_FUNCTION_INFO_V1(pgfit_contingency_step);
PGDLLEXPORT Datum pgfit_contingency_step(PG_FUNCTION_ARGS)
{
    MetricSite *site = table_site(fcinfo);
    TableState *state = table_state(fcinfo);
    ContingencyLabel actual, predicted;
    MemoryContext caller;

    metric_options_read(&state->metric, site, fcinfo);
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        PG_RETURN_POINTER(state);
    actual = label_of(site->actual, PG_GETARG_DATUM(1), site->predicted);
    predicted = label_of(site->predicted, PG_GETARG_DATUM(2), site->actual);
    caller = MemoryContextSwitchTo(state->metric.context);
    contingency_add(host_env(), state->table, actual, predicted, metric_weight(site, fcinfo));
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(pgfit_contingency_merge);
PGDLLEXPORT Datum pgfit_contingency_merge(PG_FUNCTION_ARGS)
{
    TableState *state = table_state(fcinfo);
    MemoryContext caller;
    const TableState *other = PG_ARGISNULL(1) ? NULL : (TableState *)PG_GETARG_POINTER(1);

    if (other == NULL)
        PG_RETURN_POINTER(state);
    metric_options_merge(&state->metric, &other->metric);
    caller = MemoryContextSwitchTo(state->metric.context);
    contingency_merge(host_env(), state->table, other->table);
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

/* Writes a state; one without a row has no table yet. */
static Datum table_send(const MetricState *state)
{
    const Contingency *table = ((const TableState *)state)->table;
    size_t size;
    uint8_t *bytes = contingency_bytes(host_env(), table != NULL ? table : contingency_new(host_env()), &size);

    return metric_send(state, bytes, size);
}

PG_FUNCTION_INFO_V1(pgfit_contingency_send);
PGDLLEXPORT Datum pgfit_contingency_send(PG_FUNCTION_ARGS)
{
    step_require_aggregate(fcinfo);
    return table_send((MetricState *)PG_GETARG_POINTER(0));
}

PG_FUNCTION_INFO_V1(pgfit_contingency_receive);
PGDLLEXPORT Datum pgfit_contingency_receive(PG_FUNCTION_ARGS)
{
    const uint8_t *rest;
    size_t size;
    TableState *state = metric_receive(fcinfo, sizeof(TableState), &rest, &size);

    state->table = contingency_of_bytes(host_env(), rest, size);
    PG_RETURN_POINTER(state);
}

/* ---- results ---- */

/* A metric by name: what its final function returns. */
typedef struct TableMetric TableMetric;
typedef Datum (*TableResult)(FunctionCallInfo fcinfo, const TableState *state, const TableMetric *metric);
struct TableMetric {
    const char *name;
    TableResult result;
    bool (*number)(const ConfusionTable *table, double *result); /* of number_result */
    ClassScore score;                                            /* of score_result */
    const TableTest *test;                                       /* of test_result */
    const Estimator *estimator;                                  /* the test's name and options */
};

static Datum number_result(FunctionCallInfo fcinfo, const TableState *state, const TableMetric *metric)
{
    double result;

    if (!metric->number(contingency_table(host_env(), state->table), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

static Datum score_result(FunctionCallInfo fcinfo, const TableState *state, const TableMetric *metric)
{
    double result;

    if (!class_score(contingency_table(host_env(), state->table), metric->score,
                     metric_options(&state->metric, metric->score == SCORE_F_BETA ? &f_beta : &class_scores), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

static Datum kappa_result(FunctionCallInfo fcinfo, const TableState *state, const TableMetric *metric)
{
    double result;

    if (!class_weighted_kappa(contingency_table(host_env(), state->table), metric_options(&state->metric, &weighted_kappa), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

static Datum information_result(FunctionCallInfo fcinfo, const TableState *state, const TableMetric *metric)
{
    double result;

    if (!class_mutual_information(contingency_table(host_env(), state->table),
                                  metric_options(&state->metric, &mutual_information), &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

static Datum label_text(const ConfusionTable *table, uint32_t k)
{
    return PointerGetDatum(cstring_to_text_with_len(table->labels[k], (int)table->lengths[k]));
}

/* Returns an array of pgfit.confusion_cell: label, predicted, rows, weight. */
static Datum matrix_result(FunctionCallInfo fcinfo, const TableState *state, const TableMetric *metric)
{
    const ConfusionTable *table = contingency_table(host_env(), state->table);
    CompositeList cells;

    if (table->cell_count == 0)
        PG_RETURN_NULL();
    cells = composites(fcinfo, 4, table->cell_count, "the confusion matrix");
    for (uint64 i = 0; i < table->cell_count; i++) {
        const ContingencyCell *cell = &table->cells[i];
        Datum values[] = {label_text(table, cell->actual), label_text(table, cell->predicted),
                          Int64GetDatum((int64)cell->rows), Float8GetDatum(cell->weight)};
        bool nulls[4] = {false};

        composites_add(&cells, values, nulls);
    }
    return composites_array(&cells, CurrentMemoryContext,
                            "Check that label and prediction are classes, not values that differ from row to row.");
}

static Datum test_result(FunctionCallInfo fcinfo, const TableState *state, const TableMetric *metric)
{
    TestWork work = {.table_test = metric->test,
                     .table = contingency_table(host_env(), state->table),
                     .options = metric_options(&state->metric, metric->estimator)};

    if (work.table->cell_count == 0)
        PG_RETURN_NULL();
    return hypothesis_final(fcinfo, metric->estimator, &work, work.table->total);
}

static const TableMetric table_metrics[] = {
    {"adjusted_rand_index", number_result, class_adjusted_rand},
    {"balanced_accuracy", number_result, class_balanced_accuracy},
    {"cohen_kappa", number_result, class_kappa},
    {"confusion_matrix", matrix_result},
    {"f1_score", score_result, .score = SCORE_F1},
    {"f_beta_score", score_result, .score = SCORE_F_BETA},
    {"matthews_correlation", number_result, class_matthews},
    {"normalized_mutual_information", information_result},
    {"precision_score", score_result, .score = SCORE_PRECISION},
    {"recall_score", score_result, .score = SCORE_RECALL},
    {"weighted_kappa", kappa_result},
};

static const TableMetric *metric_of_call(FunctionCallInfo fcinfo)
{
    const TableTest *test;
    TableMetric *metric;
    SupportFunction function;

    support_function(fcinfo, "_final", &function);
    for (size_t i = 0; i < lengthof(table_metrics); i++)
        if (strcmp(table_metrics[i].name, function.aggregate) == 0)
            return &table_metrics[i];
    if ((test = table_test_find(function.aggregate)) == NULL)
        fail_support_function(fcinfo);
    metric = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(TableMetric));
    *metric = (TableMetric){test->name, test_result, .test = test, .estimator = test_estimator(fcinfo, test->name, test->options)};
    return metric;
}

/* NAME_final(state) */
PG_FUNCTION_INFO_V1(pgfit_contingency_final);
PGDLLEXPORT Datum pgfit_contingency_final(PG_FUNCTION_ARGS)
{
    const TableMetric *metric;

    step_require_aggregate(fcinfo);
    if (unlikely(fcinfo->flinfo->fn_extra == NULL))
        fcinfo->flinfo->fn_extra = (void *)metric_of_call(fcinfo);
    metric = fcinfo->flinfo->fn_extra;
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    return metric->result(fcinfo, (const TableState *)PG_GETARG_POINTER(0), metric);
}

/* ---- the same with a state of type bytea ---- */

static const MetricKind table_kind = {sizeof(TableState),     pgfit_contingency_step,    pgfit_contingency_merge,
                                      pgfit_contingency_final, pgfit_contingency_receive, table_send};

PG_FUNCTION_INFO_V1(pgfit_contingency_step_bytes);
PGDLLEXPORT Datum pgfit_contingency_step_bytes(PG_FUNCTION_ARGS)
{
    return metric_bytes_step(fcinfo, &table_kind);
}

PG_FUNCTION_INFO_V1(pgfit_contingency_merge_bytes);
PGDLLEXPORT Datum pgfit_contingency_merge_bytes(PG_FUNCTION_ARGS)
{
    return metric_bytes_merge(fcinfo, &table_kind);
}

PG_FUNCTION_INFO_V1(pgfit_contingency_final_bytes);
PGDLLEXPORT Datum pgfit_contingency_final_bytes(PG_FUNCTION_ARGS)
{
    return metric_bytes_final(fcinfo, &table_kind);
}
