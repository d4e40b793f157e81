/*
 * rank_limits.c - the Hodges-Lehmann shift and center, and their limits from the normal distribution of a rank statistic.
 *
 * A limit is the shift at which the statistic of the shifted numbers passes a point of the normal distribution (Bauer 1972), as in R's wilcox.test.
 * The statistic falls at differences of numbers (at means of pairs) alone: a search finds where, in a pass over the sorted numbers each, and a last pass takes
 * the difference itself, so that nothing of size m x n is kept.
 */
#include "core/hypothesis/rank_tests.h"
#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>

/* A statistic of numbers that are shifted by d: of two groups, or of one around its center (y NULL). Sorted. */
typedef struct ShiftedRanks {
    Env *env;
    const double *x, *y;
    uint64_t m, n;
    double continuity; /* 0.5, or 0 */
    Alternative alternative;
} ShiftedRanks;

/* Returns a statistic minus its expectation, corrected, in standard deviations. */
static double standardize(const ShiftedRanks *ranks, double difference, double variance)
{
    double correction = ranks->continuity;

    if (ranks->alternative == TWO_SIDED)
        correction *= (difference > 0) - (difference < 0);
    else if (ranks->alternative == LESS)
        correction = -correction;
    return variance > 0 ? (difference - correction) / sqrt(variance) : 0;
}

static double tie_term(uint64_t count)
{
    return (double)count * ((double)count * (double)count - 1);
}

/* Returns the end of the equal numbers that begin at `from`, and adds their ties. */
static uint64_t pass_equal(const double *y, uint64_t n, uint64_t from, double *ties)
{
    uint64_t end = from + 1;

    while (end < n && y[end] == y[from])
        end++;
    *ties += tie_term(end - from);
    return end;
}

/* Returns it for x - d against y. */
static double group_score(const ShiftedRanks *ranks, double d)
{
    double m = (double)ranks->m, n = (double)ranks->n, all = m + n, ties = 0, sum = 0;
    uint64_t j = 0;

    for (uint64_t i = 0; i < ranks->m;) {
        double x = ranks->x[i] - d;
        uint64_t from = i, below;

        while (i < ranks->m && ranks->x[i] - d == x)
            i++;
        while (j < ranks->n && ranks->y[j] < x)
            j = pass_equal(ranks->y, ranks->n, j, &ties);
        below = j;
        while (j < ranks->n && ranks->y[j] == x)
            j++;
        ties += tie_term(i - from + (j - below));
        sum += (double)(i - from) * ((double)below + (double)(j - below) / 2);
        if (from >> 16 != i >> 16)
            ranks->env->poll(ranks->env);
    }
    while (j < ranks->n)
        j = pass_equal(ranks->y, ranks->n, j, &ties);
    return standardize(ranks, sum - m * n / 2, m * n / 12 * (all + 1 - ties / (all * (all - 1))));
}

/* Returns it for the signed ranks of x - d, without those that are 0. */
static double signed_score(const ShiftedRanks *ranks, double d)
{
    uint64_t right = 0, left, count, place = 0;
    double ties = 0, sum = 0, n;

    while (right < ranks->m && ranks->x[right] < d)
        right++;
    left = right;
    while (right < ranks->m && ranks->x[right] == d)
        right++;
    count = left + (ranks->m - right);
    n = (double)count;
    while (place < count) { /* distances from d in order, equal ones of both sides together */
        double below = left > 0 ? d - ranks->x[left - 1] : INFINITY, above = right < ranks->m ? ranks->x[right] - d : INFINITY, least = fmin(below, above), t;
        uint64_t positive = 0, negative = 0;

        for (; left > 0 && d - ranks->x[left - 1] == least; left--)
            negative++;
        for (; right < ranks->m && ranks->x[right] - d == least; right++)
            positive++;
        t = (double)(positive + negative);
        sum += (double)positive * ((double)place + (t + 1) / 2);
        ties += t * (t * t - 1);
        if (place >> 16 != (place + positive + negative) >> 16)
            ranks->env->poll(ranks->env);
        place += positive + negative;
    }
    return standardize(ranks, sum - n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24 - ties / 48);
}

