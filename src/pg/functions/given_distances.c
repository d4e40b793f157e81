/*
 * given_distances.c - methods that compare rows, fitted to a matrix of given distances: hierarchical(distances, options) and others.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/progress/progress.h"
#include "pg/type/json_text.h"
#include "core/distance/distance_matrix.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

/* Options of rows and of metrics, which given distances have no use for. */
static const char *const refused[] = {"coef0",     "covariance", "degree",        "features", "formula",     "gamma",  "id_column",
                                      "kernel",    "matrix",     "max_levels",    "metric",   "missing",     "nulls",  "on_failure",
                                      "p",         "prefix_weight", "reference",  "sigma",    "standardize", "unseen", "variances",
                                      "weight_kind", NULL};

/* Returns the method that the SQL function is named after. */
static const Estimator *called_estimator(const SupportFunction *function)
{
    const Estimator *estimator = estimator_find(function->aggregate);

    if (estimator == NULL || estimator->fit == NULL || estimator->input != INPUT_ROWS || estimator->supervised)
        fail_support_function(function->fcinfo);
    return estimator;
}

/* Reads the number, where the form has one, and the options. */
static Options *read_options(const SupportFunction *function, const Estimator *estimator)
{
    FunctionCallInfo fcinfo = function->fcinfo;
    bool number = PG_NARGS() > 1 && function->arguments[1] == INT8OID && estimator->positional != NULL;
    int argument = number ? 2 : 1;
    const char *json = PG_NARGS() > argument && !PG_ARGISNULL(argument) ? json_text(PG_GETARG_JSONB_P(argument)) : NULL;
    double value = number && !PG_ARGISNULL(1) ? (double)PG_GETARG_INT64(1) : NAN;
    Options *options = options_parse(host_env(), estimator->name, estimator->options, json, json != NULL ? strlen(json) : 0,
                                     estimator->positional, &value, number ? 1 : 0);

    for (size_t i = 0; refused[i] != NULL; i++)
        if (options_has(options, refused[i]) && options_given(options, refused[i]))
            env_fail(host_env(), ERROR_PARAMETER, "Leave the option out.", "option \"%s\" is of rows, and %s was given distances",
                     refused[i], estimator->name);
    options_hide(options, refused);
    return options;
}

/* NAME(distances [, k] [, options]) */
PG_FUNCTION_INFO_V1(pgfit_fit_distances);
PGDLLEXPORT Datum pgfit_fit_distances(PG_FUNCTION_ARGS)
{
    MemoryContext caller = CurrentMemoryContext, fit;
    const Estimator *estimator;
    SupportFunction function;
    const Model *distances;
    Model *model;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    support_function(fcinfo, "", &function);
    estimator = called_estimator(&function);
    distances = PG_GETARG_SOUND_MODEL(0); /* the argument is not counted */
    fit = fit_context(caller, NULL);
    MemoryContextSwitchTo(fit);
    progress_fit_begins(fcinfo->flinfo->fn_mcxt, estimator->name);
    model = distance_matrix_fit(host_env(), distances, estimator, read_options(&function, estimator));
    progress_fit_ends(fcinfo->flinfo->fn_mcxt);
    MemoryContextSwitchTo(caller);
    if (model == NULL)
        PG_RETURN_NULL();
    model = model_copy(model);
    MemoryContextDelete(fit);
    return model_datum(model);
}
