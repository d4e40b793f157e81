/*
 * tree_start.c - continues from a fitted model (option "start"): the model that fits the rows and the options, and its trees.
 */
#include "core/tree_value/tree_start.h"
#include "core/estimator/shared_options.h"
#include "core/base/json.h"
#include "core/linear_equations/warm_start.h"
#include "core/tree_value/tree_levels.h"

#include <string.h>

#define POLL_NODES 65536 /* between two polls */
#define SPLIT_U8_LEAF 255

/* ---- the model ---- */

typedef struct StartCheck {
    Env *env;
    const char *method;
} StartCheck;

static void __attribute__((noreturn)) fail_start(const StartCheck *check, const char *hint, const char *what)
{
    env_fail(check->env, ERROR_PARAMETER, hint, "option \"start\" of %s does not fit: %s", check->method, what);
}

/* Returns the canonical text of an option; "" if it is not there. */
static char *option_text(Env *env, const Json *options, const char *name)
{
    const Json *value = json_get(options, name);
    TextBuffer out = {.env = env};

    if (value != NULL)
        json_canonical(&out, value);
    return text_finish(&out, NULL);
}

/* Fails if an option of one that is not n_trees is missing or different in the other. */
static void require_options(const StartCheck *check, const Json *one, const Json *other)
{
    Env *env = check->env;

    for (const Json *key = json_first(one); key != NULL; key = json_next(one, key)) {
        char *name = json_string(env, key);

        if (json_is(key, "n_trees") || strcmp(option_text(env, one, name), option_text(env, other, name)) == 0)
            continue;
        fail_start(check, "Give the options of the model, except n_trees.", env_message(env, "option \"%s\" differs", name));
    }
}

/* Fails unless model and rows have the same features, and both fits the same options. */
static void require_same(const StartCheck *check, const TreeStart *start, const Model *rows, const Options *options)
{
    Env *env = check->env;
    const char *difference = schema_difference(env, start->model, rows), *json;
    const Json *before, *now;
    uint32_t length;

    if (difference != NULL)
        fail_start(check, "The model and the rows must have the same features.", difference);
    json = options_used_json(options, &length);
    now = json_parse(env, json, length, ERROR_PARAMETER, "options");
    json = model_options(start->model, &length);
    before = json_parse(env, json, length, ERROR_PARAMETER, "options of the model");
    require_options(check, now, before);
    require_options(check, before, now);
    if (start->begun >= (uint32_t)options_integer(options, "n_trees"))
        fail_start(check, "Raise \"n_trees\", which counts those of the model too.",
                   env_message(env, "\"n_trees\" is %u, and it has %u already", (uint32_t)options_integer(options, "n_trees"),
                               start->begun));
}

TreeStart tree_start(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                     uint32_t (*begun)(const Model *model), ModelBuilder **builder)
{
    Model *schema = rows_schema(input->rows), *copy;
    StartCheck check = {env, self->name};
    TreeStart start = {.model = start_model(env, options, self)};

    if (start.model == NULL)
        return start;
    start.begun = begun(start.model);
    require_same(&check, &start, schema, options);
    copy = warm_start_schema(env, schema, start.model);
    if (dictionary_size(copy, DICTIONARY_CLASSES) != dictionary_size(start.model, DICTIONARY_CLASSES) ||
        dictionary_size(schema, DICTIONARY_CLASSES) != dictionary_size(start.model, DICTIONARY_CLASSES))
        fail_start(&check, "The model and the rows must have the same classes.", "the classes differ");
    if (dictionary_size(copy, DICTIONARY_LEVELS) != dictionary_size(start.model, DICTIONARY_LEVELS))
        fail_start(&check, "Fit a new model of all levels.", "the rows have a level that the model does not know");
    start.former_schema = schema;
    rows_set_schema(input->rows, copy);
    *builder = fit_begin(env, self, input, options);
    return start;
}

void tree_start_end(const TreeStart *start, Rows *rows)
{
    if (start->former_schema != NULL)
        rows_set_schema(rows, start->former_schema);
}

/* ---- its trees ---- */

