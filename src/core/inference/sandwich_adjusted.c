/*
 * sandwich_adjusted.c - CR2: the residuals of each cluster are multiplied by the inverse square root of what their covariance would be if the model were
 * right, and t tests have the degrees of freedom that match two moments of the variance (Bell & McCaffrey 2002; Pustejovsky & Tipton 2018).
 *
 * With equal variances and no weights the matrix of a cluster is I - Q Q', where Q holds its rows, and everything follows from the eigenvectors of Q'Q,
 * [count x count], so clusters may have any size. Otherwise it has a row and a column per row of the cluster.
 *
 * The variance of a coefficient is a sum over clusters of (v_j'e)^2. Under the model, the covariance of the v_j'e is P = diag(a_j) + z_i'K z_j, so its
 * degrees of freedom (tr P)^2 / tr(P P) come from sums over clusters alone.
 */
#include "core/inference/sandwich_internal.h"

#include "core/linalg/eigen.h"
#include "core/linalg/gemm.h"
#include "core/linalg/qr_factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define WAITS_MOST 8 /* rows of a cluster whose products are added together, so that its sum is read and written as much less often */
#define PRODUCT_WORK 1e7 /* multiplications between two polls */
#define SERIES_NORM 0.1 /* below it 16 terms of a series are exact, and faster than eigenvectors */
#define POWER_TOLERANCE 1e-12 /* eigenvalues below it count as 0, as in the package clubSandwich of R */

/* The sums of one coefficient. */
typedef struct Moments {
    double trace, squares; /* of P, and of its part that is not z'K z twice */
    double *products;      /* [m x m] sum of z z' */
} Moments;

typedef struct Adjustment {
    Sandwich *sandwich;
    Env *env;
    uint32_t k, m; /* m: length of z, count or, with weights of precision, twice that */
    bool weighted; /* weights of precision: K = [N -I; -I 0]; else K = -I */
    double *n;     /* [count x count] R^-T X'W^2X R^-1 */
    Moments *moments;
    double *z;     /* [m] */
} Adjustment;

void adjusted_begin(Sandwich *sandwich)
{
    const SandwichFit *fit = &sandwich->fit;
    size_t k = fit->count;

    if (fit->varying || (fit->weighted && !fit->frequency)) {
        sandwich->kept.width = fit->count + 5;
    } else {
        size_t ld = (k + 7) / 8 * 8;
        void *memory;

        sandwich->waits = k < WAITS_MOST ? (uint32_t)k : WAITS_MOST; /* no more numbers than the sum itself has */
        env_require_memory(sandwich->env, (ld + WAITS_MOST) * ld * sizeof(double), "the covariance of the coefficients");
        sandwich->products = env_aligned(sandwich->env, (ld + WAITS_MOST) * ld, &memory);
    }
    if (fit->weighted && !fit->frequency && !fit->varying)
        sandwich->squares = env_array(sandwich->env, k * k + 1, sizeof(double));
    if (fit->varying && fit->frequency)
        env_fail(sandwich->env, ERROR_PARAMETER, "Use \"CR1\", or pass each row as often as its weight says.",
                 "\"vcov\": \"CR2\" of this method takes no weights that count rows");
}

/* ---- sums of q q' ---- */

static void add_waiting(Sandwich *sandwich, Clustering *clustering, uint32_t cluster)
{
    size_t k = sandwich->fit.count, ld = (k + 7) / 8 * 8;
    const double *waiting = clustering->waiting + cluster * sandwich->waits * k;
    double *hats = clustering->hats + cluster * k * k, *products = sandwich->products, *rows = products + ld * ld;

    if (clustering->waited[cluster] == 0)
        return;
    for (uint32_t r = 0; r < clustering->waited[cluster]; r++)
        memcpy(rows + r * ld, waiting + r * k, k * sizeof(double));
    factor_gram(sandwich->env, rows, ld, clustering->waited[cluster], products);
    for (size_t i = 0; i < k; i++)
        for (size_t j = i; j < k; j++)
            hats[i * k + j] += products[i * ld + j];
    clustering->waited[cluster] = 0;
}

