/*
 * table_network.h - the exact p-value of a contingency table, given its totals.
 */
#ifndef PGFIT_TABLE_NETWORK_H
#define PGFIT_TABLE_NETWORK_H

#include "core/hypothesis/table_tests.h"

/*
 * Returns the probability of all tables with the same totals that are at most as probable as this one, or more by a share of
 * `tolerance`. counts: whole numbers. Polls. Fails with ERROR_LIMIT past the memory budget.
 */
double table_network_p(Env *env, const CountTable *counts, double tolerance);

#endif
