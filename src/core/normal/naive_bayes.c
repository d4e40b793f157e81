/*
 * naive_bayes.c - classes whose features are independent: numbers are normal, categories have a probability per level.
 *
 * Each feature has a variance per class, or variances are shared: by all features of a class, by all classes of a
 * feature, or by all. A level has the probability (n + k) / (N + k levels), with k rows added per level (Laplace,
 * Lidstone). Everything follows from the means and sums of squares of each class.
 */
#include "core/estimator/shared_options.h"
#include "core/normal/normal_model.h"

#include <math.h>

static const char *const variance_choices[] = {"feature_class", "class", "feature_shared", "shared", NULL};

static const OptionSpec naive_bayes_options[] = {
    {.name = "level_smoothing",
     .types = OPTION_NUMBER,
     .fallback = "1",
     ABOVE_ZERO,
     .help = "Pseudo-count added to each level of a categorical feature in each class, so that none has probability "
             "0."},
    {.name = "var_smoothing",
     .formerly = "smoothing",
     .types = OPTION_NUMBER,
     .fallback = "1e-9",
     FROM_ZERO,
     .help = "Added to every variance, as a share of the largest variance of a feature over all rows."},
    {.name = "variance",
     .types = OPTION_STRING,
     .fallback = "\"feature_class\"",
     .choices = variance_choices,
     .help = "Which variances are estimated: one per feature and class, one per class, one per feature, or a single "
             "one."},
    {.name = NULL}};

/* The numeric terms of a design, [count] positions. */
typedef struct Numbers {
    uint32_t *terms, count;
} Numbers;

static Numbers numbers_of(Env *env, const ScatterDesign *design)
{
    Numbers numbers = {env_array(env, (size_t)design->terms + 1, sizeof(uint32_t)), 0};

    for (uint32_t t = 0; t < design->terms; t++)
        if (design->term_level[t] < 0)
            numbers.terms[numbers.count++] = t;
    return numbers;
}

/* Returns the sum of squares of a term within a class. */
static double squares_of(const ScatterDesign *design, uint32_t class, uint32_t term)
{
    return design->scatter[(size_t)class * design->terms + term];
}

/* Returns the largest variance of a numeric feature over all rows. */
static double largest_variance(const ScatterDesign *design, const Numbers *numbers)
{
    double largest = 0;

    for (uint32_t i = 0; i < numbers->count; i++) {
        uint32_t term = numbers->terms[i];
        double weight = 0, mean = 0, squares = 0;
        for (uint32_t c = 0; c < design->classes; c++) {
            double own = design->weight[c], difference;
            difference = design->means[(size_t)c * design->terms + term] - mean;
            squares += squares_of(design, c, term) + difference * difference * (weight * (own / (weight + own))); /* huge weights have no product */
            weight += own;
            mean += difference * (own / weight);
        }
        if (!normal_vanishes(squares / weight, mean))
            largest = fmax(largest, squares / weight);
    }
    return largest;
}

/* Returns the variances, [rows x columns]: averages over the classes and features that share one, weighted by the classes. */
static double *variances_of(const NormalFit *fit, const Numbers *numbers, bool by_class, bool by_feature,
                            uint32_t rows, uint32_t columns)
{
    const ScatterDesign *design = fit->design;
    size_t size = (size_t)rows * columns;
    double *variances = env_array(fit->env, size + 1, sizeof(double));
    double *weights = env_array(fit->env, size + 1, sizeof(double));

    for (uint32_t c = 0; c < design->classes; c++)
        for (uint32_t i = 0; i < numbers->count; i++) {
            uint32_t term = numbers->terms[i];
            size_t to = (by_class ? (size_t)c * columns : 0) + (by_feature ? i : 0);
            double variance = squares_of(design, c, term) / design->weight[c];
            if (normal_vanishes(variance, design->means[(size_t)c * design->terms + term]))
                variance = 0;
            weights[to] += design->weight[c];
            variances[to] += (variance - variances[to]) * (design->weight[c] / weights[to]);
        }
    return variances;
}

