/*
 * metric.c - the metrics by name, and the coordinates that a metric gives a row.
 */
#include "core/distance/metric_internal.h"
#include "core/distance/metric.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/vector_loops.h"
#include "core/options/options.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

/* What sets a metric apart. */
enum {
    SYMBOLS = 1,      /* it takes categorical features */
    ALIKE = 2,        /* rows that differ may have the distance 0: of one direction, image in feature space, set, or place with two longitudes */
    NO_TRIANGLE = 4,  /* distances do not keep the triangle inequality; of minkowski and mixed not for p < 1 */
    DIRECTIONS = 8    /* coordinates have length 1 */
};

typedef struct MetricTraits {
    const char *name;
    MetricKind kind;
    MetricForm form; /* of minkowski, mixed and kernel: form_of */
    unsigned traits;
} MetricTraits;

static const MetricTraits metrics[] = {
    {"angular", METRIC_ANGULAR, FORM_SQUARES, ALIKE | DIRECTIONS},
    {"bray_curtis", METRIC_BRAY_CURTIS, FORM_SHARES, NO_TRIANGLE},
    {"canberra", METRIC_CANBERRA, FORM_RATIOS, SYMBOLS},
    {"chebyshev", METRIC_CHEBYSHEV, FORM_LARGEST, SYMBOLS},
    {"correlation", METRIC_CORRELATION, FORM_SQUARES, ALIKE | NO_TRIANGLE | DIRECTIONS},
    {"cosine", METRIC_COSINE, FORM_SQUARES, ALIKE | NO_TRIANGLE | DIRECTIONS},
    {"damerau", METRIC_DAMERAU, FORM_OBJECTS, 0},
    {"dice", METRIC_DICE, FORM_SETS, ALIKE | NO_TRIANGLE},
    {"edit", METRIC_EDIT, FORM_OBJECTS, 0},
    {"elliptical", METRIC_ELLIPTICAL, FORM_SQUARES, 0},
    {"euclidean", METRIC_EUCLIDEAN, FORM_SQUARES, SYMBOLS},
    {"gower", METRIC_GOWER, FORM_ABSOLUTE, SYMBOLS},
    {"hamming", METRIC_HAMMING, FORM_DIFFERING, SYMBOLS},
    {"haversine", METRIC_HAVERSINE, FORM_SQUARES, ALIKE | DIRECTIONS},
    {"jaccard", METRIC_JACCARD, FORM_SETS, ALIKE},
    {"jaro_winkler", METRIC_JARO_WINKLER, FORM_OBJECTS, NO_TRIANGLE},
    {"kernel", METRIC_KERNEL, FORM_KERNEL, ALIKE},
    {"mahalanobis", METRIC_MAHALANOBIS, FORM_SQUARES, 0},
    {"manhattan", METRIC_MANHATTAN, FORM_ABSOLUTE, SYMBOLS},
    {"minkowski", METRIC_MINKOWSKI, FORM_POWERS, SYMBOLS},
    {"mixed", METRIC_MIXED, FORM_POWERS, SYMBOLS},
    {"squared_euclidean", METRIC_SQUARED_EUCLIDEAN, FORM_SQUARES, SYMBOLS | NO_TRIANGLE},
    {"standardized_euclidean", METRIC_STANDARDIZED_EUCLIDEAN, FORM_SQUARES, 0},
    {"hamming", METRIC_HAMMING_TEXT, FORM_OBJECTS, 0}, /* the name finds METRIC_HAMMING, which becomes this for one text */
    /* names elsewhere: of dist() in R, and of scipy */
    {"binary", METRIC_JACCARD, FORM_SETS, ALIKE},
    {"seuclidean", METRIC_STANDARDIZED_EUCLIDEAN, FORM_SQUARES, 0}};
#define METRIC_COUNT (sizeof(metrics) / sizeof(*metrics))

MetricKind metric_find(const char *name)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return metrics[i].kind;
    return strchr(name, '(') != NULL ? METRIC_FUNCTION : 0;
}

