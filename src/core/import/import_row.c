/*
 * import_row.c - the stages of a pipeline that a document's columns ask for, and the schema of the model that scores them.
 */
#include "core/import/import_row.h"
#include "core/prepare/pipeline.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void import_fail(Env *env, const char *program, const char *format, ...)
{
    char message[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    env_fail(env, ERROR_DATA, NULL, "the %s document %s", program, message);
}

/* Tells whether the columns are the features of the row as they come. */
static bool import_row_is_plain(const ImportRow *row)
{
    bool plain = row->columns == row->features;

    for (uint32_t c = 0; plain && c < row->columns; c++)
        plain = (row->column[c].kind == IMPORT_COLUMN_NUMBER || row->column[c].kind == IMPORT_COLUMN_TEXT) && row->column[c].feature == c && !row->column[c].scaled;
    return plain;
}

/* Sets what replaces NULLs, and whether unknown levels are errors, in the stage that reads the row. */
static void add_nulls(Env *env, const ImportRow *row, ModelBuilder *builder)
{
    double *means = env_array(env, row->features, sizeof(double));
    uint32_t given = 0, numbers = 0;

    for (uint32_t f = 0; f < row->features; f++) {
        numbers += !row->feature[f].category;
        given += !isnan(row->feature[f].mean);
        means[f] = isnan(row->feature[f].mean) ? 0 : row->feature[f].mean;
    }
    if (row->strict)
        builder_header(builder)->flags |= MODEL_UNSEEN_ERROR;
    if (given == 0)
        return;
    if (given != numbers)
        import_fail(env, row->program, "replaces missing values of %u of %u columns of numbers, which is not read", given, numbers);
    builder_header(builder)->flags = (uint8_t)((builder_header(builder)->flags & ~MODEL_NULL_VALUES) | MODEL_IMPUTE);
    builder_f64(builder, SECTION_SCHEMA, "impute", means, row->features);
}

/* Begins a model that reads the row. */
static ModelBuilder *begin_first(Env *env, const ImportRow *row, const char *estimator, uint32_t classes, const char *const *labels, const Model **rows)
{
    uint32_t count = row->features, named = 0;
    const char **names = env_array(env, (size_t)count + 1, sizeof(char *));
    bool *categories = env_array(env, (size_t)count + 1, sizeof(bool));
    uint32_t *levels = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    const char *const **texts = env_array(env, (size_t)count + 1, sizeof(char **));
    ImportSchema schema = {.program = row->program, .origin = row->origin, .features = count, .categories = categories, .levels = levels, .level_names = texts, .classes = classes, .labels = labels};
    ModelBuilder *builder;

    for (uint32_t f = 0; f < count; f++) {
        const ImportFeature *feature = &row->feature[f];

        names[f] = feature->name;
        named += feature->name != NULL;
        categories[f] = feature->category;
        levels[f] = feature->levels;
        texts[f] = feature->level;
    }
    schema.names = named == count ? names : NULL;
    builder = import_begin(env, estimator, &schema, row->names);
    add_nulls(env, row, builder);
    *rows = schema.rows;
    return builder;
}

ModelBuilder *import_row_begin(Env *env, const ImportRow *row, const char *estimator, uint32_t classes, const char *const *labels, const Model **rows)
{
    ImportNames names = {.classes = row->names->classes, .class_count = row->names->class_count};
    ImportSchema schema = {.program = row->program, .origin = row->origin, .features = row->columns, .classes = classes, .labels = labels};
    ModelBuilder *builder;

    if (import_row_is_plain(row))
        return begin_first(env, row, estimator, classes, labels, rows);
    builder = import_begin(env, estimator, &schema, &names);
    builder_header(builder)->flags &= (uint8_t)~MODEL_NULL_VALUES; /* the stage that reads the row decides about them */
    *rows = schema.rows;
    return builder;
}

static Model *level_stage(Env *env, const ImportRow *row)
{
    int64_t *slot = env_array(env, (size_t)row->columns + 1, sizeof(int64_t)), *level = env_array(env, (size_t)row->columns + 1, sizeof(int64_t));
    int64_t *reference = env_array(env, (size_t)row->features + 1, sizeof(int64_t)), *first = env_array(env, (size_t)row->features + 1, sizeof(int64_t));
    bool same = row->columns == row->features;
    uint32_t categories = 0, total = 0;
    const Model *rows;
    ModelBuilder *builder;

    for (uint32_t f = 0; f < row->features; f++) {
        first[f] = total;
        total += row->feature[f].levels;
        reference[categories] = -1;
        categories += row->feature[f].category;
    }
    for (uint32_t c = 0; c < row->columns; c++) {
        const ImportColumn *column = &row->column[c];

        if (column->kind == IMPORT_COLUMN_CODE)
            import_fail(env, row->program, "has columns that a LabelEncoder makes beside others that are moved, chosen or of levels, which is not read");
        slot[c] = column->feature;
        level[c] = column->kind == IMPORT_COLUMN_LEVEL ? first[column->feature] + column->level : -1;
        same = same && slot[c] == c && level[c] < 0;
    }
    if (same)
        return NULL;
    builder = begin_first(env, row, "one_hot", 0, NULL, &rows);
    builder_i64(builder, SECTION_ARRAYS, "column_slot", slot, row->columns);
    builder_i64(builder, SECTION_ARRAYS, "column_level", level, row->columns);
    if (categories > 0)
        builder_i64(builder, SECTION_ARRAYS, "reference", reference, categories);
    return model_build(builder);
}

static Model *code_stage(Env *env, const ImportRow *row)
{
    bool same = row->columns == row->features;
    double *missing = env_array(env, 1, sizeof(double)), *codes, *rows_of;
    uint32_t levels = 0, coded = 0, at = 0;
    const Model *rows;
    ModelBuilder *builder;

    for (uint32_t c = 0; c < row->columns && same; c++) {
        same = row->column[c].feature == c && row->column[c].kind != IMPORT_COLUMN_LEVEL;
        coded += row->column[c].kind == IMPORT_COLUMN_CODE;
    }
    if (!same || coded == 0)
        return NULL;
    for (uint32_t f = 0; f < row->features; f++)
        levels += row->feature[f].levels;
    codes = env_array(env, (size_t)levels + 1, sizeof(double));
    rows_of = env_array(env, (size_t)levels + 1, sizeof(double));
    *missing = NAN;
    for (uint32_t f = 0; f < row->features; f++) {
        const ImportFeature *feature = &row->feature[f];

        if (!feature->category)
            continue;
        if (!isnan(*missing) && *missing != feature->missing)
            import_fail(env, row->program, "has LabelEncoders with the defaults %g and %g, which is not read", *missing, feature->missing);
        *missing = feature->missing;
        for (uint32_t l = 0; l < feature->levels; l++)
            codes[at++] = feature->code[l];
    }
    builder = begin_first(env, row, "target_encoder", 0, NULL, &rows);
    builder_f64(builder, SECTION_ARRAYS, "target_mean", missing, 1);
    builder_f64(builder, SECTION_ARRAYS, "encoding", codes, levels);
    builder_f64(builder, SECTION_ARRAYS, "level_rows", rows_of, levels);
    return model_build(builder);
}

static Model *scaling_stage(Env *env, const ImportRow *row, bool first)
{
    double *shift = env_array(env, (size_t)row->columns + 1, sizeof(double)), *scale = env_array(env, (size_t)row->columns + 1, sizeof(double));
    ImportSchema schema = {.program = row->program, .origin = row->origin, .features = row->columns};
    ImportNames names = {0};
    bool scaled = false;
    const Model *rows;
    ModelBuilder *builder;

    for (uint32_t c = 0; c < row->columns; c++) {
        shift[c] = row->column[c].shift;
        scale[c] = row->column[c].scale;
        scaled = scaled || row->column[c].scaled;
    }
    if (!scaled)
        return NULL;
    builder = first ? begin_first(env, row, "standard_scaler", 0, NULL, &rows) : import_begin(env, "standard_scaler", &schema, &names);
    builder_f64(builder, SECTION_ARRAYS, "shift", shift, row->columns);
    builder_f64(builder, SECTION_ARRAYS, "scale", scale, row->columns);
    return model_build(builder);
}

/* Fails unless a stage is sound, as pipeline_build expects it to be. */
static const Model *require_sound(Env *env, const ImportRow *row, const Model *stage)
{
    const char *wrong = model_check(env, stage, stage->size);

    if (wrong != NULL)
        import_fail(env, row->program, "makes no sound %.31s: %.200s", stage->estimator, wrong);
    return stage;
}

Model *import_row_model(Env *env, const ImportRow *row, Model *(*score)(void *context), void *context)
{
    const Model *stages[3];
    uint32_t count = 0;
    Model *stage = import_row_is_plain(row) ? NULL : code_stage(env, row);

    if (!import_row_is_plain(row)) {
        if (stage == NULL)
            stage = level_stage(env, row);
        if (stage != NULL)
            stages[count++] = require_sound(env, row, stage);
        stage = scaling_stage(env, row, count == 0);
        if (stage != NULL)
            stages[count++] = require_sound(env, row, stage);
    }
    if (score != NULL && count == 0)
        return score(context);
    if (score != NULL)
        stages[count++] = require_sound(env, row, score(context));
    if (count == 0)
        import_fail(env, row->program, "has no part that scores or transforms");
    return pipeline_build(env, stages, count);
}
