/*
 * fuzz.h - what the fuzzers share: a fast host, and everything that a server does with a value it has
 * accepted: check, score, inspect, merge, fit, write, read back.
 *
 * A finding is a sanitizer's report, an internal error, a value that our own writers made and our readers
 * refuse, a round trip that changes a bit, or more memory than a small input can be worth.
 */
#ifndef PGFIT_FUZZ_H
#define PGFIT_FUZZ_H

#include "core/inspection/outputs.h"
#include "core/prepare/pipeline.h"
#include "core/estimator/estimator.h"
#include "core/inspection/model_info.h"
#include "core/inspection/model_tables.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/estimator/classifier_output.h"
#include "core/glm/glm_step.h"
#include "core/logistic/logistic_step.h"
#include "core/mixture/mixture_step.h"
#include "core/svm/svm_step.h"
#include "core/distance/metric.h"
#include "core/drift/feature_drift.h"
#include "core/exchange/exchange.h"
#include "core/explain/accumulated.h"
#include "core/explain/dependence.h"
#include "core/explain/importance.h"
#include "core/picture/model_report.h"
#include "core/picture/picture.h"
#include "core/plot/ellipses.h"
#include "core/plot/voronoi.h"
#include "core/prepare/row_sampler.h"
#include "../core/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARENA_BYTES ((size_t)256 << 20)
#define ARENA_GAP 32 /* poisoned bytes around a block; the block's size stands in those before it */
#define FUZZ_ROWS 3

#if defined(__SANITIZE_ADDRESS__)
#define FUZZ_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_POISONS 1
#endif
#endif

#ifdef FUZZ_POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

static char fuzz_about[256]; /* what is tried, for findings */
#ifndef FUZZ_STOP
#define FUZZ_STOP() abort() /* on a finding */
#endif

#define FUZZ_ASSERT(condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s", fuzz_about);                                                     \
            fprintf(stderr, "finding: " __VA_ARGS__);                                              \
            fprintf(stderr, "\n");                                                                 \
            FUZZ_STOP();                                                                           \
        }                                                                                          \
    } while (0)

/* ---- the host: one arena, poisoned between its blocks, forgotten as a whole ---- */

static Host *fuzz_host;
static uint8_t *fuzz_arena;
static size_t fuzz_used;

static void *fuzz_alloc(Env *env, size_t size)
{
    size_t room;
    uint8_t *block;

    (void)env;
    FUZZ_ASSERT(size <= ARENA_BYTES, "a block of %zu bytes", size);
    room = ((size + 15) & ~(size_t)15) + ARENA_GAP;
    FUZZ_ASSERT(room <= ARENA_BYTES - fuzz_used, "more than %zu bytes of memory", ARENA_BYTES);
    block = fuzz_arena + fuzz_used;
    fuzz_used += room;
    ASAN_UNPOISON_MEMORY_REGION(block - 16, 16);
    memcpy(block - 16, &size, sizeof size);
    ASAN_POISON_MEMORY_REGION(block - 16, 16);
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    memset(block, 0xA5, size < 1024 ? size : 1024);
    return block;
}

static void *fuzz_resize(Env *env, void *data, size_t size)
{
    void *moved = fuzz_alloc(env, size);
    size_t old;

    if (data == NULL)
        return moved;
    ASAN_UNPOISON_MEMORY_REGION((uint8_t *)data - 16, 16);
    memcpy(&old, (uint8_t *)data - 16, sizeof old);
    memcpy(moved, data, old < size ? old : size);
    ASAN_POISON_MEMORY_REGION((uint8_t *)data - 16, 16 + old);
    return moved;
}

static void fuzz_release(Env *env, void *data)
{
    size_t size;

    (void)env;
    if (data == NULL)
        return;
    ASAN_UNPOISON_MEMORY_REGION((uint8_t *)data - 16, 16);
    memcpy(&size, (uint8_t *)data - 16, sizeof size);
    ASAN_POISON_MEMORY_REGION((uint8_t *)data - 16, 16 + size);
}

static uint32_t fuzz_values;

static void fuzz_set_values(PairFunction *function, const TextList *values)
{
    (void)function;
    fuzz_values = values->count;
}

/* A function of the host that is a metric: the difference of numbers of values; NULL and negative far away. */
static uint32_t fuzz_distances(PairFunction *function, double a, const double *others, uint32_t count, double *out)
{
    (void)function;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = others[i] < fuzz_values ? fabs(others[i] - a) : NAN;
        if (out[i] > 40)
            return i;
    }
    return count;
}

