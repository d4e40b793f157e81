/*
 * survival_aggregates.c - the Kaplan-Meier curve and its median.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/type/composites.h"
#include "core/survival/kaplan_meier.h"

#include <math.h>

static Datum kaplan_meier_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    uint64 count;
    const SurvivalPoint *points = kaplan_meier(host_env(), rows, options, &count);
    CompositeList list = composites(fcinfo, 8, count, "the curve");

    for (uint64 i = 0; i < count; i++) {
        const SurvivalPoint *point = &points[i];
        Datum values[] = {Float8GetDatum(point->time),     Float8GetDatum(point->at_risk),   Float8GetDatum(point->events),   Float8GetDatum(point->censored),
                          Float8GetDatum(point->survival), Float8GetDatum(point->std_error), Float8GetDatum(point->conf_low), Float8GetDatum(point->conf_high)};
        bool none = isnan(point->std_error), nulls[] = {false, false, false, false, false, none, none, none};

        composites_add(&list, values, nulls);
    }
    return composites_array(&list, caller, "Round the times.");
}

static Datum median_survival_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    SurvivalMedian median = median_survival(host_env(), rows, options);
    Datum values[] = {Float8GetDatum(median.median), Float8GetDatum(median.conf_low), Float8GetDatum(median.conf_high)};
    bool nulls[] = {isnan(median.median), isnan(median.conf_low), isnan(median.conf_high)};

    return composite_result(fcinfo, lengthof(values), values, nulls, caller);
}

static const RowsMetric survival_metrics[] = {
    {&kaplan_meier_rows, kaplan_meier_result}, {&median_survival_rows, median_survival_result}, {NULL}};

/* NAME_step(state, time, event [, options [, weight]]) */
PG_FUNCTION_INFO_V1(pgfit_survival_step);
PGDLLEXPORT Datum pgfit_survival_step(PG_FUNCTION_ARGS)
{
    return rows_metric_step(fcinfo, survival_metrics);
}

/* NAME_final(state) */
PG_FUNCTION_INFO_V1(pgfit_survival_final);
PGDLLEXPORT Datum pgfit_survival_final(PG_FUNCTION_ARGS)
{
    return rows_metric_final(fcinfo, survival_metrics);
}
