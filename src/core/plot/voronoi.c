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
        metric->kind == METRIC_COSINE || metric->kind == METRIC_ANGULAR || metric->kind == METRIC_KERNEL)
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

/* Cuts a polygon [count] by the half-plane nx (x - mx) + ny (y - my) <= 0; out has room for one more. Returns the new count. */
static uint32_t cut(const Vertex *in, uint32_t count, double nx, double ny, double mx, double my, Vertex *out)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        Vertex a = in[i], b = in[i + 1 < count ? i + 1 : 0];
        double from = nx * (a.x - mx) + ny * (a.y - my), to = nx * (b.x - mx) + ny * (b.y - my);

        if (from <= 0)
            out[kept++] = a;
        if ((from < 0 && to > 0) || (from > 0 && to < 0)) {
            double share = from / (from - to);

            out[kept++] = (Vertex){a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
        }
    }
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

/* Returns the cell of a site in its scaled coordinates, in *polygon, [count]; of equal sites the first has the cell. */
static uint32_t cell_of(Env *env, const Sites *sites, uint32_t site, const Axis *x, const Axis *y, Vertex **polygon, Vertex **spare)
{
    double px = sites->points[2 * site] * sites->scale[0], py = sites->points[2 * site + 1] * sites->scale[1];
    double left = x->low * sites->scale[0], right = x->high * sites->scale[0];
    double low = y->low * sites->scale[1], high = y->high * sites->scale[1];
    uint32_t count = 4;

    (*polygon)[0] = (Vertex){left, low};
    (*polygon)[1] = (Vertex){right, low};
    (*polygon)[2] = (Vertex){right, high};
    (*polygon)[3] = (Vertex){left, high};
    for (uint32_t j = 0; j < sites->count && count > 0; j++) {
        double qx = sites->points[2 * j] * sites->scale[0], qy = sites->points[2 * j + 1] * sites->scale[1];
        Vertex *swap = *polygon;

        if (j == site)
            continue;
        if (qx == px && qy == py) {
            if (j < site)
                return 0;
            continue;
        }
        count = cut(*polygon, count, qx - px, qy - py, px + (qx - px) / 2, py + (qy - py) / 2, *spare);
        *polygon = *spare;
        *spare = swap;
        if (j % 1024 == 1023)
            env->poll(env);
    }
    return remove_repeats(*polygon, count, right - left, high - low);
}

/* Adds the vertices of a cell. */
static void add_cell(Env *env, VoronoiReader *reader, const Sites *sites, uint32_t site, const Vertex *polygon, uint32_t count)
{
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
        reader->vertices[reader->count++] =
            (struct CellVertex){site, v + 1, {polygon[v].x / sites->scale[0], polygon[v].y / sites->scale[1]}};
}

void *voronoi_open(Env *env, const Model *model, const AxisGiven *x, const AxisGiven *y, uint64_t *rows)
{
    VoronoiReader *reader = env_array(env, 1, sizeof *reader);
    Sites sites = read_sites(env, model);
    FeatureRanges ranges = feature_ranges(env, model);
    Axis across = plot_axis(env, &ranges, 0, x), up = plot_axis(env, &ranges, 1, y);
    Vertex *polygon = env_array(env, (size_t)sites.count + 5, sizeof(Vertex));
    Vertex *spare = env_array(env, (size_t)sites.count + 5, sizeof(Vertex));

    reader->classes = sites.classes;
    reader->room = 8;
    reader->vertices = env_array(env, reader->room, sizeof *reader->vertices);
    for (uint32_t i = 0; i < sites.count; i++) {
        uint32_t count = cell_of(env, &sites, i, &across, &up, &polygon, &spare);

        if (count > 2) /* else it is outside the box, or an edge of it */
            add_cell(env, reader, &sites, i, polygon, count);
        env->poll(env);
    }
    *rows = reader->count;
    return reader;
}

static bool voronoi_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const VoronoiReader *reader = data;
    const struct CellVertex *vertex = &reader->vertices[i];
    uint32_t length;

    (void)env;
    if (reader->classes) {
        const char *label = dictionary_text(model, DICTIONARY_CLASSES, vertex->cell, &length);

        cell_text(&cells[1], label, length);
    } else {
        cell_integer(&cells[0], (int64_t)vertex->cell + 1);
    }
    cell_integer(&cells[2], vertex->number);
    cell_number(&cells[3], vertex->place.x);
    cell_number(&cells[4], vertex->place.y);
    return true;
}

const Table voronoi_table = {.name = "voronoi",
                             .columns = {{"cluster", CELL_INTEGER},
                                         {"class", CELL_TEXT},
                                         {"vertex", CELL_INTEGER},
                                         {"x", CELL_NUMBER},
                                         {"y", CELL_NUMBER}},
                             .row = voronoi_row};
