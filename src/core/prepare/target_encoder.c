/*
 * target_encoder.c - categories as the mean target of their rows, drawn toward the mean of all rows (Micci-Barreca 2001).
 *
 * The encoding of a level with n rows of mean m, where all rows have mean g:
 *   smoothing s (a number)  (n m + s g) / (n + s)
 *   "auto"                  l m + (1 - l) g, with l = v n / (v n + w), v the variance of the target, and w that within the level: the
 *                           empirical Bayes estimate under normal distributions, as in scikit-learn 1.3
 *
 * Arrays:
 *   encoding     F64[levels]  by position in the dictionary
 *   level_rows   F64[levels]  rows of each level, or their weights
 *   target_mean  F64[1]       g, for unknown levels
 */
#include "core/estimator/table.h"
#include "core/model/report_text.h"
#include "core/prepare/affine_scaler.h"
#include "core/rows/row_design.h"

#include <math.h>

static const char *const smoothing_choices[] = {"auto", NULL};

static const OptionSpec encoder_options[] = {
    {.name = "smoothing",
     .types = OPTION_NUMBER | OPTION_STRING,
     .fallback = "\"auto\"",
     FROM_ZERO,
     .choices = smoothing_choices,
     .help = "How many rows of the overall mean each level is mixed with; \"auto\" decides by the variance of the target within the level."},
    {.name = NULL}};

typedef struct Encoder {
    uint32_t levels;
    const double *encoding, *rows, *mean;
} Encoder;

static const ArraySpec encoder_arrays[] = {
    {.name = "encoding",
     .type = ARRAY_F64,
     .rows = {SIZE_LEVELS},
     .sized = true,
     .data_at = VIEW_AT(Encoder, encoding),
     .rows_at = VIEW_AT(Encoder, levels)},
    {.name = "level_rows",
     .type = ARRAY_F64,
     .rows = {SIZE_LEVELS},
     .sized = true,
     .values = VALUES_NONNEGATIVE,
     .data_at = VIEW_AT(Encoder, rows)},
    {.name = "target_mean", .type = ARRAY_F64, .rows = {SIZE_NUMBER, .plus = 1}, .data_at = VIEW_AT(Encoder, mean)}};
static const ArrayTable encoder_tables[] = ARRAY_TABLES(ARRAY_TABLE(encoder_arrays), NO_FACTS);

static Encoder encoder_view(const Model *model)
{
    Encoder view = {0};

    view_arrays(model, encoder_tables, &view);
    return view;
}

/* ---- fit ---- */

/* Weighted sums over all rows, and over the rows of each level. */
typedef struct EncoderSums {
    Env *env;
    RowDesign *design;
    uint32_t levels, slots;
    bool *category;                      /* [slots] */
    double weight, mean, squares;        /* squares: about the mean */
    double *rows, *means, *level_squares; /* [levels] */
    double unit;                         /* by which weights are multiplied, so that they count rows */
} EncoderSums;

/* Adds a row to means (about_means false), or to the squared differences from them. */
static void add_row(EncoderSums *sums, const double *slots, double y, double weight, bool about_means)
{
    double d = y - sums->mean;

    if (!about_means) {
        sums->weight += weight;
        sums->mean += d * (weight / sums->weight);
    } else {
        sums->squares += weight * d * d;
    }
    for (uint32_t s = 0; s < sums->slots; s++) {
        uint32_t level = sums->category[s] ? (uint32_t)slots[s] : 0;

        if (!sums->category[s])
            continue;
        d = y - sums->means[level];
        if (!about_means) {
            sums->rows[level] += weight;
            sums->means[level] += d * (weight / sums->rows[level]);
        } else {
            sums->level_squares[level] += weight * d * d;
        }
    }
}

static void add_rows(EncoderSums *sums, bool about_means)
{
    DesignReader *reader = design_reader(sums->design);
    DesignBlock block;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            add_row(sums, sums->slots > 0 ? block.x + (size_t)i * sums->slots : NULL, block.targets[i],
                    sums->unit * row_weight(block.weights, i), about_means);
    design_reader_free(reader);
}

/* Returns the encoding of a level. smoothing: NaN for "auto". */
static double encode(const EncoderSums *sums, uint32_t level, double smoothing)
{
    double rows = sums->rows[level], share, variance = sums->squares / sums->weight;

    if (!(rows > 0))
        return sums->mean;
    if (smoothing == smoothing)
        share = rows / (rows + smoothing);
    else
        share = variance * rows / (variance * rows + sums->level_squares[level] / rows);
    if (!(share >= 0))
        return sums->mean;
    return share * sums->means[level] + (1 - share) * sums->mean;
}

