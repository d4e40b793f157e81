/*
 * pmml_mining.c - TreeModel by itself, and MiningModel of trees: sums, means, votes, and the chains by which boosted trees get a link.
 */
#include "core/boosting/boosting_scores.h"
#include "core/estimator/class_options.h"
#include "core/pmml/pmml_tree.h"

#define MOST_OUTPUTS 65536
#define MINING_DEPTH 16 /* mining models in mining models */
#define COPIES_MOST 16 /* trees of the model for each of the document */

/* A tree of the model: its numbers times a factor add to an output. */
typedef struct TreePart {
    const XmlNode *model;
    uint32_t output;
    double factor;
} TreePart;

typedef enum Combination { COMBINE_ONE, COMBINE_MEAN, COMBINE_VOTE, COMBINE_SUM } Combination;

typedef struct Mining {
    PmmlImport *import;
    PmmlTrees trees;
    Combination combination;
    bool classifier;
    TreePart *part;
    uint32_t parts, room;
    uint32_t outputs;
    const char **output_name; /* [outputs] of a chain */
    double *baseline;         /* [outputs] */
    double *output_factor;    /* [outputs] by the last model of a chain */
    BoostLink link;
    const char *const *labels; /* of boosted classes, in the order of the outputs */
    uint32_t label_count;
    bool single;
} Mining;

static void add_part(Mining *mining, const XmlNode *model, uint32_t output, double factor)
{
    mining->part = env_grow(mining->import->env, mining->part, mining->parts, &mining->room, sizeof(TreePart));
    mining->part[mining->parts++] = (TreePart){model, output, factor};
}

/* Returns the model in a segment, which must take all rows as they come. */
static const XmlNode *model_of_segment(PmmlImport *import, const XmlNode *segment)
{
    Env *env = import->env;
    static const char *const names[] = {"TreeModel", "MiningModel", "RegressionModel", NULL};
    const XmlNode *child = pmml_first(segment, NULL);

    if (!pmml_is(pmml_predicate_of(env, segment), "True"))
        pmml_fail(env, "has a Segment that takes some rows alone, which is not read");
    for (; child != NULL; child = pmml_next(child, NULL))
        for (uint32_t i = 0; names[i] != NULL; i++)
            if (pmml_is(child, names[i])) {
                pmml_require_plain_segment(import, child);
                return child;
            }
    pmml_fail(env, "has a Segment without a TreeModel, MiningModel or RegressionModel, which is not read");
}

static const XmlNode *segments_of(Env *env, const XmlNode *model, const char **method)
{
    const XmlNode *segmentation = pmml_child(env, model, "Segmentation");

    *method = pmml_required(env, segmentation, "multipleModelMethod");
    if (pmml_first(segmentation, "Segment") == NULL)
        pmml_fail(env, "has a Segmentation without segments");
    return pmml_first(segmentation, "Segment");
}

static double weight_of(Env *env, const XmlNode *segment)
{
    double weight = pmml_number(env, segment, "weight", 1);

    if (!(weight > 0))
        pmml_fail(env, "has a Segment with the weight %g, which is not read", weight);
    return weight;
}

/* ---- sums of trees ---- */

/* Adds the trees of a regression to an output: its result times a factor. */
static void collect_sum(Mining *mining, const XmlNode *model, uint32_t output, double factor, uint32_t depth)
{
    Env *env = mining->import->env;
    double own, constant, total = 0;
    const XmlNode *segment;
    const char *method;
    bool mean;

    if (depth > MINING_DEPTH)
        pmml_fail(env, "has models within each other more than %d deep", MINING_DEPTH);
    pmml_targets(mining->import, model, &own, &constant);
    mining->baseline[output] += factor * constant;
    factor *= own;
    mining->single = mining->single || (pmml_is(model, "MiningModel") && pmml_is_single(model));
    if (pmml_is(model, "TreeModel")) {
        add_part(mining, model, output, factor);
        return;
    }
    if (!pmml_is(model, "MiningModel"))
        pmml_fail(env, "adds up a %.40s with trees, which is not read", model->name);
    segment = segments_of(env, model, &method);
    mean = strcmp(method, "average") == 0 || strcmp(method, "weightedAverage") == 0;
    if (!mean && strcmp(method, "sum") != 0 && (strcmp(method, "modelChain") != 0 || pmml_next(segment, "Segment") != NULL))
        pmml_fail(env, "has trees that it combines by %.40s, which is not read", method);
    for (const XmlNode *s = segment; mean && s != NULL; s = pmml_next(s, "Segment"))
        total += method[0] == 'w' ? weight_of(env, s) : 1;
    for (; segment != NULL; segment = pmml_next(segment, "Segment"))
        collect_sum(mining, model_of_segment(mining->import, segment), output, mean ? factor * ((method[0] == 'w' ? weight_of(env, segment) : 1) / total) : factor, depth + 1);
}

