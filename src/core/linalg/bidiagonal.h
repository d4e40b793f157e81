/*
 * bidiagonal.h - the decomposition A = U B V' of a square matrix, with B upper bidiagonal, U and V orthogonal (Golub & Kahan
 * 1965).
 */
#ifndef PGFIT_BIDIAGONAL_H
#define PGFIT_BIDIAGONAL_H

#include "core/base/env.h"

typedef struct Bidiagonal {
    uint32_t n;
    double *reflectors; /* [n x n], column major: those of V, below the diagonal, one per column */
    double *taus;       /* [n] of V */
    double *diagonal;   /* [n] */
    double *above;      /* [n], the last is 0 */
} Bidiagonal;

/*
 * Decomposes a [n x n], column major, which is destroyed and belongs to the result. y [n] becomes U'y; may be NULL. The squares
 * of the elements must neither overflow nor vanish. Takes 8/3 n^3 operations; polls.
 */
Bidiagonal bidiagonal_make(Env *env, double *a, uint32_t n, double *y);
/* Replaces z [n] by V z. */
void bidiagonal_right(const Bidiagonal *b, double *z);
void bidiagonal_free(Env *env, Bidiagonal *b);

#endif
