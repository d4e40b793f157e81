/*
 * metric_state.c - metrics with an internal state: call sites, options, and sending a state between processes.
 */
#include "pg/metrics/metric_state.h"
#include "pg/values/sql_value.h"

#include "utils/memutils.h"

MetricSite *metric_site(const SupportFunction *function, const Estimator *metric, int arguments)
{
    FunctionCallInfo fcinfo = function->fcinfo;
    MetricSite *site;
    int after = arguments + 1;

    step_require_aggregate(fcinfo);
    if (PG_NARGS() < after)
        fail_support_function(fcinfo);
    site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(MetricSite));
    site->has_options = metric != NULL;
    site->weight_argument = metric != NULL ? after + 1 : after;
    if (PG_NARGS() <= site->weight_argument)
        site->weight_argument = -1;
    value_reader(fcinfo, 1, &site->actual);
    if (arguments > 1)
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

void *metric_state(FunctionCallInfo fcinfo, size_t size)
{
    MemoryContext context;
    MetricState *state;

    step_require_aggregate(fcinfo);
    if (!PG_ARGISNULL(0))
        return PG_GETARG_POINTER(0);
    AggCheckCallContext(fcinfo, &context);
    state = MemoryContextAllocZero(context, size);
    state->context = context;
    return state;
}

void metric_options_read(MetricState *state, MetricSite *site, FunctionCallInfo fcinfo)
{
    const CallOptions *call = &site->call;

    if (!site->has_options)
        return;
    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    metric_options_merge(state, &(MetricState){.options = {call->hash, (char *)call->json, call->json_length}});
}

const Options *metric_options(const MetricState *state, const Estimator *metric)
{
    const MetricOptions *kept = &state->options;

    return options_parse(host_env(), metric->name, metric->options, kept->json, kept->json ? kept->length : 0, NULL, NULL, 0);
}

void metric_options_merge(MetricState *into, const MetricState *other)
{
    const MetricOptions *options = &other->options;

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

Datum metric_send(const MetricState *state, const void *rest, size_t size)
{
    const MetricOptions *options = &state->options;
    uint32 length = options->json ? options->length + 1 : 0;
    Size total = VARHDRSZ + sizeof(uint64) + sizeof(uint32) + length + size;
    char *out;
    bytea *result;

    if (!AllocSizeIsValid(total))
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("the state of a metric, %zu bytes, is too large for a parallel worker to send", total),
                        errhint("Run the query without parallel workers: SET max_parallel_workers_per_gather = 0.")));
    result = palloc(total);
    SET_VARSIZE(result, total);
    out = VARDATA(result);
    memcpy(out, &options->hash, sizeof(uint64));
    memcpy(out + sizeof(uint64), &length, sizeof(uint32));
    out += sizeof(uint64) + sizeof(uint32);
    if (length > 0)
        memcpy(out, options->json, length);
    memcpy(out + length, rest, size);
    PG_RETURN_BYTEA_P(result);
}

void *metric_receive(FunctionCallInfo fcinfo, size_t state_size, const uint8_t **rest, size_t *size)
{
    bytea *bytes = PG_GETARG_BYTEA_PP(0);
    MetricState *state = palloc0(state_size);
    MetricOptions *options = &state->options;
    const char *in = VARDATA_ANY(bytes);
    size_t have = VARSIZE_ANY_EXHDR(bytes);
    uint32 length = 0;

    step_require_aggregate(fcinfo);
    state->context = CurrentMemoryContext;
    if (have >= sizeof(uint64) + sizeof(uint32))
        memcpy(&length, in + sizeof(uint64), sizeof(uint32));
    if (have < sizeof(uint64) + sizeof(uint32) + (size_t)length)
        env_fail(host_env(), ERROR_BINARY, NULL, "these bytes are not the state of a metric");
    memcpy(&options->hash, in, sizeof(uint64));
    in += sizeof(uint64) + sizeof(uint32);
    if (length > 0) {
        options->json = palloc(length);
        memcpy(options->json, in, length);
        options->json[length - 1] = '\0';
        options->length = length - 1;
    }
    *size = have - sizeof(uint64) - sizeof(uint32) - length;
    *rest = (const uint8_t *)in + length;
    return state;
}
