/*
 * aggregate.h - what the aggregates share: which estimator they fit, the call site of a step, the row it reads, states
 * and results.
 */
#ifndef PGFIT_AGGREGATE_H
#define PGFIT_AGGREGATE_H

#include "pg/features/features.h"
#include "core/estimator/estimator.h"
#include "core/moments/moments_grouped.h"

#define POSITIONAL_MAX 4

/* ---- call_site.c: what a call site keeps in fn_extra, where each row comes with a FmgrInfo of its own ---- */

/*
 * Citus replaces an aggregate on its workers and on the coordinator by one of its own, which calls our functions row by row, each time with a
 * new FmgrInfo: fn_extra is empty then, fn_expr is NULL and fn_mcxt is the row's memory. What a call site has learned is kept with
 * the plan node that runs, and goes with the memory of its query, as fn_extra does.
 */
/* Tells whether another function calls this one in place of the executor. */
static inline bool call_is_relayed(FunctionCallInfo fcinfo)
{
    return fcinfo->flinfo->fn_expr == NULL;
}

/*
 * Finds what an earlier call of the same site left in fn_extra, and puts it there. In a relayed call, fn_mcxt becomes memory that lives as
 * long as the query. Returns NULL at the first call: what the caller then puts into fn_extra it also gives to call_site_keep.
 */
void *call_site_find(FunctionCallInfo fcinfo);
/* Keeps fn_extra for the next calls of this site. */
void call_site_keep(FunctionCallInfo fcinfo);

/*
 * Support functions of many aggregates share one C symbol; NAME_step, NAME_final and so on are told apart by name.
 * The catalog is read, so callers keep what they find in fn_extra. Nothing but speed depends on that.
 */
typedef struct SupportFunction {
    FunctionCallInfo fcinfo;
    char aggregate[NAMEDATALEN]; /* the function's name without its suffix */
    int argument_count;
    Oid arguments[FUNC_MAX_ARGS]; /* as declared */
} SupportFunction;

/* Looks up the function that is called. Fails unless its name ends in suffix ("_step"). */
void support_function(FunctionCallInfo fcinfo, const char *suffix, SupportFunction *function);
/* Fails: a user declared the function over a C symbol of ours with another name or other arguments. */
void fail_support_function(FunctionCallInfo fcinfo) __attribute__((noreturn));
/* Fails unless the function is called by an aggregate. */
void step_require_aggregate(FunctionCallInfo fcinfo);

/* ---- group_arena.c: the states of an aggregate's many groups in a hash table ---- */

/*
 * Moments of one shape (core/moments/moments_grouped.h) in memory of their own. A state is an expanded object (utils/expandeddatum.h): when it
 * leaves the aggregate, for a final function, a combine function or a table, PostgreSQL flattens it to moments like any other.
 */
typedef struct GroupStates GroupStates;
typedef struct TableGroup TableGroup;

/* Does this call work on a group in a hash table? Sets *context to that of the groups' states. */
bool group_states_context(FunctionCallInfo fcinfo, MemoryContext *context);
/*
 * Creates groups of the shape of this state, under `context`; NULL if states of this shape cannot be grouped. *place is
 * set to NULL when the context is reset, so it must outlive the context.
 */
GroupStates *group_states_begin(MemoryContext context, const Model *state, GroupStates **place);
const MomentsShape *group_states_shape(const GroupStates *states);
/* Returns a new group, whose Datum never changes. skipped: rows skipped so far. */
TableGroup *group_new(GroupStates *states, int64_t skipped);
Datum group_datum(TableGroup *group);
/* Returns the group behind a Datum; NULL: it is another value. Does not read the group, which is likely not in the cache. */
TableGroup *group_of(const GroupStates *states, Datum datum);
/*
 * Adds a row, which may be buffered. Until it is added to the group, use only group_of, group_datum and flattening, which
 * adds the buffered rows first.
 */
