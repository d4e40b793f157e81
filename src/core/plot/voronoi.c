/*
 * voronoi.c - Voronoi cells of the centroids or medoids of a model over two numbers, clipped to a box.
 *
 * The cell of a point is what the box has on its side of the bisectors with all others (Aurenhammer 1991, ACM Computing Surveys 23(3)):
 * a convex polygon, cut by one half-plane after the other (Sutherland & Hodgman 1974). Standardized features are scaled first, which keeps
 * lines straight.
 */
#include "core/plot/voronoi.h"

#include "core/classify/nearest_centroid.h"
#include "core/distance/metric.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-13 /* of the sides of the box */

typedef struct Vertex {
    double x, y;
} Vertex;

typedef struct VoronoiReader {
    bool classes;
    uint64_t count, room;
    struct CellVertex {
        uint32_t cell, number; /* the point whose cell it is of, and its number there from 1 */
        Vertex place;
    } *vertices; /* [count] */
} VoronoiReader;

/* The points of a model. */
typedef struct Sites {
    uint32_t count;
    const double *points; /* [count x 2] */
    double scale[2];      /* by which differences are multiplied */
    bool classes;
} Sites;

static void __attribute__((noreturn)) fail_curved(Env *env, const Model *model, const char *why)
{
    env_fail(env, ERROR_KIND, "Use decision_grid, which shows the regions of any model.",
             "voronoi needs borders halfway between two points, but %s in this model of %s", why, model->estimator);
}

static void read_nearest_centroid(Env *env, const Model *model, Sites *sites)
{
    CentroidModel view = centroid_model(model);

    sites->classes = true;
    if (view.kind != METRIC_EUCLIDEAN && view.kind != METRIC_STANDARDIZED_EUCLIDEAN)
        fail_curved(env, model, "distances are not euclidean");
    if (view.log_priors != NULL)
        fail_curved(env, model, "priors move the borders");
    for (int a = 0; a < 2 && view.scales != NULL; a++)
        sites->scale[a] = 1 / view.scales[a];
}

static void read_metric(Env *env, const Model *model, Sites *sites)
{
    Metric *metric = NULL;

    if (metric_read(env, model, &metric) != NULL || metric->form != FORM_SQUARES || metric->matrix != NULL || metric->width != 2 ||
        (metric->kind != METRIC_EUCLIDEAN && metric->kind != METRIC_SQUARED_EUCLIDEAN &&
         metric->kind != METRIC_STANDARDIZED_EUCLIDEAN && metric->kind != METRIC_MINKOWSKI))
        fail_curved(env, model, "distances are not euclidean");
    for (int a = 0; a < 2 && metric->scales != NULL; a++)
        sites->scale[a] = metric->scales[a];
}

/* Reads the points of a model over two numbers. */
static Sites read_sites(Env *env, const Model *model)
{
    Sites sites = {.scale = {1, 1}};
    const ModelEntry *points = model_find(model, "centroids");
    uint32_t length;
    const double *scale = model_f64(model, "feature_scale", &length);

    if (points == NULL)
        points = model_find(model, "medoids");
    if (points == NULL || points->type != ARRAY_F64 || points->dimensions != 2)
        env_fail(env, ERROR_KIND, "Models of kmeans, kmedoids and nearest_centroid have cells.", "voronoi does not apply to a model of %s",
                 model->estimator);
    if (model->slot_count != 2 || !schema_all_numeric(model) || points->columns != 2)
        env_fail(env, ERROR_KIND, "Project the rows to two numbers first, with transform of a pca, and fit to these; decision_grid shows two of "
                 "several features.", "voronoi needs a model of two numeric features, but this one of %s has %u numbers", model->estimator,
                 model->slot_count);
    sites.count = points->rows;
    sites.points = model_data(model, points);
    if (strcmp(model->estimator, "nearest_centroid") == 0)
        read_nearest_centroid(env, model, &sites);
    else if (strcmp(model->estimator, "kmedoids") == 0)
        read_metric(env, model, &sites);
    for (int a = 0; a < 2 && scale != NULL; a++)
        sites.scale[a] = scale[a];
    return sites;
}

/*
 * The plane in which cells are cut: scaled, from the lower left corner of the box, in units of its longer side, so that no product
 * overflows.
 */
typedef struct Plane {
    Env *env;
    const Sites *sites;
    Axis x, y;
    double unit, width, height; /* sides of the box in that unit */
    Vertex *points;             /* [sites] */
    Vertex *polygon, *spare;    /* [room] */
    uint32_t room;
} Plane;

static Plane plane_of(Env *env, const Sites *sites, Axis x, Axis y)
{
    Plane plane = {.env = env, .sites = sites, .x = x, .y = y, .room = 2 * sites->count + 8};
    double across = (x.high - x.low) * sites->scale[0], up = (y.high - y.low) * sites->scale[1];

    plane.unit = fmax(across, up);
    plane.width = across / plane.unit;
    plane.height = up / plane.unit;
    plane.points = env_array(env, (size_t)sites->count + 1, sizeof(Vertex));
    plane.polygon = env_array(env, plane.room, sizeof(Vertex));
    plane.spare = env_array(env, plane.room, sizeof(Vertex));
    for (uint32_t i = 0; i < sites->count; i++) {
        Vertex *point = &plane.points[i];

        point->x = (sites->points[2 * i] - x.low) * sites->scale[0] / plane.unit;
        point->y = (sites->points[2 * i + 1] - y.low) * sites->scale[1] / plane.unit;
        if (!isfinite(point->x) || !isfinite(point->y) || !(plane.width > 0 && plane.height > 0))
            env_fail(env, ERROR_RANGE, "Pass ranges nearer to the points, or divide large features by a power of ten.",
                     "the cells of point %u are out of the range of double precision", i + 1);
    }
    return plane;
}

