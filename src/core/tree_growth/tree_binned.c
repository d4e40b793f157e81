/*
 * tree_binned.c - grows a tree over binned columns: the gradients of histograms are weight x target, or the class, the hessians
 * weights.
 */
#include "core/tree_growth/tree_binned.h"
#include "core/math/carried_sum.h"
#include "core/tree_bins/class_histogram.h"
#include "core/tree_bins/histogram_grow.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 65536u
#define HISTOGRAMS_LEAST 3
#define AHEAD 32u /* nodes between a request for targets and its use */

static const char *const split_choices[] = {"auto", "exact", "binned", NULL};

const OptionSpec tree_split_options[] = {
    {.name = "split",
     .types = OPTION_STRING,
     .fallback = "\"auto\"",
     .choices = split_choices,
     .help = "Whether splits are looked for between all values (exact), or between at most 255 bins per feature at exact quantiles (binned); auto "
             "bins above 50,000 rows where it can, which the fact \"binned\" shows."},
    {.name = NULL}};

/* Returns why bins will not do; NULL: they will. */
static const char *obstacle(const TreeGrowth *growth, const Model *schema)
{
    if (growth->criterion == TREE_MAE)
        return "criterion mae";
    for (uint32_t f = 0; f < schema->field_count; f++)
        if (schema_field_levels(schema, f) > BINS_MAX)
            return "a category of more than 255 levels";
    return NULL;
}

/* Returns the bytes of the least histograms that a tree needs. */
static uint64_t least_bytes(const Rows *rows, uint32_t classes)
{
    HistogramGrowth least = {.max_leaves = HISTOGRAMS_LEAST, .classes = classes};

    return histogram_grower_bytes(rows_count(rows), (uint64_t)rows_slots(rows) * (BINS_MAX + 1), &least);
}

bool tree_binned_wanted(Env *env, const Options *options, const TreeGrowth *growth, const Rows *rows, const char *method)
{
    const Model *schema = rows_schema(rows);
    const char *why = obstacle(growth, schema);

    if (options_is(options, "split", "auto"))
        return why == NULL && rows_count(rows) > TREE_BINNED_ROWS &&
               least_bytes(rows, dictionary_size(schema, DICTIONARY_CLASSES)) < env->memory_limit / 2;
    if (options_is(options, "split", "exact"))
        return false;
    if (why != NULL)
        env_fail(env, ERROR_PARAMETER, "Use \"split\": \"exact\".", "%s cannot bin with %s", method, why);
    return true;
}

TreeColumns *tree_binned_columns(Env *env, Rows *rows, unsigned what, const TreeGrowth *growth, size_t room, const char *method)
{
    uint64_t bytes = least_bytes(rows, dictionary_size(rows_schema(rows), DICTIONARY_CLASSES));

    return tree_columns_binned(env, rows, what, room + sizeof(HistogramRow) + (tree_counts_frequencies(growth) ? sizeof(uint32_t) : 0), bytes,
                               method);
}

/* ---- what is kept from tree to tree ---- */

struct TreeBinner {
    Env *env;
    const TreeColumns *columns;
    const TreeGrowth *growth;
    HistogramGrowth limits;
    HistogramGrower *grower;
    HistogramRow *rows;  /* [rows] */
    uint32_t *sizes;     /* [rows] frequencies, as far as the least sizes of nodes need them; NULL: one each */
    uint64_t size;       /* their sum */
    HistogramScale scale;
    double center; /* subtracted from targets, so that their squares do not cancel */
    const double *weights; /* of the sample */
    const double *made_of; /* the weights that the rows were made of */
    bool made;
    GrownTree *tree;
    CarriedSum *class_sums; /* [classes] of a leaf */
    double *class_weights;  /* [classes] */
};

