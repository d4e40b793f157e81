/*
 * svm_step_internal.h - what the first model and the steps of a support vector machine share.
 */
#ifndef PGFIT_SVM_STEP_INTERNAL_H
#define PGFIT_SVM_STEP_INTERNAL_H

#include "core/svm/svm_linear.h"
#include "core/svm/svm_step.h"

#define SVM_STEP_NUMBERS 4000000 /* most numbers of the curvatures of all equations: 32 MB */

/* Where the equations are after a step, all [equations]; from [equations x count]. NULL arrays: there was none. */
typedef struct SvmProgress {
    const double *from, *objective, *promise;
    const uint8_t *done;
    bool finished; /* all equations have converged */
} SvmProgress;

/* Adds what the next step needs of this one; nothing if all equations have converged. */
void svm_progress_add(ModelBuilder *builder, const SvmProgress *progress, uint32_t equations, uint32_t count);

#endif
