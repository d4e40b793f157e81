/*
 * anova.c - anova(smaller, larger): the test of the additional terms of a model.
 */
#include "pg/host/backend_env.h"
#include "core/inspection/nested_test.h"

#include <math.h>

#include "access/htup_details.h"
#include "funcapi.h"

PG_FUNCTION_INFO_V1(pgfit_anova);
PGDLLEXPORT Datum pgfit_anova(PG_FUNCTION_ARGS)
{
    NestedTest test = nested_test(host_env(), PG_GETARG_SOUND_MODEL(0), PG_GETARG_SOUND_MODEL(1));
    double numbers[] = {test.statistic, test.df, test.df_residual, test.p_value};
    TupleDesc description;
    Datum values[5];
    bool nulls[5] = {false};

    if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE || description->natts != (int)lengthof(values))
        elog(ERROR, "anova has a wrong declaration");
    values[0] = CStringGetTextDatum(test.test);
    for (int i = 0; i < (int)lengthof(numbers); i++) {
        values[i + 1] = Float8GetDatum(numbers[i]);
        nulls[i + 1] = isnan(numbers[i]);
    }
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(description), values, nulls));
}
