/*
 * dependence.c - partial dependence and individual conditional expectation.
 *
 * A task scores a block of rows at all points of the grid, in a process that has opened the model from its bytes; sums are added up, and curves given out,
 * in the order of the rows.
 */
#include "core/explain/dependence.h"

#include "core/base/text_buffer.h"
#include "core/math/carried_sum.h"
#include "core/options/options.h"

#include <math.h>
#include <string.h>

#define FUNCTION "partial_dependence"
#define MOST_POINTS 1000000 /* of a grid of two columns */
#define BLOCK_ROWS 256      /* of a task, at most */
#define BLOCK_NUMBERS 32768 /* of a task, unless a row has more */

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
static const OptionSpec *const class_options[] = {model_class_options, NULL};

/* What is the same in all processes. */
typedef struct Shared {
    const Model *whole;  /* the model */
    size_t model_bytes;
    const char *class;   /* option "class", as JSON */
    uint32_t class_length, name_lengths[2];
    const char *names[2]; /* of the columns; without a second one NULL */
    uint64_t rows;
    uint32_t points;     /* values of the grid, or pairs */
    uint32_t block_rows; /* of a task */
    bool ice;
} Shared;

/* Where a process is in the rows. */
typedef struct Place {
    RowsReader *reader; /* NULL: none is open */
    RowsBlock block;    /* that it has read */
} Place;

typedef struct Dependence {
    Shared shared;
    const ModelRows *model;
    Rows *rows;
    ModelOutcomes outcomes;
    ColumnGrid grid, by;   /* by.column NULL: there is no second one */
    Place scored;
    /* points that are scored together */
    uint32_t count;
    double *slots, *offsets;
    uint32_t *at;          /* where the outcomes of each go */
    double *kept;
    double *outcome;       /* [outcomes] */
    /* of the last task */
    uint32_t found;        /* rows */
    double *weights;       /* [block_rows] */
    double *curves;        /* [block_rows x points x outcomes]; NaN: no score */
    /* where results are received */
    Place named;           /* rows whose ids are given out, which may be long: results do not have them */
    bool centered;
    CarriedSum *sums;      /* [points x outcomes] of weight x outcome */
    CarriedSum *totals;    /* [points] weights of rows that have a score there */
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
    dependence->shared.points = (uint32_t)points;
    dependence->shared.names[0] = column->name;
    dependence->shared.name_lengths[0] = (uint32_t)strlen(column->name) + 1;
    if (by != NULL) {
        dependence->shared.names[1] = by->name;
        dependence->shared.name_lengths[1] = (uint32_t)strlen(by->name) + 1;
    }
}

/* ---- a block of rows ---- */

static void score_collected(Dependence *dependence)
{
    const ModelRows *model = dependence->model;
    uint32_t width = model->scorer->model->slot_count, outcomes = dependence->outcomes.count;

    model_rows_ahead(model, dependence->slots, dependence->count);
    for (uint32_t i = 0; i < dependence->count; i++) {
        model->env->poll(model->env);
        if (model_outcomes_write(&dependence->outcomes, dependence->slots + (size_t)i * width, dependence->offsets[i], dependence->outcome))
            memcpy(dependence->curves + (size_t)dependence->at[i] * outcomes, dependence->outcome, outcomes * sizeof(double));
    }
    dependence->count = 0;
}

/* Sets the columns of the grid to the values of each point. row: of the task. */
static void collect_points(Dependence *dependence, const double *kept, uint32_t row)
{
    const ModelRows *model = dependence->model;
    uint32_t points = dependence->shared.points, pairs = dependence->by.column != NULL ? dependence->by.count : 1, width = model->scorer->model->slot_count;

    memcpy(dependence->kept, kept, model->width * sizeof(double));
    for (uint32_t p = 0; p < points; p++) {
        env_poll_every(model->env, p, MODEL_ROWS_AHEAD);
        model_column_set(model, dependence->grid.column, dependence->grid.values[p / pairs], dependence->kept);
        if (dependence->by.column != NULL)
            model_column_set(model, dependence->by.column, dependence->by.values[p % pairs], dependence->kept);
        if (!model_rows_encode(model, dependence->kept, dependence->slots + (size_t)dependence->count * width, &dependence->offsets[dependence->count]))
            continue;
        dependence->at[dependence->count++] = row * points + p;
        if (dependence->count == MODEL_ROWS_AHEAD)
            score_collected(dependence);
    }
}