/* Returns a vertex in the units of the features. The sides of the box are exact. */
static Vertex vertex_back(const Plane *plane, Vertex v)
{
    return (Vertex){v.x == plane->width ? plane->x.high : plane->x.low + v.x * plane->unit / plane->sites->scale[0],
                    v.y == plane->height ? plane->y.high : plane->y.low + v.y * plane->unit / plane->sites->scale[1]};
}

/* Cuts plane->polygon [count] by the half-plane nx (x - middle.x) + ny (y - middle.y) <= 0. Returns the new count. */
static uint32_t cut(Plane *plane, uint32_t count, double nx, double ny, Vertex middle)
{
    const Vertex *in = plane->polygon;
    Vertex *out = plane->spare;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        Vertex a = in[i], b = in[i + 1 < count ? i + 1 : 0];
        double from = nx * (a.x - middle.x) + ny * (a.y - middle.y), to = nx * (b.x - middle.x) + ny * (b.y - middle.y);

        if (kept + 2 > plane->room) /* rounding errors alone */
            env_fail(plane->env, ERROR_RANGE, "Pass a larger range.", "the cells are too small for double precision");
        if (from <= 0)
            out[kept++] = a;
        if ((from < 0 && to > 0) || (from > 0 && to < 0)) {
            double share = from / (from - to);

            out[kept++] = (Vertex){a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
        }
    }
    plane->spare = plane->polygon;
    plane->polygon = out;
    return kept;
}

/* Tells whether two vertices are one but for rounding; width, height: of the box. */
static bool same_vertex(Vertex a, Vertex b, double width, double height)
{
    return fabs(a.x - b.x) <= ROUNDING * width && fabs(a.y - b.y) <= ROUNDING * height;
}

/* Removes vertices that equal the one before: where many borders meet, each may cut off a corner of rounding errors. */
static uint32_t remove_repeats(Vertex *polygon, uint32_t count, double width, double height)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || !same_vertex(polygon[i], polygon[kept - 1], width, height))
            polygon[kept++] = polygon[i];
    while (kept > 1 && same_vertex(polygon[0], polygon[kept - 1], width, height))
        kept--;
    return kept;
}

/* Leaves the cell of a site in plane->polygon; returns the number of its vertices. Of equal sites the first has the cell. */
static uint32_t cut_cell(Plane *plane, uint32_t site)
{
    Vertex p = plane->points[site];
    uint32_t count = 4;

    plane->polygon[0] = (Vertex){0, 0};
    plane->polygon[1] = (Vertex){plane->width, 0};
    plane->polygon[2] = (Vertex){plane->width, plane->height};
    plane->polygon[3] = (Vertex){0, plane->height};
    for (uint32_t j = 0; j < plane->sites->count && count > 0; j++) {
        Vertex q = plane->points[j];
        double length = hypot(q.x - p.x, q.y - p.y);

        if (length == 0 && j < site)
            return 0;
        if (length > 0)
            count = cut(plane, count, (q.x - p.x) / length, (q.y - p.y) / length, (Vertex){p.x / 2 + q.x / 2, p.y / 2 + q.y / 2});
        env_poll_every(plane->env, j + 1, 1024);
    }
    return remove_repeats(plane->polygon, count, plane->width, plane->height);
}

/* Adds the cell of a site, whose vertices are in plane->polygon. */
static void add_cell(VoronoiReader *reader, const Plane *plane, uint32_t site, uint32_t count)
{
    Env *env = plane->env;

    if (reader->count + count > reader->room) {
        size_t room = 2 * reader->room + count;
        struct CellVertex *more;

        env_require_memory(env, room * sizeof *more, "the Voronoi cells");
        more = env_array(env, room, sizeof *more);
        memcpy(more, reader->vertices, reader->count * sizeof *more);
        env->release(env, reader->vertices);
        reader->vertices = more;
        reader->room = room;
    }
    for (uint32_t v = 0; v < count; v++)
        reader->vertices[reader->count++] = (struct CellVertex){site, v + 1, vertex_back(plane, plane->polygon[v])};
}

void *voronoi_open(Env *env, const Model *model, const AxisGiven *x, const AxisGiven *y, uint64_t *rows)
{
    VoronoiReader *reader = env_array(env, 1, sizeof *reader);
    Sites sites = read_sites(env, model);
    FeatureRanges ranges = feature_ranges(env, model);
    Axis across = plot_axis(env, &ranges, 0, x), up = plot_axis(env, &ranges, 1, y);
    Plane plane = plane_of(env, &sites, across, up);

    reader->classes = sites.classes;
    reader->room = 8;
    reader->vertices = env_array(env, reader->room, sizeof *reader->vertices);
    for (uint32_t i = 0; i < sites.count; i++) {
        uint32_t count = cut_cell(&plane, i);

        if (count > 2) /* else it is outside the box, or an edge of it */
            add_cell(reader, &plane, i, count);
        env->poll(env);
    }
    *rows = reader->count;
    return reader;
}

static bool voronoi_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const VoronoiReader *reader = data;
    const struct CellVertex *vertex = &reader->vertices[i];

    if (reader->classes)
        cell_of_dictionary(&cells[1], model, DICTIONARY_CLASSES, vertex->cell);
    else
        cell_integer(&cells[0], (int64_t)vertex->cell + 1);
    cell_integer(&cells[2], vertex->number);
    cell_number(&cells[3], vertex->place.x);
    cell_number(&cells[4], vertex->place.y);
    return true;
}

const Table voronoi_table = {.name = "voronoi", .row = voronoi_row};
