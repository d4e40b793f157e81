/*
 * isolation_forest.c - finds anomalies: rows that random splits separate from the others after a few steps.
 *
 * Liu, Ting & Zhou (2008), Isolation forest. Each tree takes a small sample, 256 rows by default, without replacement: small
 * samples are part of the method, because anomalies that lie close together would hide one another in large ones. A node is
 * split at a uniform threshold of a random feature until it has one row or the depth is log2 of the sample. The length of
 * the path to a leaf, plus the mean length c(n) of an unsuccessful search among its n rows, is stored as the leaf's value; the score
 * of a row is 2 ^ (-mean length / c(sample)): near 1 for anomalies, below 0.5 for ordinary rows.
 */
#include "core/base/heap.h"
#include "core/base/sort.h"
#include "core/estimator/shared_options.h"
#include "core/model/report_text.h"
#include "core/forest/forest_model.h"
#include "core/forest/forest_trees.h"

#include <math.h>
#include <string.h>

typedef struct SampleKey {
    double key;
    uint32_t row;
} SampleKey;

typedef struct Isolation {
    Env *env;
    const TreeColumns *columns;
    const uint32_t *numbers; /* [rows] those of the columns */
    uint32_t sample, most_depth, n_trees;
    uint64_t seed;
    bool measures;      /* the path length of every row in each tree */
    /* of this process */
    uint32_t grown;     /* trees: each begins with the order of rows and features that the one before left */
    uint64_t random;
    SampleKey *heap;    /* [sample] of weighted rows */
    uint32_t *order;    /* [rows] rows, shuffled as far as samples need */
    uint32_t *rows;     /* [sample] of the tree, in the order of arrival once they are drawn */
    uint32_t *slots;    /* features in random order */
    uint8_t *level_left, *level_seen; /* [levels of the largest category] */
    GrownTree *tree;
    float *paths;       /* [rows in the order of arrival] lengths in the tree, as they are stored */
    uint64_t work;      /* rows that were looked at since the last poll */
    /* where trees are received */
    TreeStore *store;
    double *lengths;    /* [rows in the order of arrival] sums over the trees */
    bool split;         /* a tree has a split */
} Isolation;

#define POLL_ROWS 262144

/* ---- options ---- */

static const OptionSpec isolation_options[] = {
    OPTION_CONTAMINATION("a score above 0.5"),
    {.name = "max_samples",
     .types = OPTION_INTEGER,
     .fallback = "256",
     .minimum = 2,
     .maximum = 1e9,
     .help = "How many rows each tree is grown from, drawn without replacement; all rows if there are fewer."},
    {.name = "n_trees",
     .types = OPTION_INTEGER,
     .fallback = "100",
     .minimum = 1,
     .maximum = 1000000,
     .help = "The number of trees."},
    {.name = NULL}};

/* ---- fit ---- */

/* Returns the mean length of an unsuccessful search in a binary search tree of n rows. */
static double search_length(double n)
{
    if (n <= 1)
        return 0;
    if (n <= 2)
        return 1;
    return 2 * (log(n - 1) + 0.57721566490153286) - 2 * (n - 1) / n;
}

static uint32_t below(Isolation *fit, uint32_t limit)
{
    return (uint32_t)((random_bits(&fit->random) >> 32) * limit >> 32);
}

static bool is_larger(const void *a, const void *b, const void *context)
{
    return ((const SampleKey *)a)->key > ((const SampleKey *)b)->key;
}

#define SURELY (1 - 1e-12) /* more than what the comparison below may round off */

/*
 * Draws rows in proportion to their weights, without replacement: those with the smallest of exponential variables divided by the
 * weights (Efraimidis & Spirakis 2006). Such a variable, -log(1 - unit), is at least the unit, which spares most rows the logarithm:
 * a fit of 100,000 rows of 5 features takes 0.16 s of processor time, not 0.33.
 */
