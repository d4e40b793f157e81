/*
 * kaplan_meier.c - the product-limit estimate of survival, its limits and its median.
 *
 * Conventions are those of survfit of the R package survival: Greenwood's variance of the logarithm of survival, limits of that logarithm or
 * of log(-log), and a median in the middle where the curve is flat at 0.5.
 */
#include "core/survival/kaplan_meier.h"
#include "core/estimator/shared_options.h"
#include "core/math/special_functions.h"
#include "core/metrics/score_sort.h"

#include <math.h>

#define POINTS_FIRST 64
#define POLL_POINTS 65536
#define HALF_TOLERANCE 1.490116119384766e-8 /* sqrt(DBL_EPSILON), as in R: a survival this near to 0.5 is 0.5 */

static const char *const conf_types[] = {"log", "log-log", NULL};

static const OptionSpec own_options[] = {
    {.name = "conf_type",
     .types = OPTION_STRING,
     .fallback = "\"log\"",
     .choices = conf_types,
     .help = "Limits from the logarithm of survival, or from log(-log), which stay between 0 and 1 and suit few rows."},
    {.name = NULL}};

#define SURVIVAL_ROWS(sql_name)                                                                                        \
    const Estimator sql_name##_rows = {.name = #sql_name,                                                              \
                                       .task = TASK_REGRESSION,                                                        \
                                       .input = INPUT_ROWS,                                                            \
                                       .supervised = true,                                                             \
                                       .numeric = true,                                                                \
                                       .options = OPTION_TABLES(options_common, option_level, own_options)}

SURVIVAL_ROWS(kaplan_meier);
SURVIVAL_ROWS(median_survival);

/* The points so far, the latest time first. */
typedef struct Curve {
    Env *env;
    SurvivalPoint *points;
    uint64_t count, room;
    double at_risk;
} Curve;

static void add_time(void *context, const ScoreGroup *group)
{
    Curve *curve = context;
    Env *env = curve->env;

    if (group->score < 0)
        env_fail(env, ERROR_DATA, "Pass the time from the start to the event, or until the row was last seen.", "a time is %g, below 0", group->score);
    if (curve->count == curve->room) {
        curve->room = curve->room > 0 ? 2 * curve->room : POINTS_FIRST;
        env_require_memory(env, curve->room * sizeof(SurvivalPoint), "the curve");
        curve->points = env->resize(env, curve->points, curve->room * sizeof(SurvivalPoint));
    }
    curve->at_risk += group->positive + group->negative; /* from the last time back: small counts at the end keep their digits */
    curve->points[curve->count++] =
        (SurvivalPoint){.time = group->score, .at_risk = curve->at_risk, .events = group->positive, .censored = group->negative};
}

/* Sets the limits of a point. error: of the logarithm of survival. */
static void set_limits(SurvivalPoint *point, double error, double z, bool log_log)
{
    double s = point->survival, distance = z * error;

    point->std_error = s * error;
    if (!(s > 0)) {
        point->std_error = point->conf_low = point->conf_high = NAN;
    } else if (s == 1) {
        point->conf_low = point->conf_high = 1;
    } else if (log_log) {
        distance /= fabs(log(s));
        point->conf_low = exp(log(s) * exp(distance));
        point->conf_high = exp(log(s) * exp(-distance));
    } else {
        point->conf_low = s * exp(-distance);
        point->conf_high = fmin(1, s * exp(distance));
    }
}

SurvivalPoint *kaplan_meier(Env *env, Rows *rows, const Options *options, uint64_t *count)
{
    Curve curve = {.env = env};
    double z = normal_quantile(0.5 + options_number(options, "level") / 2), survival = 1, variance = 0;
    bool log_log = options_is(options, "conf_type", "log-log");

    target_order(env, rows, 1, true, add_time, &curve);
    for (uint64_t i = 0; i < curve.count / 2; i++) {
        SurvivalPoint point = curve.points[i];

        curve.points[i] = curve.points[curve.count - 1 - i];
        curve.points[curve.count - 1 - i] = point;
    }
    for (uint64_t i = 0; i < curve.count; i++) {
        SurvivalPoint *point = &curve.points[i];
        /* a difference from at_risk would lose the digits of small weights after large ones */
        double left = (i + 1 < curve.count ? point[1].at_risk : 0) + point->censored;

        if (i % POLL_POINTS == 0)
            env->poll(env);
        if (point->events > 0) {
            survival *= left / point->at_risk;
            variance += point->events / point->at_risk / left;
        }
        point->survival = survival;
        set_limits(point, sqrt(variance), z, log_log);
    }
    *count = curve.count;
    return curve.points;
}

/* Returns the time at which a curve comes down to 0.5: the first, or the middle of the times between which it is 0.5. NaN: it does not. */
static double half_time(const SurvivalPoint *points, uint64_t count, size_t curve)
{
    double first = NAN, at = NAN;

    for (uint64_t i = 0; i < count; i++) {
        double y = *(const double *)((const char *)&points[i] + curve);

        if (!(y < 0.5 + HALF_TOLERANCE))
            continue;
        if (isnan(first)) {
            first = y;
            at = points[i].time;
            if (fabs(y - 0.5) >= HALF_TOLERANCE)
                return at;
        } else if (y < first) {
            return at / 2 + points[i].time / 2;
        }
    }
    return at;
}

SurvivalMedian median_survival(Env *env, Rows *rows, const Options *options)
{
    uint64_t count;
    const SurvivalPoint *points = kaplan_meier(env, rows, options, &count);

    return (SurvivalMedian){.median = half_time(points, count, offsetof(SurvivalPoint, survival)),
                            .conf_low = half_time(points, count, offsetof(SurvivalPoint, conf_low)),
                            .conf_high = half_time(points, count, offsetof(SurvivalPoint, conf_high))};
}
