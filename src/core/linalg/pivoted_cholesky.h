/*
 * pivoted_cholesky.h - Cholesky factors of semi-definite matrices with diagonal pivoting, which find a rank and a subset of columns
 * that determines the others.
 */
#ifndef PGFIT_PIVOTED_CHOLESKY_H
#define PGFIT_PIVOTED_CHOLESKY_H

#include "core/base/env.h"

/*
 * For fits: a (n x n, column major, lower triangle) with rows and columns in the order that is written to order [n] becomes, in its
 * first columns, L with L L' = a. Each step takes the column with the largest rest of its diagonal element, the first of equal ones,
 * and the last one leaves rests of at most `tolerance` times the largest diagonal element. Returns how many steps that took: the
 * rank. The upper triangle is overwritten. Uses BLAS, block by block; polls.
 */
uint32_t pivoted_cholesky(Env *env, double *a, uint32_t n, double tolerance, uint32_t *order);

#endif
