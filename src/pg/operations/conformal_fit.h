/*
 * conformal_fit.h - option "conformal" of fit: rows that are held out give the model conformal scores.
 */
#ifndef PGFIT_CONFORMAL_FIT_H
#define PGFIT_CONFORMAL_FIT_H

#include "pg/operations/fit_query.h"

typedef struct ConformalFit {
    bool folds;      /* method cv+ */
    int64 fold_count, seed;
    double share;    /* that split holds out */
    int key;         /* a column of the source; -1: the whole row */
    char *options;   /* of conformalize, as JSON; "{}" without any */
    const char *normalize;   /* the regression of the absolute residual; NULL: none */
    Jsonb *normalize_options;
} ConformalFit;

/*
 * Takes option "conformal" out of the options. Returns NULL without it, or if it is false. Fails for a method that predicts neither numbers nor classes, and
 * for a weight.
 */
ConformalFit *conformal_fit_take(const FitQuery *query, Jsonb **options);
/* Returns the text of the queries of a fit, with conformal scores where the options ask for them. condition: as in fit_query.h. */
char *fit_text(const FitQuery *query, const char *condition);
/* Runs them, as fit_query_run does. */
Model *fit_run(const FitQuery *query, const char *condition);

#endif