void adjusted_add(Sandwich *sandwich, Clustering *clustering, uint32_t cluster, const double *q, double weight)
{
    size_t k = sandwich->fit.count;
    double root = sqrt(weight), *to = clustering->waiting + ((size_t)cluster * sandwich->waits + clustering->waited[cluster]) * k;

    for (size_t j = 0; j < k; j++)
        to[j] = root * q[j];
    if (++clustering->waited[cluster] == sandwich->waits)
        add_waiting(sandwich, clustering, cluster);
}

/* ---- degrees of freedom ---- */

/* Adds a cluster to the sums of coefficient c; z is set. */
static void add_moments(Adjustment *adjustment, uint32_t c, double a)
{
    uint32_t k = adjustment->k, m = adjustment->m;
    const double *z = adjustment->z;
    Moments *moments = &adjustment->moments[c];
    double form = 0;

    if (adjustment->weighted) {
        for (uint32_t j = 0; j < k; j++) {
            for (uint32_t i = 0; i < k; i++)
                form += z[j] * z[i] * adjustment->n[(size_t)j * k + i];
            form -= 2 * z[j] * z[k + j];
        }
    } else {
        for (uint32_t j = 0; j < k; j++)
            form -= z[j] * z[j];
    }
    moments->trace += a + form;
    moments->squares += a * a + 2 * a * form;
    for (uint32_t j = 0; j < m; j++) {
        double *restrict products = moments->products + (size_t)j * m;

        for (uint32_t i = 0; i < m; i++)
            products[i] += z[j] * z[i];
    }
}

/* Returns tr(KZKZ). */
static double trace_of_square(const Adjustment *adjustment, const double *z, double *kz)
{
    uint32_t k = adjustment->k, m = adjustment->m;
    double sum = 0;

    for (size_t i = 0; !adjustment->weighted && i < (size_t)k * k; i++)
        sum += z[i] * z[i];
    if (!adjustment->weighted)
        return sum;
    for (uint32_t j = 0; j < m; j++) /* kz = K z, column by column */
        for (uint32_t i = 0; i < k; i++) {
            double own = -z[(size_t)j * m + k + i];

            for (uint32_t l = 0; l < k; l++)
                own += adjustment->n[(size_t)l * k + i] * z[(size_t)j * m + l];
            kz[(size_t)j * m + i] = own;
            kz[(size_t)j * m + k + i] = -z[(size_t)j * m + i];
        }
    for (uint32_t j = 0; j < m; j++)
        for (uint32_t i = 0; i < m; i++)
            sum += kz[(size_t)j * m + i] * kz[(size_t)i * m + j];
    return sum;
}

static void set_df(Adjustment *adjustment)
{
    Sandwich *sandwich = adjustment->sandwich;
    uint32_t m = adjustment->m;
    double *kz = env_array(adjustment->env, (size_t)m * m + 1, sizeof(double));

    sandwich->df = env_array(adjustment->env, adjustment->k, sizeof(double));
    for (uint32_t c = 0; c < adjustment->k; c++) {
        const Moments *moments = &adjustment->moments[c];

        sandwich->df[c] = moments->trace * moments->trace / (moments->squares + trace_of_square(adjustment, moments->products, kz));
        adjustment->env->poll(adjustment->env);
    }
}

/* ---- equal variances, no weights ---- */

/* Multiplies row i of a [rows x columns, column major] by the factors. */
static void scale_rows(double *a, const double *factors, uint32_t rows, uint32_t columns)
{
    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i < rows; i++)
            a[(size_t)j * rows + i] *= factors[i];
}

