/*
 * nearest_exemplar.c - the class whose exemplar is nearest, by any metric: exemplars are medoids, means or geometric medians.
 *
 * With means and the Euclidean distance this is nearest_centroid, which needs no rows. The boundary between two classes is where
 * their distances are equal; regions of the Euclidean distance are the cells of a Voronoi diagram (Rocchio 1971; Flach 2012, 8.2).
 *
 * Arrays: exemplars F64[classes x slots], encoded rows in final order; metric... (metric.h); class_rule (class_options.h).
 */
#include "core/estimator/class_options.h"
#include "core/location/exemplars.h"
#include "core/rows/row_design.h"
#include "core/rows/row_scale.h"

#include <math.h>
#include <string.h>

static const char *const exemplar_choices[] = {"medoid", "mean", "geometric_median", NULL};

static const OptionSpec exemplar_options[] = {
    {.name = "exemplar",
     .types = OPTION_STRING,
     .fallback = "\"medoid\"",
     .choices = exemplar_choices,
     .help = "What stands for a class: its row with the least sum of distances to the others (medoid), its mean, or the point "
             "with the least sum of euclidean distances to its rows (geometric_median)."},
    {.name = NULL}};

#define MEDIAN_TOLERANCE 1e-10 /* as geometric_median has it */
#define MEDIAN_STEPS 1000

/* The rows of a fit, and the class of each. */
typedef struct ExemplarFit {
    Env *env;
    Rows *rows;
    ClassSet classes;
    PointSet *points;
    uint32_t slots;
    uint32_t *class_of; /* [rows] in the order of arrival */
    double *exemplars;  /* [classes x slots] */
    double objective;
} ExemplarFit;

/* Reads the class of each row. */
static void read_classes(ExemplarFit *fit)
{
    RowDesign *design = row_design(fit->env, fit->rows, DESIGN_SLOTS, "nearest_exemplar");
    DesignReader *reader = design_reader(design);
    DesignBlock block;

    fit->class_of = env_array_raw(fit->env, fit->points->count, sizeof(uint32_t));
    while (design_next_block(reader, &block))
        memcpy(fit->class_of + block.first, block.classes, block.count * sizeof(uint32_t));
    design_reader_free(reader);
}

/* Returns the points of one class. */
static PointSet class_points(const ExemplarFit *fit, uint32_t class)
{
    const PointSet *all = fit->points;
    PointSet own = {.metric = all->metric};
    size_t width = all->metric->width;

    for (uint32_t i = 0; i < all->count; i++)
        own.count += fit->class_of[all->numbers[i]] == class;
    own.coordinates = env_array_raw(fit->env, own.count, width * sizeof(double) + 1);
    own.numbers = env_array_raw(fit->env, own.count, sizeof(uint32_t));
    own.weights = all->weights != NULL ? env_array_raw(fit->env, own.count, sizeof(double)) : NULL;
    for (uint32_t i = 0, at = 0; i < all->count; i++) {
        if (fit->class_of[all->numbers[i]] != class)
            continue;
        memcpy(own.coordinates + at * width, point_set_row(all, i), width * sizeof(double));
        own.numbers[at] = all->numbers[i];
        if (own.weights != NULL)
            own.weights[at] = all->weights[i];
        own.weight += row_weight(all->weights, i);
        at++;
    }
    return own;
}

static void find_medoids(ExemplarFit *fit)
{
    Env *env = fit->env;
    uint32_t *numbers = env_array(env, fit->classes.count, sizeof(uint32_t));
    int64_t evaluations = 0;

    for (uint32_t c = 0; c < fit->classes.count; c++) {
        PointSet own = class_points(fit, c);
        double objective;

        numbers[c] = own.numbers[medoid_of_points(env, &own, &objective, &evaluations)];
        fit->objective += objective;
        env->release(env, own.coordinates);
    }
    for (uint32_t c = 0; c < fit->classes.count; c++) /* a pass each: slots come in the order of arrival */
        point_set_slots(env, fit->rows, &numbers[c], 1, "nearest_exemplar", fit->exemplars + (size_t)c * fit->slots);
}

static void find_means(ExemplarFit *fit)
{
    double *weights = env_array(fit->env, fit->classes.count, sizeof(double));
    RowsReader *reader = rows_reader(fit->env, fit->rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t c = fit->class_of[block.first + i];
            const double *row = block.slots + (size_t)i * fit->slots;
            double *mean = fit->exemplars + (size_t)c * fit->slots, share;

            weights[c] += row_weight(block.weights, i);
            share = row_weight(block.weights, i) / weights[c];
            for (uint32_t j = 0; j < fit->slots; j++)
                mean[j] += share * (row[j] - mean[j]);
        }
    rows_reader_free(reader);
}

