/*
 * lda.c - linear discriminant analysis: normal classes with one shared covariance, and the projection on the
 * directions in which the classes' means lie farthest apart (Fisher 1936; Rao 1948).
 *
 * With Sigma = L L', the differences of the means from their center are whitened by L^-1, multiplied by the square roots of
 * the priors, and made orthogonal by one-sided Jacobi rotations (Hestenes 1958). Their lengths are then the square roots of the
 * eigenvalues of Sigma^-1 B, and L'^-1 u for each unit vector u is a column of the projection.
 */
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/estimator/shared_options.h"
#include "core/normal/normal_model.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const OptionSpec lda_options[] = {
    {.name = "k",
     .formerly = "components",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 10000,
     .unset = "all: at most one less than the classes",
     .help = "Number of directions that transform returns."},
    {.name = NULL}};

/* What whitens differences of means: a Cholesky factor, or rows if the covariance is singular. */
typedef struct Whitening {
    double *dense; /* lower Cholesky factor of the covariance, [terms x terms], column major */
    double *rows;  /* [rank x terms], see normal_pseudo_whitening; NULL: dense is used */
    uint32_t rank;
} Whitening;

#define SWEEPS 60         /* a limit: a few suffice, because convergence is quadratic */
#define POLL_PRODUCTS 1e6 /* multiplications between two polls */

/* Rotates the columns of a (rows x columns, column major) until they are orthogonal. */
static void orthogonalize(Env *env, double *a, uint32_t rows, uint32_t columns)
{
    uint64_t products = 0;
    bool rotated = true;

    for (int sweep = 0; sweep < SWEEPS && rotated; sweep++) {
        rotated = false;
        for (uint32_t p = 0; p + 1 < columns; p++)
            for (uint32_t q = p + 1; q < columns; q++) {
                double *x = a + (size_t)p * rows, *y = a + (size_t)q * rows;
                double xx = 0, yy = 0, xy = 0, zeta, t, c, s;

                env_poll_after(env, &products, 3 * (uint64_t)rows, POLL_PRODUCTS);
                for (uint32_t i = 0; i < rows; i++) {
                    xx += x[i] * x[i];
                    yy += y[i] * y[i];
                    xy += x[i] * y[i];
                }
                if (xx < DBL_MIN || yy < DBL_MIN || fabs(xy) <= DBL_EPSILON * sqrt(xx) * sqrt(yy))
                    continue;
                rotated = true;
                zeta = (yy - xx) / (2 * xy);
                t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
                c = 1 / sqrt(1 + t * t);
                s = c * t;
                for (uint32_t i = 0; i < rows; i++) {
                    double old = x[i];
                    x[i] = c * old - s * y[i];
                    y[i] = s * old + c * y[i];
                }
            }
    }
}

static double norm_of(const double *column, uint32_t rows)
{
    double sum = 0;

    for (uint32_t i = 0; i < rows; i++)
        sum += column[i] * column[i];
    return sqrt(sum);
}

/* ---- the covariance ---- */

/* Fails because the pooled covariance is singular: `term` is the first one that depends on those before it, or is constant. */
static void __attribute__((noreturn)) fail_singular(const NormalFit *fit, uint32_t term, bool constant)
{
    const ScatterDesign *design = fit->design;
    /* columns of one_hot, "c=x", add up to 1 unless it leaves the first level out */
    bool one_hot = design->term_level[term] < 0 && strchr(normal_term_name(fit, term), '=') != NULL;
    const char *hint = one_hot && !constant ? "If one_hot made the features, give it option \"drop\": \"first\"; else leave the feature out, or use option "
                                              "shrinkage, or singular: \"pseudo_inverse\"."
                                            : "Leave the feature out, or use option shrinkage, or singular: \"pseudo_inverse\".";

    if (constant)
        env_fail(fit->env, ERROR_DATA, hint, "feature %s has no variance in any class", normal_term_name(fit, term));
    if (fit->rows < (double)design->terms + design->classes)
        env_fail(fit->env, ERROR_DATA, "Use more rows, or option shrinkage, or singular: \"pseudo_inverse\".",
                 "%.10g rows of %u classes are too few for a covariance of %u features", fit->rows, design->classes,
                 design->terms);
    env_fail(fit->env, ERROR_DATA, hint, "within the classes feature %s depends linearly on the features before it",
             normal_term_name(fit, term));
}