/* Adjusts the score of one cluster by the eigenvectors of hats, its sum of q q'. room: [2 k k + 2 k]. */
static void adjust_by_vectors(Adjustment *adjustment, double *hats, double *score, double *room)
{
    Env *env = adjustment->env;
    uint32_t k = adjustment->k;
    size_t square = (size_t)k * k;
    double *vectors = room, *turned = room + square, *factors = turned + square, *own = factors + k;
    Eigen *eigen = eigen_begin(env, hats, k);
    const double *values = eigen_values(eigen);

    eigen_vectors(eigen, k, vectors);
    for (uint32_t i = 0; i < k; i++)
        factors[i] = 1 - values[i] > SANDWICH_ONE ? 1 / sqrt(1 - values[i]) : 0;
    sandwich_product(env, true, vectors, k, k, score, 1, own);
    scale_rows(own, factors, k, 1);
    sandwich_product(env, false, vectors, k, k, own, 1, score);
    sandwich_product(env, true, vectors, k, k, adjustment->sandwich->bread, k, turned);
    for (uint32_t c = 0; c < k; c++) {
        double *d = turned + (size_t)c * k, a = 0;

        for (uint32_t i = 0; i < k; i++) {
            double value = fmax(0, values[i]);

            d[i] *= factors[i];
            a += value * d[i] * d[i];
            d[i] *= value;
        }
        sandwich_product(env, false, vectors, k, k, d, 1, adjustment->z);
        add_moments(adjustment, c, a);
    }
    eigen_free(eigen);
}

/* Room for the series: rows of length k are the combinations of the coefficients, and last the score. */
typedef struct Series {
    double *packed;  /* of hats */
    double *b, *sum; /* [k + 1 x k] what is multiplied, and the result */
    double *next;    /* [k + 1 x ld] */
    double *own;     /* [k] b'hats b of the coefficients */
    size_t ld;
} Series;

static Series series_new(const Adjustment *adjustment)
{
    size_t k = adjustment->k;
    Series series = {.ld = product_packed(k, 1)};

    series.packed = env_array(adjustment->env, product_packed(k, k) + (k + 1) * (2 * k + series.ld) + k, sizeof(double));
    series.b = series.packed + product_packed(k, k);
    series.sum = series.b + (k + 1) * k;
    series.next = series.sum + (k + 1) * k;
    series.own = series.next + (k + 1) * series.ld;
    memcpy(series.b, adjustment->sandwich->bread, k * k * sizeof(double));
    return series;
}

/* Sets next to hats times the rows of sum. */
static void multiply_hats(const Adjustment *adjustment, const Series *series)
{
    uint32_t k = adjustment->k, step = (uint32_t)fmax(1, PRODUCT_WORK / ((double)k * k));

    for (uint32_t i = 0; i <= k; i += step) {
        product_block(series->sum + (size_t)i * k, k + 1 - i < step ? k + 1 - i : step, series->packed, k, k, series->next + i * series->ld, series->ld);
        if (step <= k)
            adjustment->env->poll(adjustment->env);
    }
}

/* Sets sum to the series of (I - hats)^-1/2 b by Horner's rule, next to hats times that, and own. */
static void sum_series(const Adjustment *adjustment, const Series *series, uint32_t terms)
{
    size_t k = adjustment->k;

    memcpy(series->sum, series->b, (k + 1) * k * sizeof(double));
    for (uint32_t n = terms; n > 0; n--) {
        double factor = 1 - 0.5 / n;

        multiply_hats(adjustment, series);
        for (size_t c = 0; c <= k; c++) {
            const double *b = series->b + c * k, *next = series->next + c * series->ld;
            double *restrict sum = series->sum + c * k;

            if (n == terms && c < k) {
                series->own[c] = 0;
                for (size_t i = 0; i < k; i++)
                    series->own[c] += b[i] * next[i];
            }
            for (size_t i = 0; i < k; i++)
                sum[i] = b[i] + factor * next[i];
        }
    }
    multiply_hats(adjustment, series);
}

/*
 * Adjusts the score of one cluster, of whose sum of q q' the rows from the diagonal on are in hats. Small clusters, whose sum is far below I, take the
 * binomial series. With z = hats (I - hats)^-1/2 b, b'((I - hats)^-1 - I) b is b'hats b + z'z. room: [2 k k + 2 k].
 */
