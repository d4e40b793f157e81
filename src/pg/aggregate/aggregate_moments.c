/*
 * aggregate_moments.c - aggregates over moments of constant size: step, merge, result.
 *
 * The state is a value of type model, changed in place and replaced where it grows: the executor
 * copies a new pointer into the aggregate's context and frees the old one. A group's first state is
 * made in the row's context for the same reason. The step of every estimator is the one here.
 */
#include "pg/aggregate/aggregate.h"
#include "core/normal/covariance_shrinkage.h"
#include "pg/backend/read_ahead.h"

#include <math.h>

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/memutils.h"

/* ---- kinds of moments ---- */

FitAggregate fit_aggregate_find(const char *name)
{
    static const InputKind kinds[] = {INPUT_MOMENTS, INPUT_CLASS_MOMENTS,
                                         INPUT_FEATURE_MOMENTS};
    const Estimator *estimator;

    for (size_t i = 0; i < lengthof(kinds); i++)
        if (strcmp(name, input_kind_name(kinds[i])) == 0)
            return (FitAggregate){.name = name,
                               .kind = kinds[i],
                               .supervised = kinds[i] != INPUT_FEATURE_MOMENTS};
    estimator = estimator_find(name);
    if (estimator == NULL)
        env_fail(host_env(), ERROR_INTERNAL, NULL, "no estimator \"%s\"", name);
    return (FitAggregate){.name = estimator->name,
                       .kind = estimator->input,
                       .supervised = estimator->supervised,
                       .identified = estimator->identified,
                       .estimator = estimator};
}

const OptionSpec *const *fit_aggregate_options(const FitAggregate *fit_aggregate)
{
    if (fit_aggregate->estimator)
        return fit_aggregate->estimator->options;
    return fit_aggregate->kind == INPUT_MOMENTS ? moments_options : fourth_moments_options;
}

static bool fit_aggregate_takes(const FitAggregate *fit_aggregate, const Model *value)
{
    InputKind kind = (InputKind)value->kind;

    return kind == fit_aggregate->kind || (fit_aggregate->estimator && estimator_takes(fit_aggregate->estimator, kind));
}

void moments_require(const Model *value, const FitAggregate *fit_aggregate)
{
    InputKind kind = fit_aggregate->kind;
    const char *arguments = kind == INPUT_MOMENTS         ? "target, features"
                            : kind == INPUT_CLASS_MOMENTS ? "label, features"
                                                             : "features";
    const Estimator *estimator = fit_aggregate->estimator;
    char hint[128], kinds[64];

    if (fit_aggregate_takes(fit_aggregate, value))
        return;
    snprintf(hint, sizeof hint, "Gather it with pgfit.%s(%s).", input_kind_name(kind), arguments);
    if (estimator && estimator->other_input != 0)
        snprintf(kinds, sizeof kinds, "%s or %s", input_kind_name(kind), input_kind_name(estimator->other_input));
    else
        snprintf(kinds, sizeof kinds, "%s", input_kind_name(kind));
    if (value->kind == MODEL_FITTED)
        env_fail(host_env(), ERROR_KIND, hint, "%s needs %s, this is a fitted %.32s",
                 fit_aggregate->name, kinds, value->estimator);
    env_fail(host_env(), ERROR_KIND, hint, "%s needs %s, this is %s",
             fit_aggregate->name, kinds, input_kind_name(value->kind));
}

/* The forms of an estimator that have numbers have all of them. */
static unsigned numbers_of(const Estimator *estimator)
{
    unsigned count = 0;

    while (estimator && estimator->positional && estimator->positional[count])
        count++;
    if (count > POSITIONAL_MAX)
        env_fail(host_env(), ERROR_INTERNAL, NULL, "%s has %u numbers", estimator->name, count);
    return count;
}

/* ---- states ---- */

/* What of a state's flags a call decides. */
#define CALL_FLAGS ((uint8_t)(MODEL_FLAGS & ~MODEL_NAMED))

