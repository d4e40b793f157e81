/*
 * aggregate.h - what the aggregates over moments share: the call site of a step and the row it reads.
 */
#ifndef PGFIT_AGGREGATE_H
#define PGFIT_AGGREGATE_H

#include "pg/features/features.h"
#include "pg/aggregate/group_arena.h"
#include "core/estimator/estimator.h"

#define POSITIONAL_MAX 4

/* An aggregate by its name: an estimator, or one of the three kinds of moments themselves. */
typedef struct FitAggregate {
    const char *name;
    InputKind kind; /* of rows, where options do not ask for another: CallOptions */
    bool supervised;
    bool identified; /* the first argument is the row's id */
    const Estimator *estimator; /* NULL: the moments is the result */
} FitAggregate;

/* Looked up in the list of estimators; fails where the name is in neither. */
FitAggregate fit_aggregate_find(const char *name);
/* Its own options beside the common ones; NULL: none. */
const OptionSpec *const *fit_aggregate_options(const FitAggregate *fit_aggregate);

/* Options and positional numbers of a call, parsed once and again where their bytes change. */
typedef struct CallOptions {
    unsigned number_count; /* positional numbers of this form */
    int first_number;      /* argument of the first; then the others, options, weight */
    int options_argument;  /* -1: this form has none */
    bool from_moments;    /* options of the rows themselves are refused */
    bool own_alone;        /* options that every estimator takes are not there */
    bool parsed;
    MemoryContext context; /* of everything below */
    char *raw;             /* the jsonb as it came, byte for byte */
    size_t raw_size;       /* 0: NULL */
    const void *place;     /* where it lay */
    bool fixed;            /* a constant or a parameter of the query */
    int64_t numbers[POSITIONAL_MAX]; /* as they came, bit for bit; see given */
    bool given[POSITIONAL_MAX];
    Options *options;
    const char *json; /* canonical */
    uint32_t json_length;
    uint64_t hash;
    InputKind kind; /* that the rows are gathered as */
    bool keep_rows;    /* and they are kept beside it */
    bool fourth_moments;      /* with fourth moments */
    SpecialColumn special; /* of the rows */
    uint8_t flags; /* of the model: what the options say about NULLs, weights, unseen levels */
    uint32_t max_levels;
} CallOptions;

void call_options_init(CallOptions *call, FunctionCallInfo fcinfo, int first, unsigned numbers,
                       bool from_moments);
void call_options_read(CallOptions *call, FunctionCallInfo fcinfo, const FitAggregate *fit_aggregate);

/* A step's call site, in fn_extra. Nothing in it is needed from row to row: it only saves work. */
typedef struct StepSite {
    FitAggregate fit_aggregate;
    CallOptions call;
    FeatureReader *features;
    ValueReader *target; /* or label */
    ValueReader *id;     /* NULL: rows without ids */
    bool target_is_float8;
    int features_argument;
    int weight_argument; /* -1: this form has none */
    double *slots;
    bool *nulls;
    uint32_t slot_capacity;
    char class_type[64 + 1];
    ClassHint class_hint;
    uintptr_t row_place;     /* of the last row, where it lies in a table: see read_ahead */
    GroupStates *groups;     /* of a hash table; NULL: none yet */
    bool told;               /* about features without names */
    bool groups_refused;     /* the states of this call cannot be such groups */
    uint32_t pending_offset; /* of the last state's pending rows: only a hint where the next one's are */
} StepSite;

/* A new call site for argument 1 a target, label or id and then the features; the caller puts it in fn_extra. */
StepSite *step_site_begin(FunctionCallInfo fcinfo, FitAggregate fit_aggregate, bool with_numbers);
/* The one at hand, or a new one. with_numbers: a form with the estimator's positional numbers. */
StepSite *step_site(FunctionCallInfo fcinfo, const char *name, bool with_numbers);

/* One row as read: slots and nulls are the site's. */
typedef struct StepRow {
    bool used;
    const char *id; /* where rows have ids: in the reader's buffer or the row's memory */
    uint32_t id_length;
    double target; /* the number, or the class's dictionary position */
    double weight;
    double fold; /* where the state has folds */
    const double *slots;
    const bool *nulls; /* NULL unless the state imputes */
} StepRow;

/*
 * Reads the row at hand against *state (NULL or blank: the row makes a new one in the current memory
 * context). A row that is not used changes nothing but may leave *state blank.
 */
void step_read(StepSite *site, FunctionCallInfo fcinfo, Model **state, StepRow *row);

