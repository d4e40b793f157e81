/*
 * test_special_functions.c - t, F and normal against closed forms and tabulated values, far into the tails.
 */
#include "check.h"
#include "core/math/special_functions.h"

#define CHECK_RELATIVE(found, expected, tolerance) CHECK_NEAR((found) / (expected), 1.0, tolerance)

/* Closed forms: one and two degrees of freedom. */
static void test_t_closed(void)
{
    static const double ts[] = {1e-8, 0.001, 0.3, 1, 2.5, 10, 1e3, 1e6, 1e20, 1e100};

    for (int i = 0; i < 10; i++) {
        double t = ts[i];
        CHECK_RELATIVE(t_two_sided(t, 1), 2 / M_PI * atan(1 / t), 1e-13);
        /* 1 - t / sqrt(2 + t^2), without cancellation */
        CHECK_RELATIVE(t_two_sided(t, 2), 2 / (sqrt(2 / t / t + 1) * (sqrt(2 / t / t + 1) + 1)) / t / t,
                       1e-13);
    }
    CHECK(isnan(t_two_sided(1, 0)) && isnan(t_two_sided(NAN, 3)) && isnan(t_two_sided(1, -1)));
    CHECK(t_two_sided(INFINITY, 3) == 0 && t_two_sided(0, 3) == 1);
    CHECK(t_two_sided(1e200, 3) == 0);
}

/* Published values, 15 digits. */
static void test_published(void)
{
    CHECK_RELATIVE(t_two_sided(21.3987078218181, 146), 7.33247656431395e-47, 1e-11);
    CHECK_RELATIVE(t_two_sided(13.7503426182959, 8), 7.54910762620199e-07, 1e-12);
    CHECK_RELATIVE(f_upper(734.388537102212, 3, 146), 7.82819331054926e-88, 1e-11);
    CHECK_RELATIVE(f_upper(46.2724395852432, 10, 431), 3.82864903818517e-62, 1e-11);
    CHECK_RELATIVE(t_critical(0.95, 1), 12.7062047361747, 1e-13);
    CHECK_RELATIVE(t_critical(0.95, 10), 2.22813885198627, 1e-13);
    CHECK_RELATIVE(t_critical(0.99, 30), 2.74999565356721, 1e-12);
    CHECK_RELATIVE(normal_quantile(0.975), 1.95996398454005, 1e-13);
    CHECK_RELATIVE(normal_cdf(-37), 5.72557122252458e-300, 1e-11);
}

/* Points and tails are inverse to each other; large degrees of freedom are normal. */
static void test_inverse(void)
{
    static const double dfs[] = {0.5, 1, 2, 3.7, 10, 146, 1e4, 1e7, 1e10};
    static const double levels[] = {1e-6, 0.1, 0.5, 0.9, 0.95, 0.999, 0.999999};

    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 7; j++) {
            double t = t_critical(levels[j], dfs[i]);
            CHECK_RELATIVE(t_two_sided(t, dfs[i]), 1 - levels[j], 1e-11);
            CHECK_RELATIVE(f_upper(t * t, 1, dfs[i]), 1 - levels[j], 1e-11);
        }
    CHECK_RELATIVE(t_critical(0.95, 1e11), normal_quantile(0.975), 1e-10);
    CHECK_RELATIVE(t_critical(0.95, 1e13), normal_quantile(0.975), 1e-12);
    for (double p = 1e-300; p < 0.5; p *= 97)
        CHECK_RELATIVE(normal_cdf(normal_quantile(p)), p, 1e-12);
    CHECK(normal_quantile(0.5) == 0 && isinf(normal_quantile(1)) && isnan(normal_quantile(2)));
    CHECK(isnan(t_critical(1, 3)) && t_critical(0, 3) == 0);
    CHECK(f_upper(0, 2, 3) == 1 && f_upper(INFINITY, 2, 3) == 0 && isnan(f_upper(1, 0, 3)));
}

