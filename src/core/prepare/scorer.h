/*
 * scorer.h - a model that is ready to score, with what comes between the row that it reads and the one that it scores.
 */
#ifndef PGFIT_SCORER_H
#define PGFIT_SCORER_H

#include "core/formula/formula_model.h"
#include "core/prepare/pipeline.h"

typedef struct Scorer {
    const Model *model;         /* valid for this row; of a pipeline the last stage, as estimator and prepared are */
    const Estimator *estimator; /* NULL: moments, or an estimator this library does not know */
    const void *prepared;
    const FormulaModel *formula; /* turns rows of its inputs into those of the model; NULL: rows are the model's own */
    const Pipeline *pipeline;    /* takes rows to the last stage, through formulas too; NULL: the model is none */
    const Model *whole;          /* the value itself: of a pipeline all of it */
    const struct ConformalScorer *conformal; /* of a model with conformal scores, which whoever prepares it keeps; else NULL */
} Scorer;

/* Tells whether the estimator of a model makes something before it scores. */
bool scorer_prepares(const Model *model);
/* Opens a checked model: what its estimator prepares, the terms of its formula, and of a pipeline its stages; conformal is NULL. */
Scorer scorer_open(Env *env, const Model *model);
/* Returns the schema by which rows are read for a model. */
static inline const Model *scorer_reads(const Scorer *scorer)
{
    if (scorer->formula != NULL)
        return scorer->formula->inputs;
    return scorer->pipeline != NULL ? scorer->pipeline->stages[0].model : scorer->model;
}

/*
 * Computes the terms of a row of inputs in scorer->formula->row, and its offset, which is what offset(...) adds to a prediction. Fails with
 * ERROR_RANGE if a term overflows.
 */
void scorer_expand(Env *env, const Scorer *scorer, double *slots, double *offset);
/* Makes the slots of a row that is encoded by the schema of the rows that the model reads. Returns false if there is no score for it. */
bool scorer_encode(Env *env, const Scorer *scorer, const double *row, double *slots, double *offset);

#endif
