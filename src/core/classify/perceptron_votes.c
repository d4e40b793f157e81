/*
 * perceptron_votes.c - scores of perceptrons, also of voted ones (Freund & Schapire 1999): each vector that was
 * the perceptron for some rows votes with their number.
 *
 * A voted model has its m vectors as equations of linear_classifier.h, and survived I64[m], 1 or more. Models with a kernel are
 * those of perceptron_kernel.h.
 */
#include "core/kernel_methods/feature_map.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/classify/perceptron.h"
#include "core/classify/perceptron_kernel.h"
#include "core/kernel_methods/kernel_model.h"

#include <math.h>

#define MOST_VOTES ((int64_t)1 << 53) /* exact as a double */

static const int64_t *survived(const Model *model)
{
    const ModelEntry *entry = model_find(model, "survived");

    return entry != NULL ? model_data(model, entry) : NULL;
}

/* Returns sum c sign(w.x) / sum c, in [-1, 1]; a vector whose score is 0 abstains. */
static double votes(const Model *model, const int64_t *counts, const double *slots)
{
    int64_t sum = 0, all = 0;
    LinearView view;

    linear_view(model, &view);
    for (uint32_t e = 0; e < view.equations; e++) {
        double score = linear_view_score(&view, e, slots);

        sum += score > 0 ? counts[e] : score < 0 ? -counts[e] : 0;
        all += counts[e];
    }
    return (double)sum / (double)all;
}

static void decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    const int64_t *counts = survived(model);

    if (kernel_model_is(model))
        perceptron_kernel_decisions(model, prepared, slots, out);
    else if (counts != NULL)
        out[0] = votes(model, counts, slots);
    else
        linear_classifier_decisions(model, prepared, slots, out);
}

static uint32_t classify(const Model *model, const void *prepared, const double *slots)
{
    const int64_t *counts = survived(model);
    ClassRule rule;

    if (kernel_model_is(model))
        return perceptron_kernel_classify(model, prepared, slots);
    if (counts == NULL)
        return linear_classifier_classify(model, prepared, slots);
    rule = class_rule_of(model);
    return class_rule_pick(&rule, votes(model, counts, slots));
}

static void *prepare(Env *env, const Model *model, size_t *bytes)
{
    return kernel_model_is(model) ? perceptron_kernel_prepare(env, model, bytes) : linear_classifier_prepare(env, model, bytes);
}

static bool prepares(const Model *model)
{
    return kernel_model_is(model) || linear_classifier_prepares(model);
}

static bool has_distance(const Model *model)
{
    return survived(model) == NULL && !kernel_model_is(model);
}

static double distance(const Model *model, const void *prepared, const double *slots)
{
    return has_distance(model) ? linear_classifier_distance(model, prepared, slots) : NAN;
}

static uint32_t width(const Model *model)
{
    if (kernel_model_is(model))
        return kernel_model_width(model);
    return survived(model) != NULL ? 1 : linear_classifier_width(model);
}

const Scoring perceptron_scoring = {
    .partial = true, /* a distance without a boundary */
    .prepare = prepare,
    .prepares = prepares,
    .classify = classify,
    .decisions = decisions,
    .has_distance = has_distance,
    .distance = distance,
    .has_explain = has_distance,
    .explain = linear_classifier_explain,
    .width = width,
};

/* ---- check ---- */

static const ArraySpec perceptron_arrays[] = {
    {.name = "survived", .type = ARRAY_I64, .presence = ARRAY_OPTIONAL, .values = VALUES_POSITIVE, .rows = {SIZE_EQUATIONS}}};
static const ArraySpec mistake_arrays[] = {
    {.name = "mistakes",
     .type = ARRAY_I64,
     .presence = ARRAY_OPTIONAL,
     .flat = true,
     .rows = {SIZE_FREE},
     .columns = {SIZE_FREE}}};

static const ArraySpec perceptron_facts[] = {FACT_APPROXIMATION,           FACT("converged", ARRAY_BOOL),
                                             FACT_FREQUENCIES,             FACT("iterations", ARRAY_I64),
                                             FACT_LANDMARKS,               FACT("support_vectors", ARRAY_I64),
                                             FACT("updates", ARRAY_I64)};

/* Of models with a kernel, those with "rows"; of the others; and of both. */
const ArrayTable perceptron_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE_LACKING(linear_arrays, "rows"), ARRAY_TABLE_LACKING(linear_class_arrays, "rows"),
                 ARRAY_TABLE_LACKING(perceptron_arrays, "rows"), KERNEL_MODEL_TABLES,
                 ARRAY_TABLE_WHERE(perceptron_vote_arrays, "rows"), ARRAY_TABLE(mistake_arrays), KERNEL_CLASSIFIER_TABLES,
                 FACT_TABLE(perceptron_facts));

const char *perceptron_check(Env *env, const Model *model)
{
    const int64_t *counts = survived(model);
    const ModelEntry *coef = model_find(model, "coef");
    uint32_t equations;
    int64_t all = 0;
    const char *wrong;

    if (kernel_model_is(model))
        return perceptron_kernel_check(env, model);
    if (counts == NULL)
        return linear_classifier_check(env, model);
    if (dictionary_size(model, DICTIONARY_CLASSES) != 2)
        return "a voted perceptron has two classes";
    if (multiclass_coded(model))
        return "a voted perceptron has no \"multiclass\"";
    if ((wrong = linear_check(env, model)) != NULL)
        return wrong;
    equations = coef->dimensions == 2 ? coef->rows : 1;
    for (uint32_t e = 0; e < equations; e++) {
        if (counts[e] > MOST_VOTES - all)
            return "\"survived\" counts too many rows";
        all += counts[e];
    }
    return class_rule_check(model);
}

char *perceptron_summary(Env *env, const Model *model)
{
    return kernel_model_is(model) ? perceptron_kernel_summary(env, model) : linear_classifier_summary(env, model);
}