static PairFunction *fuzz_pair_function(Env *env, const char *signature, bool stored)
{
    static PairFunction function = {"fuzz.apart(text,text)", fuzz_set_values, fuzz_distances};

    (void)env, (void)signature, (void)stored;
    return &function;
}

/* An empty host. */
static Env *fuzz_begin(void)
{
    if (fuzz_host == NULL) {
        fuzz_host = host_new();
        fuzz_arena = mmap(NULL, ARENA_BYTES + ARENA_GAP, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        FUZZ_ASSERT(fuzz_arena != MAP_FAILED, "no memory for the arena");
        fuzz_used = ARENA_BYTES;
        fuzz_arena += ARENA_GAP;
        fuzz_host->env.alloc = fuzz_alloc;
        fuzz_host->env.resize = fuzz_resize;
        fuzz_host->env.release = fuzz_release;
    }
    ASAN_POISON_MEMORY_REGION(fuzz_arena - ARENA_GAP, fuzz_used + ARENA_GAP);
    fuzz_used = 0;
    host_reset(fuzz_host);
    fuzz_host->env.foreign_text = false;
    fuzz_host->env.pair_function = fuzz_pair_function;
    return &fuzz_host->env;
}

/* ---- what is done with a value ---- */

static void fuzz_sound(Env *env, const Model *model, const char *what)
{
    const char *error = model_check(env, model, model->size);

    FUZZ_ASSERT(error == NULL, "%s: %s", what, error);
}

/* Text and binary give the same value back. */
static void fuzz_write(Env *env, const Model *model, const char *what)
{
    size_t length;
    char *text = model_to_text(env, model, &length);
    Model *again;
    uint8_t *bytes;

    FUZZ_ASSERT(strlen(text) == length, "%s: a zero inside the text", what);
    again = model_from_text(env, text, length);
    FUZZ_ASSERT(model_compare(model, again) == 0, "%s: text gives another value", what);
    FUZZ_ASSERT(model_fingerprint(env, model) == again->fingerprint, "%s: another fingerprint", what);
    bytes = model_to_binary(env, model, 0, &length);
    again = model_from_binary(env, bytes, length);
    FUZZ_ASSERT(model_compare(model, again) == 0, "%s: binary gives another value", what);
    again = model_compact(env, model);
    FUZZ_ASSERT(model_compare(model, again) == 0, "%s: a copy is another value", what);
    fuzz_sound(env, again, what);
}

/* Names and dictionaries are looked up as a reader of rows does. */
static void fuzz_look_up(const Model *model)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS);
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    char name[SCHEMA_NAME_SIZE];
    uint32_t length;

    for (uint32_t i = 0; i < levels && i < 50; i++) {
        const char *text = dictionary_text(model, DICTIONARY_LEVELS, i, &length);
        bool is_null = isinf(dictionary_key(model, DICTIONARY_LEVELS, i));
        uint32_t field = dictionary_field(model, i);

        FUZZ_ASSERT(dictionary_find(model, DICTIONARY_LEVELS, field, text, length, is_null) == (int)i,
                    "level %u is not found", i);
        FUZZ_ASSERT(schema_field_levels(model, field) > 0, "a field without its level");
    }
    for (uint32_t i = 0; i < classes && i < 50; i++) {
        const char *text = dictionary_text(model, DICTIONARY_CLASSES, i, &length);
        bool is_null = isinf(dictionary_key(model, DICTIONARY_CLASSES, i));

        FUZZ_ASSERT(dictionary_find(model, DICTIONARY_CLASSES, 0, text, length, is_null) == (int)i,
                    "class %u is not found", i);
    }
    FUZZ_ASSERT(dictionary_find(model, DICTIONARY_CLASSES, 0, "never seen", 10, false) < 0 ||
                    classes > 0,
                "a class that is not there");
    for (uint32_t i = 0; i < model->field_count && i < 50; i++) {
        schema_field_name(model, i, name, sizeof name);
        schema_find_field(model, name, strlen(name));
    }
    for (uint32_t i = 0; i < model->slot_count && i < 50; i++)
        schema_slot_name(model, i, name, sizeof name);
}

/* Row number r, encoded: numbers of all sizes, levels of the right field, unseen levels. */
static double *fuzz_row(Env *env, const Model *model, unsigned r)
{
    static const double numbers[] = {0.0, 1.5, -2.25, 1e300, -1e-300, 7.0, 1e8, -0.0};
    double *slots = env_array(env, model->slot_count, sizeof *slots);
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS);

    for (uint32_t s = 0; s < model->slot_count; s++) {
        uint32_t field = schema_slot_field(model, s);

        slots[s] = schema_field_kind(model, field) == FIELD_TEXT ? slot_of_row_text(r % 2) : numbers[(s * 3 + r * 5) % 8];
        if (schema_field_kind(model, field) != FIELD_CATEGORICAL)
            continue;
        slots[s] = SLOT_UNSEEN;
        for (uint32_t l = 0; l < levels && r < 2; l++)
            if (dictionary_field(model, l) == field && (r == 0 || slots[s] < 0))
                slots[s] = l;
    }
    return slots;
}

