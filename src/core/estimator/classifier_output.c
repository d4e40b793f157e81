/*
 * classifier_output.c - probabilities and classes of calibrated classifiers and of those with a decision rule.
 */
#include "core/estimator/classifier_output.h"
#include "core/estimator/calibration_map.h"
#include "core/base/json.h"

#include <math.h>
#include <string.h>

#define SUM_SLACK 1e-6 /* of probabilities that add up to 1 */

/* ---- reading ---- */

#define OF_CLASSES(own_name, own_values, member)                                                                        \
    {.name = own_name,                                                                                                  \
     .type = ARRAY_F64,                                                                                                 \
     .presence = ARRAY_OPTIONAL,                                                                                        \
     .values = own_values,                                                                                              \
     .rows = {SIZE_CLASSES},                                                                                            \
     .data_at = VIEW_AT(ClassifierOutput, member)}

static const ArraySpec output_arrays[] = {
    {.name = "calibration_maps", /* calibration_map_check looks at the numbers */
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_ANY,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(ClassifierOutput, maps),
     .rows_at = VIEW_AT(ClassifierOutput, map_numbers)},
    {.name = "calibration_of",
     .type = ARRAY_I64,
     .presence = ARRAY_WITH,
     .other = "calibration_maps",
     .rows = {SIZE_NUMBER, .plus = 1},
     .data_at = VIEW_AT(ClassifierOutput, calibration_of)},
    {.name = "calibration_priors",
     .type = ARRAY_F64,
     .presence = ARRAY_WITH,
     .other = "calibration_maps",
     .values = VALUES_POSITIVE,
     .rows = {SIZE_CLASSES},
     .data_at = VIEW_AT(ClassifierOutput, calibration_priors)},
    {.name = "rule_cost",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_SHARES,
     .rows = {SIZE_CLASSES},
     .columns = {SIZE_CLASSES},
     .data_at = VIEW_AT(ClassifierOutput, cost)},
    {.name = "rule_factors",
     .type = ARRAY_F64,
     .presence = ARRAY_WITH,
     .other = "rule_priors",
     .values = VALUES_SHARES,
     .rows = {SIZE_CLASSES},
     .data_at = VIEW_AT(ClassifierOutput, factors)},
    {.name = "rule_options", .type = ARRAY_TEXT, .presence = ARRAY_OPTIONAL, .rows = {SIZE_NUMBER, .plus = 1}},
    OF_CLASSES("rule_priors", VALUES_SHARES, priors),
    {.name = "rule_threshold",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .rows = {SIZE_NUMBER, .plus = 1},
     .data_at = VIEW_AT(ClassifierOutput, threshold)},
    OF_CLASSES("rule_weights", VALUES_SHARES, weights)};

static const ArrayTable output_tables[] = ARRAY_TABLES(ARRAY_TABLE(output_arrays));
static const ArrayTable view_of_output[] =
    ARRAY_TABLES(ARRAY_TABLE(output_arrays), ARRAY_TABLE_AT(class_rule_arrays, ClassifierOutput, class_rule));

static bool is_classifier_output(const ModelEntry *entry)
{
    for (size_t i = 0; i < sizeof(output_arrays) / sizeof(output_arrays[0]); i++)
        if (entry->section == SECTION_ARRAYS && strcmp(entry->name, output_arrays[i].name) == 0)
            return true;
    return false;
}

static bool is_own(const ModelEntry *entry)
{
    return !is_classifier_output(entry);
}

static bool is_not_own(const ModelEntry *entry)
{
    return entry->section < SECTION_FACTS || is_classifier_output(entry);
}

ClassifierOutput classifier_output_of(const Model *model)
{
    ClassifierOutput output = {.classes = dictionary_size(model, DICTIONARY_CLASSES)};
    const ModelEntry *options;

    if (!classifier_output_any(model)) {
        output.rule = class_rule_of(model);
        return output;
    }
    view_arrays(model, view_of_output, &output);
    output.of_probabilities = output.calibration_of != NULL && *output.calibration_of != 0;
    output.rule = class_rule_view(output.class_rule);
    if (output.class_rule == NULL)
        output.rule.positive = output.classes - 1;
    options = model_find(model, "rule_options");
    if (options != NULL)
        output.options = model_text(model, options, 0, &output.options_length);
    return output;
}

/* ---- scoring ---- */

/* Divides by the sum; equal shares if it is 0. NaN, for a row without a score, stays NaN. */
static void normalize(double *numbers, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += numbers[i];
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = sum == 0 ? 1.0 / count : numbers[i] / sum;
}

/* Calibrates the one score of two classes, which is that of the positive class. */
static void calibrate_two(const ClassifierOutput *output, uint32_t positive, double *out)
{
    double p = calibration_map(output->maps, output->of_probabilities ? out[positive] : out[0]);

    out[positive] = p;
    out[1 - positive] = 1 - p;
}

