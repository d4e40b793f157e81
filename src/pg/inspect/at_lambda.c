/*
 * at_lambda.c - at_lambda(model, lambda): one model of a path of penalized linear models.
 */
#include "pg/host/backend_env.h"
#include "core/inspection/model_tables.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/logistic/logistic_path.h"
#include "core/prepare/pipeline.h"

PG_FUNCTION_INFO_V1(pgfit_at_lambda);
Datum pgfit_at_lambda(PG_FUNCTION_ARGS)
{
    const Model *whole = PG_GETARG_SOUND_MODEL(0), *model = pipeline_last(host_env(), whole);

    if (table_of(model, "lambda_path") == NULL)
        env_fail(host_env(), ERROR_KIND, "Fit one with pgfit.lasso_regression, elastic_net, ridge_regression or logistic_regression.",
                 "at_lambda needs a model with a lambda, not %s",
                 model->kind != MODEL_FITTED ? "moments" : psprintf("one of %s", model->estimator));
    if (strcmp(model->estimator, "logistic_regression") == 0)
        PG_RETURN_MODEL(pipeline_with_last(host_env(), whole, logistic_path_at(host_env(), model, PG_GETARG_FLOAT8(1))));
    PG_RETURN_MODEL(pipeline_with_last(host_env(), whole, linear_path_at(host_env(), model, PG_GETARG_FLOAT8(1))));
}
