/*
 * accumulated.c - accumulated local effects.
 */
#include "core/explain/accumulated.h"

#include "core/math/carried_sum.h"
#include "core/options/options.h"

#include <math.h>
#include <string.h>

#define FUNCTION "accumulated_effects"

static const OptionSpec own_options[] = {
    {.name = "intervals",
     .types = OPTION_INTEGER,
     .fallback = "20",
     .minimum = 1,
     .maximum = 100000,
     .help = "How many intervals of equally many rows a number is cut into; equal ends are one."},
    {.name = "order",
     .types = OPTION_STRING_LIST,
     .unset = "by similarity",
     .help = "The order of the levels of a category, all that the rows have."},
    {.name = NULL}};

const OptionSpec *const accumulated_effects_options[] = {own_options, model_rows_options, model_class_options, NULL};

/* A difference that is to be scored: what the model says with the upper value, less what it says with the lower one. */
typedef struct Difference {
    uint32_t interval;
    double weight;
} Difference;

typedef struct Accumulation {
    const ModelRows *model;
    ModelOutcomes outcomes;
    ColumnGrid grid;       /* ends of intervals, rising; or levels in their order */
    uint32_t *place_of;    /* [levels of the model] of levels: place in the grid + 1, 0: none */
    CarriedSum *sums;      /* [intervals x outcomes] of weight x difference */
    CarriedSum *weights;   /* [intervals] of the differences */
    CarriedSum *masses;    /* of the rows in each interval, or of each level */
    /* differences that are scored together, two rows each */
    uint32_t count;
    double *slots, *offsets;
    Difference *waiting;
    double *kept, *low, *high;
} Accumulation;

#define TOGETHER (MODEL_ROWS_AHEAD / 2)

void accumulated_effects_check(const ModelRows *model, const char *feature, const Options *options)
{
    const ModelColumn *column = model_rows_column(model, "argument feature", feature);

    model_column_require_values(model, column, FUNCTION);
    (void)model_outcomes(model, options, FUNCTION);
    if (column->field < 0 && options_type(options, "order") != 0)
        env_fail(model->env, ERROR_PARAMETER, "Leave it out: numbers have an order.", "option \"order\" lists levels, but column \"%.60s\" is a number", feature);
    if (column->field >= 0 && options_given(options, "intervals"))
        env_fail(model->env, ERROR_PARAMETER, "Leave it out: effects go from level to level.", "option \"intervals\" is for numbers, but column \"%.60s\" is a category",
                 feature);
}

/* ---- the grid ---- */

/* Cuts a number into intervals at quantiles that are values of rows (type 1 of Hyndman & Fan 1996), from the least to the greatest. */
static ColumnGrid number_ends(const ModelRows *model, Rows *rows, const ModelColumn *column, uint32_t intervals)
{
    ColumnGrid grid = {.column = column, .values = env_array(model->env, (size_t)intervals + 1, sizeof(double))};
    uint64_t n;
    double *sorted = column_numbers(model, rows, column, &n);

    grid.values[grid.count++] = sorted[0];
    for (uint32_t k = 1; k <= intervals; k++) {
        double end = sorted[(uint64_t)((unsigned __int128)n * k + intervals - 1) / intervals - 1];

        if (end > grid.values[grid.count - 1])
            grid.values[grid.count++] = end;
    }
    model->env->release(model->env, sorted);
    return grid;
}

/* Puts the levels into the order that an option gives. */
static void order_by_option(const ModelRows *model, ColumnGrid *grid, const Options *options)
{
    uint32_t count, found = 0;
    const char *const *names = options_strings(options, "order", &count);
    double *order = env_array(model->env, (size_t)count + 1, sizeof(double));

    for (uint32_t i = 0; i < count; i++) {
        bool seen = false;

        order[i] = level_of_column(model, grid->column, "order", names[i]);
        for (uint32_t j = 0; j < i; j++)
            if (order[j] == order[i])
                env_fail(model->env, ERROR_PARAMETER, "Name it once.", "option \"order\" names level \"%.60s\" twice", names[i]);
        for (uint32_t l = 0; l < grid->count; l++)
            seen = seen || grid->values[l] == order[i];
        if (seen)
            order[found++] = order[i]; /* others have no rows */
    }
    if (found < grid->count)
        env_fail(model->env, ERROR_PARAMETER, "List all levels of the rows.", "option \"order\" has %u of the %u levels of column \"%.60s\"", found, grid->count,
                 grid->column->name);
    memcpy(grid->values, order, found * sizeof(double));
}

