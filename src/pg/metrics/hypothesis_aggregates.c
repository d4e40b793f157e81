/*
 * hypothesis_aggregates.c - statistical tests as aggregates over numbers. Those of contingency tables are in class_aggregates.c.
 */
#include "pg/metrics/hypothesis.h"
#include "pg/metrics/metric_state.h"
#include "pg/type/composites.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

/* ---- results ---- */

#define RESULT_COLUMNS 14

static Datum text_or_null(const char *text, bool *null)
{
    *null = text == NULL;
    return text == NULL ? (Datum)0 : PointerGetDatum(cstring_to_text(text));
}

Datum hypothesis_datum(FunctionCallInfo fcinfo, const HypothesisResult *result)
{
    Datum values[RESULT_COLUMNS];
    bool nulls[RESULT_COLUMNS] = {false};
    const double numbers[RESULT_COLUMNS] = {0, result->statistic, result->df, result->df_2, result->p_value, result->estimate,
                                            0, result->std_error, result->conf_low, result->conf_high, result->effect_size};

    for (int i = 0; i < RESULT_COLUMNS; i++) {
        values[i] = Float8GetDatum(numbers[i]);
        nulls[i] = isnan(numbers[i]);
    }
    values[0] = text_or_null(result->test, &nulls[0]);
    values[6] = text_or_null(result->estimated, &nulls[6]);
    values[11] = text_or_null(result->effect, &nulls[11]);
    values[12] = text_or_null(result->alternative, &nulls[12]);
    values[13] = Int64GetDatum((int64)result->rows);
    return composite_result(fcinfo, RESULT_COLUMNS, values, nulls, CurrentMemoryContext);
}

/* ---- steps ---- */

typedef struct TestState {
    MetricState metric;
    bool begun; /* options are read */
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

    if (likely(site != NULL))
        return site;
    support_function(fcinfo, "_step", &function);
    test = hypothesis_test_find(function.aggregate);
    if (test == NULL)
        fail_support_function(fcinfo);
    site = metric_site(&function, test_estimator(fcinfo, test->name, test->options), test->shape == SHAPE_NUMBERS ? 1 : 2);
    site->test = test;
    return site;
}

/* NAME_step(state, x [, options]), (state, outcome, groups [, options]), (state, x, y [, options]) */
PG_FUNCTION_INFO_V1(pgfit_hypothesis_step);
PGDLLEXPORT Datum pgfit_hypothesis_step(PG_FUNCTION_ARGS)
{
    MetricSite *site = test_site(fcinfo);
    const HypothesisTest *test = site->test;
    TestState *state = metric_state(fcinfo, sizeof(TestState));
    SampleLabel label;
    MemoryContext caller;

    if (unlikely(!state->begun) || site->call.options_argument >= 0) {
        metric_options_read(&state->metric, site, fcinfo);
        state->sample.keeps = hypothesis_keeps(test, site->call.options);
        state->begun = true;
    }
    if (PG_ARGISNULL(1) || (test->shape != SHAPE_NUMBERS && PG_ARGISNULL(2)))
        PG_RETURN_POINTER(state);
    if (test->shape == SHAPE_GROUPS)
        label.bytes = value_label(site->predicted, PG_GETARG_DATUM(2), &label.length, &label.key);
    caller = MemoryContextSwitchTo(state->metric.context);
    if (test->shape == SHAPE_GROUPS)
        sample_add_grouped(host_env(), &state->sample, PG_GETARG_FLOAT8(1), label);
    else if (test->shape == SHAPE_PAIRS)
        sample_add_pair(host_env(), &state->sample, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
    else
        sample_add(host_env(), &state->sample, PG_GETARG_FLOAT8(1));
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(pgfit_hypothesis_merge);
PGDLLEXPORT Datum pgfit_hypothesis_merge(PG_FUNCTION_ARGS)
{
    TestState *state = metric_state(fcinfo, sizeof(TestState));
    const TestState *other = PG_ARGISNULL(1) ? NULL : (const TestState *)PG_GETARG_POINTER(1);
    MemoryContext caller;

    if (other == NULL)
        PG_RETURN_POINTER(state);
    metric_options_merge(&state->metric, &other->metric);
    caller = MemoryContextSwitchTo(state->metric.context);
    sample_merge(host_env(), &state->sample, &other->sample);
    state->begun = true;
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(pgfit_hypothesis_send);
PGDLLEXPORT Datum pgfit_hypothesis_send(PG_FUNCTION_ARGS)
{
    const TestState *state = (const TestState *)PG_GETARG_POINTER(0);
    uint8_t *bytes;
    size_t size;

    step_require_aggregate(fcinfo);
    bytes = sample_bytes(host_env(), &state->sample, &size);
    return metric_send(&state->metric, bytes, size);
}

PG_FUNCTION_INFO_V1(pgfit_hypothesis_receive);
PGDLLEXPORT Datum pgfit_hypothesis_receive(PG_FUNCTION_ARGS)
{
    const uint8_t *rest;
    size_t size;
    TestState *state = metric_receive(fcinfo, sizeof(TestState), &rest, &size);

    sample_of_bytes(host_env(), &state->sample, rest, size);
    state->begun = true;
    PG_RETURN_POINTER(state);
}

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

/* The call site of a final function. */
typedef struct TestFunction {
    const HypothesisTest *test;
    const Estimator *estimator; /* its name and options alone */
} TestFunction;

static const TestFunction *test_function(FunctionCallInfo fcinfo)
{
    TestFunction *final = fcinfo->flinfo->fn_extra;
    SupportFunction function;

    if (likely(final != NULL))
        return final;
    support_function(fcinfo, "_final", &function);
    final = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(TestFunction));
    final->test = hypothesis_test_find(function.aggregate);
    if (final->test == NULL)
        fail_support_function(fcinfo);
    final->estimator = test_estimator(fcinfo, final->test->name, final->test->options);
    fcinfo->flinfo->fn_extra = final;
    return final;
}

/* NAME_final(state) */
PG_FUNCTION_INFO_V1(pgfit_hypothesis_final);
PGDLLEXPORT Datum pgfit_hypothesis_final(PG_FUNCTION_ARGS)
{
    const TestState *state;
    const TestFunction *final;
    double rows = 0;
    TestWork work;

    step_require_aggregate(fcinfo);
    final = test_function(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = (const TestState *)PG_GETARG_POINTER(0);
    if (state->sample.group_count == 0)
        PG_RETURN_NULL();
    work = (TestWork){final->test, &state->sample, .options = metric_options(&state->metric, final->estimator)};
    for (uint32_t i = 0; i < state->sample.group_count; i++)
        rows += sample_groups(&state->sample)[i].count;
    return hypothesis_final(fcinfo, final->estimator, &work, rows);
}
