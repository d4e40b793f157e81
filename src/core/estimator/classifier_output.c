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

static bool is_classifier_output(const ModelEntry *entry)
{
    static const char *const calibration[] = {"maps", "of", "priors"};
    static const char *const rule[] = {"priors", "factors", "threshold", "weights", "cost", "options"};
    const char *name = entry->name;

    if (entry->section != SECTION_ARRAYS)
        return false;
    if (memcmp(name, "rule_", 5) == 0) {
        for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]); i++)
            if (strcmp(name + 5, rule[i]) == 0)
                return true;
    } else if (memcmp(name, "calibration_", 12) == 0) {
        for (size_t i = 0; i < sizeof(calibration) / sizeof(calibration[0]); i++)
            if (strcmp(name + 12, calibration[i]) == 0)
                return true;
    }
    return false;
}

static bool is_own(const ModelEntry *entry)
{
    return !is_classifier_output(entry);
}

/* The arrays rule_..., told apart by a letter. */
static void read_rule(Outcome *output, const Model *model, const ModelEntry *entry)
{
    const void *data = model_data(model, entry);

    switch (entry->name[5]) {
    case 'p':
        output->priors = data;
        break;
    case 'f':
        output->factors = data;
        break;
    case 't':
        output->threshold = data;
        break;
    case 'w':
        output->weights = data;
        break;
    case 'c':
        output->cost = data;
        break;
    default:
        output->options = model_text(model, entry, 0, &output->options_length);
    }
}

/* calibration_... */
static void read_calibration(Outcome *output, const Model *model, const ModelEntry *entry)
{
    const void *data = model_data(model, entry);

    switch (entry->name[12]) {
    case 'm':
        output->maps = data;
        output->map_numbers = entry->rows;
        break;
    case 'o':
        output->of_probabilities = *(const int64_t *)data != 0;
        break;
    default:
        output->calibration_priors = data;
    }
}

Outcome classifier_output_of(const Model *model)
{
    Outcome output = {.rule = {.threshold = 0.5}};
    const ModelEntry *entry = model_entries(model), *end = entry + model->entry_count;
    bool own_rule = false;

    if (!classifier_output_any(model)) {
        output.classes = dictionary_size(model, DICTIONARY_CLASSES);
        output.rule = class_rule_of(model);
        return output;
    }
    for (; entry < end; entry++) {
        char first = entry->name[0];

        if (first == 'c' && strcmp(entry->name, "class_text") == 0)
            output.classes = entry->rows;
        else if (first == 'c' && strcmp(entry->name, "class_rule") == 0)
            own_rule = true;
        else if (first == 'r' && is_classifier_output(entry))
            read_rule(&output, model, entry);
        else if (first == 'c' && is_classifier_output(entry))
            read_calibration(&output, model, entry);
    }
    output.rule.positive = output.classes - 1;
    if (own_rule)
        output.rule = class_rule_of(model);
    return output;
}

/* ---- scoring ---- */

/* Divides by the sum, or gives equal shares if it is 0. NaN, for a row without a score, stays. */
static void normalize(double *numbers, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += numbers[i];
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = sum == 0 ? 1.0 / count : numbers[i] / sum;
}

/* Scores of two classes are those of the positive one. */
static void calibrate_two(const Outcome *output, uint32_t positive, double *out)
{
    double p = calibration_map(output->maps, output->of_probabilities ? out[positive] : out[0]);

    out[positive] = p;
    out[1 - positive] = 1 - p;
}

static void calibrated(const Outcome *output, const Scoring *scoring, const Model *model,
                       const void *prepared, const double *slots, double *out)
{
    const double *map = output->maps;

    if (output->of_probabilities)
        scoring->probabilities(model, prepared, slots, out);
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

static void probabilities(const Outcome *output, const Scoring *scoring, const Model *model,
                          const void *prepared, const double *slots, double *out)
{
    if (output->maps != NULL)
        calibrated(output, scoring, model, prepared, slots, out);
    else
        scoring->probabilities(model, prepared, slots, out);
    if (output->factors == NULL)
        return;
    for (uint32_t k = 0; k < output->classes; k++)
        out[k] *= output->factors[k];
    normalize(out, output->classes);
}

void classifier_output_probabilities(const Scoring *scoring, const Model *model, const void *prepared,
                           const double *slots, double *out)
{
    Outcome output;

    if (!classifier_output_any(model)) {
        scoring->probabilities(model, prepared, slots, out);
        return;
    }
    output = classifier_output_of(model);
    probabilities(&output, scoring, model, prepared, slots, out);
}

/* Returns how much speaks for a class: weight x probability, or how much cheaper it is than the most expensive one. */
static double merit(const Outcome *output, const double *p, uint32_t k)
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
                          const double *slots, double *room)
{
    Outcome output;
    uint32_t best = 0;
    double most;

    if (!classifier_output_any(model))
        return scoring->classify(model, prepared, slots);
    output = classifier_output_of(model);
    probabilities(&output, scoring, model, prepared, slots, room);
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

void classifier_output_add(ModelBuilder *builder, const Outcome *output)
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

Model *classifier_output_replace(Env *env, const Model *model, const Outcome *output)
{
    ModelBuilder *builder = without_output(env, model);

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

const double *classifier_output_priors(const Model *model, const Outcome *output)
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

/* Tells whether there are so many numbers, each finite and above (or at) 0. */
static const char *check_numbers(const Model *model, const char *name, uint32_t count, bool zero, const char *wrong)
{
    const ModelEntry *entry = model_find(model, name);
    const double *numbers;
    bool some = false;

    if (entry == NULL)
        return NULL;
    if (entry->section != SECTION_ARRAYS || entry->type != ARRAY_F64 ||
        (uint64_t)entry->rows * entry->columns != count)
        return wrong;
    numbers = model_data(model, entry);
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i]) || numbers[i] < 0 || (numbers[i] == 0 && !zero))
            return wrong;
        some = some || numbers[i] > 0;
    }
    return some ? NULL : wrong;
}