static const MetricTraits *traits_of(MetricKind kind)
{
    static const MetricTraits function = {"function", METRIC_FUNCTION, FORM_OBJECTS, 0}, given = {"given", METRIC_GIVEN, FORM_OBJECTS, 0};
    static const MetricTraits unknown = {"?", 0, FORM_SQUARES, 0};

    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (metrics[i].kind == kind)
            return &metrics[i];
    return kind == METRIC_FUNCTION ? &function : kind == METRIC_GIVEN ? &given : &unknown;
}

const char *metric_name(MetricKind kind)
{
    return traits_of(kind)->name;
}

void metric_fail_unknown(Env *env, const char *name)
{
    TextBuffer hint = {.env = env};
    const char *names[METRIC_COUNT], *near;

    for (size_t i = 0; i < METRIC_COUNT; i++)
        names[i] = metrics[i].name;
    near = nearest_name(name, strlen(name), names, METRIC_COUNT);
    if (near != NULL)
        text_print(&hint, "Did you mean \"%s\"? ", near);
    text_add(&hint, "Use one of angular, bray_curtis, canberra, chebyshev, correlation, cosine, damerau, dice, edit, elliptical, euclidean, "
                    "gower, hamming, haversine, jaccard, jaro_winkler, kernel, mahalanobis, manhattan, minkowski, mixed, squared_euclidean, "
                    "standardized_euclidean.");
    env_fail(env, ERROR_PARAMETER, text_finish(&hint, NULL), "unknown metric \"%s\"", name);
}

MetricAxioms metric_axioms(Env *env, const char *name, double p)
{
    MetricKind kind = metric_find(name);
    MetricAxioms axioms = {.zero = true, .positive = true, .symmetric = true, .triangle = true};

    if (kind == 0 || kind == METRIC_FUNCTION)
        metric_fail_unknown(env, name);
    if (!(p > 0))
        env_fail(env, ERROR_PARAMETER, NULL, "the order p is %g", p);
    axioms.positive = !(traits_of(kind)->traits & ALIKE);
    axioms.triangle = !(traits_of(kind)->traits & NO_TRIANGLE) && !((kind == METRIC_MINKOWSKI || kind == METRIC_MIXED) && p < 1);
    return axioms;
}

/* ---- properties of a kind ---- */

bool metric_of_values(MetricKind kind)
{
    return kind == METRIC_FUNCTION || metric_of_texts(kind);
}

bool metric_of_texts(MetricKind kind)
{
    return kind == METRIC_EDIT || kind == METRIC_DAMERAU || kind == METRIC_JARO_WINKLER || kind == METRIC_HAMMING_TEXT;
}

#define POWER_MAX 64       /* integer orders up to this are multiplied out */
#define PRODUCT_NUMBERS 24 /* from this many on, a product of matrices is faster than differences */

static MetricForm form_of(const Metric *metric)
{
    MetricForm form = traits_of(metric->kind)->form;

    if (form == FORM_POWERS)
        return metric->p == 1 ? FORM_ABSOLUTE : metric->p == 2 ? FORM_SQUARES : FORM_POWERS;
    if (form == FORM_KERNEL && (metric->kernel.kind == KERNEL_LINEAR || metric->kernel.kind == KERNEL_RBF))
        return FORM_SQUARES;
    return form;
}

void metric_derive(Metric *metric)
{
    bool identity = metric->symbols == 0 && metric->numbers == metric->slots;

    metric->form = form_of(metric);
    metric->directions = traits_of(metric->kind)->traits & DIRECTIONS;
    metric->power =
        metric->form == FORM_POWERS && metric->p <= POWER_MAX && metric->p == floor(metric->p)
            ? (uint32_t)metric->p
            : 0;
    metric->width = metric->numbers + metric->symbols + (metric->form == FORM_KERNEL);
    metric->ball = metric->form == FORM_POWERS   ? metric->p >= 1
                   : metric->form == FORM_KERNEL ? kernel_is_definite(&metric->kernel)
                                                 : metric->form != FORM_SHARES;
    metric->triangle = metric->ball && !(traits_of(metric->kind)->traits & NO_TRIANGLE);
    metric->box = metric->form != FORM_KERNEL && metric->form != FORM_SHARES;
    metric->product = metric->form == FORM_KERNEL ||
                      (metric->form == FORM_SQUARES && metric->numbers >= PRODUCT_NUMBERS);
    metric->unit = metric->form == FORM_SQUARES     ? metric->scale * metric->scale
                   : metric->form == FORM_POWERS    ? metric_power(metric, metric->scale)
                   : metric->form == FORM_DIFFERING || metric->form == FORM_RATIOS || metric->form == FORM_SHARES || metric->form == FORM_SETS ? 1
                                                    : metric->scale;
    metric->plain = identity && metric->scale == 1 && metric->origin == NULL &&
                    metric->scales == NULL && metric->factor == NULL && metric->ordered == NULL &&
                    metric->form != FORM_KERNEL && metric->form != FORM_SETS && !metric->directions;
    if (metric->form == FORM_OBJECTS) {
        metric->ball = metric->box = metric->product = false;
        metric->triangle = metric->objects != NULL && metric->objects->triangle;
    }
}

