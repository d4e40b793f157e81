/*
 * tree_classifier.c - a classification tree: the leaf of a row gives the shares of the classes (Breiman et al. 1984).
 */
#include "core/estimator/class_options.h"
#include "core/estimator/shared_options.h"
#include "core/model/report_text.h"
#include "core/tree_growth/tree_fit.h"

#include <math.h>
#include <string.h>

static const OptionSpec tree_classifier_options[] = {
    {.name = "criterion",
     .types = OPTION_STRING,
     .fallback = "\"gini\"",
     .choices = tree_class_criteria,
     .help = "The impurity that splits make small."},
    {.name = "smoothing",
     .types = OPTION_NUMBER | OPTION_STRING,
     .fallback = "0",
     FROM_ZERO,
     .choices = (const char *const[]){"laplace", NULL},
     .help = "Added to the weight of every class when a leaf's probabilities are computed: 0 gives shares, laplace is 1."},
    {.name = NULL}};

/* What scoring needs. */
typedef struct TreeClassifier {
    const TreeScorer *trees;
    double smoothing;
    ClassRule rule;
} TreeClassifier;

/* ---- fitting ---- */

/* Returns the shares of the classes in the rows as they were weighted. */
static double *class_shares(const TreeFit *fit, uint32_t classes)
{
    double *shares = tree_class_totals(fit->env, fit->columns->classes, fit->weights, fit->columns->rows, classes), sum = 0;

    for (uint32_t k = 0; k < classes; k++)
        sum += shares[k];
    for (uint32_t k = 0; k < classes; k++)
        shares[k] /= sum;
    return shares;
}

/* Returns what option smoothing adds to the weight of each class. Fails beside monotone constraints. */
static double read_smoothing(Env *env, const Options *options, bool monotone)
{
    double smoothing = options_is(options, "smoothing", "laplace") ? 1 : options_number(options, "smoothing");

    if (smoothing > 0 && monotone)
        env_fail(env, ERROR_PARAMETER, "Leave one of them out. min_samples_leaf and pruning keep probabilities from 0 and 1, too.",
                 "options \"monotone\" and \"smoothing\" exclude each other: smoothing moves small leaves more than large ones, so that "
                 "probabilities would rise and fall");
    return smoothing;
}

static Model *tree_classifier_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                                  ModelBuilder *builder)
{
    ClassSet classes = class_set(env, rows_schema(input->rows));
    ClassRule rule = class_rule_read(&classes, options);
    TreeFit fit = tree_fit_begin(env, self, input, options, sizeof(uint16_t) + 2 * sizeof(double));
    double smoothing = read_smoothing(env, options, fit.growth.monotone != NULL);
    double stored_rule[3];

    fit.weights = tree_weigh_classes(env, options, &classes, fit.columns->classes, fit.weights, fit.columns->rows);
    tree_fit_grow(&fit);
    tree_fit_add(&fit, builder);
    builder_f64(builder, SECTION_ARRAYS, "priors", class_shares(&fit, classes.count), classes.count);
    if (smoothing > 0)
        builder_f64(builder, SECTION_ARRAYS, "smoothing", &smoothing, 1);
    class_rule_add(builder, &rule, classes.count, stored_rule);
    return model_build(builder);
}

/* ---- the model ---- */

static const ArraySpec tree_classifier_arrays[] = {
    {.name = "priors", .type = ARRAY_F64, .values = VALUES_SHARES, .rows = {SIZE_CLASSES}},
    {.name = "smoothing",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_POSITIVE,
     .rows = {SIZE_NUMBER, .plus = 1}}};

static const ArrayTable tree_classifier_array_tables[] =
    ARRAY_TABLES(TREE_CLASS_ARRAYS, ARRAY_TABLE(tree_path_arrays), ARRAY_TABLE(tree_classifier_arrays),
                 ARRAY_TABLE(class_rule_arrays), FACT_TABLE(tree_facts));

static const char *tree_classifier_check(Env *env, const Model *model)
{
    const char *wrong = tree_fit_check(env, model);

    return wrong != NULL ? wrong : class_rule_check(model);
}

/* ---- scoring ---- */

static void *tree_classifier_prepare(Env *env, const Model *model, size_t *bytes)
{
    TreeClassifier *tree = env_array(env, 1, sizeof(TreeClassifier));
    const double *smoothing = model_f64(model, "smoothing", NULL);

    tree->trees = tree_prepare(env, model, bytes);
    tree->smoothing = smoothing != NULL ? *smoothing : 0;
    tree->rule = class_rule_of(model);
    return tree;
}

static void tree_classifier_probabilities(const Model *model, const void *prepared, const double *slots, double *out)
{
    const TreeClassifier *tree = prepared;

    memset(out, 0, tree->trees->classes * sizeof(double));
    tree_add_shares(tree->trees, tree_find_leaf(tree->trees, 0, slots), tree->smoothing, 1, out);
}

/* Returns the share of the positive of two classes minus the threshold: above 0 for the positive class. */
static double tree_classifier_decision(const Model *model, const void *prepared, const double *slots)
{
    const TreeClassifier *tree = prepared;
    double shares[2] = {0, 0};

    tree_add_shares(tree->trees, tree_find_leaf(tree->trees, 0, slots), tree->smoothing, 1, shares);
    return shares[tree->rule.positive] - tree->rule.threshold;
}

