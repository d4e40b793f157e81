/*
 * xgboost_read.c - models of XGBoost, from the JSON and UBJSON that its save_model writes (versions 1.0 to 3.4).
 *
 * The document is walked three times: for what it says of the model, for the categories that its trees use, and for the trees. No
 * more than one tree is in memory beside the model. XGBoost rounds features to floats, compares x < condition, and sums scores as
 * floats, beginning with the base score; the model does the same on doubles (double_below_float, "single_precision").
 */
#include "core/boosting/boosting_scores.h"
#include "core/exchange/document.h"
#include "core/exchange/import_trees.h"
#include "core/import/float_threshold.h"
#include "core/exchange/xgboost.h"
#include "core/exchange/xgboost_categories.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 256 /* of which one must be the key "learner" */
#define MOST_FEATURES SCHEMA_MAX_SLOTS
#define MOST_TREES (1 << 24)
#define MOST_CLASSES 65536

/* How the base score of a document becomes a score before the trees. */
typedef enum BaseScore { BASE_SAME, BASE_LOGIT, BASE_LOG } BaseScore;

typedef struct Objective {
    const char *name; /* "binary:logistic" */
    bool classes;
    BoostLink link;
    BaseScore base;
} Objective;

static const Objective objectives[] = {{"reg:squarederror", false, BOOST_IDENTITY, BASE_SAME},
                                       {"reg:linear", false, BOOST_IDENTITY, BASE_SAME},
                                       {"reg:squaredlogerror", false, BOOST_IDENTITY, BASE_SAME},
                                       {"reg:absoluteerror", false, BOOST_IDENTITY, BASE_SAME},
                                       {"reg:pseudohubererror", false, BOOST_IDENTITY, BASE_SAME},
                                       {"reg:quantileerror", false, BOOST_IDENTITY, BASE_SAME},
                                       {"rank:pairwise", false, BOOST_IDENTITY, BASE_SAME},
                                       {"rank:ndcg", false, BOOST_IDENTITY, BASE_SAME},
                                       {"rank:map", false, BOOST_IDENTITY, BASE_SAME},
                                       {"reg:logistic", false, BOOST_LOGISTIC, BASE_LOGIT},
                                       {"count:poisson", false, BOOST_LOG, BASE_LOG},
                                       {"reg:gamma", false, BOOST_LOG, BASE_LOG},
                                       {"reg:tweedie", false, BOOST_LOG, BASE_LOG},
                                       {"binary:logistic", true, BOOST_LOGISTIC, BASE_LOGIT},
                                       {"binary:logitraw", true, BOOST_LOGISTIC, BASE_SAME},
                                       {"multi:softmax", true, BOOST_SOFTMAX, BASE_SAME},
                                       {"multi:softprob", true, BOOST_SOFTMAX, BASE_SAME}};

/* What a tree has of each of these arrays. */
enum { LEFT, RIGHT, SLOT, CONDITION, DEFAULT_LEFT, HESSIAN, GAIN, TYPE, CODES, CODE_NODES, CODE_SEGMENTS, CODE_SIZES, ARRAYS };
static const char *const array_names[ARRAYS] = {"left_children", "right_children", "split_indices",    "split_conditions",    "default_left",     "sum_hessian",
                                                "loss_changes",  "split_type",     "categories",       "categories_nodes",    "categories_segments", "categories_sizes"};

typedef struct RawArray {
    double *numbers;
    uint32_t count, room;
} RawArray;

/* A tree as the document has it. */
typedef struct RawTree {
    RawArray arrays[ARRAYS];
    uint32_t nodes, room;
    uint32_t *segment; /* [nodes] of a split on a category: the number of its codes among the segments, + 1 */
} RawTree;