struct TreeReader {
    Env *env;
    const Model *model;
    TreeLevels levels;
    const ModelEntry *nodes, *split, *threshold, *sets, *value, *cover, *leaf_classes, *leaf_class, *leaf_weight;
    uint32_t tree, node, splits, set, leaves, entry; /* where the next ones are */
    double *weights;                                 /* [classes] zeros */
};

TreeReader *tree_reader(Env *env, const Model *model)
{
    TreeReader *reader = env_array(env, 1, sizeof(TreeReader));

    reader->env = env;
    reader->model = model;
    reader->levels = tree_levels(env, model);
    reader->nodes = model_find(model, "tree_nodes");
    reader->split = model_find(model, "split");
    reader->threshold = model_find(model, "threshold");
    reader->sets = model_find(model, "category_sets");
    reader->value = model_find(model, "leaf_value");
    reader->cover = model_find(model, "leaf_cover");
    reader->leaf_classes = model_find(model, "leaf_classes");
    reader->leaf_class = model_find(model, "leaf_class");
    reader->leaf_weight = model_find(model, "leaf_weight");
    reader->weights = env_array(env, (size_t)dictionary_size(model, DICTIONARY_CLASSES) + 1, sizeof(double));
    return reader;
}

static void read_split(TreeReader *reader, GrownTree *tree, uint32_t number, uint32_t code)
{
    GrownNode *node = &tree->nodes[number];
    uint32_t slot = code / 2;

    node->slot = slot;
    node->missing_left = code & 1;
    if (reader->levels.category[slot]) {
        uint32_t bytes = tree_set_bytes(reader->levels.count[slot]), set = grown_tree_set(tree, reader->levels.count[slot]);

        if (bytes > 0)
            memcpy(tree->sets + set, (const uint8_t *)model_data(reader->model, reader->sets) + reader->set, bytes);
        reader->set += bytes;
        node->category = true;
        node->set = set;
    } else {
        double threshold = model_number(reader->model, reader->threshold, reader->splits);

        grown_tree_threshold(node, threshold, threshold, threshold);
    }
    reader->splits++;
}

static void read_leaf(TreeReader *reader, GrownTree *tree, uint32_t number)
{
    const Model *model = reader->model;
    GrownNode *node = &tree->nodes[number];
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES), count;

    if (reader->leaf_classes == NULL) {
        node->value = model_number(model, reader->value, reader->leaves);
        node->cover = model_number(model, reader->cover, reader->leaves++);
        return;
    }
    count = (uint32_t)model_number(model, reader->leaf_classes, reader->leaves++);
    for (uint32_t i = 0; i < count; i++) {
        double weight = model_number(model, reader->leaf_weight, reader->entry + i);

        reader->weights[(uint32_t)model_number(model, reader->leaf_class, reader->entry + i)] = weight;
        node->cover += weight;
    }
    grown_tree_classes(tree, number, reader->weights, classes);
    for (uint32_t i = 0; i < count; i++)
        reader->weights[(uint32_t)model_number(model, reader->leaf_class, reader->entry++)] = 0;
}

void tree_read(TreeReader *reader, GrownTree *tree)
{
    uint32_t count = (uint32_t)model_number(reader->model, reader->nodes, reader->tree++);
    uint32_t open = TREE_NONE; /* the last split without a right child, whose `right` is the one before it */

    grown_tree_clear(tree);
    for (uint32_t n = 0; n < count; n++, reader->node++) {
        uint32_t number = grown_tree_node(tree);
        double code = model_number(reader->model, reader->split, reader->node);

        if (n % POLL_NODES == 0)
            reader->env->poll(reader->env);
        if (code >= 0 && !(reader->split->type == ARRAY_U8 && code == SPLIT_U8_LEAF)) {
            read_split(reader, tree, number, (uint32_t)code);
            tree->nodes[number].left = number + 1;
            tree->nodes[number].right = open;
            open = number;
            continue;
        }
        read_leaf(reader, tree, number);
        if (open != TREE_NONE) {
            uint32_t before = tree->nodes[open].right;

            tree->nodes[open].right = number + 1;
            open = before;
        }
    }
}
