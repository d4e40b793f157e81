/*
 * boosting_level.c - the model after a pass over boosted trees: its constants, the units of its gradients, or one more level of its trees.
 */
#include "core/math/carried_sum.h"
#include "core/tree/boosting_step_internal.h"
#include "core/tree/tree_levels.h"

#include <math.h>
#include <string.h>

/* A leaf of a tree that grows. */
typedef struct Leaf {
    bool open;
    double value, low, high;
} Leaf;

typedef struct Next {
    Env *env;
    const Model *state;
    const Options *options;
    BoostPlan *plan;
    HistogramGrowth growth;
    double rate;
    uint32_t iterations; /* that the fit is for */
    const double *values;
    const int64_t *sums; /* by open leaf; NULL: none */
    /* the next model */
    GrownTree **done;    /* [outputs] the trees of the last iteration, with the weights of their leaves; NULL: as they are */
    GrownTree **last;    /* [outputs] the trees after them; NULL: none */
    Leaf **leaf;         /* [outputs] by node of these, where they grow */
    double *numbers;     /* step_numbers; NULL: none */
    double *baseline, *factors, *priors, *importance;
    int64_t place[2];
    bool grows; /* leaves of the last trees are open */
} Next;

/* Returns a sum of sum_values. */
static double carried_at(const Next *next, uint32_t at)
{
    return carried_value(&(CarriedSum){next->values[at], next->values[at + 1]});
}

/* Returns a tree of the model as it can be changed. Its nodes keep their numbers. */
static GrownTree *copy_tree(const Next *next, uint32_t number)
{
    const TreeScorer *trees = next->plan->trees;
    GrownTree *tree = grown_tree(next->env);
    uint32_t first = trees->root[number], count = trees->root[number + 1] - first;

    for (uint32_t i = 0; i < count; i++) {
        const TreeNode *from = &trees->node[first + i];
        uint32_t at = grown_tree_node(tree), slot = from->split >> 2, set;
        GrownNode *to = &tree->nodes[at];

        if (from->split == TREE_LEAF) {
            to->value = from->of.value;
            to->cover = trees->leaf_cover[from->right];
            continue;
        }
        to->left = at + 1;
        to->right = at + from->right;
        to->slot = slot;
        to->missing_left = (from->split & TREE_MISSING_LEFT) != 0;
        if (from->split & TREE_CATEGORY) {
            set = grown_tree_set(tree, trees->levels[slot]);
            memcpy(tree->sets + set, trees->sets + from->of.category.set, tree_set_bytes(trees->levels[slot]));
            to->category = true;
            to->set = set;
        } else {
            grown_tree_threshold(to, from->of.threshold, from->of.threshold, nextafter(from->of.threshold, INFINITY));
        }
    }
    return tree;
}

/* Returns the number of the first leaf of an output's last tree, among the leaves of the last trees. */
static uint32_t first_leaf(const BoostPlan *plan, uint32_t output)
{
    uint32_t leaf = 0;

    for (uint32_t i = plan->trees->root[plan->first_tree]; i < plan->trees->root[plan->first_tree + output]; i++)
        leaf += plan->trees->node[i].split == TREE_LEAF;
    return leaf;
}

/* ---- after the first pass ---- */

/* Sets the weights of classes, and their log shares or odds. */
static void set_classes(Next *next)
{
    const BoostPlan *plan = next->plan;
    ClassSet classes = class_set(next->env, next->state);
    double *totals = env_array(next->env, plan->classes, sizeof(double)), mean = 0, sum = 0;

    for (uint32_t c = 0; c < plan->classes; c++) {
        totals[c] = carried_at(next, BEGIN_CLASSES + 2 * c);
        if (!(totals[c] > 0))
            env_fail(next->env, ERROR_DATA, "Begin from a model of the classes that the rows have.", "boosting_step found no row of class \"%s\"",
                     class_label(&classes, c));
    }
    next->factors = class_weights(&classes, next->options, totals);
    next->priors = env_array(next->env, plan->classes, sizeof(double));
    for (uint32_t c = 0; c < plan->classes; c++) {
        totals[c] *= next->factors != NULL ? next->factors[c] : 1;
        sum += totals[c];
    }
    for (uint32_t c = 0; c < plan->classes; c++)
        next->priors[c] = totals[c] / sum;
    if (plan->outputs == 1 && plan->classes == 2) {
        next->baseline[0] = log(totals[plan->row->positive] / totals[1 - plan->row->positive]);
        return;
    }
    for (uint32_t c = 0; c < plan->classes; c++)
        mean += next->baseline[c] = log(totals[c]);
    for (uint32_t c = 0; c < plan->classes; c++)
        next->baseline[c] -= mean / plan->classes;
}

