/*
 * hypothesis_aggregates.c - statistical tests as aggregates over numbers. Those of contingency tables are in class_aggregates.c.
 */
#include "pg/metrics/hypothesis.h"
#include "pg/metrics/metric_state.h"
#include "pg/type/composites.h"
#include "pg/type/result_rows.h"
#include "core/hypothesis/ab_test.h"
#include "core/hypothesis/log_rank_test.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* ---- results ---- */

static void add_count(ResultRow *row, double count)
{
    bool null = !(count < 0x1p63); /* a sum of huge weights */

    row_add(row, Int64GetDatum(null ? 0 : (int64)count), null);
}

/* The columns of pgfit.ab_test_result. */
static void add_comparison(ResultRow *row, const HypothesisResult *result)
{
    const VariantComparison *comparison = result->comparison;

    row_add_text(row, result->test);
    row_add_text(row, comparison->control);
    row_add_text(row, comparison->treatment);
    add_count(row, comparison->control_rows);
    add_count(row, comparison->treatment_rows);
    row_add_number(row, comparison->control_mean);
    row_add_number(row, comparison->treatment_mean);
    row_add_number(row, result->estimate);
    row_add_number(row, result->std_error);
    row_add_number(row, result->conf_low);
    row_add_number(row, result->conf_high);
    row_add_number(row, comparison->lift);
    row_add_number(row, comparison->lift_low);
    row_add_number(row, comparison->lift_high);
    row_add_number(row, result->statistic);
    row_add_number(row, result->df);
    row_add_number(row, result->p_value);
    row_add_number(row, comparison->theta);
    row_add_number(row, comparison->variance_reduction);
    row_add_number(row, comparison->sample_ratio_p_value);
}

/* The columns of pgfit.log_rank_result. */
static void add_log_rank(ResultRow *row, const HypothesisResult *result)
{
    const LogRankGroups *groups = result->log_rank;
    int count = (int)groups->count;
    Datum *labels = palloc(4 * sizeof(Datum) * groups->count), *rows = labels + count, *observed = rows + count, *expected = observed + count;

    for (int i = 0; i < count; i++) {
        const SampleGroup *group = groups->groups[i];

        labels[i] = PointerGetDatum(cstring_to_text_with_len(group_label(group), (int)group->length));
        rows[i] = Int64GetDatum((int64)group->count);
        observed[i] = Float8GetDatum(groups->observed[i]);
        expected[i] = Float8GetDatum(groups->expected[i]);
    }
    row_add_text(row, result->test);
    row_add_number(row, result->statistic);
    row_add_number(row, result->df);
    row_add_number(row, result->p_value);
    add_count(row, result->rows);
    row_add(row, PointerGetDatum(construct_array(labels, count, TEXTOID, -1, false, TYPALIGN_INT)), false);
    row_add(row, PointerGetDatum(construct_array(rows, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)), false);
    row_add(row, PointerGetDatum(construct_array(observed, count, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)), false);
    row_add(row, PointerGetDatum(construct_array(expected, count, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)), false);
}

/* The columns of pgfit.test_result. */
static void add_test(ResultRow *row, const HypothesisResult *result)
{
    row_add_text(row, result->test);
    row_add_number(row, result->statistic);
    row_add_number(row, result->df);
    row_add_number(row, result->df_2);
    row_add_number(row, result->p_value);
    row_add_number(row, result->estimate);
    row_add_text(row, result->estimated);
    row_add_number(row, result->std_error);
    row_add_number(row, result->conf_low);
    row_add_number(row, result->conf_high);
    row_add_number(row, result->effect_size);
    row_add_text(row, result->effect);
    row_add_text(row, result->alternative);
    add_count(row, result->rows);
}

Datum hypothesis_datum(FunctionCallInfo fcinfo, const HypothesisResult *result)
{
    ResultRow row = {0};

    if (result->comparison != NULL)
        add_comparison(&row, result);
    else if (result->log_rank != NULL)
        add_log_rank(&row, result);
    else
        add_test(&row, result);
    return composite_result(fcinfo, row.count, row.values, row.nulls, CurrentMemoryContext);
}

/* ---- steps ---- */

