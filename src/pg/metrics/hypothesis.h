/*
 * hypothesis.h - results of statistical tests as values.
 */
#ifndef PGFIT_HYPOTHESIS_H
#define PGFIT_HYPOTHESIS_H

#include "pg/aggregate/aggregate.h"
#include "core/hypothesis/hypothesis_tests.h"

/* Returns a test's name and options as what aggregates read them from, kept with the call site. */
const Estimator *test_estimator(FunctionCallInfo fcinfo, const char *name, const OptionSpec *const *options);
/* Returns a result as the composite that the function returns. */
Datum hypothesis_datum(FunctionCallInfo fcinfo, const HypothesisResult *result);
/* Fails if the rows did not define the test. */
void hypothesis_raise(const HypothesisResult *result);

/* A test to run: of a sample or of a contingency table. */
typedef struct TestWork {
    const HypothesisTest *test;
    const Sample *sample;
    const TableTest *table_test; /* NULL: of a sample */
    const ConfusionTable *table;
    const Options *options;
} TestWork;
/*
 * Returns the result of a test, of a final function. NULL with "on_failure": "null" where the rows do not define it, and in a window frame,
 * which begins with few rows.
 */
Datum hypothesis_final(FunctionCallInfo fcinfo, const Estimator *estimator, const TestWork *work, double rows);

#endif
