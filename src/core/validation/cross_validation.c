/*
 * cross_validation.c - fits the training part of each fold and scores the rows that were held out (Stone 1974; Geisser 1975).
 *
 * Candidates share the rows and their folds. Those that are fitted from moments also share the moments of each fold, and each pass
 * over the held-out rows.
 */
#include "core/validation/cross_validation.h"

#include "core/distance/metric.h"
#include "core/estimator/classifier_output.h"
#include "core/formula/formula_model.h"
#include "core/linear_equations/linear_path_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AHEAD_ROWS 256 /* rows that a method scores together, where it can */

struct CrossValidation {
    Rows *rows;
    const Estimator *estimator;
    uint32_t candidates;
    Options *const *options; /* [candidates] */
    MetricPlan plan;
    RowFolds folds;
    uint32_t further;  /* targets of each row beyond the first */
    FoldParts **parts; /* [candidates] equal ones are the same */
    uint32_t together; /* candidates that a step fits: all, or 1 */
    double *values;    /* [candidates x folds x metrics] */
    uint64_t *scored;  /* [candidates x folds] rows */
    uint8_t *slot_kinds; /* [slots] FieldKind of its field */
    uint32_t texts;    /* text fields */
    FitInput training; /* of the fold that runs */
    FoldTally **tallies; /* [together] of the same; NULL: not begun */
};

/* Fits a candidate to a training part. All fits of cross_validate go through here. */
static Model *validation_fit(Env *env, const CrossValidation *validation, uint32_t candidate, const FitInput *input)
{
    Model *model = estimator_fit(env, validation->estimator, input, validation->options[candidate], false);

    if (model == NULL)
        env_fail(env, ERROR_DATA, "Use fewer folds, or leave small groups out.", "%s has too few rows to be fitted", validation->estimator->name);
    if (strcmp(model->estimator, validation->estimator->name) != 0) /* a list of options makes another one */
        env_fail(env, ERROR_PARAMETER, "Validate one number of the list at a time.", "models of %s are not evaluated", model->estimator);
    return model;
}

/* ---- held-out rows as the model reads them ---- */

typedef struct HeldOut {
    Env *env;
    CrossValidation *validation;
    const Model *model, *source;
    const Model *reads;   /* the schema by which rows are read: the model's, or that of the inputs of its formula */
    const FormulaModel *formula; /* NULL: the fields of the model are read from rows */
    const Scoring *scoring;
    void *prepared;
    double *levels;       /* slot of each string of all rows; NaN: not looked up yet */
    const double *impute; /* [slots] means that replace NULLs; NULL: none */
    double *slots;        /* [enough x slots] */
    double *targets, *weights, *offsets; /* [enough] */
    const char **events;  /* [enough] what the rows keep as the id of the fit, or as their further targets */
    uint32_t *event_lengths;
    uint32_t count;
    uint32_t enough;      /* rows that are scored together, at most AHEAD_ROWS */
    const char **texts;
    uint32_t *text_lengths;
    RowJudge judge;
    FoldTally *tally;
} HeldOut;

/* Returns the slot of a level that the model may not have seen. */
static double level_slot(const HeldOut *held, double number)
{
    uint32_t place = (uint32_t)number, length, field = dictionary_field(held->source, place);
    const char *text = dictionary_text(held->source, DICTIONARY_LEVELS, place, &length);
    double key = dictionary_key(held->source, DICTIONARY_LEVELS, place);
    int found = dictionary_find(held->reads, DICTIONARY_LEVELS, field, text, length, isinf(key));
    char name[SCHEMA_NAME_SIZE];

    if (found >= 0)
        return found;
    if (held->reads->flags & MODEL_UNSEEN_ERROR) {
        schema_field_name(held->reads, field, name, sizeof name);
        env_fail(held->env, ERROR_DATA, "Leave out option \"unseen\": \"error\", or use folds that leave each level some rows to learn from.",
                 "level %s%.*s%s of feature \"%s\" was not seen in training", isinf(key) ? "" : "\"", isinf(key) ? 4 : (int)(length < 60 ? length : 60),
                 isinf(key) ? "NULL" : text, isinf(key) ? "" : "\"", name);
    }
    return key != 0 && !isinf(key) && metric_orders_levels(held->reads) ? slot_of_unseen_key(key) : SLOT_UNSEEN;
}

