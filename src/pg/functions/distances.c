/*
 * distances.c - distances between two rows, and kernels of two rows, as functions.
 *
 * The metric is kept at the call site as long as the rows have the same shape and the further arguments the same bytes.
 */
#include "pg/features/row_pair.h"
#include "pg/values/sql_value.h"
#include "pg/score/scoring.h"
#include "core/linalg/vector_loops.h"
#include "core/distance/edit_distance.h"
#include "core/distance/text_table.h"
#include "core/kernel/kernel_texts.h"
#include "core/options/options.h"

#include <math.h>

#include "funcapi.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/varbit.h"

/* Sets the parameters of a new metric from the further arguments. */
typedef void (*MetricSetup)(FunctionCallInfo fcinfo, Metric *metric);

/* Forgets the former metric and switches to the memory for a new one; returns the caller's memory context. */
static MemoryContext metric_memory(FunctionCallInfo fcinfo, PairSite *site)
{
    site->metric = NULL;
    if (site->metric_context)
        MemoryContextReset(site->metric_context);
    else
        site->metric_context =
            AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "pgfit metric", ALLOCSET_SMALL_SIZES);
    return MemoryContextSwitchTo(site->metric_context);
}

static Metric *metric_begin(FunctionCallInfo fcinfo, PairSite *site, MetricKind kind,
                            const char *function, MemoryContext *caller)
{
    *caller = metric_memory(fcinfo, site);
    return metric_of_kind(host_env(), kind, site->schema, function);
}

static void metric_end(PairSite *site, Metric *metric, MemoryContext caller)
{
    metric_ready(host_env(), metric);
    site->metric = metric;
    MemoryContextSwitchTo(caller);
}

/* Makes the metric of order p (METRIC_MINKOWSKI) or radius p (METRIC_HAVERSINE), unless the last pair had the same one. */
static void metric_of_order(FunctionCallInfo fcinfo, PairSite *site, MetricKind kind, double p, const char *function)
{
    MemoryContext caller;
    Metric *metric;

    if (site->metric != NULL && site->order == p)
        return;
    metric = metric_begin(fcinfo, site, kind, function, &caller);
    if (kind == METRIC_MINKOWSKI)
        metric_set_order(host_env(), metric, p);
    else if (kind == METRIC_HAVERSINE)
        metric_set_sphere(host_env(), metric, p, false);
    site->order = p;
    metric_end(site, metric, caller);
}

/* Computes the distance of the two rows in site->slots. */
static double measure(FunctionCallInfo fcinfo, PairSite *site)
{
    Metric *metric = site->metric;
    double distance;

    distance = metric_between(metric, site->slots[0], site->slots[1],
                              site_buffer(fcinfo, &site->room, 2 * ((Size)metric->width + 1) * sizeof(double)));
    if (unlikely(isnan(distance)))
        env_fail(host_env(), ERROR_DATA, "Exclude such rows, or use another metric.",
                 "%s, which metric %s compares", metric_row_fault(metric), metric_name(metric->kind));
    return distance;
}

/* Fails if a column is an enum in one row only, for metrics that use its order. */
static void require_one_order(const PairSite *site, MetricKind kind)
{
    if ((kind == METRIC_MIXED || kind == METRIC_GOWER) && site->levels_clash)
        env_fail(host_env(), ERROR_DATA, "Cast both columns to the same type.",
                 "a column has an enum type in one row and another type in the other, but metric %s uses the order "
                 "of the enum", metric_name(kind));
}

/* Returns the distance of arguments 0 and 1. parameter: the argument that setup reads; -1: none. */
static bool distance_of(FunctionCallInfo fcinfo, MetricKind kind, const char *function,
                        int parameter, MetricSetup setup, double *distance)
{
    PairSite *site = pair_site(fcinfo);

    if (!pair_read(fcinfo, site))
        return false;
    if (parameter >= 0)
        pair_watch(fcinfo, site, 0, parameter);
    if (site->metric == NULL) {
        MemoryContext caller;
        Metric *metric = metric_begin(fcinfo, site, kind, function, &caller);

        require_one_order(site, kind);
        if (setup)
            setup(fcinfo, metric);
        metric_end(site, metric, caller);
    }
    *distance = measure(fcinfo, site);
    return true;
}

static Datum give_distance(FunctionCallInfo fcinfo, MetricKind kind, const char *function,
                           int parameter, MetricSetup setup)
{
    double distance;

    if (!distance_of(fcinfo, kind, function, parameter, setup, &distance))
        PG_RETURN_NULL();
    return give_number(distance);
}

