/*
 * boosting_fit.c - the iterations of gradient boosting.
 *
 * Random choices go by the content of rows, not by their order: rows are held out by a hash of what they hold, and drawn by a
 * hash of their number in the order of such hashes. Sums of gradients are integers (histogram.h), so the same rows give the
 * same trees in any order.
 */
#include "core/boosting/boosting_phases.h"
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/math/carried_sum.h"
#include "core/rows/row_design.h"
#include "core/tree_value/tree_start.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LEAVES_DEFAULT 31 /* where neither max_leaf_nodes nor max_depth is given */
#define HISTOGRAMS_LEAST 3
#define SLOPE_ROWS 65536u /* between two polls */
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

/* What is read from the options, and then in the unit of the targets. */
typedef struct BoostPlan {
    HistogramGrowth growth;
    double rate, subsample, holdout, tolerance;
    uint32_t iterations, patience; /* patience 0: no early stopping */
} BoostPlan;

/* Which rows are learned from. */
typedef struct BoostChoice {
    uint64_t *numbers;  /* [rows] by content: for random choices; NULL: there are none */
    RowList train, held; /* held: to stop the fit */
    uint32_t *sample;   /* room for the rows of an iteration; NULL: those of train */
    uint8_t *drawn;     /* [rows] is the row in the sample? NULL: all rows are */
} BoostChoice;

/* What grows trees, and those that grew since the best iteration. */
typedef struct BoostTrees {
    HistogramGrower *grower;
    HistogramScale scale;
    uint64_t size; /* sum of BoostWork.sizes */
    GrownTree **tree;
    uint32_t count, room;
} BoostTrees;

/* What a model will have. */
typedef struct BoostResult {
    TreeStore *store;
    double *baseline;   /* [outputs] */
    double *importance; /* [features] */
    double *curve;      /* [iterations + 1] loss of the held rows */
    double train_loss;
    uint32_t done, best; /* iterations */
} BoostResult;

/* A fit, whose functions take the parts that they need. */
typedef struct Boosting {
    Env *env;
    BoostPlan plan;
    TreeColumns *columns;
    BoostRows rows;
    BoostChoice choice;
    BoostWork work;
    BoostTrees trees;
    BoostResult result;
    uint32_t begun; /* iterations of the model from which the fit continues */
} Boosting;

/* Reads the options that both methods have; growth: those that all methods which grow trees have. */
static BoostPlan read_plan(Env *env, const char *method, const TreeGrowth *growth, const Options *options)
{
    BoostPlan plan = {.rate = options_number(options, "learning_rate"),
                      .subsample = options_number(options, "max_samples"),
                      .holdout = options_number(options, "holdout"),
                      .tolerance = options_number(options, "tolerance"),
                      .iterations = (uint32_t)options_integer(options, "n_trees")};

    plan.growth = (HistogramGrowth){
        .criterion = TREE_NEWTON,
        .max_depth = growth->max_depth,
        .max_leaves = growth->max_leaf_nodes,
        .best_first = options_is(options, "growth", "leaf"),
        .min_samples_split = growth->min_samples_split,
        .min_samples_leaf = growth->min_samples_leaf,
        .min_child_weight = options_number(options, "min_child_weight"),
        .min_decrease = growth->min_impurity_decrease,
        .lambda = options_number(options, "lambda"),
        .category_smoothing = options_number(options, "category_smoothing"),
        .max_features = growth->max_features,
        .monotone = growth->monotone,
        .seed = growth->seed,
    };
    if (growth->max_leaf_nodes == 0 && growth->max_depth == UINT32_MAX)
        plan.growth.max_leaves = LEAVES_DEFAULT;
    if (options_type(options, "early_stopping") != 0)
        plan.patience = (uint32_t)options_integer(options, "early_stopping");
    for (int i = 0; i < 2 && plan.patience == 0; i++) {
        const char *name = i == 0 ? "holdout" : "tolerance";

        if (options_given(options, name))
            env_fail(env, ERROR_PARAMETER, "Give \"early_stopping\" too, or omit it.",
                     "option \"%s\" of %s is for early stopping", name, method);
    }
    return plan;
}

