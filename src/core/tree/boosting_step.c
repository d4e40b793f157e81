/*
 * boosting_step.c - the sums of one pass over boosted trees, and the model that passes begin from.
 */
#include "core/math/carried_sum.h"
#include "core/tree/boosting_step_internal.h"

#include <math.h>
#include <string.h>

/* ---- options ---- */

void boosting_step_require(Env *env, const Estimator *estimator, const Options *options)
{
    static const char *const refused[] = {"early_stopping", "max_features", "max_leaf_nodes", "start", NULL}; /* without a default */
    bool loss = options_has(options, "loss");

    for (const char *const *name = refused; *name != NULL; name++)
        if (options_type(options, *name) != 0)
            env_fail(env, ERROR_PARAMETER, "Leave it out, or leave \"passes\" out.", "boosting_step does not support option \"%s\" of %s", *name, estimator->name);
    if (options_number(options, "subsample") < 1)
        env_fail(env, ERROR_PARAMETER, "Leave it out, or leave \"passes\" out.", "boosting_step does not support option \"subsample\" of %s below 1", estimator->name);
    if (loss && (options_is(options, "loss", "absolute") || options_is(options, "loss", "quantile")))
        env_fail(env, ERROR_PARAMETER, "Use loss squared or poisson, or leave \"passes\" out.",
                 "boosting_step does not support \"loss\": \"%s\", whose leaves need the residuals of their rows", options_string(options, "loss"));
    if (options_type(options, "max_depth") == 0)
        env_fail(env, ERROR_PARAMETER, "Give it, such as {\"max_depth\": 5}, or leave \"passes\" out.",
                 "boosting_step needs option \"max_depth\" of %s: it grows trees level by level, not to a number of leaves", estimator->name);
    if (options_is(options, "weight_kind", "frequency"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or leave \"passes\" out.", "boosting_step does not support \"weight_kind\": \"frequency\"");
    if (options_has(options, "class_weight") && class_weight_has_zero(options))
        env_fail(env, ERROR_PARAMETER, "Leave the class out in the query.", "boosting_step needs weights of classes above 0");
}

int64_t boosting_step_passes(const Options *options)
{
    int64_t depth = options_integer(options, "max_depth");

    return 2 + options_integer(options, "n_trees") * ((depth > 0 ? depth : 1) + 1);
}

/* ---- the state ---- */

/* Tells whether an entry belongs to the model, not to the running sums. */
static bool is_of_model(const ModelEntry *entry)
{
    return strcmp(entry->name, "step_of") != 0 && strncmp(entry->name, "sum_", 4) != 0;
}

/* Fails unless the histograms of a state, and of the widest level to come, fit the budget. */
static void require_room(Env *env, const BoostPlan *plan, const Options *options)
{
    double depth = (double)options_integer(options, "max_depth"), rows = plan->phase >= PHASE_LEVEL ? plan->rows : INFINITY;
    double least = (double)options_integer(options, "min_samples_leaf"), nodes = ldexp(1, (int)fmin(fmax(depth - 1, 0), 1000));
    double bytes;

    nodes = fmax(plan->open, plan->outputs * fmin(nodes, fmax(rows / least / 2, 1)));
    if (isinf(rows)) /* not known yet: the pass that measures says it */
        return;
    bytes = nodes * plan->width * sizeof(HistogramSum);
    if (2 * bytes > 9e18)
        bytes = 4e18;
    env_require_memory(env, (uint64_t)(2 * bytes), "boosting_step");
    if (bytes > 1e9)
        env_fail(env, ERROR_LIMIT, "Lower \"max_depth\", or fit the rows at once.",
                 "histograms of %.0f nodes with %u bins take %.0f bytes in a state of boosting_step, but values have at most 1 GB", nodes, plan->width, bytes);
}

static Model *step_begin(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Options *options = estimator_options(env, estimator, model);
    BoostPlan *plan = boosting_plan(env, model);
    ModelBuilder *builder;
    Model *state, *header;
    int64_t *sums = NULL;
    double *values;

    if (plan == NULL)
        env_fail(env, ERROR_KIND, "Begin from a model fitted with {\"bins_only\": true}.", "boosting_step needs a model that has its bins still");
    boosting_step_require(env, estimator, options);
    require_room(env, plan, options);
    values = env_array(env, plan_values(plan), sizeof(double));
    builder = builder_from(env, model, is_of_model);
    header = builder_header(builder);
    header->rows = header->skipped = 0;
    header->weight = 0;
    builder_fact_i64(builder, "step_of", (int64_t)model->fingerprint);
    builder_f64(builder, SECTION_ARRAYS, "sum_values", values, plan_values(plan));
    if (plan->phase >= PHASE_LEVEL) {
        sums = env_array(env, (size_t)plan->open * plan->width * 2, sizeof(int64_t));
        builder_i64(builder, SECTION_ARRAYS, "sum_bins", sums, plan->open * plan->width * 2);
    }
    state = model_build(builder);
    state->fingerprint = 0;
    env->release(env, values);
    if (sums != NULL)
        env->release(env, sums);
    return state;
}

/* ---- sums ---- */

/* Adds a number to a sum with its carry. */
static void add_carried(double *sum, double value)
{
    CarriedSum total = {sum[0], sum[1]};

    carried_add(&total, value);
    sum[0] = total.sum;
    sum[1] = total.carry;
}

/* Adds a row to the sums of the first pass. */
static void add_constant(const BoostPlan *plan, double *values, double target, double weight)
{
    if (plan->classes > 0) {
        add_carried(values + BEGIN_CLASSES + 2 * (uint32_t)target, weight);
        return;
    }
    add_carried(values + BEGIN_TARGET, weight * target);
    add_carried(values + BEGIN_WEIGHT, weight);
    values[BEGIN_LARGEST] = fmax(values[BEGIN_LARGEST], fabs(target));
}

/* Adds a row to the sizes of the gradients, to the loss and to the weight of its leaves. */
static void measure(const BoostPlan *plan, double *values, const double *slots, double weight)
{
    double *rest = values + plan->outputs * MEASURE_EACH;

    for (uint32_t k = 0; k < plan->outputs; k++) {
        double *of = values + k * MEASURE_EACH;
        uint32_t leaf = tree_find_leaf(plan->trees, plan->first_tree + k, slots)->right - plan->first_leaf;
        float gradient, hessian;

        boosting_row_slope(plan->row, k, 0, weight, &gradient, &hessian);
        of[MEASURE_GRADIENT] = fmax(of[MEASURE_GRADIENT], fabs((double)gradient));
        of[MEASURE_HESSIAN] = fmax(of[MEASURE_HESSIAN], hessian);
        add_carried(of + MEASURE_HESSIANS, hessian);
        add_carried(rest + MEASURE_COVERS + 2 * leaf, weight);
    }
    add_carried(rest + MEASURE_LOSS, weight * boosting_row_loss(plan->row, 0));
    add_carried(rest + MEASURE_WEIGHT, weight);
}

/* Returns the bin of a value: of a number, how many thresholds lie below it. */
static inline uint32_t bin_of(const BinnedFeature *feature, double value)
{
    uint32_t low = 0, high = feature->bins - 1;

    if (value != value || feature->categorical)
        return binned_code(feature, value);
    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (value > feature->thresholds[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds a number to an integer that may come from anywhere. */
static inline void add_integer(int64_t *sum, uint64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + value);
}

/* Adds a row to the histograms of its leaves. */
static void add_level(const BoostPlan *plan, int64_t *sums, const double *slots, double weight)
{
    for (uint32_t k = 0; k < plan->outputs; k++) {
        uint32_t leaf = tree_find_leaf(plan->trees, plan->first_tree + k, slots)->right - plan->first_leaf, place = plan->place[leaf];
        const HistogramScale *scale = &plan->scale[k];
        uint64_t g, packed;
        int64_t *of;
        float gradient, hessian;

        if (place == LEAF_CLOSED)
            continue;
        boosting_row_slope(plan->row, k, 0, weight, &gradient, &hessian);
        g = (uint64_t)(int64_t)(int32_t)boosting_nearest(gradient * (1 / scale->gradient));
        packed = (uint64_t)(uint32_t)boosting_nearest(hessian * (1 / scale->hessian)) << scale->count_bits | 1;
        of = sums + (size_t)place * plan->width * 2;
        for (uint32_t f = 0; f < plan->binned.features; f++) {
            const BinnedFeature *feature = &plan->binned.feature[f];
            size_t bin = 2 * ((size_t)feature->first + bin_of(feature, slots[f]));

            add_integer(of + bin, g);
            add_integer(of + bin + 1, packed);
        }
        add_integer(of + 2 * (size_t)plan->binned.bins, g);
        add_integer(of + 2 * (size_t)plan->binned.bins + 1, packed);
    }
}

/* Returns an array of a state, for writing. Fails unless it is as long as the model needs. */
static void *sums_of(Env *env, Model *state, const char *name, uint64_t length, uint32_t *hint)
{
    const ModelEntry *entry = model_step_find(state, name, hint);

    if (entry == NULL || entry->rows != length)
        env_fail(env, ERROR_CORRUPT, NULL, "the state of boosting_step does not fit its model");
    return model_data_mutable(state, (ModelEntry *)entry);
}

static void step_add(Env *env, Model *state, const void *prepared, const double *slots, double target, double weight, ModelStepHints *hints)
{
    const BoostPlan *plan = boosting_plan_of(prepared);
    double *values, counted = weight;

    if (plan == NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "the state of boosting_step does not fit its model");
    values = sums_of(env, state, "sum_values", plan_values(plan), &hints->arrays[0]);
    if (boosting_loss_of(plan->model) == LOSS_POISSON && target < 0)
        env_fail(env, ERROR_DATA, "Use another \"loss\".", "loss poisson of %s needs targets of at least 0, but one is %g", plan->model->estimator, target);
    if (plan->factors != NULL)
        weight *= plan->factors[(uint32_t)target];
    if (plan->phase == PHASE_BEGIN) {
        add_constant(plan, values, target, weight);
    } else {
        Boosting *row = plan->row;

        row->targets[0] = target;
        row->labels[0] = plan->classes > 0 ? (uint32_t)target : 0;
        boosting_scores(prepared, slots, row->scores);
        if (row->sums != NULL)
            boosting_begin_row(row, 0);
        if (plan->phase == PHASE_MEASURE)
            measure(plan, values, slots, weight);
        else
            add_level(plan, sums_of(env, state, "sum_bins", (uint64_t)plan->open * plan->width * 2, &hints->arrays[1]), slots, weight);
    }
    state->rows++;
    state->weight += counted;
}

/* Tells whether a sum of a pass is a maximum. */
static bool is_maximum(int64_t phase, uint32_t outputs, uint32_t i)
{
    if (phase == PHASE_BEGIN)
        return i == BEGIN_LARGEST;
    return i < outputs * MEASURE_EACH && i % MEASURE_EACH < MEASURE_HESSIANS;
}

static void merge_values(double *a, const double *b, uint32_t length, int64_t phase, uint32_t outputs)
{
    for (uint32_t i = 0; i < length;) {
        if (phase >= PHASE_LEVEL)
            return;
        if (is_maximum(phase, outputs, i)) {
            a[i] = fmax(a[i], b[i]);
            i++;
            continue;
        }
        add_carried(a + i, b[i]);
        a[i + 1] += b[i + 1];
        i += 2;
    }
}

static void step_merge(Env *env, Model *a, const Model *b)
{
    const ModelStep *step = dictionary_size(a, DICTIONARY_CLASSES) > 0 ? &boosting_classifier_step : &boosting_regression_step;
    uint32_t length, hint = 0, bins;
    const double *values = numbers_of(b, "sum_values", &length);
    const int64_t *sums = integers_of(b, "sum_bins", &bins);
    int64_t phase = model_i64(a, "step_place", NULL)[0];

    model_step_require_same(env, step, a, b);
    if (model_i64(b, "step_place", NULL)[0] != phase || boosting_outputs(a) != boosting_outputs(b) || (model_find(a, "sum_bins") != NULL) != (sums != NULL))
        env_fail(env, ERROR_CORRUPT, NULL, "the states of boosting_step differ in size");
    merge_values(sums_of(env, a, "sum_values", length, &hint), values, length, phase, boosting_outputs(a));
    if (sums != NULL) {
        int64_t *to = sums_of(env, a, "sum_bins", bins, &hint);

        for (uint32_t i = 0; i < bins; i++)
            add_integer(to + i, (uint64_t)sums[i]);
    }
    a->rows += b->rows;
    a->skipped += b->skipped;
    a->weight += b->weight;
}

/* ---- the first model ---- */

/* Adds the bins, with the thresholds as the trees will have them: rows then go the same way in histograms and in trees. */
static void add_bins(const Boosting *boosting, ModelBuilder *builder)
{
    Env *env = boosting->env;
    const BinnedColumns *binned = boosting->binned;
    int64_t *bins = env_array(env, (size_t)binned->features + 1, sizeof(int64_t)), *levels;
    uint32_t thresholds = 0, level_count = 0;
    double *threshold;

    for (uint32_t f = 0; f < binned->features; f++) {
        bins[f] = binned->feature[f].bins;
        thresholds += binned->feature[f].categorical ? 0 : binned->feature[f].bins - 1;
        level_count += binned->feature[f].categorical ? binned->feature[f].levels : 0;
    }
    threshold = env_array(env, (size_t)thresholds + 1, sizeof(double));
    levels = env_array(env, (size_t)level_count + 1, sizeof(int64_t));
    builder_i64(builder, SECTION_ARRAYS, "step_bins", bins, binned->features);
    if (thresholds > 0)
        builder_f64(builder, SECTION_ARRAYS, "step_thresholds", threshold, thresholds);
    if (level_count > 0)
        builder_i64(builder, SECTION_ARRAYS, "step_level_bins", levels, level_count);
    for (uint32_t f = 0; f < binned->features; f++) {
        const BinnedFeature *feature = &binned->feature[f];

        for (uint32_t l = 0; feature->categorical && l < feature->levels; l++)
            *levels++ = feature->level_bin[l] == BIN_NONE ? -1 : feature->level_bin[l];
        for (uint32_t b = 0; !feature->categorical && b + 1 < feature->bins; b++)
            *threshold++ = tree_float_threshold(feature->thresholds[b], feature->high[b], feature->low[b + 1]);
    }
}

void boosting_step_start(Boosting *boosting, ModelBuilder *builder, const Model *schema, BoostLink link)
{
    Env *env = boosting->env;
    int64_t *stored = env_array(env, 3, sizeof(int64_t));
    GrownTree *tree = grown_tree(env);

    stored[0] = link; /* then step_place */
    boosting->baseline = env_array(env, boosting->outputs, sizeof(double));
    boosting->importance = env_array(env, (size_t)schema->slot_count + 1, sizeof(double));
    boosting->store = tree_store(env, schema, false);
    grown_tree_node(tree);
    tree->nodes[0].cover = boosting->rows;
    for (uint32_t k = 0; k < boosting->outputs; k++)
        tree_store_append(boosting->store, tree);
    builder_f64(builder, SECTION_ARRAYS, "baseline", boosting->baseline, boosting->outputs);
    builder_f64(builder, SECTION_ARRAYS, "importance", boosting->importance, boosting->binned->features);
    builder_i64(builder, SECTION_ARRAYS, "link", stored, 1);
    tree_store_add(boosting->store, builder);
    builder_i64(builder, SECTION_ARRAYS, "step_place", stored + 1, 2);
    builder_fact_i64(builder, "iterations", 0);
    builder_fact_i64(builder, "trees", boosting->outputs);
    add_bins(boosting, builder);
}

#define BOOSTING_STEP                                                                                                                              \
    .name = "boosting_step", .begin_hint = "Begin from a model of a sample fitted with {\"bins_only\": true}.", .sums = "sum_values",             \
    .begin = step_begin, .add_labeled = step_add, .merge = step_merge, .finish = boosting_step_finish

const ModelStep boosting_regression_step = {.estimator = "boosted_trees_regression", .numbers = true, BOOSTING_STEP};
const ModelStep boosting_classifier_step = {.estimator = "boosted_trees_classifier", BOOSTING_STEP};