typedef struct Booster {
    Env *env;
    Document document; /* where it begins */
    uint32_t seen;     /* parts: each may come once */
    /* learner */
    const Objective *objective;
    int64_t version[3];
    uint32_t features, classes, outputs;
    char *base_text;
    const char **names;       /* [features]; NULL: none */
    bool *category;           /* [features] */
    uint32_t named, typed;    /* how many features have names, or types */
    int64_t best_iteration;   /* -1: not said */
    char *names_text;         /* options of import_model in the attribute "pgfit"; NULL: none */
    bool by_estimator;        /* saved by the interface of scikit-learn, which predicts with the best iteration */
    /* booster */
    uint32_t parallel, trees; /* trees: those that count */
    uint32_t *group, groups;  /* [groups] the output that each tree adds to */
    const uint8_t **places;   /* [groups] where each tree begins */
    uint32_t placed;
    uint32_t depth;           /* of lists around a tree */
    bool drops;               /* trees have weights other than 1 */
    XgboostCategories categories;
} Booster;

enum { SEEN_LEARNER = 1, SEEN_BOOSTER = 2, SEEN_MODEL = 4, SEEN_TREES = 8, SEEN_GROUPS = 16, SEEN_OBJECTIVE = 32, SEEN_PARAMETERS = 64, SEEN_NAMES = 128, SEEN_TYPES = 256, SEEN_SIZES = 512, SEEN_CATEGORIES = 1024 };

/* Fails if a part of the document comes a second time. */
static void once(Booster *booster, Document *document, uint32_t part, const char *key)
{
    if (booster->seen & part)
        document_fail(document, "says \"%s\" twice", key);
    booster->seen |= part;
}

static void refuse(const Booster *booster, const char *hint, const char *format, const char *name) __attribute__((noreturn, format(printf, 3, 0)));
static void refuse(const Booster *booster, const char *hint, const char *format, const char *name)
{
    TextBuffer text = {.env = booster->env};

    text_print(&text, format, name);
    env_fail(booster->env, ERROR_DATA, hint, "%s", text_finish(&text, NULL));
}

/* ---- what the document says of the model ---- */

/* Returns a whole number that the document has as a string, or as a number. */
static int64_t string_integer(Document *document, int64_t least, int64_t most, const char *what)
{
    char *text, *end;
    long long value;

    if (document_type(document) == DOCUMENT_NUMBER)
        return document_integer(document, least, most, what);
    text = document_string(document);
    value = strtoll(text, &end, 10);
    if (end == text || *end != 0 || value < least || value > most)
        document_fail(document, "says that %s is \"%.20s\"", what, text);
    return value;
}

static void read_parameters(Booster *booster, Document *document)
{
    char key[DOCUMENT_KEY];
    DocumentList list;

    once(booster, document, SEEN_PARAMETERS, "learner_model_param");
    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);) {
        if (strcmp(key, "num_feature") == 0)
            booster->features = (uint32_t)string_integer(document, 1, MOST_FEATURES, "the number of features");
        else if (strcmp(key, "num_class") == 0)
            booster->classes = (uint32_t)string_integer(document, 0, MOST_CLASSES, "the number of classes");
        else if (strcmp(key, "num_target") == 0) {
            if (string_integer(document, 0, INT32_MAX, "the number of targets") > 1)
                refuse(booster, "Train one model per target.", "an xgboost model of several targets has no equal here%s", "");
        } else if (strcmp(key, "base_score") == 0)
            booster->base_text = document_string(document);
        else
            document_skip(document);
    }
}

static void read_objective(Booster *booster, Document *document)
{
    char key[DOCUMENT_KEY], *name = NULL;
    DocumentList list;

    once(booster, document, SEEN_OBJECTIVE, "objective");
    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);)
        if (strcmp(key, "name") == 0)
            name = document_string(document);
        else
            document_skip(document);
    for (size_t i = 0; name != NULL && i < sizeof(objectives) / sizeof(objectives[0]); i++)
        if (strcmp(name, objectives[i].name) == 0)
            booster->objective = &objectives[i];
    if (booster->objective == NULL)
        refuse(booster, "Objectives of regressions, of classes, of counts and of ranks are read.", "the xgboost objective \"%.60s\" has no equal here", name != NULL ? name : "");
}