TreeBinner *tree_binner(const TreeColumns *columns, const TreeGrowth *growth)
{
    Env *env = columns->env;
    TreeBinner *binner = env_array(env, 1, sizeof(TreeBinner));
    HistogramGrowth least = {.max_leaves = HISTOGRAMS_LEAST, .classes = columns->class_count};

    binner->env = env;
    binner->columns = columns;
    binner->growth = growth;
    binner->limits = (HistogramGrowth){.criterion = growth->criterion,
                                       .max_depth = growth->max_depth,
                                       .max_leaves = growth->max_leaf_nodes,
                                       .best_first = true,
                                       .min_samples_split = growth->min_samples_split,
                                       .min_samples_leaf = growth->min_samples_leaf,
                                       .max_features = growth->max_features,
                                       .monotone = growth->monotone,
                                       .classes = columns->class_count,
                                       .midpoints = true,
                                       .split_impure = true};
    binner->rows = env_array_raw(env, columns->rows, sizeof(HistogramRow));
    binner->sizes = tree_sizes(env, growth, columns->weights, columns->rows, &binner->size);
    binner->class_sums = env_array(env, (size_t)columns->class_count + 1, sizeof(CarriedSum));
    binner->class_weights = env_array(env, (size_t)columns->class_count + 1, sizeof(double));
    binner->grower = histogram_grower(columns->binned, &binner->limits,
                                      histogram_grower_bytes(0, columns->binned->bins + 1, &least) + columns->binned->spare / 2);
    return binner;
}

uint64_t tree_binner_bytes(const TreeColumns *columns)
{
    HistogramGrowth least = {.max_leaves = HISTOGRAMS_LEAST, .classes = columns->class_count};

    return columns->rows * sizeof(HistogramRow) + histogram_grower_bytes(columns->rows, columns->binned->bins + 1, &least);
}

void tree_binner_end(TreeBinner *binner)
{
    binner->env->release(binner->env, binner->rows);
    binner->env->release(binner->env, binner->sizes);
    histogram_grower_end(binner->grower);
}

static double target_of(const TreeBinner *binner, uint32_t row)
{
    if (binner->columns->classes != NULL)
        return binner->columns->classes[row];
    return binner->columns->targets[row] - binner->center;
}

/* Finds what the targets are measured from: about their mean; 0 where they are shares or counts. */
static void find_center(TreeBinner *binner)
{
    CarriedSum sum = {0, 0};

    if (binner->columns->classes != NULL || binner->growth->criterion == TREE_POISSON)
        return;
    for (uint32_t row = 0; row < binner->columns->rows; row++)
        carried_add(&sum, binner->columns->targets[row] / binner->columns->rows);
    binner->center = carried_value(&sum);
}

/* Returns how much the row counts in gradients, of classes as a number that bounds it. */
static inline double gradient_of(const TreeBinner *binner, uint32_t row)
{
    double weight = row_weight(binner->weights, row);

    return binner->columns->class_count > 2 ? weight : weight * target_of(binner, row);
}

/* Makes the rows of the histograms from the weights of the sample. */
static void make_rows(TreeBinner *binner)
{
    uint32_t rows = binner->columns->rows;
    double largest = 0, heaviest = 0, weights = 0, per_gradient, per_hessian;
    for (uint32_t row = 0; row < rows; row++) {
        double weight = row_weight(binner->weights, row);

        if (row % POLL_ROWS == 0)
            binner->env->poll(binner->env);
        largest = fmax(largest, fabs(gradient_of(binner, row)));
        heaviest = fmax(heaviest, weight);
        weights += weight;
    }
    if (!isfinite(largest) || !isfinite(weights))
        env_fail(binner->env, ERROR_RANGE, "Divide the target or the weights by a power of ten.",
                 "targets or weights of a tree are out of range");
    binner->scale = histogram_scale(binner->size, largest, heaviest, weights);
    per_gradient = 1 / binner->scale.gradient;
    per_hessian = 1 / binner->scale.hessian;
    for (uint32_t row = 0; row < rows; row++) {
        if (row % POLL_ROWS == 0)
            binner->env->poll(binner->env);
        if (binner->columns->class_count > 2)
            binner->rows[row].gradient = (int32_t)binner->columns->classes[row];
        else
            binner->rows[row].gradient = (int32_t)rint(gradient_of(binner, row) * per_gradient);
        binner->rows[row].hessian = (uint32_t)rint(row_weight(binner->weights, row) * per_hessian);
    }
    binner->made = true;
    binner->made_of = binner->weights;
}