/* Reads on to a row, or from the first one. Returns its place in the block. */
static uint32_t seek_row(const Dependence *dependence, Place *place, uint64_t row)
{
    if (place->reader == NULL)
        place->reader = rows_reader(dependence->model->env, dependence->rows);
    if (row < place->block.first) {
        rows_rewind(place->reader);
        place->block = (RowsBlock){0};
    }
    while (row >= place->block.first + place->block.count)
        if (!rows_next_block(place->reader, &place->block))
            env_fail(dependence->model->env, ERROR_INTERNAL, NULL, "there is no row %llu", (unsigned long long)row);
    return (uint32_t)(row - place->block.first);
}

static uint32_t rows_of_task(const Dependence *dependence, uint32_t task)
{
    uint64_t left = dependence->shared.rows - (uint64_t)task * dependence->shared.block_rows;

    return left < dependence->shared.block_rows ? (uint32_t)left : dependence->shared.block_rows;
}

static void run(void *data, uint32_t task)
{
    Dependence *dependence = data;
    uint64_t first = (uint64_t)task * dependence->shared.block_rows;
    size_t numbers = (size_t)dependence->shared.points * dependence->outcomes.count;
    const RowsBlock *block = &dependence->scored.block;

    dependence->found = rows_of_task(dependence, task);
    for (size_t n = 0; n < dependence->found * numbers; n++)
        dependence->curves[n] = NAN;
    for (uint32_t r = 0; r < dependence->found; r++) {
        uint32_t i = seek_row(dependence, &dependence->scored, first + r);

        dependence->weights[r] = row_weight(block->weights, i);
        collect_points(dependence, block->slots + (size_t)i * dependence->model->width, r);
    }
    score_collected(dependence);
}

/* ---- as tasks ---- */

/* Makes what a process has for itself. */
static void open_blocks(Dependence *dependence)
{
    Env *env = dependence->model->env;
    size_t row = (size_t)dependence->shared.points * dependence->outcomes.count;

    dependence->slots = env_array(env, MODEL_ROWS_AHEAD, ((size_t)dependence->model->scorer->model->slot_count + 1) * sizeof(double));
    dependence->offsets = env_array(env, MODEL_ROWS_AHEAD, sizeof(double));
    dependence->at = env_array(env, MODEL_ROWS_AHEAD, sizeof(uint32_t));
    dependence->kept = env_array(env, (size_t)dependence->model->width + 1, sizeof(double));
    dependence->outcome = env_array(env, (size_t)dependence->outcomes.count + 1, sizeof(double));
    dependence->weights = env_array(env, dependence->shared.block_rows, sizeof(double));
    dependence->curves = env_array_raw(env, dependence->shared.block_rows, (row + 1) * sizeof(double));
}

static void pack_grid(Pack *pack, ColumnGrid *grid)
{
    pack_value(pack, &grid->count, sizeof grid->count);
    pack_array_if(pack, true, &grid->values, grid->count, sizeof(double));
}

static void pack(Pack *pack, void *data)
{
    Dependence *dependence = data;
    Shared *shared = &dependence->shared;

    pack_value(pack, shared, sizeof *shared);
    pack_array(pack, &shared->whole, shared->model_bytes, 1);
    pack_array(pack, &shared->class, shared->class_length, 1);
    for (uint32_t c = 0; c < 2; c++)
        pack_array(pack, &shared->names[c], shared->name_lengths[c], 1);
    pack_grid(pack, &dependence->grid);
    if (shared->names[1] != NULL)
        pack_grid(pack, &dependence->by);
    rows_pack(pack, &dependence->rows);
}

