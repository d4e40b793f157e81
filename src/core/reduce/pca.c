/*
 * pca.c - principal components: the directions in which the rows vary most (Pearson 1901; Hotelling 1933).
 *
 * Arrays (t terms, k components, see model_terms.h; categorical features have one term per level):
 *   components  F64[k x t]  unit vectors by descending variance (computed in pca_fit.c); the largest entry of each is positive
 *   means       F64[t]
 *   scale       F64[t]      standard deviations; only if the terms are standardized
 *   variances   F64[k]      of the scores
 *   whitening   F64[k]      factors of the scores; only if they are whitened
 * Facts: total_variance, rank.
 */
#include "core/estimator/estimator.h"
#include "core/inspection/outputs.h"
#include "core/reduce/pca_model.h"

#include <math.h>
#include <string.h>

static const char *const algorithms[] = {"covariance", "factor", NULL};

static const OptionSpec pca_options[] = {
    {.name = "algorithm",
     .types = OPTION_STRING,
     .choices = algorithms,
     .unset = "covariance from rows; the kind of the moments",
     .help = "From rows, \"factor\" keeps a triangular factor instead of cross-products: components are resolved down to 1e-13 instead of 1e-8 of the "
             "first one's standard deviation, at one to three times the cost."},
    {.name = "ddof",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .help = "Variances divide by the number of rows minus this."},
    {.name = "explained",
     .types = OPTION_NUMBER,
     ABOVE_ZERO_TO_ONE,
     .unset = "k decides",
     .help = "Instead of k: the smallest number of components that explain at least this share of the variance."},
    {.name = "k",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = TERMS_MAX,
     .unset = "as many as the rows span, or explain the share explained",
     .help = "Number of components."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Divide each feature by its standard deviation first, which gives components of the correlations; a constant feature has loadings of 0."},
    {.name = "whiten",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Divide each score by its standard deviation, so that all have variance 1."},
    {.name = NULL}};

static const char *const pca_positional[] = {"k", NULL};

static bool wants_factor(const Options *options)
{
    return options_is(options, "algorithm", "factor");
}

/* ---- the model ---- */

static const char *pca_check(Env *env, const Model *model)
{
    PcaModel pca;

    pca_open(model, &pca);
    return pca.k > pca.terms.count
               ? env_message(env, "a model of pca has %u components but only %u terms", pca.k, pca.terms.count)
               : NULL;
}

/* ---- scores ---- */

/* Writes the row less the means, [terms], divided by the standard deviations if the model has them. */
static void center(const PcaModel *pca, const double *slots, double *out)
{
    *out = 0; /* there is always a term, but compilers would warn */
    for (uint32_t t = 0; t < pca->terms.count; t++)
        out[t] = term_value(&pca->terms, t, slots) - pca->means[t];
    if (pca->scale != NULL)
        for (uint32_t t = 0; t < pca->terms.count; t++)
            out[t] /= pca->scale[t];
}

/* Writes scores without whitening: four components at once, each summed in the order of the terms. */
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
    center(&pca, slots, x);
    project(&pca, x, out);
    if (pca.whitening != NULL)
        for (uint32_t i = 0; i < pca.k; i++)
            out[i] *= pca.whitening[i];
}

static uint32_t pca_width(const Model *model)
{
    return model_find(model, "components")->rows;
}

/* Returns the distance of the row from the span of the components: the norm of the residual. */
static double pca_distance(const Model *model, const void *prepared, const double *slots)
{
    double x[TERMS_MAX], scores[TERMS_MAX], largest = 0, sum = 0;
    PcaModel pca;

    (void)prepared;
    pca_open(model, &pca);
    center(&pca, slots, x);
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

static const Scoring pca_scoring = {.log_evidence = pca_log_density,
                                    .has_density = pca_has_density,
                                    .distance = pca_distance,
                                    .transform = pca_transform,
                                    .width = pca_width,
                                    .inverse = pca_inverse,
                                    .inverse_width = pca_inverse_width};

const Estimator estimator_pca = {
    .name = "pca",
    .task = TASK_REDUCTION,
    .input = INPUT_FEATURE_MOMENTS,
    .other_input = INPUT_MOMENTS,
    .wants_other = wants_factor,
    .supervised = false,
    .options = OPTION_TABLES(options_common, pca_options),
    .positional = pca_positional,
    .help = "Principal components: few new features that keep most of the variance of many.",
    .source = "Pearson 1901; Hotelling 1933; Jolliffe, Principal Component Analysis",
    .fit = pca_fit,
    .arrays = pca_array_tables,
    .check = pca_check,
    .scoring = &pca_scoring,
    .statistics = pca_statistics,
    .tables = pca_tables,
    .output_sql = pca_output_sql,
    .to_sql = outputs_to_sql,
    .summary = pca_summary,
};
