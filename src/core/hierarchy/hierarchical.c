/*
 * hierarchical.c - agglomerative clustering: merges the two nearest clusters until one is left.
 */
#include "core/estimator/estimator.h"
#include "core/hierarchy/dendrogram.h"
#include "core/hierarchy/linkage_graph.h"
#include "core/distance/distance_matrix.h"
#include "core/model/report_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const linkage_choices[] = {"average", "centroid", "complete", "mcquitty", "median",   "single",
                                              "ward",    "ward.D",   "ward.D2",  "weighted", NULL};
/* What each choice means; the last two are other names, of ward and mcquitty. */
static const Linkage linkage_meanings[] = {LINKAGE_AVERAGE, LINKAGE_CENTROID, LINKAGE_COMPLETE, LINKAGE_MCQUITTY,
                                           LINKAGE_MEDIAN,  LINKAGE_SINGLE,   LINKAGE_WARD,     LINKAGE_WARD_UNSQUARED,
                                           LINKAGE_WARD,    LINKAGE_MCQUITTY};

static const char *const connectivity_choices[] = {"given", NULL};

static const OptionSpec hierarchical_options[] = {
    {.name = "connectivity",
     .types = OPTION_INTEGER | OPTION_STRING,
     .minimum = 1,
     .maximum = 1e6,
     .choices = connectivity_choices,
     .unset = "all clusters may merge",
     .help = "For linkages average, complete, single and ward: only clusters that are neighbors merge, where one row is among this many nearest "
             "rows of the other, or, of given distances, theirs is finite (given)."},
    {.name = "cophenetic",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Also compute the correlation of the distances of pairs with the heights at which they are joined: a "
             "second pass over all pairs."},
    {.name = "linkage",
     .types = OPTION_STRING,
     .fallback = "\"average\"",
     .choices = linkage_choices,
     .help = "The distance between two clusters: mean (average), largest (complete) or smallest (single) distance of "
             "pairs, mean of the distances of their two parts (mcquitty or weighted), distance of the means (centroid) or "
             "of the midpoints (median), growth of the sum of squares (ward or ward.D2), or the formula of ward "
             "on distances that are not squared (ward.D)."},
    {.name = NULL}};

static Linkage linkage_of(const Options *options)
{
    for (int i = 0; linkage_choices[i] != NULL; i++)
        if (options_is(options, "linkage", linkage_choices[i]))
            return linkage_meanings[i];
    return LINKAGE_AVERAGE;
}

/* Tells whether the linkage is computed from all distances, which are kept. */
static bool keeps_distances(Linkage linkage)
{
    return linkage == LINKAGE_AVERAGE || linkage == LINKAGE_COMPLETE || linkage == LINKAGE_MCQUITTY ||
           linkage == LINKAGE_WARD_UNSQUARED;
}

/* Tells whether heights may fall from one merge to the next. */
static bool may_fall(Linkage linkage)
{
    return linkage == LINKAGE_CENTROID || linkage == LINKAGE_MEDIAN;
}

/* ---- the fit ---- */

/* Fails if the linkage needs means and the metric has none. */
static void require_means(Env *env, const Metric *metric, const Options *options, Linkage linkage)
{
    MetricKind kind = metric->kind;

    if ((linkage != LINKAGE_WARD && !may_fall(linkage)) || (linkage == LINKAGE_WARD && kind == METRIC_GIVEN))
        return;
    if (kind == METRIC_GIVEN)
        env_fail(env, ERROR_PARAMETER, "Use linkage average, complete, mcquitty, single, ward or ward.D.",
                 "linkage %s needs means, and there are none of given distances", options_string(options, "linkage"));
    if (metric->symbols == 0 &&
        (kind == METRIC_EUCLIDEAN || kind == METRIC_STANDARDIZED_EUCLIDEAN ||
         kind == METRIC_ELLIPTICAL || kind == METRIC_MAHALANOBIS ||
         (kind == METRIC_MIXED && metric->form == FORM_SQUARES)))
        return;
    env_fail(env, ERROR_PARAMETER, "Use linkage average, complete, mcquitty, single or ward.D.",
             "linkage %s needs means: numbers, with metric euclidean, standardized_euclidean, elliptical, "
             "mahalanobis or mixed of order 2",
             options_string(options, "linkage"));
}

