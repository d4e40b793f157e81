/*
 * rank_correlation.c - Spearman's and Kendall's correlation of ranks.
 *
 * Conventions are those of R's cor.test: Kendall's tau-b with an exact distribution below 50 rows without ties, else normal; Spearman's p-value
 * from all orders below 10 rows, by Edgeworth's series (Best & Roberts 1975, AS 89) up to 1,290, both without ties, else by Student's t.
 */
#include "core/hypothesis/rank_tests.h"
#include "core/base/sort.h"
#include "core/math/special_functions.h"

#include <math.h>

#define KENDALL_EXACT_BELOW 50
#define KENDALL_EXACT_LIMIT 200 /* rows: the recurrence takes their fourth power */
#define SPEARMAN_ALL_ORDERS 9
#define SPEARMAN_SERIES_LIMIT 1290

static const char *const correlation_methods[] = {"pearson", "spearman", "kendall", NULL};

const OptionSpec correlation_options[] = {
    {.name = "method",
     .types = OPTION_STRING,
     .fallback = "\"pearson\"",
     .choices = correlation_methods,
     .help = "The correlation: of the numbers (pearson), or of their ranks (spearman, kendall)."},
    {.name = "exact",
     .types = OPTION_BOOLEAN,
     .unset = "below 50 rows of kendall and 1,291 of spearman, without ties",
     .help = "Whether the p-value of spearman or kendall comes from the distribution of ranks without ties, or from its limit for many rows."},
    {.name = NULL}};

/* Tells whether to take the distribution without ties. Ends the test if that was asked for and cannot be. */
static bool wants_orders(Env *env, const Options *options, bool ties, double n, double below, double limit, bool *exact, HypothesisResult *result)
{
    *exact = options_given(options, "exact") ? options_boolean(options, "exact") : !ties && n < below;
    if (!*exact)
        return true;
    if (ties)
        return hypothesis_fails(env, result, "Leave out option \"exact\".", "the exact distribution of correlation_test has no ties, but these %.0f rows do", n);
    if (n > limit)
        return hypothesis_fails(env, result, "Leave out option \"exact\".", "the exact distribution of correlation_test goes up to %.0f rows, not %.0f", limit, n);
    return true;
}

/* ---- Spearman ---- */

double rank_distance_upper(Env *env, uint32_t n, double least)
{
    uint32_t sets = UINT32_C(1) << n, most = n * (n * n - 1) / 3;
    double *ways, sum = 0, all = 1;

    if (n > SPEARMAN_ALL_ORDERS) { /* Edgeworth's series */
        double b = 1.0 / n, x = (6 * (least - 1) * b / ((double)n * n - 1) - 1) * sqrt(n - 1.0), y = x * x;
        double u = x * b *
                   (0.2274 + b * (0.2531 + 0.1745 * b) +
                    y * (-0.0758 + b * (0.1033 + 0.3932 * b) - y * b * (0.0879 + 0.0151 * b - y * (0.0072 - 0.0831 * b + y * b * (0.0131 - 4.6e-4 * y)))));

        return u * exp(-y / 2) + normal_cdf(-x);
    }
    ways = env_array(env, (size_t)sets * (most + 1), sizeof(double)); /* [ranks used][sum of squares]: orders of the first so many rows */
    ways[0] = 1;
    for (uint32_t set = 0; set < sets; set++) {
        int row = __builtin_popcount(set);

        for (int rank = 0; rank < (int)n; rank++)
            if (!(set >> rank & 1))
                for (uint32_t s = 0, d = (uint32_t)((rank - row) * (rank - row)); s + d <= most; s++)
                    ways[(size_t)(set | UINT32_C(1) << rank) * (most + 1) + s + d] += ways[(size_t)set * (most + 1) + s];
    }
    for (uint32_t s = most + 1; s-- > 0 && s >= least;)
        sum += ways[(size_t)(sets - 1) * (most + 1) + s];
    for (uint32_t i = 2; i <= n; i++)
        all *= i;
    env->release(env, ways);
    return sum / all;
}

/* Sets p from the sum of squared differences of ranks; false: the series leaves the range of probabilities, far in a tail. */
static bool spearman_p(Env *env, uint32_t n, double distance, Alternative alternative, HypothesisResult *result)
{
    double even = 2 * round(distance / 2), all = (double)n * ((double)n * n - 1) / 3; /* the sum is even and symmetric */
    bool negative = alternative == LESS || (alternative == TWO_SIDED && distance > all / 2);
    double p;

    /* small sums mean a positive correlation; P(sum <= even) = P(sum >= all - even) by symmetry */
    p = rank_distance_upper(env, n, negative ? even : all - even);
    if (!(p > 0 && p < 1) && n > SPEARMAN_ALL_ORDERS)
        return false;
    result->p_value = fmin(1, alternative == TWO_SIDED ? 2 * p : p);
    return true;
}

static void spearman_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    double ties, other, n = (double)sample->value_count;
    double *x = ranks_of(env, sample->x, sample->value_count, &ties), *y = ranks_of(env, sample->y, sample->value_count, &other), distance = 0;
    Sample ranks = {.keeps = KEEP_SUMS};
    bool exact;

    for (uint64_t i = 0; i < sample->value_count; i++) {
        sample_add_pair(env, &ranks, x[i], y[i]);
        distance += (x[i] - y[i]) * (x[i] - y[i]);
    }
    pearson_test(env, &ranks, options, result);
    result->test = "Spearman rank correlation";
    result->estimated = "rank correlation";
    result->conf_low = result->conf_high = NAN;
    if (result->failure != NULL || !wants_orders(env, options, ties > 0 || other > 0, n, SPEARMAN_SERIES_LIMIT + 1, SPEARMAN_SERIES_LIMIT, &exact, result) || !exact)
        return;
    if (!spearman_p(env, (uint32_t)sample->value_count, distance, hypothesis_alternative(options), result))
        return;
    result->test = n <= SPEARMAN_ALL_ORDERS ? "Exact Spearman rank correlation" : "Spearman rank correlation by Edgeworth's series";
    result->statistic = distance;
    result->df = result->std_error = NAN;
}

