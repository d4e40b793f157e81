/*
 * forest_fit.c - fits forests: Breiman (2001), Random forests; Geurts, Ernst & Wehenkel (2006), Extremely randomized trees.
 *
 * Rows are in an order that depends only on their content, and tree t draws from a stream of its own, a hash of the seed and t:
 * the same rows and seed give the same forest, whatever the order of arrival.
 */
#include "core/base/sort.h"
#include "core/base/number_order.h"
#include "core/forest/forest_model.h"
#include "core/forest/forest_oob.h"
#include "core/forest/forest_trees.h"
#include "core/tree_value/tree_start.h"

#include <math.h>
#include <string.h>

#define FOREST_HINT "Use fewer trees, or limit them by max_depth, min_samples_leaf or max_leaf_nodes."

#define POLL_ROWS 65536
#define FLOAT_SPREADS 64 /* leaves are off by at most 4e-6 of the distance of the targets' quartiles */

/* What the options say, read once. */
typedef struct ForestPlan {
    uint32_t n_trees;
    double max_samples; /* rows, or with `share` a share of them; 0: all */
    bool share, bootstrap;
    bool judged;        /* by the rows outside the samples */
    bool importance, by_permutation;
    bool hard;          /* each tree votes for one class */
    int64_t seed;
    TreeGrowth growth;
} ForestPlan;

typedef struct Forest {
    Env *env;
    ForestPlan plan;
    ForestTrees trees;
    TreeColumns *columns; /* those of the trees */
    ClassRule rule;
    TreeStore *store;
    TreeStart start;
    bool same_rows;       /* the start was grown from these rows */
    ForestOob *oob;       /* NULL: not wanted */
    double *curve;        /* [trees]; NULL: no error of the whole forest */
    double *importance;   /* [slots], or NULL: sums over the trees */
    /* facts */
    uint64_t nodes;
    uint32_t depth;
    double class_rule[3];
    uint8_t hard_votes;
    char rows_hash[24];
} Forest;

/* ---- before the first tree ---- */

/* Reads the options. Fails with ERROR_PARAMETER where they exclude each other. */
static ForestPlan read_plan(Env *env, const Estimator *self, const Options *options, const Rows *rows)
{
    ForestPlan plan = {
        .n_trees = (uint32_t)options_integer(options, "n_trees"),
        .bootstrap = options_boolean(options, "bootstrap"),
        .importance = !options_is(options, "importance", "none"),
        .by_permutation = options_is(options, "importance", "permutation"),
        .hard = options_has(options, "voting") && options_is(options, "voting", "hard"),
        .seed = options_integer(options, "seed"),
        .growth = tree_growth_read(env, options, rows, self->name),
    };

    plan.growth.random_thresholds = !options_has(options, "split");
    if (plan.by_permutation && !plan.bootstrap)
        env_fail(env, ERROR_PARAMETER, "Set \"bootstrap\": true, or use importance \"impurity\".",
                 "%s has no out-of-bag rows to permute without option \"bootstrap\"", self->name);
    plan.judged = plan.bootstrap && (plan.by_permutation || options_boolean(options, "oob"));
    if (options_type(options, "max_samples") != 0) {
        if (!plan.bootstrap)
            env_fail(env, ERROR_PARAMETER, "Set \"bootstrap\": true, or leave the option out.",
                     "option \"max_samples\" needs option \"bootstrap\"");
        plan.max_samples = options_number(options, "max_samples");
        plan.share = options_type(options, "max_samples") == OPTION_NUMBER;
        if (plan.share && plan.max_samples > 1)
            env_fail(env, ERROR_PARAMETER, "Give a share up to 1, or a whole number of rows.", "option \"max_samples\" is %g",
                     plan.max_samples);
    }
    return plan;
}

/* Returns how many rows the sample of a tree has. */
static uint32_t sample_rows(Env *env, const ForestPlan *plan, uint32_t rows)
{
    double wanted = plan->max_samples == 0 ? rows : plan->share ? floor(plan->max_samples * rows + 0.5) : plan->max_samples;

    if (wanted > rows)
        env_fail(env, ERROR_DATA, "Give at most the number of rows, or a share.",
                 "option \"max_samples\" asks for %.0f rows, but there are %u", wanted, rows);
    return wanted < 1 ? 1 : (uint32_t)wanted;
}

/* Returns the bytes per row that a fit takes beside the columns and what grows a tree. */
static size_t row_room(const ForestPlan *plan, uint32_t classes)
{
    size_t room = 2 * sizeof(uint32_t) + 2 * sizeof(double);

    return plan->judged ? room + forest_oob_room(classes, plan->by_permutation) : room;
}

