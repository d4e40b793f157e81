/*
 * xgboost_write.c - boosted trees as the JSON document that XGBoost (1.6 and later) loads.
 *
 * What a row with float features scores in double precision here, it scores there in single precision: x <= threshold becomes
 * x < the next float above. The baselines are trees of one leaf before the others, because the base score of a document goes
 * through the objective, which rounds.
 */
#include "core/estimator/class_options.h"
#include "core/estimator/classifier_output.h"
#include "core/estimator/conformal.h"
#include "core/boosting/boosting_scores.h"
#include "core/import/float_threshold.h"
#include "core/exchange/xgboost.h"
#include "core/formula/formula_model.h"
#include "core/tree_value/tree_model.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POLL_NODES 4096

/* One tree of the document, with its nodes level by level: XGBoost takes the node after a left child for the right one. */
typedef struct WrittenTree {
    Env *env;
    const TreeScorer *scorer;
    const TreeNode *root; /* of the model; NULL: one leaf */
    uint32_t count;
    double value;     /* of the leaf, without nodes */
    uint32_t *from;   /* [count] which node of the model each is */
    uint32_t *left;   /* [count] */
    uint32_t *parent; /* [count] */
    double *cover;    /* [count] */
    uint32_t odd;    /* thresholds that no float separates as they do, of all trees */
} WrittenTree;

typedef void (*PutElement)(TextBuffer *out, WrittenTree *tree, uint32_t i);

static void refuse(Env *env, const char *what, const char *hint) __attribute__((noreturn));
static void refuse(Env *env, const char *what, const char *hint)
{
    env_fail(env, ERROR_KIND, hint, "XGBoost has no equal for %s", what);
}

/* ---- numbers ---- */

/* Adds a float, with an exponent, which tells XGBoost that it is no whole number. */
static void put_float(TextBuffer *out, double value)
{
    if (isinf(value))
        text_add(out, value > 0 ? "Infinity" : "-Infinity");
    else
        text_print(out, "%.8E", value);
}

/* Returns the smallest float above a threshold; counts those that no float separates in the same way. */
static double condition_of(WrittenTree *tree, double threshold)
{
    float above = float_above(threshold);

    if (isinf(threshold))
        return threshold;
    tree->odd += (double)(float)threshold != threshold && threshold != double_below_float(above);
    return above;
}

/* ---- the arrays of a tree ---- */

static const TreeNode *node_of(const WrittenTree *tree, uint32_t i)
{
    return tree->root + tree->from[i];
}

static bool is_leaf(const WrittenTree *tree, uint32_t i)
{
    return tree->root == NULL || node_of(tree, i)->split == TREE_LEAF;
}

static bool is_category(const WrittenTree *tree, uint32_t i)
{
    return !is_leaf(tree, i) && node_of(tree, i)->split & TREE_CATEGORY;
}

/* Tells whether the children of a split change sides, because all levels go left, and the codes of a document go right: one at least. */
static bool is_mirrored(const WrittenTree *tree, uint32_t i)
{
    if (!is_category(tree, i))
        return false;
    for (uint32_t slot = node_of(tree, i)->split >> 2, level = 0; level < tree->scorer->levels[slot]; level++)
        if (!tree_level_left(tree->scorer, node_of(tree, i), (double)tree->scorer->first_level[slot] + level))
            return false;
    return true;
}

static void put_zero(TextBuffer *out, WrittenTree *tree, uint32_t i)
{
    text_add(out, "0E0");
}

static void put_cover(TextBuffer *out, WrittenTree *tree, uint32_t i)
{
    put_float(out, tree->cover[i]);
}

static void put_left(TextBuffer *out, WrittenTree *tree, uint32_t i)
{
    json_int(out, is_leaf(tree, i) ? -1 : (int64_t)tree->left[i]);
}

static void put_right(TextBuffer *out, WrittenTree *tree, uint32_t i)
{
    json_int(out, is_leaf(tree, i) ? -1 : (int64_t)tree->left[i] + 1);
}

static void put_parent(TextBuffer *out, WrittenTree *tree, uint32_t i)
{
    json_int(out, i == 0 ? INT32_MAX : tree->parent[i]);
}

static void put_slot(TextBuffer *out, WrittenTree *tree, uint32_t i)
{
    json_int(out, is_leaf(tree, i) ? 0 : node_of(tree, i)->split >> 2);
}

static void put_default(TextBuffer *out, WrittenTree *tree, uint32_t i)
{
    json_int(out, !is_leaf(tree, i) && ((node_of(tree, i)->split & TREE_MISSING_LEFT) != 0) != is_mirrored(tree, i));
}

