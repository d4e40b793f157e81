/*
 * pca_model.h - a model of pca: its arrays (described in pca.c) and its reports.
 */
#ifndef PGFIT_PCA_MODEL_H
#define PGFIT_PCA_MODEL_H

#include "core/estimator/estimator.h"
#include "core/moments/model_terms.h"

#include <string.h>

typedef struct PcaModel {
    Terms terms;
    uint32_t k;
    const double *components, *means, *scale, *variances, *whitening;
} PcaModel;

/* The arrays of a checked model. */
static inline void pca_open(const Model *model, PcaModel *pca)
{
    const ModelEntry *entry = model_entries(model) + model->entry_count;

    memset(pca, 0, sizeof(*pca));
    for (uint32_t i = model->entry_count; i > 0; i--) { /* the arrays are the last entries */
        const void *data;
        entry--;
        if (entry->section != SECTION_ARRAYS)
            break;
        data = (const char *)model + entry->offset;
        if (strcmp(entry->name, "components") == 0) {
            pca->components = data;
            pca->k = entry->rows;
            pca->terms.count = entry->columns;
        } else if (entry->name[0] == 'm') {
            pca->means = data;
        } else if (entry->name[0] == 's') {
            pca->scale = data;
        } else if (entry->name[0] == 'v') {
            pca->variances = data;
        } else if (entry->name[0] == 'w') {
            pca->whitening = data;
        } else if (strcmp(entry->name, "column_slot") == 0) {
            pca->terms.slot = data;
        } else {
            pca->terms.level = data;
        }
    }
}

extern const Estimator estimator_pca;

Model *pca_fit(Env *env, const FitInput *input, const Options *options);
void pca_components(Env *env, const Model *model, Components *out);
Model *pca_statistics(Env *env, const Model *model);
/* The scores of transform as an array expression. */
char *pca_to_sql(Env *env, const Model *model);
char *pca_summary(Env *env, const Model *model);

#endif
