/*
 * tree_binned.c - grows one tree over binned columns: the gradients of histograms are weight x target, the hessians weights.
 */
#include "core/tree/tree_binned.h"
#include "core/rows/row_design.h"
#include "core/tree/histogram_grow.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 65536u
#define HISTOGRAMS_LEAST 3

static const char *const split_choices[] = {"auto", "exact", "binned", NULL};

const OptionSpec tree_split_options[] = {
    {.name = "split",
     .types = OPTION_STRING,
     .fallback = "\"auto\"",
     .choices = split_choices,
     .help = "Whether splits are looked for between all values (exact), or between at most 255 bins per feature at exact "
             "quantiles (binned). auto bins above 50,000 rows where it can; the model has a fact \"binned\"."},
    {.name = NULL}};

/* Returns why bins will not do; NULL: they will. */
static const char *obstacle(const Options *options, const TreeGrowth *growth, const Model *schema)
{
    if (growth->criterion == TREE_MAE)
        return "criterion mae";
    if (dictionary_size(schema, DICTIONARY_CLASSES) > 2)
        return "more than two classes";
    if (growth->monotone != NULL)
        return "option \"monotone\"";
    if (options_has(options, "prune") && !options_is(options, "prune", "none"))
        return "option \"prune\"";
    for (uint32_t f = 0; f < schema->field_count; f++)
        if (schema_field_levels(schema, f) > BINS_MAX)
            return "a category of more than 255 levels";
    return NULL;
}

bool tree_binned_wanted(Env *env, const Options *options, const TreeGrowth *growth, const Rows *rows, const char *method)
{
    const char *why = obstacle(options, growth, rows_schema(rows));

    if (options_is(options, "split", "auto"))
        return why == NULL && rows_count(rows) > TREE_BINNED_ROWS;
    if (options_is(options, "split", "exact"))
        return false;
    if (why != NULL)
        env_fail(env, ERROR_PARAMETER, "Use \"split\": \"exact\".", "%s cannot bin with %s", method, why);
    return true;
}

TreeColumns *tree_binned_columns(Env *env, Rows *rows, size_t room, const char *method, BinnedColumns **binned)
{
    HistogramGrowth least = {.max_leaves = HISTOGRAMS_LEAST};
    uint64_t count = rows_count(rows), bytes = count * (room + sizeof(HistogramRow) + 2 * sizeof(double));
    TreeColumns *columns = env_array(env, 1, sizeof(TreeColumns));
    RowDesign *design = row_design(env, rows, DESIGN_SLOTS, method);
    RowsReader *reader;
    RowsBlock block;

    bytes += histogram_grower_bytes(count, (uint64_t)rows_slots(rows) * (BINS_MAX + 1), &least);
    *binned = binned_columns_load(env, rows, bytes, method);
    *columns = (TreeColumns){.env = env, .rows = (uint32_t)count, .slots = rows_slots(rows), .class_count = design->classes};
    if (design->classes > 0)
        columns->classes = env_array_raw(env, count, sizeof(uint32_t));
    else
        columns->targets = env_array_raw(env, count, sizeof(double));
    if (rows_contents(rows) & ROWS_WEIGHT)
        columns->weights = env_array_raw(env, count, sizeof(double));
    reader = rows_reader(env, rows);
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            if (columns->classes != NULL)
                columns->classes[block.first + i] = design->class_final[(uint32_t)block.targets[i]];
            else
                columns->targets[block.first + i] = block.targets[i];
            if (columns->weights != NULL)
                columns->weights[block.first + i] = block.weights[i];
        }
    rows_reader_free(reader);
    columns->weight = tree_columns_weight(columns, NULL, columns->rows);
    return columns;
}

/* ---- growing ---- */

typedef struct BinnedTree {
    Env *env;
    const TreeColumns *columns;
    const double *weights;
    const TreeGrowth *growth;
    GrownTree *tree;
    double center; /* subtracted from targets, so that their squares do not cancel */
    HistogramRow *rows;
    HistogramScale scale;
    /* by node: weight, sums of weight x target and of weight x what the criterion needs */
    double *weight, *sum, *square;
} BinnedTree;

