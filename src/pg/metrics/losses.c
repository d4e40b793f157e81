/*
 * losses.c - the loss of a single prediction, and mean losses of probabilities and scores as aggregates.
 */
#include "pg/metrics/metric_state.h"
#include "core/metrics/loss.h"

#include <math.h>

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "utils/array.h"

/* ---- single predictions ---- */

PG_FUNCTION_INFO_V1(pgfit_loss);
PGDLLEXPORT Datum pgfit_loss(PG_FUNCTION_ARGS)
{
    text *name = PG_GETARG_TEXT_PP(2);
    size_t length = VARSIZE_ANY_EXHDR(name);
    char *wanted;

    for (int loss = 0; loss < LOSS_COUNT; loss++)
        if (strlen(loss_names[loss]) == length && memcmp(loss_names[loss], VARDATA_ANY(name), length) == 0) {
            double value = loss_of(host_env(), (Loss)loss, PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(3));

            if (isinf(value))
                env_fail(host_env(), ERROR_RANGE, NULL, "value out of range: overflow");
            PG_RETURN_FLOAT8(value);
        }
    wanted = text_to_cstring(name);
    env_fail(host_env(), ERROR_PARAMETER,
             "Use absolute, epsilon_insensitive, hinge, logistic, squared or zero_one.",
             "there is no loss \"%s\"", wanted);
}

/* ---- means ---- */

typedef struct LossState {
    MetricState metric;
    bool begun; /* options are read */
    MeanLossState mean;
} LossState;

static const Estimator log_loss = {.name = "log_loss", .options = OPTION_TABLES(clip_options, positive_options)},
                       log_loss_classes = {.name = "log_loss", .options = OPTION_TABLES(clip_options)},
                       brier_score = {.name = "brier_score", .options = OPTION_TABLES(positive_options)},
                       hinge_loss = {.name = "hinge_loss", .options = OPTION_TABLES(positive_options)};

/* Mean losses by name, and their options: of one probability or score, and of one probability per class. */
static const struct LossMetric {
    const char *name;
    MeanLoss loss;
    const Estimator *metric, *classes_metric; /* NULL: no options */
} loss_metrics[] = {{"log_loss", MEAN_LOG, &log_loss, &log_loss_classes},
                    {"brier_score", MEAN_BRIER, &brier_score, NULL},
                    {"hinge_loss", MEAN_HINGE, &hinge_loss, NULL}};

static MetricSite *loss_site(FunctionCallInfo fcinfo, bool per_class)
{
    MetricSite *site = call_site_find(fcinfo);
    SupportFunction function;

    if (likely(site != NULL))
        return site;
    support_function(fcinfo, per_class ? "_classes_step" : "_step", &function);
    for (size_t i = 0; i < lengthof(loss_metrics); i++)
        if (strcmp(loss_metrics[i].name, function.aggregate) == 0 &&
            !(per_class && loss_metrics[i].loss == MEAN_HINGE)) {
            site = metric_site(&function, per_class ? loss_metrics[i].classes_metric : loss_metrics[i].metric,
                               per_class ? 3 : 2);
            site->loss = loss_metrics[i].loss;
            return site;
        }
    fail_support_function(fcinfo);
}

static void state_begin(LossState *state, MetricSite *site, FunctionCallInfo fcinfo, bool several)
{
    MemoryContext caller;

    metric_options_read(&state->metric, site, fcinfo);
    if (state->begun)
        return;
    caller = MemoryContextSwitchTo(state->metric.context);
    mean_loss_begin(host_env(), &state->mean, site->loss, several, site->call.options);
    MemoryContextSwitchTo(caller);
    state->begun = true;
}