static void open_outputs(Mining *mining, uint32_t outputs)
{
    Env *env = mining->import->env;

    mining->outputs = outputs;
    mining->baseline = env_array(env, outputs, sizeof(double));
    mining->output_factor = env_array(env, outputs, sizeof(double));
    mining->output_name = env_array(env, outputs, sizeof(char *));
    for (uint32_t k = 0; k < outputs; k++)
        mining->output_factor[k] = 1;
}

/* ---- chains: trees whose sums a RegressionModel takes to a mean or to probabilities ---- */

/* Returns the name under which a model in a chain gives its result. */
static const char *result_name(Env *env, const XmlNode *model)
{
    const XmlNode *output = pmml_child(env, pmml_child(env, model, "Output"), "OutputField");

    if (!pmml_says(output, "feature", "predictedValue", true) || pmml_first(output, NULL) != NULL)
        pmml_fail(env, "transforms the result \"%.60s\" of a model in a chain, which is not read", pmml_required(env, output, "name"));
    return pmml_required(env, output, "name");
}

/* Reads a table: a multiple of one result, and an intercept. Returns which result. */
static uint32_t read_table(Mining *mining, const XmlNode *table, double *factor, double *intercept)
{
    Env *env = mining->import->env;
    const XmlNode *predictor = pmml_child(env, table, "NumericPredictor");
    const char *name = pmml_required(env, predictor, "name");
    uint32_t k = 0;

    if (pmml_count(table, NULL) != 1 || pmml_number(env, predictor, "exponent", 1) != 1)
        pmml_fail(env, "has a chain whose RegressionModel does more than multiply a sum of trees, which is not read");
    while (k < mining->outputs && strcmp(mining->output_name[k], name) != 0)
        env_poll_rows(env, k++);
    if (k == mining->outputs)
        pmml_fail(env, "has a chain whose RegressionModel reads \"%.60s\", which none of its models gives", name);
    *factor = pmml_number(env, predictor, "coefficient", NAN);
    *intercept = pmml_number(env, table, "intercept", NAN);
    return k;
}

/* Reads the tables of the classes. */
static void read_class_link(Mining *mining, const XmlNode *last, const char *method)
{
    PmmlImport *import = mining->import;
    Env *env = import->env;
    const XmlNode *table = pmml_first(last, "RegressionTable"), *second = table != NULL ? pmml_next(table, "RegressionTable") : NULL;
    uint32_t count = pmml_count(last, "RegressionTable");
    const char **labels = env_array(env, (size_t)count + 1, sizeof(char *));
    double *factor = env_array(env, (size_t)count + 1, sizeof(double)), *intercept = env_array(env, (size_t)count + 1, sizeof(double));
    bool softmax = strcmp(method, "softmax") == 0;

    if (count < 2 || (!softmax && (count != 2 || strcmp(method, "logit") != 0)))
        pmml_fail(env, "normalizes the sums of trees of %u classes by %.40s, which is not read: softmax is, and of two classes logit", count, method);
    for (const XmlNode *t = table; t != NULL; t = pmml_next(t, "RegressionTable"))
        pmml_class(import, pmml_required(env, t, "targetCategory"));
    if (count == 2 && pmml_first(second, NULL) == NULL && pmml_number(env, second, "intercept", NAN) == 0) {
        if (mining->outputs != 1)
            pmml_fail(env, "has %u sums of trees for two classes", mining->outputs);
        read_table(mining, table, &mining->output_factor[0], &mining->baseline[0]);
        labels[0] = pmml_attribute(second, "targetCategory");
        labels[1] = pmml_attribute(table, "targetCategory");
        mining->link = BOOST_LOGISTIC;
        mining->labels = labels;
        mining->label_count = 2;
        return;
    }
    if (!softmax || count != mining->outputs)
        pmml_fail(env, "has %u sums of trees for %u classes normalized by %.40s, which is not read", mining->outputs, count, method);
    for (const XmlNode *t = table; t != NULL; t = pmml_next(t, "RegressionTable")) {
        double b, c;
        uint32_t k = read_table(mining, t, &b, &c);

        if (labels[k] != NULL)
            pmml_fail(env, "has two classes of the same sum of trees, which is not read");
        labels[k] = pmml_attribute(t, "targetCategory");
        factor[k] = b;
        intercept[k] = c;
    }
    memcpy(mining->output_factor, factor, count * sizeof(double));
    memcpy(mining->baseline, intercept, count * sizeof(double));
    mining->link = BOOST_SOFTMAX;
    mining->labels = labels;
    mining->label_count = count;
}

