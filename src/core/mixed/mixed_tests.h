/*
 * mixed_tests.h - covariance of the fixed effects of a mixed model, and degrees of freedom of their tests.
 */
#ifndef PGFIT_MIXED_TESTS_H
#define PGFIT_MIXED_TESTS_H

#include "core/mixed/mixed_gather.h"
#include "core/mixed/mixed_optimizer.h"

/*
 * Sets root [fixed x fixed], by columns: root root' is the covariance of the kept fixed effects as they are, in units of sigma and the scale of the target,
 * for the T that was evaluated last.
 */
void mixed_fixed_root(const MixedSystem *system, const MixedDesign *design, const MixedStart *start, double *root);
/*
 * Returns the degrees of freedom [fixed] of t tests of the kept fixed effects by Satterthwaite's method, as lmerTest has them: 2 V^2 / var(V), with V the
 * variance of an effect, whose own variance comes from the second derivatives of the deviance at its minimum (Kuznetsova, Brockhoff & Christensen 2017,
 * Journal of Statistical Software 82(13)). Evaluates the system twice per parameter, and at last at the minimum.
 */
double *mixed_satterthwaite(MixedSystem *system, const MixedDesign *design, const MixedStart *start, const MixedOptimum *optimum);

#endif