/* Copies the rows of a class; those of standardized features less their mean, in standard deviations. */
static Rows *class_rows(ExemplarFit *fit, uint32_t class, bool standardize)
{
    Env *env = fit->env;
    const Metric *metric = fit->points->metric;
    SchemaSpec spec = {.field_count = fit->slots};
    ModelBuilder *schema = model_builder(env, MODEL_FITTED, "geometric_median");
    Rows *own;
    double *row = env_array(env, fit->slots, sizeof(double));
    RowsReader *reader = rows_reader(env, fit->rows);
    RowsBlock block;

    schema_add(env, schema, &spec);
    own = rows_new(rows_pool(env), model_build(schema), rows_contents(fit->rows) & ROWS_WEIGHT);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            if (fit->class_of[block.first + i] != class)
                continue;
            memcpy(row, block.slots + (size_t)i * fit->slots, fit->slots * sizeof(double));
            for (uint32_t j = 0; standardize && j < fit->slots; j++)
                row[j] = (row[j] - metric->origin[j]) * metric->scales[j];
            rows_append(own, row, 0, row_weight(block.weights, i), "", 0);
        }
    rows_reader_free(reader);
    return own;
}

static void find_medians(ExemplarFit *fit, bool standardize)
{
    Env *env = fit->env;
    const Metric *metric = fit->points->metric;

    for (uint32_t c = 0; c < fit->classes.count; c++) {
        double *center = fit->exemplars + (size_t)c * fit->slots;
        Rows *own = class_rows(fit, c, standardize);
        MedianOutcome outcome = geometric_median_of(env, own, MEDIAN_TOLERANCE, MEDIAN_STEPS, center);

        if (!outcome.converged)
            env_warn(env, ERROR_DATA, NULL,
                     "the geometric median of class \"%s\" stopped after %lld steps with a gradient of %g, more than %g",
                     class_label(&fit->classes, c), (long long)outcome.iterations, outcome.gradient, MEDIAN_TOLERANCE);
        for (uint32_t j = 0; standardize && j < fit->slots; j++)
            center[j] = center[j] / metric->scales[j] + metric->origin[j];
        fit->objective += outcome.objective;
        rows_pool_free(rows_pool_of(own));
    }
}

/* Fails if an exemplar has no distances by the metric, as a mean of zeros by cosine. */
static void require_places(const ExemplarFit *fit)
{
    const Metric *metric = fit->points->metric;
    double *place = env_array(fit->env, (size_t)metric->width + 1, sizeof(double));

    for (uint32_t c = 0; c < fit->classes.count; c++)
        if (!metric_place(metric, fit->exemplars + (size_t)c * fit->slots, place))
            env_fail(fit->env, ERROR_DATA, "Use \"exemplar\": \"medoid\", or another metric.",
                     "the exemplar of class \"%s\" has no distances by metric %s: %s", class_label(&fit->classes, c),
                     metric_name(metric->kind), metric_row_fault(metric));
}

static Model *exemplar_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                           ModelBuilder *builder)
{
    ExemplarFit fit = {.env = env, .rows = input->rows, .slots = rows_slots(input->rows)};
    bool medoid = options_is(options, "exemplar", "medoid"), standardize = options_boolean(options, "standardize");
    ClassRule rule;
    double stored_rule[3];

    fit.classes = class_set(env, rows_schema(input->rows));
    if (!class_require_several(&fit.classes, "nearest_exemplar", input->frame))
        return NULL;
    rule = class_rule_read(&fit.classes, options);
    if (!medoid && !schema_all_numeric(rows_schema(input->rows)))
        env_fail(env, ERROR_DATA, "Use \"exemplar\": \"medoid\".", "categories have neither means nor geometric medians");
    env_require_memory(env, (size_t)fit.classes.count * fit.slots * sizeof(double), "nearest_exemplar");
    fit.points = point_set(env, input->rows, options, ((size_t)fit.slots + 4) * sizeof(double), "nearest_exemplar");
    fit.exemplars = env_array(env, (size_t)fit.classes.count * fit.slots, sizeof(double));
    read_classes(&fit);
    if (medoid)
        find_medoids(&fit);
    else if (options_is(options, "exemplar", "mean"))
        find_means(&fit);
    else
        find_medians(&fit, standardize);
    metric_number_objects(fit.points->metric, fit.exemplars, (size_t)fit.classes.count * fit.slots);
    require_places(&fit);
    builder_f64_matrix(builder, SECTION_ARRAYS, "exemplars", fit.exemplars, fit.classes.count, fit.slots);
    metric_write(env, fit.points->metric, builder);
    metric_write_objects(env, fit.points->metric, builder, fit.exemplars, fit.classes.count);
    class_rule_add(builder, &rule, fit.classes.count, stored_rule);
    if (medoid || !options_is(options, "exemplar", "mean"))
        builder_fact(builder, "objective", fit.objective);
    return model_build(builder);
}

/* ---- the model ---- */

typedef struct ExemplarModel {
    const double *exemplars, *class_rule;
    uint32_t classes;
} ExemplarModel;