static void put_type(TextBuffer *out, WrittenTree *tree, uint32_t i)
{
    json_int(out, is_category(tree, i));
}

static void put_condition(TextBuffer *out, WrittenTree *tree, uint32_t i)
{
    double value = boosting_scaled(tree->scorer->model, tree->root == NULL ? tree->value : node_of(tree, i)->of.value);

    if (is_category(tree, i))
        put_zero(out, tree, i);
    else if (!is_leaf(tree, i))
        put_float(out, condition_of(tree, node_of(tree, i)->of.threshold));
    else if (isinf((float)value))
        refuse(tree->env, env_message(tree->env, "a leaf of %g, because its numbers are floats", value), NULL);
    else
        put_float(out, value);
}

static void put_array(TextBuffer *out, WrittenTree *tree, const char *name, PutElement put)
{
    text_print(out, "\"%s\":[", name);
    for (uint32_t i = 0; i < tree->count; i++) {
        if (i > 0)
            text_character(out, ',');
        put(out, tree, i);
        if (i % POLL_NODES == 0)
            tree->env->poll(tree->env);
    }
    text_add(out, "],");
}

/* Adds the codes that go right at a split. Returns how many. */
static uint32_t put_codes(TextBuffer *out, const WrittenTree *tree, uint32_t i, bool first)
{
    const TreeScorer *scorer = tree->scorer;
    uint32_t slot = node_of(tree, i)->split >> 2, count = 0;
    bool mirrored = is_mirrored(tree, i);

    for (uint32_t level = 0; level < scorer->levels[slot]; level++) {
        if (tree_level_left(scorer, node_of(tree, i), (double)scorer->first_level[slot] + level) != mirrored)
            continue;
        text_print(out, "%s%u", first && count == 0 ? "" : ",", level);
        count++;
    }
    return count;
}

static void put_categories(TextBuffer *out, WrittenTree *tree)
{
    TextBuffer nodes = {.env = tree->env}, segments = {.env = tree->env}, sizes = {.env = tree->env};
    uint64_t used = 0;

    text_add(out, "\"categories\":[");
    for (uint32_t i = 0; i < tree->count; i++) {
        const char *comma = used > 0 ? "," : "";
        uint32_t count;

        if (!is_category(tree, i))
            continue;
        tree->env->poll(tree->env);
        count = put_codes(out, tree, i, used == 0);
        text_print(&nodes, "%s%u", comma, i);
        text_print(&segments, "%s%llu", comma, (unsigned long long)used);
        text_print(&sizes, "%s%u", comma, count);
        used += count;
    }
    text_print(out, "],\"categories_nodes\":[%s],\"categories_segments\":[%s],\"categories_sizes\":[%s],", text_finish(&nodes, NULL),
               text_finish(&segments, NULL), text_finish(&sizes, NULL));
}

/* ---- trees ---- */

/* Numbers the nodes, and sets their covers. */
static void lay_out(WrittenTree *tree)
{
    uint32_t used = 1;

    tree->from[0] = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        if (is_leaf(tree, i))
            continue;
        tree->from[used + is_mirrored(tree, i)] = tree->from[i] + 1;
        tree->from[used + !is_mirrored(tree, i)] = tree->from[i] + node_of(tree, i)->right;
        tree->parent[used] = tree->parent[used + 1] = i;
        tree->left[i] = used;
        used += 2;
    }
    for (uint32_t i = tree->count; i-- > 0;)
        tree->cover[i] = is_leaf(tree, i) ? tree->scorer->leaf_cover[node_of(tree, i)->right] : tree->cover[tree->left[i]] + tree->cover[tree->left[i] + 1];
}

static void put_tree(TextBuffer *out, WrittenTree *tree, uint32_t number)
{
    static const struct {
        const char *name;
        PutElement put;
    } arrays[] = {{"base_weights", put_zero},  {"default_left", put_default}, {"left_children", put_left},       {"loss_changes", put_zero}, {"parents", put_parent},
                  {"right_children", put_right}, {"split_conditions", put_condition}, {"split_indices", put_slot}, {"split_type", put_type},   {"sum_hessian", put_cover}};

    text_print(out, "%s{\"id\":%u,", number > 0 ? "," : "", number);
    for (size_t a = 0; a < sizeof(arrays) / sizeof(arrays[0]); a++)
        put_array(out, tree, arrays[a].name, arrays[a].put);
    put_categories(out, tree);
    text_print(out, "\"tree_param\":{\"num_deleted\":\"0\",\"num_feature\":\"%u\",\"num_nodes\":\"%u\",\"size_leaf_vector\":\"0\"}}", tree->scorer->slots,
               tree->count);
}

