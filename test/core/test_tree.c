/*
 * test_tree.c - single trees against exhaustive search: splits, pruning, Shapley values; edited models; cancellation.
 */
#include "check.h"

#include "core/tree_growth/tree_grow.h"
#include "core/tree_value/tree_model.h"
#include "core/tree_growth/tree_prune.h"
#include "fit.h"

#include <stdlib.h>

extern const Estimator estimator_tree_classifier, estimator_tree_regression;

#define FEATURES 3

/* Rows with few distinct values, some of them missing. */
typedef struct Sample {
    uint32_t n, classes;
    double *x, *y, *w;
} Sample;

static Sample make_sample(uint64_t seed, uint32_t n, uint32_t classes)
{
    Sample sample = {n, classes, malloc(n * FEATURES * sizeof(double)), malloc(n * sizeof(double)), malloc(n * sizeof(double))};

    for (uint32_t i = 0; i < n; i++) {
        double sum = 0;

        for (uint32_t j = 0; j < FEATURES; j++) {
            double value = floor(random_uniform(&seed) * 6) - 2;

            sample.x[i * FEATURES + j] = random_uniform(&seed) < 0.15 ? NAN : value;
            sum += isnan(sample.x[i * FEATURES + j]) ? 1.5 : value * (j + 1) * 0.4;
        }
        sum += 3 * random_uniform(&seed);
        sample.y[i] = classes > 0 ? fmin(classes - 1, floor(fabs(sum))) : fabs(sum);
        sample.w[i] = floor(1 + 4 * random_uniform(&seed)) / 2;
    }
    return sample;
}

static void free_sample(Sample *sample)
{
    free(sample->x);
    free(sample->y);
    free(sample->w);
}

static const Model *fit(Env *env, const Sample *s, const char *options)
{
    const Model *model = rows_model(env, s->classes > 0 ? &estimator_tree_classifier : &estimator_tree_regression,
                                    target_rows(env, s->x, s->y, s->w, NULL, s->n, FEATURES, s->classes), options);

    CHECK(model != NULL && model_check(env, model, model->size) == NULL);
    return model;
}

/* ---- the best split ---- */

/* Returns weight x impurity of the rows that are marked. */
static double badness(const Sample *s, const bool *in, TreeCriterion criterion)
{
    double weight = 0, sum = 0, result = 0, classes[8] = {0}, best = INFINITY;

    for (uint32_t i = 0; i < s->n; i++)
        if (in[i]) {
            weight += s->w[i];
            sum += s->w[i] * s->y[i];
            if (s->classes > 0)
                classes[(int)s->y[i]] += s->w[i];
        }
    if (s->classes > 0)
        return weight * tree_class_impurity(criterion, classes, s->classes, weight);
    for (uint32_t i = 0; i < s->n; i++) {
        double mean = sum / weight;

        if (in[i] && criterion == TREE_MSE)
            result += s->w[i] * (s->y[i] - mean) * (s->y[i] - mean);
        if (in[i] && criterion == TREE_POISSON && s->y[i] > 0)
            result += s->w[i] * s->y[i] * log(s->y[i] / mean);
    }
    for (uint32_t m = 0; m < s->n && criterion == TREE_MAE; m++) {
        double deviations = 0;

        for (uint32_t i = 0; in[m] && i < s->n; i++)
            deviations += in[i] ? s->w[i] * fabs(s->y[i] - s->y[m]) : 0;
        if (in[m])
            best = fmin(best, deviations);
    }
    return criterion == TREE_MAE ? best : result;
}

/* Returns the largest decrease of weight x impurity by any split of all rows. */
static double best_decrease(const Sample *s, TreeCriterion criterion, uint32_t least)
{
    bool *left = calloc(s->n, sizeof(bool)), *right = calloc(s->n, sizeof(bool));
    double all, best = -INFINITY;

    memset(left, 1, s->n);
    all = badness(s, left, criterion);
    for (uint32_t j = 0; j < FEATURES; j++)
        for (double t = -2.5; t < 5; t++)
            for (int missing = 0; missing < 2; missing++) {
                uint32_t count = 0;

                for (uint32_t i = 0; i < s->n; i++) {
                    double x = s->x[i * FEATURES + j];

                    left[i] = isnan(x) ? missing : x <= t;
                    right[i] = !left[i];
                    count += left[i];
                }
                if (count >= least && s->n - count >= least)
                    best = fmax(best, all - badness(s, left, criterion) - badness(s, right, criterion));
            }
    free(left);
    free(right);
    return best;
}