#define FAR 1e300     /* stands for an infinite distance */
#define FAR_MEAN 1e270 /* any mean of distances that one of them is in is larger */

/* Tells whether clusters can be infinitely far apart. */
static bool takes_infinite(Linkage linkage)
{
    return linkage == LINKAGE_SINGLE || linkage == LINKAGE_COMPLETE || linkage == LINKAGE_AVERAGE;
}

/* Makes infinite distances among given ones large numbers, with which linkages compute. Fails for linkages that cannot. */
static void replace_infinite(Env *env, DistanceMatrix *matrix, const Options *options, Linkage linkage)
{
    double largest;

    if (!takes_infinite(linkage))
        env_fail(env, ERROR_DATA, "Use linkage average, complete or single.",
                 "linkage %s needs finite distances, but %llu pair%s of ids have none", options_string(options, "linkage"),
                 (unsigned long long)matrix->infinite, matrix->infinite == 1 ? "" : "s");
    largest = distance_matrix_largest(matrix);
    if (largest >= FAR_MEAN)
        env_fail(env, ERROR_RANGE, "Divide the distances by a large number.", "the distance %g is too large beside infinite ones",
                 largest);
    matrix->replacement = FAR;
}

/* Makes the heights of merges at which some pair is infinitely far apart infinite. */
static void restore_infinite(Merge *merges, uint32_t count)
{
    for (uint32_t s = 0; s + 1 < count; s++)
        merges[s].height = merges[s].height >= FAR_MEAN ? INFINITY : merges[s].height;
}

/* Fails if the linkage keeps all distances and they exceed the memory budget. */
static void require_memory(Env *env, const Rows *kept, const Options *options, Linkage linkage)
{
    bool given = distance_matrix_of(kept) != NULL;
    uint64_t rows = rows_count(kept);
    size_t needed = hierarchy_chain_memory(rows);
    char *hint;

    if (!(keeps_distances(linkage) || (given && linkage == LINKAGE_WARD)) || needed <= env->memory_limit)
        return;
    hint = env_array(env, 160, 1);
    snprintf(hint, 160,
             "Set pgfit.fit_mem to '%zuMB' or more, or use linkage %s.",
             needed / 1048576 + 1 + (size_t)(rows * 1024 / 1048576),
             given ? "single, which needs no copy of the distances" : "single, centroid or ward, which keep no distances");
    env_fail(
        env, ERROR_LIMIT, hint,
        "linkage %s of %llu rows keeps all distances: it needs %zu MB, and pgfit.fit_mem allows %zu MB",
        options_string(options, "linkage"), (unsigned long long)rows, needed / 1048576 + 1,
        env->memory_limit / 1048576);
}

/* Returns the merges, [count - 1], with their nodes numbered. Fails if a height is out of range. */
static Merge *make_tree(Env *env, const PointSet *points, const DistanceMatrix *given, Linkage linkage)
{
    Merge *merges = env_array(env, points->count, sizeof(Merge));

    switch (linkage) {
    case LINKAGE_SINGLE:
        hierarchy_single(env, points, given, merges);
        break;
    case LINKAGE_AVERAGE:
    case LINKAGE_COMPLETE:
    case LINKAGE_MCQUITTY:
    case LINKAGE_WARD_UNSQUARED:
        hierarchy_chain(env, points, linkage, merges);
        break;
    case LINKAGE_WARD:
        if (points->metric->kind == METRIC_GIVEN)
            hierarchy_chain(env, points, linkage, merges);
        else
            hierarchy_ward(env, points, merges);
        break;
    case LINKAGE_CENTROID:
    case LINKAGE_MEDIAN:
        hierarchy_centroid(env, points, linkage, merges);
        break;
    }
    for (uint32_t s = 0; s + 1 < points->count; s++)
        if (!isfinite(merges[s].height) && metric_infinite(points->metric) > 0)
            env_fail(env, ERROR_DATA, "Use linkage average, complete or single.", "the linkage needs finite distances, but some are infinite");
        else if (!isfinite(merges[s].height))
            env_fail(env, ERROR_RANGE, "Divide the features by a large number.",
                     "a distance in hierarchical is out of range");
    hierarchy_number(env, merges, points->count,
                     linkage != LINKAGE_SINGLE && !may_fall(linkage));
    return merges;
}