/* May refuse: not every score of a method is a sum. */
static void fuzz_explain(Env *env, const Model *model, const Scoring *scoring, const void *prepared,
                         const double *slots)
{
    Explanation *lines;

    if (TRY(fuzz_host))
        scoring->explain(env, model, prepared, slots, &lines);
    else
        FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT, "explain: %s",
                    fuzz_host->message);
    TRY_END(fuzz_host);
}

/* Tells whether a row has a score: weights of neighbors by an expression and a metric function may refuse one. */
static bool fuzz_has_score(Env *env, const Model *model, const Scoring *scoring, const void *prepared, const double *slots)
{
    double *of_classes = env_array_raw(env, dictionary_size(model, DICTIONARY_CLASSES), sizeof *of_classes);
    double *out = env_array_raw(env, scoring->width != NULL ? scoring->width(model) : 0, sizeof *out);
    volatile bool scored = true;

    if (TRY(fuzz_host)) {
        if (scoring->predict != NULL)
            scoring->predict(model, prepared, slots);
        if (scoring->classify != NULL)
            classifier_output_classify(scoring, model, prepared, slots, 0, of_classes);
        if (scoring->cluster != NULL)
            scoring->cluster(model, prepared, slots);
        if (scoring->distance != NULL && (scoring->has_distance == NULL || scoring->has_distance(model)))
            scoring->distance(model, prepared, slots);
        if (scoring->distances != NULL)
            scoring->distances(model, prepared, slots, out);
    } else {
        FUZZ_ASSERT(fuzz_host->code == ERROR_DATA && (strstr(fuzz_host->message, "weight of a neighbor") != NULL ||
                                                      strstr(fuzz_host->message, "metric function fuzz.apart") != NULL),
                    "score: %s", fuzz_host->message);
        scored = false;
    }
    TRY_END(fuzz_host);
    return scored;
}

static void fuzz_score_row(Env *env, const Model *model, const Scoring *scoring,
                           const void *prepared, const double *slots)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    uint32_t width = scoring->width != NULL ? scoring->width(model) : 0;
    double *out = env_array_raw(env, width, sizeof *out);
    double *of_classes = env_array_raw(env, classes, sizeof *out);

    if (scoring->predict != NULL)
        scoring->predict(model, prepared, slots);
    if (scoring->classify != NULL) {
        uint32_t class = classifier_output_classify(scoring, model, prepared, slots, 0, of_classes);

        FUZZ_ASSERT(class < (scoring->labels != NULL ? 2 : classes) || class == CLASS_NONE, "no such class");
    }
    if (classifier_output_has_probabilities(scoring, model))
        classifier_output_probabilities(scoring, model, prepared, slots, 0, of_classes);
    if (scoring->explain != NULL)
        fuzz_explain(env, model, scoring, prepared, slots);
    if (scoring->decisions != NULL)
        scoring->decisions(model, prepared, slots, out);
    if (scoring->cluster != NULL)
        scoring->cluster(model, prepared, slots);
    if (scoring->distance != NULL && (scoring->has_distance == NULL || scoring->has_distance(model)))
        scoring->distance(model, prepared, slots);
    if (scoring->distances != NULL)
        scoring->distances(model, prepared, slots, out);
    if (scoring->memberships != NULL)
        scoring->memberships(model, prepared, slots, out);
    if (scoring->log_density != NULL)
        scoring->log_density(model, prepared, slots);
    if (scoring->tail != NULL)
        scoring->tail(model, prepared, slots);
    if (scoring->decision != NULL && width == 2)
        scoring->decision(model, prepared, slots);
    if (scoring->transform != NULL) {
        width = scoring->transform_width != NULL ? scoring->transform_width(model) : width;
        out = env_array_raw(env, width, sizeof *out);
        scoring->transform(model, prepared, slots, out);
        if (scoring->inverse != NULL && scoring->inverse_width(model) > 0)
            scoring->inverse(model, out, env_array_raw(env, scoring->inverse_width(model), sizeof *out));
    }
}