static void adjust_equal(Adjustment *adjustment, const Series *series, double *hats, double *score, double *room)
{
    size_t k = adjustment->k;
    double norm = 0;

    for (size_t i = 0; i < k; i++)
        for (size_t j = i; j < k; j++) {
            hats[j * k + i] = hats[i * k + j];
            norm += (i < j ? 2 : 1) * hats[i * k + j] * hats[i * k + j];
        }
    norm = sqrt(norm);
    if (!(norm < SERIES_NORM)) {
        adjust_by_vectors(adjustment, hats, score, room);
        return;
    }
    product_pack(hats, adjustment->k, adjustment->k, k, NULL, series->packed);
    memcpy(series->b + k * k, score, k * sizeof(double));
    sum_series(adjustment, series, norm > DBL_MIN ? (uint32_t)ceil(log(DBL_EPSILON / 8) / log(norm)) : 1);
    memcpy(score, series->sum + k * k, k * sizeof(double));
    for (uint32_t c = 0; c < k; c++) {
        double a = series->own[c];

        memcpy(adjustment->z, series->next + c * series->ld, k * sizeof(double));
        for (size_t i = 0; i < k; i++)
            a += adjustment->z[i] * adjustment->z[i];
        add_moments(adjustment, c, a);
    }
}

static void finish_equal(Adjustment *adjustment)
{
    Sandwich *sandwich = adjustment->sandwich;
    Clustering *clusters = &sandwich->clusterings[0];
    uint32_t k = adjustment->k;
    double *room = env_array(adjustment->env, 2 * (size_t)k * k + 2 * (size_t)k + 1, sizeof(double));
    Series series = series_new(adjustment);

    for (uint32_t g = 0; g < clusters->tags.table.count; g++) {
        add_waiting(sandwich, clusters, g);
        adjust_equal(adjustment, &series, clusters->hats + (size_t)g * k * k, clusters->scores + (size_t)g * k, room);
        adjustment->env->progress(adjustment->env, "clusters", g, clusters->tags.table.count, NAN);
        adjustment->env->poll(adjustment->env);
    }
    adjustment->env->release(adjustment->env, room);
}

/* ---- weights or unequal variances ---- */

/* The rows of a cluster, [n x k] by columns, in coordinates of the factor. */
typedef struct Block {
    uint32_t n;
    double *x, *y;      /* regressors, and A W times them */
    double *weight;     /* [n] working weights */
    double *variance;   /* [n] that the model has */
    double *residual;   /* [n] */
    double *matrix, *vectors, *room; /* [n x n], [n x n], [n x k] */
} Block;

static Block block_new(const Adjustment *adjustment, uint32_t n)
{
    Env *env = adjustment->env;
    size_t k = adjustment->k, square = (size_t)n * n;
    Block block = {.n = n};

    env_require_memory(env, eigen_memory(n, n) + (2 * square + (3 * k + 3) * n) * sizeof(double),
                       "the adjustment of the largest cluster, which \"CR1\" does without,");
    block.x = env_array(env, n, (3 * k + 3) * sizeof(double));
    block.y = block.x + n * k;
    block.room = block.y + n * k;
    block.weight = block.room + n * k;
    block.variance = block.weight + n;
    block.residual = block.variance + n;
    block.matrix = env_array(env, 2 * square + 1, sizeof(double));
    block.vectors = block.matrix + square;
    return block;
}

/* Reads the rows of a cluster. */
static void read_block(const Adjustment *adjustment, const uint64_t *rows, uint32_t n, Block *block)
{
    const KeptScores *kept = &adjustment->sandwich->kept;
    uint32_t k = adjustment->k;

    block->n = n;
    for (uint32_t i = 0; i < n; i++) {
        const double *row = kept->rows + rows[i] * kept->width;
        double weight = row[k], ratio = adjustment->weighted ? 1 : row[k + 4], variance = row[k + 1] / ratio / ratio, slope = variance * ratio;

        for (uint32_t j = 0; j < k; j++)
            block->x[(size_t)j * n + i] = slope * row[j];
        block->weight[i] = weight / variance;
        block->variance[i] = adjustment->weighted ? 1 : variance / weight;
        block->residual[i] = row[k + 2] / ratio;
    }
}