static void put_trees(TextBuffer *out, const Model *model)
{
    Env *env = out->env;
    const TreeScorer *scorer = tree_scorer(env, model);
    uint32_t outputs = boosting_outputs(model), count = scorer->trees + outputs, most = 1;
    WrittenTree tree = {.env = env, .scorer = scorer};

    for (uint32_t t = 0; t < scorer->trees; t++)
        most = scorer->root[t + 1] - scorer->root[t] > most ? scorer->root[t + 1] - scorer->root[t] : most;
    tree.cover = env_array(env, most, sizeof(double));
    tree.parent = env_array(env, most, sizeof(uint32_t));
    tree.left = env_array(env, most, sizeof(uint32_t));
    tree.from = env_array(env, most, sizeof(uint32_t));
    text_print(out, "{\"gbtree_model_param\":{\"num_parallel_tree\":\"1\",\"num_trees\":\"%u\",\"size_leaf_vector\":\"0\"},\"tree_info\":[", count);
    for (uint32_t t = 0; t < count; t++)
        text_print(out, "%s%u", t > 0 ? "," : "", t % outputs);
    text_add(out, "],\"trees\":[");
    for (uint32_t t = 0; t < count; t++) {
        tree.root = t < outputs ? NULL : scorer->node + scorer->root[t - outputs];
        tree.count = t < outputs ? 1 : scorer->root[t - outputs + 1] - scorer->root[t - outputs];
        tree.cover[0] = 0;
        if (tree.root != NULL)
            lay_out(&tree);
        else
            tree.value = model_f64(model, "baseline", NULL)[t];
        put_tree(out, &tree, t);
    }
    text_add(out, "]}");
    if (tree.odd > 0)
        env_warn(env, ERROR_DATA, "Round the features to real before both fits and scores.",
                 "%u of %u thresholds are no floats: XGBoost, which rounds features to floats, may send rows close to them the other way", tree.odd,
                 (scorer->nodes - scorer->trees) / 2);
}

/* ---- the rest of the document ---- */

/* Fails unless a document can say all that the model does. */
static void require_sayable(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    char *offset;

    if (estimator == NULL || (strcmp(estimator->name, "boosted_trees_regression") != 0 && strcmp(estimator->name, "boosted_trees_classifier") != 0))
        refuse(env, env_message(env, model->kind == MODEL_FITTED ? "a model of %.31s" : "moments", model->estimator), "Export boosted trees.");
    if (classifier_output_any(model))
        refuse(env, "a calibration or a decision rule", "Export the model without them.");
    if (conformal_strip(env, model) != model)
        refuse(env, "conformal limits", "Export the model without them.");
    if (formula_model_sql(env, model, &offset) != NULL || offset != NULL)
        refuse(env, "a formula", "Fit the model to columns that a query computes.");
    if (!model_nulls_are_values(model->flags))
        refuse(env, "missing values that are replaced or skipped", "Fit the model with \"nulls\": \"branch\".");
    if (dictionary_size(model, DICTIONARY_CLASSES) == 1)
        refuse(env, "a model of one class", "Fit it on rows of at least two classes.");
    if (estimator->task == TASK_CLASSIFICATION && class_rule_of(model).threshold != 0.5)
        refuse(env, env_message(env, "a threshold of %g", class_rule_of(model).threshold), "Fit the model without \"threshold\".");
}

/* Fails unless a feature can be one of XGBoost, with this name. */
static void require_feature(Env *env, const Model *model, uint32_t field, const char *name)
{
    FieldKind kind = schema_field_kind(model, field);

    if ((kind != FIELD_NUMERIC && kind != FIELD_BOOLEAN && kind != FIELD_CATEGORICAL) || schema_field_width(model, field) != 1)
        refuse(env, env_message(env, "feature \"%.60s\", %s", name, schema_field_width(model, field) != 1 ? "an array" : field_kind_name(kind)),
               "Fit the model to numbers.");
    if (strpbrk(name, "[]<") != NULL)
        refuse(env, env_message(env, "the name \"%.60s\" of a feature, because of its brackets", name), "Rename the column before the fit.");
}

