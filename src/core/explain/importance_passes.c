/*
 * importance_passes.c - passes over rows in which a column is permuted.
 *
 * Rows are ranked by a hash of their content, so that a permutation of ranks is one of contents. A column's numbers are kept by rank; each
 * permutation is one pass over the rows, in which each row gets those of another rank. A process that joins opens the model from its bytes.
 */
#include "core/explain/importance_passes.h"
#include "core/explain/column_grid.h"

#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/moments/moments.h"

#include <math.h>
#include <string.h>

#define FUNCTION "permutation_importance"
#define NOT_RANKED UINT32_MAX

MetricPlan importance_plan(const ModelRows *model, const ImportanceTask *task, const Model *schema)
{
    Options *options = options_parse(model->env, FUNCTION, cross_validate_options, task->judging, task->judging_length, NULL, NULL, 0);

    return metric_plan(model->env, model->scorer->estimator, options, schema);
}

/* ---- what a process has ---- */

/* What is the same in all processes. */
typedef struct Shared {
    ImportanceTask task;
    const Model *whole; /* the model */
    size_t model_bytes;
    uint64_t rows;
    uint32_t *rank;     /* [rows] by content; NOT_RANKED: the row has no score */
    uint32_t ranked, widest;
} Shared;

typedef struct Passes {
    Shared shared;
    Rows *rows;
    const ModelRows *model;
    MetricPlan plan;
    RowJudge judge;
    uint32_t *from;     /* [ranked] the permutation: whose numbers a rank gets */
    double *numbers;    /* [ranked x places] of the column, by rank */
    const Permuted *gathered; /* whose numbers they are; NULL: nobody's */
    FoldTally *tally;   /* of the pass that runs; NULL: none does */
    double value;       /* of the metric in the last pass */
    /* rows that are scored together */
    uint32_t count;
    double *slots, *offsets, *targets, *weights;
    uint64_t *places;   /* of the rows */
    double *kept;       /* [width] */
} Passes;

/* Makes what a process has for passes. */
static void open_passes(Passes *passes)
{
    const ModelRows *model = passes->model;
    const Model *last = model->scorer->model;
    Env *env = model->env;

    passes->plan = importance_plan(model, &passes->shared.task, rows_schema(passes->rows));
    passes->judge = row_judge(env, &passes->plan, last, model->scorer->prepared);
    passes->slots = env_array(env, MODEL_ROWS_AHEAD, ((size_t)last->slot_count + 1) * sizeof(double));
    passes->offsets = env_array(env, MODEL_ROWS_AHEAD, sizeof(double));
    passes->targets = env_array(env, MODEL_ROWS_AHEAD, sizeof(double));
    passes->weights = env_array(env, MODEL_ROWS_AHEAD, sizeof(double));
    passes->places = env_array(env, MODEL_ROWS_AHEAD, sizeof(uint64_t));
    passes->kept = env_array(env, (size_t)model->width + 1, sizeof(double));
}

/* Makes room for permutations. */
static void open_permutations(Passes *passes)
{
    passes->from = env_array_raw(passes->model->env, passes->shared.ranked, sizeof(uint32_t));
    passes->numbers = env_array_raw(passes->model->env, (size_t)passes->shared.ranked * passes->shared.widest + 1, sizeof(double));
}

/* ---- a pass ---- */

/* Scores the rows that were collected. scored: where rows that have a score are marked; NULL: not wanted. */
static void score_collected(Passes *passes, bool *scored)
{
    const ModelRows *model = passes->model;
    uint32_t width = model->scorer->model->slot_count;
    RowVerdict verdict;

    model_rows_ahead(model, passes->slots, passes->count);
    for (uint32_t i = 0; i < passes->count; i++) {
        model->env->poll(model->env);
        if (!row_judge_score(model->env, &passes->judge, passes->slots + (size_t)i * width, passes->offsets[i], &verdict))
            continue;
        fold_tally_add(passes->tally, passes->targets[i], &verdict, passes->weights[i]);
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
        const double *numbers = passes->numbers + (size_t)passes->from[passes->shared.rank[row]] * permuted->count;

        for (uint32_t p = 0; p < permuted->count; p++)
            passes->kept[permuted->places[p]] = numbers[p];
    }
    if (!model_rows_encode(model, passes->kept, passes->slots + (size_t)passes->count * model->scorer->model->slot_count, &passes->offsets[passes->count]))
        return;
    passes->targets[passes->count] = block->targets[i];
    passes->weights[passes->count] = row_weight(block->weights, i);
    passes->places[passes->count++] = row;
}

