/*
 * metric_ratios.c - distances that are quotients of sums: Canberra (Lance & Williams 1967), Bray & Curtis (1957), Jaccard (1901).
 *
 * A quotient 0/0 is 0: two rows without anything are equal. A sum of Canberra or Bray & Curtis consists of eight partial sums, as
 * those of vector_loops.h, so that panels give the bits of single rows.
 */
#include "core/distance/metric_internal.h"
#include "core/linalg/vector_loops.h"

#include <float.h>
#include <math.h>

/* Returns |a - b| / (|a| + |b|), 0 to 1. */
static inline double ratio_of(double a, double b)
{
    double sum = fabs(a) + fabs(b);

    return sum > 0 ? (sum <= DBL_MAX ? fabs(a - b) / sum : fabs(a / 2 - b / 2) / (fabs(a) / 2 + fabs(b) / 2)) : 0;
}

static inline double share_of_sums(double differences, double sums)
{
    return differences > 0 ? differences / sums : 0;
}

/* Counts the symbols that differ. step: between coordinates of b. */
static uint32_t symbols_differing(const Metric *metric, const double *a, const double *b, size_t step)
{
    uint32_t differing = 0;

    for (uint32_t j = metric->numbers; j < metric->width; j++)
        differing += a[j] != b[j * step];
    return differing;
}

/* step: between coordinates of b; 1 in rows, METRIC_PANEL in panels. */
static double sum_ratios(const Metric *metric, const double *a, const double *b, size_t step)
{
    double part[8] = {0};

    for (uint32_t j = 0; j < metric->numbers; j++)
        part[j % 8] += ratio_of(a[j], b[j * step]);
    return loop_join(part) + symbols_differing(metric, a, b, step);
}

static double share_of_differences(const Metric *metric, const double *a, const double *b, size_t step)
{
    double differences[8] = {0}, sums[8] = {0};

    for (uint32_t j = 0; j < metric->numbers; j++) {
        differences[j % 8] += fabs(a[j] - b[j * step]);
        sums[j % 8] += fabs(a[j] + b[j * step]);
    }
    if (!(loop_join(sums) <= DBL_MAX && loop_join(differences) <= DBL_MAX)) /* the quotient is the same of smaller numbers */
        for (uint32_t j = 0; j < metric->numbers; j++) {
            double share = 0x1p-40;

            differences[j % 8] = (j < 8 ? 0 : differences[j % 8]) + fabs(a[j] * share - b[j * step] * share);
            sums[j % 8] = (j < 8 ? 0 : sums[j % 8]) + fabs(a[j] * share + b[j * step] * share);
        }
    return share_of_sums(loop_join(differences), loop_join(sums));
}

/* Returns the share of elements that differ: of those in either set, or for dice of the sum of both sizes. */
static double share_of_elements(const Metric *metric, const double *a, const double *b, size_t step)
{
    double differing = 0, both = 0;

    for (uint32_t j = 0; j < metric->numbers; j++) {
        bool in_a = a[j] != 0, in_b = b[j * step] != 0;

        differing += in_a != in_b;
        both += in_a && in_b;
    }
    return share_of_sums(differing, differing + (metric->kind == METRIC_DICE ? 2 : 1) * both);
}

static double quotient_at(const Metric *metric, const double *a, const double *b, size_t step)
{
    double first = metric->numbers > 0 ? a[0] : 0, second = metric->numbers > 0 ? b[0] : 0;

    if (isnan(first) || isnan(second)) /* a row without distances (metric_place) */
        return NAN;
    return metric->form == FORM_RATIOS   ? sum_ratios(metric, a, b, step)
           : metric->form == FORM_SHARES ? share_of_differences(metric, a, b, step)
                                         : share_of_elements(metric, a, b, step);
}

double quotient_reduced(const Metric *metric, const double *a, const double *b)
{
    return quotient_at(metric, a, b, 1);
}

void quotient_panels(const Metric *metric, const double *q, const double *panels, uint32_t panel_count, double *out)
{
    size_t stride = (size_t)metric->width * METRIC_PANEL;

    for (size_t i = 0; i < (size_t)panel_count * METRIC_PANEL; i++)
        out[i] = quotient_at(metric, q, panels + i / METRIC_PANEL * stride + i % METRIC_PANEL, METRIC_PANEL);
}

/*
 * Returns the sum of the ratios to the nearest numbers in a box, which are the least ones: |q - x| / (|q| + |x|) grows with the
 * distance of x from q. A computed ratio is off by less than four roundings.
 */
static double box_ratios(const Metric *metric, const double *q, const double *low, const double *high)
{
    double part[8] = {0};
    uint32_t outside = 0;

    for (uint32_t j = 0; j < metric->numbers; j++) {
        double nearest = q[j] < low[j] ? low[j] : q[j] > high[j] ? high[j] : q[j];

        part[j % 8] += ratio_of(q[j], nearest) * (1 - 8 * DBL_EPSILON);
    }
    for (uint32_t j = metric->numbers; j < metric->width; j++)
        outside += q[j] < low[j] || q[j] > high[j];
    return loop_join(part) + outside;
}

/*
 * Returns the share of elements by which all sets in the box differ from q, where all others that a set in it may have are in q
 * as well.
 */
static double box_sets(const Metric *metric, const double *q, const double *low, const double *high)
{
    double differing = 0, both = 0;

    for (uint32_t j = 0; j < metric->numbers; j++) {
        bool in_q = q[j] != 0, in_all = low[j] > 0 || high[j] < 0, in_none = low[j] == 0 && high[j] == 0;

        differing += in_q ? in_none : in_all;
        both += in_q && !in_none;
    }
    return share_of_sums(differing, differing + (metric->kind == METRIC_DICE ? 2 : 1) * both);
}

double quotient_box(const Metric *metric, const double *q, const double *low, const double *high)
{
    return metric->form == FORM_RATIOS ? box_ratios(metric, q, low, high) : box_sets(metric, q, low, high);
}
