/*
 * pmml_write_trees.c - trees, forests and boosted trees as TreeModel and MiningModel.
 *
 * Two children take all rows of a node between them. Where NULLs are values, the node names the child that takes them; unknown levels go where
 * the test "is not in this set" is true.
 */
#include "core/boosting/boosting_scores.h"
#include "core/pmml/pmml_write.h"
#include "core/tree_value/tree_model.h"

#include <math.h>

#define MOST_DEPTH 200 /* parsers of XML refuse elements that are nested much deeper */

typedef enum LeafKind { LEAF_NUMBER, LEAF_SHARES, LEAF_CLASS } LeafKind;

typedef struct TreeWriter {
    PmmlWriter *writer;
    const TreeScorer *scorer;
    LeafKind leaves;
    double smoothing;
    const ClassRule *rule; /* of two classes; NULL: the largest share wins */
    bool branches;         /* NULLs are values */
    double *shares;        /* [classes] scratch */
    bool *used;            /* [slots] scratch */
} TreeWriter;

/* ---- leaves ---- */

/* Adds the score of a leaf, and its distribution to `inside`. */
static void put_leaf(TreeWriter *tree, const TreeNode *node, TextBuffer *inside)
{
    PmmlWriter *writer = tree->writer;
    const TreeScorer *scorer = tree->scorer;
    uint32_t leaf = node->right, best = 0;

    if (tree->leaves == LEAF_NUMBER) {
        pmml_put_number(writer->out, "score", node->of.value);
        pmml_put_number(writer->out, "recordCount", scorer->leaf_cover[leaf]);
        return;
    }
    for (uint32_t k = 0; k < scorer->classes; k++)
        tree->shares[k] = tree->smoothing;
    for (uint32_t i = scorer->leaf_first[leaf]; i < scorer->leaf_first[leaf + 1]; i++)
        tree->shares[scorer->leaf_class[i]] += scorer->leaf_weight[i];
    for (uint32_t k = 1; k < scorer->classes; k++)
        if (tree->shares[k] > tree->shares[best])
            best = k;
    if (tree->rule != NULL && tree->shares[0] == tree->shares[1])
        best = tree->rule->tie == TIE_POSITIVE ? tree->rule->positive : 1 - tree->rule->positive;
    pmml_put_text(writer->out, "score", pmml_dictionary_text(writer, DICTIONARY_CLASSES, best));
    for (uint32_t k = 0; tree->leaves == LEAF_SHARES && k < scorer->classes; k++) {
        if (tree->shares[k] == 0)
            continue;
        text_add(inside, "<ScoreDistribution");
        pmml_put_text(inside, "value", pmml_dictionary_text(writer, DICTIONARY_CLASSES, k));
        pmml_put_number(inside, "recordCount", tree->shares[k]);
        text_add(inside, "/>");
    }
}

/* ---- predicates ---- */

/* Adds the levels that go to a side as a set. in: the side takes these levels, else all others. */
static void put_set(TreeWriter *tree, const TreeNode *node, bool left, bool in)
{
    PmmlWriter *writer = tree->writer;
    const TreeScorer *scorer = tree->scorer;
    uint32_t slot = node->split >> 2, count = 0;
    TextBuffer texts = {.env = writer->env};

    for (uint32_t l = 0; l < scorer->levels[slot]; l++) {
        const char *text;

        if (tree_level_left(scorer, node, (double)scorer->first_level[slot] + l) != left)
            continue;
        text = pmml_dictionary_text(writer, DICTIONARY_LEVELS, scorer->first_level[slot] + l);
        text_add(&texts, count++ > 0 ? " \"" : "\"");
        for (; *text != 0; text++) {
            if (*text == '"' || *text == '\\')
                text_character(&texts, '\\');
            text_character(&texts, *text);
        }
        text_character(&texts, '"');
        env_poll_every(writer->env, l + 1, 1024);
    }
    text_add(writer->out, "<SimpleSetPredicate");
    pmml_put_text(writer->out, "field", writer->slot[slot].name);
    text_print(writer->out, " booleanOperator=\"%s\"><Array n=\"%u\" type=\"string\">", in ? "isIn" : "isNotIn", count);
    pmml_put_content(writer->out, text_finish(&texts, NULL));
    text_add(writer->out, "</Array></SimpleSetPredicate>");
}