/* ---- what nodes say ---- */

/*
 * Until they are described, nodes hold sums where their results will be, since a tree may have two nodes per row: of numbers, that of
 * weight x target and of weight x what the criterion needs; of two classes, the weight of the second. `cover` has the sum of the weights.
 */
static double *sum_of(const TreeBinner *binner, uint32_t at)
{
    GrownNode *node = &binner->tree->nodes[at];

    return binner->columns->classes != NULL ? &node->impurity : &node->value;
}

static double *square_of(const TreeBinner *binner, uint32_t at)
{
    return &binner->tree->nodes[at].impurity;
}

/* Sums a leaf, with its squares about its own mean, or y log y of counts. */
static void sum_leaf(TreeBinner *binner, uint32_t leaf, const uint32_t *order)
{
    CarriedSum weight = {0, 0}, sum = {0, 0}, square = {0, 0};
    bool poisson = binner->growth->criterion == TREE_POISSON;
    GrownNode *node = &binner->tree->nodes[leaf];
    double mean;

    for (uint32_t i = 0; i < node->rows; i++) {
        uint32_t row = order[node->first_row + i];
        double w = row_weight(binner->weights, row), y = target_of(binner, row);

        carried_add(&weight, w);
        carried_add(&sum, w * y);
        if (poisson)
            carried_add(&square, y > 0 ? w * y * log(y) : 0);
    }
    mean = carried_value(&sum) / carried_value(&weight);
    for (uint32_t i = 0; !poisson && i < node->rows; i++) {
        uint32_t row = order[node->first_row + i];
        double difference = target_of(binner, row) - mean;

        carried_add(&square, row_weight(binner->weights, row) * difference * difference);
    }
    node->cover = carried_value(&weight);
    *sum_of(binner, leaf) = carried_value(&sum);
    *square_of(binner, leaf) = carried_value(&square);
}

/* Sums the classes of a leaf. */
static void sum_class_leaf(TreeBinner *binner, uint32_t leaf, const uint32_t *order)
{
    uint32_t classes = binner->columns->class_count;
    GrownNode *node = &binner->tree->nodes[leaf];

    memset(binner->class_sums, 0, classes * sizeof(CarriedSum));
    for (uint32_t i = 0; i < node->rows; i++) {
        uint32_t row = order[node->first_row + i];

        carried_add(&binner->class_sums[binner->columns->classes[row]], row_weight(binner->weights, row));
    }
    node->cover = 0;
    for (uint32_t k = 0; k < classes; k++) {
        binner->class_weights[k] = carried_value(&binner->class_sums[k]);
        node->cover += binner->class_weights[k];
    }
    if (classes <= 2)
        *sum_of(binner, leaf) = classes > 1 ? binner->class_weights[1] : 0;
    if (binner->growth->monotone != NULL && classes == 2) {
        HistogramNode bounds = histogram_bounds(binner->grower, leaf);

        grown_tree_bound_pair(node, binner->class_weights, bounds.low, bounds.high);
    }
    grown_tree_classes(binner->tree, leaf, binner->class_weights, classes);
}

/* Sums a node from its children. */
static void sum_node(TreeBinner *binner, uint32_t at)
{
    GrownNode *nodes = binner->tree->nodes;
    uint32_t left = nodes[at].left, right = nodes[at].right;
    double weight = nodes[left].cover + nodes[right].cover;

    nodes[at].cover = weight;
    if (binner->columns->class_count > 2)
        return;
    *sum_of(binner, at) = *sum_of(binner, left) + *sum_of(binner, right);
    if (binner->columns->classes != NULL)
        return;
    *square_of(binner, at) = *square_of(binner, left) + *square_of(binner, right);
    if (binner->growth->criterion != TREE_POISSON) {
        double apart = *sum_of(binner, right) / nodes[right].cover - *sum_of(binner, left) / nodes[left].cover;

        *square_of(binner, at) += apart * apart * (nodes[left].cover * (nodes[right].cover / weight));
    }
}