/* Sets the matrix to that of the residuals under the model, multiplied from both sides by the roots of the variances. */
static void set_matrix(const Adjustment *adjustment, const Block *block)
{
    uint32_t n = block->n, k = adjustment->k;

    if (adjustment->weighted)
        for (uint32_t i = 0; i < n; i++) /* room: x N */
            for (uint32_t j = 0; j < k; j++) {
                double sum = 0;

                for (uint32_t l = 0; l < k; l++)
                    sum += block->x[(size_t)l * n + i] * adjustment->n[(size_t)j * k + l];
                block->room[(size_t)j * n + i] = sum;
            }
    for (uint32_t b = 0; b < n; b++) {
        for (uint32_t a = 0; a <= b; a++) {
            double dot = 0, square = 0, own;

            for (uint32_t j = 0; j < k; j++)
                dot += block->x[(size_t)j * n + a] * block->x[(size_t)j * n + b];
            for (uint32_t j = 0; adjustment->weighted && j < k; j++)
                square += block->room[(size_t)j * n + a] * block->x[(size_t)j * n + b];
            own = adjustment->weighted ? square - dot * (block->weight[a] + block->weight[b]) : -dot;
            own += a == b ? block->variance[a] : 0;
            own *= sqrt(block->variance[a]) * sqrt(block->variance[b]);
            block->matrix[(size_t)a * n + b] = block->matrix[(size_t)b * n + a] = own;
        }
        env_poll_every(adjustment->env, b + 1, 16);
    }
}

/* Sets y to A W x, where A is the inverse root of the matrix between the roots of the variances. */
static void multiply_adjusted(const Adjustment *adjustment, const Block *block)
{
    Env *env = adjustment->env;
    uint32_t n = block->n, k = adjustment->k;
    double mean = adjustment->sandwich->fit.weight / adjustment->sandwich->fit.rows;
    double least = adjustment->weighted ? POWER_TOLERANCE : POWER_TOLERANCE / (mean * mean);
    Eigen *eigen = eigen_begin(env, block->matrix, n);
    const double *values = eigen_values(eigen);

    eigen_vectors(eigen, n, block->vectors);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < n; i++)
            block->y[(size_t)j * n + i] = sqrt(block->variance[i]) * block->weight[i] * block->x[(size_t)j * n + i];
    sandwich_product(env, true, block->vectors, n, n, block->y, k, block->room);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < n; i++)
            block->room[(size_t)j * n + i] *= values[i] > least ? 1 / sqrt(values[i]) : 0;
    sandwich_product(env, false, block->vectors, n, n, block->room, k, block->y);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < n; i++)
            block->y[(size_t)j * n + i] *= sqrt(block->variance[i]);
    eigen_free(eigen);
}

static void adjust_block(Adjustment *adjustment, const Block *block, double *score)
{
    Env *env = adjustment->env;
    uint32_t n = block->n, k = adjustment->k;

    set_matrix(adjustment, block);
    multiply_adjusted(adjustment, block);
    for (uint32_t j = 0; j < k; j++) {
        score[j] = 0;
        for (uint32_t i = 0; i < n; i++)
            score[j] += block->y[(size_t)j * n + i] * block->residual[i];
    }
    sandwich_product(env, false, block->y, n, k, adjustment->sandwich->bread, k, block->room);
    for (uint32_t c = 0; c < k; c++) {
        const double *u = block->room + (size_t)c * n;
        double a = 0, *z = adjustment->z;

        memset(z, 0, adjustment->m * sizeof(double));
        for (uint32_t i = 0; i < n; i++)
            a += block->variance[i] * u[i] * u[i];
        for (uint32_t j = 0; j < k; j++)
            for (uint32_t i = 0; i < n; i++) {
                z[j] += block->x[(size_t)j * n + i] * u[i];
                if (adjustment->weighted)
                    z[k + j] += block->x[(size_t)j * n + i] * block->weight[i] * u[i];
            }
        add_moments(adjustment, c, a);
        env->poll(env);
    }
}

