/*
 * adjusted_p.c - p-values adjusted for many tests: Bonferroni, Holm (1979), Hochberg (1988), Benjamini & Hochberg (1995), Benjamini & Yekutieli (2001).
 */
#include "core/hypothesis/hypothesis_tests.h"
#include "core/hypothesis/rank_tests.h"
#include "core/base/sort.h"

#include <math.h>
#include <strings.h>

/* A method multiplies the i-th smallest of n p-values by a factor; steps down (Holm) take the greatest so far, steps up the least. */
typedef enum Method { BONFERRONI, HOLM, HOCHBERG, BH, BY } Method;

static Method method_of(Env *env, const char *name)
{
    static const char *const names[] = {"bonferroni", "holm", "hochberg", "bh", "by", "fdr"};

    for (int i = 0; i < 6; i++)
        if (strcasecmp(name, names[i]) == 0)
            return i == 5 ? BH : (Method)i;
    env_fail(env, ERROR_PARAMETER, "Use bonferroni, holm, hochberg, BH or BY.", "there is no method \"%s\" of adjust_p", name);
}

void adjust_p(Env *env, double *p, uint32_t count, const char *name)
{
    Method method = method_of(env, name);
    PlacedNumber *sorted = env_array_raw(env, (size_t)count + 1, sizeof(PlacedNumber));
    double harmonic = 0, n = count, bound = method == HOLM ? 0 : 1;

    for (uint32_t i = 0; i < count; i++) {
        if (!(p[i] >= 0 && p[i] <= 1))
            env_fail(env, ERROR_DATA, "Pass p-values of tests.", "a p-value is between 0 and 1, not %g", p[i]);
        sorted[i] = (PlacedNumber){p[i], i};
        harmonic += 1 / (i + 1.0);
    }
    sort_polled(env, sorted, count, sizeof(PlacedNumber), compare_placed);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = method == HOLM ? k : count - 1 - k; /* from 0 */
        double factor = method == BONFERRONI                   ? n
                        : method == HOLM || method == HOCHBERG ? n - i
                        : method == BH                         ? n / (i + 1)
                                                               : n / (i + 1) * harmonic;
        double adjusted = fmin(1, factor * sorted[i].number);

        if (method != BONFERRONI)
            bound = adjusted = method == HOLM ? fmax(bound, adjusted) : fmin(bound, adjusted);
        p[sorted[i].place] = adjusted;
    }
    env->release(env, sorted);
}
