/*
 * spline_basis.h - bases of B-splines and of natural cubic splines, as piecewise polynomials.
 */
#ifndef PGFIT_SPLINE_BASIS_H
#define PGFIT_SPLINE_BASIS_H

#include "core/base/env.h"

#define SPLINE_MAX_COLUMNS 100
#define SPLINE_MAX_DEGREE 10

/* A piecewise polynomial for each column: column c of piece p is a polynomial in x - origin[p]. */
typedef struct Spline {
    uint32_t pieces, degree, columns;
    double *breaks;  /* [pieces - 1], rising: piece p ends before breaks[p] */
    double *origins; /* [pieces] */
    uint32_t *first; /* [pieces] the first column that is not 0 there */
    uint32_t *count; /* [pieces] how many are not */
    double *coefs;   /* [pieces x columns x (degree + 1)], by rising power; of a piece the first count[p] columns are used */
} Spline;

/*
 * Make the pieces of bs or ns from their boundaries and knots: lowest, highest, knots ... df: columns, at most SPLINE_MAX_COLUMNS; degree: at most
 * SPLINE_MAX_DEGREE and df.
 */
void spline_bs(Env *env, Spline *spline, const double *parameters, uint32_t df, uint32_t degree);
void spline_ns(Env *env, Spline *spline, const double *parameters, uint32_t df);
/* Computes all columns at x. */
void spline_values(const Spline *spline, double x, double *values);

#endif
