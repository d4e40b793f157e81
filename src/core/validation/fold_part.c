/*
 * fold_part.c - makes the training part of each fold from the rows of a cross-validation.
 */
#include "core/validation/fold_part.h"

#include "core/estimator/formula_fit.h"
#include "core/linear_equations/linear_options.h"
#include "core/normal/covariance_shrinkage.h"

#include <math.h>
#include <string.h>

struct FoldParts {
    Rows *rows;
    const RowFolds *folds;
    const Estimator *estimator;
    const Options *options;
    InputKind kind;
    bool learns; /* the formula learns terms from the rows of each part */
    bool ids;    /* the fit reads what follows the tags of the rows */
    uint32_t further; /* targets of each row beyond the first, which follow its tag */
    const uint8_t *level_slots; /* [slots] 1: the slot holds a place in the dictionary */
    /* of moments that need no rows: [count + 2] the rows of folds below k, and of folds from k on; NULL: none */
    const Model **before, **from;
};

/* A part that is being filled: its schema or its moments, and where it has the strings of all rows. */
typedef struct Filling {
    Env *env;
    const FoldParts *parts;
    const Model *source;
    Model *state;
    Rows *rows;                    /* NULL: moments */
    int64_t *levels, *classes;     /* places in the state; -1: not there yet */
    double *slots;
    bool *nulls;                   /* NULL: no NULLs are imputed */
    double *further;               /* targets of a row */
} Filling;

/* ---- empty parts ---- */

static int64_t *unknown_places(Env *env, uint32_t count)
{
    int64_t *places = env_array(env, (size_t)count + 1, sizeof *places);

    for (uint32_t i = 0; i < count; i++)
        places[i] = -1;
    return places;
}

static Model *empty_schema(Env *env, const FoldParts *parts, const SchemaSpec *spec, uint8_t flags)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, parts->estimator->name);
    uint32_t length;
    const char *json = options_json(parts->options, &length);
    Model *schema;

    schema_add(env, builder, spec);
    builder_options(builder, json, length);
    builder_header(builder)->flags |= flags;
    schema = model_build(builder);
    schema->fingerprint = 0;
    return schema;
}

static Model *empty_moments(Env *env, const FoldParts *parts, const SchemaSpec *spec, uint8_t flags)
{
    MomentsPlan plan = {.kind = (ModelKind)parts->kind,
                        .flags = flags,
                        .keep_rows = options_keep_rows(parts->options),
                        .fourth_moments = options_fourth_moments(parts->options),
                        .deferred = parts->learns,
                        .diagonal = estimator_is_diagonal(parts->estimator, parts->options),
                        .targets = parts->further,
                        .options_hash = options_hash(parts->options)};

    plan.options = options_json(parts->options, &plan.options_length);
    if (options_folded(parts->options)) {
        plan.flags |= MODEL_FOLDED;
        plan.folds = fold_plan(parts->options);
    }
    return moments_new(env, spec, &plan);
}

static Filling filling_begin(Env *env, const FoldParts *parts)
{
    const Model *source = rows_schema(parts->rows);
    unsigned contents = rows_contents(parts->rows) & (ROWS_TARGET | ROWS_WEIGHT);
    bool impute = (source->flags & MODEL_NULL_VALUES) == MODEL_IMPUTE;
    uint8_t flags = source->flags & (uint8_t)~(MODEL_FOLDED | MODEL_NAMED);
    SchemaSpec spec = schema_spec_of(env, source);
    Filling filling = {.env = env, .parts = parts, .source = source};

    spec.id_type = NULL;
    spec.formula_learns = parts->learns;
    filling.levels = unknown_places(env, dictionary_size(source, DICTIONARY_LEVELS));
    filling.classes = unknown_places(env, dictionary_size(source, DICTIONARY_CLASSES));
    filling.slots = env_array(env, (size_t)source->slot_count + 1, sizeof(double));
    filling.further = env_array(env, (size_t)parts->further + 1, sizeof(double));
    if (parts->kind == INPUT_ROWS) {
        filling.state = empty_schema(env, parts, &spec, flags);
        filling.rows = rows_new(rows_pool_of(parts->rows), filling.state, contents | (impute ? ROWS_MISSING : 0) | (parts->ids ? ROWS_ID : 0));
    } else {
        filling.state = empty_moments(env, parts, &spec, flags);
        if (impute)
            filling.nulls = env_array(env, (size_t)source->slot_count + 1, sizeof(bool));
    }
    return filling;
}