/* I_x(a, b) + I_1-x(b, a) = 1; I_x(a, 1) = x^a; the recurrence in a. */
static void test_beta(void)
{
    static const double as[] = {0.1, 0.5, 1, 3, 40, 1e4};

    for (int i = 0; i < 6; i++)
        for (double x = 1e-6; x < 1; x += 0.0833) {
            double a = as[i], upper, other, one = beta_tails(a, 2.5, x, 1 - x, &upper);
            double mirrored = beta_tails(2.5, a, 1 - x, x, &other);
            CHECK_NEAR(one + upper, 1, 1e-14);
            CHECK_NEAR(mirrored, upper, 1e-14);
            one = beta_tails(a, 1, x, 1 - x, &upper);
            if (pow(x, a) > 1e-300)
                CHECK_RELATIVE(one, pow(x, a), 1e-11);
        }
}

/* Closed forms, values of another implementation, and the recurrence in the degrees of freedom. */
static void test_chi_square(void)
{
    CHECK_RELATIVE(chi_square_upper(10, 3), 0.01856613546304325, 1e-13);
    CHECK_RELATIVE(chi_square_upper(1000, 10), 1.870290720915977e-208, 1e-12);
    CHECK_RELATIVE(chi_square_upper(0.5, 7), 0.9994464813904249, 1e-13);
    CHECK_RELATIVE(chi_square_upper(5100, 5000), 0.158639348619404, 1e-12);
    CHECK_RELATIVE(chi_square_upper(10300, 10000), 0.017638117447345406, 1e-11);
    CHECK_RELATIVE(chi_square_upper(9900, 10000), 0.7595200856839792, 1e-12);
    CHECK_RELATIVE(chi_square_upper(1, 0.1), 0.02868262875583601, 1e-13);
    for (double x = 1e-8; x < 1400; x *= 1.7) {
        double half = x / 2, term = exp(-half), lower, upper;
        CHECK_RELATIVE(chi_square_upper(x, 1), erfc(sqrt(half)), 1e-12);
        CHECK_RELATIVE(chi_square_upper(x, 2), term, 1e-14);
        CHECK_RELATIVE(chi_square_upper(x, 4), term * (1 + half), 1e-12);
        CHECK_RELATIVE(chi_square_upper(x, 6), term * (1 + half + half * half / 2), 1e-12);
        lower = gamma_tails(7.5, half, &upper);
        CHECK_NEAR(lower + upper, 1, 1e-15);
    }
    CHECK(chi_square_upper(0, 3) == 1 && chi_square_upper(-1, 3) == 1);
    CHECK(chi_square_upper(INFINITY, 3) == 0 && chi_square_upper(1e300, 3) == 0);
    CHECK(isnan(chi_square_upper(1, 0)) && isnan(chi_square_upper(NAN, 3)));
}

