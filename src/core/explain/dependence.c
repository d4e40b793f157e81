/*
 * dependence.c - partial dependence and individual conditional expectation.
 */
#include "core/explain/dependence.h"

#include "core/math/carried_sum.h"
#include "core/options/options.h"

#include <math.h>
#include <string.h>

#define FUNCTION "partial_dependence"
#define MOST_POINTS 1000000 /* of a grid of two columns */

static const char *const kinds[] = {"average", "ice", NULL};

static const OptionSpec own_options[] = {
    {.name = "by", .types = OPTION_STRING, .unset = "one feature", .help = "A second feature: the grid then has each pair of values."},
    {.name = "by_values",
     .types = OPTION_NUMBER_LIST | OPTION_STRING_LIST,
     .unset = "as values",
     .help = "The values of the second feature."},
    {.name = "centered", .types = OPTION_BOOLEAN, .fallback = "false", .help = "Whether each curve is shown as the difference from its first point."},
    {.name = "grid",
     .types = OPTION_INTEGER,
     .fallback = "20",
     .minimum = 2,
     .maximum = 10000,
     .help = "How many numbers of equal distance the grid has; a feature with fewer different numbers has those."},
    {.name = "id", .types = OPTION_STRING, .unset = "none", .help = "The column that names rows, for \"kind\": \"ice\"."},
    {.name = "kind",
     .types = OPTION_STRING,
     .fallback = "\"average\"",
     .choices = kinds,
     .help = "average is the mean over the rows, ice has one curve per row."},
    {.name = "percentiles",
     .types = OPTION_NUMBER_LIST,
     .minimum = 0,
     .maximum = 1,
     .unset = "[0.05, 0.95]",
     .help = "The quantiles of the feature between which the grid lies."},
    {.name = "values",
     .types = OPTION_NUMBER_LIST | OPTION_STRING_LIST,
     .unset = "numbers between the percentiles, or the levels of the rows",
     .help = "The values of the feature: numbers, or levels."},
    {.name = NULL}};

const OptionSpec *const partial_dependence_options[] = {own_options, model_rows_options, model_class_options, NULL};

typedef struct Dependence {
    const ModelRows *model;
    ModelOutcomes outcomes;
    ColumnGrid grid, by;   /* by.column NULL: there is no second one */
    uint32_t points;       /* values of the grid, or pairs */
    bool ice, centered;
    CarriedSum *sums;      /* [points x outcomes] of weight x outcome */
    CarriedSum *weights;   /* [points] of rows that have a score there */
    /* points that are scored together */
    uint32_t count;
    double *slots, *offsets;
    uint32_t *at;          /* the point of each */
    double *row_weights;
    double *kept;
    double *outcome;       /* [outcomes] */
    double *curve;         /* [points x outcomes] of a row; NaN: no score */
    DependenceEmit emit;
    void *context;
} Dependence;

/* ---- the grid ---- */

static const ModelColumn *feature_column(const ModelRows *model, const char *what, const char *name)
{
    const ModelColumn *column = model_rows_column(model, what, name);

    model_column_require_values(model, column, FUNCTION);
    return column;
}

static const ModelColumn *by_column(const ModelRows *model, const ModelColumn *column, const Options *options)
{
    const char *name = options_string(options, "by");
    const ModelColumn *by;

    if (name == NULL) {
        if (options_type(options, "by_values") != 0)
            env_fail(model->env, ERROR_PARAMETER, "Name the second feature with option \"by\".", "option \"by_values\" has values of a second feature, but there is none");
        return NULL;
    }
    by = feature_column(model, "option \"by\"", name);
    if (strcmp(by->name, column->name) == 0)
        env_fail(model->env, ERROR_PARAMETER, "Name two features.", "feature \"%.60s\" is named twice", name);
    return by;
}

