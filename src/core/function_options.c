/*
 * function_options.c - which functions beside the estimators have options.
 */
#include "core/function_options.h"

#include "core/metrics/class_metrics.h"
#include "core/metrics/loss.h"
#include "core/estimator/classifier_output.h"
#include "core/metrics/ranking_metrics.h"

#include <string.h>

const OtherOptions *other_options_find(const char *name)
{
    static const OtherOptions list[] = {
        {"average_precision", ranking_options, true},
        {"brier_score", positive_options, false},
        {"calibration_curve", calibration_curve_options, true},
        {"decision_rule", decision_rule_options, false},
        {"f1_score", class_score_options, false},
        {"hinge_loss", positive_options, false},
        {"log_loss", log_loss_options, false},
        {"normalized_mutual_information", mutual_information_options, false},
        {"operating_point", operating_point_options, true},
        {"precision_recall_curve", ranking_options, true},
        {"precision_score", class_score_options, false},
        {"recall_score", class_score_options, false},
        {"roc_auc", ranking_options, true},
        {"roc_curve", roc_curve_options, true}};

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (strcmp(name, list[i].name) == 0)
            return &list[i];
    return NULL;
}
