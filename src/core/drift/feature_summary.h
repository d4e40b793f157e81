/*
 * feature_summary.h - what the values of each feature were: missing ones, mean, variance and distribution of numbers, counts of levels.
 * Summaries merge; a model keeps that of its training rows, to compare later rows with (metrics/feature_drift.h).
 *
 * The distribution of a number is a histogram whose buckets follow the values. Doubles are ordered by their bits, and a bucket holds the
 * values that agree in all bits but the last `shift`; shift is the smallest that leaves at most SUMMARY_BUCKETS occupied buckets. So
 * it is exact while the feature has no more different values than that, relative to the value after that (as in HdrHistogram and DDSketch,
 * Masson, Rim and Lee 2019), and independent of the order of rows and merges: a bucket of a larger shift is a union of buckets of a smaller
 * one. At shift SUMMARY_SHIFT_MOST, where a power of two has two buckets, there may be more of them.
 */
#ifndef PGFIT_FEATURE_SUMMARY_H
#define PGFIT_FEATURE_SUMMARY_H

#include "core/model/model.h"

#define SUMMARY_BUCKETS 1024
#define SUMMARY_SHIFT_MOST 51
#define SUMMARY_LEVELS 10000 /* different levels of a feature */
#define SUMMARY_FEATURES 1600
#define SUMMARY_ARRAY "training_summary" /* of a model: the summary as JSON */

typedef struct SummaryLevel {
    char *bytes;
    uint32_t length;
    uint64_t count;
} SummaryLevel;

/* Compares two by their bytes, for qsort. */
int summary_compare_levels(const void *left, const void *right);

typedef struct LevelTable LevelTable;

/* One feature. Read it after summary_finish. */
typedef struct FeatureSummary {
    char *name;
    bool levels;    /* text; else a number */
    uint64_t nulls; /* with NaN and infinities */
    uint64_t count; /* of the other values */
    double mean, m2; /* of numbers; m2: sum of squared deviations. NaN where they overflow */
    unsigned shift;
    uint32_t used, room;
    uint64_t *keys, *counts; /* [used] ascending: buckets and the values in them */
    uint32_t waiting;
    uint64_t *recent; /* [waiting] values not yet in buckets; NULL: none */
    LevelTable *table;
    uint32_t level_count;
    SummaryLevel *level; /* [level_count], in the order of their bytes */
} FeatureSummary;

typedef struct RowSummary {
    Env *env;
    uint64_t rows;
    uint32_t count;
    FeatureSummary *features; /* [count] */
} RowSummary;

/* Returns a summary of no rows. names: [count], zero-terminated, copied; levels: [count], which features are text. */
RowSummary *summary_new(Env *env, uint32_t count, const char *const *names, const bool *levels);
/* Add the value of feature i of a row. NaN and infinities count as missing. Fail with ERROR_LIMIT past SUMMARY_LEVELS levels. */
void summary_number(RowSummary *summary, uint32_t i, double value);
void summary_level(RowSummary *summary, uint32_t i, const char *bytes, uint32_t length);
void summary_null(RowSummary *summary, uint32_t i);
/* Adds a level without values, for readers of summaries. */
void summary_add_level(Env *env, FeatureSummary *feature, const char *bytes, uint32_t length);
/* Brings buckets and levels in their final order. */
void summary_finish(RowSummary *summary);
/* Adds the rows of another summary, which is finished by it. Fails with ERROR_DATA if it is of other features. */
void summary_merge(RowSummary *into, RowSummary *from);
/* Widens the buckets of a finished feature to this shift; a smaller one changes nothing. */
void summary_widen(FeatureSummary *feature, unsigned shift);
/* Returns the bucket of a finite number, and the lowest value of a bucket. */
uint64_t summary_key(double value, unsigned shift);
double summary_edge(const FeatureSummary *feature, uint32_t bucket);

/* Returns the summary as JSON text, zero-terminated; finishes it. */
char *summary_text(RowSummary *summary, size_t *length);
/* Reads a finished summary. Fails with this code. */
RowSummary *summary_read(Env *env, const char *text, size_t length, ErrorCode code);

/* Returns a copy of a model that keeps this summary in place of any other. Fails with ERROR_KIND for moments. */
Model *model_with_summary(Env *env, const Model *model, RowSummary *summary);
/* Tells whether a model keeps a summary, sound or not. */
bool model_has_summary(const Model *model);
/* Returns a copy without it. */
Model *model_without_summary(Env *env, const Model *model);
/* Returns the summary of a model that was checked. Fails with ERROR_KIND if it keeps none. */
RowSummary *model_summary(Env *env, const Model *model);
/* Returns what two models were merged to with the summaries of both, merged; without one, unless both keep one. */
Model *model_merge_summaries(Env *env, Model *merged, const Model *a, const Model *b);
/* Checks the summary that a model keeps. Returns NULL, or what is wrong. */
const char *model_summary_check(Env *env, const Model *model);

#endif
