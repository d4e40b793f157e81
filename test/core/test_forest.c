/*
 * test_forest.c - forests: splits at random, missing values, weights, levels,
 * path lengths of isolation forests; merging; budgets, cancels, models whose arrays are not what they claim.
 */
#include "check.h"
#include "fit.h"
#include "core/forest/forest_model.h"
#include "core/tree_value/forest_walk.h"

#include <stdlib.h>

extern const Estimator estimator_forest_classifier, estimator_forest_regression, estimator_extra_trees_classifier,
    estimator_extra_trees_regression, estimator_isolation_forest;

#define FEATURES 4 /* the first is a category */
#define LEVELS 7

/* Rows of one category and three numbers with few distinct values, some of them missing. */
typedef struct Sample {
    uint32_t n, classes;
    bool weighted;
    double *x, *y, *w;
} Sample;

static Sample make_sample(Env *env, uint64_t seed, uint32_t n, uint32_t classes, double missing, uint32_t distinct)
{
    Sample s = {n, classes, false, env_array(env, (size_t)n * FEATURES, sizeof(double)), env_array(env, n, sizeof(double)),
                env_array(env, n, sizeof(double))};

    for (uint32_t i = 0; i < n; i++) {
        double sum = 2 * random_uniform(&seed), *row = s.x + (size_t)i * FEATURES;

        for (uint32_t j = 0; j < FEATURES; j++) {
            row[j] = floor(random_uniform(&seed) * (j == 0 ? LEVELS : distinct));
            sum += j == 0 ? (int)row[0] * 5 % LEVELS * 0.5 : row[j] * j / distinct;
            if (random_uniform(&seed) < missing)
                row[j] = NAN;
        }
        s.y[i] = classes > 0 ? (int)(sum * 1.3) % (int)classes : sum;
        s.w[i] = floor(1 + 4 * random_uniform(&seed)) / 2;
    }
    return s;
}

static Rows *rows_of(Env *env, const Sample *s, const uint32_t *order)
{
    static const FieldKind kinds[FEATURES] = {FIELD_CATEGORICAL, FIELD_NUMERIC, FIELD_NUMERIC, FIELD_NUMERIC};
    SchemaSpec spec = {.field_count = FEATURES, .kinds = kinds, .class_type = s->classes > 0 ? "text" : NULL};
    Model *schema = schema_model(env, &spec);
    uint32_t position;
    Rows *rows;

    for (uint32_t k = 0; k < s->classes; k++)
        schema = dictionary_add(env, schema, DICTIONARY_CLASSES, 0, (char[]){(char)('a' + k)}, 1, false, 0, &position);
    for (uint32_t l = 0; l < LEVELS; l++)
        schema = dictionary_add(env, schema, DICTIONARY_LEVELS, 0, (char[]){(char)('A' + l)}, 1, false, 0, &position);
    rows = rows_new(rows_pool(env), schema, ROWS_TARGET | (s->weighted ? ROWS_WEIGHT : 0));
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t at = order != NULL ? order[i] : i;

        rows_append(rows, s->x + (size_t)at * FEATURES, s->y[at], s->w[at], NULL, 0);
    }
    return rows;
}

static const Model *fit(Env *env, const Estimator *estimator, const Sample *s, const char *options)
{
    const Model *model = rows_model(env, estimator, rows_of(env, s, NULL), options);

    CHECK(model != NULL && model_check(env, model, model->size) == NULL);
    return model;
}

/* ---- random splits ---- */

/*
 * Counts the rows of every node from the top, each as often as it was drawn; each split divides them, within the range of its
 * feature.
 */
