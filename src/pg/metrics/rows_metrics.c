/*
 * rows_metrics.c - metrics that need all rows: over a label and a score, or two numbers, areas, curves, medians, histograms; the curve of
 * Kaplan and Meier, its median, and concordance; and those of cluster_aggregates.c.
 *
 * The state is that of every aggregate over rows. A point has a composite type, and a curve is an array of points.
 */
#include "pg/metrics/rows_metrics.h"
#include "pg/type/composites.h"
#include "core/metrics/ranking_metrics.h"
#include "core/metrics/cluster_metrics.h"
#include "core/survival/concordance.h"
#include "core/survival/kaplan_meier.h"

#include <math.h>

/* ---- numbers ---- */

static Datum roc_auc_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    double most = options_number(options, "max_fpr");

    PG_RETURN_FLOAT8(most == 1 ? ranking_auc(host_env(), rows, positive) : ranking_partial_auc(host_env(), rows, positive, most));
}

static Datum ks_statistic_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    PG_RETURN_FLOAT8(ranking_ks(host_env(), rows, positive));
}

static Datum average_precision_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    PG_RETURN_FLOAT8(ranking_average_precision(host_env(), rows, positive));
}

static Datum expected_calibration_error_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    PG_RETURN_FLOAT8(ranking_calibration_error(host_env(), rows, positive, options));
}

static Datum median_absolute_error_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    PG_RETURN_FLOAT8(median_absolute_error(host_env(), rows));
}

/* ---- composites ---- */

static const bool no_nulls[8];
static const char smaller_curve[] =
    "Round the scores, or use option \"points\": \"hull\" of roc_curve.";

static Datum roc_curve_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    RankingCurve curve = ranking_curve(host_env(), rows, positive, options_is(options, "points", "hull"));
    CompositeList list = composites(fcinfo, 6, curve.count, "the curve");

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

static Datum precision_recall_curve_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    RankingCurve curve = ranking_curve(host_env(), rows, positive, false);
    CompositeList list = composites(fcinfo, 5, curve.count, "the curve");

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

static Datum calibration_curve_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    uint32_t count;
    const CalibrationBin *bins = ranking_calibration(host_env(), rows, positive, options, &count);
    CompositeList list = composites(fcinfo, 6, count, "the curve");

    for (uint32_t i = 0; i < count; i++) {
        Datum values[] = {Float8GetDatum(bins[i].lower),          Float8GetDatum(bins[i].upper),
                          Int64GetDatum((int64)bins[i].rows),     Float8GetDatum(bins[i].weight),
                          Float8GetDatum(bins[i].mean_predicted), Float8GetDatum(bins[i].positive_share)};

        composites_add(&list, values, no_nulls);
    }
    return composites_array(&list, caller, smaller_curve);
}

static Datum operating_point_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    OperatingPoint best = ranking_least_cost(host_env(), rows, positive, options);
    Datum values[] = {Float8GetDatum(best.threshold),
                      Float8GetDatum(best.cost),
                      Float8GetDatum(best.rates.false_positive_rate),
                      Float8GetDatum(best.rates.true_positive_rate),
                      Float8GetDatum(best.point.true_positives),
                      Float8GetDatum(best.point.false_positives),
                      Float8GetDatum(best.false_negatives),
                      Float8GetDatum(best.true_negatives)};

    return composite_result(fcinfo, lengthof(values), values, no_nulls, caller);
}

static Datum roc_auc_interval_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    AreaInterval interval = ranking_auc_interval(host_env(), rows, positive, options);
    bool none = isnan(interval.std_error);
    Datum values[] = {Float8GetDatum(interval.area), Float8GetDatum(interval.std_error), Float8GetDatum(interval.low),
                      Float8GetDatum(interval.high)};
    bool nulls[] = {false, none, none, none};

    return composite_result(fcinfo, lengthof(values), values, nulls, caller);
}

static Datum gain_curve_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    uint32_t count;
    const GainPoint *points = ranking_gains(host_env(), rows, positive, options, &count);
    CompositeList list = composites(fcinfo, 8, count, "the curve");

    for (uint32_t i = 0; i < count; i++) {
        Datum values[] = {Int32GetDatum((int32)points[i].bin),      Float8GetDatum(points[i].threshold),
                          Int64GetDatum((int64)points[i].rows),     Float8GetDatum(points[i].weight),
                          Float8GetDatum(points[i].positive_share), Float8GetDatum(points[i].share),
                          Float8GetDatum(points[i].gain),           Float8GetDatum(points[i].lift)};

        composites_add(&list, values, no_nulls);
    }
    return composites_array(&list, caller, "Ask for fewer \"bins\".");
}

static Datum score_histogram_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    uint64_t count;
    const ScoreBin *bins = score_histogram(host_env(), rows, options, &count);
    CompositeList list = composites(fcinfo, 7, count, "the histogram");

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

/* ---- of censored times ---- */

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

static Datum concordance_result(FunctionCallInfo fcinfo, Rows *rows, double positive, const Options *options, MemoryContext caller)
{
    double value = concordance_observed(host_env(), rows);

    if (isnan(value))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}

/* ---- entry points ---- */

static const RowsMetric metrics[] = {
    {&roc_auc_rows, roc_auc_result, ranking_positive, "the score"},
    {&average_precision_rows, average_precision_result, ranking_positive, "the score"},
    {&roc_curve_rows, roc_curve_result, ranking_positive, "the score"},
    {&precision_recall_curve_rows, precision_recall_curve_result, ranking_positive, "the score"},
    {&calibration_curve_rows, calibration_curve_result, ranking_positive, "the score"},
    {&operating_point_rows, operating_point_result, ranking_positive, "the score"},
    {&score_histogram_rows, score_histogram_result, .number = "the score"},
    {&roc_auc_interval_rows, roc_auc_interval_result, ranking_positive, "the score"},
    {&median_absolute_error_rows, median_absolute_error_result, .number = "the predicted value"},
    {&ks_statistic_rows, ks_statistic_result, ranking_positive, "the score"},
    {&gain_curve_rows, gain_curve_result, ranking_positive, "the score"},
    {&expected_calibration_error_rows, expected_calibration_error_result, ranking_positive, "the score"},
    {&kaplan_meier_rows, kaplan_meier_result},
    {&median_survival_rows, median_survival_result},
    {&concordance_observed_rows, concordance_result},
    {&silhouette_rows, silhouette_result},
    {&silhouettes_rows, silhouettes_result},
    {&calinski_harabasz_rows, calinski_harabasz_result},
    {&davies_bouldin_rows, davies_bouldin_result},
    {NULL}};

/* NAME_step(state, label, score [, options [, weight]]); (state, time, event ...); (state, cluster, features ...) */
PG_FUNCTION_INFO_V1(pgfit_rows_metric_step);
PGDLLEXPORT Datum pgfit_rows_metric_step(PG_FUNCTION_ARGS)
{
    return rows_metric_step(fcinfo, metrics);
}

/* NAME_final(state) */
PG_FUNCTION_INFO_V1(pgfit_rows_metric_final);
PGDLLEXPORT Datum pgfit_rows_metric_final(PG_FUNCTION_ARGS)
{
    return rows_metric_final(fcinfo, metrics);
}
