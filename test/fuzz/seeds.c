/*
 * seeds.c - writes one small value of every kind, in the form that each fuzzer reads:
 *     seeds DIR      DIR/text/NAME  DIR/binary/NAME  DIR/flat/NAME  DIR/pmml/NAME
 */
#include "core/distance/distance_matrix.h"
#include "core/estimator/calibration_map.h"
#include "core/estimator/classifier_output.h"
#include "core/estimators.h"
#include "core/exchange/pmml.h"
#include "core/kmeans/kmeans.h"
#include "core/logistic/logistic_model.h"
#include "core/glm/glm_step.h"
#include "core/logistic/logistic_step.h"
#include "core/inspection/outputs.h"
#include "core/drift/feature_summary.h"
#include "core/prepare/pipeline.h"
#include "core/ensemble/ensemble.h"
#include "core/mixture/mixture_model.h"
#include "core/mixture/mixture_step.h"
#include "core/svm/svm_step.h"
#include "../core/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PMML_MOST 8192 /* bytes of a document, as run.sh lets the fuzzers have */

static Host *host;
#define ENV (&host->env)

static void write_file(const char *folder, const char *form, const char *name, const void *bytes,
                       size_t length)
{
    char path[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, form);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", folder, form, name);
    file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

/* The model as a document of PMML, if PMML has such models. */
static void write_pmml(const char *folder, const char *name, const Model *model)
{
    TextBuffer out = {.env = ENV};

    if (TRY(host)) {
        export_pmml.write(ENV, model, &out);
        if (out.length <= PMML_MOST)
            write_file(folder, "pmml", name, out.text, out.length);
    }
    TRY_END(host);
}

static void write_value(const char *folder, const char *name, const Model *model)
{
    const char *error = model_check(ENV, model, model->size);
    size_t length;
    void *bytes;

    if (error != NULL) {
        fprintf(stderr, "seed %s: %s\n", name, error);
        exit(1);
    }
    bytes = model_to_text(ENV, model, &length);
    write_file(folder, "text", name, bytes, length);
    bytes = model_to_binary(ENV, model, 0, &length);
    write_file(folder, "binary", name, bytes, length);
    write_file(folder, "flat", name, model, model->size);
    write_pmml(folder, name, model);
}

/* A number for row r, slot s: spread out, not collinear. */
static double number(unsigned r, unsigned s)
{
    return (double)((r * 7 + s * 3 + r * r * (s + 1)) % 11) / 2 - 1;
}

/* What the writer never writes and the reader takes. */
static void write_texts(const char *folder)
{
#define HEAD                                                                                       \
    "{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"geometric_median\",\"slots\":1," \
    "\"fields\":1,\"rows\":3,\"skipped\":0,\"weight\":3,\"arrays\":{\"center\":[1]},"
    static const char *const texts[] = {
        HEAD "\"facts\":{\"a\":{\"text\":\"\\ud83d\\ude00\\u00e9\\b\\/\"},\"b\":{\"bool\":[true,false]}}}",
        HEAD "\"options\":{\"a\":null,\"b\":[1,2.5,\"x\"],\"c\":1e17,\"d\":{\"e\":false}}}",
        HEAD "\"facts\":{\"a\":{\"f64\":[1,2,3,4],\"shape\":[2,2]},\"b\":{\"i64\":[1.0,1e3]}}}",
        " " HEAD "\"facts\":{\"a\":{\"text\":[\"caf\xe9\",\"\\u0041\"]}}}",
        HEAD "\"flags\":[\"named\",\"named\"]}",
        HEAD "\"facts\":{\"a\":{\"f64\":1,\"i64\":1}}}",
        HEAD "\"facts\":{\"a\":{\"bool\":\"AgA=\"}}}",
        HEAD "\"facts\":{\"a\":{\"f32\":[1,0.1,\"0x1p-149\",\"nan:7fc00001\"],\"shape\":[2,2]},\"b\":{\"f32\":\"AACAPw==\"}}}",
        HEAD "\"facts\":{\"a\":{\"i32\":[-2147483648,1e3]},\"b\":{\"u8\":\"/wA=\"},\"c\":{\"u8\":255}}}",
        HEAD "\"facts\":{\"a\":[null,true,\"\\ud83d\\ud83d\"]}}",
        HEAD "\"facts\":{\"a\":\"\\ud83dx\"}}",
        "{\"pgfit\":1,\"min_reader\":\"1\"}",
        "{\"pgfit\":true}",
        "{\"pgfit\":null}",
        "{\"pgfit\":3,\"min_reader\":1,\"kind\":\"model\"}",
        "\"\\ud83d\\"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char name[32];

        snprintf(name, sizeof name, "hand_%zu", i);
        write_file(folder, "text", name, texts[i], strlen(texts[i]));
    }
}

typedef struct Recipe {
    const char *name;
    ModelKind kind;
    uint8_t flags;
    uint32_t fields; /* the last one categorical where levels > 0 */
    uint32_t levels;
    uint32_t classes;
    unsigned rows;
    const char *options;
    bool named;
    bool wide;    /* the first field has two slots */
    bool running; /* as an aggregate leaves it: pending rows not folded in */
    bool fourth;  /* with fourth moments */
    bool kept;    /* rows are kept */
    bool diagonal; /* sums of squares alone */
} Recipe;

static const Recipe recipes[] = {
    {"moments", MODEL_MOMENTS, 0, 2, 0, 0, 30, "", false},
    {"moments_pending", MODEL_MOMENTS, 0, 1, 0, 0, 3, "", false},
    {"moments_named", MODEL_MOMENTS, 0, 2, 0, 0, 9, "", true},
    {"moments_levels", MODEL_MOMENTS, MODEL_WEIGHTED, 2, 3, 0, 21, "", true},
    {"moments_impute", MODEL_MOMENTS, MODEL_IMPUTE, 3, 2, 0, 12, "{\"nulls\":\"impute\"}", true},
    {"moments_frequency", MODEL_MOMENTS, MODEL_WEIGHTED | MODEL_FREQUENCY, 1, 0, 0, 8,
     "{\"weight_kind\":\"frequency\"}", false},
    {"moments_one_row", MODEL_MOMENTS, 0, 1, 0, 0, 1, "", false},
    {"class_moments", MODEL_CLASS_MOMENTS, 0, 2, 0, 2, 20, "", false},
    {"class_moments_dependent", MODEL_CLASS_MOMENTS, 0, 3, 0, 2, 4, "", false},
    {"class_moments_levels", MODEL_CLASS_MOMENTS, MODEL_WEIGHTED, 2, 2, 3, 12, "", true},
    {"feature_moments", MODEL_FEATURE_MOMENTS, 0, 2, 0, 0, 20, "", false},
    {"feature_moments_levels", MODEL_FEATURE_MOMENTS, MODEL_IMPUTE, 2, 2, 0, 5,
     "{\"nulls\":\"impute\"}", true},
    {"class_moments_impute", MODEL_CLASS_MOMENTS, MODEL_IMPUTE, 2, 2, 2, 60, "{\"nulls\":\"impute\"}", true},
    {"class_moments_fourth", MODEL_CLASS_MOMENTS, MODEL_WEIGHTED, 2, 0, 2, 60, "", false, .fourth = true},
    {"feature_moments_fourth", MODEL_FEATURE_MOMENTS, MODEL_IMPUTE, 2, 2, 0, 60, "{\"nulls\":\"impute\"}", true,
     .fourth = true},
    {"class_moments_diagonal", MODEL_CLASS_MOMENTS, MODEL_WEIGHTED | MODEL_IMPUTE, 2, 2, 2, 60, "{\"nulls\":\"impute\"}", true,
     .diagonal = true},
    {"feature_moments_diagonal", MODEL_FEATURE_MOMENTS, 0, 2, 3, 0, 7, "", false, .running = true, .diagonal = true},
    {"moments_running", MODEL_MOMENTS, 0, 2, 0, 0, 3, "", false, .running = true},
    {"moments_running_levels", MODEL_MOMENTS, MODEL_WEIGHTED, 2, 3, 0, 11, "", true, .running = true},
    {"class_moments_running", MODEL_CLASS_MOMENTS, 0, 1, 0, 2, 5, "", false, .running = true},
    {"moments_wide", MODEL_MOMENTS, 0, 2, 2, 0, 12, "", true, .wide = true},
    {"moments_folded", MODEL_MOMENTS, MODEL_FOLDED, 2, 0, 0, 30,
     "{\"folds\":3,\"lambda\":\"cv\",\"path\":3}", false},
    {"moments_folded_levels", MODEL_MOMENTS, MODEL_FOLDED | MODEL_WEIGHTED, 2, 3, 0, 21, "", true},
    {"moments_folded_running", MODEL_MOMENTS, MODEL_FOLDED | MODEL_IMPUTE, 2, 0, 0, 11, "{\"folds\":3}", true,
     .running = true},
    {"moments_path", MODEL_MOMENTS, 0, 2, 0, 0, 30, "{\"lambda\":[1,2,3]}", false},
    {"moments_rows", MODEL_MOMENTS, MODEL_WEIGHTED, 2, 0, 0, 30, "{\"lambda\":\"loo\",\"path\":3}", false, .kept = true},
    {"moments_rows_levels", MODEL_MOMENTS, MODEL_IMPUTE, 2, 3, 0, 21, "{\"keep_rows\":true,\"nulls\":\"impute\"}", true,
     .kept = true},
    {"moments_rows_running", MODEL_MOMENTS, MODEL_FOLDED, 2, 0, 0, 40, "{\"folds\":3,\"keep_rows\":true}", true,
     .running = true, .kept = true},
};

static Model *make_state(const Recipe *recipe)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    FieldKind kinds[4] = {FIELD_NUMERIC, FIELD_NUMERIC, FIELD_NUMERIC, FIELD_NUMERIC};
    uint32_t widths[4] = {recipe->wide ? 2 : 1, 1, 1, 1};
    uint32_t slot_count = recipe->fields + recipe->wide;
    SchemaSpec spec = {.field_count = recipe->fields,
                       .names = recipe->named ? names : NULL,
                       .kinds = kinds,
                       .widths = widths,
                       .named = recipe->named,
                       .class_type = recipe->classes > 0 ? "text" : NULL};
    uint32_t last = recipe->fields - 1, position;
    char text[16];
    Model *state;

    if (recipe->levels > 0)
        kinds[last] = FIELD_CATEGORICAL;
    state = moments_new(ENV, &spec,
                        &(MomentsPlan){.kind = recipe->kind,
                                       .flags = recipe->flags,
                                       .folds = {3, 1},
                                       .keep_rows = recipe->kept,
                                       .fourth_moments = recipe->fourth,
                                       .diagonal = recipe->diagonal,
                                       .options = recipe->options,
                                       .options_length = (uint32_t)strlen(recipe->options)});
    for (uint32_t i = 0; i < recipe->levels; i++) {
        snprintf(text, sizeof text, "l%u", recipe->levels - i);
        /* under impute the first is the level of NULLs */
        state = dictionary_add(ENV, state, DICTIONARY_LEVELS, last, text, (uint32_t)strlen(text),
                               i == 0 && (recipe->flags & MODEL_IMPUTE), 0, &position);
    }
    for (uint32_t i = 0; i < recipe->classes; i++) {
        snprintf(text, sizeof text, "k%u", i);
        state = dictionary_add(ENV, state, DICTIONARY_CLASSES, 0, text, (uint32_t)strlen(text),
                               false, 0, &position);
    }
    for (unsigned r = 0; r < recipe->rows; r++) {
        double slots[5], target = number(r, 9) + r / 8.0;
        bool nulls[5] = {false, false, false, false, false};
        bool impute = recipe->flags & MODEL_IMPUTE;

        for (uint32_t s = 0; s < slot_count; s++)
            slots[s] = number(r, s);
        if (recipe->levels > 0)
            slots[slot_count - 1] = r % recipe->levels;
        nulls[0] = impute && r % 4 == 1;
        if (recipe->classes > 0)
            target = r % recipe->classes;
        state = moments_add(ENV, state, slots, impute ? nulls : NULL, target,
                            recipe->flags & MODEL_WEIGHTED ? 1 + r % 3 : 1);
    }
    return recipe->running ? model_compact(ENV, state) : moments_finish(ENV, state);
}

