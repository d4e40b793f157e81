/*
 * step_row.c - the call site of a step, and reading the row of a call: target or label, id, features, weight, fold.
 */
#include "pg/aggregate/aggregate.h"
#include "core/estimator/class_options.h"
#include "pg/progress/progress.h"
#include "pg/server/read_ahead.h"
#include "pg/values/sql_value.h"

#include <math.h>

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "utils/lsyscache.h"

/* ---- the call site ---- */

/* Fails if an argument up to the features is moments or a model, as of calls that fit stored moments. */
static void refuse_stored(FunctionCallInfo fcinfo, const FitAggregate *fit_aggregate, int features)
{
    for (int i = 1; i <= features && fit_aggregate->kind != INPUT_ROWS; i++)
        if (argument_type(fcinfo, i) == model_type_oid())
            env_fail(host_env(), ERROR_KIND,
                     fit_aggregate->estimator ? psprintf("Fit stored moments with pgfit.fit('%s', pgfit.merge(moments)).", fit_aggregate->name)
                                              : "Merge stored moments with pgfit.merge(moments).",
                     "%s takes rows, not moments or models", fit_aggregate->name);
}

/* Fails if a formula stands where the row should, because the row stands where the target or the id should. */
static void refuse_row_first(FunctionCallInfo fcinfo, const FitAggregate *fit_aggregate, int features)
{
    const char *first = fit_aggregate->identified ? "id" : fit_aggregate_takes_labels(fit_aggregate) ? "label" : "target";

    if (features == 2 && argument_type(fcinfo, 2) == UNKNOWNOID && type_is_rowtype(argument_type(fcinfo, 1)))
        env_fail(host_env(), ERROR_PARAMETER,
                 psprintf("Write %s(d.%s, d, 'a + b') FROM t AS d%s.", fit_aggregate->name, first, fit_aggregate->identified ? "" : ", also if the formula names it"),
                 "%s takes the %s before the row", fit_aggregate->name, first);
}

/* Reads the arguments of a call site. features: the argument that holds them; options: where they or the numbers begin. */
static StepSite *site_of_arguments(const SupportFunction *function, FitAggregate fit_aggregate, int features, int options,
                                   unsigned numbers)
{
    FunctionCallInfo fcinfo = function->fcinfo;
    StepSite *site = palloc0(sizeof(StepSite));
    int after = options + (int)numbers;

    refuse_stored(fcinfo, &fit_aggregate, features);
    refuse_row_first(fcinfo, &fit_aggregate, features);
    site->fit_aggregate = fit_aggregate;
    site->features_argument = features;
    call_options_init(&site->call, fcinfo, options, numbers, false);
    site->weight_argument = PG_NARGS() > after + 1 ? after + 1 : -1;
    if (site->fit_aggregate.supervised) {
        value_reader(fcinfo, 1, &site->target);
        if (fit_aggregate_takes_labels(&site->fit_aggregate))
            strlcpy(site->class_type, value_type_name(site->target), sizeof site->class_type);
        else
            site->target_is_float8 = strcmp(value_type_name(site->target), "double precision") == 0;
    }
    if (site->fit_aggregate.identified)
        value_reader(fcinfo, 1, &site->id);
    feature_reader(fcinfo, site->features_argument, &site->features);
    site->columns = (CallColumns){.method = fit_aggregate.name, .supervised = fit_aggregate.supervised};
    call_columns(fcinfo, site->features_argument, site->weight_argument, &site->columns);
    features_leave_out(site->features, &site->columns);
    site->relayed = site->groups_refused = call_is_relayed(fcinfo);
    return site;
}

/* Tells whether the target of the call is an array of numbers and the aggregate takes one, or the estimator that it names. */
static bool takes_several_targets(const StepSite *site, bool named)
{
    const FitAggregate *fit_aggregate = &site->fit_aggregate;

    if (named)
        return estimator_predicts_array(fit_aggregate->estimator) && value_is_numbers(site->target);
    return fit_aggregate->supervised && fit_aggregate->kind == INPUT_MOMENTS && value_is_numbers(site->target) &&
           (fit_aggregate->estimator == NULL || fit_aggregate->estimator->several_targets != NULL);
}

StepSite *step_site_begin(const SupportFunction *function, FitAggregate fit_aggregate, bool named)
{
    MemoryContext caller = MemoryContextSwitchTo(function->fcinfo->flinfo->fn_mcxt);
    int features = named ? 2 : features_argument(&fit_aggregate), options = features + (named ? 2 : 1);
    unsigned numbers = named ? 0 : fit_aggregate_numbers(&fit_aggregate, function, options);
    StepSite *site = site_of_arguments(function, fit_aggregate, features, options, numbers);

    MemoryContextSwitchTo(caller);
    site->several_targets = takes_several_targets(site, named);
    if (!features_are_rows(site->features))
        call_warn_hidden_row(function->fcinfo, site->features_argument);
    if (!named && numbers == 0)
        call_warn_constant_weight(function->fcinfo, site->weight_argument, &site->fit_aggregate);
    return site;
}