/* Without weights there is nothing to take as counts. */
static uint8_t site_flags(const StepSite *site)
{
    return site->weight_argument >= 0 ? site->call.flags | MODEL_WEIGHTED
                                      : site->call.flags & (uint8_t)~MODEL_FREQUENCY;
}

/* The schema of rows, as a value without arrays. */
static Model *rows_schema_new(const FitAggregate *fit_aggregate, const CallOptions *call,
                              const SchemaSpec *spec, uint8_t flags)
{
    Env *env = host_env();
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, fit_aggregate->name);
    Model *schema;

    schema_add(env, builder, spec);
    builder_options(builder, call->json, call->json_length);
    builder_header(builder)->flags |= flags;
    schema = model_build(builder);
    schema->fingerprint = 0;
    schema->options_hash = call->hash;
    return schema;
}

/* Of a regression, in folds or with its rows. */
static Model *moments_new_special(const SchemaSpec *spec, uint8_t flags, const FoldPlan *folds, bool keep_rows,
                                  const char *json, uint32_t length, uint64_t hash)
{
    if (keep_rows)
        return moments_new_keeping(host_env(), spec, flags, flags & MODEL_FOLDED ? folds : NULL, json, length, hash);
    return moments_new_folded(host_env(), spec, flags, folds, json, length, hash);
}

static Model *moments_new_plain(ModelKind kind, const SchemaSpec *spec, uint8_t flags, bool fourth_moments, const char *json,
                                uint32_t length, uint64_t hash)
{
    return fourth_moments ? moments_new_fourth(host_env(), kind, spec, flags, json, length, hash)
                   : moments_new(host_env(), kind, spec, flags, json, length, hash);
}

static Model *state_new(const FitAggregate *fit_aggregate, const CallOptions *call, const SchemaSpec *spec,
                        uint8_t flags)
{
    if (call->kind == INPUT_ROWS)
        return rows_schema_new(fit_aggregate, call, spec, flags);
    if ((flags & MODEL_FOLDED) || call->keep_rows) {
        FoldPlan folds = flags & MODEL_FOLDED ? fold_plan(call->options) : (FoldPlan){0, 0};

        return moments_new_special(spec, flags, &folds, call->keep_rows, call->json, call->json_length, call->hash);
    }
    return moments_new_plain((ModelKind)call->kind, spec, flags, call->fourth_moments, call->json, call->json_length, call->hash);
}

Model *state_blank(const StepSite *site)
{
    SchemaSpec spec = {.class_type = site->class_type[0] ? site->class_type : NULL,
                       .id_type = site->id ? value_type_name(site->id) : NULL};

    return state_new(&site->fit_aggregate, &site->call, &spec, site_flags(site));
}