/* Encodes a row as it is read. */
static void encode_inputs(HeldOut *held, const double *from, double *to)
{
    const CrossValidation *validation = held->validation;
    uint32_t count = held->source->slot_count, texts = 0;

    for (uint32_t s = 0; s < count; s++) {
        FieldKind kind = (FieldKind)validation->slot_kinds[s];

        to[s] = from[s];
        if (isnan(from[s])) {
            if (held->impute != NULL)
                to[s] = held->impute[s];
        } else if (kind == FIELD_CATEGORICAL) {
            double *level = &held->levels[(uint32_t)from[s]];

            if (isnan(*level))
                *level = level_slot(held, from[s]);
            to[s] = *level;
        } else if (kind == FIELD_TEXT) {
            held->texts[texts] = dictionary_text(held->source, DICTIONARY_LEVELS, (uint32_t)from[s], &held->text_lengths[texts]);
            to[s] = slot_of_row_text(texts++);
        }
    }
    held->env->row_texts = (TextList){.count = texts, .bytes = held->texts, .lengths = held->text_lengths};
}

/* Encodes a row for the model. Returns the offset of its formula. */
static double encode(HeldOut *held, const double *from, double *to)
{
    bool branch = model_nulls_are_values(held->model->flags);

    if (held->formula == NULL) {
        encode_inputs(held, from, to);
        return 0;
    }
    encode_inputs(held, from, held->formula->row);
    formula_expand(held->formula->terms, held->formula->row, to);
    for (uint32_t s = 0; s < held->model->slot_count; s++)
        if (!isfinite(to[s]) && !(branch && isnan(to[s])))
            env_fail(held->env, ERROR_RANGE, NULL, "a term of the formula exceeds the range of double precision in a row");
    return held->formula->offsets ? formula_offset(held->formula->terms, held->formula->row) : 0;
}

/* Scores the rows that were collected. */
static void score_collected(HeldOut *held)
{
    uint32_t width = held->model->slot_count;
    RowVerdict verdict;

    if (held->count > 1 && held->scoring->ahead != NULL)
        held->scoring->ahead(held->model, held->prepared, held->slots, held->count);
    for (uint32_t i = 0; i < held->count; i++) {
        held->env->poll(held->env);
        if (row_judge_score(held->env, &held->judge, held->slots + (size_t)i * width, held->offsets[i], &verdict)) {
            verdict.event = held->events[i];
            verdict.event_length = held->event_lengths[i];
            fold_tally_add(held->tally, held->targets[i], &verdict, held->weights[i]);
        }
    }
    held->count = 0;
}

