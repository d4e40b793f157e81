/*
 * mds.c - classical multidimensional scaling: coordinates whose distances approximate those of the rows, by any metric or as given.
 *
 * Torgerson (1952), Gower (1966). The squared distances, centered to B = -1/2 J D2 J, are the products of the wanted coordinates where
 * these exist; the coordinates are the eigenvectors of B, each times the root of its eigenvalue. Weights count as repeated rows. A new
 * row with squared distances d2 from the rows lies at x_c = sum over i of w_i x_ic (b_ii - d2_i) / (2 eigenvalue_c) (Gower 1968).
 *
 * Arrays of a model of n rows and k coordinates: ids TEXT[n]; coordinates F64[n x k]; eigenvalues F64[n] of B, descending; where new rows
 * can be placed also points F64[n x width], the rows as the metric (metric.h) compares them, spread F64[n], the b_ii, and row_weights
 * F64[n] if there were any.
 */
#include "core/base/all_finite.h"
#include "core/distance/point_set.h"
#include "core/estimator/table.h"
#include "core/kernel_methods/gram_matrix.h"
#include "core/linalg/eigen.h"
#include "core/linalg/vector_loops.h"
#include "core/model/report_text.h"
#include "core/reduce/component_sign.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BLOCK 64 /* rows whose distances are computed together */

static const OptionSpec mds_options[] = {
    {.name = "k",
     .types = OPTION_INTEGER,
     .fallback = "2",
     .minimum = 1,
     .maximum = INT32_MAX,
     .help = "Number of coordinates."},
    {.name = NULL}};

/* ---- the fit ---- */

typedef struct Scaling {
    Env *env;
    const PointSet *points;
    uint32_t n, k;
    double *products;     /* [n x n] B, with weights */
    double *spread;       /* [n] diagonal of B without weights */
    const double *values; /* [n] eigenvalues */
    double *vectors;      /* [k x n] */
    double *coordinates;  /* [n x k] */
} Scaling;

static void require_memory(Env *env, uint64_t rows, uint32_t k)
{
    uint32_t n = rows < 100000 ? (uint32_t)rows : 100000;

    env_require_memory(env, eigen_memory(n, k < n ? k : n) + (size_t)n * n * sizeof(double) + (size_t)n * (BLOCK + 2 * (size_t)k + 8) * sizeof(double),
                       "mds");
}

/* Computes -1/2 times the squared distances. */
static void load_products(Scaling *scaling)
{
    Env *env = scaling->env;
    const PointSet *points = scaling->points;
    uint32_t n = scaling->n;

    scaling->products = env_array_raw(env, n, (size_t)n * sizeof(double));
    for (uint32_t first = 0; first < n; first += BLOCK) {
        uint32_t count = n - first < BLOCK ? n - first : BLOCK;
        double *block = scaling->products + (size_t)first * n;

        metric_reduced_matrix(env, points->metric, point_set_row(points, first), count, points->coordinates, n, block);
        metric_of_reduced_all(points->metric, block, (size_t)count * n);
        for (size_t i = 0; i < (size_t)count * n; i++) {
            block[i] *= -0.5 * block[i];
            if (!isfinite(block[i]))
                env_fail(env, ERROR_RANGE, "Divide the features by a large number.", "a squared distance in mds is out of range");
        }
        env->progress(env, "distances", first, n, NAN);
        env->poll(env);
    }
}

/* Centers the products, and weighs them. */
static void center_products(Scaling *scaling)
{
    Env *env = scaling->env;
    const double *weights = scaling->points->weights;
    uint32_t n = scaling->n;
    double *roots = env_array(env, n, sizeof(double));

    scaling->spread = env_array(env, n, sizeof(double));
    gram_center(env, scaling->products, n, weights, roots);
    for (uint32_t i = 0; i < n; i++)
        scaling->spread[i] = scaling->products[(size_t)i * n + i];
    if (weights != NULL) {
        for (uint32_t i = 0; i < n; i++)
            roots[i] = sqrt(weights[i]);
        gram_weigh(env, scaling->products, n, roots);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!all_finite(scaling->products + (size_t)i * n, n))
            env_fail(env, ERROR_RANGE, "Divide the features or the weights by a large number.", "a weighted squared distance in mds is out of range");
        env->poll(env);
    }
}

