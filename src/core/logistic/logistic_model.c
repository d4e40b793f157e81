/*
 * logistic_model.c - checks and statistics of logistic models.
 */
#include "core/logistic/logistic_model.h"
#include "core/inference/robust_model.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/penalty_path.h"
#include "core/logistic/logistic_step.h"

#include <math.h>

static const ArraySpec logistic_arrays[] = {
    {.name = "link", .type = ARRAY_I64, .rows = {SIZE_NUMBER, .plus = 1}},
    {.name = "priors",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_SHARES,
     .rows = {SIZE_CLASSES}}};

/* The facts that a fit stores; all others are derived from them on demand. */
static const ArraySpec logistic_facts[] = {
    FACT("converged", ARRAY_BOOL),     FACT_LIST("dropped_terms", ARRAY_TEXT), FACT("iterations", ARRAY_I64),
    FACT("lambda", ARRAY_F64),         FACT("lambda_1se", ARRAY_F64),          FACT("lambda_max", ARRAY_F64),
    FACT("lambda_min", ARRAY_F64),
    FACT("log_likelihood", ARRAY_F64), FACT("nonzero", ARRAY_I64),             FACT("null_deviance", ARRAY_F64),
    FACT("objective", ARRAY_F64),      FACT("parameters", ARRAY_I64),          FACT("penalty", ARRAY_F64),
    FACT("separated", ARRAY_BOOL),
    FACT("step_objective", ARRAY_F64), FACT("step_of", ARRAY_I64),             FACT("step_promise", ARRAY_F64)};

const ArrayTable logistic_array_tables[] =
    ARRAY_TABLES(LINEAR_CLASSIFIER_TABLES, ARRAY_TABLE(logistic_arrays), ARRAY_TABLE(path_fold_arrays), ARRAY_TABLE(penalty_path_arrays), ARRAY_TABLE(logistic_step_arrays),
                 ARRAY_TABLE(robust_arrays), FACT_TABLE(logistic_facts), FACT_TABLE(robust_facts));

const char *logistic_check(Env *env, const Model *model)
{
    const char *wrong = linear_classifier_check(env, model);
    uint32_t length;
    int64_t link = *model_i64(model, "link", &length);

    if (wrong != NULL)
        return wrong;
    if (link != LINK_LOGISTIC && (link != LINK_SOFTMAX || model_find(model, "coef")->dimensions == 1))
        return "\"link\" of a logistic model does not fit its equations";
    wrong = penalty_path_check(env, model);
    return wrong != NULL ? wrong : logistic_step_check(env, model);
}

Model *logistic_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    double likelihood = model_fact(model, "log_likelihood", NAN), deviance = -2 * likelihood;
    double null = model_fact(model, "null_deviance", NAN), numbers = model_fact(model, "parameters", NAN);
    double rows = model_counted_rows(model);

    builder_facts_from(builder, model);
    builder_fact_finite(builder, "deviance", deviance);
    if (null > 0)
        builder_fact_finite(builder, "pseudo_r_squared", 1 - deviance / null);
    if (model_find(model, "objective") == NULL) {
        builder_fact_finite(builder, "aic", deviance + 2 * numbers);
        builder_fact_finite(builder, "bic", deviance + log(rows) * numbers);
        builder_fact_finite(builder, "df_residual", rows - numbers);
    }
    return model_build(builder);
}