/* Fails unless the linkage can be restricted to neighbors, and the option goes with the rows. */
static void require_connectivity(Env *env, const Options *options, Linkage linkage, const DistanceMatrix *given)
{
    bool pairs = options_is(options, "connectivity", "given");

    if (linkage != LINKAGE_SINGLE && linkage != LINKAGE_COMPLETE && linkage != LINKAGE_AVERAGE && (linkage != LINKAGE_WARD || given != NULL))
        env_fail(env, ERROR_PARAMETER, given != NULL ? "Use linkage average, complete or single." : "Use linkage average, complete, single or ward.",
                 "linkage %s cannot be restricted to neighbors%s", options_string(options, "linkage"), given != NULL ? " of given distances" : "");
    if (pairs && given == NULL)
        env_fail(env, ERROR_PARAMETER, "Give the number of neighbors of each row, for example \"connectivity\": 10.",
                 "\"connectivity\": \"given\" is for given distances, not for rows");
    if (options_boolean(options, "cophenetic") && pairs)
        env_fail(env, ERROR_PARAMETER, NULL, "heights of trees along given pairs have no cophenetic correlation");
}

/* Returns the points of density_points, which have the order of an index, as a set. */
static PointSet *set_of_points(Env *env, const DensityPoints *points)
{
    PointSet *set = env_array(env, 1, sizeof(PointSet));

    *set = (PointSet){.metric = (Metric *)(uintptr_t)points->metric,
                      .count = points->count,
                      .coordinates = points->coordinates,
                      .weights = points->weights};
    return set;
}

/* Returns the merges of neighbors, and sets points and ids. */
static Merge *make_connected_tree(Env *env, Rows *rows, const Options *options, Linkage linkage, PointSet **points, RowId **ids)
{
    DistanceMatrix *given = distance_matrix_of(rows);
    LinkageGraph *graph;
    Merge *merges;

    require_connectivity(env, options, linkage, given);
    if (options_is(options, "connectivity", "given")) {
        *points = point_set(env, rows, options, 160, "hierarchical");
        *ids = point_set_ids(env, rows, *points);
        graph = graph_of_given(env, *points, given);
    } else {
        DensityPoints *density = density_points(env, rows, options, 160, "hierarchical");

        require_means(env, density->metric, options, linkage);
        *points = set_of_points(env, density);
        *ids = density->ids;
        graph = graph_of_nearest(density, (uint32_t)options_integer(options, "connectivity"));
    }
    merges = env_array(env, (*points)->count, sizeof(Merge));
    hierarchy_graph(graph, *points, linkage, merges);
    for (uint32_t s = 0; s + 1 < (*points)->count; s++)
        if (isnan(merges[s].height) || (isinf(merges[s].height) && given == NULL && metric_infinite((*points)->metric) == 0))
            env_fail(env, ERROR_RANGE, "Divide the features by a large number.", "a distance in hierarchical is out of range");
    hierarchy_number(env, merges, (*points)->count, false);
    return merges;
}

static void add_tree(Env *env, ModelBuilder *builder, const PointSet *points, const Merge *merges,
                     const RowId *ids)
{
    uint32_t n = points->count;
    double *heights = env_array(env, n, sizeof(double));
    int64_t *pairs = env_array(env, (size_t)2 * n, sizeof(int64_t));

    for (uint32_t s = 0; s + 1 < n; s++) {
        pairs[2 * (size_t)s] = merges[s].a;
        pairs[2 * (size_t)s + 1] = merges[s].b;
        heights[s] = merges[s].height;
    }
    row_ids_write(env, builder, ids, NULL, n);
    if (n > 1) {
        builder_i64_matrix(builder, SECTION_ARRAYS, "merges", pairs, n - 1, 2);
        builder_f64(builder, SECTION_ARRAYS, "heights", heights, n - 1);
    }
}