/* Finds the eigenvalues, and turns the leading eigenvectors into coordinates. Returns how many of the k are positive. */
static uint32_t find_coordinates(Scaling *scaling)
{
    Env *env = scaling->env;
    const double *weights = scaling->points->weights;
    uint32_t n = scaling->n, wanted = scaling->k, k = 0;
    Eigen *eigen = eigen_begin(env, scaling->products, n);
    const double *values = eigen_values(eigen);
    double rounding = 16 * DBL_EPSILON * n * fmax(fabs(values[0]), fabs(values[n - 1]));

    scaling->values = values;
    while (k < wanted && k + 1 < n && values[k] > rounding)
        k++;
    scaling->k = k;
    scaling->coordinates = env_array(env, n, (size_t)k * sizeof(double) + 1);
    scaling->vectors = env_array(env, (size_t)k * n + 1, sizeof(double));
    if (k > 0)
        eigen_vectors(eigen, k, scaling->vectors);
    for (uint32_t c = 0; c < k; c++) {
        double *vector = scaling->vectors + (size_t)c * n, root = sqrt(values[c]);

        for (uint32_t i = 0; i < n; i++)
            vector[i] *= weights != NULL ? root / sqrt(weights[i]) : root;
        component_fix_sign(vector, n);
        for (uint32_t i = 0; i < n; i++)
            scaling->coordinates[(size_t)i * k + c] = vector[i];
    }
    return k;
}

/* Adds what the eigenvalues say of how well the coordinates represent the distances: the measures of R's cmdscale. */
static void add_facts(const Scaling *scaling, ModelBuilder *builder)
{
    double kept = 0, positive = 0, absolute = 0, limit = 4 * DBL_EPSILON * scaling->n;
    uint32_t n = scaling->n;
    int64_t negative = 0;

    for (uint32_t i = 0; i < n; i++) {
        double value = scaling->values[i];

        kept += i < scaling->k ? value : 0;
        positive += value > 0 ? value : 0;
        absolute += fabs(value);
        negative += value < -64 * limit * fabs(scaling->values[0]);
    }
    builder_fact_i64(builder, "k", scaling->k);
    builder_fact_i64(builder, "negative_eigenvalues", negative);
    builder_fact(builder, "goodness_of_fit", absolute > 0 ? kept / absolute : NAN);
    builder_fact(builder, "goodness_of_fit_positive", positive > 0 ? kept / positive : NAN);
}

static void add_arrays(Env *env, const Scaling *scaling, const RowId *ids, ModelBuilder *builder)
{
    const PointSet *points = scaling->points;
    uint32_t n = scaling->n;

    row_ids_write(env, builder, ids, NULL, n);
    builder_f64_matrix(builder, SECTION_ARRAYS, "coordinates", scaling->coordinates, n, scaling->k);
    builder_f64(builder, SECTION_ARRAYS, "eigenvalues", scaling->values, n);
    metric_write(env, points->metric, builder);
    if (points->metric->kind == METRIC_GIVEN)
        return;
    metric_write_objects(env, points->metric, builder, points->coordinates, n);
    builder_f64_matrix(builder, SECTION_ARRAYS, "points", points->coordinates, n, points->metric->width);
    builder_f64(builder, SECTION_ARRAYS, "spread", scaling->spread, n);
    if (points->weights != NULL)
        builder_f64(builder, SECTION_ARRAYS, "row_weights", points->weights, n);
}

