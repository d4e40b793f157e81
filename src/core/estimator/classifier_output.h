/*
 * classifier_output.h - what becomes of a classifier's scores: calibrated probabilities and a decision rule that
 * are stored with the model, for every classifier alike.
 *
 * A model with flag MODEL_OUTPUT has some of these arrays (SECTION_ARRAYS; q classes in final order).
 * Estimators neither write nor read them, and their check() sees the model without them; a scorer finds
 * its own arrays by name. Whoever scores such a model asks the functions below instead of the
 * estimator's classify and probabilities.
 *
 *   calibration_maps   F64[]  maps (calibration_map.h) one behind the other: one (two classes: of the positive
 *                             one), or q, whose results are divided by their sum
 *   calibration_of     I64[1] what they are given: 0 decisions, 1 the estimator's probabilities
 *   calibration_priors F64[q] shares of the classes that the calibrated probabilities stand for
 *   rule_priors        F64[q] probabilities are those under these priors ...
 *   rule_factors       F64[q] ... that is, times priors / former priors, divided by their sum
 *   rule_threshold     F64[1] positive where its probability is above this; two classes
 *   rule_weights       F64[q] the class with the largest weight x probability
 *   rule_cost          F64[q x q] the class (column) with the least expected cost; a row a true class
 *   rule_options       TEXT[1] the rule as it was given, JSON
 *
 * Of rule_threshold, rule_weights and rule_cost there is one at most. Without any of them the class is the
 * most probable one, the first of equals; of two classes as class_options.h has it (threshold, tie).
 *
 * A classifier whose probabilities follow priors stores these as array "priors" F64[q], so that other
 * priors can take their place.
 */
#ifndef PGFIT_CLASSIFIER_OUTPUT_H
#define PGFIT_CLASSIFIER_OUTPUT_H

#include "core/estimator/class_options.h"
#include "core/estimator/estimator.h"

/* The arrays of a model, NULL where it has none; found in one pass. */
typedef struct Outcome {
    uint32_t classes;
    ClassRule rule;     /* of the model, read only */
    const double *maps; /* NULL: not calibrated */
    uint32_t map_numbers;
    bool of_probabilities;
    const double *calibration_priors;
    const double *priors, *factors, *threshold, *weights, *cost;
    const char *options; /* rule_options, not zero-terminated */
    uint32_t options_length;
} Outcome;

static inline bool classifier_output_any(const Model *model)
{
    return (model->flags & MODEL_OUTPUT) != 0;
}
Outcome classifier_output_of(const Model *model);

/* Has the model probabilities, its estimator's or calibrated ones? */
static inline bool classifier_output_has_probabilities(const Scoring *scoring, const Model *model)
{
    return scoring->probabilities != NULL || (classifier_output_any(model) && classifier_output_of(model).maps != NULL);
}
/* Of any model that has them: out has a place a class. */
void classifier_output_probabilities(const Scoring *scoring, const Model *model, const void *prepared,
                           const double *slots, double *out);
/*
 * The class position, or CLASS_NONE, of any model with classify. room: a place a class, and is not
 * touched without MODEL_OUTPUT.
 */
uint32_t classifier_output_classify(const Scoring *scoring, const Model *model, const void *prepared,
                          const double *slots, double *room);

/* Adds the arrays that are not NULL, and the flag; they live until model_build. */
void classifier_output_add(ModelBuilder *builder, const Outcome *output);
/* The model with these arrays in the place of those it had, sealed. */
Model *classifier_output_replace(Env *env, const Model *model, const Outcome *output);
/* The model as its estimator made it. */
Model *classifier_output_strip(Env *env, const Model *model);
/* The priors that a model's probabilities stand for now, [classes]; NULL: not known. */
const double *classifier_output_priors(const Model *model, const Outcome *output);

/* Of a model with the flag, whose layout, schema and estimator's part are sound: NULL, or what is wrong. */
const char *classifier_output_check(Env *env, const Model *model, const Estimator *estimator);

/*
 * decision_rule.c: the model with the decision rule of these options (JSON; "{}" or "": without one).
 * Fails with ERROR_PARAMETER (options), ERROR_KIND (a model without classes or probabilities).
 */
extern const OptionSpec *const decision_rule_options[];
Model *decision_rule_apply(Env *env, const Model *model, const char *json, size_t length);
/*
 * The model with its scores calibrated: one calibration of two classes, or one a class. Fails with
 * ERROR_KIND where the model has no scores or a calibration is none, ERROR_PARAMETER where their number
 * or their classes do not fit.
 */
Model *calibration_join(Env *env, const Model *model, const Model *const *calibrations, uint32_t count);

#endif
