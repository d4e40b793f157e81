/*
 * mixture_fit.h - starts and iterations of a mixture over rows.
 */
#ifndef PGFIT_MIXTURE_FIT_H
#define PGFIT_MIXTURE_FIT_H

#include "core/cluster/mixture.h"
#include "core/model/options.h"
#include "core/rows/row_design.h"

typedef struct MixtureFit {
    Env *env;
    Rows *rows;
    RowDesign *design;
    TileReader *reader;
    uint32_t k, dims;
    MixtureForm form;
    double regularization, tolerance;
    int64_t max_iter;
    double rows_counted; /* log likelihoods are of so many rows: rows, or the sum of weights that are counts */

    Mixture *mixture;    /* the best so far, then the result */
    double log_likelihood;
    int64_t iterations;
    bool converged;
    double *history;     /* log likelihood before each update and after the last, [iterations + 1] */
    uint32_t starts_lost; /* that ended in a covariance without an inverse */
} MixtureFit;

/* Of k components. Reads the options; fails where they do not fit the rows or the memory is not enough. */
MixtureFit *mixture_fit_begin(Env *env, Rows *rows, const Options *options, uint32_t k);
/* All starts, the best of which is kept. start: a mixture to begin from, or NULL. */
void mixture_fit_run(MixtureFit *fit, const Options *options, const Mixture *start);
void mixture_fit_free(MixtureFit *fit);

#endif