/* Reads the loss and its options. positive: of two classes, the one that is modeled. */
static BoostRows read_loss(Env *env, const char *method, const Options *options, uint32_t classes, uint32_t positive)
{
    BoostRows rows = {.method = method,
                      .loss = boosting_loss_of(options, classes),
                      .classes = classes,
                      .outputs = classes == 0 || classes == 2 ? 1 : classes,
                      .quantile = 0.5,
                      .positive = positive,
                      .least_weight = options_number(options, "min_child_weight")};

    if (classes == 0 && options_type(options, "quantile") != 0) {
        if (!options_is(options, "loss", "quantile"))
            env_fail(env, ERROR_PARAMETER, "Give \"loss\": \"quantile\" too, or omit it.",
                     "option \"quantile\" of %s is for loss quantile", method);
        rows.quantile = options_number(options, "quantile");
    }
    return rows;
}

/* Returns the unit of scores: those of poisson are logarithms, which leaves do not bring back to the unit of the targets. */
static double score_unit(const BoostRows *rows)
{
    return rows->loss->link == BOOST_LOG ? 1 : rows->unit;
}

static double loss_unit(const BoostRows *rows)
{
    return rows->loss->squared ? rows->unit * rows->unit : rows->unit;
}

/* ---- loading ---- */

typedef struct HashedRow {
    uint64_t hash;
    uint32_t row;
} HashedRow;

/* Replaces the hashes of the rows by their places in the order of these; rows of equal hash are equal. */
static void number_by_content(Env *env, uint64_t *numbers, uint32_t rows)
{
    HashedRow *hashed = env_array_raw(env, rows, sizeof(HashedRow));

    for (uint32_t row = 0; row < rows; row++)
        hashed[row] = (HashedRow){numbers[row], row};
    sort_polled(env, hashed, rows, sizeof(HashedRow), compare_keys);
    for (uint32_t i = 0; i < rows; i++)
        numbers[hashed[i].row] = i;
    env->release(env, hashed);
}

static double unit_of(uint64_t seed, uint64_t number)
{
    return (double)(mix64(mix64(seed) + RANDOM_STEP * (number + 1)) >> 11) * 0x1p-53;
}

/* Divides the rows into those to learn from and those held out, and makes room to draw from the former. */
static BoostChoice choose_rows(Env *env, const BoostPlan *plan, Rows *from, const char *method)
{
    uint32_t rows = (uint32_t)rows_count(from), *train, *held;
    BoostChoice choice = {.train = {NULL, rows}};

    if (plan->subsample < 1 || plan->patience > 0) {
        choice.drawn = env_array(env, rows, 1);
        choice.numbers = env_array_raw(env, rows, sizeof(uint64_t));
        tree_hash_rows(env, from, row_design(env, from, DESIGN_SLOTS, method), true, choice.numbers);
    }
    if (plan->patience > 0) {
        choice.train = (RowList){train = env_array_raw(env, rows, sizeof(uint32_t)), 0};
        choice.held = (RowList){held = env_array_raw(env, rows, sizeof(uint32_t)), 0};
        for (uint32_t row = 0; row < rows; row++) {
            choice.drawn[row] = unit_of(plan->growth.seed ^ HELD_SEED, choice.numbers[row]) >= plan->holdout;
            if (choice.drawn[row])
                train[choice.train.count++] = row;
            else
                held[choice.held.count++] = row;
        }
    }
    if (choice.train.count == 0 || (plan->patience > 0 && choice.held.count == 0))
        env_fail(env, ERROR_DATA, "Leave \"early_stopping\" out, or change \"holdout\" or \"seed\".",
                 "%s would hold out %u of %u rows for early stopping", method, choice.held.count, rows);
    if (plan->subsample < 1) {
        number_by_content(env, choice.numbers, rows);
        choice.sample = env_array_raw(env, rows, sizeof(uint32_t));
    }
    return choice;
}