/* A value with facts that its writer never gave it: of other names, and of names that a fit of it would write. */
static void write_foreign_facts(const char *folder, const char *name, const Model *value)
{
    static const double pair[] = {1, -2};
    ModelBuilder *builder = builder_from(ENV, value, NULL);
    char foreign_name[160];

    if (model_find(value, "rss") == NULL)
        builder_fact(builder, "rss", 1e300);
    builder_fact_i64(builder, "foreign_count", -3);
    builder_fact_bool(builder, "foreign_truth", true);
    builder_fact_text(builder, "foreign_word", "\"\\\xc3\xa9");
    builder_f64(builder, SECTION_FACTS, "foreign_pair", pair, 2);
    snprintf(foreign_name, sizeof foreign_name, "facts_%s", name);
    write_value(folder, foreign_name, model_build(builder));
}

/* A fitted model that keeps a summary of its training rows. */
static void write_summarized(const char *folder, const char *name, const Model *model)
{
    static const char *const names[] = {"a", "c"};
    static const bool levels[] = {false, true};
    RowSummary *summary = summary_new(ENV, 2, names, levels);
    char file[160];

    if (model->kind != MODEL_FITTED)
        return;
    for (int i = 0; i < 5; i++) {
        summary_number(summary, 0, i / 2 - 0.5);
        summary_level(summary, 1, i % 2 ? "x" : "\"", 1);
        summary->rows++;
    }
    snprintf(file, sizeof file, "summary_%s", name);
    write_value(folder, file, model_with_summary(ENV, model, summary));
}

