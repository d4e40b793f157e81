/*
 * vector_loops.c - the loops of vector_loops.h. No contraction, because they score stored models.
 */
#include "core/linalg/vector_loops.h"

#include <math.h>
#include <string.h>

static inline double join_parts(Loop loop, const double *part)
{
    double largest = part[0];

    if (loop != LOOP_LARGEST)
        return loop_join(part);
    for (int i = 1; i < 8; i++)
        largest = part[i] <= largest ? largest : part[i];
    return largest;
}

/*
 * Returns the sum with one coordinate more. The last coordinates are added one by one: as vectors they would have to be written and
 * read again, which waits (queries of 10 neighbors in 20 dimensions took three times as long).
 */
static inline double add_number(Loop loop, uint32_t power, double sum, double a, double b)
{
    double x = fabs(a - b);

    switch (loop) {
    case LOOP_PRODUCTS:
        return sum + a * b;
    case LOOP_SQUARES:
        return sum + x * x;
    case LOOP_DIFFERING:
        return sum + (a != b);
    case LOOP_ABSOLUTE:
        return sum + x;
    case LOOP_LARGEST:
        return x <= sum ? sum : x;
    default: /* LOOP_POWERS */
        return sum + whole_power(x, power);
    }
}

#define SIMD_FILE "core/linalg/vector_loops_simd.h"
#include "core/base/cpu_dispatch.h"

void loop_rows(Loop loop, uint32_t power, const double *q, const double *rows, uint32_t rows_count,
               uint32_t count, size_t stride, double *out)
{
    SIMD_CALL(rows, loop, power, q, rows, rows_count, count, stride, out);
}

void loop_panels(Loop loop, uint32_t power, const double *q, const double *panels,
                 uint32_t panel_count, uint32_t count, size_t stride, double *out)
{
    SIMD_CALL(panels, loop, power, q, panels, panel_count, count, stride, out);
}

double loop_pair(Loop loop, uint32_t power, const double *a, const double *b, uint32_t count)
{
    double result = 0; /* compilers assume that an enum may hold values that it does not name */

    if (loop == LOOP_SQUARES && count <= 4) { /* in the order of loop_join, where the other parts are 0 */
        double x[4] = {0};

        for (uint32_t j = 0; j < count; j++)
            x[j] = (a[j] - b[j]) * (a[j] - b[j]);
        return (x[0] + x[1]) + (x[2] + x[3]);
    }
    SIMD_CALL(rows, loop, power, a, b, 1, count, 0, &result);
    return result;
}

double loop_box(bool squares, const double *q, const double *low, const double *high, uint32_t count)
{
    return squares ? SIMD_CALL(box, true, q, low, high, count) : SIMD_CALL(box, false, q, low, high, count);
}

/* Computes with halves, because the difference itself may overflow. */
double loop_norm_scaled(const double *a, const double *b, uint32_t count)
{
    double largest = 0, least = 0, sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        double half = fabs(a[i] / 2 - (b != NULL ? b[i] / 2 : 0));

        largest = half <= largest ? largest : half;
    }
    for (uint32_t i = 0; largest == 0 && i < count; i++) /* halves of the smallest numbers are 0 */
        least = fmax(least, fabs(a[i] - (b != NULL ? b[i] : 0)));
    if (!(largest > 0) || isinf(largest)) /* also NaN */
        return largest == 0 ? least : largest;
    for (uint32_t i = 0; i < count; i++) {
        double part = (a[i] / 2 - (b != NULL ? b[i] / 2 : 0)) / largest;

        sum += part * part;
    }
    return largest * sqrt(sum) * 2;
}

double loop_norm(const double *a, const double *b, uint32_t count)
{
    return loop_norm_of(loop_pair(LOOP_SQUARES, 0, a, b, count), a, b, count);
}