static void read_attributes(Booster *booster, Document *document)
{
    char key[DOCUMENT_KEY];
    DocumentList list;

    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);)
        if (strcmp(key, "best_iteration") == 0)
            booster->best_iteration = string_integer(document, 0, INT32_MAX - 1, "the best iteration");
        else if (strcmp(key, "pgfit") == 0)
            booster->names_text = document_string(document);
        else {
            booster->by_estimator |= strcmp(key, "scikit_learn") == 0;
            document_skip(document);
        }
}

/* Reads an array of strings of at most MOST_FEATURES; returns how many there are. */
static uint32_t read_strings(Booster *booster, Document *document, const char ***out)
{
    const char **strings = NULL;
    uint32_t count = 0, room = 0;
    DocumentList list;

    for (document_enter(document, DOCUMENT_ARRAY, &list); document_next(document, &list); count++) {
        if (count == MOST_FEATURES)
            document_fail(document, "has more than %u features", MOST_FEATURES);
        strings = env_grow(booster->env, strings, count, &room, sizeof(char *));
        strings[count] = document_string(document);
    }
    *out = strings;
    return count;
}

static void read_types(Booster *booster, Document *document)
{
    const char **types;

    once(booster, document, SEEN_TYPES, "feature_types");
    booster->typed = read_strings(booster, document, &types);
    booster->category = env_array(booster->env, (size_t)booster->typed + 1, sizeof(bool));
    for (uint32_t i = 0; i < booster->typed; i++)
        booster->category[i] = strcmp(types[i], "c") == 0;
}

/* ---- where the trees are ---- */

static void read_groups(Booster *booster, Document *document)
{
    uint32_t room = 0;
    DocumentList list;

    once(booster, document, SEEN_GROUPS, "tree_info");
    for (document_enter(document, DOCUMENT_ARRAY, &list); document_next(document, &list); booster->groups++) {
        booster->group = env_grow(booster->env, booster->group, booster->groups, &room, sizeof(uint32_t));
        booster->group[booster->groups] = (uint32_t)document_integer(document, 0, MOST_CLASSES, "the output of a tree");
        if (booster->groups == MOST_TREES)
            document_fail(document, "has more than %d trees", MOST_TREES);
    }
}

static void read_places(Booster *booster, Document *document)
{
    uint32_t room = 0;
    DocumentList list;

    once(booster, document, SEEN_TREES, "trees");
    for (document_enter(document, DOCUMENT_ARRAY, &list); document_next(document, &list); booster->placed++) {
        if (booster->placed == MOST_TREES)
            document_fail(document, "has more than %d trees", MOST_TREES);
        booster->places = env_grow(booster->env, booster->places, booster->placed, &room, sizeof(uint8_t *));
        if (document_type(document) != DOCUMENT_OBJECT)
            document_fail(document, "has a tree that is no object");
        booster->places[booster->placed] = document->at;
        booster->depth = document->depth;
        document_skip(document);
    }
}

static void read_sizes(Booster *booster, Document *document)
{
    char key[DOCUMENT_KEY];
    DocumentList list;

    once(booster, document, SEEN_SIZES, "gbtree_model_param");
    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);)
        if (strcmp(key, "num_parallel_tree") == 0)
            booster->parallel = (uint32_t)string_integer(document, 0, MOST_TREES, "the number of trees of an iteration");
        else
            document_skip(document);
}

/* Reads the weights of trees, which versions since 3.3 write here for boosters that drop trees, where before they named them dart. */
static void read_weights(Booster *booster, Document *document)
{
    DocumentList list;

    for (document_enter(document, DOCUMENT_ARRAY, &list); document_next(document, &list);)
        booster->drops |= document_number(document) != 1;
}

