/*
 * test_paired_test.c - paired tests against numbers of scipy 1.10: ttest_rel, binomtest, chi2.
 */
#include "check.h"
#include "core/validation/paired_test.h"

static void test_rows(void)
{
    static const double differences[] = {0.5, -0.2, 0.3, 0.8, 0.1};
    double mean;
    PairedTest test = paired_test_of_numbers(differences, 5, 0, &mean), corrected;

    CHECK_NEAR(mean, 0.3, 1e-15);
    CHECK_NEAR(test.t, 1.7616606585441104, 1e-13);
    CHECK_NEAR(test.p, 0.152920150006137, 1e-13);
    CHECK_NEAR(test.df, 4, 0);
    corrected = paired_test_of_numbers(differences, 5, 0.25, &mean);
    CHECK_NEAR(corrected.std_error / test.std_error, 1.5, 1e-14);
    CHECK_NEAR(corrected.t, test.t / 1.5, 1e-13);
    CHECK(corrected.p > test.p && corrected.half_width > test.half_width);
}

static void test_edges(void)
{
    static const double same[] = {0.25, 0.25, 0.25};
    double mean;
    PairedTest test = paired_test_of_numbers(same, 3, 0, &mean);

    CHECK(mean == 0.25 && test.std_error == 0 && isnan(test.t) && isnan(test.p));
    test = paired_test_of_numbers(same, 1, 0, &mean);
    CHECK(isnan(test.std_error) && isnan(test.p));
    test = paired_test_of_numbers(same, 0, 0, &mean);
    CHECK(isnan(mean) && isnan(test.p));
    test = paired_test(10, INFINITY, 1, 0);
    CHECK(isnan(test.t));
}

static void test_mcnemar(void)
{
    CHECK(isnan(mcnemar_p(0, 0)));
    CHECK_NEAR(mcnemar_p(3, 3), 1, 0);
    CHECK_NEAR(mcnemar_p(0, 5), 0.0625, 1e-15);
    CHECK_NEAR(mcnemar_p(2, 10), 0.03857421875, 1e-14);
    CHECK_NEAR(mcnemar_p(10, 2), 0.03857421875, 1e-14);
    CHECK(mcnemar_is_exact(12, 12) && !mcnemar_is_exact(12, 13) && !mcnemar_is_exact(UINT64_MAX, UINT64_MAX));
    CHECK_NEAR(mcnemar_p(10, 30), 0.002663119259138558, 1e-14);
    CHECK_NEAR(mcnemar_p(20, 20), 1, 0);
}

int main(void)
{
    test_rows();
    test_edges();
    test_mcnemar();
    return check_report();
}