static void draw_weighted(Isolation *fit)
{
    SampleKey *heap = fit->heap;
    uint32_t count = 0;

    for (uint32_t i = 0; i < fit->columns->rows; i++) {
        double unit = random_unit(&fit->random), weight = fit->columns->weights[i];
        SampleKey own;

        env_poll_every(fit->env, i, 65536);
        if (count == fit->sample && unit * SURELY > heap[0].key * weight)
            continue;
        own = (SampleKey){-log1p(-unit) / weight, i};
        if (count < fit->sample)
            heap_add(heap, count++, &own, sizeof(SampleKey), is_larger, NULL);
        else if (own.key < heap[0].key)
            heap_replace_first(heap, count, &own, sizeof(SampleKey), is_larger, NULL);
    }
    for (uint32_t i = 0; i < fit->sample; i++)
        fit->rows[i] = heap[i].row;
}

static void draw_sample(Isolation *fit)
{
    if (fit->heap != NULL) {
        draw_weighted(fit);
        return;
    }
    for (uint32_t i = 0; i < fit->sample; i++) {
        uint32_t j = i + below(fit, fit->columns->rows - i), swap = fit->order[j];

        fit->order[j] = fit->order[i];
        fit->order[i] = swap;
        fit->rows[i] = swap;
        if (i % POLL_ROWS == 0)
            fit->env->poll(fit->env);
    }
}

/* Splits a node on a number if it varies: writes threshold and where missing values go. */
static bool split_number(Isolation *fit, const TreeColumn *column, const uint32_t *rows, uint32_t count, GrownNode *node)
{
    double low = INFINITY, high = -INFINITY, unit, threshold;
    uint32_t missing = 0;

    for (uint32_t i = 0; i < count; i++) {
        double x = column->by_row[rows[i]];

        missing += isnan(x);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    if (missing == count || (low == high && missing == 0))
        return false;
    node->missing_left = random_bits(&fit->random) >> 63;
    if (low == high) { /* known or not */
        grown_tree_threshold(node, INFINITY, INFINITY, INFINITY);
        node->missing_left = false;
        return true;
    }
    unit = random_unit(&fit->random);
    threshold = low * (1 - unit) + high * unit;
    if (!(threshold >= low && threshold < high))
        threshold = low;
    if ((float)threshold >= low && (float)threshold < high)
        threshold = (float)threshold;
    grown_tree_threshold(node, threshold, threshold, nextafter(threshold, INFINITY));
    return true;
}

/* Splits a node on a category with several levels, or with some and without: each level goes left by a coin. */
static bool split_category(Isolation *fit, const TreeColumn *column, const uint32_t *rows, uint32_t count, GrownNode *node)
{
    uint32_t found = 0, missing = 0, left;

    memset(fit->level_seen, 0, column->ranks);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = column->rank[rows[i]];

        if (rank == TREE_MISSING)
            missing++;
        else {
            found += !fit->level_seen[rank];
            fit->level_seen[rank] = 1;
        }
    }
    if (found + (missing > 0) < 2)
        return false;
    do {
        left = 0;
        for (uint32_t level = 0; level < column->ranks; level++)
            if (fit->level_seen[level])
                left += fit->level_left[level] = random_bits(&fit->random) >> 63;
        node->missing_left = random_bits(&fit->random) >> 63;
    } while (left + (missing > 0 && node->missing_left) == 0 ||
             left + (missing > 0 && node->missing_left) == found + (missing > 0));
    return true;
}

static void put_set(Isolation *fit, const TreeColumn *column, GrownNode *node)
{
    node->category = true;
    node->set = grown_tree_set(fit->tree, column->ranks);
    for (uint32_t level = 0; level < column->ranks; level++)
        if (fit->level_seen[level] && fit->level_left[level])
            grown_tree_put_level(fit->tree, node->set, level);
}

/* Splits a node at random, if a feature varies; returns how many rows go left, 0: none does. */
static uint32_t split_node(Isolation *fit, uint32_t number, uint32_t *rows, uint32_t count)
{
    uint32_t slots = fit->columns->slots, left = 0;

    for (uint32_t i = 0; i < slots; i++) {
        uint32_t j = i + below(fit, slots - i), slot = fit->slots[j];
        const TreeColumn *column = fit->columns->columns + slot;
        GrownNode *node = fit->tree->nodes + number;

        fit->slots[j] = fit->slots[i];
        fit->slots[i] = slot;
        fit->work += count;
        if (fit->work > POLL_ROWS) {
            fit->env->poll(fit->env);
            fit->work = 0;
        }
        if (!(column->category ? split_category : split_number)(fit, column, rows, count, node))
            continue;
        node->slot = slot;
        if (column->category)
            put_set(fit, column, node);
        for (uint32_t r = 0; r < count; r++)
            if (tree_row_left(fit->columns, fit->tree, node, rows[r])) {
                uint32_t swap = rows[left];

                rows[left++] = rows[r];
                rows[r] = swap;
            }
        return left;
    }
    return 0;
}

