/*
 * calibration_model.h - what calibration estimators share: the model, its scores and its check.
 *
 * Arrays of a fitted calibration: map F64[] (calibration_map.h), priors F64[2] (shares of the classes that its
 * probabilities assume, in final order), class_rule (class_options.h). It has one numeric feature, the score, and two
 * classes.
 */
#ifndef PGFIT_CALIBRATION_MODEL_H
#define PGFIT_CALIBRATION_MODEL_H

#include "core/estimator/calibration_map.h"
#include "core/estimator/class_options.h"
#include "core/estimator/estimator.h"

/*
 * Returns the classes of moments or rows. Fails with ERROR_DATA unless there are two classes and one numeric feature; the frame of a window may
 * have fewer classes.
 */
ClassSet calibration_classes(Env *env, const Model *schema, const char *estimator, bool frame);

/*
 * Adds the map, the priors and the rule to the builder and returns the model. Fails with ERROR_RANGE if a number is out of range.
 * positive_share: prior of the positive class, whose probability the map gives.
 */
Model *calibration_finish(Env *env, ModelBuilder *builder, const ClassRule *rule, const double *map,
                          double positive_share);

/* The arrays of a checked model. */
typedef struct CalibrationModel {
    const double *map, *priors, *class_rule;
    uint32_t map_numbers, classes;
} CalibrationModel;
extern const ArrayTable calibration_array_tables[];
CalibrationModel calibration_model(const Model *model);

/* The scores probabilities and classify. */
extern const Scoring calibration_scoring;
const char *calibration_check(Env *env, const Model *model);
/* What the descriptors have in common. */
#define CALIBRATION_ESTIMATOR                                                                          \
    .task = TASK_CALIBRATION, .supervised = true, .arrays = calibration_array_tables,                  \
    .check = calibration_check, .scoring = &calibration_scoring

#endif