static void test_best_split(Host *host)
{
    static const char *const names[] = {"gini", "entropy", "sqrt_gini", "minority", "mse", "mae", "poisson"};
    Env *env = &host->env;

    for (int criterion = 0; criterion < 7; criterion++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            uint32_t least = 1 + seed % 4;
            Sample s = make_sample(seed * 77 + (uint64_t)criterion, 40, criterion < TREE_MSE ? 2 + seed % 3 : 0);
            char options[160];
            const Model *model;
            TreeScorer *trees;
            double decrease, share;

            snprintf(options, sizeof(options), "{\"criterion\": \"%s\", \"max_depth\": 1, \"min_samples_leaf\": %u}",
                     names[criterion], least);
            model = fit(env, &s, options);
            trees = tree_scorer(env, model);
            CHECK_INT(trees->nodes, 3);
            share = trees->leaf_cover[1] / (trees->leaf_cover[0] + trees->leaf_cover[1]);
            decrease = array_at(model, "impurity", 0) - (1 - share) * array_at(model, "impurity", 1) -
                       share * array_at(model, "impurity", 2);
            CHECK_NEAR(decrease * (trees->leaf_cover[0] + trees->leaf_cover[1]),
                       best_decrease(&s, (TreeCriterion)criterion, least), 1e-9);
            free_sample(&s);
            host_reset(host);
        }
}

/* ---- pruning ---- */

/* Returns the least impurity + alpha x leaves of all subtrees with the same root. */
static double least_cost(const GrownTree *tree, uint32_t node, double alpha)
{
    const GrownNode *at = &tree->nodes[node];
    double cost = at->cover * at->impurity / tree->nodes[0].cover + alpha;

    if (at->left == TREE_NONE)
        return cost;
    return fmin(cost, least_cost(tree, at->left, alpha) + least_cost(tree, at->right, alpha));
}

static double cost_of(const GrownTree *tree, uint32_t node, const double *alphas, double alpha)
{
    const GrownNode *at = &tree->nodes[node];

    if (at->left == TREE_NONE || alphas[node] <= alpha)
        return at->cover * at->impurity / tree->nodes[0].cover + alpha;
    return cost_of(tree, at->left, alphas, alpha) + cost_of(tree, at->right, alphas, alpha);
}

/* Every tree of the path has the least cost at its alphas, and they are nested. */
static void test_path(Host *host)
{
    Env *env = &host->env;

    for (uint64_t seed = 1; seed <= 10; seed++) {
        Sample s = make_sample(seed, 120, seed % 2 ? 3 : 0);
        Rows *rows = target_rows(env, s.x, s.y, s.w, NULL, s.n, FEATURES, s.classes);
        TreeColumns *columns = tree_columns(env, rows, TREE_ORDER, 0, "a test");
        TreeGrowth growth = {.criterion = s.classes > 0 ? TREE_GINI : TREE_MSE, .max_depth = UINT32_MAX};
        TreeSample all = {NULL};
        GrownTree *tree = grown_tree(env);
        uint32_t count;
        double *alphas;
        PruneStep *steps;

        growth.min_samples_leaf = growth.min_samples_split = 1;
        tree_grow(columns, &all, &growth, tree);
        alphas = env_array(env, tree->count, sizeof(double));
        steps = tree_prune_path(env, tree, alphas, &count);
        CHECK_INT(steps[count - 1].leaves, 1);
        for (uint32_t k = 0; k < count; k++) {
            double next = k + 1 < count ? steps[k + 1].alpha : 2 * steps[k].alpha, half = (steps[k].alpha + next) / 2;

            CHECK(k == 0 || (steps[k].alpha > steps[k - 1].alpha && steps[k].leaves < steps[k - 1].leaves));
            CHECK_NEAR(cost_of(tree, 0, alphas, half), least_cost(tree, 0, half), 1e-9);
            CHECK_NEAR(steps[k].impurity + half * steps[k].leaves, least_cost(tree, 0, half), 1e-9);
        }
        free_sample(&s);
        host_reset(host);
    }
}

/* ---- Shapley values ---- */

static double leaf_value(const TreeScorer *trees, uint32_t tree, const TreeNode *leaf, uint32_t k, const void *context)
{
    return leaf->of.value;
}

/* Returns the weight of the rows below a node, and the sum of what its leaves predict. */
static double below(const TreeScorer *trees, const TreeNode *node)
{
    if (node->split == TREE_LEAF)
        return trees->leaf_cover[node->right];
    return below(trees, node + 1) + below(trees, node + node->right);
}

