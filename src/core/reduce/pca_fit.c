/*
 * pca_fit.c - fits principal components from moments.
 *
 * From cross-products: the eigenvectors of the covariance (or correlation) matrix. The cross-products are centered, so offsets
 * cost no digits. An eigenvalue has an error of about eps times the largest one, so components with a smaller variance than that
 * are left out. From a triangular factor: its right singular vectors. There a standard deviation has an error of about eps times
 * the largest one or, with up to 64 columns, eps times the features that make up the component.
 */
#include "core/linalg/vector_loops.h"
#include "core/linalg/eigen.h"
#include "core/linalg/qr_factor.h"
#include "core/reduce/component_sign.h"
#include "core/reduce/pca_model.h"
#include "core/linalg/svd.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct PcaFit {
    Env *env;
    const FitInput *input;
    const Options *options;
    ScatterDesign *scatter; /* from cross-products: the design and its eigenvectors */
    Eigen *eigen;
    Design *design;         /* from a factor: the design and its singular vectors */
    Singular singular;
    uint32_t terms;
    const uint32_t *slot; /* [terms] what the terms are, from the design */
    const int32_t *level;
    const double *means;
    double rows, divisor; /* divisor: of sums of squares */
    double *scale;        /* [terms] standard deviations; NULL: not standardized */
    double total;         /* variance of all terms */
    double *values;       /* [terms] variances, descending */
    uint32_t rank, components;
} PcaFit;

/* Sets the number of terms and what follows from it and the options. Fails if k is larger. */
static void set_terms(PcaFit *fit, uint32_t terms, double rows, double weight)
{
    double ddof = (double)options_integer(fit->options, "ddof");
    int64_t k = options_given(fit->options, "k") ? options_integer(fit->options, "k") : 0;

    if (k > terms)
        env_fail(fit->env, ERROR_DATA, "Ask for fewer components, or add features.", "k is %lld, but the features have only %u column%s", (long long)k, terms,
                 terms == 1 ? "" : "s");
    fit->terms = terms;
    fit->rows = rows;
    fit->divisor = weight * (rows > ddof ? (rows - ddof) / rows : 1);
    fit->values = env_array(fit->env, (size_t)terms + 1, sizeof(double));
    if (options_boolean(fit->options, "standardize"))
        fit->scale = env_array(fit->env, (size_t)terms + 1, sizeof(double));
}

/* Sets the standard deviation of a term. Fails if it is 0. */
/* Sets the scale of a term: its standard deviation, 1 if it does not vary (as row_scale.h has it). */
static void set_scale(PcaFit *fit, uint32_t term, double deviation)
{
    fit->scale[term] = deviation > 0 ? deviation : 1;
}

/* Fails if the total variance is not finite, or if sum, 0 times all covariances, is not 0. */
static void require_finite(const PcaFit *fit, double sum)
{
    if (sum != 0 || !isfinite(fit->total))
        env_fail(fit->env, ERROR_RANGE, "Divide large features by a power of ten, or standardize.",
                 "the variances are out of range");
}

/* ---- from cross-products ---- */

/* Returns the covariance of the terms, standardized if asked to, [terms x terms]. Sets the total variance. */
static double *covariance(PcaFit *fit)
{
    const double *scatter = fit->scatter->scatter;
    uint32_t terms = fit->terms;
    double *a = env_array_raw(fit->env, (size_t)terms * terms, sizeof(double)), sum = 0;

    for (uint32_t t = 0; t < terms && fit->scale != NULL; t++)
        set_scale(fit, t, sqrt(scatter[factor_packed(t) + t] / fit->divisor));
    for (uint32_t j = 0; j < terms; j++) {
        for (uint32_t i = 0; i <= j; i++) {
            double value = *scatter++ / fit->divisor;
            if (fit->scale != NULL)
                value = i == j ? value > 0 : value / fit->scale[i] / fit->scale[j];
            a[(size_t)i * terms + j] = a[(size_t)j * terms + i] = value;
            sum += value * 0.0; /* NaN if the value is not finite */
        }
        fit->total += a[(size_t)j * terms + j];
    }
    require_finite(fit, sum);
    return a;
}