#define DISTANCE(symbol, body)                                                                     \
    PG_FUNCTION_INFO_V1(symbol);                                                                   \
    Datum symbol(PG_FUNCTION_ARGS)                                                                 \
    {                                                                                              \
        body                                                                                       \
    }
#define PLAIN_DISTANCE(symbol, name, kind)                                                         \
    DISTANCE(symbol, return give_distance(fcinfo, kind, name, -1, NULL);)

PLAIN_DISTANCE(pgfit_euclidean_distance, "euclidean_distance", METRIC_EUCLIDEAN)
PLAIN_DISTANCE(pgfit_squared_euclidean_distance, "squared_euclidean_distance", METRIC_SQUARED_EUCLIDEAN)
PLAIN_DISTANCE(pgfit_manhattan_distance, "manhattan_distance", METRIC_MANHATTAN)
PLAIN_DISTANCE(pgfit_chebyshev_distance, "chebyshev_distance", METRIC_CHEBYSHEV)
PLAIN_DISTANCE(pgfit_cosine_distance, "cosine_distance", METRIC_COSINE)
PLAIN_DISTANCE(pgfit_angular_distance, "angular_distance", METRIC_ANGULAR)
PLAIN_DISTANCE(pgfit_correlation_distance, "correlation_distance", METRIC_CORRELATION)
PLAIN_DISTANCE(pgfit_canberra_distance, "canberra_distance", METRIC_CANBERRA)
PLAIN_DISTANCE(pgfit_bray_curtis_distance, "bray_curtis_distance", METRIC_BRAY_CURTIS)

DISTANCE(pgfit_cosine_similarity, {
    double distance;

    if (!distance_of(fcinfo, METRIC_COSINE, "cosine_similarity", -1, NULL, &distance))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(metric_cosine(distance));
})

/* ---- with a parameter ---- */

/* Returns the distance by a metric whose parameter is a number, argument 2. */
static Datum order_distance(FunctionCallInfo fcinfo, MetricKind kind, const char *function)
{
    PairSite *site = pair_site(fcinfo);

    if (!pair_read(fcinfo, site))
        PG_RETURN_NULL();
    metric_of_order(fcinfo, site, kind, PG_GETARG_FLOAT8(2), function);
    return give_number(measure(fcinfo, site));
}

DISTANCE(pgfit_minkowski_distance, return order_distance(fcinfo, METRIC_MINKOWSKI, "minkowski_distance");)

static void setup_spreads(FunctionCallInfo fcinfo, Metric *metric)
{
    uint32 rows, columns;
    const double *spreads = array_argument(fcinfo, 2, metric->kind == METRIC_GOWER ? "ranges" : "variances", &rows, &columns);

    metric_set_spreads(host_env(), metric, spreads, rows * columns);
}

static void setup_matrix(FunctionCallInfo fcinfo, Metric *metric)
{
    uint32 rows, columns;
    const double *matrix = array_argument(
        fcinfo, 2, metric->kind == METRIC_MAHALANOBIS ? "covariance" : "matrix", &rows, &columns);

    metric_set_matrix(host_env(), metric, matrix, rows, columns);
}

/* Sets the covariance, with divisor n, from moments of features. */
static void setup_moments(FunctionCallInfo fcinfo, Metric *metric)
{
    const Model *moments = PG_GETARG_SOUND_MODEL(2);

    metric_set_moments(host_env(), metric, moments);
}

DISTANCE(pgfit_standardized_euclidean_distance,
         return give_distance(fcinfo, METRIC_STANDARDIZED_EUCLIDEAN,
                              "standardized_euclidean_distance", 2, setup_spreads);)
DISTANCE(pgfit_gower_distance,
         return give_distance(fcinfo, METRIC_GOWER, "gower_distance", 2, setup_spreads);)
DISTANCE(pgfit_haversine_distance,
         return order_distance(fcinfo, METRIC_HAVERSINE, "haversine_distance");)
DISTANCE(pgfit_elliptical_distance,
         return give_distance(fcinfo, METRIC_ELLIPTICAL, "elliptical_distance", 2, setup_matrix);)
DISTANCE(pgfit_mahalanobis_distance,
         return give_distance(fcinfo, METRIC_MAHALANOBIS, "mahalanobis_distance", 2, setup_matrix);)
