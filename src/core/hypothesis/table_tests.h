/*
 * table_tests.h - tests of contingency tables, and the dense table that they read.
 */
#ifndef PGFIT_TABLE_TESTS_H
#define PGFIT_TABLE_TESTS_H

#include "core/hypothesis/hypothesis_tests.h"

/* A table without empty rows and columns. */
typedef struct CountTable {
    uint32_t rows, columns;
    double *cells;                     /* [rows x columns] */
    double *row_totals, *column_totals;
    double total;
    uint32_t *row_labels, *column_labels; /* positions of labels in the table of all labels */
} CountTable;

TableTestRun chi_square_test, mcnemar_test, proportion_test, fisher_test;
extern const OptionSpec correct_options[], mcnemar_options[], fisher_options[];

/* Returns the counts; fails with ERROR_LIMIT if they exceed the memory budget. */
CountTable count_table(Env *env, const ConfusionTable *table, const char *test);
/* Returns a label for messages, cut to 60 bytes. */
const char *table_label(Env *env, const ConfusionTable *table, uint32_t label);
/* Tells whether all counts are whole numbers up to 2^53; ends the test otherwise. */
bool counts_are_whole(Env *env, const ConfusionTable *table, const char *test, HypothesisResult *result);
/* Ends a test of a table with a single row or column. */
bool table_varies(Env *env, const CountTable *counts, const char *test, HypothesisResult *result);
/* Returns Cramer's V, from chi-square without a correction. */
double cramers_v(Env *env, const CountTable *counts);

/*
 * Returns the probability of all tables with the same totals that are at most as probable as this one, or more by a share of
 * `tolerance`. counts: whole numbers. Polls. Fails with ERROR_LIMIT past the memory budget.
 */
double table_network_p(Env *env, const CountTable *counts, double tolerance);

#endif