static void read_link(Mining *mining, const XmlNode *last)
{
    Env *env = mining->import->env;
    const char *method = pmml_attribute(last, "normalizationMethod");
    double factor, constant;

    method = method != NULL ? method : "none";
    pmml_targets(mining->import, last, &factor, &constant);
    if (factor != 1 || constant != 0)
        pmml_fail(env, "scales its target after a link function, which is not read");
    if (pmml_says(last, "functionName", "classification", false) != mining->classifier)
        pmml_fail(env, "has a chain whose last model is of another function");
    if (mining->classifier) {
        read_class_link(mining, last, method);
        return;
    }
    if (mining->outputs != 1)
        pmml_fail(env, "has a chain of %u models before the last one for a regression", mining->outputs);
    read_table(mining, pmml_child(env, last, "RegressionTable"), &mining->output_factor[0], &mining->baseline[0]);
    mining->link = strcmp(method, "none") == 0  ? BOOST_IDENTITY
                   : strcmp(method, "exp") == 0 ? BOOST_LOG
                                                : BOOST_LOGISTIC;
    if (mining->link == BOOST_LOGISTIC && strcmp(method, "logit") != 0 && strcmp(method, "softmax") != 0)
        pmml_fail(env, "has the normalizationMethod %.40s of a sum of trees, which is not read", method);
}

static void read_chain(Mining *mining, const XmlNode *segment, uint32_t count)
{
    Env *env = mining->import->env;
    const XmlNode *s = segment, *last;

    if (count > MOST_OUTPUTS)
        pmml_fail(env, "has a chain of %u models; at most %d are read", count, MOST_OUTPUTS);
    open_outputs(mining, count - 1);
    for (uint32_t k = 0; k + 1 < count; k++, s = pmml_next(s, "Segment"))
        mining->output_name[k] = result_name(env, model_of_segment(mining->import, s));
    last = model_of_segment(mining->import, s);
    if (!pmml_is(last, "RegressionModel"))
        pmml_fail(env, "has a chain that ends with a %.40s, which is not read", last->name);
    read_link(mining, last);
    s = segment;
    for (uint32_t k = 0; k + 1 < count; k++, s = pmml_next(s, "Segment"))
        collect_sum(mining, model_of_segment(mining->import, s), k, mining->output_factor[k], 1);
    mining->combination = COMBINE_SUM;
}

/* ---- classes by votes and shares ---- */

static void read_class_trees(Mining *mining, const XmlNode *segment, const char *method)
{
    Env *env = mining->import->env;
    bool weighted = strncmp(method, "weighted", 8) == 0, votes = strcmp(method, "majorityVote") == 0 || strcmp(method, "weightedMajorityVote") == 0;
    double weight = weight_of(env, segment);

    if (!votes && strcmp(method, "average") != 0 && strcmp(method, "weightedAverage") != 0)
        pmml_fail(env, "has classifiers that it combines by %.40s, which is not read", method);
    mining->combination = votes ? COMBINE_VOTE : COMBINE_MEAN;
    for (; segment != NULL; segment = pmml_next(segment, "Segment")) {
        const XmlNode *model = model_of_segment(mining->import, segment);

        if (!pmml_is(model, "TreeModel"))
            pmml_fail(env, "combines a %.40s with others by %.40s, which is not read", model->name, method);
        if (weighted && weight_of(env, segment) != weight)
            pmml_fail(env, "has trees of different weights that vote, which is not read");
        add_part(mining, model, 0, 1);
    }
}

/* ---- what the document has ---- */

/* Returns the model that a chain of a single one stands for. */
static const XmlNode *unwrap(PmmlImport *import, const XmlNode *model)
{
    Env *env = import->env;

    for (uint32_t depth = 0; pmml_is(model, "MiningModel"); depth++) {
        const char *method;
        const XmlNode *segment = segments_of(env, model, &method);

        if (strcmp(method, "modelChain") != 0 || pmml_next(segment, "Segment") != NULL || pmml_first(model, "Targets") != NULL)
            break;
        if (depth == MINING_DEPTH)
            pmml_fail(env, "has models within each other more than %d deep", MINING_DEPTH);
        model = model_of_segment(import, segment);
    }
    return model;
}

