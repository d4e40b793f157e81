/*
 * feature_drift.c - see feature_drift.h.
 */
#include "core/drift/feature_drift.h"

#include <math.h>
#include <string.h>

void drift_require_same(const RowSummary *then, const RowSummary *now)
{
    if (then->count != now->count)
        env_fail(then->env, ERROR_DATA, NULL, "the training summary has %u feature%s, the rows have %u", then->count, then->count == 1 ? "" : "s", now->count);
    if (then->rows == 0)
        env_fail(then->env, ERROR_DATA, "Make the summary from the rows that the model was fitted to.", "the training summary has no rows");
    if (now->rows == 0)
        env_fail(then->env, ERROR_DATA, "Check the source, or its condition.", "there are no rows to compare with training");
    for (uint32_t i = 0; i < then->count; i++) {
        const FeatureSummary *a = &then->features[i], *b = &now->features[i];

        if (strcmp(a->name, b->name) != 0)
            env_fail(then->env, ERROR_DATA, "Pass the columns of training in their order.", "feature %u is \"%s\", in training it was \"%s\"", i + 1,
                     b->name, a->name);
        if (a->levels != b->levels)
            env_fail(then->env, ERROR_DATA, b->levels ? "Cast it to a number in the source." : "Cast it to text in the source.",
                     "feature \"%s\" is %s, in training it was %s", a->name, b->levels ? "text" : "a number", a->levels ? "text" : "a number");
    }
}

/* Returns the term of one bin. */
static double index_term(double then, double now)
{
    then = fmax(then, DRIFT_SHARE);
    now = fmax(now, DRIFT_SHARE);
    return (now - then) * log(now / then);
}

/* Adds the term of a bin, and begins the next one. */
static void close_bin(FeatureDrift *drift, double *then, double *now)
{
    drift->psi += index_term(*then, *now);
    *then = *now = 0;
}

/*
 * One walk over the buckets of both summaries in ascending order. A value that is a tenth of training or more has a bin of its own: between deciles alone
 * a flag that is 1 in 95 % of the rows would have a single bin, and so would a constant.
 */
static void compare_numbers(FeatureDrift *drift, FeatureSummary *then, FeatureSummary *now)
{
    double n = (double)then->count, m = (double)now->count, bin_then = 0, bin_now = 0;
    uint64_t below_then = 0, below_now = 0;
    uint32_t a = 0, b = 0;
    double next_cut = 1;

    summary_widen(then, now->shift);
    summary_widen(now, then->shift);
    drift->psi = drift->ks = drift->ks_error = 0;
    while (a < then->used || b < now->used) {
        bool in_then = a < then->used && (b == now->used || then->keys[a] <= now->keys[b]);
        bool in_now = b < now->used && (a == then->used || now->keys[b] <= then->keys[a]);
        double share_then = in_then ? (double)then->counts[a] / n : 0, share_now = in_now ? (double)now->counts[b] / m : 0;
        bool heavy = in_then && (double)then->counts[a] * DRIFT_BINS >= n;

        if (heavy)
            close_bin(drift, &bin_then, &bin_now);
        below_then += in_then ? then->counts[a++] : 0;
        below_now += in_now ? now->counts[b++] : 0;
        bin_then += share_then;
        bin_now += share_now;
        drift->ks = fmax(drift->ks, fabs((double)below_then / n - (double)below_now / m));
        if (then->shift > 0)
            drift->ks_error = fmax(drift->ks_error, fmax(share_then, share_now));
        if (heavy || (in_then && (double)below_then * DRIFT_BINS >= next_cut * n && below_then < then->count)) {
            close_bin(drift, &bin_then, &bin_now);
            while ((double)below_then * DRIFT_BINS >= next_cut * n)
                next_cut++;
        }
    }
    close_bin(drift, &bin_then, &bin_now);
}

/* Keeps the most frequent unseen levels, of equal ones the first. */
static void keep_example(FeatureDrift *drift, const SummaryLevel *level)
{
    uint32_t place = drift->example_count;

    while (place > 0 && drift->examples[place - 1]->count < level->count)
        place--;
    if (place == DRIFT_EXAMPLES)
        return;
    if (drift->example_count < DRIFT_EXAMPLES)
        drift->example_count++;
    memmove(&drift->examples[place + 1], &drift->examples[place], (drift->example_count - 1 - place) * sizeof drift->examples[0]);
    drift->examples[place] = level;
}

static void compare_levels(FeatureDrift *drift, const FeatureSummary *then, const FeatureSummary *now)
{
    double n = (double)then->count, m = (double)now->count, unseen = 0;
    uint32_t a = 0, b = 0;

    drift->psi = 0;
    while (a < then->level_count || b < now->level_count) {
        int order = a == then->level_count ? 1 : b == now->level_count ? -1 : summary_compare_levels(&then->level[a], &now->level[b]);

        if (order > 0) {
            unseen += (double)now->level[b].count;
            keep_example(drift, &now->level[b++]);
            continue;
        }
        drift->psi += index_term((double)then->level[a].count / n, order == 0 ? (double)now->level[b].count / m : 0);
        a++;
        b += order == 0;
    }
    if (unseen > 0)
        drift->psi += index_term(0, unseen / m);
    drift->unseen_count = unseen;
    drift->unseen_share = unseen / m;
}

FeatureDrift feature_drift(RowSummary *then, RowSummary *now, uint32_t i)
{
    FeatureSummary *a = &then->features[i], *b = &now->features[i];
    FeatureDrift drift = {.name = a->name, .psi = NAN, .ks = NAN, .ks_error = NAN, .unseen_count = NAN, .unseen_share = NAN};

    drift.null_then = (double)a->nulls / (double)then->rows;
    drift.null_now = (double)b->nulls / (double)now->rows;
    drift.mean_then = a->levels || a->count == 0 ? NAN : a->mean;
    drift.mean_now = b->levels || b->count == 0 ? NAN : b->mean;
    if (a->count > 0 && b->count > 0) {
        if (a->levels)
            compare_levels(&drift, a, b);
        else
            compare_numbers(&drift, a, b);
    }
    drift.verdict = isnan(drift.psi) ? "no values" : drift.psi >= DRIFT_LARGE ? "large" : drift.psi >= DRIFT_MODERATE ? "moderate" : "stable";
    return drift;
}
