/*
 * sandwich_series.c - the meat of errors that are correlated with those of rows nearby: Bartlett weights, and the lag that Newey & West 1994
 * choose, as the package sandwich of R computes both without prewhitening.
 */
#include "core/inference/sandwich_internal.h"

#include "core/base/sort.h"
#include "core/linalg/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_BLOCK ((size_t)256) /* rows */

/* A kept row in the order of the rows: its place, and its scores. */
typedef struct Place {
    double order;
    const double *row;
    uint32_t count;
} Place;

void series_add(Sandwich *sandwich, const double *q, const SandwichRow *row, double regressors)
{
    uint32_t k = sandwich->fit.count;
    double *kept = sandwich_keep(sandwich), score = row->weight * row->residual;

    for (uint32_t j = 0; j < k; j++)
        kept[j] = score * q[j];
    kept[k] = score * regressors;
    kept[k + 1] = row->tags[0];
}

/* Rows at the same place follow each other by their scores, so that the result does not depend on the order in which they came. */
static int compare(const void *left, const void *right)
{
    const Place *a = left, *b = right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    for (uint32_t j = 0; j < a->count; j++)
        if (a->row[j] != b->row[j])
            return a->row[j] < b->row[j] ? -1 : 1;
    return 0;
}

/*
 * Brings the kept rows into their order. Rows of a series mostly come in order, and sorting takes as long as all the rest, so that is
 * looked at first.
 */
static void sort_rows(const Sandwich *sandwich)
{
    Env *env = sandwich->env;
    const KeptScores *kept = &sandwich->kept;
    uint32_t k = sandwich->fit.count;
    size_t n = (size_t)kept->count, width = kept->width, at = 1;
    Place *places;
    double *sorted;

    while (at < n && kept->rows[at * width + k + 1] > kept->rows[(at - 1) * width + k + 1])
        at++;
    if (at >= n)
        return;
    env_require_memory(env, n * (2 * sizeof(Place) + width * sizeof(double)), "sorting the scores of the rows");
    places = env_array_raw(env, n, sizeof(Place));
    for (size_t i = 0; i < n; i++)
        places[i] = (Place){kept->rows[i * width + k + 1], kept->rows + i * width, k};
    sort_polled(env, places, n, sizeof(Place), compare);
    sorted = env_array_raw(env, n, width * sizeof(double));
    for (size_t i = 0; i < n; i++)
        memcpy(sorted + i * width, places[i].row, width * sizeof(double));
    memcpy(kept->rows, sorted, n * width * sizeof(double));
    env->release(env, sorted);
    env->release(env, places);
}

/* Returns the sums of the regressors times the residual, [rows], which decide the lag. */
static double *lag_sums(const Sandwich *sandwich)
{
    const KeptScores *kept = &sandwich->kept;
    double *sums;

    env_require_memory(sandwich->env, (size_t)kept->count * sizeof(double), "choosing the lag");
    sums = env_array_raw(sandwich->env, (size_t)kept->count + 1, sizeof(double));
    for (size_t i = 0; i < kept->count; i++)
        sums[i] = kept->rows[i * kept->width + sandwich->fit.count];
    return sums;
}

/* Divides numbers by a power of two, which changes no lag, where squares of them would overflow or vanish. */
static void scale_sums(double *sums, size_t n)
{
    double largest = 0;
    int exponent;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(sums[i]));
    (void)frexp(largest, &exponent);
    for (size_t i = 0; isfinite(largest) && abs(exponent) > 300 && i < n; i++)
        sums[i] = ldexp(sums[i], -exponent);
}

/* Returns the lag that the rows suggest. */
static int64_t automatic_lag(Env *env, double *sums, size_t n)
{
    size_t most = (size_t)floor(4 * pow((double)n / 100, 2.0 / 9));
    double s0 = 0, s1 = 0, lag;

    scale_sums(sums, n);
    for (size_t j = 0; j <= most && j < n; j++) {
        double sum = 0;

        for (size_t i = 0; i + j < n; i++)
            sum += sums[i] * sums[i + j];
        s0 += (j == 0 ? 1 : 2) * sum / (double)n;
        s1 += 2 * (double)j * sum / (double)n;
        env->poll(env);
    }
    lag = floor(1.1447 * cbrt(s1 / s0 * (s1 / s0)) * cbrt((double)n));
    return lag >= 0 ? (int64_t)fmin(lag, (double)n - 1) : 0; /* residuals of 0 suggest none */
}