StepSite *step_site(FunctionCallInfo fcinfo, bool over_rows)
{
    if (unlikely(call_site_find(fcinfo) == NULL)) {
        SupportFunction function;

        support_function(fcinfo, over_rows ? "_rows_step" : "_step", &function);
        fcinfo->flinfo->fn_extra = step_site_begin(&function, fit_aggregate_of_call(&function, over_rows), false);
        call_site_keep(fcinfo);
    }
    return fcinfo->flinfo->fn_extra;
}

uint8_t site_flags(const StepSite *site)
{
    /* without weights there is nothing to take as counts */
    return site->weight_argument >= 0 ? site->call.flags | MODEL_WEIGHTED
                                      : site->call.flags & (uint8_t)~MODEL_FREQUENCY;
}

Model *state_blank(const StepSite *site)
{
    SchemaSpec spec = {.class_type = site->class_type[0] ? site->class_type : NULL,
                       .id_type = site->id ? value_type_name(site->id) : NULL};

    return state_new(&site->fit_aggregate, &site->call, &spec, site_flags(site));
}

void step_check_state(const StepSite *site, Model *state)
{
    state_check_options(state, &site->call);
    if (unlikely((state->flags & CALL_FLAGS) != site_flags(site)))
        fail_options_differ();
    if (!site->several_targets && state->kind == MODEL_MOMENTS && moments_further_targets(state) > 0)
        env_fail(host_env(), ERROR_CORRUPT, NULL, "the state has %u targets, and the call has one", 1 + moments_further_targets(state));
}

/* ---- a row ---- */

/* Fails for a NULL if option nulls is "error". what: the subject of the message with its verb. */
static void null_found(const StepSite *site, const char *what)
{
    if ((site->call.flags & MODEL_NULL_VALUES) == MODEL_NULL_ERROR)
        env_fail(host_env(), ERROR_DATA,
                 site->fit_aggregate.estimator && site->fit_aggregate.estimator->nulls_are_values
                     ? "Use option \"nulls\": \"skip\" or \"branch\" to skip and count such rows."
                     : "Use option \"nulls\": \"skip\", the default, to skip and count such rows.",
                 "%s null", what);
}

double weight_argument(FunctionCallInfo fcinfo, int argument)
{
    double weight = PG_ARGISNULL(argument) ? 0 : PG_GETARG_FLOAT8(argument);

    if (!(weight >= 0 && isfinite(weight)))
        env_fail(host_env(), ERROR_DATA,
                 "Give a finite weight of at least 0; rows of weight 0 are skipped.",
                 "weight is %g", weight);
    return weight;
}

/* Returns the weight of a row; 0: the row is skipped. */
static double read_weight(const StepSite *site, FunctionCallInfo fcinfo)
{
    if (site->weight_argument < 0)
        return 1;
    if (PG_ARGISNULL(site->weight_argument))
        null_found(site, "weight is");
    return weight_argument(fcinfo, site->weight_argument);
}

/* Reads an array of targets. Returns false if it has a NULL. */
static bool read_targets(StepSite *site, FunctionCallInfo fcinfo, StepRow *row)
{
    uint32_t count;
    const double *targets = value_targets(site->target, PG_GETARG_DATUM(1), &count);

    if (targets == NULL) {
        null_found(site, "a target is");
        return false;
    }
    if (count == 0)
        env_fail(host_env(), ERROR_DATA, "Pass an array of one target or more.", "the target is an empty array");
    row->target = targets[0];
    row->ends = targets + 1;
    row->end_count = site->call.further = count - 1;
    return true;
}

/* Sets the numbers that a row ends with. Fails if it has another number of targets than those before. */
static void set_ends(const StepSite *site, const Model *state, StepRow *row)
{
    bool folded = (state->flags & MODEL_FOLDED) != 0;

    if (unlikely(site->several_targets) && state->kind == MODEL_MOMENTS && moments_further_targets(state) != row->end_count)
        env_fail(host_env(), ERROR_DATA, "Pass as many targets in each row.", "a row has %u target%s, those before it have %u", 1 + row->end_count,
                 row->end_count == 0 ? "" : "s", 1 + moments_further_targets(state));
    if (row->end_count > 0) /* further targets */
        return;
    row->ends = folded ? &row->fold : site->tags;
    row->end_count = folded ? 1 : site->call.tags;
}

