/*
 * kernel_pca.c - principal components in the feature space of a kernel (Schoelkopf, Smola & Mueller 1998).
 *
 * The components are the eigenvectors u of the centered Gram matrix. The score of a row x on one of them is
 *     sum over i of a_i (k(x, x_i) - mean_j k(x, x_j) - mean_j k(x_i, x_j) + mean of all)     with a = u / sqrt(eigenvalue)
 * The a_i add up to 0, so the terms that do not depend on i cancel: the score is an expansion (kernel_model.h) with the intercept
 * -sum a_i mean_j k(x_i, x_j). With weights w, the matrix is that of rows times sqrt(w), less their weighted mean.
 *
 * Arrays of a model: those of an expansion with one problem per component, and
 *   variances  F64[k]  of the scores
 *   mean_value F64[1], row_weights F64[n]   mean of all kernel values (0: not centered), and the weights if there were any; for distances
 *   preimage_center F64[t], preimage_coef F64[n x t], preimage_gamma F64[1], preimage_scores F64[n x k]   with option preimages
 * Facts: total_variance; least_value, the smallest eigenvalue divided by the weight, where the matrix is not positive semi-definite.
 */
#include "core/reduce/gram_components.h"
#include "core/reduce/kernel_pca.h"

#include "core/estimator/shared_options.h"
#include "core/kernel_methods/gram_matrix.h"
#include "core/linalg/eigen.h"
#include "core/linalg/leading_eigen.h"
#include "core/reduce/component_sign.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const OptionSpec kernel_pca_options[] = {
    {.name = "center",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether to subtract the mean of the rows in feature space first."},
    {.name = "explained",
     .types = OPTION_NUMBER,
     ABOVE_ZERO_TO_ONE,
     .unset = "k decides",
     .help = "Instead of k: the smallest number of components that explain at least this share of the variance, from all eigenvalues, which is slow "
             "for many rows."},
    {.name = "k",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = INT32_MAX,
     .unset = "as many as the rows span, or explain the share explained",
     .help = "Number of components."},
    {.name = "preimage_lambda",
     .types = OPTION_NUMBER,
     .fallback = "0.1",
     ABOVE_ZERO,
     .help = "With preimages: the penalty of the regression from scores to rows; a larger one smooths more."},
    {.name = "preimages",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether to learn the way back from scores to features, for inverse_transform()."},
    {.name = NULL}};

/* ---- fit ---- */

typedef struct Fit {
    Env *env;
    const Options *options;
    KernelSample *sample;
    double *gram;  /* centered and weighted */
    double *means; /* [n] mean kernel values; NULL: not centered */
    double *mean;  /* [1] of them */
    double *roots; /* [n] of the weights; NULL: 1 */
    double weight; /* of all rows */
    double total;  /* trace of gram */
    double size;   /* the largest kernel value of a row with itself */
    double least;  /* smallest eigenvalue, or a bound from above */
    bool limited;  /* k or explained asks for fewer than all */
    uint32_t wanted;
    double *values, *vectors; /* [wanted], [wanted x n] */
} Fit;

/* Fails if the rows are fewer than k. Returns k; 0: not given. */
static uint32_t wanted_components(Env *env, const Options *options, uint64_t rows)
{
    int64_t k = options_given(options, "k") ? options_integer(options, "k") : 0;

    if (k > 0 && options_given(options, "explained"))
        env_fail(env, ERROR_PARAMETER, "Give only one of them.", "k and \"explained\" both set the number of components");
    if ((uint64_t)k > rows)
        env_fail(env, ERROR_DATA, "Ask for fewer components, or add rows.", "k is %lld, but there %s only %llu row%s", (long long)k,
                 rows == 1 ? "is" : "are", (unsigned long long)rows, rows == 1 ? "" : "s");
    return (uint32_t)k;
}

/* Compares what the fit needs with the budget, before anything is allocated. */
static void require_memory(const Fit *fit, uint64_t rows, uint32_t terms)
{
    uint32_t n = rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX;
    size_t components = fit->wanted > 0 ? fit->wanted : n, others;
    bool leading = fit->wanted > 0 && leading_eigen_pays(n, fit->wanted);

    others = leading ? leading_eigen_memory(n, fit->wanted) : eigen_memory(n, (uint32_t)components) - (size_t)n * n * sizeof(double);
    others += ((size_t)n * (terms + 2 * components + 4)) * sizeof(double);
    if (options_boolean(fit->options, "preimages"))
        others += preimages_memory(rows, (uint32_t)components, terms);
    gram_require_memory(fit->env, rows, 1, others, "kernel_pca");
}

/* Computes the matrix. */
static void load_gram(Fit *fit)
{
    Env *env = fit->env;
    KernelSample *sample = fit->sample;
    uint32_t n = sample->count;

    fit->gram = gram_matrix(sample, &sample->kernel);
    fit->mean = env_array(env, 1, sizeof(double));
    for (uint32_t i = 0; i < n; i++) {
        fit->weight += row_weight(sample->weights, i);
        fit->size = fmax(fit->size, row_weight(sample->weights, i) * fabs(fit->gram[(size_t)i * n + i]));
    }
    if (options_boolean(fit->options, "center")) {
        fit->means = env_array(env, n, sizeof(double));
        fit->mean[0] = gram_center(env, fit->gram, n, sample->weights, fit->means);
    }
    if (sample->weights != NULL) {
        fit->roots = env_array(env, n, sizeof(double));
        for (uint32_t i = 0; i < n; i++)
            fit->roots[i] = sqrt(sample->weights[i]);
        gram_weigh(env, fit->gram, n, fit->roots);
    }
    for (uint32_t i = 0; i < n; i++)
        fit->total += fit->gram[(size_t)i * n + i];
}

static void find_components(Fit *fit)
{
    double share = options_given(fit->options, "explained") ? options_number(fit->options, "explained") : NAN;
    GramComponents found;

    fit->limited = fit->wanted > 0;
    found = gram_components(fit->env, fit->gram, fit->sample->count, fit->wanted, share, fit->total, "kernel_pca");
    fit->wanted = found.count;
    fit->values = found.values;
    fit->vectors = found.vectors;
    fit->least = found.least;
}

/*
 * Warns about, and drops, components whose eigenvalues are not positive. Returns how many are left: if there are none, 0 in a window's
 * frame, and fails otherwise.
 */
static uint32_t positive_components(const Fit *fit, bool frame)
{
    Env *env = fit->env;
    uint32_t n = fit->sample->count, count = 0, most = fit->means != NULL ? n - 1 : n;
    double rounding = 4 * DBL_EPSILON * n * fmax(fmax(fit->values[0], -fit->least), fit->size); /* what centering leaves too */

    while (count < fit->wanted && count < most && fit->values[count] > rounding && fit->values[count] / fit->weight > 0)
        count++; /* a tiny value divided by many rows can vanish */
    if (count == 0 && frame)
        return 0;
    if (count == 0)
        env_fail(env, ERROR_DATA, "Use rows that differ.", "kernel_pca has no components: %s",
                 n == 1 ? "there is only one row" : "no eigenvalue is positive, as where all rows are equal");
    if (count < fit->wanted && fit->limited && !frame)
        env_warn(env, ERROR_DATA, "Ask for fewer components, or add rows.",
                 "kernel_pca has %u component%s instead of %u: the other eigenvalues are not positive", count, count == 1 ? "" : "s",
                 fit->wanted);
    return count;
}

/* Makes the largest score of a row positive, of equal ones that of the least hash: not the first, because rows come in any order. */
static void fix_sign(const KernelSample *sample, double *scores)
{
    double largest = component_largest(scores, sample->count);
    uint64_t least = UINT64_MAX;
    uint32_t chosen = 0;

    for (uint32_t i = 0; i < sample->count; i++) {
        uint64_t hash;

        if (fabs(scores[i]) < largest)
            continue;
        hash = rows_hash(0, sample->points + (size_t)i * sample->dims, sample->dims);
        if (hash < least) {
            least = hash;
            chosen = i;
        }
    }
    component_turn(scores, sample->count, chosen);
}

/* Turns eigenvectors into multipliers and intercepts. */
static KernelComponents components_of(Fit *fit, uint32_t count)
{
    Env *env = fit->env;
    uint32_t n = fit->sample->count;
    KernelComponents out = {.count = count, .values = fit->values, .multipliers = fit->vectors};

    if (fit->means != NULL)
        out.intercepts = env_array(env, count, sizeof(double));
    for (uint32_t c = 0; c < count; c++) {
        double *a = fit->vectors + (size_t)c * n, sum = 0;

        for (uint32_t i = 0; fit->roots != NULL && i < n; i++)
            a[i] /= fit->roots[i]; /* proportional to the scores */
        fix_sign(fit->sample, a);
        for (uint32_t i = 0; i < n; i++) {
            a[i] *= row_weight(fit->sample->weights, i) / sqrt(fit->values[c]);
            sum += a[i];
        }
        for (uint32_t i = 0; fit->means != NULL && i < n; i++) {
            a[i] -= row_weight(fit->sample->weights, i) * sum / fit->weight; /* exactly 0 but for rounding */
            out.intercepts[c] -= a[i] * fit->means[i];
        }
        env->poll(env);
    }
    return out;
}

static Model *kernel_pca_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    Fit fit = {.env = env, .options = options};
    Kernel kernel = kernel_of_options(env, options, NULL);
    uint64_t rows = rows_count(input->rows);
    Approximation approximation;
    KernelComponents components;
    KernelExpansion expansion;
    double *variances;
    uint32_t count;

    if (input->frame && options_given(options, "k") && (uint64_t)options_integer(options, "k") > rows)
        return NULL;
    approximation = approximation_of_options(env, options, &kernel);
    fit.wanted = wanted_components(env, options, rows);
    if (approximation != APPROXIMATION_NONE)
        return mapped_pca(env, input, options, approximation, &kernel, fit.wanted, builder);
    if (options_boolean(options, "preimages"))
        kernel_require_numbers(env, &kernel, "preimages");
    require_memory(&fit, rows, rows_slots(input->rows));
    /* products of rows far from the origin would cancel; other kernels are left as they are, or depend on differences only */
    fit.sample = kernel_sample_of(env, input->rows, DESIGN_LEVELS, kernel.kind == KERNEL_LINEAR && options_boolean(options, "center"),
                                  &kernel, options, 0, "kernel_pca");
    require_memory(&fit, rows, fit.sample->dims);
    load_gram(&fit);
    find_components(&fit);
    count = positive_components(&fit, input->frame);
    if (count == 0)
        return NULL;
    env->release(env, fit.gram);
    components = components_of(&fit, count);
    variances = env_array(env, count, sizeof(double));
    for (uint32_t c = 0; c < count; c++)
        variances[c] = components.values[c] / fit.weight;
    expansion = (KernelExpansion){.kernel = &fit.sample->kernel,
                                  .problems = count,
                                  .count = fit.sample->count,
                                  .dims = fit.sample->dims,
                                  .rows = fit.sample->points,
                                  .multipliers = components.multipliers,
                                  .intercept = components.intercepts};
    builder_fact(builder, "total_variance", fit.total / fit.weight);
    if (fit.least < 0 && -fit.least > 4e3 * DBL_EPSILON * fit.sample->count * fit.values[0])
        builder_fact(builder, "least_value", fit.least / fit.weight);
    builder_f64(builder, SECTION_ARRAYS, "variances", variances, count);
    builder_f64(builder, SECTION_ARRAYS, "mean_value", fit.mean, 1);
    if (fit.sample->weights != NULL)
        builder_f64(builder, SECTION_ARRAYS, "row_weights", fit.sample->weights, fit.sample->count);
    kernel_model_add(env, builder, fit.sample, &expansion);
    if (options_boolean(options, "preimages"))
        preimages_add(fit.sample, &components, options_number(options, "preimage_lambda"), builder);
    return model_build(builder);
}