/* ---- Kendall ---- */

/* Sums over groups of equal numbers: of pairs, and the terms of the variance. */
typedef struct TieSums {
    double pairs, squares, cubes; /* t (t - 1) / 2, kendall_term(t), t (t - 1) (t - 2) */
} TieSums;

static void add_tie(TieSums *sums, double t)
{
    sums->pairs += t * (t - 1) / 2;
    sums->squares += kendall_term(t);
    sums->cubes += t * (t - 1) * (t - 2);
}

double *kendall_distribution(Env *env, uint32_t n)
{
    size_t size = (size_t)n * (n - 1) / 2 + 1;
    double *ways = env_array(env, 2 * size, sizeof(double)), *next = ways + size;

    ways[0] = 1; /* the probability of so many exchanges in an order of the first numbers */
    for (uint32_t k = 2; k <= n; k++) {
        size_t most = (size_t)k * (k - 1) / 2;

        env->poll(env);
        for (size_t i = 0; i <= most; i++) {
            next[i] = 0;
            for (size_t j = i >= k ? i - k + 1 : 0; j <= i; j++)
                next[i] += ways[j];
        }
        for (size_t i = 0; i <= most; i++)
            ways[i] = next[i] / k;
    }
    return ways;
}

/* Counts ties of x, ties of y and, into *both, of pairs, and returns the pairs in the same order minus those in the other order. */
static double kendall_score(Env *env, const Sample *sample, TieSums *x, TieSums *y)
{
    uint64_t count = sample->value_count;
    NumberPair *pairs;
    TieSums both = {0};
    double n = (double)count, *second;

    env_require_memory(env, 3 * count * sizeof(NumberPair), "ranking the values of a test");
    pairs = env_array_raw(env, count + 1, sizeof(NumberPair));
    second = env_array_raw(env, 2 * count + 1, sizeof(double));
    for (uint64_t i = 0; i < count; i++)
        pairs[i] = (NumberPair){sample->x[i], sample->y[i]};
    sort_numbers(env, pairs, count, sizeof(NumberPair));
    sort_ties(env, pairs, count, sizeof(NumberPair), compare_pairs);
    for (uint64_t i = 0, j, from = 0; i < count; i = j) {
        for (j = i + 1; j < count && compare_pairs(&pairs[i], &pairs[j]) == 0; j++)
            ;
        add_tie(&both, (double)(j - i));
        if (j == count || pairs[j].x != pairs[i].x) {
            add_tie(x, (double)(j - from));
            from = j;
        }
    }
    for (uint64_t i = 0; i < count; i++)
        second[i] = pairs[i].y;
    n = n * (n - 1) / 2 - 2 * (double)sort_exchanges(env, second, second + count, count);
    for (uint64_t i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && second[j] == second[i]; j++)
            ;
        add_tie(y, (double)(j - i));
    }
    env->release(env, second);
    env->release(env, pairs);
    return n - x->pairs - y->pairs + both.pairs;
}

static void kendall_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    Alternative alternative = hypothesis_alternative(options);
    double n = (double)sample->value_count, all = n * (n - 1) / 2, score;
    TieSums x = {0}, y = {0};
    bool exact;

    hypothesis_begin(result, "Kendall rank correlation", alternative_names[alternative], n);
    if (n < 2) {
        hypothesis_fails(env, result, "Collect more rows, or leave small groups out with FILTER.", "correlation_test needs 2 rows, but there are %.0f", n);
        return;
    }
    score = kendall_score(env, sample, &x, &y);
    if (!(x.pairs < all && y.pairs < all)) {
        hypothesis_fails(env, result, "Check that the numbers vary.", "the %s number is constant in all %.0f rows", x.pairs < all ? "second" : "first", n);
        return;
    }
    result->estimate = fmax(-1, fmin(1, score / (sqrt(all - x.pairs) * sqrt(all - y.pairs)))); /* rounding may pass 1 */
    result->estimated = "rank correlation";
    if (!wants_orders(env, options, x.pairs > 0 || y.pairs > 0, n, KENDALL_EXACT_BELOW, KENDALL_EXACT_LIMIT, &exact, result))
        return;
    if (exact) {
        result->test = "Exact Kendall rank correlation";
        result->statistic = (all + score) / 2; /* pairs in the same order */
        result->p_value = exact_p_value(kendall_distribution(env, (uint32_t)n), all, result->statistic, alternative);
        return;
    }
    result->statistic = score / sqrt((kendall_term(n) - x.squares - y.squares) / 18 + 2 * x.pairs * y.pairs / (n * (n - 1)) +
                                     (n > 2 ? x.cubes * y.cubes / (9 * n * (n - 1) * (n - 2)) : 0));
    result->p_value = normal_p_value(result->statistic, alternative);
}

void correlation_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    bool ranks = options_has(options, "method") && !options_is(options, "method", "pearson"); /* moments have none */

    if (ranks && options_is(options, "method", "kendall"))
        kendall_test(env, sample, options, result);
    else if (ranks)
        spearman_test(env, sample, options, result);
    else if (options_has(options, "exact") && options_given(options, "exact"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or choose one of these.", "option \"exact\" is of methods spearman and kendall");
    else
        pearson_test(env, sample, options, result);
}