/* ---- rows ---- */

static void set_state(Filling *filling, Model *state)
{
    Model *former = filling->state;

    if (state == former)
        return;
    filling->state = state;
    if (filling->rows != NULL)
        rows_set_schema(filling->rows, state);
    filling->env->release(filling->env, former);
}

/* Returns the place in the part of a string of all rows, which is added if the part does not have it yet. */
static double place_of(Filling *filling, DictionaryKind kind, int64_t *places, double number)
{
    uint32_t from = (uint32_t)number, length, place, field;
    double key;
    const char *text;

    if (places[from] >= 0)
        return (double)places[from];
    text = dictionary_text(filling->source, kind, from, &length);
    key = dictionary_key(filling->source, kind, from);
    field = kind == DICTIONARY_LEVELS ? dictionary_field(filling->source, from) : 0;
    set_state(filling, dictionary_add(filling->env, filling->state, kind, field, text, length, isinf(key), isinf(key) ? 0 : key, &place));
    places[from] = place;
    return place;
}

static void add_row(Filling *filling, const RowsBlock *block, uint32_t i)
{
    uint32_t count = filling->source->slot_count, further = filling->parts->further;
    const double *from = block->slots + (size_t)i * count;
    double target = block->targets != NULL ? block->targets[i] : 0, weight = row_weight(block->weights, i);

    memcpy(filling->slots, from, count * sizeof(double));
    for (uint32_t s = 0; s < count; s++) {
        if (filling->parts->level_slots[s] && !isnan(from[s]))
            filling->slots[s] = place_of(filling, DICTIONARY_LEVELS, filling->levels, from[s]);
        if (filling->nulls != NULL) {
            filling->nulls[s] = isnan(from[s]);
            if (filling->nulls[s])
                filling->slots[s] = 0;
        }
    }
    if (dictionary_size(filling->source, DICTIONARY_CLASSES) > 0)
        target = place_of(filling, DICTIONARY_CLASSES, filling->classes, target);
    if (filling->rows != NULL) {
        rows_append(filling->rows, filling->slots, target, weight, filling->parts->ids ? block->ids[i] + ROW_TAG_SIZE : NULL,
                    filling->parts->ids ? block->id_lengths[i] - ROW_TAG_SIZE : 0);
    } else if (further > 0) {
        memcpy(filling->further, block->ids[i] + ROW_TAG_SIZE, further * sizeof(double));
        set_state(filling, moments_add_tagged(filling->env, filling->state, filling->slots, filling->nulls, target, weight, filling->further, further));
    } else {
        set_state(filling, moments_add(filling->env, filling->state, filling->slots, filling->nulls, target, weight));
    }
}

/* ---- moments, once for all folds ---- */

/* Adds each row to the moments of its fold; states: [count + 1], NULL where a fold has no rows. */
static void fill_moments(Env *env, const FoldParts *parts, Filling *fillings)
{
    RowsReader *reader = rows_reader(env, parts->rows);
    RowsBlock block;
    size_t bytes = 0;

    while (rows_next_block(reader, &block)) {
        for (uint32_t i = 0; i < block.count; i++) {
            Filling *filling = &fillings[parts->folds->fold[block.first + i]];
            size_t size;

            if (filling->state == NULL) {
                *filling = filling_begin(env, parts);
                bytes += filling->state->size;
            }
            size = filling->state->size;
            add_row(filling, &block, i);
            bytes += filling->state->size - size;
        }
        env_require_memory(env, 3 * bytes, "the moments of the folds of cross_validate");
    }
    rows_reader_free(reader);
}