void group_add(GroupStates *states, TableGroup *group, const double *slots, double target, double weight);
/* Gives up a group, which from now on is this state, copied. */
void group_fail(GroupStates *states, TableGroup *group, const Model *state);
bool group_failed(const GroupStates *states, TableGroup *group);
void group_skip(GroupStates *states, TableGroup *group);

/* ---- fit_aggregate.c: which aggregate ---- */

/* An aggregate by its name: an estimator's, or that of one of the three kinds of moments. */
typedef struct FitAggregate {
    const char *name;
    InputKind kind; /* of its input, unless the options ask for another: CallOptions */
    bool supervised;
    bool identified;            /* the first argument is the row's id */
    const Estimator *estimator; /* NULL: the moments are the result */
} FitAggregate;

/*
 * Looks up the aggregate that a support function NAME<suffix> belongs to: one over rows, or one over moments. Fails if
 * there is none.
 */
FitAggregate fit_aggregate_of_call(const SupportFunction *function, bool over_rows);
/* Returns the estimator of this name. Fails with the names that there are. */
const Estimator *fit_estimator(const char *name);
/* Fails: there is no estimator, or whatever kind says, of this name. fits: none that fits rows or moments. */
void fail_estimator(const char *name, const char *kind, bool fits) __attribute__((noreturn));
/* Returns the aggregate of an estimator. */
FitAggregate fit_aggregate_of(const Estimator *estimator);
/* Returns the tables of its options. */
const OptionSpec *const *fit_aggregate_options(const FitAggregate *fit_aggregate);
/*
 * Counts the positional numbers that the call passes from argument `first` on: all of the estimator's, or none. Fails
 * unless numbers, options and weight are declared with the types that they are read as.
 */
unsigned fit_aggregate_numbers(const FitAggregate *fit_aggregate, const SupportFunction *function, int first);
/* Is the positional number declared bigint? All others are float8. */
bool fit_aggregate_number_is_bigint(const Estimator *estimator, const char *name);
/* Is the first argument a label, of any type? */
bool fit_aggregate_takes_labels(const FitAggregate *fit_aggregate);
/* Returns the argument of a step that holds the features. */
int features_argument(const FitAggregate *fit_aggregate);
/* Fails with ERROR_KIND unless the value is moments that this aggregate takes. */
void moments_require(const Model *value, const FitAggregate *fit_aggregate);

/* ---- call_options.c ---- */

/* Options and positional numbers of a call, parsed at the first row and again only if their bytes change. */
typedef struct CallOptions {
    unsigned number_count; /* positional numbers of this form */
    int first_number;      /* argument of the first; then the others, options, weight */
    int options_argument;  /* -1: this form has none */
    bool from_moments;     /* options that concern rows are refused */
    bool own_alone;        /* of a metric, whose tables lack the common options */
    bool parsed;
    MemoryContext context; /* of everything below */
    char *raw;             /* the options as passed, byte for byte */
    size_t raw_size;       /* 0: NULL */
    const void *address;   /* of the options as passed */
    bool fixed;            /* a constant or a parameter of the query */
    int64_t numbers[POSITIONAL_MAX]; /* as passed, bit for bit; see given */
    bool given[POSITIONAL_MAX];
    Options *options;
    const char *json; /* canonical */
    uint32_t json_length;
    uint64_t hash;
    InputKind kind;        /* rows are kept as this */
    uint32_t tags;         /* numbers that rows end with: special_tags */
    uint32_t further;      /* targets beyond the first of the row that was read last, which it ends with */
    bool keep_rows;        /* moments that keep their rows too */
    bool fourth_moments;   /* moments with fourth moments */
    bool on_failure;       /* option on_failure is "null": a row that fails gives up its group */
    bool leaves_out;       /* option class_weight gives a class the weight 0 */
    SpecialColumn special; /* of the rows */
    uint8_t flags;         /* of the model: what the options say about NULLs, weights, unseen levels */
    uint32_t max_levels;
} CallOptions;

