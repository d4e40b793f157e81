/*
 * importance.c - permutation importance.
 *
 * Rows are ranked by a hash of their content, so that a permutation of ranks is one of contents. A column's numbers are kept by rank; each
 * permutation is one pass over the rows, in which each row gets those of another rank.
 */
#include "core/explain/column_grid.h"
#include "core/explain/importance.h"

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/base/text_buffer.h"
#include "core/estimator/class_options.h"
#include "core/moments/moments.h"
#include "core/validation/cross_validation.h"

#include <math.h>
#include <string.h>

#define FUNCTION "permutation_importance"
#define NOT_RANKED UINT32_MAX

static const OptionSpec own_options[] = {
    {.name = "groups",
     .types = OPTION_NESTED,
     .unset = "each column by itself",
     .help = "Columns that are permuted together, by a name for each group: {\"size\": [\"x\", \"y\"]}. A group takes the place of its columns."},
    {.name = "metric",
     .types = OPTION_STRING,
     .unset = "rmse of regressions, accuracy of classifiers, log_loss of calibrations",
     .help = "The metric, one of those of cross_validate."},
    {.name = "min_probability",
     .types = OPTION_NUMBER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 0.5,
     .maximum_open = true,
     .help = "For log_loss: probabilities are kept this far from 0; with 0, a class that was given probability 0 has an infinite loss."},
    {.name = "positive",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "that of the model",
     .help = "The positive class, for metrics of two classes."},
    {.name = "repeats", .types = OPTION_INTEGER, .fallback = "5", .minimum = 1, .maximum = 10000, .help = "How often each column is permuted."},
    {.name = "seed", .types = OPTION_INTEGER, .fallback = "0", .help = "The seed of the permutations."},
    {.name = NULL}};

const OptionSpec *const permutation_importance_options[] = {own_options, model_rows_options, NULL};

/* ---- what is permuted ---- */

typedef struct Permuted {
    const char *name;
    uint32_t count;
    uint32_t *places; /* [count] in a kept row */
} Permuted;

static void permuted_add(Env *env, Permuted *permuted, const ModelColumn *column)
{
    uint32_t *places = env_array(env, (size_t)permuted->count + column->count + 1, sizeof(uint32_t));

    memcpy(places, permuted->places, permuted->count * sizeof(uint32_t));
    memcpy(places + permuted->count, column->places, column->count * sizeof(uint32_t));
    permuted->places = places;
    permuted->count += column->count;
}

/* Reads a group; in[c]: whether column c of the model is in one. */
static void read_group(const ModelRows *model, const Json *key, bool *in, Permuted *group)
{
    const Json *names = json_value(key);

    *group = (Permuted){.name = json_string(model->env, key), .places = env_array(model->env, 1, sizeof(uint32_t))};
    if (names->type != JSON_ARRAY || names->length == 0)
        env_fail(model->env, ERROR_PARAMETER, "List its columns: {\"size\": [\"x\", \"y\"]}.", "group \"%.60s\" of option \"groups\" is no list of columns", group->name);
    for (const Json *name = json_first(names); name != NULL; name = json_next(names, name)) {
        const ModelColumn *column;
        ptrdiff_t place;

        if (name->type != JSON_STRING)
            env_fail(model->env, ERROR_PARAMETER, "List its columns: {\"size\": [\"x\", \"y\"]}.", "group \"%.60s\" of option \"groups\" has a %s among its columns",
                     group->name, json_type_name(name));
        column = model_rows_column(model, "option \"groups\"", json_string(model->env, name));
        place = column - model->columns;
        if (place >= 0 && place < (ptrdiff_t)model->column_count) {
            if (in[place])
                env_fail(model->env, ERROR_PARAMETER, "Name it once.", "option \"groups\" names column \"%.60s\" twice", column->name);
            in[place] = true;
        }
        permuted_add(model->env, group, column);
    }
}