/* A state that has seen no usable row: it counts, and has no features. */
static inline bool state_is_blank(const Model *state)
{
    return state->field_count == 0;
}
Model *state_blank(const StepSite *site);
/* A copy in the current memory context. */
Model *model_copy(const Model *model);
/* Fails: more rows than can be counted. */
void fail_rows(void) __attribute__((noreturn));
/* Fails outside an aggregate. */
void step_require_aggregate(FunctionCallInfo fcinfo);
/* Fails where options or forms of a state are not those of the call. */
void step_check_state(const StepSite *site, Model *state);
/* Fails where the options of a state are not those of the call. */
void state_check_options(Model *state, const CallOptions *call);

/* The call site of a step over stored moments. */
typedef struct MomentsSite {
    FitAggregate fit_aggregate;
    CallOptions call;
} MomentsSite;

MomentsSite *moments_site(FunctionCallInfo fcinfo, const char *name, bool with_numbers);
/* An empty state of the schema of this moments, with the options of the fit. */
Model *moments_start(const MomentsSite *site, const Model *moments);
/* Fails where the options of the state are not those of the call (of the moments, where it is merged). */
void moments_site_check(const MomentsSite *site, Model *state, const Model *moments);
/* Fails with ERROR_KIND unless the value is moments that this aggregate takes. */
void moments_require(const Model *value, const FitAggregate *fit_aggregate);
/*
 * Is the next result of a call site checked in whole before it leaves? The first ones are; behind them the check would
 * take up to a third of the time of many small fits, so that only the numbers are looked at. count: results so far.
 */
#define RESULTS_CHECKED 100
static inline bool result_checked(uint32_t *count)
{
#ifdef PGFIT_SANITIZED /* every one */
    return true;
#else
    return *count < RESULTS_CHECKED && ++*count > 0;
#endif
}
/* The result of an aggregate from its state, in the current memory context; NULL: nothing to fit. */
Model *fit_aggregate_result(const FitAggregate *fit_aggregate, const Model *state, bool frame, void **cache,
                        MemoryContext cache_context);

/* ---- what a result tells ---- */

/* What a final function keeps from group to group. */
typedef struct FinalSite {
    bool told;    /* about features without names */
    uint32_t checked; /* results of rows so far, see result_checked */
    void *result; /* of fit_aggregate_result */
} FinalSite;
FinalSite *final_site(FunctionCallInfo fcinfo);
/* Tells of a fit over rows of which some columns have no names, once a call site. */
void final_notice_unnamed(FunctionCallInfo fcinfo, FinalSite *site, const FitAggregate *fit_aggregate, const Model *state);
/* The NOTICE itself; none where all features have names. */
void notice_unnamed(const Model *state);
/* The argument of a step that holds the features. */
int features_argument(const FitAggregate *fit_aggregate);

/* ---- aggregate_rows.c ---- */

/*
 * A result from the rows of a state, made in a memory context that lives as long as the call. NULL state
 * and no row: not called, the result is NULL.
 */
typedef Datum (*RowsResult)(FunctionCallInfo fcinfo, Rows *rows, const Options *options, MemoryContext caller);
Datum rows_result(FunctionCallInfo fcinfo, const Estimator *estimator, RowsResult result);
/* step(state, target, features [, options [, weight]]) of an estimator that is not in the list. */
Datum rows_unlisted_step(FunctionCallInfo fcinfo, const Estimator *estimator);

/* Step and result of an aggregate that makes no model: the descriptor NAME_rows, the result NAME_result. */
#define ROWS_AGGREGATE(name)                                                                       \
    PG_FUNCTION_INFO_V1(pgfit_##name##_step);                                                      \
    PGDLLEXPORT Datum pgfit_##name##_step(PG_FUNCTION_ARGS)                                        \
    {                                                                                              \
        return rows_unlisted_step(fcinfo, &name##_rows);                                           \
    }                                                                                              \
    PG_FUNCTION_INFO_V1(pgfit_##name##_final);                                                     \
    PGDLLEXPORT Datum pgfit_##name##_final(PG_FUNCTION_ARGS)                                       \
    {                                                                                              \
        return rows_result(fcinfo, &name##_rows, name##_result);                                   \
    }

/* moving_aggregate.c: the same over moving frames */
Datum window_step_rows(FunctionCallInfo fcinfo, const char *name, bool with_numbers);
Datum window_step_moments(FunctionCallInfo fcinfo, const char *name, bool with_numbers);
Datum window_result(FunctionCallInfo fcinfo, const char *name);

#endif
