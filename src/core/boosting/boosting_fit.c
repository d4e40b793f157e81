/*
 * boosting_fit.c - the iterations of gradient boosting.
 *
 * Random choices go by the content of rows, not by their order: rows are held out by a hash of what they hold, and drawn by a
 * hash of their number in the order of such hashes. Sums of gradients are integers (histogram.h), so the same rows give the
 * same trees in any order.
 */
#include "core/boosting/boosting.h"
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/math/carried_sum.h"
#include "core/rows/row_design.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POLL_ROWS 65536u
#define LEAVES_DEFAULT 31 /* where neither max_leaf_nodes nor max_depth is given */
#define HISTOGRAMS_LEAST 3
#define HELD_SEED 0x68656c64u /* apart from other uses of the same seed */

static const char *const growth_choices[] = {"leaf", "depth", NULL};

const OptionSpec boosting_options[] = {
    {.name = "category_smoothing",
     .types = OPTION_NUMBER,
     .fallback = "1",
     FROM_ZERO,
     .help = "Added to the hessian of a level where the levels of a category are ordered for a split, so that rare levels "
             "are in the middle."},
    {.name = "early_stopping",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1e9,
     .unset = "no early stop",
     .help = "Stop after this many iterations without a lower loss on held-out rows, and keep the trees up to the best one."},
    {.name = "growth",
     .types = OPTION_STRING,
     .fallback = "\"leaf\"",
     .choices = growth_choices,
     .help = "With max_leaf_nodes: which node is split next, the one that gains most (leaf) or the one nearest to the root "
             "(depth)."},
    {.name = "holdout",
     .types = OPTION_NUMBER,
     .fallback = "0.1",
     .minimum = 0,
     .maximum = 1,
     .minimum_open = true,
     .maximum_open = true,
     .help = "With early_stopping: the share of the rows that are held out, by a hash of what they hold."},
    {.name = "lambda",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO,
     .help = "Penalty on the squared values of the leaves."},
    {.name = "learning_rate",
     .types = OPTION_NUMBER,
     .fallback = "0.1",
     .minimum = 0,
     .minimum_open = true,
     .maximum = 1,
     .help = "Factor of what each tree adds (shrinkage)."},
    {.name = "max_leaf_nodes",
     .types = OPTION_INTEGER,
     .minimum = 2,
     .maximum = 1e6,
     .unset = "31, or as many as max_depth allows",
     .help = "The most leaves of a tree."},
    {.name = "min_child_weight",
     .types = OPTION_NUMBER,
     .fallback = "0.001",
     FROM_ZERO,
     .help = "The least sum of hessians of a leaf; under squared loss, its least weight."},
    {.name = "min_impurity_decrease",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO,
     .help = "A split must lower the mean loss by at least this much, to second order and before learning_rate."},
    {.name = "min_samples_leaf",
     .types = OPTION_INTEGER,
     .fallback = "20",
     .minimum = 1,
     .maximum = 1e9,
     .help = "The fewest rows of a leaf."},
    {.name = "n_trees",
     .types = OPTION_INTEGER,
     .fallback = "100",
     .minimum = 1,
     .maximum = 100000,
     .help = "Iterations: trees, or with several classes one tree per class each; those of start count too."},
    {.name = "start",
     .types = OPTION_MODEL,
     .unset = "a new model",
     .help = "Continue from this model of the same method, features and options (model::jsonb) with more trees."},
    {.name = "max_samples",
     .formerly = "subsample",
     .types = OPTION_NUMBER,
     .fallback = "1",
     .minimum = 0,
     .minimum_open = true,
     .maximum = 1,
     .help = "The share of the rows that each iteration grows its trees from, drawn without replacement."},
    {.name = "tolerance",
     .types = OPTION_NUMBER,
     .fallback = "1e-07",
     FROM_ZERO,
     .help = "With early_stopping: the loss must fall by more than this to count as lower."},
    {.name = NULL}};

