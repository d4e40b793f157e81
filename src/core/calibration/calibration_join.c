/*
 * calibration_join.c - joins a classifier and calibrations of its scores into one model.
 */
#include "core/calibration/calibration_model.h"
#include "core/estimator/classifier_output.h"
#include "core/estimator/conformal.h"

#include <string.h>

/* Returns the view of a calibration. Fails if the model is not one. */
static CalibrationModel require_calibration(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    if (estimator == NULL || estimator->task != TASK_CALIBRATION)
        env_fail(env, ERROR_KIND, "Fit one with logistic_calibration or isotonic_calibration.",
                 "calibrate needs a calibration, not %s%.32s",
                 model->kind == MODEL_FITTED ? "a model of " : "moments of kind ", model->estimator);
    return calibration_model(model);
}

/* Fails if the model is not a classifier, or has neither decisions nor probabilities. */
static void require_scores(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Scoring *scoring = estimator != NULL ? estimator->scoring : NULL;

    if (scoring == NULL || scoring->classify == NULL || estimator->task == TASK_CALIBRATION)
        env_fail(env, ERROR_KIND, "Give the classifier first and the calibration of its scores second.",
                 "calibrate needs a classifier, not %s%.32s",
                 model->kind == MODEL_FITTED ? "a model of " : "moments of kind ", model->estimator);
    if (scoring->decisions == NULL && scoring->probabilities == NULL)
        env_fail(env, ERROR_KIND, "Calibrate a classifier that has decision, decisions or probabilities.", "a model of %s has no scores to calibrate", estimator->name);
}

/* Fails unless there is one calibration per score: one for two classes, else one per class. */
static void require_count(Env *env, const Model *model, uint32_t classes, uint32_t count, bool of_probabilities)
{
    uint32_t scores = of_probabilities ? classes : scoring_scores(estimator_of(model)->scoring, model);

    if (count != (classes == 2 ? 1 : classes))
        env_fail(env, ERROR_PARAMETER,
                 classes == 2 ? "Give one calibration for two classes."
                              : "Give an array: one calibration for each class, in the order of classes(model).",
                 "%u calibration%s given for a model of %u classes", count, count == 1 ? " was" : "s were", classes);
    if (!of_probabilities && scores != count)
        env_fail(env, ERROR_KIND,
                 "Calibration needs one score per class; fit the classifier with \"multiclass\": \"ovr\".",
                 "this model of %s has %u scores for %u classes", model->estimator, scores, classes);
}

/* Fails if classifier and calibration have the same two classes but different positive ones. */
static void require_same_positive(Env *env, const Model *model, const Model *calibration)
{
    ClassSet ours = class_set(env, model), theirs = class_set(env, calibration);
    uint32_t positive = class_rule_of(model).positive, other = class_rule_of(calibration).positive;

    if (theirs.count == 2 && strcmp(class_label(&ours, positive), class_label(&theirs, 1 - other)) == 0)
        env_fail(env, ERROR_PARAMETER, "Fit the calibration with option \"positive\".",
                 "the positive class of the model, \"%s\", is the negative one of the calibration",
                 class_label(&ours, positive));
}

/* Returns the prior of the positive class that a calibration assumes. */
static double positive_share(const Model *calibration)
{
    CalibrationModel view = calibration_model(calibration);

    return view.priors[class_rule_view(view.class_rule).positive];
}

/* Returns the priors that the calibrations assume, [classes]; those of one-vs-rest are divided by their sum. */
static const double *join_priors(Env *env, const Model *model, const Model *const *calibrations, uint32_t classes)
{
    double *priors = env_array(env, classes, sizeof(double)), sum = 0;

    if (classes == 2) {
        uint32_t positive = class_rule_of(model).positive;

        priors[positive] = positive_share(calibrations[0]);
        priors[1 - positive] = 1 - priors[positive];
        return priors;
    }
    for (uint32_t k = 0; k < classes; k++)
        sum += priors[k] = positive_share(calibrations[k]);
    for (uint32_t k = 0; k < classes; k++)
        priors[k] /= sum;
    return priors;
}

Model *calibration_join(Env *env, const Model *model, const Model *const *calibrations, uint32_t count)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    ClassifierOutput output = {.classes = classes};
    size_t total = 0;
    double *maps;

    require_scores(env, model);
    output.of_probabilities = estimator_of(model)->scoring->decisions == NULL;
    require_count(env, model, classes, count, output.of_probabilities);
    for (uint32_t i = 0; i < count; i++)
        total += require_calibration(env, calibrations[i]).map_numbers;
    if (classes == 2)
        require_same_positive(env, model, calibrations[0]);
    if (total > UINT32_MAX)
        env_fail(env, ERROR_LIMIT, NULL, "the calibrations have %zu numbers in all, more than a model can hold", total);
    maps = env_array_raw(env, total, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        CalibrationModel view = calibration_model(calibrations[i]);

        memcpy(maps + output.map_numbers, view.map, view.map_numbers * sizeof(double));
        output.map_numbers += view.map_numbers;
    }
    output.maps = maps;
    output.calibration_priors = join_priors(env, model, calibrations, classes);
    return model_require_readable(env, classifier_output_replace(env, conformal_strip(env, model), &output));
}
