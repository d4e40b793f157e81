/*
 * optics.c - the rows in an order in which clusters of every density are valleys of one curve.
 *
 * Ankerst, Breunig, Kriegel & Sander (1999). The next row is the one that those before it reach at the smallest distance, of equal ones
 * the first in the order of content; the first row has no such distance.
 *
 * Arrays of a model of n rows, in this order: ids TEXT[n]; reachability F64[n] and core_distances F64[n], infinite where there is none;
 * predecessors I32[n], the place of the row that each is reached from, -1 where there is none.
 */
#include "core/density/density_points.h"
#include "core/base/heap.h"

#include <math.h>
#include <string.h>

static const OptionSpec optics_options[] = {
    {.name = "radius",
     .types = OPTION_NUMBER,
     .minimum = 0,
     .minimum_open = true,
     .maximum = 1e300,
     .unset = "any distance, which compares all pairs",
     .help = "How far a row looks for others, by the metric."},
    {.name = NULL}};

/* ---- the fit ---- */

/* A row that is reached, in a heap; one that was reached again at a smaller distance is stale. */
typedef struct Reached {
    double reduced;
    uint32_t position;
} Reached;

typedef struct Optics {
    const DensityPoints *points;
    double *core;      /* [count] reduced; INFINITY: the row is no core row */
    double *reach;     /* [count] reduced */
    int32_t *previous; /* [count] */
    Reached *heap;
    size_t heap_count, heap_room;
    uint32_t current;
} Optics;

/* A HeapBefore. */
static bool comes_first(const void *left, const void *right, const void *context)
{
    const Reached *a = left, *b = right;

    return a->reduced < b->reduced || (a->reduced == b->reduced && a->position < b->position);
}

static void push_reached(Optics *fit, Reached item)
{
    Env *env = fit->points->env;

    if (fit->heap_count == fit->heap_room) {
        fit->heap_room *= 2;
        env_require_memory(env, fit->heap_room * sizeof(Reached), "optics");
        fit->heap = env->resize(env, fit->heap, fit->heap_room * sizeof(Reached));
    }
    heap_add(fit->heap, fit->heap_count++, &item, sizeof item, comes_first, NULL);
}

/* Lowers the distance at which a row is reached. A NeighborFound. */
static double lower(void *context, uint32_t position, double reduced, double limit)
{
    Optics *fit = context;
    double reach = fmax(reduced, fit->core[fit->current]);

    if (reach < fit->reach[position]) {
        fit->reach[position] = reach;
        fit->previous[position] = (int32_t)fit->current;
        push_reached(fit, (Reached){reach, position});
    }
    return limit;
}

/* Returns the next row: the nearest one reached, or the first that is left. */
static uint32_t next_row(Optics *fit, const NeighborGroups *groups, uint32_t *first)
{
    while (fit->heap_count > 0) {
        Reached top;

        heap_take_first(fit->heap, fit->heap_count--, &top, sizeof top, comes_first, NULL);
        if (groups->rows[top.position] != GROUP_NONE && top.reduced == fit->reach[top.position])
            return top.position;
    }
    while (groups->rows[*first] == GROUP_NONE)
        (*first)++;
    return *first;
}

/* Returns the rows in their order. */
static uint32_t *order_rows(Optics *fit, double limit)
{
    const DensityPoints *points = fit->points;
    Env *env = points->env;
    NeighborGroups *groups = neighbor_groups(points->index, NULL);
    uint32_t *order = env_array_raw(env, points->count, sizeof(uint32_t)), first = 0, step = points->count / 256 + 64;

    memset(groups->rows, 0, points->count * sizeof(uint32_t)); /* one group of rows that are left */
    for (uint32_t i = 0; i < points->count; i++) {
        if (i % step == 0) { /* leaves out parts of the tree without rows that are left */
            env->progress(env, "ordering", i, points->count, NAN);
            neighbor_groups_update(groups);
        }
        fit->current = order[i] = next_row(fit, groups, &first);
        groups->rows[fit->current] = GROUP_NONE;
        if (!(fit->core[fit->current] < INFINITY))
            continue;
        density_query(points, fit->current);
        neighbor_others(groups, points->search, GROUP_NONE, limit, lower, fit);
    }
    return order;
}

