/*
 * tree_prune_choice.c - options of pruning: which rows are held out, and which alpha is used.
 *
 * Cross-validation of alpha (Breiman et al. 1984, section 3.4): the tree of each fold is pruned at the geometric means of
 * neighboring alphas of the whole tree's path. Rows are assigned by a hash of their content, so equal rows stay together.
 */
#include "core/tree_growth/tree_prune.h"
#include "core/base/random.h"
#include "core/rows/special_columns.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 65536

static const char *const prune_choices[] = {"none", "merge", "reduced_error", "cost_complexity", NULL};
static const char *const complexity_choices[] = {"cv", "1se", NULL};

const OptionSpec tree_prune_options[] = {
    {.name = "complexity",
     .types = OPTION_NUMBER | OPTION_STRING,
     .fallback = "\"cv\"",
     FROM_ZERO,
     .choices = complexity_choices,
     .help = "With prune = cost_complexity: the impurity that a leaf must be worth (alpha); cv for the one with the least "
             "cross-validated error, 1se for the largest one within a standard error of that."},
    {.name = "folds",
     .types = OPTION_INTEGER,
     .fallback = "10",
     .minimum = 2,
     .maximum = FOLDS_MAX,
     .help = "Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped."},
    {.name = "holdout",
     .types = OPTION_NUMBER,
     .fallback = "0.25",
     .minimum = 0,
     .maximum = 1,
     .minimum_open = true,
     .maximum_open = true,
     .help = "With prune = reduced_error: the share of rows that the tree is not grown from but pruned with, chosen by a hash."},
    {.name = "holdout_column",
     .types = OPTION_STRING,
     .unset = "rows by holdout",
     .help = "With prune = reduced_error: a column of the feature row that is true for rows to prune with; it is not used "
             "as a feature."},
    {.name = "prune",
     .types = OPTION_STRING,
     .fallback = "\"none\"",
     .choices = prune_choices,
     .help = "Which subtrees become leaves again: those whose leaves have one majority class (merge), those that make no "
             "fewer errors on rows held out (reduced_error), or those not worth their leaves (cost_complexity)."},
    {.name = NULL}};

/* ---- hashes of rows ---- */

/* Returns a hash of the content of each row, weight excluded. */
static uint64_t *content_hashes(const TreeColumns *columns, uint64_t seed)
{
    Env *env = columns->env;
    uint64_t *hashes = env_array_raw(env, columns->rows, sizeof(uint64_t));

    for (uint32_t i = 0; i < columns->rows; i++) {
        uint64_t target = columns->classes != NULL ? columns->classes[i] : 0;

        if (columns->targets != NULL) {
            double y = columns->targets[i] + 0.0;
            memcpy(&target, &y, sizeof target);
        }
        hashes[i] = mix64(seed * RANDOM_STEP + mix64(target + RANDOM_STEP));
    }
    for (uint32_t s = 0; s < columns->slots; s++)
        for (uint32_t i = 0; i < columns->rows; i++) {
            hashes[i] = mix64(hashes[i] + tree_rank(columns, s, i) + 1);
            if (i % POLL_ROWS == 0)
                env->poll(env);
        }
    return hashes;
}

/* Grows a tree from the rows of a sample without weights of its own. */
static void source_grow(const TreeSource *source, TreeSample sample, GrownTree *tree)
{
    sample.weights = source->weights;
    if (sample.rows == NULL)
        source->columns->env->progress(source->columns->env, "tree", 0, source->columns->rows, NAN);
    if (source->binner != NULL)
        tree_binned_grow(source->binner, &sample, source->growth->seed, tree);
    else
        tree_grow(source->columns, &sample, source->growth, tree);
}

/* ---- reduced error ---- */

/* Marks the rows that the column of the options says; the rows have its text as their ids. */
static void mark_by_column(const TreeColumns *columns, Rows *rows, uint8_t *held)
{
    RowsReader *reader = rows_reader(columns->env, rows);
    uint32_t *place = NULL; /* of each row that came, where it is in the columns */
    RowsBlock block;

    if (columns->numbers != NULL)
        place = env_array_raw(columns->env, columns->rows, sizeof(uint32_t));
    for (uint32_t i = 0; place != NULL && i < columns->rows; i++)
        place[columns->numbers[i]] = i;
    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t length = block.id_lengths[i];
            const char *text = block.ids[i];

            held[place != NULL ? place[block.first + i] : block.first + i] = (length == 1 && (text[0] == '1' || text[0] == 't')) || (length == 4 && memcmp(text, "true", 4) == 0);
        }
    rows_reader_free(reader);
}

