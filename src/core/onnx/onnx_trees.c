/*
 * onnx_trees.c - trees, forests and boosted trees as a TreeEnsembleRegressor of ai.onnx.ml 3, whose thresholds and leaves are doubles.
 *
 * That operator adds up in double precision but returns floats. Each output is therefore written as two: leaves rounded to multiples of a
 * power of two so large that their sums are floats exactly, and what the rounding left. The sum of both has the digits of a double.
 *
 * A split on a category becomes a chain of nodes that share the two children.
 */
#include "core/boosting/boosting_scores.h"
#include "core/estimator/class_options.h"
#include "core/onnx/onnx_parts.h"
#include "core/tree_value/tree_model.h"

#include <math.h>

#define FLOAT_BITS 24

/* What the leaves add: entries first[leaf] .. first[leaf + 1]. */
typedef struct LeafEntries {
    uint32_t outputs;
    uint32_t *first;  /* [leaves + 1] */
    uint32_t *output; /* [entries] */
    double *value;    /* [entries] */
} LeafEntries;

/* The attributes of the operator, one array per name. */
typedef struct Ensemble {
    Env *env;
    const TreeScorer *trees;
    uint32_t nodes, targets; /* written so far */
    int64_t *tree, *node, *feature, *yes, *no, *missing; /* [nodes] */
    const char **mode;
    double *value;
    int64_t *target_tree, *target_node, *target; /* [targets] */
    double *weight;
    uint32_t extra; /* numbers of the current tree's nodes that the model does not have */
} Ensemble;

/* ---- leaves ---- */

static LeafEntries leaf_entries(Env *env, const TreeScorer *trees, uint32_t outputs, size_t most)
{
    env_require_memory(env, most * (sizeof(uint32_t) + sizeof(double)), "the leaves of the graph");
    return (LeafEntries){.outputs = outputs,
                         .first = env_array(env, (size_t)trees->leaves + 1, sizeof(uint32_t)),
                         .output = env_array_raw(env, most + 1, sizeof(uint32_t)),
                         .value = env_array_raw(env, most + 1, sizeof(double))};
}

/* Returns the numbers of the leaves; tree t adds to output t % outputs. */
static LeafEntries number_entries(Env *env, const TreeScorer *trees, uint32_t outputs)
{
    LeafEntries out = leaf_entries(env, trees, outputs, trees->leaves);

    for (uint32_t t = 0; t < trees->trees; t++)
        for (uint32_t i = trees->root[t]; i < trees->root[t + 1]; i++) {
            const TreeNode *node = &trees->node[i];

            env_poll_rows(env, i);
            if (node->split != TREE_LEAF)
                continue;
            out.output[node->right] = t % outputs;
            out.value[node->right] = node->of.value;
            out.first[node->right + 1] = node->right + 1;
        }
    return out;
}

/* Returns the shares of the classes in the leaves. hard: all of a leaf goes to its strongest class. */
static LeafEntries class_entries(Env *env, const TreeScorer *trees, double smoothing, bool hard)
{
    uint32_t entries = trees->leaf_first[trees->leaves], count = 0;
    LeafEntries out = leaf_entries(env, trees, trees->classes, smoothing > 0 ? (size_t)trees->leaves * trees->classes : entries);
    double *shares = env_array(env, trees->classes, sizeof(double));

    for (uint32_t leaf = 0; leaf < trees->leaves; leaf++) {
        uint32_t begin = trees->leaf_first[leaf], end = trees->leaf_first[leaf + 1], best = begin;
        double total = trees->leaf_cover[leaf] + smoothing * trees->classes;

        env_poll_rows(env, leaf);
        for (uint32_t k = 0; k < trees->classes; k++)
            shares[k] = smoothing / total;
        for (uint32_t i = begin; i < end; i++) {
            if (trees->leaf_weight[i] > trees->leaf_weight[best])
                best = i;
            shares[trees->leaf_class[i]] = (trees->leaf_weight[i] + smoothing) / total;
        }
        for (uint32_t k = 0; k < trees->classes; k++) {
            if (hard)
                shares[k] = k == trees->leaf_class[best];
            if (shares[k] == 0)
                continue;
            out.output[count] = k;
            out.value[count++] = shares[k];
        }
        out.first[leaf + 1] = count;
    }
    return out;
}

/* ---- nodes ---- */