/* Adds the names and types of the features; names only where they have some. */
static void put_features(TextBuffer *out, const Model *model)
{
    Env *env = out->env;
    SchemaView view;
    TextBuffer types = {.env = env};

    schema_view(model, &view);
    text_add(out, "\"feature_names\":[");
    for (uint32_t f = 0; f < model->field_count; f++) {
        FieldKind kind = schema_field_kind(model, f);
        uint32_t length = 0;
        const char *name = view.field_names != NULL ? model_text(model, view.field_names, f, &length) : "";
        char *own = env_text(env, name, length);

        require_feature(env, model, f, own);
        if (model->flags & MODEL_NAMED) {
            text_add(out, f > 0 ? "," : "");
            json_quote(out, name, length);
        }
        text_print(&types, "%s\"%s\"", f > 0 ? "," : "", kind == FIELD_CATEGORICAL ? "c" : kind == FIELD_BOOLEAN ? "i" : "float");
        if (f % POLL_NODES == 0)
            env->poll(env);
    }
    text_print(out, "],\"feature_types\":[%s],", text_finish(&types, NULL));
}

/* Adds the labels or levels [count] from a place of a dictionary on, as an array. */
static void put_texts(TextBuffer *out, const Model *model, DictionaryKind kind, uint32_t first, uint32_t count)
{
    text_character(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        const char *text = dictionary_text(model, kind, first + i, &length);

        text_add(out, i > 0 ? "," : "");
        json_quote(out, text, length);
    }
    text_character(out, ']');
}

/* Adds the attributes: what labels and codes stand for, as options of import_model. */
static void put_attributes(TextBuffer *out, const Model *model)
{
    TextBuffer names = {.env = out->env};
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES), levels = dictionary_size(model, DICTIONARY_LEVELS), count;

    text_add(&names, "{");
    if (classes > 0) {
        text_add(&names, "\"classes\":");
        put_texts(&names, model, DICTIONARY_CLASSES, 0, classes);
        text_character(&names, ',');
    }
    text_add(&names, "\"levels\":{");
    for (uint32_t first = 0; first < levels && model->flags & MODEL_NAMED; first += count) {
        uint32_t field = dictionary_field(model, first), length;
        SchemaView view;
        const char *name;

        schema_view(model, &view);
        name = model_text(model, view.field_names, field, &length);
        count = schema_field_levels(model, field);
        text_add(&names, first > 0 ? "," : "");
        json_quote(&names, name, length);
        text_character(&names, ':');
        put_texts(&names, model, DICTIONARY_LEVELS, first, count);
    }
    text_add(&names, "}}");
    text_add(out, "\"attributes\":{\"pgfit\":");
    json_quote(out, names.text, names.length);
    text_add(out, "},");
}

static void put_objective(TextBuffer *out, const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);

    text_add(out, "\"objective\":{");
    switch (boosting_link(model)) {
    case BOOST_IDENTITY:
        text_add(out, "\"name\":\"reg:squarederror\",\"reg_loss_param\":{\"scale_pos_weight\":\"1\"}}");
        break;
    case BOOST_LOG:
        text_add(out, "\"name\":\"count:poisson\",\"poisson_regression_param\":{\"max_delta_step\":\"7E-1\"}}");
        break;
    case BOOST_LOGISTIC:
        text_print(out, "\"name\":\"%s\",\"reg_loss_param\":{\"scale_pos_weight\":\"1\"}}", classes > 0 ? "binary:logistic" : "reg:logistic");
        break;
    case BOOST_SOFTMAX:
        text_print(out, "\"name\":\"multi:softprob\",\"softmax_multiclass_param\":{\"num_class\":\"%u\"}}", classes);
    }
}

static void xgboost_write(Env *env, const Model *model, TextBuffer *out)
{
    static const char *const bases[] = {"0E0", "1E0", "5E-1", "0E0"}; /* by BoostLink: those whose score is 0 */
    BoostLink link;

    require_sayable(env, model);
    link = boosting_link(model);
    if (link == BOOST_LOGISTIC && dictionary_size(model, DICTIONARY_CLASSES) > 0 && class_rule_of(model).positive != 1)
        refuse(env, "a first class that is the positive one", "Fit the model without \"positive\", or turn the labels.");
    text_add(out, "{\"learner\":{");
    put_attributes(out, model);
    put_features(out, model);
    text_add(out, "\"gradient_booster\":{\"name\":\"gbtree\",\"model\":");
    put_trees(out, model);
    text_print(out, "},\"learner_model_param\":{\"base_score\":\"%s\",\"boost_from_average\":\"0\",\"num_class\":\"%u\",\"num_feature\":\"%u\",\"num_target\":\"1\"},",
               bases[link], link == BOOST_SOFTMAX ? dictionary_size(model, DICTIONARY_CLASSES) : 0, model->slot_count);
    put_objective(out, model);
    text_add(out, "},\"version\":[1,7,4]}");
}

const ExportFormat export_xgboost = {.name = "xgboost", .write = xgboost_write};
