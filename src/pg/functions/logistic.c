/*
 * logistic.c - logistic, softmax and cross_entropy of plain numbers.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/score/scoring.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/metrics/loss.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(pgfit_logistic);
PGDLLEXPORT Datum pgfit_logistic(PG_FUNCTION_ARGS)
{
    PG_RETURN_FLOAT8(logistic(PG_GETARG_FLOAT8(0)));
}

/* Returns the numbers of argument 0, an array of one dimension without NULLs. */
static const double *array_numbers(FunctionCallInfo fcinfo, const char *function, uint32 *count)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);

    if (ARR_NDIM(array) > 1)
        ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                        errmsg("%s takes an array of one dimension, not of %d", function, ARR_NDIM(array))));
    if (array_contains_nulls(array))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("the array for %s has a NULL element", function),
                        errhint("Use array_remove or coalesce.")));
    *count = ARR_NDIM(array) == 0 ? 0 : (uint32)ARR_DIMS(array)[0];
    return (const double *)ARR_DATA_PTR(array);
}

PG_FUNCTION_INFO_V1(pgfit_softmax);
PGDLLEXPORT Datum pgfit_softmax(PG_FUNCTION_ARGS)
{
    uint32 count;
    const double *scores = array_numbers(fcinfo, "softmax", &count);
    double *out = palloc(sizeof(double) * Max(count, 1));

    for (uint32 i = 0; i < count; i++)
        if (!isfinite(scores[i]))
            ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                            errmsg("element %u for softmax is not finite", i + 1)));
    softmax(scores, count, out);
    return give_array(out, count);
}

PG_FUNCTION_INFO_V1(pgfit_cross_entropy);
PGDLLEXPORT Datum pgfit_cross_entropy(PG_FUNCTION_ARGS)
{
    uint32 count;
    const double *probabilities = array_numbers(fcinfo, "cross_entropy", &count);
    int64 class = PG_GETARG_INT64(1);
    double p;

    if (class < 1 || class > count)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("there is no class " INT64_FORMAT " among %u probabilities", class, count),
                        errhint("Pass the position of the true class in the array, counted from 1.")));
    p = probabilities[class - 1];
    if (!(p >= 0 && p <= 1))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%g is not a probability", p)));
    PG_RETURN_FLOAT8(cross_entropy(p));
}
