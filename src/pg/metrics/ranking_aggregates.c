/*
 * ranking_aggregates.c - metrics over a label and a score that need all rows: areas, curves, operating points, histograms.
 *
 * The state is that of every aggregate over rows. A point has a composite type, and a curve is an array of points.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/type/composites.h"
#include "core/metrics/ranking_metrics.h"
#include "core/metrics/score_histogram.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"

/* ---- numbers ---- */

typedef double (*Area)(Env *env, Rows *rows, double positive);

static Datum area_result(Rows *rows, const Options *options, Area area, FunctionCallInfo fcinfo)
{
    double positive;

    if (!ranking_positive(host_env(), rows, options, &positive))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(area(host_env(), rows, positive));
}

static Datum roc_auc_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options, MemoryContext caller)
{
    return area_result(rows, options, ranking_auc, fcinfo);
}

static Datum average_precision_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options,
                                      MemoryContext caller)
{
    return area_result(rows, options, ranking_average_precision, fcinfo);
}

/* ---- composites ---- */

static const bool no_nulls[8];
static const char smaller_curve[] =
    "Round the scores, or use option \"points\": \"hull\" of roc_curve.";

static Datum roc_curve_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options, MemoryContext caller)
{
    CompositeList list;
    RankingCurve curve;
    double positive;

    if (!ranking_positive(host_env(), rows, options, &positive))
        PG_RETURN_NULL();
    curve = ranking_curve(host_env(), rows, positive, options_is(options, "points", "hull"));
    list = composites(fcinfo, 6, curve.count, "the curve");
    for (uint64 i = 0; i < curve.count; i++) {
        const RankingPoint *point = &curve.points[i];
        RankingRates rates = ranking_rates(&curve, point);
        Datum values[] = {Float8GetDatum(point->threshold),
                          Float8GetDatum(rates.false_positive_rate),
                          Float8GetDatum(rates.true_positive_rate),
                          Float8GetDatum(point->false_positives),
                          Float8GetDatum(point->true_positives),
                          BoolGetDatum(point->on_hull)};

        composites_add(&list, values, no_nulls);
    }
    return composites_array(&list, caller, smaller_curve);
}

static Datum precision_recall_curve_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options,
                                           MemoryContext caller)
{
    CompositeList list;
    RankingCurve curve;
    double positive;

    if (!ranking_positive(host_env(), rows, options, &positive))
        PG_RETURN_NULL();
    curve = ranking_curve(host_env(), rows, positive, false);
    list = composites(fcinfo, 5, curve.count, "the curve");
    for (uint64 i = 1; i < curve.count; i++) { /* without the infinite threshold, which has no precision */
        const RankingPoint *point = &curve.points[i];
        RankingRates rates = ranking_rates(&curve, point);
        Datum values[] = {Float8GetDatum(point->threshold), Float8GetDatum(rates.precision),
                          Float8GetDatum(rates.true_positive_rate),
                          Float8GetDatum(point->false_positives), Float8GetDatum(point->true_positives)};

        composites_add(&list, values, no_nulls);
    }
    return composites_array(&list, caller, smaller_curve);
}

static Datum calibration_curve_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options,
                                      MemoryContext caller)
{
    CompositeList list;
    CalibrationBin *bins;
    double positive;
    uint32_t count;

    if (!ranking_positive(host_env(), rows, options, &positive))
        PG_RETURN_NULL();
    bins = ranking_calibration(host_env(), rows, positive, options, &count);
    list = composites(fcinfo, 6, count, "the curve");
    for (uint32_t i = 0; i < count; i++) {
        Datum values[] = {Float8GetDatum(bins[i].lower),          Float8GetDatum(bins[i].upper),
                          Int64GetDatum((int64)bins[i].rows),     Float8GetDatum(bins[i].weight),
                          Float8GetDatum(bins[i].mean_predicted), Float8GetDatum(bins[i].positive_share)};

        composites_add(&list, values, no_nulls);
    }
    return composites_array(&list, caller, smaller_curve);
}

static Datum operating_point_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options,
                                    MemoryContext caller)
{
    OperatingPoint best;
    TupleDesc description;
    double positive;
    Oid type;

    if (!ranking_positive(host_env(), rows, options, &positive))
        PG_RETURN_NULL();
    best = ranking_least_cost(host_env(), rows, positive, options);
    description = composites_type(fcinfo, 8, &type);
    {
        Datum values[] = {Float8GetDatum(best.point.threshold),
                          Float8GetDatum(best.cost),
                          Float8GetDatum(best.rates.false_positive_rate),
                          Float8GetDatum(best.rates.true_positive_rate),
                          Float8GetDatum(best.point.true_positives),
                          Float8GetDatum(best.point.false_positives),
                          Float8GetDatum(best.false_negatives),
                          Float8GetDatum(best.true_negatives)};
        HeapTuple tuple = heap_form_tuple(description, values, (bool *)no_nulls);

        MemoryContextSwitchTo(caller);
        return heap_copy_tuple_as_datum(tuple, description);
    }
}

static Datum score_histogram_result(FunctionCallInfo fcinfo, Rows *rows, const Options *options, MemoryContext caller)
{
    CompositeList list;
    ScoreBin *bins;
    uint64_t count;

    bins = score_histogram(host_env(), rows, options, &count);
    list = composites(fcinfo, 7, count, "the histogram");
    for (uint64_t i = 0; i < count; i++) {
        uint32_t length;
        const char *label = dictionary_text(rows_schema(rows), DICTIONARY_CLASSES, bins[i].class, &length);
        Datum values[] = {PointerGetDatum(cstring_to_text_with_len(label, (int)length)),
                          Int32GetDatum((int32)bins[i].bin),
                          Float8GetDatum(bins[i].low),
                          Float8GetDatum(bins[i].high),
                          Int64GetDatum((int64)bins[i].rows),
                          Float8GetDatum(bins[i].weight),
                          Float8GetDatum(bins[i].share)};

        composites_add(&list, values, no_nulls);
    }
    return composites_array(&list, caller, "Ask for fewer \"bins\".");
}

/* ---- entry points ---- */

static const RowsMetric ranking_metrics[] = {{&roc_auc_rows, roc_auc_result},
                                             {&average_precision_rows, average_precision_result},
                                             {&roc_curve_rows, roc_curve_result},
                                             {&precision_recall_curve_rows, precision_recall_curve_result},
                                             {&calibration_curve_rows, calibration_curve_result},
                                             {&operating_point_rows, operating_point_result},
                                             {&score_histogram_rows, score_histogram_result},
                                             {NULL, NULL}};

/* NAME_step(state, label, score [, options [, weight]]) */
PG_FUNCTION_INFO_V1(pgfit_ranking_step);
PGDLLEXPORT Datum pgfit_ranking_step(PG_FUNCTION_ARGS)
{
    return rows_metric_step(fcinfo, ranking_metrics);
}

/* NAME_final(state) */
PG_FUNCTION_INFO_V1(pgfit_ranking_final);
PGDLLEXPORT Datum pgfit_ranking_final(PG_FUNCTION_ARGS)
{
    return rows_metric_final(fcinfo, ranking_metrics);
}