typedef struct TestState {
    MetricState metric;
    const HypothesisTest *test; /* NULL: options are not read yet */
    Sample sample;
} TestState;

const Estimator *test_estimator(FunctionCallInfo fcinfo, const char *name, const OptionSpec *const *options)
{
    Estimator *estimator = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Estimator));

    estimator->name = name;
    estimator->options = options;
    return estimator;
}

static MetricSite *test_site(FunctionCallInfo fcinfo)
{
    MetricSite *site = call_site_find(fcinfo);
    const HypothesisTest *test;
    SupportFunction function;
    int values;

    if (likely(site != NULL))
        return site;
    support_function(fcinfo, "_step", &function);
    test = hypothesis_test_find(function.aggregate);
    if (test == NULL)
        fail_support_function(fcinfo);
    values = test->shape == SHAPE_NUMBERS || test->shape == SHAPE_LABELS ? 1 : 2;
    if (test->shape == SHAPE_TIMES || (test->shape == SHAPE_VARIANTS && function.argument_count > 3 && function.arguments[3] == FLOAT8OID))
        values = 3;
    site = metric_site(&function, test_estimator(fcinfo, test->name, test->options), values);
    if (test->shape == SHAPE_TIMES) { /* the groups come after time and event */
        site->predicted = NULL;
        value_reader(fcinfo, 3, &site->predicted);
        if (PG_NARGS() > 5)
            value_reader(fcinfo, 5, &site->stratum);
    }
    site->test = test;
    return site;
}

/* Adds a row without NULLs. */
static void add_row(FunctionCallInfo fcinfo, const MetricSite *site, Sample *sample, MemoryContext context)
{
    SampleShape shape = site->test->shape;
    double x = shape == SHAPE_LABELS ? 0 : shape == SHAPE_VARIANTS ? value_number(site->actual, PG_GETARG_DATUM(1), "outcome") : PG_GETARG_FLOAT8(1);
    SampleLabel label, stratum;
    MemoryContext caller;

    if (site->stratum != NULL)
        stratum.bytes = value_label(site->stratum, PG_GETARG_DATUM(5), &stratum.length, &stratum.key);
    if (shape == SHAPE_LABELS)
        label.bytes = value_label(site->actual, PG_GETARG_DATUM(1), &label.length, &label.key);
    else if (shape == SHAPE_GROUPS || shape == SHAPE_VARIANTS)
        label.bytes = value_label(site->predicted, PG_GETARG_DATUM(2), &label.length, &label.key);
    else if (shape == SHAPE_TIMES)
        label.bytes = value_label(site->predicted, PG_GETARG_DATUM(3), &label.length, &label.key);
    caller = MemoryContextSwitchTo(context);
    if (shape == SHAPE_NUMBERS)
        sample_add(host_env(), sample, x);
    else if (shape == SHAPE_PAIRS)
        sample_add_pair(host_env(), sample, x, PG_GETARG_FLOAT8(2));
    else if (shape == SHAPE_TIMES)
        sample_add_time(host_env(), sample, x, PG_GETARG_BOOL(2), label, site->stratum != NULL ? &stratum : NULL);
    else if (site->values == 3)
        sample_add_grouped_pair(host_env(), sample, x, PG_GETARG_FLOAT8(3), label);
    else
        sample_add_grouped(host_env(), sample, x, label);
    MemoryContextSwitchTo(caller);
}

/* NAME_step(state, x [, options]), (state, outcome, groups [, number] [, options]), (state, x, y [, options]), (state, groups [, options]),
 * (state, time, event, groups [, options [, strata]]) */
PG_FUNCTION_INFO_V1(pgfit_hypothesis_step);
PGDLLEXPORT Datum pgfit_hypothesis_step(PG_FUNCTION_ARGS)
{
    MetricSite *site = test_site(fcinfo);
    TestState *state = metric_state(fcinfo, &test_kind);

    if (unlikely(state->test == NULL) || site->call.options_argument >= 0) {
        metric_options_read(&state->metric, site, fcinfo);
        state->sample.keeps = hypothesis_keeps(site->test, site->call.options);
        state->test = site->test;
    }
    for (int i = 1; i <= site->values; i++)
        if (PG_ARGISNULL(i))
            PG_RETURN_POINTER(state);
    if (site->stratum != NULL && PG_ARGISNULL(5))
        PG_RETURN_POINTER(state);
    add_row(fcinfo, site, &state->sample, state->metric.context);
    PG_RETURN_POINTER(state);
}