/* "" and "{}" are the same options. */
static bool same_options_text(const char *a, uint32_t a_length, const char *b, uint32_t b_length)
{
    if (a_length <= 2 && b_length <= 2)
        return true;
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static void fail_options_differ(void)
{
    env_fail(host_env(), ERROR_PARAMETER,
             "All rows of a group, and all moments that is merged, must have the same options and "
             "numbers.",
             "options differ within one group");
}

void state_check_options(Model *state, const CallOptions *call)
{
    uint32_t length;
    const char *json;

    if (state->options_hash == call->hash)
        return;
    json = model_options(state, &length);
    if (state->options_hash != 0 || !same_options_text(json, length, call->json, call->json_length))
        fail_options_differ();
    state->options_hash = call->hash;
}

/* Stored moments and running states: the hash where both have one, else the text. */
static void moments_same_options(const Model *a, const Model *b)
{
    uint32_t a_length, b_length;
    const char *a_json, *b_json;

    if (a->options_hash != 0 && a->options_hash == b->options_hash)
        return;
    a_json = model_options(a, &a_length);
    b_json = model_options(b, &b_length);
    if (!same_options_text(a_json, a_length, b_json, b_length))
        fail_options_differ();
}

/* The features of a value as a description to begin another with. */
static SchemaSpec spec_of(const Model *model)
{
    uint32_t count = schema_field_count(model);
    const char **names = palloc0(count * sizeof *names);
    FieldKind *kinds = palloc(count * sizeof *kinds);
    uint32_t *widths = palloc(count * sizeof *widths);
    SchemaSpec spec = {.field_count = count,
                       .kinds = kinds,
                       .widths = widths,
                       .named = (model->flags & MODEL_NAMED) != 0};
    SchemaView view;
    uint32_t length;

    schema_view(model, &view);
    for (uint32_t i = 0; i < count; i++) {
        kinds[i] = schema_field_kind(model, i);
        widths[i] = schema_field_width(model, i);
        if (view.field_names) {
            const char *name = model_text(model, view.field_names, i, &length);

            names[i] = pnstrdup(name, length);
            spec.names = names;
        }
    }
    if (view.class_type) {
        const char *name = model_text(model, view.class_type, 0, &length);

        spec.class_type = pnstrdup(name, length);
    }
    if (view.target_name) {
        const char *name = model_text(model, view.target_name, 0, &length);

        spec.target_name = pnstrdup(name, length);
    }
    return spec;
}

static void merge_require(const Model *value)
{
    if (value->kind == MODEL_FITTED)
        env_fail(host_env(), ERROR_KIND,
                 "Moments merges: what pgfit.moments, class_moments and feature_moments return.",
                 "a fitted %.32s does not merge", value->estimator);
}

Model *model_copy(const Model *model)
{
    Model *copy = palloc_extended(model->size, MCXT_ALLOC_HUGE);

    env_copy(host_env(), copy, model, model->size);
    return copy;
}

void fail_rows(void)
{
    env_fail(host_env(), ERROR_RANGE, NULL, "more rows than can be counted");
}

static Model *state_merge(Model *a, const Model *b, bool copy)
{
    Model *result;

    if (a->kind != b->kind)
        env_fail(host_env(), ERROR_KIND, "Only moments of one kind merges.",
                 "%s does not merge with %s", input_kind_name(a->kind), input_kind_name(b->kind));
    if (state_is_blank(b) || state_is_blank(a)) {
        const Model *kept = state_is_blank(b) ? a : b;
        const Model *blank = state_is_blank(b) ? b : a;
        int64_t skipped = blank->skipped;

        if (MODEL_MAX_ROWS - kept->skipped < skipped)
            fail_rows();
        result = kept == a && !copy ? a : model_copy(kept);
        result->skipped += skipped;
    } else {
        result = moments_merge(host_env(), a, b, copy);
    }
    result->fingerprint = 0;
    return result;
}

/* ---- the call site of a step ---- */

/* Is the first argument a label, of any type? */
static bool takes_labels(const FitAggregate *fit_aggregate)
{
    return fit_aggregate->kind == INPUT_CLASS_MOMENTS ||
           (fit_aggregate->kind == INPUT_ROWS && (fit_aggregate->estimator->task == TASK_CLASSIFICATION ||
                                                 fit_aggregate->estimator->task == TASK_CALIBRATION));
}

int features_argument(const FitAggregate *fit_aggregate)
{
    return fit_aggregate->supervised || fit_aggregate->identified ? 2 : 1;
}

StepSite *step_site_begin(FunctionCallInfo fcinfo, FitAggregate fit_aggregate, bool with_numbers)
{
    MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    StepSite *site = palloc0(sizeof(StepSite));
    unsigned numbers = with_numbers ? numbers_of(fit_aggregate.estimator) : 0;
    int after;

    site->fit_aggregate = fit_aggregate;
    site->features_argument = features_argument(&site->fit_aggregate);
    call_options_init(&site->call, fcinfo, site->features_argument + 1, numbers, false);
    after = site->features_argument + 1 + (int)numbers;
    site->weight_argument = PG_NARGS() > after + 1 ? after + 1 : -1;
    if (site->fit_aggregate.supervised) {
        value_reader(fcinfo, 1, &site->target);
        if (takes_labels(&site->fit_aggregate))
            strlcpy(site->class_type, value_type_name(site->target), sizeof site->class_type);
        else
            site->target_is_float8 =
                strcmp(value_type_name(site->target), "double precision") == 0;
    }
    if (site->fit_aggregate.identified)
        value_reader(fcinfo, 1, &site->id);
    feature_reader(fcinfo, site->features_argument, &site->features);
    MemoryContextSwitchTo(caller);
    return site;
}

StepSite *step_site(FunctionCallInfo fcinfo, const char *name, bool with_numbers)
{
    if (unlikely(fcinfo->flinfo->fn_extra == NULL))
        fcinfo->flinfo->fn_extra = step_site_begin(fcinfo, fit_aggregate_find(name), with_numbers);
    return fcinfo->flinfo->fn_extra;
}

static void site_require_slots(StepSite *site, FunctionCallInfo fcinfo, uint32_t count)
{
    MemoryContext caller;

    if (count <= site->slot_capacity)
        return;
    caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    if (site->slots) {
        pfree(site->slots);
        pfree(site->nulls);
    }
    site->slot_capacity = 0;
    site->slots = palloc_extended((Size)count * sizeof(double), MCXT_ALLOC_HUGE);
    site->nulls = palloc_extended((Size)count * sizeof(bool), MCXT_ALLOC_HUGE);
    site->slot_capacity = count;
    MemoryContextSwitchTo(caller);
}

/* ---- a row ---- */

static void null_found(const StepSite *site, const char *what)
{
    if (site->call.flags & MODEL_NULL_ERROR)
        env_fail(host_env(), ERROR_DATA,
                 "With option \"nulls\": \"skip\", the default, such rows are left out and counted.",
                 "%s null", what);
}

/* A usable weight; 0 for a row that does not count. */
static double read_weight(const StepSite *site, FunctionCallInfo fcinfo)
{
    double weight;

    if (site->weight_argument < 0)
        return 1;
    if (PG_ARGISNULL(site->weight_argument)) {
        null_found(site, "weight is");
        return 0;
    }
    weight = PG_GETARG_FLOAT8(site->weight_argument);
    if (!(weight >= 0 && isfinite(weight)))
        env_fail(host_env(), ERROR_DATA,
                 "Weights are finite and not negative; a row of weight 0 is not used.",
                 "weight is %g", weight);
    return weight;
}

static bool read_target(StepSite *site, FunctionCallInfo fcinfo, double *target)
{
    *target = 0;
    if (!site->fit_aggregate.supervised)
        return true;
    if (PG_ARGISNULL(1)) {
        null_found(site, site->class_type[0] ? "label is" : "target is");
        return false;
    }
    if (site->target_is_float8) {
        *target = PG_GETARG_FLOAT8(1);
        if (likely(isfinite(*target)))
            return true;
    }
    if (site->class_type[0] == '\0')
        *target = value_number(site->target, PG_GETARG_DATUM(1), "target");
    return true;
}

/* The class's position in the dictionary, which may grow. */
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
                 "Option \"max_levels\" raises the limit; a label that differs in every row is no class.",
                 "more than %u classes", site->call.max_levels);
    *state = dictionary_add(host_env(), *state, DICTIONARY_CLASSES, 0, text, length, false, key,
                            &position);
    return position;
}