static void by_covariance(PcaFit *fit)
{
    Env *env = fit->env;
    ScatterDesign *design = fit->scatter = moments_scatter(env, fit->input->moments, CODING_FULL);
    uint32_t terms = design->terms, wanted = terms;

    fit->slot = design->term_slot;
    fit->level = design->term_level;
    fit->means = design->means;
    set_terms(fit, terms, design->rows[0], design->weight[0]);
    if (options_given(fit->options, "k"))
        wanted = (uint32_t)options_integer(fit->options, "k");
    env_require_memory(env, eigen_memory(terms, wanted) + factor_packed(terms) * sizeof(double), "pca");
    fit->eigen = eigen_begin(env, covariance(fit), terms);
    memcpy(fit->values, eigen_values(fit->eigen), terms * sizeof(double));
    while (fit->rank < terms && fit->values[fit->rank] > 4 * DBL_EPSILON * terms * fit->values[0])
        fit->rank++;
}

/* ---- from a factor ---- */

/*
 * Returns the triangle of the terms, standardized if asked to, without the target. Sets noise [terms] to the norm of the rounding
 * errors in each column: those of the rotations, and those of subtracting a mean from each row.
 */
static double *triangle(PcaFit *fit, double *noise)
{
    const double *factor = fit->design->factor;
    uint32_t terms = fit->terms;
    double rotations = 10 * DBL_EPSILON * (terms < 10 ? 10 : terms), roots = sqrt(fit->design->weight);
    double *a = env_array(fit->env, (size_t)terms * terms, sizeof(double));

    for (uint32_t j = 0; j < terms; j++) {
        const double *from = factor + (size_t)j * (terms + 1);
        double norm = loop_norm_scaled(from, NULL, j + 1), scale = 1;
        noise[j] = rotations * norm + 2 * DBL_EPSILON * roots * fabs(fit->means[j]);
        if (fit->scale != NULL) {
            set_scale(fit, j, norm > noise[j] ? norm / sqrt(fit->divisor) : 0);
            scale = fit->scale[j];
        }
        for (uint32_t i = 0; i <= j; i++)
            a[(size_t)j * terms + i] = from[i] / scale;
        noise[j] /= scale;
        norm /= scale * sqrt(fit->divisor);
        fit->total += norm * norm;
    }
    require_finite(fit, 0);
    return a;
}

static void by_factor(PcaFit *fit)
{
    Env *env = fit->env;
    Design *design = fit->design = moments_feature_design(env, fit->input->moments);
    uint32_t terms = design->terms;
    double *noise, *a;

    fit->slot = design->term_slot;
    fit->level = design->term_level;
    fit->means = design->means;
    set_terms(fit, terms, design->rows, design->weight);
    env_require_memory(env, singular_memory(terms) + (size_t)terms * terms * sizeof(double), "pca by a factor");
    noise = env_array(env, (size_t)terms + 1, sizeof(double));
    a = triangle(fit, noise);
    fit->singular = singular_make(env, a, terms, NULL, noise);
    fit->rank = fit->singular.rank;
    for (uint32_t i = 0; i < terms; i++) {
        double deviation = fit->singular.values[i] / sqrt(fit->divisor);
        fit->values[i] = deviation * deviation;
    }
    while (fit->rank > 0 && fit->values[fit->rank - 1] < DBL_MIN) /* the squares of such deviations are denormal */
        fit->rank--;
}

/* ---- both ---- */

/* Warns that there are fewer components than asked for. more_rows: there are enough rows for more. */
static void warn_fewer(const PcaFit *fit, int64_t k, bool more_rows)
{
    const char *hint = "Ask for fewer components, or add rows.";

    if (more_rows && fit->rank > 0 && fit->eigen != NULL)
        hint = "Ask for fewer components. Variances below about 1e-15 of the first are rounding here; from rows, or from "
               "moments(target, features), option \"algorithm\": \"factor\" resolves them down to 1e-26.";
    env_warn(fit->env, ERROR_DATA, hint, "pca has %u component%s instead of %lld: the rows span no more dimensions",
             fit->rank, fit->rank == 1 ? "" : "s", (long long)k);
}