/* A classifier with decision rules and with a calibration; where it has no probabilities, the latter alone. */
static void write_classifier_output(const char *folder, const char *name, const Model *model)
{
    static const char *const rules[] = {"{\"threshold\":0.3}", "{\"priors\":\"uniform\",\"trained_priors\":\"uniform\"}",
                                        "{\"rule\":\"ml\"}", "{\"cost\":[[0,1],[2,0]]}",
                                        "{\"cost\":[[0,1,2],[2,0,1],[3,1,0]]}"};
    static const double logistic[] = {CALIBRATION_LOGISTIC, 3, 1.5, 0.25, -1}, step[] = {CALIBRATION_STEP, 6, -1, 0, 0.25, 1, 2, 1},
                        linear[] = {CALIBRATION_LINEAR, 6, -1, 0, 0.75, 1, 2, 0.5}, *const maps[] = {logistic, step, linear};
    static const double priors[] = {0.5, 0.25, 0.25};
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    const Estimator *estimator = estimator_of(model);
    char file[160];

    if (estimator == NULL || estimator->scoring == NULL || estimator->scoring->classify == NULL)
        return;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        Model *volatile ruled = NULL;

        if (TRY(host)) /* of another number of classes, or without probabilities: no seed */
            ruled = decision_rule_apply(ENV, model, rules[i], strlen(rules[i]));
        TRY_END(host);
        snprintf(file, sizeof file, "rule%zu_%s", i, name);
        if (ruled != NULL)
            write_value(folder, file, ruled);
    }
    for (size_t i = 0; i < 3 && (classes == 2 || classes == 3); i++) {
        double all[24];
        ClassifierOutput output = {.classes = classes, .maps = all, .calibration_priors = priors};

        output.of_probabilities = estimator->scoring->decisions == NULL;
        for (uint32_t k = 0; k < (classes == 2 ? 1 : classes); k++) {
            const double *map = maps[(i + k) % 3];

            memcpy(all + output.map_numbers, map, calibration_map_size(map) * sizeof(double));
            output.map_numbers += (uint32_t)calibration_map_size(map);
        }
        snprintf(file, sizeof file, "calibrated%zu_%s", i, name);
        write_value(folder, file, classifier_output_replace(ENV, model, &output));
    }
}

/* A pipeline that takes rows through a model twice. */
static void write_pipeline(const char *folder, const char *of, const Model *model)
{
    const Model *const pair[] = {model, model};
    Model *volatile pipeline = NULL;
    char name[160];

    if (!estimator_transforms(estimator_of(model)))
        return;
    if (TRY(host)) /* what it makes of a row may not fit it: no seed */
        pipeline = pipeline_build(ENV, pair, 2);
    TRY_END(host);
    if (pipeline == NULL)
        return;
    snprintf(name, sizeof name, "pipeline_of_%s", of);
    write_value(folder, name, pipeline);
}

static void write_fits(const char *folder, const Recipe *recipe, const Model *state)
{
    for (const Estimator *const *e = estimators; *e != NULL; e++) {
        const OptionSpec *const *tables = (*e)->options;
        FitInput input = {.kind = (InputKind)state->kind, .moments = state};
        char name[128];
        uint32_t length;
        const char *json = model_options(state, &length);
        Model *volatile model = NULL;

        if (!estimator_takes(*e, (InputKind)state->kind))
            continue;
        if (TRY(host)) /* too few rows for this method: no seed */
            model = estimator_fit(ENV, *e, &input,
                              options_parse(ENV, (*e)->name, tables, json, length, NULL, NULL, 0), true);
        TRY_END(host);
        if (model == NULL)
            continue;
        snprintf(name, sizeof name, "%s_of_%s", (*e)->name, recipe->name);
        write_value(folder, name, model);
        write_classifier_output(folder, name, model);
        write_summarized(folder, name, model);
        write_pipeline(folder, name, model);
    }
}

