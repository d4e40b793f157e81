/*
 * hypothesis_functions.c - statistical tests from stored moments, and adjusted p-values.
 */
#include "pg/metrics/hypothesis.h"
#include "pg/features/row_pair.h"
#include "core/hypothesis/adjusted_p.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

static Datum moments_test(FunctionCallInfo fcinfo, const char *name)
{
    const HypothesisTest *test = hypothesis_test_find(name);
    const Options *options = options_argument(fcinfo, 1, name, hypothesis_moments_options(test));
    const Sample *sample = sample_of_moments(host_env(), test, PG_GETARG_SOUND_MODEL(0), options);
    HypothesisResult result;

    if (sample->group_count == 0)
        PG_RETURN_NULL();
    test->run(host_env(), sample, options, &result);
    if (!options_is(options, "on_failure", "null"))
        hypothesis_raise(&result);
    if (result.failure != NULL)
        PG_RETURN_NULL();
    return hypothesis_datum(fcinfo, &result);
}

/* NAME(moments, options) */
#define MOMENTS_TEST(symbol, name)                                                                 \
    PG_FUNCTION_INFO_V1(symbol);                                                                   \
    PGDLLEXPORT Datum symbol(PG_FUNCTION_ARGS)                                                     \
    {                                                                                              \
        return moments_test(fcinfo, name);                                                         \
    }
MOMENTS_TEST(pgfit_one_sample_t_test, "one_sample_t_test")
MOMENTS_TEST(pgfit_t_test, "t_test")
MOMENTS_TEST(pgfit_variance_test, "variance_test")
MOMENTS_TEST(pgfit_oneway_test, "oneway_test")
MOMENTS_TEST(pgfit_correlation_test, "correlation_test")

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
