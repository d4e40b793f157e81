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
#define RISK_LEAST 1e-10 /* share of the most weight at risk below which the weight that late entries leave has lost its digits */
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

/* Returns how many numbers a row has beside its time: a boolean, or two of which the second is a number. Fails if they are others. */
static uint32_t require_slots(Env *env, const Model *schema)
{
    uint32_t count = schema->field_count;
    bool event = count > 0 && schema_field_kind(schema, 0) == FIELD_BOOLEAN;

    if (count != schema->slot_count || (count == 1 && !event) || (count == 2 && (!event || schema_field_kind(schema, 1) != FIELD_NUMERIC)) || count > 2)
        env_fail(env, ERROR_PARAMETER, "Pass a boolean, or (event, entry): whether the event happened, and the time from which the row is observed.",
                 "what is known of a time is neither an event nor an event and an entry");
    return count;
}

/* Returns how many points are not later than a time. */
static uint64_t points_until(const Curve *curve, double time)
{
    uint64_t begin = 0, end = curve->count;

    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;

        if (curve->points[middle].time <= time)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Takes rows away from the points before they enter. Points rise. */
static void subtract_entries(const Curve *curve, Rows *rows)
{
    Env *env = curve->env;
    RowsReader *reader = rows_reader(env, rows);
    double *late, sum = 0, most = 0;
    RowsBlock block;

    env_require_memory(env, (curve->count + 1) * sizeof(double), "the curve");
    late = env_array(env, curve->count + 1, sizeof(double)); /* what enters between a point and the next one */
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double entry = block.slots[2 * (size_t)i + 1];

            if (!(entry < block.targets[i]))
                env_fail(env, ERROR_DATA, "Leave out rows that are never observed: they must enter before their time.",
                         "a row enters at %g, which is not before its time, %g", entry, block.targets[i]);
            late[points_until(curve, entry)] += row_weight(block.weights, i);
        }
    rows_reader_free(reader);
    for (uint64_t i = curve->count; i-- > 0;) {
        sum += late[i + 1];
        most = fmax(most, curve->points[i].at_risk);
        curve->points[i].at_risk -= sum;
        if (!(curve->points[i].at_risk > RISK_LEAST * most))
            env_fail(env, ERROR_RANGE, "Leave out rows of tiny weight.", "the weights of the rows at risk differ by more than double precision holds");
        if (i % POLL_POINTS == 0)
            env->poll(env);
    }
    env->release(env, late);
}

/* Returns the weight that survives a point. late: rows enter late. */
static double weight_left(const SurvivalPoint *point, bool last, bool late)
{
    double left = point->at_risk - point->events;

    if (late)
        return left > RISK_LEAST * point->at_risk ? left : 0;
    return (last ? 0 : point[1].at_risk) + point->censored; /* the difference would lose the digits of small weights after large ones */
}

SurvivalPoint *kaplan_meier(Env *env, Rows *rows, const Options *options, uint64_t *count)
{
    Curve curve = {.env = env};
    double z = normal_quantile(0.5 + options_number(options, "level") / 2), survival = 1, variance = 0;
    bool log_log = options_is(options, "conf_type", "log-log");
    uint32_t slots = require_slots(env, rows_schema(rows));

    target_order(env, rows, 1, true, add_time, &curve);
    for (uint64_t i = 0; i < curve.count / 2; i++) {
        SurvivalPoint point = curve.points[i];

        curve.points[i] = curve.points[curve.count - 1 - i];
        curve.points[curve.count - 1 - i] = point;
    }
    if (slots == 2)
        subtract_entries(&curve, rows);
    for (uint64_t i = 0; i < curve.count; i++) {
        SurvivalPoint *point = &curve.points[i];
        double left = weight_left(point, i + 1 == curve.count, slots == 2);

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
