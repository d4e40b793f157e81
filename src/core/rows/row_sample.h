/*
 * row_sample.h - a sample of rows that depends on their contents and a seed, not on their order: those with the least hashes.
 */
#ifndef PGFIT_ROW_SAMPLE_H
#define PGFIT_ROW_SAMPLE_H

#include "core/base/env.h"

typedef struct SampledRow {
    uint64_t hash;
    double *row; /* [width] */
} SampledRow;

typedef struct RowSample {
    Env *env;
    uint32_t width, most, count;
    bool distinct;    /* takes a hash once */
    SampledRow *rows; /* [count], a heap, the largest hash first */
} RowSample;

/* Returns an empty sample of at most `most` rows. */
RowSample *row_sample_new(Env *env, uint32_t most, uint32_t width, bool distinct);
/* Takes a row if its hash is among the least: returns where its numbers go, [width], or NULL. */
double *row_sample_add(RowSample *sample, uint64_t hash);
/* Copies the rows to `to`, [count x width], in the order of their hashes. Nothing can be added then. */
void row_sample_sort(RowSample *sample, double *to);
void row_sample_free(RowSample *sample);

#endif
