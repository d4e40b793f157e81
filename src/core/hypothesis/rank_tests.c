/*
 * rank_tests.c - tests of ranks: Kruskal-Wallis, Mann-Whitney, Wilcoxon's signed ranks.
 *
 * Conventions are those of R's kruskal.test and wilcox.test. Exact distributions are counted by recurrences that only add.
 *
 * A limit of the Hodges-Lehmann shift or center for many numbers is the shift at which the statistic of the shifted numbers passes a point of the
 * normal distribution (Bauer 1972). The statistic falls at differences of numbers (at means of pairs) alone: a search finds where, in a pass over
 * the sorted numbers each, and a last pass takes the difference itself, so that nothing of size m x n is kept.
 */
#include "core/hypothesis/rank_tests.h"
#include "core/base/number_order.h"
#include "core/base/sort.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>

#define EXACT_BELOW 50 /* numbers per group, as in R */

const OptionSpec rank_options[] = {
    {.name = "correct",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether a statistic of ranks is corrected for continuity before it is compared with the normal distribution."},
    {.name = "exact",
     .types = OPTION_BOOLEAN,
     .unset = "below 50 numbers per group without ties",
     .help = "Whether p-value and limits come from the exact distribution, which needs numbers without ties."},
    {.name = NULL}};

/* ---- ranks ---- */

double *ranks_of(Env *env, const double *x, uint64_t count, double *ties)
{
    PlacedNumber *sorted;
    double *ranks;

    env_require_memory(env, count * (2 * sizeof(PlacedNumber) + sizeof(double)), "ranking the values of a test");
    sorted = env_array_raw(env, count + 1, sizeof(PlacedNumber));
    ranks = env_array_raw(env, count + 1, sizeof(double));
    for (uint64_t i = 0; i < count; i++)
        sorted[i] = (PlacedNumber){x[i], i};
    sort_numbers(env, sorted, count, sizeof(PlacedNumber));
    *ties = 0;
    for (uint64_t i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && sorted[j].number == sorted[i].number; j++)
            ;
        for (uint64_t k = i; k < j; k++)
            ranks[sorted[k].place] = 0.5 * (double)(i + j + 1);
        *ties += (double)(j - i) * ((double)(j - i) * (double)(j - i) - 1);
    }
    env->release(env, sorted);
    return ranks;
}

static bool not_all_equal(Env *env, double ties, double n, HypothesisResult *result)
{
    if (ties < n * (n * n - 1))
        return true;
    return hypothesis_fails(env, result, "Check that the outcome varies.", "the outcome is the same in all %.0f rows", n);
}

void kruskal_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    double n = (double)sample->value_count, ties, sum = 0, *ranks = ranks_of(env, sample->x, sample->value_count, &ties);
    double *sums = env_array(env, (size_t)sample->group_count + 1, sizeof(double));

    hypothesis_begin(result, "Kruskal-Wallis rank sum test", NULL, n);
    if (sample->group_count < 2) {
        hypothesis_fails(env, result, "Pass a column with two groups or more.", "kruskal_test compares groups, but the %.0f rows have %u", n,
                         sample->group_count);
        return;
    }
    if (!not_all_equal(env, ties, n, result))
        return;
    for (uint64_t i = 0; i < sample->value_count; i++)
        sums[sample->group[i]] += ranks[i] - (n + 1) / 2;
    for (uint32_t k = 0; k < sample->group_count; k++)
        sum += sums[k] * sums[k] / sample_groups(sample)[k].count;
    result->statistic = 12 * sum / (n * (n + 1)) / (1 - ties / (n * (n * n - 1)));
    result->df = sample->group_count - 1.0;
    result->p_value = chi_square_upper(result->statistic, result->df);
    result->effect = "epsilon squared";
    result->effect_size = result->statistic / (n - 1);
}

/* ---- exact distributions ---- */

double *rank_sum_distribution(Env *env, uint32_t m, uint32_t n)
{
    size_t size = (size_t)m * n + 1;
    double *ways = env_array(env, (size_t)(m + 1) * size, sizeof(double)), *out = ways + m * size, all = 0;

    ways[0] = 0x1p-1000; /* [chosen][sum]: ways to choose so many of the ranks so far, each counted from its least place; there may be 2^2000 */
    for (uint32_t rank = 1; rank <= m + n; rank++)
        for (uint32_t chosen = rank < m ? rank : m; chosen >= 1; chosen--) {
            env->poll(env);
            for (size_t sum = size; sum-- > rank - chosen;)
                ways[chosen * size + sum] += ways[(chosen - 1) * size + sum - (rank - chosen)];
        }
    for (size_t i = 0; i < size; i++)
        all += out[i];
    for (size_t i = 0; i < size; i++)
        out[i] /= all;
    return out;
}

