/*
 * smirnov_test.c - the two-sample test of Kolmogorov and Smirnov.
 *
 * Exact p-values count the paths through the lattice of both groups that reach the statistic, at the ends of runs of equal numbers alone, so
 * that they hold with ties (Schroeer & Trenkler 1995). Distances are whole numbers, i n - j m, so nothing depends on rounding.
 */
#include "core/hypothesis/rank_tests.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>

#define EXACT_PAIRS 10000 /* of numbers of both groups, as in R */
#define MOST_PAIRS 1e9    /* if asked for: some seconds */

const OptionSpec smirnov_options[] = {
    {.name = "exact",
     .types = OPTION_BOOLEAN,
     .unset = "below 10,000 pairs of numbers of both groups",
     .help = "Whether the p-value comes from the exact distribution, also with ties, or from its limit for many numbers."},
    {.name = NULL}};

/* Both groups in order, as a path of m + n steps. */
typedef struct Lattice {
    int64_t m, n;
    bool *ends; /* [m + n + 1] after so many numbers: the next one is greater */
    int64_t above, below; /* greatest i n - j m and j m - i n at an end, where i and j numbers of the groups are at most as great */
} Lattice;

static Lattice lattice_of(Env *env, const Sample *sample, uint32_t first, double m, double n)
{
    Lattice lattice = {.m = (int64_t)m, .n = (int64_t)n};
    uint64_t count = sample->value_count;
    PlacedNumber *sorted;
    int64_t i = 0, j = 0;

    env_require_memory(env, count * (sizeof(PlacedNumber) + sizeof(bool)), "sorting the values of ks_test");
    sorted = env_array_raw(env, count + 1, sizeof(PlacedNumber));
    lattice.ends = env_array(env, count + 1, sizeof(bool));
    for (uint64_t k = 0; k < count; k++)
        sorted[k] = (PlacedNumber){sample->x[k], sample->group[k] != first};
    sort_numbers(env, sorted, count, sizeof(PlacedNumber));
    for (uint64_t k = 0; k < count; k++) {
        int64_t distance;

        *(sorted[k].place == 1 ? &j : &i) += 1; /* the place is that of the group */
        if (k + 1 < count && sorted[k + 1].number == sorted[k].number)
            continue;
        lattice.ends[k + 1] = true;
        distance = i * lattice.n - j * lattice.m;
        lattice.above = distance > lattice.above ? distance : lattice.above;
        lattice.below = -distance > lattice.below ? -distance : lattice.below;
    }
    env->release(env, sorted);
    return lattice;
}

/* Tells whether a path at i, j is as far from the diagonal as the statistic. */
static inline bool reached(const Lattice *lattice, int64_t i, int64_t j, int64_t least, Alternative alternative)
{
    int64_t distance = i * lattice->n - j * lattice->m;

    if (alternative == TWO_SIDED)
        distance = llabs(distance);
    return lattice->ends[i + j] && (alternative == LESS ? -distance : distance) >= least;
}

/* Returns the share of paths that reach the statistic: at i, j those that do by then come from one step before. */
static double exact_share(Env *env, const Lattice *lattice, int64_t least, Alternative alternative)
{
    double *share;

    if (least <= 0)
        return 1;
    env_require_memory(env, ((size_t)lattice->n + 1) * sizeof(double), "the exact distribution of ks_test");
    share = env_array(env, (size_t)lattice->n + 1, sizeof(double));
    for (int64_t i = 0; i <= lattice->m; i++) {
        for (int64_t j = 0; j <= lattice->n; j++) {
            double before = i > 0 ? share[j] : 0, left = j > 0 ? share[j - 1] : 0, part = i + j > 0 ? (double)i / (double)(i + j) : 0;

            share[j] = reached(lattice, i, j, least, alternative) ? 1 : part * before + (1 - part) * left;
            env_poll_every(env, j, 65536);
        }
    }
    return share[lattice->n];
}

double kolmogorov_upper(double x)
{
    double sum = 0;

    if (x < 0.1) /* 1 to all digits */
        return 1;
    if (x < 1) { /* the theta function's other series, which converges faster here */
        for (int k = 1; k < 20; k += 2)
            sum += exp(-k * k * M_PI * M_PI / (8 * x * x));
        return 1 - sqrt(2 * M_PI) / x * sum;
    }
    for (int k = 1; k < 20; k++)
        sum += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * x * x);
    return sum;
}

void ks_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    Alternative alternative = hypothesis_alternative(options);
    const SampleGroup *g[2];
    double m, n, scaled;
    int64_t least;
    uint32_t *order;
    Lattice lattice;
    bool exact;

    hypothesis_begin(result, "Kolmogorov-Smirnov test", alternative_names[alternative], (double)sample->value_count);
    if (!two_groups(env, sample, "ks_test", g, &order, result))
        return;
    m = g[0]->count;
    n = g[1]->count;
    exact = options_given(options, "exact") ? options_boolean(options, "exact") : m * n < EXACT_PAIRS;
    if (exact && m * n > MOST_PAIRS) {
        hypothesis_fails(env, result, "Leave out option \"exact\".",
                         "the exact distribution of ks_test goes up to %.0f pairs of numbers, not %.0f x %.0f", MOST_PAIRS, m, n);
        return;
    }
    lattice = lattice_of(env, sample, order[0], m, n);
    least = alternative == LESS ? lattice.below : alternative == GREATER || lattice.above > lattice.below ? lattice.above : lattice.below;
    result->statistic = (double)least / (m * n);
    scaled = sqrt(m * n / (m + n)) * result->statistic;
    if (exact) {
        result->test = "Exact Kolmogorov-Smirnov test";
        result->p_value = exact_share(env, &lattice, least, alternative);
    } else {
        result->p_value = alternative == TWO_SIDED ? kolmogorov_upper(scaled) : exp(-2 * scaled * scaled);
    }
}
