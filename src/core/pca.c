/*
 * pca.c - principal components: the directions in which the rows vary most.
 *
 * Eigenvectors of the covariance (or correlation) matrix of the evidence (Pearson 1901; Hotelling 1933). The
 * evidence holds cross-products of centred rows, so offsets cost no digits, and an eigenvalue carries an
 * error of about eps times the largest: components whose variance is below that share of the first are
 * beyond the rank and are not given. A triangular factor of the rows would resolve them down to eps^2;
 * what it would add are directions with less than 1e-15 of the variance.
 *
 * Arrays (t terms, k components, see terms.h; categorical features have a term a level):
 *   components  F64[k x t]  unit vectors, falling variance; the largest entry of each is positive
 *   means       F64[t]
 *   scale       F64[t]      standard deviations; only where the terms are standardized
 *   variances   F64[k]      of the scores
 *   whitening   F64[k]      what scores are multiplied by; only where they are whitened
 * Facts: total_variance, rank.
 */
#include "eigen.h"
#include "estimator.h"
#include "factor.h"
#include "pca_model.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define EQUAL_ENTRIES 1e-8 /* relative: entries as near as this to the largest count as equal to it */

static const OptionSpec pca_options[] = {
    {.name = "ddof",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .help = "Variances divide by the number of rows less this."},
    {.name = "explained",
     .types = OPTION_NUMBER,
     .minimum = 0,
     .minimum_open = true,
     .maximum = 1,
     .help = "The share of the variance that the components explain together at least; in place of k."},
    {.name = "k",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = TERMS_MAX,
     .help = "Number of components; without it and explained, as many as the rows span."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Divides each feature by its standard deviation first: components of the correlations."},
    {.name = "whiten",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Divides each score by its standard deviation, so that all have variance 1."},
    {.name = NULL}};

static const char *const pca_positional[] = {"k", NULL};

/* ---- the fit ---- */

typedef struct PcaFit {
    Env *env;
    const Evidence *evidence;
    const Options *options;
    ScatterDesign *design;
    double *scale; /* [terms] or NULL */
    double total;
    Eigen *eigen;
    uint32_t rank, components;
} PcaFit;

/* Standard deviations of the terms; a constant one has none. */
static void take_scale(PcaFit *fit, double divisor)
{
    const ScatterDesign *design = fit->design;

    fit->scale = env_array(fit->env, (size_t)design->terms + 1, sizeof(double));
    for (uint32_t t = 0; t < design->terms; t++) {
        fit->scale[t] = sqrt(design->scatter[factor_packed(t) + t] / divisor);
        if (!(fit->scale[t] > 0)) {
            char name[2 * SCHEMA_NAME_SIZE];
            terms_design_name(fit->env, fit->evidence->moments, design, t, name, sizeof(name));
            env_fail(fit->env, ERROR_DATA, "Leave it out, or do not standardize.",
                     "feature \"%s\" is constant and has no standard deviation to divide by", name);
        }
    }
}

/* The covariance of the (standardized) terms, both triangles. */
static double *covariance(PcaFit *fit)
{
    const ScatterDesign *design = fit->design;
    uint32_t terms = design->terms;
    double rows = design->rows[0], ddof = (double)options_integer(fit->options, "ddof");
    double divisor = design->weight[0] * (rows > ddof ? (rows - ddof) / rows : 1);
    double *a, sum = 0;
    const double *scatter = design->scatter;

    if (options_boolean(fit->options, "standardize"))
        take_scale(fit, divisor);
    a = env_array_raw(fit->env, (size_t)terms * terms, sizeof(double));
    for (uint32_t j = 0; j < terms; j++) {
        for (uint32_t i = 0; i <= j; i++) {
            double value = *scatter++ / divisor;
            if (fit->scale != NULL)
                value = i == j ? 1 : value / fit->scale[i] / fit->scale[j];
            a[(size_t)i * terms + j] = a[(size_t)j * terms + i] = value;
            sum += value * 0.0;
        }
        fit->total += a[(size_t)j * terms + j];
    }
    if (sum != 0 || !isfinite(fit->total))
        env_fail(fit->env, ERROR_RANGE, "Divide large features by a power of ten, or standardize.",
                 "the variances pass the range of double precision");
    return a;
}

/* Components asked for, at most the rank. */
static uint32_t choose(const PcaFit *fit)
{
    const double *values = eigen_values(fit->eigen);
    uint32_t count = fit->rank;

    if (options_given(fit->options, "k")) {
        int64_t k = options_integer(fit->options, "k");
        if (k > (int64_t)count && !fit->evidence->frame)
            env_warn(fit->env, ERROR_DATA, "Ask for fewer components, or add rows.",
                     "pca has %u components instead of %lld: the rows span no more dimensions", count,
                     (long long)k);
        return k < (int64_t)count ? (uint32_t)k : count;
    }
    if (options_given(fit->options, "explained")) {
        double wanted = options_number(fit->options, "explained") * fit->total, sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            sum += values[i];
            if (sum >= wanted * (1 - 4 * DBL_EPSILON))
                return i + 1;
        }
        return count;
    }
    if (count == 0 && !fit->evidence->frame)
        env_warn(fit->env, ERROR_DATA, "Add rows that differ.",
                 "pca has no components: all rows are equal");
    return count;
}

/* Eigenvectors are known up to their sign: the largest entry, of equal ones the first, is positive. */
static void fix_sign(double *vector, uint32_t terms)
{
    double largest = 0;
    uint32_t t = 0;

    for (uint32_t i = 0; i < terms; i++)
        largest = fmax(largest, fabs(vector[i]));
    while (t + 1 < terms && fabs(vector[t]) < largest * (1 - EQUAL_ENTRIES))
        t++;
    if (vector[t] < 0)
        for (uint32_t i = 0; i < terms; i++)
            vector[i] = 0 - vector[i];
}

static Model *finish(PcaFit *fit)
{
    Env *env = fit->env;
    const ScatterDesign *design = fit->design;
    const Model *moments = fit->evidence->moments;
    uint32_t k = fit->components, terms = design->terms;
    double *vectors = env_array(env, (size_t)k * terms + 1, sizeof(double));
    double *variances = env_array(env, 2 * (size_t)k + 1, sizeof(double)), *whitening = variances + k;
    ModelBuilder *builder;
    double *impute;

    eigen_vectors(fit->eigen, k, vectors);
    for (uint32_t i = 0; i < k; i++) {
        fix_sign(vectors + (size_t)i * terms, terms);
        variances[i] = eigen_values(fit->eigen)[i];
        whitening[i] = 1 / sqrt(variances[i]);
    }
    builder = fit_begin(env, &estimator_pca, fit->evidence, fit->options);
    builder_fact(builder, "total_variance", fit->total);
    builder_fact_i64(builder, "rank", fit->rank);
    builder_f64(builder, SECTION_ARRAYS, "components", vectors, k, terms);
    builder_f64(builder, SECTION_ARRAYS, "means", design->means, terms, 0);
    builder_f64(builder, SECTION_ARRAYS, "variances", variances, k, 0);
    if (fit->scale != NULL)
        builder_f64(builder, SECTION_ARRAYS, "scale", fit->scale, terms, 0);
    if (options_boolean(fit->options, "whiten"))
        builder_f64(builder, SECTION_ARRAYS, "whitening", whitening, k, 0);
    terms_add(env, builder, design->term_slot, design->term_level, terms, moments->slot_count);
    impute = moments_impute_means(env, moments);
    if (impute != NULL)
        builder_f64(builder, SECTION_SCHEMA, "impute", impute, moments->slot_count, 0);
    return model_build(builder);
}

static Model *pca_fit(Env *env, const Evidence *evidence, const Options *options)
{
    PcaFit fit = {.env = env, .evidence = evidence, .options = options};
    const double *values;
    uint32_t terms, wanted;
    double *a;

    if (evidence->moments->rows == 0 || (evidence->frame && evidence->moments->rows < 2))
        return NULL;
    if (options_given(options, "k") && options_given(options, "explained"))
        env_fail(env, ERROR_PARAMETER, "Give one of the two.",
                 "k and \"explained\" both say how many components pca has");
    fit.design = moments_scatter(env, evidence->moments, CODING_FULL);
    terms = fit.design->terms;
    if (options_given(options, "k") && options_integer(options, "k") > terms)
        env_fail(env, ERROR_PARAMETER, NULL, "k is %lld, the features have %u column%s",
                 (long long)options_integer(options, "k"), terms, terms == 1 ? "" : "s");
    wanted = options_given(options, "k") ? (uint32_t)options_integer(options, "k") : terms;
    env_require_memory(env, eigen_memory(terms, wanted) + factor_packed(terms) * sizeof(double), "pca");
    a = covariance(&fit);
    fit.eigen = eigen_begin(env, a, terms);
    values = eigen_values(fit.eigen);
    while (fit.rank < terms && values[fit.rank] > 4 * DBL_EPSILON * terms * values[0])
        fit.rank++;
    if (fit.design->rows[0] <= fit.rank) /* centred rows: what is left beyond them is rounding */
        fit.rank = (uint32_t)ceil(fit.design->rows[0]) - 1;
    fit.components = choose(&fit);
    return finish(&fit);
}

/* ---- the model ---- */

static const char *pca_check(Env *env, const Model *model)
{
    static const char *const arrays[] = {"column_level", "column_slot", "components", "means",
                                         "scale",        "variances",   "whitening",
                                         NULL};
    const ModelEntry *components = model_find(model, "components");
    uint32_t k, terms, length;
    const double *numbers;
    const char *wrong;

    (void)env;
    if (!arrays_are_of(model, arrays))
        return "a model of pca with an array that does not belong to it";
    if (components == NULL || components->dimensions != 2)
        return "a model of pca without its components";
    k = components->rows;
    terms = components->columns;
    wrong = terms_check(model, terms);
    if (wrong != NULL)
        return wrong;
    if (k > terms)
        return "a model of pca with more components than terms";
    if (!array_is_finite(model, "components", k, terms) || !array_is_finite(model, "means", terms, 0) ||
        !array_is_finite(model, "variances", k, 0))
        return "an array of a model of pca does not fit, or is not finite";
    if (model_find(model, "scale") != NULL && !array_is_finite(model, "scale", terms, 0))
        return "array \"scale\" of a model of pca does not fit, or is not finite";
    if (model_find(model, "whitening") != NULL && !array_is_finite(model, "whitening", k, 0))
        return "array \"whitening\" of a model of pca does not fit, or is not finite";
    numbers = model_f64(model, "scale", &length);
    for (uint32_t t = 0; numbers != NULL && t < terms; t++)
        if (!(numbers[t] > 0))
            return "a model of pca with a standard deviation that is not positive";
    numbers = model_f64(model, "whitening", &length);
    for (uint32_t i = 0; numbers != NULL && i < k; i++)
        if (!(numbers[i] > 0))
            return "a model of pca with a whitening factor that is not positive";
    return NULL;
}

/* ---- scores ---- */

/* The row less its means, in standard deviations where the model has them. */
static void centre(const PcaModel *pca, const double *slots, double *out)
{
    *out = 0; /* compilers cannot know that there is a term */
    for (uint32_t t = 0; t < pca->terms.count; t++)
        out[t] = term_value(&pca->terms, t, slots) - pca->means[t];
    if (pca->scale != NULL)
        for (uint32_t t = 0; t < pca->terms.count; t++)
            out[t] /= pca->scale[t];
}

/* Scores without whitening: four components at once, each sum in the order of the terms. */
static void project(const PcaModel *pca, const double *x, double *out)
{
    uint32_t terms = pca->terms.count, i = 0;
    const double *c = pca->components;

    for (; i + 4 <= pca->k; i += 4, c += 4 * (size_t)terms) {
        const double *c1 = c + terms, *c2 = c1 + terms, *c3 = c2 + terms;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (uint32_t t = 0; t < terms; t++) {
            s0 += x[t] * c[t];
            s1 += x[t] * c1[t];
            s2 += x[t] * c2[t];
            s3 += x[t] * c3[t];
        }
        out[i] = s0;
        out[i + 1] = s1;
        out[i + 2] = s2;
        out[i + 3] = s3;
    }
    for (; i < pca->k; i++, c += terms) {
        double sum = 0;
        for (uint32_t t = 0; t < terms; t++)
            sum += x[t] * c[t];
        out[i] = sum;
    }
}

static void pca_transform(const Model *model, const void *prepared, const double *slots, double *out)
{
    double x[TERMS_MAX];
    PcaModel pca;

    (void)prepared;
    pca_open(model, &pca);
    centre(&pca, slots, x);
    project(&pca, x, out);
    if (pca.whitening != NULL)
        for (uint32_t i = 0; i < pca.k; i++)
            out[i] *= pca.whitening[i];
}

static uint32_t pca_width(const Model *model)
{
    return model_find(model, "components")->rows;
}

/* How far the row is from what the components say of it: the norm of what they leave. */
static double pca_distance(const Model *model, const void *prepared, const double *slots)
{
    double x[TERMS_MAX], scores[TERMS_MAX], largest = 0, sum = 0;
    PcaModel pca;

    (void)prepared;
    pca_open(model, &pca);
    centre(&pca, slots, x);
    project(&pca, x, scores);
    for (uint32_t i = 0; i < pca.k; i++) {
        const double *c = pca.components + (size_t)i * pca.terms.count;
        for (uint32_t t = 0; t < pca.terms.count; t++)
            x[t] -= scores[i] * c[t];
    }
    for (uint32_t t = 0; t < pca.terms.count; t++)
        largest = fmax(largest, fabs(x[t]));
    if (largest == 0 || !isfinite(largest))
        return largest;
    for (uint32_t t = 0; t < pca.terms.count; t++)
        sum += (x[t] / largest) * (x[t] / largest);
    return largest * sqrt(sum);
}

static uint32_t pca_inverse_width(const Model *model)
{
    return model_find(model, "components")->columns;
}

static void pca_inverse(const Model *model, const double *scores, double *out)
{
    PcaModel pca;

    pca_open(model, &pca);
    memset(out, 0, pca.terms.count * sizeof(double));
    for (uint32_t i = 0; i < pca.k; i++) {
        const double *c = pca.components + (size_t)i * pca.terms.count;
        double score = pca.whitening != NULL ? scores[i] / pca.whitening[i] : scores[i];
        for (uint32_t t = 0; t < pca.terms.count; t++)
            out[t] += score * c[t];
    }
    for (uint32_t t = 0; t < pca.terms.count; t++)
        out[t] = pca.means[t] + (pca.scale != NULL ? out[t] * pca.scale[t] : out[t]);
}

static const Scoring pca_scoring = {.distance = pca_distance,
                                    .transform = pca_transform,
                                    .width = pca_width,
                                    .inverse = pca_inverse,
                                    .inverse_width = pca_inverse_width};

const Estimator estimator_pca = {
    .name = "pca",
    .task = TASK_REDUCTION,
    .evidence = EVIDENCE_FEATURE_MOMENTS,
    .supervised = false,
    .options = pca_options,
    .positional = pca_positional,
    .help = "Principal components: few new features that keep most of the variance of many.",
    .source = "Pearson 1901; Hotelling 1933; Jolliffe, Principal Component Analysis",
    .fit = pca_fit,
    .check = pca_check,
    .scoring = &pca_scoring,
    .statistics = pca_statistics,
    .components = pca_components,
    .to_sql = pca_to_sql,
    .summary = pca_summary,
};