/* Fails because an estimated variance, at this row and column of the array, is 0 or not finite. */
static void __attribute__((noreturn)) fail_constant(const NormalFit *fit, const Numbers *numbers,
                                                    bool by_class, bool by_feature, uint32_t row,
                                                    uint32_t column, double largest)
{
    const char *hint = largest > 0 ? "Use option \"var_smoothing\" (default 1e-9), or leave the feature out." :
                                     "Leave the feature out: no number varies, and \"var_smoothing\" is a share of the largest variance.";
    const char *feature = normal_term_name(fit, numbers->terms[column]);

    if (by_class && by_feature)
        env_fail(fit->env, ERROR_DATA, hint, "feature %s has no variance in class \"%s\" (%s)", feature,
                 normal_class_name(fit, row), normal_rows_text(fit, fit->design->rows[row]));
    if (by_class)
        env_fail(fit->env, ERROR_DATA, hint, "no feature has a variance in class \"%s\" (%s)",
                 normal_class_name(fit, row), normal_rows_text(fit, fit->design->rows[row]));
    if (by_feature)
        env_fail(fit->env, ERROR_DATA, hint, "feature %s has no variance in any class", feature);
    env_fail(fit->env, ERROR_DATA, hint, "no feature has a variance in any class");
}

/* Returns the probabilities of all levels in final order, [classes x levels]; NULL if there are no levels. */
static double *level_probabilities(const NormalFit *fit)
{
    const Model *source = fit->input->moments;
    const ScatterDesign *design = fit->design;
    uint32_t levels = dictionary_size(source, DICTIONARY_LEVELS), *order;
    double add = options_number(fit->options, "level_smoothing"), *probabilities;

    if (levels == 0)
        return NULL;
    order = env_array(fit->env, levels, sizeof(uint32_t));
    dictionary_final_order(fit->env, source, DICTIONARY_LEVELS, order);
    probabilities = env_array(fit->env, (size_t)design->classes * levels, sizeof(double));
    for (uint32_t c = 0; c < design->classes; c++) {
        double *own = probabilities + (size_t)c * levels;
        for (uint32_t t = 0; t < design->terms; t++)
            if (design->term_level[t] >= 0)
                own[design->term_level[t]] =
                    fmax(0, design->means[(size_t)c * design->terms + t]) * design->weight[c];
        for (uint32_t l = 0; l < levels; l++) {
            uint32_t field = dictionary_field(source, order[l]);
            own[l] = (own[l] + add) /
                     (design->weight[c] + add * schema_field_levels(source, field));
        }
    }
    return probabilities;
}

static Model *naive_bayes_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                              ModelBuilder *builder)
{
    bool by_class = options_is(options, "variance", "feature_class") || options_is(options, "variance", "class");
    bool by_feature = options_is(options, "variance", "feature_class") ||
                      options_is(options, "variance", "feature_shared");
    uint32_t rows, columns, levels = dictionary_size(input->moments, DICTIONARY_LEVELS);
    NormalFit fit;
    Numbers numbers;
    double added, largest, *variances, *probabilities;

    if (!normal_begin(&fit, env, self, input, options, CODING_FULL))
        return NULL;
    numbers = numbers_of(env, fit.design);
    rows = by_class ? fit.design->classes : 1;
    columns = by_feature ? numbers.count : 1;
    largest = largest_variance(fit.design, &numbers);
    added = options_number(options, "var_smoothing") * largest;
    variances = variances_of(&fit, &numbers, by_class, by_feature, rows, columns);
    for (uint32_t c = 0; c < rows && numbers.count > 0; c++)
        for (uint32_t i = 0; i < columns; i++) {
            double *variance = &variances[(size_t)c * columns + i];
            *variance += added;
            if (*variance > 0 && isfinite(*variance))
                continue;
            if (normal_allows_null(&fit))
                return NULL;
            fail_constant(&fit, &numbers, by_class, by_feature, c, i, largest);
        }
    probabilities = level_probabilities(&fit);
    normal_add(&fit, numbers.terms, numbers.count, builder);
    if (numbers.count > 0) {
        builder_f64_matrix(builder, SECTION_ARRAYS, "variances", variances, rows, columns);
        builder_fact(builder, "added_variance", added);
    }
    if (probabilities != NULL)
        builder_f64_matrix(builder, SECTION_ARRAYS, "level_probabilities", probabilities, fit.design->classes, levels);
    return model_build(builder);
}

const Estimator estimator_naive_bayes = {
    .name = "naive_bayes",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_CLASS_MOMENTS,
    .diagonal = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_positive, option_priors, option_too_few_rows, options_normal, naive_bayes_options),
    .help = "Naive Bayes: assumes that features are independent within a class; numbers are normal, categories have "
            "level frequencies.",
    .source = "Duda & Hart 1973; John & Langley 1995, UAI",
    .fit = naive_bayes_fit,
    .arrays = naive_bayes_array_tables,
    .check = normal_check,
    .scoring = &normal_scoring,
    .sampling = &naive_bayes_sampling,
    .to_sql = normal_to_sql,
    .summary = normal_summary,
};