static void begin(Env *env, void *data)
{
    Dependence *dependence = data;
    const Shared *shared = &dependence->shared;
    Scorer *scorer = env_array(env, 1, sizeof *scorer);

    *scorer = scorer_open(env, shared->whole);
    dependence->model = model_rows_open(env, scorer, FUNCTION);
    dependence->outcomes = model_outcomes(dependence->model, options_parse(env, FUNCTION, class_options, shared->class, shared->class_length, NULL, NULL, 0), FUNCTION);
    dependence->grid.column = model_rows_column(dependence->model, FUNCTION, shared->names[0]);
    if (shared->names[1] != NULL)
        dependence->by.column = model_rows_column(dependence->model, FUNCTION, shared->names[1]);
    open_blocks(dependence);
}

static void abandon(void *data)
{
    Dependence *dependence = data;

    rows_end_readers(dependence->rows);
    dependence->scored = dependence->named = (Place){0};
    dependence->count = 0;
}

static void pack_result(Pack *pack, void *data)
{
    Dependence *dependence = data;
    size_t row = (size_t)dependence->shared.points * dependence->outcomes.count;

    pack_value(pack, &dependence->found, sizeof dependence->found);
    pack_value(pack, dependence->weights, dependence->found * sizeof(double));
    pack_value(pack, dependence->curves, dependence->found * row * sizeof(double));
}

const SharedKind dependence_blocks_kind = {.name = "blocks of a partial dependence",
                                           .data_size = sizeof(Dependence),
                                           .has_rows = true,
                                           .pack = pack,
                                           .begin = begin,
                                           .run = run,
                                           .abandon = abandon,
                                           .pack_result = pack_result};

/* ---- the result ---- */

/* Gives out a curve, [points x outcomes], of a row or of all. */
static void emit_curve(const Dependence *dependence, const double *curve, const char *id, uint32_t id_length)
{
    const ModelRows *model = dependence->model;
    uint32_t outcomes = dependence->outcomes.count, pairs = dependence->by.column != NULL ? dependence->by.count : 1;
    DependenceRow row = {.id = id, .id_length = id_length, .by = {.number = NAN}};

    for (uint32_t o = 0; o < outcomes; o++) {
        row.class = dependence->outcomes.labels[o];
        for (uint32_t p = 0; p < dependence->shared.points; p++) {
            row.value = grid_value(model, dependence->grid.column, dependence->grid.values[p / pairs]);
            if (dependence->by.column != NULL)
                row.by = grid_value(model, dependence->by.column, dependence->by.values[p % pairs]);
            row.estimate = curve[(size_t)p * outcomes + o] - (dependence->centered ? curve[o] : 0);
            dependence->emit(dependence->context, &row);
            model->env->poll(model->env);
        }
    }
}

/* Adds a row to the sums. */
static void add_row(Dependence *dependence, const double *curve, double weight)
{
    uint32_t outcomes = dependence->outcomes.count;

    for (uint32_t p = 0; p < dependence->shared.points; p++) {
        if (isnan(curve[(size_t)p * outcomes]))
            continue;
        carried_add(&dependence->totals[p], weight);
        for (uint32_t o = 0; o < outcomes; o++)
            carried_add(&dependence->sums[(size_t)p * outcomes + o], weight * curve[(size_t)p * outcomes + o]);
    }
}

static void receive(void *receiver, uint32_t task)
{
    Dependence *dependence = receiver;
    size_t numbers = (size_t)dependence->shared.points * dependence->outcomes.count;
    uint64_t first = (uint64_t)task * dependence->shared.block_rows;
    const RowsBlock *block = &dependence->named.block;

    for (uint32_t r = 0; r < dependence->found; r++) {
        const double *curve = dependence->curves + r * numbers;
        uint32_t i;

        dependence->model->env->poll(dependence->model->env);
        if (!dependence->shared.ice) {
            add_row(dependence, curve, dependence->weights[r]);
            continue;
        }
        i = seek_row(dependence, &dependence->named, first + r);
        emit_curve(dependence, curve, block->ids[i], block->id_lengths[i]);
    }
}

