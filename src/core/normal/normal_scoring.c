/*
 * normal_scoring.c - the scoring functions of classifiers made of normal distributions.
 */
#include "core/normal/normal_model.h"
#include "core/math/logistic_function.h"

#include <math.h>
#include <string.h>

static void *prepare(Env *env, const Model *model, size_t *bytes)
{
    NormalScorer *scorer = normal_prepare(env, model);

    if (!normal_is_definite(scorer))
        env_fail(env, ERROR_CORRUPT, "Fit it again.",
                 "a covariance of this model of %.31s is not positive definite", model->estimator);
    *bytes = 0; /* as allocated */
    return scorer;
}

/*
 * Returns the scores of the classes up to a constant that all of them share, [classes], in scratch. They suffice to compare
 * classes, and for lda they are cheaper than the logarithms of prior times density.
 */
static const double *class_scores(const NormalScorer *scorer, const double *slots)
{
    uint32_t terms = scorer->terms;
    const double *x, *coef = scorer->coef;

    if (scorer->kind != NORMAL_POOLED) {
        normal_joint_logs(scorer, slots, scorer->joint);
        return scorer->joint;
    }
    x = normal_terms(scorer, slots);
    for (uint32_t t = 0; t < terms; t++)
        scorer->x[t] = x[t] - scorer->center[t];
    for (uint32_t c = 0; c < scorer->classes; c++, coef += terms) {
        double sum = scorer->offset[c];
        for (uint32_t t = 0; t < terms; t++)
            sum += coef[t] * scorer->x[t];
        scorer->joint[c] = sum;
    }
    return scorer->joint;
}

static uint32_t normal_classify(const Model *model, const void *prepared, const double *slots)
{
    const NormalScorer *scorer = prepared;
    const double *score = class_scores(scorer, slots);
    uint32_t best = 0;

    for (uint32_t c = 1; c < scorer->classes; c++)
        if (score[c] > score[best])
            best = c;
    return best;
}

static void normal_probabilities(const Model *model, const void *prepared, const double *slots,
                                 double *out)
{
    const NormalScorer *scorer = prepared;

    softmax(class_scores(scorer, slots), scorer->classes, out);
}

static void normal_decisions(const Model *model, const void *prepared, const double *slots,
                             double *out)
{
    normal_joint_logs(prepared, slots, out);
}

/* Returns the log odds of the positive class. */
static double normal_decision(const Model *model, const void *prepared, const double *slots)
{
    const NormalScorer *scorer = prepared;
    const double *score = class_scores(scorer, slots);
    uint32_t positive = scorer->rule.positive;

    return score[positive] - score[1 - positive];
}

/* Returns the logarithm of the sum of prior times density over all classes; -infinity if it underflows. */
static double normal_log_evidence(const Model *model, const void *prepared, const double *slots)
{
    const NormalScorer *scorer = prepared;
    double most = -INFINITY, sum = 0;

    normal_joint_logs(scorer, slots, scorer->joint);
    for (uint32_t c = 0; c < scorer->classes; c++)
        most = fmax(most, scorer->joint[c]);
    if (!(most > -INFINITY))
        return -INFINITY;
    for (uint32_t c = 0; c < scorer->classes; c++)
        sum += exp(scorer->joint[c] - most);
    return most + log(sum);
}

static void normal_distances(const Model *model, const void *prepared, const double *slots,
                             double *out)
{
    const NormalScorer *scorer = prepared;

    normal_squared_distances(scorer, slots, out);
    for (uint32_t c = 0; c < scorer->classes; c++)
        out[c] = sqrt(out[c]);
}

static double normal_distance(const Model *model, const void *prepared, const double *slots)
{
    const NormalScorer *scorer = prepared;
    double least = INFINITY;

    normal_squared_distances(scorer, slots, scorer->joint);
    for (uint32_t c = 0; c < scorer->classes; c++)
        least = fmin(least, scorer->joint[c]);
    return sqrt(least);
}

static void normal_transform(const Model *model, const void *prepared, const double *slots,
                             double *out)
{
    const NormalScorer *scorer = prepared;
    const double *x = normal_terms(scorer, slots), *scaling = scorer->scalings;

    memset(out, 0, scorer->directions * sizeof(double));
    for (uint32_t t = 0; t < scorer->terms; t++, scaling += scorer->directions)
        for (uint32_t d = 0; d < scorer->directions; d++)
            out[d] += (x[t] - scorer->center[t]) * scaling[d];
}

static uint32_t normal_width(const Model *model)
{
    return dictionary_size(model, DICTIONARY_CLASSES);
}

static uint32_t projection_width(const Model *model)
{
    NormalArrays arrays;

    view_arrays(model, lda_array_tables, &arrays); /* called per row, so it does not look up the estimator */
    return arrays.directions;
}

#define CLASS_SCORES                                                                                                   \
    .prepare = prepare, .classify = normal_classify, .probabilities = normal_probabilities,                            \
    .decisions = normal_decisions, .decision = normal_decision, .log_evidence = normal_log_evidence,                   \
    .distance = normal_distance, .distances = normal_distances, .explain = normal_explain, .width = normal_width

const Scoring normal_scoring = {CLASS_SCORES};
const Scoring normal_projecting_scoring = {CLASS_SCORES,
                                           .transform = normal_transform,
                                           .transform_width = projection_width};