/* Grows the nodes below `number` from these rows. The depth is at most log2 of the sample, so recursion is safe. */
static void grow(Isolation *fit, uint32_t number, uint32_t *rows, uint32_t count, uint32_t depth)
{
    uint32_t left = count > 1 && depth < fit->most_depth ? split_node(fit, number, rows, count) : 0, child;

    fit->tree->nodes[number].cover = count;
    fit->tree->nodes[number].value = (float)(depth + search_length(count)); /* stored as a float */
    if (left == 0)
        return;
    child = grown_tree_node(fit->tree);
    fit->tree->nodes[number].left = child;
    grow(fit, child, rows, left, depth + 1);
    child = grown_tree_node(fit->tree);
    fit->tree->nodes[number].right = child;
    grow(fit, child, rows + left, count - left, depth + 1);
}

/* Grows tree t, after those before it. */
static void grow_tree(Isolation *fit, uint32_t t)
{
    fit->random = mix64(mix64(fit->seed + RANDOM_STEP) + (t + 1) * RANDOM_STEP);
    draw_sample(fit);
    for (uint32_t i = 0; i < fit->sample; i++)
        fit->rows[i] = fit->numbers[fit->rows[i]];
    grown_tree_clear(fit->tree);
    grow(fit, grown_tree_node(fit->tree), fit->rows, fit->sample, 0);
    fit->env->poll(fit->env);
}

/* ---- trees as tasks ---- */

/* Begins with the first tree. */
static void restart(Isolation *fit)
{
    for (uint32_t i = 0; i < fit->columns->rows; i++)
        fit->order[i] = i;
    for (uint32_t j = 0; j < fit->columns->slots; j++)
        fit->slots[j] = j;
    fit->grown = 0;
}

/* Makes what a process has for itself. */
static void begin(Env *env, void *data)
{
    Isolation *fit = data;
    uint32_t rows = fit->columns->rows, most = tree_most_levels(fit->columns) + 1;

    fit->env = env;
    fit->heap = fit->columns->weights != NULL ? env_array_raw(env, fit->sample, sizeof(SampleKey)) : NULL;
    fit->order = env_array_raw(env, rows, sizeof(uint32_t));
    fit->rows = env_array_raw(env, fit->sample, sizeof(uint32_t));
    fit->slots = env_array_raw(env, (size_t)fit->columns->slots + 1, sizeof(uint32_t));
    fit->level_left = env_array(env, most, 1);
    fit->level_seen = env_array(env, most, 1);
    fit->tree = grown_tree(env);
    fit->paths = fit->measures ? env_array_raw(env, rows, sizeof(float)) : NULL;
    restart(fit);
}

/* Grows all trees up to t, which takes little time, and measures the paths of all rows in that one. */
static void run(void *data, uint32_t t)
{
    Isolation *fit = data;

    if (fit->grown > t)
        restart(fit);
    while (fit->grown <= t)
        grow_tree(fit, fit->grown++);
    for (uint32_t i = 0; fit->measures && i < fit->columns->rows; i++) {
        fit->paths[i] = (float)tree_row_leaf(fit->columns, fit->tree, i)->value;
        env_poll_every(fit->env, i, 16384);
    }
}

static void pack(Pack *pack, void *data)
{
    Isolation *fit = data;

    pack_value(pack, fit, sizeof *fit);
    if (pack->mode == PACK_OPEN)
        fit->columns = env_array(pack->env, 1, sizeof(TreeColumns));
    tree_columns_pack(pack, (TreeColumns *)fit->columns);
    pack_array(pack, &fit->numbers, fit->columns->rows, sizeof(uint32_t));
}

static void pack_result(Pack *pack, void *data)
{
    Isolation *fit = data;

    grown_tree_pack(pack, fit->tree);
    pack_value(pack, fit->paths, fit->columns->rows * sizeof(float));
}