static double target_of(const BinnedTree *fit, uint32_t row)
{
    if (fit->columns->classes != NULL)
        return fit->columns->classes[row];
    return fit->columns->targets[row] - fit->center;
}

/* Finds what the targets are measured from: their mean; 0 where they are shares or counts. */
static void find_center(BinnedTree *fit)
{
    double mean = 0, weight = 0;

    if (fit->columns->classes != NULL || fit->growth->criterion == TREE_POISSON)
        return;
    for (uint32_t row = 0; row < fit->columns->rows; row++) {
        weight += row_weight(fit->weights, row);
        mean += (fit->columns->targets[row] - mean) * (row_weight(fit->weights, row) / weight);
    }
    fit->center = mean;
}

static void make_rows(BinnedTree *fit)
{
    uint32_t rows = fit->columns->rows;
    double largest = 0, heaviest = 0, weights = 0, per_gradient, per_hessian;

    for (uint32_t row = 0; row < rows; row++) {
        double weight = row_weight(fit->weights, row);

        if (row % POLL_ROWS == 0)
            fit->env->poll(fit->env);
        largest = fmax(largest, fabs(weight * target_of(fit, row)));
        heaviest = fmax(heaviest, weight);
        weights += weight;
    }
    if (!isfinite(largest) || !isfinite(weights))
        env_fail(fit->env, ERROR_RANGE, "Divide the target or the weights by a power of ten.",
                 "targets or weights of a tree are out of range");
    fit->scale = histogram_scale(rows, largest, heaviest, weights);
    per_gradient = 1 / fit->scale.gradient;
    per_hessian = 1 / fit->scale.hessian;
    fit->rows = env_array_raw(fit->env, rows, sizeof(HistogramRow));
    for (uint32_t row = 0; row < rows; row++) {
        double weight = row_weight(fit->weights, row);

        if (row % POLL_ROWS == 0)
            fit->env->poll(fit->env);
        fit->rows[row].gradient = (int32_t)rint(weight * target_of(fit, row) * per_gradient);
        fit->rows[row].hessian = (uint32_t)rint(weight * per_hessian);
    }
}

static HistogramCriterion criterion_of(TreeCriterion criterion)
{
    switch (criterion) {
    case TREE_ENTROPY:
        return HISTOGRAM_ENTROPY;
    case TREE_SQRT_GINI:
        return HISTOGRAM_SQRT_GINI;
    case TREE_MINORITY:
        return HISTOGRAM_MINORITY;
    case TREE_POISSON:
        return HISTOGRAM_POISSON;
    default:
        return HISTOGRAM_MSE;
    }
}

/* ---- what nodes say ---- */

/* Sums a leaf, with its squares about its own mean, or y log y of counts. */
static void sum_leaf(BinnedTree *fit, const HistogramLeaf *leaf, const uint32_t *order)
{
    double weight = 0, mean = 0, square = 0;

    for (uint32_t i = 0; i < leaf->count; i++) {
        uint32_t row = order[leaf->first + i];
        double w = row_weight(fit->weights, row), y = target_of(fit, row), difference = y - mean;

        weight += w;
        mean += difference * (w / weight);
        if (fit->growth->criterion == TREE_POISSON)
            square += y > 0 ? w * y * log(y) : 0;
        else
            square += w * difference * (y - mean);
    }
    fit->weight[leaf->node] = weight;
    fit->sum[leaf->node] = mean * weight;
    fit->square[leaf->node] = square;
}