static void read_trees(Booster *booster, Document *document)
{
    char key[DOCUMENT_KEY];
    DocumentList list;

    once(booster, document, SEEN_MODEL, "model");
    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);)
        if (strcmp(key, "gbtree_model_param") == 0)
            read_sizes(booster, document);
        else if (strcmp(key, "tree_info") == 0)
            read_groups(booster, document);
        else if (strcmp(key, "trees") == 0)
            read_places(booster, document);
        else if (strcmp(key, "weight_drop") == 0)
            read_weights(booster, document);
        else if (strcmp(key, "cats") == 0) {
            once(booster, document, SEEN_CATEGORIES, key);
            xgboost_categories(document, &booster->categories);
        } else
            document_skip(document);
}

static void read_booster(Booster *booster, Document *document)
{
    char key[DOCUMENT_KEY], *name = NULL;
    DocumentList list;

    once(booster, document, SEEN_BOOSTER, "gradient_booster");
    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);)
        if (strcmp(key, "name") == 0)
            name = document_string(document);
        else if (strcmp(key, "model") == 0)
            read_trees(booster, document);
        else if (strcmp(key, "weight_drop") == 0)
            read_weights(booster, document);
        else
            document_skip(document);
    if (booster->drops)
        name = "dart";
    if (name == NULL || strcmp(name, "gbtree") != 0)
        refuse(booster, "Train the model with booster gbtree.", "the xgboost booster \"%.60s\" has no equal here", name != NULL ? name : "");
}

static void read_learner(Booster *booster, Document *document)
{
    char key[DOCUMENT_KEY];
    DocumentList list;

    once(booster, document, SEEN_LEARNER, "learner");
    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);)
        if (strcmp(key, "attributes") == 0)
            read_attributes(booster, document);
        else if (strcmp(key, "feature_names") == 0) {
            once(booster, document, SEEN_NAMES, key);
            booster->named = read_strings(booster, document, &booster->names);
        } else if (strcmp(key, "feature_types") == 0)
            read_types(booster, document);
        else if (strcmp(key, "gradient_booster") == 0)
            read_booster(booster, document);
        else if (strcmp(key, "learner_model_param") == 0)
            read_parameters(booster, document);
        else if (strcmp(key, "objective") == 0)
            read_objective(booster, document);
        else
            document_skip(document);
}

static void read_version(Booster *booster, Document *document)
{
    DocumentList list;
    int i = 0;

    for (document_enter(document, DOCUMENT_ARRAY, &list); document_next(document, &list); i++)
        if (i < 3)
            booster->version[i] = document_integer(document, -1, 1000000, "its version");
        else
            document_skip(document);
}

/* Fails unless the document says all that a model needs, and no more than fits together. */
static void require_parts(Booster *booster, Document *document)
{
    static const uint32_t needed = SEEN_LEARNER | SEEN_BOOSTER | SEEN_MODEL | SEEN_TREES | SEEN_GROUPS | SEEN_OBJECTIVE | SEEN_PARAMETERS;
    bool many = booster->objective != NULL && booster->objective->link == BOOST_SOFTMAX;

    if ((booster->seen & needed) != needed || booster->features == 0 || booster->base_text == NULL)
        document_fail(document, "lacks a part of a model, or the number of features, or the base score, when it ends");
    if (booster->placed != booster->groups || booster->placed == 0)
        document_fail(document, "has %u trees and outputs of %u when it ends", booster->placed, booster->groups);
    if (many ? booster->classes < 2 : booster->classes > 1)
        document_fail(document, "has %u classes for objective %s when it ends", booster->classes, booster->objective->name);
    if ((booster->named > 0 && booster->named != booster->features) || (booster->typed > 0 && booster->typed != booster->features))
        document_fail(document, "has %u features, %u names and %u types when it ends", booster->features, booster->named, booster->typed);
    if (booster->categories.features > 0 && booster->categories.features != booster->features)
        document_fail(document, "has %u features, and categories of %u when it ends", booster->features, booster->categories.features);
    booster->outputs = many ? booster->classes : 1;
}

/* ---- a tree ---- */