DISTANCE(pgfit_mahalanobis_distance_moments,
         return give_distance(fcinfo, METRIC_MAHALANOBIS, "mahalanobis_distance", 2,
                              setup_moments);)

/* ---- by name ---- */

static MetricKind metric_argument(FunctionCallInfo fcinfo, int argument)
{
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(argument));
    const char *ours = choice_synonym("metric", name);
    MetricKind kind = metric_find(ours != NULL ? ours : name);

    if (kind == 0 || kind == METRIC_FUNCTION)
        metric_fail_unknown(host_env(), name);
    return kind;
}

/* Is this kind a string, which is compared by characters? */
static bool is_text(int value_kind)
{
    return value_kind == SQL_VALUE_TEXT || value_kind == SQL_VALUE_BPCHAR || value_kind == SQL_VALUE_NAME ||
           value_kind == SQL_VALUE_CSTRING;
}

/* Returns a string argument. */
static const char *string_argument(FunctionCallInfo fcinfo, PairSite *site, int argument,
                                   size_t *length)
{
    char buffer[SQL_VALUE_BUFFER];
    SqlValueKind value_kind = (SqlValueKind)pair_value_type(fcinfo, site, argument);
    ReadBytes string = sql_value_bytes(value_kind, DatumGetPointer(PG_GETARG_DATUM(argument)), buffer);

    *length = string.length;
    return pnstrdup(string.bytes, string.length);
}

static uint64 bits_differing(FunctionCallInfo fcinfo)
{
    VarBit *a = PG_GETARG_VARBIT_P(0), *b = PG_GETARG_VARBIT_P(1);

    if (VARBITLEN(a) != VARBITLEN(b))
        env_fail(host_env(), ERROR_DATA, "Cast both to one length, such as bit(8).", "the bit strings have %d and %d bits", VARBITLEN(a),
                 VARBITLEN(b));
    return hamming_distance_bits(VARBITS(a), VARBITS(b), VARBITBYTES(a));
}

/* Counts the differing characters or bits; returns false if the arguments are neither strings nor bit strings. */
static bool strings_differing(FunctionCallInfo fcinfo, PairSite *site, double *distance)
{
    int first = pair_value_type(fcinfo, site, 0), second = pair_value_type(fcinfo, site, 1);
    bool text = is_text(first) && is_text(second);

    if (site->bits[0] && site->bits[1]) {
        *distance = (double)bits_differing(fcinfo);
        return true;
    }
    if (text) {
        size_t lengths[2];
        const char *a = string_argument(fcinfo, site, 0, &lengths[0]);
        const char *b = string_argument(fcinfo, site, 1, &lengths[1]);

        *distance = (double)hamming_distance_text(host_env(), a, lengths[0], b, lengths[1]);
        return true;
    }
    return false;
}

DISTANCE(pgfit_hamming_distance, {
    PairSite *site = pair_site(fcinfo);
    double distance;

    if (!strings_differing(fcinfo, site, &distance) &&
        !distance_of(fcinfo, METRIC_HAMMING, "hamming_distance", -1, NULL, &distance))
        PG_RETURN_NULL();
    PG_RETURN_INT64((int64)distance);
})

/* ---- sets ---- */

/* Returns the Jaccard (or Dice's) distance of two bit strings, as sets of the positions of their ones. */
static double bits_apart(FunctionCallInfo fcinfo, bool dice)
{
    VarBit *a = PG_GETARG_VARBIT_P(0), *b = PG_GETARG_VARBIT_P(1);
    uint64 differing = bits_differing(fcinfo), both = 0;

    for (int i = 0; i < VARBITBYTES(a); i++)
        both += (uint64)__builtin_popcount(VARBITS(a)[i] & VARBITS(b)[i]);
    return differing > 0 ? (double)differing / (double)(differing + (dice ? 2 : 1) * both) : 0;
}

/* Returns the Jaccard distance of two rows of numbers or two bit strings; dice: Dice's. */
static Datum give_set_distance(FunctionCallInfo fcinfo, bool dice)
{
    PairSite *site = pair_site(fcinfo);
    double distance;

    pair_value_type(fcinfo, site, 0);
    pair_value_type(fcinfo, site, 1);
    if (site->bits[0] && site->bits[1]) {
        distance = bits_apart(fcinfo, dice);
        PG_RETURN_FLOAT8(distance);
    }
    return give_distance(fcinfo, dice ? METRIC_DICE : METRIC_JACCARD, dice ? "dice_distance" : "jaccard_distance", -1, NULL);
}

