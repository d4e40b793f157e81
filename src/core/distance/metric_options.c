/*
 * metric_options.c - makes a metric from the options that name it.
 */
#include "core/distance/metric_internal.h"

#include <float.h>
#include <math.h>

static const char *const metric_choices[] = {
    "angular",   "binary",      "bray_curtis", "canberra",  "chebyshev",    "correlation", "cosine",
    "damerau",   "dice",        "edit",        "elliptical", "euclidean",   "gower",       "hamming",
    "haversine", "jaccard",     "jaro_winkler", "kernel",   "mahalanobis",  "manhattan",   "minkowski",
    "mixed",     "seuclidean",  "squared_euclidean", "standardized_euclidean", NULL};
static const char *const angle_choices[] = {"degrees", "radians", NULL};

const OptionSpec options_metric[] = {
    {.name = "angle_unit",
     .types = OPTION_STRING,
     .choices = angle_choices,
     .unset = "degrees",
     .help = "For haversine: the unit of latitude and longitude."},
    {.name = "covariance",
     .types = OPTION_NUMBER_MATRIX,
     .unset = "that of the rows, with divisor n",
     .help = "For mahalanobis: the covariance matrix."},
    {.name = "matrix",
     .types = OPTION_NUMBER_MATRIX,
     .unset = "required by elliptical",
     .help = "For elliptical: the symmetric positive definite matrix M of (a-b)'M(a-b)."},
    {.name = "metric",
     .types = OPTION_STRING,
     .fallback = "\"euclidean\"",
     .choices = metric_choices,
     .function = true,
     .help = "The distance between two rows, to which categories add 0 or 1; edit, damerau, jaro_winkler and functions compare one feature, and "
             "hamming one text by its positions."},
    {.name = "p",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "2",
     .help = "The order of minkowski and mixed; below 1 the triangle inequality does not hold."},
    {.name = "prefix_weight",
     .types = OPTION_NUMBER,
     .minimum = 0,
     .maximum = 0.25,
     .unset = "0.1",
     .help = "For jaro_winkler: how much each of the first 4 characters that are equal adds; 0: the Jaro distance."},
    {.name = "ranges",
     .types = OPTION_NUMBER_LIST,
     ABOVE_ZERO,
     .unset = "those of the rows",
     .help = "For gower: one range per number or ordered enum."},
    {.name = "sphere_radius",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "6371.0088, that of the earth in kilometers",
     .help = "For haversine: the radius of the sphere, in the unit that distances shall have."},
    {.name = "variances",
     .types = OPTION_NUMBER_LIST,
     ABOVE_ZERO,
     .unset = "those of the rows, with divisor n",
     .help = "For standardized_euclidean and mixed: one variance per number."},
    {.name = NULL}};

static void refuse_symbols(Env *env, const Metric *metric)
{
    char name[SCHEMA_NAME_SIZE];

    schema_slot_name(metric->schema, metric->symbol_slots[0], name, sizeof name);
    env_fail(env, ERROR_DATA,
             "Drop the feature, turn it into numbers, or use \"metric\": \"mixed\", \"gower\" or \"euclidean\".",
             "feature \"%s\" is categorical, and metric %s of %s takes numbers only", name,
             metric_name(metric->kind), metric->method);
}