/* Returns the groups, and the columns that are in none. */
static Permuted *permuted_columns(const ModelRows *model, const Options *options, uint32_t *count)
{
    const char *text = options_type(options, "groups") != 0 ? options_value_json(options, "groups") : NULL;
    const Json *groups = text != NULL ? json_parse(model->env, text, strlen(text), ERROR_PARAMETER, "groups") : NULL;
    Permuted *list = env_array(model->env, (size_t)model->column_count + (groups != NULL ? groups->length : 0) + 1, sizeof *list);
    bool *in = env_array(model->env, (size_t)model->column_count + 1, sizeof(bool));

    *count = 0;
    for (const Json *key = groups != NULL ? json_first(groups) : NULL; key != NULL; key = json_next(groups, key))
        read_group(model, key, in, &list[(*count)++]);
    for (uint32_t c = 0; c < model->column_count; c++)
        if (!in[c])
            list[(*count)++] = (Permuted){model->columns[c].name, model->columns[c].count, model->columns[c].places};
    return list;
}

/* ---- the metric ---- */

static const char *default_metric(const Estimator *estimator)
{
    return estimator->task == TASK_REGRESSION ? "rmse" : estimator->task == TASK_CALIBRATION ? "log_loss" : "accuracy";
}

/* Adds the positive class: the option's, else that of a model of two classes. */
static void add_positive(const ModelRows *model, const Options *options, const Model *schema, TextBuffer *json)
{
    const Model *last = model->scorer->model;

    if (options_type(options, "positive") != 0) {
        text_print(json, ",\"positive\":%s", options_value_json(options, "positive"));
    } else if (schema != NULL && dictionary_size(last, DICTIONARY_CLASSES) == 2) {
        const char *label = class_string(model->env, last, class_rule_of(last).positive);

        text_add(json, ",\"positive\":");
        json_quote(json, label, strlen(label));
    }
}

/* Plans the metric; schema: of the rows, NULL before they are read. */
static MetricPlan plan_of(const ModelRows *model, const Options *options, const Model *schema)
{
    const char *metric = options_string(options, "metric");
    TextBuffer json = {.env = model->env};
    size_t length;
    char *text;

    if (metric == NULL)
        metric = default_metric(model->scorer->estimator);
    text_add(&json, "{\"metrics\":");
    json_quote(&json, metric, strlen(metric));
    text_add(&json, ",\"min_probability\":");
    json_double(&json, options_number(options, "min_probability"));
    add_positive(model, options, schema, &json);
    text_character(&json, '}');
    text = text_finish(&json, &length);
    return metric_plan(model->env, model->scorer->estimator, options_parse(model->env, FUNCTION, cross_validate_options, text, length, NULL, NULL, 0), schema);
}

void permutation_importance_check(const ModelRows *model, const Options *options)
{
    uint32_t count;

    (void)plan_of(model, options, NULL);
    (void)permuted_columns(model, options, &count);
}

/* ---- passes ---- */

typedef struct Passes {
    const ModelRows *model;
    Rows *rows;
    MetricPlan plan;
    RowJudge judge;
    uint32_t *rank;     /* [rows] by content; NOT_RANKED: the row has no score */
    uint32_t ranked;
    uint32_t *from;     /* [ranked] the permutation: whose numbers a rank gets */
    double *numbers;    /* [ranked x places] of the column, by rank */
    /* rows that are scored together */
    uint32_t count;
    double *slots, *offsets, *targets, *weights;
    uint64_t *places;   /* of the rows */
    double *kept;       /* [width] */
} Passes;

typedef struct RankedRow {
    uint64_t hash, row;
} RankedRow;

/* Scores the rows that were collected. scored: where rows that have a score are marked; NULL: not wanted. */
static void score_collected(Passes *passes, FoldTally *tally, bool *scored)
{
    const ModelRows *model = passes->model;
    uint32_t width = model->scorer->model->slot_count;
    RowVerdict verdict;

    model_rows_ahead(model, passes->slots, passes->count);
    for (uint32_t i = 0; i < passes->count; i++) {
        model->env->poll(model->env);
        if (!row_judge_score(model->env, &passes->judge, passes->slots + (size_t)i * width, passes->offsets[i], &verdict))
            continue;
        fold_tally_add(tally, passes->targets[i], &verdict, passes->weights[i]);
        if (scored != NULL)
            scored[passes->places[i]] = true;
    }
    passes->count = 0;
}

