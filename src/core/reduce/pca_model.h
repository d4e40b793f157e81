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

/* Sets pca to the arrays of a checked model; NULL for those it does not have. */
void pca_open(const Model *model, PcaModel *pca);
extern const ArrayTable pca_array_tables[];

/* Scoring.log_evidence and has_density: the density of probabilistic principal components (pca_density.c). */
double pca_log_density(const Model *model, const void *prepared, const double *slots);
bool pca_has_density(const Model *model);

/* The Estimator.fit. */
Model *pca_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder);

/* The components with the names of their terms. The arrays live in the model or in memory of the env. */
typedef struct Components {
    uint32_t count, terms;
    const char *const *term_names; /* [terms] */
    const double *loadings;        /* [count x terms] */
    const double *variances;       /* [count], descending */
    double total;                  /* total variance; NaN or 0: shares are not known */
} Components;
extern const Table *const pca_tables[]; /* NULL-terminated */
/* Returns the facts with the variance explained by each component and its shares; none if the rows do not vary. */
Model *pca_statistics(Env *env, const Model *model);
/* Adds the SQL expression of one score. */
void pca_output_sql(TextBuffer *out, const Model *model, uint32_t component);
char *pca_summary(Env *env, const Model *model);

#endif
