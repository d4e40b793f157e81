/*
 * contingency_table.h - how often labels and predictions meet: what metrics of classes and partitions are made from.
 *
 * Labels are text with a sort key (numbers: the value), as classes are in schema.h; both sides share one
 * dictionary, so that 1 and '1' are the same class. Cells without rows are not there. Memory grows with the
 * number of different labels and pairs and is checked against the budget.
 */
#ifndef PGFIT_CONTINGENCY_TABLE_H
#define PGFIT_CONTINGENCY_TABLE_H

#include "core/base/env.h"

typedef struct Contingency Contingency;

/* Lives where env allocates, as all that it grows by. */
Contingency *contingency_new(Env *env);
void contingency_free(Env *env, Contingency *table);

/* A label as a reader gives it. has_key: key is its place in the order; else its text tells (NaN would not). */
typedef struct ContingencyLabel {
    const char *bytes;
    uint32_t length;
    bool has_key;
    double key;
} ContingencyLabel;

/* Adds a row; weight 0 is no row. Fails with ERROR_DATA for a weight below 0, NaN or infinite. */
void contingency_add(Env *env, Contingency *table, ContingencyLabel actual, ContingencyLabel predicted,
                     double weight);
/* into += other, which stays. */
void contingency_merge(Env *env, Contingency *into, const Contingency *other);

/* For parallel workers of one server: bytes of a state and back. Fails with ERROR_BINARY on bytes that are none. */
uint8_t *contingency_bytes(Env *env, const Contingency *table, size_t *size);
Contingency *contingency_of_bytes(Env *env, const uint8_t *bytes, size_t size);

/* ---- what metrics read ---- */

typedef struct ContingencyCell {
    uint32_t actual, predicted; /* positions in the order of the labels */
    double rows, weight;
} ContingencyCell;

/* Labels in order: those with keys by key and bytes, the others by the number that their text is, else by bytes. */
typedef struct ConfusionTable {
    Env *env;
    uint32_t count; /* labels of either side */
    const char **labels; /* not zero-terminated */
    uint32_t *lengths;
    double *actual, *predicted, *right; /* [count] weights: of the rows, of the columns, on the diagonal */
    double total;
    ContingencyCell *cells; /* by actual, then predicted */
    uint64_t cell_count;
} ConfusionTable;

ConfusionTable *contingency_table(Env *env, const Contingency *table);

#endif