/* Returns the number of components that options "k" or "explained" ask for, at most the rank. more_rows: see warn_fewer. */
static uint32_t component_count(const PcaFit *fit, bool more_rows)
{
    uint32_t count = fit->rank;

    if (options_given(fit->options, "k")) {
        int64_t k = options_integer(fit->options, "k");
        if (k > (int64_t)count && !fit->input->frame)
            warn_fewer(fit, k, more_rows);
        return k < (int64_t)count ? (uint32_t)k : count;
    }
    if (options_given(fit->options, "explained")) {
        double wanted = options_number(fit->options, "explained") * fit->total, sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            sum += fit->values[i];
            if (sum >= wanted * (1 - 4 * DBL_EPSILON))
                return i + 1;
        }
        return count;
    }
    if (count == 0 && !fit->input->frame)
        env_warn(fit->env, ERROR_DATA, "Use rows that differ.",
                 "pca has no components: all rows are equal");
    return count;
}

/* Adds the arrays and facts, and returns the model. */
static Model *finish(PcaFit *fit, ModelBuilder *builder)
{
    Env *env = fit->env;
    uint32_t k = fit->components, terms = fit->terms;
    double *vectors = fit->singular.vectors;
    double *whitening = env_array(env, (size_t)k + 1, sizeof(double));

    if (fit->eigen != NULL) {
        vectors = env_array(env, (size_t)k * terms + 1, sizeof(double));
        eigen_vectors(fit->eigen, k, vectors);
    }
    for (uint32_t i = 0; i < k; i++) {
        component_fix_sign(vectors + (size_t)i * terms, terms);
        whitening[i] = 1 / sqrt(fit->values[i]);
    }
    builder_fact(builder, "total_variance", fit->total);
    builder_fact_i64(builder, "rank", fit->rank);
    builder_f64_matrix(builder, SECTION_ARRAYS, "components", vectors, k, terms);
    builder_f64(builder, SECTION_ARRAYS, "means", fit->means, terms);
    builder_f64(builder, SECTION_ARRAYS, "variances", fit->values, k);
    if (fit->scale != NULL)
        builder_f64(builder, SECTION_ARRAYS, "scale", fit->scale, terms);
    if (options_boolean(fit->options, "whiten"))
        builder_f64(builder, SECTION_ARRAYS, "whitening", whitening, k);
    terms_add(env, builder, fit->slot, fit->level, terms);
    return model_build(builder);
}

/* Fails if the moments are not of the kind that option "algorithm" asks for. */
static void require_algorithm(const PcaFit *fit, bool factor)
{
    if (!factor && options_is(fit->options, "algorithm", "factor"))
        env_fail(fit->env, ERROR_PARAMETER,
                 "Fit from the rows, or from moments(target, features) with any target.",
                 "option \"algorithm\" is \"factor\", and feature_moments hold cross-products");
    if (factor && options_is(fit->options, "algorithm", "covariance"))
        env_fail(fit->env, ERROR_PARAMETER, "Omit the option: the components of a factor are at least as accurate.",
                 "option \"algorithm\" is \"covariance\", and moments hold a factor");
}

Model *pca_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
               ModelBuilder *builder)
{
    PcaFit fit = {.env = env, .input = input, .options = options};
    bool factor = input->moments->kind == MODEL_MOMENTS, more_rows;

    if (input->frame && input->moments->rows < 2)
        return NULL;
    if (options_given(options, "k") && options_given(options, "explained"))
        env_fail(env, ERROR_PARAMETER, "Give only one of them.",
                 "k and \"explained\" both set the number of components");
    require_algorithm(&fit, factor);
    if (factor)
        by_factor(&fit);
    else
        by_covariance(&fit);
    more_rows = fit.rows > (double)fit.rank + 1;
    if (fit.rows <= fit.rank) /* n centered rows span at most n - 1 dimensions: the rest is rounding */
        fit.rank = (uint32_t)ceil(fit.rows) - 1;
    fit.components = component_count(&fit, more_rows);
    return finish(&fit, builder);
}
