/*
 * pca_model.h - a model of pca: its arrays (described in pca.c) and its reports.
 */
#ifndef PGFIT_PCA_MODEL_H
#define PGFIT_PCA_MODEL_H

#include "core/estimator/estimator.h"
#include "core/moments/model_terms.h"

typedef struct PcaModel {
    Terms terms;
    uint32_t k;
    const double *components, *means, *scale, *variances, *whitening;
} PcaModel;

/* Fills a view of the arrays of a checked model; NULL for those that it does not have. */
void pca_open(const Model *model, PcaModel *pca);
extern const ArrayTable pca_array_tables[];

Model *pca_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder);
/* The components with the names of their terms; what the pointers show lives in the model or in memory of the env. */
typedef struct Components {
    uint32_t count, terms;
    const char *const *term_names; /* [terms] */
    const double *loadings;        /* [count x terms] */
    const double *variances;       /* [count], falling */
    double total;                  /* variance; NaN or 0: shares are not known */
} Components;
void pca_components(Env *env, const Model *model, Components *out);
extern const Table *const pca_tables[]; /* NULL-terminated */
Model *pca_statistics(Env *env, const Model *model);
/* The scores of transform as an array expression. */
char *pca_to_sql(Env *env, const Model *model);
char *pca_summary(Env *env, const Model *model);

#endif