/* Prepares to read the options of a call whose positional numbers begin at argument `first`. */
void call_options_init(CallOptions *call, FunctionCallInfo fcinfo, int first, unsigned numbers, bool from_moments);
/* Reads and parses options and numbers, unless they have the same bytes as in the last call. */
void call_options_read(CallOptions *call, FunctionCallInfo fcinfo, const FitAggregate *fit_aggregate);
/* Returns the options for these moments, whose formula may leave the intercept out. */
const Options *call_options_of_moments(const CallOptions *call, const FitAggregate *fit_aggregate, const Model *moments);
/* Takes parsed options for rows that are kept, with the JSON that their schema keeps. All must live as long. */
void call_options_take(CallOptions *call, Options *options, const char *json, uint32_t length);

/* ---- call_columns.c: the expressions of a call ---- */

/* Lists the columns of the row, and those that target, id and weight are made of. features, weight: their arguments; weight -1: none. */
void call_columns(FunctionCallInfo fcinfo, int features, int weight, CallColumns *columns);
/* Returns the name of a column of a table in the query; NULL if it is not a table's column. */
const char *query_column(const List *tables, int number, AttrNumber column);
/* Raises a WARNING if the features are a column of the same name as a row of the query. */
void call_warn_hidden_row(FunctionCallInfo fcinfo, int features);
/*
 * Raises a WARNING if the weight is a constant, after a formula or where the estimator takes numbers as arguments: the last argument was probably meant as
 * an option. weight: its argument, -1: none. Not for calls that have those numbers.
 */
void call_warn_constant_weight(FunctionCallInfo fcinfo, int weight, const FitAggregate *fit_aggregate);

/* ---- aggregate_state.c: the state before its first row, and merging ---- */

/* The flags of a state that the call decides. */
#define CALL_FLAGS ((uint8_t)(MODEL_FLAGS & ~MODEL_NAMED))

/*
 * Has the state seen no usable row yet? It only counts skipped rows then, and has no features. Those of a formula without terms, which has none
 * either, are marked as named.
 */
static inline bool state_is_blank(const Model *state)
{
    return state->field_count == 0 && !(state->flags & MODEL_NAMED);
}
/* Returns an empty state of these features, with the options of the call. */
Model *state_new(const FitAggregate *fit_aggregate, const CallOptions *call, const SchemaSpec *spec, uint8_t flags);
/* Returns an empty state with the features and options of these moments. */
Model *state_of_moments(const Model *moments);
/* Fails unless the options of a state are those of the call. */
void state_check_options(Model *state, const CallOptions *call);
/* Fails unless both values have the same options. */
void moments_same_options(const Model *a, const Model *b);
/* Fails: the options of the call are not those of the state. */
void fail_options_differ(void) __attribute__((noreturn));
/* Fails if the value is a fitted model, which does not merge. */
void merge_require(const Model *value);
/* Tells whether this is a fitted model whose method merges models, and checks it. */
bool merges_fitted(const Model *model);
/* Merges two models of one method, or fails if one of them is something else. */
Model *merge_fitted(const Model *a, const Model *b);
/* Returns the moments of the rows of both, in a copy or in place of a. */
Model *state_merge(Model *a, const Model *b, bool copy);
/* Fails: more rows than can be counted. */
void fail_rows(void) __attribute__((noreturn));

/* ---- step_row.c: the call site of a step, and the row that it reads ---- */

/* A step's call site, in fn_extra. It saves work from row to row and holds nothing that a result depends on. */
typedef struct StepSite {
    FitAggregate fit_aggregate;
    CallOptions call;
    FeatureReader *features;
    CallColumns columns; /* that are no features */
    ValueReader *target; /* or label */
    ValueReader *id;     /* NULL: rows without ids */
    bool target_is_float8;
    bool several_targets; /* the target is an array of numbers */
    int features_argument;
    int weight_argument; /* -1: this form has none */
    double *slots;
    bool *nulls;
    SiteBuffer slot_buffer, null_buffer;
    double tags[ROW_TAGS_MAX]; /* of the row that was read last */
    uint64_t rows_read; /* in all groups, for pgfit.progress */
    char class_type[64 + 1];
    ClassHint class_hint;
    uintptr_t row_place;     /* address of the last row in its table: see read_ahead */
    GroupStates *groups;     /* of a hash table; NULL: none yet */
    bool told;               /* the NOTICE about features without names was raised */
    bool relayed;            /* rows came by way of another server's query: see call_is_relayed */
    bool groups_refused;     /* the states of this call cannot be such groups */
} StepSite;

