/*
 * ridge_loo.c - leave-one-out errors of a whole path of lambdas in closed form.
 *
 * Without row i its error is e_i / (1 - h_i), with the residual e_i and the leverage h_i of the fit of all rows
 * (Allen 1974; Golub, Heath & Wahba 1979). From the singular value decomposition U S V' of the scaled terms, where
 * u_ij = x_i'v_j / s_j and g = U'y,
 *     1 - h_i = c_i + sum_j w_i u_ij^2 p_j,    e_i = d_i + sum_j u_ij g_j p_j,    p_j = lambda / (s_j^2 + lambda)
 * where c_i and d_i are those of least squares. So small lambdas lose no digits, rows with c_i = 0 (all of them, if there
 * are fewer rows than terms) have an error as well, and one matrix product serves a block of rows and all lambdas.
 */
#include "core/linear/linear_path.h"

#include "core/linalg/column_loops.h"
#include "core/linalg/vector_loops.h"
#include "core/linalg/gemm.h"
#include "core/linalg/svd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BLOCK_ROWS 64
#define BLOCK_WORK 4e7 /* multiplications between two polls */

typedef struct Leaving {
    const LeaveOut *problem;
    Env *env;
    uint32_t terms, columns; /* columns: a column of ones if the intercept is penalized, then the terms */
    bool ones;
    double norm, target; /* norms by which the columns and y are divided */
    double weight;       /* of all rows */
    Singular svd;
    uint32_t *level_places; /* final position of each entry of the dictionary */
    double *centers, *factors; /* [terms] subtracted from a row's terms, then multiplied with them */
    KeptRows rows;
    /* scratch of a block */
    uint32_t block;
    double *x, *rotated, *products, *sums; /* [block x columns], [block x ld], [2 block x rank], [2 block x ld] */
    size_t rotated_ld, sums_ld;
    double *packed_vectors, *packed_shares;
    double *own_shares; /* [rank] */
} Leaving;

/* ---- the decomposition ---- */

/* Writes column c of the triangle, c + 1 numbers; the last column is the target's. */
static void put_column(const Leaving *leaving, uint32_t c, double *out)
{
    const LinearFit *fit = leaving->problem->fit;
    uint32_t terms = leaving->terms, ones = leaving->ones, t = c - ones;
    const Design *design = fit->design;
    double root = sqrt(design->weight);

    if (ones && c == 0) {
        out[0] = root;
        return;
    }
    if (ones)
        out[0] = root * design->means[t];
    memcpy(out + ones, design->factor + (size_t)t * (terms + 1), (t < terms ? t + 1 : terms) * sizeof(double));
}

/* Sets the largest norms, and the centers and factors of a row's terms. */
static void take_scales(Leaving *leaving)
{
    const LinearFit *fit = leaving->problem->fit;
    const double *scales = leaving->problem->scales;
    uint32_t terms = leaving->terms, columns = leaving->columns;
    double *column = env_array(leaving->env, (size_t)columns + 2, sizeof(double));

    leaving->centers = env_array(leaving->env, 2 * (size_t)terms + 1, sizeof(double));
    leaving->factors = leaving->centers + terms;
    leaving->norm = leaving->ones ? sqrt(leaving->weight) : 0;
    for (uint32_t t = 0; t < terms; t++) {
        put_column(leaving, t + leaving->ones, column);
        if (leaving->ones || linear_norm(fit, t) > 0) { /* a constant takes part in a penalized intercept alone */
            leaving->norm = fmax(leaving->norm, loop_norm_scaled(column, NULL, t + leaving->ones + 1) / scales[t]);
            leaving->factors[t] = 1 / scales[t];
        }
        if (fit->with_intercept && !leaving->ones)
            leaving->centers[t] = fit->design->means[t];
    }
    put_column(leaving, columns, column);
    leaving->target = loop_norm_scaled(column, NULL, columns);
    leaving->target = hypot(leaving->target, fit->design->factor[(size_t)(terms + 1) * (terms + 1) - 1]);
    leaving->norm = leaving->norm > 0 ? leaving->norm : 1;
    leaving->target = leaving->target > 0 ? leaving->target : 1;
    for (uint32_t t = 0; t < terms; t++)
        leaving->factors[t] /= leaving->norm;
}

static void decompose(Leaving *leaving)
{
    Env *env = leaving->env;
    const Design *design = leaving->problem->fit->design;
    uint32_t columns = leaving->columns;
    double rounding = 10 * DBL_EPSILON * (columns < 10 ? 10 : columns), root = sqrt(leaving->weight);
    double *a = env_array(env, (size_t)columns * columns + 1, sizeof(double));
    double *noise = env_array(env, 2 * (size_t)columns + 2, sizeof(double)), *y = noise + columns;

    for (uint32_t c = 0; c < columns; c++) {
        uint32_t t = c - leaving->ones;
        double *column = a + (size_t)c * columns, times = leaving->ones && c == 0 ? 1 / leaving->norm : leaving->factors[t];
        put_column(leaving, c, column);
        for (uint32_t i = 0; i <= c; i++)
            column[i] *= times;
        noise[c] = rounding * loop_norm_scaled(column, NULL, c + 1);
        if (!(leaving->ones && c == 0))
            noise[c] += 2 * DBL_EPSILON * root * fabs(design->means[t]) * times;
    }
    put_column(leaving, columns, y);
    for (uint32_t i = 0; i < columns; i++)
        y[i] /= leaving->target;
    if (columns > 0)
        leaving->svd = singular_make(env, a, columns, y, noise);
    env->release(env, a);
}