/* Splits the rows into those to grow from, at the front of the list, and those held out. Returns how many grow the tree. */
static uint32_t hold_out(const TreeSource *source, Rows *rows, const PrunePlan *plan, uint32_t *list)
{
    const TreeColumns *columns = source->columns;
    Env *env = columns->env;
    uint8_t *held = env_array(env, columns->rows, 1);
    uint32_t grow = 0, at = 0;

    if (plan->by_column) {
        mark_by_column(columns, rows, held);
    } else {
        uint64_t *hashes = content_hashes(columns, source->growth->seed);

        for (uint32_t i = 0; i < columns->rows; i++)
            held[i] = (double)(hashes[i] >> 11) * 0x1p-53 < plan->holdout;
        env->release(env, hashes);
    }
    for (uint32_t i = 0; i < columns->rows; i++)
        if (!held[i])
            list[grow++] = i;
    at = grow;
    for (uint32_t i = 0; i < columns->rows; i++)
        if (held[i])
            list[at++] = i;
    if (grow == 0 || grow == columns->rows)
        env_fail(env, ERROR_DATA, "Use another \"holdout\" or \"seed\", or name a \"holdout_column\".",
                 "pruning by reduced error needs rows to grow the tree from and rows held out, but %u of %u rows are held out",
                 columns->rows - grow, columns->rows);
    return grow;
}

static void prune_reduced_error(const TreeSource *source, Rows *rows, const PrunePlan *plan, GrownTree *tree,
                                TreePruning *pruning)
{
    const TreeColumns *columns = source->columns;
    uint32_t *list = env_array_raw(columns->env, columns->rows, sizeof(uint32_t));
    uint32_t grow = hold_out(source, rows, plan, list);

    source_grow(source, (TreeSample){.rows = list, .count = grow}, tree);
    pruning->leaves_before = tree->count / 2 + 1;
    pruning->holdout_rows = columns->rows - grow;
    pruning->holdout_error =
        tree_prune_reduced_error(columns, list + grow, columns->rows - grow, source->weights, source->growth->criterion, tree);
}

/* ---- cost complexity ---- */

/* The errors of the steps over the rows held out so far. The first two are differences between neighboring steps. */
typedef struct FoldErrors {
    double *sum, *squares; /* [steps + 1] */
    const double *at;      /* [steps] the alpha that stands for each step, ascending */
    uint32_t steps;
    double weight, square_weight;
} FoldErrors;

/* Returns the first step whose alpha is at least this, below `end`. */
static uint32_t first_step(const FoldErrors *errors, double alpha, uint32_t end)
{
    uint32_t low = 0;

    while (low < end) {
        uint32_t half = low + (end - low) / 2;

        if (errors->at[half] >= alpha)
            end = half;
        else
            low = half + 1;
    }
    return low;
}

/*
 * Adds the error of one held-out row at every step. At a given alpha the row ends at the first node on its path whose own
 * alpha is not larger; the steps of each node are consecutive.
 */
static void add_row(FoldErrors *errors, const TreeColumns *columns, const GrownTree *tree, const double *alphas,
                    TreeCriterion criterion, uint32_t row, double weight)
{
    uint32_t end = errors->steps, number = 0;

    while (end > 0) {
        const GrownNode *node = &tree->nodes[number];
        bool leaf = grown_is_leaf(node);
        uint32_t first = leaf ? 0 : first_step(errors, alphas[number], end);

        if (first < end) {
            double error = tree_leaf_error(columns, criterion, node, row);

            errors->sum[first] += weight * error;
            errors->sum[end] -= weight * error;
            errors->squares[first] += weight * error * error;
            errors->squares[end] -= weight * error * error;
            end = first;
        }
        if (leaf)
            break;
        number = tree_row_left(columns, tree, node, row) ? node->left : node->right;
    }
    errors->weight += weight;
    errors->square_weight += weight * weight;
}

/* Grows a tree without one fold, and adds the errors of the fold's rows. list: [rows] scratch. */
static void add_fold(FoldErrors *errors, const TreeSource *source, const uint64_t *hashes, uint32_t folds, uint32_t fold,
                     uint32_t *list)
{
    const TreeColumns *columns = source->columns;
    Env *env = columns->env;
    GrownTree *tree = grown_tree(env);
    TreeSample sample = {.rows = list};
    PruneStep *path;
    uint32_t steps;
    double *alphas;

    for (uint32_t i = 0; i < columns->rows; i++)
        if (hashes[i] % folds != fold)
            list[sample.count++] = i;
    if (sample.count == 0 || sample.count == columns->rows)
        return;
    columns->env->progress(columns->env, "pruning", fold, folds, NAN);
    source_grow(source, sample, tree);
    alphas = env_array_raw(env, tree->count, sizeof(double));
    path = tree_prune_path(env, tree, alphas, &steps);
    for (uint32_t i = 0; i < columns->rows; i++) {
        if (hashes[i] % folds == fold)
            add_row(errors, columns, tree, alphas, source->growth->criterion, i, row_weight(source->weights, i));
        if (i % 65536 == 0)
            env->poll(env);
    }
    grown_tree_free(tree);
    env->release(env, path);
    env->release(env, alphas);
}