static Model *mds_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    Scaling scaling = {.env = env, .k = (uint32_t)options_integer(options, "k")};
    uint64_t rows = rows_count(input->rows);
    uint32_t wanted = scaling.k, k;
    PointSet *points;
    RowId *ids;

    if (wanted >= rows && input->frame)
        return NULL;
    if (wanted >= rows)
        env_fail(env, ERROR_DATA, "Ask for fewer coordinates, or add rows.", "k is %u, but %llu row%s span%s at most %llu dimension%s", wanted,
                 (unsigned long long)rows, rows == 1 ? "" : "s", rows == 1 ? "s" : "", (unsigned long long)rows - 1, rows == 2 ? "" : "s");
    require_memory(env, rows, wanted);
    points = point_set(env, input->rows, options, 0, "mds");
    ids = point_set_ids(env, input->rows, points);
    scaling.points = points;
    scaling.n = points->count;
    load_products(&scaling);
    center_products(&scaling);
    k = find_coordinates(&scaling);
    if (k == 0 && input->frame)
        return NULL;
    if (k == 0)
        env_fail(env, ERROR_DATA, "Use rows that differ.", "mds has no coordinates: no eigenvalue is positive, as where all rows are equal");
    if (k < wanted && !input->frame)
        env_warn(env, ERROR_DATA, "Ask for fewer coordinates.",
                 "mds has %u coordinate%s instead of %u: the other eigenvalues are not positive", k, k == 1 ? "" : "s", wanted);
    add_facts(&scaling, builder);
    add_arrays(env, &scaling, ids, builder);
    return model_build(builder);
}

/* ---- the model ---- */

typedef struct MdsModel {
    const double *coordinates, *eigenvalues, *points, *spread, *weights;
    uint32_t n, k, width;
} MdsModel;

static const ArraySpec mds_arrays[] = {
    {.name = "coordinates",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS},
     .columns = {SIZE_COMPONENTS, .defines = true},
     .data_at = VIEW_AT(MdsModel, coordinates),
     .columns_at = VIEW_AT(MdsModel, k)},
    {.name = "eigenvalues", .type = ARRAY_F64, .rows = {SIZE_ROWS}, .data_at = VIEW_AT(MdsModel, eigenvalues)},
    {.name = "ids", .type = ARRAY_TEXT, .rows = {SIZE_ROWS, .defines = true}, .rows_at = VIEW_AT(MdsModel, n)},
    {.name = "points",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS},
     .columns = {SIZE_FREE},
     .presence = ARRAY_OPTIONAL,
     .data_at = VIEW_AT(MdsModel, points),
     .columns_at = VIEW_AT(MdsModel, width)},
    {.name = "row_weights",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS},
     .presence = ARRAY_OPTIONAL,
     .other = "points",
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(MdsModel, weights)},
    {.name = "spread",
     .type = ARRAY_F64,
     .rows = {SIZE_ROWS},
     .presence = ARRAY_WITH,
     .other = "points",
     .data_at = VIEW_AT(MdsModel, spread)}};
static const ArraySpec mds_facts[] = {FACT("goodness_of_fit", ARRAY_F64), FACT("goodness_of_fit_positive", ARRAY_F64), FACT("k", ARRAY_I64),
                                      FACT("negative_eigenvalues", ARRAY_I64)};
static const ArrayTable mds_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(mds_arrays), ARRAY_TABLE(metric_arrays), FACT_TABLE(mds_facts));

/* The eigenvalues of the coordinates are positive, and points are there unless the distances were given. */
static const char *mds_check(Env *env, const Model *model)
{
    MdsModel view = {0};
    Metric *metric;
    const char *wrong = metric_read(env, model, &metric);

    view_arrays(model, mds_array_tables, &view);
    if (wrong != NULL)
        return wrong;
    if (view.k >= view.n)
        return "there are as many coordinates as rows";
    for (uint32_t c = 0; c < view.k; c++)
        if (!(view.eigenvalues[c] > 0))
            return "the eigenvalue of a coordinate is not positive";
    if (metric_is_given(model) != (view.points == NULL))
        return "the model has points of given distances, or lacks those of a metric";
    if (view.points == NULL)
        return NULL;
    if (view.width != metric->width)
        return "the points do not have the coordinates of the metric";
    return metric_check_objects(model, view.points, view.n);
}

/* ---- scoring ---- */

typedef struct PreparedMds {
    const MdsModel *view;
    Metric *metric;
    double *factors; /* [n x k] weight x coordinate / (2 eigenvalue) */
    double *row;     /* [width] */
    double *reduced; /* [n] */
} PreparedMds;

