/*
 * metric_state.h - what metrics with an internal state of their own share: the call site of a step, options, merging, and sending
 * a state between processes.
 */
#ifndef PGFIT_METRIC_STATE_H
#define PGFIT_METRIC_STATE_H

#include "pg/aggregate/aggregate.h"
#include "core/metrics/loss.h"

/* The call site of a step over one to three values per row, options and weight. */
typedef struct MetricSite {
    ValueReader *actual, *predicted, *stratum; /* stratum: of log_rank_test; NULL: there is none */
    FitAggregate fit_aggregate; /* for messages about options */
    CallOptions call;
    int values;          /* the arguments before options and weight */
    int weight_argument; /* -1: none */
    bool has_options;    /* the metric has options, in any form */
    MeanLoss loss;       /* of mean losses */
    const struct HypothesisTest *test; /* of statistical tests */
    const struct MeanMetric *mean;     /* of means */
} MetricSite;

/* Creates the call site of a step in fn_extra. metric: its name and options, NULL: it has none. */
MetricSite *metric_site(const SupportFunction *function, const Estimator *metric, int values);
/* Returns the row's weight; 0: it is skipped. */
double metric_weight(const MetricSite *site, FunctionCallInfo fcinfo);

/* The options of a state, for its result and for comparison with those of later rows. */
typedef struct MetricOptions {
    uint64 hash;
    char *json; /* NULL: the metric has none */
    uint32 length;
} MetricOptions;

/* The beginning of every state. */
typedef struct MetricState {
    const struct MetricKind *kind;
    MemoryContext context; /* of everything in it */
    MetricOptions options;
} MetricState;

/* What is known of a kind of states. */
typedef struct MetricKind {
    size_t size; /* of a state */
    void (*merge)(MetricState *into, const MetricState *other); /* both work in the state's memory context, */
    void (*read)(MetricState *state, const uint8_t *bytes, size_t size); /* into a state that has its options alone */
    uint8_t *(*write)(const MetricState *state, size_t *size);
} MetricKind;

#define METRIC_KINDS 3
extern const MetricKind table_kind, loss_kind, test_kind;
extern const MetricKind *metric_kinds[METRIC_KINDS]; /* all of them, set when the library is loaded */

/* Returns the state in argument 0, or if that is NULL a new one of zeros. Fails outside an aggregate. */
void *metric_state(FunctionCallInfo fcinfo, const MetricKind *kind);
/* Keeps the options of the first row. Fails if those of a later row differ. */
void metric_options_read(MetricState *state, MetricSite *site, FunctionCallInfo fcinfo);
/* Returns the options parsed, in the current memory context. */
const Options *metric_options(const MetricState *state, const Estimator *metric);

extern PGDLLEXPORT Datum pgfit_metric_merge(PG_FUNCTION_ARGS);

/* ---- metric_bytes.c: the same states as values of type bytea, which can be sent as text ---- */

/* Writes a state as a parallel worker sends it, and reads it. */
bytea *metric_state_write(const MetricState *state);
MetricState *metric_state_read(bytea *bytes);
/* Do what a step or a final function does with a state that is a bytea: an expanded object (utils/expandeddatum.h) while the aggregate runs, bytes where it leaves it. */
Datum metric_bytes_step(FunctionCallInfo fcinfo, PGFunction step);
Datum metric_bytes_final(FunctionCallInfo fcinfo, const MetricKind *kind, PGFunction final);

#endif
