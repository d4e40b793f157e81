/*
 * mapped_ridge.c - kernel ridge regression by an approximation of the kernel.
 *
 * With G = sum of w z z' over the mapped rows and b = sum of w z y, the coefficients are (G + lambda I)^-1 b. One pass over the rows
 * sums G and b; leave-one-out errors take another, in which z' (G + lambda I)^-1 z is a row's leverage (Allen 1974), for all lambdas
 * together in the eigenvectors of G. A model with all rows as landmarks is that of kernel_ridge without an approximation.
 */
#include "core/kernel_methods/kernel_ridge.h"

#include "core/kernel_methods/kernel_ridge_candidates.h"
#include "core/kernel_methods/mapped_rows.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/column_loops.h"
#include "core/linalg/eigen.h"
#include "core/linalg/gemm.h"

#include <math.h>
#include <string.h>

typedef struct MappedRidge {
    Env *env;
    KernelSample *sample;
    Approximation approximation;
    const Options *options;
    RidgeCandidates candidates;
    bool intercept, counts;
    double mean;     /* weighted, of the targets: subtracted if there is an intercept, else 0 */
    double lambda;
    /* of the kernel at hand */
    FeatureMap *map;
    Rows *rows;
    MappedSums *sums;
    double *values;  /* eigenvalues of the Gram matrix, descending; NULL: not known yet */
    double *vectors; /* [features x features] its eigenvectors, one per row */
} MappedRidge;

/* ---- sums ---- */

/* Returns the weighted mean of the targets. */
static double mean_target(const KernelSample *sample)
{
    DesignReader *reader = design_reader(sample->design);
    double weight = 0, mean = 0;
    DesignBlock block;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double own = row_weight(block.weights, i);

            weight += own;
            mean += (block.targets[i] - mean) * (own / weight);
        }
    design_reader_free(reader);
    return mean;
}

/* Maps the rows by the sample's kernel and sums them up. */
static void sum_rows(MappedRidge *ridge)
{
    ridge->map = feature_map(ridge->sample, ridge->approximation, ridge->options);
    ridge->rows = mapped_rows(ridge->map, mapped_room(ridge->map, 0));
    ridge->sums = mapped_sums(ridge->env, ridge->rows, ridge->mean, "kernel_ridge");
    ridge->values = NULL;
}

static void decompose(MappedRidge *ridge)
{
    Env *env = ridge->env;
    uint32_t m = ridge->sums->features;
    double *copy;
    Eigen *eigen;

    if (ridge->values != NULL)
        return;
    env_require_memory(env, eigen_memory(m, m) + 2 * (size_t)m * m * sizeof(double), "leave-one-out errors of kernel_ridge");
    copy = env_array_raw(env, (size_t)m * m, sizeof(double));
    env_copy(env, copy, ridge->sums->gram, (size_t)m * m * sizeof(double));
    ridge->vectors = env_array_raw(env, (size_t)m * m, sizeof(double));
    eigen = eigen_begin(env, copy, m);
    ridge->values = env_array_raw(env, m, sizeof(double));
    for (uint32_t j = 0; j < m; j++)
        ridge->values[j] = fmax(eigen_values(eigen)[j], 0);
    eigen_vectors(eigen, m, ridge->vectors);
    env->release(env, copy);
}

/* ---- leave-one-out errors ---- */

/* What a pass for leave-one-out errors reads, for each lambda in the eigenvectors of the Gram matrix. */
typedef struct Leaving {
    uint32_t lambdas;
    double *inverse;  /* [lambdas x features] 1 / (eigenvalue + lambda) */
    double *fit;      /* [lambdas x features] coefficients of the targets */
    double *constant; /* [lambdas x features] those of a target of 1 */
    double *rotated;  /* [MAP_ROWS x features] */
    double *leverage, *fitted, *fitted_constant; /* [MAP_ROWS x lambdas] */
    double *squares;  /* [lambdas] sums of weight times squared residuals */
    double *residuals; /* [rows] of the first lambda; NULL: not kept */
} Leaving;