static double check_random_node(const TreeColumns *columns, const GrownTree *tree, uint32_t number, const uint32_t *counts,
                                const uint32_t *rows, uint32_t count)
{
    const GrownNode *node = tree->nodes + number;
    const TreeColumn *column = columns->columns + node->slot;
    uint32_t *side, lefts = 0, rights = count;
    double low = INFINITY, high = -INFINITY, drawn = 0;

    CHECK(count > 0);
    for (uint32_t i = 0; i < count; i++)
        drawn += counts[rows[i]];
    CHECK_NEAR(node->cover, drawn, 1e-9);
    if (node->left == TREE_NONE)
        return node->cover;
    side = malloc(count * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = column->rank[rows[i]];
        bool left = rank == TREE_MISSING ? node->missing_left
                    : column->category   ? tree->sets[node->set + rank / 8] >> rank % 8 & 1
                                         : column->values[rank] <= node->threshold;

        if (rank != TREE_MISSING && !column->category) {
            low = fmin(low, column->values[rank]);
            high = fmax(high, column->values[rank]);
        }
        side[left ? lefts++ : --rights] = rows[i];
    }
    CHECK(lefts > 0 && lefts < count);
    if (!column->category)
        CHECK((node->threshold >= low && node->threshold < high) || (low == high && node->threshold == INFINITY));
    low = check_random_node(columns, tree, node->left, counts, side, lefts) +
          check_random_node(columns, tree, node->right, counts, side + lefts, count - lefts);
    free(side);
    return low;
}

static void test_random_splits(Host *host)
{
    Env *env = &host->env;
    double sum = 0;

    for (uint64_t seed = 1; seed <= 30; seed++) {
        Sample s = make_sample(env, seed, seed % 5 ? 200 : 3000, (uint32_t)(seed % 3 == 0 ? 0 : seed % 3 + 1), seed % 2 * 0.2,
                               1000);
        TreeGrowth growth = {.criterion = s.classes > 0 ? TREE_GINI : seed % 2 ? TREE_MSE : TREE_MAE, .max_depth = UINT32_MAX,
                             .min_samples_split = 2, .min_samples_leaf = 1, .max_features = 1, .random_thresholds = true,
                             .max_leaf_nodes = seed % 7 == 0 ? 50 : 0, .seed = seed};
        TreeColumns *columns = tree_columns(env, rows_of(env, &s, NULL), TREE_VALUES, 0, "a test");
        GrownTree *tree = grown_tree(env);
        uint32_t *counts = env_array(env, s.n, sizeof(uint32_t)), *rows = env_array(env, s.n, sizeof(uint32_t)), count = 0;
        double *weights = env_array(env, s.n, sizeof(double));
        uint64_t random = seed;

        for (uint32_t i = 0; i < s.n; i++) {
            counts[i] = seed % 4 < 2 ? 1 : (uint32_t)(random_uniform(&random) * 4);
            weights[i] = counts[i];
            rows[count] = i;
            count += counts[i] > 0;
        }
        tree_grow(columns, &(TreeSample){.rows = rows, .count = count, .weights = seed % 4 < 2 ? NULL : weights}, &growth, tree);
        CHECK(tree->count > 20);
        check_random_node(columns, tree, 0, counts, rows, count);
        host_reset(host);
    }
    for (uint64_t seed = 1; seed <= 400; seed++) { /* thresholds are uniform between the smallest and the largest value */
        double x[] = {0, 1}, y[] = {0, 1};
        TreeGrowth growth = {.criterion = TREE_MSE, .max_depth = 1, .min_samples_split = 2, .min_samples_leaf = 1,
                             .max_features = 1, .random_thresholds = true, .seed = seed * RANDOM_STEP};
        TreeColumns *columns = tree_columns(env, target_rows(env, x, y, NULL, NULL, 2, 1, 0), TREE_VALUES, 0, "a test");
        GrownTree *tree = grown_tree(env);

        tree_grow(columns, &(TreeSample){0}, &growth, tree);
        sum += tree->nodes[0].threshold;
        host_reset(host);
    }
    CHECK_NEAR(sum / 400, 0.5, 0.06); /* four standard errors */
}

/* ---- whole forests ---- */

static const Estimator *const forests[] = {&estimator_forest_classifier, &estimator_forest_regression,
                                           &estimator_extra_trees_classifier, &estimator_extra_trees_regression};