/* Takes one row of a block; permuted: with the numbers of another rank, NULL: as it is. */
static void collect_row(Passes *passes, const RowsBlock *block, uint32_t i, const Permuted *permuted)
{
    const ModelRows *model = passes->model;
    uint64_t row = block->first + i;

    memcpy(passes->kept, block->slots + (size_t)i * model->width, model->width * sizeof(double));
    if (permuted != NULL) {
        const double *numbers = passes->numbers + (size_t)passes->from[passes->rank[row]] * permuted->count;

        for (uint32_t p = 0; p < permuted->count; p++)
            passes->kept[permuted->places[p]] = numbers[p];
    }
    if (!model_rows_encode(model, passes->kept, passes->slots + (size_t)passes->count * model->scorer->model->slot_count, &passes->offsets[passes->count]))
        return;
    passes->targets[passes->count] = block->targets[i];
    passes->weights[passes->count] = row_weight(block->weights, i);
    passes->places[passes->count++] = row;
}

/* Returns the metric over all rows. */
static double pass(Passes *passes, const Permuted *permuted, bool *scored)
{
    Env *env = passes->model->env;
    FoldTally *tally = fold_tally(env, &passes->judge, rows_pool_of(passes->rows));
    RowsReader *reader = rows_reader(env, passes->rows);
    RowsBlock block;
    double value;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            if (permuted == NULL || passes->rank[block.first + i] != NOT_RANKED)
                collect_row(passes, &block, i, permuted);
            if (passes->count == MODEL_ROWS_AHEAD)
                score_collected(passes, tally, scored);
        }
    score_collected(passes, tally, scored);
    rows_reader_free(reader);
    fold_tally_end(tally, &value);
    return value;
}

/* Ranks the rows that have a score by their content. Rows of the same content may change places. */
static void rank_rows(Passes *passes, const bool *scored)
{
    Env *env = passes->model->env;
    const Model *schema = rows_schema(passes->rows);
    uint64_t n = rows_count(passes->rows);
    RankedRow *order = env_array_raw(env, n, sizeof *order);
    RowsReader *reader = rows_reader(env, passes->rows);
    RowsBlock block;
    uint64_t count = 0;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double target = block.targets[i], outside[2] = {0, row_weight(block.weights, i)};

            if (!scored[block.first + i])
                continue;
            outside[0] = passes->plan.classes > 0 ? moments_class_number(schema, (uint32_t)target) : target;
            order[count++] = (RankedRow){rows_hash(rows_hash(0, outside, 2), block.slots + (size_t)i * passes->model->width, passes->model->width), block.first + i};
        }
    rows_reader_free(reader);
    sort_polled(env, order, count, sizeof *order, compare_keys);
    for (uint64_t i = 0; i < n; i++)
        passes->rank[i] = NOT_RANKED;
    for (uint64_t i = 0; i < count; i++)
        passes->rank[order[i].row] = (uint32_t)i;
    passes->ranked = (uint32_t)count;
    env->release(env, order);
}

/* Keeps the numbers of a column by rank. */
static void gather_numbers(Passes *passes, const Permuted *permuted)
{
    RowsReader *reader = rows_reader(passes->model->env, passes->rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t rank = passes->rank[block.first + i];

            for (uint32_t p = 0; p < permuted->count && rank != NOT_RANKED; p++)
                passes->numbers[(size_t)rank * permuted->count + p] = block.slots[(size_t)i * passes->model->width + permuted->places[p]];
        }
    rows_reader_free(reader);
}

/* Makes permutation r of the ranks (Fisher & Yates), the same for every column. */
static void permute(Passes *passes, uint64_t seed, uint64_t r)
{
    uint64_t state = mix64(mix64(seed + RANDOM_STEP) + r);

    for (uint32_t i = 0; i < passes->ranked; i++) {
        uint32_t other = (uint32_t)((unsigned __int128)random_bits(&state) * (i + 1) >> 64);

        passes->from[i] = passes->from[other];
        passes->from[other] = i;
        env_poll_every(passes->model->env, i + 1, 65536);
    }
}

