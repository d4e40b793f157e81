/*
 * decision_rule.c - other priors, thresholds, weights and costs for a fitted classifier.
 *
 * Everything is brought to factors of the probabilities p(k | x) that the model gives under its priors:
 * other priors multiply them by new / former; the rule of maximum likelihood, argmax p(x | k), and weighted
 * likelihoods, argmax w_k p(x | k), multiply by w_k / prior_k, as p(x | k) is proportional to
 * p(k | x) / prior_k; costs are compared by their expectation (Elkan 2001, "The foundations of
 * cost-sensitive learning").
 */
#include "core/estimator/classifier_output.h"
#include "core/base/json.h"

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
     .help = "Costs of mistakes: {\"false_positive\": c, \"false_negative\": c} for two classes, 1 if not named, or "
             "a matrix with one row per true class and one column per predicted class. The class with the least "
             "expected cost is predicted."},
    {.name = "rule",
     .types = OPTION_STRING,
     .fallback = "\"map\"",
     .choices = rule_choices,
     .help = "Predict the most probable class (map), or the class with the greatest likelihood, whatever the priors "
             "(ml)."},
    {.name = "trained_priors",
     .types = OPTION_STRING | OPTION_OBJECT,
     .minimum = 0,
     .maximum = 1,
     .minimum_open = true,
     .choices = class_priors_choices,
     .help = "The priors behind the model's probabilities, if the model does not store them: {\"label\": "
             "probability} for all classes, or uniform."},
    {.name = "weights",
     .types = OPTION_OBJECT,
     .minimum = 0,
     .maximum = COST_MAX,
     .help = "Factors of the likelihoods of the classes: {\"label\": factor}, 1 if not named. The class with the "
             "largest product is predicted, whatever the priors."},
    {.name = NULL}};
const OptionSpec *const decision_rule_options[] = {option_priors, option_threshold, rule_options, NULL};

typedef struct RuleMaker {
    Env *env;
    const Model *model;
    const Options *options;
    ClassSet classes;
    ClassifierOutput output;
    const double *former; /* priors that the model was trained with; NULL: unknown */
} RuleMaker;

static void require_two(const RuleMaker *maker, const char *option)
{
    if (maker->classes.count != 2)
        env_fail(maker->env, ERROR_PARAMETER, "With more classes, give weights, priors, or cost as a matrix.",
                 "option \"%s\" needs two classes, but the model has %u", option, maker->classes.count);
}

/* Reads probabilities of all classes, given by label. */
static const double *trained_priors(RuleMaker *maker)
{
    double *priors, sum = 0;

    if (options_type(maker->options, "trained_priors") != OPTION_OBJECT) {
        priors = env_array(maker->env, maker->classes.count, sizeof(double));
        for (uint32_t k = 0; k < maker->classes.count; k++)
            priors[k] = 1.0 / maker->classes.count;
        if (options_is(maker->options, "trained_priors", "data"))
            env_fail(maker->env, ERROR_PARAMETER, "Give {\"label\": probability} of all classes.",
                     "the model does not keep the rows that it was trained with");
        return priors;
    }
    priors = class_labeled(&maker->classes, maker->options, "trained_priors", 0);
    for (uint32_t k = 0; k < maker->classes.count; k++) {
        if (priors[k] == 0)
            env_fail(maker->env, ERROR_PARAMETER, "Give one for every class; they add up to 1.",
                     "option \"trained_priors\" has none for class \"%s\"", class_label(&maker->classes, k));
        sum += priors[k];
    }
    for (uint32_t k = 0; k < maker->classes.count; k++)
        priors[k] /= sum;
    return priors;
}

static void require_former(const RuleMaker *maker, const char *option)
{
    if (maker->former == NULL)
        env_fail(maker->env, ERROR_PARAMETER,
                 "Give them as option \"trained_priors\": the shares of the classes in the training rows.",
                 "option \"%s\" needs the priors that the model was trained with, and this model of %s does not hold them",
                 option, maker->model->estimator);
}

/* Reads other priors, and the factors that convert the probabilities to them. */
static void read_priors(RuleMaker *maker)
{
    uint32_t count = maker->classes.count;
    double *factors;

    if (!options_given(maker->options, "priors") || options_is(maker->options, "priors", "data"))
        return;
    require_former(maker, "priors");
    maker->output.priors = class_priors(&maker->classes, maker->options, maker->former);
    factors = env_array(maker->env, count, sizeof(double));
    for (uint32_t k = 0; k < count; k++)
        factors[k] = maker->output.priors[k] / maker->former[k];
    maker->output.factors = factors;
}

