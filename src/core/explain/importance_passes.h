/*
 * importance_passes.h - passes over kept rows in which a column has the values of other rows: work that processes share.
 *
 * On two busy processors, seconds with no worker and with two, medians in turn: 30 passes over 20,000 rows by a forest of 20 trees 10.8 and 6.3, by 30
 * boosted trees per class of three 15.5 and 7.6.
 */
#ifndef PGFIT_IMPORTANCE_PASSES_H
#define PGFIT_IMPORTANCE_PASSES_H

#include "core/explain/importance.h"
#include "core/validation/cross_validation.h"

/* What is permuted together: a column, or a group. */
typedef struct Permuted {
    const char *name;
    uint32_t count;
    uint32_t *places; /* [count] in a kept row */
} Permuted;

/* What the passes are to find out. */
typedef struct ImportanceTask {
    const char *judging; /* the options of cross_validate that name the metric, as JSON */
    uint32_t judging_length;
    Permuted *list;      /* [count] */
    uint32_t count, repeats;
    uint64_t seed;
} ImportanceTask;

/* Returns the metric. schema: of the rows; NULL before they are read. */
MetricPlan importance_plan(const ModelRows *model, const ImportanceTask *task, const Model *schema);
/*
 * Writes the importance of each member of the list, [count], from passes in several processes if they pay. Fails where no row has a score, or the
 * metric is undefined for the rows as they are.
 */
void importance_pass_all(const ModelRows *model, Rows *rows, const ImportanceTask *task, Importance *out);

#endif
