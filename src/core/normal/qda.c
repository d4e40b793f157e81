/*
 * qda.c - quadratic discriminant analysis: normal classes, each with a covariance of its own.
 *
 * Pooling mixes a share of the pooled covariance into that of each class, shrinkage a share of a multiple of the identity, as in
 * Friedman (1989), "Regularized discriminant analysis", JASA 84.
 */
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/estimator/shared_options.h"
#include "core/normal/normal_model.h"

#include <math.h>
#include <string.h>

static const OptionSpec qda_options[] = {
    {.name = "pooling",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO_TO_ONE,
     .help = "How much of the pooled covariance is mixed into that of each class: 0 is qda, 1 is lda."},
    {.name = "regularization",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO_TO_ONE,
     .help = "How much of the identity, in squared units of the features, is mixed into every covariance."},
    {.name = NULL}};

/* Fails because the covariance of a class is singular: `term` is the first that depends on those before it, or is constant. */
static void __attribute__((noreturn)) fail_singular(const NormalFit *fit, uint32_t class, uint32_t term,
                                                    bool constant)
{
    const char *hint = options_number(fit->options, "pooling") > 0 /* and the same in the others */
                           ? "Drop the feature, or use option shrinkage, regularization, or singular: \"pseudo_inverse\"."
                           : "Drop the feature, or use option shrinkage, regularization, pooling, or singular: \"pseudo_inverse\".";
    double rows = fit->design->rows[class];

    if (rows <= fit->design->terms)
        env_fail(fit->env, ERROR_DATA,
                 "Use more rows, or option shrinkage, regularization, pooling, or singular: \"pseudo_inverse\".",
                 "%s of class \"%s\" %s too few for a covariance of %u feature%s",
                 normal_rows_text(fit, rows), normal_class_name(fit, class), rows == 1 ? "is" : "are",
                 fit->design->terms, fit->design->terms == 1 ? "" : "s");
    if (constant)
        env_fail(fit->env, ERROR_DATA, hint, "feature %s has no variance in class \"%s\"",
                 normal_term_name(fit, term), normal_class_name(fit, class));
    env_fail(fit->env, ERROR_DATA, hint, "in class \"%s\" feature %s depends linearly on the features before it",
             normal_class_name(fit, class), normal_term_name(fit, term));
}

/* Writes the covariance of a class, packed; zeros if no degrees of freedom are left. */
static void class_covariance(const NormalFit *fit, uint32_t class, double *packed)
{
    const ScatterDesign *design = fit->design;
    uint32_t terms = design->terms;
    size_t size = factor_packed(terms);
    double lost = (double)options_integer(fit->options, "ddof");
    double rows = design->rows[class];
    double divisor = rows > lost ? normal_divisor(rows, design->weight[class], lost) : INFINITY;
    const double *scatter = design->scatter + class * size;
    const double *means = design->means + (size_t)class * terms;

    for (size_t i = 0; i < size; i++)
        packed[i] = scatter[i] / divisor;
    for (uint32_t t = 0; t < terms; t++)
        if (normal_vanishes(packed[factor_packed(t) + t], means[t]))
            normal_clear_term(packed, terms, t);
}

/* Mixes the pooled covariance, which has the same ddof, into the covariance of each class, by the share in option pooling. */
static void pool(const NormalFit *fit, double *covariances)
{
    uint32_t classes = fit->design->classes;
    size_t size = factor_packed(fit->design->terms);
    double share = options_number(fit->options, "pooling"), *pooled;
    double lost = (double)options_integer(fit->options, "ddof") * classes;

    if (share == 0)
        return;
    pooled = scatter_pooled(fit->env, fit->design);
    for (uint32_t c = 0; c < classes; c++)
        for (size_t i = 0; i < size; i++) {
            double of_all = fit->rows > lost ? pooled[i] / normal_divisor(fit->rows, fit->weight, lost) : 0;
            double *own = covariances + c * size + i;
            *own = (1 - share) * *own + share * of_all;
        }
}

/* Mixes the identity into a packed covariance by the share in option regularization. */
static void regularize(const NormalFit *fit, double *packed)
{
    double share = options_number(fit->options, "regularization");

    for (uint32_t j = 0; j < fit->design->terms && share > 0; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double *s = packed + factor_packed(j) + i;
            *s = (1 - share) * *s + (i == j ? share : 0);
        }
}

/* The rows that whiten the classes whose covariances are singular, one class after another. */
typedef struct Whitenings {
    double **rows;  /* [classes] [count x terms], NULL where the covariance has a Cholesky factor */
    int64_t *count; /* [classes] */
    uint32_t total;
} Whitenings;