/* Adds the predicate of a child: of its parent's split, the left or the right side. */
static void put_predicate(TreeWriter *tree, const TreeNode *node, bool left)
{
    PmmlWriter *writer = tree->writer;
    TextBuffer *out = writer->out;
    bool missing_left = node->split & TREE_MISSING_LEFT;

    if (node->split & TREE_CATEGORY) { /* the set of the side that unknown levels do not take */
        put_set(tree, node, !missing_left, missing_left != left);
        return;
    }
    if (node->of.threshold == -INFINITY && !missing_left) {
        text_add(out, left ? "<False/>" : "<True/>");
        return;
    }
    text_add(out, "<SimplePredicate");
    pmml_put_text(out, "field", writer->slot[node->split >> 2].name);
    if (isinf(node->of.threshold)) {
        text_print(out, " operator=\"%s\"/>", (node->of.threshold > 0) == left ? "isNotMissing" : "isMissing");
        return;
    }
    text_print(out, " operator=\"%s\"", left ? "lessOrEqual" : "greaterThan");
    pmml_put_number(out, "value", node->of.threshold);
    text_add(out, "/>");
}

/* ---- trees ---- */

/* Adds the nodes of a tree, from the first one on: a node, its left and its right subtree. */
static void put_nodes(TreeWriter *tree, uint32_t number)
{
    PmmlWriter *writer = tree->writer;
    TextBuffer *out = writer->out;
    const TreeNode *first = tree->scorer->node + tree->scorer->root[number];
    uint32_t count = tree->scorer->root[number + 1] - tree->scorer->root[number], depth = 0;
    uint32_t parent[MOST_DEPTH + 1]; /* of the open nodes */
    bool right[MOST_DEPTH + 1];      /* their right subtree has begun */

    for (uint32_t i = 0; i < count; i++) {
        const TreeNode *node = &first[i];
        TextBuffer inside = {.env = writer->env};

        env_poll_every(writer->env, i + 1, 256);
        text_print(out, "<Node id=\"%u\"", i);
        if (node->split == TREE_LEAF)
            put_leaf(tree, node, &inside);
        else if (tree->branches)
            text_print(out, " defaultChild=\"%u\"", node->split & TREE_MISSING_LEFT ? i + 1 : i + node->right);
        text_add(out, ">");
        if (depth == 0)
            text_add(out, "<True/>");
        else
            put_predicate(tree, &first[parent[depth - 1]], !right[depth - 1]);
        text_add(out, text_finish(&inside, NULL));
        if (node->split != TREE_LEAF) {
            if (depth == MOST_DEPTH)
                pmml_refuse(writer->env, writer->model, env_message(writer->env, "a tree is deeper than %d, and its nodes would be elements within each other", MOST_DEPTH));
            parent[depth] = i;
            right[depth++] = false;
            text_add(out, "\n");
            continue;
        }
        text_add(out, "</Node>\n");
        for (; depth > 0 && right[depth - 1]; depth--)
            text_add(out, "</Node>\n");
        if (depth > 0)
            right[depth - 1] = true;
    }
}

/* Marks the slots that a tree uses. */
static const bool *used_slots(TreeWriter *tree, uint32_t number)
{
    const TreeScorer *scorer = tree->scorer;

    memset(tree->used, 0, scorer->slots);
    for (uint32_t i = scorer->root[number]; i < scorer->root[number + 1]; i++)
        if (scorer->node[i].split != TREE_LEAF)
            tree->used[scorer->node[i].split >> 2] = true;
    return tree->used;
}

static const char *strategy_of(const TreeWriter *tree)
{
    return tree->branches ? " missingValueStrategy=\"defaultChild\" noTrueChildStrategy=\"returnNullPrediction\" splitCharacteristic=\"binarySplit\""
                          : " noTrueChildStrategy=\"returnNullPrediction\" splitCharacteristic=\"binarySplit\"";
}

