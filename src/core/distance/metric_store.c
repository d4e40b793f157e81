/*
 * metric_store.c - writes metrics into models, and reads them back from arrays that may hold anything.
 */
#include "core/base/all_finite.h"
#include "core/distance/metric_internal.h"

#include <math.h>
#include <string.h>

#define METRIC_NUMBERS 4

/* Vectors are as long as the model has numeric slots: metric_read compares them. */
const ArraySpec metric_arrays[7] = {
    {.name = "kernel",
     .type = ARRAY_F64,
     .rows = {SIZE_NUMBER, .plus = 4},
     .presence = ARRAY_OPTIONAL,
     .other = "metric",
     .values = VALUES_ANY}, /* checked by kernel_read */
    {.name = "metric",
     .type = ARRAY_F64,
     .rows = {SIZE_NUMBER, .plus = METRIC_NUMBERS},
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_ANY},
    {.name = "metric_function",
     .type = ARRAY_TEXT,
     .rows = {SIZE_NUMBER, .plus = 1},
     .presence = ARRAY_OPTIONAL,
     .other = "metric"},
    {.name = "metric_matrix" MODEL_PACKED,
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .presence = ARRAY_OPTIONAL,
     .other = "metric"},
    {.name = "metric_origin", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .other = "metric"},
    {.name = "metric_scales", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .other = "metric"},
    {.name = "texts", .type = ARRAY_TEXT, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .other = "metric"}};

static bool is_default(const Metric *metric)
{
    return metric->kind == METRIC_EUCLIDEAN && metric->scale == 1 && metric->scales == NULL;
}

void metric_write(Env *env, const Metric *metric, ModelBuilder *builder)
{
    double *numbers;
    uint32_t n = metric->numbers;

    if (is_default(metric))
        return;
    numbers = env_array(env, METRIC_NUMBERS, sizeof(double));
    numbers[0] = metric->kind;
    numbers[1] = metric->p;
    numbers[2] = metric->scale;
    if (metric->kind == METRIC_HAVERSINE) {
        numbers[1] = metric->angle;
        numbers[3] = metric->radius;
    }
    if (metric->kind == METRIC_JARO_WINKLER)
        numbers[3] = metric->prefix_weight;
    if (metric->kind == METRIC_FUNCTION) {
        const char **signature = env_array(env, 1, sizeof *signature);

        *signature = metric->signature;
        builder_text(builder, SECTION_ARRAYS, "metric_function", signature, NULL, 1);
    }
    builder_f64(builder, SECTION_ARRAYS, "metric", numbers, METRIC_NUMBERS);
    if (metric->origin != NULL)
        builder_f64(builder, SECTION_ARRAYS, "metric_origin", metric->origin, n);
    if (metric->scales != NULL)
        builder_f64(builder, SECTION_ARRAYS, "metric_scales", metric->scales, n);
    if (metric->matrix != NULL)
        builder_f64(builder, SECTION_ARRAYS, "metric_matrix_packed", metric->matrix,
                    n * (n + 1) / 2);
    if (metric->kind == METRIC_KERNEL)
        kernel_write(env, &metric->kernel, builder);
}

static const char *read_matrix(Env *env, const Model *model, Metric *metric)
{
    uint32_t length = 0, n = metric->numbers;
    const double *matrix = model_f64(model, "metric_matrix_packed", &length);

    if (matrix == NULL || length != metric_packed_size(n) || !all_finite(matrix, length))
        return "the metric has no array \"metric_matrix\" of finite numbers with one row and one column per feature";
    metric->matrix = matrix;
    return metric_factorize(env, metric) < n ? "\"metric_matrix\" is not positive definite" : NULL;
}

static const char *read_vector(const Model *model, const char *name, uint32_t count, bool needed,
                               const double **vector)
{
    uint32_t length = 0;

    *vector = model_f64(model, name, &length);
    if (*vector == NULL)
        return needed ? "the metric lacks an array" : NULL;
    if (length != count || !all_finite(*vector, count))
        return "an array of the metric does not have one finite number per feature";
    return NULL;
}

static const char *read_parts(Env *env, const Model *model, Metric *metric)
{
    bool scaled = metric->kind == METRIC_STANDARDIZED_EUCLIDEAN || metric_orders_symbols(metric->kind);
    bool rotated = metric->kind == METRIC_MAHALANOBIS || metric->kind == METRIC_ELLIPTICAL;
    bool standardized = !scaled && !rotated && model_find(model, "metric_scales") != NULL;
    const char *wrong = NULL;

    if (scaled || standardized)
        wrong = read_vector(model, "metric_scales", metric->numbers, true, &metric->scales);
    if (wrong == NULL && rotated)
        wrong = read_matrix(env, model, metric);
    if (wrong == NULL && (scaled || rotated || standardized))
        wrong = read_vector(model, "metric_origin", metric->numbers, standardized, &metric->origin);
    if (wrong == NULL && metric->kind == METRIC_KERNEL) {
        wrong = kernel_read(model, &metric->kernel);
        if (wrong == NULL && !kernel_is_simple(&metric->kernel))
            wrong = "the kernel of the metric is not linear, polynomial, rbf or sigmoid";
    }
    return wrong;
}

/* Tells whether a signature names a schema: whoever scores must not choose another function by the order of schemas to look in. */
static bool has_schema(const char *signature)
{
    bool quoted = false, found = false;

    for (const char *c = signature; *c != '\0' && (*c != '(' || quoted); c++) {
        quoted ^= *c == '"';
        found |= *c == '.' && !quoted;
    }
    return found;
}

