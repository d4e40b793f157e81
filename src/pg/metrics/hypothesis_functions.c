/*
 * hypothesis_functions.c - statistical tests from stored moments.
 */
#include "pg/metrics/hypothesis.h"
#include "pg/features/row_pair.h"

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