/* Reads the options that both methods have, and returns those that all methods which grow trees have. */
static TreeGrowth read_plan(Env *env, Boosting *boosting, const Rows *rows, const Options *options)
{
    TreeGrowth growth = tree_growth_read(env, options, rows, boosting->method);

    boosting->rate = options_number(options, "learning_rate");
    boosting->subsample = options_number(options, "max_samples");
    boosting->holdout = options_number(options, "holdout");
    boosting->tolerance = options_number(options, "tolerance");
    boosting->iterations = (uint32_t)options_integer(options, "n_trees");
    if (options_type(options, "early_stopping") != 0)
        boosting->patience = (uint32_t)options_integer(options, "early_stopping");
    boosting->growth = (HistogramGrowth){
        .criterion = TREE_NEWTON,
        .max_depth = growth.max_depth,
        .max_leaves = growth.max_leaf_nodes,
        .best_first = options_is(options, "growth", "leaf"),
        .min_samples_split = growth.min_samples_split,
        .min_samples_leaf = growth.min_samples_leaf,
        .min_child_weight = options_number(options, "min_child_weight"),
        .min_decrease = growth.min_impurity_decrease,
        .lambda = options_number(options, "lambda"),
        .category_smoothing = options_number(options, "category_smoothing"),
        .max_features = growth.max_features,
        .monotone = growth.monotone,
        .seed = growth.seed,
    };
    if (growth.max_leaf_nodes == 0 && growth.max_depth == UINT32_MAX)
        boosting->growth.max_leaves = LEAVES_DEFAULT;
    for (int i = 0; i < 2 && boosting->patience == 0; i++) {
        const char *name = i == 0 ? "holdout" : "tolerance";

        if (options_given(options, name))
            env_fail(env, ERROR_PARAMETER, "Give \"early_stopping\" too, or omit it.",
                     "option \"%s\" of %s is for early stopping", name, boosting->method);
    }
    if (boosting->classes == 1) /* nothing to learn */
        boosting->iterations = boosting->start.begun > 1 ? boosting->start.begun : 1;
    return growth;
}

/* ---- loading ---- */

/* Hashes the rows by their content, for random choices. */
static void hash_rows(Env *env, Boosting *boosting, Rows *rows)
{
    RowDesign *design = row_design(env, rows, DESIGN_SLOTS, boosting->method);
    uint32_t slots = rows_slots(rows);
    double *row = env_array(env, (size_t)slots + 2, sizeof(double));
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    boosting->numbers = env_array_raw(env, boosting->rows, sizeof(uint64_t));
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            for (uint32_t s = 0; s < slots; s++) {
                double value = block.slots[(size_t)i * slots + s];

                row[s] = value != value ? -INFINITY
                         : boosting->columns->columns[s].category ? design->level_final[(uint32_t)value] : value;
            }
            row[slots] = boosting->labels != NULL ? boosting->labels[block.first + i] : block.targets[i];
            row[slots + 1] = row_weight(block.weights, i);
            boosting->numbers[block.first + i] = rows_hash(0, row, slots + 2);
        }
    rows_reader_free(reader);
}

typedef struct HashedRow {
    uint64_t hash;
    uint32_t row;
} HashedRow;

/* Replaces the hashes of the rows by their places in the order of these; rows of equal hash are equal. */
static void number_by_content(Env *env, Boosting *boosting)
{
    HashedRow *hashed = env_array_raw(env, boosting->rows, sizeof(HashedRow));

    for (uint32_t row = 0; row < boosting->rows; row++)
        hashed[row] = (HashedRow){boosting->numbers[row], row};
    sort_polled(env, hashed, boosting->rows, sizeof(HashedRow), compare_keys);
    for (uint32_t i = 0; i < boosting->rows; i++)
        boosting->numbers[hashed[i].row] = i;
    env->release(env, hashed);
}