static void open_held_out(Env *env, CrossValidation *validation, const Model *model, HeldOut *held)
{
    const Scoring *scoring = validation->estimator->scoring;
    const Model *source = rows_schema(validation->rows);
    uint32_t levels = dictionary_size(source, DICTIONARY_LEVELS), length;
    size_t ignored;

    *held = (HeldOut){.env = env, .validation = validation, .model = model, .source = source, .scoring = scoring};
    if (scoring_prepares(scoring, model))
        held->prepared = scoring->prepare(env, model, &ignored);
    held->levels = env_array(env, (size_t)levels + 1, sizeof(double));
    for (uint32_t l = 0; l < levels; l++)
        held->levels[l] = NAN;
    held->formula = formula_model(env, model);
    held->reads = held->formula != NULL ? held->formula->inputs : model;
    held->impute = (model->flags & MODEL_NULL_VALUES) == MODEL_IMPUTE ? model_f64(held->reads, "impute", &length) : NULL;
    held->enough = scoring->ahead != NULL && validation->texts == 0 ? AHEAD_ROWS : 1; /* texts are those of one row */
    held->slots = env_array(env, held->enough, ((size_t)model->slot_count + 1) * sizeof(double));
    held->offsets = env_array(env, held->enough, sizeof(double));
    held->targets = env_array(env, held->enough, sizeof(double));
    held->weights = env_array(env, held->enough, sizeof(double));
    held->events = env_array(env, held->enough, sizeof *held->events);
    held->event_lengths = env_array(env, held->enough, sizeof *held->event_lengths);
    held->texts = env_array(env, (size_t)validation->texts + 1, sizeof *held->texts);
    held->text_lengths = env_array(env, (size_t)validation->texts + 1, sizeof *held->text_lengths);
    held->judge = row_judge(env, &validation->plan, model, held->prepared);
    held->tally = fold_tally(env, &held->judge, rows_pool_of(validation->rows));
}

/* Encodes a row of a block for the model, and scores the rows so far if there are enough. */
static void collect_row(HeldOut *held, const RowsBlock *block, uint32_t i)
{
    uint32_t from = held->source->slot_count, to = held->model->slot_count;

    held->offsets[held->count] = encode(held, block->slots + (size_t)i * from, held->slots + (size_t)held->count * to);
    held->targets[held->count] = block->targets != NULL ? block->targets[i] : 0;
    held->weights[held->count] = row_weight(block->weights, i);
    if (block->ids != NULL) {
        held->events[held->count] = block->ids[i] + ROW_TAG_SIZE;
        held->event_lengths[held->count] = block->id_lengths[i] - ROW_TAG_SIZE;
    }
    if (++held->count == held->enough)
        score_collected(held);
}

/* Scores all rows of a fold by several models. */
static void score_fold(HeldOut *helds, uint32_t count, uint32_t fold)
{
    CrossValidation *validation = helds->validation;
    RowsReader *reader = rows_reader(helds->env, validation->rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            if (validation->folds.fold[block.first + i] == fold && row_tag_judged(&block, i))
                for (uint32_t h = 0; h < count; h++)
                    collect_row(&helds[h], &block, i);
    for (uint32_t h = 0; h < count; h++)
        score_collected(&helds[h]);
    rows_reader_free(reader);
}

/* ---- folds ---- */

/* Returns how many targets each row has beyond the first. Fails with ERROR_DATA if rows have different numbers of them. */
static uint32_t further_targets(Env *env, Rows *rows)
{
    RowsReader *reader = rows_reader(env, rows);
    uint32_t further = 0;
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            if (block.first == 0 && i == 0)
                further = row_tag_further(&block, i);
            if (row_tag_further(&block, i) != further)
                env_fail(env, ERROR_DATA, "Pass as many targets in each row.", "rows have different numbers of targets: %u and %u", 1 + row_tag_further(&block, i),
                         1 + further);
        }
    rows_reader_free(reader);
    return further;
}

/* Makes the training parts of all candidates; those that are fitted from the same moments share them. */
static void open_parts(Env *env, CrossValidation *validation)
{
    validation->parts = env_array(env, validation->candidates, sizeof *validation->parts);
    for (uint32_t c = 0; c < validation->candidates; c++)
        validation->parts[c] = c > 0 && fold_parts_serve(validation->parts[0], validation->options[c])
                                   ? validation->parts[0]
                                   : fold_parts(env, validation->rows, &validation->folds, validation->further, validation->estimator, validation->options[c]);
    validation->together = fold_parts_together(validation->parts[0], env->memory_limit, validation->candidates);
    validation->tallies = env_array(env, validation->together, sizeof *validation->tallies);
}