/* Sets mean and standard error of the losses, which each permutation has one of. */
static void summarize(const double *losses, uint32_t repeats, Importance *out)
{
    double mean = 0, squares = 0;

    for (uint32_t r = 0; r < repeats; r++)
        mean += losses[r];
    mean /= repeats;
    for (uint32_t r = 0; r < repeats; r++)
        squares += (losses[r] - mean) * (losses[r] - mean);
    out->importance = mean;
    out->std_error = repeats > 1 ? sqrt(squares / (repeats - 1) / repeats) : NAN;
}

static void open_passes(Passes *passes, const ModelRows *model, Rows *rows, const Options *options, uint32_t widest)
{
    Env *env = model->env;
    uint64_t n = rows_count(rows);

    *passes = (Passes){.model = model, .rows = rows};
    if (n == 0)
        fail_no_scores(env, rows, FUNCTION);
    if (n >= NOT_RANKED)
        env_fail(env, ERROR_LIMIT, "Pass a sample of the rows.", FUNCTION " takes at most %u rows", NOT_RANKED - 1);
    env_require_memory(env, n * (sizeof(bool) + sizeof(uint32_t) + 2 * sizeof(RankedRow)), FUNCTION);
    env_require_memory(env, n * (2 * sizeof(uint32_t) + (size_t)widest * sizeof(double)), FUNCTION);
    passes->plan = plan_of(model, options, rows_schema(rows));
    passes->judge = row_judge(env, &passes->plan, model->scorer->model, model->scorer->prepared);
    passes->slots = env_array(env, MODEL_ROWS_AHEAD, ((size_t)model->scorer->model->slot_count + 1) * sizeof(double));
    passes->offsets = env_array(env, MODEL_ROWS_AHEAD, sizeof(double));
    passes->targets = env_array(env, MODEL_ROWS_AHEAD, sizeof(double));
    passes->weights = env_array(env, MODEL_ROWS_AHEAD, sizeof(double));
    passes->places = env_array(env, MODEL_ROWS_AHEAD, sizeof(uint64_t));
    passes->kept = env_array(env, (size_t)model->width + 1, sizeof(double));
    passes->rank = env_array_raw(env, n, sizeof(uint32_t));
}

/* Returns the metric of the rows as they are, and ranks those that have a score. */
static double open_ranks(Passes *passes, uint32_t widest)
{
    Env *env = passes->model->env;
    bool *scored = env_array(env, rows_count(passes->rows), sizeof(bool));
    double value = pass(passes, NULL, scored);

    rank_rows(passes, scored);
    env->release(env, scored);
    if (passes->ranked == 0)
        fail_no_scores(env, passes->rows, FUNCTION);
    if (isnan(value))
        env_fail(env, ERROR_DATA, "Choose another metric with option \"metric\".", "metric \"%s\" is undefined for these rows", passes->plan.names[0]);
    passes->from = env_array_raw(env, passes->ranked, sizeof(uint32_t));
    passes->numbers = env_array_raw(env, (size_t)passes->ranked * widest + 1, sizeof(double));
    return value;
}

Importance *permutation_importance(const ModelRows *model, Rows *rows, const Options *options, uint32_t *count)
{
    uint32_t repeats = (uint32_t)options_integer(options, "repeats"), widest = 0;
    uint64_t seed = (uint64_t)options_integer(options, "seed");
    Permuted *list = permuted_columns(model, options, count);
    Importance *out = env_array(model->env, (size_t)*count + 1, sizeof *out);
    double *losses = env_array(model->env, repeats, sizeof(double)), before;
    Passes passes;

    for (uint32_t c = 0; c < *count; c++)
        widest = list[c].count > widest ? list[c].count : widest;
    open_passes(&passes, model, rows, options, widest);
    before = open_ranks(&passes, widest);
    for (uint32_t c = 0; c < *count; c++) {
        gather_numbers(&passes, &list[c]);
        for (uint32_t r = 0; r < repeats; r++) {
            permute(&passes, seed, r);
            losses[r] = pass(&passes, &list[c], NULL);
            losses[r] = metric_lower_is_better(&passes.plan, 0) ? losses[r] - before : before - losses[r];
            model->env->progress(model->env, "permutations", (uint64_t)c * repeats + r + 1, (uint64_t)*count * repeats, NAN);
        }
        out[c].feature = list[c].name;
        summarize(losses, repeats, &out[c]);
    }
    return out;
}
