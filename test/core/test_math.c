/*
 * test_math.c - functions against their definitions: derivatives of log gamma, the logistic function, contrasts, splines, sums that
 * carry their errors, quantiles by weight.
 */
#include "check.h"

#include "core/base/random.h"
#include "core/math/carried_sum.h"
#include "core/math/contrast_coding.h"
#include "core/math/digamma.h"
#include "core/math/logistic_function.h"
#include "core/math/spline_basis.h"
#include "core/math/weighted_median.h"

#include <stdlib.h>

#define EULER 0.57721566490153286

/* Values at whole numbers and halves, the recurrence, and the doubling formula, on both sides of where the series begins. */
static void test_digamma(void)
{
    double harmonic = 0, squares = 0;

    for (int n = 1; n < 40; n++) {
        CHECK_NEAR(digamma(n), harmonic - EULER, 1e-15 * n);
        CHECK_NEAR(trigamma(n) / (M_PI * M_PI / 6 - squares), 1, 1e-13);
        harmonic += 1.0 / n;
        squares += 1.0 / n / n;
    }
    CHECK_NEAR(digamma(0.5), -EULER - 2 * log(2), 1e-15);
    CHECK_NEAR(trigamma(0.5), M_PI * M_PI / 2, 1e-15);
    for (double x = 0.01; x < 1e6; x *= 1.7) {
        double size = fabs(digamma(x)) + 1 / x;

        CHECK_NEAR((digamma(x + 1) - digamma(x) - 1 / x) / size, 0, 4e-15);
        CHECK_NEAR((digamma(2 * x) - (digamma(x) + digamma(x + 0.5)) / 2 - log(2)) / size, 0, 4e-15);
        CHECK_NEAR((trigamma(x + 1) + 1 / (x * x)) / trigamma(x), 1, 4e-15);
        CHECK_NEAR((trigamma(x) + trigamma(x + 0.5)) / (4 * trigamma(2 * x)), 1, 4e-15);
    }
}

/* Both ends keep their digits, and shares of a sum are 1 in all. */
static void test_logistic(void)
{
    double x[7], shares[7], sum = 0;

    for (double z = -745; z <= 745; z += 0.37) {
        long double e = expl((long double)z), share = e / (1 + e);

        CHECK_NEAR(logistic(z) / (double)share, 1, z < -708 ? 1e-1 : 1e-14);
        CHECK(fabs(log_logistic(z) + (double)log1pl(expl(-(long double)z))) <= 1e-14 * fabs(log_logistic(z)) + 1e-300);
    }
    CHECK(logistic(-740) > 0 && logistic(-750) == 0 && logistic(INFINITY) == 1 && logistic(-INFINITY) == 0 && logistic(0) == 0.5);
    for (int i = 0; i < 7; i++)
        x[i] = 3 * i - 800.5;
    softmax(x, 7, shares);
    for (int i = 0; i < 7; i++) {
        sum += shares[i];
        CHECK_NEAR(shares[i] / shares[0], exp(3 * i), 1e-14);
    }
    CHECK_NEAR(sum, 1, 1e-15);
    softmax(x, 7, x);
    CHECK(memcmp(x, shares, sizeof(x)) == 0);
    softmax((double[]){0, -2000}, 2, shares);
    CHECK(shares[0] == 1 && shares[1] == 0);
    softmax((double[]){0, 2000, 1999}, 3, shares);
    CHECK(shares[0] == 0);
    CHECK_NEAR(shares[1], logistic(1), 1e-15);
}