/* The state that groups in a hash table begin with, where a state of this call would begin so too, else NULL. */
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

/* A state with the features that this row shows. */
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
    if (!site->told && features_are_rows(site->features) && AggGetAggref(fcinfo) == NULL &&
        !state_is_blank(state)) { /* a window: its final function is not told the types of the arguments */
        site->told = true;
        notice_unnamed(state);
    }
    return state;
}

/* The fold of the row, as its column or its content says; false: NULL. */
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

/* Of a row that is left out: new levels may have moved the state. */
static void keep_levels(Model **state, Model *model)
{
    if (*state && !state_is_blank(*state))
        *state = model;
}

/* Where the aggregate reads a table, its next row. */
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

void step_read(StepSite *site, FunctionCallInfo fcinfo, Model **state, StepRow *row)
{
    Model *model = *state;
    bool impute = (site->call.flags & MODEL_IMPUTE) != 0;

    table_read_ahead(site, fcinfo);
    *row = (StepRow){.used = false};
    row->weight = read_weight(site, fcinfo);
    if (!read_target(site, fcinfo, &row->target))
        return;
    if (site->id && PG_ARGISNULL(1)) { /* like a target: what has no name cannot be asked for */
        null_found(site, "id is");
        return;
    }
    if (PG_ARGISNULL(site->features_argument)) {
        null_found(site, "features are");
        return;
    }
    if (row->weight == 0)
        return;
    if (model == NULL || state_is_blank(model))
        model = state_first(site, fcinfo, model);
    if (state_is_blank(model)) { /* a cast made NULL of the features */
        null_found(site, "features are");
        return;
    }
    site_require_slots(site, fcinfo, model->slot_count);
    if (features_read(site->features, PG_GETARG_DATUM(site->features_argument), &model,
                      site->slots, impute ? site->nulls : NULL, site->call.max_levels) ==
        FEATURES_NULL) {
        null_found(site, "a feature is");
        keep_levels(state, model);
        return;
    }
    if (takes_labels(&site->fit_aggregate))
        row->target = read_class(site, fcinfo, &model);
    if (site->id)
        row->id = value_text(site->id, PG_GETARG_DATUM(1), &row->id_length);
    if (unlikely(site->call.special.use == SPECIAL_ID)) {
        row->id = features_id(site->features, PG_GETARG_DATUM(site->features_argument),
                              &site->call.special, &row->id_length);
        if (row->id == NULL) {
            null_found(site, "id is");
            keep_levels(state, model);
            return;
        }
    }
    if (unlikely(model->flags & MODEL_FOLDED) && !read_fold(site, fcinfo, model, row)) {
        null_found(site, "the fold is");
        keep_levels(state, model);
        return;
    }
    *state = model;
    row->slots = site->slots;
    row->nulls = impute ? site->nulls : NULL;
    row->used = true;
}

