/*
 * local_outlier_factor.c - outliers: rows whose neighborhood is less dense than those of their neighbors.
 *
 * Breunig, Kriegel, Ng & Sander (2000). The reachability distance of a row from a neighbor is their distance, or the distance of the
 * neighbor's k-th nearest row if that is larger; the local density of a row is 1 / mean reachability distance from its k
 * nearest rows, and its factor the mean density of these rows divided by its own: about 1 inside a cluster, large for outliers.
 *
 * Among more than k equal rows the mean distance is 0 and the density infinite. It counts as 1e-10 of the least k-distance above 0, so that
 * such rows have factor 1, and rows with such neighbors one of 1e10 or so, in any unit. (scikit-learn adds 1e-10 to all distances.)
 *
 * Arrays of a model of n rows: ids TEXT[n]; factors F64[n], of each row among the others; densities F64[n]; k_distances F64[n]; points
 * F64[n x width], coordinates; search F64[2], k and the factor above which a row is out; the metric (metric.h).
 */
#include "core/base/sort.h"
#include "core/base/number_order.h"
#include "core/density/density_points.h"
#include "core/estimator/shared_options.h"

#include <math.h>
#include <string.h>

#define LEAST_REACH 1e-10 /* of the least k-distance above 0 */
#define NO_REACH 0x1p-960 /* where there is none */

static const OptionSpec lof_options[] = {
    OPTION_CONTAMINATION("a factor above 1.5"),
    {.name = "k",
     .types = OPTION_INTEGER,
     .fallback = "20",
     .minimum = 1,
     .maximum = 1e9,
     .help = "How many neighbors a row is compared with."},
    {.name = NULL}};

/* ---- the fit ---- */

typedef struct Factors {
    const DensityPoints *points;
    uint32_t k;
    Neighbor *found;     /* [count x k] neighbors of each row without itself */
    double *k_distances; /* [count] */
    double *densities;
    double *factors;
    double least; /* reachability distance */
} Factors;

/* Fails for a row that reaches too few others. */
static void __attribute__((noreturn)) fail_neighbors(Env *env, const DensityPoints *points, uint32_t k, uint32_t reached)
{
    if (points->metric->form != FORM_OBJECTS)
        density_fail_range(env, "local_outlier_factor");
    env_fail(env, ERROR_DATA, "Use a smaller \"k\", or fit one model per group of rows that can be reached from each other.",
             "a row reaches only %u others at a finite distance, and k of local_outlier_factor is %u", reached, k);
}

/* Returns the reachability distance that stands for 0. */
static double least_reach(const double *k_distances, uint32_t count)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < count; i++)
        if (k_distances[i] > 0 && k_distances[i] < least)
            least = k_distances[i];
    return isfinite(least) ? fmax(LEAST_REACH * least, NO_REACH) : NO_REACH;
}

/* Takes the neighbors of a block. A NeighborBlockTaken. */
static void take_neighbors(void *context, const NeighborBlock *block)
{
    Factors *fit = context;
    uint32_t k = fit->k;

    for (uint32_t i = 0; i < block->count; i++)
        if (block->counts[i] < k || !isfinite(block->found[(size_t)i * k + k - 1].reduced))
            fail_neighbors(fit->points->env, fit->points, k, block->counts[i]);
    memcpy(fit->found + (size_t)block->first * k, block->found, (size_t)block->count * k * sizeof(Neighbor));
}

static void find_neighbors(Factors *fit)
{
    const DensityPoints *points = fit->points;

    neighbor_blocks(points->env, points->index, fit->k, true, points->spare, "neighbors", take_neighbors, fit);
    for (uint32_t i = 0; i < points->count; i++)
        fit->k_distances[i] = metric_of_reduced(points->metric, fit->found[(size_t)i * fit->k + fit->k - 1].reduced);
    fit->least = least_reach(fit->k_distances, points->count);
}

/* Returns the local density of a row from its neighbors. k_distances: of the stored rows; least: of them. */
static double density_of(const Metric *metric, const Neighbor *found, uint32_t k, const double *k_distances, double least)
{
    double sum = 0;

    for (uint32_t i = 0; i < k; i++)
        sum += fmax(metric_of_reduced(metric, found[i].reduced), k_distances[found[i].position]);
    return 1 / fmax(sum / k, least);
}