/* Returns the step with the least cross-validated error, or by "1se" the last one within a standard error of it. */
static uint32_t choose_step(PruneStep *steps, uint32_t count, const FoldErrors *errors, bool one_se)
{
    double sum = 0, squares = 0, limit = 0;
    uint32_t best = 0, chosen;

    for (uint32_t k = 0; k < count; k++) {
        sum += errors->sum[k];
        steps[k].error = sum / errors->weight;
        if (steps[k].error <= steps[best].error) /* of equals the smaller tree */
            best = k;
    }
    chosen = best;
    for (uint32_t k = 0; k <= best; k++)
        squares += errors->squares[k];
    limit = fmax(0, squares / errors->weight - steps[best].error * steps[best].error);
    limit = steps[best].error + sqrt(limit * errors->square_weight) / errors->weight;
    for (uint32_t k = best; one_se && k < count; k++)
        if (steps[k].error <= limit)
            chosen = k;
    return chosen;
}

/* Sets the errors of the path by cross-validation, and returns the alpha that it chooses. */
static double cross_validate(const TreeSource *source, const PrunePlan *plan, PruneStep *steps, uint32_t count)
{
    const TreeColumns *columns = source->columns;
    Env *env = columns->env;
    uint64_t *hashes = content_hashes(columns, source->growth->seed);
    uint32_t *list = env_array_raw(env, columns->rows, sizeof(uint32_t));
    double *at = env_array_raw(env, count, sizeof(double));
    FoldErrors errors = {.at = at, .steps = count};

    errors.sum = env_array(env, (size_t)count + 1, sizeof(double));
    errors.squares = env_array(env, (size_t)count + 1, sizeof(double));
    for (uint32_t k = 0; k < count; k++)
        at[k] = k + 1 < count ? sqrt(steps[k].alpha) * sqrt(steps[k + 1].alpha) : INFINITY;
    for (uint32_t fold = 0; fold < plan->folds; fold++)
        add_fold(&errors, source, hashes, plan->folds, fold, list);
    if (errors.weight == 0)
        env_fail(env, ERROR_DATA, "Give \"complexity\" as a number, or more different rows.",
                 "cross-validation needs rows in at least two folds, but all %u rows are in one", columns->rows);
    return steps[choose_step(steps, count, &errors, plan->one_se)].alpha;
}

static void prune_cost_complexity(const TreeSource *source, const PrunePlan *plan, GrownTree *tree, TreePruning *pruning)
{
    Env *env = source->columns->env;
    double *alphas;

    source_grow(source, (TreeSample){0}, tree);
    pruning->leaves_before = tree->count / 2 + 1;
    alphas = env_array_raw(env, tree->count, sizeof(double));
    pruning->steps = tree_prune_path(env, tree, alphas, &pruning->step_count);
    pruning->alpha = plan->cross_validate ? cross_validate(source, plan, pruning->steps, pruning->step_count) : plan->alpha;
    tree_prune_at(tree, alphas, pruning->alpha);
}

/* ---- by options ---- */

/* Fails if an option is given that the kind of pruning does not use. */
static void refuse_vain_options(Env *env, const Options *options, TreePrune kind)
{
    static const struct {
        const char *name;
        TreePrune kind;
    } uses[] = {{"complexity", PRUNE_COST_COMPLEXITY}, {"folds", PRUNE_COST_COMPLEXITY},
                {"holdout", PRUNE_REDUCED_ERROR},      {"holdout_column", PRUNE_REDUCED_ERROR}};

    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
        if (options_given(options, uses[i].name) && uses[i].kind != kind)
            env_fail(env, ERROR_PARAMETER, "Give that option too, or leave this one out.",
                     "option \"%s\" is for \"prune\": \"%s\"", uses[i].name, prune_choices[uses[i].kind]);
}

PrunePlan prune_plan(Env *env, const Options *options)
{
    PrunePlan plan = {.holdout = options_number(options, "holdout"),
                      .by_column = options_given(options, "holdout_column"),
                      .cross_validate = options_type(options, "complexity") == OPTION_STRING,
                      .one_se = options_is(options, "complexity", "1se"),
                      .folds = (uint32_t)options_integer(options, "folds")};

    if (!plan.cross_validate)
        plan.alpha = options_number(options, "complexity");
    while (!options_is(options, "prune", prune_choices[plan.kind]))
        plan.kind++;
    refuse_vain_options(env, options, plan.kind);
    return plan;
}

TreePruning tree_grow_pruned(const TreeSource *source, Rows *rows, const PrunePlan *plan, GrownTree *tree)
{
    TreePruning pruning = {.kind = plan->kind};

    if (pruning.kind == PRUNE_REDUCED_ERROR) {
        prune_reduced_error(source, rows, plan, tree, &pruning);
    } else if (pruning.kind == PRUNE_COST_COMPLEXITY) {
        prune_cost_complexity(source, plan, tree, &pruning);
    } else {
        source_grow(source, (TreeSample){0}, tree);
        pruning.leaves_before = tree->count / 2 + 1;
        if (pruning.kind == PRUNE_MERGE)
            tree_merge_equal(tree);
    }
    return pruning;
}
