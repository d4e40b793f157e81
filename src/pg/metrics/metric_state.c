/*
 * metric_state.c - metrics with an internal state: call sites, options, and sending a state between processes.
 */
#include "pg/metrics/metric_state.h"
#include "pg/values/sql_value.h"

#include "utils/memutils.h"

MetricSite *metric_site(const SupportFunction *function, const Estimator *metric, int values)
{
    FunctionCallInfo fcinfo = function->fcinfo;
    MetricSite *site;
    int after = values + 1;

    step_require_aggregate(fcinfo);
    if (PG_NARGS() < after)
        fail_support_function(fcinfo);
    site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(MetricSite));
    site->values = values;
    site->has_options = metric != NULL;
    site->weight_argument = metric != NULL ? after + 1 : after;
    if (PG_NARGS() <= site->weight_argument)
        site->weight_argument = -1;
    value_reader(fcinfo, 1, &site->actual);
    if (values > 1)
        value_reader(fcinfo, 2, &site->predicted);
    if (metric != NULL) {
        site->fit_aggregate = (FitAggregate){.name = metric->name, .kind = INPUT_ROWS, .estimator = metric};
        call_options_init(&site->call, fcinfo, after, 0, false);
        site->call.own_alone = true;
    }
    fcinfo->flinfo->fn_extra = site;
    call_site_keep(fcinfo);
    return site;
}

double metric_weight(const MetricSite *site, FunctionCallInfo fcinfo)
{
    if (site->weight_argument < 0)
        return 1;
    return PG_ARGISNULL(site->weight_argument) ? 0 : PG_GETARG_FLOAT8(site->weight_argument);
}

void *metric_state(FunctionCallInfo fcinfo, const MetricKind *kind)
{
    MetricState *state = PG_ARGISNULL(0) ? NULL : (MetricState *)PG_GETARG_POINTER(0);
    MemoryContext context;

    step_require_aggregate(fcinfo);
    if (likely(state != NULL && state->kind == kind))
        return state;
    if (state != NULL)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("this is the state of another metric")));
    AggCheckCallContext(fcinfo, &context);
    state = MemoryContextAllocZero(context, kind->size);
    state->kind = kind;
    state->context = context;
    return state;
}

/* Keeps the options of either state. Fails if they differ; a state without rows has none. */
static void merge_options(MetricState *into, const MetricOptions *options)
{
    if (options->json == NULL)
        return;
    if (into->options.json == NULL) {
        into->options = *options;
        into->options.json = MemoryContextAlloc(into->context, options->length + 1);
        memcpy(into->options.json, options->json, options->length);
        into->options.json[options->length] = '\0';
    } else if (into->options.hash != options->hash) {
        fail_options_differ();
    }
}

void metric_options_read(MetricState *state, MetricSite *site, FunctionCallInfo fcinfo)
{
    const CallOptions *call = &site->call;

    if (!site->has_options)
        return;
    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    merge_options(state, &(MetricOptions){call->hash, (char *)call->json, call->json_length});
}

const Options *metric_options(const MetricState *state, const Estimator *metric)
{
    const MetricOptions *kept = &state->options;

    return options_parse(host_env(), metric->name, metric->options, kept->json, kept->json ? kept->length : 0, NULL, NULL, 0);
}

/* ---- merging and sending ---- */

/* metric_merge(state, other) */
PG_FUNCTION_INFO_V1(pgfit_metric_merge);
PGDLLEXPORT Datum pgfit_metric_merge(PG_FUNCTION_ARGS)
{
    const MetricState *other = PG_ARGISNULL(1) ? NULL : (const MetricState *)PG_GETARG_POINTER(1);
    MetricState *state;
    MemoryContext caller;

    step_require_aggregate(fcinfo);
    if (other == NULL) {
        fcinfo->isnull = PG_ARGISNULL(0);
        return PG_GETARG_DATUM(0);
    }
    state = metric_state(fcinfo, other->kind);
    merge_options(state, &other->options);
    caller = MemoryContextSwitchTo(state->context);
    state->kind->merge(state, other);
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

const MetricKind *metric_kinds[METRIC_KINDS];

/* The bytes of a state before its options and the rest. */
typedef struct StateHeader {
    uint64 hash;
    uint32 kind;
    uint32 length; /* of the options with the zero at their end; 0: none */
} StateHeader;

bytea *metric_state_write(const MetricState *state)
{
    const MetricOptions *options = &state->options;
    StateHeader header = {options->hash, 0, options->json ? options->length + 1 : 0};
    size_t size;
    const uint8_t *rest = state->kind->write(state, &size);
    Size total = VARHDRSZ + sizeof header + header.length + size;
    bytea *result;

    if (!AllocSizeIsValid(total))
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("the state of a metric, %zu bytes, is too large for a parallel worker to send", total),
                        errhint("Run the query without parallel workers: SET max_parallel_workers_per_gather = 0.")));
    while (metric_kinds[header.kind] != state->kind)
        header.kind++;
    result = palloc(total);
    SET_VARSIZE(result, total);
    memcpy(VARDATA(result), &header, sizeof header);
    if (header.length > 0)
        memcpy(VARDATA(result) + sizeof header, options->json, header.length);
    memcpy(VARDATA(result) + sizeof header + header.length, rest, size);
    return result;
}

MetricState *metric_state_read(bytea *bytes)
{
    const char *in = VARDATA_ANY(bytes);
    size_t size = VARSIZE_ANY_EXHDR(bytes);
    StateHeader header = {.kind = METRIC_KINDS};
    MetricState *state;

    if (size >= sizeof header)
        memcpy(&header, in, sizeof header);
    if (header.kind >= METRIC_KINDS || size - sizeof header < header.length)
        env_fail(host_env(), ERROR_BINARY, NULL, "these bytes are not the state of a metric");
    state = palloc0(metric_kinds[header.kind]->size);
    state->kind = metric_kinds[header.kind];
    state->context = CurrentMemoryContext;
    in += sizeof header;
    if (header.length > 0) {
        state->options = (MetricOptions){header.hash, memcpy(palloc(header.length), in, header.length), header.length - 1};
        state->options.json[header.length - 1] = '\0';
    }
    state->kind->read(state, (const uint8_t *)in + header.length, size - sizeof header - header.length);
    return state;
}

/* metric_send(state) */
PG_FUNCTION_INFO_V1(pgfit_metric_send);
PGDLLEXPORT Datum pgfit_metric_send(PG_FUNCTION_ARGS)
{
    step_require_aggregate(fcinfo);
    PG_RETURN_BYTEA_P(metric_state_write((const MetricState *)PG_GETARG_POINTER(0)));
}

/* metric_receive(bytes, unused) */
PG_FUNCTION_INFO_V1(pgfit_metric_receive);
PGDLLEXPORT Datum pgfit_metric_receive(PG_FUNCTION_ARGS)
{
    step_require_aggregate(fcinfo);
    PG_RETURN_POINTER(metric_state_read(PG_GETARG_BYTEA_PP(0)));
}