/* Writes the probabilities of the method itself. */
static void own_probabilities(const Scoring *scoring, const Model *model, const void *prepared, const double *slots, double offset, double *out)
{
    if (scoring->probabilities_offset != NULL)
        scoring->probabilities_offset(model, prepared, slots, offset, out);
    else
        scoring->probabilities(model, prepared, slots, out);
}

static void calibrated(const ClassifierOutput *output, const Scoring *scoring, const Model *model,
                       const void *prepared, const double *slots, double offset, double *out)
{
    const double *map = output->maps;

    if (output->of_probabilities)
        own_probabilities(scoring, model, prepared, slots, offset, out);
    else
        scoring_write_scores(scoring, model, prepared, slots, out);
    if (output->map_numbers == calibration_map_size(map)) {
        calibrate_two(output, output->rule.positive, out);
        return;
    }
    for (uint32_t k = 0; k < output->classes; k++) {
        out[k] = calibration_map(map, out[k]);
        map += calibration_map_size(map);
    }
    normalize(out, output->classes);
}

static void probabilities(const ClassifierOutput *output, const Scoring *scoring, const Model *model,
                          const void *prepared, const double *slots, double offset, double *out)
{
    if (output->maps != NULL)
        calibrated(output, scoring, model, prepared, slots, offset, out);
    else
        own_probabilities(scoring, model, prepared, slots, offset, out);
    if (output->factors == NULL)
        return;
    for (uint32_t k = 0; k < output->classes; k++)
        out[k] *= output->factors[k];
    normalize(out, output->classes);
}

void classifier_output_probabilities(const Scoring *scoring, const Model *model, const void *prepared,
                           const double *slots, double offset, double *out)
{
    ClassifierOutput output;

    if (!classifier_output_any(model)) {
        own_probabilities(scoring, model, prepared, slots, offset, out);
        return;
    }
    output = classifier_output_of(model);
    probabilities(&output, scoring, model, prepared, slots, offset, out);
}

/* Returns what the rule maximizes: weight x probability, or minus the expected cost. */
static double merit(const ClassifierOutput *output, const double *p, uint32_t k)
{
    double cost = 0;

    if (output->weights != NULL)
        return output->weights[k] * p[k];
    if (output->cost == NULL)
        return p[k];
    for (uint32_t truth = 0; truth < output->classes; truth++)
        cost += p[truth] * output->cost[(size_t)truth * output->classes + k];
    return -cost;
}

uint32_t classifier_output_classify(const Scoring *scoring, const Model *model, const void *prepared,
                          const double *slots, double offset, double *room)
{
    ClassifierOutput output;
    uint32_t best = 0;
    double most;

    if (!classifier_output_any(model))
        return scoring->classify_offset != NULL ? scoring->classify_offset(model, prepared, slots, offset) : scoring->classify(model, prepared, slots);
    output = classifier_output_of(model);
    probabilities(&output, scoring, model, prepared, slots, offset, room);
    if (isnan(room[0]))
        return CLASS_NONE;
    if (output.classes == 2) {
        const ClassRule *rule = &output.rule;
        double threshold = output.threshold != NULL ? *output.threshold : rule->threshold;

        if (output.weights != NULL || output.cost != NULL)
            return class_rule_pick(rule, merit(&output, room, rule->positive) -
                                             merit(&output, room, 1 - rule->positive));
        return class_rule_pick(rule, room[rule->positive] - threshold);
    }
    most = merit(&output, room, 0);
    for (uint32_t k = 1; k < output.classes; k++) {
        double value = merit(&output, room, k);

        if (value > most) {
            most = value;
            best = k;
        }
    }
    return best;
}

/* ---- building ---- */

static void add_array(ModelBuilder *builder, const char *name, const double *numbers, uint32_t count)
{
    if (numbers != NULL)
        builder_f64(builder, SECTION_ARRAYS, name, numbers, count);
}

void classifier_output_add(ModelBuilder *builder, const ClassifierOutput *output)
{
    static const int64_t of[] = {0, 1};
    uint32_t q = output->classes;

    if (output->maps != NULL) {
        add_array(builder, "calibration_maps", output->maps, output->map_numbers);
        builder_i64(builder, SECTION_ARRAYS, "calibration_of", &of[output->of_probabilities], 1);
        add_array(builder, "calibration_priors", output->calibration_priors, q);
    }
    add_array(builder, "rule_priors", output->priors, q);
    add_array(builder, "rule_factors", output->factors, q);
    add_array(builder, "rule_threshold", output->threshold, 1);
    add_array(builder, "rule_weights", output->weights, q);
    if (output->cost != NULL)
        builder_f64_matrix(builder, SECTION_ARRAYS, "rule_cost", output->cost, q, q);
    if (output->options != NULL)
        builder_text(builder, SECTION_ARRAYS, "rule_options", &output->options, &output->options_length, 1);
    if (output->maps != NULL || output->factors != NULL || output->threshold != NULL ||
        output->weights != NULL || output->cost != NULL)
        builder_header(builder)->flags |= MODEL_OUTPUT;
}