double *signed_rank_distribution(Env *env, uint32_t n)
{
    size_t size = (size_t)n * (n + 1) / 2 + 1;
    double *ways = env_array(env, size, sizeof(double));

    ways[0] = 1;
    for (uint32_t rank = 1; rank <= n; rank++) {
        env->poll(env);
        for (size_t sum = size; sum-- > 0;)
            ways[sum] = 0.5 * (ways[sum] + (sum >= rank ? ways[sum - rank] : 0));
    }
    return ways;
}

double exact_p_value(const double *distribution, double most, double statistic, Alternative alternative)
{
    bool upper = alternative == GREATER || (alternative == TWO_SIDED && statistic > most / 2);
    size_t tail = (size_t)(upper ? most - statistic : statistic); /* of equal probability */
    double p = 0;

    for (size_t i = 0; i <= tail; i++)
        p += distribution[i];
    return fmin(1, alternative == TWO_SIDED ? 2 * p : p);
}

/* Sets the median of sorted numbers, whose count is `most`, and the limits that the exact distribution gives. */
static void exact_limits(const double *numbers, const double *distribution, size_t most, double level, Alternative alternative, HypothesisResult *result)
{
    double tail = alternative == TWO_SIDED ? (1 - level) / 2 : 1 - level, sum = distribution[0];
    size_t quantile = 0; /* the first with P(X <= quantile) >= tail */

    while (quantile < most && sum < tail * (1 - 4e-16))
        sum += distribution[++quantile];
    if (quantile == 0)
        quantile = 1;
    result->estimate = most % 2 ? numbers[most / 2] : (numbers[most / 2 - 1] + numbers[most / 2]) / 2;
    result->conf_low = alternative == LESS ? -INFINITY : numbers[quantile - 1];
    result->conf_high = alternative == GREATER ? INFINITY : numbers[most - quantile];
}

/* Tells whether to compute exactly. Ends the test if that was asked for and cannot be. */
static bool wants_exact(Env *env, const Options *options, bool ties, double most, const char *test, bool *exact, HypothesisResult *result)
{
    *exact = options_given(options, "exact") ? options_boolean(options, "exact") : !ties && most < EXACT_BELOW;
    if (!*exact || !options_given(options, "exact"))
        return true;
    if (ties)
        return hypothesis_fails(env, result, "Leave out option \"exact\".", "the exact distribution of %s has no ties and no zeros, but these rows do", test);
    if (most > 1000)
        return hypothesis_fails(env, result, "Leave out option \"exact\".", "the exact distribution of %s goes up to 1000 numbers per group, not %.0f", test,
                                most);
    return true;
}

/* Sets p of a statistic minus its expectation that is about normal. */
static void normal_rank_p(HypothesisResult *result, double difference, double deviation, bool correct, Alternative alternative)
{
    double correction = !correct ? 0 : alternative == TWO_SIDED ? (difference > 0) * 0.5 - (difference < 0) * 0.5 : alternative == GREATER ? 0.5 : -0.5;

    result->p_value = normal_p_value((difference - correction) / deviation, alternative);
}

/* ---- limits for many numbers ---- */

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

/*
 * Sets the Hodges-Lehmann estimate of the shift of x against y, or of the center of x if y is NULL, and its limits for many numbers; no limits
 * where so few cannot reach the level. Sorts both.
 */