/* One row, constant features, one class: single leaves, which say what the rows say. */
static void test_small(Host *host)
{
    Env *env = &host->env;

    for (int f = 0; f < 4; f++)
        for (uint32_t n = 1; n <= 9; n += 8)
            for (int same = 0; same < 2; same++) {
                const Scoring *scoring = forests[f]->scoring;
                Sample s = make_sample(env, 3, n, f % 2 ? 0 : 2, 0, 4);
                double mean = 0, found[2];
                const Model *model;
                void *prepared;
                size_t bytes;

                for (uint32_t i = 0; i < n; i++) {
                    for (uint32_t j = 0; j < FEATURES; j++)
                        s.x[i * FEATURES + j] = same ? 1 : s.x[i * FEATURES + j];
                    s.y[i] = same ? s.y[i] : 1;
                    mean += s.y[i] / n;
                }
                model = fit(env, forests[f], &s, "{\"n_trees\": 5, \"bootstrap\": false}");
                prepared = scoring->prepare(env, model, &bytes);
                CHECK_INT(fact_of(env, model, "nodes"), 5);
                if (f % 2)
                    CHECK_NEAR(scoring->predict(model, prepared, s.x), mean, 1e-6); /* leaves are floats */
                else {
                    scoring->probabilities(model, prepared, s.x, found);
                    CHECK_NEAR(found[1], mean, 1e-6);
                }
                host_reset(host);
            }
}

/* The same rows in any order give the same bytes. */
static void test_order(Host *host)
{
    Env *env = &host->env;

    for (int f = 0; f < 4; f++) {
        Sample s = make_sample(env, 17, 300, f % 2 ? 0 : 3, 0.1, 40);
        uint32_t *order = env_array(env, s.n, sizeof(uint32_t));
        uint64_t seed = 5;
        const char *options = "{\"n_trees\": 7, \"bootstrap\": true, \"seed\": 3, \"importance\": \"permutation\"}";
        const Model *a, *b;

        s.weighted = true;
        random_order(&seed, order, s.n);
        a = rows_model(env, forests[f], rows_of(env, &s, NULL), options);
        b = rows_model(env, forests[f], rows_of(env, &s, order), options);
        CHECK(a->size == b->size && memcmp(a, b, a->size) == 0);
        host_reset(host);
    }
}

/* A merged forest scores as the mean of its parts, weighted by their trees. */
static void test_merge(Host *host)
{
    Env *env = &host->env;

    for (int f = 1; f < 4; f += 2) {
        const Scoring *scoring = forests[f]->scoring;
        Sample s = make_sample(env, 23, 200, 0, 0.1, 30);
        const Model *a = fit(env, forests[f], &s, "{\"n_trees\": 3, \"seed\": 1}"),
                    *b = fit(env, forests[f], &s, "{\"n_trees\": 9, \"seed\": 2}"), *both = forest_merge(env, a, b);
        void *of_a, *of_b, *of_both;
        size_t bytes;

        CHECK(model_check(env, both, both->size) == NULL);
        CHECK_INT(fact_of(env, both, "trees"), 12);
        CHECK_INT((int)both->rows, 200);
        of_a = scoring->prepare(env, a, &bytes);
        of_b = scoring->prepare(env, b, &bytes);
        of_both = scoring->prepare(env, both, &bytes);
        for (uint32_t i = 0; i < s.n; i++) {
            const double *row = s.x + (size_t)i * FEATURES;

            CHECK_NEAR(scoring->predict(both, of_both, row),
                       (3 * scoring->predict(a, of_a, row) + 9 * scoring->predict(b, of_b, row)) / 12, 1e-12);
        }
        CHECK_FAILS(host, ERROR_PARAMETER, "the same trees", forest_merge(env, a, a));
        CHECK_FAILS(host, ERROR_PARAMETER, "the same trees", forest_merge(env, both, b));
        CHECK_FAILS(host, ERROR_KIND, "do not merge",
                    forest_merge(env, a, fit(env, forests[4 - f], &s, "{\"n_trees\": 1}")));
        CHECK_FAILS(host, ERROR_PARAMETER, "different options",
                    forest_merge(env, a, fit(env, forests[f], &s, "{\"max_depth\": 3, \"seed\": 9}")));
        host_reset(host);
    }
}