static double unit_of(uint64_t seed, uint64_t number)
{
    return (double)(mix64(mix64(seed) + RANDOM_STEP * (number + 1)) >> 11) * 0x1p-53;
}

/* Divides the rows into those to learn from and those held out. */
static void divide_rows(Env *env, Boosting *boosting)
{
    boosting->train_count = boosting->rows;
    if (boosting->patience > 0) {
        boosting->train = env_array_raw(env, boosting->rows, sizeof(uint32_t));
        boosting->held = env_array_raw(env, boosting->rows, sizeof(uint32_t));
        boosting->train_count = 0;
        for (uint32_t row = 0; row < boosting->rows; row++)
            if (unit_of(boosting->growth.seed ^ HELD_SEED, boosting->numbers[row]) < boosting->holdout)
                boosting->held[boosting->held_count++] = row;
            else
                boosting->train[boosting->train_count++] = row;
    }
    if (boosting->train_count == 0 || (boosting->patience > 0 && boosting->held_count == 0))
        env_fail(env, ERROR_DATA, "Leave \"early_stopping\" out, or change \"holdout\" or \"seed\".",
                 "%s would hold out %u of %u rows for early stopping", boosting->method, boosting->held_count,
                 boosting->rows);
    if (boosting->subsample < 1)
        number_by_content(env, boosting);
}

/* Returns the bytes per row of everything but the bins and the grower: more than TREE_TARGET_BYTES. weights: of rows or classes. */
static uint64_t row_bytes(const Boosting *boosting, bool weights, bool frequency)
{
    bool chance = boosting->subsample < 1 || boosting->patience > 0;
    uint64_t bytes = 8 * (uint64_t)boosting->outputs + sizeof(HistogramRow) + (boosting->classes > 0 ? 4 : 8) + (weights ? 8 : 0);

    bytes += boosting->loss == LOSS_MULTINOMIAL ? 8 : 0;
    bytes += boosting->loss == LOSS_ABSOLUTE || boosting->loss == LOSS_QUANTILE ? (weights ? 16 : 8) : 0;
    bytes += boosting->patience > 0 ? 8 : 0;
    bytes += frequency ? sizeof(uint32_t) : 0;
    return bytes + (chance ? 8 + 5 + (boosting->subsample < 1 ? 32 : 0) : 0);
}

/* Loads the rows, with tiny targets divided by a power of two: gradients are single precision. */
static void load(Env *env, Boosting *boosting, Rows *rows, const TreeGrowth *limits, const Options *options, const ClassSet *classes)
{
    uint64_t count = rows_count(rows), bins = (uint64_t)rows_slots(rows) * (BINS_MAX + 1);
    bool weights = rows_contents(rows) & ROWS_WEIGHT || (classes != NULL && !options_is(options, "class_weight", "none"));
    uint64_t bytes = count * (row_bytes(boosting, weights, limits->frequency) - TREE_TARGET_BYTES);
    HistogramGrowth least = boosting->growth;
    TreeColumns *columns;
    double unit;

    least.max_leaves = HISTOGRAMS_LEAST;
    bytes += histogram_grower_bytes(count, bins, &least);
    columns = boosting->columns = tree_columns_binned(env, rows, 0, 0, bytes, boosting->method);
    boosting->rows = columns->rows;
    boosting->labels = columns->classes;
    boosting->targets = columns->targets;
    boosting->weights = columns->weights;
    if (boosting->subsample < 1 || boosting->patience > 0)
        hash_rows(env, boosting, rows);
    tree_columns_scale(columns);
    unit = fmax(DBL_MIN, boosting_loss_unit(boosting));
    boosting->growth.min_decrease /= unit;
    boosting->tolerance /= unit;
    boosting->sizes = tree_sizes(env, limits, boosting->weights, boosting->rows, &boosting->size);
    if (classes != NULL)
        boosting->weights = tree_weigh_classes(env, options, classes, boosting->labels, boosting->weights, boosting->rows);
    if (boosting->weights != columns->weights && columns->weights != NULL)
        env->release(env, columns->weights);
}

