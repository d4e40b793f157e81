/*
 * class_normals.h - the normal distributions that a model is made of, one per class or component, whatever the method: for plots.
 */
#ifndef PGFIT_CLASS_NORMALS_H
#define PGFIT_CLASS_NORMALS_H

#include "core/moments/model_terms.h"

typedef struct ClassNormals {
    Terms terms;
    uint32_t count;
    bool classes;          /* one per class; else per component */
    const double *weights; /* [count] shares of the classes or components; NULL: there is one */
    const double *means;   /* [count x terms] */
    double *variances;     /* naive_bayes and mixtures without correlations: [count x terms] */
    const double *packed;  /* else: upper triangles by columns, one or one per distribution */
    size_t stride;         /* numbers from one triangle to the next; 0: all share one */
} ClassNormals;

/* Reads the distributions of a checked model. Returns false if it has none. */
bool class_normals(Env *env, const Model *model, ClassNormals *out);
/* Returns the covariance of two terms in distribution i. */
double class_normals_covariance(const ClassNormals *normals, uint32_t i, uint32_t a, uint32_t b);

#endif