static void set_constants(Next *next)
{
    const char *name = next->state->estimator;
    double mean = carried_at(next, BEGIN_TARGET) / carried_at(next, BEGIN_WEIGHT);

    if (next->plan->classes > 0) {
        set_classes(next);
    } else {
        if (next->values[BEGIN_LARGEST] > 0 && next->values[BEGIN_LARGEST] < BOOST_TINY_TARGET)
            env_fail(next->env, ERROR_RANGE, "Multiply the target by a power of ten, or leave \"passes\" out.",
                     "the targets of boosting_step are at most %g, too small for sums in single precision", next->values[BEGIN_LARGEST]);
        if (next->plan->row->loss == LOSS_POISSON && !(mean > 0))
            env_fail(next->env, ERROR_DATA, "Use another \"loss\".", "loss poisson of %s needs a target that is not 0 in every row", name);
        next->baseline[0] = next->plan->row->loss == LOSS_POISSON ? log(mean) : mean;
    }
    for (uint32_t k = 0; k < next->plan->outputs; k++)
        if (!isfinite(next->baseline[k]))
            env_fail(next->env, ERROR_RANGE, "Divide the target or the weights by a power of ten.", "the mean target of %s is out of range", name);
    next->place[0] = PHASE_MEASURE;
    for (uint32_t k = 0; k < next->plan->outputs; k++)
        next->last[k] = copy_tree(next, k);
}

/* ---- after a pass that measures ---- */

/* Sets the weights of the leaves of the last trees, which the pass found. */
static void set_covers(Next *next)
{
    const BoostPlan *plan = next->plan;
    uint32_t at = plan->outputs * MEASURE_EACH + MEASURE_COVERS;

    for (uint32_t k = 0; k < plan->outputs; k++) {
        next->done[k] = copy_tree(next, plan->first_tree + k);
        for (uint32_t i = 0; i < next->done[k]->count; i++)
            if (next->done[k]->nodes[i].left == TREE_NONE) {
                next->done[k]->nodes[i].cover = carried_at(next, at);
                at += 2;
            }
    }
}

/* Sets the units of the gradients of the next trees. */
static void set_scales(Next *next)
{
    const BoostPlan *plan = next->plan;

    next->numbers = env_array(next->env, 3 * (size_t)plan->outputs + 2, sizeof(double));
    for (uint32_t k = 0; k < plan->outputs; k++) {
        const double *of = next->values + k * MEASURE_EACH;
        double hessians = carried_at(next, k * MEASURE_EACH + MEASURE_HESSIANS);
        HistogramScale scale;

        if (!isfinite(of[MEASURE_GRADIENT]) || !isfinite(hessians))
            env_fail(next->env, ERROR_RANGE, "Divide the target by a power of ten, or use smaller weights.",
                     "the gradients of %s exceed the range of single precision", next->state->estimator);
        scale = histogram_scale(next->state->rows, of[MEASURE_GRADIENT], of[MEASURE_HESSIAN], hessians);
        next->numbers[3 * k] = scale.gradient;
        next->numbers[3 * k + 1] = scale.hessian;
        next->numbers[3 * k + 2] = scale.count_bits;
    }
    next->numbers[3 * plan->outputs] = (double)next->state->rows;
    next->numbers[3 * plan->outputs + 1] = carried_at(next, plan->outputs * MEASURE_EACH + MEASURE_WEIGHT);
}

/* Begins the trees of the next iteration. */
static void begin_trees(Next *next)
{
    for (uint32_t k = 0; k < next->plan->outputs; k++) {
        next->last[k] = grown_tree(next->env);
        grown_tree_node(next->last[k]);
        next->last[k]->nodes[0].cover = next->state->weight;
        next->leaf[k] = env_array(next->env, 1, sizeof(Leaf));
        next->leaf[k][0] = (Leaf){.open = true, .low = -INFINITY, .high = INFINITY};
    }
    next->grows = true;
}