/* Makes what grows the trees; what the budget leaves is for histograms. */
static HistogramGrower *new_grower(const BinnedColumns *binned, const HistogramGrowth *growth)
{
    return histogram_grower(binned, growth, HISTOGRAMS_LEAST * ((uint64_t)binned->bins + 1) * sizeof(HistogramSum) + binned->spare / 2);
}

/* Warns of categories whose rarest levels share a bin. */
static void warn_grouped(Env *env, const BinnedColumns *binned, const Model *schema, const char *method)
{
    for (uint32_t f = 0; f < binned->features; f++) {
        const BinnedFeature *feature = &binned->feature[f];
        char name[SCHEMA_NAME_SIZE];

        if (!feature->categorical || feature->exact)
            continue;
        schema_slot_name(schema, feature->slot, name, sizeof(name));
        env_warn(env, ERROR_DATA, "Group rare levels in a view if they should not be treated alike.",
                 "feature \"%s\" has %u levels, and %s has %d bins: the %u rarest levels share one", name, feature->distinct,
                 method, BINS_MAX, feature->distinct - (BINS_MAX - 1));
    }
}

/* ---- iterations ---- */

/* Draws the rows of an iteration. */
static void draw_rows(Env *env, Boosting *boosting, uint32_t iteration)
{
    uint64_t seed = mix64(boosting->growth.seed + RANDOM_STEP * (iteration + 1));

    if (boosting->subsample >= 1)
        return;
    boosting->sample_count = 0;
    memset(boosting->drawn, 0, boosting->rows);
    for (bool all = false; boosting->sample_count == 0; all = true) /* if they are too few to draw from: all of them */
        for (uint32_t i = 0; i < boosting->train_count; i++) {
            uint32_t row = boosting_train_row(boosting, i);

            if (i % POLL_ROWS == 0)
                env->poll(env);
            if (!all && unit_of(seed, boosting->numbers[row]) >= boosting->subsample)
                continue;
            boosting->sample[boosting->sample_count++] = row;
            boosting->drawn[row] = 1;
        }
}

/* Adds what the last tree predicts to the scores: by its leaves, and by walking the tree for rows that it did not see. */
static void add_tree(Env *env, Boosting *boosting, uint32_t output)
{
    double *scores = boosting->scores + (size_t)output * boosting->rows;
    const uint32_t *order = histogram_order(boosting->grower);

    for (uint32_t n = 0; n < boosting->tree->count; n++) {
        const GrownNode *node = &boosting->tree->nodes[n];

        for (uint32_t i = 0; node->left == TREE_NONE && i < node->rows; i++) {
            if (i % POLL_ROWS == 0)
                env->poll(env);
            scores[order[node->first_row + i]] += node->value;
        }
    }
    for (uint32_t row = 0; boosting->drawn != NULL && row < boosting->rows; row++) {
        if (row % POLL_ROWS == 0)
            env->poll(env);
        if (!boosting->drawn[row])
            scores[row] += tree_row_leaf(boosting->columns, boosting->tree, row)->value;
    }
}

/* Sets covers to the weights of the rows. */
static void weigh_tree(Env *env, Boosting *boosting)
{
    GrownTree *tree = boosting->tree;
    const uint32_t *order = histogram_order(boosting->grower);

    for (uint32_t i = 0; i < tree->count; i++) {
        tree->nodes[i].impurity *= tree->nodes[i].cover;
        if (boosting->weights != NULL)
            tree->nodes[i].cover = 0;
    }
    for (uint32_t n = 0; boosting->weights != NULL && n < tree->count; n++) {
        GrownNode *node = &tree->nodes[n];
        CarriedSum sum = {0, 0};

        for (uint32_t i = 0; node->left == TREE_NONE && i < node->rows; i++) {
            if (i % POLL_ROWS == 0)
                env->poll(env);
            carried_add(&sum, boosting->weights[order[node->first_row + i]]);
        }
        node->cover = carried_value(&sum);
    }
    for (uint32_t i = tree->count; i-- > 0;) { /* children come after their parent */
        GrownNode *node = &tree->nodes[i];

        if (node->left != TREE_NONE && boosting->weights != NULL)
            node->cover = tree->nodes[node->left].cover + tree->nodes[node->right].cover;
        node->impurity /= node->cover;
    }
}