/* ---- steps ---- */

void step_require_aggregate(FunctionCallInfo fcinfo)
{
    if (likely(fcinfo->context && IsA(fcinfo->context, AggState)))
        return;
    if (AggCheckCallContext(fcinfo, NULL) == 0)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("a step function works only inside its aggregate"),
                        errhint("Call the aggregate of the same name without \"_step\".")));
}

void step_check_state(const StepSite *site, Model *state)
{
    state_check_options(state, &site->call);
    if (unlikely((state->flags & CALL_FLAGS) != site_flags(site)))
        fail_options_differ();
}

/*
 * The running state, to be changed in place. It is argument 0 of a transition, so the executor's own
 * copy; that it is moments of this call's kind is checked every row, since users can make aggregates
 * of their own over this function.
 */
static Model *step_state(FunctionCallInfo fcinfo, const FitAggregate *fit_aggregate)
{
    struct varlena *value;
    Model *state;

    if (PG_ARGISNULL(0))
        return NULL;
    value = (struct varlena *)PG_GETARG_POINTER(0);
    if (likely(VARATT_IS_4B_U(value) && (uintptr_t)value % 8 == 0)) {
        state = (Model *)value;
    } else {
        value = PG_DETOAST_DATUM_COPY(PointerGetDatum(value));
        state = (Model *)value;
    }
    if (unlikely(VARSIZE(value) < sizeof(Model) || !moments_plausible(state, VARSIZE(value))))
        state = model_copy(model_from_datum(PointerGetDatum(value)));
    if (fit_aggregate && unlikely(state->kind != (uint8_t)fit_aggregate->kind))
        moments_require(state, fit_aggregate);
    return state;
}