/* ---- after a level ---- */

static bool may_split(const Next *next, const HistogramScale *scale, const HistogramSum *total, uint64_t depth)
{
    uint64_t size = histogram_count(scale, total->packed);

    return depth < next->growth.max_depth && size >= next->growth.min_samples_split && size >= 2 && size / 2 >= next->growth.min_samples_leaf;
}

/* Writes the split of a node into its tree. */
static void write_split(Next *next, GrownTree *tree, uint32_t at, const HistogramSplit *split)
{
    const BinnedFeature *feature = &next->plan->binned.feature[split->feature];
    GrownNode *node = histogram_put_split(tree, at, &next->plan->binned, split);
    double threshold;

    if (feature->categorical)
        return;
    threshold = split->bin + 1 < feature->bins ? feature->thresholds[split->bin] : INFINITY;
    grown_tree_threshold(node, threshold, threshold, nextafter(threshold, INFINITY));
}

/* Returns what a node brings to the importance of splits: the purity that histogram_grow stores. */
static double purity_of(const Next *next, const HistogramScale *scale, const HistogramSum *total)
{
    double sum = (double)total->gradient * scale->gradient;

    return sum * sum / (histogram_hessian(scale, total->packed) + next->growth.lambda);
}

/* Splits an open leaf whose sums are known, or closes it. */
static void settle(Next *next, uint32_t output, uint32_t at, const HistogramSum *sums)
{
    const BoostPlan *plan = next->plan;
    const HistogramScale *scale = &plan->scale[output];
    GrownTree *tree = next->last[output];
    Leaf *leaf = next->leaf[output];
    uint64_t depth = (uint64_t)plan->phase - PHASE_LEVEL;
    HistogramNode node = {sums[plan->binned.bins], leaf[at].low, leaf[at].high}, left, right;
    HistogramSplit split = {.found = false};
    uint32_t children[2];

    for (uint32_t f = 0; f < plan->binned.features && may_split(next, scale, &node.total, depth); f++)
        histogram_split_feature(&plan->binned, &next->growth, scale, &node, f, sums + plan->binned.feature[f].first, NULL, &split);
    leaf[at].open = false;
    leaf[at].value = histogram_node_value(&next->growth, scale, &node);
    if (!split.found)
        return;
    left = right = node;
    left.total = split.left;
    right.total = (HistogramSum){node.total.gradient - left.total.gradient, node.total.packed - left.total.packed};
    next->importance[split.feature] +=
        fmax(0, purity_of(next, scale, &left.total) + purity_of(next, scale, &right.total) - purity_of(next, scale, &node.total)) / plan->weight;
    histogram_bound_children(&next->growth, scale, split.feature, &left, &right);
    write_split(next, tree, at, &split);
    children[0] = grown_tree_node(tree);
    children[1] = grown_tree_node(tree);
    tree->nodes[at].left = children[0];
    tree->nodes[at].right = children[1];
    for (int i = 0; i < 2; i++) {
        const HistogramNode *child = i == 0 ? &left : &right;

        leaf[children[i]] = (Leaf){may_split(next, scale, &child->total, depth + 1), histogram_node_value(&next->growth, scale, child), child->low, child->high};
        tree->nodes[children[i]].cover = (double)histogram_count(scale, child->total.packed);
        next->grows |= leaf[children[i]].open;
    }
}

/* Grows the trees by a level. */
static void grow(Next *next)
{
    const BoostPlan *plan = next->plan;

    for (uint32_t k = 0; k < plan->outputs; k++) {
        GrownTree *tree = next->last[k] = copy_tree(next, plan->first_tree + k);
        uint32_t at = first_leaf(plan, k), count = tree->count;
        Leaf *leaf = next->leaf[k] = env_array(next->env, 3 * (size_t)count + 1, sizeof(Leaf));

        for (uint32_t i = 0; i < count; i++) {
            const double *from = plan->leaf + (size_t)at * LEAF_NUMBERS;

            if (tree->nodes[i].left != TREE_NONE)
                continue;
            leaf[i] = (Leaf){false, from[LEAF_VALUE], from[LEAF_LOW], from[LEAF_HIGH]};
            if (plan->place[at] != LEAF_CLOSED)
                settle(next, k, i, (const HistogramSum *)next->sums + (size_t)plan->place[at] * plan->width);
            at++;
            next->env->poll(next->env);
        }
    }
}