/* By hand: a geometric median with arrays of every type, short and long. */
static Model *median(void)
{
    static const double center[2] = {0.5, -1e-40};
    static const int64_t integers[2] = {INT64_MIN, 5};
    static const uint8_t truth[3] = {1, 0, 1};
    static const char *const words[] = {"", "\"\\\n\xc3\xa9"};
    static const float floats[5] = {-0.0f, 1e-45f, 0.1f, INFINITY, NAN};
    static const int32_t narrow[3] = {INT32_MIN, 7, INT32_MAX};
    static const uint8_t octets[3] = {255, 0, 7};
    static const uint32_t many_words[67];
    static double numbers[70];
    static uint8_t many[70];
    ModelBuilder *b = model_builder(ENV, MODEL_FITTED, "geometric_median");

    builder_header(b)->field_count = builder_header(b)->slot_count = 2;
    builder_header(b)->rows = 4;
    builder_header(b)->weight = 4;
    builder_f64(b, SECTION_ARRAYS, "center", center, 2);
    builder_f64(b, SECTION_FACTS, "long", numbers, 70);
    builder_f64_matrix(b, SECTION_FACTS, "matrix", numbers, 1, 3);
    builder_i64(b, SECTION_FACTS, "integers", integers, 2);
    builder_bool(b, SECTION_FACTS, "truth", truth, 3);
    builder_bool(b, SECTION_FACTS, "many", many, 70);
    builder_text(b, SECTION_FACTS, "words", words, NULL, 2);
    builder_f32(b, SECTION_FACTS, "floats", floats, 5);
    builder_f32(b, SECTION_FACTS, "floats_long", (const float *)many_words, 67);
    builder_numbers(b, SECTION_FACTS, "floats_matrix", ARRAY_F32, floats, 2, 1, 5);
    builder_i32(b, SECTION_FACTS, "narrow", narrow, 3);
    builder_i32(b, SECTION_FACTS, "narrow_long", (const int32_t *)many_words, 67);
    builder_numbers(b, SECTION_FACTS, "narrow_matrix", ARRAY_I32, narrow, 2, 3, 1);
    builder_u8(b, SECTION_FACTS, "octets", octets, 3);
    builder_u8(b, SECTION_FACTS, "octets_long", many, 69);
    builder_u8(b, SECTION_FACTS, "octet", octets, 1);
    builder_i32(b, SECTION_FACTS, "small", narrow, 1);
    builder_f32(b, SECTION_FACTS, "float", floats, 1);
    builder_fact(b, "inf", INFINITY);
    builder_fact_bool(b, "converged", true);
    builder_options(b, "{\"max_iter\":10,\"tolerance\":0.001}", 33);
    return model_build(b);
}

/* Fits of class moments with other options than the default ones. */
static void write_variants(const char *folder, const Recipe *recipe, const Model *state)
{
    static const char *const variants[][3] = {
        {"class_moments", "least_squares_classifier", "{\"positive\":\"k0\",\"tie\":\"null\"}"},
        {"class_moments", "nearest_centroid", "{\"metric\":\"mahalanobis\",\"priors\":{\"k0\":0.25,\"k1\":0.75}}"},
        {"class_moments", "nearest_centroid", "{\"metric\":\"cosine\",\"tie\":\"positive\"}"},
        {"class_moments_levels", "least_squares_classifier", "{\"multiclass\":\"ovo\"}"},
        {"class_moments_levels", "least_squares_classifier", "{\"multiclass\":\"ecoc\",\"intercept\":false}"},
        {"class_moments_levels", "nearest_centroid", "{\"metric\":\"mahalanobis\"}"},
        {"class_moments_levels", "nearest_centroid", "{\"metric\":\"standardized_euclidean\",\"priors\":\"data\"}"},
        {"class_moments_levels", "nearest_centroid", "{\"metric\":\"manhattan\"}"},
        {"feature_moments", "pca", "{\"standardize\":true,\"whiten\":true,\"k\":1}"},
        {"feature_moments_levels", "multivariate_normal", "{\"nulls\":\"impute\",\"regularization\":1}"},
    };

    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const Estimator *estimator = estimator_find(variants[i][1]);
        const OptionSpec *const *tables = estimator->options;
        FitInput input = {.kind = estimator->input, .moments = state};
        char name[128];

        if (strcmp(variants[i][0], recipe->name) != 0)
            continue;
        snprintf(name, sizeof name, "%s_variant%zu", estimator->name, i);
        write_value(folder, name,
                    estimator_fit(ENV, estimator, &input,
                                   options_parse(ENV, estimator->name, tables, variants[i][2],
                                                 strlen(variants[i][2]), NULL, NULL, 0), true));
    }
}

/*
 * Twelve rows of two numbers (or a number and a level), of so many classes, at most three, or with a target. Those with
 * levels have ids whatever the method. texts: the levels are texts, for a kernel that compares them.
 */
static Rows *make_rows(const Estimator *estimator, bool levels, bool texts, unsigned classes)
{
    const FieldKind kinds[] = {FIELD_NUMERIC, texts ? FIELD_TEXT : FIELD_CATEGORICAL};
    bool survival = estimator->task == TASK_SURVIVAL, identified = (estimator->identified || levels) && !survival;
    bool labels = estimator->task != TASK_REGRESSION && estimator->task != TASK_PREPARATION && !survival;
    SchemaSpec spec = {.field_count = 2,
                       .kinds = levels ? kinds : NULL,
                       .class_type = estimator->supervised && labels ? "text" : NULL,
                       .id_type = identified ? "text" : NULL};
    ModelBuilder *builder = model_builder(ENV, MODEL_FITTED, estimator->name);
    uint32_t position;
    Model *schema;
    Rows *rows;

    schema_add(ENV, builder, &spec);
    schema = model_build(builder);
    for (int i = 0; levels && i < 3; i++)
        schema = dictionary_add(ENV, schema, DICTIONARY_LEVELS, 1, &"xyz"[i], 1, false, 0, &position);
    for (unsigned i = 0; spec.class_type != NULL && i < classes; i++)
        schema = dictionary_add(ENV, schema, DICTIONARY_CLASSES, 0, &"cab"[i], 1, false, 0, &position);
    rows = rows_new(rows_pool(ENV), schema,
                    (estimator->supervised ? ROWS_TARGET : 0) | (identified || survival ? ROWS_ID : 0));
    for (unsigned r = 0; r < 12; r++) {
        char tag[EVENT_TAG_BYTES + 1];
        double slots[] = {number(r, 0), levels ? r % 3 : number(r, 1)};

        event_tag_write(-INFINITY, r % 3 > 0, tag);
        tag[EVENT_TAG_BYTES] = "xy"[r % 2];
        rows_append(rows, slots, spec.class_type != NULL ? r % classes : survival ? r / 2 : number(r, 9), 1, survival ? tag : &"abcdefghijkl"[r], survival ? sizeof tag : 1);
    }
    return rows;
}

