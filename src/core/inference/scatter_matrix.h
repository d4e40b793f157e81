/*
 * scatter_matrix.h - scatter matrices of stored moments: how rows spread about their mean, within classes
 * and between; covariances and correlations.
 */
#ifndef PGFIT_SCATTER_MATRIX_H
#define PGFIT_SCATTER_MATRIX_H

#include "core/moments/moments.h"

typedef enum ScatterPart {
    SCATTER_TOTAL,  /* sum of w (x - m)(x - m)' */
    SCATTER_WITHIN, /* the same about the mean of each class */
    SCATTER_BETWEEN /* sum over classes of W_k (m_k - m)(m_k - m)' */
} ScatterPart;

typedef struct ScatterMatrix {
    uint32_t size;
    double *numbers;     /* [size x size] */
    double weight, rows; /* sum of weights; rows */
} ScatterMatrix;

/*
 * Returns a part of the scatter matrix of feature_moments (SCATTER_TOTAL only) or class_moments. Without rows, weight is
 * 0. Fails with ERROR_KIND for other values, and with ERROR_DATA for categorical features. function: for messages.
 */
ScatterMatrix scatter_matrix(Env *env, const Model *input, ScatterPart part,
                             const char *function);

/* Returns the sum of the diagonal. */
double scatter_trace(const ScatterMatrix *scatter);
/*
 * Divides the matrix by the sum of weights, or, if sample, by that sum times (rows - 1) / rows. Returns false if the divisor is 0.
 */
bool scatter_to_covariance(Env *env, ScatterMatrix *scatter, bool sample);
/* Turns the matrix into correlations. known[size]: false for constant features, whose correlations are not defined. */
void scatter_to_correlation(Env *env, ScatterMatrix *scatter, bool *known);

#endif