/* Adds times the scores of row i to out [count]; rows past the last have none. */
static void add_score(const Sandwich *sandwich, size_t i, double times, double *out)
{
    const KeptScores *kept = &sandwich->kept;

    for (uint32_t j = 0; i < kept->count && j < sandwich->fit.count; j++)
        out[j] += times * kept->rows[i * kept->width + j];
}

/*
 * Sets ahead[i], [count] each, to the scores of row first + i, halved, plus those of the rows that follow it, with Bartlett weights
 * 1 - lag / (most + 1). From the last row of the block down, each is the sum after it, plus its own scores, less the mean of the most + 1 rows that follow it:
 * a few additions per row whatever the lag. Every block begins anew, so that rounding does not add up.
 */
static void sum_ahead(const Sandwich *sandwich, size_t first, size_t rows, size_t most, double *ahead, double *mean)
{
    uint32_t k = sandwich->fit.count;
    size_t last = first + rows - 1;
    double share = 1 / ((double)most + 1);
    double *end = ahead + (rows - 1) * k;

    memset(end, 0, k * sizeof(double));
    memset(mean, 0, k * sizeof(double));
    for (size_t lag = 0; lag <= most && last + lag < sandwich->kept.count; lag++) {
        add_score(sandwich, last + lag, 1 - (double)lag * share, end);
        add_score(sandwich, last + lag, share, mean); /* of rows last to last + most: those that follow the row before last */
        env_poll_every(sandwich->env, lag + 1, 4096);
    }
    for (size_t i = rows - 1; i-- > 0;) {
        const double *own = sandwich->kept.rows + (first + i) * sandwich->kept.width;

        for (uint32_t j = 0; j < k; j++) {
            ahead[i * k + j] = ahead[(i + 1) * k + j] - mean[j] + own[j];
            mean[j] += share * own[j];
        }
        add_score(sandwich, first + i + most + 1, -share, mean);
    }
    for (size_t i = 0; i < rows; i++)
        add_score(sandwich, first + i, -0.5, ahead + i * k);
}

void series_finish(Sandwich *sandwich)
{
    Env *env = sandwich->env;
    const KeptScores *kept = &sandwich->kept;
    uint32_t k = sandwich->fit.count;
    int order = (int)k, width = (int)kept->width;
    const double one = 1;
    double *both, *ahead;

    sort_rows(sandwich);
    sandwich->lag = sandwich->plan.lag;
    if (sandwich->lag == VCOV_AUTOMATIC)
        sandwich->lag = automatic_lag(env, lag_sums(sandwich), (size_t)kept->count);
    if ((uint64_t)sandwich->lag >= kept->count)
        env_fail(env, ERROR_DATA, "Give a smaller \"lag\", or leave it out.", "\"lag\": %lld needs more than the %llu rows that there are",
                 (long long)sandwich->lag, (unsigned long long)kept->count);
    both = env_array(env, (size_t)k * k + 1, sizeof(double));
    ahead = env_array_raw(env, SERIES_BLOCK + 1, k * sizeof(double));
    for (size_t first = 0; first < kept->count; first += SERIES_BLOCK) {
        size_t count = kept->count - first < SERIES_BLOCK ? (size_t)kept->count - first : SERIES_BLOCK;
        int rows = (int)count;

        sum_ahead(sandwich, first, count, (size_t)sandwich->lag, ahead, ahead + SERIES_BLOCK * k);
        dgemm_("N", "T", &order, &order, &rows, &one, kept->rows + first * kept->width, &width, ahead, &order, &one, both, &order, 1, 1);
        env->poll(env);
    }
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i <= j; i++)
            sandwich->meat[(size_t)j * k + i] = both[(size_t)j * k + i] + both[(size_t)i * k + j];
    env->release(env, ahead);
    env->release(env, both);
}