/*
 * Returns the pooled covariance, packed, with variances that are nothing but rounding set to 0, and sets the divisor of the
 * scatter. Without degrees of freedom it returns NULL if normal_allows_null, else fails with ERROR_DATA.
 */
static double *pooled_covariance(const NormalFit *fit, double *divisor)
{
    const ScatterDesign *design = fit->design;
    uint32_t terms = design->terms;
    double *pooled, lost = (double)options_integer(fit->options, "ddof") * design->classes;

    if (!(fit->rows > lost)) {
        if (normal_allows_null(fit))
            return NULL;
        env_fail(fit->env, ERROR_DATA, "Use more rows, or ddof 0.",
                 "%.10g rows of %u classes leave no degrees of freedom", fit->rows, design->classes);
    }
    *divisor = normal_divisor(fit->rows, fit->weight, lost);
    pooled = scatter_pooled(fit->env, fit->design);
    for (size_t i = 0; i < factor_packed(terms); i++)
        pooled[i] /= *divisor;
    for (uint32_t t = 0; t < terms; t++) {
        double mean = 0;
        for (uint32_t c = 0; c < design->classes; c++)
            mean = fmax(mean, fabs(design->means[(size_t)c * terms + t]));
        if (normal_vanishes(pooled[factor_packed(t) + t], mean))
            normal_clear_term(pooled, terms, t);
    }
    return pooled;
}

/*
 * Replaces the pooled covariance by the average of the class covariances, weighted by the priors, after each is shrunk by the
 * share that its own fourth moments give; writes the shares [classes]. ratio: total weight / divisor of the pooled covariance.
 */
static void shrink_classes(const NormalFit *fit, double *packed, double ratio, double *shares)
{
    const ScatterDesign *design = fit->design;
    uint32_t terms = design->terms;
    size_t size = factor_packed(terms);
    double *own = env_array(fit->env, size + 1, sizeof(double));
    bool *constant = env_array(fit->env, (size_t)terms + 1, sizeof(bool));

    for (uint32_t t = 0; t < terms; t++)
        constant[t] = packed[factor_packed(t) + t] == 0;
    memset(packed, 0, size * sizeof(double));
    for (uint32_t c = 0; c < design->classes; c++) {
        for (uint32_t t = 0; t < terms; t++)
            for (uint32_t i = 0; i <= t; i++)
                own[factor_packed(t) + i] = constant[t] || constant[i] ? 0
                                                                       : design->scatter[c * size + factor_packed(t) + i] /
                                                                             design->weight[c];
        shares[c] = normal_shrink(fit, own, terms, design->rows[c], c);
        for (size_t i = 0; i < size; i++)
            packed[i] += fit->priors[c] * ratio * own[i];
    }
}

/* Sets what whitens by the covariance. If it is singular, returns false if normal_allows_null, else fails. */
static bool whitening_of(const NormalFit *fit, const double *packed, Whitening *whitening)
{
    uint32_t terms = fit->design->terms, done;

    whitening->dense = env_array(fit->env, (size_t)terms * terms + 1, sizeof(double));
    dense_from_packed(whitening->dense, packed, terms);
    done = cholesky_factor(fit->env, whitening->dense, terms, CHOLESKY_TOLERANCE(terms));
    whitening->rank = done;
    if (done == terms)
        return true;
    if (options_is(fit->options, "singular", "pseudo_inverse")) {
        whitening->rows = normal_pseudo_whitening(fit->env, packed, terms, &whitening->rank);
        if (whitening->rank == 0)
            env_fail(fit->env, ERROR_DATA, "Drop features without variance.", "no feature has a variance in any class");
        return true;
    }
    if (!normal_allows_null(fit))
        fail_singular(fit, done, packed[factor_packed(done) + done] == 0);
    return false;
}