static void *mds_prepare(Env *env, const Model *model, size_t *bytes)
{
    PreparedMds *prepared = env_array(env, 1, sizeof *prepared);
    MdsModel *view = env_array(env, 1, sizeof *view);

    prepared->metric = metric_open(env, model);
    view_arrays(model, mds_array_tables, view);
    prepared->view = view;
    prepared->factors = env_array_raw(env, (size_t)view->n * view->k, sizeof(double));
    prepared->row = env_array(env, (size_t)prepared->metric->width + 1, sizeof(double));
    prepared->reduced = env_array(env, view->n, sizeof(double));
    for (uint32_t i = 0; i < view->n; i++)
        for (uint32_t c = 0; c < view->k; c++)
            prepared->factors[(size_t)i * view->k + c] =
                row_weight(view->weights, i) * view->coordinates[(size_t)i * view->k + c] / (2 * view->eigenvalues[c]);
    *bytes = 0; /* as allocated */
    return prepared;
}

static void mds_transform(const Model *model, const void *data, const double *slots, double *out)
{
    const PreparedMds *prepared = data;
    const MdsModel *view = prepared->view;
    bool placed = metric_place(prepared->metric, slots, prepared->row);

    for (uint32_t c = 0; c < view->k; c++)
        out[c] = placed ? 0 : NAN;
    if (!placed)
        return;
    metric_reduced_rows(prepared->metric, prepared->row, view->points, view->n, prepared->reduced);
    metric_of_reduced_all(prepared->metric, prepared->reduced, view->n);
    for (uint32_t i = 0; i < view->n; i++) {
        double excess = view->spread[i] - prepared->reduced[i] * prepared->reduced[i];

        for (uint32_t c = 0; c < view->k; c++)
            out[c] += excess * prepared->factors[(size_t)i * view->k + c];
    }
}

static uint32_t mds_width(const Model *model)
{
    return model_find(model, "coordinates")->columns;
}

static const Scoring mds_scoring = {.partial = true, .prepare = mds_prepare, .transform = mds_transform, .width = mds_width};

/* ---- the table "coordinates" ---- */

static void *open_coordinates(Env *env, const Model *model, uint64_t *rows)
{
    MdsModel *view = env_array(env, 1, sizeof *view);

    view_arrays(model, mds_array_tables, view);
    *rows = view->n;
    return view;
}

static bool coordinate_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const MdsModel *view = data;

    cell_text_of(&cells[0], model, model_find(model, "ids"), (uint32_t)i);
    cell_numbers(&cells[1], view->coordinates + i * view->k, 0, view->k);
    return true;
}

static const Table coordinates = {.name = "coordinates", .open = open_coordinates, .row = coordinate_row};
static const Table *const mds_tables[] = {&coordinates, NULL};

static char *mds_summary(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    MdsModel view = {0};

    view_arrays(model, mds_array_tables, &view);
    text_print(&report, "mds: %u coordinate%s of %u row%s\n", view.k, view.k == 1 ? "" : "s", view.n, view.n == 1 ? "" : "s");
    report_rows(&report, model);
    text_print(&report, "goodness of fit: %.4f, among positive eigenvalues %.4f\n", model_fact(model, "goodness_of_fit", NAN),
               model_fact(model, "goodness_of_fit_positive", NAN));
    text_print(&report, "negative eigenvalues: %.0f, the least %.6g; the largest %.6g", model_fact(model, "negative_eigenvalues", NAN),
               view.eigenvalues[view.n - 1], view.eigenvalues[0]);
    return text_finish(&report, NULL);
}

static const char *const mds_positional[] = {"k", NULL};

const Estimator estimator_mds = {
    .name = "mds",
    .task = TASK_REDUCTION,
    .input = INPUT_ROWS,
    .supervised = false,
    .identified = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, mds_options),
    .positional = mds_positional,
    .help = "Classical multidimensional scaling: few coordinates whose distances approximate those of the rows, by any metric.",
    .source = "Torgerson (1952); Gower (1966)",
    .fit = mds_fit,
    .arrays = mds_array_tables,
    .check = mds_check,
    .scoring = &mds_scoring,
    .tables = mds_tables,
    .summary = mds_summary,
};