static void describe(TreeBinner *binner, uint32_t at)
{
    GrownNode *node = &binner->tree->nodes[at];
    HistogramNode bounds = histogram_bounds(binner->grower, at);
    double weight = node->cover, sum = *sum_of(binner, at), mean = sum / weight, square = *square_of(binner, at);

    if (binner->columns->class_count > 2)
        return; /* histogram_grow has set the impurity and the majority */
    if (binner->columns->classes != NULL) {
        double weights[2] = {weight - sum, sum};

        node->impurity = tree_class_impurity(binner->growth->criterion, weights, 2, weight);
        if (binner->growth->monotone != NULL)
            grown_tree_bound_pair(node, weights, bounds.low, bounds.high);
        node->majority = weights[1] > weights[0];
        return;
    }
    node->value = fmin(fmax(mean, bounds.low), bounds.high) + binner->center;
    if (binner->growth->criterion == TREE_POISSON)
        node->impurity = fmax(0, (square - (mean > 0 ? sum * log(mean) : 0)) / weight);
    else
        node->impurity = square / weight;
}

/* Sets covers, values and impurities of all nodes from their rows, in double precision. */
static void describe_tree(TreeBinner *binner)
{
    GrownTree *tree = binner->tree;
    const uint32_t *order = histogram_order(binner->grower);
    uint32_t work = 0;

    for (uint32_t i = 0; i < tree->count; i++) {
        const GrownNode *node = &tree->nodes[i];

        if (node->left != TREE_NONE)
            continue;
        work += node->rows + binner->columns->class_count + 1;
        if (work > POLL_ROWS) {
            binner->env->poll(binner->env);
            work = 0;
        }
        if (binner->columns->classes != NULL) {
            sum_class_leaf(binner, i, order);
        } else {
            if (i + AHEAD < tree->count && tree->nodes[i + AHEAD].left == TREE_NONE)
                __builtin_prefetch(&binner->columns->targets[order[tree->nodes[i + AHEAD].first_row]]);
            sum_leaf(binner, i, order);
        }
    }
    for (uint32_t i = tree->count; i-- > 0;) { /* children come after their parent */
        if (i % POLL_ROWS == 0)
            binner->env->poll(binner->env);
        if (tree->nodes[i].left != TREE_NONE)
            sum_node(binner, i);
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        if (i % POLL_ROWS == 0)
            binner->env->poll(binner->env);
        describe(binner, i);
    }
}

/* Returns the weight of the rows of the sample. */
static double sample_weight(const TreeBinner *binner, const TreeSample *sample, uint32_t count)
{
    CarriedSum sum = {0, 0};

    for (uint32_t i = 0; i < count; i++)
        carried_add(&sum, row_weight(binner->weights, sample->rows != NULL ? sample->rows[i] : i));
    return carried_value(&sum);
}

void tree_binned_grow(TreeBinner *binner, const TreeSample *sample, uint64_t seed, GrownTree *tree)
{
    const TreeGrowth *growth = binner->growth;
    uint32_t count = sample->rows != NULL ? sample->count : binner->columns->rows;

    binner->tree = tree;
    binner->weights = sample->weights != NULL ? sample->weights : binner->columns->weights;
    if (!binner->made)
        find_center(binner);
    if (!binner->made || sample->changes || binner->made_of != binner->weights)
        make_rows(binner);
    binner->limits.seed = seed;
    if (growth->min_impurity_decrease > 0) /* a split of gini gains half of it in variance */
        binner->limits.min_decrease = growth->min_impurity_decrease * sample_weight(binner, sample, count) /
                                      (growth->criterion == TREE_GINI && binner->columns->class_count <= 2 ? 2 : 1);
    histogram_grow(binner->grower, binner->rows, binner->sizes, &binner->scale, sample->rows, count, 0, tree);
    describe_tree(binner);
}