/* Sets passes->value to the metric over all rows. */
static void pass(Passes *passes, const Permuted *permuted, bool *scored)
{
    Env *env = passes->model->env;
    RowsReader *reader = rows_reader(env, passes->rows);
    RowsBlock block;

    passes->tally = fold_tally(env, &passes->judge, rows_pool_of(passes->rows));
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            if (permuted == NULL || passes->shared.rank[block.first + i] != NOT_RANKED)
                collect_row(passes, &block, i, permuted);
            if (passes->count == MODEL_ROWS_AHEAD)
                score_collected(passes, scored);
        }
    score_collected(passes, scored);
    rows_reader_free(reader);
    fold_tally_end(passes->tally, &passes->value);
    passes->tally = NULL;
}

/* Keeps the numbers of a column by rank. */
static void gather_numbers(Passes *passes, const Permuted *permuted)
{
    RowsReader *reader;
    RowsBlock block;

    if (passes->gathered == permuted)
        return;
    passes->gathered = NULL;
    reader = rows_reader(passes->model->env, passes->rows);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t rank = passes->shared.rank[block.first + i];

            for (uint32_t p = 0; p < permuted->count && rank != NOT_RANKED; p++)
                passes->numbers[(size_t)rank * permuted->count + p] = block.slots[(size_t)i * passes->model->width + permuted->places[p]];
        }
    rows_reader_free(reader);
    passes->gathered = permuted;
}

/* Makes permutation r of the ranks (Fisher & Yates), the same for every column. */
static void permute(Passes *passes, uint64_t r)
{
    uint64_t state = mix64(mix64(passes->shared.task.seed + RANDOM_STEP) + r);

    for (uint32_t i = 0; i < passes->shared.ranked; i++) {
        uint32_t other = (uint32_t)((unsigned __int128)random_bits(&state) * (i + 1) >> 64);

        passes->from[i] = passes->from[other];
        passes->from[other] = i;
        env_poll_every(passes->model->env, i + 1, 65536);
    }
}

/* ---- as tasks ---- */

static void pack(Pack *pack, void *data)
{
    Passes *passes = data;
    ImportanceTask *task = &passes->shared.task;
    bool opens = pack->mode == PACK_OPEN;

    pack_value(pack, &passes->shared, sizeof passes->shared);
    pack_array(pack, &task->judging, task->judging_length, 1);
    pack_structures(pack, &task->list, task->count, sizeof(Permuted));
    for (uint32_t c = 0; c < task->count; c++) {
        pack_array(pack, &task->list[c].places, task->list[c].count, sizeof(uint32_t));
        if (opens)
            task->list[c].name = NULL;
    }
    pack_array(pack, &passes->shared.whole, passes->shared.model_bytes, 1);
    pack_array(pack, &passes->shared.rank, passes->shared.rows, sizeof(uint32_t));
    rows_pack(pack, &passes->rows);
}

static void begin(Env *env, void *data)
{
    Passes *passes = data;
    Scorer *scorer = env_array(env, 1, sizeof *scorer);

    *scorer = scorer_open(env, passes->shared.whole);
    passes->model = model_rows_open(env, scorer, FUNCTION);
    open_passes(passes);
    open_permutations(passes);
}

static void run(void *data, uint32_t task)
{
    Passes *passes = data;
    const Permuted *permuted = &passes->shared.task.list[task / passes->shared.task.repeats];

    gather_numbers(passes, permuted);
    permute(passes, task % passes->shared.task.repeats);
    pass(passes, permuted, NULL);
}

static Rows *rows_of(const void *data)
{
    return ((const Passes *)data)->rows;
}

static void abandon(void *data)
{
    Passes *passes = data;

    rows_end_readers(passes->rows);
    if (passes->tally != NULL)
        fold_tally_free(passes->tally);
    passes->tally = NULL;
    passes->count = 0;
}

static void pack_result(Pack *pack, void *data)
{
    pack_value(pack, &((Passes *)data)->value, sizeof(double));
}

const SharedKind importance_passes_kind = {.name = "passes of a permutation importance",
                                           .data_size = sizeof(Passes),
                                           .has_rows = true,
                                           .pack = pack,
                                           .begin = begin,
                                           .run = run,
                                           .rows = rows_of,
                                           .abandon = abandon,
                                           .pack_result = pack_result};

/* ---- all passes ---- */

typedef struct RankedRow {
    uint64_t hash, row;
} RankedRow;