static bool read_target(StepSite *site, FunctionCallInfo fcinfo, StepRow *row)
{
    double *target = &row->target;

    *target = 0;
    if (!site->fit_aggregate.supervised)
        return true;
    if (PG_ARGISNULL(1)) {
        null_found(site, site->class_type[0] ? "label is" : "target is");
        return false;
    }
    if (unlikely(site->several_targets))
        return read_targets(site, fcinfo, row);
    if (site->target_is_float8) {
        *target = PG_GETARG_FLOAT8(1);
        if (likely(isfinite(*target)))
            return true;
    }
    if (site->class_type[0] == '\0')
        *target = value_number(site->target, PG_GETARG_DATUM(1), "target");
    return true;
}

/* Is the row of a class that option class_weight gives the weight 0? */
static bool is_left_out(const StepSite *site, FunctionCallInfo fcinfo)
{
    uint32_t length;
    double key;
    const char *text;

    if (!fit_aggregate_takes_labels(&site->fit_aggregate))
        return false;
    text = value_label(site->target, PG_GETARG_DATUM(1), &length, &key);
    return class_left_out(site->call.options, text, length);
}

/* Returns the class's position in the dictionary, which may grow. Fails with ERROR_LIMIT past max_levels classes. */
static double read_class(StepSite *site, FunctionCallInfo fcinfo, Model **state)
{
    uint32_t length;
    uint32_t position;
    double key;
    const char *text = value_label(site->target, PG_GETARG_DATUM(1), &length, &key);
    int found = dictionary_find_class(*state, &site->class_hint, text, length);

    if (found >= 0)
        return found;
    if (dictionary_size(*state, DICTIONARY_CLASSES) >= site->call.max_levels)
        env_fail(host_env(), ERROR_LIMIT,
                 "Raise option \"max_levels\", and check that the label is not different in every row.",
                 "more than %u classes", site->call.max_levels);
    *state = dictionary_add(host_env(), *state, DICTIONARY_CLASSES, 0, text, length, false, key,
                            &position);
    return position;
}

/* Returns the state that the groups of a hash table start from, if a state of this call would start the same; else NULL. */
static Model *group_first(const StepSite *site, FunctionCallInfo fcinfo, const SchemaSpec *spec)
{
    const MomentsShape *shape;
    MemoryContext context;

    if (site->groups == NULL)
        return NULL;
    shape = group_states_shape(site->groups);
    if (shape->state->options_hash != site->call.hash ||
        (shape->state->flags & CALL_FLAGS) != site_flags(site) || !moments_shape_fits(shape, spec) ||
        !group_states_context(fcinfo, &context))
        return NULL;
    return shape->state;
}

/*
 * Fails if features of a row that another function passes on have no names: they had some in the query as it was written, or may have had, and
 * columns must not be matched by position unless the user says what they are.
 */
static void require_names(const Model *state)
{
    uint32_t unnamed = state->field_count - schema_named_fields(state);

    if (unnamed > 0)
        env_fail(host_env(), ERROR_PARAMETER,
                 "Pass pgfit_distributed.whole_row(t), with the columns in a formula, or pgfit_distributed.named_row; or a jsonb object; or name the columns in their order with "
                 "option \"features\".",
                 "%u of %u features arrived without names", unnamed, state->field_count);
}

/* Returns a state with the features of this row. blank: the state before it, NULL: none. */
static Model *state_first(StepSite *site, FunctionCallInfo fcinfo, const Model *blank)
{
    SchemaSpec spec = features_describe(
        site->features, PG_GETARG_DATUM(site->features_argument), site->call.options);
    Model *state;

    spec.class_type = site->class_type[0] ? site->class_type : NULL;
    if (site->id)
        spec.id_type = value_type_name(site->id);
    state = group_first(site, fcinfo, &spec);
    if (state)
        return state;
    state = state_new(&site->fit_aggregate, &site->call, &spec, site_flags(site));
    if (blank)
        state->skipped = blank->skipped;
    if (unlikely(site->relayed) && features_are_rows(site->features))
        require_names(state);
    if (!site->told && features_are_rows(site->features) && AggGetAggref(fcinfo) == NULL &&
        !state_is_blank(state)) { /* a window: its final function is not told the types of the arguments */
        site->told = true;
        notice_unnamed(state);
    }
    return state;
}

/* Reads the row's fold from its fold column, or computes it from the row's content. Returns false if it is NULL. */
static bool read_fold(StepSite *site, FunctionCallInfo fcinfo, const Model *state, StepRow *row)
{
    bool impute = (site->call.flags & MODEL_IMPUTE) != 0;

    if (site->call.special.use == SPECIAL_FOLD)
        return features_fold(site->features, PG_GETARG_DATUM(site->features_argument),
                             &site->call.special, &row->fold);
    row->fold = moments_content_fold(host_env(), state, site->slots, impute ? site->nulls : NULL,
                                     row->target);
    return true;
}

