/*
 * onnx_stages.c - the stages of a pipeline that a document's columns ask for, and the schema of the model that scores them.
 */
#include "core/exchange/onnx_import.h"
#include "core/estimator/estimator.h"

#include <math.h>
#include <string.h>

const char *const *onnx_integer_texts(Env *env, const double *numbers, uint32_t count)
{
    const char **texts = env_array(env, (size_t)count + 1, sizeof(char *));

    for (uint32_t i = 0; i < count; i++) {
        texts[i] = env_message(env, "%.0f", numbers[i]);
        env_poll_rows(env, i);
    }
    return texts;
}

bool onnx_import_is_plain(const OnnxImport *import)
{
    bool plain = import->columns == import->features;

    for (uint32_t c = 0; plain && c < import->columns; c++)
        plain = import->column[c].kind == ONNX_COLUMN_NUMBER && import->column[c].feature == c && !import->column[c].scaled;
    return plain;
}

/* Sets what replaces NULLs, and whether unknown levels are errors, in the stage that reads the row. */
static void add_nulls(OnnxImport *import, ModelBuilder *builder)
{
    double *means = env_array(import->env, import->features, sizeof(double));
    uint32_t given = 0, numbers = 0;

    for (uint32_t f = 0; f < import->features; f++) {
        numbers += !import->feature[f].category;
        given += !isnan(import->feature[f].mean);
        means[f] = isnan(import->feature[f].mean) ? 0 : import->feature[f].mean;
    }
    if (import->strict)
        builder_header(builder)->flags |= MODEL_UNSEEN_ERROR;
    if (given == 0)
        return;
    if (given != numbers)
        onnx_fail(import->env, "replaces missing values of %u of %u columns of numbers, which is not read", given, numbers);
    builder_header(builder)->flags = (uint8_t)((builder_header(builder)->flags & ~MODEL_NULL_VALUES) | MODEL_IMPUTE);
    builder_f64(builder, SECTION_SCHEMA, "impute", means, import->features);
}

/* Begins a model that reads the row. */
static ModelBuilder *begin_first(OnnxImport *import, const char *estimator, uint32_t classes, const char *const *labels, const Model **rows)
{
    Env *env = import->env;
    uint32_t count = import->features, named = 0;
    const char **names = env_array(env, (size_t)count + 1, sizeof(char *));
    bool *categories = env_array(env, (size_t)count + 1, sizeof(bool));
    uint32_t *levels = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    const char *const **texts = env_array(env, (size_t)count + 1, sizeof(char **));
    ImportSchema schema = {.program = "onnx", .features = count, .categories = categories, .levels = levels, .level_names = texts, .classes = classes, .labels = labels};
    ModelBuilder *builder;

    schema.origin = import->document->producer[0] != 0 ? env_message(env, "onnx by %s", import->document->producer) : "onnx";
    for (uint32_t f = 0; f < count; f++) {
        const OnnxFeature *feature = &import->feature[f];

        names[f] = feature->name;
        named += feature->name != NULL;
        categories[f] = feature->category;
        levels[f] = feature->levels;
        texts[f] = feature->level;
    }
    schema.names = named == count ? names : NULL;
    builder = import_begin(env, estimator, &schema, import->names);
    add_nulls(import, builder);
    *rows = schema.rows;
    return builder;
}

ModelBuilder *onnx_import_begin(OnnxImport *import, const char *estimator, uint32_t classes, const char *const *labels, const Model **rows)
{
    ImportNames names = {.classes = import->names->classes, .class_count = import->names->class_count};
    ImportSchema schema = {.program = "onnx", .features = import->columns, .classes = classes, .labels = labels};
    ModelBuilder *builder;

    if (onnx_import_is_plain(import))
        return begin_first(import, estimator, classes, labels, rows);
    builder = import_begin(import->env, estimator, &schema, &names);
    builder_header(builder)->flags &= (uint8_t)~MODEL_NULL_VALUES; /* the stage that reads the row decides about them */
    *rows = schema.rows;
    return builder;
}

const char *const *onnx_import_labels(OnnxImport *import, const char *strings, const char *integers, uint32_t *classes)
{
    uint32_t texts, numbers;
    const char *const *labels = onnx_texts(import->env, import->scorer, strings, &texts);
    const double *values = onnx_values(import->env, import->scorer, integers, &numbers, NULL);
    bool counted = true;

    if (texts > 0 && numbers > 0)
        onnx_fail(import->env, "is damaged: a %.40s has labels that are texts and labels that are numbers", import->scorer->operator);
    *classes = texts + numbers;
    for (uint32_t i = 0; i < numbers; i++)
        counted = counted && values[i] == i;
    return labels != NULL || counted ? labels : onnx_integer_texts(import->env, values, numbers);
}