/* Adds a segment with a tree. */
static void put_segment(TreeWriter *tree, uint32_t number, uint32_t id)
{
    PmmlWriter *writer = tree->writer;
    bool numbers = tree->leaves == LEAF_NUMBER;

    text_print(writer->out, "<Segment id=\"%u\"><True/><TreeModel functionName=\"%s\"%s>", id, numbers ? "regression" : "classification", strategy_of(tree));
    pmml_put_mining_schema(writer, used_slots(tree, number), !numbers);
    put_nodes(tree, number);
    text_add(writer->out, "</TreeModel></Segment>\n");
}

static TreeWriter open_trees(PmmlWriter *writer, LeafKind leaves)
{
    TreeWriter tree = {.writer = writer, .leaves = leaves, .scorer = tree_scorer(writer->env, writer->model)};
    const double *smoothing = model_f64(writer->model, "smoothing", NULL);

    tree.branches = model_nulls_are_values(writer->schema->flags) && writer->schema == writer->model;
    tree.smoothing = smoothing != NULL ? *smoothing : 0;
    tree.shares = env_array(writer->env, (size_t)tree.scorer->classes + 1, sizeof(double));
    tree.used = env_array(writer->env, (size_t)tree.scorer->slots + 1, sizeof(bool));
    if (!tree.branches && writer->schema->flags & MODEL_IMPUTE && !schema_all_numeric(writer->model))
        tree.branches = true; /* of categories; numbers are replaced */
    if (tree.scorer->trees == 0)
        pmml_refuse(writer->env, writer->model, "it has no trees");
    return tree;
}

/* ---- methods ---- */

static void put_forest(TreeWriter *tree, const char *function, const char *method)
{
    PmmlWriter *writer = tree->writer;

    if (tree->scorer->trees == 1) {
        pmml_begin_model(writer, "TreeModel", function, strategy_of(tree));
        put_nodes(tree, 0);
        text_add(writer->out, "  </TreeModel>\n");
        return;
    }
    pmml_begin_model(writer, "MiningModel", function, "");
    text_print(writer->out, "<Segmentation multipleModelMethod=\"%s\">\n", method);
    for (uint32_t t = 0; t < tree->scorer->trees; t++)
        put_segment(tree, t, t + 1);
    text_add(writer->out, "</Segmentation>\n  </MiningModel>\n");
}

static void forest_regression(PmmlWriter *writer)
{
    TreeWriter tree = open_trees(writer, LEAF_NUMBER);

    put_forest(&tree, "regression", "average");
}

static void forest_classifier(PmmlWriter *writer)
{
    bool votes = model_find(writer->model, "hard_votes") != NULL;
    TreeWriter tree = open_trees(writer, votes ? LEAF_CLASS : LEAF_SHARES);
    ClassRule rule = class_rule_of(writer->model);

    pmml_require_rule(writer);
    if (tree.scorer->classes == 2)
        tree.rule = &rule;
    put_forest(&tree, "classification", votes ? "majorityVote" : "average");
}

/* Adds a model that sums up every tree whose number is k modulo the outputs. name: of its result, or NULL. */
static void put_sum(TreeWriter *tree, uint32_t k, uint32_t outputs, const char *name)
{
    PmmlWriter *writer = tree->writer;
    TextBuffer *out = writer->out;
    bool *used = env_array(writer->env, (size_t)tree->scorer->slots + 1, sizeof(bool));

    text_print(out, "<Segment id=\"%u\"><True/><MiningModel functionName=\"regression\">", k + 1);
    for (uint32_t t = k; t < tree->scorer->trees; t += outputs) {
        const bool *own = used_slots(tree, t);

        for (uint32_t s = 0; s < tree->scorer->slots; s++)
            used[s] = used[s] || own[s];
        writer->env->poll(writer->env);
    }
    pmml_put_mining_schema(writer, used, false);
    text_print(out, "<Output><OutputField name=\"%s\" optype=\"continuous\" dataType=\"double\" feature=\"predictedValue\" isFinalResult=\"false\"/></Output>\n", name);
    text_add(out, "<Targets><Target");
    pmml_put_number(out, "rescaleConstant", model_f64(writer->model, "baseline", NULL)[k]);
    text_add(out, "/></Targets>\n<Segmentation multipleModelMethod=\"sum\">\n");
    for (uint32_t t = k; t < tree->scorer->trees; t += outputs)
        put_segment(tree, t, t / outputs + 1);
    text_add(out, "</Segmentation></MiningModel></Segment>\n");
}

