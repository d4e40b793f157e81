/*
 * boosting_plan.c - what the step arrays of boosted trees say: the bins, the units of the gradients and the open leaves, checked as they are read.
 */
#include "core/tree/boosting_step_internal.h"
#include "core/tree/tree_levels.h"

#include <math.h>

#define COUNT_BITS 40 /* at most: rows are fewer */

const ArraySpec boosting_step_arrays[9] = {
    {.name = "step_bins", .type = ARRAY_I64, .presence = ARRAY_WITH, .other = "step_place", .values = VALUES_ANY, .rows = {SIZE_SLOTS}},
    {.name = "step_factors", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .other = "step_place", .values = VALUES_POSITIVE, .rows = {SIZE_CLASSES}},
    {.name = "step_leaves", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .other = "step_place", .values = VALUES_ANY, .rows = {SIZE_FREE}},
    {.name = "step_level_bins", .type = ARRAY_I64, .presence = ARRAY_OPTIONAL, .other = "step_place", .values = VALUES_ANY, .rows = {SIZE_FREE}},
    {.name = "step_numbers", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "step_leaves", .values = VALUES_POSITIVE, .rows = {SIZE_FREE}},
    {.name = "step_place", .type = ARRAY_I64, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_NUMBER, .plus = 2}},
    {.name = "step_thresholds", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .other = "step_place", .rows = {SIZE_FREE}},
    {.name = "sum_bins", .type = ARRAY_I64, .presence = ARRAY_OPTIONAL, .other = "sum_values", .values = VALUES_ANY, .rows = {SIZE_FREE}},
    {.name = "sum_values", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .other = "step_place", .values = VALUES_ANY, .rows = {SIZE_FREE}}};

/* ---- the kind of model ---- */

uint32_t boosting_outputs(const Model *model)
{
    uint32_t outputs = 0;

    model_f64(model, "baseline", &outputs);
    return outputs;
}

BoostLink boosting_link(const Model *model)
{
    return (BoostLink)model_i64(model, "link", NULL)[0];
}

BoostLoss boosting_loss_of(const Model *model)
{
    switch (boosting_link(model)) {
    case BOOST_IDENTITY:
        return LOSS_SQUARED;
    case BOOST_LOG:
        return LOSS_POISSON;
    case BOOST_LOGISTIC:
        return LOSS_LOGISTIC;
    case BOOST_SOFTMAX:
        return LOSS_MULTINOMIAL;
    }
    return LOSS_SQUARED;
}

/* ---- the plan ---- */

/* Fills in the bins of a feature. levels: step_level_bins from this feature on. */
static void read_feature(Env *env, BinnedFeature *feature, const double *thresholds, const int64_t *levels)
{
    feature->missing = true;
    if (!feature->categorical) {
        feature->thresholds = (double *)thresholds;
        return;
    }
    feature->level_bin = env_array_raw(env, (size_t)feature->levels + 1, sizeof(uint16_t));
    for (uint32_t l = 0; l < feature->levels; l++)
        feature->level_bin[l] = levels[l] < 0 ? BIN_NONE : (uint16_t)levels[l];
}

/* Reads the bins of all features. Returns what is wrong, or NULL. */
static const char *read_bins(Env *env, const Model *model, BinnedColumns *binned)
{
    TreeLevels levels = tree_levels(env, model);
    uint32_t slots, thresholds, level_count, at = 0, level_at = 0;
    const int64_t *bins = integers_of(model, "step_bins", &slots), *level_bins = integers_of(model, "step_level_bins", &level_count);
    const double *threshold = numbers_of(model, "step_thresholds", &thresholds);

    *binned = (BinnedColumns){.env = env, .features = slots, .feature = env_array(env, (size_t)slots + 1, sizeof(BinnedFeature))};
    for (uint32_t s = 0; s < slots; s++) {
        BinnedFeature *feature = &binned->feature[s];

        if (bins[s] < 1 || bins[s] > BINS_MAX)
            return "a feature has no number of bins in \"step_bins\"";
        *feature = (BinnedFeature){.slot = s, .first = binned->bins, .bins = (uint32_t)bins[s], .categorical = levels.category[s]};
        binned->bins += feature->bins + 1;
        if (feature->categorical) {
            feature->levels = levels.count[s];
            feature->first_level = levels.first[s];
            if (level_count - level_at < feature->levels)
                return "\"step_level_bins\" has too few levels";
            for (uint32_t l = 0; l < feature->levels; l++)
                if (level_bins[level_at + l] < -1 || level_bins[level_at + l] >= bins[s])
                    return "a level has a bin that its feature lacks";
        } else if (thresholds - at < feature->bins - 1) {
            return "\"step_thresholds\" is too short";
        }
        read_feature(env, feature, threshold + at, level_bins + level_at);
        at += feature->categorical ? 0 : feature->bins - 1;
        level_at += feature->categorical ? feature->levels : 0;
    }
    return at == thresholds && level_at == level_count ? NULL : "the bins of boosting_step do not fit the features";
}

/* Reads the units of the gradients. Returns what is wrong, or NULL. */
static const char *read_numbers(Env *env, const Model *model, BoostPlan *plan)
{
    uint32_t length;
    const double *numbers = numbers_of(model, "step_numbers", &length);

    if (length != 3 * plan->outputs + 2)
        return "\"step_numbers\" does not fit the outputs";
    plan->scale = env_array(env, plan->outputs, sizeof(HistogramScale));
    for (uint32_t k = 0; k < plan->outputs; k++) {
        if (!(numbers[3 * k + 2] >= 1 && numbers[3 * k + 2] <= COUNT_BITS))
            return "\"step_numbers\" has no number of bits";
        plan->scale[k] = (HistogramScale){numbers[3 * k], numbers[3 * k + 1], (unsigned)numbers[3 * k + 2]};
    }
    plan->rows = numbers[3 * plan->outputs];
    plan->weight = numbers[3 * plan->outputs + 1];
    return NULL;
}