/* ---- the projection ---- */

typedef struct Projection {
    uint32_t directions;
    double *scalings;    /* [terms x directions] */
    double *eigenvalues; /* [directions], descending */
} Projection;

/*
 * Returns the differences of the class means from their prior-weighted center, whitened and times the square roots of the priors,
 * [rank x classes] column major.
 */
static double *whitened_means(const NormalFit *fit, const Whitening *whitening)
{
    const ScatterDesign *design = fit->design;
    uint32_t terms = design->terms, classes = design->classes, rank = whitening->rank;
    double *center = env_array(fit->env, (size_t)terms + 1, sizeof(double));
    double *a = env_array(fit->env, (size_t)terms * classes + 1, sizeof(double)), *z;

    for (uint32_t c = 0; c < classes; c++)
        for (uint32_t t = 0; t < terms; t++)
            center[t] += fit->priors[c] * design->means[(size_t)c * terms + t];
    for (uint32_t c = 0; c < classes; c++)
        for (uint32_t t = 0; t < terms; t++)
            a[(size_t)c * terms + t] =
                sqrt(fit->priors[c]) * (design->means[(size_t)c * terms + t] - center[t]);
    if (whitening->rows == NULL) {
        cholesky_solve(fit->env, whitening->dense, terms, a, classes);
        return a;
    }
    z = env_array(fit->env, (size_t)rank * classes + 1, sizeof(double));
    for (uint32_t c = 0; c < classes; c++)
        for (uint32_t r = 0; r < rank; r++)
            for (uint32_t t = 0; t < terms; t++)
                z[(size_t)c * rank + r] +=
                    whitening->rows[(size_t)r * terms + t] * a[(size_t)c * terms + t];
    return z;
}

/* Sets a column of the projection from a whitened direction of this length; its largest entry becomes positive. */
static void set_direction(const NormalFit *fit, const Whitening *whitening, const double *white,
                           double length, Projection *projection, uint32_t direction)
{
    uint32_t terms = fit->design->terms, largest = 0;
    double *column = env_array(fit->env, (size_t)terms + 1, sizeof(double));

    if (whitening->rows == NULL) {
        for (uint32_t t = 0; t < terms; t++)
            column[t] = white[t] / length;
        cholesky_solve_transposed(fit->env, whitening->dense, terms, column, 1);
    } else {
        for (uint32_t r = 0; r < whitening->rank; r++)
            for (uint32_t t = 0; t < terms; t++)
                column[t] += whitening->rows[(size_t)r * terms + t] * (white[r] / length);
    }
    for (uint32_t t = 1; t < terms; t++)
        if (fabs(column[t]) > fabs(column[largest]))
            largest = t;
    for (uint32_t t = 0; t < terms; t++)
        projection->scalings[(size_t)t * projection->directions + direction] =
            column[largest] < 0 ? -column[t] : column[t];
}

#define NO_LENGTH 1e-10 /* directions shorter than this share of the longest are rounding */

/*
 * Returns the projection. ratio: total weight / divisor of the covariance, by which the eigenvalues are those of sums of squares.
 * Fails if option "k" asks for too many.
 */