/* Turns weights of likelihoods into weights of the probabilities that the model will give. */
static void read_weights(RuleMaker *maker)
{
    bool given = options_given(maker->options, "weights");
    const double *priors = maker->output.priors != NULL ? maker->output.priors : maker->former;
    double *weights, most = 0;

    if (!given && !options_is(maker->options, "rule", "ml"))
        return;
    require_former(maker, given ? "weights" : "rule");
    weights = class_labeled(&maker->classes, maker->options, "weights", 1);
    for (uint32_t k = 0; k < maker->classes.count; k++) {
        weights[k] /= priors[k];
        most = fmax(most, weights[k]);
    }
    if (!(most > 0) || isinf(most))
        env_fail(maker->env, ERROR_PARAMETER, "Give at least one number above 0.",
                 "the factors of option \"weights\" cannot be compared");
    maker->output.weights = weights;
}

static void read_cost(RuleMaker *maker)
{
    uint32_t count = maker->classes.count, rows, columns;
    uint32_t positive = class_rule_of(maker->model).positive, keys;
    const char *const *names;
    double *cost;

    if (options_type(maker->options, "cost") != OPTION_OBJECT) {
        maker->output.cost = options_matrix(maker->options, "cost", &rows, &columns);
        if (rows != count || columns != count)
            env_fail(maker->env, ERROR_PARAMETER,
                     "Give one row per true class and one column per predicted class, in the order of classes().",
                     "option \"cost\" is a matrix of %u x %u, and the model has %u classes", rows, columns, count);
        return;
    }
    require_two(maker, "cost");
    names = options_keys(maker->options, "cost", &keys);
    for (uint32_t i = 0; i < keys; i++)
        if (strcmp(names[i], cost_keys[0]) != 0 && strcmp(names[i], cost_keys[1]) != 0)
            env_fail(maker->env, ERROR_PARAMETER, "Use the names false_positive and false_negative.",
                     "option \"cost\" has no \"%s\"", names[i]);
    cost = env_array(maker->env, 4, sizeof(double));
    cost[(1 - positive) * 2 + positive] = options_object_number(maker->options, "cost", cost_keys[0], 1);
    cost[positive * 2 + 1 - positive] = options_object_number(maker->options, "cost", cost_keys[1], 1);
    maker->output.cost = cost;
}

static void require_costs(const RuleMaker *maker)
{
    for (uint32_t i = 0; i < maker->classes.count * maker->classes.count; i++)
        if (maker->output.cost[i] > 0)
            return;
    env_fail(maker->env, ERROR_PARAMETER, "Give at least one number above 0.", "every cost of option \"cost\" is 0");
}

static void read_threshold(RuleMaker *maker)
{
    double *threshold = env_array(maker->env, 1, sizeof(double));

    require_two(maker, "threshold");
    *threshold = options_number(maker->options, "threshold");
    maker->output.threshold = threshold;
}

/* Reads threshold, weights, cost or rule: each decides which class is predicted, so at most one is allowed. */
static void read_choice(RuleMaker *maker)
{
    static const char *const names[] = {"threshold", "weights", "cost", "rule"};
    const char *first = NULL;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!options_given(maker->options, names[i]))
            continue;
        if (first != NULL)
            env_fail(maker->env, ERROR_PARAMETER, "Each of them decides which class is predicted; give only one.",
                     "options \"%s\" and \"%s\" exclude each other", first, names[i]);
        first = names[i];
    }
    if (first == NULL)
        return;
    if (strcmp(first, "threshold") == 0) {
        read_threshold(maker);
    } else if (strcmp(first, "cost") == 0) {
        read_cost(maker);
        require_costs(maker);
    } else {
        read_weights(maker);
    }
}

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
    RuleMaker maker = {.env = env, .model = model};
    ClassifierOutput kept;
    uint32_t given;

    require_classifier(env, model);
    maker.options = options_parse(env, "decision_rule", decision_rule_options, json, length, NULL, NULL, 0);
    maker.classes = class_set(env, model);
    kept = classifier_output_of(model);
    maker.output = (ClassifierOutput){.classes = kept.classes,
                              .maps = kept.maps,
                              .map_numbers = kept.map_numbers,
                              .of_probabilities = kept.of_probabilities,
                              .calibration_priors = kept.calibration_priors};
    maker.former = options_given(maker.options, "trained_priors") ? trained_priors(&maker)
                                                                  : classifier_output_priors(model, &maker.output);
    read_priors(&maker);
    read_choice(&maker);
    if (maker.output.factors != NULL || maker.output.threshold != NULL || maker.output.weights != NULL ||
        maker.output.cost != NULL) {
        maker.output.options = options_json(maker.options, &given);
        maker.output.options_length = given;
    }
    return model_require_readable(env, classifier_output_replace(env, model, &maker.output));
}