static void read_numbers(Booster *booster, Document *document, RawArray *array)
{
    DocumentList list;

    for (document_enter(document, DOCUMENT_ARRAY, &list); document_next(document, &list);) {
        DocumentType type = document_type(document);

        if (array->count > INT32_MAX / 2)
            document_fail(document, "has a tree of more than %d nodes", INT32_MAX / 2);
        array->numbers = env_grow(booster->env, array->numbers, array->count, &array->room, sizeof(double));
        array->numbers[array->count++] = type == DOCUMENT_TRUE || type == DOCUMENT_FALSE ? type == DOCUMENT_TRUE : document_float(document);
        if (type == DOCUMENT_TRUE || type == DOCUMENT_FALSE)
            document_skip(document);
    }
}

/* Returns element i of an array, a whole number below `most`. */
static uint32_t whole(const Document *document, const RawTree *tree, int array, uint32_t i, double most)
{
    double value = tree->arrays[array].numbers[i];

    if (!(value >= 0 && value < most) || value != floor(value))
        document_fail(document, "has a tree that ends here, in which %s has %g where it may be up to %g", array_names[array], value, most - 1);
    return (uint32_t)value;
}

/* Notes which codes each split on a category has. No code may be of two: a walk through all splits reads each once. */
static void find_segments(const Document *document, RawTree *tree)
{
    const RawArray *arrays = tree->arrays;
    uint32_t segments = arrays[CODE_NODES].count, left = arrays[CODES].count;

    if (arrays[CODE_SEGMENTS].count != segments || arrays[CODE_SIZES].count != segments)
        document_fail(document, "has a tree that ends here, with %u, %u and %u categories_nodes, _segments and _sizes", segments, arrays[CODE_SEGMENTS].count,
                      arrays[CODE_SIZES].count);
    memset(tree->segment, 0, tree->nodes * sizeof(uint32_t));
    for (uint32_t k = 0; k < segments; k++) {
        uint32_t node = whole(document, tree, CODE_NODES, k, tree->nodes);
        uint32_t first = whole(document, tree, CODE_SEGMENTS, k, (double)arrays[CODES].count + 1);

        left -= whole(document, tree, CODE_SIZES, k, (double)(arrays[CODES].count - first < left ? arrays[CODES].count - first : left) + 1);
        tree->segment[node] = k + 1;
    }
}

/* Reads the tree at this place, and compares the lengths of its arrays. */
static void read_tree(Booster *booster, Document *document, RawTree *tree)
{
    char key[DOCUMENT_KEY];
    DocumentList list;
    uint32_t found = 0;

    for (int a = 0; a < ARRAYS; a++)
        tree->arrays[a].count = 0;
    for (document_enter(document, DOCUMENT_OBJECT, &list); document_next_key(document, &list, key);) {
        int a = 0;

        while (a < ARRAYS && strcmp(key, array_names[a]) != 0)
            a++;
        if (a == ARRAYS) {
            document_skip(document);
            continue;
        }
        if (found >> a & 1)
            document_fail(document, "says \"%s\" twice", key);
        found |= 1u << a;
        read_numbers(booster, document, &tree->arrays[a]);
    }
    tree->nodes = tree->arrays[LEFT].count;
    for (int a = 0; a <= TYPE; a++)
        if (tree->arrays[a].count != tree->nodes && (a < GAIN || tree->arrays[a].count > 0))
            document_fail(document, "has a tree that ends here, with %u left_children and %u %s", tree->nodes, tree->arrays[a].count, array_names[a]);
    if (tree->nodes == 0)
        document_fail(document, "has a tree without nodes that ends here");
    if (tree->nodes > tree->room) {
        tree->room = tree->nodes;
        tree->segment = booster->env->resize(booster->env, tree->segment, (size_t)tree->room * sizeof(uint32_t));
    }
    find_segments(document, tree);
}

static bool is_leaf(const RawTree *tree, uint32_t node)
{
    return tree->arrays[LEFT].numbers[node] < 0;
}

