/*
 * metric_distance.c - distances between rows of coordinates, in the forms of metric.h.
 */
#include "core/distance/metric_internal.h"
#include "core/linalg/vector_loops.h"
#include "core/linalg/gemm.h"

#include <float.h>
#include <math.h>
#include <string.h>

/*
 * ---- quotients of sums: Canberra (Lance & Williams 1967), Bray & Curtis (1957), Jaccard (1901) ----
 *
 * Such a distance does not change if all numbers are multiplied by the same. A quotient 0/0 is 0: two rows without anything are equal. A sum of
 * Canberra or Bray & Curtis consists of eight partial sums, as those of vector_loops.h, so that panels give the bits of single rows.
 */

static inline bool is_quotient(const Metric *metric)
{
    return metric->form == FORM_RATIOS || metric->form == FORM_SHARES || metric->form == FORM_SETS;
}

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
static uint32_t count_differing(const Metric *metric, const double *a, const double *b, size_t step)
{
    uint32_t differing = 0, first = metric->numbers;

    for (uint32_t j = 0; j < metric->symbols; j++)
        differing += a[first + j] != b[(first + j) * step];
    return differing;
}

/* step: between coordinates of b; 1 in rows, METRIC_PANEL in panels. */
static double sum_ratios(const Metric *metric, const double *a, const double *b, size_t step)
{
    double part[8] = {0};

    for (uint32_t j = 0; j < metric->numbers; j++)
        part[j % 8] += ratio_of(a[j], b[j * step]);
    return loop_join(part) + count_differing(metric, a, b, step);
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

static void quotient_panels(const Metric *metric, const double *q, const double *panels, uint32_t panel_count, double *out)
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

static double quotient_box(const Metric *metric, const double *q, const double *low, const double *high)
{
    return metric->form == FORM_RATIOS ? box_ratios(metric, q, low, high) : box_sets(metric, q, low, high);
}

/* ---- pairs ---- */

double metric_power(const Metric *metric, double x)
{
    return metric->power == 0 ? pow(x, metric->p) : whole_power(x, metric->power);
}

static Loop loop_of(const Metric *metric)
{
    switch (metric->form) {
    case FORM_SQUARES:
        return LOOP_SQUARES;
    case FORM_ABSOLUTE:
        return LOOP_ABSOLUTE;
    case FORM_LARGEST:
        return LOOP_LARGEST;
    case FORM_POWERS:
        return LOOP_POWERS;
    case FORM_DIFFERING:
        return LOOP_DIFFERING;
    case FORM_KERNEL:
        return LOOP_PRODUCTS;
    default: /* quotients have loops of their own */
        break;
    }
    return LOOP_SQUARES;
}

/* Returns the sum of powers by pow(), for orders that are not multiplied out; sums as the loops do. step: between coordinates of b. */
static double sum_of_powers(const Metric *metric, const double *a, const double *b, size_t step)
{
    double part[8] = {0};

    for (uint32_t j = 0; j < metric->numbers; j++)
        part[j % 8] += pow(fabs(a[j] - b[j * step]), metric->p);
    return loop_join(part);
}

/* Returns the reduced distance: the sum over the numbers, and what symbols add to it. */
static double with_symbols(const Metric *metric, double sum, uint32_t differing)
{
    if (differing == 0)
        return sum;
    if (metric->form == FORM_LARGEST)
        return sum >= metric->unit ? sum : metric->unit;
    return sum + differing * metric->unit;
}

static double kernel_reduced(const Metric *metric, double self_a, double self_b, double product)
{
    double squared = (self_a + self_b) - 2 * kernel_of_product(&metric->kernel, product);

    return squared < 0 ? 0 : squared;
}

double metric_reduced(const Metric *metric, const double *a, const double *b)
{
    uint32_t n = metric->numbers;
    double sum;

    if (metric->form == FORM_OBJECTS) {
        metric->objects->distances(metric->objects, *a, b, 1, &sum);
        return sum;
    }
    if (metric->form == FORM_KERNEL)
        return kernel_reduced(metric, a[n], b[n], loop_pair(LOOP_PRODUCTS, 0, a, b, n));
    if (is_quotient(metric))
        return quotient_at(metric, a, b, 1);
    if (metric->form == FORM_POWERS && metric->power == 0)
        sum = sum_of_powers(metric, a, b, 1);
    else
        sum = loop_pair(loop_of(metric), metric->power, a, b, n);
    return metric->symbols == 0 ? sum : with_symbols(metric, sum, count_differing(metric, a, b, 1));
}

double metric_root(const Metric *metric, double reduced)
{
    switch (metric->form) {
    case FORM_SQUARES:
    case FORM_KERNEL:
        return sqrt(reduced);
    case FORM_POWERS:
        return pow(reduced, 1 / metric->p);
    case FORM_SETS: /* of dice: the distance of Jaccard, which keeps the triangle inequality */
        return metric->kind == METRIC_DICE ? 2 * reduced / (1 + reduced) : reduced;
    default:
        return reduced;
    }
}

double metric_of_reduced(const Metric *metric, double reduced)
{
    switch (metric->kind) {
    case METRIC_SQUARED_EUCLIDEAN:
        return reduced / metric->scale / metric->scale;
    case METRIC_COSINE:
    case METRIC_CORRELATION:
        return reduced / 2;
    case METRIC_ANGULAR:
        return 2 * atan2(sqrt(reduced), sqrt(reduced < 4 ? 4 - reduced : 0));
    case METRIC_HAVERSINE:
        return 2 * atan2(sqrt(reduced), sqrt(reduced < 4 ? 4 - reduced : 0)) * metric->radius;
    case METRIC_HAMMING:
    case METRIC_CANBERRA:
    case METRIC_BRAY_CURTIS:
    case METRIC_JACCARD:
    case METRIC_DICE:
        return reduced;
    case METRIC_GOWER:
        return reduced / metric->width;
    case METRIC_KERNEL:
        if (metric->kernel.kind == KERNEL_RBF)
            return sqrt(-2 * expm1(-metric->kernel.gamma * reduced));
        return sqrt(reduced);
    default:
        return metric_root(metric, reduced) / metric->scale;
    }
}

void metric_of_reduced_all(const Metric *metric, double *reduced, size_t count)
{
    if (metric->kind == METRIC_EUCLIDEAN) {
        for (size_t i = 0; i < count; i++)
            reduced[i] = sqrt(reduced[i]);
        for (size_t i = 0; metric->scale != 1 && i < count; i++)
            reduced[i] /= metric->scale;
        return;
    }
    if (metric->kind == METRIC_GIVEN && metric->scale == 1)
        return; /* they are what they are */
    for (size_t i = 0; i < count; i++)
        reduced[i] = metric_of_reduced(metric, reduced[i]);
}

double metric_to_reduced(const Metric *metric, double distance)
{
    double half;

    if (!(distance >= 0))
        return distance;
    switch (metric->kind) {
    case METRIC_SQUARED_EUCLIDEAN:
        return distance * metric->scale * metric->scale;
    case METRIC_COSINE:
    case METRIC_CORRELATION:
        return distance * 2;
    case METRIC_HAVERSINE:
        distance /= metric->radius;
        /* FALLTHROUGH */
    case METRIC_ANGULAR:
        half = distance <= M_PI ? 2 * sin(distance / 2) : distance;
        return half * half;
    case METRIC_HAMMING:
    case METRIC_CANBERRA:
    case METRIC_BRAY_CURTIS:
    case METRIC_JACCARD:
    case METRIC_DICE:
        return distance;
    case METRIC_GOWER:
        return distance * metric->width;
    case METRIC_KERNEL:
        if (metric->kernel.kind == KERNEL_RBF)
            return distance * distance < 2 ? -log1p(-distance * distance / 2) / metric->kernel.gamma
                                           : INFINITY;
        return distance * distance;
    default:
        distance *= metric->scale;
        return metric->form == FORM_SQUARES  ? distance * distance
               : metric->form == FORM_POWERS ? metric_power(metric, distance)
                                             : distance;
    }
}

/* Returns the root of squares or powers with coordinates divided by the largest difference, halved since it may overflow. */
static double careful_root(const Metric *metric, const double *a, const double *b)
{
    uint32_t differing = count_differing(metric, a, b, 1);
    double largest = differing > 0 ? metric->scale / 2 : 0, sum = 0;

    for (uint32_t j = 0; j < metric->numbers; j++)
        largest = fmax(largest, fabs(a[j] / 2 - b[j] / 2));
    if (largest == 0) /* equal, or the last bit of the smallest numbers */
        return metric->form == FORM_LARGEST || metric->numbers == 0
                   ? metric_reduced(metric, a, b)
                   : loop_pair(LOOP_LARGEST, 0, a, b, metric->numbers);
    for (uint32_t j = 0; j < metric->numbers; j++) {
        double part = fabs(a[j] / 2 - b[j] / 2) / largest;

        sum += metric->form == FORM_SQUARES ? part * part : metric_power(metric, part);
    }
    if (differing > 0) {
        double part = metric->scale / 2 / largest;

        sum +=
            differing * (metric->form == FORM_SQUARES ? part * part : metric_power(metric, part));
    }
    return largest * (metric->form == FORM_SQUARES ? sqrt(sum) : pow(sum, 1 / metric->p)) * 2;
}

double metric_distance(const Metric *metric, const double *a, const double *b)
{
    double reduced = metric_reduced(metric, a, b);
    bool powers = metric->form == FORM_SQUARES || metric->form == FORM_POWERS;
    double root;

    if (!powers || squares_sound(reduced) || isnan(reduced) || metric->directions || metric->kind == METRIC_KERNEL)
        return metric_of_reduced(metric, reduced);
    root = careful_root(metric, a, b) / metric->scale;
    return metric->kind == METRIC_SQUARED_EUCLIDEAN ? root * root : root;
}

/* ---- boxes ---- */

/* Returns the sum, or the largest gap, for the other forms. */
static double box_other(const Metric *metric, const double *q, const double *low,
                        const double *high)
{
    double part[8] = {0};

    for (uint32_t j = 0; j < metric->numbers; j++) {
        double gap = loop_gap(q[j], low[j], high[j]);

        if (metric->form == FORM_LARGEST)
            part[0] = gap > part[0] ? gap : part[0];
        else if (metric->form == FORM_DIFFERING)
            part[j % 8] += gap > 0;
        else
            part[j % 8] += gap > 0 ? metric_power(metric, gap) : 0;
    }
    return metric->form == FORM_LARGEST ? part[0] : loop_join(part);
}

/* Returns the reduced distance to the nearest point of the box, summed in the order of the loops. */
double metric_reduced_box(const Metric *metric, const double *q, const double *low,
                          const double *high)
{
    uint32_t n = metric->numbers, outside = 0;
    double sum;

    if (!metric->box)
        return 0;
    if (is_quotient(metric))
        return quotient_box(metric, q, low, high);
    if (metric->form == FORM_SQUARES || metric->form == FORM_ABSOLUTE)
        sum = loop_box(metric->form == FORM_SQUARES, q, low, high, n);
    else
        sum = box_other(metric, q, low, high);
    for (uint32_t j = n; j < n + metric->symbols; j++)
        outside += q[j] < low[j] || q[j] > high[j];
    return with_symbols(metric, sum, outside);
}

/* ---- one against many ---- */

void metric_reduced_rows(const Metric *metric, const double *q, const double *rows, uint32_t count,
                         double *out)
{
    if (metric->form == FORM_OBJECTS) {
        metric->objects->distances(metric->objects, *q, rows, count, out);
        return;
    }
    if ((metric->form == FORM_POWERS && metric->power == 0) || metric->form == FORM_KERNEL ||
        is_quotient(metric)) {
        for (uint32_t i = 0; i < count; i++)
            out[i] = metric_reduced(metric, q, rows + (size_t)i * metric->width);
        return;
    }
    loop_rows(loop_of(metric), metric->power, q, rows, count, metric->numbers, metric->width, out);
    for (uint32_t i = 0; metric->symbols > 0 && i < count; i++)
        out[i] = with_symbols(metric, out[i],
                              count_differing(metric, q, rows + (size_t)i * metric->width, 1));
}

void metric_fill_panels(const Metric *metric, const double *rows, uint32_t count, double *panels)
{
    size_t panel_count = metric_panel_count(count);

    for (size_t i = 0; i < panel_count * METRIC_PANEL; i++) {
        const double *row = rows + (i < count ? i : count - 1) * metric->width;
        double *to = panels + i / METRIC_PANEL * METRIC_PANEL * metric->width + i % METRIC_PANEL;

        for (uint32_t j = 0; j < metric->width; j++)
            to[(size_t)j * METRIC_PANEL] = row[j];
    }
}

void metric_reduced_panels(const Metric *metric, const double *q, const double *panels,
                           uint32_t panel_count, double *out)
{
    size_t stride = (size_t)metric->width * METRIC_PANEL;
    uint32_t n = metric->numbers;

    if (is_quotient(metric)) {
        quotient_panels(metric, q, panels, panel_count, out);
        return;
    }
    if (metric->form == FORM_OBJECTS) { /* of width 1: panels are the objects in order */
        metric->objects->distances(metric->objects, *q, panels, panel_count * METRIC_PANEL, out);
        return;
    }
    if (metric->form == FORM_POWERS && metric->power == 0)
        for (size_t i = 0; i < (size_t)panel_count * METRIC_PANEL; i++)
            out[i] = sum_of_powers(metric, q, panels + i / METRIC_PANEL * stride + i % METRIC_PANEL,
                                   METRIC_PANEL);
    else
        loop_panels(loop_of(metric), metric->power, q, panels, panel_count, n, metric->width, out);
    if (metric->form != FORM_KERNEL && metric->symbols == 0)
        return;
    for (size_t i = 0; i < (size_t)panel_count * METRIC_PANEL; i++) {
        const double *row = panels + i / METRIC_PANEL * stride + i % METRIC_PANEL;

        if (metric->form == FORM_KERNEL)
            out[i] = kernel_reduced(metric, q[n], row[(size_t)n * METRIC_PANEL], out[i]);
        else
            out[i] = with_symbols(metric, out[i], count_differing(metric, q, row, METRIC_PANEL));
    }
}

/* ---- many against many ---- */

/* Adds the symbols, or turns products into reduced distances of a kernel. */
static void finish_matrix(const Metric *metric, const double *a, uint32_t count_a, const double *b,
                          uint32_t count_b, double *out)
{
    uint32_t n = metric->numbers;

    for (uint32_t i = 0; i < count_a; i++) {
        const double *row = a + (size_t)i * metric->width;
        double *to = out + (size_t)i * count_b;

        for (uint32_t j = 0; j < count_b; j++) {
            const double *other = b + (size_t)j * metric->width;

            if (metric->form != FORM_KERNEL) {
                to[j] = with_symbols(metric, to[j], count_differing(metric, row, other, 1));
                continue;
            }
            to[j] = kernel_reduced(metric, row[n], other[n], to[j]);
            if (!(to[j] > 1e-3 * (row[n] + other[n]))) /* digits cancel */
                to[j] = metric_reduced(metric, row, other);
        }
    }
}

#define PANELS_AT_ONCE 32 /* of rows b, compared with all rows a while they are in the cache */

/* Computes the matrix panel by panel, with the bits of single distances. */
static void matrix_by_panels(Env *env, const Metric *metric, const double *a, uint32_t count_a,
                             const double *b, uint32_t count_b, double *out)
{
    uint32_t step = PANELS_AT_ONCE * METRIC_PANEL;
    double *panels = env_array_raw(env, step, (size_t)metric->width * sizeof(double) + 1);
    double reduced[PANELS_AT_ONCE * METRIC_PANEL], work = 0;

    for (uint32_t first = 0; first < count_b; first += step) {
        uint32_t count = count_b - first < step ? count_b - first : step;

        metric_fill_panels(metric, b + (size_t)first * metric->width, count, panels);
        for (uint32_t i = 0; i < count_a; i++) {
            metric_reduced_panels(metric, a + (size_t)i * metric->width, panels,
                                  (uint32_t)metric_panel_count(count), reduced);
            memcpy(out + (size_t)i * count_b + first, reduced, count * sizeof(double));
            work += (double)count * metric->width *
                    (metric->power == 0 && metric->form == FORM_POWERS ? 20 : 1);
            if (work > 4e6) {
                env->poll(env);
                work = 0;
            }
        }
    }
    env->release(env, panels);
}

void metric_reduced_matrix(Env *env, const Metric *metric, const double *a, uint32_t count_a,
                           const double *b, uint32_t count_b, double *out)
{
    if (metric->form == FORM_OBJECTS) {
        for (uint32_t i = 0; i < count_a; i++)
            metric->objects->distances(metric->objects, a[i], b, count_b, out + (size_t)i * count_b);
        return;
    }
    if (!metric->product) {
        matrix_by_panels(env, metric, a, count_a, b, count_b, out);
        return;
    }
    product_distances(env, metric->form == FORM_SQUARES, a, count_a, b, count_b, metric->numbers,
                      metric->width, out);
    if (metric->form == FORM_KERNEL || metric->symbols > 0)
        finish_matrix(metric, a, count_a, b, count_b, out);
}
