/*
 * metric_state.h - what metrics with an internal state of their own share: the call site of a step, options, and sending
 * a state from a parallel worker.
 */
#ifndef PGFIT_METRIC_STATE_H
#define PGFIT_METRIC_STATE_H

#include "pg/aggregate/aggregate.h"
#include "core/metrics/loss.h"

/* The call site of a step over two or three values per row, options and weight. */
typedef struct MetricSite {
    ValueReader *actual, *predicted;
    FitAggregate fit_aggregate; /* for messages about options */
    CallOptions call;
    int weight_argument; /* -1: none */
    bool has_options;    /* the metric has options, in any form */
    MeanLoss loss;       /* of mean losses */
} MetricSite;

/*
 * Creates the call site of a step in fn_extra. metric: its name and options, NULL: it has none. arguments: values before
 * options and weight.
 */
MetricSite *metric_site(const SupportFunction *function, const Estimator *metric, int arguments);
/* Returns the row's weight; 0: it is skipped. */
double metric_weight(const MetricSite *site, FunctionCallInfo fcinfo);
/* Returns the aggregate's memory. Fails outside an aggregate. */
MemoryContext metric_context(FunctionCallInfo fcinfo);

/* The options of a state, for its result and for comparison with those of later rows. */
typedef struct MetricOptions {
    uint64 hash;
    char *json; /* NULL: the metric has none */
    uint32 length;
} MetricOptions;

/* Keeps the options of the first row. Fails if those of a later row differ. */
void metric_options_read(MetricOptions *kept, MetricSite *site, FunctionCallInfo fcinfo, MemoryContext context);
/* Returns the options parsed, in the current memory context. */
const Options *metric_options(const MetricOptions *kept, const Estimator *metric);
/* Keeps the options of either state. Fails if they differ; a state without rows has none. */
void metric_options_merge(MetricOptions *into, const MetricOptions *other, MemoryContext context);

/* Returns a state's options and the bytes of the rest as bytea. */
Datum metric_send(const MetricOptions *options, const void *rest, size_t size);
/* Reads the options into the current memory context. Returns where the rest begins, and its size. */
const char *metric_receive(MetricOptions *options, bytea *bytes, size_t *size);

#endif