/* Writes a hash of all rows in their order: equal for the same rows, so that merging can tell. */
static void hash_rows(const TreeColumns *columns, char text[24])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t hash = mix64(columns->rows);

    for (uint32_t j = 0; j < columns->slots; j++) {
        const TreeColumn *column = columns->columns + j;

        for (uint32_t i = 0; i < columns->rows; i++) {
            if (i % POLL_ROWS == 0)
                columns->env->poll(columns->env);
            hash = (hash ^ tree_rank(columns, j, i)) * RANDOM_STEP;
        }
        if (!column->category)
            hash ^= rows_hash(hash, column->values, column->ranks);
        hash = mix64(hash);
    }
    for (uint32_t i = 0; columns->classes != NULL && i < columns->rows; i++)
        hash = (hash ^ columns->classes[i]) * RANDOM_STEP;
    if (columns->targets != NULL)
        hash ^= rows_hash(hash, columns->targets, columns->rows);
    if (columns->weights != NULL)
        hash ^= rows_hash(hash, columns->weights, columns->rows);
    hash = mix64(hash);
    for (uint32_t i = 0; i < 16; i++)
        text[i] = digits[hash >> (60 - 4 * i) & 15];
}

/*
 * Tells whether the values of leaves may be rounded to floats: not if the targets are far from 0 compared with the distance of
 * their quartiles, because a share of their size would then be much of what the trees explain.
 */
static bool spread_suits_floats(const TreeColumns *columns)
{
    Env *env = columns->env;
    uint32_t rows = columns->rows;
    double *sorted, low, high;

    if (columns->targets == NULL || columns->unit != 1)
        return columns->targets == NULL;
    sorted = env_array_raw(env, rows, sizeof(double));
    memcpy(sorted, columns->targets, rows * sizeof(double));
    sort_numbers(env, sorted, rows, sizeof(double));
    low = sorted[rows / 4];
    high = sorted[rows - 1 - rows / 4];
    env->release(env, sorted);
    return fmax(fabs(low), fabs(high)) <= FLOAT_SPREADS * (high - low);
}

/* Tells whether the start was grown from these rows. */
static bool start_has_rows(const Forest *forest)
{
    const ModelEntry *hash = forest->start.model != NULL ? model_find(forest->start.model, "rows_hash") : NULL;
    uint32_t length;
    const char *text = hash != NULL ? model_text(forest->start.model, hash, 0, &length) : NULL;

    return text != NULL && length == strlen(forest->rows_hash) && memcmp(text, forest->rows_hash, length) == 0;
}

/* Tells whether the samples of the start's trees can be drawn again: they are of these rows and of one seed. */
static bool samples_known(const Forest *forest)
{
    uint32_t count;
    const int64_t *seeds = model_i64(forest->start.model, "seeds", &count);

    return forest->same_rows && count == 1 && seeds[0] == forest->plan.seed;
}

/* Makes everything that the trees share of the columns. */
static void open_forest(Forest *forest, const Model *schema)
{
    Env *env = forest->env;
    const ForestPlan *plan = &forest->plan;
    const TreeColumns *columns = forest->columns;

    if (plan->growth.criterion == TREE_POISSON)
        tree_require_poisson(columns);
    forest->trees.growth = plan->growth;
    forest->trees.bootstrap = plan->bootstrap;
    forest->trees.sample = sample_rows(env, plan, columns->rows);
    forest_trees_begin(env, &forest->trees);
    hash_rows(columns, forest->rows_hash);
    forest->same_rows = start_has_rows(forest);
    forest->store = tree_store(env, schema, columns->class_count > 0);
    tree_store_use_floats(forest->store, spread_suits_floats(columns));
    if (plan->importance)
        forest->importance = env_array(env, (size_t)columns->slots + 1, sizeof(double));
    if (plan->importance && !plan->by_permutation)
        tree_store_importance(forest->store, forest->importance);
    if (plan->judged) {
        forest->oob = forest_oob(env, columns, columns->weights, plan->hard);
        if (forest->start.model == NULL || samples_known(forest))
            forest->curve = env_array(env, plan->n_trees, sizeof(double));
    }
}

/* ---- trees ---- */

