/*
 * scatter_matrix.h - scatter matrices of stored moments: how rows spread about their mean, within classes
 * and between.
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
 * From feature_moments (total alone) and class_moments, of numeric features. Fails with ERROR_KIND
 * for other values, or where classes are wanted and there are none; ERROR_DATA for categories. No
 * rows: weight 0.
 */
ScatterMatrix scatter_matrix(Env *env, const Model *input, ScatterPart part,
                             const char *function);

#endif