static Model *encoder_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    const Model *schema = rows_schema(input->rows);
    EncoderSums sums = {.env = env, .levels = dictionary_size(schema, DICTIONARY_LEVELS), .slots = schema->slot_count, .unit = 1};
    double smoothing = options_type(options, "smoothing") == OPTION_NUMBER ? options_number(options, "smoothing") : NAN, *mean, *encoding;

    sums.design = row_design(env, input->rows, DESIGN_SLOTS, self->name);
    sums.category = env_array(env, (size_t)sums.slots + 1, sizeof(bool));
    for (uint32_t s = 0; s < sums.slots; s++)
        sums.category[s] = schema_field_kind(schema, schema_slot_field(schema, s)) == FIELD_CATEGORICAL;
    sums.rows = env_array(env, 3 * (size_t)sums.levels + 1, sizeof(double));
    sums.means = sums.rows + sums.levels;
    sums.level_squares = sums.means + sums.levels;
    if ((rows_contents(input->rows) & ROWS_WEIGHT) != 0 && !(schema->flags & MODEL_FREQUENCY))
        sums.unit = (double)schema->rows / schema->weight;
    add_rows(&sums, false);
    add_rows(&sums, true);
    encoding = env_array(env, (size_t)sums.levels + 1, sizeof(double));
    for (uint32_t l = 0; l < sums.levels; l++)
        encoding[l] = encode(&sums, l, smoothing);
    mean = env_array(env, 1, sizeof(double));
    *mean = sums.mean;
    builder_f64(builder, SECTION_ARRAYS, "target_mean", mean, 1);
    if (sums.levels > 0) {
        builder_f64(builder, SECTION_ARRAYS, "encoding", encoding, sums.levels);
        builder_f64(builder, SECTION_ARRAYS, "level_rows", sums.rows, sums.levels);
    }
    return model_build(builder);
}

/* ---- scores ---- */

static void encoder_transform(const Model *model, const void *prepared, const double *slots, double *out)
{
    Encoder view = encoder_view(model);
    SchemaView schema;
    uint32_t s = 0;

    schema_view(model, &schema);
    for (uint32_t f = 0; f < model->field_count; f++) {
        bool category = schema_view_kind(model, &schema, f) == FIELD_CATEGORICAL;

        for (uint32_t i = schema_view_width(model, &schema, f); i > 0; i--, s++)
            out[s] = !category                                   ? slots[s]
                     : slots[s] >= 0 && slots[s] < view.levels ? view.encoding[(uint32_t)slots[s]]
                                                                 : *view.mean;
    }
}

static uint32_t encoder_width(const Model *model)
{
    return model->slot_count;
}

static const Scoring encoder_scoring = {.transform = encoder_transform, .width = encoder_width};

/* ---- reports ---- */

static void encoder_output_sql(TextBuffer *out, const Model *model, uint32_t output)
{
    Encoder view = encoder_view(model);
    uint32_t field = schema_slot_field(model, output);
    bool impute = (model->flags & MODEL_IMPUTE) != 0;

    if (schema_field_kind(model, field) != FIELD_CATEGORICAL) {
        sql_slot(out, model, output, 0);
        return;
    }
    text_add(out, "CASE");
    for (uint32_t l = 0; l < view.levels; l++) {
        if (dictionary_field(model, l) != field)
            continue;
        text_add(out, " WHEN ");
        sql_level(out, model, output, l);
        text_add(out, " THEN ");
        sql_number(out, view.encoding[l]);
    }
    if (!impute) {
        text_add(out, " WHEN ");
        sql_column(out, model, output);
        text_add(out, " IS NULL THEN NULL");
    }
    text_add(out, " ELSE ");
    sql_number(out, *view.mean);
    text_add(out, " END");
}

static void *open_encodings(Env *env, const Model *model, uint64_t *rows)
{
    Encoder *view = env_array(env, 1, sizeof *view);

    *view = encoder_view(model);
    *rows = view->levels;
    return view;
}

static bool encoding_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const Encoder *view = data;
    uint32_t level = (uint32_t)i;
    TextBuffer name = {.env = env};

    output_field_name(&name, model, dictionary_field(model, level));
    cell_buffer(&cells[0], &name);
    cell_of_dictionary(&cells[1], model, DICTIONARY_LEVELS, level);
    cell_number(&cells[2], view->rows[i]);
    cell_number(&cells[3], view->encoding[i]);
    return true;
}

static const Table encodings = {.name = "encodings", .open = open_encodings, .row = encoding_row};
static const Table *const encoder_model_tables[] = {&encodings, NULL};

const Estimator estimator_target_encoder = {
    .name = "target_encoder",
    .task = TASK_PREPARATION,
    .input = INPUT_ROWS,
    .supervised = true,
    .options = OPTION_TABLES(options_common, encoder_options),
    .help = "Turns each category into the smoothed mean target of its rows; numbers stay as they are.",
    .source = "Micci-Barreca 2001, SIGKDD Explorations 3(1); scikit-learn's TargetEncoder",
    .fit = encoder_fit,
    .arrays = encoder_tables,
    .scoring = &encoder_scoring,
    .output_name = output_slot_name,
    .output_sql = encoder_output_sql,
    .tables = encoder_model_tables,
    .to_sql = outputs_to_sql,
};