/* Returns a tree to grow into, which is kept until it is known whether the model has it. */
static GrownTree *next_tree(Env *env, Boosting *boosting)
{
    if (boosting->later_count == boosting->later_room) {
        boosting->later_room = 2 * boosting->later_room + boosting->outputs;
        boosting->later = env->resize(env, boosting->later, boosting->later_room * sizeof(GrownTree *));
        for (uint32_t i = boosting->later_count; i < boosting->later_room; i++)
            boosting->later[i] = grown_tree(env);
    }
    return boosting->later[boosting->later_count++];
}

/* Adds the trees since the last time to the model. */
static void store_trees(Boosting *boosting)
{
    for (uint32_t i = 0; i < boosting->later_count; i++) {
        if (boosting->columns->unit != 1)
            grown_tree_scale(boosting->later[i], boosting_score_unit(boosting), boosting_loss_unit(boosting));
        tree_store_append(boosting->store, boosting->later[i]);
    }
    boosting->later_count = 0;
}

/* Adds trees of one leaf that adds nothing, one per output, where no iteration lowered the loss of the held rows. */
static void store_nothing(Boosting *boosting)
{
    for (uint32_t k = 0; k < boosting->outputs && tree_store_trees(boosting->store) < boosting->outputs; k++) {
        grown_tree_clear(boosting->tree);
        grown_tree_node(boosting->tree);
        boosting->tree->nodes[0].cover = boosting->train_count;
        tree_store_append(boosting->store, boosting->tree);
    }
}

/* Grows the trees of an iteration. */
static void iterate(Env *env, Boosting *boosting, uint32_t iteration)
{
    const uint32_t *sample = boosting->sample != NULL ? boosting->sample : boosting->train;
    uint32_t count;

    draw_rows(env, boosting, iteration);
    count = boosting->sample != NULL ? boosting->sample_count : boosting->train_count;
    for (uint32_t k = 0; k < boosting->outputs; k++) {
        boosting->tree = next_tree(env, boosting);
        boosting_gradients(env, boosting, k);
        histogram_grow(boosting->grower, boosting->gradients, boosting->sizes, &boosting->scale, sample, count,
                       (uint64_t)iteration * boosting->outputs + k, boosting->tree);
        boosting_leaf_values(env, boosting);
        weigh_tree(env, boosting);
        add_tree(env, boosting, k);
    }
}

static void alloc_run(Env *env, Boosting *boosting, const Model *schema)
{
    size_t rows = boosting->rows;

    boosting->scores = env_array_raw(env, rows * boosting->outputs, sizeof(double));
    boosting->gradients = env_array_raw(env, rows, sizeof(HistogramRow));
    if (boosting->loss == LOSS_MULTINOMIAL)
        boosting->sums = env_array_raw(env, rows, sizeof(double));
    if (boosting->loss == LOSS_ABSOLUTE || boosting->loss == LOSS_QUANTILE)
        boosting->residuals = env_array_raw(env, rows, boosting->weights != NULL ? 2 * sizeof(double) : sizeof(double));
    if (boosting->subsample < 1)
        boosting->sample = env_array_raw(env, rows, sizeof(uint32_t));
    if (boosting->subsample < 1 || boosting->train != NULL) {
        boosting->drawn = env_array(env, rows, 1);
        for (uint32_t i = 0; boosting->train != NULL && i < boosting->train_count; i++)
            boosting->drawn[boosting->train[i]] = 1;
    }
    boosting->store = tree_store(env, schema, false);
    boosting->importance = env_array(env, (size_t)schema->slot_count + 1, sizeof(double));
    boosting->curve = env_array(env, (size_t)boosting->iterations + 1, sizeof(double));
    tree_store_use_floats(boosting->store, boosting_score_unit(boosting) == 1);
    tree_store_importance(boosting->store, boosting->importance);
}