/* ---- the slots of a schema ---- */

/* Tells whether the levels of the field are ordered, as those of an enum are. */
static bool field_is_ordered(const Dictionary *levels, uint32_t field)
{
    for (uint32_t i = 0; i < levels->size; i++)
        if (levels->fields[i] == field && levels->keys[i] != 0 && isfinite(levels->keys[i]))
            return true;
    return false;
}

/* Sets what haversine needs beside the slots. Returns NULL, or what is wrong. */
static const char *sphere_slots(Metric *metric, uint32_t *number_slots)
{
    if (metric->slots != 2)
        return "metric haversine needs two numbers, latitude and longitude";
    number_slots[2] = number_slots[1]; /* room for the third coordinate */
    metric->numbers = 3;
    return NULL;
}

const char *metric_divide_slots(Env *env, Metric *metric, const Model *schema)
{
    uint32_t *numbers = env_array(env, (size_t)schema->slot_count + 2, sizeof(uint32_t));
    uint32_t *symbols = env_array(env, (size_t)schema->slot_count + 1, sizeof(uint32_t));
    uint8_t *ordered = NULL;
    uint32_t slot = 0, fields = schema_field_count(schema);
    SchemaView view;
    Dictionary levels = {0};

    schema_view(schema, &view);
    if (metric_orders_symbols(metric->kind) && view.level_text != NULL) {
        dictionary_open(schema, &view, DICTIONARY_LEVELS, &levels);
        ordered = env_array(env, (size_t)schema->slot_count + 1, sizeof(uint8_t));
    }
    metric->slots = schema->slot_count;
    for (uint32_t field = 0; field < fields; field++) {
        uint32_t width = schema_view_width(schema, &view, field);
        bool symbol = schema_view_kind(schema, &view, field) == FIELD_CATEGORICAL;

        if (symbol && ordered != NULL && field_is_ordered(&levels, field)) {
            ordered[metric->numbers] = 1;
            symbol = false;
        }
        for (uint32_t i = 0; i < width && slot < schema->slot_count; i++, slot++) {
            if (symbol)
                symbols[metric->symbols++] = slot;
            else
                numbers[metric->numbers++] = slot;
        }
    }
    metric->number_slots = numbers;
    metric->symbol_slots = symbols;
    metric->ordered = ordered;
    metric->keys = levels.keys;
    metric->key_count = levels.size;
    metric->schema = schema;
    if (metric->kind == METRIC_HAVERSINE && metric->symbols == 0)
        return sphere_slots(metric, numbers);
    return metric->symbols > 0 && !(traits_of(metric->kind)->traits & SYMBOLS)
               ? "the metric takes numbers only, but there are categorical features"
               : NULL;
}

Metric *metric_new(Env *env, MetricKind kind)
{
    Metric *metric = env_array(env, 1, sizeof(Metric));

    metric->kind = kind;
    metric->p = 2;
    metric->scale = 1;
    metric->angle = M_PI / 180;
    metric->radius = METRIC_EARTH_RADIUS;
    metric->prefix_weight = METRIC_PREFIX_WEIGHT;
    return metric;
}

Metric *metric_of_objects(Env *env, MetricKind kind, const MetricObjects *objects, const char *method)
{
    Metric *metric = metric_new(env, kind);

    metric->method = method;
    metric->objects = objects;
    metric->slots = metric->numbers = 1;
    metric->number_slots = env_array(env, 1, sizeof(uint32_t));
    metric_derive(metric);
    return metric;
}