static bool is_category(const RawTree *tree, uint32_t node)
{
    return tree->arrays[TYPE].count > 0 && tree->arrays[TYPE].numbers[node] != 0;
}

/* Adds the codes of a split on a category. */
static void put_codes(const Document *document, const RawTree *raw, uint32_t number, ImportTree *tree)
{
    uint32_t segment = raw->segment[number], first, count;

    if (segment == 0)
        document_fail(document, "has a tree that ends here, in which node %u has no categories", number);
    first = (uint32_t)raw->arrays[CODE_SEGMENTS].numbers[segment - 1];
    count = (uint32_t)raw->arrays[CODE_SIZES].numbers[segment - 1];
    tree->nodes[number].first_code = tree->code_count;
    tree->nodes[number].codes = count;
    for (uint32_t i = 0; i < count; i++) {
        import_tree_code(document->env, tree, whole(document, raw, CODES, first + i, IMPORT_MOST_LEVELS));
        env_poll_rows(document->env, i);
    }
}

static void put_node(const Booster *booster, const Document *document, const RawTree *raw, uint32_t number, ImportTree *tree)
{
    ImportNode *node = &tree->nodes[number];
    double condition = raw->arrays[CONDITION].numbers[number];

    node->left = node->right = TREE_NONE;
    node->cover = raw->arrays[HESSIAN].numbers[number];
    node->number = condition;
    if (is_leaf(raw, number))
        return;
    node->left = whole(document, raw, LEFT, number, raw->nodes);
    node->right = whole(document, raw, RIGHT, number, raw->nodes);
    if (node->right != node->left + 1) /* XGBoost takes this for granted */
        document_fail(document, "has a tree that ends here, in which the children of node %u are not side by side", number);
    node->slot = whole(document, raw, SLOT, number, booster->features);
    node->missing_left = raw->arrays[DEFAULT_LEFT].numbers[number] != 0;
    node->gain = raw->arrays[GAIN].count > 0 ? raw->arrays[GAIN].numbers[number] : 0;
    node->category = is_category(raw, number);
    if (node->category)
        put_codes(document, raw, number, tree);
    else if (!isnan(condition))
        node->number = double_below_float((float)condition);
}

/* Reads the tree at this place as nodes. The codes of a split go right. */
static void read_nodes(Booster *booster, Document *place, RawTree *raw, ImportTree *tree)
{
    read_tree(booster, place, raw);
    import_tree_begin(booster->env, tree, raw->nodes);
    tree->codes_right = true;
    for (uint32_t i = 0; i < raw->nodes; i++) {
        env_poll_rows(booster->env, i);
        put_node(booster, place, raw, i, tree);
    }
}

/* ---- the model ---- */

/* Returns the place of a tree. */
static Document tree_place(const Booster *booster, uint32_t tree)
{
    Document place = booster->document;

    place.at = booster->places[tree];
    place.depth = booster->depth;
    return place;
}

static uint64_t trees_per_iteration(const Booster *booster)
{
    return (uint64_t)booster->outputs * (booster->parallel > 0 ? booster->parallel : 1);
}

/* Sets how many trees count, and the tree number i of output k at i * outputs + k of `order`. */
static uint32_t *order_trees(Booster *booster)
{
    uint64_t per_iteration = trees_per_iteration(booster);
    uint32_t kept = booster->placed;
    uint32_t *next = env_array(booster->env, booster->outputs, sizeof(uint32_t)), *order = env_array(booster->env, booster->placed, sizeof(uint32_t));

    if (booster->by_estimator && booster->best_iteration >= 0 && (uint64_t)booster->best_iteration + 1 < (kept + per_iteration - 1) / per_iteration)
        kept = (uint32_t)((uint64_t)(booster->best_iteration + 1) * per_iteration);
    for (uint32_t t = 0; t < kept; t++) {
        uint32_t k = booster->group[t], at;

        if (k >= booster->outputs)
            refuse(booster, "Train one model per quantile, or per target.", "the xgboost model has several outputs for objective %s, which has no equal here",
                   booster->objective->name);
        at = next[k]++;
        if ((uint64_t)at * booster->outputs + k >= kept)
            refuse(booster, NULL, "the xgboost model of objective %s has not as many trees for each class", booster->objective->name);
        order[at * booster->outputs + k] = t;
    }
    for (uint32_t k = 0; k < booster->outputs; k++)
        if ((uint64_t)next[k] * booster->outputs != kept)
            refuse(booster, NULL, "the xgboost model of objective %s has not as many trees for each class", booster->objective->name);
    booster->trees = kept;
    if (kept < booster->placed)
        env_warn(booster->env, ERROR_NONE, NULL, "the xgboost model predicts with %u of its %u trees, those up to its best iteration", kept, booster->placed);
    return order;
}