/* Returns the bytes per row of everything but the bins and the grower: more than TREE_TARGET_BYTES. weights: of rows or classes. */
static uint64_t row_bytes(const BoostPlan *plan, const BoostRows *rows, bool weights, bool frequency)
{
    uint64_t bytes = 8 * (uint64_t)rows->outputs + sizeof(FloatRow) + (rows->classes > 0 ? 4 : 8) + (weights ? 8 : 0);

    bytes += rows->loss->room[weights] + (plan->patience > 0 ? 8 : 0) + (frequency ? sizeof(uint32_t) : 0);
    return bytes + (plan->subsample < 1 ? 8 + 5 + 32 : plan->patience > 0 ? 8 + 5 : 0);
}

/* Fails if a target is negative. */
static void require_counts(Env *env, const TreeColumns *columns)
{
    for (uint32_t row = 0; row < columns->rows; row++)
        if (columns->targets[row] < 0)
            env_fail(env, ERROR_DATA, "Use another \"loss\".",
                     "loss poisson of boosted_trees_regression needs targets of at least 0, but one is %g", columns->targets[row]);
}

/* Loads the rows, with tiny targets divided by a power of two: gradients are single precision. */
static void load(Env *env, Boosting *boosting, Rows *rows, const TreeGrowth *growth, const Options *options, const ClassSet *classes)
{
    BoostPlan *plan = &boosting->plan;
    BoostRows *own = &boosting->rows;
    uint64_t count = rows_count(rows), bins = (uint64_t)rows_slots(rows) * (BINS_MAX + 1);
    bool weights = rows_contents(rows) & ROWS_WEIGHT || (classes->count > 0 && !options_is(options, "class_weight", "none"));
    uint64_t bytes = count * (row_bytes(plan, own, weights, growth->frequency) - TREE_TARGET_BYTES);
    HistogramGrowth least = plan->growth;
    TreeColumns *columns;

    least.max_leaves = HISTOGRAMS_LEAST;
    bytes += histogram_grower_bytes(count, bins, &least);
    columns = boosting->columns = tree_columns_binned(env, rows, 0, 0, bytes, own->method);
    if (own->loss->link == BOOST_LOG)
        require_counts(env, columns);
    tree_columns_scale(columns);
    own->unit = columns->unit;
    own->count = columns->rows;
    own->labels = columns->classes;
    own->targets = columns->targets;
    own->weights = columns->weights;
    boosting->work.sizes = tree_sizes(env, growth, own->weights, own->count, &boosting->trees.size);
    if (classes->count > 0)
        own->weights = tree_weigh_classes(env, options, classes, own->labels, own->weights, own->count);
    if (own->weights != columns->weights && columns->weights != NULL)
        env->release(env, columns->weights);
    columns->weights = NULL; /* the rows have them */
    own->scores = env_array_raw(env, (size_t)own->count * own->outputs, sizeof(double));
    own->room = env_array_raw(env, own->count, own->loss->room[own->weights != NULL]);
    boosting->work.gradients = env_array_raw(env, own->count, sizeof(FloatRow));
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

/* Makes what grows and what keeps the trees. What the budget leaves is for histograms. */
static void open_trees(Env *env, Boosting *boosting, const Model *schema)
{
    BoostPlan *plan = &boosting->plan;
    BoostResult *result = &boosting->result;
    const BinnedColumns *binned = boosting->columns->binned;
    double unit = fmax(DBL_MIN, loss_unit(&boosting->rows));

    plan->tolerance /= unit;
    /* min_impurity_decrease is per row; gains are twice the decrease of the sum */
    plan->growth.min_decrease = plan->growth.min_decrease / unit * (2.0 * boosting->choice.train.count);
    boosting->trees.grower =
        histogram_grower(binned, &plan->growth, HISTOGRAMS_LEAST * ((uint64_t)binned->bins + 1) * sizeof(HistogramSum) + binned->spare / 2);
    boosting->work.columns = boosting->columns;
    boosting->work.rows = &boosting->rows;
    boosting->work.drawn = boosting->choice.drawn;
    histogram_grower_share(boosting->trees.grower, &boosting->work.nodes);
    boosting_work(env, &boosting->work);
    result->store = tree_store(env, schema, false);
    result->baseline = env_array(env, boosting->rows.outputs, sizeof(double));
    result->importance = env_array(env, (size_t)schema->slot_count + 1, sizeof(double));
    result->curve = env_array(env, (size_t)plan->iterations + 1, sizeof(double));
    tree_store_use_floats(result->store, score_unit(&boosting->rows) == 1);
    tree_store_importance(result->store, result->importance);
}

/* ---- gradients ---- */

/* Warns of rows so light that their hessians are rounded to 0, below `least`. Before the first tree they differ by weight alone. */
static void warn_light(Env *env, const BoostWork *work, double least)
{
    const BoostRows *rows = work->rows;
    uint32_t light = 0;

    for (uint32_t row = 0; row < rows->count; row++) {
        env_poll_rows(env, row);
        light += rows->weights[row] > 0 && work->gradients[row].real.hessian < least;
    }
    if (light > 0)
        env_warn(env, ERROR_DATA, "Use weights that are closer together.",
                 "%u of %u rows do not count in %s: they weigh too little beside the others", light, rows->count, rows->method);
}

/* Sets gradients and scale for one output, at the scores before the first output of the iteration. first: of the fit. */
static void set_gradients(Env *env, BoostWork *work, BoostTrees *trees, uint32_t output, bool first)
{
    Steepness steepness = boosting_slopes(work, output);

    if (!isfinite(steepness.gradient) || !isfinite(steepness.hessians))
        env_fail(env, ERROR_RANGE, "Divide the target by a power of ten, or use smaller weights.",
                 "the gradients of %s exceed the range of single precision", work->rows->method);
    trees->scale = histogram_scale(trees->size, steepness.gradient, steepness.hessian, steepness.hessians);
    if (work->rows->weights != NULL && first)
        warn_light(env, work, trees->scale.hessian / 2);
    boosting_round(work, &trees->scale);
}

/* ---- iterations ---- */

/* Draws the rows of an iteration. */
static RowList draw_rows(Env *env, const BoostPlan *plan, BoostChoice *choice, uint32_t rows, uint32_t iteration)
{
    uint64_t seed = mix64(plan->growth.seed + RANDOM_STEP * (iteration + 1));
    uint32_t count = 0;

    if (choice->sample == NULL)
        return choice->train;
    memset(choice->drawn, 0, rows);
    for (bool all = false; count == 0; all = true) /* if they are too few to draw from: all of them */
        for (uint32_t i = 0; i < choice->train.count; i++) {
            uint32_t row = row_at(choice->train, i);

            env_poll_rows(env, i);
            if (!all && unit_of(seed, choice->numbers[row]) >= plan->subsample)
                continue;
            choice->sample[count++] = row;
            choice->drawn[row] = 1;
        }
    return (RowList){choice->sample, count};
}

/* Returns the rows of a leaf, in the order of the grower. */
static RowList leaf_rows(const BoostTrees *trees, const GrownNode *leaf)
{
    return (RowList){histogram_order(trees->grower) + leaf->first_row, leaf->rows};
}

/* Makes the values of a tree's leaves minimize the loss, where newton steps do not, and multiplies them by the rate. */
static void set_leaves(Env *env, const BoostRows *rows, const BoostTrees *trees, GrownTree *tree, double rate)
{
    bool floats = score_unit(rows) == 1; /* as the model has them: a fit that continues from it sees the same */

    for (uint32_t n = 0; n < tree->count; n++) {
        GrownNode *node = &tree->nodes[n];

        if (node->left != TREE_NONE)
            continue;
        if (rows->loss->leaf != NULL) {
            HistogramNode bounds = histogram_bounds(trees->grower, n);

            node->value = fmin(fmax(rows->loss->leaf(env, rows, leaf_rows(trees, node)), bounds.low), bounds.high);
        }
        node->value *= rate;
        if (floats && isfinite((float)node->value))
            node->value = (float)node->value;
    }
}

/* Returns a tree to grow into, which is kept until it is known whether the model has it. */
static GrownTree *next_tree(Env *env, BoostTrees *trees)
{
    if (trees->count == trees->room) {
        trees->room = 2 * trees->room + 1;
        trees->tree = env->resize(env, trees->tree, trees->room * sizeof(GrownTree *));
        for (uint32_t i = trees->count; i < trees->room; i++)
            trees->tree[i] = grown_tree(env);
    }
    return trees->tree[trees->count++];
}

/* Grows the trees of an iteration. */
static void iterate(Env *env, Boosting *boosting, uint32_t iteration, bool first)
{
    const BoostPlan *plan = &boosting->plan;
    const BoostRows *rows = &boosting->rows;
    BoostTrees *trees = &boosting->trees;
    BoostWork *work = &boosting->work;
    RowList sample = draw_rows(env, plan, &boosting->choice, rows->count, iteration);

    for (uint32_t k = 0; k < rows->outputs; k++) {
        GrownTree *tree = next_tree(env, trees);

        set_gradients(env, work, trees, k, first && k == 0);
        histogram_grow(trees->grower, &work->gradients->whole, work->sizes, &trees->scale, sample.rows, sample.count,
                       (uint64_t)iteration * rows->outputs + k, tree);
        set_leaves(env, rows, trees, tree, plan->rate);
        boosting_weigh_tree(work, tree);
        boosting_add_tree(work, tree, k);
    }
}

/* Adds the trees since the last time to the model. */
static void store_trees(BoostTrees *trees, TreeStore *store, const BoostRows *rows)
{
    for (uint32_t i = 0; i < trees->count; i++) {
        if (rows->unit != 1)
            grown_tree_scale(trees->tree[i], score_unit(rows), loss_unit(rows));
        tree_store_append(store, trees->tree[i]);
    }
    trees->count = 0;
}

/* Adds trees of one leaf that adds nothing, one per output, where no iteration lowered the loss of the held rows. */
static void store_nothing(Env *env, TreeStore *store, uint32_t outputs, uint32_t rows)
{
    GrownTree *tree = grown_tree(env);

    grown_tree_node(tree);
    tree->nodes[0].cover = rows;
    while (tree_store_trees(store) < outputs)
        tree_store_append(store, tree);
}

/* Tells whether the held rows say that the fit should stop. */
static bool should_stop(Env *env, Boosting *boosting)
{
    BoostResult *result = &boosting->result;

    if (boosting->plan.patience > 0)
        result->curve[result->done] = boosting_mean(env, &boosting->rows, boosting->choice.held, boosting->rows.loss->of_row);
    if (boosting->plan.patience == 0 || result->curve[result->done] < result->curve[result->best] - boosting->plan.tolerance) {
        result->best = result->done;
        store_trees(&boosting->trees, result->store, &boosting->rows);
    }
    return boosting->plan.patience > 0 && result->done - result->best >= boosting->plan.patience;
}

/*
 * Brings what is reported back to the unit of the targets. Scores of poisson move by its logarithm, which adds to the loss of each
 * row, exp(F) - y F, this times the target.
 */
static void rescale(Env *env, BoostResult *result, const BoostRows *rows, const BoostChoice *choice)
{
    double unit = loss_unit(rows), moved = rows->loss->link == BOOST_LOG ? log(rows->unit) : 0;

    result->train_loss *= unit;
    for (uint32_t i = 0; i <= result->done; i++)
        result->curve[i] *= unit;
    if (rows->loss->link != BOOST_LOG) {
        result->baseline[0] *= rows->unit;
        return;
    }
    result->baseline[0] += moved;
    result->train_loss -= unit * moved * boosting_mean(env, rows, choice->train, boosting_target);
    for (uint32_t i = 0; choice->held.count > 0 && i <= result->done; i++)
        result->curve[i] -= moved * unit * boosting_mean(env, rows, choice->held, boosting_target);
}

/* ---- continuing (option "start") ---- */

/* Sums of the losses of the held rows, before the first and after each iteration. */
typedef struct HeldLosses {
    CarriedSum *sum, weight;
} HeldLosses;

/* Adds the trees to the scores of a row, and its losses on the way if it is held out. */
static void score_row(const Boosting *boosting, const TreeScorer *trees, const double *slots, uint32_t row, HeldLosses *losses)
{
    const BoostRows *rows = &boosting->rows;
    double weight = row_weight(rows->weights, row), unit = score_unit(&boosting->rows);
    uint32_t outputs = rows->outputs, count = boosting->result.done * outputs;
    bool held = boosting->plan.patience > 0 && !boosting->choice.drawn[row];

    for (uint32_t k = 0; k < outputs; k++)
        rows->scores[(size_t)k * rows->count + row] = boosting->result.baseline[k];
    if (held)
        carried_add(&losses->weight, weight);
    for (uint32_t t = 0; t <= count; t++) {
        if (held && t % outputs == 0)
            carried_add(&losses->sum[t / outputs], weight * boosting->rows.loss->of_row(rows, row));
        if (t < count)
            rows->scores[(size_t)(t % outputs) * rows->count + row] += tree_find_leaf(trees, t, slots)->of.value / unit;
    }
}

/* Adds the trees of a model to the scores of all rows. */
static void score_rows(Env *env, const Boosting *boosting, const Model *model, Rows *rows, HeldLosses *losses)
{
    const TreeScorer *trees = tree_scorer(env, model);
    RowDesign *design = row_design(env, rows, DESIGN_SLOTS, boosting->rows.method);
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
            work += boosting->result.done * boosting->rows.outputs + 1;
            if (work >= SLOPE_ROWS) {
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
static void continue_fit(Env *env, Boosting *boosting, const TreeStart *start, Rows *rows)
{
    BoostResult *result = &boosting->result;
    HeldLosses losses = {env_array(env, (size_t)start->begun + 1, sizeof(CarriedSum)), {0, 0}};
    const double *baseline = model_f64(start->model, "baseline", NULL);
    const ModelEntry *importance = model_find(start->model, "importance");
    double unit = boosting->rows.unit;

    for (uint32_t k = 0; k < boosting->rows.outputs; k++)
        result->baseline[k] = boosting->rows.loss->link == BOOST_LOG ? baseline[k] - log(unit) : baseline[k] / unit;
    result->done = result->best = start->begun;
    score_rows(env, boosting, start->model, rows, &losses);
    for (uint32_t i = 0; boosting->plan.patience > 0 && i <= start->begun; i++)
        result->curve[i] = carried_value(&losses.sum[i]) / carried_value(&losses.weight);
    if (start->begun == 0)
        return;
    tree_store_append_model(result->store, start->model);
    for (uint32_t j = 0; importance != NULL && j < importance->rows; j++)
        result->importance[j] = model_number(start->model, importance, j);
}

/* ---- the fit ---- */

/* Sets the scores to the baseline. */
static void begin(Env *env, Boosting *boosting)
{
    const BoostRows *rows = &boosting->rows;

    boosting->rows.loss->constants(env, rows, boosting->choice.train, boosting->result.baseline);
    if (!isfinite(boosting->result.baseline[0]))
        env_fail(env, ERROR_RANGE, "Divide the target by a power of ten.", "the mean target of %s is out of range", rows->method);
    for (uint32_t k = 0; k < rows->outputs; k++)
        for (uint32_t row = 0; row < rows->count; row++) {
            env_poll_rows(env, row);
            rows->scores[(size_t)k * rows->count + row] = boosting->result.baseline[k];
        }
    should_stop(env, boosting);
}

/* Does an iteration: a TeamWork.step. */
static bool do_iteration(void *owner, Team *team, uint32_t iteration)
{
    Boosting *boosting = owner;
    BoostResult *result = &boosting->result;

    if (team != NULL && boosting->work.team == NULL) {
        boosting->work.team = boosting->work.nodes.team = team;
        boosting->choice.drawn = boosting->work.drawn;
        histogram_grower_join(boosting->trees.grower, &boosting->work.nodes);
    }
    iterate(boosting->env, boosting, iteration, iteration == boosting->begun);
    result->done++;
    boosting->env->progress(boosting->env, boosting->rows.method, result->done, boosting->plan.iterations, NAN);
    return !should_stop(boosting->env, boosting);
}

/* Computes what the last scores say: a TeamWork.finish. */
static void finish(void *owner)
{
    Boosting *boosting = owner;
    const BoostRows *rows = &boosting->rows;

    boosting->result.train_loss = boosting_mean(boosting->env, rows, boosting->choice.train, rows->loss->of_row);
}

/* Grows trees until there are enough of them, or the held rows say so. */
static void run(Env *env, Boosting *boosting, const TreeStart *start, Rows *rows)
{
    BoostResult *result = &boosting->result;
    TeamWork work = {.kind = &boosting_kind,
                     .data = &boosting->work,
                     .end = boosting->plan.iterations,
                     .pays = boosting_work_pays(&boosting->work),
                     .spare = boosting->columns->binned->spare / 2, /* the other half is for histograms */
                     .step = do_iteration,
                     .finish = finish,
                     .owner = boosting};

    if (start->model != NULL)
        continue_fit(env, boosting, start, rows);
    else
        begin(env, boosting);
    work.first = boosting->begun = result->done;
    team_work(env, &work);
    if (result->best == 0)
        store_nothing(env, result->store, boosting->rows.outputs, boosting->choice.train.count);
    if (boosting->rows.unit != 1)
        rescale(env, result, &boosting->rows, &boosting->choice);
    tree_columns_end(boosting->columns);
}

/* Adds arrays and facts. */
static void add_result(Env *env, const Boosting *boosting, ModelBuilder *builder)
{
    const BoostResult *result = &boosting->result;

    boosting_add_scores(env, builder, result->baseline, boosting->rows.outputs, boosting->rows.loss->link, false);
    builder_f64(builder, SECTION_ARRAYS, "importance", result->importance, boosting->columns->slots);
    tree_store_add(result->store, builder);
    builder_fact_i64(builder, "iterations", result->done);
    builder_fact_i64(builder, "trees", tree_store_trees(result->store));
    builder_fact(builder, "training_loss", result->train_loss);
    if (boosting->plan.patience == 0)
        return;
    builder_fact_i64(builder, "best_iteration", result->best);
    builder_fact_i64(builder, "held_out", boosting->choice.held.count);
    builder_fact(builder, "validation_loss", result->curve[result->best]);
    builder_f64(builder, SECTION_FACTS, "validation_losses", result->curve, result->done + 1);
}

/* Adds the rule of classes, and the priors that probabilities imply (classifier_output.h): the weighted shares of the classes. */
static void add_classes(Env *env, const BoostRows *rows, const ClassRule *rule, ModelBuilder *builder)
{
    double *shares = env_array(env, rows->classes, sizeof(double)), *stored_rule = env_array(env, 3, sizeof(double)), sum = 0;

    for (uint32_t row = 0; row < rows->count; row++)
        shares[rows->labels[row]] += row_weight(rows->weights, row);
    for (uint32_t c = 0; c < rows->classes; c++)
        sum += shares[c];
    for (uint32_t c = 0; c < rows->classes; c++)
        shares[c] /= sum;
    class_rule_add(builder, rule, rows->classes, stored_rule);
    builder_f64(builder, SECTION_ARRAYS, "priors", shares, rows->classes);
}

Model *boosting_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    TreeStart start = tree_start(env, self, input, options, boosting_begun, &builder);
    const Model *schema = rows_schema(input->rows);
    ClassSet classes = class_set(env, schema);
    ClassRule rule = {0};
    TreeGrowth growth;
    Boosting boosting = {.env = env};
    Model *model;

    if (classes.count > 0)
        rule = class_rule_read(&classes, options);
    boosting.rows = read_loss(env, self->name, options, classes.count, rule.positive);
    growth = tree_growth_read(env, options, input->rows, self->name);
    boosting.plan = read_plan(env, self->name, &growth, options);
    if (classes.count == 1) /* nothing to learn */
        boosting.plan.iterations = start.begun > 1 ? start.begun : 1;
    load(env, &boosting, input->rows, &growth, options, &classes);
    boosting.choice = choose_rows(env, &boosting.plan, input->rows, self->name);
    open_trees(env, &boosting, schema);
    warn_grouped(env, boosting.columns->binned, schema, self->name);
    run(env, &boosting, &start, input->rows);
    add_result(env, &boosting, builder);
    if (classes.count > 0)
        add_classes(env, &boosting.rows, &rule, builder);
    model = model_build(builder);
    tree_start_end(&start, input->rows);
    return model;
}