/* Twelve rows of one text each, for metrics that compare texts. */
static Rows *make_text_rows(const Estimator *estimator)
{
    static const char *const texts[] = {"Adelie", "", "Gentoo", "Ad\xC3\xA9lie", "Chinstrap"};
    const FieldKind kind = FIELD_TEXT;
    bool labels = estimator->supervised && estimator->task != TASK_REGRESSION;
    SchemaSpec spec = {.field_count = 1, .kinds = &kind, .class_type = labels ? "text" : NULL, .id_type = estimator->identified ? "text" : NULL};
    ModelBuilder *builder = model_builder(ENV, MODEL_FITTED, estimator->name);
    uint32_t position;
    Model *schema;
    Rows *rows;

    schema_add(ENV, builder, &spec);
    schema = model_build(builder);
    for (int i = 0; i < 5; i++)
        schema = dictionary_add(ENV, schema, DICTIONARY_LEVELS, 0, texts[i], (uint32_t)strlen(texts[i]), false, 0, &position);
    for (unsigned i = 0; labels && i < 3; i++)
        schema = dictionary_add(ENV, schema, DICTIONARY_CLASSES, 0, &"cab"[i], 1, false, 0, &position);
    rows = rows_new(rows_pool(ENV), schema, (estimator->supervised ? ROWS_TARGET : 0) | (estimator->identified ? ROWS_ID : 0));
    for (unsigned r = 0; r < 12; r++) {
        double slot = r * 3 % 5;

        rows_append(rows, &slot, labels ? r % 3 : number(r, 9), 1, &"abcdefghijkl"[r], 1);
    }
    return rows;
}

static void take_values(PairFunction *function, const TextList *values)
{
    (void)function, (void)values;
}

static uint32_t number_distances(PairFunction *function, double a, const double *others, uint32_t count, double *out)
{
    (void)function;
    for (uint32_t i = 0; i < count; i++)
        out[i] = fabs(others[i] - a);
    return count;
}

static PairFunction *find_function(Env *env, const char *signature, bool stored)
{
    static PairFunction function = {"fuzz.apart(text,text)", take_values, number_distances};

    (void)env, (void)signature, (void)stored;
    return &function;
}

/* Models of metrics between texts. */
static void write_text_metrics(const char *folder)
{
    static const char *const metrics[] = {"edit", "damerau", "jaro_winkler", "fuzz.apart(text,text)"};
    static const char *const others[] = {"", "\"k\":2,", "\"radius\":2,"};

    ENV->pair_function = find_function;
    for (const Estimator *const *e = estimators; *e != NULL; e++)
        for (size_t i = 0; i < 12 && (*e)->input == INPUT_ROWS && (*e)->fit != NULL; i++) {
            FitInput input = {.kind = INPUT_ROWS};
            Model *volatile model = NULL;
            char json[128], name[128];

            snprintf(json, sizeof json, "{%s\"metric\":\"%s\"}", others[i % 3], metrics[i / 3]);
            if (TRY(host)) { /* what the method does not take: no seed */
                input.rows = make_text_rows(*e);
                model = estimator_fit(ENV, *e, &input, options_parse(ENV, (*e)->name, (*e)->options, json, strlen(json), NULL, NULL, 0), true);
            }
            TRY_END(host);
            if (model == NULL)
                continue;
            snprintf(name, sizeof name, "%s_of_texts%zu", (*e)->name, i);
            write_value(folder, name, model);
        }
}

/* Writes a state of one row, and the model after it; nothing of a model that the step does not take. */
static void write_labeled_step(const char *folder, const ModelStep *step, const Model *model, size_t number)
{
    static const double row[8] = {1, 0, -1, 2, 0, 1, 1, 1};
    ModelStepHints hints = {0};
    Model *volatile state = NULL;
    char name[80];

    if (TRY(host))
        state = step->begin(ENV, model);
    TRY_END(host);
    if (state == NULL)
        return;
    step->add_labeled(ENV, state, NULL, row, 1, 2, 0, &hints);
    snprintf(name, sizeof name, "%s_of_%s%zu", step->name, step->estimator, number);
    write_value(folder, name, state);
    snprintf(name, sizeof name, "%s_stepped_of_%s%zu", step->name, step->estimator, number);
    write_value(folder, name, step->finish(ENV, state));
}

/* The state of a pass over rows that goes on from a model, after one row. */
static void write_step(const char *folder, const ModelStep *step, const Estimator *estimator, const Model *model, size_t number)
{
    static const double row[8] = {1, 0.5, -1, 2, 0, 1, 1, 1};
    size_t bytes;
    const void *prepared = estimator->scoring->prepare != NULL ? estimator->scoring->prepare(ENV, model, &bytes) : NULL;
    Model *state = step->begin(ENV, model);
    ModelStepHints hints = {0};
    char name[128];

    step->add(ENV, state, prepared, row, 2, &hints);
    snprintf(name, sizeof name, "%s%zu", step->name, number);
    write_value(folder, name, state);
}

/* An ensemble of a model and itself. */
static void write_ensemble(const char *folder, const char *of, const Model *model)
{
    const Model *const pair[] = {model, model};
    Model *volatile ensemble = NULL;
    char name[160];

    if (TRY(host))
        ensemble = ensemble_build(ENV, pair, 2, "", 0);
    TRY_END(host);
    if (ensemble == NULL)
        return;
    snprintf(name, sizeof name, "ensemble_of_%s", of);
    write_value(folder, name, ensemble);
}