void partial_dependence_check(const ModelRows *model, const char *feature, const Options *options)
{
    (void)by_column(model, feature_column(model, "argument feature", feature), options);
    (void)model_outcomes(model, options, FUNCTION);
    if (options_is(options, "kind", "ice") && options_string(options, "id") == NULL)
        env_fail(model->env, ERROR_PARAMETER, "Name the column that tells rows apart with option \"id\".", "\"kind\": \"ice\" needs an id per row");
    if (options_is(options, "kind", "average") && options_string(options, "id") != NULL)
        env_fail(model->env, ERROR_PARAMETER, "Leave it out, or ask for \"kind\": \"ice\".", "option \"id\" names rows, but the result has means over all");
}

static void open_grid(Dependence *dependence, Rows *rows, const char *feature, const Options *options)
{
    const ModelRows *model = dependence->model;
    const ModelColumn *column = feature_column(model, "argument feature", feature), *by = by_column(model, column, options);
    uint64_t points;

    dependence->grid = column_grid(model, rows, column, options, "values");
    points = dependence->grid.count;
    if (by != NULL) {
        dependence->by = column_grid(model, rows, by, options, "by_values");
        points *= dependence->by.count;
    }
    if (points > MOST_POINTS)
        env_fail(model->env, ERROR_PARAMETER, "Ask for a smaller \"grid\".", "a grid of %u by %u values is too large: at most %d points", dependence->grid.count,
                 dependence->by.count, MOST_POINTS);
    dependence->points = (uint32_t)points;
}

/* ---- the rows ---- */

static void score_collected(Dependence *dependence)
{
    const ModelRows *model = dependence->model;
    uint32_t width = model->scorer->model->slot_count, outcomes = dependence->outcomes.count;

    model_rows_ahead(model, dependence->slots, dependence->count);
    for (uint32_t i = 0; i < dependence->count; i++) {
        uint32_t at = dependence->at[i];

        model->env->poll(model->env);
        if (!model_outcomes_write(&dependence->outcomes, dependence->slots + (size_t)i * width, dependence->offsets[i], dependence->outcome))
            continue;
        carried_add(&dependence->weights[at], dependence->row_weights[i]);
        for (uint32_t o = 0; o < outcomes; o++)
            carried_add(&dependence->sums[(size_t)at * outcomes + o], dependence->row_weights[i] * dependence->outcome[o]);
        if (dependence->ice)
            memcpy(dependence->curve + (size_t)at * outcomes, dependence->outcome, outcomes * sizeof(double));
    }
    dependence->count = 0;
}

/* Gives out a curve, [points x outcomes], of a row or of all. */
static void emit_curve(const Dependence *dependence, const double *curve, const char *id, uint32_t id_length)
{
    const ModelRows *model = dependence->model;
    uint32_t outcomes = dependence->outcomes.count, pairs = dependence->by.column != NULL ? dependence->by.count : 1;
    DependenceRow row = {.id = id, .id_length = id_length, .by = {.number = NAN}};

    for (uint32_t o = 0; o < outcomes; o++) {
        row.class = dependence->outcomes.labels[o];
        for (uint32_t p = 0; p < dependence->points; p++) {
            row.value = grid_value(model, dependence->grid.column, dependence->grid.values[p / pairs]);
            if (dependence->by.column != NULL)
                row.by = grid_value(model, dependence->by.column, dependence->by.values[p % pairs]);
            row.estimate = curve[(size_t)p * outcomes + o] - (dependence->centered ? curve[o] : 0);
            dependence->emit(dependence->context, &row);
            model->env->poll(model->env);
        }
    }
}