/* Intervals may refuse: a model without degrees of freedom has none. */
static void fuzz_intervals(Env *env, const Model *model, const Scoring *scoring, const void *prepared)
{
    for (unsigned r = 0; r < FUZZ_ROWS; r++) {
        const double *slots = fuzz_row(env, model, r);

        if (TRY(fuzz_host))
            scoring->interval(env, model, prepared, slots, 0.95);
        else
            FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT,
                        "interval: %s", fuzz_host->message);
    }
}

/* Rows looked at together have the scores that they have alone. */
static void fuzz_ahead(Env *env, const Model *model, const Scoring *scoring, const void *prepared)
{
    double *rows = env_array(env, FUZZ_ROWS * ((size_t)model->slot_count + 1), sizeof *rows);
    double alone[FUZZ_ROWS];

    for (unsigned r = 0; r < FUZZ_ROWS; r++) {
        double *row = rows + (size_t)r * model->slot_count;

        memcpy(row, fuzz_row(env, model, r), model->slot_count * sizeof *rows);
        alone[r] = scoring->predict != NULL ? scoring->predict(model, prepared, row)
                                            : scoring->distance(model, prepared, row);
    }
    scoring->ahead(model, prepared, rows, FUZZ_ROWS);
    for (unsigned r = 0; r < FUZZ_ROWS; r++) {
        const double *row = rows + (size_t)r * model->slot_count;
        double together = scoring->predict != NULL ? scoring->predict(model, prepared, row)
                                                   : scoring->distance(model, prepared, row);

        FUZZ_ASSERT(memcmp(&together, &alone[r], sizeof together) == 0 ||
                        (isnan(together) && isnan(alone[r])),
                    "row %u is %g alone and %g among others", r, alone[r], together);
    }
}

/* Rows go through the stages, whose numbers may overflow, and back where stages have an inverse. */
static void fuzz_pipeline(Env *env, const Pipeline *pipeline)
{
    const PipelineStage *last = &pipeline->stages[pipeline->count - 1];

    for (unsigned r = 0; r < FUZZ_ROWS; r++) {
        double *row = env_array(env, (size_t)last->model->slot_count + 1, sizeof *row);
        volatile bool scored = false;

        if (TRY(fuzz_host))
            scored = pipeline_run(env, pipeline, fuzz_row(env, pipeline->stages[0].model, r), row);
        else
            FUZZ_ASSERT(fuzz_host->code == ERROR_RANGE, "a pipeline: %s", fuzz_host->message);
        TRY_END(fuzz_host);
        if (scored && last->estimator->scoring != NULL)
            fuzz_score_row(env, last->model, last->estimator->scoring, last->prepared, row);
        if (TRY(fuzz_host)) {
            if (estimator_transforms(last->estimator))
                pipeline_inverse(env, pipeline, env_array(env, scoring_outputs(last->estimator->scoring, last->model) + (size_t)1, sizeof *row));
        } else {
            FUZZ_ASSERT(fuzz_host->code == ERROR_KIND, "back through a pipeline: %s", fuzz_host->message);
        }
        TRY_END(fuzz_host);
    }
}

/* Outputs have names, or two of them have the same, and rows that were transformed are written back. */
static void fuzz_outputs(Env *env, const Model *model, const Estimator *estimator)
{
    const char *wrong;
    uint32_t count;
    double *numbers;

    if (!estimator_transforms(estimator))
        return;
    output_names(env, model, &count, &wrong);
    numbers = env_array(env, (size_t)count + 1, sizeof *numbers);
    if (estimator->inverse_row != NULL || (estimator->scoring->inverse != NULL && estimator->scoring->inverse_width(model) > 0)) {
        TextBuffer out = {.env = env};

        if (TRY(fuzz_host))
            output_inverse_row(&out, model, numbers);
        else
            FUZZ_ASSERT(fuzz_host->code == ERROR_RANGE, "a row: %s", fuzz_host->message);
        TRY_END(fuzz_host);
    }
}