/* Returns the factor of a row of this density. */
static double factor_of(const Neighbor *found, uint32_t k, const double *densities, double own)
{
    double sum = 0;

    for (uint32_t i = 0; i < k; i++)
        sum += densities[found[i].position];
    return sum / k / own;
}

/* Returns the factor that a share of the rows exceeds. */
static double factor_threshold(const Factors *fit, double share)
{
    Env *env = fit->points->env;
    uint32_t n = fit->points->count, above = (uint32_t)(share * n);
    double *sorted = env_array_raw(env, n, sizeof(double));

    memcpy(sorted, fit->factors, n * sizeof(double));
    sort_polled(env, sorted, n, sizeof(double), compare_numbers_falling);
    return sorted[above < n ? above : n - 1];
}

static void store_factors(const Factors *fit, const Options *options, ModelBuilder *builder)
{
    const DensityPoints *points = fit->points;
    Env *env = points->env;
    uint32_t n = points->count, out = 0;
    double *search = env_array(env, 2, sizeof(double));

    search[0] = fit->k;
    search[1] = options_type(options, "contamination") == OPTION_STRING
                    ? 1.5
                    : factor_threshold(fit, options_number(options, "contamination"));
    for (uint32_t i = 0; i < n; i++)
        out += fit->factors[i] > search[1];
    row_ids_write(env, builder, points->ids, NULL, n);
    builder_f64(builder, SECTION_ARRAYS, "factors", fit->factors, n);
    builder_f64(builder, SECTION_ARRAYS, "densities", fit->densities, n);
    builder_f64(builder, SECTION_ARRAYS, "k_distances", fit->k_distances, n);
    builder_f64_matrix(builder, SECTION_ARRAYS, "points", points->coordinates, n, points->metric->width);
    builder_f64(builder, SECTION_ARRAYS, "search", search, 2);
    metric_write(env, points->metric, builder);
    metric_write_objects(env, points->metric, builder, points->coordinates, points->count);
    builder_fact_i64(builder, "k", fit->k);
    builder_fact_i64(builder, "rows_out", out);
}

static Model *lof_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    Factors fit = {0};
    uint64_t rows = rows_count(input->rows);
    int64_t k = options_integer(options, "k");
    uint32_t n;

    if (rows_contents(input->rows) & ROWS_WEIGHT)
        env_fail(env, ERROR_PARAMETER, "Omit the weights, or repeat rows.", "local_outlier_factor takes no weights");
    if ((uint64_t)k >= rows && options_given(options, "k"))
        env_fail(env, ERROR_DATA, "Use a smaller k.", "k of local_outlier_factor is %lld, but a row has only %llu others", (long long)k,
                 (unsigned long long)(rows - 1));
    if (rows < 2) {
        if (input->frame)
            return NULL;
        env_fail(env, ERROR_DATA, "Add rows.", "local_outlier_factor needs at least 2 rows, not %llu", (unsigned long long)rows);
    }
    fit.k = (uint64_t)k < rows ? (uint32_t)k : (uint32_t)rows - 1;
    /* the neighbors of all rows, and those of a block */
    fit.points = density_points(env, input->rows, options, fit.k * sizeof(Neighbor) * (1 + (double)neighbor_block_rows((uint32_t)rows) / rows) + 64,
                                self->name);
    n = fit.points->count;
    fit.found = env_array_raw(env, n, fit.k * sizeof(Neighbor));
    fit.k_distances = env_array_raw(env, n, sizeof(double));
    fit.densities = env_array_raw(env, n, sizeof(double));
    fit.factors = env_array_raw(env, n, sizeof(double));
    find_neighbors(&fit);
    for (uint32_t i = 0; i < n; i++)
        fit.densities[i] = density_of(fit.points->metric, fit.found + (size_t)i * fit.k, fit.k, fit.k_distances, fit.least);
    for (uint32_t i = 0; i < n; i++)
        fit.factors[i] = factor_of(fit.found + (size_t)i * fit.k, fit.k, fit.densities, fit.densities[i]);
    store_factors(&fit, options, builder);
    return model_build(builder);
}

/* ---- reading ---- */

typedef struct LofModel {
    const double *densities, *factors, *k_distances, *points, *search;
    const ModelEntry *ids;
    uint32_t rows, width;
} LofModel;