/*
 * With many groups each row's state is somewhere else in memory: asks for its header and for its pending
 * rows, which lie where the last state's did, at once.
 */
static inline void state_prefetch(FunctionCallInfo fcinfo, const StepSite *site)
{
    const char *state = (const char *)DatumGetPointer(PG_GETARG_DATUM(0));

    if (PG_ARGISNULL(0) || site->pending_offset == 0)
        return;
    for (unsigned line = 0; line < 3; line++)
        __builtin_prefetch(state + 64 * line, 1);
    for (unsigned line = 0; line < 4; line++)
        __builtin_prefetch(state + site->pending_offset + 64 * line, 1);
}

/* A row of a group in a hash table; group NULL: its first, behind the rows that `blank` left out (NULL: none). */
static Datum step_group(StepSite *site, TableGroup *group, const Model *blank, const StepRow *row)
{
    if (group == NULL)
        group = group_new(site->groups, blank ? blank->skipped : 0);
    if (likely(row->used))
        group_add(site->groups, group, row->slots, row->target, row->weight);
    else
        group_skip(site->groups, group);
    return group_datum(group);
}

/* With a hash table's first group: may those to come be groups of the shape of its state? */
static void groups_begin(StepSite *site, FunctionCallInfo fcinfo, const Model *state)
{
    MemoryContext context;

    if (site->groups || site->groups_refused || !group_states_context(fcinfo, &context))
        return;
    site->groups = group_states_begin(context, state, &site->groups);
    site->groups_refused = site->groups == NULL;
}

#define LARGE_STATE ((Size)1 << 20) /* smaller ones are the hash table's alone, which work_mem bounds */

/* Bytes of a state without its pending rows, of which every state has few. */
static Size lasting_size(const Model *state)
{
    const ModelEntry *pending = model_find(state, "pending");

    return state->size - (pending ? pending->reserved : 0);
}

/*
 * Of many groups in a hash table each may grow by its classes and levels up to pgfit.fit_mem: what they take together
 * is refused past that and what the table itself may take. state: what `before` became.
 */
static pg_noinline void require_groups_memory(FunctionCallInfo fcinfo, const Model *before, const Model *state)
{
    double megabyte = 1024 * 1024, table = work_mem * 1024.0 * hash_mem_multiplier;
    MemoryContext context;
    double needed;

    if (lasting_size(state) <= lasting_size(before) || !group_states_context(fcinfo, &context))
        return;
    needed = (double)MemoryContextMemAllocated(context, true) - before->size + state->size;
    if (needed > (double)pgfit_fit_mem_bytes() + table)
        env_fail(host_env(), ERROR_LIMIT,
                 "Set pgfit.fit_mem higher, or enable_hashagg off, which takes one group after the other.",
                 "moments of all groups needs %.1f MB, and pgfit.fit_mem allows %.1f MB beside the %.1f MB of a hash table",
                 needed / megabyte, pgfit_fit_mem_bytes() / megabyte, table / megabyte);
}

/* The next state, from the one before it (NULL: none). */
static Datum step_result(FunctionCallInfo fcinfo, const Model *before, Model *state)
{
    if (unlikely(state != before && before && state->size > LARGE_STATE))
        require_groups_memory(fcinfo, before, state);
    return model_datum(state);
}