/* Refuses, after the first tree of its own, a forest that would be too large if all trees were like it. */
static void require_size(const Forest *forest)
{
    double bytes = (double)tree_store_bytes(forest->store) / tree_store_trees(forest->store) * forest->plan.n_trees;
    char need[ENV_SIZE_TEXT], allowed[ENV_SIZE_TEXT];

    if (bytes * 4 / 3 > MODEL_MAX_TEXT)
        env_fail(forest->env, ERROR_LIMIT, FOREST_HINT,
                 "%u trees like the first one, with %u nodes, would make a model of about %.0f MB; at most %.0f MB fit into a value",
                 forest->plan.n_trees, forest->trees.tree->count, bytes / 1e6, MODEL_MAX_TEXT * 0.75 / 1e6);
    bytes *= 2.25; /* lists that may have a quarter to spare, and the model made of them */
    if (bytes > (double)forest->env->memory_limit)
        env_fail(forest->env, ERROR_LIMIT, "Raise pgfit.fit_mem, use fewer trees, or limit them by max_depth or min_samples_leaf.",
                 "%u trees like the first one, with %u nodes, need %s, and pgfit.fit_mem allows %s", forest->plan.n_trees,
                 forest->trees.tree->count, env_size_text((size_t)bytes, need), env_size_text(forest->env->memory_limit, allowed));
}

/* Appends the tree, in the unit of the targets. */
static void store_tree(Forest *forest)
{
    double unit = forest->columns->unit;

    if (unit != 1)
        grown_tree_scale(forest->trees.tree, unit, tree_impurity_unit(&forest->plan.growth, unit));
    tree_store_append(forest->store, forest->trees.tree);
    if (unit != 1)
        grown_tree_scale(forest->trees.tree, 1 / unit, 1); /* what follows judges it by the targets as they are */
}

/* Counts the nodes of tree t, and judges the rows that its sample lacks. */
static void judge_tree(Forest *forest, uint32_t t)
{
    uint32_t leaves, depth = grown_tree_depth(forest->trees.tree, &leaves);

    forest->nodes += forest->trees.tree->count;
    forest->depth = depth > forest->depth ? depth : forest->depth;
    if (forest->curve == NULL)
        return;
    forest_oob_add(forest->oob, forest->trees.tree, forest->trees.counts);
    forest->curve[t] = forest->oob->error;
}

/* Takes over the trees of the start. What they say about rows outside their samples needs the same rows, whose samples are drawn again. */
static void continue_forest(Forest *forest)
{
    const Model *model = forest->start.model;
    const ModelEntry *importance = model_find(model, forest->plan.by_permutation ? "permutation_importance" : "importance");
    const ModelEntry *sum = model_find(model, "importance_sum");
    const TreeScorer *trees = tree_scorer(forest->env, model);
    double unit = forest->columns->unit, squares = forest->plan.by_permutation ? unit * unit : 1;

    tree_store_append_model(forest->store, model);
    for (uint32_t t = 0; t < forest->start.begun; t++) {
        grown_tree_read(trees, t, forest->trees.tree);
        grown_tree_scale(forest->trees.tree, 1 / unit, 1);
        if (forest->curve != NULL)
            forest_trees_draw(&forest->trees, t);
        judge_tree(forest, t);
        forest->env->poll(forest->env);
    }
    for (uint32_t j = 0; forest->importance != NULL && importance != NULL && squares > 0 && j < forest->columns->slots; j++)
        forest->importance[j] =
            (sum != NULL ? model_number(model, sum, j) : model_number(model, importance, j) * forest->start.begun) / squares;
}

/* Takes over tree t, which the trees have. */
static void receive_tree(void *receiver, uint32_t t)
{
    Forest *forest = receiver;
    ForestTrees *trees = &forest->trees;

    tree_store_round(forest->store, trees->tree);
    store_tree(forest);
    if (t == forest->start.begun)
        require_size(forest);
    if (forest->curve != NULL || forest->plan.by_permutation) /* another process may have drawn the sample */
        forest_trees_draw(trees, t);
    judge_tree(forest, t);
    if (forest->plan.by_permutation)
        forest_oob_permute(forest->oob, trees->tree, trees->counts, trees->permutation_seed, forest->importance);
    forest->env->progress(forest->env, "trees", t + 1, forest->plan.n_trees, forest->curve != NULL ? forest->oob->error : NAN);
    forest->env->poll(forest->env);
}

static void grow_trees(Forest *forest)
{
    SharedWork work = {.kind = &forest_trees_kind,
                       .data = &forest->trees,
                       .first = forest->start.begun,
                       .end = forest->plan.n_trees,
                       .packs = tree_columns_in_memory(forest->columns),
                       .process_room = forest_trees_room(&forest->trees),
                       .spare = forest->columns->spare / 2, /* the other half is for histograms and the model */
                       .receive = receive_tree,
                       .receiver = forest};

    shared_work(forest->env, &work);
}

/* ---- the model ---- */

