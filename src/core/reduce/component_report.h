/*
 * component_report.h - what reports of components share: pca and kernel_pca.
 */
#ifndef PGFIT_COMPONENT_REPORT_H
#define PGFIT_COMPONENT_REPORT_H

#include "core/estimator/table.h"
#include "core/model/report_text.h"

#define SUMMARY_COMPONENTS 8 /* columns of a summary */

/* The variances of components, descending, and the variance of all; total 0 or NaN: shares are not known. */
typedef struct ComponentVariances {
    const double *variances; /* [count] */
    double *shares;          /* [count] of the total */
    double *cumulative;      /* [count] shares of the components so far, at most 1 */
    double sum, total;
    uint32_t count;
} ComponentVariances;

ComponentVariances component_variances(Env *env, const double *variances, uint32_t count, double total);
/* Adds explained_variance, explained_ratio, cumulative_ratio and residual_variance to the facts of a model. */
void component_facts(const ComponentVariances *components, ModelBuilder *builder);

/* Fills the first four cells of a row of the table "components"; those of terms are NULL for components without loadings. */
void component_cells(const ComponentVariances *components, uint64_t component, Cell *cells);

/* Adds "pca: 2 components of 4 features", and the rows. */
void component_title(TextBuffer *report, const Model *model, uint32_t count);
/* Adds the lines component, variance, share and cumulative of the first `shown` components, after names of `width` characters. */
void component_lines(TextBuffer *report, const ComponentVariances *components, uint32_t shown, int width);
/* Adds a line of a name and every `step`th of the numbers. */
void component_line(TextBuffer *report, const char *name, int width, const double *numbers, uint32_t count, size_t step, int digits);

#endif
