/*
 * boosting_model.c - models of boosted trees: arrays, check, scores, explanations and reports.
 *
 * Trees with numbers (tree_model.h), of which tree t adds to output t % outputs, and
 *   baseline  F64[outputs]  the scores before the first tree
 *   link      I64[1]        from scores to predictions (BoostLink)
 *   scale     F64[2]  optional: what divides a sum of the trees, and what then multiplies it
 *   single_precision BOOL[1] optional, true: each sum is rounded to a float, in the order of the trees
 */
#include "core/boosting/boosting.h"
#include "core/model/report_text.h"
#include "core/tree_value/forest_walk.h"

#include <math.h>
#include <string.h>

const ArraySpec boosting_arrays[4] = {
    {.name = "baseline", .type = ARRAY_F64, .rows = {SIZE_FREE}},
    {.name = "link",
     .type = ARRAY_I64,
     .values = VALUES_ANY,
     .rows = {SIZE_NUMBER, .plus = 1}},
    {.name = "scale", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_POSITIVE, .rows = {SIZE_NUMBER, .plus = 2}},
    {.name = "single_precision", .type = ARRAY_BOOL, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_NUMBER, .plus = 1}}};

const ArraySpec boosting_facts[7] = {FACT("best_iteration", ARRAY_I64),
                                    FACT("held_out", ARRAY_I64),
                                    FACT("iterations", ARRAY_I64),
                                    FACT("training_loss", ARRAY_F64),
                                    FACT("trees", ARRAY_I64),
                                    FACT("validation_loss", ARRAY_F64),
                                    FACT_LIST("validation_losses", ARRAY_F64)};

void boosting_add_scores(Env *env, ModelBuilder *builder, const double *baseline, uint32_t outputs, BoostLink link, bool single)
{
    static const uint8_t yes = 1;
    int64_t *stored = env_array(env, 1, sizeof(int64_t));

    *stored = link;
    builder_f64(builder, SECTION_ARRAYS, "baseline", baseline, outputs);
    builder_i64(builder, SECTION_ARRAYS, "link", stored, 1);
    if (single)
        builder_bool(builder, SECTION_ARRAYS, "single_precision", &yes, 1);
}

void boosting_add_scale(Env *env, ModelBuilder *builder, double divisor, double factor)
{
    double *scale = env_array(env, 2, sizeof(double));

    scale[0] = divisor;
    scale[1] = factor;
    builder_f64(builder, SECTION_ARRAYS, "scale", scale, 2);
}

const char *boosting_check(Env *env, const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES), outputs = boosting_outputs(model);
    int64_t link = model_i64(model, "link", NULL)[0];
    uint32_t trees = model_find(model, "tree_nodes")->rows, wanted = 1;

    if (link < BOOST_IDENTITY || link > BOOST_SOFTMAX || (classes > 0 ? link < BOOST_LOGISTIC : link == BOOST_SOFTMAX) ||
        (link == BOOST_LOGISTIC && classes != 2 && classes != 0))
        return env_message(env, "link %lld does not fit %u classes", (long long)link, classes);
    wanted = link == BOOST_SOFTMAX ? classes : 1;
    if (outputs != wanted || trees % outputs != 0)
        return env_message(env, "%u baselines and %u trees, but %u outputs", outputs, trees, wanted);
    return tree_check(env, model);
}

/* ---- scores ---- */

typedef struct BoostScorer {
    TreeScorer *trees;
    ForestWalk *walk;   /* NULL: nodes are walked as the model has them */
    double *leaf_value; /* [leaves] */
    const double *baseline;
    uint32_t outputs;
    const double *scale; /* NULL: none */
    bool single;
    double *room; /* [outputs] */
} BoostScorer;

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

bool boosting_is_single(const Model *model)
{
    const ModelEntry *entry = model_find(model, "single_precision");

    return entry != NULL && model_number(model, entry, 0) != 0;
}

const double *boosting_scale(const Model *model)
{
    return model_find(model, "scale") != NULL ? model_f64(model, "scale", NULL) : NULL;
}

static double scaled(const double *scale, double sum)
{
    return scale != NULL ? sum / scale[0] * scale[1] : sum;
}

double boosting_scaled(const Model *model, double sum)
{
    return scaled(boosting_scale(model), sum);
}

uint32_t boosting_begun(const Model *model)
{
    return model_fact(model, "best_iteration", 1) == 0 ? 0 : model_find(model, "tree_nodes")->rows / boosting_outputs(model);
}

void *boosting_prepare(Env *env, const Model *model, size_t *bytes)
{
    BoostScorer *scorer = env_array(env, 1, sizeof(BoostScorer));

    scorer->trees = tree_prepare(env, model, bytes);
    scorer->walk = forest_walk(env, scorer->trees, bytes);
    scorer->leaf_value = forest_leaf_values(env, scorer->trees, bytes);
    scorer->baseline = model_f64(model, "baseline", &scorer->outputs);
    scorer->single = boosting_is_single(model);
    scorer->scale = boosting_scale(model);
    scorer->room = env_array(env, scorer->outputs, sizeof(double));
    *bytes += sizeof(BoostScorer) + scorer->outputs * sizeof(double);
    return scorer;
}