/* ---- the coordinates of a row ---- */

/* Levels of an enum that no training row had bring their key along; one without a key is at the origin. */
void metric_collect(const Metric *metric, const double *slots, double *numbers)
{
    for (uint32_t i = 0; i < metric->numbers; i++) {
        double x = slots[metric->number_slots[i]];

        if (metric->ordered != NULL && metric->ordered[i]) {
            x = x < SLOT_UNSEEN                       ? slot_unseen_key(x)
                : x >= 0 && x < metric->key_count ? metric->keys[(uint32_t)x]
                                                  : INFINITY;
            if (!isfinite(x))
                x = metric->origin != NULL ? metric->origin[i] : 0;
        }
        numbers[i] = x;
    }
}

/* Replaces x by L'x, or for mahalanobis by the solution z of L z = x: their lengths are the distances. */
static void apply_factor(const Metric *metric, double *x)
{
    const double *column = metric->factor;
    uint32_t n = metric->numbers;

    if (metric->kind == METRIC_MAHALANOBIS) {
        triangle_solve(metric->factor, n, x);
        return;
    }
    for (uint32_t j = 0; j < n; column += n - j++) {
        double sum = 0;

        for (uint32_t i = j; i < n; i++)
            sum += column[i - j] * x[i];
        x[j] = sum;
    }
}

