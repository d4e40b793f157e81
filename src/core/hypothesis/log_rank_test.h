/*
 * log_rank_test.h - whether groups of censored times survive alike.
 */
#ifndef PGFIT_LOG_RANK_TEST_H
#define PGFIT_LOG_RANK_TEST_H

#include "core/hypothesis/hypothesis_tests.h"

/* What the test returns beside statistic and p-value, per group in the order of the labels. */
typedef struct LogRankGroups {
    uint32_t count;
    const SampleGroup **groups; /* [count] labels and rows */
    double *observed, *expected; /* [count] events, and those expected if all groups survive alike */
} LogRankGroups;

/* Of a sample of times, 1 for an event or 0 for a censored time, and groups, which may be in strata. */
SampleTestRun log_rank_test;

#endif
