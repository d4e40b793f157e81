/*
 * polynomial_features.c - powers and products of the features.
 *
 * Array:
 *   factors  I32[outputs x degree]  the slots whose numbers are multiplied, in order; -1 after the last
 */
#include "core/model/report_text.h"
#include "core/prepare/affine_scaler.h"

#include <math.h>

#define DEGREE_MOST 20

static const OptionSpec polynomial_options[] = {
    {.name = "degree",
     .types = OPTION_INTEGER,
     .fallback = "2",
     .minimum = 1,
     .maximum = DEGREE_MOST,
     .help = "The most features that are multiplied."},
    {.name = "include_bias", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Whether the first output is the constant 1."},
    {.name = "interaction_only",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Leave out powers: multiply each feature at most once."},
    {.name = NULL}};

typedef struct Polynomial {
    uint32_t outputs, degree;
    const int32_t *factors;
} Polynomial;

static const ArraySpec polynomial_arrays[] = {{.name = "factors",
                                               .type = ARRAY_I32,
                                               .rows = {SIZE_FREE},
                                               .columns = {SIZE_FREE},
                                               .values = VALUES_INDEX,
                                               .least = -1,
                                               .below = SIZE_SLOTS,
                                               .data_at = VIEW_AT(Polynomial, factors),
                                               .rows_at = VIEW_AT(Polynomial, outputs),
                                               .columns_at = VIEW_AT(Polynomial, degree)}};
static const ArrayTable polynomial_tables[] = ARRAY_TABLES(ARRAY_TABLE(polynomial_arrays), NO_FACTS);

static Polynomial polynomial_view(const Model *model)
{
    Polynomial view = {0};

    view_arrays(model, polynomial_tables, &view);
    return view;
}

/* ---- fit ---- */

/* Returns how many outputs there are: sums of binomial coefficients. */
static double count_outputs(uint32_t slots, uint32_t degree, bool interactions, bool bias)
{
    double total = bias, of_degree = 1;

    for (uint32_t d = 1; d <= degree; d++) {
        double choices = interactions ? (double)slots - d + 1 : (double)slots + d - 1;

        of_degree *= choices > 0 ? choices / d : 0;
        total += floor(of_degree + 0.5);
    }
    return total;
}

/* Advances to the next combination of d slots in order. Returns false after the last. */
static bool next_combination(int32_t *combination, uint32_t d, uint32_t slots, bool interactions)
{
    for (uint32_t i = d; i-- > 0;) {
        int64_t most = interactions ? (int64_t)slots - d + i : (int64_t)slots - 1;

        if (combination[i] >= most)
            continue;
        combination[i]++;
        for (uint32_t j = i + 1; j < d; j++)
            combination[j] = combination[j - 1] + interactions;
        return true;
    }
    return false;
}

/* Writes the factors of all outputs, in the order of scikit-learn: by degree, then by the features. */
static void write_factors(Env *env, int32_t *factors, uint32_t slots, uint32_t degree, bool interactions, bool bias)
{
    int32_t combination[DEGREE_MOST];
    size_t at = 0;

    for (uint32_t j = 0; bias && j < degree; j++)
        factors[at++] = -1;
    for (uint32_t d = 1; d <= degree && (!interactions || d <= slots); d++) {
        for (uint32_t i = 0; i < d; i++)
            combination[i] = interactions ? (int32_t)i : 0;
        do {
            for (uint32_t j = 0; j < degree; j++)
                factors[at++] = j < d ? combination[j] : -1;
            env_poll_every(env, at / degree, 4096);
        } while (next_combination(combination, d, slots, interactions));
    }
}

static Model *polynomial_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    uint32_t slots = input->moments->slot_count, degree = (uint32_t)options_integer(options, "degree");
    bool interactions = options_boolean(options, "interaction_only"), bias = options_boolean(options, "include_bias");
    double outputs = count_outputs(slots, degree, interactions, bias);
    int32_t *factors;

    if (outputs > SCHEMA_MAX_SLOTS)
        env_fail(env, ERROR_LIMIT, "Give a smaller degree or fewer features.",
                 "%s of degree %u of %u features has %.0f outputs, more than %u", self->name, degree, slots, outputs, SCHEMA_MAX_SLOTS);
    env_require_memory(env, (size_t)outputs * degree * sizeof(int32_t), "the list of outputs");
    factors = env_array_raw(env, (size_t)outputs * degree + 1, sizeof(int32_t));
    write_factors(env, factors, slots, degree, interactions, bias);
    builder_numbers(builder, SECTION_ARRAYS, "factors", ARRAY_I32, factors, 2, (uint32_t)outputs, degree);
    return model_build(builder);
}

/* ---- scores ---- */

static void polynomial_transform(const Model *model, const void *prepared, const double *slots, double *out)
{
    Polynomial view = polynomial_view(model);
    const int32_t *factor = view.factors;

    for (uint32_t i = 0; i < view.outputs; i++, factor += view.degree) {
        double product = 1;

        for (uint32_t j = 0; j < view.degree && factor[j] >= 0; j++)
            product *= slots[factor[j]];
        out[i] = product;
    }
}

static uint32_t polynomial_width(const Model *model)
{
    return polynomial_view(model).outputs;
}

static const Scoring polynomial_scoring = {.transform = polynomial_transform, .width = polynomial_width};

/* ---- reports ---- */

/* Adds "1", "a", "a^2", "a:b", "a^2:b". */
static void polynomial_output_name(TextBuffer *out, const Model *model, uint32_t output)
{
    Polynomial view = polynomial_view(model);
    const int32_t *factor = view.factors + (size_t)output * view.degree;
    uint32_t count = 0, power;

    while (count < view.degree && factor[count] >= 0)
        count++;
    if (count == 0)
        text_add(out, "1");
    for (uint32_t j = 0; j < count; j += power) {
        for (power = 1; j + power < count && factor[j + power] == factor[j]; power++)
            ;
        if (j > 0)
            text_character(out, ':');
        output_slot_name(out, model, (uint32_t)factor[j]);
        if (power > 1)
            text_print(out, "^%u", power);
    }
}

static void polynomial_output_sql(TextBuffer *out, const Model *model, uint32_t output)
{
    Polynomial view = polynomial_view(model);
    const int32_t *factor = view.factors + (size_t)output * view.degree;

    if (factor[0] < 0)
        sql_number(out, 1);
    for (uint32_t j = 0; j < view.degree && factor[j] >= 0; j++) {
        text_add(out, j > 0 ? " * " : "");
        sql_slot(out, model, (uint32_t)factor[j], 0);
    }
}

const Estimator estimator_polynomial_features = {
    .name = "polynomial_features",
    .task = TASK_PREPARATION,
    .input = INPUT_FEATURE_MOMENTS,
    .numeric = true,
    .supervised = false,
    .options = OPTION_TABLES(options_common, polynomial_options),
    .help = "Adds powers and products of the features up to a degree.",
    .source = "scikit-learn's PolynomialFeatures",
    .fit = polynomial_fit,
    .arrays = polynomial_tables,
    .scoring = &polynomial_scoring,
    .output_name = polynomial_output_name,
    .output_sql = polynomial_output_sql,
    .to_sql = outputs_to_sql,
};
