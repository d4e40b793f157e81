/*
 * importance.h - permutation importance (Breiman 2001, Machine Learning 45(1); Fisher, Rudin & Dominici 2019, JMLR 20): how much worse a metric
 * gets when the values of a column are dealt out to the rows anew.
 */
#ifndef PGFIT_IMPORTANCE_H
#define PGFIT_IMPORTANCE_H

#include "core/explain/model_rows.h"

extern const OptionSpec *const permutation_importance_options[];

typedef struct Importance {
    const char *feature; /* a column, or a group of columns */
    double importance;   /* the mean over the permutations; NaN: the metric is undefined */
    double std_error;    /* of that mean; NaN: there was one permutation */
} Importance;

/* Fails for wrong options, before rows are read. */
void permutation_importance_check(const ModelRows *model, const Options *options);
/*
 * Permutes each column or group of kept rows (ROWS_TARGET, ROWS_WEIGHT), which must have a score. Permutations depend on the seed and on what
 * the rows hold, not on their order, and are the same for all columns. Keeps 28 bytes per row in memory, and 8 per number that is permuted.
 */
Importance *permutation_importance(const ModelRows *model, Rows *rows, const Options *options, uint32_t *count);

/* Passes over the rows, one per permutation: work that processes share. */
extern const SharedKind importance_passes_kind;

#endif