static void refuse_options(Env *env, const Options *options, MetricKind kind)
{
    static const struct {
        const char *option;
        MetricKind kinds[2];
        const char *whose;
    } uses[] = {
        {"angle_unit", {METRIC_HAVERSINE, METRIC_HAVERSINE}, "haversine"},
        {"ranges", {METRIC_GOWER, METRIC_GOWER}, "gower"},
        {"sphere_radius", {METRIC_HAVERSINE, METRIC_HAVERSINE}, "haversine"},
        {"covariance", {METRIC_MAHALANOBIS, METRIC_MAHALANOBIS}, "mahalanobis"},
        {"matrix", {METRIC_ELLIPTICAL, METRIC_ELLIPTICAL}, "elliptical"},
        {"p", {METRIC_MINKOWSKI, METRIC_MIXED}, "minkowski and mixed"},
        {"prefix_weight", {METRIC_JARO_WINKLER, METRIC_JARO_WINKLER}, "jaro_winkler"},
        {"variances",
         {METRIC_STANDARDIZED_EUCLIDEAN, METRIC_MIXED},
         "standardized_euclidean and mixed"},
    };

    for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
        if (options_given(options, uses[i].option) && kind != uses[i].kinds[0] &&
            kind != uses[i].kinds[1])
            env_fail(env, ERROR_PARAMETER, NULL, "option \"%s\" is for metric %s, not for %s",
                     uses[i].option, uses[i].whose, metric_name(kind));
}

/* Makes the metric learn center and scale of the numbers. Fails for metrics that depend on neither. */
static void set_standardize(Env *env, Metric *metric)
{
    static const struct {
        MetricKind kind;
        const char *reason;
    } refused[] = {{METRIC_BRAY_CURTIS, "metric %s compares amounts, of which standardizing leaves none"},
                   {METRIC_CANBERRA, "metric %s compares amounts, of which standardizing leaves none"},
                   {METRIC_DICE, "metric %s compares which numbers are 0, and standardizing changes that"},
                   {METRIC_ELLIPTICAL, "metric %s scales the features itself"},
                   {METRIC_GOWER, "metric %s scales the features itself"},
                   {METRIC_HAMMING, "the scale of the features does not matter for metric %s"},
                   {METRIC_HAVERSINE, "metric %s takes latitude and longitude as they are"},
                   {METRIC_JACCARD, "metric %s compares which numbers are 0, and standardizing changes that"},
                   {METRIC_MAHALANOBIS, "metric %s scales the features itself"},
                   {METRIC_MIXED, "metric %s scales the features itself"},
                   {METRIC_STANDARDIZED_EUCLIDEAN, "metric %s scales the features itself"}};

    if (metric_of_values(metric->kind))
        env_fail(env, ERROR_PARAMETER, "Leave out \"standardize\".", "metric %s compares no numbers", metric_name(metric->kind));
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        if (metric->kind == refused[i].kind)
            env_fail(env, ERROR_PARAMETER, "Leave out \"standardize\", or use another metric.", refused[i].reason,
                     metric_name(metric->kind));
    metric->learner->standardize = true;
}

void metric_set_order(Env *env, Metric *metric, double p)
{
    if (!(p > 0))
        env_fail(env, ERROR_PARAMETER,
                 "Give an order above 0; from 1 on the triangle inequality holds.",
                 "the order p of metric %s is %g", metric_name(metric->kind), p);
    if (isinf(p) && metric->kind == METRIC_MINKOWSKI)
        metric->kind = METRIC_CHEBYSHEV;
    else if (isinf(p))
        env_fail(env, ERROR_PARAMETER, NULL, "the order p of metric %s is infinite",
                 metric_name(metric->kind));
    else
        metric->p = p;
    metric_derive(metric);
}

void metric_set_spreads(Env *env, Metric *metric, const double *spreads, uint32_t count)
{
    bool ranges = metric->kind == METRIC_GOWER;
    const char *what = ranges ? "range" : "variance", *of = ranges ? "number" : "feature";

    if (count != metric->numbers)
        env_fail(env, ERROR_PARAMETER, env_message(env, "Give one %s per %s.", what, of), "%u %ss for %u %ss", count, what, metric->numbers, of);
    for (uint32_t i = 0; i < count; i++)
        if (!(spreads[i] >= DBL_MIN) || isinf(spreads[i]))
            env_fail(env, ERROR_PARAMETER, "Leave out constant features.", "%s %u is %g", what, i + 1, spreads[i]);
    metric_scale_by(env, metric, spreads, !ranges);
}