static void put_node(Ensemble *out, uint32_t tree, uint32_t number, const char *mode, uint32_t feature, double value, uint32_t yes, uint32_t no,
                     bool missing_yes)
{
    uint32_t i = out->nodes++;

    out->tree[i] = tree;
    out->node[i] = number;
    out->mode[i] = mode;
    out->feature[i] = feature;
    out->value[i] = value;
    out->yes[i] = yes;
    out->no[i] = no;
    out->missing[i] = missing_yes;
}

/*
 * Writes a split on a category: a chain of thresholds where its levels, by position, change sides. A missing value is at -1 and begins the
 * chain. Nodes of mode BRANCH_EQ would be shorter to read, but onnxruntime joins neighbors of them that lead to different children.
 */
static void put_category(Ensemble *out, uint32_t tree, uint32_t number, const TreeNode *node)
{
    const TreeScorer *trees = out->trees;
    uint32_t slot = node->split >> 2, child[2] = {number + node->right, number + 1}, at = number;
    bool left = node->split & TREE_MISSING_LEFT, began = false;
    double last = INFINITY;

    for (uint32_t l = 0; l < trees->levels[slot]; l++) {
        double level = trees->first_level[slot] + (double)l;

        if (tree_level_left(trees, node, level) == left)
            continue;
        if (began) {
            put_node(out, tree, at, "BRANCH_LEQ", slot, last, child[!left], out->extra, false);
            at = out->extra++;
        }
        began = true;
        last = level - 1;
        left = !left;
    }
    put_node(out, tree, at, "BRANCH_LEQ", slot, last, child[began ? !left : left], child[left], false);
}

/*
 * Adds the entries of a leaf. unit: [outputs] what the first part of each value is a multiple of; NULL: a value is one part.
 */
static void put_leaf(Ensemble *out, uint32_t tree, uint32_t number, const LeafEntries *leaves, uint32_t leaf, const double *unit)
{
    put_node(out, tree, number, "LEAF", 0, 0, 0, 0, false);
    for (uint32_t i = leaves->first[leaf]; i < leaves->first[leaf + 1]; i++) {
        double whole = unit != NULL ? nearbyint(leaves->value[i] / unit[leaves->output[i]]) * unit[leaves->output[i]] : leaves->value[i];
        double parts[2] = {whole, leaves->value[i] - whole};

        for (uint32_t part = 0; part < (unit != NULL ? 2 : 1); part++) {
            uint32_t at = out->targets++;

            out->target_tree[at] = tree;
            out->target_node[at] = number;
            out->target[at] = leaves->output[i] + part * leaves->outputs;
            out->weight[at] = parts[part];
        }
    }
}

static void put_tree(Ensemble *out, uint32_t tree, const LeafEntries *leaves, const double *unit)
{
    const TreeScorer *trees = out->trees;
    uint32_t first = trees->root[tree], count = trees->root[tree + 1] - first;

    out->extra = count;
    for (uint32_t i = 0; i < count; i++) {
        const TreeNode *node = &trees->node[first + i];

        env_poll_rows(out->env, first + i);
        if (node->split == TREE_LEAF)
            put_leaf(out, tree, i, leaves, node->right, unit);
        else if (node->split & TREE_CATEGORY)
            put_category(out, tree, i, node);
        else
            put_node(out, tree, i, "BRANCH_LEQ", node->split >> 2, node->of.threshold, i + 1, i + node->right, node->split & TREE_MISSING_LEFT);
    }
}

/* Returns a power of two of which any sum of multiples, one per tree, is a float. */
static double *find_units(Env *env, const TreeScorer *trees, const LeafEntries *leaves)
{
    double *bound = env_array(env, leaves->outputs, sizeof(double)), *largest = env_array(env, leaves->outputs, sizeof(double));

    for (uint32_t t = 0; t < trees->trees; t++) {
        memset(largest, 0, leaves->outputs * sizeof(double));
        for (uint32_t i = trees->root[t]; i < trees->root[t + 1]; i++)
            for (uint32_t leaf = trees->node[i].right, e = leaves->first[trees->node[i].split == TREE_LEAF ? leaf : 0];
                 trees->node[i].split == TREE_LEAF && e < leaves->first[leaf + 1]; e++)
                largest[leaves->output[e]] = fmax(largest[leaves->output[e]], fabs(leaves->value[e]));
        for (uint32_t k = 0; k < leaves->outputs; k++)
            bound[k] += largest[k];
        env->poll(env);
    }
    for (uint32_t k = 0; k < leaves->outputs; k++) {
        int exponent;

        frexp(bound[k], &exponent); /* bound < 2^exponent; one bit more for what rounding adds */
        bound[k] = ldexp(1, exponent + 1 - FLOAT_BITS < -1000 ? -1000 : exponent + 1 - FLOAT_BITS);
    }
    return bound;
}

