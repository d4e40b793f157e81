/*
 * kernel_ridge_folds.c - errors of kernel ridge regression where whole folds of rows are left out, in closed form.
 *
 * With L L' = R K R + lambda I, R the roots of the weights, and C its inverse, the residuals of rows S in the fit without them, times R, are
 * C_SS^-1 (C t)_S, where t are the targets times R (the block form of Allen 1974). In the order of the folds, the factor of the first m rows is
 * the first block of L, and so the residuals of the next fold S in the fit to them are L_SS (L^-1 t)_S: one factor serves all folds.
 */
#include "core/kernel_methods/kernel_ridge_folds.h"

#include "core/base/sort.h"
#include "core/estimator/fold_rows.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/gemm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POLL_ROWS 64

const OptionSpec option_expanding[] = {
    {.name = "expanding",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether a fold of fold_column is predicted from the folds with smaller numbers alone, as a model of the past would; the first is "
             "not predicted."},
    {.name = NULL}};

/* ---- folds ---- */

/* Reads the fold of each row: from its column, or a hash of its content, as moments have it. */
static PlacedNumber *read_labels(Env *env, Rows *rows, const FoldPlan *plan)
{
    PlacedNumber *labeled = env_array_raw(env, rows_count(rows), sizeof(PlacedNumber));
    const Model *schema = rows_schema(rows);
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            labeled[block.first + i] = (PlacedNumber){.number = fold_row_label(env, schema, plan, NULL, &block, i), .place = block.first + i};
    rows_reader_free(reader);
    return labeled;
}

RidgeFolds ridge_folds(Env *env, Rows *rows, const Options *options)
{
    RidgeFolds out = {.expanding = options_boolean(options, "expanding")};
    uint32_t n = (uint32_t)rows_count(rows);
    PlacedNumber *labeled;
    FoldPlan plan;

    if (out.expanding && !options_given(options, "fold_column"))
        env_fail(env, ERROR_PARAMETER, "Name the column that orders the folds with \"fold_column\".", "option \"expanding\" needs folds in an order");
    if (!options_folded(options))
        return out;
    plan = fold_plan(options);
    labeled = read_labels(env, rows, &plan);
    sort_polled(env, labeled, n, sizeof(PlacedNumber), compare_placed);
    out.order = env_array_raw(env, (size_t)n + 1, sizeof(uint32_t));
    out.first = env_array_raw(env, (size_t)n + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++) {
        out.order[i] = (uint32_t)labeled[i].place;
        if (i == 0 || labeled[i].number != labeled[i - 1].number)
            out.first[out.count++] = i;
    }
    out.first[out.count] = n;
    env->release(env, labeled);
    return out;
}

/* ---- errors ---- */

size_t ridge_folds_memory(uint32_t n)
{
    return 3 * (size_t)n * n * sizeof(double) + (size_t)n * 80 * sizeof(double);
}

static double root_of(const KernelRidge *ridge, const RidgeFolds *folds, uint32_t i)
{
    return sqrt(row_weight(ridge->weights, folds->order[i]));
}

/* Writes R K R + lambda I in the order of the folds. */
static void order_matrix(const KernelRidge *ridge, const RidgeFolds *folds, double lambda, double *a)
{
    uint32_t n = ridge->n;

    for (uint32_t i = 0; i < n; i++) {
        const double *from = ridge->gram + (size_t)folds->order[i] * n;
        double root = root_of(ridge, folds, i);

        for (uint32_t j = 0; j < n; j++)
            a[(size_t)i * n + j] = from[folds->order[j]] * root * root_of(ridge, folds, j);
        a[(size_t)i * n + i] += lambda;
        env_poll_every(ridge->env, i, POLL_ROWS);
    }
}

/* Returns the mean of the targets of the rows that fold k is predicted from; 0 without an intercept. */
static double fitted_mean(const KernelRidge *ridge, const RidgeFolds *folds, uint32_t k)
{
    uint32_t end = folds->expanding ? folds->first[k] : ridge->n;
    double total = 0, mean = 0;

    for (uint32_t i = 0; ridge->intercept && i < end; i++) {
        double weight = row_weight(ridge->weights, folds->order[i]);

        if (i >= folds->first[k] && i < folds->first[k + 1])
            continue;
        total += weight;
        mean += (ridge->targets[folds->order[i]] - mean) * (weight / total);
    }
    return mean;
}

/* Sums of squares of what is left out. */
typedef struct Errors {
    double squares, weight;
} Errors;