/* Adds the rows of a class. If no feature varies in it, returns false if normal_allows_null, else fails. */
static bool add_whitening(const NormalFit *fit, uint32_t class, const double *packed, Whitenings *whitenings)
{
    uint32_t rank;

    whitenings->rows[class] = normal_pseudo_whitening(fit->env, packed, fit->design->terms, &rank);
    whitenings->count[class] = rank;
    whitenings->total += rank;
    if (rank == 0 && !normal_allows_null(fit))
        env_fail(fit->env, ERROR_DATA, "Use more rows of the class, or option shrinkage, regularization or pooling.",
                 "no feature has a variance in class \"%s\"", normal_class_name(fit, class));
    return rank > 0;
}

static void put_whitenings(ModelBuilder *builder, const NormalFit *fit, const Whitenings *whitenings)
{
    uint32_t terms = fit->design->terms, classes = fit->design->classes;
    double *all, *row;

    if (whitenings->total == 0)
        return;
    row = all = env_array(fit->env, (size_t)whitenings->total * terms, sizeof(double));
    for (uint32_t c = 0; c < classes; c++) {
        size_t numbers = (size_t)whitenings->count[c] * terms;
        if (numbers > 0)
            memcpy(row, whitenings->rows[c], numbers * sizeof(double));
        row += numbers;
    }
    builder_f64_matrix(builder, SECTION_ARRAYS, "whitening", all, whitenings->total, terms);
    builder_i64(builder, SECTION_ARRAYS, "whitening_rows", whitenings->count, classes);
}

/*
 * Returns the covariances, [classes x packed], and their shrinkage. If one is singular, returns NULL if normal_allows_null, else
 * fails.
 */
static double *covariances_of(const NormalFit *fit, double *shares, Whitenings *whitenings)
{
    Env *env = fit->env;
    uint32_t terms = fit->design->terms, classes = fit->design->classes;
    size_t size = factor_packed(terms);
    double *covariances = env_array(env, classes * size + 1, sizeof(double));
    double *dense = env_array(env, (size_t)terms * terms + 1, sizeof(double));

    for (uint32_t c = 0; c < classes; c++)
        class_covariance(fit, c, covariances + c * size);
    pool(fit, covariances);
    for (uint32_t c = 0; c < classes; c++) {
        double *own = covariances + c * size;
        uint32_t done;
        shares[c] = normal_shrink(fit, own, terms, fit->design->rows[c], c);
        regularize(fit, own);
        dense_from_packed(dense, own, terms);
        done = cholesky_factor(env, dense, terms, CHOLESKY_TOLERANCE(terms));
        if (done == terms)
            continue;
        if (options_is(fit->options, "singular", "pseudo_inverse")) {
            if (!add_whitening(fit, c, own, whitenings))
                return NULL;
            continue;
        }
        if (normal_allows_null(fit))
            return NULL;
        fail_singular(fit, c, done, own[factor_packed(done) + done] == 0);
    }
    return covariances;
}

static Model *qda_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                      ModelBuilder *builder)
{
    NormalFit fit;
    Whitenings whitenings = {0};
    double *covariances, *shares;
    uint32_t terms, classes;

    if (!normal_begin(&fit, env, self, input, options, CODING_REFERENCE))
        return NULL;
    terms = fit.design->terms;
    classes = fit.design->classes;
    if (terms == 0)
        env_fail(env, ERROR_DATA, "A categorical feature with a single level carries no information: use another "
                                  "feature.",
                 "there is no feature to tell classes apart by");
    env_require_memory(env,
                       (classes * factor_packed(terms) * 2 + (size_t)terms * terms +
                        (options_is(options, "singular", "pseudo_inverse") ? 2 * (size_t)classes * terms * terms : 0)) *
                           sizeof(double),
                       "qda");
    whitenings.rows = env_array(env, classes, sizeof(double *));
    whitenings.count = env_array(env, classes, sizeof(int64_t));
    shares = env_array(env, classes, sizeof(double));
    covariances = covariances_of(&fit, shares, &whitenings);
    if (covariances == NULL)
        return NULL;
    normal_add(&fit, NULL, 0, builder);
    builder_f64_matrix(builder, SECTION_ARRAYS, "covariances" MODEL_PACKED, covariances, classes,
                       (uint32_t)factor_packed(terms));
    put_whitenings(builder, &fit, &whitenings);
    if (options_type(options, "shrinkage") == OPTION_STRING)
        builder_f64(builder, SECTION_FACTS, "shrinkage", shares, classes);
    return model_build(builder);
}

const Estimator estimator_qda = {
    .name = "qda",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_CLASS_MOMENTS,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_positive, option_priors, option_too_few_rows, options_normal,
                             options_normal_covariance, option_singular, qda_options),
    .help = "Quadratic discriminant analysis: normal classes, each with a covariance of its own.",
    .source = "Smith 1947, Annals of Eugenics 13; Friedman 1989, JASA 84",
    .fit = qda_fit,
    .arrays = qda_array_tables,
    .check = normal_check,
    .accept = normal_accept,
    .scoring = &normal_scoring,
    .sampling = &normal_sampling,
    .to_sql = normal_to_sql,
    .summary = normal_summary,
    .statistics = normal_statistics,
};