/* Values of R, 17 digits. */
static void test_quantiles(void)
{
    CHECK_RELATIVE(t_quantile(0.97499999999999998, 7), 2.3646242515927844, 1e-13);
    CHECK_RELATIVE(t_quantile(1e-10, 3), -2225.7692846830946, 1e-13);
    CHECK_RELATIVE(t_quantile(0.20000000000000001, 146), -0.84409008980421607, 1e-13);
    CHECK_RELATIVE(t_quantile(1.0000000000000001e-30, 12), -913.29530375355785, 1e-13);
    CHECK_RELATIVE(t_quantile(0.59999999999999998, 2.5), 0.28145951274854752, 1e-13);
    CHECK_RELATIVE(t_quantile(0.99990000000000001, 1000000), 3.7190302747625714, 1e-13);
    CHECK_RELATIVE(f_critical(0.025000000000000001, 7, 12), 3.6065146422204459, 1e-13);
    CHECK_RELATIVE(f_critical(9.9999999999999998e-13, 3, 50), 36.922389463278996, 1e-13);
    CHECK_RELATIVE(f_critical(0.20000000000000001, 146, 1), 15.523336702197343, 1e-13);
    CHECK_RELATIVE(f_critical(1e-100, 12, 9), 3.9690189576296842e+22, 1e-13);
    CHECK_RELATIVE(f_critical(0.97499999999999998, 2.5, 30), 0.047154387425957012, 1e-13);
    CHECK_RELATIVE(f_critical(0.99990000000000001, 1000, 500), 0.75320289523566175, 1e-13);
    CHECK_RELATIVE(f_critical(0.050000000000000003, 1, 1), 161.4476387975885, 1e-13);
    CHECK_RELATIVE(f_critical(0.29999999999999999, 100000, 10000), 1.0078774397439654, 1e-13);
    CHECK_RELATIVE(f_upper(3.2000000000000002, 7, 12), 0.037225956811524179, 1e-13);
    CHECK_RELATIVE(f_upper(500, 3, 50), 2.9306872543204347e-37, 1e-13);
    CHECK_RELATIVE(f_upper(0.01, 146, 2), 1, 1e-13);
    CHECK_RELATIVE(chi_square_upper(3.2000000000000002, 7), 0.86590474173609833, 1e-13);
    CHECK_RELATIVE(chi_square_upper(500, 3), 4.7716720319127583e-108, 1e-13);
    CHECK_RELATIVE(chi_square_upper(0.01, 14), 1, 1e-13);
    CHECK_RELATIVE(chi_square_upper(1400, 20), 1.1106924650193635e-284, 1e-13);
    CHECK_RELATIVE(binomial_log_density(3, 10, 0.20000000000000001, 0.80000000000000004), -1.6028268537197232, 1e-13);
    CHECK_RELATIVE(binomial_log_density(0, 50, 0.01, 0.98999999999999999), -0.5025167926750721, 1e-13);
    CHECK_RELATIVE(binomial_log_density(50, 50, 0.98999999999999999, 0.010000000000000009), -0.50251679267507254, 1e-13);
    CHECK_RELATIVE(binomial_log_density(400, 1000, 0.10000000000000001, 0.90000000000000002), -314.89820146676874, 1e-13);
    CHECK_RELATIVE(binomial_log_density(5, 1000000, 0.5, 0.5), -693082.89050889818, 1e-13);
    CHECK_RELATIVE(binomial_log_density(500000, 1000000, 0.5, 0.5), -7.1335468816268648, 1e-13);
    CHECK(isinf(f_critical(0, 2, 3)) && f_critical(1, 2, 3) == 0 && isnan(f_critical(0.5, 0, 3)) && isnan(f_critical(2, 1, 1)));
}

/* The integral in 40 digits, which R's pt agrees with as far as it goes (1e-12 absolute); central t and the normal distribution at the ends. */
static void test_noncentral_t(void)
{
    static const double cases[][4] = {{12, 1, 30, 0.98727464671708912251},     {3.5, 2.5, 8, 0.9932329478736639955},
                                      {40, 2.5, -1, 9.2786134907122288736e-6}, {12, 58, -1, 1.284595149957210383e-20},
                                      {0.5, 10, -1, 0.069601683693248414771},  {40, 10, 30, 0.15591484161330764521},
                                      {-1, 10, 2.8, 0.99988858847392093568},   {-1, 10, -8, 3.9146860614872910787e-12},
                                      {2, 0.5, 1, 0.47950364818474465622},     {2, 1e4, 3.1, 0.86432087030714779717},
                                      {60, 1, 200, 0.99914045049300093464},    {7, 2, -3, 4.1211734666820523121e-6}};

    for (int i = 0; i < 12; i++)
        CHECK_RELATIVE(noncentral_t_upper(cases[i][0], cases[i][1], cases[i][2]), cases[i][3], 1e-13);
    for (double df = 0.3; df < 1e11; df *= 7)
        for (double t = 0.01; t < 60; t *= 3) {
            CHECK_RELATIVE(noncentral_t_upper(t, df, 0), t_two_sided(t, df) / 2, 1e-11);
            CHECK_NEAR(noncentral_t_upper(t, df, 1.5) + noncentral_t_upper(-t, df, -1.5), 1, 1e-13);
        }
    CHECK_RELATIVE(noncentral_t_upper(2, 1e11, 1), normal_cdf(-1), 1e-10);
    CHECK(noncentral_t_upper(2, 1e13, 1) == normal_cdf(-1) && noncentral_t_upper(2, INFINITY, 1) == normal_cdf(-1));
    CHECK(noncentral_t_upper(3, 5, INFINITY) == 1 && noncentral_t_upper(INFINITY, 5, 1) == 0 && isnan(noncentral_t_upper(1, 0, 1)));
    CHECK(noncentral_t_upper(0, 4, 1) > 0.84134474606854 && noncentral_t_upper(0, 4, 1) < 0.84134474606855);
    CHECK_NEAR(noncentral_t_upper(1, 5, 1e300), 1, 1e-14);
    CHECK(noncentral_t_upper(1, 5, -1e300) == 0);
    /* on both sides of the expansion for narrow edges, which is continuous there */
    CHECK_RELATIVE(noncentral_t_upper(2900, 1, 2000.001), noncentral_t_upper(2900, 1, 1999.999), 1e-6);
    CHECK_RELATIVE(noncentral_t_upper(6500, 5, 5000), noncentral_t_upper(6300, 5, 5000.0 * 6300 / 6500), 1e-6);
}