/* step(state, [target,] features, [numbers, ...] [, options [, weight]]) */
static Datum step_rows(FunctionCallInfo fcinfo, const char *name, bool with_numbers)
{
    StepSite *site;
    Model *state, *before;
    TableGroup *group;
    StepRow row;

    step_require_aggregate(fcinfo);
    site = fcinfo->flinfo->fn_extra;
    if (unlikely(site == NULL))
        site = step_site(fcinfo, name, with_numbers);
    group = site->groups ? group_of(site->groups, PG_GETARG_DATUM(0)) : NULL;
    if (group == NULL)
        state_prefetch(fcinfo, site);
    if (site->call.options_argument >= 0 || site->call.number_count > 0 || !site->call.parsed)
        call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    state = group ? group_states_shape(site->groups)->state : step_state(fcinfo, &site->fit_aggregate);
    if (state) {
        if (unlikely(state->options_hash != site->call.hash ||
                     (state->flags & CALL_FLAGS) != site_flags(site)))
            step_check_state(site, state);
        if (unlikely(state->fingerprint != 0))
            state->fingerprint = 0;
        if (group == NULL)
            site->pending_offset = state->pending_offset;
    }
    before = state;
    step_read(site, fcinfo, &state, &row);
    if (site->groups && state == group_states_shape(site->groups)->state)
        return step_group(site, group, before, &row);
    if (likely(row.used)) {
        if (unlikely(before == NULL))
            groups_begin(site, fcinfo, state);
        state = unlikely(state->flags & MODEL_FOLDED)
                    ? moments_add_fold(host_env(), state, row.slots, row.nulls, row.target, row.weight,
                                       row.fold)
                    : moments_add(host_env(), state, row.slots, row.nulls, row.target, row.weight);
    } else {
        if (state == NULL)
            state = state_blank(site);
        state->skipped++;
    }
    return step_result(fcinfo, before, state);
}

MomentsSite *moments_site(FunctionCallInfo fcinfo, const char *name, bool with_numbers)
{
    MomentsSite *site = fcinfo->flinfo->fn_extra;

    if (likely(site != NULL))
        return site;
    site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(MomentsSite));
    site->fit_aggregate = fit_aggregate_find(name);
    call_options_init(&site->call, fcinfo, 2,
                      with_numbers ? numbers_of(site->fit_aggregate.estimator) : 0, true);
    fcinfo->flinfo->fn_extra = site;
    return site;
}

Model *moments_start(const MomentsSite *site, const Model *moments)
{
    SchemaSpec spec = spec_of(moments);
    const char *json = site->call.json;
    uint32_t length = site->call.json_length;
    uint64_t hash = site->call.hash;

    if (site->fit_aggregate.estimator == NULL) {
        json = model_options(moments, &length);
        hash = 0;
    }
    if ((moments->flags & MODEL_FOLDED) || moments_keeps_rows(moments)) {
        FoldPlan folds = moments_fold_plan(moments);

        return moments_new_special(&spec, moments->flags & CALL_FLAGS, &folds, moments_keeps_rows(moments), json,
                                   length, hash);
    }
    return moments_new_plain((ModelKind)moments->kind, &spec, moments->flags & CALL_FLAGS, moments_has_fourth_moments(moments),
                             json, length, hash);
}

void moments_site_check(const MomentsSite *site, Model *state, const Model *moments)
{
    if (site->fit_aggregate.estimator)
        state_check_options(state, &site->call);
    else
        moments_same_options(state, moments);
}

/* step(state, moments, [numbers, ...] [, options]); moments that is NULL is moments of no rows */
static Datum step_moments(FunctionCallInfo fcinfo, const char *name, bool with_numbers)
{
    MomentsSite *site;
    const Model *moments;
    Model *state, *before;

    step_require_aggregate(fcinfo);
    site = moments_site(fcinfo, name, with_numbers);
    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    state = step_state(fcinfo, &site->fit_aggregate);
    if (PG_ARGISNULL(1)) {
        if (state == NULL)
            PG_RETURN_NULL();
        return model_datum(state);
    }
    moments = PG_GETARG_MODEL(1);
    moments_require(moments, &site->fit_aggregate);
    if (state)
        moments_site_check(site, state, moments);
    if (state == NULL || state_is_blank(state)) {
        Model *first = moments_start(site, moments);

        first->skipped = state ? state->skipped : 0;
        state = first;
    }
    before = state;
    return step_result(fcinfo, before, state_merge(state, moments, false));
}

/*
 * merge(moments, moments): the combine function of every aggregate here, and public. NULL is moments
 * of no rows.
 */