/* Adds the last model of a chain: the link. */
static void put_link(TreeWriter *tree, uint32_t outputs, const char *function, const char *normalization)
{
    PmmlWriter *writer = tree->writer;
    TextBuffer *out = writer->out;
    uint32_t classes = dictionary_size(writer->model, DICTIONARY_CLASSES);
    uint32_t positive = class_rule_of(writer->model).positive;

    text_print(out, "<Segment id=\"%u\"><True/><RegressionModel functionName=\"%s\" normalizationMethod=\"%s\"><MiningSchema>", outputs + 1, function, normalization);
    for (uint32_t k = 0; k < outputs; k++)
        text_print(out, "<MiningField name=\"score(%u)\"/>", k + 1);
    text_add(out, "<MiningField");
    pmml_put_text(out, "name", writer->target);
    text_add(out, " usageType=\"target\"/></MiningSchema>\n");
    for (uint32_t k = 0; k < outputs; k++) {
        text_add(out, "<RegressionTable intercept=\"0\"");
        if (classes > 0)
            pmml_put_text(out, "targetCategory", pmml_dictionary_text(writer, DICTIONARY_CLASSES, outputs < classes ? positive : k));
        text_print(out, "><NumericPredictor name=\"score(%u)\" coefficient=\"1\"/></RegressionTable>\n", k + 1);
    }
    if (outputs < classes) { /* one score tells two classes apart */
        text_add(out, "<RegressionTable intercept=\"0\"");
        pmml_put_text(out, "targetCategory", pmml_dictionary_text(writer, DICTIONARY_CLASSES, 1 - positive));
        text_add(out, "/>\n");
    }
    text_add(out, "</RegressionModel></Segment>\n");
}

static void put_boosted(PmmlWriter *writer, const char *function)
{
    TreeWriter tree = open_trees(writer, LEAF_NUMBER);
    uint32_t outputs = boosting_outputs(writer->model);
    BoostLink link = boosting_link(writer->model);

    if (boosting_is_single(writer->model))
        pmml_refuse(writer->env, writer->model, "it adds up its trees in single precision, as the program did that fitted it");
    pmml_begin_model(writer, "MiningModel", function, "");
    text_add(writer->out, "<Segmentation multipleModelMethod=\"modelChain\">\n");
    for (uint32_t k = 0; k < outputs; k++)
        put_sum(&tree, k, outputs, env_message(writer->env, "score(%u)", k + 1));
    put_link(&tree, outputs, function, link == BOOST_IDENTITY ? "none" : link == BOOST_LOG ? "exp" : link == BOOST_LOGISTIC ? "logit" : "softmax");
    text_add(writer->out, "</Segmentation>\n  </MiningModel>\n");
}

static void boosted_regression(PmmlWriter *writer)
{
    put_boosted(writer, "regression");
}

static void boosted_classifier(PmmlWriter *writer)
{
    pmml_require_rule(writer);
    put_boosted(writer, "classification");
}

const PmmlMethod pmml_tree_methods[] = {{"boosted_trees_classifier", boosted_classifier},
                                        {"boosted_trees_regression", boosted_regression},
                                        {"extra_trees_classifier", forest_classifier},
                                        {"extra_trees_regression", forest_regression},
                                        {"forest_classifier", forest_classifier},
                                        {"forest_regression", forest_regression},
                                        {"tree_classifier", forest_classifier},
                                        {"tree_regression", forest_regression},
                                        {NULL, NULL}};