/* A fit is refused before its first large array, and does not allocate more than it may. */
static void test_memory(Host *host)
{
    Env *env = &host->env;
    size_t limit = env->memory_limit;

    for (int f = 0; f < 4; f++) {
        Sample s = make_sample(env, 29, 20000, f % 2 ? 0 : 2, 0.1, 10000);
        Rows *rows = rows_of(env, &s, NULL);
        size_t before = host->bytes;

        env->memory_limit = 1 << 20;
        CHECK_FAILS(host, ERROR_LIMIT, "pgfit.fit_mem allows 1.0 MB", rows_model(env, forests[f], rows, "{\"n_trees\": 1, \"max_depth\": 4}"));
        env->memory_limit = 9 << 20;
        host->peak = before;
        CHECK(rows_model(env, forests[f], rows, "{\"n_trees\": 2, \"max_depth\": 4}") != NULL);
        CHECK(host->peak - before < 9 << 20);
        CHECK_FAILS(host, ERROR_LIMIT, "trees like the first one",
                    rows_model(env, forests[f], rows, "{\"n_trees\": 1000000}"));
        env->memory_limit = limit;
        host_reset(host);
    }
}

/* Whatever passes the check can be scored, explained and written. */
static void test_forged(Host *host)
{
    Env *env = &host->env;
    uint64_t seed = 11;
    uint32_t passed = 0;

    for (int i = 0; i < 1500; i++) {
        const Estimator *estimator = i % 5 < 4 ? forests[i % 5] : &estimator_isolation_forest;
        const Scoring *scoring = estimator->scoring;
        Sample s = make_sample(env, (uint64_t)(i % 7), 30, i % 5 == 0 || i % 5 == 2 ? 2 + i % 3 : 0, 0.1, 5);
        Model *model = state_copy(env, fit(env, estimator, &s, "{\"n_trees\": 3}"));

        if (TRY(host)) {
            if (forge_array(&seed, model, 1 + i % 3)) {
                model_seal(env, model);
                if (model_check(env, model, model->size) == NULL) {
                    Explanation *lines;
                    double numbers[8];
                    size_t bytes;
                    void *prepared = scoring->prepare(env, model, &bytes);

                    passed++;
                    for (uint32_t row = 0; row < 5; row++) {
                        const double *slots = s.x + row * FEATURES;

                        if (scoring->probabilities != NULL)
                            scoring->probabilities(model, prepared, slots, numbers);
                        else if (scoring->predict != NULL)
                            scoring->predict(model, prepared, slots);
                        else
                            scoring->classify(model, prepared, slots);
                        if (scoring->explain != NULL)
                            scoring->explain(env, model, prepared, slots, &lines);
                    }
                    if (estimator->summary != NULL)
                        estimator->summary(env, model);
                    if (estimator->to_sql != NULL)
                        estimator->to_sql(env, model);
                    tree_importance(env, model);
                }
            }
            TRY_END(host);
        } else {
            CHECK(host->code != ERROR_INTERNAL);
        }
        host_reset(host);
    }
    CHECK(passed > 100);
}

/* ---- layouts for scoring ---- */

static float upper_float(double x)
{
    float near = (float)x;

    return (double)near < x ? nextafterf(near, INFINITY) : near;
}

/* Tells whether a value of the row and a threshold at or above it that is no float lie between the same two floats. */
static bool shares_gap(const TreeScorer *trees, const double *row)
{
    for (uint32_t i = 0; i < trees->nodes; i++) {
        const TreeNode *node = trees->node + i;

        if (node->split != TREE_LEAF && (double)(float)node->of.threshold != node->of.threshold && row[node->split >> 2] <= node->of.threshold &&
            upper_float(node->of.threshold) == upper_float(row[node->split >> 2]))
            return true;
    }
    return false;
}