PG_FUNCTION_INFO_V1(pgfit_merge);
Datum pgfit_merge(PG_FUNCTION_ARGS)
{
    bool running = AggCheckCallContext(fcinfo, NULL) != 0;
    Model *a, *before;
    const Model *b;

    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) {
        b = PG_GETARG_MODEL(PG_ARGISNULL(0) ? 1 : 0);
        merge_require(b);
        PG_RETURN_POINTER(b);
    }
    a = running ? step_state(fcinfo, NULL) : (Model *)PG_GETARG_MODEL(0);
    b = PG_GETARG_MODEL(1);
    merge_require(a);
    merge_require(b);
    moments_same_options(a, b);
    before = a;
    a = state_merge(a, b, !running);
    return running ? step_result(fcinfo, before, a) : model_datum(model_require_finite(host_env(), moments_finish(host_env(), a)));
}

/* ---- results ---- */

/* final(state) */
static Datum result_of(FunctionCallInfo fcinfo, const char *name)
{
    FitAggregate fit_aggregate;
    FinalSite *site = final_site(fcinfo);
    const Model *state;
    Model *model;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    fit_aggregate = fit_aggregate_find(name);
    state = PG_GETARG_MODEL(0);
    final_notice_unnamed(fcinfo, site, &fit_aggregate, state);
    model = fit_aggregate_result(&fit_aggregate, state, AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW,
                             &site->result, fcinfo->flinfo->fn_mcxt);
    if (model == NULL)
        PG_RETURN_NULL();
    return model_datum(model);
}

/* ---- entry points, steps and results of each estimator ---- */

#define MOMENTS_ENTRY(symbol, body)                                                                \
    PG_FUNCTION_INFO_V1(symbol);                                                                   \
    Datum symbol(PG_FUNCTION_ARGS)                                                                 \
    {                                                                                              \
        return body;                                                                               \
    }
#define MOMENTS_AGGREGATE(name)                                                                    \
    MOMENTS_ENTRY(pgfit_##name##_step, step_rows(fcinfo, #name, false))                                \
    MOMENTS_ENTRY(pgfit_##name##_moments_step, step_moments(fcinfo, #name, false))                   \
    MOMENTS_ENTRY(pgfit_##name##_final, result_of(fcinfo, #name))                                  \
    MOMENTS_ENTRY(pgfit_##name##_window_step, window_step_rows(fcinfo, #name, false))              \
    MOMENTS_ENTRY(pgfit_##name##_window_moments_step, window_step_moments(fcinfo, #name, false)) \
    MOMENTS_ENTRY(pgfit_##name##_window_final, window_result(fcinfo, #name))
/* with positional numbers */
#define MOMENTS_AGGREGATE_NUMBERS(name)                                                            \
    MOMENTS_ENTRY(pgfit_##name##_number_step, step_rows(fcinfo, #name, true))         \
    MOMENTS_ENTRY(pgfit_##name##_moments_number_step, step_moments(fcinfo, #name, true))         \
    MOMENTS_ENTRY(pgfit_##name##_window_number_step, window_step_rows(fcinfo, #name, true))        \
    MOMENTS_ENTRY(pgfit_##name##_window_moments_number_step,                                      \
                  window_step_moments(fcinfo, #name, true))

#define ESTIMATOR_ROWS(name)
#define ESTIMATOR_MOMENTS(name)                                                                    \
    MOMENTS_AGGREGATE(name)                                                                        \
    MOMENTS_AGGREGATE_NUMBERS(name)
#define ESTIMATOR_CLASS_MOMENTS ESTIMATOR_MOMENTS
#define ESTIMATOR_FEATURE_MOMENTS ESTIMATOR_MOMENTS
#define ESTIMATOR(name, moments) ESTIMATOR_##moments(name)
#include "core/estimators.def"

MOMENTS_AGGREGATE(moments)
MOMENTS_AGGREGATE(class_moments)
MOMENTS_AGGREGATE(feature_moments)
