/*
 * paired_test.c - tests of the difference between two models: paired t, corrected for resampling, and McNemar.
 */
#include "core/validation/paired_test.h"

#include "core/math/special_functions.h"

#include <math.h>

#define EXACT_BELOW 25 /* rows that the classifiers disagree on; from there on the normal approximation is good */
#define LEVEL 0.95

PairedTest paired_test(double n, double mean, double variance, double test_share)
{
    PairedTest test = {.std_error = NAN, .t = NAN, .df = NAN, .p = NAN, .half_width = NAN};

    if (!(n >= 2) || !isfinite(mean) || !isfinite(variance))
        return test;
    test.std_error = sqrt(variance * (1 / n + test_share));
    if (test.std_error == 0)
        return test;
    test.df = n - 1;
    test.t = mean / test.std_error;
    test.p = t_two_sided(test.t, test.df);
    test.half_width = t_critical(LEVEL, test.df) * test.std_error;
    return test;
}

PairedTest paired_test_of_numbers(const double *differences, uint32_t n, double test_share, double *mean)
{
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += differences[i];
    *mean = n > 0 ? sum / n : NAN;
    for (uint32_t i = 0; i < n; i++)
        squares += (differences[i] - *mean) * (differences[i] - *mean);
    return paired_test(n, *mean, squares / ((double)n - 1), test_share);
}

bool mcnemar_is_exact(uint64_t only_a, uint64_t only_b)
{
    return only_a < EXACT_BELOW && only_b < EXACT_BELOW && only_a + only_b < EXACT_BELOW;
}

double mcnemar_p(uint64_t only_a, uint64_t only_b)
{
    double n = (double)only_a + (double)only_b, least = (double)(only_a < only_b ? only_a : only_b);
    double distance = fabs((double)only_a - (double)only_b) - 1, upper, p;

    if (n == 0)
        return NAN;
    if (!mcnemar_is_exact(only_a, only_b))
        return chi_square_upper(distance > 0 ? distance * distance / n : 0, 1);
    /* P(X <= least) of a fair coin is the incomplete beta function at 1/2 (DLMF 8.17.5) */
    p = 2 * beta_tails(n - least, least + 1, 0.5, 0.5, &upper);
    return p < 1 ? p : 1;
}