/* Fits of rows: each method by default, some with other options. */
static void write_row_fits(const char *folder)
{
    static const char *const variants[][2] = {
        {"boosted_trees_regression", "{\"n_trees\":2,\"min_samples_leaf\":1,\"loss\":\"poisson\"}"},
        {"boosted_trees_classifier", "{\"n_trees\":2,\"min_samples_leaf\":1}"},
        {"forest_classifier", "{\"n_trees\":2,\"voting\":\"hard\",\"importance\":\"permutation\"}"},
        {"forest_regression", "{\"n_trees\":2}"},
        {"isolation_forest", "{\"n_trees\":2}"},
        {"tree_classifier", "{\"prune\":\"cost_complexity\",\"folds\":3}"},
        {"cox_regression", "{\"event\":\"e\",\"survival_limits\":true,\"vcov\":\"HC0\"}"},
        {"cox_regression", "{\"event\":\"e\",\"strata\":\"s\",\"ties\":\"breslow\"}"},
        {"medoid", "{\"metric\":\"mahalanobis\"}"},
        {"medoid", "{\"metric\":\"mixed\",\"p\":1.5}"},
        {"medoid", "{\"metric\":\"kernel\",\"kernel\":\"polynomial\"}"},
        {"medoid", "{\"metric\":\"cosine\"}"},
        {"dbscan", "{\"radius\":2,\"min_samples\":2}"},
        {"hdbscan", "{\"min_cluster_size\":2,\"min_samples\":1}"},
        {"optics", "{\"min_samples\":2}"},
        {"local_outlier_factor", "{\"k\":2}"},
        {"hierarchical", "{\"linkage\":\"centroid\",\"cophenetic\":true}"},
        {"hierarchical", "{\"linkage\":\"single\",\"metric\":\"chebyshev\"}"},
        {"distance_histogram", "{\"low\":1,\"high\":2,\"sample_size\":5}"},
        {"perceptron", "{\"multiclass\":\"ovo\",\"max_iter\":3,\"mistakes\":true}"},
        {"perceptron", "{\"averaged\":\"voted\",\"standardize\":true,\"max_iter\":3}"},
        {"perceptron", "{\"multiclass\":\"ecoc\",\"averaged\":true,\"max_iter\":3}"},
        {"logistic_regression", "{\"multiclass\":\"ovr\",\"lambda\":1}"},
        {"logistic_regression", "{\"multiclass\":\"ecoc\",\"lambda\":1}"},
        {"logistic_regression", "{\"multiclass\":\"ovo\",\"lambda\":1}"},
        {"logistic_regression", "{\"penalty\":\"l1\",\"lambda\":1,\"standardize\":true}"},
        {"knn_classifier", "{\"k\":\"loo\",\"max_k\":4,\"weights\":\"gaussian\",\"tie\":\"nearest\"}"},
        {"knn_classifier", "{\"radius\":1.5,\"index\":\"ball_tree\"}"},
        {"knn_regression", "{\"k\":3,\"weights\":\"distance\",\"index\":\"kd_tree\",\"metric\":\"mahalanobis\"}"},
        {"neighbors", "{\"metric\":\"cosine\",\"index\":\"ball_tree\"}"},
        {"neighbors", "{\"metric\":\"minkowski\",\"p\":0.5}"},
        {"neighbors", "{\"metric\":\"gower\",\"radius\":\"Infinity\"}"},
        {"neighbors", "{\"metric\":\"canberra\",\"index\":\"ball_tree\"}"},
        {"knn_classifier", "{\"radius\":1,\"outlier_label\":\"most_frequent\",\"weights\":\"1 / (1 + distance^2)\"}"},
        {"knn_regression", "{\"k\":3,\"weights\":\"exp(-distance)\",\"metric\":\"correlation\"}"},
        {"nearest_exemplar", "{\"exemplar\":\"geometric_median\"}"},
        {"nearest_exemplar", "{\"metric\":\"jaccard\"}"},
        {"isotonic_regression", "{\"interpolation\":\"step\",\"out_of_bounds\":\"null\"}"},
        {"gaussian_mixture", "{\"k\":2,\"history\":true}"},
        {"gaussian_mixture", "{\"k\":2,\"covariance_type\":\"tied\",\"max_iter\":3}"},
        {"gaussian_mixture", "{\"k\":2,\"covariance_type\":\"diagonal\"}"},
        {"gaussian_mixture", "{\"k\":2,\"covariance_type\":\"spherical\",\"init\":\"random\"}"},
        {"gaussian_mixture", "{\"k\":[1,3],\"n_init\":1}"},
        {"kmeans", "{\"k\":3}"},
        {"kmeans", "{\"k\":[2,4],\"select\":\"gap\",\"gap_references\":2}"},
        {"kmeans", "{\"k\":2,\"max_iter\":1}"},
        {"mean_shift", "{\"bandwidth\":1,\"cluster_all\":false}"},
        {"mean_shift", "{\"standardize\":true,\"bin_seeding\":true}"},
        {"kmedoids", "{\"k\":2,\"history\":true}"},
        {"kmedoids", "{\"k\":3,\"metric\":\"mixed\",\"algorithm\":\"alternate\"}"},
        {"kmedoids", "{\"k\":2,\"metric\":\"mahalanobis\",\"algorithm\":\"clara\"}"},
        {"kernel_kmeans", "{\"k\":2}"},
        {"kernel_kmeans", "{\"k\":3,\"kernel\":\"polynomial\",\"assignment\":\"average_distance\"}"},
        {"kernel_kmeans", "{\"k\":2,\"kernel\":\"sigmoid\"}"},
        {"kernel_kmeans", "{\"k\":2,\"kernel\":{\"sum\":[{\"kernel\":\"rbf\"},{\"kernel\":\"linear\",\"weight\":2}]}}"},
        {"kernel_kmeans", "{\"k\":2,\"kernel\":{\"product\":[{\"kernel\":\"rbf\"},{\"kernel\":\"spectrum\",\"length\":1}]}}"},
        {"kernel_ridge", "{\"kernel\":{\"sum\":[{\"kernel\":\"rbf\"},{\"kernel\":\"spectrum\",\"length\":1}]}}"},
        {"svm_classifier", "{\"loss\":\"squared_hinge\"}"},
        {"svm_regression", "{\"loss\":\"squared_epsilon_insensitive\"}"},
        {"svm_classifier", "{\"kernel\":{\"sum\":[{\"kernel\":\"rbf\"},{\"kernel\":\"spectrum\",\"length\":1}]}}"},
        {"hierarchical", "{\"linkage\":\"ward\"}"},
        {"hierarchical", "{\"linkage\":\"average\",\"connectivity\":2}"},
        {"mds", "{\"k\":1,\"metric\":\"manhattan\"}"},
    };
    size_t variant_count = sizeof variants / sizeof variants[0];

    for (const Estimator *const *e = estimators; *e != NULL; e++) {
        const OptionSpec *const *tables = (*e)->options;
        bool fits = (*e)->input == INPUT_ROWS && (*e)->fit != NULL;

        for (size_t i = 0; fits && i < 2 * (variant_count + 1); i++) {
            const char *json = i < 2 ? "" : variants[i / 2 - 1][1];
            FitInput input = {.kind = INPUT_ROWS};
            Model *volatile model = NULL;
            char name[128];

            if (i >= 2 && strcmp(variants[i / 2 - 1][0], (*e)->name) != 0)
                continue;
            if (TRY(host)) { /* what the method does not take: no seed */
                input.rows = make_rows(*e, i % 2 == 1, strstr(json, "spectrum") != NULL, strstr(json, "voted") != NULL ? 2 : 3);
                model = estimator_fit(ENV, *e, &input,
                                  options_parse(ENV, (*e)->name, tables, json, strlen(json), NULL, NULL, 0), true);
            }
            TRY_END(host);
            if (model == NULL)
                continue;
            snprintf(name, sizeof name, "%s_of_rows%zu", (*e)->name, i);
            write_value(folder, name, model);
            write_classifier_output(folder, name, model);
            write_pipeline(folder, name, model);
            if (*e == &estimator_tree_classifier || *e == &estimator_boosted_trees_regression || *e == &estimator_kernel_ridge)
                write_ensemble(folder, name, model);
            if (*e == &estimator_logistic_regression && strstr(json, "multiclass") == NULL)
                write_labeled_step(folder, &logistic_step, model, i);
            if ((*e == &estimator_svm_classifier || *e == &estimator_svm_regression) && strstr(json, "\"loss\":\"squared") != NULL)
                write_labeled_step(folder, *e == &estimator_svm_classifier ? &svm_classifier_step : &svm_regression_step, model, i);
            for (size_t s = 0; s < GLM_STEPS; s++)
                if (strcmp(glm_steps[s].estimator, (*e)->name) == 0)
                    write_labeled_step(folder, &glm_steps[s], model, i);
            if (*e == &estimator_gaussian_mixture)
                write_step(folder, &mixture_step, *e, model, i);
            if (*e == &estimator_kmeans)
                write_step(folder, &kmeans_step, *e, model, i);
        }
        host_reset(host);
    }
}