static void add_facts(Forest *forest, ModelBuilder *builder)
{
    builder_fact_i64(builder, "trees", forest->plan.n_trees);
    builder_fact_i64(builder, "nodes", (int64_t)forest->nodes);
    builder_fact_i64(builder, "depth", forest->depth);
    if (forest->trees.binner != NULL)
        builder_fact_bool(builder, "binned", true);
    if (forest->start.model == NULL || forest->same_rows) /* else the trees are of several tables, as after merge */
        builder_fact_text(builder, "rows_hash", forest->rows_hash);
    if (forest->curve == NULL)
        return;
    builder_fact_i64(builder, "oob_rows", forest->oob->counted);
    if (!isnan(forest->oob->error))
        builder_fact(builder, "oob_error", forest->oob->error * forest->columns->unit * forest->columns->unit);
}

/* Adds the importance of features: means over the trees, and the sums that more trees would continue. */
static void add_importance(Forest *forest, ModelBuilder *builder)
{
    uint32_t slots = forest->columns->slots;
    double squares = forest->columns->unit * forest->columns->unit, *mean = env_array(forest->env, (size_t)slots + 1, sizeof(double));

    for (uint32_t j = 0; j < slots; j++) {
        mean[j] = forest->importance[j] / forest->plan.n_trees;
        if (forest->plan.by_permutation) {
            mean[j] *= squares;
            forest->importance[j] *= squares;
        } else if (mean[j] < 0) { /* a rounding error */
            mean[j] = 0;
        }
    }
    builder_f64(builder, SECTION_ARRAYS, forest->plan.by_permutation ? "permutation_importance" : "importance", mean, slots);
    builder_f64(builder, SECTION_ARRAYS, "importance_sum", forest->importance, slots);
}

/* Adds the seeds of the trees; beside those of a start the own one, unless it is among them. */
static void add_seeds(Forest *forest, ModelBuilder *builder)
{
    uint32_t count = 0;
    const int64_t *before = forest->start.model != NULL ? model_i64(forest->start.model, "seeds", &count) : NULL;
    int64_t *seeds = env_array(forest->env, (size_t)count + 1, sizeof(int64_t));
    bool known = false;

    for (uint32_t i = 0; i < count; i++) {
        seeds[i] = before[i];
        known = known || before[i] == forest->plan.seed;
    }
    if (!known)
        seeds[count++] = forest->plan.seed;
    builder_i64(builder, SECTION_ARRAYS, "seeds", seeds, count);
}

static Model *finish(Forest *forest, ModelBuilder *builder)
{
    uint32_t classes = forest->columns->class_count;
    double unit = forest->columns->unit;

    tree_store_add(forest->store, builder);
    if (classes > 0) {
        class_rule_add(builder, &forest->rule, classes, forest->class_rule);
        if (forest->plan.hard) {
            forest->hard_votes = 1;
            builder_u8(builder, SECTION_ARRAYS, "hard_votes", &forest->hard_votes, 1);
        }
    }
    if (forest->importance != NULL)
        add_importance(forest, builder);
    for (uint32_t t = 0; forest->curve != NULL && t < forest->plan.n_trees; t++)
        forest->curve[t] *= unit * unit;
    if (forest->curve != NULL)
        builder_f64(builder, SECTION_ARRAYS, "oob_curve", forest->curve, forest->plan.n_trees);
    add_seeds(forest, builder);
    add_facts(forest, builder);
    return model_build(builder);
}

static uint32_t trees_of(const Model *model)
{
    return model_find(model, "tree_nodes")->rows;
}

/* Adds the rows of the start's trees to those of the fit, unless they are the same. */
static void count_rows(const Forest *forest, ModelBuilder *builder)
{
    const Model *start = forest->start.model;
    Model *header = builder_header(builder);

    if (start == NULL || forest->same_rows)
        return;
    header->rows += start->rows;
    header->skipped += start->skipped;
    header->weight += start->weight;
}

Model *forest_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    Forest forest = {.env = env};
    ClassSet classes;
    Model *model;

    forest.start = tree_start(env, self, input, options, trees_of, &builder);
    forest.plan = read_plan(env, self, options, input->rows);
    classes = class_set(env, rows_schema(input->rows));
    forest.columns = tree_load(env, input->rows, TREE_BY_CONTENT, &forest.plan.growth, row_room(&forest.plan, classes.count), self->name);
    forest.trees.columns = forest.columns;
    forest.trees.weights = forest.columns->weights;
    if (classes.count > 0) {
        forest.rule = class_rule_read(&classes, options);
        forest.trees.weights = tree_weigh_classes(env, options, &classes, forest.columns->classes, forest.trees.weights, forest.columns->rows);
    }
    open_forest(&forest, classes.source);
    if (forest.start.model != NULL)
        continue_forest(&forest);
    grow_trees(&forest);
    tree_columns_end(forest.columns);
    count_rows(&forest, builder);
    model = finish(&forest, builder);
    tree_start_end(&forest.start, input->rows);
    return model;
}