static void fuzz_score(Env *env, const Model *model, const Estimator *estimator)
{
    const Scoring *scoring = estimator->scoring;
    static const char *texts[] = {"a\xC3\xA9" "b", ""};
    static uint32_t lengths[] = {4, 0};
    const void *volatile prepared = NULL;
    size_t bytes;

    env->row_texts = (TextList){2, texts, lengths};
    if (scoring == NULL)
        return;
    /* a covariance that is not positive definite shows when it is factored */
    if (scoring->prepare != NULL && (scoring->prepares == NULL || scoring->prepares(model))) {
        if (TRY(fuzz_host)) {
            prepared = scoring->prepare(env, model, &bytes);
        } else {
            FUZZ_ASSERT(fuzz_host->code == ERROR_CORRUPT || (fuzz_host->code == ERROR_KIND && metric_is_given(model)), "prepare: %s",
                        fuzz_host->message);
            TRY_END(fuzz_host);
            return;
        }
        TRY_END(fuzz_host);
    }
    if (pipeline_is(model)) {
        fuzz_pipeline(env, prepared);
        return;
    }
    fuzz_outputs(env, model, estimator);
    for (unsigned r = 0; r < FUZZ_ROWS; r++) {
        const double *row = fuzz_row(env, model, r);

        if (!fuzz_has_score(env, model, scoring, prepared, row))
            return;
        fuzz_score_row(env, model, scoring, prepared, row);
    }
    if (scoring->ahead != NULL)
        fuzz_ahead(env, model, scoring, prepared);
    if (scoring->interval != NULL)
        fuzz_intervals(env, model, scoring, prepared);
}

/* Returns the step that takes a model; NULL: none. */
static const ModelStep *fuzz_step_of(const Model *model)
{
    static const ModelStep *const steps[] = {&kmeans_step,  &logistic_step, &mixture_step, &svm_classifier_step, &svm_regression_step,
                                             &glm_steps[0], &glm_steps[1],  &glm_steps[2], &glm_steps[3],        &glm_steps[4]};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (strcmp(model->estimator, steps[i]->estimator) == 0)
            return steps[i];
    return NULL;
}

/* Adds a row to the state of a step for a model. */
static void fuzz_step_add(Env *env, const ModelStep *step, const Model *model, Model *state, const double *slots, double target)
{
    const Scoring *scoring = estimator_find(model->estimator)->scoring;
    ModelStepHints hints = {0};
    size_t bytes;

    if (step->add == NULL)
        step->add_labeled(env, state, NULL, slots, target, 2, 0, &hints);
    else
        step->add(env, state, scoring->prepare != NULL ? scoring->prepare(env, model, &bytes) : NULL, slots, 2, &hints);
}

/* The state of a step takes a row, merges with itself and gives a model, or says why not. */
static void fuzz_step(Env *env, const Model *model)
{
    const ModelStep *step = fuzz_step_of(model);
    ModelStepHints hints = {0};
    Model *volatile next = NULL;

    if (step == NULL || model_find(model, step->sums) == NULL)
        return;
    if (TRY(fuzz_host)) {
        Model *state = env->alloc(env, model->size);
        memcpy(state, model, model->size);
        model_step_require(env, step, state, NULL, &hints);
        model_step_require_same(env, step, state, model);
        step->merge(env, state, model);
        fuzz_step_add(env, step, model, state, fuzz_row(env, model, 0), 1);
        next = step->finish(env, state);
        next = next != NULL ? model_require_readable(env, next) : NULL;
    } else {
        FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT, "step: %s",
                    fuzz_host->message);
    }
    TRY_END(fuzz_host);
}

static void fuzz_rows(Env *env, const Model *model, const Table *table, void *reader, uint64_t rows)
{
    for (uint64_t i = 0; i < rows && i < 1000; i++) {
        Cell cells[TABLE_MAX_COLUMNS];

        for (int c = 0; c < TABLE_MAX_COLUMNS; c++)
            cells[c].kind = CELL_NULL;
        table->row(env, model, reader, i, cells);
        for (int c = 0; c < TABLE_MAX_COLUMNS; c++)
            FUZZ_ASSERT(cells[c].kind != CELL_TEXT || text_is_valid(env, cells[c].text.bytes, cells[c].text.length), "table %s: column %d is no text", table->name, c + 1);
    }
}

/* Reads the first rows of a table of the model. */
static void fuzz_table(Env *env, const Model *model, const Table *table)
{
    if (TRY(fuzz_host)) {
        uint64_t rows;
        void *reader = table->options == NULL
                           ? table->open(env, model, &rows)
                           : table->open_with(env, model, options_parse(env, table->name, table->options, "{}", 2, NULL, NULL, 0), &rows);

        fuzz_rows(env, model, table, reader, rows);
    } else {
        FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT, "table %s: %s",
                    table->name, fuzz_host->message);
    }
    TRY_END(fuzz_host);
}

static void fuzz_tables(Env *env, const Model *model, const Table *const *tables)
{
    for (; tables != NULL && *tables != NULL; tables++)
        if ((*tables)->has == NULL || (*tables)->has(model))
            fuzz_table(env, model, *tables);
}