/* Reads what a model has of a metric between values. Returns NULL, or what is wrong. */
static const char *read_objects(Env *env, const Model *model, Metric *metric)
{
    const ModelEntry *texts = model_find(model, "texts"), *function = model_find(model, "metric_function");
    const char *bytes;
    char *copy;
    uint32_t length;

    if ((texts != NULL) != metric_of_values(metric->kind) || (texts != NULL && texts->type != ARRAY_TEXT))
        return "\"texts\" is there exactly for metrics that compare texts";
    if ((function != NULL) != (metric->kind == METRIC_FUNCTION) ||
        (function != NULL && (function->type != ARRAY_TEXT || function->rows != 1)))
        return "\"metric_function\" is there exactly for a metric that is a function";
    if (texts == NULL)
        return NULL;
    if (model->field_count != 1 || model->slot_count != 1 || schema_field_kind(model, 0) != FIELD_TEXT)
        return "the metric compares texts, but the only feature is not one";
    if (function == NULL)
        return NULL;
    bytes = model_text(model, function, 0, &length);
    if (length == 0 || memchr(bytes, 0, length) != NULL)
        return "\"metric_function\" is not the signature of a function";
    copy = env_array(env, (size_t)length + 1, 1);
    memcpy(copy, bytes, length);
    if (!has_schema(copy))
        return "\"metric_function\" has no schema";
    metric->signature = copy;
    return NULL;
}

/* Tells whether this is the number of a metric that a model can have. */
static bool is_metric(double number)
{
    return number >= METRIC_EUCLIDEAN && number <= METRIC_HAMMING_TEXT && number == floor(number) &&
           metric_name((MetricKind)number)[0] != '?';
}

/* Distances between objects that the model has not opened: there are none. */
static void no_distances(const MetricObjects *objects, double a, const double *others, uint32_t count, double *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = NAN;
}

static const MetricObjects no_objects = {.distances = no_distances};

const char *metric_read(Env *env, const Model *model, Metric **out)
{
    uint32_t length = 0;
    const double *numbers = model_f64(model, "metric", &length);
    Metric *metric = metric_new(env, METRIC_EUCLIDEAN);
    const char *wrong;

    *out = metric;
    metric->method = model->estimator;
    if (numbers != NULL) {
        if (length != METRIC_NUMBERS)
            return "the array \"metric\" does not have 4 numbers";
        if (!is_metric(numbers[0]))
            return "\"metric\" is not the number of a metric";
        if (!(numbers[1] > 0) || isinf(numbers[1]) || !(numbers[2] > 0) || isinf(numbers[2]))
            return "the order or scale in \"metric\" is out of range";
        metric->kind = (MetricKind)numbers[0];
        metric->p = numbers[1];
        metric->scale = numbers[2];
        if (metric->kind == METRIC_JARO_WINKLER && !(numbers[3] >= 0 && numbers[3] <= 0.25))
            return "the prefix weight in \"metric\" is out of range";
        if (metric->kind == METRIC_JARO_WINKLER)
            metric->prefix_weight = numbers[3];
    }
    if (metric->kind == METRIC_HAVERSINE) {
        if (!(numbers[3] > 0) || isinf(numbers[3]) || !(numbers[1] == 1 || numbers[1] == M_PI / 180))
            return "the radius or the angle in \"metric\" is out of range";
        metric->angle = numbers[1];
        metric->radius = numbers[3];
    }
    wrong = read_objects(env, model, metric);
    if (wrong != NULL)
        return wrong;
    wrong = metric_divide_slots(env, metric, model);
    if (wrong == NULL)
        wrong = read_parts(env, model, metric);
    if (wrong != NULL)
        return wrong;
    metric_derive(metric);
    if (metric->form == FORM_OBJECTS) /* until metric_open */
        metric->objects = &no_objects;
    return NULL;
}

const char *metric_check(Env *env, const Model *model)
{
    Metric *metric;

    return metric_read(env, model, &metric);
}

/* Returns the kind of a model's metric, 0 without one. */
static double kind_of(const Model *model)
{
    uint32_t length = 0;
    const double *numbers = model_f64(model, "metric", &length);

    return numbers != NULL && length == METRIC_NUMBERS ? numbers[0] : 0;
}

bool metric_is_given(const Model *model)
{
    return kind_of(model) == METRIC_GIVEN;
}

bool metric_orders_levels(const Model *model)
{
    return kind_of(model) == METRIC_MIXED || kind_of(model) == METRIC_GOWER;
}

bool metric_takes_bits(const Model *model)
{
    return kind_of(model) == METRIC_HAMMING_TEXT;
}

/* ---- for another process ---- */

bool metric_packs(const Metric *metric)
{
    return metric->form != FORM_OBJECTS && metric->kernel.texts == NULL && metric->kernel.gram == NULL;
}

void metric_pack(Pack *pack, Metric *metric)
{
    pack_value(pack, metric, sizeof *metric);
    if (pack->mode != PACK_OPEN)
        return;
    metric->number_slots = metric->symbol_slots = NULL;
    metric->origin = metric->scales = metric->matrix = metric->factor = metric->keys = NULL;
    metric->ordered = NULL;
    metric->learner = NULL;
    metric->method = NULL;
    metric->schema = NULL;
}
