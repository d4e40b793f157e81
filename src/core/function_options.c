/*
 * function_options.c - which functions beside the estimators have options.
 */
#include "core/function_options.h"

#include "core/calibration/conformal_scores.h"
#include "core/hypothesis/hypothesis_tests.h"
#include "core/explain/accumulated.h"
#include "core/explain/dependence.h"
#include "core/explain/importance.h"
#include "core/exchange/exchange.h"
#include "core/metrics/class_metrics.h"
#include "core/linear_equations/linear_hypothesis.h"
#include "core/linear_equations/term_search.h"
#include "core/metrics/loss.h"
#include "core/estimator/classifier_output.h"
#include "core/metrics/ranking_metrics.h"
#include "core/picture/picture.h"
#include "core/ensemble/ensemble.h"
#include "core/validation/cross_validation.h"

#include <string.h>

static const struct OtherOptions {
    const char *name; /* of the SQL function */
    const OptionSpec *const *options;
} list[] = {
    {"accumulated_effects", accumulated_effects_options},
    {"average_precision", ranking_options},
    {"brier_score", OPTION_TABLES(positive_options)},
    {"calibration_curve", calibration_curve_options},
    {"conformalize", OPTION_TABLES(conformal_options)},
    {"cross_validate", cross_validate_options},
    {"decision_rule", decision_rule_options},
    {"detectable_effect", sizing_options},
    {"ensemble", OPTION_TABLES(ensemble_options)},
    {"expected_calibration_error", calibration_curve_options},
    {"f1_score", OPTION_TABLES(class_score_options)},
    {"f_beta_score", OPTION_TABLES(class_score_options, f_beta_options)},
    {"gain_curve", gain_curve_options},
    {"hinge_loss", OPTION_TABLES(positive_options)},
    {"import_model", import_options},
    {"ks_statistic", ranking_options},
    {"linear_combinations", linear_combinations_options},
    {"log_loss", OPTION_TABLES(clip_options, positive_options)},
    {"median_absolute_error", OPTION_TABLES(options_common)},
    {"normalized_mutual_information", OPTION_TABLES(mutual_information_options)},
    {"operating_point", operating_point_options},
    {"partial_dependence", partial_dependence_options},
    {"permutation_importance", permutation_importance_options},
    {"plot", plot_options},
    {"power", power_options},
    {"precision_recall_curve", ranking_options},
    {"precision_score", OPTION_TABLES(class_score_options)},
    {"recall_score", OPTION_TABLES(class_score_options)},
    {"roc_auc", roc_auc_options},
    {"roc_auc_interval", roc_auc_interval_options},
    {"roc_curve", roc_curve_options},
    {"sample_size", sizing_options},
    {"score_histogram", score_histogram_options},
    {"step", term_search_options},
    {"weighted_kappa", OPTION_TABLES(weighted_kappa_options)}};

const OptionSpec *const *other_options_find(const char *name)
{
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (strcmp(name, list[i].name) == 0)
            return list[i].options;
    return hypothesis_test_options(name);
}