/* Tells whether the held rows say that the fit should stop. */
static bool should_stop(Env *env, Boosting *boosting)
{
    double loss;

    if (boosting->patience == 0) {
        boosting->best = boosting->done;
        store_trees(boosting);
        return false;
    }
    loss = boosting_loss(env, boosting, boosting->held, boosting->held_count);
    boosting->curve[boosting->done] = loss;
    if (loss < boosting->curve[boosting->best] - boosting->tolerance) {
        boosting->best = boosting->done;
        store_trees(boosting);
    }
    return boosting->done - boosting->best >= boosting->patience;
}

/*
 * Brings what is reported back to the unit of the targets. Scores of poisson move by its logarithm, which adds to the loss of each
 * row, exp(F) - y F, this times the target.
 */
static void rescale(Env *env, Boosting *boosting)
{
    double unit = boosting_loss_unit(boosting), moved = boosting->loss == LOSS_POISSON ? log(boosting->columns->unit) : 0;

    boosting->train_loss *= unit;
    for (uint32_t i = 0; i <= boosting->done; i++)
        boosting->curve[i] *= unit;
    if (boosting->loss != LOSS_POISSON) {
        boosting->baseline[0] *= boosting->columns->unit;
        return;
    }
    boosting->baseline[0] += moved;
    boosting->train_loss -= unit * moved * boosting_mean_target(env, boosting, boosting->train, boosting->train_count);
    moved *= unit * (boosting->patience > 0 ? boosting_mean_target(env, boosting, boosting->held, boosting->held_count) : 0);
    for (uint32_t i = 0; i <= boosting->done; i++)
        boosting->curve[i] -= moved;
}

/* ---- continuing (option "start") ---- */

/* Sums of the losses of the held rows, before the first and after each iteration. */
typedef struct HeldLosses {
    CarriedSum *sum, weight;
} HeldLosses;

/* Adds the trees to the scores of a row, and its losses on the way if it is held out. */
static void score_row(Boosting *boosting, const TreeScorer *trees, const double *slots, uint32_t row, HeldLosses *losses)
{
    double weight = boosting->weights != NULL ? boosting->weights[row] : 1;
    size_t rows = boosting->rows;
    uint32_t outputs = boosting->outputs;
    bool held = boosting->patience > 0 && !boosting->drawn[row];

    for (uint32_t k = 0; k < outputs; k++)
        boosting->scores[k * rows + row] = boosting->baseline[k];
    if (held) {
        carried_add(&losses->weight, weight);
        carried_add(&losses->sum[0], weight * boosting_row_loss(boosting, row));
    }
    for (uint32_t t = 0; t < boosting->start.begun * outputs; t++) {
        boosting->scores[t % outputs * rows + row] += tree_find_leaf(trees, t, slots)->of.value / boosting_score_unit(boosting);
        if (held && t % outputs == outputs - 1)
            carried_add(&losses->sum[t / outputs + 1], weight * boosting_row_loss(boosting, row));
    }
}