double *boosting_room(const void *prepared)
{
    return ((const BoostScorer *)prepared)->room;
}

/*
 * Adds the leaves of a row to the baselines. single: rounds each sum to a float; the sum of two floats in double precision, rounded
 * again, is their sum in single precision (Figueroa 1995). outputs, single: known where this is compiled, so that a sum of one output stays
 * in a register: 100 sums, of which each waits for the one before, otherwise take longer than half of the walk.
 */
static inline void add_leaves(const BoostScorer *scorer, const double *slots, double *restrict out, uint32_t outputs, bool single)
{
    const ForestWalk *walk = forest_walk_row(scorer->walk, slots);
    const double *values = scorer->leaf_value;
    uint32_t leaves[WALK_TOGETHER], output = 0, count;

    for (uint32_t first = 0; first < scorer->trees->trees; first += count) {
        count = forest_walk_leaves(scorer->trees, walk, slots, first, leaves);
        for (uint32_t t = 0; t < count; t++) {
            double sum = out[output] + values[leaves[t]];

            out[output] = single ? (double)(float)sum : sum;
            if (++output == outputs)
                output = 0;
        }
    }
}

void boosting_scores(const void *prepared, const double *slots, double *out)
{
    const BoostScorer *scorer = prepared;

    memcpy(out, scorer->baseline, scorer->outputs * sizeof(double));
    if (scorer->outputs == 1 && !scorer->single)
        add_leaves(scorer, slots, out, 1, false);
    else if (scorer->outputs == 1)
        add_leaves(scorer, slots, out, 1, true);
    else
        add_leaves(scorer, slots, out, scorer->outputs, scorer->single);
    for (uint32_t k = 0; scorer->scale != NULL && k < scorer->outputs; k++)
        out[k] = scaled(scorer->scale, out[k]);
}

/* ---- explanations ---- */

static double leaf_value(const TreeScorer *scorer, uint32_t tree, const TreeNode *leaf, uint32_t k, const void *context)
{
    return leaf->of.value;
}

static double contributions(Env *env, const void *prepared, uint32_t k, const double *slots, double *parts)
{
    const BoostScorer *scorer = prepared;
    double base = scorer->baseline[k];

    for (uint32_t t = k; t < scorer->trees->trees; t += scorer->outputs) {
        env->poll(env);
        base += tree_shapley_values(env, scorer->trees, t, slots, 0, leaf_value, NULL, parts);
    }
    for (uint32_t i = 0; scorer->scale != NULL && i < scorer->trees->slots; i++)
        parts[i] = scaled(scorer->scale, parts[i]);
    return scaled(scorer->scale, base);
}

uint32_t boosting_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    return tree_explain(env, model, prepared, slots, ((const BoostScorer *)prepared)->outputs, contributions, out);
}

/* ---- reports ---- */

static void put_leaf_value(TextBuffer *report, const TreeScorer *scorer, const TreeNode *leaf, void *context)
{
    sql_number(report, leaf->of.value);
}

/* Adds a score; in single precision each number has type real, so that PostgreSQL rounds each sum. */
void boosting_sql(TextBuffer *report, const TreeScorer *scorer, uint32_t output)
{
    uint32_t outputs;
    const double *baseline = model_f64(scorer->model, "baseline", &outputs);
    const double *scale = boosting_scale(scorer->model);
    const char *type = boosting_is_single(scorer->model) ? "::real" : "";

    text_add(report, scale != NULL ? "((" : "(");
    sql_number(report, baseline[output]);
    text_add(report, type);
    for (uint32_t t = output; t < scorer->trees; t += outputs) {
        text_add(report, "\n + ");
        tree_sql(report, scorer, t, put_leaf_value, NULL);
        text_add(report, type);
    }
    text_add(report, type[0] != 0 ? ")::float8" : ")");
    if (scale != NULL) {
        text_add(report, " / ");
        sql_number(report, scale[0]);
        text_add(report, " * ");
        sql_number(report, scale[1]);
        text_add(report, ")");
    }
}

char *boosting_summary(Env *env, const Model *model)
{
    static const char *const names[] = {"training_loss", "validation_loss", "best_iteration"};
    static const char *const labels[] = {"training loss", "validation loss", "best iteration"};
    TextBuffer out = {.env = env};

    text_print(&out, "%s: ", model->estimator);
    report_formula(&out, model, true);
    text_print(&out, "trees: %u, nodes: %u\n", model_find(model, "tree_nodes")->rows, model_find(model, "split")->rows);
    report_rows(&out, model);
    for (int i = 0; i < 3; i++) {
        double value = model_fact(model, names[i], NAN);

        if (!isnan(value))
            text_print(&out, "%s: %.6g\n", labels[i], value);
    }
    if (out.length > 0) /* psql ends the line itself */
        out.text[out.length - 1] = 0;
    return out.text;
}