/* Scales to length 1; returns false for a vector of zeros. */
static bool normalize(double *x, uint32_t count)
{
    double largest = 0, norm;
    int exponent;

    for (uint32_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    if (!(largest > 0))
        return false;
    frexp(largest, &exponent);
    for (uint32_t i = 0; i < count; i++)
        x[i] = ldexp(x[i], -exponent);
    norm = sqrt(loop_pair(LOOP_PRODUCTS, 0, x, x, count));
    for (uint32_t i = 0; i < count; i++)
        x[i] /= norm;
    return true;
}

/*
 * Turns the numbers (latitude, longitude, any) into a point of the unit sphere; returns false for numbers that are no angles. Great-circle
 * distances grow with the chord between two points in space, so that everything that works for squared distances, trees above all, works for
 * places too, across the poles and the date line. The metric has its name from the formula by which sailors computed the same (Inman 1835).
 */
static bool sphere_place(const Metric *metric, double *x)
{
    double latitude = x[0] * metric->angle, longitude = x[1] * metric->angle, radius;

    if (!(fabs(latitude) <= M_PI / 2 * (1 + 1e-15)) || !(fabs(longitude) <= 2 * M_PI * (1 + 1e-15)))
        return false;
    radius = cos(latitude);
    x[0] = radius * cos(longitude);
    x[1] = radius * sin(longitude);
    x[2] = sin(latitude);
    return true;
}

/* Subtracts the mean of the numbers. Returns false if they are all equal. */
static bool numbers_center(double *x, uint32_t count)
{
    double largest = 0, mean = 0, least = INFINITY, most = -INFINITY;
    int exponent;

    for (uint32_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(x[i]));
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    if (!(least < most))
        return false;
    frexp(largest, &exponent);
    for (uint32_t i = 0; i < count; i++) { /* brought near 1, where nothing overflows */
        x[i] = ldexp(x[i], -exponent);
        mean += x[i] / count;
    }
    for (uint32_t i = 0; i < count; i++)
        x[i] -= mean;
    return true;
}

bool metric_place(const Metric *metric, const double *slots, double *coordinates)
{
    uint32_t n = metric->numbers;
    bool sound = true;

    if (metric->plain) {
        memcpy(coordinates, slots, n * sizeof(double));
        return true;
    }
    metric_collect(metric, slots, coordinates);
    for (uint32_t i = 0; metric->origin != NULL && i < n; i++)
        coordinates[i] -= metric->origin[i];
    for (uint32_t i = 0; metric->scales != NULL && i < n; i++)
        coordinates[i] *= metric->scales[i];
    if (metric->factor != NULL)
        apply_factor(metric, coordinates);
    if (metric->kind == METRIC_COSINE || metric->kind == METRIC_ANGULAR)
        sound = normalize(coordinates, n);
    else if (metric->kind == METRIC_CORRELATION)
        sound = numbers_center(coordinates, n) && normalize(coordinates, n);
    else if (metric->kind == METRIC_HAVERSINE)
        sound = sphere_place(metric, coordinates);
    else if (metric->form == FORM_SETS)
        for (uint32_t i = 0; i < n; i++)
            coordinates[i] = coordinates[i] != 0;
    else if (metric->scale != 1)
        for (uint32_t i = 0; i < n; i++)
            coordinates[i] *= metric->scale;
    if (metric->form == FORM_KERNEL)
        coordinates[n] = kernel_value(&metric->kernel, coordinates, coordinates, n);
    for (uint32_t i = 0; i < metric->symbols; i++)
        coordinates[n + i] = slots[metric->symbol_slots[i]];
    for (uint32_t i = 0; i < metric->width; i++)
        sound &= isfinite(coordinates[i]);
    for (uint32_t i = 0; !sound && i < metric->width; i++)
        coordinates[i] = NAN;
    return sound;
}

const char *metric_row_fault(const Metric *metric)
{
    return metric->kind == METRIC_CORRELATION ? "a row of equal numbers has no correlation"
           : metric->kind == METRIC_HAVERSINE ? "a latitude beyond 90 or a longitude beyond 360 degrees is no place"
                                              : "a row of zeros has no direction";
}

/* Fails because a row has no distances: with ERROR_RANGE for numbers that are too large, else with ERROR_DATA. */
static void fail_row(Env *env, const Metric *metric, const double *slots)
{
    double largest = 0;

    for (uint32_t i = 0; i < metric->numbers; i++)
        largest = fmax(largest, fabs(slots[metric->number_slots[i]]));
    if (metric->kind == METRIC_HAVERSINE)
        env_fail(env, ERROR_DATA,
                 metric->angle == 1 ? "Give latitude and longitude in radians, latitude first, or \"angle_unit\": \"degrees\"."
                                    : "Give latitude and longitude in degrees, latitude first, or \"angle_unit\": \"radians\".",
                 "latitude %.10g and longitude %.10g are no place, as metric haversine of %s needs them",
                 slots[metric->number_slots[0]], slots[metric->number_slots[1]], metric->method);
    if (largest == 0 || metric->kind == METRIC_CORRELATION)
        env_fail(env, ERROR_DATA, "Leave out such rows, or use another metric.",
                 "%s, which metric %s of %s compares", metric_row_fault(metric),
                 metric_name(metric->kind), metric->method);
    env_fail(env, ERROR_RANGE, "Scale the features.",
             "the number %g is too large for metric %s of %s", largest,
             metric_name(metric->kind), metric->method);
}

void metric_place_rows(Env *env, const Metric *metric, const double *slots, uint32_t count,
                       double *coordinates)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!metric_place(metric, slots + (size_t)i * metric->slots,
                          coordinates + (size_t)i * metric->width))
            fail_row(env, metric, slots + (size_t)i * metric->slots);
        env_poll_every(env, i, 1024);
    }
}

double metric_cosine(double distance)
{
    return fmax(-1, fmin(1, 1 - distance));
}

double metric_between(Metric *metric, const double *a, const double *b, double *room)
{
    double *first = room, *second = room + metric->width;

    if (metric->scales != NULL || metric->factor != NULL) { /* the second is the origin of both */
        metric_collect(metric, b, second);
        metric->origin = second;
        metric_place(metric, a, first);
        metric->origin = NULL;
        memset(second, 0, metric->numbers * sizeof(double));
        for (uint32_t i = 0; i < metric->symbols; i++)
            second[metric->numbers + i] = b[metric->symbol_slots[i]];
        return metric_distance(metric, first, second);
    }
    if (!metric_place(metric, a, first) || !metric_place(metric, b, second))
        return NAN;
    if (metric->kind == METRIC_ANGULAR || metric->kind == METRIC_HAVERSINE) { /* as exact near pi as near 0 */
        double apart = loop_norm(first, second, metric->numbers);
        double radius = metric->kind == METRIC_HAVERSINE ? metric->radius : 1;

        for (uint32_t i = 0; i < metric->numbers; i++)
            second[i] = -second[i];
        return 2 * atan2(apart, loop_norm(first, second, metric->numbers)) * radius;
    }
    return metric_distance(metric, first, second);
}