/* Inspection may refuse what the options of a forged model say, but never as an internal error. */
static void fuzz_inspect(Env *env, const Model *model, const Estimator *estimator)
{
    fuzz_tables(env, model, general_tables);
    fuzz_tables(env, model, estimator->tables);
    if (TRY(fuzz_host)) {
        const char *info = describe_info(env, model), *summary = describe_summary(env, model);

        json_parse(env, info, strlen(info), ERROR_INTERNAL, "info");
        FUZZ_ASSERT(text_is_valid(env, summary, strlen(summary)), "a summary that is no text");
    } else {
        FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT,
                    "description: %s", fuzz_host->message);
    }
}

/* Reads a document of XGBoost that was written, which may have no name of a feature or no level of a category to read. */
static void fuzz_read_back(Env *env, const char *document, size_t length)
{
    Model *volatile model = NULL;

    if (TRY(fuzz_host))
        model = model_import(env, (const uint8_t *)document, length, "xgboost", &(ImportNames){0});
    else
        FUZZ_ASSERT(fuzz_host->code == ERROR_DATA || strstr(fuzz_host->message, "have no texts") != NULL, "from xgboost: %s", fuzz_host->message);
    TRY_END(fuzz_host);
    if (model != NULL)
        fuzz_sound(env, model, "from xgboost");
}

/* A model goes out to each format or is refused by name; what XGBoost gets comes back. */
static void fuzz_export(Env *env, const Model *model)
{
    static const char *const formats[] = {"sql", "xgboost", "python", "pmml", "onnx"};

    for (int i = 0; i < 5; i++) {
        char *volatile document = NULL;
        size_t length = 0;

        if (TRY(fuzz_host))
            document = model_export(env, model, formats[i], i == 4, &length);
        else
            FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT, "as %s: %s", formats[i], fuzz_host->message);
        TRY_END(fuzz_host);
        FUZZ_ASSERT(i == 4 || document == NULL || text_is_valid(env, document, length), "as %s: no text", formats[i]);
        if (i == 1 && document != NULL)
            fuzz_read_back(env, document, length);
    }
}

/* Numbers of a picture are numbers. */
static void fuzz_drawn(const char *svg)
{
    static const char *const never[] = {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"};

    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        FUZZ_ASSERT(strstr(svg, never[i]) == NULL, "a picture with %.60s", strstr(svg, never[i]));
}

/* All pictures of a model with its report, and the one that fits it best in other forms. */
static void fuzz_pictures(Env *env, const Model *model)
{
    static const char *const forms[] = {"{\"as\": \"vega\"}", "{\"as\": \"text\"}"};
    static const ReportInput input = {.version = "0"};

    for (int form = -1; form < 2; form++) {
        if (TRY(fuzz_host)) {
            const char *text = form < 0 ? report_of_model(env, model, &input)
                                        : picture_of_model(env, model, NULL, options_parse(env, "plot", plot_options, forms[form], (uint32_t)strlen(forms[form]), NULL, NULL, 0));

            FUZZ_ASSERT(text_is_valid(env, text, strlen(text)), "a picture that is no text");
            if (form < 0)
                fuzz_drawn(text);
            if (form == 0)
                json_parse(env, text, strlen(text), ERROR_INTERNAL, "picture");
        } else {
            FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT, "picture %d: %s", form, fuzz_host->message);
        }
        TRY_END(fuzz_host);
    }
}

/* The summary of a model is its own: merged and compared with itself, it has not drifted. */
static void fuzz_summary(Env *env, const Model *model)
{
    RowSummary *then, *now;

    if (!model_has_summary(model) || model_summary_check(env, model) != NULL)
        return;
    then = model_summary(env, model);
    now = model_summary(env, model);
    if (TRY(fuzz_host)) {
        drift_require_same(then, now);
        for (uint32_t i = 0; i < then->count; i++) {
            FeatureDrift drift = feature_drift(then, now, i);

            FUZZ_ASSERT(isnan(drift.psi) || fabs(drift.psi) < 1e-9, "a feature that drifts by %g from itself", drift.psi);
        }
    } else {
        FUZZ_ASSERT(fuzz_host->code == ERROR_DATA, "drift: %s", fuzz_host->message);
    }
    TRY_END(fuzz_host);
}

/* A path as rows, and the models of its lambdas, which may pass the range of numbers. */
static void fuzz_path(Env *env, const Model *model, const Estimator *estimator)
{
    uint32_t count = linear_path_count(model);
    Model *volatile one = NULL;

    if (estimator->check != linear_check || model_find(model, "path_lambda") == NULL)
        return;
    for (uint32_t l = 0; l < count && l < 5; l++) {
        one = NULL;
        if (TRY(fuzz_host)) {
            LambdaLine line = linear_path_line(env, model, l);
            one = linear_path_at(env, model, line.lambda);
        } else {
            FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT,
                        "a path: %s", fuzz_host->message);
        }
        TRY_END(fuzz_host);
        if (one != NULL) {
            fuzz_sound(env, one, "a lambda of a path");
            fuzz_write(env, one, "a lambda of a path");
        }
    }
}