/* Returns a score before the trees, as XGBoost computes it. */
static double base_margin(const Booster *booster, float base)
{
    bool clamps = booster->version[0] > 3 || (booster->version[0] == 3 && booster->version[1] >= 2);

    if (booster->objective->base == BASE_LOGIT) {
        if (clamps)
            base = fminf(fmaxf(base, 1e-6f), 1.0f - 1e-6f);
        base = -logf(1.0f / base - 1.0f);
    } else if (booster->objective->base == BASE_LOG) {
        base = logf(base);
    }
    return base;
}

/* Reads "5E-1", or "[5E-1,2E-1]" with a number per output. */
static double *base_scores(Booster *booster)
{
    double *scores = env_array(booster->env, booster->outputs, sizeof(double));
    const char *at = booster->base_text;
    uint32_t count = 0;
    bool list = *at == '[';
    char *end;

    for (at += list; count < booster->outputs; count++) {
        scores[count] = base_margin(booster, strtof(at, &end));
        if (end == at || !isfinite(scores[count]))
            break;
        at = end + (*end == ',');
        if (*end != ',') {
            count++;
            break;
        }
    }
    for (uint32_t k = count; count == 1 && k < booster->outputs; k++)
        scores[k] = scores[0];
    if ((count != 1 && count != booster->outputs) || strcmp(at, list ? "]" : "") != 0)
        refuse(booster, NULL, "the base score \"%.60s\" of the xgboost document is none of its objective", booster->base_text);
    return scores;
}

/* Walks through all trees that count for the features and categories that they use; those that the document calls categories are. */
static ImportUses survey_trees(Booster *booster, RawTree *raw, ImportTree *tree)
{
    ImportUses uses = import_uses(booster->env, booster->features);

    for (uint32_t i = 0; i < booster->typed; i++)
        uses.category[i] = booster->category[i];
    for (uint32_t i = 0; i < booster->categories.features; i++)
        uses.category[i] |= booster->categories.counts[i] > 0;
    for (uint32_t t = 0; t < booster->placed; t++) {
        Document place = tree_place(booster, t);

        booster->env->poll(booster->env);
        read_nodes(booster, &place, raw, tree);
        import_tree_survey(&place, tree, &uses);
    }
    import_uses_require(&booster->document, &uses, booster->named > 0 ? booster->names : NULL);
    return uses;
}

/* Sets how many levels each feature has, where the document has their texts. */
static void count_levels(const Booster *booster, ImportUses *uses)
{
    for (uint32_t i = 0; i < booster->categories.features; i++) {
        uint32_t count = booster->categories.counts[i];

        if (count > 0 && uses->codes[i] > count)
            document_fail(&booster->document, "has %u categories of feature %u, of which it uses code %u,", count, i + 1, uses->codes[i] - 1);
        uses->codes[i] = count > 0 ? count : uses->codes[i];
    }
}

/* Returns the names that the user gave, and those of a document that was written here where the user gave none. */
static ImportNames all_names(const Booster *booster, const ImportNames *given)
{
    ImportNames names = *given, own = {0};

    if (booster->names_text != NULL)
        own = import_names(booster->env, booster->names_text, strlen(booster->names_text));
    if (names.classes == NULL && own.class_count > 0) {
        names.classes = own.classes;
        names.class_count = own.class_count;
    }
    if (names.levels == NULL && names.features == NULL && own.levels != NULL)
        names.levels = own.levels;
    return names;
}

