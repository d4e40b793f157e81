/*
 * model_report.h - a report about a model as an HTML page: what it is, how good it is, what to beware of, pictures and tables. The sections are those of model cards
 * (M. Mitchell et al., "Model Cards for Model Reporting", FAT* 2019), as far as a model or the registry knows what belongs there.
 */
#ifndef PGFIT_MODEL_REPORT_H
#define PGFIT_MODEL_REPORT_H

#include "core/picture/picture_data.h"
#include "core/model/model.h"

typedef struct ReportFact {
    const char *name, *value; /* value NULL: the fact is left out */
} ReportFact;

/* What the host knows beside the model. */
typedef struct ReportInput {
    const char *title;                                     /* NULL: the name of the estimator */
    const ReportFact *origin; uint32_t origin_count;       /* where the model comes from */
    const char *evaluated;                                 /* a sentence about the rows of the metrics; NULL: there are none */
    const ReportFact *metrics; uint32_t metric_count;
    const char *const *pictures; uint32_t picture_count;   /* of these rows, as SVG; NULL among them are left out */
    const char *const *caveats; uint32_t caveat_count;     /* about these rows */
    const char *version;                                   /* of the program */
} ReportInput;

/* Returns the page about a checked, fitted model. */
char *report_of_model(Env *env, const Model *model, const ReportInput *input);

#endif