const SharedKind isolation_trees_kind = {.name = "trees of an isolation forest",
                                         .data_size = sizeof(Isolation),
                                         .pack = pack,
                                         .begin = begin,
                                         .run = run,
                                         .pack_result = pack_result};

/* ---- the fit ---- */

static double score_of(double length, double scale)
{
    return exp2(-length / scale);
}

/* Returns the score that a share of the rows, by weight, exceeds. */
static double score_threshold(Isolation *fit, double share, double scale)
{
    uint32_t rows = fit->columns->rows;
    SampleKey *scores = env_array_raw(fit->env, rows, sizeof(SampleKey));
    double above = 0, total = 0;

    for (uint32_t i = 0; i < rows; i++) {
        scores[i] = (SampleKey){score_of(fit->lengths[fit->columns->numbers[i]] / fit->n_trees, scale), i};
        total += row_weight(fit->columns->weights, i);
    }
    sort_polled(fit->env, scores, rows, sizeof(SampleKey), compare_numbers_falling);
    for (uint32_t i = 0; i < rows; i++) {
        above += row_weight(fit->columns->weights, scores[i].row);
        if (above > share * total)
            return scores[i].key;
    }
    return scores[rows - 1].key;
}

/* Makes the fit's arrays. */
static void open_fit(Isolation *fit, const FitInput *input, const Options *options, const char *method)
{
    fit->columns = tree_columns(fit->env, input->rows, TREE_BY_CONTENT | TREE_UNRANKED, 4 * sizeof(double) + 2 * sizeof(SampleKey), method);
    fit->numbers = fit->columns->numbers;
    fit->sample = (uint32_t)options_integer(options, "max_samples");
    fit->sample = fit->sample < fit->columns->rows ? fit->sample : fit->columns->rows;
    fit->most_depth = (uint32_t)ceil(log2(fit->sample));
    fit->n_trees = (uint32_t)options_integer(options, "n_trees");
    fit->seed = (uint64_t)options_integer(options, "seed");
    fit->measures = options_type(options, "contamination") != OPTION_STRING;
    if (fit->measures)
        fit->lengths = env_array(fit->env, fit->columns->rows, sizeof(double));
    fit->store = tree_store(fit->env, rows_schema(input->rows), false);
    tree_store_use_floats(fit->store, true); /* as the paths are rounded: those that are scored */
    begin(fit->env, fit);
}

static void receive_tree(void *receiver, uint32_t t)
{
    Isolation *fit = receiver;

    tree_store_append(fit->store, fit->tree);
    fit->split = fit->split || fit->tree->count > 1;
    if (t == 0 && (double)tree_store_bytes(fit->store) * fit->n_trees * 4 / 3 > MODEL_MAX_TEXT)
        env_fail(fit->env, ERROR_LIMIT, "Use fewer trees or smaller samples.",
                 "%u trees of about %.0f bytes would make a model that is too large", fit->n_trees,
                 (double)tree_store_bytes(fit->store));
    for (uint32_t i = 0; fit->measures && i < fit->columns->rows; i++)
        fit->lengths[i] += fit->paths[i];
    if (t % 8 == 0)
        fit->env->progress(fit->env, "trees", t + 1, fit->n_trees, NAN);
}

static void grow_trees(Isolation *fit)
{
    uint64_t row = sizeof(uint32_t) + sizeof(float), drawn = sizeof(uint32_t) + sizeof(SampleKey) + 2 * sizeof(GrownNode);
    SharedWork work = {.kind = &isolation_trees_kind,
                       .data = fit,
                       .end = fit->n_trees,
                       .packs = fit->measures,
                       .process_room = fit->columns->rows * row + fit->sample * drawn,
                       .spare = fit->columns->spare,
                       .receive = receive_tree,
                       .receiver = fit};

    shared_work(fit->env, &work);
}