static Leaving *leaving_new(MappedRidge *ridge, const double *lambdas, uint32_t count)
{
    Env *env = ridge->env;
    const MappedSums *sums = ridge->sums;
    uint32_t m = sums->features;
    Leaving *leaving = env_array(env, 1, sizeof(Leaving));
    size_t cells = (size_t)count * m, block = (size_t)count * MAP_ROWS;

    env_require_memory(env, (3 * cells + 3 * block + (size_t)m * MAP_ROWS) * sizeof(double), "leave-one-out errors of kernel_ridge");
    leaving->lambdas = count;
    leaving->inverse = env_array(env, 3 * cells, sizeof(double));
    leaving->fit = leaving->inverse + cells;
    leaving->constant = leaving->fit + cells;
    leaving->leverage = env_array(env, 3 * block, sizeof(double));
    leaving->fitted = leaving->leverage + block;
    leaving->fitted_constant = leaving->fitted + block;
    leaving->rotated = env_array(env, m, MAP_ROWS * sizeof(double));
    leaving->squares = env_array(env, count, sizeof(double));
    for (uint32_t j = 0; j < m; j++) {
        const double *vector = ridge->vectors + (size_t)j * m;
        double product = column_dot(vector, sums->products, m), sum = column_dot(vector, sums->sums, m);

        for (uint32_t l = 0; l < count; l++) {
            double inverse = 1 / (ridge->values[j] + lambdas[l]);

            leaving->inverse[(size_t)l * m + j] = inverse;
            leaving->fit[(size_t)l * m + j] = inverse * product;
            leaving->constant[(size_t)l * m + j] = inverse * sum;
        }
    }
    return leaving;
}

/* Adds the errors of row i of a block. One of its units is left out if weights are counts, else all of it. */
static void leave_row(const MappedRidge *ridge, Leaving *leaving, const RowsBlock *block, uint32_t i)
{
    double weight = row_weight(block->weights, i), out = ridge->counts ? 1 : weight, total = ridge->sums->weight;
    double y = block->targets[i] - ridge->mean, mean = 0;

    if (ridge->intercept) /* the mean of the targets without the row */
        mean = (ridge->sums->target - out * y) / (total - out);
    for (uint32_t l = 0; l < leaving->lambdas; l++) {
        size_t at = (size_t)i * leaving->lambdas + l;
        double residual = y - mean - leaving->fitted[at] + mean * leaving->fitted_constant[at];

        residual /= 1 - out * leaving->leverage[at];
        leaving->squares[l] += weight * residual * residual;
        if (l == 0 && leaving->residuals != NULL)
            leaving->residuals[block->first + i] = residual;
    }
}

/* Reads all rows and sums the squared errors of leaving each out. */
static void leave_out(MappedRidge *ridge, Leaving *leaving)
{
    Env *env = ridge->env;
    uint32_t m = ridge->sums->features, count = leaving->lambdas;
    RowsReader *reader = rows_reader(env, ridge->rows);
    RowsBlock block;

    while (rows_next_block(reader, &block)) {
        product_distances(env, false, block.slots, block.count, ridge->vectors, m, m, m, leaving->rotated);
        product_distances(env, false, leaving->rotated, block.count, leaving->fit, count, m, m, leaving->fitted);
        product_distances(env, false, leaving->rotated, block.count, leaving->constant, count, m, m, leaving->fitted_constant);
        for (size_t c = 0; c < (size_t)m * block.count; c++)
            leaving->rotated[c] *= leaving->rotated[c];
        product_distances(env, false, leaving->rotated, block.count, leaving->inverse, count, m, m, leaving->leverage);
        for (uint32_t i = 0; i < block.count; i++)
            leave_row(ridge, leaving, &block, i);
    }
    rows_reader_free(reader);
}

/* Tries all candidates; the best ones become lambda and the sample's gamma. Of equal errors the larger lambda counts. */
static void choose(MappedRidge *ridge)
{
    RidgeCandidates *candidates = &ridge->candidates;
    double best = INFINITY, gamma = ridge->sample->kernel.gamma;

    for (uint32_t g = 0; g < candidates->gamma_count; g++) {
        double *errors = candidates->errors + (size_t)g * candidates->lambda_count;
        Leaving *leaving;

        if (candidates->gammas != NULL)
            ridge->sample->kernel.gamma = candidates->gammas[g];
        if (g > 0)
            sum_rows(ridge);
        decompose(ridge);
        leaving = leaving_new(ridge, candidates->lambdas, candidates->lambda_count);
        leave_out(ridge, leaving);
        for (uint32_t l = 0; l < candidates->lambda_count; l++) {
            errors[l] = isfinite(leaving->squares[l]) ? leaving->squares[l] / ridge->sums->weight : INFINITY;
            if (errors[l] < best) {
                best = errors[l];
                ridge->lambda = candidates->lambdas[l];
                gamma = ridge->sample->kernel.gamma;
            }
        }
        rows_free(ridge->rows);
    }
    if (!(best < INFINITY))
        env_fail(ridge->env, ERROR_DATA, "Give larger lambdas.", "kernel_ridge cannot choose: no lambda gives a finite error");
    ridge->sample->kernel.gamma = gamma;
    sum_rows(ridge);
}

/* ---- the fit ---- */