/* Ranks the rows that have a score by their content. Rows of the same content may change places. */
static void rank_rows(Passes *passes, const bool *scored)
{
    Env *env = passes->model->env;
    const Model *schema = rows_schema(passes->rows);
    uint64_t n = passes->shared.rows;
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
        passes->shared.rank[i] = NOT_RANKED;
    for (uint64_t i = 0; i < count; i++)
        passes->shared.rank[order[i].row] = (uint32_t)i;
    passes->shared.ranked = (uint32_t)count;
    env->release(env, order);
}

/* Fails where the rows are none, or too many. */
static void require_rows(Env *env, Rows *rows, uint32_t widest)
{
    uint64_t n = rows_count(rows);

    if (n == 0)
        fail_no_scores(env, rows, FUNCTION);
    if (n >= NOT_RANKED)
        env_fail(env, ERROR_LIMIT, "Pass a sample of the rows.", FUNCTION " takes at most %u rows", NOT_RANKED - 1);
    env_require_memory(env, n * (sizeof(bool) + sizeof(uint32_t) + 2 * sizeof(RankedRow)), FUNCTION);
    env_require_memory(env, n * (2 * sizeof(uint32_t) + (size_t)widest * sizeof(double)), FUNCTION);
}

/* Finds the metric of the rows as they are, and ranks those that have a score. */
static void open_ranks(Passes *passes)
{
    Env *env = passes->model->env;
    bool *scored = env_array(env, passes->shared.rows, sizeof(bool));

    passes->shared.rank = env_array_raw(env, passes->shared.rows, sizeof(uint32_t));
    pass(passes, NULL, scored);
    rank_rows(passes, scored);
    env->release(env, scored);
    if (passes->shared.ranked == 0)
        fail_no_scores(env, passes->rows, FUNCTION);
    if (isnan(passes->value))
        env_fail(env, ERROR_DATA, "Choose another metric with option \"metric\".", "metric \"%s\" is undefined for these rows", passes->plan.names[0]);
    open_permutations(passes);
}

/* Where the passes go. */
typedef struct Losses {
    const Passes *passes;
    double before;  /* the metric of the rows as they are */
    double *losses; /* [repeats] of a column */
    Importance *out;
} Losses;

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

static void receive(void *receiver, uint32_t number)
{
    const Losses *losses = receiver;
    const Passes *passes = losses->passes;
    const ImportanceTask *task = &passes->shared.task;
    uint32_t c = number / task->repeats, r = number % task->repeats;

    losses->losses[r] = metric_lower_is_better(&passes->plan, 0) ? passes->value - losses->before : losses->before - passes->value;
    passes->model->env->progress(passes->model->env, "permutations", (uint64_t)number + 1, (uint64_t)task->count * task->repeats, NAN);
    if (r + 1 < task->repeats)
        return;
    losses->out[c].feature = task->list[c].name;
    summarize(losses->losses, task->repeats, &losses->out[c]);
}

/* Returns the bytes of a process for passes, besides what is packed: numbers and a permutation, what its model prepares, and scores to rank. */
static uint64_t process_room(const Passes *passes)
{
    uint64_t ranked = passes->shared.ranked, row = sizeof(uint32_t) + passes->shared.widest * sizeof(double);

    return ranked * (row + (passes->plan.ranks ? 3 * sizeof(double) : 0)) + 2 * passes->shared.model_bytes;
}

void importance_pass_all(const ModelRows *model, Rows *rows, const ImportanceTask *task, Importance *out)
{
    Env *env = model->env;
    const Model *whole = model->scorer->whole;
    Passes passes = {.shared = {.task = *task, .whole = whole, .model_bytes = whole->size, .rows = rows_count(rows)}, .rows = rows, .model = model};
    Losses losses = {.passes = &passes, .losses = env_array(env, task->repeats, sizeof(double)), .out = out};
    SharedWork work = {.kind = &importance_passes_kind, .data = &passes, .packs = true, .receive = receive, .receiver = &losses};
    uint64_t spare, own;

    for (uint32_t c = 0; c < task->count; c++)
        passes.shared.widest = task->list[c].count > passes.shared.widest ? task->list[c].count : passes.shared.widest;
    require_rows(env, rows, passes.shared.widest);
    open_passes(&passes);
    open_ranks(&passes);
    losses.before = passes.value;
    work.end = task->count * task->repeats;
    work.process_room = process_room(&passes);
    spare = rows_spare(rows);
    own = work.process_room + passes.shared.rows * sizeof(uint32_t);
    work.spare = spare > own ? spare - own : 0;
    shared_work(env, &work);
}
