/*
 * contingency_table.h - counts of pairs of a label and a prediction, from which metrics of classes and partitions follow.
 *
 * Labels are text with a sort key (for numbers their value), like classes in schema.h. Both sides share one dictionary, so that
 * 1 and '1' are the same class. Cells without rows are not stored. Memory grows with the number of different labels and pairs,
 * and is checked against the budget.
 */
#ifndef PGFIT_CONTINGENCY_TABLE_H
#define PGFIT_CONTINGENCY_TABLE_H

#include "core/base/env.h"

typedef struct Contingency Contingency;

/* Returns an empty table. It lives, and grows, where env allocates. */
Contingency *contingency_new(Env *env);

/* A label of a row. has_key: labels are sorted by key, else by text. */
typedef struct ContingencyLabel {
    const char *bytes;
    uint32_t length;
    bool has_key;
    double key;
} ContingencyLabel;

/* Adds a row, unless its weight is 0. Fails with ERROR_DATA if the weight is negative, NaN or infinite. */
void contingency_add(Env *env, Contingency *table, ContingencyLabel actual, ContingencyLabel predicted,
                     double weight);
/* Adds the counts of other, which does not change. */
void contingency_merge(Env *env, Contingency *into, const Contingency *other);

/* Convert a table to bytes and back, for parallel workers of one server. Fails with ERROR_BINARY if the bytes are not a table. */
uint8_t *contingency_bytes(Env *env, const Contingency *table, size_t *size);
Contingency *contingency_of_bytes(Env *env, const uint8_t *bytes, size_t size);

/* ---- what metrics read ---- */

typedef struct ContingencyCell {
    uint32_t actual, predicted; /* positions of labels: sorted in a ConfusionTable, in order of appearance before */
    double rows, weight;
} ContingencyCell;

/* The table with its labels sorted: by key, or by the number that their text spells if others have keys; then by bytes. */
typedef struct ConfusionTable {
    Env *env;
    uint32_t count; /* of labels on either side */
    const char **labels; /* not zero-terminated */
    uint32_t *lengths;
    double *actual, *predicted, *right; /* [count] weights of rows, of columns, and on the diagonal */
    double total;
    ContingencyCell *cells; /* by actual, then predicted */
    uint64_t cell_count;
} ConfusionTable;

/* Returns the table that metrics read; it refers to the labels of the other one. */
ConfusionTable *contingency_table(Env *env, const Contingency *table);

#endif