/* Tells whether a tree is that of a segment of this model. */
static bool is_segment_of(const XmlNode *tree, const XmlNode *model)
{
    return tree->parent != NULL && tree->parent->parent != NULL && tree->parent->parent->parent == model;
}

static void read_sum(Mining *mining, const XmlNode *model)
{
    const char *method = "";
    bool plain = true;

    open_outputs(mining, 1);
    collect_sum(mining, model, 0, 1, 0);
    mining->combination = COMBINE_SUM;
    if (pmml_is(model, "MiningModel"))
        segments_of(mining->import->env, model, &method);
    for (uint32_t p = 0; p < mining->parts; p++)
        plain = plain && (mining->part[p].model == model || is_segment_of(mining->part[p].model, model));
    if (mining->baseline[0] != 0 || pmml_first(model, "Targets") != NULL || !plain)
        return;
    if (pmml_is(model, "TreeModel"))
        mining->combination = COMBINE_ONE;
    else if (strcmp(method, "average") == 0 && !mining->single) {
        mining->combination = COMBINE_MEAN;
        for (uint32_t p = 0; p < mining->parts; p++)
            mining->part[p].factor = 1;
    }
}

static void read_models(Mining *mining)
{
    Env *env = mining->import->env;
    const XmlNode *model = unwrap(mining->import, mining->import->model), *segment;
    const char *method;

    mining->classifier = pmml_says(mining->import->model, "functionName", "classification", false);
    mining->single = pmml_is_single(mining->import->model);
    if (mining->classifier)
        pmml_target(mining->import);
    if (pmml_is(model, "TreeModel") && mining->classifier) {
        add_part(mining, model, 0, 1);
        return;
    }
    if (pmml_is(model, "RegressionModel"))
        pmml_fail(env, "has a MiningModel of a RegressionModel, which is not read");
    if (pmml_is(model, "TreeModel")) {
        read_sum(mining, model);
        return;
    }
    segment = segments_of(env, model, &method);
    if (strcmp(method, "modelChain") == 0)
        read_chain(mining, segment, pmml_count(segment->parent, "Segment"));
    else if (mining->classifier)
        read_class_trees(mining, segment, method);
    else
        read_sum(mining, model);
}

/* ---- the model ---- */

static void put_empty(PmmlTrees *trees)
{
    grown_tree_clear(trees->tree);
    grown_tree_node(trees->tree);
    trees->tree->nodes[0].cover = 1;
    trees->tree->nodes[0].left = trees->tree->nodes[0].right = TREE_NONE;
}

/* Appends all trees: tree t adds to output t % outputs, and an output with fewer trees gets some that add nothing. */
static void append_trees(Mining *mining, TreeStore *store)
{
    Env *env = mining->import->env;
    uint32_t outputs = mining->outputs > 0 ? mining->outputs : 1, most = 0;
    uint32_t *count = env_array(env, outputs, sizeof(uint32_t)), *next = env_array(env, outputs, sizeof(uint32_t));

    for (uint32_t p = 0; p < mining->parts; p++) {
        uint32_t k = mining->part[p].output;

        if (++count[k] > most)
            most = count[k];
    }
    if ((uint64_t)most * outputs > (uint64_t)mining->parts * COPIES_MOST + 1000)
        pmml_fail(env, "has %u trees in one of %u sums, and %u in all: too few to fill the other sums up with trees that add nothing", most, outputs, mining->parts);
    for (uint64_t i = 0; i < (uint64_t)most * outputs; i++) {
        uint32_t k = (uint32_t)(i % outputs);

        while (next[k] < mining->parts && mining->part[next[k]].output != k)
            next[k]++;
        if (next[k] < mining->parts) {
            pmml_tree_grow(&mining->trees, mining->part[next[k]].model, mining->part[next[k]].factor);
            next[k]++;
        } else {
            put_empty(&mining->trees);
        }
        env->poll(env);
        if (!mining->trees.again)
            tree_store_append(store, mining->trees.tree);
    }
}

/* Unknown levels that count as missing have no score where missing values have none. */
static void settle_levels(PmmlImport *import)
{
    for (uint32_t f = 0; f < import->row.features; f++)
        import->refuses_levels =
            import->refuses_levels || (import->skips_nulls && import->row.feature[f].category && import->used[f]->bounded && import->used[f]->invalid == PMML_AS_MISSING);
}