void metric_set_sphere(Env *env, Metric *metric, double radius, bool radians)
{
    if (!(radius > 0) || isinf(radius))
        env_fail(env, ERROR_PARAMETER, "Give the radius of the sphere, such as 6371 for kilometers on the earth.",
                 "the radius of the sphere is %g", radius);
    metric->radius = radius;
    metric->angle = radians ? 1 : M_PI / 180;
}

void metric_set_matrix(Env *env, Metric *metric, const double *matrix, uint32_t rows,
                       uint32_t columns)
{
    const char *what = metric->kind == METRIC_MAHALANOBIS ? "covariance" : "matrix";

    if (rows != metric->numbers || columns != metric->numbers)
        env_fail(env, ERROR_PARAMETER, "Pass a square matrix with one row and one column per feature.",
                 "the %s is %u x %u, and there are %u features", what, rows, columns, metric->numbers);
    metric_factor(env, metric, matrix, what);
}

Metric *metric_of_kind(Env *env, MetricKind kind, const Model *schema, const char *method)
{
    Metric *metric = metric_new(env, kind);
    const char *wrong;

    if (kind == METRIC_HAMMING && schema_field_count(schema) == 1 && schema_field_kind(schema, 0) == FIELD_TEXT)
        kind = metric->kind = METRIC_HAMMING_TEXT;
    metric->method = method;
    metric->schema = schema;
    if (metric_of_values(kind))
        metric_require_value(env, metric);
    wrong = metric_divide_slots(env, metric, schema);
    if (wrong != NULL && metric->symbols > 0)
        refuse_symbols(env, metric);
    if (wrong != NULL)
        env_fail(env, ERROR_DATA, "Pass two features, latitude and longitude, in this order.",
                 "metric %s of %s needs 2 numbers, not %u", metric_name(kind), method, metric->slots);
    metric_derive(metric);
    metric_learner_new(env, metric);
    return metric;
}

Metric *metric_of_options_as(Env *env, const Options *options, MetricKind kind, const Model *schema,
                             const char *method)
{
    uint32_t rows = 0, columns = 0;
    const double *numbers;
    Metric *metric;

    refuse_options(env, options, kind);
    metric = metric_of_kind(env, kind, schema, method);
    if (standardize_wanted(options))
        set_standardize(env, metric);
    if (kind == METRIC_FUNCTION)
        metric->signature = options_string(options, "metric");
    if (options_given(options, "prefix_weight"))
        metric->prefix_weight = options_number(options, "prefix_weight");
    if (options_given(options, "p"))
        metric_set_order(env, metric, options_number(options, "p"));
    if (kind == METRIC_HAVERSINE)
        metric_set_sphere(env, metric,
                          options_given(options, "sphere_radius") ? options_number(options, "sphere_radius")
                                                                  : METRIC_EARTH_RADIUS,
                          options_is(options, "angle_unit", "radians"));
    if (kind == METRIC_KERNEL) {
        metric->kernel = kernel_of_options(env, options, NULL);
        kernel_require_simple(env, &metric->kernel, "metric kernel");
    }
    metric_derive(metric);
    numbers = options_matrix(options, kind == METRIC_ELLIPTICAL ? "matrix" : "covariance", &rows,
                             &columns);
    if (numbers != NULL)
        metric_set_matrix(env, metric, numbers, rows, columns);
    else if (kind == METRIC_ELLIPTICAL)
        env_fail(env, ERROR_PARAMETER, "Give option \"matrix\" as an array of rows.",
                 "metric elliptical needs a matrix");
    numbers = options_numbers(options, kind == METRIC_GOWER ? "ranges" : "variances", &rows);
    if (numbers != NULL)
        metric_set_spreads(env, metric, numbers, rows);
    return metric;
}

Metric *metric_of_options(Env *env, const Options *options, const Model *schema, const char *method)
{
    return metric_of_options_as(env, options, metric_find(options_string(options, "metric")),
                                schema, method);
}