/* Returns the coefficients of the features. */
static double *solve(MappedRidge *ridge)
{
    Env *env = ridge->env;
    const MappedSums *sums = ridge->sums;
    uint32_t m = sums->features;
    double *factor = env_array_raw(env, (size_t)m * m, sizeof(double)), *out = env_array_raw(env, m, sizeof(double));

    env_copy(env, factor, sums->gram, (size_t)m * m * sizeof(double));
    for (uint32_t j = 0; j < m; j++)
        factor[(size_t)j * m + j] += ridge->lambda;
    memcpy(out, sums->products, m * sizeof(double));
    if (cholesky_factor(env, factor, m, 0) < m)
        env_fail(env, ERROR_DATA, "Raise lambda.", "the matrix of %u features plus lambda %g is not positive definite", m,
                 ridge->lambda);
    cholesky_solve(env, factor, m, out, 1);
    cholesky_solve_transposed(env, factor, m, out, 1);
    env->release(env, factor);
    return out;
}

/* Returns the mean squared error of the training rows. */
static double training_error(const MappedRidge *ridge, const double *coef)
{
    const MappedSums *sums = ridge->sums;
    double error = sums->square;

    /* G coef = products - lambda coef */
    for (uint32_t j = 0; j < sums->features; j++)
        error -= coef[j] * (sums->products[j] + ridge->lambda * coef[j]);
    return fmax(error, 0) / sums->weight;
}

/* Adds leave-one-out facts, and residuals if they are kept. */
static void add_leaving(MappedRidge *ridge, bool keep, ModelBuilder *builder)
{
    Leaving *leaving;
    double df = ridge->intercept, weight = ridge->sums->weight;
    uint32_t m = ridge->sums->features;

    decompose(ridge);
    leaving = leaving_new(ridge, &ridge->lambda, 1);
    if (keep)
        leaving->residuals = env_array(ridge->env, ridge->sample->count, sizeof(double));
    leave_out(ridge, leaving);
    for (uint32_t j = 0; j < m; j++) {
        double sum = column_dot(ridge->vectors + (size_t)j * m, ridge->sums->sums, m);

        df += ridge->values[j] / (ridge->values[j] + ridge->lambda);
        if (ridge->intercept) /* the mean takes the place of what the features fit to a constant */
            df -= sum * leaving->constant[j] / weight;
    }
    if (isfinite(leaving->squares[0]))
        builder_fact(builder, "loo_mse", leaving->squares[0] / ridge->sums->weight);
    builder_fact(builder, "df", df);
    if (keep)
        builder_f64(builder, SECTION_ARRAYS, "loo_residuals", leaving->residuals, ridge->sample->count);
}

static void open_ridge(MappedRidge *ridge, const FitInput *input)
{
    Env *env = ridge->env;
    const Options *options = ridge->options;
    Kernel kernel = ridge_kernel(env, options);

    ridge->approximation = approximation_of_options(env, options, &kernel);
    ridge->sample = feature_map_sample(env, input->rows, &kernel, options, "kernel_ridge");
    ridge->intercept = options_boolean(options, "intercept");
    ridge->counts = (rows_schema(input->rows)->flags & MODEL_FREQUENCY) != 0;
    ridge->mean = ridge->intercept ? mean_target(ridge->sample) : 0;
    ridge->candidates = ridge_gammas(env, options, &ridge->sample->kernel);
    ridge_lambdas(env, options, option_is_word(options, "lambda") ? feature_map_self(ridge->sample, false) : 1, &ridge->candidates);
    ridge->lambda = ridge->candidates.lambdas[0];
}

Model *mapped_ridge(Env *env, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    MappedRidge ridge = {.env = env, .options = options};
    bool chosen = option_is_several(options, "lambda") || option_is_several(options, "gamma"), keep = options_boolean(options, "loo");
    double *coef;

    open_ridge(&ridge, input);
    if ((chosen || keep) && ridge.sample->count < 2)
        env_fail(env, ERROR_DATA, "Add rows, or give lambda and gamma as numbers, without \"loo\".",
                 "kernel_ridge has no leave-one-out errors: leaving out the only row leaves none to fit");
    sum_rows(&ridge);
    if (chosen) {
        choose(&ridge);
        ridge_warn_of_ends(env, options, &ridge.candidates, ridge.lambda, ridge.sample->kernel.gamma);
    }
    coef = solve(&ridge);
    builder_fact(builder, "lambda", ridge.lambda);
    builder_fact(builder, "mse", training_error(&ridge, coef));
    if (chosen || keep)
        add_leaving(&ridge, keep, builder);
    rows_free(ridge.rows);
    feature_map_add(env, ridge.map, 1, coef, ridge.intercept ? &ridge.mean : NULL, builder);
    if (chosen)
        ridge_candidates_add(env, &ridge.candidates, builder);
    return model_build(builder);
}