static double shifted_score(const ShiftedRanks *ranks, double d)
{
    return ranks->y != NULL ? group_score(ranks, d) : signed_score(ranks, d);
}

/* Returns the difference, or the mean of a pair, that is nearest to d. */
static double nearest_step(const ShiftedRanks *ranks, double d)
{
    double best = INFINITY, found = d;

    if (ranks->y != NULL) {
        for (uint64_t i = 0, j = 0; i < ranks->m; i++) {
            while (j + 1 < ranks->n && ranks->y[j] < ranks->x[i] - d)
                j++;
            for (uint64_t k = j > 0 ? j - 1 : 0; k <= j; k++)
                if (fabs(ranks->x[i] - ranks->y[k] - d) < best) {
                    found = ranks->x[i] - ranks->y[k];
                    best = fabs(found - d);
                }
        }
        return found;
    }
    for (uint64_t i = 0, j = ranks->m - 1; i < ranks->m; i++) {
        while (j > 0 && (ranks->x[i] + ranks->x[j]) / 2 > d)
            j--;
        for (uint64_t k = j; k <= j + 1 && k < ranks->m; k++)
            if (fabs((ranks->x[i] + ranks->x[k]) / 2 - d) < best) {
                found = (ranks->x[i] + ranks->x[k]) / 2;
                best = fabs(found - d);
            }
    }
    return found;
}

/*
 * Returns the step at which the score falls to `point`, or below it if `below`. low, high: an interval with all steps. By the Illinois method, which halves a
 * value that stays, and every third time by bisection: half of the passes that bisection alone takes.
 */
static double find_step(const ShiftedRanks *ranks, double point, bool below, double low, double high)
{
    double precision = DBL_EPSILON * fmax(fabs(low), fabs(high)), at_low = shifted_score(ranks, low) - point, at_high = shifted_score(ranks, high) - point;
    int side = 0;

    for (int i = 0; high - low > precision; i++) {
        double half = low + (high - low) / 2, middle = i % 3 == 2 ? half : low + (high - low) * (at_low / (at_low - at_high)), score;

        if (!(middle > low && middle < high))
            middle = half;
        if (middle <= low || middle >= high)
            break;
        score = shifted_score(ranks, middle) - point;
        if (below ? score >= 0 : score > 0) {
            low = middle;
            at_low = score;
            at_high /= side == 1 ? 2 : 1;
            side = 1;
        } else {
            high = middle;
            at_high = score;
            at_low /= side == -1 ? 2 : 1;
            side = -1;
        }
    }
    return nearest_step(ranks, high);
}

void rank_limits(Env *env, double *x, uint64_t m, double *y, uint64_t n, bool correct, Alternative alternative, double level, HypothesisResult *result)
{
    ShiftedRanks ranks = {env, x, y, m, n, 0, TWO_SIDED};
    double low, high, below, above, least, most;

    sort_polled(env, x, m, sizeof(double), compare_numbers);
    if (y != NULL)
        sort_polled(env, y, n, sizeof(double), compare_numbers);
    low = y != NULL ? x[0] - y[n - 1] : x[0];
    high = y != NULL ? x[m - 1] - y[0] : x[m - 1];
    if (!isfinite(high - low))
        return;
    result->estimate = (find_step(&ranks, 0, false, low, high) + find_step(&ranks, 0, true, low, high)) / 2;
    ranks.continuity = correct ? 0.5 : 0;
    ranks.alternative = alternative;
    normal_ends(level, alternative, &below, &above);
    least = shifted_score(&ranks, low);
    most = shifted_score(&ranks, high);
    if (y == NULL && ((alternative != LESS && least < -below) || (alternative != GREATER && most > -above)))
        return; /* too few numbers for this level */
    result->conf_low = alternative == LESS ? -INFINITY : least <= -below ? low : find_step(&ranks, -below, false, low, high);
    result->conf_high = alternative == GREATER ? INFINITY : most >= -above ? high : find_step(&ranks, -above, false, low, high);
}