static Ensemble open_ensemble(Env *env, const TreeScorer *trees, const LeafEntries *leaves)
{
    uint64_t nodes = trees->nodes, targets = 2 * (uint64_t)leaves->first[trees->leaves];
    Ensemble out = {.env = env, .trees = trees};

    for (uint32_t i = 0; i < trees->nodes; i++)
        if (trees->node[i].split != TREE_LEAF && trees->node[i].split & TREE_CATEGORY)
            nodes += trees->levels[trees->node[i].split >> 2];
    env_require_memory(env, nodes * (7 * sizeof(int64_t) + sizeof(char *)) + targets * 4 * sizeof(int64_t), "the nodes of the graph");
    out.tree = env_array_raw(env, nodes, sizeof(int64_t));
    out.node = env_array_raw(env, nodes, sizeof(int64_t));
    out.feature = env_array_raw(env, nodes, sizeof(int64_t));
    out.yes = env_array_raw(env, nodes, sizeof(int64_t));
    out.no = env_array_raw(env, nodes, sizeof(int64_t));
    out.missing = env_array_raw(env, nodes, sizeof(int64_t));
    out.mode = env_array_raw(env, nodes, sizeof(char *));
    out.value = env_array_raw(env, nodes, sizeof(double));
    out.target_tree = env_array_raw(env, targets, sizeof(int64_t));
    out.target_node = env_array_raw(env, targets, sizeof(int64_t));
    out.target = env_array_raw(env, targets, sizeof(int64_t));
    out.weight = env_array_raw(env, targets, sizeof(double));
    return out;
}

static void put_attributes(OnnxAttributes *out, const Ensemble *ensemble, uint32_t targets)
{
    onnx_integers(out, "nodes_treeids", ensemble->tree, ensemble->nodes);
    onnx_integers(out, "nodes_nodeids", ensemble->node, ensemble->nodes);
    onnx_integers(out, "nodes_featureids", ensemble->feature, ensemble->nodes);
    onnx_strings(out, "nodes_modes", ensemble->mode, NULL, ensemble->nodes);
    onnx_double_tensor(out, "nodes_values_as_tensor", ensemble->value, ensemble->nodes);
    onnx_integers(out, "nodes_truenodeids", ensemble->yes, ensemble->nodes);
    onnx_integers(out, "nodes_falsenodeids", ensemble->no, ensemble->nodes);
    onnx_integers(out, "nodes_missing_value_tracks_true", ensemble->missing, ensemble->nodes);
    onnx_integers(out, "target_treeids", ensemble->target_tree, ensemble->targets);
    onnx_integers(out, "target_nodeids", ensemble->target_node, ensemble->targets);
    onnx_integers(out, "target_ids", ensemble->target, ensemble->targets);
    onnx_double_tensor(out, "target_weights_as_tensor", ensemble->weight, ensemble->targets);
    onnx_integer(out, "n_targets", targets);
}

/* ---- scores ---- */

/* Returns the sums of what the trees add, [N, outputs]. floats: [outputs] in Python, sums of floats that begin with these; NULL: of doubles. */
static OnnxValue tree_sums(OnnxWriter *writer, const TreeScorer *trees, const LeafEntries *leaves, OnnxValue row, const double *floats)
{
    Env *env = writer->env;
    OnnxAttributes attributes = {.env = env};
    uint32_t *columns = env_array(env, 2 * (size_t)leaves->outputs, sizeof(uint32_t));
    OnnxValue sums;
    Ensemble out;
    double *unit;

    if (trees->trees == 0)
        return onnx_zeros(writer, row, trees->slots, leaves->outputs);
    unit = writer->python ? NULL : find_units(env, trees, leaves);
    out = open_ensemble(env, trees, leaves);
    for (uint32_t t = 0; t < trees->trees; t++)
        put_tree(&out, t, leaves, unit);
    put_attributes(&attributes, &out, (unit != NULL ? 2 : 1) * leaves->outputs);
    if (floats != NULL)
        onnx_double_tensor(&attributes, "floats", floats, leaves->outputs);
    if (writer->python)
        return ONNX_ML(writer, &attributes, "TreeEnsembleRegressor", row);
    sums = onnx_cast(writer, ONNX_ML(writer, &attributes, "TreeEnsembleRegressor", row), ONNX_DOUBLE);
    for (uint32_t k = 0; k < 2 * leaves->outputs; k++)
        columns[k] = k;
    return ONNX(writer, "Add", onnx_columns(writer, sums, columns, leaves->outputs),
                onnx_columns(writer, sums, columns + leaves->outputs, leaves->outputs));
}