/*
 * Returns a new call site of these arguments: state, [target, label or id,] features, ... named: state, target, features, estimator [, options
 * [, weight]]. The caller puts it in fn_extra.
 */
StepSite *step_site_begin(const SupportFunction *function, FitAggregate fit_aggregate, bool named);
/* Returns the call site of NAME_step, or of NAME_rows_step, from fn_extra or new. */
StepSite *step_site(FunctionCallInfo fcinfo, bool over_rows);
/* Returns the flags of a state that the call decides (CALL_FLAGS). */
uint8_t site_flags(const StepSite *site);
/* Returns a state without features. */
Model *state_blank(const StepSite *site);
/* Fails unless options and flags of a state are those of the call. */
void step_check_state(const StepSite *site, Model *state);

/* Returns the weight in an argument; 0 for NULL. Fails with ERROR_DATA if it is negative or not finite. */
double weight_argument(FunctionCallInfo fcinfo, int argument);

/* One row as read: slots and nulls are the site's. */
typedef struct StepRow {
    bool used;
    const char *id; /* if rows have ids: in the reader's buffer or the row's memory */
    uint32_t id_length;
    double target; /* the number, or the class's position in the dictionary */
    double weight;
    double fold; /* if the state has folds */
    const double *ends; /* [end_count] numbers that it ends with in moments: its fold, tags or further targets */
    uint32_t end_count;
    const double *slots;
    const bool *nulls; /* NULL unless the state imputes */
} StepRow;

/*
 * Reads the row of the call for *state; if that is NULL or blank, the row's features make a new state in the current
 * memory context. A row that is not used changes nothing but may leave *state blank.
 */
void step_read(StepSite *site, FunctionCallInfo fcinfo, Model **state, StepRow *row);

/* ---- failed_step.c ---- */

/* Why a row could not be read; hint may be NULL. */
typedef struct StepFailure {
    char *message, *hint;
} StepFailure;

/* Does the same as step_read. Returns false if the row failed because of what is in it, and what was wrong. */
bool step_read_guarded(StepSite *site, FunctionCallInfo fcinfo, Model **state, StepRow *row, StepFailure *failure);
/* Returns the state of moments of a group that failed. */
Model *failed_state(const StepSite *site, const StepFailure *failure);
/* Tells whether a state is that of a group that failed, and how. */
bool state_failure(const Model *state, StepFailure *failure);
/* Fails as the row did: for guarded_fit, which counts the group. */
void raise_step_failure(void *failure);

/* ---- moving_aggregate.c ---- */

/* Tells whether a step is called for a window frame whose first row moves. Fails unless it is called by an aggregate. */
bool frame_moves(FunctionCallInfo fcinfo);
/* The steps of such a frame, over rows and over what merge takes. Their state is an expanded object of type model. */
Datum frame_step(FunctionCallInfo fcinfo);
Datum frame_merge(FunctionCallInfo fcinfo);
/* Tells whether a state is a frame; *summary: the moments of its rows or its merged models, NULL where there are none. */
bool frame_summary(Datum state, const Model **summary);

/* ---- aggregate_result.c ---- */

/*
 * Should the next result of a call site be checked in full? The first ones are. After that only the numbers are, because
 * a full check takes up to a third of the time of many small fits. count: results so far.
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

/* What a final function keeps from group to group. */
typedef struct FinalSite {
    FitAggregate fit_aggregate; /* of moments; name NULL until it is looked up */
    bool told;                  /* the NOTICE about features without names was raised */
    uint32_t checked;           /* results of rows and of merge so far, see result_checked */
    /* the options of the last state, parsed once for many groups; context NULL: none yet */
    MemoryContext context;
    char *json;
    uint32_t length;
    Options *options;
} FinalSite;

