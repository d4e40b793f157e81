/*
 * normal_explain.c - contributions of the features to the logarithms of prior times density.
 *
 * The logarithms are quadratic in the numbers. On the straight line from the mean of all rows to the row, each number
 * contributes its difference times the slope halfway (Aumann & Shapley 1974). For a quadratic form these contributions
 * add up exactly. If it has no products of two numbers, each contribution is the change that the number alone makes.
 */
#include "core/estimator/explanation.h"
#include "core/normal/normal_model.h"

#include <string.h>

/* Returns the mean of the training rows, [terms]; terms of levels are 0. */
static double *center_of(Env *env, const Model *model, const NormalScorer *scorer)
{
    uint32_t terms = scorer->terms;
    const double *counts = normal_arrays(model).counts;
    double *center = env_array(env, (size_t)terms + 1, sizeof(double)), weight = 0;

    for (uint32_t c = 0; c < scorer->classes; c++) {
        weight += counts[c];
        for (uint32_t t = 0; t < terms; t++)
            center[t] += (scorer->means[(size_t)c * terms + t] - center[t]) * (counts[c] / weight);
    }
    for (uint32_t t = 0; t < terms; t++)
        if (scorer->map.slot != NULL && scorer->map.level[t] >= 0)
            center[t] = 0;
    return center;
}

/* Writes Sigma^-1 x, [terms], by the covariance of a class. */
static void solve_class(const NormalScorer *scorer, uint32_t class, const double *x, double *out)
{
    uint32_t terms = scorer->terms;

    if (scorer->kind == NORMAL_DIAGONAL) {
        const double *inverse = scorer->inverse + (size_t)class * terms;
        for (uint32_t t = 0; t < terms; t++)
            out[t] = x[t] * inverse[t] * inverse[t];
    } else {
        normal_solve(scorer, class, x, out);
    }
}

/* Returns the reference level of a categorical slot: the first of its field in the dictionary. */
static uint32_t first_level(const Model *model, uint32_t slot)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), field = schema_slot_field(model, slot), level = 0;

    while (level + 1 < levels && dictionary_field(model, level) != field)
        level++;
    return level;
}

uint32_t normal_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    const NormalScorer *scorer = prepared;
    uint32_t terms = scorer->terms;
    double *center = center_of(env, model, scorer);
    double *x = env_array(env, (size_t)terms + 1, sizeof(double)), *middle = env_array(env, (size_t)terms + 1, sizeof(double));
    double *slope = env_array(env, (size_t)terms + 1, sizeof(double));
    double *own = env_array(env, (size_t)model->slot_count + 1, sizeof(double));
    ExplanationList list = explanation_list(env, model, slots, scorer->classes);

    for (uint32_t t = 0; t < terms; t++)
        x[t] = term_value(&scorer->map, t, slots);
    for (uint32_t c = 0; c < scorer->classes; c++) {
        const double *mean = scorer->means + (size_t)c * terms;
        const double *log_level = scorer->levels > 0 ? scorer->log_level + (size_t)c * scorer->levels : NULL;
        char *label = class_string(env, model, c);
        double base = scorer->constant[c];

        memset(own, 0, model->slot_count * sizeof(double));
        for (uint32_t t = 0; t < terms; t++)
            middle[t] = center[t] - mean[t];
        solve_class(scorer, c, middle, slope);
        for (uint32_t t = 0; t < terms; t++)
            base -= 0.5 * (center[t] - mean[t]) * slope[t];
        for (uint32_t t = 0; t < terms; t++)
            middle[t] = 0.5 * (x[t] - mean[t]) + 0.5 * (center[t] - mean[t]);
        solve_class(scorer, c, middle, slope);
        for (uint32_t t = 0; t < terms; t++)
            own[scorer->map.slot != NULL ? (uint32_t)scorer->map.slot[t] : t] -= (x[t] - center[t]) * slope[t];
        for (uint32_t i = 0; i < scorer->categories; i++) {
            uint32_t slot = scorer->category[i], first = first_level(model, slot);
            base += log_level[first];
            own[slot] -= log_level[first];
            if (slots[slot] >= 0 && slots[slot] < scorer->levels)
                own[slot] += log_level[(uint32_t)slots[slot]];
        }
        explanation_base(&list, label, base);
        for (uint32_t s = 0; s < model->slot_count; s++)
            explanation_slot(&list, s, own[s]);
        env->poll(env);
    }
    *out = list.lines;
    return list.count;
}