/* The walk finds the leaves that the trees of the model lead to: through tiles and nodes, by floats, gaps and numbers of thresholds. */
static void test_walks(Host *host)
{
    static const uint32_t widths[] = {1, 3, 8, 9, 16, 17, 32, 40};
    Env *env = &host->env;
    uint32_t walked = 0, tiled = 0, gapped = 0, slower = 0;

    for (uint32_t round = 0; round < 64; round++) {
        uint32_t slots = widths[round / 4 % 8], n = 300, depth = 1 + round % 13;
        uint64_t seed = round + 1;
        double *x = env_array(env, (size_t)n * slots, sizeof(double)), *y = env_array(env, n, sizeof(double));
        char options[64];
        TreeScorer *trees;
        ForestWalk *walk;
        size_t bytes = 0;

        for (uint32_t i = 0; i < n * slots; i++) /* whole numbers, floats, and numbers that differ after the digits of a float: all, few */
            x[i] = round % 4 == 0 ? floor(random_uniform(&seed) * 9) - 4 : round % 4 == 1 || (round % 4 == 3 && i % 100 < 97)
                                                                           ? (float)random_normal(&seed)
                                                                           : 1 + 1e-9 * random_uniform(&seed);
        for (uint32_t i = 0; i < n; i++)
            y[i] = random_normal(&seed) + (x[i * slots] > 0);
        snprintf(options, sizeof(options), "{\"n_trees\": %u, \"max_depth\": %u, \"oob\": false}", 1 + round % 37, depth);
        trees = tree_scorer(env, rows_model(env, &estimator_forest_regression, target_rows(env, x, y, NULL, NULL, n, slots, 0), options));
        walk = forest_walk(env, trees, &bytes);
        CHECK(walk != NULL && bytes > 0);
        tiled += walk->tiles != NULL;
        gapped += walk->gaps != NULL;
        for (uint32_t i = 0; i < n; i++) {
            const double *row = x + (size_t)i * slots;

            walked += forest_walk_row(walk, row) != NULL;
            slower += walk->gaps != NULL && forest_walk_row(walk, row) == NULL;
            CHECK((forest_walk_row(walk, row) == NULL) == (walk->gaps != NULL && shares_gap(trees, row)));
            for (uint32_t first = 0, count; first < trees->trees; first += count) {
                uint32_t leaves[WALK_TOGETHER];

                count = forest_walk_leaves(trees, forest_walk_row(walk, row), row, first, leaves);
                for (uint32_t t = 0; t < count; t++)
                    CHECK_INT(leaves[t], tree_find_leaf(trees, first + t, row)->right);
            }
        }
        host_reset(host);
    }
    CHECK(walked > 10000);
    CHECK(gapped > 10 && slower > 100);
    CHECK(tiled == 0 || tiled > 30);
}

/* ---- isolation forests ---- */

/* Leaves have the depth plus the mean length of a search among their rows, and scores follow from their mean. */
static void test_isolation(Host *host)
{
    Env *env = &host->env;
    const Scoring *scoring = estimator_isolation_forest.scoring;
    Sample s = make_sample(env, 31, 500, 0, 0.1, 300);
    const Model *model = fit(env, &estimator_isolation_forest, &s, "{\"n_trees\": 20, \"max_samples\": 100}");
    TreeScorer *trees = tree_scorer(env, model);
    size_t bytes;
    void *prepared = scoring->prepare(env, model, &bytes);
    double scale = (float)(2 * (log(99) + 0.57721566490153286) - 2 * 99.0 / 100); /* rounded as stored lengths are */

    CHECK_NEAR(array_at(model, "path_scale", 0), scale, 1e-12);
    for (uint32_t i = 0; i < s.n; i++) {
        const double *row = s.x + (size_t)i * FEATURES;
        double sum = 0, score;

        for (uint32_t t = 0; t < trees->trees; t++) {
            const TreeNode *node = trees->node + trees->root[t];
            double depth = 0, rows;

            for (; node->split != TREE_LEAF; depth++)
                node += tree_goes_left(trees, node, row) ? 1 : node->right;
            rows = trees->leaf_cover[node->right];
            CHECK(depth <= 7);
            depth += rows <= 1 ? 0 : rows == 2 ? 1 : 2 * (log(rows - 1) + 0.57721566490153286) - 2 * (rows - 1) / rows;
            CHECK_NEAR(node->of.value, depth, 1e-5);
            sum += depth;
        }
        scoring->decisions(model, prepared, row, &score);
        CHECK_NEAR(score, exp2(-sum / 20 / scale), 1e-6);
        CHECK_INT(scoring->classify(model, prepared, row), !(score > 0.5));
    }
    host_reset(host);
}