static Projection project(const NormalFit *fit, const Whitening *whitening, double ratio)
{
    uint32_t classes = fit->design->classes, rank = whitening->rank;
    uint32_t most = classes - 1 < rank ? classes - 1 : rank;
    Projection projection = {.directions = most};
    double *a = whitened_means(fit, whitening), *lengths, longest = 0;

    if (options_given(fit->options, "k")) {
        int64_t wanted = options_integer(fit->options, "k");
        if (wanted > most)
            env_fail(fit->env, ERROR_DATA,
                     "Give at most one less than the number of classes, and no more than the number of features.",
                     "option \"k\" is %lld, and %u classes and %u feature%s have %u direction%s",
                     (long long)wanted, classes, fit->design->terms, fit->design->terms == 1 ? "" : "s", most, most == 1 ? "" : "s");
        projection.directions = (uint32_t)wanted;
    }
    orthogonalize(fit->env, a, rank, classes);
    lengths = env_array(fit->env, classes, sizeof(double));
    for (uint32_t c = 0; c < classes; c++) {
        lengths[c] = norm_of(a + (size_t)c * rank, rank);
        longest = fmax(longest, lengths[c]);
    }
    projection.scalings =
        env_array(fit->env, (size_t)fit->design->terms * projection.directions, sizeof(double));
    projection.eigenvalues = env_array(fit->env, projection.directions, sizeof(double));
    for (uint32_t d = 0; d < projection.directions; d++) {
        uint32_t best = 0;
        for (uint32_t c = 1; c < classes; c++)
            if (lengths[c] > lengths[best])
                best = c;
        if (lengths[best] > NO_LENGTH * longest) {
            projection.eigenvalues[d] = lengths[best] * lengths[best] * ratio;
            set_direction(fit, whitening, a + (size_t)best * rank, lengths[best], &projection, d);
        }
        lengths[best] = 0;
    }
    return projection;
}

/* ---- the fit ---- */

static Model *lda_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                      ModelBuilder *builder)
{
    NormalFit fit;
    Whitening whitening = {0};
    Projection projection;
    double *packed, *shares, divisor;
    uint32_t terms;

    if (!normal_begin(&fit, env, self, input, options, CODING_REFERENCE))
        return NULL;
    terms = fit.design->terms;
    if (terms == 0)
        env_fail(env, ERROR_DATA, "Give a feature that takes at least two values.",
                 "no feature varies");
    env_require_memory(env, (size_t)terms * terms * 2 * sizeof(double), "lda");
    packed = pooled_covariance(&fit, &divisor);
    if (packed == NULL)
        return NULL;
    shares = env_array(env, fit.design->classes, sizeof(double));
    if (normal_by_fourth_moments(&fit))
        shrink_classes(&fit, packed, fit.weight / divisor, shares);
    else
        shares[0] = normal_shrink(&fit, packed, terms, fit.rows, 0);
    if (!whitening_of(&fit, packed, &whitening))
        return NULL;
    projection = project(&fit, &whitening, fit.weight / divisor);

    normal_add(&fit, NULL, 0, builder);
    builder_f64(builder, SECTION_ARRAYS, "covariance" MODEL_PACKED, packed,
                (uint32_t)factor_packed(terms));
    if (whitening.rows != NULL)
        builder_f64_matrix(builder, SECTION_ARRAYS, "whitening", whitening.rows, whitening.rank, terms);
    builder_f64_matrix(builder, SECTION_ARRAYS, "scalings", projection.scalings, terms, projection.directions);
    builder_f64(builder, SECTION_ARRAYS, "eigenvalues", projection.eigenvalues, projection.directions);
    if (normal_by_fourth_moments(&fit))
        builder_f64(builder, SECTION_FACTS, "shrinkage", shares, fit.design->classes);
    else if (options_type(options, "shrinkage") == OPTION_STRING)
        builder_fact(builder, "shrinkage", shares[0]);
    return model_build(builder);
}

const Estimator estimator_lda = {
    .name = "lda",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_CLASS_MOMENTS,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_positive, option_priors, option_too_few_rows, options_normal,
                             options_normal_covariance, option_singular, lda_options),
    .help = "Linear discriminant analysis: normal classes with one covariance, and the projection that separates them best.",
    .source = "Fisher 1936, Annals of Eugenics 7; Rao 1948",
    .fit = lda_fit,
    .arrays = lda_array_tables,
    .check = normal_check,
    .accept = normal_accept,
    .scoring = &normal_projecting_scoring,
    .sampling = &normal_sampling,
    .coefficients = normal_coefficients,
    .to_sql = normal_to_sql,
    .summary = normal_summary,
    .statistics = normal_statistics,
};