/* ---- the model ---- */

static const ArraySpec kernel_pca_arrays[] = {
    {.name = "variances", .type = ARRAY_F64, .values = VALUES_POSITIVE, .rows = {SIZE_EQUATIONS}}};
static const ArraySpec kernel_pca_facts[] = {FACT_APPROXIMATION, FACT_FREQUENCIES, FACT_LANDMARKS, FACT("least_value", ARRAY_F64),
                                             FACT("total_variance", ARRAY_F64)};
static const ArrayTable kernel_pca_array_tables[] = ARRAY_TABLES(KERNEL_MODEL_TABLES, ARRAY_TABLE(preimage_arrays), ARRAY_TABLE(kernel_pca_mean_arrays),
                                                                 ARRAY_TABLE(kernel_pca_arrays), FACT_TABLE(kernel_pca_facts));

static void kernel_pca_transform(const Model *model, const void *prepared, const double *slots, double *out)
{
    memcpy(out, kernel_model_scores(prepared, slots), kernel_model_problems(model) * sizeof(double));
}

static const Scoring kernel_pca_scoring = {.partial = true, /* a distance */
                                           .prepare = kernel_model_prepare,
                                           .has_distance = kernel_pca_has_distance,
                                           .distance = kernel_pca_distance,
                                           .transform = kernel_pca_transform,
                                           .width = kernel_model_problems,
                                           .inverse = preimages_inverse,
                                           .inverse_width = preimages_width};

static const char *const kernel_pca_positional[] = {"k", NULL};

const Estimator estimator_kernel_pca = {
    .name = "kernel_pca",
    .task = TASK_REDUCTION,
    .input = INPUT_ROWS,
    .supervised = false,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, options_number_kernel, options_kernel, option_standardize, options_approximation, option_seed,
                             kernel_pca_options),
    .positional = kernel_pca_positional,
    .help = "Principal components in the feature space of a kernel, for rows along curves and in rings.",
    .source = "Schoelkopf, Smola & Mueller (1998), Neural Computation 10(5)",
    .fit = kernel_pca_fit,
    .arrays = kernel_pca_array_tables,
    .check = kernel_model_check,
    .scoring = &kernel_pca_scoring,
    .statistics = kernel_pca_statistics,
    .tables = kernel_pca_tables,
    .summary = kernel_pca_summary,
};
