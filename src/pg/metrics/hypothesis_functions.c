/*
 * hypothesis_functions.c - statistical tests from stored moments, and adjusted p-values.
 */
#include "pg/metrics/hypothesis.h"
#include "pg/features/row_pair.h"
#include "core/hypothesis/hypothesis_tests.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

/* NAME(moments, options) */
PG_FUNCTION_INFO_V1(pgfit_moments_test);
PGDLLEXPORT Datum pgfit_moments_test(PG_FUNCTION_ARGS)
{
    const HypothesisTest *test = fcinfo->flinfo->fn_extra;
    const Options *options;
    const Sample *sample;
    HypothesisResult result;

    if (test == NULL) {
        SupportFunction function;

        support_function(fcinfo, "", &function);
        test = hypothesis_test_find(function.aggregate);
        if (test == NULL || test->moments_options == NULL)
            fail_support_function(fcinfo);
        fcinfo->flinfo->fn_extra = (void *)test;
    }
    options = options_argument(fcinfo, 1, test->name, test->moments_options);
    sample = sample_of_moments(host_env(), test, PG_GETARG_SOUND_MODEL(0), options);
    if (sample->group_count == 0)
        PG_RETURN_NULL();
    test->run(host_env(), sample, options, &result);
    if (!options_is(options, "on_failure", "null"))
        hypothesis_raise(&result);
    if (result.failure != NULL)
        PG_RETURN_NULL();
    return hypothesis_datum(fcinfo, &result);
}

/* power(effect, rows, options) */
PG_FUNCTION_INFO_V1(pgfit_power);
PGDLLEXPORT Datum pgfit_power(PG_FUNCTION_ARGS)
{
    PG_RETURN_FLOAT8(test_power(host_env(), PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), options_argument(fcinfo, 2, "power", power_options)));
}

/* sample_size(effect, options) */
PG_FUNCTION_INFO_V1(pgfit_sample_size);
PGDLLEXPORT Datum pgfit_sample_size(PG_FUNCTION_ARGS)
{
    PG_RETURN_FLOAT8(test_sample_size(host_env(), PG_GETARG_FLOAT8(0), options_argument(fcinfo, 1, "sample_size", sizing_options)));
}

/* detectable_effect(rows, options) */
PG_FUNCTION_INFO_V1(pgfit_detectable_effect);
PGDLLEXPORT Datum pgfit_detectable_effect(PG_FUNCTION_ARGS)
{
    PG_RETURN_FLOAT8(test_detectable_effect(host_env(), PG_GETARG_FLOAT8(0), options_argument(fcinfo, 1, "detectable_effect", sizing_options)));
}

/* adjust_p(p_values, method): elements that are NULL stay as they are */
PG_FUNCTION_INFO_V1(pgfit_adjust_p);
PGDLLEXPORT Datum pgfit_adjust_p(PG_FUNCTION_ARGS)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
    Datum *values;
    bool *nulls;
    int count, used = 0;
    double *p;

    deconstruct_array(array, FLOAT8OID, sizeof(double), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values, &nulls, &count);
    p = palloc((count + 1) * sizeof(double));
    for (int i = 0; i < count; i++)
        if (!nulls[i])
            p[used++] = DatumGetFloat8(values[i]);
    adjust_p(host_env(), p, (uint32)used, text_to_cstring(PG_GETARG_TEXT_PP(1)));
    used = 0;
    for (int i = 0; i < count; i++)
        if (!nulls[i])
            values[i] = Float8GetDatum(p[used++]);
    PG_RETURN_ARRAYTYPE_P(construct_md_array(values, nulls, ARR_NDIM(array), ARR_DIMS(array), ARR_LBOUND(array), FLOAT8OID, sizeof(double), FLOAT8PASSBYVAL,
                                             TYPALIGN_DOUBLE));
}