DISTANCE(pgfit_jaccard_distance, return give_set_distance(fcinfo, false);)
DISTANCE(pgfit_dice_distance, return give_set_distance(fcinfo, true);)
/* Returns the distance of two strings by a metric of texts. */
static double between_texts(FunctionCallInfo fcinfo, PairSite *site, MetricKind kind, double prefix_weight)
{
    size_t sizes[2];
    const char *bytes[] = {string_argument(fcinfo, site, 0, &sizes[0]), string_argument(fcinfo, site, 1, &sizes[1])};
    const uint32_t lengths[] = {(uint32_t)sizes[0], (uint32_t)sizes[1]};

    return text_distance(host_env(), kind, &(TextList){2, bytes, lengths}, prefix_weight);
}

DISTANCE(pgfit_damerau_distance,
         return Int64GetDatum((int64)between_texts(fcinfo, pair_site(fcinfo), METRIC_DAMERAU, 0));)

DISTANCE(pgfit_jaro_winkler_distance, {
    double weight = PG_GETARG_FLOAT8(2);

    if (!(weight >= 0 && weight <= 0.25))
        env_fail(host_env(), ERROR_PARAMETER, NULL, "prefix_weight is %g, not from 0 to 0.25", weight);
    return give_number(between_texts(fcinfo, pair_site(fcinfo), METRIC_JARO_WINKLER, weight));
})

static double edits(FunctionCallInfo fcinfo, PairSite *site)
{
    size_t lengths[2];
    const char *a = string_argument(fcinfo, site, 0, &lengths[0]);
    const char *b = string_argument(fcinfo, site, 1, &lengths[1]);

    return (double)edit_distance(host_env(), a, lengths[0], b, lengths[1]);
}

DISTANCE(pgfit_edit_distance, return Int64GetDatum((int64)edits(fcinfo, pair_site(fcinfo)));)

static bool text_is(FunctionCallInfo fcinfo, int argument, const char *word)
{
    text *value = PG_GETARG_TEXT_PP(argument);

    return VARSIZE_ANY_EXHDR(value) == strlen(word) &&
           memcmp(VARDATA_ANY(value), word, strlen(word)) == 0;
}

/* Returns option "prefix_weight". */
static double prefix_weight_option(FunctionCallInfo fcinfo, int argument, const OptionSpec *const *tables)
{
    Options *given = argument < 0 ? NULL : options_argument(fcinfo, argument, "distance", tables);

    return given != NULL && options_given(given, "prefix_weight") ? options_number(given, "prefix_weight") : METRIC_PREFIX_WEIGHT;
}

/* distance(a, b, metric [, options]) */
static Datum distance_by_name(FunctionCallInfo fcinfo)
{
    const Jsonb *json = PG_GETARG_JSONB_P(3);
    int options = JB_ROOT_IS_OBJECT(json) && JB_ROOT_COUNT(json) == 0 ? -1 : 3;
    const OptionSpec *tables[] = {options_metric, options_number_kernel, NULL};
    PairSite *site = pair_site(fcinfo);
    double distance;

    if (text_is(fcinfo, 2, "edit") || text_is(fcinfo, 2, "damerau") || text_is(fcinfo, 2, "jaro_winkler")) {
        MetricKind kind = metric_argument(fcinfo, 2);

        if (!is_text(pair_value_type(fcinfo, site, 0)) || !is_text(pair_value_type(fcinfo, site, 1)))
            env_fail(host_env(), ERROR_PARAMETER, "Cast them to text.", "metric %s compares strings", metric_name(kind));
        if (kind == METRIC_EDIT)
            return give_number(edits(fcinfo, site));
        return give_number(between_texts(fcinfo, site, kind, prefix_weight_option(fcinfo, options, tables)));
    }
    if (text_is(fcinfo, 2, "hamming") && strings_differing(fcinfo, site, &distance))
        return give_number(distance);
    if (!pair_read(fcinfo, site))
        PG_RETURN_NULL();
    pair_watch(fcinfo, site, 0, 2);
    if (options >= 0)
        pair_watch(fcinfo, site, 1, options);
    if (site->metric == NULL) {
        MemoryContext caller = metric_memory(fcinfo, site);
        Options *given = options_argument(fcinfo, options, "distance", tables);
        MetricKind kind;
        Metric *metric;

        if (options_given(given, "metric"))
            env_fail(host_env(), ERROR_PARAMETER, NULL, "the metric is given twice");
        kind = metric_argument(fcinfo, 2);
        require_one_order(site, kind);
        metric = metric_of_options_as(host_env(), given, kind, site->schema, "distance");
        metric_end(site, metric, caller);
    }
    return give_number(measure(fcinfo, site));
}