/* Gives the leaves of the trees their values. */
static void end_trees(Next *next)
{
    for (uint32_t k = 0; k < next->plan->outputs; k++)
        for (uint32_t i = 0; i < next->last[k]->count; i++) {
            double value = next->leaf[k][i].value * next->rate;

            if (next->last[k]->nodes[i].left != TREE_NONE)
                continue;
            if (!isfinite(value))
                env_fail(next->env, ERROR_RANGE, "Divide the target by a power of ten, or use smaller weights.",
                         "a leaf of boosting_step exceeds the range of double precision");
            next->last[k]->nodes[i].value = isfinite((float)value) ? (float)value : value;
        }
}

/* ---- building ---- */

/* Tells whether the next model keeps an array or fact of the state. */
static bool is_kept(const ModelEntry *entry)
{
    static const char *const replaced[] = {"baseline", "importance", "priors", "tree_nodes", "split", "threshold", "category_sets", "leaf_value", "leaf_cover",
                                           "step_of", "step_place", "step_factors", "step_numbers", "step_leaves", "iterations", "trees", "training_loss", NULL};

    return !model_entry_is_any(entry, replaced) && strncmp(entry->name, "sum_", 4) != 0;
}

/* The same for the last model. */
static bool is_of_result(const ModelEntry *entry)
{
    return is_kept(entry) && strncmp(entry->name, "step_", 5) != 0;
}

/* Writes step_leaves: the leaves of a tree in the order in which the model has them. */
static double *put_leaves(const Next *next, uint32_t output, double *out)
{
    const GrownTree *tree = next->last[output];
    uint32_t *stack = env_array(next->env, (size_t)tree->count + 2, sizeof(uint32_t)), top = 0;

    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const Leaf *leaf = &next->leaf[output][at];

        if (tree->nodes[at].left != TREE_NONE) {
            stack[top++] = tree->nodes[at].right;
            stack[top++] = tree->nodes[at].left;
            continue;
        }
        out[LEAF_OPEN] = leaf->open;
        out[LEAF_VALUE] = leaf->value;
        out[LEAF_LOW] = leaf->low;
        out[LEAF_HIGH] = leaf->high;
        out += LEAF_NUMBERS;
    }
    next->env->release(next->env, stack);
    return out;
}

/* Adds what the next pass needs beside the trees. */
static void add_progress(Next *next, ModelBuilder *builder)
{
    uint32_t outputs = next->plan->outputs, leaves = 0;
    double *leaf, *out;

    builder_i64(builder, SECTION_ARRAYS, "step_place", next->place, 2);
    if (next->factors != NULL)
        builder_f64(builder, SECTION_ARRAYS, "step_factors", next->factors, next->plan->classes);
    if (!next->grows)
        return;
    for (uint32_t k = 0; k < outputs; k++)
        leaves += (next->last[k]->count + 1) / 2;
    leaf = out = env_array(next->env, (size_t)leaves * LEAF_NUMBERS, sizeof(double));
    for (uint32_t k = 0; k < outputs; k++)
        out = put_leaves(next, k, out);
    builder_f64(builder, SECTION_ARRAYS, "step_leaves", leaf, leaves * LEAF_NUMBERS);
    builder_f64(builder, SECTION_ARRAYS, "step_numbers", next->numbers, 3 * outputs + 2);
}

/* Builds the next model, which begins with the trees of earlier iterations. */
static Model *build(Next *next, bool last, double loss)
{
    const BoostPlan *plan = next->plan;
    ModelBuilder *builder = builder_from(next->env, next->state, last ? is_of_result : is_kept);
    TreeStore *store = tree_store(next->env, next->state, false);

    tree_store_use_floats(store, true);
    for (uint32_t t = 0; t < plan->first_tree; t++) {
        GrownTree *tree = copy_tree(next, t);

        tree_store_append(store, tree);
        grown_tree_free(tree);
    }
    for (uint32_t k = 0; k < plan->outputs && next->done[k] != NULL; k++)
        tree_store_append(store, next->done[k]);
    for (uint32_t k = 0; k < plan->outputs && next->last[k] != NULL; k++)
        tree_store_append(store, next->last[k]);
    builder_f64(builder, SECTION_ARRAYS, "baseline", next->baseline, plan->outputs);
    builder_f64(builder, SECTION_ARRAYS, "importance", next->importance, plan->binned.features);
    if (next->priors != NULL)
        builder_f64(builder, SECTION_ARRAYS, "priors", next->priors, plan->classes);
    tree_store_add(store, builder);
    builder_fact_i64(builder, "iterations", next->place[1]);
    builder_fact_i64(builder, "trees", tree_store_trees(store));
    if (!isnan(loss))
        builder_fact(builder, "training_loss", loss);
    if (!last)
        add_progress(next, builder);
    return model_require_readable(next->env, model_build(builder));
}