static ModelBuilder *begin_model(Booster *booster, const ImportUses *uses, const ImportNames *given, ImportSchema *schema)
{
    ImportNames names = all_names(booster, given);

    schema->program = "xgboost";
    schema->origin = env_message(booster->env, "xgboost %lld.%lld.%lld, %s", (long long)booster->version[0], (long long)booster->version[1],
                                 (long long)booster->version[2], booster->objective->name);
    schema->features = booster->features;
    schema->names = booster->named > 0 ? booster->names : NULL;
    schema->categories = uses->category;
    schema->levels = uses->codes;
    if (booster->categories.features > 0)
        schema->level_names = (const char *const *const *)booster->categories.texts;
    schema->classes = !booster->objective->classes ? 0 : booster->outputs > 1 ? booster->outputs : 2;
    return import_begin(booster->env, booster->objective->classes ? "boosted_trees_classifier" : "boosted_trees_regression", schema, &names);
}

static Model *build_model(Booster *booster, RawTree *raw, ImportTree *tree, ImportUses *uses, const ImportNames *names)
{
    Env *env = booster->env;
    ImportSchema schema = {0};
    ModelBuilder *builder = begin_model(booster, uses, names, &schema);
    TreeStore *store = tree_store(env, schema.rows, false);
    TreeLevels levels = tree_levels(env, schema.rows);
    GrownTree *grown = grown_tree(env);
    uint32_t *order = order_trees(booster);

    for (uint32_t t = 0; t < booster->trees; t++) {
        Document place = tree_place(booster, order[t]);

        env->poll(env);
        read_nodes(booster, &place, raw, tree); /* which survey_trees has found sound */
        import_tree_make(&place, tree, &levels, uses, grown);
        tree_store_append(store, grown);
    }
    boosting_add_scores(env, builder, base_scores(booster), booster->outputs, booster->objective->link, true);
    builder_f64(builder, SECTION_ARRAYS, "importance", uses->gains, booster->features);
    tree_store_add(store, builder);
    builder_fact_i64(builder, "iterations", (int64_t)(booster->trees / trees_per_iteration(booster)));
    builder_fact_i64(builder, "trees", booster->trees);
    return model_build(builder);
}

static bool xgboost_recognize(const uint8_t *bytes, size_t length)
{
    size_t head = length < HEAD_BYTES ? length : HEAD_BYTES;
    bool binary;

    if (!document_recognize(bytes, length, &binary))
        return false;
    for (size_t i = 0; i + 7 <= head; i++)
        if (memcmp(bytes + i, "learner", 7) == 0)
            return true;
    return false;
}

static Model *xgboost_read(Env *env, const uint8_t *bytes, size_t length, const ImportNames *names)
{
    Booster booster = {.env = env, .best_iteration = -1};
    RawTree raw = {0};
    ImportTree tree = {0};
    ImportUses uses;
    char key[DOCUMENT_KEY];
    DocumentList list;
    Document document = document_open(env, bytes, length, "xgboost", "Save the model again, as JSON or UBJSON.");

    booster.document = document;
    for (document_enter(&document, DOCUMENT_OBJECT, &list); document_next_key(&document, &list, key);)
        if (strcmp(key, "learner") == 0)
            read_learner(&booster, &document);
        else if (strcmp(key, "version") == 0)
            read_version(&booster, &document);
        else
            document_skip(&document);
    require_parts(&booster, &document);
    document_close(&document);
    uses = survey_trees(&booster, &raw, &tree);
    count_levels(&booster, &uses);
    return build_model(&booster, &raw, &tree, &uses, names);
}

const ImportFormat import_xgboost = {.name = "xgboost", .recognize = xgboost_recognize, .read = xgboost_read};