/* Adds the arrays in the order of the rows. */
static void add_order(const Optics *fit, const uint32_t *order, ModelBuilder *builder)
{
    const DensityPoints *points = fit->points;
    Env *env = points->env;
    uint32_t n = points->count, *place = env_array_raw(env, n, sizeof(uint32_t));
    double *reach = env_array_raw(env, n, sizeof(double)), *core = env_array_raw(env, n, sizeof(double));
    int32_t *previous = env_array_raw(env, n, sizeof(int32_t));

    for (uint32_t i = 0; i < n; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = order[i];

        reach[i] = fit->reach[row] < INFINITY ? metric_of_reduced(points->metric, fit->reach[row]) : INFINITY;
        core[i] = fit->core[row] < INFINITY ? metric_of_reduced(points->metric, fit->core[row]) : INFINITY;
        previous[i] = fit->previous[row] < 0 ? -1 : (int32_t)place[fit->previous[row]];
    }
    row_ids_write(env, builder, points->ids, order, n);
    builder_f64(builder, SECTION_ARRAYS, "reachability", reach, n);
    builder_f64(builder, SECTION_ARRAYS, "core_distances", core, n);
    builder_i32(builder, SECTION_ARRAYS, "predecessors", previous, n);
}

static Model *optics_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                         ModelBuilder *builder)
{
    Optics fit = {.heap_room = 1024};
    double limit = INFINITY;

    fit.points = density_points(env, input->rows, options, 128, self->name);
    fit.core = density_core_distances(fit.points, options_number(options, "min_samples"));
    if (options_given(options, "radius"))
        limit = density_limit(fit.points->metric, options_number(options, "radius"));
    fit.reach = env_array_raw(env, fit.points->count, sizeof(double));
    fit.previous = env_array_raw(env, fit.points->count, sizeof(int32_t));
    fit.heap = env_array_raw(env, fit.heap_room, sizeof(Reached));
    for (uint32_t i = 0; i < fit.points->count; i++) {
        fit.core[i] = fit.core[i] <= limit ? fit.core[i] : INFINITY;
        fit.reach[i] = INFINITY;
        fit.previous[i] = -1;
    }
    add_order(&fit, order_rows(&fit, limit), builder);
    return model_build(builder);
}

/* ---- reading ---- */

typedef struct OpticsModel {
    const double *reachability, *core_distances;
    const int32_t *predecessors;
    const ModelEntry *ids;
    uint32_t rows;
} OpticsModel;

static const ArraySpec optics_arrays[] = {
    ROW_NUMBERS("core_distances", OpticsModel, core_distances, VALUES_ANY),
    ROW_IDS(OpticsModel),
    {.name = "predecessors",
     .type = ARRAY_I32,
     .rows = {SIZE_ROWS},
     .values = VALUES_INDEX,
     .below = SIZE_ROWS,
     .least = -1,
     .data_at = VIEW_AT(OpticsModel, predecessors)},
    ROW_NUMBERS("reachability", OpticsModel, reachability, VALUES_ANY)};
static const ArrayTable optics_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(optics_arrays), NO_FACTS);

static void *open_order(Env *env, const Model *model, uint64_t *rows)
{
    OpticsModel *view = env_array(env, 1, sizeof *view);

    view_arrays(model, optics_array_tables, view);
    view->ids = model_find(model, "ids");
    *rows = view->rows;
    return view;
}

static bool order_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const OpticsModel *view = data;

    cell_integer(&cells[0], (int64_t)i + 1);
    cell_text_of(&cells[1], model, view->ids, (uint32_t)i);
    if (isfinite(view->reachability[i]))
        cell_number(&cells[2], view->reachability[i]);
    if (isfinite(view->core_distances[i]))
        cell_number(&cells[3], view->core_distances[i]);
    if (view->predecessors[i] >= 0)
        cell_text_of(&cells[4], model, view->ids, (uint32_t)view->predecessors[i]);
    return true;
}

static const Table reachability = {.name = "reachability", .open = open_order, .row = order_row};
static const Table *const optics_tables[] = {&reachability, NULL};

const Estimator estimator_optics = {
    .name = "optics",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .identified = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, options_density, optics_options),
    .help = "Orders the rows so that clusters of every density are valleys of one curve, the distance at which each row is reached.",
    .source = "Ankerst, Breunig, Kriegel & Sander (1999)",
    .fit = optics_fit,
    .arrays = optics_array_tables,
    .tables = optics_tables,
};
