/*
 * calibration_model.c - storing, scoring and checking fitted calibrations.
 */
#include "core/calibration/calibration_model.h"
#include "core/base/all_finite.h"

#include <math.h>

#define PRIORS_SLACK 1e-6 /* how far the sum of the priors may be from 1 */

ClassSet calibration_classes(Env *env, const Model *schema, const char *estimator, bool frame)
{
    ClassSet classes = class_set(env, schema);

    if (schema->slot_count != 1)
        env_fail(env, ERROR_DATA, "Pass the score of a row as one number, such as decision(model, features).",
                 "%s needs one number, not %u features", estimator, schema->slot_count);
    if (!schema_all_numeric(schema))
        env_fail(env, ERROR_DATA, "Pass the score of a row as one number, such as decision(model, features).",
                 "%s needs a number, not a category", estimator);
    if (class_require_several(&classes, estimator, frame) && classes.count != 2)
        env_fail(env, ERROR_DATA,
                 "Fit one calibration for each class, with label = 'class' as the label and that class's score.",
                 "%s needs two classes, and the rows have %u: %s", estimator, classes.count, class_list(&classes));
    return classes;
}

Model *calibration_finish(Env *env, ModelBuilder *builder, const ClassRule *rule, const double *map,
                          double positive_share)
{
    double priors[2], stored[3];

    if (!(positive_share > 0 && positive_share < 1))
        env_fail(env, ERROR_RANGE, "Give the classes weights of similar size.",
                 "the weight of one class vanishes: the share of the positive class is %g", positive_share);
    priors[rule->positive] = positive_share;
    priors[1 - rule->positive] = 1 - positive_share;
    if (!all_finite(map, calibration_map_size(map)))
        env_fail(env, ERROR_RANGE, "Multiply the scores by a power of ten.",
                 "the scores are so close to each other that the slope of the calibration is out of range");
    class_rule_add(builder, rule, 2, stored);
    builder_f64(builder, SECTION_ARRAYS, "map", map, (uint32_t)calibration_map_size(map));
    builder_f64(builder, SECTION_ARRAYS, "priors", priors, 2);
    return model_build(builder);
}

/* ---- the model ---- */

static const ArraySpec calibration_arrays[] = {
    {.name = "map", /* calibration_map_check checks the numbers */
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .values = VALUES_ANY,
     .data_at = VIEW_AT(CalibrationModel, map),
     .rows_at = VIEW_AT(CalibrationModel, map_numbers)},
    {.name = "priors",
     .type = ARRAY_F64,
     .rows = {SIZE_CLASSES},
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(CalibrationModel, priors),
     .rows_at = VIEW_AT(CalibrationModel, classes)}};
static const ArraySpec calibration_facts[] = {
    FACT("blocks", ARRAY_I64), FACT("converged", ARRAY_BOOL), FACT("d0", ARRAY_F64), FACT("gamma", ARRAY_F64),
    FACT("iterations", ARRAY_I64), FACT("loss", ARRAY_F64), FACT("mean_negative", ARRAY_F64),
    FACT("mean_positive", ARRAY_F64), FACT("variance", ARRAY_F64)};
const ArrayTable calibration_array_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(calibration_arrays), ARRAY_TABLE_AT(class_rule_arrays, CalibrationModel, class_rule),
                 FACT_TABLE(calibration_facts));

CalibrationModel calibration_model(const Model *model)
{
    CalibrationModel view = {.map = NULL};

    view_arrays(model, calibration_array_tables, &view);
    return view;
}

const char *calibration_check(Env *env, const Model *model)
{
    CalibrationModel view = calibration_model(model);
    const char *wrong;

    if (model->slot_count != 1 || !schema_all_numeric(model))
        return "a calibration must have one numeric feature";
    if (view.classes != 2)
        return "a calibration must have two classes";
    wrong = calibration_map_check(env, view.map, view.map_numbers);
    if (wrong != NULL)
        return wrong;
    if (calibration_map_size(view.map) != view.map_numbers)
        return "array \"map\" of a calibration has numbers after its end";
    if (!(fabs(view.priors[0] + view.priors[1] - 1) <= PRIORS_SLACK))
        return "the priors of a calibration do not add up to 1";
    return class_rule_check(model);
}

/* ---- scores ---- */

static void calibration_probabilities(const Model *model, const void *prepared, const double *slots, double *out)
{
    CalibrationModel view = calibration_model(model);
    uint32_t positive = class_rule_view(view.class_rule).positive;

    out[positive] = calibration_map(view.map, slots[0]);
    out[1 - positive] = 1 - out[positive];
}

static uint32_t calibration_classify(const Model *model, const void *prepared, const double *slots)
{
    CalibrationModel view = calibration_model(model);
    ClassRule rule = class_rule_view(view.class_rule);

    return class_rule_pick(&rule, calibration_map(view.map, slots[0]) - rule.threshold);
}

const Scoring calibration_scoring = {.classify = calibration_classify, .probabilities = calibration_probabilities};