CrossValidation *cross_validation_open(Env *env, Rows *rows, const Estimator *estimator, const ValidationOptions *options)
{
    const Model *schema = rows_schema(rows);
    CrossValidation *validation = env_array(env, 1, sizeof *validation);
    bool kinds = schema_has_kinds(schema);
    size_t folds;

    validation->rows = rows;
    validation->estimator = estimator;
    validation->options = options->candidates;
    validation->candidates = options->candidate_count;
    if (estimator->numeric)
        schema_require_numbers(env, schema, estimator->name);
    validation->plan = metric_plan(env, estimator, options->judging, schema);
    validation->plan.special = special_column(options->estimator);
    validation->further = estimator_predicts_array(estimator) ? further_targets(env, rows) : 0;
    validation->folds = row_folds(env, rows, options->judging, validation->plan.classes > 0);
    open_parts(env, validation);
    folds = (size_t)validation->candidates * validation->folds.count;
    validation->values = env_array(env, folds, validation->plan.count * sizeof(double));
    validation->scored = env_array(env, folds, sizeof(uint64_t));
    validation->slot_kinds = env_array(env, (size_t)schema->slot_count + 1, 1);
    for (uint32_t s = 0; s < schema->slot_count; s++) {
        validation->slot_kinds[s] = kinds ? (uint8_t)schema_field_kind(schema, schema_slot_field(schema, s)) : FIELD_NUMERIC;
        validation->texts += validation->slot_kinds[s] == FIELD_TEXT;
    }
    return validation;
}

uint32_t cross_validation_steps(const CrossValidation *validation)
{
    return validation->folds.count * ((validation->candidates + validation->together - 1) / validation->together);
}

void cross_validation_run(Env *env, CrossValidation *validation, uint32_t step)
{
    uint32_t folds = validation->folds.count, k = step % folds, first = step / folds * validation->together;
    uint32_t left = validation->candidates - first, count = left < validation->together ? left : validation->together;
    Env fold = *env; /* of the fits, whose messages say which fold it is */
    HeldOut *helds = env_array(env, count, sizeof *helds);

    fold.context = env_message(env, "while fold %.15g was held out", validation->folds.labels[k]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = first + i;

        if (i == 0 || validation->parts[c] != validation->parts[c - 1])
            fold_part_input(&fold, validation->parts[c], k + 1, &validation->training);
        open_held_out(&fold, validation, validation_fit(&fold, validation, c, &validation->training), &helds[i]);
        validation->tallies[i] = helds[i].tally;
    }
    fold_part_free(&validation->training);
    score_fold(helds, count, k + 1);
    for (uint32_t i = 0; i < count; i++) {
        size_t place = (size_t)(first + i) * folds + k;

        validation->scored[place] = fold_tally_end(helds[i].tally, validation->values + place * validation->plan.count);
        validation->tallies[i] = NULL;
    }
}

/* Visits what a step found out. */
static void cross_validation_pack(Pack *pack, CrossValidation *validation, uint32_t step)
{
    uint32_t folds = validation->folds.count, k = step % folds, first = step / folds * validation->together;

    for (uint32_t c = first; c < first + validation->together && c < validation->candidates; c++) {
        size_t place = (size_t)c * folds + k;

        pack_value(pack, &validation->scored[place], sizeof(uint64_t));
        pack_value(pack, validation->values + place * validation->plan.count, validation->plan.count * sizeof(double));
    }
}

void cross_validation_abandon(CrossValidation *validation)
{
    rows_end_readers(validation->rows);
    fold_part_free(&validation->training);
    for (uint32_t i = 0; i < validation->together; i++) {
        if (validation->tallies[i] != NULL)
            fold_tally_free(validation->tallies[i]);
        validation->tallies[i] = NULL;
    }
}

/* ---- in several processes ---- */

/* What a process has for the steps. */
typedef struct ValidationSteps {
    Env *env;
    Rows *rows;
    char estimator[sizeof((Model){0}.estimator)];
    CrossValidation *validation;
    uint32_t step; /* the last one */
} ValidationSteps;