/* A fit of 9 trees, and one of 4 that another continues, give the same model. Forged starts are refused or do no harm. */
static void test_start(Host *host)
{
    Env *env = &host->env;
    static const char *const options[] = {"", ",\"importance\":\"permutation\",\"bootstrap\":true", ",\"max_leaf_nodes\":5"};
    const Estimator *methods[] = {&estimator_forest_classifier, &estimator_extra_trees_classifier, &estimator_forest_regression};
    uint64_t seed = 12;

    for (int m = 0; m < 3; m++)
        for (int o = 0; o < 3; o++) {
            Sample s = make_sample(env, 50 + m, 200, m < 2 ? 2 + m : 0, 0.1, 20);
            char part[200], whole[200], *text, *more;
            const Model *start;
            size_t size;

            s.weighted = o == 1;
            snprintf(part, sizeof(part), "{\"n_trees\":4%s}", options[o]);
            snprintf(whole, sizeof(whole), "{\"n_trees\":9%s}", options[o]);
            start = fit(env, methods[m], &s, part);
            text = model_to_text(env, start, &size);
            more = env_array(env, size + 300, 1);
            snprintf(more, size + 300, "{\"n_trees\":9%s,\"start\":%s}", options[o], text);
            CHECK(model_compare(fit(env, methods[m], &s, more), fit(env, methods[m], &s, whole)) == 0);
            for (int i = 0; i < 60; i++) {
                Model *forged = state_copy(env, start);

                if (!forge_array(&seed, forged, 2))
                    continue;
                model_seal(env, forged);
                if (TRY(host)) {
                    text = model_to_text(env, forged, &size);
                    more = env_array(env, size + 300, 1);
                    snprintf(more, size + 300, "{\"n_trees\":5%s,\"start\":%s}", options[o], text);
                    rows_model(env, methods[m], rows_of(env, &s, NULL), more);
                    TRY_END(host);
                } else {
                    CHECK(host->code != ERROR_INTERNAL);
                }
            }
        }
    host_reset(host);
}

static void cancelled(Host *host, const Sample *s, const Estimator *estimator)
{
    rows_model(&host->env, estimator, rows_of(&host->env, s, NULL), "{\"n_trees\": 20}");
}

static void test_cancel(Host *host)
{
    Host *other = host_new();
    Sample s = make_sample(&other->env, 37, 300, 2, 0.1, 30);

    CHECK_CANCELS(host, 60, 3, cancelled(host, &s, &estimator_forest_classifier));
    CHECK_CANCELS(host, 60, 3, cancelled(host, &s, &estimator_extra_trees_classifier));
    CHECK_CANCELS(host, 60, 3, cancelled(host, &s, &estimator_isolation_forest));
    host_free(other);
}

int main(void)
{
    Host *host = host_new();

    test_random_splits(host);
    test_small(host);
    test_order(host);
    test_merge(host);
    test_memory(host);
    test_forged(host);
    test_walks(host);
    test_isolation(host);
    test_start(host);
    test_cancel(host);
    host_free(host);
    return check_report();
}