/* Sums a node from its children. */
static void sum_node(BinnedTree *fit, uint32_t at, uint32_t left, uint32_t right)
{
    double weight = fit->weight[left] + fit->weight[right];

    fit->weight[at] = weight;
    fit->sum[at] = fit->sum[left] + fit->sum[right];
    fit->square[at] = fit->square[left] + fit->square[right];
    if (fit->growth->criterion != TREE_POISSON) {
        double apart = fit->sum[right] / fit->weight[right] - fit->sum[left] / fit->weight[left];

        fit->square[at] += apart * apart * (fit->weight[left] * (fit->weight[right] / weight));
    }
}

static void describe(BinnedTree *fit, uint32_t at)
{
    GrownNode *node = &fit->tree->nodes[at];
    double weight = fit->weight[at], mean = fit->sum[at] / weight;

    node->cover = weight;
    if (fit->columns->classes != NULL) {
        double weights[2] = {weight - fit->sum[at], fit->sum[at]};

        node->impurity = tree_class_impurity(fit->growth->criterion, weights, 2, weight);
        node->majority = weights[1] > weights[0];
        return;
    }
    node->value = mean + fit->center;
    if (fit->growth->criterion == TREE_POISSON)
        node->impurity = fmax(0, (fit->square[at] - (mean > 0 ? fit->sum[at] * log(mean) : 0)) / weight);
    else
        node->impurity = fit->square[at] / weight;
}

/* Sets covers, values and impurities of all nodes from their rows, in double precision. */
static void describe_tree(BinnedTree *fit, const HistogramGrower *grower)
{
    GrownTree *tree = fit->tree;
    const uint32_t *order = histogram_order(grower);
    uint32_t count;
    const HistogramLeaf *leaves = histogram_leaves(grower, &count);

    fit->weight = env_array(fit->env, tree->count, sizeof(double));
    fit->sum = env_array(fit->env, tree->count, sizeof(double));
    fit->square = env_array(fit->env, tree->count, sizeof(double));
    for (uint32_t l = 0; l < count; l++) {
        if (l % 1024 == 0)
            fit->env->poll(fit->env);
        sum_leaf(fit, &leaves[l], order);
    }
    for (uint32_t i = tree->count; i-- > 0;) { /* children come after their parent */
        if (i % POLL_ROWS == 0)
            fit->env->poll(fit->env);
        if (tree->nodes[i].left != TREE_NONE)
            sum_node(fit, i, tree->nodes[i].left, tree->nodes[i].right);
        describe(fit, i);
    }
    for (uint32_t l = 0; fit->columns->classes != NULL && l < count; l++) {
        uint32_t at = leaves[l].node;
        double weights[2] = {0, 0};

        for (uint32_t i = 0; i < leaves[l].count; i++) {
            uint32_t row = order[leaves[l].first + i];

            weights[fit->columns->classes[row]] += row_weight(fit->weights, row);
        }
        grown_tree_classes(tree, at, weights, fit->columns->class_count);
    }
}

void tree_binned_grow(const BinnedColumns *binned, const TreeColumns *columns, const double *weights,
                      const TreeGrowth *growth, GrownTree *tree)
{
    Env *env = binned->env;
    BinnedTree fit = {.env = env, .columns = columns, .weights = weights, .growth = growth, .tree = tree};
    HistogramGrowth limits = {.criterion = criterion_of(growth->criterion),
                              .max_depth = growth->max_depth,
                              .max_leaves = growth->max_leaf_nodes,
                              .best_first = true,
                              .min_samples_split = growth->min_samples_split,
                              .min_samples_leaf = growth->min_samples_leaf,
                              .max_features = growth->max_features,
                              .midpoints = true,
                              .split_impure = true,
                              .seed = growth->seed};
    HistogramGrower *grower;

    limits.min_decrease = growth->min_impurity_decrease * columns->weight / (growth->criterion == TREE_GINI ? 2 : 1);
    find_center(&fit);
    make_rows(&fit);
    grower = histogram_grower(binned, &limits, env->memory_limit / 4);
    histogram_grow(grower, fit.rows, &fit.scale, NULL, columns->rows, 0, tree);
    describe_tree(&fit, grower);
}
