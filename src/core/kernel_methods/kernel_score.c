/*
 * kernel_score.c - scores of kernel expansions.
 *
 * Each score is the sum of eight partial sums, row i in number i % 8, added in the order of loop_join, whatever the width of the
 * machine's vectors.
 */
#include "core/kernel_methods/kernel_model.h"
#include "core/linalg/vector_loops.h"
#include "core/math/cosine_sine.h"

#include <string.h>

/* ---- preparing ---- */

static uint32_t padded(uint32_t count)
{
    return (count + KERNEL_PANEL - 1) / KERNEL_PANEL * KERNEL_PANEL;
}

/* Copies the multipliers to rows that end at a full panel. */
static double *pad_multipliers(Env *env, const KernelView *view, size_t *bytes)
{
    size_t width = padded(view->count);
    double *out = env_array(env, width * view->problems, sizeof(double));

    for (uint32_t p = 0; p < view->problems; p++)
        env_copy(env, out + p * width, view->multipliers + (size_t)p * view->count, view->count * sizeof(double));
    *bytes += width * view->problems * sizeof(double);
    return out;
}

void *kernel_model_prepare(Env *env, const Model *model, size_t *bytes)
{
    KernelScorer *scorer = env_array(env, 1, sizeof(KernelScorer));
    KernelView *view = &scorer->view;
    size_t decoding = 0;

    scorer->env = env;
    kernel_view(model, view);
    if (view->phases == NULL)
        kernel_prepare(env, model, &view->kernel);
    *bytes = sizeof(KernelScorer);
    scorer->points = kernel_points(env, &view->kernel, view->rows, view->count, view->dims);
    *bytes += kernel_points_bytes(view->count, view->dims);
    scorer->weights = pad_multipliers(env, view, bytes);
    scorer->point = env_array(env, kernel_view_width(view), sizeof(double));
    scorer->values = env_array(env, KERNEL_SEGMENT, sizeof(double));
    scorer->parts = env_array(env, (size_t)view->problems * KERNEL_PANEL, sizeof(double));
    scorer->scores = env_array(env, view->problems, sizeof(double));
    *bytes += (kernel_view_width(view) + KERNEL_SEGMENT + (size_t)view->problems * (KERNEL_PANEL + 1)) * sizeof(double);
    if (dictionary_size(model, DICTIONARY_CLASSES) > 0) {
        scorer->rule = class_rule_of(model);
        if (multiclass_coded(model))
            scorer->multiclass = multiclass_prepare(env, model, &decoding);
        *bytes += decoding;
    }
    return scorer;
}

/* ---- scores ---- */

/* Turns products of frequencies with a point into cosines. */
static void cosines(const KernelScorer *scorer, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double sine;

        cosine_sine_core(scorer->values[i] + scorer->view.phases[first + i], &scorer->values[i], &sine);
    }
}

/* Adds the values of a segment of rows to the partial sums. The rows behind the last one have multipliers 0. */
static void add_segment(const KernelScorer *scorer, uint32_t first, uint32_t count)
{
    size_t width = padded(scorer->view.count);

    for (uint32_t p = 0; p < scorer->view.problems; p++) {
        const double *weights = scorer->weights + p * width + first, *values = scorer->values;
        double *part = scorer->parts + (size_t)p * KERNEL_PANEL, sums[KERNEL_PANEL];

        memcpy(sums, part, sizeof(sums));
        for (uint32_t i = 0; i < padded(count); i += KERNEL_PANEL)
            for (uint32_t k = 0; k < KERNEL_PANEL; k++)
                sums[k] += weights[i + k] * values[i + k];
        memcpy(part, sums, sizeof(sums));
    }
}

const double *kernel_model_scores(const void *prepared, const double *slots)
{
    const KernelScorer *scorer = prepared;
    const KernelView *view = &scorer->view;
    uint32_t segment = kernel_segment(view);

    kernel_view_point(view, slots, scorer->point);
    memset(scorer->parts, 0, (size_t)view->problems * KERNEL_PANEL * sizeof(double));
    for (uint32_t first = 0; first < view->count; first += segment) {
        uint32_t count = view->count - first < segment ? view->count - first : segment;

        kernel_points_values(&scorer->points, scorer->point, first, count, scorer->values);
        if (view->phases != NULL)
            cosines(scorer, first, count);
        add_segment(scorer, first, count);
        scorer->env->poll(scorer->env);
    }
    for (uint32_t p = 0; p < view->problems; p++)
        scorer->scores[p] = loop_join(scorer->parts + (size_t)p * KERNEL_PANEL) + (view->intercept != NULL ? view->intercept[p] : 0);
    return scorer->scores;
}

double kernel_model_predict(const Model *model, const void *prepared, const double *slots)
{
    return kernel_model_scores(prepared, slots)[0];
}

void kernel_model_decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    const KernelScorer *scorer = prepared;
    const double *scores = kernel_model_scores(prepared, slots);

    if (scorer->multiclass == NULL) {
        memcpy(out, scores, scorer->view.problems * sizeof(double));
        return;
    }
    memcpy(scorer->multiclass->scores, scores, scorer->view.problems * sizeof(double));
    multiclass_decisions(scorer->multiclass, out);
}

uint32_t kernel_model_classify(const Model *model, const void *prepared, const double *slots)
{
    const KernelScorer *scorer = prepared;
    const double *scores = kernel_model_scores(prepared, slots);
    uint32_t best = 0;

    if (scorer->multiclass != NULL) {
        memcpy(scorer->multiclass->scores, scores, scorer->view.problems * sizeof(double));
        return multiclass_pick(scorer->multiclass, NULL);
    }
    if (scorer->view.problems == 1)
        return class_rule_pick(&scorer->rule, scores[0]);
    for (uint32_t p = 1; p < scorer->view.problems; p++)
        if (scores[p] > scores[best])
            best = p;
    return best;
}

uint32_t kernel_model_width(const Model *model)
{
    return multiclass_coded(model) ? multiclass_width(model) : kernel_model_problems(model);
}