/* NAME_step(state, label, p [, options] [, weight]) */
PG_FUNCTION_INFO_V1(pgfit_loss_step);
PGDLLEXPORT Datum pgfit_loss_step(PG_FUNCTION_ARGS)
{
    MetricSite *site = loss_site(fcinfo, false);
    LossState *state = metric_state(fcinfo, &loss_kind);
    MemoryContext caller;
    const char *label;
    uint32_t length;
    double key;

    state_begin(state, site, fcinfo, false);
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        PG_RETURN_POINTER(state);
    label = value_label(site->actual, PG_GETARG_DATUM(1), &length, &key);
    caller = MemoryContextSwitchTo(state->metric.context);
    mean_loss_add(host_env(), &state->mean, label, length, key, value_is_number(site->actual), PG_GETARG_FLOAT8(2),
                  metric_weight(site, fcinfo));
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

/* Reads the numbers of a float8[]. Returns false if one is NULL. */
static bool read_probabilities(ArrayType *array, const double **numbers, uint32 *count)
{
    if (ARR_HASNULL(array) && array_contains_nulls(array))
        return false;
    *numbers = (const double *)ARR_DATA_PTR(array);
    *count = (uint32)ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    return true;
}

/* Returns the label's position among the classes. Fails with ERROR_DATA if it is none of them. */
static uint32 find_class(const char *label, uint32_t length, ArrayType *classes, uint32 count)
{
    const char *place = ARR_DATA_PTR(classes);
    uint32 have = (uint32)ArrayGetNItems(ARR_NDIM(classes), ARR_DIMS(classes));

    if (have != count)
        env_fail(host_env(), ERROR_DATA, "Pass classes(model) along with probabilities(model, features).",
                 "%u probabilities for %u class%s", count, have, have == 1 ? "" : "es");
    if (ARR_HASNULL(classes) && array_contains_nulls(classes))
        env_fail(host_env(), ERROR_DATA, NULL, "a class is null");
    for (uint32 k = 0; k < count; k++) {
        place = (const char *)att_align_pointer(place, TYPALIGN_INT, -1, place);
        if (VARSIZE_ANY_EXHDR(place) == length && memcmp(VARDATA_ANY(place), label, length) == 0)
            return k;
        place += VARSIZE_ANY(place);
    }
    env_fail(host_env(), ERROR_DATA, "Pass the classes of the probabilities, in their order, as text.",
             "the label \"%.*s\" is not one of the %u classes", (int)length, label, count);
}

/* NAME_classes_step(state, label, probabilities, classes [, options] [, weight]) */
PG_FUNCTION_INFO_V1(pgfit_loss_classes_step);
PGDLLEXPORT Datum pgfit_loss_classes_step(PG_FUNCTION_ARGS)
{
    MetricSite *site = loss_site(fcinfo, true);
    LossState *state = metric_state(fcinfo, &loss_kind);
    const double *probabilities;
    MemoryContext caller;
    const char *label;
    uint32_t length;
    double key, value;
    uint32 count;

    state_begin(state, site, fcinfo, true);
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3) ||
        !read_probabilities(PG_GETARG_ARRAYTYPE_P(2), &probabilities, &count))
        PG_RETURN_POINTER(state);
    label = value_label(site->actual, PG_GETARG_DATUM(1), &length, &key);
    value = several_loss(host_env(), site->loss, probabilities, count,
                         find_class(label, length, PG_GETARG_ARRAYTYPE_P(3), count), state->mean.clip);
    caller = MemoryContextSwitchTo(state->metric.context);
    mean_loss_add_value(host_env(), &state->mean, value, metric_weight(site, fcinfo));
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(state);
}

/* NAME_final(state): the state knows its loss */
PG_FUNCTION_INFO_V1(pgfit_loss_final);
PGDLLEXPORT Datum pgfit_loss_final(PG_FUNCTION_ARGS)
{
    const LossState *state;
    double result;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = (LossState *)PG_GETARG_POINTER(0);
    if (!mean_loss_result(host_env(), &state->mean, &result))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(result);
}

static void merge_losses(MetricState *into, const MetricState *from)
{
    LossState *state = (LossState *)into;
    const LossState *other = (const LossState *)from;

    if (!state->begun)
        mean_loss_copy_options(host_env(), &state->mean, &other->mean);
    mean_loss_merge(host_env(), &state->mean, &other->mean);
    state->begun = true;
}

static void read_losses(MetricState *state, const uint8_t *bytes, size_t size)
{
    ((LossState *)state)->begun = true;
    mean_loss_of_bytes(host_env(), &((LossState *)state)->mean, bytes, size);
}

static uint8_t *write_losses(const MetricState *state, size_t *size)
{
    return mean_loss_bytes(host_env(), &((const LossState *)state)->mean, size);
}

const MetricKind loss_kind = {sizeof(LossState), merge_losses, read_losses, write_losses};

/* ---- the same with a state of type bytea ---- */

PG_FUNCTION_INFO_V1(pgfit_loss_step_bytes);
PGDLLEXPORT Datum pgfit_loss_step_bytes(PG_FUNCTION_ARGS)
{
    return metric_bytes_step(fcinfo, pgfit_loss_step);
}

PG_FUNCTION_INFO_V1(pgfit_loss_classes_step_bytes);
PGDLLEXPORT Datum pgfit_loss_classes_step_bytes(PG_FUNCTION_ARGS)
{
    return metric_bytes_step(fcinfo, pgfit_loss_classes_step);
}

PG_FUNCTION_INFO_V1(pgfit_loss_final_bytes);
PGDLLEXPORT Datum pgfit_loss_final_bytes(PG_FUNCTION_ARGS)
{
    return metric_bytes_final(fcinfo, &loss_kind, pgfit_loss_final);
}
