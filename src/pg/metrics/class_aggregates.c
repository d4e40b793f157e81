/*
 * class_aggregates.c - metrics over labels and predictions: those of the contingency table of both.
 */
#include "pg/type/composites.h"
#include "pg/metrics/hypothesis.h"
#include "pg/metrics/metric_state.h"
#include "core/metrics/class_metrics.h"

#include "utils/array.h"

typedef struct TableState {
    MetricState metric;
    Contingency *table;
} TableState;

/* Reads a label. Text next to an enum, as classify returns it, has the order of the enum value that it names. */
static ContingencyLabel label_of(ValueReader *reader, Datum datum, const ValueReader *other)
{
    ContingencyLabel label = {.has_key = value_has_order(reader)};

    label.bytes = value_label_beside(reader, datum, other, &label.length, &label.key);
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
    TableState *state = metric_state(fcinfo, &table_kind);
    ContingencyLabel actual, predicted;
    MemoryContext caller;

    metric_options_read(&state->metric, site, fcinfo);
    if (unlikely(state->table == NULL)) {
        caller = MemoryContextSwitchTo(state->metric.context);
        state->table = contingency_new(host_env());
        MemoryContextSwitchTo(caller);
    }
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        PG_RETURN_POINTER(state);
    actual = label_of(site->actual, PG_GETARG_DATUM(1), site->predicted);
    predicted = label_of(site->predicted, PG_GETARG_DATUM(2), site->actual);
    caller = MemoryContextSwitchTo(state->metric.context);
    contingency_add(host_env(), state->table, actual, predicted, metric_weight(site, fcinfo));
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

static void merge_tables(MetricState *into, const MetricState *other)
{
    TableState *state = (TableState *)into;

    if (state->table == NULL)
        state->table = contingency_new(host_env());
    contingency_merge(host_env(), state->table, ((const TableState *)other)->table);
}

static void read_table(MetricState *state, const uint8_t *bytes, size_t size)
{
    ((TableState *)state)->table = contingency_of_bytes(host_env(), bytes, size);
}

static uint8_t *write_table(const MetricState *state, size_t *size)
{
    return contingency_bytes(host_env(), ((const TableState *)state)->table, size);
}

const MetricKind table_kind = {sizeof(TableState), merge_tables, read_table, write_table};

/* ---- results ---- */

/* A metric by name: what its final function returns. */
typedef struct TableMetric TableMetric;
typedef Datum (*TableResult)(FunctionCallInfo fcinfo, const TableState *state, const TableMetric *metric);
struct TableMetric {
    const char *name;
    TableResult result;
    const Estimator *options; /* the metric or test, for its name and options; NULL: none */
    bool (*number)(const ConfusionTable *table, double *result);                             /* of number_result: one of these */
    bool (*number_of)(const ConfusionTable *table, const Options *options, double *result);
    ClassScore score;
    const TableTest *test; /* of test_result */
};

static Datum number_result(FunctionCallInfo fcinfo, const TableState *state, const TableMetric *metric)
{
    const ConfusionTable *table = contingency_table(host_env(), state->table);
    const Options *options = metric->options != NULL ? metric_options(&state->metric, metric->options) : NULL;
    double result;

    if (!(metric->number != NULL      ? metric->number(table, &result)
          : metric->number_of != NULL ? metric->number_of(table, options, &result)
                                      : class_score(table, metric->score, options, &result)))
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
                     .options = metric_options(&state->metric, metric->options)};

    if (work.table->cell_count == 0)
        PG_RETURN_NULL();
    return hypothesis_final(fcinfo, metric->options, &work, work.table->total);
}

static const TableMetric table_metrics[] = {
    {"adjusted_rand_index", number_result, .number = class_adjusted_rand},
    {"balanced_accuracy", number_result, .number = class_balanced_accuracy},
    {"cohen_kappa", number_result, .number = class_kappa},
    {"confusion_matrix", matrix_result},
    {"f1_score", number_result, &class_scores, .score = SCORE_F1},
    {"f_beta_score", number_result, &f_beta, .score = SCORE_F_BETA},
    {"matthews_correlation", number_result, .number = class_matthews},
    {"normalized_mutual_information", number_result, &mutual_information, .number_of = class_mutual_information},
    {"precision_score", number_result, &class_scores, .score = SCORE_PRECISION},
    {"recall_score", number_result, &class_scores, .score = SCORE_RECALL},
    {"weighted_kappa", number_result, &weighted_kappa, .number_of = class_weighted_kappa},
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
    *metric = (TableMetric){test->name, test_result, test_estimator(fcinfo, test->name, test->options), .test = test};
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

PG_FUNCTION_INFO_V1(pgfit_contingency_step_bytes);
PGDLLEXPORT Datum pgfit_contingency_step_bytes(PG_FUNCTION_ARGS)
{
    return metric_bytes_step(fcinfo, pgfit_contingency_step);
}

PG_FUNCTION_INFO_V1(pgfit_contingency_final_bytes);
PGDLLEXPORT Datum pgfit_contingency_final_bytes(PG_FUNCTION_ARGS)
{
    return metric_bytes_final(fcinfo, &table_kind, pgfit_contingency_final);
}