/* Adds the residuals of a fold, times the roots of the weights. */
static void add_errors(Errors *errors, const KernelRidge *ridge, const RidgeFolds *folds, uint32_t k, const double *residuals)
{
    for (uint32_t i = folds->first[k]; i < folds->first[k + 1]; i++) {
        double square = residuals[i - folds->first[k]] * residuals[i - folds->first[k]];

        errors->squares += isfinite(square) ? square : INFINITY;
        errors->weight += row_weight(ridge->weights, folds->order[i]);
    }
}

/* Leaves out fold k. inverse: [n x n] rows that are the columns of L^-1; right: C t and C R 1. scratch: [size x size + size]. */
static void leave_fold_out(const KernelRidge *ridge, const RidgeFolds *folds, uint32_t k, const double *inverse, const double *right,
                           double *scratch, Errors *errors)
{
    uint32_t n = ridge->n, first = folds->first[k], size = folds->first[k + 1] - first;
    double *block = scratch, *residuals = scratch + (size_t)size * size, mean = fitted_mean(ridge, folds, k);

    product_distances(ridge->env, false, inverse + (size_t)first * n, size, inverse + (size_t)first * n, size, n, n, block);
    for (uint32_t i = 0; i < size; i++)
        residuals[i] = right[first + i] - mean * right[n + first + i];
    if (cholesky_factor(ridge->env, block, size, 8 * DBL_EPSILON) == size) {
        cholesky_solve(ridge->env, block, size, residuals, 1);
        cholesky_solve_transposed(ridge->env, block, size, residuals, 1);
    } else {
        residuals[0] = INFINITY; /* rows that determine their own predictions */
    }
    add_errors(errors, ridge, folds, k, residuals);
}

/* Predicts fold k from those before it. right: L^-1 t and L^-1 R 1. */
static void predict_fold(const KernelRidge *ridge, const RidgeFolds *folds, uint32_t k, const double *factor, const double *right,
                         double *scratch, Errors *errors)
{
    uint32_t n = ridge->n, first = folds->first[k], end = folds->first[k + 1];
    double mean = fitted_mean(ridge, folds, k);

    memset(scratch, 0, (end - first) * sizeof(double));
    for (uint32_t j = first; j < end; j++) {
        double z = right[j] - mean * right[n + j];

        for (uint32_t i = j; i < end; i++)
            scratch[i - first] += factor[(size_t)j * n + i] * z;
        env_poll_every(ridge->env, j, POLL_ROWS);
    }
    add_errors(errors, ridge, folds, k, scratch);
}

void kernel_ridge_fold_errors(const KernelRidge *ridge, const RidgeFolds *folds, const double *lambdas, uint32_t count, double *errors)
{
    Env *env = ridge->env;
    uint32_t n = ridge->n;
    double *a = env_array_raw(env, (size_t)n * n, sizeof(double)), *right = env_array_raw(env, 2 * (size_t)n, sizeof(double));
    double *inverse = folds->expanding ? NULL : env_array_raw(env, (size_t)n * n, sizeof(double));
    double *scratch = env_array_raw(env, (size_t)n * n + n, sizeof(double));

    for (uint32_t l = 0; l < count; l++) {
        Errors sums = {0, 0};

        order_matrix(ridge, folds, lambdas[l], a);
        errors[l] = INFINITY;
        if (cholesky_factor(env, a, n, 8 * DBL_EPSILON) < n)
            continue;
        for (uint32_t i = 0; i < n; i++) {
            right[n + i] = root_of(ridge, folds, i);
            right[i] = right[n + i] * ridge->targets[folds->order[i]];
        }
        cholesky_solve(env, a, n, right, 2);
        if (!folds->expanding) {
            cholesky_solve_transposed(env, a, n, right, 2);
            env_zero(env, inverse, (size_t)n * n * sizeof(double));
            for (uint32_t i = 0; i < n; i++)
                inverse[(size_t)i * n + i] = 1;
            cholesky_solve(env, a, n, inverse, n);
        }
        for (uint32_t k = folds->expanding; k < folds->count; k++)
            if (folds->expanding)
                predict_fold(ridge, folds, k, a, right, scratch, &sums);
            else
                leave_fold_out(ridge, folds, k, inverse, right, scratch, &sums);
        errors[l] = sums.squares / sums.weight;
        env->progress(env, "leaving out fold by fold", l + 1, count, errors[l]);
    }
    env->release(env, a);
    env->release(env, right);
    env->release(env, scratch);
    if (inverse != NULL)
        env->release(env, inverse);
}