/* Reads the arrays that models hand on. */
static void read_arrays(Next *next)
{
    const BoostPlan *plan = next->plan;
    uint32_t length, classes = plan->classes;
    const double *importance = model_f64(next->state, "importance", &length), *baseline = model_f64(next->state, "baseline", &length);
    const double *priors = classes > 0 ? model_f64(next->state, "priors", &length) : NULL;

    next->baseline = env_array(next->env, plan->outputs, sizeof(double));
    memcpy(next->baseline, baseline, plan->outputs * sizeof(double));
    next->importance = env_array(next->env, (size_t)plan->binned.features + 1, sizeof(double));
    for (uint32_t f = 0; importance != NULL && f < plan->binned.features; f++)
        next->importance[f] = importance[f];
    next->priors = (double *)priors;
    next->factors = (double *)plan->factors;
}

static Next open_next(Env *env, const Model *state)
{
    Next next = {.env = env, .state = state, .options = estimator_options(env, estimator_of(state), state), .plan = boosting_plan(env, state)};
    Boosting read = {.env = env, .method = state->estimator, .options = next.options};

    boosting_read_growth(&read, state);
    next.growth = read.growth;
    next.growth.min_decrease *= 2.0 * (double)state->rows; /* boosting_run */
    next.rate = read.rate;
    next.iterations = next.plan->classes == 1 ? 1 : read.iterations;
    next.values = model_f64(state, "sum_values", NULL);
    next.sums = next.plan->phase >= PHASE_LEVEL ? model_i64(state, "sum_bins", NULL) : NULL;
    next.done = env_array(env, next.plan->outputs, sizeof(GrownTree *));
    next.last = env_array(env, next.plan->outputs, sizeof(GrownTree *));
    next.leaf = env_array(env, next.plan->outputs, sizeof(Leaf *));
    next.place[1] = next.plan->iterations;
    read_arrays(&next);
    return next;
}

/* Goes on to the next level, or to the next iteration where no leaf is left to split. */
static Model *finish_level(Next *next)
{
    const BoostPlan *plan = next->plan;
    uint32_t length;

    if ((double)next->state->rows != plan->rows)
        env_fail(next->env, ERROR_PARAMETER, "Give every pass the same rows.", "boosting_step was given %llu rows, but %.0f in the pass before",
                 (unsigned long long)next->state->rows, plan->rows);
    grow(next);
    next->numbers = (double *)model_f64(next->state, "step_numbers", &length);
    if (next->grows) {
        next->place[0] = plan->phase + 1;
    } else {
        end_trees(next);
        next->place[0] = PHASE_MEASURE;
        next->place[1]++;
    }
    return build(next, false, model_fact(next->state, "training_loss", NAN));
}

Model *boosting_step_finish(Env *env, const Model *state)
{
    Next next;
    double loss;
    uint32_t rest;

    if (state->rows == 0)
        return NULL;
    next = open_next(env, state);
    if (next.plan->phase >= PHASE_LEVEL)
        return finish_level(&next);
    if (next.plan->phase == PHASE_BEGIN) {
        set_constants(&next);
        return build(&next, false, NAN);
    }
    rest = next.plan->outputs * MEASURE_EACH;
    loss = carried_at(&next, rest + MEASURE_LOSS) / carried_at(&next, rest + MEASURE_WEIGHT);
    if (next.plan->iterations > 0)
        set_covers(&next);
    if (next.plan->iterations >= next.iterations)
        return build(&next, true, loss);
    set_scales(&next);
    begin_trees(&next);
    next.place[0] = PHASE_LEVEL;
    return build(&next, false, loss);
}