DISTANCE(pgfit_distance_metric, return distance_by_name(fcinfo);)

DISTANCE(pgfit_norm, {
    PairSite *site = pair_site(fcinfo);
    double p = PG_GETARG_FLOAT8(1);

    if (!pair_read_one(fcinfo, site, 0))
        PG_RETURN_NULL();
    schema_require_numbers(host_env(), site->schema, "norm");
    metric_of_order(fcinfo, site, p == 0 ? METRIC_HAMMING : METRIC_MINKOWSKI, p, "norm");
    memset(site->slots[1], 0, site->schema->slot_count * sizeof(double));
    return give_number(measure(fcinfo, site));
})

/* ---- kernels ---- */

typedef double (*KernelFunction)(const Kernel *kernel, const double *a, const double *b,
                                 uint32 count);

/* Calls a function of a kernel that compares texts: those of the two rows take the place of texts of a row that is scored. */
static double value_of_texts(PairSite *site, const Kernel *given, KernelFunction value)
{
    Kernel kernel = *given;
    const char *bytes[2];
    uint32_t lengths[2];

    kernel_find_text(host_env(), &kernel, site->schema, FIELD_CATEGORICAL);
    kernel_set_texts(host_env(), &kernel, &(TextList){0}, NULL);
    for (int i = 0; i < 2; i++) {
        double *slot = &site->slots[i][kernel.text_at - 1];

        bytes[i] = dictionary_text(site->schema, DICTIONARY_LEVELS, (uint32_t)*slot, &lengths[i]);
        *slot = slot_of_row_text((uint32_t)i);
    }
    host_env()->row_texts = (TextList){2, bytes, lengths};
    return value(&kernel, site->slots[0], site->slots[1], site->schema->slot_count);
}

/* function(a, b, kernel [, options]) */
static Datum kernel_of_pair(FunctionCallInfo fcinfo, const char *function, KernelFunction value)
{
    PairSite *site = pair_site(fcinfo);
    const Kernel *kernel;

    if (!pair_read(fcinfo, site))
        PG_RETURN_NULL();
    kernel = kernel_argument(fcinfo, site, 2, function);
    if (!kernel_uses_texts(kernel))
        schema_require_numbers(host_env(), site->schema, function);
    if (kernel_lacks_gamma(kernel))
        env_fail(host_env(), ERROR_PARAMETER,
                 "Set one of them, as in '{\"gamma\": 0.5}'::jsonb or '{\"sigma\": 1}'::jsonb.",
                 "kernel rbf needs gamma or sigma");
    if (kernel_uses_texts(kernel))
        return give_number(value_of_texts(site, kernel, value));
    return give_number(value(kernel, site->slots[0], site->slots[1], site->schema->slot_count));
}

static double cosine_of_kernel(const Kernel *kernel, const double *a, const double *b, uint32 count)
{
    return kernel_cosine(host_env(), kernel, a, b, count);
}

DISTANCE(pgfit_kernel, return kernel_of_pair(fcinfo, "kernel", kernel_value);)
DISTANCE(pgfit_kernel_distance, return kernel_of_pair(fcinfo, "kernel_distance", kernel_distance);)
DISTANCE(pgfit_kernel_cosine, return kernel_of_pair(fcinfo, "kernel_cosine", cosine_of_kernel);)

/* ---- axioms ---- */

DISTANCE(pgfit_is_metric, {
    MetricAxioms axioms;
    ResultRow row = {0};
    TupleDesc descriptor;
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));

    if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "is_metric returns a row");
    axioms = metric_axioms(host_env(), name, PG_GETARG_FLOAT8(1));
    row_add(&row, BoolGetDatum(axioms.zero && axioms.positive && axioms.symmetric && axioms.triangle), false);
    row_add(&row, BoolGetDatum(axioms.zero), false);
    row_add(&row, BoolGetDatum(axioms.positive), false);
    row_add(&row, BoolGetDatum(axioms.symmetric), false);
    row_add(&row, BoolGetDatum(axioms.triangle), false);
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), row.values, row.nulls));
})
