/*
 * tree_fit.c - grows and prunes one tree, and adds it to a model.
 */
#include "core/tree_growth/tree_fit.h"

#include <math.h>

#define NUMBER_OF_STEP(own_name, own_values, own_type)                                                                  \
    {.name = own_name, .type = own_type, .presence = ARRAY_OPTIONAL, .values = own_values, .rows = {SIZE_FREE}}

const ArraySpec tree_path_arrays[4] = {NUMBER_OF_STEP("path_alpha", VALUES_NONNEGATIVE, ARRAY_F64),
                                       NUMBER_OF_STEP("path_error", VALUES_NONNEGATIVE, ARRAY_F64),
                                       NUMBER_OF_STEP("path_impurity", VALUES_NONNEGATIVE, ARRAY_F64),
                                       NUMBER_OF_STEP("path_leaves", VALUES_POSITIVE, ARRAY_I32)};

const ArraySpec tree_facts[7] = {FACT("alpha", ARRAY_F64),
                                 FACT("binned", ARRAY_BOOL),      FACT("depth", ARRAY_I64),
                                 FACT("holdout_error", ARRAY_F64), FACT("holdout_rows", ARRAY_I64),
                                 FACT("leaves", ARRAY_I64),        FACT("leaves_before_pruning", ARRAY_I64)};

/*
 * Returns TREE_BY_CONTENT if sums of floating point numbers depend on the order of the rows, so that it must not be that of arrival:
 * always but for classes without weights. Bins add integers.
 */
static unsigned order_of(const Rows *rows, const Options *options)
{
    bool counts = dictionary_size(rows_schema(rows), DICTIONARY_CLASSES) > 0 && !(rows_contents(rows) & ROWS_WEIGHT) && options_is(options, "class_weight", "none");

    return counts ? 0 : TREE_BY_CONTENT;
}

TreeFit tree_fit_begin(Env *env, const Estimator *self, const FitInput *input, const Options *options, size_t room)
{
    TreeFit fit = {.env = env, .rows = input->rows, .plan = prune_plan(env, options)};

    fit.growth = tree_growth_read(env, options, fit.rows, self->name);
    fit.columns = tree_load(env, fit.rows, fit.growth.binned ? 0 : order_of(fit.rows, options), &fit.growth, room, self->name);
    fit.weights = fit.columns->weights;
    fit.tree = grown_tree(env);
    return fit;
}

void tree_fit_grow(TreeFit *fit)
{
    TreeSource source = {.columns = fit->columns, .weights = fit->weights, .growth = &fit->growth};
    double unit = fit->columns->unit, impurity = tree_impurity_unit(&fit->growth, unit);

    if (fit->growth.binned)
        source.binner = tree_binner(fit->columns, &fit->growth);
    fit->pruning = tree_grow_pruned(&source, fit->rows, &fit->plan, fit->tree);
    if (source.binner != NULL)
        tree_binner_end(source.binner);
    tree_columns_end(fit->columns);
    if (unit == 1)
        return;
    grown_tree_scale(fit->tree, unit, impurity);
    fit->pruning.holdout_error *= impurity;
    fit->pruning.alpha *= impurity;
    for (uint32_t k = 0; k < fit->pruning.step_count; k++) {
        fit->pruning.steps[k].alpha *= impurity;
        fit->pruning.steps[k].impurity *= impurity;
        fit->pruning.steps[k].error *= impurity;
    }
}

/* Adds the path of cost complexity. */
static void add_path(Env *env, ModelBuilder *builder, const TreePruning *pruning)
{
    uint32_t count = pruning->step_count;
    double *alpha = env_array(env, count, sizeof(double)), *impurity = env_array(env, count, sizeof(double));
    double *error = env_array(env, count, sizeof(double));
    int32_t *leaves = env_array(env, count, sizeof(int32_t));

    for (uint32_t k = 0; k < count; k++) {
        alpha[k] = pruning->steps[k].alpha;
        impurity[k] = fmax(0, pruning->steps[k].impurity);
        error[k] = fmax(0, pruning->steps[k].error);
        leaves[k] = (int32_t)pruning->steps[k].leaves;
    }
    builder_f64(builder, SECTION_ARRAYS, "path_alpha", alpha, count);
    if (!isnan(pruning->steps[0].error))
        builder_f64(builder, SECTION_ARRAYS, "path_error", error, count);
    builder_f64(builder, SECTION_ARRAYS, "path_impurity", impurity, count);
    builder_i32(builder, SECTION_ARRAYS, "path_leaves", leaves, count);
}

void tree_fit_add(TreeFit *fit, ModelBuilder *builder)
{
    Env *env = fit->env;
    TreeStore *store = tree_store(env, rows_schema(fit->rows), fit->columns->classes != NULL);
    uint32_t leaves, depth = grown_tree_depth(fit->tree, &leaves);

    grown_tree_trim(fit->tree);
    tree_store_keep_impurity(store);
    if (fit->growth.criterion == TREE_MAE) /* the median of a node does not follow from those of its leaves */
        tree_store_keep_values(store);
    tree_store_append(store, fit->tree);
    grown_tree_free(fit->tree);
    tree_store_add(store, builder);
    builder_fact_bool(builder, "binned", fit->growth.binned);
    builder_fact_i64(builder, "leaves", leaves);
    builder_fact_i64(builder, "depth", depth);
    if (fit->pruning.kind != PRUNE_NONE)
        builder_fact_i64(builder, "leaves_before_pruning", fit->pruning.leaves_before);
    if (fit->pruning.kind == PRUNE_COST_COMPLEXITY) {
        builder_fact(builder, "alpha", fit->pruning.alpha);
        add_path(env, builder, &fit->pruning);
    }
    if (fit->pruning.kind == PRUNE_REDUCED_ERROR) {
        builder_fact_i64(builder, "holdout_rows", fit->pruning.holdout_rows);
        builder_fact(builder, "holdout_error", fit->pruning.holdout_error);
    }
}

const char *tree_fit_check(Env *env, const Model *model)
{
    static const char *const names[] = {"path_error", "path_impurity", "path_leaves"};
    const ModelEntry *alpha = model_find(model, "path_alpha");
    const char *wrong = tree_check(env, model);

    for (int i = 0; i < 3 && wrong == NULL; i++) {
        const ModelEntry *entry = model_find(model, names[i]);

        if (entry == NULL ? alpha != NULL && i > 0 : alpha == NULL || entry->rows != alpha->rows)
            wrong = env_message(env, "array \"%s\" does not have a number per tree of the path", names[i]);
    }
    if (wrong == NULL && *(const int32_t *)model_data(model, model_find(model, "tree_nodes")) < 1)
        wrong = "the tree has no node";
    if (wrong == NULL && model_find(model, "tree_nodes")->rows != 1)
        wrong = "there is more than one tree";
    return wrong;
}