/* Adds the trees to the scores of all rows. */
static void score_rows(Env *env, Boosting *boosting, Rows *rows, HeldLosses *losses)
{
    const TreeScorer *trees = tree_scorer(env, boosting->start.model);
    RowDesign *design = row_design(env, rows, DESIGN_SLOTS, boosting->method);
    uint32_t slots = rows_slots(rows), work = 0;
    double *row = env_array(env, (size_t)slots + 1, sizeof(double));
    RowsReader *reader = rows_reader(env, rows);
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            memcpy(row, block.slots + (size_t)i * slots, slots * sizeof(double));
            for (uint32_t s = 0; s < slots; s++)
                if (trees->levels[s] > 0 && row[s] == row[s])
                    row[s] = design->level_final[(uint32_t)row[s]];
            score_row(boosting, trees, row, (uint32_t)(block.first + i), losses);
            work += boosting->start.begun * boosting->outputs + 1;
            if (work >= POLL_ROWS) {
                env->poll(env);
                work = 0;
            }
        }
    rows_reader_free(reader);
}

/*
 * Takes over trees, scores and importance, as they were after the iterations of the start. Scores are added up tree by tree, as the
 * fit did it, and random choices go by the number of the iteration: so the same rows give the model that one fit of all iterations
 * gives, bit by bit.
 */
static void continue_fit(Env *env, Boosting *boosting, Rows *rows)
{
    HeldLosses losses = {env_array(env, (size_t)boosting->iterations + 1, sizeof(CarriedSum)), {0, 0}};
    const double *baseline = model_f64(boosting->start.model, "baseline", NULL);
    const ModelEntry *importance = model_find(boosting->start.model, "importance");
    double unit = boosting->columns->unit;

    boosting->baseline = env_array(env, boosting->outputs, sizeof(double));
    for (uint32_t k = 0; k < boosting->outputs; k++)
        boosting->baseline[k] = boosting->loss == LOSS_POISSON ? baseline[k] - log(unit) : baseline[k] / unit;
    boosting->done = boosting->best = boosting->start.begun;
    score_rows(env, boosting, rows, &losses);
    for (uint32_t i = 0; boosting->patience > 0 && i <= boosting->start.begun; i++)
        boosting->curve[i] = carried_value(&losses.sum[i]) / carried_value(&losses.weight);
    if (boosting->start.begun == 0)
        return;
    tree_store_append_model(boosting->store, boosting->start.model);
    for (uint32_t j = 0; importance != NULL && j < importance->rows; j++)
        boosting->importance[j] = model_number(boosting->start.model, importance, j);
}

/* ---- the fit ---- */

/* Sets the scores to the baseline. */
static void begin(Env *env, Boosting *boosting)
{
    boosting_baseline(env, boosting);
    for (uint32_t k = 0; k < boosting->outputs; k++)
        for (uint32_t row = 0; row < boosting->rows; row++) {
            if (row % POLL_ROWS == 0)
                env->poll(env);
            boosting->scores[(size_t)k * boosting->rows + row] = boosting->baseline[k];
        }
    should_stop(env, boosting);
}

void boosting_run(Env *env, Boosting *boosting, Rows *rows, const Options *options, const ClassSet *classes)
{
    const Model *schema = rows_schema(rows);
    TreeGrowth limits = read_plan(env, boosting, rows, options);

    load(env, boosting, rows, &limits, options, classes);
    divide_rows(env, boosting);
    boosting->grower = new_grower(boosting->columns->binned, &boosting->growth);
    warn_grouped(env, boosting->columns->binned, schema, boosting->method);
    alloc_run(env, boosting, schema);
    /* min_impurity_decrease is per row; gains are twice the decrease of the sum */
    boosting->growth.min_decrease *= 2.0 * boosting->train_count;
    if (boosting->start.model != NULL)
        continue_fit(env, boosting, rows);
    else
        begin(env, boosting);
    while (boosting->done < boosting->iterations) {
        iterate(env, boosting, boosting->done);
        boosting->done++;
        env->progress(env, boosting->method, boosting->done, boosting->iterations, NAN);
        if (should_stop(env, boosting))
            break;
    }
    if (boosting->best == 0)
        store_nothing(boosting);
    boosting->train_loss = boosting_loss(env, boosting, boosting->train, boosting->train_count);
    if (boosting->columns->unit != 1)
        rescale(env, boosting);
    tree_columns_end(boosting->columns);
}
