/*
 * classifier_output.h - calibrated probabilities and a decision rule, stored with a classifier's model, for all classifiers.
 *
 * A model with flag MODEL_OUTPUT has some of the arrays below (SECTION_ARRAYS; q classes in final order). Estimators neither
 * write nor read them: their check() sees the model without them, and scoring finds its own arrays by name. To score such a
 * model, call the functions below instead of the estimator's classify and probabilities.
 *
 *   calibration_maps   F64[]      maps (calibration_map.h) one after the other: one for the positive of two classes, or q,
 *                                 whose results are divided by their sum
 *   calibration_of     I64[1]     what the maps are applied to: 0 decisions, 1 the estimator's probabilities
 *   calibration_priors F64[q]     the shares of the classes that the calibrated probabilities assume
 *   rule_priors        F64[q]     probabilities are converted to these priors ...
 *   rule_factors       F64[q]     ... by multiplying with priors / former priors, and dividing by the sum
 *   rule_threshold     F64[1]     two classes: positive if its probability is above this
 *   rule_weights       F64[q]     the class with the largest weight x probability
 *   rule_cost          F64[q x q] the class (column) with the least expected cost; one row per true class
 *   rule_options       TEXT[1]    the rule as given, JSON
 *
 * There is at most one of rule_threshold, rule_weights and rule_cost. Without any of them the class is the most probable one,
 * the first of equals; for two classes, class_options.h says which (threshold, tie).
 *
 * A classifier whose probabilities depend on priors stores these as array "priors" F64[q], so that others can replace them.
 */
#ifndef PGFIT_CLASSIFIER_OUTPUT_H
#define PGFIT_CLASSIFIER_OUTPUT_H

#include "core/estimator/class_options.h"
#include "core/estimator/estimator.h"

/* The arrays of a model, NULL for those that it does not have. */
typedef struct ClassifierOutput {
    uint32_t classes;
    ClassRule rule;     /* of the model; only read */
    const double *maps; /* NULL: not calibrated */
    uint32_t map_numbers;
    bool of_probabilities;
    const double *calibration_priors;
    const double *priors, *factors, *threshold, *weights, *cost;
    const char *options; /* rule_options, not zero-terminated */
    uint32_t options_length;
    const int64_t *calibration_of; /* as stored; of_probabilities is read from it */
    const double *class_rule;
} ClassifierOutput;

static inline bool classifier_output_any(const Model *model)
{
    return (model->flags & MODEL_OUTPUT) != 0;
}
ClassifierOutput classifier_output_of(const Model *model);

/* Tells whether the model has probabilities, calibrated or its estimator's. */
static inline bool classifier_output_has_probabilities(const Scoring *scoring, const Model *model)
{
    return scoring->probabilities != NULL || (classifier_output_any(model) && classifier_output_of(model).maps != NULL);
}
/* Writes the probabilities, [classes], of a model that has them. offset: of the row's formula. */
void classifier_output_probabilities(const Scoring *scoring, const Model *model, const void *prepared,
                           const double *slots, double offset, double *out);
/* Returns the class, or CLASS_NONE, of a model with classify. room: [classes] scratch, used with MODEL_OUTPUT alone. */
uint32_t classifier_output_classify(const Scoring *scoring, const Model *model, const void *prepared,
                          const double *slots, double offset, double *room);

/* Adds the arrays that are not NULL, and the flag; they must live until model_build. */
void classifier_output_add(ModelBuilder *builder, const ClassifierOutput *output);
/* Returns the model with these arrays in place of those that it had, sealed. Fails with ERROR_KIND if there are some, but fewer than two classes. */
Model *classifier_output_replace(Env *env, const Model *model, const ClassifierOutput *output);
/* Returns the model as its estimator made it. */
Model *classifier_output_strip(Env *env, const Model *model);
/* Returns the priors that a model's probabilities assume now, [classes]; NULL if they are not known. */
const double *classifier_output_priors(const Model *model, const ClassifierOutput *output);

/* Checks these arrays in a model with the flag whose other arrays are checked. Returns NULL, or what is wrong. */
const char *classifier_output_check(Env *env, const Model *model, const Estimator *estimator);

/*
 * Returns the model with the decision rule of these options (JSON; "{}" or "": with none). Fails with ERROR_PARAMETER for wrong
 * options, ERROR_KIND for a model without classes or probabilities. Both are in decision_rule.c.
 */
extern const OptionSpec *const decision_rule_options[];
Model *decision_rule_apply(Env *env, const Model *model, const char *json, size_t length);
/*
 * Returns the model with its scores calibrated, by one calibration for two classes or one per class. Fails with ERROR_KIND if
 * the model has no scores or an argument is not a calibration, ERROR_PARAMETER if their number or classes do not fit.
 */
Model *calibration_join(Env *env, const Model *model, const Model *const *calibrations, uint32_t count);

#endif