/* ---- rows ---- */

/* Writes the scaled columns of a row. */
static void read_row(const Leaving *leaving, const double *row, double *x)
{
    const Design *design = leaving->problem->fit->design;

    if (leaving->ones)
        *x++ = 1 / leaving->norm;
    for (uint32_t t = 0; t < leaving->terms; t++) {
        double value = row[design->term_slot[t]];
        if (design->term_level[t] >= 0)
            value = leaving->level_places[(uint32_t)value] == (uint32_t)design->term_level[t];
        else if (isinf(value)) /* a NULL */
            value = design->means[t];
        x[t] = (value - leaving->centers[t]) * leaving->factors[t];
    }
}

/* Returns the weight that is left out with a row: its own, or 1 if weights are counts. */
static double removed(const Leaving *leaving, double weight)
{
    return leaving->problem->fit->design->schema->flags & MODEL_FREQUENCY ? fmin(1, weight) : weight;
}

/* A row that is left out. */
typedef struct Left {
    double weight, removed; /* its weight, and how much of it is left out */
    double left, residual;  /* c and d */
} Left;

/*
 * Returns c, d and the weights of a row, and writes the factors of p in both sums, [rank] each. rotated: the row in the
 * coordinates of V.
 */
static Left begin_row(const Leaving *leaving, const double *row, const double *rotated, double *leverages,
                      double *residuals)
{
    const LinearFit *fit = leaving->problem->fit;
    const Singular *svd = &leaving->svd;
    double weight = leaving->rows.weight > 0 ? row[leaving->rows.weight] : 1, own = removed(leaving, weight);
    bool centered = fit->with_intercept && !leaving->ones;
    Left left = {.weight = weight, .removed = own, .left = centered ? 1 - own / leaving->weight : 1};

    left.residual = (row[leaving->rows.target] - (centered ? fit->design->target_mean : 0)) / leaving->target;
    for (uint32_t j = 0; j < svd->rank; j++) {
        double u = rotated[j] / svd->values[j];
        leverages[j] = own * u * u;
        residuals[j] = u * svd->left[j];
        left.left -= leverages[j];
        left.residual -= residuals[j];
    }
    /* the row determines a coefficient: it is met exactly */
    if (left.left <= 100 * DBL_EPSILON * (leaving->columns < 10 ? 10 : leaving->columns))
        left.left = left.residual = 0;
    return left;
}

/* Writes p of every direction at a lambda. */
static void put_shares(const Leaving *leaving, double lambda, double *shares)
{
    for (uint32_t j = 0; j < leaving->svd.rank; j++) {
        double s = leaving->svd.values[j];
        shares[j] = lambda / (s * s + lambda);
    }
}

/* Returns lambda as a penalty on the scaled columns when this much weight is left out. */
static double penalty_of(const Leaving *leaving, double lambda, double without)
{
    double times = leaving->problem->mean_loss ? leaving->weight - without : 1;

    return lambda * times / leaving->norm / leaving->norm;
}

/* Adds the errors of a block of rows. uniform: lambda is the same penalty whichever row is left out. */
static void add_block(Leaving *leaving, const double *row, uint32_t rows, bool uniform, const double *lambdas,
                      uint32_t count, double *errors)
{
    uint32_t rank = leaving->svd.rank;
    Left left[BLOCK_ROWS];

    for (uint32_t i = 0; i < rows; i++)
        read_row(leaving, row + (size_t)i * leaving->rows.width, leaving->x + (size_t)i * leaving->columns);
    if (rank > 0)
        product_block(leaving->x, rows, leaving->packed_vectors, rank, leaving->columns, leaving->rotated,
                      leaving->rotated_ld);
    for (uint32_t i = 0; i < rows; i++)
        left[i] = begin_row(leaving, row + (size_t)i * leaving->rows.width, leaving->rotated + i * leaving->rotated_ld,
                            leaving->products + 2 * (size_t)i * rank, leaving->products + (2 * (size_t)i + 1) * rank);
    if (uniform && rank > 0)
        product_block(leaving->products, 2 * rows, leaving->packed_shares, count, rank, leaving->sums, leaving->sums_ld);
    for (uint32_t i = 0; i < rows; i++) {
        const double *products = leaving->products + 2 * (size_t)i * rank, *sums = leaving->sums + 2 * i * leaving->sums_ld;
        for (uint32_t l = 0; l < count; l++) {
            double complement = left[i].left, error = left[i].residual;
            if (uniform && rank > 0) {
                complement += sums[l];
                error += sums[leaving->sums_ld + l];
            } else if (rank > 0) {
                put_shares(leaving, penalty_of(leaving, lambdas[l], left[i].removed), leaving->own_shares);
                complement += column_dot(products, leaving->own_shares, rank);
                error += column_dot(products + rank, leaving->own_shares, rank);
            }
            error = complement > 0 ? error / complement * leaving->target : INFINITY;
            errors[l] += left[i].weight / leaving->weight * error * error;
        }
    }
}