/* Columns of sum, helmert and poly by their definitions in R. */
static void test_contrasts(Host *host)
{
    Contrast contrast = CONTRAST_TREATMENT;

    CHECK(contrast_find("Contr.HELMERT", 13, &contrast) && contrast == CONTRAST_HELMERT);
    CHECK(contrast_find("poly", 4, &contrast) && contrast == CONTRAST_POLY);
    CHECK(contrast_find("treatment", 9, &contrast) && contrast == CONTRAST_TREATMENT);
    CHECK(!contrast_find("contr.", 6, &contrast) && !contrast_find("su", 2, &contrast) && !contrast_find("summ", 4, &contrast));
    CHECK_TEXT(contrast_name(CONTRAST_SUM), "sum");
    for (uint32_t levels = 1; levels < 12; levels++) {
        uint32_t columns = levels - 1;
        double *sum = contrast_rows(&host->env, CONTRAST_SUM, levels), *helmert = contrast_rows(&host->env, CONTRAST_HELMERT, levels);
        double *poly = contrast_rows(&host->env, CONTRAST_POLY, levels);

        for (uint32_t i = 0; i < levels; i++)
            for (uint32_t c = 0; c < columns; c++) {
                CHECK(sum[i * columns + c] == (i == columns ? -1 : i == c ? 1 : 0));
                CHECK(helmert[i * columns + c] == (i <= c ? -1 : i == c + 1 ? (double)(c + 1) : 0));
            }
        for (uint32_t c = 0; c < columns; c++) {
            for (uint32_t other = 0; other <= c; other++) {
                double product = 0, total = 0;

                for (uint32_t i = 0; i < levels; i++) {
                    product += poly[i * columns + c] * poly[i * columns + other];
                    total += poly[i * columns + c];
                }
                CHECK_NEAR(product, c == other, 1e-14);
                CHECK_NEAR(total, 0, 1e-14);
            }
            for (uint32_t power = 0; power <= c; power++) { /* of degree c + 1: orthogonal to all lower ones, and rising at the end */
                double product = 0;

                for (uint32_t i = 0; i < levels; i++)
                    product += poly[i * columns + c] * pow((double)i / columns, power);
                CHECK_NEAR(product, 0, 1e-14);
            }
            CHECK(poly[columns * columns + c] > 0);
        }
    }
    host_reset(host);
}

/* B-spline number i of a degree by the recurrence of Cox and de Boor; the last interval is closed. */
static double b_spline(const double *knots, uint32_t count, uint32_t i, uint32_t degree, double x)
{
    double left = knots[i + degree] - knots[i], right = knots[i + degree + 1] - knots[i + 1];

    if (degree == 0)
        return knots[i] <= x && (x < knots[i + 1] || (x == knots[count - 1] && knots[i] < x && knots[i + 1] == x));
    return (left > 0 ? (x - knots[i]) / left * b_spline(knots, count, i, degree - 1, x) : 0) +
           (right > 0 ? (knots[i + degree + 1] - x) / right * b_spline(knots, count, i + 1, degree - 1, x) : 0);
}

static void test_b_splines(Host *host)
{
    static const double inner[] = {1.5, 2, 4.25, 7};

    for (uint32_t degree = 1; degree <= 5; degree++)
        for (uint32_t knots = 0; knots <= 4; knots++) {
            double parameters[6] = {1, 9}, all[16], values[10];
            uint32_t df = knots + degree, count = 0;
            Spline spline;

            memcpy(parameters + 2, inner, knots * sizeof(double));
            for (uint32_t i = 0; i <= degree; i++)
                all[count++] = 1;
            for (uint32_t i = 0; i < knots; i++)
                all[count++] = inner[i];
            for (uint32_t i = 0; i <= degree; i++)
                all[count++] = 9;
            spline_bs(&host->env, &spline, parameters, df, degree);
            CHECK_INT(spline.columns, df);
            for (double x = 1; x <= 9; x += 0.25) {
                spline_values(&spline, x, values);
                for (uint32_t c = 0; c < df; c++)
                    CHECK_NEAR(values[c], b_spline(all, count, c + 1, degree, x), 1e-13);
            }
            spline_values(&spline, NAN, values);
            CHECK(isnan(values[0]) && isnan(values[df - 1]));
        }
    host_reset(host);
}

/* A natural spline has two derivatives without a jump, is linear beyond its boundaries, and its columns are independent: a straight
 * line is a sum of them and a constant. */