static const char *check_calibration(Env *env, const Model *model, const Estimator *estimator, uint32_t classes)
{
    const Scoring *scoring = estimator->scoring;
    uint32_t length = 0, of_length = 0, maps = 0, at = 0;
    const double *numbers = model_f64(model, "calibration_maps", &length);
    const int64_t *of = model_i64(model, "calibration_of", &of_length);

    if (numbers == NULL || of == NULL || of_length != 1 || (*of != 0 && *of != 1) ||
        model_find(model, "calibration_maps")->dimensions != 1 || model_find(model, "calibration_priors") == NULL)
        return "a calibration is incomplete";
    if (*of == 0 ? scoring->decisions == NULL : scoring->probabilities == NULL)
        return "the model does not have the scores that its calibration takes";
    while (at < length) {
        const char *wrong = calibration_map_check(env, numbers + at, length - at);

        if (wrong != NULL)
            return wrong;
        at += (uint32_t)calibration_map_size(numbers + at);
        maps++;
    }
    if (maps != (classes == 2 ? 1 : classes))
        return "there is not one calibration per class";
    if (*of == 0 && scoring_scores(scoring, model) != maps)
        return "there is not one calibration per score";
    return NULL;
}

/* Shown by info as they are. */
static const char *check_options(Env *env, const Model *model)
{
    const ModelEntry *entry = model_find(model, "rule_options");
    const char *text, *error = NULL;
    const Json *root;
    uint32_t length;

    if (entry == NULL)
        return NULL;
    if (entry->type != ARRAY_TEXT || entry->rows != 1 || entry->section != SECTION_ARRAYS)
        return "the options of a decision rule are not one text";
    text = model_text(model, entry, 0, &length);
    root = json_try_parse(env, text, length, &error);
    return root != NULL && root->type == JSON_OBJECT ? NULL : "the options of a decision rule are malformed";
}

const char *classifier_output_check(Env *env, const Model *model, const Estimator *estimator)
{
    uint32_t q = dictionary_size(model, DICTIONARY_CLASSES), length = 0, rules = 0;
    const double *threshold = model_f64(model, "rule_threshold", &length);
    bool calibrated = model_find(model, "calibration_maps") != NULL;
    const char *wrong;

    if (estimator->scoring == NULL || estimator->scoring->classify == NULL || q < 2)
        return "there is a decision rule, but the model has no classes";
    if (!calibrated && estimator->scoring->probabilities == NULL)
        return "there is a decision rule, but the model has no probabilities";
    if (q > UINT32_MAX / q)
        return "there is a decision rule for too many classes";
    if (!calibrated && (model_find(model, "calibration_of") != NULL || model_find(model, "calibration_priors") != NULL))
        return "a calibration is incomplete";
    wrong = calibrated ? check_calibration(env, model, estimator, q) : NULL;
    if (wrong == NULL)
        wrong = check_numbers(model, "calibration_priors", q, false, "the priors of a calibration are not shares");
    if (wrong == NULL)
        wrong = check_numbers(model, "rule_priors", q, true, "the priors of a decision rule are not shares");
    if (wrong == NULL)
        wrong = check_numbers(model, "rule_factors", q, true, "the factors of a decision rule are not one a class");
    if (wrong == NULL)
        wrong = check_numbers(model, "rule_weights", q, true, "the weights of a decision rule are not one a class");
    if (wrong == NULL)
        wrong = check_numbers(model, "rule_cost", q * q, true, "the costs of a decision rule are not a square matrix");
    if (wrong != NULL)
        return wrong;
    if (model_find(model, "rule_threshold") != NULL &&
        (threshold == NULL || length != 1 || !(*threshold > 0 && *threshold < 1) || q != 2))
        return "the threshold of a decision rule is not between 0 and 1, of two classes";
    rules += model_find(model, "rule_threshold") != NULL;
    rules += model_find(model, "rule_weights") != NULL;
    rules += model_find(model, "rule_cost") != NULL;
    if (rules > 1)
        return "there are several decision rules";
    if ((model_find(model, "rule_priors") == NULL) != (model_find(model, "rule_factors") == NULL))
        return "a decision rule has priors without factors";
    if (!calibrated && rules == 0 && model_find(model, "rule_factors") == NULL)
        return "the model lacks the decision rule that its flag promises";
    return check_options(env, model);
}