/* Keeps the state of a row that is skipped: its new levels may have moved the state. */
static void keep_levels(Model **state, Model *model)
{
    if (*state && !state_is_blank(*state))
        *state = model;
}

/* If the aggregate reads a table, prefetches its next row. */
static inline void table_read_ahead(StepSite *site, FunctionCallInfo fcinfo)
{
    AggState *aggregate = (AggState *)fcinfo->context;
    TupleTableSlot *slot;

    if (!IsA(aggregate, AggState))
        return;
    slot = aggregate->tmpcontext->ecxt_outertuple;
    if (slot && slot->tts_ops == &TTSOpsBufferHeapTuple && ((HeapTupleTableSlot *)slot)->tuple)
        read_ahead(&site->row_place, (const char *)((HeapTupleTableSlot *)slot)->tuple->t_data);
}

/* Reads the id of a row, its event, or its clusters or place in an order. Returns NULL, or the one that is NULL as the subject of a message. */
static const char *read_special(StepSite *site, FunctionCallInfo fcinfo, StepRow *row)
{
    const SpecialColumn *special = &site->call.special;
    Datum features;

    if (likely(special->use != SPECIAL_ID && special->use != SPECIAL_EVENT && site->call.tags == 0))
        return NULL;
    features = PG_GETARG_DATUM(site->features_argument);
    if (special->use == SPECIAL_ID) {
        row->id = features_id(site->features, features, special, &row->id_length);
        return row->id == NULL ? "id is" : NULL;
    }
    if (special->use == SPECIAL_EVENT) {
        row->id = features_event(site->features, features, special, &row->id_length);
        return row->id == NULL ? "the event, the entry, the stratum or the cluster is" : NULL;
    }
    if (features_tags(site->features, features, special, site->tags))
        return NULL;
    if (special->use != SPECIAL_CLUSTER)
        return "the place in the order is";
    return special->absorbed == 0 ? "the cluster is" : special->absorbed == special->count ? "an absorbed column is" : "an absorbed column or the cluster is";
}

void step_read(StepSite *site, FunctionCallInfo fcinfo, Model **state, StepRow *row)
{
    Model *model = *state;
    const char *what;
    bool impute = (site->call.flags & MODEL_IMPUTE) != 0;

    if (unlikely(site->rows_read++ % PROGRESS_ROWS == 0))
        progress_rows(fcinfo->flinfo->fn_mcxt, site->fit_aggregate.name, site->rows_read);
    table_read_ahead(site, fcinfo);
    *row = (StepRow){.used = false};
    row->weight = read_weight(site, fcinfo);
    if (!read_target(site, fcinfo, row))
        return;
    if (site->id && PG_ARGISNULL(1)) { /* like a target: a row without an id could not be returned */
        null_found(site, "id is");
        return;
    }
    if (PG_ARGISNULL(site->features_argument)) {
        null_found(site, "features are");
        return;
    }
    if (row->weight == 0 || (unlikely(site->call.leaves_out) && is_left_out(site, fcinfo)))
        return;
    if (model == NULL || state_is_blank(model))
        model = state_first(site, fcinfo, model);
    if (state_is_blank(model)) { /* a cast turned the features into NULL */
        null_found(site, "features are");
        return;
    }
    site->slots = site_buffer(fcinfo, &site->slot_buffer, (Size)model->slot_count * sizeof(double));
    site->nulls = site_buffer(fcinfo, &site->null_buffer, model->slot_count);
    if (features_read(site->features, PG_GETARG_DATUM(site->features_argument), &model,
                      site->slots, impute ? site->nulls : NULL, site->call.max_levels) ==
        FEATURES_NULL) {
        null_found(site, "a feature is");
        keep_levels(state, model);
        return;
    }
    if (site->class_type[0] != '\0')
        row->target = read_class(site, fcinfo, &model);
    if (site->id)
        row->id = value_text(site->id, PG_GETARG_DATUM(1), &row->id_length);
    what = read_special(site, fcinfo, row);
    if (unlikely(what != NULL)) {
        null_found(site, what);
        keep_levels(state, model);
        return;
    }
    if (unlikely(model->flags & MODEL_FOLDED) && !read_fold(site, fcinfo, model, row)) {
        null_found(site, "the fold is");
        keep_levels(state, model);
        return;
    }
    set_ends(site, model, row);
    *state = model;
    row->slots = site->slots;
    row->nulls = impute ? site->nulls : NULL;
    row->used = true;
}