/* Returns the call site of a final function, from fn_extra or new. */
FinalSite *final_site(FunctionCallInfo fcinfo);
/* Returns the call site of NAME_final(state) over moments. */
FinalSite *moments_final_site(FunctionCallInfo fcinfo);
/* Returns the result of an aggregate over moments, NULL where there is nothing to fit. frame: the moments are a window frame's. */
Datum moments_result(FunctionCallInfo fcinfo, FinalSite *site, const Model *state, bool frame);
/* Returns moments as they are stored, NULL where they have no rows. checked: see result_checked. */
Datum finished_moments(FunctionCallInfo fcinfo, const Model *state, uint32_t *checked);
/* Raises a NOTICE, once per call site, about a fit over rows of which some columns have no names. */
void final_notice_unnamed(FunctionCallInfo fcinfo, FinalSite *site, const FitAggregate *fit_aggregate, const Model *state);
/* Raises the NOTICE itself unless all features have names. */
void notice_unnamed(const Model *state);

/* ---- guarded_fit.c, group_place.c ---- */

/*
 * Calls run(work) for a final function, in the current memory context, which the caller drops. Returns false where it failed because of the
 * rows and option on_failure says "null"; the failure is then counted for one WARNING per query. Other errors pass.
 * Meanwhile the core's errors name the group, and its warnings are raised once per query. rows: of the group.
 */
bool guarded_fit(FunctionCallInfo fcinfo, const Estimator *estimator, const Options *options, uint64_t rows,
                 void (*run)(void *work), void *work);
/* Counts a group that is NULL because all of its rows were skipped, for the WARNING about groups that failed. */
void guarded_fit_empty(FunctionCallInfo fcinfo, const Estimator *estimator, const Options *options);
/*
 * Returns "the group cut = Ideal (7 rows)", or a window's partition; NULL where the query has no groups. Of a final function; of another, "moments of
 * 7 rows".
 */
char *group_place(FunctionCallInfo fcinfo, uint64_t rows);

/* ---- aggregate_rows.c: aggregates over kept rows that make no model ---- */

/*
 * Returns a result from the rows of a state. Runs in a memory context that is dropped afterwards; what it returns goes to
 * `caller`. Not called without rows: the result is then NULL. positive: the class, of metrics that have one.
 */
typedef Datum (*RowsResult)(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller);

/* Returns the state of a step over rows, new at the first row. */
struct RowsState *rows_state_of(FunctionCallInfo fcinfo);
/* Does the same as step_read for the state's schema. Returns false if option on_failure is set and the row, or one before it, gave up the group. */
bool rows_step_read(StepSite *site, FunctionCallInfo fcinfo, struct RowsState *state, Model **schema, StepRow *row);
/* Keeps the row that was read. contents: what rows of the state have. */
void rows_step_keep(StepSite *site, FunctionCallInfo fcinfo, struct RowsState *state, unsigned contents, const StepRow *row);
/* Copies a schema that a row created or extended out of the row's memory. */
void rows_state_adopt(struct RowsState *state, Model *schema);

/* A metric over kept rows. */
typedef struct RowsMetric {
    const Estimator *metric; /* its name and options alone */
    RowsResult result;
    bool (*positive)(Env *env, Rows *rows, const Options *options, double *positive); /* false: the result is NULL; NULL: none is needed */
    const char *number; /* what messages call its number, such as "the score"; NULL: it takes features */
} RowsMetric;

/* NAME_step(state, target, features [, options [, weight]]); the metric NAME is one of the list, whose end is a NULL. */
Datum rows_metric_step(FunctionCallInfo fcinfo, const RowsMetric *metrics);
/* NAME_final(state) */
Datum rows_metric_final(FunctionCallInfo fcinfo, const RowsMetric *metrics);

#endif