/* Returns rows of a model as explanations keep them. */
static Rows *fuzz_kept_rows(Env *env, const ModelRows *model, bool classes)
{
    Rows *rows = rows_new(rows_pool(env), model_rows_schema(model, classes ? "text" : NULL), ROWS_TARGET | ROWS_WEIGHT);
    double *kept = env_array(env, (size_t)model->width + 1, sizeof *kept);

    for (unsigned r = 0; r < 2 * FUZZ_ROWS; r++) {
        memcpy(kept, fuzz_row(env, model->reads, r % FUZZ_ROWS), model->slots * sizeof *kept);
        for (uint32_t v = 0; v < model->variables; v++)
            kept[model->slots + v] = v + r + 0.5;
        if (r == FUZZ_ROWS && model->slots > 0)
            kept[0] = NAN;
        rows_append(rows, kept, classes ? r % dictionary_size(model->scorer->model, DICTIONARY_CLASSES) : r, 1 + r % 2, NULL, 0);
    }
    return rows;
}

static void fuzz_emit(void *context, const DependenceRow *row)
{
    (void)context;
    FUZZ_ASSERT(!isinf(row->estimate), "a dependence of %g", row->estimate);
}

/* What a model makes of its columns. */
static void fuzz_explanations(Env *env, const Model *model)
{
    for (int what = 0; what < 3; what++) {
        if (TRY(fuzz_host)) {
            static const OptionSpec *const *const tables[] = {permutation_importance_options, partial_dependence_options, accumulated_effects_options};
            Scorer scorer = scorer_open(env, model);
            ModelRows *reads = model_rows_open(env, &scorer, "fuzz");
            Rows *rows = fuzz_kept_rows(env, reads, estimator_classifies(scorer.estimator));
            static const char *const given[] = {"{\"repeats\": 2}", "{\"grid\": 3}", "{\"intervals\": 3}"};
            const char *json = given[what];
            const Options *options = options_parse(env, "fuzz", tables[what], json, (uint32_t)strlen(json), NULL, NULL, 0);
            uint32_t count;
            uint64_t points;

            if (what == 0)
                permutation_importance(reads, rows, options, &count);
            for (uint32_t c = 0; what > 0 && c < reads->column_count && c < 2; c++)
                if (what == 1)
                    partial_dependence(reads, rows, reads->columns[c].name, options, fuzz_emit, NULL);
                else
                    accumulated_effects(reads, rows, reads->columns[c].name, options, &points);
        } else {
            FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && (fuzz_host->code != ERROR_CORRUPT || scorer_prepares(model)), "columns %d: %s", what, fuzz_host->message);
        }
        TRY_END(fuzz_host);
    }
}

/* A grid over the first two features, where the others are as in a row. */
static void fuzz_grid(Env *env, const Model *model, const AxisGiven *given)
{
    const Model *reads = feature_ranges(env, model).schema;
    TextBuffer names[2] = {{.env = env}, {.env = env}}, at = {.env = env};
    size_t length;
    char *json;

    if (reads->field_count < 2)
        return;
    output_field_name(&names[0], reads, 0);
    output_field_name(&names[1], reads, 1);
    output_row(&at, reads, fuzz_row(env, reads, 0));
    json = text_finish(&at, &length);
    plot_grid(env, model, text_finish(&names[0], NULL), text_finish(&names[1], NULL), 3, given, given, json, length);
}

/* Reads a table of a plot of the first two features, or of the only two. */
static void fuzz_plot(Env *env, const Model *model, int what)
{
    static const double ends[] = {-2, 3};
    const AxisGiven given = {true, 2, ends}, open = {0};
    uint64_t rows;
    void *reader;

    if (what == 0) {
        reader = ellipses_open(env, model, 0.9, NULL, NULL, &rows);
        fuzz_rows(env, model, &ellipse_table, reader, rows);
    } else if (what < 3) {
        reader = voronoi_open(env, model, what == 1 ? &given : &open, &given, &rows);
        fuzz_rows(env, model, &voronoi_table, reader, rows);
    } else if (what < 5) {
        fuzz_grid(env, model, what == 3 ? &given : &open);
    } else {
        reader = feature_ranges_open(env, model, &rows);
        fuzz_rows(env, model, &feature_range_table, reader, rows);
    }
}