static Model *isolation_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                            ModelBuilder *builder)
{
    Isolation fit = {.env = env};
    double scale, threshold = 0.5;

    if (rows_count(input->rows) < 2) {
        if (input->frame)
            return NULL;
        env_fail(env, ERROR_DATA, "Add rows.", "isolation_forest needs at least 2 rows, not %llu",
                 (unsigned long long)rows_count(input->rows));
    }
    open_fit(&fit, input, options, self->name);
    grow_trees(&fit);
    if (!fit.split && !input->frame)
        env_warn(env, ERROR_DATA, "Check the features: this model gives every row the same score.",
                 "isolation_forest found nothing to split: no feature of the %u rows varies", fit.columns->rows);
    scale = (float)search_length(fit.sample); /* as the lengths are stored: rows that nothing separates score 0.5 exactly */
    if (fit.measures)
        threshold = score_threshold(&fit, options_number(options, "contamination"), scale);
    tree_store_add(fit.store, builder);
    builder_f64(builder, SECTION_ARRAYS, "path_scale", &scale, 1);
    builder_f64(builder, SECTION_ARRAYS, "score_threshold", &threshold, 1);
    builder_fact_i64(builder, "trees", fit.n_trees);
    builder_fact_i64(builder, "sample", fit.sample);
    return model_build(builder);
}

/* ---- scores ---- */

typedef struct IsolationScorer {
    void *forest;
    double scale, threshold;
} IsolationScorer;

static void *isolation_prepare(Env *env, const Model *model, size_t *bytes)
{
    IsolationScorer *scorer = env_array(env, 1, sizeof(IsolationScorer));

    scorer->forest = forest_prepare(env, model, bytes);
    scorer->scale = *model_f64(model, "path_scale", NULL);
    scorer->threshold = *model_f64(model, "score_threshold", NULL);
    *bytes += sizeof(IsolationScorer);
    return scorer;
}

static double isolation_score(const Model *model, const void *prepared, const double *slots)
{
    const IsolationScorer *scorer = prepared;

    return score_of(forest_number_scoring.predict(model, scorer->forest, slots), scorer->scale);
}

static void isolation_decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    out[0] = isolation_score(model, prepared, slots);
}

static uint32_t isolation_classify(const Model *model, const void *prepared, const double *slots)
{
    return !(isolation_score(model, prepared, slots) > ((const IsolationScorer *)prepared)->threshold);
}

static uint32_t isolation_width(const Model *model)
{
    return 1;
}

static const Scoring isolation_scoring = {.prepare = isolation_prepare,
                                          .labels = outlier_labels,
                                          .classify = isolation_classify,
                                          .decisions = isolation_decisions,
                                          .width = isolation_width};

static const ArraySpec isolation_arrays[] = {
    {.name = "path_scale", .type = ARRAY_F64, .values = VALUES_POSITIVE, .rows = {SIZE_NUMBER, .plus = 1}},
    {.name = "score_threshold", .type = ARRAY_F64, .values = VALUES_PROBABILITY, .rows = {SIZE_NUMBER, .plus = 1}}};
static const ArraySpec isolation_facts[] = {FACT("sample", ARRAY_I64), FACT("trees", ARRAY_I64)};
static const ArrayTable isolation_tables[] =
    ARRAY_TABLES(TREE_NUMBER_ARRAYS, ARRAY_TABLE(isolation_arrays), FACT_TABLE(isolation_facts));
static const Table *const isolation_shown[] = {&table_tree_nodes, NULL};

static char *isolation_summary(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    double trees = model_fact(model, "trees", NAN);

    text_print(&report, "isolation_forest: %u feature%s\n", model->field_count, model->field_count == 1 ? "" : "s");
    report_rows(&report, model);
    text_print(&report, "\ntrees: %.0f, rows per tree: %.0f, leaves per tree: %.1f\nrows with a score above %.4g are out", trees,
               model_fact(model, "sample", NAN), ((double)model_find(model, "split")->rows / trees + 1) / 2,
               *model_f64(model, "score_threshold", NULL));
    return report.text;
}

const Estimator estimator_isolation_forest = {
    .name = "isolation_forest",
    .task = TASK_OUTLIERS,
    .input = INPUT_ROWS,
    .nulls_are_values = true,
    .supervised = false,
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, isolation_options),
    .help = "Finds anomalies: rows that random splits separate from the others after a few steps.",
    .source = "Liu, Ting & Zhou (2008), Isolation forest",
    .fit = isolation_fit,
    .arrays = isolation_tables,
    .check = tree_check,
    .scoring = &isolation_scoring,
    .tables = isolation_shown,
    .summary = isolation_summary,
};