/* Allocates scratch, and computes the shares of all lambdas if they are the same for every row. */
static void prepare(Leaving *leaving, const double *lambdas, uint32_t count, bool uniform)
{
    Env *env = leaving->env;
    uint32_t columns = leaving->columns, rank = leaving->svd.rank;
    double *shares, work = (double)(columns + 1) * (columns + 2.0 * count);

    leaving->block = (uint32_t)fmin(BLOCK_ROWS, fmax(1, BLOCK_WORK / work));
    leaving->rotated_ld = (rank + PRODUCT_STRIP) / PRODUCT_STRIP * PRODUCT_STRIP;
    leaving->sums_ld = ((size_t)count + PRODUCT_STRIP - 1) / PRODUCT_STRIP * PRODUCT_STRIP;
    leaving->x = env_array(env, (size_t)BLOCK_ROWS * columns + 1, sizeof(double));
    leaving->rotated = env_array(env, BLOCK_ROWS * leaving->rotated_ld, sizeof(double));
    leaving->products = env_array(env, 2 * BLOCK_ROWS * (size_t)rank + 1, sizeof(double));
    leaving->sums = env_array(env, 2 * BLOCK_ROWS * leaving->sums_ld, sizeof(double));
    leaving->own_shares = env_array(env, (size_t)rank + 1, sizeof(double));
    leaving->packed_vectors = env_array(env, product_packed(rank, columns) + 1, sizeof(double));
    leaving->packed_shares = env_array(env, (uniform ? product_packed(count, rank) : 0) + 1, sizeof(double));
    if (rank == 0)
        return;
    product_pack(leaving->svd.vectors, rank, columns, columns, NULL, leaving->packed_vectors);
    if (!uniform)
        return;
    shares = env_array(env, (size_t)count * rank, sizeof(double));
    for (uint32_t l = 0; l < count; l++)
        put_shares(leaving, penalty_of(leaving, lambdas[l], 1), shares + (size_t)l * rank);
    product_pack(shares, count, rank, rank, NULL, leaving->packed_shares);
}

/* Returns the bytes needed in addition to the rows and the factor. */
static size_t memory_of(const Leaving *leaving, uint32_t count)
{
    size_t columns = (size_t)leaving->columns + PRODUCT_STRIP, lambdas = (size_t)count + PRODUCT_STRIP;

    return singular_memory(leaving->columns + 1) +
           (columns * columns + 2 * lambdas * columns + BLOCK_ROWS * (4 * columns + 2 * lambdas)) * sizeof(double);
}

void ridge_loo(const LeaveOut *problem, const double *lambdas, uint32_t count, double *errors)
{
    Env *env = problem->fit->env;
    const Design *design = problem->fit->design;
    Leaving leaving = {.problem = problem, .env = env, .terms = design->terms, .weight = design->weight};
    bool uniform = !problem->mean_loss || !(design->schema->flags & MODEL_WEIGHTED);
    uint64_t done = 0, all;

    if (problem->rows == NULL)
        env_fail(env, ERROR_PARAMETER,
                 "Compute them with pgfit.moments(target, features, '{\"keep_rows\": true}'), fit from the rows, or "
                 "use \"gcv\".",
                 "leave-one-out errors need the rows, and these moments keep none");
    leaving.rows = *problem->rows;
    if (design->rows < 2)
        env_fail(env, ERROR_DATA, "Add rows, or give lambda as a number.", "leaving out the only row leaves none to fit");
    leaving.ones = problem->fit->with_intercept && problem->intercept_too;
    leaving.columns = leaving.terms + leaving.ones;
    env_require_memory(env, memory_of(&leaving, count), "leaving out row by row");
    leaving.level_places = dictionary_final_positions(leaving.env, leaving.problem->fit->design->schema, DICTIONARY_LEVELS);
    take_scales(&leaving);
    decompose(&leaving);
    prepare(&leaving, lambdas, count, uniform);
    memset(errors, 0, count * sizeof(double));
    all = (uint64_t)leaving.rows.counts[0] + leaving.rows.counts[1];
    for (int part = 0; part < 2; part++)
        for (uint32_t first = 0, rows; first < leaving.rows.counts[part]; first += rows) {
            rows = leaving.rows.counts[part] - first;
            rows = rows < leaving.block ? rows : leaving.block;
            add_block(&leaving, leaving.rows.rows[part] + (size_t)first * leaving.rows.width, rows, uniform, lambdas,
                      count, errors);
            done += rows;
            env->progress(env, "leaving out row by row", done, all, NAN);
            env->poll(env);
        }
    for (uint32_t l = 0; l < count; l++) /* NaN and infinities too */
        errors[l] = errors[l] <= DBL_MAX ? errors[l] : DBL_MAX;
}