static const ArraySpec exemplar_arrays[] = {{.name = "exemplars",
                                             .type = ARRAY_F64,
                                             .rows = {SIZE_CLASSES},
                                             .columns = {SIZE_SLOTS},
                                             .data_at = VIEW_AT(ExemplarModel, exemplars),
                                             .rows_at = VIEW_AT(ExemplarModel, classes)}};
static const ArraySpec exemplar_facts[] = {FACT("objective", ARRAY_F64)};
static const ArrayTable exemplar_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(exemplar_arrays), ARRAY_TABLE_AT(class_rule_arrays, ExemplarModel, class_rule),
                 ARRAY_TABLE(metric_arrays), FACT_TABLE(exemplar_facts));

static ExemplarModel exemplar_model(const Model *model)
{
    ExemplarModel view = {.exemplars = NULL};

    view_arrays(model, exemplar_array_tables, &view);
    return view;
}

static const char *exemplar_check(Env *env, const Model *model)
{
    const char *wrong = metric_check(env, model);
    ExemplarModel view = exemplar_model(model);

    if (wrong == NULL)
        wrong = metric_check_objects(model, view.exemplars, (size_t)view.classes * model->slot_count);
    if (wrong == NULL && view.classes < 2)
        wrong = "nearest_exemplar needs at least two classes";
    return wrong != NULL ? wrong : class_rule_check(model);
}

typedef struct PreparedExemplars {
    ModelPoints points; /* the exemplars */
    ClassRule rule;
} PreparedExemplars;

static void *exemplar_prepare(Env *env, const Model *model, size_t *bytes)
{
    PreparedExemplars *prepared = env_array(env, 1, sizeof(PreparedExemplars));
    ExemplarModel view = exemplar_model(model);

    prepared->points = model_points(env, model, view.exemplars, view.classes);
    prepared->rule = class_rule_view(view.class_rule);
    *bytes = 0; /* as allocated */
    return prepared;
}

static void exemplar_distances(const Model *model, const void *from, const double *slots, double *out)
{
    model_points_distances(&((const PreparedExemplars *)from)->points, slots, out);
}

static void exemplar_decisions(const Model *model, const void *from, const double *slots, double *out)
{
    const PreparedExemplars *prepared = from;

    exemplar_distances(model, from, slots, out);
    for (uint32_t c = 0; c < prepared->points.count; c++)
        out[c] = 0 - out[c]; /* not -0 */
}

static double exemplar_decision(const Model *model, const void *from, const double *slots)
{
    const PreparedExemplars *prepared = from;
    uint32_t positive = prepared->rule.positive;

    if (!metric_place(prepared->points.metric, slots, prepared->points.row))
        return NAN;
    return model_points_distance(&prepared->points, 1 - positive) - model_points_distance(&prepared->points, positive);
}

static uint32_t exemplar_classify(const Model *model, const void *from, const double *slots)
{
    const PreparedExemplars *prepared = from;
    double least = INFINITY;
    uint32_t best = CLASS_NONE;

    if (prepared->points.count == 2) {
        double score = exemplar_decision(model, from, slots);

        return isnan(score) ? CLASS_NONE : class_rule_pick(&prepared->rule, score);
    }
    if (!metric_place(prepared->points.metric, slots, prepared->points.row))
        return CLASS_NONE;
    for (uint32_t c = 0; c < prepared->points.count; c++) {
        double distance = model_points_distance(&prepared->points, c);

        if (distance < least || (best == CLASS_NONE && distance == least)) {
            least = distance;
            best = c;
        }
    }
    return best;
}

static double exemplar_distance(const Model *model, const void *from, const double *slots)
{
    const PreparedExemplars *prepared = from;
    double least;

    if (!metric_place(prepared->points.metric, slots, prepared->points.row))
        return NAN;
    least = model_points_distance(&prepared->points, 0);
    for (uint32_t c = 1; c < prepared->points.count; c++)
        least = fmin(least, model_points_distance(&prepared->points, c));
    return least;
}

static uint32_t exemplar_width(const Model *model)
{
    return exemplar_model(model).classes;
}

static const Scoring exemplar_scoring = {
    .partial = true, /* a row of zeros has no cosine */
    .prepare = exemplar_prepare,
    .classify = exemplar_classify,
    .decisions = exemplar_decisions,
    .decision = exemplar_decision,
    .distance = exemplar_distance,
    .distances = exemplar_distances,
    .width = exemplar_width,
};

const Estimator estimator_nearest_exemplar = {
    .name = "nearest_exemplar",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .supervised = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, option_positive, option_tie, exemplar_options),
    .help = "The class whose medoid, mean or geometric median is nearest, by any metric.",
    .source = "Rocchio 1971; Newling & Fleuret (2017); Vardi & Zhang (2000)",
    .fit = exemplar_fit,
    .arrays = exemplar_array_tables,
    .check = exemplar_check,
    .scoring = &exemplar_scoring,
};
