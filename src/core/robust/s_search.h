/*
 * s_search.h - the linear equation whose residuals have the least S-scale (Rousseeuw & Yohai 1984), the robust start of MM-estimates.
 */
#ifndef PGFIT_S_SEARCH_H
#define PGFIT_S_SEARCH_H

#include "core/robust/m_solver.h"

#define S_SAMPLE 2000 /* rows that candidates are judged by, as in the paper; more if they have many columns */

/*
 * Sets theta and scale by the fast S-algorithm (Salibian-Barrera & Yohai 2006): equations through random rows, the best of which are refined,
 * first over a sample of the rows, then over all of them. k: of the bisquare. The solver must be at least squares, with a scale above 0.
 * Returns whether the best one has converged.
 */
bool s_search(MSolver *solver, double k, uint32_t candidates, uint64_t seed, double tolerance, int64_t max_iter);

#endif