/* Fits with options that give a model other arrays. */
static void write_optional(const char *folder, const Recipe *recipe, const Model *state)
{
    static const char *const fits[][2] = {{"lda", "{\"shrinkage\":\"oas\",\"singular\":\"pseudo_inverse\"}"},
                                          {"lda", "{\"singular\":\"pseudo_inverse\"}"},
                                          {"qda", "{\"pooling\":0.5,\"rule\":\"ml\",\"shrinkage\":\"oas\"}"},
                                          {"naive_bayes", "{\"rule\":\"ml\",\"variance\":\"class\"}"}};

    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
        const Estimator *estimator = estimator_find(fits[i][0]);
        const OptionSpec *const *tables = estimator->options;
        FitInput input = {.kind = estimator->input, .moments = state};
        Model *volatile model = NULL;
        char name[128];

        if ((unsigned)estimator->input != state->kind)
            continue;
        if (TRY(host))
            model = estimator_fit(ENV, estimator, &input, options_parse(ENV, estimator->name, tables, fits[i][1],
                                                                 strlen(fits[i][1]), NULL, NULL, 0), true);
        TRY_END(host);
        if (model == NULL)
            continue;
        snprintf(name, sizeof name, "%s_option_%zu_of_%s", estimator->name, i, recipe->name);
        write_value(folder, name, model);
    }
}

/* Rows that wait for their formula, and models of the terms that it learned. */
static void write_learned(const char *folder)
{
    static const char *const names[] = {"a", "c"}, *const levels[] = {"red", "green", "blue"};
    static const char *const formulas[] = {"a * c + poly(a, 2)", "a:c - 1", "cut(a, 3) + ns(a, 2) + c", "cut(a, c(-Inf, 0, Inf)) * c + bs(a, knots = c(0.25))"};
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL};

    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        SchemaSpec spec = {.field_count = 2, .names = names, .kinds = kinds, .named = true, .formula = formulas[i]};
        Model *state = moments_new(ENV, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .deferred = true});
        const Estimator *estimator = estimator_find("linear_regression");
        Options *options = options_parse(ENV, estimator->name, estimator->options, "", 0, NULL, NULL, 0);
        char name[32];
        uint32_t position;

        for (unsigned l = 0; l < 3; l++)
            state = dictionary_add(ENV, state, DICTIONARY_LEVELS, 1, levels[l], (uint32_t)strlen(levels[l]), false, 0, &position);
        for (unsigned r = 0; r < 24; r++) {
            double slots[2] = {number(r, 0), r % 3};

            state = moments_add(ENV, state, slots, NULL, number(r, 1) + slots[0], 1);
        }
        snprintf(name, sizeof name, "deferred_%zu", i);
        write_value(folder, name, moments_finish(ENV, state));
        snprintf(name, sizeof name, "learned_%zu", i);
        write_value(folder, name, estimator_fit(ENV, estimator, &(FitInput){.kind = INPUT_MOMENTS, .moments = state}, options, true));
    }
}

