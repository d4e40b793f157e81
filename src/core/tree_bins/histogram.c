/*
 * histogram.c - adds rows to histograms.
 *
 * Rows are read in the order of the node's list, which ascends, with the bytes and gradients of the rows to come requested
 * ahead. The loop over the features of a group is unrolled by their number.
 */
#include "core/tree_bins/histogram.h"

#include <math.h>

#define POLL_ROWS 65536u
#define AHEAD 24u /* rows between a request and its use */

typedef int64_t Pair __attribute__((vector_size(16), may_alias));

HistogramScale histogram_scale(uint64_t rows, double gradient, double hessian, double hessians)
{
    HistogramScale scale = {.gradient = 1, .hessian = 1};
    int exponent = 0, sum_exponent = 0;

    while (rows >> scale.count_bits > 0)
        scale.count_bits++;
    if (gradient > 0) {
        frexp(gradient, &exponent); /* gradient < 2^exponent */
        scale.gradient = ldexp(1, exponent - 30);
    }
    if (hessian > 0) {
        /* the sum of the rounded hessians exceeds theirs by at most half a unit per row */
        frexp(hessian, &exponent);
        frexp(hessians, &sum_exponent);
        sum_exponent += (int)scale.count_bits - 61;
        exponent -= 31;
        scale.hessian = ldexp(1, exponent > sum_exponent ? exponent : sum_exponent);
    }
    return scale;
}

/* Adds the rows of a run for one group of `width` features. order: of these rows; NULL: rows from `first` on. */
static inline __attribute__((always_inline)) void add_group(const BinGroup *group, uint32_t width, BinRun run,
                                                            const BinnedFeature *features, const HistogramRow *rows,
                                                            const uint32_t *sizes, const uint32_t *order, uint32_t first,
                                                            unsigned count_bits, HistogramSum *sums)
{
    Pair *base[BIN_GROUP];

    for (uint32_t f = 0; f < width; f++)
        base[f] = (Pair *)(sums + features[group->first + f].first);
    for (uint32_t i = 0; i < run.count; i++) {
        uint32_t row = order != NULL ? order[i] : first + i;
        const uint8_t *cells = run.cells + (size_t)(row - run.first) * width;
        Pair sum = {rows[row].gradient, (int64_t)rows[row].hessian << count_bits | (sizes != NULL ? sizes[row] : 1)};

        if (order != NULL) {
            uint32_t ahead = order[i + AHEAD < run.count ? i + AHEAD : i];

            __builtin_prefetch(run.cells + (size_t)(ahead - run.first) * width);
            __builtin_prefetch(&rows[ahead]);
        }
        for (uint32_t f = 0; f < width; f++)
            base[f][cells[f]] += sum;
    }
}

static void add_rows(const BinnedColumns *binned, const BinGroup *group, BinRun run, const HistogramRow *rows,
                     const uint32_t *sizes, const uint32_t *order, uint32_t first, unsigned count_bits, HistogramSum *sums)
{
    switch (group->count) {
#define WIDTH(w)                                                                                                        \
    case w:                                                                                                             \
        if (sizes != NULL)                                                                                              \
            add_group(group, w, run, binned->feature, rows, sizes, order, first, count_bits, sums);                     \
        else if (order != NULL)                                                                                         \
            add_group(group, w, run, binned->feature, rows, NULL, order, 0, count_bits, sums);                          \
        else                                                                                                            \
            add_group(group, w, run, binned->feature, rows, NULL, NULL, first, count_bits, sums);                       \
        break;
        WIDTH(1)
        WIDTH(2)
        WIDTH(3)
        WIDTH(4)
        WIDTH(5)
        WIDTH(6)
        WIDTH(7)
        WIDTH(8)
        WIDTH(9)
        WIDTH(10)
        WIDTH(11)
        WIDTH(12)
#undef WIDTH
    }
}
_Static_assert(BIN_GROUP == 12, "add_rows has a case per width");

void histogram_add(const BinnedColumns *binned, const HistogramRow *rows, const uint32_t *sizes, const uint32_t *order,
                   uint32_t count, unsigned count_bits, HistogramSum *sums)
{
    for (uint32_t start = 0; start < count; start += POLL_ROWS) {
        uint32_t end = count - start < POLL_ROWS ? count : start + POLL_ROWS;
        BinRun run;

        binned->env->poll(binned->env);
        for (uint32_t g = 0; g < binned->group_count; g++)
            for (uint32_t at = start; at < end; at += run.count) {
                run = binned_run(binned, &binned->groups[g], order, at, end);
                add_rows(binned, &binned->groups[g], run, rows, sizes, order != NULL ? order + at : NULL, at,
                         count_bits, sums);
            }
    }
}

void histogram_subtract(HistogramSum *parent, const HistogramSum *child, uint32_t bins)
{
    for (uint32_t b = 0; b < bins; b++) {
        parent[b].gradient -= child[b].gradient;
        parent[b].packed -= child[b].packed;
    }
}

void histogram_add_few(const uint8_t *codes, const HistogramSum *rows, uint32_t count, HistogramSum *sums, uint64_t used[4])
{
    Pair *bins = (Pair *)sums;
    const Pair *pairs = (const Pair *)rows;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = codes[i];

        bins[code] += pairs[i];
        used[code >> 6] |= (uint64_t)1 << (code & 63);
    }
}
