/*
 * logistic_model.c - checks and statistics of logistic models.
 */
#include "core/logistic/logistic_model.h"
#include "core/classify/linear_classifier.h"
#include "core/logistic/logistic_step.h"

#include <math.h>
#include <string.h>

/* Facts are those that a fit stores: what follows from them is nowhere else. */
static const char *check_facts(const Model *model)
{
    static const char *const names[] = {"converged", "dropped_terms", "iterations", "log_likelihood",
                                        "nonzero", "null_deviance", "objective", "parameters",
                                        "separated", "step_objective", "step_of", "step_promise", NULL};
    const ModelEntry *entry = model_entries(model);

    for (uint32_t i = 0; i < model->entry_count; i++, entry++) {
        uint32_t known = 0;

        if (entry->section != SECTION_FACTS)
            continue;
        while (names[known] != NULL && strcmp(entry->name, names[known]) != 0)
            known++;
        if (names[known] == NULL)
            return "a logistic model with a fact that does not belong to it";
        if (strcmp(entry->name, "dropped_terms") == 0) {
            if (!dropped_is_sound(entry))
                return "fact \"dropped_terms\" of a logistic model is not a list of names";
            continue;
        }
        if (entry->rows != 1 || entry->dimensions != 1)
            return "a fact of a logistic model is not one value";
        if (entry->type == ARRAY_TEXT)
            return "a fact of a logistic model is of the wrong type";
    }
    return NULL;
}

const char *logistic_check(Env *env, const Model *model)
{
    const char *wrong = linear_classifier_check(env, model);
    LinearView view;

    if (wrong != NULL)
        return wrong;
    linear_view(model, &view);
    if (view.link == LINK_NONE)
        return "a logistic model without its \"link\"";
    wrong = check_facts(model);
    return wrong != NULL ? wrong : logistic_step_check(env, model);
}

static void derive(ModelBuilder *builder, const char *name, double value)
{
    if (isfinite(value))
        builder_fact(builder, name, value);
}

Model *logistic_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    double likelihood = model_fact(model, "log_likelihood", NAN), deviance = -2 * likelihood;
    double null = model_fact(model, "null_deviance", NAN), numbers = model_fact(model, "parameters", NAN);
    double rows = model_counted_rows(model);

    builder_facts_from(builder, model);
    derive(builder, "deviance", deviance);
    if (null > 0)
        derive(builder, "pseudo_r_squared", 1 - deviance / null);
    if (model_find(model, "objective") == NULL) {
        derive(builder, "aic", deviance + 2 * numbers);
        derive(builder, "bic", deviance + log(rows) * numbers);
        derive(builder, "df_residual", rows - numbers);
    }
    return model_build(builder);
}
