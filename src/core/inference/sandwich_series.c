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

/* Returns the scores in order, [rows x count], and the sums that decide the lag, [rows]. */
static double *sorted_scores(const Sandwich *sandwich, double **sums)
{
    Env *env = sandwich->env;
    const KeptScores *kept = &sandwich->kept;
    uint32_t k = sandwich->fit.count;
    size_t n = (size_t)kept->count;
    Place *places;
    double *scores;

    env_require_memory(env, n * (2 * sizeof(Place) + (2 * (size_t)k + 3) * sizeof(double)), "sorting the scores of the rows");
    places = env_array_raw(env, n, sizeof(Place));
    for (size_t i = 0; i < n; i++) {
        const double *row = kept->rows + i * kept->width;

        places[i] = (Place){row[k + 1], row, k};
    }
    sort_polled(env, places, n, sizeof(Place), compare);
    scores = env_array_raw(env, n, k * sizeof(double));
    *sums = env_array_raw(env, n, sizeof(double));
    for (size_t i = 0; i < n; i++) {
        memcpy(scores + i * k, places[i].row, k * sizeof(double));
        (*sums)[i] = places[i].row[k];
    }
    return scores;
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

/* Adds the products of rows that are `lag` apart, [count x count], to sums, which holds both triangles. */
static void add_lag(const Sandwich *sandwich, const double *scores, size_t n, size_t lag, double weight, double *sums)
{
    Env *env = sandwich->env;
    uint32_t k = sandwich->fit.count;
    size_t most = (size_t)fmax(1, fmin(1e6, 1e8 / (2.0 * k * k)));
    const double one = 1;
    int order = (int)k;

    for (size_t first = 0, now; first + lag < n; first += now) {
        int rows;

        now = n - lag - first < most ? n - lag - first : most;
        rows = (int)now;
        dgemm_("N", "T", &order, &order, &rows, &weight, scores + first * k, &order, scores + (first + lag) * k, &order, &one, sums, &order, 1, 1);
        env->poll(env);
    }
}

void series_finish(Sandwich *sandwich)
{
    Env *env = sandwich->env;
    uint32_t k = sandwich->fit.count;
    size_t n = (size_t)sandwich->kept.count;
    double *sums, *scores = sorted_scores(sandwich, &sums), *both = env_array(env, (size_t)k * k + 1, sizeof(double));

    sandwich->lag = sandwich->plan.lag;
    if (sandwich->lag == VCOV_AUTOMATIC)
        sandwich->lag = automatic_lag(env, sums, n);
    if ((uint64_t)sandwich->lag >= n)
        env_fail(env, ERROR_DATA, "Give a smaller \"lag\", or leave it out.", "\"lag\": %lld needs more than the %zu rows that there are",
                 (long long)sandwich->lag, n);
    for (size_t lag = 0; lag <= (size_t)sandwich->lag; lag++)
        add_lag(sandwich, scores, n, lag, (lag == 0 ? 0.5 : 1) * (1 - (double)lag / ((double)sandwich->lag + 1)), both);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i <= j; i++)
            sandwich->meat[(size_t)j * k + i] = both[(size_t)j * k + i] + both[(size_t)i * k + j];
    env->release(env, both);
    env->release(env, scores);
}