/* Gives out the means over the rows. */
static void emit_means(const Dependence *dependence)
{
    uint32_t outcomes = dependence->outcomes.count;
    double *curve = dependence->curves; /* room for one */
    bool any = false;

    for (uint32_t p = 0; p < dependence->shared.points; p++) {
        double weight = carried_value(&dependence->totals[p]);

        any = any || weight != 0;
        for (uint32_t o = 0; o < outcomes; o++) {
            double sum = carried_value(&dependence->sums[(size_t)p * outcomes + o]);

            if (!isfinite(weight) || !isfinite(sum))
                fail_sums(dependence->model->env, FUNCTION);
            curve[(size_t)p * outcomes + o] = weight > 0 ? sum / weight : NAN;
        }
    }
    if (!any)
        fail_no_scores(dependence->model->env, dependence->rows, FUNCTION);
    emit_curve(dependence, curve, NULL, 0);
}

/* Returns option "class" as JSON. */
static const char *class_json(Env *env, const Options *options, uint32_t *length)
{
    TextBuffer json = {.env = env};
    size_t size;
    char *text;

    text_character(&json, '{');
    if (options_type(options, "class") != 0) {
        text_add(&json, "\"class\":");
        text_add(&json, options_value_json(options, "class"));
    }
    text_character(&json, '}');
    text = text_finish(&json, &size);
    *length = (uint32_t)size;
    return text;
}

/* Scores all rows at all points, in several processes if that pays. */
static void score_rows(Dependence *dependence)
{
    const Shared *shared = &dependence->shared;
    uint64_t tasks = (shared->rows - 1) / shared->block_rows + 1, numbers = (uint64_t)shared->points * dependence->outcomes.count;
    uint64_t block = shared->block_rows * (numbers + 2) * sizeof(double), own = block + numbers * sizeof(CarriedSum), spare = rows_spare(dependence->rows);
    SharedWork work = {.kind = &dependence_blocks_kind,
                       .data = dependence,
                       .end = (uint32_t)tasks,
                       .packs = true,
                       .process_room = block + 2 * shared->model_bytes,
                       .spare = spare > own ? spare - own : 0,
                       .receive = receive,
                       .receiver = dependence};

    if (tasks > UINT32_MAX)
        env_fail(dependence->model->env, ERROR_LIMIT, "Pass a sample of the rows.", FUNCTION " takes at most %llu rows", (unsigned long long)UINT32_MAX * shared->block_rows);
    shared_work(dependence->model->env, &work);
    if (dependence->scored.reader != NULL)
        rows_reader_free(dependence->scored.reader);
    if (dependence->named.reader != NULL)
        rows_reader_free(dependence->named.reader);
}

void partial_dependence(const ModelRows *model, Rows *rows, const char *feature, const Options *options, DependenceEmit emit, void *context)
{
    Env *env = model->env;
    const Model *whole = model->scorer->whole;
    Dependence dependence = {.shared = {.whole = whole, .model_bytes = whole->size, .rows = rows_count(rows), .ice = options_is(options, "kind", "ice")},
                             .model = model,
                             .rows = rows,
                             .outcomes = model_outcomes(model, options, FUNCTION),
                             .centered = options_boolean(options, "centered"),
                             .emit = emit,
                             .context = context};
    size_t numbers, most;

    if (rows_count(rows) == 0)
        fail_no_scores(env, rows, FUNCTION);
    dependence.shared.class = class_json(env, options, &dependence.shared.class_length);
    open_grid(&dependence, rows, feature, options);
    numbers = (size_t)dependence.shared.points * dependence.outcomes.count;
    most = BLOCK_NUMBERS / numbers;
    dependence.shared.block_rows = most < 1 ? 1 : most < BLOCK_ROWS ? (uint32_t)most : BLOCK_ROWS;
    env_require_memory(env, numbers * (sizeof(CarriedSum) + sizeof(double)), FUNCTION);
    dependence.sums = env_array(env, numbers + 1, sizeof(CarriedSum));
    dependence.totals = env_array(env, dependence.shared.points, sizeof(CarriedSum));
    open_blocks(&dependence);
    score_rows(&dependence);
    if (!dependence.shared.ice)
        emit_means(&dependence);
}
