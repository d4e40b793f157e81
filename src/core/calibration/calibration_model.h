/*
 * calibration_model.h - what estimators of calibrations share: the model, its scores and its check.
 *
 * Arrays of a fitted calibration: map F64[] (calibration_map.h), priors F64[2] (shares of the classes that its
 * probabilities stand for, in final order), class_rule (class_options.h). One numeric feature, the score; two classes.
 */
#ifndef PGFIT_CALIBRATION_MODEL_H
#define PGFIT_CALIBRATION_MODEL_H

#include "core/estimator/calibration_map.h"
#include "core/estimator/class_options.h"
#include "core/estimator/estimator.h"

/* The classes of the moments; fails with ERROR_DATA unless they are two, or the feature is not one number. */
ClassSet calibration_classes(Env *env, const Model *schema, const char *estimator);

/* The model of a builder of fit_begin, facts added. map lives until it returns; positive_share: of the map's class. */
Model *calibration_finish(Env *env, ModelBuilder *builder, const ClassRule *rule, const double *map,
                          double positive_share);

/* probabilities and classify. */
extern const Scoring calibration_scoring;
const char *calibration_check(Env *env, const Model *model);

#endif
