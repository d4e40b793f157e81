/*
 * scorer.c - opens a model, and takes a row from the schema by which it is read to the slots that the model scores.
 */
#include "core/prepare/scorer.h"

#include <math.h>
#include <string.h>

bool scorer_prepares(const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    return estimator != NULL && scoring_prepares(estimator->scoring, model);
}

/* Sets the scorer of a pipeline, which has been prepared, to its last stage. */
static void enter_pipeline(Scorer *scorer)
{
    const Pipeline *pipeline = scorer->prepared;
    const PipelineStage *last = &pipeline->stages[pipeline->count - 1];

    scorer->model = last->model;
    scorer->estimator = last->estimator;
    scorer->prepared = last->prepared;
    scorer->pipeline = pipeline;
}

Scorer scorer_open(Env *env, const Model *model)
{
    Scorer scorer = {.model = model, .whole = model, .estimator = estimator_of(model)};
    size_t ignored;

    if (scorer_prepares(model))
        scorer.prepared = scorer.estimator->scoring->prepare(env, model, &ignored);
    scorer.formula = formula_model(env, model);
    if (pipeline_is(model))
        enter_pipeline(&scorer);
    return scorer;
}

void scorer_expand(Env *env, const Scorer *scorer, double *slots, double *offset)
{
    const FormulaModel *formula = scorer->formula;
    bool branch = model_nulls_are_values(scorer->model->flags);

    formula_expand(formula->terms, formula->row, slots);
    if (formula->offsets)
        *offset = formula_offset(formula->terms, formula->row);
    for (uint32_t s = 0; s < scorer->model->slot_count; s++)
        if (!isfinite(slots[s]) && !(branch && isnan(slots[s])))
            env_fail(env, ERROR_RANGE, NULL, "a term of the formula exceeds the range of double precision in this row");
}

bool scorer_encode(Env *env, const Scorer *scorer, const double *row, double *slots, double *offset)
{
    *offset = 0;
    if (scorer->pipeline != NULL) {
        Scorer first = {.model = scorer->pipeline->stages[0].model, .formula = scorer->formula};

        return scorer_encode(env, &first, row, scorer->pipeline->stages[0].row, offset) &&
               pipeline_run(env, scorer->pipeline, scorer->pipeline->stages[0].row, slots);
    }
    if (scorer->formula == NULL) {
        memcpy(slots, row, scorer->model->slot_count * sizeof(double));
        return true;
    }
    memcpy(scorer->formula->row, row, scorer->formula->inputs->slot_count * sizeof(double));
    scorer_expand(env, scorer, slots, offset);
    return true;
}
