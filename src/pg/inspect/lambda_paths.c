/*
 * lambda_paths.c - penalized linear models of many lambdas: their paths as rows, and one lambda as a model.
 */
#include "pg/backend/backend_env.h"
#include "pg/inspect/inspect.h"
#include "core/linear/linear_path.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* Argument 0, checked in full; of a method with lambda. */
static const Model *lambda_model(FunctionCallInfo fcinfo, const char *function)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    const Estimator *estimator = estimator_of(model);

    if (estimator == NULL || estimator->fit == NULL || estimator->check != linear_check ||
        isnan(linear_path_lambda(host_env(), model)))
        env_fail(host_env(), ERROR_KIND,
                 "Models of pgfit.lasso_regression, elastic_net and ridge_regression have one.",
                 "%s has no lambda, which %s wants",
                 model->kind != MODEL_FITTED ? "moments" : psprintf("a model of %s", model->estimator), function);
    return model;
}

PG_FUNCTION_INFO_V1(pgfit_at_lambda);
Datum pgfit_at_lambda(PG_FUNCTION_ARGS)
{
    const Model *model = lambda_model(fcinfo, "at_lambda");

    return model_datum(linear_path_at(host_env(), model, PG_GETARG_FLOAT8(1)));
}

PG_FUNCTION_INFO_V1(pgfit_coefficient_path);
Datum pgfit_coefficient_path(PG_FUNCTION_ARGS)
{
    const Model *model = lambda_model(fcinfo, "coefficient_path");
    uint32_t count, terms = linear_terms(model), length;
    const double *lambdas = model_f64(model, "path_lambda", &count);
    const double *coef = model_f64(model, "path_coef", &length);
    const double *intercepts = model_f64(model, "path_intercept", &length);
    Datum *names = palloc((terms + 1) * sizeof *names);
    TupleDesc description;
    Tuplestorestate *store;

    linear_path_require(host_env(), model);
    store = rows_begin(fcinfo, &description);
    for (uint32_t t = 0; t < terms; t++) {
        char name[2 * SCHEMA_NAME_SIZE];

        linear_term_name(model, t, name, sizeof name);
        names[t] = CStringGetTextDatum(name);
    }
    names[terms] = CStringGetTextDatum("(intercept)");
    for (uint32_t l = 0; l < count; l++) {
        Datum values[3] = {Float8GetDatum(lambdas[l])};
        bool nulls[3] = {false};

        if (intercepts) {
            values[1] = names[terms];
            values[2] = Float8GetDatum(intercepts[l]);
            tuplestore_putvalues(store, description, values, nulls);
        }
        for (uint32_t t = 0; t < terms; t++) {
            values[1] = names[t];
            values[2] = Float8GetDatum(coef[(size_t)l * terms + t]);
            tuplestore_putvalues(store, description, values, nulls);
        }
        CHECK_FOR_INTERRUPTS();
    }
    return (Datum)0;
}

static Datum float8_array(const double *numbers, uint32_t count)
{
    Datum *elements = palloc(Max(count, 1) * sizeof *elements);

    for (uint32_t i = 0; i < count; i++)
        elements[i] = Float8GetDatum(numbers[i]);
    return PointerGetDatum(
        construct_array(elements, (int)count, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

PG_FUNCTION_INFO_V1(pgfit_lambda_path);
Datum pgfit_lambda_path(PG_FUNCTION_ARGS)
{
    const Model *model = lambda_model(fcinfo, "lambda_path");
    uint32_t count = linear_path_count(model);
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);

    for (uint32_t l = 0; l < count; l++) {
        LambdaLine line = linear_path_line(host_env(), model, l);
        Datum values[8] = {Float8GetDatum(line.lambda),
                           BoolGetDatum(line.chosen),
                           Int64GetDatum(line.nonzero),
                           Float8GetDatum(line.mean_error),
                           Float8GetDatum(line.std_error),
                           Float8GetDatum(line.pooled_error),
                           (Datum)0,
                           Float8GetDatum(line.criterion)};
        bool nulls[8] = {false,
                         false,
                         false,
                         isnan(line.mean_error),
                         isnan(line.std_error),
                         isnan(line.pooled_error),
                         line.folds == 0,
                         isnan(line.criterion)};

        if (line.folds > 0)
            values[6] = float8_array(line.fold_errors, line.folds);
        tuplestore_putvalues(store, description, values, nulls);
        CHECK_FOR_INTERRUPTS();
    }
    return (Datum)0;
}