/* Returns the expected value of a row of which only the features in `known` are known. */
static double expected(const TreeScorer *trees, const TreeNode *node, const double *slots, uint32_t known)
{
    double left, right;

    if (node->split == TREE_LEAF)
        return node->of.value;
    if (known >> (node->split >> 2) & 1)
        return expected(trees, node + (tree_goes_left(trees, node, slots) ? 1 : node->right), slots, known);
    left = below(trees, node + 1);
    right = below(trees, node + node->right);
    return (left * expected(trees, node + 1, slots, known) + right * expected(trees, node + node->right, slots, known)) /
           (left + right);
}

static void test_shapley(Host *host)
{
    static const double weights[FEATURES] = {1.0 / 3, 1.0 / 6, 1.0 / 3}; /* of sets of 0, 1, 2 other features */
    Env *env = &host->env;
    Sample s = make_sample(5, 150, 0);
    TreeScorer *trees = tree_scorer(env, fit(env, &s, "{\"min_samples_leaf\": 2}"));

    CHECK(trees->leaves > 20);
    for (uint32_t i = 0; i < 60; i++) {
        const double *slots = s.x + i * FEATURES;
        double out[FEATURES] = {0}, path[FEATURES] = {0}, value = tree_find_leaf(trees, 0, slots)->of.value;
        double base = tree_shapley_values(env, trees, 0, slots, 0, leaf_value, NULL, out);

        CHECK_NEAR(base, expected(trees, trees->node, slots, 0), 1e-9);
        CHECK_NEAR(base + out[0] + out[1] + out[2], value, 1e-9);
        CHECK_NEAR(tree_path_contributions(env, trees, 0, slots, 0, leaf_value, NULL, path), base, 1e-9);
        CHECK_NEAR(base + path[0] + path[1] + path[2], value, 1e-9);
        for (uint32_t j = 0; j < FEATURES; j++) {
            double shapley = 0;

            for (uint32_t set = 0; set < 1u << FEATURES; set++)
                if (!(set >> j & 1))
                    shapley += weights[__builtin_popcount(set)] * (expected(trees, trees->node, slots, set | 1u << j) -
                                                                    expected(trees, trees->node, slots, set));
            CHECK_NEAR(out[j], shapley, 1e-9);
        }
    }
    free_sample(&s);
    host_reset(host);
}

/* ---- edited models ---- */

/* Whatever passes the check can be scored, explained and written. */
static void test_forged(Host *host)
{
    Env *env = &host->env;
    uint64_t seed = 11;
    uint32_t passed = 0;

    for (int i = 0; i < 3000; i++) {
        const Estimator *estimator = i % 2 ? &estimator_tree_classifier : &estimator_tree_regression;
        Sample s = make_sample((uint64_t)(i % 7), 30, i % 2 ? 2 + i % 3 : 0);
        Model *model = state_copy(env, fit(env, &s, i % 3 ? "{\"max_depth\": 3}" : "{\"prune\": \"cost_complexity\"}"));

        if (TRY(host)) {
            if (forge_array(&seed, model, 1 + i % 3)) {
                model_seal(env, model);
                if (model_check(env, model, model->size) == NULL) {
                    size_t bytes;
                    void *prepared = estimator->scoring->prepare(env, model, &bytes);
                    Explanation *lines;
                    double numbers[8];

                    passed++;
                    if (i % 2)
                        estimator->scoring->probabilities(model, prepared, s.x, numbers);
                    else
                        estimator->scoring->predict(model, prepared, s.x);
                    estimator->scoring->explain(env, model, prepared, s.x, &lines);
                    tree_rules(env, model);
                    estimator->summary(env, model);
                    estimator->to_sql(env, model);
                    tree_importance(env, model);
                }
            }
            TRY_END(host);
        } else {
            CHECK(host->code != ERROR_INTERNAL);
        }
        free_sample(&s);
        host_reset(host);
    }
    CHECK(passed > 100);
}

/* Numbers are kept in the narrowest type that holds them. */
static void test_narrow(Host *host)
{
    static const struct {
        double numbers[2];
        ElementType type;
    } cases[] = {{{0, 255}, ARRAY_U8},     {{0, 256}, ARRAY_F32},          {{-1, 3}, ARRAY_F32},   {{0.5, INFINITY}, ARRAY_F32},
                 {{0, 16777217}, ARRAY_I32}, {{0.1, 1}, ARRAY_F64},         {{1e300, 0}, ARRAY_F64}, {{-0.0, 1}, ARRAY_F32},
                 {{2147483647, 1}, ARRAY_I32}, {{2147483649, 1}, ARRAY_F64}};
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ModelBuilder *builder = model_builder(env, MODEL_FITTED, "tree_regression");
        const Model *model;

        builder_narrow(builder, SECTION_ARRAYS, "numbers", cases[i].numbers, 2);
        model = model_build(builder);
        CHECK_INT(model_find(model, "numbers")->type, cases[i].type);
        CHECK(model_number(model, model_find(model, "numbers"), 0) == cases[i].numbers[0] &&
              model_number(model, model_find(model, "numbers"), 1) == cases[i].numbers[1]);
    }
    host_reset(host);
}