Model *onnx_level_stage(OnnxImport *import)
{
    Env *env = import->env;
    int64_t *slot = env_array(env, (size_t)import->columns + 1, sizeof(int64_t)), *level = env_array(env, (size_t)import->columns + 1, sizeof(int64_t));
    int64_t *reference = env_array(env, (size_t)import->features + 1, sizeof(int64_t)), *first = env_array(env, (size_t)import->features + 1, sizeof(int64_t));
    bool same = import->columns == import->features;
    uint32_t categories = 0, total = 0;
    const Model *rows;
    ModelBuilder *builder;

    for (uint32_t f = 0; f < import->features; f++) {
        first[f] = total;
        total += import->feature[f].levels;
        reference[categories] = -1;
        categories += import->feature[f].category;
    }
    for (uint32_t c = 0; c < import->columns; c++) {
        const OnnxColumn *column = &import->column[c];

        if (column->kind == ONNX_COLUMN_CODE)
            onnx_fail(env, "has columns that a LabelEncoder makes beside others that are moved, chosen or of levels, which is not read");
        slot[c] = column->feature;
        level[c] = column->kind == ONNX_COLUMN_LEVEL ? first[column->feature] + column->level : -1;
        same = same && slot[c] == c && level[c] < 0;
    }
    if (same)
        return NULL;
    builder = begin_first(import, "one_hot", 0, NULL, &rows);
    builder_i64(builder, SECTION_ARRAYS, "column_slot", slot, import->columns);
    builder_i64(builder, SECTION_ARRAYS, "column_level", level, import->columns);
    if (categories > 0)
        builder_i64(builder, SECTION_ARRAYS, "reference", reference, categories);
    return model_build(builder);
}

Model *onnx_code_stage(OnnxImport *import)
{
    Env *env = import->env;
    bool same = import->columns == import->features;
    double *missing = env_array(env, 1, sizeof(double)), *codes, *rows_of;
    uint32_t levels = 0, coded = 0, at = 0;
    const Model *rows;
    ModelBuilder *builder;

    for (uint32_t c = 0; c < import->columns && same; c++) {
        same = import->column[c].feature == c && import->column[c].kind != ONNX_COLUMN_LEVEL;
        coded += import->column[c].kind == ONNX_COLUMN_CODE;
    }
    if (!same || coded == 0)
        return NULL;
    for (uint32_t f = 0; f < import->features; f++)
        levels += import->feature[f].levels;
    codes = env_array(env, (size_t)levels + 1, sizeof(double));
    rows_of = env_array(env, (size_t)levels + 1, sizeof(double));
    *missing = NAN;
    for (uint32_t f = 0; f < import->features; f++) {
        const OnnxFeature *feature = &import->feature[f];

        if (!feature->category)
            continue;
        if (!isnan(*missing) && *missing != feature->missing)
            onnx_fail(env, "has LabelEncoders with the defaults %g and %g, which is not read", *missing, feature->missing);
        *missing = feature->missing;
        for (uint32_t l = 0; l < feature->levels; l++)
            codes[at++] = feature->code[l];
    }
    builder = begin_first(import, "target_encoder", 0, NULL, &rows);
    builder_f64(builder, SECTION_ARRAYS, "target_mean", missing, 1);
    builder_f64(builder, SECTION_ARRAYS, "encoding", codes, levels);
    builder_f64(builder, SECTION_ARRAYS, "level_rows", rows_of, levels);
    return model_build(builder);
}

Model *onnx_scaling_stage(OnnxImport *import, bool first)
{
    Env *env = import->env;
    double *shift = env_array(env, (size_t)import->columns + 1, sizeof(double)), *scale = env_array(env, (size_t)import->columns + 1, sizeof(double));
    ImportSchema schema = {.program = "onnx", .features = import->columns};
    ImportNames names = {0};
    bool scaled = false;
    const Model *rows;
    ModelBuilder *builder;

    for (uint32_t c = 0; c < import->columns; c++) {
        shift[c] = import->column[c].shift;
        scale[c] = import->column[c].scale;
        scaled = scaled || import->column[c].scaled;
    }
    if (!scaled)
        return NULL;
    builder = first ? begin_first(import, "standard_scaler", 0, NULL, &rows) : import_begin(env, "standard_scaler", &schema, &names);
    builder_f64(builder, SECTION_ARRAYS, "shift", shift, import->columns);
    builder_f64(builder, SECTION_ARRAYS, "scale", scale, import->columns);
    return model_build(builder);
}
