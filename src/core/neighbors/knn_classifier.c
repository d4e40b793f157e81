/*
 * knn_classifier.c - predicts a row's class by a vote of the rows nearest to it (Fix & Hodges 1951; Cover & Hart 1967).
 */
#include "core/neighbors/neighbors_model.h"
#include "core/estimator/shared_options.h"

#include <math.h>

static const OptionSpec knn_classifier_options[] = {
    {.name = "outlier_label",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "no class, NULL",
     .help = "With a radius: the class of rows without neighbors, by its label, or most_frequent."},
    {.name = "tie",
     .types = OPTION_STRING,
     .fallback = "\"first\"",
     .choices = neighbor_tie_choices,
     .help = "Which of the classes with equal votes wins: the first in their order, or that of the nearest neighbor."},
    {.name = NULL}};

static uint32_t knn_classify(const Model *model, const void *prepared, const double *slots)
{
    Neighbors *neighbors = (Neighbors *)prepared;

    if (!neighbors_find(neighbors, slots, 0))
        return CLASS_NONE;
    neighbors_shares(neighbors, neighbors->rule.k);
    return neighbors_class(neighbors);
}

static void knn_probabilities(const Model *model, const void *prepared, const double *slots,
                              double *out)
{
    Neighbors *neighbors = (Neighbors *)prepared;
    double total;

    out[0] = NAN;
    if (!neighbors_find(neighbors, slots, 0))
        return;
    neighbors_shares(neighbors, neighbors->rule.k);
    total = neighbors_vote(neighbors, out);
    if (!(total > 0)) {
        out[0] = NAN;
        if (neighbors->outlier == NULL)
            return;
        out[0] = 0;
        out[*neighbors->outlier] = total = 1;
    }
    for (uint32_t i = 0; i < neighbors->classes; i++)
        out[i] /= total;
}

static const Scoring knn_classifier_scoring = {.partial = true,
                                               .prepare = neighbors_prepare,
                                               .ahead = neighbors_ahead,
                                               .classify = knn_classify,
                                               .probabilities = knn_probabilities,
                                               .distance = neighbors_nearest_distance};

const Estimator estimator_knn_classifier = {
    .name = "knn_classifier",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .supervised = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, METRIC_OPTIONS, options_neighbor_search, options_knn, knn_classifier_options),
    .positional = positional_k,
    .help = "The class with the most votes of the nearest rows.",
    .source = "Fix & Hodges (1951); Cover & Hart (1967)",
    .fit = neighbors_fit_rows,
    .arrays = knn_classifier_array_tables,
    .check = neighbors_check,
    .scoring = &knn_classifier_scoring,
};