static const ArraySpec lof_arrays[] = {
    ROW_NUMBERS("densities", LofModel, densities, VALUES_POSITIVE),
    ROW_NUMBERS("factors", LofModel, factors, VALUES_NONNEGATIVE),
    ROW_IDS(LofModel),
    ROW_NUMBERS("k_distances", LofModel, k_distances, VALUES_NONNEGATIVE),
    {.name = "points",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS},
     .columns = {SIZE_FREE},
     .data_at = VIEW_AT(LofModel, points),
     .columns_at = VIEW_AT(LofModel, width)},
    SEARCH_NUMBERS(LofModel, 2, VALUES_NONNEGATIVE)};
static const ArraySpec lof_facts[] = {FACT("k", ARRAY_I64), FACT("rows_out", ARRAY_I64)};
static const ArrayTable lof_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(lof_arrays), ARRAY_TABLE(metric_arrays), FACT_TABLE(lof_facts));

static const char *lof_check(Env *env, const Model *model)
{
    LofModel view = {0};
    const char *wrong;

    view_arrays(model, lof_array_tables, &view);
    wrong = density_check(env, model, view.width);
    if (wrong != NULL)
        return wrong;
    if (!(view.search[0] >= 1 && view.search[0] <= view.rows && view.search[0] == floor(view.search[0])))
        return "the number of neighbors is out of range";
    return NULL;
}

/* ---- scoring ---- */

typedef struct PreparedLof {
    LofModel view;
    Metric *metric;
    NeighborSearch *search;
    double least;
} PreparedLof;

static void *lof_prepare(Env *env, const Model *model, size_t *bytes)
{
    PreparedLof *prepared = env_array(env, 1, sizeof *prepared);

    prepared->metric = metric_open(env, model);
    view_arrays(model, lof_array_tables, &prepared->view);
    prepared->search = density_search(env, prepared->metric, prepared->view.points, prepared->view.rows,
                                      (uint32_t)prepared->view.search[0]);
    prepared->least = least_reach(prepared->view.k_distances, prepared->view.rows);
    *bytes = 0; /* as allocated */
    return prepared;
}

/* Returns the factor of a new row among the stored ones; NaN if it has no distances. */
static double lof_factor(const void *data, const double *slots)
{
    const PreparedLof *prepared = data;
    const LofModel *view = &prepared->view;
    NeighborSearch *search = prepared->search;

    if (!metric_place(prepared->metric, slots, search->query))
        return NAN;
    neighbor_nearest(search, (uint32_t)view->search[0], NEIGHBOR_NONE);
    if (search->count == 0)
        return NAN;
    return factor_of(search->found, search->count, view->densities,
                     density_of(prepared->metric, search->found, search->count, view->k_distances, prepared->least));
}

static void lof_decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    out[0] = lof_factor(prepared, slots);
}

static uint32_t lof_classify(const Model *model, const void *prepared, const double *slots)
{
    double factor = lof_factor(prepared, slots);

    return isnan(factor) ? CLASS_NONE : !(factor > ((const PreparedLof *)prepared)->view.search[1]);
}

static uint32_t lof_width(const Model *model)
{
    return 1;
}

static const Scoring lof_scoring = {.partial = true,
                                    .prepare = lof_prepare,
                                    .labels = outlier_labels,
                                    .classify = lof_classify,
                                    .decisions = lof_decisions,
                                    .width = lof_width};

/* ---- the table ---- */

static void *open_factors(Env *env, const Model *model, uint64_t *rows)
{
    LofModel *view = env_array(env, 1, sizeof *view);

    view_arrays(model, lof_array_tables, view);
    view->ids = model_find(model, "ids");
    *rows = view->rows;
    return view;
}

static bool factor_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const LofModel *view = data;

    cell_text_of(&cells[0], model, view->ids, (uint32_t)i);
    cell_number(&cells[1], view->factors[i]);
    cell_string(&cells[2], outlier_labels[!(view->factors[i] > view->search[1])]);
    return true;
}

static const Table outlier_factors = {.name = "outlier_factors", .open = open_factors, .row = factor_row};
static const Table *const lof_tables[] = {&outlier_factors, NULL};

const Estimator estimator_local_outlier_factor = {
    .name = "local_outlier_factor",
    .task = TASK_OUTLIERS,
    .input = INPUT_ROWS,
    .identified = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, lof_options),
    .help = "Finds outliers: rows whose neighborhood is less dense than those of their neighbors.",
    .source = "Breunig, Kriegel, Ng & Sander (2000)",
    .fit = lof_fit,
    .arrays = lof_array_tables,
    .check = lof_check,
    .scoring = &lof_scoring,
    .tables = lof_tables,
};
