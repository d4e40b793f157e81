/*
 * metric_state.h - what metrics with an internal state of their own share: the call site of a step, options, and sending
 * a state from a parallel worker.
 */
#ifndef PGFIT_METRIC_STATE_H
#define PGFIT_METRIC_STATE_H

#include "pg/aggregate/aggregate.h"
#include "core/metrics/loss.h"
#include "core/metrics/weighted_mean.h"

/* The call site of a step over one to three values per row, options and weight. */
typedef struct MetricSite {
    ValueReader *actual, *predicted;
    FitAggregate fit_aggregate; /* for messages about options */
    CallOptions call;
    int weight_argument; /* -1: none */
    bool has_options;    /* the metric has options, in any form */
    MeanLoss loss;       /* of mean losses */
    const struct HypothesisTest *test; /* of statistical tests */
    int values;                        /* of them: the arguments before options */
} MetricSite;

/*
 * Creates the call site of a step in fn_extra. metric: its name and options, NULL: it has none. arguments: values before
 * options and weight.
 */
MetricSite *metric_site(const SupportFunction *function, const Estimator *metric, int arguments);
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
    MemoryContext context; /* of everything in it */
    MetricOptions options;
} MetricState;

/* Returns the state in argument 0, or if that is NULL a new one of `size` zeros. Fails outside an aggregate. */
void *metric_state(FunctionCallInfo fcinfo, size_t size);
/* Keeps the options of the first row. Fails if those of a later row differ. */
void metric_options_read(MetricState *state, MetricSite *site, FunctionCallInfo fcinfo);
/* Returns the options parsed, in the current memory context. */
const Options *metric_options(const MetricState *state, const Estimator *metric);
/* Keeps the options of either state. Fails if they differ; a state without rows has none. */
void metric_options_merge(MetricState *into, const MetricState *other);

/* Returns a state's options and the bytes of the rest as bytea. */
Datum metric_send(const MetricState *state, const void *rest, size_t size);
/* Reads the state that argument 0 holds as bytea: its options. Sets where the rest begins, and its size. */
void *metric_receive(FunctionCallInfo fcinfo, size_t state_size, const uint8_t **rest, size_t *size);

/* ---- mean_aggregates.c: the float8[] state of metrics that are a mean over the rows, which is changed in place ---- */

/*
 * Returns the sums of a state in place. Fails if the array is not a state, because a user can pass any. Steps and merges change it, so they call
 * step_require_aggregate first: elsewhere it can be a constant of the query.
 */
WeightedMean *mean_state(FunctionCallInfo fcinfo, int argument);
/* Returns the array around a state. */
Datum mean_state_result(const WeightedMean *state);

/* ---- metric_bytes.c: the same states as values of type bytea, which can be sent as text ---- */

/* What is known of a kind of states. The functions are those of the aggregates with an internal state. */
typedef struct MetricKind {
    size_t size; /* of a state */
    PGFunction step, merge, final, receive;
    Datum (*send)(const MetricState *state);
} MetricKind;

/* Do the same with a state that is a bytea: an expanded object (utils/expandeddatum.h) while the aggregate runs, bytes where it leaves it. */
Datum metric_bytes_step(FunctionCallInfo fcinfo, const MetricKind *kind);
Datum metric_bytes_merge(FunctionCallInfo fcinfo, const MetricKind *kind);
Datum metric_bytes_final(FunctionCallInfo fcinfo, const MetricKind *kind);

#endif