/* Lists the kept rows cluster by cluster; first: [clusters + 1] where those of each begin. Returns the rows of the largest. */
static uint32_t list_rows(const Adjustment *adjustment, uint64_t *rows, uint64_t *first, uint32_t clusters)
{
    const KeptScores *kept = &adjustment->sandwich->kept;
    uint32_t cluster = adjustment->k + 3;
    uint64_t most = 0;

    for (uint64_t i = 0; i < kept->count; i++)
        first[(uint32_t)kept->rows[i * kept->width + cluster] + 1]++;
    for (uint32_t g = 0; g < clusters; g++) {
        most = first[g + 1] > most ? first[g + 1] : most;
        first[g + 1] += first[g];
    }
    for (uint64_t i = kept->count; i-- > 0;) /* backwards: first[g + 1] moves to the beginning of cluster g */
        rows[--first[(uint32_t)kept->rows[i * kept->width + cluster] + 1]] = i;
    memmove(first, first + 1, clusters * sizeof(uint64_t));
    first[clusters] = kept->count;
    return most > INT32_MAX ? INT32_MAX : (uint32_t)most;
}

static void finish_blocks(Adjustment *adjustment)
{
    Env *env = adjustment->env;
    Sandwich *sandwich = adjustment->sandwich;
    Clustering *clusters = &sandwich->clusterings[0];
    uint32_t k = adjustment->k, count = clusters->tags.table.count;
    uint64_t *rows = env_array(env, (size_t)sandwich->kept.count + 1, sizeof(uint64_t)), *first = env_array(env, (size_t)count + 1, sizeof(uint64_t));
    Block block = block_new(adjustment, list_rows(adjustment, rows, first, count));

    for (uint32_t j = 0; adjustment->weighted && j < k; j++)
        for (uint32_t i = 0; i <= j; i++)
            adjustment->n[(size_t)j * k + i] = adjustment->n[(size_t)i * k + j] = sandwich->squares[(size_t)j * k + i];
    for (uint32_t g = 0; g < count; g++) {
        read_block(adjustment, rows + first[g], (uint32_t)(first[g + 1] - first[g]), &block);
        adjust_block(adjustment, &block, clusters->scores + (size_t)g * k);
        env->progress(env, "clusters", g, count, NAN);
        env->poll(env);
    }
    env->release(env, block.x);
    env->release(env, block.matrix);
}

void adjusted_finish(Sandwich *sandwich)
{
    Env *env = sandwich->env;
    const Clustering *clusters = &sandwich->clusterings[0];
    Adjustment adjustment = {.sandwich = sandwich, .env = env, .k = sandwich->fit.count, .weighted = sandwich->squares != NULL};
    size_t k = adjustment.k, square;

    adjustment.m = (uint32_t)(adjustment.weighted ? 2 * k : k);
    square = (size_t)adjustment.m * adjustment.m;
    env_require_memory(env, ((k + 1) * square + 9 * k * k + 64 * k) * sizeof(double), "the table for the degrees of freedom of all coefficients");
    adjustment.n = env_array(env, k * k + 1, sizeof(double));
    adjustment.z = env_array(env, (size_t)adjustment.m + 1, sizeof(double));
    adjustment.moments = env_array(env, k + 1, sizeof(Moments));
    for (size_t c = 0; c < k; c++)
        adjustment.moments[c].products = env_array(env, square + 1, sizeof(double));
    if (sandwich->kept.width > 0)
        finish_blocks(&adjustment);
    else
        finish_equal(&adjustment);
    set_df(&adjustment);
    sandwich_add_products(sandwich, 1, clusters->scores, clusters->tags.table.count);
}