/* Rows drawn from a model. */
static void fuzz_sample(Env *env, const Model *model)
{
    RowSampler *sampler = row_sampler(env, model, 7, NULL, 0);

    for (uint64_t i = 0; i < 20; i++) {
        const double *slots = row_sampler_draw(sampler, env, i);
        TextBuffer out = {.env = env};
        uint32_t length;

        row_sampler_label(sampler, &length);
        output_row(&out, row_sampler_schema(sampler), slots);
    }
}

/* What a plot shows of a model, and rows drawn from it. Most models have none of it. */
static void fuzz_plots(Env *env, const Model *model)
{
    for (int what = 0; what < 7; what++) {
        if (TRY(fuzz_host)) {
            if (what < 6)
                fuzz_plot(env, model, what);
            else
                fuzz_sample(env, model);
        } else {
            FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL, "plot %d: %s", what, fuzz_host->message);
        }
        TRY_END(fuzz_host);
    }
}

static void fuzz_fitted(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_find(model->estimator);

    FUZZ_ASSERT(estimator != NULL, "an estimator that nobody knows");
    fuzz_score(env, model, estimator);
    fuzz_inspect(env, model, estimator);
    fuzz_path(env, model, estimator);
    fuzz_plots(env, model);
    fuzz_explanations(env, model);
    fuzz_export(env, model);
    fuzz_pictures(env, model);
    fuzz_summary(env, model);
    fuzz_step(env, model);
    TRY_END(fuzz_host);
    fuzz_host->catching = false;
    /* raw bytes may pass the check of stored values and not the one that text and binary have to pass on top */
    if (estimator->accept == NULL || estimator->accept(env, model) == NULL)
        fuzz_write(env, model, "a fitted model");
}

static void fuzz_fit(Env *env, const Model *state, const Estimator *estimator, bool own_options)
{
    const OptionSpec *const *tables = estimator->options;
    FitInput input = {.kind = (InputKind)state->kind, .moments = state};
    Model *volatile model = NULL;

    if (TRY(fuzz_host)) {
        uint32_t length = 0;
        const char *json = own_options ? model_options(state, &length) : "";
        Options *options = options_parse(env, estimator->name, tables, json, length, NULL, NULL, 0);

        model = estimator_fit(env, estimator, &input, options, false);
    } else {
        FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT,
                    "%s: %s", estimator->name, fuzz_host->message);
    }
    TRY_END(fuzz_host);
    if (model == NULL)
        return;
    fuzz_sound(env, model, estimator->name);
    fuzz_fitted(env, model);
}

/* Sums of a forged state may overflow: then merging says so. */
static void fuzz_merge(Env *env, const Model *state)
{
    Model *volatile merged = NULL;
    Model *volatile added = NULL;
    double *slots = fuzz_row(env, state, 0);

    if (TRY(fuzz_host)) {
        merged = moments_merge(env, (Model *)state, state, true);
        merged = moments_finish(env, merged);
        added = model_compact(env, state);
        added->fingerprint = added->schema_hash = 0;
        for (int i = 0; i < 20; i++)
            added = moments_add(env, added, slots, NULL, 0, 1);
        added = moments_finish(env, added);
    } else {
        FUZZ_ASSERT(fuzz_host->code != ERROR_INTERNAL && fuzz_host->code != ERROR_CORRUPT,
                    "merging: %s", fuzz_host->message);
    }
    TRY_END(fuzz_host);
    if (merged != NULL && merged->fingerprint != 0) {
        fuzz_sound(env, merged, "a merged state");
        fuzz_write(env, merged, "a merged state");
    }
    if (added != NULL && added->fingerprint != 0) {
        fuzz_sound(env, added, "a state with more rows");
        fuzz_write(env, added, "a state with more rows");
    }
}

/* Everything that a server does with a value that a reader has accepted. */
static __attribute__((unused)) void fuzz_exercise(Env *env, const Model *model)
{
    uint32_t options_length;

    TRY_END(fuzz_host);
    fuzz_look_up(model);
    FUZZ_ASSERT(schema_difference(env, model, model) == NULL, "a schema differs from itself");
    if (model->kind == MODEL_FITTED) {
        fuzz_fitted(env, model);
        return;
    }
    fuzz_write(env, model, "moments");
    fuzz_merge(env, model);
    model_options(model, &options_length);
    for (const Estimator *const *estimator = estimators; *estimator != NULL; estimator++) {
        if (!estimator_takes(*estimator, (InputKind)model->kind))
            continue;
        fuzz_fit(env, model, *estimator, false);
        if (options_length > 2)
            fuzz_fit(env, model, *estimator, true);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