/* Arguments outside of a function, at its ends, and so far out that parts of it vanish. */
static void test_ends(void)
{
    double upper = 0;

    CHECK(isnan(normal_quantile(-0.1)) && isnan(normal_quantile(1.1)) && isnan(normal_quantile(NAN)));
    CHECK(normal_quantile(0) == -INFINITY && normal_quantile(1) == INFINITY && normal_quantile(0.5) == 0);
    CHECK_RELATIVE(normal_cdf(normal_quantile(1e-307)), 1e-307, 1e-9);
    CHECK(isfinite(normal_quantile(5e-324)) && normal_quantile(5e-324) < -38);
    CHECK(stirling_error(0) == INFINITY && stirling_error(-1) == INFINITY && isinf(stirling_error(NAN)));
    for (int i = 0; i < 4; i++) {
        double bad[4] = {1, 1, 0.5, 0.5};

        bad[i] = i < 2 ? 0 : -1;
        CHECK(isnan(beta_tails(bad[0], bad[1], bad[2], bad[3], &upper)) && isnan(upper));
    }
    CHECK(beta_tails(2, 3, 0, 1, &upper) == 0 && upper == 1);
    CHECK(beta_tails(2, 3, 1, 0, &upper) == 1 && upper == 0);
    CHECK(isnan(gamma_tails(0, 1, &upper)) && isnan(upper) && isnan(gamma_tails(1, -1, &upper)));
    CHECK(gamma_tails(2, 0, &upper) == 0 && upper == 1);
    CHECK(gamma_tails(2, INFINITY, &upper) == 1 && upper == 0);
    CHECK_RELATIVE(t_two_sided(1e120, 1), 2 / M_PI * 1e-120, 1e-13);
    CHECK(isnan(f_upper(1, 0, 2)) && isnan(f_upper(1, 2, 0)) && isnan(f_upper(NAN, 2, 2)) && f_upper(-1, 2, 2) == 1 && f_upper(INFINITY, 2, 2) == 0);
    CHECK(isnan(t_critical(0.9, 0)) && isnan(t_critical(1.5, 3)) && isnan(t_critical(-0.5, 3)) && t_critical(0, 3) == 0 && t_critical(0.9, 1e-4) == INFINITY);
    CHECK(t_critical(1 - 1e-9, 0.01) > 1e299); /* out of range, as (1e9)^100 is */
}

int main(void)
{
    test_ends();
    test_noncentral_t();
    test_chi_square();
    test_t_closed();
    test_published();
    test_quantiles();
    test_inverse();
    test_beta();
    return check_report();
}