static void cancelled(Host *host, const Sample *s, const char *options)
{
    Env *env = &host->env;

    rows_model(env, s->classes > 0 ? &estimator_tree_classifier : &estimator_tree_regression,
               target_rows(env, s->x, s->y, s->w, NULL, s->n, FEATURES, s->classes), options);
}

static void test_cancel(Host *host)
{
    Sample numbers = make_sample(3, 200, 0), classes = make_sample(4, 200, 3);

    CHECK_CANCELS(host, 60, 1, cancelled(host, &numbers, "{\"criterion\": \"mae\"}"));
    CHECK_CANCELS(host, 120, 3, cancelled(host, &classes, "{\"prune\": \"cost_complexity\"}"));
    free_sample(&numbers);
    free_sample(&classes);
}

/* ---- bins ---- */

/* Tells whether an array is the same in both models, or in neither. */
static bool same_array(const Model *a, const Model *b, const char *name)
{
    const ModelEntry *x = model_find(a, name), *y = model_find(b, name);

    if (x == NULL || y == NULL)
        return x == y;
    return x->type == y->type && x->rows == y->rows &&
           memcmp(model_data(a, x), model_data(b, y), model_entry_bytes(a, x)) == 0;
}

/* Where every value has a bin, trees over bins are the exact ones. */
static void test_bins(Host *host)
{
    static const char *const limits[] = {"\"criterion\": \"gini\"",
                                         "\"criterion\": \"entropy\", \"min_samples_leaf\": 3",
                                         "\"criterion\": \"sqrt_gini\", \"max_leaf_nodes\": 12",
                                         "\"criterion\": \"minority\", \"max_depth\": 5",
                                         "\"prune\": \"reduced_error\"",
                                         "\"prune\": \"cost_complexity\", \"folds\": 4"};
    Env *env = &host->env;

    for (uint32_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            Sample s = make_sample(seed * 131 + l, 400, 2 + seed % 5);
            char options[160];
            const Model *exact, *binned;

            snprintf(options, sizeof(options), "{\"split\": \"exact\", %s}", limits[l]);
            exact = fit(env, &s, options);
            snprintf(options, sizeof(options), "{\"split\": \"binned\", %s}", limits[l]);
            binned = fit(env, &s, options);
            CHECK(same_array(exact, binned, "split") && same_array(exact, binned, "threshold"));
            CHECK(same_array(exact, binned, "leaf_class") && same_array(exact, binned, "leaf_weight"));
            free_sample(&s);
            host_reset(host);
        }
}

/* Bins in the file give the same tree; less than what the rows need beside them is refused. */
static void test_spilled(Host *host)
{
    Env *env = &host->env;

    for (uint32_t classes = 0; classes <= 4; classes += 2) {
        Sample s = make_sample(5 + classes, 30000, classes);
        const char *options = "{\"split\": \"binned\", \"max_depth\": 9}";
        const Model *whole = fit(env, &s, options), *spilled;

        env->memory_limit = classes == 0 ? 1180000 : classes == 2 ? 1720000 : 1830000; /* 30,000 bytes too few for bins in memory */
        spilled = fit(env, &s, options);
        CHECK(host->spilled > 0);
        CHECK(same_array(whole, spilled, "split") && same_array(whole, spilled, "threshold"));
        CHECK(same_array(whole, spilled, "impurity"));
        env->memory_limit = 1000000;
        if (TRY(host)) {
            fit(env, &s, options);
            CHECK(false);
        }
        host->catching = false;
        CHECK_INT(host->code, ERROR_LIMIT);
        env->memory_limit = (size_t)1 << 30;
        free_sample(&s);
        host_reset(host);
    }
}

int main(void)
{
    Host *host = host_new();

    test_best_split(host);
    test_path(host);
    test_shapley(host);
    test_forged(host);
    test_narrow(host);
    test_cancel(host);
    test_bins(host);
    test_spilled(host);
    host_free(host);
    return check_report();
}