/* Numbers the open leaves. Returns what is wrong, or NULL. */
static const char *read_leaves(Env *env, const Model *model, BoostPlan *plan)
{
    uint32_t length;

    plan->leaf = numbers_of(model, "step_leaves", &length);
    if (length != (uint64_t)plan->leaves * LEAF_NUMBERS)
        return "\"step_leaves\" does not fit the trees";
    plan->place = env_array_raw(env, (size_t)plan->leaves + 1, sizeof(uint32_t));
    for (uint32_t l = 0; l < plan->leaves; l++) {
        const double *leaf = plan->leaf + (size_t)l * LEAF_NUMBERS;

        if ((leaf[LEAF_OPEN] != 0 && leaf[LEAF_OPEN] != 1) || !isfinite(leaf[LEAF_VALUE]) || !(leaf[LEAF_LOW] <= leaf[LEAF_HIGH]))
            return "\"step_leaves\" has a leaf that is none";
        plan->place[l] = leaf[LEAF_OPEN] != 0 ? plan->open++ : LEAF_CLOSED;
    }
    return plan->open > 0 ? NULL : "no leaf is open on a level of boosting_step";
}

/* Reads the step arrays, whose presence and types are checked. Returns what is wrong, or NULL. */
static const char *read_plan(Env *env, const Model *model, TreeScorer *trees, BoostPlan *plan)
{
    const int64_t *place = model_i64(model, "step_place", NULL);
    bool level = model_find(model, "step_leaves") != NULL;
    const char *wrong;
    uint64_t wanted, growing;
    uint32_t length;

    plan->model = model;
    plan->trees = trees;
    plan->outputs = boosting_outputs(model);
    plan->classes = dictionary_size(model, DICTIONARY_CLASSES);
    plan->phase = place[0];
    if (place[0] < PHASE_BEGIN || place[0] > UINT32_MAX || place[1] < 0 || place[1] > UINT32_MAX || (place[0] >= PHASE_LEVEL) != level ||
        (place[0] == PHASE_BEGIN && place[1] != 0))
        return "\"step_place\" is none of boosting_step";
    plan->iterations = (uint32_t)place[1];
    growing = level || plan->iterations == 0;
    wanted = ((uint64_t)plan->iterations + growing) * plan->outputs;
    if (trees->trees != wanted)
        return "\"step_place\" does not fit the trees";
    plan->first_tree = trees->trees - plan->outputs;
    for (uint32_t i = 0; i < trees->root[plan->first_tree]; i++)
        plan->first_leaf += trees->node[i].split == TREE_LEAF;
    plan->leaves = trees->leaves - plan->first_leaf;
    plan->factors = numbers_of(model, "step_factors", &length);
    wrong = read_bins(env, model, &plan->binned);
    plan->width = plan->binned.bins + 1;
    if (wrong == NULL && level)
        wrong = read_numbers(env, model, plan);
    return wrong == NULL && level ? read_leaves(env, model, plan) : wrong;
}

/* Makes room for what one row needs. */
static void add_room(Env *env, BoostPlan *plan)
{
    Boosting *row = env_array(env, 1, sizeof(Boosting));

    row->env = env;
    row->loss = boosting_loss_of(plan->model);
    row->outputs = plan->outputs;
    row->positive = row->loss == LOSS_LOGISTIC ? class_rule_of(plan->model).positive : 0;
    row->classes = plan->classes;
    row->rows = 1;
    row->targets = env_array(env, 1, sizeof(double));
    row->labels = env_array(env, 1, sizeof(uint32_t));
    row->scores = env_array(env, plan->outputs, sizeof(double));
    if (row->loss == LOSS_MULTINOMIAL)
        row->sums = env_array(env, 1, sizeof(double));
    plan->row = row;
}

BoostPlan *boosting_step_plan(Env *env, const Model *model, TreeScorer *trees, size_t *bytes)
{
    BoostPlan *plan;

    if (model_find(model, "step_place") == NULL)
        return NULL;
    plan = env_array(env, 1, sizeof(BoostPlan));
    if (read_plan(env, model, trees, plan) != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "the arrays of boosting_step do not fit their model");
    add_room(env, plan);
    *bytes += sizeof(BoostPlan) + sizeof(Boosting) + plan->binned.features * sizeof(BinnedFeature) + plan->leaves * sizeof(uint32_t);
    return plan;
}

BoostPlan *boosting_plan(Env *env, const Model *model)
{
    size_t bytes = 0;

    return boosting_step_plan(env, model, tree_scorer(env, model), &bytes);
}

const char *boosting_step_check(Env *env, const Model *model)
{
    BoostPlan *plan;
    const char *wrong;
    uint32_t length;
    const ModelEntry *bins = model_find(model, "sum_bins");

    if (model_find(model, "step_place") == NULL)
        return NULL;
    plan = env_array(env, 1, sizeof(BoostPlan));
    wrong = read_plan(env, model, tree_scorer(env, model), plan);
    if (wrong != NULL || numbers_of(model, "sum_values", &length) == NULL)
        return wrong;
    if (length != plan_values(plan) || (bins != NULL) != (plan->phase >= PHASE_LEVEL) || (bins != NULL && bins->rows != (uint64_t)plan->open * plan->width * 2))
        return "the sums of boosting_step do not fit their model";
    return NULL;
}