/* Sets what the model does about NULLs and unknown levels that the document gives no score. */
static void set_flags(Mining *mining, ModelBuilder *builder)
{
    PmmlImport *import = mining->import;
    uint8_t *flags = &builder_header(builder)->flags;

    if (import->skips_nulls && model_nulls_are_values(*flags))
        *flags &= (uint8_t)~MODEL_NULL_VALUES;
    if (import->skips_nulls && (*flags & MODEL_NULL_VALUES) == MODEL_IMPUTE && !schema_all_numeric(import->schema))
        pmml_fail(import->env, "replaces missing numbers, and gives rows with other missing values no score, which is not read");
    if (import->refuses_levels)
        *flags |= MODEL_UNSEEN_ERROR;
}

static const char *method_of(const Mining *mining)
{
    if (mining->combination == COMBINE_SUM)
        return mining->classifier ? "boosted_trees_classifier" : "boosted_trees_regression";
    if (mining->combination == COMBINE_ONE && !mining->classifier)
        return "tree_regression";
    return mining->classifier ? "forest_classifier" : "forest_regression";
}

static Model *build(void *context)
{
    Mining *mining = context;
    PmmlImport *import = mining->import;
    Env *env = import->env;
    static const int64_t no_seed = 0;
    double rule[3];
    uint32_t classes = mining->classifier ? import->target->table.count : 0;
    TreeLevels levels;
    const Model *rows;
    ModelBuilder *builder;
    TreeStore *store;

    if (mining->labels != NULL && mining->label_count != classes)
        pmml_fail(env, "has sums of trees for %u of %u classes", mining->label_count, classes);
    if (mining->classifier && classes < 2)
        pmml_fail(env, "has a classification of %u classes", classes);
    builder = import_row_begin(env, &import->row, method_of(mining), classes, mining->labels != NULL ? mining->labels : classes > 0 ? import->target->level : NULL, &rows);
    import->schema = rows;
    levels = tree_levels(env, rows);
    mining->trees.levels = &levels;
    mining->trees.tree = grown_tree(env);
    mining->trees.shares = env_array(env, (size_t)classes + 1, sizeof(double));
    for (uint32_t pass = 0;; pass++) { /* each of two flags sets `again` once */
        store = tree_store(env, rows, mining->trees.leaves != PMML_NUMBERS);
        mining->trees.again = false;
        mining->trees.made = 0;
        append_trees(mining, store);
        if (!mining->trees.again)
            break;
        if (pass == 3)
            pmml_fail(env, "has trees without scores for some rows, which is not read");
    }
    settle_levels(import);
    set_flags(mining, builder);
    if (mining->combination != COMBINE_SUM && (mining->combination != COMBINE_ONE || mining->classifier))
        builder_i64(builder, SECTION_ARRAYS, "seeds", &no_seed, 1);
    if (mining->combination == COMBINE_SUM)
        boosting_add_scores(env, builder, mining->baseline, mining->outputs, mining->link, mining->single);
    tree_store_add(store, builder);
    if (mining->trees.ties == 2) /* without a rule the first of two classes is the negative one, which equals have */
        class_rule_add(builder, &(ClassRule){.positive = 1, .tie = TIE_POSITIVE, .threshold = 0.5}, 2, rule);
    if (mining->combination != COMBINE_ONE)
        builder_fact_i64(builder, "trees", tree_store_trees(store));
    return model_build(builder);
}

Model *pmml_read_trees(PmmlImport *import)
{
    Env *env = import->env;
    Mining mining = {.import = import, .trees = {.import = import, .natural = true, .memory = {.env = env}}};

    read_models(&mining);
    mining.trees.decides = mining.combination == COMBINE_ONE;
    mining.trees.leaves = !mining.classifier || mining.combination == COMBINE_SUM ? PMML_NUMBERS : mining.combination == COMBINE_VOTE ? PMML_VOTES : PMML_SHARES;
    for (uint32_t p = 0; p < mining.parts; p++)
        pmml_tree_survey(&mining.trees, mining.part[p].model);
    for (uint32_t k = 0; k < mining.outputs; k++)
        if (!isfinite(mining.baseline[k]))
            pmml_fail(env, "has a constant that is out of range");
    import->settled = true;
    import->levels_may_lack = mining.trees.natural;
    if (!mining.trees.natural)
        import->skips_nulls = true;
    pmml_row(import, mining.trees.natural);
    for (uint32_t c = 0; !mining.trees.natural && c < import->row.columns; c++)
        if (import->row.column[c].kind == IMPORT_COLUMN_TEXT)
            pmml_fail(env, "has trees of categories and of derived fields, which is not read");
    return import_row_model(env, &import->row, build, &mining);
}