static void steps_pack(Pack *pack, void *data)
{
    ValidationSteps *steps = data;

    pack_value(pack, steps->estimator, sizeof steps->estimator);
    rows_pack(pack, &steps->rows);
}

static void steps_begin(Env *env, void *data)
{
    ValidationSteps *steps = data;
    const Estimator *estimator = validation_estimator(env, steps->estimator, strlen(steps->estimator));
    ValidationOptions *options = env_array(env, 1, sizeof *options);

    *options = validation_options_of(env, estimator, rows_schema(steps->rows));
    steps->env = env;
    steps->validation = cross_validation_open(env, steps->rows, estimator, options);
}

static void steps_run(void *data, uint32_t task)
{
    ValidationSteps *steps = data;

    cross_validation_run(steps->env, steps->validation, task);
    steps->step = task;
}

static Rows *steps_rows(const void *data)
{
    return ((const ValidationSteps *)data)->rows;
}

static void steps_abandon(void *data)
{
    cross_validation_abandon(((ValidationSteps *)data)->validation);
}

static void steps_pack_result(Pack *pack, void *data)
{
    ValidationSteps *steps = data;

    pack_value(pack, &steps->step, sizeof steps->step);
    cross_validation_pack(pack, steps->validation, steps->step);
}

const SharedKind validation_steps_kind = {.name = "steps of a cross-validation",
                                          .data_size = sizeof(ValidationSteps),
                                          .pack = steps_pack,
                                          .begin = steps_begin,
                                          .run = steps_run,
                                          .has_rows = true,
                                          .rows = steps_rows,
                                          .abandon = steps_abandon,
                                          .pack_result = steps_pack_result};

void cross_validation_all(Env *env, CrossValidation *validation)
{
    ValidationSteps steps = {.env = env, .rows = validation->rows, .validation = validation};
    SharedWork work = {.kind = &validation_steps_kind,
                       .data = &steps,
                       .end = cross_validation_steps(validation),
                       .packs = rows_objects(validation->rows) == NULL,
                       .spare = rows_spare(validation->rows)};

    snprintf(steps.estimator, sizeof steps.estimator, "%s", validation->estimator->name);
    shared_work(env, &work);
}

/* ---- scores ---- */

/* Writes the scores of a candidate by a metric: each fold, and the mean. */
static void write_scores(Env *env, const CrossValidation *validation, uint32_t candidate, uint32_t metric, FoldScore *out)
{
    uint32_t folds = validation->folds.count, undefined = 0;
    FoldScore mean = {.metric = validation->plan.names[metric], .fold = NAN};
    double *values = env_array(env, folds, sizeof(double));

    for (uint32_t k = 0; k < folds; k++) {
        size_t place = (size_t)candidate * folds + k;

        values[k] = validation->values[place * validation->plan.count + metric];
        undefined += isnan(values[k]);
        *out++ = (FoldScore){mean.metric, validation->folds.labels[k], values[k], NAN, validation->scored[place]};
        mean.rows += validation->scored[place];
    }
    mean.value = path_fold_mean(values, folds, &mean.std_error);
    if (undefined > 0)
        env_warn(env, ERROR_DATA, validation->plan.events ? "Use fewer folds, so that each has events with rows that outlast them."
                                                          : "Use fewer folds, or \"stratified\": true so that each fold has rows of every class.",
                 "metric \"%s\" is undefined in %u of %u folds, so it has no mean", mean.metric, undefined, folds);
    *out = mean;
}

FoldScore *cross_validation_scores(Env *env, const CrossValidation *validation, uint32_t *count)
{
    uint32_t each = validation->folds.count + 1, metrics = validation->plan.count;
    FoldScore *scores = env_array(env, (size_t)validation->candidates * metrics, each * sizeof *scores);

    *count = validation->candidates * metrics * each;
    for (uint32_t c = 0; c < validation->candidates; c++)
        for (uint32_t m = 0; m < metrics; m++)
            write_scores(env, validation, c, m, scores + ((size_t)c * metrics + m) * each);
    return scores;
}
