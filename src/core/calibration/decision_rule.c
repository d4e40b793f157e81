/*
 * decision_rule.c - other priors, thresholds, weights and costs for a fitted classifier.
 *
 * Priors and weights become factors of the probabilities p(k | x) that the model gives under the priors it was trained with.
 * Other priors multiply by new prior / trained prior. Maximum likelihood, argmax p(x | k), and weighted likelihoods,
 * argmax w_k p(x | k), multiply by w_k / prior_k, because p(x | k) is proportional to p(k | x) / prior_k. With costs, the class
 * with the least expected cost is predicted (Elkan 2001, "The foundations of cost-sensitive learning").
 */
#include "core/estimator/classifier_output.h"
#include "core/estimator/conformal.h"

#include <math.h>
#include <string.h>

static const char *const rule_choices[] = {"map", "ml", NULL};
static const char *const cost_keys[] = {"false_positive", "false_negative", NULL};

#define COST_MAX 1e100 /* sums of costs stay finite */

static const OptionSpec rule_options[] = {
    {.name = "cost",
     .types = OPTION_NUMBER_MATRIX | OPTION_OBJECT,
     .minimum = 0,
     .maximum = COST_MAX,
     .unset = "no costs",
     .help = "Costs of mistakes, of which the least is expected for the class that is predicted: {\"false_positive\": c, \"false_negative\": c} for two "
             "classes, 1 if not named, or a matrix with one row per true class and one column per predicted class."},
    {.name = "rule",
     .formerly = "weights",
     .types = OPTION_STRING | OPTION_OBJECT,
     .fallback = "\"map\"",
     .minimum = 0,
     .maximum = COST_MAX,
     .choices = rule_choices,
     .help = "Predict the most probable class (map), the class with the greatest likelihood, whatever the priors (ml), or with the greatest product of "
             "likelihood and a factor: {\"label\": factor}, 1 if not named."},
    {.name = "trained_priors",
     .types = OPTION_STRING | OPTION_OBJECT,
     ABOVE_ZERO_TO_ONE,
     .choices = class_priors_choices,
     .unset = "those that the model stores",
     .help = "The priors behind the model's probabilities, if the model does not store them: {\"label\": probability} for all classes, or uniform."},
    {.name = NULL}};
const OptionSpec *const decision_rule_options[] = {option_priors, option_threshold, rule_options, NULL};

typedef struct RuleReader {
    Env *env;
    const Model *model;
    const Options *options;
    ClassSet classes;
    ClassifierOutput output;
    const double *trained; /* [classes] priors that the model was trained with; NULL: unknown */
} RuleReader;

static void require_two(const RuleReader *reader, const char *option)
{
    if (reader->classes.count != 2)
        env_fail(reader->env, ERROR_PARAMETER, "With more classes, give rule, priors, or cost as a matrix.",
                 "option \"%s\" needs two classes, but the model has %u", option, reader->classes.count);
}

/* Returns the priors in option "trained_priors", [classes], divided by their sum. */
static const double *trained_priors(RuleReader *reader)
{
    double *priors, sum = 0;

    if (options_type(reader->options, "trained_priors") != OPTION_OBJECT) {
        priors = env_array(reader->env, reader->classes.count, sizeof(double));
        for (uint32_t k = 0; k < reader->classes.count; k++)
            priors[k] = 1.0 / reader->classes.count;
        if (options_is(reader->options, "trained_priors", "data"))
            env_fail(reader->env, ERROR_PARAMETER, "Give {\"label\": probability} of all classes.",
                     "the model does not keep the rows that it was trained with");
        return priors;
    }
    priors = class_labeled(&reader->classes, reader->options, "trained_priors", 0);
    for (uint32_t k = 0; k < reader->classes.count; k++) {
        if (priors[k] == 0)
            env_fail(reader->env, ERROR_PARAMETER, "Give one for every class; they add up to 1.",
                     "option \"trained_priors\" has none for class \"%s\"", class_label(&reader->classes, k));
        sum += priors[k];
    }
    for (uint32_t k = 0; k < reader->classes.count; k++)
        priors[k] /= sum;
    return priors;
}

/* Fails if the priors that the model was trained with are unknown. */
static void require_trained(const RuleReader *reader, const char *option)
{
    if (reader->trained == NULL)
        env_fail(reader->env, ERROR_PARAMETER,
                 "Give them as option \"trained_priors\": the shares of the classes in the training rows.",
                 "option \"%s\" needs the priors that the model was trained with, and this model of %s does not hold them",
                 option, reader->model->estimator);
}

/* Reads option "priors", and sets the factors that convert the probabilities to these priors. */
static void read_priors(RuleReader *reader)
{
    uint32_t count = reader->classes.count;
    double *factors;

    if (!options_given(reader->options, "priors") || options_is(reader->options, "priors", "data"))
        return;
    require_trained(reader, "priors");
    reader->output.priors = class_priors(&reader->classes, reader->options, reader->trained);
    factors = env_array(reader->env, count, sizeof(double));
    for (uint32_t k = 0; k < count; k++)
        factors[k] = reader->output.priors[k] / reader->trained[k];
    reader->output.factors = factors;
}