static Model *hierarchical_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                               ModelBuilder *builder)
{
    Rows *rows = input->rows;
    Linkage linkage = linkage_of(options);
    PointSet *points;
    Merge *merges;
    DistanceMatrix *given = distance_matrix_of(rows);
    bool monotone = true, infinite;
    RowId *ids;

    if (given != NULL && linkage == LINKAGE_SINGLE)
        distance_matrix_complete(given);
    if (options_given(options, "connectivity")) {
        merges = make_connected_tree(env, rows, options, linkage, &points, &ids);
        infinite = (given != NULL && given->infinite > 0) || metric_infinite(points->metric) > 0;
    } else {
        require_memory(env, rows, options, linkage);
        points = point_set(env, rows, options, 160, "hierarchical");
        require_means(env, points->metric, options, linkage);
        ids = point_set_ids(env, rows, points);
        if (given != NULL && given->infinite > 0)
            replace_infinite(env, given, options, linkage);
        if (takes_infinite(linkage))
            metric_replace_infinite(points->metric, FAR);
        merges = make_tree(env, points, given, linkage);
        infinite = (given != NULL && given->infinite > 0) || metric_infinite(points->metric) > 0;
        if (infinite)
            restore_infinite(merges, points->count);
    }
    for (uint32_t s = 1; s + 1 < points->count; s++)
        monotone = monotone && merges[s].height >= merges[s - 1].height;
    add_tree(env, builder, points, merges, ids);
    if (given != NULL)
        builder_fact_bool(builder, "given_distances", true);
    if (infinite)
        builder_fact_bool(builder, "infinite_distances", true);
    builder_fact_bool(builder, "monotone", monotone);
    if (points->count > 1)
        builder_fact(builder, "height", merges[points->count - 2].height);
    if (options_boolean(options, "cophenetic") && !infinite) /* infinite heights have no correlation */
        builder_fact(builder, "cophenetic_correlation",
                     hierarchy_cophenetic_correlation(env, points, merges));
    return model_build(builder);
}

static char *hierarchical_summary(Env *env, const Model *model)
{
    Options *options = estimator_options(env, estimator_of(model), model);
    double cophenetic = model_fact(model, "cophenetic_correlation", NAN);
    TextBuffer report = {.env = env};
    Hierarchy tree;

    hierarchy_open(env, model, "summary", &tree);
    if (model_fact(model, "given_distances", 0) != 0)
        text_print(&report, "hierarchical: %s linkage of given distances\n", options_string(options, "linkage"));
    else
        text_print(&report, "hierarchical: %s linkage of %u feature%s, metric %s\n", options_string(options, "linkage"),
                   model->field_count, model->field_count == 1 ? "" : "s", options_string(options, "metric"));
    report_rows(&report, model);
    if (!isnan(cophenetic))
        text_print(&report, "cophenetic correlation: %.4f\n", cophenetic);
    text_print(&report, "\nheight of each merge, and how many rows it joins:\n%s", hierarchy_text(env, model, &tree, 20));
    return text_finish(&report, NULL);
}

const Estimator estimator_hierarchical = {
    .name = "hierarchical",
    .task = TASK_CLUSTERING,
    .input = INPUT_ROWS,
    .identified = true,
    .by_scale = true,
    .infinite_distances = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, hierarchical_options),
    .help = "A tree of clusters: starting from single rows, the two nearest clusters are merged until one is left.",
    .source = "Lance & Williams (1967); Muellner (2011), arXiv:1109.2378",
    .fit = hierarchical_fit,
    .arrays = hierarchy_array_tables,
    .check = hierarchy_check,
    .tables = hierarchy_tables,
    .summary = hierarchical_summary,
};