static void test_natural_splines(Host *host)
{
    static const double inner[] = {1.5, 2, 4.25, 7};

    for (uint32_t knots = 0; knots <= 4; knots++) {
        double parameters[6] = {1, 9}, before[6], at[6], after[6], far[6], step = 1e-4;
        uint32_t df = knots + 1;
        Spline spline;

        memcpy(parameters + 2, inner, knots * sizeof(double));
        spline_ns(&host->env, &spline, parameters, df);
        CHECK_INT(spline.columns, df);
        for (uint32_t k = 0; k < 2 + knots; k++) {
            double x = parameters[k];

            { /* second differences on both sides of a knot, and across it */
                double curves[3][6];

                for (int d = 0; d < 3; d++) {
                    double middle = x + (d - 1) * 3 * step;

                    spline_values(&spline, middle - step, before);
                    spline_values(&spline, middle, at);
                    spline_values(&spline, middle + step, after);
                    for (uint32_t c = 0; c < df; c++)
                        curves[d][c] = (before[c] - 2 * at[c] + after[c]) / (step * step);
                }
                for (uint32_t c = 0; c < df; c++) {
                    CHECK(fabs(curves[0][c] - curves[2][c]) < 2e-2 && fabs(curves[1][c] - curves[0][c]) < 2e-2);
                    CHECK(k > 1 || fabs(curves[1][c]) < 2e-2);
                }
            }
        }
        for (int side = 0; side < 2; side++) {
            double end = side ? 9 : 1, sign = side ? 1 : -1;

            spline_values(&spline, end, at);
            spline_values(&spline, end + sign * 3, after);
            spline_values(&spline, end + sign * 9, far);
            for (uint32_t c = 0; c < df; c++)
                CHECK_NEAR(far[c] - at[c], 3 * (after[c] - at[c]), 1e-12);
        }
    }
    host_reset(host);
}

/* The rounding error of a plain sum is as large as the sum. */
static void test_carried_sum(void)
{
    CarriedSum total = {0, 0};

    for (int i = 0; i < 1000; i++) {
        carried_add(&total, 1e17);
        carried_add(&total, 1);
        carried_add(&total, -1e17);
        carried_add(&total, 0.5);
    }
    CHECK(carried_value(&total) == 1500);
}

typedef struct Numbers {
    const double *numbers, *weights;
    uint32_t count, at;
} Numbers;

static uint32_t next_numbers(void *source, double *numbers, double *weights)
{
    Numbers *from = source;
    uint32_t count = from->count - from->at < WEIGHTED_BLOCK ? from->count - from->at : WEIGHTED_BLOCK;

    memcpy(numbers, from->numbers + from->at, count * sizeof(double));
    memcpy(weights, from->weights + from->at, count * sizeof(double));
    from->at = count > 0 ? from->at + count : 0;
    return count;
}

/* The smallest number with so much weight at or below it, by trying each. */
static void test_weighted_quantile(void)
{
    static double numbers[700], weights[700];
    uint64_t seed = 3;

    for (uint32_t count = 1; count <= 700; count = count * 2 + 1) {
        double all = 0;

        for (uint32_t i = 0; i < count; i++) {
            numbers[i] = (double)(random_bits(&seed) % 50) / 8 - 3;
            all += weights[i] = (double)(random_bits(&seed) % 4);
        }
        for (double wanted = 1; wanted <= all + 1; wanted += 1 + all / 9) {
            Numbers source = {numbers, weights, count, 0};
            double expected = INFINITY, most = -INFINITY;

            for (uint32_t i = 0; i < count; i++) {
                double below = 0;

                for (uint32_t j = 0; j < count; j++)
                    below += numbers[j] <= numbers[i] ? weights[j] : 0;
                expected = below >= wanted && numbers[i] < expected ? numbers[i] : expected;
                most = weights[i] > 0 && numbers[i] > most ? numbers[i] : most;
            }
            CHECK(weighted_quantile(&(WeightedNumbers){&source, next_numbers}, wanted) == (isinf(expected) ? most : expected));
        }
    }
}

int main(void)
{
    Host *host = host_new();

    test_digamma();
    test_logistic();
    test_contrasts(host);
    test_b_splines(host);
    test_natural_splines(host);
    test_carried_sum();
    test_weighted_quantile();
    host_free(host);
    return check_report();
}
