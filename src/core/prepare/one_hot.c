/*
 * one_hot.c - categories as one column of zeros and ones per level. Numbers stay as they are.
 *
 * Arrays: those of model_terms.h, and
 *   reference  I64[categorical slots]  the level without a column, or -1
 */
#include "core/base/json.h"
#include "core/model/report_text.h"
#include "core/moments/model_terms.h"
#include "core/prepare/affine_scaler.h"

#include <math.h>
#include <string.h>

static const char *const drop_choices[] = {"none", "first", "if_binary", NULL};

static const OptionSpec one_hot_options[] = {
    {.name = "drop",
     .types = OPTION_STRING,
     .fallback = "\"none\"",
     .choices = drop_choices,
     .help = "Which levels get no column: none, the first of each feature, or the first of features with two levels."},
    {.name = NULL}};

typedef struct OneHot {
    Terms terms;
    const int64_t *reference; /* NULL: there are no categories */
} OneHot;

static const ArraySpec one_hot_arrays[] = {{.name = "reference",
                                            .type = ARRAY_I64,
                                            .rows = {SIZE_CATEGORICAL},
                                            .sized = true,
                                            .values = VALUES_INDEX,
                                            .least = -1,
                                            .below = SIZE_LEVELS,
                                            .data_at = VIEW_AT(OneHot, reference)}};
static const ArrayTable one_hot_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(one_hot_arrays), ARRAY_TABLE_AT(term_arrays, OneHot, terms), NO_FACTS);

static OneHot one_hot_view(const Model *model)
{
    uint32_t count = model->slot_count;
    OneHot view = {.reference = NULL};

    view_arrays(model, one_hot_tables, &view);
    if (view.terms.slot != NULL)
        model_i64(model, "column_slot", &count);
    view.terms.count = count;
    return view;
}

/* ---- fit ---- */

static Model *one_hot_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    uint32_t slots = input->moments->slot_count, kept = 0, categorical = 0;
    uint32_t *levels = env_array(env, (size_t)slots + 1, sizeof(uint32_t)), *term_slot, terms;
    int64_t *reference = env_array(env, (size_t)slots + 1, sizeof(int64_t));
    int32_t *term_level;
    bool *dropped = env_array(env, (size_t)slots + 1, sizeof(bool));

    terms = moments_terms(env, input->moments, &term_slot, &term_level);
    for (uint32_t t = 0; t < terms; t++)
        levels[term_slot[t]] += term_level[t] >= 0;
    for (uint32_t s = 0; s < slots; s++) {
        dropped[s] = options_is(options, "drop", "first") || (options_is(options, "drop", "if_binary") && levels[s] == 2);
        reference[s] = -1;
    }
    for (uint32_t t = 0; t < terms; t++) {
        uint32_t slot = term_slot[t];

        if (term_level[t] >= 0 && dropped[slot] && reference[slot] < 0) {
            reference[slot] = term_level[t];
            continue;
        }
        term_slot[kept] = slot;
        term_level[kept++] = term_level[t];
    }
    for (uint32_t s = 0; s < slots; s++)
        if (schema_field_kind(input->moments, schema_slot_field(input->moments, s)) == FIELD_CATEGORICAL)
            reference[categorical++] = reference[s];
    terms_add(env, builder, term_slot, term_level, kept);
    if (categorical > 0)
        builder_i64(builder, SECTION_ARRAYS, "reference", reference, categorical);
    return model_build(builder);
}

/* ---- scores ---- */

static void one_hot_transform(const Model *model, const void *prepared, const double *slots, double *out)
{
    OneHot view = one_hot_view(model);

    for (uint32_t t = 0; t < view.terms.count; t++)
        out[t] = term_value(&view.terms, t, slots);
}

static uint32_t one_hot_width(const Model *model)
{
    return one_hot_view(model).terms.count;
}

static const Scoring one_hot_scoring = {.transform = one_hot_transform, .width = one_hot_width};

/* ---- reports ---- */

static int64_t level_of(const OneHot *view, uint32_t term)
{
    return view->terms.level != NULL ? view->terms.level[term] : -1;
}

static uint32_t slot_of(const OneHot *view, uint32_t term)
{
    return view->terms.slot != NULL ? (uint32_t)view->terms.slot[term] : term;
}

static void one_hot_output_name(TextBuffer *out, const Model *model, uint32_t output)
{
    OneHot view = one_hot_view(model);

    output_term_name(out, model, slot_of(&view, output), level_of(&view, output));
}

static void one_hot_output_sql(TextBuffer *out, const Model *model, uint32_t output)
{
    OneHot view = one_hot_view(model);
    uint32_t slot = slot_of(&view, output);
    int64_t level = level_of(&view, output);
    bool impute = (model->flags & MODEL_IMPUTE) != 0;

    if (level < 0) {
        sql_slot(out, model, slot, 0);
        return;
    }
    text_add(out, impute ? "coalesce(" : "(");
    sql_level(out, model, slot, (uint32_t)level);
    text_add(out, impute ? ", false)::int::float8" : ")::int::float8");
}

/* Writes numbers as they are, and of a category the level whose number is the largest above one half, else the one without a column. */
static void one_hot_inverse_row(TextBuffer *out, const Model *model, const double *numbers)
{
    OneHot view = one_hot_view(model);
    uint32_t slots = model->slot_count, categorical = 0;
    int64_t *best = env_array(out->env, (size_t)slots + 1, sizeof(int64_t));
    double *value = env_array(out->env, (size_t)slots + 1, sizeof(double));

    for (uint32_t s = 0; s < slots; s++) {
        value[s] = 0.5;
        best[s] = -1;
    }
    for (uint32_t t = 0; t < view.terms.count; t++) {
        uint32_t slot = slot_of(&view, t);
        int64_t level = level_of(&view, t);

        if (level >= 0 && !(numbers[t] > value[slot]))
            continue;
        value[slot] = numbers[t];
        best[slot] = level;
    }
    for (uint32_t s = 0; s < slots; s++) {
        TextBuffer name = {.env = out->env};
        size_t length;
        char *text;

        output_slot_name(&name, model, s);
        text = text_finish(&name, &length);
        text_character(out, s == 0 ? '{' : ',');
        json_quote(out, text, length);
        text_character(out, ':');
        if (schema_field_kind(model, schema_slot_field(model, s)) == FIELD_CATEGORICAL) {
            output_level(out, model, (double)(best[s] >= 0 || view.reference == NULL ? best[s] : view.reference[categorical]));
            categorical++;
        } else {
            json_double(out, value[s]);
        }
    }
    text_add(out, slots == 0 ? "{}" : "}");
}

const Estimator estimator_one_hot = {
    .name = "one_hot",
    .task = TASK_PREPARATION,
    .input = INPUT_FEATURE_MOMENTS,
    .supervised = false,
    .options = OPTION_TABLES(options_common, one_hot_options),
    .help = "Turns each category into one column of zeros and ones per level; numbers stay as they are.",
    .source = "scikit-learn's OneHotEncoder",
    .diagonal = true,
    .fit = one_hot_fit,
    .arrays = one_hot_tables,
    .scoring = &one_hot_scoring,
    .output_name = one_hot_output_name,
    .output_sql = one_hot_output_sql,
    .inverse_row = one_hot_inverse_row,
    .to_sql = outputs_to_sql,
};
