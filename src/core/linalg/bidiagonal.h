/*
 * bidiagonal.h - a square matrix A = U B V', B upper bidiagonal, U and V orthogonal (Golub & Kahan 1965).
 */
#ifndef PGFIT_BIDIAGONAL_H
#define PGFIT_BIDIAGONAL_H

#include "core/base/env.h"

typedef struct Bidiagonal {
    uint32_t n;
    double *reflectors; /* [n x n], column major: of V, below the diagonal, a column each */
    double *taus;       /* [n] of V */
    double *diagonal;   /* [n] */
    double *above;      /* [n], the last is 0 */
} Bidiagonal;

/*
 * Of a [n x n], column major, which is destroyed and belongs to the result. y [n] becomes U'y; NULL: none. Needs
 * elements whose squares neither overflow nor vanish. 8/3 n^3 operations; polls.
 */
Bidiagonal bidiagonal_make(Env *env, double *a, uint32_t n, double *y);
/* z := V z. */
void bidiagonal_right(const Bidiagonal *b, double *z);
void bidiagonal_free(Env *env, Bidiagonal *b);

/* The k-th smallest singular value of B (0: the smallest) by bisection, relative to the largest as good as B. */
double bidiagonal_singular(const Bidiagonal *b, uint32_t k);
/* A right singular vector of B to a singular value, of norm 1; z [n]. */
void bidiagonal_vector(Env *env, const Bidiagonal *b, double value, double *z);

#endif