/* Returns the moments of the rows of both; NULL: no rows. */
static const Model *merged(Env *env, const Model *a, const Model *b)
{
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    return moments_merge(env, (Model *)a, b, true);
}

static void prepare_moments(Env *env, FoldParts *parts)
{
    uint32_t count = parts->folds->count;
    Filling *fillings = env_array(env, (size_t)count + 1, sizeof *fillings);

    parts->before = env_array(env, (size_t)count + 2, sizeof *parts->before);
    parts->from = env_array(env, (size_t)count + 2, sizeof *parts->from);
    fill_moments(env, parts, fillings);
    for (uint32_t k = 0; k <= count; k++)
        parts->before[k + 1] = merged(env, parts->before[k], fillings[k].state);
    for (uint32_t k = count + 1; k-- > 1 && !parts->folds->expanding;)
        parts->from[k] = merged(env, fillings[k].state, parts->from[k + 1]);
}

/* ---- parts ---- */

FoldParts *fold_parts(Env *env, Rows *rows, const RowFolds *folds, uint32_t further, const Estimator *estimator, const Options *options)
{
    const Model *schema = rows_schema(rows);
    FoldParts *parts = env_array(env, 1, sizeof *parts);
    uint8_t *level_slots = env_array(env, (size_t)schema->slot_count + 1, 1);

    for (uint32_t s = 0; s < schema->slot_count && schema_has_kinds(schema); s++) {
        FieldKind kind = schema_field_kind(schema, schema_slot_field(schema, s));

        level_slots[s] = kind == FIELD_CATEGORICAL || kind == FIELD_TEXT;
    }
    *parts = (FoldParts){.rows = rows, .folds = folds, .estimator = estimator, .options = options, .level_slots = level_slots, .further = further,
                         .ids = special_column(options).use == SPECIAL_EVENT};
    parts->kind = estimator_input(estimator, options);
    parts->learns = formula_fit_learns(env, &(FitInput){.kind = INPUT_ROWS, .rows = rows});
    if (parts->kind != INPUT_ROWS && !parts->learns)
        prepare_moments(env, parts);
    return parts;
}

uint32_t fold_parts_together(const FoldParts *parts, size_t memory, uint32_t candidates)
{
    size_t size = 0, most;

    if (parts->before == NULL)
        return 1;
    for (uint32_t k = 0; k <= parts->folds->count + 1; k++)
        if (parts->before[k] != NULL && parts->before[k]->size > size)
            size = parts->before[k]->size;
    most = memory / (8 * (size + 1024));
    return most == 0 ? 1 : most < candidates ? (uint32_t)most : candidates;
}

bool fold_parts_serve(const FoldParts *parts, const Options *options)
{
    return parts->before != NULL && estimator_input(parts->estimator, options) == parts->kind &&
           options_keep_rows(options) == options_keep_rows(parts->options) &&
           estimator_is_diagonal(parts->estimator, options) == estimator_is_diagonal(parts->estimator, parts->options) &&
           options_fourth_moments(options) == options_fourth_moments(parts->options) && !options_folded(options) && !options_folded(parts->options);
}

void fold_part_input(Env *env, FoldParts *parts, uint32_t k, FitInput *input)
{
    const RowFolds *folds = parts->folds;
    RowsReader *reader;
    RowsBlock block;
    Filling filling;

    *input = (FitInput){.kind = parts->kind};
    if (parts->before != NULL) {
        input->moments = merged(env, parts->before[k], folds->expanding ? NULL : parts->from[k + 1]);
        return;
    }
    filling = filling_begin(env, parts);
    input->rows = filling.rows;
    reader = rows_reader(env, parts->rows);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint16_t fold = folds->fold[block.first + i];

            if (folds->expanding ? fold < k : fold != k)
                add_row(&filling, &block, i);
        }
    rows_reader_free(reader);
    if (parts->kind != INPUT_ROWS)
        input->moments = filling.state;
}

void fold_part_free(FitInput *input)
{
    if (input->rows != NULL)
        rows_free(input->rows);
    input->rows = NULL;
}
