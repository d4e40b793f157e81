/*
 * knn_classifier.c - a row's class by the votes of the rows nearest to it (Fix & Hodges 1951; Cover & Hart 1967).
 */
#include "core/neighbors/neighbors_model.h"

#include <math.h>

extern const Estimator estimator_knn_classifier;

static const OptionSpec knn_classifier_options[] = {
    NEIGHBOUR_OPTION_K(neighbour_k_choices,
                       "How many nearest rows are neighbours: a number, all, or loo: the one with the least "
                       "leave-one-out error; 5 where neither k nor radius is given."),
    METRIC_AND_KERNEL_FORM_OPTIONS,
    NEIGHBOUR_OPTIONS_SEARCH,
    NEIGHBOUR_OPTIONS_WEIGHTS,
    {.name = "tie",
     .types = OPTION_STRING,
     .fallback = "\"first\"",
     .choices = neighbour_tie_choices,
     .help = "Of classes with equal votes the first in their order wins, or that of the nearest neighbour."},
    {.name = NULL}};

static Model *knn_classifier_fit(Env *env, const Evidence *evidence, const Options *options)
{
    return neighbours_fit(env, &estimator_knn_classifier, evidence, options);
}

static uint32_t knn_classify(const Model *model, const void *prepared, const double *slots)
{
    Neighbours *neighbours = (Neighbours *)prepared;

    if (!neighbours_find(neighbours, slots, 0))
        return CLASS_NONE;
    neighbours_shares(neighbours, neighbours->rule.k);
    return neighbours_class(neighbours);
}

static void knn_probabilities(const Model *model, const void *prepared, const double *slots,
                              double *out)
{
    Neighbours *neighbours = (Neighbours *)prepared;
    double total;

    out[0] = NAN;
    if (!neighbours_find(neighbours, slots, 0) || neighbours->search->count == 0)
        return;
    neighbours_shares(neighbours, neighbours->rule.k);
    total = neighbours_vote(neighbours, out);
    for (uint32_t i = 0; i < neighbours->classes; i++)
        out[i] /= total;
}

static const Scoring knn_classifier_scoring = {.partial = true,
                                               .prepare = neighbours_prepare,
                                               .ahead = neighbours_ahead,
                                               .classify = knn_classify,
                                               .probabilities = knn_probabilities,
                                               .distance = neighbours_nearest_distance};

static const char *const knn_classifier_positional[] = {"k", NULL};

const Estimator estimator_knn_classifier = {
    .name = "knn_classifier",
    .task = TASK_CLASSIFICATION,
    .evidence = EVIDENCE_ROWS,
    .supervised = true,
    .options = knn_classifier_options,
    .positional = knn_classifier_positional,
    .help = "The class by the votes of the nearest rows.",
    .source = "Fix & Hodges (1951); Cover & Hart (1967)",
    .fit = knn_classifier_fit,
    .check = neighbours_check,
    .scoring = &knn_classifier_scoring,
};