static void rank_limits(Env *env, double *x, uint64_t m, double *y, uint64_t n, bool correct, Alternative alternative, double level, HypothesisResult *result)
{
    ShiftedRanks ranks = {env, x, y, m, n, 0, TWO_SIDED};
    double low, high, below, above, least, most;

    sort_numbers(env, x, m, sizeof(double));
    if (y != NULL)
        sort_numbers(env, y, n, sizeof(double));
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

/* ---- two groups, and one ---- */

/* Sets the Hodges-Lehmann shift between two groups and its exact limits. order: their numbers. */
static void shift_limits(Env *env, const Sample *sample, const uint32_t *order, uint32_t m, uint32_t n, const double *distribution, double level,
                         Alternative alternative, HypothesisResult *result)
{
    double *differences = env_array_raw(env, (size_t)m * n, sizeof(double));
    size_t count = 0;

    for (uint64_t i = 0; i < sample->value_count; i++)
        for (uint64_t j = 0; sample->group[i] == order[0] && j < sample->value_count; j++)
            if (sample->group[j] == order[1])
                differences[count++] = sample->x[i] - sample->x[j];
    sort_numbers(env, differences, count, sizeof(double));
    exact_limits(differences, distribution, count, level, alternative, result);
}

/* Copies the numbers of a group, and those of the other one. */
static void divide_groups(const Sample *sample, uint32_t group, double *first, double *second)
{
    for (uint64_t i = 0; i < sample->value_count; i++)
        *(sample->group[i] == group ? first++ : second++) = sample->x[i];
}

void mann_whitney_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    Alternative alternative = hypothesis_alternative(options);
    bool exact, correct = options_boolean(options, "correct");
    double all = (double)sample->value_count, ties, *ranks, w = 0, m, n;
    const SampleGroup *g[2];
    uint32_t *order;

    hypothesis_begin(result, "Mann-Whitney test", alternative_names[alternative], all);
    if (!two_groups(env, sample, "mann_whitney_test", g, &order, result))
        return;
    m = g[0]->count;
    n = g[1]->count;
    ranks = ranks_of(env, sample->x, sample->value_count, &ties);
    if (!not_all_equal(env, ties, all, result) || !wants_exact(env, options, ties > 0, fmax(m, n), "mann_whitney_test", &exact, result))
        return;
    for (uint64_t i = 0; i < sample->value_count; i++)
        w += sample->group[i] == order[0] ? ranks[i] : 0;
    result->statistic = w -= m * (m + 1) / 2;
    result->effect = "rank-biserial correlation";
    result->effect_size = 2 * w / (m * n) - 1;
    if (exact) {
        double *distribution;

        env_require_memory(env, (size_t)(m + 1) * (size_t)(m * n + 1) * sizeof(double), "the exact distribution of mann_whitney_test");
        distribution = rank_sum_distribution(env, (uint32_t)m, (uint32_t)n);
        result->test = "Exact Mann-Whitney test";
        result->p_value = exact_p_value(distribution, m * n, w, alternative);
        shift_limits(env, sample, order, (uint32_t)m, (uint32_t)n, distribution, options_number(options, "level"), alternative, result);
    } else {
        result->test = correct ? "Mann-Whitney test with continuity correction" : "Mann-Whitney test";
        normal_rank_p(result, w - m * n / 2, sqrt(m * n / 12 * (all + 1 - ties / (all * (all - 1)))), correct, alternative);
        divide_groups(sample, order[0], ranks, ranks + (size_t)m);
        rank_limits(env, ranks, (uint64_t)m, ranks + (size_t)m, (uint64_t)n, correct, alternative, options_number(options, "level"), result);
    }
    result->estimated = env_message(env, "median of %s - %s", group_text(env, g[0]), group_text(env, g[1]));
}

/* Sets the median of the means of all pairs, and its exact limits. */
static void center_limits(Env *env, const double *x, uint32_t n, const double *distribution, double level, Alternative alternative,
                          HypothesisResult *result)
{
    size_t count = 0, pairs = (size_t)n * (n + 1) / 2;
    double *means = env_array_raw(env, pairs, sizeof(double));

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            means[count++] = (x[i] + x[j]) / 2;
    sort_numbers(env, means, count, sizeof(double));
    exact_limits(means, distribution, count, level, alternative, result);
}

void signed_rank_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    Alternative alternative = hypothesis_alternative(options);
    bool exact, correct = options_boolean(options, "correct");
    double mu = options_number(options, "mu"), ties, *ranks, v = 0, n, *size = env_array_raw(env, sample->value_count + 1, sizeof(double));
    double *kept = env_array_raw(env, sample->value_count + 1, sizeof(double));
    uint64_t count = 0;

    hypothesis_begin(result, "Wilcoxon signed rank test", alternative_names[alternative], (double)sample->value_count);
    for (uint64_t i = 0; i < sample->value_count; i++)
        if (sample->x[i] != mu) {
            kept[count] = sample->x[i];
            size[count++] = fabs(sample->x[i] - mu);
        }
    n = (double)count;
    if (count == 0) {
        hypothesis_fails(env, result, "Check that the numbers vary.", "signed_rank_test compares numbers with %g, but all %.0f are equal to it", mu,
                         result->rows);
        return;
    }
    ranks = ranks_of(env, size, count, &ties);
    if (!wants_exact(env, options, ties > 0 || count < sample->value_count, n, "signed_rank_test", &exact, result))
        return;
    for (uint64_t i = 0; i < count; i++)
        v += kept[i] > mu ? ranks[i] : 0;
    result->statistic = v;
    result->effect = "rank-biserial correlation";
    result->effect_size = 4 * v / (n * (n + 1)) - 1;
    if (exact) {
        double *distribution = signed_rank_distribution(env, (uint32_t)count);

        result->test = "Exact Wilcoxon signed rank test";
        result->p_value = exact_p_value(distribution, n * (n + 1) / 2, v, alternative);
        center_limits(env, kept, (uint32_t)count, distribution, options_number(options, "level"), alternative, result);
    } else {
        result->test = correct ? "Wilcoxon signed rank test with continuity correction" : "Wilcoxon signed rank test";
        normal_rank_p(result, v - n * (n + 1) / 4, sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48), correct, alternative);
        rank_limits(env, kept, count, NULL, 0, correct, alternative, options_number(options, "level"), result);
    }
    result->estimated = "median of the means of pairs";
}