static ModelBuilder *without_output(Env *env, const Model *model)
{
    ModelBuilder *builder = builder_from(env, model, classifier_output_any(model) ? is_own : NULL);
    Model *header = builder_header(builder);

    header->flags &= (uint8_t)~MODEL_OUTPUT;
    header->fingerprint = 0;
    return builder;
}

Model *classifier_output_strip(Env *env, const Model *model)
{
    return model_build(without_output(env, model));
}

Model *classifier_output_replace(Env *env, const Model *model, const ClassifierOutput *output)
{
    ModelBuilder *builder = without_output(env, model);

    if (output->classes < 2 && (output->maps != NULL || output->factors != NULL || output->threshold != NULL || output->weights != NULL || output->cost != NULL))
        env_fail(env, ERROR_KIND, "Fit the classifier to rows of several classes.", "calibrations and decision rules need two classes or more, and this model has %u",
                 output->classes);
    classifier_output_add(builder, output);
    return model_build(builder);
}

static bool all_above_zero(const double *numbers, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!(numbers[k] > 0))
            return false;
    return true;
}

const double *classifier_output_priors(const Model *model, const ClassifierOutput *output)
{
    uint32_t length = 0;
    const double *priors;
    double sum = 0;

    if (output->priors != NULL)
        return all_above_zero(output->priors, output->classes) ? output->priors : NULL;
    if (output->maps != NULL)
        return output->calibration_priors;
    priors = model_f64(model, "priors", &length);
    if (priors == NULL || length != output->classes)
        return NULL;
    for (uint32_t k = 0; k < length; k++) {
        if (!(priors[k] > 0))
            return NULL;
        sum += priors[k];
    }
    return fabs(sum - 1) <= SUM_SLACK ? priors : NULL;
}

/* ---- checking ---- */

static const char *check_calibration(Env *env, const Model *model, const ClassifierOutput *output, const Scoring *scoring)
{
    uint32_t at = 0, maps = 0;

    if (*output->calibration_of != 0 && *output->calibration_of != 1)
        return "\"calibration_of\" is neither 0 nor 1";
    if (output->of_probabilities ? scoring->probabilities == NULL : scoring->decisions == NULL)
        return "the model does not have the scores that its calibration takes";
    while (at < output->map_numbers) {
        const char *wrong = calibration_map_check(env, output->maps + at, output->map_numbers - at);

        if (wrong != NULL)
            return wrong;
        at += (uint32_t)calibration_map_size(output->maps + at);
        maps++;
    }
    if (maps != (output->classes == 2 ? 1 : output->classes))
        return "there is not one calibration per class";
    if (!output->of_probabilities && scoring_scores(scoring, model) != maps)
        return "there is not one calibration per score";
    return NULL;
}

/* Checks the rule. info shows its options as they are. */
static const char *check_rule(Env *env, const ClassifierOutput *output)
{
    int rules = (output->threshold != NULL) + (output->weights != NULL) + (output->cost != NULL);
    const char *error = NULL;
    const Json *root;

    if (output->threshold != NULL && (!(*output->threshold > 0 && *output->threshold < 1) || output->classes != 2))
        return "the threshold of a decision rule is not between 0 and 1, of two classes";
    if (rules > 1)
        return "there are several decision rules";
    if (output->maps == NULL && rules == 0 && output->factors == NULL)
        return "the model lacks the decision rule that its flag promises";
    if (output->options == NULL)
        return NULL;
    root = json_try_parse(env, output->options, output->options_length, &error);
    return root != NULL && root->type == JSON_OBJECT ? NULL : "the options of a decision rule are malformed";
}

const char *classifier_output_check(Env *env, const Model *model, const Estimator *estimator)
{
    const Scoring *scoring = estimator->scoring;
    const char *wrong = arrays_check(env, model_build(builder_from(env, model, is_not_own)), output_tables);
    ClassifierOutput output;

    if (wrong != NULL)
        return wrong;
    output = classifier_output_of(model);
    if (scoring == NULL || scoring->classify == NULL || output.classes < 2)
        return "there is a decision rule, but the model has no classes";
    if (output.maps == NULL && scoring->probabilities == NULL)
        return "there is a decision rule, but the model has no probabilities";
    wrong = output.maps != NULL ? check_calibration(env, model, &output, scoring) : NULL;
    return wrong != NULL ? wrong : check_rule(env, &output);
}