static void merge_tests(MetricState *into, const MetricState *from)
{
    TestState *state = (TestState *)into;
    const TestState *other = (const TestState *)from;

    if (state->test != NULL && other->test != NULL && state->test != other->test)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("states of different tests do not merge")));
    sample_merge(host_env(), &state->sample, &other->sample);
    if (other->test != NULL)
        state->test = other->test;
}

/* Writes the place of the test, and the sample. */
static uint8_t *write_test(const MetricState *from, size_t *size)
{
    const TestState *state = (const TestState *)from;
    uint32 place = hypothesis_test_place(state->test);
    uint8_t *sample = sample_bytes(host_env(), &state->sample, size), *bytes = palloc_extended(sizeof place + *size, MCXT_ALLOC_HUGE);

    memcpy(bytes, &place, sizeof place);
    memcpy(bytes + sizeof place, sample, *size);
    *size += sizeof place;
    return bytes;
}

static void read_test(MetricState *into, const uint8_t *bytes, size_t size)
{
    TestState *state = (TestState *)into;
    uint32 place = UINT32_MAX;

    if (size >= sizeof place)
        memcpy(&place, bytes, sizeof place);
    state->test = hypothesis_test_at(place);
    if (state->test == NULL)
        env_fail(host_env(), ERROR_BINARY, NULL, "these bytes are not the state of a test");
    sample_of_bytes(host_env(), &state->sample, bytes + sizeof place, size - sizeof place);
}

const MetricKind test_kind = {sizeof(TestState), merge_tests, read_test, write_test};

/* ---- final functions ---- */

void hypothesis_raise(const HypothesisResult *result)
{
    if (result->failure != NULL)
        env_fail(host_env(), ERROR_DATA, result->failure_hint, "%s", result->failure);
}

/* The work of guarded_fit. */
typedef struct GuardedTest {
    const TestWork *work;
    HypothesisResult result;
    bool frame;
} GuardedTest;

static void run_test(void *argument)
{
    GuardedTest *guarded = argument;
    const TestWork *work = guarded->work;

    if (work->table_test != NULL)
        work->table_test->run(host_env(), work->table, work->options, &guarded->result);
    else
        work->test->run(host_env(), work->sample, work->options, &guarded->result);
    if (!guarded->frame)
        hypothesis_raise(&guarded->result);
}

Datum hypothesis_final(FunctionCallInfo fcinfo, const Estimator *estimator, const TestWork *work, double rows)
{
    GuardedTest guarded = {work, .frame = AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW};

    if (!guarded_fit(fcinfo, estimator, work->options, (uint64_t)rows, run_test, &guarded) || guarded.result.failure != NULL)
        PG_RETURN_NULL();
    return hypothesis_datum(fcinfo, &guarded.result);
}

/* NAME_final(state): a state knows its test */
PG_FUNCTION_INFO_V1(pgfit_hypothesis_final);
PGDLLEXPORT Datum pgfit_hypothesis_final(PG_FUNCTION_ARGS)
{
    const TestState *state;
    const Estimator *estimator;
    double rows = 0;
    TestWork work;

    step_require_aggregate(fcinfo);
    state = PG_ARGISNULL(0) ? NULL : (const TestState *)PG_GETARG_POINTER(0);
    if (state == NULL || state->sample.group_count == 0)
        PG_RETURN_NULL();
    estimator = fcinfo->flinfo->fn_extra;
    if (estimator == NULL)
        fcinfo->flinfo->fn_extra = (void *)(estimator = test_estimator(fcinfo, state->test->name, state->test->options));
    work = (TestWork){state->test, &state->sample, .options = metric_options(&state->metric, estimator)};
    for (uint32_t i = 0; i < state->sample.group_count; i++)
        rows += sample_groups(&state->sample)[i].count;
    return hypothesis_final(fcinfo, estimator, &work, rows);
}