static void open_grid(Accumulation *work, Rows *rows, const char *feature, const Options *options)
{
    const ModelRows *model = work->model;
    const ModelColumn *column = model_rows_column(model, "argument feature", feature);

    if (column->field < 0) {
        work->grid = number_ends(model, rows, column, (uint32_t)options_integer(options, "intervals"));
        return;
    }
    work->grid = column_levels(model, rows, column);
    if (options_type(options, "order") != 0)
        order_by_option(model, &work->grid, options);
    else
        order_by_similarity(model, rows, &work->grid);
    work->place_of = env_array(model->env, (size_t)dictionary_size(model->reads, DICTIONARY_LEVELS) + 1, sizeof(uint32_t));
    for (uint32_t l = 0; l < work->grid.count; l++)
        work->place_of[(uint32_t)work->grid.values[l]] = l + 1;
}

/* ---- the rows ---- */

static void score_collected(Accumulation *work)
{
    const ModelRows *model = work->model;
    size_t width = model->scorer->model->slot_count;

    model_rows_ahead(model, work->slots, 2 * work->count);
    for (uint32_t i = 0; i < work->count; i++) {
        const Difference *waiting = &work->waiting[i];
        const double *slots = work->slots + 2 * i * width;

        model->env->poll(model->env);
        if (!model_outcomes_write(&work->outcomes, slots, work->offsets[2 * i], work->low) ||
            !model_outcomes_write(&work->outcomes, slots + width, work->offsets[2 * i + 1], work->high))
            continue;
        carried_add(&work->weights[waiting->interval], waiting->weight);
        for (uint32_t o = 0; o < work->outcomes.count; o++)
            carried_add(&work->sums[(size_t)waiting->interval * work->outcomes.count + o], waiting->weight * (work->high[o] - work->low[o]));
    }
    work->count = 0;
}

/* Takes the difference over an interval, from value `interval` of the grid to the next one, for a row. Returns false if it has no score. */
static bool collect(Accumulation *work, const double *kept, uint32_t interval, double weight)
{
    const ModelRows *model = work->model;
    size_t width = model->scorer->model->slot_count;
    uint32_t at = work->count;

    memcpy(work->kept, kept, model->width * sizeof(double));
    for (uint32_t end = 0; end < 2; end++) {
        model_column_set(model, work->grid.column, work->grid.values[interval + end], work->kept);
        if (!model_rows_encode(model, work->kept, work->slots + (2 * at + end) * width, &work->offsets[2 * at + end]))
            return false;
    }
    work->waiting[work->count++] = (Difference){interval, weight};
    if (work->count == TOGETHER)
        score_collected(work);
    return true;
}

/* Returns the interval of a number: above its lower end, up to its upper end; the least number is in the first one. */
static uint32_t interval_of(const ColumnGrid *grid, double number)
{
    uint32_t low = 1, high = grid->count - 1;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (grid->values[middle] >= number)
            high = middle;
        else
            low = middle + 1;
    }
    return low - 1;
}

/* Takes the differences to which a row adds: of its interval, or of the levels before and after its own. */
static void collect_row(Accumulation *work, const double *kept, double weight)
{
    double value = model_column_value(work->model, work->grid.column, kept);
    uint32_t place;
    bool used = false;

    if (isnan(value))
        return;
    if (work->place_of == NULL) {
        place = interval_of(&work->grid, value);
        used = collect(work, kept, place, weight);
    } else {
        place = work->place_of[(uint32_t)value];
        if (place == 0)
            return;
        place--;
        if (place + 1 < work->grid.count)
            used = collect(work, kept, place, weight);
        if (place > 0)
            used = collect(work, kept, place - 1, weight) || used;
    }
    if (used)
        carried_add(&work->masses[place], weight);
}