static OnnxValue mean_of_trees(OnnxWriter *writer, const TreeScorer *trees, const LeafEntries *leaves, OnnxValue row)
{
    return ONNX(writer, "Div", tree_sums(writer, trees, leaves, row, NULL), onnx_number(writer, trees->trees));
}

static void forest_regression(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    TreeScorer *trees = tree_scorer(writer->env, model);
    LeafEntries leaves = number_entries(writer->env, trees, 1);

    onnx_prediction(writer, mean_of_trees(writer, trees, &leaves, row));
}

static void forest_classifier(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    const double *smoothing = model_f64(model, "smoothing", NULL); /* of a single tree */
    TreeScorer *trees = tree_scorer(writer->env, model);
    LeafEntries leaves = class_entries(writer->env, trees, smoothing != NULL ? *smoothing : 0, model_find(model, "hard_votes") != NULL);
    OnnxValue shares = mean_of_trees(writer, trees, &leaves, row), index;
    ClassRule rule = class_rule_of(model);

    if (trees->classes == 2)
        index = onnx_by_sign(writer, model, onnx_plus(writer, onnx_columns(writer, shares, &rule.positive, 1), -rule.threshold));
    else
        index = onnx_largest(writer, shares);
    onnx_label(writer, model, index, "probabilities", shares);
}

/* Returns the scores of boosted trees before the link. */
static OnnxValue boosted_scores(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    TreeScorer *trees = tree_scorer(writer->env, model);
    uint32_t outputs = boosting_outputs(model);
    LeafEntries leaves = number_entries(writer->env, trees, outputs);
    const double *scale = boosting_scale(model), *baseline = model_f64(model, "baseline", NULL);
    OnnxValue scores;

    if (writer->python && boosting_is_single(model) && trees->trees > 0)
        scores = tree_sums(writer, trees, &leaves, row, baseline);
    else
        scores = ONNX(writer, "Add", tree_sums(writer, trees, &leaves, row, NULL), onnx_vector(writer, baseline, outputs));
    return scale == NULL ? scores : onnx_times(writer, ONNX(writer, "Div", scores, onnx_number(writer, scale[0])), scale[1]);
}

static void boosted_regression(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    OnnxValue score = boosted_scores(writer, model, row);

    if (boosting_link(model) != BOOST_IDENTITY)
        score = ONNX(writer, boosting_link(model) == BOOST_LOG ? "Exp" : "Sigmoid", score);
    onnx_prediction(writer, score);
}

static void boosted_classifier(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    OnnxValue scores = boosted_scores(writer, model, row);

    if (boosting_link(model) == BOOST_LOGISTIC) {
        onnx_two_classes(writer, model, scores, true);
    } else {
        OnnxValue probabilities;

        onnx_decision(writer, scores, boosting_outputs(model));
        probabilities = onnx_softmax(writer, scores);
        onnx_label(writer, model, onnx_largest(writer, scores), "probabilities", probabilities);
    }
}

static void isolation_forest(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    TreeScorer *trees = tree_scorer(writer->env, model);
    LeafEntries leaves = number_entries(writer->env, trees, 1);
    OnnxValue score = ONNX(writer, "Div", mean_of_trees(writer, trees, &leaves, row), onnx_number(writer, -*model_f64(model, "path_scale", NULL)));

    score = ONNX(writer, "Pow", onnx_number(writer, 2), score);
    onnx_outlier(writer, score, ONNX(writer, "Not", ONNX(writer, "Greater", score, onnx_number(writer, *model_f64(model, "score_threshold", NULL)))));
}

const OnnxMethod onnx_tree_methods[] = {{"boosted_trees_classifier", boosted_classifier, NULL, false},
                                        {"boosted_trees_regression", boosted_regression, NULL, false},
                                        {"extra_trees_classifier", forest_classifier, NULL, false},
                                        {"extra_trees_regression", forest_regression, NULL, false},
                                        {"forest_classifier", forest_classifier, NULL, false},
                                        {"forest_regression", forest_regression, NULL, false},
                                        {"isolation_forest", isolation_forest, NULL, false},
                                        {"tree_classifier", forest_classifier, NULL, false},
                                        {"tree_regression", forest_regression, NULL, false},
                                        {NULL, NULL, NULL, false}};
