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

/* Returns the classes of the moments. Fails with ERROR_DATA unless there are two classes and one numeric feature. */
ClassSet calibration_classes(Env *env, const Model *schema, const char *estimator);

/*
 * Builds the model from a builder of fit_begin to which facts have been added. map must live until it returns.
 * positive_share: share of the class whose probability the map gives.
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

/* probabilities and classify. */
extern const Scoring calibration_scoring;
const char *calibration_check(Env *env, const Model *model);

#endif