/* The intercept alone: moments and models without features, and one whose formula has nothing but an offset. */
static void write_null_models(const char *folder)
{
    static const char *const estimators[] = {"linear_regression", "ridge_regression", "lasso_regression"}, *const offset[] = {"offset(a)"};
    SchemaSpec specs[] = {{.names = offset, .named = true, .formula = "1"}, {.field_count = 1, .names = offset, .named = true, .formula = "offset(a)"}};

    for (size_t s = 0; s < 2; s++) {
        Model *state = moments_new(ENV, &specs[s], &(MomentsPlan){.kind = MODEL_MOMENTS, .deferred = s == 1});
        char name[32];

        for (unsigned r = 0; r < 24; r++) {
            double slot = number(r, 0);

            state = moments_add(ENV, state, &slot, NULL, number(r, 1), 1);
        }
        snprintf(name, sizeof name, "null_moments_%zu", s);
        write_value(folder, name, moments_finish(ENV, state));
        for (size_t e = 0; e < sizeof estimators / sizeof estimators[0]; e++) {
            const Estimator *estimator = estimator_find(estimators[e]);
            Options *options = options_parse(ENV, estimator->name, estimator->options, "", 0, NULL, NULL, 0);

            snprintf(name, sizeof name, "null_%zu_%zu", s, e);
            write_value(folder, name, estimator_fit(ENV, estimator, &(FitInput){.kind = INPUT_MOMENTS, .moments = state}, options, true));
        }
    }
}

/* Formulas over the columns of fuzz_formula.c; the first byte changes numbers. */
static void write_formulas(const char *folder)
{
    static const char *const texts[] = {
        "Ax + z*g - b",
        "B(x + z + g)^2 - x:z - 1",
        "Cpoly(x, 2)*g + scale(z) + center(log(x + 3))",
        "Dbs(x, 4):h + ns(z, df = 3) + bs(z, df = 4, degree = 2)",
        "Ecut(x, 3) + factor(b) + C(g, ref = 'b')*x - 1",
        "F. + offset(log(x^2 + 1)) + I(x > 1) + e:g",
        "G(. - x)^2 %in% h / `Big.Name` + 0",
        "Hpoly(x, 3, raw = TRUE) + I(-x ** 2 / (z - 1)) + t + ln(\"x\")",
        "II(g == 'a' & !(x > 1 | h != 'it''s')) + sin(2 * pi * x) + log(x^2 + 1, base = 3)",
        "Mln(\"a ~ b\" / x) & g != 'i~t' ~ . - x",
        "Jbs(x, knots = c(1, 2.5), degree = 2) + ns(z, knots = 1) + cut(x, breaks = c(-Inf, 0, 2, 5)):g",
        "K1",
        "L1 + offset(x)",
    };
    char name[32];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(name, sizeof name, "formula_%zu", i);
        write_file(folder, "formula", name, texts[i], strlen(texts[i]));
    }
}

/* Documents that no program writes and that a reader takes. */
static void write_documents(const char *folder)
{
    static const char without_levels[] =
        "{\"learner\":{\"feature_names\":[\"x\",\"c\"],\"feature_types\":[\"float\",\"c\"],\"gradient_booster\":{\"model\":{"
        "\"gbtree_model_param\":{\"num_parallel_tree\":\"1\",\"num_trees\":\"1\"},\"tree_info\":[0],\"trees\":[{\"categories\":[],\"categories_nodes\":[0],"
        "\"categories_segments\":[0],\"categories_sizes\":[0],\"default_left\":[1,0,0],\"left_children\":[1,-1,-1],\"right_children\":[2,-1,-1],"
        "\"split_conditions\":[NaN,1,2],\"split_indices\":[1,0,0],\"split_type\":[1,0,0],\"sum_hessian\":[3,1,2]}]},\"name\":\"gbtree\"},"
        "\"learner_model_param\":{\"base_score\":\"0E0\",\"num_class\":\"0\",\"num_feature\":\"2\",\"num_target\":\"1\"},"
        "\"objective\":{\"name\":\"reg:squarederror\"}},\"version\":[1,7,4]}";

    write_file(folder, "xgboost", "category_without_levels", without_levels, strlen(without_levels));
}

/* A matrix of given distances, and methods fitted to it. */
static void write_given(const char *folder)
{
    static const char *const methods[][2] = {{"hierarchical", "{}"}, {"kmedoids", "{\"k\":2}"}, {"medoid", "{}"},
                                             {"dbscan", "{\"radius\":2}"}, {"optics", "{}"}, {"mds", "{}"}};
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const uint32_t lengths[] = {1, 1, 1, 1, 1};
    static const char *const columns[] = {"a", "b", "distance"};
    SchemaSpec spec = {.field_count = 3, .names = columns};
    ObjectIds ids = {5, names, lengths, "text"};
    ModelBuilder *builder = model_builder(ENV, MODEL_FITTED, "distance_matrix");
    const Estimator *matrix = estimator_find("distance_matrix");
    Rows *pairs;
    Model *model;

    schema_add(ENV, builder, &spec);
    pairs = rows_new(rows_pool(ENV), model_build(builder), 0);
    for (unsigned i = 0; i < 5; i++)
        for (unsigned j = 0; j < i; j++) {
            double pair[] = {i, j, 1 + (i * 3 + j) % 4};

            rows_append(pairs, pair, 0, 1, NULL, 0);
        }
    model = distance_matrix_build(ENV, pairs, options_parse(ENV, matrix->name, matrix->options, NULL, 0, NULL, NULL, 0), &ids, 0);
    write_value(folder, "distance_matrix", model);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        const Estimator *estimator = estimator_find(methods[i][0]);
        Options *options = options_parse(ENV, estimator->name, estimator->options, methods[i][1], strlen(methods[i][1]), NULL, NULL, 0);
        char name[64];

        snprintf(name, sizeof name, "%s_of_distances", estimator->name);
        write_value(folder, name, distance_matrix_fit(ENV, model, estimator, options));
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seeds DIR\n");
        return 1;
    }
    mkdir(argv[1], 0777);
    host = host_new();
    write_value(argv[1], "geometric_median", median());
    write_texts(argv[1]);
    write_formulas(argv[1]);
    write_documents(argv[1]);
    write_learned(argv[1]);
    write_null_models(argv[1]);
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        Model *state = make_state(&recipes[i]);

        write_value(argv[1], recipes[i].name, state);
        write_foreign_facts(argv[1], recipes[i].name, state);
        write_fits(argv[1], &recipes[i], state);
        write_optional(argv[1], &recipes[i], state);
        write_variants(argv[1], &recipes[i], state);
        host_reset(host);
    }
    write_row_fits(argv[1]);
    write_text_metrics(argv[1]);
    write_given(argv[1]);
    host_free(host);
    return 0;
}