/* Sets the weights of the probabilities for option "rule": those of likelihoods. */
static void read_weights(RuleReader *reader)
{
    const double *priors = reader->output.priors != NULL ? reader->output.priors : reader->trained;
    double *weights, most = 0;

    if (options_is(reader->options, "rule", "map"))
        return;
    require_trained(reader, "rule");
    weights = class_labeled(&reader->classes, reader->options, "rule", 1);
    for (uint32_t k = 0; k < reader->classes.count; k++) {
        weights[k] /= priors[k];
        most = fmax(most, weights[k]);
    }
    if (!(most > 0) || isinf(most))
        env_fail(reader->env, ERROR_PARAMETER, "Give at least one number above 0.",
                 "the factors of option \"rule\" cannot be compared");
    reader->output.weights = weights;
}

/* Reads option "cost", a matrix [true class x predicted class] or two costs by name. */
static void read_cost(RuleReader *reader)
{
    uint32_t count = reader->classes.count, rows, columns;
    uint32_t positive = class_rule_of(reader->model).positive, keys;
    const char *const *names;
    double *cost;

    if (options_type(reader->options, "cost") != OPTION_OBJECT) {
        reader->output.cost = options_matrix(reader->options, "cost", &rows, &columns);
        if (rows != count || columns != count)
            env_fail(reader->env, ERROR_PARAMETER,
                     "Give one row per true class and one column per predicted class, in the order of classes().",
                     "option \"cost\" is a matrix of %u x %u, and the model has %u classes", rows, columns, count);
        return;
    }
    require_two(reader, "cost");
    names = options_keys(reader->options, "cost", &keys);
    for (uint32_t i = 0; i < keys; i++)
        if (strcmp(names[i], cost_keys[0]) != 0 && strcmp(names[i], cost_keys[1]) != 0)
            env_fail(reader->env, ERROR_PARAMETER, "Use the names false_positive and false_negative.",
                     "option \"cost\" has no \"%s\"", names[i]);
    cost = env_array(reader->env, 4, sizeof(double));
    cost[(1 - positive) * 2 + positive] = options_object_number(reader->options, "cost", cost_keys[0], 1);
    cost[positive * 2 + 1 - positive] = options_object_number(reader->options, "cost", cost_keys[1], 1);
    reader->output.cost = cost;
}

/* Fails if all costs are 0. */
static void require_costs(const RuleReader *reader)
{
    for (uint32_t i = 0; i < reader->classes.count * reader->classes.count; i++)
        if (reader->output.cost[i] > 0)
            return;
    env_fail(reader->env, ERROR_PARAMETER, "Give at least one number above 0.", "every cost of option \"cost\" is 0");
}

static void read_threshold(RuleReader *reader)
{
    double *threshold = env_array(reader->env, 1, sizeof(double));

    require_two(reader, "threshold");
    *threshold = options_number(reader->options, "threshold");
    reader->output.threshold = threshold;
}

/* Reads threshold, cost or rule: each decides which class is predicted, so at most one is allowed. */
static void read_choice(RuleReader *reader)
{
    static const char *const names[] = {"threshold", "cost", "rule"};
    const char *first = NULL;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!options_given(reader->options, names[i]))
            continue;
        if (first != NULL)
            env_fail(reader->env, ERROR_PARAMETER, "Each of them decides which class is predicted; give only one.",
                     "options \"%s\" and \"%s\" exclude each other", first, names[i]);
        first = names[i];
    }
    if (first == NULL)
        return;
    if (strcmp(first, "threshold") == 0) {
        read_threshold(reader);
    } else if (strcmp(first, "cost") == 0) {
        read_cost(reader);
        require_costs(reader);
    } else {
        read_weights(reader);
    }
}

/* Fails if the model is not a classifier with probabilities. */
static void require_classifier(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    if (estimator == NULL || estimator->scoring == NULL || estimator->scoring->classify == NULL)
        env_fail(env, ERROR_KIND, "Only classifiers have decision rules.", "a decision rule needs a classifier, not %s%.32s",
                 model->kind == MODEL_FITTED ? "a model of " : "moments of kind ", model->estimator);
    if (!classifier_output_has_probabilities(estimator->scoring, model))
        env_fail(env, ERROR_KIND, "Calibrate it first: pgfit.calibrate(model, calibration of its decisions).",
                 "a decision rule needs probabilities, and a model of %s has none", estimator->name);
}

Model *decision_rule_apply(Env *env, const Model *model, const char *json, size_t length)
{
    RuleReader reader = {.env = env, .model = model};
    ClassifierOutput kept;
    uint32_t given;

    require_classifier(env, model);
    reader.options = options_parse(env, "decision_rule", decision_rule_options, json, length, NULL, NULL, 0);
    reader.classes = class_set(env, model);
    kept = classifier_output_of(model);
    reader.output = (ClassifierOutput){.classes = kept.classes,
                                       .maps = kept.maps,
                                       .map_numbers = kept.map_numbers,
                                       .of_probabilities = kept.of_probabilities,
                                       .calibration_priors = kept.calibration_priors};
    reader.trained = options_given(reader.options, "trained_priors") ? trained_priors(&reader)
                                                                  : classifier_output_priors(model, &reader.output);
    read_priors(&reader);
    read_choice(&reader);
    if (reader.output.factors != NULL || reader.output.threshold != NULL || reader.output.weights != NULL ||
        reader.output.cost != NULL) {
        reader.output.options = options_json(reader.options, &given);
        reader.output.options_length = given;
    }
    return model_require_readable(env, classifier_output_replace(env, conformal_strip(env, model), &reader.output));
}