static uint32_t tree_classifier_classify(const Model *model, const void *prepared, const double *slots)
{
    const TreeClassifier *tree = prepared;
    const TreeScorer *trees = tree->trees;
    uint32_t leaf, best;

    if (trees->classes == 2)
        return class_rule_pick(&tree->rule, tree_classifier_decision(model, prepared, slots));
    leaf = tree_find_leaf(trees, 0, slots)->right;
    best = trees->leaf_first[leaf];
    for (uint32_t i = best + 1; i < trees->leaf_first[leaf + 1]; i++)
        if (trees->leaf_weight[i] > trees->leaf_weight[best])
            best = i;
    return trees->leaf_class[best];
}

static uint32_t tree_classifier_width(const Model *model)
{
    return dictionary_size(model, DICTIONARY_CLASSES);
}

/* ---- explaining ---- */

/* Returns the share of class k in a leaf. */
static double leaf_share(const TreeScorer *trees, uint32_t number, const TreeNode *leaf, uint32_t k, const void *context)
{
    const TreeClassifier *tree = context;
    double total = trees->leaf_cover[leaf->right] + tree->smoothing * trees->classes;

    for (uint32_t i = trees->leaf_first[leaf->right]; i < trees->leaf_first[leaf->right + 1]; i++)
        if (trees->leaf_class[i] == k)
            return (trees->leaf_weight[i] + tree->smoothing) / total;
    return tree->smoothing / total;
}

static double contributions(Env *env, const void *prepared, uint32_t e, const double *slots, double *parts)
{
    const TreeClassifier *tree = prepared;
    uint32_t k = tree->trees->classes <= 2 ? tree->rule.positive : e;

    return tree_path_contributions(env, tree->trees, 0, slots, k, leaf_share, tree, parts);
}

static uint32_t tree_classifier_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                                        Explanation **out)
{
    uint32_t classes = ((const TreeClassifier *)prepared)->trees->classes;

    return tree_explain(env, model, prepared, slots, classes <= 2 ? 1 : classes, contributions, out);
}

/* ---- SQL ---- */

static void put_label(TextBuffer *report, const TreeScorer *trees, const TreeNode *leaf, void *context)
{
    const TreeClassifier *tree = context;
    uint32_t first = trees->leaf_first[leaf->right], class = trees->leaf_class[first];

    if (trees->classes == 2) {
        double share = leaf_share(trees, 0, leaf, tree->rule.positive, tree);

        class = class_rule_pick(&tree->rule, share - tree->rule.threshold);
    } else {
        for (uint32_t i = first; i < trees->leaf_first[leaf->right + 1]; i++)
            if (trees->leaf_weight[i] > trees->leaf_weight[first])
                class = trees->leaf_class[first = i];
    }
    sql_label(report, trees->model, DICTIONARY_CLASSES, class);
}

static char *tree_classifier_to_sql(Env *env, const Model *model)
{
    size_t bytes;
    TreeClassifier *tree = tree_classifier_prepare(env, model, &bytes);
    TextBuffer report = {.env = env};

    tree_sql(&report, tree->trees, 0, put_label, tree);
    return text_finish(&report, NULL);
}

typedef struct LeafProbability {
    const TreeClassifier *tree;
    uint32_t class;
} LeafProbability;

static void put_probability(TextBuffer *report, const TreeScorer *trees, const TreeNode *leaf, void *context)
{
    const LeafProbability *of = context;

    sql_number(report, leaf_share(trees, 0, leaf, of->class, of->tree));
}

static char *tree_classifier_probability_sql(Env *env, const Model *model, uint32_t class)
{
    size_t bytes;
    LeafProbability of = {tree_classifier_prepare(env, model, &bytes), class};
    TextBuffer report = {.env = env};

    tree_sql(&report, of.tree->trees, 0, put_probability, &of);
    return text_finish(&report, NULL);
}

static const Scoring tree_classifier_scoring = {.prepare = tree_classifier_prepare,
                                                .classify = tree_classifier_classify,
                                                .probabilities = tree_classifier_probabilities,
                                                .decisions = tree_classifier_probabilities,
                                                .decision = tree_classifier_decision,
                                                .width = tree_classifier_width,
                                                .explain = tree_classifier_explain};

static const Table *const tree_classifier_tables[] = {&table_tree_nodes, &table_importance, &table_prune_path, NULL};

const Estimator estimator_tree_classifier = {
    .name = "tree_classifier",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .supervised = true,
    .nulls_are_values = true,
    .options = OPTION_TABLES(options_common, tree_nulls_options, option_seed, option_class_weight, option_positive,
                             option_threshold, option_tie, tree_growth_options, tree_monotone_options, tree_prune_options,
                             tree_split_options, tree_classifier_options),
    .help = "Splits the rows by one feature at a time until the leaves have one class, and predicts the shares of the classes "
            "in the row's leaf.",
    .source = "Breiman, Friedman, Olshen & Stone (1984)",
    .fit = tree_classifier_fit,
    .arrays = tree_classifier_array_tables,
    .check = tree_classifier_check,
    .scoring = &tree_classifier_scoring,
    .tables = tree_classifier_tables,
    .to_sql = tree_classifier_to_sql,
    .probability_sql = tree_classifier_probability_sql,
    .summary = tree_summary,
};
