/*
 * contrast_coding.c - how the k levels of C(x, sum) and its like become k - 1 numbers, as in R (Chambers and Hastie, Statistical Models in S, 1992).
 *
 * sum      a coefficient is how far a level is from the mean of all levels; the last level is minus the sum of the others
 * helmert  how far a level is from the mean of those before it, divided by its place
 * poly     orthogonal polynomials over the places of the levels, as of an ordered factor
 */
#include "core/math/contrast_coding.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const char *const names[] = {[CONTRAST_TREATMENT] = "treatment", [CONTRAST_SUM] = "sum", [CONTRAST_HELMERT] = "helmert", [CONTRAST_POLY] = "poly"};

bool contrast_find(const char *name, uint32_t length, Contrast *contrast)
{
    if (length > 6 && strncasecmp(name, "contr.", 6) == 0) {
        name += 6;
        length -= 6;
    }
    for (int i = CONTRAST_TREATMENT; i <= CONTRAST_POLY; i++)
        if (strlen(names[i]) == length && strncasecmp(names[i], name, length) == 0) {
            *contrast = (Contrast)i;
            return true;
        }
    return false;
}

const char *contrast_name(Contrast contrast)
{
    return names[contrast];
}

/* Subtracts from column c its projections on the columns before it, and scales it to norm 1. */
static void make_orthogonal(double *rows, uint32_t levels, uint32_t c)
{
    uint32_t columns = levels - 1;
    double norm = 0;

    for (int again = 0; again < 2; again++) { /* the second removes the rounding of the first */
        double mean = 0;

        for (uint32_t i = 0; i < levels; i++)
            mean += rows[(size_t)i * columns + c] / levels;
        for (uint32_t i = 0; i < levels; i++)
            rows[(size_t)i * columns + c] -= mean;
        for (uint32_t before = 0; before < c; before++) {
            double product = 0;

            for (uint32_t i = 0; i < levels; i++)
                product += rows[(size_t)i * columns + c] * rows[(size_t)i * columns + before];
            for (uint32_t i = 0; i < levels; i++)
                rows[(size_t)i * columns + c] -= product * rows[(size_t)i * columns + before];
        }
    }
    for (uint32_t i = 0; i < levels; i++)
        norm += rows[(size_t)i * columns + c] * rows[(size_t)i * columns + c];
    for (uint32_t i = 0; i < levels; i++)
        rows[(size_t)i * columns + c] /= sqrt(norm);
}

/* Each polynomial is the place times the one before, made orthogonal: powers of the place would lose their digits. */
static void set_polynomials(double *rows, uint32_t levels)
{
    uint32_t columns = levels - 1;

    for (uint32_t c = 0; c < columns; c++) {
        for (uint32_t i = 0; i < levels; i++)
            rows[(size_t)i * columns + c] = (i - (levels - 1) / 2.0) * (c > 0 ? rows[(size_t)i * columns + c - 1] : 1);
        make_orthogonal(rows, levels, c);
    }
}

double *contrast_rows(Env *env, Contrast contrast, uint32_t levels)
{
    uint32_t columns = levels - 1;
    double *rows = env_array(env, (size_t)levels * columns + 1, sizeof(double));

    if (contrast == CONTRAST_POLY)
        set_polynomials(rows, levels);
    for (uint32_t i = 0; contrast != CONTRAST_POLY && i < levels; i++)
        for (uint32_t c = 0; c < columns; c++)
            rows[(size_t)i * columns + c] = contrast == CONTRAST_SUM ? (i == columns ? -1.0 : i == c) : i <= c ? -1.0 : i == c + 1 ? i : 0.0;
    return rows;
}
