/*
 * score_histogram.c - histograms of the scores of each class over the same bins.
 */
#include "core/metrics/ranking_metrics.h"

#include "core/estimator/class_options.h"

#include <math.h>

static const OptionSpec own_options[] = {
    {.name = "bins",
     .types = OPTION_INTEGER,
     .fallback = "10",
     .minimum = 1,
     .maximum = 100000,
     .help = "Number of bins, all of the same width."},
    {.name = "high",
     .types = OPTION_NUMBER,
     .unset = "the greatest score",
     .help = "Where the bins end; scores above are counted in a bin of their own."},
    {.name = "low",
     .types = OPTION_NUMBER,
     .unset = "the least score",
     .help = "Where the bins begin; scores below are counted in a bin of their own."},
    {.name = NULL}};

const OptionSpec *const score_histogram_options[] = {options_common, own_options, NULL};
const Estimator score_histogram_rows = {.name = "score_histogram",
                                        .task = TASK_CLASSIFICATION,
                                        .input = INPUT_ROWS,
                                        .supervised = true,
                                        .options = score_histogram_options};

/* Bins of the same width. */
typedef struct Bins {
    double low, high;
    uint32_t count;
} Bins;

/* Returns where bin i begins, counted from 0; halves keep the width of the range finite. */
static double edge(const Bins *bins, uint32_t i)
{
    double share = (double)i / bins->count;

    return i == 0 ? bins->low : i == bins->count ? bins->high : bins->low * (1 - share) + bins->high * share;
}

/* Returns the bin of a score from 1, 0 below the range and the number of bins + 1 above; the last bin has its upper end. */
static uint32_t bin_of(const Bins *bins, double score)
{
    double place = (score / 2 - bins->low / 2) / (bins->high / 2 - bins->low / 2) * bins->count;
    uint32_t bin;

    if (score < bins->low || score > bins->high)
        return score < bins->low ? 0 : bins->count + 1;
    bin = place < 0 ? 0 : place >= bins->count ? bins->count - 1 : (uint32_t)place;
    /* the edges that are returned decide, not the rounding of the quotient */
    while (bin > 0 && score < edge(bins, bin))
        bin--;
    while (bin + 1 < bins->count && score >= edge(bins, bin + 1))
        bin++;
    return bin + 1;
}

/* Returns the bins that the options ask for, over the range of the scores where they leave it open. */
static Bins read_bins(Env *env, Rows *rows, const Options *options)
{
    Bins bins = {INFINITY, -INFINITY, (uint32_t)options_integer(options, "bins")};
    bool low = options_given(options, "low"), high = options_given(options, "high");
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (!(low && high) && rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            bins.low = fmin(bins.low, block.slots[i]);
            bins.high = fmax(bins.high, block.slots[i]);
        }
    rows_reader_free(reader);
    if (low)
        bins.low = options_number(options, "low");
    if (high)
        bins.high = options_number(options, "high");
    if (!low && !high && bins.low == bins.high) { /* all scores are equal */
        double reach = fmax(0.5, fabs(bins.low) * 1e-6);

        bins.low = fmax(bins.low - reach, -1.7e308);
        bins.high = fmin(bins.high + reach, 1.7e308);
    }
    if (!(bins.low < bins.high))
        env_fail(env, ERROR_PARAMETER, "Set \"low\" below \"high\"; an end that is not set is that of the scores.",
                 "the bins of score_histogram go from %g to %g", bins.low, bins.high);
    return bins;
}

ScoreBin *score_histogram(Env *env, Rows *rows, const Options *options, uint64_t *count)
{
    ClassSet classes = class_set(env, rows_schema(rows));
    Bins bins = read_bins(env, rows, options);
    size_t each = (size_t)bins.count + 2, kept = 0;
    RowsReader *reader;
    RowsBlock block;
    double *totals = env_array(env, (size_t)classes.count + 1, sizeof(double));
    uint64_t below = 0, above = 0;
    ScoreBin *cells, *out;

    env_require_memory(env, 2 * each * classes.count * sizeof(ScoreBin), "the bins of score_histogram");
    cells = env_array(env, each * classes.count + 1, sizeof(ScoreBin));
    reader = rows_reader(env, rows);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t class = (uint32_t)block.targets[i], bin = bin_of(&bins, block.slots[i]);
            double weight = row_weight(block.weights, i);

            cells[class * each + bin].rows++;
            cells[class * each + bin].weight += weight;
            totals[class] += weight;
            below += bin == 0;
            above += bin == bins.count + 1;
        }
    rows_reader_free(reader);
    out = env_array(env, each * classes.count + 1, sizeof(ScoreBin));
    for (uint32_t c = 0; c < classes.count; c++) {
        uint32_t class = classes.order[c];

        for (uint32_t bin = below > 0 ? 0 : 1; bin < bins.count + 1 + (above > 0); bin++) {
            ScoreBin cell = cells[class * each + bin];

            cell.class = class;
            cell.bin = bin;
            cell.low = bin == 0 ? -INFINITY : edge(&bins, bin - 1);
            cell.high = bin == bins.count + 1 ? INFINITY : edge(&bins, bin);
            cell.share = totals[class] > 0 ? cell.weight / totals[class] : 0;
            out[kept++] = cell;
        }
    }
    *count = kept;
    return out;
}