/* ---- the effects ---- */

/* Writes the effects of an outcome, with a mean of 0 over the rows: of a number, the mean of both ends of each row's interval counts. */
static void accumulate(const Accumulation *work, uint32_t outcome, AccumulatedEffect *out)
{
    uint32_t points = work->grid.count, outcomes = work->outcomes.count;
    double sum = 0, mean = 0, total = 0;

    for (uint32_t p = 0; p < points; p++) {
        double weight = p > 0 ? carried_value(&work->weights[p - 1]) : 0;

        if (weight > 0)
            sum += carried_value(&work->sums[(size_t)(p - 1) * outcomes + outcome]) / weight;
        if (!isfinite(sum))
            fail_sums(work->model->env, FUNCTION);
        out[p] = (AccumulatedEffect){grid_value(work->model, work->grid.column, work->grid.values[p]), work->outcomes.labels[outcome], sum};
    }
    for (uint32_t p = 0; p < points; p++) {
        double mass = work->place_of == NULL && p + 1 == points ? 0 : carried_value(&work->masses[p]);

        mean += mass * (work->place_of == NULL && p + 1 < points ? (out[p].effect + out[p + 1].effect) / 2 : out[p].effect);
        total += mass;
    }
    if (!isfinite(mean))
        fail_sums(work->model->env, FUNCTION);
    for (uint32_t p = 0; p < points && total > 0; p++)
        out[p].effect -= mean / total;
}

static void read_rows(Accumulation *work, Rows *rows)
{
    const ModelRows *model = work->model;
    RowsReader *reader = rows_reader(model->env, rows);
    RowsBlock block;
    double total = 0;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++)
            collect_row(work, block.slots + (size_t)i * model->width, row_weight(block.weights, i));
    score_collected(work);
    rows_reader_free(reader);
    for (uint32_t k = 0; k + 1 < work->grid.count; k++)
        total += carried_value(&work->weights[k]);
    if (!isfinite(total))
        fail_sums(model->env, FUNCTION);
    if (total == 0)
        fail_no_scores(model->env, rows, FUNCTION);
}

AccumulatedEffect *accumulated_effects(const ModelRows *model, Rows *rows, const char *feature, const Options *options, uint64_t *count)
{
    Env *env = model->env;
    Accumulation work = {.model = model, .outcomes = model_outcomes(model, options, FUNCTION)};
    size_t width = (size_t)model->scorer->model->slot_count + 1;
    AccumulatedEffect *out;

    if (rows_count(rows) == 0)
        fail_no_scores(env, rows, FUNCTION);
    open_grid(&work, rows, feature, options);
    *count = (uint64_t)work.grid.count * work.outcomes.count;
    env_require_memory(env, *count * (sizeof(CarriedSum) + sizeof *out) + 2 * (size_t)work.grid.count * sizeof(CarriedSum) + 4 * TOGETHER * width * sizeof(double),
                       "the effects of a column");
    work.sums = env_array(env, *count, sizeof(CarriedSum));
    work.weights = env_array(env, work.grid.count, sizeof(CarriedSum));
    work.masses = env_array(env, work.grid.count, sizeof(CarriedSum));
    work.slots = env_array(env, 2 * TOGETHER, width * sizeof(double));
    work.offsets = env_array(env, 2 * TOGETHER, sizeof(double));
    work.waiting = env_array(env, TOGETHER, sizeof(Difference));
    work.kept = env_array(env, (size_t)model->width + 1, sizeof(double));
    work.low = env_array(env, (size_t)work.outcomes.count + 1, sizeof(double));
    work.high = env_array(env, (size_t)work.outcomes.count + 1, sizeof(double));
    if (work.grid.count > 1) /* else the effect of the only value is 0 */
        read_rows(&work, rows);
    out = env_array(env, *count, sizeof *out);
    for (uint32_t o = 0; o < work.outcomes.count; o++)
        accumulate(&work, o, out + (size_t)o * work.grid.count);
    return out;
}
