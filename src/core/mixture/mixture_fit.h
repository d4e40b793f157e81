/*
 * mixture_fit.h - fits a mixture to rows: starts and iterations.
 */
#ifndef PGFIT_MIXTURE_FIT_H
#define PGFIT_MIXTURE_FIT_H

#include "core/base/shared_work.h"
#include "core/mixture/mixture_blocks.h"
#include "core/options/options.h"
#include "core/rows/row_design.h"
#include "core/rows/row_scale.h"

/* The iterations from one start. */
typedef struct MixtureRun {
    double log_likelihood;
    int64_t iterations;
    bool converged;
    double *history; /* log likelihood before each update and after the last, [iterations + 1] */
} MixtureRun;

typedef struct MixtureFit {
    Env *env;
    Rows *rows;
    const RowScale *scale; /* of standardized rows, which are then fitted; NULL: none */
    TileReader *reader;
    MixtureBlocks *blocks;
    uint32_t k, dims;
    MixtureForm form;
    double regularization, tolerance;
    int64_t max_iter;
    double rows_counted; /* log likelihoods are scaled to this many rows: their number, or the sum of weights that are counts */

    Mixture *trial;       /* the mixture of the current start, with its plan and sums */
    MixturePlan *plan;
    MixtureSums *sums;
    double *overall;      /* covariance of all rows, as the form stores it; NULL: not computed yet */

    Mixture *mixture;     /* the best so far, then the result */
    MixtureRun best;      /* of that mixture */
    uint32_t starts_collapsed; /* starts that ended in a singular covariance */
    uint32_t collapsed;        /* the component of the last of them */
    uint32_t distinct;         /* values of the rows; k if there are so many or more */
} MixtureFit;

/*
 * Returns a fit of k components with these options. scale: of the rows, as rows_standardize returned it. Fails if there are too few
 * rows, or if it exceeds the memory budget.
 */
MixtureFit *mixture_fit_begin(Env *env, Rows *rows, const Options *options, uint32_t k, const RowScale *scale);
/*
 * Iterates from every start and keeps the best result in fit->mixture, in the units of the data. start: the only mixture to start
 * from, in the units of the rows, or NULL. Returns false if every start ended in a singular covariance, or the rows have fewer
 * distinct values than components.
 */
bool mixture_fit_run(MixtureFit *fit, const Options *options, const Mixture *start);
extern const SharedKind mixture_starts_kind;
/* Fails because of what made mixture_fit_run return false. */
void mixture_fit_fail(const MixtureFit *fit) __attribute__((noreturn));

#endif
