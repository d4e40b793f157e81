/*
 * metric_state.h - what aggregates with an internal state of their own share: the call site of a row of two values,
 * options, and a state's way from a parallel worker.
 */
#ifndef PGFIT_METRIC_STATE_H
#define PGFIT_METRIC_STATE_H

#include "pg/aggregate/aggregate.h"

/* Two values a row, and what may follow: options, weight. */
typedef struct MetricSite {
    ValueReader *actual, *predicted;
    FitAggregate fit_aggregate; /* for messages about options */
    CallOptions call;
    int weight_argument; /* -1: none */
    bool has_options;    /* the metric, in any form */
} MetricSite;

/* metric: its name and options; NULL: it has none. arguments: values before options and weight. */
MetricSite *metric_site(FunctionCallInfo fcinfo, const Estimator *metric, int arguments);
/* The row's weight; 0: it does not count. */
double metric_weight(const MetricSite *site, FunctionCallInfo fcinfo);
/* The aggregate's memory; fails outside one. */
MemoryContext metric_context(FunctionCallInfo fcinfo);

/* Options as a state keeps them, for its result and for the rows that follow. */
typedef struct MetricOptions {
    uint64 hash;
    char *json; /* NULL: the metric has none */
    uint32 length;
} MetricOptions;

/* The first row's are the state's; fails where others differ. */
void metric_options_read(MetricOptions *kept, MetricSite *site, FunctionCallInfo fcinfo, MemoryContext context);
/* Parsed, in the current memory context. */
const Options *metric_options(const MetricOptions *kept, const Estimator *metric);
/* Two states of one query have the same options, unless one has seen no row. */
void metric_options_merge(MetricOptions *into, const MetricOptions *other, MemoryContext context);

/* A state's options and the bytes of the rest as bytea. */
Datum metric_send(const MetricOptions *options, const void *rest, size_t size);
/* Reads the options into the current memory context; gives where the rest begins, and its size. */
const char *metric_receive(MetricOptions *options, bytea *bytes, size_t *size);

#endif