/* Sets the columns of the grid to the values of each point. */
static void collect_points(Dependence *dependence, const double *kept, double weight)
{
    const ModelRows *model = dependence->model;
    uint32_t pairs = dependence->by.column != NULL ? dependence->by.count : 1, width = model->scorer->model->slot_count;

    memcpy(dependence->kept, kept, model->width * sizeof(double));
    for (uint32_t p = 0; p < dependence->points; p++) {
        env_poll_every(model->env, p, MODEL_ROWS_AHEAD);
        model_column_set(model, dependence->grid.column, dependence->grid.values[p / pairs], dependence->kept);
        if (dependence->by.column != NULL)
            model_column_set(model, dependence->by.column, dependence->by.values[p % pairs], dependence->kept);
        if (!model_rows_encode(model, dependence->kept, dependence->slots + (size_t)dependence->count * width, &dependence->offsets[dependence->count]))
            continue;
        dependence->row_weights[dependence->count] = weight;
        dependence->at[dependence->count++] = p;
        if (dependence->count == MODEL_ROWS_AHEAD)
            score_collected(dependence);
    }
}

static void read_rows(Dependence *dependence, Rows *rows)
{
    const ModelRows *model = dependence->model;
    size_t numbers = (size_t)dependence->points * dependence->outcomes.count;
    RowsReader *reader = rows_reader(model->env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            for (size_t n = 0; n < numbers && dependence->ice; n++)
                dependence->curve[n] = NAN;
            collect_points(dependence, block.slots + (size_t)i * model->width, row_weight(block.weights, i));
            if (!dependence->ice)
                continue;
            score_collected(dependence);
            emit_curve(dependence, dependence->curve, block.ids[i], block.id_lengths[i]);
        }
    score_collected(dependence);
    rows_reader_free(reader);
}

/* Gives out the means over the rows. */
static void emit_means(const Dependence *dependence, Rows *rows)
{
    uint32_t outcomes = dependence->outcomes.count;
    bool any = false;

    for (uint32_t p = 0; p < dependence->points; p++) {
        double weight = carried_value(&dependence->weights[p]);

        any = any || weight != 0;
        for (uint32_t o = 0; o < outcomes; o++) {
            double sum = carried_value(&dependence->sums[(size_t)p * outcomes + o]);

            if (!isfinite(weight) || !isfinite(sum))
                fail_sums(dependence->model->env, FUNCTION);
            dependence->curve[(size_t)p * outcomes + o] = weight > 0 ? sum / weight : NAN;
        }
    }
    if (!any)
        fail_no_scores(dependence->model->env, rows, FUNCTION);
    emit_curve(dependence, dependence->curve, NULL, 0);
}

void partial_dependence(const ModelRows *model, Rows *rows, const char *feature, const Options *options, DependenceEmit emit, void *context)
{
    Env *env = model->env;
    Dependence dependence = {.model = model,
                             .outcomes = model_outcomes(model, options, FUNCTION),
                             .ice = options_is(options, "kind", "ice"),
                             .centered = options_boolean(options, "centered"),
                             .emit = emit,
                             .context = context};
    size_t numbers;

    if (rows_count(rows) == 0)
        fail_no_scores(env, rows, FUNCTION);
    open_grid(&dependence, rows, feature, options);
    numbers = (size_t)dependence.points * dependence.outcomes.count;
    env_require_memory(env, numbers * (sizeof(CarriedSum) + sizeof(double)), FUNCTION);
    dependence.sums = env_array(env, numbers + 1, sizeof(CarriedSum));
    dependence.curve = env_array(env, numbers + 1, sizeof(double));
    dependence.weights = env_array(env, dependence.points, sizeof(CarriedSum));
    dependence.slots = env_array(env, MODEL_ROWS_AHEAD, ((size_t)model->scorer->model->slot_count + 1) * sizeof(double));
    dependence.offsets = env_array(env, MODEL_ROWS_AHEAD, sizeof(double));
    dependence.row_weights = env_array(env, MODEL_ROWS_AHEAD, sizeof(double));
    dependence.at = env_array(env, MODEL_ROWS_AHEAD, sizeof(uint32_t));
    dependence.kept = env_array(env, (size_t)model->width + 1, sizeof(double));
    dependence.outcome = env_array(env, (size_t)dependence.outcomes.count + 1, sizeof(double));
    read_rows(&dependence, rows);
    if (!dependence.ice)
        emit_means(&dependence, rows);
}
